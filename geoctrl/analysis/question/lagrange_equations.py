r"""Equations of motion of natural systems, for stability questions.

A natural system in ambient coordinates z with relations c = 0,

.. math:: L = \tfrac12 \dot z^T M(z) \dot z + a(z) \cdot \dot z - U(z), \qquad c_r(z) = 0 ,

moves by Lagrange's equations with multipliers,

.. math::

    M \ddot z - (\partial c)^T \lambda = -\partial U + (\partial a - \partial a^T)^T \dot z - \dot M \dot z
        + \tfrac12 \partial(\dot z \cdot M \dot z) + F, \qquad
    \partial c\, \ddot z = -\dot z \cdot \partial^2 c\, \dot z ,

on the leaf c = 0, :math:`\partial c\,\dot z = 0`, where the energy :math:`\tfrac12 \dot z^T M \dot z + U` is
conserved. Its second variation there is the kinetic energy and that of U on the manifold (Lagrange,
Dirichlet). Seen from axes that turn with a rate W, a relative equilibrium is at rest, and a and U hold the
gyroscopic term and the amended potential.
"""

from __future__ import annotations

from geoctrl._scalars import STATE
from geoctrl._scalars.graph.symmetric_elimination import dot, solve_saddle
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.systems import Lagrangian

__all__ = ["natural_motion"]


def natural_motion(given: Lagrangian) -> EquationsOfMotion:
    """The equations of motion of a natural system in its coordinates and their rates.

    F are the generalised forces, under which the energy changes as they work.
    """
    graph, states = given.graph, given.coordinates
    gyroscopic, relations = list(given.gyroscopic), list(given.relations)
    z = list(states.values())
    n = len(z)
    rate = {label: graph.symbol(f"{label}_dot", STATE) for label in states}
    v = list(rate.values())
    M = [[graph.zero] * n for _ in range(n)]
    for i, j, node in given.mass:
        M[i][j] = node
    along = dict(zip(z, v, strict=True))
    momentum = [graph.add([dot(graph, row, v), a]) for row, a in zip(M, gyroscopic, strict=True)]
    kinetic = dot(graph, v, [dot(graph, row, v) for row in M]) / 2
    lagrangian = graph.add([kinetic, dot(graph, gyroscopic, v), -given.potential])
    slopes = graph.gradient(lagrangian, z)
    turning = graph.push_forward(momentum, along)
    rows = graph.jacobian(relations, z)
    speeds = graph.push_forward(relations, along)
    forces = given.forces or [graph.zero] * n
    force = [graph.add([e, -t, f]) for e, t, f in zip(slopes, turning, forces, strict=True)]
    drift = graph.push_forward(speeds, along)
    leaf = {f"relation {r + 1}": c for r, c in enumerate(relations)}
    leaf |= {f"rate of relation {r + 1}": c for r, c in enumerate(speeds)}
    energy = kinetic + given.potential
    return EquationsOfMotion(
        graph=graph,
        states={**states, **{f"{label}_dot": node for label, node in rate.items()}},
        inputs=dict(given.inputs),
        parameters=dict(given.parameters),
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
