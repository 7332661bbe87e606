"""Bodies that roll without slipping, described as a user would, against Newton's and Euler's laws.

The frame is fixed in the body, with its origin at the centre of mass; rho(Gamma) is the vector from there to
the point of contact, and the constraint Y + Omega x rho = 0 is solved by the library for Y.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import geoctrl as gc
from tests.oracles.contact import Disk, Ellipsoid, RollingBody, Sphere

# Over 2 s. Both sides integrate with 1e-13 per step or better; the oracle's own error, found by a second run
# at another tolerance, is 3e-10 in the rattleback's rates (of order 10 and with a period of 0.1 s) and less
# than 1e-11 elsewhere.
TOLERANCE = 1e-9
TIMES = np.linspace(0.0, 2.0, 41)
GRAVITY = 9.7
E3 = np.array([0.0, 0.0, 1.0])


def parameters(**values):
    """Parameters and, by name, their symbols; a name with a bar below the J is of either sign."""
    made = {k: gc.Parameter(k, v, positive=not k.startswith(("d", "J_"))) for k, v in values.items()}
    return list(made.values()), {k: p.symbol for k, p in made.items()}


def hat(r):
    return sp.Matrix([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def rolling(name, lever, J, values, invariants=lambda Omega, Gamma, rho, J, p: {}):
    """A body with the contact vector ``lever(Gamma, p)`` and inertia ``J(p)`` about its centre of mass."""
    given, p = parameters(g=GRAVITY, **values)
    se3, vertical = gc.se3(), gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    Gamma, Omega = sp.Matrix(vertical.symbols), sp.Matrix(se3.xi[:3])
    rho, inertia = lever(Gamma, p), sp.Matrix(J(p))
    return gc.EulerPoincare(
        name=name,
        algebra=se3,
        advected=[vertical],
        inertia=sp.diag(inertia, p["m"] * sp.eye(3)),
        potential=-p["m"] * p["g"] * rho.dot(Gamma),
        constraints=(-hat(rho)).row_join(sp.eye(3)),
        contact=rho,
        invariants=invariants(Omega, Gamma, rho, inertia, p),
        parameters=given,
    )


def about_contact(Omega, rho, J, p):
    """Angular momentum about the point of contact."""
    return J * Omega + p["m"] * rho.cross(Omega.cross(rho))


def chaplygin():
    def invariants(Omega, Gamma, rho, J, p):
        M = about_contact(Omega, rho, J, p)  # constant in space
        return {"|M|^2": M.dot(M), "M.Gamma": M.dot(Gamma)}

    values = {"m": 1.3, "a": 0.35, "J1": 0.031, "J2": 0.052, "J3": 0.074}
    body = RollingBody(1.3, np.diag([0.031, 0.052, 0.074]), Sphere(0.35, np.zeros(3)), GRAVITY)
    return rolling(
        "Chaplygin's sphere",
        lambda Gamma, p: -p["a"] * Gamma,
        lambda p: sp.diag(p["J1"], p["J2"], p["J3"]),
        values,
        invariants,
    ), body


def ball():
    """Axisymmetric, with the centre of mass below the centre."""

    def invariants(Omega, Gamma, rho, J, p):
        routh = Omega[2] ** 2 * (p["J1"] * p["J3"] + p["m"] * rho.dot(J * rho))
        return {"Jellett": (J * Omega).dot(rho), "Routh": routh}

    values = {"m": 0.8, "a": 0.21, "d": 0.05, "J1": 0.012, "J3": 0.019}
    body = RollingBody(0.8, np.diag([0.012, 0.012, 0.019]), Sphere(0.21, 0.05 * E3), GRAVITY)
    return rolling(
        "ball with displaced centre of mass",
        lambda Gamma, p: sp.Matrix([0, 0, p["d"]]) - p["a"] * Gamma,
        lambda p: sp.diag(p["J1"], p["J1"], p["J3"]),
        values,
        invariants,
    ), body


def disk():
    values = {"m": 1.7, "a": 0.26, "A": 0.031, "C": 0.057}
    body = RollingBody(1.7, np.diag([0.031, 0.031, 0.057]), Disk(0.26, E3), GRAVITY)

    def lever(Gamma, p):
        steepest = sp.Matrix([Gamma[0], Gamma[1], 0])
        return -p["a"] * steepest / sp.sqrt(Gamma[0] ** 2 + Gamma[1] ** 2)

    return rolling("disk", lever, lambda p: sp.diag(p["A"], p["A"], p["C"]), values), body


def rattleback():
    """The ellipsoid of Kane and Levinson (1982): its axes and those of the inertia differ by 0.8 degrees."""
    values = {"m": 1.0, "a": 0.2, "b": 0.03, "c": 0.02, "d": 0.01}
    values |= {"J1": 2e-4, "J2": 1.6e-3, "J3": 1.7e-3, "J_12": 2e-5}
    J0 = np.array([[2e-4, 2e-5, 0], [2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]])
    body = RollingBody(1.0, J0, Ellipsoid([0.2, 0.03, 0.02], 0.01 * E3, np.eye(3)), GRAVITY)

    def lever(Gamma, p):
        B = sp.diag(p["a"], p["b"], p["c"]) ** 2 * Gamma
        return sp.Matrix([0, 0, p["d"]]) - B / sp.sqrt(Gamma.dot(B))

    def inertia(p):
        return [[p["J1"], p["J_12"], 0], [p["J_12"], p["J2"], 0], [0, 0, p["J3"]]]

    return rolling("rattleback", lever, inertia, values), body


# Builder, initial attitude (rotation vector) and angular velocity in the body.
BODIES = {
    "chaplygin": (chaplygin, [0.5, -0.7, 0.3], [2.1, -1.3, 1.7]),
    "ball": (ball, [0.9, 0.4, -0.2], [1.1, 2.4, 6.3]),
    "disk": (disk, [1.1, 0.3, 0.2], [1.2, -0.4, 5.1]),
    "rattleback": (rattleback, [0.009, 0.009, 0.0], [0.0, 0.0, 5.0]),
}


@cache
def system(name):
    return BODIES[name][0]()[0].reduce()


def start(name):
    """State and attitude; the velocities that are solved for follow, only Omega and Gamma are states."""
    _, turn, omega = BODIES[name]
    R0 = Rotation.from_rotvec(turn).as_matrix()
    return np.concatenate([omega, R0[2]]), R0


@cache
def expected(name):
    builder, turn, omega = BODIES[name]
    rtol = 3e-14 if name == "rattleback" else 1e-13
    return builder()[1].simulate(TIMES, Rotation.from_rotvec(turn).as_matrix(), omega, rtol=rtol)


def differences(name, sys):
    """Largest differences of attitude, angular velocity in space and contact path."""
    x0, R0 = start(name)
    truth = expected(name)
    traj = gc.simulate(sys, TIMES, x0)
    path = traj.contact(x0=truth.position[0], R0=R0)
    R = traj.attitude(R0)
    omega = np.einsum("tij,jt->ti", R, traj.states[:3])
    pairs = (R, truth.R), (omega, truth.omega), (path, truth.contact)
    return [float(np.max(np.abs(a - b))) for a, b in pairs]


@pytest.mark.parametrize("name", BODIES)
def test_the_rows_are_solved_by_constant_pivots(name):
    sys = system(name)
    assert sys.state_labels == ("Omega1", "Omega2", "Omega3", "Gamma1", "Gamma2", "Gamma3")
    x0, R0 = start(name)
    body = BODIES[name][0]()[1]
    r, _ = body.lever(R0, x0[:3])
    xi = [*x0[:3], *np.cross(R0.T @ r, x0[:3])]
    np.testing.assert_allclose(sys.project(xi, {"Gamma": R0[2]}), x0, atol=1e-14)  # rounding


@pytest.mark.parametrize("name", BODIES)
def test_rolling_is_newton_and_euler_with_a_contact_force(name):
    truth = expected(name)
    assert np.max(truth.slip) < 1e-11
    assert np.min(truth.force[:, 2]) > 0  # the plane pushes, so that the motion is one of a body laid on it
    attitude, omega, path = differences(name, system(name))
    assert attitude < TOLERANCE
    assert omega < TOLERANCE
    assert path < TOLERANCE


def test_a_flipped_contact_vector_is_noticed():
    """Negative control: contact at the top instead of the bottom."""
    mechanism = system("ball").mechanism
    rows = mechanism.constraints * sp.diag(-sp.eye(3), sp.eye(3))
    wrong = mechanism.replace(
        constraints=rows, potential=-mechanism.potential, contact=-mechanism.contact, invariants={}
    )
    assert min(differences("ball", wrong.reduce())) > 1e-2


def test_a_flipped_constraint_alone_shows_in_the_path():
    """Negative control: Y = Omega x rho. The energy is even in Y, so that the body turns as before."""
    mechanism = system("chaplygin").mechanism
    wrong = mechanism.replace(constraints=mechanism.constraints * sp.diag(-sp.eye(3), sp.eye(3)))
    attitude, omega, path = differences("chaplygin", wrong.reduce())
    assert max(attitude, omega) < TOLERANCE
    assert path > 1e-2


PROVED = [("chaplygin", "|M|^2"), ("chaplygin", "M.Gamma"), ("chaplygin", "energy")]
PROVED += [("ball", "Jellett"), ("ball", "Routh"), ("ball", "energy")]


@pytest.mark.parametrize(("name", "invariant"), PROVED)
def test_known_integrals_are_proved_for_all_parameters(name, invariant):
    proof = gc.check_invariant(system(name), invariant)
    assert proof.proved
    assert proof.parameters == "all"


def test_the_spin_about_the_axis_of_symmetry_is_no_integral():
    """Negative control: Routh's integral holds the spin, but the spin alone varies."""
    sys = system("ball")
    proof = gc.check_invariant(sys, sys.states[2])
    assert not proof.proved
    assert proof.counterexample is not None


@pytest.mark.parametrize("name", BODIES)
def test_invariants_are_kept_over_twenty_seconds(name):
    (x0, _), sys = start(name), system(name)
    traj = gc.simulate(sys, np.linspace(0.0, 20.0, 201), x0)
    declared = {"energy", "|Gamma|^2", *sys.mechanism.invariants}
    assert declared <= set(traj.drift)
    # Thousands of steps with rounding errors of 1e-16 times quantities of order one.
    assert max(traj.drift.values()) < 1e-12


def test_the_rattleback_reverses_one_spin_and_not_the_other():
    sys, times = system("rattleback"), np.linspace(0.0, 8.0, 801)
    gamma = Rotation.from_rotvec([0.009, 0.009, 0]).as_matrix()[2]
    spins = {}
    for spin in (5.0, -5.0):
        traj = gc.simulate(sys, times, [0, 0, spin, *gamma])
        # Spin about the vertical, over the fast rocking.
        vertical = np.einsum("it,it->t", traj.states[:3], traj.states[3:])
        spins[spin] = np.convolve(vertical, np.ones(50) / 50, mode="valid")
    assert spins[5.0][0] > 4.5
    assert spins[5.0][-1] < -4.5  # stopped and turning back just as fast
    assert np.count_nonzero(np.diff(np.sign(spins[5.0]))) == 1
    assert np.max(spins[-5.0]) < -2.0


def test_without_skewed_axes_nothing_reverses():
    """Negative control: inertia and ellipsoid with common axes treat both spins alike."""
    sys, times = system("rattleback"), np.linspace(0.0, 8.0, 801)
    gamma = Rotation.from_rotvec([0.009, 0.009, 0]).as_matrix()[2]
    traj = gc.simulate(sys, times, [0, 0, 5.0, *gamma], params={"J_12": 0.0})
    assert np.min(traj["Omega3"]) > 4.0


# The constraint Gamma . Omega is kept by a multiplier, not by a frame: a defect is error of the integration.
CONSTRAINT_DEFECT = 1e-12


@pytest.mark.parametrize("potential", ["zero", "quadratic"])
def test_veselova_runs_through_every_attitude(potential):
    sys = gc.models.get("veselova")(potential=potential).reduce()
    with pytest.warns(gc.ProjectionWarning, match="Omega2 from -0.9 to"):
        x0 = sys.project([1.3, -0.9, 0.7], {"Gamma": np.array([1, 2, -2]) / 3}, nearest=True)
    traj = gc.simulate(sys, np.linspace(0.0, 1000.0, 20_001), x0)
    assert traj.success
    assert traj.drift["constraint1"] < CONSTRAINT_DEFECT
    assert max(traj.drift.values()) < 1e-12
    octants = {tuple(signs) for signs in np.sign(traj.states[3:]).T.astype(int) if all(signs)}
    assert len(octants) == 8
    if potential == "quadratic":
        # No point of the sphere is further than ten degrees from some sample: no frame would do.
        i = np.arange(400) + 0.5
        height, angle = 1 - i / 200, np.pi * (1 + np.sqrt(5)) * i
        width = np.sqrt(1 - height**2)
        points = np.stack([width * np.cos(angle), width * np.sin(angle), height], axis=1)
        assert np.min(np.max(points @ traj.states[3:], axis=1)) > np.cos(np.radians(10))


def test_a_coarse_run_of_veselova_leaves_the_constraint():
    """Negative control: at a tolerance of 1e-6 the constraint drifts."""
    sys = gc.models.get("veselova")(potential="quadratic").reduce()
    with pytest.warns(gc.ProjectionWarning, match="Omega2 from -0.9 to"):
        x0 = sys.project([1.3, -0.9, 0.7], {"Gamma": np.array([1, 2, -2]) / 3}, nearest=True)
    traj = gc.simulate(sys, np.linspace(0.0, 100.0, 201), x0, rtol=1e-6, throw=False)
    assert traj.drift["constraint1"] > CONSTRAINT_DEFECT


def test_the_multipliers_of_a_standing_disk_hold_its_weight():
    """Its height is along an advected vector of its own, by which the weight is a force on the body."""
    mechanism = gc.models.get("rolling-disk")()
    upright = np.zeros(6), np.array([0.0, 1.0, 0.0, 0.3])
    standing = mechanism.reduce().unreduced()
    weight = mechanism.defaults["m"] * mechanism.defaults["g"]
    np.testing.assert_allclose(standing.multipliers(0.0, upright), [0.0, weight, 0.0], rtol=0, atol=1e-14)
    assert np.abs(standing.rhs(0.0, upright)[0]).max() < 1e-15


def test_a_state_is_seen_from_despun_axes_at_the_parameters_given():
    """A radius without a default is needed for heights and velocities, and was taken as the default."""
    disk = gc.models.get("rolling-disk")()
    numbers = disk.defaults
    bare = disk.replace(parameters=[replace(p, default=None) for p in disk.parameters]).reduce()
    x = bare.state(Omega=(0.3, 0.2, 7.0), Gamma=(0.8, 0, 0.6), params=numbers)
    seen = bare.despun_state(x, params=numbers)
    np.testing.assert_allclose(seen, disk.reduce().despun_state(x), atol=1e-14)
    assert bare.despun().energy(seen, numbers) == pytest.approx(bare.energy(x, numbers), rel=1e-14)
    with pytest.raises(gc.ParameterError):
        bare.despun_state(x)
