"""Files of a held motion on a level within a leaf, in units of its own, known in closed form.

x' = (2 x + y + c)/2000 beside y and z that rest on the unit circle, with c = u_k - K_k (x - r_k) held for
500 s. With E = exp(1/2), F = E - 1 it is x_{k+1} = (E - F K_k/2) x_k + F (y + u_k + K_k r_k)/2.
"""

import copy
import json
from fractions import Fraction
from functools import cache

import pytest
from flint import arb, arb_mat, ctx, fmpq

from geoctrl import checker
from geoctrl.analysis.set_witnesses.flow_steps import flow_steps
from geoctrl.analysis.witnesses.content import parts_as_read
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.flows.series import Motion
from geoctrl.checker.limits import Refusal
from geoctrl.checker.question import Question
from tests.attack.forge.by_hand import Equations, with_theorem

BITS = 64
UNITS = [-2, -1, 1, 2, 9]
"""Of x, y, z, c and the hold, as exponents of two."""
Y, Z = fmpq(3, 5), fmpq(4, 5)
LAWS = (fmpq(1, 4), fmpq(3), fmpq(1, 8)), (fmpq(-1), fmpq(2), fmpq(1, 4))
"""u, K and r of each hold."""


def closed_form():
    """The first state, its derivative by itself and by y after both holds, and both commands."""
    E = (arb(1) / 2).exp()
    F, slope, by_y, shift = (E - 1) / 2, arb(1), arb(0), arb(0)
    for u, K, r in LAWS:
        slope, by_y = (E - F * K) * slope, (E - F * K) * by_y + F
        shift = (E - F * K) * shift + F * (Y + u + K * r)
    x = shift / (1 - slope)
    (u, K, r), (v, L, s) = LAWS
    first = u - K * (x - r)
    return x, slope, by_y, (first, v - L * (E * x + F * (Y + first) - s))


@cache
def made():
    e = Equations(x=Fraction(1, 4), y=Fraction(3, 5), z=Fraction(4, 5), c=0)
    rate = e.total(e.monomial("1/1000", x=1), e.monomial("1/2000", y=1), e.monomial("1/2000", c=1))
    circle = e.total(e.monomial(1, y=2), e.monomial(1, z=2), e.number(-1))
    problem = e.problem([rate, *[e.number(0)] * 3], {"circle": circle})
    problem["invariants"] = {"y": e.monomial(1, y=1)}
    data = json.loads(json.dumps(with_theorem(problem, {})))
    data["witness"]["cofactors"] |= {"y": []}
    sizes = [fmpq(2) ** k for k in UNITS]
    with ctx.workprec(BITS):
        x, slope, by_y, commands = closed_form()
        motion = Motion(Question(*parts_as_read(data), Balls([fmpq(0)] * 4)), UNITS, BITS // 4)
        E, holds, here = (arb(1) / 2).exp(), [], x
        for (u, K, r), c in zip(LAWS, commands, strict=True):
            start = [
                v / d for v, d in zip((here.mid(), arb(Y), arb(Z), c.mid(), arb(500)), sizes, strict=True)
            ]
            steps = flow_steps(motion, [v.mid() for v in start], BITS, [])
            gain, at = [str(K), "0", "0"], [str(r), "0", "0"]
            holds.append({"inputs": [str(u)], "gain": [gain], "states": at, "steps": steps})
            here = E * here + (E - 1) / 2 * (Y + c)
        J = [
            [slope - 1, by_y * sizes[1] / sizes[0], 0],
            [0, 2 * Y * sizes[1], 2 * Z * sizes[2]],
            [0, sizes[1], 0],
        ]
        start = [q / d for q, d in zip((x.mid().fmpq(), Y, Z), sizes, strict=False)]
        inverse = arb_mat([[arb(c) for c in row] for row in J]).inv().mid().tolist()
    theorem = {
        "name": "held cycle that attracts", "rows": ["circle", "y"], "free": ["x", "c"],
        "inverse": [["0", "1"], ["5/16", "-3/8"]], "bits": BITS, "degree": BITS // 4, "units": UNITS,
        "commands": ["c"], "hold": "500", "start": [str(q) for q in start],
        "radius": str(Fraction(1, 1 << 30)), "Y": [[str(c.fmpq()) for c in row] for row in inverse],
        "holds": holds, "domain": [], "P": [["1"]],
    }  # fmt: skip
    return json.loads(json.dumps(data | {"theorem": theorem}))


def content():
    return copy.deepcopy(made())


def test_the_motion_and_its_multiplier_are_those_of_the_closed_form():
    found = checker.prove(content())
    assert found.verdict == "PROVED_STABLE"
    words = found.told["region"]
    assert words.cycle.kept == ["y"]
    with ctx.workprec(100):
        x, slope, *_ = closed_form()
        ((multiplier,),) = words.cycle.multipliers
        assert multiplier.overlaps(slope)
        box = words.cycle.start[0] + arb(0, words.cycle.given["radius"])
        assert (box / 4).overlaps(x)
        told = (box / 4).str(20)
    claim = words.claim("made up")
    assert f"is at x = {told}, y = [0.6" in claim
    assert "a leaf of dimension 2" in claim
    assert "with the values of y = y at x = 0.25" in claim
    assert "Lyapunov stable within the leaf" in claim
    assert "all multipliers of a period lie inside" in claim
    assert "a quadratic form is positive and falls over the period" in words.checks()


# -- one hypothesis that fails ------------------------------------------------------------------------------


def node(data, label):
    return next(i for i, row in enumerate(data["problem"]["nodes"]) if row[:2] == ["sym", label])


def with_a_choice(data, at):
    """y' is zero where some sum of nodes is negative, and one elsewhere."""
    nodes = data["problem"]["nodes"]
    n = len(nodes)
    nodes += [
        ["num", "0"],
        ["num", "1"],
        ["num", at[1]],
        ["sum", [[node(data, at[0]), n + 1], [n + 2, n + 1]]],
    ]
    nodes.append(["fun", "select", [n + 3, n + 1, n]])
    data["problem"]["field"][1] = n + 4


def with_a_level_that_is_left(data):
    data["problem"]["invariants"]["x"] = node(data, "x")
    data["theorem"] |= {"rows": ["circle", "x"], "free": ["y", "c"]}


def with_a_level_beyond_a_choice(data):
    """At the point y rests, and along the motion it does not: from there to the start it switches."""
    with_a_choice(data, ("x", "0"))
    data["problem"]["states"]["x"] = "-1"


def with_a_level_beyond_the_second_law(data):
    """The first command is as the point's on the side where y rests; what the second law sets is not."""
    with ctx.workprec(BITS):
        first, second = (Fraction(float(c)) for c in closed_form()[3])
    sign = 1 if second > first else -1
    nodes, between = data["problem"]["nodes"], (first + second) / 2
    nodes.append(["prod", str(sign), [[node(data, "c"), 1]]])
    n = len(nodes) - 1
    nodes += [
        ["num", "0"],
        ["num", "1"],
        ["num", str(-sign * between)],
        ["sum", [[n, n + 2], [n + 3, n + 2]]],
    ]
    nodes.append(["fun", "select", [n + 4, n + 2, n + 1]])
    data["problem"]["field"][1] = n + 5
    data["problem"]["states"]["c"] = str(first)


def with_a_command_that_is_held(data):
    data["theorem"] |= {"free": ["x"], "inverse": [["0"] * 2] * 3}


def with_a_gain_too_many(data):
    data["theorem"]["holds"][0]["gain"][0].append("0")


def with_two_inputs(data):
    hold = data["theorem"]["holds"][0]
    hold["gain"], hold["inputs"] = hold["gain"] * 2, hold["inputs"] * 2


def with_commands_alone(data):
    data["theorem"] |= {"commands": ["x", "y", "z", "c"], "rows": [], "start": [], "free": []}


def with_another_level(data):
    data["problem"]["states"] |= {"y": "4/5", "z": "3/5"}


def with_a_relation_of_another_value(data):
    """z off the circle, by a part that the box holds not."""
    start = data["theorem"]["start"]
    start[2] = str(Fraction(start[2]) + Fraction(1, 1 << 20))


FAILS = {
    with_a_level_that_is_left: "not proved that the motion keeps 'x'",
    with_a_level_beyond_a_choice: "switches at the point",
    with_a_level_beyond_the_second_law: "switches at the point",
    with_a_command_that_is_held: "not square|do not fit",
    with_a_gain_too_many: "a law has a number",
    with_two_inputs: "a law has a number",
    with_commands_alone: "commands must rest",
    with_another_level: "in the box",
    with_a_relation_of_another_value: "in the box",
}


@pytest.mark.parametrize("change", FAILS, ids=lambda change: change.__name__[5:])
def test_nothing_is_proved(change):
    data = content()
    change(data)
    with pytest.raises(Refusal, match=FAILS[change]):
        checker.prove(data)
