r"""Mechanisms on products of places, directions and attitudes, each made from its masses and lengths.

Positions r of all masses are linear in the configuration, and their rates the same combinations of its rates,
so that every kinetic energy here is quadratic with constant coefficients,

.. math::

    K = \tfrac12 \sum_k m_k |\dot r_k|^2 + \tfrac12 \sum_b \Omega_b \cdot J_b \Omega_b,

with J about the centre of mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, whole_number
from geoctrl._scalars import exact
from geoctrl.errors import InputError
from geoctrl.manifolds.factors import Attitude, Direction, Place
from geoctrl.manifolds.products import ProductSystem
from geoctrl.manifolds.reading import positive_definite, vector
from geoctrl.systems import Family
from geoctrl.systems.potentials import gravity_gradient

__all__ = [
    "bodies_with_joint",
    "chain_on_cart",
    "pendulum_on_cart",
    "pendulum_on_puck",
    "quadrotor_with_cable",
    "tethered_satellites",
]

_EARTH = (0.0, 0.0, -9.81)
_LINE, _PLANE = ((1.0, 0.0, 0.0),), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
_TURNED = sp.diag(1, -1, -1)
_LLM17 = (
    "T. Lee, M. Leok, N. H. McClamroch, Global Formulations of Lagrangian and Hamiltonian Dynamics "
    "on Manifolds, Springer 2018, "
)


def quadrotor_with_cable(
    links: int = 1,
    mass: float = 0.5,
    inertia: Any = (0.00557, 0.00557, 0.0105),
    link_masses: Any = 0.1,
    link_lengths: Any = 0.4,
    attachment: Sequence[float] = (0.0, 0.0, 0.0),
    gravity: Sequence[float] = _EARTH,
) -> ProductSystem:
    r"""A quadrotor from which a cable of rigid links hangs, on :math:`R^3 \times SO(3) \times (S^2)^n`.

    .. math::

        r_0 = x, \qquad r_i = x + R \rho + \sum_{j \le i} l_j q_j, \qquad
        V = -\sum_{i \ge 0} m_i\, g \cdot r_i, \qquad f_x = f R e_3

    The last mass is the load. Inputs: thrust f along the third body axis (N), M_1..3, moment in the body
    (N m). Family "hover" at the symbols x0, y0, z0 (m), where gravity is along the third axis and the
    attachment too: upright, the cable hanging, the thrust the whole weight.

    Parameters
    ----------
    links : int
        n.
    mass : float
        Of the quadrotor (kg).
    inertia : array (3, 3), or (3,) the principal moments
        About its centre of mass (kg m^2).
    link_masses, link_lengths : float or (n,)
        Mass at the lower end of each link (kg), its length (m).
    attachment : (3,)
        rho, from the centre of mass to where the cable begins, in the body (m).
    gravity : (3,)
        Acceleration (m/s^2).

    Raises
    ------
    InputError
        If masses and lengths are no positive numbers, one or n of them; if the inertia is not symmetric
        positive definite.

    Examples
    --------
    >>> drone = quadrotor_with_cable(links=2)
    >>> drone.input_labels
    ('thrust', 'M_1', 'M_2', 'M_3')
    >>> round(drone.equilibrium("hover", x0=0, y0=0, z0=1).u[0], 3)
    6.867
    """
    count = whole_number("links", links, 1)
    m = np.concatenate([_positive("mass", mass, 1), _positive("link_masses", link_masses, count)])
    length = _positive("link_lengths", link_lengths, count)
    J, arm, g = _inertia(inertia), _vector("attachment", attachment), _vector("gravity", gravity)
    x, R, rho = Place("x"), Attitude("R"), sp.Matrix(arm)
    q = _directions(count)
    positions = [x.z, *_ends(x.z + R.z * rho, [d.z for d in q], length)]
    rates = [x.rate, *_ends(x.rate + R.rate * rho, [d.rate for d in q], length)]
    thrust, moment = sp.Symbol("thrust", real=True), vector("M")
    families = {}
    if _vertical(g) and _vertical(arm) and g[2] < 0:
        away = [sp.Symbol(name, real=True) for name in ("x0", "y0", "z0")]
        states = _values(x, away) | _values(R, sp.eye(3))
        for d in q:
            states |= _values(d, (0, 0, -1))
        weight = sum(map(exact, m)) * -exact(g[2])
        families["hover"] = Family(states, symbols=away, inputs={"thrust": weight})
    return ProductSystem(
        [x, R, *q],
        kinetic=_kinetic(m, rates) + _turning(R, J),
        potential=_weight(m, positions, g),
        forces={"x": thrust * R.z[:, 2], "R": moment},
        inputs=[thrust, *moment],
        equilibria=families,
        name="quadrotor-with-cable",
        source="F. A. Goodarzi, D. Lee, T. Lee, Int. J. Control, Automation and Systems 13 (2015) 1486-1498",
    )


def chain_on_cart(
    links: int = 2,
    cart: float = 1.0,
    link_masses: Any = 0.5,
    link_lengths: Any = 0.5,
    axes: Any = _LINE,
    gravity: Sequence[float] = _EARTH,
) -> ProductSystem:
    r"""Point masses in a chain of massless links behind a cart on a line or in a plane.

    .. math:: r_0 = x, \qquad r_i = x + \sum_{j \le i} l_j q_j, \qquad V = -\sum_i m_i\, g \cdot r_i

    The configuration space is :math:`R^k \times (S^2)^n`; the links swing in space on a line too. Inputs:
    F_1..k, forces on the cart along the axes (N). Families "hanging" and "standing", where the axes are
    horizontal: all links along gravity, or against it, the cart at the origin.

    Parameters
    ----------
    links : int
        n.
    cart : float
        Its mass (kg).
    link_masses, link_lengths : float or (n,)
        Mass at the end of each link (kg), its length (m).
    axes : (k, 3)
        Orthogonal directions in which the cart moves: one for a line, two for a plane.
    gravity : (3,)
        Acceleration (m/s^2).

    Raises
    ------
    InputError
        If masses and lengths are no positive numbers, one or n of them; if the axes are not orthogonal.

    Examples
    --------
    >>> cart = chain_on_cart(links=1)
    >>> standing = cart.equilibrium("standing")
    >>> cart.rhs(0.0, standing.x, [1.5])[6:9]
    array([1.5, 0. , 0. ])
    """
    count = whole_number("links", links, 1)
    m = np.concatenate([_positive("cart", cart, 1), _positive("link_masses", link_masses, count)])
    length, g = _positive("link_lengths", link_lengths, count), _vector("gravity", gravity)
    x, q = Place("x", axes=axes), _directions(count)
    force, inputs = _push(x)
    return ProductSystem(
        [x, *q],
        kinetic=_kinetic(m, [x.rate, *_ends(x.rate, [d.rate for d in q], length)]),
        potential=_weight(m, [x.z, *_ends(x.z, [d.z for d in q], length)], g),
        forces={"x": force},
        inputs=inputs,
        equilibria=_hanging_and_standing(x, q, g),
        name="chain-on-cart",
        source=_LLM17 + "sec. 10.5",
    )


def pendulum_on_puck(
    mass: float = 0.14, length: float = 0.215, puck: float = 0.44, gravity: Sequence[float] = _EARTH
) -> ProductSystem:
    r"""A spherical pendulum on a puck that slides in the horizontal plane, on :math:`R^2 \times S^2`.

    .. math:: K = \tfrac12 (M + m) |\dot x|^2 + m l\, \dot x \cdot \dot q + \tfrac12 m l^2 |\dot q|^2,
        \qquad V = -m l\, g \cdot q

    Inputs: F_1, F_2, the force on the puck (N). Families "hanging" and "standing". It is `chain_on_cart` with
    one link in the plane.

    Parameters
    ----------
    mass, length : float
        m and l of the pendulum (kg, m).
    puck : float
        M (kg).
    gravity : (3,)
        Acceleration (m/s^2).

    Raises
    ------
    InputError
        If masses and length are not positive.

    Examples
    --------
    >>> pendulum_on_puck().input_labels
    ('F_1', 'F_2')
    """
    system = chain_on_cart(1, puck, mass, length, _PLANE, gravity)
    source = "A. M. Bloch, N. E. Leonard, J. E. Marsden, IEEE Trans. Automatic Control 45 (2000) 2253-2270"
    return system.replace(name="pendulum-on-puck", source=source)


def pendulum_on_cart(
    cart: float = 1.0,
    mass: float = 0.6,
    inertia: Any = (0.02, 0.018, 0.006),
    rho: Sequence[float] = (0.0, 0.0, -0.3),
    axes: Any = _PLANE,
    gravity: Sequence[float] = _EARTH,
) -> ProductSystem:
    r"""A rigid body that turns freely about a point of a cart, on :math:`R^k \times SO(3)`.

    .. math:: r = x + R \rho, \qquad
        K = \tfrac12 M |\dot x|^2 + \tfrac12 m |\dot r|^2 + \tfrac12 \Omega \cdot J \Omega, \qquad
        V = -m\, g \cdot r - M\, g \cdot x

    Inputs: F_1..k, forces on the cart along the axes (N). Families "hanging" and "standing", where gravity is
    along the third axis, rho too and the axes across: the centre of mass below the cart, or above it.

    Parameters
    ----------
    cart, mass : float
        M and m (kg).
    inertia : array (3, 3), or (3,) the principal moments
        J, about the body's centre of mass (kg m^2).
    rho : (3,)
        From the cart to the centre of mass, in the body (m).
    axes : (k, 3)
        Orthogonal directions in which the cart moves.
    gravity : (3,)
        Acceleration (m/s^2).

    Raises
    ------
    InputError
        If masses are not positive, the inertia not symmetric positive definite, the axes not orthogonal.

    Examples
    --------
    >>> pendulum = pendulum_on_cart()
    >>> gc.linearize(pendulum, pendulum.equilibrium("hanging")).eigenvalues.real.max() < 1e-6
    True
    """
    m = np.concatenate([_positive("cart", cart, 1), _positive("mass", mass, 1)])
    J, arm, g = _inertia(inertia), _vector("rho", rho), _vector("gravity", gravity)
    x, R = Place("x", axes=axes), Attitude("R")
    force, inputs = _push(x)
    families = {}
    if _vertical(g) and _vertical(arm) and arm.any() and not (x.axes @ g).any():
        ways = {"hanging": sp.eye(3), "standing": _TURNED}
        if g[2] * arm[2] < 0:
            ways = {"hanging": _TURNED, "standing": sp.eye(3)}
        families = {name: Family(_values(R, way)) for name, way in ways.items()}
    return ProductSystem(
        [x, R],
        kinetic=_kinetic(m, [x.rate, x.rate + R.rate * sp.Matrix(arm)]) + _turning(R, J),
        potential=_weight(m, [x.z, x.z + R.z * sp.Matrix(arm)], g),
        forces={"x": force},
        inputs=inputs,
        equilibria=families,
        name="pendulum-on-cart",
        source=_LLM17 + "sec. 10.2",
    )


def bodies_with_joint(
    masses: Sequence[float] = (1.0, 0.8),
    inertias: Any = ((0.06, 0.05, 0.03), (0.04, 0.05, 0.02)),
    arms: Any = ((0.0, 0.0, 0.4), (0.0, 0.1, -0.3)),
) -> ProductSystem:
    r"""Two rigid bodies joined by a ball joint, flying freely, on :math:`R^3 \times SO(3)^2`.

    .. math:: r_1 = x, \qquad r_2 = x + R_1 d_1 - R_2 d_2, \qquad V = 0

    Linear and angular momentum are kept. Inputs: tau_1..3, moment in space on the second body, its opposite
    on the first (N m). Family "resting": both attitudes the identity.

    Parameters
    ----------
    masses : (2,)
        kg.
    inertias : two arrays (3, 3) or (3,)
        About the centres of mass (kg m^2).
    arms : (2, 3)
        d_1 and d_2, from the centres of mass to the joint, each in its body (m).

    Raises
    ------
    InputError
        If masses are not positive, or an inertia is not symmetric positive definite.

    Examples
    --------
    >>> bodies_with_joint().conserved()
    ('energy', 'momentum1', 'momentum2', 'momentum3')
    """
    m = _positive("masses", masses, 2)
    J = [_inertia(tensor) for tensor in _pair("inertias", inertias)]
    d1, d2 = (sp.Matrix(arm) for arm in finite_array("arms", arms, (2, 3)))
    x, R1, R2 = Place("x"), Attitude("R1"), Attitude("R2")
    rates = [x.rate, x.rate + R1.rate * d1 - R2.rate * d2]
    tau = vector("tau")
    return ProductSystem(
        [x, R1, R2],
        kinetic=_kinetic(m, rates) + _turning(R1, J[0]) + _turning(R2, J[1]),
        forces={"R1": -R1.z.T * tau, "R2": R2.z.T * tau},
        inputs=list(tau),
        equilibria={"resting": Family(_values(R1, sp.eye(3)) | _values(R2, sp.eye(3)))},
        name="bodies-with-joint",
        source="P. S. Krishnaprasad, J. E. Marsden, Arch. Rational Mech. Anal. 98 (1987) 71-93",
    )


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
    origin: "radial", of points, or of bodies with diagonal inertias and arms along the third axis; "along
    track", of points.

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
    >>> pair = tethered_satellites()
    >>> gc.linearize(pair, pair.equilibrium("radial")).eigenvalues.real.max() < 1e-6
    True
    """
    count = whole_number("links", links, 1)
    ends, length = _positive("masses", masses, 2), _positive("link_lengths", link_lengths, count)
    beads = _positive("bead_masses", bead_masses, count - 1)
    n = float(_positive("rate", rate, 1)[0])
    d = finite_array("arms", arms, (2, 3))
    if inertias is None and d.any():
        raise InputError("arms need inertias: the ends are points")
    x, q = Place("x"), _directions(count)
    J = [] if inertias is None else [_inertia(tensor) for tensor in _pair("inertias", inertias)]
    R = [Attitude(f"R{b + 1}") for b in range(len(J))]

    def masses_at(part: str) -> list[sp.Matrix]:
        """Positions of all masses, or their rates: the same combinations of ``z`` or ``rate``."""
        base, *far = [
            getattr(x, part),
            *(getattr(a, part) * sp.Matrix(c) for a, c in zip(R, d, strict=False)),
        ]
        first, last = far or [sp.zeros(3, 1)] * 2
        points = _ends(base + first, [getattr(v, part) for v in q], length)
        return [base, *points[:-1], points[-1] - last]

    m = np.concatenate([ends[:1], beads, ends[1:]])
    e3 = sp.Matrix([0, 0, 1])
    attraction = [
        mass * (r.dot(r) - 3 * r[2] ** 2) / 2 for mass, r in zip(map(float, m), masses_at("z"), strict=True)
    ]
    return ProductSystem(
        [x, *R[:1], *q, *R[1:]],
        kinetic=_kinetic(m, masses_at("rate")) + sum(map(_turning, R, J)),
        potential=n**2 * sum(attraction)
        + sum(gravity_gradient(n, sp.Matrix(own), a.z.T * e3) for a, own in zip(R, J, strict=True)),
        frame_rate=(0.0, n, 0.0),
        equilibria=_at_rest_in_orbit(x, q, R, m, length, n, J, d),
        name="tethered-satellites",
        source="V. V. Beletsky, E. M. Levin, Dynamics of Space Tether Systems, Univelt 1993",
    )


# -- what they are made of --------------------------------------------------------------------------


def _directions(count: int) -> list[Direction]:
    return [Direction(f"q{i}") for i in range(1, count + 1)]


def _ends(start: sp.Matrix, directions: Sequence[sp.Matrix], lengths: np.ndarray) -> list[sp.Matrix]:
    """Ends of links, one after the other."""
    points = [start]
    for direction, length in zip(directions, lengths, strict=True):
        points.append(points[-1] + float(length) * direction)
    return points[1:]


def _kinetic(masses: np.ndarray, rates: Sequence[sp.Matrix]) -> sp.Expr:
    return sp.Add(*(float(m) / 2 * v.dot(v) for m, v in zip(masses, rates, strict=True)))


def _turning(R: Attitude, J: np.ndarray) -> sp.Expr:
    """Kinetic energy of turning about the centre of mass."""
    return R.velocity.dot(sp.Matrix(J) * R.velocity) / 2


def _weight(masses: np.ndarray, positions: Sequence[sp.Matrix], gravity: np.ndarray) -> sp.Expr:
    g = sp.Matrix(gravity)
    return sp.Add(*(-float(m) * g.dot(r) for m, r in zip(masses, positions, strict=True)))


def _push(x: Place) -> tuple[sp.Matrix, list[sp.Symbol]]:
    """A force along the axes of a place, and its components."""
    inputs = [sp.Symbol(f"F_{k}", real=True) for k in range(1, len(x.axes) + 1)]
    return sp.Matrix(x.axes).T * sp.Matrix(inputs), inputs


def _values(factor: Any, value: Any) -> dict[str, Any]:
    """The configuration of a factor by state labels."""
    return {str(s): e for s, e in zip(factor.z, sp.Matrix(value), strict=True)}


def _hanging_and_standing(x: Place, q: Sequence[Direction], gravity: np.ndarray) -> dict[str, Family]:
    """All links along gravity, and against it; none where the cart would run down its axes."""
    if not gravity.any() or (x.axes @ gravity).any():
        return {}
    g = sp.Matrix([sp.Rational(exact(v)) for v in gravity])
    down = g / sp.sqrt(g.dot(g))
    families = {}
    for name, way in {"hanging": down, "standing": -down}.items():
        states: dict[str, Any] = {}
        for direction in q:
            states |= _values(direction, way)
        families[name] = Family(states)
    return families


def _at_rest_in_orbit(
    x: Place,
    q: Sequence[Direction],
    R: Sequence[Attitude],
    masses: np.ndarray,
    lengths: np.ndarray,
    rate: float,
    inertias: Sequence[np.ndarray],
    arms: np.ndarray,
) -> dict[str, Family]:
    """All links along the radius, and points along the track; velocities are those in space."""
    m, n = [sp.Rational(exact(v)) for v in masses], sp.Rational(exact(rate))
    far = [sp.S.Zero, *np.cumsum([sp.Rational(exact(v)) for v in lengths])]
    if R:
        first, last = (sp.Rational(exact(v)) for v in arms[:, 2])
        far = [far[0], *(v + first for v in far[1:-1]), far[-1] + first - last]
    middle = sum(a * b for a, b in zip(m, far, strict=True)) / sum(m)
    turn = sp.Matrix([0, n, 0])

    def at_rest(way: sp.Matrix) -> Family:
        place = -middle * way
        states = _values(x, place) | {
            str(s): e for s, e in zip(x.velocity, turn.cross(place), strict=True) if e
        }
        for factor, value in [*((v, way) for v in q), *((a, sp.eye(3)) for a in R)]:
            states |= _values(factor, value) | {str(factor.velocity[1]): n}
        return Family(states)

    e1, _, e3 = (sp.eye(3)[:, k] for k in range(3))
    if not R:
        return {"radial": at_rest(e3), "along track": at_rest(e1)}
    diagonal = all(np.array_equal(J, np.diag(np.diag(J))) for J in inertias)
    return {"radial": at_rest(e3)} if diagonal and not arms[:, :2].any() else {}


def _vertical(v: np.ndarray) -> bool:
    return not v[:2].any()


def _positive(name: str, value: Any, count: int) -> np.ndarray:
    """Positive numbers, as many as there are; a single one stands for all."""
    array = np.atleast_1d(finite_array(name, value))
    if array.shape not in ((1,), (count,)) or not np.all(array > 0):
        raise InputError(f"{name} must be one positive number or {count} of them, got {array.tolist()}")
    return np.broadcast_to(array, (count,))


def _inertia(value: Any) -> np.ndarray:
    J = finite_array("inertia", value)
    return positive_definite("inertia", np.diag(J) if J.shape == (3,) else finite_array("inertia", J, (3, 3)))


def _pair(name: str, values: Any) -> tuple[Any, Any]:
    found = tuple(values)
    if len(found) != 2:
        raise InputError(f"{name} must be two, got {len(found)}")
    return found


def _vector(name: str, value: Any) -> np.ndarray:
    return finite_array(name, value, (3,))
