"""The best gait that was found, and how each start ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.systems import Connection, Displacement

__all__ = ["BestGait"]


@dataclass(frozen=True, eq=False, repr=False)
class BestGait:
    r"""A gait of given effort that moves the group as far as was found; made by `optimal_gait`.

    Attributes
    ----------
    connection : Connection
    gait : dict of coordinate -> sympy expression
        In ``geoctrl.time``, as `Connection.displacement` takes it.
    period : float
    goal : str
    value : float
        The number that was to be large.
    coefficients : dict of coordinate -> dict of term -> float
        ``{"phi": {"sin 1": .., "cos 1": ..}}``.
    displacement : Displacement
    effort : float
    gradient : ndarray (q,)
        Derivative of the value by the coefficients, along gaits of the same effort: zero at a best one.
    momentum : ndarray (m,)
        p at the start.
    velocity : ndarray (n_g,)
        :math:`\xi` at the start. Where it is not zero the gait starts from a motion of the group, though its
        momentum may be zero.
    starts : tuple of (value, status, evaluations)
        Of each start, the best first; nan where it came to a singular point.
    params : dict
    """

    connection: Connection
    gait: dict[str, sp.Expr]
    period: float
    goal: str
    value: float
    coefficients: dict[str, dict[str, float]]
    displacement: Displacement
    effort: float
    gradient: np.ndarray
    momentum: np.ndarray
    velocity: np.ndarray
    starts: tuple[tuple[float, str, int], ...]
    params: dict[str, float]

    full = full_text
    __repr__ = short_form

    def _lines(self) -> list[str]:
        mechanism = self.connection.mechanism
        assert mechanism.group is not None
        alike = sum(status == "converged" and np.isclose(value, self.value, rtol=1e-9, atol=0)
                    for value, status, _ in self.starts)  # fmt: skip
        unit = {"distance": " m", "heading": " rad"}.get(self.goal, "")
        lines = [
            f"<BestGait of {mechanism.name or 'unnamed'}: {self.goal} {self.value:.10g}{unit} in "
            f"{self.period:.6g} s, effort {self.effort:.6g}>"
        ]
        for name, terms in self.coefficients.items():
            text = " ".join(f"{value:+.6g} {term.replace(' ', '(')} w t)" for term, value in terms.items())
            lines.append(f"  {name} = {text or '0'}")
        lines.append(
            f"  w = {2 * np.pi / self.period:.6g}/s; {alike} of {len(self.starts)} starts came to it"
        )
        moving = {
            label: float(v) for label, v in zip(mechanism.group.labels, self.velocity, strict=True) if v != 0
        }
        if not len(self.momentum):
            lines.append("  without momenta: the group moves while the shape does")
        elif moving:
            told = ", ".join(f"{label} = {v:.4g}" for label, v in moving.items())
            lines.append(f"  starts from a motion: {told}, with momentum {self._momentum_text}")
        else:
            lines.append(f"  starts from rest of the group, with momentum {self._momentum_text}")
        return lines

    @property
    def _momentum_text(self) -> str:
        return ", ".join(f"{p:.4g}" for p in self.momentum)
