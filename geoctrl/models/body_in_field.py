"""Rigid body about its centre of mass in a gravitational field that depends on the place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from geoctrl._checks import entries
from geoctrl._scalars import expression, read_matrix, shown
from geoctrl.algebra import AdvectedVector, so3
from geoctrl.errors import ParameterError
from geoctrl.models.catalogue_parts import LLM18, per_axis
from geoctrl.models.catalogue_solids import pointer
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Solid

__all__ = ["body_in_field"]

_BODY = tuple(
    parameter
    for i, mass, distance in ((1, 0.7, 0.8), (2, 0.9, 0.5), (3, 1.1, 1.2))
    for parameter in (
        Parameter(f"m{i}", mass, "kg", f"mass of the pair of points on axis {i}", positive=True),
        Parameter(f"s{i}", distance, "m", f"their distance from the centre of mass, axis {i}", positive=True),
    )
)
_LINEAR = per_axis("T", (0.9, 1.6, -2.1), "1/s^2", "the linear field is -T{0} x{0} e{0} and so on")


def body_in_field(
    potential: Callable[[sp.Matrix], sp.Expr] | None = None,
    field: Callable[[sp.Matrix], Sequence[sp.Expr]] | None = None,
    points: Sequence[tuple[float, Sequence[float]]] | None = None,
    parameters: Sequence[Parameter] = (),
) -> EulerPoincare:
    r"""Body of material points in the field G(x), in space axes with the origin at the centre of mass.

    .. math:: J \dot\Omega = J \Omega \times \Omega + \sum_k m_k\, \rho_k \times R^T G(R \rho_k)

    The rows of R are the advected vectors a, b, c. By default the body is three pairs of points on its
    principal axes, with second moments ``P_i = m_i s_i^2`` and ``J = tr(P) I - P``, and the field is linear,
    ``G = -(T1 x1, T2 x2, T3 x3)``: Brun's problem as generalised by Bogoyavlensky, with the further integral

    .. math:: |J \Omega|^2 + \sum_i T_i\, r_i \cdot \mathrm{adj}(J)\, r_i, \qquad r_i = R^T e_i

    Family "aligned", of the default body in the default field: the principal axes along e1, e2, e3. It is
    stable where P and T are in opposite order, ``(T1 - T2)(P1 - P2) < 0`` and so on.

    Parameters
    ----------
    potential : callable x -> expression, optional
        Per unit mass, G = -grad; x is a column of three expressions. The moment is derived from it.
    field : callable x -> three expressions, optional
        G itself, which need not have a potential: the moment acts as a force.
    points : sequence of (mass, (x, y, z)), optional
        The body, as the quadrature points of integrals over it.
    parameters : sequence of Parameter, optional
        What `potential` or `field` hold.
    """
    if potential is not None and field is not None:
        raise ParameterError("give potential or field, not both")
    for name, given in (("potential", potential), ("field", field)):
        if given is not None and not callable(given):
            raise ParameterError(f"{name} must be a function, got {shown(given)}")
    added = entries("parameters", parameters, ParameterError)
    algebra = so3()
    axes = sp.eye(3)
    rows = [AdvectedVector(name, reference=list(axes.row(i))) for i, name in enumerate("abc")]
    R = sp.Matrix([list(row.symbols) for row in rows])
    T = [p.symbol for p in _LINEAR]
    symbols = [p.symbol for p in _BODY]
    if points is None:
        body = [
            (mass / 2, sign * distance * axes.col(i))
            for i, (mass, distance) in enumerate(zip(symbols[::2], symbols[1::2], strict=True))
            for sign in (1, -1)
        ]
    else:
        body = [_material_point(point) for point in entries("points", points, ParameterError)]
    inertia = sum((m * (rho.dot(rho) * axes - rho * rho.T) for m, rho in body), sp.zeros(3, 3))
    linear = potential is None and field is None
    if linear:
        potential = lambda x: sum(t * c**2 for t, c in zip(T, x, strict=True)) / 2  # noqa: E731
    moment = None
    if field is not None:
        pulls = ((m, rho, read_matrix("field", field(R * rho))) for m, rho in body)
        moment = list(sum((m * rho.cross(R.T * G) for m, rho, G in pulls), sp.zeros(3, 1)))
    energy = sp.Integer(0)
    if potential is not None:
        energy = sum(m * expression(potential(R * rho), "potential") for m, rho in body)
    brun = sp.Matrix(algebra.mu).dot(algebra.mu)
    brun += sum(t * row.symbols.dot(inertia.adjugate() * row.symbols) for t, row in zip(T, rows, strict=True))
    return EulerPoincare(
        algebra=algebra,
        advected=rows,
        inertia=inertia,
        potential=energy,
        forces=moment,
        invariants={"Brun": brun} if linear else {},
        equilibria={"aligned": Family({"a1": 1, "b2": 1, "c3": 1})} if linear and points is None else {},
        parameters=(*(_BODY if points is None else ()), *(_LINEAR if linear else ()), *added),
        source=f"{LLM18}, problem 6.11; O. I. Bogoyavlensky, Commun. Math. Phys. 95 (1984)",
        picture=[Solid("body", [shape for _, rho in body for shape in pointer(rho)])],
        name="body-in-field",
    )


def _material_point(point: Any) -> tuple[sp.Expr, sp.Matrix]:
    """Mass and place."""
    pair = entries("a point", point, ParameterError)
    if len(pair) != 2:
        raise ParameterError(f"a point must be (mass, (x, y, z)), got {shown(point)}")
    place = read_matrix("the place of a point", pair[1])
    if place.shape != (3, 1):
        raise ParameterError(f"the place of a point must be three numbers, got {shown(pair[1])}")
    return expression(pair[0], "the mass of a point"), place
