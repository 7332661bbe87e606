r"""A motion that closes under inputs that are held, by multiple shooting over all holds at once.

Unknowns are the states at the beginnings of the holds, with :math:`\varphi_h(x_k, u_k) = x_{k+1}` around the
period and the relations of the leaf: how fast motions go apart over a whole period does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from geoctrl._checks import finite_array
from geoctrl._scalars import shown
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.errors import EquilibriumError, GeoctrlError, InputError
from geoctrl.simulation.derivatives.flow_derivative import FlowVariations
from geoctrl.synthesis.periodic.recorded_states import RecordedStates

__all__ = ["HeldPlant", "HeldReference", "held_reference", "reference_of_numbers"]

_STEPS, _CLOSED, _RANK, _EVEN = 30, 1e-11, 1e-10, 1e-9
"""Newton's steps at most; the defect, in sizes of states, that counts as none; the part of the largest
singular value below which the equations say nothing; how far times of even steps may be off, relative."""
_NEAR, _RETURN, _SAME = 0.25, 0.05, 1e-8
"""How far from the given states, as a part of their extent, the motion may be that is found from them; and
how far the last of these from the first; the defect of a motion that was found before,
and the extent of a state that rests, in sizes of states."""


@dataclass(frozen=True, eq=False)
class HeldPlant:
    """A system under held inputs, in its recorded equations.

    Attributes
    ----------
    change : RecordedStates
        Between the states of the system as it is given and these.
    params : dict
        All parameters by name.
    hold : float
        h (s).
    """

    change: RecordedStates
    params: dict[str, float]
    hold: float

    @property
    def system(self) -> Any:
        """The recorded equations."""
        return self.change.system

    @cached_property
    def _flow(self) -> FlowVariations:
        still = np.zeros(len(self.system.input_labels))
        return FlowVariations(self.system, still, self.params, by_inputs=True)

    def step(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """State (n,) after a hold, its derivatives (n, n) by the state and (n, m) by the input."""
        end, derivative = self._flow(x, self.hold, u=u)
        return end, derivative[:, : len(x)], derivative[:, len(x) :]

    def leaf(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Relations of the leaf at a state, and their gradients."""
        seen = self.system.seen_from(None)
        gradients = seen.leaf_gradient(x, self.params).reshape(-1, len(x))
        return np.ravel(self.system.leaf_residual(x, self.params)), gradients


@dataclass(frozen=True, eq=False)
class HeldReference:
    """A motion that closes after some holds.

    Attributes
    ----------
    plant : HeldPlant
    states : ndarray (N, n)
        At the beginnings of the holds.
    inputs : ndarray (N, m)
    sizes : ndarray (n,)
        Of the states along it, powers of two.
    """

    plant: HeldPlant
    states: np.ndarray
    inputs: np.ndarray
    sizes: np.ndarray


def held_reference(system: Any, given: Any, holds: int, params: Mapping[str, float]) -> HeldReference:
    """The motion that is given as a `PeriodicOrbit`, or as (times, states, inputs)."""
    change = RecordedStates.of(system, params)
    orbit = hasattr(given, "period") and hasattr(given, "monodromy")
    period, states, inputs = (_of_orbit if orbit else _of_samples)(change, given, holds)
    plant, free = HeldPlant(change, dict(params), period / holds), inputs is None
    if inputs is None:
        inputs = _inverse_dynamics(plant, states)
        states = states[:-1]
    sizes = _sizes(plant, states, inputs)
    return HeldReference(plant, *_closing_motion(plant, states, inputs, sizes, free), sizes)


def reference_of_numbers(plant: HeldPlant, states: np.ndarray, inputs: np.ndarray) -> HeldReference:
    """The motion that is known by its numbers; EquilibriumError where they are none of this plant."""
    sizes = _sizes(plant, states, inputs)
    residual, *_, defects = _equations(plant, states, inputs, sizes)
    if not np.max(np.abs(residual)) <= _SAME:
        raise EquilibriumError(_words(defects))
    return HeldReference(plant, states, inputs, sizes)


def _sizes(plant: HeldPlant, states: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Of the states along a motion, powers of two."""
    scales = plant.system.seen_from(None).scales(states[0], inputs[0], plant.params).column
    return binary(np.maximum(scales, np.max(np.abs(states), axis=0)))


def _of_orbit(change: RecordedStates, orbit: Any, holds: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Period, states and inputs of an orbit that closes by itself."""
    system = change.system
    n, m = system.nstates, len(system.input_labels)
    if tuple(orbit.system.state_labels) != tuple(system.state_labels) or orbit.u.shape != (m,):
        raise InputError(
            f"the orbit is one of {orbit.system.name or 'another system'}, with the states "
            f"{', '.join(orbit.system.state_labels)}: take the orbit of the system that the law is for (on a "
            "manifold that of its recorded equations, find_periodic(sys.reduced, ...))"
        )
    if dict(orbit.params) != dict(change.params):
        raise InputError("the orbit has other parameters: find it with those of the law")
    if orbit.winding or orbit.angle is not None or not np.array_equal(orbit.S, np.eye(n)):
        raise InputError(
            "the orbit closes up to a symmetry or whole turns: a law along it needs states that come back; "
            "describe what goes round as a direction, or take so many periods as lead back"
        )
    plant = HeldPlant(change, dict(change.params), orbit.period / holds)
    states = [np.asarray(orbit.x, dtype=float)]
    for _ in range(holds - 1):
        states.append(plant.step(states[-1], orbit.u)[0])
    return float(orbit.period), np.array(states), np.tile(orbit.u, (holds, 1))


def _of_samples(
    change: RecordedStates, given: Any, holds: int
) -> tuple[float, np.ndarray, np.ndarray | None]:
    """Period, states and inputs at the beginnings of the holds, of arrays over a period; with no inputs also
    the state at its end.
    """
    system = change.plant
    n, m = system.nstates, len(system.input_labels)
    if not isinstance(given, tuple | list) or len(given) != 3:
        raise InputError(
            "with holds= lqr takes a motion that repeats: the orbit of find_periodic, or (times, states, "
            f"inputs) over one period; got {shown(given)}"
        )
    times = finite_array("times", given[0])
    if times.ndim != 1 or len(times) < 2 or not np.all(np.diff(times) > 0):
        raise InputError("times must increase, from the beginning of a period to its end (s)")
    if (len(times) - 1) % holds:
        raise InputError(
            f"holds={holds} does not divide the times, {len(times) - 1} steps: a hold begins at a time; give "
            f"k*{holds} + 1 times, both ends of the period among them"
        )
    period = float(times[-1] - times[0])
    apart = np.abs(np.diff(times) * (len(times) - 1) / period - 1)
    if np.max(apart) > _EVEN * len(times):
        raise InputError("times must be evenly spaced: all holds have one length")
    packed = system.pack(given[1]) if isinstance(given[1], Mapping) and not system.recorded else given[1]
    wanted = finite_array("states", packed, (n, len(times)))[:, :: (len(times) - 1) // holds].T
    _require_return(system, wanted)
    states = np.array([change.recording_state(system.start(x, change.params)) for x in wanted])
    if given[2] is None:
        return period, states, None
    inputs = finite_array("inputs", given[2])
    if inputs.shape != (m, holds):
        raise InputError(
            f"inputs must be ({m}, {holds}), one column for each hold, or None for those that the states ask "
            f"for; got {inputs.shape}"
        )
    return period, states[:-1], inputs.T


def _require_return(system: Any, states: np.ndarray) -> None:
    """Refuse states of which the last is another than the first."""
    extent = np.max(np.abs(states), axis=0)
    apart = np.abs(states[-1] - states[0])
    worst = int(np.argmax(np.where(extent > 0, apart / np.where(extent > 0, extent, 1.0), 0.0)))
    if apart[worst] > _RETURN * extent[worst]:
        raise InputError(
            f"the motion does not close: {system.state_labels[worst]} is {states[0][worst]:.6g} at the "
            f"beginning and {states[-1][worst]:.6g} at the end; times are those of one period, ends included"
        )


def _inverse_dynamics(plant: HeldPlant, states: np.ndarray) -> np.ndarray:
    """Inputs (N, m) that lead over each hold to the state after it, as near as they can."""
    inputs = np.zeros((len(states) - 1, len(plant.system.input_labels)))
    scales = plant.system.seen_from(None).scales(states[0], inputs[0], plant.params).column
    sizes = np.maximum(np.max(np.abs(states), axis=0), scales)
    for k, (x, wanted) in enumerate(pairwise(states)):
        for _ in range(_STEPS):
            end, _, by_input = plant.step(x, inputs[k])
            change = np.linalg.lstsq(by_input / sizes[:, None], (wanted - end) / sizes, rcond=_RANK)[0]
            inputs[k] += change
            if np.max(np.abs(by_input @ change) / sizes, initial=0.0) < _CLOSED:
                break
        if k + 1 < len(inputs):
            inputs[k + 1] = inputs[k]
    return inputs


def _closing_motion(
    plant: HeldPlant, given: np.ndarray, inputs: np.ndarray, sizes: np.ndarray, free: bool
) -> tuple[np.ndarray, np.ndarray]:
    """States (N, k) and inputs (N, m) of the motion that closes next to the given one: under these inputs, or
    with as small a change of both as it takes, where these are free.
    """
    x, u, first = given.copy(), inputs.copy(), None
    for _ in range(_STEPS):
        try:
            residual, by_states, by_inputs, ends = _equations(plant, x, u, sizes)
        except (GeoctrlError, ArithmeticError, ValueError) as error:
            raise EquilibriumError(f"{_words(first)}: {error}") from None
        first = ends if first is None else first
        # An input counts as one where it moves a state by its size in a hold.
        reach = np.max(np.abs(by_inputs.reshape(-1, *u.shape)), axis=(0, 1)) if free else np.ones(u.shape[1])
        unit = np.tile(1 / np.where(reach > 0, reach, 1.0), len(u))
        J = np.hstack([by_states, by_inputs * unit]) if free else by_states
        step = np.linalg.lstsq(J, -residual, rcond=_RANK)[0]
        x = x + step[: x.size].reshape(x.shape) * sizes
        u = u + (step[x.size :] * unit).reshape(u.shape) if free else u
        if np.max(np.abs(residual)) <= _CLOSED:
            break
    else:
        raise EquilibriumError(_words(first))
    labels, there, wanted = plant.change.plant.state_labels, *map(plant.change.plant_states, (x, given))
    extent, unit = plant.change.extent(given), plant.change.sizes(sizes)
    # What rests, but for rounding, has no extent to compare with.
    away = np.abs(there - wanted) / np.where(extent > _SAME * unit, extent, unit)
    if np.max(away) > _NEAR:
        k, i = np.unravel_index(int(np.argmax(away)), away.shape)
        raise EquilibriumError(
            f"the states are no motion under these inputs: the one that closes next to them has "
            f"{labels[i]} = {there[k, i]:.6g} at the beginning of hold {k}, where "
            f"{wanted[k, i]:.6g} was given; {_words(first)}"
        )
    return x, u


def _words(defects: np.ndarray | None) -> str:
    """What is off at the given states."""
    if defects is None:
        return "the motion that is given cannot be followed"
    k = int(np.argmax(defects))
    return (
        f"no motion was found that closes: from the state at the beginning of hold {k} the plant comes to "
        f"{defects[k]:.3g} (in sizes of the states) beside the next one; give inputs that lead along the "
        "states, or None for those that they ask for"
    )


def _equations(
    plant: HeldPlant, x: np.ndarray, inputs: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Residuals in sizes of states, with those of the leaf; their derivatives by states over their sizes, and
    by the inputs; the largest of each hold.
    """
    (N, n), m = x.shape, inputs.shape[1]
    rows, columns, residuals, more, relations = np.zeros((N * n, N * n)), np.zeros((N * n, N * m)), [], [], []
    for k in range(N):
        end, Phi, by_input = plant.step(x[k], inputs[k])
        here, there = slice(n * k, n * k + n), (k + 1) % N
        residuals.append((end - x[there]) / sizes)
        rows[here, here] += Phi * sizes / sizes[:, None]
        rows[here, n * there : n * there + n] -= np.eye(n)
        columns[here, m * k : m * k + m] = by_input / sizes[:, None]
        values, gradients = plant.leaf(x[k])
        length = np.linalg.norm(gradients * sizes, axis=1)
        block = np.zeros((len(values), N * n))
        block[:, here] = gradients * sizes / length[:, None]
        more.append(block)
        relations.append(values / length)
    defects = np.max(np.abs(residuals), axis=1)
    still = np.zeros((sum(map(len, relations)), N * m))
    by_states, by_inputs = np.vstack([rows, *more]), np.vstack([columns, still])
    return np.concatenate([*residuals, *relations]), by_states, by_inputs, defects
