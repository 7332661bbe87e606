r"""Conserved polynomials of a motion on its leaf, by linear algebra modulo a prime.

The rate of :math:`\sum c_a x^a` is linear in the coefficients, and zero at every point of the leaf if it is
conserved: rows at more random points than there are monomials leave the conserved ones. Monomials that the
leaf makes a combination of lower ones are left out first, so that coefficients are unique. What is found at
random points contains all that is conserved; that it is, is for `check_invariant` to prove.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement

import numpy as np

from geoctrl._scalars import Node
from geoctrl._scalars.arithmetic.modular import PRIME, echelon, kernel
from geoctrl._scalars.arithmetic.residues import Residues
from geoctrl.analysis.invariants.modular_motion import Constants, ModularMotion

__all__ = ["PolynomialSearch", "Vector", "monomial_columns"]

_SPARE = 12
"""More points than unknowns."""
_DOUBLINGS = 6

Monomial = tuple[int, ...]
"""Places of generators in order, each as often as its power."""

Vector = dict[Monomial, int]
"""Coefficients modulo the prime."""


class PolynomialSearch:
    """Conserved polynomials at one random choice of the constants."""

    def __init__(self, flow: ModularMotion, constants: Constants, rng: np.random.Generator) -> None:
        self.flow, self._constants, self._rng = flow, constants, rng
        self.drawn = [Residues.draw(rng, ()) for _ in range(len(constants))]

    def monomials(self, degree: int, counts: Callable[[Monomial], bool]) -> list[Monomial]:
        """Monomials of up to a degree that count, the lowest degree first."""
        places = range(len(self.flow.generators))
        return [m for d in range(degree + 1) for m in combinations_with_replacement(places, d) if counts(m)]

    def conserved_basis(self, monomials: Sequence[Monomial]) -> list[Vector]:
        """Basis of the conserved combinations, each with a leading monomial that no other one holds."""
        values, rates = self.columns(monomials)
        independent = kernel(values.T.tolist(), len(monomials))[1]
        left = [monomials[j] for j in independent]
        basis, _ = kernel(rates[independent].T.tolist(), len(left))
        return [{m: c for m, c in zip(left, vector, strict=True) if c} for vector in basis]

    def independent_on_leaf(self, monomials: Sequence[Monomial]) -> list[Monomial]:
        """Those that are no combination of earlier ones on the leaf."""
        values, _ = self.columns(monomials)
        return [monomials[j] for j in kernel(values.T.tolist(), len(monomials))[1]]

    def columns(
        self, monomials: Sequence[Monomial], constants: Sequence[Residues] | None = None, more: int = 0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values and rates (monomials, points) at more random points of the leaf than monomials."""
        constants, count = self.drawn if constants is None else constants, len(monomials) + _SPARE + more
        nodes = [*self.flow.generators, *self.flow.rates]
        found = self._values(nodes, count, constants)[:, :count]
        return monomial_columns(
            monomials, found[: len(self.flow.generators)], found[len(self.flow.generators) :]
        )

    def parameters(self, constants: Sequence[Residues]) -> dict[Node, Residues]:
        """Values of parameters and functions of them."""
        return self._constants.values(constants)

    def coefficients(self, monomials: Sequence[Monomial], places: Sequence[Residues]) -> list[list[int]]:
        """Coefficients (m, T) of the one conserved combination with one for the last, at T sets of constants.

        Zero at a set where there is none, or more than one.
        """
        size, sets = len(monomials), places[0].values.shape[0] if places else 1
        needed = size + 3
        count = needed
        for _ in range(_DOUBLINGS):
            wide = [Residues(np.repeat(p.values, count)) for p in places]
            x, f, valid = self._flow_values(wide, sets * count)
            if np.all(valid.reshape(sets, count).sum(axis=1) >= needed):
                break
            count *= 2
        _, rates = monomial_columns(monomials, x, f)
        rows, good = rates.T.reshape(sets, count, size), valid.reshape(sets, count)
        found = []
        for block, there in zip(rows, good, strict=True):
            basis, _ = kernel(block[there][:needed].tolist(), size)
            found.append(basis[0] if len(basis) == 1 and basis[0][-1] == 1 else [0] * size)
        return [list(column) for column in zip(*found, strict=True)]

    def combination(self, vectors: Sequence[Vector], node: Node) -> bool:
        """Whether a function is a combination of some polynomials on the leaf."""
        count = len(vectors) + _SPARE
        found = self._values([*self.flow.generators, node], count)[:, :count]
        columns = [_value(v, found[:-1]).values for v in vectors]
        _, pivots = kernel(np.stack([*columns, found[-1]], axis=1).tolist(), len(vectors) + 1)
        return len(vectors) not in pivots

    def independent(self, functions: Sequence[Vector | Node]) -> bool:
        """Whether gradients on the leaf are independent at one random state."""
        g, system, generators = self.flow.system.graph, self.flow.system, self.flow.generators
        nodes = [f for f in functions if isinstance(f, Node)]
        steep = g.jacobian([*system.leaf.nodes, *nodes, *generators], system.state_nodes)
        found = self._values([*generators, *(e for row in steep for e in row)], 1)[:, :1]
        x, flat = found[: len(generators)], [int(v) for v in found[len(generators) :, 0]]
        width = len(system.state_nodes)
        rows = [flat[i : i + width] for i in range(0, len(flat), width)]
        first = len(system.leaf.nodes)
        leaf, by_state = rows[:first], rows[first + len(nodes) :]
        given = iter(rows[first : first + len(nodes)])
        for f in functions:
            leaf.append(next(given) if isinstance(f, Node) else self._gradient(f, x, by_state))
        return len(echelon(leaf, width)[0]) == len(echelon(leaf[:first], width)[0]) + len(functions)

    def _gradient(self, vector: Vector, x: np.ndarray, by_state: Sequence[Sequence[int]]) -> list[int]:
        outer = [int(_value(_derivative(vector, i), x).values[0]) for i in range(len(by_state))]
        columns = zip(*by_state, strict=True)
        return [sum(o * e for o, e in zip(outer, column, strict=True)) % PRIME for column in columns]

    def values(self, nodes: Sequence[Node], count: int) -> np.ndarray:
        """Values (len(nodes), count) at random states."""
        return self._values(nodes, count)[:, :count]

    def _values(
        self, nodes: Sequence[Node], count: int, constants: Sequence[Residues] | None = None
    ) -> np.ndarray:
        """Values at ``count`` states or more: roots do not exist everywhere."""
        size, parameters = count, self.parameters(self.drawn if constants is None else constants)
        for _ in range(_DOUBLINGS):
            found, valid = self.flow.values_on_leaf(nodes, parameters, size, self._rng)
            if np.count_nonzero(valid) >= count:
                break
            size *= 2
        return found[:, valid]

    def _flow_values(
        self, constants: list[Residues], count: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        nodes = [*self.flow.generators, *self.flow.rates]
        found, valid = self.flow.values_on_leaf(nodes, self._constants.values(constants), count, self._rng)
        return found[: len(self.flow.generators)], found[len(self.flow.generators) :], valid


def monomial_columns(
    monomials: Sequence[Monomial], x: np.ndarray, f: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Values and rates (monomials, points): the rate of x^a is x^a times the sum of a_i f_i / x_i."""
    logarithmic = (Residues(f) / Residues(x)).values
    place: dict[Monomial, int] = {(): 0}
    values, rates = [np.ones(x.shape[1], dtype=np.uint64)], [np.zeros(x.shape[1], dtype=np.uint64)]
    wanted = sorted({m[:k] for m in monomials for k in range(len(m) + 1)}, key=len)
    for m in wanted[1:]:
        parent = place[m[:-1]]
        values.append((Residues(values[parent]) * Residues(x[m[-1]])).values)
        rates.append((Residues(rates[parent]) + Residues(logarithmic[m[-1]])).values)
        place[m] = len(values) - 1
    chosen = [place[m] for m in monomials]
    value = np.array([values[i] for i in chosen])
    return value, (Residues(value) * Residues(np.array([rates[i] for i in chosen]))).values


def _value(vector: Vector, x: np.ndarray) -> Residues:
    total = Residues(np.zeros(x.shape[1]))
    for monomial, c in vector.items():
        term = Residues(np.full(x.shape[1], c, dtype=np.uint64))
        for i in monomial:
            term = term * Residues(x[i])
        total = total + term
    return total


def _derivative(vector: Vector, i: int) -> Vector:
    """Partial derivative by a generator."""
    found: Vector = {}
    for monomial, c in vector.items():
        power = monomial.count(i)
        if power:
            place = monomial.index(i)
            found[monomial[:place] + monomial[place + 1 :]] = c * power % PRIME
    return found
