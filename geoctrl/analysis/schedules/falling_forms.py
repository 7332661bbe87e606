r"""A quadratic form that falls along a linearisation while the parameter that both depend on moves.

Looked for is P(s), a polynomial in t = (s - middle)/half, with the least c at a given a for which

.. math:: P \ge N, \qquad -(P B + B^T P) - 2 a P \pm r P' \ge 0, \qquad v^T P v \le c^2

at the points of Chebyshev and Lobatto, v the derivative of the equilibrium by s: a convex problem. N is
diagonal, with the inverse square of the largest v of states that move, so that c r/a bounds their deviations;
a little of the rest is added. It is asked for a little more of a and r than is told, so that between the
points there is room. Coordinates are those in which a mean of Lyapunov's matrices is one, without units.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.polynomial import chebyshev

from geoctrl.analysis.programs.semidefinite import MatrixProgram

__all__ = ["LinearisationSamples", "falling_form"]

_ROOM, _REST = 1.02, 1e-3
"""By which a and r are larger in the search; the part of N that is the same for all states."""


@dataclass(frozen=True, eq=False)
class LinearisationSamples:
    """A linearisation at points of a range.

    Attributes
    ----------
    t : ndarray (N,)
        Places from -1 to 1.
    B : ndarray (N, n, n)
        Linearisations.
    v : ndarray (N, n)
        Derivatives of the equilibrium by s.
    half : float
        Half of the length of the range of s.
    """

    t: np.ndarray
    B: np.ndarray
    v: np.ndarray
    half: float

    @property
    def slowest(self) -> float:
        """The least rate at which the linearisation decays at a point, negative where it grows."""
        return -float(np.max(np.linalg.eigvals(self.B).real))

    def coordinates(self) -> np.ndarray:
        """T (n, n), z = T e, in which Lyapunov's matrices are one in the mean."""
        size = len(self.B[0])
        _, (d, _) = scipy.linalg.matrix_balance(np.mean(np.abs(self.B), axis=0), permute=False, separate=True)
        balanced = self.B * d / d[:, None]
        forms = [scipy.linalg.solve_continuous_lyapunov(b.T, -np.eye(size)) for b in balanced]
        mean = np.mean([P / np.trace(P) for P in forms], axis=0)
        return np.linalg.cholesky(mean).T / d


def falling_form(
    at: LinearisationSamples, rate: float, decay: float, degree: int
) -> tuple[float, np.ndarray] | None:
    """c, and coefficients of P by powers of t, shape (degree + 1, n, n); None where none is found."""
    T = at.coordinates()
    B, v, n = T @ at.B @ np.linalg.inv(T), at.v @ T.T, len(T)
    pace, speed = float(np.max(np.abs(B))), float(np.max(np.abs(v)))
    least = _least_form(np.max(np.abs(at.v), axis=0), T)
    values = chebyshev.chebvander(at.t, degree)
    slopes = np.array([chebyshev.chebval(at.t, chebyshev.chebder(e)) for e in np.eye(degree + 1)]).T / at.half
    program = MatrixProgram()
    square = program.number()
    unknown = np.array(
        [[[program.number() if j <= i else 0 for j in range(n)] for i in range(n)] for _ in range(degree + 1)]
    )
    unknown = np.where(np.tri(n, dtype=bool), unknown, unknown.transpose(0, 2, 1))
    for turn in range(len(at.t)):
        for sense in (0, 1, -1):
            matrix = program.matrix(n)
            for (i, j), entry in matrix.items():
                key = (turn, sense, i, j)
                program.add(key, entry, -1.0)
                if not sense:
                    program.add_constant(key, -least[i, j])
                for q in range(degree + 1):
                    value = values[turn, q]
                    if not sense:
                        program.add(key, unknown[q, i, j], value)
                        continue
                    for m in range(n):
                        program.add(key, unknown[q, i, m], -B[turn, m, j] * value / pace)
                        program.add(key, unknown[q, m, j], -B[turn, m, i] * value / pace)
                    own = _ROOM * (2 * decay * value + sense * rate * slopes[turn, q])
                    program.add(key, unknown[q, i, j], -own / pace)
        if speed:
            _require_reach(program, square, unknown, values[turn], v[turn] / speed)
    trace = {int(unknown[0, i, i]): 1.0 for i in range(n)}
    found = program.minimum({square: 1.0} if speed else trace)
    if found is None:
        return None
    P = T.T @ found[unknown] @ T
    powers = np.array([chebyshev.cheb2poly(e) for e in np.eye(degree + 1)], dtype=object)
    monomials = np.zeros_like(P)
    for form, row in zip(P, powers, strict=True):
        for k, c in enumerate(row):
            monomials[k] += c * form
    return speed * float(np.sqrt(max(found[square], 0.0))) if speed else 0.0, monomials


def _least_form(speeds: np.ndarray, T: np.ndarray) -> np.ndarray:
    """N, of a size next to one, in the coordinates T."""
    moving = np.divide(1.0, speeds, out=np.zeros_like(speeds), where=speeds > 0)[:, None] * np.linalg.inv(T)
    N, n = moving.T @ moving, len(T)
    size = float(np.trace(N)) / n
    return np.eye(n) if size == 0 else N / size + _REST * np.eye(n)


def _require_reach(
    program: MatrixProgram, square: int, unknown: np.ndarray, values: np.ndarray, v: np.ndarray
) -> None:
    """v.P v is at most the number ``square``."""
    row = {square: -1.0}
    for form, value in zip(unknown, values, strict=True):
        for i, a in enumerate(v):
            for j, b in enumerate(v):
                row[int(form[i, j])] = row.get(int(form[i, j]), 0.0) + a * b * value
    program.at_most(row, 0.0)
