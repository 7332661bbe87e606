r"""Stability of the orbit of a point under a group of isometries.

The file names fields :math:`Z_i(x) = B_i x + b_i`, whose matrices :math:`B_i` are skew as they are read: the
closed group K of isometries that they generate acts properly.

**Stability.** Proved are, as identities on the leaf g = 0, along each field

0. :math:`Z_i.a = 0` for whatever a is divided by, and for the argument a of every root, logarithm and choice,
   in the equations, these functions and all cofactors: what is proved at e holds along the whole orbit;
1. :math:`Z_i.g = 0`: the leaf is carried to itself;
2. :math:`Z_i.V = 0` for :math:`V = \sum y F` of conserved functions F and relations, critical at the point e;
3. :math:`Z_i.Q = 0` for :math:`Q = \sum (C_j - C_j(e))^2` of the conserved functions C whose level is held.

With W the kernel of the gradients of g and some of the C, and R the second variation of V on W, the tangents
:math:`Z_i(e)` of the orbit are in W (1, 3) and R vanishes on them (2). The file names as many states as there
are fields along which these tangents have an inverse: where R, or its negative, is positive definite on what
is zero in these states, it has no kernel but the tangents, and :math:`\pm V + \mu Q` has a strict minimum
across the orbit, along which it is the same. A motion that begins near e stays near the orbit of e.

**Growth.** The orbit is unstable where the linearisation A at e grows on the tangents of the leaf, and
:math:`A Z e = 0` for all Z of a Lie algebra that holds the one of K: directions of growth are none of the
orbit's. It is spanned by odd powers of the :math:`Z_i`, as matrices on (x, 1), and by brackets. For the
closure of exp(tZ) is within the algebraic group whose algebra odd powers of Z span, and algebraic groups
generate an algebraic one, which is closed (Borel, Linear Algebraic Groups, 7.6). That they span an algebra,
coefficients show: of the next odd power by those before it, and of all brackets.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations
from typing import Any

from flint import fmpq

from geoctrl.checker.definite import Rows, positive_definite, product, require_inverse, transpose
from geoctrl.checker.identities import Along, Ratio
from geoctrl.checker.jets import Jet, reachable
from geoctrl.checker.limits import Refusal, require, spend
from geoctrl.checker.numbers import number_text, rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import COFACTORS, label, one_of, place
from geoctrl.checker.verdicts import BASIS, Found, at_rest, growth, second_variation, tangents
from geoctrl.checker.verdicts import THEOREMS as OF_POINTS

FIELDS = [{"turns": [(label, label, rational)], "shifts": {...: rational}}]
"""A turn (j, k, c) adds c x_k to the rate of x_j and -c x_j to that of x_k."""
ORBIT = BASIS | {
    "fields": FIELDS,
    "held": [label],
    "multipliers": {...: number_text},
    "sense": one_of(1, -1),
    "along": [label],
    "across": [[number_text]],
    "cofactors": [[COFACTORS]],
}
"""``along`` are states by which the tangents of the orbit have the inverse ``across``; ``cofactors``, by
fields, those of the identities 0 (in the order of the table) to 3."""
GROWTH_ACROSS = OF_POINTS["growth"][0]["theorem"] | {
    "fields": FIELDS,
    "powers": [[rational]],
    "further": [(place, place)],
    "brackets": [[rational]],
}
"""``powers``: by fields, the coefficients of an odd power by those before it, which span with ``further``
brackets of two by their places; ``brackets``: the coefficients of those of all pairs."""
ENTIRE = "sin", "cos", "exp", "atan"


def stable_orbit(q: Question, witness: dict[str, Any]) -> Found:
    """Verdict where motions stay near the orbit; Refusal otherwise."""
    leaf, free, along = q.problem["leaf"], witness["free"], witness["along"]
    require(
        {*leaf} <= {*witness["rows"]} <= {*leaf, *witness["held"]},
        "gradients are needed of the leaf, and of levels that are held",
        "theorem.rows",
    )
    names = [*dict.fromkeys([*leaf, *witness["multipliers"], *witness["held"]])]
    q.require_kept(names)
    fields, branches = _fields(q, witness), _branches(q, names, witness["cofactors"])
    for Z, cofactors in zip(fields, witness["cofactors"], strict=True):
        zeros = _zeros(q, Z, branches, witness)
        if any(f != q.still.combination(rows, leaf) for f, rows in zip(zeros, cofactors, strict=True)):
            raise Refusal("something is not proved to be the same along the orbit", "theorem.cofactors")
    T = _orbit_tangents(q, fields)
    require_inverse([T[k] for k in along], witness["across"], len(fields), "theorem.across")
    # Were a state of `along` none of the free ones, tangents of the orbit would lie beside, where R is zero.
    beside = [[c for c, k in zip(row, free, strict=True) if k not in along] for row in tangents(q, witness)]
    terms = [(c * witness["sense"], q.function(name)) for name, c in witness["multipliers"].items()]
    require(
        positive_definite(second_variation(q, terms, beside)),
        "the second variation is not definite across the orbit",
        "theorem.multipliers",
    )
    told = {"orbit_dimension": len(along), "orbit_directions": _moved_labels(T)}
    return Found("PROVED_STABLE_MODULO", "energy-Casimir modulo a group", told)


def growth_across(q: Question, witness: dict[str, Any]) -> Found:
    """Verdict where motions leave the orbit; Refusal otherwise."""
    verdict, method, _ = growth(q, witness)
    fields = _fields(q, witness)
    A = [jet.gradient(len(q.labels)) for jet in q.jets(q.problem["field"])]
    moved = _orbit_tangents(q, _algebra(fields, witness))
    if any(c != 0 for row in product(A, list(moved.values())) for c in row):
        raise Refusal("the linearisation does not vanish along the orbit", "theorem.fields")
    told = {"orbit_directions": _moved_labels(_orbit_tangents(q, fields))}
    return Found(verdict, f"{method} modulo a group", told)


def _fields(q: Question, witness: dict[str, Any]) -> list[Rows]:
    """Matrices (B, b; 0, 0) on (x, 1)."""
    found, n = [], len(q.labels)
    for given in witness["fields"]:
        spend(2 * (n + 1) ** 2)
        Z = [[fmpq(0)] * (n + 1) for _ in range(n + 1)]
        for one, other, c in given["turns"]:
            i, j = q.labels.index(one), q.labels.index(other)
            Z[i][j] = Z[i][j] + c
            Z[j][i] = Z[j][i] - c
        for name, c in given["shifts"].items():
            Z[q.labels.index(name)][n] = c
        found.append(Z)
    return found


def _orbit_tangents(q: Question, fields: list[Rows]) -> dict[str, list[Any]]:
    """B e + b of fields, the rows of their columns by label."""
    e = [[c] for c in (*q.problem["states"].values(), fmpq(1))]
    columns = [[c for (c,) in product(Z, e)[:-1]] for Z in fields]
    return dict(zip(q.labels, transpose(columns), strict=True))


def _moved_labels(T: dict[str, list[Any]]) -> list[str]:
    return [k for k, row in T.items() if any(c != 0 for c in row)]


def _branches(q: Question, names: list[str], cofactors: list[list[Any]]) -> list[int]:
    """What nodes of all identities divide by, and arguments of functions that have no value everywhere."""
    problem, found = q.problem, set[int]()
    used = [problem["field"], problem["right"], *([p] for *_, p in problem["matrix"])]
    used += [[q.functions_by_name[k], *problem["weights"].get(k, [])] for k in names]
    of_rates = (q.witness["cofactors"].get(k, []) for k in names)
    used += chain(chain(*of_rates), *chain(*cofactors))
    for i in reachable(q.table, [p for part in used for p in part if isinstance(p, int) and p >= 0]):
        kind, *parts = q.table[i]
        if kind == "prod":
            found |= {j for j, power in parts[1] if power < 0}
        elif kind == "fun" and parts[0] not in ENTIRE:
            found |= {*parts[1][:1]} if parts[0] == "select" else {*parts[1]}
    return sorted(found)


def _zeros(q: Question, Z: Rows, branches: list[int], witness: dict[str, Any]) -> list[Ratio]:
    """What vanishes on the leaf along a field that keeps the branches, the leaf, V and Q."""
    F, known = q.still.functions, {p: q.still.known[p] for p in q.values}
    x = [*q.still.ratios(q.states), F.number(1)]
    for p, row in zip(q.states, Z, strict=False):
        rate = sum((v * c for c, v in zip(row, x, strict=True) if c != 0), F.number(0))
        known[p] = Jet({(): known[p].value, (0,): rate}, 1)
    along = Along(q.table, F, known, q.jets)

    def slopes(nodes: Iterable[int]) -> list[Ratio]:
        return [jet.terms.get((0,), F.number(0)) for jet in along.jets([*nodes])]

    def places(names: Iterable[str]) -> list[int]:
        return [q.functions_by_name[k] for k in names]

    y, held = witness["multipliers"], witness["held"]
    V = sum((rate * c for c, rate in zip(y.values(), slopes(places(y)), strict=True)), F.number(0))
    away = (C - q.function(k).value for k, C in zip(held, along.ratios(places(held)), strict=True))
    Q = sum((C * rate for C, rate in zip(away, slopes(places(held)), strict=True)), F.number(0))
    return [*slopes(branches), *slopes(places(q.problem["leaf"])), V, Q]


def _algebra(fields: list[Rows], witness: dict[str, Any]) -> list[Rows]:
    """Matrices that span a Lie algebra which holds the one of the closed group."""
    found: list[Rows] = []
    for Z, coefficients in zip(fields, witness["powers"], strict=True):
        powers = [Z]
        for _ in coefficients:
            powers.append(product(Z, product(Z, powers[-1])))
        _require_combination(powers.pop(), powers, coefficients)
        found += powers
    for i, j in witness["further"]:
        found.append(_bracket(found[i], found[j]))
    for (X, Y), coefficients in zip(combinations(found, 2), witness["brackets"], strict=True):
        _require_combination(_bracket(X, Y), found, coefficients)
    return found


def _bracket(X: Rows, Y: Rows) -> Rows:
    """X Y - Y X."""
    return [
        [a - b for a, b in zip(*rows, strict=True)] for rows in zip(product(X, Y), product(Y, X), strict=True)
    ]


def _require_combination(Z: Rows, of: list[Rows], coefficients: list[fmpq]) -> None:
    """That Z is the sum of some matrices times coefficients."""
    left = Z
    for X, c in zip(of, coefficients, strict=True):
        left = [[a - c * b for a, b in zip(*rows, strict=True)] for rows in zip(left, X, strict=True)]
    if any(c != 0 for row in left for c in row):
        raise Refusal("the fields are not shown to span an algebra", "theorem.brackets")


THEOREMS = {
    "orbit": ({"theorem": ORBIT}, at_rest(stable_orbit)),
    "growth across an orbit": ({"theorem": GROWTH_ACROSS}, at_rest(growth_across)),
}
