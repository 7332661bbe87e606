"""From graph nodes to straight-line code.

A `Tape` evaluates some output nodes in two parts: `constants`, everything that depends on parameters
alone and is computed once per parameter set, and `instructions`, what is left for every state.
Products of several atoms are cut into binary products so that equal pairs are multiplied once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import combinations
from operator import attrgetter
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

_INDEX = attrgetter("index")


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
            for pair in self._pairs(counts):
                self._where.setdefault(pair, set()).add(mono)
        # The first of the queue is the commonest pair, once ranks that are out of date are mended.
        self._queue = [self._rank(pair) for pair, users in self._where.items() if len(users) > 1]
        heapify(self._queue)
        while self._queue:
            rank = heappop(self._queue)
            pair = rank[2], rank[3]
            if self._count(pair) < 2:
                continue
            if rank == self._rank(pair):
                self._replace(pair)
            else:
                heappush(self._queue, self._rank(pair))
        for counts in self._counts.values():  # no two share a pair any more, as of most pairs none ever did
            while len(counts) > 1 or max(counts.values()) > 1:
                pair = self._first_pair(counts)
                self._put(self._token(pair), pair, counts)
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

    def _pair(self, a: int, b: int) -> Pair:
        """Two tokens, an inverse last, else in the order of appearance."""
        first, second = (a, b) if a < b else (b, a)
        return (second, first) if self._inverse[first] and not self._inverse[second] else (first, second)

    def _pairs(self, counts: Mapping[int, int]) -> Iterator[Pair]:
        """All pairs of tokens of a monomial."""
        tokens = list(counts)
        for i, a in enumerate(tokens):
            if counts[a] > 1:
                yield a, a
            for b in tokens[:i]:
                yield self._pair(a, b)

    def _first_pair(self, counts: Mapping[int, int]) -> Pair:
        """The pair of a monomial that is the first among those of one rank: products before quotients."""
        tokens = sorted(counts)
        several = [(a, a) for a in tokens if counts[a] > 1]
        pairs = [*several, *(self._pair(a, b) for a, b in combinations(tokens, 2))]
        return min(pairs, key=lambda pair: (self._inverse[pair[1]], *pair)) if len(pairs) > 1 else pairs[0]

    def _count(self, pair: Pair) -> int:
        """Of how many monomials it is a pair."""
        return len(self._where.get(pair, ()))

    def _discard(self, pair: Pair, mono: Node) -> None:
        users = self._where[pair]
        users.discard(mono)
        if not users:
            del self._where[pair]

    def _rank(self, pair: Pair) -> Rank:
        # Most shared first; among equals products before quotients, then the order of appearance.
        a, b = pair
        return -self._count(pair), self._inverse[b], a, b

    def _token(self, pair: Pair) -> int:
        """The number of the product of a pair."""
        a, b = pair
        left, right = self._places[a], self._places[b]
        if self._inverse[a] and self._inverse[b]:  # 1/(xy) rather than (1/x)(1/y)
            below = self._place(("times", self.tokens[left][1], self.tokens[right][1]))  # type: ignore[index]
            return self._number(self._place(("inverse", below)))
        return self._number(self._place(("times", left, right)))

    @staticmethod
    def _put(token: int, pair: Pair, counts: dict[int, int]) -> None:
        """Put a product in a monomial, as often as its pair is there."""
        a, b = pair
        count = counts[a] // 2 if a == b else min(counts[a], counts[b])
        for part in pair:
            counts[part] -= count
            if not counts[part]:
                del counts[part]
        counts[token] = counts.get(token, 0) + count

    def _replace(self, pair: Pair) -> None:
        token, appeared = self._token(pair), set[Pair]()
        for mono in sorted(self._where[pair], key=_INDEX):
            counts = self._counts[mono]
            before = set(self._pairs(counts))
            self._put(token, pair, counts)
            after = set(self._pairs(counts))
            for gone in before - after:
                self._discard(gone, mono)
            for new in after - before:
                self._where.setdefault(new, set()).add(mono)
                appeared.add(new)
        for new in appeared:
            if self._count(new) > 1:
                heappush(self._queue, self._rank(new))


def _is_inverse(token: Token) -> TypeGuard[Inverse]:
    return isinstance(token, tuple) and token[0] == "inverse"
