"""Matrix representation of a product: one diagonal block for each factor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geoctrl._scalars import expression
from geoctrl.algebra.representation.factor import AlgebraFactor
from geoctrl.algebra.representation.matrix_groups import MatrixGroup, matrix_group
from geoctrl.errors import DescriptionError

MEMBERSHIP_TOLERANCE = 1e-9
"""Largest part of a matrix outside its blocks or the algebra that is taken as rounding (relative)."""


class BlockMatrices:
    """Block-diagonal matrices of the groups of some factors, on numpy arrays of any arithmetic."""

    def __init__(self, factors: Sequence[AlgebraFactor]) -> None:
        self.factors = tuple(factors)
        self.groups: list[MatrixGroup] = []
        places, size = [], 0
        for number, factor in enumerate(self.factors, start=1):
            if factor.group is None:
                raise DescriptionError(
                    f"no matrix group is attached to {factor.name or f'factor {number}'}: it is given by its "
                    "structure constants alone"
                )
            group = matrix_group(factor.group, factor.size)
            self.groups.append(group)
            places.append(slice(size, size + group.matrix_size))
            size += group.matrix_size
        self.places = tuple(places)
        self.shape = (size, size)

    def hat(self, x: np.ndarray) -> np.ndarray:
        """Matrix of an algebra element."""
        return self._block_diagonal(
            [g.hat(x[f.xi_slice]) for g, f in zip(self.groups, self.factors, strict=True)]
        )

    def vee(self, matrix: np.ndarray) -> np.ndarray:
        """Algebra element of a matrix; `DescriptionError` if the matrix is outside the algebra."""
        diagonal = zip(self.groups, self.places, strict=True)
        x = np.concatenate([group.vee(matrix[place, place]) for group, place in diagonal])
        _refuse_rest(matrix - self.hat(x), matrix, "X is not in the matrix Lie algebra")
        return x

    def exp(self, x: np.ndarray) -> np.ndarray:
        """Matrix exponential of ``hat(x)``."""
        return self._block_diagonal(
            [g.exp(x[f.xi_slice]) for g, f in zip(self.groups, self.factors, strict=True)]
        )

    def log(self, g: np.ndarray) -> np.ndarray:
        """Algebra element with ``exp(x) = g``; `DescriptionError` if `g` is outside the group."""
        diagonal = zip(self.groups, self._blocks(g), strict=True)
        return np.concatenate([group.log(block) for group, block in diagonal])

    def adjoint(self, g: np.ndarray) -> np.ndarray:
        """Matrix of ``x -> vee(g hat(x) g^{-1})``; `DescriptionError` if a float `g` is not in the group."""
        n = sum(factor.size for factor in self.factors)
        out = np.zeros((n, n), dtype=g.dtype)
        for factor, group, block in zip(self.factors, self.groups, self._blocks(g), strict=True):
            out[factor.xi_slice, factor.xi_slice] = group.adjoint(block)
        return out

    def _block_diagonal(self, blocks: list[np.ndarray]) -> np.ndarray:
        matrix = np.zeros(self.shape, dtype=np.result_type(*blocks))
        for place, block in zip(self.places, blocks, strict=True):
            matrix[place, place] = block
        return matrix

    def _blocks(self, g: np.ndarray) -> list[np.ndarray]:
        blocks = [g[place, place] for place in self.places]
        _refuse_rest(g - self._block_diagonal(blocks), g, "g has entries outside the blocks of the factors")
        if g.dtype.kind == "f":
            for number, (group, block) in enumerate(zip(self.groups, blocks, strict=True), start=1):
                group.check(block, "g" if len(blocks) == 1 else f"block {number} of g")
        return blocks


def _refuse_rest(rest: np.ndarray, matrix: np.ndarray, message: str) -> None:
    """Raise unless `rest` is rounding next to `matrix`; of symbols, what is known not to vanish counts."""
    if matrix.dtype.kind == "O":
        for index, entry in np.ndenumerate(rest):
            if expression(entry, "an entry").is_zero is False:
                raise DescriptionError(f"{message}: {entry} is left at {index}")
        return
    defect = float(np.max(np.abs(rest)))
    # Written so that a defect that is not a number is refused too.
    if not defect <= MEMBERSHIP_TOLERANCE * max(1.0, float(np.max(np.abs(matrix)))):
        raise DescriptionError(f"{message}: {defect:.3g} is left")
