"""What a file holds of a setting: its variables as nodes, what is still, and its relations as combinations of
the equations.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import copy_context
from typing import Any

from flint import ctx, fmpq

from geoctrl.analysis.quadratics.ring import Polynomial, Vanishing
from geoctrl.analysis.quadratics.setting import Setting
from geoctrl.analysis.question.ratio_writer import RatioWriter
from geoctrl.analysis.witnesses.content import content_of_file, parts_as_read
from geoctrl.analysis.witnesses.point_witnesses import ExactWitnesses
from geoctrl.checker.numbers import BITS, set_roots
from geoctrl.checker.reader import conform
from geoctrl.checker.squares.file import SQUARES
from geoctrl.checker.squares.polynomial_motion import PolynomialMotion
from geoctrl.decisions.reading.problem_reader import Refusal

__all__ = ["SettingContent"]

ONE = fmpq(1)
Terms = list[list[Any]]
"""Coefficients with their monomials, ready for JSON."""


class SettingContent:
    """The content of files about a setting, but for what shows that a function falls.

    Parameters
    ----------
    heading : dict
    problem : dict
        The equations, ready for JSON.
    asked : dict
        Domain, limits and levels, ready for JSON.
    """

    def __init__(
        self, heading: dict[str, Any], problem: dict[str, Any], asked: dict[str, Any], setting: Setting
    ) -> None:
        self._setting = setting
        # Variables of the search first: what it leaves out has no place in squares.
        others = [i for i in setting.all if i not in setting.variables]
        self._places = {i: k for k, i in enumerate([*setting.variables, *others])}
        with ctx.workprec(BITS):
            self._content = copy_context().run(self._equations, heading, problem, asked)
        self._scales = self._scales_of_equations()
        still = [
            {
                "variable": self._places[i],
                "cofactor": self._terms(cofactor),
                "terms": self._combination(vanishing),
            }
            for i, cofactor, vanishing in setting.still
        ]
        self._relations = [self._combination(v) for v in setting.vanishing]
        self._content["theorem"]["still"] = still

    def with_proof(self, proposal: Mapping[str, Any]) -> dict[str, Any]:
        """The content with a function, sums of squares, and multipliers of the relations."""
        pairs = zip(self._relations, proposal["multipliers"], strict=True)
        relations = [{"terms": terms, "times": times} for terms, times in pairs if times]
        proof = {k: v for k, v in proposal.items() if k != "multipliers"} | {"relations": relations}
        return self._content | {"theorem": self._content["theorem"] | proof}

    def _equations(
        self, heading: dict[str, Any], problem: dict[str, Any], asked: dict[str, Any]
    ) -> dict[str, Any]:
        set_roots(problem.get("roots", []))
        point, q = ExactWitnesses(problem), self._setting.question
        writer = RatioWriter.of(q, point.table)
        symbols = dict(zip([*self._setting.states, *self._setting.unknowns], q.moving_places, strict=True))
        roots = {i for i in self._places if self._setting.value_of_root(i) is not None}
        symbols |= {i: writer.function_node(i) for i in roots}
        variables = [symbols[i] if i in symbols else writer.function(i) for i in self._places]
        if roots:  # those that are new have values at the point as well, which a file holds
            point = ExactWitnesses(problem | {"nodes": point.table.rows})
        leaf = point.basis(list(problem["leaf"]))
        theorem = {
            "name": "squares",
            **asked,
            "leaf": leaf,
            "variables": variables,
        }
        return content_of_file(heading, point, theorem, [*problem["leaf"], *asked["levels"]])

    def _scales_of_equations(self) -> list[fmpq]:
        """What the checker's equations are times to be those of the setting: both have numerators, up to a
        number.
        """
        theorem = self._content["theorem"]
        parts = ("levels", "variables", "domain", "limits")
        given = {k: conform(theorem[k], SQUARES[k]) for k in parts} | {"still": []}
        motion = PolynomialMotion(*parts_as_read(self._content), given)
        found = []
        for own, other in zip(self._setting.equations, motion.relations, strict=True):
            a = self._coefficients(own, self._places)
            b = self._coefficients(other, {i: k for k, i in enumerate(motion.variables)})
            scale = next((c / b[m] for m, c in a.items() if m in b), fmpq(1))
            if a != {m: scale * c for m, c in b.items()}:
                raise Refusal("the equations of the file are others than those of the search", "problem")
            found.append(scale)
        return found

    @staticmethod
    def _coefficients(p: Polynomial, places: Mapping[int, int]) -> dict[tuple[tuple[int, int], ...], fmpq]:
        return {
            tuple(sorted((places[i], int(e)) for i, e in enumerate(exponents) if e)): c
            for exponents, c in p.terms()
        }

    def _terms(self, p: Polynomial, scale: fmpq = ONE) -> Terms:
        """A polynomial in the variables of the file."""
        own = self._coefficients(p, self._places)
        return [[[list(pair) for pair in m], str(c * scale)] for m, c in own.items()]

    def _combination(self, vanishing: Vanishing) -> list[list[Any]]:
        """A combination of equations; rates of what is still come behind them."""
        return [
            [k, self._terms(p, self._scales[k] if k < len(self._scales) else ONE)]
            for k, p in vanishing.terms.items()
            if p
        ]
