"""Imperfections of a loop: what is changed, over which values, and what a run with it does not meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from geoctrl.errors import InputError
from geoctrl.sampling import SampledController
from geoctrl.simulation.run import simulate
from geoctrl.systems import EulerPoincare, Friction, Parameter, System
from geoctrl.systems.rotor_velocities import with_rotor_velocities
from geoctrl.systems.states.tilted_system import tilted_states
from geoctrl.trials.shared import Shared

__all__ = ["CHECKS", "UPSIDE_DOWN", "Case", "Trial", "at_the_end", "driven_velocities", "mechanism_of"]

_SEEDS = 5
"""Blocks of noise of each trial, the worst of which counts."""

_ALL_CORNERS = 6
UPSIDE_DOWN = 3.1
"""Largest tilt that is tried, rad."""
_DRAWN = 64
"""Corners drawn where there are more parameters than these."""

_LAST = 0.1
"""Part of a run at its end over which it has to have come back."""
_RUBBING = "robustness_friction"
"""Parameter of the plant with friction."""
_FRICTIONS = 1e-3, 1e3
"""Coefficients that are tried, over inertia and duration of the run."""
_NOISES = 1e-5, 10.0
"""Noise that is tried, in the size of the signals."""


def at_the_end(times: np.ndarray) -> np.ndarray:
    """Which samples of a run are those over which it has to have come back."""
    return times >= times[-1] - _LAST * (times[-1] - times[0])


@dataclass(frozen=True, eq=False)
class Case:
    """What all runs of a report share."""

    plant: System
    controller: SampledController
    x0: Any
    times: np.ndarray
    params: Mapping[str, float]
    stays: Mapping[str, tuple[float, float]]
    returns: Mapping[str, tuple[Any, Any]]
    """Bounds over the end of the run: numbers, or one for each of its samples."""
    uncertain: tuple[str, ...]
    rubbing: tuple[str, ...]
    seed: int
    limits: Shared
    """About the largest torques of the run without imperfections."""
    noises: Shared
    """About the signals that are measured."""

    def fault(
        self,
        controller: SampledController,
        params: Mapping[str, float] | None = None,
        plant: System | None = None,
        x0: Any = None,
    ) -> str:
        """The criterion that a run does not meet, "" where it meets all."""
        run = simulate(
            self.plant if plant is None else plant,
            self.times,
            self.x0 if x0 is None else x0,
            params={**self.params, **(params or {})},
            controller=controller,
            throw=False,
        )
        if not run.success:
            return run.status
        last = at_the_end(self.times)
        for words, bounds, when in (
            ("leaves", self.stays, slice(None)),
            ("does not return to", self.returns, last),
        ):
            for label, (low, high) in bounds.items():
                values = run[label][when]
                is_out = ~((low <= values) & (values <= high))
                if is_out.any():
                    k, unit = int(np.argmax(is_out)), self.units.get(label, "")
                    least, most = (np.broadcast_to(bound, values.shape)[k] for bound in (low, high))
                    return f"{label} {words} [{least:g}, {most:g}] {unit}".rstrip()
        return ""

    @cached_property
    def units(self) -> Mapping[str, str]:
        """Units of states and inputs, as far as the description tells them."""
        return self.plant.told_units

    @property
    def span(self) -> float:
        """Duration of the run."""
        return float(self.times[-1] - self.times[0])


Trial = Callable[[float], str]
Scan = tuple[Trial, float, float, str]
"""A trial, the easiest and the hardest value, and their unit."""


def _input_unit(case: Case) -> str:
    """That of the inputs, where the description tells one for all of them."""
    known = case.units
    found = {known.get(label, "") for label in case.controller.feedback.inputs}
    return found.pop() if len(found) == 1 and "" not in found else "units of the input"


def _limit(case: Case, _row: int) -> Scan:
    def trial(value: float) -> str:
        return case.fault(replace(case.controller, limits=case.limits.values_at(value)))

    return trial, 2 * case.limits.size, 1e-3 * case.limits.size, case.limits.unit_words(_input_unit(case))


def _rate(case: Case, _row: int) -> Scan:
    fastest = 2 * case.limits.size / case.controller.hold

    def trial(value: float) -> str:
        return case.fault(replace(case.controller, rate_limits=case.limits.values_at(value)))

    return trial, fastest, 1e-5 * fastest, case.limits.unit_words(f"{_input_unit(case)}/s")


def _hold(case: Case, _row: int) -> Scan:
    def trial(value: float) -> str:
        return case.fault(replace(case.controller, rate=1 / value))

    return trial, case.controller.hold, case.span / 4, "s"


def _delay(case: Case, _row: int) -> Scan:
    def trial(value: float) -> str:
        return case.fault(replace(case.controller, delay=value))

    return trial, case.controller.hold / 10, case.span / 4, "s"


def _noise(case: Case, row: int) -> Scan:
    def trial(value: float) -> str:
        for i in range(_SEEDS):
            rng = np.random.default_rng([case.seed, row, i])
            noisy = replace(case.controller, noise=case.noises.values_at(value), rng=rng)
            if found := case.fault(noisy):
                return found
        return ""

    low, high = (k * case.noises.size for k in _NOISES)
    return trial, low, high, case.noises.unit_words("standard deviation of every signal")


def _corners(case: Case, row: int) -> Scan:
    names = case.uncertain
    if len(names) <= _ALL_CORNERS:
        corners = list(product((-1, 1), repeat=len(names)))
    else:
        rng = np.random.default_rng([case.seed, row])
        corners = [tuple(c) for c in rng.choice((-1, 1), size=(_DRAWN, len(names))).tolist()]

    def trial(value: float) -> str:
        for place, corner in enumerate(corners):
            changed = {
                name: case.params[name] * (1 + sign * value) for name, sign in zip(names, corner, strict=True)
            }
            if found := case.fault(case.controller, changed):
                corners.insert(0, corners.pop(place))  # the worst corner decides the next value too
                return found
        return ""

    return trial, 1e-3, 0.9, "relative error of the plant's parameters"


def _friction(case: Case, _row: int) -> Scan:
    return _friction_scan(
        case, mechanism_of(case.plant), case.rubbing, "viscous, of each velocity of the body"
    )


def _motor_friction(case: Case, _row: int) -> Scan:
    mechanism = mechanism_of(case.plant)
    told = "viscous, of each velocity that an input drives"
    return _friction_scan(case, with_rotor_velocities(mechanism), driven_velocities(mechanism), told)


def _friction_scan(case: Case, mechanism: EulerPoincare, velocities: Sequence[str], told: str) -> Scan:
    """Trials of the mechanism with viscous friction against some of its velocities."""
    labels = mechanism.algebra.labels
    bare = mechanism.reduce()
    coefficients = Shared.of(bare, _dampings(case, bare, velocities))
    coefficient = Parameter(_RUBBING, 0.0)
    rows = [
        [sp.sqrt(sp.Float(coefficients.factors[name])) * int(label == name) for label in labels]
        for name in velocities
    ]
    rubbed = mechanism.replace(
        friction=[*mechanism.friction, Friction(rows, viscous=coefficient.symbol)],
        parameters=[*mechanism.parameters, coefficient],
        parameter_sets={},
    ).reduce()
    start = dict(zip(case.plant.state_labels, case.plant.start(case.x0, case.params), strict=True))
    x0 = np.array([start[label] for label in rubbed.state_labels])

    def trial(value: float) -> str:
        return case.fault(case.controller, {_RUBBING: value}, rubbed, x0)

    low, high = (k * coefficients.size for k in _FRICTIONS)
    return trial, low, high, coefficients.unit_words(told)


def _dampings(case: Case, system: System, velocities: Sequence[str]) -> dict[str, float]:
    """Coefficients that stop each velocity within the run: its inertia at the start over the duration."""
    start = dict(zip(case.plant.state_labels, case.plant.start(case.x0, case.params), strict=True))
    x = np.array([start[label] for label in system.state_labels])
    mechanism = system.mechanism  # type: ignore[attr-defined]
    places = [mechanism.algebra.labels.index(label) for label in velocities]
    nodes = [system.expression(mechanism.inertia[i, i]) for i in places]
    values = system.program(nodes)([*x, 0.0, *np.zeros(system.ninputs)], system.parameters_at(case.params))
    return dict(zip(velocities, (np.abs(values) / case.span).tolist(), strict=True))


def driven_velocities(mechanism: EulerPoincare) -> tuple[str, ...]:
    """Velocities in whose rows inputs stand, rates of rotors among them."""
    inputs = set(mechanism.inputs)
    pushed = zip(mechanism.algebra.labels, mechanism.forces or (), strict=False)
    found = [label for label, force in pushed if force.free_symbols & inputs]
    return (*found, *(mechanism.rotors.rate_labels if mechanism.rotors else ()))


def _tilt(case: Case, _row: int) -> Scan:
    x0 = case.plant.start(case.x0, case.params)

    def trial(value: float) -> str:
        for beside in tilted_states(case.plant, x0, value, case.params):
            if found := case.fault(case.controller, x0=beside):
                return found
        return ""

    return trial, 1e-3, UPSIDE_DOWN, "rad from the start, to both sides"


def mechanism_of(plant: System) -> EulerPoincare:
    """The description of a plant; InputError where there is none."""
    if not isinstance(getattr(plant, "mechanism", None), EulerPoincare):
        raise InputError(
            "friction is tried on systems of the general description, gc.EulerPoincare(...).reduce()"
        )
    return plant.mechanism  # type: ignore[attr-defined]


CHECKS: dict[str, Callable[[Case, int], Scan]] = {
    "limit": _limit,
    "rate limit": _rate,
    "hold": _hold,
    "delay": _delay,
    "noise": _noise,
    "corners": _corners,
    "friction": _friction,
    "motor friction": _motor_friction,
    "tilt": _tilt,
}
