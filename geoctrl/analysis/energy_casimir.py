r"""The energy-Casimir test as a question about a pencil of quadratic forms.

Invariants :math:`F_0 = E, F_1, \dots` and leaf relations have gradients D (rows) at the point. With W a
basis of :math:`\ker D` and multipliers y in the left null space of D, the function
:math:`\Phi = \sum_j y_j F_j` is critical, and if :math:`R(y) = W^T (\sum_j y_j D^2F_j) W` is definite of
either sign, then :math:`\pm\Phi + \mu \sum_j (F_j - F_j(x_e))^2` has a strict minimum for some mu
(Finsler): the point is stable within the leaf. For independent Casimir gradients and the energy's
multiplier one this is Aeyels' form of the theorem ([GO] A.1); dependent gradients only enlarge ker D.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from geoctrl._scalars.rational_matrix import inertia, nullspace, rank
from geoctrl.analysis.shape import Jet

__all__ = ["ExactPencil", "Pencil", "definite_combination"]

Vector = list[Fraction]

_VANISHING = 1e-10
"""Gradient, relative to the second derivatives, that counts as zero in floats."""


@dataclass
class ExactPencil:
    """The test in exact rationals at the point of a problem.

    Attributes
    ----------
    names : list of str
        Invariants, then leaf relations.
    gradients : rows D_j
    multipliers : basis of {y : y D = 0}
    kernel : basis of ker D
    forms : R(y) for each basis multiplier
    """

    names: list[str]
    gradients: list[Vector]
    multipliers: list[Vector]
    kernel: list[Vector]
    forms: list[list[Vector]]

    @classmethod
    def of(cls, jets: Sequence[Jet]) -> ExactPencil:
        """The test with some conserved quantities and leaf relations, the energy first where it is one."""
        gradients = [jet.gradient for jet in jets]
        n = len(gradients[0]) if gradients else 0
        transposed = [[row[i] for row in gradients] for i in range(n)]
        multipliers = _energy_first(nullspace(transposed, len(jets)))
        kernel = nullspace(gradients, n)
        needed = {j for y in multipliers for j, c in enumerate(y) if c}
        hessians = {j: jets[j].hessian() for j in needed}
        forms = [restricted_form(y, hessians, kernel) for y in multipliers]
        return cls([jet.name for jet in jets], gradients, multipliers, kernel, forms)

    @property
    def dependent(self) -> list[str]:
        """Names of gradients (the energy apart) that depend on those before them."""
        found = []
        rows: list[Vector] = []
        for name, row in zip(self.names, self.gradients, strict=True):
            if name == "energy":
                continue
            if rank([*rows, row], len(row)) == len(rows):
                found.append(name)
            else:
                rows.append(row)
        return found

    def form(self, weights: Sequence[Fraction]) -> list[Vector]:
        """The combination of the basis forms with the given weights."""
        d = len(self.kernel)
        return [
            [
                sum((w * R[i][j] for w, R in zip(weights, self.forms, strict=True)), Fraction(0))
                for j in range(d)
            ]
            for i in range(d)
        ]

    def search(self) -> tuple[Vector, list[Vector], tuple[int, int, int]] | None:
        """Weights with a definite form, that form and its inertia; the best found where none is definite."""
        if not self.multipliers:
            return None
        weights = [Fraction(int(k == 0)) for k in range(len(self.multipliers))]
        # Multipliers that only say that gradients depend have no second derivatives to offer.
        telling = [k for k, R in enumerate(self.forms) if any(any(row) for row in R)]
        if len(telling) == 1:
            weights = [Fraction(int(k == telling[0])) for k in range(len(self.multipliers))]
        elif telling:
            floats = np.array([[[float(e) for e in row] for row in self.forms[k]] for k in telling])
            y, _ = definite_combination(floats)
            for k, v in zip(telling, y / np.max(np.abs(y)), strict=True):
                # Close to a threshold weights differ by orders of magnitude: rounded relative to their size.
                weights[k] = Fraction(float(v)).limit_denominator(int(1e6 / max(abs(v), 1e-12)))
        form = self.form(weights)
        return weights, form, inertia(form)

    def combined(self, weights: Sequence[Fraction]) -> Vector:
        """The multiplier vector of given weights."""
        return [
            sum((w * y[j] for w, y in zip(weights, self.multipliers, strict=True)), Fraction(0))
            for j in range(len(self.names))
        ]


def restricted_form(y: Vector, hessians: dict[int, list[Vector]], kernel: list[Vector]) -> list[Vector]:
    """W^T (sum_j y_j H_j) W."""
    if not kernel:
        return []
    n = len(kernel[0])
    total = [[Fraction(0)] * n for _ in range(n)]
    for j, c in enumerate(y):
        if c:
            for i, row in enumerate(hessians[j]):
                for k, h in enumerate(row):
                    total[i][k] += c * h
    half = [[sum((total[i][k] * w[k] for k in range(n)), Fraction(0)) for i in range(n)] for w in kernel]
    return [[sum((a * b for a, b in zip(w, h, strict=True)), Fraction(0)) for h in half] for w in kernel]


def _energy_first(multipliers: list[Vector]) -> list[Vector]:
    """Scale so that a multiplier of the energy (the first invariant) is one, the only one of the basis."""
    lead = next((y for y in multipliers if y and y[0] != 0), None)
    if lead is None:
        return multipliers
    lead = [c / lead[0] for c in lead]
    rest = [
        [c - y[0] * l0 for c, l0 in zip(y, lead, strict=True)]
        for y in multipliers
        if any(y) and not _parallel(y, lead)
    ]
    return [lead, *(y for y in rest if any(y))]


def _parallel(a: Vector, b: Vector) -> bool:
    return rank([a, b], len(a)) < 2


@dataclass
class Pencil:
    """The test in floats: numbers for the point where no exact proof is possible."""

    names: list[str]
    gradients: np.ndarray
    hessians: np.ndarray
    residual: float = field(init=False)
    kernel: np.ndarray = field(init=False)
    multipliers: np.ndarray = field(init=False)

    @classmethod
    def of(cls, jets: Sequence[Jet]) -> Pencil:
        """The test with some conserved quantities and leaf relations."""
        return cls(
            [jet.name for jet in jets],
            np.array([jet.gradient for jet in jets]),
            np.array([jet.hessian() for jet in jets]),
        )

    def __post_init__(self) -> None:
        D = self.gradients
        scale = np.linalg.norm(D, axis=1)
        # What rounding leaves of a gradient that vanishes says nothing about directions.
        scale[scale <= _VANISHING * np.linalg.norm(self.hessians, axis=(1, 2))] = 0.0
        unit = np.where(scale[:, None] > 0, D, 0.0) / np.where(scale > 0, scale, 1.0)[:, None]
        u, s, vt = np.linalg.svd(unit)
        tolerance = 1e-8
        r = int(np.sum(s > tolerance))
        self.kernel = vt[r:].T
        left = u[:, r:] / np.where(scale > 0, scale, 1.0)[:, None]
        self.multipliers = left.T
        self.residual = float(s[r]) if r < s.size else 0.0

    def forms(self) -> np.ndarray:
        """R(y) for each basis multiplier, (k, d, d)."""
        W = self.kernel
        return np.array([W.T @ np.tensordot(y, self.hessians, 1) @ W for y in self.multipliers])

    def search(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Multipliers and the eigenvalues of the best form, or None where there are no multipliers."""
        if not len(self.multipliers):
            return None
        forms = self.forms()
        sizes = np.linalg.norm(forms, axis=(1, 2))
        telling = sizes > 1e-10 * np.max(sizes, initial=0.0)
        y = np.zeros(len(forms))
        if np.sum(telling) > 1:
            y[telling] = definite_combination(forms[telling])[0]
        else:
            y[int(np.argmax(sizes))] = 1.0
        return y @ self.multipliers, np.linalg.eigvalsh(np.tensordot(y, forms, 1))


def definite_combination(forms: np.ndarray) -> tuple[np.ndarray, float]:
    """Unit weights that maximise the least eigenvalue of a combination of symmetric forms.

    The function is concave; it is maximised by sequential quadratic programming on its smoothed form from
    several starts, and the sign of the weights is free, so that maxima and minima are covered alike.
    Definite combinations of two forms lie between neighbouring eigenvalues of their pencil; close to a
    threshold, where smoothing misses them, they are found there.

    Returns
    -------
    weights : (q,)
    least eigenvalue at the maximum, relative to the largest form
    """
    from scipy.optimize import minimize

    q = len(forms)
    if forms.shape[1] == 0:
        return np.eye(q)[0], 1.0
    size = np.array([max(np.linalg.norm(R), 1e-300) for R in forms])
    scaled = forms / size[:, None, None]

    def least(y: np.ndarray) -> float:
        return float(np.linalg.eigvalsh(np.tensordot(y, scaled, 1))[0])

    def smoothed(y: np.ndarray, sharpness: float) -> tuple[float, np.ndarray]:
        eigenvalues, vectors = np.linalg.eigh(np.tensordot(y, scaled, 1))
        weights = np.exp(-sharpness * (eigenvalues - eigenvalues[0]))
        value = eigenvalues[0] - np.log(weights.sum()) / sharpness
        weights /= weights.sum()
        gradient = np.einsum("ja,kji,ia,a->k", vectors, scaled, vectors, weights)
        return -value, -gradient

    ball = {"type": "ineq", "fun": lambda y: 1 - y @ y, "jac": lambda y: -2 * y}
    rng = np.random.default_rng(0)
    starts = [*np.eye(q), *-np.eye(q), *rng.normal(size=(4, q))]
    if q == 2:
        starts += _between_eigenvalues(*scaled)
    best = max(starts, key=lambda y: least(y / np.linalg.norm(y)))
    y = best / np.linalg.norm(best)
    for sharpness in (10.0, 100.0, 1000.0, 10000.0):
        result = minimize(smoothed, y, args=(sharpness,), jac=True, method="SLSQP", constraints=[ball])
        if np.all(np.isfinite(result.x)) and least(result.x) >= least(y):
            y = result.x
    return y / size, least(y)


def _between_eigenvalues(first: np.ndarray, second: np.ndarray) -> list[np.ndarray]:
    """Weights halfway between neighbouring real eigenvalues of a pencil of two forms, with either sign."""
    from scipy.linalg import eig

    # (cos t) first + (sin t) second is singular at the angles t of -first v = (tan t) second v.
    numerator, denominator = eig(-first, second, right=False, homogeneous_eigvals=True)
    angles = np.sort(np.arctan2(numerator.real, denominator.real) % np.pi)
    angles = np.append(angles, angles[0] + np.pi)
    halfway = (angles[1:] + angles[:-1]) / 2
    weights = np.column_stack([np.cos(halfway), np.sin(halfway)])
    return [*weights, *-weights]
