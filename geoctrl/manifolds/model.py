"""What has states of n bodies on a product of manifolds: shapes, rates, the view of other packages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, named_parameters, real_array
from geoctrl._scalars import STATE, FromSympy, Graph, Node
from geoctrl.errors import ExpressionError, InputError
from geoctrl.manifolds.product import Product
from geoctrl.manifolds.reading import signals
from geoctrl.runs import Samples
from geoctrl.stepping.drive import Drive
from geoctrl.systems import Parameter, time
from geoctrl.systems.contract import System

__all__ = ["ManifoldModel"]


class ManifoldModel(System):
    """States (configurations, velocities or momenta) of n bodies, and a compiled field on them.

    Of the vectors x only those on the manifold are states. What is simulated and analysed is either a system
    in its own states or one of its forms.

    Attributes
    ----------
    product : Product
        The bodies.
    pair : tuple of str
        Names of the two parts of the state.
    shape : tuple of int
        Shape in which the configuration is given, and functions are given it.
    space : str
        The configuration manifold, in words.
    n : int
        Number of bodies.
    states, state_labels, inputs, input_labels
    driven : tuple of symbols
        The inputs in the forces, those set by a law included.
    params : dict
        Defaults by name.
    """

    recorded = False
    families: Mapping[str, Any] = MappingProxyType({})
    output_labels: tuple[str, ...] = ()
    product: Product
    pair: tuple[str, str]
    shape: tuple[int, ...]
    space: str
    n: int
    name: str
    inputs: tuple[Any, ...]
    driven: tuple[Any, ...]
    input_labels: tuple[str, ...]
    params: dict[str, float | None]
    parameters: tuple[Parameter, ...]
    graph: Graph

    # -- shapes ---------------------------------------------------------------------------------

    @property
    def split(self) -> int:
        """Number of entries of all configurations; the three entries a body of the second part follow."""
        return self.product.split

    @property
    def size(self) -> int:
        """Number of entries of a state."""
        return self.product.size

    @property
    def nstates(self) -> int:
        """Number of entries of a state."""
        return self.size

    @property
    def ninputs(self) -> int:
        """Number of inputs m."""
        return len(self.input_labels)

    @cached_property
    def state_labels(self) -> tuple[str, ...]:
        """Labels of the states: entries of the configuration, body by body, then those of the velocities."""
        factors = self.product.factors
        parts = *(f.labels for f in factors), *(f.velocity_labels for f in factors)
        return tuple(label for part in parts for label in part)

    @cached_property
    def states(self) -> tuple[sp.Symbol, ...]:
        """Symbols of the states, made when first asked for: systems of many bodies do without."""
        return tuple(sp.Symbol(label, real=True) for label in self.state_labels)

    @abstractmethod
    def pack(self, *parts: Any) -> np.ndarray:
        """States (size,) or (size, nt) of their parts, in the form in which these are given."""

    @abstractmethod
    def unpack(self, x: Any) -> Any:
        """The parts of states: inverse of `pack`."""

    def _rows(self, x: Any) -> np.ndarray:
        """States as rows: (size,) or (nt, size)."""
        x = real_array("x", x)
        if x.ndim not in (1, 2) or x.shape[0] != self.size:
            raise InputError(f"x must have shape ({self.size},) or ({self.size}, nt), got {x.shape}")
        return np.ascontiguousarray(x.T)

    def columns(self, x: Any) -> tuple[np.ndarray, np.ndarray, bool]:
        """Configurations (nt, N, 3) and velocities (nt, n, 3), and whether x was a single state.

        Raises
        ------
        InputError
            For a wrong shape.
        """
        rows = self._rows(x)
        return *self.product.parts(np.atleast_2d(rows)), rows.ndim == 1

    # -- numbers --------------------------------------------------------------------------------

    @abstractmethod
    def acting(self, drive: Drive) -> ManifoldModel:
        """The system of which a run under some inputs is one, closed by them where they are feedback."""

    def outputs(self, t: Any, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """No outputs are declared on manifolds: (0,) or (0, nt); raises as `rhs` does."""
        outer = self._rows(x).shape[:-1]
        signals(self.input_labels, t, u, *outer or (1,))
        self._check_names(params)
        return np.zeros((0, *outer))

    @abstractmethod
    def derivatives(
        self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of `rhs` by the state (size, size) and by the inputs (size, m)."""

    def jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative of `rhs` by the state, square, in all ambient directions.

        Exact where the system can be written out in symbols; else central differences.

        Raises
        ------
        InputError
            For a wrong shape.
        ParameterError
            For an unknown or missing parameter.
        """
        x = finite_array("x", x, (self.size,))
        return self.derivatives(t, x, self.read_inputs(u), self.parameters_at(params))[0]

    def input_jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative of `rhs` by the inputs, (size, m); as `jacobian`."""
        x = finite_array("x", x, (self.size,))
        return self.derivatives(t, x, self.read_inputs(u), self.parameters_at(params))[1]

    @abstractmethod
    def trajectory(self, time: np.ndarray, states: np.ndarray, **rest: Any) -> Samples:
        """Trajectory of states (size, nt); ``rest`` as `ManifoldTrajectory` takes it."""

    @abstractmethod
    def view(self, spin: Any = None) -> Any:
        """The reduced equations, in axes that turn with ``spin``, and the maps between the states."""

    def rhs(self, t: Any, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Time derivative of the state, with the shape of ``x``.

        Raises
        ------
        InputError
            For a wrong shape.
        ParameterError
            For an unknown or missing parameter.
        SingularMassError
            Where the inertia is singular.
        """
        rows = np.atleast_2d(self._rows(x))
        run = self.run(params)
        found = []
        for row, (t_k, u_k) in zip(rows, signals(self.input_labels, t, u, len(rows)), strict=True):
            run.hold(u_k)
            found.append(run.rate(t_k, row))
        return np.array(found).reshape(len(rows), self.size).T.reshape(np.shape(x))

    def _check_names(self, params: Mapping[str, float] | None) -> None:
        """ParameterError for parameters that are given and not known, where their values do not matter."""
        given = named_parameters(params)
        if given:
            self.parameters_at({p.name: 1.0 for p in self.parameters} | given)

    def read_inputs(self, u: Any) -> np.ndarray:
        """Constant inputs (m,), zero where none are given."""
        m = len(self.input_labels)
        return np.zeros(m) if u is None else finite_array("u", u, (m,))

    # -- symbols and nodes ----------------------------------------------------------------------

    @property
    @abstractmethod
    def parameter_nodes(self) -> dict[str, Node]:
        """Nodes of the parameters by name."""

    @cached_property
    def state_nodes(self) -> list[Node]:
        """Nodes of the states."""
        return [self.graph.symbol(label, STATE) for label in self.state_labels]

    @cached_property
    def time_node(self) -> Node:
        """Node of the time."""
        return self.graph.symbol("t", STATE)

    @property
    @abstractmethod
    def driven_nodes(self) -> Sequence[Node]:
        """Nodes of the inputs, those set by a law included."""

    @property
    def input_nodes(self) -> Sequence[Node]:
        """Nodes of the inputs."""
        return self.driven_nodes[: self.ninputs]

    @cached_property
    def to_node(self) -> FromSympy:
        """Converter of expressions in states, inputs, time and parameters."""
        table: dict[Any, Node] = dict(zip(self.states, self.state_nodes, strict=True))
        table |= {p.symbol: self.parameter_nodes[p.name] for p in self.parameters}
        table |= dict(zip(self.driven, self.driven_nodes, strict=True))
        return FromSympy(self.graph, table | {time: self.time_node})

    def expression(self, expr: Any) -> Node:
        """Node of an expression in states, time, inputs and parameters.

        Raises
        ------
        ExpressionError
            For a symbol or function that is not known, or an input that a law sets.
        """
        node = self.to_node(expr)
        held = self.graph.symbols([node])
        lost = [str(s) for s, n in zip(self.driven, self.driven_nodes, strict=True) if n in held]
        lost = sorted(set(lost) - set(self.input_labels))
        if lost:
            raise ExpressionError(
                f"{expr} holds {', '.join(lost)}, which a law sets; write what it gives in states"
            )
        return node

    # -- other views ----------------------------------------------------------------------------

    def to_control(self, name: str | None = None):
        """The equations of motion as a `control.NonlinearIOSystem`, all states outputs."""
        from geoctrl import interop

        return interop.nonlinear_system(
            lambda t, x, u, p: self.rhs(t, x, u, p),
            lambda t, x, u, p: x,
            states=self.state_labels,
            inputs=self.input_labels,
            outputs=self.state_labels,
            params=self.params,
            name=interop.system_name(name, self.name or "system"),
        )
