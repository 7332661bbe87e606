"""Genuine files of theorems over sets, boxes of constants, ranges of a parameter and maps: small ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import sympy as sp

import geoctrl as gc
from geoctrl import checker
from tests.attack.forge.genuine import Genuine
from tests.attack.parts.moving import pulled


def over_sets() -> list[Genuine]:
    """One file of each."""
    found = []
    for content in _contents():
        told = {"problem": content["problem"], "verdict": checker.prove(content).verdict}
        found.append(Genuine(told, json.loads(json.dumps(content)), searched=False))
    return found


def _contents() -> Iterator[dict[str, Any]]:
    field = falling_back()
    for by in ("squares", "slopes"):
        yield gc.region_of_attraction(field, [0], by=by).to_dict()
    pendulum = swinging()
    yield gc.region_of_attraction(pendulum, [0, 0], by="energy").to_dict()
    yield gc.certify(field, [0], over={"k": (1, 2)}).to_dict()
    yield gc.certify(coasting(), [0, 0, 0], over={"k": (1, 2)}).to_dict()
    yield gc.bound_while_moving(pulled(), "pulled", "s", (-1, 2), 0.5).to_dict()
    yield gc.certify_region(pushed(), "pushed", {"s": (-1, 1)}, depth=2, by="forms").to_dict()


def falling_back() -> gc.ReducedSystem:
    """x' = x^3 - k x."""
    k, x = gc.Parameter("k", 1), sp.Symbol("x")
    return gc.VectorField(["x"], [x**3 - k.symbol * x], parameters=[k], name="falling back").reduce()


def coasting() -> gc.ReducedSystem:
    """y' = v, v' = 0 and x' = -k x."""
    k, (x, y, v) = gc.Parameter("k", 1), sp.symbols("x y v", real=True)
    return gc.VectorField([y, v, x], [v, 0, -k.symbol * x], parameters=[k], name="coasting").reduce()


def pushed() -> gc.ReducedSystem:
    """x' = u - x - x^2, held where it is on either side of the least u."""
    x, u, s = sp.symbols("x u s", real=True)
    held = {"pushed": gc.Family({"x": s}, [s], {"u": s + s**2})}
    return gc.VectorField([x], [u - x - x**2], inputs=[u], equilibria=held, name="pushed").reduce()


def swinging() -> gc.ReducedSystem:
    """A pendulum with friction."""
    q = gc.Coordinate("q", angle=True)
    return gc.EulerPoincare(
        shape=[q],
        inertia=[[1]],
        potential=-sp.cos(q.symbol),
        friction=[gc.Friction([1], viscous=1)],
        name="swinging",
    ).reduce()
