"""Controlled Lagrangians from the linear equations: the abelian class comes out of them, and more."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.solutions.commuting_solution import Abelian
from geoctrl.synthesis.solutions.linear_fields import LinearFields
from tests.synthesis.realised import defect, with_values
from tests.synthesis.test_vertical import vehicle


def isotropic():
    """Underwater vehicle of one mass M1 in all directions, forces along its axes."""
    mech = vehicle()
    M = {p.name: p.symbol for p in mech.parameters if p.name in ("M1", "M2", "M3")}
    inertia = sp.Matrix(mech.inertia).subs({M["M2"]: M["M1"], M["M3"]: M["M1"]})
    parameters = [p for p in mech.parameters if p.name not in ("M2", "M3")]
    return mech.replace(inertia=inertia, parameters=parameters)


def cart():
    return gc.models.get("cart-pendulum")()


def body():
    return gc.models.get("body-with-rotors")()


MATCHED = {
    "rotors": (body, "kinetic", 1, {"c": 0.3}),
    "cart": (cart, "both", 1, {"c": 0.8, "rho": -0.02, "K": -0.6}),
    "wheel": (
        lambda: gc.models.get("inertia-wheel-pendulum")(),
        "both",
        0,
        {"c": -1.5, "rho": -0.1, "K": -2.0},
    ),
    "vehicle": (isotropic, "kinetic", 0, {"c": 0.2, "rho": -3.0}),
    "vehicle, degree 2": (isotropic, "kinetic", 2, {"c1": 0.1, "c2": 0.2, "rho1": -3.0, "rho2": 0.4}),
}


@pytest.mark.parametrize(("make", "kind", "degree", "gains"), MATCHED.values(), ids=MATCHED)
def test_it_is_matched_for_all_gains(make, kind, degree, gains):
    shaping = LinearFields(Plant.of(make()), kind, degree)
    assert {g.name for g in shaping.gains} == set(gains)
    found = with_values(shaping, **gains)
    found.require_matched()
    assert defect(found, np.random.default_rng(3)) < 1e-12


def test_the_cart_of_bloch_leonard_and_marsden_comes_out():
    """c = -(1 + kappa - 1/rho) m l/(M + m), R = rho (M + m): the loops are one."""
    plant = Plant.of(cart())
    p = plant.mechanism.reduce().params
    kappa, rho, K = 20.0, -0.02, -0.6
    weight = p["M"] + p["m"]
    c = -(1 + kappa - 1 / rho) * p["m"] * p["l"] / weight
    known = with_values(Abelian(plant, "both"), kappa=kappa, rho=rho, K=K).system
    found = with_values(LinearFields(plant, "both", 1), c=c, rho=rho * weight, K=K).system
    assert known.state_labels == found.state_labels
    rng = np.random.default_rng(4)
    for _ in range(5):
        x = known.random_state(rng)
        np.testing.assert_allclose(found.rhs(0, x), known.rhs(0, x), rtol=1e-9, atol=1e-9)


class TestTopHeavyVehicle:
    """At rest, c = C m l/M with 1 + kappa = C + M/R > J_j M/(m l)^2 for both axes: J = (3.1, 2.6), M = 25."""

    @pytest.fixture(scope="class")
    @staticmethod
    def loop():
        return with_values(LinearFields(Plant.of(isotropic()), "kinetic", 0), c=0.1, rho=-3.0).system

    @pytest.mark.parametrize("R", [-3.0, 4.0])
    def test_it_is_held_beyond_the_larger_threshold(self, loop, R):
        at_rest = loop.project(np.zeros(6), {"Gamma": (0, 0, -1)})
        end = (3.1 * 25 / 0.81 - 25 / R) * 0.9 / 25

        def largest(c):
            return gc.linearize(loop, at_rest, {"c": c, "rho": R}).eigenvalues.real.max()

        assert largest(end * (1 + 1e-6)) < 1e-6
        assert largest(end * (1 - 1e-6)) > 100
        verdict = gc.certify(loop, at_rest, {"c": end * (1 - 1e-6), "rho": R}).verdict
        assert verdict is gc.Verdict.PROVED_UNSTABLE


def test_another_inertia_fails_the_proof():
    """Negative control: an inertia of the actuated directions that the rotation of the body moves."""
    shaping = LinearFields(Plant.of(isotropic()), "kinetic", 0)
    shaping._block[0][0, 0] += 1
    with pytest.raises(gc.MatchingError, match="remainder"):
        with_values(shaping, c=0.2, rho=-3.0).require_matched()


def hill():
    """A constant inertia, and a potential that holds the driven place."""
    x, q = gc.Coordinate("x"), gc.Coordinate("q", angle=True)
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, q],
        inertia=sp.Matrix([[2, 1], [1, 3]]),
        potential=sp.cos(q.symbol) + x.symbol**2,
        forces=[sp.Symbol("u", real=True), 0],
        inputs=["u"],
    )


@pytest.mark.parametrize(
    ("make", "kind", "reason"),
    [
        (lambda: gc.models.get("furuta-pendulum")(), "kinetic", "no field w but multiples of eta"),
        (hill, "kinetic", "the potential changes along all fields w but eta"),
        (cart, "potential", "shape the inertia"),
        (isotropic, "both", "no position is free"),
        (lambda: gc.models.get("unicycle-with-rotor")(), "kinetic", "without"),
    ],
    ids=["furuta", "hill", "potential", "no-position", "constraints"],
)
def test_what_is_not_in_the_class_is_refused(make, kind, reason):
    with pytest.raises(gc.MatchingError, match=reason):
        LinearFields(Plant.of(make()), kind, 0)
