r"""What was drawn, in other units: the same motions in other numbers, exactly.

With numbers of lengths multiplied by :math:`\lambda`, of times by s and of energies by e a variable x goes
over to S x, S being 1 for vectors and angles, :math:`\lambda` for lengths, over s for their rates; of the
Lagrangian every term is an energy, forces times velocities are powers. Parameters are numbers without unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tests.attack.draw.mechanism import DIMENSION, HELD, Mechanism, Products, Slip, Spheres
from tests.attack.oracle.polynomials import Polynomial

ROTATIONS = {"so3": 3, "se3": 3, "se2": 1, "so2": 1, "r1": 0, "r2": 0}
"""How many of the velocities of a factor turn; they come first."""


@dataclass(frozen=True)
class Units:
    """By what numbers of masses, lengths and times are multiplied."""

    mass: Fraction = Fraction(1)
    length: Fraction = Fraction(1)
    time: Fraction = Fraction(1)

    @property
    def energy(self) -> Fraction:
        return self.mass * self.length**2 / self.time**2

    def __str__(self) -> str:
        return f"mass x {float(self.mass):g}, length x {float(self.length):g}, time x {float(self.time):g}"


def factors(drawn: Mechanism | Spheres | Products, units: Units) -> list[Fraction]:
    """S of each variable of a draw, parameters included."""
    one, turn, length = Fraction(1), 1 / units.time, units.length
    if isinstance(drawn, Spheres):
        found = [one] * (3 * drawn.n) + [turn] * (3 * drawn.n)
    elif isinstance(drawn, Products):
        places = [
            length if kind == "x" else one
            for kind, _ in drawn.factors
            for _ in range(9 if kind == "R" else 3)
        ]
        found = [*places, *(p * turn for p in places)]
    else:
        found = [
            turn if k < ROTATIONS[g] else length * turn for g in drawn.groups for k in range(DIMENSION[g])
        ]
        found += [length * turn if kind == "length" else turn for kind in drawn.shape]
        found += [turn] * drawn.s + [one] * (3 * len(drawn.vectors)) + [length] * len(drawn.heights)
        found += [length if kind == "length" else one for kind in drawn.shape for _ in range(HELD[kind])]
    return found + [one] * len(drawn.parameters)


def substituted(p: Polynomial, S: Sequence[Fraction], by: Fraction = Fraction(1)) -> Polynomial:
    """``by`` times the polynomial, in the new numbers of its variables."""
    found: Polynomial = {}
    for monomial, c in p.items():
        for i, e in monomial:
            c = c / S[i] ** e
        found[monomial] = c * by
    return found


def rescaled(drawn: Mechanism | Spheres | Products, units: Units) -> Mechanism | Spheres | Products:
    """The draw in other units."""
    S, e = factors(drawn, units), units.energy
    point = [v * f for v, f in zip(drawn.point, S, strict=False)]
    if isinstance(drawn, Spheres):
        mass = [[substituted(p, S, e * units.time**2) for p in row] for row in drawn.mass]
        forces = [substituted(p, S, e) for p in drawn.forces]
        return replace(
            drawn, mass=mass, potential=substituted(drawn.potential, S, e), forces=forces, point=point
        )
    if isinstance(drawn, Products):
        return replace(
            drawn,
            lagrangian=substituted(drawn.lagrangian, S, e),
            forces=[substituted(p, S, e / f) for p, f in zip(drawn.forces, S, strict=False)],
            turn=tuple(w / units.time for w in drawn.turn),
            point=point,
        )
    return _mechanism(drawn, units, S, point)


def _mechanism(m: Mechanism, units: Units, S: list[Fraction], point: list[Fraction]) -> Mechanism:
    e, power, n = units.energy, units.energy / units.time, m.n
    rotor = S[n : n + m.s]

    def row(given: Sequence[Polynomial], by: Fraction = Fraction(1)) -> list[Polynomial]:
        return [substituted(p, S, by / f) for p, f in zip(given, S, strict=False)]

    kept = [S[i] for i in range(n) if i != m.solved]
    return replace(
        m,
        inertia=[row(line, e / f) for line, f in zip(m.inertia, S, strict=False)],
        coupling=[
            [c * e / (f * r) for c, r in zip(line, rotor, strict=True)]
            for line, f in zip(m.coupling, S, strict=False)
        ],
        rotor_inertia=[
            [c * e / (a * b) for c, b in zip(line, rotor, strict=True)]
            for line, a in zip(m.rotor_inertia, rotor, strict=True)
        ],
        gyroscopic=row(m.gyroscopic, e),
        potential=substituted(m.potential, S, e),
        forces=row(m.forces, power),
        constraints=[row(line) for line in m.constraints],
        frame=m.frame
        and [
            [substituted(p, S, f / g) for p, g in zip(line, kept, strict=True)]
            for line, f in zip(m.frame, S, strict=False)
        ],
        invariants={k: substituted(p, S) for k, p in m.invariants.items()},
        point=point,
        closures=[substituted(p, S) for p in m.closures],
        slips=[
            Slip([row(line) for line in slip.rows], slip.viscous * power, slip.coulomb * power, slip.scale)
            for slip in m.slips
        ],
        sides=[substituted(p, S) for p in m.sides],
        along=[[v * f for v, f in zip(eta, S, strict=False)] for eta in m.along],
    )
