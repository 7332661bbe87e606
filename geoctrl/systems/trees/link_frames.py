r"""Frames of the links of a tree, recorded.

A link's frame has the turn R (child to parent) and the place p (in the parent's axes)

.. math::

    R = R_0\,\mathrm{Rot}(a, q), \quad p = p_0 \quad (\text{hinge}); \qquad
    R = R_0, \quad p = p_0 + R_0\, a\, q \quad (\text{slide});

    R = R_0\,(E_1; E_2; E_3), \quad p = p_0 + R_0\,(x, y, z) \quad (\text{ball, planar, free}),

with the rows that are states. Rows that gravity does not depend on are zero, or those of a plane that is not
turned: nothing is asked of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from geoctrl._scalars import PARAMETER, STATE, FromSympy, Graph, Node
from geoctrl.systems.trees.joints import Fixed, Hinge, Planar, Slide
from geoctrl.systems.trees.node_vectors import Rows, Triple, Triples

__all__ = ["LinkBody", "LinkFrames", "symbolic_frames"]

Pair = tuple[Triple, Triple]
"""Angular and linear part of a velocity, or couple and force."""


@dataclass(frozen=True)
class LinkBody:
    """Mass, first moment and tensor about the origin of a link's frame."""

    mass: Node
    moment: Triple
    tensor: Rows


class LinkFrames:
    """Frames, joints and bodies of all links as nodes of a graph.

    Attributes
    ----------
    turns, places : lists of R and p
    resting_turns : list of R0
    columns : list of the unit velocities of each link's joint
    bodies : list of LinkBody
    gravity : Triple
    armatures : list of Node
    spaces : list of range
        Places of each joint's velocities among all.
    carried : list of bool
        Whether the frame that a link hangs on moves.
    count : int
        Number of velocities.

    Parameters
    ----------
    convert : callable
        From expressions in parameters and the configuration to nodes.
    named : bool
        Whether values that are used more than once get names.
    turning : bool
        Whether frames turn with bodies that look the same in axes which do not: those that nothing hangs on,
        symmetric about the axis of their hinge. Equations do not need it, and hold no angle then.
    """

    def __init__(
        self, tree: Any, graph: Graph, convert: Callable[[Any], Node], named: bool, turning: bool = False
    ) -> None:
        self.tree, self.graph, self.vectors = tree, graph, Triples(graph, named)
        self.converted, self._turning = convert, turning
        let = self.vectors.let
        self.parents = tree.parents
        self.order = tree.order
        self.count = len(tree.labels)
        self.gravity = [convert(e) for e in tree.gravity]
        self.columns: list[list[Pair]] = []
        self.turns: list[Rows] = []
        self.resting_turns = [[self._numbers(row) for row in link.turn.matrix] for link in tree.links]
        self.places: list[Triple] = []
        self.bodies: list[LinkBody] = []
        self.armatures: list[Node] = []
        self.spaces = [tree.velocity_places.get(i, range(0)) for i in range(len(tree.links))]
        self.carried = [i not in tree.fixed_turns for i in range(len(tree.links))]
        for i, link in enumerate(tree.links):
            R, p = self._frame(i)
            self.turns.append(let(R))
            self.places.append(let(p))
            self.columns.append([(self._numbers(b), self._numbers(t)) for b, t in link.joint.columns])
            self.armatures.append(convert(link.joint.armature))
            tensor = self._matrix(link.tensor)
            self.bodies.append(LinkBody(convert(link.mass), [convert(e) for e in link.first_moment], tensor))

    def _numbers(self, given: Any) -> Triple:
        return [self.graph.number(e) for e in given]

    def _matrix(self, given: sp.Matrix) -> Rows:
        return [[self.converted(e) for e in row] for row in given.tolist()]

    def _frame(self, i: int) -> tuple[Rows, Triple]:
        """R and p of a link."""
        v, link = self.vectors, self.tree.links[i]
        joint = link.joint
        R0 = self.resting_turns[i]
        p0 = [self.converted(e) for e in link.place]
        if isinstance(joint, Fixed):
            return R0, p0
        if isinstance(joint, (Hinge, Slide)):
            if not self._turning and self.tree.is_symmetric(i):
                return R0, p0
            q = self.converted(sp.Symbol(joint.name, real=True))
            axis = self._numbers(joint.axis)
            if isinstance(joint, Slide):
                return R0, v.add(p0, v.times(q, v.image(R0, axis)))
            return v.product(R0, self._turn_about(axis, q)), p0
        rows, heights = self.tree.rows[i], self.tree.heights[i]
        turned = {k: [self.converted(s) for s in vector.symbols] for k, vector in rows.items()}
        moved = [self.converted(heights[k].symbol) if k in heights else self.graph.zero for k in range(3)]
        own = self._plane(turned) if isinstance(joint, Planar) else [turned.get(k, v.zero) for k in range(3)]
        return v.product(R0, own), v.add(p0, v.image(R0, moved))

    def _turn_about(self, axis: Triple, q: Node) -> Rows:
        """The turn by an angle about a unit axis, 1 cos q + (1 - cos q) a a^T + sin q hat(a)."""
        g, v = self.graph, self.vectors
        sine, cosine = g.fun("sin", q), g.fun("cos", q)
        versine, hat = g.one - cosine, v.hat(axis)
        return [
            [
                g.add([cosine if i == j else g.zero, versine * axis[i] * axis[j], sine * hat[i][j]])
                if abs(axis[i].payload * axis[j].payload) != 1
                else g.one
                for j in range(3)
            ]
            for i in range(3)
        ]

    def _plane(self, turned: Mapping[int, Triple]) -> Rows:
        """A turn in a plane from one of its rows, or both."""
        g = self.graph
        first, second = turned.get(0), turned.get(1)
        if first is None:
            first = [g.one, g.zero] if second is None else [second[1], -second[0]]
        if second is None:
            second = [-first[1], first[0]]
        return [[*first, g.zero], [*second, g.zero], [g.zero, g.zero, g.one]]

    # -- from a link to what it hangs on --------------------------------------------------------

    def inward(self, i: int, angular: Triple, linear: Triple) -> Pair:
        """A velocity of the parent's frame as the link's frame has it: R^T w, R^T (v + w x p)."""
        v = self.vectors
        back = v.transpose(self.turns[i])
        return v.image(back, angular), v.image(back, v.add(linear, v.cross(angular, self.places[i])))

    def outward(self, i: int, couple: Triple, force: Triple) -> Pair:
        """A couple and a force at the link's origin as they act at the parent's: R n + p x R f, R f."""
        v = self.vectors
        f = v.let(v.image(self.turns[i], force))
        return v.add(v.image(self.turns[i], couple), v.cross(self.places[i], f)), f

    def force_along(self, column: Pair, couple: Triple, force: Triple) -> Node:
        """Generalised force of a couple and a force along a unit velocity."""
        v = self.vectors
        return self.graph.add([v.dot(column[0], couple), v.dot(column[1], force)])

    def own_velocity(self, i: int, rates: list[Node]) -> Pair:
        """sum of columns times rates of a link's joint."""
        v = self.vectors
        angular, linear = v.zero, v.zero
        for (b, t), k in zip(self.columns[i], self.spaces[i], strict=True):
            angular, linear = v.add(angular, v.times(rates[k], b)), v.add(linear, v.times(rates[k], t))
        return angular, linear

    def momentum_of(self, body: LinkBody, angular: Triple, linear: Triple) -> Pair:
        """I w + h x v, m v - h x w."""
        v = self.vectors
        return (
            v.add(v.image(body.tensor, angular), v.cross(body.moment, linear)),
            v.add(v.times(body.mass, linear), v.cross(angular, body.moment)),
        )

    def frames_in_space(self) -> list[tuple[Rows, Triple]]:
        """Turn and place of every link against the axes fixed in space."""
        v = self.vectors
        found: list[Any] = [None] * len(self.turns)
        for i in self.order:
            parent = self.parents[i]
            if parent is None:
                found[i] = self.turns[i], self.places[i]
            else:
                R, p = found[parent]
                found[i] = v.let(v.product(R, self.turns[i])), v.let(v.add(p, v.image(R, self.places[i])))
        return found


def symbolic_frames(tree: Any, turning: bool = False) -> tuple[LinkFrames, Mapping[Node, sp.Symbol]]:
    """Frames in a graph of their own, and the symbols that its nodes stand for."""
    graph = Graph()
    moving = [s for v in tree.vectors for s in v.symbols] + [c.symbol for c in tree.shape]
    if turning:
        moving += [sp.Symbol(joint.name, real=True) for _, joint in tree.spins]
    nodes = {s: graph.symbol(str(s), STATE) for s in moving}
    nodes |= {s: graph.symbol(str(s), PARAMETER) for s in tree.free_symbols}
    frames = LinkFrames(tree, graph, FromSympy(graph, nodes), not tree.is_small, turning)
    return frames, {n: s for s, n in nodes.items()}
