r"""Relative periodic orbits by multiple shooting.

Unknowns are states :math:`x_0, \dots, x_{m-1}` at equal parts of the period, the period T and, up to turns,
their angle :math:`\phi`:

.. math::

    \varphi_{T/m}(x_i) = x_{i+1}, \qquad \varphi_{T/m}(x_{m-1}) = S(\phi)\,x_0,

with the relations of the leaf, the conserved functions at their values at the guess, and conditions that
choose the start among the states of one orbit: :math:`f(\bar x)\cdot(x_0 - \bar x) = 0`, and
:math:`A\bar x\cdot(x_0 - \bar x) = 0` for turns. Integrals over a shape, which have gradients and no values,
are held to first order. Closing repeats what is conserved, so that there are more
equations than unknowns, of full rank: Gauss-Newton. What is found does not depend on m.

Unknowns and equations are numbers without units: states over their sizes at the guess
(`geoctrl.systems.contract.scales`), the period over that of the guess, what is conserved over the lengths of
its gradients there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import long_call, tell
from geoctrl._checks import whole_number
from geoctrl._scalars import real
from geoctrl.analysis.linear.linearization import invariant_directions
from geoctrl.analysis.question.shape_integrals import shape_jets
from geoctrl.errors import EquilibriumError, GeoctrlError, InputError
from geoctrl.orbits.enclosures.orbit_symmetries import Closing, closing
from geoctrl.orbits.flow_derivative import FlowVariations
from geoctrl.orbits.orbit import PeriodicOrbit
from geoctrl.simulation.run import simulate
from geoctrl.systems import System, as_system
from geoctrl.systems.contract.points import read_point
from geoctrl.verification import Verdict

__all__ = ["find_periodic"]

_SEGMENTS = 10_000
"""At most."""
_TRIES = 60
_POLISHING = 4
_CLOSED = 1e-10
"""Residual, relative to the sizes of states, up to which an orbit counts as found."""
_ZERO = 1e-15
"""Size of a state, relative to that at the guess, which is one of rounding."""
_NONE = "no periodic orbit was found near the guess"
_ELSEWHERE = "start nearer, with another period, or with more segments"
_RETURNS = 241
"""Times between half and one and a half periods at which the motion of the guess is looked at."""
_RANK = 1e-10
"""Singular value, relative to the largest, along which no step is taken."""
_RESTS = 1e-6
"""Way over a period at the rate of a state, in sizes of states, below which a solution is an equilibrium."""
_MARGIN = 1e-7
"""Distance of multipliers from the circle that rounding of a monodromy of size one explains."""


@long_call
def find_periodic(
    sys: System,
    guess: Any,
    period: float,
    symmetry: Any = None,
    params: Mapping[str, float] | None = None,
    *,
    segments: int = 4,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> PeriodicOrbit:
    r"""A solution with :math:`x(T) = S\,x(0)` near a guess, on its levels of what is conserved.

    Parameters
    ----------
    sys : ReducedSystem
        Its periodic orbits are relative ones of the mechanism: they close up to the group.
    guess : state (n,), or pair (state, inputs)
        On the leaf; the orbit has its values of the conserved functions.
    period : float
        A guess of T (s).
    symmetry : (n, n) matrix or "axis", optional
        S, under which the motion has to be the same; "axis": a turn about the declared axis of the body by an
        angle that is found.
    params : dict, optional
        Overrides of the defaults.
    segments : int
        m, parts into which the period is cut. Unstable orbits need more, and the result is the same.
    progress, seconds
        As of `certify`.

    Returns
    -------
    PeriodicOrbit

    Raises
    ------
    EquilibriumError
        If the search does not converge, or comes to an equilibrium.
    InputError, TypeError
        For a guess that is no state of the system or rests, a period that is not positive, a symmetry that is
        none, equations that are not recorded or hold the time.
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
    """
    system = as_system(sys, "find_periodic", recorded=True)
    T, m = real(period, "period"), whole_number("segments", segments, 1, _SEGMENTS)
    if not T > 0:
        raise InputError(f"period must be positive, in seconds, got {period!r}")
    numbers = system.parameters_at(params)
    x, u, *_ = read_point(system.seen_from(None), guess, "guess")
    system.start(x, params)  # refuses what is off the leaf
    if system.time_node in system.graph.symbols(system.field_nodes):
        raise InputError("the equations hold the time: their solutions have the period of that, or none")
    closes = closing(system, symmetry, dict(numbers))
    shooting = _Shooting(system, x, u, dict(numbers), closes, m, T)
    if not shooting.moves(x, T):
        raise InputError("the guess rests: its orbit is a point; move it off the equilibrium")
    y, residual = shooting.solution(shooting.first(T))
    return _orbit(shooting, y, residual)


@dataclass(frozen=True, eq=False)
class _Shooting:
    """The equations of an orbit near a guess."""

    system: Any
    guess: np.ndarray
    u: np.ndarray
    params: dict[str, float]
    closing: Closing
    segments: int
    period: float

    @cached_property
    def flow(self) -> FlowVariations:
        return FlowVariations(self.system, self.u, self.params)

    @cached_property
    def _conserved_nodes(self) -> dict[str, Any]:
        """Nodes of what motions under these inputs keep."""
        return dict(self.system.conserved(self.params, u=self.u))

    @cached_property
    def sizes(self) -> np.ndarray:
        """Sizes (n,) of the states at the guess."""
        return self.system.seen_from(None).scales(self.guess, self.u, self.params).column

    def rate(self, x: np.ndarray) -> np.ndarray:
        return self.system.rhs(0.0, x, self.u if self.u.size else None, self.params)

    def moves(self, x: np.ndarray, time: float) -> bool:
        """Whether the state goes anywhere within a time."""
        return bool(np.linalg.norm(self.rate(x) / self.sizes) * time > _RESTS)

    def levels(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Leaf relations and conserved functions at a state, and their gradients."""
        system, seen = self.system, self.system.seen_from(None)
        nodes = list(self._conserved_nodes.values())
        values = np.ravel(system.program(nodes)(system.arguments_at(0.0, x, self.u), self.params))
        gradients = seen._gradients(nodes, x, self.u, self.params) if nodes else np.zeros((0, len(x)))
        return (
            np.concatenate([np.ravel(system.leaf_residual(x, self.params)), values]),
            np.vstack([seen.leaf_gradient(x, self.params).reshape(-1, len(x)), gradients]),
        )

    def gradients(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Of what is conserved, integrals over a shape included, by name."""
        found = self.system.seen_from(None).conserved_gradients(x, self.u, self.params)
        return found | {jet.name: np.array(jet.gradient) for jet in self._jets(x)}

    def directions(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """These gradients in the sizes of states, over their lengths at the guess."""
        there = self.gradients(self.guess)
        lengths = {name: float(np.linalg.norm(row * self.sizes)) or 1.0 for name, row in there.items()}
        return {name: row * self.sizes / lengths[name] for name, row in self.gradients(x).items()}

    # -- unknowns -------------------------------------------------------------------------------

    def first(self, period: float) -> np.ndarray:
        """Unknowns along the motion of the guess until it returns nearest."""
        period, angle = self._nearest_return(period)
        states = [self.guess]
        for _ in range(self.segments - 1):
            states.append(self.flow(states[-1], period / self.segments)[0])
        return np.concatenate(
            [*(x / self.sizes for x in states), [period / self.period], [angle] if self.closing.turns else []]
        )

    def _nearest_return(self, period: float) -> tuple[float, float]:
        """Time and angle, among those near the period that is given, at which the motion comes nearest."""
        times = np.concatenate([[0.0], np.linspace(period / 2, 1.5 * period, _RETURNS)])
        inputs = self.u if self.u.size else None
        run = simulate(
            self.system, times, self.guess, params=self.params, inputs=inputs, throw=False, domain=False
        )
        angles = np.linspace(-np.pi, np.pi, 73) if self.closing.turns else np.zeros(1)
        starts = [self.closing(a) @ self.guess for a in angles]
        apart = [
            np.linalg.norm((run.states[:, 1:] - s[:, None]) / self.sizes[:, None], axis=0) for s in starts
        ]
        if not apart[0].size:
            return period, 0.0
        k, i = np.unravel_index(np.argmin(apart), (len(apart), apart[0].size))
        return float(run.time[1 + i]), float(angles[k])

    def parts(self, y: np.ndarray) -> tuple[np.ndarray, float, float]:
        """States (m, n), period and angle of unknowns."""
        n, m = len(self.guess), self.segments
        states = y[: n * m].reshape(m, n) * self.sizes
        return states, float(y[n * m]) * self.period, float(y[-1]) if self.closing.turns else 0.0

    def relative(self, matrix: np.ndarray) -> np.ndarray:
        """A map (n, n) of deviations, in their sizes."""
        return matrix * self.sizes / self.sizes[:, None]

    def equations(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and their derivative."""
        (states, T, angle), n, m = self.parts(y), len(self.guess), self.segments
        turns = int(self.closing.turns)
        if not T > 0:
            raise EquilibriumError(f"the search ran to a period of {T:.3g} s")
        S, size = self.closing(angle), n * m + 1 + turns
        residual, rows = np.zeros(n * m), np.zeros((n * m, size))
        for i, x in enumerate(states):
            end, Phi = self.flow(x, T / m)
            here, last = slice(n * i, n * i + n), i == m - 1
            there = slice(0, n) if last else slice(n * i + n, n * i + 2 * n)
            residual[here] = (end - (S @ states[0] if last else states[i + 1])) / self.sizes
            rows[here, here] += self.relative(Phi)
            rows[here, there] -= self.relative(S) if last else np.eye(n)
            rows[here, n * m] = self.rate(end) / self.sizes * self.period / m
            if last and turns:
                rows[here, -1] = -(S @ self.closing.generator() @ states[0]) / self.sizes
        x = states[0]
        values, gradients = self.levels(x)
        scaled = self._level_combinations @ (np.vstack([gradients, self._conditions]) * self.sizes)
        apart = np.concatenate([values - self._target_levels, self._conditions @ (x - self.guess)])
        more = np.zeros((len(scaled), size))
        more[:, :n] = scaled
        return np.concatenate([residual, self._level_combinations @ apart]), np.vstack([rows, more])

    @cached_property
    def _level_combinations(self) -> np.ndarray:
        """Combinations of levels and conditions that are orthonormal at the guess: near an equilibrium the
        energy says little beside the momenta, and has to be heard all the same.
        """
        _, gradients = self.levels(self.guess)
        rows = np.vstack([gradients, self._conditions]) * self.sizes
        lengths = np.linalg.norm(rows, axis=1)
        lengths[lengths == 0] = 1.0
        U, sizes, _ = np.linalg.svd(rows / lengths[:, None], full_matrices=False)
        known = sizes > _RANK * sizes[0]
        return U[:, known].T / sizes[known, None] / lengths

    @cached_property
    def _conditions(self) -> np.ndarray:
        """What chooses the start on an orbit, and the orbit among those with other integrals over a shape.

        Of lengths in the sizes of states; a plane across the motion is one in these.
        """
        x, sizes = self.guess, self.sizes
        along = [self.rate(x)]
        if self.closing.turns:
            along.append(self.closing.generator() @ x)
        rows = [a / sizes**2 for a in along] + [np.array(jet.gradient) for jet in self._jets(x)]
        return np.array([row / (np.linalg.norm(row * sizes) or 1.0) for row in rows])

    def _jets(self, x: np.ndarray) -> list[Any]:
        return shape_jets(self.system, x, self.u, self.params)

    @cached_property
    def _target_levels(self) -> np.ndarray:
        values, _ = self.levels(self.guess)
        relations = len(self.system.leaf.names)
        return np.concatenate([np.zeros(relations), values[relations:]])

    def solution(self, y: np.ndarray) -> tuple[np.ndarray, float]:
        """Levenberg and Marquardt, then Newton's own steps as long as they help."""
        from scipy.optimize import least_squares

        try:
            y = least_squares(
                self._residual,
                y,
                self._slope,
                method="lm",
                xtol=1e-14,
                ftol=1e-14,
                gtol=1e-14,
                max_nfev=_TRIES,
            ).x
            residual, J = self.equations(y)
            tell("polishing the orbit")
            for _ in range(_POLISHING):
                trial = y + np.linalg.lstsq(J, -residual, rcond=_RANK)[0]
                better = self.equations(trial)
                if np.linalg.norm(better[0]) >= np.linalg.norm(residual):
                    break
                y, (residual, J) = trial, better
        except (GeoctrlError, ArithmeticError, ValueError) as error:
            raise EquilibriumError(f"{_NONE}: {error}; {self._remedy}") from None
        defect = float(np.max(np.abs(residual))) / max(1.0, float(np.max(np.abs(y))))  # of numbers alone
        if not defect <= _CLOSED:
            raise EquilibriumError(f"{_NONE}: the defect is {defect:.3g} after the last step; {self._remedy}")
        return y, defect

    @property
    def _remedy(self) -> str:
        """What to try, where the search found nothing: angles that go round never return to their values."""
        end, labels = self.flow(self.guess, self.period)[0], self.system.state_labels
        angles = [labels.index(c.name) for c in self.system.mechanism.shape if c.angle]
        turning = [labels[i] for i in angles if abs(end[i] - self.guess[i]) > np.pi]
        if not turning:
            return _ELSEWHERE
        return (
            f"{', '.join(turning)} goes round: an orbit is asked to return to the values of all states, and "
            "angles that differ by whole turns are not taken for one. Describe such an angle as a direction, "
            "a gc.AdvectedParameter on gc.so2(), which returns"
        )

    def _residual(self, y: np.ndarray) -> np.ndarray:
        return self.equations(y)[0]

    def _slope(self, y: np.ndarray) -> np.ndarray:
        return self.equations(y)[1]


def _orbit(shooting: _Shooting, y: np.ndarray, residual: float) -> PeriodicOrbit:
    """The orbit with its multipliers."""
    # What is left of a zero is below the rounding of what was solved for, and has no size of its own.
    states, T, angle = shooting.parts(np.where(np.abs(y) < _ZERO, 0.0, y))
    x, S, system = states[0], shooting.closing(angle), shooting.system
    if not shooting.moves(x, T):
        raise EquilibriumError(
            f"{_NONE}: the search came to a point, with the period {T:.3g} s, where nothing moves; "
            f"{_ELSEWHERE}"
        )
    Phi = np.eye(len(x))
    for state in states:
        Phi = shooting.flow(state, T / shooting.segments)[1] @ Phi
    M = np.linalg.solve(S, Phi)
    sizes = shooting.sizes
    W = np.linalg.qr(system.seen_from(None).leaf_basis(x, shooting.params) / sizes[:, None])[0]
    names, level = invariant_directions(shooting.directions(x), W)
    directions = {"time": shooting.rate(x) / sizes}
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
    )
