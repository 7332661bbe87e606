"""Algebras that the tests of this folder run over."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from geoctrl.algebra import LieAlgebra, product, rn, se2, se3, so2, so3

GROUPS = {
    "so2": so2(),
    "so3": so3(),
    "se2": se2(),
    "se3": se3(),
    "rn": rn(2),
    "so3 x so3": product(so3(), so3()),
    "mixed": product(se3(), so2(), rn(1), se2()),
}


def heisenberg() -> LieAlgebra:
    """[E_1, E_2] = 5/3 E_3, not totally antisymmetric and without a matrix group."""
    return LieAlgebra(heisenberg_constants(), labels=("p", "q", "z"), name="heisenberg")


def heisenberg_constants() -> np.ndarray:
    """c[i, j, k] of `heisenberg`, exact."""
    constants = np.full((3, 3, 3), 0, dtype=object)
    constants[0, 1, 2], constants[1, 0, 2] = Fraction(5, 3), Fraction(-5, 3)
    return constants


def velocity(algebra: LieAlgebra, rng: np.random.Generator, size: float = 1.0) -> np.ndarray:
    """Random element whose rotation angles stay below pi for sizes up to 1."""
    return size * rng.uniform(-1.7, 1.7, algebra.n)
