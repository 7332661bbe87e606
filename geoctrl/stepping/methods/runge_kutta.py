r"""Runge-Kutta steps on (z, w), configuration and velocities, for every product of bodies; compiled.

Rows of a place move with v, of a direction with :math:`\omega \times q`, an attitude has :math:`\dot R = R
\hat\Omega`, all less what a frame of rate W turns: :math:`W \times` the rows of places and directions and the
columns of R. Accelerations are a solver's; those of places and directions are given in axes that stand still,
from which the frame's turning takes :math:`W \times w`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float64, int64, types

from geoctrl.stepping.compiled.bodies import ATTITUDE, BODIES, DIRECTION
from geoctrl.stepping.compiled.compiled import fields, pointer, shared
from geoctrl.stepping.compiled.forces import FORCE, GRADIENT
from geoctrl.stepping.compiled.vectors import add, copy, cross, finite
from geoctrl.stepping.compiled.writer import ARRAY, MATRIX
from geoctrl.stepping.methods.loop import INDEFINITE, INFINITE
from geoctrl.stepping.methods.variational import MOTION, NUMBERS, PACE, ROWS, SLOPE, Solver

__all__ = ["Tableau", "move", "runge_kutta", "runge_kutta_signature", "tableau", "turn_back"]


class Tableau(NamedTuple):
    """Coefficients a (s, s), weights b, nodes c of a method; whether directions are renormalised."""

    a: Any
    b: Any
    c: Any
    project: Any


TABLEAU = fields(Tableau, MATRIX, ARRAY, ARRAY, boolean)

TABLEAUX = {
    "rk2": (((), (1 / 2,)), (0.0, 1.0), (0.0, 1 / 2)),
    "heun": (((), (1.0,)), (1 / 2, 1 / 2), (0.0, 1.0)),
    "rk4": (
        ((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)),
        (1 / 6, 1 / 3, 1 / 3, 1 / 6),
        (0, 1 / 2, 1 / 2, 1.0),
    ),
}


def tableau(method: str, project: bool = False) -> Tableau:
    """The `Tableau` of a method."""
    stages, weights, nodes = TABLEAUX[method]
    a = np.zeros((len(weights), len(weights)))
    for i, row in enumerate(stages):
        a[i, : len(row)] = row
    return Tableau(a, np.array(weights, dtype=float), np.array(nodes, dtype=float), project)


@cache
def runge_kutta_signature(solver: Solver) -> Any:
    """The signature of `runge_kutta` for the systems of a solver."""
    kernels = (pointer(GRADIENT), pointer(FORCE), pointer(SLOPE), pointer(SLOPE))
    head = (pointer(solver.accelerate_signature), *kernels, BODIES, ARRAY, solver.system, MOTION, NUMBERS)
    return types.Tuple((int64, int64, int64, float64))(*head, TABLEAU, PACE, ROWS, ROWS)


def runge_kutta(
    accelerate,
    gradient,
    force,
    kinetic,
    curvature,
    bodies,
    spin,
    system,
    motion,
    numbers,
    tableau,
    pace,
    Z,
    W,
):
    """Take steps in place, writing records to rows of Z and W: steps done, 0, failure, residual."""
    z, _, w, g, f = motion
    data, index, table, forced, _ = numbers
    s, row, h = tableau.b.size, pace.row, pace.h
    dz, dw = np.zeros((s, *z.shape)), np.zeros((s, *w.shape))
    x, y = np.zeros(z.shape), np.zeros(w.shape)
    for done in range(pace.steps):
        t = (pace.first + done) * h
        for i in range(s):
            copy(z, x)
            copy(w, y)
            for j in range(i):
                add(h * tableau.a[i, j], dz[j], x)
                add(h * tableau.a[i, j], dw[j], y)
            gradient(x, data, index, g)
            if forced:
                force(t + tableau.c[i] * h, x, y, table, data, index, f)
            move(bodies, spin, x, y, dz[i])
            if not accelerate(x, y, dz[i], g, f, system, kinetic, curvature, data, index, dw[i]):
                return done, 0, INDEFINITE, 0.0
            turn_back(bodies, spin, y, dw[i])
        for i in range(s):
            add(h * tableau.b[i], dz[i], z)
            add(h * tableau.b[i], dw[i], w)
        if tableau.project:
            renormalise(bodies, z)
        if not (finite(z) and finite(w)):
            return done, 0, INFINITE, 0.0
        if (pace.first + done + 1) % pace.record == 0:
            copy(z, Z[row])
            copy(w, W[row])
            row += 1
    return pace.steps, 0, 0, 0.0


@shared
def renormalise(bodies, z):
    """Directions of unit length."""
    for b in range(bodies.shape[0]):
        if bodies[b, 0] == DIRECTION:
            i = bodies[b, 1]
            size = np.sqrt(z[i, 0] ** 2 + z[i, 1] ** 2 + z[i, 2] ** 2)
            for k in range(3):
                z[i, k] /= size


@shared
def move(bodies, spin, z, w, dz):
    """Rates dz (N, 3) of the rows."""
    turn = np.empty(3)
    for b in range(bodies.shape[0]):
        i = bodies[b, 1]
        if bodies[b, 0] == ATTITUDE:
            for k in range(3):
                turn[k] = w[b, k] - z[i, k] * spin[0] - z[i + 1, k] * spin[1] - z[i + 2, k] * spin[2]
            for r in range(i, i + 3):
                cross(z[r], turn, dz[r])
            continue
        cross(spin, z[i], turn)
        if bodies[b, 0] == DIRECTION:
            cross(w[b], z[i], dz[i])
        else:
            dz[i, 0], dz[i, 1], dz[i, 2] = w[b, 0], w[b, 1], w[b, 2]
        for k in range(3):
            dz[i, k] -= turn[k]


@shared
def turn_back(bodies, spin, w, dw):
    """dw -= spin x w for the bodies of which velocities are given in the axes of the frame."""
    turn = np.empty(3)
    for b in range(bodies.shape[0]):
        if bodies[b, 0] != ATTITUDE:
            cross(spin, w[b], turn)
            for k in range(3):
                dw[b, k] -= turn[k]
