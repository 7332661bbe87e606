r"""Steps of places and directions that inertia does not couple: they are solved for in closed form.

:math:`\Delta` is :math:`h p / m` for a place; :math:`z' = u + \sqrt{1 - u \cdot u}\, z` with
:math:`u = h L^+ \times z / m` for a direction [LLM09, Eq. 3.20]. Momenta stay as they are.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numba import njit

from geoctrl.stepping.compiled.bodies import BODIES, DIRECTION
from geoctrl.stepping.compiled.compiled import fields, inner
from geoctrl.stepping.compiled.vectors import cross
from geoctrl.stepping.compiled.writer import ARRAY
from geoctrl.stepping.methods.loop import BEYOND, INFINITE
from geoctrl.stepping.methods.variational import Solver

__all__ = ["SOLVER", "Explicit", "acceleration", "glide"]


class Explicit(NamedTuple):
    """Bodies and their masses (B,); inertia of a direction is that about any axis across it."""

    bodies: Any
    mass: Any


EXPLICIT = fields(Explicit, BODIES, ARRAY)


def step(z, L, h, _frame, _taken, _stage, system, _kinetic, _curvature, _data, _index):
    """From z, L^+ to z', L' (`geoctrl.stepping.methods.variational.Solver`)."""
    for i in range(z.shape[0]):
        size = glide(system.bodies[i, 0], z, i, L, i, h / system.mass[i])
        if not size <= 1.0:
            return 0, BEYOND if size > 1.0 else INFINITE, math.sqrt(size)
    return 0, 0, 0.0


@njit(cache=True, error_model="numpy", forceinline=True)
def glide(kind, z, i, L, b, over):
    """Move row i by ``over`` times the momentum of body b, along the sphere for a direction; |u|^2 of it."""
    if kind != DIRECTION:
        for k in range(3):
            z[i, k] += over * L[b, k]
        return 0.0
    x = over * (L[b, 1] * z[i, 2] - L[b, 2] * z[i, 1])
    y = over * (L[b, 2] * z[i, 0] - L[b, 0] * z[i, 2])
    c = over * (L[b, 0] * z[i, 1] - L[b, 1] * z[i, 0])
    size = x * x + y * y + c * c
    root = math.sqrt(max(0.0, 1.0 - size))
    z[i, 0], z[i, 1], z[i, 2] = x + root * z[i, 0], y + root * z[i, 1], c + root * z[i, 2]
    return size


def rates(_z, L, system, _kinetic, _curvature, _data, _index, w):
    """Velocities of momenta; the largest change of w relative to one or their size."""
    gap, size = 0.0, 1.0
    for i in range(L.shape[0]):
        for k in range(3):
            value = L[i, k] / system.mass[i]
            gap = max(gap, abs(value - w[i, k]))
            size = max(size, abs(value))
            w[i, k] = value
    return gap / size


def accelerate(z, _w, _dz, g, f, system, _kinetic, _curvature, _data, _index, dw):
    """Accelerations of places, and of directions in angles; see `geoctrl.stepping.methods.variational`."""
    for i in range(z.shape[0]):
        acceleration(system.bodies[i, 0], z[i], g[i], f[i], system.mass[i], dw[i])
    return True


@inner
def acceleration(kind, z, g, f, mass, dw):
    """Acceleration of one body: z x (f - g) / m of a direction, (f - g) / m of a place."""
    for k in range(3):
        dw[k] = f[k] - g[k]
    if kind == DIRECTION:
        cross(z, dw, dw)
    for k in range(3):
        dw[k] /= mass


SOLVER = Solver(step, rates, accelerate, EXPLICIT)
