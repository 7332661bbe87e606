"""Steps of the flow in balls as a file has them: their lengths, and boxes in which motions stay meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, arb_mat, fmpq

from geoctrl import checker
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.checker.flows.flow import FINE, PARTS, WHOLE, interval_of
from geoctrl.checker.flows.series import Motion, coefficient, terms_of_series, value_at

__all__ = ["box_of_step", "flow_steps", "longest_step"]

SMALL = 2 / 3
"""Exponent of what a step may leave out, relative to the bits."""
GROWN, TRIED = 1.5, 24
"""Factor of boxes that are too small, and how often it and shorter steps are tried."""
WIDER = 2
"""How much wider boxes of an orbit are, for motions from more starts than one."""
APART = 8
"""Exponent of how far motions may go apart over a step by Gronwall's lemma."""
SLACK = 2.0**-24
"""Of a size, by which boxes are larger than the motion."""


def flow_steps(motion: Motion, z: list[arb], bits: int, domain: Sequence[int] = ()) -> list[list[Any]]:
    """Steps over the period with boxes, each as long as its series allows, and functions of a domain are seen
    to be positive.
    """
    left, s, found = arb(2) ** -int(bits * SMALL), 0, list[list[Any]]()
    h, N = PARTS, motion.degree
    while s < PARTS:
        series = motion.coefficients(z, N)
        h = min(PARTS - s, 4 * h, longest_step(series[N], left, N))
        for _ in range(TRIED):
            sides = box_of_step(motion, z, arb(fmpq(h, PARTS)), WIDER)
            if sides and _stays(motion, z, arb(fmpq(h, PARTS)), [*map(interval_of, sides)], domain):
                over = motion.coefficients([*map(interval_of, sides), z[-1]], N)
                longest = longest_step(over[N], left, N)
                if longest >= h:
                    break
                h = min(h - h // 8, int(0.9 * longest) + 1)
            else:
                h //= 2
            if not h:
                raise NotSolved
        else:
            raise NotSolved
        found.append([h, [list(side) for side in sides]])
        z = [x.mid() for x in value_at(series, arb(fmpq(h, PARTS))).entries()]
        s += h
    return found


def _stays(motion: Motion, z: Sequence[arb], h: arb, box: list[arb], domain: Sequence[int]) -> bool:
    """Whether motions from starts about one stay in a box over a step, where the model holds and motions do
    not go apart too fast.
    """
    reached = h * arb(fmpq(1, 2), fmpq(1, 2))
    with terms_of_series(1):
        (F, *_), (slopes, *_) = motion.rates([*box, z[-1]])
        margins = motion.jets(domain, motion.symbols_at([*box, z[-1]]))
        inside = all(coefficient(jet.value, 0) > 0 for jet in margins)
    moved = [x + arb(0, SLACK) + reached * f for x, f in zip(z, F.entries(), strict=True)]
    slow = all(sum((abs(c) for c in row), arb(0)) * h < APART for row in slopes.tolist())
    return inside and slow and all(b.contains(x) for b, x in zip(box, moved, strict=False))


def longest_step(last: arb_mat, left: arb, N: int) -> int:
    """The longest step of which the last coefficient leaves out no more than is allowed."""
    size = max((c.abs_upper() for c in last.entries()), key=float)
    if not size.is_finite():
        return 1
    if not size > left:
        return PARTS
    return int(float(((left / size).log() / N).exp()) * PARTS) or 1


def box_of_step(
    motion: Motion, z: Sequence[arb], h: arb, slack: int = 1, series: Sequence[arb_mat] = ()
) -> list[tuple[int, int]]:
    """Sides of a box in which motions stay over a step, so many times as wide; none where none is found.

    The series of one of the motions, where it is known, says about where they go.
    """
    reached, n = h * arb(fmpq(1, 2), fmpq(1, 2)), len(z) - 1
    here = [x + arb(0, SLACK) for x in z[:n]]
    box = list(here)
    if series:
        away = value_at([arb_mat(n + 1, 1), *series[1:]], reached).entries()
        near = [x + arb(a.mid(), a.rad() * GROWN) for x, a in zip(here, away, strict=False)]
        if all(abs(x) < WHOLE // FINE for x in near):
            box = [interval_of(_sides(x)) for x in near]
    for _ in range(TRIED):
        try:
            with terms_of_series(1):
                F = motion.rates([*box, z[n]])[0][0].entries()[:n]
        except (checker.Refusal, ValueError, ZeroDivisionError):
            return []
        image = [x + reached * f for x, f in zip(here, F, strict=True)]
        if not all(abs(x) < WHOLE // FINE for x in image):  # which no file may hold
            return []
        if all(b.contains(x) for b, x in zip(box, image, strict=True)):
            return [_sides(arb(b.mid(), slack * b.rad())) for b in box]
        box = [interval_of(_sides(arb(x.mid(), x.rad() * GROWN))) for x in image]
    return []


def _sides(x: arb) -> tuple[int, int]:
    """Whole numbers of parts of a size that hold a ball between them."""
    a, b = x.lower() * FINE, x.upper() * FINE
    return int(a.floor().fmpq()) - 1, int(b.ceil().fmpq()) + 1
