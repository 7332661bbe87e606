"""A Lyapunov function that is given: its sum of squares in exact numbers, and levels below which it falls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

import numpy as np
from flint import fmpq

from geoctrl.analysis.higher_degrees.falling_polynomial import FallingPolynomial, lowest_factor
from geoctrl.analysis.higher_degrees.polynomial_function import rate_of, value
from geoctrl.analysis.programs.semidefinite import MatrixProgram, entries
from geoctrl.analysis.quadratics.falling_identity import INSIDE, FallingProof, add_squares
from geoctrl.analysis.quadratics.ring import Polynomial, constant, occurring
from geoctrl.analysis.quadratics.rounded_squares import (
    BITS,
    ExactFunction,
    Monomial,
    Square,
    block_diagonal,
    correct,
    dyadic,
    powers_of,
    products_of,
)
from geoctrl.analysis.quadratics.search_coordinates import times
from geoctrl.analysis.quadratics.setting import Setting
from geoctrl.analysis.quadratics.setting_units import Exponents, SettingUnits, Terms
from geoctrl.checker.definite import positive_definite
from geoctrl.checker.squares.identity import REST
from geoctrl.decisions.functions.derivatives import to_float
from geoctrl.errors import CertificateError

__all__ = ["GivenFunction", "short_level"]

NEAR, FURTHEST = 2.0**-11, 2.0**40
"""Of two levels, of which one is shown and the other is not, relative; and how far from the first one."""
SIMPLE = 4096
"""Denominators of multiples of relations."""
SHORT = 24
"""Bits of levels."""
LEAST = 1e-9
"""Least eigenvalue of its matrix, relative to its coefficients in units."""


class GivenFunction:
    """The search for levels of a function.

    Parameters
    ----------
    setting : Setting
        With a function that is given.
    multiplier : int, optional
        Degree of the factor of c - V.

    Attributes
    ----------
    search : FallingPolynomial
    identity : FallingIdentity
    exact : ExactFunction
        The function, at level one.
    not_shown : float
        The least level that was not shown.
    """

    not_shown = math.inf

    def __init__(
        self,
        setting: Setting,
        multiplier: int | None = None,
        left: Callable[[], float] = lambda: math.inf,
        units: SettingUnits | None = None,
    ) -> None:
        V: Polynomial = setting.given
        if constant(V):
            raise CertificateError(f"the function is {constant(V)}, not zero, at the equilibrium")
        if not occurring(V) <= {*setting.measured}:
            raise CertificateError("the function depends on more than states, sines and cosines that move")
        own = units or SettingUnits.plain(setting)
        self._terms, degree = own.terms(V), 2 * ((int(V.total_degree()) + 1) // 2)
        factor = lowest_factor(setting, degree) if multiplier is None else multiplier
        self.search = FallingPolynomial(setting, degree, factor, None, left, own, self._terms)
        self.identity = self.search.identity
        self.exact = self._in_squares(V, degree)
        self._terms = own.terms(self.exact.polynomial(setting))
        self.search.mixes = not self._prune()

    # -- monomials ------------------------------------------------------------------------------------

    def _in_squares(self, V: Polynomial, degree: int) -> ExactFunction:
        """The function as a sum of squares with a definite matrix, up to multiples of relations of what is
        measured.
        """
        terms, largest = self.identity.units.over_largest(V)
        program = MatrixProgram(self.identity.left)
        margin, multiples = program.number(), list[dict[Exponents, int]]()
        relations = [
            r for r in self.identity.setting.relations if occurring(r) <= {*self.identity.setting.measured}
        ]
        met = {*terms}
        for relation in relations:
            own, parity = self.identity.units.terms(relation), self.identity.parity(self._first(relation))
            top = degree - int(relation.total_degree())
            free = [m for m in self.identity.monomials(range(top + 1)) if self.identity.parity(m) == parity]
            multiples.append({m: program.number() for m in free if self.search.is_in_places(m)})
            for m, k in multiples[-1].items():
                for n, c in own.items():
                    program.add(times(m, n), k, c / largest)
                    met.add(times(m, n))
        grams, blocks = [], _without_needless(self.search.function, met)
        for block in blocks:
            gram = program.matrix(len(block))
            grams.append((block, gram))
            add_squares(program, block, gram, {(0,) * self.identity.size: 1.0})
            for m in block:
                program.add(times(m, m), margin, 1.0)
        for m, c in terms.items():
            program.add_constant(m, -c)
        program.at_most({margin: 1.0}, 1.0)
        found = program.minimum({margin: -1.0}) if self._holds_powers(blocks) else None
        if found is not None and found[margin] > LEAST:
            for relation, row in zip(relations, multiples, strict=True):
                exact = {powers_of(m): self._short(found[k] / self._size_of(m)) for m, k in row.items()}
                V = V - self.identity.setting.polynomial(exact) * relation
            for bits in BITS:
                parts: list[Square] = []
                for block, gram in grams:
                    sizes = np.array([self._size_of(m) for m in block])
                    matrix = (entries(gram, found) + found[margin] * np.eye(len(block))) * largest
                    rows = dyadic(matrix / np.outer(sizes, sizes), bits)
                    parts.append((REST, list(map(powers_of, block)), rows))
                rest = V - sum(
                    (self.identity.setting.polynomial(products_of(b, g)) for _, b, g in parts), V * 0
                )
                if correct(parts, rest, self.identity.setting) and all(
                    positive_definite(g) for *_, g in parts
                ):
                    return block_diagonal([(block, rows) for _, block, rows in parts])
        raise CertificateError(
            f"the function is not shown to be a sum of squares that is definite in {', '.join(self._titles)}"
        )

    def _first(self, p: Polynomial) -> Exponents:
        return next(iter(self.identity.units.terms(p)))

    def _size_of(self, m: Exponents) -> float:
        """In the units."""
        return float(np.prod(self.identity.units.sizes ** np.array(m)))

    @staticmethod
    def _short(value: float) -> fmpq:
        """A rational number near a double, of few digits where one is."""
        near = Fraction(float(value)).limit_denominator(SIMPLE)
        return fmpq(near.numerator, near.denominator)

    @property
    def _titles(self) -> list[str]:
        return [self.identity.setting.names[k] for k in self.identity.places]

    def _prune(self) -> bool:
        """Leave monomials out whose squares nothing in the identity outweighs; whether there are some."""
        others = {*rate_of(self._terms, self.identity.places, self.identity.own_rates)}
        rest = {m for block in self.identity.rest for m in block}
        for given, _ in (*self.identity.own_relations, *self.identity.own_bounds):
            others |= {
                times(times(a, b), m) for a in (*rest, (0,) * self.identity.size) for b in rest for m in given
            }
        before = self.identity.rest, self.identity.factors
        self.identity.rest, self.identity.factors = _without_needless_of_two(*before, others, {*self._terms})
        return before != (self.identity.rest, self.identity.factors)

    @property
    def _may_fall(self) -> bool:
        """Whether squares hold powers, without which they vanish elsewhere."""
        return self._holds_powers(self.identity.rest)

    def _holds_powers(self, blocks: list[list[Exponents]]) -> bool:
        """Whether monomials hold a power of all that is measured."""
        return {k for block in blocks for m in block for k in self.identity.places if sum(m) == m[k]} == {
            *self.identity.places
        }

    @property
    def seconds_left(self) -> float:
        """For the solver."""
        return self.identity.left()

    def terms_at(self, level: float) -> Terms:
        """The function over a level, in units."""
        return {m: c / level for m, c in self._terms.items()}

    def monomials_at(self, level: float) -> tuple[list[list[Exponents]], list[list[Exponents]]]:
        """Monomials of squares, and of the factor, in coordinates that mix none and in which a set is of size
        one.
        """
        self.search.mixes = False
        self.search.measure(self.terms_at(level))
        return self.search.squares_for(max(map(sum, self._terms))), self.identity.factors

    # -- levels ---------------------------------------------------------------------------------------

    def proof_at(self, level: float) -> FallingProof | None:
        """What shows that the function falls below a level."""
        if not self._may_fall:
            return None
        found = self.search.shown_by(self.terms_at(level))
        return None if found is None else FallingProof(self.identity.coordinates, [], *found[1:])

    @property
    def _highest(self) -> float:
        """The level up to which limits and the domain are kept."""
        monomials, level = self.exact.monomials, math.inf
        sizes = np.array([np.prod([self.identity.units.sizes[k] ** e for k, e in m]) for m in monomials])
        P = np.array([[to_float(c) for c in row] for row in self.exact.matrix]) * np.outer(sizes, sizes)
        for slopes in self.identity.units.limits() / INSIDE:
            linear: dict[Monomial, float] = {
                ((self.identity.places[i], 1),): c for i, c in enumerate(slopes) if c
            }
            if {*linear} <= {*monomials}:
                k = np.array([linear.get(m, 0.0) for m in monomials])
                level = min(level, 1 / float(k @ np.linalg.solve(P, k)))
        return level

    def levels(self) -> Iterator[tuple[float, FallingProof]]:
        """Higher and higher levels that are shown, at last nearly the highest."""
        points = self.identity.leaf.edge(
            lambda x: np.sum(x[:, self.identity.places] ** 2, axis=1), np.eye(len(self.identity.places))
        )[0]
        first = level = short_level(min(float(np.mean(value(self._terms, points))), self._highest))
        low, high = 0.0, self._highest * (1 + 2 * NEAR)
        while not (low and high <= low * (1 + NEAR)):
            if (proof := self.proof_at(level)) is None:
                self.not_shown = high = min(high, level)
                level = short_level(level / 4 if not low else (low * high) ** 0.5)
            else:
                low = level
                yield level, proof
                level = short_level(level * 4 if math.isinf(high) else (low * high) ** 0.5)
            if not first / FURTHEST < level < first * FURTHEST:
                return


def _without_needless(blocks: Iterable[list[Exponents]], terms: set[Exponents]) -> list[list[Exponents]]:
    """Monomials of a sum of squares that makes a polynomial of some terms: not those whose square is neither
    among these nor made by two others, as it would have to vanish.
    """
    kept = [list(block) for block in blocks]
    while True:
        met = terms | _mixed_products(kept)
        fewer = [[m for m in block if times(m, m) in met] for block in kept]
        if fewer == kept:
            return [block for block in kept if block]
        kept = fewer


def _without_needless_of_two(
    rest: list[list[Exponents]], factor: list[list[Exponents]], others: set[Exponents], terms: set[Exponents]
) -> tuple[list[list[Exponents]], list[list[Exponents]]]:
    """The same of the squares of the identity: those of the factor are added, times the level, and taken
    away, times the function.
    """
    while True:
        products = {times(a, b) for block in factor for a in block for b in block}
        met = (
            others
            | _mixed_products(rest)
            | _mixed_products(factor)
            | {times(m, k) for m in products for k in terms}
        )
        fewer = [[[m for m in block if times(m, m) in met] for block in part] for part in (rest, factor)]
        if fewer == [rest, factor]:
            return [b for b in rest if b], [b for b in factor if b]
        rest, factor = fewer


def _mixed_products(blocks: Iterable[list[Exponents]]) -> set[Exponents]:
    return {times(a, b) for block in blocks for a in block for b in block if a != b}


def short_level(level: float) -> float:
    """A number of few bits, below."""
    part, exponent = math.frexp(level)
    return math.ldexp(math.floor(math.ldexp(part, SHORT)), exponent - SHORT)
