"""Certificate files read and judged without geoctrl: is what the file claims true of the problem it holds?

Node tables are evaluated here by a few lines of their own: in power series over the rationals where all is
rational, else in floats with central differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_series
from scipy.integrate import DOP853
from scipy.linalg import null_space

from .oracle import kernel, rational

STABLE = ("PROVED_STABLE", "PROVED_ASYMPTOTICALLY_STABLE", "NUMERICALLY_STABLE", "SPECTRALLY_STABLE_ONLY")
UNSTABLE = ("PROVED_UNSTABLE", "NUMERICALLY_UNSTABLE")
FUNCTIONS: dict[str, Callable] = {
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "exp": math.exp, "log": math.log,
    "asin": math.asin, "acos": math.acos, "atan": math.atan, "sinh": math.sinh, "cosh": math.cosh,
    "tanh": math.tanh, "abs": abs, "atan2": math.atan2,
}  # fmt: skip
CLOSE = 1e-6
"""Relative size below which floats are taken for zero here; spectra in floats err by the root of rounding."""


class NotJudgedError(Exception):
    """The file holds something that is not understood here."""


class Table:
    """A node table, evaluated at numbers for its symbols."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        self.nodes = problem["nodes"]
        self.states = list(problem["states"].values())
        numbers = {k: Fraction(v) for k, v in problem["numbers"].items()}
        self.bound = {i: numbers[k] for k, i in problem["parameters"].items()}
        inputs = list(problem.get("inputs", {}).values())
        held = map(Fraction, problem.get("input_point", []))
        self.bound |= dict(zip(inputs, held, strict=True))
        self.point = [Fraction(v) for v in problem["point"]]

    @property
    def honest(self) -> bool:
        """Whether states, inputs and parameters are distinct symbols, and all symbols are among them."""
        places = [*self.states, *self.bound]
        kinds = [self.nodes[i][0] for i in places]
        symbols = {i for i, node in enumerate(self.nodes) if node[0] == "sym"}
        return len(set(places)) == len(places) and set(kinds) <= {"sym"} and symbols <= set(places)

    def exactly(self, outputs: Sequence[int], along: Sequence[Any]) -> list[fmpq_series]:
        """Outputs at the point moved along a direction, to first order."""
        start = [fmpq_series([rational(v), w]) for v, w in zip(self.point, along, strict=True)]
        return self._run(outputs, start, rational, fmpq_series([0]))

    def in_floats(self, outputs: Sequence[int], x: Sequence[float]) -> np.ndarray:
        return np.array(self._run(outputs, list(x), float, 0.0), dtype=float)

    def _run(self, outputs: Sequence[int], x: list, number: Callable, zero: Any) -> list:
        given = dict(zip(self.states, x, strict=True)) | {i: zero + number(q) for i, q in self.bound.items()}
        values: list[Any] = []
        for i, (kind, *rest) in enumerate(self.nodes):
            if i in given:
                value = given[i]
            elif kind == "num":
                value = zero + number(Fraction(rest[0]))
            elif kind == "prod":
                value = zero + number(Fraction(rest[0]))
                for atom, exponent in rest[1]:
                    part = values[atom] ** abs(exponent)
                    value = value * part if exponent > 0 else value / part
            elif kind == "sum":
                value = zero
                for c, monomial in rest[0]:
                    value = value + values[c] * values[monomial]
            elif kind == "fun":
                value = self._call(rest[0], [values[k] for k in rest[1]])
            else:
                raise NotJudgedError(f"node {i} of the kind {kind!r}")
            values.append(value)
        return [values[i] for i in outputs]

    @staticmethod
    def _call(name: str, arguments: list) -> Any:
        if isinstance(arguments[0], float) and name in FUNCTIONS:
            return FUNCTIONS[name](*arguments)
        raise NotJudgedError(f"the function {name}")


def falsehood(data: Mapping[str, Any]) -> str:
    """What is wrong with a file's claim, in words; nothing where it is true or true as far as is seen here.

    Raises
    ------
    NotJudgedError
        For a kind of problem that is not understood here.
    """
    problem, verdict = data["problem"], data["verdict"]
    if verdict == "UNDECIDED":
        return ""
    if problem.get("kind", "equations") == "natural":
        return _natural(Table(problem), problem, verdict)
    if problem.get("kind", "equations") != "equations":
        raise NotJudgedError(f"a problem of the kind {problem['kind']!r}")
    table = Table(problem)
    if not table.honest:
        return "states, inputs and parameters are not distinct symbols"
    field, leaf = problem["field"], list(problem["leaf"].values())
    try:
        return _in_series(table, field, leaf, verdict) or _by_running(table, field, leaf, verdict)
    except NotJudgedError:
        return _in_floats(table, field, leaf, verdict)


def _in_series(table: Table, field: Sequence[int], leaf: Sequence[int], verdict: str) -> str:
    n, r = len(field), len(leaf)
    here = table.exactly([*field, *leaf], [0] * n)
    if verdict.startswith("PROVED") and any(v[0] != 0 for v in here):
        return "the point is no equilibrium on the leaf"
    columns = [table.exactly([*field, *leaf], [int(i == j) for i in range(n)]) for j in range(n)]
    J = fmpq_mat(n, n, [columns[j][i][1] for i in range(n) for j in range(n)])
    if r:
        gradient = fmpq_mat(r, n, [columns[j][n + a][1] for a in range(r) for j in range(n)])
        W, free = kernel(gradient)
        if n - len(free) < r and _singular(table, leaf, gradient):
            return "the leaf is no manifold at the point"
        image = J * W
        A = fmpq_mat(len(free), len(free), [image[i, j] for i in free for j in range(len(free))])
        if image != W * A:
            return "the leaf is not kept by the motion"
    else:
        A = J
    if leaf and _moves(table, field, leaf):
        return "the leaf is not kept by the motion"
    roots = A.charpoly().numer().complex_roots() if A.nrows() else []
    growing = any(bool(root.real > 0) for root, _ in roots)
    # Verdicts in floats have a tolerance: here only a plain sign counts against them.
    plain = max((float(root.real.mid()) for root, _ in roots), default=-1.0)
    size = max((float(abs(root).mid()) for root, _ in roots), default=0.0)
    if not verdict.startswith("PROVED"):
        growing = plain > CLOSE * 100 * max(1.0, size)
        if verdict == "NUMERICALLY_UNSTABLE":
            growing = plain > 0
    return _against(verdict, growing, plain)


def _against(verdict: str, growing: bool, abscissa: float) -> str:
    if verdict in STABLE and growing:
        return f"{verdict}, but an eigenvalue has the real part {abscissa:.3g}"
    if verdict in UNSTABLE and not growing:
        return f"{verdict}, but the greatest real part is {abscissa:.3g}"
    return ""


def _gradients(table: Table, outputs: Sequence[int], x: np.ndarray) -> np.ndarray:
    step = 1e-6
    columns = []
    for i in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        ahead[i] += step
        behind[i] -= step
        columns.append((table.in_floats(outputs, ahead) - table.in_floats(outputs, behind)) / (2 * step))
    return np.array(columns).T


def _on_leaf(table: Table, leaf: Sequence[int], size: float, seed: int) -> np.ndarray:
    """A point of the leaf near the point."""
    x = np.array([float(v) for v in table.point])
    x = x + size * np.random.default_rng(seed).normal(size=len(x))
    for _ in range(30):
        defect = table.in_floats(leaf, x)
        if not len(defect) or np.max(np.abs(defect)) < 1e-14:
            break
        x = x - np.linalg.lstsq(_gradients(table, leaf, x), defect, rcond=1e-9)[0]
    return x


def _singular(table: Table, leaf: Sequence[int], gradient: fmpq_mat) -> bool:
    """Whether relations without a gradient of their own do more than follow from the others."""
    reduced, rank = gradient.transpose().rref()
    kept = [next(j for j in range(len(leaf)) if reduced[i, j] != 0) for i in range(rank)]
    x = _on_leaf(table, [leaf[j] for j in kept], 0.3, 3)
    dropped = [leaf[j] for j in range(len(leaf)) if j not in kept]
    return bool(np.max(np.abs(table.in_floats(dropped, x))) > CLOSE)


def _moves(table: Table, field: Sequence[int], leaf: Sequence[int]) -> bool:
    """Whether the field leaves the leaf at some point near."""
    for seed in range(3):
        x = _on_leaf(table, leaf, 0.1, seed)
        f = table.in_floats(field, x)
        rate = _gradients(table, leaf, x) @ f
        if np.max(np.abs(rate)) > CLOSE * max(1.0, float(np.max(np.abs(f)))):
            return True
    return False


def _in_floats(table: Table, field: Sequence[int], leaf: Sequence[int], verdict: str) -> str:
    x = np.array([float(v) for v in table.point])
    J, W = _gradients(table, field, x), np.eye(len(x))
    size = max(1.0, float(np.max(np.abs(J))))
    if np.max(np.abs(table.in_floats([*field, *leaf], x))) > CLOSE * size * max(
        1.0, float(np.max(np.abs(x)))
    ):
        return "the point is no equilibrium on the leaf"
    if leaf:
        W = null_space(_gradients(table, leaf, x), rcond=1e-8)
        if _moves(table, field, leaf):
            return "the leaf is not kept by the motion"
    values = np.linalg.eigvals(W.T @ J @ W)
    abscissa = float(np.max(values.real, initial=-np.inf))
    # A zero root of multiplicity four is smeared over the fourth root of rounding.
    if verdict in STABLE:
        return _against(verdict, abscissa > 1e-2 * size, abscissa)
    return _against(verdict, abscissa > -1e-2 * size, abscissa)


def _by_running(table: Table, field: Sequence[int], leaf: Sequence[int], verdict: str) -> str:
    """A short run, for what the spectrum leaves open."""
    if not verdict.startswith("PROVED") or verdict not in STABLE:
        return ""
    rest = np.array([float(v) for v in table.point])
    grown = []
    for size in (1e-3, 1e-4):
        start = _on_leaf(table, leaf, size, 5)
        run = DOP853(lambda _, x: table.in_floats(field, x), 0.0, start, 50.0, rtol=1e-9, atol=1e-12)
        first, most, early = float(np.linalg.norm(start - rest)), 0.0, 0.0
        while run.status == "running" and run.nfev < 3000:
            run.step()
            most = max(most, float(np.linalg.norm(run.y - rest)))
            early = most if run.t < 25 else early
        grown.append(most > 100 * first and most > 2 * early)
    return f"{verdict}, but perturbations grow" if all(grown) else ""


def _natural(table: Table, problem: Mapping[str, Any], verdict: str) -> str:
    """M_t y'' + G_t y' + K_t y = 0 from central differences of the Lagrangian, in floats."""
    n = len(table.states)
    x = np.array([float(v) for v in table.point])
    relations = list(problem["relations"])
    C = _gradients(table, relations, x)
    slope = _gradients(table, [problem["potential"]], x)[0]
    weights = np.linalg.lstsq(C.T, slope, rcond=None)[0] if relations else np.zeros(0)
    if np.max(np.abs(slope - C.T @ weights), initial=0.0) > CLOSE * max(1.0, float(np.max(np.abs(slope)))):
        return "the point is no equilibrium"
    outputs = [problem["potential"], *relations]
    h, H = 1e-4, np.zeros((len(outputs), n, n))
    for i in range(n):
        for j in range(n):
            total = np.zeros(len(outputs))
            for a in (1, -1):
                for b in (1, -1):
                    y = x.copy()
                    y[i] += a * h
                    y[j] += b * h
                    total = total + a * b * table.in_floats(outputs, y)
            H[:, i, j] = total / (4 * h * h)
    K = H[0] - np.tensordot(weights, H[1:], 1)
    turn = _gradients(table, problem["gyroscopic"], x)
    M = np.zeros((n, n))
    for i, j, k in problem["mass"]:
        M[i, j] = table.in_floats([k], x)[0]
    W = null_space(C, rcond=1e-8) if relations else np.eye(n)
    M, G, K = (W.T @ A @ W for A in (M, turn - turn.T, K))
    if np.min(np.linalg.eigvalsh((M + M.T) / 2), initial=1.0) <= 0:
        return "the inertia is not positive definite"
    d = len(M)
    lower = -np.linalg.solve(M, np.hstack([K, G]))
    values = np.linalg.eigvals(np.vstack([np.hstack([np.zeros((d, d)), np.eye(d)]), lower]))
    size = max(1.0, float(np.max(np.abs(values), initial=0.0)))
    abscissa = float(np.max(values.real, initial=-np.inf))
    if verdict in STABLE:
        return _against(verdict, abscissa > 1e-2 * size, abscissa)
    return _against(verdict, abscissa > -1e-2 * size, abscissa)
