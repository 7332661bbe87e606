"""Units as products of powers: read from text, multiplied, and written.

A unit is a product of rational powers of bases: those of the SI, primes (a unit of 1/1000 kg is
:math:`2^{-3} 5^{-3}` kg), and whatever stands for a unit that is not known yet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from geoctrl.errors import UnitsError

__all__ = [
    "BASES",
    "JOULE",
    "METRE",
    "ONE",
    "SECOND",
    "Unit",
    "has_number",
    "known_base",
    "of_number",
    "read_unit",
    "scaled_text",
]


class Unit:
    """A product of rational powers of bases, which multiplies, divides and has powers."""

    __slots__ = ("powers",)

    def __init__(self, powers: Mapping[Any, Fraction | int]) -> None:
        self.powers = {base: Fraction(e) for base, e in powers.items() if e}

    def __mul__(self, other: Unit) -> Unit:
        total = dict(self.powers)
        for base, e in other.powers.items():
            total[base] = total.get(base, Fraction(0)) + e
        return Unit(total)

    def __pow__(self, exponent: Fraction | int) -> Unit:
        return Unit({base: e * exponent for base, e in self.powers.items()})

    def __truediv__(self, other: Unit) -> Unit:
        return self * other**-1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unit) and self.powers == other.powers

    def __hash__(self) -> int:
        return hash(frozenset(self.powers.items()))

    @property
    def dimension(self) -> Unit:
        """The unit without the number in front."""
        return Unit({base: e for base, e in self.powers.items() if not isinstance(base, int)})

    @property
    def number(self) -> Unit:
        """The number in front, as powers of primes."""
        return Unit({base: e for base, e in self.powers.items() if isinstance(base, int)})

    @property
    def is_known(self) -> bool:
        """Whether nothing unknown is among the bases."""
        return all(map(known_base, self.powers))

    def __str__(self) -> str:
        """As it is read: "m/s", "kg m^2", "mm", "1/20 kg"; "1" for none, unknown bases in brackets."""
        return _text_with_number(self.number, _text(self.dimension)) or "1"


def known_base(base: Any) -> bool:
    """Whether a base is a prime or one of the SI, rather than an unknown."""
    return isinstance(base, int) or (isinstance(base, str) and base in _SI)


def of_number(value: Fraction) -> Unit:
    """A positive number as powers of primes."""
    above, below = (sp.factorint(k) for k in (value.numerator, value.denominator))
    return Unit({int(p): int(e) for p, e in above.items()}) / Unit({int(p): int(e) for p, e in below.items()})


ONE = Unit({})
METRE, SECOND, KILOGRAM = Unit({"m": 1}), Unit({"s": 1}), Unit({"kg": 1})
_NEWTON = KILOGRAM * METRE / SECOND**2
JOULE = _NEWTON * METRE
_AMPERE = Unit({"A": 1})
_VOLT = JOULE / SECOND / _AMPERE
_SI: dict[str, Unit] = {base: Unit({base: 1}) for base in ("kg", "m", "s", "A", "K", "mol", "cd")}
BASES = tuple(_SI)
_NAMED = {
    **_SI,
    **dict.fromkeys(("rad", "sr", "1"), ONE),
    "N": _NEWTON,
    "J": JOULE,
    "W": JOULE / SECOND,
    "Hz": SECOND**-1,
    "Pa": _NEWTON / METRE**2,
    "C": _AMPERE * SECOND,
    "V": _VOLT,
    "T": _VOLT * SECOND / METRE**2,
    "Wb": _VOLT * SECOND,
    "H": _VOLT * SECOND / _AMPERE,
    "F": _AMPERE * SECOND / _VOLT,
    **dict.fromkeys(("ohm", "Ohm", "Ω", "Ω"), _VOLT / _AMPERE),
    "S": _AMPERE / _VOLT,
}
_PREFIXES = {
    **dict(zip("pnmcdkMG", (-12, -9, -3, -2, -1, 3, 6, 9), strict=True)),
    **dict.fromkeys("uµμ", -6),
}
"""Powers of ten by what stands before the name of a unit: mm, kN, µs."""
_PREFIXED = {name: unit for name, unit in _NAMED.items() if name not in ("kg", "1")} | {
    "g": KILOGRAM / of_number(Fraction(1000))
}
_WRITTEN_PREFIXES = "pnumkMG"
_WRITTEN = {_NEWTON: "N", JOULE: "N m", JOULE / SECOND: "W", _VOLT: "V", _VOLT / _AMPERE: "ohm"}
"""Units that are written by a name of their own: of forces, moments, powers, voltages and resistances."""

_LEVEL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
_FRONT = re.compile(r"\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:/\d+)?)\s+(?=\S)", re.ASCII)
_FIRST = re.compile(r"([^\W\d_]+)(?=$|[\s/·]|\*(?!\*))")
_TOKEN = re.compile(
    r"\s*(?:(?P<name>[^\W\d_]+|1)(?:(?:\^|\*\*)(?P<power>-?\d+|\(-?\d+(?:/\d+)?\)))?|(?P<sign>[/*·()]))"
)


def read_unit(text: str, what: str) -> Unit:
    """The unit that a text stands for; one of no text has none.

    Units of the SI, with prefixes from p to G: factors apart by a space or a star, with powers ``mm^2``, and
    one factor or bracket after a stroke, ``N s/m``, ``J/(kg K)``; a number in front, ``1/1000 kg``, belongs
    to it.

    Parameters
    ----------
    what : str
        Whose unit it is, for messages.
    """
    number, rest = _split(text)
    if not number:
        raise UnitsError(f"the unit of {what} must not be zero, got {text!r}")
    return of_number(number) * _Reader(rest, text, what).whole()


def has_number(text: str) -> bool:
    """Whether a unit is a number times those of the SI; a text that is not read is none."""
    try:
        return bool(read_unit(text, "").number.powers)
    except UnitsError:
        return False


def scaled_text(text: str, number: Fraction) -> str:
    """The text of a unit that is ``number`` times as large."""
    if number == 1:
        return text
    whole, (front, rest) = of_number(number) * read_unit(text, "a parameter"), _split(text)
    if not whole.number.powers and read_unit(rest, "a parameter").number.powers:
        return str(whole)  # without the prefixes of the text
    return _text_with_number(of_number(front * number), rest)


def _split(text: str) -> tuple[Fraction, str]:
    """The number in front of a text, one where there is none, and what is left."""
    front = _FRONT.match(text)
    if not front:
        return Fraction(1), text
    top, _, bottom = front[1].partition("/")
    below = int(bottom or 1)
    return (Fraction(top) / below if below else Fraction(0)), text[front.end() :]


class _Reader:
    """A text of factors, read once from left to right."""

    def __init__(self, rest: str, text: str, what: str) -> None:
        self.text, self.what = text, what
        self.tokens: list[tuple[str, str]] = []
        at = 0
        rest = _RAISED.sub(lambda raised: f"^{raised[0].translate(_LEVEL)}", rest).rstrip()
        while at < len(rest):
            found = _TOKEN.match(rest, at)
            if not found:
                raise self.refusal(rest[at:].strip())
            at = found.end()
            sign = found["sign"]
            self.tokens.append((sign, "") if sign else (found["name"], found["power"] or "1"))
        self.tokens.reverse()

    def refusal(self, part: str) -> UnitsError:
        return UnitsError(
            f"the unit of {self.what} is not read: {self.text!r}, at {part!r}; write units of the SI, "
            "as in 'kg m^2', 'N s/mm', 'J/(kg K)', '1/1000 kg', and nothing for a number of unknown unit"
        )

    def whole(self) -> Unit:
        unit = self.product()
        if self.tokens:
            raise self.refusal(self.tokens[-1][0])
        return unit

    def product(self) -> Unit:
        unit, divided = ONE, False
        while self.tokens and self.tokens[-1][0] != ")":
            sign = self.tokens[-1][0] if self.tokens[-1][0] in "/*·" else ""
            if sign:
                self.tokens.pop()
            if not sign and divided:  # m/s kg: which is below the stroke?
                raise self.refusal(self.tokens[-1][0])
            divided = sign == "/"
            factor = self.factor()
            unit = unit / factor if divided else unit * factor
        return unit

    def factor(self) -> Unit:
        if not self.tokens:
            raise self.refusal(self.text[-1:])
        name, power = self.tokens.pop()
        if name == "(":
            unit = self.product()
            if not self.tokens:
                raise self.refusal("(")
            self.tokens.pop()
            return unit
        found = _si_unit(name)
        if found is None:
            raise self.refusal(name)
        return found ** Fraction(power.strip("()"))


def _si_unit(name: str) -> Unit | None:
    """A unit of the SI by its name, with or without a prefix; None for any other name."""
    if name in _NAMED or name in _PREFIXED:
        return _NAMED.get(name) or _PREFIXED[name]
    power, rest = _PREFIXES.get(name[0]), _PREFIXED.get(name[1:])
    return None if power is None or rest is None else of_number(Fraction(10) ** power) * rest


def _text(unit: Unit) -> str:
    """A unit without a number, in letters."""
    if unit in _WRITTEN:
        return _WRITTEN[unit]
    above = [_factor(b, e) for b, e in unit.powers.items() if e > 0]
    below = [_factor(b, -e) for b, e in unit.powers.items() if e < 0]
    if not below:
        return " ".join(above)
    return f"{' '.join(above) or '1'}/{below[0] if len(below) == 1 else '(' + ' '.join(below) + ')'}"


def _factor(base: Any, exponent: Fraction) -> str:
    name = base if base in _SI else f"[{base}]"
    if exponent == 1:
        return name
    return f"{name}^{exponent}" if exponent.denominator == 1 else f"{name}^({exponent})"


def _text_with_number(number: Unit, text: str) -> str:
    """A text with a number in front, or as the prefix of its first name where there is one."""
    first = _FIRST.match(text)
    unit = _si_unit(first[1]) if first else None
    if first and unit is not None and number.powers:
        name = first[1]
        base = "g" if name in ("g", "kg") else name if name in _NAMED else name[1:]
        for prefix in ("", *_WRITTEN_PREFIXES):
            if _si_unit(prefix + base) == number * unit:
                return f"{prefix}{base}{text[first.end() :]}"
    return " ".join(part for part in (_number_text(number), text) if part)


def _number_text(number: Unit) -> str:
    """Powers of primes as a number, nothing for one."""
    if all(e.denominator == 1 for e in number.powers.values()):
        value = Fraction(1)
        for prime, e in number.powers.items():
            value *= Fraction(prime) ** int(e)
        return "" if value == 1 else str(value)
    return " ".join(f"{prime}^({e})" for prime, e in number.powers.items())
