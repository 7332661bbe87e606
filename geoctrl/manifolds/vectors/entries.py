"""What systems on manifolds are given, read and checked: names, vectors, inertias, gradients, starts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import accepts, as_python, finite_array, nearest, user_level, whole_number
from geoctrl._scalars import expression, without_floats
from geoctrl.errors import (
    ConstraintError,
    DescriptionError,
    GeoctrlError,
    GradientError,
    InputError,
    ProjectionWarning,
)
from geoctrl.systems import plain_inputs

__all__ = [
    "check_gradient",
    "examine_function",
    "examine_potential",
    "finite",
    "forces_on_factors",
    "needs_repair",
    "number_of_bodies",
    "positive_definite",
    "read_forces",
    "read_gradient",
    "read_scalar",
    "read_vectors",
    "require_arguments",
    "signals",
    "vector",
]

_MOST_BODIES = 100_000
ROUNDING, REPAIRED = 1e-12, 1e-3
"""Defects up to the first are rounding; up to the second they are repaired with a warning."""


def vector(name: str) -> sp.Matrix:
    """Real 3-vector of symbols name_1, name_2, name_3."""
    return sp.Matrix([sp.Symbol(f"{name}_{k}", real=True) for k in (1, 2, 3)])


def number_of_bodies(n: Any) -> range:
    """1, 2, ..., n; InputError if n is no integer from 1 to a hundred thousand."""
    return range(1, whole_number("n", n, 1, _MOST_BODIES) + 1)


def finite(what: str, expr: Any) -> sp.Expr:
    """A scalar expression or number, with nothing infinite or undefined in it."""
    if not isinstance(expr, sp.Expr) or expr.is_Matrix:
        raise DescriptionError(f"{what} must hold expressions or numbers, got {expr!r}")
    if expr.has(sp.nan, sp.oo, -sp.oo, sp.zoo):
        raise DescriptionError(f"{what} must be finite, got {expr}")
    return expr


def _expression(what: str, value: Any) -> Any:
    """An expression, or a number by the gate; what `finite` has words for is left to it."""
    if isinstance(value, sp.Basic | sp.MatrixBase):
        return without_floats(value, what, InputError)
    if isinstance(value, float) and not np.isfinite(value):
        return sp.Float(value)
    return expression(value, what, InputError)


def read_scalar(what: str, value: Any, kinds: str = "an expression") -> sp.Expr:
    """An expression or number; a matrix (1, 1), as a product of vectors gives it, stands for its entry."""

    def problem() -> str:  # to print long expressions takes longer than to read them
        return f"{what} must be {kinds}, got {value!r}"

    try:
        found = _expression(what, value)
    except InputError as error:
        raise DescriptionError(f"{problem()}: {error}") from None
    if isinstance(found, sp.MatrixBase) and found.shape == (1, 1):
        found = found[0]
    if not isinstance(found, sp.Expr) or found.is_Matrix:
        raise DescriptionError(problem())
    return finite(what, found)


def read_vectors(name: str, vectors: Any, n: int) -> tuple[sp.Matrix, ...]:
    """n vectors of three expressions or numbers; one alone will do for n = 1."""
    given = vectors

    def problem() -> str:
        return f"{name} must be {n} vectors of 3 expressions, got {given!r}"

    if n == 1 and (isinstance(vectors, sp.MatrixBase) or np.shape(np.array(vectors, dtype=object)) == (3,)):
        vectors = [vectors]
    try:
        rows = [[_expression(name, e) for e in np.ravel(np.array(v, dtype=object))] for v in vectors]
    except (TypeError, ValueError) as error:
        raise DescriptionError(f"{problem()}: {error}") from None
    if len(rows) != n or any(len(v) != 3 for v in rows):
        raise DescriptionError(problem())
    return tuple(sp.Matrix([finite(name, e) for e in v]) for v in rows)


def read_forces(forces: Any, inputs: Sequence[Any], n: int) -> Any:
    """Generalised forces: None, the callable, or n vectors of expressions."""
    if forces is None:
        if inputs:
            raise DescriptionError("inputs act through forces; give forces, or leave inputs out")
        return None
    if not callable(forces):
        plain = plain_inputs(inputs)
        return tuple(f.xreplace(plain) for f in read_vectors("forces", forces, n))
    require_arguments("forces", forces, "t, configurations, velocities, u, p")
    return forces


def forces_on_factors(forces: Mapping[str, Any], names: Sequence[str]) -> list[sp.Matrix]:
    """Forces by the names of factors in the order of these, zero where there are none."""
    for name in forces:
        if name not in names:
            raise DescriptionError(f"forces act on {name!r}, no factor{nearest(str(name), names)}")
    return [read_vectors(f"forces[{name!r}]", forces.get(name, [0, 0, 0]), 1)[0] for name in names]


def positive_definite(name: str, M: np.ndarray) -> np.ndarray:
    """M (n, n), symmetric to the last digit, or InputError unless it is symmetric positive definite."""
    if np.max(np.abs(M - M.T)) > 1e-12 * np.max(np.abs(M)):
        raise InputError(f"{name} must be symmetric, got {M.tolist()}")
    least = float(np.min(np.linalg.eigvalsh(M)))
    if not least > 0:
        raise InputError(f"{name} must be positive definite, its least eigenvalue is {least:.3g}")
    return np.ascontiguousarray((M + M.T) / 2)


def read_gradient(potential: Any, gradient: Any, shape: str) -> bool:
    """Whether the potential is a function, which comes with its gradient."""
    if callable(potential):
        if not callable(gradient):
            raise DescriptionError(f"a callable potential needs gradient= of the same arguments -> {shape}")
        require_arguments("potential", potential, "configurations, p")
        require_arguments("gradient", gradient, "configurations, p")
        return True
    if isinstance(potential, (list, tuple)) and any(map(callable, potential)):
        raise DescriptionError(
            "a list of potentials holds expressions, Sites and Pairs; a function must be alone: "
            "add the other terms in it, and their derivatives in gradient="
        )
    if gradient is not None:
        raise DescriptionError("gradient goes with a callable potential; it is derived for any other")
    return False


def check_gradient(potential: Callable, gradient: Callable, place: np.ndarray, direction: np.ndarray) -> bool:
    """Compare a given gradient with central differences of the potential along a direction.

    Returns
    -------
    bool
        Whether this says anything: not where both vanish, or the potential is too large or not finite.
    """
    h = 1e-5
    ahead, behind = potential(place + h * direction), potential(place - h * direction)
    expected = (ahead - behind) / (2 * h)
    wider = (potential(place + 2 * h * direction) - potential(place - 2 * h * direction)) / (4 * h)
    if not np.isfinite(expected + wider):
        return False
    error = abs(expected - wider) + np.finfo(float).eps * (abs(ahead) + abs(behind)) / h
    slope = np.asarray(gradient(place), dtype=float)
    found = float(np.sum(slope * direction))
    scale = max(abs(expected), float(np.linalg.norm(slope)) * 1e-3)
    if not abs(found - expected) <= 1e-4 * scale + error:
        raise GradientError(
            f"gradient gives {found:.8g} along a direction in which the potential changes by {expected:.8g}; "
            f"it must be the ambient gradient, by all entries of the argument, {place.shape}"
        )
    return bool(scale > error)


def needs_repair(defects: Mapping[str, np.ndarray], repair: str, remedy: str, who: str = "") -> bool:
    """Whether defects, (n,) each by name, ask for a projection, of which a warning is given.

    Parameters
    ----------
    defects : dict of name -> ndarray (n,)
        The largest is named, of equal ones the first.
    repair : str
        What is done about small ones, in the past tense.
    remedy : str
        What to do about large ones.
    who : str
        The body, where it is one; else bodies are counted.

    Warns
    -----
    ProjectionWarning
        If a defect is above 1e-12.
    """
    defect, worst = max(defects.items(), key=lambda item: float(item[1].max()))
    body, size = int(np.argmax(worst)), float(worst.max())
    who = who or f"body {body}"
    if size > REPAIRED:
        raise ConstraintError(f"{who}: {defect} is {size:.3g}, and should be zero; {remedy}")
    if size > ROUNDING:
        words = f"{who}: {defect} was {size:.3g}; {repair}"
        warnings.warn(words, ProjectionWarning, stacklevel=user_level())
    return size > ROUNDING


def require_arguments(what: str, function: Callable, arguments: str) -> None:
    """DescriptionError unless a function takes ``arguments``, which are named in one text."""
    if not accepts(function, len(arguments.split(","))):
        raise DescriptionError(f"{what} as a function must take ({arguments}), got {function!r}")


def examine_potential(potential: Callable, gradient: Callable, first: np.ndarray, values: np.ndarray) -> None:
    """Call potential and gradient; DescriptionError if one returns something of a wrong shape."""
    examine_function("potential", potential, (first, values), ())
    examine_function("gradient", gradient, (first, values), first.shape)


def examine_function(what: str, function: Any, arguments: tuple, shape: tuple[int, ...]) -> None:
    """Check what a function returns; what it raises where nobody asked for it is left to the runs."""
    try:
        value = as_python(function)(*(a.copy() if isinstance(a, np.ndarray) else a for a in arguments))
    except GeoctrlError:
        raise
    except Exception:
        return
    wanted = f"numbers of shape {shape}" if shape else "a number"
    problem = f"{what} must return {wanted}, got "
    try:
        array = np.asarray(value)
    except ValueError:
        raise DescriptionError(f"{problem}rows of unequal length, {value!r}") from None
    if array.dtype.kind not in "biuf" and not all(isinstance(e, Real) for e in array.ravel().tolist()):
        raise DescriptionError(f"{problem}{value!r}")
    # Inputs may come as a row or a column, and one alone as a number.
    found = np.atleast_1d(np.squeeze(array)).shape if len(shape) == 1 else array.shape
    if found != shape:
        raise DescriptionError(f"{problem}shape {array.shape}")


def signals(labels: tuple[str, ...], t: Any, u: Any, count: int) -> list[tuple[float, np.ndarray]]:
    """Time and inputs (m,) of each of ``count`` columns; ``t`` is a number or (count,), ``u`` (m,) or
    (m, count).
    """
    m = len(labels)
    inputs = np.zeros(m) if u is None else np.atleast_1d(finite_array("u", u))
    if inputs.shape not in ((m,), (m, 1), (m, count)):
        raise InputError(
            f"u must have {m} entries ({', '.join(labels) or 'no input'}), alone or for each of {count} "
            f"columns of x, got shape {inputs.shape}"
        )
    times = finite_array("t", t)
    if times.shape not in ((), (1,), (count,)):
        raise InputError(
            f"t must be a number or one for each of {count} columns of x, got shape {times.shape}"
        )
    columns = np.broadcast_to(inputs.reshape(m, -1), (m, count)) if m else np.zeros((0, count))
    return list(zip(np.broadcast_to(times, (count,)).tolist(), columns.T, strict=True))
