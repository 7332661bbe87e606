"""Gaits of given effort that move the group as far as they can."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._calls.long_calls import paced_call, under_way
from geoctrl._checks import entries, finite_array, require_choice, whole_number
from geoctrl._scalars import real, shown
from geoctrl.errors import BudgetError, InputError, SimulationError
from geoctrl.gaits.best_gait import BestGait
from geoctrl.gaits.gait_flow import GaitFlow
from geoctrl.gaits.gait_goals import Goal, goal_of
from geoctrl.gaits.harmonic_gaits import Effort, HarmonicGaits
from geoctrl.systems import Connection

__all__ = ["optimal_gait"]

_ENGINES = ("auto", "heyoka", "scipy")
_ITERATIONS, _NEWTON = 300, 30
_CHANGE = 1e-13
"""Part of the goal that a step of the quadratic programs must gain."""
_CONVERGED = 1e-5
"""Part of a gradient that may be left along gaits of the same effort."""
_CLOSED = 1e-12
"""Part of the momenta's size by which a periodic one may differ after a period."""
_FORGOTTEN = 1e-8
"""Distance from one of a multiplier of the momenta: nearer ones keep what they begin with."""


@paced_call
def optimal_gait(
    connection: Connection,
    period: float = 2 * np.pi,
    harmonics: int = 2,
    effort: float = 1.0,
    metric: Any = None,
    goal: str | Callable[[np.ndarray], float] = "distance",
    fixed: Mapping[str, Any] | None = None,
    momentum: Any = 0.0,
    starts: Any = 6,
    rng: Any = None,
    params: Mapping[str, float] | None = None,
    *,
    engine: str = "auto",
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> BestGait:
    r"""The gait of a given effort that moves the group as far as possible, over several starts.

    .. math::

        \max_a J(g(T)), \qquad \dot g = g\,\hat\xi(r, \dot r, p), \qquad
        \frac1\pi \int_0^T \dot r^T W(r)\,\dot r\,dt = E,

    .. math:: r^i(t) = \sum_{k=1}^{K} s^i_k \sin k\omega t + c^i_k \cos k\omega t, \qquad \omega = 2\pi/T

    with the momentum equation for p. The derivative of g by the coefficients is integrated beside it, and
    sequential quadratic programs (scipy's SLSQP) are begun at random gaits, or at those that are given. A
    local maximum is found from each, of which the best is returned and all are told: that none is better is
    not proved.

    Parameters
    ----------
    connection : Connection
        ``system.connection()``.
    period : float
        T (s).
    harmonics : int
        K.
    effort : float
        E, positive.
    metric : (k, k) matrix, or an expression in the coordinates, optional
        W; the identity by default, in which coordinates of several units are added up as they are. An
        expression is W as a multiple of the identity.
    goal : "distance", "heading" or callable
        J: how far the frame's origin goes; the angle by which the frame turns in its plane; or a smooth
        function of the matrix g that is to be large.
    fixed : dict of coordinate -> terms, optional
        Coefficients that stay zero: ``{"phi": ("cos 1",)}``.
    momentum : number, (m,) or "periodic"
        p at the start; one number stands for all. "periodic" asks for the p that comes back after T.
    starts : int or sequence of dict
        Random gaits, or gaits as ``BestGait.coefficients`` writes them, which are scaled to the effort.
    rng : int or numpy.random.Generator, optional
        Of the random gaits; a seed of its own by default, so that answers repeat.
    params : dict, optional
    engine : "auto", "heyoka" or "scipy"
        Of the integration.
    progress, seconds
        As of `certify`; when the time is up, the best of the starts that have ended is returned.

    Returns
    -------
    BestGait

    Raises
    ------
    InputError
        If ``connection`` is none; for a period, harmonics or effort that are not positive, a metric, goal,
        momentum, start, seed or fixed coefficient that is none of the above, or a motion with inputs.
    DescriptionError
        For a group without matrices, or a metric in other symbols than coordinates and parameters.
    ParameterError
        For an unknown or missing parameter.
    SimulationError
        If every start meets a singular point, or momenta that are periodic are not determined: without
        friction on the group a period may return any p.
    DependencyError
        If heyoka is asked for and not installed.
    BudgetError
        If no start has ended when the time is up.

    Notes
    -----
    D. Kraft, DFVLR-FB 88-28 (1988), of the quadratic programs. Gaits of the snakeboard as expansions in
    harmonics: J. P. Ostrowski, J. P. Desai, V. Kumar, Int. J. Robotics Research 19 (2000), 225-237.

    Examples
    --------
    >>> import geoctrl as gc
    >>> racer = gc.models.get("roller-racer")().reduce()
    >>> best = gc.optimal_gait(racer.connection(), harmonics=1, starts=2)
    >>> round(best.value, 6), round(best.effort, 12)
    (0.588473, 1.0)
    """
    if not isinstance(connection, Connection):
        raise InputError(f"optimal_gait takes a connection, system.connection(); got {shown(connection)}")
    require_choice("engine", engine, _ENGINES, InputError)
    group = connection.mechanism.group
    assert group is not None  # of which a connection is
    T, E = _positive("period", period), _positive("effort", effort)
    names = [c.name for c in connection.mechanism.shape]
    gaits = HarmonicGaits(names, T, whole_number("harmonics", harmonics, 1, 100), fixed)
    wanted = goal_of(goal, group)
    numbers = connection.parameter_numbers(params)
    work = Effort(gaits, metric, connection.shape, numbers)
    scales = np.sqrt(E / work.of_each())
    begins = _starts(starts, gaits, scales, work, E, rng)
    m, periodic = len(connection.momenta), isinstance(momentum, str) and momentum == "periodic"
    p = np.zeros(m) if periodic else _momentum(momentum, m)
    motion = connection.motion(
        gaits.expressions, gaits.symbols, params, starts=periodic and m > 0, integrals=wanted.integrals
    )
    trial = _Trial(GaitFlow(motion, T, engine), wanted, work, E, scales, p, periodic and m > 0)
    ended = _ends_of(trial, begins)
    found = [end for end in ended if np.isfinite(end.value)]
    if not found:
        raise SimulationError(f"none of {len(ended)} starts came to a gait: {ended[0].status}")
    best = found[0]
    start = trial.momentum_at(best.coefficients)
    exact = gaits.gait([sp.Float(value) for value in best.coefficients])
    moved = connection.displacement(exact, T, start, params)
    return BestGait(
        connection,
        exact,
        T,
        wanted.name,
        best.value,
        gaits.coefficient_table(best.coefficients),
        moved,
        work(best.coefficients)[0],
        best.gradient,
        start,
        connection.velocity_at(exact, 0.0, start, params),
        tuple((end.value, end.status, end.evaluations) for end in ended),
        dict(params or {}),
    )


def _positive(what: str, given: Any) -> float:
    value = float(real(given, what))
    if not value > 0:
        raise InputError(f"{what} must be positive, got {value:g}")
    return value


def _momentum(given: Any, m: int) -> np.ndarray:
    if isinstance(given, str):
        raise InputError(f"momentum must be a number, {m} of them, or 'periodic'; got {shown(given)}")
    return np.full(m, float(real(given, "momentum"))) if np.ndim(given) == 0 else finite_array(
        "momentum", given, (m,)
    )  # fmt: skip


def _starts(
    given: Any, gaits: HarmonicGaits, scales: np.ndarray, work: Effort, effort: float, rng: Any
) -> list[np.ndarray]:
    """Coefficients of which each has the effort."""
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        count = whole_number("starts", given, 1, 10_000)
        seed = (
            None
            if isinstance(rng, np.random.Generator)
            else whole_number("rng", 0 if rng is None else rng, 0)
        )
        generator = rng if seed is None else np.random.default_rng(seed)
        found = [scales * generator.standard_normal(len(scales)) for _ in range(count)]
    else:
        found = [gaits.coefficients(start) for start in entries("starts", given)]
        if not found or not all(np.any(start) for start in found):
            raise InputError("starts must be a number, or gaits of which none is zero")
    return [_of_effort(start, work, effort) for start in found]


def _of_effort(a: np.ndarray, work: Effort, effort: float) -> np.ndarray:
    """A multiple of coefficients that has the effort, by Newton's steps in its logarithm."""
    for _ in range(_NEWTON):
        value, slope = work(a)
        power = float(slope @ a) / value if value > 0 else np.nan
        if not power > 0:
            break
        factor = (effort / value) ** (1 / power)
        a = a * factor
        if abs(factor - 1) < _CLOSED:
            return a
    raise InputError("no multiple of a start has this effort; give other starts, or another metric")


@dataclass(frozen=True)
class _End:
    """How a start ended."""

    value: float
    status: str
    evaluations: int
    coefficients: np.ndarray
    gradient: np.ndarray


class _TimeIsUpError(Exception):
    """Within a start."""


class _Trial:
    """Value and effort with their derivatives, in coefficients of which each alone has the effort at one."""

    def __init__(
        self,
        flow: GaitFlow,
        goal: Goal,
        work: Effort,
        effort: float,
        scales: np.ndarray,
        momentum: np.ndarray,
        periodic: bool,
    ) -> None:
        self._flow, self._goal, self._work = flow, goal, work
        self._effort, self.scales, self._periodic = effort, scales, periodic
        self._momentum = momentum
        self.evaluations = 0

    def __call__(self, y: np.ndarray) -> tuple[float, np.ndarray]:
        """The goal's number and its derivative by y."""
        if under_way().is_over:
            raise _TimeIsUpError
        self.evaluations += 1
        end, eta = self._end(self.scales * y)
        return self._goal.value(end), self._goal.slopes(end, eta * self.scales)

    def excess(self, y: np.ndarray) -> tuple[float, np.ndarray]:
        """Effort above the one that is given, as a part of it, with its derivative."""
        value, slope = self._work(self.scales * y)
        return value / self._effort - 1, slope * self.scales / self._effort

    def momentum_at(self, coefficients: np.ndarray) -> np.ndarray:
        """p at the start."""
        self._end(coefficients)
        return self._momentum

    def _end(self, a: np.ndarray) -> tuple[Any, np.ndarray]:
        """The end and the derivative (n_g, q) by the coefficients."""
        if not self._periodic:
            end = self._flow(a, self._momentum)
            return end, end.eta
        p = self._momentum
        for _ in range(_NEWTON):
            end = self._flow(a, p)
            q = len(a)
            returns = end.P[:, q:]
            if np.min(np.abs(np.linalg.eigvals(returns) - 1)) < _FORGOTTEN:
                raise SimulationError(
                    "momentum='periodic' is not determined, since a period returns what p begins with; give "
                    "the momentum at the start"
                )
            defect = end.momentum - p
            # dp(T) - dp = (P - 1) dp0 + P_a da = 0.
            slope = np.linalg.solve(returns - np.eye(len(p)), np.column_stack([-defect, -end.P[:, :q]]))
            step = slope[:, 0]
            if np.max(np.abs(step)) <= _CLOSED * np.max(np.abs(p) + np.abs(end.momentum)):
                self._momentum = p
                return end, end.eta[:, :q] + end.eta[:, q:] @ slope[:, 1:]
            p = p + step
        raise SimulationError("no momentum was found that comes back after a period")


def _ends_of(trial: _Trial, begins: list[np.ndarray]) -> list[_End]:
    """How all starts ended, the best first; those that the time leaves."""
    call = under_way()
    ended: list[_End] = []
    for number, start in enumerate(begins):
        best = f"{max(e.value for e in ended):.6g}" if ended else ""
        call.tell(f"start {number + 1} of {len(begins)}", best, number / len(begins))
        try:
            ended.append(_one(trial, start / trial.scales))
        except _TimeIsUpError:
            if not any(np.isfinite(end.value) for end in ended):
                raise BudgetError(
                    f"optimal_gait: {call.late}, and there is nothing yet; give more seconds="
                ) from None
            break
    return sorted(ended, key=lambda end: -np.inf if np.isnan(end.value) else end.value, reverse=True)


def _one(trial: _Trial, y: np.ndarray) -> _End:
    """The maximum that one start comes to."""
    from scipy.optimize import minimize

    first, nothing = trial.evaluations, np.full(len(y), np.nan)
    try:
        value, slope = trial(y)
        # The quadratic programs stop by the size of what they make small: of the order of one here.
        size = abs(value) + float(np.linalg.norm(slope))
        if not size > 0:
            return _End(value, "the goal does not depend on the gait", 1, trial.scales * y, slope)

        def falling(y: np.ndarray) -> tuple[float, np.ndarray]:
            value, slope = trial(y)
            return -value / size, -slope / size

        found = minimize(
            falling,
            y,
            jac=True,
            method="SLSQP",
            constraints={
                "type": "eq",
                "fun": lambda y: trial.excess(y)[0],
                "jac": lambda y: trial.excess(y)[1],
            },
            options={"ftol": _CHANGE, "maxiter": _ITERATIONS},
        )
        value, slope = trial(found.x)
    except SimulationError as error:
        return _End(np.nan, str(error), trial.evaluations - first, nothing, nothing)
    normal = trial.excess(found.x)[1]
    along = slope - normal * (slope @ normal) / (normal @ normal)
    left = float(np.linalg.norm(along) / np.linalg.norm(slope)) if np.any(slope) else 0.0
    off = abs(trial.excess(found.x)[0])
    status = "converged" if left < _CONVERGED and off < _CONVERGED else f"stopped: {found.message}"
    return _End(value, status, trial.evaluations - first, trial.scales * found.x, along / trial.scales)
