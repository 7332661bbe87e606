"""Exact linearisation, restriction to the leaf, accounted zeros, and python-control."""

import control
import numpy as np
import pytest

import geoctrl as gc
from tests.literature import skate_by_hand as hand

P = hand.GENERIC


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


@pytest.fixture(scope="module")
def plant():
    return gc.models.get("pendulum-skate-rotor")(set="7.3").reduce()


@pytest.mark.parametrize("Y0", [1.3, -0.7, 0.0])
def test_sliding(skate, Y0):
    lin = gc.linearize(skate, skate.equilibrium("sliding", Y0=Y0, params=P))
    assert lin.A == pytest.approx(hand.sliding_jacobian(Y0, P), rel=1e-14, abs=1e-15)
    rate = np.sqrt(P["m"] * P["g"] * P["l"] / (P["I1"] + P["m"] * P["l"] ** 2))
    assert lin.eigenvalues == pytest.approx([0, 0, -rate, rate], rel=1e-13)
    assert np.all(lin.eigenvalues[:2] == 0)  # exactly, not thresholded
    assert lin.zero_modes == ("C1", "C2")


@pytest.mark.parametrize("W", [1.5, -3.0, 6.0, 11.0])
def test_spinning(skate, W):
    lin = gc.linearize(skate, skate.equilibrium("spinning", Omega0=W, params=P))
    assert lin.A == pytest.approx(hand.spinning_jacobian(W, P), rel=1e-13, abs=1e-13)
    # The entry as printed is another number.
    assert abs(lin.A[0, 3] - hand.printed_entry(W, P)) > 1
    m, l, g, I1, I2, I3 = (P[k] for k in hand.NAMES)  # noqa: E741
    square = (m * g * l - (I3 + m * l**2 - I2) * W**2) / (I1 + m * l**2)
    root = np.sqrt(complex(square))
    assert sorted(lin.eigenvalues[2:], key=lambda z: (z.real, z.imag)) == pytest.approx(
        sorted([root, -root], key=lambda z: (z.real, z.imag)), rel=1e-12
    )
    assert np.all(lin.eigenvalues[:2] == 0)
    assert lin.zero_modes == ("C1", "C2")


def test_all_five_ambient_eigenvalues_are_accounted_for(skate):
    """Three zeros (|Gamma|^2 and two invariants) and a pair: rank 2, and a zero of multiplicity three."""
    lin = gc.linearize(skate, skate.equilibrium("spinning", Omega0=3.0, params=P))
    assert np.linalg.matrix_rank(lin.A) == 2
    coefficients = np.poly(hand.spinning_jacobian(3.0, P))
    assert np.poly(lin.A) == pytest.approx(coefficients, rel=1e-12, abs=1e-12)
    assert coefficients[3:] == pytest.approx([0, 0, 0], abs=1e-12)
    leaf = np.poly(lin.A_leaf)
    assert leaf == pytest.approx(coefficients[:-1], rel=1e-12, abs=1e-12)


def exponential(x, direction, h):
    """A point of the leaf at distance h: velocities straight, Gamma on the circle."""
    moved = x + h * direction
    moved[3:] /= np.linalg.norm(moved[3:])
    return moved


@pytest.mark.parametrize("tilt", [0.0, 0.5])
def test_the_leaf_part_against_finite_differences_on_the_leaf(skate, tilt):
    x = hand.leaning_turn(tilt, 2.4, P)
    lin = gc.linearize(skate, x, P)
    assert lin.basis.T @ lin.basis == pytest.approx(np.eye(4), abs=1e-14)
    assert lin.basis[3:].T @ x[3:] == pytest.approx(0, abs=1e-14)
    h = 1e-5
    for i, w in enumerate(lin.basis.T):
        change = hand.rhs(exponential(x, w, h), P) - hand.rhs(exponential(x, w, -h), P)
        # 1e-8: third derivatives of size 100 times h^2, and rounding 1e-14/h.
        assert lin.A_leaf[:, i] == pytest.approx(lin.basis.T @ change / (2 * h), abs=1e-7)


def test_a_leaning_turn_has_its_pair_and_its_zeros(skate):
    x = hand.leaning_turn(0.5, 2.4, P)
    lin = gc.linearize(skate, x, P)
    h = 1e-6
    brute = np.stack([(hand.rhs(x + h * e, P) - hand.rhs(x - h * e, P)) / (2 * h) for e in np.eye(5)], axis=1)
    by_hand = np.linalg.eigvals(lin.basis.T @ brute @ lin.basis)
    assert np.max(lin.eigenvalues.real) == pytest.approx(np.max(by_hand.real), abs=1e-4)
    assert lin.zero_modes == ("C1", "C2")
    assert np.sum(lin.eigenvalues == 0) == 2


def test_inputs_of_the_rotor(plant):
    """Torque u on the rotor and -u on the roll, about the blade."""
    p = hand.DATA_73
    lin = gc.linearize(plant, plant.equilibrium("sliding", Y0=1.3))
    body = p["I1"] + p["m"] * p["l"] ** 2
    expected = np.zeros((6, 1))
    expected[plant.state_labels.index("v1")] = -1 / body
    expected[plant.state_labels.index("theta_dot")] = 1 / p["J1"] + 1 / body
    assert lin.B == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert lin.B_leaf == pytest.approx(lin.basis.T @ expected, rel=1e-12, abs=1e-15)
    assert lin.zero_modes == ("C1", "C2", "family")
    rate = np.sqrt(p["m"] * p["g"] * p["l"] / body)
    assert np.max(lin.eigenvalues.real) == pytest.approx(rate, rel=1e-12)


def test_a_constant_input_breaks_the_invariants_it_works_on():
    """Energy and |Pi|^2 of a body under a constant moment are not conserved: no zeros are forced."""
    body = gc.models.get("body-with-body-moment")().reduce()
    W = np.array([0.7, -0.4, 1.1])
    J = np.diag([body.params[f"J{i}"] for i in (1, 2, 3)])
    assert set(body.conserved(u=np.zeros(3))) == {"energy", "Pi1**2 + Pi2**2 + Pi3**2"}
    eq = body.equilibrium("steady", **{f"W{i + 1}": W[i] for i in range(3)})
    assert not body.conserved(u=eq.u)
    lin = gc.linearize(body, eq)
    assert lin.zero_modes == ()
    columns = [np.linalg.solve(J, np.cross(J @ e, W) + np.cross(J @ W, e)) for e in np.eye(3)]
    assert np.poly(lin.eigenvalues) == pytest.approx(np.poly(np.stack(columns, axis=1)), abs=1e-13)


def test_heavy_top_zero_modes():
    top = gc.models.get("heavy-top")().reduce()
    p = {**top.params, "I1": 0.93, "I2": 0.71, "I3": 0.44}
    c = -0.6
    w = np.sqrt(p["m"] * p["g"] * p["l"] / ((p["I3"] - p["I1"]) * c))
    Gamma = np.array([0.8, 0, c])
    lin = gc.linearize(top, np.concatenate([w * Gamma, Gamma]), p)
    # Permanent rotations are a curve of equilibria, transversal to the level sets of the only Casimir.
    assert len(lin.zero_modes) == np.sum(np.abs(np.linalg.eigvals(lin.A_leaf)) < 1e-6)
    assert lin.zero_modes == ("Gamma1*Pi1 + Gamma2*Pi2 + Gamma3*Pi3",)


def test_what_is_not_an_equilibrium_is_refused(skate):
    x = hand.leaning_turn(0.5, 2.4, P)
    x[2] += 0.1
    with pytest.raises(gc.EquilibriumError, match="v1") as raised:
        gc.linearize(skate, x, P)
    assert raised.value.residual == pytest.approx(np.max(np.abs(hand.rhs(x, P))), rel=1e-10)
    with pytest.raises(gc.EquilibriumError, match="off the leaf"):
        gc.linearize(skate, [0, 0, 1.0, 0, 1.01], P)
    with pytest.raises(gc.ParameterError, match="mass"):
        gc.linearize(skate, [0, 0, 1.0, 0, 1.0], {"mass": 2.0})


# -- python-control -----------------------------------------------------------------------------------


def test_the_leaf_pair_is_a_state_space(plant):
    lin = gc.linearize(plant, plant.equilibrium("sliding", Y0=1.3))
    space = lin.to_control()
    assert isinstance(space, control.StateSpace)
    assert space.input_labels == ["u_theta"]
    assert space.state_labels == list(lin.leaf_labels)
    assert space.nstates == 5
    poles = np.sort_complex(control.poles(space))
    assert np.max(poles.real) == pytest.approx(np.max(lin.eigenvalues.real), rel=1e-9)
    # C1 and C2 are out of reach of the rotor: of roll angle, roll rate, rotor rate all are controllable.
    assert np.linalg.matrix_rank(control.ctrb(space.A, space.B)) == 3


@pytest.mark.parametrize("family", ["sliding", "spinning"])
def test_control_linearizes_the_exported_system_to_the_same_matrix(plant, family):
    value = {"sliding": {"Y0": 1.3}, "spinning": {"Omega0": 2.2}}[family]
    eq = plant.equilibrium(family, **value)
    lin = gc.linearize(plant, eq)
    system = plant.to_control()
    assert system.state_labels == list(plant.state_labels)
    assert system.input_labels == ["u_theta"]
    numeric = control.linearize(system, eq.x, eq.u)
    # control differentiates by forward differences of step 1e-6.
    assert pytest.approx(lin.A, abs=1e-5 * np.max(np.abs(lin.A))) == numeric.A
    assert pytest.approx(lin.B, abs=1e-5 * np.max(np.abs(lin.B))) == numeric.B


def test_input_output_response(plant):
    """A torque step on the rotor, against (38) with the reaction torque, by hand."""
    from scipy.integrate import solve_ivp

    p, u = hand.locked(hand.DATA_73), 0.05
    t = np.linspace(0, 0.4, 21)
    start = np.insert(hand.start_59(), 3, 0.0)
    system = plant.to_control(outputs=["v1", "Gamma3", "theta_dot"], name="plant")
    response = control.input_output_response(
        system, t, np.full((1, t.size), u), start, solve_ivp_kwargs={"rtol": 1e-10, "atol": 1e-12}
    )

    def field(_t, x):
        f = hand.rhs(x, {**p, "I1": hand.DATA_73["I1"]})
        f[0] -= u / (hand.DATA_73["I1"] + p["m"] * p["l"] ** 2)
        return f

    run = solve_ivp(field, (0, 0.4), hand.start_59(), t_eval=t, method="DOP853", rtol=1e-12, atol=1e-14)
    assert response.outputs[0] == pytest.approx(run.y[0], abs=1e-8)
    assert response.outputs[1] == pytest.approx(run.y[4], abs=1e-8)
    # J1 (thetaddot + v1dot) = u
    rates = u * t / hand.DATA_73["J1"] - (run.y[0] - run.y[0][0])
    assert response.outputs[2] == pytest.approx(rates, abs=1e-8)


def test_parameters_pass_through(skate):
    system = skate.to_control()
    x = np.array([0.3, 1.1, -0.4, 0.6, 0.8])
    derivative = system.dynamics(0.0, x, np.zeros(0), params=P)
    assert derivative == pytest.approx(hand.rhs(x, P), rel=1e-13)
    assert system.dynamics(0.0, x, np.zeros(0)) == pytest.approx(hand.rhs(x, hand.DATA_72), rel=1e-13)
    with pytest.raises(gc.ParameterError, match="Gamma5"):
        skate.to_control(outputs=["Gamma5"])


def test_interconnect_closes_the_loop_by_name(plant):
    law = gc.match(plant.mechanism).law(sigma=-1e-5)
    loop = control.interconnect(
        [plant.to_control(name="plant"), law.to_control(name="law")],
        inputs=[],
        outputs=["v1", "Gamma2", "Gamma3", "u_theta"],
    )
    t = np.linspace(0, 0.5, 11)
    response = control.input_output_response(
        loop, t, 0, np.insert(hand.start_59(), 3, 0.3), solve_ivp_kwargs={"rtol": 1e-10, "atol": 1e-12}
    )
    from scipy.integrate import solve_ivp

    p = hand.controlled(hand.DATA_73, -1e-5)
    run = solve_ivp(
        lambda _t, x: hand.rhs(x, p),
        (0, 0.5),
        hand.start_59(),
        t_eval=t,
        method="DOP853",
        rtol=1e-12,
        atol=1e-14,
    )
    outputs = response.outputs
    # 1e-6: control's solver at 1e-10 on signals of size one (torque of size 30), amplified by ten rad/s.
    assert outputs[0] == pytest.approx(run.y[0], abs=1e-6)
    assert outputs[1] == pytest.approx(run.y[3], abs=1e-6)
    assert outputs[2] == pytest.approx(run.y[4], abs=1e-6)
    torque = [0.005**2 / -1e-5 * hand.rhs(x, p)[0] for x in run.y.T]
    assert outputs[3] == pytest.approx(torque, abs=1e-5)
