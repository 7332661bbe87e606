r"""Laws that realise a controlled Lagrangian, the loops that they close, and damping.

The law is :math:`B u = G\,\dot v_c + h(v)` at the accelerations :math:`\dot v_c = -G_c^{-1}(h_c + F)` of the
controlled Lagrangian: a function of the state, that compensates no friction. Without other forces the loop is
the controlled Lagrangian; else it is the plant with this feedback.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars import STATE, Node
from geoctrl._scalars.graph.symmetric_elimination import dot
from geoctrl.analysis.linear.linearization import linearize
from geoctrl.errors import InputError, LawWarning, MatchingError
from geoctrl.synthesis.contract.law import Law, with_feedback
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
from geoctrl.synthesis.shaping.matching_class import Shaping, as_dict, require_class
from geoctrl.synthesis.shaping.performance import Performance, performance_at
from geoctrl.systems import EulerPoincare, Family, Parameter, ReducedSystem, as_mechanism

__all__ = ["ShapedLaw"]

_SEEN = 1e-9
"""Inputs of damping below this part of what it gives at deviations of the sizes of states are none."""


class ShapedLaw(Law):
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
        require_class(shaping, "law")
        as_mechanism(mechanism, "law")
        adds = isinstance(added, Added | None) and isinstance(further, Further)
        if not isinstance(gains, tuple) or not adds:
            raise TypeError("a law takes the parameters of its gains, what with_damping adds, and a Further")
        self.shaping, self.mechanism, self.gain_parameters = shaping, mechanism, gains
        self._values = as_dict(values, "values")
        self.input_labels = tuple(map(str, shaping.plant.mechanism.inputs))
        m = shaping.plant.drive.cols
        none = sp.ImmutableMatrix(sp.zeros(m, m))
        self._added = added or Added(none, none, (), 1)
        self.damping, self.integral = self._added.damping, self._added.integral
        self.further = further
        every = (*gains, *self._added.parameters)
        found = regular(partial(shaping.proved, values, every, further), gains)
        self.controlled: Controlled = found.negated if is_negative(found) else found

    @property
    def potential(self) -> sp.Expr:
        """F(z) besides that of the class."""
        return self.further.potential

    # -- the law --------------------------------------------------------------------------------

    @property
    def bare(self) -> ReducedSystem:
        """The controlled Lagrangian's system."""
        return self.controlled.system

    @cached_property
    def nodes(self) -> list[Node]:
        """u in the graph of the controlled Lagrangian's system."""
        system, inputs = self.controlled.system, self.controlled.inputs
        g, parts = system.graph, []
        if not self.damping.is_zero_matrix:
            parts.append((self.damping, self.controlled.passive_output))
        if self.own_states:
            rows = self.controlled.position_rows
            parts.append((self.integral, [dot(g, row, self._further_states) for row in rows]))
        for matrix, seen in parts:
            K = [[system.assembly.configuration(e) for e in row] for row in matrix.tolist()]
            inputs = [u - self._added.sense * dot(g, row, seen) for u, row in zip(inputs, K, strict=True)]
        return inputs

    @property
    def own_states(self) -> tuple[str, ...]:
        """Integrals of the positions."""
        if self.integral.is_zero_matrix:
            return ()
        count = len(self.controlled.positions)
        return ("integral",) if count == 1 else tuple(f"integral{i + 1}" for i in range(count))

    @cached_property
    def _further_states(self) -> list[Node]:
        return [self.controlled.system.graph.symbol(label, STATE) for label in self.own_states]

    @property
    def _parameters(self) -> Sequence[Parameter]:
        return self.controlled.parameters

    _tidying = 3.0

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
        self.warn_once()
        return self.loop

    @cached_property
    def warnings(self) -> tuple[LawWarning, ...]:
        """A `LawWarning` where these gains leave every family of the loop unstable that is asked in time, and
        one where the sign of the damping is that at rest and the loop has families that move.
        """
        moving = self._added.at_rest and not self.damping.is_zero_matrix
        of_damping = damped_at_rest(self.loop) if moving else ()
        return (*unstable_families(self.loop, self.gain_parameters), *of_damping)

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
        own = zip(self.own_states, self.controlled.positions, strict=True) if self.own_states else ()
        return with_feedback(
            plant,
            self.by_input(),
            controller=dict(own),
            domain=self._domain,
            quasicoordinates=made.quasicoordinates,
            parameters=made.parameters,
            symmetry=None,
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
        return self._with_damping_of(Added(matrix, integrals, (*parameters, *more), sense, at_rest))

    def _with_damping_of(self, added: Added | None = None) -> ShapedLaw:
        gains = self.gain_parameters
        return ShapedLaw(self.shaping, self.mechanism, self._values, gains, added, self.further)

    def _sign_at(self, at: Any, damped: list[int]) -> int:
        """The sign with which damping of these inputs makes no mode of the controlled Lagrangian grow."""
        bare = self._with_damping_of()
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
