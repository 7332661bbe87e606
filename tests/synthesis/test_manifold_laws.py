"""Linear laws of products, spheres and rotations: references that turn, their loops, proofs and files."""

import pickle
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import scipy.linalg
import sympy as sp

import geoctrl as gc
from tests.synthesis.circling_car import car_on_circle

ASYMPTOTIC = gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
M = sp.symbols("M1:4", real=True)
LEANING = [[0.8, 0, -0.6], [0, 1, 0], [0.6, 0, 0.8]]
"""By the angle of 3:4:5 about the second axis."""


@cache
def satellite():
    """It turns at 1/2 rad/s about an axis of space that is none of its own, seen from axes that turn so."""
    R = gc.manifolds.Attitude("R")
    given = {"J1": (0.3, "kg m^2"), "J2": (0.5, "kg m^2"), "J3": (0.4, "kg m^2"), "W": (0.5, "rad/s")}
    p = [gc.Parameter(name, value, unit, positive=True) for name, (value, unit) in given.items()]
    *J, W = (q.symbol for q in p)
    return gc.manifolds.ProductSystem(
        [R],
        kinetic=R.velocity.dot(sp.diag(*J) * R.velocity) / 2,
        forces={"R": M},
        inputs=M,
        frame_rate=[0, 0, W],
        parameters=p,
        name="satellite",
    )


@cache
def leaning():
    return gc.find_equilibrium(satellite(), {"R": (LEANING, [0.3, 0, 0.4])}, free=[str(u) for u in M])


@cache
def drone():
    """A quadrotor, seen from axes that turn at 1 rad/s about the vertical."""
    x, R, f = gc.manifolds.Place("x"), gc.manifolds.Attitude("R"), sp.Symbol("f", real=True)
    J, m, g = (
        sp.diag(*map(sp.Rational, ("0.082", "0.0845", "0.1377"))),
        sp.Rational("4.34"),
        sp.Rational("9.81"),
    )
    return gc.manifolds.ProductSystem(
        [x, R],
        kinetic=m * x.rate.dot(x.rate) / 2 + R.velocity.dot(J * R.velocity) / 2,
        potential=m * g * x.z[2],
        forces={"x": f * R.z[:, 2], "R": M},
        inputs=[f, *M],
        frame_rate=[0, 0, 1],
        name="quadrotor",
    )


@cache
def circle():
    """Of the radius 3 g/4 at 1 rad/s."""
    start = {"x": ([7.3575, 0, 0], [0, 7.3575, 0]), "R": (LEANING, [0.6, 0, 0.8])}
    return gc.find_equilibrium(drone(), start, free=["f", "M1", "M2", "M3"])


@cache
def circling():
    return gc.lqr(drone(), circle())


@cache
def turning():
    return gc.lqr(satellite(), leaning())


def verdict(law):
    return gc.certify(law.closed_loop(), law.equilibrium).verdict


# -- references that move -----------------------------------------------------------------------------


def test_thrust_and_moments_of_the_circle():
    """f = 5 m g/4, M = Om x J Om, exactly."""
    f, m1, m2, m3 = circle().exact_u
    assert f == Fraction(5, 4) * Fraction(434, 100) * Fraction(981, 100)
    J1, J3 = Fraction(82, 1000), Fraction(1377, 10000)
    assert (m1, m2, m3) == (0, Fraction(4, 5) * Fraction(3, 5) * (J1 - J3), 0)


def test_the_circle_is_proved(tmp_path):
    found = gc.certify(circling().closed_loop(), circling().equilibrium)
    assert found.verdict is ASYMPTOTIC
    assert found.method == "spectrum"  # of the exact point, in rationals
    found.to_json(tmp_path / "circle.json")
    assert gc.verify(tmp_path / "circle.json").verdict is ASYMPTOTIC
    assert circling().reached.exact
    assert circling().reached.rank == 12


def test_the_gain_is_that_of_the_pair_on_the_leaf():
    """Riccati's equation in orthonormal coordinates of the leaf, by scipy."""
    lin = gc.linearize(drone(), circle())
    S = scipy.linalg.solve_continuous_are(lin.A_leaf, lin.B_leaf, np.eye(12), np.eye(4))
    # 1e-9: two solvers of one equation.
    assert circling().K @ lin.basis == pytest.approx(lin.B_leaf.T @ S, rel=1e-9, abs=1e-9)


@pytest.mark.long(reason="two more proofs with eighteen states")
def test_a_sign_that_is_wrong_is_proved_unstable():
    for row in (1, 3):
        K = circling().K * np.where(np.arange(4) == row, -1, 1)[:, None]
        assert verdict(gc.linear_law(drone(), circle(), K)) is gc.Verdict.PROVED_UNSTABLE


def test_a_run_from_off_the_circle_comes_in():
    start = circle().x.copy()
    start[:3] += [0.5, 0.3, -0.2]
    run = gc.simulate(circling().closed_loop(), np.linspace(0, 20, 3), start)
    assert run.states[:, -1] == pytest.approx(circle().x, abs=1e-5)  # |0.6| e^{-0.63 20} is 2e-6
    assert np.max(np.abs(run.states[:, 1] - circle().x)) > 1e-4


def test_many_runs_of_the_loop_at_a_rate_of_the_frame_that_is_a_parameter():
    loop = turning().closed_loop()
    starts = np.stack([leaning().x, loop.start({"R": (turned(0.02), [0.3, 0, 0.4])})])
    many = gc.simulate_ensemble(loop, [0, 30], starts)
    assert many.states[:, :, -1] == pytest.approx(np.stack([leaning().x] * 2), abs=1e-4)


def test_the_satellite_is_proved():
    assert verdict(turning()) is ASYMPTOTIC
    assert verdict(gc.linear_law(satellite(), leaning(), -turning().K)) is gc.Verdict.PROVED_UNSTABLE


def test_the_car_is_proved():
    car, x = car_on_circle()
    law = gc.lqr(car, x)
    assert law.neutral == ()
    assert verdict(law) is ASYMPTOTIC
    assert verdict(gc.linear_law(car, x, -law.K)) is gc.Verdict.PROVED_UNSTABLE


@pytest.mark.long(reason="another proof, in other numbers")
def test_the_satellite_in_other_units():
    """Gains by Bryson's rule go over as torques over states do, and so does the verdict."""
    moved, change = satellite().in_units(mass=10**6, length=Fraction(1, 1000), time=10**4)
    d, r = (np.array(list(map(float, t.values()))) for t in (change.states, change.inputs))
    eq = gc.find_equilibrium(moved, (change.state(leaning().x), change.input(leaning().u)))
    law = gc.lqr(moved, eq, Q=1 / d**2, R=1 / r**2)
    assert law.K * d / r[:, None] == pytest.approx(turning().K, rel=1e-9, abs=1e-12)
    assert verdict(law) is ASYMPTOTIC


# -- poles, estimators, held laws ---------------------------------------------------------------------


@pytest.mark.long(reason="scipy places them slowly, and the satellite of the plain suite has the same loop")
def test_poles_are_placed():
    wanted = [-0.5, -0.6, -0.7, -0.8, -1 - 0.3j, -1 + 0.3j]
    law = gc.place(satellite(), leaning(), wanted)
    loop = gc.linearize(law.closed_loop(), law.equilibrium)
    assert np.sort_complex(loop.eigenvalues) == pytest.approx(np.sort_complex(wanted), abs=1e-6)
    assert verdict(law) is ASYMPTOTIC


@pytest.mark.long(reason="hundreds of holds")
def test_an_estimate_of_rates_alone_is_refused_and_one_of_directions_is_fed():
    with pytest.raises(gc.EquilibriumError, match="is not seen by Omega_1"):
        gc.lqe(satellite(), leaning(), "Omega_1")
    sensors = ["R_12", "R_13", "R_23"]
    continuous = gc.lqe(satellite(), leaning(), sensors)
    assert max(continuous.eigenvalues.real) < 0
    lin = gc.linearize(satellite(), leaning())
    C = lin.basis[[1, 2, 5]]
    S = scipy.linalg.solve_continuous_are(lin.A_leaf.T, C.T, lin.basis.T @ lin.basis, np.eye(3))
    # 1e-8: two solvers of one equation.
    assert lin.basis.T @ continuous.L == pytest.approx(S @ C.T, rel=1e-8, abs=1e-8)
    late = gc.lqr(satellite(), leaning(), rate=10, delay=0.05)
    law = gc.lqe(satellite(), leaning(), sensors, rate=10, delay=0.05).feed(late)
    start = satellite().start({"R": (turned(0.02), [0.3, 0.01, 0.4])})
    run = gc.simulate(satellite(), np.linspace(0, 60, 3), start, controller=law.sampled())
    assert run.states[:, -1] == pytest.approx(leaning().x, abs=1e-4)


def turned(angle):
    return np.array(LEANING) @ scipy.linalg.expm(angle * np.array([[0, 0, 1], [0, 0, 0], [-1, 0, 0.0]]))


# -- what is neutral, spheres and rotations -----------------------------------------------------------


def test_what_inner_torques_keep_is_left_out():
    """Two bodies that turn each other: their momentum in space is kept, and their common turns rest."""
    A, B = gc.manifolds.Attitude("A"), gc.manifolds.Attitude("B")
    T = A.velocity.dot(sp.diag(3, 4, 5) * A.velocity) / 2 + B.velocity.dot(sp.diag(1, 2, 3) * B.velocity) / 2
    torque = sp.Matrix(M)
    two = gc.manifolds.ProductSystem(
        [A, B], kinetic=T, forces={"A": torque, "B": list(-(B.z.T * A.z * torque))}, inputs=M
    )
    law = gc.lqr(two, gc.find_equilibrium(two, {k: (np.eye(3), np.zeros(3)) for k in "AB"}))
    assert law.neutral[:3] == ("momentum1", "momentum2", "momentum3")
    assert len(law.neutral) == 6
    assert law.reached.rank == 6
    assert max(law.eigenvalues.real) < 0
    # Reached are turns (J_A^-1 v, -J_B^-1 v), so that the law leaves (J_A w, J_B w) alone, to first order.
    x = two.start(
        {
            k: (small_turn(np.array(J) * [1, -2, 3]), np.zeros(3))
            for k, J in (("A", [3, 4, 5]), ("B", [1, 2, 3]))
        }
    )
    assert law(0.0, x) == pytest.approx(np.zeros(3), abs=1e-6)
    x = two.start({"A": (small_turn([1, -2, 3]), np.zeros(3)), "B": (np.eye(3), np.zeros(3))})
    assert np.min(np.abs(law(0.0, x))) > 1e-5


def small_turn(axis):
    a, b, c = 1e-4 * np.array(axis)
    return scipy.linalg.expm(np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]]))


def test_a_pendulum_on_a_sphere_stands():
    """f = -(k q' + c omega x q) on the two directions across, none along."""
    rod = gc.spheres.chain_pendulum([2.0], [0.5]).replace(forces=[M], inputs=M)
    law = gc.lqr(rod, gc.find_equilibrium(rod, ([0, 0, 1], [0, 0, 0])))
    A, B = np.array([[0, 1], [9.81 / 0.5, 0]]), np.array([[0], [1 / (2 * 0.5**2)]])
    S = scipy.linalg.solve_continuous_are(A, B, np.eye(2), np.eye(1))
    k, c = (B.T @ S)[0]
    expected = [[k, 0, 0, 0, c, 0], [0, k, 0, -c, 0, 0], [0] * 6]
    assert law.K == pytest.approx(np.array(expected), rel=1e-9, abs=1e-9)
    assert verdict(law) is ASYMPTOTIC


def test_a_body_keeps_its_attitude():
    body = gc.rotations.free_body([1.0, 2.0, 3.0]).replace(forces=[M], inputs=M)
    law = gc.lqr(body, gc.find_equilibrium(body, (np.eye(3), np.zeros(3))))
    assert verdict(law) is ASYMPTOTIC


# -- what a law is ------------------------------------------------------------------------------------


def test_the_law_is_an_object_like_every_law(tmp_path):
    law, x = turning(), satellite().generic_state(7)
    u = leaning().u - law.K @ (x - leaning().x)
    assert law(0.0, x) == pytest.approx(u, rel=1e-14)
    assert law(0.0, np.stack([x, x], axis=1)) == pytest.approx(np.stack([u, u], axis=1), rel=1e-14)
    assert law.function()(list(x)) == pytest.approx(u, rel=1e-12)
    numbers = dict(zip(satellite().states, x, strict=True))
    for found in (law.expr[0], law.numeric()["M1"], law.by_input()["M1"]):
        assert float(found.subs(numbers)) == pytest.approx(u[0], rel=1e-12)
    assert law.gradient(x) == pytest.approx(-law.K)
    assert law.to_control().input_labels == list(satellite().state_labels)
    assert law.units["M1"] == "N m"
    assert "M_{1}" in law.latex()
    header, source = law.to_c(tmp_path)
    assert "LAW_SATELLITE_INPUTS 3" in header.read_text()
    assert "law_satellite" in source.read_text()
    again = pickle.loads(pickle.dumps(law))
    assert np.array_equal(again.K, law.K)
    assert again.closed_loop().rhs(0.0, x) == pytest.approx(law.closed_loop().rhs(0.0, x), rel=1e-12)
    assert all(len(line) < 80 for line in repr(law).splitlines())
    loop = law.closed_loop()
    assert loop.equilibrium("held").x == pytest.approx(leaning().x)
    assert loop.params == satellite().params
    with pytest.raises(gc.InputError, match="Omega_3"):
        law(0.0, x[:5])
    with pytest.raises(gc.ParameterError, match="mass"):
        law(0.0, x, {"mass": 1.0})


REFUSED = {
    "an integral": (lambda s, eq: gc.lqr(s, eq, integral=["R_11"]), gc.InputError, "leave it out"),
    "an estimator in the loop": (
        lambda _s, _eq: turning().closed_loop(gc.lqe(satellite(), leaning(), ["R_12", "R_13", "R_23"])),
        gc.InputError,
        "rate=",
    ),
    "another form": (
        lambda s, eq: gc.lqr(s.in_form("momentum"), eq),
        gc.DescriptionError,
        "system of the form",
    ),
    "functions": (
        lambda s, eq: gc.lqr(s.replace(forces=lambda t, z, w, u, p: np.array([u])), eq),
        gc.DescriptionError,
        "Give expressions",
    ),
    "a label": (lambda s, eq: gc.lqr(s, eq, Q={"Omega": 1}), gc.LabelError, "Omega_3"),
    "no equilibrium": (
        lambda s, _eq: gc.lqr(s, s.generic_state(1)),
        gc.EquilibriumError,
        "not an equilibrium",
    ),
    "too many poles": (lambda s, eq: gc.place(s, eq, [-1] * 12), gc.InputError, "6 poles"),
    "a report of tolerances": (
        lambda s, eq: gc.robustness(s, turning(), eq.x, [0, 1]),
        TypeError,
        "needs a reduced system",
    ),
    "a region": (
        lambda _s, eq: gc.region_of_attraction(turning().closed_loop(), eq),
        TypeError,
        "needs a reduced system",
    ),
    "conditions in symbols": (
        lambda _s, _eq: gc.stability_conditions(turning().closed_loop(), "held"),
        TypeError,
        "needs a reduced system",
    ),
    "a schedule": (
        lambda s, _eq: gc.schedule(s, "held", "W", [0.4, 0.5]),
        TypeError,
        "needs a reduced system",
    ),
    "a bound while it moves": (
        lambda _s, _eq: gc.bound_while_moving(turning().closed_loop(), "held", "W", (0, 1), 0.1),
        TypeError,
        "needs a reduced system",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    call, error, words = REFUSED[case]
    with pytest.raises(error, match=words):
        call(satellite(), leaning())


def test_a_point_that_spins_is_refused_with_the_remedy():
    body = gc.rotations.free_body([1.0, 2.0, 3.0]).replace(forces=[M], inputs=M)
    eq = gc.find_equilibrium(body, (np.eye(3), [0, 0, 1]), spin=[0, 0, 1])
    with pytest.raises(gc.EquilibriumError, match="frame_rate="):
        gc.lqr(body, eq)
