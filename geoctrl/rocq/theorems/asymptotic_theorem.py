"""Asymptotic stability by the spectrum: `asymptotic` of the library."""

from __future__ import annotations

from flint import fmpq

from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.expression import Expression
from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.text.data_text import DataText, rational_text, squares_text
from geoctrl.rocq.text.real_text import value_text
from geoctrl.rocq.text.statement import OUT, Statement, by_index, by_member, conjunction
from geoctrl.rocq.theorems.linear_part import LinearPart
from geoctrl.rocq.theorems.plant_data import plant_data, rate_data
from geoctrl.rocq.theorems.written import AS_LONG_AS_IT_LASTS, Written, plain_data
from geoctrl.rocq.witnesses.quadratic_forms import falling_rate, scaled_rows, shorter_tables
from geoctrl.rocq.witnesses.sums_of_squares import Squares

Falling = tuple[Expression, fmpq, Squares, tuple[fmpq, Squares]]
"""A function, its rate, squares of what it falls by, and its lower bound with squares."""


def asymptotic_theorem(equations: ProblemInTerms) -> Written:
    """Data and statement."""
    V, a, rate, (b, above) = falling_function(LinearPart(equations))
    data = DataText()
    plain = plain_data(equations, data)
    plant, _ = plant_data(equations, data)
    rates = rate_data(data, V, a, rate)
    below = [f"Definition L_ : above := Above {rational_text(b)}", *squares_text(above)]
    body = [*plain, *plant, *rates, *below]
    body[-1] += "."
    return Written(
        ["Unknowns", "Rates", "Asymptotic"],
        [*data.lines, *body],
        "@as_check A_ S_ R_ L_",
        lambda statement: _theorem(statement, a),
        AS_LONG_AS_IT_LASTS,
    )


def falling_function(linear: LinearPart) -> Falling:
    """A quadratic function V with V' <= -a V where all that is held has its value, and its lower bound."""
    exact = scaled_rows(linear.form)
    a = falling_rate(exact, linear.matrix)
    for (P,) in shorter_tables(exact):
        V = linear.quadratic(P)
        rate, above = linear.rate_squares(V, a, -1), linear.above(P)
        if rate is not None and above is not None:
            return V, a, rate, above
    raise CertificateError("the quadratic function is too near to a degenerate one for squares of few digits")


def _theorem(statement: Statement, a: fmpq) -> list[str]:
    """Motions that begin near the point stay near it and tend to it at a rate."""
    n = statement.equations.n
    c, d, q, g, s = statement.hypothesis_names()
    rate = value_text(a)
    near = [
        f"(Rabs ({x} t - {v}) < eps /\\ ({x} t - {v}) * ({x} t - {v}) <= C * exp (- {rate} * t))"
        for x, v in zip(statement.states, statement.values, strict=True)
    ]
    ends = "|".join(f"exact (proj{j} (M {i}%nat ltac:(simpl; lia)))" for i in range(n) for j in (1, 2))
    return [
        "Theorem asymptotic_stability : exists C : R, 0 < C /\\",
        "  forall eps : R, 0 < eps -> exists delta : R, 0 < delta /\\",
        f"  forall (T : R) ({statement.functions} : R -> R), 0 <= T ->",
        *statement.motion_hypotheses(),
        *statement.leaf_hypotheses(),
        *statement.near_hypotheses("begins near the point; stays near it and tends to it"),
        "    forall t, 0 <= t <= T ->",
        *conjunction(near, "."),
        "Proof.",
        "  destruct (asymptotic S_ R_ L_ ok) as (C & HC & K0). exists C; split; [exact HC|]. intros eps He.",
        "  destruct (K0 eps He) as (delta & Hd & K). exists delta; split; [exact Hd|].",
        f"  intros T {statement.functions} HT {' '.join(c + d + q + g + s)} t Ht.",
        f"  set (Y := {statement.motion_function()}).",
        "  assert (Mo : motion (p_n S_) (p_f S_) (p_eqs S_) Y T).",
        "  {",
        *statement.motion_proof(),
        "  }",
        "  assert (M : forall i, (i < p_n S_)%nat -> Rabs (Y t i - vec (p_e S_) i) < eps /\\",
        "    (Y t i - vec (p_e S_) i) * (Y t i - vec (p_e S_) i) <= C * exp (- q2r (r_a R_) * t)).",
        "  { refine (K Y T HT Mo _ _ t Ht).",
        "    - intros g_ Hg. " + by_member("Hg", [f"exact {x}" for x in g]),
        "    - intros i Hi. " + by_index([f"exact {x}" for x in s], OUT) + " }",
        f"  repeat apply conj; [{ends}].",
        "Qed.",
    ]
