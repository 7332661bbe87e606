"""Systems on products of rotation groups: runs, formulas, the description, steps of fixed size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp

from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.description.state_layouts import Alike
from geoctrl.manifolds.energies.kinetic import Kinetic
from geoctrl.manifolds.factors import Attitude
from geoctrl.manifolds.forms import Form
from geoctrl.manifolds.integrate import integrate as take_steps
from geoctrl.manifolds.integrate import require_kind
from geoctrl.manifolds.manifold_trajectory import ManifoldTrajectory
from geoctrl.manifolds.numerics.momenta import Second
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.manifolds.vectors.entries import read_vectors
from geoctrl.manifolds.views.latex_of_systems import Line, ManifoldDisplay, matrix
from geoctrl.rotations.attitudes import rotation_defect, words
from geoctrl.rotations.given import checked_inertias, read_inertias
from geoctrl.rotations.unreduced import arguments_of
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.typesetting.typesetting import Piece

__all__ = ["RotationDisplay", "RotationSystem", "RotationTrajectory", "integrate"]


class RotationTrajectory(ManifoldTrajectory):
    r"""Samples of a run of `integrate` or `geoctrl.simulate`.

    Attributes
    ----------
    time : ndarray (nt,)
    R : ndarray (nt, n, 3, 3)
    Omega : ndarray (nt, n, 3)
        rad/s, body components.
    states : ndarray (12n, nt)
    energy, kinetic_energy : ndarray (nt,)
        J; with a ``frame_rate`` the energy is the Jacobi integral.
    momentum : ndarray (nt, 3)
        Sum of :math:`R_i (J_i \Omega_i + a_i)`.
    engine, status, success, iterations, params, events, system
        As of every `geoctrl.manifolds.manifold_trajectory.ManifoldTrajectory`.
    """

    @property
    def R(self) -> np.ndarray:
        """Attitudes (nt, n, 3, 3)."""
        z = self._parts[0]
        return z.reshape(len(z), -1, 3, 3)

    @property
    def Omega(self) -> np.ndarray:
        """Angular velocities (nt, n, 3), body components."""
        return self._parts[1]

    @property
    def orthogonality_error(self) -> np.ndarray:
        """Largest entry of ``|R^T R - I|`` over the bodies, (nt,)."""
        return rotation_defect(self.R).max(axis=1)

    @property
    def leaf_defects(self) -> dict[str, np.ndarray]:
        """Largest entry of ``|R^T R - I|`` over the bodies, (nt,)."""
        return {"R^T R - I": self.orthogonality_error}


class RotationDisplay(ManifoldDisplay):
    """The parts of a system on rotations."""

    potential = "U"
    work = r"\delta W = \sum_i f_i \cdot \eta_i, \quad \delta R_i = R_i \hat\eta_i"

    def kinetic(self) -> Line:
        """Both sides of the Lagrangian."""
        linear = r" + a_i \cdot \Omega_i" if self.system.kinetic.linear else ""
        inner = rf"\tfrac12 \Omega_i \cdot \mathbb{{J}}_i \Omega_i{linear}"
        return self.plain(r"\ell"), [
            (1, rf"\sum_i \bigl({inner}\bigr)" if linear else rf"\sum_i {inner}"),
            (-1, "U(R)"),
        ]

    def equations(self) -> list[Line]:
        """Both sides of the equations of motion, the same for all bodies."""
        system = self.system
        turning = system.frame_rate is not None
        rate = r"R_i (\Omega_i - R_i^T w)\hat{\ }" if turning else r"R_i \hat\Omega_i"
        slope = r"(R_i^T G_i - G_i^T R_i)^\vee"
        right: list[Piece] = [(1, r"\mathbb{J}_i \Omega_i \times \Omega_i"), (-1, slope)]
        G = r"\frac{\partial U}{\partial R_i}"
        if system.kinetic.linear:
            right = [(1, r"(\mathbb{J}_i \Omega_i + a_i) \times \Omega_i"), (-1, r"\dot a_i"), (-1, slope)]
            G = r"\frac{\partial}{\partial R_i} \Bigl(U - \sum_j a_j \cdot \Omega_j\Bigr)"
        if system.has_forces:
            right.append((1, "f_i"))
        return [
            (self.plain(r"\dot R_i"), self.plain(rate)),
            (self.plain(r"\mathbb{J}_i \dot\Omega_i"), right),
            (self.plain("G_i"), self.plain(G)),
        ]

    def inertia(self) -> list[Line]:
        """What the inertias are, and what is linear in velocities."""
        system = self.system
        lines: list[Line] = []
        for i, J in enumerate(self.few(system.own_arguments["inertias"]), 1):
            if J.is_diagonal():
                text = rf"\mathrm{{diag}}({', '.join(map(self.text, J.diagonal()))})"
            else:
                text = matrix([[self.text(e) for e in row] for row in J.tolist()])
            lines.append((self.plain(rf"\mathbb{{J}}_{{{i}}}"), self.plain(text)))
        for i, a in enumerate(self.few(system.kinetic.linear), 1):
            lines.append((self.plain(f"a_{{{i}}}"), self.plain(self.column(a))))
        if system.frame_rate is not None:
            lines.append((self.plain("w"), self.plain(self.column(system.frame_rate))))
        return lines


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
        face = Alike(Attitude, len(J), *words("R0"))
        a = None if linear is None else read_vectors("linear", linear, len(J))
        frame = None if frame_rate is None else read_vectors("frame_rate", frame_rate, 1)[0]
        places = {s for f in face.product.factors for s in f.z} if a else set()
        given = {"inertias": (J, set()), "linear": (a or (), places)}
        self.description = Description(
            Kinetic(face.product, J, covectors=a, given=given, check=_check),
            face,
            f"SO(3)^{len(J)}",
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


def integrate(
    system: RotationSystem,
    R0: Any,
    Omega0: Any,
    h: float,
    steps: int,
    method: str = "variational",
    order: int = 2,
    record: int = 1,
    params: Mapping[str, float] | None = None,
    inputs: Any = None,
    threads: int = 1,
    throw: bool = True,
    progress: bool | Callable[..., object] = False,
    *,
    seconds: float | None = None,
) -> RotationTrajectory:
    """Take steps of fixed size: `geoctrl.manifolds.integrate` of a start in two arrays.

    Parameters
    ----------
    system : RotationSystem
    R0 : array (n, 3, 3)
        Attitudes, body to reference; (3, 3) will do for one body.
    Omega0 : array (n, 3)
        Angular velocities in body components (rad/s); (3,) will do for one body.
    h, steps, method, order, record, params, inputs, threads, throw, progress, seconds
        As there.

    Returns
    -------
    RotationTrajectory
        With samples at steps 0, record, 2 record, ...

    Raises
    ------
    ConvergenceError, ConstraintError, InputError, TypeError, KeyboardInterrupt
        As there.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> body = gc.rotations.free_body([1.0, 2.0, 2.5])
    >>> r = gc.rotations.integrate(body, np.eye(3), [0.1, 2.0, 0.1], h=0.01, steps=1000)
    >>> bool(abs(r.momentum - r.momentum[0]).max() < 1e-13), bool(r.orthogonality_error.max() < 1e-13)
    (True, True)
    """
    require_kind(system, RotationSystem)
    given = (method, order, record, params, inputs, False, threads, throw, progress)
    run: Any = take_steps(system, (R0, Omega0), h, steps, *given, seconds=seconds)
    return run
