"""What a description has to be: ranks at random points of the leaf, and promises of frame and leaf."""

from __future__ import annotations

from typing import Any

import numpy as np

from geoctrl._scalars import Node
from geoctrl._scalars.arithmetic.magnitudes import Magnitudes
from geoctrl._scalars.graph.symmetric_elimination import dot
from geoctrl.errors import ConstraintError, FrameError, SingularMassError
from geoctrl.systems.contract.scales import condition_of
from geoctrl.systems.contract.tolerances import KERNEL, SINGULAR_MASS
from geoctrl.systems.equations.leaf import configuration_relations
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.promises.promises import Promise
from geoctrl.systems.states.singularity import conditions

__all__ = ["check_build", "frame_promises", "leaf_promises"]


def check_build(system: Recorded, samples: list[np.ndarray], params: dict[str, float]) -> None:
    """Raise where the description cannot be reduced; see `EulerPoincare.reduce` for the errors."""
    _check_constraints(system, samples, params)
    _check_mass(system, samples, params)


def _matrix_at(
    system: Recorded, name: str, matrix: Any, gamma: np.ndarray, params: dict[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """A matrix of the description at Gamma, and the sizes of the terms of its entries."""
    a = system.assembly
    if name not in system.cache:
        system.cache[name] = Magnitudes(a.graph, [a.configuration(e) for e in matrix])
    values = dict(zip(a.gamma, map(float, gamma), strict=True))
    values |= {node: float(params[name]) for name, node in a.parameters.items()}
    found, sizes = system.cache[name](values)
    return found.reshape(matrix.shape), sizes.reshape(matrix.shape)


def _check_constraints(system: Recorded, samples: list[np.ndarray], params: dict[str, float]) -> None:
    psi = system.mechanism.constraints
    if psi is not None:
        given = [_matrix_at(system, "given rows", psi, gamma, params) for gamma in samples]
        for a in range(psi.rows):
            if all(condition_of(rows[: a + 1], sizes[: a + 1]) <= KERNEL for rows, sizes in given):
                raise ConstraintError(
                    f"constraint row {a + 1}, {list(psi.row(a))}, depends on the rows before it on the leaf; "
                    "leave it out",
                    key="constraint-dependent",
                )
    if system.mechanism.frame is not None:
        frames = [
            _matrix_at(system, "given frame", system.mechanism.frame, gamma, params) for gamma in samples
        ]
        if all(condition_of(*frame) <= KERNEL for frame in frames):
            raise FrameError(
                "the columns of the frame are linearly dependent on the leaf; give independent columns"
            )


def frame_promises(system: Recorded) -> list[Promise]:
    """A given frame lies in the kernel of the constraints: psi E = 0."""
    a, mechanism = system.assembly, system.mechanism
    if mechanism.frame is None or mechanism.constraints is None:
        return []
    columns = [[a.configuration(e) for e in column] for column in system.frame.matrix.T.tolist()]
    rows = [[a.configuration(e) for e in row] for row in mechanism.constraints.tolist()]
    return [
        Promise(
            f"frame column {k} violates constraint row {r} (psi.E)",
            tuple(a.restrict([dot(system.graph, row, column)])),
            "its first columns must span the kernel of the constraints",
            FrameError,
        )
        for r, row in enumerate(rows, start=1)
        for k, column in enumerate(columns, start=1)
    ]


def leaf_promises(system: Recorded) -> list[Promise]:
    """Motions keep the relations that the description adds, and those that were dropped follow from the rest.

    Relations of turned vectors hold of themselves.
    """
    a, mechanism, g = system.assembly, system.mechanism, system.graph
    named, removed = configuration_relations(mechanism), set(mechanism.removed)
    # Relations that remove entries are no relations of the states: their rates are taken before that is done.
    first = [r for r in named if r.expr.free_symbols & removed]
    motion = dict(zip(a.gamma, a.advection, strict=True))
    moved = a.restrict(g.push_forward([a.configuration(r.expr) for r in first], motion))
    rates = dict(zip(first, moved, strict=True))
    others = [r for r in named if r not in rates]
    nodes = a.restrict([a.configuration(r.expr) for r in others])
    rates |= dict(zip(others, map(g.add, system.rate_terms(nodes)), strict=True))
    # Most relations are kept by every motion of the group, whatever frame and constraints say.
    every = [
        tuple(a.restrict([_along_group(system, r.expr, j) for j in range(mechanism.algebra.n)]))
        for r in rates
    ]
    follows = [
        Promise(
            f"the leaf relation {relation} = 0 does not follow from the others (its value)",
            (node,),
            "leave it out, or give relations that are independent at all parameters",
            ConstraintError,
        )
        for relation, node in system.leaf.redundant.items()
    ]
    own = system.leaf.of_controller
    of_controller = [
        Promise(
            f"the relation {name} of the controller is not kept by its rates",
            (g.add(terms),),
            "mend the rates, or drop the relation",
            ConstraintError,
        )
        for name, terms in zip(own, system.rate_terms(list(own.values())), strict=True)
    ]
    return (
        follows
        + of_controller
        + [
            Promise(
                f"the leaf relation {relation} = 0 is not kept by the motion (its rate)",
                (rate,),
                "add the constraint that keeps it, or drop the relation",
                ConstraintError,
                enough,
            )
            for (relation, rate), enough in zip(rates.items(), every, strict=True)
        ]
    )


def _along_group(system: Recorded, relation: Any, j: int) -> Node:
    """Rate of a relation under the j-th basis velocity."""
    a, g = system.assembly, system.graph
    unit = [g.one if i == j else g.zero for i in range(a.n)]
    motion = dict(zip(a.gamma, a.gamma_rates(unit), strict=True))
    return g.push_forward([a.configuration(relation)], motion)[0]


def _check_mass(system: Recorded, samples: list[np.ndarray], params: dict[str, float]) -> None:
    rng = np.random.default_rng(5)
    found = [conditions(system, 0.0, system.sample(rng, params), params) for _ in samples]
    best = max(found, key=lambda at: min(at.mass, at.pivot))
    if min(best.mass, best.pivot) < SINGULAR_MASS:
        # An inertia that parameters make infinite is told as a division by zero.
        a = system.assembly
        entries = system.program([*(e for row in a.bordered_matrix for e in row), *a.pivots])
        entries(system.arguments_at(0.0, system.sample(rng, params), None), params)
        velocities = ", ".join(n.payload for n in system.assembly.velocity)
        along = f" along {', '.join(best.along)}" if best.along else ""
        raise SingularMassError(
            f"the reduced mass matrix of the velocities {velocities} is singular at random states: there is "
            f"no inertia{along}; check the inertia",
            key="mass-singular",
        )
