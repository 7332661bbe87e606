"""Fields that are given for several unactuated velocities: the vehicle pushed along its axes."""

from dataclasses import replace

import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import MatchingError
from tests.synthesis.test_shaped import apart

pytestmark = pytest.mark.filterwarnings("ignore:.*these gains hold no family")

INERTIA = [[-3, 0.2, 0.1], [0.2, -2, 0.4], [0.1, 0.4, -5]]


@pytest.fixture(scope="module")
def vehicle():
    mechanism = gc.models.get("underwater-vehicle")(thrusters=True)
    beta = gc.Parameter("beta", 3.0, "kg", "mass that the fields take off")
    return mechanism.replace(parameters=(*mechanism.parameters, beta))


def along(vehicle, less):
    """-(M - less)^-1 D^T with G = [[J, D], [D^T, M]]."""
    G = sp.Matrix(vehicle.inertia)
    return -(G[3:, 3:] - less).inv() * G[:3, 3:].T


@pytest.fixture(scope="module")
def matching(vehicle):
    return gc.match(vehicle, direction=along(vehicle, sp.Symbol("beta", real=True) * sp.eye(3)))


def test_the_plant_moves_as_the_controlled_lagrangian(matching):
    """Its masses differ: a gyroscopic force is needed, and without it nothing is matched."""
    assert list(matching.gains) == ["m11", "m12", "m13", "m22", "m23", "m33"]
    law = matching.law(m=INERTIA)
    assert apart(law) < 1e-12
    made = law.controlled
    assert made.force is not None
    xi = made.plant.mechanism.algebra.xi
    power = sp.Matrix(made.force).dot(sp.Matrix(xi))
    numbers = {s: sp.Rational(5 + 3 * i, 7) for i, s in enumerate(sorted(power.free_symbols, key=str))}
    assert set(xi) <= power.free_symbols
    assert power.subs(numbers) == 0
    for force in (None, -made.force):
        with pytest.raises(MatchingError, match="remainder"):
            replace(made, force=force).require_matched()


def test_the_inertia_left_is_negative_in_a_window(matching):
    """Top-heavy at rest: J_j - (m l)^2/m_ii - (m l)^2/(M_i - beta) < 0 for (i, j) = (1, 2), (2, 1), by hand.

    It is what is left of the row of the body when Gc_fb Omega + m Y = 0 is put into it.
    """
    law = matching.law(m=[[-3, 0, 0], [0, -2, 0], [0, 0, -5]])
    p = matching.mechanism.defaults
    params = {"l": -0.06, "M2": 24.9}
    mu = (p["m"] * params["l"]) ** 2
    edge = max(p["M1"] - mu / (p["J2"] + mu / 3), params["M2"] - mu / (p["J1"] + mu / 2))
    end = params["M2"]
    for beta, stable in ((edge - 1e-5, False), (edge + 1e-5, True), (end - 1e-3, True), (end + 1e-3, False)):
        numbers = {**params, "beta": beta}
        eq = law.loop.equilibrium("vertical", numbers, Y0=0.0, Omega0=0.0)
        rate = gc.linearize(law.loop, eq, numbers).eigenvalues.real.max()
        assert (rate < 1e-6) == stable
        if not stable:
            assert gc.certify(law.loop, eq, numbers).verdict is gc.Verdict.PROVED_UNSTABLE


@pytest.mark.parametrize(
    ("make", "options", "words"),
    [
        (lambda v: along(v, sp.diag(1, 2, 3)), {}, "remainder"),
        (lambda v: sp.Matrix(3, 3, range(9)), {}, "not symmetric"),
        (
            lambda v: [[0, 1]],
            {},
            "a row for each of Y1, Y2, Y3 and a column for each of Omega1, Omega2, Omega3",
        ),
        (lambda v: [[sp.Symbol("no")] * 3] * 3, {}, "undeclared symbol no"),
        (lambda v: "Y1", {}, "matrix of numbers or expressions"),
        (lambda v: sp.zeros(3, 3), {"shaping": "both"}, "shape the inertia alone"),
        (lambda v: sp.zeros(3, 3), {"gains": "matrices"}, "leave it out"),
    ],
)
def test_other_directions_are_refused(vehicle, make, options, words):
    with pytest.raises(MatchingError, match=words):
        gc.match(vehicle, direction=make(vehicle), **options).law(m=INERTIA)


def test_a_constrained_plant_is_refused():
    with pytest.raises(MatchingError, match="without constraints"):
        gc.match(gc.models.get("unicycle-with-rotor")(), direction=[[1, 2]])
