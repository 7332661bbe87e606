"""Feedback laws made by matching."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._calls.budget import Budget
from geoctrl._checks import flag, named_parameters, number_array
from geoctrl._scalars import Node, read_matrix
from geoctrl._scalars.algebra.ideal import LeafIdeal
from geoctrl.errors import GeoctrlError, InputError, LawWarning
from geoctrl.synthesis.contract.gain_set import GainSet
from geoctrl.synthesis.contract.law import Law
from geoctrl.synthesis.rotors.damping import damped_law
from geoctrl.synthesis.rotors.gains import gain_parameters, read_sigma
from geoctrl.synthesis.rotors.loops import RotorLagrangian, momentum_parameters, momentum_vector
from geoctrl.synthesis.rotors.rotor_matching import RotorMatching
from geoctrl.systems import Parameter, ReducedSystem

__all__ = ["FeedbackLaw"]

_CLEARLY = 1e-6
"""Derivative at parameters and states of size one that is no rounding."""


_JUDGING = 3.0
"""Seconds for judging a gain that nobody asked about."""


class FeedbackLaw(Law):
    r"""Torques :math:`u_a = -G_{ab}\,\frac{d}{dt}(\tau^b_i \xi^i)` that realise a controlled Lagrangian.

    The accelerations in it are those of the closed loop itself (the torque acts back on them), which
    makes it a function of the state: [GO] (53) with Remark 17. Made by ``Matching.law``.

    Attributes
    ----------
    matching : Matching
        What it is made of.
    lagrangian : RotorLagrangian
    rotors : Rotors
    inertia, tau, rho_inverse : sympy matrices
        Of the controlled Lagrangian, in symbols of the gain.
    gain_parameters : tuple of Parameter
        The gain as parameters of the loop, ``sigma`` for one rotor.

    Raises
    ------
    TypeError
        If it is not made of a matching.
    """

    def __init__(self, matching: RotorMatching, sigma: Any) -> None:
        if not isinstance(matching, RotorMatching):
            given = type(matching).__name__
            raise TypeError(f"a law is made of a Matching, got {given}; take match(...).law(...)")
        self.matching = matching
        self.mechanism = matching.mechanism
        self.rotors, self.input_labels = matching.rotors, matching.rotors.input_labels
        given = read_sigma(sigma, self.mechanism)
        self._symbols, self.gain_parameters = gain_parameters(
            "sigma",
            given,
            matching.sigma,
            self.mechanism.parameters,
            "kg m^2",
            "gain of the controlled Lagrangian",
        )
        branch = matching.branches[-1]
        renamed = dict(zip(matching.sigma, self._symbols, strict=True))
        self.tau = sp.Matrix(branch.tau).subs(renamed)
        self.rho_inverse = sp.Matrix(branch.rho_inverse).subs(renamed)
        self.inertia = sp.ImmutableMatrix(matching.inertia(matching.sigma).subs(renamed))
        self.lagrangian = RotorLagrangian(
            self.mechanism, self.rotors, self.inertia, self.tau, self.rho_inverse, self.gain_parameters
        )

    # -- the loops ------------------------------------------------------------------------------

    def closed_loop(self, momentum: Any = 0.0, rotors: bool = False) -> ReducedSystem:
        """The closed loop as a system with its own energy, invariants and families.

        The first one that is made of a law that is known to stabilise no declared family, though others
        would, issues its `warnings`.

        Parameters
        ----------
        momentum : number or (s,)
            Controlled momentum of the reduced loop; a parameter ``momentum_<rotor>`` of it unless zero.
        rotors : bool
            Keep the rotor rates as states and the torque as an output. The momentum then follows from the
            initial rates.

        Returns
        -------
        ReducedSystem
            Outputs: torques ``u_<rotor>`` and, in the reduced loop, rates ``<rotor>_dot``.

        Raises
        ------
        InputError
            If the momentum is not finite or has the wrong length.
        SingularMassError
            If the controlled inertia is singular on the admissible velocities.
        MatchingError
            If rotor rates are kept and sigma equals the rotors' inertia in some direction.
        """
        values = momentum_vector(self.mechanism, momentum)
        self.warn_once()
        if flag("rotors", rotors):
            return self.full
        if not np.any(values):
            return self._loop
        parameters = momentum_parameters(self.mechanism, values)
        symbols = sp.Matrix([p.symbol for p in parameters])
        return self.lagrangian.at_momentum(values.tolist(), self._signals(symbols)).reduce()

    def _signals(self, momentum: sp.Matrix) -> dict[str, sp.Expr]:
        return self.by_input(self.expression(momentum)) | self.lagrangian.rotor_rates(momentum)

    @cached_property
    def _loop(self) -> ReducedSystem:
        return self.lagrangian.at_momentum(None, self._signals(sp.zeros(self.rotors.count, 1))).reduce()

    @cached_property
    def full(self) -> ReducedSystem:
        """The loop with rotor rates.

        The torque is the law at the controlled momentum that the rotor rates give, so that the loop follows
        the reduced one from every initial rate.
        """
        mechanism = self.mechanism
        return self.lagrangian.with_rotors(
            self.by_input(self.full_torques),
            invariants={**mechanism.invariants, **self.lagrangian.conserved},
            name=f"{mechanism.name or 'system'}, closed loop with rotor rates",
        ).reduce()

    # -- the law --------------------------------------------------------------------------------

    @cached_property
    def bare(self) -> ReducedSystem:
        """The reduced loop at zero momentum, without outputs: the law is read off its accelerations."""
        return self.lagrangian.at_momentum(None).reduce()

    @cached_property
    def _with_momentum(self) -> ReducedSystem:
        return self.lagrangian.at_momentum([0.0] * self.rotors.count).reduce()

    @cached_property
    def momentum_matters(self) -> bool:
        """Whether the law depends on the controlled momentum.

        It does not if and only if ``<A0, [xi, eta]> = 0`` for admissible xi and eta. A derivative that is
        not zero at a random state shows that it does; that it does not is decided exactly, modulo the leaf.
        """
        system = self._with_momentum
        g = system.graph
        parameters = [system.assembly.parameters[p.name] for p in self._momentum]
        derivatives = [e for row in g.jacobian(self._nodes_with_momentum, parameters) for e in row]
        derivatives = [e for e in derivatives if not e.is_zero]
        if not derivatives:
            return False
        params = system.mechanism.generic
        state = system.random_state(np.random.default_rng(23), params)
        values = system.program(derivatives)(system.arguments_at(0.0, state, None), params)
        if np.max(np.abs(values)) > _CLEARLY:
            return True
        ideal = LeafIdeal(system.leaf.nodes, derivatives)
        return any(bool(ideal.remainder(e)) for e in derivatives)

    @property
    def _momentum(self) -> tuple[Parameter, ...]:
        return momentum_parameters(self.mechanism, [0.0] * self.rotors.count)

    @cached_property
    def nodes(self) -> list[Node]:
        """The torques at zero momentum in the graph of `bare`."""
        return self.lagrangian.torques(self.bare)

    @cached_property
    def full_torques(self) -> list[sp.Expr]:
        """The law at the controlled momentum that the rotor rates give, and what viscous bearings take."""
        found = self.expression(self.lagrangian.momentum)
        return [e + lost for e, lost in zip(found, self.lagrangian.bearing_torques, strict=True)]

    def expression(self, momentum: sp.Matrix) -> list[sp.Expr]:
        """The law at a controlled momentum given in symbols (ignored where the law does not depend on it).

        Raises
        ------
        InputError
            Unless there is one expression for each rotor.
        """
        momentum = read_matrix("momentum", momentum, InputError)
        if len(momentum) != self.rotors.count:
            raise InputError(f"momentum must have {self.rotors.count} entries, got {len(momentum)}")
        if momentum.is_zero_matrix or not self.momentum_matters:
            return self.torques
        values = {p.symbol: e for p, e in zip(self._momentum, momentum, strict=True)}
        return [e.subs(values) for e in self._with_momentum.to_sympy(self._nodes_with_momentum)]

    @cached_property
    def _nodes_with_momentum(self) -> list[Node]:
        return self.lagrangian.torques(self._with_momentum)

    def __call__(
        self, t: float, x: Any, params: Mapping[str, float] | None = None, momentum: Any = 0.0
    ) -> np.ndarray:
        """Torques at a state.

        Parameters
        ----------
        t : float
        x : (n,) or (n, nt)
            State of the reduced loop, or of the full one (rotor rates are then left out).
        params : dict, optional
            Of the plant and the gain.
        momentum : number or (s,)
            Controlled momentum, where the law depends on it.

        Returns
        -------
        ndarray (s,) or (s, nt)

        Raises
        ------
        InputError
            If ``x`` fits neither loop.
        ParameterError
            For an unknown or missing parameter.
        """
        x, count = number_array("x", x), self.rotors.count
        if x.shape[:1] == (self.bare.nstates + count,):
            k = len(self.bare.assembly.velocity)
            x = np.concatenate([x[:k], x[k + count :]])
        vector = momentum_vector(self.mechanism, momentum)
        if not self.momentum_matters:
            return super().__call__(t, x, params)
        system = self._with_momentum
        momenta = {p.name: v for p, v in zip(self._momentum, vector, strict=True)}
        values = system.parameters({**named_parameters(params), **momenta})
        return system.program(self._nodes_with_momentum)(system.arguments_at(t, x, None), values)

    # -- damping --------------------------------------------------------------------------------

    def with_damping(self, k: Any = 0.0, kappa: Any = 0.0, energy: str | None = None) -> Law:
        r"""The law with a dissipative torque on the rotors and regulation of their momentum.

        With the passive output :math:`y_a = G^{ab} G_{bi} \xi^i` (the body's rates seen by the rotors) the
        torque is increased by

        .. math::

            u' = \varepsilon K y - \kappa\,\eta, \qquad
            \eta = G\rho^{-1}\tilde\pi - \varepsilon K\!\int y\,dt ,

        in which :math:`\varepsilon = 1` where the controlled energy E has a minimum and -1 where it has a
        maximum. Then :math:`\dot E = -\varepsilon\, y^T K y + y^T\kappa\,\eta` and
        :math:`\dot\eta = -\kappa\,\eta` exactly. The accelerations in the law are those of the damped loop.

        Parameters
        ----------
        k : number, (s,), symmetric s x s matrix, or symbol
            K in N m s, positive semidefinite. A number stands for its multiple of the identity, (s,) for a
            diagonal matrix; entries may be symbols, which stay parameters of the loop.
        kappa : number, (s,), symmetric s x s matrix, or symbol
            In 1/s, positive semidefinite. Without it the final rotor rates depend on the start.
        energy : {"minimum", "maximum"}, optional
            What E has at the equilibrium in question. Found by itself where the default parameters decide
            it, from the sign of the controlled inertia in the rotors' directions: no other sign has an
            energy-Casimir proof. It belongs to these numbers; others, by ``params``, do not change it.

        Returns
        -------
        DampedLaw
            This law itself where both gains are zero.

        Raises
        ------
        MatchingError
            If a gain has the wrong shape, is not symmetric, finite, positive semidefinite, or its name is
            taken; if ``energy`` is needed or unknown.

        Examples
        --------
        >>> import geoctrl as gc
        >>> law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-1e-5)
        >>> loop = law.with_damping(k=2.7).closed_loop()
        >>> eq = loop.equilibrium("sliding", Y0=1.0)
        >>> gc.linearize(loop, eq).eigenvalues.round(2)
        array([ 0.  +0.j  ,  0.  +0.j  , -5.87-8.23j, -5.87+8.23j])
        """
        return damped_law(self, self.rotors.count, k, kappa, energy)

    # -- judgement ------------------------------------------------------------------------------

    @cached_property
    def _judgement(self) -> dict[str, tuple[bool | None, GainSet]]:
        """For each declared family whether the gain is admissible, and which gains are."""
        if any(p.default is None for p in self.gain_parameters):
            return {}
        found = {}
        for family in self.mechanism.equilibria:
            try:
                design = self.matching.family_design(family)
                found[family] = (design.contains(self.gain), design)
            except GeoctrlError:
                continue
        return found

    @property
    def warnings(self) -> tuple[LawWarning, ...]:
        """A `LawWarning` for each declared family left without proof by this gain and not by others."""
        return tuple(
            LawWarning(
                f"sigma = {self.gain} is outside the set that stabilises {family!r}: {design.condition}"
            )
            for family, (admissible, design) in self._judgement.items()
            if admissible is False and design.feasible
        )

    def _first_warnings(self) -> tuple[LawWarning, ...]:
        """The `warnings`, unless the gain stabilises another family.

        To judge a gain takes about a second, with several rotors minutes: nobody waits for that who wants a
        loop. Where time runs out nothing is issued, and `warnings` itself judges to the end.
        """

        def first() -> tuple[LawWarning, ...]:
            stabilises = any(admissible for admissible, _ in self._judgement.values())
            return () if stabilises else self.warnings

        return Budget(_JUDGING).attempt("the gain", first, ())

    @property
    def gain(self) -> Any:
        """The gain as a number (one rotor) or matrix, a sympy matrix where an entry is a symbol."""
        values = [p.default for p in self.gain_parameters]
        if len(self._symbols) == 1:
            return values[0]
        table = {p.symbol: v for p, v in zip(self.gain_parameters, values, strict=True) if v is not None}
        found = self._symbols.subs(table)
        return found if found.free_symbols else np.array(found.tolist(), dtype=float)
