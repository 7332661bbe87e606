"""From graph nodes to straight-line code.

A `Tape` evaluates some output nodes in two parts: `constants`, everything that depends on parameters
alone and is computed once per parameter set, and `instructions`, what is left for every state.
Products of several atoms are cut into binary products so that equal pairs are multiplied once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import combinations
from typing import Literal, TypeGuard

from geoctrl._scalars.graph.graph import NUMBER, STATE, Graph, Node
from geoctrl.errors import LabelError

# Operands are (space, index): "x" argument, "c" hoisted constant, "t" temporary; or ("n", Fraction).
Operand = tuple[str, int | Fraction]

# Products are cut up in tokens: an atom, the inverse of a token, a product of two.
Inverse = tuple[Literal["inverse"], "Token"]
Times = tuple[Literal["times"], "Token", "Token"]
Token = Node | Inverse | Times
Pair = tuple[Token, Token]
Place = tuple[int, bool, int, int, Pair]


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
        if mono.kind != "prod":
            return self._atom(mono)
        return self._product(self._pairs.result(mono))

    def _product(self, token: Token) -> Operand:
        if isinstance(token, Node):
            return self._atom(token)
        if token not in self._slot:
            if token[0] == "inverse":
                operand = self._emit("div", ("n", Fraction(1)), self._product(token[1]))
            else:
                _, a, b = token
                if _is_inverse(b):
                    operand = self._emit("div", self._product(a), self._product(b[1]))
                elif a == b:
                    operand = self._emit("square", self._product(a))
                else:
                    operand = self._emit("mul", self._product(a), self._product(b))
            self._slot[token] = operand
        return self._slot[token]

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


def _is_inverse(token: Token) -> TypeGuard[Inverse]:
    return isinstance(token, tuple) and token[0] == "inverse"


class _PairProducts:
    """Cuts all state monomials below some outputs into shared binary products, the commonest first."""

    def __init__(self, graph: Graph, outputs: Sequence[Node]) -> None:
        self._tokens: dict[Node, Counter[Token]] = {}
        for node in graph.reachable(outputs):
            if node.level == STATE:
                self._register(graph, node)
        self._order: dict[Token, int] = {}
        for tokens in self._tokens.values():
            for token in tokens:
                self._order.setdefault(token, len(self._order))
        self._where: dict[Pair, set[Node]] = {}
        # The first of the queue is the commonest pair, once places that are out of date are mended.
        self._queue: list[Place] = []
        for mono in self._tokens:
            self._index(mono, add=True)
        while self._queue:
            *place, pair = heappop(self._queue)
            if pair not in self._where:
                continue
            if place == list(self._place(pair)[:-1]):
                self._replace(pair)
            else:
                heappush(self._queue, self._place(pair))
        self._final = {mono: next(iter(tokens)) for mono, tokens in self._tokens.items()}

    def _register(self, graph: Graph, node: Node) -> None:
        _, mono = graph.split(node, STATE)
        if mono.kind == "prod" and mono not in self._tokens:
            tokens: Counter[Token] = Counter()
            for atom, e in mono.payload[1]:
                tokens[atom if e > 0 else ("inverse", atom)] = abs(e)
            self._tokens[mono] = tokens

    def _candidates(self, mono: Node) -> list[Pair]:
        tokens = self._tokens[mono]
        distinct = sorted(tokens, key=self._order.__getitem__)
        pairs = [(a, a) for a in distinct if tokens[a] > 1]
        for a, b in combinations(distinct, 2):
            pairs.append((b, a) if _is_inverse(a) and not _is_inverse(b) else (a, b))
        return pairs

    def _index(self, mono: Node, add: bool) -> None:
        for pair in self._candidates(mono):
            if add:
                self._where.setdefault(pair, set()).add(mono)
                heappush(self._queue, self._place(pair))
            else:
                users = self._where[pair]
                users.discard(mono)
                if not users:
                    del self._where[pair]

    def _place(self, pair: Pair) -> Place:
        # Most shared first; among equals products before quotients, then the order of appearance.
        a, b = pair
        return (-len(self._where[pair]), _is_inverse(b), self._order[a], self._order[b], pair)

    def _replace(self, pair: Pair) -> None:
        a, b = pair
        if _is_inverse(a) and _is_inverse(b):  # 1/(xy) rather than (1/x)(1/y)
            token: Token = ("inverse", ("times", a[1], b[1]))
        else:
            token = ("times", a, b)
        self._order.setdefault(token, len(self._order))
        for mono in sorted(self._where[pair], key=lambda m: m.index):
            self._index(mono, add=False)
            tokens = self._tokens[mono]
            count = tokens[a] // 2 if a == b else min(tokens[a], tokens[b])
            tokens[a] -= 2 * count if a == b else count
            if a != b:
                tokens[b] -= count
            tokens[token] += count
            self._tokens[mono] = +tokens
            self._index(mono, add=True)

    def result(self, mono: Node) -> Token:
        """The single token that a monomial was cut down to."""
        return self._final[mono]
