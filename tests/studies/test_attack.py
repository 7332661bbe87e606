"""The standing attack: its oracle against closed forms and wrong claims, and a few cases of every part."""

import copy
import dataclasses
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import geoctrl as gc
from geoctrl import checker
from geoctrl.checker import Report
from geoctrl.verification import VerificationReport
from tests.attack import command
from tests.attack.build import building
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing import draw
from tests.attack.draw.mechanism import Mechanism, Products, Spheres
from tests.attack.forge.forger import settle
from tests.attack.forge.genuine import Genuine
from tests.attack.forge.other_equations import symbol
from tests.attack.oracle import reading
from tests.attack.oracle.held_cycles import HeldLaws, cycle_falsehood, multipliers_at_odds
from tests.attack.oracle.holds import loop_at_odds
from tests.attack.oracle.motion import GroupEquations, SphereEquations
from tests.attack.oracle.motion_products import ProductEquations
from tests.attack.oracle.oracle import Oracle, OracleError
from tests.attack.oracle.polynomials import add, constant, multiply, scale, variable
from tests.attack.oracle.precision import exact_to
from tests.attack.oracle.tables import Table
from tests.attack.outcome import Outcome, Worker, refusal
from tests.attack.parts import calls, certificates, conditions, files, misuse, systems
from tests.studies import ended_cases

ZERO = Fraction(0)


def top(up: int, potential=None, force=None) -> Mechanism:
    """A body of moments 1, 2, 3 in a field along its third axis."""
    G = [[constant(i + 1) if i == j else {} for j in range(3)] for i in range(3)]
    point = [ZERO] * 5 + [Fraction(up)]
    vectors = [(0, (ZERO, ZERO, Fraction(1)))]
    forces = force or [{}, {}, {}]
    potential = variable(5) if potential is None else potential
    return Mechanism(["so3"], vectors, G, [[]] * 3, [], [{}] * 3, potential, forces, [], None, [], {}, point)


def roots(mechanism):
    found = Oracle(mechanism).spectrum(mechanism.point).roots
    values = [complex(float(r.real.mid()), float(r.imag.mid())) for r, count in found for _ in range(count)]
    return sorted(values, key=lambda v: (v.real, v.imag))


def test_spectrum_of_a_body_in_a_field():
    """Frequencies sqrt(k / I) about each horizontal axis, hanging; rates of growth upright."""
    hanging = roots(top(-1))
    expected = sorted([1.0, -1.0, 2**-0.5, -(2**-0.5), 0.0])
    assert np.real(hanging) == pytest.approx(np.zeros(5), abs=1e-30)
    assert sorted(np.imag(hanging)) == pytest.approx(expected, rel=1e-14)
    assert np.real(roots(top(1))) == pytest.approx(expected, rel=1e-14)


def squares(symbols, size):
    return scale(Fraction(size) / 2, add(*(multiply(s, s) for s in symbols)))


def test_spectrum_of_a_pendulum_on_a_cart():
    """Masses 2 and 1, length 1/2, gravity 9: sqrt(g / l) across the line, times sqrt(1 + 1/2) along it."""
    x, q = ([variable(6 + 3 * k + i) for i in range(3)] for k in (0, 1))
    bob = [add(a, scale(Fraction(1, 2), b)) for a, b in zip(x, q, strict=True)]
    L = add(squares(x, 2), squares(bob, 1), scale(Fraction(-9, 2), variable(5)))
    point = [ZERO] * 5 + [Fraction(-1)] + [ZERO] * 6
    cart = Products([("x", ((1, 0, 0),)), ("q", ())], L, [{}] * 6, (ZERO,) * 3, [], point)
    w = np.sqrt(18 * np.array([1, 1.5]))
    found = roots(cart)
    assert sorted(np.imag(found)) == pytest.approx([-w[1], -w[0], 0, 0, w[0], w[1]], abs=1e-15)
    assert np.real(found) == pytest.approx(np.zeros(6), abs=1e-30)


@pytest.mark.parametrize("up", [-1, 1])
def test_a_body_as_nine_numbers_is_the_body_of_the_group(up):
    """Moments 1, 2, 3 are those of rows with tr(J) / 2 - J; the heading adds zeros to the spectrum."""
    u = [variable(9 + i) for i in range(9)]
    rows = [squares(u[3 * k : 3 * k + 3][:1], 2) for k in range(3)] + [
        squares(u[3 * k + 1 : 3 * k + 2], 1) for k in range(3)
    ]
    L = add(*rows, scale(-1, variable(8)))
    R = np.diag([1, up, up]).ravel()
    point = [Fraction(int(v)) for v in R] + [ZERO] * 9
    body = Products([("R", ())], L, [{}] * 9, (ZERO,) * 3, [], point)
    found, expected = roots(body), roots(top(up))
    assert len(found) == len(expected) + 1
    for part in (np.real, np.imag):
        ours, theirs = np.sort(part(found)), np.sort([*part(expected), 0])
        assert ours == pytest.approx(theirs, abs=1e-15)


def test_draws_are_equilibria_and_come_back():
    judged = 0
    for index in range(30):
        drawn = draw(3, index)
        assert drawn == draw(3, index)
        oracle = Oracle(drawn)
        assert not any(v != 0 for v in oracle.defects(drawn.point))
        try:
            assert not any(v != 0 for v in oracle.rate(drawn.point))
            judged += 1
        except OracleError:  # constraints that are dependent just at the point
            continue
    assert judged > 25


def of_kind(kind, wanted=lambda drawn: True):
    drawn = next(d for d in (draw(4, i) for i in range(200)) if d.kind == kind and wanted(d))
    return drawn, building.build(drawn), Oracle(drawn)


def flipped(method):
    return lambda *arguments: [-v for v in method(*arguments)]


@pytest.mark.parametrize(
    ("kind", "where", "what"),
    [
        ("group", GroupEquations, "coadjoint"),
        ("group", GroupEquations, "transport"),
        ("rotations", GroupEquations, "coadjoint"),
        ("spheres", SphereEquations, "rate"),
        ("products", ProductEquations, "rate"),
    ],
)
def test_a_wrong_sign_in_the_equations_is_noticed(monkeypatch, kind, where, what):
    drawn, built, oracle = of_kind(
        kind, lambda d: d.kind in ("spheres", "products") or (d.groups[0] == "so3" and d.vectors)
    )
    assert building.difference(drawn, built, oracle, np.random.default_rng(1)) < 1
    monkeypatch.setattr(where, what, flipped(getattr(where, what)))
    # A relative difference of order one is 1e9 times what is allowed.
    assert building.difference(drawn, built, oracle, np.random.default_rng(1)) > 1e3


@pytest.mark.parametrize(("kept", "expected"), [([0], 4 * 101), ([1], 4 * 1.01), ([0, 1], 4)])
def test_what_rounding_may_do_grows_with_the_frame(kept, expected):
    """Masses 1 and 4, v2 = 10 v1: E = (1, 10), |E|^2 = 101, or (1/10, 1); without a frame the mass's own."""
    G = [[constant(1), {}], [{}, constant(4)]]
    row = [constant(-10), constant(1)]
    m = Mechanism(["r2"], [], G, [[]] * 2, [], [{}] * 2, {}, [{}] * 2, [row], None, [], {}, [ZERO] * 2)
    assert building.condition(Oracle(m), np.zeros(2), kept) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("verdict", "up", "said"),
    [
        ("PROVED_STABLE", 1, "eigenvalue with the real part 1"),
        ("PROVED_ASYMPTOTICALLY_STABLE", 1, "eigenvalue with the real part 1"),
        ("SPECTRALLY_STABLE_ONLY", 1, "eigenvalue with the real part 1"),
        ("PROVED_UNSTABLE", -1, "real part 0"),
        ("PROVED_STABLE", -1, ""),
        ("PROVED_UNSTABLE", 1, ""),
        ("UNDECIDED", 1, ""),
    ],
)
def test_wrong_verdicts_are_noticed(verdict, up, said):
    drawn = top(up)
    found = systems.against_spectrum(verdict, "any", True, Oracle(drawn).spectrum(drawn.point))
    assert said in found
    assert bool(found) == bool(said)


def test_growth_is_noticed_where_the_spectrum_says_nothing():
    """Cubic driving: the spectrum stays on the axis, yet every perturbation grows."""
    # From 1e-4 the rate is 1e8 |Omega|^2, of order one.
    drive = [scale(10**8, multiply(variable(i), multiply(variable(i), variable(i)))) for i in range(3)]
    drawn, rng = top(-1, force=drive), np.random.default_rng(2)
    oracle = Oracle(drawn)
    spectrum = oracle.spectrum(drawn.point)
    assert not spectrum.growing
    assert "grew" in systems.growth(drawn, oracle, spectrum, "PROVED_STABLE", rng)
    quiet = top(-1)
    assert not systems.growth(quiet, Oracle(quiet), spectrum, "PROVED_STABLE", rng)
    # What is said to attract must decay.
    damped = top(-1, force=[scale(-1, variable(i)) for i in range(3)])
    attracted = Oracle(damped).spectrum(damped.point)
    assert not attracted.growing


@pytest.mark.filterwarnings("ignore:drawn. no body has the principal moments")
def test_the_oracle_bears_stiff_runs():
    """A transient of 40000 times that outlasts the run, and a trial step into overflow: both are proved."""
    for index in (1390, 2222):
        assert systems.case(77, index, {}).result == "proved"


def test_steps_by_tensions_run_uncompiled_too():
    """Where a force is a function of Python the loop around it is one as well."""
    assert systems.case(1, 58, {}).result in ("held", "proved")


def test_amplification_of_an_oscillator():
    """Of I Omega' = -Gamma, Gamma' = Omega the energy I Omega^2 + Gamma^2 is kept: by sqrt(2), for I = 2."""
    hanging = top(-1)
    assert Oracle(hanging).amplification(hanging.point, 200.0) == pytest.approx(2**0.5, rel=1e-3)


def test_changing_invariants_are_told_from_true_ones():
    drawn, rng = top(-1), np.random.default_rng(3)
    oracle = Oracle(drawn)
    area = {((0, 1), (3, 1)): Fraction(1), ((1, 1), (4, 1)): Fraction(2), ((2, 1), (5, 1)): Fraction(3)}
    assert not systems.changes(drawn, oracle, area, rng)
    assert systems.changes(drawn, oracle, variable(0), rng)


@pytest.mark.parametrize(("q", "least"), [(Fraction(1), 18), (Fraction(7, 4), 9), (Fraction(2, 3), 2)])
def test_equal_numbers_of_all_types(q, least):
    types = building.number_types(q)
    assert len(types) >= least
    assert all(float(v) == float(q) for v in types)


DRAWN_IN_QUICK_MODE = pytest.mark.long(
    reason="the attack in quick mode, a part of .ci/run, draws fifty systems; a few products are drawn below"
)


def honest(seed, count):
    """The first draws that describe what they say they do."""
    return [i for i in range(3 * count) if "frame of the defaults" not in draw(seed, i).traits][:count]


@DRAWN_IN_QUICK_MODE
def test_a_few_systems():
    found = [systems.case(1, index, {}) for index in honest(1, 6)]
    assert not [o.note for o in found if o.result == "contradiction"]
    assert {o.kind for o in found} <= {"group", "rotations", "shape", "spheres", "products"}
    assert any(o.result == "proved" for o in found)


@pytest.mark.parametrize("index", [1355, 6203, 9370])
def test_families_with_a_part_that_has_no_place_are_not_proved(index):
    """Coulomb friction in the equations of rest, whose roots are no nodes along a family."""
    assert not systems.case(20261124, index, {}).fault


@pytest.mark.long(reason="the attack in quick mode, a part of .ci/run, draws products")
def test_a_few_products():
    """Stable and unstable ones are proved, and a kinetic energy that is not positive definite is refused."""
    found = [systems.case(5, i, {}) for i in range(60, 100) if draw(5, i).kind == "products"]
    assert not [o.note for o in found if o.fault]
    said = {o.detail.get("verdict", o.note) for o in found}
    assert {"PROVED_STABLE", "PROVED_UNSTABLE"} <= said
    assert any("positive definite" in words for words in said)


def test_a_frame_that_belongs_to_the_defaults_alone_is_noticed():
    """Refused by geoctrl, or else its rates are not those of the constraints."""
    index = next(i for i in range(500) if "frame of the defaults" in draw(1, i).traits)
    drawn = draw(1, index)
    assert any(value != default for _, value, default in drawn.parameters)
    assert systems.case(1, index, {}).result in ("refused", "contradiction")


@pytest.mark.long(reason="the attack in quick mode, a part of .ci/run, asks for conditions")
def test_conditions():
    assert conditions.case(1, 0, {}).result == "proved"
    m, place = conditions.family(Dice(1, 0))
    drawn, _ = conditions.numbers(m, Dice(2, 0), place)
    spectrum = Oracle(drawn).spectrum(drawn.point)
    # Negative control: the opposite of what is true.
    assert conditions.contradicted("stable" if spectrum.growing else "unstable", spectrum)


# -- certificates -----------------------------------------------------------------------------------


def certificate(family="sliding", **values):
    skate = gc.models.get("pendulum-skate")().reduce()
    return Genuine.of(gc.certify(skate, skate.equilibrium(family, **values)).proof)


def falsehood(base, verdict="", method="", **problem):
    """What the oracle has against a file, with another verdict or with other parts of its problem."""
    content = base.content | {"problem": base.content["problem"] | problem}
    proof = base.proof
    return reading.falsehood(content, verdict or proof["verdict"], method or proof["method"])


def test_true_files_are_found_true():
    assert falsehood(certificate(Y0=1)) == ""
    assert falsehood(certificate("spinning", Omega0=5)) == ""
    q = gc.spheres.symbols(1)[0][0]
    chain = gc.spheres.SphereSystem(mass=[1.0], potential=q[2])
    down = Genuine.of(gc.certify(chain, [0, 0, -1, 0, 0, 0]).proof)
    assert falsehood(down) == ""
    assert "real part" in falsehood(down, "PROVED_UNSTABLE", "spectrum")


def test_false_files_are_found_false():
    sliding, spinning = certificate(Y0=1), certificate("spinning", Omega0=5)
    assert "real part" in falsehood(sliding, "PROVED_STABLE")
    assert "real part" in falsehood(spinning, "PROVED_UNSTABLE", "spectrum")
    assert "real part" in falsehood(spinning, "PROVED_ASYMPTOTICALLY_STABLE", "spectrum")
    problem = sliding.content["problem"]
    frozen = problem["leaf"] | {k: symbol(problem, k) for k in ("Gamma2", "v1")}
    assert "not kept" in falsehood(sliding, "PROVED_STABLE", leaf=frozen)
    assert "distinct symbols" in falsehood(sliding, parameters=problem["parameters"] | {"forged": "0"})
    elsewhere = problem["states"] | {next(iter(problem["states"])): "1/7"}
    assert "no equilibrium" in falsehood(sliding, states=elsewhere)
    assert "not determined" in falsehood(sliding, matrix=[])
    claimed = copy.deepcopy(sliding)
    claimed.content["problem"]["invariants"]["forged"] = symbol(problem, "Gamma2")
    assert falsehood(claimed) == ""  # nothing leans on it
    claimed.content["theorem"]["rows"].append("forged")
    assert "forged is not kept" in falsehood(claimed)


def equations(field, leaf=None, **values):
    """A file about x' = field, whose nodes 0 and 1 are x and y; 2 is -1."""
    nodes = [["sym", "x", "state"], ["sym", "y", "state"], ["num", "-1"], *values.get("nodes", [])]
    problem = {
        "nodes": nodes, "states": {"x": "0", "y": "0"}, "inputs": {}, "parameters": {}, "unknowns": [],
        "matrix": [], "right": [], "field": field, "leaf": leaf or {}, "invariants": {}, "weights": {},
    }  # fmt: skip
    return {"problem": problem, "theorem": {}}


BY_ENERGY = "PROVED_STABLE", "energy-Casimir"


def test_a_square_as_a_relation_is_no_manifold():
    """x' = -x, y' = y on y^2 = 0: unstable in the plane, attracted where the relation holds."""
    data = equations([3, 1], {"g": 4}, nodes=[["sum", [[2, 0]]], ["prod", "1", [[1, 2]]]])
    data["problem"]["nodes"][3] = ["prod", "-1", [[0, 1]]]
    assert "no manifold" in reading.falsehood(data, "PROVED_UNSTABLE", "spectrum")
    assert reading.falsehood(data, *BY_ENERGY) == ""


@pytest.mark.parametrize("order", [2, 3, 4])
def test_what_changes_at_a_high_order_is_not_kept(order):
    """x' = 0, y' = x^k keeps no function of y."""
    nodes = [["num", "0"], ["prod", "1", [[0, order]]]]
    assert "y is not kept" in reading.falsehood(equations([3, 4], {"y": 1}, nodes=nodes), *BY_ENERGY)
    assert "y is not kept" not in reading.falsehood(equations([3, 4], {"x": 0}, nodes=nodes), *BY_ENERGY)


def test_numbers_with_roots_are_judged_in_floats():
    """A saddle at y = sqrt(2) of y' = y^2 - 2, x' = -x."""
    nodes = [["prod", "-1", [[0, 1]]], ["num", "1"], ["num", "-2"], ["sum", [[1, 1], [4, 5]]]]
    data = equations([3, 6], nodes=nodes)
    data["problem"]["states"]["y"] = "1*r1"
    data["roots"] = ["2"]
    assert reading.falsehood(data, "PROVED_UNSTABLE", "spectrum") == ""
    assert "real part 2.8" in reading.falsehood(data, "PROVED_STABLE", "spectrum")
    assert "no equilibrium" in reading.falsehood(data | {"roots": ["3"]}, "PROVED_UNSTABLE", "spectrum")


def held_integrator(gain, late, part):
    """x' = c; at each sample, a half apart, c becomes ``gain`` x, acting later."""
    data = equations([1, 3], nodes=[["num", "0"], ["prod", gain, [[0, 1]]]])
    loop = {"hold": "1/2", "late": late, "part": part, "commands": {"y": 4}, "own": {}}
    return data | {"theorem": {"loop": loop}}


@pytest.mark.parametrize(
    ("gain", "late", "part", "size"),
    [("-1", 0, "0", 0.5), ("-5", 0, "0", 1.5), ("-1", 1, "0", 0.5**0.5), ("-8", 0, "1/2", 2**0.5)],
)
def test_loops_are_judged_by_running_a_hold(gain, late, part, size):
    """1 + g/2; z^2 - z + 1/2 a hold late; half of one, x + (c + u)/4: z^2 + z + 2."""
    data = held_integrator(gain, late, part)
    found = loop_at_odds(Table(data["problem"]), "PROVED_STABLE" if size > 1 else "PROVED_UNSTABLE",
                         data["theorem"]["loop"], reading._gradients)  # fmt: skip
    assert f"{size:.4g}"[:5] in found
    true = "PROVED_UNSTABLE" if size > 1 else "PROVED_ASYMPTOTICALLY_STABLE"
    assert reading.falsehood(data, true, "multipliers of one hold") == ""


@pytest.mark.parametrize(
    ("function", "slope"),
    [("sin", 1.0), ("exp", None), ("log", None), ("atan", 1.0), ("sqrt", None), ("cos", None)],
)
def test_functions_in_series_and_in_floats_agree(function, slope):
    """At 1 + x for those without a rational value at 0."""
    shifted = slope is None and function not in ("exp", "cos")
    nodes = [["num", "1"], ["sum", [[3, 0], [3, 3]]], ["fun", function, [4 if shifted else 0]]]
    table = Table(equations([5, 5], nodes=nodes)["problem"])
    with exact_to(4):
        (series,) = table.exactly([5], reading._moved(table, [1, 0]))
        value = sum(float(int(series[k].p) / int(series[k].q)) * 1e-3**k for k in range(4))
    # What is left out is of the fourth order.
    assert table.in_floats([5], [1e-3, 0.0])[0] == pytest.approx(value, abs=1e-11)


def test_unknowns_are_solved_for():
    """2 z1 + z2 = x, z2 = y: z1 = (x - y)/2."""
    data = equations(
        [3, 4], nodes=[["sym", "a", "unknown"], ["sym", "b", "unknown"], ["num", "2"], ["num", "1"]]
    )
    problem = data["problem"] | {
        "unknowns": ["a", "b"], "matrix": [[0, 0, 5], [0, 1, 6], [1, 1, 6]], "right": [0, 1],
    }  # fmt: skip
    table = Table(problem)
    assert table.honest
    assert table.in_floats([3, 4], [5.0, 3.0]) == pytest.approx([1.0, 3.0], rel=1e-15)
    assert not Table(problem | {"unknowns": ["a"]}).honest
    swapped = Table(problem | {"unknowns": ["b", "a"]})
    assert swapped.in_floats([3, 4], [5.0, 3.0]) == pytest.approx([3.0, 1.0], rel=1e-15)


@pytest.fixture
def bases(monkeypatch):
    found = [certificate(Y0=1), certificate("spinning", Omega0=5)]
    monkeypatch.setattr(certificates, "BASES", found)
    return found


@pytest.mark.long(
    reason="the attack in quick mode, a part of .ci/run, draws mutants; forgers and believers are below"
)
def test_mutants(bases):
    assert bases
    found = [certificates.case(9, index, {}) for index in range(60)]
    assert {o.kind for o in found} == {*certificates.WAYS}
    # The seal is right, and witnesses fit: mutants get as far as the identities.
    assert any("not proved that the" in o.detail.get("words", "") for o in found)
    assert any("settled" in o.note for o in found if o.result == "held")
    assert {o.result for o in found if o.kind == "witnesses"} == {"held", "refused"}
    assert not any("digest" in o.note for o in found)
    assert not [o.note for o in found if o.fault]


def test_a_forger_finds_the_witnesses_of_another_problem():
    """The skate on another planet: its multipliers are others, and what the checker says is true."""
    base = certificate("spinning", Omega0=5)
    proof = copy.deepcopy(base.proof)
    proof["problem"]["parameters"]["g"] = "9"
    assert certificates.judge(base, certificates._with_equations(base, proof), "").result == "refused"
    assert settle(proof) == "settled as PROVED_STABLE"
    content, told = certificates._written(base, proof, [])
    assert told == "with witnesses"
    assert content["theorem"]["multipliers"] != base.content["theorem"]["multipliers"]
    assert certificates.judge(base, content, "").result == "held"


def test_a_checker_that_believes_everything_is_noticed(monkeypatch):
    base = certificate(Y0=1)
    # A file as it was is confirmed.
    assert certificates.judge(base, copy.deepcopy(base.content), "").result == "held"
    claim = checker.check(base.content).claim
    report = Report("PROVED_STABLE", "energy-Casimir", claim, ())
    monkeypatch.setattr(checker, "check_file", lambda path: report)
    assert certificates.judge(base, copy.deepcopy(base.content), "").result == "contradiction"
    frozen = copy.deepcopy(base.content)
    frozen["problem"]["leaf"]["v1"] = symbol(frozen["problem"], "v1")
    assert certificates.judge(base, frozen, "").result == "contradiction"


def test_a_sentence_that_says_something_else_is_noticed(monkeypatch):
    base = certificate(Y0=1)
    true = checker.check(base.content)
    wrong = dataclasses.replace(true, claim=true.claim.replace("m = 2", "m = 3"))
    assert wrong != true
    monkeypatch.setattr(checker, "check_file", lambda path: wrong)
    assert certificates.judge(base, copy.deepcopy(base.content), "").result == "contradiction"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("problem.nodes[3]: a second symbol 'x'", "a second symbol ..."),
        ("it is not proved that the motion keeps 'y z'", "it is not proved that the"),
    ],
)
def test_refusals_are_counted_by_their_words(message, expected):
    assert certificates.words(message) == expected


# -- files, misuse, processes -----------------------------------------------------------------------


def test_a_file_that_runs_code_is_noticed(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(files.READERS, "verify", lambda path: eval(files.CODE))
    assert files.judge("verify", "any", files.text("{}"), tmp_path).note == "the file ran code"


def test_a_file_that_is_read_is_noticed(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(files.READERS, "verify", lambda path: None)
    assert files.judge("verify", "empty", files.text(""), tmp_path).result == "accepted"


@pytest.fixture(scope="module")
def writers():
    return files.certificates()


@pytest.mark.parametrize("name", ["empty", "a list", "binary garbage", "trailing data", "duplicate keys"])
def test_files(monkeypatch, tmp_path, writers, name):
    monkeypatch.chdir(tmp_path)
    assert files.judge("verify", name, writers[name], tmp_path).result == "refused"


def test_a_hostile_value_in_every_place(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    content = files.forged(digest=checker.digest_of(files.forged()))
    for place in (("theorem", "P", 0, 0), ("theorem", "name"), ("witness", "roots"), ("problem", "leaf")):
        outcome = files.in_every_place("every place", "any", (content, place), tmp_path)
        assert outcome.result == "refused", outcome.note
    monkeypatch.setattr(gc, "verify", lambda path: VerificationReport(gc.Verdict.PROVED_UNSTABLE, "", ()))
    outcome = files.in_every_place("every place", "any", (content, ("theorem", "name")), tmp_path)
    assert outcome.result == "accepted"


def test_number_of_cases():
    assert len(files.certificates()) + len(files.trajectories()) > 150
    assert len(misuse.cases()) > 900
    # A quick run leaves out what the tests ask themselves, and nothing else.
    asked = [name.startswith("listed: ") for name in misuse.cases()]
    assert asked == sorted(asked)
    assert asked.count(False) == command.COUNTS["misuse"][True]


@pytest.mark.parametrize("name", ["unknown keyword", "certify no equilibrium", "command line: unknown model"])
def test_misuse(monkeypatch, name):
    monkeypatch.setitem(misuse.CASES, name, misuse.cases()[name])
    index = list(misuse.CASES).index(name)
    assert misuse.case(1, index, {}).result == "refused"


@pytest.mark.long(
    reason="the attack in quick mode, a part of .ci/run, draws calls; faults of some are noticed below"
)
def test_calls_with_drawn_arguments(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    assert calls.prepare(1, {}) > 100
    kinds = [calls.case(5, index, {}) for index in range(120)]
    assert not [o.note for o in kinds if o.fault]
    assert {o.result for o in kinds} == {"held", "refused"}


@pytest.mark.parametrize(
    ("call", "note"),
    [(lambda value: eval(calls.CODE), "executed"), (lambda value: {}["no"], "KeyError"), (len, "held")],
)
def test_faults_of_drawn_calls_are_noticed(monkeypatch, call, note):
    monkeypatch.setattr(calls, "targets", lambda: {"a call": call})
    monkeypatch.setattr(calls, "drawn", lambda function, dice: ([()], {}))
    outcome = calls.case(1, 0, {})
    assert note in (outcome.note or outcome.result)
    assert outcome.fault == (call is not len)


@pytest.mark.parametrize(
    "error", [KeyError("a b c"), TypeError("'int' object is not iterable"), ValueError("of the builtin kind")]
)
def test_raw_errors_are_told_from_refusals(error):
    with pytest.raises(type(error)) as caught:
        raise error
    assert refusal("any", caught.value).result == "raw error"
    with pytest.raises(gc.GeoctrlError) as worded:
        gc.models.get("no such model")
    assert refusal("any", worded.value).result == "refused"


def test_hanging_and_dying_cases_are_ended():
    worker = Worker(ended_cases.__name__, 1, {}, grace=0.1)
    assert worker.prepared == 3
    assert worker.run(0, 0.1).result == "time-out"
    assert worker.run(1, 5.0).result == "died"
    assert worker.run(2, 5.0).result == "held"
    assert worker.run(2, 0.1).result == "time-out"
    worker.close()


def test_table_and_faults():
    found = {
        "systems": [Outcome("group", "proved", seconds=2.0), Outcome("group", "contradiction", seconds=1.0)]
    }
    assert "| systems | group | 2 | 1 | 0 | 0 | 0 | 1 | 0 | 2.0 |" in command.table(found)
    assert found["systems"][1].fault
    assert not found["systems"][0].fault


def test_refusals_are_listed_by_how_often():
    said = ["late", "early", "late"]
    found = {"certificates": [Outcome("mutants", "refused", detail={"words": w}) for w in said]}
    assert command.refusals(found).split() == ["2", "refused:", "late", "1", "refused:", "early"]
    assert not command.refusals({"systems": [Outcome("group", "proved")]})


@pytest.mark.long(reason="the attack in quick mode, a part of .ci/run, is this command")
def test_command(tmp_path):
    root = Path(__file__).parents[2]
    line = [
        sys.executable,
        "-m",
        "tests.attack",
        "systems",
        "--first",
        "1",
        "--count",
        "3",
        "--out",
        str(tmp_path),
    ]
    environment = os.environ | {"PYTHONPATH": str(root)}
    run = subprocess.run(line, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    lines = (tmp_path / "systems-1.jsonl").read_text().splitlines()
    assert [json.loads(line)["index"] for line in lines] == [1, 2, 3]
    assert "| systems |" in run.stdout


def test_a_run_goes_on_where_it_ended(tmp_path):
    """What is known and no fault is not run again."""
    store = command.Store(str(tmp_path), "systems", 1)
    for index, result in enumerate(("proved", "time-out", "held", "proved")):
        store.add(Outcome("group", result, index=index))
    assert [o.index for o in store.earlier(range(3))] == [0, 2]
    store.add(Outcome("group", "held", "in the end", index=1))
    assert store.earlier(range(1, 2)) == [Outcome("group", "held", "in the end", index=1)]


def test_sphere_draws_are_of_unit_length():
    drawn = next(d for d in (draw(5, i) for i in range(200)) if isinstance(d, Spheres))
    assert sum(v * v for v in drawn.point[:3]) == 1


def test_the_judge_of_held_laws_knows_the_closed_form():
    """x' = x + u with u = 1/4 - K x held for log 2: x becomes 2 x + u, and (7/4)(1/4)/(K - 1) repeats."""
    K = np.array([[[1.5]], [[1.25]]])
    laws = HeldLaws(lambda x, u: x + u, np.log(2), np.full((2, 1), 0.25), K, np.zeros((2, 1)), np.ones(1))
    rest, slope = (0.25 * 0.75 + 0.25) / (1 - 0.5 * 0.75), 0.5 * 0.75
    there = np.array([rest])
    assert multipliers_at_odds(laws, there, [slope]) == ""
    assert "differ" in multipliers_at_odds(laws, there, [0.5])
    assert cycle_falsehood(laws, "PROVED_ASYMPTOTICALLY_STABLE", there, np.zeros(1)) == ""
    assert "largest multiplier is 0.375" in cycle_falsehood(laws, "PROVED_UNSTABLE", there, np.zeros(1))
    assert "beside the middle" in cycle_falsehood(laws, "PROVED_STABLE", there + 1e-3, np.zeros(1))
    grown = dataclasses.replace(laws, gains=-K)
    assert "a multiplier has the size" in cycle_falsehood(
        grown, "PROVED_STABLE", grown.closed(there)[0], np.zeros(1)
    )
