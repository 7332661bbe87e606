"""Identities with their cofactors: what shows that a term vanishes where relations do.

A term that vanishes is a sum of cofactors times relations: equations of motion and leaf relations, with the
cofactors that a certificate has, then sqrt(p)^2 - p and sin(a)^2 + cos(a)^2 - 1, by which what is left is
reduced to zero. Denominators need none: normal forms are fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from flint import fmpq_mpoly

from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.expression import Expression, difference, function, times
from geoctrl.rocq.terms.normal_forms import Fraction, NormalForms


class Part(NamedTuple):
    """A cofactor and its relation: constructor, with the number of the relation or the angle."""

    cofactor: Expression
    relation: str
    of: int | Expression


def identity(
    forms: NormalForms, rate: Expression, multiples: Iterable[tuple[Part, Expression]]
) -> list[Part]:
    """Cofactors of a rate: some that are known, with what their relations are, and those of functions."""
    parts, total = [], rate
    for part, relation in multiples:
        if not part.cofactor.is_number(0):
            parts.append(part)
            total = difference(total, times(part.cofactor, relation))
    return parts + vanishing(forms, forms.form_of(total))


def vanishing(forms: NormalForms, total: Fraction) -> list[Part]:
    """Cofactors of relations of functions, of which a fraction is the sum."""
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
    if total.top:
        raise CertificateError("a function is kept by more than equations and relations of functions show")
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
