"""Gains as they are given, checked, and the parameters of the loop that they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import nearest
from geoctrl._scalars import expression, plain, shown
from geoctrl.errors import MatchingError
from geoctrl.systems import EulerPoincare, Parameter

__all__ = ["gain_parameters", "matrix_of_sigma", "read_damping", "read_sigma"]

_SEMIDEFINITE = 1e-12
"""Negative eigenvalue, relative to the largest, that counts as rounding."""


def _entries(name: str, given: Any, count: int) -> np.ndarray:
    """The gain as an array of finite real numbers and symbols."""
    wanted = f"{name} must be a number, a symbol or a {count} x {count} matrix of them, got {shown(given)}"
    try:
        entries = np.array(given.tolist() if isinstance(given, sp.MatrixBase) else given, dtype=object)
    except ValueError:  # rows of different lengths
        raise MatchingError(wanted) from None
    if entries.ndim > 2:
        raise MatchingError(wanted)
    found = np.empty(entries.shape, dtype=object)
    for index in np.ndindex(entries.shape):
        entry = expression(entries[index], f"a gain in {name}", MatchingError)
        if entry.is_number and not (entry.is_finite and entry.is_real):
            raise MatchingError(f"{name} must be finite and real, got {entry}")
        found[index] = entry
    return found


def _symmetric(name: str, entries: np.ndarray, count: int) -> sp.ImmutableMatrix:
    if entries.shape != (count, count):
        raise MatchingError(f"{name} must be {count} x {count}, one row per rotor, got {entries.shape}")
    matrix = sp.ImmutableMatrix(entries.tolist())
    if any(sp.expand(e) != 0 for e in matrix - matrix.T):
        raise MatchingError(f"{name} must be symmetric")
    return matrix


def read_sigma(sigma: Any, mechanism: EulerPoincare) -> sp.ImmutableMatrix:
    """The gain as a symmetric, invertible s x s matrix; raises MatchingError."""
    count = mechanism.rotors.count if mechanism.rotors else 0
    matrix = _symmetric("sigma", np.atleast_2d(_entries("sigma", sigma, count)), count)
    if matrix.applyfunc(lambda e: sp.Rational(e) if e.is_number else e).det() == 0:
        raise MatchingError("sigma must not be zero or singular: the gain is its inverse")
    return matrix


def matrix_of_sigma(symbols: sp.ImmutableMatrix, sigma: Any, entries: Mapping[str, Any]) -> Any:
    """What is given for sigma: itself, or its entries by the names of their symbols."""
    names = list(dict.fromkeys(s.name for s in symbols))
    for name in entries:
        if name not in names:
            raise MatchingError(f"no gain {name!r}{nearest(name, names)}; the gains are {', '.join(names)}")
    if sigma is not None:
        if entries:
            raise MatchingError(f"sigma and {', '.join(entries)} are given: give the matrix or its entries")
        return sigma
    if missing := [name for name in names if name not in entries]:
        raise MatchingError(f"a law needs a value, or a symbol, for {', '.join(missing)}")
    return [[entries[s.name] for s in row] for row in symbols.tolist()]


def read_damping(name: str, given: Any, count: int) -> tuple[sp.ImmutableMatrix, sp.ImmutableMatrix]:
    """A gain as a positive semidefinite s x s matrix, and the names of its entries; raises MatchingError.

    A single number or symbol is a multiple of the identity and has one name; s of them are a diagonal.
    """
    entries = _entries(name, given, count)
    diagonal = entries.ndim < 2
    if diagonal:
        if entries.ndim == 1 and entries.size != count:
            raise MatchingError(f"{name} must have {count} entries, one per rotor, got {entries.size}")
        single = entries.ndim == 0 or count == 1
        entries = np.diag(np.broadcast_to(entries, (count,)))
    else:
        single = count == 1

    def label(a: int, b: int) -> sp.Symbol:
        index = "" if single else f"{a + 1}" if diagonal else f"{min(a, b) + 1}{max(a, b) + 1}"
        return sp.Symbol(f"{name}{index}", real=True)

    matrix = _symmetric(name, entries, count)
    _check_semidefinite(name, matrix)
    return matrix, sp.ImmutableMatrix(count, count, label)


def _check_semidefinite(name: str, matrix: sp.ImmutableMatrix) -> None:
    """What is known of it: all eigenvalues where the entries are numbers, else those on the diagonal."""
    if matrix.free_symbols:
        least = min((float(e) for e in matrix.diagonal() if e.is_number), default=0.0)
        largest = 1.0
    else:
        spectrum = np.linalg.eigvalsh(np.array(matrix.tolist(), dtype=float))
        least, largest = spectrum[0], max(abs(spectrum[0]), abs(spectrum[-1]))
    if least < -_SEMIDEFINITE * largest:
        what = "not be negative" if matrix.rows == 1 else "be positive semidefinite"
        raise MatchingError(
            f"{name} must {what}, its least eigenvalue is {least:.6g}; the sign of the torque follows from "
            'the controlled energy, energy="minimum" or "maximum" sets it'
        )


def gain_parameters(
    what: str,
    given: sp.ImmutableMatrix,
    names: sp.ImmutableMatrix,
    taken: Sequence[Parameter],
    unit: str,
    description: str,
) -> tuple[sp.ImmutableMatrix, tuple[Parameter, ...]]:
    """Symbols of a gain (a symbol given keeps its name) and the parameters that they stand for.

    Zeros stay zeros instead of becoming parameters: a diagonal gain makes a shorter law.
    """
    given_names = {e.name for e in given if e.is_Symbol}
    symbols: dict[tuple[int, int], Any] = {}
    parameters: dict[str, Parameter] = {}
    for a in range(given.rows):
        for b in range(a, given.cols):
            entry = given[a, b]
            if entry.is_zero:
                symbols[a, b] = symbols[b, a] = sp.Integer(0)
                continue
            if entry.free_symbols and not entry.is_Symbol:
                raise MatchingError(f"entries of {what} must be numbers or plain symbols, got {entry}")
            name = entry.name if entry.is_Symbol else names[a, b].name
            if not entry.is_Symbol and name in given_names:
                raise MatchingError(
                    f"{what} holds the symbol {name!r}, which is the name of another entry; rename the symbol"
                )
            if name in {p.name for p in taken}:
                raise MatchingError(f"the gain's name {name!r} is a parameter of the mechanism already")
            default = None if entry.is_Symbol else plain(entry, f"a gain in {what}", MatchingError)
            parameter = Parameter(name, default, unit, description)
            parameters.setdefault(name, parameter)
            symbols[a, b] = symbols[b, a] = parameter.symbol
    matrix = sp.ImmutableMatrix(given.rows, given.cols, lambda a, b: symbols[a, b])
    return matrix, tuple(parameters.values())
