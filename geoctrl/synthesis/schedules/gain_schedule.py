r"""Linear laws along a family of equilibria, their gains functions of where the plant is to be.

With the family's own expressions :math:`x_e(s), u_e(s)` and gains designed at some s,

.. math:: u = u_e(s) - K(s) (x - x_e(s)), \qquad K_{ij}(s) \text{ fitted to the designs.}

The fit need not be good: what is certified is the loop as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import file_path
from geoctrl._scalars import Node, exact
from geoctrl.analysis.maps.stability_map import StabilityMap, certify_region
from geoctrl.analysis.schedules.equilibria_over_cells import (
    EquilibriaOverCells,
    LoopPart,
    equilibria_over_cells,
)
from geoctrl.analysis.schedules.moving_bound import MovingBound, bound_over_pieces
from geoctrl.analysis.schedules.piecewise_map import PiecewiseMap
from geoctrl.errors import InputError
from geoctrl.synthesis.contract.law import Law, with_feedback
from geoctrl.synthesis.export.formula import with_doubles
from geoctrl.synthesis.export.law_outputs import written_in_c
from geoctrl.synthesis.schedules.fitted_gains import (
    LINEAR,
    POLYNOMIAL,
    fitted_gains,
    fitted_members,
    horner_form,
)
from geoctrl.systems import Equilibrium, Family, Parameter, ReducedSystem, as_description, as_system

__all__ = ["REFERENCE", "GainSchedule"]

REFERENCE = "reference"


class GainSchedule(Law):
    """A law along a family; made by `schedule`.

    Attributes
    ----------
    plant : ReducedSystem
    mechanism : EulerPoincare
        That of the plant.
    family : str
        Empty where nodes are points by numbers.
    points : tuple of Equilibrium
        These, in order.
    variable : sympy.Symbol
        s, by name the family's; along a state or an input of points ``<label>_ref``.
    range : (low, high)
        Of the nodes.
    K : sympy matrix (m, n)
        In the variable.
    nodes_designed : tuple of (float, ndarray (m, n))
        Where gains were designed, and these.
    by : "reference", or an expression
        What is put in for the variable in the law: a parameter of the loop, or a function of the state.
    fit : str
    pieces : tuple of GainSchedule
        Of gains that are linear between nodes, the laws from node to node; else the law alone.

    Raises
    ------
    TypeError
        If it is not made by `schedule`.
    """

    def __init__(
        self,
        plant: ReducedSystem,
        family: str,
        variable: sp.Symbol,
        designed: Sequence[tuple[float, np.ndarray]],
        degree: int,
        by: Any,
        at: Mapping[sp.Symbol, sp.Expr],
        fit: str = POLYNOMIAL,
        points: Sequence[Equilibrium] = (),
    ) -> None:
        as_system(plant, "a gain schedule", recorded=True)
        if not isinstance(variable, sp.Symbol):
            raise TypeError("a gain schedule is made by gc.schedule")
        self.plant, self.mechanism = plant, as_description(plant.mechanism, "a gain schedule")
        self.family, self.variable, self.by, self._at = family, variable, by, dict(at)
        self.points = tuple(points)
        self.input_labels = plant.input_labels
        self.nodes_designed = tuple(designed)
        self.range = (designed[0][0], designed[-1][0])
        self.fit, self._degree = fit, degree
        self.K = fitted_gains(variable, self.nodes_designed, fit, degree)
        if by == REFERENCE and variable.name not in plant.params:
            middle = sum(self.range) / 2
            self.gain_parameters = (Parameter(variable.name, middle, description="where the plant is to be"),)

    @property
    def fit_error(self) -> tuple[float, float]:
        """The largest deviation of a gain from its design, over the largest of its entry, and where."""
        size = np.max([np.abs(K) for _, K in self.nodes_designed], axis=0)
        worst = (0.0, self.range[0])
        for s, K in self.nodes_designed:
            there = np.array(self.K.xreplace({self.variable: sp.Float(s)}).tolist(), dtype=float)
            off = np.divide(np.abs(there - K), size, out=np.zeros_like(K), where=size > 0)
            worst = max(worst, (float(np.max(off)), s))
        return worst

    @cached_property
    def pieces(self) -> tuple[GainSchedule, ...]:
        """Laws on the parts of the range where the gains are given by one formula."""
        if self.fit != LINEAR or len(self.nodes_designed) == 2:
            return (self,)
        given = self.plant, self.family, self.variable
        points = pairwise(self.points) if self.points else repeat(())
        return tuple(
            GainSchedule(*given, ends, self._degree, self.by, self._at, LINEAR, between)
            for ends, between in zip(pairwise(self.nodes_designed), points, strict=False)
        )

    @cached_property
    def _members(self) -> tuple[Mapping[str, sp.Expr], Mapping[str, sp.Expr]]:
        """States and inputs by label: the family's own, or fitted to points."""
        if not self.points:
            family = self.mechanism.equilibria[self.family]
            return family.states, family.inputs
        values = [(s, point) for (s, _), point in zip(self.nodes_designed, self.points, strict=True)]
        labels = self.plant.state_labels, self.plant.input_labels
        return fitted_members(self.variable, values, labels, self.fit)

    def _member(self, labels: Sequence[str], given: Mapping[str, sp.Expr]) -> sp.Matrix:
        values = [given.get(label, sp.S.Zero).xreplace(self._at) for label in labels]
        return sp.Matrix(values)

    @cached_property
    def torques(self) -> list[sp.Expr]:
        """The law in states of the plant, and the variable where that is a parameter."""
        plant, (states, inputs) = self.plant, self._members
        deviation = sp.Matrix(plant.states) - self._member(plant.state_labels, states)
        law = self._member(plant.input_labels, inputs) - self.K * deviation
        if self.by == REFERENCE:
            return list(law)
        return list(law.xreplace({self.variable: self.by}))

    @cached_property
    def bare(self) -> ReducedSystem:
        """The plant, with the variable among its parameters where it is one."""
        if self.by != REFERENCE:
            return self.plant
        return self.mechanism.replace(
            parameters=[*self.mechanism.parameters, *self.gain_parameters], parameter_sets={}, equilibria={}
        ).reduce()

    @cached_property
    def nodes(self) -> list[Node]:
        """`torques` in the graph of `bare`."""
        return [self.bare.expression(e) for e in self.torques]

    @cached_property
    def full(self) -> ReducedSystem:
        """`closed_loop`."""
        families = {}
        if not self.points:  # of those that are fitted to points none is an equilibrium, but next to one
            symbols = [] if self.by == REFERENCE else [self.variable]
            states = {k: e.xreplace(self._at) for k, e in self._members[0].items()}
            families = {self.family: Family(states, symbols=symbols)}
        return with_feedback(
            self.mechanism,
            self.by_input(),
            parameters=[*self.mechanism.parameters, *self.gain_parameters],
            symmetry=None,
            equilibria=families,
            name=f"{self.mechanism.name or 'system'}, scheduled law",
        ).reduce()

    def closed_loop(self) -> ReducedSystem:
        """The closed loop as a system, the variable a parameter of it, or the symbol of its family."""
        return self.full

    def certify(
        self, rate: float | None = None, **options: Any
    ) -> StabilityMap | PiecewiseMap | MovingBound | EquilibriaOverCells:
        r"""What is proved of the loop over the range of the variable.

        Without a rate the variable s stands still: `certify_region`, on each piece by itself where gains are
        linear between nodes. Nothing is said then of one that moves, nor of a neighbourhood that all members
        have in common. With a rate r it moves as it likes within its range, :math:`|\dot s| \le r`, and a
        bound of the time-varying linear part is proved,
        :math:`|x - x_e(s)|_P \le e^{-a t} |x - x_e(s)|_P(0) + c r/a`; nothing is said of the nonlinear loop.

        Through points in numbers :math:`x_e(s)` is next to an equilibrium alone: cells of the range are
        proved to have one in a box for every s, which attracts within the leaf.

        Parameters
        ----------
        rate : float, optional
            r, the largest rate of the variable.
        options
            Of `certify_region`, ``seconds`` and the folder ``out`` for each piece; with a rate ``decay``, a
            (by default one by which the bound is small), ``params``, ``progress`` and ``seconds``. Further
            ``axes`` go beside the variable, standing still. Through points ``cells``, into how many the range
            is divided at least, ``progress`` and ``seconds``.

        Returns
        -------
        StabilityMap, PiecewiseMap where there are several pieces, with a rate MovingBound, or through points
        EquilibriaOverCells

        Raises
        ------
        InputError, ParameterError, EquilibriumError
            As `certify_region`; for a rate that is not positive, or of a variable that is measured; for
            several pieces with a variable that is measured; for a variable that is measured, a rate or
            further axes through points.
        CertificateError
            If nothing is found that is proved.
        """
        if self.by != REFERENCE and rate is not None:
            raise InputError(
                f"{self.variable} is put in by {self.by}, and no reference that moves: rate= asks for "
                "by='reference'"
            )
        if self.by != REFERENCE and self.points:
            raise InputError(
                f"{self.variable} is put in by {self.by}: through points x_e and u_e are next to equilibria, "
                "so that the loop rests at single points, where its error is zero, and at none for each "
                f"{self.variable}; certify these, gc.certify(loop, gc.find_equilibrium(loop, point)) with "
                "loop = law.closed_loop(), or take by='reference', or a declared family"
            )
        if self.by != REFERENCE and len(self.pieces) > 1:
            raise InputError(
                f"{self.variable} is put in by {self.by}: at each node the law has a kink in the state, and "
                "proofs of two pieces say nothing of members there; take fit='polynomial' or 'rational', or "
                "by='reference'"
            )
        if self.points:
            return self._equilibria_over_cells(rate, options)
        if rate is not None:
            loops = [(piece.full, piece.range) for piece in self.pieces]
            return bound_over_pieces(loops, self.family, self.variable.name, rate, **options)
        maps = [piece._map_over_range(options, k) for k, piece in enumerate(self.pieces)]
        return maps[0] if len(maps) == 1 else PiecewiseMap(self.variable.name, tuple(maps))

    def _equilibria_over_cells(self, rate: Any, options: Mapping[str, Any]) -> EquilibriaOverCells:
        """The proof of a schedule through points."""
        if rate is not None:
            raise InputError(
                "rate= asks for expressions x_e(s), by which the members move: declare them as a gc.Family; "
                "through points the loop is proved for each s that stands still"
            )
        if unknown := [k for k in options if k not in ("cells", "progress", "seconds")]:
            raise InputError(f"a proof through points has no {unknown[0]}=: it is at the points' parameters")
        numbers = {k: v for k, v in self.points[0].params.items() if k != self.variable.name}
        parts = [piece._part_of_range(numbers) for piece in self.pieces]
        return equilibria_over_cells(parts, self.variable.name, **options)

    def _part_of_range(self, numbers: Mapping[str, float]) -> LoopPart:
        """The loop of a law that is one piece, where its equilibria are looked for."""
        low, high = (exact(s) for s in self.range)
        there = self._member(self.plant.state_labels, self._members[0])
        near = sp.lambdify(self.variable, list(there), "numpy")
        return LoopPart(self.full, (low, high), lambda s: np.array(near(s), dtype=float), numbers)

    def _map_over_range(self, options: Mapping[str, Any], number: int) -> StabilityMap:
        """The map of a law that is one piece."""
        axes = {**options.get("axes", {}), self.variable.name: self.range}
        given = {**options, "axes": axes}
        if given.get("out") is not None and number:
            given["out"] = file_path(given["out"]) / f"piece{number + 1}"
        return certify_region(self.full, self.family, **given)

    def to_c(
        self, folder: Any, params: Mapping[str, float] | None = None, name: str | None = None
    ) -> tuple[Path, Path]:
        """Write the law as C99, as `Law.to_c`; a reference is the last entry of x, after the plant's states.

        Gains are evaluated by Horner's rule.
        """
        if self.by != REFERENCE:
            return super().to_c(folder, params, name)
        s, own = self.variable, list(self.mechanism.parameters)
        told_of = sp.Symbol(s.name, real=True)
        loop = self.mechanism.replace(
            controller={s.name: sp.S.Zero}, parameters=own, parameter_sets={}, equilibria={}, symmetry=None
        ).reduce()
        states, inputs = self._members
        deviation = sp.Matrix(self.plant.states) - self._member(self.plant.state_labels, states)
        nested = self.K.applyfunc(lambda k: horner_form(k, s))
        law = self._member(self.plant.input_labels, inputs) - nested * deviation
        computed = {k: with_doubles(e).xreplace({s: told_of}) for k, e in self.by_input(list(law)).items()}
        return written_in_c(
            self.mechanism, loop, self.input_labels, computed, folder, params, name, given=[s.name]
        )

    @cached_property
    def expr(self) -> sp.ImmutableMatrix:
        """The inputs (m x 1) by powers of the states, coefficients as doubles."""
        if len(self.pieces) > 1:
            below = [self.variable < sp.Float(high) for *_, high in (law.range for law in self.pieces[:-1])]
            if self.by != REFERENCE:
                below = [where.xreplace({self.variable: self.by}) for where in below]
            each = zip(*(law.expr for law in self.pieces), strict=True)
            return sp.ImmutableMatrix([sp.Piecewise(*zip(row, [*below, True], strict=True)) for row in each])
        rows = (with_doubles(sp.collect(sp.expand(e), self.plant.states)) for e in self.torques)
        return sp.ImmutableMatrix(list(rows))

    def _text(self, expr: sp.Expr) -> str:
        return str(expr.evalf(6))

    def _further_lines(self) -> list[str]:
        error, where = self.fit_error
        low, high = self.range
        return [
            f"  {self.variable} from {low:g} to {high:g}, {len(self.nodes_designed)} designs; "
            f"the fit is off by {error:.1g} at {where:g}"
        ]
