r"""A function of shape and velocities over a cell of shapes: its least value, and where velocities are.

States are split into shapes s and velocities w. The function :math:`V = \sigma E + \sum_a m_a C_a` is a
polynomial of degree two in w, the held invariants :math:`C_i` are of degree one; relations of the leaf,
:math:`g_j(s) = 0`, are free of w. With numbers :math:`w_*, y, \lambda`, on the level sets
:math:`|C_i - C_i(e)| \le \delta_i`,

.. math::
    \varphi = V + \sum_i y_i (C_i - C_i(e)) + \sum_j \lambda_j g_j \le V + \sum_i |y_i|\, \delta_i, \qquad
    w = w_* + p + N q,

where the columns of N(s) are a basis of what the gradients of the held invariants along w vanish on,
and p(s) leads from :math:`w_*` to the level. There :math:`\varphi` is a quadratic function of q,

.. math::
    \varphi = \varphi(s, w_*) + b^T p + \tfrac12 p^T A p + (b + A p)^T N q + \tfrac12 q^T N^T A N q, \qquad
    b = \partial_w \varphi(s, w_*), \quad A = \partial_w^2 V,

which has a least value where :math:`N^T A N > 0`. All are enclosed over a cell. The numbers are those that
make b and p vanish at its middle, and :math:`\varphi` flat along s there; the bound holds for any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any, NamedTuple

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.enclosures.cells import constants, matrix, require_regular, solution
from geoctrl.checker.enclosures.definite_over_cells import definite_frame
from geoctrl.checker.enclosures.degrees import ONE, degrees_in
from geoctrl.checker.enclosures.sets import nodes_of_identities
from geoctrl.checker.enclosures.signs import STRICT, MovingSigns, sign_of
from geoctrl.checker.jets import Jet, evaluate, reachable
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import ball
from geoctrl.checker.question import STATES, Question

BITS = 80
"""Of the middles of balls."""

Side = tuple[fmpq, fmpq]
Cell = tuple[Side, ...]
Jets = tuple[Jet, list[Jet], list[Jet], list[Jet]]
"""Of V, of what is held, of relations and of further nodes."""


class Quadratic(NamedTuple):
    """phi over a cell, in the coordinates w = start + shift + frame q.

    ``low`` is its value at q = 0, slope and bend its derivatives there; ``share`` is what V may be below it,
    ``middle`` what it leaves of the value at the start over the middle of the cell.
    """

    low: arb
    middle: arb
    start: list[fmpq]
    shift: arb_mat
    frame: arb_mat
    slope: arb_mat
    bend: arb_mat
    share: arb


class Energy:
    """The function of a theorem, over cells of its shapes.

    Parameters
    ----------
    question : Question
        In balls at the point, asked all identities of the theorem.
    given : the theorem as read

    Attributes
    ----------
    shapes, velocities : list of int
        Places of states among the states.
    levels : list of arb
        Values of the held invariants at the point.
    """

    def __init__(self, question: Question, given: dict[str, Any]) -> None:
        self.question, self.given, labels = question, given, question.labels
        velocities, sides = given["velocities"], given["sides"]
        require(
            sides and sorted([*velocities, *sides]) == sorted(labels),
            "a state is a velocity or has a side of the box, and none is named twice",
            "theorem",
        )
        self.shapes = [i for i, k in enumerate(labels) if k in sides]
        self.velocities = [i for i, k in enumerate(labels) if k in velocities]
        self.function = given["function"]
        self.held = [row["function"] for row in given["held"].values()]
        self.relations = list(question.problem["leaf"].values())
        self.widths = [ball(row["width"]) for row in given["held"].values()]
        self._factors = [row["factor"] for row in given.get("fall", {"squares": []})["squares"]]
        self._entries = [p for *_, p in question.problem["matrix"]]
        self.box: Cell = tuple(tuple(sides[labels[i]]) for i in self.shapes)
        if any(a >= b for a, b in self.box):
            raise Refusal("a side of the box is empty", "theorem.sides")
        self._require_degrees()
        self._orders: dict[tuple[int, ...], list[int]] = {}
        with ctx.workprec(BITS):
            self._still = [constants(question, order) for order in range(3)]
            jets = self.jets([(v, v) for v in self.at_point(self.shapes)], self.at_point(self.velocities))
            self.levels = [jet.value for jet in jets[1]]
            self.value_at_point = jets[0].value

    def at_point(self, places: Sequence[int]) -> list[Any]:
        """States at the point."""
        values = list(self.question.problem["states"].values())
        return [values[i] for i in places]

    # -- what the form of the equations says -----------------------------------------------------

    def _require_degrees(self) -> None:
        """V is of degree two in the velocities, what is held of one, all that is divided by of none."""
        q, identities = self.question, nodes_of_identities(self.question)
        moving = [*(q.states[i] for i in self.velocities), *q.unknowns]
        found = degrees_in(q.table, dict.fromkeys(moving, ONE))
        degree = [None if degrees is None else degrees[1] for degrees in found]
        limited = [row["input"] for row in self.given["limits"].values()]
        still = [*self.relations, *self._entries, *self.given["domain"]]
        allowed = [(2, [self.function]), (1, self.held), (0, still), (STATES, limited)]
        if any(degree[p] is None or degree[p] > d for d, places in allowed for p in places):
            raise Refusal("a function is not of the degree in the velocities that it must have", "problem")
        # Sums and products have values where what they are made of has: that of the others is asked for.
        table, used = q.table, [*identities, *self._factors]
        self._moving = MovingSigns(table, degree, used)
        nodes = [(i, *table[i]) for i in reachable(table, used)]
        if self._moving.unknown or any(kind == "fun" and parts[0] == "select" for _, kind, *parts in nodes):
            raise Refusal("a function is not of the degree in the velocities that it must have", "problem")
        self._still_factors = [p for p in self._factors if degree[p] == 0]
        self._functions = [i for i, kind, *_ in nodes if kind == "fun" and degree[i] == 0]
        self._divisors = [
            j for _, kind, *parts in nodes if kind == "prod" for j, e in parts[1] if e < 0 and degree[j] == 0
        ]

    def irregular(self, cell: Cell) -> str:
        """Why the motion may be undefined, leave the domain of the model or let V grow over a cell; empty
        where it does not.

        What holds no velocities has the values that it has at rest; of the rest signs tell, by its form.
        """
        nodes = [self.given["domain"], self._divisors, self._entries, self._functions]
        try:
            values = iter(self._at_rest(cell, [p for part in nodes for p in part]))
            signs = self._signs(cell)
        except Refusal:
            return "a rate may have no value"
        domain, divisors, entries = ([next(values) for _ in part] for part in nodes[:3])
        if not all(v > 0 for v in domain):
            return "the domain of the model may end"
        if not all(signs[p] > 0 for p in self._factors):
            return "V may grow"
        if any(v.contains(0) for v in divisors) or not self._moving.has_values(signs):
            return "a rate may have no value"
        with suppress(Refusal):
            require_regular(self.question, entries)
            return ""
        return "accelerations may not be determined"

    def _at_rest(self, cell: Cell, places: Sequence[int]) -> list[arb]:
        """Values of nodes over a cell where nothing moves."""
        rest = [fmpq(0)] * len(self.velocities)
        return [jet.value for jet in self.jets(cell, rest, places, order=0)[3]]

    def _signs(self, cell: Cell) -> Mapping[int, int]:
        """Signs of the factors of squares, and of what else holds velocities, over a cell."""
        places = list(dict.fromkeys([*self._moving.leaves, *self._still_factors]))
        values = dict(zip(places, self._at_rest(cell, places), strict=True))
        found = self._moving.signs_over([values[p] for p in self._moving.leaves])
        return {p: sign_of(values[p]) for p in self._still_factors} | dict(found)

    def falling_squares(self, cell: Cell) -> list[int]:
        """Nodes l of the squares d l^2 by which V falls with d > 0 over a cell, at any velocities."""
        signs = self._signs(cell)
        squares = self.given.get("fall", {"squares": []})["squares"]
        return [row["square"] for row in squares if signs[row["factor"]] == STRICT]

    # -- values ------------------------------------------------------------------------------------

    def jets(
        self, cell: Sequence[Side], velocities: Sequence[Any], extra: Sequence[int] = (), order: int = 2
    ) -> Jets:
        """V, the held invariants, the relations and extra nodes over a cell of shapes, at velocities that
        are numbers or balls, with derivatives up to an order.
        """
        values = dict(zip(self.shapes, map(interval, cell), strict=True))
        values |= zip(self.velocities, map(ball_of, velocities), strict=True)
        # Accelerations may occur in further nodes alone: V, what is held and relations are refused with them.
        still = {p: constant(arb(0)) for p in self.question.unknowns} if extra else {}
        nodes = [self.function, *self.held, *self.relations, *extra]
        V, *rest = self._evaluated(nodes, values, order, still)
        h, r = len(self.held), len(self.held) + len(self.relations)
        return V, rest[:h], rest[h:r], rest[r:]

    def relations_over(self, cell: Sequence[Side]) -> list[Jet]:
        """The relations of the leaf alone over a cell, with first derivatives."""
        values = dict(zip(self.shapes, map(interval, cell), strict=True))
        return self._evaluated(self.relations, values, 1, {})

    def _evaluated(
        self, nodes: Sequence[int], values: dict[int, arb], order: int, still: dict[int, Jet]
    ) -> list[Jet]:
        """Nodes at values of states."""
        at, wanted, table = self._still[order] | still, tuple(nodes), self.question.table
        for i, value in values.items():
            terms = [((), value), ((i,), arb(1))][: 1 + order]
            at[self.question.states[i]] = Jet(dict(terms), order)
        if wanted not in self._orders:
            self._orders[wanted] = reachable(table, wanted, at)
        return evaluate(table, wanted, at, Balls(order=order), self._orders[wanted])

    def over_cell(self, middle: Jet, over: Jet, steps: Sequence[arb]) -> arb:
        """A function over a cell, from its value in the middle by its slopes (mean value theorem)."""
        return middle.value + dot([first(over, i) for i in self.shapes], steps)

    def vanishes_nowhere(self, middles: Sequence[Jet], over: Sequence[Jet], cell: Cell) -> bool:
        """Whether one of some functions vanishes nowhere in a cell."""
        steps = steps_of(cell)
        near = [self.over_cell(*pair, steps) for pair in zip(middles, over, strict=True)]
        return not all(v.contains(0) for v in (*near, *(jet.value for jet in over)))

    def quadratic(self, cell: Cell) -> Quadratic | None:
        """phi over a cell; None where it may have no least value."""
        if (start := self.start(middle_of(cell))) is None:
            return None
        w, y, leaf, here = start
        k = len(w)
        jets = self.jets(cell, w)
        at = self.combined(here, y, leaf)
        over = self.combined(jets, y, leaf)
        steps = steps_of(cell)
        low = self.over_cell(at, over, steps)
        slopes = [[first(at, i) + dot(seconds(over, i, self.shapes), steps)] for i in self.velocities]
        b = matrix(slopes, 1)
        A = matrix([seconds(jets[0], i, self.velocities) for i in self.velocities], k)
        shift, N = self._along_levels(jets[1], here[1], steps, k)
        S = definite_frame(N.transpose() * A * N) if N.ncols() else arb_mat(0, 0)
        if S is None:
            return None
        frame, Ap = N * S, A * shift
        low += (shift.transpose() * (b + Ap / 2))[0, 0] if k else arb(0)
        slope, bend = frame.transpose() * (b + Ap), frame.transpose() * A * frame
        share = dot([abs(c) for c in y], self.widths)
        return Quadratic(low, at.value - share, w, shift, frame, slope, bend, share)

    def _along_levels(
        self, held: list[Jet], at: list[Jet], steps: list[arb], k: int
    ) -> tuple[arb_mat, arb_mat]:
        """p and N over a cell, from what is held there and at the start over its middle."""
        h = len(held)
        if not h:
            return arb_mat(k, 1), arb_mat(k, k, 1)
        if h > k:
            raise Refusal("more invariants are held than there are velocities", "theorem.held")
        D = [[first(C, i) for i in self.velocities] for C in held]
        dependent = pivots([[float(c) for c in row] for row in D])
        if len(dependent) < h:
            raise Refusal("what is held may be dependent", "theorem.held")
        free = [i for i in range(k) if i not in dependent]
        rest = [
            level - self.over_cell(c, C, steps) + arb(0, 1) * width
            for c, C, level, width in zip(at, held, self.levels, self.widths, strict=True)
        ]
        square = matrix([[row[i] for i in dependent] for row in D], h)
        right = matrix([[c, *(-row[i] for i in free)] for c, row in zip(rest, D, strict=True)], 1 + len(free))
        found = solution(square, right)
        shift, N = arb_mat(k, 1), arb_mat(k, len(free))
        for row, i in enumerate(dependent):
            shift[i, 0] = found[row, 0]
            for j in range(len(free)):
                N[i, j] = found[row, 1 + j]
        for j, i in enumerate(free):
            N[i, j] = arb(1)
        return shift, N

    def least(self, quadratic: Quadratic | None) -> arb | None:
        """A number below V on the level sets over a cell, None where none is found."""
        if quadratic is None:
            return None
        found = quadratic.low - quadratic.share
        if quadratic.slope.nrows():
            drop = quadratic.slope.transpose() * solution(quadratic.bend, quadratic.slope)
            found -= drop[0, 0] / 2
        return found.lower() if found.is_finite() else None

    def reach(self, quadratic: Quadratic, level: arb) -> arb:
        """A bound of |q| where V <= level on the level sets over a cell.

        With e > 0 below all eigenvalues of ``bend``, e q^2/2 - |slope| q <= level + share - low.
        """
        k = quadratic.slope.nrows()
        rows = quadratic.bend.tolist()
        least = arb(1)
        for i, row in enumerate(rows):  # Gershgorin
            least = least.min((row[i] - sum((abs(c) for j, c in enumerate(row) if j != i), arb(0))).lower())
        require(least > 0, "velocities are not bounded over a cell", "theorem")
        b = sum((quadratic.slope[i, 0] * quadratic.slope[i, 0] for i in range(k)), arb(0)).abs_upper().sqrt()
        room = (level + quadratic.share - quadratic.low).upper().max(arb(0))
        return ((b + (b * b + 2 * least * room).sqrt()) / least).upper()

    # -- numbers that make the bound sharp ---------------------------------------------------------

    def start(self, middle: Sequence[Side]) -> tuple[list[fmpq], list[arb], list[arb], Jets] | None:
        """w_*, y and lambda, from doubles at the middle of a cell, and the jets there."""
        V, held, _, _ = self.jets(middle, [fmpq(0)] * len(self.velocities))
        D = [[float(first(C, i)) for i in self.velocities] for C in held]
        rows = [
            [*map(float, seconds(V, i, self.velocities)), *(row[k] for row in D)]
            for k, i in enumerate(self.velocities)
        ]
        rows += [[*row, *[0.0] * len(D)] for row in D]
        right = [-float(first(V, i)) for i in self.velocities]
        right += [float(level - C.value) for C, level in zip(held, self.levels, strict=True)]
        if (numbers := approximate_solution(rows, right)) is None:
            return None
        w = [fmpq(*v.as_integer_ratio()) for v in numbers[: len(self.velocities)]]
        y = [arb(v) for v in numbers[len(w) :]]
        jets = self.jets(middle, w, order=1)
        at, relations = self.combined(jets, y, [arb(0)] * len(self.relations)), jets[2]
        slopes = [float(first(at, i)) for i in self.shapes]
        G = [[float(first(g, i)) for i in self.shapes] for g in relations]
        normal = [[sum(a * c for a, c in zip(r, t, strict=True)) for t in G] for r in G]
        found = approximate_solution(normal, [-sum(a * c for a, c in zip(r, slopes, strict=True)) for r in G])
        return w, y, [arb(v) for v in found or [0.0] * len(G)], jets

    def combined(self, jets: Jets, y: list[arb], leaf: list[arb]) -> Jet:
        """phi, from what `jets` gives."""
        V, held, relations, _ = jets
        for C, level, factor in zip(held, self.levels, y, strict=True):
            V = V + constant(factor) * (C + constant(-level))
        for g, factor in zip(relations, leaf, strict=True):
            V = V + constant(factor) * g
        return V


def constant(value: arb) -> Jet:
    """A number as a function."""
    return Jet({(): value}, 2)


def middle_of(cell: Cell) -> Cell:
    """The cell that is the middle of one."""
    return tuple(((a + b) / 2,) * 2 for a, b in cell)


def steps_of(cell: Cell) -> list[arb]:
    """What leads from the middle to all of a cell."""
    return [arb(0, 1) * ((b - a) / 2) for a, b in cell]


def halves_of(cell: Cell, k: int) -> list[Cell]:
    """Both halves along one side."""
    (a, b), middle = cell[k], (cell[k][0] + cell[k][1]) / 2
    return [(*cell[:k], side, *cell[k + 1 :]) for side in ((a, middle), (middle, b))]


def interval(side: Sequence[Any]) -> arb:
    """A ball around a closed interval."""
    low, high = side
    if isinstance(low, arb):
        return low.union(high)
    return ball_of(low) if low == high else arb((low + high) / 2, (high - low) / 2)


def ball_of(x: Any) -> arb:
    """A ball around a number, or the ball."""
    return x if isinstance(x, arb) else ball(x)


def first(jet: Jet, i: int) -> arb:
    """A first derivative."""
    return jet.terms.get((i,), arb(0))


def seconds(jet: Jet, i: int, places: Sequence[int]) -> list[arb]:
    """Second derivatives, one by the state i."""
    return [jet.terms.get((min(i, j), max(i, j)), arb(0)) * (1 + (i == j)) for j in places]


def dot(a: Sequence[arb], b: Sequence[arb]) -> arb:
    """The sum of products."""
    return sum((p * q for p, q in zip(a, b, strict=True)), arb(0))


# -- rounded numbers that only have to be good: nothing rests on them -------------------------------


def pivots(rows: list[list[float]]) -> list[int]:
    """Columns of the pivots of an elimination in doubles."""
    found: list[int] = []
    rest = [list(row) for row in rows]
    while rest:
        sizes = [max(map(abs, row)) or 1.0 for row in rest]
        r, c = max(
            ((i, j) for i in range(len(rest)) for j in range(len(rest[i]))),
            key=lambda at: abs(rest[at[0]][at[1]]) / sizes[at[0]],
        )
        pivot = rest.pop(r)
        if not pivot[c]:
            break
        found.append(c)
        rest = [[a - row[c] / pivot[c] * b for a, b in zip(row, pivot, strict=True)] for row in rest]
    return found


def approximate_solution(A: list[list[float]], right: list[float]) -> list[float] | None:
    """Next to the solution of A x = right, None where A is singular."""
    n = len(A)
    with suppress(ZeroDivisionError):
        found = arb_mat(n, n, [arb(c) for row in A for c in row]).solve(
            arb_mat(n, 1, [arb(c) for c in right]), algorithm="approx"
        )
        numbers = [float(c.mid()) for c in found.entries()]
        return numbers if all(map(isfinite, numbers)) else None
    return None
