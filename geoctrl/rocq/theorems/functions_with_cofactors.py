"""Functions that the motion keeps: relations of the leaf, then others modulo these, with what shows it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from geoctrl.rocq.terms.expression import Expression, derivative, minus
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

    Those of a certificate may have nested denominators, where they are polynomials: they are taken as
    quotients.
    """
    rates = [derivative(F, equations.field) for F in functions]
    given = [_multiples_of(equations, name) for name in names]
    every = [*equations.equations, *equations.leaf.values(), *functions, *rates, *others]
    nested = NormalForms(equations.n + equations.m, [*every, *_cofactors(given)])
    plain = [
        [(part._replace(cofactor=nested.quotient_of(part.cofactor)), relation) for part, relation in row]
        for row in given
    ]
    forms = NormalForms(equations.n + equations.m, [*every, *_cofactors(plain)])
    return forms, [identity(forms, rate, row) for rate, row in zip(rates, plain, strict=True)]


Multiples = list[tuple[Part, Expression]]


def _cofactors(given: Sequence[Multiples]) -> list[Expression]:
    return [part.cofactor for part, _ in chain(*given)]


def _multiples_of(equations: ProblemInTerms, name: str) -> Multiples:
    """Equations and, but of the leaf itself, relations of the leaf, with the certificate's cofactors."""
    weights, leaf = equations.weights(name), equations.leaf
    found = [
        (Part(minus(weight), "REq", i), equation)
        for i, (weight, equation) in enumerate(zip(weights, equations.equations, strict=False))
    ]
    if name in leaf:
        return found
    places = {relation: j for j, relation in enumerate(leaf)}
    return found + [
        (Part(cofactor, "RLeaf", places[relation]), leaf[relation])
        for relation, cofactor in equations.cofactors(name)
    ]
