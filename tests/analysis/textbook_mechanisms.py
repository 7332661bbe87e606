"""Mechanisms of textbooks with what is true of a point, as in `textbook_fields`.

Sources besides those: [B] Bolotin, Nonconservative Problems of the Theory of Elastic Stability; [Me] Merkin,
Introduction to the Theory of Stability; [L] Landau, Lifshitz, Mechanics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import sympy as sp

import geoctrl as gc
from tests.analysis.textbook_fields import ATTRACTS, STABLE, UNSTABLE, R

p, q = gc.Coordinate("p"), gc.Coordinate("q")
P, Q, DP, DQ = p.symbol, q.symbol, p.rate, q.rate


class MechanismCase(NamedTuple):
    """A mechanism and a member of a family, or rest at zero; what is true of it, and what is proved."""

    built: Callable[[], Any]
    truth: str
    proved: str = ""
    family: str = ""
    values: Mapping[str, Any] = {}

    def point(self, system: Any) -> Any:
        """The member, with parameters among the values; else zero."""
        if not self.family:
            return [0] * system.nstates
        symbols = {k: v for k, v in self.values.items() if k in system.families[self.family].names}
        params = {k: v for k, v in self.values.items() if k not in symbols}
        return system.equilibrium(self.family, params=params, **symbols)


def hill(potential: Any, truth: str, proved: str = "", force: Any = 0) -> MechanismCase:
    """One coordinate, with unit mass."""

    def built() -> Any:
        return gc.EulerPoincare(shape=[q], inertia=[[1]], potential=sp.sympify(potential), forces=[force])

    return MechanismCase(built, truth, proved)


def hills(
    potential: Any,
    truth: str,
    proved: str = "",
    forces: Sequence[Any] = (0, 0),
    inertia: Any = ((1, 0), (0, 1)),
    **entries: Any,
) -> MechanismCase:
    """Two coordinates."""

    def built() -> Any:
        matrix = [list(row) for row in inertia]
        return gc.EulerPoincare(
            shape=[p, q], inertia=matrix, potential=potential, forces=list(forces), **entries
        )

    return MechanismCase(built, truth, proved)


def turning(rate: Any, weights: tuple[Any, Any], truth: str, proved: str = "", friction: Any = 0):
    """Stiffnesses along two axes, and gyroscopic forces: p'' = -a p + rate q', q'' = -b q - rate p'."""
    a, b = weights
    forces = [rate * DQ - friction * DP, -rate * DP - friction * DQ]
    moment = P * DQ - Q * DP + rate * (P**2 + Q**2) / 2  # kept where both stiffnesses are equal
    kept = {"moment": moment} if a == b and not friction else {}
    return hills((a * P**2 + b * Q**2) / 2, truth, proved, forces, invariants=kept)


def follower(k: Any, stiffness: tuple[Any, Any], frictions: tuple[Any, Any], truth: str, proved: str = ""):
    """A circulatory force, which no potential has: p'' = -a p - c p' - k q, q'' = -b q - d q' + k p."""
    (a, b), (c, d) = stiffness, frictions
    return hills((a * P**2 + b * Q**2) / 2, truth, proved, [-k * Q - c * DP, k * P - d * DQ])


def of_catalogue(name: str, family: str, truth: str, proved: str = "", **values: Any) -> MechanismCase:
    """A mechanism of the catalogue."""
    return MechanismCase(gc.models.get(name), truth, proved, family, values)


ONE_COORDINATE = {
    "spring": hill(Q**2 / 2, STABLE, STABLE),
    "spring with friction": hill(Q**2 / 2, ATTRACTS, ATTRACTS, force=-DQ),
    "spring with friction of the wrong sign": hill(Q**2 / 2, UNSTABLE, UNSTABLE, force=DQ),
    "no force: its place drifts": hill(0, UNSTABLE, UNSTABLE),
    "hill": hill(-(Q**2) / 2, UNSTABLE, UNSTABLE),
    "hill with friction": hill(-(Q**2) / 2, UNSTABLE, UNSTABLE, force=-DQ),
    "flat valley": hill(Q**4, STABLE, STABLE),
    "flat valley with friction": hill(Q**4 / 4, ATTRACTS, ATTRACTS, force=-DQ),
    "flat valley with friction that vanishes": hill(Q**4 / 4, ATTRACTS, force=-(DQ**3)),
    "very flat valley": hill(Q**14, STABLE, STABLE),
    "slope with a level place": hill(Q**3, UNSTABLE, UNSTABLE),
    "flat hill (Lagrange's converse)": hill(-(Q**4), UNSTABLE, UNSTABLE),
    "very flat hill": hill(-(Q**14), UNSTABLE, UNSTABLE),
}
TWO_COORDINATES = {
    "saddle": hills(P * Q, UNSTABLE, UNSTABLE),
    "valley that is level along its floor": hills(P**2, UNSTABLE, UNSTABLE),
    "cross of valleys: drifts along either": hills(P**2 * Q**2, UNSTABLE, UNSTABLE),
    "valley by its lowest form": hills(P**4 + Q**4 - P**2 * Q**2, STABLE, STABLE),
    "hills by their lowest form": hills(P**4 + Q**4 - 3 * P**2 * Q**2, UNSTABLE, UNSTABLE),
    "curved valley, flat along its floor": hills((Q - P**3) ** 2 + P**12, STABLE, STABLE),
    "least along every line, and no minimum (Peano)": hills((Q - P**2) * (Q - 3 * P**2), UNSTABLE, UNSTABLE),
    "the same with coupled masses": hills(
        (Q - P**2) * (Q - 3 * P**2), UNSTABLE, UNSTABLE, inertia=((2, 1), (1, 3))
    ),
    "hill held by gyroscopic forces [Me 6]": turning(3, (-1, -1), STABLE, STABLE),
    "hill held too slowly [Me 6]": turning(1, (-1, -1), UNSTABLE, UNSTABLE),
    "hill held by gyroscopic forces, with friction (Kelvin, Tait, Chetaev)": turning(
        3, (-1, -1), UNSTABLE, UNSTABLE, friction=R(1, 10)
    ),
    "two hills of different slope, held": turning(4, (-1, -4), STABLE),
    "one hill is never held (Kelvin, Tait)": turning(10, (-1, 1), UNSTABLE, UNSTABLE),
    "a follower force beside equal springs [Me 6]": follower(R(1, 10), (1, 1), (0, 0), UNSTABLE, UNSTABLE),
    "a follower force, friction enough": follower(1, (1, 1), (2, 2), ATTRACTS, ATTRACTS),
    "a follower force, friction too small": follower(1, (1, 1), (R(1, 2), R(1, 2)), UNSTABLE, UNSTABLE),
    "a follower force beside unequal springs [B]": follower(R(1, 2), (1, 3), (0, 0), STABLE),
    "the same, destabilised by friction (Ziegler, Bottema)": follower(
        R(1, 2), (1, 3), (R(1, 10), 0), UNSTABLE, UNSTABLE
    ),
    "friction along one coordinate reaches both": hills(
        (P**2 + (Q - P) ** 2 + Q**2) / 2, ATTRACTS, ATTRACTS, forces=(-DP, 0)
    ),
    "friction along one coordinate does not reach the other": hills(
        (P**2 + Q**2) / 2, STABLE, STABLE, forces=(-DP, 0)
    ),
}
# Thresholds: [L 35] of the sleeping top, (I3 Omega)^2 > 4 I1 m g l; a sleigh settles with its blade behind.
OF_THE_CATALOGUE = {
    "pendulum, hanging": of_catalogue("planar-pendulum", "hanging", STABLE, STABLE),
    "pendulum, inverted": of_catalogue("planar-pendulum", "inverted", UNSTABLE, UNSTABLE),
    "top asleep, fast [L 35]": of_catalogue("heavy-top", "sleeping", STABLE, STABLE, Omega0=20, I2=0.9),
    "top asleep, slow [L 35]": of_catalogue("heavy-top", "sleeping", UNSTABLE, UNSTABLE, Omega0=5, I2=0.9),
    "sleigh, its blade behind": of_catalogue("chaplygin-sleigh", "straight", STABLE, STABLE, V=1),
    "sleigh, its blade ahead": of_catalogue("chaplygin-sleigh", "straight", UNSTABLE, UNSTABLE, V=-1),
    "body turning about its middle axis [L 37]": of_catalogue(
        "free-rigid-body", "about2", UNSTABLE, UNSTABLE, Omega0=1
    ),
}
TEXTBOOK_MECHANISMS = ONE_COORDINATE | TWO_COORDINATES | OF_THE_CATALOGUE
