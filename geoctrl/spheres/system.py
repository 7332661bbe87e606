"""Systems on products of spheres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl.spheres import linear, reduction
from geoctrl.spheres.description import SphereDescription
from geoctrl.spheres.display import SphereDisplay
from geoctrl.spheres.forms import SphereForm, converted
from geoctrl.spheres.numerics import Numerics
from geoctrl.spheres.reduction import ReducedView, description
from geoctrl.spheres.seen import SeenSpheres
from geoctrl.spheres.start import initial_values
from geoctrl.spheres.trajectory import SphereTrajectory
from geoctrl.systems import EulerPoincare

__all__ = ["SphereSystem"]


class SphereSystem(SphereDescription):
    r"""Mechanical system on :math:`(S^2)^n`, with angular velocities :math:`\omega_i \perp q_i`.

    .. math::

        L = \tfrac12 \sum_{jk} m_{jk}(q)\, \dot q_j \cdot \dot q_k - V(q), \qquad
        \dot q_i = \omega_i \times q_i, \qquad \delta W = \sum_i f_i \cdot \delta q_i

    ([LLM09, Eq. 2.2], [LLM15]). The equations of motion are those of `geoctrl.spheres.linear`.

    Parameters
    ----------
    mass : array (n,) or (n, n), or sympy Matrix (n, n)
        Diagonal; symmetric positive definite; in q and parameter symbols (kg m^2).
    potential : expression, `Sites`, `Pairs`, list of these, callable or None
        A callable is ``V(q, p) -> float`` with q (n, 3) and p (n_params,), compiled by numba if it can be.
    gradient : callable, optional
        Only with a callable potential, and needed there: ``dV(q, p) -> (n, 3)``.
    forces : n sympy 3-vectors or callable, optional
        In q, omega, ``geoctrl.time``, inputs and parameters; or ``f(t, q, omega, u, p) -> (n, 3)``.
    inputs : sequence of symbols or names
    law : callable ``law(t, x, params) -> u``, optional
        Sets all inputs, of which a loop has none; `closed_loop` gives it.
    parameters : sequence of Parameter
    invariants : dict of name -> expression, optional
        In q, omega and parameters. Those that a run keeps are listed in its ``drift``.
    equilibria : dict of name -> Family, optional
        Declared equilibria by state labels, for `equilibrium`; labels left out are zero.
    name, source : str

    Attributes
    ----------
    n : int
        Number of spheres.
    states, state_labels, inputs, input_labels
        x = (q row by row, omega row by row), (6n,).
    params : dict
        Defaults by name.

    Notes
    -----
    `momentum` is :math:`\sum q_i \times p_i`, with :math:`p_i = \sum_j m_{ij} \dot q_j`. Where the system is
    too large to be written out, or given by functions, `jacobian` is exact all the same for constant inertia,
    potentials and forces given by expressions.

    Raises
    ------
    DescriptionError
        If a shape is wrong, a symbol unknown, or potential and gradient do not go together.
    ExpressionError
        For a function that is not known.
    ParameterError
        If parameter names repeat or meet a label.
    InputError
        If the mass is not symmetric positive definite.
    GradientError
        If a given gradient is not that of the potential.

    Examples
    --------
    >>> import geoctrl as gc
    >>> q, omega = gc.spheres.symbols(1)
    >>> pendulum = gc.spheres.SphereSystem(mass=[2.0], potential=2.0 * 9.81 * q[0][2])
    >>> pendulum.rhs(0.0, [1, 0, 0, 0, 0, 1]).round(3) + 0.0
    array([0.  , 1.  , 0.  , 0.  , 9.81, 0.  ])
    """

    relations = ("|{first}|^2 - 1", "{first}.{second}")
    numerics_type = Numerics
    seen_type = SeenSpheres
    view_type = ReducedView
    trajectory_type = SphereTrajectory
    display_type = SphereDisplay

    def derivatives(
        self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of `rhs` by the state (6n, 6n) and by the inputs (6n, m)."""
        derive = reduction.jacobians if self.inertia_varies else linear.jacobians
        return derive(self, t, x, u, params)

    def initial_values(self, first: Any, second: Any, name: str = "omega") -> tuple[np.ndarray, np.ndarray]:
        """Initial values (n, 3) each, checked as `geoctrl.spheres.start.initial_values` does."""
        return initial_values(self.n, first, second, name)

    def _relation_defects(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Defects of unit length and of tangent velocities, (nt, n, 2)."""
        return np.stack([np.sum(first * first, axis=2) - 1, np.sum(first * second, axis=2)], axis=2)

    def turned(
        self, turns: np.ndarray, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Directions and angular velocities turned."""
        return np.einsum("iab,ib->ia", turns, first), np.einsum("iab,ib->ia", turns, second)

    def mass_matrix(self, q: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Inertia (n, n) at directions q (n, 3)."""
        return self.run(params).at(self._configuration(q)).copy()

    def in_form(self, form: str) -> SphereForm:
        """The same system with states (q, "qdot"), (q, "omega"), (q, "mu") or (q, "pi")."""
        return SphereForm(self, form)

    def convert(
        self, x: Any, source: str, target: str, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """States (6n,) or (6n, nt) of one form as states of another."""
        return converted(self, x, source, target, params)

    def euler_poincare(self, spin: Sequence[float] | None = None) -> EulerPoincare:
        """The same mechanism as Euler-Poincare equations with the directions as advected vectors."""
        return description(self, spin)
