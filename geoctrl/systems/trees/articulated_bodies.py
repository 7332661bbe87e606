r"""Accelerations along a tree, by articulated bodies.

What hangs on a link is felt by it as the inertia :math:`\begin{pmatrix} J & H \\ H^T & m\end{pmatrix}` of its
acceleration (a, l), and a bias (n, f). With the columns S of the joint, k of them, and what acts in it,

.. math::

    U = \begin{pmatrix} J & H \\ H^T & m\end{pmatrix} S, \qquad D = S^T U + \text{armature}, \qquad
    u = \tau - S^T (n, f),

the joint passes on the inertia less :math:`U D^{-1} U^T` and the bias with that inertia times the bend, and
:math:`U D^{-1} u`, added. Root to leaves, :math:`\dot\xi = D^{-1}(u - U^T (a, l))`. D of one column is a
number, of a ball or a free joint a matrix, factored as any inertia is; a fixed joint passes on alone
(R. Featherstone, Rigid LinkBody Dynamics Algorithms, 2008, ch. 7). The pivots of D are those of the whole
inertia.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from geoctrl._scalars import Node
from geoctrl._scalars.graph.symmetric_elimination import Factorisation
from geoctrl.errors import SingularMassError
from geoctrl.systems.trees.link_frames import LinkBody, Pair
from geoctrl.systems.trees.newton_euler import Motion
from geoctrl.systems.trees.node_vectors import Rows

__all__ = ["ArticulatedBodies"]

Blocks = tuple[Rows, Rows, Rows]
"""J, H and m."""


@dataclass
class _Joint:
    """What a joint keeps from the way to the root: U, D^-1 U^T by columns, u or D^-1 u."""

    U: list[Pair]
    factored: Factorisation | None = None
    drawn: list[Pair] = field(default_factory=list)
    forces: list[Node] = field(default_factory=list)


class ArticulatedBodies:
    """Accelerations of all joints.

    Attributes
    ----------
    acceleration : list of Node
    pivots : dict of velocity -> Node
    """

    def __init__(self, motion: Motion, forces: Sequence[Node]) -> None:
        self._motion, self._frames = motion, motion.frames
        f = self._frames
        v = f.vectors
        self.pivots: dict[int, Node] = {}
        self._joints: list[_Joint] = [_Joint([])] * len(f.turns)
        self._blocks = [self._of_body(body) for body in f.bodies]
        self._bias: list[Pair] = list(motion.gyroscopic)
        armature = motion.armature_forces(None)
        left = [f.graph.add([force, *(-e for e in armature.get(k, []))]) for k, force in enumerate(forces)]
        for i in reversed(f.order):
            blocks = tuple(v.let(part) for part in self._blocks[i])
            self._joints[i] = self._joint_on_the_way(i, blocks, left)  # type: ignore[arg-type]
        self.acceleration = self._accelerations()

    def _of_body(self, body: LinkBody) -> Blocks:
        v, g = self._frames.vectors, self._frames.graph
        m = [[body.mass if i == j else g.zero for j in range(3)] for i in range(3)]
        return [list(row) for row in body.tensor], v.hat(body.moment), m

    def _joint_on_the_way(self, i: int, blocks: Blocks, forces: Sequence[Node]) -> _Joint:
        """A joint on the way to the root, where the parent is given what it feels of it."""
        f, v, g = self._frames, self._frames.vectors, self._frames.graph
        J, H, m = blocks
        back = v.transpose(H)
        bias: Pair = v.let(self._bias[i][0]), v.let(self._bias[i][1])
        columns, places = f.columns[i], f.spaces[i]
        U: list[Pair] = [
            (v.let(v.add(v.image(J, b), v.image(H, t))), v.let(v.add(v.image(back, b), v.image(m, t))))
            for b, t in columns
        ]
        kept = _Joint(U)
        if columns:
            D = [[v.let(f.force_along(a, *u)) for u in U] for a in columns]
            for k in range(len(columns)):
                D[k][k] = v.let(D[k][k] + f.armatures[i])
            kept.factored = Factorisation(g, D)
            if kept.factored.singular:
                raise SingularMassError(self._refusal(i))
            for k, pivot in zip(kept.factored.order, kept.factored.pivots, strict=True):
                self.pivots[places[k]] = pivot
            kept.forces = [
                v.let(g.add([forces[k], -f.force_along(column, *bias)]))
                for column, k in zip(columns, places, strict=True)
            ]
        parent = f.parents[i]
        if parent is None or not f.carried[i]:
            return kept
        if kept.factored is not None:
            kept.drawn = self._drawn_columns(kept)
            kept.forces = [v.let(e) for e in kept.factored.solve(kept.forces)]
            J, H, m = self._left_over(blocks, kept)
        a, linear = self._motion.bends[i]
        n = [bias[0], v.image(J, a), v.image(H, linear)]
        force = [bias[1], v.image(v.transpose(H), a), v.image(m, linear)]
        for (u_n, u_f), y in zip(U, kept.forces, strict=True):
            n.append(v.times(y, u_n))
            force.append(v.times(y, u_f))
        moved = f.outward(i, v.let(v.add(*n)), v.let(v.add(*force)))
        self._bias[parent] = v.add(self._bias[parent][0], moved[0]), v.add(self._bias[parent][1], moved[1])
        carried = self._blocks_outside(i, J, H, m)
        self._blocks[parent] = tuple(  # type: ignore[assignment]
            v.sum(own, part) for own, part in zip(self._blocks[parent], carried, strict=True)
        )
        return kept

    def _drawn_columns(self, joint: _Joint) -> list[Pair]:
        """D^-1 U^T, a pair for each column of the joint."""
        v, factored, k = self._frames.vectors, joint.factored, range(len(joint.U))
        assert factored is not None
        solved = [
            [[v.let(e) for e in factored.solve([joint.U[c][part][a] for c in k])] for a in range(3)]
            for part in (0, 1)
        ]
        return [([solved[0][a][c] for a in range(3)], [solved[1][a][c] for a in range(3)]) for c in k]

    def _left_over(self, blocks: Blocks, joint: _Joint) -> Blocks:
        """The inertia less U D^-1 U^T."""
        v, g = self._frames.vectors, self._frames.graph
        J, H, m = blocks
        pairs = list(zip(joint.U, joint.drawn, strict=True))

        def less(block: Rows, row: int, column: int, a: int, b: int) -> Node:
            return g.add([block[a][b], *(-(drawn[row][a] * u[column][b]) for u, drawn in pairs)])

        return v.let(
            [
                v.symmetric(lambda a, b: less(J, 0, 0, a, b)),
                [[less(H, 0, 1, a, b) for b in range(3)] for a in range(3)],
                v.symmetric(lambda a, b: less(m, 1, 1, a, b)),
            ]
        )

    def _blocks_outside(self, i: int, J: Rows, H: Rows, m: Rows) -> Blocks:
        """The inertia about the origin of the parent's frame, in its axes."""
        f, v, g = self._frames, self._frames.vectors, self._frames.graph
        R, across = f.turns[i], v.hat(f.places[i])
        H1 = v.let(v.product(v.let(v.product(R, H)), v.transpose(R)))
        J1, m1 = (v.let(v.seen_from_outside(R, part)) for part in (J, m))
        H2 = v.let(v.sum(H1, v.let(v.product(across, m1))))

        def entry(a: int, b: int) -> Node:
            return g.add([J1[a][b], v.dot(H1[a], across[b]), v.dot(across[a], H2[b])])

        return v.symmetric(entry), H2, m1

    def _accelerations(self) -> list[Node]:
        """Root to leaves."""
        f, v, g = self._frames, self._frames.vectors, self._frames.graph
        found = [g.zero] * f.count
        at: list[Pair] = [(v.zero, v.zero)] * len(f.turns)
        for i in f.order:
            parent, joint = f.parents[i], self._joints[i]
            before = (v.zero, v.minus(f.gravity)) if parent is None else at[parent]
            a, linear = f.inward(i, *before)
            bend = self._motion.bends[i]
            a, linear = v.let(v.add(a, bend[0])), v.let(v.add(linear, bend[1]))
            if joint.drawn:
                rates = [
                    v.let(g.add([y, -f.force_along(drawn, a, linear)]))
                    for y, drawn in zip(joint.forces, joint.drawn, strict=True)
                ]
            elif joint.factored is not None:
                right = [
                    v.let(g.add([y, -f.force_along(u, a, linear)]))
                    for y, u in zip(joint.forces, joint.U, strict=True)
                ]
                rates = [v.let(e) for e in joint.factored.solve(right)]
            else:
                rates = []
            for k, rate in zip(f.spaces[i], rates, strict=True):
                found[k] = rate
            own = f.own_velocity(i, found)
            at[i] = v.add(a, own[0]), v.add(linear, own[1])
        return found

    def _refusal(self, i: int) -> str:
        link = self._frames.tree.links[i]
        return (
            f"the joint {link.joint.name!r} of the link {link.name!r} moves nothing that has inertia in its "
            "direction: give that link, or one that hangs on it, mass= and inertia=, or the joint armature="
        )
