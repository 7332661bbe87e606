"""Min and Max in potentials, forces and inputs: exact choices, with kinks where they switch."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations, spheres

U = sp.Symbol("u", real=True)
TIMES = np.linspace(0.0, 2.0, 21)
GAMMA = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
G1, G2, G3 = GAMMA.symbols


def body(**more):
    given = {"algebra": gc.so3(), "advected": [GAMMA], "inertia": sp.diag(1.1, 2.3, 3.1)}
    return gc.EulerPoincare(**(given | more)).reduce()


def pendulum(**more):
    q, _ = spheres.symbols(1)
    return spheres.SphereSystem(**({"mass": [1.7], "potential": 2.1 * q[0][2]} | more))


def top(**more):
    R, _ = rotations.symbols(1)
    return rotations.RotationSystem(
        **({"inertias": np.diag([1.0, 2.0, 2.5]), "potential": 1.4 * R[0][2, 2]} | more)
    )


def test_values_and_derivatives_are_those_of_the_branch():
    chosen, pair = sp.Max(G1, G2, sp.Rational(1, 5)), 3 * sp.Min(G1, G2)
    system = body(potential=chosen + pair)
    rng = np.random.default_rng(3)
    for _ in range(20):
        x = system.random_state(rng)
        g = x[3:]
        assert system.energy(x) - x[:3] @ (np.array([1.1, 2.3, 3.1]) * x[:3]) / 2 == pytest.approx(
            max(g[0], g[1], 0.2) + 3 * min(g[0], g[1]), rel=1e-14
        )
        slope = np.zeros(3)
        slope[:2] += [3.0, 0.0] if g[0] < g[1] else [0.0, 3.0]
        if g[0] > max(g[1], 0.2):
            slope[0] += 1.0
        elif g[1] > max(g[0], 0.2):
            slope[1] += 1.0
        # J Omega' = J Omega x Omega - dU/dGamma x Gamma ... by hand: the moment of U is Gamma x dU/dGamma.
        J = np.array([1.1, 2.3, 3.1])
        rate = (np.cross(J * x[:3], x[:3]) + np.cross(g, slope)) / J
        assert system.rhs(0.0, x)[:3] == pytest.approx(rate, abs=1e-13)


def test_large_numbers_are_not_rounded_away():
    """As (a + b - |a - b|) / 2 the least of 10^17 and 1 would be 0 or 8."""
    system = body(forces=[sp.Min(U, 1), 0, 0], inputs=[U])
    assert system.rhs(0.0, [0, 0, 0, 0, 0, 1], [1e17])[0] == pytest.approx(1 / 1.1, rel=1e-15)


SATURATED = {
    body: ({"forces": [U, 0, 0], "inputs": [U], "potential": 2 * G3}, [0.6, 0.2, 3.0, 0, 0.6, 0.8], 0),
    pendulum: ({"forces": [[0, U, 0]], "inputs": [U]}, ([[0.6, 0.0, -0.8]], [[0.4, 1.0, 0.3]]), 3),
    top: ({"forces": [[U, 0, 0]], "inputs": [U]}, (np.eye(3), [0.2, 0.3, 1.0]), 9),
}


@pytest.mark.parametrize("made", SATURATED)
def test_a_saturated_law(made):
    given, start, place = SATURATED[made]
    system = made(**given)
    limited = {"u": sp.Max(-0.3, sp.Min(0.3, -2 * system.states[place]))}
    run = gc.simulate(system, TIMES, start, inputs=limited)
    clipped = gc.simulate(system, TIMES, start, inputs=lambda t, x, p: [np.clip(-2 * x[place], -0.3, 0.3)])
    assert np.array_equal(run.states, clipped.states)  # the same field, evaluated at the same places
    u = run["u"]
    assert np.array_equal(u, np.clip(-2 * run.states[place], -0.3, 0.3))
    assert np.abs(u).max() == 0.3
    assert np.abs(u).min() < 0.29
    with pytest.raises(gc.ExpressionError, match="heyoka lacks the function 'select_nonnegative'"):
        gc.simulate(system, TIMES, start, inputs=limited, engine="heyoka")


def test_saturation_in_compiled_steps():
    given, start, place = SATURATED[pendulum]
    system = pendulum(**given)
    limited = {"u": sp.Max(-0.3, sp.Min(0.3, -2 * system.states[place]))}
    steps = spheres.integrate(system, *start, 0.001, 2000, record=100, inputs=limited)
    exact = gc.simulate(system, TIMES, start, inputs=limited)
    # Second order, and first at the kinks: h^2 times rates of a few.
    assert steps.states == pytest.approx(exact.states, abs=1e-5)


@pytest.mark.parametrize(
    ("system", "kink", "beside"),
    [
        (body(potential=sp.Max(G1, 0) + 2 * G3), [0, 0, 0, 0, 0, -1.0], None),
        (body(potential=sp.Min(G3, 2) + 2 * G3), None, [0, 0, 0, 0, 0, -1.0]),
        (pendulum(potential=sp.Max(spheres.symbols(1)[0][0][0], 0)), ([[0, 0, -1.0]], [[0, 0, 0.0]]), None),
        (
            pendulum(potential=sp.Max(spheres.symbols(1)[0][0][2], -2)),
            None,
            ([[0, 0, -1.0]], [[0, 0, 0.0]]),
        ),
    ],
    ids=["reduced", "reduced, smooth", "spheres", "spheres, smooth"],
)
def test_a_kink_is_refused_where_derivatives_are_asked_for(system, kink, beside):
    if beside is not None:
        assert gc.certify(system, system.start(beside)).verdict in (
            gc.Verdict.PROVED_STABLE,
            gc.Verdict.NUMERICALLY_STABLE,
        )
        return
    with pytest.raises(gc.EquilibriumError, match="Min, Max or Piecewise switches there"):
        gc.certify(system, system.start(kink))


def test_what_is_conserved_is_told_in_every_branch():
    q, omega = spheres.symbols(1)
    cap = sp.Max(0, q[0][0] - sp.Rational(999, 1000))  # zero but in a small region
    assert pendulum(potential=sp.Max(q[0][2], 0) + q[0][2]).conserved() == ("energy", "momentum3")
    assert pendulum(potential=q[0][2] + cap).conserved() == ("energy",)
    brake = [-cap * e for e in omega[0].cross(q[0])]
    assert pendulum(forces=[brake]).conserved() == ()
    R, _ = rotations.symbols(1)
    assert top(potential=sp.Min(R[0][2, 1], R[0][2, 0])).conserved() == ("energy", "momentum3")
