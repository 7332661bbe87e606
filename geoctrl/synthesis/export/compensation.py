"""Gains of a law that is held, so that each hold does what the law does without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from geoctrl._checks import entries, named_parameters, nearest, sampling_rate
from geoctrl._scalars import shown
from geoctrl.analysis.certificates.sampled_loop import HeldLinearization, linearize_held
from geoctrl.errors import InputError, LabelError, ParameterError
from geoctrl.sampling import SampledController
from geoctrl.synthesis.export.law_outputs import slopes
from geoctrl.systems import EulerPoincare, ReducedSystem

__all__ = ["compensated"]

_FIRST = 0.25
"""Largest |lambda| h of the first hold tried: gains for longer ones are followed from there."""

_NEWTON = 15
_STEP = 1e-5
"""Of the differences, relative to a gain; they are central, so that their error is its square."""

_MET = 1e-9
"""Residual, relative to the fastest root, at which multipliers are those that are asked for."""


class _CompensatedLaw(Protocol):
    @property
    def mechanism(self) -> EulerPoincare: ...
    @property
    def full(self) -> ReducedSystem: ...
    def sampled(
        self, rate: float = ..., *, params: Mapping[str, float] | None = ...
    ) -> SampledController: ...


def compensated(
    law: _CompensatedLaw,
    rate: float,
    eq: Any,
    params: Mapping[str, float] | None = None,
    *,
    gains: Sequence[str] | None = None,
) -> dict[str, float]:
    r"""Gains with which one hold moves the linear loop as the law moves it without a hold.

    With the roots :math:`\lambda_i` of the loop at the gains given, those of a zero-order hold h = 1/rate are
    found for which its multipliers are :math:`z_i = e^{\lambda_i h}`: Newton's method on the coefficients of
    :math:`\prod_i (w - (z_i - 1)/h)`, from short holds to h. Neutral modes are left out of both. Where there
    are more gains than multipliers the change is the smallest, each gain measured by its size.

    Parameters
    ----------
    rate : float
        1/h (Hz).
    eq : Equilibrium or state of the plant
        At which the law rests.
    params : dict, optional
        Of the law's model and the gains, by name; those of the equilibrium belong to the plant.
    gains : sequence of str, optional
        Which gains are changed; by default all.

    Returns
    -------
    dict of name -> float
        The ``params`` given, with these gains: what ``law.sampled(rate, params=...)`` takes.

    Examples
    --------
    >>> import geoctrl as gc
    >>> mech = gc.models.get("pendulum-skate-rotor")()
    >>> law, plant = gc.match(mech).law(sigma=-5e-6).with_damping(k=2.0), mech.reduce()
    >>> eq = plant.equilibrium("sliding", Y0=1.0)
    >>> gains = law.compensated(5.0, eq)
    >>> for params in (None, gains):
    ...     print(gc.linearize_held(plant, law.sampled(rate=5, params=params), eq).stable)
    False
    True
    """
    size = sampling_rate(rate)
    given = named_parameters(params)
    start = _gains(law, given, gains)
    plant = law.mechanism.reduce()

    loop = linearize_held(plant, law.sampled(size, params=given), eq)
    roots = loop.roots
    if not roots.size:
        return given | start
    fastest = float(np.abs(roots).max())
    if np.abs(roots.imag).max() >= np.pi * size:
        raise InputError(
            f"a hold of {1 / size:g} s is longer than half a period of the loop, "
            f"{np.pi / np.abs(roots.imag).max():.3g} s: sample faster, or take slower gains"
        )
    derivatives, found = _derivatives(law, plant.state_labels, loop, given), start
    for h in _holds(1 / size, fastest):
        held = replace(loop, controller=replace(loop.controller, rate=1 / h))
        wanted = _coefficients(np.expm1(roots * h) / (h * fastest))

        def residual(
            y: np.ndarray, held: HeldLinearization = held, wanted: np.ndarray = wanted
        ) -> np.ndarray:
            inner = held.inner_with(*derivatives(dict(zip(start, y.tolist(), strict=True))))
            if len(inner) != roots.size or not np.all(np.isfinite(inner)):  # another family, or no law
                return np.full(roots.size, np.inf)
            return _coefficients((np.linalg.eigvals(inner) - 1) / (held.controller.hold * fastest)) - wanted

        solution = _newton_solution(residual, np.array([*found.values()]))
        if solution is None:
            raise InputError(_why_none(start, h, roots.size))
        found = dict(zip(start, solution.tolist(), strict=True))
    return given | found


def _derivatives(
    law: _CompensatedLaw, states: Sequence[str], held: HeldLinearization, given: dict[str, float]
) -> Callable[[dict[str, float]], tuple[np.ndarray, np.ndarray]]:
    """Of the law and of its own states, compiled once, as functions of the gains."""
    full, feedback = law.full, held.controller.feedback
    program = slopes(full, feedback.inputs, feedback.own)
    labels, count = [*states, *feedback.own], len(feedback.inputs)
    values = dict(zip(states, held.equilibrium.x.tolist(), strict=True))
    point = [*(values.get(label, 0.0) for label in full.state_labels), 0.0]
    places = [labels.index(label) for label in full.state_labels]

    def at_gains(gains: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
        table = np.zeros((count + len(feedback.own), len(labels)))
        table[:, places] = program(point, full.parameters(given | gains)).reshape(len(table), -1)
        # The rates of the loop hold the inputs that it applies: no derivative by these is left.
        return table[:count], np.hstack([table[count:], np.zeros((len(feedback.own), count))])

    return at_gains


def _why_none(start: Mapping[str, float], h: float, count: int) -> str:
    """Why there are none."""
    few = len(start) < count
    advice = (
        f"{len(start)} are changed, and as many as multipliers are needed: with_damping adds some"
        if few
        else "the form of the law has none this far from it: sample faster, or take lqr(..., rate=)"
    )
    begun = ", ".join(f"{k} = {v:.4g}" for k, v in start.items())
    return (
        f"no gains found from {begun} on give a hold of {h:.3g} s the {count} multipliers of the loop "
        f"without one; {advice}"
    )


def _gains(law: _CompensatedLaw, given: dict[str, float], names: Sequence[str] | None) -> dict[str, float]:
    """The gains that are changed, where the search begins."""
    plant = {p.name for p in law.mechanism.parameters}
    values = law.full.parameters(given)
    own = {k: float(v) for k, v in values.items() if k not in plant}
    if isinstance(names, str):
        names = [names]
    for name in () if names is None else entries("gains", names):
        if not isinstance(name, str) or name not in own:
            raise LabelError(f"the law has no gain {shown(name)}{nearest(name, tuple(own))}")
    chosen = own if names is None else {k: v for k, v in own.items() if k in names}
    if not chosen:
        raise InputError("the law has no gains that could be changed: lqr and place take rate= themselves")
    return chosen


def _holds(last: float, fastest: float) -> list[float]:
    """From a short hold to the last one, each at most twice as long as the one before."""
    count = max(0, int(np.ceil(np.log2(last * fastest / _FIRST))))
    return [last / 2**i for i in range(count, -1, -1)]


def _coefficients(numbers: np.ndarray) -> np.ndarray:
    """Of the polynomial with these zeros, without the leading one."""
    return np.real(np.poly(numbers))[1:]


def _newton_solution(residual: Callable[[np.ndarray], np.ndarray], start: np.ndarray) -> np.ndarray | None:
    """Newton's method with steps cut until the residual falls; None where it does not come to zero."""
    y, value = start, residual(start)
    for _ in range(_NEWTON):
        scale = np.where(y, np.abs(y), np.abs(start).max(initial=0.0) or 1.0)
        columns = [
            (residual(y + _STEP * s * e) - residual(y - _STEP * s * e)) / (2 * _STEP)
            for s, e in zip(scale, np.eye(len(y)), strict=True)
        ]
        if not np.all(np.isfinite(columns)):
            break
        step = scale * np.linalg.lstsq(np.stack(columns, axis=1), -value, rcond=None)[0]
        best = _shorter_step(residual, y, step, float(np.linalg.norm(value)))
        if best is None:
            break
        y, value = best
    return y if np.linalg.norm(value) < _MET else None


def _shorter_step(
    residual: Callable[[np.ndarray], np.ndarray], y: np.ndarray, step: np.ndarray, size: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """The first point along a step, halved five times at most, with a smaller residual."""
    for part in 0.5 ** np.arange(6.0):
        try:
            value = residual(y + part * step)
        except ParameterError:  # where the law has no value
            continue
        if np.linalg.norm(value) < size:
            return y + part * step, value
    return None
