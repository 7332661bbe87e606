"""Random systems with an equilibrium, from a seed and an index alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing_groups import draw_group
from tests.attack.draw.drawing_products import draw_products
from tests.attack.draw.drawing_shape import draw_shaped
from tests.attack.draw.drawing_spheres import draw_spheres
from tests.attack.draw.mechanism import Mechanism, Products, Spheres

# Streams of their own leave the other draws of a seed as they were.
PRODUCTS = 104729
SHAPED = 224737


def draw(seed: int, index: int) -> Mechanism | Spheres | Products:
    """The system of an index; a draw that has no equilibrium is drawn again from the same stream."""
    shaped = Dice(seed + SHAPED, index)
    if shaped.chance(0.2):
        return draw_until(draw_shaped, shaped)
    aside = Dice(seed + PRODUCTS, index)
    if aside.chance(0.1):
        return draw_products(aside)
    dice = Dice(seed, index)
    kind = dice.weighted([(76, "group"), (9, "rotations"), (15, "spheres")])
    if kind == "spheres":
        return draw_until(draw_spheres, dice)
    return draw_until(lambda dice: draw_group(dice, kind), dice)


def draw_until(once: Callable[[Dice], Any], dice: Dice) -> Any:
    """What is drawn at last."""
    while (found := once(dice)) is None:
        pass
    return found
