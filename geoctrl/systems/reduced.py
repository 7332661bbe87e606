"""The reduced system: states, equations of motion and what is conserved, ready for every analysis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from operator import methodcaller
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._calls.budget import BUDGET
from geoctrl._calls.long_calls import long_call, under_way
from geoctrl._collector import rare_collections
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import Node, shown
from geoctrl.systems.connections.connection import Connection
from geoctrl.systems.connections.local_connection import connection_of
from geoctrl.systems.contract.points import family_member
from geoctrl.systems.equations.frames import choose_frame
from geoctrl.systems.equations.leaf import Leaf, Sampler, automatic_relations, configuration_relations
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.equations.multiplier import MultiplierForm
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.equations.tree_assembly import assembly_of
from geoctrl.systems.parts.families import Equilibrium, Family
from geoctrl.systems.printing.equations import Equations, HamelTensors, hamel_tensors
from geoctrl.systems.printing.latex_parts import Display
from geoctrl.systems.printing.summary_page import system_lines
from geoctrl.systems.promises.admissible_parameters import Judgement
from geoctrl.systems.promises.build_checks import check_build
from geoctrl.systems.promises.conserved_candidates import Conservation
from geoctrl.systems.promises.declared_symmetry import despun_mechanism, despun_state
from geoctrl.systems.states.differential import Differential, slopes_of
from geoctrl.systems.states.leveling import state_on_levels
from geoctrl.systems.states.projection import check_initial_state, project_state
from geoctrl.systems.states.recorded_rates import RecordedField
from geoctrl.systems.states.rest_view import SeenReduced
from geoctrl.systems.states.singularity import is_regular_at
from geoctrl.systems.states.state import state_from
from geoctrl.systems.typesetting.notebook import displayed_formula
from geoctrl.systems.units.unit_change import UnitChange, changed_mechanism

__all__ = ["ReducedSystem", "reduced_system"]


class ReducedSystem(Recorded):
    r"""Reduced nonholonomic Euler-Poincare equations in Gamma-dependent quasivelocities.

    Made by `EulerPoincare.reduce` and, of rates that are given, `VectorField.reduce`. The state is
    ``x = (w, rotor rates, advected components)``, followed by the states of a controller where there is one,

    .. math:: M(\Gamma)\,\dot w = h(w, \Gamma, u), \qquad \dot\Gamma = -(E(\Gamma) w)\,\Gamma

    (see `geoctrl.systems.equations.assembly`). All functions take ``x`` of shape (n,) or (n, nt).

    Attributes
    ----------
    mechanism : EulerPoincare
        Inputs that its feedback closes are not among those of the system.
    leaf : Leaf
        Geometric relations; their drift is reported with every trajectory.
    velocity_labels : tuple of str
        Labels of the full velocity xi (rotor rates appended). Besides these the attributes of `System`.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        if not isinstance(mechanism, Mechanism):
            raise TypeError(f"mechanism must be an EulerPoincare, got {shown(mechanism)}")
        self.mechanism, self.name = mechanism, mechanism.name
        self.frame = choose_frame(mechanism)
        removed = mechanism.removed
        self.assembly = a = assembly_of(mechanism, self.frame)
        self.graph = a.graph
        user = configuration_relations(mechanism)
        self.sampler = Sampler(a, [a.configuration(r.expr) for r in user])
        self.kept = [
            node for s, node in zip(mechanism.configuration_symbols, a.gamma, strict=True) if s not in removed
        ]
        self.kept_index = [a.gamma.index(node) for node in self.kept]
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
        self.params, self.domain = mechanism.defaults, mechanism.edges
        generic, rng = mechanism.generic, np.random.default_rng(20240801)
        samples = [self.sampler(rng, generic) for _ in range(3)]
        relations = [*automatic_relations(mechanism), *user]
        self.leaf = Leaf(a, relations, samples, generic, self.kept)
        check_build(self, samples, generic)
        whole = None if mechanism.view_of is None else reduced_system(mechanism.view_of).judgement
        self.judgement: Judgement = Judgement(self, generic, whole)
        self.judgement.require(generic)

    _lines = system_lines
    full = full_text
    __repr__ = short_form

    def _repr_latex_(self) -> str:
        return displayed_formula(lambda budget: self.latex(budget=budget))

    def __reduce__(self):
        return methodcaller("reduce"), (self.mechanism,)

    def parameters(self, params: Mapping[str, float] | None) -> dict[str, float]:
        """Defaults overridden by ``params``; ParameterError for wrong values, or as `Judgement.require`."""
        return self.judgement.parameters(params)

    parameters_at = parameters
    _is_regular_at = is_regular_at

    def run(self, params: Mapping[str, float] | None = None) -> RecordedField:
        """The field with the numbers of one run."""
        return RecordedField(self, self.parameters(params))

    def start(self, x0: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """A state or equilibrium as a finite state, InputError or ConstraintError unless on the leaf."""
        return check_initial_state(self, getattr(x0, "x", x0), self.parameters(params))

    @cached_property
    def differential(self) -> Differential:
        """Exact first derivatives of the equations of motion."""
        return Differential(self)

    def jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative of `rhs` by the state: (n, n), or (nt, n, n) for ``x`` of shape (n, nt)."""
        return slopes_of(self).numeric(self.arguments_at(t, x, u), self.member_parameters(params, x))[0]

    def input_jacobian(
        self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Derivative of `rhs` by the inputs: (n, m), or (nt, n, m)."""
        return slopes_of(self).numeric(self.arguments_at(t, x, u), self.member_parameters(params, x))[1]

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
        xi : (n_alg,), or of a vector field a mapping of state -> number
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
        """The state that has what is given, the constraints solved for the rest.

        Advected vectors that are not given are at their references; where only some components of one are,
        the leaf is solved for the others from there. Of the velocities with ``xi = E w`` and ``B w = 0`` that
        have what is given, the one with the least norm of w is taken: velocities among the states that are
        not given are zero where the constraints allow it. Rotor rates and states of a controller are zero
        unless given.

        Parameters
        ----------
        params : dict, optional
        **given : numbers, vectors
            By label: full velocities (``Omega3=6``, or ``Omega=(0, 0.4, 6)``), velocities among the states,
            rotor rates, advected vectors (``Gamma=(0, 0.6, 0.8)``) or components (``Gamma2=0.6``), states of
            a controller.

        Returns
        -------
        ndarray (n,)

        Raises
        ------
        LabelError
            If nothing goes by a name that is given.
        InputError
            If a value is not finite or has the wrong length, or something is given twice.
        ConstraintError
            If what is given contradicts itself, a constraint or a relation of the leaf by more than 1e-3; a
            `ProjectionWarning` is issued for less, down to 1e-12.
        FrameError
            If the frame is singular there.

        Examples
        --------
        >>> import geoctrl as gc
        >>> disk = gc.models.get("rolling-disk")().reduce()
        >>> x = disk.state(Omega3=6, Gamma=(0, 0.6, 0.8))
        >>> disk.velocity(x).round(3)
        array([ 0. ,  0. ,  6. , -1.8,  0. ,  0. ])
        """
        return state_from(self, given, self.parameters(params))

    def _in_units_of(self, change: UnitChange) -> ReducedSystem:
        """The system in other units."""
        return changed_mechanism(self.mechanism, change, self.measures).reduce()

    # -- symbols --------------------------------------------------------------------------------

    def equations(self) -> Equations:
        """Sympy form: mass matrix ``M``, right-hand side ``h``, ``kinematics`` and the solved ``rhs``."""
        return Equations.of(self)

    @long_call
    def latex(
        self,
        part: str = "motion",
        width: float = 38.0,
        budget: float = BUDGET,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> str:
        """The equations of motion in LaTeX, or what they are derived from.

        Parameters
        ----------
        part : {"motion", "lagrangian", "constraints", "frame", "leaf", "invariants"} or label of a state
            Empty text for a part that this system does not have. Long entries of the frame get names, which
            are explained in the last lines; a dot over such a name is its derivative along the motion. Beyond
            some 20,000 characters it is said how many equations are left out: a label gives that of a state.
        width : float
            Width of a line in em.
        budget : float
            Seconds; sides of equations that are not typeset by then are replaced by words that say so.
        progress, seconds
            As of `geoctrl.certify`; the budget is part of these seconds.

        Raises
        ------
        InputError, ParameterError
            For a part of another name; a width, a budget, that is no positive number.
        """
        return Display(self, width, under_way().search_budget(budget)).part(part)

    def tensors(self) -> HamelTensors:
        """C, F and B of [GO] Theorem 12 in the frame completed by a complement."""
        return hamel_tensors(self)

    def unreduced(self) -> MultiplierForm:
        """The equations with multipliers on the whole algebra, evaluated by an implementation of its own."""
        return MultiplierForm(self.mechanism)

    def connection(self, basis: Any = None, momenta: Sequence[str] | None = None) -> Connection:
        r"""How the shape moves the group: local connection, momentum equation, curvature, displacements.

        .. math:: \xi = -\mathcal A(r)\,\dot r + \mathcal B(r)\,p + c(r)

        Parameters
        ----------
        basis : m rows of n_g entries in coordinates and parameters, optional
            Admissible group velocities, along which momenta are taken; by default without denominators.
        momenta : sequence of m names, optional
            ``p``, or ``p1`` and so on.

        Returns
        -------
        Connection

        Raises
        ------
        DescriptionError
            Without group or coordinates, with advected vectors, which break the symmetry, or with rotors.
        ConstraintError
            If the constraints hold the shape alone, or the basis violates them.
        InputError
            For a basis of another size, or names that are taken.

        Examples
        --------
        >>> import geoctrl as gc
        >>> board = gc.models.get("snakeboard")().reduce()
        >>> board.connection().momenta
        (p,)
        """
        return connection_of(self.mechanism, basis, momenta)

    # -- invariants -----------------------------------------------------------------------------

    @cached_property
    def conservation(self) -> Conservation:
        """Candidate invariants, their rates, and those that are kept."""
        return Conservation(self)

    @property
    def candidate_invariants(self) -> dict[str, sp.Expr | Node]:
        """Energy, declared invariants, Casimirs and momenta; see `Conservation`."""
        return self.conservation.candidates

    def conserved(
        self, params: Mapping[str, float] | None = None, all_inputs: bool = False, u: Any = None
    ) -> dict[str, Node]:
        """Nodes of candidates that motions keep, by rates at random states; `check_invariant` proves it.

        With sixty digits, doubles being the rationals that they are: of rounded coefficients none are kept.

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
        return self.conservation.conserved_nodes(params, all_inputs, u)

    @property
    def dropped_invariants(self) -> tuple[str, ...]:
        """Declared invariants that this system does not keep at its default parameters."""
        return tuple(k for k in self.mechanism.invariants if k not in self.conserved())

    def invariants(self, x: Any, params: Mapping[str, float] | None = None) -> dict[str, Any]:
        """Values of the conserved quantities by name: (,) or (nt,) each; the energy where it is one."""
        return self.conservation.kept_values(x, self.member_parameters(params, x))

    def on_levels(
        self, x: Any, levels: Mapping[str, float], params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        r"""The state next to x at which conserved functions have given values.

        Positions and advected vectors stay as they are. Velocities w are moved by Newton's steps of least
        norm, :math:`\partial_w C\, \delta w = c - C(x, w)`, within the constraints.

        Parameters
        ----------
        x : (n,)
        levels : dict of name -> value
            Of `invariants`.
        params : dict, optional

        Returns
        -------
        ndarray (n,)

        Raises
        ------
        LabelError
            If nothing conserved goes by a name.
        InputError
            For a state of another shape, or what is not finite.
        ConstraintError
            If no velocities are found that have these values.

        Examples
        --------
        >>> import geoctrl as gc
        >>> skate = gc.models.get("pendulum-skate")().reduce()
        >>> eq = skate.equilibrium("sliding", Y0=1.0)
        >>> levels = {k: skate.invariants(eq.x)[k] for k in ("C1", "C2")}
        >>> leaning = skate.on_levels(skate.state(Gamma=(0, 0.6, 0.8)), levels)
        >>> all(abs(skate.invariants(leaning)[k] - c) < 1e-12 for k, c in levels.items())
        True
        """
        return state_on_levels(self, x, levels, self.parameters(params))

    @cached_property
    def _despun(self) -> ReducedSystem:
        return reduced_system(despun_mechanism(self.mechanism))

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

    def despun_state(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """State (n - 1,) of `despun` that a state (n,) of this system is seen as, at these parameters."""
        return despun_state(self, self._despun, x, params)

    # -- equilibria -----------------------------------------------------------------------------

    def seen_from(self, spin: Any = None) -> SeenReduced:
        """The system at its relative equilibria; InputError for a spin, which `despun` leaves out."""
        return SeenReduced(self, spin)

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
        ParameterError, EquilibriumError
            For an unknown family, symbol or parameter; if the member is no equilibrium of this system.
        """
        return family_member(self, self.mechanism.parameters, name, params, values)

    def to_control(self, outputs: Sequence[str] | None = None, name: str | None = None):
        """A `control.NonlinearIOSystem`; outputs are labels of states or signals, all states by default."""
        from geoctrl import interop

        return interop.equations_of_motion(self, outputs, name, "reduced")


@rare_collections
def reduced_system(mechanism: Mechanism) -> ReducedSystem:
    """The reduced system of a mechanism, remembered with it: the same object at every call."""
    return mechanism.cache.get("reduced") or mechanism.cache.setdefault("reduced", ReducedSystem(mechanism))
