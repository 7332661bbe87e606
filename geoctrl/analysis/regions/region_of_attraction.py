"""Sets about an equilibrium that motions do not leave, or from which they tend to it: the largest one that is
proved in the time that is given, with a certificate that is checked without a search.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, NamedTuple

import sympy as sp

from geoctrl._calls.budget import Budget
from geoctrl._calls.long_calls import Progress, seconds_given
from geoctrl._checks import require_choice, whole_number
from geoctrl._scalars import shown
from geoctrl.analysis.linear.linearization import linearize
from geoctrl.analysis.quadratics.falling_quadratic import DEGREES
from geoctrl.analysis.regions.attracted_set import SLOPES, SQUARES, AttractedSet, FamilyRegion
from geoctrl.analysis.regions.energy_set import EnergySets, RegionOfAttraction
from geoctrl.analysis.regions.set_question import (
    ENERGY,
    SetQuestion,
    bounds_of_file,
    has_torque_speed_lines,
    positive_numbers,
)
from geoctrl.analysis.regions.set_sizes import is_larger
from geoctrl.analysis.regions.slopes_set import FamilySets, SlopesSets
from geoctrl.analysis.regions.squares_set import SquaresSets
from geoctrl.errors import CertificateError, InputError
from geoctrl.systems import ReducedSystem, as_system
from geoctrl.systems.contract.points import resolve_equilibrium
from geoctrl.systems.contract.torque_speed import outputs_on_lines

__all__ = ["region_of_attraction"]

EVEN = (2, 4, 6, 8)
"""Degrees of functions."""
SECONDS = 60.0
"""For a search unless others are given."""
RESERVE = 0.2
"""Of the time, kept for the last step: what a search that is cut has found is made exact."""
SHARES = {"slopes": 0.3, "energy": 0.7, "larger": 0.5, "squares": 0.5}
"""Of the time left that a stage may take where others follow."""
BEFORE, AFTER = 2.0, 5.0
"""Seconds for larger sets by slopes, at most, before and after the first squares."""

_PLACE = re.compile(r"\b(?:problem|theorem|witness)(?:\.\w+)*: ")
"""Of a file, which says nothing to those who ask for a set."""

Found = RegionOfAttraction | AttractedSet | FamilyRegion


def region_of_attraction(
    sys: ReducedSystem,
    eq: Any,
    limits: Mapping[str, float] | None = None,
    params: Mapping[str, float] | None = None,
    widths: Mapping[str, float] | None = None,
    depth: int | None = None,
    by: str | None = None,
    degree: int | None = None,
    *,
    monomials: int | None = None,
    multiplier_degree: int | None = None,
    lyapunov: sp.Expr | None = None,
    seconds: float | None = SECONDS,
    progress: bool | Callable[..., object] = False,
) -> RegionOfAttraction | AttractedSet | FamilyRegion:
    r"""Prove that motions which begin in a set about an equilibrium stay in it for ever, or tend to the
    equilibrium.

    By slopes, where there is no leaf: the function is :math:`V = y^T P y` with P of the linearisation, y the
    deviations of the states from the point, and over cells of the set :math:`\{V \le c\}`, which is convex,

    .. math:: P J + J^T P < 0, \qquad J = \partial f/\partial x \text{ in balls}:

    V falls except at the point, and motions tend to it. Any smooth rates will do, and there is an answer at
    once; the set is small beside those of squares.

    By the energy, the function is the energy with its sign, :math:`V = \pm E`, conserved or falling along
    the motion. States are shapes s (coordinates, advected vectors) and velocities w, in which V is of
    degree two. With invariants :math:`C_i` that are linear in w held at their levels, or in the function
    with multipliers, velocities are eliminated exactly,

    .. math:: V_{\min}(s) = \min_w \{V(s, w) : C(s, w) = C(e)\},

    and a union K of cells of shapes is found with :math:`V_{\min} > c` on the cells around it. What begins
    with :math:`V \le c` over K cannot leave it: the boundary of K is crossed above c alone. Over K
    everything has values, accelerations are determined, the domain of the model does not end. The level
    is the highest one next to which the set reaches another critical point, the end of the domain, or
    outputs beyond their limits.

    By squares, a function :math:`V = u^T P u` of the deviations y of states, and of sines and cosines of
    angles, is searched for together with an identity of polynomials,

    .. math:: -\dot V = w^T Q w + (c - V)\, w_0^T Q_0 w_0 + \sum_k h_k\, w_k^T Q_k w_k + \sum_j m_j r_j,

    with positive definite rational matrices, u's and w's monomials, u = y for a quadratic function,
    :math:`r_j = 0` the equations of motion, of the leaf and of levels of invariants, and :math:`h_k \ge 0`
    polynomial bounds of sines, cosines and quadratures: where :math:`V \le c`, V falls except at the point,
    and motions tend to it. With ``degree`` 4, 6 or 8 V is a polynomial of this degree, whose sets come close
    to the whole basin; with ``lyapunov`` it is the one that is given, and its level alone is looked for: if
    that is the highest one, the set is open. The search is one in doubles (Parrilo 2000; Tan and Packard,
    IEEE Trans. Autom. Control 53 (2008) 565); the identity is made exact (Peyrl and Parrilo, Theor. Comput.
    Sci. 409 (2008) 269). Nothing needs to be conserved: laws of `lqr` and `place` have such sets.

    Parameters
    ----------
    sys : ReducedSystem
        Without inputs, or with these constant: a closed loop, perhaps with damping.
    eq : Equilibrium, state ``x`` or pair ``(x, u)``
        With exact numbers.
    limits : dict of output -> bound, optional
        Outputs of the loop, as torques of its law, that stay within bounds in the set. A `TorqueSpeed` bounds
        the output u + (T0/w0) w, by whose name ``limits`` of the set tells it. By default the limits of the
        model file that the mechanism is read from, of inputs that are outputs of the loop; ``{}`` is none.
    params : dict, optional
    widths : dict of name -> half width, optional
        How far the levels of held invariants may be from those of the equilibrium, all at once; 2^-24 of
        their sizes there by default.
    depth : int, optional
        Halvings of each side of the box in which cells are looked for, by the energy.
    by : "slopes", "energy" or "squares", optional
        By default a set by slopes at once, then the energy, and squares where that proves nothing: the
        largest set is returned.
    degree : 2, 4, 6 or 8, optional
        Of V, by squares; by default 2. Functions of degree two, four, ... are found in turn, each from the
        last one.
    monomials : 2 or 3, optional
        Degree of the monomials w of sums of squares for a quadratic V; by default 3 where 2 shows nothing.
        With 3 a search takes minutes.
    multiplier_degree : 2, 4, 6 or 8, optional
        Of :math:`w_0^T Q_0 w_0`; by default that of V, or as much as its rate has beyond V.
    lyapunov : expression, optional
        V, by squares: a polynomial in the states, and in sines and cosines of angles, that is zero at the
        point. What is looked for is its highest level.
    seconds : float, optional
        After which the best that is proved is returned; what was cut is told in ``reason``. None for no
        limit.
    progress : bool or callable
        ``progress(stage, best, elapsed)`` at each stage and each larger set, or ``progress(fraction)`` where
        it takes a single argument. On a terminal a line is shown after two seconds, with True from the start.

    Returns
    -------
    RegionOfAttraction
        By the energy: motions stay.
    AttractedSet
        By slopes or squares: motions stay, and tend to the equilibrium.
    FamilyRegion
        Where other points rest beside this one, so that no set is attracted to it alone: motions stay, and
        each tends to some member of this family near the point.

    Raises
    ------
    InputError
        For limits or widths that are no positive numbers, a depth that is no whole number from 1 to 24,
        another ``by``, ``degree``, ``monomials`` or ``multiplier_degree``, some of these that do not go
        together, ``lyapunov`` that is no expression, ``seconds`` that are no positive number.
    ExpressionError
        For symbols in ``lyapunov`` that are no states or parameters.
    ParameterError
        For an unknown output, invariant or parameter.
    EquilibriumError
        If the point is not an equilibrium.
    CertificateError
        If no function with such a set is found in the time, with the reason for each one that was tried.
    TypeError
        If ``progress`` is none.

    Examples
    --------
    >>> import sympy as sp
    >>> import geoctrl as gc
    >>> pendulum = gc.EulerPoincare(
    ...     algebra=None, shape=[phi := gc.Coordinate("phi", angle=True)], inertia=[[2]],
    ...     potential=-3 * sp.cos(phi.symbol), name="pendulum").reduce()
    >>> roa = gc.region_of_attraction(pendulum, pendulum.state())
    >>> roa.verdict, roa.contains([0.0, 3.0]), roa.contains([2.5, 0.0])
    (<Verdict.PROVED_INVARIANT: 'PROVED_INVARIANT'>, True, False)
    """
    system = as_system(sys, "region_of_attraction", recorded=True)
    asked = bounds_of_file(system.limits, system.output_labels) if limits is None else limits
    if has_torque_speed_lines(asked):
        mechanism, asked = outputs_on_lines(system.mechanism, asked)
        system = mechanism.reduce()
    bounds = positive_numbers("limits", asked, system.output_labels, "output")
    if depth is not None:
        whole_number("depth", depth, 1, 24)
    if by is not None:
        require_choice("by", by, (SLOPES, ENERGY, SQUARES))
    squares = _SquaresAsked.of(degree, monomials, multiplier_degree, lyapunov)
    if squares.is_alone:
        if by not in (None, SQUARES):
            raise InputError(
                f"degree, multiplier_degree and lyapunov are those of sets by squares, not by={by!r}: give "
                'by="squares" or none'
            )
        by = SQUARES
    if lyapunov is not None:
        system.expression(lyapunov)
    budget = seconds_given(seconds)
    told = Progress(progress, "region_of_attraction")
    try:
        point = resolve_equilibrium(system, eq, params)
        given = positive_numbers("widths", widths, system.candidate_invariants, "invariant")
        question = SetQuestion(system, point, bounds, given, lyapunov)
        return _RegionSearch(question, budget, told).run(by, depth, squares)
    finally:
        told.close()


class _SquaresAsked(NamedTuple):
    """What is asked of sets by squares."""

    degree: int | None
    monomials: int | None
    multiplier: int | None
    lyapunov: sp.Expr | None

    @classmethod
    def of(cls, degree: Any, monomials: Any, multiplier: Any, lyapunov: Any) -> _SquaresAsked:
        """The arguments, read."""
        for name, value in (("degree", degree), ("multiplier_degree", multiplier)):
            whole = isinstance(value, Real) and not isinstance(value, bool)
            if value is not None and not (whole and value in EVEN):
                remedy = "; the degree of monomials is monomials=3" if whole and value == 3 else ""
                raise InputError(f"{name} must be 2, 4, 6 or 8, got {shown(value)}{remedy}")
        if monomials is not None:
            whole_number("monomials", monomials, *DEGREES)
        if lyapunov is not None and not isinstance(lyapunov, sp.Expr):
            raise InputError(f"lyapunov must be an expression in the states, got {shown(lyapunov)}")
        if lyapunov is not None and degree is not None:
            raise InputError("lyapunov has a degree of its own: give it without degree")
        if monomials is not None and (lyapunov is not None or multiplier or (degree or 2) > 2):
            raise InputError(
                "monomials is of quadratic functions that are searched for: give degree=2 or none"
            )
        if multiplier is not None and lyapunov is None and (degree or 2) == 2:
            raise InputError("multiplier_degree is one of lyapunov, or of degree=4, 6 or 8")
        return cls(degree, monomials, multiplier, lyapunov)

    @property
    def is_alone(self) -> bool:
        """Whether nothing but squares can answer."""
        return not (self.degree is None and self.lyapunov is None)


class _RegionSearch:
    """Sets by one method after the other, of which the largest is kept."""

    def __init__(self, question: SetQuestion, budget: Budget, told: Progress) -> None:
        self._question = question
        self._budget, self._stage_budget, self._told = budget, budget, told
        self._best: Found | None = None
        self._latest: Callable[[], Found | None] | None = None
        self._reasons: list[str] = []
        self._cut: list[str] = []

    def run(self, by: str | None, depth: int | None, squares: _SquaresAsked) -> Found:
        """The largest set."""
        try:
            self._stages(by, depth, squares)
        except KeyboardInterrupt:
            self._keep(self._latest and self._latest())
            if self._best is None:
                raise
            self._cut.append("all that was to follow an interrupt")
        if self._best is None:
            about = "no region is proved about this point: "
            if beside := self._other_rests():
                if by in (None, SLOPES):
                    self._beside_family()
                if self._best is None:
                    raise CertificateError(
                        about + self._words([*beside, *self._reasons]), key="region-family"
                    )
                self._reasons = beside
            else:
                raise CertificateError(about + self._words(self._reasons), key="no-region")
        own = [self._best.reason] if isinstance(self._best, RegionOfAttraction) else self._reasons
        return replace(self._best, reason=self._words(own), units=self._question.system.told_units)

    def _other_rests(self) -> list[str]:
        """That nothing tends to a point beside which others rest, where that is why there is no set."""
        if not any("does not decay" in reason for reason in self._reasons):
            return []
        found = linearize(self._question.system, self._question.point)
        if "family" not in found.zero_modes:
            return []
        along = ", ".join(dict.fromkeys(label for label in found.families if label)) or "its family"
        return [f"other points of rest lie beside it, along {along}, and motions may tend to these"]

    def _beside_family(self) -> None:
        """A set about a piece of the family, from which motions tend to its members."""
        sets: list[FamilySets] = []

        def search() -> Found | None:
            sets.append(FamilySets(self._question))
            for _ in sets[0].largest():
                self._tell("slopes beside a family")
            if (found := sets[0].latest()) is None:
                raise CertificateError("beside the family, no function is shown to fall in any set")
            return found

        def latest() -> Found | None:
            return sets[0].latest() if sets else None

        self._run_stage("slopes beside a family", search, latest, 1.0)

    def _words(self, reasons: list[str]) -> str:
        words = [_PLACE.sub("", words) for words in dict.fromkeys(reasons) if words]
        if self._cut:
            limit = "" if math.isinf(self._budget.seconds) else f" within {self._budget.seconds:g} s"
            words.append(f"not finished{limit}: {', '.join(dict.fromkeys(self._cut))}")
        return "; ".join(words)

    def _stages(self, by: str | None, depth: int | None, squares: _SquaresAsked) -> None:
        asked, free = by in (None, SLOPES), not self._question.has_leaf
        slopes = self._slopes(by) if asked and (free or by) else None
        if by in (None, ENERGY):
            energy = EnergySets(self._question, depth, self._stage_seconds)
            if self._run_stage("energy", energy, energy.latest, 1.0 if by else SHARES["energy"]):
                return
        if by is None and not free:
            slopes = self._slopes(by)
        if by in (None, SQUARES):
            self._squares(slopes, squares)
        elif slopes is not None:
            self._larger(slopes, math.inf)

    def _slopes(self, by: str | None) -> SlopesSets | None:
        """The search by slopes, where it has a set at once."""
        sets: list[SlopesSets] = []

        def search() -> Found:
            sets.append(SlopesSets(self._question))
            return sets[0].at_once()

        found = self._run_stage("slopes", search, None, 1.0 if by else SHARES["slopes"])
        return sets[0] if found else None

    def _squares(self, slopes: SlopesSets | None, asked: _SquaresAsked) -> None:
        """Squares of rising degree; where the first ones show nothing, larger sets by slopes once more."""
        sets: list[SquaresSets] = []

        def searches() -> SquaresSets:
            if not sets:
                sets.append(SquaresSets(self._question, self._stage_seconds, self._tell))
            return sets[0]

        def search_degree(size: int) -> Found | list[str]:
            return searches()(size)

        def latest() -> Found | None:
            return sets[0].latest() if sets else None

        first = slopes is not None
        if slopes is not None:
            self._larger(slopes, BEFORE)
        if asked.lyapunov is not None:
            search = partial(lambda m: searches().of_function(m), asked.multiplier)
            self._run_stage("levels of the function", search, latest, 1.0)
            return
        if (degree := asked.degree or 2) > 2:
            search = partial(lambda m: searches().of_degree(degree, m), asked.multiplier)
            self._run_stage(f"functions of degree {degree}", search, latest, 1.0)
            return
        for size in DEGREES if asked.monomials is None else (asked.monomials,):
            share = SHARES["squares"] if first else 1.0
            if self._run_stage(f"squares of degree {size}", partial(search_degree, size), latest, share):
                return
            if slopes is not None and first:
                self._larger(slopes, AFTER)
            first = False

    def _larger(self, slopes: SlopesSets, seconds: float) -> None:
        """Look for larger sets by slopes."""

        def search() -> Found | None:
            for _ in slopes.larger():
                self._tell("larger sets by slopes")
            return slopes.latest()

        share = SHARES["larger"] if math.isfinite(seconds) else 1.0
        self._run_stage("larger sets by slopes", search, slopes.latest, share, seconds)

    def _stage_seconds(self) -> float:
        """Seconds of the stage."""
        return self._stage_budget.seconds_left

    def _run_stage(
        self,
        stage: str,
        search: Callable[[], Found | list[str] | None],
        latest: Callable[[], Found | None] | None,
        share: float,
        most: float = math.inf,
    ) -> bool:
        """Whether a stage finds a set, which is kept if it is the largest; of one that is cut what it has."""
        left = self._budget.seconds_left
        seconds = left if math.isinf(left) else min(left * share, left - RESERVE * self._budget.seconds)
        found: Found | list[str] | None = None
        self._latest = latest
        self._tell(stage)
        if seconds > 0:
            self._stage_budget = Budget(min(seconds, most))
            try:
                found = self._stage_budget.attempt(stage, search, None)
            except CertificateError as error:
                found = [str(error)]
        if seconds <= 0 or self._stage_budget.cut:
            self._cut += [stage] * (stage not in self._cut)
            if latest is not None and self._budget.seconds_left > 0:
                self._stage_budget = self._budget
                found = self._budget.attempt(stage, latest, None)
        self._latest = None
        if isinstance(found, list):
            self._reasons += found
            return False
        self._keep(found)
        self._tell(stage)
        return found is not None

    def _keep(self, found: Found | None) -> None:
        """Keep a larger set. Rays leave leaf and levels: there those that follow one by slopes are taken."""
        best, follows = self._best, False
        if isinstance(best, AttractedSet) and best.method == SLOPES:
            follows = self._question.has_leaf or bool(best.levels)
        if found is not None and (follows or best is None or is_larger(found, best)):
            self._best = found

    def _tell(self, stage: str) -> None:
        best = "" if self._best is None else f"by {self._best.method}, {_extents(self._best)}"
        whole = self._budget.seconds
        self._told(0.0 if math.isinf(whole) else 1 - self._budget.seconds_left / whole, stage, best)


def _extents(found: Found) -> str:
    """The extent of a set, in words."""
    return ", ".join(f"{k} in [{a:.3g}, {b:.3g}]" for k, (a, b) in found.extent.items())
