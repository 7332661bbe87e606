"""Functions near a point, as series up to some order, by forward differentiation in any arithmetic.

A jet is c + sum c_i h_i + sum c_ij h_i h_j + ... with i <= j: at the point the directions h are those of the
states and it ends with the second order, along a motion there is one, time, and it ends with the first. The
same rules run with numbers, with balls and with rational functions.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from geoctrl.checker.definite import Rows, require_inverse
from geoctrl.checker.limits import Refusal, require, spend
from geoctrl.checker.numbers import Number, positive
from geoctrl.checker.reader import children

LONGEST = 1 << 20
"""Bits of the numerator or the denominator of a number, at most."""
FUNCTIONS: dict[str, tuple[int, int, Any, Any]] = {
    "inverse": (1, 1, lambda f, y, x: -y * y, lambda k, c, d, x: -c / x),
    "sqrt": (1, 1, lambda f, y, x: 1 / (2 * y), lambda k, c, d, x: c * fmpq(3 - 2 * k, 2 * k) / x),
    "sin": (0, 0, lambda f, y, x: f("cos", None, x), lambda k, c, d, x: d * fmpq(-1, k * k - k)),
    "cos": (0, 1, lambda f, y, x: -f("sin", None, x), lambda k, c, d, x: d * fmpq(-1, k * k - k)),
    "exp": (0, 1, lambda f, y, x: y, lambda k, c, d, x: c * fmpq(1, k)),
    "log": (1, 0, lambda f, y, x: 1 / x, lambda k, c, d, x: c * fmpq(1 - k, k) / x),
    "atan": (
        *(0, 0, lambda f, y, x: 1 / (1 + x * x)),
        lambda k, c, d, x: (2 * x * c * (1 - k) + d * (2 - k)) * fmpq(1, k) / (1 + x * x),
    ),
    "quadrature": (
        *(0, 0, lambda f, y, a, b, s: 1 / (a * s * s + b)),
        lambda k, c, d, a, b, s: a * (2 * s * c * (1 - k) + d * (2 - k)) * fmpq(1, k) / (a * s * s + b),
    ),
}
"""A last argument at which a function is rational, and its value there. Of the function of this argument + h
the coefficient of h, from other functions f, the value y and the arguments; and that of h^k for k > 1, from
those c and d of h^(k-1) and h^(k-2), and the arguments.
"""


@dataclass(slots=True)
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
        return [
            [self.terms.get((min(i, j), max(i, j)), fmpq(0)) * (1 + (i == j)) for j in range(n)]
            for i in range(n)
        ]

    def __add__(self, other: Jet) -> Jet:
        a, b = self.terms, other.terms
        found, valued = {**a, **{k: a[k] + c if k in a else c for k, c in b.items()}}, () in a and () in b
        return Jet(found if valued else {k: c for k, c in found.items() if k}, self.order)

    def __mul__(self, other: Jet) -> Jet:
        a, b = self.terms, other.terms
        if (() not in a and len(b) > (() in b)) or (() not in b and len(a) > (() in a)):
            raise Refusal("a value that enters a derivative is no number of the field")
        if len(a) == 1 and () in a:
            return Jet({k: a[()] * c for k, c in b.items() if len(k) <= self.order}, self.order)
        found: dict[tuple[int, ...], Any] = {}
        up_to = [[(k, c) for k, c in b.items() if len(k) <= m] for m in range(self.order + 1)]
        for k, c in a.items():
            for m, d in up_to[self.order - len(k)]:
                key = tuple(sorted(k + m))
                found[key] = found[key] + c * d if key in found else c * d
        return Jet(found, self.order)

    def composition(self, name: str, y: Any, f: Any, *x: Any) -> Jet:
        """The jet of a function of this one, from its value at arguments x, and other functions f."""
        *_, first, further = FUNCTIONS[name]
        # Where a function has no value here, the coefficient of h^2 has a factor zero before it.
        coefficients = [fmpq(0) if y is None else y, first(f, y, *x)]
        while len(coefficients) <= self.order:
            coefficients.append(further(len(coefficients), *coefficients[:-3:-1], *x))
        away, found = Jet({**self.terms, (): fmpq(0)}, self.order), Jet({(): fmpq(0)}, self.order)
        for c in coefficients[:0:-1]:
            found = (found + Jet({(): c}, self.order)) * away
        return Jet({k: c for k, c in {**found.terms, (): y}.items() if c is not None}, self.order)

    def inverse(self) -> Jet:
        """1 over this one."""
        if self.value is None or self.value == 0:
            raise Refusal("a divisor is zero, or no number of the field")
        return self.composition("inverse", 1 / self.value, None, self.value)


class Numbers:
    """Exact numbers at the point; roots by the places of their nodes, as a file has them."""

    def __init__(self, roots: Mapping[int | None, Number], order: int = 2) -> None:
        self.roots, self.order = roots, order

    def number(self, q: Number, _state: int | None = None) -> Number:
        """A number as it is read, that of a state by its turn."""
        return q

    def inverse(self, K: Rows, N: Rows, path: str) -> Rows:
        """That of K, which is N."""
        return require_inverse(K, N, len(K), path)

    def function(self, name: str, place: int | None, *x: Number) -> Number | None:
        """The value of a function, None where it is no number of the field."""
        if name == "sqrt":
            root = self.roots.get(place, fmpq(0))
            require(
                root * root == x[0] and positive(root),
                "the positive root of a number is needed",
                f"witness.roots.{place}",
            )
            return root
        if x[-1] == FUNCTIONS[name][0]:
            return fmpq(FUNCTIONS[name][1])
        if name == "quadrature" and not positive(x[1] * (x[0] * x[2] * x[2] + x[1])):
            raise Refusal("the integrand of quadrature has a pole")
        if name in ("sin", "cos", "exp") or (name == "log" and not positive(x[0])):
            raise Refusal(f"{name} is no number of the field there, or has no value")
        return x[2] / x[1] if name == "quadrature" and x[0] == 0 else None

    def sign(self, _place: int, x: Number | None) -> int:
        """The sign of a switch, where it is certain."""
        return 0 if x is None else positive(x) - positive(-x)

    def count(self, jet: Jet) -> Jet:
        """The jet as it is, counted."""
        if any(q.height_bits() > LONGEST for q in jet.terms.values()):
            raise Refusal(f"a number has more than {LONGEST} bits")
        spend(sum(8 + q.height_bits() // 32 for q in jet.terms.values()))
        return jet


def _function(place: int, name: str, args: Sequence[Jet], numbers: Any) -> Jet:
    if name == "select":
        if not (sign := numbers.sign(place, args[0].value)):
            raise Refusal("abs, sign or a choice switches at the point: there is no derivative")
        return args[1] if sign > 0 else args[2]
    x = [jet.value for jet in args]
    if any(v is None for v in x) or any(len(jet.terms) > 1 for jet in args[:-1]):
        raise Refusal(f"an argument of {name} is no number of the field, or is not constant")
    return numbers.count(args[-1].composition(name, numbers.function(name, place, *x), numbers.function, *x))


def reachable(table: Sequence[tuple], wanted: Iterable[int], known: Container[int] = ()) -> list[int]:
    """Places of the nodes that the wanted ones are made of, in the order of dependence, without known
    ones.
    """
    found, layer = set[int](), {*wanted}
    while layer := {i for i in layer if i not in found and i not in known}:
        found |= layer
        layer = {j for i in layer for j in children(table[i])}
    return sorted(found)


def evaluate(
    table: Sequence[tuple],
    wanted: Sequence[int],
    jets: dict[int, Jet],
    numbers: Any,
    order: Iterable[int] = (),
) -> list[Jet]:
    """Jets of the wanted nodes; `jets` holds those of the symbols and takes up all that are computed, in the
    order of dependence, which may be given.
    """
    for i in order or reachable(table, wanted, jets):
        kind, *parts = table[i]
        if kind == "sym":
            raise Refusal(f"the symbol {parts[0][:60]!r} must not occur here", f"problem.nodes[{i}]")
        jet = (
            _function(i, parts[0], [jets[j] for j in parts[1]], numbers)
            if kind == "fun"
            else Jet({(): numbers.number(parts[0] if kind in ("num", "prod") else fmpq(0))}, numbers.order)
        )
        for j, k in parts[-1] if kind in ("sum", "prod") else ():
            if kind == "sum":
                jet = numbers.count(jet + jets[j] * jets[k])
            for _ in range(abs(k) if kind == "prod" else 0):
                jet = numbers.count(jet * (jets[j] if k > 0 else jets[j].inverse()))
        jets[i] = jet
    return [jets[w] for w in wanted]
