"""Random rational points on the orbits of advected parameters, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from geoctrl._scalars import RATIONAL, NotRationalError, evaluate
from geoctrl.algebra import AdvectedParameter, AdvectedVector
from geoctrl.systems import ReducedSystem
from geoctrl.systems.equations.mechanism import Mechanism

__all__ = ["exact_configurations", "random_fraction"]

Rows = list[list[Fraction]]

_TURNS = 4
"""Largest number of times that one turn of the group turns a plane of a representation."""


def random_fraction(rng: np.random.Generator) -> Fraction:
    """A small rational number of either sign."""
    return Fraction(int(rng.integers(-30, 31)), int(rng.integers(1, 8)))


def exact_configurations(sys: ReducedSystem, rng: np.random.Generator) -> Iterator[tuple[Fraction, ...]]:
    """Random rational Gamma exactly on the leaf, as `exact_states`, with all of its entries."""
    while True:
        gamma = _exact_gamma(sys, rng)
        if gamma is None:
            return
        relations = sys.leaf.nodes[: sys.leaf.geometric]
        try:
            defects = evaluate(relations, dict(zip(sys.assembly.gamma, gamma, strict=True)), RATIONAL)
        except (KeyError, NotRationalError, ZeroDivisionError):  # of parameters, or no rational number here
            return
        if any(defects):
            return
        yield tuple(gamma)


def _exact_gamma(sys: ReducedSystem, rng: np.random.Generator) -> list[Fraction] | None:
    mechanism = sys.mechanism
    if any(isinstance(advected, AdvectedParameter) for advected in mechanism.advected):
        return _orbit_parameters(mechanism, rng) + [random_fraction(rng) for _ in mechanism.variables]
    rotations: dict[int, list[list[Fraction]]] = {}
    gamma: list[Fraction] = []
    for advected in mechanism.advected:
        reference = [Fraction(x) for x in advected.reference]
        if not isinstance(advected, AdvectedVector):  # a height is what it is at the reference
            gamma += reference
            continue
        gone = [s in mechanism.leaf for s in advected.symbols]
        if any(gone):
            if any(x for x, out in zip(reference, gone, strict=True) if out):
                return None
            gamma += _stereographic(reference, gone, rng)
            continue
        index = advected.factor_index(mechanism.algebra)
        if index not in rotations:
            planar = mechanism.algebra.factors[index].name in ("so2", "se2")
            rotations[index] = _cayley(rng, planar)
        gamma += [
            sum((r * x for r, x in zip(row, reference, strict=False)), Fraction(0))
            for row in rotations[index][: len(reference)]
        ]
    return gamma + [random_fraction(rng) for _ in mechanism.variables]


def _orbit_parameters(mechanism: Mechanism, rng: np.random.Generator) -> list[Fraction]:
    """Advected parameters moved by one element of the group, a product of exponentials of its basis.

    A basis element of which no rational exponential is known moves nothing.
    """
    a = [Fraction(x) for advected in mechanism.advected for x in advected.reference]
    d = len(a)
    actions: dict[int, list[list[Fraction]]] = {}
    for i, j, m, value in mechanism.kinematics:
        if i < d and m < d:
            actions.setdefault(j, [[Fraction(0)] * d for _ in range(d)])[i][m] += value
    for action in actions.values():
        a = _exponential(action, random_fraction(rng) / 30, a)
    return a


def _exponential(action: Rows, t: Fraction, a: list[Fraction]) -> list[Fraction]:
    r"""exp(t X) a of a nilpotent X; exp(theta X) a, tan(theta/2) = t, where X turns planes 1, 2, ... times.

    With the squares :math:`-k^2`, k = 1, ..., K, and zero of a semisimple X,
    :math:`Q_k = -X^2/k^2 \prod_{l \ne k} (X^2 + l^2)/(l^2 - k^2)` project on the planes turned k times.
    """
    power, term, total = 0, a, list(a)
    while any(term) and power <= len(a):
        power += 1
        term = [t / power * x for x in _times(action, term)]
        total = [x + y for x, y in zip(total, term, strict=True)]
    if not any(term):
        return total
    for K in range(1, _TURNS + 1):
        left = _times(action, a)
        for k in range(1, K + 1):
            left = _squared_plus(action, left, k)
        if not any(left):
            return _rotation_exponential(action, t, a, K)
    return a


def _rotation_exponential(action: Rows, t: Fraction, a: list[Fraction], K: int) -> list[Fraction]:
    cosine, sine = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    c, s, total = Fraction(1), Fraction(0), list(a)
    for k in range(1, K + 1):
        c, s = c * cosine - s * sine, c * sine + s * cosine
        part = [-x / (k * k) for x in _times(action, _times(action, a))]
        for other in range(1, K + 1):
            if other != k:
                scale = Fraction(other * other - k * k)
                part = [x / scale for x in _squared_plus(action, part, other)]
        turned = _times(action, part)
        total = [x + (c - 1) * q + s / k * r for x, q, r in zip(total, part, turned, strict=True)]
    return total


def _squared_plus(action: Rows, a: list[Fraction], k: int) -> list[Fraction]:
    """(X^2 + k^2) a."""
    return [x + k * k * y for x, y in zip(_times(action, _times(action, a)), a, strict=True)]


def _times(action: Rows, a: list[Fraction]) -> list[Fraction]:
    return [sum((r * x for r, x in zip(row, a, strict=True) if r), Fraction(0)) for row in action]


def _stereographic(reference: list[Fraction], gone: list[bool], rng: np.random.Generator) -> list[Fraction]:
    """Second intersection with the sphere of a random rational line through the reference."""
    direction = [Fraction(0) if out else random_fraction(rng) or Fraction(1) for out in gone]
    slope = sum((r * d for r, d in zip(reference, direction, strict=True)), Fraction(0))
    t = -2 * slope / sum((d * d for d in direction), Fraction(0))
    return [r + t * d for r, d in zip(reference, direction, strict=True)]


def _cayley(rng: np.random.Generator, planar: bool) -> list[list[Fraction]]:
    """Rational rotation of the quaternion (1, c)."""
    x, y, z = (Fraction(0) if planar and i < 2 else random_fraction(rng) for i in range(3))
    n = 1 + x * x + y * y + z * z
    return [
        [(1 + x * x - y * y - z * z) / n, 2 * (x * y - z) / n, 2 * (x * z + y) / n],
        [2 * (x * y + z) / n, (1 - x * x + y * y - z * z) / n, 2 * (y * z - x) / n],
        [2 * (x * z - y) / n, 2 * (y * z + x) / n, (1 - x * x - y * y + z * z) / n],
    ]
