"""Potentials and inertias of the positions that are given, besides those of the class."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.analysis.invariants.orbit_points import exact_configurations
from geoctrl.errors import MatchingError
from tests.synthesis.test_shaped import apart

pytestmark = pytest.mark.filterwarnings("ignore:.*these gains hold no family")

z, z1, z2 = sp.symbols("z z1 z2", real=True)
GAINS = {"kappa": 20, "rho": -0.02, "K": -0.6}
STABLE, UNSTABLE = gc.Verdict.PROVED_STABLE, gc.Verdict.PROVED_UNSTABLE


@pytest.fixture(scope="module")
def cart():
    return gc.match(gc.models.get("cart-pendulum")(), shaping="both")


def verdict(law, family="upright"):
    return gc.certify(law.loop, law.loop.equilibrium(family)).verdict


@pytest.mark.parametrize(
    ("name", "potential", "gains"),
    [
        ("cart-pendulum", sp.Rational(-3, 10) * z**4 - z**2 / 5, GAINS),
        ("cart-pendulum", sp.cos(z) / 3, GAINS),
        ("spherical-pendulum-on-puck", -z1 * z2 / 7 - (z1**2 + 2 * z2**2) ** 2, GAINS),
        ("ball-and-beam", z**4 + sp.cosh(z), {"p": 1.3, "m22": 9.0, "K": 0.4}),
        ("furuta-pendulum", sp.exp(-(z**2)), {"delta": 0.001, "m22": -0.01, "K": -0.1}),
    ],
)
def test_the_plant_moves_in_the_potential_that_is_given(name, potential, gains):
    matching = gc.match(gc.models.get(name)(), shaping="both")
    law = matching.law(**gains, potential=potential)
    assert apart(law) < 1e-12
    x = law.loop.random_state(np.random.default_rng(2))
    assert law(0.0, x) != pytest.approx(matching.law(**gains)(0.0, x), rel=1e-6)


@pytest.mark.parametrize(
    ("name", "inertia", "gains"),
    [
        ("cart-pendulum", -(1 + z**2) / 50, GAINS),
        (
            "spherical-pendulum-on-puck",
            [[-(z1**2) / 50, z1 * z2 / 90], [z1 * z2 / 90, sp.Rational(-1, 90)]],
            GAINS,
        ),
        ("ball-and-beam", 1 + z**2 / 3, {"p": 1.3, "m22": 9.0, "K": 0.4}),
        ("furuta-pendulum", -sp.cosh(z) / 9, {"delta": 0.001, "m22": -0.01, "K": -0.1}),
    ],
)
def test_the_plant_moves_with_the_inertia_that_is_given(name, inertia, gains):
    matching = gc.match(gc.models.get(name)(), shaping="both")
    quartic = -(sum(e**4 for e in matching.positions.values()) if name == "cart-pendulum" else 0)
    law = matching.law(**gains, potential=quartic, inertia=inertia)
    assert apart(law) < 1e-12
    x = law.loop.random_state(np.random.default_rng(2))
    assert law(0.0, x) != pytest.approx(matching.law(**gains, potential=quartic)(0.0, x), rel=1e-6)


def test_another_form_than_that_of_the_positions_is_not_matched(cart):
    """N thetadot^2 in place of N zdot^2."""
    made = cart.law(**GAINS).controlled
    wrong = sp.Matrix(made.inertia)
    wrong[0, 0] += z**2 / 50
    with pytest.raises(MatchingError, match="remainder"):
        replace(made, inertia=sp.ImmutableMatrix(wrong)).require_matched()


def test_verdicts_flip_where_the_inertia_of_the_position_does(cart):
    """In phi_dot and ydot the inertia is diag(A, rho gamma), and N (ydot - k phi_dot/rho)^2 is added."""
    v = {n: sp.Rational(e) for n, e in gc.models.get("cart-pendulum")().defaults.items()}
    kappa, rho = GAINS["kappa"], sp.Rational(GAINS["rho"])
    gamma, k = v["M"] + v["m"], v["m"] * v["l"] / (v["M"] + v["m"])
    A = v["m"] * v["l"] ** 2 - (1 + kappa) * gamma * k**2
    edge = -rho * gamma * A / (A + gamma * k**2 / rho)
    assert edge > 0
    for scale, wanted in ((1 - sp.Rational(1, 10**6), STABLE), (1 + sp.Rational(1, 10**6), UNSTABLE)):
        assert verdict(cart.law(**GAINS, inertia=edge * scale)) is wanted
    design = cart.design("upright", inertia=edge)
    assert design.contains(kappa=20, rho=-0.02 * (1 + 1e-6), K=-0.6)
    assert design.contains(kappa=20, rho=-0.02 * (1 - 1e-6), K=-0.6) is False


def test_an_inertia_that_varies_keeps_no_momentum(cart):
    """Without a potential too: what damping takes is the rate of all of E_c."""
    made = cart.law(kappa=20, rho=-0.02, K=0.0, inertia=-(z**2) / 50)
    assert not made.controlled.keeps_momenta
    assert cart.law(kappa=20, rho=-0.02, K=0.0, inertia=-1.0).controlled.damps_all


def test_the_force_is_that_of_its_slope(cart):
    """At rest and at home but for z the law is linear in the slope of F: the same number times K z and F'."""
    F = -(z**4) / 4
    with_, without = cart.law(**GAINS, potential=F), cart.law(**{**GAINS, "K": 0.0}, potential=F)
    quadratic = cart.law(**GAINS)
    x = quadratic.loop.state(z=0.7)
    at = {"K z": -0.6 * 0.7, "F'": -(0.7**3)}
    per_slope = quadratic(0.0, x)[0] / at["K z"]
    assert without(0.0, x)[0] == pytest.approx(per_slope * at["F'"], rel=1e-12)
    assert with_(0.0, x)[0] == pytest.approx(per_slope * sum(at.values()), rel=1e-12)


def test_verdicts_follow_the_curvature(cart):
    """K + F''(0) < 0 holds the cart; both sides of the flip, and by the design with K a symbol."""
    F = sp.Rational(3, 10) * z**2
    assert verdict(cart.law(kappa=20, rho=-0.02, K=-0.3 * 2 * (1 + 1e-6), potential=F)) is STABLE
    assert verdict(cart.law(kappa=20, rho=-0.02, K=-0.3 * 2 * (1 - 1e-6), potential=F)) is UNSTABLE
    design = cart.design("upright", potential=F)
    assert design.contains(kappa=20, rho=-0.02, K=-0.7)
    assert design.contains(kappa=20, rho=-0.02, K=-0.5) is False


def test_a_stiffening_potential_brings_the_cart_home(cart):
    F = -(z**4) / 4
    gains = cart.design("upright").recommend(frequencies=(1.5, 4.0))
    loop = cart.law(**gains, potential=F).with_damping(k=0.7).closed_loop()
    assert gc.certify(loop, loop.equilibrium("upright")).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    run = gc.simulate(loop, np.linspace(0, 80, 401), loop.state(phi=0.2))
    assert np.max(np.abs(run.states[:, -1])) < 1e-3


def test_positions_are_named(cart):
    assert cart.positions == {"z": z}
    assert set(gc.match(gc.models.get("spherical-pendulum-on-puck")(), shaping="both").positions) == {
        "z1",
        "z2",
    }
    assert gc.match(gc.models.get("cart-pendulum")()).positions == {}


@pytest.mark.parametrize(
    ("potential", "words"),
    [
        (sp.Symbol("phi", real=True) ** 2, "leave the remainder"),
        (sp.Symbol("z") ** 2, "the potential holds z; it is a function of z, real symbols"),
        (z + z**2, "slope at home"),
        ("z**4", "text"),
        (sp.Matrix([z, z]), "scalar"),
    ],
)
def test_other_potentials_are_refused(cart, potential, words):
    with pytest.raises(MatchingError, match=words):
        cart.law(**GAINS, potential=potential)


@pytest.mark.parametrize(
    ("inertia", "words"),
    [
        (sp.Symbol("phi", real=True), "the inertia of the positions holds phi; it is a function of z"),
        ("z**2", "text is not read"),
        ([[1, 0], [0, 1]], "is 1 x 1, got 2 x 2"),
        ([[1, 2]], "symmetric"),
        ([[1, 2], [3, 4]], "symmetric"),
        ([["z"]], "text"),
        (float("nan"), "finite"),
        ([[1, 2], [3]], "must be a single number"),
        (sp.I * z, "finite and real"),
        (z / sp.S.Zero, "finite and real"),
        ([1, 2], "must be a symmetric matrix"),
    ],
)
def test_other_inertias_are_refused(cart, inertia, words):
    with pytest.raises(MatchingError, match=words):
        cart.law(**GAINS, inertia=inertia)


def test_without_positions_there_is_no_potential():
    with pytest.raises(MatchingError, match="holds no positions"):
        gc.match(gc.models.get("cart-pendulum")()).law(kappa=20, inertia=z**2)
    with pytest.raises(MatchingError, match="of which the law holds none"):
        gc.match(gc.models.get("cart-pendulum")()).law(kappa=20, potential=z**2)


# -- potentials of what is advected -------------------------------------------------------------------

q = sp.Matrix(sp.symbols("q1:4", real=True))
up = sp.Matrix(sp.symbols("Gamma1:4", real=True))


@pytest.fixture(scope="module")
def vehicle():
    mechanism = gc.models.get("underwater-vehicle")(thrusters=True, position=True)
    return gc.match(mechanism, shaping="kinetic")


def test_a_vehicle_is_held_in_its_place_by_what_turning_leaves_alone(vehicle):
    """The distance, and the depth: as the attitude turns both q and Gamma, their products stay."""
    assert set(vehicle.gains) == {"mu", "nu"}
    held = vehicle.law(mu=4.0, nu=1.5, potential=3 * q.dot(q) / 2 + 2 * q.dot(up) ** 2)
    assert apart(held) < 1e-12
    assert gc.certify(held.loop, held.loop.equilibrium("hover", Omega0=0)).verdict is STABLE
    damped = held.with_damping(k=9.0, at=held.loop.equilibrium("hover", Omega0=0)).closed_loop()
    start = damped.state(q1=0.3, q2=-0.2, q3=0.1, q4=1, Gamma3=1)
    end = gc.simulate(damped, np.linspace(0, 60, 61), start).states[-4:, -1]
    np.testing.assert_allclose(end, [0, 0, 0, 1], atol=1e-4)


@pytest.mark.parametrize(("stiffness", "wanted"), [(1e-6, STABLE), (-1e-6, UNSTABLE)])
def test_its_verdict_flips_with_the_sign_of_the_stiffness(vehicle, stiffness, wanted):
    """Bottom-heavy: all of the energy has a minimum but what holds the place."""
    law = vehicle.law(mu=4.0, nu=1.5, potential=sp.Rational(stiffness) * q.dot(q))
    eq = law.loop.equilibrium("hover", Omega0=0.0)
    assert gc.certify(law.loop, eq).verdict is wanted


def test_the_place_is_the_origin_seen_from_the_body(vehicle):
    """q = -R^T x, by the path that is reconstructed."""
    system = gc.models.get("underwater-vehicle")(position=True).reduce()
    start = system.state(q4=1, Gamma3=1, Y1=0.3, Y2=-0.2, Omega3=0.7, Omega1=0.4)
    run = gc.simulate(system, np.linspace(0, 2, 21), start)
    found = run.states[[system.state_labels.index(f"q{i}") for i in (1, 2, 3)]]
    seen = -np.einsum("kji,kj->ik", run.attitude(), run.position())
    assert np.abs(found).max() > 0.3
    np.testing.assert_allclose(found, seen, atol=1e-8)


@pytest.mark.parametrize("potential", [q[0] ** 2, q.dot(q) * up[0], q.dot(q) + up[2]])
def test_what_the_turning_changes_is_no_potential(vehicle, potential):
    with pytest.raises(MatchingError, match="remainder"):
        vehicle.law(mu=4.0, nu=1.5, potential=potential)


def test_points_of_the_orbit_move_what_translations_carry():
    """Else forms that hold at one place alone pass for gains; Gamma and q turn together."""
    system = gc.models.get("underwater-vehicle")(position=True).reduce()
    points = exact_configurations(system, np.random.default_rng(3))
    for _, (*Gamma, q1, q2, q3, one) in zip(range(5), points, strict=False):
        assert one == 1
        assert q1 * q2 * q3 != 0
        assert sum(x * x for x in Gamma) == 1


def test_points_of_the_orbit_of_a_tensor_are_turned_tensors():
    """Symmetric tensors turn twice as fast: their invariants stay what they are at the reference."""
    pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    action = np.zeros((6, 3, 6), dtype=int)
    for j in range(3):
        spin = np.array([[int((i - j) * (j - k) * (k - i) / 2) for k in range(3)] for i in range(3)])
        for m, (a, b) in enumerate(pairs):
            S = np.zeros((3, 3), dtype=int)
            S[a, b] = S[b, a] = 1
            moved = spin @ S - S @ spin
            action[:, j, m] = [moved[p] for p in pairs]
    reference = [3, 0, 0, -1, 0, -2]
    tensor = gc.AdvectedParameter("S", action.tolist(), reference)
    system = gc.EulerPoincare(algebra=gc.so3(), advected=[tensor], inertia=sp.diag(1, 2, 3)).reduce()
    for _, entries in zip(range(4), exact_configurations(system, np.random.default_rng(1)), strict=False):
        S = sp.zeros(3, 3)
        for e, (a, b) in zip(entries, pairs, strict=True):
            S[a, b] = S[b, a] = sp.Rational(e.numerator, e.denominator)
        assert S.trace() == 0
        assert (S.det(), (S**2).trace()) == (6, 14)
        assert S[0, 1] != 0
