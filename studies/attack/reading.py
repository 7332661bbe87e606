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
from flint import ctx, fmpq, fmpq_mat, fmpq_series
from scipy.integrate import DOP853
from scipy.linalg import null_space

from .oracle import kernel, particular, rational

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

    def below(self, outputs: Sequence[int]) -> set[int]:
        """Nodes that the outputs are made of."""
        found, waiting = set(), list(outputs)
        while waiting:
            if (i := waiting.pop()) in found:
                continue
            found.add(i)
            kind, *rest = self.nodes[i]
            if kind == "prod":
                waiting += [atom for atom, _ in rest[1]]
            elif kind == "sum":
                waiting += [k for term in rest[0] for k in term]
            elif kind == "fun":
                waiting += rest[1]
        return found

    def exactly(self, outputs: Sequence[int], along: Sequence[Any]) -> list[fmpq_series]:
        """Outputs at the point moved along a direction, to first order."""
        start = [fmpq_series([rational(v), w]) for v, w in zip(self.point, along, strict=True)]
        return self._run(outputs, start, rational, fmpq_series([0]))

    def in_floats(self, outputs: Sequence[int], x: Sequence[float]) -> np.ndarray:
        return np.array(self._run(outputs, list(x), float, 0.0), dtype=float)

    def _run(self, outputs: Sequence[int], x: list, number: Callable, zero: Any) -> list:
        given = dict(zip(self.states, x, strict=True)) | {i: zero + number(q) for i, q in self.bound.items()}
        values: list[Any] = []
        wanted = self.below(outputs)
        for i, (kind, *rest) in enumerate(self.nodes):
            if i not in wanted:
                value = None
            elif i in given:
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
    growing, abscissa = _roots(A, verdict)
    return _against(verdict, growing, abscissa)


def _roots(A: fmpq_mat, verdict: str) -> tuple[bool, float]:
    """Whether a root lies to the right, and the greatest real part.

    Verdicts in floats have a tolerance: only a plain sign counts against them.
    """
    roots = A.charpoly().numer().complex_roots() if A.nrows() else []
    abscissa = max((float(root.real.mid()) for root, _ in roots), default=-1.0)
    if verdict == "NUMERICALLY_UNSTABLE":
        return abscissa > 0, abscissa
    if not verdict.startswith("PROVED"):
        size = max((float(abs(root).mid()) for root, _ in roots), default=0.0)
        return abscissa > 1e-4 * max(1.0, size), abscissa
    return any(bool(root.real > 0) for root, _ in roots), abscissa


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
    """M_t y'' + G_t y' + K_t y = 0 on the tangent space of the relations, in rationals."""
    n, relations = len(table.states), list(problem["relations"])
    units = [[int(i == j) for i in range(n)] for j in range(n)]
    outputs = [problem["potential"], *relations, *problem["gyroscopic"]]
    columns = [table.exactly(outputs, unit) for unit in units]
    first = [[columns[j][k][1] for j in range(n)] for k in range(len(outputs))]
    slope, C, turn = first[0], first[1 : len(relations) + 1], first[len(relations) + 1 :]
    weights = particular(C, [-v for v in slope])
    if weights is None or any(columns[0][1 + k][0] != 0 for k in range(len(relations))):
        return "the point is no equilibrium on the manifold"
    second = _second_derivatives(table, outputs[: len(relations) + 1], units)
    K = [[second[0][i][j] - sum((w * h[i][j] for w, h in zip(weights, second[1:], strict=True)), fmpq(0))
          for j in range(n)] for i in range(n)]  # fmt: skip
    M = [[fmpq(0)] * n for _ in range(n)]
    for i, j, k in problem["mass"]:
        M[i][j] = table.exactly([k], units[0])[0][0]
    G = [[turn[i][j] - turn[j][i] for j in range(n)] for i in range(n)]
    W = fmpq_mat(n, n, [v for row in units for v in row])
    if relations:
        W, free = kernel(fmpq_mat(len(C), n, [v for row in C for v in row]))
        if n - len(free) < len(relations):
            return "the manifold is singular at the point"
    d = W.ncols()
    M_t, G_t, K_t = (W.transpose() * fmpq_mat(n, n, [v for row in A for v in row]) * W for A in (M, G, K))
    minors = [fmpq_mat(k, k, [M_t[i, j] for i in range(k) for j in range(k)]).det() for k in range(1, d + 1)]
    if M_t != M_t.transpose() or not all(minor > 0 for minor in minors):
        return "the inertia is not positive definite"
    right = [-(M_t.inv() * A) for A in (K_t, G_t)]
    upper = [[fmpq(int(j == d + i)) for j in range(2 * d)] for i in range(d)]
    lower = [[right[j // d][i, j % d] for j in range(2 * d)] for i in range(d)]
    A = fmpq_mat(2 * d, 2 * d, [v for row in upper + lower for v in row])
    growing, abscissa = _roots(A, verdict)
    return _against(verdict, growing, abscissa)


def _second_derivatives(table: Table, outputs: Sequence[int], units: list) -> list[list[list[fmpq]]]:
    """By polarisation: the second coefficients along e_i, e_j and e_i + e_j."""
    n, cap = len(units), ctx.cap
    ctx.cap = 3
    try:
        alone = [[v[2] for v in table.exactly(outputs, unit)] for unit in units]
        found = [
            [[2 * alone[i][k] if i == j else fmpq(0) for j in range(n)] for i in range(n)]
            for k in range(len(outputs))
        ]
        for i in range(n):
            for j in range(i):
                both = table.exactly(outputs, [a + b for a, b in zip(units[i], units[j], strict=True)])
                for k, v in enumerate(both):
                    found[k][i][j] = found[k][j][i] = v[2] - alone[i][k] - alone[j][k]
    finally:
        ctx.cap = cap
    return found
