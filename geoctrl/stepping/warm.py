"""Compile all stepping loops, which are then kept on disk: no first run need wait for them."""

from __future__ import annotations

import time

from geoctrl.stepping.compiled import neighbours
from geoctrl.stepping.compiled.compiled import loop_code
from geoctrl.stepping.compiled.forces import no_force
from geoctrl.stepping.methods.runge_kutta import runge_kutta, runge_kutta_signature
from geoctrl.stepping.methods.variational import Solver, no_kinetics, variational, variational_signature
from geoctrl.stepping.solvers import apart, coupled, explicit, tensions

__all__ = ["SOLVERS", "warm"]

SOLVERS: dict[str, Solver] = {
    "explicit": explicit.SOLVER,
    "tensions": tensions.FULL,
    "sparse tensions": tensions.SPARSE,
    "apart": apart.SOLVER,
    "coupled": coupled.SOLVER,
}
"""Who solves for steps and accelerations."""


def warm(name: str) -> float:
    """Compile the loops of a solver of `SOLVERS`, or read them from disk; seconds that it took."""
    begin, solver = time.perf_counter(), SOLVERS[name]
    solver.pointers(python=False)
    solver.accelerator()
    for turning in (False, True):
        loop_code(variational, variational_signature(solver, turning))
    loop_code(runge_kutta, runge_kutta_signature(solver))
    no_force()
    no_kinetics()
    neighbours.settle()
    return time.perf_counter() - begin
