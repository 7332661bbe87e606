"""Which quantities one run conserves, with the inputs that it has, and their values."""

from __future__ import annotations

import numpy as np

from geoctrl.simulation.problem import Problem

__all__ = ["conserved_names", "invariants"]


def conserved_names(problem: Problem) -> tuple[str, ...]:
    """Names of the invariants of the run.

    Without inputs those of the system; with inputs those that no input changes, and for inputs given by
    expressions also those of which the rate vanishes with these expressions put in.
    """
    system, params = problem.system, problem.params
    if problem.inputs.kind == "zero":
        return tuple(system.conserved(params))
    always = system.conserved(params, all_inputs=True)
    if problem.inputs.kind != "expressions":
        return tuple(always)
    rng = np.random.default_rng(19)
    x = np.stack([system.random_state(rng, params) for _ in range(5)], axis=1)
    t = rng.uniform(float(problem.times[0]), float(problem.times[-1]), size=5)
    u = problem.inputs.values(t, x, params)
    conservation = system.conservation
    return tuple(
        name
        for name, (_, program) in conservation.rates().items()
        if name in always or conservation.constant(program, t, x, u, params)
    )


def invariants(problem: Problem, x: np.ndarray) -> dict[str, np.ndarray]:
    """Values (nt,) of the invariants of the run at states (n, nt)."""
    system = problem.system
    names = conserved_names(problem)
    return system.conservation.values(names, x, problem.params)
