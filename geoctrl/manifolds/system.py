"""Systems on manifolds: states of bodies, runs, rates, energy, loops, forms and other views."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np

from geoctrl._checks import finite_array, real_array
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import Node
from geoctrl.errors import DescriptionError, InputError, UnitsError
from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.description.free_switches import with_free_switches
from geoctrl.manifolds.description.kept_along_runs import precisely_conserved_names
from geoctrl.manifolds.description.laws import callable_law, law_terms, read_law
from geoctrl.manifolds.description.moving_frame import forces_of_loop
from geoctrl.manifolds.description.state_symbols import part
from geoctrl.manifolds.numerics.momenta import Second, converted_states
from geoctrl.manifolds.numerics.numbers_of_a_run import Run
from geoctrl.manifolds.numerics.numerics import Numerics
from geoctrl.manifolds.numerics.tangent import jacobians
from geoctrl.manifolds.product.product import ManifoldLeaf
from geoctrl.manifolds.vectors.entries import signals
from geoctrl.manifolds.views import latex_of_systems
from geoctrl.manifolds.views.reduction import ReducedView, description_with_families
from geoctrl.manifolds.views.turning_axes import SeenManifold
from geoctrl.stepping.drive.drive import Drive
from geoctrl.systems import Equilibrium, EulerPoincare, ReducedSystem, Seen, System
from geoctrl.systems.contract.points import family_member
from geoctrl.systems.typesetting.notebook import displayed_formula
from geoctrl.systems.units.unit_change import UnitChange, changed_arguments

__all__ = ["ManifoldSystem", "Motions"]

_REMEMBERED = 16

Motions = tuple[np.ndarray, np.ndarray, bool]


class ManifoldSystem(System):
    """What every system on a manifold can do, in its own states or in those of a form.

    Of the vectors x only those on the manifold are states: configurations, then velocities or momenta.

    Attributes
    ----------
    description : Description
        What it is made of; the rest of these are attributes of that.
    product : Product
        Its n bodies.
    pair : tuple of str
        Names of the two parts of the state.
    shape : tuple of int
        Shape in which the configuration is given, and functions are given it.
    split : int
        Number of entries of all configurations; the three entries a body of the second part follow.
    form_type, trajectory_type, display_type : type
        What makes its forms, trajectories and formulas.
    """

    form_type: ClassVar[type]
    trajectory_type: ClassVar[type]
    display_type: ClassVar[type]
    latex = latex_of_systems.latex

    recorded = False
    output_labels: tuple[str, ...] = ()
    description: Description
    name, source, space = part("description.name"), part("description.source"), part("description.space")
    product, n, split = part("description.product"), part("description.n"), part("description.split")
    shape, pair, law = part("description.shape"), part("description.pair"), part("description.law")
    params, parameters = part("description.params"), part("description.parameters")
    inputs, input_labels = part("description.inputs"), part("description.input_labels")
    families, graph = part("description.families"), part("description.graph")
    potential_terms, forces_given = part("description.potential_terms"), part("description.forces_given")
    potential_expression = part("description.potential_expression")
    arguments, inertia_varies = part("description.arguments"), part("description.inertia_varies")
    frame_rate_at, generic_state = part("description.frame_rate_at"), part("description.generic_state")
    measures = part("description.measures")
    frame_rate, frame_velocity = part("description.frame_rate"), part("description.frame_velocity")
    size = nstates = part("description.product.size")
    letters, state_labels = part("description.letters"), part("letters.labels")
    states, to_node = part("letters.states"), part("letters.to_node")
    state_nodes, time_node = part("letters.state_nodes"), part("letters.time_node")
    parameter_nodes, input_nodes = part("letters.parameter_nodes"), part("letters.input_nodes")

    @property
    @abstractmethod
    def forms(self) -> Mapping[str, Second]:
        """What its states may be made of, by the names of the second parts."""

    @property
    def ninputs(self) -> int:
        """Number of inputs m."""
        return len(self.input_labels)

    def expression(self, expr: Any) -> Node:
        """Node of an expression in states, time, inputs and parameters; ExpressionError for any other."""
        return self.letters.expression(expr)

    def replace(self, **changes: Any) -> Self:
        """The system with some arguments changed, checked anew."""
        return type(self)(**(self.arguments | changes))

    def _in_units_of(self, change: UnitChange) -> Self:
        """The system in other units; UnitsError for a law or functions: nothing tells units of these."""
        given = self.arguments
        own = [
            k
            for k in ("gradient", "forces")
            if callable(given.get(k)) and not hasattr(given[k], "free_symbols")
        ]
        own += ["law"] * (given.get("law") is not None)
        if own:
            raise UnitsError(
                f"{' and '.join(own)} take and give numbers whose units nothing tells; change the units of "
                "the system without them, and give those for the new ones"
            )
        return self.replace(**changed_arguments(self, change))

    def __reduce__(self):
        return partial(type(self), **self.arguments), ()  # what was derived stays behind

    def parameters_at(self, params: Mapping[str, float] | None) -> dict[str, float]:
        """Defaults overridden by ``params``; ParameterError for unknown, missing, non-positive values."""
        return self.description.parameters_at(params)

    # -- how states are given -------------------------------------------------------------------

    def pack(self, *parts: Any) -> np.ndarray:
        """States (size,), or (size, nt) of nt samples: of two arrays q, omega or R, Omega with a row for each
        body, or of ``{name: (configuration, velocity)}`` of a product; InputError for a wrong shape.
        """
        return self.description.face.pack(*parts)

    def unpack(self, x: Any) -> Any:
        """The parts of states: inverse of `pack`."""
        z, w, single = self.columns(x)
        return self.description.face.unpack(z[0], w[0]) if single else self.description.face.unpack(z, w)

    def read_start(self, given: Any, second: str = "") -> tuple[np.ndarray, np.ndarray]:
        """z (N, 3) and w (n, 3) of a start as it is given or a state, on the manifold to rounding.

        Raises as `geoctrl.manifolds.description.state_layouts.Face.read`, where the second part goes by the
        name ``second``.
        """
        whole = self.description.face.is_start(given)
        return self.description.face.read(given if whole else self.unpack(given), second)

    def _rows(self, x: Any) -> np.ndarray:
        """States as rows: (size,) or (nt, size)."""
        x = real_array("x", x)
        if x.ndim not in (1, 2) or x.shape[0] != self.size:
            raise InputError(f"x must have shape ({self.size},) or ({self.size}, nt), got {x.shape}")
        return np.ascontiguousarray(x.T)

    def columns(self, x: Any) -> Motions:
        """Both parts (nt, ..., 3) of states, and whether x was a single one; InputError for a wrong shape."""
        rows = self._rows(x)
        return *self.product.parts(np.atleast_2d(rows)), rows.ndim == 1

    # -- rates ----------------------------------------------------------------------------------

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
        rows, run = np.atleast_2d(self._rows(x)), self.run(params)
        found = []
        for row, (t_k, u_k) in zip(rows, signals(self.input_labels, t, u, len(rows)), strict=True):
            run.hold(u_k)
            found.append(run.rate(t_k, row))
        return np.array(found).reshape(len(rows), self.size).T.reshape(np.shape(x))

    def derivatives(
        self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of `rhs` by the state (size, size) and by the inputs (size, m)."""
        return jacobians(self.kernels(params), t, x, u)

    def jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative of `rhs` by the state, square, in all ambient directions; raises as `rhs` does.

        Exact where the system can be written out in symbols; else central differences.
        """
        x = finite_array("x", x, (self.size,))
        return self.derivatives(t, x, self.description.read_inputs(u), self.parameters_at(params))[0]

    def input_jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative of `rhs` by the inputs, (size, m); as `jacobian`."""
        x = finite_array("x", x, (self.size,))
        return self.derivatives(t, x, self.description.read_inputs(u), self.parameters_at(params))[1]

    def outputs(self, t: Any, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """No outputs are declared on manifolds: (0,) or (0, nt); raises as `rhs` does."""
        outer = self._rows(x).shape[:-1]
        signals(self.input_labels, t, u, *outer or (1,))
        self.description.check_names(params)
        return np.zeros((0, *outer))

    # -- runs -----------------------------------------------------------------------------------

    @cached_property
    def numerics(self) -> Numerics:
        """Compiled kernels, a `geoctrl.manifolds.numerics.numerics.Numerics`."""
        return Numerics(self.description)

    def seen_from(self, spin: Any = None) -> Seen:
        """The system in axes that turn with a constant ``spin`` (3,), about an axis of symmetry."""
        rate = (0.0, 0.0, 0.0) if spin is None else tuple(finite_array("spin", spin, (3,)).tolist())
        if rate not in self._turning_views:
            if len(self._turning_views) > _REMEMBERED:
                self._turning_views.clear()
            self._turning_views[rate] = SeenManifold(self, rate)
        return self._turning_views[rate]

    @cached_property
    def _turning_views(self) -> dict[tuple[float, ...], Seen]:
        return {}

    def run(self, params: Mapping[str, float] | None = None, drive: Drive | None = None) -> Any:
        """Kernels with the numbers of one run, under inputs that are no feedback."""
        return self.kernels(params, drive)

    def kernels(self, params: Mapping[str, float] | None = None, drive: Drive | None = None) -> Run:
        """Those of configurations and velocities, in whatever states the system is."""
        return self.numerics.run(self.parameters_at(params), drive)

    def motions(self, x: Any, params: Mapping[str, float] | None = None) -> Motions:
        """Configurations (nt, N, 3) and velocities (nt, n, 3) of states, and whether x was a single one."""
        del params
        return self.columns(x)

    def acting(self, drive: Drive) -> Self:
        """The system of which a run under some inputs is one, closed by them where they are feedback."""
        return self if drive.law is None else self.closed_loop(drive.law)

    def start(self, x0: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Initial state of a start as it is given, a state or an equilibrium, on the manifold to rounding.

        Raises as `read_start`.
        """
        self.description.check_names(params)
        return self.product.state(*self.read_start(getattr(x0, "x", x0)))

    def trajectory_of(self, time: np.ndarray, z: np.ndarray, w: np.ndarray, **rest: Any) -> Any:
        """Trajectory of samples of configurations (nt, N, 3) and velocities (nt, n, 3)."""
        return self.trajectory_type(self, time, z, w, **rest)

    def trajectory(self, time: np.ndarray, states: np.ndarray, **rest: Any) -> Any:
        """Trajectory of states (size, nt); ``rest`` as `ManifoldTrajectory` takes it."""
        return self.trajectory_of(time, *self.columns(states)[:2], **rest)

    def energy(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray | float:
        """Kinetic plus potential energy (J): float, or (nt,)."""
        *both, single = self.motions(x, params)
        values = self.kernels(params).energies(*both)
        return float(values[0]) if single else values

    def momentum(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Momentum map of rotations of all bodies about the axes of the reference: (3,), or (3, nt)."""
        *both, single = self.motions(x, params)
        values = self.kernels(params).mechanics(*both)[2].sum(axis=1)
        return values[0] if single else values.T

    def potential(self, first: Any, params: Mapping[str, float] | None = None) -> float:
        """Potential energy (J) of one configuration of all bodies."""
        return self.kernels(params).potential(self._configuration(first))

    def gradient(self, first: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Ambient gradient of the potential, with the shape of the configuration."""
        return self.kernels(params).slope(self._configuration(first)).reshape(self.shape)

    def _configuration(self, first: Any) -> np.ndarray:
        return np.ascontiguousarray(finite_array(self.pair[0], first, self.shape)).reshape(-1, 3)

    # -- the manifold ---------------------------------------------------------------------------

    @cached_property
    def leaf(self) -> ManifoldLeaf:
        """Names of the relations of all bodies."""
        return ManifoldLeaf(self.product, self.description.face.names)

    def leaf_residual(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Defects of the relations of all bodies, one body after the other: (r,) or (r, nt)."""
        self.description.check_names(params)
        z, w, single = self.motions(x, params)
        defects = self.product.relation_defects(z, w)
        return defects[0] if single else defects.T

    # -- what is conserved ----------------------------------------------------------------------

    def conserved(self, params: Mapping[str, float] | None = None, *, u: Any = None) -> tuple[str, ...]:
        """Names of energy, momenta and declared invariants that runs under constant inputs keep.

        Judged by their rates at random states and times, whichever branch Abs, sign and Piecewise take; one
        that is undefined beyond its region is judged where it applies. With sixty digits for up to three
        coupled bodies, else to 1e-10 of the terms; of functions that says what was seen.

        Parameters
        ----------
        params : dict, optional
        u : array (m,), optional
            These constants, zero by default; InputError for a wrong number of them.
        """
        return precisely_conserved_names(self, self.parameters_at(params), self.description.read_inputs(u))

    @cached_property
    def any_branch(self) -> Self:
        """The system with Abs, sign and Piecewise freed from their conditions."""
        return with_free_switches(self)

    # -- loops ----------------------------------------------------------------------------------

    def closed_loop(self, law: Any) -> Self:
        """The system with its inputs set by a law: again a system of this kind, without inputs.

        Parameters
        ----------
        law : callable, sequence of expressions or FeedbackLaw
            ``law(t, x, params) -> u`` with params by name, as in ``params["gain"]``; expressions in states,
            time and parameters, one for each input, in their order or by name; or an object with ``.expr``.

        Raises DescriptionError if there are no inputs, or not one expression for each.
        """
        if not self.inputs:
            raise DescriptionError("closed_loop needs a system with inputs; this one has none")
        law = read_law(law)
        if callable(law):
            return self.replace(law=law)
        terms = law_terms(law, self.input_labels)
        if callable(self.forces_given):
            return self.closed_loop(callable_law(self.letters, terms))
        return self.replace(forces=forces_of_loop(self.description, terms), inputs=())

    def equilibrium(
        self, name: str, params: Mapping[str, float] | None = None, **values: float
    ) -> Equilibrium:
        """Member of a declared family, a key of `families`; its symbols are given by name.

        Raises
        ------
        ParameterError, EquilibriumError
            For an unknown family, symbol or parameter; if the member is no equilibrium of this system.

        Examples
        --------
        >>> import geoctrl as gc
        >>> chain = gc.models.get("chain-pendulum")()
        >>> gc.certify(chain, chain.equilibrium("hanging")).verdict
        <Verdict.PROVED_STABLE: 'PROVED_STABLE'>
        """
        return family_member(self, self.parameters, name, params, values)

    # -- in other states ------------------------------------------------------------------------

    def in_form(self, form: str) -> ManifoldSystem:
        """The same system with states in one of its `forms`: rates, velocities or the momenta of either."""
        return self.form_type(self, form)

    def convert(
        self, x: Any, source: str, target: str, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """States of one form as states of another: `geoctrl.manifolds.numerics.momenta.converted_states`."""
        return converted_states(self, x, source, target, params)

    def _repr_latex_(self) -> str:
        return displayed_formula(lambda seconds: self.latex(budget=seconds))

    # -- other views ----------------------------------------------------------------------------

    def view(self, spin: Any = None) -> Any:
        """The system as reduced equations, in axes that turn with a constant ``spin``, and the way back."""
        turn = None if spin is None else finite_array("spin", spin, (3,))
        key = None if turn is None or not turn.any() else tuple(turn.tolist())
        if key not in self._views:
            self._views[key] = ReducedView(self.description, key)
        return self._views[key]

    @property
    def recording(self) -> System:
        """The reduced equations; DescriptionError if there are none."""
        return self.view().reduced

    @property
    def recording_effort(self) -> float:
        """The cube counts elimination among bodies that the inertia couples; measured on chains and rings."""
        given = self.description
        return math.inf if given.obstacles else 25.0 * given.kinetic.largest_group**3 + 30.0 * self.n**2

    def to_recording(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """State of the reduced equations."""
        return self.view().reduced_state(x, params)

    def from_recording(self, y: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """States (size, nt) of those of the reduced equations."""
        view = self.view()
        return np.array([view.out_of(column, params) for column in y.T]).reshape(-1, self.size).T

    def in_recording(self, expr: Any) -> Any:
        """An expression in the symbols of the reduced equations."""
        return self.view().expression(expr)

    @cached_property
    def _views(self) -> dict[Any, Any]:
        return {}

    def euler_poincare(self, spin: Sequence[float] | None = None) -> EulerPoincare:
        """The same mechanism as Euler-Poincare equations: `geoctrl.manifolds.views.reduction.description`."""
        return description_with_families(self.description, spin)

    @cached_property
    def reduced(self) -> ReducedSystem:
        """`euler_poincare`, reduced: states velocities, then configurations."""
        return self.view().reduced

    def to_control(self, name: str | None = None):
        """The equations of motion as a `control.NonlinearIOSystem`, all states outputs."""
        from geoctrl import interop

        return interop.equations_of_motion(self, None, name, "system")

    def _lines(self) -> list[str]:
        title = f"<{type(self).__name__} {self.name or 'unnamed'} on {self.space}>"
        inputs, parameters = self.input_labels, [f"{k}={v}" for k, v in self.params.items()]
        return [
            title,
            f"  inputs: {', '.join(inputs) or '-'}",
            f"  parameters: {', '.join(parameters) or '-'}",
        ]

    full = full_text
    __repr__ = short_form
