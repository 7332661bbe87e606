r"""Laws along a motion that repeats, :math:`u_k = \hat u_k - K_k (x_k - \hat x_k)`, each held for a while."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from geoctrl._calls.long_calls import long_call, tell
from geoctrl._checks import finite_array, quantity, resolve_parameters, whole_number
from geoctrl._printing.markup import fact_card
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.question.same_as_field import require_same_rates
from geoctrl.errors import EquilibriumError, GeoctrlError, InputError
from geoctrl.sampling import Feedback
from geoctrl.simulation import simulate
from geoctrl.synthesis.contract.own_rate import OwnRate
from geoctrl.synthesis.export.formula import with_doubles
from geoctrl.synthesis.periodic.held_cycle_file import Cycle, HeldCycleEnclosure, held_cycle_enclosure
from geoctrl.synthesis.periodic.held_reference import (
    HeldPlant,
    HeldReference,
    held_reference,
    reference_of_numbers,
)
from geoctrl.synthesis.periodic.hold_derivatives import HoldDerivatives, hold_derivatives
from geoctrl.synthesis.periodic.periodic_riccati import monodromy, periodic_gains, unreached_multipliers
from geoctrl.synthesis.periodic.recorded_states import RecordedStates
from geoctrl.systems.typesetting.printed_spectra import ordered_eigenvalues, spectrum_line

__all__ = ["COUNTER", "PeriodicLaw", "law_along", "law_of_numbers"]

_HOLDS, _STEPS, _CLOSED, _RANK = 1000, 20, 1e-13, 1e-10
"""Holds of a period at most; Newton's steps to the motion of the loop, the change, in sizes of states, that
counts as none; the part of the largest singular value below which a direction moves nothing."""
_FINE, _LATE, _PERIODS = 20, (-0.06, -0.03, 0.03, 0.06), 3
"""Samples to a hold, starts as parts of the period, and periods of the runs of a picture."""
COUNTER = "hold_of_the_period"
"""State of the controller: which of the laws is next."""


class _LoopMotion(NamedTuple):
    """The motion of a loop, in the states of the recorded equations.

    Attributes
    ----------
    states : ndarray (N, k)
    inputs : ndarray (N, m)
    multipliers : ndarray
    holds : HoldDerivatives
    """

    states: np.ndarray
    inputs: np.ndarray
    multipliers: np.ndarray
    holds: HoldDerivatives


class PeriodicLaw(OwnRate):
    r"""Inputs :math:`u_k = \hat u_k - K_k (x_k - \hat x_k)`, set at N samples of a period in turn and held.

    Made by `lqr` with ``holds=``. The law has a clock: it holds the motion in step with that, and starts that
    are late are led back to where the motion is by then.

    Attributes
    ----------
    plant : System
    params : dict
        Of the plant, for which the law is made.
    period, hold : float
        T, and T/N (s).
    states, inputs : ndarray (N, n) and (N, m)
        :math:`\hat x_k` and :math:`\hat u_k`, of a motion of the plant that closes.
    gains : ndarray (N, m, n)
        K, in the states and inputs of the plant.
    neutral : tuple of str
        Functions that no input changes: the law knows nothing of them, and each has the multiplier one.
    cycle, commands : ndarray (N, n) and (N, m)
        Of the motion that the loop with these numbers has: states at its samples, and what is set there.
    rate, delay : float
        N/T (Hz), and zero.

    Raises
    ------
    TypeError, InputError
        If it is not made of a motion that `lqr` has read, and of N gains of that size.

    Examples
    --------
    A pendulum whose support shakes it, led to and fro about the upright:

    >>> import numpy as np
    >>> import sympy as sp
    >>> import geoctrl as gc
    >>> q, u = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True)
    >>> rod = gc.EulerPoincare(
    ...     shape=[q], inertia=[[1]], potential=9.81 * sp.cos(q.symbol), forces=[u], inputs=["u"]
    ... ).reduce()
    >>> t = np.linspace(0, 2, 11)
    >>> states = 0.5 * np.array([np.pi * np.cos(np.pi * t), np.sin(np.pi * t)])
    >>> law = gc.lqr(rod, (t, states, None), holds=10)
    >>> law.gains.shape, bool(max(abs(law.multipliers)) < 1)
    ((10, 1, 2), True)
    """

    delay = 0.0

    def __init__(self, reference: HeldReference, gains: Any) -> None:
        if not isinstance(reference, HeldReference):
            raise TypeError("a law along a motion is made by gc.lqr(sys, motion, holds=...)")
        self._reference, held = reference, reference.plant
        self.plant, self.params, self.hold = held.change.plant, held.params, held.hold
        self.states, self.inputs = held.change.plant_states(reference.states), reference.inputs
        count, n = self.states.shape
        self.input_labels = tuple(self.plant.input_labels)
        self.gains = finite_array("gains", gains, (count, len(self.input_labels), n))
        self.period, self.rate = count * self.hold, 1 / self.hold

    def with_gains(self, gains: Any) -> PeriodicLaw:
        """The law along the same motion with other gains (N, m, n)."""
        return PeriodicLaw(self._reference, gains)

    @property
    def neutral(self) -> tuple[str, ...]:
        """Functions that no input changes."""
        return self._loop.holds.names

    @property
    def multipliers(self) -> np.ndarray:
        r"""Of a period of the loop, :math:`\prod_k (\Phi_k - \Gamma_k K_k)` along its own motion: ones
        first, for what is `neutral`.
        """
        return self._loop.multipliers

    @property
    def cycle(self) -> np.ndarray:
        """States (N, n) of the motion that the loop with these numbers has, at its samples."""
        return self._reference.plant.change.plant_states(self._loop.states)

    @property
    def commands(self) -> np.ndarray:
        """Inputs (N, m) that the law sets along that motion."""
        return self._loop.inputs

    @property
    def sizes(self) -> np.ndarray:
        """Of the states along the motion (n,), powers of two."""
        return self._reference.plant.change.sizes(self._reference.sizes)

    @cached_property
    def _loop(self) -> _LoopMotion:
        reference = self._reference
        sizes, start, slopes = reference.sizes, reference.states[0].copy(), self._slopes
        for _ in range(_STEPS):
            try:
                states, inputs, end, moved = self._one_period(start)
            except GeoctrlError as error:
                raise EquilibriumError(
                    f"the loop with these gains has no motion near this one: {error}"
                ) from None
            values, gradients = reference.plant.leaf(start)
            change = moved * sizes / sizes[:, None] - np.eye(len(start))
            rows = np.vstack([change, gradients * sizes])
            right = np.concatenate([(start - end) / sizes, -values])
            step = np.linalg.lstsq(rows, right, rcond=_RANK)[0]
            start = start + step * sizes
            if np.max(np.abs(step)) <= _CLOSED:
                break
        holds = hold_derivatives(HeldReference(reference.plant, states, inputs, sizes))
        gains = [K * sizes @ T for K, T in zip(slopes, holds.bases, strict=True)]
        loop = monodromy([a - b @ K for a, b, K in zip(holds.A, holds.B, gains, strict=True)])
        found = ordered_eigenvalues(np.linalg.eigvals(loop)) if loop.size else np.zeros(0)
        return _LoopMotion(states, inputs, np.concatenate([np.ones(len(holds.names)), found]), holds)

    @property
    def _slopes(self) -> np.ndarray:
        """Gains (N, m, k) in the states of the recorded equations."""
        return self._reference.plant.change.slopes(self.gains)

    def _one_period(self, start: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """States and inputs of the loop from a start, its end, and the derivative of that by the start."""
        held, y, moved, states, inputs = self._reference.plant, start, np.eye(len(start)), [], []
        laws = zip(self.states, self.inputs, self.gains, self._slopes, strict=True)
        for x_k, u_k, K, slope in laws:
            u = u_k - K @ (held.change.plant_states(y) - x_k)
            states.append(y)
            inputs.append(u)
            y, by_state, by_input = held.step(y, u)
            moved = (by_state - by_input @ slope) @ moved
        return np.array(states), np.array(inputs), y, moved

    # -- what it is handed over as --------------------------------------------------------------

    def feedback(self, params: Mapping[str, float] | None = None) -> Feedback:
        """The laws with a counter of the holds; see `Controls.feedback`. The first sample is that of k = 0.

        Raises
        ------
        ParameterError
            For an unknown parameter: the law has numbers alone.
        """
        resolve_parameters(self.params, params)
        counter, count = sp.Symbol(COUNTER, real=True), len(self.states)
        x = sp.Matrix([sp.Symbol(k, real=True) for k in self.plant.state_labels])
        deviations = [x - sp.Matrix(list(map(_number, at))) for at in self.states.tolist()]
        edges = [counter < sp.Rational(2 * k + 1, 2) for k in range(count - 1)]
        terms = {}
        for i, label in enumerate(self.input_labels):
            laws = [
                _number(u[i]) - sum(_number(c) * q for c, q in zip(K[i], away, strict=True))
                for u, K, away in zip(self.inputs, self.gains, deviations, strict=True)
            ]
            terms[label] = sp.Piecewise(*zip(laws, [*edges, True], strict=True)) if count > 1 else laws[0]
        following = sp.Piecewise((counter + 1, counter < count - sp.Rational(3, 2)), (sp.S.Zero, True))
        rest = dict(zip(self.input_labels, self.inputs[0].tolist(), strict=True))
        computed = {k: with_doubles(e) for k, e in terms.items()}
        return Feedback(terms, rest=rest, steps={COUNTER: following}, computed=computed)

    def to_control(self, name: str | None = None) -> Any:
        """The law as a `control.NonlinearIOSystem` in discrete time: states of the plant in, its inputs out.

        Its step is the hold, and its state the counter of the holds.
        """
        from geoctrl import interop

        count = len(self.states)

        def place(x: np.ndarray) -> int:
            return round(float(x[0])) % count

        def law(k: int, x: np.ndarray) -> np.ndarray:
            return self.inputs[k] - self.gains[k] @ (x - self.states[k])

        return interop.nonlinear_system(
            lambda _, z, x, __: np.array([(place(z) + 1) % count]),
            lambda _, z, x, __: law(place(z), x),
            states=[COUNTER],
            inputs=self.plant.state_labels,
            outputs=self.input_labels,
            name=interop.system_name(name, "law"),
            step=self.hold,
        )

    def plot(self, state: str | None = None, title: str | None = None) -> np.ndarray:
        """Four panels, as `geoctrl.viz.period` draws them, with motions that begin early and late."""
        return import_module("geoctrl.viz").period(
            self, state, self._motions_beside(), title
        )  # a floor above

    def _motions_beside(self) -> list[Any]:
        """Runs of the loop from states that its motion has a little before and after the first sample."""
        hold, controller = self.hold, self.sampled()
        around = np.linspace(0, self.period, _FINE * len(self.states) + 1)
        runs = []
        try:
            motion = simulate(self.plant, around, self.cycle[0], params=self.params, controller=controller)
            for part in _LATE:
                start = motion.states[:, round(part * (len(around) - 1))]
                times = np.linspace(
                    0, _PERIODS * self.period, round(_PERIODS * self.period / hold) * _FINE + 1
                )
                runs.append(simulate(self.plant, times, start, params=self.params, controller=controller))
        except GeoctrlError:  # of a loop that is none its multipliers tell
            return runs
        return runs

    # -- proof ----------------------------------------------------------------------------------

    @long_call
    def enclose(
        self,
        bits: int = 128,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> HeldCycleEnclosure:
        r"""The motion of the loop in balls, one in its box, and its stability with the clock, in a file.

        The loop is that of the doubles of `states`, `inputs` and `gains` as real numbers; that
        :math:`\hat x` is a motion of the plant is not needed. Krawczyk's test shows that one motion closes,
        and a quadratic form that all multipliers of its period lie inside the unit circle, or one outside.

        Parameters
        ----------
        bits : int
            Of numbers, 64 to 900.
        progress, seconds
            As of `certify`.

        Returns
        -------
        HeldCycleEnclosure
            Which the checker has confirmed.

        Raises
        ------
        CertificateError
            If the checker confirms no file of it.
        InputError
            If bits are out of range, or the equations hold the time.

        Examples
        --------
        >>> import numpy as np
        >>> import sympy as sp
        >>> import geoctrl as gc
        >>> q, u = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True)
        >>> rod = gc.EulerPoincare(
        ...     shape=[q], inertia=[[1]], potential=9.81 * sp.cos(q.symbol), forces=[u], inputs=["u"]
        ... ).reduce()
        >>> t = np.linspace(0, 1, 5)
        >>> states = 0.1 * np.array([2 * np.pi * np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)])
        >>> print(gc.lqr(rod, (t, states, None), holds=4).enclose(bits=64).verdict)
        PROVED_ASYMPTOTICALLY_STABLE
        """
        bits = whole_number("bits", bits, 64, 900)
        tell("the motion of the loop")
        reference, loop = self._reference, self._loop
        change = reference.plant.change
        inputs, states, gains = change.laws(self.inputs, self.states, self.gains)
        cycle = Cycle(
            change.system,
            self.plant.seen_from(None).name,
            self.params,
            self.hold,
            loop.states,
            states,
            inputs,
            gains,
            reference.sizes,
            loop.holds.command_sizes,
            loop.holds.names,
        )
        return held_cycle_enclosure(cycle, bits)

    def to_json(self, path: str | Path | None = None) -> str:
        """The file of `enclose`, as JSON text; written to ``path`` where one is given.

        Raises
        ------
        CertificateError, TypeError
            If nothing is proved; if that is no path.
        """
        return self.enclose().to_json(path)

    def _lines(self) -> list[str]:
        return [
            f"<PeriodicLaw for {self.plant.name or 'a system'}: {len(self.states)} holds of {self.hold:g} s, "
            f"period {self.period:g} s>",
            spectrum_line("multipliers", self.multipliers),
            f"  left out: {', '.join(self.neutral) or '-'}",
        ]

    full = full_text
    __repr__ = short_form

    def _repr_html_(self) -> str:
        return fact_card(self._lines())


def _number(value: float) -> sp.Rational:
    """The rational that a double is."""
    return sp.Rational(exact(value))


def law_along(
    system: Any, motion: Any, Q: np.ndarray, R: np.ndarray, holds: Any, params: Mapping[str, float] | None
) -> PeriodicLaw:
    r"""The law that minimises :math:`\sum_k \delta x_k^T Q\,\delta x_k + \delta u_k^T R\,\delta u_k` along a
    motion; see `lqr`.
    """
    count = whole_number("holds", holds, 1, _HOLDS)
    recording = system.recording
    if recording.time_node in recording.graph.symbols(recording.field_nodes):
        raise InputError("the equations hold the time: what a hold does is then another in each period")
    values = system.parameters_at(params)
    if not system.recorded:
        require_same_rates(system, np.zeros(len(system.input_labels)), values)
    reference = held_reference(system, motion, count, values)
    tell("Riccati's equation around the period")
    along = hold_derivatives(reference)
    if not along.B or not along.bases[0].size:
        raise EquilibriumError("nothing is free to move: all states are held by what no input changes")
    unit = binary(1 / np.sqrt(np.diag(R)))
    B = [b * unit for b in along.B]
    if len(lost := unreached_multipliers(along.A, B)):
        raise EquilibriumError(
            f"over a period no input moves what has the multipliers {', '.join(f'{z:.6g}' for z in lost)}, "
            "which does not decay by itself: add an input, or a motion along which these inputs reach it"
        )
    sizes, change = reference.sizes, reference.plant.change
    form = change.weights(Q) * sizes * sizes[:, None]
    weights = [T.T @ form @ T for T in along.bases]
    found = periodic_gains(along.A, B, weights, R * unit * unit[:, None])
    gains = [unit[:, None] * K @ T.T / sizes for K, T in zip(found, along.bases, strict=True)]
    return PeriodicLaw(reference, change.gains(np.array(gains)))


def law_of_numbers(
    system: Any, params: Mapping[str, float], hold: float, states: Any, inputs: Any, gains: Any
) -> PeriodicLaw:
    """A law that was designed before, of its numbers; EquilibriumError where the plant has no such motion."""
    n, m = len(system.state_labels), len(system.input_labels)
    x = finite_array("states", states, (len(states), n))
    change = RecordedStates.of(system, params)
    plant, y = HeldPlant(change, dict(params), quantity("hold", hold)), [*map(change.recording_state, x)]
    return PeriodicLaw(
        reference_of_numbers(plant, np.array(y), finite_array("inputs", inputs, (len(x), m))), gains
    )
