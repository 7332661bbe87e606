"""Stability conditions of a declared family, in the mechanism's own symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from geoctrl._calls.budget import BUDGET, Budget
from geoctrl._calls.long_calls import long_call, under_way
from geoctrl._checks import nearest
from geoctrl._scalars import shown
from geoctrl.analysis.conditions.conditions_at_points import AtNumbers
from geoctrl.analysis.conditions.conditions_result import StabilityConditions
from geoctrl.analysis.conditions.conserved import conserved_functions
from geoctrl.analysis.conditions.criteria import Criteria
from geoctrl.analysis.conditions.falling_family import falling_energy
from geoctrl.analysis.conditions.family_point import Falling, FamilyFunctions, FamilyPoint, NotFree
from geoctrl.analysis.conditions.parameter_settings import Settings
from geoctrl.analysis.question.motion import EquationsOfMotion, relations_by_label
from geoctrl.analysis.question.shape_integrals import ShapeJet
from geoctrl.analysis.symbolic.formulas import Either, Formula
from geoctrl.analysis.symbolic.rational_functions import RationalFunction, TooLargeError
from geoctrl.analysis.symbolic.sympy_forms import Reader, consistent_conditions, size, undecided_where
from geoctrl.errors import EquilibriumError, ParameterError
from geoctrl.systems import ReducedSystem, as_system

__all__ = ["stability_conditions"]

LONG = 500
"""Terms beyond which a condition is not written out."""

_TOO_LONG = "too long to be written; evaluate() decides at numbers"


@long_call
def stability_conditions(
    sys: ReducedSystem,
    family: str,
    params: Mapping[str, Any] | None = None,
    budget: float = BUDGET,
    *,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> StabilityConditions:
    r"""Derive the conditions for stability and instability of a declared family.

    Stability where some combination of conserved functions, critical at the members, has a Hessian that is
    definite on the common kernel of their gradients (energy-Casimir; of several free multipliers some
    values must do). Or where all roots of the characteristic polynomial are left of the imaginary
    axis but for zeros that are accounted for: forced by invariants, or as many as a manifold of equilibria
    has dimensions, the family or one that is solved for (Lyapunov, Malkin): coefficients and Hurwitz
    determinants are positive. Or where the energy's rate is a sum of squares with negative factors, as under
    friction of any odd degree, and the energy with invariants has a minimum; where linear friction works on
    all velocities, for all values of the symbols, this alone decides, and a negative minor of the
    potential's Hessian is instability (Kelvin, Tait, Chetaev). Instability by a negative
    coefficient or Hurwitz determinant, or, of :math:`\chi(x) = q(x^2)` for reversible systems, by a negative
    coefficient or leading minor of the sums of powers of q's roots, of which the last is the discriminant; or
    by a drift, a motion at constant velocities, as slow as one likes, that solves the equations for all
    values of the symbols.

    All of it is computed with rational functions on the recorded equations; that the members are
    equilibria, and that what is used is conserved, is proved for all values of the symbols.

    Parameters
    ----------
    sys : ReducedSystem
    family : str
        A key of ``sys.families``.
    params : dict, optional
        Parameters set to numbers (taken as the rationals they are), to other parameters by their names
        (``{"I2": "I1"}``) or to sympy expressions in others. What is conserved only then is used.
    budget : float
        Seconds (`geoctrl._calls.budget`). What is not found by then is left out, and ``note`` says so; what
        is found is true all the same.
    progress : bool or callable
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    seconds : float, optional
        Time for the whole, of which the searches in symbols take the most; what they have then is returned.

    Returns
    -------
    StabilityConditions
        Without any where the members satisfy relations that do not give one symbol, or its square, by the
        others: ``note`` says so, and ``evaluate`` certifies what it is asked.

    Raises
    ------
    ParameterError
        For an unknown family or parameter, or parameters that are set by each other.
    CertificateError
        If there are more states than can be proved of, or a choice switches at some parameters for all
        states.
    EquilibriumError
        If the members are no equilibria of this system (of `ReducedSystem.despun`, perhaps), or the equations
        hold the time.
    DescriptionError, FrameError, ConstraintError
        If the description keeps a promise (its symmetry axis, frame or leaf) at some parameters only, and
        ``params`` does not see to it.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> print(*gc.stability_conditions(skate, "spinning").stable)
    Omega0**2*(-I2 + I3 + l**2*m) - g*l*m > 0
    >>> top = gc.models.get("heavy-top")().reduce()
    >>> print(*gc.stability_conditions(top, "sleeping", params={"I2": "I1"}).stable)
    -4*I1*g*l*m + I3**2*Omega0**2 > 0
    """
    as_system(sys, "stability_conditions", recorded=True)
    if not isinstance(family, str) or family not in sys.families:
        raise ParameterError(f"no equilibrium family {shown(family)}{nearest(family, sys.families)}")
    time = under_way().search_budget(budget)
    settings = Settings(sys, params)
    sys.judgement.require_identities(settings.numbers | settings.formulas)
    try:
        at = FamilyPoint(sys, family, settings)
    except NotFree as relations:
        return _asked_alone(sys, family, settings, f"{relations}; evaluate() decides at numbers")
    if sys.assembly.time in sys.graph.symbols(at.with_settings(sys.field_nodes)):
        raise EquilibriumError(
            "the equations of motion depend on the time explicitly: equilibria and their stability are "
            "defined without; hold the inputs at zero that bring it in, or take it out of the forces"
        )
    at.require_equilibria()
    kept = conserved_functions(at, 0.3 * time.seconds_left)
    leaf = relations_by_label(sys.leaf.names, sys.leaf.nodes)
    jets = at.jets(leaf | kept)
    falling = None
    if "energy" not in kept:
        falling = time.attempt("the sign of the energy's rate", partial(falling_energy, at), None, 0.3)
    found = _conditions_of(at, jets, time, falling)
    if found.stable or found.unstable == [sp.S.true] or found.note:
        return found
    is_driven = any(not node.is_zero for node in at.inputs.values())
    find_shape = EquationsOfMotion.of(sys).shape
    shape = None if is_driven else time.attempt("integrals over the shape", find_shape, None)
    if shape is None:
        return replace(found, note=time.note)
    further = time.attempt("integrals over the shape", lambda: at.shape_jets(shape), [])
    return _conditions_of(at, [*jets, *further], time, falling) if further else replace(found, note=time.note)


def _conditions_of(
    at: FamilyPoint, jets: Sequence[ShapeJet], time: Budget, falling: Falling | None
) -> StabilityConditions:
    f = None
    try:
        f = time.attempt(
            "the equations at the members",
            lambda: FamilyFunctions(at, jets, len(at.system.leaf.names), falling),
            None,
        )
    except TooLargeError as error:
        time.cut.append(f"the equations at the members ({error})")
    except ZeroDivisionError:
        raise EquilibriumError(
            f"the equations of motion are singular at the members of {at.name!r}"
        ) from None
    return _result(at, Criteria(f, at.system.graph.one, time), time)


def _result(at: FamilyPoint, criteria: Criteria, time: Budget) -> StabilityConditions:
    sys, family, signs = at.system, at.family, criteria.signs
    stable, unstable = (
        [t for t in tests if t.formula is not False] for tests in (criteria.stable, criteria.unstable)
    )
    free = [p for p in sys.mechanism.parameters if p.name not in at.settings.expressions]
    reader = Reader(signs.field, at.names, [*family.symbols, *(p.symbol for p in free if not p.positive)])
    one_of, growing = (signs.either(t.formula for t in tests) for tests in (stable, unstable))

    def formulas_of(part: str, what: Callable[[], list], formula: Formula) -> list:
        if size(formula) > LONG:
            time.cut.append(f"{part} of {size(formula)} terms ({_TOO_LONG})")
            return []
        return time.attempt(part, what, [])

    texts = formulas_of("conditions for stability", lambda: reader.relations(one_of), one_of)
    reason = _TOO_LONG if stable and not texts else "" if stable else criteria.reason
    if not stable:
        texts = [sp.S.false] if criteria.stable and not criteria.missing else []
    alternatives = growing.parts if isinstance(growing, Either) else () if growing is False else (growing,)
    each = [
        formulas_of("a condition for instability", partial(lambda p: [reader.relation(p, turned=True)], p), p)
        for p in alternatives
    ]
    growth = consistent_conditions([r for found in each for r in found], texts)
    presumed = dict.fromkeys(
        p
        for tests, formula in ((stable, one_of), (unstable, growing))
        for t in tests
        for p in t.presumed_besides(formula, signs)
    )
    own = {s.name for s in at.bound}
    return StabilityConditions(
        stable=texts,
        unstable=growth,
        undecided=undecided_where(texts, growth),
        assuming=[reader.collected_expression(p) for p in presumed],
        family=at.name,
        system=sys.name,
        reason=reason,
        restricted_hessian=_pencil(reader, criteria),
        multipliers=_combination(reader, criteria),
        characteristic_polynomial=time.attempt(
            "the characteristic polynomial", lambda: _product(reader, criteria), []
        ),
        symbols=(*(s for s in family.symbols if s.name not in own), *(p.symbol for p in free)),
        family_symbols=tuple(s for s in family.symbols if s.name not in own),
        kernel_labels=tuple(sys.state_labels[i] for i in criteria.free_places),
        note=time.note,
        _at=AtNumbers(
            system=sys,
            family=at.name,
            expressions=at.settings.expressions,
            bound={s.name: e for s, e in at.bound.items()},
            generators=reader.generators(),
            stable=signs.either(signs.every([t.formula, t.presumed]) for t in stable),
            unstable=signs.either(signs.every([t.formula, t.presumed]) for t in unstable),
            domain=criteria.domain,
            complete=criteria.complete,
        ),
    )


def _asked_alone(sys: ReducedSystem, family: str, settings: Settings, note: str) -> StabilityConditions:
    """No condition in symbols: what is asked at numbers is certified."""
    own = sys.families[family].symbols
    free = [p for p in sys.mechanism.parameters if p.name not in settings.expressions]
    return StabilityConditions(
        stable=[],
        unstable=[],
        undecided=[],
        assuming=[],
        family=family,
        system=sys.name,
        reason="its symbols are not free",
        restricted_hessian=None,
        multipliers={},
        characteristic_polynomial=[],
        symbols=(*own, *(p.symbol for p in free)),
        family_symbols=tuple(own),
        kernel_labels=(),
        note=note,
        _at=AtNumbers(
            system=sys,
            family=family,
            expressions=settings.expressions,
            bound={},
            generators=(),
            stable=False,
            unstable=False,
            domain=True,
            complete=False,
        ),
    )


def _product(reader: Reader, criteria: Criteria) -> list[sp.Expr]:
    """The characteristic polynomial, of those of the blocks."""
    product: list[RationalFunction] = []
    if sum(len(c.top) for p in criteria.polynomials or () for c in p) > LONG:
        return []
    for p in criteria.polynomials or ():
        longer = [reader.field.zero] * (len(product) + len(p) - 1) if product else list(p)
        for i, a in enumerate(product):
            for j, b in enumerate(p):
                longer[i + j] = longer[i + j] + a * b
        product = longer
    if not product:
        return [] if criteria.polynomials is None else [sp.Integer(1)]
    return [reader.quotient(c) for c in product] if sum(len(c.top) for c in product) <= LONG else []


def _free_multipliers(criteria: Criteria) -> list[sp.Symbol]:
    return [sp.Symbol(f"c{i}", real=True) for i in range(1, len(criteria.forms))]


def _pencil(reader: Reader, criteria: Criteria) -> sp.Matrix | None:
    """The restricted Hessian, with free multipliers where there are several."""
    if not criteria.forms:
        return None
    free = [sp.Integer(1), *_free_multipliers(criteria)]
    forms = [sp.Matrix([[reader.quotient(e) for e in row] for row in R]) for R in criteria.forms]
    return sum((c * R for c, R in zip(free[1:], forms[1:], strict=True)), forms[0])


def _combination(reader: Reader, criteria: Criteria) -> dict[str, sp.Expr]:
    """The critical combination that the restricted Hessian belongs to."""
    total: dict[str, sp.Expr] = {}
    for c, y in zip([sp.Integer(1), *_free_multipliers(criteria)], criteria.multipliers, strict=False):
        for name, q in y.items():
            total[name] = total.get(name, sp.Integer(0)) + c * reader.quotient(q)
    return total
