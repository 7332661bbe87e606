"""Identities with their cofactors: what shows that a term vanishes where relations do.

A term that vanishes is a sum of cofactors times relations: equations of motion, leaf relations,
sqrt(p)^2 - p, sin(a)^2 + cos(a)^2 - 1. Denominators need none: normal forms are fractions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from flint import Ordering, fmpq_mpoly, fmpq_mpoly_ctx

from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.expression import Expression, difference, function, minus, times
from geoctrl.rocq.terms.normal_forms import Fraction, NormalForms

ROUNDS = 6
"""Of division by one leaf relation after the other."""


class Part(NamedTuple):
    """A cofactor and its relation: constructor, with the number of the relation or the angle."""

    cofactor: Expression
    relation: str
    of: int | Expression


def identity(
    forms: NormalForms,
    rate: Expression,
    weights: Sequence[Expression],
    equations: Sequence[Expression],
    leaf: Sequence[Expression] = (),
) -> list[Part]:
    """Cofactors of a rate C', with which C' + w.equations vanishes on the leaf."""
    parts, total = [], rate
    for i, (weight, equation) in enumerate(zip(weights, equations, strict=False)):
        if not weight.is_number(0):
            parts.append(Part(minus(weight), "REq", i))
            total = difference(total, times(minus(weight), equation))
    return parts + vanishing(forms, forms.form_of(total), leaf)


def vanishing(forms: NormalForms, total: Fraction, leaf: Sequence[Expression] = ()) -> list[Part]:
    """Cofactors of relations of functions and of the leaf, of which a fraction is the sum."""
    parts: list[Part] = []
    for atom in reversed(forms.functions):
        if atom.value == "Sqrt":
            total, cofactor = _without_root(forms, total, atom)
            parts.append(Part(forms.term_of(cofactor), "RSqrt", _place(forms.atoms, atom)))
        elif atom.value == "Sin" and forms.index(cosine := function("Cos", atom.parts[0])) is not None:
            s, c = (forms.generators[forms.index(f) or 0] for f in (atom, cosine))
            quotient, rest = divmod(total.top, s * s + c * c - 1)
            parts.append(Part(forms.term_of(Fraction(quotient, total.below)), "RTrig", atom.parts[0]))
            total = Fraction(rest, total.below)
    total = forms.in_lowest_terms(total)
    relations = [forms.form_of(g) for g in leaf]
    quotients = _quotients(total.top, [g.top for g in relations])
    for j, (quotient, relation) in enumerate(zip(quotients, relations, strict=True)):
        cofactor = Fraction(quotient * forms.denominator(relation.below), total.below)
        parts.append(Part(forms.term_of(forms.in_lowest_terms(cofactor)), "RLeaf", j))
    return [part for part in parts if not part.cofactor.is_number(0)]


def _place(atoms: Sequence[Expression], atom: Expression) -> int:
    return next(i for i, other in enumerate(atoms) if other.mark == atom.mark)


def _without_root(forms: NormalForms, total: Fraction, atom: Expression) -> tuple[Fraction, Fraction]:
    """What is left of a fraction without squares of a root y, and the cofactor of y^2 - p."""
    index = forms.index(atom) or 0
    y, square = Fraction(forms.generators[index], {}), forms.form_of(atom.parts[0])
    rest = cofactor = Fraction(forms.constant(0), {})
    for k, top in _by_powers(total.top, index).items():
        lowest = forms.product(Fraction(top, total.below), _power(forms, y, k % 2))
        # y^2j = p^j + (y^2 - p) (y^(2j-2) + y^(2j-4) p + ... + p^(j-1))
        j = k // 2
        rest = forms.sum(rest, forms.product(lowest, _power(forms, square, j)))
        for i in range(j):
            terms = forms.product(_power(forms, y, 2 * (j - 1 - i)), _power(forms, square, i))
            cofactor = forms.sum(cofactor, forms.product(lowest, terms))
    return rest, cofactor


def _power(forms: NormalForms, f: Fraction, k: int) -> Fraction:
    found = Fraction(forms.constant(1), {})
    for _ in range(k):
        found = forms.product(found, f)
    return found


def _by_powers(p: fmpq_mpoly, index: int) -> dict[int, fmpq_mpoly]:
    """The coefficients of the powers of one generator."""
    found: dict[int, dict[tuple[int, ...], Any]] = {}
    for exponents, c in p.terms():
        without = (*exponents[:index], 0, *exponents[index + 1 :])
        found.setdefault(int(exponents[index]), {})[without] = c
    return {k: p.context().from_dict(terms) for k, terms in sorted(found.items())}


def _quotients(p: fmpq_mpoly, relations: Sequence[fmpq_mpoly]) -> list[fmpq_mpoly]:
    """Cofactors of the relations in a polynomial, by division in one order of terms after the other."""
    if not p:
        return [p] * len(relations)
    ring = p.context()
    for names, order in _orders(ring.names(), relations):
        other = fmpq_mpoly_ctx.get(names, order)
        rest, own = p.project_to_context(other), [g.project_to_context(other) for g in relations]
        quotients = [other.constant(0) for _ in relations]
        for _ in range(ROUNDS):
            for j, g in enumerate(own):
                found, rest = divmod(rest, g)
                quotients[j] += found
            if not rest:
                return [q.project_to_context(ring) for q in quotients]
    raise CertificateError(
        "a function is kept modulo the leaf, and no cofactors of the leaf relations were found"
    )


def _orders(
    names: Sequence[str], relations: Sequence[fmpq_mpoly]
) -> Iterator[tuple[tuple[str, ...], Ordering]]:
    """Orders of terms: first those in which variables lead in which relations are monic."""
    monic = [name for i, name in enumerate(names) if any(_is_monic(g, i) for g in relations)]
    first = [*monic, *(name for name in names if name not in monic)]
    for order, sequence in product(
        (Ordering.lex, Ordering.degrevlex, Ordering.deglex), (first, names, first[::-1], names[::-1])
    ):
        yield tuple(sequence), order


def _is_monic(g: fmpq_mpoly, index: int) -> bool:
    powers = _by_powers(g, index)
    return max(powers, default=0) > 0 and powers[max(powers)].is_constant()
