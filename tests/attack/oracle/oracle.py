"""The oracle: equilibrium, spectrum and growth of what was drawn, without geoctrl.

The derivative along a direction w is the first coefficient of the rates at x + eps w in power series over
the rationals, hence exact: a difference quotient with no error. The characteristic polynomial on the tangent
space of leaf and constraints is exact too; its roots are enclosed in balls of 256 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_series
from scipy.integrate import DOP853
from scipy.linalg import expm

from tests.attack.draw.mechanism import Mechanism, Products, Spheres
from tests.attack.oracle.motion import GroupEquations, SphereEquations
from tests.attack.oracle.motion_products import ProductEquations
from tests.attack.oracle.precision import exact_to

FAR = 1e4
"""Growth at which a run ends."""
INSTANTS = 400
"""Times at which the growth of the linear motion is looked at."""

EQUATIONS: dict[type, Any] = {
    Mechanism: GroupEquations,
    Spheres: SphereEquations,
    Products: ProductEquations,
}


class OracleError(Exception):
    """A draw that the oracle cannot judge: its leaf is no manifold at the point, or its mass is singular."""


def rational(q: Fraction) -> fmpq:
    return fmpq(q.numerator, q.denominator)


def fraction(q: fmpq) -> Fraction:
    return Fraction(int(q.p), int(q.q))


@dataclass
class Spectrum:
    """Eigenvalues on the tangent space.

    Attributes
    ----------
    roots : list of (acb, multiplicity)
    basis : fmpq_mat (size, d)
        Of the tangent space of the leaf.
    polynomial : fmpq_poly
    """

    roots: list
    basis: fmpq_mat
    polynomial: object

    @property
    def growing(self) -> bool:
        """Whether a root lies to the right, beyond its ball."""
        return any(bool(root.real > 0) for root, _ in self.roots)

    @property
    def left(self) -> bool:
        """Whether all roots lie to the left."""
        return all(bool(root.real < 0) for root, _ in self.roots)

    @property
    def abscissa(self) -> float:
        return max((float(root.real.mid()) for root, _ in self.roots), default=-np.inf)

    @property
    def radius(self) -> float:
        return max((float(abs(root).mid()) for root, _ in self.roots), default=0.0)


class Oracle:
    """Equations of a drawn system in exact numbers and in floats."""

    def __init__(self, system: Mechanism | Spheres | Products) -> None:
        self.system = system
        equations = EQUATIONS[type(system)]
        self.exact = equations(system, rational, fmpq(0))
        self.series = equations(system, rational, fmpq_series([0]))
        self.floats = equations(system, float, 0.0)

    # -- exact ------------------------------------------------------------------------------------

    def rate(self, point: Sequence[Fraction]) -> list[fmpq]:
        try:
            return self.exact.rate([rational(v) for v in point])
        except ZeroDivisionError as error:
            raise OracleError("singular mass or dependent constraints at the point") from error

    def defects(self, point: Sequence[Fraction]) -> list[fmpq]:
        """Values of the relations."""
        x = [rational(v) for v in point]
        return [self.exact.at(r, x) for r in self.exact.relations]

    @exact_to(2)
    def tangent(self, point: Sequence[Fraction]) -> tuple[fmpq_mat, list[int]]:
        """Basis of the tangent space of the leaf, a unit matrix in the rows that are listed."""
        size = len(point)
        columns = []
        for i in range(size):
            x = self._moved(point, [int(k == i) for k in range(size)])
            columns.append([self.series.at(r, x)[1] for r in self.series.relations])
        count = len(self.series.relations)
        if not count:
            return fmpq_mat(size, size, [int(i == j) for i in range(size) for j in range(size)]), list(
                range(size)
            )
        return kernel(fmpq_mat(count, size, [columns[i][r] for r in range(count) for i in range(size)]))

    @exact_to(2)
    def spectrum(self, point: Sequence[Fraction]) -> Spectrum:
        """Eigenvalues of the linearisation on the leaf.

        Raises
        ------
        OracleError
            If relations or constraints are dependent at the point or the rates leave the tangent space.
        """
        W, free = self.tangent(point)
        size, d = W.nrows(), W.ncols()
        if size - d != len(self.series.relations):
            raise OracleError("the relations are dependent at the point")
        if not d:
            return Spectrum([], W, None)
        A = self._linearised(point, W, free)
        polynomial = A.charpoly()
        return Spectrum(polynomial.numer().complex_roots(), W, polynomial)

    @exact_to(2)
    def _linearised(self, point: Sequence[Fraction], W: fmpq_mat, free: list[int]) -> fmpq_mat:
        """A (d x d) of the motion near the point in a basis of the tangent space."""
        size, d = W.nrows(), W.ncols()
        columns = []
        for j in range(d):
            x = self._moved(point, [W[i, j] for i in range(size)])
            try:
                columns.append([entry[1] for entry in self.series.rate(x)])
            except ZeroDivisionError as error:
                raise OracleError("singular mass or dependent constraints at the point") from error
        image = fmpq_mat(size, d, [columns[j][i] for i in range(size) for j in range(d)])
        A = fmpq_mat(d, d, [image[i, j] for i in free for j in range(d)])
        if image != W * A:
            raise OracleError("the linearisation leaves the tangent space of the leaf")
        return A

    def amplification(self, point: Sequence[Fraction], span: float) -> float:
        """Largest growth of a small perturbation within a time by the linear motion, stable or not."""
        W, free = self.tangent(point)
        A = _floats(self._linearised(point, W, free))
        _, onto = np.linalg.qr(_floats(W))
        back = np.linalg.inv(onto)
        step, growth, grown = expm(A * span / INSTANTS), 1.0, np.eye(len(A))
        for _ in range(INSTANTS):
            grown = grown @ step
            growth = max(growth, float(np.linalg.norm(onto @ grown @ back, 2)))
        return growth

    @staticmethod
    def _moved(point: Sequence[Fraction], along: Sequence) -> list[fmpq_series]:
        return [fmpq_series([rational(v), w]) for v, w in zip(point, along, strict=True)]

    # -- floats -----------------------------------------------------------------------------------

    def rate_in_floats(self, x: Sequence[float]) -> np.ndarray:
        return np.array(self.floats.rate([float(v) for v in x]))

    def rate_at(self, x: Sequence[float]) -> np.ndarray:
        """Rates at a state in floats, computed in exact numbers."""
        return np.array([int(v.p) / int(v.q) for v in self.rate([Fraction(float(v)) for v in x])])

    def reactions_at(self, x: Sequence[float]) -> np.ndarray:
        """Multipliers of the rows of a mechanism at a state in floats, computed in exact numbers."""
        try:
            _, found = self.exact.motion([rational(Fraction(float(v))) for v in x])
        except ZeroDivisionError as error:
            raise OracleError("dependent constraints at a random state") from error
        return np.array([int(v.p) / int(v.q) for v in found])

    def mass(self, x: Sequence[float]) -> np.ndarray:
        return np.array([[self.floats.at(e, x) for e in row] for row in self.floats.mass])

    def off_leaf(self, x: np.ndarray) -> float:
        """Greatest defect of the relations at a state in floats."""
        return max((abs(self.floats.at(r, x)) for r in self.floats.relations), default=0.0)

    def retracted(self, x: np.ndarray) -> np.ndarray:
        """The nearest point of the leaf, by Newton's method with numerical gradients."""
        x = x.copy()
        for _ in range(20):
            defect = np.array([self.floats.at(r, x) for r in self.floats.relations])
            if not len(defect) or np.max(np.abs(defect)) < 1e-15 * max(1.0, float(np.max(np.abs(x)))) ** 2:
                break
            step, rows = 1e-7, []
            for i in range(len(x)):
                moved = x.copy()
                moved[i] += step
                rows.append(
                    (np.array([self.floats.at(r, moved) for r in self.floats.relations]) - defect) / step
                )
            x = x - np.linalg.lstsq(np.array(rows).T, defect, rcond=None)[0]
        return x

    def nearby(self, point: Sequence[Fraction], size: float, rng: np.random.Generator) -> np.ndarray:
        """A state of the leaf that is a random perturbation of the point, of a given size."""
        W = np.linalg.qr(_floats(self.tangent(point)[0]))[0]
        rest = np.array([float(v) for v in point])
        away = rng.normal(size=W.shape[1])
        return self.retracted(rest + size * W @ (away / np.linalg.norm(away)))

    def excursion(
        self, point: Sequence[Fraction], size: float, span: float, rng: np.random.Generator, most: int
    ) -> Excursion:
        """Run from a random perturbation of a given size on the leaf; ends after ``most`` evaluations."""
        rest, start = np.array([float(v) for v in point]), self.nearby(point, size, rng)
        first = float(np.linalg.norm(start - rest))
        run = DOP853(lambda _, x: self.rate_in_floats(x), 0.0, start, span, rtol=1e-10, atol=1e-13)
        times, distances = [0.0], [first]
        # Far away nothing more is learnt of the point.
        while run.status == "running" and run.nfev < most and distances[-1] < FAR * first:
            try:
                run.step()
            except OverflowError:  # a trial step that went too far to be computed
                break
            times.append(run.t)
            distances.append(float(np.linalg.norm(run.y - rest)))
        return Excursion(np.array(times), np.array(distances))


@dataclass
class Excursion:
    """Distance from the point along a run."""

    times: np.ndarray
    distances: np.ndarray

    @property
    def growth(self) -> float:
        """Greatest distance over the first one."""
        return float(np.max(self.distances) / self.distances[0])

    @property
    def late(self) -> float:
        """Greatest distance in the second half of the run over that in the first half."""
        second = self.times >= self.times[-1] / 2
        return float(np.max(self.distances[second]) / np.max(self.distances[~second], initial=1e-300))

    @property
    def final(self) -> float:
        return float(self.distances[-1] / self.distances[0])


def _floats(matrix: fmpq_mat) -> np.ndarray:
    return np.array([[int(v.p) / int(v.q) for v in row] for row in matrix.tolist()])


def kernel(A: fmpq_mat) -> tuple[fmpq_mat, list[int]]:
    """Basis of the kernel in columns, a unit matrix in the rows that are listed."""
    reduced, rank = A.rref()
    n = A.ncols()
    pivots = [next(j for j in range(n) if reduced[i, j] != 0) for i in range(rank)]
    free = [j for j in range(n) if j not in pivots]
    W = [[fmpq(0)] * len(free) for _ in range(n)]
    for column, j in enumerate(free):
        W[j][column] = fmpq(1)
        for i, p in enumerate(pivots):
            W[p][column] = -reduced[i, j]
    return fmpq_mat(n, len(free), [v for row in W for v in row]), free


def particular(columns: Sequence[Sequence[fmpq]], loads: Sequence[fmpq]) -> list[fmpq] | None:
    """A solution of sum c_k column_k = -loads, None where there is none."""
    rows, count = len(loads), len(columns)
    entries = [v for i in range(rows) for v in [*(c[i] for c in columns), -loads[i]]]
    reduced, rank = fmpq_mat(rows, count + 1, entries).rref()
    found = [fmpq(0)] * count
    for i in range(rank):
        pivot = next(j for j in range(count + 1) if reduced[i, j] != 0)
        if pivot == count:
            return None
        found[pivot] = reduced[i, count]
    return found
