r"""Links of a tree: bodies, and where they hang.

The inertia of a body about the origin of its link's frame is its mass m, the first moment :math:`h = m c`
and the tensor :math:`I_0 = I_c + m\,(|c|^2 1 - c\,c^T)`; with angular and linear velocity (w, v) of the
origin its momenta are :math:`I_0 w + h \times v` and :math:`m v - h \times w`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from geoctrl._checks import nearest, require_choice, require_printable, shape_of, user_level
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import expression, read_matrix, shown
from geoctrl.errors import DescriptionError, InertiaWarning
from geoctrl.systems.trees.joints import Fixed, Free, Hinge, Joint
from geoctrl.systems.trees.quaternions import STILL, Quaternion, read_turn

__all__ = [
    "Link",
    "LinkSite",
    "are_bodies",
    "body_entries",
    "read_sites",
    "read_vector",
    "require_bodies",
    "warn_of_bodies",
]

_STUCK = Fixed()

_ROUNDING = 1e-9
"""Of principal moments relative to entries of the tensor, below which one is zero or the sum of others."""

_LOWER = [4, 5, 7, 5, 6, 8, 7, 8, 9]
"""Places of a tensor's entries, row by row, among the ten of a body."""


class LinkSite(NamedTuple):
    """A place on a link with axes, both in the link's."""

    link: str
    place: Any = sp.ImmutableMatrix([0, 0, 0])
    turn: Quaternion = STILL

    @property
    def axes(self) -> sp.Matrix:
        """3 x 3, from its axes to those of the link."""
        return sp.Matrix(self.turn.matrix)


def read_sites(given: Any, links: Mapping[str, int]) -> dict[str, LinkSite]:
    """Sites of a tree by name, each on a link that is there."""
    if given is not None and not isinstance(given, Mapping):
        raise DescriptionError(f"sites are a dict of name -> (link, place, turn), got {shown(given)}")
    found = {}
    for name, site in (given or {}).items():
        parts = tuple(site) if isinstance(site, tuple | list) else ()
        if not isinstance(name, str) or len(parts) != 3:
            raise DescriptionError(
                f"sites are a dict of name -> (link, place, turn), got {shown(name)}: {shown(site)}"
            )
        link, place, turn = parts
        if link not in links:
            raise DescriptionError(
                f"the site {name!r} is on no link of the tree: {shown(link)}{nearest(str(link), links)}"
            )
        of = f"of the site {name!r}"
        found[name] = LinkSite(link, read_vector(f"place {of}", place), read_turn(turn, f"turn {of}"))
    return found


@dataclass(frozen=True)
class Link:
    """A rigid body of a tree, its joint, and the place of its frame on the parent.

    The frame of the link sits at its joint. With the joint at zero it is displaced by ``place`` and turned by
    ``turn`` against the frame of the parent; without a parent, against the axes fixed in space.

    Parameters
    ----------
    name : str
    parent : str, optional
        Name of the link that it hangs on.
    joint : Hinge, Slide, Ball, Free, Planar or Fixed
        Fixed by default.
    place : three numbers or expressions in parameters
    turn : gc.turn(...), quaternion (w, x, y, z) or 3 x 3 matrix, optional
        Takes components in the link's axes to those in the parent's (`geoctrl.turn`). Exact: a matrix that is
        orthogonal within 1e-9 is replaced by the turn next to it.
    mass : number or expression in parameters
        Zero by default: a link without body.
    centre : three numbers or expressions in parameters
        Of mass, from the origin of the link's frame, in its axes.
    inertia : (Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) or 3 x 3
        Tensor in the link's axes; Ixy is its entry, not the product of inertia with the other sign.
    about : {"centre", "joint"}
        Point that the tensor is about: the centre of mass, or the origin of the link's frame.

    Attributes
    ----------
    tensor : sympy.ImmutableMatrix
        3 x 3, about the origin of the link's frame.

    Raises
    ------
    DescriptionError
        For another kind of joint, text in the place of numbers, a turn that is none, a negative mass, a
        tensor that is not symmetric; for a free joint with place or turn, which are states.
    InputError
        For another word in ``about``.

    Examples
    --------
    >>> import geoctrl as gc
    >>> rod = gc.Link("rod", joint=gc.Hinge("q", axis=(0, 1, 0)), mass=2, centre=(0, 0, -0.5),
    ...               inertia=(0.125, 0.125, 0))
    >>> rod.tensor[0, 0]
    5/8
    """

    name: str
    parent: str | None = None
    joint: Joint = _STUCK
    place: Any = (0, 0, 0)
    turn: Any = STILL
    mass: Any = 0
    centre: Any = (0, 0, 0)
    inertia: Any = (0, 0, 0)
    about: str = "centre"

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        if not isinstance(self.name, str) or not self.name.strip():
            raise DescriptionError(f"the name of a link must be text, got {shown(self.name)}")
        require_printable("the name of a link", [self.name])
        of = f"of the link {self.name!r}"
        if not (self.parent is None or isinstance(self.parent, str)):
            name = getattr(self.parent, "name", None)
            hint = f": write parent={name!r}" if isinstance(name, str) else ""
            raise DescriptionError(
                f"the parent {of} must be the name of a link, got {shown(self.parent)}{hint}"
            )
        if not isinstance(self.joint, Joint):
            raise DescriptionError(
                f"the joint {of} must be gc.Hinge, gc.Slide, gc.Ball, gc.Free, gc.Planar or gc.Fixed, got "
                f"{shown(self.joint)}"
            )
        require_choice(f"about {of}", self.about, ("centre", "joint"))
        put("turn", read_turn(self.turn, f"turn {of}"))
        put("place", read_vector(f"place {of}", self.place))
        put("centre", read_vector(f"centre {of}", self.centre))
        put("mass", expression(self.mass, f"mass {of}"))
        if self.mass.is_number and self.mass.is_negative:
            raise DescriptionError(f"the mass {of} must not be negative, got {self.mass}")
        put("inertia", _tensor(f"inertia {of}", self.inertia))
        if isinstance(self.joint, Free) and (any(self.place) or not self.turn.is_identity):
            raise DescriptionError(
                f"the link {self.name!r} is free: its place and attitude are states, leave out place= and "
                "turn="
            )

    @property
    def tensor(self) -> sp.ImmutableMatrix:
        """About the origin of the link's frame."""
        if self.about == "joint":
            return self.inertia
        c = self.centre
        return sp.ImmutableMatrix(self.inertia + self.mass * (c.dot(c) * sp.eye(3) - c * c.T))

    @property
    def first_moment(self) -> sp.ImmutableMatrix:
        """Mass times the centre."""
        return sp.ImmutableMatrix(self.mass * self.centre)

    @property
    def has_body(self) -> bool:
        """Whether it has a mass or a tensor."""
        return self.mass != 0 or any(e != 0 for e in self.inertia)

    @property
    def is_symmetric(self) -> bool:
        """Whether its body looks the same at all angles of its hinge."""
        if not isinstance(self.joint, Hinge):
            return False
        x, y, z = (sp.Rational(e.numerator, e.denominator) for e in self.joint.axis)
        hat = sp.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        moved = [*(hat * self.first_moment), *(hat * self.tensor - self.tensor * hat)]
        return all(sp.expand(e) == 0 for e in moved)

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        """Parameters that its numbers hold."""
        parts = (self.place, self.centre, self.mass, self.inertia)
        return set().union(*(part.free_symbols for part in parts))

    def _lines(self) -> list[str]:
        said = [repr(self.name)]
        if self.parent is not None:
            said.append(f"parent={self.parent!r}")
        said.append(f"joint={self.joint!r}")
        if any(self.place):
            said.append(f"place={tuple(self.place)}")
        if not self.turn.is_identity:
            said.append(f"turn={self.turn!r}")
        if self.has_body:
            said.append(f"mass={self.mass}, centre={tuple(self.centre)}")
            said.append(f"inertia={self.inertia.tolist()}")
        if self.about != "centre":
            said.append(f"about={self.about!r}")
        return [f"Link({', '.join(said)})"]

    full = full_text
    __repr__ = short_form


def moments_of_bodies(links: Sequence[Link], values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments about the centres (.., links, 3), ascending, and the sizes of what they are made of
    (.., links), at the values (.., links, 10) of masses, centres and tensors.
    """
    m, c, given = values[..., 0], values[..., 1:4], values[..., _LOWER]
    rho = given.reshape(*given.shape[:-1], 3, 3)
    about_joint = np.array([link.about == "joint" for link in links])
    square = np.sum(c * c, axis=-1)[..., None, None] * np.eye(3) - c[..., :, None] * c[..., None, :]
    moved = np.where(about_joint, m, 0.0)[..., None, None] * square
    return np.linalg.eigvalsh(rho - moved), np.abs(rho).max(axis=(-2, -1))


def body_entries(links: Sequence[Link]) -> list[Any]:
    """Masses, centres and tensors (xx, yx, yy, zx, zy, zz), ten entries a link."""
    found = []
    for link in links:
        found += [link.mass, *link.centre, *(link.inertia[i, j] for i in range(3) for j in range(i + 1))]
    return found


def are_bodies(links: Sequence[Link], values: np.ndarray) -> np.ndarray:
    """Which links (.., links) have a mass and principal moments that are not negative."""
    moments, sizes = moments_of_bodies(links, values)
    return (moments[..., 0] >= -_ROUNDING * sizes) & (values[..., 0] >= 0)


def require_bodies(links: Sequence[Link], values: np.ndarray) -> None:
    """Refuse a link that has no body at these values (links, 10), in words; DescriptionError."""
    good = are_bodies(links, values)
    if good.all():
        return
    k = int(np.argmin(good))
    link, least = links[k], moments_of_bodies(links, values)[0][k, 0]
    if values[k, 0] < 0:
        raise DescriptionError(f"the mass of the link {link.name!r} is negative, {values[k, 0]:.6g}: mend it")
    raise DescriptionError(
        f"the inertia of the link {link.name!r} about its centre has a negative principal moment, "
        f"{least:.6g}: mend it, or say about='joint' where it is about the origin of the link's frame"
    )


def warn_of_bodies(links: Sequence[Link], values: np.ndarray) -> None:
    r"""Warn of principal moments that no body has, :math:`I_1 > I_2 + I_3`, at values (links, 10)."""
    moments, sizes = moments_of_bodies(links, values)
    for link, (least, middle, largest), size in zip(links, moments, sizes, strict=True):
        if largest > least + middle + _ROUNDING * size:
            warnings.warn(
                f"no body has the principal moments of inertia of the link {link.name!r}, {least:.6g}, "
                f"{middle:.6g}, {largest:.6g}: the largest exceeds the sum of the others",
                InertiaWarning,
                stacklevel=user_level(),
            )


def read_vector(what: str, given: Any) -> sp.ImmutableMatrix:
    """A column of three expressions; DescriptionError for anything else."""
    shape = given.shape if isinstance(given, sp.MatrixBase) else shape_of(given)
    if shape not in ((3,), (3, 1), (1, 3)):
        raise DescriptionError(f"{what} must have three entries, got {shown(given)}")
    return sp.ImmutableMatrix(3, 1, list(read_matrix(what, given)))


def _tensor(what: str, given: Any) -> sp.ImmutableMatrix:
    shape = given.shape if isinstance(given, sp.MatrixBase) else shape_of(given)
    found = read_matrix(what, given)
    if shape in ((3,), (3, 1), (1, 3)):
        return sp.ImmutableMatrix(sp.diag(*found))
    if shape in ((6,), (6, 1), (1, 6)):
        xx, yy, zz, xy, xz, yz = found
        return sp.ImmutableMatrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if shape != (3, 3):
        raise DescriptionError(
            f"{what} must be (Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) or 3 x 3, got {shown(given)}"
        )
    if found != found.T:
        i, j = next((i, j) for i in range(3) for j in range(i) if found[i, j] != found[j, i])
        raise DescriptionError(
            f"{what} must be symmetric, got {found[i, j]} and {found[j, i]} in ({i + 1}, {j + 1}) and "
            f"({j + 1}, {i + 1})"
        )
    return found
