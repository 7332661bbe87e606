import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.oracles.contact import E3, Disk, Ellipsoid, RollingBody, Sphere

# DOP853 at 1e-13 per step, over a few hundred to two thousand steps; motions are not chaotic.
TOLERANCE = 5e-11
TIMES = np.linspace(0.0, 2.0, 21)
G = 9.7
FULL = np.array([[0.021, 0.003, -0.002], [0.003, 0.034, 0.004], [-0.002, 0.004, 0.042]])
TILTED = Rotation.from_rotvec([0.4, -0.3, 0.5]).as_matrix()
SHAPES = {
    "ellipsoid": Ellipsoid([0.23, 0.17, 0.11], np.array([0.01, -0.02, 0.015]), TILTED),
    "sphere": Sphere(0.19, np.array([0.02, -0.01, 0.03])),
    "disk": Disk(0.21, np.array([2.0, 1.0, 2.0]) / 3),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_lowest_point_is_the_lowest_and_its_slope_the_derivative(shape):
    n = np.array([0.36, -0.48, 0.8])
    rho, slope = shape.lowest(n)
    rng = np.random.default_rng(1)
    others = rng.normal(size=(500, 3))
    others /= np.linalg.norm(others, axis=1)[:, None]
    assert min(shape.lowest(k)[0] @ n for k in others) > rho @ n  # all points of the surface are higher
    numeric = [(shape.lowest(n + 1e-6 * e)[0] - shape.lowest(n - 1e-6 * e)[0]) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(slope, np.transpose(numeric), atol=1e-9)  # differences of second order


def test_lowest_point_of_the_ellipsoid_is_on_its_surface():
    shape = SHAPES["ellipsoid"]
    rho, _ = shape.lowest(np.array([0.36, -0.48, 0.8]))
    inside = shape.axes.T @ (rho - shape.centre) / shape.semi_axes
    assert inside @ inside == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_energy_rolling_and_contact_are_kept(shape):
    body = RollingBody(1.3, FULL, shape, G)
    motion = body.simulate(TIMES, Rotation.from_rotvec([0.5, 0.2, -0.4]).as_matrix(), [1.1, -2.3, 3.1])
    assert np.ptp(motion.energy) < TOLERANCE
    assert np.max(motion.slip) < TOLERANCE
    assert np.max(np.abs(motion.gap)) < TOLERANCE
    defect = motion.R.transpose(0, 2, 1) @ motion.R - np.eye(3)
    assert np.max(np.abs(defect)) < TOLERANCE
    # Newton's law, from the velocities by the fundamental theorem: the mean force is the change of momentum.
    fine = body.simulate(np.linspace(0, 0.1, 201), motion.R[0], motion.R[0].T @ motion.omega[0])
    weight = body.mass * G * E3
    change = body.mass * (fine.velocity[-1] - fine.velocity[0])
    simpson = np.r_[1, np.tile([4, 2], 100)[:-1], 1] @ (fine.force - weight) * 0.1 / 600
    np.testing.assert_allclose(simpson, change, atol=1e-9)  # Simpson's error


def test_a_wrong_rate_of_the_lever_is_noticed():
    """Negative control: the contact point creeps backwards on the body."""

    class Backwards(Sphere):
        def lowest(self, n):
            rho, slope = super().lowest(n)
            return rho, -slope

    body = RollingBody(1.3, FULL, Backwards(*SHAPES["sphere"]), G)
    motion = body.simulate(TIMES[:3], TILTED, [1.1, -2.3, 3.1])
    assert np.max(motion.slip) > 1e-2


def test_homogeneous_sphere_rolls_straight():
    body = RollingBody(0.7, 0.004 * np.eye(3), Sphere(0.12, np.zeros(3)), G)
    motion = body.simulate(TIMES, TILTED, TILTED.T @ [0.0, 3.0, 0.5])
    np.testing.assert_allclose(motion.omega, np.tile([0.0, 3.0, 0.5], (TIMES.size, 1)), atol=TOLERANCE)
    np.testing.assert_allclose(motion.contact, np.outer(TIMES, [3.0 * 0.12, 0, 0]), atol=TOLERANCE)
    np.testing.assert_allclose(motion.force, np.tile([0, 0, 0.7 * G], (TIMES.size, 1)), atol=TOLERANCE)


def test_disk_rolls_on_a_circle():
    r"""Steady rolling, axis e at the angle theta to the vertical n, w = W n + sigma e.

    With k pointing from the centre to the contact, e = cos(theta) n + ..., the rate of the angular momentum
    C w_e e - A W sin(theta) k is the moment of the contact force:

        (C + m a^2) w_e W sin(theta) - A W^2 sin(theta) cos(theta) + m g a cos(theta) = 0,
        w_e = sigma + W cos(theta);

    the contact runs on a circle of radius a |sigma / W|.
    """
    m, a, A, C, theta, W = 1.4, 0.23, 0.021, 0.037, 1.1, 2.3
    sine, cosine = np.sin(theta), np.cos(theta)
    spin = (A * W**2 * sine * cosine - m * G * a * cosine) / ((C + m * a**2) * W * sine)
    sigma = spin - W * cosine
    body = RollingBody(m, np.diag([A, A, C]), Disk(a, E3), G)
    R0 = Rotation.from_euler("x", theta).as_matrix()  # the axis e is R0 e3
    motion = body.simulate(TIMES, R0, R0.T @ (W * E3 + sigma * R0[:, 2]))
    np.testing.assert_allclose(motion.position[:, 2], a * sine, atol=TOLERANCE)
    np.testing.assert_allclose(motion.R[:, 2, 2], cosine, atol=TOLERANCE)
    # The circle through three of the points.
    p, q, s = motion.contact[[0, 7, 14], :2]
    centre = np.linalg.solve([2 * (q - p), 2 * (s - p)], [q @ q - p @ p, s @ s - p @ p])
    radius = np.linalg.norm(motion.contact[:, :2] - centre, axis=1)
    np.testing.assert_allclose(radius, a * abs(sigma / W), atol=1e-10)  # lengths divided by a sine
