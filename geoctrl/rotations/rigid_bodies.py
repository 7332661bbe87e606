"""Mechanisms on rotations, each made from its inertias."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import entries, finite_array
from geoctrl.errors import InputError
from geoctrl.rotations.attitudes import symbols
from geoctrl.rotations.rotation_systems import RotationSystem
from geoctrl.systems.parts.description_entries import attitude_spring, gravity_gradient, weight

__all__ = ["body_in_orbit", "coupled_bodies", "free_body", "pendulum3d"]

_EARTH = (0.0, 0.0, -9.81)
_SOURCE = (
    "T. Lee, M. Leok, N. H. McClamroch, Global Formulations of Lagrangian and Hamiltonian Dynamics "
    "on Manifolds, Springer 2018, "
)


def free_body(inertia: Any) -> RotationSystem:
    r"""Rigid body free of moments, [LLM17, section 6.6.1].

    Parameters
    ----------
    inertia : array (3, 3), or (3,) the principal moments
        kg m^2.

    Raises
    ------
    InputError
        If the inertia is not symmetric positive definite.

    Examples
    --------
    >>> free_body([1.0, 2.0, 3.0]).rhs(0.0, [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1])[9:].round(3)
    array([-1.   ,  1.   , -0.333])
    """
    return RotationSystem(inertias=_inertia(inertia), name="free-body", source=_SOURCE + "sec. 6.6.1")


def pendulum3d(
    inertia: Any, mass: float, rho: Sequence[float], gravity: Sequence[float] = _EARTH
) -> RotationSystem:
    r"""Rigid body about a fixed pivot, [LLM17, section 6.6.2] (whose rho_0 is the opposite of rho).

    .. math:: U = -m\, g \cdot R \rho

    Parameters
    ----------
    inertia : array (3, 3) or (3,)
        About the pivot (kg m^2).
    mass : float
        kg.
    rho : (3,)
        From the pivot to the centre of mass, in the body (m).
    gravity : (3,)
        Acceleration in the reference frame (m/s^2).

    Raises
    ------
    InputError
        If the inertia is not symmetric positive definite or the mass not positive.

    Examples
    --------
    >>> pendulum = pendulum3d([0.5, 0.6, 0.2], 1.0, [0.0, 0.0, -0.4])
    >>> round(pendulum.potential([np.eye(3)]), 3)
    -3.924
    """
    m = _positive("mass", mass)
    g, arm = finite_array("gravity", gravity, (3,)), finite_array("rho", rho, (3,))
    (R,), _ = symbols(1)
    return RotationSystem(
        inertias=_inertia(inertia),
        potential=weight(m, -R.T * sp.Matrix(g), sp.Matrix(arm)),
        name="3d-pendulum",
        source=_SOURCE + "sec. 6.6.2",
    )


def body_in_orbit(inertia: Any, rate: float) -> RotationSystem:
    r"""Rigid body in a circular orbit under the gravity gradient, [LLM17, section 6.6.3].

    .. math:: U = \tfrac32 \omega_0^2\, a \cdot J a, \qquad a = R^T e_3, \qquad w = \omega_0 e_2

    R is relative to the orbital frame: axis 1 along the track, 2 normal to the orbit, 3 along the radius. The
    energy is the Jacobi integral; the energy printed in the source is not conserved (see the errata).

    Parameters
    ----------
    inertia : array (3, 3) or (3,)
        kg m^2.
    rate : float
        Orbital rate (rad/s).

    Raises
    ------
    InputError
        If the inertia is not symmetric positive definite or the rate not a number.

    Examples
    --------
    >>> body_in_orbit([2.0, 3.0, 1.5], 0.5).frame_rate.T
    Matrix([[0, 1/2, 0]])
    """
    omega = float(finite_array("rate", rate, ()))
    J = _inertia(inertia)
    (R,), _ = symbols(1)
    return RotationSystem(
        inertias=J,
        potential=gravity_gradient(omega, sp.Matrix(J), R.T[:, 2]),
        frame_rate=[0, omega, 0],
        name="body-in-orbit",
        source=_SOURCE + "sec. 6.6.3",
    )


def coupled_bodies(inertias: Any, stiffness: float) -> RotationSystem:
    r"""Two concentric bodies held together by their relative attitude, [LLM17, problem 6.15].

    .. math:: U = k\, \mathrm{tr}(I - R_1^T R_2)

    For k > 0 equal attitudes are its minimum; as printed, they are its maximum (see the errata).

    Parameters
    ----------
    inertias : array (2, 3, 3) or (2, 3)
        kg m^2.
    stiffness : float
        k (J).

    Raises
    ------
    InputError
        If there are not two inertias, symmetric positive definite.

    Examples
    --------
    >>> pair = coupled_bodies([[1.0, 2.0, 2.5], [0.5, 0.7, 0.9]], 3.0)
    >>> pair.potential([np.eye(3), np.diag([-1.0, -1.0, 1.0])])
    12.0
    """
    J = [_inertia(inertia) for inertia in entries("inertias", inertias)]
    if len(J) != 2:
        raise InputError(f"inertias must be those of 2 bodies, got {len(J)}")
    k = float(finite_array("stiffness", stiffness, ()))
    (R1, R2), _ = symbols(2)
    return RotationSystem(
        inertias=J,
        potential=attitude_spring(k, R1, R2),
        name="coupled-bodies",
        source=_SOURCE + "problem 6.15",
    )


def _inertia(inertia: Any) -> np.ndarray:
    J = finite_array("inertia", inertia)
    if J.shape not in ((3,), (3, 3)):
        raise InputError(f"inertia must have shape (3, 3) or (3,), got {J.shape}")
    return np.diag(J) if J.ndim == 1 else J


def _positive(name: str, value: float) -> float:
    number = float(finite_array(name, value, ()))
    if not number > 0:
        raise InputError(f"{name} must be positive, got {number}")
    return number
