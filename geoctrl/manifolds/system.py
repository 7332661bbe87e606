"""Systems on manifolds: runs, rates, energy, loops, forms and other views."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from geoctrl._checks import finite_array
from geoctrl._scalars import Program
from geoctrl._scalars.budget import BUDGET
from geoctrl.errors import DescriptionError
from geoctrl.manifolds import tangent
from geoctrl.manifolds.branches import Branches
from geoctrl.manifolds.conservation import kept
from geoctrl.manifolds.description import ManifoldDescription
from geoctrl.manifolds.forms import Form, Second, converted
from geoctrl.manifolds.laws import callable_law, law_terms, read_law
from geoctrl.manifolds.leaf import ManifoldLeaf
from geoctrl.manifolds.numerics import Numerics
from geoctrl.manifolds.reduction import ReducedView, description
from geoctrl.manifolds.seen import SeenManifold
from geoctrl.stepping.drive import Drive
from geoctrl.systems import Equilibrium, EulerPoincare, Parameter, ReducedSystem, Seen, System
from geoctrl.systems.members import family_member
from geoctrl.systems.notebook import displayed

__all__ = ["ManifoldSystem"]

_REMEMBERED = 16


class ManifoldSystem(ManifoldDescription):
    """What every system on a manifold can do; the kinds of systems say how.

    Attributes
    ----------
    trajectory_type, display_type : type
        What a kind of system makes its kernels, trajectories and formulas of.
    """

    start_form: ClassVar[str]
    forms: ClassVar[Mapping[str, Second]]
    trajectory_type: ClassVar[type]
    display_type: ClassVar[type]

    # -- what a kind of system supplies besides -------------------------------------------------

    @abstractmethod
    def read_start(self, given: Any, second: str = "") -> tuple[np.ndarray, np.ndarray]:
        """z (N, 3) and w (n, 3) of a start as it is given or a state, on the manifold to rounding.

        The second part goes by the name ``second`` in messages, where it is another than the velocities.

        Raises
        ------
        ConstraintError
            If it misses the manifold by more than 1e-3.
        InputError
            For a wrong shape.
        """

    @abstractmethod
    def is_start(self, given: Any) -> bool:
        """Whether something is a start in the form of this system, and no state."""

    @abstractmethod
    def named_parts(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """What a state is made of, by name."""

    @property
    @abstractmethod
    def part_names(self) -> list[tuple[str, str]]:
        """Names of the two parts of each body, as relations are told."""

    def euler_poincare(self, spin: Sequence[float] | None = None) -> EulerPoincare:
        """The same mechanism as Euler-Poincare equations with advected vectors.

        Raises
        ------
        DescriptionError
            If the system is given by functions, or is too large to be written out.
        """
        return description(self, spin)

    def derivatives(
        self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of `rhs` by the state (size, size) and by the inputs (size, m)."""
        return tangent.jacobians(self, t, x, u, params)

    # -- runs -----------------------------------------------------------------------------------

    @cached_property
    def numerics(self) -> Numerics:
        """Compiled kernels, a `geoctrl.manifolds.numerics.Numerics`."""
        return Numerics(self)

    def seen_from(self, spin: Any = None) -> Seen:
        """The system in axes that turn with a constant ``spin`` (3,), about an axis of symmetry."""
        rate = (0.0, 0.0, 0.0) if spin is None else tuple(finite_array("spin", spin, (3,)).tolist())
        if rate not in self._seen:
            if len(self._seen) > _REMEMBERED:
                self._seen.clear()
            self._seen[rate] = SeenManifold(self, rate)
        return self._seen[rate]

    @cached_property
    def _seen(self) -> dict[tuple[float, ...], Seen]:
        return {}

    def run(self, params: Mapping[str, float] | None = None, drive: Drive | None = None) -> Any:
        """Kernels with the numbers of one run, under inputs that are no feedback."""
        return self.numerics.run(self.parameters_at(params), drive)

    def acting(self, drive: Drive) -> Self:
        """The system of which a run under some inputs is one, closed by them where they are feedback."""
        return self if drive.law is None else self.closed_loop(drive.law)

    def start(self, x0: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Initial state of a start as it is given, a state or an equilibrium, on the manifold to rounding.

        Raises
        ------
        ConstraintError, InputError
            As `read_start`.
        """
        self._check_names(params)
        return self.product.state(*self.read_start(getattr(x0, "x", x0)))

    def trajectory_of(self, time: np.ndarray, z: np.ndarray, w: np.ndarray, **rest: Any) -> Any:
        """Trajectory of samples of configurations (nt, N, 3) and velocities (nt, n, 3)."""
        return self.trajectory_type(self, time, z, w, **rest)

    def trajectory(self, time: np.ndarray, states: np.ndarray, **rest: Any) -> Any:
        """Trajectory of states (size, nt); ``rest`` as `ManifoldTrajectory` takes it."""
        return self.trajectory_of(time, *self.columns(states)[:2], **rest)

    def energy(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray | float:
        """Kinetic plus potential energy (J): float, or (nt,)."""
        first, second, single = self.columns(x)
        values = self.run(params).energies(first, second)
        return float(values[0]) if single else values

    def momentum(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Momentum map of rotations of all bodies about the axes of the reference: (3,), or (3, nt)."""
        first, second, single = self.columns(x)
        values = self.run(params).mechanics(first, second)[2].sum(axis=1)
        return values[0] if single else values.T

    def potential(self, first: Any, params: Mapping[str, float] | None = None) -> float:
        """Potential energy (J) of one configuration of all bodies."""
        return self.run(params).potential(self._configuration(first))

    def gradient(self, first: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Ambient gradient of the potential, with the shape of the configuration."""
        return self.run(params).slope(self._configuration(first)).reshape(self.shape)

    def _configuration(self, first: Any) -> np.ndarray:
        return np.ascontiguousarray(finite_array(self.pair[0], first, self.shape)).reshape(-1, 3)

    # -- the manifold ---------------------------------------------------------------------------

    @cached_property
    def leaf(self) -> ManifoldLeaf:
        """Names of the relations of all bodies."""
        return ManifoldLeaf(self.product, self.part_names)

    def leaf_residual(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Defects of the relations of all bodies, one body after the other: (r,) or (r, nt)."""
        self._check_names(params)
        z, w, single = self.columns(x)
        defects = self.product.relation_defects(z, w)
        return defects[0] if single else defects.T

    # -- what is conserved ----------------------------------------------------------------------

    def conserved(self, params: Mapping[str, float] | None = None, *, u: Any = None) -> tuple[str, ...]:
        """Names of energy, momenta and declared invariants that runs under constant inputs keep.

        Judged by their rates at random states and times, whichever branch Abs, sign and Piecewise take; one
        that is undefined beyond its region is judged where it applies. Of functions that says what was seen.

        Parameters
        ----------
        params : dict, optional
        u : array (m,), optional
            These constants, zero by default.

        Raises
        ------
        ParameterError, InputError
            For an unknown or missing parameter; a wrong number of inputs.
        """
        return kept(self, self.parameters_at(params), u=self.read_inputs(u))

    def quantities(
        self, first: np.ndarray, second: np.ndarray, params: Mapping[str, float]
    ) -> dict[str, np.ndarray]:
        """Energy, components of the momentum and declared invariants, (nt,) each, of nt states."""
        run = self.run(params)
        momentum = run.mechanics(first, second)[2].sum(axis=1)
        values = run.energies(first, second), *momentum.T, *self.other_quantities(first, second, run)
        found = dict(zip(self.quantity_names, values, strict=True))
        x = self.product.state(first, second).T
        declared = self._declared[0](list(x), params) if self.invariants_given else ()
        return found | {
            name: np.broadcast_to(value, x.shape[1:])
            for name, value in zip(self.invariants_given, declared, strict=True)
        }

    def other_quantities(self, z: np.ndarray, w: np.ndarray, run: Any) -> list[np.ndarray]:  # noqa: ARG002
        """Values (nt,) of what `quantity_names` has besides the energy and the momenta."""
        return []

    def quantity_rates(
        self, run: Any, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rates of what `quantities` names and the sizes of their terms, a row for each kind of force."""
        rates, sizes = run.power_and_moments(t, first, second)
        if not self.invariants_given:
            return rates, sizes
        x = self.product.state(first, second)
        slopes = self._declared[1](list(x), run.params).reshape(-1, self.size)
        terms = slopes * run.rate(t, x)
        declared = np.zeros((2, len(rates), len(terms)))
        declared[:, 0] = terms.sum(axis=1), np.abs(terms).sum(axis=1)
        return np.hstack([rates, declared[0]]), np.hstack([sizes, declared[1]])

    @cached_property
    def _declared(self) -> tuple[Program, Program]:
        """Values and gradients of the declared invariants."""
        nodes = [self.to_node(e) for e in self.invariants_given.values()]
        slopes = [e for row in self.graph.jacobian(nodes, self.state_nodes) for e in row]
        return (
            Program(self.graph, self.state_nodes, self.parameter_nodes, nodes),
            Program(self.graph, self.state_nodes, self.parameter_nodes, slopes),
        )

    def invariant_gradients(self, x: np.ndarray, params: Mapping[str, float]) -> dict[str, np.ndarray]:
        """Gradients (size,) of the declared invariants by the state."""
        rows = np.reshape(self._declared[1](list(x), params), (-1, self.size))
        return dict(zip(self.invariants_given, rows, strict=True))

    @cached_property
    def any_branch(self) -> Self:
        """The system with Abs, sign and Piecewise freed from their conditions.

        Itself where there are none, or where a law given by a function closes it. Its further parameters are
        the numbers that choose.
        """
        if self.law is not None:
            return self
        taken = {p.name for p in self.parameters} | {*self.state_labels, *self.input_labels}
        data = {s for term in self.potential_terms for s in term.small.data}
        free = Branches(self.parameter_symbols | data, taken)
        kept_as_is = {"inputs", "parameters", "name", "source"}
        changed = {k: v if k in kept_as_is else free(v) for k, v in self.arguments.items()}
        if not free.names:
            return self
        changed["parameters"] = (*self.parameters, *map(Parameter, free.names))
        return type(self)(**changed)

    # -- loops ----------------------------------------------------------------------------------

    def closed_loop(self, law: Any) -> Self:
        """The system with its inputs set by a law: again a system of this kind, without inputs.

        Parameters
        ----------
        law : callable, sequence of expressions or FeedbackLaw
            ``law(t, x, params) -> u`` with params by name, as in ``params["gain"]``; expressions in states,
            time and parameters, one for each input, in their order or by name; or an object with ``.expr``.

        Raises
        ------
        DescriptionError
            If there are no inputs, or not one expression for each.
        """
        if not self.inputs:
            raise DescriptionError("closed_loop needs a system with inputs; this one has none")
        law = read_law(law)
        if callable(law):
            return self.replace(law=law)
        terms = law_terms(law, self.input_labels)
        if callable(self.forces_given):
            return self.closed_loop(callable_law(self, terms))
        table = dict(zip(self.inputs, terms, strict=True))
        return self.replace(forces=[f.xreplace(table) for f in self.forces_given], inputs=())

    # -- relative equilibria --------------------------------------------------------------------

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

    def in_form(self, form: str) -> Form:
        """The same system with states in one of its `forms`: rates, velocities or the momenta of either."""
        return Form(self, form)

    def convert(
        self, x: Any, source: str, target: str, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """States (size,) or (size, nt) of one form as states of another.

        Raises
        ------
        InputError
            For an unknown form or a wrong shape.
        SingularMassError
            Where the inertia is singular.
        """
        return converted(self, x, source, target, params)

    # -- in formulas ----------------------------------------------------------------------------

    def latex(self, part: str = "motion", width: float = 38.0, budget: float = BUDGET) -> str:
        """The system in LaTeX.

        Parameters
        ----------
        part : {"motion", "lagrangian", "forces"}
            Equations of motion, Lagrangian, generalised forces; the first two with what their letters stand
            for. Of more than four bodies the first stands for all.
        width : float
            Width of a line in em.
        budget : float
            Seconds; a line that is not typeset by then says so.

        Raises
        ------
        InputError
            For another part or a width that is not positive.
        ParameterError
            For a budget that is not positive.
        """
        return self.display_type(self, width, budget).part(part)

    def _repr_latex_(self) -> str:
        return displayed(lambda seconds: self.latex(budget=seconds))

    # -- other views ----------------------------------------------------------------------------

    def view(self, spin: Any = None) -> Any:
        """The system as reduced equations, in axes that turn with a constant ``spin``, and the way back."""
        turn = None if spin is None else finite_array("spin", spin, (3,))
        key = None if turn is None or not turn.any() else tuple(turn.tolist())
        if key not in self._views:
            self._views[key] = ReducedView(self, key)
        return self._views[key]

    @property
    def recording(self) -> System:
        """The reduced equations; DescriptionError if there are none."""
        return self.view().reduced

    @property
    def recording_effort(self) -> float:
        """The cube counts elimination among bodies that the inertia couples; measured on chains and rings."""
        return math.inf if self.obstacles else 25.0 * self.kinetic.coupled**3 + 30.0 * self.n**2

    def to_recording(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """State of the reduced equations."""
        return self.view().into(x, params)

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

    @cached_property
    def reduced(self) -> ReducedSystem:
        """`euler_poincare`, reduced: states velocities, then configurations."""
        return self.view().reduced
