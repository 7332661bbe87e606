"""Which quantities one run conserves, with the inputs that it has, and their values."""

from __future__ import annotations

import numpy as np

from geoctrl.simulation.problem import Problem

__all__ = ["conserved_names", "invariants"]

_CONSERVED = 1e-9
"""Largest rate, relative to its terms, at which a quantity counts as conserved at random states."""


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
    arguments = system.arguments_at(t, x, problem.inputs.values(t, x, params))
    kept = []
    for name, (_, program) in system.conservation.rates().items():
        terms = program(arguments, params)
        scale = np.maximum(np.abs(terms).max(axis=0, initial=0.0), 1e-12)
        if name in always or np.all(np.abs(terms.sum(axis=0)) <= _CONSERVED * scale):
            kept.append(name)
    return tuple(kept)


def invariants(problem: Problem, x: np.ndarray) -> dict[str, np.ndarray]:
    """Values (nt,) of the invariants of the run at states (n, nt)."""
    system = problem.system
    names = conserved_names(problem)
    return system.conservation.values(names, x, problem.params)
