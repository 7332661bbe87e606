"""Two proofs around a change of stability: how near to each other they can be had."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl.analysis.certificates.certificates import Certificate, certify
from geoctrl.continuation.arclength import SolvedCourse
from geoctrl.continuation.changes import FOLD, ChangeFunction
from geoctrl.continuation.curve import Course, CurvePlace
from geoctrl.continuation.folds import TurningPoint, turning_point
from geoctrl.errors import GeoctrlError
from geoctrl.verification import Verdict

__all__ = ["Bracket", "certificate_at", "smallest_bracket"]

_DISTANCES = [10.0 ** (k / 2) for k in range(-24, -7)]
"""From a change, relative to value and span, at which proofs are tried: from where floats tell on. What is
proved at one distance is taken to be proved at greater ones, so that few are tried."""
_FLOATS = 1e-7
"""Half width of a bracket of floats, relative to the value: half the digits of a double, which are left where
curves cross."""
_STABLE = (Verdict.PROVED_STABLE, Verdict.PROVED_ASYMPTOTICALLY_STABLE)


@dataclass(frozen=True, eq=False)
class Bracket:
    """An interval of what a branch goes along, and what is proved of its ends.

    Attributes
    ----------
    certificates : tuple of Certificate or TurningPoint
        At the two ends, or of the one turn; none where nothing is proved.
    proof : str
        What is proved, in words; empty where nothing is.
    """

    low: float
    high: float
    certificates: tuple[Certificate | TurningPoint, ...] = ()
    proof: str = ""


def smallest_bracket(course: Course, event: ChangeFunction) -> Bracket:
    """The smallest bracket with ends that are proved, one stable and one unstable; of a fold, one in which it
    is proved to lie; else one of floats.
    """
    value, (least, most) = event.place.value, course.span
    size = max(abs(value), most - least)
    floats = Bracket(value - _FLOATS * size, value + _FLOATS * size)
    if event.kind == FOLD and isinstance(course, SolvedCourse):
        turn = turning_point(course, event.place)
        return (
            floats if turn is None else Bracket(*turn.bracket, (turn,), "proved to hold a turn of the curve")
        )
    sides = sorted((event.before, event.after), key=lambda place: place.value)
    turned = not sides[0].value < value < sides[1].value
    if turned or (event.before.spectrum.growing and event.after.spectrum.growing):
        return floats
    best = floats
    first, last = 0, len(_DISTANCES)
    k = first  # most changes are proved as near as floats tell
    while first < last:
        margin = _DISTANCES[k] * size
        found = _proved_bracket(course, (value - margin, sides[0]), (value + margin, sides[1]))
        if found is None:
            first = k + 1
        else:
            best, last = found, k
        k = (first + last) // 2
    return best


def certificate_at(course: Course, number: int) -> Certificate | None:
    """The certificate of a place of the course; None where no exact point belongs to it, or none can be made.

    What is found at the value of a place belongs to the place whose states are nearest: next to a turn the
    curve has two equilibria at one value.
    """
    place = course.places[number]
    try:
        point = course.exactly(place.value, place)
        scale = course.seen.scales(place.point.x, place.point.u, place.point.params).column
        away = [np.linalg.norm((other.point.x - point.x) / scale) for other in course.places]
        return certify(course.seen.system, point) if int(np.argmin(away)) == number else None
    except GeoctrlError:
        return None


def _proved_bracket(
    course: Course, low: tuple[float, CurvePlace], high: tuple[float, CurvePlace]
) -> Bracket | None:
    """The bracket of two values, each with a place near it, that are proved stable and unstable."""
    # The unstable one first: it is sooner proved, and sooner not.
    turned = not low[1].spectrum.growing
    proofs = _certificates(course, [high, low] if turned else [low, high])
    if len(proofs) < 2 or not _differ(*(c.verdict for c in proofs)):
        return None
    first, second = proofs[::-1] if turned else proofs
    words = {True: "stable", False: "unstable"}
    said = [words[c.verdict in _STABLE] for c in (first, second)]
    ends = low[0], high[0]
    if not course.joined or any(_box(c) for c in proofs):
        ends = _below(low[0], first, course.along), -_below(-high[0], second, course.along)
    curve = "" if course.joined else "; that both lie on one curve is of floats"
    return Bracket(*ends, (first, second), f"proved {said[0]} at its low end, {said[1]} at its high{curve}")


def _certificates(course: Course, ends: Sequence[tuple[float, CurvePlace]]) -> list[Certificate]:
    """Proofs at one end after the other, as far as there are such."""
    found: list[Certificate] = []
    for value, near in ends:
        try:
            point = course.exactly(value, near)
            certificate = certify(course.seen.system, point)
        except GeoctrlError:  # no point in exact numbers, or one of which no certificate can be made
            break
        if not certificate.verdict.proved or (course.joined and point.exact is None):
            break
        found.append(certificate)
    return found


def _differ(one: Verdict, other: Verdict) -> bool:
    return (one in _STABLE) != (other in _STABLE) and Verdict.PROVED_UNSTABLE in (one, other)


def _box(certificate: Certificate) -> dict[str, Any]:
    """The box in which an equilibrium of floats is proved to lie; empty for one in exact numbers."""
    return certificate.proof["problem"].get("box", {})


def _below(value: float, certificate: Certificate, along: str) -> float:
    """A double below all values within the box about one."""
    labels, bits = list(certificate.proof["problem"]["states"]), _box(certificate).get("bits")
    radius = 0.0
    if bits is not None and along in labels:
        radius = 2.0 ** -(bits[labels.index(along)] if isinstance(bits, list) else bits)
    return math.nextafter(value - radius, -math.inf)
