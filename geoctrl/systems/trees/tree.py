"""A mechanism as a tree of links: what its joints make of the velocities and the configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import sympy as sp

from geoctrl._checks import entries, flag, nearest
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import expression, shown
from geoctrl.algebra import AdvectedVector, Coordinate, Height, LieAlgebra, product, rn
from geoctrl.errors import DescriptionError, LabelError
from geoctrl.systems.trees.joints import AxisJoint, Ball, Fixed, GroupJoint, Hinge, Joint
from geoctrl.systems.trees.links import Link, LinkSite, read_sites, read_vector
from geoctrl.systems.trees.quaternions import Quaternion
from geoctrl.systems.trees.rolling import Rolling, is_multiple
from geoctrl.systems.trees.tree_checks import (
    judge_bodies,
    require_bodies_everywhere,
    require_idle_angles,
    require_names,
    require_no_circle,
)
from geoctrl.systems.trees.tree_kinematics import TreeKinematics

__all__ = ["Tree"]

_DOWN = (0, 0, sp.Rational(-981, 100))

_FEWEST_NAMED, _FEWEST_SKEW = 5, 3
"""Velocities from which on values of recursions get names; about axes that are none of the frames'."""


class Tree:
    """Links that hang on each other, without a closed loop.

    Velocities of balls, free and planar joints come first, in the order of links: ``Omega1..3``,
    ``Omega1..3, Y1..3``, ``Omega, Y1, Y2``, in the axes of the link; with several such joints each label ends
    in ``_<joint>``. The rates ``<joint>_dot`` of hinges and slides follow, those
    without a coordinate first, in the order of links. The
    configuration is a product of groups and coordinates: of a ball the rows ``E1, E2, E3`` of the turn of the
    link against its parent; of a free joint these and its place ``x, y, z`` in the parent's axes, of a planar
    one the same in its plane. Of one that hangs on nothing that moves only what gravity depends on is taken,
    mostly ``E3`` and ``z``, unless ``place=True``.

    Parameters
    ----------
    links : sequence of Link
        In any order; a parent may follow.
    gravity : three numbers or expressions in parameters
        Acceleration of gravity in the axes fixed in space.
    place : bool
        Whether the place and attitude of free and planar links are states, where nothing depends on them.
    friction_scale : number or expression in parameters, optional
        Velocity below which dry friction is smoothed.
    rolling : sequence of Rolling
        Wheels on the floor z = 0.
    sites : dict of name -> (link, place, turn), optional
        Named places on links, with their axes, in the link's: for `place`, `turn`, `velocity` and `acting`.

    Attributes
    ----------
    algebra : LieAlgebra or None
        Of the velocities of balls, free and planar joints.
    vectors : tuple of AdvectedVector and Height
    shape : tuple of Coordinate
    labels : tuple of str
        Of all velocities.

    Raises
    ------
    DescriptionError
        If two links or joints have one name, a parent is not there, parents go round in a circle, nothing
        moves, a joint moves nothing that has inertia, or dry friction is given without a scale.

    Examples
    --------
    >>> import geoctrl as gc
    >>> rod = dict(mass=1, centre=(0, 0, -0.5), inertia=(0.1, 0.1, 0.001))
    >>> arm = gc.Tree([gc.Link("upper", joint=gc.Hinge("a", axis=(0, 1, 0)), **rod),
    ...                gc.Link("lower", "upper", gc.Hinge("b", axis=(0, 1, 0)), place=(0, 0, -1), **rod)])
    >>> arm.labels
    ('a_dot', 'b_dot')
    """

    def __init__(
        self,
        links: Sequence[Link],
        gravity: Any = _DOWN,
        place: bool = False,
        friction_scale: Any = None,
        rolling: Sequence[Rolling] = (),
        sites: Mapping[str, tuple[str, Any, Any]] | None = None,
    ) -> None:
        self.links: tuple[Link, ...] = entries("links of a tree", links, DescriptionError)
        for link in self.links:
            if not isinstance(link, Link):
                raise DescriptionError(f"links must be gc.Link objects, got {shown(link)}")
        self.gravity = read_vector("gravity", gravity)
        self.placed = flag("place of a tree", place)
        scale = friction_scale
        self.friction_scale = None if scale is None else expression(scale, "friction_scale")
        self.rolling: tuple[Rolling, ...] = entries("rolling of a tree", rolling, DescriptionError)
        for wheel in self.rolling:
            if not isinstance(wheel, Rolling):
                raise DescriptionError(f"rolling must hold gc.Rolling objects, got {shown(wheel)}")
            for name in (wheel.link, wheel.upright):
                if name not in self.number:
                    known = nearest(name, self.number)
                    raise DescriptionError(f"{wheel!r} names no link of the tree: {name!r}{known}")
        self.sites = read_sites(sites, self.number)
        require_names(self)
        require_no_circle(self)
        require_bodies_everywhere(self)
        require_idle_angles(self)

    def judge_bodies(self, numbers: Mapping[sp.Symbol, Any]) -> None:
        """Refuse bodies with a negative moment at these numbers, and warn of what no body has."""
        judge_bodies(self.links, numbers)

    # -- structure ------------------------------------------------------------------------------

    @property
    def moving(self) -> list[tuple[int, Any]]:
        """Joints that move, with the numbers of their links."""
        return [(i, link.joint) for i, link in enumerate(self.links) if not isinstance(link.joint, Fixed)]

    @cached_property
    def number(self) -> dict[str, int]:
        """Numbers of links by name."""
        return {link.name: i for i, link in enumerate(self.links)}

    @cached_property
    def parents(self) -> tuple[int | None, ...]:
        """Number of each link's parent."""
        return tuple(None if link.parent is None else self.number[link.parent] for link in self.links)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Numbers of links, parents first; without those on a circle of parents."""
        found: list[int] = []
        below: dict[int | None, list[int]] = {}
        for i, parent in enumerate(self.parents):
            below.setdefault(parent, []).append(i)
        pending = list(reversed(below.get(None, [])))
        while pending:
            i = pending.pop()
            found.append(i)
            pending += reversed(below.get(i, []))
        return tuple(found)

    @cached_property
    def fixed_turns(self) -> dict[int, Quaternion]:
        """Turns against space of the frames that links hang on, of those that hang on nothing that moves."""
        found: dict[int, Quaternion] = {}
        for i in self.order:
            parent = self.parents[i]
            if parent is None:
                found[i] = self.links[i].turn
            elif parent in found and isinstance(self.links[parent].joint, Fixed):
                found[i] = found[parent] * self.links[i].turn
        return found

    @cached_property
    def is_small(self) -> bool:
        """Whether equations may be written out: few velocities, of more than two about axes of the frames."""
        n = sum(joint.count for _, joint in self.moving)
        along = all(_is_along_axes(link) for link in self.links)
        return n < _FEWEST_SKEW or (n < _FEWEST_NAMED and along)

    def is_symmetric(self, i: int) -> bool:
        """Whether nothing hangs on a link, and its body is symmetric about the axis of its hinge."""
        return i not in self.parents and self.links[i].is_symmetric

    # -- velocities and configuration -----------------------------------------------------------

    @cached_property
    def group_joints(self) -> tuple[tuple[int, Any], ...]:
        """Balls, free and planar joints, with the numbers of their links."""
        return tuple((i, j) for i, j in self.moving if isinstance(j, GroupJoint))

    @cached_property
    def axis_joints(self) -> tuple[tuple[int, Any], ...]:
        """Hinges and slides with a coordinate, with the numbers of their links."""
        return tuple((i, j) for i, j in self.moving if isinstance(j, AxisJoint) and (i, j) not in self.spins)

    @cached_property
    def spins(self) -> tuple[tuple[int, Any], ...]:
        """Hinges without a coordinate, with the numbers of their links."""
        return tuple((i, j) for i, j in self.moving if isinstance(j, Hinge) and not j.angle)

    def suffix(self, joint: Joint) -> str:
        """End of the labels that belong to a ball, free or planar joint."""
        return f"_{joint.name}" if len(self.group_joints) > 1 else ""

    @cached_property
    def algebra(self) -> LieAlgebra | None:
        """Of balls, free and planar joints in the order of links, then of hinges without a coordinate."""
        factors = []
        for _, joint in self.group_joints:
            own, end = joint.algebra(), self.suffix(joint)
            factors.append(
                own.relabelled([f"{e}{end}" for e in own.labels], [f"{e}{end}" for e in own.momentum_labels])
                if end
                else own
            )
        factors += [rn(1).relabelled([f"{j.name}_dot"], [f"p_{j.name}"]) for _, j in self.spins]
        if not factors:
            return None
        return factors[0] if len(factors) == 1 else product(*factors)

    @cached_property
    def shape(self) -> tuple[Coordinate, ...]:
        """Coordinates of hinges and slides, in the order of links."""
        return tuple(
            Coordinate(
                joint.name, unit="" if isinstance(joint, Hinge) else "m", angle=isinstance(joint, Hinge)
            )
            for _, joint in self.axis_joints
        )

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of all velocities."""
        group = () if self.algebra is None else self.algebra.labels
        return (*group, *(c.rate_label for c in self.shape))

    @cached_property
    def velocity_places(self) -> dict[int, range]:
        """Places of each link's velocities among all."""
        found, start = {}, 0
        for i, joint in (*self.group_joints, *self.spins, *self.axis_joints):
            found[i] = range(start, start + joint.count)
            start += joint.count
        return found

    @cached_property
    def rows(self) -> dict[int, dict[int, AdvectedVector]]:
        """Rows of the turn of each ball, free or planar joint that are states, by their number from 0."""
        found = {}
        for factor, (i, joint) in enumerate(self.group_joints, start=1):
            end, d = self.suffix(joint), joint.rows
            found[i] = {
                k: AdvectedVector(f"E{k + 1}{end}", tuple(int(j == k) for j in range(d)), of=factor)
                for k in self._necessary_axes(i, joint)
            }
        return found

    @cached_property
    def heights(self) -> dict[int, dict[int, Height]]:
        """Components of the place of each free or planar joint that are states, by their number from 0."""
        return {
            i: {
                k: Height(f"{joint.heights[k]}{self.suffix(joint)}", along=vector)
                for k, vector in self.rows[i].items()
                if joint.heights
            }
            for i, joint in self.group_joints
        }

    @cached_property
    def vectors(self) -> tuple[AdvectedVector | Height, ...]:
        """Vectors of all joints, each joint's followed by its heights."""
        found: list[AdvectedVector | Height] = []
        for i, _ in self.group_joints:
            found += [*self.rows[i].values(), *self.heights[i].values()]
        return tuple(found)

    def _necessary_axes(self, i: int, joint: Any) -> list[int]:
        """Axes of the frame that a joint hangs on along which its motion is told apart."""
        every = list(range(joint.rows))
        if isinstance(joint, Ball) or self.placed or i not in self.fixed_turns:
            return every
        against = self.fixed_turns[i].inverse.matrix
        seen = [
            sum((e * g for e, g in zip(against[k], self.gravity, strict=True)), sp.Integer(0)) for k in every
        ]
        felt = [k for k in every if sp.expand(seen[k]) != 0]
        return felt if len(felt) < 2 else every

    # -- where links are ------------------------------------------------------------------------

    @cached_property
    def kinematics(self) -> TreeKinematics:
        """Places, turns and velocities of links, by number."""
        return TreeKinematics(self)

    def _link_and_site(self, name: Any) -> tuple[int, LinkSite]:
        """The number of a link and a site on it: of a link's name, its origin."""
        known = {**self.sites, **{link: LinkSite(link) for link in self.number}}
        if not isinstance(name, str) or name not in known:
            raise LabelError(f"no link or site {shown(name)} in the tree{nearest(name, known)}")
        return self.number[known[name].link], known[name]

    def place(self, name: str) -> sp.ImmutableMatrix:
        """Place of a link's origin, or of a site, in space: three expressions in the configuration.

        Where a link and a site have one name, the link is meant.

        Raises
        ------
        LabelError
            If no link or site has that name.
        DescriptionError
            If the place of a free or planar link is no state (``place=True``).

        Examples
        --------
        >>> import geoctrl as gc
        >>> rod = gc.Link("rod", joint=gc.Hinge("q", axis=(0, 1, 0)), mass=1, inertia=(1, 1, 1))
        >>> gc.Tree([rod, gc.Link("tip", "rod", place=(0, 0, -2))]).place("tip").T
        Matrix([[-2*sin(q), 0, -2*cos(q)]])
        """
        return self.kinematics.place(*self._link_and_site(name))

    def turn(self, name: str) -> sp.ImmutableMatrix:
        """Turn of a link or site, 3 x 3, from its axes to those fixed in space.

        Raises
        ------
        LabelError, DescriptionError
            As `place`.

        Examples
        --------
        >>> import geoctrl as gc
        >>> rod = gc.Link("rod", joint=gc.Hinge("q", axis=(0, 1, 0)), mass=1, inertia=(1, 1, 1))
        >>> gc.Tree([rod]).turn("rod")[0, :]
        Matrix([[cos(q), 0, sin(q)]])
        """
        return self.kinematics.turn(*self._link_and_site(name))

    def velocity(self, name: str) -> sp.ImmutableMatrix:
        """Rows (6 x n) of the angular velocity and that of the origin of a link, or of a site, in its axes.

        Times the velocities in the order of ``labels`` these are (w, v).

        Raises
        ------
        LabelError
            If no link or site has that name.

        Examples
        --------
        >>> import geoctrl as gc
        >>> rod = gc.Link("rod", joint=gc.Hinge("q", axis=(0, 1, 0)), mass=1, inertia=(1, 1, 1))
        >>> gc.Tree([rod, gc.Link("tip", "rod", place=(0, 0, -2))]).velocity("tip").T
        Matrix([[0, 1, 0, -2, 0, 0]])
        """
        return self.kinematics.velocity(*self._link_and_site(name))

    def acting(
        self, name: str, force: Any = (0, 0, 0), couple: Any = (0, 0, 0), at: Any = (0, 0, 0)
    ) -> sp.Matrix:
        r"""Generalised forces of a force and a couple on a link or at a site: a column, as ``labels``.

        Columns of several forces are added up, and are ``forces=`` of a description.

        .. math:: F_k = w_k \cdot (n + r \times f) + v_k \cdot f

        Parameters
        ----------
        name : str
            Of the link or site.
        force, couple : three expressions
            f and n, in its axes; they may hold inputs.
        at : three expressions
            r, where the force acts.

        Raises
        ------
        LabelError
            If no link or site has that name.
        DescriptionError
            If one of them has not three entries.

        Examples
        --------
        >>> import geoctrl as gc, sympy as sp
        >>> rod = gc.Link("rod", joint=gc.Hinge("q", axis=(0, 1, 0)), mass=1, inertia=(1, 1, 1))
        >>> gc.Tree([rod]).acting("rod", force=(sp.Symbol("u"), 0, 0), at=(0, 0, -2))
        Matrix([[-2*u]])
        """
        return sp.Matrix(self.kinematics.acting(*self._link_and_site(name), couple, force, at))

    @cached_property
    def rows_of_wheels(self) -> dict[str, list[sp.Expr]]:
        """Rows of the wheels that roll, by name; without those that others are multiples of."""
        found: dict[str, list[sp.Expr]] = {}
        for wheel in self.rolling:
            i, j = self.number[wheel.link], self.number[wheel.upright]
            rows = self.kinematics.rolling_rows(i, wheel.radius, j)
            for end, row in zip(("along", "across"), rows, strict=True):
                if not any(is_multiple(row, other) for other in found.values()):
                    found[f"{wheel.link} {end}"] = row
        return found

    @cached_property
    def free_symbols(self) -> set[sp.Symbol]:
        """Parameters that its numbers hold."""
        found = set(self.gravity.free_symbols).union(*(link.free_symbols for link in self.links))
        for _, joint in self.moving:
            found |= joint.armature.free_symbols
        return found

    def _lines(self) -> list[str]:
        given = {"place": self.placed, "friction_scale": self.friction_scale, "rolling": list(self.rolling)}
        given["sites"] = {name: tuple(site) for name, site in self.sites.items()}
        told = "".join(
            f", {name}={value}" for name, value in given.items() if value not in (False, None, [], {})
        )
        links = ",\n           ".join(link.full() for link in self.links)
        return [f"Tree(links=[{links}],\n     gravity={tuple(self.gravity)}{told})"]

    full = full_text
    __repr__ = short_form


def _is_along_axes(link: Link) -> bool:
    """Whether turn and axis take axes of the frames to each other."""
    axis = link.joint.axis if isinstance(link.joint, AxisJoint) else ()
    return all(e in (-1, 0, 1) for e in (*axis, *(e for row in link.turn.matrix for e in row)))
