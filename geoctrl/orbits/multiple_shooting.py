r"""Relative periodic orbits by multiple shooting.

The equations are those of `geoctrl.orbits.shooting`, solved from the motion of the guess until it returns
nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import long_call, tell
from geoctrl._checks import whole_number
from geoctrl._scalars import real
from geoctrl.analysis.linear.linearization import invariant_directions
from geoctrl.errors import EquilibriumError, GeoctrlError, InputError, SimulationError
from geoctrl.orbits.enclosures.orbit_symmetries import closing, whole_turns
from geoctrl.orbits.forced_hybrid import forced_hybrid_orbit
from geoctrl.orbits.forcing import forcing_of, whole_periods
from geoctrl.orbits.hybrid_shooting import hybrid_orbit
from geoctrl.orbits.orbit import PeriodicOrbit, no_orbit
from geoctrl.orbits.shooting import RANK, Shooting
from geoctrl.simulation.run import simulate
from geoctrl.systems import HybridSystem, System, as_system
from geoctrl.systems.contract.points import read_point
from geoctrl.verification import Verdict

__all__ = ["find_periodic", "orbit_of"]

_SEGMENTS = 10_000
"""At most."""
_TRIES = 60
_FAR = 10
"""Length of the unknowns, relative to that at the start, from which on a step is rejected."""
_POLISHING, _SMALL = 4, 1e-2
"""Steps at most, and their length relative to the unknowns."""
_CLOSED = 1e-10
"""Residual, relative to the sizes of states, up to which an orbit counts as found."""
_ZERO = 1e-15
"""Size of a state, relative to that at the guess, which is one of rounding."""
_ELSEWHERE = "start nearer, with another period, or with more segments"
_RETURNS = 241
"""Times between half and one and a half periods at which the motion of the guess is looked at."""
_MARGIN = 1e-7
"""Distance of multipliers from the circle that rounding of a monodromy of size one explains."""


@long_call
def find_periodic(
    sys: System | HybridSystem,
    guess: Any,
    period: Any = None,
    symmetry: Any = None,
    params: Mapping[str, float] | None = None,
    *,
    segments: int = 4,
    mode: str | None = None,
    jumps: Sequence[str] | None = None,
    winding: Mapping[str, int] | None = None,
    forcing: Any = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> Any:
    r"""A solution with :math:`x(T) = S\,x(0)` near a guess, on its levels of what is conserved.

    Parameters
    ----------
    sys : ReducedSystem or HybridSystem
        Its periodic orbits are relative ones of the mechanism: they close up to the group.
    guess : state (n,), or pair (state, inputs)
        On the leaf; the orbit has its values of the conserved functions.
    period : float, or through jumps one for each phase
        A guess of T (s). Of equations that hold the time a multiple of ``forcing``, once that by default.
    symmetry : (n, n) matrix or "axis", optional
        S, under which the motion has to be the same; "axis": a turn about the declared axis of the body by an
        angle that is found.
    params : dict, optional
        Overrides of the defaults.
    segments : int
        m, parts into which the period is cut. Unstable orbits need more, and the result is the same. Through
        jumps phases are cut where they are unstable, and m has no effect.
    mode : str, optional
        Of a system with jumps the mode that the guess is in, its first one by default; the guess is a state
        just after a jump.
    jumps : sequence of str, optional
        Names of the jumps in their order; those that the motion of the guess meets by default.
    winding : mapping of label -> int, optional
        By how many whole turns coordinates declared with ``angle=True`` have moved on after T; by default the
        nearest return of the guess tells it, of those in which the motion is the same after a turn.
    forcing : float, optional
        Of equations that hold the time the period P of these (s), which is proved: the number stands for the
        exact one within 1e-9 of it. T is then a whole multiple of it, the guess the state at t = 0, and the
        multipliers are those of the map from t = 0 to T; rest is an orbit as well. Through jumps the guess is
        followed to its first one, the orbit begins after that, at its time ``begin``, and no zero is forced
        by the strike.
    progress, seconds
        As of `certify`.

    Returns
    -------
    PeriodicOrbit, or HybridOrbit through jumps

    Raises
    ------
    EquilibriumError
        If the search does not converge, or comes to an equilibrium; if the motion meets other jumps.
    LabelError
        If ``winding`` names no angle, or one after a turn of which the motion is another.
    InputError, TypeError
        For a guess that is no state of the system or rests, a period that is not positive, a symmetry that is
        none, equations that are not recorded; if they hold the time, and ``forcing`` is not given, or not
        proved to be a period of theirs.
    ParameterError, DescriptionError
        For an unknown parameter; for "axis" without a declared axis.

    Examples
    --------
    >>> import geoctrl as gc
    >>> body = gc.models.get("free-rigid-body")().reduce()
    >>> orbit = gc.find_periodic(body, [0.2, 0.0, 1.0], 8.0)
    >>> round(orbit.period, 6)
    8.593084
    >>> orbit.neutral
    ('Pi1**2 + Pi2**2 + Pi3**2', 'energy', 'time')

    A pendulum in upright rest over a base that is shaken fast (Kapitza):

    >>> import sympy as sp
    >>> q, v = sp.symbols("q v")
    >>> shaken = gc.VectorField([q, v], [v, (1 - 60 * sp.cos(20 * gc.time)) * sp.sin(q)]).reduce()
    >>> upright = gc.find_periodic(shaken, [0, 0], forcing=sp.pi / 10)
    >>> abs(upright.multipliers).round(9)
    array([1., 1.])
    """
    if isinstance(sys, HybridSystem):
        if symmetry is not None:
            raise InputError("symmetry= is not taken through jumps: relabel= of an impact names things anew")
        if winding is not None:
            raise InputError(
                "winding= is not taken through jumps: a reset leads an angle back by whole turns"
            )
        if forcing is not None:
            return forced_hybrid_orbit(sys, guess, period, forcing, params, mode, jumps)
        return hybrid_orbit(sys, guess, period, params, mode, jumps)
    if mode is not None or jumps is not None:
        raise InputError("mode= and jumps= are about a system with jumps; this system has none")
    system = as_system(sys, "find_periodic", recorded=True)
    m = whole_number("segments", segments, 1, _SEGMENTS)
    numbers = system.parameters_at(params)
    forced, T, cycles = forcing_of(system, forcing, dict(numbers)), period, 1
    if forced is not None:
        P = forced.period(numbers)
        cycles = whole_periods(period, P)
        T = cycles * P
    T = real(T, "period")
    if not T > 0:
        raise InputError(f"period must be positive, in seconds, got {period!r}")
    x, u, *_ = read_point(system.seen_from(None), guess, "guess")
    system.start(x, params)  # refuses what is off the leaf
    closes = closing(system, symmetry, dict(numbers), T)
    rounds = whole_turns(system, winding, dict(numbers), u, T)
    shooting = Shooting(system, x, u, dict(numbers), closes, m, T, forcing=forced, cycles=cycles)
    if not shooting.moves(x, T):
        raise InputError("the guess rests: its orbit is a point; move it off the equilibrium")
    period, angle, offset = _nearest_return(shooting, rounds)
    shooting = replace(shooting, offset=offset)
    y, residual = _solution(shooting, _first_unknowns(shooting, period, angle))
    return orbit_of(shooting, y, residual)


def _first_unknowns(shooting: Shooting, period: float, angle: float) -> np.ndarray:
    """Unknowns along the motion of the guess until it returns nearest."""
    states = [shooting.guess, *shooting.parts_of_motion(shooting.guess, period)]
    return shooting.unknowns(states, period, angle)


def _nearest_return(shooting: Shooting, rounds: Mapping[int, int | None]) -> tuple[float, float, np.ndarray]:
    """Time and angle, among those near the period that is given, at which the motion comes nearest, and whole
    turns of angles, those that are not given the nearest.
    """
    period, sizes, guess = shooting.period, shooting.sizes, shooting.guess
    returns = np.linspace(period / 2, 1.5 * period, _RETURNS) if shooting.forcing is None else [period]
    times = np.concatenate([[0.0], returns])
    inputs = shooting.u if shooting.u.size else None
    run = simulate(
        shooting.system, times, guess, params=shooting.params, inputs=inputs, throw=False, domain=False
    )
    angles = np.linspace(-np.pi, np.pi, 73) if shooting.closing.turns else np.zeros(1)
    starts = [shooting.closing(a) @ guess for a in angles]
    turns = np.zeros((len(starts), *run.states[:, 1:].shape))
    for row, count in rounds.items():
        for j, s in enumerate(starts):
            nearest = np.round((run.states[row, 1:] - s[row]) / (2 * np.pi))
            turns[j, row] = 2 * np.pi * (nearest if count is None else count)
    apart = [
        np.linalg.norm((run.states[:, 1:] - s[:, None] - d) / sizes[:, None], axis=0)
        for s, d in zip(starts, turns, strict=True)
    ]
    if not apart[0].size:
        return period, 0.0, np.zeros(len(guess))
    k, i = np.unravel_index(np.argmin(apart), (len(apart), apart[0].size))
    return float(run.time[1 + i]), float(angles[k]), turns[k, :, i]


def _solution(shooting: Shooting, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Levenberg and Marquardt, then Newton's own steps as long as they help."""
    from scipy.optimize import least_squares

    known: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
    worst: list[np.ndarray] = []
    reach = float(np.linalg.norm(y))

    def equations(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and derivative, which are asked for one after the other; where there are none, residuals
        with which a step is rejected.
        """
        if y.tobytes() not in known:
            near = not worst or np.linalg.norm(y) <= _FAR * reach
            try:
                found = shooting.equations(y) if near else None
            except (EquilibriumError, SimulationError):
                if not worst:
                    raise
                found = None
            if found is None:
                return np.full(len(worst[0]), 10 * max(map(np.linalg.norm, worst))), np.zeros(0)
            worst.append(found[0])
            known.clear()
            known[y.tobytes()] = found
        return known[y.tobytes()]

    try:
        y = least_squares(
            lambda y: equations(y)[0],
            y,
            lambda y: equations(y)[1],
            method="lm",
            xtol=1e-14,
            ftol=1e-14,
            gtol=1e-14,
            max_nfev=_TRIES,
        ).x
        residual, J = equations(y)
        tell("polishing the orbit")
        for _ in range(_POLISHING):
            step = np.linalg.lstsq(J, -residual, rcond=RANK)[0]
            if not np.linalg.norm(step) <= _SMALL * np.linalg.norm(y):
                break  # far from a solution, motions from there may take long to nowhere
            trial = y + step
            better = shooting.equations(trial)
            if np.linalg.norm(better[0]) >= np.linalg.norm(residual):
                break
            y, (residual, J) = trial, better
    except (GeoctrlError, ArithmeticError, ValueError) as error:
        raise no_orbit(f"{error}; {_remedy(shooting)}") from None
    defect = float(np.max(np.abs(residual))) / max(1.0, float(np.max(np.abs(y))))  # of numbers alone
    if not defect <= _CLOSED:
        raise no_orbit(f"the defect is {defect:.3g} after the last step; {_remedy(shooting)}")
    return y, defect


def _remedy(shooting: Shooting) -> str:
    """What to try, where the search found nothing: angles that go round, and may not."""
    end, labels = shooting.flow(shooting.guess, shooting.period)[0], shooting.system.state_labels
    angles = [labels.index(c.name) for c in shooting.system.mechanism.shape if c.angle]
    turning = [labels[i] for i in angles if abs(end[i] - shooting.guess[i]) > np.pi]
    if not turning:
        return _ELSEWHERE
    return f"{', '.join(turning)} goes round: tell by winding= how many turns a period has; or {_ELSEWHERE}"


def _turns_by_label(shooting: Shooting) -> dict[str, int]:
    """Whole turns by label."""
    labels = shooting.system.state_labels
    counts = np.broadcast_to(np.round(np.asarray(shooting.offset) / (2 * np.pi)), len(labels))
    return {label: int(k) for label, k in zip(labels, counts, strict=True) if k}


def orbit_of(shooting: Shooting, y: np.ndarray, residual: float) -> PeriodicOrbit:
    """The orbit of a solution, with its multipliers."""
    # What is left of a zero is below the rounding of what was solved for, and has no size of its own.
    states, T, angle, value = shooting.parts(np.where(np.abs(y) < _ZERO, 0.0, y))
    x, S, system = states[0], shooting.closing(angle), shooting.system
    if not shooting.moves(x, T):
        raise no_orbit(
            f"the search came to a point, with the period {T:.3g} s, where nothing moves; {_ELSEWHERE}"
        )
    Phi = np.eye(len(x))
    for i, state in enumerate(states):
        since = shooting.since(i * T / shooting.segments)
        Phi = shooting.flow(state, T / shooting.segments, value, since)[1][:, : len(x)] @ Phi
    M = np.linalg.solve(S, Phi)
    sizes = shooting.sizes
    W = np.linalg.qr(system.seen_from(None).leaf_basis(x, shooting.params) / sizes[:, None])[0]
    names, level = invariant_directions(shooting.directions(x), W)
    directions = {} if shooting.forcing else {"time": shooting.rate(x) / sizes}
    if shooting.closing.turns:
        directions["turn"] = shooting.closing.generator() @ x / sizes
    right: list[str] = []
    still = np.zeros((level.shape[1], 0))
    for name, direction in directions.items():
        column = level.T @ W.T @ direction
        trial = np.column_stack([still, column / max(1e-300, float(np.linalg.norm(direction)))])
        if np.linalg.matrix_rank(trial, tol=1e-6) == trial.shape[1]:
            still, right = trial, [*right, name]
    across = np.linalg.qr(still, mode="complete")[0][:, still.shape[1] :]
    relative = shooting.relative(M)
    inner = across.T @ level.T @ W.T @ relative @ W @ level @ across
    others = np.linalg.eigvals(inner) if inner.size else np.zeros(0)
    others = others[np.lexsort((others.imag.round(9), -np.abs(others).round(9)))]
    neutral = (*names, *right)
    margin = _MARGIN * max(1.0, float(np.linalg.norm(relative, 2)))
    radius = float(np.abs(others).max(initial=0.0))
    verdict = Verdict.NUMERICALLY_UNSTABLE if radius > 1 + margin else Verdict.SPECTRALLY_STABLE_ONLY
    if radius < 1 - margin:
        verdict = Verdict.NUMERICALLY_STABLE
    return PeriodicOrbit(
        system=system,
        x=x,
        period=T,
        angle=angle if shooting.closing.turns else None,
        winding=_turns_by_label(shooting),
        S=S,
        monodromy=M,
        multipliers=np.concatenate([np.ones(len(neutral)), others]),
        neutral=neutral,
        invariants={k: float(v) for k, v in system.invariants(x, shooting.params).items()},
        verdict=verdict,
        margin=margin,
        residual=residual,
        params=shooting.params,
        u=shooting.u,
        forcing=shooting.forcing,
        cycles=shooting.cycles,
    )
