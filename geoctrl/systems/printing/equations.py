"""The equations as a person reads them: sympy matrices, LaTeX, and the tensors of [GO] Theorem 12."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import inverse_of
from geoctrl._scalars.algebra.factoring import factorisation
from geoctrl.errors import InputError
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.parts.description_entries import require_mechanism
from geoctrl.systems.typesetting.typesetting import Typesetter, aligned_equations

__all__ = ["Equations", "HamelTensors", "hamel_tensors"]


@dataclass(frozen=True)
class Equations:
    """``M wdot = h + B^T lambda``, ``B wdot = -drift``, and the kinematics of the advected states.

    Attributes
    ----------
    states : sympy column
    M : sympy matrix, k x k
        Reduced mass matrix (rotor rates included).
    h : sympy column, k
    kinematics : sympy column
        Rates of the advected states.
    rows, drift : sympy matrices
        B and Bdot w of the constraints kept by multipliers; empty where there is none.
    rhs : sympy column
        xdot, solved by LDL^T.
    energy : sympy expression
    relations : tuple of sympy expressions
        Leaf relations (zero), used to shorten what is printed.
    """

    states: sp.Matrix
    M: sp.Matrix
    h: sp.Matrix
    kinematics: sp.Matrix
    rows: sp.Matrix
    drift: sp.Matrix
    rhs: sp.Matrix
    energy: sp.Expr
    relations: tuple[sp.Expr, ...]

    @classmethod
    def of(cls, system: Recorded) -> Equations:
        """The equations of a reduced system, translated from its recorded nodes."""
        a = system.assembly
        k = len(a.velocity)

        def matrix(rows: list) -> sp.Matrix:
            return sp.Matrix(len(rows), k if rows else 0, system.to_sympy([e for row in rows for e in row]))

        rhs = system.to_sympy(system.field_nodes)
        return cls(
            states=sp.Matrix(system.states),
            M=matrix(a.mass),
            h=sp.Matrix(system.to_sympy(a.force)),
            kinematics=sp.Matrix(rhs[k:]),
            rows=matrix(a.rows),
            drift=sp.Matrix(system.to_sympy(a.drift)),
            rhs=sp.Matrix(rhs),
            energy=system.to_sympy([a.energy])[0],
            relations=tuple(system.to_sympy(system.leaf.nodes)),
        )

    def latex(self, width: float = 38.0) -> str:
        """``M wdot = h + B^T lambda``, ``B wdot = -drift`` and the kinematics, one equation a line."""
        rates = [sp.Symbol(f"{s}_dot", real=True) for s in self.states]
        k = self.M.rows
        multipliers = sp.Matrix([sp.Symbol(f"lambda{i + 1}", real=True) for i in range(self.rows.rows)])
        wdot = sp.Matrix(rates[:k])
        right = self.h + self.rows.T * multipliers if self.rows.rows else self.h
        pairs = [*zip(self.M * wdot, right, strict=True), *zip(rates[k:], self.kinematics, strict=True)]
        if self.rows.rows:
            pairs[k:k] = zip(self.rows * wdot, -self.drift, strict=True)
        named = sorted(set().union(*(e.free_symbols for pair in pairs for e in pair)), key=str)
        moving = [*self.states[:k], *rates, *multipliers]
        order = [*(s for s in named if s not in self.states and s not in moving), *self.states[k:], *moving]
        t = Typesetter(order, moving, [e for e in self.relations if not e.has(*moving)])
        return aligned_equations([(t.pieces(a), t.pieces(b)) for a, b in pairs], width)

    def _lines(self) -> list[str]:
        names = [str(s) for s in self.states]
        width = max(len(n) for n in names) + 2
        shown = [collected_fraction(e, self.states, self.relations) for e in self.rhs]
        return [f"d/dt {n:<{width}}= {e}" for n, e in zip(names, shown, strict=True)]

    full = full_text
    __repr__ = short_form


def collected_fraction(
    expr: sp.Expr, states: Iterable[sp.Symbol], relations: Sequence[sp.Expr] = ()
) -> sp.Expr:
    """One fraction, its numerator sorted by monomials in the states with factored coefficients.

    Where the leaf relations shorten the numerator, their multiples are taken off. Expressions that are not
    rational in the states are returned with common factors drawn out.
    """
    states = tuple(states)
    numerator, denominator = sp.fraction(sp.cancel(sp.together(expr)))
    if numerator == 0:
        return sp.Integer(0)
    if not numerator.is_polynomial(*states):
        return sp.factor_terms(expr)
    poly = sp.Poly(numerator, *states)
    for relation in relations:
        if relation.is_polynomial(*states) and not relation.free_symbols - set(states):
            _, rest = sp.reduced(poly.as_expr(), [relation], *states)
            shorter = sp.Poly(rest, *states)
            if len(shorter.terms()) < len(poly.terms()):
                poly = shorter
    content, primitive = poly.primitive()
    terms = [
        factorisation(c) * sp.Mul(*(s**e for s, e in zip(states, powers, strict=True)))
        for powers, c in primitive.terms()
    ]
    return factorisation(content) * sp.factor_terms(sp.Add(*terms)) / factorisation(denominator)


_SHORT = 500
"""Operations up to which a component is factored; a longer one is the sum that it is."""


@dataclass(frozen=True)
class HamelTensors:
    r"""Tensors of [GO] Theorem 12 in a frame E completed to a basis of the algebra.

    With ``p_i = <mu, E_i>`` and v the quasivelocities,

    .. math::

        \dot p_\alpha = -B^i_{\alpha\beta} p_i v^\beta + \langle \mathbf K, E_\alpha\rangle, \qquad B = C + F

    Attributes
    ----------
    frame : sympy matrix, n x n
        E, the first k columns spanning the kernel of the constraints.
    C, F, B : sympy arrays, shape (n, k, k)
        Indexed ``[i, alpha, beta]``: ([GO] 23), (27) and their sum. Short components are factored.
    """

    frame: sp.Matrix
    C: sp.NDimArray
    F: sp.NDimArray

    @property
    def B(self) -> sp.NDimArray:
        """C + F, the tensor of the reduced equations."""
        return self.C + self.F

    _lines = record_lines
    full = full_text
    __repr__ = short_form


def _complete_frame(system: Recorded, removed: Mapping[sp.Symbol, int]) -> tuple[sp.Matrix, sp.Matrix]:
    """The frame with a complement, and its inverse where the removed coordinates are zero.

    The complement is the user's; else the velocities that the frame leaves out, as unit vectors, which gives
    the inverse without elimination; else the constraint rows transposed.
    """
    velocities, complement = sp.Matrix(system.frame.matrix), system.frame.complement
    n, k = velocities.shape
    rows = [velocities.row(i) for i in range(n)]
    kept = [next((i for i in range(n) if rows[i] == sp.eye(k).row(j)), None) for j in range(k)]
    if complement is None and None not in kept:
        others = [i for i in range(n) if i not in kept]
        order = [*kept, *others]
        E = sp.Matrix.hstack(velocities, sp.eye(n)[:, others])
        inverse = sp.eye(n)[order, :]
        for place, i in enumerate(others, start=k):
            for j, row in enumerate(kept):
                inverse[place, row] = -rows[i][j].subs(removed)
        return E, inverse
    if complement is None and system.mechanism.constraints is not None:
        complement = system.mechanism.constraints.T
    E = velocities if complement is None else sp.Matrix.hstack(velocities, complement)
    return E, inverse_of(E.subs(removed))


def _is_long(component: sp.Expr) -> bool:
    """Whether it has more than `_SHORT` operations; one of far more parts, of which at most three are none
    beside each that is, is not counted to its end.
    """
    many = 8 * _SHORT
    parts = sum(1 for _ in islice(sp.preorder_traversal(component), many))
    return parts == many or component.count_ops() > _SHORT


class _DerivativesBy(dict[sp.Expr, sp.Expr]):
    """Derivatives by one symbol; of what expressions share once, and products of rotations share much."""

    def __init__(self, symbol: sp.Symbol) -> None:
        super().__init__()
        self._symbol = symbol

    def __missing__(self, expr: sp.Expr) -> sp.Expr:
        args = expr.args
        if expr.is_Add:
            slope = sp.Add(*(self[a] for a in args))
        elif expr.is_Mul:
            slopes = [(i, self[a]) for i, a in enumerate(args)]
            slope = sp.Add(*(sp.Mul(*args[:i], d, *args[i + 1 :]) for i, d in slopes if d != 0))
        elif expr.is_Pow and expr.exp.is_number:
            slope = expr.exp * expr.base ** (expr.exp - 1) * self[expr.base]
        elif len(args) == 1 and isinstance(expr, sp.Function):
            inner = self[args[0]]
            slope = expr.fdiff() * inner if inner != 0 else inner
        else:
            slope = sp.diff(expr, self._symbol)
        self[expr] = slope
        return slope


def hamel_tensors(system: Recorded) -> HamelTensors:
    """C, F, B of the system's frame, completed by a complement."""
    mechanism = system.mechanism
    require_mechanism(mechanism, "frame", "its equations are sys.equations().rhs")
    algebra = mechanism.algebra
    n, k = system.frame.matrix.shape
    if system.frame.rows is not None:
        raise InputError(
            "the tensors need a frame that solves all constraints; this system keeps multipliers"
        )
    gamma = mechanism.configuration_symbols
    removed = mechanism.removed
    E, inverse = _complete_frame(system, removed)
    rate = [[sp.Integer(0)] * k for _ in gamma]  # varkappa^k_{j beta} Gamma_k = (E_beta Gamma)_j
    carriers = [*gamma[: len(gamma) - len(mechanism.quasicoordinates)], sp.Integer(1)]
    for i, j, m, value in mechanism.kinematics:
        q = sp.Rational(value.numerator, value.denominator)
        for beta in range(k):
            rate[i][beta] += q * E[j, beta] * carriers[m]
    along = [_DerivativesBy(g) for g in gamma]
    slopes = [[[slope_of[E[row, alpha]] for slope_of in along] for alpha in range(k)] for row in range(n)]
    C = sp.MutableDenseNDimArray.zeros(n, k, k)
    F = sp.MutableDenseNDimArray.zeros(n, k, k)
    for alpha in range(k):
        for beta in range(k):
            bracket = [sp.Integer(0)] * n
            for i, j, p, value in algebra.brackets:
                bracket[p] += sp.Rational(value.numerator, value.denominator) * E[i, alpha] * E[j, beta]
            moved = [
                sum(slope * rate[j][beta] for j, slope in enumerate(slopes[row][alpha])) for row in range(n)
            ]
            for tensor, column in ((C, bracket), (F, moved)):
                components = inverse * sp.Matrix(column).subs(removed)
                for i in range(n):
                    short = not _is_long(components[i])
                    tensor[i, alpha, beta] = factorisation(components[i]) if short else components[i]
    return HamelTensors(E.subs(removed), sp.ImmutableDenseNDimArray(C), sp.ImmutableDenseNDimArray(F))
