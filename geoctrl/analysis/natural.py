r"""Systems on manifolds as stability questions.

A natural system in ambient coordinates z with relations c = 0,

.. math:: L = \tfrac12 \dot z^T M(z) \dot z + a(z) \cdot \dot z - U(z), \qquad c_r(z) = 0 ,

moves by Lagrange's equations with multipliers,

.. math::

    M \ddot z - (\partial c)^T \lambda = -\partial U + (\partial a - \partial a^T)^T \dot z - \dot M \dot z
        + \tfrac12 \partial(\dot z \cdot M \dot z), \qquad
    \partial c\, \ddot z = -\dot z \cdot \partial^2 c\, \dot z ,

on the leaf c = 0, :math:`\partial c\,\dot z = 0`, where the energy :math:`\tfrac12 \dot z^T M \dot z + U` is
conserved. Its second variation there is the kinetic energy and that of U on the manifold (Lagrange,
Dirichlet). Seen from axes that turn with a rate W, a relative equilibrium is at rest, and a and U hold the
gyroscopic term and the amended potential.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl import checker
from geoctrl._scalars import STATE, Graph, Node
from geoctrl.analysis.motion import Motion, Stored
from geoctrl.analysis.problem import Problem
from geoctrl.analysis.proof import Outcome
from geoctrl.errors import CertificateError
from geoctrl.systems.elimination import dot, solve_saddle

__all__ = ["judge_matrices", "natural_problem"]


def natural_problem(
    graph: Graph,
    states: Mapping[str, Node],
    parameters: Mapping[str, Node],
    mass: Sequence[tuple[int, int, Node]],
    gyroscopic: Sequence[Node],
    potential: Node,
    relations: Sequence[Node],
    numbers: Mapping[str, Fraction],
    point: Sequence[Fraction],
    spin: tuple[float, ...] = (0.0, 0.0, 0.0),
) -> Problem:
    """Whether rest at a point is stable.

    Parameters
    ----------
    states, parameters : dict of label -> symbol node
        The coordinates z, the parameters.
    mass : entries (row, column, node) of M that are not identically zero
    gyroscopic, potential, relations : a, U and c
    numbers : of the parameters
    point : of the coordinates
    spin : rate of the axes, zeros at rest
    """
    z = list(states.values())
    n = len(z)
    rate = {label: graph.symbol(f"{label}_dot", STATE) for label in states}
    v = list(rate.values())
    M = [[graph.zero] * n for _ in range(n)]
    for i, j, node in mass:
        M[i][j] = node
    along = dict(zip(z, v, strict=True))
    momentum = [graph.add([dot(graph, row, v), a]) for row, a in zip(M, gyroscopic, strict=True)]
    kinetic = dot(graph, v, [dot(graph, row, v) for row in M]) / 2
    lagrangian = graph.add([kinetic, dot(graph, list(gyroscopic), v), -potential])
    slopes = graph.gradient(lagrangian, z)
    turning = graph.push_forward(momentum, along)
    rows = graph.jacobian(list(relations), z)
    speeds = graph.push_forward(list(relations), along)
    force = [graph.add([e, -t]) for e, t in zip(slopes, turning, strict=True)]
    drift = graph.push_forward(speeds, along)
    leaf = {f"relation {r + 1}": c for r, c in enumerate(relations)}
    leaf |= {f"rate of relation {r + 1}": c for r, c in enumerate(speeds)}
    energy = kinetic + potential
    motion = Motion(
        graph=graph,
        states={**states, **{f"{label}_dot": node for label, node in rate.items()}},
        inputs={},
        parameters=dict(parameters),
        velocities=v,
        mass=M,
        force=force,
        rows=rows,
        drift=drift,
        rates=along,
        solve=lambda: [*v, *solve_saddle(graph, M, force, rows, drift)[0]],
        leaf=leaf,
        energy=energy,
    )
    return Problem(motion, {"energy": energy}, dict(numbers), [*point, *[Fraction(0)] * n], [], spin)


def judge_matrices(
    states: Mapping[str, float],
    linearisation: np.ndarray,
    stiffness: np.ndarray | None,
    spin: tuple[float, ...],
    functions: str = "",
) -> Outcome:
    """The outcome for a system given by functions: its linearisation in numbers, and that of its potential.

    Parameters
    ----------
    states : point by label
    linearisation : (d, d), on the leaf
    stiffness : (k, k) or None
        Second variation of the (amended) potential, where there are no forces.
    spin : rate of the axes from which it is seen
    functions : str
        What is given by functions of the time, for the claim: seen at some times only.

    Raises
    ------
    CertificateError
        If the matrices are larger than the checker takes.
    """
    data: dict[str, Any] = {
        "kind": "matrices",
        "states": dict(states),
        "linearisation": linearisation.tolist(),
        "spin": list(spin),
    }
    if stiffness is not None:
        data["stiffness"] = ((stiffness + stiffness.T) / 2).tolist()
    if functions:
        data["functions"] = functions
    try:
        problem = Stored.of(data)
        return Outcome(problem, *checker.decide(problem.read, {}, exact=False))
    except checker.Refusal as refusal:
        raise CertificateError(f"no certificate of this point can be made: {refusal}") from refusal
