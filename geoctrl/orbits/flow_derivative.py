r"""The flow with its derivative by the start, :math:`\dot\Phi = \frac{\partial f}{\partial x}\,\Phi`.

State and derivative are integrated together by the engines of `geoctrl.simulate`, as a reconstruction is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl._scalars import STATE, Node
from geoctrl.errors import SimulationError
from geoctrl.simulation.run import choose_engine
from geoctrl.stepping.drive.drive import Held
from geoctrl.stepping.drive.flow import Flow
from geoctrl.systems import System

__all__ = ["FlowVariations"]


class FlowVariations:
    """The flow of a recorded system with its derivative, under inputs that are held.

    Parameters
    ----------
    system : System
        With recorded equations that do not hold the time.
    u : ndarray (m,)
    params : dict
        All parameters by name.
    """

    def __init__(self, system: System, u: np.ndarray, params: Mapping[str, float]) -> None:
        self.system, self.u, self.params = system, u, params
        self._more = _variational(system)

    def __call__(self, x: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
        """State (n,) and derivative (n, n) after a time."""
        n = len(x)
        flow = Flow(
            system=self.system,
            drive=Held(self.system.input_labels, self.u),
            params=self.params,
            x0=np.concatenate([x, np.eye(n).ravel()]),
            times=np.array([0.0, time]),
            more=self._more,
        )
        steps, rows = choose_engine(flow, "auto").run(), [flow.x0]
        while True:
            try:
                _, block = next(steps)
            except StopIteration as stop:
                ending = stop.value
                break
            rows.extend(block)
        if ending.failure or not np.isfinite(rows[-1]).all():
            raise SimulationError(f"{ending.failure or 'the state is no longer finite'} on the orbit", None)
        return rows[-1][:n], rows[-1][n:].reshape(n, n)


def _variational(system: Any) -> tuple[tuple[Node, Node], ...]:
    """States and rates of the derivative, row by row."""
    g, n = system.graph, system.nstates
    J = g.jacobian(system.field_nodes, system.state_nodes)
    Phi = [[g.symbol(f"variation {i} {j}", STATE) for j in range(n)] for i in range(n)]
    return tuple(
        (Phi[i][j], g.add([J[i][k] * Phi[k][j] for k in range(n) if not J[i][k].is_zero]))
        for i in range(n)
        for j in range(n)
    )
