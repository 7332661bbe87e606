"""Relative equilibria: zeros of the field on the leaf, with some coordinates held."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import long_call
from geoctrl._checks import nearest
from geoctrl._scalars import NotRationalError, exact, real, shown
from geoctrl.analysis.proofs.proof import is_exact_equilibrium
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.rest.exact_inputs import exact_inputs
from geoctrl.analysis.rest.nearest_rest import idle_directions
from geoctrl.analysis.rest.rest_search import Met, RestSearch
from geoctrl.analysis.rest.trim import Wanted, what_is_left
from geoctrl.analysis.rest.unknowns import Unknowns
from geoctrl.errors import EquilibriumError, InputError, SingularMassError
from geoctrl.systems import Equilibrium, Seen, System, as_system
from geoctrl.systems.contract.points import Point, equilibrium_at, numbers_at, read_point
from geoctrl.systems.contract.scales import shares
from geoctrl.systems.contract.tolerances import CONVERGED, RESIDUAL, SHORT, UNIT
from geoctrl.systems.parts.angles import ExactAngle, nearby_angle, nearest_angle
from geoctrl.systems.parts.families import states_text

__all__ = ["find_equilibrium"]


@long_call
def find_equilibrium(
    sys: System,
    guess: Any = None,
    fixed: Mapping[str, float] | None = None,
    params: Mapping[str, float] | None = None,
    spin: Any = None,
    *,
    free: Sequence[str] = (),
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    near: Mapping[str, float] | None = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> Equilibrium:
    r"""Solve :math:`f(x, u) = 0` together with the leaf relations and :math:`x_i = c_i` for the held ones.

    Equilibria come in families, so that the system of equations is usually underdetermined and, on the
    leaf, overdetermined at once: it is solved by Gauss-Newton steps of least norm from the guess. Where no
    state is held, systems on spheres and rotations take Newton's steps of their own on the configuration.

    With inputs or parameters ``free`` this is trim: of all points of rest that are held, one whose states are
    next to the guess, then with these the inputs of least size,
    :math:`\min |S^{-1} u|` with :math:`f(x, u) = 0`. Inputs of one unit have one size in S.

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem or RotationSystem
    guess : Equilibrium, state ``x`` or pair ``(x, u)``, optional
        Without one, rest at the references of the advected vectors. On spheres and rotations it is needed,
        and a state may be a pair (q, omega) or (R, Omega).
    fixed : mapping of state or input label -> value, optional
        Inputs not named are held at the guess (zero without one). Where a held component of a vector of
        constant length is an extremum on the leaf (``Gamma3 = 1``), the vector's others are held at zero.
    params : dict, optional
    spin : array (3,), optional
        Rate of the axes in which the equilibrium rests: on spheres and rotations, everything then turns with
        this spatial rate (rad/s). A reduced system refuses one; it has `ReducedSystem.despun`.
    free : sequence of labels
        Inputs and parameters to be found; states that are not fixed are free as ever. Not those of ``fixed``.
    bounds : mapping of label -> (low, high), optional
        Of what is free; None for an end that is open.
    near : mapping of label -> deviation, optional
        What counts as a deviation of one where distances are measured, of states, inputs and parameters; the
        system's own sizes without (`System.scales`).
    progress, seconds
        As of `certify`.

    Returns
    -------
    Equilibrium
        Unpacks as ``(x, u)``. A guess that is an exact equilibrium is kept as it is. ``.free`` says what was
        found, ``.redundant`` along which directions of the free inputs the point stays at rest. Where the
        field is affine in the inputs they are exact at exact states; an angle is then taken to be one with
        rational sine and cosine of which the double is the one given.

    Raises
    ------
    EquilibriumError
        If a held value lies outside its range on the leaf (the range is named), or nothing was found
        (with the residual reached, what is left that nothing free can change, or the bound that is missed).
    DescriptionError
        If the system has no symmetry about the spin.
    InputError, ParameterError
        For unknown labels, wrong shapes, values that are not finite; for labels that are fixed and free, and
        bounds of what is not free.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> gc.find_equilibrium(skate, fixed={"v2": 3.0, "Gamma3": 1.0})
    Equilibrium(v1=0, v2=3, v3=0, Gamma2=0, Gamma3=1; residual 0, leaf 0)

    The force that holds a pendulum level:

    >>> import sympy as sp
    >>> phi, f = gc.Coordinate("phi", angle=True), sp.Symbol("f", real=True)
    >>> U = -3 * sp.cos(phi.symbol)
    >>> arm = gc.EulerPoincare(shape=[phi], inertia=[[2]], potential=U, forces=[f], inputs=[f])
    >>> gc.find_equilibrium(arm.reduce(), fixed={"phi": sp.pi / 2}, free=["f"]).exact_u
    (Fraction(3, 1),)
    """
    system = as_system(sys, "find_equilibrium")
    if fixed is not None and not isinstance(fixed, Mapping):
        raise TypeError(f"fixed must be a dict of label -> value, got {shown(fixed)}")
    seen = system.seen_from(spin)
    known = guess if isinstance(guess, Equilibrium) else None
    x, u = _start(seen, guess)
    numbers = numbers_at(system, known if params is None else None, params)
    x = seen.at_rest(x, numbers)
    held, held_u = _fixed_values(seen, {} if fixed is None else fixed)
    for i, value in held.items():
        x[i] = value
    for j, value in held_u.items():
        u[j] = value
    fixed_labels = {} if fixed is None else {str(k): float(v) for k, v in fixed.items()}
    wanted = Wanted(seen, free, bounds, near, fixed_labels)
    seen.require_steady(x, u, numbers)
    places = [i for i in range(x.size) if i not in held]
    if wanted.labels:
        return _point_of_trim(seen, wanted, wanted.unknowns(seen, numbers, places), x, u, fixed_labels)
    if known is not None and known.exact is not None:
        point = x, u, known.exact, known.exact_u or ()
        if np.array_equal(x, known.x) and np.array_equal(u, known.u) and _exactly(seen, numbers, point):
            return equilibrium_at(seen, point, numbers, known.name)
    rest = None if held else seen.rest_near(x, u, numbers)
    if rest is not None:
        return equilibrium_at(seen, (rest, u, None, None), numbers)
    at = _rest(seen, x, u, numbers, places)
    for candidate in _candidates(seen, x, at, held):
        if _exactly(seen, numbers, candidate):
            return equilibrium_at(seen, candidate, numbers)
    parts = shares(at.residual, at.sizes)
    if not np.max(parts) <= CONVERGED:
        worst = int(np.argmax(parts))
        raise EquilibriumError(
            f"no equilibrium found: residual {np.max(np.abs(at.residual)):.3g} at "
            f"{states_text(system.state_labels, at.x)}, where {_rows(system)[worst]} is "
            f"{at.residual[worst]:.3g} beside terms of size {at.sizes[worst]:.3g}; {_held_inputs(system)}"
            "try another guess or hold fewer states",
            float(np.max(np.abs(at.residual))),
        )
    return equilibrium_at(seen, (at.x, u, None, None), numbers)


def _point_of_trim(
    seen: Seen, wanted: Wanted, unknowns: Unknowns, x: np.ndarray, u: np.ndarray, fixed: Mapping[str, float]
) -> Equilibrium:
    """The point of rest with what was asked for, exactly where the inputs have exact values."""
    try:
        left, at = wanted.rest(unknowns, x, u)
    except SingularMassError as error:
        raise _singular_on_the_way(error) from None
    if not at.measure <= CONVERGED:
        raise what_is_left(unknowns, at, _rows(seen.system), fixed)
    held = {i: float(at.x[i]) for i in range(x.size) if i not in unknowns.states}
    sizes = unknowns.distances(at.z, at.scales)[x.size :]
    point: Point = (at.x, at.u, None, None)
    for candidate in _candidates(seen, x, at, held, turned=True):
        inputs = exact_inputs(seen, at.params, candidate, left.inputs, [sizes[j] for j in left.inputs])
        if inputs is not None:
            exactly = candidate[0], np.array([float(q) for q in inputs]), candidate[2], inputs
            if _exactly(seen, at.params, exactly):
                point = exactly
                break
    found = equilibrium_at(seen, point, at.params)
    values = {**dict(zip(seen.system.input_labels, found.u.tolist(), strict=True)), **at.params}
    free = {label: values[label] for label in wanted.labels}
    return replace(found, free=free, redundant=idle_directions(left, at))


def _candidates(
    seen: Seen, guess: np.ndarray, at: Met, held: Mapping[int, float], turned: bool = False
) -> Iterator[Point]:
    """Exact points next to one of rest, the simplest first; if turned, then with what is no double but a
    decimal, and at last with angles of rational sines in place of held ones.
    """
    for x in (_short_decimals(guess, at, held), at.x):
        known = _exact_state(seen, x, held)
        yield np.array([float(q) for q in known]), at.u, known, tuple(exact(v) for v in at.u)
    if turned:  # what follows from decimals is one, as the rate of a wheel from the speed of its axle
        short = _short_decimals(guess, at, held)
        written = [Fraction(repr(v)) for v in short.tolist()]
        decimals = tuple(
            q if i in held or isinstance(q, ExactAngle) else written[i]
            for i, q in enumerate(_exact_state(seen, short, held))
        )
        yield np.array([float(q) for q in decimals]), at.u, decimals, tuple(exact(v) for v in at.u)
    if turned and seen.angles:
        known = tuple(
            nearest_angle(float(q)) if i in seen.angles and not isinstance(q, ExactAngle) else q
            for i, q in enumerate(known)
        )
        yield np.array([float(q) for q in known]), at.u, known, tuple(exact(v) for v in at.u)


def _rows(system: System) -> list[str]:
    """Names of the rows of a residual."""
    return [*(f"d/dt {label}" for label in system.state_labels), *system.leaf.relations]


def _start(seen: Seen, guess: Any) -> tuple[np.ndarray, np.ndarray]:
    if guess is None:
        return seen.first_guess(), np.zeros(len(seen.system.input_labels))
    return read_point(seen, guess, "guess")[:2]


def _fixed_values(seen: Seen, fixed: Mapping[str, float]) -> tuple[dict[int, float], dict[int, float]]:
    states, inputs = list(seen.system.state_labels), list(seen.system.input_labels)
    held: dict[int, float] = {}
    held_u: dict[int, float] = {}
    for key, value in fixed.items():
        label = str(key)
        number = real(value, f"fixed[{label!r}]")
        if label in states:
            held[states.index(label)] = number
        elif label in inputs:
            held_u[inputs.index(label)] = number
        else:
            raise InputError(f"fixed names no state or input: {label!r}{nearest(label, [*states, *inputs])}")
    for places, length in seen.vectors():
        _hold_extremum(places, length, states, held)
    return held, held_u


def _hold_extremum(places: list[int], length: float, states: list[str], held: dict[int, float]) -> None:
    """At |component| = |vector| the other components vanish; beyond it there is no configuration."""
    for i in (i for i in places if i in held):
        if abs(held[i]) > length * (1 + UNIT):
            raise EquilibriumError(
                f"{states[i]} = {held[i]:g} is outside its range on the leaf, [{-length:g}, {length:g}]"
            )
        if abs(held[i]) >= length * (1 - UNIT):
            held.update({j: 0.0 for j in places if j != i and j not in held})


def _rest(seen: Seen, x: np.ndarray, u: np.ndarray, params: Mapping[str, float], free: list[int]) -> Met:
    """State near x that rests on the leaf as nearly as one was found; EquilibriumError on singular ways."""
    try:
        unknowns = Unknowns(seen, params, free)
        return RestSearch(unknowns, unknowns.vector(x, u)).rest_point()
    except SingularMassError as error:
        raise _singular_on_the_way(error) from None


def _singular_on_the_way(error: SingularMassError) -> EquilibriumError:
    return EquilibriumError(f"no equilibrium found: on the way there {error}; try another guess")


def _held_inputs(system: Any) -> str:
    labels = ", ".join(system.input_labels)
    return f"inputs were held at zero ({labels}), free=[...] has them found; " if labels else ""


def _short_decimals(guess: np.ndarray, at: Met, held: Mapping[int, float]) -> np.ndarray:
    """Values within rounding of a short decimal moved onto it, so that exact equilibria are recognised.

    Decimals are those of a value in units of a power of ten next to its size. What is not zero beside its
    guess does not become zero: of a free body any small spin is as much a motion as a large one.
    """
    decimals, distance = SHORT
    snapped = at.x.copy()
    for i, (value, size) in enumerate(zip(at.x.tolist(), at.scales.column.tolist(), strict=True)):
        power = round(math.log10(size))
        short = float(Decimal(repr(round(value / 10.0**power, decimals))).scaleb(power)) + 0.0
        vanishes = short == 0 and abs(value) > RESIDUAL * abs(guess[i])
        if abs(value - short) < distance * 10.0**power and not (vanishes and guess[i]):
            snapped[i] = short
    for i, number in held.items():
        snapped[i] = number
    return snapped


def _exact_state(seen: Seen, x: np.ndarray, held: Mapping[int, float]) -> tuple[Fraction, ...]:
    """The rationals that the values are; of angles, those with simple sine and cosine next to them."""
    angles = {i: nearby_angle(float(x[i])) for i in seen.angles if i not in held}
    return tuple(angles.get(i) or exact(v) for i, v in enumerate(x))


def _exactly(seen: Seen, params: Mapping[str, float], point: Point) -> bool:
    """Whether field and leaf relations are proved to vanish at a point of rationals."""
    x, u, exact_x, exact_u = point
    none = np.zeros((x.size, 0))
    given = Equilibrium(x, u, 0.0, 0.0, none, exact_x, exact_u, dict(params), spin=seen.spin)
    try:
        problem = Problem.of(seen, given)
        return problem is not None and is_exact_equilibrium(problem)
    except (NotRationalError, ZeroDivisionError):
        return False
