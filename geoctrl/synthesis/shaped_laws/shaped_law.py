r"""Laws that realise a controlled Lagrangian, the loops that they close, and damping.

The law is :math:`B u = G\,\dot v_c + h(v)` at the accelerations :math:`\dot v_c = -G_c^{-1}(h_c + F)` of the
controlled Lagrangian: a function of the state, that compensates no friction. Without other forces the loop is
the controlled Lagrangian; else it is the plant with this feedback.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._calls.budget import Budget
from geoctrl._checks import finite_array, number_array, user_level
from geoctrl._scalars import STATE, Node, Program, to_sympy
from geoctrl.analysis import linearize
from geoctrl.errors import InputError, LawWarning, MatchingError
from geoctrl.sampling import Controls, Feedback
from geoctrl.synthesis.export import compensation, law_outputs
from geoctrl.synthesis.export.controllers import controller
from geoctrl.synthesis.export.formula import as_feedback, law_latex, with_numbers
from geoctrl.synthesis.rotors.gains import gain_parameters, read_damping
from geoctrl.synthesis.shaped_laws.shaped_damping import (
    SIGNS,
    Added,
    damped_at_rest,
    held_families,
    is_negative,
    regular,
    regular_domain,
    sign_at_rest,
    sign_of_modes,
    unstable_families,
)
from geoctrl.synthesis.shaping.controlled_lagrangian import NOTHING, Controlled, Further
from geoctrl.synthesis.shaping.matching_class import Shaping, as_dict, require_made_by_match
from geoctrl.synthesis.shaping.performance import Performance, performance_at
from geoctrl.systems import EulerPoincare, Family, Parameter, ReducedSystem
from geoctrl.systems.equations.velocity_elimination import dot
from geoctrl.systems.printing.equations import collected_fraction
from geoctrl.systems.typesetting.decimal_printing import expression_text
from geoctrl.systems.typesetting.notebook import displayed_formula

__all__ = ["ShapedLaw"]

_TIDYING = 3.0
"""Seconds for bringing a law into a short form."""
_LONG = 2000
"""Characters of a law that nobody reads."""
_SEEN = 1e-9
"""Inputs of damping below this part of what it gives at deviations of the sizes of states are none."""


class ShapedLaw(Controls):
    """Inputs as functions of the state; made by ``ShapedMatching.law``.

    Attributes
    ----------
    shaping : Shaping
        Its class.
    mechanism : EulerPoincare
        The plant as it was given.
    gain_parameters : tuple of Parameter
        The gains as parameters of the loop.
    controlled : Controlled
        With the sign at which the energy has a minimum, where the gains' numbers decide it.
    damping, integral : sympy matrices, m x m
        K and K_i of what `with_damping` added, zero without.
    further : Further
        F(z) and N(z), the potential and the inertia of the positions besides those of the class.

    Raises
    ------
    TypeError
        If it is not made of a class and its mechanism.
    MatchingError
        If the controlled inertia is singular at rest with these gains.
    """

    def __init__(
        self,
        shaping: Shaping,
        mechanism: EulerPoincare,
        values: Mapping[str, sp.Expr],
        gains: tuple[Parameter, ...],
        added: Added | None = None,
        further: Further = NOTHING,
    ) -> None:
        require_made_by_match(mechanism, shaping, "law")
        adds = isinstance(added, Added | None) and isinstance(further, Further)
        if not isinstance(gains, tuple) or not adds:
            raise TypeError("a law takes the parameters of its gains, what with_damping adds, and a Further")
        self.shaping, self.mechanism, self.gain_parameters = shaping, mechanism, gains
        self._values, self._warned = as_dict(values, "values"), False
        m = shaping.plant.drive.cols
        none = sp.ImmutableMatrix(sp.zeros(m, m))
        self._added = added or Added(none, none, (), 1)
        self.damping, self.integral = self._added.damping, self._added.integral
        self.further = further
        every = (*gains, *self._added.parameters)
        found = regular(partial(shaping.proved, values, every, further), gains)
        self.controlled: Controlled = found.negated if is_negative(found) else found

    function, latex, to_c = law_outputs.function, law_outputs.latex, law_outputs.to_c
    compensated = compensation.compensated

    @property
    def potential(self) -> sp.Expr:
        """F(z) besides that of the class."""
        return self.further.potential

    @property
    def input_labels(self) -> tuple[str, ...]:
        """Labels of the inputs that the law sets."""
        return tuple(map(str, self.controlled.plant.mechanism.inputs))

    # -- the law --------------------------------------------------------------------------------

    @cached_property
    def _nodes(self) -> list[Node]:
        """u in the graph of the controlled Lagrangian's system."""
        system, inputs = self.controlled.system, self.controlled.inputs
        g, parts = system.graph, []
        if not self.damping.is_zero_matrix:
            parts.append((self.damping, self.controlled.passive_output))
        if self._integrals:
            rows = self.controlled.position_rows
            parts.append((self.integral, [dot(g, row, self._integrals) for row in rows]))
        for matrix, seen in parts:
            K = [[system.assembly.configuration(e) for e in row] for row in matrix.tolist()]
            inputs = [u - self._added.sense * dot(g, row, seen) for u, row in zip(inputs, K, strict=True)]
        return inputs

    @cached_property
    def _integrals(self) -> list[Node]:
        """States of the controller, integrals of the positions."""
        if self.integral.is_zero_matrix:
            return []
        return [self.controlled.system.graph.symbol(label, STATE) for label in self._integral_labels]

    @property
    def _integral_labels(self) -> list[str]:
        count = len(self.controlled.positions)
        return ["integral"] if count == 1 else [f"integral{i + 1}" for i in range(count)]

    @cached_property
    def _program(self) -> Program:
        system = self.controlled.system
        arguments = [*system.state_nodes, *self._integrals, system.time_node]
        return Program(system.graph, arguments, system.assembly.parameters, self._nodes)

    @cached_property
    def _recorded(self) -> list[sp.Expr]:
        """The law as it is recorded, for the loops."""
        own = {node: sp.Symbol(node.payload, real=True) for node in self._integrals}
        return to_sympy(self._nodes, self.controlled.system.symbols | own)

    def by_input(self) -> dict[str, sp.Expr]:
        """The law by input label, as it is recorded."""
        return dict(zip(self.input_labels, self._recorded, strict=True))

    @cached_property
    def expr(self) -> sp.ImmutableMatrix:
        """The inputs (m x 1) in states of the loop, parameters and gains; long ones as they are recorded."""
        states, time = self.controlled.system.states, Budget(_TIDYING)
        found = [time.attempt("the law", partial(collected_fraction, e, states), e) for e in self._recorded]
        return sp.ImmutableMatrix(found)

    def numeric(self, params: Mapping[str, float] | None = None) -> dict[str, sp.Expr]:
        """The inputs by label in states alone, with numbers for parameters and gains.

        Raises
        ------
        ParameterError
            For an unknown parameter, or one without a value.
        """
        return with_numbers(self.full if self._integrals else self.controlled.system, self.by_input(), params)

    def feedback(self, params: Mapping[str, float] | None = None) -> Feedback:
        """The law with numbers in the states of the plant; integrals are states of the controller."""
        return as_feedback(self.mechanism, self.full, self.by_input(), params)

    def __call__(self, t: float, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Inputs (m,) or (m, nt) at states (n,) or (n, nt) of the loop, integrals included.

        Raises
        ------
        InputError, ParameterError
            If ``x`` has the wrong shape; for an unknown or missing parameter.
        """
        system = self.controlled.system
        x, count = number_array("x", x), len(self._integrals)
        known, own = (x[: len(x) - count], x[len(x) - count :]) if count else (x, [])
        states = system.arguments_at(t, known, None)[: system.nstates]
        return self._program([*states, *own, t], system.parameters(params))

    def gradient(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Derivative of the inputs by the state of the loop, (m, n), at a state (n,).

        Raises
        ------
        InputError, ParameterError
            As for a call.
        """
        x = finite_array("x", x, (self.loop.nstates,))
        values = self._slopes([*x, 0.0], self.controlled.system.parameters(params))
        return np.array(values, dtype=float).reshape(-1, len(x))

    @cached_property
    def _slopes(self) -> Program:
        system = self.controlled.system
        states = [*system.state_nodes, *self._integrals]
        rows = system.graph.jacobian(self._nodes, states)
        return Program(
            system.graph,
            [*states, system.time_node],
            system.assembly.parameters,
            [e for row in rows for e in row],
        )

    def performance(self, eq: Any, params: Mapping[str, float] | None = None) -> Performance:
        """Frequencies and decay of the loop, its largest inputs, and how far the law reaches.

        Parameters
        ----------
        eq : Equilibrium or state of the loop
        params : dict, optional

        Raises
        ------
        EquilibriumError, ParameterError
            As `geoctrl.linearize`.

        Examples
        --------
        >>> import geoctrl as gc
        >>> law = gc.match(gc.models.get("cart-pendulum")(), shaping="both").law(kappa=20, rho=-0.02, K=-0.6)
        >>> told = law.performance(law.loop.equilibrium("upright"))
        >>> round(told.frequency, 1), round(told.domain["phi"][1], 2)
        (14.6, 1.11)
        """
        linear = linearize(self.loop, eq, params)
        point = linear.equilibrium
        return performance_at(
            linear, self.gradient(point.x, point.params), self.input_labels, self.controlled
        )

    @cached_property
    def energy(self) -> sp.Expr:
        """E_c in full symbols."""
        m = self.controlled.mechanism
        xi = sp.Matrix(m.algebra.xi)
        return (xi.T * m.inertia * xi)[0] / 2 + m.potential

    # -- the loops ------------------------------------------------------------------------------

    def closed_loop(self) -> ReducedSystem:
        """The closed loop as a system, its outputs the inputs of the plant; the first issues `warnings`.

        States are those of the plant with rotor rates, followed by the positions z of the controlled
        potential. Without damping and without other forces its energy is the controlled one. Else its energy
        is that of the plant, and ``controlled_energy`` is among its candidates for an invariant.
        """
        self._warn_once()
        return self.loop

    @cached_property
    def warnings(self) -> tuple[LawWarning, ...]:
        """A `LawWarning` where these gains leave every family of the loop unstable that is asked in time, and
        one where the sign of the damping is that at rest and the loop has families that move.
        """
        moving = self._added.at_rest and not self.damping.is_zero_matrix
        of_damping = damped_at_rest(self.loop) if moving else ()
        return (*unstable_families(self.loop, self.gain_parameters), *of_damping)

    def _warn_once(self) -> None:
        if not self._warned:
            self._warned = True
            for warning in self.warnings:
                warnings.warn(warning, stacklevel=user_level())

    @cached_property
    def loop(self) -> ReducedSystem:
        """`closed_loop`, without a word about the gains."""
        plain_ = not self._added.parameters and not self._driven_otherwise
        return self._lagrangian.reduce() if plain_ else self.full

    @property
    def _driven_otherwise(self) -> bool:
        """Whether forces act on the plant besides those of the inputs."""
        plant = self.controlled.plant
        rest = sp.Matrix(plant.mechanism.acting) - plant.drive * sp.Matrix(plant.mechanism.inputs)
        return not rest.applyfunc(sp.expand).is_zero_matrix

    @property
    def _lagrangian(self) -> EulerPoincare:
        plant, made = self.controlled.plant.mechanism, self.controlled.mechanism
        return made.replace(
            outputs={**plant.outputs, **self.by_input()},
            invariants=plant.invariants,
            equilibria=self._families,
            domain=self._domain,
            reactions={},
            name=f"{plant.name or 'system'}, closed loop",
        )

    @cached_property
    def full(self) -> ReducedSystem:
        """The plant with the law as its feedback."""
        plant, made = self.controlled.plant.mechanism, self.controlled.mechanism
        return plant.replace(
            feedback=self.by_input(),
            controller=dict(zip(self._integral_labels, self.controlled.positions, strict=True))
            if self._integrals
            else {},
            domain=self._domain,
            quasicoordinates=made.quasicoordinates,
            parameters=made.parameters,
            parameter_sets={},
            symmetry=None,
            outputs={**plant.outputs, **self.by_input()},
            invariants={**plant.invariants, "controlled_energy": self.energy},
            equilibria=self._families,
            name=f"{plant.name or 'system'}, closed loop with the plant's energy",
        ).reduce()

    @cached_property
    def _domain(self) -> dict[str, Any]:
        return regular_domain(self.controlled)

    @cached_property
    def _families(self) -> dict[str, Family]:
        return held_families(self.controlled)

    # -- damping --------------------------------------------------------------------------------

    def with_damping(self, k: Any, energy: str | None = None, integral: Any = 0, at: Any = None) -> ShapedLaw:
        r"""The law with :math:`-\varepsilon K y` added, y the `Controlled.passive_output`.

        Where positions are held, or nothing keeps the momenta of the actuated directions,
        :math:`y = B^T G^{-1} G_c v` and :math:`\dot E_c = -\varepsilon\, y^T K y`, with
        :math:`\varepsilon = 1` where the controlled energy has a minimum and -1 where it has a maximum. Where
        these momenta are conserved y is what the body's motion alone gives, and the energy at zero momentum
        changes so.

        Parameters
        ----------
        k : number, (m,), symmetric m x m matrix, or symbol
            K, positive semidefinite. A number stands for its multiple of the identity.
        energy : {"minimum", "maximum"}, optional
            Found by itself: from the modes at the equilibrium ``at``, else from the signs of the controlled
            inertia at rest, where the default parameters decide it.
        integral : number, (m,), symmetric m x m matrix, or symbol
            :math:`K_i` of a further :math:`-\varepsilon K_i N_f \int z\,dt`, which brings the positions z
            home against a constant force: a state ``integral`` of the loop for each. Whether the loop is
            stable with it is for `geoctrl.certify` to say.
        at : Equilibrium or state of the loop, optional
            Where it shall be damped. About a motion that turns, the energy may have the other sign than at
            rest, on the levels of what damping leaves conserved.

        Raises
        ------
        MatchingError
            If K has the wrong shape or is not positive semidefinite, or no sign of the damping fits all
            directions.
        InputError
            For an unknown word in ``energy``, or with both ``energy`` and ``at``.
        EquilibriumError
            If ``at`` is no equilibrium of the loop.
        """
        if energy is not None and energy not in SIGNS:
            raise InputError(f'energy must be "minimum" or "maximum", got {energy!r}')
        if energy is not None and at is not None:
            raise InputError("energy= and at= both say the sign of the damping; give one of them")
        plant = self.shaping.plant
        taken = (*plant.mechanism.parameters, *self.gain_parameters)
        matrix, parameters = gain_parameters(
            "k", *read_damping("k", k, plant.drive.cols), taken, "", "damping of the inputs' directions"
        )
        count, held = plant.drive.cols, len(self.controlled.positions)
        given = read_damping("k_i", integral, count)
        if not given[0].is_zero_matrix and held != count:
            raise MatchingError(
                f"the law holds {held} of {count} positions, and integral= needs all of them; take "
                'shaping="both"'
            )
        what = "integral action on the positions"
        integrals, more = gain_parameters("k_i", *given, (*taken, *parameters), "", what)
        if at is not None:
            sense = self._sign_at(at, [int(e != 0) for e in matrix.diagonal()])
        else:
            sense = SIGNS[energy] if energy else sign_at_rest(self.controlled)
        at_rest = at is None and energy is None
        return self._with(Added(matrix, integrals, (*parameters, *more), sense, at_rest))

    def _with(self, added: Added | None = None) -> ShapedLaw:
        gains = self.gain_parameters
        return ShapedLaw(self.shaping, self.mechanism, self._values, gains, added, self.further)

    def _sign_at(self, at: Any, damped: list[int]) -> int:
        """The sign with which damping of these inputs makes no mode of the controlled Lagrangian grow."""
        bare = self._with()
        linear = linearize(bare._lagrangian.reduce(), at)
        x, numbers, d = linear.equilibrium.x, linear.equilibrium.params, linear.scales.column
        trial = bare.with_damping(k=damped, energy="minimum")
        slopes = np.abs(trial.gradient(x, numbers) - bare.gradient(x, numbers)) @ d
        if np.any(np.abs(trial(0.0, x, numbers) - bare(0.0, x, numbers)) > _SEEN * slopes):
            raise MatchingError("damping would brake the motion at this equilibrium, which it is to keep")
        change = trial.full.jacobian(0.0, x, None, numbers) - bare.full.jacobian(0.0, x, None, numbers)
        W = np.linalg.qr(linear.basis / d[:, None])[0]
        A, moved = (W.T @ (M * d / d[:, None]) @ W for M in (linear.A, change))
        return sign_of_modes(A, moved)

    # -- display --------------------------------------------------------------------------------

    def to_control(self, name: str | None = None):
        """The law as a `control.NonlinearIOSystem`: states of the loop in, inputs of the plant out.

        With integral action the states ``integral`` are its own.
        """
        own = self._integral_labels if self._integrals else []
        system = self.full if own else self.controlled.system
        return controller(self, system, self.input_labels, own, name)

    def _repr_latex_(self) -> str:
        parameters = [p.symbol for p in self.controlled.parameters]
        table = dict(zip(self.input_labels, self.expr, strict=True))
        return displayed_formula(lambda _: law_latex(table, parameters))

    def __repr__(self) -> str:
        gains = ", ".join(f"{p.name} = {p.default}" for p in self.controlled.gains)
        shown = [expression_text(e) for e in self.expr]
        rows = "\n".join(
            f"  {label} = {e if len(e) < _LONG else f'an expression of {len(e)} characters, .expr'}"
            for label, e in zip(self.input_labels, shown, strict=True)
        )
        return f"<ShapedLaw for {self.mechanism.name}: {gains}>\n{rows}"
