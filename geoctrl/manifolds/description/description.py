"""The description that all systems on manifolds share: what is given, its symbols and their nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import entries, finite_array, named_parameters, require_printable, resolve_parameters
from geoctrl._scalars import STATE, FromSympy, Graph, Node, Program, expression, shown
from geoctrl.errors import DescriptionError, ParameterError
from geoctrl.manifolds.description.checking import check_description
from geoctrl.manifolds.description.kept_along_runs import QUANTITIES
from geoctrl.manifolds.description.laws import read_function
from geoctrl.manifolds.description.moving_frame import forces_in_frame
from geoctrl.manifolds.description.state_layouts import Face
from geoctrl.manifolds.description.state_symbols import Letters, part
from geoctrl.manifolds.description.units_found import measures_of
from geoctrl.manifolds.energies.kinetic import Kinetic
from geoctrl.manifolds.energies.potentials import read_terms
from geoctrl.manifolds.product.body_matrices import Bodies
from geoctrl.manifolds.vectors.entries import read_forces, read_gradient
from geoctrl.systems import Family, Parameter, check_names, input_symbol
from geoctrl.systems.parts.member_parameters import member_arrays
from geoctrl.systems.parts.names import check_families
from geoctrl.systems.units.measures import Measures

__all__ = ["Description"]

_SEED = 7

BODIES, TERMS = 16, 2000
"""Systems of more bodies, or of sums of more terms, are not written out for symbolic analysis."""


class Description:
    """Bodies, energies, generalised forces, inputs, parameters, and the nodes of all expressions.

    Parameters
    ----------
    face : Face
        The form in which states are given.
    space : str
        The configuration manifold, in words.
    own : dict
        Arguments of a kind of system by keyword, those that it changed before among them.
    potential, gradient, forces, inputs, law, parameters, invariants, equilibria, name, source
        As `geoctrl.manifolds.ProductSystem` takes them.

    Attributes
    ----------
    frame_rate : sympy Matrix or None
        Rate of the reference frame in its own axes, in parameters.
    frame_velocity : sympy Matrix or None
        Its velocity, along that.
    forces_in_space, forces_given : tuple of vectors, callable or None
        Of the velocities in space, as they were given; and of those beside the frame's.
    driven : tuple of symbols
        The inputs in the forces, those set by a law included.
    potential_terms : list of Sum
        Terms of a potential that is no function.
    letters : Letters
    """

    states, to_node = part("letters.states"), part("letters.to_node")
    state_nodes, time_node = part("letters.state_nodes"), part("letters.time_node")
    parameter_nodes, driven_nodes = (
        part("letters.parameter_nodes"),
        part("letters.driven_nodes"),
    )
    input_nodes = part("letters.input_nodes")

    def __init__(
        self,
        kinetic: Kinetic,
        face: Face,
        space: str,
        own: Mapping[str, Any],
        *,
        potential: Any,
        gradient: Callable | None,
        forces: Any,
        inputs: Sequence[Any],
        law: Callable | None,
        parameters: Sequence[Parameter],
        invariants: Mapping[str, Any] | None,
        equilibria: Mapping[str, Family] | None,
        name: str,
        source: str,
    ) -> None:
        self.kinetic, self.face, self.space, self.own_arguments = kinetic, face, space, dict(own)
        self.product, self.shape, self.pair = kinetic.product, face.shape, face.pair
        self.n, self.split = self.product.bodies, self.product.split
        self.state_labels = self.product.labels
        self.frame_rate = self.own_arguments.get("frame_rate")
        self.frame_velocity = self.own_arguments.get("frame_velocity")
        self.parameters = entries("parameters", parameters, DescriptionError)
        self.driven = tuple(map(input_symbol, entries("inputs", inputs, DescriptionError)))
        self.law = None if law is None else read_function(law)
        self.inputs = self.driven if law is None else ()
        self.input_labels = tuple(map(str, self.inputs))
        check_names(self.parameters, [*self.state_labels, *map(str, self.driven)], "an input")
        self.params = {p.name: p.default for p in self.parameters}
        self.name, self.source = name, source
        require_printable("the name of a system", [name])
        require_printable("the source of a system", [source], prose=True)
        for what, given in (
            ("inputs", map(str, self.driven)),
            ("invariants", named_entries("invariants", invariants)),
            ("equilibria", named_entries("equilibria", equilibria)),
        ):
            require_printable(f"{what}: the name", given)
        self.potential_given: Any = potential
        self.gradient_given: Any = gradient
        self.computed = read_gradient(potential, gradient, str(self.shape))
        self.forces_in_space = read_forces(forces, self.driven, self.n)
        self.forces_given = forces_in_frame(self, self.forces_in_space)
        self.invariants_given = {
            str(k): expression(e, f"invariants[{k!r}]")
            for k, e in named_entries("invariants", invariants).items()
        }
        self.families = {str(k): family for k, family in named_entries("equilibria", equilibria).items()}
        taken = dict.fromkeys((*self.state_labels, *map(str, self.driven)), "a state or an input")
        check_families(self.families, taken | dict.fromkeys(self.params, "a parameter"))
        self.graph = Graph()
        self.letters = Letters(self.graph, self.state_labels, self.driven, self.inputs, self.parameters)
        self.potential_terms = (
            [] if self.computed else read_terms(potential, self.bodies, lambda: self.states[: self.split])
        )
        check_description(self)

    @property
    def arguments(self) -> dict[str, Any]:
        """What the system is made of, by keyword."""
        common = {
            "potential": self.potential_given,
            "gradient": self.gradient_given,
            "forces": self.forces_in_space,
            "inputs": self.driven,
            "law": self.law,
            "parameters": self.parameters,
            "invariants": self.invariants_given,
            "equilibria": self.families,
            "name": self.name,
            "source": self.source,
        }
        return common | self.own_arguments

    @cached_property
    def bodies(self) -> Bodies:
        """What sums of the potential are over."""
        return Bodies(self.product.factors, self.product.first)

    @cached_property
    def measures(self) -> Measures:
        """Units of states, inputs and parameters."""
        return measures_of(self, self.state_labels)

    @cached_property
    def potential_expression(self) -> sp.Expr:
        """The potential written out in the configuration and parameters."""
        places = self.states[: self.split]
        return sp.Add(*(term.expression(places) for term in self.potential_terms))

    # -- nodes ----------------------------------------------------------------------------------

    @cached_property
    def programs(self) -> dict[Any, Any]:
        """Programs of derivatives, made when first used."""
        return {}

    @property
    def configuration_nodes(self) -> list[Node]:
        """Nodes of the configurations, row by row."""
        return self.state_nodes[: self.split]

    @property
    def velocity_nodes(self) -> list[Node]:
        """Nodes of the velocities, body by body."""
        return self.state_nodes[self.split :]

    @cached_property
    def force_nodes(self) -> list[Node]:
        """Nodes of the generalised forces, body by body."""
        return [self.to_node(e) for f in self.forces_given for e in f]

    # -- what it is -----------------------------------------------------------------------------

    @property
    def configuration_symbols(self) -> set[sp.Symbol]:
        """Symbols of the configurations."""
        return set(self.states[: self.split])

    @cached_property
    def quantity_names(self) -> tuple[str, ...]:
        """Energy, momenta and, with places, linear momenta, besides which invariants are declared."""
        linear = [f"linear_momentum{k}" for k in (1, 2, 3)] if 0 in self.product.kinds else []
        return *QUANTITIES, *linear

    @property
    def parameter_symbols(self) -> set[sp.Symbol]:
        """Symbols of the parameters."""
        return {p.symbol for p in self.parameters}

    @property
    def has_forces(self) -> bool:
        """Whether there are generalised forces."""
        return self.forces_given is not None

    @cached_property
    def has_damping(self) -> bool:
        """Whether the forces may depend on velocities."""
        if not self.has_forces:
            return False
        if self.law is not None or callable(self.forces_given):
            return True
        return bool(set(self.graph.symbols(self.force_nodes)) & set(self.velocity_nodes))

    @cached_property
    def autonomous(self) -> bool:
        """Whether no expression holds the time; what functions do with it is not known."""
        if not self.has_forces or callable(self.forces_given):
            return True
        return self.time_node not in self.graph.symbols(self.force_nodes)

    @property
    def is_symbolic(self) -> bool:
        """Whether everything is given by expressions."""
        return not (self.computed or self.law is not None or callable(self.forces_given))

    @property
    def symbolic(self) -> bool:
        """Whether everything is given by expressions, few enough to be written out as reduced equations."""
        return not self.obstacles

    @property
    def obstacles(self) -> list[str]:
        """What stands against writing the system out, in words."""
        functions = {
            "potential": self.computed,
            "forces": callable(self.forces_given),
            "feedback law": self.law is not None,
        }
        terms = sum(term.domain.count for term in self.potential_terms)
        found = [f"its {what} is a function" for what, given in functions.items() if given]
        found += [f"it has {self.n} bodies"] if self.n > BODIES else []
        found += [f"its potential has {terms} terms"] if terms > TERMS else []
        found += [] if self.kinetic.quadratic else ["its kinetic energy is not quadratic"]
        return found + [t.domain.obstacle for t in self.potential_terms if t.domain.obstacle]

    @property
    def inertia_varies(self) -> bool:
        """Whether the kinetic energy besides the bodies' own is more than one of constant inertia."""
        return self.kinetic.varies

    @cached_property
    def rate_nodes(self) -> list[Node]:
        """Nodes of the rates of the configurations, row by row."""
        return [self.graph.symbol(f"{label}_dot", STATE) for label in self.state_labels[: self.split]]

    @cached_property
    def covector_nodes(self) -> list[Node]:
        """Nodes of linear terms in the components of the velocities, where they are given so."""
        return [self.to_node(e) for a in self.kinetic.linear for e in a]

    @property
    def covectors_vary(self) -> bool:
        """Whether these depend on the configuration."""
        return bool(set(self.graph.symbols(self.covector_nodes)) & set(self.configuration_nodes))

    @cached_property
    def lagrangian_node(self) -> FromSympy:
        """Converter of expressions in configurations, rates and parameters."""
        rates = [s for f in self.product.factors for s in f.rate]
        table: dict[Any, Node] = dict(zip(rates, self.rate_nodes, strict=True))
        table |= dict(zip(self.states[: self.split], self.configuration_nodes, strict=True))
        return FromSympy(
            self.graph, table | {p.symbol: self.parameter_nodes[p.name] for p in self.parameters}
        )

    @cached_property
    def rest_node(self) -> Node:
        """Node of the kinetic energy besides that of the bodies' own inertias."""
        kinetic, u, to_node = self.kinetic, self.rate_nodes, self.lagrangian_node
        if kinetic.other is not None:
            return to_node(kinetic.other)
        terms = [to_node(e) * u[i] * u[j] / 2 for (i, j), e in kinetic.rest.items()]
        linear = [to_node(e) * v for e, v in zip(kinetic.A or (), u, strict=False)]
        return self.graph.add([*terms, *linear])

    def inertia_at(self, params: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray | None]:
        """The bodies' own inertias (n, 3, 3), of their velocities, and the constant inertia (3 N, 3 N) of the
        rates besides; None where there is none.
        """
        return self.kinetic.numbers_at({p.symbol: params[p.name] for p in self.parameters})

    def frame_rate_at(self, params: Mapping[str, float]) -> np.ndarray:
        """Rate (3,) of the reference frame, zero where it does not turn."""
        if self.frame_rate is None:
            return np.zeros(3)
        table = {p.symbol: params[p.name] for p in self.parameters}
        return finite_array("frame_rate", self.frame_rate.xreplace(table)).ravel()

    @property
    def formulas(self) -> list[Node]:
        """Nodes of what the system is given by besides the potential, as far as those are expressions."""
        forces = self.force_nodes if self.has_forces and not callable(self.forces_given) else []
        rest = [self.rest_node] if self.inertia_varies else []
        return [*rest, *self.covector_nodes, *forces]

    def require_symbolic(self) -> None:
        """DescriptionError unless the system can be written out in symbols."""
        if self.obstacles:
            reason = ", as its inertia depends on the configuration" if self.inertia_varies else ""
            raise DescriptionError(
                f"this needs the system written out in expressions (at most {BODIES} bodies and {TERMS} "
                f"terms, no cutoff){reason}; but {', and '.join(self.obstacles)}. Give expressions, or fewer "
                "of them; numbers alone come from rhs, jacobian, energy and runs"
            )

    @cached_property
    def force_free(self) -> bool:
        """Whether the forces, if any, vanish with the inputs."""
        if not self.has_forces:
            return True
        if self.law is not None or callable(self.forces_given):
            return False
        off = dict.fromkeys(self.inputs, 0)
        return all(sp.expand(e.xreplace(off)) == 0 for f in self.forces_given for e in f)

    def parameters_at(self, params: Mapping[str, float] | None) -> dict[str, float]:
        """Defaults overridden by ``params``; ParameterError for unknown, missing, non-positive values."""
        if arrays := member_arrays(params):
            raise ParameterError(
                f"parameter {next(iter(arrays))!r} is an array, but compiled kernels take one set of "
                "parameters at a time; sys.euler_poincare().reduce() takes arrays"
            )
        positive = {p.name for p in self.parameters if p.positive}
        values = resolve_parameters(self.params, params, positive)
        return {k: float(v) for k, v in values.items()}

    @property
    def shape_functions(self) -> list[Node]:
        """Nodes of what of the Lagrangian may change when all bodies are turned: the potential, linear terms,
        and the kinetic energy besides that of directions and attitudes alone.
        """
        kinetic, u = [self.rest_node], self.rate_nodes
        for f, row, own in zip(self.product.factors, self.product.first, self.kinetic.own, strict=True):
            if f.kind == 0:
                moving = u[3 * int(row) :][:3]
                kinetic += [self.to_node(e) * moving[i // 3] * moving[i % 3] for i, e in enumerate(own)]
        potential = self.to_node(self.potential_expression)
        return [potential, *self.covector_nodes, self.graph.add(kinetic)]

    def check_names(self, params: Mapping[str, float] | None) -> None:
        """ParameterError for parameters that are given and not known, where their values do not matter."""
        given = named_parameters(params)
        if given:
            self.parameters_at({p.name: 1.0 for p in self.parameters} | given)

    def read_inputs(self, u: Any) -> np.ndarray:
        """Constant inputs (m,), zero where none are given."""
        m = len(self.input_labels)
        return np.zeros(m) if u is None else finite_array("u", u, (m,))

    @cached_property
    def declared_programs(self) -> tuple[Program, Program]:
        """Values and gradients of the declared invariants."""
        nodes = [self.to_node(e) for e in self.invariants_given.values()]
        slopes = [e for row in self.graph.jacobian(nodes, self.state_nodes) for e in row]
        arguments = self.graph, self.state_nodes, self.parameter_nodes
        return Program(*arguments, nodes), Program(*arguments, slopes)

    def invariant_gradients(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Gradients (k, size) of the declared invariants by the state."""
        return np.reshape(self.declared_programs[1](list(x), params), (-1, self.product.size))

    def generic_state(self, seed: int = _SEED) -> np.ndarray:
        """A state of no particular kind."""
        return self.product.state(*self.product.generic(seed))


def named_entries(what: str, given: Any) -> Mapping[Any, Any]:
    """A dict by name, empty where nothing is given; TypeError for anything else."""
    if not isinstance(given, Mapping | None):
        raise TypeError(f"{what} must be a dict by name, got {shown(given)}")
    return given or {}
