r"""The rates of a system, :math:`\dot x = f(x, z)` with :math:`K(x)\, z = b(x)`, what vanishes on its leaf
and on held levels, and the slopes of all of these over cells of states, on the leaf and beside it.

States that no rate of another state, no matrix and no limit depends on are *free*: they are integrals of what
the others do, one after the other, and have values as long as these have. The others are *measured*, in
deviations y from the point. A state that enters everything through sines and cosines of whole multiples is
*turned*: whole turns of it change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.enclosures.balls import ENTIRE, Balls
from geoctrl.checker.enclosures.cells import constants, matrix, matrix_of, solution
from geoctrl.checker.enclosures.sets import nodes_of_identities
from geoctrl.checker.enclosures.turns import is_turned
from geoctrl.checker.jets import Jet, evaluate, reachable
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import ball
from geoctrl.checker.question import Question
from geoctrl.checker.reader import children

BITS = 128
"""Of the middles of balls."""


class Slopes(NamedTuple):
    """Over a cell: derivatives of the rates of what is measured along it, row by row, of relations and held
    functions, and of further ones; with the values of these.
    """

    rates: arb_mat
    ties: arb_mat
    functions: list[list[arb]]
    values: list[arb]


class Field:
    """The rates of a problem.

    Parameters
    ----------
    problem, witness : as read
    family : callable, optional
        What makes of this field a family, `checker.families`, from whose members deviations are then.
    given : dict
        With the keys "domain" and "limits"; "levels" where functions are held.

    Attributes
    ----------
    question : Question
    given : dict
    measured, free : list of int
        Numbers of states.
    sides : list of int
        Those along which there are slopes: what is measured.
    ties : list of int
        Places of the relations of the leaf, and of held functions.
    functions : list of int
        Places of margins of the domain, and of limited outputs.
    turned : list of str
        Labels of the measured states of which whole turns change nothing.
    """

    def __init__(
        self,
        problem: dict[str, Any],
        witness: dict[str, Any],
        given: dict[str, Any],
        family: Callable[[Field], Any] | None = None,
    ) -> None:
        self.question, self.given = Question(problem, witness), given
        q, levels = self.question, given.get("levels", [])
        q.require_rest()
        q.require_kept(levels)
        self.ties = [*problem["leaf"].values(), *(problem["invariants"][k] for k in levels)]
        self.functions = [*given["domain"], *(row["input"] for row in given["limits"].values())]
        self.equations = [*(p for *_, p in problem["matrix"]), *problem["right"]]
        self._read()
        self._require_entire()
        used = [*self.motion, *self.ties, *self.functions]
        self.turned = [q.labels[i] for i in self.measured if is_turned(q, i, used)]
        with ctx.workprec(BITS):
            self.point = [+ball(v) for v in problem["states"].values()]
            self.still = {order: constants(q, order) for order in (1, 2)}
        self.beside = family and family(self)

    # -- which states are meant --------------------------------------------------------------------

    def _read(self) -> None:
        """What is measured, and what is free."""
        problem, n = self.question.problem, len(self.question.labels)
        held = self._depends()
        linear = _union(held[p] for p in self.equations)
        if linear >> n:
            raise Refusal("the accelerations are not solved from linear equations", "problem")
        # Unknowns depend on what their equations depend on.
        self._held = [m & ~(1 << n) | linear if m >> n else m for m in held]
        self._always = linear | _union(self._held[p] for p in (*self.ties, *self.functions))
        left = set(range(n))
        while True:
            used = self._always | _union(self._held[problem["field"][i]] for i in left)
            unused = {i for i in left if not used >> i & 1}
            if not unused:
                break
            left -= unused
        self.measured = sorted(left)
        self.free = [i for i in range(n) if i not in left]
        require(self.measured, "no rate depends on a state", "problem.field")
        self.sides = self.measured

    def _depends(self) -> list[int]:
        """Of each node the states that it depends on, as bits; the bit beyond stands for unknowns."""
        q, found = self.question, list[int]()
        bits = {p: 1 << i for i, p in enumerate(q.states)}
        bits |= dict.fromkeys(self.unknowns, 1 << len(q.labels))
        for i, node in enumerate(q.table):
            if node[0] == "sym":
                found.append(bits.get(i, 0))
            else:
                found.append(_union(found[j] for j in children(node)))
        return found

    def _require_entire(self) -> None:
        """Where rates depend on what is free they have values whatever it may be."""
        table, bits = self.question.table, sum(1 << i for i in self.free)
        for i in reachable(table, self.motion):
            kind, *parts = table[i]
            if not self._held[i] & bits:
                continue
            divides = kind == "prod" and any(e < 0 and self._held[j] & bits for j, e in parts[1])
            if divides or (kind == "fun" and parts[0] not in ENTIRE):
                raise Refusal("a rate may fail with what is free", "problem.field")

    # -- values over cells ---------------------------------------------------------------------------

    def over(self, cell: Sequence[arb], bent: bool = False) -> Slopes:
        """Slopes where the deviations of what is measured are in balls.

        Parameters
        ----------
        bent : bool
            In mean value form from the middle of the cell, by second derivatives: narrower, and slower.
        """
        found = _Over(self, cell, bent).slopes
        return self.beside.slopes_across(found, cell) if self.beside else found

    @cached_property
    def motion(self) -> list[int]:
        """Places of all rates, of what the accelerations solve, and of what is kept by identities."""
        identities = nodes_of_identities(self.question) if self.ties else []
        return list(dict.fromkeys([*self.question.problem["field"], *self.equations, *identities]))

    @cached_property
    def nodes_with_slopes(self) -> list[int]:
        """Places of the rates along the sides, of ties and of further functions."""
        field = self.question.problem["field"]
        return [*(field[i] for i in self.sides), *self.ties, *self.functions]

    @property
    def unknowns(self) -> list[int]:
        """Places of the accelerations."""
        return self.question.unknowns

    def at(self, deviations: Sequence[arb], order: int) -> dict[int, Jet]:
        """Constants, and states at their values."""
        if self.beside:
            return self.beside.jets_at(deviations, order)
        found = dict(self.still[order])
        for i in self.free:  # of what depends on it values are asked for alone, and it has them everywhere
            found[self.question.states[i]] = Jet({(): self.point[i]}, order)
        for k, (i, y) in enumerate(zip(self.measured, deviations, strict=True)):
            found[self.question.states[i]] = Jet({(): self.point[i] + y, (k,): arb(1)}, order)
        return found

    def deviations(self, state: Sequence[fmpq | arb]) -> list[arb]:
        """Of a state from the point, or from the member that rests with its symbols, then of these; of angles
        up to whole turns where these change nothing.
        """
        found, moved = [], self.beside.symbol_steps(state) if self.beside else []
        rests = self.at([*[arb(0)] * len(self.measured), *moved], 1)
        for i, e in ((i, rests[self.question.states[i]].value) for i in self.measured):
            away = arb(state[i]) - e
            if self.question.labels[i] in self.turned:
                away -= 2 * arb.pi() * round(float(away.mid() / (2 * arb.pi())))
            found.append(away)
        return [*found, *moved]

    def jets(self, at: dict[int, Jet], nodes: list[int], order: int) -> list[Jet]:
        """Jets of nodes; `at` takes up what they are made of."""
        return evaluate(self.question.table, nodes, at, Balls(order=order))


class _Over:
    """The rates over one cell, with the accelerations as variables z beside the deviations y."""

    def __init__(self, field: Field, cell: Sequence[arb], bent: bool) -> None:
        self._field, self._n = field, len(field.sides)
        self._bent, self._order = bent, 2 if bent else 1
        middle = [y.mid() for y in cell]
        self._steps = {k: y - m for k, (y, m) in enumerate(zip(cell, middle, strict=True))}
        count = len(field.unknowns)
        at, centre = field.at(cell, self._order), field.at(middle, 1) if bent else {}
        equations = self._jets(at, centre, field.equations)
        z, slopes = self._solved(equations)
        if bent and count:
            middle, _ = self._solved([centre[p] for p in field.equations])
            narrow = [m + dot(row, self._steps.values()) for m, row in zip(middle, slopes, strict=True)]
            z, slopes = self._solved(equations, [a.intersection(b) for a, b in zip(z, narrow, strict=True)])
            self._steps |= {self._n + i: a - m for i, (a, m) in enumerate(zip(z, middle, strict=True))}
            centre |= self._variables(middle, 1)
        known = at | self._variables(z, self._order)
        jets, ties = self._jets(known, centre, field.nodes_with_slopes), self._n + len(field.ties)
        field.jets(known, field.motion, self._order)
        rows = [self._row(jet, slopes) for jet in jets]
        self.slopes = Slopes(
            matrix(rows[: self._n], self._n),
            matrix(rows[self._n : ties], self._n),
            rows[ties:],
            [jet.value for jet in jets[ties:]],
        )

    def _variables(self, z: Sequence[arb], order: int) -> dict[int, Jet]:
        places = zip(self._field.unknowns, z, strict=True)
        return {p: Jet({(): c, (self._n + i,): arb(1)}, order) for i, (p, c) in enumerate(places)}

    def _jets(self, at: dict[int, Jet], centre: dict[int, Jet], nodes: list[int]) -> list[Jet]:
        """Values and first derivatives, narrowed by second ones where the middle is known."""
        over = self._field.jets(at, nodes, self._order)
        if not self._bent:
            return over
        middles = self._field.jets(centre, nodes, 1)
        return [self._narrowed(jet, middle) for jet, middle in zip(over, middles, strict=True)]

    def _narrowed(self, over: Jet, middle: Jet) -> Jet:
        """A jet over the cell, by the mean value theorem from its middle."""
        slopes = {key: middle.terms.get(key, arb(0)) for key in over.terms if len(key) == 1}
        for (i, j), c in ((key, c) for key, c in over.terms.items() if len(key) == 2):
            slopes[(i,)] += c * self._steps[j]  # of c y_i y_j; with i = j both are added
            slopes[(j,)] += c * self._steps[i]
        terms = {key: over.terms[key].intersection(slope) for key, slope in slopes.items()}
        value = middle.value + dot(terms.values(), (self._steps[i] for (i,) in terms))
        return Jet(terms | {(): over.value.intersection(value)}, 1)

    def _solved(
        self, equations: list[Jet], known: list[arb] | None = None
    ) -> tuple[list[arb], list[list[arb]]]:
        """z = K^-1 b, where it is not known, and Dz = K^-1 (Db - DK z)."""
        problem, k = self._field.question.problem, len(self._field.unknowns)
        if not k:
            return [], []
        entries = list(zip(problem["matrix"], equations, strict=False))
        K = matrix_of(self._field.question, [jet.value for _, jet in entries])
        right = equations[len(entries) :]
        z = known or solution(K, matrix([[jet.value] for jet in right], 1)).entries()
        columns = [[jet.terms.get((m,), arb(0)) for m in range(self._n)] for jet in right]
        for (i, j, _), jet in entries:
            for m in range(self._n):
                if (m,) in jet.terms:
                    columns[i][m] -= jet.terms[(m,)] * z[j]
        return z, solution(K, matrix(columns, self._n)).tolist()

    def _row(self, jet: Jet, slopes: list[list[arb]]) -> list[arb]:
        """The slopes of a function of y and z along y."""
        row = [jet.terms.get((k,), arb(0)) for k in range(self._n)]
        for i, along in enumerate(slopes):
            if (c := jet.terms.get((self._n + i,))) is not None:
                row = [a + c * b for a, b in zip(row, along, strict=True)]
        return row


def dot(a: Iterable[arb], b: Iterable[arb]) -> arb:
    """The sum of products."""
    return sum((p * q for p, q in zip(a, b, strict=True)), arb(0))


def _union(masks: Any) -> int:
    found = 0
    for m in masks:
        found |= m
    return found
