"""Integrals over a shape, with witnesses: what they make definite, and what is none of them."""

import copy
import json
import warnings
from functools import cache

import numpy as np
import pytest
from flint import fmpq

import geoctrl as gc
from geoctrl import checker, decisions
from geoctrl.analysis.witnesses.content import content_with_witnesses
from geoctrl.checker.limits import Refusal
from geoctrl.checker.question import Question
from geoctrl.checker.reader import FILE, conform
from geoctrl.checker.theorems.shape import over_shape
from geoctrl.checker.verdicts import Found
from tests.attack.forge.by_hand import Equations, with_theorem
from tests.checker.test_witnesses import CHANGES, at, changed, numbers
from tests.systems import user_mechanisms

UNITS = {"length": 1000, "time": 60, "mass": 0.25}


def seen(name, family, *values, units=None, **params):
    """A member of a family of the catalogue, where it is an equilibrium, in other units."""
    mechanism = gc.models.get(name)()
    if units:
        mechanism = mechanism.in_units(**units)[0]
    system = mechanism.reduce()
    system = system if name == "unicycle-with-rotor" else system.despun()
    given = dict(zip(system.families[family].names, values, strict=False))
    return system, system.equilibrium(family, params=params or None, **given)


def circling(A, C, spin, lean):
    system = user_mechanisms.disk(A, C).replace(frame=None).reduce().despun()
    start = [0, lean, spin, 1, lean]
    return system, gc.find_equilibrium(system, start, fixed={"Omega3": spin, "Gamma3": lean})


def two_rotors():
    """A loop that loses one of its invariants, and has an integral in its place."""
    mechanism = gc.models.get("pendulum-skate-rotor")()
    J1, J3 = (p.symbol for p in mechanism.parameters if p.name in ("J1", "J3"))
    coupling = np.zeros((6, 2), dtype=object)
    coupling[0, 0], coupling[2, 1] = J1, J3
    rotors = gc.Rotors(coupling=coupling, inertia=[[J1, 0], [0, J3]], names=["a", "b"])
    with warnings.catch_warnings():  # issued where the gain is judged in time
        warnings.simplefilter("ignore", gc.LawWarning)
        loop = gc.match(mechanism.replace(rotors=rotors)).law(sigma=np.diag([-1e-5, 1e-3])).closed_loop()
    return loop, loop.equilibrium("sliding", Y0=1.0)


POINTS = {
    "a disk upright": lambda: seen("rolling-disk", "rolling", 7.5),
    "a disk on a circle": lambda: seen("rolling-disk", "circling", 0.5, 4.0, 2.0),
    "a fast disk on a circle": lambda: seen("rolling-disk", "circling", 0.5, 40.0, 2.0),
    "a disk in other units": lambda: seen("rolling-disk", "circling", 0.5, 240.0, 120.0, units=UNITS),
    "a top on a sphere": lambda: seen("top-on-sphere", "precessing", 1.5, 2.25),
    "a fast top on a sphere": lambda: seen("top-on-sphere", "precessing", 7.5, 8.25),
    "a unicycle": lambda: seen("unicycle-with-rotor", "upright", 7.5),
    "a heavier unicycle": lambda: seen("unicycle-with-rotor", "upright", 9.5, m=3.5, h=0.5),
    "a unicycle in other units": lambda: seen("unicycle-with-rotor", "upright", 450, units=UNITS),
    "a hoop": lambda: circling("1/2", "1", 9.0, 0.0),
    "a plate": lambda: circling("1/3", "1/2", 9.0, 0.0),
    "a loop with two rotors": two_rotors,
}


@cache
def content_of(name):
    certificate = gc.certify(*POINTS[name]())
    return certificate, json.loads(json.dumps(content_with_witnesses(certificate.proof)))


@pytest.mark.parametrize("name", POINTS)
def test_search_and_checker_agree_on_integrals_over_a_shape(name):
    certificate, content = content_of(name)
    assert content["theorem"]["name"] == "energy-Casimir over a shape"
    found = checker.prove(content)
    assert (found.verdict, found.method) == (certificate.verdict.value, certificate.method)
    assert found.verdict == "PROVED_STABLE"
    assert found.told["shape_integrals"] == certificate.evidence["shape_integrals"]


def integrals_of(data):
    """The integrals that a file's structure gives, with their derivatives at the point."""
    content = conform(data, FILE | checker.theorem_by_name(data["theorem"]["name"])[0])
    q, told = Question(content["problem"], content["witness"]), []
    theorem = over_shape(lambda q, _: told.append(q) or Found("", "", {}))
    names = theorem(q, data["theorem"]).told["shape_integrals"]
    return {name: told[0].function(name) for name in names}


@pytest.mark.parametrize("name", POINTS)
def test_derivatives_of_integrals_are_those_of_the_search(name):
    certificate, content = content_of(name)
    q = decisions.Question(decisions.read_problem(certificate.proof["problem"]), exact=True)
    n, jets = len(q.labels), integrals_of(content)
    for integral, gradient, second in decisions.shape_integrals(q):
        assert jets[integral].gradient(n) == gradient
        hessian = [[second.get((min(i, j), max(i, j)), 0) for j in range(n)] for i in range(n)]
        assert jets[integral].hessian(n) == hessian


@pytest.mark.parametrize("name", ["a disk on a circle", "a top on a sphere", "a loop with two rotors"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_number_proves_nothing(name, change):
    _, content = content_of(name)
    refused = 0
    for part in ("witness", "theorem"):
        for path in numbers(content[part]):
            data = changed(content, part, path, CHANGES[change])
            if at(data[part], path) in (at(content[part], path), "-0"):
                continue
            with pytest.raises(Refusal):
                checker.prove(data)
            refused += 1
    assert refused


def test_velocities_may_not_change_places():
    for name in ("a disk on a circle", "a unicycle"):
        _, content = content_of(name)
        rates = content["theorem"]["shape"]["rates"]
        data = copy.deepcopy(content)
        data["theorem"]["shape"]["rates"] = dict(zip(rates, reversed(rates.values()), strict=True))
        with pytest.raises(Refusal, match="not the structure"):
            checker.prove(data)


# -- by hand ----------------------------------------------------------------------------------------------


def swing(friction=0, **more):
    """s' = w, w' = -s - c w, u' = w u and r' = 0: u exp(-s) is kept, and s, w swing or rest beside it."""
    e = Equations(w=0, s=0, u=2, r=0)
    one = e.number(1)
    falls = e.total(e.monomial(-1, s=1), e.monomial(-friction, w=1))
    field = [falls, e.places["w"], e.monomial(1, w=1, u=1), e.number(0)]
    energy = e.total(e._add("prod", "1/2", [[e.places["s"], 2]]), e._add("prod", "1/2", [[e.places["w"], 2]]))
    problem = e.problem(field, invariants={"energy": energy, "r": e.places["r"]})
    shape = {
        "velocity": "w",
        "slopes": {"s": one},
        "rates": {"u": [one]},
        "along": "s",
        "cofactors": [[], []],
    }
    # The integral has the gradient (-u, 1) by s and u; the kernel is that of r' = u' - 2 s' = 0.
    basis = {"rows": ["integral of u", "r"], "free": ["w", "s"], "inverse": [["1", "0"], ["0", "1"]]}
    theorem = {"shape": shape | more} | basis
    if friction:
        theorem |= {"name": "attraction over a shape", "P": [["4"], ["1", "4"]]}
    else:
        theorem |= {"name": "energy-Casimir over a shape", "multipliers": {"energy": "1"}, "sense": 1}
    return e, with_theorem(problem, theorem)


def test_derivatives_of_integrals_are_those_of_closed_forms():
    """s' = w (1 + s^2) and u' = w s u keep u/sqrt(1 + s^2); scaled to begin as u at s = 3/2."""
    e, data = swing()
    data["problem"]["states"] |= {"s": "3/2", "u": "2/5"}
    speed = e.total(e.number(1), e.monomial(1, s=2))
    field = data["problem"]["field"]
    field[1], field[2] = e._add("prod", "1", [[e.places["w"], 1], [speed, 1]]), e.monomial(1, w=1, s=1, u=1)
    shape = {"slopes": {"s": speed}, "rates": {"u": [e.places["s"]]}}
    data["theorem"]["shape"] |= shape
    jet = integrals_of(data)["integral of u"]
    # With a = sqrt((1 + s_e^2)/(1 + s^2)): a' = -s/(1 + s^2) and a'' = (2 s^2 - 1)/(1 + s^2)^2 at s_e.
    first, second = fmpq(-6, 13), fmpq(7, 2) / (fmpq(13, 4) * fmpq(13, 4))
    assert jet.gradient(4) == [0, first * fmpq(2, 5), 1, 0]
    assert jet.hessian(4)[1] == [0, second * fmpq(2, 5), first, 0]


def test_what_swings_over_a_shape_is_stable():
    assert checker.prove(swing()[1]).verdict == "PROVED_STABLE"
    found = checker.prove(swing(friction=1)[1])
    assert (found.verdict, found.told["zero_modes"]) == ("PROVED_STABLE", ["integral of u", "r"])
    with pytest.raises(Refusal, match="no function is shown to fall"):
        checker.prove(swing(friction=-1)[1])


def refused(match, data=None, **shape):
    data = data or swing()[1]
    data["theorem"]["shape"] |= shape
    with pytest.raises(Refusal, match=match):
        checker.prove(data)


def test_velocity_slopes_and_rates_are_states_of_their_own():
    for w in ("s", "u"):
        refused("those of different states", velocity=w)
    refused("do not fit", velocity="nothing")
    # s' = w s beside s as a velocity: a(s) s has not the derivative of a(s) u.
    e, data = swing()
    refused("those of different states", data, rates={"s": [e.number(0)]})


def test_the_shape_is_a_curve():
    """With q' = w for a second coordinate u exp(-q) is kept as well as u exp(-s), and is no function of s."""
    _, data = swing()
    refused("is no curve", data, slopes={"s": 2, "r": 2}, cofactors=[[], [], []])
    refused("is no curve", slopes={}, cofactors=[[]])
    problem = data["problem"]
    problem["leaf"] = {"r": problem["invariants"].pop("r")}
    data["theorem"]["shape"] |= {"slopes": {"s": data["problem"]["field"][3]}}
    refused("is no curve", data)


def test_a_shape_that_rests_has_no_parameter():
    """s' = 0 w with the parameter s: the integral would begin with any slope."""
    _, data = swing()
    field = data["problem"]["field"]
    field[1] = field[3]
    refused("do not fit", data, slopes={"s": field[3]})


def test_the_structure_is_an_identity():
    for place, powers in ((1, {"s": 1, "w": 2}), (2, {"s": 1}), (2, {"w": 1, "u": 3})):
        e, data = swing()
        data["problem"]["field"][place] = e.total(data["problem"]["field"][place], e.monomial(1, **powers))
        data["problem"]["invariants"] = {"r": data["problem"]["invariants"]["r"]}
        data["theorem"]["multipliers"] = {"r": "0"}
        refused("not the structure", data)


def test_slopes_and_rates_depend_on_the_shape_alone():
    """u' = w r u: exp(-r s) u is kept where r is, but the derivatives by r are missing; so with r' = w."""
    e, data = swing()
    data["problem"]["field"][2] = e.monomial(1, w=1, r=1, u=1)
    refused("geometric states alone", data, rates={"u": [e.places["r"]]})
    e, data = swing()
    refused("geometric states alone", data, slopes={"s": e.total(e.number(1), e.places["u"])})


def test_relations_of_the_shape_are_its_own():
    """The leaf u = 2 + r is none of the geometric states s and r."""
    e, data = swing()
    relation = e.total(e.places["u"], e.number(-2), e.monomial(-1, r=1))
    data["problem"]["field"][2] = data["problem"]["field"][3]
    data["problem"]["leaf"] = {"beside": relation}
    zero = data["problem"]["field"][3]
    data["theorem"]["rows"] = ["beside", "r"]
    refused("geometric states alone", data, slopes={"s": 4, "r": zero}, rates={"u": [zero]})


def test_a_corner_of_the_shape_is_no_curve():
    """On r^2 = 0 the gradient is none, and r is no function of s."""
    e, data = swing()
    data["problem"]["leaf"] = {"corner": e.monomial(1, r=2)}
    zero = data["problem"]["field"][3]
    more = {"slopes": {"s": e.number(1), "r": zero}, "cofactors": [[], [], []]}
    refused("gradients of the leaf", data, **more)
    data["theorem"]["rows"] = ["integral of u", "corner"]
    refused("not the inverse", data, **more)
    data["problem"]["leaf"] = {"line": e.places["r"]}
    data["theorem"]["rows"] = ["integral of u", "line"]
    assert checker.prove(data).verdict == "PROVED_STABLE"


def test_an_integral_has_a_name_of_its_own():
    """u itself is not kept, whatever stands under the integral's name."""
    e, data = swing()
    data["problem"]["invariants"]["integral of u"] = e.places["u"]
    refused("stands twice", data)
