r"""The energy-Casimir test as a question about a pencil of quadratic forms.

Invariants :math:`F_0 = E, F_1, \dots` and leaf relations have gradients D (rows) at the point. With W a
basis of :math:`\ker D` and multipliers y in the left null space of D, the function
:math:`\Phi = \sum_j y_j F_j` is critical, and if :math:`R(y) = W^T (\sum_j y_j D^2F_j) W` is definite of
either sign, then :math:`\pm\Phi + \mu \sum_j (F_j - F_j(x_e))^2` has a strict minimum for some mu
(Finsler): the point is stable within the leaf. For independent Casimir gradients and the energy's
multiplier one this is Aeyels' form of the theorem ([GO] A.1); dependent gradients only enlarge ker D.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from flint import fmpq

from geoctrl.decisions.arithmetic.eliminations import form, nullspace
from geoctrl.systems.contract.tolerances import INDEPENDENT, VANISHING

__all__ = ["Pencil", "critical_combination", "definite_combination", "exact_multipliers"]

_SMALL = 39
"""Binary digits below one of a weight that is still told by a denominator."""

Function = tuple[str, list[fmpq], dict[tuple[int, int], fmpq]]


def exact_multipliers(
    functions: Sequence[Function], across: Sequence[list[fmpq]] = (), slopes: Sequence[list[fmpq]] = ()
) -> list[fmpq] | None:
    """Multipliers of a combination that is critical, and definite on the common kernel where one is found.

    Parameters
    ----------
    functions : name, gradient and second derivatives of conserved functions, the energy first where it is one
    across : directions to which the kernel is taken orthogonal
    slopes : further linear conditions on the multipliers

    Returns
    -------
    One number for each function, or None where no combination is critical.
    """
    gradients = [gradient for _, gradient, _ in functions]
    n = len(gradients[0]) if gradients else 0
    critical = [[row[i] for row in gradients] for i in range(n)]
    basis = _energy_first(nullspace([*critical, *slopes], len(gradients)))
    if not basis:
        return None
    if len(basis) == 1:
        return basis[0]
    kernel = nullspace([*gradients, *across], n)
    forms = [form(dense(y, functions, n), kernel) for y in basis]
    # Multipliers that only say that gradients depend have no second derivatives to offer.
    telling = [k for k, R in enumerate(forms) if any(any(row) for row in R)]
    if len(telling) < 2:
        return basis[telling[0] if telling else 0]
    floats = np.array([[[float(e) for e in row] for row in forms[k]] for k in telling])
    weights, _ = definite_combination(floats)
    total = [fmpq(0)] * len(functions)
    for k, v in zip(telling, weights / np.max(np.abs(weights)), strict=True):
        total = [t + _short(float(v)) * c for t, c in zip(total, basis[k], strict=True)]
    return total


def critical_combination(functions: Sequence[Function], first: fmpq) -> list[fmpq] | None:
    """Multipliers of a critical combination, that of the first function given, positive definite if found.

    None where no critical combination holds the first function.
    """
    gradients = [gradient for _, gradient, _ in functions]
    n = len(gradients[0])
    basis = _energy_first(nullspace([[row[i] for row in gradients] for i in range(n)], len(gradients)))
    if not basis or not basis[0][0]:
        return None
    basis[0] = [first * c for c in basis[0]]
    kernel = nullspace(gradients, n)
    forms = [form(dense(y, functions, n), kernel) for y in basis]
    telling = [0, *(k for k, R in enumerate(forms) if k and any(any(row) for row in R))]
    if len(telling) < 2:
        return basis[0]
    floats = np.array([[[float(e) for e in row] for row in forms[k]] for k in telling])
    weights, _ = definite_combination(floats)
    if not weights[0] > 0:
        return basis[0]
    total = basis[0]
    for k, v in zip(telling[1:], weights[1:] / weights[0], strict=True):
        total = [t + _short(float(v)) * c for t, c in zip(total, basis[k], strict=True)]
    return total


def _short(weight: float) -> fmpq:
    """A rational within 1e-6 of a weight, beside it: near thresholds they differ by orders of magnitude."""
    if not weight:
        return fmpq(0)
    # What is far below one is rounded in its own power of two.
    power = Fraction(2) ** min(0, math.frexp(weight)[1] + _SMALL)
    q = Fraction(weight) / power
    q = q.limit_denominator(int(1e6 / abs(q))) * power
    return fmpq(q.numerator, q.denominator)


def dense(y: Sequence[fmpq], functions: Sequence[Function], n: int) -> list[list[fmpq]]:
    """sum_j y_j D^2 F_j."""
    total = [[fmpq(0)] * n for _ in range(n)]
    for c, (_, _, second) in zip(y, functions, strict=True):
        for (i, j), value in second.items() if c else ():
            total[i][j] += c * value
            if i != j:
                total[j][i] += c * value
    return total


def _energy_first(multipliers: list[list[fmpq]]) -> list[list[fmpq]]:
    """Scale so that a multiplier of the energy (the first invariant) is one, the only one of the basis."""
    lead = next((y for y in multipliers if y and y[0] != 0), None)
    if lead is None:
        return multipliers
    scaled = [c / lead[0] for c in lead]
    rest = [[c - y[0] * l0 for c, l0 in zip(y, scaled, strict=True)] for y in multipliers if y is not lead]
    return [scaled, *(y for y in rest if any(y))]


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
    def of(cls, functions: Sequence[Function]) -> Pencil:
        """The test with some conserved quantities and leaf relations."""
        n = len(functions[0][1]) if functions else 0
        return cls(
            [name for name, *_ in functions],
            np.array([[float(c) for c in gradient] for _, gradient, _ in functions]).reshape(-1, n),
            np.array([dense([fmpq(1)], [f], n) for f in functions], dtype=float).reshape(-1, n, n),
        )

    def __post_init__(self) -> None:
        D = self.gradients
        scale = np.linalg.norm(D, axis=1)
        # What rounding leaves of a gradient that vanishes says nothing about directions.
        scale[scale <= VANISHING * np.linalg.norm(self.hessians, axis=(1, 2))] = 0.0
        unit = np.where(scale[:, None] > 0, D, 0.0) / np.where(scale > 0, scale, 1.0)[:, None]
        u, s, vt = np.linalg.svd(unit)
        r = int(np.sum(s > INDEPENDENT))
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
        telling = sizes > VANISHING * np.max(sizes, initial=0.0)
        y = np.zeros(len(forms))
        if np.sum(telling) > 1:
            y[telling] = definite_combination(forms[telling])[0]
        else:
            y[int(np.argmax(sizes))] = 1.0
        return y @ self.multipliers, np.linalg.eigvalsh(np.tensordot(y, forms, 1))


def definite_combination(forms: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights that maximise the least eigenvalue, relative to its size, of a combination of symmetric forms.

    Among orthonormal combinations the sizes are those of the weights, whatever basis is given: of two forms
    that nearly cancel it is their difference that counts. The function is concave; it is maximised by
    sequential quadratic programming on its smoothed form from several starts, and the sign of the weights is
    free, so that maxima and minima are covered alike. Definite combinations of two forms lie between
    neighbouring eigenvalues of their pencil; close to a threshold, where smoothing misses them, they are
    found there.

    Eigenvalues of forms in mixed units say little: where none is found, it is looked for once more in units
    of directions and forms that bring their entries next to one.

    Returns
    -------
    weights : (q,)
    least eigenvalue at the maximum, relative to the norm of the combination
    """
    if forms.shape[1] == 0:
        return np.eye(len(forms))[0], 1.0
    weights, least = _combination(forms)
    if least > VANISHING:
        return weights, least
    of_forms, unit = _entries_next_to_one(forms)
    others, further = _combination(of_forms[:, None, None] * unit[:, None] * forms * unit)
    return (others * of_forms, further) if further > least else (weights, least)


def _entries_next_to_one(forms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of forms (q,) and directions (d,) by which entries that are not zero come next to one.

    By least squares of logarithms: in other units of forms and directions the result is the same.
    """
    q, d, _ = forms.shape
    k, i, j = np.nonzero(forms)
    rows = np.zeros((len(k), q + d))
    rows[np.arange(len(k)), k] = 1.0
    np.add.at(rows, (np.arange(len(k)), q + i), 1.0)
    np.add.at(rows, (np.arange(len(k)), q + j), 1.0)
    found = np.linalg.lstsq(rows, -np.log(np.abs(forms[k, i, j])), rcond=None)[0]
    return np.exp(found[:q]), np.exp(found[q:])


def _combination(forms: np.ndarray) -> tuple[np.ndarray, float]:
    """`definite_combination` by the eigenvalues of the forms as they are."""
    from scipy.optimize import minimize

    size = np.array([max(np.linalg.norm(R), 1e-300) for R in forms])
    mixing, spread, orthonormal = np.linalg.svd((forms / size[:, None, None]).reshape(len(forms), -1), False)
    q = max(1, int(np.sum(spread > VANISHING * spread[0])))
    scaled = orthonormal[:q].reshape(q, *forms.shape[1:])

    def least(y: np.ndarray) -> float:
        return float(np.linalg.eigvalsh(np.tensordot(y, scaled, 1))[0])

    def smooth_minimum(y: np.ndarray, sharpness: float) -> tuple[float, np.ndarray]:
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
        result = minimize(smooth_minimum, y, args=(sharpness,), jac=True, method="SLSQP", constraints=[ball])
        if np.all(np.isfinite(result.x)) and least(result.x) >= least(y):
            y = result.x
    return mixing[:, :q] @ (y / np.maximum(spread[:q], 1e-300)) / size, least(y)


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
