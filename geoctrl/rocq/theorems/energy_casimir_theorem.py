"""Stability by the energy-Casimir test: `energy_casimir` of the library."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from geoctrl.checker.numbers import Number
from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.expression import Expression, constant
from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.text.data_text import DataText, list_text, squares_text
from geoctrl.rocq.text.stability_text import stability_theorem
from geoctrl.rocq.theorems.functions_with_cofactors import kept_functions
from geoctrl.rocq.theorems.written import AS_LONG_AS_IT_LASTS, Written, plain_data
from geoctrl.rocq.witnesses.sums_of_squares import Squares, sum_of_squares


def energy_casimir_theorem(equations: ProblemInTerms) -> Written:
    """Data and statement."""
    leaf = list(equations.leaf)
    theorem = equations.proved.theorem
    given, sense = theorem.get("multipliers", {}), theorem.get("sense", 1)
    names = [*dict.fromkeys([*leaf, *given, *theorem["rows"]])]
    functions = [*equations.leaf.values(), *(equations.invariant(name) for name in names[len(leaf) :])]
    forms, parts = kept_functions(equations, names, functions)
    multipliers = [sense * given.get(name, fmpq(0)) for name in names]
    squares = _squares(equations, functions, multipliers)
    data = DataText()
    rows = [
        f"Func {data.name_of(F)} {data.combination(own)} {data.name_of(constant(multiplier))}"
        for F, own, multiplier in zip(functions, parts, multipliers, strict=True)
    ]
    lines = [
        f"Definition C_ : ec := EC {equations.n} {equations.m} F_ E_ P_",
        f"  {data.list_of(forms.atoms)}",
        f"  {list_text(rows[: len(leaf)])}",
        f"  {list_text(rows[len(leaf) :])}",
        *squares_text(squares),
    ]
    body = [*plain_data(equations, data), *lines]
    body[-1] += "."
    return Written(
        ["EnergyCasimir"],
        [*data.lines, *body],
        "@ec_check A_ C_",
        lambda statement: stability_theorem(statement, "energy_casimir C_ ok"),
        AS_LONG_AS_IT_LASTS,
    )


def _squares(
    equations: ProblemInTerms, functions: Sequence[Expression], multipliers: Sequence[Number]
) -> Squares:
    """Squares of the second variation, which is positive where the functions have their values."""
    places = range(equations.n)
    gradients = [equations.jets.row(F) for F in functions]
    hessians = [equations.jets.form(F) for F in functions]
    second = [
        [sum((y * H[i][j] for y, H in zip(multipliers, hessians, strict=True)), fmpq(0)) for j in places]
        for i in places
    ]
    if (found := sum_of_squares(second, gradients)) is not None:
        return found
    raise CertificateError("the second variation is too near to a degenerate one for squares of few digits")
