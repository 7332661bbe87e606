"""Files of an orbit through jumps on a leaf, known in closed form: each hypothesis is needed.

(C, S) goes round the unit circle once in 2 pi and p' = -p/4; where S passes zero upward, p becomes p + 1. So
p = 1/(1 - m) after it, with the multiplier m = exp(-pi/2).
"""

import copy
from functools import cache

import pytest
import sympy as sp
from flint import arb, ctx

import geoctrl as gc
from geoctrl import checker
from geoctrl.checker.limits import Refusal


@cache
def ticking():
    C, S, p = sp.symbols("C S p", real=True)
    field = gc.VectorField([C, S, p], [-S, C, -p / 4], leaf={"circle": C**2 + S**2 - 1}).reduce()
    tick = gc.Jump("tick", when=S, direction=1, reset={"p": p + 1})
    clock = gc.HybridSystem(modes={"on": field}, jumps=[tick])
    return gc.find_periodic(clock, [1, 0, 1.26], 6.28, jumps=["tick"]).enclose(bits=96)


def content():
    return copy.deepcopy(ticking().data)


def node(data, label):
    return next(i for i, row in enumerate(data["problem"]["nodes"]) if row[:2] == ["sym", label])


def added(data, *rows):
    """The place of the last of some further nodes."""
    nodes = data["problem"]["nodes"]
    nodes += rows
    return len(nodes) - 1


def pole(data, label, at):
    """Zero over a state less a number: nothing, where it has a value."""
    n = len(data["problem"]["nodes"])
    number, one = ["num", f"{-at}"], ["num", "1"]
    return added(
        data, number, one, ["sum", [[node(data, label), n + 1], [n, n + 1]]], ["prod", "0", [[n + 2, -1]]]
    )


def test_the_state_and_the_multiplier_are_those_of_the_closed_form():
    found = checker.prove(content())
    assert found.verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    words = found.told["region"]
    assert words.orbit.kept == []
    assert "asymptotically stable as a set within the leaf" in words.claim("ticking")
    with ctx.workprec(200):
        m = (-arb.pi() / 2).exp()
        box = [
            x * d for x, d in zip(words.orbit.phases[0].box, words.orbit.phases[0].motion.sizes, strict=True)
        ]
        assert box[2].overlaps(1 / (1 - m))
        assert box[3].overlaps(2 * arb.pi())
        assert (arb(0) + sum(words.orbit.multipliers[i][i] for i in range(2))).overlaps(m)


def test_what_is_positive_is_told():
    data = content()
    on, p = data["theorem"]["modes"]["on"], node(data, "p")
    on["kept"], on["jumps"]["tick"]["asked"] = {"charge": p}, {"load": p}
    claim = checker.prove(data).told["region"].claim("ticking")
    assert "what the file calls charge, and at its jumps load." in claim


# -- one hypothesis that fails ------------------------------------------------------------------------------


def with_a_guard_met_next_to_the_end(data):
    """p ends at 0.2624: it falls through 0.265 within the last quarter of the last step."""
    n, jumps = len(data["problem"]["nodes"]), data["theorem"]["modes"]["on"]["jumps"]
    rows = ["num", "-53/200"], ["num", "1"], ["sum", [[node(data, "p"), n + 1], [n, n + 1]]]
    jumps["near"] = jumps["tick"] | {"guard": added(data, *rows), "direction": -1, "guards": {}, "rows": {}}


def without_the_relation(data):
    data["theorem"] |= {"rows": [], "free": ["C", "S", "p"], "inverse": []}


def with_a_mode_of_another_leaf(data):
    other = {"problem": copy.deepcopy(data["problem"]), "witness": data["witness"], "kept": {}, "jumps": {}}
    other["problem"]["leaf"], other["problem"]["invariants"] = {}, data["problem"]["leaf"]
    data["theorem"]["modes"]["off"] = other


def with_a_level_that_is_left(data):
    data["problem"]["invariants"]["p"] = node(data, "p")
    data["theorem"] |= {"rows": ["circle", "p"], "free": ["S"], "inverse": [["1/2", "0"], ["0", "1"]]}


def with_a_level_beyond_a_choice(data):
    """Where p is negative, as it is at the point, it would be kept; from there to the box it switches."""
    n, p = len(data["problem"]["nodes"]), node(data, "p")
    zero = ["num", "0"]
    falls = data["problem"]["field"][2]
    data["problem"]["field"][2] = added(data, zero, ["fun", "select", [p, falls, n]])
    data["problem"]["states"]["p"] = "-1"


def with_a_pole_along_the_orbit(data):
    data["witness"]["cofactors"]["circle"] = [["circle", pole(data, "C", -1)]]


def with_a_pole_at_the_strike(data):
    """What the guard is multiplied with: S/S^2 S, which is S, and has no value there."""
    tick, S = data["theorem"]["modes"]["on"]["jumps"]["tick"], node(data, "S")
    tick["guards"] = {"tick": [["tick", added(data, ["prod", "1", [[S, 1], [S, -1]]])]]}


def with_a_root_of_nothing_at_the_strike(data):
    """A relation of a root, times zero: the root has no value there."""
    C, n = node(data, "C"), len(data["problem"]["nodes"])
    one, minus, two = ["num", "1"], ["num", "-2"], ["sum", [[C, n], [n + 1, n]]]
    root = added(data, one, minus, two, ["fun", "sqrt", [n + 2]])
    data["theorem"]["modes"]["on"]["jumps"]["tick"]["rows"]["circle"] = [[root, added(data, ["num", "0"])]]


def with_a_negative_kept_one(data):
    data["theorem"]["modes"]["on"]["kept"] = {"C": node(data, "C")}


def with_a_state_too_few(data):
    data["theorem"]["phases"][0]["units"].pop()


def with_a_time_below_zero(data):
    phase = data["theorem"]["phases"][0]
    phase["start"][-1] = f"-{phase['start'][-1]}"


FAILS = {
    with_a_guard_met_next_to_the_end: "guard of 'near' may be met before the end",
    without_the_relation: "a relation of the leaf is missing",
    with_a_mode_of_another_leaf: "modes differ in their relations",
    with_a_level_that_is_left: "not proved that the motion keeps 'p'",
    with_a_level_beyond_a_choice: "switches at the point",
    with_a_pole_along_the_orbit: "not bounded in the box",
    with_a_pole_at_the_strike: "not bounded in the box",
    with_a_root_of_nothing_at_the_strike: "a root or its slope is not bounded",
    with_a_negative_kept_one: "stay where the model holds",
    with_a_state_too_few: "a state and a positive time",
    with_a_time_below_zero: "a state and a positive time",
}


@pytest.mark.parametrize("change", FAILS, ids=lambda change: change.__name__[5:])
def test_nothing_is_proved(change):
    data = content()
    change(data)
    with pytest.raises(Refusal, match=FAILS[change]):
        checker.prove(data)


def test_a_guard_that_is_risen_through_is_not_positive_before():
    """C falls through zero and rises through it, where a quarter of a turn is added."""
    C, S, p = sp.symbols("C S p", real=True)
    field = gc.VectorField([C, S, p], [-S, C, -p / 4], leaf={"circle": C**2 + S**2 - 1}).reduce()
    turn = gc.Jump("turn", when=C, direction=1, reset={"C": -S, "S": C, "p": p + 1})
    clock = gc.HybridSystem(modes={"on": field}, jumps=[turn])
    data = gc.find_periodic(clock, [1, 0, 1.44], 4.71, jumps=["turn"]).enclose(bits=96).data
    assert checker.prove(data).verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    data["theorem"]["modes"]["on"]["kept"] = {"C": node(data, "C")}
    with pytest.raises(Refusal, match="stay where the model holds"):
        checker.prove(data)
