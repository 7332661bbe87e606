"""Loops with a hold at points with roots and exact angles, and on families of fixed points."""

import copy
import json

import numpy as np
import pytest
import scipy.linalg
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from geoctrl.sampling import Feedback, SampledController
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


def test_laws_and_points_in_doubles_are_refused_with_what_to_do():
    """A rounded law does not hold the point; a root of no known kind is no point for a proof."""
    system = pendulum()
    eq = system.equilibrium("up")
    rounded = SampledController(Feedback(gc.lqr(system, eq).computed), rate=100)
    assert gc.linearize_held(system, rounded, eq).stable
    with pytest.raises(gc.CertificateError, match=r"does not give the commands.*u_e - K \(x - x_e\)") as told:
        gc.certify(system, eq, controller=rounded)
    assert told.value.__cause__ is None
    q = gc.Coordinate("q", angle=True)
    leaning = system.mechanism.replace(potential=-10 * sp.cos(q.symbol) + q.symbol**2 / 3).reduce()
    point = gc.find_equilibrium(leaning, [0, 2.5])
    with pytest.raises(gc.CertificateError, match="member of a declared family") as told:
        gc.certify(leaning, point, controller=gc.lqr(leaning, point).sampled(rate=100))
    assert told.value.__cause__ is None


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
