"""The field of recorded equations at one set of parameters."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from geoctrl.systems.contract.run_field import RunField
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.states.singularity import find_singularity, require_regular

__all__ = ["RecordedField"]

LEAF_LIMIT = 1e-6
"""Largest defect of a leaf relation with which a run in multiplier form goes on."""


class RecordedField(RunField):
    """The program of a reduced system's equations with the numbers of one run."""

    engine = ""

    def __init__(self, system: Recorded, params: Mapping[str, float]) -> None:
        program = system.program(system.evaluated_rates)
        self._system, self._params = system, params
        self._value, self._constants = program.scalar, program.constants(params)
        self._u = [0.0] * system.ninputs

    def hold(self, u: np.ndarray) -> None:
        """Set the inputs (m,)."""
        self._u = u.tolist()

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Rate (n,) of a state; nan where it has none."""
        try:
            return np.array(self._value([*x.tolist(), t, *self._u], self._constants))
        except (ArithmeticError, ValueError):
            # Division by zero, overflow or a function outside its domain in Python's float arithmetic.
            return np.full(x.size, np.nan)

    def require_regular(self, t: float, x: np.ndarray, place: str) -> None:
        """As `geoctrl.systems.states.singularity.require_regular`."""
        require_regular(self._system, t, x, self._params, place)

    def singularity(self, t: float, x: np.ndarray) -> str:
        """As `geoctrl.systems.states.singularity.find_singularity`."""
        return find_singularity(self._system, t, x, self._params)

    def off_leaf(self, times: np.ndarray, rows: np.ndarray) -> tuple[int, str | None]:
        """Samples up to the first whose leaf defect is beyond `LEAF_LIMIT`, where multipliers keep rows."""
        system = self._system
        if not times.size or not system.assembly.rows:
            return times.size, None
        defects = np.abs(system.leaf_residual(rows.T, self._params))
        bad = ~(defects <= LEAF_LIMIT).all(axis=0)
        if not bad.any():
            return times.size, None
        k = int(np.argmax(bad))
        worst = int(np.argmax(defects[:, k]))
        return k, (
            f"leaf relation {system.leaf.names[worst]!r} drifted to {defects[worst, k]:.2e} at t = "
            f"{times[k]:.9g} (limit {LEAF_LIMIT:g}); the multiplier form is not stabilised: "
            "take a smaller rtol"
        )
