"""Weights of quadratic costs and spectral densities of noises, as they are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, require_choice
from geoctrl.errors import InputError, LabelError

__all__ = ["read_weight"]

_ROUNDING = 1e-12
"""Asymmetry and negative eigenvalue, beside ones on the diagonal, that count as rounding."""


def read_weight(name: str, given: Any, labels: Sequence[str], definite: bool = False) -> np.ndarray:
    """A symmetric positive semidefinite matrix (k, k), one row for each label.

    Parameters
    ----------
    given : None, number, (k,), (k, k) or mapping of label -> number
        None is the identity, a number its multiple, (k,) the diagonal; labels that a mapping leaves out have
        zero there, or one where the matrix has to be definite.
    definite : bool
        Whether it must be positive definite.
    """
    k = len(labels)
    if given is None:
        return np.eye(k)
    if isinstance(given, Mapping):
        for label in given:
            require_choice(f"label in {name}", label, labels, LabelError)
        given = [given.get(label, float(definite)) for label in labels]
    matrix = finite_array(name, given)
    if matrix.ndim < 2 and matrix.shape in ((), (k,)):
        matrix = np.diag(np.broadcast_to(matrix, (k,)))
    if matrix.shape != (k, k):
        raise InputError(
            f"{name} must be a number, ({k},), ({k}, {k}) or a dict by label, in the order "
            f"{', '.join(labels)}; got shape {matrix.shape}"
        )
    _require_symmetric(name, matrix)
    matrix = (matrix + matrix.T) / 2
    wanted = "definite" if definite else "semidefinite"
    for label, weight, row in zip(labels, np.diag(matrix), matrix, strict=True):
        if weight < 0 or (weight == 0 and (definite or np.any(row))):
            raise InputError(f"{name} must be positive {wanted}; {label} has the weight {weight:.6g} in it")
    # Weights have units of their own: what is judged is the matrix with ones on its diagonal.
    unit = np.sqrt(np.where(np.diag(matrix) > 0, np.diag(matrix), 1.0))
    least = float(np.min(np.linalg.eigvalsh(matrix / unit / unit[:, None]), initial=np.inf))
    if least < -_ROUNDING or (definite and not least > 0):
        raise InputError(
            f"{name} must be positive {wanted}; with ones on its diagonal its least eigenvalue is {least:.6g}"
        )
    return matrix


def _require_symmetric(name: str, matrix: np.ndarray) -> None:
    """Refuse entries that differ from their mirror images by more than rounding of row and column."""
    size = np.sqrt(np.abs(np.diag(matrix)))
    apart, entries = np.abs(matrix - matrix.T), np.maximum(np.abs(matrix), np.abs(matrix.T))
    if np.any(apart > _ROUNDING * np.maximum(entries, size * size[:, None])):
        raise InputError(f"{name} must be symmetric")
