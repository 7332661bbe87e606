r"""The flow with its derivative by the start, :math:`\dot\Phi = \frac{\partial f}{\partial x}\,\Phi`.

State and derivative are integrated together by the engines of `geoctrl.simulate`, as a reconstruction is.
The derivative by a parameter is one more column, with :math:`\partial f/\partial p` added to its rate, and
zero at the start; those by the time of the start, in equations that hold it, and by held inputs likewise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._scalars import STATE, Node
from geoctrl.errors import SimulationError
from geoctrl.simulation.run import choose_engine
from geoctrl.stepping.drive.drive import Held
from geoctrl.stepping.drive.flow import Flow

__all__ = ["FlowVariations"]


class FlowVariations:
    """The flow of a recorded system with its derivative, under inputs that are held.

    Parameters
    ----------
    system : System
        With recorded equations.
    u : ndarray (m,)
    params : dict
        All parameters by name.
    along : str, optional
        A parameter by which the derivative is taken too, and which has other values.
    by_start : bool
        Whether the derivative is taken by the time of the start too, for as long a run.
    by_inputs : bool
        Whether it is taken by the inputs as well.
    """

    def __init__(
        self,
        system: Any,
        u: np.ndarray,
        params: Mapping[str, float],
        along: str | None = None,
        by_start: bool = False,
        by_inputs: bool = False,
    ) -> None:
        self.system, self.u, self.params, self.along = system, u, params, along
        named = system.program(system.field_nodes).parameters
        by = [] if along is None else [named[along]]
        by += [system.time_node] if by_start else []
        self._columns = [*by, *(system.assembly.inputs if by_inputs else [])]
        self._more, self._by = _variational(system, self._columns), (by_start, by_inputs)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is made anew: a system that is pickled is, with nodes of its own."""
        return type(self), (self.system, self.u, self.params, self.along, *self._by)

    def __call__(
        self,
        x: np.ndarray,
        time: float,
        value: float | None = None,
        since: float = 0.0,
        u: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """State (n,) and derivative (n, n) after a time, with more columns by the parameter, the time of the
        start and the inputs; under other inputs where these are given.
        """
        n, params = len(x), dict(self.params)
        if self.along is not None and value is not None:
            params[self.along] = value
        start = np.eye(n, n + len(self._columns))
        flow = Flow(
            system=self.system,
            drive=Held(self.system.input_labels, self.u if u is None else u),
            params=params,
            x0=np.concatenate([x, start.ravel()]),
            times=np.array([since, since + time]),
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
        return rows[-1][:n], rows[-1][n:].reshape(n, -1)


def _variational(system: Any, by: Sequence[Node]) -> tuple[tuple[Node, Node], ...]:
    """States and rates of the derivative, row by row, by the states and some further symbols."""
    g, n = system.graph, system.nstates
    J = g.jacobian(system.field_nodes, system.state_nodes)
    m = n + len(by)
    Phi = [[g.symbol(f"variation {i} {j}", STATE) for j in range(m)] for i in range(n)]
    terms = {
        (i, j): [J[i][k] * Phi[k][j] for k in range(n) if not J[i][k].is_zero]
        for i in range(n)
        for j in range(m)
    }
    for i, slopes in enumerate(g.jacobian(system.field_nodes, by) if by else []):
        for j, slope in enumerate(slopes):
            terms[i, n + j].append(slope)
    return tuple((Phi[i][j], g.add(terms[i, j])) for i in range(n) for j in range(m))
