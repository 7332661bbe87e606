"""The connection of a mechanism, from its inertia, its constraints and a basis of what they admit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from geoctrl._scalars import read_matrix, shown
from geoctrl._scalars.algebra.circles import on_circles
from geoctrl.errors import ConstraintError, DescriptionError, InputError
from geoctrl.systems.connections.connection import Connection
from geoctrl.systems.connections.short_forms import inverse_by_cofactors, shortest_form
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.parts.description_entries import require_mechanism

__all__ = ["connection_of"]


def connection_of(mechanism: Mechanism, basis: Any = None, names: Sequence[str] | None = None) -> Connection:
    """The connection of a mechanism; see `ReducedSystem.connection`."""
    require_mechanism(mechanism, "group", "a connection takes gc.EulerPoincare(algebra=..., shape=...)")
    group, k = mechanism.group, len(mechanism.shape)
    if group is None or not k:
        raise DescriptionError("a connection needs a group and coordinates: algebra= and shape=[...]")
    if mechanism.advected:
        raise DescriptionError(
            f"{', '.join(a.name for a in mechanism.advected)} break the symmetry: a connection needs a "
            "mechanism in which nothing depends on the group"
        )
    if mechanism.rotors is not None:
        raise DescriptionError("rotors have no place in a connection; give them as coordinates of the shape")
    n = group.n
    rows = sp.zeros(0, n + k) if mechanism.constraints is None else sp.Matrix(mechanism.constraints)
    psi, along = rows[:, :n], rows[:, n:]
    if psi.rank() < psi.rows:
        raise ConstraintError(
            "some combination of the constraints holds the shape alone; coordinates must be free to move"
        )
    e = _kernel(psi, n) if basis is None else _user_basis(basis, psi, n)
    p = tuple(sp.Symbol(name, real=True) for name in _names(names, e.cols, mechanism))
    G = sp.Matrix(mechanism.inertia)
    held = sp.Matrix.vstack(psi, e.T * G[:n, :n])
    inverse = inverse_by_cofactors(held).applyfunc(shortest_form)
    A = inverse * sp.Matrix.vstack(along, e.T * G[:n, n:])
    B = inverse[:, psi.rows :]
    gyroscopic = sp.zeros(n, 1) if mechanism.gyroscopic is None else sp.Matrix(mechanism.gyroscopic[:n, :])
    c = -B * e.T * gyroscopic if e.cols else sp.zeros(n, 1)
    simple = (sp.ImmutableMatrix(part.applyfunc(shortest_form)) for part in (A, B, c))
    return Connection(mechanism, sp.ImmutableMatrix(e), p, *simple)


def _kernel(psi: sp.Matrix, n: int) -> sp.Matrix:
    """Columns that span the group velocities admitted, without denominators."""
    if not psi.rows:
        return sp.eye(n)
    columns = []
    for vector in psi.nullspace(simplify=shortest_form):
        entries = [sp.together(shortest_form(e)) for e in vector]
        common = sp.lcm([sp.denom(e) for e in entries]) if entries else 1
        columns.append([shortest_form(e * common) for e in entries])
    return sp.Matrix(columns).T if columns else sp.zeros(n, 0)


def _user_basis(basis: Any, psi: sp.Matrix, n: int) -> sp.Matrix:
    """A basis of the user, one velocity a row, as columns."""
    e = sp.Matrix(read_matrix("basis", basis)).T
    if e.shape != (n, n - psi.rows):
        raise InputError(
            f"basis must be {n - psi.rows} velocities of {n} entries each, got {e.cols} of {e.rows}"
        )
    if any(on_circles(entry) != 0 for entry in psi * e):
        raise ConstraintError("the velocities of the basis violate the constraints")
    return e


def _names(names: Sequence[str] | None, count: int, mechanism: Mechanism) -> list[str]:
    taken = {*mechanism.algebra.labels, *mechanism.algebra.momentum_labels, *mechanism.defaults}
    default = ["p"] if count == 1 else [f"p{a + 1}" for a in range(count)]
    if names is None:
        return [name if name not in taken else f"{name}_group" for name in default]
    found = list(names)
    if (
        len(found) != count
        or len(set(found)) != count
        or not all(isinstance(name, str) and name.isidentifier() and name not in taken for name in found)
    ):
        raise InputError(f"momenta must be {count} distinct names that nothing else has, got {shown(names)}")
    return found
