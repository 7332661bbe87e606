"""Functions of the axes of a map: an arithmetic for a question about all members of a family at once.

They are rational functions of the axes and of generators: a root with its square, sine and cosine of one
argument with s^2 = 1 - c^2, the others free. Squares of generators are put in at once, so that a numerator
without terms proves that a function vanishes; one with terms proves nothing. What is divided by, and what has
to be positive, is noted as conditions, which hold on a cell or do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from flint import fmpq

from geoctrl.checker.identities import Functions, Ratio
from geoctrl.checker.jets import Jet, Numbers, evaluate
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.reader import EXPONENT

LENGTH = 40_000
"""Terms of a polynomial, at most."""
T = TypeVar("T")
Powers = tuple[tuple[int, int], ...]
"""Factors by their numbers, with exponents."""


class Condition(NamedTuple):
    """``sense * product of factors > 0``; with sense 0, that none of them vanishes."""

    sense: int
    factors: Powers

    def holds(self, signs: Mapping[int, int]) -> bool | None:
        """Whether it holds by the signs of its factors, None where a sign is open."""
        total = self.sense
        for k, exponent in self.factors:
            if not (sign := signs.get(k, 0)):
                return None
            total *= sign**exponent
        return total >= 0 if self.sense == 0 else total > 0


class FunctionsWithSquares:
    """Rational functions, as `Functions`, in which squares of roots, and of sines, are put in at once.

    Attributes
    ----------
    made : dict of place of a variable -> name of a function and its argument
        What generators stand for.
    divided : list of int
        Numbers of the factors that were divided by.
    """

    factors: list[Any]
    variables: list[Ratio]
    constant: Any
    sign: Any
    order, terms, power = 1, 4_000_000, 400
    rules: Any = Functions
    number, number_of, multiple, count = rules.number, rules.factor, rules.multiple, rules.count

    def __init__(self: Any, variables: int, table: Sequence[tuple], sign: Callable[[int, Any], int]) -> None:
        Functions.__init__(self, variables, table, sign)
        self.made: dict[int, tuple[str, Ratio]] = {}
        self.divided: list[int] = []
        self._squares: dict[int, Any] = {}

    def product(self: Any, a: Any, b: Any) -> Any:
        """A product of polynomials with squares put in, those of generators that came last first."""
        polynomial = Functions.product(self, a, b)
        if len(polynomial) > LENGTH:
            raise Refusal("a function is too large to be checked")
        for i, square in reversed(self._squares.items()):
            while polynomial and polynomial.degrees()[i] > 1:
                high = {e: c for e, c in polynomial.to_dict().items() if e[i] > 1}
                lower = {(*e[:i], e[i] - 2, *e[i + 1 :]): c for e, c in high.items()}
                rest, lowered = (polynomial.context().from_dict(part) for part in (high, lower))
                polynomial = polynomial - rest + self.product(lowered, square)
        return polynomial

    def factor(self: Any, polynomial: Any) -> int:
        """The number of what is divided by, which is noted."""
        self.divided.append(self.number_of(polynomial))
        return self.divided[-1]

    def function(self: Any, name: str, place: int | None, *x: Ratio) -> Ratio:
        """The generator that stands for a function, or its value where that is plain."""
        if name != "sqrt" or not x[0].below or x[0] == 1:
            return Functions.function(self, name, place, *x)
        # q sqrt(p/q), of either sign, has the square p q, and is a generator of its own.
        return self.generator("root", *x) * Ratio(self, self.constant(1), x[0].below)

    def generator(self: Any, name: str, *x: Ratio) -> Ratio:
        """That of a function of arguments; what a new one stands for is noted."""
        known, i = len(self.generators), len(self.variables) + len(self.generators)
        found = Functions.generator(self, name, *x)
        if x and len(self.generators) > known:
            self.made[i] = name, x[0]
            if name in ("sqrt", "root"):
                self._squares[i] = self.multiple(x[0].top, x[0].below)
            if name == "sin":
                self._squares[i] = (1 - self.generator("cos", *x) * self.generator("cos", *x)).top
        return found


class Axes:
    """Rational functions of some axes.

    Parameters
    ----------
    axes : int
    table : list
    roots : dict of place -> place
        Values of nodes that are roots, where no generator stands for them.

    Attributes
    ----------
    functions : Functions
    symbols : dict of place -> Jet
        What symbols are, by their places.
    positive : list of Condition
        That something is positive, all of them.
    """

    order, inverse = 2, Numbers.inverse

    def __init__(self, axes: int, table: Sequence[tuple], roots: Mapping[int | None, int]) -> None:
        self.functions = F = FunctionsWithSquares(axes, table, _sign)
        self.count, self.sign = F.count, F.sign
        self.table, self._roots, self.symbols = table, roots, dict[int, Jet]()
        self.positive: list[Condition] = []

    def number(self, q: Any, _state: int | None = None) -> Ratio:
        """A number or a function as one, that of a state by its turn."""
        return self.functions.number(q)

    def values(self, nodes: Sequence[int]) -> list[Ratio]:
        """Nodes that are functions of the axes, of which all conditions are noted."""
        return [self.number(jet.value) for jet in evaluate(self.table, nodes, dict(self.symbols), self)]

    def noting(self, ask: Callable[[], T]) -> tuple[T, list[Condition]]:
        """What is asked for, and the conditions that it has: what is divided by differs from zero, and what
        has to be positive is.
        """
        i, j = len(self.functions.divided), len(self.positive)
        found = ask()
        divided = dict.fromkeys(self.functions.divided[i:])
        return found, [*(Condition(0, ((k, 1),)) for k in divided), *self.positive[j:]]

    # -- signs ----------------------------------------------------------------------------------

    def require_positive(self, x: Ratio) -> None:
        """Note that a function has to be positive."""
        self.positive.append(Condition(*self.sign_and_powers(x)))

    def sign_and_powers(self, x: Ratio) -> tuple[int, Powers]:
        """The sign of a function as that of a number times powers of factors."""
        require(x.top, "a sign is asked of what vanishes everywhere")
        lead = x.top.leading_coefficient()
        above = [] if x.top.is_constant() else [(self.functions.number_of(x.top / lead), 1)]
        return (1 if lead > 0 else -1), (*above, *((k, -e) for k, e in x.below.items()))

    def sign_and_powers_of_node(self, node: int) -> tuple[int, Powers]:
        """The same of a node, of a product by its factors."""
        kind, *parts = self.table[node]
        number, factors = parts if kind == "prod" else (fmpq(1), [(node, 1)])
        sign, powers = self.sign_and_powers(self.number(number))
        for child, exponent in factors:
            own, inner = self.sign_and_powers(self.values([child])[0])
            sign, powers = sign * own ** abs(exponent), (*powers, *((k, e * exponent) for k, e in inner))
        return sign, powers

    # -- the arithmetic of jets -----------------------------------------------------------------

    def function(self, name: str, place: int | None, *x: Ratio) -> Any:
        """The generator that stands for a function, or its value where that is plain or given."""
        if name == "quadrature":
            self.require_positive(x[1] * (x[0] * x[2] * x[2] + x[1]))
            return x[2] * (1 / x[1]) if not (x[0] * x[2]).top else None
        if name == "sqrt" and place in self._roots:
            (y,) = self.values([self._roots[place]])
            require(y * y == x[0], "it is not the root", f"witness.roots.{place}")
            self.require_positive(y)
            return y
        if name in ("sin", "cos") and (rotation := self._rotation(x[0])):
            return rotation[name == "sin"]
        if name in ("sqrt", "log"):
            self.require_positive(x[0])
        if name == "sqrt" and x[0].below:  # sqrt(p/q) as sqrt(p q)/q for a positive q
            F, below = self.functions, x[0].below
            unit = Ratio(F, F.constant(1), below)
            self.require_positive(unit)
            return F.function(name, place, Ratio(F, F.multiple(x[0].top, below), Counter())) * unit
        return self.functions.function(name, place, *x)

    def _rotation(self, x: Ratio) -> tuple[Ratio, Ratio] | None:
        """Cosine and sine of a sum of whole multiples of arctangents; None of anything else."""
        cosine, sine, made = self.number(1), self.number(0), self.functions.made
        for exponents, c in x.top.to_dict().items():
            name, t = made.get(next((k for k, e in enumerate(exponents) if e), -1), ("", x))
            if x.below or sum(exponents) != 1 or name != "atan" or c.q != 1 or abs(c) > EXPONENT:
                return None
            length = 1 / self.function("sqrt", None, 1 + t * t) if int(c.p) % 2 else self.number(1)
            below, turn = 1 / (1 + t * t), t * (1 if c > 0 else -1)
            steps = [(length, turn * length)] * (int(c.p) % 2)
            steps += [((1 - t * t) * below, 2 * turn * below)] * (abs(int(c.p)) // 2)
            for a, b in steps:
                cosine, sine = cosine * a - sine * b, sine * a + cosine * b
        return cosine, sine


def _sign(_place: int, x: Ratio) -> int:
    """The sign of a switch, which must be that of a number."""
    if not isinstance(q := number_of(x), fmpq):
        raise Refusal("abs, sign or a choice depends on the axes")
    return (q > 0) - (q < 0)


def number_of(x: Ratio) -> Ratio | fmpq:
    """A function, or the number that it is everywhere."""
    if x.below or not x.top.is_constant():
        return x
    return x.top.leading_coefficient() if x.top else fmpq(0)
