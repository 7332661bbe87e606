"""Controlled Lagrangians with inertia added to the actuated directions: Furuta's pendulum, vehicles."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.solutions.fibre_solution import Vertical
from tests.synthesis.realised import defect, with_values

SHAPED = {"furuta": {"Delta": -0.01}, "cart": {"Delta": -0.5}, "vehicle": {"mu": -24.8, "nu": 1.3}}


def vehicle():
    """Underwater vehicle with a force along each body axis."""
    F = sp.symbols("F1:4", real=True)
    plain = gc.models.get("underwater-vehicle")()
    return plain.replace(forces=[0, 0, 0, *F], inputs=F, equilibria={})


MECHANISMS = {
    "furuta": lambda: gc.models.get("furuta-pendulum")(),
    "cart": lambda: gc.models.get("cart-pendulum")(),
    "vehicle": vehicle,
}


@pytest.fixture(scope="module", params=MECHANISMS)
def matched(request):
    shaping = Vertical(Plant.of(MECHANISMS[request.param]()), "kinetic")
    return with_values(shaping, **SHAPED[request.param])


def test_the_conditions_hold_modulo_the_leaf_for_all_gains(matched):
    matched.require_matched()


def test_inputs_make_the_loop(matched):
    assert defect(matched, np.random.default_rng(1)) < 1e-12


def test_a_form_that_is_not_basic_fails_the_proof():
    """Negative control: an inertia of one axis alone."""
    shaping = Vertical(Plant.of(vehicle()), "kinetic")
    shaping.forms[0][0, 0] += 1
    with pytest.raises(gc.MatchingError, match="remainder"):
        with_values(shaping, mu=1.0, nu=0.0).require_matched()


def test_the_forms_of_the_vehicle_are_the_invariants_of_rotations():
    shaping = Vertical(Plant.of(vehicle()), "kinetic")
    G = sp.Matrix(sp.symbols("Gamma1:4", real=True))
    on_leaf = {G[2] ** 2: 1 - G[0] ** 2 - G[1] ** 2}
    expected = [sp.eye(3), (G * G.T).subs(on_leaf)]
    assert [g.name for g in shaping.gains] == ["mu", "nu"]
    assert all(form == e for form, e in zip(shaping.forms, expected, strict=True))


def test_positions_that_inputs_drive_are_in_no_form():
    """Any function of the elbow's angle would do; the constant is the one gain."""
    shaping = Vertical(Plant.of(gc.models.get("acrobot")()), "kinetic")
    assert [g.name for g in shaping.gains] == ["Delta"]
    loop = with_values(shaping, Delta=0.7)
    loop.require_matched()
    assert defect(loop, np.random.default_rng(6)) < 1e-12


def test_forms_of_degree_one_are_fewer():
    assert len(Vertical(Plant.of(vehicle()), "kinetic", degree=1).forms) == 1


def test_the_position_of_the_arm_takes_a_spring():
    shaping = Vertical(Plant.of(MECHANISMS["furuta"]()), "both")
    loop = with_values(shaping, Delta=-0.01, K=0.3)
    loop.require_matched()
    assert defect(loop, np.random.default_rng(2)) < 1e-12
    assert "z" in loop.system.state_labels


def largest(loop, x, **params):
    return gc.linearize(loop.system, x, params).eigenvalues.real.max()


@pytest.mark.parametrize(("end", "inwards"), [("lower", 1), ("upper", -1)])
def test_furuta_is_upright_where_the_arm_is_light(end, inwards):
    """0 < g + Delta < beta^2/J, arm's inertia g at the top, coupling beta, rod's inertia J."""
    loop = with_values(Vertical(Plant.of(MECHANISMS["furuta"]()), "kinetic"), **SHAPED["furuta"])
    p = gc.models.get("furuta-pendulum")().reduce().params
    g, beta, rod = p["J"] + p["m"] * p["R"] ** 2, p["m"] * p["R"] * p["l"], p["I"] + p["m"] * p["l"] ** 2
    width = beta**2 / rod
    Delta = (0 if end == "lower" else width) - g
    inside, outside = ({"Delta": Delta + way * inwards * 1e-6 * width} for way in (1, -1))
    assert largest(loop, np.zeros(3), **inside) < 1e-4
    assert gc.certify(loop.system, np.zeros(3), inside).verdict is gc.Verdict.PROVED_STABLE
    assert largest(loop, np.zeros(3), **outside) > 1e-3
    assert gc.certify(loop.system, np.zeros(3), outside).verdict is gc.Verdict.PROVED_UNSTABLE


class TestTopHeavyVehicle:
    """At rest: -M_i < mu < (m l)^2/J_j - M_i, (i, j) = (1, 2) and (2, 1); m l = 0.9, J = (3.1, 2.6)."""

    @pytest.fixture(scope="class")
    @staticmethod
    def loop():
        return with_values(Vertical(Plant.of(vehicle()), "kinetic"), **SHAPED["vehicle"])

    @pytest.fixture(scope="class")
    @staticmethod
    def at_rest(loop):
        return loop.system.project(np.zeros(6), {"Gamma": (0, 0, -1)})

    @pytest.mark.parametrize(("end", "inwards"), [(-24.9, 1), (0.81 / 2.6 - 25, -1)])
    def test_the_window_flips_at_both_ends(self, loop, at_rest, end, inwards):
        """M = (25, 24.9): the intersection of (-25, -24.68846) and (-24.9, -24.63871)."""
        assert largest(loop, at_rest, M2=24.9, mu=end + inwards * 1e-6) < 1e-6
        outside = end - inwards * 1e-6
        assert largest(loop, at_rest, M2=24.9, mu=outside) > 1e-3
        verdict = gc.certify(loop.system, at_rest, {"M2": 24.9, "mu": outside}).verdict
        assert verdict is gc.Verdict.PROVED_UNSTABLE

    @pytest.mark.parametrize("mu", np.linspace(-25.5, -20.5, 21))
    def test_no_added_mass_holds_unequal_masses(self, loop, at_rest, mu):
        """M = (25, 21): the two intervals do not meet."""
        assert largest(loop, at_rest, mu=mu) > 1e-2


@pytest.mark.parametrize(
    ("make", "kind", "reason"),
    [
        (vehicle, "both", "no actuated direction has a position"),
        (
            lambda: gc.EulerPoincare(
                algebra=gc.so3(),
                inertia=sp.diag(3, 2, 1),
                forces=sp.symbols("u1:4", real=True),
                inputs=sp.symbols("u1:4", real=True),
            ),
            "kinetic",
            "nothing to be matched",
        ),
        (
            lambda: gc.EulerPoincare(
                algebra=gc.so3(),
                inertia=sp.diag(3, 2, 1),
                forces=[0, 0, sp.Symbol("u", real=True)],
                inputs=["u"],
            ),
            "kinetic",
            "leaves no inertia",
        ),
    ],
    ids=["no-position", "all-driven", "no-form"],
)
def test_what_is_not_in_the_class_is_refused(make, kind, reason):
    with pytest.raises(gc.MatchingError, match=reason):
        Vertical(Plant.of(make()), kind)


def test_a_gain_must_not_have_the_name_of_something_else():
    mech = gc.models.get("furuta-pendulum")()
    named = mech.replace(parameters=(*mech.parameters, gc.Parameter("Delta", 1.0)))
    with pytest.raises(gc.MatchingError, match="Delta"):
        Vertical(Plant.of(named), "kinetic")
