"""The pendulum skate as printed in the literature, typed by hand: an oracle apart from the library.

J. S. Garcia and T. Ohsawa 2024, equation numbers in brackets; states (v1, v2, v3, Gamma2, Gamma3).
"""

from types import SimpleNamespace

import numpy as np
from scipy.integrate import quad, solve_ivp

NAMES = ("m", "l", "g", "I1", "I2", "I3")
DATA_72 = {"m": 2.0, "l": 0.8, "g": 9.8, "I1": 0.35, "I2": 0.35, "I3": 0.004}
DATA_73 = {**DATA_72, "m": 3.0, "J1": 0.005, "J2": 0.0025, "J3": 0.0025}
SIGMA_73 = -1e-5

GENERIC = {"m": 1.7, "l": 0.65, "g": 9.81, "I1": 0.42, "I2": 0.31, "I3": 0.055}
"""Neither equal to one another nor to one; I2 > I3."""


def start_59():
    """Initial state (59): Omega = (0.1, 0.1 tan 0.1, 0.1) = 0.1 E1 + v2 Gamma, Y = (1, 0, 0), tilt 0.1."""
    tilt = 0.1
    return np.array([0.1, 0.1 / np.cos(tilt), 1.0, np.sin(tilt), np.cos(tilt)])


def numerator(x, p):
    """Roll numerator of (38)."""
    _, v2, v3, s, c = x
    q = SimpleNamespace(**p)
    return ((q.I2 + q.m * q.l**2 - q.I3) * c * v2**2 + q.m * q.g * q.l) * s + q.m * q.l * c * v2 * v3


def rhs(x, p):
    """Right-hand side (38)."""
    v1, v2, _, s, c = x
    q = SimpleNamespace(**p)
    A = q.I2 * s**2 + q.I3 * c**2
    return np.array(
        [
            numerator(x, p) / (q.I1 + q.m * q.l**2),
            2 * (q.I3 - q.I2) * s * c * v1 * v2 / A,
            -2 * q.l * q.I3 * c * v1 * v2 / A,
            v1 * c,
            -v1 * s,
        ]
    )


def locked(p):
    """Parameters of the skate with its rotor locked: the moments added."""
    return {**{k: p[k] for k in ("m", "l", "g")}, **{f"I{i}": p[f"I{i}"] + p[f"J{i}"] for i in (1, 2, 3)}}


def controlled(p, sigma):
    """(57): I1 + J1^2/sigma, I2 + J2, I3 + J3."""
    return {**locked(p), "I1": p["I1"] + p["J1"] ** 2 / sigma}


def energy(x, p):
    v1, v2, v3, s, c = x
    q = SimpleNamespace(**p)
    spin = (q.I2 + q.m * q.l**2) * s**2 + q.I3 * c**2
    kinetic = (q.I1 + q.m * q.l**2) * v1**2 + spin * v2**2 + 2 * q.m * q.l * s * v2 * v3 + q.m * v3**2
    return kinetic / 2 + q.m * q.g * q.l * c


def C1(x, p):
    """(36)."""
    return (p["I2"] * x[3] ** 2 + p["I3"] * x[4] ** 2) * x[1]


def C2(x, p):
    """(37) before the integral is done: arctan, linear or artanh."""
    _, v2, v3, s, _ = x
    integral = quad(lambda z: 1 / ((p["I2"] - p["I3"]) * z**2 + p["I3"]), 0, s, epsabs=1e-14, epsrel=1e-13)[0]
    return p["l"] * s * v2 + v3 + p["l"] * C1(x, p) * integral


def spinning_jacobian(W, p):
    """Df(zeta_sp) of A.1, with the entry [1, 4] as it must be."""
    q = SimpleNamespace(**p)
    I1bar = q.I1 + q.m * q.l**2
    A = np.zeros((5, 5))
    A[0, 2] = q.m * q.l * W / I1bar
    A[0, 3] = (q.m * q.g * q.l + (q.I2 + q.m * q.l**2 - q.I3) * W**2) / I1bar
    A[2, 0] = -2 * q.l * W
    A[3, 0] = 1
    return A


def printed_entry(W, p):
    """The entry [1, 4] as it is printed in A.1."""
    q = SimpleNamespace(**p)
    return (q.m * q.g * q.l - (q.I3 + q.m * q.l**2 - q.I2) * W**2) / (q.I1 + q.m * q.l**2)


def sliding_jacobian(Y0, p):
    """Df(zeta_sl) of Prop. 15, 5 x 5."""
    q = SimpleNamespace(**p)
    I1bar = q.I1 + q.m * q.l**2
    A = np.zeros((5, 5))
    A[0, 1] = q.m * q.l * Y0 / I1bar
    A[0, 3] = q.m * q.g * q.l / I1bar
    A[3, 0] = 1
    return A


def spinning_threshold(p):
    """(42)."""
    q = SimpleNamespace(**p)
    return np.sqrt(q.m * q.g * q.l / (q.I3 + q.m * q.l**2 - q.I2))


def leaning_turn(tilt, w, p):
    """A steady turn at a tilt with yaw rate v2 = w: v3 from (39)."""
    q = SimpleNamespace(**p)
    s, c = np.sin(tilt), np.cos(tilt)
    v3 = -((q.I2 + q.m * q.l**2 - q.I3) * c * w**2 + q.m * q.g * q.l) * s / (q.m * q.l * c * w)
    return np.array([0, w, v3, s, c])


def leaning_margin(tilt, w, p):
    """Positive where a leaning turn is stable, negative where it is not, relative to its terms."""
    q = SimpleNamespace(**p)
    s, c = np.sin(tilt), np.cos(tilt)
    dI, A = q.I2 - q.I3, q.I2 + q.m * q.l**2 - q.I3
    left = w**2 * c**3 * (q.I3 * (q.m * q.l**2 - dI) + A * dI * s**2)
    right = q.m * q.g * q.l * (q.I3 + dI * s**2 * (1 + 2 * c**2))
    return (left - right) / (abs(left) + abs(right))


def fall_time(field, x0=None, limit=3.0):
    """First zero of Gamma3 along a field f(x), or None."""

    def fallen(_t, x):
        return x[4]

    fallen.terminal, fallen.direction = True, -1
    x0 = start_59() if x0 is None else x0
    run = solve_ivp(
        lambda _t, x: field(x), (0, limit), x0, method="DOP853", rtol=1e-12, atol=1e-14, events=fallen
    )
    return float(run.t_events[0][0]) if run.t_events[0].size else None
