"""Witnesses of equilibria that are known up to a box, and of families in balls.

Inverses are rounded: what is solved with them is enclosed all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from flint import arb, arb_mat, ctx, fmpq

from geoctrl import decisions
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.ratio_writer import RatioWriter
from geoctrl.analysis.witnesses.cofactors import Cofactor, cofactors_of_zero
from geoctrl.analysis.witnesses.family_witnesses import family, family_through
from geoctrl.analysis.witnesses.lyapunov_forms import falling_form, form_triangle, growing_form
from geoctrl.analysis.witnesses.point_witnesses import Basis, PointWitnesses, texts
from geoctrl.checker.definite import product
from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import ball
from geoctrl.checker.theorems.boxes import require_zero
from geoctrl.decisions.functions.ball_jets import Balls, radii
from geoctrl.decisions.questions.krawczyk_boxes import Box
from geoctrl.decisions.theorems.idle_decision import equations_of_rest

__all__ = ["INVERSE_BITS", "BallWitnesses", "in_balls", "rest_in_box", "rounded_inverse"]

INVERSE_BITS = 53
"""Of the numbers of a rounded inverse."""
BITS = 24, 53, 128, 256
"""Of the numbers of Y, tried in turn."""

Rows = list[list[Any]]


class BallWitnesses(PointWitnesses):
    """Over the box of a problem, or in balls at the point of one that is enclosed."""

    def _numbers(self, problem: dict[str, Any]) -> Balls:
        labels, widths = list(problem["states"]), [fmpq(0)] * len(problem["states"])
        if "box" in problem:
            held, found = problem["box"]["held"], radii(problem["box"]["bits"], len(labels))
            widths = [fmpq(0) if k in held else r for k, r in zip(labels, found, strict=True)]
        return Balls(widths)

    def roots(self) -> list[list[int | str]]:
        """None: they are enclosed."""
        return []

    def inverse_of(self, rows: Rows) -> list[list[str]]:
        """Of a matrix in balls, rounded."""
        return texts(rounded_inverse(rows, INVERSE_BITS))

    def basis(self, names: Sequence[str]) -> Basis:
        """Functions, the states that they leave free, and the inverse of their gradients by the others."""
        problem, labels = self.question.problem, self.question.labels
        omitted = (problem.get("enclosed") or problem["box"])["omitted"]
        fixed = [i for i, k in enumerate(labels) if k in omitted]
        gradients = [[self.question.function(name)[1][i] for i in fixed] for name in names]
        return {
            "rows": list(names),
            "free": [k for k in labels if k not in omitted],
            "inverse": self.inverse_of(gradients),
        }

    def motion(self, basis: Basis) -> Rows:
        """The linearisation on the tangents of the basis."""
        W = self.tangents(basis)
        image = product(self.question.linearisation, W) if W[0] else W
        return [image[self.question.labels.index(k)] for k in basis["free"]]

    def tangents(self, basis: Basis) -> Rows:
        """A basis of the kernel of the gradients, by states."""
        labels, free = self.question.labels, basis["free"]
        fixed, rows = [i for i, k in enumerate(labels) if k not in free], {}
        if fixed:
            gradients = [self.question.function(name)[1] for name in basis["rows"]]
            right = [[-row[labels.index(k)] for k in free] for row in gradients]
            found = arb_mat([[ball(row[i]) for i in fixed] for row in gradients]).solve(_balls(right))
            rows = dict(zip(fixed, found.tolist(), strict=True))
        return [rows.get(i) or [fmpq(k == other) for other in free] for i, k in enumerate(labels)]


def rounded_inverse(rows: Rows, bits: int) -> Rows:
    """The inverse of the middles of a matrix, in numbers of some bits; NotSolved where it has none."""
    if not rows:
        return []
    try:
        found = _balls(rows).mid().inv()
    except ZeroDivisionError:
        raise NotSolved from None
    return [[short(c, bits) for c in row] for row in found.tolist()]


def short(x: arb, bits: int) -> fmpq:
    """The middle of a ball in so many bits; NotSolved where it is not finite."""
    if not x.is_finite():
        raise NotSolved
    with ctx.workprec(bits):
        return (x.mid() * 1).mid().fmpq()


def _balls(rows: Rows) -> arb_mat:
    return arb_mat([[ball(c) for c in row] for row in rows])


def in_balls(point: Any, proof: dict[str, Any]) -> dict[str, Any]:
    """What a theorem about a box, or about a family in balls, is given."""
    parts = proof["problem"].keys()
    if "idle" in parts:
        return _beside_idle(point, proof)
    if "box" not in parts:
        return _family(point, proof)
    return (_by_energy if "multipliers" in proof["evidence"] else _by_spectrum)(point, proof)


def _by_spectrum(point: BallWitnesses, proof: dict[str, Any]) -> dict[str, Any]:
    problem, names = point.question.problem, proof["evidence"]["zero_modes"]
    basis = point.basis([*problem["leaf"], *names])
    form = _form(point.motion(basis), proof["verdict"])
    return {"name": f"{_sense(proof)} in a box", **basis, "box": _box_of_rest(problem, names), **form}


def rest_in_box(point: PointWitnesses, names: list[str]) -> dict[str, Any]:
    """Functions with independent gradients, and the box that holds one point of rest on their levels."""
    problem = point.question.problem
    return point.basis([*problem["leaf"], *names]) | _box_of_rest(problem, names)


def _box_of_rest(problem: dict[str, Any], names: list[str]) -> dict[str, Any]:
    whole, middle = (Box(problem, names, whole=w) for w in (True, False))
    return _box(problem, middle.rest()[0], whole.rest()[1], whole.unknown(0))


def _by_energy(point: BallWitnesses, proof: dict[str, Any]) -> dict[str, Any]:
    problem, multipliers = point.question.problem, proof["evidence"]["multipliers"]
    energy, *others = proof["evidence"]["conserved"]
    basis = point.basis(list(multipliers))
    whole, middle = (Box(problem, others, whole=w) for w in (True, False))
    y, unknown = [fmpq(c) for c in multipliers.values()], whole.unknown(len(multipliers))
    around = zip(y, unknown[len(whole.free) :], strict=True)
    _, J, H = whole.critical(energy, [c + arb(0, r) for c, r in around])
    box = _box(problem, middle.critical(energy, [arb(c) for c in y])[0], J, unknown)
    W = point.tangents(basis)
    (first, *_), *_ = product([list(column) for column in zip(*W, strict=True)], product(H.tolist(), W))
    return {
        "name": "energy-Casimir in a box",
        **basis,
        "box": box,
        "energy": energy,
        "multipliers": multipliers,
        "sense": 1 if first > 0 else -1,
    }


def _beside_idle(point: BallWitnesses, proof: dict[str, Any]) -> dict[str, Any]:
    q, dropped = point.question, proof["problem"]["idle"]["dropped"]
    equations = equations_of_rest(q)
    kept = {k: p for k, p in equations.items() if k not in dropped}
    idle, around = q.problem["box"]["held"], radii(q.problem["box"]["bits"], len(q.labels))
    free = [i for i, k in enumerate(q.labels) if k not in idle]
    slopes = [[q.gradient(jet)[i] for i in free] for jet in q.jets(list(kept.values()))]
    middle = decisions.Question(q.problem, True, Balls([fmpq(0)] * len(q.labels)))
    values = [jet.value for jet in middle.jets(list(kept.values()))]
    B = [[q.linearisation[i][j] for j in free] for i in free]
    return {
        "name": f"{_sense(proof)} beside what is idle",
        "box": _box(q.problem, values, slopes, [around[i] for i in free]),
        "dropped": dropped,
        "cofactors": _cofactors_of_rates(point, equations, kept, dropped),
        **_form(B, proof["verdict"]),
    }


def _cofactors_of_rates(
    point: BallWitnesses, equations: dict[str, int], kept: dict[str, int], dropped: list[str]
) -> list[list[Cofactor]]:
    """Cofactors of what is left out, by the states that are rates themselves."""
    q, F = point.question, point.question.functions
    rates = {k: q.ratios([p])[0] for k, p in kept.items() if p in q.moving_places}
    for rate in rates.values():
        F.require_relation(rate)
    vanishing: list[Any] = [([(k, None)], rate) for k, rate in rates.items()]
    writer = RatioWriter.of(q, point.table)
    return [cofactors_of_zero(writer, point.table, q.ratios([equations[k]])[0], vanishing) for k in dropped]


def _family(point: BallWitnesses, proof: dict[str, Any]) -> dict[str, Any]:
    if proof["verdict"] == "PROVED_STABLE":
        return family(point) | {"name": "family in balls"}
    basis = point.basis(list(point.question.problem["leaf"]))
    form = _form(point.motion(basis), proof["verdict"])
    return {"name": "growth in balls", **basis, "family": family_through(point), **form}


def _form(B: Rows, verdict: str) -> dict[str, Any]:
    """A form that grows or falls."""
    if verdict != "PROVED_UNSTABLE":
        return {"P": form_triangle(falling_form(B))}
    m, P, v = growing_form(B)
    return {"m": str(m), "P": form_triangle(P), "v": [str(c) for c in v]}


def _box(problem: dict[str, Any], values: list[Any], J: Rows, around: list[fmpq]) -> dict[str, Any]:
    """The box as a file has it, with a matrix Y for Krawczyk's test; NotSolved where there is none."""
    for bits in BITS:
        Y = rounded_inverse(J, bits)
        with suppress(Refusal):
            require_zero({"Y": Y, "radii": around}, values, J)
            return {"held": problem["box"]["held"], "radii": [str(r) for r in around], "Y": texts(Y)}
    raise NotSolved


def _sense(proof: dict[str, Any]) -> str:
    return "growth" if proof["verdict"] == "PROVED_UNSTABLE" else "attraction"
