r"""A quadratic function of the distance from a family of points of rest that falls faster than the family is
walked along.

Members :math:`x = \varphi(s)` rest, and the symbols s are states: the others deviate from the member with
the same s by :math:`y`,

.. math:: \dot y = h(y, s), \quad \dot s = g(y, s), \qquad h(0, s) = 0, \quad g(0, s) = 0,

identically in s. Let P > 0, :math:`V = y^T P y`, widths w, :math:`\sigma = W^{-1}(s - s_e)` with
:math:`W = \operatorname{diag} w`, and

.. math:: S = \{V \le c, \; \sqrt V + |\sigma| \le 1\},

which holds with (y, s) the segment from (0, s). If for a number a > 0 on all of S

.. math::
    \begin{pmatrix} P J + J^T P + 2 a P & R^T \\ R & -2 a \end{pmatrix} < 0, \qquad
    J = \partial h/\partial y, \quad R = W^{-1}\, \partial g/\partial y,

then (Schur) :math:`P J + J^T P < -2 a P - R^T R/2a`, so that by the mean value theorem, s as it is,

.. math::
    \dot V = \int_0^1 y^T (P J + J^T P)(t y, s)\, y \; dt \le -\int_0^1 2 a V + |R(t y, s)\, y|^2/2a \; dt
    \le -2 \sqrt V \int_0^1 |R\, y| \; dt \le -2 \sqrt V\, |W^{-1} \dot s|.

:math:`\sqrt V + |\sigma|` does not grow and V falls at least like :math:`e^{-2 a t}`: motions stay in S,
which is compact, :math:`\dot s` is integrable, and each motion tends to one :math:`\varphi(s)` with
:math:`|\sigma| \le 1`. On a leaf :math:`N^T G + G^T N` may be added as in `slopes.fall`, for its relations
vanish at the members, too.

That members rest is an identity of rational functions, proved about the point. It holds wherever all that its
nodes are made of has values, and choices the signs that they have at the point: over each cell these are
asked for, and S, on which switches do not vanish then, is connected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from flint import arb, arb_mat, fmpq

from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.enclosures.cells import matrix
from geoctrl.checker.jets import Jet, evaluate
from geoctrl.checker.limits import require
from geoctrl.checker.numbers import ball
from geoctrl.checker.slopes.field import Field, Slopes
from geoctrl.checker.theorems.family import Manifold, symbols_of_family


class RestingFamily:
    """A family of points of rest of a field: what is measured deviates from the member with the
    same symbols.

    Attributes
    ----------
    places : list of int
        Of the states of the members.
    along : dict of int -> int
        States that are symbols, with the places of these; what no rate depends on is none of them.
    """

    def __init__(self, field: Field, family: dict[str, Any]) -> None:
        q, self._field, self.places = field.question, field, family["states"]
        found, symbols = Manifold(q, family), symbols_of_family(q)
        require(
            not any(rate != 0 for rate in found.rates.values()),
            "members of the family are not proved to be equilibria",
            "theorem.family.rates",
        )
        self._fixed = {symbols[name]: value for name, value in family["symbols"].items()}
        own = {q.labels.index(name): self.places[q.labels.index(name)] for name in family["along"]}
        require(
            {*own.values()} <= {*self._fixed}, "a symbol of the family is no state", "theorem.family.along"
        )
        self.along = {i: own[i] for i in field.measured if i in own}
        field.measured = [i for i in field.measured if i not in own]
        require(self.along and field.measured, "nothing is beside the family, or along it", "theorem.family")
        field.sides = [*field.measured, *self.along]
        field.turned = [k for k in field.turned if q.labels.index(k) in field.measured]
        field.motion = list(dict.fromkeys([*field.motion, *found.along.known, *found.members.known]))

    def jets_at(self, deviations: Sequence[arb], order: int) -> dict[int, Jet]:
        """Constants and symbols, and states at their values: directions are those of y, then those of s."""
        field, states = self._field, self._field.question.states
        found = field.still[order] | {p: Jet({(): ball(c)}, order) for p, c in self._fixed.items()}
        for k, (i, p) in enumerate(self.along.items(), len(field.measured)):
            found[p] = Jet({(): field.point[i] + deviations[k], (k,): arb(1)}, order)
        members = evaluate(field.question.table, self.places, found, Balls(order=order))
        found |= {states[i]: members[i] for i in self.along}
        found |= {states[i]: Jet({(): field.point[i]}, order) for i in field.free}
        for k, i in enumerate(field.measured):
            found[states[i]] = members[i] + Jet({(): deviations[k], (k,): arb(1)}, order)
        return found

    def symbol_steps(self, state: Sequence[fmpq | arb]) -> list[arb]:
        """How far symbols are from those of the point."""
        return [arb(state[i]) - self._field.point[i] for i in self.along]

    def slopes_across(self, found: Slopes, cell: Sequence[arb]) -> Slopes:
        r"""Slopes along y of :math:`\dot y = f - D\varphi\, \dot s`, then of :math:`\dot s`."""
        field, n, at = self._field, len(self._field.measured), self.jets_at(cell, 1)
        rows = [row[:n] for row in found.rates.tolist()]
        tangents = [
            [at[field.question.states[i]].terms.get((k,), arb(0)) for k in range(n, len(rows))]
            for i in field.measured
        ]
        carried = matrix(tangents, len(rows) - n) * matrix(rows[n:], n)
        return Slopes(
            matrix([*(matrix(rows[:n], n) - carried).tolist(), *rows[n:]], n),
            matrix([row[:n] for row in found.ties.tolist()], n),
            [row[:n] for row in found.functions],
            found.values,
        )


class FamilyPiece:
    """A piece of a family: half widths w of its symbols, and a."""

    def __init__(self, widths: list[fmpq], rate: fmpq, count: int) -> None:
        self.widths, self.rate = widths, rate
        require(len(widths) == count, "each symbol has a width", "theorem.widths")

    def is_beyond(self, least: arb, sides: Sequence[arb]) -> bool:
        """Whether sqrt(V) + |sigma| is above one where V is at least so large, and symbols are in balls."""
        return bool(least.max(arb(0)).sqrt() + self._length(c.abs_lower() for c in sides) > 1)

    def holds(self, value: arb, moved: Sequence[arb]) -> bool:
        """Whether sqrt(V) + |sigma| is proved to be at most one."""
        room = 1 - self._length(abs(c) for c in moved)
        return bool(room >= 0 and value <= room * room)

    def matrix_with_border(self, H: arb_mat, unit: arb_mat, rates: arb_mat) -> arb_mat:
        """The matrix of the theorem with its sign, of that without a and the slopes of the rates of s."""
        k, two = len(self.widths), arb(2 * self.rate)
        R = [[c / w for c in row] for w, row in zip(self.widths, rates.tolist(), strict=True)]
        top = [[*a, *b] for a, b in zip((H - unit * two).tolist(), zip(*R, strict=True), strict=True)]
        corner = [[two * (i == j) for j in range(k)] for i in range(k)]
        below = [[*a, *b] for a, b in zip(R, corner, strict=True)]
        return matrix([*top, *below], H.nrows() + k)

    def _length(self, moved: Iterable[arb]) -> arb:
        """That of sigma, by sizes of s - s_e."""
        return sum(((c / w) ** 2 for c, w in zip(moved, self.widths, strict=True)), arb(0)).sqrt()
