"""A file of a catch that is known: an angle that an input turns, and a place that falls by itself.

With phi' = u and p' = -p the law u = -(phi - 157/25) brings phi next to a whole turn, 157/25 = 6.28, and
u = -2 phi keeps it in the set phi^2 + p^2 <= 1/16, phi from the nearest whole turn. Motions from
phi = 157/25 + 1/2, p = 1/8 end at 157/25 + e^-1/2 and e^-1/8 after one second, well inside the set.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from geoctrl.checker.flows.flow import FINE, PARTS
from tests.attack.forge.by_hand import Equations, with_theorem

TURN, RADIUS, LEVEL = Fraction(157, 25), Fraction(1, 64), Fraction(1, 16)
BOXES = (
    ((0.25, 0.6), (0.05, 0.16)),
    ((0.2, 0.45), (0.03, 0.13)),
    ((0.15, 0.35), (0.02, 0.11)),
    ((0.1, 0.3), (0.01, 0.09)),
)
"""In which motions stay for a quarter of a second each, phi from 157/25."""


def turned_and_caught() -> dict[str, Any]:
    """The content of the file, without its digest."""
    plant = Equations(phi=0, p=0)
    u = plant.symbol("u", "input")
    field = [u, plant.monomial(-1, p=1)]
    away = plant.total(plant.monomial(-1, phi=1), plant.number(TURN))
    caught = plant.monomial(-2, phi=1)
    loop = Equations(phi=0, p=0)
    its = [loop.monomial(-2, phi=1), loop.monomial(-1, p=1)]
    steps = [[PARTS // 4, [_sides(phi, TURN), _sides(p, Fraction(0))]] for phi, p in BOXES]
    region = with_theorem(
        loop.problem(its),
        {
            "name": "slopes",
            "domain": [],
            "limits": {"u": {"input": its[0], "bound": "1"}},
            "function": [["1"], ["0", "1"]],
            "level": str(LEVEL),
            "cells": ".",
        },
    )
    theorem = {
        "name": "catch",
        "laws": {"u": away},
        "caught": {"u": caught},
        "region": {k: region[k] for k in ("problem", "witness", "theorem")},
        "turned": ["phi"],
        "entry": str(LEVEL),
        "limits": {"u": "1"},
        "domain": [],
        "time": "1",
        "bits": 64,
        "degree": 15,
        "units": [0, 0, 0],
        "boxes": [{"start": [str(TURN + Fraction(1, 2)), "1/8"], "radii": [str(RADIUS)] * 2, "steps": steps}],
    }
    return with_theorem(plant.problem(field, inputs={"u": "0"}), theorem)


def _sides(ends: tuple[float, float], middle: Fraction) -> list[int]:
    """Ends of an interval about something in parts of the unit."""
    return [int((Fraction(v) + middle) * FINE) for v in ends]
