"""Linear-quadratic regulators, placed poles and estimators on the leaf, and their loops."""

import itertools

import control
import numpy as np
import pytest
import scipy.linalg
import sympy as sp
from scipy.integrate import quad_vec
from scipy.linalg import solve_discrete_are

import geoctrl as gc
from tests.literature import skate_by_hand as hand

PROVED = (gc.Verdict.PROVED_STABLE, gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE)


def plant(name, options=None):
    return gc.models.get(name)(**(options or {})).reduce()


def top(**params):
    """The heavy top with torques about its first two axes."""
    M1, M2 = sp.symbols("M1 M2", real=True)
    return gc.models.get("heavy-top")().replace(forces=[M1, M2, 0], inputs=[M1, M2]).reduce()


@pytest.fixture(scope="module")
def skate():
    return plant("pendulum-skate-rotor")


@pytest.fixture(scope="module")
def sliding(skate):
    return skate.equilibrium("sliding", Y0=1.0)


@pytest.fixture(scope="module")
def law(skate, sliding):
    return gc.lqr(skate, sliding)


def by_hand():
    """The skate's pair in (v1, theta_dot, Gamma2)."""
    p = hand.DATA_73
    body = p["I1"] + p["m"] * p["l"] ** 2
    square = p["m"] * p["g"] * p["l"] / body
    A = np.array([[0, 0, square], [0, 0, -square], [1.0, 0, 0]])
    return A, np.array([[-1 / body], [1 / p["J1"] + 1 / body], [0]])


def sorted_values(values):
    return np.array(sorted(values, key=lambda z: (round(z.real, 6), z.imag)))


# -- the skate ----------------------------------------------------------------------------------------


def test_the_gain_of_the_skate_is_that_of_its_three_states(law, skate):
    A, B = by_hand()
    S = scipy.linalg.solve_continuous_are(A, B, np.eye(3), np.eye(1))
    expected = (B.T @ S)[0]
    places = [skate.state_labels.index(label) for label in ("v1", "theta_dot", "Gamma2")]
    # 1e-8: two solutions of one equation, of which the solution's condition is 1e6.
    assert law.K[0, places] == pytest.approx(expected, rel=1e-8)
    assert law.K[0, places[2]] == pytest.approx(-2973, abs=0.5)
    assert law.neutral == ("C1", "C2")
    assert law.eigenvalues.real == pytest.approx([-200.4, -3.215, -3.215], abs=0.05)
    assert law.eigenvalues == pytest.approx(
        np.sort_complex(np.linalg.eigvals(A - B @ expected[None])), rel=1e-6
    )


def test_what_is_left_out_is_left_alone(law, skate, sliding):
    """Neighbouring equilibria are held: K vanishes on sliding faster, and on the leaning turn."""
    g = sliding.params["g"]
    K = dict(zip(skate.state_labels, law.K[0], strict=True))
    assert K["v3"] == 0
    assert K["Gamma3"] == 0
    assert K["Gamma2"] == pytest.approx(g * K["v2"], rel=1e-12)
    loop = law.closed_loop()
    assert loop.equilibrium("sliding", Y0=2.5).x[2] == 2.5
    assert "spinning" not in loop.families  # it would ask for a torque


def test_the_plain_equation_has_no_solution(skate, sliding):
    """Why the neutral modes have to be left out."""
    lin = gc.linearize(skate, sliding)
    with pytest.raises(np.linalg.LinAlgError):
        scipy.linalg.solve_continuous_are(lin.A_leaf, lin.B_leaf, np.eye(5), np.eye(1))


def test_the_law_brings_the_skate_back_and_parks_the_rotor(skate, sliding):
    law = gc.lqr(skate, sliding, Q={"Gamma2": 1 / 0.1**2, "theta_dot": 1 / 360**2}, R={"u_theta": 1 / 8**2})
    x0 = skate.state(v3=1.0, Gamma=(0, np.sin(0.05), np.cos(0.05)))
    run = gc.simulate(law.closed_loop(), np.linspace(0, 60, 601), x0)
    assert abs(run["Gamma2"][-1]) < 1e-4
    assert abs(run["theta_dot"][-1]) < 1e-2 * np.max(np.abs(run["theta_dot"]))
    assert run.output_labels == ("u_theta",)
    torque = law(0.0, run.states)
    assert run.outputs == pytest.approx(torque, rel=1e-9, abs=1e-9)


def test_the_law_is_an_object_like_every_law(law, skate, sliding):
    x = skate.random_state(np.random.default_rng(1))
    u = sliding.u - law.K @ (x - sliding.x)
    assert law(0.0, x) == pytest.approx(u, rel=1e-14)
    assert law(0.0, np.stack([x, x], axis=1)) == pytest.approx(np.stack([u, u], axis=1), rel=1e-14)
    numbers = dict(zip(skate.states, x, strict=True))
    for found in (law.expr[0], law.numeric()["u_theta"], law.by_input()["u_theta"]):
        assert float(found.subs(numbers)) == pytest.approx(u[0], rel=1e-12)
    assert law.input_labels == ("u_theta",)
    assert law.to_control().input_labels == list(skate.state_labels)
    feedback = control.interconnect(
        [skate.to_control(name="plant"), law.to_control(name="law")],
        connections=[
            ["plant.u_theta", "law.u_theta"],
            *([f"law.{label}", f"plant.{label}"] for label in skate.state_labels),
        ],
        outlist=[f"plant.{label}" for label in skate.state_labels],
    )
    assert feedback.dynamics(0.0, x, np.zeros(0)) == pytest.approx(law.closed_loop().rhs(0.0, x), rel=1e-9)
    assert "left out: C1, C2" in repr(law)
    with pytest.raises(gc.InputError, match="theta_dot"):
        law(0.0, x[:5])
    with pytest.raises(gc.ParameterError, match="mass"):
        law(0.0, x, {"mass": 1.0})


def test_other_parameters_are_those_of_the_loop(skate):
    params = {"m": 2.0, "J1": 0.01}
    law = gc.lqr(skate, skate.equilibrium("sliding", Y0=1.0, params=params))
    assert law.closed_loop().params["m"] == 2.0
    inner = gc.linearize(law.closed_loop(), law.equilibrium).eigenvalues
    assert np.sort(inner.real)[:3] == pytest.approx(np.sort(law.eigenvalues.real), rel=1e-8)


# -- mechanisms ---------------------------------------------------------------------------------------

CASES = {
    "skate, spinning": (("pendulum-skate-rotor",), "spinning", {"Omega0": 1.0}, ("C1", "C2"), PROVED),
    "cart": (("cart-pendulum",), "upright", {}, (), PROVED),
    "cart hanging": (("cart-pendulum",), "hanging", {}, (), (gc.Verdict.NUMERICALLY_STABLE, *PROVED)),
    "Furuta": (("furuta-pendulum",), "upright", {"Omega0": 0}, (), PROVED),
    "satellite": (
        ("body-with-rotors",),
        "parked",
        {"rate1": 1, "rate2": -2, "rate3": 3},
        ("Pi1**2 + Pi2**2 + Pi3**2",),
        PROVED,
    ),
    "bicycle": (("getz-bicycle",), "upright", {"v": 3}, (), PROVED),
    "vehicle": (("underwater-vehicle", {"thrusters": True}), "level1", {"Y0": 1.0}, (), PROVED),
}


@pytest.mark.parametrize("case", CASES)
def test_loops_of_mechanisms(case):
    name, family, values, neutral, verdicts = CASES[case]
    system = plant(*name)
    law = gc.lqr(system, system.equilibrium(family, **values))
    assert law.neutral == neutral
    loop = law.closed_loop()
    lin = gc.linearize(loop, law.equilibrium)
    found = lin.eigenvalues[len(neutral) :]
    assert np.all(lin.eigenvalues[: len(neutral)] == 0)
    # 1e-6: eigenvalues of a closed pair differ from those of a random basis by the root of rounding at most.
    assert sorted_values(found) == pytest.approx(sorted_values(law.eigenvalues), rel=1e-6, abs=1e-6)
    assert gc.certify(loop, law.equilibrium).verdict in verdicts


@pytest.mark.long(reason="loops of other mechanisms are asked beside it")
def test_the_bicycle_of_the_benchmark_keeps_its_speed():
    """Steering does not change the speed to first order; its head angle leaves nothing rational."""
    system = plant("whipple-bicycle")
    law = gc.lqr(system, system.equilibrium("upright", v=4.0))
    assert law.neutral == ("rest along speed",)
    assert law.K[0, system.state_labels.index("speed")] == 0
    assert np.max(law.eigenvalues.real) < 0
    # At 4 m/s the benchmark weaves by itself.
    assert np.max(gc.linearize(system, law.equilibrium).eigenvalues.real) > 0


def test_the_top_of_lagrange():
    system = top()
    params = {"I1": 0.9, "I2": 0.9}
    law = gc.lqr(system, system.equilibrium("sleeping", Omega0=2, params=params))
    assert law.neutral == ("Pi3",)
    assert law.reached.rank == law.reached.dimension == 4
    expected = [-3.446 - 1.332j, -3.446 + 1.332j, -2.402 - 1.557j, -2.402 + 1.557j]
    assert law.eigenvalues == pytest.approx(expected, abs=1e-3)
    # Without the symmetry Pi3 is not conserved; the spin is at rest all the same, and out of reach.
    other = gc.lqr(system, system.equilibrium("sleeping", Omega0=2))
    assert other.neutral == ("rest along Omega3",)


# -- poles --------------------------------------------------------------------------------------------


def test_poles_are_placed(skate, sliding):
    wanted = [-4, -3 + 2j, -3 - 2j]
    law = gc.place(skate, sliding, wanted)
    assert law.eigenvalues == pytest.approx(np.array([-4, -3 - 2j, -3 + 2j]), rel=1e-8)
    A, B = by_hand()
    K = law.K[0, [0, 3, 4]][None]
    assert np.poly(A - B @ K) == pytest.approx(np.poly(wanted).real, rel=1e-8)


@pytest.mark.parametrize(
    ("poles", "words"),
    [
        ([-1, -2, -3, -4, -5], "3 poles .* C1, C2"),
        ([-1, -2, 3], "negative real parts"),
        ([-1, -2, -3 + 1j], "conjugate"),
        ([-1, -1, -1], "cannot be placed"),
        ([-1, -2, "fast"], "numbers"),
        (7, "sequence"),
    ],
)
def test_poles_that_cannot_be_placed(skate, sliding, poles, words):
    with pytest.raises(gc.InputError, match=words):
        gc.place(skate, sliding, poles)


# -- estimators ---------------------------------------------------------------------------------------


def test_an_estimator_and_a_law_do_not_change_each_others_eigenvalues(law, skate, sliding):
    v1 = sp.Symbol("v1", real=True)
    estimator = gc.lqe(skate, sliding, {"gyro": 2 * v1, "encoder": sp.Symbol("theta_dot", real=True) - v1})
    assert estimator.neutral == ("C1", "C2")
    assert estimator.labels == ("estimate1", "estimate2", "estimate3")
    loop = law.closed_loop(estimator)
    x = np.concatenate([sliding.x, np.zeros(3)])
    assert loop.rhs(0.0, x) == pytest.approx(0, abs=1e-12)
    lin = gc.linearize(loop, x)
    expected = [0, 0, *law.eigenvalues, *estimator.eigenvalues]
    assert sorted_values(lin.eigenvalues) == pytest.approx(
        sorted_values(np.array(expected)), rel=1e-5, abs=1e-6
    )


def test_the_gain_of_the_estimator_is_that_of_its_three_states(skate, sliding):
    A, _ = by_hand()
    C = np.array([[1.0, 0, 0], [0, 1, 0]])
    P = scipy.linalg.solve_continuous_are(A.T, C.T, np.eye(3), np.eye(2))
    estimator = gc.lqe(skate, sliding, ["v1", "theta_dot"])
    assert estimator.L[[0, 3, 4]] == pytest.approx(P @ C.T, rel=1e-8)
    assert estimator.L[[1, 2, 5]] == pytest.approx(0, abs=1e-10)
    space = estimator.to_control()
    assert space.input_labels == ["d_v1", "d_theta_dot", "d_u_theta"]
    assert np.sort(control.poles(space).real) == pytest.approx(np.sort(estimator.eigenvalues.real), rel=1e-8)


def test_what_sensors_do_not_see_is_named(skate, sliding):
    with pytest.raises(gc.EquilibriumError, match=r"theta_dot \(eigenvalue 0\) is not seen by v1"):
        gc.lqe(skate, sliding, "v1")
    with pytest.raises(gc.EquilibriumError, match=r"theta_dot .* is not seen by Gamma2"):
        gc.lqe(skate, sliding, "Gamma2")
    # The momentum of the rotor, v1 + theta_dot, is moved by no torque of gravity.
    with pytest.raises(gc.InputError, match="QN drives no motion along v1, theta_dot"):
        gc.lqe(skate, sliding, "theta_dot", QN={"Gamma2": 1.0})


def test_an_estimator_of_another_point_is_refused(law, skate):
    other = gc.lqe(skate, skate.equilibrium("sliding", Y0=2.0), "theta_dot")
    with pytest.raises(gc.InputError, match="another"):
        law.closed_loop(other)
    with pytest.raises(TypeError, match=r"gc\.lqe"):
        law.closed_loop(np.zeros((6, 1)))


# -- refusals -----------------------------------------------------------------------------------------


def test_what_cannot_be_reached_is_named():
    system = plant("body-with-rotor")
    eq = system.equilibrium("dual-spin", Omega0=1, rate0=2)
    for ask in (lambda: gc.lqr(system, eq), lambda: gc.place(system, eq, [-1])):
        with pytest.raises(gc.EquilibriumError, match=r"Omega[12].*cannot be reached by u_theta"):
            ask()


def test_matrices_and_the_ambient_state_are_refused_with_the_remedy(skate, sliding):
    lin = gc.linearize(skate, sliding)
    with pytest.raises(TypeError, match=r"gc\.linearize\(sys, eq\)\.controllable"):
        gc.lqr(lin.A, lin.B, np.eye(6), np.eye(1))
    with pytest.raises(TypeError, match="lqr takes a system"):
        gc.lqr(lin, sliding)
    with pytest.raises(gc.EquilibriumError, match="off the leaf"):
        gc.lqr(skate, [0, 0, 1.0, 0, 0, 1.01])
    with pytest.raises(gc.EquilibriumError, match="not an equilibrium"):
        gc.lqr(skate, [0, 0, 1.0, 0, 0.6, 0.8])
    with pytest.raises(TypeError, match=r"\.reduce\(\)"):
        gc.lqr(gc.models.get("cart-pendulum")(), sliding)


def test_a_system_without_inputs_is_refused():
    system = plant("heavy-top")
    with pytest.raises(gc.InputError, match="needs inputs"):
        gc.lqr(system, system.equilibrium("sleeping", Omega0=2))


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        ({"Q": np.eye(5)}, gc.InputError, "v1, v2, v3"),
        ({"Q": {"Gamma4": 1.0}}, gc.LabelError, "Gamma4"),
        ({"Q": -1.0}, gc.InputError, "semidefinite"),
        ({"Q": np.triu(np.ones((6, 6)))}, gc.InputError, "symmetric"),
        ({"Q": np.nan}, gc.InputError, "finite"),
        ({"Q": {"v1": 1.0}}, gc.InputError, "no weight .* along theta_dot"),
        ({"Q": 0.0}, gc.InputError, "no weight .* along theta_dot"),
        ({"R": 0.0}, gc.InputError, "R must be positive definite"),
        ({"R": {"u": 2.0}}, gc.LabelError, "u_theta"),
    ],
)
def test_weights_that_are_refused(skate, sliding, weights, error, words):
    with pytest.raises(error, match=words):
        gc.lqr(skate, sliding, **weights)


def test_laws_and_estimators_are_not_made_of_anything_else(law, skate, sliding):
    with pytest.raises(TypeError, match="a linear law needs a system"):
        gc.LinearLaw(None, sliding, law.K, law.reached)
    with pytest.raises(TypeError, match=r"gc\.lqr"):
        gc.LinearLaw(skate, sliding.x, law.K, law.reached)
    with pytest.raises(gc.InputError, match="K"):
        gc.LinearLaw(skate, sliding, law.K.T, law.reached)
    with pytest.raises(TypeError, match=r"gc\.lqe"):
        gc.LinearEstimator(skate, sliding, np.zeros((6, 1)), law.reached, "v1")


@pytest.mark.filterwarnings("ignore:rate=100 is in Hz")
@pytest.mark.parametrize("damping", [30, 10**6])
def test_what_decays_fast_within_a_hold_leaves_the_gain(damping):
    """q'' = -c q' + u, held for 10 ms: sums and integrals by hand, e^(c h) of 1e4342 in no place."""
    q, u = gc.Coordinate("q"), sp.Symbol("u", real=True)
    system = gc.EulerPoincare(
        name="stiff", shape=[q], inertia=[[1]], forces=[u - damping * q.rate], inputs=[u]
    ).reduce()
    K = gc.lqr(system, system.state(), Q={"q_dot": 1, "q": 100}, R=1e-4, rate=100).K
    c, h = float(damping), 0.01

    def flow(t):
        e = np.exp(-c * t)
        s = -np.expm1(-c * t) / c
        return np.array([[e, 0, s], [s, 1, (t - s) / c], [0, 0, 1]])

    W = np.diag([1, 100, 1e-4])
    ends = [0, *np.geomspace(min(h, 1e-2 / c), h, 60)]
    cost = sum(
        quad_vec(lambda t: flow(t).T @ W @ flow(t), a, b, epsrel=1e-12, epsabs=0)[0]
        for a, b in itertools.pairwise(ends)
    )
    A, B = flow(h)[:2, :2], flow(h)[:2, 2:]
    S = solve_discrete_are(A, B, cost[:2, :2], cost[2:, 2:], s=cost[:2, 2:])
    wanted = np.linalg.solve(cost[2:, 2:] + B.T @ S @ B, B.T @ S @ A + cost[2:, :2])
    assert pytest.approx(wanted, rel=1e-6) == K
