"""Satellites that a tether joins, in the frame of their orbit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, whole_number
from geoctrl.errors import InputError
from geoctrl.manifolds.factors import Attitude, Direction, Place
from geoctrl.manifolds.mechanisms.parts import (
    MOST_LINKS,
    directions,
    exactly,
    kinetic_energy,
    link_ends,
    positive_numbers,
    turning_energy,
    two_inertias,
    values_of,
)
from geoctrl.manifolds.mechanisms.solids_of_links import ACCENT, link_solids
from geoctrl.manifolds.products import ProductSystem
from geoctrl.systems import Family
from geoctrl.systems.parts.description_entries import gravity_gradient
from geoctrl.systems.picture import Block, Ellipsoid, Shape, Solid

__all__ = ["tethered_satellites"]


def tethered_satellites(
    links: int = 1,
    masses: Sequence[float] = (500.0, 50.0),
    bead_masses: Any = 0.5,
    link_lengths: Any = 100.0,
    inertias: Any = None,
    arms: Any = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    rate: float = 0.0011,
) -> ProductSystem:
    r"""Two satellites joined by a tether of rigid links, in the frame of a circular orbit.

    .. math::

        V = \frac{n^2}2 \sum_k m_k \bigl( |r_k|^2 - 3 (e_3 \cdot r_k)^2 \bigr)
            + \frac{3 n^2}2 \sum_b e_3 \cdot R_b J_b R_b^T e_3

    Axis 1 is along the track, 2 normal to the orbit, 3 along the radius, and the axes turn with
    :math:`W = n e_2` about the Earth. Newton's attraction of a mass at :math:`r_0 e_3 + r` is expanded to
    first order in :math:`|r|/r_0`; what is constant there holds the origin on its orbit, and the rest has the
    potential above (the gravity gradient). Rates in K are inertial, :math:`\dot r + W \times r`.

    The ends are points, on :math:`R^3 \times (S^2)^n`; or rigid bodies, where inertias are given, on
    :math:`R^3 \times SO(3) \times (S^2)^n \times SO(3)`. The place x is the centre of the first end, and the
    links lead from there to the second, with beads between them. The tether stays taut only while its tension
    is positive: links are rods here. Families, at rest in the turning axes with the centre of mass at the
    origin: "radial", of points, or of bodies with diagonal inertias and arms along the third axis;
    "along-track", of points.

    Parameters
    ----------
    links : int
    masses : (2,)
        Of the ends (kg).
    bead_masses : float or (links - 1,)
        Between links (kg).
    link_lengths : float or (links,)
        m.
    inertias : two arrays (3, 3) or (3,), optional
        Of the ends, about their centres of mass (kg m^2); points if left out.
    arms : (2, 3)
        From the centres of mass to where the tether is fixed, in the bodies (m).
    rate : float
        n (rad/s).

    Raises
    ------
    InputError
        If masses, lengths or the rate are not positive, or an inertia is not symmetric positive definite; for
        arms of points.

    Examples
    --------
    >>> import geoctrl as gc
    >>> pair = tethered_satellites(rate=1.0)
    >>> round(float(gc.linearize(pair, pair.equilibrium("radial")).eigenvalues.imag.max()), 6)
    2.0
    """
    count = whole_number("links", links, 1, MOST_LINKS)
    ends = positive_numbers("masses", masses, 2)
    length = positive_numbers("link_lengths", link_lengths, count)
    beads = positive_numbers("bead_masses", bead_masses, count - 1)
    n = exactly(positive_numbers("rate", rate, 1))[0]
    d = finite_array("arms", arms, (2, 3))
    if inertias is None and d.any():
        raise InputError("arms need inertias: the ends are points")
    x, q = Place("x"), directions(count)
    J = [] if inertias is None else two_inertias(inertias)
    R = [Attitude(f"R{b + 1}") for b in range(len(J))]

    def masses_at(part: str) -> list[sp.Matrix]:
        """Positions of all masses, or their rates: the same combinations of ``z`` or ``rate``."""
        base, *far = [
            getattr(x, part),
            *(getattr(a, part) * exactly(c) for a, c in zip(R, d, strict=False)),
        ]
        first, last = far or [sp.zeros(3, 1)] * 2
        points = link_ends(base + first, [getattr(v, part) for v in q], length)
        return [base, *points[:-1], points[-1] - last]

    m = np.concatenate([ends[:1], beads, ends[1:]])
    e3 = sp.Matrix([0, 0, 1])
    attraction = [
        mass * (r.dot(r) - 3 * r[2] ** 2) / 2 for mass, r in zip(exactly(m), masses_at("z"), strict=True)
    ]
    return ProductSystem(
        [x, *R[:1], *q, *R[1:]],
        kinetic=kinetic_energy(m, masses_at("rate")) + sum(map(turning_energy, R, J)),
        potential=n**2 * sum(attraction)
        + sum(gravity_gradient(n, exactly(own), a.z.T * e3) for a, own in zip(R, J, strict=True)),
        frame_rate=(0.0, n, 0.0),
        equilibria=_at_rest_in_orbit(x, q, R, m, length, n, J, d),
        picture=_picture(masses_at("z"), x, q, R, [float(v) for v in length], d),
        name="tethered-satellites",
        source="V. V. Beletsky, E. M. Levin, Dynamics of Space Tether Systems, Univelt 1993",
    )


def _picture(
    points: Sequence[sp.Matrix],
    x: Place,
    q: Sequence[Direction],
    R: Sequence[Attitude],
    lengths: Sequence[float],
    arms: np.ndarray,
) -> list[Solid]:
    """Two satellites and the tether between them."""
    size = sum(lengths) / 8
    base = x.z + (R[0].z * exactly(arms[0]) if R else sp.zeros(3, 1))
    tether = link_solids(base, [v.z for v in q], lengths, ends=False)
    if not tether:
        return []
    shapes: list[Shape] = [Block((size, size / 2, size / 2))] if R else [Ellipsoid(size)]
    ends = []
    for k, (name, point) in enumerate((("first", points[0]), ("second", points[-1]))):
        of, place = (1 + [0, len(q) + 1][k] + 1, R[k].z.T * point) if R else (None, point)
        ends.append(Solid(f"{name} satellite", shapes, of=of, place=place, colour=ACCENT if k else None))
    return [*ends, *tether]


def _at_rest_in_orbit(
    x: Place,
    q: Sequence[Direction],
    R: Sequence[Attitude],
    masses: np.ndarray,
    lengths: np.ndarray,
    rate: sp.Rational,
    inertias: Sequence[np.ndarray],
    arms: np.ndarray,
) -> dict[str, Family]:
    """All links along the radius, and points along the track; velocities are those in space."""
    m, n = exactly(masses), rate
    far = [sp.S.Zero, *np.cumsum(list(exactly(lengths)))]
    if R:
        first, last = exactly(arms[:, 2])
        far = [far[0], *(v + first for v in far[1:-1]), far[-1] + first - last]
    middle = sum(a * b for a, b in zip(m, far, strict=True)) / sum(m)
    turn = sp.Matrix([0, n, 0])

    def at_rest(way: sp.Matrix) -> Family:
        place = -middle * way
        states = values_of(x, place) | {
            str(s): e for s, e in zip(x.velocity, turn.cross(place), strict=True) if e
        }
        for factor, value in [*((v, way) for v in q), *((a, sp.eye(3)) for a in R)]:
            states |= values_of(factor, value) | {str(factor.velocity[1]): n}
        return Family(states)

    e1, _, e3 = (sp.eye(3)[:, k] for k in range(3))
    if not R:
        return {"radial": at_rest(e3), "along-track": at_rest(e1)}
    diagonal = all(np.array_equal(J, np.diag(np.diag(J))) for J in inertias)
    return {"radial": at_rest(e3)} if diagonal and not arms[:, :2].any() else {}
