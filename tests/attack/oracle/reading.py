"""Certificate files judged without geoctrl: is what the file claims true of the problem it holds?

At a rational point where all functions have rational series the answer is exact: derivatives are
coefficients of power series, and what motions keep is tested along a random curve within the leaf. Elsewhere
it is in floats, with central differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import fmpq_mat, fmpq_series
from scipy.integrate import DOP853
from scipy.linalg import null_space

from tests.attack.oracle.holds import loop_at_odds
from tests.attack.oracle.oracle import kernel, rational
from tests.attack.oracle.precision import exact_to
from tests.attack.oracle.tables import NotJudgedError, Table

STABLE = ("PROVED_STABLE", "PROVED_ASYMPTOTICALLY_STABLE")
UNSTABLE = ("PROVED_UNSTABLE",)
BY_ROOTS = ("spectrum", "spectrum modulo a group")
"""Methods that claim a root to the right of the axis, or all of them to its left."""
CLOSE = 1e-6
"""Relative size below which floats are taken for zero here; spectra in floats err by the root of rounding."""
ORDER = 6
"""Order of the curves along which rates are tested: one that vanishes to this order is taken for zero."""
SMALL = Fraction(1, 2**20)
"""Boxes of larger radii are more than points in floats."""
STEP = 1e-6
"""Of difference quotients."""
NEAR = 0.03
"""Distance from the point at which rates are tested in floats."""

SIZES, SPAN, RATES = (1e-3, 1e-4), 50.0, 1000
"""Perturbations that are run, for how long, and after how many rates a run ends at the latest."""


def falsehood(content: Mapping[str, Any], verdict: str, method: str) -> str:
    """What is false in a verdict about a file's equations, in words; nothing where it is true or true as far
    as is seen here.

    Raises
    ------
    NotJudgedError
        For a problem that is not understood here.
    """
    problem, theorem = content["problem"], content["theorem"]
    table = Table(problem, content.get("roots", []))
    if not table.honest:
        return "states, inputs, parameters and unknowns are not distinct symbols"
    claim = Claim(problem, theorem, verdict, method)
    if any(Fraction(r) > SMALL for r in theorem.get("box", {"radii": []})["radii"]):
        raise NotJudgedError("the equilibrium is somewhere in a box that is no point in floats")
    if "loop" in theorem:
        wrong = _changing_in_floats(table, claim)
        return wrong or loop_at_odds(table, verdict, theorem["loop"], _gradients)
    if "box" in theorem or not table.exact:
        return _in_floats(table, claim)
    try:
        return _in_series(table, claim)
    except NotJudgedError:
        return _in_floats(table, claim)


def used(theorem: Mapping[str, Any]) -> set[str]:
    """Names of functions that a theorem leans on."""
    lists = (theorem.get("rows", ()), theorem.get("held", ()), theorem.get("rest", {}).get("kept", ()))
    energy = {theorem["energy"]} if "energy" in theorem else set()
    return {*theorem.get("multipliers", ()), *(k for names in lists for k in names), *energy}


class Claim:
    """What is said of equations.

    Attributes
    ----------
    field, leaf : lists of nodes
    kept : dict of name -> node
        Relations, and invariants that the theorem leans on.
    verdict, method : str
    spectral : bool
        Whether the verdict rests on tangents, for which the leaf has to be a manifold.
    """

    def __init__(
        self, problem: Mapping[str, Any], theorem: Mapping[str, Any], verdict: str, method: str
    ) -> None:
        self.field, self.leaf = problem["field"], list(problem["leaf"].values())
        names = used(theorem)
        self.kept = problem["leaf"] | {k: p for k, p in problem["invariants"].items() if k in names}
        self.verdict, self.method = verdict, method
        self.spectral = not (
            method == "drift"
            or (verdict == "PROVED_STABLE" and method.startswith(("energy-Casimir", "falling")))
        )


# -- in power series ------------------------------------------------------------------------------------


def _moved(table: Table, along: Sequence[Any]) -> list[fmpq_series]:
    return [fmpq_series([rational(v), w]) for v, w in zip(table.point, along, strict=True)]


def _in_series(table: Table, claim: Claim) -> str:
    n, r = len(claim.field), len(claim.leaf)
    with exact_to(2):
        outputs = [*claim.field, *claim.leaf]
        try:
            here = table.exactly(outputs, _moved(table, [0] * n))
        except ZeroDivisionError:
            return "the unknowns are not determined at the point"
        if any(v[0] != 0 for v in here):
            return "the point is no equilibrium on the leaf"
        columns = [table.exactly(outputs, _moved(table, [int(i == j) for i in range(n)])) for j in range(n)]
    J = fmpq_mat(n, n, [columns[j][i][1] for i in range(n) for j in range(n)])
    gradient = fmpq_mat(r, n, [columns[j][n + a][1] for a in range(r) for j in range(n)])
    W, free = kernel(gradient) if r else (_unit(n), list(range(n)))
    independent = _independent(gradient) if r else []
    if len(independent) < r and _singular(table, claim.leaf, independent):
        if claim.spectral:
            return "a spectrum is given, but the leaf is no manifold at the point"
        return _changing_in_floats(table, claim)
    if name := _changing(table, claim, [claim.leaf[a] for a in independent], gradient, independent, W):
        return f"{name} is not kept by the motion"
    image = J * W
    A = fmpq_mat(len(free), len(free), [image[i, j] for i in free for j in range(len(free))])
    if image != W * A:
        return "the linearisation leaves the tangent space of the leaf"
    return _against(claim, A) or _by_running(table, claim)


def _unit(n: int) -> fmpq_mat:
    return fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def _independent(gradient: fmpq_mat) -> list[int]:
    """Relations of which the gradients are independent of those before them."""
    reduced, rank = gradient.transpose().rref()
    return [next(a for a in range(gradient.nrows()) if reduced[i, a] != 0) for i in range(rank)]


def _changing(
    table: Table, claim: Claim, leaf: list[int], gradient: fmpq_mat, independent: list[int], W: fmpq_mat
) -> str:
    """Name of a function that changes at some order along a curve x(t) in the leaf; none where all are kept.

    With s = t^ORDER the coefficients of F(x + s f) beyond those of F(x) are the rate of F along the curve,
    up to s^2.
    """
    n, rng = len(table.point), np.random.default_rng(7)
    with exact_to(2 * ORDER):
        w = W * fmpq_mat(W.ncols(), 1, [int(v) for v in rng.integers(-3, 4, size=W.ncols())])
        x = _moved(table, [w[i, 0] for i in range(n)])
        if leaf:
            G = fmpq_mat(len(leaf), n, [gradient[a, j] for a in independent for j in range(n)])
            back = G.transpose() * (G * G.transpose()).inv()
            for _ in range(2 * ORDER):  # each step of this Newton method is right to one order more
                defects = table.exactly(leaf, x)
                x = [
                    v - sum((back[i, a] * d for a, d in enumerate(defects)), fmpq_series([0]))
                    for i, v in enumerate(x)
                ]
        shift = fmpq_series([0] * ORDER + [1])
        ahead = [v + shift * f for v, f in zip(x, table.exactly(claim.field, x), strict=True)]
        places = list(claim.kept.values())
        pairs = zip(claim.kept, table.exactly(places, ahead), table.exactly(places, x), strict=True)
        return next((name for name, a, b in pairs if any((a - b)[k] != 0 for k in range(2 * ORDER))), "")


def _against(claim: Claim, A: fmpq_mat) -> str:
    """What an exact linearisation on the leaf says against a verdict; one by a theorem may leave it open."""
    verdict = claim.verdict
    with exact_to(2):
        roots = [root for root, _ in A.charpoly().numer().complex_roots()] if A.nrows() else []
    abscissa = max((float(root.real.mid()) for root in roots), default=-np.inf)
    growing = any(bool(root.real > 0) for root in roots)
    if verdict in STABLE and growing:
        return f"{verdict}, but an eigenvalue has the real part {abscissa:.3g}"
    left = all(bool(root.real < 0) for root in roots)
    by_roots = claim.method in BY_ROOTS
    if verdict in UNSTABLE and (left or (by_roots and not growing)):
        return f"{verdict}, but the greatest real part is {abscissa:.3g}"
    if verdict == "PROVED_ASYMPTOTICALLY_STABLE" and by_roots and not left:
        return f"{verdict}, but the greatest real part is {abscissa:.3g}"
    return ""


# -- in floats --------------------------------------------------------------------------------------------


def _gradients(table: Table, outputs: Sequence[int], x: np.ndarray) -> np.ndarray:
    columns = []
    for i in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        ahead[i] += STEP
        behind[i] -= STEP
        columns.append((table.in_floats(outputs, ahead) - table.in_floats(outputs, behind)) / (2 * STEP))
    return np.array(columns).T


def _on_leaf(table: Table, leaf: Sequence[int], size: float, seed: int) -> np.ndarray:
    """A point of the leaf near the point."""
    x = np.array([float(v) for v in table.point])
    x = x + size * np.random.default_rng(seed).normal(size=len(x))
    for _ in range(30):
        defect = table.in_floats(leaf, x)
        if not len(defect):
            break
        slopes = _gradients(table, leaf, x)
        sizes = np.maximum(1.0, np.linalg.norm(slopes, axis=1))  # relations may be large multiples of others
        if np.max(np.abs(defect / sizes)) < 1e-14:
            break
        x = x - np.linalg.lstsq(slopes / sizes[:, None], defect / sizes, rcond=1e-9)[0]
    return x


def _singular(table: Table, leaf: Sequence[int], independent: Sequence[int]) -> bool:
    """Whether relations without a gradient of their own do more than follow from the others."""
    x = _on_leaf(table, [leaf[a] for a in independent], 0.3, 3)
    dropped = [place for a, place in enumerate(leaf) if a not in independent]
    sizes = np.maximum(1.0, np.linalg.norm(_gradients(table, dropped, x), axis=1))
    return bool(np.max(np.abs(table.in_floats(dropped, x)) / sizes) > CLOSE)


def _changing_in_floats(table: Table, claim: Claim) -> str:
    """What is said to be kept and changes at some point near, in words."""
    for seed in range(3):
        x = _on_leaf(table, claim.leaf, NEAR, seed)
        f = table.in_floats(claim.field, x)
        if not claim.kept:
            continue
        places = list(claim.kept.values())
        slopes, values = _gradients(table, places, x), np.array(table.in_floats(places, x), dtype=float)
        # Of large values, the square of an energy say, the difference quotients leave their rounding.
        noise = 10 * np.finfo(float).eps * np.abs(values) / STEP * float(np.abs(f).sum())
        limits = CLOSE * np.maximum(np.abs(slopes) @ np.abs(f), max(1.0, float(np.max(np.abs(f))))) + noise
        for name, rate, limit in zip(claim.kept, slopes @ f, limits, strict=True):
            if abs(rate) > limit:
                return f"{name} is not kept by the motion"
    return ""


def _in_floats(table: Table, claim: Claim) -> str:
    x = np.array([float(v) for v in table.point])
    J, W = _gradients(table, claim.field, x), np.eye(len(x))
    size = max(1.0, float(np.max(np.abs(J))))
    defect = np.max(np.abs(table.in_floats([*claim.field, *claim.leaf], x)))
    if defect > CLOSE * size * max(1.0, float(np.max(np.abs(x)))):
        return "the point is no equilibrium on the leaf"
    if changing := _changing_in_floats(table, claim):
        return changing
    if claim.leaf:
        W = null_space(_gradients(table, claim.leaf, x), rcond=1e-8)
    return _plainly_against(claim.verdict, np.linalg.eigvals(W.T @ J @ W), size)


def _plainly_against(verdict: str, values: np.ndarray, size: float) -> str:
    """What eigenvalues in floats say: a zero root of multiplicity four is smeared over the fourth root of
    rounding.
    """
    abscissa = float(np.max(values.real, initial=-np.inf))
    if verdict in STABLE and abscissa > 1e-2 * size:
        return f"{verdict}, but an eigenvalue has the real part {abscissa:.3g}"
    if verdict in UNSTABLE and abscissa < -1e-2 * size:
        return f"{verdict}, but the greatest real part is {abscissa:.3g}"
    return ""


def _by_running(table: Table, claim: Claim) -> str:
    """Short runs, for stability that the spectrum leaves open."""
    if claim.verdict != "PROVED_STABLE" and (
        claim.verdict != "PROVED_ASYMPTOTICALLY_STABLE" or claim.method in BY_ROOTS
    ):
        return ""
    return (
        f"{claim.verdict}, but perturbations grow" if all(map(partial(_grows, table, claim), SIZES)) else ""
    )


def _grows(table: Table, claim: Claim, size: float) -> bool:
    """Whether a perturbation grows a hundredfold and goes on growing."""
    start = _on_leaf(table, claim.leaf, size, 5)
    run = DOP853(lambda _, x: table.in_floats(claim.field, x), 0.0, start, SPAN, rtol=1e-9, atol=1e-12)
    rest, most, early = np.array([float(v) for v in table.point]), 0.0, 0.0
    first = float(np.linalg.norm(start - rest))
    while run.status == "running" and run.nfev < RATES:
        run.step()
        if np.max(np.abs(table.in_floats(claim.leaf, run.y)), initial=0.0) > CLOSE:
            return False  # rounding has left a leaf that repels: nothing more is learnt
        most = max(most, float(np.linalg.norm(run.y - rest)))
        early = most if run.t < SPAN / 2 else early
    return most > 100 * first and most > 2 * early
