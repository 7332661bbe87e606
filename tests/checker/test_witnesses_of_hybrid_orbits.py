"""Files of orbits through jumps: closed forms of them, and nothing where one hypothesis fails."""

import copy
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx, fmpq

import geoctrl as gc
from geoctrl import checker
from geoctrl.checker.flows import flow
from geoctrl.checker.limits import Refusal
from geoctrl.orbits.phases.hybrid_modes import WrittenOrbit
from geoctrl.orbits.phases.hybrid_orbit_file import HybridOrbitFile
from tests.checker.test_witnesses import CHANGES, at, changed, numbers
from tests.jumps.proved_orbits import bounced, heated, heating, hopped, swing, swung, walked

MADE = {"swing": swung, "heating": heated, "hopper": hopped, "pendulum": bounced, "walker": walked}


def content(name):
    return copy.deepcopy(MADE[name]().data)


def with_parts(made, **parts):
    data = content(made)
    return data | {"theorem": data["theorem"] | parts}


def refused(data, words=None):
    with pytest.raises(Refusal, match=words):
        checker.prove(data)


# -- what is known in other ways --------------------------------------------------------------------------


def test_a_kicked_swing_takes_a_whole_turn():
    found = swung()
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    with ctx.workprec(200):
        assert found.period.overlaps(2 * arb.pi())
        assert found.period.rad() < 1e-10
        assert found.x[1].overlaps(arb(2))
    zero, half = sorted(found.multipliers, key=lambda z: float(abs(z)))
    assert zero.overlaps(0)
    assert half.overlaps(0.5)
    assert half.rad() < 1e-9
    assert "there are 1 at most" in found.claim


def test_a_kick_that_grows_is_unstable():
    found = swung(sp.Rational(3, 2))
    assert found.verdict is gc.Verdict.PROVED_UNSTABLE
    assert "go away from it" in found.claim


def test_heating_is_on_and_off_as_long_as_logarithms_say():
    found = heated()
    with ctx.workprec(200):
        times = [10 * (arb(a) / b).log() for a, b in ((3, 2), (11, 9))]
        assert all(t.overlaps(exact) for t, exact in zip(found.periods, times, strict=True))
    assert max(t.rad() for t in found.periods) < 1e-15


def test_a_hopper_hops_as_its_balance_of_energy_says():
    """The depth is 2 m g (1 - r^2)/(k1 - r^2 k2)."""
    found, m, g, r = hopped(), fmpq(2), fmpq(981, 100), fmpq(4, 5)
    depth = 2 * m * g * (1 - r**2) / (1000 - r**2 * 1300)
    with ctx.workprec(200):
        assert found.states[1][1].overlaps(-arb(depth))
        assert abs(found.states[2][0] - arb("1.71639245547878")) < 1e-9
    assert found.jumps == ("lowest", "take off", "landing")


def test_an_elastic_pendulum_has_the_period_of_its_integral():
    found = bounced()
    assert found.verdict is gc.Verdict.PROVED_STABLE
    assert found.neutral == ("energy",)
    # From the speed in floats; with the exact one it is 1.27275079743244667050663824.
    assert abs(found.period - arb("1.27275079743244667050663824")) < 1e-9
    assert found.period.rad() < 1e-10
    assert "energy" in found.claim
    assert "'impulse along row 0'" in found.claim


def test_it_is_kept_and_printed():
    again = pickle.loads(pickle.dumps(hopped()))
    assert again.claim == hopped().claim
    assert again.to_json() == hopped().to_json()
    assert [t.str(20) for t in again.periods] == [t.str(20) for t in hopped().periods]
    assert max(map(len, str(again).splitlines())) <= 79
    assert len(again.hypotheses) == 9


def test_bits_are_a_whole_number_of_some_size():
    gait = gc.find_periodic(heating(), [18], [4, 2], jumps=["warm", "cold"])
    for bits in (32, 10**6, "many"):
        with pytest.raises(gc.InputError, match="bits must be a whole number"):
            gait.enclose(bits=bits)


def test_a_file_is_confirmed_by_itself(tmp_path):
    path = tmp_path / "orbit.json"
    hopped().to_json(path)
    report = gc.verify(path)
    assert (report.verdict, report.claim) == (hopped().verdict, hopped().claim)


# -- one hypothesis that fails ------------------------------------------------------------------------------


SLOW = pytest.mark.long(reason="of each change of a number one is in the plain suite")


@pytest.mark.parametrize(
    "change",
    ["a thousandth more", *(pytest.param(k, marks=SLOW) for k in CHANGES if k != "a thousandth more")],
)
def test_a_changed_witness_proves_the_same_or_nothing(change):
    made, count = content("heating"), 0
    for path in numbers(made["theorem"]):
        data = changed(made, "theorem", path, CHANGES[change])
        if at(data["theorem"], path) not in (at(made["theorem"], path), "-0"):
            count += not proves_the_same(data)
    assert count


def proves_the_same(data):
    try:
        assert checker.prove(data).verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    except Refusal:
        return False
    return True


def phases(name, *changes):
    """Phases, the first ones with changes."""
    parts = content(name)["theorem"]["phases"]
    return {"phases": [p | c(p) for p, c in zip(parts, (*changes, *[dict] * len(parts)), strict=False)]}


def dict_of(**parts):
    return lambda _: parts


def moved(place, by):
    """The number at a place of a start, moved."""

    def change(phase):
        start = [Fraction(q) for q in phase["start"]]
        start[place] += by
        return {"start": list(map(str, start))}

    return change


def backward(phase):
    return {"start": [*phase["start"][:-1], str(-Fraction(phase["start"][-1]))]}


def points(phase):
    return {"steps": [[h, [[a, a] for a, _ in sides]] for h, sides in phase["steps"]]}


def uneven(phase):
    (h, sides), (k, others), *left = phase["steps"]
    return {"steps": [[h + h // 4, sides], [k - h // 4, others], *left]}


def short(phase):
    (h, sides), *left = phase["steps"]
    return {"steps": [[h - 1, sides], *left]}


def mode(name, key, **parts):
    """Modes, of which a jump has other parts."""
    modes = content(name)["theorem"]["modes"]
    for given in modes.values():
        if key in given["jumps"]:
            given["jumps"][key] |= parts
    return {"modes": modes}


def inverse(name, factor):
    return {"Y": [[str(factor * Fraction(c)) for c in row] for row in content(name)["theorem"]["Y"]]}


SMALL = Fraction(1, 2**40)
FORGED = {
    "another time": ("hopper", lambda n: phases(n, moved(2, SMALL)), "in the box"),
    "another state": ("hopper", lambda n: phases(n, moved(0, SMALL)), "in the box"),
    "a time below zero": ("hopper", lambda n: phases(n, backward), "a positive time"),
    "boxes that are points": ("hopper", lambda n: phases(n, points), "stay in the box of a step"),
    "other steps": ("hopper", lambda n: phases(n, uneven), "stay in the box of a step"),
    "a step too few": ("hopper", lambda n: phases(n, short), "do not add up"),
    "no inverse": ("hopper", lambda n: inverse(n, Fraction(0)), "in the box"),
    "another inverse": ("hopper", lambda n: inverse(n, 2), "in the box"),
    "a wide box": ("hopper", lambda n: {"radius": "1/4"}, None),
    "a box too small": ("hopper", lambda n: {"radius": "1/1" + "0" * 40}, "in the box"),
    "few digits": ("hopper", lambda n: {"bits": 32}, None),
    "a low degree": ("hopper", lambda n: {"degree": 3}, None),
    "a form that is none": ("hopper", lambda n: {"P": [["-1"], ["0", "-1"]]}, "shown to fall"),
    "growth of what falls": (
        "hopper",
        lambda n: {"name": "hybrid orbit that repels", "m": "1001/1000", "v": ["1", "0"]},
        "shown to grow",
    ),
    "another order of phases": (
        "hopper",
        lambda n: {"phases": [content(n)["theorem"]["phases"][i] for i in (0, 2, 1)]},
        "leads to another mode",
    ),
    "another first phase": (
        "hopper",
        lambda n: {"phases": content(n)["theorem"]["phases"][1:]},
        "does not begin in the mode",
    ),
    "no phases": ("hopper", lambda n: {"phases": []}, "does not begin in the mode"),
    "a jump of another mode": ("hopper", lambda n: phases(n, dict_of(jump="take off")), "do not fit"),
    "a jump elsewhere": ("hopper", lambda n: mode(n, "lowest", to="flight"), "leads to another mode"),
    "another direction": ("hopper", lambda n: mode(n, "lowest", direction=-1), "to cross the guard"),
    "another guard": ("hopper", lambda n: mode(n, "lowest", guard=node(n, "z")), None),
    "another reset": ("hopper", lambda n: mode(n, "take off", reset=[node(n, "z")] * 2), "in the box"),
    "an asked one below zero": ("hopper", lambda n: mode(n, "lowest", asked={"a": node(n, "z")}), "asks for"),
    "no zero at the start": ("swing", lambda n: mode(n, "kick", guards={}), "may be met before the end"),
    "a wrong cofactor": ("swing", lambda n: mode(n, "kick", guards={"kick": []}), "keeps 'kick'"),
    "any direction": ("swing", lambda n: mode(n, "kick", direction=0), "may be met before the end"),
    "no level": ("pendulum", lambda n: {"rows": [], "free": ["q_dot", "q"], "inverse": []}, None),
    "a level that is lost": ("pendulum", lambda n: mode(n, "wall", rows={}), "do not fit"),
}


def node(name, label):
    return next(i for i, row in enumerate(content(name)["problem"]["nodes"]) if row[:2] == ["sym", label])


@pytest.mark.parametrize("case", FORGED)
def test_nothing_is_proved_where_a_hypothesis_fails(case):
    name, parts, words = FORGED[case]
    refused(with_parts(name, **parts(name)), words)


def test_a_reset_with_another_coefficient_has_no_such_orbit():
    data = content("hopper")
    landing = data["theorem"]["modes"]["flight"]
    place = landing["jumps"]["landing"]["reset"][0]
    rows = landing["problem"]["nodes"]
    assert rows[place][:2] == ["prod", "4/5"]
    rows[place][1] = "79/100"
    refused(data, "in the box")


def test_a_level_is_kept_by_resets():
    """Of the speed a hundredth is lost."""
    data = content("pendulum")
    nodes, wall = data["problem"]["nodes"], data["theorem"]["modes"]["motion"]["jumps"]["wall"]
    nodes.append(["prod", "99/100", [[wall["reset"][0], 1]]])
    wall["reset"][0] = len(nodes) - 1
    refused(data, "keeps 'energy'")


def with_jump(name, mode_name, label, row, direction, **parts):
    """A further jump from a mode, where a sum of nodes passes zero."""
    data = content(name)
    given = data["theorem"]["modes"][mode_name]
    rows = given.get("problem", data["problem"])["nodes"]
    one, number = len(rows), len(rows) + 1
    rows += [["num", "1"], ["num", row], ["sum", [[one, node(name, label)], [one, number]]]]
    guard = {"guard": len(rows) - 1, "direction": direction, "to": mode_name, "reset": [], "asked": {}}
    given["jumps"]["further"] = guard | {"guards": {}, "rows": {}} | parts
    return data


def test_no_other_guard_is_met_before():
    """A floor at half of the depth, on the way down; upward it is no jump."""
    refused(with_jump("hopper", "down", "z", "1/25", -1), "guard of 'further' may be met")
    refused(with_jump("hopper", "down", "z", "1/25", 0), "guard of 'further' may be met")
    passed = checker.prove(with_jump("hopper", "down", "z", "1/25", 1)).told["region"]
    assert "further from down" in passed.claim("hopper")
    assert sum(phase.against for phase in passed.orbit.phases) == 2


def test_two_guards_at_one_instant_are_refused():
    """The floor at the lowest place itself, to its digits."""
    depth = "2943/35000"
    refused(with_jump("hopper", "down", "z", depth, -1), "guard of 'further' may be met")


def test_the_model_holds_all_along():
    """Above a floor within the depth it does not."""
    data = with_jump("hopper", "down", "z", "1/25", 1)
    down = data["theorem"]["modes"]["down"]
    down["kept"] = {"above": down["jumps"]["further"]["guard"]}
    refused(data, "where the model holds")


def with_kept(name, mode_name, jump):
    """The guard of a jump is positive all along."""
    data = content(name)
    given = data["theorem"]["modes"][mode_name]
    given["kept"] = {"beside": given["jumps"][jump]["guard"]}
    return data


def test_what_lets_go_where_it_falls_is_positive_before():
    """As the reaction of a contact that is lost: T - 18 until it falls; not T - 22, which rises."""
    found = checker.prove(with_kept("heating", "off", "cold"))
    assert "Positive are all along, or up to its fall as a guard, what" in found.told["region"].claim("it")
    refused(with_kept("heating", "on", "warm"), "where the model holds")


def test_what_rises_before_it_falls_is_not_positive_all_along():
    """A swing that is kicked on its way down is below its guard at first."""
    p = sp.Symbol("p", real=True)
    kicked = gc.find_periodic(swing({"p": p / 2 - 1}, direction=-1), [0, -2.0], 2 * np.pi)
    data = HybridOrbitFile(WrittenOrbit(kicked), 96, 36).content(9 / 16)
    assert checker.prove(data).verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    mode_of_it = data["theorem"]["modes"]["swing"]
    mode_of_it["kept"] = {"above": mode_of_it["jumps"]["kick"]["guard"]}
    refused(data, "where the model holds")


def test_modes_have_one_set_of_numbers():
    data = content("hopper")
    for part, value in ((data["problem"], "1"), (data["theorem"]["modes"]["up"]["problem"], "2")):
        part["nodes"].append(["sym", "k", "parameter"])
        part["parameters"]["k"] = value
    refused(data, "modes differ in their numbers")


def test_functions_with_choices_are_no_identities():
    """The guard as it is where the speed is positive: where it has values is not asked of choices."""
    data = content("swing")
    nodes, kick = data["problem"]["nodes"], data["theorem"]["modes"]["swing"]["jumps"]["kick"]
    nodes.append(["fun", "select", [node("swing", "p"), kick["guard"], kick["guard"]]])
    kick["guard"] = len(nodes) - 1
    refused(data, "switches at the point")


def test_two_rounds_are_not_one():
    """After two of them all closes as well, and the guard was met between."""
    gait = gc.find_periodic(swung().system, [0, 2.0], 2 * np.pi)
    twice = replace(gait, periods=2 * gait.periods)
    refused(
        HybridOrbitFile(WrittenOrbit(twice), 96, 36).content(9 / 16), "the guard of 'kick' may be met before"
    )


# -- the walker ---------------------------------------------------------------------------------------------

WALKER = {
    "another time": lambda n: phases(n, moved(4, SMALL)),
    "boxes that are points": lambda n: phases(n, points),
    "other steps": lambda n: phases(n, uneven),
    "no inverse": lambda n: inverse(n, Fraction(0)),
    "no zero at the start": lambda n: mode(n, "heel strike", guards={}),
}


@pytest.mark.long(reason="a file of the walker takes 3 s to be confirmed, and 8 to be made")
def test_the_walker_walks(tmp_path):
    found = walked()
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert found.period.str(20, radius=False) == "0.73472096215535868315"
    assert found.period.rad() < 1e-20
    assert "'reaction of stance z'" in found.claim
    assert "there are 1 at most" in found.claim
    path = tmp_path / "walker.json"
    found.to_json(path)
    assert gc.verify(path).verdict == found.verdict
    for parts in WALKER.values():
        refused(with_parts("walker", **parts("walker")))
    data = content("walker")
    rows = data["problem"]["nodes"]
    for place, row in enumerate(rows):
        if row[0] == "prod" and place > data["theorem"]["modes"]["motion"]["jumps"]["heel strike"]["guard"]:
            rows[place] = ["prod", str(Fraction(row[1]) * Fraction(1001, 1000)), row[2]]
            break
    refused(data)


@pytest.mark.long(reason="two proofs of 8 s each")
def test_the_first_doubling_of_the_walker_lies_between_two_slopes():
    below, above = walked(4.3908), walked(4.3910)
    assert below.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert above.verdict is gc.Verdict.PROVED_UNSTABLE
    least = [min(found.multipliers, key=lambda z: float(z.real)) for found in (below, above)]
    assert [z.real.str(10, radius=False) for z in least] == ["-0.9999000581", "-1.000103494"]


def test_steps_are_parts_of_one_time():
    for part in content("hopper")["theorem"]["phases"]:
        assert sum(h for h, _ in part["steps"]) == flow.PARTS
