r"""A function that falls along the motion (Lyapunov, Krasovskii).

For a function E and a sense :math:`\sigma = \pm 1` it is shown that :math:`\sigma\dot E = -\sum_k d_k\,
l_k^2` on the leaf, with :math:`d_k > 0` at the point, and that :math:`V = \sigma E + \sum c\, C + \sum
\lambda\, g` is critical, where the C are conserved. With R its second variation on the common kernel W of
independent gradients of some of the C and g,

* R positive definite: stable, since V falls and, with squares of these functions, has a strict minimum;
* moreover, where nothing but the point stays in l = 0 and the gradients are those of all C and g,
asymptotically
  stable on the level set;
* R negative somewhere, nothing but the point stays in l = 0, and the gradients are those of all C and g:
  unstable, since a start below the point has nowhere to end.

That nothing stays is shown by functions h with :math:`h_k^{m_k} = a_k l_k`, so that l = 0 implies h = 0, or
sums :math:`h_k = \sum d\,p^2`, which vanish with their parts p, or by a chain :math:`u\,p^k = \sum a_i p_i +
\sum b_i \dot p_i` of functions that vanish on whatever stays. Derivatives of these along the linear motion,
:math:`Dh, Dh\,B, Dh\,B^2, \dots`, as many as W has columns, have an inverse there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from geoctrl.checker.definite import Rows, positive_definite, product, require_inverse, transpose
from geoctrl.checker.identities import Ratio
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import number_text, positive, rational
from geoctrl.checker.question import STATES, Question
from geoctrl.checker.reader import COFACTORS, EXPONENT, integer, one_of, place
from geoctrl.checker.verdicts import BASIS, Found, at_rest, second_variation, tangent_motion, tangents

FALL = {
    "function": place,
    "weights": [place],
    "sense": one_of(1, -1),
    "squares": [{"factor": place, "square": place}],
    "cofactors": COFACTORS,
}
_STEP = {
    "function?": place,
    "weights?": [place],
    "unit?": place,
    "power?": integer(1, EXPONENT),
    "parts?": [{"factor": place, "square": place}],
    "terms": [(place, place)],
    "rates": [(place, place)],
    "cofactors": COFACTORS,
}
FALLING = BASIS | {
    "fall": FALL,
    "multipliers": {...: number_text},
    "steps?": [_STEP],
    "seen?": [(place, integer(0, STATES))],
    "seen_inverse?": [[number_text]],
    "below?": [rational],
}
"""Functions p that vanish on whatever stays are the l, then those of ``steps``: u p^k, or the sum of squares
of ``parts``, is sum a_i p_i + sum b_i p_i' of those before. Of ``seen`` each is one of them and a power of B;
``below`` is a direction in W along which V falls."""


def require_fall(q: Question, given: dict[str, Any]) -> None:
    """sense E' + sum d l^2 = sum q r on the leaf, and every d is positive at the point."""
    total = (
        sum_of_squares(q, given["squares"]) + q.rate_of(given["function"], given["weights"]) * given["sense"]
    )
    require(
        total == q.still.combination(given["cofactors"], q.problem["leaf"]),
        "it is not proved that the function falls",
        "theorem.fall",
    )


def sum_of_squares(q: Question, squares: Sequence[dict[str, int]]) -> Ratio:
    """sum d l^2, with factors that are certainly positive at the point."""
    factors = [s["factor"] for s in squares]
    if any(jet.value is None or not positive(jet.value) for jet in q.jets(factors)):
        raise Refusal("a factor of a square is not proved positive at the point", "theorem")
    pairs = zip(q.still.ratios(factors), q.still.ratios([s["square"] for s in squares]), strict=True)
    return sum((d * s * s for d, s in pairs), q.still.functions.number(0))


def falling_energy(q: Question, witness: dict[str, Any]) -> Found:
    """Verdict that a falling function gives; Refusal where it gives none."""
    fall = witness["fall"]
    require_fall(q, fall)
    q.require_kept(witness["multipliers"])
    terms = [(fmpq(fall["sense"]), q.jets([fall["function"]])[0])]
    terms += [(c, q.function(name)) for name, c in witness["multipliers"].items()]
    R = second_variation(q, terms, tangents(q, witness))
    if "seen" in witness:
        require_nothing_stays(q, witness)
    if "below" not in witness:
        require(
            positive_definite(R), "the second variation is not shown to be definite", "theorem.multipliers"
        )
        kept = [k for k in witness["rows"] if k not in q.problem["leaf"]]
        if "seen" not in witness:
            return Found("PROVED_STABLE", "falling energy", {})
        if kept:
            return Found(
                "PROVED_STABLE", "falling energy on the level sets of the invariants", {"conserved": kept}
            )
        return Found("PROVED_ASYMPTOTICALLY_STABLE", "falling energy", {})
    v = [[c] for c in witness["below"]]
    require(
        "seen" in witness and positive(-product(transpose(v), product(R, v))[0][0]),
        "the second variation is not shown to be negative there",
        "theorem.below",
    )
    return Found("PROVED_UNSTABLE", "falling energy", {})


def require_nothing_stays(q: Question, witness: dict[str, Any]) -> None:
    """Derivatives of what vanishes see every tangent of the level set, which is that of all functions."""
    require(
        {*q.problem["leaf"], *witness["multipliers"]} <= {*witness["rows"]} and witness["free"],
        "the gradients of the level set are not shown to be independent",
        "theorem.rows",
    )
    B, W, n = tangent_motion(q, witness), tangents(q, witness), len(q.labels)
    gradients = [jet.gradient(n) for jet in q.jets([p for p, _ in _vanishing(q, witness)])]
    seen: Rows = []
    for k, power in witness["seen"]:
        row = product([gradients[k]], W)
        for _ in range(power):
            row = product(row, B)
        seen += row
    require_inverse(seen, witness["seen_inverse"], len(B), "theorem.seen")


def _vanishing(q: Question, witness: dict[str, Any]) -> list[tuple[int, list[int]]]:
    """Functions that vanish on whatever stays, with the weights of their rates."""
    ratios, known = q.still.ratios, [(row["square"], list[int]()) for row in witness["fall"]["squares"]]
    for step in witness.get("steps", []):
        if parts := step.get("parts"):
            left, found = sum_of_squares(q, parts), [(part["square"], list[int]()) for part in parts]
        else:
            (unit,) = q.jets([step["unit"]])
            require(
                unit.value is not None and unit.value != 0, "a unit vanishes at the point", "theorem.steps"
            )
            left, found = ratios([step["unit"]])[0], [(step["function"], step["weights"])]
            for _ in range(step["power"]):
                left = left * ratios([step["function"]])[0]
        terms = [ratios([a])[0] * ratios([known[i][0]])[0] for i, a in step["terms"]]
        terms += [ratios([b])[0] * q.rate_of(*known[i]) for i, b in step["rates"]]
        require(
            sum((-term for term in terms), left) == q.still.combination(step["cofactors"], q.problem["leaf"]),
            "a function is not proved to vanish on what stays",
            "theorem.steps",
        )
        known += found
    return known


THEOREMS = {"falling": ({"theorem": FALLING}, at_rest(falling_energy))}
