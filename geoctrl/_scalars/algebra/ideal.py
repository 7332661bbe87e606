"""Normal forms of recorded expressions modulo the ideal of the leaf.

Functions other than rational ones become independent generators, square roots with their defining
relation, sine and cosine of one argument with theirs; those of sums of angles, with whole coefficients, are
taken as polynomials in those of the single angles. An identity proved in these generators holds for
the functions; one that fails may still hold, which is why a remainder is no refutation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import Ordering, fmpq_mpoly_ctx

from geoctrl._scalars.algebra.angle_sums import sum_of_multiples
from geoctrl._scalars.algebra.factoring import product_of_factors
from geoctrl._scalars.algebra.groebner import groebner_basis, normal_form
from geoctrl._scalars.algebra.quotients import Quotient, constant
from geoctrl._scalars.arithmetic.arithmetics import Arithmetic, evaluate
from geoctrl._scalars.graph.graph import Node
from geoctrl._scalars.text.sympy_bridge import to_sympy

__all__ = ["LeafIdeal"]

_TURNS = 8
"""Degree up to which a sine or cosine of a sum of angles is written in those of the angles."""


class LeafIdeal:
    """Polynomial ring over the rationals in all symbols of some nodes, modulo leaf relations.

    Parameters
    ----------
    relations : sequence of Node
        Vanish on the leaf.
    nodes : sequence of Node
        What normal forms will be asked of.
    numbers : mapping Node -> Fraction
        Symbols (parameters) replaced by numbers.
    """

    def __init__(
        self, relations: Sequence[Node], nodes: Sequence[Node], numbers: Mapping[Node, Fraction] | None = None
    ) -> None:
        everything = [*relations, *nodes]
        graph = everything[0].graph
        numbers = dict(numbers or {})
        reachable = graph.reachable(everything)
        waves = {n: wave for n in reachable if (wave := _of_single_angles(n, numbers)) is not None}
        singles = [n for n in graph.reachable(waves.values()) if n.kind == "fun"]
        functions = [n for n in reachable if n.kind == "fun" and n not in waves and n not in singles]
        functions = [*singles, *functions]
        symbols = [n for n in reachable if n.kind == "sym" and n not in numbers]
        # Functions first: their defining relations then lower the degree in the generator itself.
        self._generators = [*reversed(functions), *symbols]
        names = [f"g{i}" for i in range(len(self._generators))] or ["unused"]
        self._ring = fmpq_mpoly_ctx.get(names, Ordering.degrevlex)
        one = self._ring.constant(1)
        gens = self._ring.gens()
        self._values = {n: Quotient(x, one) for n, x in zip(self._generators, gens, strict=False)}
        self._values |= {n: self._number(q) for n, q in numbers.items()}
        self._arithmetic = Arithmetic("rational functions", self._number, {})
        self._values |= {n: self._evaluate(wave) for n, wave in waves.items()}
        ideal = [self._evaluate(r).top for r in relations]
        self._basis = groebner_basis([*ideal, *self._defining_relations(functions)])

    def _number(self, q: Fraction) -> Quotient:
        return Quotient(constant(self._ring, q), self._ring.constant(1))

    def _evaluate(self, node: Node) -> Quotient:
        """The value of a node; what is on the way to it is kept, since others share it."""
        if node not in self._values:
            found = node.graph.reachable([node])
            self._values |= zip(found, evaluate(found, self._values, self._arithmetic), strict=True)
        return self._values[node]

    def _defining_relations(self, functions: Sequence[Node]) -> list[Any]:
        relations = []
        one = self._ring.constant(1)
        cosines = {n.payload[1]: n for n in functions if n.payload[0] == "cos"}
        for n in functions:
            name, args = n.payload
            generator = self._values[n].top
            if name == "sqrt":
                square = self._evaluate(args[0])
                relations.append(generator**2 * square.below - square.top)
            elif name == "sin" and args in cosines:
                relations.append(generator**2 + self._values[cosines[args]].top ** 2 - one)
        return relations

    def remainder(self, node: Node) -> Any:
        """Remainder of the numerator by division by a Groebner basis; if zero, it vanishes on the leaf."""
        return normal_form(self._evaluate(node).top, self._basis)

    def to_sympy(self, polynomial: Any, symbols: Mapping[Node, sp.Expr]) -> sp.Expr:
        """A remainder in sympy symbols (functions appear under the names of their nodes)."""
        whole = Quotient(polynomial, polynomial.context().constant(1))
        return product_of_factors(whole, to_sympy(self._generators, symbols))


def _of_single_angles(node: Node, numbers: Mapping[Node, Fraction]) -> Node | None:
    """The sine or cosine of a sum of angles by the addition theorems; None for others."""
    if node.kind != "fun" or node.payload[0] not in ("sin", "cos"):
        return None
    name, (argument,) = node.payload
    angles = _whole_multiples(argument)
    if (
        angles is None
        or argument in angles
        or sum(map(abs, angles.values())) > _TURNS
        or angles.keys() & numbers
    ):
        return None
    g = node.graph
    terms = [((g.fun("cos", angle), g.fun("sin", angle)), count) for angle, count in angles.items()]
    return sum_of_multiples(terms, (g.one, g.zero))[name == "sin"]


def _whole_multiples(argument: Node) -> dict[Node, int] | None:
    """Whole coefficients of the symbols in a sum of their multiples; None where it is no such sum."""
    found: dict[Node, int] = {}
    g = argument.graph
    left = [(Fraction(1), argument)]
    while left:
        outer, node = left.pop()
        q, factors = g.factors(node)
        ((atom, power),) = factors.items() if len(factors) == 1 else ((node, 0),)
        if power == 1 and atom.kind == "sum":
            left += [(outer * q, g.mul(term)) for term in reversed(atom.payload)]
        elif power == 1 and atom.kind == "sym" and (outer * q).denominator == 1:
            found[atom] = found.get(atom, 0) + int(outer * q)
        else:
            return None
    return found
