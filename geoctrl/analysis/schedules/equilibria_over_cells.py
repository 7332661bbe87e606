"""Equilibria of a loop for each value of a parameter that stands still, of which there are numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from geoctrl import checker
from geoctrl._calls.long_calls import long_call, tell
from geoctrl._checks import whole_number
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact
from geoctrl._scalars.arithmetic.ball_matrices import middles
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.certificates.proof_file import ProofFile, heading
from geoctrl.analysis.linear.subspaces import pivot_columns
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.problem import motion_of, with_still_state
from geoctrl.analysis.set_witnesses.sublevel_witnesses import in_balls
from geoctrl.analysis.witnesses.box_witnesses import INVERSE_BITS, BallWitnesses, rounded_inverse
from geoctrl.analysis.witnesses.content import content_of_file, parts_as_read
from geoctrl.analysis.witnesses.lyapunov_forms import falling_form, form_triangle
from geoctrl.analysis.witnesses.point_witnesses import texts
from geoctrl.checker.definite import product
from geoctrl.checker.reader import FORMAT
from geoctrl.checker.schedules.equilibria import CellBox
from geoctrl.checker.verdicts import tangent_motion
from geoctrl.errors import CertificateError, ParameterError
from geoctrl.systems import ReducedSystem
from geoctrl.verification import Verdict

__all__ = ["EquilibriaOverCells", "LoopPart", "equilibria_over_cells"]

_PRECISION, _BITS = 128, 26
"""Bits of balls in the search; of radii and of the matrix of Krawczyk's test."""
_STEPS, _SMALL = 12, 2.0**-44
"""Newton's steps at most; their length in sizes of the states from which on they end."""
_ROUNDING, _WIDER, _GROWTH = 2.0**-36, 1.5, 6
"""Of a radius beside the size of a state; by how much radii are larger than what is asked for, in turn so
many times."""
_DEPTH, _CELLS = 14, 2000
"""Halvings of a part of the range, and cells, at most."""

Cell = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class EquilibriaOverCells(ProofFile):
    r"""Equilibria of a schedule that are enclosed and attract, for each s; made by `GainSchedule.certify`.

    For each constant s of the range the loop has one equilibrium in the box of the cell that holds s, and
    it is asymptotically stable within the leaf. Nothing is said of an s that moves.

    Attributes
    ----------
    along : str
        s.
    range : (low, high)
    cells : int
        Into which the range is divided.
    verdict : Verdict
        PROVED_BY_CELLS.
    claim : str
        The checker's sentence.
    data : dict
        What the file holds.
    """

    along: str
    range: tuple[float, float]
    cells: int
    verdict: Verdict
    claim: str
    data: dict[str, Any]

    def box(self, s: float) -> dict[str, tuple[float, float]]:
        """The box that holds the equilibrium at a value of the variable: (low, high) by states.

        Raises
        ------
        ParameterError
            For a value outside of the range.
        """
        value, theorem = exact(s, "s", ParameterError), self.data["theorem"]
        parts = [theorem, *theorem.get("further", ())]
        for cell in (cell for part in parts for cell in part["cells"]):
            low, high = map(Fraction, cell["range"])
            if low <= value <= high:
                away, found = value - (low + high) / 2, {}
                for k, r in zip(cell["states"], map(Fraction, cell["radii"]), strict=True):
                    middle = Fraction(cell["states"][k]) + Fraction(cell["slopes"][k]) * away
                    found[k] = float(middle - r), float(middle + r)
                return found
        first, last = self.range
        raise ParameterError(f"{self.along} = {s} is outside of [{first:g}, {last:g}]")

    def _lines(self) -> list[str]:
        low, high = self.range
        span = f"{self.along} from {low:g} to {high:g}"
        return [
            f"<EquilibriaOverCells {self.verdict.value}: {span}, {self.cells} cells>",
            "  one equilibrium in each box, asymptotically stable within the leaf",
        ]

    full = full_text
    __repr__ = short_form


@dataclass(frozen=True)
class LoopPart:
    """A loop on a part of the range of its parameter.

    Attributes
    ----------
    loop : ReducedSystem
    interval : (low, high)
    near : callable
        Of a value of the parameter: the state next to which the equilibrium is.
    numbers : dict of name -> number
        Of its other parameters, where they are not the default ones.
    """

    loop: ReducedSystem
    interval: tuple[Fraction, Fraction]
    near: Callable[[float], np.ndarray]
    numbers: Mapping[str, Any]


@long_call
def equilibria_over_cells(
    parts: Sequence[LoopPart],
    along: str,
    cells: int = 16,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> EquilibriaOverCells:
    """The proof over parts of the range that follow each other, in so many cells or more, by halves where
    nothing is shown on one; CertificateError where nothing is found that is proved.
    """
    least = whole_number("cells", cells, 1, _CELLS)
    length = (parts[-1].interval[1] - parts[0].interval[0]) / least
    found = [_CellSearch(part, along).part_of_file(length) for part in parts]
    (content, first), *others = found
    low, high = parts[0].interval[0], parts[-1].interval[1]
    theorem: dict[str, Any] = {"name": "attraction over cells", "along": along}
    theorem |= {"range": [str(low), str(high)], "cells": first}
    if others:
        theorem["further"] = [
            {"problem": other["problem"], "witness": other["witness"], "cells": following}
            for other, following in others
        ]
    data = {**content, "theorem": theorem}
    tell("check")
    try:
        report = checker.check({**data, "digest": checker.digest_of(data)})
    except checker.Refusal as refusal:
        raise CertificateError(f"the checker does not confirm what was found: {refusal}") from None
    count = sum(len(following) for _, following in found)
    span = float(low), float(high)
    return EquilibriaOverCells(along, span, count, Verdict(report.verdict), report.claim, data)


class _CellSearch:
    """The cells of a part of the range: middles by Newton's steps, radii and forms that hold on all of it."""

    def __init__(self, part: LoopPart, along: str) -> None:
        self._part, self._along = part, along
        middle, (low, high) = float(sum(part.interval) / 2), part.interval
        params = {**part.loop.params, **part.numbers, along: middle}
        x, u = part.near(middle), np.zeros(part.loop.ninputs)
        seen = part.loop.seen_from()
        found = motion_of(seen, [exact(v) for v in u], params)
        if found is None:
            raise CertificateError("the loop has no equations that can be written down")
        sizes = dict(zip(found[0].states, seen.scales(x, u, params).unit, strict=True))
        motion = with_still_state(found[0], along)
        numbers = {k: exact(v) for k, v in params.items()} | {along: (low + high) / 2}
        numbers |= dict(zip(part.loop.state_labels, map(exact, x), strict=True))
        for further in (False, True):
            stored = motion.question(numbers, {}, further=further)
            if all(map(in_balls(stored.read).conserved, motion.leaf)):
                break
        witnesses = BallWitnesses(stored.data | {"box": {"held": [along], "omitted": [], "bits": _BITS}})
        title = heading(FORMAT, part.loop.name)
        self._content = content_of_file(title, witnesses, {}, list(motion.leaf), in_balls(stored.read))
        self._problem, self._witness = parts_as_read(self._content)
        self._labels = [k for k in self._problem["states"] if k != along]
        self._sizes = np.array([sizes[k] for k in self._labels])
        self._rates = dict(zip(self._problem["states"], self._problem["field"], strict=True))
        self._inverse = self._witness["inverse"]
        self._found: list[Cell] = []

    def part_of_file(self, length: Fraction) -> tuple[dict[str, Any], list[Cell]]:
        """The content but for a theorem, and cells over all of the part, no longer than some length."""
        low, high = self._part.interval
        count = ceil((high - low) / length)
        ends = [low + (high - low) * k / count for k in range(count + 1)]
        with ctx.workprec(_PRECISION):
            for first, second in pairwise(ends):
                self._divide(first, second, 0)
        del self._content["theorem"]
        return self._content, self._found

    def _divide(self, low: Fraction, high: Fraction, depth: int) -> None:
        """Append the cells of an interval."""
        tell("cells", best=f"{len(self._found)} shown")
        try:
            cell = self._cell(low, high)
        except (checker.Refusal, NotSolved, np.linalg.LinAlgError, ZeroDivisionError) as refusal:
            if depth == _DEPTH or len(self._found) > _CELLS:
                why = str(refusal) or "no quadratic form is found that falls"
                raise CertificateError(
                    f"nothing is shown next to {self._along} = {float(low):g}: {why}"
                ) from None
            middle = (low + high) / 2
            self._divide(low, middle, depth + 1)
            self._divide(middle, high, depth + 1)
        else:
            self._found.append(cell)

    def _box(self, x: np.ndarray, s: Fraction, half: Fraction, v: np.ndarray, radii: np.ndarray) -> CellBox:
        """The checker's box about a line x + v (s' - s), for values s' within a half width of s."""
        cell = {
            "range": [_rational(s - half), _rational(s + half)],
            "states": dict(zip(self._labels, map(_rational, x), strict=True)),
            "slopes": dict(zip(self._labels, map(_rational, v), strict=True)),
            "inverse": self._inverse,
            "radii": [_rational(r) for r in radii],
        }
        return CellBox(self._problem, self._witness, cell, self._along)

    def _rest(self, free: Sequence[str]) -> list[int]:
        """Nodes that vanish at rest."""
        return [*(self._rates[k] for k in free), *self._problem["leaf"].values()]

    def _free(self, box: CellBox) -> list[str]:
        """States that the leaf leaves free next to a point."""
        if not self._problem["leaf"]:
            return self._labels
        D = middles(box.slopes(list(self._problem["leaf"].values()))) * self._sizes
        fixed = pivot_columns(D / np.linalg.norm(D, axis=1, keepdims=True))
        return [k for i, k in enumerate(self._labels) if i not in fixed]

    def _middle(self, s: Fraction) -> tuple[np.ndarray, list[str]]:
        """The equilibrium at a value of the parameter, and the states that the leaf leaves free there."""
        x, none = self._part.near(float(s)), np.zeros(len(self._labels))
        for _ in range(_STEPS):
            box = self._box(x, s, Fraction(0), none, none)
            free = self._free(box)
            nodes = self._rest(free)
            J, values = middles(box.slopes(nodes)) * self._sizes, middles([box.values(nodes)])[0]
            lengths = np.linalg.norm(J, axis=1)
            if not np.all(lengths > 0):
                raise checker.Refusal("an equation of rest depends on nothing")
            step = np.linalg.solve(J / lengths[:, None], values / lengths)
            x = x - self._sizes * step
            if np.max(np.abs(step)) < _SMALL:
                q = box.middle
                K = [[fmpq(0)] * len(q.unknowns) for _ in q.unknowns]
                entries = q.jets([p for *_, p in self._problem["matrix"]])
                for (i, j, _), entry in zip(self._problem["matrix"], entries, strict=True):
                    K[i][j] = entry.value
                self._inverse = rounded_inverse(K, INVERSE_BITS)
                return x, free
        raise checker.Refusal(f"no equilibrium is found at {self._along} = {float(s):g}")

    def _require_stable(self, B: list[list[Any]], s: Fraction) -> None:
        """CertificateError where the linearisation at a point shows that there is nothing to be found."""
        largest = np.max(np.linalg.eigvals(middles(B)).real)
        if largest > 0:
            raise CertificateError(
                f"the loop is not stable at {self._along} = {float(s):g}: an eigenvalue has the real part "
                f"{largest:.3g}; design gains at further points, or fit them in another way"
            )

    def _in_few_bits(self, radii: np.ndarray) -> np.ndarray:
        """Radii in few bits, no smaller, and none below the rounding of its state."""
        radii = np.maximum(radii, _ROUNDING * self._sizes)
        step = np.array(binary(radii)) / 64
        return np.ceil(radii / step) * step

    def _box_with_a_zero(self, x: np.ndarray, s: Fraction, half: Fraction, nodes: list[int]) -> CellBox:
        """The box about a line with one zero for all values of a cell, by Krawczyk's test: radii are widened
        until it holds. Refusal where it does not.
        """
        none = np.zeros(len(x))
        point = self._box(x, s, Fraction(0), none, none)
        place = list(self._problem["states"]).index(self._along)
        moved = [[jet.gradient(len(x) + 1)[place]] for jet in point.middle.jets(nodes)]
        Y = rounded_inverse(point.slopes(nodes), _BITS)
        v = -middles(product(Y, moved))[:, 0]
        v = np.round(v / self._sizes * 2.0**_BITS) / 2.0**_BITS * self._sizes
        radii = none
        for _ in range(_GROWTH):
            box = self._box(x, s, half, v, radii)
            values, J = box.values(nodes), box.slopes(nodes)
            away = np.array([_upper(c) for (c,) in product(Y, [[c] for c in values])])
            apart = [[_upper(c - (i == j)) for j, c in enumerate(row)] for i, row in enumerate(product(Y, J))]
            image = away + np.array(apart) @ radii
            if np.all(image < radii):
                break
            radii = self._in_few_bits(np.maximum(radii, _WIDER * image))
        box.given["Y"] = Y
        box.require_zero_of(nodes)
        return box

    def _cell(self, low: Fraction, high: Fraction) -> Cell:
        """A cell on all of which everything is shown; Refusal or NotSolved where there is none."""
        s, half = (low + high) / 2, (high - low) / 2
        x, free = self._middle(s)
        box = self._box_with_a_zero(x, s, half, self._rest(free))
        rows, n = [*self._problem["leaf"], self._along], len(self._problem["states"])
        fixed = [i for i, k in enumerate(self._problem["states"]) if k not in free]
        gradients = [box.middle.function(k).gradient(n) for k in rows]
        inverse = rounded_inverse([[row[i] for i in fixed] for row in gradients], INVERSE_BITS)
        chart = {"free": free, "inverse": inverse, "rows": rows}
        for q in (box.whole, box.middle):
            q.kept.update(rows)  # as the checker asks once more
        try:
            P = falling_form(tangent_motion(box.whole, chart))
        except NotSolved:
            self._require_stable(tangent_motion(box.middle, chart), s)
            raise
        return {
            "range": [str(low), str(high)],
            **{part: {k: str(q) for k, q in box.given[part].items()} for part in ("states", "slopes")},
            "inverse": texts(self._inverse),
            "radii": [str(r) for r in box.given["radii"]],
            "Y": texts(box.given["Y"]),
            "chart": {"free": free, "inverse": texts(inverse)},
            "P": form_triangle(P),
        }


def _upper(x: Any) -> float:
    """A bound of the size of a number."""
    return float(abs(arb(x)).upper())


def _rational(value: Any) -> fmpq:
    return fmpq(*Fraction(value).as_integer_ratio())
