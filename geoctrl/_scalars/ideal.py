"""Normal forms of recorded expressions modulo the ideal of the leaf.

Functions other than rational ones become independent generators, square roots with their defining
relation, sine and cosine of one argument with theirs. An identity proved in these generators holds for
the functions; one that fails may still hold, which is why a remainder is no refutation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import sympy as sp
from sympy.polys.domains import QQ
from sympy.polys.fields import field
from sympy.polys.groebnertools import groebner
from sympy.polys.orderings import grevlex

from geoctrl._scalars import Arithmetic, Node, evaluate

__all__ = ["LeafIdeal"]


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
        functions = [n for n in reachable if n.kind == "fun"]
        symbols = [n for n in reachable if n.kind == "sym" and n not in numbers]
        # Functions first: their defining relations then lower the degree in the generator itself.
        generators = [*reversed(functions), *symbols]
        names = [f"g{i}" for i in range(len(generators))] or ["unused"]
        self._field, *gens = field(names, QQ, grevlex)
        self._names = dict(zip(names, generators, strict=False))
        self._values = dict(zip(generators, gens, strict=False))
        self._values |= {n: self._number(q) for n, q in numbers.items()}
        self._arithmetic = Arithmetic("rational functions", self._number, {})
        ideal = [self._evaluate(r).numer for r in relations]
        ideal += self._defining_relations(functions)
        ideal = [p for p in ideal if p]
        self._basis = groebner(ideal, self._field.ring) if ideal else []

    def _number(self, q: Fraction):
        return self._field.ground_new(QQ(int(q.numerator), int(q.denominator)))

    def _evaluate(self, node: Node):
        return evaluate([node], self._values, self._arithmetic)[0]

    def _defining_relations(self, functions: Sequence[Node]) -> list:
        relations = []
        cosines = {n.payload[1]: n for n in functions if n.payload[0] == "cos"}
        for n in functions:
            name, args = n.payload
            value = self._values[n]
            if name == "sqrt":
                relations.append((value**2 - self._evaluate(args[0])).numer)
            elif name == "sin" and args in cosines:
                relations.append((value**2 + self._values[cosines[args]] ** 2 - 1).numer)
        return relations

    def remainder(self, node: Node):
        """Remainder of the numerator by division by a Groebner basis; if zero, it vanishes on the leaf."""
        numerator = self._evaluate(node).numer
        return numerator.rem(self._basis) if self._basis else numerator

    def to_sympy(self, polynomial, symbols: Mapping[Node, sp.Expr]) -> sp.Expr:
        """A remainder in sympy symbols (functions appear under the names of their nodes)."""
        from geoctrl._scalars import to_sympy

        names = {sp.Symbol(k): to_sympy([n], symbols)[0] for k, n in self._names.items()}
        return sp.factor(polynomial.as_expr()).xreplace(names)
