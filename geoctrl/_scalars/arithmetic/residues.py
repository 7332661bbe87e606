"""Arrays of residues modulo the prime 2^61 - 1, and recorded expressions evaluated in them.

A product of two residues has 122 bits; since 2^61 is one modulo the prime, its halves are folded back by
shifts, so that numpy does in 64 bits what would take a Python integer for each entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from geoctrl._scalars.arithmetic.arithmetics import Arithmetic, evaluate
from geoctrl._scalars.arithmetic.modular import PRIME, residue
from geoctrl._scalars.graph.graph import Node

__all__ = ["RandomFunctions", "RandomResidues", "Residues", "residues_of"]

_LOW, _P = np.uint64((1 << 32) - 1), np.uint64(PRIME)
_29, _32, _61 = np.uint64(29), np.uint64(32), np.uint64(61)
_TOP = np.uint64((1 << 29) - 1)


def _residues(x: np.ndarray) -> np.ndarray:
    """Residues of unsigned numbers of 64 bits."""
    x = (x & _P) + (x >> _61)
    return x - np.where(x >= _P, _P, np.uint64(0))


class RandomResidues(Protocol):
    """What numbers are drawn from: a generator of numpy, or what stands for one."""

    @property
    def integers(self) -> Callable[..., Any]:
        """Numbers from low to high, without this, of some size and dtype."""


class Residues:
    """An array of residues, with + - * / and integer powers; numbers stand for arrays of no dimension.

    Parameters
    ----------
    values : array of unsigned 64 bit integers below the prime
    """

    __slots__ = ("values",)

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values, dtype=np.uint64)

    @classmethod
    def number(cls, q: Fraction | int) -> Residues:
        """The residue of a rational; DivisionError where the prime divides its denominator."""
        return cls(residue(Fraction(q)))

    @classmethod
    def draw(cls, rng: RandomResidues, shape: tuple[int, ...]) -> Residues:
        """Random residues that are not zero."""
        return cls(rng.integers(1, PRIME, size=shape, dtype=np.uint64))

    def _read(self, other: Any) -> np.ndarray:
        return other.values if isinstance(other, Residues) else Residues.number(other).values

    def __add__(self, other: Any) -> Residues:
        return Residues(_residues(self.values + self._read(other)))

    __radd__ = __add__

    def __neg__(self) -> Residues:
        return Residues(_residues(_P - self.values))

    def __sub__(self, other: Any) -> Residues:
        return Residues(_residues(self.values + (_P - self._read(other))))

    def __rsub__(self, other: Any) -> Residues:
        return -self + other

    def __mul__(self, other: Any) -> Residues:
        a, b = self.values, self._read(other)
        ah, al, bh, bl = a >> _32, a & _LOW, b >> _32, b & _LOW
        # a b = ah bh 2^64 + middle 2^32 + al bl, and 2^64 is 8: no sum exceeds 64 bits.
        middle, low = ah * bl + al * bh, al * bl
        total = ((ah * bh) << np.uint64(3)) + (middle >> _29) + ((middle & _TOP) << _32)
        return Residues(_residues(total + (low & _P) + (low >> _61)))

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Residues:
        base = self if exponent >= 0 else self.inverse()
        result, square, left = Residues(np.ones_like(self.values)), base, abs(exponent)
        while left:
            if left & 1:
                result = result * square
            square, left = square * square, left >> 1
        return result

    def inverse(self) -> Residues:
        """Reciprocals; zero for zero, which no random number is.

        Of the product of all of them one reciprocal is taken, and products of pairs, of pairs of pairs and
        so on lead there and back: 1/a is b times 1/(a b). A power for each would be a hundred products.
        """
        flat = self.values.ravel()
        if not flat.size:
            return self
        one = np.uint64(1)
        rows, products = [], np.where(flat == 0, one, flat)
        while products.size > 1:
            rows.append(np.append(products, one) if products.size % 2 else products)
            products = (Residues(rows[-1][::2]) * Residues(rows[-1][1::2])).values
        found = np.array([pow(int(products[0]), -1, PRIME)], dtype=np.uint64)
        for row in reversed(rows):
            others = row.reshape(-1, 2)[:, ::-1].ravel()
            found = (Residues(np.repeat(found[: row.size // 2], 2)) * Residues(others)).values
        kept = np.where(flat == 0, np.uint64(0), found[: flat.size])
        return Residues(kept.reshape(self.values.shape))

    def __truediv__(self, other: Any) -> Residues:
        return self * Residues(self._read(other)).inverse()

    def __rtruediv__(self, other: Any) -> Residues:
        return self.inverse() * other

    def root(self) -> tuple[Residues, np.ndarray]:
        """A square root, and where it is one: the prime is 3 modulo 4."""
        root = self ** ((PRIME + 1) // 4)
        return root, (root * root).values == self.values


class RandomFunctions(dict):
    """Functions as generators: values at random, with the relations of roots, sines and cosines.

    A square root has one of the two signs, and ``valid`` tells where there is one modulo the prime. What
    other relations functions have among themselves is not known here. The same arguments give the same value.

    Parameters
    ----------
    count : int
        Number of points.
    """

    def __init__(self, rng: RandomResidues, count: int) -> None:
        super().__init__()
        self._rng, self.count = rng, count
        self._drawn: dict[tuple, Residues] = {}
        self.valid = np.ones(count, dtype=bool)

    def __missing__(self, name: str) -> Callable:
        rules = {"sqrt": self._sqrt, "sin": self._sine, "cos": self._cosine}
        return rules.get(name, lambda *args: self._random(name, *args))

    def _random(self, name: str, *args: Residues) -> Residues:
        key = (name, *(np.broadcast_to(x.values, (self.count,)).tobytes() for x in args))
        if key not in self._drawn:
            self._drawn[key] = Residues.draw(self._rng, (self.count,))
        return self._drawn[key]

    def _sqrt(self, x: Residues) -> Residues:
        root, found = x.root()
        self.valid &= found
        return root

    def _sine(self, angle: Residues) -> Residues:
        t = self._random("half tangent", angle)
        return 2 * t / (1 + t * t)

    def _cosine(self, angle: Residues) -> Residues:
        t = self._random("half tangent", angle)
        return (1 - t * t) / (1 + t * t)


def residues_of(
    nodes: Sequence[Node], values: Mapping[Node, Residues], functions: RandomFunctions
) -> list[Residues]:
    """Values (count,) of nodes, given those of the symbols and of any other node."""
    found = evaluate(nodes, values, Arithmetic("residues", Residues.number, functions))
    return [Residues(np.broadcast_to(r.values, (functions.count,))) for r in found]
