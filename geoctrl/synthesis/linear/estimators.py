r"""Estimators on a leaf: Kalman's filter in continuous time, or of outputs that are sampled.

With V a basis of the level set's tangent space and :math:`x_e + V z_k` what is foretold for a sample,

.. math::

    \hat z_k = z_k + V^T M\,(y_k - h(x_e) - C V z_k), \qquad
    V z_{k+1} = e^{A h} V \hat z_k + \sum_j \Gamma_j\, (u_{k-j} - u_e),

with a delay :math:`\tau = (d + f)\,h` by the commands that act in the hold: that of d + 1 samples before in
its first f h, then that of d (G. F. Franklin, J. D. Powell, M. Workman, Digital Control of Dynamic Systems,
1998, chapters 4 and 8).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._calls.long_calls import long_call
from geoctrl._checks import sampling_rate
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact, shown
from geoctrl.analysis.linear.controllability import Observability
from geoctrl.analysis.linear.linearization import Linearization, linearize
from geoctrl.analysis.linear.outputs import output_expressions
from geoctrl.analysis.linear.subspaces import EXACT
from geoctrl.errors import ConvergenceError, EquilibriumError, InputError
from geoctrl.sampling import Feedback, holds_of_delay, warn_of_slow
from geoctrl.synthesis.contract.own_rate import OwnRate
from geoctrl.synthesis.export.formula import with_doubles
from geoctrl.synthesis.export.linear_estimator import LinearEstimator
from geoctrl.synthesis.linear.delayed_law import DelayedLaw, delay_of
from geoctrl.synthesis.linear.linear_law import LinearLaw, input_expressions, state_expressions
from geoctrl.synthesis.linear.manifold_law import ManifoldLaw
from geoctrl.synthesis.linear.precise_riccati import precise_gain
from geoctrl.synthesis.linear.regulators import modes_in_words, read_weight, recorded_plant
from geoctrl.synthesis.linear.riccati import held_pair, optimal_gain, sampled_covariance, summed_noise
from geoctrl.synthesis.linear.scaled_pair import ScaledPair, scaled_pair, weighed_units
from geoctrl.systems import System
from geoctrl.systems.typesetting.printed_spectra import ordered_eigenvalues, spectrum_line

__all__ = ["OutputFeedback", "SampledEstimator", "lqe"]


class SampledEstimator:
    """Kalman's filter of sampled outputs about an equilibrium; made by `lqe` with a rate.

    Attributes
    ----------
    plant : System
    equilibrium : Equilibrium
    rate, delay : float
        Of the controller that it is for (Hz, s).
    M : ndarray (n, p)
        The gain.
    seen : Observability
        What the outputs see, and the matrices.
    basis : ndarray (n, l)
        V.
    covariance : ndarray (n, n)
        Of the error of an estimate, its sample taken in.
    acting_covariance : ndarray (n, n)
        Of the state that is foretold for the time at which the command of the sample acts; likewise of the
        state now where it is the sample that is late.
    multipliers : ndarray (l,)
        Of one hold of the error.
    labels : tuple of str
        Of the coordinates z in a controller.

    Raises
    ------
    TypeError
        If it is not made of a linearisation and what outputs see of it.
    ConvergenceError
        If Riccati's equation is not solved in doubles.

    Examples
    --------
    >>> import geoctrl as gc
    >>> cart = gc.models.get("cart-pendulum")().reduce()
    >>> upright = cart.equilibrium("upright")
    >>> estimator = gc.lqe(cart, upright, ["x_dot", "phi"], rate=100, delay=0.01)
    >>> law = estimator.feed(gc.lqr(cart, upright, rate=100, delay=0.01))
    >>> print(gc.certify(cart, upright, controller=law.sampled()).verdict)
    PROVED_ASYMPTOTICALLY_STABLE
    """

    def __init__(
        self,
        linear: Linearization,
        seen: Observability,
        outputs: Any,
        pair: ScaledPair,
        noises: tuple[np.ndarray, np.ndarray],
        rate: float,
        delay: float,
    ) -> None:
        if not isinstance(linear, Linearization) or not isinstance(seen, Observability):
            raise TypeError("a sampled estimator is made by gc.lqe with rate=")
        self.plant, self.equilibrium, self.seen = linear.equilibrium.system, linear.equilibrium, seen
        self.rate, self.delay = float(rate), float(delay)
        self._measured = output_expressions(self.plant, outputs)
        self.basis = V = seen.basis
        self.labels = tuple(f"estimate{i + 1}" for i in range(V.shape[1]))
        A, C, (Q, R), w = pair.A.T, pair.B.T, noises, pair.units.rate
        h = w / self.rate
        P = sampled_covariance(A, C, Q, R, h)
        gain = np.linalg.solve(C @ P @ C.T + R / h, C @ P)
        self.M = pair.gain(gain).T / w
        kept = np.eye(len(A)) - gain.T @ C
        after = kept @ P @ kept.T + gain.T @ (R / h) @ gain
        flow, noise = summed_noise(A, Q, w * self.delay)
        ahead = flow @ after @ flow.T + noise
        self.covariance, self.acting_covariance = (
            pair.coordinates.T @ S @ pair.coordinates for S in (after, ahead)
        )
        flow, _ = summed_noise(A, Q, h)
        self.multipliers = ordered_eigenvalues(np.linalg.eigvals(flow @ kept))
        self._flow, self._pushes = self._steps(linear)

    def _steps(self, linear: Linearization) -> tuple[np.ndarray, list[np.ndarray]]:
        """The flow of a hold on z, and what commands add to z: of this sample, of the last, and so on."""
        V, h, unit = self.basis, 1 / self.rate, linear.scales.unit
        A, B = linear.A * (unit / unit[:, None]), linear.B / unit[:, None]
        whole, part = holds_of_delay(self.delay, self.rate)
        flow, push = held_pair(A, B, h)
        late, fresh = (held_pair(A, B, time) for time in (part * h, (1 - part) * h))
        found = [np.zeros_like(push)] * whole
        found += [fresh[1], fresh[0] @ late[1]] if part else [push]
        if self.delay and len(found) == 1:  # as of a law, with a delay of next to nothing
            found.append(np.zeros_like(push))
        return V.T @ (flow * (unit[:, None] / unit)) @ V, [V.T @ (unit[:, None] * G) for G in found]

    @property
    def neutral(self) -> tuple[str, ...]:
        """Functions that the estimate takes at their values at the equilibrium."""
        return self.seen.neutral

    def feed(self, law: LinearLaw | ManifoldLaw | DelayedLaw) -> OutputFeedback:
        """A law that takes the estimate in place of the state.

        Parameters
        ----------
        law : LinearLaw, ManifoldLaw or DelayedLaw
            Of the same plant at the same equilibrium, with the estimator's rate and delay where it has such.

        Raises
        ------
        TypeError
            For anything else than such a law.
        InputError
            For a law of another plant, point, rate or delay, or with integrals.
        """
        if not isinstance(law, LinearLaw | ManifoldLaw | DelayedLaw):
            raise TypeError(f"law must be made by gc.lqr, gc.place or gc.linear_law, got {shown(law)}")
        if isinstance(law, LinearLaw) and law.own_states:
            raise InputError("a law with integrals is not fed with an estimate: leave integral= out")
        if law.plant is not self.plant or not np.array_equal(law.equilibrium.x, self.equilibrium.x):
            raise InputError("the law is of another plant, or about another equilibrium")
        own = (law.rate, law.delay) if isinstance(law, DelayedLaw) else (self.rate, 0.0)
        if own != (self.rate, self.delay):
            raise InputError(
                f"the estimator is for {self.rate:g} Hz and a delay of {self.delay:g} s, and the law for "
                f"{own[0]:g} Hz and {own[1]:g} s: give both the same rate= and delay="
            )
        return OutputFeedback(self, law)

    def _output_deviations(self) -> tuple[list[sp.Expr], list[sp.Expr]]:
        """Outputs less their values at the equilibrium, exactly and in doubles."""
        states, point = self.plant.states, self.equilibrium
        at = dict(zip(states, state_expressions(point), strict=True))
        plant = self.plant
        parameters = plant.mechanism.parameters if plant.recorded else plant.parameters
        numbers = {p.symbol: sp.Rational(exact(point.params[p.name])) for p in parameters}
        found = [e.xreplace(numbers) for e in self._measured]
        rest = [e.xreplace(at) for e in found]
        return (
            [e - r for e, r in zip(found, rest, strict=True)],
            [e - sp.Float(float(r)) for e, r in zip(found, rest, strict=True)],
        )

    def _lines(self) -> list[str]:
        by = ", ".join(self.seen.outputs)
        late = f", delay {self.delay:g} s" if self.delay else ""
        return [
            f"<SampledEstimator for {self.plant.name or 'a system'} by {by}: {self.rate:g} Hz{late}>",
            spectrum_line("multipliers of the error", self.multipliers),
            f"  taken as known: {', '.join(self.neutral) or '-'}",
        ]

    full = full_text
    __repr__ = short_form


class OutputFeedback(OwnRate):
    r"""Commands :math:`u_k = u_e - K V \hat z_k - \sum_j W_j (u_{k-j} - u_e)` by an estimate.

    Made by `SampledEstimator.feed`.

    What is foretold and the commands that wait are states of the controller, deviations from rest.

    Attributes
    ----------
    plant : System
    equilibrium : Equilibrium
    estimator : SampledEstimator
    law : LinearLaw or DelayedLaw
    rate, delay : float
        Of the controller (Hz, s).

    Raises
    ------
    TypeError
        If it is not made of an estimator and a law.
    """

    def __init__(self, estimator: SampledEstimator, law: LinearLaw | ManifoldLaw | DelayedLaw) -> None:
        if not isinstance(estimator, SampledEstimator) or not isinstance(
            law, LinearLaw | ManifoldLaw | DelayedLaw
        ):
            raise TypeError("a law by an estimate is made by SampledEstimator.feed")
        self.estimator, self.law = estimator, law
        self.plant, self.equilibrium, self.input_labels = law.plant, law.equilibrium, law.input_labels
        self.rate, self.delay, self.pace = estimator.rate, estimator.delay, law.pace

    @property
    def file_limits(self) -> Mapping[str, tuple[float, float]]:
        """Limits of the law's inputs, of the model file that its plant is read from; empty without one."""
        return self.law.file_limits

    @property
    def multipliers(self) -> np.ndarray:
        """Of one hold of the error; those of the law are beside them."""
        return self.estimator.multipliers

    def feedback(self, params: Mapping[str, float] | None = None) -> Feedback:
        """The law in what is measured, foretold and waits; see `Controls.feedback`."""
        of, m = self.estimator, len(self.input_labels)
        self.law.feedback(params)  # which refuses unknown parameters
        V, C, waiting = of.basis, of.seen.C, getattr(self.law, "waiting", np.zeros((m, 0, m)))
        count = len(of._pushes) - 1
        z = sp.Matrix([sp.Symbol(k, real=True) for k in of.labels])
        waits = [[sp.Symbol(f"{u}_waits{j + 1}", real=True) for u in self.input_labels] for j in range(count)]
        gain, kept = V.T @ of.M, np.eye(V.shape[1]) - V.T @ of.M @ C @ V
        at_rest = input_expressions(self.equilibrium)
        deviations, rounded = of._output_deviations()

        def commands(y: list[sp.Expr], rest: list[Any]) -> dict[str, sp.Expr]:
            u = sp.Matrix(rest) - _rationals(self.law.K @ V @ kept) * z
            u -= _rationals(self.law.K @ V @ gain) * sp.Matrix(y)
            for j in range(waiting.shape[1]):
                u -= _rationals(waiting[:, j]) * sp.Matrix(waits[j])
            return dict(zip(self.input_labels, u, strict=True))

        fresh = [sp.Symbol(k, real=True) - value for k, value in zip(self.input_labels, at_rest, strict=True)]
        foretold = _rationals(of._flow @ kept) * z + _rationals(of._flow @ gain) * sp.Matrix(deviations)
        for push, sent in zip(of._pushes, [fresh, *waits], strict=True):
            foretold += _rationals(push) * sp.Matrix(sent)
        pairs = [*zip(z, foretold, strict=True)]
        for row, before in zip(waits, [fresh, *waits], strict=False):
            pairs += zip(row, before, strict=True)
        rate = sp.Rational(exact(self.rate))
        computed = commands(rounded, [sp.Float(float(e)) for e in at_rest])
        return Feedback(
            commands(deviations, at_rest),
            {str(k): rate * (new - k) for k, new in pairs},
            dict(zip(self.input_labels, map(float, self.equilibrium.u), strict=True)),
            computed={k: with_doubles(e) for k, e in computed.items()},
        )

    def _lines(self) -> list[str]:
        late = f", delay {self.delay:g} s" if self.delay else ""
        by = ", ".join(self.estimator.seen.outputs)
        return [
            f"<OutputFeedback for {self.plant.name or 'a system'} by {by}: {self.rate:g} Hz{late}>",
            spectrum_line("multipliers of the error", self.multipliers),
        ]

    full = full_text
    __repr__ = short_form


@long_call
def lqe(
    sys: System,
    eq: Any,
    outputs: Any,
    QN: Any = None,
    RN: Any = None,
    params: Mapping[str, float] | None = None,
    *,
    rate: float | None = None,
    delay: float = 0.0,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> LinearEstimator | SampledEstimator:
    r"""The stationary Kalman filter about an equilibrium, with outputs :math:`y = h(x) + \nu`.

    Functions that are conserved whatever the inputs do are taken to be known: the estimate stays on their
    level set through the equilibrium.

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem, RotationSystem or ProductSystem
    eq : Equilibrium, state or (x, u)
    outputs : label, sequence of labels, or mapping of label -> expression in the states
    QN : None, number, (n,), (n, n) or dict of state label -> number
        Spectral density of what drives the states, positive semidefinite; the identity by default.
    RN : None, number, (p,), (p, p) or dict of output label -> number
        That of the noise of the outputs, positive definite; the identity by default.
    params : dict, optional
    rate : float, optional
        Of the controller that will run it (Hz): the filter of outputs that are sampled, whose noise is the
        mean of that of a hold, of inputs that are held.
    delay : float
        From a sample to where its command acts (s), with ``rate``: what is foretold of the state from sample
        to sample takes the commands that wait into account.
    progress, seconds
        As of `certify`.

    Returns
    -------
    LinearEstimator, or SampledEstimator where there is a rate

    Raises
    ------
    EquilibriumError
        If the point is no equilibrium, or what the outputs do not see does not decay: with its name.
    InputError, LabelError, ConvergenceError, ParameterError, TypeError
        As `lqr`; for a delay that is negative, or without a rate.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate-rotor")().reduce()
    >>> eq = skate.equilibrium("sliding", Y0=1.0)
    >>> gc.lqe(skate, eq, "v1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    geoctrl.errors.EquilibriumError: theta_dot (eigenvalue 0) is not seen by v1; ...
    >>> gc.lqe(skate, eq, ["v1", "theta_dot"]).L.shape
    (6, 2)
    """
    late = delay_of(delay, rate)
    linear = linearize(recorded_plant(sys, "lqe"), eq, params)
    system = linear.equilibrium.system
    seen = linear.observable(outputs)
    if not seen.decays:
        told = modes_in_words([m for m in seen.unseen if not m.eigenvalue.real < 0] or seen.unseen)
        by = ", ".join(seen.outputs)
        raise EquilibriumError(f"{told} is not seen by {by}; add an output", key="lqe-unseen")
    QN = read_weight("QN", QN, system.state_labels)
    RN = read_weight("RN", RN, seen.outputs, definite=True)
    pair = scaled_pair(seen.A.T, seen.C.T, weighed_units(seen.A.T, seen.C.T, QN, RN), seen.basis)
    if lasting := pair.part(seen.part.dual).lasting(QN):
        told = modes_in_words(lasting)
        raise InputError(f"QN drives no motion along {told}, which does not decay by itself")
    weighed = pair.A, pair.B, *pair.cost(QN, RN)
    if rate is not None:
        hertz = sampling_rate(rate)
        warn_of_slow(hertz, float(np.max(np.abs(np.linalg.eigvals(linear.A)), initial=0.0)))
        return SampledEstimator(linear, seen, outputs, pair, weighed[2:], hertz, late)
    try:
        K = optimal_gain(*weighed)
    except ConvergenceError:  # doubles do not tell it
        K = np.array(precise_gain(*map(EXACT.numbers, weighed)), dtype=float)
    return LinearEstimator(system, linear.equilibrium, pair.gain(K).T, seen, outputs)


def _rationals(values: np.ndarray) -> sp.Matrix:
    """Doubles as the rationals they are."""
    return sp.Matrix(*values.shape, [sp.Rational(exact(v)) for v in values.flat])
