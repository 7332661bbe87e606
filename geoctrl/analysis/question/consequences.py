"""Consequences of the leaf relations that division by the relations alone does not see.

Rows of a rotation are orthonormal, hence its columns are; no multiple of the first relations has the
leading term of the second ones. Buchberger's algorithm finds such combinations; it runs here with
cofactors, since a certificate shows each consequence as the combination of relations that it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from time import monotonic
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from geoctrl._scalars import Arithmetic, Graph, Node, evaluate

__all__ = ["consequences"]

MOST, TERMS, SECONDS = 60, 400, 2.0
"""Numbers of combinations and of their terms, and the time, at which the search ends with what it has."""


def consequences(graph: Graph, order: Sequence[Node], relations: Mapping[str, Node]) -> list[dict[str, Node]]:
    """Combinations of relations, as cofactors by name, with leading terms of their own.

    Parameters
    ----------
    order : state symbols, the greatest first, in the order in which the checker reduces
    relations : polynomials without parameters; others are left out
    """
    ring = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(order))], Ordering.lex)
    variables = dict(zip(order, ring.gens(), strict=True))
    polynomials = {}
    for name, node in relations.items():
        polynomial = _polynomial(node, variables, ring)
        if polynomial:
            polynomials[name] = polynomial
    names = list(polynomials)
    basis = [
        (p, [ring.constant(int(i == j)) for j in range(len(names))])
        for i, p in enumerate(polynomials.values())
    ]
    leads, pairs = [_lead(p) for p, _ in basis], list[tuple[int, int, int]]()

    def pair_with(j: int) -> None:
        """Pairs by the degree of what the leading terms have in common as a multiple; coprime ones give
        nothing.
        """
        for i in range(j):
            if any(map(min, leads[i], leads[j])):
                heappush(pairs, (sum(map(max, leads[i], leads[j])), j, i))

    for j in range(len(basis)):
        pair_with(j)
    deadline = monotonic() + SECONDS
    while pairs and len(basis) < MOST and monotonic() < deadline:
        _, j, i = heappop(pairs)
        rest = _remainder(_s_polynomial(*basis[i], *basis[j], ring), basis)
        if rest is not None and len(rest[0]) <= TERMS and sum(map(len, rest[1])) <= TERMS:
            basis.append(rest)
            leads.append(_lead(rest[0]))
            pair_with(len(basis) - 1)
    return [
        {name: _node(graph, c, order) for name, c in zip(names, cofactors, strict=True) if c}
        for _, cofactors in basis[len(names) :]
    ]


def _polynomial(node: Node, variables: Mapping[Node, Any], ring: Any) -> Any:
    """The polynomial of a node, or None where it is none."""

    def number(q: Any) -> Any:
        return ring.constant(fmpq(q.numerator, q.denominator))

    reachable = node.graph.reachable([node])
    plain = all(n.kind != "fun" and (n.kind != "sym" or n in variables) for n in reachable)
    positive = all(e > 0 for n in reachable if n.kind == "prod" for _, e in n.payload[1])
    if not (plain and positive):
        return None
    return evaluate([node], variables, Arithmetic("polynomials", number, {}))[0]


def _lead(polynomial: Any) -> tuple[int, ...]:
    return tuple(polynomial.monomial(0)) if len(polynomial) else ()


def _s_polynomial(f: Any, a: list, g: Any, b: list, ring: Any) -> tuple[Any, list]:
    """The combination of two polynomials in which the leading terms cancel."""
    p, q = _lead(f), _lead(g)
    common = [max(pair) for pair in zip(p, q, strict=True)]
    u, v = (
        ring.from_dict(
            {tuple(int(c - e) for c, e in zip(common, m, strict=True)): 1 / h.leading_coefficient()}
        )
        for m, h in ((p, f), (q, g))
    )
    return u * f - v * g, [u * c - v * d for c, d in zip(a, b, strict=True)]


def _remainder(pair: tuple[Any, list], basis: list) -> tuple[Any, list] | None:
    """What division by the basis leaves, with its cofactors; None where that is nothing."""
    rest, cofactors = pair
    changed = True
    while changed and rest:
        changed = False
        for g, b in basis:
            quotient, rest = divmod(rest, g)
            if quotient:
                cofactors = [c - quotient * d for c, d in zip(cofactors, b, strict=True)]
                changed = True
    return (rest, cofactors) if rest else None


def _node(graph: Graph, polynomial: Any, order: Sequence[Node]) -> Node:
    terms = []
    for exponents, c in polynomial.terms():
        factors = [graph.power(x, int(e)) for x, e in zip(order, exponents, strict=True) if e]
        terms.append(graph.mul([graph.number(Fraction(int(c.p), int(c.q))), *factors]))
    return graph.add(terms) if terms else graph.zero
