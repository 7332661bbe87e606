r"""Where links are and how they move, in symbols; what acts at a point of one, and wheels that roll.

Velocities of frames are linear in those of the joints: (w, v) of a link, of unit rates one after the other.
A couple n and a force f at a link's origin have the power :math:`n \cdot w + f \cdot v`, so that their
generalised forces are the columns of that matrix times (n, f).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import sympy as sp

from geoctrl._scalars import Node, expression, to_sympy
from geoctrl.errors import DescriptionError
from geoctrl.systems.trees.joints import Planar
from geoctrl.systems.trees.link_frames import LinkFrames, symbolic_frames
from geoctrl.systems.trees.links import LinkSite, read_vector
from geoctrl.systems.trees.node_vectors import Rows, Triple

__all__ = ["TreeKinematics"]


class TreeKinematics:
    """Places, turns and velocities of the links of a tree, by number."""

    def __init__(self, tree: Any) -> None:
        self._tree = tree
        self._frames, self._symbols = symbolic_frames(tree, turning=True)

    def in_symbols(self, nodes: Sequence[Node]) -> list[sp.Expr]:
        """Sympy expressions of nodes."""
        return to_sympy(list(nodes), self._symbols)

    @cached_property
    def _in_space(self) -> list[tuple[Rows, Triple]]:
        return self._frames.frames_in_space()

    def _require_states(self, i: int, what: str) -> None:
        """Refuse what depends on rows or heights that are no states."""
        joint = self._tree.links[i].joint
        if what == "turn" and any(i == spin for spin, _ in self._tree.spins):
            raise DescriptionError(
                f"the turn of the link {self._tree.links[i].name!r} depends on the angle {joint.name!r}, "
                "which is no state: give its hinge angle=True"
            )
        j: int | None = i
        while j is not None:
            joint = self._tree.links[j].joint
            rows, heights = self._tree.rows.get(j, {}), self._tree.heights.get(j, {})
            needed = len(getattr(joint, "heights", ())) if what == "place" else 0
            turned = joint.rows if j in self._tree.rows else 0  # type: ignore[attr-defined]
            known = len(rows) > 0 if isinstance(joint, Planar) else len(rows) == turned
            if (turned and not known) or len(heights) < needed:
                raise DescriptionError(
                    f"the {what} of the link {self._tree.links[i].name!r} depends on the place of "
                    f"{self._tree.links[j].name!r}, which is no state: give the tree place=True"
                )
            j = self._tree.parents[j]

    def turn(self, i: int, site: LinkSite) -> sp.ImmutableMatrix:
        """3 x 3, from the axes of a site on a link to those fixed in space."""
        self._require_states(i, "turn")
        R = self._in_space[i][0]
        whole = sp.Matrix(3, 3, self.in_symbols([e for row in R for e in row]))
        return sp.ImmutableMatrix(whole * site.axes)

    def place(self, i: int, site: LinkSite) -> sp.ImmutableMatrix:
        """Of a site on a link in space."""
        self._require_states(i, "place")
        origin = sp.Matrix(self.in_symbols(self._in_space[i][1]))
        if any(site.place):
            origin += self.turn(i, LinkSite(site.link)) * sp.Matrix(site.place)
        return sp.ImmutableMatrix(origin)

    def columns(self, i: int) -> list[tuple[Triple, Triple]]:
        """(w, v) of a link in its own axes at unit rates of all joints."""
        return velocity_columns(self._frames, i)

    def velocity(self, i: int, site: LinkSite) -> sp.ImmutableMatrix:
        """6 x n: rows of w, then of v, in the axes of a site on a link."""
        columns = self.columns(i)
        flat = [part[k] for part_of in (0, 1) for k in range(3) for part in (c[part_of] for c in columns)]
        rows = sp.Matrix(6, len(columns), self.in_symbols(flat))
        if site != LinkSite(site.link):
            w, v, back = rows[:3, :], rows[3:, :], site.axes.T
            arms = [w[:, k].cross(sp.Matrix(site.place)) for k in range(len(columns))]
            rows = sp.Matrix.vstack(back * w, back * (v + sp.Matrix.hstack(*arms)))
        return sp.ImmutableMatrix(rows)

    def acting(self, i: int, site: LinkSite, couple: Any, force: Any, at: Any) -> list[sp.Expr]:
        """Generalised forces of a couple and a force at a point, in the axes of a site on a link."""
        f, point = read_vector("force", force), read_vector("at", at)
        n = sp.Matrix(read_vector("couple", couple)) + sp.Matrix(point).cross(sp.Matrix(f))
        return list(self.velocity(i, site).T * sp.Matrix([*n, *f]))

    def rolling_rows(self, wheel: int, radius: Any, upright: int) -> list[list[sp.Expr]]:
        """Velocities of a wheel's lowest point along the axes 1 and 2 of a link before it, as rows.

        All in the axes of that link, in which an axis that joints turn about stays what it is.
        """
        self._require_vertical(upright)
        f, v = self._frames, self._frames.vectors
        A, P, joints = v.unit, v.zero, []
        for j in self._links_between(upright, wheel):
            P = v.add(P, v.image(A, f.places[j]))
            turn = f.resting_turns[j] if len(f.columns[j]) == 1 else f.turns[j]
            before = v.product(A, turn)
            A = v.product(A, f.turns[j])
            joints += [
                (k, v.image(before, b), v.image(before, t), P)
                for (b, t), k in zip(f.columns[j], f.spaces[j], strict=True)
            ]
        down = v.minus(self._in_space[upright][0][2])
        contact = v.add(P, v.times(f.converted(expression(radius, "the radius of a wheel")), down))
        slips = [v.add(linear, v.cross(angular, contact)) for angular, linear in self.columns(upright)]
        for k, angular, linear, origin in joints:
            arm = v.add(contact, v.minus(origin))
            slips[k] = v.add(slips[k], linear, v.cross(angular, arm))
        return [self.in_symbols([slip[axis] for slip in slips]) for axis in (0, 1)]

    def _links_between(self, first: int, last: int) -> list[int]:
        """Links from one, left out, to another that hangs on it."""
        found, j = [], last
        while j != first:
            found.append(j)
            parent = self._tree.parents[j]
            if parent is None:
                raise DescriptionError(
                    f"the wheel {self._tree.links[last].name!r} does not hang on the link "
                    f"{self._tree.links[first].name!r}, in whose axes its rolling is to be written"
                )
            j = parent
        return found[::-1]

    def _require_vertical(self, i: int) -> None:
        """Refuse a tree whose states do not tell the vertical."""
        R = self._in_space[i][0]
        if all(e.is_zero for e in R[2]):
            raise DescriptionError(
                f"the vertical is no state of the link {self._tree.links[i].name!r}: give the tree place=True"
            )


def velocity_columns(frames: LinkFrames, i: int) -> list[tuple[Triple, Triple]]:
    """(w, v) of the origin of a link at unit rates, in its axes."""
    v = frames.vectors
    path = [i]
    while (parent := frames.parents[path[-1]]) is not None:
        path.append(parent)
    found = [(v.zero, v.zero) for _ in range(frames.count)]
    for j in reversed(path):
        found = [frames.inward(j, w, linear) for w, linear in found]
        for (b, t), k in zip(frames.columns[j], frames.spaces[j], strict=True):
            found[k] = b, t
        found = [(v.let(w), v.let(linear)) for w, linear in found]
    return found
