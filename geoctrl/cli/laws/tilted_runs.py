"""Runs of a law from states beside its point, and the largest inputs in them."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from geoctrl.cli.reading.arguments import UsageError, number, numbers
from geoctrl.cli.reading.leaf_states import onto_the_leaf

__all__ = ["Told", "displaced_groups", "tilt_of", "tilted_runs", "time_back"]

_SIDES = 12
"""Sides to which a direction in space is tilted."""

_NEAR = 0.05
"""Part of the tilt within which a run has come back."""

_SLOWEST, _SAMPLES = 6.0, 2000
"""Time constants of the slowest mode that a run lasts, and commands at most."""


@dataclass
class Told:
    """What runs showed, as data and as lines."""

    data: dict[str, Any] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


def tilt_of(words: Sequence[str], system: Any) -> float | dict[str, float]:
    """An angle in rad, or deviations by state; empty where nothing is asked."""
    from geoctrl._checks import nearest

    if not words:
        return {}
    if len(words) == 1 and "=" not in words[0]:
        _require_one_way(system)
        angle = number(words[0])
        if not 0 < angle < math.pi:
            raise UsageError(f"--tilt takes an angle between 0 and pi, 0.05 or 3deg, got {words[0]!r}")
        return angle
    found = numbers(words, "--tilt")
    for label in found:
        if label not in system.state_labels:
            raise UsageError(f"--tilt names no state: {label!r}{nearest(label, system.state_labels)}")
    return found


def _require_one_way(system: Any) -> None:
    """Refuse an angle where it does not say what is tilted."""
    kept = system.state_labels[_configuration(system)]
    count = len(kept) - system.leaf.geometric
    if count > 1 and _vector_that_moves(system) is None:
        raise UsageError(
            f"--tilt ANGLE is for one angle, or one direction in space; here {', '.join(kept)} move: give "
            f"--tilt STATE=VALUE, as {kept[-1]}=3deg"
        )


def _vector_that_moves(system: Any) -> Any:
    """The direction in space that is all of the configuration, if one is."""
    vectors = [a for a in system.mechanism.advected if a.dimension == 3]
    kept = list(system.state_labels[_configuration(system)])
    return vectors[0] if len(vectors) == 1 and kept == [str(s) for s in vectors[0].symbols] else None


def tilted_runs(
    system: Any,
    law: Any,
    controller: Any,
    limits: Mapping[str, tuple[float, float]],
    tilt: float | dict[str, float],
    args: argparse.Namespace,
) -> Told:
    """Run a law from a tilt to all sides; the largest inputs, and how long the way back takes."""
    import geoctrl

    starts = _starts(system, law.equilibrium, tilt)
    length = args.time or _settling(law, args.rate)
    times = np.linspace(0.0, length, 1 + (400 if args.rate is None else max(400, round(length * args.rate))))
    params = dict(law.equilibrium.params)
    runs = [
        geoctrl.simulate(system, times, start, params=params, controller=controller, throw=False)
        for start in starts
    ]
    most = {label: max(float(np.max(np.abs(run[label]))) for run in runs) for label in law.input_labels}
    away = displaced_groups(system, tilt)
    back = [time_back(run, law.equilibrium.x, away) for run in runs]
    whole = [k for k, run in enumerate(runs) if run.success]
    hardest = max(range(len(runs)), key=lambda k: float(np.max(np.abs(runs[k].inputs), initial=0.0)))
    if args.record:
        runs[hardest].save(args.record)
    slowest = max((b for b in back if b is not None), default=None)
    returned = len(whole) == len(runs) and None not in back
    data = {
        "tilt": tilt,
        "starts": len(starts),
        "largest": most,
        "returned": returned,
        "within": slowest if returned else None,
        "time": length,
    }
    units = {label: f" {unit}" for label, unit in system.told_units.items()}
    torques = ", ".join(
        f"{label} {_share(value, units.get(label, ''), limits.get(label))}" for label, value in most.items()
    )
    how = f"{math.degrees(tilt):.4g} deg" if isinstance(tilt, float) else _deviations(tilt, units)
    sides = f" to {len(starts)} sides" if len(starts) > 1 else ""
    lines = [f"from a tilt of {how}{sides}: largest {torques}"]
    if returned:
        lines.append(f"  back within {100 * _NEAR:.0f} % of it after {slowest:.3g} s")
    else:
        gone = sum(b is None for b in back)
        lines.append(f"  {gone} of {len(runs)} runs are not back within {length:.3g} s")
    return Told(data, lines)


def _share(value: float, unit: str, limit: tuple[float, float] | None) -> str:
    """A size with its unit, and how much of a limit it is."""
    if limit is None:
        return f"{value:.3g}{unit}"
    most = max(abs(limit[0]), abs(limit[1]))
    return f"{value:.3g} of {most:g}{unit}{', at its limit' if value >= most else ''}"


def _deviations(tilt: Mapping[str, float], units: Mapping[str, str]) -> str:
    """Deviations by state, those of angles in degrees."""
    shown = {
        label: f"{math.degrees(value):.4g} deg"
        if units.get(label) == " rad"
        else f"{value:g}{units.get(label, '')}"
        for label, value in tilt.items()
    }
    return ", ".join(f"{label} = {words}" for label, words in shown.items())


def _configuration(system: Any) -> slice:
    """Places of the configuration in the state."""
    first = len(system.assembly.velocity)
    return slice(first, first + len(system.kept_index))


def _starts(system: Any, point: Any, tilt: float | dict[str, float]) -> list[np.ndarray]:
    """States beside the point; of a direction in space, tilted to sides all around."""
    from geoctrl.systems.states.tilted_system import tilted_states

    x = np.array(point.x, dtype=float)
    if isinstance(tilt, dict):
        for label, value in tilt.items():
            x[system.state_labels.index(label)] += value
        return [onto_the_leaf(system, x, point.params)]
    place = _configuration(system)
    if _vector_that_moves(system) is not None:
        upright = x[place]
        turned = np.linalg.svd(upright[None, :])[2][1:]
        angles = 2 * np.pi * np.arange(_SIDES) / _SIDES
        found = []
        for angle in angles:
            side = np.cos(angle) * turned[0] + np.sin(angle) * turned[1]
            start = x.copy()
            start[place] = np.cos(tilt) * upright + np.sin(tilt) * np.linalg.norm(upright) * side
            found.append(start)
        return found
    return list(tilted_states(system, x, tilt, point.params))


def _settling(law: Any, rate: float | None) -> float:
    """Time constants of the slowest mode that the law has."""
    slowest = float(np.min(np.abs(law.eigenvalues.real), initial=np.inf))
    length = _SLOWEST / slowest if 0 < slowest < np.inf else 10.0
    return length if rate is None else min(length, _SAMPLES / rate)


def displaced_groups(system: Any, tilt: float | dict[str, float]) -> list[slice]:
    """States of which each group has one unit, and is displaced by a tilt: what has to come back."""
    if not isinstance(tilt, dict):
        return [_configuration(system)]
    places = (system.state_labels.index(label) for label, value in tilt.items() if value)
    return [slice(i, i + 1) for i in places]


def time_back(run: Any, x: np.ndarray, displaced: Sequence[slice]) -> float | None:
    """From when on what was displaced stays near the point; None where it does not."""
    sizes = [np.linalg.norm(run.states[place] - x[place, None], axis=0) for place in displaced]
    shares = np.max([away / away[0] for away in sizes], axis=0, initial=0.0)
    outside = np.flatnonzero(shares > _NEAR)
    if not run.success or (outside.size and outside[-1] == shares.size - 1):
        return None
    return float(run.time[outside[-1] + 1]) if outside.size else 0.0
