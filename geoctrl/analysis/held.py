r"""The loop of a sampled controller as a discrete system, linearised exactly on the leaf.

With :math:`\Phi(s) = e^{As}` and :math:`G(s) = \int_0^s e^{A\sigma}\,d\sigma\,B` of the pair (A, B) on the
leaf, a command that acts over the last s of a hold moves the state by G(s). Without a delay one hold is
:math:`M = \Phi(h) + G(h) K W`, K the derivative of the law and W the basis of the leaf. The actuator's lag
belongs to A; states of the controller are rows of sums; a delay of (d + f) h keeps the commands
:math:`u_{k-1}, \dots` as states, of which :math:`u_{k-d}` acts through :math:`G(h - f h)` and
:math:`u_{k-d-1}` through :math:`G(h) - G(h - f h)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geoctrl._checks import quantity
from geoctrl._scalars.long_calls import long_call
from geoctrl.analysis.certificates import Certificate, certify
from geoctrl.analysis.hold_bracket import HoldBracket, hold_bracket
from geoctrl.analysis.linearization import invariant_directions, linearized
from geoctrl.analysis.loop_point import loop_point
from geoctrl.errors import InputError
from geoctrl.sampling import MOST_LATE, SampledController
from geoctrl.systems import Equilibrium, System, as_system
from geoctrl.systems.tolerances import KERNEL, UNIT

__all__ = ["HeldLinearization", "linearize_held"]

_POINTS = 400
"""Holds tried in search of the first that is unstable: stable ones need not be an interval."""

_HALVINGS = 50


@dataclass(frozen=True, eq=False)
class _Pair:
    """What does not depend on the hold: the pair with the actuator's lag, and the derivatives of the law."""

    A: np.ndarray
    B: np.ndarray
    K: np.ndarray
    """Of the law by leaf coordinates, actuators and states of the controller."""
    R: np.ndarray
    """Of the controller's rates by these, and by the inputs applied."""
    level: np.ndarray
    """Basis of leaf coordinates and actuators along which nothing conserved changes."""
    tangents: np.ndarray
    """Directions of fixed points in the level, in leaf coordinates, actuators and controller states."""
    W: np.ndarray
    """Basis of the leaf, in states of the plant."""


@dataclass(frozen=True, eq=False)
class HeldLinearization:
    r"""One hold of a sampled loop to first order, :math:`\delta_{k+1} = M\,\delta_k`.

    Attributes
    ----------
    M : ndarray (N, N)
        On leaf coordinates, outputs of lagging actuators, states of the controller, commands that wait.
    labels : tuple of str
        Of these.
    multipliers : ndarray (N,)
        Eigenvalues of M; those that are forced to be one are exactly one and come first.
    neutral : tuple of str
        A name for each of them: a function that is conserved whatever the inputs do, then a state along
        which fixed points continue, or "family".
    inner : ndarray
        M on the level sets of these functions, modulo these directions.
    controller : SampledController
    equilibrium : Equilibrium
    """

    M: np.ndarray
    labels: tuple[str, ...]
    multipliers: np.ndarray
    neutral: tuple[str, ...]
    inner: np.ndarray
    controller: SampledController
    equilibrium: Equilibrium
    _pair: _Pair
    _plant: System

    @property
    def radius(self) -> float:
        """Largest modulus of a multiplier that is not forced to be one; zero where there is none."""
        return _radius(self.inner)

    @property
    def roots(self) -> np.ndarray:
        """Eigenvalues (1/s) of the loop without hold or delay, where its `inner` has its multipliers."""
        pair = self._pair
        inner = _inner(pair, _unheld(pair.A, pair.B, pair.K, pair.R))
        return np.linalg.eigvals(inner) if inner.size else np.zeros(0)

    def inner_with(self, terms: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """`inner` with other derivatives of the law, as `Feedback.jacobian` gives them."""
        pair = self._pair
        lagging = len(pair.A) - pair.W.shape[1]
        K, R = (_on_leaf(rows, pair.W, lagging) for rows in (terms, rates))
        changed = replace(pair, K=K, R=R, tangents=_still(pair.A, pair.B, K, R, pair.level))
        return _inner(changed, _matrix(changed, self.controller))

    @property
    def stable(self) -> bool:
        """Whether `radius` is below one, in floats: near motions come to a fixed point of the family."""
        return self.radius < 1

    @long_call
    def largest_hold(
        self,
        shortest: float = 1e-4,
        longest: float = 10.0,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> tuple[float, float]:
        """Where stability ends first as the hold grows: a stable hold, and one next to it that is not.

        Delay and lag in seconds stay what they are; 400 holds are tried, and the first crossing is bisected.

        Parameters
        ----------
        shortest, longest : float
            Between which holds are tried (s).
        progress, seconds
            As of `certify`.

        Returns
        -------
        tuple of float
            ``(0.0, shortest)`` if none is stable from the first on, ``(longest, inf)`` if all are.

        Raises
        ------
        InputError
            Unless 0 < shortest < longest.

        Examples
        --------
        >>> import geoctrl as gc
        >>> mech = gc.models.get("pendulum-skate-rotor")()
        >>> law, plant = gc.match(mech).law(sigma=-1e-5), mech.reduce()
        >>> damped = law.with_damping(k=0.27).sampled(rate=100)
        >>> loop = gc.linearize_held(plant, damped, plant.equilibrium("sliding", Y0=1.0))
        >>> loop.neutral, loop.stable
        (('C1', 'C2', 'theta_dot'), True)
        >>> round(loop.largest_hold()[0], 8)
        0.02085477
        """
        low, high = quantity("shortest", shortest), quantity("longest", longest)
        if not 0 < low < high:
            raise InputError(f"holds are tried between 0 < shortest < longest, got {low:g} and {high:g}")
        if 1 / low == np.inf or 1 / high == 0:
            raise InputError(f"holds from {low:g} to {high:g} s have no rates in doubles; try 1e-4 to 10")
        if self.controller.delay > MOST_LATE * low:
            raise InputError(
                f"the delay, {self.controller.delay:g} s, is more than {MOST_LATE} of the shortest holds, "
                f"{low:g} s; raise shortest to {self.controller.delay / MOST_LATE:g} s or more"
            )
        stable = 0.0
        for h in np.geomspace(low, high, _POINTS).tolist():
            if not self._holds(h):
                break
            stable = h
        else:
            return high, np.inf
        if stable == 0.0:
            return 0.0, h
        unstable = h
        for _ in range(_HALVINGS):
            h = (stable + unstable) / 2
            stable, unstable = (h, unstable) if self._holds(h) else (stable, h)
        return stable, unstable

    @long_call
    def bracket(
        self,
        width: float = 1e-9,
        shortest: float = 1e-4,
        longest: float = 10.0,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> HoldBracket:
        """`largest_hold` with proofs: certificates of a stable hold and of an unstable one next to it.

        Parameters
        ----------
        width : float
            Largest distance of the two (s).
        shortest, longest : float
            As of `largest_hold`.
        progress, seconds
            As of `certify`.

        Returns
        -------
        HoldBracket

        Raises
        ------
        InputError
            If stability does not end between the shortest and the longest hold, or the width is smaller than
            floats can tell; as `certify` for a controller that rounds, is noisy, or rests at a limit.
        CertificateError
            If nothing is proved within the width.

        Examples
        --------
        >>> import geoctrl as gc
        >>> mech = gc.models.get("pendulum-skate-rotor")()
        >>> law, plant = gc.match(mech).law(sigma=-1e-5).with_damping(k=0.27), mech.reduce()
        >>> loop = gc.linearize_held(plant, law.sampled(rate=100), plant.equilibrium("sliding", Y0=1.0))
        >>> found = loop.bracket()
        >>> print(found.stable.verdict, found.unstable.verdict, found.width < 1e-9)
        PROVED_STABLE PROVED_UNSTABLE True
        """
        size = quantity("width", width)
        if not size > 0:
            raise InputError(f"width must be positive, in seconds, got {width!r}; 1e-9 is the default")
        low, high = self.largest_hold(shortest, longest)
        if low == 0 or np.isinf(high):
            found = "no hold is stable" if low == 0 else "every hold is stable"
            raise InputError(f"{found} that was tried between {shortest:g} and {longest:g} s")

        def at(h: float) -> Certificate:
            controller = replace(self.controller, rate=1 / h)
            return certify(self._plant, self.equilibrium, controller=controller)

        return hold_bracket(at, (low + high) / 2, size)

    def first_order_hold(self) -> float:
        r"""The largest hold by a rule of first order: a hold is a delay of h/2.

        Eigenvalues :math:`\lambda_i` of the loop without a hold move by :math:`-(h/2 + \tau)\,\lambda_i\,
        l_i B K r_i`, with :math:`l_i r_i = 1` and a delay :math:`\tau`. An estimate for holds that are short
        beside :math:`1/|\lambda|`, neither bound nor proof; infinite where the rule sees no end.

        Returns
        -------
        float
            In seconds; zero where the loop is not stable without a hold.

        Raises
        ------
        InputError
            For a controller with states of its own, which the rule does not know.
        """
        pair = self._pair
        if len(pair.R):
            raise InputError("the rule of first order is for laws without states of their own")
        C = pair.A + pair.B @ pair.K
        roots, right = np.linalg.eig(_inner(pair, C))
        if not np.all(roots.real < 0):
            return 0.0
        moved = np.linalg.inv(right) @ _inner(pair, pair.B @ pair.K @ C) @ right
        rates = np.diag(moved).real
        ends = [2 * a / b for a, b in zip(roots.real, rates, strict=True) if b < 0]
        return max(0.0, min(ends, default=np.inf) - 2 * self.controller.delay)

    def _holds(self, h: float) -> bool:
        M = _matrix(self._pair, replace(self.controller, rate=1 / h))
        # A mode that grows beyond doubles within a hold is not stable.
        return bool(np.isfinite(M).all()) and _radius(_inner(self._pair, M)) < 1

    def __repr__(self) -> str:
        count = len(self.neutral)
        others = ", ".join(f"{complex(z):.6g}" for z in self.multipliers[count:])
        return (
            f"<HeldLinearization at {self.controller.rate:g} Hz: {'stable' if self.stable else 'unstable'}>\n"
            f"  multipliers: {others}\n  neutral: {', '.join(self.neutral) or '-'}"
        )


@long_call
def linearize_held(
    plant: System,
    controller: SampledController,
    eq: Any,
    params: Mapping[str, float] | None = None,
    *,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> HeldLinearization:
    """Linearise the loop of a sampled controller at an equilibrium of its plant, hold by hold and exactly.

    Limits must not be met nearby; quantisation and noise leave a bound that a linearisation does not tell.

    Parameters
    ----------
    plant : ReducedSystem
        With the inputs that the controller sets.
    controller : SampledController
        Made by ``law.sampled``.
    eq : Equilibrium, state ``x`` or pair ``(x, u)``
    params : dict, optional
        Of the plant, instead of those of the equilibrium.
    progress, seconds
        As of `certify`.

    Returns
    -------
    HeldLinearization

    Raises
    ------
    EquilibriumError
        If the point is no equilibrium at the torque that the law asks for there, the states of the controller
        do not rest, or it rests only in axes that turn.
    LabelError
        If the controller does not fit the plant.
    InputError
        For a system on spheres or rotations, or a hold in which the loop grows beyond doubles.
    ParameterError
        For an unknown parameter.
    TypeError
        If ``plant`` is no system, or ``controller`` no sampled controller.
    """
    system = as_system(plant, "linearize_held")
    point = loop_point(system, controller, eq, params)
    lin = linearized(system.seen_from(None), point)
    pair, names = _pair_of(system, controller, point, lin.A_leaf, lin.B, lin.basis)
    M = _matrix(pair, controller)
    if not np.isfinite(M).all():
        raise InputError(
            f"a hold of {controller.hold:g} s moves the loop beyond doubles, as it grows without commands; "
            f"raise the rate of {controller.rate:g} Hz"
        )
    inner = _inner(pair, M)
    others = np.linalg.eigvals(inner) if inner.size else np.zeros(0)
    multipliers = np.concatenate([np.ones(len(names)), others[np.argsort(-np.abs(others), kind="stable")]])
    law, (late, part) = controller.feedback, controller.holds_late
    waiting = [f"{u}, {j} before" for j in range(1, late + (part > 0) + 1) for u in law.inputs]
    lagging = [f"{u}, lagging" for u in law.inputs] if controller.lag else []
    labels = (*lin.leaf_labels, *lagging, *law.own, *waiting)
    return HeldLinearization(M, labels, multipliers, tuple(names), inner, controller, point, pair, system)


def _pair_of(
    system: Any,
    controller: SampledController,
    point: Equilibrium,
    A: np.ndarray,
    B: np.ndarray,
    W: np.ndarray,
) -> tuple[_Pair, list[str]]:
    """The pair, and the names of what is neutral in it."""
    law = controller.feedback
    values = dict(zip(system.state_labels, point.x.tolist(), strict=True))
    by_terms, by_rates = law.jacobian(values)
    d, m = W.shape[1], len(law.inputs)
    B = W.T @ B[:, [system.input_labels.index(label) for label in law.inputs]]
    lagging = m if controller.lag else 0
    K, R = (_on_leaf(rows, W, lagging) for rows in (by_terms, by_rates))
    # Functions that no input changes force left null vectors; the names come by an exact test.
    kept = set(system.conserved(dict(point.params), all_inputs=True))
    gradients = system.seen_from(None).conserved_gradients(point.x, point.u, dict(point.params))
    names, level = invariant_directions({k: g for k, g in gradients.items() if k in kept}, W)
    if lagging:
        A = np.block([[A, B], [np.zeros((m, d)), -np.eye(m) / controller.lag]])
        B = np.vstack([np.zeros((d, m)), np.eye(m) / controller.lag])
        level = np.block([[level, np.zeros((d, m))], [np.zeros((m, level.shape[1])), np.eye(m)]])
    tangents = _still(A, B, K, R, level)
    directions = np.vstack([W @ tangents[:d], tangents[d:]])
    along = [
        label
        for i, label in enumerate((*system.state_labels, *["actuator"] * lagging, *law.own))
        if np.linalg.norm(directions[i]) > 1 - UNIT
    ]
    names += [*along, *["family"] * (tangents.shape[1] - len(along))]
    return _Pair(A, B, K, R, level, tangents, W), names


def _on_leaf(rows: np.ndarray, W: np.ndarray, lagging: int) -> np.ndarray:
    """Derivatives by states of the plant and what follows them, by leaf coordinates and actuators instead."""
    n = len(W)
    return np.hstack([rows[:, :n] @ W, np.zeros((len(rows), lagging)), rows[:, n:]])


def _unheld(A: np.ndarray, B: np.ndarray, K: np.ndarray, R: np.ndarray) -> np.ndarray:
    """The loop without a hold, states of the controller behind those of the plant."""
    plant = np.hstack([A, np.zeros((len(A), len(R)))]) + B @ K
    return np.vstack([plant, R[:, : K.shape[1]] + R[:, K.shape[1] :] @ K])


def _still(A: np.ndarray, B: np.ndarray, K: np.ndarray, R: np.ndarray, level: np.ndarray) -> np.ndarray:
    """Directions of fixed points in the level."""
    q = len(R)
    inside = np.block([[level, np.zeros((len(level), q))], [np.zeros((q, level.shape[1])), np.eye(q)]])
    _, sizes, rows = np.linalg.svd(inside.T @ _unheld(A, B, K, R) @ inside)
    return inside @ rows[sizes <= KERNEL * max(1.0, sizes.max(initial=0.0))].T


def _matrix(pair: _Pair, controller: SampledController) -> np.ndarray:
    """M of a hold."""
    h, (late, part) = controller.hold, controller.holds_late
    (p, m), q = pair.B.shape, len(pair.R)
    waiting = late + (part > 0)
    size = p + q + waiting * m
    whole, last = _moved(pair, h), _moved(pair, h * (1 - part))
    K = np.hstack([pair.K, np.zeros((m, waiting * m))])

    def command(j: int) -> np.ndarray:
        """The command of j holds before, as a row of the state."""
        rows = np.zeros((m, size))
        rows[:, p + q + (j - 1) * m : p + q + j * m] = np.eye(m)
        return rows if j else K

    M = np.zeros((size, size))
    M[:p, :p] = whole[:, :p]
    M[:p] += last[:, p:] @ command(late)
    if part:
        M[:p] += (whole[:, p:] - last[:, p:]) @ command(late + 1)
    M[p : p + q, p : p + q] = np.eye(q)
    M[p : p + q, : p + q] += h * pair.R[:, : p + q]
    M[p : p + q] += h * pair.R[:, p + q :] @ K
    for j in range(1, waiting + 1):
        M[p + q + (j - 1) * m : p + q + j * m] = command(j - 1)
    return M


def _moved(pair: _Pair, s: float) -> np.ndarray:
    """(Phi(s), G(s)), side by side."""
    from scipy.linalg import expm

    p, m = pair.B.shape
    block = np.zeros((p + m, p + m))
    block[:p] = np.hstack([pair.A, pair.B])
    return expm(block * s)[:p]


def _inner(pair: _Pair, M: np.ndarray) -> np.ndarray:
    """M on the level, modulo the directions of fixed points."""
    p, q, size = len(pair.A), len(pair.R), len(M)
    m = len(pair.K)
    level = np.eye(size)
    level = np.hstack([np.vstack([pair.level, np.zeros((size - p, pair.level.shape[1]))]), level[:, p:]])
    # At a fixed point the commands that wait are those of the law there.
    waiting = np.tile(pair.K @ pair.tangents, ((size - p - q) // m, 1))
    still = level.T @ np.vstack([pair.tangents, waiting])
    across = np.linalg.qr(still, mode="complete")[0][:, still.shape[1] :]
    return across.T @ level.T @ M @ level @ across


def _radius(matrix: np.ndarray) -> float:
    return float(np.abs(np.linalg.eigvals(matrix)).max(initial=0.0)) if matrix.size else 0.0
