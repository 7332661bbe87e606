r"""Motions beside the members of a family that drift away, however near to them they begin.

Given are states :math:`\varphi(w, \theta)`, unknowns z and a slope u, functions of two coordinates and of the
axes. Proved are, at :math:`w = \theta = 0`, that :math:`\varphi` is the member, and as identities in both
coordinates and all axes that the leaf vanishes at :math:`\varphi`, that z solves :math:`K z = b` there, and
:math:`f(\varphi) = w\,u\,\partial\varphi/\partial\theta`: motions with a constant w and
:math:`\dot\theta = w\,u`.

Where u and the derivative of one state by :math:`\theta` differ from zero at a member, it is unstable: of a
small :math:`\theta_0` the state :math:`\varphi(0, \theta_0)` is not the member, and from
:math:`\varphi(w, 0)`, as near to it as one likes, a motion comes to :math:`\varphi(w, \theta_0)`.
"""

from __future__ import annotations

from typing import Any

from geoctrl.checker.identities import Along
from geoctrl.checker.jets import Jet, evaluate
from geoctrl.checker.limits import require
from geoctrl.checker.maps.axes import Condition, number_of
from geoctrl.checker.maps.members import Members
from geoctrl.checker.question import defects
from geoctrl.checker.reader import label, place
from geoctrl.checker.theorems.family import symbols_of_family

DRIFT = {"by": label, "states": [place], "unknowns": [place], "slope": place, "moved": label}
"""``moved`` is a state of which the derivative by what drifts is not zero at the members."""


def drift(members: Members, given: dict[str, Any]) -> tuple[str, list[Condition]]:
    """Verdict, and the conditions of it; Refusal where it is not proved to be a drift of all members."""
    q, F, problem, named = (
        members.question,
        members.field,
        members.problem,
        symbols_of_family(members.question),
    )
    require(len({*members.coordinates} & {*named}) == 2, "two coordinates are needed", "theorem.coordinates")
    w, theta = (named[k] for k in members.coordinates)
    symbols = F.symbols | {w: Jet({(): F.number(0)}, 2), theta: Jet({(): F.number(0), (0,): F.number(1)}, 2)}
    near = dict(symbols)
    *at, slope = evaluate(q.table, [*given["states"], given["slope"]], near, F)
    require(
        [jet.value for jet in at] == list(q.problem["states"].values()),
        "the drift does not go through the members",
        "theorem.proofs",
    )
    G = q.functions_of(len(F.functions.variables) + 2, q.jets)
    x = dict(zip([*(members.places[k] for k in members.axes), w, theta], G.variables, strict=True))
    known = {
        p: Jet({d: G.number(1 if d else x.get(p, number_of(c))) for d, c in jet.terms.items()}, 1)
        for p, jet in symbols.items()
    }
    along = Along(q.table, G, known, lambda nodes: evaluate(q.table, nodes, near, F))
    places = [*(members.places[k] for k in problem["inputs"]), *q.states, *q.unknowns]
    values = along.ratios([*problem["inputs"].values(), *given["states"], *given["unknowns"]])
    here = known | {p: Jet({(): value}, 1) for p, value in zip(places, values, strict=True)}
    motion, rate = Along(q.table, G, here, q.jets), along.ratios([given["slope"]])[0] * x[w]
    vanishing = [
        f - rate * jet.terms.get((0,), G.number(0))
        for jet, f in zip(along.jets(given["states"]), motion.ratios(problem["field"]), strict=True)
    ]
    vanishing += motion.ratios(list(problem["leaf"].values()))
    vanishing += defects(problem, motion, motion.ratios(q.unknowns))
    require(all(f == 0 for f in vanishing), "it is not proved to be a motion on the leaf", "theorem.proofs")
    moved = at[q.labels.index(given["moved"])].terms.get((0,), F.number(0))
    return "unstable", [Condition(0, F.sign_and_powers(f)[1]) for f in (slope.value, moved)]
