"""Regions that motions about an equilibrium do not leave, each with a certificate that is checked without a
search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from flint import arb, fmpq

from geoctrl import checker
from geoctrl._checks import nearest, require_choice, whole_number
from geoctrl._scalars import exact, shown
from geoctrl.analysis.attracted_set import AttractedSet, attracted_set
from geoctrl.analysis.attraction_boxes import boxes_of
from geoctrl.analysis.falling_quadratic import DEGREES
from geoctrl.analysis.levels import highest_level
from geoctrl.analysis.proved_set import SLACK, ProvedSet
from geoctrl.analysis.sublevel_problem import Question, questions
from geoctrl.checker.jets import to_float
from geoctrl.checker.reading import Refusal
from geoctrl.checker.sublevels.energy import Energy
from geoctrl.checker.sublevels.file import (
    SUBLEVEL_FORMAT,
    Region,
    claim_of_sublevel,
    extent_of,
    function_words,
    judge_sublevel,
    lies_in,
    limit_words,
    read_sublevel,
)
from geoctrl.errors import CertificateError, InputError, ParameterError
from geoctrl.systems import Equilibrium, ReducedSystem, as_system
from geoctrl.systems.angles import ExactAngle, angles_at
from geoctrl.systems.points import resolve_equilibrium
from geoctrl.verification import Verdict

__all__ = ["RegionOfAttraction", "region_of_attraction"]

SIDE, DOUBLINGS = 4, 6
"""Half a side of the box along a shape that nothing bounds, at first, and how often it is doubled."""
DEPTHS = {1: 14, 2: 12}
"""Halvings of each side of the box by the number of shapes; fewer for more of them."""
PIECES = {1: 64, 2: 16}
"""Of the extent along each shape, in pictures."""
FEW = 8
ENERGY, SQUARES = "energy", "squares"

Sides = Mapping[str, tuple[Fraction, Fraction]]


@dataclass(frozen=True, eq=False)
class RegionOfAttraction(ProvedSet):
    """A set of states that motions do not leave.

    Attributes
    ----------
    system : str
    point : dict of label -> float
        The equilibrium.
    level : float
        The set lies below it: ``lyapunov`` <= level.
    lyapunov : str
        The function, by the names of energy and invariants; it does not grow along motions.
    tends : str
        What motions tend to, where the function falls: the largest invariant set on which it does not change,
        of which the equilibrium is a part. Empty where the function is conserved.
    held : dict of name -> float
        Half widths of the levels of invariants that the set is made of.
    levels : tuple of str
        Their names.
    extent : dict of label -> (low, high)
        Intervals of the shapes in which the set lies.
    limits : dict of label -> float
        Outputs that are proved to stay within these bounds there.
    verdict : Verdict
        PROVED_INVARIANT.
    claim : str
    reason : str
        Why no higher level was taken.
    data : dict
        Everything that the file holds.
    """

    data: dict[str, Any] = field(repr=False)
    angles: Mapping[int, ExactAngle] = field(default_factory=dict, repr=False)
    reason: str = field(default="", repr=False)
    _region: Region | None = field(default=None, repr=False)

    @cached_property
    def _proved(self) -> Region:
        if self._region is not None:
            return self._region
        return judge_sublevel(
            read_sublevel(self.data["problem"]), fmpq(self.data["level"]), self.data["cells"]
        )

    @property
    def level(self) -> float:
        """The level below which the set lies."""
        return float(Fraction(self.data["level"]))

    @property
    def point(self) -> dict[str, float]:
        """The equilibrium, by labels of states."""
        states = read_sublevel(self.data["problem"])["states"]
        return {k: to_float(v) for k, v in states.items()}

    @cached_property
    def lyapunov(self) -> str:
        """The function, by the names of its parts."""
        return function_words(self._proved.energy.question.problem)

    @cached_property
    def tends(self) -> str:
        """What motions of the set tend to, in words, where the function falls (LaSalle 1960): the largest
        invariant set in it on which the function does not change. Empty where it is conserved.
        """
        return limit_words(self._proved.energy.question.problem)

    @property
    def held(self) -> dict[str, float]:
        """Half widths of the levels of invariants."""
        rows = self.data["problem"]["sublevel"]["held"]
        return {name: float(Fraction(row["width"])) for name, row in rows.items()}

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the invariants that are held, as `AttractedSet.levels` has them."""
        return tuple(self.held)

    @cached_property
    def extent(self) -> dict[str, tuple[float, float]]:
        """Intervals of the shapes."""
        found = extent_of(self._proved)
        return {k: (float(Fraction(str(a))), float(Fraction(str(b)))) for k, (a, b) in found.items()}

    @property
    def cells(self) -> list[dict[str, tuple[float, float]]]:
        """The cells of shapes over which the set lies."""
        region = self._proved
        labels = [region.energy.question.labels[i] for i in region.energy.shapes]
        sides = (node.cell for node in region.inside)
        return [
            {
                k: (float(Fraction(str(a))), float(Fraction(str(b))))
                for k, (a, b) in zip(labels, cell, strict=True)
            }
            for cell in sides
        ]

    def boxes(self, pieces: int | None = None) -> list[dict[str, tuple[float, float]]]:
        r"""Intervals of all states, box by box: the region lies in the union of the boxes.

        Over a piece of a cell of shapes the velocities are bounded by the level,
        :math:`\{w : V(s, w) \le c,\ |C(s, w) - C(e)| \le \delta\}`, in balls; pieces over which nothing lies
        below the level are left out, and doubles are rounded outwards.

        Parameters
        ----------
        pieces : int, optional
            From 1 to 1024: sides along shapes are at most this part of the extent; 64 for one shape, 16 for
            two, 8 for more of them. Many pieces of many shapes take minutes.

        Returns
        -------
        list of dict of label -> (low, high)

        Raises
        ------
        InputError
            If ``pieces`` is no such number.
        CertificateError
            If velocities are not bounded over a piece.

        Examples
        --------
        >>> import sympy as sp
        >>> import geoctrl as gc
        >>> pendulum = gc.EulerPoincare(
        ...     algebra=None, shape=[phi := gc.Coordinate("phi", angle=True)], inertia=[[2]],
        ...     potential=-3 * sp.cos(phi.symbol), name="pendulum").reduce()
        >>> roa = gc.region_of_attraction(pendulum, pendulum.state())
        >>> 6**0.5 - 0.01 < max(box["phi_dot"][1] for box in roa.boxes()) < 6**0.5 + 0.01
        True
        """
        if pieces is None:
            pieces = PIECES.get(len(self._proved.energy.shapes), FEW)
        whole_number("pieces", pieces, 1, 1024)
        return boxes_of(self._proved, pieces)

    def _holds(self, state: list[fmpq | arb]) -> bool:
        return lies_in(self._proved, state, SLACK)

    def __repr__(self) -> str:
        extent = ", ".join(f"{k} in [{a:.4g}, {b:.4g}]" for k, (a, b) in self.extent.items())
        return f"<RegionOfAttraction of {self.system}: {self.lyapunov} <= {self.level:.6g}, {extent}>"


def region_of_attraction(
    sys: ReducedSystem,
    eq: Any,
    limits: Mapping[str, float] | None = None,
    params: Mapping[str, float] | None = None,
    widths: Mapping[str, float] | None = None,
    depth: int | None = None,
    by: str | None = None,
    degree: int | None = None,
) -> RegionOfAttraction | AttractedSet:
    r"""Prove that motions which begin in a set about an equilibrium stay in it for ever, or tend to the
    equilibrium.

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

    By squares, a quadratic function :math:`V = y^T P y` of the deviations y of states, and of sines and
    cosines of angles, is searched for together with an identity of polynomials,

    .. math:: -\dot V = w^T Q w + (1 - V)\, w_0^T Q_0 w_0 + \sum_k h_k\, w_k^T Q_k w_k + \sum_j m_j r_j,

    with positive definite rational matrices, w's monomials, :math:`r_j = 0` the equations of motion, of
    the leaf and of levels of invariants, and :math:`h_k \ge 0` polynomial bounds of sines, cosines and
    quadratures: where :math:`V \le 1`, V falls except at the point, and motions tend to it. The search is
    one in doubles (Parrilo 2000; Tan and Packard, IEEE Trans. Autom. Control 53 (2008) 565); the identity
    is made exact (Peyrl and Parrilo, Theor. Comput. Sci. 409 (2008) 269) and checked as one of
    polynomials. Nothing needs to be conserved: laws of `lqr` and `place` have such sets.

    Parameters
    ----------
    sys : ReducedSystem
        Without inputs, or with these constant: a closed loop, perhaps with damping.
    eq : Equilibrium, state ``x`` or pair ``(x, u)``
        With exact numbers.
    limits : dict of output -> bound, optional
        Outputs of the loop, as torques of its law, that stay within bounds in the set.
    params : dict, optional
    widths : dict of name -> half width, optional
        How far the levels of held invariants may be from those of the equilibrium, all at once; 1e-6 of the
        value there, or of one, by default.
    depth : int, optional
        Halvings of each side of the box in which cells are looked for, by the energy.
    by : "energy" or "squares", optional
        By default the energy, and squares where it proves nothing.
    degree : 2 or 3, optional
        Of the monomials of sums of squares; by default 3 where 2 shows nothing. With 3 a search takes
        minutes.

    Returns
    -------
    RegionOfAttraction
        By the energy: motions stay.
    AttractedSet
        By squares: motions stay, and tend to the equilibrium.

    Raises
    ------
    InputError
        For limits or widths that are no positive numbers, a depth that is no whole number from 1 to 24,
        another ``by`` or ``degree``.
    ParameterError
        For an unknown output, invariant or parameter.
    EquilibriumError
        If the point is not an equilibrium.
    CertificateError
        If no function with such a set is found, with the reason for each one that was tried.

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
    bounds = _positive("limits", limits, system.output_labels, "output")
    if depth is not None:
        whole_number("depth", depth, 1, 24)
    if by is not None:
        require_choice("by", by, (ENERGY, SQUARES))
    if degree is not None:
        whole_number("degree", degree, *DEGREES)
    point = resolve_equilibrium(system, eq, params)
    given = _positive("widths", widths, system.candidate_invariants, "invariant")
    reasons: list[str] = []
    if by != SQUARES:
        found = _by_energy(system, point, bounds, given, depth)
        if isinstance(found, RegionOfAttraction):
            return found
        reasons = found
    if by != ENERGY:
        try:
            return attracted_set(system, point, bounds, degree)
        except CertificateError as error:
            reasons.append(str(error))
    raise CertificateError(f"no region is proved about this point: {'; '.join(reasons)}")


class _Closed(NamedTuple):
    """A level that closes in a box: the problem, the level, the tree of its cells, and why it is no higher."""

    data: dict[str, Any]
    level: fmpq
    tree: str
    reason: str

    def judged(self) -> Region:
        """The region, as the checker finds it."""
        return judge_sublevel(read_sublevel(self.data), self.level, self.tree)


def _by_energy(
    system: ReducedSystem,
    point: Equilibrium,
    bounds: Mapping[str, Fraction],
    widths: Mapping[str, Fraction],
    depth: int | None,
) -> RegionOfAttraction | list[str]:
    """The region of the first function that has one, or why there is none."""
    reasons = []
    try:
        for question in questions(system, point, bounds, widths):
            found = _attempt(system.name, question, depth, bool(bounds), angles_at(point.exact))
            if isinstance(found, RegionOfAttraction):
                return found
            asked = question.data["sublevel"]
            reasons.append(f"by {'-' if asked['sense'] < 0 else ''}{asked['energy']}, {found}")
    except Refusal as refusal:
        reasons.append(str(refusal))
    return list(dict.fromkeys(reasons)) or ["no energy is conserved, or falls by squares"]


def _positive(name: str, given: Any, known: Any, what: str) -> dict[str, Fraction]:
    """Positive numbers by names that are known."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"{name} must be a dict of {what} -> number, got {shown(given)}")
    found = {}
    for key, value in given.items():
        if key not in known:
            raise ParameterError(f"no {what} {shown(key)}{nearest(key, known)}")
        found[key] = exact(value, f"{name}[{key!r}]", InputError)
        if not found[key] > 0:
            raise InputError(f"{name}[{key!r}] must be positive, got {shown(value)}")
    return found


def _attempt(
    system: str, question: Question, depth: int | None, limited: bool, angles: Mapping[int, ExactAngle]
) -> RegionOfAttraction | str:
    """The region of one function, or why there is none."""
    halvings = depth or DEPTHS.get(len(question.shapes), FEW)

    def closed(sides: Sides) -> _Closed:
        data = _boxed(question, sides)
        level, tree, reason = highest_level(Energy(read_sublevel(data)), halvings, limited)
        return _Closed(data, level, tree, reason)

    best: _Closed | None = None
    for doubled in range(DOUBLINGS):
        try:
            found = closed(_sides(question, SIDE << doubled))
        except Refusal as refusal:
            if best is None:
                return str(refusal) or "none is found"
            break
        # In a larger box the cells are coarser, and the level may be lower.
        if best is not None and found.level <= best.level:
            break
        best = found
        if "reaches the side" not in found.reason or None not in question.shapes.values():
            break
    assert best is not None
    try:
        region = best.judged()
        if None in question.shapes.values():
            best, region = _nearer(best, region, closed)
    except Refusal as refusal:
        return str(refusal)
    return _written(system, best, region, angles)


def _nearer(best: _Closed, region: Region, closed: Callable[[Sides], _Closed]) -> tuple[_Closed, Region]:
    """The region in a box of its own size, where its cells are smaller, if it has a higher level there."""
    hull = {k: (Fraction(str(a)), Fraction(str(b))) for k, (a, b) in extent_of(region).items()}
    try:
        found = closed({k: ((9 * a - b) / 8, (9 * b - a) / 8) for k, (a, b) in hull.items()})
        return (found, found.judged()) if found.level > best.level else (best, region)
    except Refusal:
        return best, region


def _sides(question: Question, side: int) -> Sides:
    """The box: of shapes that the leaf bounds by their bounds, of others about the point."""
    box = {}
    for label, bound in question.shapes.items():
        if bound is not None:
            box[label] = (-bound * Fraction(9, 8), bound * Fraction(9, 8))
        else:
            middle = question.middles[label]
            box[label] = (middle - side, middle + side)
    return box


def _boxed(question: Question, sides: Sides) -> dict[str, Any]:
    """The problem with its box."""
    box = {k: [str(a), str(b)] for k, (a, b) in sides.items()}
    return question.data | {"sublevel": question.data["sublevel"] | {"box": box}}


def _written(
    system: str, closed: _Closed, region: Region, angles: Mapping[int, ExactAngle]
) -> RegionOfAttraction:
    from geoctrl import __version__

    content = {
        "format": SUBLEVEL_FORMAT,
        "version": checker.VERSION,
        "software": f"geoctrl {__version__}",
        "system": system,
        "verdict": Verdict.PROVED_INVARIANT.value,
        "claim": claim_of_sublevel(system, region),
        "problem": closed.data,
        "level": str(region.level),
        "cells": closed.tree,
    }
    return RegionOfAttraction(content, angles, closed.reason, region)
