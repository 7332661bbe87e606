"""Rational functions of parameters and family symbols, modulo relations that give squares of some of them.

Roots, sines and cosines are generators of their own with their relations; other functions are free ones.
What vanishes for free generators vanishes for the functions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx
from flint.utils.flint_exceptions import DomainError

from geoctrl._scalars import Arithmetic, Node, evaluate
from geoctrl._scalars.algebra.angle_sums import Angle, sum_of_multiples
from geoctrl.errors import DivisionError

__all__ = ["RationalField", "RationalFunction", "TooLargeError"]

TERMS = 300_000
"""Terms of a polynomial beyond which nobody reads it, and common factors take minutes."""


class TooLargeError(Exception):
    """An expression is larger than what is searched with."""


class RationalFunction:
    """A quotient of polynomials without common factor, the denominator free of what has a relation."""

    __slots__ = ("below", "field", "top")

    def __init__(self, field: RationalField, top: Any, below: Any) -> None:
        self.field, self.top, self.below = field, top, below

    def __bool__(self) -> bool:
        return bool(self.top)

    def __eq__(self, other: object) -> bool:
        other = self.field.element(other)
        return self.top == other.top and self.below == other.below

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Any) -> RationalFunction:
        other = self.field.element(other)
        if not other.top:
            return self
        if not self.top:
            return other
        return self.field.total([(self.top, self.below), (other.top, other.below)])

    def __mul__(self, other: Any) -> RationalFunction:
        other = self.field.element(other)
        if not self.top or not other.top:
            return self.field.zero
        field, times = self.field, self.field.times
        if field.squares:
            return field.quotient(times(self.top, other.top), times(self.below, other.below))
        # Neither quotient has a common factor: what is common is between one's top and the other's below.
        (a, d), (b, c) = _lowest_terms(self.top, other.below), _lowest_terms(other.top, self.below)
        return field.normal_form(times(a, b), times(c, d))

    def __truediv__(self, other: Any) -> RationalFunction:
        other = self.field.element(other)
        if not other.top:
            raise DivisionError("division by zero in a rational function")
        times = self.field.times
        return self.field.quotient(times(self.top, other.below), times(self.below, other.top))

    def __rtruediv__(self, other: Any) -> RationalFunction:
        return self.field.element(other) / self

    def __neg__(self) -> RationalFunction:
        return RationalFunction(self.field, -self.top, self.below)

    def __sub__(self, other: Any) -> RationalFunction:
        return self + -self.field.element(other)

    def __rsub__(self, other: Any) -> RationalFunction:
        return self.field.element(other) + -self

    def __pow__(self, exponent: int) -> RationalFunction:
        result, base = self.field.one, self if exponent >= 0 else self.field.one / self
        for _ in range(abs(exponent)):
            result = result * base
        return result

    __radd__, __rmul__ = __add__, __mul__

    def __repr__(self) -> str:
        return f"({self.top}) / ({self.below})"


class RationalField:
    """The field of rational functions that some nodes lie in.

    Parameters
    ----------
    nodes : whatever will be evaluated, one at least
    squares : dict of symbol node -> node
        Symbols of which the square is given.
    positive : symbol nodes that are positive
    branch : bool
        Take the root of a square whose sign is open as positive, with that condition; else it is a generator.

    Attributes
    ----------
    generators : list of Node
    squares : dict of place -> Quotient
        Of generators that have relations.
    functions : dict of place -> name and arguments
        Of generators that are functions.
    positive : list of bool
        Whether a generator is positive.
    given : list of Quotient
        What must be positive where it stands for a root: its argument, or the root of a square.
    most : int
        Terms of a polynomial beyond which no further search is made with it.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        squares: Mapping[Node, Node] | None = None,
        positive: Collection[Node] = (),
        branch: bool = True,
    ) -> None:
        self._branch, self.most = branch, TERMS
        squares = dict(squares or {})
        self._graph = nodes[0].graph
        reachable = self._graph.reachable([*nodes, *squares, *squares.values()])
        functions = [n for n in reachable if n.kind == "fun"]
        symbols = [n for n in reachable if n.kind == "sym"]
        # Outer functions first, then symbols with relations: each is reduced to those after it.
        self.generators = [*reversed(functions), *squares, *(s for s in symbols if s not in squares)]
        self._places = {n: i for i, n in enumerate(self.generators)}
        self.ring = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(self.generators))] or ["x"], Ordering.lex)
        one = self.ring.constant(1)
        self.zero, self.one = (RationalFunction(self, self.ring.constant(k), one) for k in (0, 1))
        self.given: list[RationalFunction] = []
        self.functions: dict[int, tuple[str, list[RationalFunction]]] = {}
        self.positive = [n in positive or n.kind == "fun" for n in self.generators]
        self._arithmetic = Arithmetic("rational functions", self.element, {})
        self.squares: dict[int, RationalFunction] = {}
        gens = self.ring.gens()
        self._values = {n: RationalFunction(self, gens[self._places[n]], one) for n in symbols}
        for symbol in reversed(squares):
            self.squares[self._places[symbol]] = self(squares[symbol])
        for n in functions:
            self._values[n] = self._function(n, RationalFunction(self, gens[self._places[n]], one))
        self.squares = dict(sorted(self.squares.items()))

    def _function(self, node: Node, generator: RationalFunction) -> RationalFunction:
        """The value of a function, or the generator that stands for it."""
        name, nodes = node.payload
        args, place = self.all(nodes), self._places[node]
        if name in ("sin", "cos"):
            turned = self._turn(nodes[0])
            if turned is not None:
                return turned[name == "sin"]
        if name == "quadrature" and not args[2]:  # an integral up to zero
            return self.zero
        if name == "sqrt":
            root = _root(args[0])
            if root is not None and (self._branch or self._is_positive(root)):
                self.given.append(root)
                return root
            self.given.append(args[0])
            self.squares[place] = args[0]
        if name == "abs":
            self.given.append(args[0] * args[0])
            self.squares[place] = args[0] * args[0]
        other = node.graph.fun("cos" if name == "sin" else "sin", *nodes) if name in ("sin", "cos") else None
        # Of sine and cosine of one argument the later one has its square given by the earlier.
        if other in self._values and place < self._places[other]:
            self.squares[place] = 1 - self._values[other] ** 2
        self.positive[place] = name in ("sqrt", "abs", "exp")
        self.functions[place] = name, args
        return generator

    def _is_positive(self, q: RationalFunction) -> bool:
        """Whether all terms above and below the line are seen to be positive."""
        terms = [*q.top.to_dict().items(), *q.below.to_dict().items()]
        return all(
            c > 0 and all(positive or not e for e, positive in zip(exponents, self.positive, strict=False))
            for exponents, c in terms
        )

    def _turn(self, angle: Node) -> tuple[RationalFunction, RationalFunction] | None:
        """Cosine and sine of sums of whole multiples of inverse functions; None where they are not rational.

        Thus of multiples of pi, which is 4 atan(1), and of half-angles given by their tangents.
        """
        parts = [(c, mono) for c, mono in angle.payload] if angle.kind == "sum" else [(None, angle)]
        terms: list[tuple[Angle, int]] = []
        for c, mono in parts:
            q, factors = angle.graph.factors(mono if c is None else c * mono)
            if len(factors) > 1 or q.denominator != 1 or any(e != 1 for e in factors.values()):
                return None
            if not factors:
                if q:
                    return None
                continue
            ((atom, _),) = factors.items()
            once = self._inverse(atom, twice=q % 2 == 0)
            if once is None:
                return None
            terms.append((once, int(q) // (2 if q % 2 == 0 else 1)))
        return sum_of_multiples(terms, (self.one, self.zero))

    def _inverse(self, atom: Node, twice: bool) -> tuple[RationalFunction, RationalFunction] | None:
        """Cosine and sine of an inverse function, or of twice that, where they are rational."""
        if atom.kind != "fun" or atom.payload[0] not in ("atan", "atan2", "acos", "asin"):
            return None
        name, args = atom.payload
        values = self.all(args)
        if name in ("atan", "atan2"):
            y, x = values if name == "atan2" else (values[0], self.one)
            square = x * x + y * y
            if twice:
                return ((x * x - y * y) / square, 2 * x * y / square) if square else None
            length = _root(square) if square else None
            if length is None:
                return None
            self.given.append(length)
            return x / length, y / length
        other = _root(1 - values[0] * values[0])
        if other is None:
            return None
        if not other.top.is_constant():
            self.given.append(other)
        found = (values[0], other) if name == "acos" else (other, values[0])
        return (found[0] * found[0] - found[1] * found[1], 2 * found[0] * found[1]) if twice else found

    def __call__(self, node: Node) -> RationalFunction:
        """The value of a node."""
        return self.all([node])[0]

    def all(self, nodes: Sequence[Node]) -> list[RationalFunction]:
        """Values of nodes."""
        return evaluate(list(nodes), self._values, self._arithmetic)

    def node(self, q: RationalFunction) -> Node:
        """A node with the value of a quotient."""
        top, below = (self._polynomial(p) for p in (q.top, q.below))
        return top / below

    def _polynomial(self, p: Any) -> Node:
        terms = [
            self._graph.monomial(
                Fraction(int(c.p), int(c.q)),
                {g: int(e) for g, e in zip(self.generators, exponents, strict=False) if e},
            )
            for exponents, c in p.to_dict().items()
        ]
        return self._graph.add(terms)

    def element(self, value: Any) -> RationalFunction:
        """A quotient as it is, or that of a number."""
        if isinstance(value, RationalFunction):
            return value
        q = Fraction(value)
        return RationalFunction(
            self, self.ring.constant(fmpq(q.numerator, q.denominator)), self.ring.constant(1)
        )

    def dot(self, a: Sequence[RationalFunction], b: Sequence[RationalFunction]) -> RationalFunction:
        """Sum of the products of two rows, brought to its normal form once."""
        times = self.times
        pairs = [(p, q) for p, q in zip(a, b, strict=True) if p and q]
        return self.total([(times(p.top, q.top), times(p.below, q.below)) for p, q in pairs])

    def total(self, parts: Sequence[tuple[Any, Any]]) -> RationalFunction:
        """Sum of tops over belows."""
        if not parts:
            return self.zero
        common = parts[0][1]
        for _, below in parts[1:]:
            if below != common:
                common = self.times(common, below / common.gcd(below))
        tops = (top if below == common else self.times(top, common / below) for top, below in parts)
        return self.quotient(sum(tops, self.ring.constant(0)), common)

    def times(self, a: Any, b: Any) -> Any:
        """A product, refused where it grows too large."""
        if len(a) * len(b) > 200 * self.most:
            raise TooLargeError(f"an expression of more than {self.most} terms")
        product = a * b
        if len(product) > self.most:
            raise TooLargeError(f"an expression of more than {self.most} terms")
        return product

    def quotient(self, top: Any, below: Any) -> RationalFunction:
        """A quotient in its normal form."""
        for i, square in self.squares.items():
            t = self.ring.gens()[i]
            if below.degrees()[i]:
                even, odd, scale = self._halves(below, i, square)
                # (even + odd t) (even - odd t) = even^2 - odd^2 t^2 is free of t.
                conjugate = even - odd * t
                top = self.times(self.times(top, scale), conjugate if odd else self.ring.constant(1))
                below = even
                if odd:
                    below, _, more = self._halves(self.times(even + odd * t, conjugate), i, square)
                    top = self.times(top, more)
                if not below:
                    raise DivisionError("division by a divisor of zero")
            if top.degrees()[i] > 1:
                even, odd, scale = self._halves(top, i, square)
                top, below = even + odd * t, self.times(below, scale)
        if not top:
            return self.zero
        return self.normal_form(*_lowest_terms(top, below))

    def without_denominators(self, row: Sequence[RationalFunction]) -> tuple[list[Any], Any]:
        """Polynomials, the row times its common denominator; and that one."""
        common = self.ring.constant(1)
        for below in {str(q.below): q.below for q in row if q}.values():
            common = self.times(common, below / common.gcd(below))
        return [self.times(q.top, common / q.below) if q else q.top for q in row], common

    def normal_form(self, top: Any, below: Any) -> RationalFunction:
        """A quotient without common factor, the leading coefficient below the line one."""
        lead = below.leading_coefficient()
        return RationalFunction(self, top / lead, below / lead)

    def _halves(self, p: Any, i: int, square: RationalFunction) -> tuple[Any, Any, Any]:
        """scale p = even + odd t with t^2 = square, where even, odd and scale are free of t."""
        parts: dict[int, dict] = {}
        for exponents, c in p.to_dict().items():
            k = int(exponents[i])
            parts.setdefault(k, {})[(*exponents[:i], 0, *exponents[i + 1 :])] = c
        most = max(parts, default=0) // 2
        halves = [self.ring.constant(0), self.ring.constant(0)]
        for k, part in parts.items():
            weight = square.top ** (k // 2) * square.below ** (most - k // 2)
            halves[k % 2] += self.times(self.ring.from_dict(part), weight)
        return halves[0], halves[1], square.below**most


def _lowest_terms(top: Any, below: Any) -> tuple[Any, Any]:
    """Both without their common factor."""
    if below.is_constant():
        return top, below
    common = top.gcd(below)
    return (top, below) if common.is_constant() else (top / common, below / common)


def _root(square: RationalFunction) -> RationalFunction | None:
    """A root of a square of a rational function, of a number the one that is not negative."""
    try:
        root = RationalFunction(square.field, square.top.sqrt(), square.below.sqrt())
        negative = root.top.is_constant() and root.top and root.top.leading_coefficient() < 0
        return -root if negative else root
    except DomainError:
        return None
