"""Expressions as the library in Rocq has them, and what it does with them, to the letter.

A term is a number, a variable, a sum or product of two terms, an inverse or a function of a term. Variables
are numbered: the states, then the unknowns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from flint import fmpq

from geoctrl.checker.numbers import Number, Surd


class Quadrature(NamedTuple):
    """The integral of dt / (a t^2 + b) from 0 to s as a function of s, for positive a and b."""

    a: fmpq
    b: fmpq


ARCTANGENT = Quadrature(fmpq(1), fmpq(1))


class Expression:
    """An expression of the library.

    Attributes
    ----------
    kind : str
        Its constructor: "Num", "Var", "Add", "Mul", "Inv" or "Fun".
    parts : tuple of Expression
    value : object
        The number, the number of the variable, or the function: its constructor or a `Quadrature`.
    name : str
        What stands for it in a statement, if it is one of the numbers of a mechanism.
    mark : bytes
        The same for equal terms, whatever their names.
    """

    __slots__ = ("kind", "mark", "name", "parts", "value")

    def __init__(
        self, kind: str, parts: tuple[Expression, ...] = (), value: Any = None, name: str = ""
    ) -> None:
        self.kind, self.parts, self.value, self.name = kind, parts, value, name
        own = f"{kind} {value}".encode()
        self.mark: bytes = blake2b(own + b"".join(part.mark for part in parts), digest_size=16).digest()

    def is_number(self, q: int) -> bool:
        """Whether it is this number, without a name."""
        return self.kind == "Num" and not self.name and self.value == q


def number(q: Any) -> Expression:
    """A rational number."""
    return Expression("Num", value=fmpq(q))


def constant(q: Number) -> Expression:
    """A number with roots, or a rational one."""
    if not isinstance(q, Surd):
        return number(q)
    root = function("Sqrt", constant(q.root[1]))
    return plus(constant(q.a), times(constant(q.b), root))


def with_name(a: Expression, name: str) -> Expression:
    """A term that a statement prints by a name."""
    return Expression(a.kind, a.parts, a.value, name)


def variable(place: int) -> Expression:
    """The variable of a number."""
    return Expression("Var", value=place)


ZERO, ONE, MINUS_ONE, HALF = number(0), number(1), number(-1), number(fmpq(1, 2))


def plus(a: Expression, b: Expression) -> Expression:
    """a + b, without zeros."""
    return b if a.is_number(0) else a if b.is_number(0) else Expression("Add", (a, b))


def times(a: Expression, b: Expression) -> Expression:
    """A product, without ones and zeros."""
    if a.is_number(0) or b.is_number(0):
        return ZERO
    return b if a.is_number(1) else a if b.is_number(1) else Expression("Mul", (a, b))


def minus(a: Expression) -> Expression:
    """Minus one times a term."""
    return times(MINUS_ONE, a)


def inverse(a: Expression) -> Expression:
    """The inverse of a term."""
    return Expression("Inv", (a,))


def function(name: Any, a: Expression) -> Expression:
    """A function of a term, by its constructor."""
    return Expression("Fun", (a,), name)


def power(a: Expression, exponent: int) -> Expression:
    """A positive power as a product."""
    found = a
    for _ in range(exponent - 1):
        found = Expression("Mul", (found, a))
    return found


def difference(a: Expression, b: Expression) -> Expression:
    """a - b as the library writes it."""
    return Expression("Add", (a, _negative(b)))


def _negative(a: Expression) -> Expression:
    return Expression("Mul", (MINUS_ONE, a))


def subterms(*roots: Expression) -> Iterator[Expression]:
    """Every term that some are made of, parts first, each once."""
    seen: set[bytes] = set()
    pending = [(term, False) for term in reversed(roots)]
    while pending:
        term, entered = pending.pop()
        if entered:
            yield term
        elif term.mark not in seen:
            seen.add(term.mark)
            pending.append((term, True))
            pending += [(part, False) for part in reversed(term.parts)]


def _value_from_parts(
    from_parts: Callable[[Expression, list[Expression]], Expression], root: Expression
) -> Expression:
    """A term made from its parts upwards."""
    found: dict[bytes, Expression] = {}
    for term in subterms(root):
        found[term.mark] = from_parts(term, [found[part.mark] for part in term.parts])
    return found[root.mark]


def substitution(root: Expression, values: Sequence[Expression]) -> Expression:
    """The term with terms for its variables."""

    def from_parts(term: Expression, parts: list[Expression]) -> Expression:
        if term.kind == "Var":
            return values[term.value]
        return Expression(term.kind, tuple(parts), term.value) if parts else term

    return _value_from_parts(from_parts, root)


def derivative(root: Expression, field: Sequence[Expression]) -> Expression:
    """The derivative along x' = field as the library has it; variables beyond the field do not move."""

    def from_parts(term: Expression, rates: list[Expression]) -> Expression:
        if term.kind == "Num":
            return ZERO
        if term.kind == "Var":
            return field[term.value] if term.value < len(field) else ZERO
        if term.kind == "Add":
            return Expression("Add", (rates[0], rates[1]))
        if term.kind == "Mul":
            a, b = term.parts
            return Expression("Add", (Expression("Mul", (rates[0], b)), Expression("Mul", (a, rates[1]))))
        if term.kind == "Inv":
            return _negative(Expression("Mul", (rates[0], Expression("Mul", (term, term)))))
        return _chain(term, rates[0])

    return _value_from_parts(from_parts, root)


def _chain(term: Expression, rate: Expression) -> Expression:
    """The derivative of a function of a term that has a rate."""
    inner = term.parts[0]
    if term.value == "Sin":
        return Expression("Mul", (function("Cos", inner), rate))
    if term.value == "Cos":
        return _negative(Expression("Mul", (function("Sin", inner), rate)))
    if term.value == "Sqrt":
        return Expression("Mul", (Expression("Mul", (HALF, inverse(term))), rate))
    square = Expression("Mul", (number(term.value.a), Expression("Mul", (inner, inner))))
    return Expression("Mul", (inverse(Expression("Add", (square, number(term.value.b)))), rate))
