"""Rigid bodies on SO(3) by hand, with plain matrices: nothing in here knows the library."""

import numpy as np
from scipy.linalg import expm

STEP = 1e-30


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def vee(A):
    """Axial vector of the skew part, halved: the inverse of hat."""
    return np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / 2


def turn(*rotation_vector):
    return expm(hat(rotation_vector))


def acceleration(J, omega, moment):
    """J omegadot + omega x J omega = moment."""
    return np.linalg.solve(J, np.cross(J @ omega, omega) + moment)


def jacobian(function, x):
    """By complex steps, exact to rounding."""
    columns = [np.imag(function(x + 1j * STEP * e)) / STEP for e in np.eye(len(x))]
    return np.stack(columns, axis=1)


def linear_equations(J, moment, R):
    """Matrix (6, 6) of eta' = omega, J omega' = moment(R exp(eta), omega), about rest at R.

    The gyroscopic moment J omega x omega is of second order there.
    """

    def rates(z):
        eta, omega = z[:3], z[3:]
        # Of the exponential the first order is all that a complex step sees.
        return np.concatenate([omega, np.linalg.solve(J, moment(R @ (np.eye(3) + hat(eta)), omega))])

    return jacobian(rates, np.zeros(6, dtype=complex))


def same_spectrum(lin, A, rtol=1e-9):
    """Characteristic polynomials, of which multiple zeros do no harm; A may have further zero eigenvalues.

    They are those of directions that the reduced system does not see. rtol: rounding, times the condition
    of a characteristic polynomial of degree up to 18.
    """
    expected, found = np.poly(A), np.poly(lin.A_leaf)
    found = np.concatenate([found, np.zeros(len(expected) - len(found))])
    return np.allclose(found, expected, rtol=0, atol=rtol * np.max(np.abs(expected)))
