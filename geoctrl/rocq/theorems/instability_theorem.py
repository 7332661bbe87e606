"""Instability by the spectrum: `instability` of the library."""

from __future__ import annotations

from flint import fmpq

from geoctrl.checker.numbers import Number, positive
from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.expression import Expression, minus, number, plus, substitution, times
from geoctrl.rocq.terms.normal_forms import NormalForms
from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.terms.vanishing_terms import Part, vanishing
from geoctrl.rocq.text.data_text import DataText, list_text, rational_text
from geoctrl.rocq.text.statement import OUT, Statement, by_index, conjuncts, hypotheses, leaving
from geoctrl.rocq.theorems.linear_part import LinearPart
from geoctrl.rocq.theorems.plant_data import plant_data, rate_data
from geoctrl.rocq.theorems.written import Written, plain_data
from geoctrl.rocq.witnesses.quadratic_forms import scaled_rows, shorter_tables, weights_of_levels
from geoctrl.rocq.witnesses.rounding import dyadic
from geoctrl.rocq.witnesses.start_curves import start_curves
from geoctrl.rocq.witnesses.sums_of_squares import Squares

UNSAID = (
    "The theorem does not say that there are motions: from starts as near as one likes none stays near the "
    "point until the time T. Where motions exist as long as they stay near the point, that is instability."
)


def instability_theorem(equations: ProblemInTerms) -> Written:
    """Data and statement."""
    linear = LinearPart(equations)
    V, a, rate = _growing_function(linear, equations.proved.theorem["m"])
    data = DataText()
    plain = plain_data(equations, data)
    plant, _ = plant_data(equations, data)
    curve = _curve_data(equations, data, linear.direction(equations.proved.theorem["v"]), V)
    body = [*plain, *plant, *rate_data(data, V, a, rate), *curve]
    return Written(
        ["Unknowns", "Rates", "Instability"], [*data.lines, *body], "@un_check A_ S_ R_ K_", _theorem, UNSAID
    )


def _growing_function(linear: LinearPart, rate: fmpq) -> tuple[Expression, fmpq, Squares]:
    """A quadratic function V with V' >= a V on the leaf, a > 0.

    The certificate's grows where levels have their values; squares of these are taken from it.
    """
    exact, (levels, push) = scaled_rows(linear.form), linear.levels()
    weights = weights_of_levels(exact, linear.matrix, push, rate) if levels else []
    for P, rows, [[m]] in shorter_tables(exact, levels, [[rate]]):
        V = linear.quadratic(P)
        for w, row in zip(weights, rows, strict=True):
            V = plus(V, minus(times(number(w), linear.square(row))))
        if (squares := linear.rate_squares(V, 2 * m, 1)) is not None:
            return V, 2 * m, squares
    raise CertificateError("the quadratic function is too near to a degenerate one for squares of few digits")


def _curve_data(
    equations: ProblemInTerms, data: DataText, direction: list[Number], V: Expression
) -> list[str]:
    """The curve of starts in a direction, on the leaf, along which V rises."""
    for states in start_curves(equations, direction):
        if (found := _rising(equations, states, V)) is not None:
            forms, parts, rise = found
            return [
                f"Definition K_ : curve := Curve {data.list_of(states)} {data.list_of(forms.atoms)}",
                f"  {list_text(map(data.combination, parts))} {rational_text(dyadic(rise * fmpq(1, 2), 4))}.",
            ]
    raise CertificateError("no curve on the leaf was found along which the growing function rises")


def _rising(
    equations: ProblemInTerms, states: list[Expression], V: Expression
) -> tuple[NormalForms, list[list[Part]], Number] | None:
    """What shows that a curve is on the leaf, and how V rises; None where it is not, or V does not."""
    leaf = [substitution(g, states) for g in equations.leaf.values()]
    height = substitution(V, states)
    forms = NormalForms(1, [*leaf, height])
    jets = equations.jets_at([fmpq(0)])
    rise = jets.form(height)[0][0]
    if jets.value(height) or any(jets.row(height)) or not positive(rise):
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
