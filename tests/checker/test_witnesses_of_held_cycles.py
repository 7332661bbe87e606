"""Files of motions that close under held laws, known in closed form: each hypothesis is needed.

x' = a x + c with c = u_k - K_k (x - r_k) held for h has x_{k+1} = (E - F K_k) x_k + F (u_k + K_k r_k), where
E = exp(a h) and F = (E - 1)/a: the product of the E - F K_k is the multiplier.
"""

import copy
import json
from fractions import Fraction
from functools import cache

import pytest
from flint import arb, ctx, fmpq

from geoctrl import checker
from geoctrl.analysis.set_witnesses.flow_steps import flow_steps
from geoctrl.analysis.witnesses.content import parts_as_read
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.flows.series import Motion
from geoctrl.checker.limits import Refusal
from geoctrl.checker.question import Question
from tests.attack.forge.by_hand import Equations, with_theorem
from tests.checker.test_witnesses import CHANGES, at, changed, numbers

BITS, HOLD = 48, Fraction(1, 2)
LAWS = (Fraction(1, 4), Fraction(2), 0), (-1, Fraction(11, 5), Fraction(1, 8))
"""u, K and r of each hold."""


def equations(a=1, circle=False, loose=False):
    """The plant with its command; on a circle that nothing moves along; with a command that does not rest."""
    e = Equations(x=0, **({"y": 1, "z": 0} if circle else {}), c=0)
    rates = [e.total(e.monomial(a, x=1), e.monomial(1, c=1)), *([e.number(0)] * 2 if circle else [])]
    relation = {"circle": e.total(e.monomial(1, y=2), e.monomial(1, z=2), e.number(-1))} if circle else {}
    last = e.monomial(1, x=1) if loose else e.number(0)
    return e.problem([*rates, last], relation)


def closed_form(a=1, laws=LAWS):
    """The state at the first sample, and the multiplier."""
    E = (arb(fmpq(str(a * HOLD)))).exp()
    F, slope, shift = (E - 1) / a, arb(1), arb(0)
    for u, K, r in laws:
        u, K, r = (arb(fmpq(str(q))) for q in (u, K, r))
        slope, shift = (E - F * K) * slope, (E - F * K) * shift + F * (u + K * r)
    return shift / (1 - slope), slope


def file_of(problem, laws=LAWS, a=1):
    """A file of the one motion that closes, with the form one."""
    data = with_theorem(problem, {})
    with ctx.workprec(BITS):
        x, slope = closed_form(a, laws)
        question = Question(*parts_as_read(data), Balls([fmpq(0)] * len(problem["states"])))
        motion, E, here, holds = Motion(question, [0, 0, -1], BITS // 4), None, x.mid(), []
        E = arb(fmpq(str(a * HOLD))).exp()
        for u, K, r in laws:
            c = (fmpq(str(u)) - fmpq(str(K)) * (here - fmpq(str(r)))).mid()
            steps = flow_steps(motion, [here, c, arb(1)], BITS, [])
            holds.append({"inputs": [str(u)], "gain": [[str(K)]], "states": [str(r)], "steps": steps})
            here = (E * here + (E - 1) / a * c).mid()
        given = {
            "name": "held cycle that attracts", "rows": [], "free": ["x", "c"], "inverse": [],
            "bits": BITS, "degree": BITS // 4, "units": [0, 0, -1], "commands": ["c"], "hold": str(HOLD),
            "start": [str(x.mid().fmpq())], "radius": str(Fraction(1, 1 << 30)),
            "Y": [[str((1 / (slope - 1)).mid().fmpq())]], "holds": holds, "domain": [], "P": [["1"]],
        }  # fmt: skip
    data["theorem"] = given
    return json.loads(json.dumps(data))


@cache
def kept_content():
    return file_of(equations())


def content(**parts):
    data = copy.deepcopy(kept_content())
    return data | {"theorem": data["theorem"] | parts}


def test_the_motion_and_its_multiplier_are_those_of_the_closed_form():
    found = checker.prove(content())
    assert found.verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    cycle = found.told["region"].cycle
    with ctx.workprec(100):
        x, slope = closed_form()
        ((multiplier,),) = cycle.multipliers
        assert multiplier.overlaps(slope)
        assert multiplier.rad() < 1e-6
        assert (cycle.start[0] + arb(0, fmpq(1, 1 << 30))).overlaps(x)
    assert "the only one there (Krawczyk)" in checker.prove(content()).told["region"].claim("made up")


def test_gains_with_a_wrong_sign_grow():
    laws = tuple((u, -K, r) for u, K, r in LAWS)
    data = file_of(equations(), laws)
    with pytest.raises(Refusal, match="fall from hold to hold"):
        checker.prove(data)
    grows = {"name": "held cycle that repels", "m": "3/2", "v": ["1"]}
    assert checker.prove(data | {"theorem": data["theorem"] | grows}).verdict == "PROVED_UNSTABLE"
    with pytest.raises(Refusal, match="grow from hold to hold"):
        checker.prove(content(**grows))


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_witness_proves_the_same_or_nothing(change):
    """With another law or hold the motion is another one, beside the box."""
    refused = 0
    for path in numbers(content()["theorem"]):
        data = changed(content(), "theorem", path, CHANGES[change])
        if at(data["theorem"], path) in (at(content()["theorem"], path), "-0"):
            continue
        try:
            assert checker.prove(data).verdict == "PROVED_ASYMPTOTICALLY_STABLE"
            assert path[0] in ("P", "Y", "radius"), path
        except Refusal:
            refused += 1
    assert refused


def without(k, *path):
    """The theorem with the last entry left out of a list."""
    data = content()
    part = data["theorem"]
    for key in path:
        part = part[key]
    part[k] = part[k][:-1]
    return data


WRONG = {
    "a command that moves": (lambda: file_of(equations()) | {"problem": unrested()}, "must rest"),
    "no command": (lambda: content(commands=[]), "commands are the last"),
    "a command that is none": (lambda: content(commands=["x"]), "commands are the last"),
    "no hold": (lambda: content(holds=[]), "holds are needed"),
    "a law of too few numbers": (lambda: without("states", "holds", 0), "a law has a number"),
    "a law without a gain": (lambda: without("gain", "holds", 1), "a law has a number"),
    "steps that end early": (lambda: without("steps", "holds", 1), "add up"),
    "a start of two": (lambda: content(start=["0", "0"]), "a number for each state"),
    "a box too small": (lambda: content(radius=str(Fraction(1, 1 << 60))), "in the box"),
    "nothing that moves": (lambda: content(free=["c"]), "free to move"),
    "another order of the laws": (
        lambda: content(holds=content()["theorem"]["holds"][::-1]),
        "box of a step",
    ),
    "a model that holds nowhere": (lambda: content(domain=[minus_one()]), "where the model holds"),
}


def unrested():
    return json.loads(json.dumps(with_theorem(equations(loose=True), {})))["problem"]


def minus_one():
    """A node of the problem that is not positive along the motion: the command c is -1 or less at times."""
    return next(i for i, row in enumerate(content()["problem"]["nodes"]) if row[:2] == ["sym", "c"])


@pytest.mark.parametrize("name", WRONG)
def test_each_hypothesis_is_needed(name):
    data, words = WRONG[name]
    with pytest.raises((Refusal, LookupError, ValueError), match=words):
        checker.prove(data())


def test_a_leaf_has_to_be_among_the_rows():
    data = json.loads(json.dumps(with_theorem(equations(circle=True), content()["theorem"])))
    with pytest.raises(Refusal, match="relation of the leaf is missing"):
        checker.prove(data)


def test_a_relation_that_holds_a_command_is_refused():
    e = Equations(x=0, c=0)
    plant = e.problem([e.monomial(-1, x=1), e.number(0)], {"command": e.monomial(1, c=1)})
    data = json.loads(json.dumps(with_theorem(plant, content()["theorem"])))
    with pytest.raises(Refusal, match="must not depend on commands"):
        checker.prove(data)
