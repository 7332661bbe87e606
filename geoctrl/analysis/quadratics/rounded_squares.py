"""Proofs by sums of squares in exact numbers: what doubles found is rounded, what is left over is put into
the squares that nothing is multiplied with.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq

from geoctrl.analysis.quadratics.falling_identity import FallingIdentity, FallingProof, relation_among
from geoctrl.analysis.quadratics.ring import Polynomial
from geoctrl.analysis.quadratics.search_coordinates import SearchCoordinates
from geoctrl.analysis.quadratics.search_coordinates import times as product_of
from geoctrl.analysis.quadratics.setting import Setting
from geoctrl.analysis.quadratics.setting_units import Exponents, Terms
from geoctrl.checker.squares.identity import LEVEL, REST
from geoctrl.decisions.functions.derivatives import to_float

__all__ = ["BITS", "ExactFunction", "in_exact_numbers"]

BITS = (34, 50)
"""Of rounded numbers, below the largest in their matrix: more where its squares are next to dependent."""
Monomial = tuple[tuple[int, int], ...]
Matrix = list[list[fmpq]]
Square = tuple[str, list[Monomial], Matrix]
"""What it is multiplied with, the monomials, and their matrix."""
ONE = fmpq(1)
SHIFT = 2.0**-28
"""Least eigenvalue of matrices that may be singular, relative to the largest entry."""


class ExactFunction(NamedTuple):
    """A function of what is measured by its monomials and their matrix, with the level of its set."""

    monomials: list[Monomial]
    matrix: Matrix
    level: fmpq = ONE

    def polynomial(self, setting: Setting) -> Polynomial:
        """V."""
        return setting.polynomial(products_of(self.monomials, self.matrix))


def in_exact_numbers(
    search: FallingIdentity, proof: FallingProof, bits: int, given: ExactFunction | None = None
) -> dict[str, Any] | None:
    """The proposal for the checker, ready for JSON; None where a rest cannot be put into squares.

    A function that is given keeps its numbers: the proof is one of it over its level.
    """
    setting = search.setting
    level = ONE if given is None else given.level
    pace = search.units.pace * to_float(level)
    at = SearchCoordinates(search.units.sizes[:, None] * proof.coordinates.matrix, search.places)
    sizes = np.linalg.norm(at.matrix, axis=1)
    function = given or _function(search, proof, at, bits)
    found: list[_Gram] = []
    for kind, block, gram in proof.squares:
        definite = gram if kind == REST else _definite_matrix(gram)
        unit = search.units.pace if kind == LEVEL else pace
        found.append(_Gram(kind, block, definite * unit, at.monomials(block)))
    multipliers = []
    for terms in proof.multipliers:
        own = {m: c * pace for m, c in at.of_variables(terms).items()}
        most = max((abs(c) * _size(m, sizes) for m, c in own.items()), default=0.0)
        rounded = {
            powers_of(m): _short_number(c, most / _size(m, sizes), bits) for m, c in own.items() if most
        }
        multipliers.append({m: c for m, c in rounded.items() if c})
    if not all(g.has_bounds for g in found):
        return None
    held = {product_of(a, b) for g in found if g.kind == REST for a in g.block for b in g.block}
    rest = _less_relations(setting, function, [g.square(bits) for g in found], multipliers, held)
    # What doubles leave is spread over squares where these are well conditioned; rounding leaves less.
    left = {_exponents(setting, e): to_float(c) for e, c in rest.terms()}
    if not _spread(found, at.terms(left)) or not all(g.has_bounds for g in found):
        return None
    squares = [g.square(bits) for g in found]
    if not correct(squares, _less_relations(setting, function, squares, multipliers, held), setting):
        return None
    return proposal(setting, function, squares, multipliers)


def proposal(
    setting: Setting, function: ExactFunction, squares: list[Square], multipliers: list[dict[Monomial, fmpq]]
) -> dict[str, Any]:
    """What the file holds of them."""
    own = {"monomials": [[list(p) for p in m] for m in function.monomials]}
    if function.monomials == linear_monomials(setting):
        own = {}
    return own | {
        "function": _lower(function.matrix),
        "level": str(function.level),
        "squares": [
            {
                "times": by,
                "monomials": [[list(p) for p in m] for m in block],
                "matrix": _lower(rows),
            }
            for by, block, rows in squares
        ],
        "multipliers": [[[[list(p) for p in m], str(c)] for m, c in row.items()] for row in multipliers],
    }


def linear_monomials(setting: Setting) -> list[Monomial]:
    """What is measured itself."""
    return [((setting.variables.index(i), 1),) for i in setting.measured]


def _function(
    search: FallingIdentity, proof: FallingProof, at: SearchCoordinates, bits: int
) -> ExactFunction:
    """That of a proof, rounded."""
    if not proof.blocks:
        matrix = dyadic(at.function(np.eye(len(search.places))), bits)
        return ExactFunction(linear_monomials(search.setting), matrix)
    parts = [_Gram(REST, block, gram, at.monomials(block)).square(bits) for block, gram in proof.blocks]
    return block_diagonal([(block, rows) for _, block, rows in parts])


def block_diagonal(parts: list[tuple[list[Monomial], Matrix]]) -> ExactFunction:
    """The function of blocks together, monomials of low degrees first."""
    entries = {
        (a, b): c
        for block, rows in parts
        for a, row in zip(block, rows, strict=True)
        for b, c in zip(block, row, strict=True)
    }
    order = sorted((m for block, _ in parts for m in block), key=lambda m: (sum(e for _, e in m), m))
    return ExactFunction(order, [[entries.get((a, b), fmpq(0)) for b in order] for a in order])


@dataclass
class _Gram:
    """A sum of squares in the coordinates of a search.

    Attributes
    ----------
    kind : str
        What it is multiplied with.
    block : list of exponents
    change : ndarray
        Its monomials by those of the variables.
    """

    kind: str
    block: list[Exponents]
    gram: np.ndarray
    change: np.ndarray

    @property
    def own(self) -> np.ndarray:
        """In the variables."""
        return self.change.T @ self.gram @ self.change

    @property
    def has_bounds(self) -> bool:
        """Whether no entry is above the sizes of its row and column, as where it is positive definite."""
        sizes = np.sqrt(np.maximum(np.diag(self.own), 0.0))
        return bool(np.all(np.abs(self.own) <= 2 * np.outer(sizes, sizes)))

    def square(self, bits: int) -> Square:
        """The same, rounded."""
        return self.kind, [powers_of(m) for m in self.block], dyadic(self.own, bits)


def _spread(found: list[_Gram], rest: Terms) -> bool:
    """Add a polynomial to the squares that nothing is multiplied with, each monomial to all of its products;
    whether it has some.
    """
    pairs: dict[Exponents, list[tuple[np.ndarray, int, int]]] = {}
    for g in found:
        if g.kind == REST:
            for (i, a), (j, b) in product(enumerate(g.block), repeat=2):
                pairs.setdefault(product_of(a, b), []).append((g.gram, i, j))
    for m, c in rest.items():
        if m not in pairs:
            return False
        for gram, i, j in pairs[m]:
            gram[i, j] += c / len(pairs[m])
    return True


def _less_relations(
    setting: Setting,
    function: ExactFunction,
    squares: list[Square],
    multipliers: list[dict[Monomial, fmpq]],
    held: set[Exponents],
) -> Polynomial:
    """What the identity leaves, after multiples of relations are added to the multipliers for those monomials
    that no square alone has, where it has all others of a relation.
    """
    rest = remainder(setting, function, squares, multipliers)
    relations = [{_exponents(setting, e): c for e, c in r.terms()} for r in setting.relations]
    for exponents, c in rest.terms():
        m = _exponents(setting, exponents)
        if m not in held and (found := relation_among(held, m, relations)):
            k, n, factor = found
            share, by = c / relations[k][n], powers_of(factor)
            multipliers[k][by] = multipliers[k].get(by, fmpq(0)) + share
            rest -= setting.polynomial({by: share}) * setting.relations[k]
    return rest


def correct(squares: list[Square], rest: Polynomial, setting: Setting) -> bool:
    """Add a polynomial to squares that nothing is multiplied with in exact numbers; whether they have its
    monomials.
    """
    pairs: dict[Monomial, tuple[int, int, int]] = {}
    for number, (by, block, _) in enumerate(squares):
        if by == REST:
            for i, a in enumerate(block):
                for j in range(i + 1):
                    pairs.setdefault(times(a, block[j]), (number, i, j))
    for exponents, c in rest.terms():
        m = powers_of(_exponents(setting, exponents))
        if m not in pairs:
            return False
        number, i, j = pairs[m]
        rows = squares[number][2]
        share = c if i == j else c / 2
        rows[i][j] += share
        if i != j:
            rows[j][i] += share
    return True


def _definite_matrix(gram: np.ndarray) -> np.ndarray:
    """A matrix that is positive definite by more than rounding."""
    least = SHIFT * max(np.abs(gram).max(), 1e-9)
    return gram + (least + max(0.0, least - np.linalg.eigvalsh(gram)[0])) * np.eye(len(gram))


def _lower(rows: list[list[fmpq]]) -> list[list[str]]:
    return [[str(c) for c in row[: i + 1]] for i, row in enumerate(rows)]


def _short_number(x: float, unit: float, bits: int) -> fmpq:
    """A double with few bits below a unit."""
    step = 2.0 ** (np.ceil(np.log2(unit)) - bits)
    return fmpq(round(x / step)) * fmpq(*float(step).as_integer_ratio())


def dyadic(matrix: np.ndarray, bits: int) -> list[list[fmpq]]:
    """A symmetric matrix, each entry rounded beside the sizes of its row and column."""
    sizes = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    n = len(matrix)
    return [
        [
            _short_number(float(matrix[min(i, j), max(i, j)]), float(sizes[i] * sizes[j]), bits)
            for j in range(n)
        ]
        for i in range(n)
    ]


def _exponents(setting: Setting, exponents: Any) -> Exponents:
    return tuple(int(exponents[i]) for i in setting.variables)


def powers_of(m: Exponents) -> Monomial:
    return tuple((k, e) for k, e in enumerate(m) if e)


def _size(m: Exponents, scales: np.ndarray) -> float:
    """The unit of a monomial."""
    return float(np.prod(scales ** np.array(m)))


# -- the identity ------------------------------------------------------------------------------------------


def remainder(
    setting: Setting,
    function: ExactFunction,
    squares: list[Square],
    multipliers: list[dict[Monomial, fmpq]],
) -> Polynomial:
    """What the identity leaves: zero where it holds."""
    V = function.polynomial(setting)
    factors = {LEVEL: setting.polynomial({(): function.level}) - V}
    factors |= {str(k): h for k, h in enumerate(setting.bounds)}
    rates = zip(setting.measured, setting.rates, strict=True)
    rest = -sum((V.derivative(i) * rate for i, rate in rates), setting.polynomial({}))
    for by, monomials, gram in squares:
        total = setting.polynomial(products_of(monomials, gram))
        rest -= total if by == REST else total * factors[by]
    for terms, r in zip(multipliers, setting.relations, strict=True):
        if terms:
            rest -= setting.polynomial(terms) * r
    return rest


def products_of(monomials: list[Monomial], gram: list[list[fmpq]]) -> dict[Monomial, fmpq]:
    """The coefficients of w^T Q w."""
    found: dict[Monomial, fmpq] = {}
    for i, a in enumerate(monomials):
        for j in range(i + 1):
            if c := gram[i][j]:
                m = times(a, monomials[j])
                found[m] = found.get(m, fmpq(0)) + (c if i == j else 2 * c)
    return found


def times(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    powers = dict(a)
    for k, e in b:
        powers[k] = powers.get(k, 0) + e
    return tuple(sorted(powers.items()))
