"""Stability conditions of a declared family, in the mechanism's own symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import sympy as sp
from sympy.logic.boolalg import Boolean

from geoctrl._checks import named_parameters, nearest
from geoctrl._scalars import Node, exact, shown
from geoctrl._scalars.budget import BUDGET, Budget
from geoctrl.analysis.criteria import (
    HessianConditions,
    free_places,
    hessian_conditions,
    instability,
    multipliers,
    not_contradicted,
    nullspace,
    reduced_polynomial,
    undecided_where,
)
from geoctrl.analysis.factors import cancelled
from geoctrl.analysis.invariants import check_invariant
from geoctrl.analysis.shape import Jet, shape_of
from geoctrl.analysis.signs import solve_inequality
from geoctrl.errors import EquilibriumError, ParameterError
from geoctrl.systems import ReducedSystem, as_system
from geoctrl.systems.decimals import readable
from geoctrl.systems.notebook import displayed, rows, words
from geoctrl.systems.typesetting import Typesetter

__all__ = ["StabilityConditions", "stability_conditions"]

Rows = list[list[sp.Expr]]

_PRINTING = 5.0
"""Seconds for solving one condition for one symbol where it is printed."""


@dataclass(frozen=True)
class StabilityConditions:
    """Conditions under which a family is proved stable, or proved unstable.

    Attributes
    ----------
    stable : list of relations
        Where all hold, the restricted Hessian of the energy-Casimir function is definite: stable within
        the leaf. ``[False]`` where it never is.
    unstable : list of relations
        Each one suffices for an eigenvalue with a positive real part. Empty where the family is stable
        throughout.
    undecided : list of relations
        Where all hold, neither test decides: what is in neither of the two others. Empty where there is no
        such place, ``[True]`` where it is everywhere. What ``assuming`` excludes is undecided besides.
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
    note : str
        What the time budget left unfinished, if anything: what is given is true, more may be.
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
    note: str = ""

    def solve_for(self, name: str | sp.Symbol, unstable: bool = False, budget: float = BUDGET) -> Boolean:
        """The conditions for stability (or instability) solved for one symbol.

        Parameters
        ----------
        name : str or sympy.Symbol
        unstable : bool
            Solve the alternatives for instability instead.
        budget : float
            Seconds; relations that are not solved by then are returned as they are.

        Raises
        ------
        ParameterError
            If no such symbol occurs in the system, or the budget is not positive.
        """
        known = {s.name: s for s in self.symbols}
        if str(name) not in known:
            raise ParameterError(f"no symbol {str(name)!r}{nearest(str(name), known)}")
        symbol, time = known[str(name)], Budget(budget)
        solved = [
            time.attempt(str(r), partial(_solve_relation, r, symbol), r)
            for r in (self.unstable if unstable else self.stable)
        ]
        if unstable:
            return sp.Or(*solved)
        return sp.And(*solved) if solved else sp.S.false

    def latex(self, unstable: bool = False) -> str:
        """The conditions for stability, or the alternatives for instability, in LaTeX."""
        parameters = [s for s in self.symbols if s not in self.family_symbols]
        order = [*parameters, *self.family_symbols]
        relation = Typesetter(order, self.family_symbols, fixed=parameters).relation
        shown = [relation(readable(r)) for r in (self.unstable if unstable else self.stable)]
        return rf" \quad\text{{{'or' if unstable else 'and'}}}\quad ".join(shown)

    def _repr_latex_(self) -> str:
        def sides(_: float) -> str:
            title = words(f"{self.family!r} of {self.system}:")
            stable = self.latex() or words(f"- ({self.reason})")
            unstable = self.latex(unstable=True) or words("-")
            said = (rf"\text{{stable if }}\quad {stable}", rf"\text{{unstable if }}\quad {unstable}")
            return rows([title, *said, words(self.note)])

        return displayed(sides)

    def __str__(self) -> str:
        lines = [f"{self.family!r} of {self.system}", "  stable (within the leaf) if"]
        lines += [f"    {_plain(r)}" for r in self.stable] or [f"    - ({self.reason})"]
        for symbol in self.family_symbols:
            if any(hasattr(r, "has") and r.has(symbol) for r in self.stable):
                lines.append(f"    solved for {symbol}: {_plain(self.solve_for(symbol, budget=_PRINTING))}")
        lines += ["  unstable if one of"]
        lines += [f"    {_plain(r)}" for r in self.unstable] or ["    -"]
        if self.undecided:
            lines += ["  undecided where", *(f"    {_plain(r)}" for r in self.undecided)]
        if self.assuming:
            lines += ["  assuming nonzero", *(f"    {_plain(e)}" for e in self.assuming)]
        if self.note:
            lines += [f"  {self.note}"]
        return "\n".join(lines)


def _plain(condition: sp.Basic) -> str:
    """A condition or expression in one line of words and signs, long rationals as decimals."""
    if isinstance(condition, (sp.And, sp.Or)):
        word = " and " if isinstance(condition, sp.And) else " or "
        parts = sorted(condition.args, key=sp.default_sort_key)
        return word.join(f"({_plain(p)})" if isinstance(p, (sp.And, sp.Or)) else _plain(p) for p in parts)
    if isinstance(condition, (sp.Eq, sp.Ne)):
        sign = "=" if isinstance(condition, sp.Eq) else "!="
        shown = readable(condition)
        return f"{sp.sstr(shown.lhs, full_prec=False)} {sign} {sp.sstr(shown.rhs, full_prec=False)}"
    return sp.sstr(readable(condition), full_prec=False)


def _solve_relation(relation: Boolean, symbol: sp.Symbol) -> Boolean:
    if relation in (sp.S.true, sp.S.false) or isinstance(relation, (sp.Ne, sp.Eq)):
        return relation
    if isinstance(relation, (sp.And, sp.Or)):
        return relation.func(*(_solve_relation(r, symbol) for r in relation.args))
    sign = 1 if relation.func in (sp.StrictGreaterThan, sp.GreaterThan) else -1
    return solve_inequality(sign * (relation.lhs - relation.rhs), symbol)


def stability_conditions(
    sys: ReducedSystem,
    family: str,
    params: Mapping[str, float] | None = None,
    budget: float = BUDGET,
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
    budget : float
        Seconds (`geoctrl._scalars.budget`). What is not found by then is left out, and ``note`` says so; what
        is found is true all the same.

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
    as_system(sys, "stability_conditions", recorded=True)
    if not isinstance(family, str) or family not in sys.families:
        raise ParameterError(f"no equilibrium family {shown(family)}{nearest(family, sys.families)}")
    time = Budget(budget)
    sys.judgement.require_identities(named_parameters(params))
    _require_free_symbols(sys, family, params)
    _require_equilibria(sys, family, params)
    at = _FamilyPoint(sys, family, params)
    names = [name for name in sys.candidate_invariants if _is_proved(sys, name, params, time)]
    nodes = [sys.candidate_invariants[k] for k in names]
    nodes = [n if isinstance(n, Node) else sys.expression(n) for n in nodes]
    named = dict(zip(names, nodes, strict=True)) | dict(zip(sys.leaf.names, sys.leaf.nodes, strict=True))
    found = _derive(at, lambda: at.jets(named), family, time)
    if found.stable or found.unstable == [sp.S.true] or found.note:
        return found
    shape = time.attempt("integrals over the shape", lambda: shape_of(sys), None)
    if shape is None:
        return replace(found, note=time.note)
    more = partial(shape.jets, at.values, at.point, sp.Integer(0), _not_zero)
    further = time.attempt("integrals over the shape", more, [])
    return (
        _derive(at, lambda: [*at.jets(named), *further], family, time)
        if further
        else replace(found, note=time.note)
    )


def _is_proved(sys: ReducedSystem, name: str, params: Mapping[str, float] | None, time: Budget) -> bool:
    """Whether an invariant is proved in time; one that is not used makes nothing that follows less true."""
    return time.attempt(
        f"a proof of {name!r}", lambda: check_invariant(sys, name, params).proved, False, share=0.3
    )


def _require_free_symbols(sys: ReducedSystem, family: str, params: Mapping[str, float] | None) -> None:
    """Refuse relations between symbols that conditions would not know of; a sense of +-1 is none of these."""
    symbols = {p.name: p.symbol for p in sys.mechanism.parameters}
    given = {symbols[k]: exact(v) for k, v in named_parameters(params).items()}
    numbers = {s: sp.Rational(q.numerator, q.denominator) for s, q in given.items()}
    for relation in sys.families[family].relations:
        left = sp.expand(relation.xreplace(numbers))
        if left != 0 and not any(left == s**2 - 1 for s in sys.families[family].symbols):
            raise EquilibriumError(
                f"members of {family!r} satisfy {relation} = 0, and conditions in symbols would take them as "
                "free; give numbers that satisfy it whatever the symbols are, or certify members"
            )


def _require_equilibria(sys: ReducedSystem, family: str, params: Mapping[str, float] | None) -> None:
    """Refuse a family that moves, judged at the member of which all symbols are one."""
    numbers = sys.mechanism.generic | named_parameters(params)
    try:
        sys.equilibrium(family, params=numbers, **dict.fromkeys(sys.families[family].names, 1.0))
    except EquilibriumError as error:
        if error.residual is not None:  # else there is no such member, which says nothing of the others
            raise


def _not_zero(expr: sp.Expr) -> int:
    return int(expr != 0)


def _derive(
    at: _FamilyPoint, jets: Callable[[], list[Jet]], family: str, time: Budget
) -> StabilityConditions:
    sys = at.system
    assuming: list[sp.Expr] = []
    hessian = HessianConditions([], "the time given did not suffice")
    polynomial: list[sp.Expr] = []
    unstable: list = []
    kernel: Rows = []
    given = time.attempt("the gradients of the invariants", jets, None)
    if given is not None:
        gradients = {jet.name: jet.gradient for jet in given}
        found = time.attempt(
            "their common kernel", lambda: nullspace(list(gradients.values()), sys.nstates, assuming), None
        )
        if found is not None:
            kernel = found
            # Half of the time for each side of the question.
            polynomial = time.attempt(
                "the characteristic polynomial",
                lambda: reduced_polynomial(at.jacobian(sys.field_nodes), kernel),
                [],
                0.3,
            )
            unstable = time.attempt(
                "conditions for instability", lambda: instability(polynomial, at.collect), [], 0.3
            )
            hessian = time.attempt(
                "conditions for stability",
                lambda: hessian_conditions(given, kernel, multipliers(gradients, assuming), at.collect),
                hessian,
            )
    unstable = not_contradicted(unstable, hessian.stable)
    return StabilityConditions(
        stable=hessian.stable,
        unstable=unstable,
        undecided=undecided_where(hessian.stable, unstable),
        assuming=list(dict.fromkeys(assuming)),
        family=family,
        system=sys.name,
        reason=hessian.reason,
        restricted_hessian=hessian.form,
        multipliers=hessian.multipliers,
        characteristic_polynomial=polynomial,
        symbols=(*at.family.symbols, *(p.symbol for p in sys.mechanism.parameters)),
        family_symbols=at.family.symbols,
        kernel_labels=tuple(sys.state_labels[i] for i in free_places(kernel)),
        note=time.note,
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

        return [cancelled(e) for e in to_sympy(list(nodes), self._table)]

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
