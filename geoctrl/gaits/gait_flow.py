"""The end of a gait and its derivative by coefficients: by Taylor series of heyoka, or by scipy's DOP853."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from geoctrl.errors import DependencyError, SimulationError
from geoctrl.simulation import heyoka_engine
from geoctrl.simulation.heyoka_compiled import heyoka_for, taylor_expressions
from geoctrl.systems.connections.gait_motion import GaitEnd, GaitMotion

__all__ = ["GaitFlow"]

_TOLERANCE = 1e-14
_RTOL, _ATOL = 1e-12, 1e-13
_STEPS = 20_000
"""More than a period takes that does not come near a singular point."""


class GaitFlow:
    """Ends of gaits (coefficients, momenta at the start) -> `GaitEnd`, from the identity over one period.

    Parameters
    ----------
    motion : GaitMotion
    period : float
    engine : str
        ``"heyoka"``, ``"scipy"``, or ``"auto"``: the former where it is installed.
    """

    def __init__(self, motion: GaitMotion, period: float, engine: str = "auto") -> None:
        self._motion, self._period = motion, period
        if engine == "heyoka" and not heyoka_engine.available():
            raise DependencyError("engine='heyoka' needs the package heyoka; install it, or take 'scipy'")
        taylor = engine != "scipy" and heyoka_engine.available()
        self._run: Callable[[dict[str, float], np.ndarray], np.ndarray] = (
            self._taylor() if taylor else self._runge_kutta
        )

    def __call__(self, coefficients: np.ndarray, momentum: np.ndarray) -> GaitEnd:
        """The end; SimulationError where the motion meets a singular point."""
        values = {f"a{i}": float(value) for i, value in enumerate(coefficients)}
        try:
            end = self._run(values, self._motion.start(momentum))
        except ArithmeticError:
            end = np.array([np.nan])
        if not np.isfinite(end).all():
            raise SimulationError(
                "the gait meets a point at which the connection is singular; try less effort, or other starts"
            )
        return self._motion.end(end)

    def _taylor(self) -> Callable[[dict[str, float], np.ndarray], np.ndarray]:
        program = self._motion.program
        hy: Any = heyoka_for(program)
        names = [f"z{i}" for i in range(len(program.tape.outputs))]
        variables = hy.make_vars(*names) if len(names) > 1 else [hy.make_vars(*names)]
        rates = taylor_expressions(program, [*variables, hy.time])
        integrator = hy.taylor_adaptive(
            [(v, hy.expression(r) if isinstance(r, (int, float)) else r)
             for v, r in zip(variables, rates, strict=True)],
            state=[0.0] * len(names),
            pars=[0.0] * len(program.tape.constants),
            tol=_TOLERANCE,
            compact_mode=True,
            opt_level=1,
        )  # fmt: skip

        def run(values: dict[str, float], start: np.ndarray) -> np.ndarray:
            integrator.pars[:] = program.constants(values)
            integrator.time, integrator.state[:] = 0.0, start
            outcome = integrator.propagate_until(self._period, max_steps=_STEPS)[0]
            ended = outcome == hy.taylor_outcome.time_limit
            return integrator.state.copy() if ended else np.array([np.nan])

        return run

    def _runge_kutta(self, values: dict[str, float], start: np.ndarray) -> np.ndarray:
        from scipy.integrate import solve_ivp

        program = self._motion.program
        run = solve_ivp(
            lambda t, z: program([*z, t], values),
            (0.0, self._period),
            start,
            "DOP853",
            t_eval=[self._period],
            rtol=_RTOL,
            atol=_ATOL,
        )
        return run.y[:, -1] if run.success else np.array([np.nan])
