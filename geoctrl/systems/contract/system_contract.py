"""What every system answers.

A system is met by reduced systems, closed loops, despun systems, systems on spheres and rotations, and their
forms. Whoever asks for a system asks `as_system`; whoever needs more than every system has asks for it there.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from geoctrl._checks import finite_array, named_parameters
from geoctrl._scalars import Graph, Node, Program
from geoctrl.decisions.arithmetic.tower import Surd
from geoctrl.runs import Samples
from geoctrl.systems.contract.run_field import RunField
from geoctrl.systems.contract.scales import Scales, scaled_row
from geoctrl.systems.parts.domain import EVERYWHERE, Side
from geoctrl.systems.units.measures import Measures, known_units, written_units
from geoctrl.systems.units.unit_change import UnitChange, change_of

__all__ = ["Lagrangian", "Seen", "System"]


class System(ABC):
    r"""Equations of motion :math:`\dot x = f(t, x, u, p)` on a leaf.

    Functions take states ``x`` of shape (n,), or (n, nt) where they say so, inputs ``u`` (m,), and
    ``params`` as overrides of the defaults by name: numbers, or of recorded equations arrays (N,), one number
    a member, beside states (n, N), in `rhs`, `jacobian`, `energy`, `invariants`, `leaf_residual`, `outputs`.

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
    domain : dict of name -> Side
        Where the model holds; empty where it has no limits.
    leaf : has ``names`` and ``relations``
        Names of what vanishes on the leaf, in the order of `leaf_residual`, and as it is written.
    recorded : bool
        Whether the equations are recorded as expressions, which invariants, conditions in symbols and
        heyoka need; else the field is compiled.
    graph, state_nodes, time_node, input_nodes, parameter_nodes
        What expressions in states, time, inputs and parameters are translated to.
    """

    recorded: ClassVar[bool]
    name: str
    states: Any
    inputs: tuple[Any, ...]
    state_labels: Any
    input_labels: Any
    output_labels: Any
    params: Any
    families: Any
    domain: Mapping[str, Side] = EVERYWHERE
    leaf: Any
    nstates: Any
    ninputs: Any
    graph: Graph
    state_nodes: Any
    time_node: Any
    input_nodes: Any
    parameter_nodes: Any

    @property
    def state_units(self) -> Mapping[str, str]:
        """SI units by label of states, where the description says what they are."""
        return {}

    @property
    @abstractmethod
    def measures(self) -> Measures:
        """Units of states, inputs and parameters; UnitsError where two terms of one sum differ."""

    def units(self) -> dict[str, str]:
        """Units by label of states and inputs, as they follow from those of parameters and coordinates.

        What is not determined by them is left out.

        Raises
        ------
        UnitsError
            If two terms of one sum have different units, or the text of a unit is not read.

        Examples
        --------
        >>> import geoctrl as gc
        >>> gc.models.get("cart-pendulum")().reduce().units()
        {'x_dot': 'm/s', 'phi_dot': 'rad/s', 'phi': 'rad', 'u': 'N'}
        """
        return written_units(self.measures, [*self.state_labels, *self.input_labels])

    @property
    def told_units(self) -> Mapping[str, str]:
        """Units by label of states and inputs as they are printed, as far as the description tells them.

        Those of `units`, and of motors and of forces along one velocity; pure numbers have none.

        Examples
        --------
        >>> import geoctrl as gc
        >>> gc.models.get("body-with-rotor")().reduce().told_units["u_theta"]
        'N m'
        """
        return {label: unit for label, unit in known_units(self).items() if unit != "1"}

    def in_units(
        self, mass: Any = 1, length: Any = 1, time: Any = 1, current: Any = 1
    ) -> tuple[System, UnitChange]:
        """The same system in other units, and what becomes of numbers; as `EulerPoincare.in_units`."""
        bases = {"mass": mass, "length": length, "time": time, "current": current}
        change = change_of(self, bases)
        return self._in_units_of(change), change

    @abstractmethod
    def _in_units_of(self, change: UnitChange) -> System:
        """The system with its numbers changed; `in_units` asks for it."""

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
    def run(self, params: Mapping[str, float] | None = None) -> RunField:
        """The field with the numbers of one run."""

    @abstractmethod
    def expression(self, expr: Any) -> Node:
        """Node of an expression in states, time, inputs and parameters; ExpressionError for any other."""

    def program(self, nodes: Sequence[Node], further: Sequence[Node] = ()) -> Program:
        """Compiled function of (states, further states, time, inputs)."""
        arguments = [*self.state_nodes, *further, self.time_node, *self.input_nodes]
        return Program(self.graph, arguments, self.parameter_nodes, nodes)

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
    def conserved(self, params: Mapping[str, float] | None = None, *, u: Any = None) -> Iterable[str]:
        """Names of what motions under constant inputs keep, zero without ``u`` (m,)."""

    @abstractmethod
    def seen_from(self, spin: Any = None) -> Seen:
        """The system in axes that turn with a constant ``spin`` (3,), in which relative equilibria rest.

        Raises
        ------
        InputError, DescriptionError
            If ``spin`` is no vector, or the system is not seen from such axes; with the remedy.
        """

    def scales(self, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> Scales:
        r"""Sizes of states, inputs, rates and time at a point, each of which goes with the units.

        With A = df/dx there, the rate :math:`\omega` is the largest geometric mean of :math:`|A_{ij}|` around
        a cycle of states. States have the sizes of what measures them (lengths of vectors, one for angles and
        for arguments of functions, :math:`\omega` for rates of angles, their own values), or the largest
        deviation that those excite within :math:`1/\omega`. Rates have that of the terms that they are made
        of, and of the changes that deviations of such sizes make. What is computed in doubles is judged by
        these.

        Parameters
        ----------
        x : state (n,) or Equilibrium
        u : array of inputs, zero by default
        params : dict, optional

        Returns
        -------
        Scales
            ``.rate`` (1/s), ``.state`` (n,), ``.field`` (n,), ``.leaf`` (r,), ``.input`` (m,); printed as a
            table.

        Raises
        ------
        InputError, ParameterError
            For a wrong shape, or an unknown or missing parameter.
        EquilibriumError, SingularMassError, FrameError, ConstraintError
            Where the equations are singular.

        Examples
        --------
        >>> import geoctrl as gc
        >>> cart = gc.models.get("cart-pendulum")().reduce()
        >>> round(cart.scales(cart.state()).rate, 3)
        7.755
        """
        seen = self.seen_from(getattr(x, "spin", None))
        given = {k: v for k, v in dict(getattr(x, "params", {})).items() if k in self.params}
        values = self.parameters_at(given | named_parameters(params))
        state, _ = seen.read_state(getattr(x, "x", x), "x")
        inputs = getattr(x, "u", np.zeros(self.ninputs)) if u is None else np.atleast_1d(finite_array("u", u))
        inputs = finite_array("u", inputs, (self.ninputs,))
        seen.require_regular(state, inputs, values)
        return replace(seen.scales(state, inputs, values), units=known_units(self))

    # -- where runs are not those of the recorded equations, told as any other ----------------------

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Limits of inputs by label: of the model file that the mechanism is read from, and of the supplies
        of its motors.
        """
        mechanism = getattr(self, "mechanism", None)
        return getattr(mechanism, "limits", {})

    @property
    def recording(self) -> System:
        """The same motions by recorded equations, perhaps in other states; else DescriptionError."""
        return self

    @property
    def recording_effort(self) -> float:
        """About how many instructions `recording` takes, before it is made; infinite where there is none."""
        return 0.0 if self.recorded else math.inf

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


class Seen(ABC):
    r"""A system in axes that turn with a constant rate W: what questions of rest and stability ask.

    Its field is :math:`f_W(x, u) = f(0, x, u) - W x`, where :math:`W x` is the rate of a state that is
    carried with the axes. States, inputs and relations are those of the system.

    Attributes
    ----------
    system : System
    spin : ndarray (3,)
        W, zero for axes at rest.
    cache : dict
        What analyses keep with the system in these axes.
    name, hint, functions : str
        In words: the system's, and the frame if that moves; where else an equilibrium might be looked for;
        what is given by functions of the time: what they do is seen at some times only.
    written : bool
        Whether everything is given by expressions; else the caller may change it from question to question.
    angles : tuple of int
        Places in the state of coordinates that are angles.
    """

    system: Any
    spin: np.ndarray
    name: str
    cache: dict[str, Any]
    hint: str = ""
    functions: str = ""
    written: bool = True
    angles: tuple[int, ...] = ()

    # -- points ---------------------------------------------------------------------------------

    @abstractmethod
    def is_state(self, given: Any) -> bool:
        """Whether something is a state, rather than a pair of a state and inputs."""

    @abstractmethod
    def read_state(self, given: Any, name: str) -> tuple[np.ndarray, tuple[Fraction | Surd, ...] | None]:
        """State (n,) that goes by ``name`` in messages, and as rationals where it is known exactly."""

    @abstractmethod
    def first_guess(self) -> np.ndarray:
        """State (n,) from which a search starts where none is given; InputError if there is no such."""

    @abstractmethod
    def at_rest(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """The state with velocities that the axes give it, where a configuration at rest has such."""

    @abstractmethod
    def parts(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """What a state is made of, by name, where its parts have names."""

    # -- field and leaf -------------------------------------------------------------------------

    @abstractmethod
    def rate(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """The field (n,)."""

    @abstractmethod
    def derivatives(
        self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the field by the state (n, n) and by the inputs (n, m)."""

    def scales(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> Scales:
        """Sizes at a point, see `geoctrl.systems.contract.scales`; those of the last point are kept."""
        asked = x.tobytes(), u.tobytes(), tuple(params.items())
        last, found = self.cache.get("scales", (None, None))
        if last != asked or not self.written:
            found = self.computed_scales(x, u, params)
            self.cache["scales"] = asked, found
        return found

    @abstractmethod
    def computed_scales(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> Scales:
        """Sizes at a point, computed."""

    @abstractmethod
    def leaf_gradient(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Gradients (r, n) of the relations of the leaf."""

    @abstractmethod
    def leaf_basis(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Orthonormal basis (n, d) of the tangent space of the leaf."""

    @abstractmethod
    def conserved_gradients(
        self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> dict[str, np.ndarray]:
        """Gradients (n,) by name of what motions keep, seen from these axes."""

    def scaled_gradients(
        self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> dict[str, np.ndarray]:
        """`conserved_gradients` in units of the states, g D, over the sizes of the largest of their terms.

        Rows of length far below one are what rounding leaves.
        """
        unit, found = self.scales(x, u, params).unit, self.conserved_gradients(x, u, params)
        return {name: scaled_row(row * unit, row * unit) for name, row in found.items()}

    @abstractmethod
    def vectors(self) -> list[tuple[list[int], float]]:
        """Places in the state of vectors of constant length, each with its length."""

    # -- what has to hold -----------------------------------------------------------------------

    @abstractmethod
    def require_steady(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> None:
        """Refuse equations that hold the time, or axes that the system is not symmetric about."""

    def varying_inputs(self, _u: np.ndarray) -> tuple[str, ...]:
        """Labels of inputs, zero in u, of which the effect holds the time; none in general."""
        return ()

    @abstractmethod
    def require_regular(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> None:
        """Refuse a point at which the equations are singular, or not differentiable."""

    # -- what a kind of system may have ---------------------------------------------------------

    @abstractmethod
    def rest_near(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray | None:
        """Equilibrium (n,) near a state by a search of the system's own; None where it has none."""

    @abstractmethod
    def generic(self, seed: int) -> np.ndarray | None:
        """A state of no particular kind, at which `lagrangian` can be compared with `rate`; None where there
        is none.
        """

    @abstractmethod
    def lagrangian(self, u: np.ndarray, params: Mapping[str, float]) -> Lagrangian | None:
        """The Lagrangian of a natural system in its configurations; None where there is none to give."""

    @abstractmethod
    def stiffness(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray | None:
        """Second variation (k, k) of the amended potential at a point of rest; None where there is none."""


@dataclass(frozen=True)
class Lagrangian:
    r""":math:`\tfrac12 \dot z^T M(z) \dot z + a(z) \cdot \dot z - U(z)` with relations c(z) = 0, in nodes.

    Attributes
    ----------
    graph : Graph
    coordinates, parameters : dict of label -> symbol node
        z, first among the states of the system, and its parameters.
    mass : list of (row, column, node)
        Entries of M that are not identically zero.
    gyroscopic, potential, relations : a, U and c
    inputs : dict of label -> symbol node
    forces : list of nodes, or empty
        Generalised forces that do the work F . dz besides, in z, their rates ``{label}_dot`` and the inputs.
    """

    graph: Graph
    coordinates: Mapping[str, Node]
    parameters: Mapping[str, Node]
    mass: Sequence[tuple[int, int, Node]]
    gyroscopic: Sequence[Node]
    potential: Node
    relations: Sequence[Node]
    inputs: Mapping[str, Node] = field(default_factory=dict)
    forces: Sequence[Node] = ()
