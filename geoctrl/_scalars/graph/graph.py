"""A recording scalar: hash-consed expressions kept in normal form.

Equations are assembled once, on the scalars of this module, and then emitted to every arithmetic
(Python floats, numpy arrays, sympy, exact rationals, heyoka). Each value has one normal form

    q * k * s        q a rational number, k a monomial in parameters, s a monomial in states,

where the factors of a monomial are *atoms* (symbols, function values, sums) with integer exponents.
A sum collects equal monomials, draws out the common coefficient and the common factors, and gives
its first term a positive sign. Equal values are therefore the same object, so that shared
subexpressions, structural zeros and cancelling terms need no further search. A value that has a
name (`Graph.let`) is an atom too.

Levels say what a value depends on: 0 numbers, 1 parameters, 2 states, inputs or time.
Everything of level 1 is computed once per parameter set.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from operator import attrgetter

from geoctrl._scalars.graph.partials import PARTIALS
from geoctrl._scalars.graph.special_values import EVEN, ODD, special_value
from geoctrl.errors import DivisionError, ExpressionError

NUMBER, PARAMETER, STATE = 0, 1, 2

_ONE = Fraction(1)  # the factor of most products, told by its identity

_INDEX = attrgetter("index")

_LONG = 128  # bits: whole multiples of the content of some long fractions lie beyond the doubles
_CHOICES = {"select_positive", "select_nonnegative"}


class Node:
    """One value of a `Graph`; arithmetic on nodes records and normalises."""

    __slots__ = ("graph", "index", "kind", "level", "parts", "payload")

    def __init__(self, graph: Graph, kind: str, payload, level: int, index: int) -> None:
        self.graph = graph
        self.kind = kind
        self.payload = payload
        self.level = level
        self.index = index
        self.parts: tuple[Node, ...] | None = None  # what it is made of, once that was asked for

    @property
    def is_zero(self) -> bool:
        """Whether this is the number zero; the normal form makes it so wherever terms cancel."""
        return self is self.graph.zero

    def __add__(self, other):
        return self.graph.add([self, self.graph.node(other)])

    __radd__ = __add__

    def __neg__(self):
        return self.graph.mul([self.graph.number(-1), self])

    def __sub__(self, other):
        return self + (-self.graph.node(other))

    def __rsub__(self, other):
        return (-self) + other

    def __mul__(self, other):
        graph = self.graph
        other = graph.node(other)
        if self is graph.one or other is graph.zero:
            return other
        if other is graph.one or self is graph.zero:
            return self
        return graph.mul([self, other])

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self.graph.mul([self, self.graph.power(self.graph.node(other), -1)])

    def __rtruediv__(self, other):
        return self.graph.node(other) / self

    def __pow__(self, exponent: int):
        return self.graph.power(self, exponent)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.index}>"


class Graph:
    """Factory and store of the nodes of one system."""

    def __init__(self) -> None:
        self._table: dict[tuple, Node] = {}
        self.nodes: list[Node] = []
        self._derivatives: dict[Node, dict[Node, Node]] = {}
        self.zero = self.number(0)
        self.one = self.number(1)

    # -- construction ---------------------------------------------------------------------------

    def _intern(self, key: tuple, kind: str, payload, level: int) -> Node:
        node = self._table.get(key)
        if node is None:
            node = Node(self, kind, payload, level, len(self.nodes))
            self._table[key] = node
            self.nodes.append(node)
        return node

    def number(self, value: int | Fraction) -> Node:
        """The node of a rational number."""
        value = value if type(value) is Fraction else Fraction(value)
        return self._intern(("num", value.numerator, value.denominator), "num", value, NUMBER)

    def node(self, value) -> Node:
        """A node from a node, an integer, a Fraction or a float (taken as the rational it is)."""
        return value if type(value) is Node else self.number(Fraction(value))

    def symbol(self, name: str, level: int) -> Node:
        """A symbol of the level `PARAMETER` or `STATE`; one of each name and level."""
        return self._intern(("sym", name, level), "sym", name, level)

    def fun(self, name: str, *args: Node) -> Node:
        """Value of a named function; exact values at special numbers and parity are applied."""
        if len(args) == 1:
            (arg,) = args
            if arg.kind == "num":
                special = special_value(name, arg.payload)
                if special is not None:
                    return self.number(special)
            if arg.kind == "prod" and arg.payload[0] < 0:
                if name in ODD:
                    return -self.fun(name, -arg)
                if name in EVEN:
                    return self.fun(name, -arg)
        if name in _CHOICES and args[1] is args[2]:
            return args[1]
        level = max((a.level for a in args), default=PARAMETER)
        key = ("fun", name, tuple(a.index for a in args))
        return self._intern(key, "fun", (name, args), max(level, PARAMETER))

    def sqrt(self, arg: Node) -> Node:
        """Square root, a number where it is rational."""
        return self.fun("sqrt", arg)

    # -- products -------------------------------------------------------------------------------

    def factors(self, node: Node) -> tuple[Fraction, dict[Node, int]]:
        """The normal form q * prod(atom**e) of a node."""
        if node.kind == "num":
            return node.payload, {}
        if node.kind == "prod":
            q, items = node.payload
            return q, dict(items)
        return _ONE, {node: 1}

    def monomial(self, q: Fraction, factors: Mapping[Node, int]) -> Node:
        """The node of q * prod(atom**e); even powers of square roots are resolved."""
        if not q:
            return self.zero
        clean: dict[Node, int] = {}
        resolved: list[Node] = []
        for atom, e in factors.items():
            if e == 0:
                continue
            if atom.kind == "fun" and atom.payload[0] == "sqrt" and abs(e) >= 2:
                half = e // 2 if e > 0 else -((-e) // 2)
                resolved.append(self.power(atom.payload[1][0], half))
                e -= 2 * half
                if e == 0:
                    continue
            clean[atom] = e
        if resolved:
            return self.mul([self.monomial(q, clean), *resolved])
        items = clean.items() if len(clean) < 2 else sorted(clean.items(), key=_atom_index)
        return self._product(q, tuple(items))

    def _product(self, q: Fraction, items: tuple[tuple[Node, int], ...]) -> Node:
        """The node of q * prod(atom**e) for atoms in order with exponents as the normal form has them."""
        if not items:
            return self.number(q)
        if q is _ONE or q.numerator == q.denominator:
            if len(items) == 1 and items[0][1] == 1:
                return items[0][0]
            q = _ONE
        key = items if q is _ONE else ("prod", q.numerator, q.denominator, items)
        node = self._table.get(key)  # as it mostly is: products are made again and again
        if node is None:
            node = self._intern(key, "prod", (q, items), max([atom.level for atom, _ in items]))
        return node

    def mul(self, nodes: Iterable[Node]) -> Node:
        """Product, exponents of equal atoms added up."""
        q = _ONE
        total: dict[Node, int] = {}
        for node in nodes:
            if node.kind == "prod":
                qn, items = node.payload
                for atom, e in items:
                    total[atom] = total.get(atom, 0) + e
            elif node.kind == "num":
                qn = node.payload
            else:
                total[node] = total.get(node, 0) + 1
                continue
            if qn is not _ONE:  # as it mostly is, and products of fractions are slow
                q = qn if q is _ONE else q * qn
        return self.monomial(q, total)

    def power(self, node: Node, exponent: int) -> Node:
        """Integer power; a negative one of the number zero raises ZeroDivisionError."""
        if exponent == 1:  # as it mostly is
            return node
        q, factors = self.factors(node)
        if q == 0 and exponent < 0:
            raise DivisionError("division by a structural zero in an expression")
        q = q if q is _ONE else q**exponent
        return self.monomial(q, {atom: e * exponent for atom, e in factors.items()})

    # -- sums -----------------------------------------------------------------------------------

    def split(self, node: Node, level: int) -> tuple[Node, Node]:
        """Split node = coefficient * monomial, the coefficient of a lower level than `level`."""
        if node.level < level:
            return node, self.one
        if node.kind != "prod":
            return self.one, node
        q, items = node.payload
        low = tuple([item for item in items if item[0].level < level])
        if not low:
            return self.number(q), node if q is _ONE else self._product(_ONE, items)
        high = tuple([item for item in items if item[0].level >= level])
        return self._product(q, low), self._product(_ONE, high)

    def add(self, nodes: Sequence[Node]) -> Node:
        """Sum, coefficients of equal monomials of the highest level added up."""
        level = max((n.level for n in nodes), default=NUMBER)
        if level == NUMBER:
            return self.number(sum((n.payload for n in nodes), Fraction(0)))
        collected: dict[Node, list[Node]] = {}
        for node in nodes:
            coefficient, mono = self.split(node, level)
            if mono.kind == "sum" and coefficient.level == NUMBER:
                for inner, inner_mono in mono.payload:
                    collected.setdefault(inner_mono, []).append(coefficient * inner)
            else:
                collected.setdefault(mono, []).append(coefficient)
        terms = [(self.add(cs) if len(cs) > 1 else cs[0], mono) for mono, cs in collected.items()]
        terms = [(c, mono) for c, mono in terms if not c.is_zero]
        if not terms:
            return self.zero
        if len(terms) == 1:
            return self.mul(terms[0])
        return self._normal_sum(terms)

    def _normal_sum(self, terms: list[tuple[Node, Node]]) -> Node:
        terms.sort(key=lambda term: term[1].index)
        shared = _common([mono for _, mono in terms])
        if shared:
            outer = self.monomial(_ONE, shared)
            inverse = self.power(outer, -1)
            return outer * self.add([self.mul([c, mono, inverse]) for c, mono in terms])
        coefficients = [c for c, _ in terms]
        outer = self.monomial(_content(coefficients), _common(coefficients))
        if outer is not self.one:
            inverse = self.power(outer, -1)
            terms = [(c * inverse, mono) for c, mono in terms]
        if any(mono.kind == "sum" and c.level == NUMBER for c, mono in terms):
            return outer * self.add([c * mono for c, mono in terms])
        key = ("sum", tuple((c.index, mono.index) for c, mono in terms))
        level = max(max(c.level, mono.level) for c, mono in terms)
        return outer * self._intern(key, "sum", tuple(terms), level)

    # -- names ----------------------------------------------------------------------------------

    def let(self, node: Node) -> Node:
        """A value under a name: itself, but an atom of products and sums, so that a sum in it stays one term.

        Numbers and parameters stay outside, and what is an atom needs no name. It computes nothing. Terms of
        two names that cancel are not seen to.
        """
        coefficient, mono = self.split(node, STATE)
        if mono.kind not in ("sum", "prod"):
            return node
        return coefficient * self._intern(("let", mono.index), "let", mono, mono.level)

    # -- traversal ------------------------------------------------------------------------------

    def children(self, node: Node) -> tuple[Node, ...]:
        """Nodes that a node is made of directly: arguments, atoms, or coefficients and monomials."""
        if node.parts is None:
            node.parts = self._parts(node)
        return node.parts

    @staticmethod
    def _parts(node: Node) -> tuple[Node, ...]:
        if node.kind == "fun":
            return node.payload[1]
        if node.kind == "prod":
            return tuple([atom for atom, _ in node.payload[1]])
        if node.kind == "sum":
            return tuple([part for term in node.payload for part in term])
        if node.kind == "let":
            return (node.payload,)
        return ()

    def reachable(self, nodes: Iterable[Node], known: Container[Node] = ()) -> list[Node]:
        """All nodes that the given ones are made of, children before parents; known ones are not entered."""
        seen: set[Node] = set()
        stack = list(nodes)
        while stack:
            node = stack.pop()
            if node not in seen and node not in known:
                seen.add(node)
                stack.extend(node.parts if node.parts is not None else self.children(node))
        # A child is interned before its parent, so the order of indices is a topological order.
        return sorted(seen, key=_INDEX)

    def symbols(self, nodes: Iterable[Node]) -> set[Node]:
        """All symbols that the given nodes depend on."""
        return {n for n in self.reachable(nodes) if n.kind == "sym"}

    def switches(self, nodes: Iterable[Node]) -> list[Node]:
        """Arguments at whose zeros abs, sign or a choice changes branch: no derivative exists there."""
        kinds = ("abs", "sign", "select_positive", "select_nonnegative")
        return [n.payload[1][0] for n in self.reachable(nodes) if n.kind == "fun" and n.payload[0] in kinds]

    def substitute(self, nodes: Sequence[Node], mapping: Mapping[Node, Node]) -> list[Node]:
        """Replace symbols by nodes of any kind, everywhere at once."""
        image: dict[Node, Node] = {}  # of what changes; most of what is large is left as it is
        changed = image.keys()
        for node in self.reachable(nodes):
            if node in mapping:
                if mapping[node] is not node:
                    image[node] = mapping[node]
            elif not changed.isdisjoint(self.children(node)):
                image[node] = self.with_parts(node, image)
        return [image.get(n, n) for n in nodes]

    def with_parts(self, node: Node, image: Mapping[Node, Node]) -> Node:
        """A node made of the images of what it is made of."""
        if node.kind == "fun":
            name, args = node.payload
            return self.fun(name, *[image.get(a, a) for a in args])
        if node.kind == "prod":
            q, items = node.payload
            return self.mul([self.number(q), *[self.power(image.get(atom, atom), e) for atom, e in items]])
        if node.kind == "let":
            return self.let(image[node.payload])
        return self.add([image.get(c, c) * image.get(mono, mono) for c, mono in node.payload])

    def push_forward(self, nodes: Sequence[Node], tangents: Mapping[Node, Node]) -> list[Node]:
        """Directional derivatives of `nodes` when each symbol moves with its tangent."""
        return self._differentiate(nodes, dict(tangents))

    def derivatives(self, nodes: Sequence[Node], symbol: Node) -> list[Node]:
        """Partial derivatives of nodes by one symbol; remembered, so that second ones build on the first."""
        known = self._derivatives.setdefault(symbol, {symbol: self.one})
        return self._differentiate(nodes, known)

    def _differentiate(self, nodes: Sequence[Node], derivative: dict[Node, Node]) -> list[Node]:
        """Fill in the derivatives of all nodes below the given ones, those already known not again."""
        for node in self.reachable(nodes, known=derivative):
            parts: list[Node] = []
            if node.kind == "let":  # what changes has a name as well, or a recursion would be written out
                parts.append(self.let(derivative[node.payload]))
            elif node.kind == "prod":
                q, items = node.payload
                for atom, e in items:
                    if not derivative[atom].is_zero:
                        if e == 1:
                            rest = self._product(q, tuple([item for item in items if item[0] is not atom]))
                        else:
                            rest = self.monomial(q * e, dict(items) | {atom: e - 1})
                        parts.append(rest * derivative[atom])
            elif node.kind == "sum":
                for c, mono in node.payload:
                    for factor, changes in ((c, derivative[mono]), (mono, derivative[c])):
                        if not changes.is_zero:
                            parts.append(factor * changes)
            elif node.kind == "fun":
                name, args = node.payload
                if name in _CHOICES:
                    # The condition carries no derivative. Zero times the branch not taken might be no number.
                    condition, *branches = args
                    parts.append(self.fun(name, condition, *(derivative[b] for b in branches)))
                    args = ()
                for slot, arg in enumerate(args):
                    if not derivative[arg].is_zero:
                        parts.append(self._partial(node, slot) * derivative[arg])
            derivative[node] = self.add(parts) if parts else self.zero
        return [derivative[n] for n in nodes]

    def gradient(self, node: Node, symbols: Sequence[Node]) -> list[Node]:
        """Partial derivatives of a node by symbols."""
        return [self.derivatives([node], s)[0] for s in symbols]

    def jacobian(self, nodes: Sequence[Node], symbols: Sequence[Node]) -> list[list[Node]]:
        """Rows d nodes[i] / d symbols[j]."""
        columns = [self.derivatives(nodes, s) for s in symbols]
        return [[column[i] for column in columns] for i in range(len(nodes))]

    def _partial(self, node: Node, slot: int) -> Node:
        name, args = node.payload
        rule = PARTIALS.get(name)
        if rule is None:
            raise ExpressionError(f"the derivative of {name!r} is not known")
        return rule(self, node, slot, *args)


def _atom_index(item: tuple[Node, int]) -> int:
    return item[0].index


def _powers(node: Node) -> dict[Node, int]:
    """Atoms of a node and their exponents."""
    return dict(node.payload[1]) if node.kind == "prod" else {} if node.kind == "num" else {node: 1}


def _common(nodes: Sequence[Node]) -> dict[Node, int]:
    """Factors common to all nodes: the least power where all exponents have one sign."""
    shared = _powers(nodes[0])
    for node in nodes[1:]:
        if not shared:  # as it mostly is after a few terms
            break
        others = _powers(node)
        both = [(atom, e, others[atom]) for atom, e in shared.items() if atom in others]
        shared = {atom: min(e, f) if e > 0 else max(e, f) for atom, e, f in both if (e > 0) == (f > 0)}
    return shared


def _content(nodes: Sequence[Node]) -> Fraction:
    """Greatest common divisor of the numbers in nodes, with the sign of the first; one where multiples were
    too long.
    """
    numbers = [n.payload if n.kind == "num" else n.payload[0] if n.kind == "prod" else _ONE for n in nodes]
    sign, numerator, denominator = 1 if numbers[0] > 0 else -1, 0, 1
    for q in numbers:
        numerator, denominator = gcd(numerator, q.numerator), lcm(denominator, q.denominator)
        if max(q.numerator.bit_length(), denominator.bit_length()) > _LONG:
            return Fraction(sign)
    return Fraction(sign * numerator, denominator)
