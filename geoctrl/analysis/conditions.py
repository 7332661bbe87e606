"""Stability conditions of a declared family, in the mechanism's own symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import sympy as sp
from sympy.logic.boolalg import Boolean
from sympy.polys.matrices import DomainMatrix

from geoctrl._checks import nearest
from geoctrl._scalars import Node, exact
from geoctrl.analysis.invariants import check_invariant
from geoctrl.analysis.polynomials import hurwitz_determinant
from geoctrl.analysis.shape import Jet, shape_of
from geoctrl.analysis.signs import leading_minors, positive_condition, solve_inequality
from geoctrl.errors import EquilibriumError, ParameterError
from geoctrl.systems import ReducedSystem
from geoctrl.systems.build_checks import generic_parameters
from geoctrl.systems.typesetting import Typesetter

__all__ = ["StabilityConditions", "stability_conditions"]

Rows = list[list[sp.Expr]]


@dataclass(frozen=True)
class StabilityConditions:
    """Conditions under which a family is proved stable, or proved unstable.

    Attributes
    ----------
    stable : list of relations
        Where all hold, the restricted Hessian of the energy-Casimir function is definite: stable within
        the leaf. ``[False]`` where it never is.
    unstable : list of relations
        Each one suffices for an eigenvalue with a positive real part.
    undecided : list of equations
        The boundaries, on which neither test decides.
    assuming : list of expressions
        Factors that were divided by and must not vanish.
    family, system : str
    reason : str
        Why there is no condition for stability, where there is none.
    restricted_hessian : sympy matrix or None
    multipliers : dict of name -> expression
    characteristic_polynomial : list of expressions, leading one first
        Of the linearisation on the joint level set of the invariants.
    symbols, family_symbols : tuple of sympy.Symbol
        Symbols that `solve_for` knows; those of the family.
    kernel_labels : tuple of str
        States that the rows of the restricted Hessian belong to (the free coordinate of each kernel vector).
    """

    stable: list
    unstable: list
    undecided: list
    assuming: list
    family: str
    system: str
    reason: str
    restricted_hessian: sp.Matrix | None
    multipliers: dict[str, sp.Expr]
    characteristic_polynomial: list
    symbols: tuple[sp.Symbol, ...]
    family_symbols: tuple[sp.Symbol, ...]
    kernel_labels: tuple[str, ...]

    def solve_for(self, name: str | sp.Symbol, unstable: bool = False) -> Boolean:
        """The conditions for stability (or instability) solved for one symbol.

        Parameters
        ----------
        name : str or sympy.Symbol
        unstable : bool
            Solve the alternatives for instability instead.

        Raises
        ------
        ParameterError
            If no such symbol occurs in the system.
        """
        known = {s.name: s for s in self.symbols}
        if str(name) not in known:
            raise ParameterError(f"no symbol {str(name)!r}{nearest(str(name), known)}")
        symbol = known[str(name)]
        solved = [_solve_relation(r, symbol) for r in (self.unstable if unstable else self.stable)]
        if unstable:
            return sp.Or(*solved)
        return sp.And(*solved) if solved else sp.S.false

    def latex(self, unstable: bool = False) -> str:
        """The conditions for stability, or the alternatives for instability, in LaTeX."""
        parameters = [s for s in self.symbols if s not in self.family_symbols]
        order = [*parameters, *self.family_symbols]
        relation = Typesetter(order, self.family_symbols, fixed=parameters).relation
        if unstable:
            return r" \quad\text{or}\quad ".join(map(relation, self.unstable))
        return r" \quad\text{and}\quad ".join(map(relation, self.stable))

    def __str__(self) -> str:
        lines = [f"{self.family!r} of {self.system}"]
        lines += ["  stable (within the leaf) if"]
        lines += [f"    {r}" for r in self.stable] if self.stable else [f"    - ({self.reason})"]
        for symbol in self.family_symbols:
            if any(hasattr(r, "has") and r.has(symbol) for r in self.stable):
                lines.append(f"    solved for {symbol}: {_pretty(self.solve_for(symbol))}")
        lines += ["  unstable if one of"]
        lines += [f"    {r}" for r in self.unstable] or ["    -"]
        if self.undecided:
            lines += ["  undecided on", *(f"    {e.lhs} = {e.rhs}" for e in self.undecided)]
        if self.assuming:
            lines += ["  assuming nonzero", *(f"    {e}" for e in self.assuming)]
        return "\n".join(lines)


def _pretty(condition: Boolean) -> str:
    return str(condition).replace("&", "and").replace("|", "or")


def _solve_relation(relation: Boolean, symbol: sp.Symbol) -> Boolean:
    if relation in (sp.S.true, sp.S.false) or isinstance(relation, (sp.Ne, sp.Eq)):
        return relation
    if isinstance(relation, (sp.And, sp.Or)):
        return relation.func(*(_solve_relation(r, symbol) for r in relation.args))
    sign = 1 if relation.func in (sp.StrictGreaterThan, sp.GreaterThan) else -1
    return solve_inequality(sign * (relation.lhs - relation.rhs), symbol)


def stability_conditions(
    sys: ReducedSystem, family: str, params: Mapping[str, float] | None = None
) -> StabilityConditions:
    r"""Derive the conditions for stability and instability of a declared family.

    Stability by the energy-Casimir test with symbolic multipliers: on the common kernel of the
    invariants' gradients, leading minors of the restricted Hessian give the inequalities. Instability by
    the characteristic polynomial of the linearisation restricted there, :math:`\chi(x) = q(x^2)` for
    reversible systems: a negative coefficient, or a negative discriminant of q, implies an eigenvalue
    with a positive real part.

    Parameters
    ----------
    sys : ReducedSystem
    family : str
        A key of ``sys.families``.
    params : dict, optional
        Parameters to be replaced by numbers (taken as the rationals they are).

    Returns
    -------
    StabilityConditions

    Raises
    ------
    ParameterError
        For an unknown family or parameter.
    EquilibriumError
        If the members are no equilibria of this system (of `ReducedSystem.despun`, perhaps).
    DescriptionError, FrameError, ConstraintError
        If the description keeps a promise (its symmetry axis, frame or leaf) at some parameters only, and
        these have no numbers in ``params``.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> print(*gc.stability_conditions(skate, "spinning").stable)
    Omega0**2*(-I2 + I3 + l**2*m) - g*l*m > 0
    """
    if family not in sys.families:
        raise ParameterError(f"no equilibrium family {family!r}{nearest(family, sys.families)}")
    sys.judgement.require_identities(params or {})
    _require_equilibria(sys, family, params)
    at = _FamilyPoint(sys, family, params)
    names = [k for k in sys.candidate_invariants if check_invariant(sys, k, params).proved]
    nodes = [sys.candidate_invariants[k] for k in names]
    nodes = [n if isinstance(n, Node) else sys.expression(n) for n in nodes]
    named = dict(zip(names, nodes, strict=True)) | dict(zip(sys.leaf.names, sys.leaf.nodes, strict=True))
    found = _derive(at, at.jets(named), family)
    if found.stable or found.unstable == [sp.S.true]:
        return found
    shape = shape_of(sys)
    further = [] if shape is None else shape.jets(at.values, at.point, sp.Integer(0), _not_zero)
    return _derive(at, [*at.jets(named), *further], family) if further else found


def _require_equilibria(sys: ReducedSystem, family: str, params: Mapping[str, float] | None) -> None:
    """Refuse a family that moves, judged at the member of which all symbols are one."""
    numbers = generic_parameters(sys.mechanism) | {str(k): v for k, v in (params or {}).items()}
    try:
        sys.equilibrium(family, params=numbers, **dict.fromkeys(sys.families[family].names, 1.0))
    except EquilibriumError as error:
        if error.residual is not None:  # else there is no such member, which says nothing of the others
            raise


def _not_zero(expr: sp.Expr) -> int:
    return int(expr != 0)


def _derive(at: _FamilyPoint, jets: list[Jet], family: str) -> StabilityConditions:
    sys = at.system
    assuming: list[sp.Expr] = []
    gradients = {jet.name: jet.gradient for jet in jets}
    kernel = _nullspace(list(gradients.values()), sys.nstates, assuming)
    multipliers = _multipliers(gradients, assuming)
    stable, undecided, reason, hessian, used = _hessian_conditions(at, jets, kernel, multipliers)
    polynomial = _reduced_polynomial(at.jacobian(sys.field_nodes), kernel)
    unstable, boundary = _instability(polynomial, at.collect)
    for equation in boundary:
        if equation not in undecided and sp.Eq(-equation.lhs, 0) not in undecided:
            undecided.append(equation)
    return StabilityConditions(
        stable=stable,
        unstable=unstable,
        undecided=undecided,
        assuming=list(dict.fromkeys(assuming)),
        family=family,
        system=sys.name,
        reason=reason,
        restricted_hessian=hessian,
        multipliers=used,
        characteristic_polynomial=polynomial,
        symbols=(*at.family.symbols, *(p.symbol for p in sys.mechanism.parameters)),
        family_symbols=at.family.symbols,
        kernel_labels=tuple(sys.state_labels[i] for i in _free_places(kernel)),
    )


class _FamilyPoint:
    """Derivatives evaluated at the family's symbolic point."""

    def __init__(self, sys: ReducedSystem, family: str, params: Mapping[str, float] | None) -> None:
        self.system = sys
        self.family = sys.families[family]
        self._table: dict[Node, sp.Expr] = dict(sys.symbols)
        numbers: dict[sp.Expr, sp.Expr] = {}
        for name in params or ():
            q, node = exact(sys.parameters(params)[name]), sys.assembly.parameters[name]
            number = sp.Rational(q.numerator, q.denominator)
            numbers[self._table[node]] = number
            self._table[node] = number
        for label, node in zip(sys.state_labels, sys.state_nodes, strict=True):
            self._table[node] = self.family.states.get(label, sp.Integer(0)).xreplace(numbers)
        for label, node in zip(sys.input_labels, sys.assembly.inputs, strict=True):
            self._table[node] = self.family.inputs.get(label, sp.Integer(0)).xreplace(numbers)

    @property
    def point(self) -> list[sp.Expr]:
        """The state."""
        return [self._table[node] for node in self.system.state_nodes]

    def jets(self, named: Mapping[str, Node]) -> list[Jet]:
        """First and second derivatives of named nodes."""
        gradients = self.jacobian(list(named.values()))
        return [
            Jet(name, gradient, partial(self.hessian, node))
            for (name, node), gradient in zip(named.items(), gradients, strict=True)
        ]

    def values(self, nodes: Sequence[Node]) -> list[sp.Expr]:
        """Nodes at the point, each as one cancelled fraction."""
        from geoctrl._scalars import to_sympy

        return [sp.cancel(e) for e in to_sympy(list(nodes), self._table)]

    def jacobian(self, nodes: Sequence[Node]) -> Rows:
        """First derivatives by the states at the point, one row per node."""
        n = self.system.nstates
        rows = self.system.graph.jacobian(list(nodes), self.system.state_nodes)
        flat = self.values([e for row in rows for e in row])
        return [flat[i * n : (i + 1) * n] for i in range(len(nodes))]

    def hessian(self, node: Node) -> Rows:
        """Second derivatives by the states at the point."""
        return self.jacobian(self.system.graph.gradient(node, self.system.state_nodes))

    def collect(self, expr: sp.Expr) -> sp.Expr:
        """Factors of an expression, each sorted by the family's symbols and the parameters of open sign."""
        variables = [*self.family.symbols]
        variables += [p.symbol for p in self.system.mechanism.parameters if not p.positive]
        constant, factors = sp.factor_list(expr)
        if len(factors) == 1:
            return sp.collect(sp.expand(expr), variables)
        return constant * sp.Mul(*(sp.collect(sp.expand(f), variables) ** k for f, k in factors))


def _nullspace(rows: Rows, columns: int, assuming: list[sp.Expr]) -> Rows:
    """Kernel over the rational functions, a one in each free column; pivots that may vanish are noted."""
    if not rows:
        return [[sp.Integer(int(i == j)) for j in range(columns)] for i in range(columns)]
    matrix = DomainMatrix.from_Matrix(sp.Matrix(rows)).to_field()
    reduced, pivots = matrix.rref()
    entries = reduced.to_Matrix()
    basis: Rows = []
    for j in (j for j in range(columns) if j not in pivots):
        vector = [sp.Integer(0)] * columns
        vector[j] = sp.Integer(1)
        for i, p in enumerate(pivots):
            vector[p] = sp.cancel(-entries[i, j])
            condition = positive_condition(sp.fraction(vector[p])[1] ** 2)
            if not isinstance(condition, bool):
                assuming.extend(condition[1])
        basis.append(vector)
    return basis


def _multipliers(gradients: Mapping[str, list[sp.Expr]], assuming: list[sp.Expr]) -> list[dict[str, sp.Expr]]:
    """Combinations of the functions critical at the point, the energy's coefficient one where it can be."""
    order = sorted(gradients, key=lambda name: name == "energy")
    transposed = [list(column) for column in zip(*(gradients[k] for k in order), strict=True)]
    found = _nullspace(transposed, len(order), assuming)
    return [dict(zip(order, y, strict=True)) for y in reversed(found)]


def _hessian_conditions(at: _FamilyPoint, jets: Sequence[Jet], kernel: Rows, multipliers: Sequence[dict]):
    if not multipliers:
        return [], [], "no combination of the invariants is critical at the point (no multipliers)", None, {}
    if len(multipliers) > 1:
        reason = f"{len(multipliers)} independent multipliers: certify searches their family at numbers"
        return [], [], reason, None, {}
    (y,) = multipliers
    n = at.system.nstates
    total = sp.zeros(n, n)
    for jet in jets:
        if y[jet.name] != 0:
            total += y[jet.name] * sp.Matrix(jet.hessian())
    W = sp.Matrix(kernel).T if kernel else sp.zeros(n, 0)
    R = (W.T * total * W).applyfunc(sp.cancel)
    conditions = _definite(R)
    stable, undecided = [], []
    for condition in conditions:
        if condition is True:
            continue
        if condition is False:
            return [sp.S.false], [], "the restricted Hessian is never definite", R, y
        if isinstance(condition, Boolean):
            stable.append(condition)
            continue
        found = _relations(condition, at.collect)
        stable += [r for r in found if r not in stable]
        undecided += [sp.Eq(r.lhs, r.rhs) for r in found]
    return stable or [sp.S.true], list(dict.fromkeys(undecided)), "", R, y


def _relations(condition: tuple[sp.Expr, list[sp.Expr]], collect) -> list[Boolean]:
    """Relations that hold together: the essential factor positive, those of even powers not zero."""
    essential, nonzero = condition
    strict = [] if essential == 1 else [_positive(collect(essential))]
    return strict + [sp.Ne(collect(f), 0) for f in nonzero]


def _positive(essential: sp.Expr) -> Boolean:
    """``essential > 0``, turned round where the expression starts with a minus sign."""
    return -essential < 0 if essential.could_extract_minus_sign() and essential.is_Mul else essential > 0


def _definite(R: sp.Matrix) -> list:
    """Conditions, each an expression to be positive or a Boolean, for R to be definite of either sign."""
    blocks = [[[R[i, j] for j in block] for i in block] for block in R.connected_components()]
    options = []
    for sign in (1, -1):
        conditions = []
        for block in blocks:
            for k, minor in enumerate(leading_minors(block), start=1):
                conditions.append(positive_condition(sign**k * minor))
        if False not in conditions:
            options.append([c for c in conditions if not isinstance(c, bool)])
    if not options:
        return [False]
    if len(options) == 1 or not all(options):
        return options[0] if len(options) == 1 else [True]
    return [sp.Or(*(sp.And(*(r for c in option for r in _relations(c, sp.expand))) for option in options))]


def _reduced_polynomial(A: Rows, kernel: Rows) -> list[sp.Expr]:
    """Characteristic polynomial of A on the kernel, which A maps into itself."""
    if not kernel:
        return [sp.Integer(1)]
    matrix = [
        [sp.cancel(sum(a * c for a, c in zip(A[i], w, strict=True))) for w in kernel]
        for i in _free_places(kernel)
    ]
    return [sp.factor(c) for c in sp.Matrix(matrix).charpoly().all_coeffs()]


def _free_places(kernel: Rows) -> list[int]:
    """For each kernel vector the coordinate in which it has a one and the others a zero."""
    return [
        next(i for i, c in enumerate(w) if c == 1 and all(v[i] == 0 for v in kernel if v is not w))
        for w in kernel
    ]


def _instability(polynomial: list[sp.Expr], collect) -> tuple[list, list]:
    candidates = list(polynomial[1:])
    if all(c == 0 for c in polynomial[1::2]):
        q = polynomial[::2]
        if len(q) > 2:
            x = sp.Dummy("x")
            candidates.append(sp.factor(sp.discriminant(sp.Poly(q, x), x)))
    else:
        # The first is a coefficient; the last is one times its predecessor.
        orders = range(2, len(polynomial) - 1)
        candidates += [sp.factor(hurwitz_determinant(polynomial, order)) for order in orders]
    unstable: list = []
    boundary: list = []
    for candidate in candidates:
        condition = positive_condition(-candidate) if candidate != 0 else False
        if condition is True:
            return [sp.S.true], []
        if condition is False:
            continue
        essential, nonzero = condition
        relation = sp.And(*_relations((-collect(-essential), nonzero), lambda e: e))
        if relation not in unstable:
            unstable.append(relation)
            boundary += [sp.Eq(e, 0) for e in (collect(-essential), *nonzero) if not e.is_number]
    return unstable, boundary
