r"""Dissipation for matched laws, and regulation of the rotors' momentum.

A torque u' added to the matched one acts on the closed loop as the force :math:`-G_{ia}G^{ab}u'_b` and on
the controlled momentum as :math:`\dot{\tilde\pi} = \rho\,G^{-1}u'`. With the passive output
:math:`y_a = G^{ab}G_{bi}\,\xi^i` the controlled energy E changes at the rate :math:`-y^T u'`, so that

.. math::

    u' = \varepsilon K y - \kappa\,\eta, \qquad
    \eta = G\rho^{-1}\tilde\pi - \varepsilon K\!\int y\,dt
    \qquad\Longrightarrow\qquad
    \dot E = -\varepsilon\,y^T K y + y^T\kappa\,\eta, \qquad \dot\eta = -\kappa\,\eta .

An impulse of the torque shifts v along :math:`\tilde M^{-1}b^T`, b = y's coefficients, and leaves every
function that is conserved for all torques as it is. Along it the energy-Casimir function therefore has the
second derivative :math:`b\,\tilde M^{-1}b^T`: where that function is definite, its sign is the sign of this
matrix, and it decides :math:`\varepsilon`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, flag
from geoctrl._scalars import Node, shown
from geoctrl._scalars.algebra.factoring import factorisation
from geoctrl.errors import InputError, LawWarning, MatchingError
from geoctrl.synthesis.contract.law import Law
from geoctrl.synthesis.export.controllers import controller
from geoctrl.synthesis.rotors.damped_energy import ModifiedEnergy, modified_energy
from geoctrl.synthesis.rotors.gains import gain_parameters, read_damping
from geoctrl.synthesis.rotors.loops import RotorLagrangian
from geoctrl.systems import EulerPoincare, ReducedSystem, Rotors

__all__ = ["DampedLaw", "damped_law"]

_SIGNS = {"minimum": 1, "maximum": -1}
_SAMPLES = 16
_VANISHING = 1e-9
"""What counts as zero, relative to its terms or to the largest of its kind."""


def damped_law(law: Law, rotors: int, k: Any, kappa: Any, energy: str | None) -> Law:
    """The law itself where both gains vanish; see `FeedbackLaw.with_damping`."""
    if energy is not None and not (isinstance(energy, str) and energy in _SIGNS):
        raise MatchingError(f'energy must be "minimum" or "maximum", got {shown(energy)}')
    damping, regulation = read_damping("k", k, rotors), read_damping("kappa", kappa, rotors)
    if damping[0].is_zero_matrix and regulation[0].is_zero_matrix:
        return law
    return DampedLaw(law, damping, regulation, energy)


class DampedLaw(Law):
    r"""A matched law with the torque :math:`u' = \varepsilon K y - \kappa\,\eta` added to it.

    Made by ``FeedbackLaw.with_damping``, where the equations are; a law like that one.

    Attributes
    ----------
    conservative : FeedbackLaw
        The law without it; both are of the same mechanism and controlled Lagrangian.
    lagrangian : RotorLagrangian
    rotors : Rotors
    inertia, tau, rho_inverse : sympy matrices
    gain_parameters : tuple of Parameter
        ``sigma``, ``k`` and ``kappa`` (or their entries) as parameters of the loop.
    k, kappa : sympy matrices, s x s
        In the symbols of these parameters.
    sign : {1, -1}
        :math:`\varepsilon`: 1 where the controlled energy has a minimum (or K = 0).

    Raises
    ------
    TypeError
        If it is not made of a law.
    """

    def __init__(
        self,
        law: Law,
        damping: tuple[sp.ImmutableMatrix, sp.ImmutableMatrix],
        regulation: tuple[sp.ImmutableMatrix, sp.ImmutableMatrix],
        energy: str | None,
    ) -> None:
        made = getattr(law, "lagrangian", None)
        if not isinstance(made, RotorLagrangian):
            raise TypeError(f"a damped law is made of a FeedbackLaw, got {type(law).__name__}")
        self.conservative = law
        self.mechanism, self.rotors, self.input_labels = made.mechanism, made.rotors, law.input_labels
        self.inertia, self.tau, self.rho_inverse = made.inertia, made.tau, made.rho_inverse
        taken = (*self.mechanism.parameters, *law.gain_parameters)
        self.k, first = gain_parameters("k", *damping, taken, "N m s", "damping of the rotors")
        self.kappa, second = gain_parameters(
            "kappa", *regulation, (*taken, *first), "1/s", "decay of the rotors' momentum"
        )
        self.gain_parameters = (*law.gain_parameters, *first, *second)
        self.lagrangian = replace(made, gains=self.gain_parameters)
        if energy is not None:
            self.sign = _SIGNS[energy]
        else:
            self.sign = 1 if self.k.is_zero_matrix else energy_sign(law.bare, made.rotors, damping[0])

    # -- the torque -----------------------------------------------------------------------------

    @property
    def output(self) -> sp.Matrix:
        """Passive output y = G_ab^{-1} G_bi xi, (s x 1)."""
        inverse = sp.Matrix(self.rotors.inertia).inv()
        return (inverse * self.rotors.coupling.T * sp.Matrix(self.mechanism.algebra.xi)).applyfunc(
            factorisation
        )

    @cached_property
    def _moving(self) -> bool:
        """Whether the motion of the body depends on the controlled momentum."""
        return momentum_moves(self.conservative.bare, self.rotors)

    @property
    def _integrating(self) -> bool:
        """Whether eta is more than the momentum: it needs the integral of y."""
        return not (self.k.is_zero_matrix or self.kappa.is_zero_matrix)

    @cached_property
    def _momentum(self) -> sp.Matrix | None:
        """Controlled momentum as states of the reduced loop; None where it does without them."""
        if self._moving or self.k.is_zero_matrix:
            return sp.Matrix([_real(f"momentum_{name}") for name in self.rotors.names])
        return None

    @cached_property
    def _eta(self) -> sp.Matrix:
        """eta in states of the reduced loop: states of their own, or the momentum where K = 0."""
        if self._integrating:
            return sp.Matrix([_real(f"eta_{name}") for name in self.rotors.names])
        if self._momentum is None:
            return sp.zeros(self.rotors.count, 1)
        return sp.Matrix(self.rotors.inertia) * self.rho_inverse * self._momentum

    @cached_property
    def _further_torque(self) -> sp.Matrix:
        """u' in velocities and states of the reduced loop."""
        return self.sign * self.k * self.output - self.kappa * self._eta

    # -- the loops ------------------------------------------------------------------------------

    def closed_loop(self, momentum: Any = 0.0, rotors: bool = False) -> ReducedSystem:
        """The damped loop as a system.

        Its energy is the controlled one, which now falls or rises; invariants are those that the damping
        spares.

        Parameters
        ----------
        momentum : 0
            Damping moves the controlled momentum, so that no value of it can be held.
        rotors : bool
            Keep the rotor rates as states and the torque as an output. With both gains there is a further
            state ``integral_<rotor>``, the integral of y that a controller forms.

        Returns
        -------
        ReducedSystem
            Further states of the reduced loop: ``momentum_<rotor>`` where the motion depends on the
            controlled momentum or K = 0, and ``eta_<rotor>`` with both gains. Its outputs are the torques
            and, where the momentum is a state, the rotor rates.

        Raises
        ------
        InputError
            For a momentum other than zero.
        SingularMassError
            If the controlled inertia is singular on the admissible velocities.
        MatchingError
            If the momentum is a state and sigma equals the rotors' inertia in some direction.
        """
        if np.any(finite_array("momentum", momentum)):
            raise InputError(
                f"momentum must be zero for a damped loop, got {shown(momentum)}: damping moves it; give it "
                "by the initial state"
            )
        self.warn_once()
        return self.full if flag("rotors", rotors) else self._loop

    def _without_rates(self, outputs: Mapping[str, Any] | None = None) -> EulerPoincare:
        """The reduced loop: A^0 follows the momentum where it is a state, else u' enters as a force."""
        momentum, rotors = self._momentum, self.rotors
        controller: dict[str, sp.Expr] = {}
        changes: dict[str, Any] = {}
        inverse = sp.Matrix(rotors.inertia).inv()
        if momentum is None:
            force = -sp.Matrix(rotors.coupling) * inverse * self._further_torque
            given = self.mechanism.forces
            changes["forces"] = list(force if given is None else sp.Matrix(given) + force)
        else:
            rates = self.lagrangian.rotor_metric * inverse * self._further_torque
            controller |= dict(zip(map(str, momentum), rates, strict=True))
        if self._integrating:
            controller |= dict(zip(map(str, self._eta), -self.kappa * self._eta, strict=True))
        changes["controller"] = {**self.mechanism.controller, **controller}
        changes["name"] = f"{self.mechanism.name or 'system'}, damped closed loop"
        return self.lagrangian.without_rotors(momentum, outputs, **changes)

    @cached_property
    def bare(self) -> ReducedSystem:
        """The reduced loop without outputs: the law is read off its accelerations."""
        return self._without_rates().reduce()

    @cached_property
    def _loop(self) -> ReducedSystem:
        signals = self.by_input(self.torques)
        if self._momentum is not None:
            signals |= self.lagrangian.rotor_rates(self._momentum)
        return self._without_rates(signals).reduce()

    @cached_property
    def full(self) -> ReducedSystem:
        """The loop with rotor rates, and with the integrals of y where there are both gains."""
        return self.lagrangian.with_rotors(
            self.by_input(self.full_torques),
            controller=dict(zip(self.own_states, self.output, strict=True)) if self.own_states else {},
            name=f"{self.mechanism.name or 'system'}, damped closed loop with rotor rates",
        ).reduce()

    @property
    def own_states(self) -> tuple[str, ...]:
        """Integrals of y, with both gains."""
        return tuple(f"integral_{name}" for name in self.rotors.names) if self._integrating else ()

    @cached_property
    def full_torques(self) -> list[sp.Expr]:
        """The law, with momentum and eta from rotor rates and integrals, and what viscous
        bearings take.
        """
        values: dict[sp.Symbol, sp.Expr] = {}
        momentum = self.lagrangian.momentum
        if self._momentum is not None:
            values |= dict(zip(self._momentum, momentum, strict=True))
        if self._integrating:
            integrals = sp.Matrix([_real(name) for name in self.own_states])
            eta = sp.Matrix(self.rotors.inertia) * self.rho_inverse * momentum
            eta = eta.applyfunc(factorisation) - self.sign * self.k * integrals
            values |= dict(zip(self._eta, eta, strict=True))
        lost = self.lagrangian.bearing_torques
        return [e.subs(values) + b for e, b in zip(self.torques, lost, strict=True)]

    @cached_property
    def modified_energy(self) -> ModifiedEnergy:
        r"""The function that falls along every run of the reduced loop, whatever the start.

        .. math::

            V = \varepsilon E + \sum_a \frac{\kappa_a}{4 k_a}\,\eta_a^2, \qquad
            -\dot V = \sum_a k_a \Bigl(y_a - \frac{\varepsilon\kappa_a}{2 k_a}\eta_a\Bigr)^2
                + \sum_a \frac{\kappa_a^2}{4 k_a}\,\eta_a^2 .

        Returns
        -------
        ModifiedEnergy
            ``expr`` and ``dissipation`` in the loop's states; that one is the other's rate is proved modulo
            the leaf before they are returned.

        Raises
        ------
        MatchingError
            If a rotor is regulated without being damped, a gain is not diagonal, or the plant's own forces do
            work.

        Examples
        --------
        >>> import geoctrl as gc
        >>> law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-5e-6)
        >>> law.with_damping(k=8, kappa=1).modified_energy.dissipation
        eta_theta**2*kappa**2/(4*k) + k*(eta_theta*kappa/k + 2*v1)**2/4
        """
        return modified_energy(self.bare, self.sign, self.output, self._eta, self.k, self.kappa)

    # -- the law --------------------------------------------------------------------------------

    @cached_property
    def nodes(self) -> list[Node]:
        """The matched torques and u' in the graph of `bare`."""
        system = self.bare
        added = [system.expression(e) for e in self._further_torque]
        matched = self.lagrangian.torques(system)
        return [system.graph.add([a, b]) for a, b in zip(matched, added, strict=True)]

    def __call__(
        self, t: float, x: Any, params: Mapping[str, float] | None = None, rotors: bool | None = None
    ) -> np.ndarray:
        """Torques at a state.

        Parameters
        ----------
        t : float
        x : (n,) or (n, nt)
            State of the reduced loop, or of the one with rotor rates.
        params : dict, optional
            Of the plant and the gains.
        rotors : bool, optional
            Which of the two; taken from the length where it is left out, the reduced one where both have
            the same.

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
        size = np.shape(x)[:1]
        if rotors is None:
            rotors = size != (self.bare.nstates,) and size == (self.full.nstates,)
        if not rotors:
            return super().__call__(t, x, params)
        rows = [self.full.output_labels.index(label) for label in self.input_labels]
        return self.full.outputs(t, x, None, params)[rows]

    def to_control(self, name: str | None = None):
        """The controller as a `control.NonlinearIOSystem`: states of the plant in, torques out.

        The plant's states are without rotor rates where the law does without them. With both gains it has
        the states ``integral_<rotor>``.
        """
        rates = not (self._momentum is None and self.kappa.is_zero_matrix)
        system = self.full if rates else self.bare
        return controller(partial(self, rotors=rates), system, self.input_labels, self.own_states, name)

    def with_damping(self, k: Any = 0.0, kappa: Any = 0.0, energy: str | None = None) -> Law:
        """The conservative law with these gains instead; see `FeedbackLaw.with_damping`."""
        return damped_law(self.conservative, self.rotors.count, k, kappa, energy)

    @property
    def warnings(self) -> tuple[LawWarning, ...]:
        """Those of the conservative law: damping stabilises no equilibrium that its energy does not."""
        return self.conservative.warnings

    def warn_once(self) -> None:
        """Issue them when the first loop is made, of this law or of the conservative one."""
        self.conservative.warn_once()

    def _remark(self) -> str:
        kind = {1: "; energy has a minimum", -1: "; energy has a maximum"}[self.sign]
        return "" if self.k.is_zero_matrix else kind


def _real(name: str) -> sp.Symbol:
    return sp.Symbol(name, real=True)


def momentum_moves(system: ReducedSystem, rotors: Rotors) -> bool:
    """Whether E^T ad*_xi A^0 moves the body, A^0 in the span of the rotors' coupling: at random states.

    Rows kept by multipliers take up their share of it.
    """
    a, algebra = system.assembly, system.mechanism.algebra
    a, n, width = system.assembly, algebra.n, len(system.assembly.velocity)
    params = system.mechanism.generic
    numbers = {p.symbol: params[p.name] for p in system.mechanism.parameters}
    coupling = np.array(rotors.coupling.subs(numbers).tolist(), dtype=float)
    frame = a.restrict([a.configuration(e) for e in system.frame.matrix])
    program = system.program([*a.xi, *frame, *(e for row in a.rows for e in row)])
    rng = np.random.default_rng(19)
    for _ in range(_SAMPLES):
        values = program(system.arguments_at(0.0, system.random_state(rng), None), params)
        xi, E, B = np.split(values, [n, n + n * width])
        E, B = E.reshape(n, width), B.reshape(-1, width)
        terms = np.einsum("ijk,i,ka->ja", algebra.structure_constants, xi, coupling)
        force = E.T @ terms
        force -= B.T @ np.linalg.lstsq(B.T, force, rcond=None)[0] if B.size else 0.0
        if np.max(np.abs(force)) > _VANISHING * np.max(np.abs(E)) * np.max(np.abs(terms)):
            return True
    return False


def energy_sign(system: ReducedSystem, rotors: Rotors, k: sp.ImmutableMatrix) -> int:
    """The sign of b M^{-1} b^T on the range of K, at random states and default parameters; see the module."""
    known = all(p.default is not None for p in system.mechanism.parameters)
    if not known:
        raise MatchingError(
            "the sign of the damping follows from the numbers of all parameters and of sigma; give them, or "
            'what the controlled energy has at the equilibrium, energy="minimum" or "maximum"'
        )
    damped = sp.diag(*(int(not e.is_zero) for e in k.diagonal())) if k.free_symbols else k
    found = _spectrum(system, rotors, np.array(damped.tolist(), dtype=float))
    size = np.max(np.abs(found))
    signs = {int(np.sign(v)) for v in found.flat if abs(v) > _VANISHING * size}
    if len(signs) != 1:
        raise MatchingError(
            "the controlled inertia has both signs in the directions of the damped rotors: no sign of the "
            'damping fits all of them. Damp fewer rotors, or insist with energy="minimum" or "maximum"'
        )
    return signs.pop()


def _spectrum(system: ReducedSystem, rotors: Rotors, k: np.ndarray) -> np.ndarray:
    """Eigenvalues (samples, r) of b M^{-1} b^T on the range of K, M bordered by the rows of multipliers."""
    a, s = system.assembly, rotors.count
    inverse = sp.Matrix(rotors.inertia).inv()
    coefficients = inverse * sp.Matrix(rotors.coupling).T * system.frame.matrix
    size, width = len(a.bordered_matrix), len(a.velocity)
    b = a.restrict([a.configuration(e) for e in coefficients])
    program = system.program([*(e for row in a.bordered_matrix for e in row), *b])
    rng = np.random.default_rng(17)
    values, directions = np.linalg.eigh(k)
    damped = directions[:, values > _VANISHING * values[-1]]
    found = []
    for _ in range(_SAMPLES):
        arguments = system.arguments_at(0.0, system.random_state(rng), None)
        values = program(arguments, system.parameters(None))
        bordered, rows = values[: size**2].reshape(size, size), values[size**2 :].reshape(s, width)
        columns = np.vstack([rows.T, np.zeros((size - width, s))])
        Q = damped.T @ columns.T @ np.linalg.solve(bordered, columns) @ damped
        found.append(np.linalg.eigvalsh((Q + Q.T) / 2))
    return np.array(found)
