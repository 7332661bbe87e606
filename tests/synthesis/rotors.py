"""Skates with rotors about any axis, and their equations with multipliers typed by hand."""

import numpy as np
import sympy as sp

import geoctrl as gc

DATA = {
    "m": 2.3,
    "l": 0.7,
    "g": 9.81,
    "I1": 0.41,
    "I2": 0.33,
    "I3": 0.19,
    "J1": 0.062,
    "J2": 0.047,
    "J3": 0.035,
}
J = [sp.Symbol(f"J{k}", positive=True) for k in (1, 2, 3)]


def skate_with_rotor(axis):
    """The catalogue's skate with its rotor about E_axis instead; I excludes the rotor."""
    mechanism = gc.models.get("pendulum-skate-rotor")()
    coupling = [0] * 6
    coupling[axis - 1] = J[axis - 1]
    parameters = [gc.Parameter(p.name, DATA[p.name], positive=True) for p in mechanism.parameters]
    return mechanism.replace(
        rotors=gc.Rotors(coupling=coupling, inertia=J[axis - 1], names=["theta"]),
        parameters=parameters,
        parameter_sets={},
        name=f"skate with a rotor about E{axis}",
    )


def two_rotors():
    """Rotors about E1 and E2 with a common off-diagonal inertia."""
    mechanism = gc.models.get("pendulum-skate-rotor")()
    c = sp.Rational(1, 100)
    coupling = [[J[0], c], [c, J[1]], *[[0, 0]] * 4]
    return mechanism.replace(
        rotors=gc.Rotors(coupling=coupling, inertia=[[J[0], c], [c, J[1]]], names=["alpha", "beta"]),
        parameters=[gc.Parameter(p.name, DATA[p.name], positive=True) for p in mechanism.parameters],
        parameter_sets={},
        name="skate with two rotors",
    )


def locked_inertia(p=DATA):
    """G_ij below (55): the mass at l E3, all rotors locked."""
    m, l = p["m"], p["l"]  # noqa: E741
    G = np.diag([p[f"I{k}"] + p[f"J{k}"] for k in (1, 2, 3)] + [m, m, m]).astype(float)
    G[0, 0] += m * l**2
    G[1, 1] += m * l**2
    G[0, 4] = G[4, 0] = -m * l
    G[1, 3] = G[3, 1] = m * l
    return G


def full_rhs(v, rate, Gamma, torque, axis, p=DATA):
    """(vdot, thetaddot, Gammadot) of the skate with one rotor: equations with multipliers on all of se(3).

    v = (v1, v2, v3); unknown are xidot (6), thetaddot and three multipliers.
    """
    E1 = np.array([1.0, 0, 0])
    lateral = np.cross(E1, Gamma)
    Omega, Y = v[0] * E1 + v[1] * Gamma, v[2] * E1
    Gammadot = np.cross(Gamma, Omega)
    lateraldot = np.cross(E1, Gammadot)
    J_axis = p[f"J{axis}"]
    G = np.zeros((7, 7))
    G[:6, :6] = locked_inertia(p)
    G[axis - 1, 6] = G[6, axis - 1] = G[6, 6] = J_axis
    momentum = G @ np.concatenate([Omega, Y, [rate]])
    Pi, P = momentum[:3], momentum[3:6]
    gravity = -p["m"] * p["g"] * p["l"] * np.cross([0, 0, 1.0], Gamma)
    force = np.concatenate([np.cross(Pi, Omega) + np.cross(P, Y) + gravity, np.cross(P, Omega), [torque]])
    zero = np.zeros(3)
    psi = np.array([[*lateral, *zero, 0], [*zero, *Gamma, 0], [*zero, *lateral, 0]])
    psidot = np.array([[*lateraldot, *zero, 0], [*zero, *Gammadot, 0], [*zero, *lateraldot, 0]])
    drift = -psidot @ np.concatenate([Omega, Y, [rate]])
    system = np.block([[G, -psi.T], [psi, np.zeros((3, 3))]])
    solution = np.linalg.solve(system, np.concatenate([force, drift]))
    Omegadot, Ydot, ratedot = solution[:3], solution[3:6], solution[6]
    # v2 = Omega . Gamma and Gammadot . Omega = 0.
    return np.array([Omegadot[0], Omegadot @ Gamma, Ydot[0]]), ratedot, Gammadot


def start():
    return np.array([0.21, 0.35, 0.8, np.sin(0.13), np.cos(0.13)])
