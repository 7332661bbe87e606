"""Functions that the motion keeps: relations of the leaf, then others modulo these, with what shows it."""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl.rocq.terms.expression import Expression, derivative
from geoctrl.rocq.terms.normal_forms import NormalForms
from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.terms.vanishing_terms import Part, identity


def kept_functions(
    equations: ProblemInTerms,
    names: Sequence[str],
    functions: Sequence[Expression],
    others: Sequence[Expression] = (),
) -> tuple[NormalForms, list[list[Part]]]:
    """Cofactors by which functions are kept, and normal forms for these and for other terms.

    The weights of a certificate come from an elimination and may have nested denominators, where they are
    polynomials: they are taken as quotients.
    """
    leaf = list(equations.leaf.values())
    rates = [derivative(F, equations.field) for F in functions]
    weights = [equations.weights(name) for name in names]
    every = [*equations.equations, *functions, *rates, *others]
    nested = NormalForms(equations.n + equations.m, [*every, *(w for row in weights for w in row)])
    weights = [[nested.quotient_of(w) for w in row] for row in weights]
    forms = NormalForms(equations.n + equations.m, [*every, *(w for row in weights for w in row)])
    parts = [
        identity(forms, rate, row, equations.equations, leaf if i >= len(leaf) else ())
        for i, (rate, row) in enumerate(zip(rates, weights, strict=True))
    ]
    return forms, parts
