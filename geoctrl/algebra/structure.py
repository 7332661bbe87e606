"""Structure constants: which of two layouts they are in, and whether they define a Lie algebra."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl.algebra._exact import exact_array
from geoctrl.errors import DescriptionError

Entries = tuple[tuple[int, int, int, Fraction], ...]


def read_structure_constants(values: Any) -> tuple[int, Entries]:
    """Dimension and nonzero entries (i, j, k, c) of ``[E_i, E_j] = sum_k c[i, j, k] E_k``, checked exactly.

    Parameters
    ----------
    values : array_like, shape (n, n, n)
        ``c[i, j, k]``, antisymmetric in i and j; or ``c[k, i, j]``, recognised because only its last two
        indices are antisymmetric. A tensor antisymmetric in both pairs is totally antisymmetric, so that
        ``c[k, i, j] = c[i, j, k]`` and the two layouts are one.
    """
    constants = exact_array(values, 3, "structure_constants")
    n = constants.shape[0]
    if constants.shape != (n, n, n):
        raise DescriptionError(f"structure_constants has shape {constants.shape}; (n, n, n) is needed")
    asymmetric = _first_asymmetry(constants)
    if asymmetric is not None:
        moved = constants.transpose(1, 2, 0)
        if _first_asymmetry(moved) is not None:
            i, j, k = asymmetric
            raise DescriptionError(
                f"structure_constants is not antisymmetric: c[{i}, {j}, {k}] = {constants[i, j, k]} but "
                f"c[{j}, {i}, {k}] = {constants[j, i, k]} (read as c[k, i, j] it is not antisymmetric either)"
            )
        constants = moved
    # `item` gives the Fraction itself: a checker takes indexing to give an array.
    entries: Entries = tuple(
        (i, j, k, constants.item(i, j, k)) for i, j, k in np.ndindex(n, n, n) if constants[i, j, k]
    )
    _check_jacobi(n, entries)
    return n, entries


def _first_asymmetry(constants: np.ndarray) -> tuple[int, int, int] | None:
    n = constants.shape[0]
    for i in range(n):
        for j in range(i, n):
            for k in range(n):
                if constants[i, j, k] != -constants[j, i, k]:
                    return i, j, k
    return None


def _check_jacobi(n: int, entries: Entries) -> None:
    brackets: dict[tuple[int, int], list[tuple[int, Fraction]]] = defaultdict(list)
    for i, j, k, value in entries:
        brackets[i, j].append((k, value))
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                total: dict[int, Fraction] = defaultdict(Fraction)
                for a, b, c in ((i, j, k), (j, k, i), (k, i, j)):
                    for inner, left in brackets.get((a, b), ()):
                        for outer, right in brackets.get((inner, c), ()):
                            total[outer] += left * right
                for component, value in total.items():
                    if value:
                        raise DescriptionError(
                            f"structure_constants violates the Jacobi identity for {(i, j, k) = }: "
                            "[[E_i, E_j], E_k] + [[E_j, E_k], E_i] + [[E_k, E_i], E_j] has "
                            f"component {value} along E_{component}"
                        )
