r"""The identity that shows a function to fall, as sums of a program over semidefinite matrices.

Of the identity in `geoctrl.checker.squares.identity` the matrices and multipliers are unknown; it is written
in coordinates in which the set of the last function is near to a ball. A sign that all polynomials have under
a change of signs of variables parts monomials into blocks (Parrilo 2000, section 4; Gatermann and Parrilo,
J. Pure Appl. Algebra 192 (2004) 95).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

import numpy as np

from geoctrl.analysis.programs.semidefinite import Gram, MatrixProgram, entries, parities
from geoctrl.analysis.quadratics.search_coordinates import SearchCoordinates, times
from geoctrl.analysis.quadratics.second_order_on_leaf import NearLeaf
from geoctrl.analysis.quadratics.setting import Setting
from geoctrl.analysis.quadratics.setting_units import Exponents, SettingUnits, Terms
from geoctrl.checker.squares.identity import LEVEL, REST
from geoctrl.errors import CertificateError

__all__ = ["FallingIdentity", "FallingProof", "add_squares", "relation_among", "sum_of"]

BLOCK = 140
"""Monomials of a block, at most."""
FLOOR = 1e-3
"""Of the largest size, of variables that hardly move: those of none are not known."""
INSIDE = 0.998
"""Of the limit of an output, or of a margin of the domain, within which doubles keep it."""

Square = tuple[str, list[Exponents], np.ndarray]
"""What it is multiplied with, the monomials, and their matrix."""


class FallingProof(NamedTuple):
    """What sums of squares show of a function at level one, in coordinates: blocks of monomials with their
    matrices of which the function is made, none where it is the sum of squares of the coordinates; sums by
    what they are multiplied with, and multipliers of the relations.
    """

    coordinates: SearchCoordinates
    blocks: list[tuple[list[Exponents], np.ndarray]]
    squares: list[Square]
    multipliers: list[Terms]

    @property
    def function(self) -> np.ndarray:
        """The matrix of a quadratic function of what is measured, in the units of the search, that is the sum
        of squares of the coordinates.
        """
        return self.coordinates.function(np.eye(len(self.coordinates.places)))

    @property
    def factor(self) -> Terms:
        """What c - V is multiplied with."""
        return sum_of([(block, gram) for kind, block, gram in self.squares if kind == LEVEL])


class FallingIdentity:
    """The identity in coordinates.

    Parameters
    ----------
    degree, factor : int
        Of monomials of squares, at most: of those alone, and of those of c - V.
    left : callable
        The seconds that the solver may take.
    units : SettingUnits, optional
        In which functions are given; the search has coordinates of its own.
    even : iterable of exponents
        Monomials that no change of signs may change besides those of the motion.
    """

    coordinates: SearchCoordinates

    def __init__(
        self,
        setting: Setting,
        degree: int,
        factor: int,
        left: Callable[[], float] = lambda: math.inf,
        units: SettingUnits | None = None,
        even: Iterable[Exponents] = (),
    ) -> None:
        self.setting, self.degree, self.size = setting, degree, len(setting.variables)
        self.units, self.left = units or SettingUnits.plain(setting), left
        self.leaf = NearLeaf(self.units)
        self.places = self.leaf.places
        self.own_relations = [self.units.over_largest(p) for p in setting.relations]
        self.own_bounds = [self.units.over_largest(p) for p in setting.bounds]
        self.own_rates = self.units.rates()
        self._symmetries = self._signs(even)
        self.rest = self.blocks(range(1, degree + 1))
        self.factors = self.blocks(range(1, factor + 1))
        if max(map(len, self.rest)) > BLOCK:
            raise CertificateError(
                f"sums of squares of {max(map(len, self.rest))} monomials are needed, {BLOCK} at most are "
                "searched for"
            )

    def take_coordinates(self, P: np.ndarray, points: np.ndarray) -> None:
        """Take the coordinates of a quadratic function, and variables that are not measured in their sizes at
        some points.
        """
        sizes = np.sqrt(np.mean(points**2, axis=0))
        sizes = np.maximum(sizes, FLOOR * sizes[self.places].max())
        self.coordinates = SearchCoordinates.of(np.where(self._even(), P, 0.0), sizes, self.places)
        self.relations, self._of_relations = self._in_coordinates(self.own_relations)
        self.bounds, self._of_bounds = self._in_coordinates(self.own_bounds)
        rates = [self.coordinates.terms(terms) for terms in self.own_rates]
        self.rates = []
        for row in np.linalg.inv(self.coordinates.inner):
            found: Terms = {}
            for factor, terms in zip(row, rates, strict=True):
                for m, c in terms.items() if factor else ():
                    found[m] = found.get(m, 0.0) + factor * c
            self.rates.append(found)
        self.sizes, self.inner = sizes[self.places], self.coordinates.inner
        self.limits = self.units.limits() @ self.inner / INSIDE

    # -- polynomials in doubles -----------------------------------------------------------------------

    def _in_coordinates(self, polynomials: Sequence[tuple[Terms, float]]) -> tuple[list[Terms], list[float]]:
        """In the coordinates, the largest coefficients one; and what all were divided by."""
        found = [self.coordinates.terms(terms) for terms, _ in polynomials]
        largest = [max(map(abs, terms.values())) for terms in found]
        scaled = [{m: c / most for m, c in terms.items()} for terms, most in zip(found, largest, strict=True)]
        return scaled, [most * size for most, (_, size) in zip(largest, polynomials, strict=True)]

    def unit(self, k: int) -> Exponents:
        """A variable, as a monomial."""
        return tuple(int(j == k) for j in range(self.size))

    # -- monomials ------------------------------------------------------------------------------------

    def _signs(self, even: Iterable[Exponents]) -> list[int]:
        """Changes of signs of variables under which every polynomial is even or odd, as bits."""

        def bits(m: Sequence[int]) -> int:
            return sum((e & 1) << k for k, e in enumerate(m))

        rows = list(map(bits, even))
        for terms, _ in self.own_relations:
            first, *others = map(bits, terms)
            rows += [first ^ b for b in others]
        for terms, _ in self.own_bounds:
            rows += map(bits, terms)
        for k, terms in zip(self.places, self.own_rates, strict=True):
            rows += [bits(m) ^ (1 << k) for m in terms]
        return parities(rows, self.size)

    def parity(self, m: Sequence[int]) -> Exponents:
        """Which changes of signs turn a monomial."""
        odd = sum((e & 1) << k for k, e in enumerate(m))
        return tuple((odd & s).bit_count() & 1 for s in self._symmetries)

    def _even(self) -> np.ndarray:
        """Which products of what is measured a function may hold that no sign changes."""
        parities = [self.parity(self.unit(k)) for k in self.places]
        return np.array([[a == b for b in parities] for a in parities])

    def monomials(self, degrees: Iterable[int]) -> list[Exponents]:
        """Monomials whose squares can be outweighed, as V times one of lower degree outweighs them: all
        but one of their variables are measured.
        """
        found = []
        for degree in degrees:
            for chosen in combinations_with_replacement(range(self.size), degree):
                powers = [0] * self.size
                for k in chosen:
                    powers[k] += 1
                if sum(e for k, e in enumerate(powers) if k not in self.places) < 2:
                    found.append(tuple(powers))
        return found

    def blocks(self, degrees: Iterable[int]) -> list[list[Exponents]]:
        """Monomials of some degrees, parted by their signs."""
        parts: dict[Exponents, list[Exponents]] = {}
        for m in self.monomials(degrees):
            parts.setdefault(self.parity(m), []).append(m)
        return list(parts.values())

    def blocks_of_bound(self, bound: Terms, top: int, held: set[Exponents]) -> list[list[Exponents]]:
        """Monomials of the squares that a bound is multiplied with; with a deviation of a root, which is odd,
        those alone whose products a relation brings among some that are held.
        """
        blocks = self.blocks(range((2 * top - max(map(sum, bound))) // 2 + 1))
        if not is_linear(bound):
            return blocks
        others = [k for k in range(self.size) if k not in self.places]
        relations = [terms for terms, _ in self.own_relations]
        squares = {k: times(self.unit(k), self.unit(k)) for k in others}
        left = {k for k in others for m in bound if not relation_among(held, times(m, squares[k]), relations)}
        parts = ([m for m in block if not any(m[k] for k in left)] for block in blocks)
        return [block for block in parts if block]

    # -- programs -------------------------------------------------------------------------------------

    def add_identity(
        self, program: MatrixProgram, margin: int, rest: list[list[Exponents]]
    ) -> dict[Any, Any]:
        """Add to sums by monomials all of the identity that neither V nor its level is in, with squares of
        some monomials that nothing is multiplied with.
        """
        parts: dict[Any, Any] = {"rest": [], "bounds": [], "relations": []}
        top = max(sum(m) for block in rest for m in block)
        products = {times(a, b) for block in rest for a in block for b in block} if self.relations else set()
        of_bounds = [self.blocks_of_bound(bound, top, products) for bound in self.bounds]
        roots = [(h, blocks) for h, blocks in zip(self.bounds, of_bounds, strict=True) if is_linear(h)]
        for bound, blocks in roots:
            squares = {times(a, b) for block in blocks for a in block for b in block}
            products |= {times(m, k) for m in squares for k in bound}
        for block in rest:
            gram = program.matrix(len(block))
            parts["rest"].append((block, gram))
            add_squares(program, block, gram, {(0,) * self.size: 1.0})
            for m in block:
                program.add(times(m, m), margin, 1.0)
        for number, (bound, blocks) in enumerate(zip(self.bounds, of_bounds, strict=True)):
            for block in blocks:
                gram = program.matrix(len(block))
                parts["bounds"].append((number, block, gram))
                add_squares(program, block, gram, bound)
        for relation in self.relations:
            degree, parity = max(map(sum, relation)), self.parity(next(iter(relation)))
            unknowns = {}
            for m in self.monomials(range(not roots, 2 * top - degree + 1)):
                if self.parity(m) == parity and all(times(m, k) in products for k in relation):
                    unknowns[m] = program.number()
                    for k, c in relation.items():
                        program.add(times(m, k), unknowns[m], c)
            parts["relations"].append(unknowns)
        return parts

    def add_factors(self, program: MatrixProgram, room: Terms) -> list[tuple[list[Exponents], Gram]]:
        """Add sums of squares times the room below the level."""
        found = []
        for block in self.factors:
            gram = program.matrix(len(block))
            found.append((block, gram))
            add_squares(program, block, gram, room)
        return found

    def squares(
        self, parts: dict[Any, Any], factors: list[tuple[list[Exponents], Gram]], margin: float, x: np.ndarray
    ) -> tuple[list[Square], list[Terms]]:
        """Squares and multipliers of a solution."""
        squares: list[Square] = [
            (REST, block, entries(gram, x) + margin * np.eye(len(block))) for block, gram in parts["rest"]
        ]
        squares += [(LEVEL, block, entries(gram, x)) for block, gram in factors]
        squares += [
            (str(number), block, entries(gram, x) / self._of_bounds[number])
            for number, block, gram in parts["bounds"]
        ]
        multipliers = [
            {m: float(x[k]) / most for m, k in row.items()}
            for row, most in zip(parts["relations"], self._of_relations, strict=True)
        ]
        return squares, multipliers


def is_linear(bound: Terms) -> bool:
    """Whether a bound is the deviation of a root."""
    return max(map(sum, bound)) == 1


def relation_among(
    held: set[Exponents], m: Exponents, relations: Sequence[Iterable[Exponents]]
) -> tuple[int, Exponents, Exponents] | None:
    """A relation by its number, its monomial and a factor, whose product is a given one, where all its other
    products are held; None where there is none.
    """
    for k, relation in enumerate(relations):
        for n in relation:
            factor = tuple(a - b for a, b in zip(m, n, strict=True))
            if min(factor) >= 0 and {times(factor, o) for o in relation} - {m} <= held:
                return k, n, factor
    return None


def sum_of(blocks: Iterable[tuple[list[Exponents], np.ndarray]]) -> Terms:
    """The polynomial that blocks of monomials with their matrices make."""
    found: Terms = {}
    for block, gram in blocks:
        for (i, a), (j, b) in product(enumerate(block), repeat=2):
            m = times(a, b)
            found[m] = found.get(m, 0.0) + float(gram[i, j])
    return found


def add_squares(program: MatrixProgram, block: list[Exponents], gram: Gram, factor: Terms) -> None:
    """Add a sum of squares times a polynomial to sums by monomials."""
    for (i, j), k in gram.items():
        m = times(block[i], block[j])
        for n, c in factor.items():
            program.add(times(m, n), k, c if i == j else 2.0 * c)
