"""The description that all systems on manifolds share: what is given, its symbols and their nodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
import sympy as sp

from geoctrl._checks import entries, finite_array, resolve_parameters
from geoctrl._scalars import PARAMETER, STATE, Graph, Node, expression, shown
from geoctrl.errors import DescriptionError
from geoctrl.manifolds.bodies import Bodies
from geoctrl.manifolds.conservation import QUANTITIES
from geoctrl.manifolds.factors import Factor
from geoctrl.manifolds.kinetic import Kinetic
from geoctrl.manifolds.laws import read_function
from geoctrl.manifolds.model import ManifoldModel
from geoctrl.manifolds.potentials import read_terms
from geoctrl.manifolds.product import Product
from geoctrl.manifolds.reading import read_forces, read_gradient
from geoctrl.systems import Family, Parameter, check_names, input_symbol
from geoctrl.systems.names import check_families

__all__ = ["ManifoldDescription"]

_SEED = 7

BODIES, TERMS = 16, 2000
"""Systems of more bodies, or of sums of more terms, are not written out for symbolic analysis."""


class ManifoldDescription(ManifoldModel):
    """Bodies, a potential, generalised forces, inputs, parameters.

    Parameters
    ----------
    factors : sequence of Factor
        The bodies.
    potential : expression, callable, or what else a kind of system knows
    gradient : callable, optional
    forces : n vectors of three expressions, or callable, optional
    inputs : sequence of symbols or names
    law : callable ``law(t, x, params) -> u``, optional
        Sets all inputs: a closed loop, which has none.
    parameters : sequence of Parameter
    invariants : dict of name -> expression, optional
    equilibria : dict of name -> Family, optional
        Relative equilibria in closed form, by state labels.
    name, source : str

    Raises
    ------
    DescriptionError
        If potential and gradient do not go together, forces have a wrong shape, or labels repeat.
    ParameterError
        If parameter names repeat or meet a label.

    Attributes
    ----------
    frame_rate : sympy Matrix or None
        Rate of the reference frame in its own axes, in parameters.
    potential_terms : list of Sum
        Terms of a potential that is no function.
    """

    frame_rate: sp.Matrix | None = None

    def __init__(
        self,
        factors: Sequence[Factor],
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
        self.product = Product(factors)
        self.n = self.product.bodies
        self.parameters = entries("parameters", parameters, DescriptionError)
        self.driven = tuple(map(input_symbol, entries("inputs", inputs, DescriptionError)))
        self.law = None if law is None else read_function(law)
        self.inputs = self.driven if law is None else ()
        self.input_labels = tuple(map(str, self.inputs))
        check_names(self.parameters, [*self.state_labels, *map(str, self.driven)], "an input")
        self.params = {p.name: p.default for p in self.parameters}
        self.name, self.source = name, source
        self.potential_given: Any = potential
        self.gradient_given: Any = gradient
        self.computed = read_gradient(potential, gradient, str(self.shape))
        self.forces_given = read_forces(forces, self.driven, self.n)
        self.invariants_given = {
            str(k): expression(e, f"invariants[{k!r}]")
            for k, e in named_entries("invariants", invariants).items()
        }
        self.families = {str(k): family for k, family in named_entries("equilibria", equilibria).items()}
        taken = dict.fromkeys((*self.state_labels, *map(str, self.driven)), "a state or an input")
        check_families(self.families, taken | dict.fromkeys(self.params, "a parameter"))
        self.graph = Graph()
        self.potential_terms = (
            [] if self.computed else read_terms(potential, self.bodies, lambda: self.states[: self.split])
        )

    @property
    def arguments(self) -> dict[str, Any]:
        """What the system is made of, by keyword."""
        return {
            "potential": self.potential_given,
            "gradient": self.gradient_given,
            "forces": self.forces_given,
            "inputs": self.driven,
            "law": self.law,
            "parameters": self.parameters,
            "invariants": self.invariants_given,
            "equilibria": self.families,
            "name": self.name,
            "source": self.source,
        }

    @cached_property
    def bodies(self) -> Bodies:
        """What sums of the potential are over."""
        return Bodies(self.product.factors, self.product.first)

    @cached_property
    def potential_expression(self) -> sp.Expr:
        """The potential written out in the configuration and parameters."""
        places = self.states[: self.split]
        return sp.Add(*(term.expanded(places) for term in self.potential_terms))

    def replace(self, **changes: Any) -> Self:
        """The system with some arguments changed, checked anew."""
        return type(self)(**(self.arguments | changes))

    def __reduce__(self):
        return partial(type(self), **self.arguments), ()  # what was compiled and derived stays behind

    @abstractmethod
    def run(self, params: Mapping[str, float] | None = None, drive: Any = None) -> Any:
        """Kernels with the numbers of one run, under inputs that are no feedback."""

    # -- nodes ----------------------------------------------------------------------------------

    @cached_property
    def parameter_nodes(self) -> dict[str, Node]:
        """Nodes of the parameters by name."""
        return {p.name: self.graph.symbol(p.name, PARAMETER) for p in self.parameters}

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
    def driven_nodes(self) -> list[Node]:
        """Nodes of the inputs in the forces, those set by a law included."""
        return [self.graph.symbol(f"input {u}", STATE) for u in self.driven]

    @cached_property
    def force_nodes(self) -> list[Node]:
        """Nodes of the generalised forces, body by body."""
        return [self.to_node(e) for f in self.forces_given for e in f]

    # -- what it is -----------------------------------------------------------------------------

    @property
    def configuration_symbols(self) -> set[sp.Symbol]:
        """Symbols of the configurations."""
        return set(self.states[: self.split])

    @property
    def quantity_names(self) -> tuple[str, ...]:
        """Names of what every system of this kind may conserve, before the declared invariants."""
        return QUANTITIES

    @property
    def parameter_symbols(self) -> set[sp.Symbol]:
        """Symbols of the parameters."""
        return {p.symbol for p in self.parameters}

    @property
    def forced(self) -> bool:
        """Whether there are generalised forces."""
        return self.forces_given is not None

    @cached_property
    def damped(self) -> bool:
        """Whether the forces may depend on velocities."""
        if not self.forced:
            return False
        if self.law is not None or callable(self.forces_given):
            return True
        return bool(set(self.graph.symbols(self.force_nodes)) & set(self.velocity_nodes))

    @cached_property
    def autonomous(self) -> bool:
        """Whether no expression holds the time; what functions do with it is not known."""
        if not self.forced or callable(self.forces_given):
            return True
        return self.time_node not in self.graph.symbols(self.force_nodes)

    @property
    def written(self) -> bool:
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
        return found + [t.domain.obstacle for t in self.potential_terms if t.domain.obstacle]

    @property
    @abstractmethod
    def inertia_varies(self) -> bool:
        """Whether the inertia depends on the configuration."""

    @property
    @abstractmethod
    def kinetic(self) -> Kinetic:
        """The kinetic energy of a system that can be written out."""

    @cached_property
    def rate_nodes(self) -> list[Node]:
        """Nodes of the rates of the configurations, row by row."""
        return [self.graph.symbol(f"{label}_dot", STATE) for label in self.state_labels[: self.split]]

    @property
    def covector_nodes(self) -> list[Node]:
        """Nodes of linear terms in the components of the velocities, where they are given so."""
        return []

    @property
    def covectors_vary(self) -> bool:
        """Whether these depend on the configuration."""
        return bool(set(self.graph.symbols(self.covector_nodes)) & set(self.configuration_nodes))

    @property
    def written_rest(self) -> bool:
        """Whether the kinetic energy besides the bodies' own is more than one of constant inertia."""
        return self.kinetic.varies

    @cached_property
    def rest_node(self) -> Node:
        """Node of the kinetic energy besides that of the bodies' own inertias."""
        u, to_node = self.rate_nodes, self.to_node
        terms = [to_node(e) * u[i] * u[j] / 2 for (i, j), e in self.kinetic.rest.items()]
        A = () if self.covector_nodes else self.kinetic.A or ()
        linear = [to_node(e) * v for e, v in zip(A, u, strict=False)]
        return self.graph.add([*terms, *linear])

    def own_inertia_at(self, params: Mapping[str, float]) -> np.ndarray:
        """The bodies' own inertias (n, 3, 3), of their velocities."""
        own = sp.Matrix([e for J in self.kinetic.own for e in J])
        return self._numbers("inertia", own, params).reshape(self.n, 3, 3)

    def coupling_at(self, params: Mapping[str, float]) -> np.ndarray | None:
        """Constant inertia (3 N, 3 N) of the rates besides the bodies' own; None where there is none."""
        places = list(self.kinetic.rest)
        if not places:
            return None
        G = np.zeros((self.split, self.split))
        numbers = self._numbers("inertia", sp.Matrix(list(self.kinetic.rest.values())), params)
        G[tuple(np.array(places).T)] = numbers.ravel()
        return G

    def frame_rate_at(self, params: Mapping[str, float]) -> np.ndarray:
        """Rate (3,) of the reference frame, zero where it does not turn."""
        if self.frame_rate is None:
            return np.zeros(3)
        return self._numbers("frame_rate", self.frame_rate, params).ravel()

    def _numbers(self, name: str, M: sp.Matrix, params: Mapping[str, float]) -> np.ndarray:
        """A matrix of expressions in parameters in numbers; InputError where it is not finite."""
        table = {p.symbol: params[p.name] for p in self.parameters}
        return finite_array(name, M.xreplace(table) if M.free_symbols else M)

    @property
    def formulas(self) -> list[Node]:
        """Nodes of what the system is given by besides the potential, as far as those are expressions."""
        forces = self.force_nodes if self.forced and not callable(self.forces_given) else []
        rest = [self.rest_node] if self.written_rest else []
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
        if not self.forced:
            return True
        if self.law is not None or callable(self.forces_given):
            return False
        off = dict.fromkeys(self.inputs, 0)
        return all(sp.expand(e.xreplace(off)) == 0 for f in self.forces_given for e in f)

    def parameters_at(self, params: Mapping[str, float] | None) -> dict[str, float]:
        """Defaults overridden by ``params``; ParameterError for unknown, missing, non-positive values."""
        positive = {p.name for p in self.parameters if p.positive}
        values = resolve_parameters(self.params, params, positive)
        return {k: float(v) for k, v in values.items()}

    @property
    @abstractmethod
    def shape_functions(self) -> list[Node]:
        """Nodes of all functions of the configuration in the Lagrangian of a written system."""

    @property
    @abstractmethod
    def lagrangian_given(self) -> dict[str, tuple[Sequence[Any], set[Any]]]:
        """Expressions in the Lagrangian besides the potential, and the symbols in each, by name."""

    @abstractmethod
    def check_inertia(self, params: Mapping[str, float]) -> object:
        """InputError unless the inertia at these parameters is that of a body."""

    def generic_state(self, seed: int = _SEED) -> np.ndarray:
        """A state of no particular kind."""
        return self.product.state(*self.product.generic(seed))

    def __repr__(self) -> str:
        title = f"<{type(self).__name__} {self.name or 'unnamed'} on {self.space}>"
        parameters = ", ".join(f"{k}={v}" for k, v in self.params.items())
        return "\n".join(
            [title, f"  inputs: {', '.join(self.input_labels) or '-'}", f"  parameters: {parameters or '-'}"]
        )


def named_entries(what: str, given: Any) -> Mapping[Any, Any]:
    """A dict by name, empty where nothing is given; TypeError for anything else."""
    if not isinstance(given, Mapping | None):
        raise TypeError(f"{what} must be a dict by name, got {shown(given)}")
    return given or {}
