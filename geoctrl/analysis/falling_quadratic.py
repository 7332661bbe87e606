r"""A quadratic Lyapunov function with a large sublevel set, by sums of squares in doubles.

Of the identity in `geoctrl.checker.squares.identity` the matrices and multipliers are unknown. The product of
c - V and its factor is linear in either: one is held and the other found, in turns, from the function of
Lyapunov's equation at a level that is small enough. With the factor held, the function is the one for which

.. math:: \operatorname{tr}(W P), \qquad W = \overline{y\,y^T},

is least, an average over points on the leaf where the last function has its level: a step towards the largest
volume. A sign that all polynomials have under a change of signs of variables parts monomials into blocks
(Parrilo 2000, section 4; Gatermann and Parrilo, J. Pure Appl. Algebra 192 (2004) 95).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

import numpy as np

from geoctrl.analysis.near_leaf import NearLeaf
from geoctrl.analysis.semidefinite import Gram, Program, entries, parities
from geoctrl.analysis.setting_units import Exponents, Terms, Units
from geoctrl.checker.jets import to_float
from geoctrl.checker.squares.identity import LEVEL, REST
from geoctrl.checker.squares.setting import Setting
from geoctrl.errors import CertificateError

__all__ = ["MARGIN", "FallingQuadratic", "Proof"]

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
STEPS, GROWTH = 16, 1.01
"""Functions in turn, and by how much the volume has to grow for another."""
SHRUNK, HALVINGS = (0.999, 0.99, 0.97), 60
INSIDE = 0.998
"""Of the limit of an output, or of a margin of the domain, within which doubles keep it."""


class Proof(NamedTuple):
    """What sums of squares show, in scaled variables: the function at level one, sums by what they are
    multiplied with, and multipliers of the relations, of which the largest coefficients are one, as of
    bounds.
    """

    scales: np.ndarray
    function: np.ndarray
    squares: list[tuple[str, list[Exponents], np.ndarray]]
    multipliers: list[Terms]

    def unscaled(self, places: Sequence[int]) -> np.ndarray:
        """The function in variables in the units of the search, of which the places are measured."""
        s = self.scales[list(places)]
        return self.function / np.outer(s, s)


class FallingQuadratic:
    """The search for a function and its proof.

    Parameters
    ----------
    setting : Setting
    degree : int
        Of the monomials of sums of squares, at most.
    margin : float
        That what is shown must have: below what the solver resolves there may be nothing.
    left : callable
        The seconds that the solver may take.
    units : Units, optional
        In which the search is made; scales of proofs are beside them.

    Raises
    ------
    CertificateError
        If the linearisation on the leaf does not decay, or the problem is too large.
    """

    def __init__(
        self,
        setting: Setting,
        degree: int,
        margin: float = 0.0,
        left: Callable[[], float] = lambda: math.inf,
        units: Units | None = None,
    ) -> None:
        self.setting, self.degree, self.size = setting, degree, len(setting.variables)
        self.units = units or Units.plain(setting)
        self._least, self._left = margin, left
        self.leaf = NearLeaf(setting, self.units)
        self.places = self.leaf.places
        self.scales = np.ones(self.size)
        self._measure(self.leaf.first_function())
        self._symmetries = self._signs()
        self._rest = self._blocks(range(1, degree + 1))
        self._products = {_times(a, b) for block in self._rest for a in block for b in block}
        self._factor = self._blocks(range(1, degree))
        if max(map(len, self._rest)) > BLOCK:
            raise CertificateError(
                f"sums of squares of {max(map(len, self._rest))} monomials are needed, {BLOCK} at most are "
                "searched for"
            )

    def _measure(self, P: np.ndarray) -> None:
        """Measure variables in their sizes where a function is one."""
        sizes = np.sqrt(np.mean(self.leaf.boundary(P) ** 2, axis=0))
        self.scales = np.maximum(sizes, 1e-3 * sizes[self.places].max())
        setting, units = self.setting, self.units
        self.relations = [self._scaled(units.terms(setting, p)) for p in setting.relations]
        self.bounds = [self._scaled(units.terms(setting, p)) for p in setting.bounds]
        self.rates = [
            {m: c / self.scales[k] for m, c in self._in_units(terms).items()}
            for k, terms in zip(self.places, units.rates(setting), strict=True)
        ]
        scales = (self.scales * units.sizes)[self.places]
        limits = [
            (setting.problem["limits"][name]["bound"] - abs(value), slopes)
            for name, (value, slopes) in setting.limits.items()
        ]
        self._limits = [
            (to_float(room) * INSIDE, np.array([to_float(c) for c in slopes]) * scales)
            for room, slopes in [*limits, *setting.margins]
            if any(slopes)
        ]

    def _units(self) -> np.ndarray:
        """Of the matrix of the function."""
        s = self.scales[self.places]
        return np.outer(s, s)

    # -- polynomials in doubles -----------------------------------------------------------------------

    def _in_units(self, terms: Terms) -> Terms:
        return {m: c * float(np.prod(self.scales ** np.array(m))) for m, c in terms.items()}

    def _scaled(self, terms: Terms) -> Terms:
        """In scaled variables, the largest coefficient one."""
        found = self._in_units(terms)
        largest = max(map(abs, found.values()))
        return {m: c / largest for m, c in found.items()}

    def _unit(self, k: int) -> Exponents:
        return tuple(int(j == k) for j in range(self.size))

    # -- monomials ------------------------------------------------------------------------------------

    def _signs(self) -> list[int]:
        """Changes of signs of variables under which every polynomial is even or odd, as bits."""

        def bits(m: Sequence[int]) -> int:
            return sum((e & 1) << k for k, e in enumerate(m))

        rows = []
        for terms in self.relations:
            first, *others = map(bits, terms)
            rows += [first ^ b for b in others]
        for terms in self.bounds:
            rows += map(bits, terms)
        for k, terms in zip(self.places, self.rates, strict=True):
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

    def _shown(self, program: Program, margin: int) -> dict[Any, Any]:
        """Add to sums by monomials all of the identity that neither V nor its level is in."""
        parts: dict[Any, Any] = {"rest": [], "bounds": [], "relations": []}
        for block in self._rest:
            gram = program.matrix(len(block))
            parts["rest"].append((block, gram))
            _add_squares(program, block, gram, {(0,) * self.size: 1.0})
            for m in block:
                program.add(_times(m, m), margin, 1.0)
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
                if self._parity(m) == parity and all(_times(m, k) in self._products for k in relation):
                    unknowns[m] = program.number()
                    for k, c in relation.items():
                        program.add(_times(m, k), unknowns[m], c)
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
                key = _times(m, self._unit(self.places[a]))
                found[key] = found.get(key, 0.0) + c
        return found

    def _product(self, i: int, j: int) -> Exponents:
        return _times(self._unit(self.places[i]), self._unit(self.places[j]))

    def shown(self, P: np.ndarray) -> tuple[float, Proof] | None:
        """What shows that a function falls below level one, with the largest margin; None where nothing
        does.
        """
        self._measure(P)
        P = np.where(self._even(), P * self._units(), 0.0)
        program = Program(self._left)
        margin = program.number()
        parts = self._shown(program, margin)
        for i, j in self._pairs():
            factor = P[i, j] * (1.0 if i == j else 2.0)
            for m, c in self._rate(i, j).items():
                program.add_constant(m, c * factor)
        room = {(0,) * self.size: 1.0}
        for i, j in self._pairs():
            m = self._product(i, j)
            room[m] = room.get(m, 0.0) - P[i, j] * (1.0 if i == j else 2.0)
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
        squares += [(str(number), block, entries(gram, found)) for number, block, gram in parts["bounds"]]
        multipliers = [{m: float(found[k]) for m, k in row.items()} for row in parts["relations"]]
        return float(found[margin]), Proof(self.scales, P, squares, multipliers)

    def larger(self, proof: Proof) -> np.ndarray | None:
        """The function of least average over the set of another, with the factor of its proof."""
        self._measure(proof.unscaled(self.places))
        P, units = proof.function, self._units()
        factor: Terms = {}
        for kind, block, gram in proof.squares:
            if kind == LEVEL:
                for (i, a), (j, b) in product(enumerate(block), repeat=2):
                    m = _times(a, b)
                    factor[m] = factor.get(m, 0.0) + gram[i, j]
        program = Program(self._left)
        margin = program.number()
        self._shown(program, margin)
        n = len(self.places)
        V = program.matrix(n)
        small = LEAST
        for i, j in self._pairs():
            times, rate, m = (1.0 if i == j else 2.0), self._rate(i, j), self._product(i, j)
            for key, c in rate.items():
                program.add(key, V[i, j], c * times)
                if i == j:
                    program.add_constant(key, c * small)
            for key, c in factor.items():
                program.add(_times(key, m), V[i, j], -c * times)
                if i == j:
                    program.add_constant(_times(key, m), -c * small)
        for key, c in factor.items():
            program.add_constant(key, c)
        program.at_most({margin: -1.0}, -MARGIN)
        self._add_limits(program, V, small)
        points = (self.leaf.boundary(P / units) / self.scales)[:, self.places]
        weights = points.T @ points / len(points)
        weights += 1e-6 * np.trace(weights) / n * np.eye(n)
        weights /= np.trace(weights @ P)
        found = program.minimum({k: weights[i, j] * (1.0 if i == j else 2.0) for (i, j), k in V.items()})
        return None if found is None else (entries(V, found) + small * np.eye(n)) / units

    def _add_limits(self, program: Program, V: Gram, small: float) -> None:
        """k.P^-1 k <= b^2: the matrix [[b^2, k], [k, P]] is positive semidefinite."""
        for number, (bound, slopes) in enumerate(self._limits):
            size = np.abs(slopes).max(initial=0.0) or 1.0
            M = program.matrix(len(slopes) + 1)
            program.add((number, "bound"), M[0, 0], -1.0)
            program.add_constant((number, "bound"), (bound / size) ** 2)
            for i, slope in enumerate(slopes):
                program.add((number, i), M[0, i + 1], -1.0)
                program.add_constant((number, i), slope / size)
            for (i, j), k in V.items():
                program.add((number, i, j), M[i + 1, j + 1], -1.0)
                program.add((number, i, j), k, 1.0)
                if i == j:
                    program.add_constant((number, i, j), small)

    # -- the search -----------------------------------------------------------------------------------

    def proofs(self) -> Iterator[Proof]:
        """Proofs of larger and larger sets; none where nothing is shown.

        Raises
        ------
        CertificateError
            If an output is at its limit, or the domain ends, at the point.
        """
        small = None
        for small in self._small():
            yield small[1]
        if small is None:
            return
        P, proof = small
        volume = self.leaf.volume(P)
        for _ in range(STEPS):
            larger = self.larger(proof)
            for shrunk in SHRUNK:
                found = None if larger is None else self.shown(larger / shrunk**2)
                if found is not None:
                    break
            if larger is None or found is None:
                return
            grown = self.leaf.volume(larger / shrunk**2)
            if grown <= volume:
                return
            proof = found[1]
            yield proof
            if grown < volume * GROWTH:
                return
            volume = grown

    def smaller(self, proof: Proof, by: float) -> Proof | None:
        """A proof for the same function at a level that is divided, None where none is found."""
        found = self.shown(by * proof.unscaled(self.places))
        return None if found is None else found[1]

    def _small(self) -> Iterator[tuple[np.ndarray, Proof]]:
        """The first function at higher and higher levels at which it is shown to fall, at last nearly the
        highest.
        """
        P = self.leaf.first_function()
        if any(b <= 0 for b, _ in self._limits):
            raise CertificateError("an output is at its limit, or the domain ends, at the equilibrium")
        inverse = np.linalg.inv(P * self._units())
        least = max((float(k @ inverse @ k) / b**2 for b, k in self._limits), default=0.0)
        size, low, best = max(1.0, least), least, 0.0
        for _ in range(HALVINGS):
            found = self.shown(P * size)
            if found is None:
                low = max(low, size)
                size = (low * best) ** 0.5 if best else size * 4
            else:
                best = size
                yield P * best, found[1]
                size = (low * size) ** 0.5 if low else size / 4
            if (best and best < 1.3 * low) or size > 1e12 or (not low and size < 1e-12):
                return


def _times(a: Exponents, b: Exponents) -> Exponents:
    return tuple(i + j for i, j in zip(a, b, strict=True))


def _add_squares(program: Program, block: list[Exponents], gram: Gram, factor: Terms) -> None:
    """Add a sum of squares times a polynomial to sums by monomials."""
    for (i, j), k in gram.items():
        m = _times(block[i], block[j])
        for n, c in factor.items():
            program.add(_times(m, n), k, c if i == j else 2.0 * c)
