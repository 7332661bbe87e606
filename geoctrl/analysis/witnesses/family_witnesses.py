"""Witnesses of families: identities along them, and a form that falls across them."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.analysis.question.ratio_writer import RatioWriter
from geoctrl.analysis.witnesses.cofactors import Cofactor, cofactors_of_zero
from geoctrl.analysis.witnesses.lyapunov_forms import falling_form, form_triangle
from geoctrl.analysis.witnesses.point_witnesses import PointWitnesses, in_checker, inverse_of, texts
from geoctrl.decisions.arithmetic.eliminations import Rows, independent, product
from geoctrl.decisions.functions.derivatives import Jet, evaluate
from geoctrl.decisions.functions.identities_by_division import Ratio
from geoctrl.decisions.theorems.family_decision import Manifold, invariant_manifold, symbols_as_variables

__all__ = ["drift", "family", "family_by_states", "family_through", "laws_along"]


class _Motions:
    """The family of a problem, with cofactors of what vanishes along it."""

    def __init__(self, point: PointWitnesses) -> None:
        self._point, q = point, point.question
        self.manifold: Manifold = invariant_manifold(q)
        F, given = self.manifold.functions, q.problem["family"]
        self.along: dict[int, Jet] = symbols_as_variables(q, F)
        self.members = self.values([*given["states"], *given["unknowns"]])
        self.rates = self.values(given.get("rates", [])) or [Jet(F.number(fmpq(0)))] * len(given["symbols"])

    def values(self, nodes: list[int]) -> list[Jet]:
        """Nodes as functions of the symbols."""
        return evaluate(self._point.question.table, nodes, self.along, self.manifold.functions, 1)

    def cofactors(self, zeros: list[Ratio]) -> list[list[Cofactor]]:
        """Those of functions that vanish."""
        point, q = self._point, self._point.question
        symbols = [q.place["family", k] for k in q.problem["family"]["symbols"]]
        roots = q.problem["roots"]
        writer = RatioWriter(point.table, self.manifold.functions, symbols, self.along, roots)
        return [cofactors_of_zero(writer, point.table, zero) for zero in zeros]

    def identities(self) -> list[Ratio]:
        """What vanishes of leaf, field and unknowns, in order."""
        q, n = self._point.question, len(self._point.question.labels)
        zero = self.manifold.functions.number(fmpq(0))
        found = self.manifold.values(q, list(q.problem["leaf"].values()))
        for jet, value in zip(self.members, self.manifold.values(q, q.problem["field"]), strict=False):
            speed = sum((slope * self.rates[i].value for i, slope in jet.first.items()), zero)
            found.append(value - speed)
        defects = self.manifold.values(q, q.problem["right"])
        for i, j, p in q.problem["matrix"]:
            defects[i] = defects[i] - self.manifold.values(q, [p])[0] * self.members[n + j].value
        return [*found, *defects]

    def data(self, along: list[str]) -> dict[str, Any]:
        """The family as a file has it, with the states along which its tangents are inverted."""
        q, T = self._point.question, self.manifold.tangents
        given = q.problem["family"]
        return {
            "symbols": {k: str(v) for k, v in given["symbols"].items()},
            "states": given["states"],
            "unknowns": given["unknowns"],
            "rates": given.get("rates", []),
            "along": along,
            "inverse": texts(inverse_of([T[q.labels.index(k)] for k in along])),
            "cofactors": self.cofactors(self.identities()),
        }

    def states_that_are_symbols(self) -> list[str]:
        """States that stand for themselves in the family."""
        q = self._point.question
        given = q.problem["family"]
        places = [q.place["family", k] for k in given["symbols"]]
        return [k for k, place in zip(q.labels, given["states"], strict=True) if place in places]

    def independent_states(self, labels: list[str]) -> list[str]:
        """Of some states as many along which the tangents are independent."""
        rows: Rows = []
        found = []
        for label in labels:
            row = self.manifold.tangents[self._point.question.labels.index(label)]
            if independent(rows, row):
                rows.append(row)
                found.append(label)
        return found


def family(point: PointWitnesses) -> dict[str, Any]:
    """A family of equilibria, and a form that falls across it."""
    basis = point.basis(list(point.question.problem["leaf"]))
    found, free = _Motions(point), basis["free"]
    along = found.independent_states(free)
    B = dict(zip(free, point.motion(basis), strict=True))
    T = dict(zip(point.question.labels, found.manifold.tangents, strict=True))
    beside = [k for k in free if k not in along]
    data = found.data(along)
    weights = product([T[k] for k in beside], inverse_of([T[k] for k in along]))
    across = [[in_checker(c) for c in row] for row in weights]
    quotient = []
    for k, row in zip(beside, across, strict=True):
        moved = [
            sum((w * B[a][j] for w, a in zip(row, along, strict=True)), fmpq(0)) for j in range(len(free))
        ]
        quotient.append([B[k][j] - moved[j] for j, other in enumerate(free) if other in beside])
    return {"name": "family", **basis, "family": data, "P": form_triangle(falling_form(quotient))}


def family_through(point: PointWitnesses, labels: list[str] | None = None) -> dict[str, Any]:
    """The family through a point, as a file has it, along the first of some states that can be."""
    found = _Motions(point)
    return found.data(found.independent_states(labels or point.question.labels))


def family_by_states(point: PointWitnesses) -> dict[str, Any]:
    """The family through a point of which the symbols are states."""
    found = _Motions(point)
    return found.data(found.independent_states(found.states_that_are_symbols()))


def laws_along(point: PointWitnesses) -> list[list[Cofactor]]:
    """Cofactors of what vanishes along the family of a loop: laws less commands, rates of its own states."""
    found, q = _Motions(point), point.question
    held, members = q.problem["held"], dict(zip(q.labels, found.members, strict=False))
    asked = found.manifold.values(q, list(held["commands"].values()))
    zeros = [u - members[k].value for k, u in zip(held["commands"], asked, strict=True)]
    return found.cofactors([*zeros, *found.manifold.values(q, list(held["own"].values()))])


def drift(point: PointWitnesses) -> dict[str, Any]:
    """A family of motions of which one symbol stays and another one drifts."""
    found, given = _Motions(point), point.question.problem["drift"]
    F, symbols = found.manifold.functions, point.question.problem["family"]["symbols"]
    rates = dict(zip(symbols, (jet.value for jet in found.rates), strict=True))
    rate = found.values([given["slope"]])[0].value
    for _ in range(given["power"]):
        rate = rate * (found.manifold.symbols[given["constant"]] - F.number(symbols[given["constant"]]))
    data = found.data(found.independent_states(point.question.labels))
    cofactors = found.cofactors([rates[given["constant"]], rates[given["drifting"]] - rate])
    leaf = point.basis(list(point.question.problem["leaf"]))
    return {"name": "drift", "leaf": leaf, "family": data, **given, "cofactors": cofactors}
