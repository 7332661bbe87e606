"""Mechanical systems on products of places, directions and attitudes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from geoctrl._checks import entries, finite_array, nearest, shape_of
from geoctrl._scalars import FromSympy, Node
from geoctrl.errors import DescriptionError, InputError
from geoctrl.manifolds.calculus import rational
from geoctrl.manifolds.checking import check_description, require
from geoctrl.manifolds.conservation import QUANTITIES
from geoctrl.manifolds.factors import Factor
from geoctrl.manifolds.forms import Second
from geoctrl.manifolds.kinetic import Kinetic
from geoctrl.manifolds.kinetic_reading import read_energy
from geoctrl.manifolds.product import Product
from geoctrl.manifolds.product_display import ProductDisplay
from geoctrl.manifolds.product_trajectory import ProductTrajectory
from geoctrl.manifolds.reading import needs_repair, read_vectors
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.manifolds.tangent import own_terms, rest_momenta
from geoctrl.systems import Family, Parameter

__all__ = ["ProductSystem"]

_SEEDS = (3, 4, 5)
"""Of the generic states at which an inertia is looked at."""


class ProductSystem(ManifoldSystem):
    r"""Mechanical system on a product of places, directions and attitudes.

    .. math::

        L = K(z, u) - V(z), \qquad \dot x = v, \quad \dot q = \omega \times q, \quad \dot R = R \hat\Omega,
        \qquad \delta W = \sum f_x \cdot \delta x + f_q \cdot \delta q + f_R \cdot \eta,
        \quad \delta R = R \hat\eta

    with the rates u of all factors. In a reference frame that turns with the constant rate w, in its own
    axes, configurations are seen from the frame and velocities are inertial ones all the same:
    :math:`\dot z = u - w \times z`. The equations of motion are those of `geoctrl.manifolds.run`.

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
    parameters : sequence of Parameter
    invariants : dict of name -> expression, optional
        In configurations, velocities and parameters. Those that a run keeps are listed in its ``drift``.
    equilibria : dict of name -> Family, optional
        Declared equilibria by state labels, for `equilibrium`; labels left out are zero.
    name, source : str

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
        If a shape or a name is wrong, a symbol unknown, or potential and gradient do not go together.
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

    start_form = "{name: (configuration, velocity)}"
    trajectory_type = ProductTrajectory
    display_type = ProductDisplay
    pair = ("z", "velocity")
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
        parameters: Sequence[Parameter] = (),
        invariants: Mapping[str, Any] | None = None,
        equilibria: Mapping[str, Family] | None = None,
        name: str = "",
        source: str = "",
    ) -> None:
        factors = _read_factors(factors)
        product = Product(factors)
        self.energy_given = read_energy(product, kinetic)
        self.shape, self.space = (product.rows, 3), _space(factors)
        super().__init__(
            factors,
            potential=_less(potential, self.energy_given.potential),
            gradient=gradient,
            forces=_read_forces(forces, factors),
            inputs=inputs,
            law=law,
            parameters=parameters,
            invariants=invariants,
            equilibria=equilibria,
            name=name,
            source=source,
        )
        self.kinetic_given = kinetic
        self._potential_as_given = potential
        self.frame_rate = None if frame_rate is None else read_vectors("frame_rate", frame_rate, 1)[0]
        check_description(self)

    @property
    def arguments(self) -> dict[str, Any]:
        """What the system is made of, by keyword."""
        own = {
            "factors": self.product.factors,
            "kinetic": self.kinetic_given,
            "potential": self._potential_as_given,
            "frame_rate": self.frame_rate,
        }
        return {**super().arguments, **own}

    @cached_property
    def quantity_names(self) -> tuple[str, ...]:
        """Energy, momenta and, with places, linear momenta."""
        linear = [f"linear_momentum{k}" for k in (1, 2, 3)] if 0 in self.product.kinds else []
        return *QUANTITIES, *linear

    def other_quantities(self, z: np.ndarray, w: np.ndarray, run: Any) -> list[np.ndarray]:
        """Linear momenta, (nt,) each."""
        return list(run.linear_momenta(z, w).T) if len(self.quantity_names) > len(QUANTITIES) else []

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The factors, in their order."""
        return self.product.factors

    # -- the Lagrangian -------------------------------------------------------------------------

    @property
    def kinetic(self) -> Kinetic:
        """The kinetic energy, quadratic in the rates.

        Raises
        ------
        DescriptionError
            If it is not.
        """
        if self.energy_given.quadratic is None:
            raise DescriptionError("the kinetic energy is not quadratic in the rates; numbers come from runs")
        return self.energy_given.quadratic

    @property
    def obstacles(self) -> list[str]:
        """What stands against writing the system out, in words."""
        found = super().obstacles
        return found + ([] if self.energy_given.quadratic else ["its kinetic energy is not quadratic"])

    @property
    def inertia_varies(self) -> bool:
        """Whether the Lagrangian besides the bodies' own inertias varies with the configuration."""
        return self.written_rest

    @property
    def written_rest(self) -> bool:
        """Whether the kinetic energy besides the bodies' own is more than one of constant inertia."""
        return self.energy_given.quadratic is None or self.kinetic.varies

    @cached_property
    def rest_node(self) -> Node:
        """Node of the kinetic energy besides that of the bodies' own inertias."""
        if self.energy_given.quadratic is not None:
            return super().rest_node
        return self._to_node_with_rates(self.energy_given.expr)

    @cached_property
    def _to_node_with_rates(self) -> FromSympy:
        table: dict[Any, Node] = dict(zip(self.states, self.state_nodes, strict=True))
        rates = [s for f in self.product.factors for s in f.rate]
        table |= dict(zip(rates, self.rate_nodes, strict=True))
        return FromSympy(
            self.graph, table | {p.symbol: self.parameter_nodes[p.name] for p in self.parameters}
        )

    def own_inertia_at(self, params: Mapping[str, float]) -> np.ndarray:
        """The bodies' own inertias (n, 3, 3), zero where the kinetic energy is not quadratic."""
        if self.energy_given.quadratic is None:
            return np.zeros((self.n, 3, 3))
        return super().own_inertia_at(params)

    @property
    def lagrangian_given(self) -> dict[str, tuple[Sequence[Any], set[Any]]]:
        """The rate of the frame; of a quadratic kinetic energy its coefficients."""
        given: dict[str, tuple[Sequence[Any], set[Any]]] = {
            "frame_rate": ([] if self.frame_rate is None else [self.frame_rate], set())
        }
        places = self.configuration_symbols
        if self.energy_given.quadratic is None:
            rates = {s for f in self.product.factors for s in f.rate}
            require("kinetic", [self.energy_given.expr], places | rates | self.parameter_symbols)
            return given
        terms = [*self.kinetic.G.values(), *(self.kinetic.A or ())]
        return {**given, "kinetic": (terms, places)}

    def check_inertia(self, params: Mapping[str, float]) -> None:
        """InputError unless the inertia is positive definite, as far as generic states show it."""
        product = self.product
        for seed in _SEEDS:
            z, w = product.generic(seed)
            G = rest_momenta(self, z, product.rates(z, w).ravel(), params)[3]
            T, turns = product.tangent(z), product.turns(z)
            inertia = T.T @ G @ T + turns.T @ own_terms(self, w, params)[0] @ turns
            least = float(np.min(np.linalg.eigvalsh((inertia + inertia.T) / 2)))
            if not least > 1e-12 * float(np.max(np.abs(inertia))):
                raise InputError(
                    "the kinetic energy must be positive definite in the rates of all factors; its least "
                    f"eigenvalue at a generic configuration is {least:.3g}"
                )

    @property
    def shape_functions(self) -> list[Node]:
        """Nodes of the potential and of the kinetic energy besides that of directions and attitudes alone."""
        kinetic = [self.rest_node]
        for b, f in enumerate(self.product.factors):
            if f.kind == 0 and self.energy_given.quadratic is not None:
                u = self.rate_nodes[3 * int(self.product.first[b]) :][:3]
                own = self.kinetic.own[b]
                kinetic += [self.to_node(own[i, j]) * u[i] * u[j] for i in range(3) for j in range(3)]
        return [self.to_node(self.potential_expression), self.graph.add(kinetic)]

    # -- states ---------------------------------------------------------------------------------

    @property
    def part_names(self) -> list[tuple[str, str]]:
        """Names of configuration and velocity of each factor."""
        return [(f.name, f.velocity_name) for f in self.product.factors]

    def pack(self, *parts: Any) -> np.ndarray:
        """States of ``{name: (configuration, velocity)}``: (size,), or (size, nt) of nt samples of each.

        Raises
        ------
        DescriptionError
            For a factor that is missing or unknown.
        InputError
            For a wrong shape.
        """
        (start,) = parts
        pairs = self._pairs(start)
        samples = {(shape_of(w) or ())[:-1] for _, w in pairs}
        outer = samples.pop() if len(samples) == 1 else ()
        z, w = [], []
        for f, (first, second) in zip(self.product.factors, pairs, strict=True):
            z.append(finite_array(f.name, first, (*outer, *f.shape)).reshape(*outer, -1))
            w.append(finite_array(f.velocity_name, second, (*outer, 3)))
        return np.concatenate([*z, *w], axis=-1).T.copy()

    def unpack(self, x: Any) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """``{name: (configuration, velocity)}`` of states: inverse of `pack`."""
        z, w, single = self.columns(x)
        found = {}
        for b, f in enumerate(self.product.factors):
            rows = slice(int(self.product.first[b]), int(self.product.first[b]) + f.rows)
            first, second = z[:, rows].reshape(len(z), *f.shape), w[:, b]
            found[f.name] = (first[0], second[0]) if single else (first, second)
        return found

    def named_parts(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Configurations and velocities of all factors, by their names."""
        found = {}
        for f in self.product.factors:
            found[f.name], found[f.velocity_name] = self.unpack(x)[f.name]
        return found

    def _pairs(self, start: Any) -> list[tuple[Any, Any]]:
        """Configuration and velocity of each factor, of a start by name."""
        if not isinstance(start, Mapping):
            raise InputError(f"a state must be given as {{name: (configuration, velocity)}}, got {start!r}")
        names = [f.name for f in self.product.factors]
        for name in start:
            if name not in names:
                raise DescriptionError(f"there is no factor {name!r}{nearest(str(name), names)}")
        missing = [name for name in names if name not in start]
        if missing:
            raise DescriptionError(f"the state lacks {', '.join(missing)}: (configuration, velocity) of each")
        return [entries(name, start[name]) for name in names]  # type: ignore[misc]

    def is_start(self, given: Any) -> bool:
        """Whether something is a start in the form of this system."""
        return isinstance(given, Mapping)

    def read_start(self, given: Any, second: str = "") -> tuple[np.ndarray, np.ndarray]:
        """Configuration and velocities of a start by name, or of a state; ``second`` names no part here."""
        del second
        x = self.pack(given) if isinstance(given, Mapping) else finite_array("x", given, (self.size,))
        return self._on_manifold(*self.product.parts(x))

    def _on_manifold(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z, w = z.copy(), w.copy()
        for b, f in enumerate(self.product.factors):
            rows = slice(int(self.product.first[b]), int(self.product.first[b]) + f.rows)
            stack = z[rows][None], w[b][None]
            names = f.name, f.velocity_name
            remedy = "project(start) of the system gives the nearest state that is on the manifold"
            defects = f.defects(*stack, names)
            if defects and needs_repair(defects, f"{f.name} was projected onto the manifold", remedy, f.name):
                first, second = f.project(*stack)
                z[rows], w[b] = first[0], second[0]
        return z, w

    def project(self, start: Any) -> np.ndarray:
        """The state on the manifold that is nearest to a start by name or a state, factor by factor.

        Raises
        ------
        ConstraintError
            Where none is nearest: to a direction of no length, an attitude of no or negative determinant.
        """
        x = self.pack(start) if isinstance(start, Mapping) else finite_array("x", start, (self.size,))
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


def _read_forces(forces: Any, factors: Sequence[Factor]) -> Any:
    """Forces in the order of the factors, zero on those that are not named."""
    if not isinstance(forces, Mapping):
        return forces
    names = [f.name for f in factors]
    for name in forces:
        if name not in names:
            raise DescriptionError(f"forces act on {name!r}, no factor{nearest(str(name), names)}")
    none = sp.zeros(3, 1)
    return [read_vectors(f"forces[{k!r}]", forces[k], 1)[0] if k in forces else none for k in names]
