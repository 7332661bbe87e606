r"""The general equations on products of factors, for any Lagrangian and Hamiltonian: sympy in, sympy out.

A Lagrangian is an expression in configurations ``f.z`` of factors f, in their rates ``f.rate`` and in their
velocities ``f.velocity``, in any way that is right on the manifold. The equations come in two forms, named in
``by``: by "rate" they and the momenta are tangent vectors at the configurations, of an attitude matrices
:math:`R \hat a / 2`; by "velocity" they are vectors in the components of the velocities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import entries, require_choice
from geoctrl._scalars import STATE, FromSympy, Graph, Program, expression
from geoctrl.errors import DescriptionError, SingularMassError
from geoctrl.manifolds.energies.kinetic_reading import by_rates
from geoctrl.manifolds.factors import Factor
from geoctrl.manifolds.product.product import Product
from geoctrl.manifolds.product.variations_in_symbols import (
    Body,
    equations,
    motion,
    projected_slopes,
    variations_of,
)
from geoctrl.manifolds.vectors.calculus import rates
from geoctrl.manifolds.vectors.entries import forces_on_factors
from geoctrl.systems import time

__all__ = ["energy", "field", "hamilton", "lagrange", "legendre", "momenta", "momentum", "power", "rates"]

FORMS = ("rate", "velocity")
_SINGULAR = 1e14
"""Condition of the inertia from which accelerations are rounding alone."""


def momenta(factors: Sequence[Factor], by: str = "velocity") -> list[sp.Matrix]:
    """Symbols of momenta of factors, ``momentum_v_1`` by velocity or ``momentum_x_1`` by rate.

    Raises
    ------
    InputError
        If ``by`` is neither.
    """
    require_choice("by", by, FORMS)
    parts = [f.z if by == "rate" else f.velocity for f in _factors(factors)]
    return [v.applyfunc(lambda s: sp.Symbol(f"momentum_{s}", real=True)) for v in parts]


def legendre(L: Any, factors: Sequence[Factor], by: str = "velocity") -> list[sp.Matrix]:
    r"""Momenta conjugate to rates or velocities.

    By velocity they are :math:`\partial L / \partial v` of places along what holds them,
    :math:`(I - q q^T)\, \partial L / \partial \omega` of directions [LLM15, Eq. 27],
    :math:`\partial L / \partial \Omega` of attitudes [LLM17, Eq. 6.9]; by rate the projections of
    :math:`\partial L / \partial \dot z` onto the tangent spaces.

    Parameters
    ----------
    L : expression
    factors : sequence of Place, Direction and Attitude
    by : "velocity" or "rate"

    Returns
    -------
    list of sympy Matrix
        Of each factor, (3, 1); by rate (3, 3) of an attitude.

    Raises
    ------
    DescriptionError
        For what is no expression, or no factor.
    InputError
        If ``by`` is neither.

    Examples
    --------
    >>> from geoctrl.manifolds import Direction, Place
    >>> x, q = Place("x", axes=[[1, 0, 0]]), Direction("q")
    >>> bob = x.rate + 2 * q.rate
    >>> legendre(x.rate.dot(x.rate) + bob.dot(bob) / 2, [x, q], by="rate")[0].T
    Matrix([[2*q_1_dot + 3*x_1_dot, 0, 0]])
    """
    bodies = _bodies(factors, by)
    return projected_slopes(_in_form(L, factors, by), bodies)


def lagrange(L: Any, factors: Sequence[Factor], forces: Any = None, by: str = "velocity") -> list[sp.Matrix]:
    r"""Left-hand sides of the Euler-Lagrange equations, zero along motions.

    By velocity they are, of places along what holds them, directions [LLM15, Prop. 2] and attitudes
    [LLM17, Eq. 6.6], with p the slope of L by the velocity and :math:`r_k` the rows of R,

    .. math::

        \dot p - \partial L / \partial x - f , \qquad
        (I - q q^T) (\dot p - 2\, \omega \times p) - q \times (\partial L / \partial q + f) ,

    .. math::

        \dot p + \Omega \times p + \sum\nolimits_k r_k \times \partial L / \partial r_k - m ;

    by rate, of all of them,

    .. math:: \Pi_z \Bigl( \frac{d}{dt} \frac{\partial L}{\partial \dot z} - \frac{\partial L}{\partial z}
        - f \Bigr)

    with the projection onto the tangent space and, of attitudes, :math:`f = R \hat m / 2`. With
    :math:`q \cdot \dot\omega = 0`, or :math:`q \cdot \ddot q = - |\dot q|^2`, and accelerations of places
    along what holds them, they determine the accelerations where L is regular: `field` does.

    Parameters
    ----------
    L : expression
    factors : sequence of Place, Direction and Attitude
    forces : dict of name -> 3 expressions, optional
        Forces on places and directions, moments in the bodies of attitudes, as of `ProductSystem`.
    by : "velocity" or "rate"

    Returns
    -------
    list of sympy Matrix
        In configurations, rates or velocities, and the ``rates`` of these.

    Raises
    ------
    DescriptionError
        For what is no expression, no factor, or forces on what is no factor.
    InputError
        If ``by`` is neither.

    Examples
    --------
    >>> from geoctrl.manifolds import Attitude
    >>> body = Attitude("R")
    >>> w = body.velocity
    >>> lagrange((w[0]**2 + 2 * w[1]**2 + 2 * w[2]**2) / 2, [body])[0].T
    Matrix([[Omega_1_dot, -Omega_1*Omega_3 + 2*Omega_2_dot, Omega_1*Omega_2 + 2*Omega_3_dot]])
    """
    return equations(_in_form(L, factors, by), _bodies(factors, by), _forces_in_order(forces, factors, by))


def hamilton(
    H: Any, factors: Sequence[Factor], forces: Any = None, by: str = "velocity"
) -> tuple[list[sp.Matrix], list[sp.Matrix]]:
    r"""Hamilton's equations: the rates of configurations and of the momenta that `momenta` names.

    By velocity, with :math:`v = \partial H / \partial p`, of places along what holds them, directions
    [LLM15, Prop. 4] and attitudes [LLM17, Eqs. 6.10, 6.11]:

    .. math::

        \begin{aligned}
        \dot x &= v , \quad \dot p = - \partial H / \partial x + f , \\
        \dot q &= v \times q , \quad \dot p = v \times p - q \times (\partial H / \partial q - f) , \\
        \dot R &= R \hat v , \quad \dot p = p \times v + \sum\nolimits_k r_k \times \partial H / \partial r_k
            + m ;
        \end{aligned}

    by rate, with the projection onto the tangent space,

    .. math:: \dot z = \Pi_z v , \qquad \dot p = \Pi_z (f - \partial H / \partial z) + b(p, v) ,

    where b is zero for places, :math:`v \times (p \times q)` for directions [LLM15, Prop. 3] and
    :math:`(p R^T v + v R^T p) / 2` for attitudes.

    Parameters
    ----------
    H : expression in configurations and `momenta`
    factors, forces, by :
        As in `lagrange`.

    Returns
    -------
    tuple of list of sympy Matrix

    Raises
    ------
    DescriptionError, InputError
        As in `lagrange`.

    Examples
    --------
    >>> from geoctrl.manifolds import Direction
    >>> q = Direction("q")
    >>> (p,) = momenta([q])
    >>> hamilton(p.dot(p) / 2 + 9 * q.z[2], [q])[1][0].T
    Matrix([[-9*q_2, 9*q_1, 0]])
    """
    bodies = [
        Body(b.variations, b.z, p) for b, p in zip(_bodies(factors, by), momenta(factors, by), strict=True)
    ]
    return motion(H, bodies, _forces_in_order(forces, factors, by))


def energy(L: Any, factors: Sequence[Factor], by: str = "velocity") -> sp.Expr:
    r"""The energy :math:`\sum y \cdot \partial L / \partial y - L` in rates or velocities y.

    Parameters
    ----------
    L, factors, by :
        As in `legendre`.

    Returns
    -------
    expression
        Along motions it changes by the `power` of the forces.

    Raises
    ------
    DescriptionError, InputError
        As in `legendre`.

    Examples
    --------
    >>> from geoctrl.manifolds import Place
    >>> x = Place("x")
    >>> sp.expand(energy(x.rate[0]**4 + x.z[1] * x.rate[0] - x.z[0], [x]))
    3*v_1**4 + x_1
    """
    given = _in_form(L, factors, by)
    moving = [s for b in _bodies(factors, by) for s in b.y]
    return sum((s * sp.diff(given, s) for s in moving), sp.S.Zero) - given


def power(forces: Mapping[str, Any], factors: Sequence[Factor], by: str = "velocity") -> sp.Expr:
    r"""Power :math:`\sum f \cdot \dot z` of forces, :math:`m \cdot \Omega` of moments in bodies (W).

    Parameters
    ----------
    forces, factors, by :
        As in `lagrange`.

    Raises
    ------
    DescriptionError, InputError
        As in `lagrange`.

    Examples
    --------
    >>> from geoctrl.manifolds import Attitude
    >>> power({"R": [1, 0, 2]}, [Attitude("R")])
    Omega_1 + 2*Omega_3
    """
    given, bodies = _forces_in_order(forces, factors, by) or [], _bodies(factors, by)
    pushes = [b.variations.work(b.z, f) for b, f in zip(bodies, given, strict=True)]
    terms = (a * s for b, push in zip(bodies, pushes, strict=True) for a, s in zip(push, b.y, strict=True))
    return sum(terms, sp.S.Zero)


def momentum(L: Any, factors: Sequence[Factor], by: str = "velocity") -> sp.Matrix:
    r"""The momentum map of rotations of space, a 3-vector: the sum of all moments about the origin.

    :math:`x \times p` of places, p of directions, R p of attitudes with the momenta p of `legendre`, by
    velocity. Its component along an axis is kept where turning about it leaves L as it is, and what holds
    places.

    Parameters
    ----------
    L, factors, by :
        As in `legendre`.

    Raises
    ------
    DescriptionError, InputError
        As in `legendre`.

    Examples
    --------
    >>> from geoctrl.manifolds import Place
    >>> x = Place("x")
    >>> momentum(x.velocity.dot(x.velocity), [x])[2]
    -2*v_1*x_2 + 2*v_2*x_1
    """
    parts = zip(_bodies(factors, by), legendre(L, factors, by), strict=True)
    return sum((b.variations.spatial(b.z, p) for b, p in parts), sp.zeros(3, 1))


def field(
    L: Any, factors: Sequence[Factor], forces: Any = None, params: Mapping[Any, float] | None = None
) -> Callable[[float, np.ndarray], np.ndarray]:
    r"""The motion of any regular Lagrangian in numbers.

    With the rates :math:`u = P(z) w` and tangent velocities :math:`\dot w = T a`

    .. math:: T^T P^T L_{uu} P\, T a = T^T \bigl( P^T (L_z - L_{uz} u - L_{uu} \dot P w) + Q f \bigr) .

    Where the kinetic energy is positive definite, `ProductSystem` with ``kinetic=L`` answers the same, and
    more; a Lagrangian that is indefinite in the rates has its motions here.

    Parameters
    ----------
    L, factors, forces :
        As in `lagrange`; forces may hold `geoctrl.time`.
    params : dict of symbol -> number, optional

    Returns
    -------
    function
        Of t and x, the configurations of all factors row by row and then their velocities, as the states of
        `ProductSystem`; ready for `scipy.integrate.solve_ivp`. It raises SingularMassError where L is not
        regular.

    Raises
    ------
    DescriptionError
        As `lagrange`, and for symbols without a number.

    Examples
    --------
    >>> from geoctrl.manifolds import Place
    >>> x = Place("x")
    >>> rate = field(x.rate[0]**2 - x.rate[1]**2 + x.rate[2]**2 / 2 - x.z[1], [x])
    >>> print(rate(0.0, np.array([0.0, 0, 0, 1, 0, 0])))
    [1.  0.  0.  0.  0.5 0. ]
    """
    product = Product(_factors(factors))
    values = {s: sp.Float(v) for s, v in (params or {}).items()}
    energy = _in_form(L, factors, "rate").xreplace(values)
    pushes = [e.xreplace(values) for f in _forces_in_order(forces, factors, "velocity") or () for e in f]
    z, u, w = ([s for f in product.factors for s in getattr(f, k)] for k in ("z", "rate", "velocity"))
    missing = set().union(energy.free_symbols, *(e.free_symbols for e in pushes)) - {*z, *u, *w, time}
    if missing:
        raise DescriptionError(f"there is no number for {', '.join(sorted(map(str, missing)))} in params")
    graph, symbols = Graph(), [*z, *u, *w, time]
    nodes = [graph.symbol(str(s), STATE) for s in symbols]
    read, k, B = FromSympy(graph, dict(zip(symbols, nodes, strict=True))), len(z), product.bodies
    K, at, speed = read(energy), nodes[:k], nodes[k : 2 * k]
    p = graph.gradient(K, speed)
    pushed = graph.push_forward(p, dict(zip(at, speed, strict=True)))
    inertia = [e for row in graph.jacobian(p, speed) for e in row]
    outputs = [*graph.gradient(K, at), *pushed, *map(read, pushes or [0] * 3 * B), *inertia]
    program = Program(graph, nodes, {}, outputs)

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        z, w = product.parts(np.asarray(x, dtype=float))
        v = product.rates(z, w)
        slope, drift, f, G = np.split(program([*x[:k], *v.ravel(), *x[k:], t], {}), [k, 2 * k, 2 * k + 3 * B])
        P, T = product.by_velocity(z), product.turns(z)
        G = G.reshape(k, k)
        load = P.T @ (slope - drift - G @ (product.by_place(w) @ v.ravel())) + product.work(z) @ f
        mass = T.T @ P.T @ G @ P @ T
        if not np.linalg.cond(mass) < _SINGULAR:
            raise SingularMassError("the Lagrangian is not regular at this state")
        return product.state(v, (T @ np.linalg.solve(mass, T.T @ load)).reshape(w.shape))

    return rate


def _factors(factors: Any) -> tuple[Factor, ...]:
    found = Product(entries("factors", factors, DescriptionError)).factors
    names = [name for f in found for name in (f.name, f.velocity_name)]
    if len(set(names)) < len(names):
        raise DescriptionError(f"factors need names of their own, got {', '.join(names)}")
    return found


def _bodies(factors: Sequence[Factor], by: str) -> list[Body]:
    require_choice("by", by, FORMS)
    rate = by == "rate"
    return [Body(variations_of(f, rate), f.z, f.rate if rate else f.velocity) for f in _factors(factors)]


def _in_form(L: Any, factors: Sequence[Factor], by: str) -> sp.Expr:
    """A Lagrangian in rates alone, or in velocities alone."""
    L = expression(L, "the Lagrangian")
    if by == "rate":
        return L.xreplace({s: e for f in factors for s, e in by_rates(f)})
    pairs = [zip(f.rate, f.rates_of(f.velocity), strict=True) for f in _factors(factors)]
    return L.xreplace({s: e for pair in pairs for s, e in pair})


def _forces_in_order(forces: Any, factors: Sequence[Factor], by: str) -> list[sp.Matrix] | None:
    """Forces by name in the order of the factors, in rates alone or in velocities alone."""
    if forces is None:
        return None
    if not isinstance(forces, Mapping):
        raise DescriptionError(f"forces must be given as {{name of a factor: 3 expressions}}, got {forces!r}")
    read = forces_on_factors(forces, [f.name for f in factors])
    return [f.applyfunc(lambda e: _in_form(e, factors, by)) for f in read]
