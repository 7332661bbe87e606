"""Motion on spheres in angles: Lagrange's equations in polar angle and azimuth, derived by sympy.

    q_i = (sin a_i cos b_i, sin a_i sin b_i, cos a_i),        x = (a_1, b_1, a_2, b_2, ...)

For any Lagrangian L(q, qdot) the equations d/dt dL/dxdot - dL/dx = sum f_i . dq_i/dx are solved for
xddot, which gives qddot.  No projection, cross product or angular velocity occurs.  Singular at the poles, as
angles are.
"""

from functools import cached_property

import numpy as np
import sympy as sp


class Angles:
    """Lagrange's equations of a Lagrangian in symbols q (n 3-vectors) and qdot, with generalised forces f.

    Parameters
    ----------
    lagrangian : sympy expression in q, qdot
    q, qdot : sequences of n sympy 3-vectors
    """

    def __init__(self, lagrangian, q, qdot):
        self.n = len(q)
        x = sp.symbols(f"x:{2 * self.n}", real=True)
        y = sp.symbols(f"y:{2 * self.n}", real=True)
        places = [self._place(*x[2 * i : 2 * i + 2]) for i in range(self.n)]
        self._x, self._y = list(x), list(y)
        self._q = sp.Matrix([e for v in places for e in v])
        self._slope = self._q.jacobian(self._x)
        speeds = self._slope * sp.Matrix(self._y)
        table = dict(zip([s for v in q for s in v], self._q, strict=True))
        table |= dict(zip([s for v in qdot for s in v], speeds, strict=True))
        self._L = sp.sympify(lagrangian).xreplace(table)

    @staticmethod
    def _place(a, b):
        return sp.sin(a) * sp.cos(b), sp.sin(a) * sp.sin(b), sp.cos(a)

    @cached_property
    def _functions(self):
        """Mass matrix, everything else of the equations, dq/dx and the part of qddot without xddot."""
        p = sp.Matrix([sp.diff(self._L, s) for s in self._y])
        mass = p.jacobian(self._y)
        rest = p.jacobian(self._x) * sp.Matrix(self._y) - sp.Matrix([sp.diff(self._L, s) for s in self._x])
        turn = (self._slope * sp.Matrix(self._y)).jacobian(self._x) * sp.Matrix(self._y)
        return sp.lambdify([self._x, self._y], [mass, rest, self._slope, turn], use_imps=False, cse=True)

    def accelerations(self, q, v, f=None):
        """qddot (n, 3) at directions and velocities (n, 3), under generalised forces f (n, 3)."""
        polar, azimuth = np.arccos(q[:, 2]), np.arctan2(q[:, 1], q[:, 0])
        x = np.stack([polar, azimuth], axis=1).ravel()
        slope = np.array(self._functions(x, np.zeros_like(x))[2], dtype=float)
        y = np.linalg.lstsq(slope, v.ravel(), rcond=None)[0]
        mass, rest, slope, turn = (np.array(m, dtype=float) for m in self._functions(x, y))
        push = np.zeros(2 * self.n) if f is None else slope.T @ f.ravel()
        acceleration = np.linalg.solve(mass, push - rest.ravel())
        return (slope @ acceleration + turn.ravel()).reshape(-1, 3)
