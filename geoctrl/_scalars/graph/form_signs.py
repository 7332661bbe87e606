"""Which signs an expression can have, as its form shows: squares, sums of positive terms, bounded functions.

Nothing is searched: what is not seen is left open.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from fractions import Fraction
from math import inf
from typing import Any

from geoctrl._scalars.graph.graph import Graph, Node

__all__ = ["ANY", "NEGATIVE", "POSITIVE", "form_signs"]

NEGATIVE, ZERO, POSITIVE = frozenset([-1]), frozenset([0]), frozenset([1])
ANY = NEGATIVE | ZERO | POSITIVE
_NOT_NEGATIVE = ZERO | POSITIVE

Signs = frozenset[int]
Range = tuple[Any, Any]

_LIKE_THEIR_ARGUMENT = {"sign", "sinh", "tanh", "asin", "atan", "asinh", "atanh"}
_BOUNDED = {"sin", "cos", "sign", "tanh"}


def form_signs(graph: Graph, nodes: Sequence[Node], positive: Container[Node] = ()) -> list[Signs]:
    """The signs -1, 0, 1 that are not excluded by the form of a node, for each of some.

    Parameters
    ----------
    positive : symbols that are known to be positive
    """
    signs: dict[Node, Signs] = {}
    ranges: dict[Node, Range] = {}
    for node in graph.reachable(nodes):
        ranges[node] = low, high = _range(node, ranges)
        found = _signs(node, signs, positive)
        if low >= 0:
            found &= POSITIVE if low > 0 else _NOT_NEGATIVE
        if high <= 0:
            found &= NEGATIVE if high < 0 else NEGATIVE | ZERO
        signs[node] = found
    return [signs[node] for node in nodes]


def _signs(node: Node, known: dict[Node, Signs], positive: Container[Node]) -> Signs:
    if node.kind == "num":
        return _of_number(node.payload)
    if node.kind == "sym":
        return POSITIVE if node in positive else ANY
    if node.kind == "prod":
        q, items = node.payload
        total = _of_number(q)
        for atom, e in items:
            total = _times(total, _power(known[atom], e))
        return total
    if node.kind == "sum":
        terms = [_times(known[c], known[mono]) for c, mono in node.payload]
        return _sum(terms)
    name, args = node.payload
    if name in ("exp", "cosh"):
        return POSITIVE
    if name in ("sqrt", "abs"):
        return _NOT_NEGATIVE if 0 in known[args[0]] else POSITIVE
    if name in _LIKE_THEIR_ARGUMENT:
        return known[args[0]]
    if name in ("select_positive", "select_nonnegative"):
        return known[args[1]] | known[args[2]]
    return _NOT_NEGATIVE if name == "acos" else ANY


def _sum(terms: Sequence[Signs]) -> Signs:
    """Of a sum: open where one term may have the opposite sign of another."""
    total: Signs = frozenset().union(*terms)
    if total >= NEGATIVE | POSITIVE:
        return ANY
    return total - ZERO if any(0 not in t for t in terms) else total | ZERO


def _of_number(q: Fraction) -> Signs:
    return POSITIVE if q > 0 else NEGATIVE if q else ZERO


def _times(a: Signs, b: Signs) -> Signs:
    return frozenset(x * y for x in a for y in b)


def _power(base: Signs, exponent: int) -> Signs:
    """What is divided by is not zero."""
    if exponent < 0:
        base -= ZERO
    return frozenset(x ** abs(exponent) for x in base)


def _range(node: Node, known: dict[Node, Range]) -> Range:
    """Bounds in numbers: of sines, of even powers, and of sums and products of what is bounded."""
    if node.kind == "num":
        return node.payload, node.payload
    if node.kind == "prod":
        q, items = node.payload
        total: Range = (q, q)
        for atom, e in items:
            total = _product(total, _range_power(known[atom], e))
        return total
    if node.kind == "sum":
        terms = [_product(known[c], known[mono]) for c, mono in node.payload]
        return sum(low for low, _ in terms), sum(high for _, high in terms)
    if node.kind == "fun":
        name, args = node.payload
        if name in _BOUNDED:
            return Fraction(-1), Fraction(1)
        if name in ("sqrt", "abs", "exp", "acos"):
            return Fraction(0), inf
        if name == "cosh":
            return Fraction(1), inf
        if name in ("select_positive", "select_nonnegative"):
            (a, b), (c, d) = known[args[1]], known[args[2]]
            return min(a, c), max(b, d)
    return -inf, inf


def _product(a: Range, b: Range) -> Range:
    corners = [x * y if x and y else Fraction(0) for x in a for y in b]
    return min(corners), max(corners)


def _range_power(base: Range, exponent: int) -> Range:
    if exponent < 0:
        return (Fraction(0), inf) if exponent % 2 == 0 else (-inf, inf)
    total = base
    for _ in range(exponent - 1):
        total = _product(total, base)
    return (max(total[0], Fraction(0)), total[1]) if exponent % 2 == 0 else total
