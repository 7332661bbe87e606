"""Chains and bodies on carts that move on a line or in a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import whole_number
from geoctrl.manifolds.factors import Attitude, Direction, Place
from geoctrl.manifolds.mechanisms.parts import (
    EARTH,
    LLM17,
    MOST_LINKS,
    directions,
    exactly,
    finite_vector,
    inertia_tensor,
    is_vertical,
    kinetic_energy,
    link_ends,
    positive_numbers,
    turning_energy,
    values_of,
    weight_energy,
)
from geoctrl.manifolds.mechanisms.solids_of_links import ACCENT, DARK, arm, link_solids
from geoctrl.manifolds.products import ProductSystem
from geoctrl.systems import Family
from geoctrl.systems.picture import Block, Solid

__all__ = ["chain_on_cart", "pendulum_on_cart", "pendulum_on_puck"]

_LINE, _PLANE = ((1.0, 0.0, 0.0),), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
_TURNED = sp.diag(1, -1, -1)


def chain_on_cart(
    links: int = 2,
    cart: float = 1.0,
    link_masses: Any = 0.5,
    link_lengths: Any = 0.5,
    axes: Any = _LINE,
    gravity: Sequence[float] = EARTH,
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
    >>> cart.rhs(0.0, standing.x, [1.5])[6:9].round(3) + 0.0
    array([1.5, 0. , 0. ])
    """
    count = whole_number("links", links, 1, MOST_LINKS)
    own = positive_numbers("cart", cart, 1)
    m = np.concatenate([own, positive_numbers("link_masses", link_masses, count)])
    length, g = positive_numbers("link_lengths", link_lengths, count), finite_vector("gravity", gravity)
    x, q = Place("x", axes=axes), directions(count)
    force, inputs = _push(x)
    return ProductSystem(
        [x, *q],
        kinetic=kinetic_energy(m, [x.rate, *link_ends(x.rate, [d.rate for d in q], length)]),
        potential=weight_energy(m, [x.z, *link_ends(x.z, [d.z for d in q], length)], g),
        forces={"x": force},
        inputs=inputs,
        equilibria=_hanging_and_standing(x, q, g),
        picture=[_cart(float(length[0])), *link_solids(x.z, [d.z for d in q], length)],
        name="chain-on-cart",
        source=LLM17 + "sec. 10.5",
    )


def pendulum_on_puck(
    mass: float = 0.14, length: float = 0.215, puck: float = 0.44, gravity: Sequence[float] = EARTH
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
    gravity: Sequence[float] = EARTH,
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
    >>> import geoctrl as gc
    >>> pendulum = pendulum_on_cart()
    >>> gc.certify(pendulum, pendulum.equilibrium("standing")).verdict
    <Verdict.PROVED_UNSTABLE: 'PROVED_UNSTABLE'>
    """
    m = np.concatenate([positive_numbers("cart", cart, 1), positive_numbers("mass", mass, 1)])
    J, g = inertia_tensor(inertia), finite_vector("gravity", gravity)
    arm_of = finite_vector("rho", rho)
    x, R = Place("x", axes=axes), Attitude("R")
    force, inputs = _push(x)
    families = {}
    if is_vertical(g) and is_vertical(arm_of) and arm_of.any() and not (x.axes @ g).any():
        ways = {"hanging": sp.eye(3), "standing": _TURNED}
        if g[2] * arm_of[2] < 0:
            ways = {"hanging": _TURNED, "standing": sp.eye(3)}
        families = {name: Family(values_of(R, way)) for name, way in ways.items()}
    return ProductSystem(
        [x, R],
        kinetic=kinetic_energy(m, [x.rate, x.rate + R.rate * exactly(arm_of)]) + turning_energy(R, J),
        potential=weight_energy(m, [x.z, x.z + R.z * exactly(arm_of)], g),
        forces={"x": force},
        inputs=inputs,
        equilibria=families,
        picture=[
            _cart(float(np.linalg.norm(arm_of))),
            *([Solid("body", arm(arm_of), of=2, place=R.z.T * x.z, colour=ACCENT)] if arm_of.any() else []),
        ],
        name="pendulum-on-cart",
        source=LLM17 + "sec. 10.2",
    )


def _cart(length: float) -> Solid:
    """A cart for a pendulum of a length."""
    return Solid("cart", [Block((length / 2, length / 4, length / 6))], colour=DARK)


def _push(x: Place) -> tuple[sp.Matrix, list[sp.Symbol]]:
    """A force along the axes of a place, and its components."""
    inputs = [sp.Symbol(f"F_{k}", real=True) for k in range(1, len(x.axes) + 1)]
    return sp.Matrix(x.axes).T * sp.Matrix(inputs), inputs


def _hanging_and_standing(x: Place, q: Sequence[Direction], gravity: np.ndarray) -> dict[str, Family]:
    """All links along gravity, and against it; none where the cart would run down its axes."""
    if not gravity.any() or (x.axes @ gravity).any():
        return {}
    g = exactly(gravity)
    down = g / sp.sqrt(g.dot(g))
    families = {}
    for name, way in {"hanging": down, "standing": -down}.items():
        states: dict[str, Any] = {}
        for direction in q:
            states |= values_of(direction, way)
        families[name] = Family(states)
    return families
