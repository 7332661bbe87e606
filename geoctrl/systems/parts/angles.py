"""Angles with rational sine and cosine: no rational numbers themselves, and exact all the same."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

import sympy as sp

from geoctrl.errors import InputError

__all__ = [
    "ExactAngle",
    "angle_in_label",
    "angle_of",
    "angles_at",
    "distance_label",
    "nearby_angle",
    "nearest_angle",
]

_AGREES = 1e-9
_LONGEST = 56
"""Bits of such a denominator with which any double is met."""
_SIMPLE = 1000
"""Denominators of the tangent of half an angle up to which a float is taken to be one."""
_QUARTERS = {k: (Fraction(c), Fraction(s)) for k, c, s in ((-1, 0, -1), (0, 1, 0), (1, 0, 1), (2, -1, 0))}
"""Cosine and sine of multiples of a right angle between -pi and pi."""
_NUMBER = r"-?\d+(?:/[1-9]\d*)?"
_PI = r"(?: ([-+]) (?:([1-9]\d*)\*)?pi(/2)?)?"
_DISTANCE = re.compile(rf"([A-Za-z_]\w*)(?: - atan2\(({_NUMBER}), ({_NUMBER})\))?{_PI}", re.ASCII)


class ExactAngle(Fraction):
    """An angle known by its cosine and sine; as a number, the double next to it.

    Whoever needs the exact point asks for ``cosine`` and ``sine``; to all others it is the rational that a
    float is, which is not quite the angle.
    """

    __slots__ = ("cosine", "sine")
    cosine: Fraction
    sine: Fraction

    def __new__(cls, value: float, cosine: Fraction, sine: Fraction) -> ExactAngle:
        """The angle near a value; InputError unless that is one of the cosine and the sine."""
        off = math.remainder(value - math.atan2(sine, cosine), 2 * math.pi)
        if cosine**2 + sine**2 != 1 or not abs(off) < _AGREES:
            raise InputError(f"cosine {cosine} and sine {sine} are not those of {value}")
        made = super().__new__(cls, value)
        made.cosine, made.sine = cosine, sine
        return made

    def __reduce__(self):
        return ExactAngle, (float(self), self.cosine, self.sine)

    @property
    def expr(self) -> sp.Expr:
        """The angle itself, as an expression: an arctangent, and whole turns."""
        sine, cosine = (sp.Rational(q.numerator, q.denominator) for q in (self.sine, self.cosine))
        return sp.atan2(sine, cosine) + 2 * self.turns * sp.pi

    @property
    def turns(self) -> int:
        """Whole turns beyond the angle between -pi and pi."""
        return round((float(self) - math.atan2(self.sine, self.cosine)) / (2 * math.pi))


def distance_label(name: str, angle: ExactAngle) -> str:
    """What the distance of a state from an angle is called: `angle_in_label` reads it.

    Examples
    --------
    >>> distance_label("phi", angle_of(3 * sp.pi / 2, []))
    'phi - 3*pi/2'
    >>> distance_label("phi", angle_of(sp.atan2(3, 4) - 2 * sp.pi, []))
    'phi - atan2(3/5, 4/5) + 2*pi'
    """
    away = {quarter: k for k, quarter in _QUARTERS.items()}.get((angle.cosine, angle.sine))
    quarters = 4 * angle.turns + (away or 0)
    if away is None or not quarters:
        name += f" - atan2({angle.sine}, {angle.cosine})"
    if not quarters:
        return name
    halves = Fraction(abs(quarters), 2)
    times = "" if halves.numerator == 1 else f"{halves.numerator}*"
    return f"{name} {'-' if quarters > 0 else '+'} {times}pi{'/2' if halves.denominator == 2 else ''}"


def angle_in_label(label: str) -> tuple[str, ExactAngle] | None:
    """A state and the angle from which a label of `distance_label` measures it; None of any other label.

    InputError where a sine and a cosine in it are of no angle.

    Examples
    --------
    >>> name, angle = angle_in_label("phi + pi/2")
    >>> name, angle.cosine, angle.sine
    ('phi', Fraction(0, 1), Fraction(-1, 1))
    """
    match = _DISTANCE.fullmatch(label)
    if match is None or match.end(1) == len(label):
        return None
    name, sine, cosine, sign, times, half = match.groups()
    quarters = int(times or 1) * (1 if half else 2) * {"-": 1, "+": -1, None: 0}[sign]
    if sine is None:
        away = (quarters + 1) % 4 - 1
        parts = _QUARTERS[away]
    else:
        away, parts = 0, (Fraction(cosine), Fraction(sine))
    return name, ExactAngle(math.atan2(parts[1], parts[0]) + (quarters - away) * math.pi / 2, *parts)


def angles_at(point: Sequence[object] | None) -> dict[int, ExactAngle]:
    """The exact angles among the states of a point, by their numbers."""
    return {i: q for i, q in enumerate(point or ()) if isinstance(q, ExactAngle)}


def angle_of(expr: sp.Expr, numbers: Iterable[tuple[sp.Symbol, Fraction]]) -> ExactAngle | None:
    """The angle that an expression is at exact numbers; None where sine or cosine is irrational.

    Examples
    --------
    >>> found = angle_of(sp.pi - sp.atan(sp.Rational(3, 4)), [])
    >>> found.cosine, found.sine
    (Fraction(-4, 5), Fraction(3, 5))
    """
    table = {symbol: sp.Rational(q.numerator, q.denominator) for symbol, q in numbers}
    value = expr.xreplace(table)
    parts = [_rational(f(value)) for f in (sp.cos, sp.sin)]
    if None in parts:
        return None
    try:
        return ExactAngle(float(value), *parts)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _rational(expr: sp.Expr) -> Fraction | None:
    """A number that simplifies to a rational, exactly."""
    for form in (expr, sp.expand_trig(expr)):
        found = form if form.is_Rational else sp.radsimp(form)
        if found.is_Rational:
            return Fraction(int(found.p), int(found.q))
    return None


def nearby_angle(value: float) -> ExactAngle | None:
    """The simple angle next to a float, by the tangent of its half; None where none is near."""
    cosine, sine = _on_circle(value, _SIMPLE)
    near = value - math.remainder(value - math.atan2(sine, cosine), 2 * math.pi)
    if abs(near - value) > _AGREES:
        return None
    return ExactAngle(near, cosine, sine)


def nearest_angle(value: float) -> ExactAngle:
    """The simplest angle with rational sine and cosine that rounds to a float.

    Examples
    --------
    >>> angle = nearest_angle(0.4)
    >>> float(angle), angle.cosine**2 + angle.sine**2
    (0.4, Fraction(1, 1))
    """
    for bits in range(1, _LONGEST):
        cosine, sine = _on_circle(value, 2**bits)
        if abs(math.remainder(value - math.atan2(sine, cosine), 2 * math.pi)) <= math.ulp(value) / 2:
            break
    return ExactAngle(value, cosine, sine)


def _on_circle(value: float, most: int) -> tuple[Fraction, Fraction]:
    """Cosine and sine next to those of an angle; the tangent of its half has a denominator up to ``most``."""
    half = math.remainder(value, 2 * math.pi) / 2
    # Of an obtuse angle that to pi: its half has a tangent of at most one.
    obtuse = abs(half) > math.pi / 4
    t = Fraction(math.tan(math.copysign(math.pi / 2, half) - half if obtuse else half)).limit_denominator(
        most
    )
    cosine, sine = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    return (-cosine if obtuse else cosine), sine
