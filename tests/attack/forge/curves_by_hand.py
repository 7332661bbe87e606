"""Files of periodic orbits and of turning points, on leaves with a relation, whose curves are known.

A unit vector turns, c' = -s, s' = c, and x' = k (c - x) follows it: x = k (k c + s)/(1 + k^2) closes after
2 pi, and beside the motion the derivative over the period is exp(-2 pi k). Beside a circle of rest
y' = T - y^2 rests along T = y^2.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from geoctrl.analysis.set_witnesses.flow_steps import flow_steps
from geoctrl.analysis.witnesses.content import parts_as_read
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.flows.series import Motion
from geoctrl.checker.numbers import BITS
from geoctrl.checker.question import Question
from geoctrl.checker.reader import conform
from geoctrl.checker.theorems.turning_point import TURN, Fold
from geoctrl.orbits.enclosures.orbit_file import _theorem
from tests.attack.forge.by_hand import Equations, with_theorem

Content = dict[str, Any]
ORBIT_BITS = 48
"""Few: such a file is confirmed in a twentieth of a second."""


def orbit_file(
    problem: Content,
    period: arb,
    across: str = "s",
    fixed: str = "c",
    slope: Fraction = Fraction(2),
) -> Content:
    """The file of a motion that is told to close after a time of some four seconds; ``slope`` is that of the
    circle by the state that is fixed.
    """
    data, n = with_theorem(problem, {}), len(problem["states"])
    with ctx.workprec(ORBIT_BITS):
        given: Content = {
            "name": "periodic orbit that attracts",
            "bits": ORBIT_BITS,
            "degree": ORBIT_BITS // 4,
            "domain": [],
            "P": [],
            "rows": ["circle"],
            "free": [k for k in problem["states"] if k != fixed],
            "inverse": [[str(1 / slope)]],
            "across": across,
            "units": [*[0] * n, 2],
        }
        question = Question(*parts_as_read(data), Balls([fmpq(0)] * n))
        motion = Motion(question, given["units"], given["degree"])
        start = [*(fmpq(v) for v in problem["states"].values()), (period / 4).mid().fmpq()]
        given["start"] = [str(v) for v in start]
        given["steps"] = flow_steps(motion, [arb(v) for v in start], ORBIT_BITS, given["domain"])
        data["theorem"] = _theorem(data, given, ORBIT_BITS)
    return json.loads(json.dumps(data))


def following(k: Fraction, sense: int = 1, stretched: int = 1) -> Content:
    """x' = k (c - x) beside the vector; with the time running backward, and the circle ``stretched``."""
    e = Equations(x=k * k / (1 + k * k), c=1, s=0)
    turn = [e.monomial(-sense, s=1), e.monomial(sense * stretched, c=1)]
    fall = e.total(e.monomial(-sense * k, x=1), e.monomial(sense * k, c=1))
    circle = e.total(e.monomial(1, c=2), e.monomial(1, s=2), e.number(-1))
    return e.problem([fall, *turn], {"circle": circle}, {"twin": circle})


def turning_vector(k: Fraction, sense: int = 1) -> Content:
    """The file of what follows it."""
    with ctx.workprec(ORBIT_BITS):
        period = 2 * arb.pi()
    return orbit_file(following(k, sense), period)


def beside_a_circle(
    turns: bool = False,
    fixed: str = "c",
    rows: Sequence[str] = ("circle",),
    power: int = 2,
    kept: bool = True,
) -> Content:
    """The file of T = y^power, with c' = -s w, s' = c w and w = s, or w = 1 where the vector ``turns``."""
    e = Equations(y=0, T=0, c=1, s=0)
    rates = {"c": e.monomial(-1, s=1 + (not turns)), "s": e.monomial(1, c=1, s=int(not turns))}
    if not kept:
        rates["s"] = e.monomial(2, c=1, s=1)
    fall = e.total(e.monomial(1, T=1), e.monomial(-1, y=power))
    circle = e.total(e.monomial(1, c=2), e.monomial(1, s=2), e.number(-1))
    field = [fall, e.number(0), rates["c"], rates["s"]]
    problem = e.problem(field, {"circle": circle}, {"twin": circle})
    data = with_theorem(
        problem,
        {
            "name": "turning point",
            "rows": list(rows),
            "free": [k for k in ("y", "T", "c", "s") if k != fixed],
            "inverse": [["1/2"]],
            "held": [],
            "along": "T",
            "unknowns": [],
            "kernel": ["1", "0", "0"],
            "normal": ["1", "0", "0"],
            "radii": ["1/1000000"] * 7,
            "Y": [],
        },
    )
    with ctx.workprec(BITS):
        J = fold_of(data).equations(whole=False)[1]
    middles = np.array([[float(arb(c).mid()) for c in row] for row in J])
    data["theorem"]["Y"] = [[str(Fraction(float(c))) for c in row] for row in np.linalg.pinv(middles)]
    return data


def fold_of(data: Content) -> Fold:
    """The fold that a file is about, whatever is true of it."""
    with ctx.workprec(BITS):
        return Fold(*parts_as_read(data), conform(data["theorem"], TURN))
