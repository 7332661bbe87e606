r"""Where second derivatives do not decide: a minimum of higher order, and motion along one zero root.

Given are series :math:`x(z)` of the states in one or two of them, :math:`x_a = e_a + z_a`.

Minimum (Lyapunov). V is a combination of conserved functions, F some of them, with independent gradients at
the point. Put :math:`x = x(z) + h` with :math:`h_a = 0`, count h as p powers of z, and let F - F(e) have no
terms :math:`z^k`, k <= p, at h = 0. On the level set of F, :math:`h = W w` for its tangents W along which z
stays, up to terms of more than p powers, and V is :math:`\Lambda = V + \lambda(z)\,(F - F(e))` there, for
given :math:`\lambda`. Where :math:`\Lambda - \Lambda(e)` begins with a form in z of degree 2 p, positive
definite, and one in h, which is so for h = W w, V has a strict minimum at the point on the level set, and the
point is stable: V and F are conserved. That V is critical there, with a second variation that is nowhere
negative, follows.
A form in z of degree 2 p is :math:`m^T G m`, m its monomials of degree p, for many G: a file gives what the
form leaves free of it. One of them is positive definite where the form is.

V may hold besides a function that falls (`geoctrl.checker.theorems.falling`): the point is stable as well.
Where nothing but the point stays where its rate is zero, and the rows are the relations of the
leaf alone, near motions tend to it (LaSalle).

One zero root (Lyapunov's critical case; reduction principle). The leaf is regular, x(z) is on it, and
:math:`f(x(z)) = a z^m x'(0)`, both up to terms of more than m powers. Then x'(0) is in the kernel of the
linearisation B on the leaf. Where the quotient of B by it has all roots to the left of the axis, shown by a
form P, motions on the centre manifold are :math:`\dot z = a z^m + \dots`: the point is asymptotically stable
where m is odd and a < 0, and unstable for any other a that is not zero.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from flint import fmpq

from geoctrl.checker.definite import Rows, positive_definite, product, transpose
from geoctrl.checker.jets import Jet, Numbers, evaluate
from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import Number, number_text, positive, rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import integer, label, one_of
from geoctrl.checker.theorems.falling import FALLING, require_nothing_stays
from geoctrl.checker.theorems.falling import require_fall as require_falling
from geoctrl.checker.theorems.family import quotient
from geoctrl.checker.verdicts import BASIS, Found, at_rest, require_fall, tangent_motion, tangents

POWER, VARIABLES = 16, 2
"""The highest power of a series, and the number of its variables."""
SERIES = {...: [([integer(0, VARIABLES - 1)], number_text)]}
"""By names: terms, each by its variables, one for each power, and its coefficient."""
MINIMUM = BASIS | {
    "multipliers": {...: number_text},
    "sense": one_of(1, -1),
    "half": integer(1, POWER // 2),
    "along": [label],
    "series": SERIES,
    "levels": SERIES,
    "gram": [number_text],
}
"""``half`` is p; ``levels`` are the functions that the rows are multiplied by; ``gram`` is G beside its
diagonal and what stands next to it."""
FALLING_MINIMUM = MINIMUM | {k: FALLING[k] for k in ("fall", "steps?", "seen?", "seen_inverse?")}
ZERO_ROOT = BASIS | {"power": integer(2, POWER), "along": label, "series": SERIES, "P": [[rational]]}


def lowest_form(q: Question, witness: dict[str, Any]) -> Found:
    """Verdict where the lowest form of conserved functions is definite; Refusal otherwise."""
    return Found("PROVED_STABLE", "energy-Casimir, lowest form", {"lowest_power": _lowest_power(q, witness)})


def falling_lowest_form(q: Question, witness: dict[str, Any]) -> Found:
    """Verdict where that of a combination with a function that falls is; Refusal otherwise."""
    require_falling(q, witness["fall"])
    told = {"lowest_power": _lowest_power(q, witness)}
    if "seen" in witness:
        require_nothing_stays(q, witness)
    attracts = "seen" in witness and {*witness["rows"]} == {*q.problem["leaf"]}
    verdict = "PROVED_ASYMPTOTICALLY_STABLE" if attracts else "PROVED_STABLE"
    return Found(verdict, "falling energy, lowest form", told)


def _lowest_power(q: Question, witness: dict[str, Any]) -> int:
    """That of a combination which has a strict minimum on the level set; Refusal where it is not shown to."""
    p, along, free = (witness[k] for k in ("half", "along", "free"))
    q.require_kept(witness["multipliers"])
    W, beside = tangents(q, witness), [k for k in free if k not in along]
    if len(along) + len(beside) != len(free) or len(along) > VARIABLES:
        raise Refusal("the variables of the form are not one or two that are free", "theorem.along")
    h = [(VARIABLES + i,) * p for i in range(len(q.labels))]
    away = functions_near(q, witness, p)
    rows = [term for name in witness["rows"] for term in away[name].terms.items()]
    if any(c != 0 and len(k) <= p and max(k) < VARIABLES for k, c in rows):
        raise Refusal("the series is not on the level set", "theorem.series")
    terms = combination(witness, away, p)
    if any(len(k) < 2 * p or sum(i >= VARIABLES for i in k) == p for k in terms):
        raise Refusal("the combination does not begin with two forms", "theorem.series")
    H = [[terms.get(tuple(sorted(j + k)), fmpq(0)) * (1 + (j == k)) for k in h] for j in h]
    V = [[row[free.index(k)] for k in beside] for row in W]
    powers = range(1 + 2 * p if len(along) > 1 else 1)
    G = gram([terms.get((0,) * (2 * p - k) + (1,) * k, fmpq(0)) for k in powers], witness["gram"])
    if not (positive_definite(G) and positive_definite(product(transpose(V), product(H, V)))):
        raise Refusal("the forms are not shown to be definite", "theorem.gram")
    return 2 * p


def functions_near(q: Question, witness: dict[str, Any], p: int) -> dict[Any, Jet]:
    """F - F(e) at x(z) + h by their names, h_i by p powers of the variable after those of the series; the
    function that falls by its place.
    """
    along = witness["along"]
    places: dict[Any, int] = {k: q.functions_by_name[k] for k in [*witness["multipliers"], *witness["rows"]]}
    if fall := witness.get("fall"):
        places[fall["function"]] = fall["function"]
    h = {k: series([[[VARIABLES + i] * p, fmpq(1)]], 2 * p) for i, k in enumerate(q.labels)}
    at = states_near(q, witness["series"], along, 2 * p, h)
    values = evaluate(q.table, [*places.values()], at, Numbers(q.numbers.roots, 2 * p))
    return {k: Jet({**jet.terms, (): fmpq(0)}, 2 * p) for k, jet in zip(places, values, strict=True)}


def combination(witness: dict[str, Any], away: dict[Any, Jet], p: int) -> dict[tuple[int, ...], Number]:
    """Terms of Lambda, without its value."""
    total = Jet({(): fmpq(0)}, 2 * p)
    if fall := witness.get("fall"):
        total += Jet({(): fmpq(fall["sense"])}, 2 * p) * away[fall["function"]]
    for name, c in witness["multipliers"].items():
        total += Jet({(): c * witness["sense"]}, 2 * p) * away[name]
    for name in witness["rows"]:
        total += series(witness["levels"].get(name, []), 2 * p) * away[name]
    return {k: c for k, c in total.terms.items() if c != 0}


def one_zero_root(q: Question, witness: dict[str, Any]) -> Found:
    """Verdict by the lowest power of the field along its zero root; Refusal where there is none."""
    m, along, leaf = witness["power"], witness["along"], q.problem["leaf"]
    if {*witness["rows"]} != {*leaf}:
        raise Refusal("attraction is one of the whole leaf", "theorem.rows")
    slopes, field, zero = motion_near(q, witness, m)
    a = field[q.labels.index(along)].terms.get((0,) * m, fmpq(0))
    for jet, (slope,) in zip(field, slopes.values(), strict=True):
        zero.append(jet + series([[[0] * m, -a * slope]], m))
    if any(c != 0 for jet in zero for c in jet.terms.values()):
        raise Refusal("the series is not on the leaf, or the field not along its tangent", "theorem.series")
    B = tangent_motion(q, witness)
    require_fall(quotient(B, witness["free"], [along], slopes, [[fmpq(1)]]), witness["P"])
    if not (positive(a) or positive(-a)):
        raise Refusal("the field vanishes along its zero root as far as it was looked at", "theorem.power")
    attracts = m % 2 and positive(-a)
    verdict = "PROVED_ASYMPTOTICALLY_STABLE" if attracts else "PROVED_UNSTABLE"
    return Found(verdict, "spectrum and a series", {"lowest_power": m})


def motion_near(
    q: Question, witness: dict[str, Any], m: int
) -> tuple[dict[str, list[Number]], list[Jet], list[Jet]]:
    """Along the series up to z^m: its slopes by label, the field, and relations of the leaf with b - K z."""
    at, numbers = states_near(q, witness["series"], [witness["along"]], m, {}), Numbers(q.numbers.roots, m)
    leaf, right = list(q.problem["leaf"].values()), evaluate(q.table, q.problem["right"], at, numbers)
    for i, j, p in q.problem["matrix"]:
        entry = Jet({(): fmpq(-1)}, m) * evaluate(q.table, [p], at, numbers)[0]
        right[i] += entry * at[q.unknowns[j]]
    slopes = {k: at[p].gradient(1) for k, p in zip(q.labels, q.states, strict=True)}
    field = evaluate(q.table, q.problem["field"], at, numbers)
    return slopes, field, evaluate(q.table, leaf, at, numbers) + right


def states_near(
    q: Question, given: dict[str, Any], along: list[str], order: int, h: dict[str, Jet]
) -> dict[int, Jet]:
    """Series of states and unknowns by their places, and all that stays as it is."""
    at = {p: Jet({(): value}, order) for p, value in q.values.items()}
    for k, p in zip([*q.labels, *q.problem["unknowns"]], [*q.states, *q.unknowns], strict=True):
        moved = series(given.get(k, []), order) + h.get(k, series([], order))
        if k in along:
            moved = series([[[along.index(k)], fmpq(1)]], order)
        at[p] = Jet({(): q.at[p].value}, order) + moved
    return at


def series(terms: list[Any], order: int) -> Jet:
    """A polynomial that vanishes at zero, up to some power."""
    found = {tuple(sorted(k)): c for k, c in terms if len(k) <= order}
    return Jet({**found, (): fmpq(0)}, order)


def gram(form: list[Number], given: list[Number]) -> Rows:
    """G by what is given of it, so that it has the coefficients of a form."""
    size = (len(form) + 1) // 2
    free = [(i, j) for i, j in combinations(range(size), 2) if j - i > 1]
    G = dict(zip(free, given, strict=True))
    for k, c in enumerate(form):
        rest = c - sum((2 * G[i, j] for i, j in free if i + j == k), fmpq(0))
        G[k // 2, k - k // 2] = rest * fmpq(1, 1 + k % 2)
    return [[G[min(i, j), max(i, j)] for j in range(size)] for i in range(size)]


THEOREMS = {
    "lowest form": ({"theorem": MINIMUM}, at_rest(lowest_form)),
    "falling lowest form": ({"theorem": FALLING_MINIMUM}, at_rest(falling_lowest_form)),
    "zero root": ({"theorem": ZERO_ROOT}, at_rest(one_zero_root)),
}
