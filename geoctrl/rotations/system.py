"""Systems on products of rotation groups."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from geoctrl.manifolds.alike import names_of_parts, packed, unpacked
from geoctrl.manifolds.forms import Second
from geoctrl.rotations.attitudes import initial_values
from geoctrl.rotations.description import RotationDescription
from geoctrl.rotations.display import RotationDisplay
from geoctrl.rotations.trajectory import RotationTrajectory
from geoctrl.rotations.unreduced import arguments_of
from geoctrl.systems import EulerPoincare

__all__ = ["RotationSystem"]


class RotationSystem(RotationDescription):
    r"""Mechanical system on :math:`SO(3)^n`, angular velocities in body components.

    .. math::

        L = \sum_i \bigl(\tfrac12 \Omega_i \cdot J_i \Omega_i + a_i(R) \cdot \Omega_i\bigr) - U(R), \qquad
        \dot R_i = R_i \hat\xi_i, \quad \xi_i = \Omega_i - R_i^T w, \qquad
        \delta W = \sum_i f_i \cdot \eta_i, \quad \delta R_i = R_i \hat\eta_i

    ([LLM17, Eq. 6.7 and problem 6.18]). R takes body to reference components. A reference frame that turns
    has the constant rate w, in its own axes; :math:`\Omega_i` is the inertial angular velocity all the same.
    The equations of motion are those of `geoctrl.stepping.apart`.

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
    inputs : sequence of symbols or names
    law : callable ``law(t, x, params) -> u``, optional
        Sets all inputs, of which a loop has none; `closed_loop` gives it.
    frame_rate : (3,), optional
        w (rad/s), numbers or expressions in parameters.
    parameters : sequence of Parameter
    invariants : dict of name -> expression, optional
        In R, Omega and parameters. Those that a run keeps are listed in its ``drift``.
    equilibria : dict of name -> Family, optional
        Declared equilibria by state labels, for `equilibrium`; labels left out are zero.
    name, source : str

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
    DescriptionError
        If a shape is wrong, a symbol unknown, or potential and gradient do not go together.
    ExpressionError
        For a function that is not known.
    ParameterError
        If parameter names repeat or meet a label.
    InputError
        If an inertia is not symmetric positive definite.
    GradientError
        If a given gradient is not that of the potential.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> R, Omega = gc.rotations.symbols(1)
    >>> top = gc.rotations.RotationSystem(inertias=np.diag([2.0, 2.0, 1.0]), potential=9.81 * R[0][2, 2])
    >>> top.rhs(0.0, top.pack(np.eye(3)[None], [[0.0, 1.0, 3.0]]))[9:] + 0.0
    array([1.5, 0. , 0. ])
    """

    forms: ClassVar = {"Omega": Second(), "Pi": Second(conjugate=True)}
    start_form = "(R, Omega)"
    trajectory_type = RotationTrajectory
    display_type = RotationDisplay

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

    def pack(self, *parts: Any) -> np.ndarray:
        """States of R and Omega: (n, 3, 3), (n, 3) -> (12n,), and with nt in front of both -> (12n, nt)."""
        return packed(self, *parts)

    def unpack(self, x: Any) -> tuple[np.ndarray, np.ndarray]:
        """R and Omega of states: inverse of `pack`."""
        return unpacked(self, x)

    @property
    def part_names(self) -> list[tuple[str, str]]:
        """R and Omega, numbered."""
        return names_of_parts(self.n, self.pair)

    def is_start(self, given: Any) -> bool:
        """Whether something is a pair (R, Omega)."""
        return isinstance(given, tuple) and len(given) == 2

    def read_start(self, given: Any, second: str = "Omega") -> tuple[np.ndarray, np.ndarray]:
        """Attitudes, row by row, and velocities of a pair or a state, checked."""
        first, other = given if self.is_start(given) else self.unpack(given)
        return initial_values(self.product, first, other, second or self.pair[1])

    def named_parts(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """R and Omega."""
        return dict(zip(self.pair, self.unpack(x), strict=True))
