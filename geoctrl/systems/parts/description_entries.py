"""What a description is given, read before any of it is used: kinds of things, sets of parameters.

Moments of inertia that no body can have: a slip of units, of a sign or of a digit.

The space that a mechanism moves in, in words.

Potentials that several mechanisms have, in vectors as they are seen from the bodies.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import named_parameters, parameter_value, require_printable, user_level
from geoctrl._scalars import expression, read_matrix, shown
from geoctrl._scalars.algebra.same_expressions import are_same
from geoctrl.algebra import (
    AdvectedParameter,
    AdvectedVector,
    Coordinate,
    Height,
    LieAlgebra,
    Quasicoordinate,
    SteadyFrame,
)
from geoctrl.errors import ConstraintError, DescriptionError, FrameError, InertiaWarning
from geoctrl.systems.parts.friction import Friction
from geoctrl.systems.parts.rotors import Rotors
from geoctrl.systems.parts.symmetry_axis import Axis
from geoctrl.systems.picture import Solid

__all__ = [
    "attitude_spring",
    "constraint_rows",
    "energy_fields",
    "frame_columns",
    "from_lagrangian",
    "gravity_gradient",
    "in_order",
    "read_directions",
    "read_set",
    "require_kinds",
    "require_mechanism",
    "require_symmetric",
    "shaped_matrix",
    "space_words",
    "warn_of_moments",
    "weight",
]


def weight(size: sp.Expr, up: sp.Matrix, centre: sp.Matrix) -> sp.Expr:
    r"""A body in a uniform field: :math:`m g\, \Gamma \cdot \rho`, the upward vertical seen from the body."""
    return size * centre.dot(up)


def gravity_gradient(rate: sp.Expr, inertia: sp.Matrix, radius: sp.Matrix) -> sp.Expr:
    r"""A body in orbit: :math:`\tfrac32 n^2\, a \cdot J a`, the direction a to the centre seen from it."""
    return sp.Rational(3, 2) * rate**2 * radius.dot(inertia * radius)


def attitude_spring(stiffness: sp.Expr, first: sp.Matrix, second: sp.Matrix) -> sp.Expr:
    r"""Two attitudes held together: :math:`k\, \mathrm{tr}(I - R_1^T R_2)`."""
    return stiffness * (3 - (first.T * second).trace())


def space_words(group: LieAlgebra | None, shape: Sequence[Coordinate]) -> str:
    """Its group and coordinates: ``se2 x R2 with phi, theta, delta``; coordinates alone without a group."""
    factors = () if group is None else group.factors
    named = " x ".join(f"R{f.size}" if f.group == "rn" else f.name or "?" for f in factors)
    coordinates = ", ".join(c.name for c in shape)
    return " with ".join(filter(None, [named, coordinates]))


_ROUNDING = 1e-9


def warn_of_moments(mechanism: Any) -> None:
    r"""Warn where the largest principal moment exceeds the sum of the others, at the default parameters.

    For :math:`I = \int (|x|^2 1 - x x^T)\,dm` it cannot, :math:`I_1 + I_2 - I_3 = 2\int x_3^2\,dm \ge 0`.
    Judged is a body that turns freely about a fixed point, and nothing else: with rotors, constraints, a
    gyroscopic term, other factors or an inertia that changes, the matrix may stand for more than one body
    (a gyrostat's carrier, the fluid around it, a mass moved along).
    """
    numbers = {p.symbol: p.default for p in mechanism.parameters if p.default is not None}
    if mechanism.tree is not None:
        mechanism.tree.judge_bodies(numbers)
        return
    single = mechanism.algebra.name == "so3" and mechanism.rotors is None and mechanism.constraints is None
    if not single or mechanism.gyroscopic is not None or mechanism.indefinite:
        return
    inertia = mechanism.inertia.subs(numbers)
    if inertia.free_symbols or not all(e.is_real and e.is_finite for e in inertia):  # refused elsewhere
        return
    least, middle, largest = np.linalg.eigvalsh(np.array(inertia.tolist(), dtype=float))
    if least >= 0 and largest > (least + middle) * (1 + _ROUNDING):
        warnings.warn(
            f"{mechanism.name or 'the mechanism'}: no body has the principal moments of inertia {least:.6g}, "
            f"{middle:.6g}, {largest:.6g}: the largest exceeds the sum of the others. "
            "Mend the inertia, or say indefinite=True where it is not that of a body",
            InertiaWarning,
            stacklevel=user_level(),
        )


_NAMED = 24
"""Velocities that a message names; many bodies have thousands."""
_SEQUENCES = (
    "advected",
    "inputs",
    "parameters",
    "shape",
    "friction",
    "quasicoordinates",
    "picture",
    "seen_from",
)
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
    for given in mechanism.seen_from:
        if not isinstance(given, SteadyFrame):
            raise TypeError(f"seen_from is what mech.configuration(frame_rate=...) makes, got {shown(given)}")
    for given in mechanism.friction:
        if not isinstance(given, Friction):
            raise TypeError(f"friction must hold gc.Friction objects, got {shown(given)}")
    for given in mechanism.picture:
        if not isinstance(given, Solid):
            raise TypeError(f"picture must hold gc.Solid objects, got {shown(given)}")
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


def require_mechanism(given: Any, what: str, remedy: str) -> None:
    """Refuse to ask a vector field for what it has not, with the remedy; DescriptionError."""
    if given.rates:
        raise DescriptionError(f"{given.name or 'this system'}: a vector field has no {what}; {remedy}")


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


def energy_fields(mechanism: Any) -> dict[str, Any]:
    """Inertia and potential as they are read, and what a Lagrangian makes of them and of the gyroscopic term.

    Those of a tree are made when they are asked for; what was given beside it is read.
    """
    n, labels = mechanism.algebra.n, mechanism.algebra.labels
    if mechanism.tree is not None:
        mechanism.beside_tree["potential"] = expression(mechanism.potential, "potential")
        for name in ("inertia", "potential"):
            del mechanism.__dict__[name]
        return {}
    inertia, potential, found = mechanism.inertia, mechanism.potential, {}
    if mechanism.lagrangian is not None:
        if inertia is not None or mechanism.gyroscopic is not None or potential != 0:
            raise DescriptionError("give either lagrangian, or inertia with potential and gyroscopic")
        inertia, gyroscopic, potential = from_lagrangian(
            expression(mechanism.lagrangian, "lagrangian"), mechanism.algebra.xi
        )
        found = {"gyroscopic": gyroscopic, "lagrangian": None}
    if inertia is None:
        raise DescriptionError("an inertia (n x n), a lagrangian or a tree of links is needed")
    found["inertia"] = shaped_matrix("inertia", inertia, (n, n), labels)
    require_symmetric(found["inertia"])
    found["potential"] = expression(potential, "potential")
    return found


def require_symmetric(inertia: sp.ImmutableMatrix, what: str = "inertia") -> None:
    """Refuse an inertia, or what else is named, that is not symmetric, with the entries; DescriptionError.

    What differs at random residues is multiplied out, and named if it does not vanish. No certificate rests
    on it: one half enters the file.
    """
    cells = [(i, j) for i in range(inertia.rows) for j in range(i) if inertia[i, j] != inertia[j, i]]
    same = are_same([inertia[i, j] for i, j in cells], [inertia[j, i] for i, j in cells])
    for (i, j), equal in zip(cells, same, strict=True):
        if not equal and sp.expand(inertia[i, j] - inertia[j, i]) != 0:
            raise DescriptionError(
                f"{what} must be symmetric, but entry ({i + 1}, {j + 1}) is {inertia[i, j]} "
                f"and ({j + 1}, {i + 1}) is {inertia[j, i]}"
            )


def constraint_rows(
    constraints: Any, labels: tuple[str, ...], together: bool
) -> tuple[sp.ImmutableMatrix | None, tuple[str, ...]]:
    """The rows of constraints, None where there are none, and their names.

    Rows that are not all in force ``together`` may be more than there are velocities.
    """
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
    if together and len(rows) >= n:
        raise ConstraintError(f"{len(rows)} constraints leave no motion among {n} velocities")
    names = tuple(f"constraint{a + 1}" for a in range(len(rows))) if names is None else names
    return read_matrix("constraints", rows, ConstraintError), names


def frame_columns(mechanism: Any) -> sp.ImmutableMatrix | None:
    """The frame as it is read, None where none is given; FrameError if it does not fit the constraints."""
    if mechanism.frame is None:
        return None
    frame = read_matrix("frame", mechanism.frame, FrameError)
    n, r = mechanism.algebra.n, 0 if mechanism.constraints is None else mechanism.constraints.rows
    if frame.rows != n or frame.cols not in (n - r, n):
        raise FrameError(
            f"frame must be {n} x {n - r} (a basis of the kernel of {r} constraints) or {n} x {n} (completed "
            f"by a complement), got {frame.rows} x {frame.cols}{in_order(mechanism.algebra.labels)}"
        )
    return frame


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
