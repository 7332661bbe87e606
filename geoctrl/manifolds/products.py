"""Mechanical systems on products of places, directions and attitudes.

Systems on products in LaTeX.

The result of a run on a product: samples by the names of factors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from geoctrl._checks import entries, finite_array
from geoctrl.errors import DescriptionError, InputError
from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.description.state_layouts import Named
from geoctrl.manifolds.energies.kinetic_reading import read_energy
from geoctrl.manifolds.factors import Attitude, Direction, Factor
from geoctrl.manifolds.forms import Form
from geoctrl.manifolds.manifold_trajectory import ManifoldTrajectory
from geoctrl.manifolds.numerics.momenta import Second
from geoctrl.manifolds.numerics.tangent import own_terms, rest_momenta
from geoctrl.manifolds.product.product import Product
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.manifolds.vectors.calculus import rational
from geoctrl.manifolds.vectors.entries import forces_on_factors, read_scalar, read_vectors
from geoctrl.manifolds.views.latex_of_systems import Line, ManifoldDisplay
from geoctrl.systems import Family, Parameter
from geoctrl.systems.contract.scales import symmetric_scaling
from geoctrl.systems.picture import Solid
from geoctrl.systems.picture.solids import solids_in
from geoctrl.systems.typesetting.typesetting import symbol_name

__all__ = ["ProductDisplay", "ProductSystem", "ProductTrajectory"]


class ProductTrajectory(ManifoldTrajectory):
    """Samples of a run of `integrate` or `geoctrl.simulate`; ``run["q"]`` is a configuration by name.

    Attributes
    ----------
    time : ndarray (nt,)
    states : ndarray (size, nt)
    energy, kinetic_energy : ndarray (nt,)
        J; in a frame that turns the energy is the Jacobi integral.
    momentum : ndarray (nt, 3)
        Moment about the origin of the momenta of all bodies.
    engine, status, success, iterations, params, events, system
        As of every `geoctrl.manifolds.manifold_trajectory.ManifoldTrajectory`.
    """

    def __getitem__(self, label: Any) -> np.ndarray:
        """Configuration (nt, ...) or velocity (nt, 3) of a factor by its name, else what a label names."""
        for b, f in enumerate(self.system.product.factors):
            if label == f.name:
                return self.configuration(b)
            if label == f.velocity_name:
                return self._parts[1][:, b]
        return super().__getitem__(label)

    @property
    def leaf_defects(self) -> dict[str, np.ndarray]:
        """Defects of the relations of all factors by name, (nt,) each."""
        values = self.system.product.relation_defects(*self._parts)
        return dict(zip(self.system.leaf.names, np.abs(values).T, strict=True))


class ProductDisplay(ManifoldDisplay):
    """The parts of a system on a product, factor by factor."""

    potential = "V"

    @property
    def _names(self) -> list[tuple[Factor, str]]:
        return [(f, symbol_name(f.name)) for f in self.system.product.factors]

    @property
    def work(self) -> str:  # type: ignore[override]
        """What the generalised forces are, as an equation: of the factors on which forces act."""
        acting = None if callable(self.system.forces_given) else [name for name, _ in self.acting()]
        terms = []
        for f, z in self._names:
            if acting is None or f"f_{{{z}}}" in acting:
                way = rf"\eta_{{{z}}}" if isinstance(f, Attitude) else rf"\delta {z}"
                terms.append(rf"f_{{{z}}} \cdot {way}")
        turned = any(isinstance(f, Attitude) for f in self.system.product.factors)
        return rf"\delta W = {' + '.join(terms) or '0'}" + (r", \quad \delta R = R \hat\eta" * turned)

    def acting(self) -> list[tuple[str, sp.Matrix]]:
        """Names and vectors of the forces that are not zero."""
        pairs = zip(self._names, self.system.forces_given, strict=True)
        return [(f"f_{{{z}}}", f) for (_, z), f in pairs if any(f)]

    def kinetic(self) -> Line:
        """Both sides of the Lagrangian."""
        rate = "u" if self.system.frame_rate is not None else r"\dot z"
        return self.plain(r"\ell"), [(1, f"K(z, {rate})"), (-1, "V(z)")]

    def equations(self) -> list[Line]:
        """Both sides of the equations of motion."""
        turns = self.system.frame_rate is not None
        forced = self.system.has_forces
        lines: list[Line] = []
        for f, z in self._names:
            rate = f"u_{{{z}}}" if turns else rf"\dot {z}"
            slope = rf"\frac{{\partial K}}{{\partial {rate}}}"
            E = rf"\frac{{d}}{{dt}} {slope}" + (rf" + w \times {slope}" if turns else "")
            E += rf" - \frac{{\partial}}{{\partial {z}}} (K - V)"
            left, force = E, f"f_{{{z}}}" if forced else "0"
            if isinstance(f, Attitude):
                left, force = rf"\bigl({z}^T E - E^T {z}\bigr)^\vee", rf"{force}, \quad E = {E}"
            elif isinstance(f, Direction):
                left, force = rf"{z} \times \Bigl({E}\Bigr)", rf"{z} \times {force}" if forced else "0"
            lines.append((self.plain(left), self.plain(force)))
        return lines

    def inertia(self) -> list[Line]:
        """The kinetic energy, and the rates that it is of in a frame that turns."""
        energy, V = read_scalar("kinetic", self.system.arguments["kinetic"]), self.system.frame_velocity
        moving = [] if V is None else [(self.plain(r"\text{frame's velocity}"), self.plain(self.column(V)))]
        if self.system.frame_rate is None:
            return [(self.plain("K"), self.pieces(energy)), *moving]
        rates = {
            s: sp.Symbol(f"u_{z}", real=True) for f in self.system.product.factors for s, z in _rate_labels(f)
        }
        return [
            (self.plain("K"), self.pieces(energy.xreplace(rates))),
            (self.plain("u"), self.plain(r"\dot z + w \times z")),
            (self.plain("w"), self.plain(self.column(self.system.frame_rate))),
            *moving,
        ]


def _rate_labels(f: Factor) -> list[tuple[sp.Symbol, str]]:
    """Symbols of rates, and labels of what they are rates of."""
    return list(zip(f.rate, f.labels, strict=True))


_SEEDS = (3, 4, 5)
"""Of the generic states at which an inertia is looked at."""


class ProductSystem(ManifoldSystem):
    r"""Mechanical system on a product of places, directions and attitudes.

    .. math::

        L = K(z, u) - V(z), \qquad \dot x = v, \quad \dot q = \omega \times q, \quad \dot R = R \hat\Omega,
        \qquad \delta W = \sum f_x \cdot \delta x + f_q \cdot \delta q + f_R \cdot \eta,
        \quad \delta R = R \hat\eta

    with the rates u of all factors. In a reference frame that turns with the constant rate w, in its own
    axes, configurations are seen from the frame and velocities are inertial ones all the same: :math:`\dot z
    = u - w \times z`. The equations of motion are those of `geoctrl.manifolds.numerics.numbers_of_a_run`.

    A frame may move along besides, with the constant velocity V along w, or in any direction where it does
    not turn: places and their velocities are then those beside the frame's, :math:`x = z + V t` and
    :math:`\dot x = u + V`, and the equations of motion are the same ones. Forces are felt as they were given,
    with the velocities in space.

    Parameters
    ----------
    factors : sequence of Place, Direction and Attitude
        With different names.
    kinetic : expression
        K in ``z``, ``rate`` and ``velocity`` of the factors and in parameters: of any form; where it is
        quadratic in the rates, also with terms linear in them, everything that is proved can be asked.
    potential : expression, Sites, Pairs, list of these, callable or None
        A callable is ``V(z, p) -> float`` with the rows of all bodies z (N, 3), and p (n_params,).
    gradient : callable, optional
        Only with a callable potential, and needed there: ``dV(z, p) -> (N, 3)``.
    forces : dict of factor name -> 3 expressions, n vectors or callable, optional
        Forces on places and directions, moments on attitudes in body components; in symbols of all factors,
        ``geoctrl.time``, inputs and parameters. A callable is ``f(t, z, w, u, p) -> (n, 3)``.
    inputs : sequence of symbols or names
    law : callable ``law(t, x, params) -> u``, optional
        Sets all inputs, of which a loop has none; `closed_loop` gives it.
    frame_rate : (3,), optional
        w (rad/s), numbers or expressions in parameters.
    frame_velocity : (3,), optional
        V (m/s), along w: the inertia of the rates has to be constant, the potential proved to be the same
        further on but for a constant, and forces to be the same there.
    parameters : sequence of Parameter
    invariants : dict of name -> expression, optional
        In configurations, velocities and parameters. Those that a run keeps are listed in its ``drift``.
    equilibria : dict of name -> Family, optional
        Declared equilibria by state labels, for `equilibrium`; labels left out are zero.
    name, source : str
    picture : sequence of Solid, optional
        What it looks like (`geoctrl.viz.scene`): each in the axes of space, or of a factor, its attitude or
        its place; poses in configurations and parameters.

    Attributes
    ----------
    n : int
        Number of factors.
    states, state_labels, inputs, input_labels
        x = (configurations one after the other, row by row; velocities).
    params : dict
        Defaults by name.

    Notes
    -----
    `momentum` is the moment about the origin of the momenta of all bodies. Forces on a place that is held to
    a line or plane act along its axes.

    Raises
    ------
    DescriptionError
        If a shape or a name is wrong, a symbol unknown, or potential and gradient do not go together; if a
        frame that moves so would see other equations.
    ExpressionError
        For a function that is not known.
    ParameterError
        If parameter names repeat or meet a label.
    InputError
        If the inertia is not positive definite.
    GradientError
        If a given gradient is not that of the potential.

    Examples
    --------
    A pendulum on a cart that moves along a line:

    >>> import geoctrl as gc
    >>> x, q = gc.manifolds.Place("x", axes=[[1, 0, 0]]), gc.manifolds.Direction("q")
    >>> bob = x.rate + 0.5 * q.rate
    >>> cart = gc.manifolds.ProductSystem(
    ...     [x, q],
    ...     kinetic=2.0 * x.rate.dot(x.rate) / 2 + bob.dot(bob) / 2,
    ...     potential=9.81 * 0.5 * q.z[2],
    ... )
    >>> state = cart.pack({"x": ([0, 0, 0], [0, 0, 0]), "q": ([1, 0, 0], [0, 0, 0])})
    >>> cart.rhs(0.0, state)[6:].round(3) + 0.0
    array([ 0.  ,  0.  ,  0.  ,  0.  , 19.62,  0.  ])
    """

    form_type = Form
    trajectory_type = ProductTrajectory
    display_type = ProductDisplay
    forms: ClassVar = {"velocity": Second(), "momentum": Second(conjugate=True)}

    def __init__(
        self,
        factors: Sequence[Factor],
        *,
        kinetic: Any,
        potential: Any = None,
        gradient: Callable | None = None,
        forces: Any = None,
        inputs: Sequence[Any] = (),
        law: Callable | None = None,
        frame_rate: Any = None,
        frame_velocity: Any = None,
        parameters: Sequence[Parameter] = (),
        invariants: Mapping[str, Any] | None = None,
        equilibria: Mapping[str, Family] | None = None,
        name: str = "",
        source: str = "",
        picture: Sequence[Solid] = (),
    ) -> None:
        factors = _read_factors(factors)
        product = Product(factors)
        energy, added = read_energy(product, kinetic)
        frame = {
            name: None if given is None else read_vectors(name, given, 1)[0]
            for name, given in (("frame_rate", frame_rate), ("frame_velocity", frame_velocity))
        }
        self.description = Description(
            energy,
            Named(product),
            _space(factors),
            {
                **{"factors": product.factors, "kinetic": kinetic, "potential": potential},
                **frame,
                "picture": solids_in(picture),
            },
            potential=_less(potential, added),
            gradient=gradient,
            forces=_in_order(forces, factors),
            inputs=inputs,
            law=law,
            parameters=parameters,
            invariants=invariants,
            equilibria=equilibria,
            name=name,
            source=source,
        )
        _check_inertia(self.description)

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The factors, in their order."""
        return self.product.factors

    def project(self, start: Any) -> np.ndarray:
        """The state on the manifold that is nearest to a start by name or a state, factor by factor.

        Raises
        ------
        ConstraintError
            Where none is nearest: to a direction of no length, an attitude of no or negative determinant.
        """
        x = (
            self.pack(start)
            if self.description.face.is_start(start)
            else finite_array("x", start, (self.size,))
        )
        z, w = self.product.parts(x)
        for s in self.product.stacks:
            s.factor.defects(z[s.rows], w[s.bodies], (s.factor.name, s.factor.velocity_name))
            z[s.rows], w[s.bodies] = s.factor.project(z[s.rows], w[s.bodies])
        return self.product.state(z, w)


def _read_factors(factors: Any) -> list[Factor]:
    found = list(entries("factors", factors, DescriptionError))
    if not found or not all(isinstance(f, Factor) for f in found):
        raise DescriptionError(f"factors must be some Place, Direction or Attitude, got {factors!r}")
    names = [name for f in found for name in (f.name, f.velocity_name)]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise DescriptionError(
            f"factors need names of their own, and {', '.join(twice)} stands for several; give name and "
            'velocity, as in Direction("arm", "omega_arm")'
        )
    return found


def _space(factors: Sequence[Factor]) -> str:
    words = {0: "R^{k}", 1: "S^2", 2: "SO(3)"}
    names = [words[f.kind].format(k=f.freedom) for f in factors]
    powers = [(name, names.count(name)) for name in dict.fromkeys(names)]
    return " x ".join(name if k == 1 else f"({name})^{k}" for name, k in powers)


def _less(potential: Any, added: sp.Expr) -> Any:
    """A potential less the terms of the kinetic energy that hold no rates."""
    if added == 0:
        return potential
    if callable(potential):
        raise DescriptionError("kinetic has terms without rates; they belong into the function potential")
    terms = list(potential) if isinstance(potential, (list, tuple)) else [potential]
    return [*(t for t in terms if t is not None), -rational(added)]


def _in_order(forces: Any, factors: Sequence[Factor]) -> Any:
    """Forces that are given by name in the order of the factors; any others as they are."""
    return forces_on_factors(forces, [f.name for f in factors]) if isinstance(forces, Mapping) else forces


def _check_inertia(system: Description) -> None:
    """InputError unless the inertia at the defaults is positive definite at generic states."""
    if any(v is None for v in system.params.values()):
        return
    product, params = system.product, system.parameters_at(None)
    for seed in _SEEDS:
        z, w = product.generic(seed)
        G = rest_momenta(system, z, product.rates(z, w).ravel(), params)[3]
        T, turns = product.tangent(z), product.turns(z)
        inertia = T.T @ G @ T + turns.T @ own_terms(system, w, params)[0] @ turns
        least = float(np.min(np.linalg.eigvalsh((inertia + inertia.T) / 2)))
        t = symmetric_scaling(inertia)  # of places and turns: kg beside kg m^2
        if not np.min(np.linalg.eigvalsh((inertia + inertia.T) / 2 * t * t[:, None])) > 1e-12:
            raise InputError(
                "the kinetic energy must be positive definite in the rates of all factors; its least "
                f"eigenvalue at a generic configuration is {least:.3g}"
            )
