"""Normal forms of terms, as the library has them: fractions of polynomials over products of denominators.

Functions stand for variables of their own. The denominators are numerators of what is inverted in the terms,
none of which is zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.expression import (
    ONE,
    ZERO,
    Expression,
    inverse,
    number,
    plus,
    power,
    subterms,
    times,
    variable,
)


class Fraction(NamedTuple):
    """A numerator, and exponents of the denominators by their numbers."""

    top: fmpq_mpoly
    below: dict[int, int]


class NormalForms:
    """Normal forms of all parts of some terms.

    Parameters
    ----------
    base : int
        Number of variables.
    terms : iterable of Expression
        All terms that normal forms are asked of, later too.

    Attributes
    ----------
    atoms : list of Expression
        The functions and inverses in them, each after those within it, without inverses of numbers.
    functions : list of Expression
        The functions among these.
    """

    def __init__(self, base: int, terms: Iterable[Expression]) -> None:
        self.base = base
        atoms = [term for term in subterms(*terms) if term.kind in ("Inv", "Fun")]
        self.functions = [atom for atom in atoms if atom.kind == "Fun"]
        self._index = {atom.mark: i for i, atom in enumerate(reversed(self.functions))}
        # Of the functions the last is the greatest: its relation is monic in it.
        names = [f"a{i}" for i in range(len(self.functions))] + [f"x{i}" for i in range(base)]
        self.ring = fmpq_mpoly_ctx.get(names or ["x0"], Ordering.lex)
        self.generators = self.ring.gens()
        self._forms: dict[bytes, Fraction] = {}
        self._denominators: list[tuple[fmpq_mpoly, Expression]] = []
        self.atoms = [atom for atom in atoms if atom.kind == "Fun" or self._is_denominator(atom)]

    def _is_denominator(self, atom: Expression) -> bool:
        """Whether an inverse is one of no number; it has a denominator from then on."""
        inner = self.form_of(atom.parts[0])
        if inner.top.is_constant():
            return False
        if all(inner.top != p for p, _ in self._denominators):
            one_over = times(
                self._denominator_term({k: -e for k, e in inner.below.items()}), inverse(atom.parts[0])
            )
            self._denominators.append((inner.top, one_over))
        return True

    def index(self, function: Expression) -> int | None:
        """The place of a function among the ring's generators."""
        return self._index.get(function.mark)

    def constant(self, q: fmpq | int) -> fmpq_mpoly:
        """A number as a polynomial."""
        return self.ring.constant(fmpq(q))

    def form_of(self, root: Expression) -> Fraction:
        """The normal form of a term."""
        for term in subterms(root):
            if term.mark not in self._forms:
                self._forms[term.mark] = self._form(term)
        return self._forms[root.mark]

    def _form(self, term: Expression) -> Fraction:
        if term.kind == "Num":
            return Fraction(self.constant(term.value), {})
        if term.kind == "Var":
            return Fraction(self.generators[len(self.functions) + term.value], {})
        if term.kind == "Fun":
            return Fraction(self.generators[self._index[term.mark]], {})
        parts = [self._forms[part.mark] for part in term.parts]
        if term.kind == "Add":
            return self.sum(*parts)
        return self.product(*parts) if term.kind == "Mul" else self._inverse(parts[0])

    def sum(self, a: Fraction, b: Fraction) -> Fraction:
        """Over the least common denominator."""
        if not a.top or not b.top:
            return a if a.top else b
        below = {k: max(a.below.get(k, 0), b.below.get(k, 0)) for k in a.below | b.below}
        tops = [
            f.top * self.denominator({k: e - f.below.get(k, 0) for k, e in below.items()}) for f in (a, b)
        ]
        return Fraction(tops[0] + tops[1], below)

    def product(self, a: Fraction, b: Fraction) -> Fraction:
        """The product; zero has no denominator."""
        top = a.top * b.top
        return Fraction(
            top, {k: a.below.get(k, 0) + b.below.get(k, 0) for k in a.below | b.below} if top else {}
        )

    def _inverse(self, a: Fraction) -> Fraction:
        top = self.denominator(a.below)
        if a.top.is_constant():
            if not a.top:
                raise CertificateError("a denominator in its equations is zero")
            return Fraction(top / a.top.leading_coefficient(), {})
        return Fraction(top, {next(k for k, (p, _) in enumerate(self._denominators) if p == a.top): 1})

    def denominator(self, exponents: dict[int, int]) -> fmpq_mpoly:
        """A product of denominators."""
        found = self.constant(1)
        for k, e in exponents.items():
            found *= self._denominators[k][0] ** e
        return found

    def in_lowest_terms(self, f: Fraction) -> Fraction:
        """The fraction without denominators that divide its numerator."""
        top, below = f.top, {}
        for k, e in f.below.items():
            while e and top:
                quotient, rest = divmod(top, self._denominators[k][0])
                if rest:
                    break
                top, e = quotient, e - 1
            if e and top:
                below[k] = e
        return Fraction(top, below)

    def quotient_of(self, root: Expression) -> Expression:
        """A term without nested denominators, as a quotient of polynomials that have no common divisor."""
        f = self.form_of(root)
        if not f.below:
            return root
        below = self.denominator(f.below)
        common = f.top.gcd(below)
        top, below = divmod(f.top, common)[0], divmod(below, common)[0]
        leading = below.leading_coefficient()
        numerator = self.term_of(Fraction(top / leading, {}))
        if below.is_constant():
            return numerator
        return times(numerator, inverse(self.term_of(Fraction(below / leading, {}))))

    def term_of(self, f: Fraction) -> Expression:
        """A fraction as a term."""
        made, count = ZERO, len(self.functions)
        for exponents, coefficient in sorted(f.top.terms()):
            product = number(coefficient)
            for i, exponent in enumerate(exponents):
                if exponent:
                    factor = self.functions[count - 1 - i] if i < count else variable(i - count)
                    product = times(product, power(factor, int(exponent)))
            made = plus(made, product)
        return times(made, self._denominator_term(f.below))

    def _denominator_term(self, below: dict[int, int]) -> Expression:
        """One over a product of denominators; where exponents are negative, that many of them."""
        made = ONE
        for k, e in below.items():
            if e > 0:
                made = times(made, power(self._denominators[k][1], e))
            elif e < 0:
                made = times(made, power(self.term_of(Fraction(self._denominators[k][0], {})), -e))
        return made
