"""What is drawn: a mechanism and a point as plain data, for the oracle and for geoctrl alike.

Variables of all polynomials are numbered velocities, rotor rates, advected components, heights, what stands
for coordinates, parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.attack.oracle.polynomials import Polynomial

DIMENSION = {"so3": 3, "se3": 6, "se2": 3, "so2": 1, "r1": 1, "r2": 2}
SPIN = {"so3": (0, 1, 2), "se3": (0, 1, 2), "se2": (None, None, 0), "so2": (None, None, 0)}
"""Places, within a factor, of the three components of its spin; None: zero."""


HELD = {"length": 1, "angle": 2, "wound": 3}
"""Variables that stand for a coordinate: itself; cosine and sine; these and how far it is from the point."""


@dataclass
class Slip:
    """Friction -(c + F / sqrt(s.s + v^2)) s against the velocities s of some rows."""

    rows: list[list[Polynomial]]
    viscous: Fraction
    coulomb: Fraction
    scale: Fraction


@dataclass
class Mechanism:
    """A Lagrangian 1/2 xi.G xi + xi.C w + 1/2 w.J w + A.xi - U on a group and a shape, rates w of rotors.

    Velocities are those of the group, then the rates of coordinates.

    Attributes
    ----------
    groups : list of names of factors
    vectors : list of (factor, reference)
        Vectors fixed in space, as the bodies see them.
    inertia : n x n polynomials in advected components and parameters
    coupling, rotor_inertia : n x s and s x s numbers
    gyroscopic, forces : n polynomials
    potential : polynomial
    constraints : rows of n polynomials
    frame : n x k polynomials or None
    parameters : list of (name, value, default)
    invariants : dict of name -> polynomial
        Declared, true or not.
    point : values of velocities, rotor rates, advected components
    kind : what builds it in geoctrl, "group", "rotations" or "shape"
    traits : words for the table
    heights : places of vectors, along which heights are
    shape : kind of each coordinate, a key of `HELD`
    closures : polynomials that vanish, of which rows of the constraints are the rates
    slips : friction
    sides : polynomials that are positive within the domain
    along : velocities along which forces of constraints are told
    """

    groups: list[str]
    vectors: list[tuple[int, tuple[Fraction, ...]]]
    inertia: list[list[Polynomial]]
    coupling: list[list[Fraction]]
    rotor_inertia: list[list[Fraction]]
    gyroscopic: list[Polynomial]
    potential: Polynomial
    forces: list[Polynomial]
    constraints: list[list[Polynomial]]
    frame: list[list[Polynomial]] | None
    parameters: list[tuple[str, Fraction, Fraction]]
    invariants: dict[str, Polynomial]
    point: list[Fraction]
    kind: str = "group"
    traits: list[str] = field(default_factory=list)
    solved: int = -1
    """The velocity that the frame is solved for."""
    heights: list[int] = field(default_factory=list)
    shape: list[str] = field(default_factory=list)
    closures: list[Polynomial] = field(default_factory=list)
    slips: list[Slip] = field(default_factory=list)
    sides: list[Polynomial] = field(default_factory=list)
    along: list[list[Fraction]] = field(default_factory=list)

    @property
    def n(self) -> int:
        return sum(DIMENSION[g] for g in self.groups) + len(self.shape)

    @property
    def s(self) -> int:
        return len(self.rotor_inertia)

    @property
    def size(self) -> int:
        """Number of velocities, rotor rates and what a configuration is told by."""
        return self.held(len(self.shape))

    @property
    def places(self) -> range:
        """Variables that tell the configuration."""
        return range(self.n + self.s, self.size)

    def start(self, factor: int) -> int:
        return sum(DIMENSION[g] for g in self.groups[:factor])

    def spin(self, factor: int) -> tuple[int | None, ...]:
        """Places of the three components of a factor's spin among the velocities."""
        begin = self.start(factor)
        return tuple(None if p is None else begin + p for p in SPIN[self.groups[factor]])

    def place(self, vector: int) -> int:
        """Place of a vector's first component."""
        return self.n + self.s + 3 * vector

    def height(self, k: int) -> int:
        """Place of a height."""
        return self.place(len(self.vectors)) + k

    def held(self, k: int) -> int:
        """Place of the first variable of a coordinate."""
        return self.height(len(self.heights)) + sum(HELD[kind] for kind in self.shape[:k])

    def rate(self, k: int) -> int:
        """Place of a coordinate's rate."""
        return self.n - len(self.shape) + k

    def translation(self, factor: int) -> tuple[int, ...]:
        """Places of the components of a factor's translation, of which se(2) has two."""
        turns = {"se3": 3, "se2": 1}[self.groups[factor]]
        return tuple(range(self.start(factor) + turns, self.start(factor) + DIMENSION[self.groups[factor]]))

    @property
    def values(self) -> dict[int, Fraction]:
        """Parameters by variable."""
        return {self.size + i: value for i, (_, value, _) in enumerate(self.parameters)}


@dataclass
class Spheres:
    """T = 1/2 sum m_jk(q) qdot_j.qdot_k on n spheres; variables q, qdot, parameters."""

    n: int
    mass: list[list[Polynomial]]
    potential: Polynomial
    forces: list[Polynomial]
    parameters: list[tuple[str, Fraction, Fraction]]
    point: list[Fraction]
    kind: str = "spheres"
    traits: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        return 6 * self.n

    @property
    def values(self) -> dict[int, Fraction]:
        return {self.size + i: value for i, (_, value, _) in enumerate(self.parameters)}


@dataclass
class Products:
    """Any Lagrangian on a product of places, directions and attitudes; variables z, u, parameters.

    Attributes
    ----------
    factors : list of (kind, axes)
        "x", "q" or "R"; of places the unit vectors along which they move.
    lagrangian : polynomial in configurations z, attitudes row by row, and their inertial rates u
    forces : polynomials in z and u, as covectors of z
    turn : rate of the frame, in its own axes
    parameters : list of (name, value, default)
    point : values of z and of rates relative to the frame, which are zero
    """

    factors: list[tuple[str, tuple[tuple[int, ...], ...]]]
    lagrangian: Polynomial
    forces: list[Polynomial]
    turn: tuple[Fraction, ...]
    parameters: list[tuple[str, Fraction, Fraction]]
    point: list[Fraction]
    kind: str = "products"
    traits: list[str] = field(default_factory=list)

    @property
    def entries(self) -> int:
        """Number of entries of the configuration."""
        return sum(9 if kind == "R" else 3 for kind, _ in self.factors)

    @property
    def size(self) -> int:
        return 2 * self.entries

    def starts(self) -> list[int]:
        """First entry of each factor."""
        found = [0]
        for kind, _ in self.factors:
            found.append(found[-1] + (9 if kind == "R" else 3))
        return found[:-1]

    @property
    def values(self) -> dict[int, Fraction]:
        """Parameters by variable."""
        return {self.size + i: value for i, (_, value, _) in enumerate(self.parameters)}


def carried(system: Products, z: list[Any], turn: Sequence[Any]) -> list[Any]:
    """W x z of places and directions, of every column of an attitude."""
    found = list(z)
    for (kind, _), first in zip(system.factors, system.starts(), strict=True):
        width = 3 if kind == "R" else 1
        for column in range(width):
            a, b, c = (first + width * row + column for row in range(3))
            for i, j, k, left, right in ((a, b, c, 1, 2), (b, c, a, 2, 0), (c, a, b, 0, 1)):
                found[i] = turn[left] * z[k] - turn[right] * z[j]
    return found
