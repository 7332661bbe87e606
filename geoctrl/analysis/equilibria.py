"""Relative equilibria: zeros of the field on the leaf, with some coordinates held."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import long_call
from geoctrl._checks import nearest
from geoctrl._scalars import NotRationalError, exact, real, shown
from geoctrl.analysis.proofs.proof import is_exact_equilibrium
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.rest_search import Met, RestSearch
from geoctrl.errors import EquilibriumError, InputError, SingularMassError
from geoctrl.systems import Equilibrium, Seen, System, as_system
from geoctrl.systems.contract.points import Point, equilibrium_at, numbers_at, read_point
from geoctrl.systems.contract.scales import shares
from geoctrl.systems.contract.tolerances import CONVERGED, RESIDUAL, SHORT, UNIT
from geoctrl.systems.parts.angles import nearby_angle
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
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> Equilibrium:
    r"""Solve :math:`f(x, u) = 0` together with the leaf relations and :math:`x_i = c_i` for the held ones.

    Equilibria come in families, so that the system of equations is usually underdetermined and, on the
    leaf, overdetermined at once: it is solved by Gauss-Newton steps of least norm from the guess. Where no
    state is held, systems on spheres and rotations take Newton's steps of their own on the configuration.

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
    progress, seconds
        As of `certify`.

    Returns
    -------
    Equilibrium
        Unpacks as ``(x, u)``. A guess that is an exact equilibrium is kept as it is.

    Raises
    ------
    EquilibriumError
        If a held value lies outside its range on the leaf (the range is named), or nothing was found
        (with the residual reached).
    DescriptionError
        If the system has no symmetry about the spin.
    InputError, ParameterError
        For unknown labels, wrong shapes, values that are not finite.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> gc.find_equilibrium(skate, fixed={"v2": 3.0, "Gamma3": 1.0})
    Equilibrium(v1=0, v2=3, v3=0, Gamma2=0, Gamma3=1; residual 0.0e+00, leaf 0.0e+00)
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
    seen.require_steady(x, u, numbers)
    if known is not None and known.exact is not None:
        point = x, u, known.exact, known.exact_u or ()
        if np.array_equal(x, known.x) and np.array_equal(u, known.u) and _exactly(seen, numbers, point):
            return equilibrium_at(seen, point, numbers, known.name)
    rest = None if held else seen.rest_near(x, u, numbers)
    if rest is not None:
        return equilibrium_at(seen, (rest, u, None, None), numbers)
    at = _rest(seen, x, u, numbers, [i for i in range(x.size) if i not in held])
    for candidate in (_short_decimals(x, at, held), at.x):
        known_x = _exact_state(seen, candidate, held)
        point = np.array([float(q) for q in known_x]), u, known_x, tuple(exact(v) for v in u)
        if _exactly(seen, numbers, point):
            return equilibrium_at(seen, point, numbers)
    parts = shares(at.residual, at.sizes)
    if not np.max(parts) <= CONVERGED:
        worst = int(np.argmax(parts))
        names = [*(f"d/dt {label}" for label in system.state_labels), *system.leaf.relations]
        raise EquilibriumError(
            f"no equilibrium found: residual {np.max(np.abs(at.residual)):.3g} at "
            f"{states_text(system.state_labels, at.x)}, where {names[worst]} is {at.residual[worst]:.3g} "
            f"beside terms of size {at.sizes[worst]:.3g}; {_held_inputs(system)}"
            "try another guess or hold fewer states",
            float(np.max(np.abs(at.residual))),
        )
    return equilibrium_at(seen, (at.x, u, None, None), numbers)


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
        return RestSearch(seen, x, u, params, free).rest_point()
    except SingularMassError as error:
        raise EquilibriumError(f"no equilibrium found: on the way there {error}; try another guess") from None


def _held_inputs(system: Any) -> str:
    labels = ", ".join(system.input_labels)
    return f"inputs were held at zero ({labels}); " if labels else ""


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
