r"""Linear laws :math:`u = u_e - K (x - x_e)` about an equilibrium, and the loops that they close."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, nearest, number_array, resolve_parameters
from geoctrl._scalars import Node, exact, shown
from geoctrl._scalars.algebra.surds import root_expression
from geoctrl.analysis.linear.controllability import Controllability
from geoctrl.errors import InputError, ParameterError
from geoctrl.manifolds.description.state_symbols import part
from geoctrl.synthesis.contract.law import Law, with_feedback
from geoctrl.synthesis.export.formula import with_doubles
from geoctrl.synthesis.export.linear_estimator import LinearEstimator
from geoctrl.synthesis.linear.scaled_pair import CHATTER
from geoctrl.systems import (
    Equilibrium,
    EulerPoincare,
    Family,
    Parameter,
    ReducedSystem,
    as_description,
    as_system,
)
from geoctrl.systems.parts.angles import ExactAngle
from geoctrl.systems.typesetting.printed_spectra import ordered_eigenvalues, spectrum_line

__all__ = ["AffineMap", "LinearLaw", "input_expressions", "state_expressions"]

_POINT = "held"
"""Name of the loop's family at a point that is of none of the plant's."""


class LawAlongFamily(NamedTuple):
    """Inputs with the gains of one point about all members of a family; parameters and families of the loop,
    in which the symbols of the family are parameters.
    """

    torques: list[sp.Expr]
    parameters: list[Parameter]
    families: dict[str, Family]


class AffineMap:
    r"""Inputs :math:`u = u_e - K (x - x_e)` in numbers, of whatever kind the plant is.

    Attributes
    ----------
    plant : System
    equilibrium : Equilibrium
    K : ndarray (m, n)
    reached : Controllability
        What the inputs reach at the point.
    eigenvalues : ndarray
        Of the loop on it.
    pace : float
        Largest rate of loop and plant (1/s).
    """

    def __init__(self, plant: Any, equilibrium: Equilibrium, K: np.ndarray, reached: Controllability) -> None:
        if not isinstance(equilibrium, Equilibrium) or not isinstance(reached, Controllability):
            raise TypeError("a linear law is made by gc.lqr, gc.place or gc.linear_law")
        self.plant, self.equilibrium, self.reached = plant, equilibrium, reached
        self.K = finite_array("K", K, (plant.ninputs, plant.nstates))
        along, algebra = reached.part, reached.part.algebra
        law = algebra.numbers(self.K * along.sizes) @ along.basis
        values = along.pace * algebra.eigenvalues(along.A - reached.drive @ law)
        self.eigenvalues = ordered_eigenvalues(values)
        own = along.pace * np.linalg.eigvals(np.array(along.A, dtype=float))
        self.pace = float(np.max(np.abs([*values, *own]), initial=0.0))

    @property
    def neutral(self) -> tuple[str, ...]:
        """Names of what is left out: it is neither moved nor needed; see `Controllability`."""
        return self.reached.neutral

    @cached_property
    def torques(self) -> list[sp.Expr]:
        """The law with K as the rationals that its doubles are, the point as it is exactly."""
        deviation = sp.Matrix(self.plant.states) - sp.Matrix(state_expressions(self.equilibrium))
        K = sp.Matrix(*self.K.shape, _rationals(self.K.flat))
        return list(sp.Matrix(input_expressions(self.equilibrium)) - K * deviation)

    @cached_property
    def expr(self) -> sp.ImmutableMatrix:
        """The inputs (m x 1) in states of the plant, coefficients as doubles.

        A constant that is rounding of the terms that cancel in it is left out.
        """
        states, place = self.plant.states, sp.Matrix(state_expressions(self.equilibrium))
        rows = []
        for gains, at_rest in zip(self.K, input_expressions(self.equilibrium), strict=True):
            terms = [at_rest, *(k * q for k, q in zip(_rationals(gains), place, strict=True))]
            constant = _constant(sp.Add(*terms), terms)
            rows.append(with_doubles(constant - sp.Matrix(_rationals(gains)).dot(states)))
        return sp.ImmutableMatrix(rows)

    @property
    def computed(self) -> dict[str, sp.Expr]:
        """`expr` by input label."""
        return dict(zip(self.plant.input_labels, self.expr, strict=True))

    @property
    def rest(self) -> dict[str, float]:
        """Inputs at the point by label."""
        return dict(zip(self.plant.input_labels, map(float, self.equilibrium.u), strict=True))

    def values(self, x: Any, params: Mapping[str, float] | None) -> np.ndarray:
        """Inputs (m,) or (m, nt) at states (n,) or (n, nt) of the plant."""
        x = number_array("x", x)
        if x.shape[:1] != (self.plant.nstates,) or x.ndim > 2:
            raise InputError(
                f"x must have shape ({self.plant.nstates},) or ({self.plant.nstates}, nt) for the states "
                f"{', '.join(self.plant.state_labels)}; got {x.shape}"
            )
        resolve_parameters(self.equilibrium.params, params)
        column = (slice(None), *(None,) * (x.ndim - 1))
        return self.equilibrium.u[column] - self.K @ (x - self.equilibrium.x[column])

    def held_families(self, declared: Mapping[str, Family]) -> dict[str, Family]:
        """Families of the plant that the law holds as they are, and the point."""
        states, point = self.plant.states, self.equilibrium
        torques = dict(zip(self.plant.input_labels, self.torques, strict=True))
        found: dict[str, Family] = {}
        for name, family in declared.items():
            member = {
                s: family.states.get(label, 0) for label, s in zip(map(str, states), states, strict=True)
            }
            asked = (e.xreplace(member) - family.inputs.get(u, 0) for u, e in torques.items())
            if all(sp.expand(e) == 0 for e in asked):
                found[name] = Family(family.states, family.symbols, relations=family.relations)
        name = point.name or _POINT
        if name not in found:
            found[name] = Family(dict(zip(map(str, states), state_expressions(point), strict=True)))
        return found

    def law_about_members(self, name: str) -> LawAlongFamily:
        """The law with this K about each member of a declared family, which holds these as they are."""
        families, labels = self.plant.families, self.plant.state_labels
        if not isinstance(name, str) or name not in families:
            raise ParameterError(f"no equilibrium family {shown(name)}{nearest(name, families)}")
        family, point = families[name], self.equilibrium
        at = point.symbols if point.name == name else {}
        symbols = [
            Parameter(k, at.get(k), description=f"which member of {name!r} is held") for k in family.names
        ]
        table = {s: p.symbol for s, p in zip(family.symbols, symbols, strict=True)}
        states = {k: e.xreplace(table) for k, e in family.states.items()}
        inputs = [family.inputs.get(k, sp.S.Zero).xreplace(table) for k in self.plant.input_labels]
        deviation = sp.Matrix(self.plant.states) - sp.Matrix([states.get(k, sp.S.Zero) for k in labels])
        law = sp.Matrix(inputs) - sp.Matrix(*self.K.shape, _rationals(self.K.flat)) * deviation
        own = [replace(p, default=point.params[p.name]) for p in self.plant_parameters]
        relations = [e.xreplace(table) for e in family.relations]
        return LawAlongFamily(list(law), [*own, *symbols], {name: Family(states, relations=relations)})

    @property
    def plant_parameters(self) -> Sequence[Parameter]:
        """Those of the plant's description."""
        return self.plant.mechanism.parameters if self.plant.recorded else self.plant.parameters

    def lines(self) -> list[str]:
        """What is printed below the inputs."""
        return [spectrum_line("loop", self.eigenvalues), f"  left out: {', '.join(self.neutral) or '-'}"]


class LinearLaw(Law):
    r"""Inputs :math:`u = u_e - K (x - x_e)`; made by `lqr`, `place` and `linear_law`.

    K vanishes on what the inputs do not reach and what is at rest there, so that neighbouring equilibria,
    which belong to other values of the conserved functions, are equilibria of the loop as well.

    Attributes
    ----------
    plant : ReducedSystem
        With integrals among its states, at the end, where the law has such.
    mechanism : EulerPoincare
        That of the plant, without them.
    equilibrium : Equilibrium
        Where the law is linear about; its parameters are those of the law.
    K : ndarray (m, n)
        In the states and inputs of the plant.
    reached : Controllability
        What the inputs reach there.
    eigenvalues : ndarray
        Of the loop on what the inputs reach.
    own_states : tuple of str
        Labels of integrals, which a controller sums up.
    gain_parameters : tuple
        Empty: K is in numbers.

    Raises
    ------
    TypeError, InputError
        If it is not made of a system, an equilibrium, what its inputs reach, and a K of that size.
    """

    plant, equilibrium = part("map.plant"), part("map.equilibrium")
    K, reached = part("map.K"), part("map.reached")
    eigenvalues, pace, neutral = part("map.eigenvalues"), part("map.pace"), part("map.neutral")
    torques, expr, computed, _rest = (
        part("map.torques"),
        part("map.expr"),
        part("map.computed"),
        part("map.rest"),
    )

    def __init__(
        self,
        plant: ReducedSystem,
        equilibrium: Equilibrium,
        K: np.ndarray,
        reached: Controllability,
        integrals: Sequence[str] = (),
    ) -> None:
        as_system(plant, "a linear law", recorded=True)
        self.map, self.input_labels = AffineMap(plant, equilibrium, K, reached), plant.input_labels
        mechanism = as_description(plant.mechanism, "a linear law")
        self._integrals = {label: mechanism.controller[label] for label in integrals}
        left = {k: rate for k, rate in mechanism.controller.items() if k not in self._integrals}
        self.mechanism = mechanism.replace(controller=left) if self._integrals else mechanism

    def with_gain(self, K: np.ndarray) -> LinearLaw:
        """The law with another K, without integrals."""
        return LinearLaw(self.plant, self.equilibrium, K, self.reached)

    @property
    def own_states(self) -> tuple[str, ...]:
        """Labels of the integrals, which a controller forms."""
        return tuple(self._integrals)

    # -- the law --------------------------------------------------------------------------------

    @property
    def bare(self) -> ReducedSystem:
        """The plant: a linear law is read off its state alone."""
        return self.plant

    @cached_property
    def nodes(self) -> list[Node]:
        """`torques` in the graph of the plant."""
        return [self.plant.expression(e) for e in self.torques]

    def __call__(self, _t: float, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Inputs (m,) or (m, nt) at states (n,) or (n, nt) of the plant, whatever time and parameters are.

        Raises
        ------
        InputError, ParameterError
            If ``x`` has the wrong shape; for an unknown parameter.
        """
        return self.map.values(x, params)

    # -- the loops ------------------------------------------------------------------------------

    def closed_loop(
        self, estimator: LinearEstimator | None = None, *, along: str | None = None
    ) -> ReducedSystem:
        """The closed loop as a system, its outputs the inputs of the plant.

        Parameters
        ----------
        estimator : LinearEstimator, optional
            Of the same plant at the same equilibrium: the law takes its estimate, whose coordinates
            ``estimate1, ...`` are the last states of the loop.
        along : str, optional
            A family of the plant: with these gains the law holds each of its members as it is, :math:`u =
            u_e(s) - K (x - x_e(s))`, and the symbols s of the family are parameters of the loop.

        Returns
        -------
        ReducedSystem
            With the parameters of the equilibrium as defaults. Families are those of the plant of which all
            members are held, and the equilibrium's by its family's name or "held".

        Raises
        ------
        TypeError, InputError
            For anything else than an estimator; for one of another point, or along a family.
        ParameterError
            For an unknown family.
        """
        if along is not None:
            if estimator is not None:
                raise InputError("an estimator is of one point: along= takes none")
            return self._loop_along(self.map.law_about_members(along), along)
        if estimator is None:
            return self.full
        if not isinstance(estimator, LinearEstimator):
            raise TypeError(
                f"estimator must be a LinearEstimator, as gc.lqe gives it, got {type(estimator).__name__}"
            )
        point = self.equilibrium
        if estimator.plant is not self.plant or not np.array_equal(estimator.equilibrium.x, point.x):
            raise InputError("the estimator is of another plant, or about another equilibrium")
        z = sp.Matrix([sp.Symbol(name, real=True) for name in estimator.labels])
        K = sp.Matrix(len(point.u), len(z), _rationals((self.K @ estimator.basis).flat))
        u = sp.Matrix(input_expressions(point)) - K * z
        estimate = dict(zip(estimator.labels, estimator.rates(z, u), strict=True))
        return self._loop(self.by_input(list(u)), estimate).reduce()

    @cached_property
    def full(self) -> ReducedSystem:
        """`closed_loop`."""
        return self._loop(self.by_input(), {}).reduce()

    def _loop_along(self, law: LawAlongFamily, name: str) -> ReducedSystem:
        """The loop of the law about all members of a family."""
        return with_feedback(
            self.mechanism,
            self.by_input(law.torques),
            controller=self._integrals,
            parameters=law.parameters,
            symmetry=None,
            equilibria=law.families,
            name=f"{self.mechanism.name or 'system'}, linear law along {name!r}",
        ).reduce()

    def _loop(self, feedback: dict[str, sp.Expr], controller: dict[str, sp.Expr]) -> EulerPoincare:
        mechanism, point = self.mechanism, self.equilibrium
        return with_feedback(
            mechanism,
            feedback,
            controller={**self._integrals, **controller},
            parameters=[replace(p, default=point.params[p.name]) for p in mechanism.parameters],
            symmetry=None,
            equilibria=self.map.held_families(mechanism.equilibria),
            name=f"{mechanism.name or 'system'}, linear law",
        )

    # -- display --------------------------------------------------------------------------------

    def _text(self, expr: sp.Expr) -> str:
        return str(expr.evalf(6))

    def _further_lines(self) -> list[str]:
        return self.map.lines()


def _constant(value: sp.Expr, terms: list[sp.Expr]) -> sp.Expr:
    """A sum of numbers, rational or the double next to it; zero where it is rounding of the terms."""
    if abs(float(value)) <= CHATTER * max(abs(float(term)) for term in terms):
        return sp.S.Zero
    return value if value.is_Rational else sp.Float(float(value))


def _rationals(values: Iterable[float]) -> list[sp.Expr]:
    """Doubles as the rationals they are."""
    return [sp.Rational(exact(v)) for v in values]


def state_expressions(point: Equilibrium) -> list[sp.Expr]:
    """The state of an equilibrium; square roots and angles with rational sines as they are."""
    return _exactly(point.exact, point.x)


def input_expressions(point: Equilibrium) -> list[sp.Expr]:
    """Its inputs."""
    return _exactly(point.exact_u, point.u)


def _exactly(known: Sequence | None, values: np.ndarray) -> list[sp.Expr]:
    if known is None:
        known = [exact(v) for v in values]
    return [q.expr if isinstance(q, ExactAngle) else root_expression(q) for q in known]
