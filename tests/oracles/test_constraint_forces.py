"""The simulations with constraint forces against balances, closed forms and each other."""

import numpy as np
import pytest
from scipy.integrate import quad_vec
from scipy.spatial.transform import Rotation
from scipy.special import ellipk

from tests.oracles import mechanisms
from tests.oracles.constraint_forces import Ball, Bodies, Held, Point, Rod, State

G = np.array([0.0, 0.0, -9.81])
J1 = np.array([[0.021, 0.003, -0.002], [0.003, 0.034, 0.004], [-0.002, 0.004, 0.042]])
J2 = np.array([[0.05, -0.004, 0.006], [-0.004, 0.031, 0.002], [0.006, 0.002, 0.043]])
E1, E2, E3 = np.eye(3)

# Constraints open between two projections, by a few steps of 1e-13.
DRIFT = 1e-11


def direction(rng, spin=2.0):
    q = rng.normal(size=3)
    q /= np.linalg.norm(q)
    return q, np.cross(q, spin * rng.normal(size=3))


def attitude(rng, spin=2.0):
    return Rotation.random(rng=rng).as_matrix(), spin * rng.normal(size=3)


def place(rng, axes=(1, 1, 1)):
    return rng.normal(size=3) * axes, rng.normal(size=3) * axes


def pull(t):
    return np.array([0.3 * np.sin(2 * t), 0.2 * np.cos(3 * t), 0.1])


def wrench(t):
    return np.array([0.01 * np.cos(t), -0.02 * np.sin(2 * t), 0.015])


def same(one, other, error=1e-14):
    """That two dicts of pairs agree."""
    assert one.keys() == other.keys()
    for key, pair in one.items():
        for a, b in zip(pair, other[key], strict=True):
            np.testing.assert_allclose(a, b, atol=error, err_msg=key)


def drawn(name):
    """A mechanism and an initial state; the oracles of all builders occur."""
    rng = np.random.default_rng(7)
    start = {"x": place(rng)}
    if name == "quadrotor":
        start |= {"R": attitude(rng), "q1": direction(rng), "q2": direction(rng)}
        mechanism = mechanisms.quadrotor_with_cable(
            0.8, J1, (0.02, 0.01, -0.05), (0.1, 0.2), (0.5, 0.4), G, lambda t: 10 + np.sin(t), wrench
        )
    elif name in ("cart in a line", "cart in a plane"):
        normals, axes = ((E2, E3), E1) if name.endswith("line") else ((E3,), E1 + E2)
        start |= {"x": place(rng, axes), "q1": direction(rng), "q2": direction(rng)}
        mechanism = mechanisms.chain_on_cart(1.3, (0.3, 0.2), (0.4, 0.6), normals, G, pull)
    elif name == "body on a cart":
        start |= {"x": place(rng, E1 + E2), "R": attitude(rng)}
        mechanism = mechanisms.pendulum_on_cart(1.1, 0.7, J2, (0.05, 0.1, -0.3), (E3,), G, pull)
    elif name == "joint":
        start |= {"R1": attitude(rng), "R2": attitude(rng)}
        arms = (0.1, 0.05, 0.2), (-0.1, 0.15, -0.2)
        mechanism = mechanisms.bodies_with_joint((0.7, 0.9), (J1, J2), arms, wrench)
    else:
        ends = (None, None) if name == "tether between points" else (J1, J2)
        arms = ((0,) * 3,) * 2 if ends[0] is None else ((0.1, 0.0, 0.2), (0.0, 0.1, -0.15))
        start |= {} if ends[0] is None else {"R1": attitude(rng), "R2": attitude(rng)}
        start |= {"q1": direction(rng, 0.5), "q2": direction(rng, 0.5)}
        mechanism = mechanisms.tethered_satellites((0.9, 0.6), ends, arms, (0.3,), (1.2, 0.8), 0.9)
    return mechanism, start


NAMES = [
    "quadrotor",
    "cart in a line",
    "cart in a plane",
    "body on a cart",
    "joint",
    "tether between points",
    "tether between bodies",
]


@pytest.mark.parametrize("name", NAMES)
def test_constraints_hold_and_states_go_both_ways(name):
    mechanism, start = drawn(name)
    placed = mechanism.placed(start)
    assert mechanism.bodies.defect(placed) < 1e-14
    same(mechanism.described(placed), start)
    mechanism.simulate(start, np.linspace(0.0, 1.0, 3))
    assert mechanism.bodies.drift < DRIFT


@pytest.mark.parametrize("name", NAMES)
def test_the_loads_do_the_work(name):
    """Forces of constraints do none: the kinetic energy changes by the work of the loads, by quadrature."""
    mechanism, start = drawn(name)
    bodies, times = mechanism.bodies, np.linspace(0.0, 0.5, 201)
    states = bodies.simulate(mechanism.placed(start), times)
    power = np.array([bodies.power(t, s) for t, s in zip(times, states, strict=True)])
    weights = np.full(201, 2.0)
    weights[1::2], weights[[0, -1]] = 4.0, 1.0
    work = times[1] / 3 * weights @ power
    gained = bodies.kinetic(states[-1]) - bodies.kinetic(states[0])
    # Simpson's rule: h^4/180 of the fourth derivative of the power, some 1e4 here.
    assert abs(work - gained) < 1e-7 * max(1.0, np.abs(power).max())


@pytest.mark.parametrize("name", NAMES)
def test_accelerations_change_the_energy_by_the_power(name):
    mechanism, start = drawn(name)
    bodies, state = mechanism.bodies, mechanism.placed(start)
    a, b = bodies.accelerations(0.3, state)
    spins = np.einsum("bij,bj->bi", bodies.inertias, state.W)
    rate = np.sum(bodies.masses[:, None] * state.v * a) + np.sum(spins * b)
    assert rate == pytest.approx(bodies.power(0.3, state), abs=1e-12)


def opening(bodies, state, a, b, h=1e-4):
    """Rate at which the rates of the constraints grow under accelerations, by a central difference."""
    rates = []
    for step in (h, -h):
        turn = Rotation.from_rotvec(step * state.W + step**2 / 2 * b).as_matrix()
        x = state.x + step * state.v + step**2 / 2 * a
        moved = type(state)(x, state.R @ turn, state.v + step * a, state.W + step * b)
        _, J, _ = bodies.rows(moved)
        rates.append(J @ np.hstack([moved.v, moved.W]).ravel())
    return np.abs(rates[0] - rates[1]).max() / (2 * h)


@pytest.mark.parametrize("name", NAMES)
def test_accelerations_keep_the_constraints(name):
    mechanism, start = drawn(name)
    state = mechanism.placed(start)
    # Second order in h = 1e-4, of motions at some ten radians a second: 1e-8 times a thousand.
    assert opening(mechanism.bodies, state, *mechanism.bodies.accelerations(0.3, state)) < 1e-4


def test_a_forgotten_term_opens_the_joint():
    """The negative control: without R (W x (W x c)) in the accelerations of points the joint opens."""

    class Forgetful(State):
        def point(self, point):
            x, v, _, J = super().point(point)
            return x, v, np.zeros(3), J

    mechanism, start = drawn("joint")
    state = mechanism.placed(start)
    wrong = mechanism.bodies.accelerations(0.3, Forgetful(*state))
    assert opening(mechanism.bodies, state, *wrong) > 0.1


def test_free_bodies_keep_their_momenta():
    mechanism, start = drawn("joint")
    free = Bodies(
        mechanism.bodies.masses,
        mechanism.bodies.inertias,
        mechanism.bodies.constraints,
        lambda t, s: (0 * s.x, 0 * s.x),
    )
    first, last = free.simulate(mechanism.placed(start), [0.0, 2.0])
    for quantity in (free.kinetic, free.linear_momentum, free.angular_momentum):
        np.testing.assert_allclose(quantity(last), quantity(first), atol=1e-11)  # twenty pieces at 1e-13


@pytest.mark.long(reason="accelerations change the energy by the power, for the cart too, beside it")
def test_momentum_along_the_line_changes_by_the_force():
    mechanism, start = drawn("cart in a line")
    first, last = mechanism.bodies.simulate(mechanism.placed(start), [0.0, 1.3])
    change = mechanism.bodies.linear_momentum(last) - mechanism.bodies.linear_momentum(first)
    assert change[0] == pytest.approx(quad_vec(pull, 0.0, 1.3)[0][0], abs=1e-11)
    assert abs(change[1]) > 1e-2  # what the rail pushes sideways


def test_period_of_a_pendulum():
    """A rod of length l swings with the period 4 sqrt(l/g) K(sin(a/2)^2); so does a body with l = I/(m d)."""
    a, length = 1.1, 0.7
    period = 4 * np.sqrt(length / 9.81) * ellipk(np.sin(a / 2) ** 2)
    x = length * np.array([[np.sin(a), 0.0, -np.cos(a)]])
    zero = np.zeros((1, 3))
    point = Bodies([0.4], [None], [Rod(Point(0), Point(None), length)], lambda t, s: (0.4 * G[None], zero))
    start = State(x, np.eye(3)[None], zero, zero)
    np.testing.assert_allclose(point.simulate(start, [0.0, period])[-1].x, x, atol=1e-11)

    d, mass = 0.25, 1.7
    about = J2[1, 1] + mass * d**2
    axis = np.diag([J2[0, 0], J2[1, 1], J2[2, 2]])
    period = 4 * np.sqrt(about / (mass * 9.81 * d)) * ellipk(np.sin(a / 2) ** 2)
    R = Rotation.from_rotvec([0.0, -a, 0.0]).as_matrix()[None]
    hinge = Ball(Point(0, (0.0, 0.0, d)), Point(None))
    body = Bodies([mass], [axis], [hinge], lambda t, s: (mass * G[None], zero))
    start = State(-d * R[:, :, 2], R, zero, zero)
    np.testing.assert_allclose(body.simulate(start, [0.0, period])[-1].R, R, atol=1e-11)


def test_precession_of_a_top():
    """Steady precession at the rate p, axis at the angle a: I3 (s + p cos a) p - I1 p^2 cos a = m g d."""
    a, p, d, mass, inertia1, inertia3 = 0.6, 1.9, 0.2, 0.8, 0.03, 0.02
    pivot1 = inertia1 + mass * d**2
    s = (mass * 9.81 * d / p + pivot1 * p * np.cos(a)) / inertia3 - p * np.cos(a)
    R = Rotation.from_rotvec([0.0, a, 0.0]).as_matrix()
    W = R.T @ (p * E3) + s * E3
    zero = np.zeros((1, 3))
    top = Bodies(
        [mass],
        [np.diag([inertia1, inertia1, inertia3])],
        [Ball(Point(0, (0.0, 0.0, -d)), Point(None))],
        lambda t, state: (mass * G[None], zero),
    )
    start = State(d * R[None, :, 2], R[None], d * np.cross(p * E3, R[:, 2])[None], W[None])
    last = top.simulate(start, [0.0, 1.5])[-1]
    turned = Rotation.from_rotvec([0.0, 0.0, 1.5 * p]).as_matrix()
    np.testing.assert_allclose(last.x[0], turned @ start.x[0], atol=1e-11)


SMALL = 1e-6


def small_motion(mechanism, start, name, component, frequency, fixed=1e-11):
    """After half a period of a small oscillation its amplitude has the opposite sign."""
    last = mechanism.simulate(start, [0.0, np.pi / frequency])[-1]
    assert last[name][0][component] == pytest.approx(-start[name][0][component], abs=fixed)


@pytest.mark.parametrize("normals", [(E2, E3), (E3,)])
def test_frequency_of_a_pendulum_on_a_cart(normals):
    """w^2 = (1 + m/M) g/l; the motion is nonlinear in third order, 1e-18."""
    mechanism = mechanisms.chain_on_cart(1.3, (0.4,), (0.6,), normals, G)
    q = np.array([SMALL, 0.0, -1.0])
    start = {"x": (np.zeros(3), np.zeros(3)), "q1": (q / np.linalg.norm(q), np.zeros(3))}
    # The linear momentum is zero: the cart goes back as the link goes forth.
    small_motion(mechanism, start, "q1", 0, np.sqrt((1 + 0.4 / 1.3) * 9.81 / 0.6))


def test_frequency_of_a_load_under_a_hovering_quadrotor():
    mechanism = mechanisms.quadrotor_with_cable(
        0.8, J1, (0.0, 0.0, 0.0), (0.3,), (0.5,), G, lambda t: 1.1 * 9.81
    )
    q = np.array([0.0, SMALL, -1.0])
    rest = np.zeros(3)
    start = {"x": (rest, rest), "R": (np.eye(3), rest), "q1": (q / np.linalg.norm(q), rest)}
    small_motion(mechanism, start, "q1", 1, np.sqrt(1.1 / 0.8 * 9.81 / 0.5))


def test_frequencies_of_a_dumbbell_in_orbit():
    """A taut tether along the radius librates with sqrt(3) n in the orbit's plane, 2 n across."""
    n = 0.9
    mechanism = mechanisms.tethered_satellites((0.9, 0.6), (None, None), ((0,) * 3,) * 2, (), (1.5,), n)
    rest, w = np.zeros(3), np.array([0.0, n, 0.0])
    for component, frequency in ((0, np.sqrt(3)), (1, 2)):
        q = SMALL * np.eye(3)[component] + E3
        q /= np.linalg.norm(q)
        x = -1.5 * 0.6 / 1.5 * q  # the centre of mass stays on the orbit
        start = {"x": (x, rest), "q1": (q, 0 * w)}
        end = np.pi / (frequency * n)
        last = mechanism.simulate(mechanisms.out_of_orbit(start, 0.0, n), [0.0, end])[-1]
        there = mechanisms.in_orbit(last, end, n)
        # Second order: in the plane and across are coupled by the square of the amplitude.
        assert there["q1"][0][component] == pytest.approx(-SMALL, abs=1e-11)


@pytest.mark.long(reason="manifolds/test_mechanisms.py compares a dumbbell in orbit with these loads")
def test_a_body_in_orbit_feels_the_gravity_gradient():
    """Three points on three rods turn as the rigid body of their moments does."""
    n, masses = 0.7, np.array([0.9, 0.6, 0.4])
    arms = np.array([[0.5, 0.1, 0.2], [-0.4, 0.6, -0.1], [0.3, -0.7, 0.6]])
    arms -= masses @ arms / masses.sum()
    inertia = sum(m * (c @ c * np.eye(3) - np.outer(c, c)) for m, c in zip(masses, arms, strict=True))
    R = Rotation.from_rotvec([0.4, -0.8, 0.3]).as_matrix()
    W = np.array([0.3, 0.5, -0.4])
    rest, upright = np.zeros((1, 3)), np.tile(np.eye(3), (3, 1, 1))

    body = Bodies([masses.sum()], [inertia], [], mechanisms.orbital_load([masses.sum()], [inertia], n))
    last = body.simulate(State(rest, R[None], rest, W[None]), [0.0, 3.0])[-1]

    pairs = ((0, 1), (1, 2), (2, 0))
    rods = [Rod(Point(a), Point(b), np.linalg.norm(arms[a] - arms[b])) for a, b in pairs]
    points = Bodies(masses, [None] * 3, rods, mechanisms.orbital_load(masses, [None] * 3, n))
    start = State(arms @ R.T, upright, np.cross(W, arms) @ R.T, np.zeros((3, 3)))
    np.testing.assert_allclose(points.simulate(start, [0.0, 3.0])[-1].x, arms @ last.R[0].T, atol=1e-11)


def test_ways_into_the_orbit_are_inverse():
    rng = np.random.default_rng(3)
    given = {"x": place(rng), "R1": attitude(rng), "q1": direction(rng)}
    back = mechanisms.in_orbit(mechanisms.out_of_orbit(given, 1.3, 0.8), 1.3, 0.8)
    same(back, given)


def test_a_point_held_to_a_line_stays_there():
    held = Bodies(
        [2.0], [None], [Held(Point(0), (E2, E3))], lambda t, s: (np.array([[1.0, 5.0, -3.0]]), 0 * s.x)
    )
    start = State(np.zeros((1, 3)), np.eye(3)[None], np.zeros((1, 3)), np.zeros((1, 3)))
    last = held.simulate(start, [0.0, 2.0])[-1]
    np.testing.assert_allclose(last.x, [[1.0, 0.0, 0.0]], atol=1e-13)
