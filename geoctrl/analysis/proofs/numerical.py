r"""Verdicts in floats: reports that no file holds and nothing proves.

What is asked is what the checker asks: roots of the linearisation on the leaf, and a combination of conserved
functions that is critical with a definite second variation. States are divided by their sizes d and rates by
:math:`\omega` (see `geoctrl.systems.contract.scales`), so that thresholds are numbers without units:
:math:`A \to D^{-1} A D/\omega`, gradients and second variations to those by x/d.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import fmpq

from geoctrl.analysis.linear.subspaces import pivot_columns
from geoctrl.analysis.proofs.energy_casimir import Function, Pencil
from geoctrl.systems.contract.scales import largest_cycle
from geoctrl.systems.contract.tolerances import INDEPENDENT

__all__ = [
    "FloatJudgement",
    "FloatSizes",
    "claim_in_floats",
    "float_judgement",
    "in_sizes",
    "judged_matrices",
]

GROWTH = 1e-6
"""Real part, relative to the rate, that counts as growth or decay: a double root of what is good to twelve
digits is good to six. The claim states it."""
FEW = 24
"""Roots up to which their polynomial is told."""
CRITICAL = 1e-6
"""Slope of a combination, relative to its largest term, that counts as none."""
SLOPE = 1e-8
"""Gradient, relative to second derivatives, that counts as none: ten times what a search leaves."""
DEFINITE = 1e-8
"""Eigenvalue of a second variation, relative to the largest, from which on it has a sign."""
_IN_FLOATS = {
    "NUMERICALLY_STABLE": "appears stable in floats: definite second variation or damped spectrum; no proof",
    "NUMERICALLY_UNSTABLE": "appears unstable in floats: largest real part above {growth:.2g} 1/s; no proof",
    "SPECTRALLY_STABLE_ONLY": (
        "shows in floats no eigenvalue with a real part above {growth:.2g} 1/s; nothing is proved"
    ),
    "UNDECIDED": "is undecided in floats by the spectrum and by the energy-Casimir test",
}


@dataclass(frozen=True)
class FloatSizes:
    """Sizes of the states (n,), powers of two, and the rate (1/s) of a system at a point."""

    states: np.ndarray
    rate: float


@dataclass(frozen=True)
class FloatJudgement:
    """A verdict, how it was found, and what was computed."""

    verdict: str
    method: str
    evidence: dict[str, Any] = field(default_factory=dict)


def claim_in_floats(verdict: str, evidence: dict[str, Any]) -> str:
    """What is said of a point, to follow its name."""
    return _IN_FLOATS[verdict].format(growth=evidence.get("growth", 0.0))


def float_judgement(
    A: np.ndarray,
    relations: Sequence[Function],
    conserved: Sequence[Function],
    sizes: FloatSizes,
) -> FloatJudgement:
    """The report about a point.

    Parameters
    ----------
    A : ndarray (n, n)
        Derivatives of the rates by the states.
    relations, conserved : sequence of (name, gradient, second derivatives by pairs)
        Of the leaf, and of what is proved to be conserved.
    """
    d, names = sizes.states, [name for name, *_ in conserved]
    relations, conserved = ([in_sizes(f, d) for f in given] for given in (relations, conserved))
    scaled = A * d / d[:, None]
    rows, regular = _independent(_unit_rows(relations))
    forced, dependent = [], []
    # The energy last: where it depends on the others at the point, they are what names the zero modes.
    for k in sorted(range(len(names)), key=lambda k: names[k] == "energy"):
        more, new = _independent([*rows, *_unit_rows([conserved[k]])])
        if new:
            rows = more
            forced.append(names[k])
        elif names[k] != "energy":
            dependent.append(names[k])
    evidence: dict[str, Any] = {"conserved": names, "shape_integrals": []}
    evidence |= {"zero_modes": forced, "dependent_gradients": dependent}
    simple = False
    if regular:
        found, simple = _by_roots(_on_kernel(scaled, rows), sizes.rate, evidence)
        if found:
            return FloatJudgement(found, "spectrum in floats", evidence)
    functions = [*conserved, *relations]
    definite = bool(functions) and _definite(functions, rows, evidence)
    if not functions:
        evidence["hessian"] = "no multipliers"
    without = "SPECTRALLY_STABLE_ONLY" if simple else "UNDECIDED"
    return FloatJudgement("NUMERICALLY_STABLE" if definite else without, "energy-Casimir in floats", evidence)


def judged_matrices(A: np.ndarray, K: np.ndarray | None) -> FloatJudgement:
    """The same of a linearisation (d, d) on the leaf, and a stiffness (k, k) where no forces act."""
    evidence: dict[str, Any] = {}
    found, simple = _by_roots(A, largest_cycle(np.abs(A)), evidence)
    if K is not None and K.size and found != "NUMERICALLY_UNSTABLE":
        roots = np.linalg.eigvalsh(K)
        if roots[0] > DEFINITE * abs(roots[-1]):
            evidence["hessian"] = "definite"
            return FloatJudgement("NUMERICALLY_STABLE", "second variation in floats", evidence)
    return FloatJudgement(
        found or ("SPECTRALLY_STABLE_ONLY" if simple else "UNDECIDED"), "spectrum in floats", evidence
    )


def _by_roots(A: np.ndarray, rate: float, evidence: dict[str, Any]) -> tuple[str, bool]:
    """A verdict by the roots, empty where they give none; and whether none is next to zero."""
    growth = GROWTH * rate
    roots = np.linalg.eigvals(A) if A.size else np.zeros(0)
    evidence["growth"] = growth
    if len(roots) <= FEW:
        evidence["rounded_polynomial"] = [float(c) for c in np.poly(roots).real]
    largest = float(np.max(roots.real, initial=-np.inf))
    if largest > growth:
        return "NUMERICALLY_UNSTABLE", False
    if len(roots) and largest < -growth:
        return "NUMERICALLY_STABLE", False
    return "", bool(np.all(np.abs(roots) > growth))


def _unit_rows(functions: Sequence[Function]) -> list[np.ndarray]:
    """Gradients of length one."""
    rows = [np.array([float(c) for c in gradient]) for _, gradient, _ in functions]
    return [row / (np.linalg.norm(row) or 1.0) for row in rows]


def _independent(rows: Sequence[np.ndarray]) -> tuple[list[np.ndarray], bool]:
    """Rows of length one that are away from the span of those before; and whether all are."""
    found: list[np.ndarray] = []
    basis: list[np.ndarray] = []
    for row in rows:
        rest = row - sum(((row @ b) * b for b in basis), np.zeros_like(row))
        if np.linalg.norm(rest) > INDEPENDENT:
            found.append(row)
            basis.append(rest / np.linalg.norm(rest))
    return found, len(found) == len(rows)


def _kernel(rows: Sequence[np.ndarray], n: int) -> np.ndarray:
    """Basis (n, k) of what independent rows send to zero: one at each state that is no pivot."""
    if not rows:
        return np.eye(n)
    D = np.array(rows)
    pivots = pivot_columns(D)
    free = [i for i in range(n) if i not in pivots]
    W = np.zeros((n, len(free)))
    W[free, range(len(free))] = 1.0
    W[pivots] = -np.linalg.solve(D[:, pivots], D[:, free])
    return W


def _on_kernel(A: np.ndarray, rows: Sequence[np.ndarray]) -> np.ndarray:
    """A on the kernel of rows, which it keeps: zeros of A stay zeros."""
    W = _kernel(rows, len(A))
    free = [int(np.flatnonzero((w == 1) & (np.count_nonzero(W, axis=1) == 1))[0]) for w in W.T]
    return (A @ W)[free]


def _definite(functions: Sequence[Function], rows: Sequence[np.ndarray], evidence: dict[str, Any]) -> bool:
    """Whether a combination of functions is critical with a definite second variation on a kernel."""
    pencil = Pencil.of(functions)
    found = pencil.search()
    if found is None or not _critical(pencil.gradients, found[0]):
        evidence["hessian"] = "no multipliers"
        return False
    W = _kernel(rows, pencil.gradients.shape[1])
    R = W.T @ np.tensordot(found[0], pencil.hessians, 1) @ W
    roots = np.linalg.eigvalsh(R) if R.size else np.zeros(0)
    margin = DEFINITE * float(np.max(np.abs(roots), initial=0.0))
    positive, negative = int(np.sum(roots > margin)), int(np.sum(roots < -margin))
    definite = len(R) in (positive, negative)
    evidence |= {
        "multipliers": {name: float(c) for (name, *_), c in zip(functions, found[0], strict=True)},
        "inertia": [positive, negative, len(R) - positive - negative],
        "hessian": "definite" if definite else "indefinite" if positive and negative else "semidefinite",
    }
    return definite


def in_sizes(function: Function, d: Sequence[float] | np.ndarray) -> Function:
    """A function by x/d, which are powers of two.

    A gradient that the second derivatives give a point next to it is none.
    """
    name, gradient, second = function
    q = [fmpq(*float(v).as_integer_ratio()) for v in d]
    slopes = [c * f for c, f in zip(gradient, q, strict=True)]
    bends = {(i, j): v * q[i] * q[j] for (i, j), v in second.items()}
    least = SLOPE * max([0.0, *(abs(float(v)) for v in bends.values())])
    if not any(abs(float(c)) > least for c in slopes):
        slopes = [fmpq(0)] * len(slopes)
    return name, slopes, bends


def _critical(gradients: np.ndarray, y: np.ndarray) -> bool:
    terms = gradients * y[:, None]
    return bool(np.all(np.abs(terms.sum(axis=0)) <= CRITICAL * np.max(np.abs(terms), initial=0.0)))
