r"""Stability of equilibria of a natural system on a manifold given by relations, in exact numbers.

.. math:: L = \tfrac12 \dot z^T M(z) \dot z + a(z) \cdot \dot z - U(z), \qquad c_r(z) = 0

in ambient coordinates z. At rest, :math:`\nabla U = \sum \lambda_r \nabla c_r`. With W a basis of the kernel
of :math:`\nabla c`, the linearisation is :math:`M_t \ddot y + G_t \dot y + K_t y = 0`,

.. math::

    M_t = W^T M W, \quad G_t = W^T (\partial a - \partial a^T) W, \quad
    K_t = W^T \Bigl( \nabla^2 U - \sum \lambda_r \nabla^2 c_r \Bigr) W .

:math:`M_t > 0` and :math:`K_t > 0` prove stability (Lagrange, Dirichlet), whatever a is; an eigenvalue of the
linearisation to the right of the imaginary axis proves instability. Seen from axes that turn with a rate W, a
relative equilibrium is at rest, a and U hold the gyroscopic term and the amended potential.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._scalars import RATIONAL, Graph, Node, evaluate
from geoctrl._scalars.arithmetics import FLOAT
from geoctrl._scalars.rational_matrix import characteristic_polynomial, inertia, nullspace, solve
from geoctrl.analysis.polynomials import locate_roots
from geoctrl.analysis.problem import earlier, read_nodes, write_nodes
from geoctrl.analysis.proof import Outcome, Verdict
from geoctrl.errors import CertificateError, EquilibriumError

__all__ = ["MatrixProblem", "NaturalProblem", "judge_numerically", "prove_natural"]

METHOD = "amended potential"
RESIDUAL = 1e-9
"""Slope of the potential along the manifold, relative to its size, that counts as zero in floats."""
_KINK = 1e-12
"""Distance from a switch of Abs, sign or Piecewise at which a point counts as lying on it."""
_DEFINITE = 1e-9
"""Least eigenvalue of the stiffness, relative to the largest, that counts as positive in floats."""
_GROWTH = 1e-6
"""Real part, relative to the fastest mode, that counts as growth in floats."""


@dataclass
class NaturalProblem:
    """Lagrangian, relations and a point, as exact data.

    Attributes
    ----------
    graph : Graph
    states, parameters : dict of label -> symbol node
        The coordinates z, the parameters.
    mass : list of (row, column, Node)
        Entries of M that are not identically zero.
    gyroscopic : list of Node
    potential : Node
    relations : list of Node
    numbers : dict of name -> Fraction
    point : list of Fraction
    spin : tuple of float
        Rate of the axes from which it is seen, zeros at rest.
    """

    graph: Graph
    states: dict[str, Node]
    parameters: dict[str, Node]
    mass: list[tuple[int, int, Node]]
    gyroscopic: list[Node]
    potential: Node
    relations: list[Node]
    numbers: dict[str, Fraction]
    point: list[Fraction]
    spin: tuple[float, ...] = (0.0, 0.0, 0.0)

    def at_point(self, nodes: Sequence[Node], arithmetic: Any = RATIONAL) -> list:
        """Values at the point."""
        number = arithmetic.number
        table = {n: number(v) for n, v in zip(self.states.values(), self.point, strict=True)}
        table |= {node: number(self.numbers[name]) for name, node in self.parameters.items()}
        return evaluate(list(nodes), table, arithmetic)

    def rows(self, nodes: Sequence[Node], arithmetic: Any = RATIONAL) -> list[list]:
        """Derivatives of nodes by the coordinates, one row each."""
        symbols = list(self.states.values())
        flat = self.at_point(
            [e for row in self.graph.jacobian(list(nodes), symbols) for e in row], arithmetic
        )
        n = len(symbols)
        return [flat[i * n : (i + 1) * n] for i in range(len(nodes))]

    def hessian(self, node: Node, arithmetic: Any = RATIONAL) -> list[list]:
        """Second derivatives of a node."""
        return self.rows(self.graph.gradient(node, list(self.states.values())), arithmetic)

    def inertia(self, arithmetic: Any = RATIONAL) -> list[list]:
        """M at the point."""
        n = len(self.states)
        zero = arithmetic.number(0)
        M = [[zero] * n for _ in range(n)]
        values = self.at_point([node for _, _, node in self.mass], arithmetic)
        for (i, j, _), value in zip(self.mass, values, strict=True):
            M[i][j] = value
        return M

    def require_smooth(self) -> None:
        """Refuse a point at which Abs, sign or Piecewise switches: derivatives there say nothing.

        Raises
        ------
        EquilibriumError
            If there is a switch.
        """
        nodes = [self.potential, *self.gyroscopic, *self.relations, *(node for _, _, node in self.mass)]
        switches = self.graph.switches(nodes)
        if any(abs(value) <= _KINK for value in self.at_point(switches, FLOAT)):
            raise EquilibriumError(
                "the Lagrangian is not differentiable at this point: Abs, sign or Piecewise switches there, "
                "so that no linearisation or Hessian decides stability"
            )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready form."""
        outputs = [*self.gyroscopic, self.potential, *self.relations, *(node for _, _, node in self.mass)]
        symbols = [*self.states.values(), *self.parameters.values()]
        table, place = write_nodes(self.graph, [*outputs, *symbols])
        return {
            "kind": "natural",
            "nodes": table,
            "states": {k: place[v] for k, v in self.states.items()},
            "parameters": {k: place[v] for k, v in self.parameters.items()},
            "mass": [[i, j, place[node]] for i, j, node in self.mass],
            "gyroscopic": [place[node] for node in self.gyroscopic],
            "potential": place[self.potential],
            "relations": [place[node] for node in self.relations],
            "numbers": {k: str(v) for k, v in self.numbers.items()},
            "point": [str(q) for q in self.point],
            "spin": list(self.spin),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> NaturalProblem:
        """Rebuild a stored problem; raises KeyError, ValueError or TypeError where the data are malformed."""
        graph, nodes = read_nodes(data["nodes"])
        n = len(data["states"])
        places = [(int(i), int(j)) for i, j, _ in data["mass"]]
        if (
            len(data["point"]) != n
            or len(data["gyroscopic"]) != n
            or set(data["numbers"]) != set(data["parameters"])
        ):
            raise ValueError("point, coordinates and parameters do not fit")
        if any(not 0 <= k < n for place in places for k in place):
            raise ValueError("an entry of the inertia is out of range")
        return cls(
            graph=graph,
            states={str(k): earlier(nodes, i) for k, i in data["states"].items()},
            parameters={str(k): earlier(nodes, i) for k, i in data["parameters"].items()},
            mass=[(i, j, earlier(nodes, k[2])) for (i, j), k in zip(places, data["mass"], strict=True)],
            gyroscopic=[earlier(nodes, i) for i in data["gyroscopic"]],
            potential=earlier(nodes, data["potential"]),
            relations=[earlier(nodes, i) for i in data["relations"]],
            numbers={str(k): Fraction(v) for k, v in data["numbers"].items()},
            point=[Fraction(v) for v in data["point"]],
            spin=read_spin(data),
        )


def prove_natural(problem: NaturalProblem) -> Outcome | None:
    """Decide stability in rational arithmetic; None where the point is no exact equilibrium.

    Raises
    ------
    EquilibriumError
        If the Lagrangian is not differentiable there.
    """
    problem.require_smooth()
    if any(problem.at_point(problem.relations)):
        return None
    normals = problem.rows(problem.relations)
    (slope,) = problem.rows([problem.potential])
    W = nullspace(normals, len(slope))
    if any(_dot(w, slope) for w in W):
        return None
    # The normals are independent where the relations define a manifold: multipliers from their Gram matrix.
    gram = [[_dot(a, b) for b in normals] for a in normals]
    weights = [row[0] for row in solve(gram, [[_dot(a, slope)] for a in normals])]
    K = problem.hessian(problem.potential)
    for weight, relation in zip(weights, problem.relations, strict=True):
        if weight:
            second = problem.hessian(relation)
            K = [[a - weight * b for a, b in zip(r, s, strict=True)] for r, s in zip(K, second, strict=True)]
    turn = problem.rows(problem.gyroscopic)
    skew = [[turn[i][j] - turn[j][i] for j in range(len(turn))] for i in range(len(turn))]
    M_t, G_t, K_t = (_restricted(A, W) for A in (problem.inertia(), skew, K))
    if inertia(M_t) != (len(W), 0, 0):
        raise CertificateError("the inertia is not positive definite at the point")
    counts = inertia(K_t)
    polynomial = characteristic_polynomial(_first_order(M_t, G_t, K_t))
    location = locate_roots(polynomial)
    evidence: dict[str, Any] = {
        "multipliers": [str(w) for w in weights],
        "inertia": list(counts),
        "hessian": "definite" if counts[0] == len(W) else "indefinite" if counts[1] else "semidefinite",
        "characteristic_polynomial": [str(c) for c in polynomial],
    }
    if location.unstable:
        return Outcome(Verdict.PROVED_UNSTABLE, f"{METHOD}, spectrum", evidence)
    if counts[0] == len(W):
        return Outcome(Verdict.PROVED_STABLE, METHOD, evidence)
    simple = location.zero == 0 and location.simple
    verdict = Verdict.SPECTRALLY_STABLE_ONLY if simple else Verdict.UNDECIDED
    return Outcome(verdict, METHOD, evidence)


def judge_numerically(problem: NaturalProblem) -> Outcome:
    """The same questions in floats.

    Raises
    ------
    CertificateError
        If the point is no equilibrium in floats either.
    EquilibriumError
        If the Lagrangian is not differentiable there.
    """
    problem.require_smooth()

    def array(values: Any) -> np.ndarray:
        return np.array(values, dtype=float).reshape(-1, len(problem.states))

    normals = array(problem.rows(problem.relations, FLOAT))
    slope = array(problem.rows([problem.potential], FLOAT))[0]
    weights = np.linalg.lstsq(normals.T, slope, rcond=None)[0]
    residual = float(np.max(np.abs(slope - normals.T @ weights), initial=0.0))
    size = max(1.0, float(np.max(np.abs(slope), initial=0.0)))
    defect = float(np.max(np.abs(problem.at_point(problem.relations, FLOAT)), initial=0.0))
    if max(residual / size, defect) > RESIDUAL:
        raise CertificateError(
            f"the point is not an equilibrium: residual {residual:.3g}, defect {defect:.3g}"
        )
    W = np.linalg.svd(normals)[2][len(normals) :].T
    K = array(problem.hessian(problem.potential, FLOAT))
    for weight, relation in zip(weights, problem.relations, strict=True):
        K = K - weight * array(problem.hessian(relation, FLOAT))
    turn = array(problem.rows(problem.gyroscopic, FLOAT))
    M_t, G_t, K_t = (W.T @ A @ W for A in (array(problem.inertia(FLOAT)), turn - turn.T, K))
    if np.min(np.linalg.eigvalsh(M_t)) <= 0:
        raise CertificateError("the inertia is not positive definite at the point")
    d = len(M_t)
    upper = np.hstack([np.zeros((d, d)), np.eye(d)])
    lower = -np.linalg.solve(M_t, np.hstack([K_t, G_t]))
    evidence = {"multipliers": weights.tolist(), "equilibrium_residual": residual}
    return _judge(np.vstack([upper, lower]), np.linalg.eigvalsh(K_t), evidence)


@dataclass
class MatrixProblem:
    """A linearisation in numbers, of a system that is given by functions and cannot be stored itself.

    Attributes
    ----------
    states : dict of label -> place in ``point``
    point : list of float
    linearisation : ndarray (d, d)
        On the leaf.
    stiffness : ndarray (k, k) or None
        Second variation of the (amended) potential, where there are no forces.
    spin : tuple of float
        Rate of the axes from which it is seen, zeros at rest.
    """

    states: dict[str, int]
    point: list[float]
    linearisation: np.ndarray
    stiffness: np.ndarray | None
    spin: tuple[float, ...] = (0.0, 0.0, 0.0)

    def judge(self) -> Outcome:
        """Spectrum and second variation, in floats."""
        spectrum = None if self.stiffness is None else np.linalg.eigvalsh(self.stiffness)
        return _judge(self.linearisation, spectrum, {})

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready form."""
        return {
            "kind": "matrices",
            "states": self.states,
            "point": self.point,
            "linearisation": self.linearisation.tolist(),
            "stiffness": None if self.stiffness is None else self.stiffness.tolist(),
            "spin": list(self.spin),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MatrixProblem:
        """Rebuild a stored problem; raises KeyError, ValueError or TypeError where the data are malformed."""
        A = np.array(data["linearisation"], dtype=float)
        K = None if data["stiffness"] is None else np.array(data["stiffness"], dtype=float)
        if A.ndim != 2 or len(A) != A.shape[1] or (K is not None and (K.ndim != 2 or np.any(K != K.T))):
            raise ValueError("the matrices are not square, or the stiffness is not symmetric")
        point = [float(v) for v in data["point"]]
        return cls({str(k): int(v) for k, v in data["states"].items()}, point, A, K, read_spin(data))


def read_spin(data: Mapping[str, Any]) -> tuple[float, ...]:
    """The stored rate of the axes, none in old files; raises ValueError or TypeError where it is no rate."""
    spin = tuple(map(float, data.get("spin", (0, 0, 0))))
    if len(spin) != 3 or not np.all(np.isfinite(spin)):
        raise ValueError("the spin is not three finite numbers")
    return spin


def _judge(A: np.ndarray, stiffness: np.ndarray | None, evidence: dict[str, Any]) -> Outcome:
    """Verdict in floats from a linearisation and, where there are no forces, eigenvalues of the stiffness."""
    values = np.linalg.eigvals(A)
    evidence["eigenvalues"] = [
        [float(v.real), float(v.imag)] for v in sorted(values, key=lambda v: (v.real, v.imag))
    ]
    speed = max(1e-300, float(np.max(np.abs(values), initial=0.0)))
    method = METHOD if stiffness is not None else "spectrum"
    definite = False
    if stiffness is not None:
        scale = _DEFINITE * max(1e-300, float(np.max(np.abs(stiffness))))
        definite = bool(stiffness[0] > scale)
        kind = "definite" if definite else "indefinite" if stiffness[0] < -scale else "semidefinite"
        evidence |= {"hessian": kind, "hessian_eigenvalues": stiffness.tolist()}
    fastest = float(np.max(values.real, initial=-np.inf))
    if fastest > _GROWTH * speed:
        return Outcome(Verdict.NUMERICALLY_UNSTABLE, f"{method}, spectrum in floats", evidence)
    if definite or fastest < -_GROWTH * speed:
        return Outcome(Verdict.NUMERICALLY_STABLE, f"{method} in floats", evidence)
    away = float(np.min(np.abs(values), initial=np.inf)) > _GROWTH * speed
    verdict = Verdict.SPECTRALLY_STABLE_ONLY if away else Verdict.UNDECIDED
    return Outcome(verdict, f"{method} in floats", evidence)


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), Fraction(0))


def _restricted(A: list[list], W: list[list]) -> list[list]:
    images = [[_dot(row, w) for row in A] for w in W]
    return [[_dot(v, image) for image in images] for v in W]


def _first_order(M: list[list], G: list[list], K: list[list]) -> list[list]:
    """Matrix of (y, ydot)."""
    d = len(M)
    right = solve(M, [[*k, *g] for k, g in zip(K, G, strict=True)])
    zero, one = Fraction(0), Fraction(1)
    upper = [[zero] * d + [one if i == j else zero for j in range(d)] for i in range(d)]
    return upper + [[-v for v in row] for row in right]
