"""Theorems beyond spectrum and energy-Casimir; each can be read by itself, after `verdicts`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geoctrl.checker.maps.file import MAP, MAP_WITNESS, PROBLEM, stability_map
from geoctrl.checker.orbits.file import ORBIT as PERIODIC
from geoctrl.checker.orbits.file import REPELLING, attracting_orbit, repelling_orbit
from geoctrl.checker.slopes.file import SLOPES, attraction_by_slopes
from geoctrl.checker.squares.file import SQUARES, attraction_by_squares
from geoctrl.checker.sublevels.file import SUBLEVEL, sublevel
from geoctrl.checker.theorems.boxes import BOX, ENERGY, energy_casimir_in_box, in_box
from geoctrl.checker.theorems.falling import FALLING, falling_energy
from geoctrl.checker.theorems.family import ATTRACTION, DRIFT, attracting_family, drift
from geoctrl.checker.theorems.family_in_balls import GROWTH, attraction_in_balls, growth_in_balls
from geoctrl.checker.theorems.held_loop import (
    AT_REST,
    BESIDE_FAMILY,
    INSIDE,
    OUTSIDE,
    attracting_fixed_points,
    attracting_loop,
    attracting_rest,
    repelling_loop,
)
from geoctrl.checker.theorems.idle import (
    IDLE,
    IDLE_GROWTH,
    attraction_beside_idle,
    growth_beside_idle,
)
from geoctrl.checker.theorems.lowest_form import MINIMUM, ZERO_ROOT, lowest_form, one_zero_root
from geoctrl.checker.theorems.orbit import GROWTH_ACROSS, ORBIT, growth_across, stable_orbit
from geoctrl.checker.theorems.shape import SHAPE, over_shape
from geoctrl.checker.theorems.turning_point import TURN, turning_point
from geoctrl.checker.verdicts import THEOREMS as OF_POINTS
from geoctrl.checker.verdicts import Found, attraction, growth

__all__ = ["ENCLOSED", "PARTS", "REGIONS", "THEOREMS"]

Theorem = tuple[Any, Callable[..., Found]]

THEOREMS: dict[str, Theorem] = {
    "family": (ATTRACTION, attracting_family),
    "drift": (DRIFT, drift),
    "lowest form": (MINIMUM, lowest_form),
    "zero root": (ZERO_ROOT, one_zero_root),
    "falling": (FALLING, falling_energy),
    "orbit": (ORBIT, stable_orbit),
    "growth across an orbit": (GROWTH_ACROSS, growth_across),
    "loop that attracts": (INSIDE, attracting_loop),
    "loop that repels": (OUTSIDE, repelling_loop),
    "loop with fixed points": (BESIDE_FAMILY, attracting_fixed_points),
    "loop that rests on a manifold": (AT_REST, attracting_rest),
} | {
    f"{name} over a shape": (OF_POINTS[name][0] | {"shape": SHAPE}, over_shape(OF_POINTS[name][1]))
    for name in ("attraction", "energy-Casimir")
}
"""By their names, what a file gives for them, and what proves them."""
ENCLOSED: dict[str, Theorem] = {
    "attraction in a box": (OF_POINTS["attraction"][0] | {"box": BOX}, in_box(attraction)),
    "growth in a box": (OF_POINTS["growth"][0] | {"box": BOX}, in_box(growth)),
    "energy-Casimir in a box": (ENERGY, energy_casimir_in_box),
    "attraction beside what is idle": (IDLE, attraction_beside_idle),
    "growth beside what is idle": (IDLE_GROWTH, growth_beside_idle),
    "family in balls": (ATTRACTION, attraction_in_balls),
    "growth in balls": (GROWTH, growth_in_balls),
}
"""Those that ask their questions themselves, about a box or in balls, and need no exact rest at the point."""
REGIONS: dict[str, Theorem] = {
    "map": (MAP, stability_map),
    "slopes": (SLOPES, attraction_by_slopes),
    "sublevel": (SUBLEVEL, sublevel),
    "periodic orbit that attracts": (PERIODIC, attracting_orbit),
    "periodic orbit that repels": (REPELLING, repelling_orbit),
    "squares": (SQUARES, attraction_by_squares),
    "turning point": (TURN, turning_point),
}
"""Those about sets, maps, orbits and turning points, which ask their questions themselves; they tell of a
region, which has its claim and what was checked for it.
"""
PARTS: dict[str, dict[str, Any]] = {"map": {"problem": PROBLEM, "witness": MAP_WITNESS}}
"""Shapes of problem and witness where they are not those of a point."""
