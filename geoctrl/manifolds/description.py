"""The description that all systems on manifolds share: what is given, its symbols and their nodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp

from geoctrl._checks import entries, require_declared, resolve_parameters
from geoctrl._scalars import PARAMETER, STATE, Graph, Node, expression, shown
from geoctrl.errors import DescriptionError
from geoctrl.manifolds.conservation import QUANTITIES
from geoctrl.manifolds.laws import read_function
from geoctrl.manifolds.model import ManifoldModel
from geoctrl.manifolds.reading import check_gradient, examine_potential, read_forces, read_gradient
from geoctrl.systems import Family, Parameter, check_names, input_symbol, time
from geoctrl.systems.names import check_families

__all__ = ["ManifoldDescription"]

BODIES = 16
"""Systems of more bodies than this are not written out for symbolic analysis."""


class ManifoldDescription(ManifoldModel):
    """Configurations, velocities, a potential, generalised forces, inputs, parameters.

    Parameters
    ----------
    configurations, velocities : sequences of n sympy matrices
        Of the symbols of each body.
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
    written_limits : str
        Which systems can be written out in symbols, in words.
    """

    written_limits: ClassVar[str]

    def __init__(
        self,
        configurations: Sequence[sp.Matrix],
        velocities: Sequence[sp.Matrix],
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
        self.n = len(configurations)
        self.states = tuple(s for M in (*configurations, *velocities) for s in M)
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
        self.computed = read_gradient(potential, gradient, str((self.n, *self.entries)))
        self.forces_given = read_forces(forces, self.driven, self.n)
        self.invariants_given = {
            str(k): expression(e, f"invariants[{k!r}]")
            for k, e in named_entries("invariants", invariants).items()
        }
        self.families = {str(k): family for k, family in named_entries("equilibria", equilibria).items()}
        taken = dict.fromkeys((*self.state_labels, *map(str, self.driven)), "a state or an input")
        check_families(self.families, taken | dict.fromkeys(self.params, "a parameter"))
        self.graph = Graph()

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

    @property
    def term_symbols(self) -> set[sp.Symbol]:
        """Symbols of bodies in small expressions that are summed: none, where there are no such sums."""
        return set()

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
        found = [f"its {what} is a function" for what, given in functions.items() if given]
        return found + ([f"it has {self.n} bodies"] if self.n > BODIES else [])

    @property
    @abstractmethod
    def inertia_varies(self) -> bool:
        """Whether the inertia depends on the configuration."""

    @property
    @abstractmethod
    def coupled(self) -> int:
        """Number of bodies that the inertia couples to each other, of a system that can be written out."""

    def require_symbolic(self) -> None:
        """DescriptionError unless the system can be written out in symbols."""
        if self.obstacles:
            reason = ", as its inertia depends on the configuration" if self.inertia_varies else ""
            raise DescriptionError(
                f"this needs the system written out in expressions ({self.written_limits}){reason}; but "
                f"{', and '.join(self.obstacles)}. Give expressions, or fewer of them; numbers alone come "
                "from rhs, jacobian, energy and runs"
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

    # -- checks ---------------------------------------------------------------------------------

    def require(self, what: str, values: Sequence[Any], allowed: set[Any]) -> None:
        """DescriptionError for symbols that are not ``allowed`` there."""
        remedy = "take parameter.symbol, and what `symbols` of geoctrl.spheres or geoctrl.rotations gives"
        require_declared(what, values, allowed, remedy)

    @property
    @abstractmethod
    def shape_functions(self) -> list[Node]:
        """Nodes of all functions of the configuration in the Lagrangian of a written system."""

    @abstractmethod
    def check_inertia(self, params: Mapping[str, float]) -> object:
        """InputError unless the inertia at these parameters is that of a body."""

    @abstractmethod
    def generic_state(self, seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
        """A configuration and velocities (n, 3) of no particular kind."""

    @abstractmethod
    def motion(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Rate of a configuration that velocities (n, 3) give it, relative to the reference."""

    def check_numbers(self) -> None:
        """Check inertia and gradient at the defaults, where all parameters have one."""
        if any(v is None for v in self.params.values()):
            return
        params = self.parameters_at(None)
        self.check_inertia(params)
        if self.computed:
            values = np.array(list(params.values()), dtype=float)
            examine_potential(self.potential_given, self.gradient_given, self.generic_state()[0], values)
            self.check_gradient(
                lambda place: self.potential_given(place, values),
                lambda place: self.gradient_given(place, values),
                seeds=(7,),
            )

    def check_gradient(self, potential: Callable, gradient: Callable, seeds: Sequence[int]) -> bool:
        """Whether potential and gradient, functions of the configuration, could be compared and agree.

        Raises
        ------
        GradientError
            If they do not agree.
        """
        states = [self.generic_state(seed) for seed in seeds]
        compared = [check_gradient(potential, gradient, q, self.motion(q, w)) for q, w in states]
        return any(compared)

    def check_invariants(self) -> None:
        """Refuse declared invariants that cannot be read, or go by names that are taken.

        Raises
        ------
        DescriptionError
            For a symbol or a name.
        ExpressionError
            For a function.
        """
        taken = set(QUANTITIES) & set(self.invariants_given)
        if taken:
            raise DescriptionError(
                f"the system has {', '.join(sorted(taken))} of its own: choose another name"
            )
        self.require(
            "invariants", list(self.invariants_given.values()), self.parameter_symbols | set(self.states)
        )
        for name, expr in self.invariants_given.items():
            if expr.has(sp.sign, sp.Piecewise):
                raise DescriptionError(f"invariant {name!r} may jump; write it without sign and Piecewise")
            self.to_node(expr)

    def check_forces(self) -> None:
        """Refuse symbols and functions in the forces that are not known.

        Raises
        ------
        DescriptionError
            For a symbol.
        ExpressionError
            For a function.
        """
        if self.forced and not callable(self.forces_given):
            known = self.parameter_symbols | set(self.states) | set(self.driven) | {time}
            self.require("forces", self.forces_given, known)
            for expr in (e for f in self.forces_given for e in f):
                self.to_node(expr)

    def __repr__(self) -> str:
        title = f"<{type(self).__name__} {self.name or 'unnamed'} on {self.space.format(n=self.n)}>"
        parameters = ", ".join(f"{k}={v}" for k, v in self.params.items())
        return "\n".join(
            [title, f"  inputs: {', '.join(self.input_labels) or '-'}", f"  parameters: {parameters or '-'}"]
        )


def named_entries(what: str, given: Any) -> Mapping[Any, Any]:
    """A dict by name, empty where nothing is given; TypeError for anything else."""
    if not isinstance(given, Mapping | None):
        raise TypeError(f"{what} must be a dict by name, got {shown(given)}")
    return given or {}
