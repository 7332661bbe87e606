"""Lagrange's equations from where the masses are, in plain coordinates of the time.

A mechanism is told by positions and attitudes as functions of coordinates q(t), nothing else: kinetic energy
is that of points and bodies that move there, forces act by the virtual work of what they push. With rows of
velocities that vanish the multipliers are solved for as well.
"""

import numpy as np
import sympy as sp

__all__ = ["Positions", "body_rate", "rotation", "t"]

t = sp.Symbol("t")


def rotation(axis, angle):
    """A turn by an angle about a coordinate axis."""
    c, s = sp.cos(angle), sp.sin(angle)
    i, j = {0: (1, 2), 1: (2, 0), 2: (0, 1)}[axis]
    R = sp.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def body_rate(R):
    """Angular velocity in body axes of an attitude R(t)."""
    S = R.T * R.diff(t)
    return sp.Matrix([S[2, 1], S[0, 2], S[1, 0]])


STEP = 1e-30


class Positions:
    """Equations of d/dt dT/dqdot - dT/dq + dV/dq = Q + rows^T lambda, solved at numbers.

    T is quadratic in the rates, so that its matrix is read off at their unit vectors; all derivatives are
    complex steps, exact to rounding.

    Parameters
    ----------
    q : functions of t
    kinetic, potential : expressions in q(t) and its derivatives
    values : mapping of all other symbols to numbers
    forces : Q, one for each coordinate
    rows : expressions linear in derivatives of q that vanish
    """

    def __init__(self, q, kinetic, potential, values, forces=None, rows=()):
        self.q = list(q)
        self._values = dict(values)
        k = len(self.q)
        self._kinetic = self._function([kinetic])
        self._potential = self._function([potential])
        self._forces = self._function(list(forces or [0] * k))
        self._rows = self._function(list(rows))

    def _function(self, expressions):
        """Numbers of expressions at places and rates of q."""
        k = len(self.q)
        symbols = sp.symbols(f"q:{k} dq:{k}")
        rates = {f.diff(t): s for f, s in zip(self.q, symbols[k:], strict=True)}
        places = dict(zip(self.q, symbols[:k], strict=True))
        plain = [sp.sympify(e).xreplace(rates).xreplace(places) for e in expressions]
        others = list(self._values)
        compiled = sp.lambdify([symbols, others], plain, "numpy", use_imps=False, cse=True)
        return lambda q, v: np.array(compiled([*q, *v], [self._values[s] for s in others])) + 0 * q[0]

    def _mass(self, q):
        unit = np.eye(len(self.q))
        alone = [self._kinetic(q, e)[0] for e in unit]
        return np.array(
            [
                [self._kinetic(q, e + f)[0] - a - b for f, b in zip(unit, alone, strict=True)]
                for e, a in zip(unit, alone, strict=True)
            ]
        )

    def _matrix(self, q):
        return np.array([self._rows(q, e) for e in np.eye(len(self.q))]).T

    def accelerations(self, q, v):
        """Second derivatives of q at places and rates."""
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        k = len(self.q)
        slopes = [np.imag(self._mass(q + 1j * STEP * e)) / STEP for e in np.eye(k)]
        weight = [np.imag(self._potential(q + 1j * STEP * e, v)[0]) / STEP for e in np.eye(k)]
        force = self._forces(q, v) - np.array(weight)
        force += [v @ dM @ v / 2 for dM in slopes]
        force -= sum(dM * w for dM, w in zip(slopes, v, strict=True)) @ v
        rows = self._matrix(q)
        r = len(rows)
        A, b = np.zeros((k + r, k + r)), np.zeros(k + r)
        A[:k, :k], b[:k] = self._mass(q), force
        if r:
            A[:k, k:], A[k:, :k] = -rows.T, rows
            b[k:] = -np.imag(self._matrix(q + 1j * STEP * v)) @ v / STEP
        return np.linalg.solve(A, b)[:k]

    def seen(self, expressions, q, v, a):
        """Numbers of expressions in q(t) and its derivatives, and their rates."""
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        function = self._function(expressions)
        return function(q, v), np.imag(function(q + 1j * STEP * v, v + 1j * STEP * np.asarray(a))) / STEP
