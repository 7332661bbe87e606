"""Sets from which motions tend to an equilibrium, by a Lyapunov function that is searched for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, fmpq

from geoctrl._checks import whole_number
from geoctrl.analysis.falling_quadratic import DEGREES, MARGIN, FallingQuadratic, Proof
from geoctrl.analysis.problem import Problem
from geoctrl.analysis.proved_set import SLACK, ProvedSet
from geoctrl.analysis.rounded_squares import in_exact_numbers
from geoctrl.analysis.semidefinite import require_solver
from geoctrl.analysis.sublevel_problem import kept_functions, with_sides
from geoctrl.checker.jets import to_float
from geoctrl.checker.reading import VERSION, Refusal
from geoctrl.checker.squares.file import (
    ATTRACTED,
    PIECES,
    SQUARES,
    SQUARES_FORMAT,
    Attraction,
    claim_of_attraction,
    extent_of,
    judge_attraction,
    lies_in,
    measured_words,
    read_attraction,
)
from geoctrl.checker.squares.setting import Setting
from geoctrl.errors import CertificateError
from geoctrl.systems import Equilibrium, ReducedSystem
from geoctrl.systems.angles import ExactAngle, angles_at

__all__ = ["AttractedSet", "attracted_set"]

LEVELS = 8
"""At which a set is looked for, each half of the last, where rates or the domain do not allow more."""
_KEYS = [key.removesuffix("?") for key in SQUARES]


@dataclass(frozen=True, eq=False)
class AttractedSet(ProvedSet):
    r"""A set of states from which motions tend to an equilibrium.

    Made by `region_of_attraction`. With what is measured y, deviations of states and of sines and cosines of
    angles from the point, the set is :math:`V = y^T P y \le 1` on the leaf and on the levels of `levels`.

    Attributes
    ----------
    system : str
    point : dict of label -> float
        The equilibrium.
    level : float
        One.
    lyapunov : str
        The function, with six digits of its coefficients.
    matrix : ndarray
        P.
    measured : tuple of str
        Names of the components of y.
    tends : str
        What motions tend to: the equilibrium.
    levels : tuple of str
        Invariants that have their values at the equilibrium in the set.
    extent : dict of label -> (low, high)
        Intervals of the states in which the set lies.
    limits : dict of label -> float
        Outputs that are proved to stay within these bounds there.
    verdict : Verdict
        PROVED_ATTRACTED.
    claim : str
    data : dict
        Everything that the file holds.
    """

    data: dict[str, Any] = field(repr=False)
    angles: Mapping[int, ExactAngle] = field(default_factory=dict, repr=False)
    _found: Attraction | None = field(default=None, repr=False)

    @cached_property
    def _proved(self) -> Attraction:
        if self._found is not None:
            return self._found
        return judge_attraction(read_attraction(self.data["problem"]), self.data["proof"])

    @property
    def level(self) -> float:
        """The level below which the set lies."""
        return float(Fraction(self.data["proof"]["level"]))

    @property
    def point(self) -> dict[str, float]:
        """The equilibrium, by labels of states."""
        return {k: to_float(v) for k, v in read_attraction(self.data["problem"])["states"].items()}

    @property
    def measured(self) -> tuple[str, ...]:
        """Names of what the function is made of."""
        return tuple(self.data["proof"]["measured"])

    @cached_property
    def matrix(self) -> np.ndarray:
        """P."""
        return np.array([[to_float(c) for c in row] for row in self._proved.fall.matrix])

    @property
    def lyapunov(self) -> str:
        """The function in the deviations of what is measured."""
        P, names = self.matrix, [f"d[{name}]" for name in self.measured]
        terms = [
            f"{P[i, j] * (1 if i == j else 2):.6g}*{names[i]}*{names[j]}"
            for i in range(len(P))
            for j in range(i, len(P))
            if P[i, j]
        ]
        return " + ".join(terms).replace("+ -", "- ")

    @property
    def tends(self) -> str:
        """What motions of the set tend to, in words."""
        return "the equilibrium"

    @property
    def levels(self) -> tuple[str, ...]:
        """Invariants at their values at the equilibrium."""
        return tuple(self.data["problem"]["levels"])

    @cached_property
    def extent(self) -> dict[str, tuple[float, float]]:
        """Intervals of the states."""
        return {k: _outwards(a, b) for k, (a, b) in extent_of(self._proved.parts).items()}

    def boxes(self, pieces: int | None = None) -> list[dict[str, tuple[float, float]]]:
        """Intervals of states, box by box: the set lies in the union of the boxes.

        Parameters
        ----------
        pieces : int, optional
            From 1 to 1024: of each side along states that the leaf or sines and cosines depend on.

        Returns
        -------
        list of dict of label -> (low, high)

        Raises
        ------
        InputError
            If ``pieces`` is no such number.
        """
        parts = self._proved.parts
        if pieces is None:
            pieces = PIECES.get(parts.curved, 8)
        whole_number("pieces", pieces, 1, 1024)
        point = {k: (v, v) for k, v in self.point.items()}
        return [
            point | {k: _outwards(a.fmpq(), b.fmpq()) for k, (a, b) in cell.items()}
            for cell in parts.cells(pieces)
        ]

    def _holds(self, state: list[fmpq | arb]) -> bool:
        return lies_in(self._proved.parts, state, SLACK)

    def __repr__(self) -> str:
        extent = ", ".join(f"{k} in [{a:.4g}, {b:.4g}]" for k, (a, b) in self.extent.items())
        return f"<AttractedSet of {self.system}: V <= {self.level:g}, {extent}>"


def attracted_set(
    system: ReducedSystem, point: Equilibrium, limits: Mapping[str, Fraction], degree: int | None
) -> AttractedSet:
    """The set that is found about an equilibrium; see `region_of_attraction`.

    Raises
    ------
    CertificateError
        If none is found, with the reasons; if Clarabel is not installed.
    """
    require_solver()
    problem = Problem.of(system.seen_from(point.spin), point)
    if problem is None:
        raise CertificateError("by squares, its equations are not recorded")
    stored, parts = with_sides(system, problem, problem.question(), limits)
    data = {k: v for k, v in stored.data.items() if k in _KEYS} | parts | {"kind": "attraction"}
    try:
        kept = kept_functions(stored)
    except Refusal as refusal:
        raise CertificateError(f"by squares, {refusal}") from None
    reasons = []
    for levels in ([], kept) if kept else ([],):
        asked = data | {"levels": levels}
        for part in ("invariants", "weights"):
            asked[part] = {k: v for k, v in data[part].items() if k in levels or k in data["leaf"]}
        held = f" on the levels of {', '.join(levels)}" if levels else ""
        for size in DEGREES if degree is None else (degree,):
            try:
                found = _found(system.name, asked, size, angles_at(point.exact))
            except (CertificateError, Refusal) as reason:
                reasons.append(f"by squares{held}, {reason}")
                break
            if isinstance(found, AttractedSet):
                return found
            reasons.append(f"by squares{held}, {found}")
    raise CertificateError("; ".join(dict.fromkeys(reasons)))


def _found(
    name: str, data: dict[str, Any], degree: int, angles: Mapping[int, ExactAngle]
) -> AttractedSet | str:
    """The set by monomials of a degree, or why these show none."""
    from geoctrl import __version__

    problem = read_attraction(data)
    setting = Setting(problem)
    found: Attraction | str = (
        f"sums of squares of degree {degree} do not show the first function to fall in any set"
    )
    # What the solver does not resolve may be lost in rounding: then it is searched for with a margin.
    for margin in (0.0, MARGIN):
        search = FallingQuadratic(setting, degree, margin)
        if (proof := search()) is None:
            break
        found, proposal = _rounded(search, problem, proof)
        if isinstance(found, Attraction):
            break
    if not isinstance(found, Attraction):
        return found
    content = {
        "format": SQUARES_FORMAT,
        "version": VERSION,
        "software": f"geoctrl {__version__}",
        "system": name,
        "verdict": ATTRACTED,
        "claim": claim_of_attraction(name, found.parts),
        "problem": data,
        "proof": proposal,
    }
    return AttractedSet(content, angles, found)


def _rounded(
    search: FallingQuadratic, problem: dict[str, Any], proof: Proof
) -> tuple[Attraction | str, dict[str, Any]]:
    """The set of a proof in doubles or of a smaller level, or why there is none; and its proposal."""
    found, proposal = _judged(search, problem, proof)
    for _ in range(LEVELS):
        if isinstance(found, Attraction):
            break
        # What holds at the point holds near it.
        if (smaller := search.smaller(proof)) is None:
            break
        proof = smaller
        found, proposal = _judged(search, problem, proof)
    return found, proposal


def _judged(
    search: FallingQuadratic, problem: dict[str, Any], proof: Proof
) -> tuple[Attraction | str, dict[str, Any]]:
    """What is proved by a proof in exact numbers, or why nothing is; and the proposal."""
    proposal = in_exact_numbers(search, proof)
    if proposal is None:
        return "what rounding leaves is not in the sums of squares", {}
    proposal |= {"measured": measured_words(search.setting)}
    try:
        return judge_attraction(problem, proposal), proposal
    except Refusal as refusal:
        return str(refusal), proposal


def _outwards(low: fmpq, high: fmpq) -> tuple[float, float]:
    """Doubles around an interval."""
    a, b = to_float(low), to_float(high)
    return (a if a == b else float(np.nextafter(a, -np.inf))), (
        b if a == b else float(np.nextafter(b, np.inf))
    )
