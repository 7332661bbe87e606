"""Loops that compute their inputs from hold to hold, judged in floats by running one hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.integrate import DOP853
from scipy.linalg import block_diag, null_space

from tests.attack.oracle.tables import NotJudgedError, Table

STEP, CLOSE, APART = 1e-5, 1e-6, 1e-3
"""Of difference quotients; what is taken for zero; by how much multipliers are on a side of the circle."""
RATES = 20_000
"""Most evaluations of rates in a hold."""


class Hold:
    """One hold of a loop as a map of plant, the controller's own states, and commands that wait.

    Attributes
    ----------
    rest : the point
    plant : places of the plant's states
    """

    def __init__(self, table: Table, loop: Mapping[str, Any]) -> None:
        self._table, self._loop = table, loop
        labels = list(table.problem["states"])
        self._commands, self._own = ([labels.index(k) for k in loop[part]] for part in ("commands", "own"))
        self.plant = [i for i in range(len(labels)) if i not in (*self._commands, *self._own)]
        self._e = np.array([float(v) for v in table.point])
        self._hold, self._part = (float(Fraction(loop[k])) for k in ("hold", "part"))
        waiting = [self._e[self._commands]] * (loop["late"] + (self._part > 0))
        self.rest = np.concatenate([self._e[self.plant], self._e[self._own], *waiting])

    def __call__(self, y: np.ndarray) -> np.ndarray:
        m, k = len(self.plant), len(self._own)
        queue = list(y[m + k :].reshape(-1, len(self._commands)))
        x = self._e.copy()
        x[self.plant], x[self._own] = y[:m], y[m : m + k]
        x[self._commands] = self._of("commands", x)
        now = [x[self._commands].copy(), *queue]
        own = y[m : m + k] + self._hold * self._of("own", x)
        for share, acting in ((self._part, self._loop["late"] + 1), (1 - self._part, self._loop["late"])):
            if share > 0:
                x[self._commands] = now[acting]
                x = self._flow(x, share * self._hold)
        return np.concatenate([x[self.plant], own, *now[: len(queue)]])

    def _of(self, part: str, x: np.ndarray) -> np.ndarray:
        return self._table.in_floats(list(self._loop[part].values()), x)

    def _flow(self, x: np.ndarray, span: float) -> np.ndarray:
        field = self._table.problem["field"]
        run = DOP853(lambda _, z: self._table.in_floats(field, z), 0.0, x, span, rtol=1e-12, atol=1e-14)
        while run.status == "running":
            run.step()
            if run.nfev > RATES:
                raise NotJudgedError("a hold takes too many rates")
        return run.y


def loop_at_odds(table: Table, verdict: str, loop: Mapping[str, Any], gradients: Callable) -> str:
    """What the multipliers of one hold on the leaf say against a verdict; nothing where both agree."""
    hold = Hold(table, loop)
    y = hold.rest
    if np.max(np.abs(hold(y) - y)) > CLOSE * max(1.0, float(np.max(np.abs(y)))):
        return "the point is no fixed point of the loop"
    columns = [(hold(y + STEP * e) - hold(y - STEP * e)) / (2 * STEP) for e in np.eye(len(y))]
    W = np.eye(len(y))
    if leaf := list(table.problem["leaf"].values()):
        slopes = gradients(table, leaf, np.array([float(v) for v in table.point]))[:, hold.plant]
        W = block_diag(null_space(slopes, rcond=1e-8), np.eye(len(y) - len(hold.plant)))
    radius = float(np.max(np.abs(np.linalg.eigvals(W.T @ np.array(columns).T @ W)), initial=0.0))
    if verdict.endswith("UNSTABLE"):
        return f"{verdict}, but the largest multiplier is {radius:.6g}" if radius < 1 - APART else ""
    return f"{verdict}, but a multiplier has the size {radius:.6g}" if radius > 1 + APART else ""
