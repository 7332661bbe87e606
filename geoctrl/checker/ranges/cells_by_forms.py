r"""The theorem about a family over cells of its axes, each with a quadratic form of its own.

Near the members of a family the leaf is a graph over states that are free, and B(s) is the linearisation in
these, at the axes s. Where for a symmetric P

.. math:: -(P B(s) + B(s)^T P) > 0

on all of a cell, all eigenvalues of all these B lie to the left of the axis if P > 0 (Lyapunov), and some lie
to the right if v.Pv < 0 for one v (Ostrowski, Schneider): then :math:`V = e^T P e` falls, and near the member
is negative somewhere.

With a common denominator d, of one sign on the cell, d B = N is a polynomial. In coordinates
:math:`|t_i| \le 1` of the cell, and of the intervals that hold roots and other functions there,

.. math:: B = L_0 + \sum t_i L_i + \frac{N - d\, (L_0 + \sum t_i L_i)}{d},

whatever L is; the last term is at most the sum E of the absolute values of the coefficients of its numerator,
over the least of |d|. A root y of p is next to what is affine in the axes, :math:`z = y_0 + \sum a_i t_i`:
:math:`y - z = (p - z^2)/(y + z)`, which is put in and adds to E. What is affine in t is a mean of its values
at the corners: where the inequality holds at these for all that is added within E, it holds on all of the
cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpz_mat

from geoctrl.checker.definite import Rows, positive_definite, product, transpose
from geoctrl.checker.enclosures.definite_over_cells import definite_frame
from geoctrl.checker.limits import Refusal, require, spend
from geoctrl.checker.maps.bernstein import TENSOR, AxesBox, Side, monomial_tensor, shift
from geoctrl.checker.maps.charts import CHART
from geoctrl.checker.maps.file import (
    AXES,
    BY_CELLS,
    CLASSES,
    DEPTH,
    MAP,
    MAP_WITNESS,
    OPEN,
    PROBLEM,
    claim_of_map,
)
from geoctrl.checker.maps.members import Members
from geoctrl.checker.maps.region import Proof, Signs, analytic, walk, whole
from geoctrl.checker.numbers import rational
from geoctrl.checker.reader import integer, place
from geoctrl.checker.verdicts import Found, form, tangent_motion
from geoctrl.checker.words.texts import listed

BITS = 128
"""Of the balls in which forms are shown to fall."""
STABLE, UNSTABLE = "a", "b"
"""Letters of cells whose form is positive definite, or negative along a vector."""
VERDICTS = {STABLE: "stable", UNSTABLE: "unstable"}
WORDS = {"stable": "are asymptotically stable within the leaf, exponentially", "unstable": "are unstable"}
SHOWN = " about members in cells that are decided"
"""Where gradients of the leaf are shown to be independent."""
FORMS = {
    **{key: MAP[key] for key in ("name", "family", "axes", "symbols", "domain", "cells")},
    "chart": {key: CHART[key] for key in ("rows", "free", "inverse")},
    "motion": [[place]],
    "forms": [{"P": [[rational]], "v?": [rational]}],
    "turns": [integer(0, 1_000_000)],
}
"""``motion`` is B, as functions of the axes. ``cells`` is a tree as that of a map; ``turns`` are the numbers
of the forms of its cells that are decided, in their order."""


class MatrixOnCells:
    """A matrix of functions of the axes on boxes.

    Parameters
    ----------
    members : Members
    rows : square matrix of functions
    """

    def __init__(self, members: Members, rows: Rows) -> None:
        F = members.field.functions
        self._region, self._size = members.region, len(rows)
        entries = {(i, j): F.number(e) for i, row in enumerate(rows) for j, e in enumerate(row)}
        below = Counter[int]()
        for entry in entries.values():
            below |= entry.below
        tops = {at: F.multiple(e.top, below - e.below) for at, e in entries.items() if e.top}
        self._entries, axes = [*tops], len(members.region.sides)
        squares = {
            k: x.top
            for k, (name, x) in F.made.items()
            if name == "sqrt" and not x.below and not any(x.top.degrees()[axes:])
        }
        polynomials = [F.multiple(F.constant(1), below), *squares.values(), *tops.values()]
        degrees = [max(map(int, column)) for column in zip(*(p.degrees() for p in polynomials), strict=True)]
        self._places = [k for k, d in enumerate(degrees) if d]
        self._radicals = [self._places.index(k) for k in squares if k in self._places]
        polynomials[1 : 1 + len(squares)] = [p for k, p in squares.items() if k in self._places]
        self._counts = [degrees[k] + 2 for k in self._places]  # no term has the last power
        if len(polynomials) * prod(self._counts) > TENSOR:
            raise Refusal("a matrix is of too high a degree to be checked on cells")
        columns = [monomial_tensor(p, self._places, [d + 1 for d in degrees]) for p in polynomials]
        # Polynomials run fastest; after a turn along all variables they run slowest.
        coefficients = [c for terms in zip(*columns, strict=True) for c in terms]
        numbers, denominator = fmpq_mat(1, len(coefficients), coefficients).numer_denom()
        self._coefficients, self._scale = numbers.entries(), fmpq(1, denominator)

    def corners(self, sides: tuple[Side, ...]) -> list[arb_mat]:
        """Matrices in balls: on all of a box the matrix is a mean of some in these."""
        spend()
        box, coefficients, scale = AxesBox(self._region, sides), self._coefficients, self._scale
        intervals = [self._interval(box, k) for k in self._places]
        for (low, high), count in zip(intervals, self._counts, strict=True):
            turned, denominator = shift((low + high) / 2, high, count - 1).numer_denom()
            image = turned * fmpz_mat(count, len(coefficients) // count, coefficients)
            coefficients, scale = image.transpose().entries(), scale / denominator
        size = prod(self._counts)
        rows = arb_mat(len(coefficients) // size, size, coefficients).tolist()
        radicals = 1 + len(self._radicals)
        strides = [prod(self._counts[k + 1 :]) for k in range(len(self._counts))]
        affine, rest = self._quotients(rows[0], arb_mat(rows[radicals:]), strides)
        for k, row in zip(self._radicals, rows[1:radicals], strict=True):
            slopes, error = root_on_box([c * scale for c in row], strides[: self._radicals[0]], intervals[k])
            for i, slope in enumerate(slopes, 1):
                affine[i] = affine[i] + affine[1 + k] * slope
            rest = [c + abs(d) * error for c, d in zip(rest, affine[1 + k].entries(), strict=True)]
            affine[1 + k] *= 0
        return self._matrices(affine, rest)

    def _interval(self, box: AxesBox, place: int) -> Side:
        """What a variable takes: of axes, sides of a box are parts of their intervals."""
        low, high = box.side(place)
        if place >= len(self._region.sides):
            return low, high
        start, end = self._region.sides[place]
        return start + (end - start) * low, start + (end - start) * high

    def _quotients(
        self, divisor: Sequence[arb], tops: arb_mat, strides: Sequence[int]
    ) -> tuple[list[arb_mat], list[arb]]:
        """Columns L with L_0 + sum L_i t_i next to quotients, and bounds of what is between them."""
        turns, least = [0, *strides], abs(divisor[0]) - sum(map(abs, divisor[1:]), arb(0))
        require(least > 0, "a divisor may vanish in the cell", "theorem.cells")
        columns = [arb_mat([[row[turn]] for row in tops.tolist()]) for turn in turns]
        affine = [(columns[0] / divisor[0]).mid()]
        for column, turn in zip(columns[1:], strides, strict=True):
            affine.append(((column - affine[0] * divisor[turn]) / divisor[0]).mid())
        left = tops
        for column, turn in zip(affine, turns, strict=True):
            left -= column * arb_mat([[*[arb(0)] * turn, *divisor[: len(divisor) - turn]]])
        return affine, [sum(map(abs, row), arb(0)) / least for row in left.tolist()]

    def _matrices(self, affine: Sequence[arb_mat], rest: Sequence[arb]) -> list[arb_mat]:
        """The corners of what is affine, with balls of what is between it and the matrix."""
        n = self._size
        parts = [arb_mat(n, n) for _ in affine]
        for part, column in zip(parts, affine, strict=True):
            for entry, value in zip(self._entries, column.entries(), strict=True):
                part[entry] = value
        for entry, bound in zip(self._entries, rest, strict=True):
            parts[0][entry] += arb(0, 1) * bound
        found = parts[:1]
        for slope in (part for part in parts[1:] if any(c != 0 for c in part.entries())):
            found = [A + sense * slope for A in found for sense in (1, -1)]
        return found


def root_on_box(square: Sequence[arb], strides: Sequence[int], values: Side) -> tuple[list[arb], arb]:
    """Slopes a_i of a root in t, and e with y = middle + sum a_i t_i + r, |r| <= e, both over the half width.

    With z = middle + sum a_i t_i and a square p the rest is (p - z^2)/(y + z), and p - z^2 has no terms of
    first order where a_i = p_i/(2 middle).
    """
    low, high = values
    middle, half = (low + high) / 2, (high - low) / 2
    if not half > 0:
        return [], arb(0)
    slopes = [(square[turn] / (2 * middle)).mid() for turn in strides]
    total = sum(map(abs, slopes), arb(0))
    higher = sum(map(abs, square), arb(0)) - abs(square[0]) - sum((abs(square[k]) for k in strides), arb(0))
    linear = sum((abs(square[k] - 2 * middle * a) for k, a in zip(strides, slopes, strict=True)), arb(0))
    above = abs(square[0] - middle**2) + linear + higher + total**2
    least = low + middle - total
    require(least > 0, "a root may vanish in the cell", "theorem.cells")
    return [a / half for a in slopes], above / least / half


class FormsOnCells:
    """What is proved of the members of a family on cells, each by a form; Refusal where something is not.

    Parameters
    ----------
    members : Members
    given : dict
        ``chart`` and ``motion``.

    Attributes
    ----------
    size : int
        Of the linearisation.
    signs : Signs
        Those that are asked for on boxes.
    """

    def __init__(self, members: Members, given: dict[str, Any]) -> None:
        axes, problem, F = given["axes"], members.problem, members.field
        require(
            0 < len(axes) <= AXES and not any(low >= high for low, high in axes.values()),
            f"axes are one to {AXES} intervals",
            "theorem.axes",
        )
        require(
            {*given["chart"]["rows"]} == {*problem["leaf"]} and given["chart"]["free"],
            "forms are of all states that the leaf leaves free",
            "theorem.chart",
        )

        def linearisation() -> Rows:
            chart = given["chart"] | {"inverse": [F.values(row) for row in given["chart"]["inverse"]]}
            B = [F.values(row) for row in given["motion"]]
            require(
                tangent_motion(members.question, chart) == B, "it is not the linearisation", "theorem.motion"
            )
            require(
                any(e.top for row in B for e in row), "nothing decays and nothing grows", "theorem.motion"
            )
            return B

        B, noted = F.noting(linearisation)
        self.size, self._motion = len(B), MatrixOnCells(members, B)
        self._proof = Proof("", tuple(dict.fromkeys([*members.conditions, *noted])))
        self.signs = Signs(members.region, [self._proof])
        self._require_analytic = analytic(members.region, members.field.positive)

    def corners(self, sides: tuple[Side, ...], signs: dict[int, int]) -> list[arb_mat]:
        """Those of the linearisation on a box in which the equations have values; Refusal elsewhere."""
        require(self._proof.holds(signs), "the equations may have no value in the cell", "theorem.cells")
        self._require_analytic(sides)
        return self._motion.corners(sides)


def falls(P: arb_mat, corners: Iterable[arb_mat]) -> bool:
    """Whether -(P B + B'P) > 0 for all matrices in the balls."""
    images = (P * B for B in corners)
    return all(definite_frame(-(image + image.transpose())) is not None for image in images)


class CellsByForms:
    """Cells of axes, each with a form that shows what all members in it are; Refusal where one does not.

    Attributes
    ----------
    area : dict
        Parts of the area by class.
    """

    def __init__(self, members: Members, given: dict[str, Any]) -> None:
        self._problem, self._given = members.problem, given
        forms, letters, turns = FormsOnCells(members, given), iter(given["cells"]), iter(given["turns"])

        def read(_: dict, level: int) -> str:
            letter = next(letters, " ")
            require(
                {"+": level < DEPTH, ".": True}.get(letter, letter in VERDICTS),
                "the cells are no tree",
                "theorem.cells",
            )
            return letter

        self.area = dict.fromkeys((*CLASSES, OPEN), fmpq(0))
        n, shown = len(given["chart"]["free"]), dict[tuple[int, str], arb_mat]()
        with ctx.workprec(BITS):
            for box, letter, here in walk(whole(len(given["axes"])), forms.signs.on, read, {}):
                spend()
                if letter in VERDICTS:
                    key = next(turns, -1), letter
                    if key not in shown:
                        shown[key] = form_of_kind(given["forms"], *key, n)
                    require(
                        falls(shown[key], forms.corners(box, here)), "a form does not fall", "theorem.cells"
                    )
                if letter != "+":
                    self.area[VERDICTS.get(letter, OPEN)] += prod((b - a for a, b in box), start=fmpq(1))
        require(
            next(letters, None) is None and next(turns, None) is None,
            "the cells are no tree",
            "theorem.cells",
        )

    def claim(self, system: str) -> str:
        """What is claimed."""
        return claim_by_forms(system, self._problem, self._given, self.area)

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        cells, forms = len(self._given["turns"]), len(self._given["forms"])
        return (
            "members are equilibria on the leaf, identically in the axes",
            f"kept by the motion, identically: {listed(self._problem['leaf']) or 'no leaf relations'}",
            f"{cells} cells, each closed one by one of {forms} forms, "
            "which falls along the linearisation on the tangents of the leaf, all over the cell",
        )


def form_of_kind(forms: Sequence[dict[str, Any]], turn: int, letter: str, n: int) -> arb_mat:
    """A form, positive definite for stability, negative along its vector for instability; else Refusal."""
    require(0 <= turn < len(forms), "there is no such form", "theorem.turns")
    given = forms[turn]
    require([*map(len, given["P"])] == [*range(1, n + 1)], "a form is no lower triangle", "theorem.forms")
    P = form(given["P"], n)
    if letter == STABLE:
        require(positive_definite(P), "a form is not positive", "theorem.forms")
    else:
        v = [[c] for c in given.get("v", [])]
        ((value,),) = product(transpose(v), product(P, v)) if len(v) == n else (((fmpq(0),),))
        require(value < 0, "a form is not shown to be negative somewhere", "theorem.forms")
    return arb_mat(P)


def claim_by_forms(system: str, problem: dict[str, Any], given: dict[str, Any], area: dict[str, fmpq]) -> str:
    """What such cells claim."""
    return claim_of_map(system, problem, given | {"leaf": given["chart"]}, area, WORDS, SHOWN)


def stability_by_forms(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """What is proved of the members of a family over a box of axes."""
    return Found(
        BY_CELLS, "forms over cells", {"region": CellsByForms(Members(problem, witness, given), given)}
    )


THEOREMS = {
    "forms over cells": (
        {"problem": PROBLEM, "witness": MAP_WITNESS, "theorem": FORMS},
        stability_by_forms,
    )
}
