"""Loops with a hold at points with roots and exact angles, and on families of fixed points."""

import copy
import json
from dataclasses import replace
from functools import cache

import mpmath
import numpy as np
import pytest
import scipy.linalg
import sympy as sp
from flint import fmpq

import geoctrl as gc
from geoctrl import checker
from tests.attack.forge.by_hand import decided
from tests.synthesis.own_mechanisms import ball, cube, pendulum

STABLE, ASYMPTOTIC = gc.Verdict.PROVED_STABLE, gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def confirmed(certificate):
    return checker.check(json.loads(certificate.to_json())).verdict == certificate.verdict.name


def test_a_cube_on_its_corner():
    """The law is K (x - x_e) with the root of three itself: it gives the torque that holds the point."""
    system, eq, law = cube()
    controller = law.sampled(rate=100)
    found = gc.certify(system, eq, controller=controller)
    assert found.verdict is STABLE
    assert confirmed(found)
    # Far too slow for a fall of 5 1/s: the same question has the other answer.
    assert gc.certify(system, eq, controller=law.sampled(rate=1)).verdict is gc.Verdict.PROVED_UNSTABLE
    continuous = gc.certify(law.closed_loop(), law.equilibrium)
    assert continuous.verdict is STABLE
    assert "sqrt(3)" in continuous.claim


@pytest.mark.parametrize(
    ("up", "name"),
    [
        (sp.pi, "q - pi"),
        (sp.atan2(3, 4), "q - atan2(3/5, 4/5)"),
        (-sp.pi / 2, "q + pi/2"),
    ],
)
def test_angles_that_are_no_rational_numbers(up, name):
    system = pendulum(up)
    eq = system.equilibrium("up")
    law = gc.lqr(system, eq)
    found = gc.certify(system, eq, controller=law.sampled(rate=100))
    assert found.verdict is ASYMPTOTIC
    assert name in found.proof["problem"]["states"]
    assert confirmed(found)
    assert gc.certify(law.closed_loop(), law.equilibrium).verdict is ASYMPTOTIC
    # One hold of the pair in (q_dot, q - up), by the exponential of the pair itself.
    pair = np.zeros((3, 3))
    pair[0, 1], pair[1, 0], pair[0, 2] = float(-9.81 * sp.cos(up)), 1, 1
    step = scipy.linalg.expm(pair / 100)
    expected = np.linalg.eigvals(step[:2, :2] - step[:2, 2:] @ law.K)
    multipliers = gc.linearize_held(system, law.sampled(rate=100), eq).multipliers
    assert np.sort_complex(multipliers) == pytest.approx(np.sort_complex(expected), rel=1e-9)


def test_what_is_computed_is_what_is_printed(tmp_path):
    """The run, the printed law and the code have doubles, and no terms that are rounding alone."""
    system, eq, law = cube()
    header, source = law.to_c(tmp_path, name="corner")
    for text in (repr(law), source.read_text(), law.sampled(rate=100).to_c(tmp_path)[1].read_text()):
        assert "e-13" not in text
        assert "e-16" not in text
        assert "sqrt" not in text
    assert header.exists()
    at_rest = law.function()(eq.x.tolist())
    assert np.max(np.abs(at_rest)) < 1e-14  # of terms of size one
    for row in law.expr:
        assert len(row.as_coefficients_dict()) == 8  # two of Gamma, three rates, three wheels
    run = gc.simulate(system, np.linspace(0, 1, 11), eq.x, controller=law.sampled(rate=100))
    assert np.max(np.abs(run.states - eq.x[:, None])) < 1e-10  # wheels turn by torques of 1e-15


# -- laws that are rounded ------------------------------------------------------------------------------


def compiled(law, rate=100, **further):
    """The law with the numbers of its code."""
    controller = law.sampled(rate=rate, **further)
    return replace(controller, feedback=controller.feedback.in_doubles)


@cache
def rounded_pendulum():
    system = pendulum()
    eq = system.equilibrium("up")
    law = gc.lqr(system, eq)
    return system, eq, law, gc.certify(system, eq, controller=compiled(law))


def test_a_pendulum_with_the_law_of_its_code():
    """It rests where g sin(q - pi) is what the law asks for: with doubles k, c one step of Newton from pi."""
    system, eq, law, found = rounded_pendulum()
    assert found.verdict is ASYMPTOTIC
    assert confirmed(found)
    assert law.sampled(rate=100).feedback.computed
    (row,) = compiled(law).feedback.terms.values()
    angle = sp.Symbol("q", real=True)
    k, c = -row.coeff(angle), row.as_coefficients_dict()[sp.Integer(1)]
    with mpmath.workdps(60):
        there = mpmath.findroot(
            lambda q: mpmath.mpf(float(c)) - mpmath.mpf(float(k)) * q - mpmath.mpf(981) / 100 * mpmath.sin(q),
            mpmath.pi,
        )
        away = there - mpmath.pi
    states, radii = found.proof["problem"]["states"], found.proof["problem"]["box"]["bits"]
    place = list(states).index("q - pi")
    assert abs(float(sp.Rational(states["q - pi"])) - float(away)) < 2.0 ** -radii[place]
    assert 1e-20 < abs(away) < 1e-16
    slow = gc.certify(system, eq, controller=compiled(law, rate=1))
    assert slow.verdict is gc.Verdict.PROVED_UNSTABLE
    assert confirmed(slow)
    late = gc.certify(system, eq, controller=compiled(law, delay=0.015, lag=0.003))
    assert late.verdict is ASYMPTOTIC
    assert confirmed(late)


def test_a_cube_with_the_law_of_its_code():
    system, eq, law = cube()
    found = gc.certify(system, eq, controller=compiled(law))
    assert found.verdict is STABLE
    assert confirmed(found)
    assert "within 2^-61 of Omega1" in found.claim
    states = found.proof["problem"]["states"]
    assert abs(float(sp.Rational(states["Gamma1"])) - 3**-0.5) < 1e-15


def test_a_law_of_other_units_rests_as_far_away():
    """Seconds of 2^10 and lengths of 2^-10: doubles are the same up to powers of two."""

    def in_units(time):
        q = gc.Coordinate("q", angle=True)
        system = gc.EulerPoincare(
            shape=[q],
            inertia=[[1]],
            potential=-10 * sp.Rational(1, time**2) * sp.cos(q.symbol),
            forces=[sp.Symbol("u", real=True)],
            inputs=["u"],
            equilibria={"up": gc.Family({"q": sp.pi})},
        ).reduce()
        eq = system.equilibrium("up")
        law = gc.linear_law(system, eq, [[9 / time, 40 / time**2]])
        return gc.certify(system, eq, controller=compiled(law, rate=100 / time))

    plain, other = in_units(1), in_units(1024)
    assert plain.verdict is other.verdict is ASYMPTOTIC
    assert plain.proof["problem"]["states"]["q - pi"] == other.proof["problem"]["states"]["q - pi"]


def test_points_in_floats():
    """A point of a root of no known kind, with the law that is rounded there."""
    q = gc.Coordinate("q", angle=True)
    leaning = pendulum().mechanism.replace(potential=-10 * sp.cos(q.symbol) + q.symbol**2 / 3).reduce()
    point = gc.find_equilibrium(leaning, [0, 2.5])
    found = gc.certify(leaning, point, controller=gc.lqr(leaning, point).sampled(rate=100))
    assert found.verdict is ASYMPTOTIC
    assert confirmed(found)


def test_families_that_no_function_tells_apart_are_refused():
    system, eq, law = ball()
    with pytest.raises(gc.CertificateError, match=r"no certificate of this loop") as told:
        gc.certify(system, eq, controller=moved(law))
    assert told.value.__cause__ is None


def moved(law):
    """A law whose constant is wrong by rounding."""
    controller = law.sampled(rate=100)
    terms = {k: e + sp.Rational(1, 2**60) for k, e in controller.feedback.terms.items()}
    return replace(controller, feedback=replace(controller.feedback, terms=terms, computed={}))


# -- changed files of rounded laws ----------------------------------------------------------------------


def radii(data, by):
    data["theorem"]["box"]["radii"] = [str(fmpq(r) * by) for r in data["theorem"]["box"]["radii"]]


def a_smaller_box(data):
    radii(data, fmpq(1, 2**80))


def a_larger_box(data):
    radii(data, 2**70)


def another_middle(data):
    state = data["problem"]["states"]
    state["q - pi"] = str(fmpq(state["q - pi"]) + fmpq(1, 2**50))


def another_command(data):
    data["problem"]["states"]["u"] = "1/1000"


def another_inverse(data):
    rows = data["theorem"]["box"]["Y"]
    data["theorem"]["box"]["Y"] = [["0" for _ in row] for row in rows]


def another_gain(data):
    place = data["theorem"]["loop"]["commands"]["u"]
    data["problem"]["nodes"].append(["prod", "-1", [[place, 1]]])
    data["theorem"]["loop"]["commands"]["u"] = len(data["problem"]["nodes"]) - 1


def a_longer_hold(data):
    data["theorem"]["loop"]["hold"] = "1"


def a_state_held(data):
    data["theorem"]["box"]["held"] = ["u"]


def no_box(data):
    del data["theorem"]["box"]
    data["theorem"]["name"] = "loop that attracts"


def a_form_of_another_sign(data):
    data["theorem"]["P"] = [[str(-fmpq(c)) for c in row] for row in data["theorem"]["P"]]


@pytest.mark.parametrize(
    "change",
    [
        a_smaller_box,
        a_larger_box,
        another_middle,
        another_command,
        another_inverse,
        another_gain,
        a_longer_hold,
        a_state_held,
        no_box,
        a_form_of_another_sign,
    ],
)
def test_a_changed_file_of_a_rounded_law_is_refused(change):
    data = json.loads(rounded_pendulum()[3].to_json())
    del data["digest"]
    change(data)
    with pytest.raises(checker.Refusal) as told:
        checker.check(data | {"digest": checker.digest_of(data)})
    assert "digest" not in str(told.value)


# -- families of fixed points -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spinning():
    system, eq, law = ball()
    return gc.certify(system, eq, controller=law.sampled(rate=100))


def test_a_spherical_robot(spinning):
    """Upright it may spin at any rate: one multiplier is one, and the others lie inside."""
    assert spinning.verdict is STABLE
    assert "family of fixed points of dimension 1" in spinning.claim
    assert spinning.proof["problem"]["family"]["symbols"] == {"s1": "0"}
    assert confirmed(spinning)
    system, eq, law = ball()
    loop = gc.linearize_held(system, law.sampled(rate=100), eq)
    # In each upright plane (rate, wheel, lean): rolling has I + 2 m b r + m r^2, and m g b topples.
    inertia, topples, J = 0.03 + 2 * 3 * 0.02 * 0.15 + 3 * 0.15**2, 3 * 9.81 * 0.02, 0.004
    A = np.array([[0, 0, topples], [0, 0, -topples], [inertia - J, 0, 0]]) / (inertia - J)
    B = np.array([[-1 / (inertia - J)], [1 / J + 1 / (inertia - J)], [0]])
    S = scipy.linalg.solve_continuous_are(A, B, np.diag([0, 1e-4, 100]), np.array([[11.0]]))
    step = scipy.linalg.expm(np.block([[A, B], [np.zeros((1, 4))]]) / 100)
    plane = np.abs(np.linalg.eigvals(step[:3, :3] - step[:3, 3:] @ (B.T @ S / 11)))
    assert np.sort(np.abs(loop.multipliers)) == pytest.approx(np.sort([*plane, *plane, 1]), rel=1e-6)
    slow = gc.certify(system, eq, controller=law.sampled(rate=0.2))
    assert slow.verdict is gc.Verdict.PROVED_UNSTABLE


def symbol(problem, label, kind="state"):
    return problem["nodes"].index(["sym", label, kind])


def added(problem, *row):
    problem["nodes"].append(list(row))
    return len(problem["nodes"]) - 1


def another_state(problem):
    """A family along which the body turns over: the law does not hold that."""
    states = list(problem["states"])
    problem["family"]["states"][states.index("Omega1")] = symbol(problem, "s1", "family")


def not_through_the_point(problem):
    problem["family"]["symbols"]["s1"] = "1"


def no_manifold(problem):
    """The point alone."""
    states = list(problem["states"])
    problem["family"]["states"][states.index("Omega3")] = problem["family"]["states"][states.index("Omega1")]


def doubled(problem):
    """Two symbols for one direction."""
    place = added(problem, "sym", "s2", "family")
    problem["family"]["symbols"]["s2"] = "0"
    at = list(problem["states"]).index("Omega3")
    one = next(i for i, row in enumerate(problem["nodes"]) if row[0] in ("num", "number"))
    problem["family"]["states"][at] = added(
        problem, "sum", [[one, problem["family"]["states"][at]], [one, place]]
    )


def law_that_spins(problem):
    """A law that asks for a torque along the family."""
    label = next(iter(problem["held"]["commands"]))
    place = problem["held"]["commands"][label]
    row = copy.deepcopy(problem["nodes"][place])
    row[1].append([row[1][0][0], symbol(problem, "Omega3")])
    problem["held"]["commands"][label] = added(problem, *row)


def law_of_the_symbol(problem):
    label = next(iter(problem["held"]["commands"]))
    place = problem["held"]["commands"][label]
    row = copy.deepcopy(problem["nodes"][place])
    row[1].append([row[1][0][0], symbol(problem, "s1", "family")])
    problem["held"]["commands"][label] = added(problem, *row)


def rates(problem):
    """Members that move are no fixed points."""
    at = problem["family"]["states"][list(problem["states"]).index("Omega3")]
    problem["family"]["rates"] = [at]


FORGERIES = {
    another_state: "motions of the family are not proved",
    not_through_the_point: "does not go through the point",
    no_manifold: "tangents are dependent",
    doubled: "tangents are dependent",
    law_that_spins: "law is not proved to give the commands",
    law_of_the_symbol: "s1",
    rates: "motions of the family are not proved",
}


@pytest.mark.parametrize("change", FORGERIES)
def test_forged_families_are_refused(spinning, change):
    problem = copy.deepcopy(spinning.proof["problem"])
    decided(problem, **spinning.evidence)  # nothing is forged yet
    change(problem)
    with pytest.raises(checker.Refusal, match=FORGERIES[change]):
        decided(problem, **spinning.evidence)
