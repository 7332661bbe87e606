"""Newton's and Euler's laws for a rigid body that rolls without slipping on a horizontal plane.

The plane is z = 0 of an inertial frame, gravity is -g e3, and every vector has its components in that frame:

    state      centre of mass x, attitude R (body to space), its velocity v, angular velocity w
    forces     weight, and a force N at the point of contact x + r

    m a        = -m g e3 + N
    J w' + w x J w = r x N,             J = R J0 R^T
    a + w' x r = -w x r'                the rate of the rolling condition v + w x r = 0

are nine linear equations for a, w' and N, solved at every step.  The lever r = R rho(n) follows from the
shape: rho is the lowest point of the body, seen from its centre of mass and in its axes, where the upward
vertical is n = R^T e3; r' = w x r + R (d rho/dn) n', with n' = R^T (e3 x w).

There are no quasivelocities, no advected parameter, no reduced Lagrangian and no potential energy: agreement
with equations that have been derived from these is a test of them.

Accuracy: R is integrated as nine numbers, the rolling condition and the height of the contact are kept by the
equations alone.  At rtol = 1e-13 their defects are 1e-12 after some seconds (asserted in the tests), which
bounds the error of a motion that is not chaotic.
"""

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

E3 = np.array([0.0, 0.0, 1.0])


def hat(a):
    """The matrix with hat(a) b = a x b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


class Ellipsoid(NamedTuple):
    """Semi-axes, centre seen from the centre of mass, and (columns) directions of the axes in the body."""

    semi_axes: np.ndarray
    centre: np.ndarray
    axes: np.ndarray

    def lowest(self, n):
        """rho and d rho/dn (3 x 3)."""
        B = (self.axes * np.square(self.semi_axes)) @ self.axes.T
        Bn = B @ n
        height = np.sqrt(n @ Bn)
        return self.centre - Bn / height, -B / height + np.outer(Bn, Bn) / height**3


class Sphere(NamedTuple):
    """Radius, and centre seen from the centre of mass."""

    radius: float
    centre: np.ndarray

    def lowest(self, n):
        return self.centre - self.radius * n, -self.radius * np.eye(3)


class Disk(NamedTuple):
    """Radius and unit normal of a thin disk or hoop standing on its edge; its centre is the mass centre."""

    radius: float
    normal: np.ndarray

    def lowest(self, n):
        """The steepest way down in the plane of the disk."""
        flat = np.eye(3) - np.outer(self.normal, self.normal)
        sine = np.linalg.norm(flat @ n)
        down = -flat @ n / sine
        return self.radius * down, -self.radius * (flat - np.outer(down, down)) / sine


class Motion(NamedTuple):
    """Samples: time (nt,), all else (nt, 3) in space; R (nt, 3, 3); defects and energy (nt,).

    ``slip`` is |v + w x r|, ``gap`` the height of the contact point above the plane.
    """

    time: np.ndarray
    R: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    omega: np.ndarray
    contact: np.ndarray
    force: np.ndarray
    energy: np.ndarray
    slip: np.ndarray
    gap: np.ndarray


class RollingBody:
    """A convex rigid body on a rough horizontal plane.

    Parameters
    ----------
    mass : m
    inertia : J0, 3 x 3, about the centre of mass and in body axes
    shape : Ellipsoid, Sphere or Disk
    gravity : g
    """

    def __init__(self, mass, inertia, shape, gravity):
        self.mass, self.shape, self.gravity = float(mass), shape, float(gravity)
        self.inertia = np.asarray(inertia, dtype=float)

    def lever(self, R, omega):
        """From the centre of mass to the contact, and its rate."""
        rho, slope = self.shape.lowest(R[2])  # R^T e3 is the last row of R
        r, W = R @ rho, hat(omega)
        return r, W @ r + R @ (slope @ (R.T @ -W[:, 2]))  # e3 x w = -w x e3

    def accelerations(self, R, omega):
        """a, w' and the force N."""
        m, one = self.mass, np.eye(3)
        J = R @ self.inertia @ R.T
        r, rate = self.lever(R, omega)
        W, L = hat(omega), hat(r)
        system = np.zeros((9, 9))
        system[:3, :3], system[:3, 6:] = m * one, -one
        system[3:6, 3:6], system[3:6, 6:] = J, -L
        system[6:, :3], system[6:, 3:6] = one, -L  # w' x r = -r x w'
        right = np.concatenate([-m * self.gravity * E3, -W @ (J @ omega), -W @ rate])
        solution = np.linalg.solve(system, right)
        return solution[:3], solution[3:6], solution[6:]

    def simulate(self, times, R0, body_omega, rtol=1e-13):
        """Motion from an attitude and an angular velocity in body axes; the contact starts at the origin."""
        times, R0 = np.asarray(times, dtype=float), np.asarray(R0, dtype=float)
        omega = R0 @ np.asarray(body_omega, dtype=float)
        r, _ = self.lever(R0, omega)
        start = np.concatenate([-r, R0.ravel(), -np.cross(omega, r), omega])

        def field(_, y):
            R, w = y[3:12].reshape(3, 3), y[15:]
            a, alpha, _ = self.accelerations(R, w)
            return np.concatenate([y[12:15], (hat(w) @ R).ravel(), a, alpha])

        run = solve_ivp(field, times[[0, -1]], start, "DOP853", times, rtol=rtol, atol=rtol)
        if not run.success:
            raise RuntimeError(run.message)
        return self._motion(times, run.y.T)

    def _motion(self, times, y):
        m = self.mass
        x, R, v, w = y[:, :3], y[:, 3:12].reshape(-1, 3, 3), y[:, 12:15], y[:, 15:]
        r = np.array([self.lever(*pair)[0] for pair in zip(R, w, strict=True)])
        N = np.array([self.accelerations(*pair)[2] for pair in zip(R, w, strict=True)])
        body = np.einsum("tji,tj->ti", R, w)
        kinetic = 0.5 * m * np.sum(v * v, axis=1) + 0.5 * np.einsum("ti,ij,tj->t", body, self.inertia, body)
        slip = np.linalg.norm(v + np.cross(w, r), axis=1)
        energy = kinetic + m * self.gravity * x[:, 2]
        return Motion(times, R, x, v, w, x + r, N, energy, slip, (x + r)[:, 2])
