"""Functions near a point, as series up to some order, by forward differentiation in any arithmetic.

A jet is c + sum c_i h_i + sum c_ij h_i h_j + ... with i <= j: at the point the directions h are those of the
states and it ends with the second order, along a motion there is one, time, and it ends with the first. The
same rules run with numbers, with balls and with rational functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from flint import fmpq

from geoctrl.checker.definite import Rows, product, require_inverse
from geoctrl.checker.limits import Refusal, spend
from geoctrl.checker.numbers import Number, positive
from geoctrl.checker.reader import children

LONGEST = 1 << 20
"""Bits of the numerator or the denominator of a number, at most."""
VALUES = {"sin": (0, 0), "cos": (0, 1), "exp": (0, 1), "atan": (0, 0), "log": (1, 0), "sqrt": (1, 1)}
"""An argument at which a function is rational, and its value there."""
DERIVATIVES: dict[str, Any] = {
    "sqrt": lambda f, y, x: (1 / (2 * y), -1 / (4 * x * y)),
    "sin": lambda f, y, x: (f("cos", None, x), -y),
    "cos": lambda f, y, x: (-f("sin", None, x), -y),
    "exp": lambda f, y, x: (y, y),
    "log": lambda f, y, x: (1 / x, -1 / (x * x)),
    "atan": lambda f, y, x: (1 / (1 + x * x), -2 * x / ((1 + x * x) * (1 + x * x))),
    "quadrature": lambda f, y, a, b, s: (
        1 / (a * s * s + b),
        -2 * a * s / ((a * s * s + b) * (a * s * s + b)),
    ),
}
"""First and second derivative by the last argument, from other functions f, the value y, and the
arguments.
"""
FURTHER: dict[str, Any] = {
    "inverse": lambda k, c, d, x: -c / x,
    "sqrt": lambda k, c, d, x: c * fmpq(3 - 2 * k, 2 * k) / x,
    "sin": lambda k, c, d, x: d * fmpq(-1, k * k - k),
    "cos": lambda k, c, d, x: d * fmpq(-1, k * k - k),
    "exp": lambda k, c, d, x: c * fmpq(1, k),
    "log": lambda k, c, d, x: c * fmpq(1 - k, k) / x,
    "atan": lambda k, c, d, x: (2 * x * c * (1 - k) + d * (2 - k)) * fmpq(1, k) / (1 + x * x),
    "quadrature": lambda k, c, d, a, b, s: (
        a * (2 * s * c * (1 - k) + d * (2 - k)) * fmpq(1, k) / (a * s * s + b)
    ),
}
"""The coefficient of h^k, k > 2, of the function of x + h, from those of h^(k-1) and h^(k-2)."""


ALONE = {()}
"""Directions of a number."""


@lru_cache(10_000)
def together(k: tuple[int, ...], m: tuple[int, ...]) -> tuple[int, ...]:
    """The directions of a product."""
    return tuple(sorted(k + m))


@dataclass(frozen=True)
class Jet:
    """Coefficients by their directions; that of () is the value, and missing where it is no such number."""

    terms: Mapping[tuple[int, ...], Any]
    order: int

    @property
    def value(self) -> Any:
        """The value, None where it is no such number."""
        return self.terms.get(())

    def gradient(self, n: int) -> list[Any]:
        """First derivatives along n directions."""
        return [self.terms.get((i,), fmpq(0)) for i in range(n)]

    def hessian(self, n: int) -> list[list[Any]]:
        """Second derivatives."""
        pairs = [[(min(i, j), max(i, j)) for j in range(n)] for i in range(n)]
        return [[self.terms.get(p, fmpq(0)) * (1 + (p[0] == p[1])) for p in row] for row in pairs]

    def __add__(self, other: Jet) -> Jet:
        a, b = self.terms, other.terms
        found = {**a, **{k: a[k] + c if k in a else c for k, c in b.items()}}
        if () not in a or () not in b:
            found.pop((), None)
        return Jet(found, self.order)

    def __mul__(self, other: Jet) -> Jet:
        a, b = self.terms, other.terms
        if (() not in a and len(b) > (() in b)) or (() not in b and len(a) > (() in a)):
            raise Refusal("a value that enters a derivative is no number of the field")
        if a.keys() == ALONE:
            return Jet({k: a[()] * c for k, c in b.items() if len(k) <= self.order}, self.order)
        found: dict[tuple[int, ...], Any] = {}
        up_to = [[(k, c) for k, c in b.items() if len(k) <= m] for m in range(self.order + 1)]
        for k, c in a.items():
            for m, d in up_to[self.order - len(k)]:
                key = together(k, m)
                found[key] = found[key] + c * d if key in found else c * d
        return Jet(found, self.order)

    def without_value(self) -> Jet:
        """What is left of it without its value."""
        return Jet({**self.terms, (): fmpq(0)}, self.order)

    def composition(self, name: str, value: Any, slope: Any, bend: Any, *x: Any) -> Jet:
        """The jet of a function of this one, from its value and its first two derivatives at arguments x."""
        away, coefficients = self.without_value(), [slope, bend * fmpq(1, 2)]
        while len(coefficients) < self.order:
            coefficients.append(FURTHER[name](len(coefficients) + 1, *coefficients[:-3:-1], *x))
        found = Jet({(): fmpq(0)}, self.order)
        for c in reversed(coefficients[: self.order]):
            found = (found + Jet({(): c}, self.order)) * away
        terms = {k: c for k, c in found.terms.items() if k}
        return Jet(terms if value is None else terms | {(): value}, self.order)


class Numbers:
    """Exact numbers at the point; roots by the places of their nodes, as a file has them."""

    def __init__(self, roots: Mapping[int | None, Number], order: int = 2) -> None:
        self.roots, self.order = roots, order

    def number(self, q: Number) -> Number:
        """A number as it is read."""
        return q

    def state_value(self, _state: int, q: Number) -> Number:
        """The value of a state."""
        return q

    def solver(self, K: Rows, N: Rows, path: str) -> Callable[[Rows], Rows]:
        """What solves K X = right, with K N = 1."""
        inverse = require_inverse(K, N, len(K), path)
        return lambda right: product(inverse, right)

    def function(self, name: str, place: int | None, *x: Number) -> Number | None:
        """The value of a function, None where it is no number of the field."""
        if name == "sqrt":
            root = self.roots.get(place, fmpq(0))
            if root * root != x[0] or not positive(root):
                raise Refusal("the positive root of a number is needed", f"witness.roots.{place}")
            return root
        if name == "quadrature":
            if not positive(x[1] * (x[0] * x[2] * x[2] + x[1])):
                raise Refusal("the integrand of quadrature has a pole")
            return x[2] / x[1] if x[0] * x[2] == 0 else None
        if x[0] == VALUES[name][0]:
            return fmpq(VALUES[name][1])
        if name != "atan" and not (name == "log" and positive(x[0])):
            raise Refusal(f"{name} is no number of the field there, or has no value")
        return None

    def sign(self, _place: int, x: Number | None) -> int:
        """The sign of a switch, where it is certain."""
        return 0 if x is None else positive(x) - positive(-x)

    def count(self, jet: Jet) -> Jet:
        """The jet as it is, counted."""
        bits = [q.height_bits() for q in jet.terms.values()]
        if max(bits, default=0) > LONGEST:
            raise Refusal(f"a number has more than {LONGEST} bits")
        spend(sum(8 + b // 32 for b in bits))
        return jet


def _inverse(x: Jet) -> Jet:
    if x.value is None or x.value == 0:
        raise Refusal("a divisor is zero, or no number of the field")
    r = 1 / x.value
    return x.composition("inverse", r, -r * r, 2 * r * r * r, x.value)


def _function(name: str, place: int, args: Sequence[Jet], numbers: Any) -> Jet:
    if name == "select":
        if not (sign := numbers.sign(place, args[0].value)):
            raise Refusal("abs, sign or a choice switches at the point: there is no derivative")
        return args[1] if sign > 0 else args[2]
    x = [jet.value for jet in args]
    if any(v is None for v in x) or any(len(jet.terms) > 1 for jet in args[:-1]):
        raise Refusal(f"an argument of {name} is no number of the field, or is not constant")
    y = numbers.function(name, place, *x)
    return args[-1].composition(name, y, *DERIVATIVES[name](numbers.function, y, *x), *x)


def reachable(table: Sequence[tuple], wanted: Iterable[int], known: Iterable[int] = ()) -> list[int]:
    """Places of the nodes that the wanted ones are made of, in the order of dependence, without known
    ones.
    """
    seen, stack, found = set(known), list(wanted), []
    while stack:
        if (i := stack.pop()) not in seen:
            seen.add(i)
            found.append(i)
            stack += children(table[i])
    return sorted(found)


def evaluate(table: Sequence[tuple], wanted: Sequence[int], jets: dict[int, Jet], numbers: Any) -> list[Jet]:
    """Jets of the wanted nodes; `jets` holds those of the symbols and takes up all that are computed."""
    complete(table, reachable(table, wanted, jets), jets, numbers)
    return [jets[w] for w in wanted]


def complete(table: Sequence[tuple], places: Iterable[int], jets: dict[int, Jet], numbers: Any) -> None:
    """Compute nodes in the order of dependence; `jets` takes them up."""
    for i in places:
        kind, *parts = table[i]
        if kind == "sym":
            raise Refusal(f"the symbol {parts[0][:60]!r} must not occur here", f"problem.nodes[{i}]")
        if kind == "fun":
            jets[i] = numbers.count(_function(parts[0], i, [jets[j] for j in parts[1]], numbers))
            continue
        jet = Jet({(): numbers.number(fmpq(0) if kind == "sum" else parts[0])}, numbers.order)
        for j, k in parts[-1] if kind != "num" else ():
            if kind == "sum":
                jet = numbers.count(jet + jets[j] * jets[k])
            for _ in range(abs(k) if kind == "prod" else 0):
                jet = numbers.count(jet * (jets[j] if k > 0 else _inverse(jets[j])))
        jets[i] = jet
