"""The reduced system: states, equations of motion and what is conserved, ready for every analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import number_array, resolve_parameters
from geoctrl._scalars import Node, Program, real, shown, to_sympy
from geoctrl._scalars.budget import BUDGET
from geoctrl.errors import InputError
from geoctrl.systems.assembly import Assembly
from geoctrl.systems.build_checks import check_build, generic_parameters
from geoctrl.systems.conservation import Conservation
from geoctrl.systems.contract import System
from geoctrl.systems.control import nonlinear_system
from geoctrl.systems.description import EulerPoincare
from geoctrl.systems.differential import Differential
from geoctrl.systems.equations import Equations, HamelTensors, hamel_tensors
from geoctrl.systems.families import Equilibrium, Family
from geoctrl.systems.frames import choose_frame
from geoctrl.systems.judgement import Judgement
from geoctrl.systems.leaf import Leaf, Sampler, automatic_relations
from geoctrl.systems.multiplier import MultiplierForm
from geoctrl.systems.notebook import displayed
from geoctrl.systems.page import system_lines
from geoctrl.systems.projection import check_initial_state, onto_rows, project_state
from geoctrl.systems.recorded_field import RecordedField
from geoctrl.systems.relations import removed_symbols
from geoctrl.systems.state import state_from
from geoctrl.systems.symmetry import despun_mechanism, despun_state

__all__ = ["ReducedSystem"]

_REMEMBERED = 128


class ReducedSystem(System):
    r"""Reduced nonholonomic Euler-Poincare equations in Gamma-dependent quasivelocities.

    Made by `EulerPoincare.reduce`. The state is ``x = (w, rotor rates, advected components)``, followed by
    the states of a controller where the description has one, and

    .. math:: M(\Gamma)\,\dot w = h(w, \Gamma, u), \qquad \dot\Gamma = -(E(\Gamma) w)\,\Gamma

    (see `geoctrl.systems.assembly`). All functions take ``x`` of shape (n,) or (n, nt).

    Attributes
    ----------
    mechanism : EulerPoincare
        Inputs that its feedback closes are not among those of the system.
    leaf : Leaf
        Geometric relations; their drift is reported with every trajectory.
    velocity_labels : tuple of str
        Labels of the full velocity xi (rotor rates appended). Besides these the attributes of `System`.
    """

    recorded = True

    def __init__(self, mechanism: EulerPoincare) -> None:
        if not isinstance(mechanism, EulerPoincare):
            raise TypeError(f"mechanism must be an EulerPoincare, got {shown(mechanism)}")
        self.mechanism, self.name = mechanism, mechanism.name
        self.frame = choose_frame(mechanism)
        removed = removed_symbols(mechanism)
        self.assembly = a = Assembly(mechanism, self.frame, removed)
        self.graph = a.graph
        user = mechanism.leaf.named
        self._sample = Sampler(a, [a.configuration(r.expr) for r in user])
        self.kept = [
            node for s, node in zip(mechanism.advected_symbols, a.advected, strict=True) if s not in removed
        ]
        self.kept_index = [a.advected.index(node) for node in self.kept]
        self.state_nodes = [*a.velocity, *self.kept, *a.controller]
        self.arguments = [*self.state_nodes, a.time, *a.inputs]
        self.time_node, self.input_nodes, self.parameter_nodes = a.time, a.inputs, a.parameters
        self.states: tuple[sp.Symbol, ...] = tuple(self.symbols[node] for node in self.state_nodes)
        self.state_labels = tuple(str(s) for s in self.states)
        self.inputs: tuple[sp.Symbol, ...] = mechanism.input_symbols
        self.input_labels = tuple(str(u) for u in self.inputs)
        self.output_labels = tuple(mechanism.outputs)
        self.velocity_labels = mechanism.velocity_labels
        self.nstates, self.ninputs = len(self.states), len(self.inputs)
        self.families: dict[str, Family] = dict(mechanism.equilibria)
        self.params = mechanism.defaults
        generic = generic_parameters(mechanism)
        rng = np.random.default_rng(20240801)
        samples = [self._sample(rng, generic) for _ in range(3)]
        relations = [*automatic_relations(mechanism), *user]
        self.leaf = Leaf(a, relations, samples, generic, self.kept)
        check_build(self, samples, generic)
        self.judgement = Judgement(self, generic)
        self.judgement.require(generic)

    # -- numbers and names ----------------------------------------------------------------------

    @cached_property
    def symbols(self) -> dict[Node, sp.Symbol]:
        """Sympy symbols of the leaves of the graph."""
        return self.assembly.sympy_symbols()

    def __repr__(self) -> str:
        return system_lines(self)

    def _repr_latex_(self) -> str:
        return displayed(lambda budget: self.latex(budget=budget))

    def __reduce__(self):
        return EulerPoincare.reduce, (self.mechanism,)

    def parameters(self, params: Mapping[str, float] | None) -> dict[str, float]:
        """Defaults overridden by ``params``; ParameterError for unknown, missing, non-positive values.

        Raises besides what `Judgement.require` does where the description is not what it promises.
        """
        values = resolve_parameters(self.params, params, self.mechanism.positive)
        self.judgement.require(values)
        return values

    parameters_at = parameters

    def run(self, params: Mapping[str, float] | None = None) -> RecordedField:
        """The field with the numbers of one run."""
        return RecordedField(self, self.parameters(params))

    def start(self, x0: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """A state or equilibrium as a finite state, InputError or ConstraintError unless on the leaf."""
        return check_initial_state(self, getattr(x0, "x", x0), self.parameters(params))

    def arguments_at(self, t: Any, x: Any, u: Any) -> list:
        """Arguments of compiled programs: states, time, inputs; InputError for wrong shapes."""
        x = number_array("x", x)
        if x.shape[:1] != (self.nstates,) or x.ndim > 2:
            raise InputError(
                f"x must have shape ({self.nstates},) or ({self.nstates}, nt) for the states "
                f"{', '.join(self.state_labels)}; got {x.shape}"
            )
        if u is None:
            values = np.zeros(self.ninputs)
        else:
            values = np.atleast_1d(number_array("u", u))
            if values.shape[0] != self.ninputs:
                raise InputError(
                    f"u must have {self.ninputs} entries ({', '.join(self.input_labels) or 'no input'}), "
                    f"got shape {values.shape}"
                )
        return [*x, number_array("t", t), *values]

    def program(self, nodes: Sequence[Node]) -> Program:
        """Compiled function of (states, time, inputs); remembered for the same nodes."""
        key = tuple(node.index for node in nodes)
        if key not in self._programs:
            if len(self._programs) > _REMEMBERED:
                self._programs.clear()
            self._programs[key] = Program(self.graph, self.arguments, self.assembly.parameters, nodes)
        return self._programs[key]

    @cached_property
    def cache(self) -> dict[str, Any]:
        """What analyses and engines keep with the system; left out when it is pickled."""
        return {}

    @cached_property
    def _programs(self) -> dict[tuple[int, ...], Program]:
        return {}

    @cached_property
    def field_nodes(self) -> list[Node]:
        """Nodes of xdot."""
        advection = [self.assembly.advection[i] for i in self.kept_index]
        return [*self.assembly.acceleration, *advection, *self.assembly.controller_rates]

    @cached_property
    def _outputs(self) -> Program:
        return self.program([self.expression(e) for e in self.mechanism.outputs.values()])

    @cached_property
    def differential(self) -> Differential:
        """Exact first derivatives of the equations of motion."""
        return Differential(self)

    def rhs(self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Time derivative of the state, with the shape of ``x``.

        Parameters
        ----------
        t : float
        x : array, (n,) or (n, nt)
        u : array of inputs, zero by default
        params : dict, optional
            Overrides of the defaults by name.

        Raises
        ------
        InputError, ParameterError
            If ``x`` or ``u`` has the wrong shape; for an unknown or missing parameter.
        """
        return self.program(self.field_nodes)(self.arguments_at(t, x, u), self.parameters(params))

    def jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative of `rhs` by the state: (n, n), or (nt, n, n) for ``x`` of shape (n, nt)."""
        return self.differential.numeric(self.arguments_at(t, x, u), self.parameters(params))[0]

    def input_jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative of `rhs` by the inputs: (n, m), or (nt, n, m)."""
        return self.differential.numeric(self.arguments_at(t, x, u), self.parameters(params))[1]

    def _at(self, x: Any, params: Mapping[str, float] | None, nodes: Sequence[Node]) -> np.ndarray:
        return self.program(nodes)(self.arguments_at(0.0, x, None), self.parameters(params))

    def energy(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray | float:
        """Constrained energy 1/2 xi.G xi + U (rotors included; a gyroscopic term does not enter)."""
        value = self._at(x, params, [self.assembly.energy])[0]
        return float(value) if np.ndim(value) == 0 and not np.iscomplexobj(value) else value

    def velocity(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Full velocity xi = E(Gamma) w (rotor rates not included), shape (n_alg,) or (n_alg, nt)."""
        return self._at(x, params, self.assembly.xi)[: self.mechanism.algebra.n]

    def advected(self, x: Any) -> np.ndarray:
        """All advected components, removed coordinates (zero) included: (d,) or (d, nt)."""
        x = np.asarray(self.arguments_at(0.0, x, None)[: self.nstates])
        full = np.zeros((len(self.assembly.advected), *x.shape[1:]), dtype=x.dtype)
        k = len(self.assembly.velocity)
        full[self.kept_index] = x[k : k + len(self.kept)]
        return full

    def leaf_residual(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Defects of the leaf relations at ``x``: (r,) or (r, nt)."""
        return self._at(x, params, self.leaf.nodes)

    def outputs(self, t: Any, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Declared output signals: (p,) or (p, nt)."""
        return self._outputs(self.arguments_at(t, x, u), self.parameters(params))

    def project(
        self,
        xi: Any,
        advected: Mapping[str, Any] | None = None,
        rotor_rates: Any = None,
        params: Mapping[str, float] | None = None,
        nearest: bool = False,
    ) -> np.ndarray:
        """State of a full velocity and advected vectors; states of a controller are zero in it.

        Parameters
        ----------
        xi : (n_alg,)
        advected : mapping name -> components
        rotor_rates : (s,), zero by default
        params : dict, optional
        nearest : bool
            Repair any defect instead of raising; a `ProjectionWarning` tells what was changed.

        Returns
        -------
        ndarray (n,)

        Raises
        ------
        ConstraintError
            If the vectors are off the leaf or the velocity violates the constraints by more than 1e-3
            (relative); smaller defects above 1e-12 are projected with a `ProjectionWarning`.
        DescriptionError, InputError
            If the advected vectors are not given by their names, all of them; for another shape, or what is
            not finite.
        FrameError
            If the frame is singular there.
        """
        return project_state(self, xi, advected, rotor_rates, self.parameters(params), nearest)

    def state(self, params: Mapping[str, float] | None = None, **given: Any) -> np.ndarray:
        """State (n,) with what is given by label, the constraints solved for the rest; see `state_from`."""
        return state_from(self, given, self.parameters(params))

    # -- symbols --------------------------------------------------------------------------------

    def expression(self, expr: Any) -> Node:
        """Node of an expression in reduced or full symbols."""
        return self.assembly.restrict([self.assembly.motion(expr)])[0]

    def to_sympy(self, nodes: Sequence[Node]) -> list[sp.Expr]:
        """Sympy expressions of nodes in states, inputs, time and parameters."""
        return to_sympy(list(nodes), self.symbols)

    def equations(self) -> Equations:
        """Sympy form: mass matrix ``M``, right-hand side ``h``, ``kinematics`` and the solved ``rhs``."""
        return Equations.of(self)

    def latex(self, part: str = "motion", width: float = 38.0, budget: float = BUDGET) -> str:
        """The equations of motion in LaTeX, or what they are derived from.

        Parameters
        ----------
        part : {"motion", "lagrangian", "constraints", "frame", "leaf", "invariants"}
            Empty text for a part that this system does not have. Long entries of the frame get names, which
            are explained in the last lines; a dot over such a name is its derivative along the motion.
        width : float
            Width of a line in em.
        budget : float
            Seconds; sides of equations that are not typeset by then are replaced by words that say so.

        Raises
        ------
        InputError, ParameterError
            For a part of another name; a width, a budget, that is no positive number.
        """
        from geoctrl.systems.display import Display

        return Display(self, width, budget).part(part)

    def tensors(self) -> HamelTensors:
        """C, F and B of [GO] Theorem 12 in the frame completed by a complement."""
        return hamel_tensors(self)

    def unreduced(self) -> MultiplierForm:
        """The equations with multipliers on the whole algebra, evaluated by an implementation of its own."""
        return MultiplierForm(self.mechanism)

    # -- invariants -----------------------------------------------------------------------------

    @cached_property
    def conservation(self) -> Conservation:
        """Candidate invariants, their rates, and those that are kept."""
        return Conservation(self)

    @property
    def candidate_invariants(self) -> dict[str, sp.Expr | Node]:
        """Energy, declared invariants and (without constraints) Casimirs of degree one and two."""
        return self.conservation.candidates

    def conserved(
        self, params: Mapping[str, float] | None = None, all_inputs: bool = False, u: Any = None
    ) -> dict[str, Node]:
        """Nodes of candidates that motions keep, by rates at random states; `check_invariant` proves it.

        Parameters
        ----------
        params : dict, optional
            Whatever has neither a value here nor a default gets a random one.
        all_inputs : bool
            Demand conservation whatever the inputs do; else they are constant.
        u : array (m,), optional
            These constants, zero by default.

        Raises
        ------
        ParameterError, InputError
            For an unknown parameter, values that are no finite real numbers, a wrong number of inputs.
        """
        return self.conservation.kept(params, all_inputs, u)

    @property
    def dropped_invariants(self) -> tuple[str, ...]:
        """Declared invariants that this system does not keep at its default parameters."""
        return tuple(k for k in self.mechanism.invariants if k not in self.conserved())

    def rate_terms(self, nodes: Sequence[Node]) -> list[list[Node]]:
        """For each node the terms (d node / d x_i) xdot_i of its rate."""
        gradients = self.graph.jacobian(list(nodes), self.state_nodes)
        return [[d * f for d, f in zip(row, self.field_nodes, strict=True)] for row in gradients]

    def invariants(self, x: Any, params: Mapping[str, float] | None = None) -> dict[str, Any]:
        """Values of the conserved quantities by name: (,) or (nt,) each; the energy where it is one."""
        values = self.parameters(params)
        return self.conservation.values(tuple(self.conserved(values)), x, values)

    def random_state(
        self, rng: np.random.Generator, params: Mapping[str, float] | None = None, scale: float = 1.0
    ) -> np.ndarray:
        """A random state on the leaf, velocities and controller states normal of the given scale.

        Raises
        ------
        TypeError, ParameterError, InputError
            If ``rng`` is no generator of numpy, or parameters or scale are no finite numbers.
        """
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng must be a numpy.random.Generator, got {shown(rng)}")
        scale = real(scale, "scale")
        params = generic_parameters(self.mechanism) if params is None else self.parameters(params)
        return self.sample(rng, params, scale)

    def sample(self, rng: np.random.Generator, values: Mapping[str, float], scale: float = 1.0) -> np.ndarray:
        """`random_state` at a full set of parameters, which is not judged."""
        gamma = self._sample(rng, values)[self.kept_index]
        w, controller = (
            scale * rng.normal(size=len(n)) for n in (self.assembly.velocity, self.assembly.controller)
        )
        return onto_rows(self, np.concatenate([w, gamma, controller]), values)

    @cached_property
    def _despun(self) -> ReducedSystem:
        return despun_mechanism(self.mechanism).reduce()

    def despun(self) -> ReducedSystem:
        """The system seen from axes that do not follow the spin about the declared symmetry axis.

        Steady motions in which the spin turns Gamma are equilibria of it. States keep their labels;
        the component of the advected vector by which the axes are held is removed. Singular where the vector
        is along the axis (there the system itself has the equilibria).

        Raises
        ------
        DescriptionError, FrameError
            If no symmetry is declared, nothing orients the axes, or constraints are kept by multipliers.
        """
        return self._despun

    def despun_state(self, x: Any) -> np.ndarray:
        """State (n - 1,) of `despun` that a state (n,) of this system is seen as."""
        return despun_state(self, x)

    # -- equilibria -----------------------------------------------------------------------------

    def equilibrium(
        self, name: str, params: Mapping[str, float] | None = None, **values: float
    ) -> Equilibrium:
        """Member of a declared family.

        Parameters
        ----------
        name : str
            A key of `families`.
        params : dict, optional
        **values : float
            The family's symbols by name.

        Raises
        ------
        ParameterError
            For an unknown family, symbol or parameter.
        EquilibriumError
            If the member is not an equilibrium of this system (residual in the message).
        """
        from geoctrl.systems.members import family_member

        return family_member(self, name, params, values)

    def to_control(self, outputs: Sequence[str] | None = None, name: str | None = None):
        """A `control.NonlinearIOSystem`; outputs are labels of states or signals, all states by default."""
        return nonlinear_system(self, outputs, name)
