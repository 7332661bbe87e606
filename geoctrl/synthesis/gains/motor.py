r"""Gains of one rotor that do with what its motor can do.

Along an unstable direction l of the plant, :math:`l A = w\,l` with w > 0, the deviation
:math:`p = l\,\delta x` obeys :math:`\dot p = w\,p + (l B)\,u`, and no law brings it back unless
:math:`|u| > w |p_0| / |l B|` for a while. The rotor's momentum :math:`q = c\,\delta x`, :math:`c A = 0`,
changes by :math:`c B \int u`. From :math:`\int_0^\infty e^{-wt} u\,dt = -p_0/(l B)` with
:math:`|u| \le U` its largest change is at least

.. math::

    |c B|\,\frac{U}{w}\,\ln\frac{1}{1 - w |p_0| / (|l B|\,U)} \;\ge\; |c B|\,\frac{|p_0|}{|l B|} ,

which with c scaled to one at the rotor's rate is a speed. These bounds hold for every law, to first order.
The law of the matching asks for more, and its gains are searched: sigma over its admissible set, damping by
the ratio that it gives the oscillation, regulation of the momentum in parts of w.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import nearest, quantity, sampling_rate
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import shown
from geoctrl.analysis.certificates.sampled_loop import linearize_held
from geoctrl.analysis.linear.linearization import linearize
from geoctrl.errors import GeoctrlError, InputError, LabelError, MatchingError
from geoctrl.simulation.run import simulate
from geoctrl.synthesis.contract.law import Law
from geoctrl.synthesis.gains.rotor_gains import HeldLoops, Peaks
from geoctrl.synthesis.rotors.rotor_matching import RotorMatching
from geoctrl.systems import Equilibrium, ReducedSystem, Rotors, TorqueSpeed

__all__ = ["LawFree", "MotorBounds", "RecommendedGains", "law_free", "motor_gains"]

_RATIOS = (0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
"""Damping ratios of the oscillation that are tried."""
_REGULATIONS = (0.0, 0.1, 0.3)
"""kappa in parts of w."""
_FALLS = 40.0
"""Length of a run in units of 1/w."""
_DIED = 0.02
"""Torque left at the end, relative to its peak, of a loop that has settled."""
_SPARE = 4.0
"""A hold as much longer has to be stable too."""
_TRIED = 12
"""Sets of gains that are run with the equations of motion."""
_DIGITS = 4
"""Digits of the gains that are recommended."""
_ZERO = 1e-9
"""Sine, or part of the largest, that counts as zero where states are of size one."""


@dataclass(frozen=True)
class LawFree:
    """What every law asks from a start, to first order.

    Attributes
    ----------
    torque : float
        It has to be able to exceed that.
    speed : float
        Largest change of the rotor's momentum, as a speed.
    """

    torque: float
    speed: float


@dataclass(frozen=True)
class MotorBounds:
    """What the motor can do: largest torque and rotor speed (infinite for none), commands a second.

    With a slope it is u + slope * speed that the torque bounds.
    """

    torque: float
    speed: float
    rate: float
    slope: float = 0.0

    @classmethod
    def read(cls, limits: Any, speeds: Any, rate: Any, rotors: Rotors) -> MotorBounds:
        """From the arguments of ``recommend``."""
        bounds: list[float] = []
        slope = 0.0
        for what, given, label in (
            ("limits", limits, rotors.input_labels[0]),
            ("speeds", speeds, rotors.rate_labels[0]),
        ):
            if given is not None and not isinstance(given, Mapping):
                raise InputError(f"{what} must be a dict by label, {{{label!r}: 8.0}}, got {shown(given)}")
            for name in given or {}:
                if name != label:
                    raise LabelError(
                        f"{what}: no {shown(name)}{nearest(str(name), [label])}; it is {label!r}"
                    )
            if what == "limits" and given and isinstance(given[label], TorqueSpeed):
                slope = given[label].slope
                bounds.append(given[label].stall)
                continue
            value = quantity(f"{what} {label!r}", given[label]) if given else np.inf
            if not value > 0:
                raise InputError(
                    f"{what} {label!r} must be positive, got {value:g}: nothing is held without a torque, or "
                    "by a rotor that may not turn"
                )
            bounds.append(float(value))
        hertz = sampling_rate(rate, "; the rate of the computer that will run the law, such as 100")
        if not np.isfinite(bounds).any():
            raise InputError("what can the motor do? Give limits={torque: N m}, speeds={rotor rate: rad/s}")
        return cls(bounds[0], bounds[1], hertz, slope)


@dataclass(frozen=True, eq=False, repr=False)
class RecommendedGains(Mapping[str, float]):
    """Gains by name, and the law that they make; made by ``SigmaDesign.recommend``.

    Attributes
    ----------
    gains : dict of name -> float
        sigma, k and kappa.
    law : Law
        With these gains.
    peaks : dict of label -> float
        Largest torque and rotor speed over the runs from all starts, held and with the equations of motion.
    least : dict of label -> float
        What every law asks, to first order.
    rate : float
    """

    gains: dict[str, float]
    law: Law
    peaks: dict[str, float]
    least: dict[str, float]
    rate: float

    def __getitem__(self, name: str) -> float:
        return self.gains[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.gains)

    def __len__(self) -> int:
        return len(self.gains)

    def _lines(self) -> list[str]:
        gains = ", ".join(f"{k} = {v:g}" for k, v in self.gains.items())
        asked = ", ".join(f"{k} {v:.4g} (any law {self.least[k]:.4g})" for k, v in self.peaks.items())
        return [f"<RecommendedGains {gains}; at {self.rate:g} Hz at most {asked}>"]

    full = full_text
    __repr__ = short_form


def law_free(
    A: np.ndarray,
    B: np.ndarray,
    rotor: int,
    starts: np.ndarray,
    torque: float,
    sizes: np.ndarray | float = 1.0,
) -> LawFree:
    """The bounds of the module for deviations (S, n), the worst of all unstable directions.

    Zeros are judged where states have the given ``sizes``.
    """
    d = np.broadcast_to(np.asarray(sizes, dtype=float), len(A))
    A, B, starts = A * d / d[:, None], B / d[:, None], starts / d
    values, left = np.linalg.eig(A.T)
    momenta = np.linalg.svd(A.T)[2][np.linalg.matrix_rank(A, tol=_ZERO * np.linalg.norm(A, 2)) :]
    weights, rates = momenta @ B[:, 0], momenta[:, rotor] / d[rotor]
    # One momentum moves with the torque; its speed is what it changes by at a rotor rate of one.
    seen = abs(weights @ rates) > _ZERO * np.linalg.norm(weights) * np.linalg.norm(rates)
    per_impulse = abs(weights @ weights / (weights @ rates)) if seen else 0.0
    needed, speed = 0.0, 0.0
    for w, direction in zip(values, left.T, strict=True):
        if abs(w.imag) > _ZERO * abs(w) or not w.real > _ZERO * np.max(np.abs(values)):
            continue
        push = abs(direction.real @ B[:, 0])
        pushed = push > _ZERO * np.linalg.norm(direction) * np.linalg.norm(B[:, 0])
        p = float(np.max(np.abs(starts @ direction.real)))
        if p == 0.0:
            continue
        least = w.real * p / push if pushed else np.inf
        needed = max(needed, float(least))
        part = least / torque if np.isfinite(torque) else 0.0
        impulse = np.inf if part >= 1 else torque / w.real * -np.log1p(-part) if part else p / push
        speed = max(speed, float(per_impulse * impulse))
    return LawFree(needed, speed)


def motor_gains(
    matching: RotorMatching,
    point: Equilibrium,
    sigmas: Sequence[float],
    motor: MotorBounds,
    starts: np.ndarray,
) -> RecommendedGains:
    """Of the gains whose linear held runs keep the motor's limits, those with the most left of them.

    Parameters
    ----------
    point : Equilibrium
        Of the plant, with its parameters.
    sigmas : sequence of float
        Admissible gains.
    starts : ndarray (S, n)
        States of the plant.
    """
    plant = matching.mechanism.reduce()
    linear = linearize(plant, point)
    A, B = linear.A, linear.B
    (input_label,), (rate_label,) = matching.rotors.input_labels, matching.rotors.rate_labels
    away = starts - point.x
    rotor = plant.state_labels.index(rate_label)
    # Where the line falls with the speed a motor that brakes has more than its stall torque.
    least = law_free(A, B, rotor, away, np.inf if motor.slope else motor.torque, linear.scales.column)
    _possible(least, motor, input_label, rate_label)
    pace = float(np.max(np.abs(np.linalg.eigvals(A))))
    symbols = {name: sp.Symbol(name, real=True) for name in ("sigma", "k", "kappa")}
    law = matching.law(symbols["sigma"]).with_damping(
        k=symbols["k"], kappa=symbols["kappa"], energy="minimum"
    )
    loops = HeldLoops(law, rate_label, A, B, point, 1 / motor.rate)
    gains = _candidates(loops, sigmas, pace)
    if not gains:
        raise MatchingError("the loop oscillates with none of the admissible gains: there is nothing to damp")
    rows = np.array([loops.derivatives(row) for row in gains])
    steps = int(np.ceil(_FALLS / pace * motor.rate)) + 1
    peaks = loops.peaks(rows, away, steps, motor.slope)
    settled = peaks.left <= _DIED  # what has not may be infinite
    used = np.full(len(rows), np.inf)
    used[settled] = np.maximum(peaks.torque[settled] / motor.torque, peaks.speed[settled] / motor.speed)
    best = [int(i) for i in np.argsort(used)[:_TRIED] if used[i] <= 1]
    if not best:
        raise MatchingError(_reason(peaks, motor, input_label, rate_label))
    held = False
    for i in best:
        made = _readable_gains(gains[i])
        chosen = matching.law(made["sigma"]).with_damping(k=made["k"], kappa=made["kappa"])
        # Gains at the edge of what the hold allows are no recommendation.
        slower = chosen.sampled(rate=motor.rate / _SPARE, params=point.params)
        if not linearize_held(plant, slower, point).stable:
            continue
        held = True
        asked = _run(plant, chosen, point, motor, starts, steps, rate_label)
        if asked is not None and asked[0] <= motor.torque and asked[1] <= motor.speed:
            return RecommendedGains(
                made,
                chosen,
                dict(zip((input_label, rate_label), asked, strict=True)),
                {input_label: least.torque, rate_label: least.speed},
                motor.rate,
            )
    if not held:
        raise MatchingError(
            f"the hold stands against it: gains keep the limits at {motor.rate:g} Hz, and are not stable "
            f"with a hold {_SPARE:g} times as long. Raise the rate"
        )
    raise MatchingError(
        "gains keep the limits to first order, and none of those tried does with the equations of motion; "
        "start closer to the equilibrium, or leave the motor more room"
    )


def _possible(least: LawFree, motor: MotorBounds, torque: str, speed: str) -> None:
    """Refuse limits with which no law can do."""
    if least.torque >= motor.torque:
        raise MatchingError(
            f"no law holds this start: to first order it takes {torque} above {least.torque:.4g}, and the "
            f"limit is {motor.torque:.4g}. Start closer to the equilibrium, or take a stronger motor"
        )
    if least.speed >= motor.speed:
        raise MatchingError(
            f"no law holds this start: to first order every law needs {speed} to change by {least.speed:.4g}"
            f", and the limit is {motor.speed:.4g}. Start closer to the equilibrium, or take a rotor of more "
            "inertia"
        )


def _candidates(loops: HeldLoops, sigmas: Sequence[float], pace: float) -> list[dict[str, float]]:
    """Gains of the grid; the sign of k is that which damps."""
    found = []
    for sigma in sigmas:
        swing = loops.damping({"sigma": float(sigma), "kappa": 0.0}, "k")
        if swing is None or swing[1] == 0.0:
            continue
        frequency, moved = swing
        for ratio, part in product(_RATIOS, _REGULATIONS):
            k = -ratio * frequency / moved
            found.append({"sigma": float(sigma), "k": k, "kappa": part * pace})
    return found


def _readable_gains(gains: Mapping[str, float]) -> dict[str, float]:
    """As they are given to ``with_damping``, which finds the sign of k itself."""
    return {name: float(f"{abs(v) if name == 'k' else v:.{_DIGITS}g}") for name, v in gains.items()}


def _run(
    plant: ReducedSystem,
    law: Law,
    point: Equilibrium,
    motor: MotorBounds,
    starts: np.ndarray,
    steps: int,
    rate_label: str,
) -> tuple[float, float] | None:
    """Largest torque and speed of the held runs, None where one does not come back."""
    times = np.arange(steps) / motor.rate
    worst = np.zeros(2)
    for x0 in starts:
        controller = law.sampled(rate=motor.rate, params=point.params)
        try:
            run = simulate(plant, times, x0, params=point.params, controller=controller)
        except GeoctrlError:  # it falls, or leaves where the model holds
            return None
        applied = run.samples.applied[0]
        torque = np.abs(applied + motor.slope * run[rate_label][: applied.size])
        if np.abs(applied[-steps // 10 :]).max() > 2 * _DIED * torque.max():
            return None
        worst = np.maximum(worst, [torque.max(), np.abs(run[rate_label]).max()])
    return float(worst[0]), float(worst[1])


def _reason(peaks: Peaks, motor: MotorBounds, torque: str, speed: str) -> str:
    """Which limit stands against it, to first order."""
    settled = peaks.left <= _DIED
    if not settled.any():
        return (
            f"no gains calm the loop that is held at {motor.rate:g} Hz within the time of a run; raise the "
            "rate"
        )
    enough, slow = settled & (peaks.torque <= motor.torque), settled & (peaks.speed <= motor.speed)
    if not enough.any():
        return (
            f"{torque} stands against it: the least that any gains ask is {peaks.torque[settled].min():.4g}, "
            f"and the limit is {motor.torque:.4g}"
        )
    if not slow.any():
        return (
            f"{speed} stands against it: the least that any gains ask is {peaks.speed[settled].min():.4g}, "
            f"and the limit is {motor.speed:.4g}"
        )
    return (
        f"the limits stand against each other: with {torque} within {motor.torque:.4g}, {speed} is at least "
        f"{peaks.speed[enough].min():.4g} (limit {motor.speed:.4g}); with {speed} within it, {torque} is at "
        f"least {peaks.torque[slow].min():.4g}"
    )
