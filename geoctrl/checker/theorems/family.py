r"""Motions that a file names as functions of symbols s, and what follows from them.

States :math:`\varphi(s)`, unknowns :math:`z(s)` and rates :math:`\dot s = r(s)`. Proved are
:math:`\varphi(s_e) = e`, that some rows of :math:`T = D\varphi(s_e)` have an inverse, and as identities in s
that the leaf vanishes at :math:`\varphi(s)`, that z(s) solves :math:`K z = b` there, and that
:math:`f(\varphi(s)) = D\varphi(s)\,r(s)`: the image is an invariant manifold, of equilibria where r = 0.

Attraction (Lyapunov, Malkin): of a manifold of equilibria the tangents are in the kernel of the linearisation
B on the leaf. Where the quotient of B by them has all roots to the left of the axis, shown by a form P, the
point is stable, and near motions converge to points of the manifold: it is a centre manifold, on which
nothing moves. The kernel of the linearisation is no such family: :math:`\dot y = y^3` has one and no
equilibria but zero.

Drift: where a symbol c stays as it is and another one moves as :math:`\dot\theta = (c - c_e)^p\, u(s)` with
:math:`u(s_e) \ne 0`, the point is unstable: however near to it c is chosen, :math:`\theta` leaves.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.checker.definite import Rows, product, require_inverse
from geoctrl.checker.identities import Along, Ratio
from geoctrl.checker.jets import Jet, Numbers, evaluate
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import number_text, rational
from geoctrl.checker.question import Question, defects
from geoctrl.checker.reader import COFACTORS, EXPONENT, integer, label, place
from geoctrl.checker.verdicts import (
    BASIS,
    LEAF,
    Found,
    at_rest,
    require_fall,
    tangent_motion,
    tangents,
)

FAMILY = {
    "symbols": {...: number_text},
    "states": [place],
    "unknowns": [place],
    "rates": [place],
    "along": [label],
    "inverse": [[number_text]],
    "cofactors": [COFACTORS],
}
"""``along`` are states whose rows of the tangents have the inverse; ``cofactors`` those of the identities of
the leaf, the field and the unknowns, in order."""
ATTRACTION = BASIS | {"family": FAMILY, "P": [[rational]]}
DRIFT = {
    "name": label,
    "leaf": LEAF,
    "family": FAMILY,
    "constant": label,
    "drifting": label,
    "power": integer(1, EXPONENT),
    "slope": place,
    "cofactors": [COFACTORS],
}


def symbols_of_family(q: Question) -> dict[str, int]:
    """Places of the symbols that are those of a family."""
    return {node[1]: i for i, node in enumerate(q.table) if node[0] == "sym" and node[2] == "family"}


class Manifold:
    """The invariant manifold that a file names; Refusal where it is not proved to be one.

    Attributes
    ----------
    tangents : rows of the derivative of the states by the symbols at the point, by label
    symbols : the symbols as functions, by name
    rates : their rates, by name
    along : functions of the symbols
    """

    def __init__(self, q: Question, given: dict[str, Any]) -> None:
        symbols, labels, k = given["symbols"], q.labels, len(given["symbols"])
        places = [symbols_of_family(q)[name] for name in symbols]
        exact = {
            p: Jet({(): v, (i,): fmpq(1)}, 2)
            for i, (p, v) in enumerate(zip(places, symbols.values(), strict=True))
        }
        self._q = q
        self._at = q.at | {
            p: Jet({**jet.terms, (): q.numbers.number(jet.value)}, 2) for p, jet in exact.items()
        }
        # The point itself is exact, also where the equations are known there in balls alone.
        exact |= {p: Jet({(): v}, 2) for p, v in q.values.items()}
        at = evaluate(q.table, given["states"], exact, Numbers(dict(q.witness["roots"])))
        require(
            k and [jet.value for jet in at] == list(q.problem["states"].values()),
            "the family does not go through the point",
            "theorem.family",
        )
        self.tangents = {label: jet.gradient(k) for label, jet in zip(labels, at, strict=True)}
        rows = [self.tangents[name] for name in given["along"]]
        require_inverse(rows, given["inverse"], k, "theorem.family")
        F = q.functions_of(k, self.jets)
        constants = {p: Jet({(): F.number(v)}, 1) for p, v in q.values.items() if p not in q.states}
        bound = {
            p: Jet({(): x, (i,): F.number(1)}, 1)
            for i, (p, x) in enumerate(zip(places, F.variables, strict=True))
        }
        self.along = Along(q.table, F, constants | bound, self.jets)
        self.symbols = dict(zip(symbols, F.variables, strict=True))
        rates = self.along.ratios(given["rates"]) or [F.number(0)] * k
        self.rates = dict(zip(symbols, rates, strict=True))
        states, z = self.along.jets(given["states"]), self.along.ratios(given["unknowns"])
        here = constants | {p: Jet({(): jet.value}, 1) for p, jet in zip(q.states, states, strict=True)}
        here |= {p: Jet({(): value}, 1) for p, value in zip(q.unknowns, z, strict=True)}
        self.members = Along(q.table, F, here, self.jets)
        fields = zip(states, self.members.ratios(q.problem["field"]), strict=True)
        vanishing = self.members.ratios(list(q.problem["leaf"].values()))
        vanishing += [
            f - sum((jet.terms.get((i,), F.number(0)) * r for i, r in enumerate(rates)), F.number(0))
            for jet, f in fields
        ]
        vanishing += defects(q.problem, self.members, z)
        self.require_zero(vanishing, given["cofactors"])

    def jets(self, nodes: Any) -> list[Jet]:
        """Values at the point, of functions of states or symbols."""
        return evaluate(self._q.table, nodes, self._at, self._q.numbers)

    def require_zero(self, functions: list[Ratio], cofactors: list[Any]) -> None:
        """Each function of the symbols is sum q r with its cofactors, and so zero."""
        if any(f != self.along.combination(rows, {}) for f, rows in zip(functions, cofactors, strict=True)):
            raise Refusal("the family is not proved to be one of motions on the leaf", "theorem.family")


def attracting_family(q: Question, witness: dict[str, Any]) -> Found:
    """Verdict where the linearisation falls across a manifold of equilibria; Refusal otherwise."""
    family, free = Manifold(q, witness["family"]), witness["free"]
    require({*witness["rows"]} == {*q.problem["leaf"]}, "attraction is one of the whole leaf", "theorem.rows")
    if any(rate != 0 for rate in family.rates.values()):
        raise Refusal("members of the family are not proved to be equilibria", "theorem.family.rates")
    B, given = tangent_motion(q, witness), witness["family"]
    sides = {k: [q.numbers.number(c) for c in row] for k, row in family.tangents.items()}
    inverse = [[q.numbers.number(c) for c in row] for row in given["inverse"]]
    require_fall(quotient(B, free, given["along"], sides, inverse), witness["P"])
    found = {"family_dimension": len(given["along"])}
    return Found("PROVED_STABLE", "spectrum and a family of equilibria", found)


def quotient(B: Rows, free: list[str], along: list[str], T: dict[str, Any], inverse: Rows) -> Rows:
    """B beside vectors in its kernel, of which some rows have an inverse; Refusal if not there."""
    sides = [T[k] for k in free]
    require(
        {*along} <= {*free} and not any(any(c != 0 for c in row) for row in product(B, sides)),
        "tangents of the family are not seen to be in the kernel",
        "theorem.family.along",
    )
    return reduced_matrix(B, sides, inverse, [free.index(k) for k in along])


def reduced_matrix(B: Rows, T: Rows, inverse: Rows, along: list[int]) -> Rows:
    """B modulo the columns of T, which it keeps, and of which some rows T_a have an inverse.

    Of y the others, y_b - T_b T_a^-1 y_a, are coordinates across.
    """
    beside = [i for i in range(len(B)) if i not in along]
    moved = product(product([T[i] for i in beside], inverse), [B[a] for a in along])
    return [[B[i][j] - row[j] for j in beside] for i, row in zip(beside, moved, strict=True)]


def require_independent(q: Question, leaf: dict[str, Any]) -> None:
    """Refused unless these are relations of the leaf whose gradients at the point are independent."""
    require({*leaf["rows"]} <= {*q.problem["leaf"]}, "it is no relation of the leaf", "theorem.leaf.rows")
    tangents(q, leaf)


def drift(q: Question, witness: dict[str, Any]) -> Found:
    """Verdict where motions near the point drift away; Refusal otherwise."""
    family, constant, drifting = (Manifold(q, witness["family"]), witness["constant"], witness["drifting"])
    require_independent(q, witness["leaf"])
    (slope,) = family.jets([witness["slope"]])
    require(
        slope.value is not None and slope.value != 0 and constant != drifting,
        "a drift needs two symbols, and a slope that does not vanish at the point",
        "theorem.slope",
    )
    away = family.symbols[constant] - family.along.functions.number(witness["family"]["symbols"][constant])
    (rate,) = family.along.ratios([witness["slope"]])
    for _ in range(witness["power"]):
        rate = rate * away
    family.require_zero([family.rates[constant], family.rates[drifting] - rate], witness["cofactors"])
    place = list(witness["family"]["symbols"]).index(drifting)
    moved = [k for k, row in family.tangents.items() if row[place] != 0]
    return Found("PROVED_UNSTABLE", "drift", {"drifting": moved})


THEOREMS = {
    "family": ({"theorem": ATTRACTION}, at_rest(attracting_family)),
    "drift": ({"theorem": DRIFT}, at_rest(drift)),
}
