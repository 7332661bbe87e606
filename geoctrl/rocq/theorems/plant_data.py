"""Data that theorems by a quadratic function share: the plant with its unknowns, and the function's rate."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from geoctrl.rocq.terms.expression import (
    ZERO,
    Expression,
    constant,
    minus,
    number,
    plus,
    times,
)
from geoctrl.rocq.terms.normal_forms import NormalForms
from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.text.data_text import DataText, list_text, rational_text, squares_text
from geoctrl.rocq.theorems.functions_with_cofactors import kept_functions
from geoctrl.rocq.witnesses.sums_of_squares import Squares


def plant_data(equations: ProblemInTerms, data: DataText, held: Sequence[str] = ()) -> tuple[list[str], str]:
    """Lines of the plant, and the functions that are held besides the leaf with what shows that they are."""
    leaf = list(equations.leaf.values())
    names = [*equations.leaf, *held]
    functions = [*leaf, *map(equations.invariant, held)]
    unknowns = [_unknown(equations, i) for i in range(equations.m)]
    own = [term for b, row, _ in unknowns for term in (b, *row)]
    forms, parts = kept_functions(equations, names, functions, own)
    texts = [
        f"Func {data.name_of(F)} {data.combination(row)} {data.name_of(ZERO)}"
        for F, row in zip(functions, parts, strict=True)
    ]
    values = equations.whole_point[equations.n :]
    rows = []
    for value, (b, row, N) in zip(values, unknowns, strict=True):
        entries = data.list_of(_plain(forms, entry) for entry in row)
        rows.append(
            f"Unknown {data.name_of(constant(value))} {data.name_of(b)} {entries} {_combination(data, N)}"
        )
    lines = [
        f"Definition S_ : plant := Plant {equations.n} {equations.m} F_ E_ P_",
        f"  {data.list_of(forms.atoms)}",
        f"  {list_text(texts[: len(leaf)])}",
        f"  [{'; '.join(rows)}].",
    ]
    return lines, list_text(texts[len(leaf) :])


def _plain(forms: NormalForms, entry: Expression) -> Expression:
    """Zero where a term vanishes identically."""
    return entry if forms.form_of(entry).top else ZERO


def _combination(data: DataText, row: Sequence[Expression]) -> str:
    return list_text(f"({data.name_of(minus(w))}, REq {j})" for j, w in enumerate(row) if not w.is_number(0))


def _unknown(equations: ProblemInTerms, i: int) -> tuple[Expression, list[Expression], list[Expression]]:
    """z_i - e_i = B + sum C_l (z_l - e_l) - sum N_j equation_j with N = K(e)^-1: B, the C, and the N."""
    N = [constant(q) for q in equations.inverse_of_matrix[i]]
    values = [constant(q) for q in equations.whole_point[equations.n :]]
    B = minus(values[i])
    for weight, right in zip(N, equations.right, strict=True):
        B = plus(B, times(weight, right))
    C = []
    for j, value in enumerate(values):
        entry = number(-1) if i == j else ZERO
        for k, weight in enumerate(N):
            if (k, j) in equations.matrix:
                entry = plus(entry, times(weight, equations.matrix[k, j]))
        C.append(minus(entry))
        B = plus(B, times(minus(entry), value))
    return B, C, N


def rate_data(data: DataText, V: Expression, a: fmpq, squares: Squares) -> list[str]:
    """Lines of a function with its rate."""
    lines = [f"Definition R_ : rate := Rate {data.name_of(V)} {rational_text(a)}", *squares_text(squares)]
    return [*lines[:-1], f"{lines[-1]}."]
