"""Feedback laws made by matching."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl._scalars import Program, exact
from geoctrl.analysis.ideal import LeafIdeal
from geoctrl.errors import GeoctrlError, LawWarning, MatchingError
from geoctrl.synthesis.loops import (
    full_loop,
    momentum_parameters,
    momentum_vector,
    reduced_loop,
    rotor_rates,
)
from geoctrl.systems import EulerPoincare, Parameter, ReducedSystem
from geoctrl.systems.equations import collected

if TYPE_CHECKING:
    from geoctrl.synthesis.matching import Matching

__all__ = ["FeedbackLaw", "read_sigma"]


def read_sigma(sigma: Any, mechanism: EulerPoincare) -> sp.ImmutableMatrix:
    """The gain as a symmetric, invertible s x s matrix; raises MatchingError."""
    count = mechanism.rotors.count if mechanism.rotors else 0
    entries = np.atleast_2d(np.array(sigma.tolist() if hasattr(sigma, "tolist") else sigma, dtype=object))
    # Strings are refused: sympy would read them as expressions.
    plain = all(isinstance(e, (Number, sp.Expr)) and not isinstance(e, bool) for e in entries.flat)
    if not plain or entries.ndim != 2:
        raise MatchingError(
            f"sigma must be a number, a symbol or a {count} x {count} matrix of them, got {sigma!r}"
        )
    matrix = sp.ImmutableMatrix(entries.tolist())
    if matrix.shape != (count, count):
        raise MatchingError(f"sigma must be {count} x {count}, one row per rotor, got {matrix.shape}")
    for entry in matrix:
        if entry.is_number and not (entry.is_finite and entry.is_real):
            raise MatchingError(f"sigma must be finite and real, got {entry}")
    if any(sp.expand(e) != 0 for e in matrix - matrix.T):
        raise MatchingError("sigma must be symmetric")
    if matrix.applyfunc(lambda e: sp.Rational(e) if e.is_number else e).det() == 0:
        raise MatchingError("sigma must not be zero or singular: the gain is its inverse")
    return matrix


class FeedbackLaw:
    r"""Torques :math:`u_a = -G_{ab}\,\frac{d}{dt}(\tau^b_i \xi^i)` that realise a controlled Lagrangian.

    The accelerations in it are those of the closed loop itself (the torque acts back on them), which
    makes it a function of the state: [GO] (53) with Remark 17. Made by ``Matching.law``.

    Attributes
    ----------
    mechanism : EulerPoincare
        The plant.
    rotors : Rotors
        Its rotors.
    inertia : sympy matrix, n x n
        Of the controlled Lagrangian.
    tau, rho_inverse : sympy matrices
    gain_parameters : tuple of Parameter
        The gain as parameters of the loop, ``sigma`` for one rotor.
    """

    def __init__(self, matching: Matching, sigma: Any) -> None:
        self.matching = matching
        self.mechanism = matching.mechanism
        self.rotors = matching.rotors
        given = read_sigma(sigma, self.mechanism)
        self._symbols, self.gain_parameters = _gain_parameters(given, matching.sigma, self.mechanism)
        branch = matching.branches[-1]
        renamed = dict(zip(matching.sigma, self._symbols, strict=True))
        self.tau = sp.Matrix(branch.tau).subs(renamed)
        self.rho_inverse = sp.Matrix(branch.rho_inverse).subs(renamed)
        self.inertia = sp.ImmutableMatrix(matching.inertia(matching.sigma).subs(renamed))

    def __getstate__(self) -> dict:
        return {k: v for k, v in self.__dict__.items() if k != "_program"}

    # -- the loops ------------------------------------------------------------------------------

    def closed_loop(self, momentum: Any = 0.0, rotors: bool = False) -> ReducedSystem:
        """The closed loop as a system with its own energy, invariants and families.

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
        ValueError
            If the momentum is not finite or has the wrong length.
        SingularMassError
            If the controlled inertia is singular on the admissible velocities.
        """
        values = momentum_vector(self.mechanism, momentum)
        if rotors:
            return self._full
        if not np.any(values):
            return self._reduced
        parameters = momentum_parameters(self.mechanism, values)
        symbols = sp.Matrix([p.symbol for p in parameters])
        return reduced_loop(self, values.tolist(), self._signals(symbols)).reduce()

    def _signals(self, momentum: sp.Matrix) -> dict[str, sp.Expr]:
        signals = dict(zip(self.rotors.input_labels, self.expression(momentum), strict=True))
        return signals | dict(zip(self.rotors.rate_labels, rotor_rates(self, momentum), strict=True))

    @cached_property
    def _reduced(self) -> ReducedSystem:
        return reduced_loop(self, None, self._signals(sp.zeros(self.rotors.count, 1))).reduce()

    @cached_property
    def _full(self) -> ReducedSystem:
        return full_loop(self).reduce()

    # -- the law --------------------------------------------------------------------------------

    @cached_property
    def _bare(self) -> ReducedSystem:
        """The reduced loop at zero momentum, without outputs: the law is read off its accelerations."""
        return reduced_loop(self, None).reduce()

    @cached_property
    def _with_momentum(self) -> ReducedSystem:
        return reduced_loop(self, [0.0] * self.rotors.count).reduce()

    def _torques(self, system: ReducedSystem) -> list:
        """Nodes of -G_ab tau^b_i d/dt xi^i along a loop."""
        g, a = system.graph, system.assembly
        motion = dict(zip(system.state_nodes, system.field_nodes, strict=True))
        rates = g.push_forward(a.xi, motion)
        gain = -(sp.Matrix(self.rotors.inertia) * self.tau)
        return [
            g.add([a.configuration(gain[row, i]) * rate for i, rate in enumerate(rates) if gain[row, i] != 0])
            for row in range(gain.rows)
        ]

    @cached_property
    def momentum_matters(self) -> bool:
        """Whether the law depends on the controlled momentum.

        It does not if and only if ``<A0, [xi, eta]> = 0`` for admissible xi and eta; decided exactly, modulo
        the leaf.
        """
        system = self._with_momentum
        g = system.graph
        parameters = [system.assembly.parameters[p.name] for p in self._momentum]
        derivatives = [e for row in g.jacobian(self._torques(system), parameters) for e in row]
        derivatives = [e for e in derivatives if not e.is_zero]
        if not derivatives:
            return False
        ideal = LeafIdeal(system.leaf.nodes, derivatives)
        return any(bool(ideal.remainder(e)) for e in derivatives)

    @property
    def _momentum(self) -> tuple[Parameter, ...]:
        return momentum_parameters(self.mechanism, [0.0] * self.rotors.count)

    @cached_property
    def expr(self) -> sp.ImmutableMatrix:
        """The law (s x 1) in state symbols, parameters and the gain, at zero controlled momentum."""
        return sp.ImmutableMatrix(
            [collected(e, self._bare.states) for e in self._bare.to_sympy(self._torques(self._bare))]
        )

    def expression(self, momentum: sp.Matrix) -> list[sp.Expr]:
        """The law at a controlled momentum given in symbols (ignored where the law does not depend on it)."""
        if momentum.is_zero_matrix or not self.momentum_matters:
            return list(self.expr)
        system = self._with_momentum
        torques = [collected(e, system.states) for e in system.to_sympy(self._torques(system))]
        values = {p.symbol: e for p, e in zip(self._momentum, momentum, strict=True)}
        return [e.subs(values) for e in torques]

    @cached_property
    def _program(self) -> tuple[ReducedSystem, Program]:
        system = self._with_momentum if self.momentum_matters else self._bare
        return system, system.program(self._torques(system))

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
        ValueError
            If ``x`` fits neither loop.
        ParameterError
            For an unknown or missing parameter.
        """
        system, program = self._program
        x = np.asarray(x, dtype=float)
        count = self.rotors.count
        if x.shape[:1] == (system.nstates + count,):
            k = len(system.assembly.velocity)
            x = np.concatenate([x[:k], x[k + count :]])
        values = dict(params or {})
        vector = momentum_vector(self.mechanism, momentum)
        if self.momentum_matters:
            values |= {p.name: v for p, v in zip(self._momentum, vector, strict=True)}
        return program(system.arguments_at(t, x, None), system.parameters(values))

    def to_control(self, name: str | None = None):
        """Static `control.NonlinearIOSystem`: states of the reduced loop in, torques out, plant's names."""
        from geoctrl import interop

        system = self._bare

        def output(t: float, _x: np.ndarray, u: np.ndarray, params: dict) -> np.ndarray:
            return self(t, u, params)

        return interop.nonlinear_system(
            None,
            output,
            states=(),
            inputs=system.state_labels,
            outputs=self.rotors.input_labels,
            params={k: v for k, v in system.params.items() if v is not None},
            name=name or "law",
        )

    # -- judgement ------------------------------------------------------------------------------

    @cached_property
    def warnings(self) -> tuple[LawWarning, ...]:
        """A `LawWarning` for each declared family left without proof by this gain and not by others."""
        if any(p.default is None for p in self.gain_parameters):
            return ()
        found = []
        for family in self.mechanism.equilibria:
            try:
                design = self.matching.design_sigma(family)
                judged = design.contains(self.gain)
            except GeoctrlError:
                continue
            if judged is False and design.feasible:
                found.append(
                    LawWarning(
                        f"sigma = {self.gain} is outside the set that stabilises {family!r}: "
                        f"{design.condition}"
                    )
                )
        return tuple(found)

    @property
    def gain(self) -> Any:
        """The gain as a number (one rotor) or matrix."""
        values = [p.default for p in self.gain_parameters]
        if len(self._symbols) == 1:
            return values[0]
        table = {p.symbol: v for p, v in zip(self.gain_parameters, values, strict=True)}
        return np.array(self._symbols.subs(table).tolist(), dtype=float)

    def __repr__(self) -> str:
        rows = "\n".join(
            f"  {label} = {e}" for label, e in zip(self.rotors.input_labels, self.expr, strict=True)
        )
        gains = ", ".join(f"{p.name} = {p.default}" for p in self.gain_parameters)
        return f"<FeedbackLaw for {self.mechanism.name}: {gains}>\n{rows}"


def _gain_parameters(
    given: sp.ImmutableMatrix, symbols: sp.ImmutableMatrix, mechanism: EulerPoincare
) -> tuple[sp.ImmutableMatrix, tuple[Parameter, ...]]:
    """Symbols of the gain (a symbol given keeps its name) and the parameters that they stand for."""
    names: dict[tuple[int, int], sp.Symbol] = {}
    parameters: dict[str, Parameter] = {}
    taken = {p.name for p in mechanism.parameters}
    for a in range(given.rows):
        for b in range(a, given.cols):
            entry = given[a, b]
            if entry.free_symbols and not entry.is_Symbol:
                raise MatchingError(f"entries of sigma must be numbers or plain symbols, got {entry}")
            name = entry.name if entry.is_Symbol else symbols[a, b].name
            if name in taken:
                raise MatchingError(f"the gain's name {name!r} is a parameter of the mechanism already")
            default = None if entry.is_Symbol else float(exact(entry))
            parameter = Parameter(name, default, "kg m^2", "gain of the controlled Lagrangian")
            parameters.setdefault(name, parameter)
            names[a, b] = names[b, a] = parameter.symbol
    matrix = sp.ImmutableMatrix(given.rows, given.cols, lambda a, b: names[a, b])
    return matrix, tuple(parameters.values())
