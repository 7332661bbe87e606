"""Instability by a family of motions in closed form: `family_drifts` of the library.

An angle w t drifts at a speed w as small as one likes; states and unknowns are linear in w, and in the angle
polynomials of second degree, or linear in its sine and cosine. The certificate's family has the tangent of
half the angle for a turning one.
"""

from __future__ import annotations

from contextlib import suppress

from flint import fmpq

from geoctrl.checker.jets import Jet, Numbers, evaluate
from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import Number
from geoctrl.checker.theorems.family import symbols_of_family
from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.expression import (
    ONE,
    ZERO,
    Expression,
    constant,
    derivative,
    difference,
    function,
    minus,
    plus,
    substitution,
    times,
    variable,
)
from geoctrl.rocq.terms.normal_forms import NormalForms
from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.terms.vanishing_terms import vanishing
from geoctrl.rocq.text.data_text import DataText, list_text, rational_text
from geoctrl.rocq.text.statement import Statement, conjunction, leaving, member
from geoctrl.rocq.theorems.written import Written, plain_data

ANGLE, SPEED = variable(0), variable(1)
PROBE = fmpq(2, 3), fmpq(3, 7)
"""Speed and angle at which the form of the family is tried."""

HALF = fmpq(1, 2)
UNSAID = "The motions that leave are given in closed form: that there are some is part of the theorem."


def drift_theorem(equations: ProblemInTerms) -> Written:
    """Data and statement."""
    family = _family(equations)
    states = family[: equations.n]
    rates = [
        difference(derivative(x, [SPEED, ZERO]), substitution(f, family))
        for x, f in zip(states, equations.field, strict=True)
    ]
    holding = [substitution(q, family) for q in equations.equations]
    leaf = [substitution(g, family) for g in equations.leaf.values()]
    forms = NormalForms(2, [*rates, *holding, *leaf])
    place, slope = _drifting(equations, states)
    data = DataText()
    plain = plain_data(equations, data)
    combinations = [
        list_text(data.combination(vanishing(forms, forms.form_of(term))) for term in terms)
        for terms in (rates, holding, leaf)
    ]
    lines = [
        f"Definition C_ : family := Family {equations.n} F_ E_ P_ G_",
        f"  {data.list_of(family)} {data.list_of(forms.atoms)}",
        *(f"  {text}" for text in combinations),
        f"  {place} {rational_text(slope)}.",
    ]
    return Written(
        ["Unknowns", "Rates", "Instability", "Drift"],
        [*data.lines, *plain, *lines],
        "@family_check A_ C_",
        _theorem,
        UNSAID,
    )


def _family(equations: ProblemInTerms) -> list[Expression]:
    """States and unknowns as terms of angle and speed."""
    q, drift = equations.proved.question, equations.proved.theorem
    family = drift["family"]
    at_rest = family["symbols"]
    if drift["power"] != 1 or at_rest[drift["constant"]] or at_rest[drift["drifting"]]:
        raise CertificateError("the drift is not of first order, or not from the origin of its family")
    wanted = [*family["states"], *family["unknowns"], drift["slope"]]
    places = symbols_of_family(q)

    def values(speed: fmpq, angle: fmpq) -> list[Number]:
        symbols = at_rest | {drift["constant"]: speed, drift["drifting"]: angle}
        values = q.values | {places[name]: value for name, value in symbols.items()}
        known = {p: Jet({(): value}, 2) for p, value in values.items()}
        with suppress(Refusal, ZeroDivisionError):
            found = [jet.value for jet in evaluate(q.table, wanted, known, Numbers({}))]
            if None not in found:
                return found
        raise CertificateError("the family of motions is not rational in its symbols")

    zero, one = fmpq(0), fmpq(1)
    samples = [values(zero, zero), values(one, zero), values(zero, one), values(zero, -one), values(*PROBE)]
    *rows, slope = zip(*samples, strict=True)
    turning = slope[0] == HALF and slope[2] == 1
    if not turning and any(s != 1 for s in slope):
        raise CertificateError("the angle of the family drifts at another rate than its speed")
    return [_member(row, turning) for row in rows]


def _member(samples: tuple[Number, ...], turning: bool) -> Expression:
    """One state or unknown from its values at rest, at speed one, at the angles one and minus one."""
    rest, moving, forwards, backwards, probe = samples
    faster, odd = moving - rest, (forwards - backwards) * HALF
    even = (forwards + backwards) * HALF - rest
    w, q = PROBE
    scale = 2 / (1 + q * q) if turning else fmpq(1)
    if rest + faster * w + scale * (odd * q + even * q * q) != probe:
        raise CertificateError("the family of motions has another form than the library's")
    first = function("Sin", ANGLE) if turning else ANGLE
    second = plus(ONE, minus(function("Cos", ANGLE))) if turning else times(ANGLE, ANGLE)
    linear = plus(constant(rest), times(constant(faster), SPEED))
    return plus(linear, plus(times(constant(odd), first), times(constant(even), second)))


def _drifting(equations: ProblemInTerms, states: list[Expression]) -> tuple[int, fmpq]:
    """A state that moves with the angle to first order and not with the speed, and its slope."""
    jets = equations.jets_at([fmpq(0), fmpq(0)])
    for place, (term, value) in enumerate(zip(states, equations.point, strict=True)):
        by_angle, by_speed = jets.row(plus(term, constant(-value)))
        if by_angle and not by_speed:
            return place, by_angle
    raise CertificateError("no state drifts to first order")


def _theorem(statement: Statement) -> list[str]:
    """There are motions that begin as near as one likes and leave."""
    equations = statement.equations
    n, m, leaf = equations.n, equations.m, statement.on_leaf(statement.values_at("0"))
    near = [f"{d} < delta" for d in statement.distances([f"{x} 0" for x in statement.states])]
    far = " \\/ ".join(f"eps <= {d}" for d in statement.distances([f"{x} T" for x in statement.states]))
    functions = ", ".join(f"(fun t => Y t {i}%nat)" for i in range(n + m))
    return [
        "Theorem instability : exists eps : R, 0 < eps /\\ forall delta : R, 0 < delta ->",
        f"  exists (T : R) ({statement.functions} : R -> R), 0 < T /\\",
        "    (* a motion on the leaf, which begins near the point and leaves it *)",
        *conjunction(
            [*statement.continuous(), *statement.rates(), *statement.holding(), *leaf, *near, f"({far})"], "."
        ),
        "Proof.",
        "  destruct (family_drifts C_ ok) as (eps & He & K). exists eps; split; [exact He|].",
        "  intros delta Hd.",
        "  destruct (K delta Hd) as (Y & T & HT & Mo & HL & HN & i & Hi & Hx).",
        f"  exists T, {functions}. split; [exact HT|].",
        *(f"  split; [exact (m_cont _ _ _ _ _ Mo {i}%nat ltac:(simpl; lia))|]." for i in range(n)),
        *(
            f"  split; [exact (fun t Ht => m_der _ _ _ _ _ Mo t Ht {i}%nat ltac:(simpl; lia))|]."
            for i in range(n)
        ),
        *(f"  split; [exact (fun t Ht => m_eqs _ _ _ _ _ Mo t Ht _ {member(j)})|]." for j in range(m)),
        *(f"  split; [exact (HL _ {member(j)})|]." for j in range(len(leaf))),
        *(f"  split; [exact (HN {i}%nat ltac:(simpl; lia))|]." for i in range(n)),
        "  " + leaving(n),
        "Qed.",
    ]
