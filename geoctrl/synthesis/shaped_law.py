r"""Laws that realise a controlled Lagrangian, the loops that they close, and damping.

The law is :math:`B u = G\,\dot v_c + h(v)` at the accelerations :math:`\dot v_c = -G_c^{-1}(h_c + F)` of the
controlled Lagrangian: a function of the state, that compensates no friction. Without other forces the loop is
the controlled Lagrangian; else it is the plant with this feedback.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import number_array, user_level
from geoctrl._scalars import STATE, Node, Program, to_sympy
from geoctrl._scalars.budget import Budget
from geoctrl.analysis import certify
from geoctrl.errors import GeoctrlError, InputError, LawWarning, MatchingError
from geoctrl.sampling import Controls, Feedback
from geoctrl.synthesis.controlled import Controlled
from geoctrl.synthesis.formula import as_feedback, law_latex, with_numbers
from geoctrl.synthesis.gains import gain_parameters, read_damping
from geoctrl.synthesis.shaping import Shaping, named, require_made_by_match
from geoctrl.systems import EulerPoincare, Family, Parameter, ReducedSystem
from geoctrl.systems.elimination import dot
from geoctrl.systems.equations import collected
from geoctrl.systems.notebook import displayed
from geoctrl.verification import Verdict

__all__ = ["ShapedLaw"]

_SIGNS = {"minimum": 1, "maximum": -1}
_JUDGING = 3.0
"""Seconds for judging gains that nobody asked about."""
_EDGE = sp.Rational(1, 1000)
"""det Gc by that at the reference where a law ends: accelerations grow with its inverse."""
_TIDYING = 3.0
"""Seconds for bringing a law into a short form."""
_LONG = 2000
"""Characters of a law that nobody reads."""
_DEFINITE = 1e-9
"""Eigenvalues of an inertia below this, relative to the largest, count as zero."""


@dataclass(frozen=True)
class _Added:
    """What is added to the matched law: K, K_i (m x m), their parameters, and the sign of the energy."""

    damping: sp.ImmutableMatrix
    integral: sp.ImmutableMatrix
    parameters: tuple[Parameter, ...]
    sense: int


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

    Raises
    ------
    TypeError
        If it is not made of a class and its mechanism.
    """

    def __init__(
        self,
        shaping: Shaping,
        mechanism: EulerPoincare,
        values: Mapping[str, sp.Expr],
        gains: tuple[Parameter, ...],
        added: _Added | None = None,
    ) -> None:
        require_made_by_match(mechanism, shaping, "law")
        if not isinstance(gains, tuple) or not (added is None or isinstance(added, _Added)):
            raise TypeError("a law takes the parameters of its gains, and what with_damping adds")
        self.shaping, self.mechanism, self.gain_parameters = shaping, mechanism, gains
        self._values, self._warned = named(values, "values"), False
        m = shaping.plant.drive.cols
        none = sp.ImmutableMatrix(sp.zeros(m, m))
        self._added = _Added(none, none, (), 1) if added is None else added
        self.damping, self.integral = self._added.damping, self._added.integral
        found = shaping.proved(values, (*gains, *self._added.parameters))
        self.controlled: Controlled = found.negated if _negative(found) else found

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
        found = [time.attempt("the law", partial(collected, e, states), e) for e in self._recorded]
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
        """A `LawWarning` where these gains leave every family of the loop unstable that is asked in time."""
        time, told = Budget(_JUDGING), []
        for name, family in self.loop.families.items():
            if family.symbols:
                return ()  # at which member is not known
            verdict = time.attempt(name, partial(self._verdict, name), None)
            if verdict not in (Verdict.PROVED_UNSTABLE, Verdict.NUMERICALLY_UNSTABLE):
                return ()
            told.append(f"{name!r}: {verdict}")
        gains = ", ".join(f"{p.name} = {p.default}" for p in self.gain_parameters)
        text = f"{gains}: these gains hold no family, {', '.join(told)}; design(family) says which do"
        return (LawWarning(text),) if told else ()

    def _verdict(self, family: str) -> Verdict | None:
        try:
            return certify(self.loop, self.loop.equilibrium(family)).verdict
        except GeoctrlError:  # a parameter without a value, or a singular inertia
            return None

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
        """That of the plant, and the side of the singularities of Gc on which the reference is."""
        made, plant = self.controlled.mechanism, self.controlled.plant
        domain = dict(plant.mechanism.domain)
        mass = _mass(self.controlled)
        E = plant.frame.matrix
        if mass is None or not (E.T * made.inertia * E).free_symbols & set(made.configuration_symbols):
            return domain
        reduced = E.T * made.inertia * E
        det = Budget(_TIDYING).attempt("det Gc", lambda: reduced.det(method="berkowitz"), None)
        if det is None or not det.free_symbols & set(made.configuration_symbols):
            return domain
        sign = int(np.sign(np.linalg.det(mass)))
        references = zip(made.configuration_symbols, map(sp.Rational, made.reference), strict=True)
        rest = det.subs(dict(references))
        return domain | {"where the law is regular": sign * (det - rest * _EDGE) > 0} if sign else domain

    @property
    def _families(self) -> dict[str, Family]:
        """Those of the plant that the law holds: without inputs, at rest at home where it holds positions.

        Symbols of a family that would ask for an input, or for an actuated position or its rate, are zero.
        """
        plant = self.controlled.plant
        held = {plant.mechanism.algebra.labels[i] for i in plant.driven}
        held |= {c.name for c in plant.mechanism.shape if c.rate_label in held}
        if not self.controlled.holds_positions:
            held = set()
        found = {}
        for name, f in plant.mechanism.equilibria.items():
            asked = [e for label, e in f.states.items() if label in held]
            asked += [e for e in f.inputs.values() if e.free_symbols & set(f.symbols)]
            none = {s: 0 for e in asked for s in e.free_symbols & set(f.symbols)}
            if all(e.subs(none) == 0 for e in asked):
                states = {label: e.subs(none) for label, e in f.states.items()}
                left = [s for s in f.symbols if s not in none]
                found[name] = Family(states, left, relations=[e.subs(none) for e in f.relations])
        return found

    # -- damping --------------------------------------------------------------------------------

    def with_damping(self, k: Any, energy: str | None = None, integral: Any = 0) -> ShapedLaw:
        r"""The law with :math:`-\varepsilon K y` added, y the `Controlled.passive_output`.

        With a potential :math:`y = B^T G^{-1} G_c v` and :math:`\dot E_c = -\varepsilon\, y^T K y`, with
        :math:`\varepsilon = 1` where the controlled energy has a minimum and -1 where it has a maximum.
        Without one y is what the body's motion alone gives, and the energy at zero momentum changes so.

        Parameters
        ----------
        k : number, (m,), symmetric m x m matrix, or symbol
            K, positive semidefinite. A number stands for its multiple of the identity.
        integral : number, (m,), symmetric m x m matrix, or symbol
            :math:`K_i` of a further :math:`-\varepsilon K_i N_f \int z\,dt`, which brings the positions z
            home against a constant force: a state ``integral`` of the loop for each. Whether the loop is
            stable with it is for `geoctrl.certify` to say.
        energy : {"minimum", "maximum"}, optional
            Found by itself where the default parameters decide it, by the signs of the controlled inertia: as
            it is at rest. About a motion that turns, the energy may have the other on the levels of further
            invariants; `geoctrl.certify` tells the wrong one.

        Raises
        ------
        MatchingError
            If K has the wrong shape or is not positive semidefinite, the sign is needed, or no position is
            held and the momenta of the actuated directions are not conserved.
        InputError
            For an unknown word in ``energy``.
        """
        if energy is not None and energy not in _SIGNS:
            raise InputError(f'energy must be "minimum" or "maximum", got {energy!r}')
        if not (self.controlled.holds_positions or self.controlled.keeps_momenta):
            raise MatchingError(
                "the momenta of the actuated directions are not conserved, and no position is held: which "
                'output is passive is not known here; add a potential, shaping="both"'
            )
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
        sense = _SIGNS[energy] if energy else self._energy_sign()
        added = _Added(matrix, integrals, (*parameters, *more), sense)
        return ShapedLaw(self.shaping, self.mechanism, self._values, self.gain_parameters, added)

    def _energy_sign(self) -> int:
        """1 where the energy has a minimum in the unactuated motion, -1 where it has a maximum."""
        mass = _mass(self.controlled)
        if mass is None:
            raise MatchingError(
                "the sign of the damping follows from the numbers of all parameters and gains; give them, or "
                'what the controlled energy has at the equilibrium, energy="minimum" or "maximum"'
            )
        plant = self.controlled.plant
        if self.controlled.holds_positions:
            signs = _signs(mass)
        else:  # the momenta of the actuated directions are conserved; what is left is the base
            f, b = list(plant.fibre), list(plant.base)
            inner = np.linalg.solve(mass[np.ix_(f, f)], mass[np.ix_(f, b)])
            signs = _signs(mass[np.ix_(b, b)] - mass[np.ix_(b, f)] @ inner)
        if len(signs) != 1:
            raise MatchingError(
                "the controlled inertia has both signs: the energy has neither a minimum nor a maximum, and "
                'no sign of the damping fits all directions; insist with energy="minimum" or "maximum"'
            )
        return signs.pop()

    # -- display --------------------------------------------------------------------------------

    def to_control(self, name: str | None = None):
        """Static `control.NonlinearIOSystem`: states of the loop in, inputs of the plant out."""
        from geoctrl import interop

        system = self.controlled.system

        def output(t: float, _x: np.ndarray, u: np.ndarray, params: dict) -> np.ndarray:
            return self(t, u, params)

        return interop.nonlinear_system(
            None,
            output,
            states=(),
            inputs=system.state_labels,
            outputs=self.input_labels,
            params={k: v for k, v in system.params.items() if v is not None},
            name=interop.system_name(name, "law"),
        )

    def _repr_latex_(self) -> str:
        parameters = [p.symbol for p in self.controlled.parameters]
        table = dict(zip(self.input_labels, self.expr, strict=True))
        return displayed(lambda _: law_latex(table, parameters))

    def __repr__(self) -> str:
        gains = ", ".join(f"{p.name} = {p.default}" for p in self.controlled.gains)
        shown = [str(e) for e in self.expr]
        rows = "\n".join(
            f"  {label} = {e if len(e) < _LONG else f'an expression of {len(e)} characters, .expr'}"
            for label, e in zip(self.input_labels, shown, strict=True)
        )
        return f"<ShapedLaw for {self.mechanism.name}: {gains}>\n{rows}"


def _mass(controlled: Controlled) -> np.ndarray | None:
    """The inertia on the frame's velocities at the reference and the defaults; None where one is missing."""
    system = controlled.system
    if any(p.default is None for p in controlled.parameters):
        return None
    k = len(system.assembly.velocity)
    program = system.program([e for row in system.assembly.mass for e in row])
    arguments = system.arguments_at(0.0, system.state(), None)
    return np.array(program(arguments, system.parameters(None)), dtype=float).reshape(k, k)


def _signs(matrix: np.ndarray) -> set[int]:
    values = np.linalg.eigvalsh(matrix)
    return {int(np.sign(v)) if abs(v) > _DEFINITE * np.max(np.abs(values)) else 0 for v in values}


def _negative(controlled: Controlled) -> bool:
    """Whether the controlled inertia is negative definite at the reference."""
    mass = _mass(controlled)
    return mass is not None and _signs(mass) == {-1}
