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
from geoctrl.analysis.certificates.proof_file import ProofFile
from geoctrl.analysis.schedules.falling_forms import LinearisationSamples, falling_form
from geoctrl.analysis.schedules.moving_piece import MovingPiece
from geoctrl.errors import CertificateError, InputError, ParameterError
from geoctrl.systems import ReducedSystem, as_system
from geoctrl.verification import Verdict

__all__ = ["MovingBound", "bound_over_pieces", "bound_while_moving"]

_DEGREES = 2, 4, 8
"""Of P, tried in turn."""
_SHARES = tuple(0.85**k for k in range(1, 30))
"""Of the slowest decay at a point that stands still: those that are tried for a."""
_POINTS, _ENDS, _DENSE = 9, 2, 10
"""Points of the axis that moves beside four times the degree; further ones of each piece where there are
several; how much denser bounds are read."""
_BITS, _DIGITS, _MORE = 44, 3, Fraction(101, 100)
"""Of entries of P beside the largest; of numbers that are told; by how much bounds are larger than seen."""


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
        theorem, value = self.data["theorem"], exact(s, "s", InputError)
        pieces = [theorem, *(piece["theorem"] for piece in theorem.get("further", ()))]
        ends = [[Fraction(q) for q in piece["axes"][piece["moves"]]] for piece in pieces]
        k = next((k for k, (_, high) in enumerate(ends) if value <= high), len(ends) - 1)
        theorem, (low, high) = pieces[k], ends[k]
        t = (value - (low + high) / 2) / ((high - low) / 2)
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
    return _least_bound([(sys, interval)], family, moves, rate, decay, axes, params)


@long_call
def bound_over_pieces(
    pieces: Sequence[tuple[ReducedSystem, tuple[Any, Any]]],
    family: str,
    moves: str,
    rate: float,
    *,
    decay: float | None = None,
    axes: Mapping[str, tuple[float, float]] | None = None,
    params: Mapping[str, Any] | None = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> MovingBound:
    """The bound of loops that follow each other along the parameter, each within its interval.

    Members and the form, one polynomial for all, agree where intervals meet; the file holds the pieces.
    """
    return _least_bound(pieces, family, moves, rate, decay, axes, params)


def _least_bound(
    pieces: Sequence[tuple[ReducedSystem, tuple[Any, Any]]],
    family: str,
    moves: str,
    rate: Any,
    decay: Any,
    axes: Mapping[str, tuple[float, float]] | None,
    params: Mapping[str, Any] | None,
) -> MovingBound:
    numbers = {
        name: _positive(value, name)
        for name, value in (("rate", rate), ("decay", decay))
        if value is not None
    }
    if "rate" not in numbers:
        raise InputError("rate must be a positive number, got None")
    for sys, _ in pieces:
        _require_loop(sys, family, moves)
    found = [MovingPiece(sys, family, moves, interval, axes, params) for sys, interval in pieces]
    return _BoundSearch(found, moves).least_bound(numbers["rate"], numbers.get("decay"))


def _require_loop(sys: ReducedSystem, family: str, moves: str) -> None:
    """Refuse a system with inputs, and a family or parameter that it does not have."""
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


def _positive(value: Any, name: str) -> Fraction:
    read = exact(value, name, InputError)
    if read <= 0:
        raise InputError(f"{name} must be a positive number, got {shown(value)}")
    return read


class _BoundSearch:
    """The search for a form over pieces of a range."""

    def __init__(self, pieces: Sequence[MovingPiece], moves: str) -> None:
        self._pieces, self._moves = pieces, moves
        low, high = pieces[0].interval[0], pieces[-1].interval[1]
        self._middle, self._half = (low + high) / 2, (high - low) / 2

    def _samples(self, count: int) -> LinearisationSamples:
        """At points of all pieces, as many as ``count`` and some at ends."""
        share = count if len(self._pieces) == 1 else count // len(self._pieces) + _ENDS
        parts = [piece.samples(share, self._middle, self._half) for piece in self._pieces]
        t, B, v = (np.concatenate([getattr(part, k) for part in parts]) for k in ("t", "B", "v"))
        return LinearisationSamples(t, B, v, float(self._half))

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
                if (theorems := self._theorems(P, rate, a, dense)) is not None:
                    return self._confirmation(theorems)
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

    def _theorems(
        self, P: np.ndarray, rate: Fraction, decay: Fraction, at: LinearisationSamples
    ) -> list[dict[str, Any]] | None:
        """What the file holds of a form, of each piece; None where it is not shown on one."""
        first = self._pieces[0]
        n = range(len(first.free))
        size = np.max(np.abs(P), axis=0)
        unit = binary(np.sqrt(np.diag(size)))
        triangle = [
            [[_nearest_multiple(c, unit[i] * unit[j]) for c in P[:, i, j]] for j in n if j <= i] for i in n
        ]
        powers = at.t[:, None] ** np.arange(len(P))
        forms = np.einsum("tk,kij->tij", powers, P)
        square = np.einsum("ti,tij,tj->t", at.v, forms, at.v)
        spread = np.sqrt(np.max(np.diagonal(np.linalg.inv(forms), axis1=1, axis2=2), axis=0))
        far = _few_digits(float(np.sqrt(np.max(square))) * _MORE, up=True) if first.is_moving else Fraction(0)
        widths = zip(first.free, spread, strict=True)
        numbers = {
            "rate": str(rate),
            "decay": str(decay),
            "reach": str(far),
            "within": {k: str(_few_digits(float(w) * _MORE, up=True)) for k, w in widths},
        }
        found = []
        for piece in self._pieces:
            theorem = piece.theorem(triangle, self._middle, self._half, numbers)
            if (cells := piece.cells(theorem)) is None:
                return None
            found.append(theorem | {"cells": cells})
        return found

    def _confirmation(self, theorems: Sequence[dict[str, Any]]) -> MovingBound:
        first, *others = (piece.content for piece in self._pieces)
        theorem, *following = theorems
        further = [
            {"problem": content["problem"], "witness": content["witness"], "theorem": other}
            for content, other in zip(others, following, strict=True)
        ]
        data = {**first, "theorem": theorem | ({"further": further} if further else {})}
        report = checker.check({**data, "digest": checker.digest_of(data)})
        rate, decay, reach = (Fraction(theorem[k]) for k in ("rate", "decay", "reach"))
        ends = {k: float(Fraction(w) * reach * rate / decay) for k, w in theorem["within"].items()}
        numbers = float(rate), float(decay), float(reach)
        return MovingBound(*numbers, ends, Verdict(report.verdict), report.claim, data)


def _nearest_multiple(value: float, size: float) -> Fraction:
    """A multiple of a power of two that is small beside a size."""
    step = Fraction(float(size)) / (1 << _BITS)
    return round(Fraction(float(value)) / step) * step


def _few_digits(value: float | Fraction, up: bool = False) -> Fraction:
    """A positive number in few digits, that is no larger, or no smaller."""
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return Fraction(context.create_decimal(Decimal(float(value))))
