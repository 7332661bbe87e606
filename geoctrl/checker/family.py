r"""Attraction to a family of equilibria (Lyapunov, Malkin).

Where the characteristic polynomial of the linearisation on the leaf is :math:`x^k q(x)` with all roots of q
to the left of the axis, and a manifold of k dimensions of equilibria on the leaf goes through the point, then
the point is stable, and near solutions converge to points of the family: the manifold is a centre manifold,
on which nothing moves.

The file names the family as functions of symbols s: states :math:`\varphi(s)` and unknowns
:math:`z(s)`. Proved are :math:`\varphi(s_e) = e`, that :math:`D\varphi(s_e)` has rank k, and as identities in
s that leaf and field vanish at :math:`\varphi(s)` and that z(s) solves :math:`K z = b` there. The kernel of
the linearisation is no such family: :math:`\dot y = y^3` has one and no equilibria but zero.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.checker.jets import Jet, evaluate
from geoctrl.checker.matrices import characteristic, locate, matrix, nullspace, restricted
from geoctrl.checker.polynomials import Functions
from geoctrl.checker.question import Question
from geoctrl.checker.reading import Refusal

METHOD = "spectrum and a family of equilibria"
_WHERE = "problem.family"


def attracting_family(q: Question, _: dict[str, Any], findings: dict[str, Any]) -> tuple[str, str]:
    """Verdict and method where a family explains all zeros; Refusal otherwise."""
    zeros = require_damped(q, findings)
    k = require_family(q)
    if k != zeros:
        raise Refusal(f"the family has {k} dimensions, and {zeros} roots are zero", _WHERE)
    findings["family_dimension"] = k
    return "PROVED_STABLE", METHOD


def require_damped(q: Question, findings: dict[str, Any]) -> int:
    """The number of zero roots on the leaf, all others proved to lie to the left of the axis."""
    tangent, regular = q.leaf
    if not regular:
        raise Refusal("gradients of the leaf are dependent at the point", "problem.leaf")
    whole = restricted(q.linearisation, nullspace(tangent, len(q.labels)), q.exact)
    polynomial = characteristic(whole)
    findings["characteristic_polynomial_on_leaf"] = [str(c) for c in polynomial]
    zeros = next(k for k, c in enumerate(reversed(polynomial)) if c)
    if len(polynomial) - zeros < 2 or not locate(polynomial[: len(polynomial) - zeros])[1]:
        raise Refusal("not all roots but zero are proved to lie to the left of the axis", "problem")
    return zeros


def require_family(q: Question) -> int:
    """Dimension of the manifold of equilibria that the file names; Refusal where it is not proved to be one.

    The equations may not hold the symbols of the family: they are looked up where those have no value.
    """
    given = q.problem["family"]
    symbols, places = given["symbols"], [*given["states"], *given["unknowns"]]
    if len(given["states"]) != len(q.labels) or len(given["unknowns"]) != len(q.problem["unknowns"]):
        raise Refusal("one function is needed for each state and each unknown", _WHERE)
    at: dict[int, Jet] = {p: Jet(v) for p, v in q.numbers_of("input", "parameter").items()}
    bound = {q.place["family", k]: v for k, v in symbols.items()}
    near = at | {p: Jet(v, {i: fmpq(1)}) for i, (p, v) in enumerate(bound.items())}
    slopes = evaluate(q.table, places, near, q.numbers, 1)[: len(q.labels)]
    if any(jet.value != v for jet, v in zip(slopes, q.problem["states"].values(), strict=True)):
        raise Refusal("the family does not go through the point", _WHERE)
    rows = [[jet.first.get(i, fmpq(0)) for i in range(len(symbols))] for jet in slopes]
    if matrix(rows, len(symbols)).rank() != len(symbols):
        raise Refusal("the family is no manifold at the point: its tangents are dependent", _WHERE)
    F = Functions(len(symbols), q.count_of_functions, q.sign, q.numbers.deadline)
    constant = {p: Jet(F.number(jet.value)) for p, jet in at.items()}
    along = constant | {p: Jet(x) for p, x in zip(bound, F.variables, strict=True)}
    members = evaluate(q.table, places, along, F, 1)
    here = constant | {p: Jet(jet.value) for p, jet in zip(q.moving_places, members, strict=True)}
    z = members[len(q.labels) :]

    def vanish(nodes: list[int], what: str) -> None:
        for jet in evaluate(q.table, nodes, here, F, 1):
            if F.remainder(jet.value):
                raise Refusal(f"members of the family are not proved to be {what}", _WHERE)

    vanish(list(q.problem["leaf"].values()), "on the leaf")
    vanish(q.problem["field"], "equilibria")
    defects = [jet.value for jet in evaluate(q.table, q.problem["right"], here, F, 1)]
    for i, j, p in q.problem["matrix"]:
        defects[i] = defects[i] - evaluate(q.table, [p], here, F, 1)[0].value * z[j].value
    if any(F.remainder(d) for d in defects):
        raise Refusal("unknowns of the family do not solve their equations", _WHERE)
    return len(symbols)
