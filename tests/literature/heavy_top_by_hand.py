"""Euler and Poisson's equations of a heavy top, typed by hand, and their linearisation by complex steps."""

from fractions import Fraction

import numpy as np


def field(x, moments, weight, centre):
    """Rates of (Omega, Gamma); the centre of mass lies along ``centre``, weight is m g l, Gamma points up."""
    moments, Omega, Gamma = np.asarray(moments), x[:3], x[3:]
    torque = -weight * np.cross(centre, Gamma)
    return np.concatenate([(np.cross(moments * Omega, Omega) + torque) / moments, np.cross(Gamma, Omega)])


def spectrum(x, moments, weight, centre):
    """The four eigenvalues besides the two zeros of |Gamma|^2 and Pi.Gamma, sorted by their squares.

    They are roots of a polynomial in the square, since the equations are reversible.
    """
    steps = 1e-30j * np.eye(6)
    A = np.stack([np.imag(field(x + h, moments, weight, centre)) / 1e-30 for h in steps], axis=1)
    coefficients = np.poly(A)
    return np.sort_complex(np.roots([1, coefficients[2], coefficients[4]]))


def rational_lean(gamma1):
    """A rational within 1e-9 of Gamma1 for which Gamma3 = (1 - Gamma1^2)^(1/2) is rational too."""
    s = Fraction(float(np.sqrt((1 - gamma1) / (1 + gamma1)))).limit_denominator(10**9)
    return (1 - s * s) / (1 + s * s)
