"""Schedules along a family, or through points that are known in numbers: what is asked for, and designs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._calls.long_calls import long_call, tell
from geoctrl._checks import entries, nearest, require_choice, whole_number
from geoctrl._scalars import exact, expression, real, shown
from geoctrl._scalars.algebra.same_expressions import are_same
from geoctrl.errors import InputError, ParameterError
from geoctrl.synthesis.linear.linear_law import LinearLaw
from geoctrl.synthesis.schedules.fitted_gains import FITS, LINEAR, POLYNOMIAL, RATIONAL, fitted_members
from geoctrl.synthesis.schedules.gain_schedule import REFERENCE, GainSchedule
from geoctrl.systems import Equilibrium, ReducedSystem, as_system
from geoctrl.systems.contract.points import declared_family

__all__ = ["schedule"]


@long_call
def schedule(
    sys: ReducedSystem,
    family: str | Sequence[Equilibrium],
    along: str,
    nodes: Sequence[float] | None = None,
    design: Callable[[Any], LinearLaw] | None = None,
    *,
    fit: str = POLYNOMIAL,
    degree: int | None = None,
    by: Any = REFERENCE,
    at: Mapping[str, float] | None = None,
    params: Mapping[str, float] | None = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> GainSchedule:
    r"""One law along a family, :math:`u = u_e(s) - K(s) (x - x_e(s))`, from designs at some of its members.

    Instead of a family there may be points that are known in numbers, as `find_equilibrium` and `follow` give
    them. Then :math:`x_e` and :math:`u_e` are fitted as well, and the equilibrium of the loop, which is next
    to :math:`x_e(s)`, is enclosed where the loop is proved.

    Parameters
    ----------
    sys : ReducedSystem
    family : str, or sequence of Equilibrium
        A declared family, with expressions for states and inputs; or points, in order.
    along : str
        A symbol of the family, s. Of points a state, an input or a parameter of the plant: s is its value
        there, and must grow from point to point.
    nodes : sequence of numbers
        Values of s at which gains are designed, in order; points are nodes themselves.
    design : callable
        Of the equilibrium there: a `LinearLaw`, as ``lambda eq: gc.lqr(sys, eq, Q=..., R=...)``.
    fit : "polynomial" | "rational" | "linear"
        What the gains are fitted by: polynomials in s; quotients with one denominator for all gains, which is
        proved to be positive over the range; or lines from node to node, which go through the designs and
        have a proof for each piece of the range. Points have lines between them with "linear", else one
        polynomial goes through all of them.
    degree : int, optional
        Of the first two; the largest that the nodes determine by default, of quotients up to 2.
    by : "reference", or an expression in the states
        With "reference" s is a parameter of the loop: where the plant is to be. An expression that is s at
        the members puts in what is measured; the loop has other eigenvalues then than at a frozen s, and is
        certified as it is. Through points it rests at single points alone, and `certify` refuses.
    at : dict, optional
        Values of the family's other symbols.
    params : dict, optional
        For the designs.
    progress, seconds
        As of `certify`.

    Returns
    -------
    GainSchedule

    Raises
    ------
    InputError, ParameterError
        For an unknown family or symbol, fewer than two nodes or nodes out of order, a design that is no law
        of this plant, another fit, a degree that the nodes do not determine or of lines, a denominator not
        positive over the range, a name that a parameter has already, and an expression that is not s at the
        family's members. For points that are not of this plant or have other parameters, along which the
        value does not grow, or with ``nodes``, ``at`` or ``params``.
    TypeError
        For anything else than a reduced system and a family's name or equilibria.

    Examples
    --------
    >>> import geoctrl as gc
    >>> furuta = gc.models.get("furuta-pendulum")().reduce()
    >>> weights = {"phi": 100, "theta_dot": 1}
    >>> law = gc.schedule(furuta, "upright", "Omega0", [0, 4, 8], lambda eq: gc.lqr(furuta, eq, Q=weights))
    >>> law.certify().stable
    1.0

    Through points:

    >>> points = [furuta.equilibrium("upright", Omega0=rate) for rate in (0, 0.5)]
    >>> law = gc.schedule(furuta, points, "theta_dot", design=lambda eq: gc.lqr(furuta, eq, Q=weights))
    >>> law.certify().verdict.value
    'PROVED_BY_CELLS'
    """
    plant = as_system(sys, "schedule", recorded=True)
    if design is None:
        raise InputError("design is needed: a law from an equilibrium, as lambda eq: gc.lqr(sys, eq, Q=...)")
    require_choice("fit", fit, FITS)
    if not isinstance(family, str):
        _require_left_out({"nodes": nodes, "at": at, "params": params})
        return _schedule_through_points(plant, family, along, design, fit, degree, by)
    declared = declared_family(plant, family)
    variable = next((s for s in declared.symbols if s.name == along), None)
    if variable is None:
        raise ParameterError(
            f"family {family!r} has no symbol {along!r}{nearest(str(along), declared.names)}"
        )
    if declared.relations:
        raise InputError(
            f"the members of {family!r} satisfy relations, and are no expressions in {along!r} alone"
        )
    others = {s.name: s for s in declared.symbols if s is not variable}
    given = {str(k): exact(v, f"at[{k!r}]") for k, v in (at or {}).items()}
    if set(given) != set(others):
        raise ParameterError(
            f"at must give the other symbols of {family!r}, {', '.join(others) or 'none'}; got "
            f"{', '.join(given) or 'none'}"
        )
    if by == REFERENCE and along in plant.params:
        raise InputError(
            f"{along!r} is a parameter of the plant already: give the family's symbol another name"
        )
    if nodes is None:
        raise InputError(f"nodes are needed: values of {along} at which gains are designed")
    values = [real(v, "a node") for v in entries("nodes", nodes)]
    if len(values) < 2 or any(b <= a for a, b in pairwise(values)):
        raise InputError(f"nodes must be two or more numbers in order, got {shown(nodes)}")
    degree = _degree(degree, fit, len(values) - 1, plant.ninputs * plant.nstates)
    numbers = {name: float(q) for name, q in given.items()}
    designed = []
    for value in values:
        tell(f"design at {along} = {value:g}")
        eq = plant.equilibrium(family, params, **{along: value, **numbers})
        designed.append((value, _gains(design, eq, plant)))
    placed = {others[name]: sp.Rational(q.numerator, q.denominator) for name, q in given.items()}
    if by != REFERENCE:
        members = {label: e.xreplace(placed) for label, e in declared.states.items()}
        by = _variable_of_state(plant, members, variable, by)
    return GainSchedule(plant, family, variable, designed, degree, by, placed, fit)


def _gains(design: Callable[[Any], LinearLaw], eq: Equilibrium, plant: ReducedSystem) -> np.ndarray:
    """Of the law that is designed at an equilibrium."""
    law = design(eq)
    if not isinstance(law, LinearLaw) or law.plant.state_labels != plant.state_labels:
        raise InputError(
            f"design must give a LinearLaw of this plant, as gc.lqr(sys, eq) does, got {shown(law)}"
        )
    return law.K


def _require_left_out(arguments: Mapping[str, Any]) -> None:
    """Refuse what is asked of families alone."""
    for name, given in arguments.items():
        if given is not None:
            raise InputError(
                f"{name}= goes with a declared family: points are nodes, at parameters of their own"
            )


def _schedule_through_points(
    plant: ReducedSystem,
    given: Any,
    along: str,
    design: Callable[..., LinearLaw],
    fit: str,
    degree: Any,
    by: Any,
) -> GainSchedule:
    """A schedule through points in numbers."""
    points = tuple(given) if isinstance(given, Sequence) else ()
    if not points or not all(isinstance(point, Equilibrium) for point in points):
        raise TypeError(
            "family must be the name of a declared family, or equilibria, as gc.find_equilibrium gives them "
            f"and gc.follow in branch.points; got {shown(given)}"
        )
    others = [{k: v for k, v in point.params.items() if k != along} for point in points]
    sizes = {(point.x.shape, point.u.shape, point.labels) for point in points}
    if sizes != {((plant.nstates,), (plant.ninputs,), tuple(plant.state_labels))}:
        raise InputError("the points must be equilibria of this plant")
    if any(numbers != others[0] for numbers in others):
        raise InputError(f"the points must have the same parameters, but for {along}")
    if any(np.any(point.spin) for point in points):
        raise InputError("the points must rest in the axes of the plant, and not in axes that turn")
    values = [_value_of(point, along, plant) for point in points]
    if len(values) < 2 or any(b <= a for a, b in pairwise(values)):
        raise InputError(
            f"{along} must grow from point to point, of which there are two or more; got {shown(values)}"
        )
    degree = _degree(degree, fit, len(values) - 1, plant.ninputs * plant.nstates)
    variable = next((p.symbol for p in plant.mechanism.parameters if p.name == along), None)
    if variable is None:
        variable = sp.Symbol(f"{along}_ref", real=True)
        if variable.name in {*plant.params, *plant.state_labels, *plant.input_labels}:
            raise InputError(
                f"{variable.name!r} is a name of the plant already, and would be that of the variable"
            )
    if by != REFERENCE:
        placed = [*zip(values, points, strict=True)]
        for part in pairwise(placed) if fit == LINEAR else [placed]:
            states, _ = fitted_members(variable, part, (plant.state_labels, plant.input_labels), fit)
            by = _variable_of_state(plant, states, variable, by)
    designed = []
    for value, eq in zip(values, points, strict=True):
        tell(f"design at {along} = {value:g}")
        designed.append((value, _gains(design, eq, plant)))
    return GainSchedule(plant, "", variable, designed, degree, by, {}, fit, points)


def _value_of(point: Equilibrium, along: str, plant: ReducedSystem) -> float:
    """Of a state, an input or a parameter at a point."""
    known = dict(zip(plant.state_labels, point.x, strict=True))
    known |= dict(zip(plant.input_labels, point.u, strict=True)) | dict(point.params)
    if along not in known:
        raise ParameterError(f"no state, input or parameter {shown(along)}{nearest(str(along), known)}")
    return float(known[along])


def _degree(given: Any, fit: str, most: int, gains: int) -> int:
    """Of the functions that gains are fitted by: what is given, or as much as the nodes determine."""
    if fit == LINEAR:
        if given is not None:
            raise InputError("fit='linear' has lines from node to node: leave degree= out")
        return 1
    if fit == RATIONAL:
        most = gains * most // (gains + 1)
    usual = most if fit == POLYNOMIAL else min(2, most)
    return usual if given is None else whole_number("degree", given, 0, most)


def _variable_of_state(
    plant: ReducedSystem, members: Mapping[str, sp.Expr], variable: sp.Symbol, by: Any
) -> sp.Expr:
    """An expression of the states that is the variable at members, which are given by label."""
    by = expression(by, "by")
    plant.expression(by)
    states = zip(plant.state_labels, plant.states, strict=True)
    there = by.xreplace({s: members.get(label, sp.S.Zero) for label, s in states})
    if there != variable and not all(are_same([there], [variable])):
        raise InputError(f"by = {by} must be {variable} at the members, and is {there} there")
    return by
