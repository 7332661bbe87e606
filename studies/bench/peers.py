"""Solvers of others, each given a vector field that works on any kind of number."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from studies.bench.measure import Bench, Program, Row

Field = Callable[[Sequence[Any]], list[Any]]

# One thread: processor seconds of all threads are counted.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

SCIPY, DIFFRAX, CASADI = (1e-10, 2.3e-14), (1e-10, 1e-12, 1e-14), (1e-9, 1e-12)
"""Tolerances."""


def solvers(bench: Bench, row: Row, field: Field, x0: np.ndarray, grid: np.ndarray) -> list[Program]:
    """All of them that are there; states (n, nt)."""
    return [
        *(Program("scipy, DOP853", f"{tol:g}", by_scipy(field, x0, grid, tol), "peer") for tol in SCIPY),
        *bench.peer(row, "diffrax", "diffrax", lambda: by_diffrax(field, x0, grid)),
        *bench.peer(row, "casadi", "casadi", lambda: by_casadi(field, x0, grid)),
    ]


def by_scipy(field: Field, x0: np.ndarray, grid: np.ndarray, tol: float) -> Callable[[], np.ndarray]:
    from scipy.integrate import solve_ivp

    span = grid[0], grid[-1]
    return lambda: solve_ivp(lambda t, x: field(x), span, x0, "DOP853", grid, rtol=tol, atol=tol).y


def by_control(field: Field, x0: np.ndarray, grid: np.ndarray, tol: float) -> Callable[[], np.ndarray]:
    import control

    n = len(x0)
    system = control.nlsys(
        lambda t, x, u, params: np.array(field(x)), None, states=n, inputs=0, outputs=n, name="peer"
    )
    options = {"solve_ivp_method": "DOP853", "solve_ivp_kwargs": {"rtol": tol, "atol": tol}}
    return lambda: control.input_output_response(system, grid, 0, x0, **options).states


def by_diffrax(field: Field, x0: np.ndarray, grid: np.ndarray) -> list[Program]:
    import diffrax
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    term, times = diffrax.ODETerm(lambda t, x, args: jnp.stack(field(x))), jnp.asarray(grid)

    def solver(tol: float) -> Callable[[], np.ndarray]:
        def solve(start):
            control = diffrax.PIDController(rtol=tol, atol=tol)
            found = diffrax.diffeqsolve(
                term,
                diffrax.Dopri8(),
                times[0],
                times[-1],
                None,
                start,
                saveat=diffrax.SaveAt(ts=times),
                stepsize_controller=control,
                max_steps=10**7,
            )
            return found.ys

        compiled = jax.jit(solve)
        return lambda: np.asarray(compiled(jnp.asarray(x0)).block_until_ready()).T

    return [Program("diffrax, Dopri8", f"{tol:g}", solver(tol), "peer") for tol in DIFFRAX]


def by_casadi(field: Field, x0: np.ndarray, grid: np.ndarray) -> list[Program]:
    import casadi as ca

    x = ca.SX.sym("x", len(x0))
    equations = {"x": x, "ode": ca.vertcat(*field([x[i] for i in range(len(x0))]))}

    def solver(tol: float) -> Callable[[], np.ndarray]:
        options = {"reltol": tol, "abstol": tol, "max_num_steps": 10**8}
        solve = ca.integrator("peer", "cvodes", equations, float(grid[0]), grid[1:].tolist(), options)
        return lambda: np.column_stack([x0, np.asarray(solve(x0=x0)["xf"])])

    return [Program("CasADi, CVODES", f"{tol:g}", solver(tol), "peer") for tol in CASADI]
