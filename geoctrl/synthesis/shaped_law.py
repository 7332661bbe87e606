r"""Laws that realise a controlled Lagrangian, the loops that they close, and damping.

The law is :math:`B u = G\,\dot v_c + h(v)` at the accelerations :math:`\dot v_c = -G_c^{-1}(h_c + F)` of the
controlled Lagrangian: a function of the state, that compensates no friction. Without other forces the loop is
the controlled Lagrangian; else it is the plant with this feedback.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import number_array
from geoctrl._scalars import Node, Program
from geoctrl._scalars.budget import Budget
from geoctrl.errors import InputError, MatchingError
from geoctrl.synthesis.controlled import Controlled
from geoctrl.synthesis.formula import law_latex, with_numbers
from geoctrl.synthesis.gains import gain_parameters, read_damping
from geoctrl.synthesis.shaping import Shaping
from geoctrl.systems import EulerPoincare, Family, Parameter, ReducedSystem
from geoctrl.systems.elimination import dot
from geoctrl.systems.equations import collected
from geoctrl.systems.notebook import displayed

__all__ = ["ShapedLaw"]

_SIGNS = {"minimum": 1, "maximum": -1}
_TIDYING = 3.0
"""Seconds for bringing a law into a short form."""
_LONG = 2000
"""Characters of a law that nobody reads."""
_DEFINITE = 1e-9
"""Eigenvalues of an inertia below this, relative to the largest, count as zero."""


class ShapedLaw:
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
    damping : sympy matrix, m x m
        K of the added :math:`-K y`, zero without damping.
    """

    def __init__(
        self,
        shaping: Shaping,
        mechanism: EulerPoincare,
        values: Mapping[str, sp.Expr],
        gains: tuple[Parameter, ...],
        damping: tuple[sp.ImmutableMatrix, tuple[Parameter, ...], int] | None = None,
    ) -> None:
        self.shaping, self.mechanism, self.gain_parameters = shaping, mechanism, gains
        self._values = dict(values)
        m = shaping.plant.drive.cols
        added: tuple[Parameter, ...] = ()
        self.damping, self._sense = sp.ImmutableMatrix(sp.zeros(m, m)), 1
        if damping is not None:
            self.damping, added, self._sense = damping
        found = shaping.proved(values, (*gains, *added))
        self.controlled: Controlled = found.negated if _negative(found) else found

    @property
    def input_labels(self) -> tuple[str, ...]:
        """Labels of the inputs that the law sets."""
        return tuple(map(str, self.controlled.plant.mechanism.inputs))

    # -- the law --------------------------------------------------------------------------------

    @cached_property
    def _nodes(self) -> list[Node]:
        """u in the graph of the controlled Lagrangian's system."""
        system = self.controlled.system
        inputs = self.controlled.inputs
        if self.damping.is_zero_matrix:
            return inputs
        g, y = system.graph, self.controlled.passive_output
        K = [[system.assembly.configuration(e) for e in row] for row in self.damping.tolist()]
        return [u - self._sense * dot(g, row, y) for u, row in zip(inputs, K, strict=True)]

    @cached_property
    def _program(self) -> Program:
        return self.controlled.system.program(self._nodes)

    @cached_property
    def _recorded(self) -> list[sp.Expr]:
        """The law as it is recorded, for the loops."""
        return self.controlled.system.to_sympy(self._nodes)

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
        return with_numbers(self.controlled.system, self.by_input(), params)

    def __call__(self, t: float, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Inputs (m,) or (m, nt) at states (n,) or (n, nt) of the loop; the time does not matter.

        Raises
        ------
        InputError, ParameterError
            If ``x`` has the wrong shape; for an unknown or missing parameter.
        """
        system = self.controlled.system
        return self._program(system.arguments_at(t, number_array("x", x), None), system.parameters(params))

    @cached_property
    def energy(self) -> sp.Expr:
        """E_c in full symbols."""
        m = self.controlled.mechanism
        xi = sp.Matrix(m.algebra.xi)
        return (xi.T * m.inertia * xi)[0] / 2 + m.potential

    # -- the loops ------------------------------------------------------------------------------

    def closed_loop(self) -> ReducedSystem:
        """The closed loop as a system, its outputs the inputs of the plant.

        States are those of the plant with rotor rates, followed by the positions z of the controlled
        potential. Without damping and without other forces its energy is the controlled one. Else its energy
        is that of the plant, and ``controlled_energy`` is among its candidates for an invariant.
        """
        return self._loop

    @cached_property
    def _loop(self) -> ReducedSystem:
        plain_ = self.damping.is_zero_matrix and not self._driven_otherwise
        return self._lagrangian.reduce() if plain_ else self.full

    @property
    def _driven_otherwise(self) -> bool:
        """Whether forces act on the plant besides those of the inputs."""
        plant = self.controlled.plant
        acting = plant.mechanism.acting
        rest = sp.Matrix(acting) - plant.drive * sp.Matrix(plant.mechanism.inputs)
        return not rest.applyfunc(sp.expand).is_zero_matrix

    @property
    def _lagrangian(self) -> EulerPoincare:
        plant, made = self.controlled.plant.mechanism, self.controlled.mechanism
        return made.replace(
            outputs={**plant.outputs, **self.by_input()},
            invariants=plant.invariants,
            equilibria=self._families,
            domain=plant.domain,
            reactions={},
            name=f"{plant.name or 'system'}, closed loop",
        )

    @cached_property
    def full(self) -> ReducedSystem:
        """The plant with the law as its feedback."""
        plant, made = self.controlled.plant.mechanism, self.controlled.mechanism
        return plant.replace(
            feedback=self.by_input(),
            quasicoordinates=made.quasicoordinates,
            parameters=made.parameters,
            parameter_sets={},
            symmetry=None,
            outputs={**plant.outputs, **self.by_input()},
            invariants={**plant.invariants, "controlled_energy": self.energy},
            equilibria=self._families,
            name=f"{plant.name or 'system'}, closed loop with the plant's energy",
        ).reduce()

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

    def with_damping(self, k: Any, energy: str | None = None) -> ShapedLaw:
        r"""The law with :math:`-\varepsilon K y` added, y the `Controlled.passive_output`.

        With a potential :math:`y = B^T G^{-1} G_c v` and :math:`\dot E_c = -\varepsilon\, y^T K y`, with
        :math:`\varepsilon = 1` where the controlled energy has a minimum and -1 where it has a maximum.
        Without one y is what the body's motion alone gives, and the energy at zero momentum changes so.

        Parameters
        ----------
        k : number, (m,), symmetric m x m matrix, or symbol
            K, positive semidefinite. A number stands for its multiple of the identity.
        energy : {"minimum", "maximum"}, optional
            Found by itself where the default parameters decide it, by the signs of the controlled inertia.

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
        sense = _SIGNS[energy] if energy else self._energy_sign()
        return ShapedLaw(
            self.shaping, self.mechanism, self._values, self.gain_parameters, (matrix, parameters, sense)
        )

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
