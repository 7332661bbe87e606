"""The theorem that the point is at rest, which stands in every file."""

from __future__ import annotations

from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.text.real_text import value_text
from geoctrl.rocq.text.statement import Statement, conjunction, member


def rest_theorem(equations: ProblemInTerms, statement: Statement) -> list[str]:
    """Field, equations and leaf vanish at the point with its unknowns: data and theorem, in numbers."""
    point = equations.whole_point
    values = [value_text(q) for q in point]
    rows = [*equations.field, *equations.equations, *equations.leaf.values()]
    parts = [f"{statement.text(row, values.__getitem__)} = 0" for row in rows]
    last = len(rows) - 1
    steps = [
        f"  split; [exact (V _ {member(j)})|]." if j < last else f"  exact (V _ {member(j)})."
        for j in range(len(rows))
    ]
    return [
        f"Lemma ok_rest : @rest_check A_ {equations.n} {equations.m} F_ E_ G_ Z_ = true.",
        "Proof. vm_cast_no_check (eq_refl true). Qed.",
        "",
        "(* Field, equations and leaf vanish at the point. *)",
        "Theorem equilibrium :",
        *conjunction(parts, "."),
        "Proof.",
        "  assert (V := rest_value _ _ _ _ _ _ ok_rest).",
        *steps,
        "Qed.",
        "",
    ]
