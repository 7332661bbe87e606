r"""Linear laws along a family of equilibria, their gains functions of where the plant is to be.

With the family's own expressions :math:`x_e(s), u_e(s)` and gains designed at some s,

.. math:: u = u_e(s) - K(s) (x - x_e(s)), \qquad K_{ij}(s) \text{ fitted to the designs.}

The fit need not be good: what is certified is the loop as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._calls.long_calls import long_call, tell
from geoctrl._checks import entries, file_path, nearest, require_choice, whole_number
from geoctrl._scalars import Node, exact, expression, real, shown
from geoctrl._scalars.algebra.same_expressions import are_same
from geoctrl.analysis.maps.stability_map import StabilityMap, certify_region
from geoctrl.analysis.schedules.moving_bound import MovingBound, bound_over_pieces
from geoctrl.analysis.schedules.piecewise_map import PiecewiseMap
from geoctrl.errors import InputError, ParameterError
from geoctrl.synthesis.contract.law import Law, with_feedback
from geoctrl.synthesis.export.formula import with_doubles
from geoctrl.synthesis.export.law_outputs import written_in_c
from geoctrl.synthesis.linear.fitted_gains import (
    FITS,
    LINEAR,
    POLYNOMIAL,
    RATIONAL,
    fitted_gains,
    horner_form,
)
from geoctrl.synthesis.linear.linear_law import LinearLaw
from geoctrl.systems import Family, Parameter, ReducedSystem, as_description, as_system
from geoctrl.systems.contract.points import declared_family

__all__ = ["GainSchedule", "schedule"]

REFERENCE = "reference"


class GainSchedule(Law):
    """A law along a family; made by `schedule`.

    Attributes
    ----------
    plant : ReducedSystem
    mechanism : EulerPoincare
        That of the plant.
    family : str
    variable : sympy.Symbol
        s, by name the family's.
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
    ) -> None:
        as_system(plant, "a gain schedule", recorded=True)
        if not isinstance(variable, sp.Symbol):
            raise TypeError("a gain schedule is made by gc.schedule")
        self.plant, self.mechanism = plant, as_description(plant.mechanism, "a gain schedule")
        self.family, self.variable, self.by, self._at = family, variable, by, dict(at)
        self.input_labels = plant.input_labels
        self.nodes_designed = tuple(designed)
        self.range = (designed[0][0], designed[-1][0])
        self.fit, self._degree = fit, degree
        self.K = fitted_gains(variable, self.nodes_designed, fit, degree)
        if by == REFERENCE:
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
        return tuple(
            GainSchedule(*given, ends, self._degree, self.by, self._at, LINEAR)
            for ends in pairwise(self.nodes_designed)
        )

    def _member(self, labels: Sequence[str], given: Mapping[str, sp.Expr]) -> sp.Matrix:
        values = [given.get(label, sp.S.Zero).xreplace(self._at) for label in labels]
        return sp.Matrix(values)

    @cached_property
    def torques(self) -> list[sp.Expr]:
        """The law in states of the plant, and the variable where that is a parameter."""
        plant, family = self.plant, self.mechanism.equilibria[self.family]
        deviation = sp.Matrix(plant.states) - self._member(plant.state_labels, family.states)
        law = self._member(plant.input_labels, family.inputs) - self.K * deviation
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
        family = self.mechanism.equilibria[self.family]
        symbols = [] if self.by == REFERENCE else [self.variable]
        states = {k: e.xreplace(self._at) for k, e in family.states.items()}
        return with_feedback(
            self.mechanism,
            self.by_input(),
            parameters=[*self.mechanism.parameters, *self.gain_parameters],
            symmetry=None,
            equilibria={self.family: Family(states, symbols=symbols)},
            name=f"{self.mechanism.name or 'system'}, scheduled law",
        ).reduce()

    def closed_loop(self) -> ReducedSystem:
        """The closed loop as a system, the variable a parameter of it, or the symbol of its family."""
        return self.full

    def certify(self, rate: float | None = None, **options: Any) -> StabilityMap | PiecewiseMap | MovingBound:
        r"""What is proved of the loop over the range of the variable.

        Without a rate the variable s stands still: `certify_region`, on each piece by itself where gains are
        linear between nodes. Nothing is said then of one that moves, nor of a neighbourhood that all members
        have in common. With a rate r it moves as it likes within its range, :math:`|\dot s| \le r`, and a
        bound of the time-varying linear part is proved,
        :math:`|x - x_e(s)|_P \le e^{-a t} |x - x_e(s)|_P(0) + c r/a`; nothing is said of the nonlinear loop.

        Parameters
        ----------
        rate : float, optional
            r, the largest rate of the variable.
        options
            Of `certify_region`, ``seconds`` and the folder ``out`` for each piece; with a rate ``decay``, a
            (by default one by which the bound is small), ``params``, ``progress`` and ``seconds``. Further
            ``axes`` go beside the variable, standing still.

        Returns
        -------
        StabilityMap, PiecewiseMap where there are several pieces, or with a rate MovingBound

        Raises
        ------
        InputError, ParameterError, EquilibriumError
            As `certify_region`; for a rate that is not positive, or of a variable that is measured; for
            several pieces with a variable that is measured.
        CertificateError
            If nothing is found that is proved.
        """
        if self.by != REFERENCE and rate is not None:
            raise InputError(
                f"{self.variable} is put in by {self.by}, and no reference that moves: rate= asks for "
                "by='reference'"
            )
        if self.by != REFERENCE and len(self.pieces) > 1:
            raise InputError(
                f"{self.variable} is put in by {self.by}: at each node the law has a kink in the state, and "
                "proofs of two pieces say nothing of members there; take fit='polynomial' or 'rational', or "
                "by='reference'"
            )
        if rate is not None:
            loops = [(piece.full, piece.range) for piece in self.pieces]
            return bound_over_pieces(loops, self.family, self.variable.name, rate, **options)
        maps = [piece._map_over_range(options, k) for k, piece in enumerate(self.pieces)]
        return maps[0] if len(maps) == 1 else PiecewiseMap(self.variable.name, tuple(maps))

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
        family = self.mechanism.equilibria[self.family]
        deviation = sp.Matrix(self.plant.states) - self._member(self.plant.state_labels, family.states)
        nested = self.K.applyfunc(lambda k: horner_form(k, s))
        law = self._member(self.plant.input_labels, family.inputs) - nested * deviation
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


@long_call
def schedule(
    sys: ReducedSystem,
    family: str,
    along: str,
    nodes: Sequence[float],
    design: Callable[[Any], LinearLaw],
    *,
    fit: str = POLYNOMIAL,
    degree: int | None = None,
    by: Any = REFERENCE,
    at: Mapping[str, float] | None = None,
    params: Mapping[str, float] | None = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> GainSchedule:
    r"""One law along a family, :math:`u = u_e(s) - K(s) (x - x_e(s))`, from designs at some of its members.

    Parameters
    ----------
    sys : ReducedSystem
    family : str
        A declared family, with expressions for states and inputs.
    along : str
        A symbol of the family, s.
    nodes : sequence of numbers
        Values of s at which gains are designed, in order.
    design : callable
        Of the equilibrium there: a `LinearLaw`, as ``lambda eq: gc.lqr(sys, eq, Q=..., R=...)``.
    fit : "polynomial" | "rational" | "linear"
        What the gains are fitted by: polynomials in s; quotients with one denominator for all gains, which is
        proved to be positive over the range; or lines from node to node, which go through the designs and
        have a proof for each piece of the range.
    degree : int, optional
        Of the first two; the largest that the nodes determine by default, of quotients up to 2.
    by : "reference", or an expression in the states
        With "reference" s is a parameter of the loop: where the plant is to be. An expression that is s at
        the family's members puts in what is measured; the loop has other eigenvalues then than at a frozen
        s, and is certified as it is.
    at : dict, optional
        Values of the family's other symbols.
    params : dict, optional
        For the designs.
    progress, seconds
        As of `certify`.

    Returns
    -------
    GainSchedule

    Raises
    ------
    InputError, ParameterError
        For an unknown family or symbol, fewer than two nodes or nodes out of order, a design that is no law
        of this plant, another fit, a degree that the nodes do not determine or of lines, a denominator not
        positive over the range, a name that a parameter has already, and an expression that is not s at the
        family's members.
    TypeError
        For anything else than a reduced system and a family's name, as points of `follow`.

    Examples
    --------
    >>> import geoctrl as gc
    >>> furuta = gc.models.get("furuta-pendulum")().reduce()
    >>> weights = {"phi": 100, "theta_dot": 1}
    >>> law = gc.schedule(furuta, "upright", "Omega0", [0, 4, 8], lambda eq: gc.lqr(furuta, eq, Q=weights))
    >>> law.certify().stable
    1.0
    """
    plant = as_system(sys, "schedule", recorded=True)
    if not isinstance(family, str):
        raise TypeError(
            f"family must be the name of a declared family, got {shown(family)}: the law needs expressions "
            "x_e(s), u_e(s), which single points, as those of gc.follow, do not have; declare them as a "
            "gc.Family in equilibria="
        )
    declared = declared_family(plant, family)
    variable = next((s for s in declared.symbols if s.name == along), None)
    if variable is None:
        raise ParameterError(
            f"family {family!r} has no symbol {along!r}{nearest(str(along), declared.names)}"
        )
    if declared.relations:
        raise InputError(
            f"the members of {family!r} satisfy relations, and are no expressions in {along!r} alone"
        )
    others = {s.name: s for s in declared.symbols if s is not variable}
    given = {str(k): exact(v, f"at[{k!r}]") for k, v in (at or {}).items()}
    if set(given) != set(others):
        raise ParameterError(
            f"at must give the other symbols of {family!r}, {', '.join(others) or 'none'}; got "
            f"{', '.join(given) or 'none'}"
        )
    if by == REFERENCE and along in plant.params:
        raise InputError(
            f"{along!r} is a parameter of the plant already: give the family's symbol another name"
        )
    values = [real(v, "a node") for v in entries("nodes", nodes)]
    if len(values) < 2 or any(b <= a for a, b in pairwise(values)):
        raise InputError(f"nodes must be two or more numbers in order, got {shown(nodes)}")
    require_choice("fit", fit, FITS)
    degree = _degree(degree, fit, len(values) - 1, plant.ninputs * plant.nstates)
    numbers = {name: float(q) for name, q in given.items()}
    designed = []
    for value in values:
        tell(f"design at {along} = {value:g}")
        eq = plant.equilibrium(family, params, **{along: value, **numbers})
        law = design(eq)
        if not isinstance(law, LinearLaw) or law.plant.state_labels != plant.state_labels:
            raise InputError(
                f"design must give a LinearLaw of this plant, as gc.lqr(sys, eq) does, got {shown(law)}"
            )
        designed.append((value, law.K))
    placed = {others[name]: sp.Rational(q.numerator, q.denominator) for name, q in given.items()}
    if by != REFERENCE:
        by = _variable_of_state(plant, declared, variable, expression(by, "by"), placed)
    return GainSchedule(plant, family, variable, designed, degree, by, placed, fit)


def _degree(given: Any, fit: str, most: int, gains: int) -> int:
    """Of the functions that gains are fitted by: what is given, or as much as the nodes determine."""
    if fit == LINEAR:
        if given is not None:
            raise InputError("fit='linear' has lines from node to node: leave degree= out")
        return 1
    if fit == RATIONAL:
        most = gains * most // (gains + 1)
    usual = most if fit == POLYNOMIAL else min(2, most)
    return usual if given is None else whole_number("degree", given, 0, most)


def _variable_of_state(
    plant: ReducedSystem, family: Family, variable: sp.Symbol, by: sp.Expr, at: Mapping[sp.Symbol, sp.Expr]
) -> sp.Expr:
    """An expression of the states that is the variable at the members of a family."""
    plant.expression(by)
    members = {
        s: family.states.get(label, sp.S.Zero).xreplace(dict(at))
        for label, s in zip(plant.state_labels, plant.states, strict=True)
    }
    there = by.xreplace(members)
    if there != variable and not all(are_same([there], [variable])):
        raise InputError(f"by = {by} must be {variable} at the members of the family, and is {there} there")
    return by
