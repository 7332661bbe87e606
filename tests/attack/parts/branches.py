"""Functions in pieces along motions in pieces: what is called conserved is run across the switches."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing_branches import Pieces, draw_pieces
from tests.attack.outcome import Outcome, refusal

STREAM = 611953
"""Of random numbers, of their own."""
BUDGET = 20.0
"""Seconds for a proof."""
STARTS, SPAN, STEP, FINER = 5, 3.0, 1e-2, 4
FAR, NEAR = 30.0, 2e-2
"""A run ends so far away, and so near to a pole."""
DRIFT, STAYS = 1e-3, 0.6
"""Change relative to the values that counts, and what finer steps leave of one that is not theirs."""


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 0


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    dice = Dice(seed + STREAM, index)
    drawn = None
    begun = time.process_time()
    try:
        drawn = draw_pieces(dice)
        outcome = judged(drawn, dice)
    except Exception as error:
        outcome = refusal(drawn.kind if drawn else "branches", error)
    outcome.kind = drawn.kind if drawn else "branches"
    outcome.seconds = time.process_time() - begun
    if drawn:
        outcome.detail |= {"function": str(drawn.function), "rates": [str(r) for r in drawn.rates]}
    return outcome


def judged(drawn: Pieces, dice: Dice) -> Outcome:
    """The proof, and what is listed as conserved, against runs."""
    system = drawn.mechanism.reduce()
    proof = gc.check_invariant(system, drawn.function, budget=BUDGET)
    listed = "drawn" in system.conserved()
    detail = {"where": proof.where, "note": proof.note, "listed": listed}
    if not (proof.proved or listed):
        words = proof.note.split(" of ")[0] if proof.note else "a branch"
        held = "unjudged" if drawn.kept else "refused"
        return Outcome("", held, proof.note, detail=detail | {"words": words[:30]})
    changed = change(drawn, dice, special=proof.proved)
    if changed:
        what = f"proved {proof.where}" if proof.proved else "listed as conserved"
        return Outcome("", "contradiction", f"{what}, but {changed}", detail=detail)
    return Outcome("", "proved" if proof.proved else "held", detail=detail)


# -- runs ------------------------------------------------------------------------------------------------


def change(drawn: Pieces, dice: Dice, special: bool) -> str:
    """How the function changes along a run, in words; empty where it does not.

    Rates are those of the formulas, step by step, so that a motion that slides shakes about the switch by a
    step: what is left with finer steps is a change of its own.

    Parameters
    ----------
    special : whether starts on switches themselves are run too
    """
    values = [e.subs(drawn.numbers) for e in (drawn.function, *drawn.rates, *drawn.poles)]
    program = sp.lambdify([drawn.states], values, modules=["math", _FUNCTIONS])
    for i in range(STARTS):
        start = dice.rng.normal(size=len(drawn.states))
        if special and i >= STARTS // 2:  # some states zero: on switches
            start = np.where(dice.rng.random(len(start)) < 0.5, 0.0, np.round(start))
        coarse = _drift(program, start, STEP, len(drawn.states))
        if coarse > DRIFT:
            fine = _drift(program, start, STEP / FINER, len(drawn.states))
            finest = _drift(program, start, STEP / FINER**2, len(drawn.states))
            if finest > DRIFT and finest > STAYS * fine and fine > STAYS * coarse:
                return f"it changes by {finest:.3g} of its size from {start.tolist()}"
    return ""


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


def _step(x: float, middle: float = 0.5) -> float:
    return 1.0 if x > 0 else 0.0 if x < 0 else middle


_FUNCTIONS = {"sign": _sign, "Heaviside": _step, "Max": max, "Min": min}


def _drift(program: Any, start: np.ndarray, step: float, n: int) -> float:
    """Largest change of the function over its size, until a pole is near or the state far."""
    x, first, size, signs, most = start.astype(float), None, 1.0, None, 0.0
    for _ in range(round(SPAN / step)):
        try:
            value, *rest = program(x.tolist())
            poles = rest[n:]
            here = [p > 0 for p in poles]
            if signs not in (None, here) or any(abs(p) < NEAR for p in poles) or np.max(np.abs(x)) > FAR:
                break
            slopes = [np.array(rest[:n])]
            for part in (0.5, 0.5, 1.0):
                beside = (x + part * step * slopes[-1]).tolist()
                slopes.append(np.array(program(beside)[1 : n + 1]))
        except (ZeroDivisionError, ValueError, OverflowError):
            break
        first, signs = value if first is None else first, here
        size = max(size, abs(value))
        most = max(most, abs(value - first) / size)
        x = x + step / 6 * (slopes[0] + 2 * slopes[1] + 2 * slopes[2] + slopes[3])
    return most
