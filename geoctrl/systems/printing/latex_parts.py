r"""What `ReducedSystem.latex` prints: Lagrangian, constraints, motion, with names for what is long.

A frame with long entries (those of a point of contact on a curved surface, say) makes long equations. They
are derived once more, by the same assembly, with a symbol for each such entry, one for its rate, and one for
each velocity that depends on it: what is printed is exact and stays as short as on paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from types import MappingProxyType

import sympy as sp

from geoctrl._calls.budget import Budget
from geoctrl._checks import require_choice
from geoctrl._scalars import Node, expression, real, shown, to_sympy
from geoctrl.errors import InputError
from geoctrl.systems.equations.matrix_assembly import FieldAssembly, MatrixAssembly
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.parts.names import time
from geoctrl.systems.typesetting.typesetting import LARGE, Piece, Typesetter, aligned_equations, plain_text

__all__ = ["Display"]

LONGEST, PER_NODE = 20_000, 5
"""Characters up to which equations are shown together, and how many a node of an expression takes about."""
LONG_ROOT = 8
"""Operations beyond which a root gets a name though it occurs once."""
_FAR = sp.Float("1e-12")
"""Value of an entry with roots, of thirty digits, that is told from zero."""
PARTS = ("motion", "lagrangian", "constraints", "frame", "leaf", "invariants")
Names = Mapping[sp.Symbol, sp.Expr]
EMPTY: Names = MappingProxyType({})


def named_entries(mechanism: Mechanism, matrix: sp.Matrix) -> tuple[Names, sp.ImmutableMatrix]:
    """Symbols for the entries that are neither monomials nor numbers, and the matrix in these symbols.

    Components of the vector to the point of contact come first: they are what the entries of a rolling body
    are, up to their signs.
    """
    advected = mechanism.configuration_symbols
    if all(_is_short(e, advected) for e in matrix):
        return {}, sp.ImmutableMatrix(matrix)
    labels = {*mechanism.velocity_labels, *mechanism.quasivelocity_labels, *map(str, advected)}
    labels |= {p.name for p in mechanism.parameters}
    stem = next(c for c in ("s", "c", "q", "entry") if not any(label.startswith(c) for label in labels))
    contact = [] if mechanism.contact is None else [expression(e, "contact") for e in mechanism.contact]
    candidates = {
        sp.Symbol(f"{stem}{i}", real=True): e
        for i, e in enumerate(contact, start=1)
        if e.free_symbols & set(advected)
    }
    names: dict[sp.Symbol, sp.Expr] = {}
    value = cache(_value)

    def is_zero(entry: sp.Expr, sign: int, expr: sp.Expr) -> bool:
        """Whether entry - sign expr is seen to vanish: multiplied out where it is short, and where its value
        at some numbers does not tell it from zero.
        """
        apart = value(entry) - sign * value(expr)
        if apart.is_number and abs(apart) > _FAR:
            return False
        rest = entry - sign * expr
        return rest == 0 or (tree_size(rest) < LARGE and sp.cancel(rest) == 0)

    def symbol_of(entry: sp.Expr) -> sp.Expr:
        if not entry.free_symbols & set(advected):
            return entry
        for symbol, expr in {**candidates, **names}.items():
            for sign in (1, -1):
                if is_zero(entry, sign, expr):
                    names[symbol] = expr
                    return sign * symbol
        if _is_short(entry, advected):
            return entry
        symbol = sp.Symbol(f"{stem}{len(contact) + len(set(names) - set(candidates)) + 1}", real=True)
        names[symbol] = entry
        return symbol

    named = sp.ImmutableMatrix(matrix.applyfunc(symbol_of))
    return dict(sorted(names.items(), key=lambda item: item[0].name)), named


def _value(expr: sp.Expr) -> sp.Expr:
    """Its value at some numbers that go with the names of its symbols."""
    drawn = {s: Random(str(s)).uniform(0.2, 1.0) for s in expr.free_symbols}
    return expr.xreplace({s: sp.Float(x, 30) for s, x in drawn.items()})


def tree_size(expr: sp.Basic) -> int:
    """Number of nodes of an expression when it is written out, its parts being looked at once."""
    sizes: dict[sp.Basic, int] = {}
    stack = [expr]
    while stack:
        left = [arg for arg in stack[-1].args if arg not in sizes]
        if left:
            stack += left
        else:
            here = stack.pop()
            sizes[here] = 1 + sum(sizes[arg] for arg in here.args)
    return sizes[expr]


def _is_short(expr: sp.Expr, symbols: Sequence[sp.Symbol]) -> bool:
    return bool(expr.is_polynomial(*symbols)) and not sp.expand(expr).is_Add


class Display:
    """The parts of a system in LaTeX.

    Parameters
    ----------
    width : float
        Width of a line in em.
    budget : Budget
        An equation that is not typeset by then is replaced by a line that says so.
    """

    def __init__(self, system: Recorded, width: float, budget: Budget) -> None:
        self.system, self.width, self.budget = system, real(width, "width"), budget
        if not self.width > 0:
            raise InputError(f"width must be positive, got {shown(width)}")
        self.mechanism = m = system.mechanism
        self.parameters = [p.symbol for p in m.parameters]
        self.rates = [*m.algebra.xi, *(m.rotors.rates if m.rotors else ())]
        self.velocities = list(system.states[: len(system.assembly.velocity)])
        self._known = {s.name: s for s in (*self.parameters, *m.configuration_symbols, time)}

    def part(self, name: str) -> str:
        """One of the parts below, or the equation of a state."""
        require_choice("part", name, (*PARTS, *self.system.state_labels))
        # The derivation may take the time as well as the typesetting.
        make = getattr(self, name) if name in PARTS else lambda: self.equation(name)
        return self.budget.attempt(name, make, self._budget_words)

    @property
    def _budget_words(self) -> str:
        return rf"\text{{not typeset within {self.budget.words}}}"

    # -- what the mechanism is ------------------------------------------------------------------

    def lagrangian(self) -> str:
        """The reduced Lagrangian, rotors included; empty for a vector field."""
        m = self.mechanism
        if m.rates:
            return ""
        inertia, xi = sp.Matrix(m.inertia), sp.Matrix(self.rates)
        if m.rotors:
            inertia = m.rotors.with_body(inertia)
        whole = (xi.T * inertia * xi)[0] / 2 - m.potential
        if m.gyroscopic is not None:
            whole += m.gyroscopic.dot(m.algebra.xi)
        if m.rotors:
            whole += m.rotors.gyroscopic.dot(sp.Matrix(m.rotors.rates))
        return self._set([(sp.Symbol("ell"), whole)], self.rates)

    def constraints(self) -> str:
        """The constraint rows paired with the velocity; empty without constraints."""
        if self.mechanism.constraints is None:
            return ""
        names, rows = named_entries(self.mechanism, self.mechanism.constraints)
        each = (e.primitive()[1] for e in rows * self.mechanism.algebra.xi)
        equations = [(-e if e.could_extract_minus_sign() else e, sp.Integer(0)) for e in each]
        return self._set(equations, self.rates, names)

    def leaf(self) -> str:
        """The geometric relations; empty where there is none."""
        t = Typesetter([*self.parameters, *self.mechanism.configuration_symbols], fixed=self.parameters)
        relations = [sp.Eq(e, 0) for e in self.system.to_sympy(self.system.leaf.nodes)]
        relations += [sp.Eq(s, e) for s, e in self.mechanism.removed.items() if e != 0]
        return ", \\qquad ".join(map(t.relation, relations))

    def frame(self) -> str:
        """The velocity in terms of the states; empty where it is among them."""
        names, matrix = named_entries(self.mechanism, self.system.frame.matrix)
        given = matrix * sp.Matrix(self.velocities[: matrix.cols])
        named = zip(self.mechanism.algebra.labels, given, strict=True)
        return self._set([(_real(k), e) for k, e in named if str(e) != k], self.velocities, names)

    def invariants(self) -> str:
        """The conserved quantities but the energy; empty where there is none."""
        kept = {k: node for k, node in self.system.conserved().items() if k != "energy"}
        declared = self.system.candidate_invariants
        left = [declared[k] if k == str(declared[k]) else _real(k) for k in kept]
        right = self.system.to_sympy(list(kept.values()))
        pairs = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
        return self._set(pairs, self.velocities)

    # -- the motion -----------------------------------------------------------------------------

    def motion(self) -> str:
        """``M wdot = h + B^T lambda`` row by row, the kinematics, and what the names stand for."""
        equations, moving, names = self.equations()
        rows = [str(rate) for rate, _ in equations[len(self.velocities) :]]
        labels = [*map(str, self.velocities), *(row.removesuffix("_dot") for row in rows)]
        return self._set(equations, moving, names, [k for k in labels if k in self.system.state_labels])

    def equation(self, label: str) -> str:
        """That of a state: of a velocity the row of ``M wdot = h + B^T lambda`` that goes with it."""
        equations, moving, names = self.equations()
        place = self.system.state_labels.index(label)
        rates = {left: k for k, (left, _) in enumerate(equations)}
        k = place if place < len(self.velocities) else rates.get(_real(f"{label}_dot"))
        return "" if k is None else self._set([equations[k]], moving, names, whole=True)

    def equations(self) -> tuple[list[tuple[sp.Expr, sp.Expr]], list[sp.Symbol], Names]:
        """Both sides of the equations of motion, the symbols that move, and the names."""
        names, matrix = named_entries(self.mechanism, self.system.frame.matrix)
        frame = replace(self.system.frame, matrix=matrix)
        kind = FieldAssembly if self.mechanism.rates else MatrixAssembly
        a = kind(self.mechanism, frame, self.mechanism.removed, entries=tuple(names))

        def read(nodes: Sequence[Node]) -> list[sp.Expr]:
            table = {n: self._known.get(n.payload, _real(n.payload)) for n in a.graph.symbols(nodes)}
            return to_sympy(nodes, table)

        wdot = [_real(f"{s}_dot") for s in self.velocities]
        rows = [read(row) for row in a.rows]
        multipliers = [_real(f"lambda{i + 1}") for i in range(len(rows))]
        equations = [
            (_dot(read(row), wdot), force + _dot([b[i] for b in rows], multipliers))
            for i, (row, force) in enumerate(zip(a.mass, read(a.force), strict=True))
        ]
        equations += [(_dot(row, wdot), -e) for row, e in zip(rows, read(a.drift), strict=True)]
        turning = read([*(a.advection[i] for i in self.system.kept_index), *a.controller_rates])
        kept = [(_real(f"{s}_dot"), e) for s, e in zip(self.system.states[len(wdot) :], turning, strict=True)]
        # A coordinate moves with its rate: nothing to be said where that is a state.
        equations += [(rate, e) for rate, e in kept if rate != e]
        equations += [(_real(label), read([node])[0]) for label, node in a.dependent.items()]
        moving = [*self.velocities, *map(_real, a.dependent), *(_real(f"{s}_dot") for s in names)]
        return equations, [*moving, *wdot, *self.mechanism.actuator_symbols, *multipliers], names

    def _set(
        self,
        equations: Sequence[tuple[sp.Expr, sp.Expr]],
        moving: Sequence[sp.Symbol],
        names: Names = EMPTY,
        labels: Sequence[str] = (),
        whole: bool = False,
    ) -> str:
        """Equations below one another, followed by what the names and the roots in them stand for.

        Of more than `LONGEST` characters those that have room come first, and in words how many are left out;
        labels name those that can be asked for one by one. The ``whole`` is typeset where it is asked for.
        """
        if not equations:
            return ""
        advected = self.mechanism.configuration_symbols
        written = [*equations, *names.items()]
        sizes = [PER_NODE * (tree_size(left) + tree_size(right)) for left, right in written]
        if not whole and sum(sizes) > LONGEST:
            return self._with_summary(written, sizes, moving, labels)
        abbreviate = Abbreviations([e for pair in equations for e in pair] + list(names.values()))
        shown = [(abbreviate(left), abbreviate(right)) for left, right in [*equations, *names.items()]]
        order = [*self.parameters, *names, *advected, *abbreviate.names, *moving]
        leaf = [e for e in self.system.to_sympy(self.system.leaf.nodes) if e.free_symbols <= set(advected)]
        t = Typesetter(
            order, [*moving, *abbreviate.integrals], [*leaf, *abbreviate.relations], self.parameters
        )
        lines = [(self._pieces(t, left), self._pieces(t, right)) for left, right in shown]
        plain = Typesetter(order, fixed=self.parameters)
        lines += [(plain.pieces(s), self._pieces(plain, e)) for s, e in abbreviate.names.items()]
        return aligned_equations(lines, self.width)

    def _with_summary(
        self,
        equations: Sequence[tuple[sp.Expr, sp.Expr]],
        sizes: Sequence[int],
        moving: Sequence[sp.Symbol],
        labels: Sequence[str],
    ) -> str:
        """The equations that have room, and in words what is left out."""
        shown, room = [], LONGEST
        for pair, size in zip(equations, sizes, strict=True):
            if size <= min(room, LONGEST // 8):
                shown.append(pair)
                room -= size
        count, left = len(equations), sum(sizes) - LONGEST + room
        words = f"{count - len(shown)} of {count} equations are left out, some {left:,} characters"
        ways = f'; one by one: latex("{labels[0]}") ... latex("{labels[-1]}")' if labels else ""
        return "\n".join(filter(None, [self._set(shown, moving, whole=True), plain_text(words + ways)]))

    def _pieces(self, typesetter: Typesetter, expr: sp.Expr) -> list[Piece]:
        """The terms of one side, with time kept for the lines after it."""
        unfinished = [(1, self._budget_words)]
        return self.budget.attempt(
            "a line", lambda: typesetter.pieces(expr), unfinished, share=0.5, reserve=0.1
        )


class Abbreviations:
    """Symbols for roots that are long or occur more than once, and for integrals.

    Attributes
    ----------
    names : dict of sympy.Symbol -> expression
    integrals : list of sympy.Symbol
        Those that stand for integrals.
    """

    def __init__(self, expressions: Sequence[sp.Expr]) -> None:
        powers = [p for e in expressions for p in sp.preorder_traversal(e) if _is_root(p)]
        bases = [p.base for p in powers]
        radicands = dict.fromkeys(b for b in bases if bases.count(b) > 1 or sp.count_ops(b) > LONG_ROOT)
        integrals = dict.fromkeys(i for e in expressions for i in e.atoms(sp.Integral))
        self._roots = {r: _numbered_symbol("varrho", i) for i, r in enumerate(radicands)}
        self._integrals = {e: _numbered_symbol("Q", i, real=True) for i, e in enumerate(integrals)}
        self.integrals = list(self._integrals.values())
        self.names: Names = {s: sp.sqrt(r) for r, s in self._roots.items()}
        self.names |= {s: e for e, s in self._integrals.items()}

    @property
    def relations(self) -> list[sp.Expr]:
        """What the roots' squares are, as polynomials that are zero."""
        return [s**2 - radicand for radicand, s in self._roots.items()]

    def __call__(self, expr: sp.Expr) -> sp.Expr:
        """The expression in these symbols."""
        if not self.names:
            return expr
        return expr.xreplace(self._integrals).replace(
            lambda e: e.is_Pow and e.exp.is_Rational and e.base in self._roots,
            lambda e: self._roots[e.base] ** (2 * e.exp),
        )


def _is_root(expr: sp.Basic) -> bool:
    return expr.is_Pow and expr.base.is_Add and expr.exp.is_Rational and expr.exp.q == 2


def _numbered_symbol(stem: str, i: int, **assumptions: bool) -> sp.Symbol:
    return sp.Symbol(stem if i == 0 else f"{stem}{i + 1}", **(assumptions or {"positive": True}))


def _real(name: str) -> sp.Symbol:
    return sp.Symbol(name, real=True)


def _dot(row: Sequence[sp.Expr], column: Sequence[sp.Symbol]) -> sp.Expr:
    return sp.Add(*(e * s for e, s in zip(row, column, strict=True)))
