"""Systems on products of spheres."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from geoctrl.manifolds.alike import names_of_parts, packed, unpacked
from geoctrl.manifolds.forms import Second
from geoctrl.spheres.description import SphereDescription
from geoctrl.spheres.display import SphereDisplay
from geoctrl.spheres.start import initial_values
from geoctrl.spheres.trajectory import SphereTrajectory

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

    forms: ClassVar = {
        "qdot": Second(rate=True),
        "omega": Second(),
        "mu": Second(conjugate=True, rate=True),
        "pi": Second(conjugate=True),
    }
    start_form = "(q, omega)"
    trajectory_type = SphereTrajectory
    display_type = SphereDisplay

    def pack(self, *parts: Any) -> np.ndarray:
        """States of q and omega: (n, 3) each -> (6n,), and with nt in front of both -> (6n, nt)."""
        return packed(self, *parts)

    def unpack(self, x: Any) -> tuple[np.ndarray, np.ndarray]:
        """q and omega of states: inverse of `pack`."""
        return unpacked(self, x)

    @property
    def part_names(self) -> list[tuple[str, str]]:
        """q and omega, numbered."""
        return names_of_parts(self.n, self.pair)

    def is_start(self, given: Any) -> bool:
        """Whether something is a pair (q, omega)."""
        return isinstance(given, tuple) and len(given) == 2

    def read_start(self, given: Any, second: str = "omega") -> tuple[np.ndarray, np.ndarray]:
        """Directions and velocities of a pair or a state, checked."""
        first, other = given if self.is_start(given) else self.unpack(given)
        return initial_values(self.product, first, other, second or self.pair[1])

    def named_parts(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """q and omega."""
        return dict(zip(self.pair, self.unpack(x), strict=True))

    def mass_matrix(self, q: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Inertia (n, n) at directions q (n, 3)."""
        return self.mass_at(self._configuration(q), self.parameters_at(params))
