"""The loop of a sampled controller as a discrete system, linearised exactly on the leaf."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import long_call
from geoctrl._checks import quantity
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.analysis.certificates.certificates import Certificate, certify
from geoctrl.analysis.certificates.hold_bracket import HoldBracket, hold_bracket
from geoctrl.analysis.certificates.one_hold import (
    HeldPair,
    held_pair,
    hold_matrix,
    in_leaf_coordinates,
    inner_of,
    on_leaf,
    radius_of,
    unheld,
)
from geoctrl.analysis.certificates.recorded_loop import recorded_loop
from geoctrl.analysis.certificates.sampled_loop_proof import loop_point
from geoctrl.analysis.linear.linearization import linearization_at
from geoctrl.errors import InputError
from geoctrl.sampling import MOST_LATE, SampledController, warn_of_slow
from geoctrl.systems import Equilibrium, System, as_system
from geoctrl.systems.typesetting.printed_spectra import spectrum_line

__all__ = ["HeldLinearization", "linearize_held"]

_POINTS = 400
"""Holds tried in search of the first that is unstable: stable ones need not be an interval."""

_HALVINGS = 50

_WIDTH = 1e-8
"""Part of a hold within which two proofs are asked for."""


@dataclass(frozen=True, eq=False)
class HeldLinearization:
    r"""One hold of a sampled loop to first order, :math:`\delta_{k+1} = M\,\delta_k`.

    Attributes
    ----------
    M : ndarray (N, N)
        On leaf coordinates, outputs of lagging actuators, states of the controller, commands that wait. What
        sensors see of inputs is a state of the controller: those of one hold before, and so on.
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
    _pair: HeldPair
    _plant: System

    @property
    def radius(self) -> float:
        """Largest modulus of a multiplier that is not forced to be one; zero where there is none."""
        return radius_of(self.inner)

    @property
    def roots(self) -> np.ndarray:
        """Eigenvalues (1/s) of the loop without hold or delay, where its `inner` has its multipliers.

        Raises
        ------
        InputError
            For an estimate, which is stepped from sample to sample.
        """
        self._require_no_steps("gc.linearize of its closed_loop() has the eigenvalues without a hold")
        pair = self._pair
        inner = inner_of(pair, unheld(pair.A, pair.B, pair.K, pair.R))
        return np.linalg.eigvals(inner) if inner.size else np.zeros(0)

    def inner_with(self, terms: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """`inner` with other derivatives of the law, as `Feedback.jacobian` gives them."""
        pair = self._pair
        lagging = len(pair.A) - pair.W.shape[1]
        K, R = (on_leaf(rows, pair.W, lagging) for rows in (terms, rates))
        changed = replace(pair, K=K, R=R)
        return inner_of(changed, hold_matrix(changed, self.controller))

    @property
    def stable(self) -> bool:
        """Whether `radius` is below one, in floats: near motions come to a fixed point of the family."""
        return self.radius < 1

    @long_call
    def largest_hold(
        self,
        shortest: float | None = None,
        longest: float | None = None,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> tuple[float, float]:
        """Where stability ends first as the hold grows: a stable hold, and one next to it that is not.

        Delay and lag in seconds stay what they are; 400 holds are tried, and the first crossing is bisected.

        Parameters
        ----------
        shortest, longest : float, optional
            Between which holds are tried (s): by default a thousandth of the time of the fastest mode of
            plant and loop, or the least that the delay allows, and a thousand times that of the plant.
        progress, seconds
            As of `certify`.

        Returns
        -------
        tuple of float
            ``(0.0, shortest)`` if none is stable from the first on, ``(longest, inf)`` if all are.

        Raises
        ------
        InputError
            Unless 0 < shortest < longest; for an estimate, whose steps depend on the hold.

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
        low, high = self._range(shortest, longest)
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

    def _range(self, shortest: float | None, longest: float | None) -> tuple[float, float]:
        """Shortest and longest hold that are tried."""
        self._require_no_steps("ask gc.linearize_held at one rate after the other")
        least = max(1e-3 / self._pair.fastest, self.controller.delay / MOST_LATE)
        low = least if shortest is None else quantity("shortest", shortest)
        high = max(1e3 / self._pair.rate, 1e3 * low) if longest is None else quantity("longest", longest)
        if not 0 < low < high:
            raise InputError(f"holds are tried between 0 < shortest < longest, got {low:g} and {high:g}")
        if 1 / low == np.inf or 1 / high == 0:
            raise InputError(
                f"holds from {low:g} to {high:g} s have no rates in doubles; the plant's time is "
                f"{1 / self._pair.rate:g} s"
            )
        return low, high

    @long_call
    def bracket(
        self,
        width: float | None = None,
        shortest: float | None = None,
        longest: float | None = None,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> HoldBracket:
        """`largest_hold` with proofs: certificates of a stable hold and of an unstable one next to it.

        Parameters
        ----------
        width : float, optional
            Largest distance of the two (s), by default 1e-8 of the hold.
        shortest, longest : float, optional
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
            floats can tell; for an estimate, whose steps depend on the hold; as `certify` for a controller
            that rounds, is noisy, or rests at a limit.
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
        if width is not None and not quantity("width", width) > 0:
            raise InputError(
                f"width must be positive, in seconds, got {width!r}; 1e-8 of the hold by default"
            )
        first, last = self._range(shortest, longest)
        low, high = self.largest_hold(first, last)
        if low == 0 or np.isinf(high):
            found = "no hold is stable" if low == 0 else "every hold is stable"
            raise InputError(f"{found} that was tried between {first:g} and {last:g} s")
        size = _WIDTH * low if width is None else quantity("width", width)

        def certificate_at(h: float) -> Certificate:
            controller = replace(self.controller, rate=1 / h)
            return certify(self._plant, self.equilibrium, controller=controller)

        return hold_bracket(certificate_at, (low + high) / 2, size)

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
        roots, right = np.linalg.eig(inner_of(pair, C))
        if not np.all(roots.real < 0):
            return 0.0
        moved = np.linalg.inv(right) @ inner_of(pair, pair.B @ pair.K @ C) @ right
        rates = np.diag(moved).real
        ends = [2 * a / b for a, b in zip(roots.real, rates, strict=True) if b < 0]
        return max(0.0, min(ends, default=np.inf) - 2 * self.controller.delay)

    def _require_no_steps(self, remedy: str) -> None:
        if steps := self.controller.feedback.steps:
            raise InputError(f"the steps of {', '.join(steps)} depend on the hold: {remedy}")

    def _holds(self, h: float) -> bool:
        M = hold_matrix(self._pair, replace(self.controller, rate=1 / h))
        # A mode that grows beyond doubles within a hold is not stable.
        return bool(np.isfinite(M).all()) and radius_of(inner_of(self._pair, M)) < 1

    def _lines(self) -> list[str]:
        return [
            f"<HeldLinearization at {self.controller.rate:g} Hz: {'stable' if self.stable else 'unstable'}>",
            spectrum_line("multipliers", self.multipliers[len(self.neutral) :]),
            f"  neutral: {', '.join(self.neutral) or '-'}",
        ]

    full = full_text
    __repr__ = short_form


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
        For a hold in which the loop grows beyond doubles.
    DescriptionError
        For a system on a manifold of which functions are given, not expressions.
    ParameterError
        For an unknown parameter.
    TypeError
        If ``plant`` is no system, or ``controller`` no sampled controller.
    """
    system = as_system(plant, "linearize_held")
    point = loop_point(system, controller, eq, params)
    recording, recorded, place = recorded_loop(system, controller, point)
    lin = linearization_at(recording.seen_from(None), place)
    pair, names = held_pair(recording, recorded, lin)
    with np.errstate(over="ignore", invalid="ignore"):
        M = hold_matrix(pair, controller)
    if not np.isfinite(M).all():
        raise InputError(
            f"a hold of {controller.hold:g} s moves the loop beyond doubles, as it grows without commands; "
            f"raise the rate of {controller.rate:g} Hz"
        )
    warn_of_slow(controller.rate, pair.fastest)
    inner = inner_of(pair, M)
    others = np.linalg.eigvals(inner) if inner.size else np.zeros(0)
    multipliers = np.concatenate([np.ones(len(names)), others[np.argsort(-np.abs(others), kind="stable")]])
    law, (late, part) = controller.feedback, controller.holds_late
    waiting = [f"{u}, {j} before" for j in range(1, late + (part > 0) + 1) for u in law.inputs]
    lagging = [f"{u}, lagging" for u in law.inputs] if controller.lag else []
    labels = (*lin.leaf_labels, *lagging, *pair.own, *waiting)
    shown = in_leaf_coordinates(M, lin.basis, pair.W)
    return HeldLinearization(shown, labels, multipliers, tuple(names), inner, controller, point, pair, system)
