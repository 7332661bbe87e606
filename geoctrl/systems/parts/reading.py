"""What a description is given, read before any of it is used: kinds of things, sets of parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp

from geoctrl._checks import named_parameters, parameter_value, require_printable
from geoctrl._scalars import read_matrix, shown
from geoctrl.algebra import (
    AdvectedParameter,
    AdvectedVector,
    Coordinate,
    Height,
    LieAlgebra,
    Quasicoordinate,
)
from geoctrl.errors import ConstraintError, DescriptionError
from geoctrl.systems.parts.axis import Axis
from geoctrl.systems.parts.friction import Friction
from geoctrl.systems.parts.rotors import Rotors

__all__ = [
    "constraint_rows",
    "from_lagrangian",
    "in_order",
    "read_directions",
    "read_set",
    "require_kinds",
    "require_symmetric",
    "shaped_matrix",
]

_NAMED = 24
"""Velocities that a message names; many bodies have thousands."""
_SEQUENCES = ("advected", "inputs", "parameters", "shape", "friction", "quasicoordinates")
_MAPPINGS = ("reactions", "feedback", "controller", "invariants", "parameter_sets", "equilibria", "outputs")


def require_kinds(mechanism: Any) -> None:
    """Refuse arguments of a description that are of another kind than they must be, with the remedy."""
    algebra = mechanism.algebra
    if algebra is not None and not isinstance(algebra, LieAlgebra):
        remedy = f"; call it: {algebra.__name__}()" if hasattr(algebra, "__name__") else ""
        raise TypeError(f"algebra must be a LieAlgebra, as gc.so3() gives it, got {shown(algebra)}{remedy}")
    for name in _SEQUENCES:
        given = getattr(mechanism, name)
        if isinstance(given, (str, Mapping, sp.Basic)) or not isinstance(given, Iterable):
            raise TypeError(f"{name} must be a list, got {shown(given)}")
    leaf = mechanism.leaf
    if isinstance(leaf, (str, sp.Basic)) or not isinstance(leaf, Iterable):
        raise TypeError(f"leaf must be a list, or a dict by name, got {shown(leaf)}")
    for name in _MAPPINGS:
        if not isinstance(getattr(mechanism, name), Mapping):
            raise TypeError(f"{name} must be a dict by name, got {shown(getattr(mechanism, name))}")
    for given in mechanism.advected:
        if not isinstance(given, (AdvectedVector, AdvectedParameter, Height)):
            raise TypeError(
                "advected must hold gc.AdvectedVector, gc.AdvectedParameter or gc.Height objects, got "
                f"{shown(given)}"
            )
    for given in mechanism.shape:
        if not isinstance(given, Coordinate):
            raise TypeError(f"shape must hold gc.Coordinate objects, got {shown(given)}")
    for given in mechanism.quasicoordinates:
        if not isinstance(given, Quasicoordinate):
            raise TypeError(f"quasicoordinates must hold gc.Quasicoordinate objects, got {shown(given)}")
    for given in mechanism.friction:
        if not isinstance(given, Friction):
            raise TypeError(f"friction must hold gc.Friction objects, got {shown(given)}")
    if mechanism.rotors is not None and not isinstance(mechanism.rotors, Rotors):
        raise TypeError(f"rotors must be a gc.Rotors object, got {shown(mechanism.rotors)}")
    if mechanism.symmetry is not None and not isinstance(mechanism.symmetry, Axis):
        raise TypeError(f"symmetry must be a gc.Axis, as gc.Axis((0, 0, 1)), got {shown(mechanism.symmetry)}")
    if not isinstance(mechanism.name, str):
        raise TypeError(f"name must be text, got {shown(mechanism.name)}")
    require_printable("the name of a system", [mechanism.name])
    require_printable("the source of a system", [mechanism.source], prose=True)
    require_printable("inputs: the name", map(str, mechanism.inputs))
    for what in (*_MAPPINGS, "leaf", "constraints", "domain"):
        if isinstance(given := getattr(mechanism, what), Mapping):
            require_printable(f"{what}: the name", given)


def read_set(name: str, values: Any) -> dict[str, Any]:
    """A set of parameters by name, as numbers of Python; None where one has no value."""
    what = f"in the parameter set {name!r}"
    return {
        k: None if v is None else parameter_value(f"{k!r} {what}", v)
        for k, v in named_parameters(values).items()
    }


def in_order(velocities: Sequence[str]) -> str:
    """The end of a message: of which velocities there must be an entry each, in which order."""
    more = ", ..." if len(velocities) > _NAMED else ""
    return f"; an entry for each velocity, in the order {', '.join(velocities[:_NAMED])}{more}"


def shaped_matrix(
    name: str, value: Any, shape: tuple[int, int], velocities: Sequence[str] = ()
) -> sp.ImmutableMatrix:
    """A matrix of that shape; DescriptionError for another, with the velocities that it has entries for."""
    matrix = read_matrix(name, value)
    if matrix.shape != shape:
        wanted = f"{shape[0]} x {shape[1]}" if shape[1] > 1 else f"{shape[0]} entries"
        got = f"{matrix.rows} x {matrix.cols}" if shape[1] > 1 else f"{len(matrix)} entries"
        raise DescriptionError(
            f"{name} must have {wanted}, got {got}{in_order(velocities) if velocities else ''}"
        )
    return matrix


def require_symmetric(inertia: sp.ImmutableMatrix) -> None:
    """Refuse an inertia that is not symmetric, with the entries; DescriptionError."""
    for i in range(inertia.rows):
        for j in range(i):
            if inertia[i, j] != inertia[j, i] and sp.expand(inertia[i, j] - inertia[j, i]) != 0:
                raise DescriptionError(
                    f"inertia must be symmetric, but entry ({i + 1}, {j + 1}) is {inertia[i, j]} "
                    f"and ({j + 1}, {i + 1}) is {inertia[j, i]}"
                )


def constraint_rows(
    constraints: Any, labels: tuple[str, ...]
) -> tuple[sp.ImmutableMatrix | None, tuple[str, ...]]:
    """The rows of constraints, None where there are none, and their names."""
    if constraints is None:
        return None, ()
    n, names = len(labels), None
    if isinstance(constraints, Mapping):
        names = tuple(constraints)
        if not all(isinstance(name, str) and name.strip() for name in names):
            raise ConstraintError(f"names of constraint rows must be text, got {shown(names)}")
        constraints = list(constraints.values())
    rows = constraints.tolist() if hasattr(constraints, "tolist") else constraints
    if not isinstance(rows, (list, tuple)) or not all(
        hasattr(row, "__iter__") and not isinstance(row, (str, Mapping)) for row in rows
    ):
        raise ConstraintError(
            f"constraints must be a list of rows of length {n}, or a dict of them by name, got "
            f"{shown(constraints)}"
        )
    rows = [list(row) for row in rows]
    if not rows:
        return None, ()
    for a, row in enumerate(rows):
        if len(row) != n:
            called = f"constraint row {a + 1}" if names is None else f"constraint row {names[a]!r}"
            raise ConstraintError(f"{called} must have length {n}, got {len(row)}{in_order(labels)}")
    if len(rows) >= n:
        raise ConstraintError(f"{len(rows)} constraints leave no motion among {n} velocities")
    names = tuple(f"constraint{a + 1}" for a in range(len(rows))) if names is None else names
    return read_matrix("constraints", rows, ConstraintError), names


def read_directions(
    given: Mapping[str, Any], rows: tuple[str, ...], labels: tuple[str, ...]
) -> dict[str, tuple[sp.Expr, ...]]:
    """Velocities along which the forces of constraints are reported, by name."""
    if given and not rows:
        raise DescriptionError("reactions are forces of constraints: give constraints= as well")
    found = {}
    for name, eta in given.items():
        if not isinstance(name, str) or not name.strip() or name in rows:
            taken = ", which a constraint row has" if name in rows else ""
            raise DescriptionError(
                f"the name of a reaction must be text of its own, got {shown(name)}{taken}"
            )
        found[name] = tuple(shaped_matrix(f"reactions[{name!r}]", eta, (len(labels), 1)))
    return found


def from_lagrangian(lagrangian: sp.Expr, xi: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix, sp.Expr]:
    """Inertia, gyroscopic covector and potential of a Lagrangian; DescriptionError unless quadratic in xi."""
    zero = dict.fromkeys(xi, 0)
    gradient = sp.Matrix([sp.diff(lagrangian, x) for x in xi])
    inertia = gradient.jacobian(xi).applyfunc(sp.expand)
    if inertia.free_symbols & set(xi):
        raise DescriptionError("lagrangian must be quadratic in the velocities xi")
    return inertia, gradient.subs(zero), -lagrangian.subs(zero)
