"""J. Hauser, S. Sastry and P. Kokotovic (1992): the ball and beam."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature.thresholds import assert_flips, verdict
from tests.oracles.positions import Positions, t


@pytest.fixture(scope="module")
def mechanism():
    return gc.models.get("ball-and-beam")()


def test_the_printed_equations(mechanism):
    # (J_b/R^2 + M) rddot + M g sin(theta) - M r thetadot^2 = 0,
    # (M r^2 + J + J_b) thetaddot + 2 M r rdot thetadot + M g r cos(theta) = tau
    system, p = mechanism.reduce(), mechanism.defaults
    rng = np.random.default_rng(4)
    for _ in range(5):
        (v, w, r, theta), tau = system.random_state(rng), rng.normal()
        first = (p["M"] * r * w**2 - p["M"] * p["g"] * np.sin(theta)) / (p["J_b"] / p["R"] ** 2 + p["M"])
        second = tau - 2 * p["M"] * r * v * w - p["M"] * p["g"] * r * np.cos(theta)
        second /= p["M"] * r**2 + p["J"] + p["J_b"]
        found = system.rhs(0, [v, w, r, theta], [tau])
        assert found == pytest.approx([first, second, v, w], rel=1e-12, abs=1e-12)


def test_it_moves_as_a_ball_on_a_line(mechanism):
    M, R, J_b, J, g = (p.symbol for p in mechanism.parameters)
    tau = sp.Symbol("tau", real=True)
    r, theta = sp.Function("r")(t), sp.Function("theta")(t)
    ball = r * sp.Matrix([sp.cos(theta), sp.sin(theta)])
    turning = J_b * ((r.diff(t) / R) ** 2 + theta.diff(t) ** 2) + J * theta.diff(t) ** 2
    kinetic = (M * ball.diff(t).dot(ball.diff(t)) + turning) / 2
    system = mechanism.reduce()
    rng = np.random.default_rng(5)
    for _ in range(4):
        x, torque = system.random_state(rng), rng.normal()
        values = {p.symbol: p.default for p in mechanism.parameters} | {tau: torque}
        oracle = Positions([r, theta], kinetic, M * g * ball[1], values, [0, tau])
        expected = oracle.accelerations(x[2:], x[:2])
        assert system.rhs(0, x, [torque])[:2] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_level_falls_off_with_two_real_and_two_imaginary_eigenvalues(mechanism):
    # (M + J_b/R^2)(J + J_b) s^4 = (M g)^2
    system, p = mechanism.reduce(), mechanism.defaults
    root = (p["M"] * p["g"]) ** 2 / ((p["M"] + p["J_b"] / p["R"] ** 2) * (p["J"] + p["J_b"]))
    lin = gc.linearize(system, system.equilibrium("level", r0=0.0))
    assert lin.eigenvalues**4 == pytest.approx(np.full(4, root), rel=1e-10)
    assert verdict(system, "level", r0=0.0) == "PROVED_UNSTABLE"
    assert verdict(system, "level", r0=0.25) == "PROVED_UNSTABLE"


def test_a_linear_law_holds_the_ball_inside_the_bounds_of_routh(mechanism):
    M, *_, g = (p.symbol for p in mechanism.parameters)
    a0 = gc.Parameter("a0", 0.1)
    r, theta = mechanism.shape
    slow, damp, turn = 0.15, 0.8, 0.3  # a1, a2, a3
    law = M * g * r.symbol + a0.symbol * r.symbol + slow * r.rate - damp * theta.symbol - turn * theta.rate
    level = {"level": gc.Family({})}
    closed = mechanism.replace(
        parameters=[*mechanism.parameters, a0], feedback={"tau": law}, equilibria=level
    ).reduce()
    p = mechanism.defaults
    rolling, beam = p["M"] + p["J_b"] / p["R"] ** 2, p["J"] + p["J_b"]
    lift = p["M"] * p["g"] / (rolling * beam)
    b3, b2, b1 = turn / beam, damp / beam, lift * slow
    critical = (b3 * b2 * b1 - b1**2) / b3**2 / lift
    assert_flips(closed, "level", "a0", critical, "PROVED_ASYMPTOTICALLY_STABLE", "PROVED_UNSTABLE")
    assert verdict(closed, "level", params={"a0": -1e-6}) == "PROVED_UNSTABLE"
