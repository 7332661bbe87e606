"""Lagrange's equations on products of places, directions and attitudes, in local coordinates and 80 digits.

About a configuration every factor has coordinates y, zero there and far from the edge of their chart:

    place       x = x0 + y, or x0 + axes^T y on a line or a plane
    direction   q = Q0 (cos y1 cos y2, sin y1 cos y2, sin y2),      Q0 a rotation with Q0 e1 = q0
    attitude    R = R0 Rz(y1) Ry(y2) Rx(y3)

A Lagrangian L(z, u) of the entries z of all factors and of their rates, seen from an inertial frame if the
reference turns with W (u = z' + W x z), is then a function of y and y'.  The equations

    d/dt dL/dy' - dL/dy = f . dz/dy

are formed by differences of this function in 80 digits: it is the only thing that is derived from anything.
No cross product, moment, projection or derivative in symbols occurs.
"""

from typing import NamedTuple

import mpmath as mp
import numpy as np
import sympy as sp

DIGITS = 80
STEP = mp.mpf(10) ** -13
"""Of the differences: errors of their square, 1e-26, and of rounding, 1e-80 over the square."""
INNER = mp.mpf(10) ** -27
"""Of the difference inside: its error, 1e-54, is divided by the square of `STEP`."""


class Rates(NamedTuple):
    """Second derivatives of z (N, 3), energy y'.dL/dy' - L, momenta dL/dy' and the slope dz/dy (3 N, n)."""

    second: np.ndarray
    energy: float
    momenta: np.ndarray
    slope: np.ndarray


def _turn(axis, angle):
    c, s = mp.cos(angle), mp.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    R = mp.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def _frame(q):
    """A rotation of which the first column is q."""
    q = mp.matrix(q)
    other = mp.matrix([0, 0, 1] if abs(q[2]) < 0.7 else [0, 1, 0])
    first = q / mp.norm(q)
    second = _cross(other, first)
    second /= mp.norm(second)
    third = _cross(first, second)
    return mp.matrix([[v[k] for v in (first, second, third)] for k in range(3)])


def _cross(a, b):
    return mp.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _place(z, axes):
    return lambda y: [a + mp.fdot(column, y) for a, column in zip(z[0], axes.T.tolist(), strict=True)]


def _direction(z):
    Q = _frame(z[0])
    return lambda y: list(
        Q * mp.matrix([mp.cos(y[0]) * mp.cos(y[1]), mp.sin(y[0]) * mp.cos(y[1]), mp.sin(y[1])])
    )


def _attitude(z):
    R = mp.matrix(z.tolist())
    return lambda y: list(R * _turn(2, y[0]) * _turn(1, y[1]) * _turn(0, y[2]))


_CHARTS = {"place": lambda z: _place(z, np.eye(3)), "direction": _direction, "attitude": _attitude}
_FREEDOMS = {"place": 3, "direction": 2, "attitude": 3}


class LocalLagrange:
    """The equations of a Lagrangian given by an expression.

    Parameters
    ----------
    kinds : sequence of "place", "direction", "attitude", or axes (k, 3) of a place that is held
    lagrangian : expression in `z` and `u`
    z, u : sequences of symbols
        The entries of all configurations, attitudes row by row, and of their inertial rates.
    turn : (3,), optional
        W, the rate of the reference in its own axes.
    """

    def __init__(self, kinds, lagrangian, z, u, turn=(0, 0, 0)):
        self.kinds, self.turn = list(kinds), [mp.mpf(float(w)) for w in turn]
        self.freedoms = [_FREEDOMS[k] if isinstance(k, str) else len(k) for k in kinds]
        self.rows = [3 if isinstance(k, str) and k == "attitude" else 1 for k in kinds]
        self.function = sp.lambdify(
            [list(z), list(u)], lagrangian, modules="mpmath", use_imps=False, cse=True
        )

    @property
    def size(self):
        return sum(self.freedoms)

    def _charts(self, z):
        """Functions y -> entries of z, one for each factor."""
        charts, row = [], 0
        for kind, rows in zip(self.kinds, self.rows, strict=True):
            part = z[row : row + rows]
            charts.append(_CHARTS[kind](part) if isinstance(kind, str) else _place(part, np.asarray(kind)))
            row += rows
        return charts

    def _place(self, charts, y):
        entries, k = [], 0
        for n, chart in zip(self.freedoms, charts, strict=True):
            entries += chart(y[k : k + n])
            k += n
        return entries

    def _inertial(self, z, rate):
        """u of z and z': what the frame adds to a place, a direction, each column of an attitude."""
        found, k = list(rate), 0
        for width in self.rows:
            for column in range(width):
                index = [k + width * r + column for r in range(3)]
                for i, v in zip(index, _cross(self.turn, [z[i] for i in index]), strict=True):
                    found[i] += v
            k += 3 * width
        return found

    def rates(self, z, rate, force=None):
        """What follows at z (N, 3) with rates z' (N, 3), under generalised forces f (N, 3)."""
        with mp.workdps(DIGITS):
            return self._rates(np.asarray(z, dtype=float), rate, force)

    def _rates(self, z, rate, force):
        n, charts = self.size, self._charts(z)
        zero = [mp.mpf(0)] * n

        def moved(y, step, way):
            return [a + step * b for a, b in zip(y, way, strict=True)]

        def unit(j):
            return [mp.mpf(int(i == j)) for i in range(n)]

        def place(y):
            return self._place(charts, y)

        def lagrangian(y, speed):
            ahead, behind = (place(moved(y, s, speed)) for s in (INNER, -INNER))
            here = place(y)
            slope = [(a - b) / (2 * INNER) for a, b in zip(ahead, behind, strict=True)]
            return self.function(here, self._inertial(here, slope))

        def by_speed(y, speed):
            ends = [[lagrangian(y, moved(speed, s, unit(j))) for s in (STEP, -STEP)] for j in range(n)]
            return [(a - b) / (2 * STEP) for a, b in ends]

        slope = mp.matrix(3 * len(z), n)
        for j in range(n):
            ahead, behind = place(moved(zero, STEP, unit(j))), place(moved(zero, -STEP, unit(j)))
            for i, (a, b) in enumerate(zip(ahead, behind, strict=True)):
                slope[i, j] = (a - b) / (2 * STEP)
        speed = list(mp.lu_solve(slope, mp.matrix(np.ravel(rate).tolist())))  # least squares

        momenta = by_speed(zero, speed)
        mass = mp.matrix(n, n)
        for j in range(n):
            ahead, behind = (by_speed(zero, moved(speed, s, unit(j))) for s in (STEP, -STEP))
            for i, (a, b) in enumerate(zip(ahead, behind, strict=True)):
                mass[i, j] = (a - b) / (2 * STEP)
        along = [by_speed(moved(zero, s, speed), speed) for s in (STEP, -STEP)]
        rest = mp.matrix(n, 1)
        for i in range(n):
            ahead, behind = (lagrangian(moved(zero, s, unit(i)), speed) for s in (STEP, -STEP))
            rest[i] = (ahead - behind - along[0][i] + along[1][i]) / (2 * STEP)
        if force is not None:
            rest += slope.T * mp.matrix(np.ravel(force).tolist())
        acceleration = list(mp.lu_solve(mass, rest))

        def path(t):
            return place([t * a + t * t * b / 2 for a, b in zip(speed, acceleration, strict=True)])

        three = path(STEP), path(mp.mpf(0)), path(-STEP)
        second = [float((a - 2 * b + c) / STEP**2) for a, b, c in zip(*three, strict=True)]
        energy = mp.fdot(momenta, speed) - lagrangian(zero, speed)
        return Rates(
            np.reshape(second, (-1, 3)),
            float(energy),
            np.array([float(p) for p in momenta]),
            np.array(slope.tolist(), dtype=float),
        )
