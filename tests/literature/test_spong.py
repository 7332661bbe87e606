"""M. W. Spong: the acrobot (1995) and, with P. Corke and R. Lozano, the reaction wheel pendulum (2001)."""

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import solve_continuous_are
from scipy.optimize import brentq

import geoctrl as gc
from tests.literature.thresholds import assert_flips, verdict
from tests.oracles.positions import Positions, t


@pytest.fixture(scope="module")
def acrobot():
    return gc.models.get("acrobot")()


@pytest.fixture(scope="module")
def wheel():
    return gc.models.get("inertia-wheel-pendulum")()


def unit(angle):
    return sp.Matrix([sp.sin(angle), sp.cos(angle)])


def test_the_acrobot_moves_as_two_links(acrobot):
    m1, m2, l1, c1, c2, I1, I2, g = (p.symbol for p in acrobot.parameters)
    tau = sp.Symbol("tau", real=True)
    q1, q2 = sp.Function("q1")(t), sp.Function("q2")(t)
    first, second = c1 * unit(q1), l1 * unit(q1) + c2 * unit(q1 + q2)
    kinetic = sum(m * p.diff(t).dot(p.diff(t)) / 2 for m, p in ((m1, first), (m2, second)))
    kinetic += I1 * q1.diff(t) ** 2 / 2 + I2 * (q1 + q2).diff(t) ** 2 / 2
    potential = g * (m1 * first[1] + m2 * second[1])
    system = acrobot.reduce()
    rng = np.random.default_rng(6)
    for _ in range(4):
        x, torque = system.random_state(rng), rng.normal()
        values = {p.symbol: p.default for p in acrobot.parameters} | {tau: torque}
        expected = Positions([q1, q2], kinetic, potential, values, [0, tau]).accelerations(x[2:], x[:2])
        assert system.rhs(0, x, [torque])[:2] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def linear(p):
    """A and B at the upright by hand, states (q1_dot, q2_dot, q1, q2)."""
    coupled = p["m2"] * p["l1"] * p["c2"]
    lower = p["I2"] + p["m2"] * p["c2"] ** 2
    mass = np.array(
        [
            [
                p["I1"] + p["m1"] * p["c1"] ** 2 + p["m2"] * p["l1"] ** 2 + lower + 2 * coupled,
                lower + coupled,
            ],
            [lower + coupled, lower],
        ]
    )
    pull = p["m2"] * p["g"] * p["c2"]
    weight = np.array([[(p["m1"] * p["c1"] + p["m2"] * p["l1"]) * p["g"] + pull, pull], [pull, pull]])
    inverse = np.linalg.inv(mass)
    A = np.block([[np.zeros((2, 2)), inverse @ weight], [np.eye(2), np.zeros((2, 2))]])
    return A, np.concatenate([inverse @ [0, 1], [0, 0]])[:, None]


def test_the_linearised_acrobot(acrobot):
    system = acrobot.reduce()
    A, B = linear(system.params)
    lin = gc.linearize(system, system.equilibrium("upright"))
    assert lin.A == pytest.approx(A, rel=1e-12, abs=1e-12)
    assert lin.B == pytest.approx(B, rel=1e-12, abs=1e-12)


def test_verdicts_of_the_acrobot(acrobot):
    system = acrobot.reduce()
    assert verdict(system, "upright") == "PROVED_UNSTABLE"
    assert gc.stability_conditions(system, "hanging").stable == [sp.true]
    assert verdict(system, "hanging").endswith("_STABLE")


def test_a_share_of_the_optimal_law_holds_the_acrobot(acrobot):
    """The share at which the last eigenvalue of A - s B K comes to the left half plane."""
    A, B = linear(acrobot.defaults)
    K = (B.T @ solve_continuous_are(A, B, np.diag([1.0, 1.0, 10.0, 10.0]), np.array([[0.5]]))).ravel() / 0.5
    share = gc.Parameter("share", 1.0, positive=True)
    q1, q2 = acrobot.shape
    K = [sp.Rational(str(round(k, 3))) for k in K]
    law = -share.symbol * sum(k * x for k, x in zip(K, (q1.rate, q2.rate, q1.symbol, q2.symbol), strict=True))
    closed = acrobot.replace(parameters=[*acrobot.parameters, share], feedback={"tau": law}).reduce()
    row = np.array([K], dtype=float)
    critical = brentq(lambda s: np.max(np.linalg.eigvals(A - s * B @ row).real), 0.05, 1.0, xtol=1e-14)
    assert_flips(closed, "upright", "share", critical, "PROVED_UNSTABLE", "PROVED_ASYMPTOTICALLY_STABLE")


# -- the pendulum with a wheel --------------------------------------------------------------------------


def test_the_wheel_moves_as_a_ring_on_a_pendulum(wheel):
    m, l, inertia, J, g = (p.symbol for p in wheel.parameters)  # noqa: E741
    u = sp.Symbol("u", real=True)
    phi, theta = sp.Function("phi")(t), sp.Function("theta")(t)
    spread = sp.sqrt((inertia - m * l**2) / m)  # two points of the pendulum, two of the wheel
    pendulum = [l * unit(phi) + s * spread * unit(phi + sp.pi / 2) for s in (-1, 1)]
    kinetic = sum(m / 2 * p.diff(t).dot(p.diff(t)) / 2 for p in pendulum)
    rim = sp.Symbol("rim", positive=True)  # the radius of a ring of the moment J cancels
    kinetic += sum(J / (2 * rim**2) * p.diff(t).dot(p.diff(t)) / 2 for p in (rim * unit(phi + theta),) * 2)
    potential = sum(m / 2 * g * p[1] for p in pendulum)
    system = wheel.reduce()
    rng = np.random.default_rng(7)
    for _ in range(4):
        x, torque = system.random_state(rng), 0.1 * rng.normal()
        values = {p.symbol: p.default for p in wheel.parameters} | {u: torque, rim: 0.05}
        oracle = Positions([phi, theta], kinetic, potential, values, [0, u])
        expected = oracle.accelerations([x[2], 0.4], x[:2])
        assert system.rhs(0, x, [torque])[:2] == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_a_law_of_the_wheel_holds_the_pendulum_from_gain_one_on(wheel):
    m, l, inertia, _, g = (p.symbol for p in wheel.parameters)  # noqa: E741
    k = gc.Parameter("k", 1.5, positive=True)
    (phi,), weight = wheel.shape, m * g * l
    closed = wheel.replace(
        parameters=[*wheel.parameters, k],
        feedback={"u_theta": k.symbol * weight * sp.sin(phi.symbol)},
        invariants={
            "kept": (1 - k.symbol) * wheel.invariants["wheel"] - k.symbol * inertia * phi.rate,
            "amended": inertia * phi.rate**2 / 2 + (1 - k.symbol) * weight * sp.cos(phi.symbol),
        },
    ).reduce()
    assert {"kept", "amended"} <= set(closed.conserved())
    assert_flips(closed, "upright", "k", 1.0, "PROVED_UNSTABLE", "PROVED_STABLE")


def test_matching_finds_the_gains_of_the_wheel(wheel):
    """Controlled Lagrangians hold the pendulum for -J^2/I < sigma < 0."""
    design = gc.match(wheel).design_sigma("upright")
    p = wheel.defaults
    bound = -(p["J"] ** 2) / p["I"]
    inside = [bool(design.contains(sigma=bound * f)) for f in (0.999, 1.001, -0.001)]
    assert inside == [True, False, False]


def test_verdicts_of_the_free_wheel(wheel):
    system = wheel.reduce()
    assert verdict(system, "upright") == "PROVED_UNSTABLE"
    assert verdict(system, "hanging").endswith("_STABLE")
