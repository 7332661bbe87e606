"""Swing-up laws, switching, and catches that are proved: equations by hand, runs, files that are changed."""

import copy
import pickle
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from studies.swing_up import CASES

LIMIT = 6.0
START = np.array([0.0, -4.19, 0.6])
"""On its way up, somewhat too fast."""
RADIUS = 2.0**-12


@cache
def parts():
    plant = gc.models.get("cart-pendulum")().reduce()
    upright = plant.equilibrium("upright")
    law = gc.lqr(plant, upright)
    region = gc.region_of_attraction(law.closed_loop(), law.equilibrium, by="slopes", limits={"u": LIMIT})
    up = gc.energy_law(plant, upright, gain=20.0)
    return plant, up, law, region


def switching():
    _, up, law, region = parts()
    return gc.switching(up, law, region)


@cache
def caught():
    return gc.prove_catch(parts()[0], switching(), START, radius=RADIUS)


def with_theorem(**changes):
    data = copy.deepcopy(caught().data)
    data["theorem"] |= changes
    return signed(data)


def signed(data):
    return data | {"digest": checker.digest_of(data)}


def refused(data, word="."):
    with pytest.raises(checker.Refusal, match=word):
        checker.check(data)


# -- the law ------------------------------------------------------------------------------------------------


def test_the_force_of_the_energy_law_gives_the_acceleration_that_is_wanted():
    plant, up, _, _ = parts()
    M, m, length, g = (plant.params[k] for k in ("M", "m", "l", "g"))
    rng = np.random.default_rng(3)
    for v, w, phi in rng.normal(size=(5, 3)):
        # By hand: l w' + v' cos phi = g sin phi, E = m l^2 w^2/2 + m g l (cos phi - 1).
        E = m * length**2 * w**2 / 2 + m * g * length * (np.cos(phi) - 1)
        wanted = 20.0 * E * w * m * length * np.cos(phi)
        turn = (g * np.sin(phi) - wanted * np.cos(phi)) / length
        force = (M + m) * wanted + m * length * (np.cos(phi) * turn - np.sin(phi) * w**2)
        assert up(0.0, [v, w, phi])[0] == pytest.approx(force, rel=1e-12)
        rates = plant.rhs(0.0, [v, w, phi], [force])
        assert rates[:2] == pytest.approx([wanted, turn], rel=1e-12)


def test_the_energy_of_the_rest_comes_to_that_upright():
    plant, up, _, _ = parts()
    run = gc.simulate(up.full, np.linspace(0, 6, 301), [0.0, 0.0, 2.5])
    symbols = [sp.Symbol(k, real=True) for k in plant.state_labels]
    numbers = {q.symbol: q.default for q in plant.mechanism.parameters}
    E = sp.lambdify(symbols, up.energy.subs(numbers))(*run.states)
    assert np.all(np.diff(E**2) <= 1e-9 * E[0] ** 2)
    assert abs(E[-1]) < 0.5 * abs(E[0])


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"input": "tau"}, gc.LabelError, "no input"),
        ({"gain": -1.0}, gc.InputError, "gain"),
        ({"home": {"y": 1.0}}, gc.LabelError, "no state"),
        ({"home": 3}, gc.InputError, "dict"),
        ({"limit": 0.0}, gc.InputError, "limit"),
    ],
)
def test_what_an_energy_law_refuses(given, error, words):
    plant = parts()[0]
    with pytest.raises(error, match=words):
        gc.energy_law(plant, plant.equilibrium("upright"), **given)


# -- switching ----------------------------------------------------------------------------------------------


def test_the_second_law_is_kept_and_angles_go_round():
    _, up, law, _ = parts()
    sw, near, far = switching(), np.array([0.0, 0.0, 0.01]), START
    turned = near + np.array([0.0, 0.0, 2 * np.pi])
    assert sw(0.0, far) == pytest.approx(up(0.0, far))
    assert sw.mode == "swing-up"
    assert sw(0.0, turned) == pytest.approx(law(0.0, near), rel=1e-9)
    assert sw.mode == "catch"
    assert sw(0.0, far) == pytest.approx(law(0.0, far))
    sw.reset()
    assert sw.mode == "swing-up"
    assert "modulo 2 pi" in repr(pickle.loads(pickle.dumps(sw)))


def test_a_sampled_switching_law_is_the_one_that_runs_and_keeps_its_catch():
    plant = parts()[0]
    sw = switching()
    run = gc.simulate(plant, np.linspace(0, 3, 61), START, controller=sw)
    held = gc.simulate(plant, np.linspace(0, 3, 61), START, controller=sw.sampled(400))
    for found in (run, held):
        assert np.linalg.norm(found.states[1:, -1]) < 0.05
        assert np.max(np.abs(found.inputs)) < LIMIT


# -- the proof ----------------------------------------------------------------------------------------------


def test_a_catch_is_proved_told_and_confirmed(tmp_path):
    found = caught()
    assert found.verdict is gc.Verdict.PROVED_ATTRACTED
    assert found.share == 1.0
    assert found.largest["u"] == LIMIT
    path = tmp_path / "catch.json"
    found.to_json(path)
    report = gc.verify(path)
    assert report.claim == found.claim
    for words in ("nothing is claimed of a sampled loop", "|u| <= 6", "up to whole turns", "u = "):
        assert words in found.claim
    again = pickle.loads(pickle.dumps(found))
    assert again.end == found.end
    assert all(len(line) <= 79 for line in repr(found).splitlines())


def test_runs_from_the_box_end_in_the_proved_box_and_within_the_bound():
    found, up = caught(), parts()[1]
    rng = np.random.default_rng(5)
    starts = [START + RADIUS * s for s in np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T]
    starts += list(START + RADIUS * rng.uniform(-1, 1, size=(4, 3)))
    for x0 in starts:
        run = gc.simulate(up.full, np.linspace(0, found.time, 41), x0)
        for v, (low, high) in zip(run.states[:, -1], found.end.values(), strict=True):
            assert low <= v <= high
        assert np.max(np.abs(run.outputs[0])) <= found.largest_before["u"]
    # The box of ends is no wider than twice what its corners reach.
    ends = np.array([gc.simulate(up.full, [0, found.time], x0).states[:, -1] for x0 in starts[:8]])
    for k, (low, high) in enumerate(found.end.values()):
        assert high - low < 2 * np.ptp(ends[:, k])


def test_the_time_of_the_file_is_that_at_which_a_run_is_deep_in_the_set():
    sw, found = switching(), caught()
    run = gc.simulate(parts()[1].full, [0, found.time], START)
    assert sw.value(run.states[:, -1]) < sw.entry
    assert sw.value(START) > sw.entry


def test_a_start_exactly_below_is_to_be_pushed():
    with pytest.raises(gc.CertificateError, match="push it"):
        gc.prove_catch(parts()[0], switching(), [0.0, 0.0, np.pi], within=2.0)


def test_limits_that_do_not_hold_are_refused():
    sw, plant = switching(), parts()[0]
    with pytest.raises(gc.CertificateError, match="within 6 only"):
        gc.prove_catch(plant, sw, START, limits={"u": 5.0})
    with pytest.raises(gc.CertificateError, match="does not come to the set"):
        gc.prove_catch(plant, sw, [0.0, 0.0, 2.6], within=0.1)
    bound = caught().largest_before["u"]
    refused(with_theorem(limits={"u": str(Fraction(bound / 2))}), "limit")


# -- files that are changed ---------------------------------------------------------------------------------


def test_a_set_of_another_plant_is_refused():
    data = copy.deepcopy(caught().data)
    data["problem"]["parameters"]["m"] = "1/7"
    refused(signed(data), "states or numbers")


def test_a_catch_by_another_law_is_refused():
    theorem = caught().data["theorem"]
    refused(with_theorem(caught=theorem["laws"]), "with that law")


def test_a_law_of_the_wrong_sign_is_refused():
    data = copy.deepcopy(caught().data)
    nodes, laws = data["problem"]["nodes"], data["theorem"]["laws"]
    nodes.append(["prod", "-1", [[laws["u"], 1]]])
    data["theorem"]["laws"] = {"u": len(nodes) - 1}
    refused(signed(data))


def test_starts_levels_and_radii_that_are_wrong_are_refused():
    theorem = caught().data["theorem"]
    (box,) = theorem["boxes"]
    refused(with_theorem(entry=str(Fraction(theorem["entry"]) * 2)), "level of entry")
    refused(with_theorem(boxes=[box | {"radii": [str(256 * Fraction(r)) for r in box["radii"]]}]))
    refused(with_theorem(boxes=[box | {"start": ["1/10", *box["start"][1:]]}]), "stay in the box")
    refused(with_theorem(boxes=[]))


@pytest.mark.long(reason="flows of the whole time")
def test_times_and_levels_that_are_wrong_are_refused():
    theorem = caught().data["theorem"]
    refused(with_theorem(time=str(Fraction(theorem["time"]) * Fraction(3, 2))))
    refused(with_theorem(time=str(Fraction(theorem["time"]) / 2)))  # its steps are shorter, too
    refused(with_theorem(entry=str(Fraction(theorem["entry"]) / 100)), "end in the set")


def test_steps_that_are_wrong_are_refused():
    box = caught().data["theorem"]["boxes"][0]
    steps = box["steps"]
    refused(with_theorem(boxes=[box | {"steps": steps[:-1]}]), "add up")
    (h, sides), (k, others), *rest = steps
    longer = [[h + k, sides], *rest]
    refused(with_theorem(boxes=[box | {"steps": longer}]), "stay in the box")
    narrow = [[h, [[a, a + (b - a) // 2] for a, b in sides]], [k, others], *rest]
    refused(with_theorem(boxes=[box | {"steps": narrow}]), "stay in the box")


def test_an_angle_that_the_plant_does_not_hold_up_to_turns_is_refused():
    refused(with_theorem(turned=["phi_dot"]), "up to whole turns")


def test_a_set_with_a_changed_function_is_refused():
    data = copy.deepcopy(caught().data)
    function = data["theorem"]["region"]["theorem"]["function"]
    function[1][1] = str(-Fraction(function[1][1]))
    refused(signed(data))


@pytest.mark.long(reason="a second set and a second flow")
def test_in_centimetres_the_catch_is_the_same():
    mechanism = gc.models.get("cart-pendulum")()
    numbers = {"l": 100.0, "g": 100.0}
    plant = mechanism.replace(
        parameters=[replace(p, default=p.default * numbers.get(p.name, 1.0)) for p in mechanism.parameters]
    ).reduce()
    upright = plant.equilibrium("upright")
    _, _, law, region = parts()
    own = gc.linear_law(plant, upright, law.K * [[1.0, 100.0, 100.0]])
    scaled = gc.region_of_attraction(
        own.closed_loop(), own.equilibrium, by="slopes", limits={"u": 100 * LIMIT}
    )
    up = gc.energy_law(plant, upright, gain=20.0 / 100**2)
    start, radius = START * [100.0, 1.0, 1.0], {"x_dot": 100 * RADIUS, "phi_dot": RADIUS, "phi": RADIUS}
    found = gc.prove_catch(plant, gc.switching(up, own, scaled), start, radius=radius)
    assert found.share == 1.0
    assert scaled.extent["phi"] == pytest.approx(region.extent["phi"], rel=0.05)
    assert found.time == pytest.approx(caught().time, rel=0.1)
    assert found.largest_before["u"] == pytest.approx(100 * caught().largest_before["u"], rel=0.1)


@pytest.mark.parametrize(
    ("name", "time", "largest", "bound", "refused_limit"),
    [("cart", 1.5, 10.31, 10.5, 10.0), ("furuta", 1.77, 0.80, 0.81, 0.5)],
)
@pytest.mark.long(reason="sets of the study, and flows of a second and a half")
def test_the_plants_of_the_study_are_caught_from_below(name, time, largest, bound, refused_limit, tmp_path):
    case = CASES[name]()
    (label,) = case.plant.input_labels
    region = gc.region_of_attraction(
        *(case.catch.closed_loop(), case.catch.equilibrium),
        limits={label: case.limit},
        by=case.by,
        seconds=None,
    )
    sw = gc.switching(case.swing_up, case.catch, region)
    found = gc.prove_catch(case.plant, sw, case.start, radius=case.radius, seconds=None)
    assert (found.verdict, found.share) == (gc.Verdict.PROVED_ATTRACTED, 1.0)
    assert found.time == pytest.approx(time, abs=0.05)
    assert largest < found.largest_before[label] < bound
    assert found.largest[label] == case.limit
    path = tmp_path / "catch.json"
    found.to_json(path)
    assert gc.verify(path).claim == found.claim
    rng = np.random.default_rng(7)
    for _ in range(5):
        x0 = case.start + case.radius * rng.uniform(-1, 1, size=len(case.start))
        run = gc.simulate(case.swing_up.full, np.linspace(0, found.time, 201), x0)
        assert np.max(np.abs(run.outputs)) < found.largest_before[label]
        for v, (low, high) in zip(run.states[:, -1], found.end.values(), strict=True):
            assert low <= v <= high
    with pytest.raises(gc.CertificateError, match=f"within {case.limit:g} only"):
        gc.prove_catch(case.plant, sw, case.start, limits={label: refused_limit})
