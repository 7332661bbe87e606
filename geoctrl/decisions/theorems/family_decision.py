r"""Motions that a file names as functions of symbols s, and what follows from them.

States :math:`\varphi(s)`, unknowns :math:`z(s)` and rates :math:`\dot s = r(s)`. Proved are
:math:`\varphi(s_e) = e`, that :math:`D\varphi(s_e)` has full rank k, and as identities in s that the leaf
vanishes at :math:`\varphi(s)`, that z(s) solves :math:`K z = b` there, and that
:math:`f(\varphi(s)) = D\varphi(s)\,r(s)`: the image is an invariant manifold, of equilibria where r = 0.

Attraction (Lyapunov, Malkin): where the characteristic polynomial of the linearisation on the leaf is
:math:`x^k q(x)` with all roots of q to the left of the axis, and a manifold of k dimensions of equilibria
goes through the point, the point is stable, and near solutions converge to the manifold's points: it is a
centre manifold, on which nothing moves. The kernel of the linearisation is no such family: :math:`\dot y =
y^3` has one and no equilibria but zero.

Drift: where a symbol c stays as it is and another one moves as :math:`\dot\theta = (c - c_e)^p\, u(s)` with
:math:`u(s_e) \ne 0`, the point is unstable: however near to it c is chosen, :math:`\theta` leaves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from flint import fmpq

from geoctrl.decisions.arithmetic.eliminations import (
    Rows,
    characteristic,
    locate,
    matrix,
    nullspace,
    restricted,
)
from geoctrl.decisions.functions.derivatives import Jet, Numbers, evaluate
from geoctrl.decisions.functions.identities_by_division import Functions, Ratio
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.reading.problem_reader import Refusal

ATTRACTION, DRIFT = "spectrum and a family of equilibria", "drift"
_WHERE = "problem.family"


class Manifold(NamedTuple):
    """An invariant manifold through the point: its symbols as functions, and their rates.

    ``tangents`` are the rows of the derivative of the states by the symbols at the point, ``states`` the
    states along it by label, and ``here`` what is known along it by place.
    """

    functions: Functions
    tangents: Rows
    symbols: dict[str, Ratio]
    rates: dict[str, Ratio]
    states: dict[str, Ratio]
    here: dict[int, Jet]

    def values(self, q: Question, nodes: list[int]) -> list[Ratio]:
        """Functions of states, unknowns, inputs and parameters along it."""
        return [jet.value for jet in evaluate(q.table, nodes, dict(self.here), self.functions, 1)]


def resting_family(q: Question) -> Manifold:
    """The manifold that the file names, proved to be one of equilibria; Refusal otherwise."""
    found = invariant_manifold(q)
    if any(found.functions.remainder(rate) for rate in found.rates.values()):
        raise Refusal("members of the family are not proved to be equilibria", _WHERE)
    return found


def attracting_family(q: Question, _: dict[str, Any], findings: dict[str, Any]) -> tuple[str, str]:
    """Verdict and method where a family of equilibria explains all zeros; Refusal otherwise."""
    zeros = require_damped(q, findings)
    found = resting_family(q)
    if len(found.symbols) != zeros:
        raise Refusal(f"the family has {len(found.symbols)} dimensions, and {zeros} roots are zero", _WHERE)
    findings["family_dimension"] = zeros
    return "PROVED_STABLE", ATTRACTION


def require_damped(q: Question, findings: dict[str, Any]) -> int:
    """The number of zero roots on the leaf, all others, if there are any, proved to lie to the left of the
    axis.
    """
    tangent, regular = q.leaf
    if not regular:
        raise Refusal("gradients of the leaf are dependent at the point", "problem.leaf")
    whole = restricted(q.linearisation, nullspace(tangent, len(q.labels)))
    polynomial = characteristic(whole)
    findings["characteristic_polynomial_on_leaf"] = [str(c) for c in polynomial]
    zeros = next(k for k, c in enumerate(reversed(polynomial)) if c)
    rest = polynomial[: len(polynomial) - zeros]
    if not zeros or not (len(rest) == 1 or locate(rest)[1]):
        raise Refusal("not all roots but zero are proved to lie to the left of the axis", "problem")
    return zeros


def drift(q: Question, _: dict[str, Any], findings: dict[str, Any]) -> tuple[str, str]:
    """Verdict and method where motions near the point drift away; Refusal otherwise."""
    given = q.problem["drift"]
    if "family" not in q.problem or given["constant"] == given["drifting"]:
        raise Refusal("a drift needs a family, and two of its symbols", "problem.drift")
    found = invariant_manifold(q)
    try:
        still, moving = (found.rates[given[part]] for part in ("constant", "drifting"))
    except KeyError as error:
        raise Refusal(f"the family has no symbol {error}", "problem.drift") from error
    symbols = q.problem["family"]["symbols"]
    F = found.functions
    away = found.symbols[given["constant"]] - symbols[given["constant"]]
    power = F.number(fmpq(1))
    for _step in range(given["power"]):
        power = power * away
    at = q.numbers_of("input", "parameter") | {q.place["family", k]: v for k, v in symbols.items()}
    (slope,) = evaluate(q.table, [given["slope"]], {p: Jet(v) for p, v in at.items()}, q.numbers, 1)
    if not slope.value:
        raise Refusal("the slope of the drift vanishes at the point", "problem.drift")
    (u,) = evaluate(q.table, [given["slope"]], symbols_as_variables(q, F), F, 1)
    if F.remainder(still) or F.remainder(moving - power * u.value):
        raise Refusal("the drift is not proved", "problem.drift")
    place = list(symbols).index(given["drifting"])
    findings["drifting"] = [label for label, row in zip(q.labels, found.tangents, strict=True) if row[place]]
    return "PROVED_UNSTABLE", DRIFT


def symbols_as_variables(q: Question, F: Functions) -> dict[int, Jet]:
    """Inputs and parameters as numbers, symbols of the family as variables with a direction each."""
    jets = {p: Jet(F.number(v)) for p, v in q.numbers_of("input", "parameter").items()}
    bound = [q.place["family", k] for k in q.problem["family"]["symbols"]]
    one = F.number(fmpq(1))
    return jets | {p: Jet(x, {i: one}) for i, (p, x) in enumerate(zip(bound, F.variables, strict=True))}


def invariant_manifold(q: Question) -> Manifold:
    """The manifold that the file names; Refusal where it is not proved to be one, invariant and on the leaf.

    The equations may not hold the symbols of the family: they are looked up where those have no value.
    """
    given = q.problem["family"]
    symbols, places = given["symbols"], [*given["states"], *given["unknowns"]]
    n, k = len(q.labels), len(symbols)
    if len(given["states"]) != n or len(given["unknowns"]) != len(q.problem["unknowns"]):
        raise Refusal("one function is needed for each state and each unknown", _WHERE)
    if not k or len(given.get("rates", [])) not in (0, k):
        raise Refusal("a family has symbols, and rates for all of them or for none", _WHERE)
    tangents = _tangents(q, [*places, *given.get("rates", [])])
    F = Functions(k, q.count_of_functions, q.sign, q.numbers.deadline)
    along = symbols_as_variables(q, F)
    members = evaluate(q.table, places, along, F, 1)
    rates = [jet.value for jet in evaluate(q.table, given.get("rates", []), along, F, 1)]
    rates = rates or [F.number(fmpq(0))] * k
    here = {p: jet for p, jet in along.items() if not jet.first}
    here |= {p: Jet(jet.value) for p, jet in zip(q.moving_places, members, strict=True)}

    def values(nodes: list[int]) -> list[Ratio]:
        return [jet.value for jet in evaluate(q.table, nodes, here, F, 1)]

    if any(map(F.remainder, values(list(q.problem["leaf"].values())))):
        raise Refusal("the family is not proved to be on the leaf", _WHERE)
    zero = F.number(fmpq(0))
    for jet, value in zip(members, values(q.problem["field"]), strict=False):
        speed = sum((slope * rates[i] for i, slope in jet.first.items()), zero)
        if F.remainder(value - speed):
            raise Refusal("motions of the family are not proved to be motions of the system", _WHERE)
    defects, z = values(q.problem["right"]), members[n:]
    for i, j, p in q.problem["matrix"]:
        defects[i] = defects[i] - values([p])[0] * z[j].value
    if any(map(F.remainder, defects)):
        raise Refusal("unknowns of the family do not solve their equations", _WHERE)
    variables, speeds = (dict(zip(symbols, values, strict=True)) for values in (F.variables, rates))
    states = {label: jet.value for label, jet in zip(q.labels, members, strict=False)}
    return Manifold(F, tangents, variables, speeds, states, here)


def _tangents(q: Question, places: list[int]) -> Rows:
    """Those of the family, which goes through the point and has values there; refused where dependent."""
    symbols = q.problem["family"]["symbols"]
    near = {p: Jet(v) for p, v in q.numbers_of("input", "parameter").items()}
    bound = {q.place["family", k]: v for k, v in symbols.items()}
    near |= {p: Jet(v, {i: fmpq(1)}) for i, (p, v) in enumerate(bound.items())}
    n = len(q.labels)
    evaluate(q.table, places[n:], dict(near), q.numbers, 1)  # nothing divides by zero there
    slopes = evaluate(q.table, places[:n], near, Numbers(True, q.problem["roots"]), 1)
    if any(jet.value != v for jet, v in zip(slopes, q.problem["states"].values(), strict=True)):
        raise Refusal("the family does not go through the point", _WHERE)
    rows = [[jet.first.get(i, fmpq(0)) for i in range(len(symbols))] for jet in slopes]
    if matrix(rows, len(symbols)).rank() != len(symbols):
        raise Refusal("the family is no manifold at the point: its tangents are dependent", _WHERE)
    return rows
