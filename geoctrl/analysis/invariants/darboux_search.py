r"""Darboux polynomials of a motion on its leaf: :math:`\dot P = K P` with some cofactor K.

Where such a P is zero it stays so. In a space W of m functions every P divides the determinant of the first m
Lie derivatives of a basis: the extactic polynomial of W, whose rows are Taylor coefficients along the motion
(C. Christopher, J. Llibre and J. V. Pereira, Multiplicity of invariant algebraic curves in polynomial vector
fields, Pacific J. Math. 229 (2007) 63, section 4). So P is found without any factoring of polynomials in
several variables. Along a random line the determinant is a rational function of one variable; at a root of it
that belongs to P, the coefficients of P are the kernel of the matrix. What other roots give is told by its
rate, which does not vanish where it does. Where the determinant vanishes identically, whole families have one
cofactor each, and W is cut by random hyperplanes until single members are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np
from flint import nmod_mat

from geoctrl._scalars import STATE
from geoctrl._scalars.arithmetic.interpolation import numerator
from geoctrl._scalars.arithmetic.modular import PRIME, kernel, rational
from geoctrl._scalars.arithmetic.residue_series import ResidueSeries, taylor
from geoctrl._scalars.arithmetic.residues import Residues
from geoctrl.analysis.invariants.polynomial_search import Monomial, PolynomialSearch, Vector, monomial_columns

__all__ = ["LARGEST", "DarbouxSearch", "Eigenspace"]

_LINES = 7
"""A quadratic polynomial has roots on half of all lines: seven of them have none once in a hundred."""
_ALONG = 24
"""Values of a polynomial along a line, whose points are rational functions of low degree."""
_POINTS = (16, 64, 256, 1024)
"""Values along a line: as many as the degrees of the determinant ask for."""
_CUTS = 4
LARGEST = 20
"""Most functions of a space."""
_EXPONENT = 12


@dataclass(frozen=True)
class Eigenspace:
    """Polynomials with one cofactor, in echelon form; a quotient of two of them is conserved."""

    entries: tuple[tuple[tuple[Monomial, int], ...], ...]

    @property
    def polynomials(self) -> list[Vector]:
        """Each with a leading monomial that no other one holds, its coefficient one."""
        return [dict(entries) for entries in self.entries]


class _Lines:
    """Draws in the place of a generator's: residues at some places on some random lines."""

    def __init__(self, seed: int, lines: Sequence[int], places: Sequence[int]) -> None:
        self._rng, self._lines = np.random.default_rng(seed), np.array(lines, dtype=int)
        self._places = Residues(np.array(places, dtype=np.uint64))

    def integers(self, low: int, high: int, size: tuple[int, ...], dtype: type) -> np.ndarray:
        """The next value of all points."""
        drawn = self._rng.integers(low, high, size=(2, *size[:-1], _LINES), dtype=dtype)
        base, slope = (Residues(v[..., self._lines]) for v in drawn)
        return (base + slope * self._places).values


class DarbouxSearch:
    """Darboux polynomials at one choice of the constants."""

    def __init__(self, search: PolynomialSearch, rng: np.random.Generator) -> None:
        self._search, self._rng = search, rng
        flow = search.flow
        functions = (
            n for n in flow.system.graph.reachable(flow.rates) if n.kind == "fun" and n.level == STATE
        )
        self.possible = set(functions) <= set(flow.generators)

    def spaces(
        self, monomials: Sequence[Monomial], constants: Sequence[Residues] | None = None
    ) -> Iterator[Eigenspace]:
        """Spaces of combinations of independent monomials, one for each cofactor that is not zero."""
        drawn = self._search.drawn if constants is None else list(constants)
        left = list(monomials)
        while len(left) > 1:
            every = (self._space(left, v, drawn) for v in self._members(left, drawn))
            found = list(dict.fromkeys(space for space in every if space))
            if not found:
                return
            yield from found
            leads = {next(reversed(v)) for space in found for v in space.polynomials}
            left = [m for m in left if m not in leads]

    def _members(self, left: Sequence[Monomial], drawn: Sequence[Residues]) -> list[Vector]:
        """One member of each family, as far as one number of hyperplanes tells them apart."""
        m = len(left)
        for cut in range(min(_CUTS, m - 1)):
            size = m - cut
            basis = nmod_mat(m, size, [int(i == j) for i in range(m) for j in range(size)], PRIME)
            if cut:
                basis = nmod_mat(m, size, Residues.draw(self._rng, (m * size,)).values.tolist(), PRIME)
            seed = int(self._rng.integers(0, 2**31))
            if not any(matrix.det() for matrix in self._matrices(left, basis, seed, [0, 1], [5, 7], drawn)):
                continue
            found = (
                {m: c for m, c in zip(left, v, strict=True) if c}
                for v in self._vanishing(left, basis, seed, drawn)
            )
            return [vector for vector in found if self._stays_zero(vector, drawn)]
        return []

    def _vanishing(
        self, left: Sequence[Monomial], basis: nmod_mat, seed: int, drawn: Sequence[Residues]
    ) -> list[tuple[int, ...]]:
        """Coefficients of what may be zero at the roots of the determinant."""
        for count in _POINTS:
            places = list(range(1, count + 1))
            first = self._determinants(left, basis, seed, [0], places, drawn)
            if (found := first and numerator(places, first)) is not None:
                break
        if not first or found is None:
            return []
        rest = self._determinants(left, basis, seed, range(1, _LINES), places, drawn)
        on_lines = [first, *(rest[i : i + count] for i in range(0, len(rest), count))]
        pairs = []
        for line, values in enumerate(on_lines):
            along = numerator(places, values)
            pairs += [(line, int(root)) for root, _ in along.roots()] if along else []
        if not pairs:
            return []
        lines, roots = (list(part) for part in zip(*pairs, strict=True))
        seen, resting = dict[tuple[int, ...], None](), []
        for matrix in self._matrices(left, basis, seed, lines, roots, drawn):
            if matrix.rank() == basis.ncols() - 1:
                seen[self._kernel(left, basis, matrix)] = None
            else:
                resting.append(matrix)
        # Where the motion rests a point says less of P; all such points together may be those of one P.
        if resting:
            table = [row for matrix in resting for row in matrix.tolist()]
            together = nmod_mat(len(table), basis.ncols(), [int(e) for row in table for e in row], PRIME)
            if together.rank() == basis.ncols() - 1:
                seen[self._kernel(left, basis, together)] = None
        return list(seen)

    def _stays_zero(self, vector: Vector, drawn: Sequence[Residues]) -> bool:
        """Whether the rate vanishes where the polynomial does, at random points of its zeros."""
        flow, seed = self._search.flow, int(self._rng.integers(0, 2**31))
        parameters, monomials, weights = self._search.parameters(drawn), list(vector), list(vector.values())

        def values(lines: Sequence[int], places: Sequence[int]) -> tuple[list[int], list[int]]:
            nodes = [*flow.generators, *flow.rates]
            found, _ = flow.values_on_leaf(nodes, parameters, len(lines), _Lines(seed, lines, places))
            tables = monomial_columns(monomials, found[: len(flow.generators)], found[len(flow.generators) :])
            value, rate = (_combination(weights, table).values.tolist() for table in tables)
            return value, rate

        count = _ALONG
        lines, places = [i for i in range(_LINES) for _ in range(count)], list(range(1, count + 1))
        along, _ = values(lines, places * _LINES)
        zeros = []
        for i in range(_LINES):
            found = numerator(places, along[i * count : (i + 1) * count])
            if found is None or found.gcd(found.derivative()).degree() > 0:
                return False  # a square: its rate is zero with it for any motion
            zeros += [(i, int(root)) for root, _ in found.roots()]
        if not zeros:
            return False
        value, rate = values(*map(list, zip(*zeros, strict=True)))
        return not any(value) and not any(rate)

    def _kernel(self, left: Sequence[Monomial], basis: nmod_mat, matrix: nmod_mat) -> tuple[int, ...]:
        """Coefficients of the one combination that a matrix leaves, the last of them one."""
        column = basis * matrix.nullspace()[0]
        entries = [int(column[i, 0]) for i in range(len(left))]
        inverse = pow(next(e for e in reversed(entries) if e), -1, PRIME)
        return tuple(e * inverse % PRIME for e in entries)

    def _determinants(
        self,
        left: Sequence[Monomial],
        basis: nmod_mat,
        seed: int,
        lines: Sequence[int],
        places: Sequence[int],
        drawn: Sequence[Residues],
    ) -> list[int]:
        """At all places of all lines; none where the states have roots, which no rational line has."""
        at = [line for line in lines for _ in places], [*places] * len(lines)
        matrices = self._matrices(left, basis, seed, *at, drawn)
        return [int(matrix.det()) for matrix in matrices] if len(matrices) == len(at[0]) else []

    def _matrices(
        self,
        left: Sequence[Monomial],
        basis: nmod_mat,
        seed: int,
        lines: Sequence[int],
        places: Sequence[int],
        drawn: Sequence[Residues],
    ) -> list[nmod_mat]:
        """Taylor coefficients (rows) of the members of a basis, at points of some lines."""
        flow, size, count = self._search.flow, basis.ncols(), len(places)
        parameters = self._search.parameters(drawn)
        start, valid = flow.values_on_leaf(flow.generators, parameters, count, _Lines(seed, lines, places))
        x = taylor(flow.generators, flow.rates, [Residues(row) for row in start], parameters, size)
        series: dict[Monomial, ResidueSeries] = {(): ResidueSeries([Residues(1)], size)}
        for monomial in sorted({m[:k] for m in left for k in range(1, len(m) + 1)}, key=len):
            series[monomial] = series[monomial[:-1]] * x[monomial[-1]]
        table = np.array(
            [[np.broadcast_to(series[m].coefficient(k).values, (count,)) for m in left] for k in range(size)]
        )
        rows = np.moveaxis(table, 2, 0).reshape(count, -1)
        return [
            nmod_mat(size, len(left), row.tolist(), PRIME) * basis
            for row, there in zip(rows, valid, strict=True)
            if there
        ]

    def _space(
        self, left: Sequence[Monomial], member: Vector, drawn: Sequence[Residues]
    ) -> Eigenspace | None:
        """All combinations with the cofactor of one; None where it is zero."""
        values, rates = self._search.columns(left, drawn)
        weights = [member.get(monomial, 0) for monomial in left]
        value, rate = (_combination(weights, table) for table in (values, rates))
        if not np.any(rate.values):
            return None
        defects = Residues(rates) - Residues(values) * (rate / value)
        basis, _ = kernel(defects.values.T.tolist(), len(left))
        nonzero = (((m, c) for m, c in zip(left, vector, strict=True) if c) for vector in basis)
        return Eigenspace(tuple(map(tuple, nonzero)))

    def with_cofactor(
        self, monomials: Sequence[Monomial], K: Vector, drawn: Sequence[Residues]
    ) -> list[Vector]:
        """All combinations of independent monomials with a given cofactor, in echelon form."""
        values, rates = self._search.columns([*monomials, *K], drawn)
        own = len(monomials)
        factor = _combination(list(K.values()), values[own:])
        defects = Residues(rates[:own]) - Residues(values[:own]) * factor
        basis, _ = kernel(defects.values.T.tolist(), own)
        return [{m: c for m, c in zip(monomials, vector, strict=True) if c} for vector in basis]

    def cofactor(
        self, vector: Vector, monomials: Sequence[Monomial], constants: Sequence[Residues] | None = None
    ) -> Vector | None:
        """The cofactor as a combination of monomials; None where it is none."""
        values, rates = self._search.columns([*vector, *monomials], constants)
        own = len(vector)
        value, rate = (_combination(list(vector.values()), table[:own]) for table in (values, rates))
        products = (Residues(values[own:]) * value).values
        columns = np.concatenate([products, (-rate).values[None]])
        basis, pivots = kernel(columns.T.tolist(), len(columns))
        if len(columns) - 1 in pivots:
            return None
        return {m: c for m, c in zip(monomials, basis[-1], strict=False) if c}

    def exponents(self, members: Sequence[Vector]) -> list[list[int]]:
        """Whole numbers n with a zero sum of n K over the cofactors K: the product of P^n is conserved."""
        needed = sorted({monomial for v in members for monomial in v}, key=lambda m: (len(m), m))
        values, rates = self._search.columns(needed, self._search.drawn, len(members))
        cofactors = []
        for vector in members:
            weights = [vector.get(monomial, 0) for monomial in needed]
            value, rate = (_combination(weights, table) for table in (values, rates))
            cofactors.append((rate / value).values)
        basis, _ = kernel(np.array(cofactors).T.tolist(), len(members))
        found = []
        for row in basis:
            shares = [rational(c) for c in row]
            if all(q is not None and max(abs(q.numerator), q.denominator) <= _EXPONENT for q in shares):
                whole = lcm(*(q.denominator for q in shares if q is not None))
                found.append([int(q * whole) for q in shares if q is not None])
        return found


def _combination(weights: Sequence[int], table: np.ndarray) -> Residues:
    total = Residues(np.zeros(table.shape[1]))
    for weight, row in zip(weights, table, strict=True):
        if weight:
            total = total + Residues(row) * Residues(np.uint64(weight))
    return total
