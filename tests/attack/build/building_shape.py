"""What a mechanism has beside groups and rotors, told to geoctrl: coordinates, heights, friction, sides."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc

from tests.attack.build.building_products import expression
from tests.attack.draw.mechanism import Mechanism


def coordinates_of(m: Mechanism) -> list[gc.Coordinate]:
    return [gc.Coordinate(f"r{k + 1}", angle=kind != "length") for k, kind in enumerate(m.shape)]


def heights_of(m: Mechanism, vectors: Sequence[gc.AdvectedVector]) -> list[gc.Height]:
    return [gc.Height(f"h{k + 1}", vectors[v]) for k, v in enumerate(m.heights)]


def standing_for(m: Mechanism) -> list[sp.Expr]:
    """What the variables of coordinates are in the coordinates."""
    found: list[sp.Expr] = []
    for k, (r, kind) in enumerate(zip(coordinates_of(m), m.shape, strict=True)):
        if kind == "length":
            found.append(r.symbol)
        else:
            found += [sp.cos(r.symbol), sp.sin(r.symbol)]
            found += [r.symbol - angle(*m.point[m.held(k) :][:2])] if kind == "wound" else []
    return found


def angle(c: Fraction, s: Fraction) -> sp.Expr:
    """The angle of an exact point of the circle, between -pi and pi."""
    if c == 0:
        return sp.sign(sp.Rational(s.numerator, s.denominator)) * sp.pi / 2
    t = s / c
    whole = 0 if c > 0 else sp.pi if s >= 0 else -sp.pi
    return whole + sp.atan(sp.Rational(t.numerator, t.denominator))


def written_slips(m: Mechanism, symbols: Sequence[sp.Expr]) -> list[gc.Friction]:
    return [
        gc.Friction(
            [[expression(e, symbols) for e in row] for row in slip.rows],
            viscous=_rational(slip.viscous),
            coulomb=_rational(slip.coulomb),
            scale=_rational(slip.scale) if slip.coulomb else None,
        )
        for slip in m.slips
    ]


def written_sides(m: Mechanism, symbols: Sequence[sp.Expr]) -> dict[str, Any]:
    return {f"side{k + 1}": expression(side, symbols) > 0 for k, side in enumerate(m.sides)}


def _rational(q: Fraction) -> sp.Rational:
    return sp.Rational(q.numerator, q.denominator)


def told_exactly(m: Mechanism, place: int) -> sp.Expr:
    """The value at the point of the state that a variable is, or stands for."""
    if place in angles(m):
        return angle(*m.point[place : place + 2])
    return _rational(m.point[place])


def angles(m: Mechanism) -> set[int]:
    """Variables that are cosines of angles."""
    return {m.held(k) for k, kind in enumerate(m.shape) if kind != "length"}


def as_state(m: Mechanism, order: Sequence[int], x: np.ndarray) -> np.ndarray:
    """A state of geoctrl's, its components in the order of the oracle's variables given."""
    found = dict(enumerate(x))
    for k, kind in enumerate(m.shape):
        i = m.held(k)
        if kind == "angle":
            found[i] = np.arctan2(x[i + 1], x[i])
        elif kind == "wound":
            found[i] = np.arctan2(float(m.point[i + 1]), float(m.point[i])) + x[i + 2]
    return np.array([found[i] for i in order])


def as_rate(m: Mechanism, order: Sequence[int], x: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Its rate."""
    turned = angles(m)
    return np.array([x[i] * rate[i + 1] - x[i + 1] * rate[i] if i in turned else rate[i] for i in order])


def moved(m: Mechanism, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A state with its heights and coordinates moved at random."""
    x = x.copy()
    for k in range(len(m.heights)):
        x[m.height(k)] += rng.normal()
    for k, kind in enumerate(m.shape):
        i, by = m.held(k), rng.normal()
        if kind == "length":
            x[i] += by
            continue
        c, s = x[i : i + 2]
        x[i : i + 2] = c * np.cos(by) - s * np.sin(by), s * np.cos(by) + c * np.sin(by)
        if kind == "wound":
            x[i + 2] += by
    return x
