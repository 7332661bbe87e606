"""The field on rotations against Euler-Poincare equations, general propositions and Hamilton's equations."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations
from geoctrl.manifolds import Attitude
from geoctrl.manifolds.propositions import hamilton, lagrange, legendre, momenta, rates
from geoctrl.rotations.attitudes import exp, hat
from tests.rotations.systems import J2, J, by_dop853, coupled, general, gyrostat, orbit, random_state, top

SYSTEMS = {
    "top": top,
    "gyrostat": gyrostat,
    "coupled": coupled,
    "general": general,
    "forced": lambda: general(forced=True),
    "orbit": orbit,
}
every_system = pytest.mark.parametrize("name", SYSTEMS)


def state_of(system, seed=0, off=0.0):
    R, Omega = random_state(system.n, seed)
    R = R + off * np.random.default_rng(seed + 1).normal(size=R.shape)
    return system.pack(R, Omega), np.linspace(0.4, 0.9, len(system.input_labels))


@every_system
@pytest.mark.parametrize("off", [0.0, 0.2])  # on the group and off it: the extensions agree as well
def test_field_energy_and_derivative_are_those_of_the_euler_poincare_equations(name, off):
    system = SYSTEMS[name]()
    x, u = state_of(system, 1, off)
    view = system.view()
    y = view.reduced_state(x, system.params)
    T = view.derivative(y, system.params)
    f = system.rhs(0.7, x, u)
    # Two derivations of the same sums: rounding of about a hundred terms of size ten.
    np.testing.assert_allclose(T @ view.reduced.rhs(0.7, y, u), f, rtol=0, atol=1e-13 * np.abs(f).max())
    np.testing.assert_allclose(view.out_of(y, system.params), x, rtol=0, atol=1e-15)
    assert view.reduced.energy(y) == pytest.approx(system.energy(x), abs=1e-13)
    expected = T @ view.reduced.jacobian(0.7, y, u) @ np.linalg.inv(T)
    np.testing.assert_allclose(system.jacobian(0.7, x, u), expected, rtol=0, atol=1e-12)


@every_system
def test_jacobian_is_the_derivative_of_the_field(name):
    system = SYSTEMS[name]()
    x, u = state_of(system, 2)
    h = 1e-5  # error h^2 times third derivatives of size ten
    columns = [(system.rhs(0.7, x + e, u) - system.rhs(0.7, x - e, u)) / (2 * h) for e in h * np.eye(x.size)]
    np.testing.assert_allclose(system.jacobian(0.7, x, u), np.array(columns).T, rtol=0, atol=1e-8)


def test_euler_poincare_is_checked_by_sign():
    """Negative control: with the sign of the moments turned the two fields differ."""
    system, wrong = top(), top().replace(potential=-top().potential_expression)
    x, _ = state_of(system)
    view = system.view()
    y = view.reduced_state(x, system.params)
    assert (
        np.abs(view.derivative(y, system.params) @ view.reduced.rhs(0.0, y) - wrong.rhs(0.0, x)).max() > 0.1
    )


def test_the_field_is_tangent_to_the_rotations():
    for name in SYSTEMS:
        system = SYSTEMS[name]()
        x, u = state_of(system, 3)
        R, _ = system.unpack(x)
        V, _ = system.unpack(system.rhs(0.7, x, u))
        S = np.swapaxes(R, 1, 2) @ V
        np.testing.assert_allclose(S, -np.swapaxes(S, 1, 2), rtol=0, atol=1e-14)


def test_simulation_of_the_euler_poincare_equations_is_the_same_motion():
    system = general()
    R, Omega = random_state(2, 4)
    view = system.view()
    traj = gc.simulate(
        view.reduced, np.array([0.0, 2.0]), view.reduced_state(system.pack(R, Omega), system.params)
    )
    # Both solvers work at 1e-13 or better; the motion spreads errors by about a hundred.
    np.testing.assert_allclose(
        view.out_of(traj.states[:, -1], system.params), by_dop853(system, R, Omega, 2.0), rtol=0, atol=1e-10
    )


@every_system
def test_rhs_takes_columns(name):
    system = SYSTEMS[name]()
    pairs = [state_of(system, seed) for seed in range(3)]
    X, U = np.array([x for x, _ in pairs]).T, np.array([u for _, u in pairs]).T
    t = np.array([0.1, 0.5, 0.7])
    rows = [system.rhs(s, x, u) for s, (x, u) in zip(t, pairs, strict=True)]
    np.testing.assert_array_equal(system.rhs(t, X, U), np.array(rows).T)
    assert system.energy(X).shape == (3,)
    assert system.momentum(X).shape == (3, 3)
    np.testing.assert_array_equal(system.momentum(X)[:, 1], system.momentum(X[:, 1]))


BODIES = [Attitude("R1"), Attitude("R2")]
LINEAR = {
    "constant": lambda _: [sp.Matrix([0.3, -0.2, 0.5]), sp.Matrix([0.1, 0.7, -0.4])],
    "varying": lambda R: [R[0].T * sp.Matrix([0.3, 0.5, R[1][0, 1]]), R[1] * sp.Matrix([0.2, R[0][1, 2], 0])],
}


@cache
def quadratic(linear):
    """L, R, Omega and the system of a quadratic Lagrangian with linear terms, two bodies."""
    R, Omega = rotations.symbols(2)
    a = LINEAR[linear](R)
    U = 1.3 * (R[0].T * R[1]).trace() + R[0][2, 1] * R[1][0, 2] ** 2
    L = sum((w.dot(sp.Matrix(M) * w) / 2 + v.dot(w) for M, w, v in zip((J, J2), Omega, a, strict=True)), -U)
    return L, R, Omega, rotations.RotationSystem(inertias=[J, J2], potential=U, linear=a)


def numbers(system, x, extra=()):
    return {**dict(zip(system.states, x, strict=True)), **dict(extra)}


@pytest.mark.parametrize("linear", LINEAR)
def test_the_field_follows_from_the_proposition_for_any_lagrangian(linear):
    L, _, Omega, system = quadratic(linear)
    x, _ = state_of(system, 5)
    residuals = lagrange(L, BODIES)
    acceleration = system.rhs(0.0, x)[18:]
    symbols = [s for v in rates(Omega) for s in v]
    table = numbers(system, x, zip(symbols, acceleration, strict=True))
    found = np.array([[float(e.xreplace(table)) for e in r] for r in residuals])
    assert np.abs(found).max() < 1e-12  # rounding of sums of numbers of size ten
    # Negative control: accelerations that are off by one part in a million.
    table |= {symbols[0]: acceleration[0] + 1e-6}
    assert abs(float(residuals[0][0].xreplace(table))) > 1e-7


@pytest.mark.parametrize("linear", LINEAR)
def test_hamiltons_equations_are_those_of_the_form_in_momenta(linear):
    _, R, _, system = quadratic(linear)
    Pi = momenta(BODIES)
    a, U = LINEAR[linear](R), system.potential_expression
    H = U + sum(
        ((p - v).T * sp.Matrix(np.linalg.inv(M)) * (p - v))[0] / 2
        for M, p, v in zip((J, J2), Pi, a, strict=True)
    )
    turns, forces = hamilton(H, BODIES)
    form = system.in_form("Pi")
    x, _ = state_of(system, 6)
    y = system.convert(x, "Omega", "Pi")
    table = dict(zip([e for v in (*R, *Pi) for e in v], y, strict=True))
    found = [float(e.xreplace(table)) for M in (*turns, *forces) for e in M]
    np.testing.assert_allclose(form.rhs(0.0, y), found, rtol=0, atol=1e-12)
    assert form.energy(y) == pytest.approx(float(H.xreplace(table)), abs=1e-12)


def test_a_lagrangian_that_is_not_quadratic_keeps_its_energy_and_momentum():
    """(6.6) with fourth powers and mixed terms: the energy and, by symmetry, the vertical momentum stay."""
    body = Attitude("R")
    w, r3 = body.velocity, body.z[2, :].T
    L = w.dot(sp.Matrix(J) * w) / 2 + w.dot(w) ** 2 / 7 + r3.dot(w) * r3[0] - r3[1] ** 3 + r3[2]
    (residual,), (p,), (rate,) = lagrange(L, [body]), legendre(L, [body]), rates([w])
    energy, momentum = w.dot(p) - L, r3.dot(p)
    A = residual.jacobian(list(rate))
    b = residual.xreplace(dict.fromkeys(rate, 0))
    states = [*body.z, *w]
    evaluate = sp.lambdify([states], [A, b, sp.Matrix([energy, momentum]).jacobian(states)], "numpy")
    R0, O0 = random_state(1, 7)
    A0, b0, slopes = evaluate([*R0.ravel(), *O0.ravel()])
    flow = np.concatenate([(R0[0] @ hat(O0[0])).ravel(), -np.linalg.solve(A0, b0).ravel()])
    assert np.abs(slopes @ flow).max() < 1e-12
    flow[9] *= 1 + 1e-6  # negative control
    assert np.abs(slopes @ flow).max() > 1e-8


def test_the_identity_behind_the_moment_of_a_potential():
    """[LLM17] problem 6.1: B^T A - A^T B is the sum of hat(a_i x b_i), a_i and b_i the rows of A and B."""
    A, B = (sp.Matrix(3, 3, sp.symbols(f"{name}:9", real=True)) for name in "ab")
    total = sum((A[i, :].T.cross(B[i, :].T) for i in range(3)), sp.zeros(3, 1))
    assert (B.T * A - A.T * B - total.hat()).expand() == sp.zeros(3, 3)
    assert (B.T * A - A.T * B + total.hat()).expand() != sp.zeros(3, 3)  # negative control


@every_system
def test_forms_convert_and_move_alike(name):
    system = SYSTEMS[name]()
    x, u = state_of(system, 8)
    form, h = system.in_form("Pi"), 1e-5
    y = system.convert(x, "Omega", "Pi")
    np.testing.assert_allclose(system.convert(y, "Pi", "Omega"), x, rtol=0, atol=1e-14)
    f = system.rhs(0.3, x, u)
    moved = (system.convert(x + h * f, "Omega", "Pi") - system.convert(x - h * f, "Omega", "Pi")) / (2 * h)
    np.testing.assert_allclose(form.rhs(0.3, y, u), moved, rtol=0, atol=1e-8)  # h^2 times third derivatives
    assert form.energy(y) == pytest.approx(system.energy(x), abs=1e-13)
    np.testing.assert_allclose(form.momentum(y), system.momentum(x), rtol=0, atol=1e-14)
    columns = [(form.rhs(0.3, y + e, u) - form.rhs(0.3, y - e, u)) / (2 * h) for e in h * np.eye(y.size)]
    np.testing.assert_allclose(form.jacobian(0.3, y, u), np.array(columns).T, rtol=0, atol=1e-8)
    np.testing.assert_array_equal(system.in_form("Omega").rhs(0.3, x, u), f)


def test_energy_and_momentum_in_closed_form():
    system = general()
    R, Omega = random_state(2, 9)
    x = system.pack(R, Omega)
    params = {"k": 1.7, "j": 0.8}
    w = np.array([0.3, 0.85, -0.4])
    a = [R[0].T @ [0.3, 0.5, R[1][0, 1]], np.array([0.1, 0.34, -0.4])]
    inertias = [J, np.diag([0.8, 1.3, 0.7])]
    L = sum(Q @ (M @ w_i + v) for Q, M, w_i, v in zip(R, inertias, Omega, a, strict=True))
    U = 1.7 * np.trace(R[0].T @ R[1]) + 3 * R[0][2, 1] * R[1][0, 2] ** 2
    E = sum(w_i @ M @ w_i / 2 for M, w_i in zip(inertias, Omega, strict=True)) + U - w @ L
    np.testing.assert_allclose(system.momentum(x, params), L, rtol=0, atol=1e-14)
    assert system.energy(x, params) == pytest.approx(E, abs=1e-13)
    assert system.potential(R, params) == pytest.approx(U, abs=1e-14)


def test_gradient_is_ambient():
    system = general()
    R, _ = random_state(2, 10)
    G, h = system.gradient(R), 1e-6
    for place in ((0, 2, 1), (1, 0, 2), (0, 1, 1)):
        E = np.zeros_like(R)
        E[place] = h
        expected = (system.potential(R + E) - system.potential(R - E)) / (2 * h)
        assert G[place] == pytest.approx(expected, abs=1e-8)


def test_functions_give_the_same_system_as_expressions():
    """The functions go entry by entry: numba takes seconds for what assigns whole matrices."""

    def U(R, p):
        trace = 0.0
        for i in range(3):
            for k in range(3):
                trace += R[0, i, k] * R[1, i, k]
        return p[0] * trace + 3 * R[0, 2, 1] * R[1, 0, 2] ** 2

    def dU(R, p):
        G = np.zeros((2, 3, 3))
        for i in range(3):
            for k in range(3):
                G[0, i, k], G[1, i, k] = p[0] * R[1, i, k], p[0] * R[0, i, k]
        G[0, 2, 1] += 3 * R[1, 0, 2] ** 2
        G[1, 0, 2] += 6 * R[0, 2, 1] * R[1, 0, 2]
        return G

    def f(t, R, Omega, u, p):
        out = np.zeros((2, 3))
        out[0, 0], out[0, 2] = u[0], R[0, 1, 1]
        out[1, 0], out[1, 1], out[1, 2] = 0.3, np.sin(2 * t) * Omega[0, 1], -u[0] * R[1, 0, 2]
        for i in range(3):
            out[0, i] -= 0.4 * Omega[0, i]
            out[1, i] -= 0.25 * Omega[1, i]
        return out

    by_expressions = general(forced=True)
    by_functions = by_expressions.replace(potential=U, gradient=dU, forces=f)
    x, u = state_of(by_expressions, 11)
    expected = by_expressions.rhs(0.7, x, u)
    np.testing.assert_allclose(by_functions.rhs(0.7, x, u), expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(
        by_functions.jacobian(0.7, x, u), by_expressions.jacobian(0.7, x, u), rtol=0, atol=1e-7
    )
    for system in (by_expressions, by_functions):  # linear in u
        B = system.input_jacobian(0.7, x, u)
        change = system.rhs(0.7, x, u + 1) - expected
        np.testing.assert_allclose(B[:, 0], change, rtol=0, atol=1e-8)
    assert by_functions.run(None).engine == "numba"
    assert not by_functions.description.symbolic


def test_closed_loops_of_every_kind_agree():
    system = general(forced=True)
    x, _ = state_of(system, 12)
    law = -0.8 * system.Omega[0][0] + sp.sin(gc.time) * system.R[1][0, 2]
    value = -0.8 * x[18] + np.sin(0.7) * x[9 + 2]
    by_expression = system.closed_loop([law])
    by_function = system.closed_loop(lambda t, x, _: np.array([-0.8 * x[18] + np.sin(t) * x[9 + 2]]))
    for loop in (by_expression, by_function):
        assert loop.inputs == ()
        np.testing.assert_allclose(loop.rhs(0.7, x), system.rhs(0.7, x, [value]), rtol=0, atol=1e-13)
    assert system.closed_loop({"u": law}).forces_given == by_expression.forces_given
    with pytest.raises(gc.DescriptionError, match="the law must give u"):
        system.closed_loop({"v": law})


def test_to_control_has_the_states_and_the_field():
    system = general(forced=True)
    x, u = state_of(system, 13)
    for form in (system, system.in_form("Pi")):
        io = form.to_control()
        assert io.nstates == 24
        assert list(io.state_labels) == list(form.state_labels)
        np.testing.assert_array_equal(io.dynamics(0.7, x, u), form.rhs(0.7, x, u))


@pytest.mark.long(reason="forms of directions are asked the same in spheres/test_forms.py")
def test_forms_are_simulated_and_closed_like_systems():
    system = general(forced=True)
    R, Omega = random_state(2, 14)
    x, times, law = system.pack(R, Omega), np.array([0.0, 1.0]), -0.8 * system.R[0][0, 1] + sp.sin(gc.time)
    form = system.in_form("Pi")
    y = system.convert(x, "Omega", "Pi")
    expected = gc.simulate(system.closed_loop([law]), times, (R, Omega)).states[:, -1]
    run = gc.simulate(form.closed_loop([law]), times, y)
    assert run.state_labels == form.state_labels
    # Two coordinates, tolerances of 1e-12 per step.
    np.testing.assert_allclose(system.convert(run.states[:, -1], "Pi", "Omega"), expected, rtol=0, atol=1e-9)
    with pytest.raises(gc.DescriptionError, match="attribute system"):
        gc.linearize(form, y)


def test_equilibria_are_found_linearised_and_certified():
    pendulum = rotations.pendulum3d([0.5, 0.6, 0.2], 1.0, [0.0, 0.0, -0.4])
    eq = gc.find_equilibrium(pendulum, guess=(exp([[0.1, 0.2, 0.3]]), np.zeros((1, 3))))
    np.testing.assert_allclose(eq.R[0].T @ [0, 0, 1], [0, 0, 1], atol=1e-9)
    lin = gc.linearize(pendulum, eq)
    assert lin.A_leaf.shape == (6, 6)
    # Hanging: two frequencies sqrt(m g rho / J1), sqrt(m g rho / J2), and the heading, which is free.
    expected = np.sqrt(9.81 * 0.4 / np.array([0.6, 0.5]))
    found = np.sort(np.abs(lin.eigenvalues.imag))
    np.testing.assert_allclose(found, [0, 0, *np.repeat(expected, 2)], rtol=0, atol=1e-7)
    up = (np.diag([1.0, -1.0, -1.0])[None], np.zeros((1, 3)))
    assert gc.certify(pendulum, up).verdict == gc.Verdict.PROVED_UNSTABLE


def kinked(part):
    """A hanging pendulum with a kink at rest in one part of its description."""
    pendulum = rotations.pendulum3d([0.5, 0.6, 0.2], 1.0, [0.0, 0.0, -0.4])
    R, Omega = pendulum.R[0], pendulum.Omega[0]
    changes = {
        "forces": {"forces": [-Omega.applyfunc(sp.sign) / 5]},
        "potential": {"potential": pendulum.potential_expression + sp.Abs(R[2, 0])},
        "linear": {"linear": [[0, 0, sp.Abs(R[2, 1])]]},
    }
    return pendulum.replace(**changes[part])


@pytest.mark.parametrize("analysis", [gc.find_equilibrium, gc.linearize, gc.certify])
@pytest.mark.parametrize("part", ["forces", "potential", "linear"])
def test_no_verdict_at_a_kink(part, analysis):
    """As for reduced systems, and in the same words."""
    with pytest.raises(gc.EquilibriumError, match="the equations are not differentiable at this point: Abs"):
        analysis(kinked(part), (np.eye(3)[None], np.zeros((1, 3))))


def test_kinks_elsewhere_do_not_matter():
    """Friction about an axis that turns with the frame is smooth; it is refused where the axis rests."""
    w = rotations.symbols(1)[1][0]
    body = rotations.free_body([0.5, 0.6, 0.9])
    spinning = np.eye(3)[None], np.array([[0.0, 0.0, 2.0]])
    found, expected = (
        gc.linearize(body.replace(forces=[[-w[0], -w[1], about]], frame_rate=[0, 0, 2]), spinning)
        for about in ((1 - sp.sign(w[2])) / 5, 0)
    )
    np.testing.assert_allclose(found.A, expected.A, rtol=0, atol=1e-12)
    with pytest.raises(gc.EquilibriumError, match="not differentiable"):
        gc.linearize(body.replace(forces=[[0, 0, -sp.sign(w[2])]]), (np.eye(3)[None], np.zeros((1, 3))))
