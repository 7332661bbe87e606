"""Systems of bodies that are all alike: their states as two arrays with a row for each body."""

from __future__ import annotations

from typing import Any

import numpy as np

from geoctrl._checks import finite_array, real_array, shape_of
from geoctrl.errors import InputError
from geoctrl.manifolds.model import ManifoldModel
from geoctrl.manifolds.product import Product

__all__ = ["names_of_parts", "packed", "start_values", "unpacked"]


def packed(model: ManifoldModel, first: Any, second: Any) -> np.ndarray:
    """States of the two parts: (n, ...), (n, 3) -> (size,), and with nt in front of both -> (size, nt).

    Raises
    ------
    InputError
        For a wrong shape.
    """
    first, second = real_array(model.pair[0], first), real_array(model.pair[1], second)
    outer, n = second.shape[:-2], model.n
    if len(outer) > 1 or second.shape[-2:] != (n, 3) or first.shape != (*outer, *model.shape):
        raise InputError(
            f"{model.pair[0]} and {model.pair[1]} must have shapes {model.shape} and {(n, 3)}, or both with "
            f"the number of samples in front; got {first.shape} and {second.shape}"
        )
    return model.product.state(first, second).T.copy()


def unpacked(model: ManifoldModel, x: Any) -> tuple[np.ndarray, np.ndarray]:
    """The two parts of states: inverse of `packed`; InputError for a wrong shape."""
    z, w, single = model.columns(x)
    first = z.reshape(len(z), *model.shape)
    return (first[0], w[0]) if single else (first, w)


def start_values(
    product: Product, first: Any, second: Any, names: tuple[str, str], repair: str, remedy: str
) -> tuple[np.ndarray, np.ndarray]:
    """Initial z (N, 3) and w (n, 3), on the manifold to rounding; of one body without the leading axis too.

    Parameters
    ----------
    names : pair of str
        Of the two parts.
    repair, remedy : str
        What is done about small defects, and what to do about large ones.

    Raises
    ------
    ConstraintError
        If a defect is above 1e-3.
    InputError
        For a wrong shape or values that are not finite.

    Warns
    -----
    ProjectionWarning
        If a defect above 1e-12 was repaired.
    """
    n, entries = product.bodies, product.factors[0].shape
    if n == 1:
        first = [first] if len(shape_of(first) or ()) == len(entries) else first
        second = [second] if len(shape_of(second) or ()) == 1 else second
    z = finite_array(f"{names[0]}0", first, (n, *entries)).reshape(-1, 3)
    w = finite_array(f"{names[1]}0", second, (n, 3))
    return product.on_manifold(z, w, [names], repair, remedy)


def names_of_parts(n: int, pair: tuple[str, str]) -> list[tuple[str, str]]:
    """Names of the parts of n bodies, which are numbered where there are more than one."""
    numbers = [""] if n == 1 else [str(i + 1) for i in range(n)]
    return [(pair[0] + i, pair[1] + i) for i in numbers]
