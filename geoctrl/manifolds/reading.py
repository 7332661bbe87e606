"""What systems on manifolds are given, read and checked: names, vectors, inertias, gradients, starts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import user_level
from geoctrl.errors import (
    ConstraintError,
    DescriptionError,
    GradientError,
    ParameterError,
    ProjectionWarning,
)
from geoctrl.systems import Parameter, time

__all__ = [
    "check_gradient",
    "check_names",
    "needs_repair",
    "number_of_bodies",
    "positive_definite",
    "read_forces",
    "read_gradient",
    "read_vectors",
    "vector",
]

ROUNDING, REPAIRED = 1e-12, 1e-3
"""Defects up to the first are rounding; up to the second they are repaired with a warning."""


def vector(name: str) -> sp.Matrix:
    """Real 3-vector of symbols name_1, name_2, name_3."""
    return sp.Matrix([sp.Symbol(f"{name}_{k}", real=True) for k in (1, 2, 3)])


def number_of_bodies(n: Any) -> range:
    """1, 2, ..., n; ValueError if n is not a positive integer."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ValueError(f"n must be a positive integer, got {n!r}")
    return range(1, n + 1)


def check_names(parameters: Sequence[Parameter], labels: Sequence[str]) -> None:
    """Refuse names that stand for two things.

    Raises
    ------
    ParameterError
        If parameter names repeat, or meet a label of a state, an input or the time.
    DescriptionError
        If labels repeat.
    """
    names = [p.name for p in parameters]
    repeated = sorted({n for n in names if names.count(n) > 1})
    if repeated:
        raise ParameterError(f"parameter names repeat: {', '.join(repeated)}")
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise DescriptionError(f"labels repeat: {', '.join(twice)}; rename an input")
    clash = sorted(set(names) & {*labels, time.name})
    if clash:
        raise ParameterError(f"parameter names meet state, input or time labels: {', '.join(clash)}")


def read_vectors(name: str, vectors: Any, n: int) -> tuple[sp.Matrix, ...]:
    """n vectors of three expressions or numbers; one alone will do for n = 1.

    Raises
    ------
    DescriptionError
        For a wrong shape.
    """
    problem = f"{name} must be {n} vectors of 3 expressions, got {vectors!r}"
    if n == 1 and (isinstance(vectors, sp.MatrixBase) or np.shape(np.array(vectors, dtype=object)) == (3,)):
        vectors = [vectors]
    try:
        rows = [sp.Matrix(v) for v in vectors]
    except (TypeError, ValueError) as error:
        raise DescriptionError(problem) from error
    if len(rows) != n or any(len(v) != 3 for v in rows):
        raise DescriptionError(problem)
    return tuple(v.reshape(3, 1) for v in rows)


def read_forces(forces: Any, inputs: Sequence[Any], n: int) -> Any:
    """Generalised forces: None, the callable, or n vectors of expressions.

    Raises
    ------
    DescriptionError
        For a wrong shape, or inputs without forces.
    """
    if forces is None:
        if inputs:
            raise DescriptionError("inputs act through forces; give forces, or leave inputs out")
        return None
    return forces if callable(forces) else read_vectors("forces", forces, n)


def positive_definite(name: str, M: np.ndarray) -> np.ndarray:
    """M (n, n), symmetric to the last digit, or ValueError unless it is symmetric positive definite."""
    if np.max(np.abs(M - M.T)) > 1e-12 * np.max(np.abs(M)):
        raise ValueError(f"{name} must be symmetric, got {M.tolist()}")
    least = float(np.min(np.linalg.eigvalsh(M)))
    if not least > 0:
        raise ValueError(f"{name} must be positive definite, its least eigenvalue is {least:.3g}")
    return np.ascontiguousarray((M + M.T) / 2)


def read_gradient(potential: Any, gradient: Any, shape: str) -> bool:
    """Whether the potential is a function, which comes with its gradient.

    Raises
    ------
    DescriptionError
        If one is given without the other.
    """
    if callable(potential):
        if not callable(gradient):
            raise DescriptionError(f"a callable potential needs gradient= of the same arguments -> {shape}")
        return True
    if gradient is not None:
        raise DescriptionError("gradient goes with a callable potential; it is derived for any other")
    return False


def check_gradient(
    potential: Callable, gradient: Callable, place: np.ndarray, direction: np.ndarray, p: np.ndarray
) -> None:
    """Compare a given gradient with a central difference of the potential along a direction.

    Raises
    ------
    DescriptionError
        If one of them returns something of a wrong shape.
    GradientError
        If they differ by more than 1e-4 of their size.
    """
    value, slope = potential(place, p), np.asarray(gradient(place, p))
    if np.ndim(value) != 0 or slope.shape != place.shape:
        raise DescriptionError(
            f"potential must return a number and gradient an array {place.shape}, "
            f"got shapes {np.shape(value)} and {slope.shape}"
        )
    h = 1e-5
    expected = (potential(place + h * direction, p) - potential(place - h * direction, p)) / (2 * h)
    found = float(np.sum(slope * direction))
    scale = max(abs(expected), float(np.linalg.norm(slope)) * 1e-3, 1e-12)
    if not abs(found - expected) <= 1e-4 * scale:
        raise GradientError(
            f"gradient gives {found:.8g} along a direction in which the potential changes by {expected:.8g}; "
            f"it must be the ambient gradient, by all entries of the argument, {place.shape}"
        )


def needs_repair(defects: Mapping[str, np.ndarray], repair: str, remedy: str) -> bool:
    """Whether defects, (n,) each by name, ask for a projection, of which a warning is given.

    Parameters
    ----------
    defects : dict of name -> ndarray (n,)
        The largest is named, of equal ones the first.
    repair : str
        What is done about small ones, in the past tense.
    remedy : str
        What to do about large ones.

    Raises
    ------
    ConstraintError
        If a defect is above 1e-3.

    Warns
    -----
    ProjectionWarning
        If a defect is above 1e-12.
    """
    defect, worst = max(defects.items(), key=lambda item: float(item[1].max()))
    body, size = int(np.argmax(worst)), float(worst.max())
    if size > REPAIRED:
        raise ConstraintError(f"body {body}: {defect} is {size:.3g}, and should be zero; {remedy}")
    if size > ROUNDING:
        words = f"body {body}: {defect} was {size:.3g}; {repair}"
        warnings.warn(words, ProjectionWarning, stacklevel=user_level())
    return size > ROUNDING
