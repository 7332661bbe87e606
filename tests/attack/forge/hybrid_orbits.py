"""Files of orbits through jumps with other witnesses, of machines whose orbits are known in closed form.

A clock q' = 1 turns back to zero at one; beside it p' = g p becomes c p + d there. A period takes one second,
from p* = d/(1 - c e^g), and the multiplier is c e^g. And an oscillator that a wave pushes against a wall, of
which the file has a clock that goes round.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

import geoctrl as gc
from geoctrl import checker
from tests.attack.draw.dice import Dice
from tests.attack.outcome import Outcome
from tests.jumps.proved_orbits import wave_and_wall, wave_at_wall

DRAWN = ((Fraction(1, 2), Fraction(1, 2), Fraction(1)), (Fraction(-1, 4), Fraction(2), Fraction(-1)))
"""g, c and d: of an orbit that attracts, and of one that repels."""
BITS = 96
SCALES = tuple(map(Fraction, ("0", "-1", "1001/1000", "1/2", "2", "1099511627777/1099511627776")))
KEYS = ("phases", "radius", "Y", "P", "m", "v", "bits", "degree", "modes", "free", "rows", "winding")
"""Of what is told to the theorem; the equations, guards and resets stay as they are."""


@cache
def genuine(k: int) -> dict[str, Any]:
    """The file of a machine; the last one is forced."""
    if k == len(DRAWN):
        return wave_at_wall().data
    g, c, d = map(sp.Rational, DRAWN[k])
    q, p = gc.Coordinate("q"), gc.Coordinate("p")
    field = gc.VectorField([q, p], {"q": sp.Integer(1) + 0 * p.symbol, "p": g * p.symbol}).reduce()
    reset = {"q": sp.Integer(0), "p": c * p.symbol + d}
    back = gc.Jump("back", when=q.symbol - 1, direction=1, reset=reset)
    system = gc.HybridSystem(modes={"on": field}, jumps=[back])
    start = float(d / (1 - c * sp.exp(g)))
    return gc.find_periodic(system, [0.0, start], 1.0, jumps=["back"]).enclose(bits=BITS).data


def _places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Of numbers, whole ones and those in texts."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        if key not in ("problem", "witness", "reset", "guard", "direction"):
            yield from _places(part, (*path, key))
    if isinstance(value, (int, str)) and path and str(value).lstrip("-")[:1].isdigit():
        yield path


def forged(dice: Dice) -> Outcome:
    """One to three numbers of a file changed: what is confirmed is judged by the closed form."""
    k = int(dice.rng.integers(len(DRAWN) + 1))
    data = copy.deepcopy(genuine(k))
    told = []
    for _ in range(int(dice.rng.integers(1, 4))):
        *way, last = dice.pick([path for path in _places(data["theorem"]) if path[0] in KEYS])
        holder = data["theorem"]
        for key in way:
            holder = holder[key]
        old, scale = holder[last], dice.pick(SCALES)
        new = Fraction(old) * scale
        holder[last] = int(new) if isinstance(old, int) else str(new)
        told.append(f"{(*way, last)} times {scale}")
    try:
        found = checker.prove(data)
    except checker.Refusal as refusal:
        return Outcome("", "refused", str(refusal)[:100], detail={"changes": told})
    fault = falsehood(k, found)
    return Outcome("", "contradiction" if fault else "held", fault, detail={"changes": told})


def _known(k: int) -> tuple[list[arb], arb]:
    """State and time of the orbit, and the modulus of its largest multiplier."""
    if k == len(DRAWN):
        begin, speed = wave_and_wall(arb(3) / 5, arb(4) / 5)
        return [speed, arb(0), begin, 2 * arb.pi()], arb(4) / 5
    g, c, d = (fmpq(q.numerator, q.denominator) for q in DRAWN[k])
    multiplier = c * arb(g).exp()
    return [arb(0), d / (1 - multiplier), arb(1)], multiplier


def falsehood(k: int, found: checker.verdicts.Found) -> str:
    """What is false in what is confirmed; empty where nothing is."""
    with ctx.workprec(4 * BITS):
        truth, multiplier = _known(k)
        (phase,) = found.told["region"].orbit.phases
        box = [x * size for x, size in zip(phase.box, phase.motion.sizes, strict=True)]
    if (found.verdict == "PROVED_UNSTABLE") != bool(abs(multiplier) > 1):
        return f"{found.verdict} with a multiplier {multiplier.str(5)}"
    if not all(x.overlaps(y) for x, y in zip(box, truth, strict=True)):
        return f"a box {[x.str(20) for x in box]} without the orbit"
    return ""
