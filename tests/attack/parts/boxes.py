"""One verdict for a box of constants, of random loops, against Routh's test at exact points of the box."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from math import prod
from typing import Any

import sympy as sp
from flint import fmpq, fmpq_mat

import geoctrl as gc
from geoctrl import checker
from tests.attack.draw.dice import Dice
from tests.attack.outcome import Outcome, refusal

BOXES, POINTS = 610719, 24
"""A stream of their own; corners and inner points of each box that are asked exactly."""
WIDTHS = (Fraction(1, 20), Fraction(1, 5), Fraction(1, 2), Fraction(9, 10))
SHIFTED = 0.3
"""Share of files of which an axis is moved to where the verdict is another one."""


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 0


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    dice = Dice(seed + BOXES, index)
    loop = Loop(dice)
    begun = time.process_time()
    try:
        outcome = judge(loop, dice)
    except Exception as error:
        outcome = refusal(loop.kind, error)
    outcome.kind, outcome.seconds = loop.kind, time.process_time() - begun
    return outcome


class Loop:
    """x' = A(p) x and terms of second order, entries of A products of what is about the nominal values."""

    def __init__(self, dice: Dice) -> None:
        n, m = int(dice.rng.integers(1, 5)), int(dice.rng.integers(1, 6))
        self.states = list(sp.symbols(f"x1:{n + 1}", real=True))
        self.values = {f"p{k}": dice.positive() for k in range(m)}
        self.parameters = [gc.Parameter(k, v) for k, v in self.values.items()]
        symbols = [p.symbol for p in self.parameters]

        def entry() -> sp.Expr:
            terms = [sp.Rational(c) for c in dice.vector(3, 0.4)]
            return sum(
                (c * sp.Mul(*(dice.pick(symbols) for _ in range(k))) for k, c in enumerate(terms)), sp.S(0)
            )

        diagonal = [-(entry() ** 2) - sp.Rational(dice.positive()) for _ in self.states]
        self.A = sp.Matrix(n, n, lambda i, j: diagonal[i] if i == j else entry() * int(dice.chance(0.6)))
        self._terms = [sp.Poly(e, *symbols).terms() for e in self.A]
        bent = [sp.Rational(c) for c in dice.vector(n)]
        rates = self.A * sp.Matrix(self.states) + sp.Matrix(
            [c * x**2 for c, x in zip(bent, self.states, strict=True)]
        )
        self.field = gc.VectorField(self.states, list(rates), parameters=self.parameters, name="drawn")
        self.width = dice.pick(WIDTHS)
        self.kind = f"boxes of {'one axis' if m == 1 else 'few axes' if m < 4 else 'many axes'}"

    def is_stable(self, at: dict[str, Fraction]) -> bool:
        """Whether all roots of det(x - A) lie left of the axis, by Routh's scheme in rationals."""
        values = [fmpq(*Fraction(at[p.name]).as_integer_ratio()) for p in self.parameters]
        entries = [
            sum((fmpq(int(c.p), int(c.q)) * prod(map(pow, values, powers)) for powers, c in terms), fmpq(0))
            for terms in self._terms
        ]
        n = len(self.states)
        rising = fmpq_mat(n, n, entries).charpoly().coeffs()
        coefficients = [Fraction(int(c.p), int(c.q)) for c in reversed(rising)]
        return all(c > 0 for c in first_column(coefficients))


def first_column(p: list[Fraction]) -> list[Fraction]:
    """Routh's first column; it ends with a zero where it would be divided by one."""
    upper, lower, found = p[::2], p[1::2], []
    while upper:
        found.append(upper[0])
        if not lower:
            break
        if lower[0] == 0:
            return [*found, Fraction(0)]
        padded = [*lower, *[Fraction(0)] * (len(upper) - len(lower))]
        below = [(lower[0] * a - upper[0] * b) / lower[0] for a, b in zip(upper[1:], padded[1:], strict=True)]
        upper, lower = lower, below
    return found


def judge(loop: Loop, dice: Dice) -> Outcome:
    """Verdicts of the box and of its counterexample, against the truth at its points."""
    system = loop.field.reduce()
    occurring = {s.name for s in loop.A.free_symbols}
    over = {k: float(loop.width) for k in loop.values if k in occurring}
    if not over:
        return Outcome("", "held")
    found = gc.certify(system, [0] * len(loop.states), over=over)
    verdict = found.verdict.value
    if found.against is not None:
        truth, said = loop.is_stable({**loop.values, **found.against}), found.counterexample.verdict.value
        if truth == (said == "PROVED_UNSTABLE"):
            return Outcome("", "contradiction", f"{said} at {found.against}, but stable is {truth}")
    if not found.verdict.proved:
        return Outcome("", "held", detail={"verdict": verdict})
    stable = verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    for k in range(POINTS):
        ends = [dice.pick((0, 1)) if k % 2 else Fraction(int(dice.rng.integers(0, 65)), 64) for _ in over]
        sides = zip(found.over.items(), ends, strict=True)
        at = {**loop.values, **{name: a + (b - a) * t for (name, (a, b)), t in sides}}
        if (stable and not loop.is_stable(at)) or (verdict == "PROVED_UNSTABLE" and loop.is_stable(at)):
            return Outcome("", "contradiction", f"{verdict} on the box, but not at {at}")
    return forged(loop, found, dice) or Outcome("", "proved", detail={"verdict": verdict})


def forged(loop: Loop, found: Any, dice: Dice) -> Outcome | None:
    """The file is confirmed; with an axis moved to where the verdict is another one it is refused."""
    data = json.loads(found.to_json())
    if checker.check(data).verdict != found.verdict.value:
        return Outcome("", "contradiction", "the file says another verdict")
    if not dice.chance(SHIFTED):
        return None
    name = dice.pick(list(found.over))
    high = found.over[name][1] * int(dice.pick((3, 30)))
    at = {**loop.values, **{k: a for k, (a, _) in found.over.items()}, name: high}
    if loop.is_stable(at) == (found.verdict.value != "PROVED_UNSTABLE"):
        return None
    data["theorem"]["axes"][name][1] = str(high)
    data["digest"] = checker.digest_of({k: v for k, v in data.items() if k != "digest"})
    try:
        checker.check(data)
    except checker.Refusal:
        return None
    return Outcome("", "accepted", f"a box that was widened along {name}")
