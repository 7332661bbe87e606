"""Trim: states, inputs and parameters at which a system rests, those that are asked for free."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._checks import entries, nearest
from geoctrl._scalars import real, shown
from geoctrl.analysis.rest.bounded_rest import bounded_rest
from geoctrl.analysis.rest.nearest_rest import least_inputs, nearest_rest
from geoctrl.analysis.rest.rest_search import Met, RestSearch
from geoctrl.analysis.rest.unknowns import Unknowns
from geoctrl.errors import EquilibriumError, InputError
from geoctrl.systems import Seen
from geoctrl.systems.contract.tolerances import CONVERGED, KERNEL

__all__ = ["Wanted", "what_is_left"]


class Wanted:
    """What may be found beside the states: the arguments ``free``, ``bounds`` and ``near``, read.

    Labels that are unknown, held or not free are refused, as are bounds and deviations that are none.
    """

    def __init__(self, seen: Seen, free: Any, bounds: Any, near: Any, held: Iterable[str]) -> None:
        system, held = seen.system, set(held)
        self.states, inputs = list(system.state_labels), list(system.input_labels)
        known = [*self.states, *inputs, *system.params]
        asked = [free] if isinstance(free, str) else entries("free", free)
        self.labels = [str(label) for label in asked]
        for label in self.labels:
            if label in self.states:
                raise InputError(
                    f"free names the state {label!r}: states that are not fixed are free as ever"
                )
            if label not in known:
                raise InputError(f"free names no input or parameter: {label!r}{nearest(label, known)}")
            if label in held:
                raise InputError(f"{label!r} is both fixed and free")
            if label in seen.varying_inputs(np.zeros(len(inputs))):
                raise InputError(f"what {label!r} does holds the time: it holds no point at rest")
        self.inputs = [j for j, label in enumerate(inputs) if label in self.labels]
        self.parameters = [name for name in system.params if name in self.labels]
        self.places = {label: i for i, label in enumerate([*self.states, *inputs, *self.parameters])}
        movable = {*self.labels, *(label for label in self.states if label not in held)}
        self.bounds = {
            self.places[label]: _bounds(label, pair)
            for label, pair in _by_label("bounds", bounds, movable, "is not free").items()
        }
        self.near = {
            self.places[label]: _deviation(label, size)
            for label, size in _by_label("near", near, set(self.places), "is none of this system").items()
        }

    def unknowns(self, seen: Seen, params: Mapping[str, Any], states: Sequence[int]) -> Unknowns:
        """What the search may change; InputError for a parameter that is zero and has no size."""
        for name in self.parameters:
            if params[name] is None or (not params[name] and self.places[name] not in self.near):
                raise InputError(
                    f"the parameter {name!r} starts from zero, which has no size: give near={{{name!r}: "
                    "deviation}} or another start by params="
                )
        return Unknowns(seen, params, states, self.inputs, self.parameters, self.near)

    def rest(self, unknowns: Unknowns, x: np.ndarray, u: np.ndarray) -> tuple[Unknowns, Met]:
        """A point of rest with what was free of it, states next to the guess and least inputs; where there is
        none, the best point met.
        """
        guess = unknowns.vector(x, u)
        at = _rest_from(unknowns, guess, guess)
        if not self.bounds or not at.measure <= CONVERGED:
            return unknowns, at
        return bounded_rest(unknowns, at, guess, self.bounds, lambda of, z: _rest_from(of, z, guess))


def _rest_from(unknowns: Unknowns, z: np.ndarray, guess: np.ndarray) -> Met:
    alone = unknowns.with_inputs_alone()
    at = RestSearch(alone, z).rest_point()  # what holds the guess itself, or nearly
    if not at.measure <= CONVERGED:
        found = [RestSearch(unknowns, start).rest_point() for start in (at.z, z)]
        at = min(found, key=lambda met: met.measure)
    if not at.measure <= CONVERGED:
        return at
    return least_inputs(unknowns, nearest_rest(unknowns, at, guess))


def _by_label(what: str, given: Any, allowed: set[str], otherwise: str) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} must be a dict by label, got {shown(given)}")
    for label in given:
        if str(label) not in allowed:
            raise InputError(
                f"{what} names {label!r}, which {otherwise}{nearest(str(label), sorted(allowed))}"
            )
    return {str(label): value for label, value in given.items()}


def _bounds(label: str, pair: Any) -> tuple[float, float]:
    ends = entries(f"bounds[{label!r}]", pair)
    if len(ends) != 2:
        raise InputError(f"bounds[{label!r}] must be (low, high), got {shown(pair)}")
    low, high = (
        sign * math.inf if q is None else real(q, f"bounds[{label!r}]")
        for sign, q in zip((-1, 1), ends, strict=True)
    )
    if not low < high:
        raise InputError(f"bounds[{label!r}]: the low one, {low:g}, must be below the high one, {high:g}")
    return low, high


def _deviation(label: str, value: Any) -> float:
    size = real(value, f"near[{label!r}]")
    if not size > 0:
        raise InputError(f"near[{label!r}] must be a positive deviation, got {size:g}")
    return size


def what_is_left(
    unknowns: Unknowns, at: Met, names: Sequence[str], fixed: Mapping[str, float]
) -> EquilibriumError:
    """The refusal where no rest was found: the row that nothing free can change, and what could.

    Parameters
    ----------
    names : of the rows of the residual
    fixed : label -> value, as given
    """
    rows, z = at.rows, at.z
    slopes = unknowns.slopes(z) * at.units[unknowns.free] / rows[:, None]
    left, values, _ = np.linalg.svd(slopes)
    rank = int(np.sum(values > KERNEL * np.max(values, initial=0.0)))
    residual = at.residual / rows
    stuck = left[:, rank:] @ (left[:, rank:].T @ residual)
    size = float(np.max(np.abs(at.residual)))
    head = "no equilibrium found"
    if fixed:
        head = f"no equilibrium with {', '.join(f'{k} = {v:g}' for k, v in fixed.items())}"
    # In part only: steps that end elsewhere leave a residual within reach.
    if not np.linalg.norm(stuck) > 0.5 * np.linalg.norm(residual):
        return EquilibriumError(f"{head}: residual {size:.3g}; try another guess", size)
    worst = int(np.argmax(np.abs(stuck)))
    every = Unknowns(unknowns.seen, at.params, (), range(len(at.u)))
    reach = (
        np.abs(stuck @ (every.slopes(z[: len(at.x) + len(at.u)]) / rows[:, None]))
        * at.units[len(at.x) :][: len(at.u)]
    )
    inputs = unknowns.labels[len(at.x) :][: len(at.u)]
    others = [
        label
        for j, label in enumerate(inputs)
        if j not in unknowns.inputs and reach[j] > KERNEL * float(np.linalg.norm(stuck))
    ]
    free = ", ".join(unknowns.labels[i] for i in unknowns.free if i >= len(at.x)) or "nothing free"
    remedy = f"free one of {', '.join(others)}" if others else "hold fewer states"
    return EquilibriumError(
        f"{head}: {names[worst]} = {at.residual[worst]:.4g} is left, which {free} cannot change "
        f"(rank {rank} of {len(rows)}); {remedy}",
        size,
    )
