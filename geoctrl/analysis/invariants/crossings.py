r"""What motions keep where they pass from one branch of the equations, or of a function, to another.

F is conserved within each branch. Motions are solutions in the sense of Filippov, :math:`\dot x` in the
convex hull of the rates of the branches that meet, and those of the equations as they are written, with the
values that sign and choices have on a switch itself. At a switch a = 0, with sides + and -, F is kept if it
is continuous there and

- motions pass: :math:`\dot a` has one strict sign on all branches around, or
- at all other switches too the rates are continuous: then they are those of either side, or
- at all other switches too the jump of the gradient does no work, :math:`(DF_+ - DF_-)\cdot f = 0` where
  a = 0, for the rates f of every branch around, at points of its edge. Where :math:`\dot a` is the same in
  all of them a motion stays on the switch only while it vanishes, and a multiple of it is no work.

For a motion that spends time on some switches has rates there which are a mean of those f_s of the branches
that meet. With every jump that lies between two branches without work, :math:`DF_r\cdot f_s` is the same for
all r, hence that for r = s, zero; where the rates are continuous all f_s are one [Filippov 1988, ch. 2].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from geoctrl import decisions
from geoctrl._scalars import Graph, Node
from geoctrl._scalars.arithmetic.choices import Branch, Choices, UnknownSwitch
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.analysis.question.table import Stored, Table
from geoctrl.errors import DivisionError

__all__ = ["TIME", "Crossings"]

TIME = "time"

_LARGEST = 5_000_000
_SPECIAL = 5
"""Switches of which all combinations of signs and zeros are looked at."""


class Crossings:
    """A function and a motion, both in pieces.

    Parameters
    ----------
    motion : EquationsOfMotion
        What choices ask may hold its states, its parameters and the time, no inputs.
    node : the function
    choices : of the motion and the function
    time, clock : the node of the time, and its rate
    words : of a switch
    end : time at which to give up
    """

    def __init__(
        self,
        motion: EquationsOfMotion,
        node: Node,
        choices: Choices,
        time: Node,
        clock: Node,
        words: Callable[[Node], str],
        end: float,
    ) -> None:
        self.motion, self.node, self.choices, self._words = motion, node, choices, words
        self._time, self._clock, self._end = time, clock, end
        self._graph: Graph = motion.graph
        self._motions: dict[tuple, EquationsOfMotion] = {}
        self._known: dict[tuple, bool] = {}
        self._pairs: dict[Node, list[tuple[Branch, Branch]]] = {}
        self._own: dict[Node, list[Node]] = {}
        self._pieces: dict[tuple, tuple[Node, ...]] = {}
        self._functions: dict[tuple, Node] = {}
        self._rates: dict[tuple, Node] = {}
        self._near: dict[Node, list[Branch]] = {}

    def in_branch(self, branch: Branch) -> tuple[EquationsOfMotion, Node]:
        """Motion and function in one branch."""
        key = tuple(branch.values())
        if key not in self._motions:
            self._motions[key] = self.motion.in_branch(self.choices, branch)
        return self._motions[key], self._function(branch)

    def _function(self, branch: Branch) -> Node:
        key = tuple(branch.values())
        if key not in self._functions:
            (self._functions[key],) = self.choices.in_branch([self.node], branch)
        return self._functions[key]

    def vanishes(self, node: Node) -> bool:
        """Whether some function vanishes on the leaf in a branch."""
        return any(
            all(n.is_zero or self._vanish(b, [n], []) for n in self.choices.in_branch([node], b))
            for b in self.choices.branches()
        )

    def obstacle(self, apart: Sequence[Node] = ()) -> str:
        """Why the function is not proved to be kept across the switches; empty where it is.

        Parameters
        ----------
        apart : functions at whose zeros nothing is said
        """
        left_out = [a for a in self.choices.moving if any(self._holds(c, a) for c in apart)]
        switches = [a for a in self.choices.moving if a not in left_out]
        if jumps := [a for a in switches if not self._is_continuous(a)]:
            return f"constant between switches of {', '.join(map(self._words, jumps))}, jumps there"
        staying = [a for a in switches if not self._passes(a)]
        if not all(map(self._has_rates, staying)):
            slides = [a for a in staying if not self._does_no_work(a)]
            if slides:
                return f"motions may slide on {self._zeros(slides)}"
        return self._special(left_out)

    def _holds(self, node: Node, switch: Node) -> bool:
        """Whether a function has a switch as a factor in every branch."""
        images = (self.choices.in_branch([node], branch)[0] for branch in self.choices.branches())
        return all(switch in self._graph.factors(image)[1] for image in images)

    def _zeros(self, switches: Sequence[Node]) -> str:
        return ", ".join(f"{self._words(a)} = 0" for a in switches)

    # -- conditions -----------------------------------------------------------------------------

    def _sides(self, switch: Node) -> list[tuple[Branch, Branch]]:
        """The pairs of branches that meet at the zeros of a switch."""
        if switch not in self._pairs:
            every = self._coincide
            pairs = self.choices.sides(switch, every)
            self._pairs[switch] = [pair for pair in pairs if every or self._meet(switch, pair[0])]
        return self._pairs[switch]

    @cached_property
    def _coincide(self) -> bool:
        """Whether two switches have zeros in common that none of them passes alone, as q and sin q.

        Branches then meet that differ in the signs of both: all those between them are looked at.
        """
        branch, switches = next(self.choices.branches()), self.choices.moving
        return any(self._vanish(branch, [b], [a]) for a in switches for b in switches if a is not b)

    def _meet(self, switch: Node, around: Branch) -> bool:
        """Whether others may have their signs there: not where two of them are one function up to a sign."""
        others = [(a, sign) for a, sign in around.items() if a is not switch]
        return not any(
            self._vanish(around, [a + sign * other_sign * b], [switch])
            for i, (a, sign) in enumerate(others)
            for b, other_sign in others[:i]
        )

    def _is_continuous(self, switch: Node) -> bool:
        """Whether the function is."""
        return all(
            self._vanish(sides[0], [self._function(sides[0]) - self._function(sides[1])], [switch])
            for sides in self._sides(switch)
        )

    def _has_rates(self, switch: Node) -> bool:
        """Whether the rates are continuous: all that the equations are made of is."""
        for sides in self._sides(switch):
            above, below = (self.in_branch(branch)[0].nodes for branch in sides)
            gaps = {a - b for a, b in zip(above, below, strict=True) if a is not b}
            if not self._vanish(sides[0], sorted(gaps, key=lambda node: node.index), [switch]):
                return False
        return True

    def _passes(self, switch: Node) -> bool:
        """Whether the argument grows, or falls, in all branches where it vanishes."""
        image = self.choices.elimination(switch) or {}
        found: set[int] = set()
        for branch in self._branches_at(switch):
            try:
                (rate,) = self._graph.substitute([self._rate(switch, branch)], image)
            except DivisionError:
                return False
            found |= self.choices.signs(rate)
        return found in ({1}, {-1})

    def _does_no_work(self, switch: Node) -> bool:
        """Whether the jump of the gradient does none in any branch around: next to a side, where all vanish
        that have other signs there.
        """
        for above, below in self._sides(switch):
            jump = self._function(above) - self._function(below)
            for branch in self._branches_at(switch):
                zeros = [switch, *(a for a, s in branch.items() if a is not switch and s != above[a])]
                zeros += [rate for a in zeros for rate in self._own_rate(a)]
                if not self._vanish(above, [self._rate(jump, branch)], zeros):
                    return False
        return True

    def _own_rate(self, switch: Node) -> list[Node]:
        """The rate of a switch where it is the same in all branches around."""
        if switch not in self._own:
            around = self._branches_at(switch)
            rates = list(dict.fromkeys(self._rate(switch, branch) for branch in around))
            gaps = [rate - rates[0] for rate in rates[1:]]
            same = bool(rates) and self._vanish(around[0], gaps, [switch])
            self._own[switch] = rates[:1] if same else []
        return self._own[switch]

    def _branches_at(self, switch: Node) -> list[Branch]:
        """The branches of which the switch may be an edge."""
        if switch not in self._near:
            branches = self.choices.branches()
            self._near[switch] = [b for b in branches if self.choices.reaches(switch, b, weakly=True)]
        return self._near[switch]

    def _special(self, apart: Sequence[Node]) -> str:
        """What the values on switches themselves spoil, of sign and of choices that differ there."""
        # A mean of the rates beside is looked at already.
        others = [node for node in self.motion.nodes if node not in self.motion.force]
        means = self.choices.is_one_sided(others) and self.choices.is_between(self.motion.force)
        if means and self.choices.is_one_sided([self.node]):
            return ""
        if len(self.choices.switches) > _SPECIAL:
            return f"more than {_SPECIAL} choices, with values of their own where they switch"
        for branch in self.choices.on_switches():
            beside = [
                b for b in self.choices.branches() if all(sign in (0, b[a]) for a, sign in branch.items())
            ]
            if any(not branch[a] for a in apart) or not beside:
                continue
            zeros = [a for a, sign in branch.items() if not sign]
            try:
                piece = self._piece(branch)
            except UnknownSwitch:
                return f"something else switches on {self._zeros(zeros)}"
            if piece in map(self._piece, beside):
                continue
            node = self._function(beside[0])
            if not self._vanish(beside[0], [self._function(branch) - node], zeros):
                return f"it has values of its own on {self._zeros(zeros)}"
            rates = [self._rate(a, branch) for a in zeros]
            if not self._vanish(beside[0], [self._rate(node, branch)], [*zeros, *rates]):
                return f"motions may stay on {self._zeros(zeros)}"
        return ""

    def _piece(self, branch: Branch) -> tuple[Node, ...]:
        """Motion and function in a branch, or on a switch."""
        key = tuple(branch.values())
        if key not in self._pieces:
            self._pieces[key] = tuple(self.choices.in_branch([*self.motion.nodes, self.node], branch))
        return self._pieces[key]

    # -- rates and identities -------------------------------------------------------------------

    def _rate(self, node: Node, branch: Branch) -> Node:
        """Of a function of the states along the motion of a branch."""
        key = (node, *branch.values())
        if key not in self._rates:
            motion = self.in_branch(branch)[0]
            tangents = dict(zip(motion.states.values(), motion.all_rates, strict=True))
            (self._rates[key],) = self._graph.push_forward([node], tangents | {self._time: self._clock})
        return self._rates[key]

    def _vanish(self, branch: Branch, nodes: Sequence[Node], zeros: Sequence[Node]) -> bool:
        """Whether functions vanish on the leaf, as it is in a branch, where others do."""
        nodes = [node for node in nodes if not node.is_zero]
        leaf = list(self.in_branch(branch)[0].leaf.values())
        for a in zeros:
            image = self.choices.elimination(a)
            if image is not None:
                try:
                    nodes, leaf = (self._graph.substitute(part, image) for part in (nodes, leaf))
                    zeros = self._graph.substitute(zeros, image)
                except DivisionError:
                    return False
        zeros = [*leaf, *zeros]
        return all(self._vanishes(node, zeros) for node in nodes if not node.is_zero)

    def _vanishes(self, node: Node, zeros: Sequence[Node]) -> bool:
        key = (node, *zeros)
        if key not in self._known:
            self._known[key] = self._is_proved_zero(node, [a for a in zeros if not a.is_zero])
        return self._known[key]

    def _is_proved_zero(self, node: Node, zeros: Sequence[Node]) -> bool:
        motion, graph = self.motion, self._graph
        roles = {
            "state": {**motion.states, TIME: self._time},
            "input": motion.inputs,
            "parameter": motion.parameters,
        }
        table = Table(graph, {n: (k, role) for role, named in roles.items() for k, n in named.items()})
        places = table.places([node, *zeros])
        data = {
            "kind": "equations",
            **{f"{role}s": dict.fromkeys(named, "0") for role, named in roles.items()},
            **{part: [] for part in ("unknowns", "matrix", "right")},
            "field": table.places([graph.zero]) * len(roles["state"]),
            "leaf": {},
            "invariants": {str(i): place for i, place in enumerate(places)},
            "weights": {},
            "nodes": table.rows,
        }
        question = decisions.Question(Stored.of(data).read, exact=False)
        question.numbers.deadline = self._end
        question.variables += list(question.numbers_of("input", "parameter"))
        functions = question.functions
        functions.largest = _LARGEST
        left, *relations = question.ratios(places)
        for relation in relations:
            rest = functions.remainder(relation)
            if rest and rest.is_constant():
                return True  # nothing is there
            functions.require_relation(relation)
        return not functions.remainder(left)
