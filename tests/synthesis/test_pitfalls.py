"""Where laws by controlled Lagrangians go wrong: friction, acceleration feedback, signs, momenta."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.synthesis.test_one_direction import furuta
from tests.synthesis.test_shaped import POSITION

pytestmark = pytest.mark.filterwarnings("ignore:.*these gains hold no family")


def rubbing(name, place, viscous):
    """A mechanism with friction at one of its rates."""
    mechanism = gc.models.get(name)()
    rate = [[int(j == place) for j in range(mechanism.algebra.n)]]
    return mechanism.replace(friction=[gc.Friction(rate, viscous=viscous)])


def rate(law):
    return gc.linearize(law.loop, law.loop.equilibrium("upright")).eigenvalues.real.max()


@pytest.mark.parametrize(("place", "friction", "expected"), [(1, "1/10000", 6.0e-4), (0, "1/20", 0.013)])
def test_friction_of_the_plant_lets_the_cart_fall(place, friction, expected):
    """It takes energy from where E_c has its maximum."""
    law = gc.match(rubbing("cart-pendulum", place, sp.Rational(friction)), shaping="both").law(**POSITION)
    assert rate(law) == pytest.approx(expected, rel=0.02)


@pytest.mark.long(reason="friction and damping of a cart are asked beside it")
@pytest.mark.parametrize("place", [0, 1])
def test_damping_of_furuta_outweighs_friction_but_more_of_it_is_worse(place):
    matching = gc.match(rubbing("furuta-pendulum", place, sp.Rational(1, 1000)), shaping="both")
    law = matching.law(**furuta(0.25, 2, -0.1))
    assert rate(law) > 0.05
    some, more, most = (rate(law.with_damping(k=k)) for k in (0.02, 0.1, 0.5))
    assert some < -0.1
    assert some < more < most
    assert (most > 0) == (place == 1)  # the joint that no input drives
    assert gc.certify(law.loop, law.loop.equilibrium("upright")).verdict is gc.Verdict.PROVED_UNSTABLE


def cart_by_hand(slide, joint, kappa, measured):
    """Growth of (phi, phi_dot, x_dot) with u = -kappa m l phi_ddot, measured or predicted by L_c."""
    v = gc.models.get("cart-pendulum")().defaults
    g, gamma, coupling = v["m"] * v["l"] ** 2, v["M"] + v["m"], v["m"] * v["l"]
    slope = coupling * v["g"]
    left = g - (1 + kappa) * coupling**2 / gamma
    mass = np.array([[g, coupling], [(1 + kappa * measured) * coupling, gamma]])
    force = [[slope, -joint, 0], [-kappa * coupling * slope / left * (not measured), 0, -slide]]
    A = np.vstack([[0, 1, 0], np.linalg.solve(mass, force)])
    return np.linalg.eigvals(A).real.max()


@pytest.mark.parametrize(("place", "friction"), [(0, "1/20"), (1, "1/10000")])
def test_laws_predict_accelerations_and_measure_none(place, friction):
    law = gc.match(rubbing("cart-pendulum", place, sp.Rational(friction))).law(kappa=20)
    size = float(sp.Rational(friction))
    own = [size * (place == 0), size * (place == 1)]
    assert rate(law) == pytest.approx(cart_by_hand(*own, 20, measured=False), rel=1e-9, abs=1e-9)
    other = cart_by_hand(*own, 20, measured=True)
    assert abs(rate(law) - other) > 1e-3


def test_friction_at_the_joint_is_worse_with_measured_accelerations():
    assert cart_by_hand(0, 1e-4, 20, measured=True) == pytest.approx(1.9e-3, rel=0.01)
    assert cart_by_hand(0, 1e-4, 20, measured=False) < 1e-9


@pytest.mark.parametrize(
    ("name", "gains", "felt"),
    [
        ("cart-pendulum", {"kappa": 20}, False),
        ("spherical-pendulum-on-puck", {"kappa": 20}, False),
        ("pendulum-skate-rotor", {"kappa": 900}, False),
        ("body-with-rotor", {"kappa": 2.5}, True),
        ("furuta-pendulum", {"Delta": -0.002}, True),
    ],
)
def test_where_the_motion_feels_the_momentum_of_the_actuators(name, gains, felt):
    """Iff their coupling is not closed on admissible velocities, or their inertia varies."""
    law = gc.match(gc.models.get(name)(), shaping="kinetic").law(**gains)
    plant, x = law.controlled.plant, law.loop.random_state(np.random.default_rng(1))
    changes = law.loop.jacobian(0, x)[np.ix_(plant.base, plant.fibre)]
    assert (np.abs(changes).max() > 0.05) if felt else (np.abs(changes).max() < 1e-12)


def test_some_gains_change_the_energy_and_not_the_law():
    """rho where nothing is held; the energy, and with it the damping, is another."""
    matching = gc.match(gc.models.get("cart-pendulum")(), shaping="both")
    one, other = (matching.law(kappa=20, rho=rho, K=0.0) for rho in (-0.02, 0.7))
    x = one.loop.random_state(np.random.default_rng(2))
    assert one(0, x) == pytest.approx(other(0, x), rel=1e-12)
    assert one.loop.energy(x) != pytest.approx(other.loop.energy(x), rel=1e-3)


def test_sigma_and_kappa_name_one_law():
    """kappa = -gamma/sigma, gamma = J1 for the rotor of the skate: the same torque at any state."""
    skate = gc.models.get("pendulum-skate-rotor")()
    sigma = -5e-6
    by_sigma = gc.match(skate).law(sigma=sigma).closed_loop(rotors=True)
    by_kappa = gc.match(skate, shaping="kinetic").law(kappa=-skate.defaults["J1"] / sigma).loop
    assert by_sigma.state_labels == by_kappa.state_labels
    rng = np.random.default_rng(3)
    for _ in range(5):
        x = by_kappa.random_state(rng)
        np.testing.assert_allclose(by_sigma.rhs(0, x), by_kappa.rhs(0, x), rtol=1e-10, atol=1e-12)
