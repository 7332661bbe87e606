"""Stability by the spectrum on level sets of conserved functions: `level_stability` of the library."""

from __future__ import annotations

from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.text.data_text import DataText, rational_text, squares_text
from geoctrl.rocq.text.stability_text import stability_theorem
from geoctrl.rocq.theorems.asymptotic_theorem import falling_function
from geoctrl.rocq.theorems.linear_part import LinearPart
from geoctrl.rocq.theorems.plant_data import plant_data, rate_data
from geoctrl.rocq.theorems.written import AS_LONG_AS_IT_LASTS, Written, plain_data

UNSAID = "Nor does it say that motions tend to the equilibrium of their level set."


def level_theorem(equations: ProblemInTerms) -> Written:
    """Data and statement."""
    levels = [name for name in equations.proved.theorem["rows"] if name not in equations.leaf]
    V, a, rate, (b, above) = falling_function(LinearPart(equations, map(equations.invariant, levels)))
    data = DataText()
    plain = plain_data(equations, data)
    plant, held = plant_data(equations, data, levels)
    rates = rate_data(data, V, a, rate)
    held_levels = [f"Definition L_ : levels := Levels {held} {rational_text(b)}", *squares_text(above)]
    body = [*plain, *plant, *rates, *held_levels]
    body[-1] += "."
    return Written(
        ["Unknowns", "Rates", "Asymptotic", "LevelStability"],
        [*data.lines, *body],
        "@lv_check A_ S_ R_ L_",
        lambda statement: stability_theorem(statement, "level_stability S_ R_ L_ ok"),
        f"{AS_LONG_AS_IT_LASTS} {UNSAID}",
    )
