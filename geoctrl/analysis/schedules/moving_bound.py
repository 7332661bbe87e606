"""How near the linear part of a loop stays to an equilibrium that a parameter moves: a proof with a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl import checker
from geoctrl._calls.long_calls import long_call, tell
from geoctrl._checks import nearest
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact, shown
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.certificates.proof_file import ProofFile, heading
from geoctrl.analysis.maps.family_over_axes import FamilyOverAxes
from geoctrl.analysis.maps.map_witnesses import MapWitnesses
from geoctrl.analysis.maps.region_problem import axes_of, region_problem
from geoctrl.analysis.maps.region_proofs import ProofChart, ProofSamples, independent_chart
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.schedules.falling_forms import LinearisationSamples, falling_form
from geoctrl.checker.limits import Refusal
from geoctrl.checker.maps.file import MAP_WITNESS, PROBLEM
from geoctrl.checker.maps.members import Members
from geoctrl.checker.maps.region import halves, whole
from geoctrl.checker.reader import FORMAT, conform
from geoctrl.checker.schedules.file import HALVED, MOVING, SHOWN, MovingLinearPart
from geoctrl.decisions.reading.problem_reader import Refusal as SearchRefusal
from geoctrl.errors import CertificateError, EquilibriumError, InputError, ParameterError
from geoctrl.systems import ReducedSystem, as_system
from geoctrl.verification import Verdict

__all__ = ["MovingBound", "bound_while_moving"]

_DEGREES = 2, 4, 8
"""Of P, tried in turn."""
_SHARES = tuple(0.85**k for k in range(1, 30))
"""Of the slowest decay at a point that stands still: those that are tried for a."""
_POINTS, _FEW, _DENSE = 9, 4, 10
"""Points of the axis that moves beside four times the degree; of others; how much denser bounds are read."""
_BITS, _DIGITS, _MORE = 44, 3, Fraction(101, 100)
"""Of entries of P beside the largest; of numbers that are told; by how much bounds are larger than seen."""
_DEPTH, _CELLS = 14, 4000
"""Halvings of the axes, and cells, at most."""


@dataclass(frozen=True, eq=False, repr=False)
class MovingBound(ProofFile):
    r"""What is proved of the linear part of a loop while a parameter s moves; made by `GainSchedule.certify`.

    For every s(t) within its range with :math:`|\dot s| \le r` the deviations e from the equilibrium at s
    obey :math:`|e(t)|_P \le e^{-a t} |e(0)|_P + c r/a` in the time-varying linear part of the motion.

    Attributes
    ----------
    rate : float
        r.
    decay : float
        a (1/s).
    reach : float
        c, by which the norm of the equilibrium's derivative by s is bounded.
    deviations : dict of state -> float
        Where they end whatever the start was: bounds of \|e_i\| once the first term has gone.
    verdict : Verdict
        PROVED_BOUNDED.
    claim : str
        The checker's sentence.
    data : dict
        What the file holds.
    """

    rate: float
    decay: float
    reach: float
    deviations: dict[str, float]
    verdict: Verdict
    claim: str
    data: dict[str, Any]

    def form(self, s: float) -> np.ndarray:
        """P at a value of the parameter (k, k), by the states of ``deviations``."""
        theorem = self.data["theorem"]
        low, high = (Fraction(q) for q in theorem["axes"][theorem["moves"]])
        t = (exact(s, "s", InputError) - (low + high) / 2) / ((high - low) / 2)
        rows = [
            [float(sum(Fraction(c) * t**k for k, c in enumerate(e))) for e in row] for row in theorem["P"]
        ]
        n = range(len(rows))
        return np.array([[rows[max(i, j)][min(i, j)] for j in n] for i in n])

    def _lines(self) -> list[str]:
        ends = ", ".join(f"{k} {v:.3g}" for k, v in self.deviations.items())
        moves = self.data["theorem"]["moves"]
        return [
            f"<MovingBound {self.verdict.value}: |d{moves}/dt| <= {self.rate:g}, decay {self.decay:g} /s>",
            f"  deviations end within {ends}",
        ]

    full = full_text
    __repr__ = short_form


@long_call
def bound_while_moving(
    sys: ReducedSystem,
    family: str,
    moves: str,
    interval: tuple[float, float],
    rate: float,
    *,
    decay: float | None = None,
    axes: Mapping[str, tuple[float, float]] | None = None,
    params: Mapping[str, Any] | None = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> MovingBound:
    r"""Prove how near the linear part of a loop stays to a member of a family that a parameter moves.

    With B(s) the linearisation in the states that the leaf leaves free, P(s) > 0 is searched for as a
    polynomial (a convex problem at points of the range), and then

    .. math:: -(P B + B^T P) - 2 a P \pm r P' > 0, \qquad x_e'^T P\, x_e' < c^2

    are proved for all s of the range, in exact arithmetic by matrices of Bernstein's coefficients; with these
    :math:`|e(t)|_P \le e^{-a t} |e(0)|_P + c r/a`. Nothing is said of the nonlinear loop.

    Parameters
    ----------
    sys : ReducedSystem
        A loop, without inputs.
    family : str
    moves : str
        The parameter s of the system that moves.
    interval : (low, high)
        What it stays in.
    rate : float
        r, the largest :math:`|\dot s|`.
    decay : float, optional
        a; by default one that makes :math:`c r/a` small.
    axes : dict of name -> (low, high), optional
        Parameters and symbols that stand still, anywhere within these.
    params : dict, optional
        Of the others, as of `certify_region`.
    progress, seconds
        As of `certify`.

    Raises
    ------
    InputError, ParameterError
        For rates that are not positive, a system with inputs, and what `certify_region` refuses.
    EquilibriumError
        If the members are not proved to be equilibria on the leaf.
    CertificateError
        If the loop is not stable at some s that stands still, or no form is found that is proved to fall.

    Examples
    --------
    >>> import geoctrl as gc
    >>> import sympy as sp
    >>> x, s = gc.Coordinate("x"), gc.Parameter("s", 0.0)
    >>> cart = gc.EulerPoincare(
    ...     name="pulled cart", shape=[x], inertia=[[1]], parameters=[s],
    ...     potential=(x.symbol - s.symbol) ** 2 / 2, forces=[-x.rate],
    ...     equilibria={"pulled": gc.Family({"x": s.symbol})},
    ... ).reduce()
    >>> bound = bound_while_moving(cart, "pulled", "s", (-1, 1), rate=0.1)
    >>> bound.verdict.value, bound.deviations["x"] < 1
    ('PROVED_BOUNDED', True)
    """
    plant = as_system(sys, "a bound while a parameter moves", recorded=True)
    if not isinstance(family, str) or family not in plant.families:
        raise ParameterError(f"no equilibrium family {shown(family)}{nearest(family, plant.families)}")
    if plant.input_labels:
        raise InputError(
            f"a loop has no inputs, and {plant.name or 'the system'} has {', '.join(plant.input_labels)}; "
            "give them a law first"
        )
    known = [p.name for p in plant.mechanism.parameters]
    if moves not in known:
        raise ParameterError(f"what moves is a parameter, got {shown(moves)}{nearest(str(moves), known)}")
    numbers = {
        name: _positive(value, name)
        for name, value in (("rate", rate), ("decay", decay))
        if value is not None
    }
    if "rate" not in numbers:
        raise InputError("rate must be a positive number, got None")
    intervals = axes_of(plant, family, {moves: interval, **dict(axes or {})})
    tell("equations over the axes")
    try:
        data, members = region_problem(plant, family, intervals, params)
        chart = independent_chart(members, list(members.leaf), ProofSamples(members))
        if {*chart.rows} != {*members.leaf}:
            raise CertificateError("the relations of the leaf depend on each other: this is not decided here")
        search = _MovingQuestion(plant, family, moves, data, members, chart)
    except SearchRefusal as refusal:
        raise EquilibriumError(
            f"the members of {family!r} are not proved to be equilibria on the leaf for all values of the "
            f"axes ({refusal})"
        ) from None
    except (Refusal, NotSolved) as refusal:
        raise CertificateError(f"the equations cannot be reduced over these axes: {refusal}") from None
    return search.least_bound(numbers["rate"], numbers.get("decay"))


def _positive(value: Any, name: str) -> Fraction:
    read = exact(value, name, InputError)
    if read <= 0:
        raise InputError(f"{name} must be a positive number, got {shown(value)}")
    return read


class _MovingQuestion:
    """The question as a file has it, and numbers for the search."""

    def __init__(
        self,
        plant: ReducedSystem,
        family: str,
        moves: str,
        data: dict[str, Any],
        members: FamilyOverAxes,
        chart: ProofChart,
    ) -> None:
        self._moves, self._members = moves, members
        if not chart.kernel.free:
            raise CertificateError("the leaf is the point alone: nothing deviates")
        self._free = [members.labels[i] for i in chart.kernel.free]
        self._motion = members.motion(chart.kernel)
        velocity = members.velocity(moves)
        self._velocity = [velocity[i] for i in chart.kernel.free]
        witnesses = MapWitnesses(data, members, [])
        written = witnesses.chart(chart)
        content = witnesses.content(list(data["axes"]))
        given = {key: content["theorem"][key] for key in ("axes", "symbols", "domain")}
        self._theorem = given | {
            "name": "moving member",
            "family": family,
            "moves": moves,
            "chart": {key: written[key] for key in ("rows", "free", "inverse")},
        }
        try:
            self._read_members(content)
        except Refusal:
            content = witnesses.with_roots(content)
        self._content = {**heading(FORMAT, plant.name), **content}

    def _read_members(self, content: dict[str, Any]) -> Members:
        shapes = {"problem": PROBLEM, "witness": MAP_WITNESS}
        problem, witness = (conform(content[k], shape, k) for k, shape in shapes.items())
        asked = {"axes", "symbols", "domain"}
        given = conform({k: self._theorem[k] for k in asked}, {k: MOVING[k] for k in asked}, "theorem")
        return Members(problem, witness, given)

    def _samples(self, count: int) -> LinearisationSamples:
        """The linearisation at points of Chebyshev and Lobatto of what moves, and at some of other axes."""
        axes = self._members.region["axes"]
        t = np.cos(np.pi * np.arange(count) / (count - 1))
        places = []
        for name, (low, high) in axes.items():
            here = t if name == self._moves else np.linspace(-1, 1, _FEW)
            places.append(float((low + high) / 2) + float((high - low) / 2) * here)
        at = ProofSamples(self._members, places=places)
        low, high = axes[self._moves]
        column = np.meshgrid(*places, indexing="ij")[list(axes).index(self._moves)].ravel()
        half = float((high - low) / 2)
        v = np.array([at(q) * np.ones(at.count) for q in self._velocity]).T
        B = at.matrices(self._motion)
        if not (np.all(np.isfinite(B)) and np.all(np.isfinite(v))):
            raise CertificateError("the equations have a pole in the range, or are not defined there")
        return LinearisationSamples((column - float((low + high) / 2)) / half, B, v, half)

    def least_bound(self, rate: Fraction, decay: Fraction | None) -> MovingBound:
        """The bound, with P of the least degree that is found."""
        dense = self._samples(_DENSE * _POINTS)
        if dense.slowest <= 0:
            raise CertificateError(
                f"the loop is not stable where {self._moves} stands still: at a value of the range an "
                f"eigenvalue has the real part {-dense.slowest:.3g}; law.certify() tells where"
            )
        if decay is not None and decay >= dense.slowest:
            raise CertificateError(
                f"no decay of {float(decay):g} /s: where {self._moves} stands still the slowest is "
                f"{dense.slowest:.6g} /s"
            )
        tried = [decay] if decay is not None else [_few_digits(share * dense.slowest) for share in _SHARES]
        for degree in _DEGREES:
            tell(f"forms of degree {degree}")
            samples = self._samples(4 * degree + _POINTS)
            for a, P in self._forms(samples, rate, tried, degree):
                theorem = self._theorem_of(P, rate, a, dense)
                if (cells := self._cells(theorem)) is not None:
                    return self._confirmation(theorem | {"cells": cells})
        raise CertificateError(
            f"no quadratic form is found that falls while {self._moves} moves at {float(rate):g} per second; "
            "ask for a smaller rate, for less decay or for a part of the range"
        )

    @staticmethod
    def _forms(
        at: LinearisationSamples, rate: Fraction, tried: Sequence[Fraction], degree: int
    ) -> Iterator[tuple[Fraction, np.ndarray]]:
        """Values of a with forms, the least bound first."""
        found = []
        for a in tried:
            form = falling_form(at, float(rate), float(a), degree)
            if form is not None:
                found.append((form[0] / float(a), a, form[1]))
                if len(found) > 1 and found[-1][0] > found[-2][0]:
                    break  # it is convex in a: from here on bounds grow
        for _, a, P in sorted(found, key=lambda row: (row[0], -row[1])):
            yield a, P

    def _theorem_of(
        self, P: np.ndarray, rate: Fraction, decay: Fraction, at: LinearisationSamples
    ) -> dict[str, Any]:
        """What the file holds of a form, but for the cells."""
        n = range(len(self._free))
        size = np.max(np.abs(P), axis=0)
        unit = binary(np.sqrt(np.diag(size)))
        triangle = [
            [[_nearest_multiple(c, unit[i] * unit[j]) for c in P[:, i, j]] for j in n if j <= i] for i in n
        ]
        powers = at.t[:, None] ** np.arange(len(P))
        forms = np.einsum("tk,kij->tij", powers, P)
        square = np.einsum("ti,tij,tj->t", at.v, forms, at.v)
        spread = np.sqrt(np.max(np.diagonal(np.linalg.inv(forms), axis1=1, axis2=2), axis=0))
        moving = any(self._velocity)
        reach = _few_digits(float(np.sqrt(np.max(square))) * _MORE, up=True) if moving else Fraction(0)
        return self._theorem | {
            "P": [[[str(c) for c in entry] for entry in row] for row in triangle],
            "rate": str(rate),
            "decay": str(decay),
            "reach": str(reach),
            "within": {
                k: str(_few_digits(float(w) * _MORE, up=True))
                for k, w in zip(self._free, spread, strict=True)
            },
            "cells": "",
        }

    def _cells(self, theorem: dict[str, Any]) -> str | None:
        """A tree of boxes on each of which all is shown; None where there is none."""
        given = conform(theorem, MOVING, "theorem")
        try:
            part = MovingLinearPart(self._read_members(self._content), given)
        except Refusal:
            return None
        letters: list[str] = []

        def walk(sides: tuple, level: int) -> bool:
            tell("cells", best=f"{letters.count(SHOWN)} shown")
            if _shown_on(part, sides):
                letters.append(SHOWN)
                return True
            letters.append(HALVED)
            if level == _DEPTH or len(letters) > _CELLS:
                return False
            return all(walk(half, level + 1) for half in halves(sides))

        return "".join(letters) if walk(whole(len(given["axes"])), 0) else None

    def _confirmation(self, theorem: dict[str, Any]) -> MovingBound:
        data = {**self._content, "theorem": theorem}
        report = checker.check({**data, "digest": checker.digest_of(data)})
        rate, decay, reach = (Fraction(theorem[k]) for k in ("rate", "decay", "reach"))
        ends = {k: float(Fraction(w) * reach * rate / decay) for k, w in theorem["within"].items()}
        numbers = float(rate), float(decay), float(reach)
        return MovingBound(*numbers, ends, Verdict(report.verdict), report.claim, data)


def _shown_on(part: MovingLinearPart, sides: tuple) -> bool:
    try:
        return part.holds_on(sides)
    except Refusal:
        return False


def _nearest_multiple(value: float, size: float) -> Fraction:
    """A multiple of a power of two that is small beside a size."""
    step = Fraction(float(size)) / (1 << _BITS)
    return round(Fraction(float(value)) / step) * step


def _few_digits(value: float | Fraction, up: bool = False) -> Fraction:
    """A positive number in few digits, that is no larger, or no smaller."""
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return Fraction(context.create_decimal(Decimal(float(value))))
