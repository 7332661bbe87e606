"""Inequalities between rational functions as formulas in signs of polynomials; known signs are dropped."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from flint import fmpq

from geoctrl.analysis.symbolic.formulas import (
    All,
    Either,
    Formula,
    Nonzero,
    Polynomial,
    Positive,
    either,
    every,
    single,
)
from geoctrl.analysis.symbolic.rational_functions import RationalField, RationalFunction

__all__ = ["KnownSigns"]

_QUADRATIC = 60
"""Terms of a polynomial up to which it is looked at as a quadratic one."""


class KnownSigns:
    """Signs of the rational functions of a field."""

    def __init__(self, field: RationalField) -> None:
        self.field = field
        self._positive = field.positive or [False]  # a ring has one generator at least

    def positive(self, q: RationalFunction) -> Formula:
        """``q > 0``: the product of those factors whose sign is open, of even powers not zero."""
        if not q.top:
            return False
        sense, factors, even = 1, [], []
        for part in (q.top, q.below):
            constant, found = part.factor()
            sense *= 1 if constant > 0 else -1
            for factor, power in found:
                sign = self.sign(factor)
                if sign:
                    sense *= sign**power
                    continue
                weak, strict = self._square_sum(factor)
                if weak or power % 2 == 0:  # it has this sign wherever it does not vanish
                    sense *= weak if power % 2 else 1
                    even += [] if strict else [Nonzero(self.polynomial(factor))]
                else:
                    factors.append(self.polynomial(factor))
        first: Formula = Positive(sense, tuple(factors)) if factors else sense > 0
        return every([first, *even])

    def negative(self, q: RationalFunction) -> Formula:
        """``q < 0``."""
        return self.positive(-q)

    def nonzero(self, q: RationalFunction) -> Formula:
        """``q != 0``, where it is defined."""
        if not q.top:
            return False
        factors = (factor for part in (q.top, q.below) for factor, _ in part.factor()[1])
        return every(Nonzero(self.polynomial(f)) for f in factors if not self._square_sum(f)[1])

    def is_negative(self, q: RationalFunction) -> bool:
        """Whether q < 0 but on a set without inner points."""
        found = self.negative(q)
        parts = found.parts if isinstance(found, All) else (found,)
        return all(p is True or isinstance(p, Nonzero) for p in parts)

    def every(self, parts: Iterable[Formula]) -> Formula:
        """All of some formulas, shortened."""
        return every(parts, self.implies)

    def either(self, parts: Iterable[Formula]) -> Formula:
        """One of some formulas, shortened.

        ``b > 0 and f != 0`` is ``b > 0`` where b > 0 and f = 0 imply another one of them.
        """
        found = either(parts, self.implies)
        if not isinstance(found, Either):
            return found
        whole = [self._with_zeros(p, found.parts) for p in found.parts]
        return either(whole, self.implies)

    def _with_zeros(self, p: Formula, others: Iterable[Formula]) -> Formula:
        """An alternative without what it excludes, where that is among the others."""
        parts = p.parts if isinstance(p, All) else ()
        signs, excluded = [b for b in map(single, parts) if b], [q for q in parts if isinstance(q, Nonzero)]
        if len(signs) != 1 or len(signs) + len(excluded) < len(parts):
            return p
        given = [a for a in map(single, others) if a]
        left = [q for q in excluded if not any(self._implies_at(q.factor, signs[0], a) for a in given)]
        return every([*signs, *left])

    def _implies_at(self, zero: Polynomial, p: Positive, q: Positive) -> bool:
        """Whether p > 0 is seen to imply q > 0 where a polynomial vanishes."""
        f = self.flint(zero)
        a, b = (divmod(self.flint(r.factors[0]) * r.sense, f)[1] for r in (p, q))
        return any(not rest or self._factored_sign(rest, 2)[0] == 1 for rest in self._differences(a, b))

    # -- signs of polynomials --------------------------------------------------------------------

    def sign(self, p: Any) -> int | None:
        """1 or -1 where all terms have one sign and one of them cannot vanish, 0 for zero, else None."""
        if not p:
            return 0
        signs = {sign for _, sign in self._terms(p)}
        strict = any(is_strict for is_strict, _ in self._terms(p))
        return signs.pop() if len(signs) == 1 and strict and None not in signs else None

    def _weak(self, p: Any) -> int | None:
        """1 or -1 where no term has the other sign; for zero 0."""
        signs = {sign for _, sign in self._terms(p)}
        return 0 if not signs else signs.pop() if len(signs) == 1 and None not in signs else None

    def _square_sum(self, p: Any, depth: int = 2) -> tuple[int, bool]:
        """1 or -1 where no value has the other sign, and whether none is zero; 0 where that is not seen.

        A quadratic without two roots has the sign of its leading coefficient.
        """
        sign = self._weak(p)
        if sign or not depth or len(p) > _QUADRATIC:
            return sign or 0, bool(self.sign(p))
        for i, degree in enumerate(p.degrees()):
            if degree != 2:
                continue
            a, b, c = _coefficients(p, i, 2)
            sign, discriminant = self.sign(a), b * b - 4 * a * c
            if sign and not discriminant:
                return sign, False
            if sign:
                other, strict = self._factored_sign(discriminant, depth - 1)
                if other == -1:
                    return sign, strict
        return 0, False

    def _factored_sign(self, p: Any, depth: int) -> tuple[int, bool]:
        """The same by factors."""
        constant, factors = p.factor()
        total, strict = 1 if constant > 0 else -1, True
        for factor, power in factors:
            sign, nonzero = self._square_sum(factor, depth)
            total *= sign if power % 2 else 1
            strict = strict and nonzero
        return total, strict

    def _terms(self, p: Any) -> Iterable[tuple[bool, int | None]]:
        """Of each term whether it cannot vanish, and its sign."""
        for exponents, c in p.to_dict().items():
            open_ones = [
                int(e) for e, positive in zip(exponents, self._positive, strict=True) if not positive
            ]
            sign = None if any(e % 2 for e in open_ones) else 1 if c > 0 else -1
            yield not any(open_ones), sign

    def implies(self, p: Positive, q: Positive) -> bool:
        """Whether p > 0 is seen to imply q > 0, each of one factor.

        By q >= lambda p with a positive number lambda, or by p = a q + b with a >= 0 and b <= 0.
        """
        a = self.flint(p.factors[0]) * p.sense
        b = self.flint(q.factors[0]) * q.sense
        if any(not rest or self._factored_sign(rest, 2)[0] == 1 for rest in self._differences(a, b)):
            return True
        for quotient, rest in self._divisions(a, b):
            if self._weak(quotient) == 1 and self._weak(rest) in (0, -1):
                return True
        return False

    @staticmethod
    def _differences(p: Any, q: Any) -> Iterable[Any]:
        """q - lambda p for the positive numbers with which a monomial of both cancels."""
        if len(p) * len(q) > _QUADRATIC**2:
            return
        first, second = p.to_dict(), q.to_dict()
        ratios = {str(second[k] / c): second[k] / c for k, c in first.items() if k in second}
        yield from (q - ratio * p for ratio in ratios.values() if ratio > 0)

    def excludes(self, formula: Formula, factor: Polynomial) -> bool:
        """Whether a formula is seen to be false wherever a polynomial vanishes."""
        if isinstance(formula, bool):
            return not formula
        if isinstance(formula, All):
            return any(self.excludes(p, factor) for p in formula.parts)
        if isinstance(formula, Either):
            return all(self.excludes(p, factor) for p in formula.parts)
        if isinstance(formula, Nonzero):
            return formula.factor == factor
        return factor in formula.factors or self._at_zero(formula, factor)

    def _at_zero(self, p: Positive, factor: Polynomial) -> bool:
        """Whether p > 0 is seen to be false where a symbol vanishes."""
        ((exponents, _), *more) = factor.terms
        if more or sum(exponents) != 1 or len(p.factors) != 1:
            return False
        place = exponents.index(1)
        left = self.flint(Polynomial(tuple(t for t in p.factors[0].terms if not t[0][place])))
        return self._weak(left * p.sense) in (-1, 0)

    def _divisions(self, a: Any, b: Any) -> Iterable[tuple[Any, Any]]:
        """a = quotient b + rest, with the terms of b's leading monomials in several orders."""
        yield divmod(a, b)
        degrees = b.degrees()
        for i, degree in enumerate(degrees):
            if degree != 1:
                continue
            # b = u x + v: the part of a that is linear in x, divided by u.
            if a.degrees()[i] != 1:
                continue
            (u, v), (top, rest) = _coefficients(b, i, 1), _coefficients(a, i, 1)
            quotient, left = divmod(top, u)
            if not left:
                yield quotient, rest - quotient * v

    # -- polynomials that can be kept ------------------------------------------------------------

    def polynomial(self, p: Any) -> Polynomial:
        """A polynomial of flint as one of Python."""
        terms = (
            (tuple(map(int, exponents)), Fraction(int(c.p), int(c.q))) for exponents, c in p.to_dict().items()
        )
        return Polynomial(tuple(sorted(terms)))

    def flint(self, p: Polynomial) -> Any:
        """The contrary."""
        return self.field.ring.from_dict({k: fmpq(c.numerator, c.denominator) for k, c in p.terms})


def _coefficients(p: Any, i: int, degree: int) -> list[Any]:
    """Coefficients of the powers of one generator, the highest first."""
    parts: list[dict] = [{} for _ in range(degree + 1)]
    for exponents, c in p.to_dict().items():
        parts[degree - int(exponents[i])][(*exponents[:i], 0, *exponents[i + 1 :])] = c
    return list(map(p.context().from_dict, parts))
