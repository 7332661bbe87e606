"""What the parts of a reduced system are made from: equations recorded as expressions, and their values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import number_array, resolve_parameters
from geoctrl._scalars import Graph, Node, Program, real, shown, to_sympy
from geoctrl.algebra import Height
from geoctrl.errors import InputError
from geoctrl.systems.contract.family_members import family_states
from geoctrl.systems.contract.system_contract import System
from geoctrl.systems.equations.assembly import Assembly
from geoctrl.systems.equations.frames import Frame
from geoctrl.systems.equations.leaf import Leaf, Sampler
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.equations.units import measures_of, state_units, told_units
from geoctrl.systems.parts.description_entries import require_mechanism
from geoctrl.systems.parts.friction import with_reactions
from geoctrl.systems.parts.member_parameters import member_arrays
from geoctrl.systems.units.measures import Measures, known_units
from geoctrl.systems.units.si_units import has_number

__all__ = ["Recorded"]

_REMEMBERED = 128
_DRAWS = 40
"""Of a random state, until one is regular."""


class Recorded(System):
    """A system of which the equations are recorded in a graph; `ReducedSystem` completes it.

    Attributes
    ----------
    mechanism : Mechanism
        What it is derived from.
    assembly : Assembly
        Nodes of the equations, in ``graph``.
    frame : Frame
        Velocities that are states.
    leaf : Leaf
        Geometric relations.
    kept, kept_index : list of Node, list of int
        Advected components that are states, and their places among all.
    state_nodes, arguments : list of Node
        The states; the same followed by the time and the inputs.
    sampler : Sampler
        Random configurations on the leaf.
    judgement : Judgement
        Of parameters, those of several members too.
    """

    recorded = True
    mechanism: Mechanism
    assembly: Assembly
    graph: Graph
    frame: Frame
    leaf: Leaf
    kept: list[Node]
    kept_index: list[int]
    state_nodes: list[Node]
    arguments: list[Node]
    sampler: Sampler
    judgement: Any
    nstates: int
    ninputs: int

    @property
    @abstractmethod
    def candidate_invariants(self) -> dict[str, sp.Expr | Node]:
        """What may be conserved, by name."""

    @abstractmethod
    def conserved(
        self, params: Mapping[str, float] | None = None, all_inputs: bool = False, u: Any = None
    ) -> dict[str, Node]:
        """Nodes of the candidates that motions keep."""

    @cached_property
    def state_units(self) -> Mapping[str, str]:
        """SI units by label of states, where the description says what they are."""
        given = (p.unit for p in self.mechanism.parameters)
        if not any(map(has_number, given)):
            return state_units(self.mechanism)
        return known_units(self)  # the SI is not that of these numbers

    @property
    def told_units(self) -> Mapping[str, str]:
        """Units by label of states and inputs as they are printed; see `System.told_units`."""
        return told_units(self.mechanism, known_units(self))

    @cached_property
    def measures(self) -> Measures:
        """Units of states, inputs and parameters."""
        return measures_of(self)

    @property
    def jumps(self) -> tuple[Any, ...]:
        """Jumps of its mechanism, which `EulerPoincare.hybrid` makes a system of; equations have none."""
        return tuple(self.mechanism.jumps)

    # -- nodes and symbols ----------------------------------------------------------------------

    @cached_property
    def symbols(self) -> dict[Node, sp.Symbol]:
        """Sympy symbols of the leaves of the graph."""
        return self.assembly.sympy_symbols()

    def expression(self, expr: Any) -> Node:
        """Node of an expression in reduced or full symbols, and in reactions."""
        a = self.assembly
        return a.restrict([with_reactions(expr, a.motion, lambda: a.reactions)(expr)])[0]

    def to_sympy(self, nodes: Sequence[Node]) -> list[sp.Expr]:
        """Sympy expressions of nodes in states, inputs, time and parameters."""
        return to_sympy(list(nodes), self.symbols)

    def rate_terms(self, nodes: Sequence[Node]) -> list[list[Node]]:
        """For each node the terms (d node / d x_i) xdot_i of its rate."""
        gradients = self.graph.jacobian(list(nodes), self.state_nodes)
        return [[d * f for d, f in zip(row, self.field_nodes, strict=True)] for row in gradients]

    # -- programs and values ---------------------------------------------------------------------

    def member_parameters(self, params: Mapping[str, Any] | None, states: Any = None) -> dict[str, Any]:
        """`parameters_at`; of arrays (N,), besides numbers, with nan for members that would be refused.

        ``states`` (n, N) have to be as many, or one.
        """
        if params is None or not member_arrays(params):
            return self.parameters_at(params)
        return self.judgement.of_members(params, states)

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
        t = number_array("t", t)
        if x.ndim == 2 or t.ndim or values.ndim == 2:
            several = {k: n for k, n in (("x", x[0].size), ("t", t.size), ("u", values[:1].size)) if n > 1}
            if len(set(several.values())) > 1 or max(t.ndim, values.ndim - 1) > 1:
                found = ", ".join(f"{n} of {k}" for k, n in several.items())
                raise InputError(f"states, times and inputs are as many as each other, or one; got {found}")
        return [*x, t, *values]

    def program(self, nodes: Sequence[Node], further: Sequence[Node] = ()) -> Program:
        """Compiled function of (states, further states, time, inputs); remembered for the same nodes."""
        key = tuple([node.index for node in nodes]), tuple([node.index for node in further])
        if key not in self._programs:
            if len(self._programs) > _REMEMBERED:
                self._programs.clear()
            self._programs[key] = super().program(nodes, further)
        return self._programs[key]

    @cached_property
    def cache(self) -> dict[str, Any]:
        """What analyses and engines keep with the system; left out when it is pickled."""
        return {}

    @cached_property
    def _programs(self) -> dict[tuple[tuple[int, ...], ...], Program]:
        return {}

    @cached_property
    def field_nodes(self) -> list[Node]:
        """Nodes of xdot."""
        return [*self.assembly.acceleration, *self._kinematic_rates]

    @property
    def _kinematic_rates(self) -> list[Node]:
        a = self.assembly
        return [*(a.advection[i] for i in self.kept_index), *a.controller_rates]

    @cached_property
    def evaluated_rates(self) -> list[Node]:
        """Nodes of xdot as runs evaluate them: of many coupled parts along their tree, with names in them."""
        return [*self.assembly.evaluated_acceleration, *self._kinematic_rates]

    @cached_property
    def holds_time(self) -> bool:
        """Whether the equations hold the time, be it in the effect of an input."""
        return self.assembly.time in self.graph.symbols(self.evaluated_rates)

    @cached_property
    def _field(self) -> Program:
        return self.program(self.evaluated_rates)

    @cached_property
    def _outputs(self) -> Program:
        return self.program([self.expression(e) for e in self.mechanism.outputs.values()])

    def rhs(self, t: float, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Time derivative of the state, with the shape of ``x``.

        Parameters
        ----------
        t : float
        x : array, (n,) or (n, nt)
        u : array of inputs, zero by default
        params : dict, optional
            Overrides of the defaults by name: numbers, or arrays (N,) of N members, whose states are
            (n, N), or (n, 1) for all. Columns are nan of members that would be refused alone.

        Raises
        ------
        InputError, ParameterError
            If ``x`` or ``u`` has the wrong shape; for an unknown or missing parameter, arrays of another
            shape or of other numbers of members.
        """
        return self._field(self.arguments_at(t, x, u), self.member_parameters(params, x))

    def _values_at(self, x: Any, params: Mapping[str, float] | None, nodes: Sequence[Node]) -> np.ndarray:
        return self.program(nodes)(self.arguments_at(0.0, x, None), self.member_parameters(params, x))

    def energy(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray | float:
        """Constrained energy 1/2 xi.G xi + U (rotors included; a gyroscopic term does not enter)."""
        remedy = "declare what is conserved by invariants={name: expression}"
        require_mechanism(self.mechanism, "energy", remedy)
        value = self._values_at(x, params, [self.assembly.energy])[0]
        return float(value) if np.ndim(value) == 0 and not np.iscomplexobj(value) else value

    def velocity(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Full velocity xi = E(Gamma) w (rotor rates not included), shape (n_alg,) or (n_alg, nt)."""
        require_mechanism(self.mechanism, "velocities", "rates of its states are sys.rhs(t, x, u)")
        return self._values_at(x, params, self.assembly.xi)[: self.mechanism.algebra.n]

    def advected(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Components of advected vectors and parameters, removed ones included: (d,) or (d, nt).

        Heights and coordinates are in `configuration`.
        """
        heights = {a.symbol for a in self.mechanism.advected if isinstance(a, Height)}
        places = [i for i, s in enumerate(self.mechanism.advected_symbols) if s not in heights]
        return self.configuration(x, params)[places]

    def configuration(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """All advected components, removed ones included, then the coordinates: (d,) or (d, nt)."""
        plain = not any(self.mechanism.removed.values())  # zeros need no parameters
        return self.configuration_at(x, None if plain else self.parameters_at(params))

    def configuration_at(self, x: Any, values: Mapping[str, float] | None) -> np.ndarray:
        """`configuration` at a full set of parameters; without one removed entries are zero."""
        x = np.asarray(self.arguments_at(0.0, x, None)[: self.nstates])
        full = np.zeros((len(self.assembly.gamma), *x.shape[1:]), dtype=x.dtype)
        k = len(self.assembly.velocity)
        full[self.kept_index] = x[k : k + len(self.kept)]
        return full if values is None else self.completed(full, values)

    def completed(self, gamma: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
        """Gamma (d,) or (d, nt) with the entries that the leaf removes as it makes them."""
        a, gamma, m = self.assembly, np.array(number_array("gamma", gamma)), self.mechanism
        if gamma.shape[:1] != (len(a.gamma),) or gamma.ndim > 2:
            raise InputError(
                f"gamma must have shape ({len(a.gamma)},) or ({len(a.gamma)}, nt), got {gamma.shape}"
            )
        places = [i for i in range(len(gamma)) if i not in self.kept_index]
        if not places:
            return gamma
        program = Program(a.graph, a.gamma, a.parameters, a.restrict([a.gamma[i] for i in places]))
        gamma[places] = program(list(gamma), resolve_parameters(m.defaults, values, m.positive))
        return gamma

    def leaf_residual(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Defects of the leaf relations at ``x``: (r,) or (r, nt)."""
        return self._values_at(x, params, self.leaf.nodes)

    def reactions(
        self, x: Any, u: Any = None, params: Mapping[str, float] | None = None, t: Any = 0.0
    ) -> dict[str, Any]:
        r"""Forces of the constraints by name: a number each, or (nt,).

        By the name of a row :math:`\psi^a` (``constraint1`` and so on unless it has one) its multiplier
        :math:`\lambda_a` in :math:`\lambda_a \psi^a`: in N where the row is a velocity in m/s, in N m where
        it is a rate in rad/s. By the name of a velocity :math:`\eta` in ``reactions=`` of the description
        the power :math:`\lambda_a \psi^a \cdot \eta` of all of them along it. A weight that the description
        has as a function of an orientation is carried by no row; see `Height`.

        Parameters
        ----------
        x : array, (n,) or (n, nt)
        u : array of inputs, zero by default
        params : dict, optional
        t : float or (nt,)
            Several times give several values of a force, at one state too.

        Raises
        ------
        InputError, ParameterError
            For a wrong shape; for an unknown or missing parameter.

        Examples
        --------
        >>> import geoctrl as gc
        >>> disk = gc.models.get("rolling-disk")().reduce()
        >>> round(disk.reactions(disk.state(Gamma=(0, 1, 0)))["normal"], 3)
        16.677
        """
        require_mechanism(self.mechanism, "constraints", "forces of constraints are a mechanism's")
        nodes = self.assembly.reactions
        program, arguments = self.program(list(nodes.values())), self.arguments_at(t, x, u)
        values = program(arguments, self.member_parameters(params, x))
        if values.ndim == 1:
            return dict(zip(nodes, map(float, values), strict=True))
        return dict(zip(nodes, values, strict=True))

    def outputs(self, t: Any, x: Any, u: Any = None, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Declared output signals: (p,) or (p, nt)."""
        return self._outputs(self.arguments_at(t, x, u), self.member_parameters(params, x))

    def members(self, family: str, params: Mapping[str, Any] | None = None, **symbols: Any) -> np.ndarray:
        """States of many members of a declared family at once, in doubles.

        Parameters
        ----------
        family : str
            A key of `families`.
        params : dict, optional
            Overrides of the defaults: numbers, or arrays (N,), one number a member.
        **symbols : numbers, arrays (N,)
            The family's symbols by name.

        Returns
        -------
        ndarray (n, N)
            nan for those that are no members: parameters that are refused, states without a real value, rates
            or defects above 1e-9 of their terms. N is one where no array is given.

        Raises
        ------
        ParameterError, InputError
            For an unknown family, symbol or parameter; arrays of another shape, or of other numbers of
            members.

        Examples
        --------
        >>> import geoctrl as gc
        >>> skate = gc.models.get("pendulum-skate")().reduce()
        >>> skate.members("sliding", Y0=[1.0, 2.0]).shape
        (5, 2)
        """
        return family_states(self, family, params, symbols)

    # -- random states --------------------------------------------------------------------------

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
        params = self.mechanism.generic if params is None else self.parameters_at(params)
        for _ in range(_DRAWS):  # steps onto the leaf may end at an extremum, where rows depend on each other
            x = self.sample(rng, params, scale)
            if self._is_regular_at(x, params):
                break
        return x

    def _is_regular_at(self, x: np.ndarray, params: Mapping[str, float]) -> bool:
        """Whether accelerations are determined at a state; not known by the equations alone."""
        del x, params
        return True

    def sample(self, rng: np.random.Generator, values: Mapping[str, float], scale: float = 1.0) -> np.ndarray:
        """`random_state` at a full set of parameters, which is not judged."""
        gamma = self.sampler(rng, values)[self.kept_index]
        w, controller = (
            scale * rng.normal(size=len(n)) for n in (self.assembly.velocity, self.assembly.controller)
        )
        return self.onto_rows(np.concatenate([w, gamma, controller]), values)

    def onto_rows(self, x: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
        """The state with its velocities moved onto the constraint rows that are kept by multipliers."""
        a = self.assembly
        if not a.rows:
            return x
        rows = self.program([e for row in a.rows for e in row])
        B = rows(self.arguments_at(0.0, x, None), values).reshape(len(a.rows), -1)
        w = x[: len(a.velocity)]
        x = x.copy()
        x[: w.size] = w - np.linalg.lstsq(B, B @ w, rcond=None)[0]
        return x
