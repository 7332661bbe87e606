r"""The general equations on spheres, for any Lagrangian and Hamiltonian: sympy in, sympy out.

Expressions are in vectors of symbols such as `geoctrl.spheres.symbols` and `vectors` make; a function of
tangent vectors may be written down in any way that is right on the spheres and for vectors tangent to them.
`geoctrl.manifolds.propositions` has the same for products with places and attitudes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from geoctrl.manifolds.product.variations_in_symbols import (
    Body,
    Directions,
    DirectionsByRates,
    Variations,
    equations,
    motion,
    projected_slopes,
)
from geoctrl.manifolds.vectors.calculus import rates
from geoctrl.manifolds.vectors.entries import vector

__all__ = [
    "hamilton",
    "hamilton_angular",
    "lagrange",
    "lagrange_angular",
    "legendre",
    "rates",
    "vectors",
]

Vectors = Sequence[sp.Matrix]


def vectors(name: str, n: int) -> tuple[sp.Matrix, ...]:
    """Vectors of symbols for n bodies: ``vectors("mu", 2)`` are mu1_1 .. mu1_3 and mu2_1 .. mu2_3."""
    return tuple(vector(f"{name}{i}") for i in range(1, n + 1))


def legendre(L: Any, q: Vectors, v: Vectors) -> list[sp.Matrix]:
    r"""Momenta :math:`(I - q_i q_i^T)\, \partial L / \partial v_i` [LLM15, Eqs. 19, 27].

    Conjugate to v: the mu of qdot, the pi of omega.
    """
    return projected_slopes(L, _bodies(DirectionsByRates(), q, v))


def lagrange(L: Any, q: Vectors, qdot: Vectors, forces: Vectors | None = None) -> list[sp.Matrix]:
    r"""Left-hand sides of the Euler-Lagrange equations in (q, qdot), zero along motions [LLM15, Prop. 1].

    .. math:: (I - q_i q_i^T) \Bigl\{ \frac{d}{dt} \frac{\partial L}{\partial \dot q_i}
        - \frac{\partial L}{\partial q_i} - f_i \Bigr\}

    With :math:`q_i \cdot \ddot q_i = -|\dot q_i|^2` they determine the accelerations.

    Parameters
    ----------
    L : expression in q and qdot
    q, qdot : sequences of n sympy 3-vectors
    forces : sequence of n sympy 3-vectors, optional

    Returns
    -------
    list of n sympy 3-vectors
        In q, qdot and the accelerations ``rates(qdot)``.

    Examples
    --------
    >>> q, v = vectors("q", 1), vectors("qdot", 1)
    >>> residual = lagrange(v[0].dot(v[0]) / 2 - 9 * q[0][2], q, v)[0]
    >>> residual.subs(dict(zip(q[0], (1, 0, 0)))).T
    Matrix([[0, qdot1_2_dot, qdot1_3_dot + 9]])
    """
    return equations(L, _bodies(DirectionsByRates(), q, qdot), forces)


def lagrange_angular(L: Any, q: Vectors, omega: Vectors, forces: Vectors | None = None) -> list[sp.Matrix]:
    r"""Left-hand sides of the Euler-Lagrange equations in (q, omega) [LLM15, Prop. 2], zero along motions.

    .. math:: (I - q_i q_i^T) \Bigl\{ \frac{d}{dt} \frac{\partial L}{\partial \omega_i}
        - 2\, \omega_i \times \frac{\partial L}{\partial \omega_i} \Bigr\}
        - q_i \times \Bigl( \frac{\partial L}{\partial q_i} + f_i \Bigr),
        \qquad \dot q_i = \omega_i \times q_i

    With :math:`q_i \cdot \dot\omega_i = 0` they determine the angular accelerations.

    Parameters
    ----------
    L : expression in q and omega
    q, omega : sequences of n sympy 3-vectors
    forces : sequence of n sympy 3-vectors, optional

    Returns
    -------
    list of n sympy 3-vectors
        In q, omega and the angular accelerations ``rates(omega)``.

    Examples
    --------
    >>> q, w = vectors("q", 1), vectors("omega", 1)
    >>> residual = lagrange_angular(w[0].dot(w[0]) / 2 - 9 * q[0][2], q, w)[0]
    >>> residual.subs(dict(zip(q[0], (1, 0, 0)))).T
    Matrix([[0, omega1_2_dot - 9, omega1_3_dot]])
    """
    return equations(L, _bodies(Directions(), q, omega), forces)


def hamilton(
    H: Any, q: Vectors, mu: Vectors, forces: Vectors | None = None
) -> tuple[list[sp.Matrix], list[sp.Matrix]]:
    r"""Hamilton's equations in (q, mu): the rates of q and of mu [LLM15, Prop. 3].

    .. math::

        \dot q_i &= (I - q_i q_i^T) \frac{\partial H}{\partial \mu_i} , \\
        \dot\mu_i &= -(I - q_i q_i^T) \Bigl( \frac{\partial H}{\partial q_i} - f_i \Bigr)
            + \frac{\partial H}{\partial \mu_i} \times (\mu_i \times q_i)

    Parameters
    ----------
    H : expression in q and mu
    q, mu : sequences of n sympy 3-vectors
    forces : sequence of n sympy 3-vectors, optional

    Returns
    -------
    tuple of list of n sympy 3-vectors

    Examples
    --------
    >>> q, mu = vectors("q", 1), vectors("mu", 1)
    >>> hamilton(mu[0].dot(mu[0]) / 2 + 9 * q[0][2], q, mu)[1][0].subs(dict(zip(q[0], (1, 0, 0)))).T
    Matrix([[-mu1_2**2 - mu1_3**2, mu1_1*mu1_2, mu1_1*mu1_3 - 9]])
    """
    return motion(H, _bodies(DirectionsByRates(), q, mu), forces)


def hamilton_angular(
    H: Any, q: Vectors, pi: Vectors, forces: Vectors | None = None
) -> tuple[list[sp.Matrix], list[sp.Matrix]]:
    r"""Hamilton's equations in (q, pi): the rates of q and of pi [LLM15, Prop. 4].

    .. math:: \dot q_i = -q_i \times \frac{\partial H}{\partial \pi_i}, \qquad
        \dot\pi_i = -q_i \times \frac{\partial H}{\partial q_i}
        + \frac{\partial H}{\partial \pi_i} \times \pi_i + q_i \times f_i

    Parameters
    ----------
    H : expression in q and pi
    q, pi : sequences of n sympy 3-vectors
    forces : sequence of n sympy 3-vectors, optional

    Returns
    -------
    tuple of list of n sympy 3-vectors

    Examples
    --------
    >>> q, pi = vectors("q", 1), vectors("pi", 1)
    >>> hamilton_angular(pi[0].dot(pi[0]) / 2 + 9 * q[0][2], q, pi)[1][0].T
    Matrix([[-9*q1_2, 9*q1_1, 0]])
    """
    return motion(H, _bodies(Directions(), q, pi), forces)


def _bodies(of: Variations, q: Vectors, y: Vectors) -> list[Body]:
    return [Body(of, a, b) for a, b in zip(q, y, strict=True)]
