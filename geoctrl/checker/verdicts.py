"""Three theorems about a point, and the tangents that they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from flint import fmpq

from geoctrl.checker.definite import Rows, positive_definite, product, transpose
from geoctrl.checker.jets import Jet
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import Number, number_text, rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import label, one_of


class Found(NamedTuple):
    """What a theorem gives: the verdict, the method, and what its sentence tells of."""

    verdict: str
    method: str
    told: dict[str, Any]


LEAF = {"rows": [label], "free": [label], "inverse": [[number_text]]}
"""Functions with independent gradients, such as relations of the leaf, by which its dimension is known; the
states that they leave free, and the inverse by the others."""
BASIS = {"name": label, **LEAF}


def at_rest(theorem: Callable[[Question, dict[str, Any]], Found]) -> Callable[..., Found]:
    """A theorem about the point of a file, which rests there, on a leaf that the motion keeps."""

    def verdict(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
        q = Question(problem, witness)
        q.require_rest()
        return theorem(q, given)

    return verdict


def tangents(q: Question, witness: dict[str, Any]) -> Rows:
    """A basis of the kernel of the gradients of some functions, which are kept."""
    q.require_kept(witness["rows"])
    return kernel(q, [q.function(name).gradient(len(q.labels)) for name in witness["rows"]], witness)


def kernel(q: Question, gradients: Rows, witness: dict[str, Any]) -> Rows:
    """W (n, n - r), a basis of the kernel of r independent gradients D, by states.

    With the states in two parts, D = (D_p, D_f), where D_p has an inverse the gradients are independent, and
    W = (-D_p^-1 D_f, 1) is a basis of their kernel.
    """
    free = [q.labels.index(k) for k in witness["free"]]
    fixed = [i for i in range(len(q.labels)) if i not in free]
    require(len(fixed) + len(free) == len(q.labels), "states that are free stand twice", "theorem.free")
    inverse = q.numbers.inverse(
        [[row[i] for i in fixed] for row in gradients], witness["inverse"], "theorem.inverse"
    )
    beside = product(inverse, [[-row[j] for j in free] for row in gradients])
    rows = dict(zip(fixed, beside, strict=True)) | {i: [fmpq(i == j) for j in free] for i in free}
    return [rows[i] for i in range(len(q.labels))]


def tangent_motion(q: Question, witness: dict[str, Any]) -> Rows:
    """B with A W = W B: the linearisation on the tangents of the leaf, which is regular there.

    Rates of the rows vanish on the leaf, by identities: at rest DF A is a combination of gradients of the
    leaf, so that A W is in the kernel as well. Where no state is free the rows leave the point alone,
    whatever further relations there are.
    """
    if witness["free"] and not {*q.problem["leaf"]} <= {*witness["rows"]}:
        raise Refusal("the gradients of the leaf are not shown to be independent", "theorem.rows")
    field = dict(zip(q.labels, q.jets(q.problem["field"]), strict=True))
    return product([field[k].gradient(len(q.labels)) for k in witness["free"]], tangents(q, witness))


def form(triangle: Rows, n: int) -> Rows:
    """A symmetric matrix from its lower triangle."""
    return [[triangle[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]


def rate(P: Rows, B: Rows, m: fmpq) -> Rows:
    """P (B - m) + (B - m)'P."""
    image = product(P, B)
    return [[image[i][j] + image[j][i] - 2 * m * P[i][j] for j in range(len(P))] for i in range(len(P))]


def require_fall(B: Rows, triangle: Rows) -> None:
    """P > 0 and -(P B + B'P) > 0."""
    P = form(triangle, len(B))
    require(
        positive_definite(P) and positive_definite([[-c for c in row] for row in rate(P, B, fmpq(0))]),
        "no function is shown to fall",
        "theorem.P",
    )


def attraction(q: Question, witness: dict[str, Any]) -> Found:
    """P > 0, -(P B + B'P) > 0: motions on the leaf, and on each level set of the invariants among the rows
    near by, tend to the equilibrium there (Lyapunov; that there is one says the implicit function theorem).
    """
    B, kept = tangent_motion(q, witness), [k for k in witness["rows"] if k not in q.problem["leaf"]]
    require_fall(B, witness["P"])
    if kept and B:
        return Found("PROVED_STABLE", "spectrum on the level sets of the invariants", {"zero_modes": kept})
    # Without tangents the leaf, or the level set, is the point alone near by: there is nothing to attract.
    return Found("PROVED_ASYMPTOTICALLY_STABLE" if B else "PROVED_STABLE", "spectrum", {})


def growth(q: Question, witness: dict[str, Any]) -> Found:
    """m > 0, P (B - m) + (B - m)'P > 0, v.P v > 0: x.P x grows at more than 2 m where it is positive, which
    it is at points as near as one likes (Lyapunov, Chetaev).
    """
    require_growth(tangent_motion(q, witness), witness)
    return Found("PROVED_UNSTABLE", "spectrum", {})


def require_growth(B: Rows, witness: dict[str, Any]) -> None:
    """m > 0, P (B - m) + (B - m)'P > 0, v.P v > 0."""
    m, v, P = witness["m"], [[c] for c in witness["v"]], form(witness["P"], len(B))
    if not (B and m > 0 and positive_definite(rate(P, B, m))):  # where nothing moves, nothing grows
        raise Refusal("no function is shown to grow", "theorem.P")
    require(
        positive_definite(product(transpose(v), product(P, v))),
        "the function is not shown to be positive there",
        "theorem.v",
    )


def second_variation(q: Question, terms: Iterable[tuple[Number, Jet]], W: Rows) -> Rows:
    """W'(sum c D^2F) W of a combination that is critical, sum c DF = 0."""
    total = sum((Jet({(): c}, 2) * jet for c, jet in terms), Jet({(): fmpq(0)}, 2))
    if any(slope != 0 for slope in total.gradient(len(q.labels))):
        raise Refusal("the combination is not critical at the point", "theorem.multipliers")
    return product(transpose(W), product(total.hessian(len(q.labels)), W))


def energy_casimir(q: Question, witness: dict[str, Any]) -> Found:
    """sum y DF = 0 and s W'(sum y D^2F) W > 0, W the common kernel of some gradients DF: with squares of
    these functions added the combination has a strict minimum (Finsler), and it is conserved.
    """
    q.require_kept(witness["multipliers"])
    terms = ((c * witness["sense"], q.function(name)) for name, c in witness["multipliers"].items())
    require(
        positive_definite(second_variation(q, terms, tangents(q, witness))),
        "the second variation is not shown to be definite",
        "theorem.multipliers",
    )
    return Found("PROVED_STABLE", "energy-Casimir", {})


THEOREMS: dict[str, tuple[Any, Callable[..., Found]]] = {
    "attraction": ({"theorem": BASIS | {"P": [[rational]]}}, at_rest(attraction)),
    "growth": ({"theorem": BASIS | {"P": [[rational]], "m": rational, "v": [rational]}}, at_rest(growth)),
    "energy-Casimir": (
        {"theorem": BASIS | {"multipliers": {...: number_text}, "sense": one_of(1, -1)}},
        at_rest(energy_casimir),
    ),
}
"""By their names, the parts of a file that are particular to them, and what proves them."""
