"""Motions under laws that are held from sample to sample, judged in floats by running a period."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.integrate import DOP853

from tests.attack.oracle.tables import NotJudgedError, Table

STEP, STEPS, CLOSED = 1e-6, 20, 1e-9
"""Of difference quotients, Newton's steps, and the last of them that counts as none, all over sizes."""
APART = 1e-4
"""By how much a multiplier is on a side of the circle, over the largest derivative of the period."""
RATES = 20_000
"""Most evaluations of rates in a hold."""
Field = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class HeldLaws:
    """Numbers of the laws of a period, and rates (x, u) of the plant.

    Attributes
    ----------
    inputs, gains, states : ndarray (N, m), (N, m, n), (N, n)
    sizes : ndarray (n,)
    """

    field: Field
    hold: float
    inputs: np.ndarray
    gains: np.ndarray
    states: np.ndarray
    sizes: np.ndarray

    def period(self, x: np.ndarray) -> np.ndarray:
        """The state after a period."""
        return self.samples(x)[-1]

    def samples(self, x: np.ndarray) -> np.ndarray:
        """States (N + 1, n) at the samples of a period."""
        found = [x]
        for u, K, at in zip(self.inputs, self.gains, self.states, strict=True):
            found.append(self._after(found[-1], u - K @ (found[-1] - at)))
        return np.array(found)

    def _after(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        sizes = self.sizes
        with np.errstate(all="ignore"):
            run = DOP853(
                lambda _, z: self.field(z * sizes, u) / sizes, 0.0, x / sizes, self.hold,
                rtol=1e-12, atol=1e-13,
            )  # fmt: skip
            while run.status == "running":
                run.step()
                if run.nfev > RATES or not np.all(np.abs(run.y) < 1e9):
                    raise NotJudgedError("a hold takes too many rates, or leads far away")
        return run.y * sizes

    def derivative(self, x: np.ndarray) -> np.ndarray:
        """Of a period, in states over sizes."""
        steps = STEP * np.diag(self.sizes)
        columns = [(self.period(x + e) - self.period(x - e)) / (2 * STEP * self.sizes) for e in steps]
        return np.array(columns).T

    def closed(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The motion that closes next to a start, and the derivative there."""
        for _ in range(STEPS):
            M = self.derivative(x)
            change = np.linalg.lstsq(M - np.eye(len(x)), (x - self.period(x)) / self.sizes, rcond=1e-9)[0]
            x = x + change * self.sizes
            if np.max(np.abs(change)) < CLOSED:
                return x, self.derivative(x)
        raise NotJudgedError("Newton's steps find no motion that closes")


def cycle_falsehood(
    laws: HeldLaws, verdict: str, middle: np.ndarray, radius: np.ndarray, kept: int = 0
) -> str:
    """What is false of a verdict about the motion in a box; nothing where all is true.

    As many multipliers next to one as functions are kept are left out.
    """
    x, M = laws.closed(middle)
    off = np.abs(x - middle) / laws.sizes
    if np.any(off > radius / laws.sizes + 1e-7):
        return f"the motion that closes is {np.max(off):.3g} beside the middle of its box"
    values = np.linalg.eigvals(M)
    values = values[np.argsort(np.abs(values - 1))[kept:]]
    largest = float(np.max(np.abs(values), initial=0.0))
    slack = APART * max(1.0, float(np.linalg.norm(M, 2)))
    if verdict == "PROVED_UNSTABLE":
        return f"{verdict}, and the largest multiplier is {largest:.6g}" if largest < 1 - slack else ""
    return f"{verdict}, and a multiplier has the size {largest:.6g}" if largest > 1 + slack else ""


def laws_of_file(problem: Mapping[str, Any], theorem: Mapping[str, Any]) -> HeldLaws:
    """What a file says: its equations, laws, hold and units."""
    table, n = Table(problem), len(theorem["start"])

    def numbers(rows: Any) -> Any:
        return [numbers(row) for row in rows] if isinstance(rows, list) else float(Fraction(rows))

    def field(x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return table.in_floats(problem["field"][:n], [*x, *u])

    holds = theorem["holds"]
    parts = (np.array([numbers(hold[k]) for hold in holds]) for k in ("inputs", "gain", "states"))
    return HeldLaws(field, float(Fraction(theorem["hold"])), *parts, sizes_of(theorem))


def sizes_of(theorem: Mapping[str, Any]) -> np.ndarray:
    """Of the states of the plant."""
    return 2.0 ** np.array(theorem["units"][: len(theorem["start"])], float)


def box_of_file(theorem: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Middle and radius of where the motion is as the first law is set."""
    sizes = sizes_of(theorem)
    start = np.array([float(Fraction(v)) for v in theorem["start"]])
    return start * sizes, float(Fraction(theorem["radius"])) * sizes


def multipliers_at_odds(laws: HeldLaws, x: np.ndarray, told: Sequence[complex]) -> str:
    """How multipliers that are told in floats differ from those of the period; nothing where they agree."""
    M = laws.derivative(x)
    own, told = (np.sort(np.abs(values)) for values in (np.linalg.eigvals(M), np.asarray(told)))
    off = float(np.max(np.abs(own - told)))
    return f"multipliers differ by {off:.3g}" if off > APART * max(1.0, float(np.linalg.norm(M, 2))) else ""
