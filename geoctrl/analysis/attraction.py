"""Regions that motions about an equilibrium do not leave, each with a certificate that is checked without a
search.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from flint import fmpq

from geoctrl import checker
from geoctrl._checks import file_path, nearest, whole_number
from geoctrl._scalars import exact, shown
from geoctrl.analysis.attraction_boxes import boxes_of
from geoctrl.analysis.levels import highest_level
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
from geoctrl.systems import ReducedSystem, as_system
from geoctrl.systems.points import resolve_equilibrium
from geoctrl.verification import Verdict

__all__ = ["RegionOfAttraction", "region_of_attraction"]

SLACK = fmpq(1, 10**9)
"""Of relations of the leaf, within which a state in doubles counts as on it."""
SIDE, DOUBLINGS = 4, 6
"""Half a side of the box along a shape that nothing bounds, at first, and how often it is doubled."""
DEPTHS = {1: 14, 2: 12}
"""Halvings of each side of the box by the number of shapes; fewer for more of them."""
PIECES = {1: 64, 2: 16}
"""Of the extent along each shape, in pictures."""
FEW = 8


@dataclass(frozen=True, eq=False)
class RegionOfAttraction:
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
    def verdict(self) -> Verdict:
        """PROVED_INVARIANT: motions that begin in the set stay in it for ever."""
        return Verdict(self.data["verdict"])

    @property
    def level(self) -> float:
        """The level below which the set lies."""
        return float(Fraction(self.data["level"]))

    @property
    def system(self) -> str:
        """The name of the system."""
        return self.data["system"]

    @property
    def point(self) -> dict[str, float]:
        """The equilibrium, by labels of states."""
        states = read_sublevel(self.data["problem"])["states"]
        return {k: to_float(v) for k, v in states.items()}

    @property
    def claim(self) -> str:
        """What is claimed, in words."""
        return self.data["claim"]

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
    def limits(self) -> dict[str, float]:
        """Bounds of outputs."""
        return {k: float(Fraction(row["bound"])) for k, row in self.data["problem"]["limits"].items()}

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

    def contains(self, x: Any) -> bool | np.ndarray:
        """Whether states are proved to be in the set.

        Parameters
        ----------
        x : array_like, (n,) or (n, N)
            Doubles are the rationals that they are; relations of the leaf hold up to 1e-9.

        Returns
        -------
        bool, or array of bool (N,)

        Raises
        ------
        InputError
            If x has another shape, or is not finite.
        """
        labels = self._proved.energy.question.labels
        states = np.asarray(x, dtype=float)
        if states.ndim not in (1, 2) or len(states) != len(labels):
            raise InputError(
                f"x must have shape ({len(labels)},) or ({len(labels)}, N), {', '.join(labels)}; "
                f"got {states.shape}"
            )
        if not np.all(np.isfinite(states)):
            raise InputError("x must be finite")
        columns = states.reshape(len(labels), -1).T
        found = [
            lies_in(self._proved, [fmpq(*float(v).as_integer_ratio()) for v in column], SLACK)
            for column in columns
        ]
        return found[0] if states.ndim == 1 else np.array(found, dtype=bool)

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

    def plot(self, x: str | None = None, y: str | None = None, ax: Any = None, **options: Any) -> Any:
        """The region over two states, with runs where they are given: `geoctrl.viz.attraction`."""
        return import_module("geoctrl.viz").attraction(self, x, y, ax=ax, **options)  # a floor above

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready content of the file, digest included."""
        return copy.deepcopy(self.data) | {"digest": checker.digest_of(self.data)}

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text; written to ``path`` where one is given; TypeError if that is no path."""
        text = json.dumps(self.to_dict())
        if path is not None:
            file_path(path).write_text(text + "\n", encoding="utf-8")
        return text

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
) -> RegionOfAttraction:
    r"""Prove that motions which begin in a set about an equilibrium stay in it for ever.

    The function is the energy with its sign, :math:`V = \pm E`, conserved or falling along the motion. States
    are shapes s (coordinates, advected vectors) and velocities w, in which V is of degree two. With
    invariants :math:`C_i` that are linear in w held at their levels,
    or in the function with multipliers, velocities are eliminated exactly,

    .. math:: V_{\min}(s) = \min_w \{V(s, w) : C(s, w) = C(e)\},

    and a union K of cells of shapes is found with :math:`V_{\min} > c` on the cells around it. What begins
    with :math:`V \le c` over K cannot leave it: the boundary of K is crossed above c alone. Over K
    everything has values, accelerations are determined, the domain of the model does not end. The level
    is the highest one next to which the set reaches another critical point, the end of the domain, or
    outputs beyond their limits.

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
        Halvings of each side of the box in which cells are looked for.

    Returns
    -------
    RegionOfAttraction

    Raises
    ------
    InputError
        For limits or widths that are no positive numbers, or a depth that is no whole number from 1 to 24.
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
    point = resolve_equilibrium(system, eq, params)
    given = _positive("widths", widths, system.candidate_invariants, "invariant")
    reasons = []
    try:
        for question in questions(system, point, bounds, given):
            found = _attempt(system.name, question, depth, bool(bounds))
            if isinstance(found, RegionOfAttraction):
                return found
            asked = question.data["sublevel"]
            reasons.append(f"by {'-' if asked['sense'] < 0 else ''}{asked['energy']}, {found}")
    except Refusal as refusal:
        reasons.append(str(refusal))
    why = "; ".join(dict.fromkeys(reasons)) or "no energy is conserved, or falls by squares"
    raise CertificateError(f"no region is proved about this point: {why}")


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


def _attempt(system: str, question: Question, depth: int | None, limited: bool) -> RegionOfAttraction | str:
    """The region of one function, or why there is none."""
    halvings = depth or DEPTHS.get(len(question.shapes), FEW)
    best: tuple[fmpq, str, str, dict[str, Any]] | None = None
    reason = ""
    side = SIDE
    for _ in range(DOUBLINGS):
        data = _boxed(question, side)
        try:
            energy = Energy(read_sublevel(data))
            level, tree, reason = highest_level(energy, halvings, limited)
        except Refusal as refusal:
            reason = str(refusal)
            break
        best = level, tree, reason, data
        if "reaches the side" not in reason or None not in question.shapes.values():
            break
        side *= 2
    if best is None:
        return reason or "none is found"
    level, tree, reason, data = best
    try:
        region = judge_sublevel(read_sublevel(data), level, tree)
    except Refusal as refusal:
        return str(refusal)
    return _written(system, data, region, tree, reason)


def _boxed(question: Question, side: int) -> dict[str, Any]:
    """The problem with its box."""
    box = {}
    for label, bound in question.shapes.items():
        if bound is not None:
            box[label] = (-bound * Fraction(9, 8), bound * Fraction(9, 8))
        else:
            middle = question.middles[label]
            box[label] = (middle - side, middle + side)
    sides = {k: [str(a), str(b)] for k, (a, b) in box.items()}
    return question.data | {"sublevel": question.data["sublevel"] | {"box": sides}}


def _written(system: str, data: dict[str, Any], region: Region, tree: str, reason: str) -> RegionOfAttraction:
    from geoctrl import __version__

    content = {
        "format": SUBLEVEL_FORMAT,
        "version": checker.VERSION,
        "software": f"geoctrl {__version__}",
        "system": system,
        "verdict": Verdict.PROVED_INVARIANT.value,
        "claim": claim_of_sublevel(system, region),
        "problem": data,
        "level": str(region.level),
        "cells": tree,
    }
    return RegionOfAttraction(content, reason, region)
