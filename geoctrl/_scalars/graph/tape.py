"""From graph nodes to straight-line code.

A `Tape` evaluates some output nodes in two parts: `constants`, everything that depends on parameters
alone and is computed once per parameter set, and `instructions`, what is left for every state.
Products of several atoms are cut into binary products so that equal pairs are multiplied once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Literal, TypeGuard

from geoctrl._scalars.graph.graph import NUMBER, STATE, Graph, Node
from geoctrl.errors import LabelError

# Operands are (space, index): "x" argument, "c" hoisted constant, "t" temporary; or ("n", Fraction).
Operand = tuple[str, int | Fraction]

# Products are cut up in tokens: an atom, the inverse of a token, a product of two. Tokens go by their place
# in a list, so that none is as deep as a product is long.
Inverse = tuple[Literal["inverse"], int]
Times = tuple[Literal["times"], int, int]
Token = Node | Inverse | Times
Pair = tuple[int, int]
Rank = tuple[int, bool, int, int]


class Tape:
    """Instructions that compute `outputs` from `arguments` and hoisted constants.

    Instructions, each of which defines the next temporary:

    ``("mul", a, b)``, ``("square", a)``, ``("div", a, b)``,
    ``("sum", ((c, a), ...))`` with coefficients c that are "n" or "c" operands,
    ``("fun", name, (a, ...))``.
    """

    def __init__(self, graph: Graph, arguments: Sequence[Node], outputs: Sequence[Node]) -> None:
        self.graph = graph
        self.arguments = tuple(arguments)
        self.instructions: list[tuple] = []
        self.constants: list[Node] = []
        self._constant_slot: dict[Node, int] = {}
        self._slot: dict[object, Operand] = {node: ("x", i) for i, node in enumerate(self.arguments)}
        missing = {n for n in graph.symbols(outputs) if n.level == STATE} - set(self.arguments)
        if missing:
            raise LabelError(
                f"outputs depend on {sorted(n.payload for n in missing)}, not among the arguments"
            )
        self._pairs = _PairProducts(graph, outputs)
        self.outputs = [self._value(node) for node in outputs]

    def _constant(self, node: Node) -> Operand:
        if node.level == NUMBER:
            return ("n", node.payload)
        if node not in self._constant_slot:
            self._constant_slot[node] = len(self.constants)
            self.constants.append(node)
        return ("c", self._constant_slot[node])

    def _emit(self, *instruction) -> Operand:
        self.instructions.append(instruction)
        return ("t", len(self.instructions) - 1)

    def _value(self, node: Node) -> Operand:
        if node.level < STATE:
            return self._constant(node)
        coefficient, mono = self.graph.split(node, STATE)
        operand = self._monomial(mono)
        if coefficient is self.graph.one:
            return operand
        key = ("scaled", node)
        if key not in self._slot:
            self._slot[key] = self._emit("sum", ((self._constant(coefficient), operand),))
        return self._slot[key]

    def _monomial(self, mono: Node) -> Operand:
        return self._product(self._pairs.final[mono]) if mono.kind == "prod" else self._atom(mono)

    def _product(self, place: int) -> Operand:
        token = self._pairs.tokens[place]
        if isinstance(token, Node):
            return self._atom(token)
        key = ("token", place)
        if key not in self._slot:
            if token[0] == "inverse":
                operand = self._emit("div", ("n", Fraction(1)), self._product(token[1]))
            else:
                _, a, b = token
                right = self._pairs.tokens[b]
                if _is_inverse(right):
                    operand = self._emit("div", self._product(a), self._product(right[1]))
                elif a == b:
                    operand = self._emit("square", self._product(a))
                else:
                    operand = self._emit("mul", self._product(a), self._product(b))
            self._slot[key] = operand
        return self._slot[key]

    def _atom(self, atom: Node) -> Operand:
        if atom not in self._slot:
            if atom.kind == "fun":
                name, args = atom.payload
                self._slot[atom] = self._emit("fun", name, tuple(self._value(a) for a in args))
            elif atom.kind == "let":
                self._slot[atom] = self._value(atom.payload)
            else:
                terms = tuple((self._constant(c), self._term(mono)) for c, mono in atom.payload)
                self._slot[atom] = self._emit("sum", terms)
        return self._slot[atom]

    def _term(self, mono: Node) -> Operand:
        return ("n", Fraction(1)) if mono is self.graph.one else self._monomial(mono)


class _PairProducts:
    """Cuts all state monomials below some outputs into shared binary products, the commonest first.

    Tokens that monomials consist of are numbered in the order of appearance.

    Attributes
    ----------
    tokens : list of Token
    final : dict
        The token that a monomial was cut down to, by its place among these.
    """

    def __init__(self, graph: Graph, outputs: Sequence[Node]) -> None:
        self.tokens: list[Token] = []
        self._place_of: dict[Token, int] = {}
        self._numbers: dict[int, int] = {}
        # By number: places among the tokens, and which are inverses.
        self._places: list[int] = []
        self._inverse: list[bool] = []
        self._counts: dict[Node, dict[int, int]] = {}
        for node in graph.reachable(outputs):
            if node.level == STATE:
                self._register(graph, node)
        self._where: dict[Pair, set[Node]] = {}
        for mono, counts in self._counts.items():
            for pair in self._pairs(counts, counts):
                self._where.setdefault(pair, set()).add(mono)
        # The first of the queue is the commonest pair, once ranks that are out of date are mended.
        self._queue = [self._rank(pair) for pair in self._where]
        heapify(self._queue)
        while self._queue:
            rank = heappop(self._queue)
            pair = rank[2], rank[3]
            if pair not in self._where:
                continue
            if rank == self._rank(pair):
                self._replace(pair)
            else:
                heappush(self._queue, self._rank(pair))
        self.final = {mono: self._places[next(iter(counts))] for mono, counts in self._counts.items()}

    def _register(self, graph: Graph, node: Node) -> None:
        _, mono = graph.split(node, STATE)
        if mono.kind == "prod" and mono not in self._counts:
            counts = self._counts[mono] = {}
            for atom, e in mono.payload[1]:
                place = self._place(atom)
                counts[self._number(place if e > 0 else self._place(("inverse", place)))] = abs(e)

    def _place(self, token: Token) -> int:
        """Its place among the tokens; equal ones have one."""
        place = self._place_of.setdefault(token, len(self.tokens))
        if place == len(self.tokens):
            self.tokens.append(token)
        return place

    def _number(self, place: int) -> int:
        """The number of a token that a monomial has."""
        number = self._numbers.setdefault(place, len(self._places))
        if number == len(self._places):
            self._places.append(place)
            self._inverse.append(_is_inverse(self.tokens[place]))
        return number

    def _pairs(self, counts: Mapping[int, int], among: Iterable[int]) -> set[Pair]:
        """Pairs of tokens of a monomial, one of them among some."""
        found: set[Pair] = set()
        inverse = self._inverse
        for a in among:
            count = counts.get(a, 0)
            if count > 1:
                found.add((a, a))
            if count:
                for b in counts:
                    if a != b:
                        first, second = (a, b) if a < b else (b, a)
                        swapped = inverse[first] and not inverse[second]
                        found.add((second, first) if swapped else (first, second))
        return found

    def _discard(self, pair: Pair, mono: Node) -> None:
        users = self._where[pair]
        users.discard(mono)
        if not users:
            del self._where[pair]

    def _rank(self, pair: Pair) -> Rank:
        # Most shared first; among equals products before quotients, then the order of appearance.
        a, b = pair
        return -len(self._where[pair]), self._inverse[b], a, b

    def _replace(self, pair: Pair) -> None:
        a, b = pair
        left, right = self._places[a], self._places[b]
        if self._inverse[a] and self._inverse[b]:  # 1/(xy) rather than (1/x)(1/y)
            below = self._place(("times", self.tokens[left][1], self.tokens[right][1]))  # type: ignore[index]
            token = self._number(self._place(("inverse", below)))
        else:
            token = self._number(self._place(("times", left, right)))
        changed = {a, b, token}
        for mono in sorted(self._where[pair], key=lambda m: m.index):
            counts = self._counts[mono]
            before = self._pairs(counts, changed)
            count = counts[a] // 2 if a == b else min(counts[a], counts[b])
            for part in pair:
                counts[part] -= count
                if not counts[part]:
                    del counts[part]
            counts[token] = counts.get(token, 0) + count
            after = self._pairs(counts, changed)
            for gone in before - after:
                self._discard(gone, mono)
            for new in after - before:
                self._where.setdefault(new, set()).add(mono)
                heappush(self._queue, self._rank(new))


def _is_inverse(token: Token) -> TypeGuard[Inverse]:
    return isinstance(token, tuple) and token[0] == "inverse"
