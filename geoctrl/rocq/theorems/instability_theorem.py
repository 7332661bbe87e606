"""Instability by the spectrum: `instability` of the library."""

from __future__ import annotations

from itertools import product

from flint import arb, ctx, fmpq

from geoctrl.checker.surds import Number
from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.certified import Certified
from geoctrl.rocq.terms.expression import Expression, substitution
from geoctrl.rocq.terms.expression_jets import ExpressionJets, Rows
from geoctrl.rocq.terms.normal_forms import NormalForms
from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.terms.vanishing_terms import Part, vanishing
from geoctrl.rocq.text.data_text import DataText, list_text, rational_text
from geoctrl.rocq.text.statement import OUT, Statement, by_index, conjuncts, hypotheses, leaving
from geoctrl.rocq.theorems.linear_part import LinearPart
from geoctrl.rocq.theorems.plant_data import plant_data, rate_data
from geoctrl.rocq.theorems.written import Written, plain_data
from geoctrl.rocq.witnesses.lyapunov_equation import (
    DIGITS,
    lyapunov_form,
    number_between,
    positive_direction,
    real_parts,
)
from geoctrl.rocq.witnesses.rounding import BITS, dyadic
from geoctrl.rocq.witnesses.start_curves import start_curves
from geoctrl.rocq.witnesses.sums_of_squares import Squares

PARTS = tuple(fmpq(k, 10) for k in (4, 6, 3, 7, 2))
"""Of the way from the next real part to the largest; at one half two roots would add up to twice the rate."""
UNSAID = (
    "The theorem does not say that there are motions: from starts as near as one likes none stays near the "
    "point until the time T. Where motions exist as long as they stay near the point, that is instability."
)
APART = fmpq(1, 10**6)
"""Difference of real parts from which they count as two, relative to the largest."""


def instability_theorem(proved: Certified, equations: ProblemInTerms) -> Written:  # noqa: ARG001
    """Data and statement."""
    linear = LinearPart(equations)
    P, V, a, rate = _growing_function(linear)
    if (upwards := positive_direction(P)) is None:
        raise CertificateError("the growing function is positive nowhere")
    data = DataText()
    plain = plain_data(equations, data)
    plant, _ = plant_data(equations, data)
    curve = _curve_data(equations, data, linear.direction(upwards), V)
    body = [*plain, *plant, *rate_data(data, V, a, rate), *curve]
    return Written(
        ["Unknowns", "Rates", "Instability"], [*data.lines, *body], "@un_check A_ S_ R_ K_", _theorem, UNSAID
    )


def _growing_function(linear: LinearPart) -> tuple[Rows, Expression, fmpq, Squares]:
    """A quadratic function V with V' >= a V where all that is held has its value, a > 0."""
    parts = real_parts(linear.matrix)
    with ctx.workprec(BITS):
        top = parts[0]
        if not top > 0:
            raise CertificateError("no eigenvalue is seen to lie to the right of the axis")
        next_ = next((x for x in parts if x < top - arb(APART) * max(arb(1), top)), arb(0))
        for digits, part in product(DIGITS, PARTS):
            alpha = number_between(max(next_, arb(0)), top, part)
            P = lyapunov_form(linear.matrix, -alpha, 1, digits)
            if P is None:
                continue
            V = linear.quadratic(P)
            if (rate := linear.rate_squares(V, 2 * alpha, 1)) is not None:
                return P, V, 2 * alpha, rate
    raise CertificateError("no quadratic function was found that grows fast enough")


def _curve_data(
    equations: ProblemInTerms, data: DataText, direction: list[Number], V: Expression
) -> list[str]:
    """The curve of starts in a direction, on the leaf, along which V rises."""
    for states in start_curves(equations, direction):
        if (found := _rising(equations, states, V)) is not None:
            forms, parts, rise = found
            return [
                f"Definition K_ : curve := Curve {data.list_of(states)} {data.list_of(forms.atoms)}",
                f"  {list_text(map(data.combination, parts))} {rational_text(dyadic(rise / 2, 4))}.",
            ]
    raise CertificateError("no curve on the leaf was found along which the growing function rises")


def _rising(
    equations: ProblemInTerms, states: list[Expression], V: Expression
) -> tuple[NormalForms, list[list[Part]], Number] | None:
    """What shows that a curve is on the leaf, and how V rises; None where it is not, or V does not."""
    leaf = [substitution(g, states) for g in equations.leaf.values()]
    height = substitution(V, states)
    forms = NormalForms(1, [*leaf, height])
    jets = ExpressionJets([fmpq(0)], equations.field_of_numbers)
    rise = jets.form(height)[0][0]
    if jets.value(height) or any(jets.row(height)) or not rise > 0:
        return None
    try:
        return forms, [vanishing(forms, forms.form_of(g)) for g in leaf], rise
    except CertificateError:
        return None


def _theorem(statement: Statement) -> list[str]:
    """There are starts on the leaf, as near as one likes, from which every motion leaves."""
    n = statement.equations.n
    c, d, q, _, s = statement.hypothesis_names()
    starts = statement.starts()
    leaf = statement.on_leaf(starts.__getitem__)
    near = [f"{distance} < delta" for distance in statement.distances(starts)]
    begins = [f"{x} 0 = {x0}" for x, x0 in zip(statement.states, starts, strict=True)]
    distances = statement.distances([f"{x} t" for x in statement.states])
    far = " \\/ ".join(f"eps <= {distance}" for distance in distances)
    return [
        "Theorem instability : exists eps : R, 0 < eps /\\ forall delta : R, 0 < delta ->",
        "  (* as near as one likes there is a state of the leaf *)",
        f"  exists {' '.join(starts)} : R,",
        *conjuncts([*leaf, *near]),
        "  (* and a time by which every motion from there has left the neighbourhood *)",
        "  exists T : R, 0 < T /\\",
        f"    forall {statement.functions} : R -> R,",
        *statement.motion_hypotheses(),
        *hypotheses(begins),
        f"    exists t, 0 <= t <= T /\\ ({far}).",
        "Proof.",
        "  destruct (instability S_ R_ K_ ok) as (eps & He & K). exists eps; split; [exact He|].",
        "  intros delta Hd.",
        "  destruct (K delta Hd) as (x0 & HL & HN & T & HT & KT).",
        "  " + " ".join(f"exists (x0 {i}%nat)." for i in range(n)),
        *(
            f"  split; [apply (HL (nth {i} (map fe (p_leaf S_)) (Num 0))); simpl; tauto|]."
            for i in range(len(leaf))
        ),
        *(f"  split; [exact (HN {i}%nat ltac:(simpl; lia))|]." for i in range(n)),
        "  exists T; split; [exact HT|].",
        f"  intros {statement.functions} {' '.join(c + d + q + s)}.",
        f"  set (Y := {statement.motion_function()}).",
        "  assert (Mo : motion (p_n S_) (p_f S_) (p_eqs S_) Y T).",
        "  {",
        *statement.motion_proof(),
        "  }",
        "  destruct (KT Y Mo) as (t & i & Ht & Hi & Hx).",
        "  { intros i Hi. " + by_index([f"exact {x}" for x in s], OUT) + " }",
        "  exists t; split; [exact Ht|].",
        "  " + leaving(n),
        "Qed.",
    ]
