"""The sign of damping at an equilibrium, damping where nothing keeps the momenta, and laws as controllers."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import InputError, LawWarning, MatchingError
from geoctrl.synthesis.shaped_laws.shaped_damping import sign_of_modes

STABLE, UNSTABLE = gc.Verdict.PROVED_STABLE, gc.Verdict.PROVED_UNSTABLE
pytestmark = pytest.mark.filterwarnings("ignore:.*these gains hold no family")


def oscillators(*signs):
    """x'' = -w^2 x - c s x' each: A without, and what c changes."""
    A, change = np.zeros((2 * len(signs),) * 2), np.zeros((2 * len(signs),) * 2)
    for i, s in enumerate(signs):
        A[2 * i, 2 * i + 1], A[2 * i + 1, 2 * i] = 1, -((i + 2.0) ** 2)
        change[2 * i + 1, 2 * i + 1] = -s
    return A, change


def test_the_sign_is_that_of_all_modes():
    assert sign_of_modes(*oscillators(1, 0.3, 0)) == 1
    assert sign_of_modes(*oscillators(-1, -0.3)) == -1
    with pytest.raises(MatchingError, match="some modes"):
        sign_of_modes(*oscillators(1, -0.3))
    with pytest.raises(MatchingError, match="changes no mode"):
        sign_of_modes(*oscillators(0, 0))
    A, change = oscillators(1)
    with pytest.raises(MatchingError, match="falls"):
        sign_of_modes(A + np.eye(2), change)


@pytest.fixture(scope="module")
def rotor():
    return gc.match(gc.models.get("body-with-rotor")(), shaping="kinetic")


def verdict(law, **numbers):
    loop = law.loop
    return gc.certify(loop, loop.equilibrium("about2", **numbers)).verdict


def test_a_body_that_spins_is_damped_with_the_sign_of_its_motion(rotor):
    """Beyond kappa = I3/J the inertia is indefinite at rest; about the middle axis there is a maximum."""
    v = rotor.mechanism.defaults
    law = rotor.law(kappa=1.3 * v["I3"] / v["J"])
    with pytest.raises(MatchingError, match="both signs"):
        law.with_damping(k=0.05)
    damped = law.with_damping(k=0.05, at=law.loop.equilibrium("about2", Omega0=1.0))
    values = gc.linearize(damped.loop, damped.loop.equilibrium("about2", Omega0=1.0)).eigenvalues
    assert np.sort(values.real)[-2] < -1e-3
    assert verdict(damped, Omega0=1.0) is STABLE
    for energy, expected in (("maximum", STABLE), ("minimum", UNSTABLE)):
        assert verdict(law.with_damping(k=0.05, energy=energy), Omega0=1.0) is expected


def test_where_the_rotor_gains_what_the_body_loses_no_sign_fits(rotor):
    """Below -(I2 + Jt - I3)/J the loop is stable without damping, and with neither sign of it."""
    v = rotor.mechanism.defaults
    law = rotor.law(kappa=-1.3 * (v["I2"] + v["Jt"] - v["I3"]) / v["J"])
    assert verdict(law, Omega0=1.0) is STABLE
    with pytest.raises(MatchingError, match="some modes of the loop gain"):
        law.with_damping(k=0.05, at=law.loop.equilibrium("about2", Omega0=1.0))
    for energy in ("minimum", "maximum"):
        assert verdict(law.with_damping(k=0.05, energy=energy), Omega0=1.0) is UNSTABLE


def test_a_sign_that_is_only_known_at_rest_is_told(rotor):
    """Below kappa = I3/J the inertia is definite at rest, and that says nothing about a body that spins."""
    v = rotor.mechanism.defaults
    law = rotor.law(kappa=0.5 * v["I3"] / v["J"])
    with pytest.warns(LawWarning, match="about2.* it may be the other one"):
        law.with_damping(k=0.05).closed_loop()
    for said in (law.with_damping(k=0.05, energy="minimum"), law):
        assert not [w for w in said.warnings if "sign of the damping" in str(w)]


def test_at_rest_both_ways_of_finding_the_sign_agree():
    cart = gc.match(gc.models.get("cart-pendulum")(), shaping="both")
    law = cart.law(kappa=20, rho=-0.02, K=-0.6)
    x = law.loop.random_state(np.random.default_rng(1))
    plain = law.with_damping(k=0.5)(0.0, x)
    assert plain == pytest.approx(law.with_damping(k=0.5, at=law.loop.equilibrium("upright"))(0.0, x))
    assert plain != pytest.approx(law.with_damping(k=0.5, energy="maximum")(0.0, x))


def test_damping_that_would_brake_the_motion_is_refused(rotor):
    rotors = gc.match(gc.models.get("body-with-rotors")(), shaping="kinetic")
    law = rotors.law(kappa=3.0)
    eq = law.loop.equilibrium("about2", Omega0=1.0, rate0=0.0)
    with pytest.raises(MatchingError, match="brake"):
        law.with_damping(k=0.05, at=eq)
    with pytest.raises(InputError, match="one of them"):
        rotor.law(kappa=5.0).with_damping(k=0.1, energy="minimum", at=eq)


# -- nothing keeps the momenta ------------------------------------------------------------------


@pytest.fixture(scope="module")
def vehicle():
    return gc.match(gc.models.get("underwater-vehicle")(thrusters=True))


def test_a_vehicle_is_damped_by_the_whole_energy(vehicle):
    """dE_c/dt = -k |y|^2 along the plant with the law; bottom-heavy at rest all but the yaw decays."""
    law = vehicle.law(mu=1.0, nu=0.3).with_damping(k=0.4)
    system, made = law.full, law.controlled
    rate = system.graph.add(system.rate_terms([system.expression(law.energy)])[0])
    y = made.system.program(made.passive_output)
    rng = np.random.default_rng(4)
    for _ in range(10):
        x = system.random_state(rng)
        (found,) = system.program([rate])(system.arguments_at(0, x, None), system.parameters(None))
        output = np.array(y(made.system.arguments_at(0, x, None), made.system.parameters(None)))
        assert found == pytest.approx(-0.4 * output @ output, rel=1e-9, abs=1e-10)
    values = gc.linearize(law.loop, law.loop.state(Gamma=(0, 0, 1))).eigenvalues
    assert np.sum(np.abs(values) < 1e-9) == 1
    assert np.sort(values.real)[-2] < -5e-5
    wrong = vehicle.law(mu=1.0, nu=0.3).with_damping(k=0.4, energy="maximum").loop
    assert gc.linearize(wrong, wrong.state(Gamma=(0, 0, 1))).eigenvalues.real.max() > 0.01


def test_an_energy_without_an_extremum_damps_no_vehicle(vehicle):
    with pytest.raises(MatchingError, match=r"not conserved.*both signs"):
        vehicle.law(mu=-30.0, nu=0.0).with_damping(k=0.4)


# -- controllers --------------------------------------------------------------------------------


def test_integrals_are_states_of_the_controller():
    cart = gc.match(gc.models.get("cart-pendulum")(), shaping="both")
    law = cart.law(kappa=11, rho=-0.14, K=-2).with_damping(k=0.5, integral=0.02)
    block, loop = law.to_control(), law.closed_loop()
    assert block.state_labels == ["integral"]
    assert block.input_labels == [label for label in loop.state_labels if label != "integral"]
    x = loop.random_state(np.random.default_rng(5))
    np.testing.assert_allclose(block.output(0.0, x[-1:], x[:-1]), law(0.0, x), rtol=1e-12)
    np.testing.assert_allclose(block.updfcn(0.0, x[-1:], x[:-1], {}), loop.rhs(0.0, x)[-1:], rtol=1e-12)


# -- gains without a law ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "gains"),
    [
        ("inertia-wheel-pendulum", "kinetic", lambda v: {"kappa": v["I"] / v["J"]}),
        ("cart-pendulum", "both", lambda v: {"kappa": v["M"] / v["m"], "rho": -0.02, "K": -0.6}),
        ("cart-pendulum", "both", lambda v: {"kappa": 20, "rho": 0, "K": -0.6}),
        ("ball-and-beam", "both", lambda v: {"p": 1, "m22": 0, "K": 0.1}),
    ],
)
def test_a_singular_inertia_has_no_law(name, kind, gains):
    matching = gc.match(gc.models.get(name)(), shaping=kind)
    chosen = gains(matching.mechanism.defaults)
    with pytest.raises(MatchingError, match=rf"^{next(iter(chosen))} = .*the controlled inertia is singular"):
        matching.law(**chosen)


POLES = [
    ("cart-pendulum", "kinetic", {"kappa": -1}),
    ("spherical-pendulum-on-puck", "kinetic", {"kappa": -1}),
    ("body-with-rotors", "kinetic", {"kappa": -1}),
    ("furuta-pendulum", "both", {"delta": 1.5, "m22": 0, "K": 1}),
    ("acrobot", "both", {"b": 1.5, "m22": 0, "K": 1}),
]


@pytest.mark.parametrize(("name", "kind", "gains"), POLES)
def test_gains_at_which_the_lagrangian_divides_by_zero_have_no_law(name, kind, gains):
    given = ", ".join(f"{gain} = {value}" for gain, value in gains.items())
    with pytest.raises(MatchingError, match=rf"^{given}: the controlled Lagrangian divides by an inertia"):
        gc.match(gc.models.get(name)(), shaping=kind).law(**gains)


# Where Gc is singular at rest, by hand: G_ab + Delta = coupling^2/g, or g = (1 + kappa) k gamma k.
SINGULAR = [
    (
        "furuta-pendulum",
        {},
        "kinetic",
        "Delta",
        lambda v: (
            (v["m"] * v["l"] * v["R"]) ** 2 / (v["I"] + v["m"] * v["l"] ** 2) - v["J"] - v["m"] * v["R"] ** 2
        ),
    ),
    ("spherical-pendulum-on-puck", {}, "kinetic", "kappa", lambda v: v["M"] / v["m"]),
    ("inertia-wheel-pendulum", {}, "both", "kappa", lambda v: v["I"] / v["J"]),
    ("body-with-rotors", {}, "kinetic", "kappa", lambda v: v["I2"] / v["J2"]),
    (
        "top-on-movable-base",
        {"pushed": True},
        "both",
        "kappa",
        lambda v: v["I1"] * (v["m"] + v["M"]) / (v["m"] * v["l"]) ** 2 - 1,
    ),
    (
        "underwater-vehicle",
        {"thrusters": True},
        "kinetic",
        "mu",
        lambda v: (v["m"] * v["l"]) ** 2 / v["J2"] - v["M1"],
    ),
]


@pytest.mark.parametrize(("name", "options", "kind", "gain", "edge"), SINGULAR)
def test_the_edge_of_every_class_has_no_law(name, options, kind, gain, edge):
    matching = gc.match(gc.models.get(name)(**options), shaping=kind)
    others = dict.fromkeys(matching.gains, -0.3)
    value = edge(matching.mechanism.defaults)
    with pytest.raises(MatchingError, match=rf"{gain} = .*the controlled inertia is singular"):
        matching.law(**{**others, gain: value})
    matching.law(**{**others, gain: value * 1.001})


def test_singular_whatever_the_other_gains_are():
    a = sp.Symbol("a", real=True)
    cart = gc.match(gc.models.get("cart-pendulum")(), shaping="both")
    with pytest.raises(MatchingError, match=r"^a, rho = 0, K = -1: .*singular"):
        cart.law(kappa=a, rho=0, K=-1)
    furuta = gc.match(gc.models.get("furuta-pendulum")(), shaping="both")
    with pytest.raises(MatchingError, match="m22 = 0"):
        furuta.law(delta=a, m22=0, K=sp.Symbol("b", real=True))
    puck = gc.match(gc.models.get("spherical-pendulum-on-puck")(), shaping="kinetic", gains="matrices")
    for rows in ([[a, a], [a, a]], [[a, 0], [0, 0]]):
        with pytest.raises(MatchingError, match="Lambda must be invertible"):
            puck.law(Lambda=rows)


def test_a_gain_at_a_pole_is_told_by_its_number():
    acrobot = gc.match(gc.models.get("acrobot")(), shaping="both")
    with pytest.raises(MatchingError, match=r"b = -1, m22 = 17, K = 0\.1: .* has a pole"):
        acrobot.law(b=-1, m22=17, K=0.1)
