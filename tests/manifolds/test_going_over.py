"""Points and parameters that go over: to closed loops, to reduced equations, to other forms."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations, spheres

G = 9.81
HANGING = ([[0, 0, -1.0]], [[0, 0, 0.0]])


def pushed_pendulum():
    q, _ = spheres.symbols(1)
    u, v = sp.symbols("u v", real=True)
    return spheres.SphereSystem(mass=[1.3], potential=1.3 * G * q[0][2], forces=[[u, v, 0]], inputs=[u, v])


def turning_body(**more):
    """A frame that turns at a rate without a default, about a principal axis."""
    R, _ = rotations.symbols(1)
    w = gc.Parameter("w0", None)
    given = {
        "inertias": np.diag([1.0, 2.0, 3.5]),
        "potential": 0.5 * w.symbol**2 * R[0][0, 0] ** 2,
        "frame_rate": [0, w.symbol, 0],
        "parameters": [w],
    }
    return rotations.RotationSystem(**(given | more))


def test_an_equilibrium_of_the_open_loop_is_one_of_the_closed_loop():
    """By formula: m omega'' + (k/m) omega' + g omega = 0 for both directions, damped by k."""
    opened = pushed_pendulum()
    point = gc.find_equilibrium(opened, HANGING)
    assert point.u.shape == (2,)
    omega = spheres.symbols(1)[1][0]
    k = 0.9
    loop = opened.closed_loop([k * omega[1], -k * omega[0]])
    expected = np.roots([1.0, k / 1.3, G])
    by_function = opened.closed_loop(lambda t, x, p: np.array([k * x[4], -k * x[3]]))
    for system, verdict in ((loop, "PROVED_ASYMPTOTICALLY_STABLE"), (by_function, "NUMERICALLY_STABLE")):
        found = np.sort_complex(gc.linearize(system, point).eigenvalues)
        assert np.allclose(found, np.sort_complex(np.tile(expected, 2)), atol=1e-8)
        assert gc.certify(system, point).verdict.value == verdict
        assert gc.find_equilibrium(system, point).u.shape == (0,)


def test_an_equilibrium_with_other_inputs_is_refused():
    point = gc.find_equilibrium(pushed_pendulum(), HANGING)
    u = sp.Symbol("u", real=True)
    single = pushed_pendulum().replace(forces=[[u, 0, 0]], inputs=[u])
    with pytest.raises(ValueError, match="inputs of the equilibrium"):
        gc.linearize(single, point)


@pytest.mark.parametrize("shape", ["pair", "pair with inputs", "state with inputs", "state"])
def test_a_pair_of_one_body_is_no_pair_of_state_and_inputs(shape):
    """Omega of one body and three inputs have one shape."""
    torques = sp.symbols("u1:4", real=True)
    body = turning_body(forces=[list(torques)], inputs=torques)
    params = {"w0": 0.7}
    pair, u = (np.eye(3), np.array([0, 0.7, 0])), np.zeros(3)
    guess = {
        "pair": pair,
        "pair with inputs": (pair, u),
        "state with inputs": (body.pack([pair[0]], [pair[1]]), u),
        "state": body.pack([pair[0]], [pair[1]]),
    }[shape]
    point = gc.find_equilibrium(body, guess, params=params)
    assert np.allclose(point.Omega, [[0, 0.7, 0]], atol=1e-12)
    assert np.allclose(point.u, 0)


@pytest.mark.parametrize("rate", [0.7, -1.9])
def test_reduced_equations_are_entered_with_the_parameters_of_the_run(rate):
    """Heyoka runs xi = Omega - R^T w; the maps need the w of the run."""
    body, params = turning_body(), {"w0": rate}
    start = (np.eye(3)[None], [[0.1, rate, 0.3]])
    times = np.linspace(0, 3, 4)
    direct = gc.simulate(body, times, start, params)
    reduced = gc.simulate(body, times, start, params, engine="heyoka")
    assert np.max(np.abs(direct.states - reduced.states)) < 1e-10
    assert "energy" in reduced.drift


def test_a_fixed_coordinate_keeps_its_frame():
    params = {"w0": 0.7}
    point = gc.find_equilibrium(
        turning_body(), (np.eye(3)[None], [[0, 0.7, 0]]), fixed={"R1_22": 1.0}, params=params
    )
    assert np.allclose(point.Omega, [[0, 0.7, 0]], atol=1e-9)
    assert point.residual < 1e-12


def test_a_fixed_coordinate_in_turning_axes():
    """The body turns with the axes: Omega = R^T spin."""
    top = rotations.pendulum3d(np.diag([2.0, 1.5, 1.0]), 1.3, [0, 0, -0.4])
    spin = np.array([0, 0, 3.0])
    guess = (np.eye(3)[None], [spin])
    point = gc.find_equilibrium(top, guess, fixed={"R1_33": 1.0}, spin=spin)
    assert np.allclose(point.Omega[0], point.R[0].T @ spin, atol=1e-9)
    assert np.allclose(point.Omega[0], spin, atol=1e-9)


@pytest.mark.parametrize("form", ["qdot", "mu", "pi"])
def test_forms_start_from_an_equilibrium(form):
    """A conical pendulum keeps its height in every form."""
    pendulum = spheres.chain_pendulum([1.3], [0.8])
    rate = 5.0
    height = -G / (0.8 * rate**2)
    q = np.array([[np.sqrt(1 - height**2), 0, height]])
    point = gc.find_equilibrium(pendulum, (q, [[0, 0, 0.0]]), spin=(0, 0, rate))
    run = gc.simulate(pendulum.in_form(form), np.linspace(0, 2, 9), point)
    assert np.allclose(run["q1_3"], height, atol=1e-9)
    assert np.ptp(run["q1_1"]) > 1
    top = turning_body()
    eq = gc.find_equilibrium(top, (np.eye(3)[None], [[0, 0.7, 0]]), params={"w0": 0.7})
    run = gc.simulate(top.in_form("Pi"), np.linspace(0, 1, 3), eq, {"w0": 0.7})
    assert np.allclose(run["Pi1_2"], 1.4, atol=1e-12)


@pytest.mark.long(reason="momenta of rotations take the parameters of the run beside it")
def test_forms_take_the_parameters_of_the_run():
    """Momenta made with the mass of the run, not with that of the description."""
    q, _ = spheres.symbols(1)
    m = gc.Parameter("m", 1.0)
    pendulum = spheres.SphereSystem(
        mass=sp.Matrix([[m.symbol]]), potential=m.symbol * G * q[0][2], parameters=[m]
    )
    params, times = {"m": 3.7}, np.linspace(0, 1, 5)
    start = ([[0.6, 0, -0.8]], [[0.4, 0.5, 0.3]])
    x = pendulum.pack(*start)
    direct = gc.simulate(pendulum, times, start, params)
    for name in ("mu", "pi"):
        form = pendulum.in_form(name)
        z = pendulum.convert(x, "omega", name, params)
        assert form.momentum(z, params) == pytest.approx(pendulum.momentum(x, params), abs=1e-13)
        assert form.energy(z, params) == pytest.approx(pendulum.energy(x, params), abs=1e-12)
        run = gc.simulate(form, times, z, params)
        assert np.allclose(run.omega, direct.omega, rtol=0, atol=1e-9)
        assert run.energy == pytest.approx(direct.energy, abs=1e-9)


def test_momenta_of_rotations_take_the_parameters_of_the_run():
    m = gc.Parameter("m", 1.0)
    body = rotations.RotationSystem(
        inertias=sp.diag(m.symbol, 2, 3 * m.symbol), linear=[[0.2, m.symbol, 0]], parameters=[m]
    )
    params, form = {"m": 1.3}, body.in_form("Pi")
    x = body.generic_state(2)
    z = body.convert(x, "Omega", "Pi", params)
    assert form.momentum(z, params) == pytest.approx(body.momentum(x, params), abs=1e-13)
    assert form.energy(z, params) == pytest.approx(body.energy(x, params), abs=1e-13)
    R, Omega = body.unpack(x)
    by_hand = R[0] @ (np.array([1.3, 2, 3.9]) * Omega[0] + [0.2, 1.3, 0])
    assert body.momentum(x, params) == pytest.approx(by_hand, abs=1e-13)
