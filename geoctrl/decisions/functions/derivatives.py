"""Values and derivatives of a table of expressions, by forward differentiation in any arithmetic.

A jet holds a value and its first derivatives along some directions, and where asked for its second ones, only
those that are not zero. The same rules run with numbers (directions are the states) and with rational
functions (one direction, the motion: see `geoctrl.decisions.functions.identities_by_division`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from flint import fmpq

from geoctrl.decisions.arithmetic.eliminations import solve
from geoctrl.decisions.arithmetic.tower import Number, Surd, Surds
from geoctrl.decisions.reading.clock import SECONDS, require_time
from geoctrl.decisions.reading.problem_reader import Refusal, children

SWITCH = fmpq(1, 10**12)
"""Argument at which a switch counts as undecided: rounding of a double of the size of one."""

ENTIRE = ("sin", "cos", "exp", "atan")
"""Functions that have a value everywhere."""
ONE = ("num", fmpq(1))
TOGETHER = 16
"""Terms of a sum, after which its size is looked at."""
BITS, ENTRIES = 50_000, 3_000_000
"""Length of numerators and denominators from which a number is too large, and how many numbers may be held,
those of some hundred bits counted by their length."""


class NotExact(Refusal):
    """A value or derivative is not in the field of the problem's numbers, so that exact arithmetic says
    nothing there.

    Attributes
    ----------
    radicand : number or None
        Of which a root is missing.
    """

    def __init__(self, fault: str, radicand: Number | None = None) -> None:
        super().__init__(fault)
        self.radicand = radicand


@dataclass(frozen=True)
class Jet:
    """Value (None: not rational), derivatives by direction, second ones by pairs i <= j (None: not kept)."""

    value: Any
    first: dict[int, Any] = field(default_factory=dict)
    second: dict[tuple[int, int], Any] | None = None

    def __add__(self, other: Jet) -> Jet:
        value = None if self.value is None or other.value is None else self.value + other.value
        second = None if self.second is None or other.second is None else _sum(self.second, other.second)
        return Jet(value, _sum(self.first, other.first), second)

    def __mul__(self, other: Jet) -> Jet:
        a, b = self.value, other.value
        if not self.first and not self.second:
            bends = None if self.second is None or other.second is None else _scaled(a, other.second)
            return Jet(None if a is None or b is None else a * b, _scaled(a, other.first), bends)
        second = None
        if self.second is not None and other.second is not None:
            second = _sum(_scaled(b, self.second), _scaled(a, other.second))
            for i, p in self.first.items():
                for j, q in other.first.items():
                    key, term = (i, j) if i < j else (j, i), p * q * 2 if i == j else p * q
                    second[key] = second[key] + term if key in second else term
        value = None if a is None or b is None else a * b
        return Jet(value, _sum(_scaled(b, self.first), _scaled(a, other.first)), second)

    def through(self, value: Any, slope: Any, bend: Any) -> Jet:
        """The jet of a function of this one, from its value and its first two derivatives there."""
        second = None
        if self.second is not None:
            squares = {
                (i, j): bend * p * q for i, p in self.first.items() for j, q in self.first.items() if i <= j
            }
            second = _sum(_scaled(slope, self.second), squares)
        return Jet(value, _scaled(slope, self.first), second)


def _sum(a: dict, b: dict) -> dict:
    if not (a and b):
        return a or b
    return a | {key: a[key] + value if key in a else value for key, value in b.items()}


def _scaled(factor: Any, terms: dict) -> dict:
    if factor is None and terms:
        raise NotExact("a value that enters a derivative is not rational at the point")
    return {key: factor * value for key, value in terms.items()}


class Numbers:
    """Numbers of a field with square roots: exact, or rounded to doubles at every node.

    Exact values of functions are given where they are in the field, None where only their derivatives are.
    """

    def __init__(self, exact: bool, field: Surds) -> None:
        self.exact, self._field = exact, field
        self.deadline = monotonic() + SECONDS
        self._held = 0

    number = staticmethod(fmpq)
    solve = staticmethod(solve)

    def around(self, _state: int, value: Number) -> Number:
        """The value of a state."""
        return value

    def function(self, name: str, x: Number) -> Number | None:
        """The value of a function of one argument."""
        if not self.exact:
            try:
                return fmpq(*getattr(math, name)(to_float(x)).as_integer_ratio())
            except (ValueError, OverflowError) as error:
                raise Refusal(f"{name} has no value at {to_float(x):.6g}") from error
        if name == "sqrt" and x > 0:
            if (root := self._field.sqrt(x)) is not None:
                return root
            raise NotExact(f"there is no root of {to_float(x):.6g} among the numbers of the problem", x)
        if x == (1 if name == "log" else 0) and name != "sqrt":
            return fmpq(int(name in ("cos", "exp")))
        if name == "atan" or (name == "log" and x > 0):
            return None  # transcendental, but its derivative is rational
        raise NotExact(f"{name} is not rational, or has no value, at {to_float(x):.6g}")

    def quadrature(self, a: Number, b: Number, s: Number) -> Number | None:
        """int_0^s dt/(a t^2 + b)."""
        z = a * s * s / b if b else fmpq(-1)
        if not z > -1:
            raise Refusal("the integrand of quadrature has a pole")
        if not z or self.exact:
            return None if z else s / b
        root = math.sqrt(abs(to_float(z)))
        value = (
            (math.atan(root) if z > 0 else math.atanh(root)) / root if root > 1e-6 else 1 - to_float(z) / 3
        )
        return s / b * fmpq(*value.as_integer_ratio())

    def sign(self, _node: int, x: Number | None) -> int:
        """The sign of a switch; when rounded, zero next to it."""
        if x is None:
            raise NotExact("the argument of a switch is not rational at the point")
        return 0 if abs(x) <= (0 if self.exact else SWITCH) else 1 if x > 0 else -1

    def settled(self, jet: Jet) -> Jet:
        """The jet rounded to doubles, or as it is, refused where exact numbers grow without bound."""
        require_time(self.deadline)
        if not self.exact:
            second = None if jet.second is None else {k: _rounded(v) for k, v in jet.second.items()}
            return Jet(_rounded(jet.value), {k: _rounded(v) for k, v in jet.first.items()}, second)
        numbers = (jet.value, *jet.first.values(), *(jet.second or {}).values())
        lengths = [q.height_bits() for q in numbers if q is not None]
        if max(lengths, default=0) > BITS:
            raise Refusal(f"a number of more than {BITS} bits occurs")
        self._held += len(lengths) + (sum(lengths) >> 9)
        if self._held > ENTRIES:
            raise Refusal("too many numbers occur, as derivatives by pairs of states do")
        return jet


def to_float(q: Number) -> float:
    """The nearest double of a rational, one next to a number with roots."""
    try:
        return float(q) if isinstance(q, Surd) else int(q.p) / int(q.q)
    except OverflowError as error:
        raise Refusal("a number is too large for floats") from error


def _rounded(q: Number) -> fmpq:
    return fmpq(*to_float(q).as_integer_ratio())


# -- functions: slope and bend from the argument x, the value y, and other functions f --------------------

DERIVATIVES = {
    "sqrt": lambda f, x, y: (1 / (2 * y), -1 / (4 * x * y)),
    "sin": lambda f, x, y: (f("cos", x), -y),
    "cos": lambda f, x, y: (-f("sin", x), -y),
    "exp": lambda f, x, y: (y, y),
    "log": lambda f, x, y: (1 / x, -1 / (x * x)),
    "atan": lambda f, x, y: (1 / (1 + x * x), -2 * x * (1 / ((1 + x * x) * (1 + x * x)))),
}


def _inverse(x: Jet) -> Jet:
    if x.value is None or not x.value:
        raise (
            NotExact("a divisor is not rational at the point")
            if x.value is None
            else Refusal("division by zero at the point")
        )
    r = 1 / x.value
    return x.through(r, -r * r, 2 * r * r * r)


def _function(name: str, places: Sequence[int], args: Sequence[Jet], numbers: Any) -> Jet:
    if name == "select":
        if not (sign := numbers.sign(places[0], args[0].value)):
            raise Refusal("abs, sign or a choice switches at the point: there is no derivative")
        return args[1] if sign > 0 else args[2]
    if any(a.value is None for a in args):
        raise NotExact(f"an argument of {name} is not rational at the point")
    if name == "quadrature":
        a, b, s = (jet.value for jet in args)
        if args[0].first or args[1].first or not (below := a * s * s + b):
            raise Refusal("quadrature(a, b, s) needs constant a and b, and a t^2 + b that does not vanish")
        return args[2].through(numbers.quadrature(a, b, s), 1 / below, -2 * a * s * (1 / (below * below)))
    y = numbers.function(name, args[0].value)
    try:
        return args[0].through(y, *DERIVATIVES[name](numbers.function, args[0].value, y))
    except ZeroDivisionError as error:
        raise Refusal(f"{name} has no derivative at the point") from error


# -- tables -----------------------------------------------------------------------------------------------


def reachable(
    table: Sequence[tuple], wanted: Iterable[int], known: Mapping[int, Jet] | None = None
) -> list[int]:
    """Places of all nodes that the wanted ones are made of, in the order of dependence, known ones left
    out.
    """
    seen: set[int] = set()
    stack = list(wanted)
    while stack:
        i = stack.pop()
        if i not in seen and i not in (known or {}):
            seen.add(i)
            stack += children(table[i])
    return sorted(seen)


def evaluate(
    table: Sequence[tuple], wanted: Sequence[int], jets: dict[int, Jet], numbers: Any, order: int
) -> list[Jet]:
    """Jets of the wanted nodes; `jets` holds those of the symbols and takes up all that are computed."""
    complete(table, reachable(table, wanted, jets), jets, numbers, order)
    return [jets[w] for w in wanted]


def complete(
    table: Sequence[tuple], places: Iterable[int], jets: dict[int, Jet], numbers: Any, order: int
) -> None:
    """Compute nodes in the order of dependence; `jets` takes them up."""
    constant: dict | None = {} if order == 2 else None
    for i in places:
        kind, *parts = table[i]
        if kind == "sym":
            raise Refusal(f"the symbol {parts[0][:60]!r} must not occur here", f"problem.nodes[{i}]")
        if kind == "fun":
            jet = numbers.settled(_function(parts[0], parts[1], [jets[j] for j in parts[1]], numbers))
        elif kind == "sum":
            jet = None if parts[0] else Jet(numbers.number(fmpq(0)), {}, constant)
            for k, (c, mono) in enumerate(parts[0], 1):
                term = jets[mono] if table[c] == ONE else jets[c] * jets[mono]
                jet = term if jet is None else jet + term
                if not k % TOGETHER:
                    jet = numbers.settled(jet)
            jet = numbers.settled(jet)
        else:
            powers = parts[1] if kind == "prod" else ()
            unit = parts[0] == 1 and any(e for _, e in powers)
            jet = None if unit else numbers.settled(Jet(numbers.number(parts[0]), {}, constant))
            for j, exponent in powers:
                base = jets[j] if exponent >= 0 else _inverse(jets[j])
                for _ in range(abs(exponent)):
                    jet = numbers.settled(base if jet is None else jet * base)
        jets[i] = jet
