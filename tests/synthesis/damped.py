"""Damped laws of the skate with one rotor, and what they should do, typed by hand; for several tests."""

import numpy as np
from scipy.integrate import solve_ivp

from tests.synthesis.rotors import DATA, full_rhs

ROLL = DATA["I1"] + DATA["m"] * DATA["l"] ** 2
THRESHOLD = -(DATA["J1"] ** 2) / ROLL
SIGMA = {1: 0.6 * THRESHOLD, 2: -0.031, 3: 0.052}
SIGN = {1: -1, 2: 1, 3: 1}
K, KAPPA = 0.37, 1.3
GAINS = {"k": {"k": K}, "kappa": {"kappa": KAPPA}, "both": {"k": K, "kappa": KAPPA}}


def run(system, x0, times, params=None):
    found = solve_ivp(
        lambda t, x: system.rhs(t, x, None, params),
        times[[0, -1]],
        x0,
        t_eval=times,
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
    )
    assert found.success
    return found.y


def random_skate(rng, *further):
    """A state of the skate on its leaf with a rotor rate and further states."""
    tilt = rng.uniform(-1, 1)
    return np.array([*rng.normal(size=4), np.sin(tilt), np.cos(tilt), *further])


def body(x):
    """The five states of the skate."""
    return np.concatenate([x[:3], x[4:6]])


def about(axis, v, gamma):
    """Rate of the body about the rotor's axis: v1 E1 + v2 Gamma."""
    return {1: v[0], 2: v[1] * gamma[0], 3: v[1] * gamma[1]}[axis]


def shifted(axis, x):
    """J rho^{-1} pitilde = J (thetadot + (1 - J/sigma) Omega_axis), by hand."""
    J, sigma = DATA[f"J{axis}"], SIGMA[axis]
    return J * (x[3] + (1 - J / sigma) * about(axis, x[:3], x[4:6]))


def controlled_momentum(axis, x):
    J, sigma = DATA[f"J{axis}"], SIGMA[axis]
    return shifted(axis, x) / J * (J / (1 - J / sigma))


def eta(axis, gains, x):
    """The regulated quantity by hand, from a state of the loop with rotor rates."""
    integral = SIGN[axis] * K * x[6] if gains == "both" else 0.0
    return shifted(axis, x) - integral


def added(axis, gains, x):
    """u' by hand."""
    y = about(axis, x[:3], x[4:6])
    damping = SIGN[axis] * K * y if "k" in GAINS[gains] else 0.0
    return damping - (KAPPA * eta(axis, gains, x) if "kappa" in GAINS[gains] else 0.0)


def reduced_state(law, axis, gains, x):
    """The state of the reduced loop that belongs to one with rotor rates."""
    further = {"momentum_theta": controlled_momentum(axis, x), "eta_theta": eta(axis, gains, x)}
    labels = law.closed_loop().state_labels[5:]
    return np.array([*body(x), *(further[label] for label in labels)])


def by_hand(axis, gains, x):
    """(torque, rates of skate and rotor): the torque makes the accelerations that it is made of."""
    J, sigma = DATA[f"J{axis}"], SIGMA[axis]
    gamma = np.array([0.0, x[4], x[5]])

    def rates(u):
        vdot, rotor, gammadot = full_rhs(x[:3], x[3], gamma, u, axis)
        omega = {1: vdot[0], 2: vdot[1] * x[4] + x[1] * gammadot[1], 3: vdot[1] * x[5] + x[1] * gammadot[2]}
        return np.array([*vdot, rotor, *gammadot[1:]]), J**2 / sigma * omega[axis]

    # Affine in u: the fixed point u = J^2/sigma d(omega)/dt + u' from two evaluations.
    (_, free), (_, pushed) = rates(0.0), rates(1.0)
    u = (free + added(axis, gains, x)) / (1 - (pushed - free))
    return u, rates(u)[0]
