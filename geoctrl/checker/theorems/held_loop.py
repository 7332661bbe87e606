r"""Stability of a loop that computes its inputs from hold to hold (Lyapunov's equation of Stein).

States are those of the plant x, the commands c that act on it and states z of the controller; between
samples :math:`\dot x = f(x, c)`, :math:`\dot c = 0`, :math:`\dot z = 0`. At each sample the law gives
:math:`u_k = l(x, z)` and z becomes :math:`z + h\,g(x, z, u_k)`; :math:`u_k` acts d + r holds later, r < 1, so
that commands wait, :math:`q_j = u_{k-j}`. One hold is a map of (x, z, q), as smooth as the equations are: x
flows for r h with :math:`q_{d+1}`, then for (1 - r) h with :math:`q_d`, where :math:`q_0 = u_k`.

Proved are, besides what `question` proves with the commands as states (so that whatever is conserved is so
under every constant command): that commands and z rest between samples, that the law gives at the point the
commands that hold it, and that z rests there. M is the derivative of the map, in balls, on the tangents of
the leaf, or on those of level sets of functions that are conserved; flows are exponentials.

P > 0 and :math:`P - M^T P M > 0` put all multipliers inside the unit circle: the point is asymptotically
stable on the leaf; with functions that are conserved, each near level set has one fixed point, which
attracts. With m > 1, :math:`M^T P M - m^2 P > 0` and v.P v > 0 the form x.P x grows from hold to hold where
it is positive: the point is unstable.

A family of fixed points: the loop rests where R = 0, R = (f, l - c, g). Either the file names the family, as
functions of symbols s (`family`): then R = 0 is an identity in s. Or on the leaf D R = 0 is an identity, with
the gradients of leaf and of conserved functions as rows of D, and with rows w that the file gives. Where the
rows are independent at the point, as many of the R follow from the others, and where of R and the leaf some
have independent gradients, of a kernel that has as many dimensions k as there are rows besides those of the
leaf, R = 0 is a manifold with this kernel as its tangents. If M modulo the tangents, which it leaves as they
are, satisfies the inequality, exactly k multipliers are one, and near motions converge to fixed points
(reduction to the centre manifold, which the family is).

A law that is rounded rests beside the point: Krawczyk's test shows that of R = 0, at the states that the rows
leave free, and the leaf one solution lies in a box, as of an equilibrium of `boxes`. M is enclosed over it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.definite import Rows, positive_definite, product, require_inverse, transpose
from geoctrl.checker.jets import reachable
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import BITS, ball, number_text, rational
from geoctrl.checker.question import Question, defects
from geoctrl.checker.reader import COFACTORS, EXPONENT, integer, label, place
from geoctrl.checker.theorems.boxes import BOX, Box, require_zero
from geoctrl.checker.theorems.family import FAMILY, Manifold, reduced_matrix
from geoctrl.checker.verdicts import BASIS, Found, at_rest, form, kernel, tangent_motion, tangents

METHOD = "multipliers of one hold"
SIZE, REACH, UNIT = 64, 1 << 16, 300
"""States of the loop, with commands that wait, size of the exponent, and powers of two as units, that are not
too much."""
LOOP = {
    "hold": rational,
    "late": integer(0, EXPONENT),
    "part": rational,
    "commands": {...: place},
    "own": {...: place},
    "units": [integer(-UNIT, UNIT)],
    "cofactors": [COFACTORS],
}
"""Laws of the commands, rates of the controller's own states; ``units``, powers of two, are those of the free
states, in which entries of the linearisation are of like sizes; cofactors of the rates between samples."""
INSIDE = BASIS | {"loop": LOOP, "P": [[rational]]}
OUTSIDE = INSIDE | {"m": rational, "v": [rational]}
BESIDE_FAMILY = INSIDE | {"family": FAMILY, "cofactors": [COFACTORS]}
"""Cofactors of l - c, then of g, along the family."""
REST = {
    "kept": [label],
    "rows": [{"weights": [place], "unknowns": [place], "cofactors": COFACTORS}],
    "independent": [label],
    "inverse": [[number_text]],
    "equations": [label],
    "kernel": {"free": [label], "inverse": [[number_text]]},
    "along": [label],
    "across": [[number_text]],
}
"""Rows are those of conserved functions, and weights of R and of b - K z with cofactors of their sum; all of
them, with the leaf, have the inverse at the states ``independent``. ``equations`` are R that have independent
gradients with the leaf, with their kernel; tangents have the inverse ``across`` at the states ``along``."""
AT_REST = INSIDE | {"rest": REST}


def attracting_loop(q: Question, given: dict[str, Any]) -> Found:
    """Verdict where all multipliers on the leaf, or on level sets, lie inside."""
    kept = [k for k in given["rows"] if k not in q.problem["leaf"]]
    require_inside(hold_matrix(q, given), given["P"])
    if kept:
        found = {"conserved": kept}
        return Found("PROVED_STABLE", f"{METHOD} on the level sets of the invariants", found)
    return Found("PROVED_ASYMPTOTICALLY_STABLE", METHOD, {})


def repelling_loop(q: Question, given: dict[str, Any]) -> Found:
    """Verdict where one lies outside."""
    require_outside(hold_matrix(q, given), given)
    return Found("PROVED_UNSTABLE", METHOD, {})


def attracting_fixed_points(q: Question, given: dict[str, Any]) -> Found:
    """Verdict where all multipliers beside those of a family of fixed points lie inside."""
    loop, family = given["loop"], Manifold(q, given["family"])
    if any(rate != 0 for rate in family.rates.values()):
        raise Refusal("members of the family are not proved to be equilibria", "theorem.family.rates")
    commands = [q.states[q.labels.index(k)] for k in loop["commands"]]
    asked = zip(*map(family.members.ratios, ([*loop["commands"].values()], commands)), strict=True)
    moved = [*(u - c for u, c in asked), *family.members.ratios([*loop["own"].values()])]
    family.require_zero(moved, given["cofactors"])
    return attraction_beside_tangents(
        q, given, family.tangents, given["family"]["along"], given["family"]["inverse"]
    )


def attraction_beside_tangents(
    q: Question, given: dict[str, Any], T: dict[str, Any], along: list[str], inverse: Rows
) -> Found:
    """Verdict where all multipliers beside the tangents of fixed points, by state, lie inside."""
    require({*given["rows"]} == {*q.problem["leaf"]}, "attraction is one of the whole leaf", "theorem.rows")
    M, order = hold_matrix(q, given), coordinates(given)
    sides, solved = ([[ball(c) for c in row] for row in rows] for rows in ([T[k] for k in order], inverse))
    M = reduced_matrix(M, sides, solved, [order.index(k) for k in along])
    require_inside(M, given["P"])
    found = {"fixed_dimension": len(along)}
    return Found("PROVED_STABLE", f"{METHOD} and a family of fixed points", found)


def attracting_rest(q: Question, given: dict[str, Any]) -> Found:
    """The same, of points at which the loop rests."""
    loop, rest, problem, n = given["loop"], given["rest"], q.problem, len(q.labels)
    leaf, still, zero = [*problem["leaf"]], q.still, q.still.functions.number(0)
    places = dict(zip(q.labels, problem["field"], strict=True)) | loop["commands"] | loop["own"]
    R = dict(zip(q.labels, still.ratios([*places.values()]), strict=True))
    slopes = dict(zip(q.labels, (jet.gradient(n) for jet in q.jets([*places.values()])), strict=True))
    for k in loop["commands"]:
        i = q.labels.index(k)
        (command,) = still.ratios([q.states[i]])
        R[k], slopes[k][i] = R[k] - command, slopes[k][i] - 1
    lost = defects(problem, still, still.ratios(q.unknowns))
    q.require_kept(rest["kept"])
    D = [q.function(k).gradient(n) for k in [*leaf, *rest["kept"]]]
    for row in rest["rows"]:
        weights = still.ratios([*row["weights"], *row["unknowns"]])
        terms = (w * e for w, e in zip(weights, [*R.values(), *lost], strict=True))
        require(
            sum(terms, zero) == still.combination(row["cofactors"], problem["leaf"]),
            "a row is not proved to vanish where the loop moves",
            "theorem.rest.rows",
        )
        D.append([jet.value for jet in q.jets(row["weights"])])
    if any(c is None for row in D for c in row):
        raise Refusal("a weight is no number at the point", "theorem.rest.rows")
    columns = [q.labels.index(k) for k in rest["independent"]]
    shown = [[row[i] for i in columns] for row in D]
    require_inverse(shown, rest["inverse"], len(columns), "theorem.rest.inverse")
    W = kernel(q, [*(slopes[k] for k in rest["equations"]), *D[: len(leaf)]], rest["kernel"])
    require(
        len(rest["along"]) == len(D) - len(leaf) and len(rest["along"]) == len(W[0]),
        "it is not proved that the points at which the loop rests are a manifold",
        "theorem.rest",
    )
    T = dict(zip(q.labels, W, strict=True))
    across = [T[k] for k in rest["along"]]
    require_inverse(across, rest["across"], len(W[0]), "theorem.rest.across")
    return attraction_beside_tangents(q, given, T, rest["along"], rest["across"])


def require_inside(M: Rows, triangle: Rows) -> None:
    """P > 0 and P - M'P M > 0."""
    P = form(triangle, len(M))
    with ctx.workprec(BITS):
        falls = positive_definite([[-c for c in row] for row in gain(M, P, fmpq(1))])
    require(falls and positive_definite(P), "no function is shown to fall from hold to hold", "theorem.P")


def require_outside(M: Rows, given: dict[str, Any]) -> None:
    """m > 1, M'P M - m^2 P > 0, v.P v > 0."""
    m, v, P = given["m"], [[c] for c in given["v"]], form(given["P"], len(M))
    with ctx.workprec(BITS):
        if not (M and m > 1 and positive_definite(gain(M, P, m * m))):  # where nothing moves, nothing grows
            raise Refusal("no function is shown to grow from hold to hold", "theorem.P")
        require(
            positive_definite(product(transpose(v), product(P, v))),
            "the function is not shown to be positive there",
            "theorem.v",
        )


def gain(M: Rows, P: Rows, square: fmpq) -> Rows:
    """M'P M less a multiple of P."""
    image = product(transpose(M), product(P, M)) if M else []
    return [[c - square * p for c, p in zip(*rows, strict=True)] for rows in zip(image, P, strict=True)]


def coordinates(given: dict[str, Any]) -> list[str]:
    """Free states of the plant, states of the controller, commands that wait, the last one first."""
    loop = given["loop"]
    plant = [k for k in given["free"] if k not in loop["commands"] and k not in loop["own"]]
    return [*plant, *loop["own"], *[*loop["commands"]] * (loop["late"] + (loop["part"] > 0))]


def require_loop(q: Question, given: dict[str, Any]) -> None:
    """Commands and states of the controller rest between samples, and have one law each, of what is known."""
    loop, problem = given["loop"], q.problem
    commands, own = loop["commands"], loop["own"]
    if not loop["hold"] > 0 or not 0 <= loop["part"] < 1 or not commands or {*commands} & {*own}:
        raise Refusal(
            "a hold is positive, a part of one less than one, and a command has one law", "theorem.loop"
        )

    def symbols(nodes: Iterable[int]) -> set[tuple[str, str]]:
        return {q.table[i][1:] for i in reachable(q.table, nodes) if q.table[i][0] == "sym"}

    unread, inner = {(k, "unknown") for k in problem["unknowns"]}, {(k, "state") for k in own}
    set_here = {(k, "state") for k in commands}
    if symbols([*problem["leaf"].values(), *problem["invariants"].values()]) & (set_here | inner):
        raise Refusal("leaf and invariants must not depend on what changes at a sample", "problem")
    if symbols([*problem["field"], *problem["right"], *(p for *_, p in problem["matrix"])]) & inner:
        raise Refusal("a plant knows of its controller by the commands alone", "problem.field")
    if symbols(commands.values()) & (unread | set_here) or symbols(own.values()) & unread:
        raise Refusal("a law is a function of plant and controller", "theorem.loop")
    rates = dict(zip(q.labels, q.still.ratios(problem["field"]), strict=True))
    for k, rows in zip((*commands, *own), loop["cofactors"], strict=True):
        require(
            rates[k] == q.still.combination(rows, problem["leaf"]),
            "commands and states of the controller must rest between samples",
            "theorem.loop",
        )
    wanted = [*(problem["states"][k] for k in commands), *(fmpq(0) for _ in own)]
    require(
        "box" in given or [jet.value for jet in q.jets([*commands.values(), *own.values()])] == wanted,
        "the law does not give the commands that hold the point, or moves itself",
        "theorem.loop",
    )


def hold_matrix(q: Question, given: dict[str, Any]) -> Rows:
    """M, in the coordinates of the loop, on the common kernel of the gradients of some functions."""
    require_loop(q, given)
    loop, free, order = given["loop"], given["free"], coordinates(given)
    commands, own = [*loop["commands"]], [*loop["own"]]
    y, z = order[: len(free) - len(commands) - len(own)], len(free) - len(commands)
    if not y or len(order) > SIZE:
        raise Refusal("nothing of the plant moves, or too much", "theorem.loop")
    B, W = tangent_motion(q, given), tangents(q, given)
    law, rate = (
        product([jet.gradient(len(q.labels)) for jet in q.jets([*loop[part].values()])], W)
        for part in ("commands", "own")
    )

    def part(rows: Rows, columns: list[str]) -> Rows:
        return [[ball(row[free.index(k)]) for k in columns] for row in rows]

    with ctx.workprec(BITS):
        shown: Rows = [[fmpq(i == j) for j in range(len(order))] for i in range(len(order))]
        u = [product(part(law, [*y, *own]), shown[:z])]
        u += [shown[i : i + len(commands)] for i in range(z, len(order), len(commands))]
        moved = shown[: len(y)]
        for share, acting in ((loop["part"], loop["late"] + 1), (1 - loop["part"], loop["late"])):
            if share:
                E = dict(zip(free, exponential(B, loop["units"], share * loop["hold"]), strict=True))
                moved = product(part([E[k] for k in y], [*y, *commands]), [*moved, *u[acting]])
        step = product(part(rate, [*y, *own, *commands]), [*shown[:z], *u[0]])
        held = [
            [c + loop["hold"] * d for c, d in zip(*rows, strict=True)]
            for rows in zip(shown[len(y) : z], step, strict=True)
        ]
        return [*moved, *held, *(row for waiting in u[:-1] for row in waiting)]


def exponential(B: Rows, units: list[int], s: fmpq) -> Rows:
    """exp(B s), from that in other units."""
    unit = [fmpq(2) ** e for e in units]
    scaled = [
        [ball(c * b / a * s) for c, b in zip(row, unit, strict=True)] for row, a in zip(B, unit, strict=True)
    ]
    require(
        sum((abs(c) for row in scaled for c in row), arb(0)) < REACH,
        "too much moves in one hold",
        "theorem.loop",
    )
    rows = arb_mat(scaled).exp().tolist()
    return [[c * a / b for c, b in zip(row, unit, strict=True)] for row, a in zip(rows, unit, strict=True)]


def in_box(theorem: Callable[[Question, dict[str, Any]], Found]) -> Callable[..., Found]:
    """A theorem about the one point of a box at which the loop rests, over which M is enclosed."""

    def verdict_in_box(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
        with ctx.workprec(BITS):
            box, loop = Box(problem, witness, given["box"]), given["loop"]
            places = (
                dict(zip(problem["states"], problem["field"], strict=True)) | loop["commands"] | loop["own"]
            )
            nodes = [*(places[k] for k in given["free"]), *problem["leaf"].values()]
            values, slopes = box.values(nodes), box.slopes(nodes)
            for i, k in enumerate(given["free"]):
                if k in loop["commands"]:  # l - c
                    values[i] = values[i] - ball(problem["states"][k])
                    own = [box.whole.labels[j] == k for j in box.free]
                    slopes[i] = [c - is_own for c, is_own in zip(slopes[i], own, strict=True)]
            require_zero(given["box"], values, slopes)
            return theorem(box.whole, given)

    return verdict_in_box


THEOREMS = {
    "loop that attracts": ({"theorem": INSIDE}, at_rest(attracting_loop)),
    "loop that attracts in a box": ({"theorem": INSIDE | {"box": BOX}}, in_box(attracting_loop)),
    "loop that repels in a box": ({"theorem": OUTSIDE | {"box": BOX}}, in_box(repelling_loop)),
    "loop that repels": ({"theorem": OUTSIDE}, at_rest(repelling_loop)),
    "loop with fixed points": ({"theorem": BESIDE_FAMILY}, at_rest(attracting_fixed_points)),
    "loop that rests on a manifold": ({"theorem": AT_REST}, at_rest(attracting_rest)),
}
