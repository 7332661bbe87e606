r"""A quadratic Lyapunov function with a large sublevel set, by sums of squares in doubles.

Of the identity in `geoctrl.checker.squares.identity` the matrices and multipliers are unknown. The product of
c - V and its factor is linear in either: one is held and the other found, in turns, from a sum of squares
along the modes at a level that is small enough; all of it in coordinates in which the last function is a sum
of squares. With the factor held, the function is the one for which

.. math:: \operatorname{tr}(W P), \qquad W = \overline{y\,y^T},

is least, an average over points on the leaf where the last function has its level: a step towards the largest
volume. A sign that all polynomials have under a change of signs of variables parts monomials into blocks
(Parrilo 2000, section 4; Gatermann and Parrilo, J. Pure Appl. Algebra 192 (2004) 95).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations_with_replacement, islice, product
from typing import Any, NamedTuple

import numpy as np

from geoctrl.analysis.quadratics.search_coordinates import SearchCoordinates, times
from geoctrl.analysis.quadratics.second_order_on_leaf import NearLeaf
from geoctrl.analysis.quadratics.semidefinite import Gram, MatrixProgram, entries, parities
from geoctrl.analysis.quadratics.setting import Setting
from geoctrl.analysis.quadratics.setting_units import Exponents, SettingUnits, Terms
from geoctrl.checker.squares.identity import LEVEL, REST
from geoctrl.errors import CertificateError

__all__ = ["MARGIN", "FallingProof", "FallingQuadratic"]

DEGREES = (2, 3)
"""Of the monomials of sums of squares."""
MARGIN = 1e-7
"""Below the eigenvalues of matrices that have to be positive, in scaled variables."""
LEAST = 0.01
"""Of the function's matrix, where variables are measured by the size of its set: bounds by the matrix
alone are not too wide then.
"""
BLOCK = 140
"""Monomials of a block, at most."""
FLOOR = 1e-3
"""Of the largest size, of variables that hardly move: those of none are not known."""
GROWTH, FEW, FAST, STEPS = 1.01, 16, 1.2, 48
"""By how much the volume has to grow for another function, for more than a few; and their number, at most."""
POWERS, APART, TRIED = (0.5, 0.0), 10.0, 8
"""Of rates in first functions, the last alone where these are not far apart; sets of each, of which the
largest grows on.
"""
SHRUNK, HALVINGS = (0.999, 0.99, 0.97), 60
INSIDE = 0.998
"""Of the limit of an output, or of a margin of the domain, within which doubles keep it."""


class FallingProof(NamedTuple):
    """What sums of squares show, in coordinates in which the function is the sum of their squares, at level
    one: sums by what they are multiplied with, and multipliers of the relations.
    """

    coordinates: SearchCoordinates
    squares: list[tuple[str, list[Exponents], np.ndarray]]
    multipliers: list[Terms]

    @property
    def function(self) -> np.ndarray:
        """The function of what is measured, in the units of the search."""
        return self.coordinates.function(np.eye(len(self.coordinates.places)))


class FallingQuadratic:
    """The search for a function and its proof.

    Parameters
    ----------
    degree : int
        Of the monomials of sums of squares, at most.
    margin : float
        That what is shown must have: below what the solver resolves there may be nothing.
    left : callable
        The seconds that the solver may take.
    units : SettingUnits, optional
        In which functions are given; the search has coordinates of its own.
    """

    def __init__(
        self,
        setting: Setting,
        degree: int,
        margin: float = 0.0,
        left: Callable[[], float] = lambda: math.inf,
        units: SettingUnits | None = None,
    ) -> None:
        self.setting, self.degree, self.size = setting, degree, len(setting.variables)
        self.units = units or SettingUnits.plain(setting)
        self._least, self._left = margin, left
        self.leaf = NearLeaf(self.units)
        self.places = self.leaf.places
        self._relations = [self.units.over_largest(p) for p in setting.relations]
        self._bounds = [self.units.over_largest(p) for p in setting.bounds]
        self._rates = self.units.rates()
        self._symmetries = self._signs()
        self._rest = self._blocks(range(1, degree + 1))
        self._products = {times(a, b) for block in self._rest for a in block for b in block}
        self._factor = self._blocks(range(1, degree))
        if max(map(len, self._rest)) > BLOCK:
            raise CertificateError(
                f"sums of squares of {max(map(len, self._rest))} monomials are needed, {BLOCK} at most are "
                "searched for"
            )

    def _measure(self, P: np.ndarray) -> None:
        """Take the coordinates of a function, and variables that are not measured in their sizes where it is
        one.
        """
        sizes = np.sqrt(np.mean(self.leaf.boundary(P) ** 2, axis=0))
        sizes = np.maximum(sizes, FLOOR * sizes[self.places].max())
        self.coordinates = SearchCoordinates.of(np.where(self._even(), P, 0.0), sizes, self.places)
        self.relations, self._of_relations = self._in_coordinates(self._relations)
        self.bounds, self._of_bounds = self._in_coordinates(self._bounds)
        rates = [self.coordinates.terms(terms) for terms in self._rates]
        self.rates = []
        for row in np.linalg.inv(self.coordinates.inner):
            found: Terms = {}
            for factor, terms in zip(row, rates, strict=True):
                for m, c in terms.items() if factor else ():
                    found[m] = found.get(m, 0.0) + factor * c
            self.rates.append(found)
        self._sizes, self._inner = sizes[self.places], self.coordinates.inner
        self._limits = self.units.limits() @ self._inner / INSIDE

    # -- polynomials in doubles -----------------------------------------------------------------------

    def _in_coordinates(self, polynomials: Sequence[tuple[Terms, float]]) -> tuple[list[Terms], list[float]]:
        """In the coordinates, the largest coefficients one; and what all were divided by."""
        found = [self.coordinates.terms(terms) for terms, _ in polynomials]
        largest = [max(map(abs, terms.values())) for terms in found]
        scaled = [{m: c / most for m, c in terms.items()} for terms, most in zip(found, largest, strict=True)]
        return scaled, [most * size for most, (_, size) in zip(largest, polynomials, strict=True)]

    def _unit(self, k: int) -> Exponents:
        return tuple(int(j == k) for j in range(self.size))

    # -- monomials ------------------------------------------------------------------------------------

    def _signs(self) -> list[int]:
        """Changes of signs of variables under which every polynomial is even or odd, as bits."""

        def bits(m: Sequence[int]) -> int:
            return sum((e & 1) << k for k, e in enumerate(m))

        rows = []
        for terms, _ in self._relations:
            first, *others = map(bits, terms)
            rows += [first ^ b for b in others]
        for terms, _ in self._bounds:
            rows += map(bits, terms)
        for k, terms in zip(self.places, self._rates, strict=True):
            rows += [bits(m) ^ (1 << k) for m in terms]
        return parities(rows, self.size)

    def _parity(self, m: Sequence[int]) -> Exponents:
        odd = sum((e & 1) << k for k, e in enumerate(m))
        return tuple((odd & s).bit_count() & 1 for s in self._symmetries)

    def _even(self) -> np.ndarray:
        """Which products of what is measured a function may hold that no sign changes."""
        parities = [self._parity(self._unit(k)) for k in self.places]
        return np.array([[a == b for b in parities] for a in parities])

    def _monomials(self, degrees: Iterable[int]) -> list[Exponents]:
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

    def _blocks(self, degrees: Iterable[int]) -> list[list[Exponents]]:
        """Monomials of some degrees, parted by their signs."""
        parts: dict[Exponents, list[Exponents]] = {}
        for m in self._monomials(degrees):
            parts.setdefault(self._parity(m), []).append(m)
        return list(parts.values())

    # -- programs -------------------------------------------------------------------------------------

    def _add_identity(self, program: MatrixProgram, margin: int) -> dict[Any, Any]:
        """Add to sums by monomials all of the identity that neither V nor its level is in."""
        parts: dict[Any, Any] = {"rest": [], "bounds": [], "relations": []}
        for block in self._rest:
            gram = program.matrix(len(block))
            parts["rest"].append((block, gram))
            _add_squares(program, block, gram, {(0,) * self.size: 1.0})
            for m in block:
                program.add(times(m, m), margin, 1.0)
        for number, bound in enumerate(self.bounds):
            degree = max(map(sum, bound))
            for block in self._blocks(range((2 * self.degree - degree) // 2 + 1)):
                gram = program.matrix(len(block))
                parts["bounds"].append((number, block, gram))
                _add_squares(program, block, gram, bound)
        for relation in self.relations:
            degree, parity = max(map(sum, relation)), self._parity(next(iter(relation)))
            unknowns = {}
            for m in self._monomials(range(1, 2 * self.degree - degree + 1)):
                if self._parity(m) == parity and all(times(m, k) in self._products for k in relation):
                    unknowns[m] = program.number()
                    for k, c in relation.items():
                        program.add(times(m, k), unknowns[m], c)
            parts["relations"].append(unknowns)
        return parts

    def _pairs(self) -> list[tuple[int, int]]:
        n = len(self.places)
        return [(i, j) for j in range(n) for i in range(j + 1)]

    def _rate(self, i: int, j: int) -> Terms:
        """The rate of y_i y_j."""
        found: Terms = {}
        for a, b in ((i, j), (j, i)):
            for m, c in self.rates[b].items():
                key = times(m, self._unit(self.places[a]))
                found[key] = found.get(key, 0.0) + c
        return found

    def _product(self, i: int, j: int) -> Exponents:
        return times(self._unit(self.places[i]), self._unit(self.places[j]))

    def proof_of(self, P: np.ndarray) -> tuple[float, FallingProof] | None:
        """What shows that a function falls below level one, with the largest margin; None where nothing
        does.
        """
        self._measure(P)
        program = MatrixProgram(self._left)
        margin = program.number()
        parts = self._add_identity(program, margin)
        room = {(0,) * self.size: 1.0}
        for i in range(len(self.places)):
            for m, c in self._rate(i, i).items():
                program.add_constant(m, c)
            room[self._product(i, i)] = -1.0
        factors = []
        for block in self._factor:
            gram = program.matrix(len(block))
            factors.append((block, gram))
            _add_squares(program, block, gram, room)
        program.at_most({margin: 1.0}, 1.0)
        found = program.minimum({margin: -1.0})
        if found is None or not found[margin] > self._least:
            return None
        squares: list[tuple[str, list[Exponents], np.ndarray]] = [
            (REST, block, entries(gram, found) + found[margin] * np.eye(len(block)))
            for block, gram in parts["rest"]
        ]
        squares += [(LEVEL, block, entries(gram, found)) for block, gram in factors]
        squares += [
            (str(number), block, entries(gram, found) / self._of_bounds[number])
            for number, block, gram in parts["bounds"]
        ]
        multipliers = [
            {m: float(found[k]) / most for m, k in row.items()}
            for row, most in zip(parts["relations"], self._of_relations, strict=True)
        ]
        return float(found[margin]), FallingProof(self.coordinates, squares, multipliers)

    def larger(self, proof: FallingProof) -> np.ndarray | None:
        """The function of least average over the set of another, with the factor of its proof."""
        self._measure(proof.function)
        factor: Terms = {}
        for kind, block, gram in proof.squares:
            if kind == LEVEL:
                for (i, a), (j, b) in product(enumerate(block), repeat=2):
                    m = times(a, b)
                    factor[m] = factor.get(m, 0.0) + gram[i, j]
        program = MatrixProgram(self._left)
        margin = program.number()
        self._add_identity(program, margin)
        V = program.matrix(len(self.places))
        scaled = self._inner / self._sizes[:, None]
        small = LEAST * scaled.T @ scaled
        for i, j in self._pairs():
            weight, rate, m = (1.0 if i == j else 2.0), self._rate(i, j), self._product(i, j)
            for key, c in rate.items():
                program.add(key, V[i, j], c * weight)
                program.add_constant(key, c * weight * small[i, j])
            for key, c in factor.items():
                program.add(times(key, m), V[i, j], -c * weight)
                program.add_constant(times(key, m), -c * weight * small[i, j])
        for key, c in factor.items():
            program.add_constant(key, c)
        program.at_most({margin: -1.0}, -MARGIN)
        self._add_limits(program, V, small)
        points = (self.leaf.boundary(proof.function) @ self.coordinates.inverse.T)[:, self.places]
        weights = points.T @ points / len(points)
        weights += 1e-6 * np.linalg.inv(scaled.T @ scaled)
        weights /= np.trace(weights)
        found = program.minimum({k: weights[i, j] * (1.0 if i == j else 2.0) for (i, j), k in V.items()})
        if found is None or not np.linalg.eigvalsh(function := entries(V, found) + small)[0] > 0:
            return None
        return self.coordinates.function(function)

    def _add_limits(self, program: MatrixProgram, V: Gram, small: np.ndarray) -> None:
        """k.P^-1 k <= 1: the matrix [[1, k], [k, P]] is positive semidefinite."""
        for number, slopes in enumerate(self._limits):
            size = np.abs(slopes).max(initial=0.0) or 1.0
            M = program.matrix(len(slopes) + 1)
            program.add((number, "bound"), M[0, 0], -1.0)
            program.add_constant((number, "bound"), size**-2)
            for i, slope in enumerate(slopes):
                program.add((number, i), M[0, i + 1], -1.0)
                program.add_constant((number, i), slope / size)
            for (i, j), k in V.items():
                program.add((number, i, j), M[i + 1, j + 1], -1.0)
                program.add((number, i, j), k, 1.0)
                program.add_constant((number, i, j), small[i, j])

    # -- the search -----------------------------------------------------------------------------------

    def proofs(self) -> Iterator[FallingProof]:
        """Proofs of larger and larger sets; none where nothing is shown."""
        kept: Iterator[tuple[float, FallingProof]] = iter(())
        volumes: list[float] = []
        for power in POWERS if self.leaf.spread_of_rates > APART else POWERS[-1:]:
            rising = self._rising(self.leaf.first_function(power), volumes[0] if volumes else 0.0)
            own: list[float] = []
            for volume, proof in islice(rising, TRIED):
                own.append(volume)
                if volumes and volume <= volumes[min(len(own), len(volumes)) - 1]:
                    break  # behind the other one at the same step
                if not volumes or volume > volumes[-1]:
                    yield proof
            if own and (not volumes or own[-1] > volumes[-1]):
                kept, volumes = rising, own
        yield from (proof for _, proof in kept)

    def _rising(self, first: np.ndarray, least: float) -> Iterator[tuple[float, FallingProof]]:
        """Volumes and proofs of larger and larger sets, from those of a first function above a least one."""
        proof, volume = None, 0.0
        for P, proof in self._small(first, least):
            volume = self.leaf.volume(P)
            yield volume, proof
        if proof is None:
            return
        for step in range(STEPS):
            if (larger := self.larger(proof)) is None:
                return
            for shrunk in SHRUNK:
                P = larger / shrunk**2
                if (found := self.proof_of(P)) is not None:
                    break
            if found is None or (grown := self.leaf.volume(P)) <= volume:
                return
            proof = found[1]
            yield grown, proof
            if grown < volume * (GROWTH if step < FEW else FAST):
                return
            volume = grown

    def _small(self, P: np.ndarray, smallest: float = 0.0) -> Iterator[tuple[np.ndarray, FallingProof]]:
        """A first function at higher and higher levels at which it is shown to fall, at last nearly the
        highest; none with a set below a volume.
        """
        self._measure(P)
        least = float(np.sum(self._limits**2, axis=1).max(initial=0.0))
        size, low, best = max(1.0, least), least, 0.0
        for _ in range(HALVINGS):
            found = self.proof_of(P * size)
            if found is None:
                low = max(low, size)
                size = (low * best) ** 0.5 if best else size * 4
            else:
                best = size
                yield P * best, found[1]
                size = (low * size) ** 0.5 if low else size / 4
            if (best and best < 1.3 * low) or size > 1e12 or (not low and size < 1e-12):
                return
            if not best and self.leaf.volume(P * size) < smallest:
                return


def _add_squares(program: MatrixProgram, block: list[Exponents], gram: Gram, factor: Terms) -> None:
    """Add a sum of squares times a polynomial to sums by monomials."""
    for (i, j), k in gram.items():
        m = times(block[i], block[j])
        for n, c in factor.items():
            program.add(times(m, n), k, c if i == j else 2.0 * c)
