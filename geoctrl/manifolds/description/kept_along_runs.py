"""Which quantities runs keep, judged by their rates at states drawn at random and along the run.

As `geoctrl.systems.promises.rates_at_random` says, with switches freed by
`geoctrl.manifolds.description.free_switches`. Of functions the samples of a run say as much as is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from geoctrl.errors import DescriptionError
from geoctrl.manifolds.description.seams_of_products import jumps
from geoctrl.systems.promises.rates_at_random import (
    SPEEDS,
    TIMES,
    Rates,
    at_random,
    cancel,
    finite,
    vanishing,
)

__all__ = [
    "QUANTITIES",
    "Sample",
    "conserved_names",
    "has_no_moment",
    "precisely_conserved_names",
    "refuse_spin",
    "require_symmetry",
    "samples_of",
]

QUANTITIES = ("energy", "momentum1", "momentum2", "momentum3")

_SAMPLES = 50
_ANGLES = 36
_NEAR = 0.02
_EFFORT = 1000.0
"""`recording_effort` of three coupled bodies, whose reduced equations are there within a second."""

Sample = tuple[float, np.ndarray, np.ndarray]
"""Time, configuration, velocities."""


def samples_of(time: np.ndarray, first: np.ndarray, second: np.ndarray) -> list[Sample]:
    """Some of the samples of a run, spread evenly over it."""
    places = np.unique(np.linspace(0, time.size - 1, min(time.size, _SAMPLES)).astype(int))
    return [(float(time[k]), first[k], second[k]) for k in places]


def _run_at(system: Any, params: Mapping[str, float], u: np.ndarray | None) -> Any:
    """Kernels with these numbers, the inputs constant (zero without them)."""
    run = system.run(params)
    if u is not None:
        run.hold(u)
    return run


def conserved_names(
    system: Any,
    params: Mapping[str, float],
    samples: Iterable[Sample] = (),
    u: np.ndarray | None = None,
) -> tuple[str, ...]:
    """Names of the quantities whose rates, relative to their terms, are rounding at all states.

    The inputs are held at ``u``, zero without them.

    Terms that are themselves rounding along the run, near a rest position, are measured by the least
    of the random states. Where functions raise at one, which they need not be made for, nothing is kept.
    """
    names = (*system.description.quantity_names, *system.description.invariants_given)
    run = _run_at(system, params, u)

    def rates(_: Any, acting: Any, at: Sample) -> Rates:
        return acting.quantity_rates(*at)

    try:
        found = _at_random_states(rates, system, params, run, u)
    except Exception:
        if system.description.is_symbolic:
            raise
        return ()
    good = vanishing(found, names, system.name)
    floor = np.min([np.where(finite(*both), both[1], np.inf) for both in found], axis=0)
    for at in samples:
        rate, size = rates(system, run, at)
        good &= cancel(rate, np.maximum(size, floor)) | ~finite(rate, size)
    energy, momenta = jumps(system, params)
    good[0] &= not energy
    good[1 : len(system.description.quantity_names)] &= not momenta
    return tuple(name for name, keeps in zip(names, good, strict=True) if keeps)


def precisely_conserved_names(system: Any, params: Mapping[str, float], u: np.ndarray) -> tuple[str, ...]:
    """Those of which sixty digits say so too, where the reduced equations are soon there."""
    names = conserved_names(system, params, u=u)
    if not names or not system.description.is_symbolic or system.recording_effort > _EFFORT:
        return names
    # Without forces the energy is kept, and in a turning frame the reduced equations have others.
    turns = np.any(system.frame_rate_at(params))
    sure = QUANTITIES if turns else () if system.description.has_forces else ("energy",)
    precise = system.recording.conserved(params, u=u)
    return tuple(name for name in names if name in sure or name in precise)


Asked = Callable[[Any, Any, Sample], Rates]
"""Rates of a system and its run at a sample."""


def _at_random_states(
    rates: Asked, system: Any, params: Mapping[str, float], run: Any, u: np.ndarray | None
) -> list[Rates]:
    """Rates at random states and times, with every switch free."""
    rng, judged, seeds = np.random.default_rng(11), system.any_branch, count()
    free = [p.name for p in judged.parameters[len(system.parameters) :]]

    def sample() -> Rates:
        numbers = {**params, **{name: float(rng.uniform()) for name in free}}
        z, w = system.product.generic(seed := next(seeds))
        place = float(rng.uniform(*TIMES)), z, SPEEDS[seed % len(SPEEDS)] * w
        return _free_rates(rates, system, run, u, judged, numbers, place)

    return at_random(sample)


def _free_rates(
    rates: Asked,
    system: Any,
    run: Any,
    u: np.ndarray | None,
    judged: Any,
    numbers: Mapping[str, float],
    at: Sample,
) -> Rates:
    """Rates with every switch free; as they are where a branch is not defined beyond its region."""
    if judged is not system:
        try:
            found = rates(judged, _run_at(judged, numbers, u), at)
            if np.all(np.isfinite(found)):
                return found
        except (ValueError, np.linalg.LinAlgError):  # an inertia that is none there
            pass
    return rates(system, run, at)


def has_no_moment(
    system: Any, params: Mapping[str, float], axis: np.ndarray, x: np.ndarray, u: np.ndarray | None = None
) -> bool:
    """Whether all forces together have no moment about an axis of the reference, the inputs held at ``u``.

    At random states, with every switch free, and near the states through which a steady rotation from x goes.
    """
    run = _run_at(system, params, u)

    def moments(_: Any, acting: Any, at: Sample) -> Rates:
        moment, size = acting.moment(axis, *at)
        return moment[:, None], size[:, None]

    found = _at_random_states(moments, system, params, run, u)
    found += [moments(system, run, at) for at in _orbit(system, x, axis)]
    return bool(vanishing(found)[0])


def require_symmetry(
    system: Any, params: Mapping[str, float], spin: np.ndarray, x: np.ndarray, u: np.ndarray
) -> None:
    """DescriptionError unless turning all bodies about the axis of the spin keeps the system under inputs."""
    if not has_no_moment(system, params, spin, x, u):
        refuse_spin(
            spin,
            "the forces have a moment about that axis; spin must be along an axis of symmetry (the vertical, "
            "say)",
        )


def refuse_spin(spin: Sequence[float] | np.ndarray, reason: str) -> None:
    """DescriptionError: nothing rotates steadily about that axis."""
    raise DescriptionError(f"there is no steady rotation about {list(map(float, spin))}: {reason}")


def _orbit(system: Any, x: np.ndarray, axis: np.ndarray) -> list[Sample]:
    """States near those through which a steady rotation from x goes."""
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(5)
    z, w = system.product.parts(x)
    found = []
    for angle in np.linspace(0, 2 * np.pi, _ANGLES, endpoint=False):
        whole = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis))
        turns = whole * Rotation.from_rotvec(_NEAR * rng.normal(size=(system.n, 3)))
        found.append((0.0, *system.product.turned(turns.as_matrix(), z, w)))
    return found
