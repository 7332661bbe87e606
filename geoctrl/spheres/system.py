"""Systems on products of spheres."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from geoctrl._scalars import Program
from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.description.state_layouts import Alike
from geoctrl.manifolds.description.state_symbols import part
from geoctrl.manifolds.factors import Direction
from geoctrl.manifolds.forms import Form
from geoctrl.manifolds.numerics.momenta import Second
from geoctrl.manifolds.product.product import Product
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.manifolds.vectors.entries import number_of_bodies
from geoctrl.spheres.display import SphereDisplay
from geoctrl.spheres.mass import count, kinetic_of, mass_expression, mass_of
from geoctrl.spheres.start import WORDS
from geoctrl.spheres.trajectory import SphereTrajectory
from geoctrl.systems import Family, Parameter

__all__ = ["SphereSystem"]


class SphereSystem(ManifoldSystem):
    r"""Mechanical system on :math:`(S^2)^n`, with angular velocities :math:`\omega_i \perp q_i`.

    .. math::

        L = \tfrac12 \sum_{jk} m_{jk}(q)\, \dot q_j \cdot \dot q_k - V(q), \qquad
        \dot q_i = \omega_i \times q_i, \qquad \delta W = \sum_i f_i \cdot \delta q_i

    ([LLM09, Eq. 2.2], [LLM15]). The equations of motion are those of
    `geoctrl.manifolds.numerics.numbers_of_a_run`.

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
    inputs, law, parameters, invariants, equilibria, name, source
        As of a `geoctrl.manifolds.ProductSystem`.

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
    DescriptionError, ExpressionError, ParameterError, GradientError
        As of a `geoctrl.manifolds.ProductSystem`.
    InputError
        If the mass is not symmetric positive definite.

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
    form_type = Form
    inertia_varies = part("description.inertia_varies")
    trajectory_type = SphereTrajectory
    display_type = SphereDisplay

    def __init__(
        self,
        *,
        mass: Any,
        potential: Any = None,
        gradient: Callable | None = None,
        forces: Any = None,
        inputs: Sequence[Any] = (),
        law: Callable | None = None,
        parameters: Sequence[Parameter] = (),
        invariants: Mapping[str, Any] | None = None,
        equilibria: Mapping[str, Family] | None = None,
        name: str = "",
        source: str = "",
    ) -> None:
        bodies = number_of_bodies(count(mass))
        product = Product([Direction(f"q{i}") for i in bodies])
        self.description = Description(
            kinetic_of(product, mass),
            Alike(product, ("q", "omega"), *WORDS),
            f"(S^2)^{len(bodies)}",
            {"mass": mass},
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

    @cached_property
    def q(self) -> tuple[sp.Matrix, ...]:
        """Symbols of the directions."""
        return tuple(f.z for f in self.product.factors)

    @cached_property
    def omega(self) -> tuple[sp.Matrix, ...]:
        """Symbols of the angular velocities."""
        return tuple(f.velocity for f in self.product.factors)

    @property
    def mass_given(self) -> Any:
        """The inertia as it was given."""
        return self.description.own_arguments["mass"]

    @cached_property
    def mass_expression(self) -> sp.Matrix:
        """The inertia (n, n) as a sympy matrix."""
        return mass_expression(self.mass_given)

    def mass_matrix(self, q: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Inertia (n, n) at directions q (n, 3)."""
        return self.mass_at(self._configuration(q), self.parameters_at(params))

    def mass_at(self, q: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """The inertia (n, n) at directions q (n, 3)."""
        given = self.description
        if not given.inertia_varies:
            return mass_of(*given.inertia_at(params))
        if "mass" not in given.programs:
            nodes = [given.to_node(e) for e in self.mass_expression]
            program = Program(given.graph, given.configuration_nodes, given.parameter_nodes, nodes)
            given.programs["mass"] = program
        return given.programs["mass"](list(q.ravel()), params).reshape(self.n, self.n)

    def __repr__(self) -> str:
        mass = "configuration-dependent" if self.description.inertia_varies else "constant"
        title, *rest = super().__repr__().split("\n")
        return "\n".join([title, f"  inertia: {mass}", *rest])
