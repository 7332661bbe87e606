r"""The general equations on rotations, for any Lagrangian and Hamiltonian: sympy in, sympy out.

Expressions are in the symbols of `geoctrl.rotations.symbols`; :math:`r_k` are the columns of :math:`R^T`.
`geoctrl.manifolds.propositions` has the same for products with places and directions, and with
moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from geoctrl._scalars import expression
from geoctrl.manifolds.product.variations_in_symbols import Body, Rotations, equations, motion
from geoctrl.manifolds.vectors.calculus import gradient, rates

__all__ = ["hamilton", "lagrange", "legendre", "rates"]


def legendre(L: Any, Omega: Sequence[sp.Matrix]) -> list[sp.Matrix]:
    r"""Momenta :math:`\Pi_i = \partial L / \partial \Omega_i` [LLM17, Eq. 6.9]."""
    L = expression(L, "the Lagrangian")
    return [gradient(L, v) for v in Omega]


def lagrange(L: Any, R: Sequence[sp.Matrix], Omega: Sequence[sp.Matrix]) -> list[sp.Matrix]:
    r"""Left-hand sides of the Euler-Lagrange equations, zero along motions [LLM17, Eq. 6.6].

    .. math::

        \frac{d}{dt} \frac{\partial L}{\partial \Omega_i}
        + \Omega_i \times \frac{\partial L}{\partial \Omega_i}
        + \sum_k r_{ik} \times \frac{\partial L}{\partial r_{ik}}, \qquad \dot r_{ik} = r_{ik} \times \Omega_i

    Parameters
    ----------
    L : expression in R and Omega
    R, Omega : sequences of n sympy 3x3 matrices and 3-vectors

    Returns
    -------
    list of n sympy 3-vectors
        In R, Omega and the accelerations `rates` (Omega).

    Examples
    --------
    >>> from geoctrl.rotations import symbols
    >>> R, Omega = symbols(1)
    >>> w = Omega[0]
    >>> lagrange((w[0]**2 + 2 * w[1]**2 + 2 * w[2]**2) / 2, R, Omega)[0].T
    Matrix([[Omega1_1_dot, -Omega1_1*Omega1_3 + 2*Omega1_2_dot, Omega1_1*Omega1_2 + 2*Omega1_3_dot]])
    """
    return equations(L, _bodies(R, Omega), None)


def hamilton(
    H: Any, R: Sequence[sp.Matrix], Pi: Sequence[sp.Matrix]
) -> tuple[list[sp.Matrix], list[sp.Matrix]]:
    r"""Hamilton's equations: the rates of R and of Pi [LLM17, Eqs. 6.10, 6.11].

    .. math:: \dot r_{ik} = r_{ik} \times \frac{\partial H}{\partial \Pi_i}, \qquad
        \dot\Pi_i = \Pi_i \times \frac{\partial H}{\partial \Pi_i}
        + \sum_k r_{ik} \times \frac{\partial H}{\partial r_{ik}}

    Parameters
    ----------
    H : expression in R and Pi
    R, Pi : sequences of n sympy 3x3 matrices and 3-vectors

    Returns
    -------
    tuple of list of sympy Matrix
        n matrices (3, 3) and n 3-vectors.

    Examples
    --------
    >>> from geoctrl.rotations import symbols
    >>> R, Pi = symbols(1)
    >>> hamilton(R[0][2, 2], R, Pi)[1][0].T
    Matrix([[R1_32, -R1_31, 0]])
    """
    return motion(H, _bodies(R, Pi), None)


def _bodies(R: Sequence[sp.Matrix], y: Sequence[sp.Matrix]) -> list[Body]:
    return [Body(Rotations(), a, b) for a, b in zip(R, y, strict=True)]
