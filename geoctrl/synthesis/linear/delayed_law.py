r"""Held linear laws whose commands act later: they are given the state in which they will act.

A command of the time :math:`t_k` acts from :math:`t_k + \tau` on. Seen at those times the plant has no delay,
so that the gain K of inputs that are held is the best one, of the state then,

.. math:: x(t_k + \tau) = e^{A \tau} x_k + \sum_{j \ge 1} \Phi_j u_{k-j}, \qquad
          \Phi_j = G(\min(j h, \tau)) - G((j - 1) h), \quad G(s) = \int_0^s e^{A r} B\,dr,

which the commands that wait determine (K. J. Astrom, B. Wittenmark,
Computer-Controlled Systems, 1997, chapter 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import quantity, sampling_rate
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact, shown
from geoctrl.analysis.linear.linearization import Linearization
from geoctrl.errors import InputError
from geoctrl.sampling import Feedback, holds_of_delay
from geoctrl.synthesis.contract.own_rate import OwnRate
from geoctrl.synthesis.export.formula import with_doubles
from geoctrl.synthesis.linear.linear_law import LinearLaw, input_expressions
from geoctrl.synthesis.linear.manifold_law import ManifoldLaw
from geoctrl.synthesis.linear.riccati import held_pair
from geoctrl.systems.typesetting.printed_spectra import ordered_eigenvalues, spectrum_line

__all__ = ["DelayedLaw", "delay_of"]

_WAITING = 200
"""Commands that may wait: each is a state of the controller."""


def delay_of(delay: Any, rate: float | None) -> float:
    """A delay (s) of a law that is designed for a rate; InputError for another number, or without a rate."""
    found = quantity("delay", delay)
    if not found >= 0:
        raise InputError(f"delay must not be negative, in seconds, got {shown(delay)}")
    if found and rate is None:
        raise InputError("delay= needs rate=: without a hold the commands that wait are a function of time")
    if rate is not None and found * (hertz := sampling_rate(rate)) > _WAITING:
        raise InputError(
            f"a delay of {found:g} s is {found * hertz:.6g} holds, and at most {_WAITING} commands may "
            "wait: delay is in seconds; lower it, or the rate"
        )
    return found


class DelayedLaw(OwnRate):
    r"""Commands :math:`u_k = u_e - K (x_k - x_e) - \sum_j W_j (u_{k-j} - u_e)`; made by `lqr` and `place`.

    The waiting commands are states of the controller, ``{input}_waits{j}``, deviations from rest.

    Attributes
    ----------
    plant : ReducedSystem
    equilibrium : Equilibrium
    K : ndarray (m, n)
    waiting : ndarray (m, j, m)
        W, the gains on the commands that wait, the last one first.
    rate, delay : float
        Of the controller that it is for (Hz, s).
    multipliers : ndarray
        Of one hold of the loop on what the inputs reach; those of the commands that wait are zero.
    reached : Controllability

    Raises
    ------
    TypeError
        If it is not made of a linearisation and a linear law.

    Examples
    --------
    >>> import geoctrl as gc
    >>> cart = gc.models.get("cart-pendulum")().reduce()
    >>> law = gc.lqr(cart, cart.equilibrium("upright"), rate=100, delay=0.025)
    >>> law.sampled()
    <SampledController of u: 100 Hz, delay 0.025 s>
    """

    def __init__(
        self,
        linear: Linearization,
        undelayed: LinearLaw | ManifoldLaw,
        multipliers: np.ndarray,
        rate: float,
        delay: float,
    ) -> None:
        if not isinstance(linear, Linearization) or not isinstance(undelayed, LinearLaw | ManifoldLaw):
            raise TypeError("a law with a delay is made by gc.lqr or gc.place, with rate= and delay=")
        self.plant, self.equilibrium, self.reached = undelayed.plant, undelayed.equilibrium, undelayed.reached
        self.input_labels, self._bare = undelayed.input_labels, undelayed.with_gain
        self.rate, self.delay = float(rate), float(delay)
        self.multipliers = ordered_eigenvalues(multipliers)
        self.K, self.waiting = _gains(linear, undelayed.K, 1 / self.rate, self.delay)
        self.pace = undelayed.pace

    @property
    def file_limits(self) -> Mapping[str, tuple[float, float]]:
        """Limits of the law's inputs, of the model file that its plant is read from; empty without one."""
        given = self.plant.limits
        return {label: given[label] for label in self.input_labels if label in given}

    @property
    def neutral(self) -> tuple[str, ...]:
        """Names of what is left out, as of a `LinearLaw`."""
        return self.reached.neutral

    def feedback(self, params: Mapping[str, float] | None = None) -> Feedback:
        """The law in the states of the plant and the commands that wait; see `Controls.feedback`."""
        bare = self._bare(self.K).feedback(params)
        inputs, m = self.input_labels, len(self.input_labels)
        names = [[f"{u}_waits{j + 1}" for u in inputs] for j in range(self.waiting.shape[1])]
        waits = [sp.Symbol(name, real=True) for row in names for name in row]
        gains = sp.Matrix(m, len(waits), [sp.Rational(exact(v)) for v in self.waiting.reshape(m, -1).flat])
        delayed = dict(zip(inputs, gains * sp.Matrix(waits), strict=True))
        at_rest = zip(inputs, input_expressions(self.equilibrium), strict=True)
        commands = [sp.Symbol(u, real=True) - value for u, value in at_rest]
        fresh = [*commands, *waits[: len(waits) - m]]
        rates = {
            str(z): sp.Rational(exact(self.rate)) * (new - z) for z, new in zip(waits, fresh, strict=True)
        }
        return Feedback(
            {u: e - delayed[u] for u, e in bare.terms.items()},
            rates,
            bare.rest,
            computed={u: e - with_doubles(delayed[u]) for u, e in bare.computed.items()},
        )

    def _lines(self) -> list[str]:
        return [
            f"<DelayedLaw for {self.plant.name or 'a system'}: {self.rate:g} Hz, delay {self.delay:g} s, "
            f"{self.waiting.shape[1]} commands wait>",
            spectrum_line("multipliers", self.multipliers),
            f"  left out: {', '.join(self.neutral) or '-'}",
        ]

    full = full_text
    __repr__ = short_form


def _gains(linear: Linearization, K: np.ndarray, h: float, delay: float) -> tuple[np.ndarray, np.ndarray]:
    """Gains on the state and on the commands that wait."""
    unit = linear.scales.unit
    A, B = linear.A * (unit / unit[:, None]), linear.B / unit[:, None]
    whole, part = holds_of_delay(delay, 1 / h)
    count = whole + (part > 0) or 1  # a delay of next to nothing has a command wait too
    flows = [held_pair(A, B, min(j * h, delay)) for j in range(count + 1)]
    held = K * unit
    waiting = [held @ (later[1] - earlier[1]) for earlier, later in pairwise(flows)]
    return held @ flows[-1][0] / unit, np.stack(waiting, axis=1)
