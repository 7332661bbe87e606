r"""A quadratic Lyapunov function with a large sublevel set, by sums of squares in doubles.

Of the identity in `geoctrl.checker.squares.identity` the matrices and multipliers are unknown. The product of
c - V and its factor is linear in either: one is held and the other found, in turns, from a sum of squares
along the modes at a level that is small enough; all of it in coordinates in which the last function is a sum
of squares. With the factor held, the function is the one for which

.. math:: \operatorname{tr}(W P), \qquad W = \overline{y\,y^T},

is least, an average over points on the leaf where the last function has its level: a step towards the largest
volume.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from geoctrl.analysis.programs.semidefinite import Gram, MatrixProgram, entries
from geoctrl.analysis.quadratics.falling_identity import FallingIdentity, FallingProof
from geoctrl.analysis.quadratics.search_coordinates import times
from geoctrl.analysis.quadratics.setting import Setting
from geoctrl.analysis.quadratics.setting_units import Exponents, SettingUnits, Terms

__all__ = ["DEGREES", "MARGIN", "FallingQuadratic"]

DEGREES = (2, 3)
"""Of the monomials of sums of squares."""
MARGIN = 1e-7
"""Below the eigenvalues of matrices that have to be positive, in scaled variables."""
LEAST = 0.01
"""Of the function's matrix, where variables are measured by the size of its set: bounds by the matrix
alone are not too wide then.
"""
GROWTH, FEW, FAST, STEPS = 1.01, 16, 1.2, 48
"""By how much the volume has to grow for another function, for more than a few; and their number, at most."""
POWERS, APART, TRIED = (0.5, 0.0), 10.0, 8
"""Of rates in first functions, the last alone where these are not far apart; sets of each, of which the
largest grows on.
"""
SHRUNK, HALVINGS = (0.999, 0.99, 0.97), 60


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
        self.identity = FallingIdentity(setting, degree, degree - 1, left, units)
        self.identity.leaf.require_decay()
        self._least = margin

    def _measure(self, P: np.ndarray) -> None:
        """Take the coordinates of a function."""
        self.identity.take_coordinates(P, self.identity.leaf.boundary(P))

    # -- programs -------------------------------------------------------------------------------------

    def _pairs(self) -> list[tuple[int, int]]:
        n = len(self.identity.places)
        return [(i, j) for j in range(n) for i in range(j + 1)]

    def _rate(self, i: int, j: int) -> Terms:
        """The rate of y_i y_j."""
        found: Terms = {}
        for a, b in ((i, j), (j, i)):
            for m, c in self.identity.rates[b].items():
                key = times(m, self.identity.unit(self.identity.places[a]))
                found[key] = found.get(key, 0.0) + c
        return found

    def _product(self, i: int, j: int) -> Exponents:
        return times(self.identity.unit(self.identity.places[i]), self.identity.unit(self.identity.places[j]))

    def proof_of(self, P: np.ndarray) -> tuple[float, FallingProof] | None:
        """What shows that a function falls below level one, with the largest margin; None where nothing
        does.
        """
        self._measure(P)
        program = MatrixProgram(self.identity.left)
        margin = program.number()
        parts = self.identity.add_identity(program, margin, self.identity.rest)
        room = {(0,) * self.identity.size: 1.0}
        for i in range(len(self.identity.places)):
            for m, c in self._rate(i, i).items():
                program.add_constant(m, c)
            room[self._product(i, i)] = -1.0
        factors = self.identity.add_factors(program, room)
        program.at_most({margin: 1.0}, 1.0)
        found = program.minimum({margin: -1.0})
        if found is None or not found[margin] > self._least:
            return None
        squares, multipliers = self.identity.squares(parts, factors, float(found[margin]), found)
        return float(found[margin]), FallingProof(self.identity.coordinates, [], squares, multipliers)

    def larger(self, proof: FallingProof) -> np.ndarray | None:
        """The function of least average over the set of another, with the factor of its proof."""
        self._measure(proof.function)
        factor = proof.factor
        program = MatrixProgram(self.identity.left)
        margin = program.number()
        self.identity.add_identity(program, margin, self.identity.rest)
        V = program.matrix(len(self.identity.places))
        scaled = self.identity.inner / self.identity.sizes[:, None]
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
        points = (self.identity.leaf.boundary(proof.function) @ self.identity.coordinates.inverse.T)[
            :, self.identity.places
        ]
        weights = points.T @ points / len(points)
        weights += 1e-6 * np.linalg.inv(scaled.T @ scaled)
        weights /= np.trace(weights)
        found = program.minimum({k: weights[i, j] * (1.0 if i == j else 2.0) for (i, j), k in V.items()})
        if found is None or not np.linalg.eigvalsh(function := entries(V, found) + small)[0] > 0:
            return None
        return self.identity.coordinates.function(function)

    def _add_limits(self, program: MatrixProgram, V: Gram, small: np.ndarray) -> None:
        """k.P^-1 k <= 1: the matrix [[1, k], [k, P]] is positive semidefinite."""
        for number, slopes in enumerate(self.identity.limits):
            size = np.abs(slopes).max(initial=0.0) or 1.0
            M = program.matrix(len(slopes) + 1)
            program.add(("limit", number, "bound"), M[0, 0], -1.0)
            program.add_constant(("limit", number, "bound"), size**-2)
            for i, slope in enumerate(slopes):
                program.add(("limit", number, i), M[0, i + 1], -1.0)
                program.add_constant(("limit", number, i), slope / size)
            for (i, j), k in V.items():
                program.add(("limit", number, i, j), M[i + 1, j + 1], -1.0)
                program.add(("limit", number, i, j), k, 1.0)
                program.add_constant(("limit", number, i, j), small[i, j])

    # -- the search -----------------------------------------------------------------------------------

    def proofs(self) -> Iterator[FallingProof]:
        """Proofs of larger and larger sets; none where nothing is shown."""
        kept: Iterator[tuple[float, FallingProof]] = iter(())
        volumes: list[float] = []
        for power in POWERS if self.identity.leaf.spread_of_rates > APART else POWERS[-1:]:
            rising = self._rising(self.identity.leaf.first_function(power), volumes[0] if volumes else 0.0)
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
            volume = self.identity.leaf.volume(P)
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
            if found is None or (grown := self.identity.leaf.volume(P)) <= volume:
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
        least = float(np.sum(self.identity.limits**2, axis=1).max(initial=0.0))
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
            if not best and self.identity.leaf.volume(P * size) < smallest:
                return
