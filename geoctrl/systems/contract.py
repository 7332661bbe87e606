"""What every system answers, and the one gate before any work.

A system is met by reduced systems, closed loops, despun systems, systems on spheres and rotations, and their
forms. Whoever asks for a system asks `as_system`; whoever needs more than every system has asks for it there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from geoctrl._scalars import Graph, Node, shown
from geoctrl.runs import Samples
from geoctrl.systems.field import Field

__all__ = ["System", "as_system"]


class System(ABC):
    r"""Equations of motion :math:`\dot x = f(t, x, u, p)` on a leaf.

    Functions take states ``x`` of shape (n,), or (n, nt) where they say so, inputs ``u`` (m,), and
    ``params`` as overrides of the defaults by name.

    Attributes
    ----------
    name : str
    states, inputs : tuple of sympy.Symbol
    state_labels, input_labels, output_labels : tuple of str
    nstates, ninputs : int
    params : dict
        Default parameters by name, None for one without a default.
    families : dict of name -> Family
        Declared relative equilibria.
    leaf : has ``names``
        Names of the relations that vanish on the leaf, in the order of `leaf_residual`.
    recorded : bool
        Whether the equations are recorded as expressions, which invariants, conditions in symbols and
        heyoka need; else the field is compiled.
    graph, state_nodes, time_node, input_nodes, parameter_nodes
        What expressions in states, time, inputs and parameters are translated to.
    """

    recorded: ClassVar[bool]
    name: str
    states: tuple[Any, ...]
    inputs: tuple[Any, ...]
    state_labels: Any
    input_labels: Any
    output_labels: Any
    params: Any
    families: Any
    leaf: Any
    nstates: Any
    ninputs: Any
    graph: Graph
    state_nodes: Any
    time_node: Any
    input_nodes: Any
    parameter_nodes: Any

    @abstractmethod
    def parameters_at(self, params: Mapping[str, float] | None) -> dict[str, float]:
        """Defaults overridden by ``params``; ParameterError for what is unknown, missing or no number."""

    @abstractmethod
    def start(self, x0: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Initial state (n,) of a state or an equilibrium, checked to be on the leaf."""

    @abstractmethod
    def rhs(self, t: Any, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Time derivative of states, with the shape of ``x``."""

    @abstractmethod
    def run(self, params: Mapping[str, float] | None = None) -> Field:
        """The field with the numbers of one run."""

    @abstractmethod
    def expression(self, expr: Any) -> Node:
        """Node of an expression in states, time, inputs and parameters; ExpressionError for any other."""

    @abstractmethod
    def jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative (n, n) of `rhs` by the state."""

    @abstractmethod
    def input_jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative (n, m) of `rhs` by the inputs."""

    @abstractmethod
    def energy(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray | float:
        """Energy (J), float or (nt,)."""

    @abstractmethod
    def outputs(self, t: Any, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Declared output signals, (p,) or (p, nt)."""

    @abstractmethod
    def leaf_residual(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Defects of the relations of the leaf, (r,) or (r, nt)."""

    @abstractmethod
    def conserved(self, params: Mapping[str, float] | None = None) -> Iterable[str]:
        """Names of what motions without inputs keep."""

    # -- where runs are not those of the recorded equations, told as any other ----------------------

    @property
    def recording(self) -> System:
        """The same motions by recorded equations, perhaps in other states; else DescriptionError."""
        return self

    def to_recording(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """State of `recording` that a state (n,) is there."""
        del params
        return x

    def from_recording(self, y: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """States (n, nt) that states of `recording` are here."""
        del params
        return y

    def in_recording(self, expr: Any) -> Any:
        """An expression in the states of `recording`."""
        return expr

    def trajectory(self, time: np.ndarray, states: np.ndarray, **rest: Any) -> Samples | None:
        """A run as samples of a kind of their own, None where every run is told alike."""
        del time, states, rest
        return None

    @abstractmethod
    def to_control(self, *, name: str | None = None) -> Any:
        """The equations of motion as a `control.NonlinearIOSystem`."""


def as_system(given: Any, asked_by: str, recorded: bool = False) -> Any:
    """The system that is given, refused in words if it is none.

    Parameters
    ----------
    asked_by : str
        Name of the function that asks, for the message.
    recorded : bool
        Whether the equations must be recorded as expressions.

    Raises
    ------
    TypeError
        With the remedy for the description of a mechanism, and for a system that is not recorded.
    """
    if isinstance(given, System):
        if recorded and not given.recorded:
            raise TypeError(
                f"{asked_by} needs a reduced system (mechanism.reduce()), got a {type(given).__name__}; "
                "find_equilibrium, linearize, certify and simulate take it"
            )
        return given
    if hasattr(given, "reduce") and hasattr(given, "algebra"):
        name = f" {given.name!r}" if given.name else ""
        raise TypeError(
            f"{asked_by} needs a system, got the description of a mechanism{name}: take mechanism.reduce()"
        )
    raise TypeError(f"{asked_by} needs a system, as mechanism.reduce() gives it, got {shown(given)}")
