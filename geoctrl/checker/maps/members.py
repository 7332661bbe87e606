r"""The question of stability of a family's members, with axes as indeterminates.

States are functions of the axes: parameters, and symbols of the family. Field, leaf, invariants, their first
and second derivatives and the unknowns are rational functions of the axes and of roots, sines and other
functions of them; the identities C1 and C3 of `geoctrl.checker.question` hold for all values of the
axes. All that follows is a sign of such a function, decided on the cells of a region.
"""

from __future__ import annotations

from typing import Any

from flint import arb, ctx, fmpq

from geoctrl.checker.definite import require_inverse
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.identities import Ratio
from geoctrl.checker.jets import Jet, evaluate
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.maps.axes import Axes, FunctionsWithSquares, number_of
from geoctrl.checker.maps.bernstein import Region
from geoctrl.checker.numbers import BITS
from geoctrl.checker.question import Question
from geoctrl.checker.theorems.shape import know_integrals_in_charts

PARTS = "states", "inputs"


class Members:
    """The members of a family over axes, which are shown to be equilibria on the leaf.

    Parameters
    ----------
    problem, witness : dict
        With places of functions of the axes for states and inputs, and in the inverse of K.
    given : dict
        ``axes`` with their intervals, ``symbols`` of the family that have numbers, ``domain``, ``shape``
        over which integrals exist, and ``coordinates`` of drifts, of which members are no functions.

    Attributes
    ----------
    axes, coordinates : sequences of str
        Names of the variables: the axes, then symbols that are let move; and of the coordinates.
    places : dict of name -> place
        Of all symbols.
    region : Region
        Of the variables, those that are let move about their numbers.
    field : Axes
    question : Question
    conditions : list
        Under which all functions of the problem have values, within the domain of the model.
    """

    def __init__(self, problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> None:
        table, axes, moving = problem["nodes"], given["axes"], given.get("moving", {})
        parts = problem["parameters"], given["symbols"], moving, axes
        values: dict[str, Any] = {k: q for part in parts for k, q in part.items()}
        self._middles = values | {k: (a + b) / 2 for k, (a, b) in axes.items()}
        self.places = {node[1]: i for i, node in enumerate(table) if node[0] == "sym"}
        self.axes, self.coordinates = [*axes, *moving], given.get("coordinates", ())
        held = {
            k
            for k, i in self.places.items()
            if table[i][2] == "parameter" or (table[i][2] == "family" and k not in self.coordinates)
        }
        require(
            held == set(values) and len(values) == sum(map(len, parts)),
            "parameters and symbols of the family have one number or axis each",
            "theorem.axes",
        )
        self.problem, self.given = problem, given
        F = self.field = Axes(len(axes) + len(moving), table, dict(witness["roots"]))
        self.region = Region(F.functions, [*axes.values(), *((q, q) for q in moving.values())])
        values |= zip([*axes, *moving], F.functions.variables, strict=True)
        F.symbols = {self.places[k]: Jet({(): F.number(q)}, 2) for k, q in values.items()}
        self.question, self.conditions = F.noting(lambda: self._question(witness, values))

    def _question(self, witness: dict[str, Any], values: dict[str, Any]) -> Question:
        """C0 to C3, identically in the axes."""
        F, problem = self.field, self.problem
        at = {
            part: dict(zip(problem[part], map(number_of, self._values(part)), strict=True)) for part in PARTS
        }
        at["parameters"] = {k: values[k] for k, i in self.places.items() if F.table[i][2] == "parameter"}
        q = Question(
            problem | at,
            witness | {"inverse": [F.values(row) for row in witness["inverse"]]},
            F,
            FunctionsWithSquares,
        )
        q.variables += (p for p, c in q.values.items() if isinstance(c, Ratio) and p not in q.states)
        q.require_kept(problem["invariants"])
        q.require_rest()
        know_integrals_in_charts(q, self.given)
        for jet in q.jets(self.given["domain"]):
            F.require_positive(jet.value)
        return q

    def _values(self, part: str) -> list[Ratio]:
        """States or inputs as functions of the axes."""
        return self.field.values(list(self.problem[part].values()))

    def family_dimension(self, family: dict[str, Any]) -> int:
        """The dimension of the family: derivatives of the states by its symbols are independent.

        Members near by are equilibria under the same inputs.
        """
        F, problem, near = self.field, self.problem, dict(self.field.symbols)
        moving = [p for p in near if F.table[p][2] == "family" and number_of(near[p].value) is near[p].value]
        for i, p in enumerate(moving):
            near[p] = Jet({**near[p].terms, (i,): F.number(1)}, 2)
        nodes = [*problem["states"].values(), *problem["inputs"].values()]
        rows = [jet.gradient(len(moving)) for jet in evaluate(F.table, nodes, near, F)]
        if any(c != 0 for row in rows[len(problem["states"]) :] for c in row):
            raise Refusal("members are not held by the same inputs", "problem.inputs")
        tangents = dict(zip(problem["states"], rows, strict=False))
        inverse = [F.values(row) for row in family["inverse"]]
        require_inverse([tangents[k] for k in family["along"]], inverse, len(moving), "theorem.proofs")
        return len(moving)

    def require_regular(self, leaf: dict[str, Any]) -> None:
        """Gradients of some relations of the leaf are independent at the middle of the axes, in balls."""
        problem, table, n = self.problem, self.field.table, len(self.problem["states"])
        with ctx.workprec(BITS):
            numbers = Balls([fmpq(0)] * n)
            at = {self.places[k]: Jet({(): arb(q)}, 2) for k, q in self._middles.items()}
            for part in PARTS:
                jets = evaluate(table, list(problem[part].values()), at, numbers)
                for i, (k, jet) in enumerate(zip(problem[part], jets, strict=True)):
                    at[self.places[k]] = Jet(
                        {(): jet.value} | ({(i,): fmpq(1)} if part == "states" else {}), 2
                    )
            places = [problem["leaf"][k] for k in leaf["rows"]]
            D = [jet.gradient(n) for jet in evaluate(table, places, at, numbers)]
            fixed = [i for i, k in enumerate(problem["states"]) if k not in leaf["free"]]
            numbers.inverse([[row[i] for i in fixed] for row in D], leaf["inverse"], "theorem.leaf")
