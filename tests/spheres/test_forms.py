"""The four forms against one another, against angles, and as systems like any other."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import spheres
from geoctrl.errors import ConstraintError, DescriptionError, ParameterError
from geoctrl.manifolds.vectors.entries import vector
from tests.oracles.sphere_angles import Angles
from tests.oracles.sphere_corollaries import EQUATIONS
from tests.spheres.systems import driven_bodies, free_chain, random_state, varying_inertia

FORMS = tuple(spheres.SphereSystem.forms)

SYSTEMS = {
    "varying": (varying_inertia, [0.7]),
    "diagonal": (driven_bodies, [0.4]),
    "coupled": (free_chain, None),
}


def extrapolated(function, h=4e-3):
    """Derivative of a function of one variable at zero, good to about 1e-12."""
    D = [(function(s * h) - function(-s * h)) / (2 * s * h) for s in (4, 2, 1)]
    fourth = [(4 * D[1] - D[0]) / 3, (4 * D[2] - D[1]) / 3]
    return (16 * fourth[1] - fourth[0]) / 15


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_equations_of_the_forms_agree(name, form):
    """The rate of a form's states is how they change along the motion of (q, omega), which is other code."""
    build, u = SYSTEMS[name]
    s = build()
    x = s.pack(*random_state(s.n, seed=1))
    rate = s.rhs(0.3, x, u)

    def carried(t):
        moved = spheres.project(*s.unpack(x + t * rate))
        return s.convert(s.pack(*moved), "omega", form)

    found = s.in_form(form).rhs(0.3, s.convert(x, "omega", form), u)
    assert found == pytest.approx(extrapolated(carried), abs=1e-10)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_forms_are_the_printed_corollaries(name, form):
    """[LLM15, Cors. 1-4] as printed are other equations than those that run: one for all products."""
    build, u = SYSTEMS[name]
    s = build()
    f, x = s.in_form(form), s.convert(s.pack(*random_state(s.n, seed=5)), "omega", form)
    run = s.run(None)
    run.hold(np.array(u or np.zeros(len(s.inputs))))
    printed = EQUATIONS[form](run, 0.3, *s.unpack(x))
    assert f.rhs(0.3, x, u) == pytest.approx(s.pack(*printed), abs=1e-12)  # rounding of some hundred terms
    wrong = EQUATIONS[form](run, 0.3, *s.unpack(x + 0.01 * np.roll(x, 1)))
    assert np.max(np.abs(f.rhs(0.3, x, u) - s.pack(*wrong))) > 1e-3


@cache
def angles():
    """The varying inertia's Lagrangian in angles."""
    s = varying_inertia()
    v = [vector(f"qdot{i}") for i in (1, 2)]
    M, a = s.mass_expression, s.parameters[0]
    kinetic = sum(M[i, j] * v[i].dot(v[j]) for i in range(2) for j in range(2)) / 2
    return Angles((kinetic - s.potential_expression).xreplace({a.symbol: sp.Float(a.default)}), s.q, v)


@pytest.mark.parametrize("seed", range(4))
def test_equations_against_angles(seed):
    s, u, t = varying_inertia(), 0.7, 0.3
    q, omega = random_state(2, seed=seed)
    numbers = dict(zip(s.states, s.pack(q, omega), strict=True)) | {s.inputs[0]: u, gc.time: t}
    f = np.array([[float(e.subs(numbers)) for e in row] for row in s.forces_given])
    v = np.cross(omega, q)
    expected = angles().accelerations(q, v, f)
    x = s.pack(q, omega)
    assert s.rhs(t, x, [u]) == pytest.approx(s.pack(v, np.cross(q, expected)), abs=1e-10)
    found = s.in_form("qdot").rhs(t, s.pack(q, v), [u])
    assert found == pytest.approx(s.pack(v, expected), abs=1e-10)
    wrong = angles().accelerations(q, v, -f)
    assert np.max(np.abs(found - s.pack(v, wrong))) > 1e-2


@pytest.mark.parametrize("source", FORMS)
@pytest.mark.parametrize("target", FORMS)
def test_conversions_are_inverse_to_each_other(source, target):
    s = varying_inertia()
    columns = np.array([s.pack(*random_state(2, seed=k)) for k in range(3)]).T
    start = s.convert(columns, "omega", source)
    there = s.convert(start, source, target)
    assert there.shape == (12, 3)
    assert s.convert(there, target, source) == pytest.approx(start, abs=1e-13)
    assert s.convert(start[:, 1], source, target) == pytest.approx(there[:, 1], abs=1e-14)
    assert there == pytest.approx(s.convert(columns, "omega", target), abs=1e-13)
    q, y = s.unpack(there)
    assert np.abs(np.sum(q * y, axis=2)).max() < 1e-14  # velocities and momenta are tangent


def test_momenta_are_derivatives_of_the_kinetic_energy():
    s = varying_inertia()
    q, omega = random_state(2, seed=2)
    M, v = s.mass_matrix(q), np.cross(omega, q)

    def gradient(function, y):
        """Tangent part of the gradient of a function of (n, 3)."""
        out = np.zeros_like(y)
        for place in np.ndindex(y.shape):
            e = np.zeros_like(y)
            e[place] = 1
            out[place] = extrapolated(lambda h, e=e: function(y + h * e))
        return out - np.sum(out * q, axis=1)[:, None] * q

    x = s.pack(q, omega)
    mu = gradient(lambda y: np.sum(M * (y @ y.T)) / 2, v)
    assert s.convert(x, "omega", "mu") == pytest.approx(s.pack(q, mu), abs=1e-11)
    pi = gradient(lambda y: np.sum(M * (np.cross(y, q) @ np.cross(y, q).T)) / 2, omega)
    assert s.convert(x, "omega", "pi") == pytest.approx(s.pack(q, pi), abs=1e-11)


@pytest.mark.parametrize("form", FORMS)
def test_energy_momentum_and_parameters(form):
    s = varying_inertia()
    f = s.in_form(form)
    columns = np.array([s.pack(*random_state(2, seed=k)) for k in range(3)]).T
    for params in (None, {"a": 2.1}):
        there = s.convert(columns, "omega", form, params)
        assert f.energy(there, params) == pytest.approx(s.energy(columns, params), rel=1e-13)
        assert f.energy(there[:, 0], params) == pytest.approx(s.energy(columns[:, 0], params), rel=1e-13)
        assert f.momentum(there, params) == pytest.approx(s.momentum(columns, params), abs=1e-13)
        assert f.momentum(there[:, 0], params).shape == (3,)
        rates = f.rhs(np.zeros(3), there, np.ones((1, 3)), params)
        assert rates.shape == (12, 3)
        assert rates[:, 1] == pytest.approx(f.rhs(0.0, there[:, 1], [1.0], params), abs=1e-14)
    assert s.params == f.params == {"a": 1.3}


@pytest.mark.parametrize("form", FORMS)
def test_jacobian(form):
    """Along tangent directions, against the exact derivative of (q, omega) carried over by differences."""
    s = varying_inertia()
    f = s.in_form(form)
    x = s.pack(*random_state(2, seed=3))
    y = s.convert(x, "omega", form)
    J = f.jacobian(0.2, y, [0.5])
    direction = np.random.default_rng(4).normal(size=12)

    def along(h):
        return s.pack(*spheres.project(*s.unpack(x + h * direction)))

    tangent = extrapolated(lambda h: s.convert(along(h), "omega", form))
    change = extrapolated(lambda h: f.rhs(0.2, s.convert(along(h), "omega", form), [0.5]))
    assert J @ tangent == pytest.approx(change, abs=1e-9)
    if form == "omega":
        assert J @ tangent == pytest.approx(s.jacobian(0.2, x, [0.5]) @ tangent, abs=1e-9)


def test_a_form_is_a_system_like_any_other():
    s = varying_inertia()
    f = s.in_form("mu")
    assert f.state_labels == tuple(f"{v}{i}_{k}" for v in ("q", "mu") for i in (1, 2) for k in (1, 2, 3))
    assert f.input_labels == ("u",)
    assert f.system is s
    assert (f.n, f.form) == (2, "mu")
    q, mu = f.unpack(np.arange(12.0))
    assert np.array_equal(f.pack(q, mu), np.arange(12.0))
    y = s.convert(s.pack(*random_state(2, seed=5)), "omega", "mu")
    control = f.to_control()
    assert control.dynamics(0.3, y, [0.4]) == pytest.approx(f.rhs(0.3, y, [0.4]), abs=0)
    assert list(control.state_labels) == list(f.state_labels)
    assert "mu" in repr(f)


@pytest.mark.parametrize("form", FORMS)
def test_its_motion_is_that_of_the_system(form):
    """DOP853 on each form; 1e-9, a hundred times its error."""
    from scipy.integrate import solve_ivp

    s = varying_inertia()
    q, omega = random_state(2, seed=6)
    expected = spheres.integrate(s, q, omega, 0.01, 100, order=8, inputs=[0.5], record=100).states[:, -1]
    flow = s.in_form(form).run()
    flow.hold(np.array([0.5]))
    start = s.convert(s.pack(q, omega), "omega", form)
    end = solve_ivp(flow.rate, (0, 1), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert s.convert(end, form, "omega") == pytest.approx(expected, abs=1e-9)


def test_start_and_trajectory():
    s = varying_inertia(forced=False)
    f = s.in_form("pi")
    q, omega = random_state(2, seed=7)
    pi = s.unpack(s.convert(s.pack(q, omega), "omega", "pi"))[1]
    x = f.start((q, pi))
    assert np.array_equal(x, s.pack(q, pi))
    assert np.array_equal(f.start(x), x)
    with pytest.raises(ConstraintError, match=r"q.pi/\|pi\| is .*project\(q, pi\)"):
        f.start((q, pi + q))
    traj = f.trajectory(
        np.array([0.0, 1.0]),
        np.array([x, x]).T,
        params=s.params,
        engine="none",
        status="completed",
        success=True,
    )
    assert np.array_equal(traj.states[:, 1], x)
    assert np.array_equal(traj["pi2_3"], [pi[1, 2]] * 2)
    assert traj.omega[0] == pytest.approx(omega, abs=1e-14)
    assert traj.drift["energy"] == 0
    with pytest.raises(KeyError, match="pi1_3"):
        traj["pi1_4"]


@pytest.mark.parametrize("form", ["omega", "mu"])
def test_simulate(form):
    s = varying_inertia()
    f = s.in_form(form)
    q, omega = random_state(2, seed=8)
    times = np.linspace(0, 1, 6)
    expected = spheres.integrate(s, q, omega, 0.01, 100, order=8, inputs=[0.5], record=20)
    y = s.unpack(s.convert(s.pack(q, omega), "omega", form))[1]
    traj = gc.simulate(f, times, (q, y), inputs=[0.5], events={"half": f.states[8] - y[0, 2] / 2})
    assert traj.states == pytest.approx(s.convert(expected.states, "omega", form), abs=1e-9)
    assert traj.omega == pytest.approx(expected.omega, abs=1e-9)
    label = f.state_labels[8]
    assert np.array_equal(traj[label], traj.states[8])
    for state in np.transpose(traj.events["half"].states):
        assert state[8] == pytest.approx(y[0, 2] / 2, abs=1e-9)


@pytest.mark.parametrize("form", ["qdot", "pi"])
def test_closed_loop(form):
    """A law in the states of the form, by expressions and by a function."""
    s = varying_inertia()
    f = s.in_form(form)
    y = s.convert(s.pack(*random_state(2, seed=9)), "omega", form)
    a = s.parameters[0].symbol
    expected = f.rhs(0.2, y, [1.3 * y[7] * np.cos(0.2) + y[3]])
    for law in (
        [a * f.states[7] * sp.cos(gc.time) + f.states[3]],
        lambda t, x, p: [p["a"] * x[7] * np.cos(t) + x[3]],
    ):
        closed = f.closed_loop(law)
        assert closed.inputs == ()
        assert closed.form == form
        assert closed.rhs(0.2, y) == pytest.approx(expected, abs=1e-13)
    with pytest.raises(DescriptionError, match="needs a system with inputs"):
        closed.closed_loop(law)
    with pytest.raises(DescriptionError, match="must give 1 inputs, got 2"):
        f.closed_loop([sp.S.Zero] * 2)


def test_what_only_the_system_can_do():
    f = free_chain().in_form("mu")
    hanging = f.pack([[0, 0, -1.0]] * 3, np.zeros((3, 3)))
    for analyse in (gc.linearize, gc.certify):
        with pytest.raises(DescriptionError, match="attribute system"):
            analyse(f, hanging)


def test_bad_forms():
    s = varying_inertia()
    with pytest.raises(ValueError, match="unknown form 'p'; did you mean 'pi'"):
        s.in_form("p")
    with pytest.raises(ValueError, match="unknown form 'omga'; did you mean 'omega'"):
        s.convert(np.zeros(12), "omga", "mu")
    with pytest.raises(ValueError, match="x must have shape"):
        s.convert(np.zeros(10), "omega", "mu")
    with pytest.raises(ValueError, match="x must have shape"):
        s.in_form("mu").rhs(0.0, np.zeros(10))
    with pytest.raises(ValueError, match="u must have 1 entries"):
        s.in_form("mu").rhs(0.0, np.zeros(12), [1.0, 2.0])
    with pytest.raises(ParameterError, match="unknown parameter"):
        s.in_form("mu").energy(np.zeros(12), {"b": 1.0})
