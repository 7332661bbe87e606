"""Checks of a reduction at random points of the leaf, before anything is computed with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from geoctrl._scalars import Program
from geoctrl.errors import ConstraintError, FrameError, SingularMassError

if TYPE_CHECKING:
    from geoctrl.systems.description import EulerPoincare
    from geoctrl.systems.reduced import ReducedSystem

__all__ = ["check_build", "generic_parameters"]

_ZERO = 1e-9
_SINGULAR = 1e-13


def generic_parameters(mechanism: EulerPoincare) -> dict[str, float]:
    """The defaults, with random positive numbers where a parameter has none."""
    rng = np.random.default_rng(11)
    return {
        p.name: float(rng.uniform(0.5, 2.0)) if p.default is None else float(p.default)
        for p in mechanism.parameters
    }


def check_build(system: ReducedSystem, samples: list[np.ndarray], params: dict[str, float]) -> None:
    """Raise where the description cannot be reduced; see `EulerPoincare.reduce` for the errors."""
    _check_constraints(system, samples, params)
    _check_leaf_kept(system, samples, params)
    _check_mass(system, samples, params)


def _matrix_at(system: ReducedSystem, matrix, gamma: np.ndarray, params: dict[str, float]) -> np.ndarray:
    a = system.assembly
    nodes = [a.configuration(e) for e in matrix]
    return Program(a.graph, a.advected, a.parameters, nodes)(gamma, params).reshape(matrix.shape)


def _check_constraints(system: ReducedSystem, samples: list[np.ndarray], params: dict[str, float]) -> None:
    psi = system.mechanism.constraints
    if psi is not None:
        ranks = []
        for gamma in samples:
            rows = _matrix_at(system, psi, gamma, params)
            ranks.append([int(np.linalg.matrix_rank(rows[: a + 1], tol=_ZERO)) for a in range(len(rows))])
        best = np.max(ranks, axis=0)
        for a in range(psi.rows):
            if best[a] < a + 1:
                raise ConstraintError(
                    f"constraint row {a + 1}, {list(psi.row(a))}, depends on the rows before it on the leaf; "
                    "leave it out"
                )
    given = system.mechanism.frame
    if given is None:
        return
    singular = []
    for gamma in samples:
        frame = _matrix_at(system, given, gamma, params)
        k = system.frame.matrix.cols
        if psi is not None:
            work = _matrix_at(system, psi, gamma, params) @ frame[:, :k]
            row, column = np.unravel_index(np.argmax(np.abs(work)), work.shape)
            if abs(work[row, column]) > _ZERO:
                symbols = map(str, system.mechanism.advected_symbols)
                raise FrameError(
                    f"frame column {column + 1} violates constraint row {row + 1}: "
                    f"psi.E = {work[row, column]:.3g} at "
                    f"{dict(zip(symbols, gamma.round(4).tolist(), strict=True))}; "
                    "its first columns must span the kernel of the constraints"
                )
        singular.append(np.linalg.matrix_rank(frame, tol=_ZERO) < frame.shape[1])
    if all(singular):
        raise FrameError(
            "the columns of the frame are linearly dependent on the leaf; give independent columns"
        )


def _check_leaf_kept(system: ReducedSystem, samples: list[np.ndarray], params: dict[str, float]) -> None:
    a, mechanism = system.assembly, system.mechanism
    rng = np.random.default_rng(3)
    removed = [i for i in range(len(a.advected)) if i not in system.kept_index]
    geometric = [system.graph.add(t) for t in system.rate_terms(system.leaf.nodes[: system.leaf.geometric])]
    program = system.program([*(a.advection[i] for i in removed), *geometric])
    names = [str(mechanism.advected_symbols[i]) for i in removed]
    names += [str(r.expr) for r in system.leaf.relations[: system.leaf.geometric]]
    for _ in samples:
        rates = program(system.arguments_at(0.0, system.random_state(rng, params), None), params)
        for name, rate in zip(names, rates, strict=True):
            if not abs(rate) <= _ZERO:
                raise ConstraintError(
                    f"the leaf relation {name} = 0 is not kept by the motion "
                    f"(rate {rate:.3g} at a random state); "
                    "add the constraint that keeps it, or drop the relation"
                )


def _check_mass(system: ReducedSystem, samples: list[np.ndarray], params: dict[str, float]) -> None:
    a = system.assembly
    rng = np.random.default_rng(5)
    k = len(a.bordered)
    mass = system.program([e for row in a.bordered for e in row])
    pivots = system.program(a.pivots)
    conditions = []
    for _ in samples:
        arguments = system.arguments_at(0.0, system.random_state(rng, params), None)
        singular_values = np.linalg.svd(mass(arguments, params).reshape(k, k), compute_uv=False)
        usable = np.all(np.abs(pivots(arguments, params)) > 0)
        conditions.append(singular_values[-1] / max(singular_values[0], 1e-300) if usable else 0.0)
    if max(conditions) < _SINGULAR:
        raise SingularMassError(
            f"the reduced mass matrix of the velocities {', '.join(n.payload for n in a.velocity)} "
            "is singular at random states; check the inertia"
        )
