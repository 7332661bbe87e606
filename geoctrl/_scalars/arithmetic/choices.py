"""Expressions with abs, sign and choices taken apart: their branches, and where these meet.

What a choice asks is the sign of its argument, a product of powers of atoms. The atoms, each once whatever
multiples and products of it are asked, are the `switches`; signs of all of them make a branch, in which no
choice is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from geoctrl._scalars.arithmetic.arithmetics import FLOAT, evaluate
from geoctrl._scalars.graph.form_signs import NEGATIVE, POSITIVE, form_signs
from geoctrl._scalars.graph.freed_switches import with_free_switches
from geoctrl._scalars.graph.graph import STATE, Graph, Node

__all__ = ["Branch", "Choices", "TooManyChoices", "UnknownSwitch"]

MOST = 8
"""Switches of which all combinations of signs are looked at."""

_NAMES = ("abs", "sign", "select_positive", "select_nonnegative")

Branch = Mapping[Node, int]
"""The signs of the switches: 1, -1, or 0 on a switch itself."""


class TooManyChoices(Exception):  # noqa: N818 - an answer rather than a failure
    """More switches than all combinations of their signs can be looked at."""


class Choices:
    """The switches of some expressions.

    Parameters
    ----------
    nodes : the expressions
    positive : symbols that are known to be positive
    numbers : dict of symbol -> number
        Of parameters: what switches by these alone takes the branch that they choose.

    Attributes
    ----------
    switches : list of Node
        At whose zeros branches meet.
    by_parameters : bool
        Whether something switches by parameters alone.
    """

    def __init__(
        self,
        graph: Graph,
        nodes: Sequence[Node],
        positive: frozenset[Node] = frozenset(),
        numbers: Mapping[Node, Fraction | float] | None = None,
    ) -> None:
        self.graph, self.positive, self._numbers = graph, positive, dict(numbers or {})
        self.switches: list[Node] = []
        self.by_parameters = False
        self._of_form: dict[Node, frozenset[int]] = {}
        self._choosing: dict[Node, bool] = {}
        self._asked: dict[Node, set[tuple[str, Node]]] = {}
        while (missing := self._missing(nodes)) is not None:
            self.switches.append(missing)
            if len(self.switches) > MOST:
                raise TooManyChoices(f"more than {MOST} choices")

    def _missing(self, nodes: Sequence[Node]) -> Node | None:
        """A switch that some branch asks for and that is not known yet."""
        for branch in self.branches():
            try:
                self.in_branch(nodes, branch)
            except UnknownSwitch as missing:
                return missing.switch
        return None

    @property
    def any(self) -> bool:
        """Whether there is something to choose."""
        return bool(self.switches) or self.by_parameters

    def is_one_sided(self, nodes: Sequence[Node]) -> bool:
        """Whether what nodes are on a switch itself is what they are on one of its sides."""
        asked = self._asked_by(nodes).values()
        return all(len(pairs) < 2 and not {"sign", "even"} & dict(pairs).keys() for pairs in asked)

    def is_between(self, nodes: Sequence[Node]) -> bool:
        """Whether what nodes are on switches themselves is a mean of what they are beside them.

        On one side, or of signs each of which goes in linearly: the sign of zero is the mean of both.
        """
        asked = self._asked_by(nodes).values()
        if not all(len(pairs) == 1 and "sign" in dict(pairs) for pairs in asked):
            return self.is_one_sided(nodes)
        free, numbers = with_free_switches(self.graph, nodes)
        slopes = self.graph.derivatives
        return all(e.is_zero for s in numbers.values() for e in slopes(slopes(free, s), s))

    def _asked_by(self, nodes: Sequence[Node]) -> dict[Node, set[tuple[str, Node]]]:
        """How switches are asked by nodes: the names of the choices, or "even", and the arguments."""
        self._asked = {}
        for branch in self.branches():
            self.in_branch(nodes, branch)
        return self._asked

    @property
    def moving(self) -> list[Node]:
        """The switches that a motion may pass: not those by parameters alone."""
        return [a for a in self.switches if a.level == STATE]

    # -- branches -------------------------------------------------------------------------------

    def branches(self) -> Iterator[Branch]:
        """All combinations of signs but those that are seen to hold nowhere."""
        for signs in product((1, -1), repeat=len(self.switches)):
            branch = dict(zip(self.switches, signs, strict=True))
            if not self._is_empty(branch):
                yield branch

    def sides(self, switch: Node, every: bool = False) -> Iterator[tuple[Branch, Branch]]:
        """The pairs of branches that meet at the zeros of one switch; or ``every`` one that may be."""
        others = [a for a in self.switches if a is not switch]
        for signs in product((1, -1), repeat=len(others)):
            around = dict(zip(others, signs, strict=True))
            pair = self._in_order(around | {switch: 1}), self._in_order(around | {switch: -1})
            if not any(map(self._is_empty, pair)) and (every or self.reaches(switch, around)):
                yield pair

    def _in_order(self, branch: Branch) -> Branch:
        return {a: branch[a] for a in self.switches}

    def on_switches(self) -> Iterator[Branch]:
        """All combinations of signs with zeros among them, but those that are seen to hold nowhere."""
        of_each = [(1, -1, 0) if a in self.moving else (1, -1) for a in self.switches]
        for signs in product(*of_each):
            if 0 in signs:
                branch = dict(zip(self.switches, signs, strict=True))
                away = {a: sign for a, sign in branch.items() if sign}
                if not self._is_empty(away) and all(self.reaches(a, away) for a in branch if not branch[a]):
                    yield branch

    def in_branch(self, nodes: Sequence[Node], branch: Branch) -> list[Node]:
        """The nodes without choices, as they are in a branch."""
        image: dict[Node, Node] = {}
        graph = self.graph
        for node in graph.reachable(nodes):
            if not self._has_choices(node):
                image[node] = node
            elif node.kind == "prod":
                q, items = node.payload
                image[node] = graph.mul([graph.number(q), *(graph.power(image[a], e) for a, e in items)])
            elif node.kind == "sum":
                image[node] = graph.add([image[c] * image[mono] for c, mono in node.payload])
            else:
                name, args = node.payload
                values = [image[a] for a in args]
                if name in _NAMES and name != "abs":
                    for atom, e in graph.factors(values[0])[1].items():
                        odd = e % 2 == 1 and self.signs(atom) >= NEGATIVE | POSITIVE
                        self._asked.setdefault(atom, set()).add((name if odd else "even", values[0]))
                image[node] = (
                    self._branch_value(name, values, self._sign(values[0], branch))
                    if name in _NAMES
                    else graph.fun(name, *values)
                )
        return [image[node] for node in nodes]

    def _has_choices(self, node: Node) -> bool:
        if node not in self._choosing:
            own = node.kind == "fun" and node.payload[0] in _NAMES
            # Children come before their parents in the walk.
            self._choosing[node] = own or any(map(self._has_choices, self.graph.children(node)))
        return self._choosing[node]

    def _branch_value(self, name: str, values: Sequence[Node], sign: int) -> Node:
        if name == "sign":
            return self.graph.number(sign)
        if name == "abs":
            return values[0] if sign >= 0 else -values[0]
        return values[1] if sign > 0 or (sign == 0 and name == "select_nonnegative") else values[2]

    def _sign(self, argument: Node, branch: Branch) -> int:
        q, atoms = self.graph.factors(argument)
        sign = (q > 0) - (q < 0)
        for atom, e in atoms.items():
            sign *= self._sign_of_atom(atom, branch) ** abs(e)
        return sign

    def _sign_of_atom(self, atom: Node, branch: Branch) -> int:
        if atom in branch:
            return branch[atom]
        known = self.signs(atom)
        if len(known) == 1:
            return next(iter(known))
        if atom.level < STATE:
            self.by_parameters = True
            symbols = self.graph.symbols([atom])
            if symbols <= self._numbers.keys():
                (value,) = evaluate([atom], {s: float(self._numbers[s]) for s in symbols}, FLOAT)
                return int(value > 0) - int(value < 0)
        raise UnknownSwitch(atom)

    def signs(self, node: Node) -> frozenset[int]:
        """The signs that the form of a node allows."""
        if node not in self._of_form:
            (self._of_form[node],) = form_signs(self.graph, [node], self.positive)
        return self._of_form[node]

    # -- where nothing is -----------------------------------------------------------------------

    def _is_empty(self, branch: Branch) -> bool:
        """Whether signs are seen to hold nowhere together: by form, or two of them, as x < 0 and x > 1."""
        signs = list(branch.items())
        return any(sign not in self.signs(a) for a, sign in signs) or any(
            self._contradicts(*first, *second) for i, first in enumerate(signs) for second in signs[:i]
        )

    def _contradicts(self, a: Node, sign: int, b: Node, other: int) -> bool:
        """Whether a combination of two functions of these signs, which would be positive, is negative."""
        ratio = self._ratio(a, b)
        if ratio is None:
            return False
        sense = self.signs(ratio)
        if len(sense) != 1 or sign * other * next(iter(sense)) != -1:
            return False
        # sign a > 0 and -sign ratio b > 0: their sum holds no state.
        return self.signs(sign * (a - ratio * b)) == NEGATIVE

    def _ratio(self, a: Node, b: Node) -> Node | None:
        """The factor, without states, between the parts of two functions that hold states."""
        (p, q) = (self._moving_terms(node) for node in (a, b))
        if p.keys() != q.keys():
            return None
        ratios = {p[mono] / q[mono] for mono in p}
        return ratios.pop() if len(ratios) == 1 else None

    def _moving_terms(self, node: Node) -> dict[Node, Node]:
        terms = node.payload if node.kind == "sum" else ((self.graph.one, node),)
        return {mono: c for c, mono in terms if mono.level == STATE}

    # -- on a switch ----------------------------------------------------------------------------

    def reaches(self, switch: Node, around: Branch, weakly: bool = False) -> bool:
        """Whether the zeros of a switch may have points where others have these signs.

        ``weakly``: or zeros of theirs too.
        """
        image = self.elimination(switch)
        if image is None:
            return True
        found: dict[Node, int] = {}
        for other, sign in around.items():
            (node,) = self.graph.substitute([other], image)
            form = self.signs(node)
            if other is switch or node.is_zero or form == {sign}:
                continue
            if sign not in form and not (weakly and 0 in form):
                return False
            q, atoms = self.graph.factors(node)
            open_ones = [(atom, e) for atom, e in atoms.items() if self.signs(atom) != POSITIVE]
            if not weakly and len(open_ones) == 1 and open_ones[0][1] == 1:
                sense = sign if q > 0 else -sign
                if found.setdefault(open_ones[0][0], sense) != sense:
                    return False
        return True

    def elimination(self, switch: Node) -> dict[Node, Node] | None:
        """A state's symbol with what it is where the switch is zero; None where none stands alone."""
        if switch.kind == "sym":
            return {switch: self.graph.zero}
        if switch.kind != "sum":
            return None
        for c, mono in switch.payload:
            alone = mono.kind == "sym" and mono.level == STATE and c.level < STATE
            if alone and self.signs(c) in (POSITIVE, NEGATIVE):
                rest = switch - c * mono
                if mono not in self.graph.symbols([rest]):
                    return {mono: -rest / c}
        return None


class UnknownSwitch(Exception):  # noqa: N818 - an answer rather than a failure
    """A choice that no branch asks for: it comes up on a switch itself."""

    def __init__(self, switch: Node) -> None:
        super().__init__()
        self.switch = switch
