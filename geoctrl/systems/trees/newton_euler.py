r"""Newton's and Euler's equations along a tree.

Root to leaves, with the joint's velocity :math:`\sigma = (\sigma_w, \sigma_v)` in the link's own axes,

.. math::

    w &= R^T w_j + \sigma_w, & v &= R^T (v_j + w_j \times p) + \sigma_v, \\
    a &= R^T a_j + w \times \sigma_w + \dot\sigma_w, &
    l &= R^T (l_j + a_j \times p) + v \times \sigma_w + w \times \sigma_v + \dot\sigma_v,

where the root's linear acceleration is minus gravity; and leaves to root, the momenta (n, f) of each body,

.. math::

    n_i = n(a, l) + w \times n(w, v) + v \times f(w, v), \qquad f_i = f(a, l) + w \times f(w, v),

with those of the links that hang on it moved along. Their parts along the columns of the joints are what acts
in them. Composite bodies give the inertia by columns: the momentum of what hangs on a joint at its unit
velocity. Armature is a further inertia of the joint's own velocities, on its group.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from geoctrl._scalars import Node
from geoctrl.systems.trees.joints import GroupJoint
from geoctrl.systems.trees.link_frames import LinkBody, LinkFrames, Pair
from geoctrl.systems.trees.node_vectors import Rows

__all__ = ["Motion", "composite_inertia"]


class Motion:
    """Velocities of all links, at rates of all joints.

    Attributes
    ----------
    velocities : list of (w, v)
    bends : list of (w x sigma_w, v x sigma_w + w x sigma_v)
        What a link accelerates by while rates are constant, beside what it is carried along by.
    """

    def __init__(self, frames: LinkFrames, rates: Sequence[Node]) -> None:
        self.frames, self.rates = frames, list(rates)
        v, count = frames.vectors, len(frames.turns)
        self.velocities: list[Pair] = [(v.zero, v.zero)] * count
        self.bends: list[Pair] = [(v.zero, v.zero)] * count
        for i in frames.order:
            parent, own = frames.parents[i], frames.own_velocity(i, self.rates)
            w, linear = own
            if parent is not None and frames.carried[i]:
                brought = frames.inward(i, *self.velocities[parent])
                w, linear = v.let(v.add(brought[0], own[0])), v.let(v.add(brought[1], own[1]))
                self.bends[i] = (
                    v.let(v.cross(w, own[0])),
                    v.let(v.add(v.cross(linear, own[0]), v.cross(w, own[1]))),
                )
            self.velocities[i] = w, linear

    @cached_property
    def own_momenta(self) -> list[Pair]:
        """Momenta of the bodies alone."""
        f = self.frames
        return [
            f.vectors.let(list(f.momentum_of(body, *self.velocities[i]))) for i, body in enumerate(f.bodies)
        ]

    @cached_property
    def gyroscopic(self) -> list[Pair]:
        """w x n + v x f and w x f of the bodies' own momenta."""
        v = self.frames.vectors
        found = []
        for (w, linear), (n, f) in zip(self.velocities, self.own_momenta, strict=True):
            found.append((v.add(v.cross(w, n), v.cross(linear, f)), v.cross(w, f)))
        return found

    def momenta(self) -> list[Node]:
        """Momenta of all joints."""
        f = self.frames
        added = {k: [f.armatures[i] * self.rates[k]] for i in f.order for k in f.spaces[i]}
        return gathered_forces(f, list(self.own_momenta), added)

    def needed_forces(self, accelerations: Sequence[Node] | None = None, weight: bool = True) -> list[Node]:
        """What has to act in the joints for these accelerations, zero by default; against the weight too."""
        frames, v = self.frames, self.frames.vectors
        felt: list[Pair] = []
        accelerated: list[Pair] = [(v.zero, v.zero)] * len(frames.turns)
        falling = v.minus(frames.gravity) if weight else v.zero
        for i in frames.order:
            parent = frames.parents[i]
            a, linear = (v.zero, falling) if parent is None else accelerated[parent]
            a, linear = frames.inward(i, a, linear)
            parts = [(a, linear), self.bends[i]]
            if accelerations is not None:
                parts.append(frames.own_velocity(i, list(accelerations)))
            accelerated[i] = v.let(v.add(*(p[0] for p in parts))), v.let(v.add(*(p[1] for p in parts)))
        for body, at, turning in zip(frames.bodies, accelerated, self.gyroscopic, strict=True):
            n, force = frames.momentum_of(body, *at)
            felt.append((v.add(n, turning[0]), v.add(force, turning[1])))
        return gathered_forces(frames, felt, self.armature_forces(accelerations))

    def armature_forces(self, accelerations: Sequence[Node] | None) -> dict[int, list[Node]]:
        """Of armatures, J (d xi/dt) - ad*_xi J xi on the group of the joint, by velocity."""
        frames = self.frames
        found: dict[int, list[Node]] = {}
        for i, link in enumerate(frames.tree.links):
            places, J = frames.spaces[i], frames.armatures[i]
            if J.is_zero or not places:
                continue
            for k in places:
                found.setdefault(k, [])
                if accelerations is not None:
                    found[k].append(J * accelerations[k])
            if isinstance(link.joint, GroupJoint):
                for a, b, c, value in link.joint.algebra().brackets:
                    x, mu = self.rates[places[a]], J * self.rates[places[c]]
                    found[places[b]].append(-(frames.graph.number(value) * x * mu))
        return found

    def energy(self) -> Node:
        """Kinetic energy, and the potential of gravity."""
        frames, v, g = self.frames, self.frames.vectors, self.frames.graph
        parts = []
        for (w, linear), (n, f) in zip(self.velocities, self.own_momenta, strict=True):
            parts.append(g.add([v.dot(w, n), v.dot(linear, f)]) / 2)
        for i, places in enumerate(frames.spaces):
            parts += [frames.armatures[i] * self.rates[k] ** 2 / 2 for k in places]
        return g.add([*parts, gravity_potential(frames)])


def gathered_forces(frames: LinkFrames, acting: list[Pair], added: dict[int, list[Node]]) -> list[Node]:
    """Generalised forces of a couple and a force at each link's origin, leaves to root, and further ones."""
    v, g = frames.vectors, frames.graph
    found = [g.zero] * frames.count
    for i in reversed(frames.order):
        couple, force = v.let(acting[i][0]), v.let(acting[i][1])
        for column, k in zip(frames.columns[i], frames.spaces[i], strict=True):
            found[k] = g.add([frames.force_along(column, couple, force), *added.get(k, [])])
        parent = frames.parents[i]
        if parent is not None and frames.carried[i]:
            moved = frames.outward(i, couple, force)
            acting[parent] = v.add(acting[parent][0], moved[0]), v.add(acting[parent][1], moved[1])
    return found


def gravity_potential(frames: LinkFrames) -> Node:
    """- sum of m g . (place of the centre)."""
    v, g = frames.vectors, frames.graph
    parts = []
    for (R, p), body in zip(frames.frames_in_space(), frames.bodies, strict=True):
        place = v.add(v.times(body.mass, p), v.image(R, body.moment))
        parts.append(-v.dot(frames.gravity, place))
    return g.add(parts)


def composite_inertia(frames: LinkFrames) -> Rows:
    """The inertia of all velocities, n x n, by composite bodies."""
    v, g = frames.vectors, frames.graph
    whole = list(frames.bodies)
    M = [[g.zero] * frames.count for _ in range(frames.count)]
    for i in reversed(frames.order):
        body = LinkBody(whole[i].mass, v.let(whole[i].moment), v.let(whole[i].tensor))
        for column, k in zip(frames.columns[i], frames.spaces[i], strict=True):
            _fill_column(frames, M, i, k, frames.momentum_of(body, *column))
            M[k][k] = M[k][k] + frames.armatures[i]
        parent = frames.parents[i]
        if parent is not None and frames.carried[i]:
            whole[parent] = _joined_bodies(frames, whole[parent], _moved_body(frames, i, body))
    return M


def _fill_column(frames: LinkFrames, M: Rows, i: int, k: int, momentum: Pair) -> None:
    """Entries of a velocity k of link i with those of the links that it hangs on, and with its own."""
    v = frames.vectors
    couple, force = v.let(momentum[0]), v.let(momentum[1])
    j: int | None = i
    while j is not None:
        for column, other in zip(frames.columns[j], frames.spaces[j], strict=True):
            if j != i or other <= k:
                M[k][other] = M[other][k] = frames.force_along(column, couple, force)
        if not frames.carried[j]:
            return
        couple, force = frames.outward(j, couple, force)
        couple, j = v.let(couple), frames.parents[j]


def _moved_body(frames: LinkFrames, i: int, body: LinkBody) -> LinkBody:
    """A body about the origin of the parent's frame, in its axes."""
    v, g = frames.vectors, frames.graph
    R, p = frames.turns[i], frames.places[i]
    h = v.let(v.image(R, body.moment))
    turned = v.seen_from_outside(R, body.tensor)
    around = g.add([2 * v.dot(h, p), body.mass * v.dot(p, p)])

    def entry(a: int, b: int) -> Node:
        return g.add(
            [
                turned[a][b],
                -(h[a] * p[b]),
                -(p[a] * h[b]),
                around if a == b else g.zero,
                -(body.mass * p[a] * p[b]),
            ]
        )

    return LinkBody(body.mass, v.add(h, v.times(body.mass, p)), v.symmetric(entry))


def _joined_bodies(frames: LinkFrames, a: LinkBody, b: LinkBody) -> LinkBody:
    v = frames.vectors
    return LinkBody(a.mass + b.mass, v.add(a.moment, b.moment), v.sum(a.tensor, b.tensor))
