r"""How fast a loop is, how hard its law pushes, and how far it reaches.

Near an equilibrium the loop is :math:`\delta\dot x = A\,\delta x` on the leaf with inputs
:math:`\delta u = C\,\delta x`: its frequencies are the eigenvalues of A, and what a deviation costs is
:math:`\max_t |C e^{At}\,\delta x(0)|`. Away from it the law ends where :math:`\det G_c = 0`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.analysis.linear.linearization import Linearization
from geoctrl.synthesis.shaping.controlled_lagrangian import Controlled
from geoctrl.systems import Equilibrium

__all__ = ["EDGE", "Performance", "largest_inputs", "performance_at", "rates"]

_SAMPLES = 32
"""Instants in a period of the fastest mode: the crest of a wave is missed by less than 0.5 %."""
_PERIODS = 20
"""Periods of the slowest mode over which the largest input is looked for."""
_COUNT = 2**16
"""Instants at most."""
_GROWTH = 1e-6
"""Real parts below this, relative to the largest eigenvalue, are those of imaginary ones."""
_FIXED = 1e-9
"""A state that moves less than this part of its size on the leaf is held by it."""
_STRIDE = 0.01
"""Step along a velocity in search of the law's end, by the size of its coordinate, or what its own size moves
within the loop's time."""
_FAR = 10.0
"""How far it is looked for, in the same."""
EDGE = Fraction(1, 1000)
"""det Gc by that at the reference where a law ends: accelerations grow with its inverse."""


@dataclass(frozen=True)
class Performance:
    """A loop near an equilibrium; made by ``ShapedLaw.performance``.

    Attributes
    ----------
    frequency : float
        Largest absolute value of an eigenvalue, rad/s.
    decay : float
        Rate of the slowest mode that is not neutral, 1/s: zero for a loop without damping, negative for one
        that falls.
    effort : dict of input -> dict of state -> float
        Largest input of the linear loop from a unit deviation in a state (N/m, N m/rad, ...), put on the
        leaf; infinite where the loop falls. States that the leaf holds are left out.
    span : float
        Seconds over which it was looked for: 20 periods of the slowest mode, and no more than 65536 instants.
    domain : dict of label -> (float, float)
        By coordinate, else by velocity: how far the configuration can be carried with this one alone until
        the law is singular, down and up; infinite where it is not within 10 rad, or ten times the size of the
        coordinate. Those without an end are left out.
    """

    frequency: float
    decay: float
    effort: dict[str, dict[str, float]]
    span: float
    domain: dict[str, tuple[float, float]]

    def _lines(self) -> list[str]:
        lines = [f"<Performance: frequencies up to {self.frequency:.4g} rad/s, decay {self.decay:.4g} 1/s>"]
        for name, by_state in self.effort.items():
            told = ", ".join(f"{label} {value:.4g}" for label, value in by_state.items())
            lines.append(f"  largest {name} from a unit deviation: {told}")
        for label, (low, high) in self.domain.items():
            lines.append(f"  regular for {low:.4g} < {label} < {high:.4g} from the equilibrium")
        return lines

    full = full_text
    __repr__ = short_form


def performance_at(
    linear: Linearization, C: np.ndarray, inputs: Sequence[str], controlled: Controlled
) -> Performance:
    """`Performance` of a loop, its inputs C by the states, and the reach of its controlled Lagrangian."""
    neutral, d = len(linear.zero_modes), linear.scales.column
    frequency, decay = rates(linear.A_leaf, neutral)
    W = np.linalg.qr(linear.basis / d[:, None])[0]
    # Unit deviations of the states put on the leaf, orthogonally where all states are of size one.
    starts = {
        label: row / np.linalg.norm(row) / size
        for label, row, size in zip(linear.state_labels, W, d, strict=True)
        if np.linalg.norm(row) > _FIXED
    }
    columns = np.array(list(starts.values())).T
    A, outer = W.T @ (linear.A * d / d[:, None]) @ W, d[:, None] * W
    peaks, span = largest_inputs(A, C @ outer, columns, neutral)
    effort = {
        name: dict(zip(starts, map(float, row), strict=True)) for name, row in zip(inputs, peaks, strict=True)
    }
    sizes = dict(zip(linear.state_labels, d.tolist(), strict=True))
    domain = _domain(controlled, linear.equilibrium, sizes, linear.scales.rate or 1.0)
    return Performance(frequency, decay, effort, span, domain)


def rates(A: np.ndarray, neutral: int = 0) -> tuple[float, float]:
    """Largest absolute value of an eigenvalue, and the least decay of those that are not neutral."""
    values = sorted(np.linalg.eigvals(A), key=abs)
    if not values:
        return 0.0, 0.0
    largest = float(abs(values[-1]))
    least = -max((v.real for v in values[neutral:]), default=0.0)
    return largest, float(least) if abs(least) > _GROWTH * largest else 0.0


def largest_inputs(
    A: np.ndarray, C: np.ndarray, starts: np.ndarray, neutral: int = 0
) -> tuple[np.ndarray, float]:
    """max_t |C exp(A t) x(0)| (m x r) for columns x(0), and the seconds over which it is taken."""
    sizes = np.sort(np.abs(np.linalg.eigvals(A)))
    largest, decay = rates(A, neutral)
    if largest == 0.0:
        return np.abs(C @ starts), 0.0
    span = _PERIODS * 2 * np.pi / float(sizes[min(neutral, len(sizes) - 1)])
    step = 2 * np.pi / (_SAMPLES * largest)
    count = min(_COUNT, int(np.ceil(span / step)) + 1)
    if decay < 0:
        return np.full((len(C), starts.shape[1]), np.inf), step * (count - 1)
    seen, power = C[None], scipy.linalg.expm(A * step)
    while len(seen) < count:  # C exp(A t) at twice as many instants each time
        seen, power = np.concatenate([seen, seen @ power]), power @ power
    return np.abs(seen[:count] @ starts).max(axis=0), step * (count - 1)


def _domain(
    controlled: Controlled, point: Equilibrium, sizes: Mapping[str, float], rate: float
) -> dict[str, tuple[float, float]]:
    """How far each velocity alone carries the configuration from a point until det Gc is next to zero.

    Parameters
    ----------
    sizes : by state
    rate : float
        Of the loop.
    """
    system = controlled.system
    a, k = system.assembly, len(system.assembly.velocity)
    moved = dict(zip(a.gamma, a.advection, strict=True))
    rest = [moved.get(node, system.graph.zero) for node in system.state_nodes[k:]]
    program = system.program([*rest, *(e for row in a.mass for e in row)])
    numbers, x = system.parameters(point.params), point.x[: system.nstates]
    coordinates = {c.rate_label: c.name for c in controlled.mechanism.shape}

    def rates_and_determinant(velocity: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, float]:
        arguments = system.arguments_at(0.0, np.concatenate([velocity, place]), None)
        values = np.array(program(arguments, numbers), dtype=float)
        return values[: len(rest)], float(np.linalg.det(values[len(rest) :].reshape(k, k)))

    def end(direction: np.ndarray, path: float) -> float:
        """Arc length at which the law is singular, by steps of the midpoint rule."""
        stride = _STRIDE * path
        place, (_, first) = x[k:], rates_and_determinant(direction, x[k:])
        for i in range(round(_FAR / _STRIDE)):
            half = place + stride / 2 * rates_and_determinant(direction, place)[0]
            further = place + stride * rates_and_determinant(direction, half)[0]
            after = rates_and_determinant(direction, further)[1] / first
            if not after > EDGE:
                before = rates_and_determinant(direction, place)[1] / first
                return stride * (i + (before - float(EDGE)) / (before - after))
            place = further
        return np.inf

    found = {}
    for label, direction in zip(system.state_labels[:k], np.eye(k), strict=True):
        path = max(sizes[label] / rate, sizes.get(coordinates.get(label, ""), 0.0))
        low, high = -end(-direction, path), end(direction, path)
        if np.isfinite([low, high]).any():
            found[coordinates.get(label, label)] = (low, high)
    return found
