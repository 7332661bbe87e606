r"""A quadratic function that falls over a convex set, by the slopes of the rates.

Let P > 0, :math:`V = y^T P y`, and f smooth on :math:`S = \{V \le c\}` with f = 0 at the point. If

.. math:: P J(x) + J(x)^T P < 0, \qquad J = \partial f/\partial x, \qquad \text{for all } x \in S,

then V falls in S but at the point, for S is convex and

.. math:: \dot V = 2\, y^T P f = \int_0^1 y^T \bigl(P J(e + t y) + J(e + t y)^T P\bigr)\, y \; dt .

S is compact, so that motions in it stay, go on for ever and tend to the point. On a leaf, and on levels of
what is conserved, functions T vanish along the motion, and so does :math:`\int_0^1 G(e + t y)\, y\; dt` with
:math:`G = \partial T/\partial x`; the same holds there if for a matrix N of numbers (Finsler 1937)

.. math:: P J(x) + J(x)^T P + N^T G(x) + G(x)^T N < 0 \qquad \text{for all } x \in S,

on the leaf and beside it, as S holds the segment from e to x. The matrix is enclosed over
cells of a box around S, in coordinates q with y = T q in which P is nearly the unit matrix. A cell is left
out where nothing of S is in it: with :math:`y_a` the deviations along which the box is halved,

.. math:: V \ge V_a = y_a^T \bigl((P^{-1})_{aa}\bigr)^{-1} y_a ,

the least value with the others free, which is convex and above its tangent at the middle of the cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_letters, digits
from typing import Any, NamedTuple

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.definite import positive_definite
from geoctrl.checker.enclosures.cells import inverse, matrix
from geoctrl.checker.enclosures.definite_over_cells import definite_frame
from geoctrl.checker.limits import Refusal, require, spend
from geoctrl.checker.numbers import ball
from geoctrl.checker.slopes.field import BITS, Field, Slopes
from geoctrl.checker.verdicts import form

CELLS, HALVINGS = 20_000, 64
"""Letters of a tree, and halvings of a side."""
LEAF, LETTERS = ".", digits + ascii_letters
"""In preorder: a cell, or along which side a box is halved."""


class Cell(NamedTuple):
    """Intervals of the deviations of what is measured."""

    middle: tuple[fmpq, ...]
    radius: tuple[fmpq, ...]

    def balls(self) -> list[arb]:
        """Its sides."""
        return [arb(m, r) for m, r in zip(self.middle, self.radius, strict=True)]

    def halves(self, k: int) -> tuple[Cell, Cell]:
        """Its halves along a side."""
        half = self.radius[k] / 2
        radius = (*self.radius[:k], half, *self.radius[k + 1 :])

        def moved(by: fmpq) -> Cell:
            return Cell((*self.middle[:k], self.middle[k] + by, *self.middle[k + 1 :]), radius)

        return moved(-half), moved(half)


class SlopesFall:
    """A function with its level.

    Parameters
    ----------
    field : Field
    function : list of list of fmpq
        The lower triangle of P.
    level : fmpq
    multipliers : list of list of fmpq
        N, a row for each of the ties.
    piece : optional
        Of the family that the set is about, `checker.families`.

    Attributes
    ----------
    matrix : list of list of fmpq
        P.
    inverse : arb_mat
    whole : Cell
        Around the set.
    """

    def __init__(
        self,
        field: Field,
        function: list[list[fmpq]],
        level: fmpq,
        multipliers: Sequence[list[fmpq]] = (),
        piece: Any = None,
    ) -> None:
        self.field, self.level, self.piece, n = field, level, piece, len(field.measured)
        self._forms: dict[tuple[int, ...], arb_mat] = {}
        require(len(function) == n, "the function is not one of what is measured", "theorem.function")
        self.matrix = form(function, n)
        require(
            positive_definite(self.matrix),
            "the function is not proved to be positive definite",
            "theorem.function",
        )
        require(
            [len(row) for row in multipliers] == [n] * len(field.ties),
            "the multipliers are none of the leaf and levels",
            "theorem.multipliers",
        )
        P = matrix([[ball(c) for c in row] for row in self.matrix], n)
        self.inverse = inverse(P)
        with ctx.workprec(BITS):
            frame = definite_frame(P)
            if frame is None:
                raise Refusal("the function is too flat along some direction", "theorem.function")
            self._frame, self._image = frame, P * frame
            self._weights = matrix([[ball(c) for c in row] for row in multipliers], n) * frame
            reach = [(arb(level) * self.inverse[k, k]).sqrt().upper().fmpq() for k in range(n)]
            self._stretch = self._stretched(frame.transpose() * self._image)
        reach += piece.widths if piece else []
        self.whole = Cell((fmpq(0),) * len(reach), tuple(reach))

    def _stretched(self, E: arb_mat) -> arb:
        """A bound of |q| over the set, where V = q^T E q with E nearly the unit matrix."""
        rows = E.tolist()
        least = arb("inf")
        for i, row in enumerate(rows):  # Gershgorin
            least = least.min((row[i] - sum((abs(c) for j, c in enumerate(row) if j != i), arb(0))).lower())
        return (arb(self.level) / least).sqrt().upper()

    def _form(self, sides: tuple[int, ...]) -> arb_mat:
        """The matrix of V_a."""
        if sides not in self._forms:
            part = matrix([[self.inverse[i, j] for j in sides] for i in sides], len(sides))
            self._forms[sides] = inverse(part)
        return self._forms[sides]

    def least(self, cell: Cell) -> arb:
        """A number below V over a cell, by the sides along which it was halved."""
        sides = self.halved(cell)
        if not sides:
            return arb(0)
        m = arb_mat(len(sides), 1, [arb(cell.middle[k]) for k in sides])
        slope = self._form(sides) * m
        steps = sum((abs(slope[i, 0]) * cell.radius[k] for i, k in enumerate(sides)), arb(0))
        return (m.transpose() * slope)[0, 0] - 2 * steps

    def halved(self, cell: Cell) -> tuple[int, ...]:
        """The sides of V that are parts of those of the box."""
        return tuple(k for k in range(len(self.matrix)) if cell.radius[k] < self.whole.radius[k])

    def is_outside(self, cell: Cell) -> bool:
        """Whether nothing of the set is in a cell."""
        least = self.least(cell)
        beyond = self.piece and self.piece.is_beyond(least, cell.balls()[len(self.matrix) :])
        return bool(least > arb(self.level) or beyond)

    def falls(self, slopes: Slopes) -> bool:
        """Whether P J + J^T P + N^T G + G^T N is negative definite for all J and G of these."""
        return definite_frame(self.decay(slopes)) is not None

    def decay(self, slopes: Slopes) -> arb_mat:
        """-(P J + J^T P + N^T G + G^T N), in q; with what is asked of symbols where there are some."""
        n, rows = len(self.matrix), slopes.rates.tolist()
        L = self._image.transpose() * matrix(rows[:n], n) * self._frame
        L += self._weights.transpose() * (slopes.ties * self._frame)
        H = -(L + L.transpose())
        if not self.piece:
            return H
        return self.piece.matrix_with_border(
            H, self._frame.transpose() * self._image, matrix(rows[n:], n) * self._frame
        )

    def require(self, letters: str) -> int:
        """The number of cells over which the function falls; Refusal where it is not proved to, or the model
        may end or an output leave its limits.
        """
        count = 0
        with ctx.workprec(BITS):
            hull: list[list[arb]] = []
            for cell in self.cells(letters):
                spend()
                hull = joined(hull, self.over(cell))
                count += 1
            require(count, "nothing of the set is in a cell", "theorem.cells")
            self.require_functions(hull)
        return count

    def over(self, cell: Cell) -> Slopes:
        """The slopes over a cell, where the function falls by them; refused where that is not shown."""
        for bent in (False, True):
            try:
                slopes = self.field.over(cell.balls(), bent)
            except Refusal as refusal:
                raise Refusal(f"over a cell {refusal}", "theorem.cells") from refusal
            if self.falls(slopes):
                return slopes
        raise Refusal("it is not proved that the function falls over a cell", "theorem.cells")

    def cells(self, letters: str) -> Iterator[Cell]:
        """The cells of a tree in which some of the set may be; refused where the letters are none."""
        n, pending = len(self.whole.radius), [self.whole]
        for letter in letters:
            require(pending, "the cells are no tree", "theorem.cells")
            cell = pending.pop()
            if letter == LEAF:
                if not self.is_outside(cell):
                    yield cell
                continue
            k = LETTERS.find(letter)
            if not 0 <= k < n or cell.radius[k] * (1 << HALVINGS) <= self.whole.radius[k]:
                raise Refusal("the cells are no tree", "theorem.cells")
            pending += reversed(cell.halves(k))
        if pending:
            raise Refusal("the cells are no tree", "theorem.cells")

    def require_functions(self, hull: list[list[arb]]) -> None:
        """The domain does not end, and outputs keep within their limits, by their slopes over the set."""
        given = self.field.given
        at = self.field.over([*[arb(0)] * len(self.matrix), *self.whole.balls()[len(self.matrix) :]]).values
        bounds = [None] * len(given["domain"]) + list(given["limits"].items())
        for value, slopes, bound in zip(at, hull, bounds, strict=True):
            reach = self.reach_of(slopes)
            if bound is None:
                require(value > reach, "below the level the domain of the model may end", "theorem.level")
            elif not abs(value) + reach <= arb(bound[1]["bound"]):
                raise Refusal(
                    f"it is not proved that {bound[0][:80]!r} stays within its limit", "theorem.limits"
                )

    def holds(self, deviations: Sequence[arb]) -> bool:
        """Whether a state with these is proved to be in the set."""
        n = len(self.matrix)
        y, P = arb_mat(n, 1, list(deviations[:n])), matrix(self.matrix, n)
        value = (y.transpose() * P * y)[0, 0]
        return bool(value <= arb(self.level)) and (not self.piece or self.piece.holds(value, deviations[n:]))

    def reach_of(self, slopes: list[arb]) -> arb:
        """How much a function with these slopes changes at most from what rests to others of the set."""
        along = (matrix([slopes], len(slopes)) * self._frame).entries()
        return (sum((c.abs_upper() * c.abs_upper() for c in along), arb(0)).sqrt() * self._stretch).upper()


def joined(hull: list[list[arb]], slopes: Slopes) -> list[list[arb]]:
    """Balls around slopes of functions, and those before."""
    if not hull:
        return slopes.functions
    return [
        [a.union(b) for a, b in zip(*rows, strict=True)] for rows in zip(hull, slopes.functions, strict=True)
    ]
