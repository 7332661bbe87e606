"""Lee, Leok and McClamroch (Springer 2018), chapter 6: the pendulums of 6.6.2, 6.6.4, problems 6.3 to 6.6."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

import geoctrl as gc
from geoctrl.decisions.arithmetic.tower import Surd
from tests.literature.attitude_by_hand import jacobian, same_spectrum, turn
from tests.literature.thresholds import assert_flips, verdict

E3 = np.array([0.0, 0.0, 1.0])


def numbers(system, **changes):
    """Mass times gravity, inertia and centre of mass."""
    p = {**system.params, **changes}
    vector = [p[f"rho{i}"] for i in (1, 2, 3)]
    return p["m"] * p["g"], np.diag([p[f"J{i}"] for i in (1, 2, 3)]), np.array(vector)


# -- 6.6.2, the three-dimensional pendulum ----------------------------------------------------------


@pytest.fixture(scope="module")
def pendulum():
    return gc.models.get("pendulum-3d")().reduce()


def euler_poisson(weight, J, rho):
    """(6.20) with rho0 = -rho, and Gamma = R^T e3."""

    def rates(x):
        omega, gamma = x[:3], x[3:]
        moment = np.cross(J @ omega, omega) - weight * np.cross(rho, gamma)
        return np.concatenate([np.linalg.solve(J, moment), np.cross(gamma, omega)])

    return rates


def test_equation_620_and_hamiltons_form_622(pendulum):
    weight, J, rho = numbers(pendulum)
    by_hand = euler_poisson(weight, J, rho)
    rng = np.random.default_rng(3)
    for _ in range(5):
        x = pendulum.random_state(rng)
        assert pendulum.rhs(0.0, x) == pytest.approx(by_hand(x), abs=1e-12)
        momentum = J @ x[:3]
        hamilton = np.cross(momentum, np.linalg.solve(J, momentum)) + weight * np.cross(-rho, x[3:])
        assert J @ pendulum.rhs(0.0, x)[:3] == pytest.approx(hamilton, abs=1e-12)


@pytest.mark.parametrize(("family", "sign"), [("hanging", 1), ("inverted", -1)])
def test_linear_equations_of_6624(pendulum, family, sign):
    """J xi'' +- m g |rho| (I - n n^T) xi = 0, the printed one for n = e3; n is oblique here."""
    weight, J, rho = numbers(pendulum)
    n = rho / np.linalg.norm(rho)
    stiffness = sign * weight * np.linalg.norm(rho) * (np.eye(3) - np.outer(n, n))
    lin = gc.linearize(pendulum, pendulum.equilibrium(family))
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.linalg.solve(J, stiffness), np.zeros((3, 3))]])
    assert same_spectrum(lin, A)
    squares = np.sort(eigh(sign * stiffness, J, eigvals_only=True))[1:]
    found = np.sort((lin.eigenvalues**2).real)
    expected = np.sort(np.concatenate([[0], -sign * squares, -sign * squares]))
    assert found == pytest.approx(expected, abs=1e-12)
    # The vertical momentum; what is left of the double zero is the turn about the vertical, no state here.
    assert lin.zero_modes == ("Gamma1*Pi1 + Gamma2*Pi2 + Gamma3*Pi3",)
    assert verdict(pendulum, family) == ("PROVED_STABLE" if sign > 0 else "PROVED_UNSTABLE")


def test_the_centre_of_mass_below_the_pivot_hangs(pendulum):
    """Erratum: rho0 points from the centre of mass to the pivot, so that R^T e3 = +rho0/|rho0| hangs."""
    _, _, rho = numbers(pendulum)
    rho0 = -rho / np.linalg.norm(rho)
    hanging, inverted = (pendulum.equilibrium(f) for f in ("hanging", "inverted"))
    assert hanging.x[3:] == pytest.approx(rho0, abs=1e-15)
    assert pendulum.energy(hanging.x) < pendulum.energy(inverted.x)
    assert np.linalg.det(-np.eye(3)) < 0  # the attitude printed as hanging is no rotation


def staude(weight, J, rho, gamma):
    """Least residual of w^2 Gamma x J Gamma = m g rho0 x Gamma over w^2 of either sign, and that w^2."""
    left, right = np.cross(gamma, J @ gamma), -weight * np.cross(rho, gamma)
    square = left @ right / (left @ left)
    return np.linalg.norm(square * left - right), square


SHIFTS = (-3.0, -0.5, 0.3, 0.5, 0.7, 1.0, 2.0, 5.0)


@pytest.mark.parametrize("s", SHIFTS)
def test_permanent_rotations_are_staudes(pendulum, s):
    weight, J, rho = numbers(pendulum)
    x = pendulum.equilibrium("permanent", s=s).x
    omega, gamma = x[:3], x[3:]
    residual, square = staude(weight, J, rho, gamma)
    assert residual < 1e-12
    assert np.cross(omega, gamma) == pytest.approx(np.zeros(3), abs=1e-13)
    assert omega @ omega == pytest.approx(square, rel=1e-12)
    assert np.linalg.det([gamma, J @ gamma, rho]) == pytest.approx(0, abs=1e-14)  # Staude's cone
    # Erratum: omega need not be along an eigenvector of J.
    assert np.linalg.norm(np.cross(gamma, J @ gamma)) > 1e-2
    # One sense of each axis only: the other needs w^2 < 0.
    assert staude(weight, J, rho, -gamma)[1] < 0


def test_no_other_axes_are_permanent(pendulum):
    weight, J, rho = numbers(pendulum)
    rng = np.random.default_rng(8)
    for _ in range(6):
        gamma = rng.normal(size=3)
        gamma /= np.linalg.norm(gamma)
        residual, square = staude(weight, J, rho, gamma)
        assert residual > 0.1
        x = np.concatenate([np.sqrt(abs(square)) * gamma, gamma])
        with pytest.raises(gc.EquilibriumError, match="not an equilibrium"):
            gc.linearize(pendulum, x)
    # A principal axis, which the text asks for, is one only where the centre of mass lies on it.
    residual, _ = staude(weight, J, rho, np.array([0.02, 0.01, 1.0]) / np.linalg.norm([0.02, 0.01, 1.0]))
    assert residual > 0.1
    with pytest.raises(gc.EquilibriumError):
        gc.linearize(pendulum, [0, 0, 4.0, 0, 0, 1.0])


def test_permanent_rotations_are_found_without_the_family(pendulum):
    weight, J, rho = numbers(pendulum)
    for s in (0.5, 1.0, 2.0):
        x = pendulum.equilibrium("permanent", s=s).x
        found = gc.find_equilibrium(pendulum, x + 0.02 * np.array([1, -1, 0.5, 1, 1, -1])).x
        residual, square = staude(weight, J, rho, found[3:])
        assert residual < 1e-9
        assert np.linalg.norm(found - x) > 1e-4  # a neighbour on the cone
        assert found[:3] @ found[:3] == pytest.approx(square, rel=1e-9)


def routhian_hessian(J, square, gamma, s):
    """Second variation on the sphere of m g rho.Gamma + h^2/(2 Gamma.J Gamma), h = w Gamma.J Gamma."""
    tangent = np.linalg.svd(gamma[None, :])[2][1:]
    through = tangent @ J @ gamma
    on_sphere = tangent @ (s * np.eye(3) - J) @ tangent.T
    return square * (on_sphere + 4 * np.outer(through, through) / (gamma @ J @ gamma))


@pytest.mark.parametrize("s", SHIFTS)
def test_verdicts_of_permanent_rotations(pendulum, s):
    """A minimum of the amended potential is stable, index one unstable; index two is for the spectrum."""
    weight, J, rho = numbers(pendulum)
    eq = pendulum.equilibrium("permanent", s=s)
    lin = gc.linearize(pendulum, eq)
    A = jacobian(euler_poisson(weight, J, rho), eq.x)
    assert same_spectrum(lin, A)
    index = np.sum(np.linalg.eigvalsh(routhian_hessian(J, eq.x[:3] @ eq.x[:3], eq.x[3:], s)) < 0)
    grows = np.max(np.linalg.eigvals(A).real) > 1e-6
    expected = {0: "PROVED_STABLE", 1: "PROVED_UNSTABLE"}.get(index)  # two nested roots in the point
    if index == 2:  # (-3, -0.5, 0.3) grow, 0.5 is held up by gyroscopic forces
        expected = "PROVED_UNSTABLE" if grows else "SPECTRALLY_STABLE_ONLY"
    assert grows == (expected == "PROVED_UNSTABLE")
    assert verdict(pendulum, "permanent", s=s) == expected


def test_threshold_of_rotations_in_a_principal_plane(pendulum):
    """rho2 = 0: the axis lies in the plane of axes 1 and 3, and J2, of which it knows nothing, decides.

    Across the plane the amended potential has the second derivative w^2 (s - J2).
    """
    s, J1, J3 = 2.0, 1.5, 0.75
    n = np.array([15.0, 0.0, 20.0]) / 64  # of length (5/8)^2: w and Gamma are rational
    rho = (np.diag([J1, 0, J3]) - s * np.eye(3)) @ n
    params = {"m": 2.25, "g": 4.0, "J1": J1, "J3": J3, **{f"rho{i + 1}": rho[i] for i in range(3)}}
    eq = pendulum.equilibrium("permanent", params={**params, "J2": 1.9}, s=s)
    assert eq.x == pytest.approx([1.125, 0, 1.5, 0.6, 0, 0.8], abs=1e-15)
    assert_flips(pendulum, "permanent", "J2", s, "PROVED_STABLE", "PROVED_UNSTABLE", params=params, s=s)


def test_vertical_momentum_and_energy_are_the_integrals(pendulum):
    Pi, G = pendulum.mechanism.algebra.mu, pendulum.mechanism.configuration_symbols
    h = sum(p * c for p, c in zip(Pi, G, strict=True))
    assert gc.check_invariant(pendulum, h).proved
    assert gc.check_invariant(pendulum, "energy").proved
    assert not gc.check_invariant(pendulum, h - 2 * Pi[0] * G[0]).proved


# -- 6.3 and 6.4, the planar pendulum ---------------------------------------------------------------


def test_planar_pendulum():
    system = gc.models.get("planar-pendulum")().reduce()
    p = system.params
    square = p["m"] * p["g"] * p["l"] / p["J"]
    for family, value, expected in (("hanging", -1, "PROVED_STABLE"), ("inverted", 1, "PROVED_UNSTABLE")):
        lin = gc.linearize(system, system.equilibrium(family))
        assert lin.eigenvalues**2 == pytest.approx([value * square] * 2, rel=1e-13)
        assert lin.zero_modes == ()
        assert verdict(system, family) == expected


def test_planar_pendulum_in_hamiltons_form():
    """thetadot = Pi/J, Pidot = -m g l sin(theta) against a run of the reduced equations."""
    system = gc.models.get("planar-pendulum")().reduce()
    m, l, J, g = (system.params[k] for k in ("m", "l", "J", "g"))  # noqa: E741
    times = np.linspace(0, 5, 51)
    theta0, Pi0 = 2.1, -1.3

    def hamilton(_, z):
        return [z[1] / J, -m * g * l * np.sin(z[0])]

    theta, Pi = solve_ivp(hamilton, (0, 5), [theta0, Pi0], "DOP853", times, rtol=1e-13, atol=1e-13).y
    # The downward vertical seen from the body: turned by -theta.
    start = [Pi0 / J, np.cos(theta0), -np.sin(theta0), 0]
    run = gc.simulate(system, times, start)
    assert run.drift["energy"] < 1e-12
    expected = [Pi / J, np.cos(theta), -np.sin(theta), 0 * theta]
    # Both runs have global errors of some 1e-12 over two seconds' worth of e-folds.
    assert run.states == pytest.approx(np.array(expected), abs=1e-10)
    R = run.attitude()
    assert np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0])) == pytest.approx(theta, abs=1e-10)


# -- 6.6.4 and 6.6, the rigid body on a hinge -------------------------------------------------------

HINGES = [(3, 0, 4), (2, -3, 6), (0, 5, 0), (-7, 4, -4)]


def hinged(group, axis):
    return gc.models.get("rigid-body-planar-pendulum")(group=group, axis=axis).reduce()


@pytest.mark.parametrize("axis", HINGES)
def test_equation_628(axis):
    system = hinged("so3", axis)
    weight, J, rho = numbers(system)
    a = np.array(axis) / np.linalg.norm(axis)
    rng = np.random.default_rng(1)
    for _ in range(4):
        angle, omega = rng.normal(size=2)
        gamma = turn(*(angle * a)).T @ E3
        rate = weight * a @ np.cross(-rho, gamma) / (a @ J @ a)
        x = system.project(omega * a, {"Gamma": gamma})
        assert x[0] == pytest.approx(omega, rel=1e-13)
        assert system.rhs(0.0, x)[0] == pytest.approx(rate, abs=1e-12)


@pytest.mark.parametrize("axis", HINGES)
def test_both_groups_have_one_motion_and_the_hinge_stays(axis):
    """R a = a along the whole motion, and R is the turn about a by the angle of the circle's form."""
    space, circle = hinged("so3", axis), hinged("so2", axis)
    a = np.array(axis) / np.linalg.norm(axis)
    times, angle, rate = np.linspace(0, 4, 41), 0.8, 2.3
    R0 = turn(*(angle * a))
    run = gc.simulate(space, times, space.project(rate * a, {"Gamma": R0.T @ E3}))
    flat = gc.simulate(circle, times, [rate, np.cos(angle), -np.sin(angle), 0])
    # Tolerances: global errors of two engines' runs.
    assert run["omega"] == pytest.approx(flat["Omega"], abs=1e-10)
    R = run.attitude(R0=R0)
    assert R @ a == pytest.approx(np.broadcast_to(a, (41, 3)), abs=1e-11)
    turns = np.unwrap(np.arctan2(-flat["C2"], flat["C1"]))
    expected = np.array([turn(*(t * a)) for t in turns])
    assert np.ptp(turns) > 1.0
    assert R == pytest.approx(expected, abs=1e-9)
    assert run.energy == pytest.approx(flat.energy, abs=1e-10)


@pytest.mark.parametrize("axis", HINGES)
def test_the_reduced_direction_is_a_unit_vector_for_a_centre_across_the_hinge_only(axis):
    """Erratum to 6.6.4.4: the part of rho0 along a stays, so that q = (a1, a2).zeta is shorter than one."""
    _, _, rho = numbers(hinged("so3", axis))
    a = np.array(axis) / np.linalg.norm(axis)
    basis = np.linalg.svd(a[None])[2][1:]
    across = np.cross(a, rho)
    for centre, unit in ((across + 0.3 * a, False), (across, True)):
        size = np.linalg.norm(centre)
        expected = np.linalg.norm(np.cross(a, centre)) / size
        lengths = [np.linalg.norm(basis @ turn(*(t * a)) @ centre) / size for t in (0.0, 0.7, -2.1)]
        assert lengths == pytest.approx([expected] * 3, rel=1e-13)
        assert bool(abs(expected - 1) < 1e-13) is unit


@pytest.mark.parametrize("group", ["so3", "so2"])
@pytest.mark.parametrize("axis", HINGES)
def test_equilibria_need_the_moment_about_the_hinge_to_vanish(group, axis):
    """Erratum to 6.6.4.6: a.(rho0 x R^T e3) = 0 is enough, R^T e3 and rho0 need not be collinear."""
    system = hinged(group, axis)
    weight, J, rho = numbers(system)
    a = np.array(axis) / np.linalg.norm(axis)
    arm, vertical = np.cross(a, rho), np.cross(a, E3)
    square = weight * np.linalg.norm(arm) * np.linalg.norm(vertical) / (a @ J @ a)
    irrational = any(isinstance(v, Surd) for v in system.equilibrium("hanging").exact)
    assert irrational == (axis not in ((3, 0, 4), (0, 5, 0)))
    for family, sign, expected in (("hanging", -1, "STABLE"), ("inverted", 1, "UNSTABLE")):
        eq = system.equilibrium(family)
        lin = gc.linearize(system, eq)
        assert lin.eigenvalues**2 == pytest.approx([sign * square] * 2, rel=1e-12)
        assert lin.zero_modes == ()
        assert verdict(system, family) == f"PROVED_{expected}"
        if group == "so3":
            moment = np.cross(-rho, eq.x[1:])
            assert a @ moment == pytest.approx(0, abs=1e-15)
            assert a @ eq.x[1:] == pytest.approx(a[2], abs=1e-15)
            if axis == (3, 0, 4):
                assert np.linalg.norm(moment) > 0.1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"group": "so4"}, "unknown group 'so4'"),
        ({"axis": (0, 0, 2)}, "vertical"),
        ({"axis": (1, 2)}, "three"),
    ],
)
def test_hinges_that_do_not_swing_are_refused(options, words):
    with pytest.raises(gc.ParameterError, match=words):
        gc.models.get("rigid-body-planar-pendulum")(**options)


# -- 6.5, the double planar pendulum ----------------------------------------------------------------


@pytest.fixture(scope="module")
def double():
    return gc.models.get("double-planar-pendulum")().reduce()


def test_double_pendulum_equations(double):
    """In angles from the downward vertical, with the Coriolis terms of the chord's length."""
    m1, m2, l1, l2, g = (double.params[k] for k in ("m1", "m2", "l1", "l2", "g"))
    rng = np.random.default_rng(6)
    for _ in range(5):
        t1, t2, w1, w2 = rng.uniform(-3, 3, size=4)
        coupling = m2 * l1 * l2
        mass = [
            [(m1 + m2) * l1**2, coupling * np.cos(t1 - t2)],
            [coupling * np.cos(t1 - t2), m2 * l2**2],
        ]
        force = [
            -coupling * np.sin(t1 - t2) * w2**2 - (m1 + m2) * g * l1 * np.sin(t1),
            coupling * np.sin(t1 - t2) * w1**2 - m2 * g * l2 * np.sin(t2),
        ]
        x = double.project(
            [w1, w2], {"Gamma": (np.cos(t1), -np.sin(t1), 0), "Delta": (np.cos(t2), -np.sin(t2), 0)}
        )
        assert double.rhs(0.0, x)[:2] == pytest.approx(np.linalg.solve(mass, force), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize(
    ("family", "signs"),
    [("hanging", (1, 1)), ("inverted", (-1, -1)), ("up-down", (-1, 1)), ("down-up", (1, -1))],
)
def test_double_pendulum_modes(double, family, signs):
    m1, m2, l1, l2, g = (double.params[k] for k in ("m1", "m2", "l1", "l2", "g"))
    coupling = signs[0] * signs[1] * m2 * l1 * l2
    mass = np.array([[(m1 + m2) * l1**2, coupling], [coupling, m2 * l2**2]])
    stiffness = g * np.diag([signs[0] * (m1 + m2) * l1, signs[1] * m2 * l2])
    squares, modes = eigh(stiffness, mass)
    lin = gc.linearize(double, double.equilibrium(family))
    found = np.sort((lin.eigenvalues**2).real)
    assert found == pytest.approx(np.sort(np.repeat(-squares, 2)), rel=1e-12)
    assert lin.zero_modes == ()
    # The velocity rows of A turn the change of Gamma2, Delta2 into accelerations; each mode keeps its shape.
    labels = list(double.state_labels)
    columns = [labels.index("Gamma2"), labels.index("Delta2")]
    accelerations = lin.A[:2][:, columns] @ (-np.diag(signs) @ modes)
    assert accelerations == pytest.approx(-modes * squares, abs=1e-12)
    expected = "PROVED_STABLE" if signs == (1, 1) else "PROVED_UNSTABLE"
    assert verdict(double, family) == expected
