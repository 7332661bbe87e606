"""Files of turning points: folds that are known in closed form, and nothing where one hypothesis fails."""

import copy
import json
from fractions import Fraction
from functools import cache

import pytest
from flint import arb, ctx, fmpq

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.certificates.same_equations import require_same_equations
from geoctrl.checker.limits import Refusal
from geoctrl.checker.theorems.turning_point import Fold, turning_point
from geoctrl.continuation.changes import FOLD
from tests.attack.forge.curves_by_hand import beside_a_circle, fold_of
from tests.checker.test_witnesses import CHANGES, at, changed, numbers
from tests.continuation.test_follow import pushed_pendulum, skate

VERDICT = "PROVED_TURNING_POINT"


@cache
def folds(name):
    """Of a pendulum that is pushed, of a skate that leans, and of a spring, in kilometres and hours too."""
    if name == "skate":
        start = gc.find_equilibrium(skate(), fixed={"v2": 5.0, "Gamma2": 0.3})
        branch = gc.follow(skate(), start, along="v3", span=(-2.5, -1.5), fixed=["Gamma2"], points=9)
    elif name == "pendulum":
        start = gc.find_equilibrium(pushed_pendulum(), guess=[0.0, 0.5])
        branch = gc.follow(pushed_pendulum(), start, along="T", span=(0, 1.5), points=9)
    else:
        x, F = gc.Coordinate("x", unit="m"), gc.Parameter("F", 0.125, "N")
        m, k, c = (gc.Parameter(s, 1, u) for s, u in (("m", "kg"), ("k", "N/m"), ("c", "N/m^3")))
        spring = gc.EulerPoincare(
            name="softening",
            shape=[x],
            inertia=[[m.symbol]],
            potential=k.symbol * x.symbol**2 / 2 - c.symbol * x.symbol**4 / 4 - F.symbol * x.symbol,
            parameters=[m, k, c, F],
        )
        system, force = spring.reduce(), 1.0
        if name == "spring in kilometres and hours":
            moved, change = spring.in_units(length=Fraction(1, 1000), time=Fraction(1, 3600))
            system, force = moved.reduce(), change.value(1.0, "N")
        start = gc.find_equilibrium(system, params={"F": 0.0})
        branch = gc.follow(system, start, along="F", span=(-0.5 * force, 0.5 * force), points=5)
    return [change for change in branch.changes if change.kind == FOLD]


@cache
def content(name):
    return json.loads(folds(name)[-1].to_json())


def found(data):
    """The fold of a file, as the checker has it."""
    return checker.prove(data).told["region"]


def verdict(data):
    try:
        return checker.prove(data).verdict
    except Refusal:
        return None


def enclosure(name, label):
    """Of a state at the fold."""
    fold = found(content(name)).fold
    place = dict(zip(fold.question.labels, fold.question.states, strict=True))[label]
    with ctx.workprec(200):
        return fold.box()[fold.places.index(place)]


# -- what is known of them in other ways ----------------------------------------------------------------


def test_a_pushed_pendulum_turns_over_at_a_right_angle():
    """T = sin(phi) has its greatest value one at pi/2, and the second derivative -1 by phi."""
    words = found(content("pendulum"))
    with ctx.workprec(200):
        assert enclosure("pendulum", "T").contains(1)
        phi = enclosure("pendulum", "phi")
        assert any(phi.contains(k * arb.pi() / 2) for k in (-7, -3, 1, 5, 9))
        assert not words.least
        fold = words.fold
        by_phi = fold.given["kernel"][fold.places.index(fold.question.states[1])]
        assert abs(fold.bend() / by_phi**2 + 1) < 1e-15


def test_the_least_speed_of_a_leaning_turn_is_the_closed_form():
    """v3 = -2 s sqrt(m g l A/c)/(m l) at the lean with sine s and cosine c, A = I2 + m l^2 - I3."""
    p = {k: arb(fmpq(*float(v).as_integer_ratio())) for k, v in skate().params.items()}
    with ctx.workprec(200):
        s, A = arb(fmpq(*(0.3).as_integer_ratio())), p["I2"] + p["m"] * p["l"] ** 2 - p["I3"]
        c, weight = (1 - s * s).sqrt(), p["m"] * p["g"] * p["l"]
        value = enclosure("skate", "v3")
        assert value.contains(-2 * s * (weight * A / c).sqrt() / (p["m"] * p["l"]))
        assert value.rad() < 1e-17
    assert not found(content("skate")).least


def test_a_spring_snaps_where_its_stiffness_vanishes_in_any_units(tmp_path):
    """F = x - x^3 turns at x^2 = 1/3, where F^2 = 4/27, in N and m."""
    with ctx.workprec(200):
        exact = arb(fmpq(4, 27)).sqrt()
    for name, force in (("spring", arb(1)), ("spring in kilometres and hours", arb(3600) ** 2 / 1000)):
        assert len(folds(name)) == 2
        seen = set()
        for fold in folds(name):
            fold.to_json(tmp_path / "fold.json")
            report = gc.verify(tmp_path / "fold.json")
            assert report.verdict.proved
            assert report.claim == fold.certificates[0].claim
            words = found(json.loads(fold.to_json()))
            seen.add(words.least)
            assert words.least == (fold.value < 0)
            with ctx.workprec(200):
                F = words.fold.box()[-1]
                low, high = (arb(fmpq(*v.as_integer_ratio())) for v in fold.bracket)
                assert low < F < high
                assert abs(F).overlaps(exact * force)
                assert F.rad() < 1e-18 * abs(F)
        assert seen == {True, False}


def test_what_is_said():
    report = checker.check(content("skate"))
    assert report.verdict == VERDICT
    for words in (
        "Equilibria of 'pendulum-skate', with m = 2",
        "on the leaf 1 - Gamma2^2 - Gamma3^2 = 0, a leaf of dimension 4 there",
        "with Gamma2 = 0.3 (double) held, are a curve near",
        "v3 = [-1.93867147130301",
        "there v3 has its greatest value of the curve near by",
    ):
        assert words in report.claim
    report = checker.check(content("pendulum"))
    assert "on the leaf of all states, of dimension 2" in report.claim
    assert "the parameter T has its greatest value" in report.claim


def test_equations_of_a_file_are_those_of_its_system():
    for system, name in ((pushed_pendulum(), "pendulum"), (skate(), "skate")):
        require_same_equations(system, content(name))
        with pytest.raises(gc.CertificateError):
            require_same_equations(system, content("skate" if name == "pendulum" else "pendulum"))
    data = copy.deepcopy(content("pendulum"))
    place = data["problem"]["field"][list(data["problem"]["states"]).index("T")]
    data["problem"]["field"] = [p for p in data["problem"]["field"] if p != place]
    data["problem"]["nodes"].append(["num", "1"])
    data["problem"]["field"].append(len(data["problem"]["nodes"]) - 1)
    with pytest.raises(gc.CertificateError):
        require_same_equations(pushed_pendulum(), data)


def test_what_has_no_file_says_so():
    start = skate().equilibrium("spinning", Omega0=3.0)
    (change,) = gc.follow(skate(), start, along="Omega0", span=(2.5, 4.5), points=3).changes
    with pytest.raises(gc.CertificateError, match="certificates at both ends"):
        change.to_json()


# -- one hypothesis that fails --------------------------------------------------------------------------


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_witness_proves_the_same_or_nothing(change):
    refused = 0
    for part in ("witness", "theorem"):
        for path in numbers(content("pendulum")[part]):
            data = changed(content("pendulum"), part, path, CHANGES[change])
            if at(data[part], path) in (at(content("pendulum")[part], path), "-0"):
                continue
            assert verdict(data) in (None, VERDICT), path
            refused += verdict(data) is None
    assert refused


def with_parts(name, /, **parts):
    data = copy.deepcopy(content(name))
    return data | {"theorem": data["theorem"] | parts}


def moved(name, part, place, by):
    values = [Fraction(q) for q in content(name)["theorem"][part]]
    values[place] += by
    return {part: [str(q) for q in values]}


def scaled(name, factor):
    return {"radii": [str(Fraction(q) * factor) for q in content(name)["theorem"]["radii"]]}


FORGED = {
    "a box without width": ("pendulum", lambda n: scaled(n, 0), "in the box"),
    "a box turned inside out": ("pendulum", lambda n: scaled(n, -1), "in the box"),
    "a box too wide": ("pendulum", lambda n: scaled(n, 2**66), "in the box"),
    "another acceleration": (
        "pendulum",
        lambda n: moved(n, "unknowns", 0, Fraction(1, 10**9)),
        "in the box",
    ),
    "another kernel": ("pendulum", lambda n: moved(n, "kernel", 0, Fraction(1, 10**9)), "in the box"),
    "no kernel": ("pendulum", lambda n: {"kernel": ["0"] * 3, "normal": ["0"] * 3}, "in the box"),
    "nothing said of Y": ("pendulum", lambda n: {"Y": []}, "do not fit"),
    "along a state that is held": ("skate", lambda n: {"held": ["v3"]}, "held stands twice"),
    "a state held twice": ("skate", lambda n: {"held": ["Gamma2", "Gamma2"]}, "held stands twice"),
    "a state held that is none": ("skate", lambda n: {"held": ["Gamma9"]}, "held stands twice"),
    "another state held": ("skate", lambda n: {"held": ["v1"]}, "in the box"),
    "no levels": (
        "skate",
        lambda n: {"rows": ["|Gamma|^2"], "free": ["v1", "v2", "v3", "Gamma2"], "inverse": [["1"]]},
        "theorem",
    ),
    "an inverse of zero": ("skate", lambda n: {"inverse": [["0"] * 3] * 3}, "do not fit"),
}


@pytest.mark.parametrize("case", FORGED)
def test_nothing_is_proved_where_a_hypothesis_fails(case):
    name, parts, words = FORGED[case]
    with pytest.raises(Refusal, match=words):
        checker.prove(with_parts(name, **parts(name)))


def test_a_parameter_is_free():
    """That it does not move is an identity, and may not take the place of a relation of the leaf."""
    data = with_parts("pendulum", rows=["torque"], free=["phi_dot", "phi"], inverse=[["1"]])
    nodes = data["problem"]["nodes"]
    place = next(i for i, row in enumerate(nodes) if row[:2] == ["sym", "T"])
    data["problem"]["invariants"] = {"torque": place}
    with pytest.raises(Refusal, match="what does not move has to be free"):
        checker.prove(data)


def test_a_parameter_that_moves_is_a_state():
    """T' = 1/10^9: what rests with T held is no equilibrium."""
    data = copy.deepcopy(content("pendulum"))
    data["problem"]["nodes"].append(["num", "1/1000000000"])
    place = list(data["problem"]["states"]).index("T")
    data["problem"]["field"][place] = len(data["problem"]["nodes"]) - 1
    assert verdict(data) is None


# -- a fold beside a circle ------------------------------------------------------------------------------


def test_a_fold_beside_a_circle_is_proved():
    assert found(beside_a_circle()).least


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"turns": True, "fixed": "s"}, "do not fit"),  # the circle turns at what F takes for rest
        ({"rows": ("twin",)}, "a relation of the leaf is missing"),
        ({"kept": False}, "the motion keeps 'circle'"),
        ({"power": 3}, "in the box"),  # T = y^3 goes on
        ({"power": 1}, "in the box"),  # and so does T = y
    ],
)
def test_a_fold_is_none_where_a_hypothesis_fails(parts, words):
    with pytest.raises(Refusal, match=words):
        checker.prove(beside_a_circle(**parts))


def test_a_curve_that_may_go_on_is_not_said_to_turn(monkeypatch):
    """Where the derivative is regular over the box this does not occur."""
    monkeypatch.setattr(Fold, "bend", lambda fold: arb(0, 1))
    data = beside_a_circle()
    fold = fold_of(data)
    with pytest.raises(Refusal, match="second derivative along the curve may vanish"):
        turning_point(fold.question.problem, fold.question.witness, fold.given)
