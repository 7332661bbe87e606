r"""A Lyapunov function of degree four, six or eight with a large sublevel set, by sums of squares in doubles.

As for one of degree two (`geoctrl.analysis.quadratics.falling_quadratic`) the function and the factor of
c - V are found in turns. With the factor held, the function is the one whose mean over points at the edge of
the last set is least; with the function held, the factor is the one that leaves the largest margin; then the
level is raised as far as it goes. The search begins with a function of lower degree: from far below it ends
in smaller sets. All of it is in coordinates in which points at the edge of the last set have unit size in all
directions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from geoctrl.analysis.higher_degrees.polynomial_function import PolynomialFunction, rate_of, value
from geoctrl.analysis.programs.semidefinite import Gram, MatrixProgram, entries
from geoctrl.analysis.quadratics.falling_identity import FallingIdentity, FallingProof, Square
from geoctrl.analysis.quadratics.search_coordinates import times
from geoctrl.analysis.quadratics.setting import Setting
from geoctrl.analysis.quadratics.setting_units import Exponents, SettingUnits, Terms

__all__ = ["FallingPolynomial", "lowest_factor"]

SHOWN, MARGIN = 1e-7, 1e-6
"""Least eigenvalues of matrices: of proofs, and of functions that are looked for."""
LEAST = 1e-3
"""Of the function's matrices."""
SHRUNK = (1.0, 0.999, 0.99, 0.97, 0.9)
"""Levels at which a function that was found is shown to fall."""
RAISED = (1.2, 1.1, 1.05, 1.02, 1.01)
GROWTH, AGAIN, STEPS = 1.002, 3, 60
"""By how much the volume has to grow in so many steps for another one; and their number, at most."""


class FallingPolynomial:
    """The search for a function and its proof.

    Parameters
    ----------
    degree, multiplier : int
        Of V, and of the factor of c - V.
    shape : ndarray
        The matrix of a quadratic function of what is measured, in the units, along whose ellipsoid volumes
        are measured; by default these are those of the units.

    Attributes
    ----------
    identity : FallingIdentity
    function : list of blocks
        Monomials that V is made of.
    mixes : bool
        Whether coordinates may mix what is measured.
    """

    mixes = True

    def __init__(
        self,
        setting: Setting,
        degree: int,
        multiplier: int,
        shape: np.ndarray | None = None,
        left: Callable[[], float] = lambda: math.inf,
        units: SettingUnits | None = None,
        even: Iterable[Exponents] = (),
    ) -> None:
        self._fastest = _degree_of_rates(setting)
        self._multiplier = multiplier
        squares = self._degree_of_squares(degree)
        self.identity = FallingIdentity(setting, squares, multiplier // 2, left, units, even)
        self._own = degree
        self.function = [
            block
            for given in self.identity.blocks(range(1, degree // 2 + 1))
            if (block := [m for m in given if self.is_in_places(m)])
        ]
        self._shape = np.eye(len(self.identity.places)) if shape is None else shape

    def _degree_of_squares(self, degree: int) -> int:
        """Of monomials of squares for a function of a degree: half of that of the identity."""
        return max((degree + self._multiplier) // 2, -((1 - degree - self._fastest) // 2))

    def squares_for(self, degree: int) -> list[list[Exponents]]:
        """Monomials of squares for a function of a degree: those of higher ones would have to vanish."""
        top = self._degree_of_squares(degree)
        found = ([m for m in block if sum(m) <= top] for block in self.identity.rest)
        return [block for block in found if block]

    def is_in_places(self, m: Exponents) -> bool:
        """Whether a monomial is one of what is measured."""
        return not any(e for k, e in enumerate(m) if k not in self.identity.places)

    def quadratic(self, P: np.ndarray) -> PolynomialFunction:
        """The function of a matrix of what is measured."""
        parts: dict[Exponents, list[int]] = {}
        units = [self.identity.unit(k) for k in self.identity.places]
        for k, m in enumerate(units):
            parts.setdefault(self.identity.parity(m), []).append(k)
        return PolynomialFunction.quadratic(P, units, list(parts.values()))

    # -- one step -------------------------------------------------------------------------------------

    def edge(self, terms: Terms) -> tuple[np.ndarray, np.ndarray]:
        """Points at the edge of the set of a function, and the parts of radii of the ellipsoid at which they
        are.
        """
        return self.identity.leaf.edge(lambda points: value(terms, points), self._shape)

    def volume(self, V: PolynomialFunction) -> float:
        """Of a set, up to a factor."""
        return float(np.mean(self.edge(V.terms)[1] ** self.identity.leaf.along.shape[1]))

    def measure(self, terms: Terms) -> np.ndarray:
        """Take the coordinates of a set; points at its edge in these."""
        points, _ = self.edge(terms)
        self.identity.take_coordinates(self._shape_of(points), points)
        return points @ self.identity.coordinates.inverse.T

    def _shape_of(self, points: np.ndarray) -> np.ndarray:
        """The matrix of a quadratic function, of which coordinates are taken."""
        found = self.identity.leaf.quadratic_of(points)
        return found if self.mixes else np.diag(np.diag(found))

    def proof_of(self, V: PolynomialFunction) -> tuple[float, FallingProof] | None:
        """What shows that a function falls below level one, with the largest margin; None where nothing
        does.
        """
        if (found := self.shown_by(V.terms)) is None:
            return None
        margin, squares, multipliers = found
        blocks = V.in_coordinates(self.identity.coordinates).blocks
        return margin, FallingProof(self.identity.coordinates, blocks, squares, multipliers)

    def shown_by(self, terms: Terms) -> tuple[float, list[Square], list[Terms]] | None:
        """The margin, the squares and the multipliers that show a function to fall below level one."""
        self.measure(terms)
        own = self.identity.coordinates.terms(terms)
        program = MatrixProgram(self.identity.left)
        margin = program.number()
        parts = self.identity.add_identity(program, margin, self.squares_for(max(map(sum, own))))
        for m, c in rate_of(own, self.identity.places, self.identity.rates).items():
            program.add_constant(m, c)
        room = {(0,) * self.identity.size: 1.0} | {m: -c for m, c in own.items()}
        factors = self.identity.add_factors(program, room)
        program.at_most({margin: 1.0}, 1.0)
        found = program.minimum({margin: -1.0})
        if found is None or not found[margin] > SHOWN:
            return None
        squares, multipliers = self.identity.squares(parts, factors, float(found[margin]), found)
        return float(found[margin]), squares, multipliers

    def larger(self, proof: FallingProof) -> PolynomialFunction | None:
        """The function of least mean over the edge of the set of another, with the factor of its proof."""
        points = self.measure(PolynomialFunction(proof.blocks).in_variables(proof.coordinates).terms)
        program = MatrixProgram(self.identity.left)
        margin = program.number()
        self.identity.add_identity(program, margin, self.squares_for(self._own))
        factor, rates = proof.factor, dict[Exponents, Terms]()
        grams, cost = list[tuple[list[Exponents], Gram]](), dict[int, float]()
        for block in self.function:
            gram = program.matrix(len(block))
            grams.append((block, gram))
            for (i, j), k in gram.items():
                m, weight = times(block[i], block[j]), 1.0 if i == j else 2.0
                if m not in rates:
                    rates[m] = rate_of({m: 1.0}, self.identity.places, self.identity.rates)
                    for n, c in factor.items():
                        key = times(n, m)
                        rates[m][key] = rates[m].get(key, 0.0) - c
                for key, c in rates[m].items():
                    program.add(key, k, weight * c)
                    if i == j:
                        program.add_constant(key, LEAST * c)
                cost[k] = weight * float(np.mean(value({m: 1.0}, points)))
        for key, c in factor.items():
            program.add_constant(key, c)
        program.at_most({margin: -1.0}, -MARGIN)
        self._add_limits(program, grams)
        total = sum(map(abs, cost.values()))
        found = program.minimum({k: c / total for k, c in cost.items()})
        if found is None:
            return None
        blocks = [(block, entries(gram, found) + LEAST * np.eye(len(block))) for block, gram in grams]
        if not all(np.linalg.eigvalsh(gram)[0] > 0 for _, gram in blocks):
            return None
        return PolynomialFunction(blocks).in_variables(self.identity.coordinates)

    def _add_limits(self, program: MatrixProgram, grams: list[tuple[list[Exponents], Gram]]) -> None:
        """k.P^-1 k <= 1 for the linear monomials of u: [[1, k], [k, P]] is positive semidefinite."""
        linear = {self.identity.unit(k): i for i, k in enumerate(self.identity.places)}
        for number, slopes in enumerate(self.identity.limits):
            size = np.abs(slopes).max(initial=0.0) or 1.0
            held = [(b, g) for b, g in grams if any(m in linear and slopes[linear[m]] for m in b)]
            M = program.matrix(1 + sum(len(block) for block, _ in held))
            program.add(("limit", number, "bound"), M[0, 0], -1.0)
            program.add_constant(("limit", number, "bound"), size**-2)
            own: dict[tuple[int, int], int] = {}
            first, row = 1, dict[int, float]()
            for block, gram in held:
                row |= {
                    first + i: float(slopes[linear[m]]) / size for i, m in enumerate(block) if m in linear
                }
                own |= {(first + i, first + j): k for (i, j), k in gram.items()}
                first += len(block)
            for (i, j), k in M.items():
                if i or j:
                    program.add(("limit", number, i, j), k, -1.0)
                    if not i:
                        program.add_constant(("limit", number, i, j), row.get(j, 0.0))
                    elif (i, j) in own:
                        program.add(("limit", number, i, j), own[i, j], 1.0)
                        program.add_constant(("limit", number, i, j), LEAST * (i == j))

    # -- the search -----------------------------------------------------------------------------------

    def proofs(self, V: PolynomialFunction) -> Iterator[tuple[PolynomialFunction, FallingProof]]:
        """Functions of larger and larger sets, of which level one is shown; none where nothing is shown."""
        current = self._first_shown(V, (*SHRUNK, 0.7, 0.5, 0.25, 0.1, 0.03, 0.01))
        if current is None:
            return
        for _ in range(STEPS):
            if (raised := self._at_higher_level(current)) is current:
                break
            current = raised
        best, volumes = self.volume(current[0]), list[float]()
        yield current
        for _ in range(STEPS):
            if (larger := self.larger(current[1])) is None:
                return
            if (found := self._first_shown(larger, SHRUNK)) is None:
                return
            current = self._at_higher_level(found)
            volumes.append(self.volume(current[0]))
            if volumes[-1] > best:
                best = volumes[-1]
                yield current
            if len(volumes) > AGAIN and volumes[-1] < volumes[-1 - AGAIN] * GROWTH:
                return

    def _first_shown(
        self, V: PolynomialFunction, levels: tuple[float, ...]
    ) -> tuple[PolynomialFunction, FallingProof] | None:
        """A function at the first of some levels at which it is shown to fall."""
        for level in levels:
            lower = V.at_level(level)
            if (found := self.proof_of(lower)) is not None:
                return lower, found[1]
        return None

    def _at_higher_level(
        self, found: tuple[PolynomialFunction, FallingProof]
    ) -> tuple[PolynomialFunction, FallingProof]:
        """The same at a higher level, where one is shown."""
        if len(self.identity.limits):
            return found
        for level in RAISED:
            higher = found[0].at_level(level)
            if (proof := self.proof_of(higher)) is not None:
                return higher, proof[1]
        return found


def lowest_factor(setting: Setting, degree: int) -> int:
    """The degree of the factor of c - V for a function of a degree: its own, or that which makes terms as
    high as those of its rate.
    """
    return max(degree, 2 * (_degree_of_rates(setting) // 2))


def _degree_of_rates(setting: Setting) -> int:
    return max((int(p.total_degree()) for p in setting.rates if p), default=1)
