"""Which quantities runs keep, judged by their rates at states drawn at random and along the run.

For expressions without switches a rate that vanishes at a random state and time vanishes everywhere, with
probability one; switches are let take any branch (`geoctrl.manifolds.branches`). Into functions nobody can
look: there the samples of the run say as much as is known.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._checks import user_level
from geoctrl.errors import DescriptionError

__all__ = ["QUANTITIES", "Sample", "has_no_moment", "kept", "refuse_spin", "require_symmetry", "samples_of"]

QUANTITIES = ("energy", "momentum1", "momentum2", "momentum3")

_ROUNDING = 1e-10
"""Rate, relative to the sizes of its terms, that counts as none."""
_STATES = 4
"""Random states at which rates have to vanish."""
_TRIES = 60
"""States drawn at most until rates have finite values at so many: formulas have poles."""
_TIMES = (-3.0, 10.0)
_SAMPLES = 50
_ANGLES = 36
_NEAR = 0.02

Sample = tuple[float, np.ndarray, np.ndarray]
"""Time, configuration, velocities."""


def _instances(system: Any, params: Mapping[str, float]) -> Iterator[tuple[Any, Any, Sample]]:
    """Random states and times, the system in which every switch is free, and numbers for it."""
    rng = np.random.default_rng(11)
    judged = system.any_branch
    free = [p.name for p in judged.parameters[len(system.parameters) :]]
    for seed in range(_TRIES):
        numbers = {**params, **{name: float(rng.uniform()) for name in free}}
        yield judged, numbers, (float(rng.uniform(*_TIMES)), *system.generic_state(seed))


def samples_of(time: np.ndarray, first: np.ndarray, second: np.ndarray) -> list[Sample]:
    """Some of the samples of a run, spread evenly over it."""
    places = np.unique(np.linspace(0, time.size - 1, min(time.size, _SAMPLES)).astype(int))
    return [(float(time[k]), first[k], second[k]) for k in places]


def _held(system: Any, params: Mapping[str, float], u: np.ndarray | None) -> Any:
    """Kernels with these numbers, the inputs constant (zero without them)."""
    run = system.run(params)
    if u is not None:
        run.hold(u)
    return run


def kept(
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
    names = (*QUANTITIES, *system.invariants_given)
    run = _held(system, params, u)

    def rates(judged: Any, acting: Any, at: Sample) -> tuple[np.ndarray, np.ndarray]:
        return judged.quantity_rates(acting, *at)

    try:
        found = _at_random_states(rates, system, params, run, u)
    except Exception:
        if system.written:
            raise
        return ()
    enough = np.sum([_finite(*both) for both in found], axis=0) >= _STATES
    if not np.all(enough):
        unjudged = ", ".join(name for name, judged in zip(names, enough, strict=True) if not judged)
        warnings.warn(
            f"{system.name or 'the system'}: rates are finite at fewer than {_STATES} of {_TRIES} random "
            f"states, so that these do not count as conserved: {unjudged}",
            RuntimeWarning,
            stacklevel=user_level(),
        )
    good = enough & np.all([_cancel(*both) | ~_finite(*both) for both in found], axis=0)
    floor = np.min([np.where(_finite(*both), both[1], np.inf) for both in found], axis=0)
    for at in samples:
        rate, size = rates(system, run, at)
        good &= _cancel(rate, np.maximum(size, floor)) | ~_finite(rate, size)
    return tuple(name for name, keeps in zip(names, good, strict=True) if keeps)


Rates = Callable[[Any, Any, Sample], tuple[np.ndarray, np.ndarray]]
"""Rates by kind of force, (kinds, ...), and the sizes of their terms, of a system and its run at a sample."""


def _at_random_states(
    rates: Rates, system: Any, params: Mapping[str, float], run: Any, u: np.ndarray | None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rates and sizes at random states, more of them while some are not finite."""
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for place in _instances(system, params):
        with np.errstate(all="ignore"):
            found.append(_judged(rates, system, run, u, *place))
        if np.all(np.sum([_finite(*both) for both in found], axis=0) >= _STATES):
            break
    return found


def _finite(rates: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Whether the rates of all kinds of force, and their sizes, are numbers."""
    return np.all(np.isfinite(rates) & np.isfinite(sizes), axis=0)


def _judged(
    rates: Rates,
    system: Any,
    run: Any,
    u: np.ndarray | None,
    judged: Any,
    numbers: Mapping[str, float],
    at: Sample,
) -> tuple[np.ndarray, np.ndarray]:
    """Rates with every switch free; as they are where a branch is not defined beyond its region."""
    if judged is not system:
        try:
            found = rates(judged, _held(judged, numbers, u), at)
            if np.all(np.isfinite(found)):
                return found
        except (ValueError, np.linalg.LinAlgError):  # an inertia that is none there
            pass
    return rates(system, run, at)


def _cancel(rates: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Whether rates by kind of force, (kinds, ...), and the sizes of their terms add up to nothing.

    Each kind must vanish by itself or against others that do not: a small one is not lost in the rounding
    of a large one.
    """
    acting = ~(np.abs(rates) <= _ROUNDING * sizes)
    total, size = np.sum(rates * acting, axis=0), np.sum(sizes * acting, axis=0)
    count = acting.sum(axis=0)
    return (count == 0) | ((count > 1) & (np.abs(total) <= _ROUNDING * size))


def has_no_moment(
    system: Any, params: Mapping[str, float], axis: np.ndarray, x: np.ndarray, u: np.ndarray | None = None
) -> bool:
    """Whether all forces together have no moment about an axis of the reference, the inputs held at ``u``.

    At random states, with every switch free, and near the states through which a steady rotation from x goes.
    """
    run = _held(system, params, u)

    def moments(_: Any, acting: Any, at: Sample) -> tuple[np.ndarray, np.ndarray]:
        return acting.moment(axis, *at)

    found = _at_random_states(moments, system, params, run, u)
    found += [moments(system, run, at) for at in _orbit(system, x, axis)]
    finite = [both for both in found if _finite(*both)]
    return len(finite) >= _STATES and all(_cancel(*both) for both in finite)


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
    first, second = system.unpack(x)
    found = []
    for angle in np.linspace(0, 2 * np.pi, _ANGLES, endpoint=False):
        whole = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis))
        turns = whole * Rotation.from_rotvec(_NEAR * rng.normal(size=(system.n, 3)))
        found.append((0.0, *system.turned(turns.as_matrix(), first, second)))
    return found
