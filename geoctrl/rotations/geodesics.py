r"""Geodesics between two attitudes, for the round metric and for that of an inertia.

With the metric :math:`\Omega \cdot J \Omega` (J = I: the round metric, [LLM17, problem 6.16]; else problem
6.17) geodesics are the motions of the free body,

.. math::

    \dot R = R \hat\Omega, \qquad J \dot\Omega = J\Omega \times \Omega, \qquad R(0) = R_0, \quad R(1) = R_1 .

Those of the round metric are :math:`R_0 \exp(t \hat v)` with :math:`v = (\theta + 2 \pi k) n`, k any whole
number. The others are found by shooting: Newton on :math:`\log(R_1^T R(1)) = 0` for :math:`\Omega(0)`, with
the derivative :math:`\delta R(1) = R(1) \hat\eta(1)` from the variational equations of
`geoctrl.rotations.free_flow`. The solutions found are exact to rounding; that they are all is not claimed.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, whole_number
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.errors import ConvergenceError, InputError
from geoctrl.rotations.attitudes import checked_attitudes, exp, hat, log
from geoctrl.rotations.free_flow import free_flow
from geoctrl.rotations.given import checked_inertias

__all__ = ["Geodesic", "geodesic"]

_MOST = 1_000_000
"""Turns, and starts."""
ANTIPODAL = 1e-9
"""Rotations by an angle nearer to pi than this have two axes: rounding decides which is found."""
HIT, SAME = 1e-10, 1e-7
"""Largest accepted defect at the end (rad), and difference of two velocities that count as one (relative)."""
CONJUGATE = 1e-6
"""Ratio of singular values of the end's derivative by the initial velocity that counts as singular."""
_ROUNDING, _ITERATIONS, _FAST = 1e-14, 30, 3.0


class Geodesic:
    """A geodesic on the time interval [0, 1].

    Attributes
    ----------
    R0, R1 : ndarray (3, 3)
        Attitudes at the ends.
    velocity : ndarray (3,)
        Omega at the beginning, in body components (rad).
    inertia : ndarray (3, 3)
        J of the metric; the identity for the round one.
    energy : float
        ``1/2 Omega.J Omega``, constant; the functional of [LLM17] is twice this.
    length : float
        ``sqrt(2 energy)``.
    residual : float
        Angle (rad) by which ``R(1)`` misses R1.
    turns : int or None
        k, for the round metric.
    antipodal : bool
        Whether R0 and R1 differ by a half turn: shortest geodesics of the round metric then come in pairs.
    conjugate : bool
        Whether the end is conjugate to the beginning: geodesics of this length then come in families, of
        which one is given (closed ones of the round metric, R0 = R1, about any axis).

    Raises
    ------
    InputError
        If a matrix or the velocity has another shape or is not finite.
    """

    def __init__(
        self,
        R0: np.ndarray,
        R1: np.ndarray,
        velocity: np.ndarray,
        inertia: np.ndarray,
        turns: int | None = None,
        antipodal: bool = False,
        conjugate: bool = False,
    ) -> None:
        self.R0, self.R1 = finite_array("R0", R0, (3, 3)), finite_array("R1", R1, (3, 3))
        self.velocity = velocity = finite_array("velocity", velocity, (3,))
        self.inertia = inertia = finite_array("inertia", inertia, (3, 3))
        self.turns, self.antipodal = turns, antipodal
        self.conjugate = conjugate
        self.energy = float(velocity @ inertia @ velocity) / 2
        self.length = float(np.sqrt(2 * self.energy))

    def __call__(self, t: Any) -> np.ndarray:
        """Attitudes (3, 3) or (nt, 3, 3) at times in [0, 1].

        Raises
        ------
        InputError
            For other times.
        """
        return self._flow_at(t)[0]

    def Omega(self, t: Any) -> np.ndarray:
        """Velocities (3,) or (nt, 3) at times in [0, 1], body components."""
        return self._flow_at(t)[1]

    def _flow_at(self, t: Any) -> tuple[np.ndarray, np.ndarray]:
        times = finite_array("t", t)
        if times.ndim > 1 or np.any(times < 0) or np.any(times > 1):
            raise InputError(f"t must be a number or a row of numbers in [0, 1], got {t!r}")
        if self.turns is not None:
            v = self.velocity
            return self.R0 @ exp(times[..., None] * v), np.broadcast_to(v, (*times.shape, 3)).copy()
        row = np.atleast_1d(times)
        order = np.argsort(row)
        R, Omega = np.empty((row.size, 3, 3)), np.empty((row.size, 3))
        R[order], Omega[order], _ = _flow(self.velocity, self.inertia, row[order])
        R = self.R0 @ R
        return (R, Omega) if times.ndim else (R[0], Omega[0])

    @cached_property
    def residual(self) -> float:
        """Angle (rad) by which ``R(1)`` misses R1."""
        return float(np.linalg.norm(log(self.R1.T @ self(1.0))))

    def _lines(self) -> list[str]:
        words = f" with {self.turns} full turns" if self.turns else ""
        return [f"<Geodesic of length {self.length:.9g}{words}, residual {self.residual:.2g}>"]

    full = full_text
    __repr__ = short_form


def geodesic(R0: Any, R1: Any, inertia: Any = None, turns: int = 1, starts: int = 100) -> list[Geodesic]:
    """Geodesics from R0 to R1, the shortest first.

    Parameters
    ----------
    R0, R1 : array (3, 3)
        Attitudes, body to reference.
    inertia : array (3, 3) or (3,), optional
        J of the metric; the round metric without it, as with the identity.
    turns : int
        For the round metric all windings k = -turns .. turns, which are all geodesics up to that many full
        turns. For an inertia they are the first guesses, next to ``starts`` others.
    starts : int
        Further initial velocities, up to the longest winding, from which geodesics of an inertia are sought.
        What is found is what these reach: the list need not be complete.

    Returns
    -------
    list of Geodesic
        Without duplicates, in the order of their lengths.

    Raises
    ------
    ConstraintError
        If an attitude misses being a rotation by more than 1e-3; from 1e-12 on it is projected with a
        `ProjectionWarning`.
    InputError
        For a wrong shape, an inertia that is not symmetric positive definite, or turns or starts below zero.
    ConvergenceError
        If no first guess leads to a geodesic of the inertia.

    Examples
    --------
    >>> quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> [(g.turns, round(g.length / np.pi, 4)) for g in geodesic(np.eye(3), quarter)]
    [(0, 0.5), (-1, 1.5), (1, 2.5)]
    >>> best = geodesic(np.eye(3), quarter, inertia=[1.0, 2.0, 4.0])[0]
    >>> round(best.length / np.pi, 4), best.velocity.round(4), best.residual < 1e-9
    (1.0, array([0.    , 0.    , 1.5708]), True)
    """
    R0, R1 = (checked_attitudes(name, [R], 1)[0] for name, R in (("R0", R0), ("R1", R1)))
    for name, count in (("turns", turns), ("starts", starts)):
        whole_number(name, count, 0, _MOST)
    windings = _round(R0, R1, turns)
    if inertia is None:
        return windings
    J = finite_array("inertia", inertia)
    if J.shape not in ((3,), (3, 3)):
        raise InputError(f"inertia must have shape (3, 3) or (3,), got {J.shape}")
    J = checked_inertias(np.diag(J)[None] if J.ndim == 1 else J[None])[0]
    return _geodesics(R0, R1, J, windings, starts)


def _round(R0: np.ndarray, R1: np.ndarray, turns: int) -> list[Geodesic]:
    v = log(R0.T @ R1)
    angle = float(np.linalg.norm(v))
    axis = v / angle if angle > 0 else np.array([0.0, 0.0, 1.0])
    antipodal, closed = abs(angle - np.pi) < ANTIPODAL, angle == 0
    # With R0 = R1 the windings k and -k are one closed geodesic, run through in two senses.
    counts = range(0 if closed else -turns, turns + 1)
    found = [
        Geodesic(R0, R1, (angle + 2 * np.pi * k) * axis, np.eye(3), k, antipodal, closed and k != 0)
        for k in counts
    ]
    return sorted(found, key=lambda g: (g.length, -(g.turns or 0)))


def _geodesics(
    R0: np.ndarray, R1: np.ndarray, J: np.ndarray, windings: list[Geodesic], starts: int
) -> list[Geodesic]:
    target = R0.T @ R1
    size = max(np.pi, *(g.length for g in windings))
    rng = np.random.default_rng(5)
    directions = rng.normal(size=(starts, 3))
    directions *= (size * rng.uniform(0.05, 1.0, starts) / np.linalg.norm(directions, axis=1))[:, None]
    found: list[Geodesic] = []
    for guess in [*(g.velocity for g in windings), *directions]:
        velocity, conjugate = _newton(guess, target, J)
        if velocity is None or any(_same(velocity, conjugate, other) for other in found):
            continue
        g = Geodesic(R0, R1, velocity, J, antipodal=windings[0].antipodal, conjugate=conjugate)
        if g.residual <= HIT:
            found.append(g)
    if not found:
        raise ConvergenceError("no geodesic was found from any first guess; take more starts")
    return sorted(found, key=lambda g: g.length)


def _same(velocity: np.ndarray, conjugate: bool, other: Geodesic) -> bool:
    if conjugate and other.conjugate:
        return abs(float(np.sqrt(velocity @ other.inertia @ velocity)) - other.length) <= SAME * other.length
    return float(np.linalg.norm(velocity - other.velocity)) < SAME * max(1.0, float(np.linalg.norm(velocity)))


def _newton(velocity: np.ndarray, target: np.ndarray, J: np.ndarray) -> tuple[np.ndarray | None, bool]:
    """Initial velocity of a geodesic from I to ``target`` and whether its end is conjugate to its beginning.

    None where Newton's iteration does not lead to one.
    """
    best, fast = np.inf, _FAST * max(np.pi, float(np.linalg.norm(velocity)))
    for _ in range(_ITERATIONS):
        R, _, eta = _flow(velocity, J, np.ones(1))
        miss = log(target.T @ R[0])
        size = float(np.linalg.norm(miss))
        derivative = _log_rate(miss) @ eta
        step, _, _, singular = np.linalg.lstsq(derivative, miss, rcond=1e-9)
        if size <= _ROUNDING or (size <= HIT and size >= best / 2):
            return velocity, bool(singular[-1] < CONJUGATE * singular[0])
        best = min(best, size)
        length = float(np.linalg.norm(step))
        velocity = velocity - step * min(1.0, 1.0 / length if length else 1.0)
        if not np.all(np.isfinite(velocity)) or np.linalg.norm(velocity) > fast:
            break
    return None, False


def _flow(
    velocity: np.ndarray, J: np.ndarray, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R (nt, 3, 3) from I and Omega (nt, 3) at increasing times, and eta (3, 3) at the last."""
    R, Omega, eta = np.empty((times.size, 9)), np.empty((times.size, 3)), np.empty(9)
    if not free_flow(velocity, J, np.linalg.inv(J), times, R, Omega, eta):
        raise ConvergenceError("the free body's motion takes too many steps; the velocity is too large")
    return R.reshape(-1, 3, 3), Omega, eta.reshape(3, 3).T


def _log_rate(v: np.ndarray) -> np.ndarray:
    """Derivative of ``log(exp(v) exp(eta))`` by eta at zero: I + hat(v)/2 + ..."""
    angle = float(np.linalg.norm(v))
    A = hat(v)
    if angle < 1e-4:
        return np.eye(3) + A / 2 + A @ A / 12
    return np.eye(3) + A / 2 + (1 / angle**2 - 1 / (2 * angle * np.tan(angle / 2))) * A @ A
