"""Order, structure and long runs of the integrators on rotations."""

from functools import cache
from itertools import product

import numpy as np
import pytest
import sympy as sp

from geoctrl import rotations
from geoctrl.manifolds.numerics.numbers_of_a_run import Run
from geoctrl.rotations.attitudes import exp, hat, log
from geoctrl.stepping.compiled.bodies import ATTITUDE, carry
from geoctrl.stepping.methods.variational import Solver
from geoctrl.stepping.solvers import apart
from tests.rotations.systems import (
    J2,
    J,
    by_dop853,
    coupled,
    final,
    general,
    gyrostat,
    random_state,
    top,
)
from tests.stepping.layouts import layout
from tests.sweeps import sampled

# Builder, state, time, inputs.
PROBLEMS = {
    "top": (top, random_state(1, 1, 2.0), 1.0, None),
    "gyrostat": (gyrostat, random_state(1, 2, 2.0), 1.0, None),
    "coupled": (coupled, random_state(2, 3, 1.5), 1.0, None),
    "general": (general, random_state(2, 4), 1.0, None),
    "forced": (lambda: general(forced=True), random_state(2, 5), 1.0, [0.7]),
}
# Steps of the coarser of two runs: the leading term of the error rules, and it is above 1e-11.
STEPS = {2: 200, 4: 40, 6: 24}
STEPS_OF_EIGHT = {"top": 10, "gyrostat": 20, "coupled": 20, "general": 5, "forced": 5}
TOLERANCE = {2: 0.02, 4: 0.1, 6: 0.1, 8: 0.1}


def run(name, steps, **options):
    build, (R, Omega), T, inputs = PROBLEMS[name]
    return rotations.integrate(build(), R, Omega, T / steps, steps, record=steps, inputs=inputs, **options)


@cache
def reference(name):
    return final(run(name, 200, order=8))


def measured_order(name, steps, **options):
    coarse, fine = (np.max(np.abs(final(run(name, k * steps, **options)) - reference(name))) for k in (1, 2))
    assert fine > 1e-11, f"the error {fine:.1e} is too near rounding"
    return np.log2(coarse / fine)


@pytest.mark.parametrize("name", PROBLEMS)
def test_reference_is_the_motion(name):
    build, (R, Omega), T, inputs = PROBLEMS[name]
    u = None if inputs is None else lambda _: np.array(inputs)
    np.testing.assert_allclose(reference(name), by_dop853(build(), R, Omega, T, u), rtol=0, atol=1e-11)


ORDERS = (2, 4, 6, 8)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_order(name, order):
    steps = STEPS_OF_EIGHT[name] if order == 8 else STEPS[order]
    assert measured_order(name, steps, order=order) == pytest.approx(order, abs=TOLERANCE[order])


def test_order_of_runge_kutta():
    assert measured_order("forced", 100, method="rk4") == pytest.approx(4, abs=0.1)


def test_methods_say_what_they_are():
    assert rotations.METHODS["variational"].order == 2
    assert "symplectic form" in rotations.METHODS["variational"].preserves
    assert rotations.METHODS["rk4"].preserves == ()


@pytest.mark.parametrize("name", PROBLEMS)
def test_attitudes_stay_rotations(name):
    build, (R, Omega), _, inputs = PROBLEMS[name]
    r = rotations.integrate(build(), R, Omega, 0.01, 100_000, record=10_000, inputs=inputs)
    assert r.orthogonality_error.max() < 1e-12
    assert r.orthogonality_error[1:].max() < 1e-15  # that of one step: it does not add up
    assert r.orthogonality_error[-1] == pytest.approx(
        np.abs(np.swapaxes(r.R[-1], 1, 2) @ r.R[-1] - np.eye(3)).max(), abs=0
    )


AXIS = np.array([0.5, 0.6, 0.62]) / np.linalg.norm([0.5, 0.6, 0.62])
BALL = rotations.free_body([1.0, 1.0, 1.0])
# Body and axis of a steady spin.
SPINS = {
    "principal axis": (rotations.free_body([1.0, 2.0, 2.5]), np.array([0.0, 0.0, 1.0])),
    "general axis": (BALL, AXIS),
    "turning frame": (BALL.replace(frame_rate=[0.1, -0.3, 0.2]), AXIS),
    "two bodies": (rotations.coupled_bodies([[1.0, 1.0, 1.0], [1.0, 1.5, 2.0]], 1e-9), AXIS),
}


@pytest.mark.long(reason="attitudes stay rotations in the test before")
@pytest.mark.parametrize(
    ("name", "turn", "order"),
    sampled(
        product(SPINS, [0.05, 0.5, 1.0, 1.4], [2, 4]),
        lambda case: case[1:] in ((0.05, 4), (1.0, 2), (1.4, 4)),
        reason="small and large turns, and both orders, are in the sample of every body",
    ),
)
def test_attitudes_stay_rotations_in_fast_spins(name, turn, order):
    """Turns of up to 1.4 rad a step: the same F every time, of which the rounding would add up."""
    body, axis = SPINS[name]
    R, Omega = exp([0.3 * axis + 0.2] * body.n), np.zeros((body.n, 3))
    # sin(turn) = h Omega; the longest substep of a composition is 1.7 h backwards.
    Omega[0] = axis * np.sin(turn if order == 2 else 0.4 * turn)
    r = rotations.integrate(body, R, Omega, 1.0, 100_000, record=10_000, order=order)
    assert r.orthogonality_error.max() < 1e-12
    assert np.abs(np.linalg.det(r.R) - 1).max() < 1e-12


def defect(R):
    return np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max()


@pytest.mark.parametrize("frame", [[0.0, 0.0, 0.0], [0.3, -0.5, 0.4]])
def test_a_step_leaves_the_rotations_by_rounding_without_correction(frame):
    """R F from rotations that are exact in floats, the turns of a cube onto itself."""
    rng, worst = np.random.default_rng(15), 0.0
    bodies, frame = layout([ATTITUDE]), np.array(frame)
    for f in rng.uniform(-0.577, 0.577, size=(1000, 3)):  # |f| < 1, all the method takes
        R = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], size=3)
        apart.advance(R, 0, f)
        carry(bodies, frame, R, np.zeros((1, 3)))
        worst = max(worst, defect(R))
    assert worst < 2e-15


def test_the_correction_is_the_nearest_rotation_to_first_order():
    """So that it removes rounding and nothing else: of a defect d there remains 3/4 d^2."""
    R = exp(np.random.default_rng(16).normal(size=3))
    S = np.array([[2.0, 0.3, -0.5], [0.3, -1.0, 0.7], [-0.5, 0.7, 0.4]])
    for size in (1e-2, 1e-3):
        Q = R @ (np.eye(3) + size * S)
        out = Q.copy()
        apart.settle(out, 0)
        np.testing.assert_allclose(rotations.project(Q), R, rtol=0, atol=1e-14)
        assert 0.1 < np.abs(out - R).max() / (1.5 * size**2 * np.abs(R @ S @ S).max()) < 1.1
    assert np.abs(out - R).max() > 1e-7  # negative control: it is no projection


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_correction_is_of_rounding_in_every_step(name, monkeypatch):
    """The same loop as Python, its corrections written down."""
    sizes = []

    def settle(z, b):
        before = z[b : b + 3].copy()
        corrected(z, b)
        sizes.append(np.abs(z[b : b + 3] - before).max())

    corrected = apart.settle
    expected = final(run(name, 500))
    monkeypatch.setattr(apart, "settle", settle)
    monkeypatch.setattr(Run, "loop", lambda self, function, signature: function)
    monkeypatch.setattr(Solver, "pointers", lambda self, python: (self.step, self.rates))
    found = final(run(name, 500))
    assert len(sizes) == 500 * PROBLEMS[name][0]().n
    assert 0 < max(sizes) < 2e-15
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_attitudes_of_runge_kutta_leave_the_rotations():
    """Negative control: without the group structure the defect is that of the method."""
    assert (
        rotations.integrate(top(), *random_state(1, 1), 0.05, 2000, method="rk4").orthogonality_error[-1]
        > 1e-7
    )


@pytest.mark.parametrize(("steps", "tolerance"), [(10_000, 1e-10), (100_000, 1e-8)])
def test_momentum_maps_are_kept(steps, tolerance):
    record = steps // 10
    R, Omega = random_state(2, 6, 1.5)
    r = rotations.integrate(coupled(), R, Omega, 0.01, steps, record=record)
    size = np.abs(Omega[0] @ J).sum() + np.abs(Omega[1] @ J2).sum()
    assert np.abs(r.momentum - r.momentum[0]).max() < tolerance * size
    for system in (top(), gyrostat().replace(linear=[[0.7, -0.5, 0.9]])):
        r = rotations.integrate(system, R[:1], Omega[:1], 0.01, steps, record=record)
        assert np.abs(r.momentum[:, 2] - r.momentum[0, 2]).max() < tolerance * size
        assert np.ptp(r.momentum[:, 0]) > 0.1  # negative control: about a horizontal axis it is not kept


def test_momentum_in_a_turning_frame_is_kept_about_its_axis():
    system = top().replace(frame_rate=[0, 0, 0.8])
    r = rotations.integrate(system, *random_state(1, 7), 0.01, 10_000, record=100)
    assert np.ptp(r.momentum[:, 2]) < 1e-10


def one_step(system, method="variational", h=0.1):
    """One step as a map of (R, Pi)."""

    def step(R, Pi):
        x = system.convert(system.pack(R, Pi), "Pi", "Omega")
        r = rotations.integrate(system, *system.unpack(x), h, 1, method=method)
        y = system.convert(r.states[:, -1], "Omega", "Pi")
        return system.unpack(y)

    return step


def symplectic_matrix(Pi):
    """Canonical two-form in turns eta of the bodies and Pi: dPi.deta' - dPi'.deta + Pi.(eta' x eta)."""
    n = len(Pi)
    S = np.zeros((6 * n, 6 * n))
    for i in range(n):
        S[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = hat(Pi[i])
    S[: 3 * n, 3 * n :], S[3 * n :, : 3 * n] = -np.eye(3 * n), np.eye(3 * n)
    return S


def symplectic_defect(system, method="variational", sign=1):
    R, Omega = random_state(system.n, 8)
    _, Pi = system.unpack(system.convert(system.pack(R, Omega), "Omega", "Pi"))
    step, n = one_step(system, method), system.n
    R1, Pi1 = step(R, Pi)

    def moved(direction, size):
        d = size * direction.reshape(2, n, 3)
        R2, Pi2 = step(R @ exp(d[0]), Pi + d[1])
        return np.concatenate([log(np.swapaxes(R1, 1, 2) @ R2).ravel(), (Pi2 - Pi1).ravel()])

    def slope(direction, size):
        return (moved(direction, size) - moved(direction, -size)) / (2 * size)

    # Richardson: error of order size^4, and rounding of 1e-15 / size.
    D = np.array([(4 * slope(e, 2e-3) - slope(e, 4e-3)) / 3 for e in np.eye(6 * n)]).T
    after, before = symplectic_matrix(sign * Pi1), symplectic_matrix(sign * Pi)
    return np.abs(D.T @ after @ D - before).max()


@pytest.mark.parametrize("name", ["top", "gyrostat", "general"])
def test_a_step_is_symplectic(name):
    assert symplectic_defect(PROBLEMS[name][0]()) < 1e-8


@pytest.mark.filterwarnings("ignore::geoctrl.errors.ProjectionWarning")
def test_the_symplectic_defect_is_seen():
    """Negative controls: Runge-Kutta steps of this size, and the form with a turned sign."""
    assert symplectic_defect(top(), "rk4") > 1e-7
    assert symplectic_defect(top(), sign=-1) > 1e-2


def swinging():
    """The top near its hanging rest, turned by half a radian and slowly spinning."""
    axis = np.array([0.2, 0.1, -0.3]) / np.linalg.norm([0.2, 0.1, -0.3])
    normal = np.cross(axis, [0.0, 0.0, -1.0])
    hanging = exp(normal / np.linalg.norm(normal) * np.arccos(-axis[2]))
    return exp([0.5, 0.15, 0.0]) @ hanging, np.array([0.3, -0.2, 0.5])


@pytest.mark.long(reason="studies/test_which_integrator.py tells bounded energies of rotations from drifts")
def test_energy_has_no_drift():
    """Block means of 1e6 steps of a regular motion: a line through them rises by a hundredth of the swing.

    At most: it is 2e-4. (Chaotic motions have rises of 0.013 in either direction, the mean of many is none.)
    """
    R, Omega = swinging()
    r = rotations.integrate(top(), R, Omega, 0.02, 1_000_000, record=100)
    error = r.energy - r.energy[0]
    means = error[1:].reshape(100, -1).mean(axis=1)
    rise = np.polyfit(np.linspace(0, 1, means.size), means, 1)[0]
    assert np.ptp(error) < 1e-3  # of order h^2
    assert abs(rise) < 0.01 * np.ptp(error)
    # Negative control: the energy of Runge-Kutta steps of the same size drifts.
    r = rotations.integrate(top(), *random_state(1, 9), 0.02, 100_000, method="rk4", record=100)
    error = r.energy - r.energy[0]
    assert abs(np.polyfit(np.linspace(0, 1, error.size), error, 1)[0]) > 0.5 * np.ptp(error)


def test_jacobi_integral_has_no_drift():
    body = rotations.body_in_orbit([2.0, 3.0, 1.5], 0.5)
    r = rotations.integrate(body, exp([[0.2, 0.3, -0.4]]), [[0.1, 0.6, 0.2]], 0.05, 200_000, record=20)
    error = r.energy - r.energy[0]
    means = error[1:].reshape(100, -1).mean(axis=1)
    assert np.ptp(error) < 1e-3
    assert abs(np.polyfit(np.linspace(0, 1, means.size), means, 1)[0]) < 0.02 * np.ptp(error)


@pytest.mark.parametrize("name", ["top", "coupled"])
def test_steps_can_be_taken_back(name):
    """Natural systems: with the velocities turned the same steps lead back."""
    build, (R, Omega), _, _ = PROBLEMS[name]
    there = rotations.integrate(build(), R, Omega, 0.01, 500, record=500)
    back = rotations.integrate(build(), there.R[-1], -there.Omega[-1], 0.01, 500, record=500)
    # Rounding, spread by the motion.
    np.testing.assert_allclose(back.R[-1], R, rtol=0, atol=1e-11)
    np.testing.assert_allclose(back.Omega[-1], -Omega, rtol=0, atol=1e-11)


def test_a_turning_frame_is_only_another_view():
    """Gravity along the frame's axis: the same steps, seen from the frame, to rounding."""
    R, Omega = random_state(1, 10)
    rate, h, steps = np.array([0, 0, 0.7]), 0.02, 400
    inertial = rotations.integrate(top(), R, Omega, h, steps, record=50)
    turning = rotations.integrate(top().replace(frame_rate=rate), R, Omega, h, steps, record=50)
    seen = exp(turning.time[:, None] * rate)[:, None] @ turning.R
    np.testing.assert_allclose(seen, inertial.R, rtol=0, atol=1e-11)
    np.testing.assert_allclose(turning.Omega, inertial.Omega, rtol=0, atol=1e-11)
    assert np.abs(turning.R - inertial.R).max() > 0.1


@pytest.mark.long(reason="test_turning_axes.py of the manifolds asks for forces in turning axes")
def test_motion_in_a_turning_frame_is_the_inertial_one_transformed():
    """A field of force that turns with the frame, by ``frame_rate`` and as moments that depend on time."""
    rate, m, rho = np.array([0.2, -0.4, 0.7]), 1.3, np.array([0.2, 0.1, -0.3])
    turning = top().replace(frame_rate=rate)

    def moment(t, R, Omega, u, p):
        """By entries: numba takes seconds for products of arrays. ``up`` is E3 turned about n by an angle."""
        angle = np.sqrt(0.69) * t
        c, s = np.cos(angle), np.sin(angle)
        n = 0.2 / np.sqrt(0.69), -0.4 / np.sqrt(0.69), 0.7 / np.sqrt(0.69)
        up = s * n[1] + (1 - c) * n[0] * n[2], -s * n[0] + (1 - c) * n[1] * n[2], c + (1 - c) * n[2] * n[2]
        out = np.empty((1, 3))
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            pull_j = R[0, 0, j] * up[0] + R[0, 1, j] * up[1] + R[0, 2, j] * up[2]
            pull_k = R[0, 0, k] * up[0] + R[0, 1, k] * up[1] + R[0, 2, k] * up[2]
            out[0, i] = -m * 9.81 * (rho[j] * pull_k - rho[k] * pull_j)
        return out

    inertial = rotations.RotationSystem(inertias=J, forces=moment)
    R, Omega = random_state(1, 11)
    a = rotations.integrate(turning, R, Omega, 0.01, 100, order=6, record=100)
    b = rotations.integrate(inertial, R, Omega, 0.01, 100, order=6, record=100)
    np.testing.assert_allclose(exp(rate * 1.0) @ a.R[-1, 0], b.R[-1, 0], rtol=0, atol=1e-11)
    np.testing.assert_allclose(a.Omega[-1], b.Omega[-1], rtol=0, atol=1e-11)


def test_free_body_in_closed_form():
    """A symmetric body precesses: Omega turns about the axis at (J1 - J3) / J1 Omega3."""
    body = rotations.free_body([1.5, 1.5, 0.8])
    Omega = np.array([0.4, 0.3, 2.0])
    r = rotations.integrate(body, np.eye(3), Omega, 0.01, 1000, order=8, record=1000)
    angle = -(1.5 - 0.8) / 1.5 * 2.0 * 10
    expected = exp([0, 0, angle]) @ Omega
    np.testing.assert_allclose(r.Omega[-1, 0], expected, rtol=0, atol=1e-11)
    L = np.array([1.5, 1.5, 0.8]) * Omega
    # In space: the axis turns about L at |L| / J1, and the body about it.
    expected = exp(L / 1.5 * 10) @ exp([0, 0, (1 - 0.8 / 1.5) * 2.0 * 10])
    np.testing.assert_allclose(r.R[-1, 0], expected, rtol=0, atol=1e-11)


def test_runs_do_not_depend_on_their_pieces():
    """Bit for bit: with damping, time and inputs; one run whole, one told to look at its progress often."""
    system, (R, Omega) = general(forced=True), random_state(2, 12)
    times = np.linspace(0, 3, 7)
    inputs = (times, np.sin(times)[None])
    whole = rotations.integrate(system, R, Omega, 0.01, 300, record=300, inputs=inputs)
    pieces = rotations.integrate(system, R, Omega, 0.01, 300, record=1, inputs=inputs)
    np.testing.assert_array_equal(whole.R[-1], pieces.R[-1])
    np.testing.assert_array_equal(whole.Omega[-1], pieces.Omega[-1])


@pytest.mark.long(reason="stepping/test_inputs.py gives every kind to every system")
def test_inputs_of_every_kind():
    system, (R, Omega) = general(forced=True), random_state(2, 13)
    times = np.array([0.0, 0.35, 1.0])
    samples = np.array([[0.2, -0.6, 0.9]])

    def final_of(inputs):
        return final(rotations.integrate(system, R, Omega, 0.01, 100, record=100, inputs=inputs))

    by_samples = final_of((times, samples))
    np.testing.assert_allclose(
        by_samples, final_of(lambda t: np.array([np.interp(t, times, samples[0])])), rtol=0, atol=1e-13
    )
    np.testing.assert_array_equal(final_of([0.3]), final_of((np.array([0.0, 1.0]), np.full((1, 2), 0.3))))
    assert np.abs(by_samples - final_of([0.3])).max() > 1e-3
    expected = by_dop853(system, R, Omega, 1.0, lambda t: np.array([0.3]))
    np.testing.assert_allclose(final_of([0.3]), expected, rtol=0, atol=1e-3)  # order two


def test_a_loop_closed_by_a_law_damps():
    R, Omega = random_state(1, 14, 2.0)
    w, u = top().Omega[0], sp.symbols("u1:4", real=True)
    driven = top().replace(forces=[u], inputs=u)
    loops = [driven.closed_loop([-0.9 * v for v in w]), driven.closed_loop(lambda t, x, p: -0.9 * x[9:])]
    runs = [rotations.integrate(loop, R, Omega, 0.01, 1000, record=10) for loop in loops]
    np.testing.assert_allclose(final(runs[0]), final(runs[1]), rtol=0, atol=1e-12)
    assert runs[0].energy[-1] < runs[0].energy[0] - 5
    assert "energy" not in runs[0].drift
