"""What a description on rotations is given, read and checked: inertias, potential, linear terms, rates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl.errors import DescriptionError, GradientError
from geoctrl.rotations.attitudes import exp, hat

if TYPE_CHECKING:
    from geoctrl.rotations.description import RotationDescription

__all__ = [
    "check_gradient",
    "checked_inertias",
    "read_forces",
    "read_inertias",
    "read_potential",
    "read_vectors",
]


def read_inertias(inertias: Any) -> tuple[sp.Matrix, ...]:
    """Inertias as sympy matrices, one for each body.

    Raises
    ------
    DescriptionError
        For a wrong shape.
    ValueError
        For numbers that are not symmetric positive definite.
    """
    if isinstance(inertias, sp.MatrixBase):
        inertias = [inertias]
    elif not any(isinstance(J, sp.MatrixBase) for J in inertias):
        array = finite_array("inertias", inertias)
        inertias = [array] if array.ndim == 2 else list(array)
    found = tuple(J if isinstance(J, sp.MatrixBase) else sp.Matrix(np.asarray(J)) for J in inertias)
    if not found or any(J.shape != (3, 3) for J in found):
        shapes = ", ".join(str(tuple(J.shape)) for J in found)
        raise DescriptionError(f"inertias must be (3, 3) or (n, 3, 3), got shapes {shapes or 'of none'}")
    if not any(J.free_symbols for J in found):
        checked_inertias(np.array([np.array(J, dtype=float) for J in found]))
    return found


def checked_inertias(J: np.ndarray) -> np.ndarray:
    """J (n, 3, 3), or ValueError unless all are symmetric positive definite."""
    for body, inertia in enumerate(J):
        if np.max(np.abs(inertia - inertia.T)) > 1e-12 * np.max(np.abs(inertia)):
            raise ValueError(f"the inertia of body {body} must be symmetric, got {inertia.tolist()}")
        least = float(np.min(np.linalg.eigvalsh(inertia)))
        if not least > 0:
            raise ValueError(
                f"the inertia of body {body} must be positive definite, its least eigenvalue is {least:.3g}"
            )
    return np.ascontiguousarray((J + np.swapaxes(J, 1, 2)) / 2)


def read_potential(potential: Any, gradient: Callable | None) -> sp.Expr:
    """The potential as an expression; zero for a callable one."""
    if callable(potential):
        if not callable(gradient):
            raise DescriptionError("a callable potential needs gradient=dU(R, p) -> (n, 3, 3)")
        return sp.S.Zero
    if gradient is not None:
        raise DescriptionError("gradient goes with a callable potential; it is derived for an expression")
    found = sp.S.Zero if potential is None else sp.sympify(potential)
    if isinstance(found, sp.MatrixBase) and found.shape == (1, 1):
        found = found[0]
    if not isinstance(found, sp.Expr):
        raise DescriptionError(f"potential must be an expression or callable, got {potential!r}")
    return found


def read_vectors(name: str, vectors: Any, n: int) -> tuple[sp.Matrix, ...]:
    """n vectors of three expressions or numbers.

    Raises
    ------
    DescriptionError
        For a wrong shape.
    """
    if n == 1 and (isinstance(vectors, sp.MatrixBase) or (len(vectors) == 3 and np.ndim(vectors[0]) == 0)):
        vectors = [vectors]
    try:
        rows = [sp.Matrix(v) for v in vectors]
    except (TypeError, ValueError) as error:
        raise DescriptionError(f"{name} must be {n} vectors of 3, got {vectors!r}") from error
    if len(rows) != n or any(len(v) != 3 for v in rows):
        raise DescriptionError(f"{name} must be {n} vectors of 3, got {vectors!r}")
    return tuple(v.reshape(3, 1) for v in rows)


def read_forces(forces: Any, inputs: Sequence[Any], n: int) -> Any:
    """Moments: None, the callable, or n vectors of expressions."""
    if forces is None:
        if inputs:
            raise DescriptionError("inputs act through forces; give forces, or leave inputs out")
        return None
    return forces if callable(forces) else read_vectors("forces", forces, n)


def check_gradient(system: RotationDescription, p: np.ndarray) -> None:
    """Compare a given gradient with a central difference of the potential along one turn of all bodies."""
    rng = np.random.default_rng(7)
    R = exp(rng.normal(size=(system.n, 3)))
    V = R @ hat(rng.normal(size=(system.n, 3)))
    U, dU = system.potential_given, system.gradient_given
    assert dU is not None
    value, slope = U(R, p), np.asarray(dU(R, p))
    if np.ndim(value) != 0 or slope.shape != R.shape:
        raise DescriptionError(
            f"potential must return a number and gradient an array ({system.n}, 3, 3), "
            f"got shapes {np.shape(value)} and {slope.shape}"
        )
    h = 1e-5
    expected = (U(R + h * V, p) - U(R - h * V, p)) / (2 * h)
    found = float(np.sum(slope * V))
    scale = max(abs(expected), float(np.linalg.norm(slope)) * 1e-3, 1e-12)
    if not abs(found - expected) <= 1e-4 * scale:
        raise GradientError(
            f"gradient gives {found:.8g} along a direction in which the potential changes by {expected:.8g}; "
            "it must be the ambient gradient dU/dR (n, 3, 3)"
        )
