"""Systems on products of rotation groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp

from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.description.state_layouts import Alike
from geoctrl.manifolds.description.state_symbols import part
from geoctrl.manifolds.energies.kinetic import Kinetic
from geoctrl.manifolds.factors import Attitude
from geoctrl.manifolds.forms import Form
from geoctrl.manifolds.numerics.momenta import Second
from geoctrl.manifolds.product.product import Product
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.manifolds.vectors.entries import number_of_bodies, read_vectors
from geoctrl.rotations.attitudes import words
from geoctrl.rotations.display import RotationDisplay
from geoctrl.rotations.given import checked_inertias, read_inertias
from geoctrl.rotations.trajectory import RotationTrajectory
from geoctrl.rotations.unreduced import arguments_of
from geoctrl.systems import EulerPoincare, Family, Parameter

__all__ = ["RotationSystem"]


class RotationSystem(ManifoldSystem):
    r"""Mechanical system on :math:`SO(3)^n`, angular velocities in body components.

    .. math::

        L = \sum_i \bigl(\tfrac12 \Omega_i \cdot J_i \Omega_i + a_i(R) \cdot \Omega_i\bigr) - U(R), \qquad
        \dot R_i = R_i \hat\xi_i, \quad \xi_i = \Omega_i - R_i^T w, \qquad
        \delta W = \sum_i f_i \cdot \eta_i, \quad \delta R_i = R_i \hat\eta_i

    ([LLM17, Eq. 6.7 and problem 6.18]). R takes body to reference components. A reference frame that turns
    has the constant rate w, in its own axes; :math:`\Omega_i` is the inertial angular velocity all the same.
    The equations of motion are those of `geoctrl.stepping.solvers.apart`.

    Parameters
    ----------
    inertias : array (3, 3) or (n, 3, 3), or sympy matrices in parameter symbols
        kg m^2; symmetric positive definite.
    potential : expression in R, `Sites`, `Pairs`, list of these, callable or None
        A callable is ``U(R, p) -> float`` with R (n, 3, 3) and p (n_params,), compiled by numba if it can be.
    gradient : callable, optional
        Only with a callable potential, and needed there: ``dU(R, p) -> (n, 3, 3)``, ambient.
    linear : (n, 3) numbers or n sympy 3-vectors in R and parameters, optional
        :math:`a_i` (kg m^2/s): in the momentum, not in the kinetic energy.
    forces : n sympy 3-vectors or callable, optional
        Moments in body components (N m) in R, Omega, ``geoctrl.time``, inputs and parameters; or
        ``f(t, R, Omega, u, p) -> (n, 3)``.
    inputs, law, frame_rate, parameters, invariants, equilibria, name, source
        As of a `geoctrl.manifolds.ProductSystem`.

    Attributes
    ----------
    n : int
        Number of bodies.
    states, state_labels, inputs, input_labels
        x = (R row by row of each body, Omega of each body), (12n,).
    params : dict
        Defaults by name.

    Notes
    -----
    `momentum` is :math:`\sum R_i (J_i \Omega_i + a_i)`. With a ``frame_rate`` w, `energy` is the
    Jacobi integral

    .. math:: \sum \tfrac12 \Omega \cdot J\Omega + U - w \cdot \sum R\, (J\Omega + a) ,

    which a potential constant in that frame keeps.

    Raises
    ------
    DescriptionError, ExpressionError, ParameterError, GradientError
        As of a `geoctrl.manifolds.ProductSystem`.
    InputError
        If an inertia is not symmetric positive definite.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> R, Omega = gc.rotations.symbols(1)
    >>> top = gc.rotations.RotationSystem(inertias=np.diag([2.0, 2.0, 1.0]), potential=9.81 * R[0][2, 2])
    >>> top.rhs(0.0, top.pack(np.eye(3)[None], [[0.0, 1.0, 3.0]]))[9:] + 0.0
    array([1.5, 0. , 0. ])
    """

    forms: ClassVar = {"Omega": Second(), "Pi": Second(conjugate=True)}
    form_type = Form
    inertia_varies = part("description.inertia_varies")
    trajectory_type = RotationTrajectory
    display_type = RotationDisplay

    def __init__(
        self,
        *,
        inertias: Any,
        potential: Any = None,
        gradient: Callable | None = None,
        linear: Any = None,
        forces: Any = None,
        inputs: Sequence[Any] = (),
        law: Callable | None = None,
        frame_rate: Any = None,
        parameters: Sequence[Parameter] = (),
        invariants: Mapping[str, Any] | None = None,
        equilibria: Mapping[str, Family] | None = None,
        name: str = "",
        source: str = "",
    ) -> None:
        J = read_inertias(inertias)
        bodies = number_of_bodies(len(J))
        product = Product([Attitude(f"R{i}") for i in bodies])
        a = None if linear is None else read_vectors("linear", linear, len(bodies))
        frame = None if frame_rate is None else read_vectors("frame_rate", frame_rate, 1)[0]
        places = {s for f in product.factors for s in f.z} if a else set()
        given = {"inertias": (J, set()), "linear": (a or (), places)}
        self.description = Description(
            Kinetic(product, J, covectors=a, given=given, check=_check),
            Alike(product, ("R", "Omega"), *words("R0")),
            f"SO(3)^{len(bodies)}",
            {"inertias": J, "linear": a, "frame_rate": frame},
            potential=potential,
            gradient=gradient,
            forces=forces,
            inputs=inputs,
            law=law,
            parameters=parameters,
            invariants=invariants,
            equilibria=equilibria,
            name=name,
            source=source,
        )

    @classmethod
    def of(cls, mechanism: EulerPoincare) -> Self:
        """The system of attitudes that a mechanism on SO(3)^n is reduced from, with its parameters.

        Advected vectors are directions of the reference seen from the bodies; see
        `geoctrl.rotations.unreduced`. Velocities are those of the mechanism, relative to its frame.

        Raises
        ------
        TypeError
            For what is no description of a mechanism.
        DescriptionError
            For a mechanism on another group, with constraints, rotors or a controller, or an inertia that
            couples bodies or depends on their attitudes.

        Examples
        --------
        >>> import geoctrl as gc
        >>> top = RotationSystem.of(gc.models.get("heavy-top")())
        >>> top.state_labels[9:], list(top.params)
        (('Omega1_1', 'Omega1_2', 'Omega1_3'), ['m', 'l', 'g', 'I1', 'I2', 'I3'])
        """
        return cls(**arguments_of(mechanism))

    @cached_property
    def R(self) -> tuple[sp.Matrix, ...]:
        """Symbols of the attitudes."""
        return tuple(f.z for f in self.product.factors)

    @cached_property
    def Omega(self) -> tuple[sp.Matrix, ...]:
        """Symbols of the angular velocities."""
        return tuple(f.velocity for f in self.product.factors)

    @property
    def inertias(self) -> tuple[sp.Matrix, ...]:
        """The inertias, one for each body."""
        return self.description.own_arguments["inertias"]

    @property
    def linear(self) -> tuple[sp.Matrix, ...] | None:
        """The linear terms, one for each body, where there are some."""
        return self.description.own_arguments["linear"]


def _check(own: np.ndarray, rest: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """Inertias in numbers, checked; bodies are not coupled."""
    return checked_inertias(own), rest
