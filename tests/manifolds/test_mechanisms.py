"""Mechanisms on products against simulations with constraint forces, which know no product."""

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import geoctrl as gc
from geoctrl.manifolds import mechanisms
from tests.oracles import mechanisms as oracles
from tests.oracles.test_constraint_forces import E1, E2, E3, J1, J2, attitude, direction, place, pull, wrench

G = np.array([0.0, 0.0, -9.81])
TIMES = np.linspace(0.0, 2.0, 5)
AGREEMENT = 1e-9
"""Both take steps of 1e-13 or better; two seconds amplify errors a hundred to a thousand times."""
ORBIT = 0.9
T = gc.time
PULL = [0.3 * sp.sin(2 * T), 0.2 * sp.cos(3 * T), sp.Rational(1, 10)]
WRENCH = [0.01 * sp.cos(T), -0.02 * sp.sin(2 * T), sp.Float(0.015)]
"""What `pull` and `wrench` are, in expressions."""


def quadrotor(rng):
    arm, masses, lengths = (0.02, 0.01, -0.05), (0.1, 0.2), (0.5, 0.4)
    system = mechanisms.quadrotor_with_cable(2, 0.8, J1, masses, lengths, arm)
    oracle = oracles.quadrotor_with_cable(0.8, J1, arm, masses, lengths, G, lambda t: 10 + np.sin(t), wrench)
    start = {"x": place(rng), "R": attitude(rng), "q1": direction(rng), "q2": direction(rng)}
    return system, oracle, start, [10 + sp.sin(T), *WRENCH]


def cart(rng, axes, normals):
    system = mechanisms.chain_on_cart(2, 1.3, (0.3, 0.2), (0.4, 0.6), axes)
    oracle = oracles.chain_on_cart(1.3, (0.3, 0.2), (0.4, 0.6), normals, G, pull)
    start = {"x": place(rng, np.sum(axes, axis=0)), "q1": direction(rng), "q2": direction(rng)}
    return system, oracle, start, PULL[: len(axes)]


def body_on_cart(rng):
    system = mechanisms.pendulum_on_cart(1.1, 0.7, J2, (0.05, 0.1, -0.3))
    oracle = oracles.pendulum_on_cart(1.1, 0.7, J2, (0.05, 0.1, -0.3), (E3,), G, pull)
    return system, oracle, {"x": place(rng, E1 + E2), "R": attitude(rng)}, PULL[:2]


def puck(rng):
    system = mechanisms.pendulum_on_puck(0.3, 0.4, 0.8)
    oracle = oracles.chain_on_cart(0.8, (0.3,), (0.4,), (E3,), G, pull)
    return system, oracle, {"x": place(rng, E1 + E2), "q1": direction(rng)}, PULL[:2]


def joint(rng):
    arms = (0.1, 0.05, 0.2), (-0.1, 0.15, -0.2)
    system = mechanisms.bodies_with_joint((0.7, 0.9), (J1, J2), arms)
    oracle = oracles.bodies_with_joint((0.7, 0.9), (J1, J2), arms, wrench)
    return system, oracle, {"x": place(rng), "R1": attitude(rng), "R2": attitude(rng)}, WRENCH


MECHANISMS = {
    "quadrotor": quadrotor,
    "cart in a line": lambda rng: cart(rng, (E1,), (E2, E3)),
    "cart in a plane": lambda rng: cart(rng, (E1, E2), (E3,)),
    "body on a cart": body_on_cart,
    "puck": puck,
    "joint": joint,
}


def same(one, other, error):
    for key, pair in one.items():
        for a, b in zip(pair, other[key], strict=True):
            np.testing.assert_allclose(a, b, atol=error, err_msg=key)


@pytest.mark.parametrize("name", MECHANISMS)
def test_motion_under_inputs_is_that_of_constraint_forces(name):
    system, oracle, start, u = MECHANISMS[name](np.random.default_rng(7))
    inputs = dict(zip(system.input_labels, u, strict=True))
    run = gc.simulate(system, TIMES, start, inputs=inputs, engine="heyoka")
    expected = oracle.simulate(start, TIMES)
    for column, state in zip(run.states.T, expected, strict=True):
        same(system.unpack(column), state, AGREEMENT)


def in_space(start, t):
    """The state of a product in the turning axes, in those of the orbit seen from space for the oracle."""
    relative = {}
    w = np.array([0.0, ORBIT, 0.0])
    for name, (a, b) in start.items():
        if name == "x":
            relative[name] = a, b - np.cross(w, a)
        elif name.startswith("R"):
            relative[name] = a, b
        else:
            turn = b - w
            relative[name] = a, turn - (turn @ a) * a
    return oracles.out_of_orbit(relative, t, ORBIT)


@pytest.mark.parametrize("rigid", [False, True], ids=["points", "bodies"])
def test_tethered_satellites_move_as_in_axes_that_do_not_turn(rigid):
    rng = np.random.default_rng(7)
    arms = ((0.1, 0.0, 0.2), (0.0, 0.1, -0.15)) if rigid else ((0.0,) * 3,) * 2
    inertias = (J1, J2) if rigid else None
    system = mechanisms.tethered_satellites(2, (0.9, 0.6), 0.3, (1.2, 0.8), inertias, arms, ORBIT)
    oracle = oracles.tethered_satellites(
        (0.9, 0.6), inertias or (None, None), arms, (0.3,), (1.2, 0.8), ORBIT
    )
    start = {"x": place(rng), "q1": direction(rng, 0.5), "q2": direction(rng, 0.5)}
    start |= {"R1": attitude(rng), "R2": attitude(rng)} if rigid else {}
    run = gc.simulate(system, TIMES, start, engine="heyoka")
    expected = oracle.simulate(in_space(start, 0.0), TIMES)
    for t, column, state in zip(TIMES, run.states.T, expected, strict=True):
        same(in_space(system.unpack(column), t), state, AGREEMENT)


def test_a_wrong_arm_is_noticed():
    """The negative control: the cable fixed a millimetre beside."""
    _, oracle, start, u = quadrotor(np.random.default_rng(7))
    system = mechanisms.quadrotor_with_cable(2, 0.8, J1, (0.1, 0.2), (0.5, 0.4), (0.021, 0.01, -0.05))
    inputs = dict(zip(system.input_labels, u, strict=True))
    end = gc.simulate(system, TIMES[:2], start, inputs=inputs, engine="heyoka").states[:, -1]
    expected = oracle.simulate(start, TIMES[:2])[-1]
    assert np.abs(system.unpack(end)["R"][0] - expected["R"][0]).max() > 1e-4


# -- families ---------------------------------------------------------------------------------------

TURNED_OVER = Rotation.from_rotvec([np.pi, 0, 0]).as_matrix()


def test_hover_carries_the_whole_weight_anywhere():
    system = mechanisms.quadrotor_with_cable(3, 0.7, J1, 0.1, 0.3)
    eq = system.equilibrium("hover", x0=1.0, y0=-2.0, z0=3.0)
    np.testing.assert_allclose(system.unpack(eq.x)["x"][0], [1, -2, 3])
    assert eq.u == pytest.approx([9.81, 0, 0, 0])  # 0.7 kg and three masses of 0.1 kg
    one = mechanisms.quadrotor_with_cable(1, 0.7, J1, 0.3, 0.5)
    found = gc.linearize(one, one.equilibrium("hover", x0=0, y0=0, z0=0)).eigenvalues
    # The load swings with w^2 = (1 + m/M) g/l, in two directions; all else drifts.
    assert np.sort(found.imag)[-2:] == pytest.approx(np.sqrt(1.0 / 0.7 * 9.81 / 0.5), abs=1e-6)


@pytest.mark.parametrize(
    "build", [mechanisms.chain_on_cart, mechanisms.pendulum_on_cart, mechanisms.pendulum_on_puck]
)
def test_hanging_swings_and_standing_falls(build):
    system = build()
    # Zero is a double eigenvalue, of the cart and of turns about the vertical: found to the root of rounding.
    assert gc.linearize(system, system.equilibrium("hanging")).eigenvalues.real.max() < 1e-6
    assert gc.certify(system, system.equilibrium("standing")).verdict is gc.Verdict.PROVED_UNSTABLE


def test_hanging_and_standing_follow_the_arm_and_the_axes():
    above = mechanisms.pendulum_on_cart(rho=(0.0, 0.0, 0.3))
    np.testing.assert_allclose(above.unpack(above.equilibrium("hanging").x)["R"][0], TURNED_OVER, atol=1e-15)
    assert mechanisms.pendulum_on_cart(rho=(0.1, 0.0, 0.3)).families == {}
    assert mechanisms.chain_on_cart(axes=[[0.6, 0.0, 0.8]]).families == {}  # the cart would run down


def test_a_dumbbell_in_orbit():
    """Along the radius it librates with sqrt(3) n and 2 n; along the track it falls with sqrt(3) n."""
    system = mechanisms.tethered_satellites(rate=ORBIT)
    radial = gc.linearize(system, system.equilibrium("radial")).eigenvalues
    for frequency in (np.sqrt(3), 2):
        assert np.abs(radial - 1j * frequency * ORBIT).min() < 1e-6
    track = gc.linearize(system, system.equilibrium("along-track")).eigenvalues
    assert np.abs(track - np.sqrt(3) * ORBIT).min() < 1e-6


def test_bodies_along_the_radius():
    arms = ((0, 0, 0.3), (0, 0, -0.2))
    system = mechanisms.tethered_satellites(
        2, (0.9, 0.6), 0.3, 0.8, ((0.2, 0.3, 0.1), (0.1, 0.2, 0.05)), arms, ORBIT
    )
    eq = system.equilibrium("radial")
    assert eq.residual < 1e-14
    assert gc.linearize(system, eq).eigenvalues.real.max() < 1e-5
    assert mechanisms.tethered_satellites(inertias=(J1, J2)).families == {}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mechanisms.quadrotor_with_cable(links=0), "links"),
        (
            lambda: mechanisms.quadrotor_with_cable(links=10**53),
            "links must be a whole number from 1 to 1000",
        ),
        (lambda: mechanisms.quadrotor_with_cable(links=2, link_masses=[1.0, 2.0, 3.0]), "link_masses"),
        (lambda: mechanisms.chain_on_cart(cart=-1.0), "cart"),
        (lambda: mechanisms.chain_on_cart(axes=[[1, 0, 0], [1, 1, 0]]), "axes"),
        (lambda: mechanisms.pendulum_on_cart(inertia=[1.0, -1.0, 1.0]), "inertia"),
        (lambda: mechanisms.bodies_with_joint(inertias=[[1, 1, 1]]), "inertias"),
        (lambda: mechanisms.tethered_satellites(arms=[[0, 0, 1], [0, 0, 0]]), "arms need inertias"),
        (lambda: mechanisms.tethered_satellites(rate=0.0), "rate"),
    ],
)
def test_bad_data_is_refused_in_words(call, words):
    with pytest.raises(gc.GeoctrlError, match=words):
        call()
