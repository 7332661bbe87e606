"""Systems on products of spheres: runs, formulas, the description, steps of fixed size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import Program
from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.description.state_layouts import Alike
from geoctrl.manifolds.factors import Direction
from geoctrl.manifolds.forms import Form
from geoctrl.manifolds.integrate import integrate as take_steps
from geoctrl.manifolds.integrate import require_kind
from geoctrl.manifolds.manifold_trajectory import ManifoldTrajectory
from geoctrl.manifolds.numerics.momenta import Second
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.manifolds.views.latex_of_systems import FEW, Line, ManifoldDisplay, matrix
from geoctrl.spheres.mass import count, kinetic_of, mass_expression, mass_of
from geoctrl.spheres.start import WORDS
from geoctrl.systems import Family, Parameter
from geoctrl.systems.picture import Solid
from geoctrl.systems.picture.solids import solids_in

__all__ = ["SphereDisplay", "SphereSystem", "SphereTrajectory", "integrate"]


class SphereTrajectory(ManifoldTrajectory):
    r"""Samples of a run of `integrate` or `geoctrl.simulate`.

    Attributes
    ----------
    time : ndarray (nt,)
    q, omega : ndarray (nt, n, 3)
    states : ndarray (6n, nt)
    energy, kinetic_energy : ndarray (nt,)
        J.
    momentum : ndarray (nt, 3)
        Sum of :math:`q_i \times p_i`.
    engine, status, success, iterations, params, events, system
        As of every `geoctrl.manifolds.manifold_trajectory.ManifoldTrajectory`.
    """

    @property
    def q(self) -> np.ndarray:
        """Directions (nt, n, 3)."""
        return self._parts[0]

    @property
    def omega(self) -> np.ndarray:
        """Angular velocities (nt, n, 3)."""
        return self._parts[1]

    @property
    def length_error(self) -> np.ndarray:
        """Mean over the bodies of the defect of unit length, ``abs(|q| - 1)``, (nt,)."""
        return np.abs(np.linalg.norm(self.q, axis=2) - 1).mean(axis=1)

    @property
    def leaf_defects(self) -> dict[str, np.ndarray]:
        """Defects of unit length and of q.omega = 0, the largest of the bodies, (nt,) each."""
        return {
            "|q| - 1": np.max(np.abs(np.linalg.norm(self.q, axis=2) - 1), axis=1),
            "q.omega": np.max(np.abs(np.sum(self.q * self.omega, axis=2)), axis=1),
        }


class SphereDisplay(ManifoldDisplay):
    """The parts of a system on spheres."""

    potential = "V"
    work = r"\delta W = \sum_i f_i \cdot \delta q_i"

    def kinetic(self) -> Line:
        """Both sides of the Lagrangian."""
        return self.plain(r"\ell"), [
            (1, r"\tfrac12 \sum_{i,j} m_{ij}\, \dot q_i \cdot \dot q_j"),
            (-1, "V(q)"),
        ]

    def equations(self) -> list[Line]:
        """Both sides of the equations of motion, the same for all bodies."""
        varies = self.system.inertia_varies
        f = "f_i - " if self.system.has_forces else "-"
        right = (
            rf"q_i \times \Bigl({f}\frac{{\partial V}}{{\partial q_i}} "
            r"- \sum_{j \ne i} m_{ij}\, \omega_j \times \dot q_j\Bigr)"
        )
        lines: list[Line] = [
            (self.plain(r"\dot q_i"), self.plain(r"\omega_i \times q_i")),
            (
                [
                    (1, r"m_{ii}\, \dot\omega_i"),
                    (1, r"\sum_{j \ne i} m_{ij}\, q_i \times (\dot\omega_j \times q_j)"),
                ],
                [(1, right), *([(-1, "N_i")] if varies else [])],
            ),
        ]
        if varies:
            inner = (
                r"q_i \times \Bigl(\sum_{j \ne i} \dot m_{ij} \dot q_j "
                r"- \tfrac12 \partial_{q_i} \sum_{j,k} m_{jk}\, \dot q_j \cdot \dot q_k\Bigr)"
            )
            lines.append((self.plain("N_i"), [(1, r"\dot m_{ii} \omega_i"), (1, inner)]))
        return lines

    def inertia(self) -> list[Line]:
        """What the inertias are, and what is linear in velocities."""
        system = self.system
        M = mass_expression(system.own_arguments["mass"])
        if M.is_diagonal() and len(set(M.diagonal())) == 1:
            return [(self.plain("m_{ii}"), self.pieces(M[0, 0])), *self._no_coupling()]
        if system.n > FEW:
            return [(self.plain("m_{11}"), self.pieces(M[0, 0]))]
        return [(self.plain("m"), self.plain(matrix([[self.text(e) for e in row] for row in M.tolist()])))]

    def _no_coupling(self) -> list[Line]:
        return [(self.plain("m_{ij}"), self.plain(r"0 \quad (i \ne j)"))] if self.system.n > 1 else []


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
    inputs, law, parameters, invariants, equilibria, name, source, picture
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
        picture: Sequence[Solid] = (),
    ) -> None:
        n = count(mass)
        face = Alike(Direction, n, *WORDS)
        self.description = Description(
            kinetic_of(face.product, mass),
            face,
            f"(S^2)^{n}",
            {"mass": mass, "picture": solids_in(picture)},
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

    def _lines(self) -> list[str]:
        mass = "configuration-dependent" if self.description.inertia_varies else "constant"
        title, *rest = super()._lines()
        return [title, f"  inertia: {mass}", *rest]

    full = full_text
    __repr__ = short_form


def integrate(
    system: SphereSystem,
    q0: Any,
    omega0: Any,
    h: float,
    steps: int,
    method: str = "variational",
    order: int = 2,
    record: int = 1,
    params: Mapping[str, float] | None = None,
    inputs: Any = None,
    project: bool = False,
    threads: int = 1,
    throw: bool = True,
    progress: bool | Callable[..., object] = False,
    *,
    seconds: float | None = None,
) -> SphereTrajectory:
    """Take steps of fixed size: `geoctrl.manifolds.integrate` of a start in two arrays.

    Parameters
    ----------
    system : SphereSystem
    q0, omega0 : array (n, 3)
        Unit directions and angular velocities (rad/s) orthogonal to them.
    h, steps, method, order, record, params, inputs, project, threads, throw, progress, seconds
        As there.

    Returns
    -------
    SphereTrajectory
        With samples at steps 0, record, 2 record, ...

    Raises
    ------
    ConvergenceError, ConstraintError, InputError, TypeError, KeyboardInterrupt
        As there.

    Examples
    --------
    >>> import geoctrl as gc
    >>> pendulum = gc.spheres.double_pendulum(1.0, 2.0, 0.7, 0.4)
    >>> r = gc.spheres.integrate(pendulum, [[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [0, 0, 0]], h=1e-3, steps=2000)
    >>> float(abs(r.energy - r.energy[0]).max()) < 1e-2
    True
    """
    require_kind(system, SphereSystem)
    given = (method, order, record, params, inputs, project, threads, throw, progress)
    run: Any = take_steps(system, (q0, omega0), h, steps, *given, seconds=seconds)
    return run
