"""Names, numbers and expressions as text from which they can be read again, written from the nodes.

The grammar of expressions, in which nothing but what stands here is written (``/`` and ``*`` from the left)::

    sum    = ["-"] term {("+" | "-") term}
    term   = factor {("*" | "/") factor}
    factor = atom ["^" integer]
    atom   = integer | name | quoted name | "double(" decimal ")" | "(" sum ")"
           | function "(" sum {", " sum} ")"

Names are those of `NAME`; any other is quoted, with the escapes of Python. ``double(0.1)`` is the double next
to 0.1, which is no tenth; in lists of numbers it is told as ``0.1 (double)``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from flint import fmpq

from geoctrl.checker.jets import reachable
from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import Number, ball
from geoctrl.checker.reader import FUNCTIONS, children

LONG, DIGEST = 240, 32
"""Letters of a text from which its beginning and a digest are told, and those of a digest."""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_MADE = re.compile(
    rf"{NAME.pattern}(( - atan2\(-?[0-9]+(/[0-9]+)?, -?[0-9]+(/[0-9]+)?\))?( [-+] ([1-9][0-9]*\*)?pi(/2)?)?"
    r"| of the [a-z]+( [0-9]+)?)",
    re.ASCII,
)
"""What the library makes of a name: an angle measured from another, a state of the controller."""
_READ, _LARGE = 40, fmpq(10**300)
_SIX_DIGITS = Context(prec=6, Emin=MIN_EMIN, Emax=MAX_EMAX)
Factors = list[tuple[int, int]]


# -- names --------------------------------------------------------------------------------------------------


def quoted(text: str) -> str:
    """A name as a name, whatever words it is made of."""
    return repr(text)


def told(text: str) -> str:
    """A name where nothing is computed with it: as it is, or quoted where it might be read as more.

    Of a long one, as of a conserved function that goes by its expression, the beginning and a digest.
    """
    if len(text) > LONG:
        digest = hashlib.sha256(text.encode()).hexdigest()[:DIGEST]
        return f"{quoted(text[:LONG])}... [sha256 of the name: {digest}]"
    return text if NAME.fullmatch(text) or _MADE.fullmatch(text) else quoted(text)


def listed(texts: Iterable[str]) -> str:
    """Names one after the other."""
    return ", ".join(map(told, texts))


def symbol(text: str) -> str:
    """A name within an expression."""
    plain = NAME.fullmatch(text) and text not in FUNCTIONS and text != "double"
    return text if plain else quoted(text)


# -- numbers ------------------------------------------------------------------------------------------------


def nearest_double(q: Number) -> float:
    """The double next to a number."""
    try:
        return int(q.p) / int(q.q) if isinstance(q, fmpq) else float(ball(q).mid())
    except OverflowError:
        raise Refusal("a number is too large for floats") from None


def decimal(q: Any) -> str:
    """A number: as a decimal or a fraction that it is, as the double that it is, else with three points."""
    if not isinstance(q, float) and q != 0 and not 1 / _LARGE < abs(ball(q)) < _LARGE:
        return f"{short(q)}..."
    double = q if isinstance(q, float) else nearest_double(q)
    text = repr(double).removesuffix(".0")
    if isinstance(q, float) or q == fmpq(*double.as_integer_ratio()):
        return text if Fraction(text) == Fraction(double) else f"{text} (double)"
    return found if len(found := _written(q)) <= _READ else f"{text}..."


def _written(q: Any) -> str:
    """A fraction, or a sum of fractions times square roots."""
    if isinstance(q, fmpq):
        return str(q)
    inner, factor = f"sqrt({_written(q.root[1])})", _written(q.b)
    product = {"1": inner, "-1": f"-{inner}"}.get(factor)
    product = product or (f"{factor}*{inner}" if isinstance(q.b, fmpq) else f"({factor})*{inner}")
    if not q.a:
        return product
    return f"{_written(q.a)} - {product[1:]}" if product[0] == "-" else f"{_written(q.a)} + {product}"


def short(q: Any) -> str:
    """Six digits of a number of any size."""
    if not isinstance(q, fmpq):
        return f"{nearest_double(q):.6g}"
    value = _SIX_DIGITS.divide(Decimal(int(q.p)), Decimal(int(q.q)))
    return f"{float(value):.6g}" if abs(value.adjusted()) < 300 else f"{value.normalize(_SIX_DIGITS):g}"


def below(q: fmpq) -> str:
    """Six digits of which a number is no smaller."""
    return _rounded(q, ROUND_FLOOR)


def above(q: fmpq) -> str:
    """Six digits of which a number is no larger."""
    return _rounded(q, ROUND_CEILING)


def interval(a: fmpq, b: fmpq) -> str:
    """Six digits of the ends of an interval that holds this one."""
    return f"[{below(a)}, {above(b)}]"


def _rounded(q: fmpq, rounding: str) -> str:
    context = Context(prec=6, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
    value = context.divide(Decimal(int(q.p)), Decimal(int(q.q)))
    return f"{value.normalize(context):f}" if abs(value.adjusted()) < 6 else f"{value.normalize(context):g}"


def exact_text(q: fmpq) -> str:
    """A number that is not negative within an expression, in full."""
    if q.q == 1 or len(text := f"{q.p}/{q.q}") <= 12 or not 1 / _LARGE < q < _LARGE:
        return str(q)
    double = nearest_double(q)
    return f"double({double!r})" if q == fmpq(*double.as_integer_ratio()) else text


def combination(terms: Iterable[tuple[fmpq, Sequence[str]]]) -> str:
    """Numbers times products of powers in a sum, each with its sign."""
    text = ""
    for c, powers in terms:
        sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
        text += sign + "*".join([*([] if abs(c) == 1 and powers else [exact_text(abs(c))]), *powers])
    return text or "0"


# -- expressions --------------------------------------------------------------------------------------------


class Expressions:
    """The nodes of a table as text, as far as they are asked for.

    What is longer than anybody reads is cut while it is written, so that nodes that double do not grow: a
    text is right in its first `LONG` letters, and whole where it is no longer than these.
    """

    def __init__(self, table: Sequence[tuple]) -> None:
        self._table, self._texts = table, dict[int, str]()

    def __call__(self, place: int) -> str:
        """A node as an expression; of a long one the beginning and a digest of its nodes."""
        for i in reachable(self._table, [place], self._texts):  # type: ignore[arg-type]
            self._texts[i] = self._of(i)
        text = self._texts[place]
        if len(text) <= LONG:
            return text
        return f"{text[:LONG]}... [sha256 of its nodes: {digest_of_node(self._table, place)[:DIGEST]}]"

    def _of(self, i: int) -> str:
        kind, *parts = self._table[i]
        if kind == "num":
            return _signed(parts[0], exact_text)
        if kind == "sym":
            return symbol(parts[0])
        if kind == "fun":
            return _joined((self._texts[j] for j in parts[1]), f"{parts[0]}(", ", ") + ")"
        if kind == "prod":
            return _signed(parts[0], lambda q: self._product(q, parts[1]))
        return self._sum(parts[0])

    def _sum(self, pairs: Sequence[tuple[int, int]]) -> str:
        text = ""
        for pair in pairs:
            # A factor that is a product is written as its factors, and its sign with the sum's.
            number, factors = fmpq(1), Factors()
            for j in pair:
                kind, *parts = self._table[j]
                number *= parts[0] if kind in ("num", "prod") else 1
                factors += parts[1] if kind == "prod" else [(j, 1)] if kind != "num" else []
            sign = ("-" if number < 0 else "") if not text else (" - " if number < 0 else " + ")
            text += sign + self._product(abs(number), factors)
            if len(text) > 2 * LONG:
                break
        return text or "0"

    def _product(self, number: fmpq, factors: Factors) -> str:
        """A number that is not negative times powers."""
        above = [self._power(j, e) for j, e in factors if e > 0]
        below = [self._power(j, -e) for j, e in factors if e < 0]
        if number != 1 or not above:
            above = [exact_text(number), *above]
        return _joined(below, _joined(above[1:], above[0], "*", True), "/", True)

    def _power(self, place: int, exponent: int) -> str:
        base = self._atom(place)
        return base if exponent == 1 else f"{base}^{exponent}"

    def _atom(self, place: int) -> str:
        """A node as a factor or a base: in brackets unless it is a symbol, a function or a whole number."""
        kind, *parts = self._table[place]
        bare = kind in ("sym", "fun") or (kind == "num" and parts[0] >= 0 and parts[0].q == 1)
        return self._texts[place] if bare else f"({self._texts[place]})"


def _signed(q: fmpq, written: Callable[[fmpq], str]) -> str:
    return f"-{written(-q)}" if q < 0 else written(q)


def _joined(parts: Iterable[str], text: str, between: str, first: bool = False) -> str:
    """``text`` and the parts, ``between`` them and, where ``first``, before them; no more than is read."""
    for part in parts:
        text += f"{between if first else ''}{part}"
        first = True
        if len(text) > 2 * LONG:
            break
    return text


def digest_of_node(table: Sequence[tuple], place: int) -> str:
    """SHA-256 of the nodes that an expression is made of, renumbered in their order, as in a file."""
    order = {old: new for new, old in enumerate(reachable(table, [place]))}
    body = json.dumps([_renumbered(table[i], order) for i in order], separators=(",", ":"))
    return hashlib.sha256(body.encode()).hexdigest()


def _renumbered(node: tuple, order: Mapping[int, int]) -> list[Any]:
    kind, *parts = node
    if kind in ("num", "sym"):
        return [kind, *(str(p) for p in parts)]
    if kind == "fun":
        return [kind, parts[0], [order[j] for j in children(node)]]
    if kind == "prod":
        return [kind, str(parts[0]), [[order[j], e] for j, e in parts[1]]]
    return [kind, [[order[i], order[j]] for i, j in parts[0]]]
