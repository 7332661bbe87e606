"""Sets about a piece of a family of points of rest: against closed forms, simulated starts, other units and
changed files.
"""

import copy
import json
import math
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import geoctrl as gc
from geoctrl import checker
from geoctrl.cli import main

X, Y, Z, S, T = sp.symbols("x y z s r", real=True)
FAMILY = gc.Verdict.PROVED_ATTRACTED_TO_FAMILY


def field(states, rates, **parts):
    return gc.VectorField(states, rates, name="field", **parts).reduce()


@cache
def walk():
    """y' = -y + s y^2, s' = y: dy/ds = -1 + s y, so that y exp(-s^2/2) + int_0^s exp(-u^2/2) du stays."""
    return gc.region_of_attraction(field([Y, S], [-Y + S * Y**2, Y]), [0, 0])


def edge(roa, count, seed):
    """States of the set next to its edge, in drawn directions."""
    middle = np.array(list(roa.point.values()))
    sizes = np.array([roa.extent[k][1] - roa.point[k] for k in roa.point])
    for way in np.random.default_rng(seed).normal(size=(count, len(sizes))) * sizes:
        low, high = 0.0, 10.0
        for _ in range(30):
            half = (low + high) / 2
            low, high = (half, high) if roa.contains(middle + half * way) else (low, half)
        yield middle + low * way


# -- what is proved holds ---------------------------------------------------------------------------------


def test_each_motion_tends_to_the_member_that_the_closed_form_tells():
    roa = walk()
    assert (roa.verdict, roa.method) == (FAMILY, "slopes beside a family")
    width, P = roa.widths["s"], roa.matrix[0, 0]
    for y, s in edge(roa, 40, 1):
        kept = y * math.exp(-s * s / 2) / math.sqrt(math.pi / 2) + math.erf(s / math.sqrt(2))
        end = brentq(lambda u, c=kept: math.erf(u / math.sqrt(2)) - c, -5, 5)
        assert abs(end - s) <= width * math.sqrt(P) * abs(y) * (1 + 1e-9)
        assert abs(end) <= width


def test_a_set_is_not_one_about_the_point():
    roa = walk()
    assert "each motion tends to one of the points of rest s = s1, one with s of its own" in roa.claim
    assert roa.tends == "one of the points of rest s = s1"
    assert "other points of rest lie beside it, along s" in roa.reason
    assert not roa.contains([0, 1.001 * roa.widths["s"]])
    assert roa.contains([0, 0.999 * roa.widths["s"]])
    assert not hasattr(roa, "expressions")  # by which a law would take over in it


@cache
def parabola():
    """With q = x - s^2/2: q' = -q (1 + s/2), s' = q/4."""
    q = X - S**2 / 2
    return gc.region_of_attraction(field([X, S], [-q * (1 + S / 2) + S * q / 4, q / 4]), [0, 0])


def test_a_family_that_bends():
    roa = parabola()
    assert roa.members == "x = (1/2*s1^2)" or "s1^2" in roa.members

    def rates(_, x):
        q = x[0] - x[1] ** 2 / 2
        return [-q * (1 + x[1] / 2) + x[1] * q / 4, q / 4]

    for start in edge(roa, 12, 2):
        run = solve_ivp(rates, (0, 80), start, rtol=1e-9, atol=1e-11)
        q, s = run.y[0] - run.y[1] ** 2 / 2, run.y[1]
        V = roa.matrix[0, 0] * q**2
        assert np.all(np.diff(np.sqrt(V) + np.abs(s) / roa.widths["s"]) < 1e-9)
        assert np.all(V <= V[0] * np.exp(-2 * roa.rate * run.t) * (1 + 1e-6) + 1e-15)
        assert abs(q[-1]) < 1e-6
        assert abs(s[-1]) <= roa.widths["s"]


def test_members_on_a_leaf():
    """On a circle, angle' = -sin(angle) (1 + s^2/4), s' = sin(angle) (1 + s^2/4): their sum stays."""
    speed = 1 + S**2 / 4
    loop = field([X, Y, S], [Y**2 * speed, -X * Y * speed, Y * speed], leaf=[X**2 + Y**2 - 1])
    roa = gc.region_of_attraction(loop, [1, 0, 0], seconds=3)
    assert roa.verdict is FAMILY
    assert "a leaf of dimension 2 at the equilibrium" in roa.claim
    inside = [a for a in np.linspace(0.001, 1, 400) if roa.contains([math.cos(a), math.sin(a), 0])]
    assert max(inside) > 0.1
    assert max(inside) <= roa.widths["s"]
    assert not roa.contains([1.001, 0, 0])


def test_a_state_on_which_nothing_depends_is_told():
    roa = gc.region_of_attraction(field([Y, S, Z], [-(1 + S**2) * Y, Y, Y**2 + Y * S]), [0, 0, 0], seconds=3)
    assert "whatever z may be" in roa.claim
    assert list(roa.widths) == ["s"]
    assert roa.contains([0, 0, 1e6])


@pytest.mark.parametrize("bound", [1e-3, 1e3])
def test_outputs_keep_within_their_limits(bound):
    system = field([Y, S], [-(1 + S**2) * Y, Y], outputs={"u": 3 * Y})
    roa = gc.region_of_attraction(system, [0, 0], seconds=3, limits={"u": bound})
    assert f"there |u| <= {bound:g}" in roa.claim
    assert 3 * roa.extent["y"][1] <= bound * (1 + 1e-9)


@pytest.mark.long(reason="a set beside a plane of points takes seconds; one beside a line is above")
def test_two_symbols():
    """y' = -y (1 + s^2 + r^2), s' = y, r' = y^2."""
    roa = gc.region_of_attraction(field([Y, S, T], [-(1 + S**2 + T**2) * Y, Y, Y**2]), [0, 0, 0], seconds=4)
    assert list(roa.widths) == ["s", "r"]
    assert "sqrt((|s|/" in roa.claim
    assert roa.contains([0, 0.7 * roa.widths["s"], 0.7 * roa.widths["r"]])
    assert not roa.contains([0, 0.8 * roa.widths["s"], 0.8 * roa.widths["r"]])


@pytest.mark.parametrize(("length", "second"), [(1e-6, 1e3), (1e6, 1e-3)])
def test_other_units(length, second):
    """The same motion with lengths and times in other units; widths have two digits in each."""
    a, b = Y / length, S / length
    scaled = field([Y, S], [(-a + b * a**2) * length / second, a * length / second])
    found, first = gc.region_of_attraction(scaled, [0, 0]), walk()
    assert found.verdict is FAMILY
    assert found.rate * second == pytest.approx(first.rate, rel=0.06)
    for k, (_, high) in first.extent.items():
        assert found.extent[k][1] / length == pytest.approx(high, rel=0.3)


def test_files_and_the_command_line(tmp_path, capsys):
    path = tmp_path / "walk.json"
    walk().to_json(path)
    report = gc.verify(path)
    assert (report.verdict, report.claim) == (FAMILY, walk().claim)
    assert main(["verify", str(path)]) == 0
    assert "PROVED_ATTRACTED_TO_FAMILY" in capsys.readouterr().out


# -- what is not ------------------------------------------------------------------------------------------


def refused(change, of=walk):
    data = copy.deepcopy(of().to_dict())
    change(data)
    with pytest.raises(checker.Refusal) as caught:
        checker.prove({**data, "digest": ""})
    return str(caught.value)


def flip(data, label):
    """The rate of a state with another sign."""
    problem = data["problem"]
    k = list(problem["states"]).index(label)
    problem["nodes"].append(["prod", "-1", [[problem["field"][k], 1]]])
    problem["field"][k] = len(problem["nodes"]) - 1


def drifting(data):
    """Members move: s' = y + y_0 with a number added."""
    problem = data["problem"]
    problem["nodes"] += [["num", "1/1000000"], ["num", "1"]]
    one = len(problem["nodes"]) - 1
    problem["nodes"].append(["sum", [[problem["field"][1], one], [one - 1, one]]])
    problem["field"][1] = one + 1


def moving_members(data):
    """s' = y + s^2/10^6: the point rests, its neighbours do not."""
    problem = data["problem"]
    s = next(i for i, node in enumerate(problem["nodes"]) if node[:3] == ["sym", "s", "state"])
    one = len(problem["nodes"])
    problem["nodes"] += [["num", "1"], ["prod", "1/1000000", [[s, 2]]]]
    problem["nodes"].append(["sum", [[problem["field"][1], one], [one + 1, one]]])
    problem["field"][1] = one + 2


def with_theorem(**parts):
    return lambda data: data["theorem"].update(parts)


def straight(data):
    """The members of a line in place of those of a parabola."""
    family = data["theorem"]["family"]
    family["states"] = [family["states"][1]] * 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: flip(data, "y"), "falls over a cell"),
        (drifting, "no equilibrium"),
        (moving_members, "the family is not proved"),
        (with_theorem(widths=["1/25"]), "falls over a cell"),
        (with_theorem(widths=["400"]), "falls over a cell"),
        (with_theorem(widths=[]), "each symbol has a width"),
        (with_theorem(rate="1"), "falls over a cell"),
        (with_theorem(rate="0"), "is not what belongs here"),
        (with_theorem(rate="-1/4"), "is not what belongs here"),
        (with_theorem(level="100"), "falls over a cell"),
        (with_theorem(function=[["-1"]]), "positive definite"),
        (with_theorem(function=[["1/1000"]]), "falls over a cell"),
        (with_theorem(function=[["1"], ["0", "1"]]), "not one of what is measured"),
        (with_theorem(levels=[]), "unknown, or missing"),
        (with_theorem(cells="1"), "no tree"),
    ],
)
def test_changed_files_are_refused(change, words):
    assert words in refused(change)


def test_symbols_that_move_the_other_way_are_as_good():
    """Of s' the size alone matters, where its sign is no part of y'."""
    data = copy.deepcopy(walk().to_dict())
    flip(data, "s")
    assert checker.prove({**data, "digest": ""}).verdict == FAMILY.value


def test_members_that_are_none_are_refused():
    assert "the family" in refused(straight, of=parabola)


def test_a_family_that_is_stable_at_one_side_alone():
    """y' = -s y: on one side of the point members repel, and no piece about it attracts."""
    with pytest.raises(gc.CertificateError) as caught:
        gc.region_of_attraction(field([Y, S], [-S * Y - Y**3, Y]), [0, 0], seconds=2)
    assert "falls" not in str(caught.value).partition("because")[2]


def test_a_piece_ends_before_members_repel():
    """y' = -(1 - s) y: of the members s < 1 alone attract."""
    roa = gc.region_of_attraction(field([Y, S], [-(1 - S) * Y, Y]), [0, 0], seconds=3)
    assert 0.1 < roa.widths["s"] < 1


@pytest.mark.long(reason="cells that switch are refused as of all sets by slopes")
def test_a_switch_is_not_crossed():
    """The rate changes at s = 1/4, where there are no slopes."""
    rate = sp.Piecewise((1, S < sp.Rational(1, 4)), (2, True))
    roa = gc.region_of_attraction(field([Y, S], [-rate * Y, Y]), [0, 0], seconds=3)
    assert roa.widths["s"] < 0.25


def test_points_that_are_no_rational_functions_are_told():
    """Members x^3 + x + s^3 + 2 s = 0 are a curve on which no state is such a function of the other."""
    q = X**3 + X + S**3 + 2 * S
    with pytest.raises(gc.CertificateError, match=r"other points of rest lie beside it.*beside a family"):
        gc.region_of_attraction(field([X, S], [-q, -q / 2]), [0, 0], seconds=2)


# -- the robot --------------------------------------------------------------------------------------------


@pytest.mark.long(reason="the search takes a quarter of a minute; a leaf is asked for above in three states")
def test_the_spherical_robot(tmp_path):
    from tests.synthesis.own_mechanisms import ball

    _, eq, law = ball()
    loop = law.closed_loop()
    roa = gc.region_of_attraction(loop, eq, seconds=40)
    assert roa.verdict is FAMILY
    assert roa.widths["Omega3"] > 0.1
    assert roa.extent["Gamma1"][1] > 5e-4
    roa.to_json(tmp_path / "ball.json")
    assert gc.verify(tmp_path / "ball.json").claim == roa.claim
    rng, labels = np.random.default_rng(3), list(roa.point)
    count = 0
    while count < 4:
        x = np.array(
            [roa.point[k] + rng.uniform(-1, 1) * 0.7 * (roa.extent[k][1] - roa.point[k]) for k in labels]
        )
        x[-3:] /= np.linalg.norm(x[-3:])
        if not roa.contains(x):
            continue
        count += 1
        run = gc.simulate(loop, np.linspace(0, 200, 401), x)
        assert np.all(np.abs(run["Omega3"]) <= roa.widths["Omega3"])
        assert np.hypot(run["Gamma1"], run["Gamma2"])[-1] < 1e-6
    json.dumps(roa.to_dict())
