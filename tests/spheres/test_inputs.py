"""Inputs in their three kinds, forces given by a function, feedback, parameters, shapes of states."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import spheres
from geoctrl.errors import DescriptionError, ParameterError
from geoctrl.stepping.compiled import compiled
from tests.spheres.systems import driven_bodies, random_state, varying_inertia

CHAIN = spheres.chain_pendulum([1.0, 2.0], [0.3, 0.4])
STATE = random_state(2, seed=1)
T, STEPS = 0.28, 28
LAST = {"record": STEPS}


def final(system, state=STATE, **options):
    return spheres.integrate(system, *state, T / STEPS, STEPS, **(LAST | options))


# -- inputs -----------------------------------------------------------------------------------------------

CONSTANT = np.array([0.3, -0.2, 0.1, 0.4, 0.2, -0.6])


def pushed(t):
    return np.array([np.sin(3 * t), 0.3, 0.0, 0.5 * t, 0.0, np.cos(t)])


class Pushed:
    """The same, as something numba does not know."""

    def __call__(self, t):
        return list(pushed(t))


@pytest.mark.parametrize("method", ["variational", "rk4"])
def test_constant_inputs_in_three_kinds(method):
    kinds = [CONSTANT, lambda t: CONSTANT, ([0.0, 0.2, 1.0], np.tile(CONSTANT[:, None], 3))]
    runs = [final(CHAIN, inputs=u, method=method) for u in kinds]
    assert runs[1].states == pytest.approx(runs[0].states, abs=1e-14)
    assert runs[2].states == pytest.approx(runs[0].states, abs=1e-14)
    assert np.max(np.abs(final(CHAIN, method=method).states - runs[0].states)) > 1e-2


@pytest.mark.parametrize("method", ["variational", "rk4"])
def test_a_function_of_time_is_what_it_would_be_in_the_forces(method):
    t = gc.time
    numbers = [sp.sin(3 * t), sp.Rational(3, 10), 0, t / 2, 0, sp.cos(t)]
    written = [f.xreplace(dict(zip(CHAIN.inputs, numbers, strict=True))) for f in CHAIN.forces_given]
    expected = final(CHAIN.replace(forces=written, inputs=()), method=method)
    compiled, plain = final(CHAIN, inputs=pushed, method=method), final(CHAIN, inputs=Pushed(), method=method)
    assert compiled.states == pytest.approx(expected.states, abs=1e-13)
    assert plain.states == pytest.approx(expected.states, abs=1e-13)
    assert [compiled.engine, plain.engine] == ["numba", "python"]


def test_samples_are_linear_between_and_constant_beyond():
    times, values = np.array([0.1, 0.17, 0.4]), np.random.default_rng(2).normal(size=(6, 3))

    def interpolated(t):
        return np.array([np.interp(t, times, row) for row in values])

    expected = final(CHAIN, inputs=interpolated)
    assert final(CHAIN, inputs=(times, values)).states == pytest.approx(expected.states, abs=1e-13)


def test_a_run_in_pieces_is_the_run_in_one_piece():
    """Calls of the compiled loop cut a run as records and the clock want it: bit for bit the same numbers."""

    samples = ([0.0, 0.1, 0.15, 0.3], [[0.2, 0.5, -0.3, 0.4]])
    for system, u, state, options in (
        (CHAIN, pushed, STATE, {"order": 4}),
        (varying_inertia(), samples, STATE, {}),
        (varying_inertia(), samples, STATE, {"method": "rk4"}),
        (driven_bodies(), samples, random_state(3, seed=2), {}),
    ):
        runs = [final(system, state, inputs=u, record=record, **options) for record in (1, 7, STEPS)]
        assert np.array_equal(runs[0].states[:, -1], runs[2].states[:, -1])
        assert np.array_equal(runs[0].states[:, ::7], runs[1].states)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ([1.0, 2.0], r"inputs \(tau_1, tau_2, tau_3, d_1, d_2, d_3\) must have shape \(6,\)"),
        ([1.0, 2.0, 3.0, 4.0, 5.0, np.inf], "must be finite"),
        (([0.0, 1.0], np.zeros((5, 2))), r"inputs as samples must have shape \(m, nt\) = \(6, 2\)"),
        (([1.0, 0.0], np.zeros((6, 2))), "strictly increasing"),
        (([0.0, np.nan], np.zeros((6, 2))), "must be finite"),
    ],
)
def test_bad_inputs(inputs, words):
    with pytest.raises(ValueError, match=words):
        final(CHAIN, inputs=inputs)


def test_inputs_of_a_system_without_any():
    with pytest.raises(ValueError, match="this system has none"):
        final(spheres.double_pendulum(1, 2, 0.3, 0.4), inputs=[1.0])


def test_inputs_without_forces():
    with pytest.raises(DescriptionError, match="inputs act through forces"):
        spheres.SphereSystem(mass=[1.0], inputs=["u"])


@pytest.mark.parametrize("forces", [[[0, 0, 1]], [[0, 0], [0, 1]], [[0, 0, 1]] * 3])
def test_bad_forces(forces):
    with pytest.raises(DescriptionError, match="forces must be 2 vectors of 3"):
        spheres.SphereSystem(mass=[1.0, 2.0], forces=forces)


# -- forces by a function ---------------------------------------------------------------------------------


def push(t, q, omega, u, p):
    """What `by_expressions` says, with numbers."""
    out = np.zeros_like(q)
    for i in range(q.shape[0]):
        for k in range(3):
            out[i, k] = u[0] * q[1 - i, k] - p[0] * omega[i, k] * q[i, (k + 1) % 3]
    out[0, 0] += np.sin(t)
    return out


def by_expressions(mass=(1.0, 2.0), forces=None, **options):
    q, omega = spheres.symbols(2)
    a, u = gc.Parameter("a", 0.4), sp.Symbol("u", real=True)
    if forces is None:
        rows = [
            u * q[1 - i] - a.symbol * sp.Matrix([omega[i][k] * q[i][(k + 1) % 3] for k in range(3)])
            for i in range(2)
        ]
        forces = [rows[0] + sp.Matrix([sp.sin(gc.time), 0, 0]), rows[1]]
    return spheres.SphereSystem(
        mass=mass, potential=q[0].dot(q[1]), forces=forces, inputs=[u], parameters=[a], **options
    )


@pytest.mark.parametrize("mass", [(1.0, 2.0), ((1.0, 0.3), (0.3, 2.0))])
def test_forces_by_a_function(mass):
    class Plain:
        def __call__(self, *arguments):
            return push(*arguments)

    runs = [
        final(by_expressions(mass=mass, forces=forces), inputs=[0.7], params={"a": 0.9})
        for forces in (None, push, Plain())
    ]
    assert runs[1].states == pytest.approx(runs[0].states, abs=1e-13)
    assert runs[2].states == pytest.approx(runs[0].states, abs=1e-13)
    assert [r.engine for r in runs] == ["numba", "numba", "python"]


VARYING = sp.diag(2 + spheres.symbols(2)[0][0][0] ** 2, 1)


@pytest.mark.parametrize("mass", [((1.0, 0.3), (0.3, 2.0)), VARYING], ids=["constant", "varying"])
def test_the_field_is_differentiated_by_inputs_of_a_function(mass):
    """The forces are linear in u, so that the field's change from u = 0 to 1 is its derivative."""
    system = by_expressions(mass=mass, forces=push)
    x = system.pack(*STATE)
    B = system.input_jacobian(0.2, x, np.array([0.4]))
    expected = system.rhs(0.2, x, [1.0]) - system.rhs(0.2, x, [0.0])
    np.testing.assert_allclose(B[:, 0], expected, rtol=0, atol=1e-8)
    assert np.abs(B).max() > 0.1


# -- feedback ---------------------------------------------------------------------------------------------

GAIN = gc.Parameter("gain", 0.6)


@pytest.fixture(scope="module")
def opened():
    q, omega = spheres.symbols(2)
    u = sp.symbols("u v", real=True)
    return spheres.SphereSystem(
        mass=[[2.0, 0.5], [0.5, 1.0]],
        potential=q[0][2] + 2 * q[1][0],
        forces=[u[0] * q[1], u[1] * q[0] - omega[1].cross(q[1]) / 4],
        inputs=u,
        parameters=[GAIN],
    )


def terms():
    q, omega = spheres.symbols(2)
    return [-GAIN.symbol * omega[0].dot(q[1]) + sp.cos(gc.time), q[0][2] * omega[1][0]]


def law(t, x, params):
    q, omega = x[:6].reshape(2, 3), x[6:].reshape(2, 3)
    return [-params["gain"] * omega[0] @ q[1] + np.cos(t), q[0, 2] * omega[1, 0]]


class Law:
    """Like a law found by matching: it has its expressions, and a feedback is again a function."""

    def __init__(self):
        self.expr = dict(reversed(list(zip("uv", terms(), strict=True))))


def without_parameters(t, x, params):
    return np.array([-0.6 * (x[6] * x[3] + x[7] * x[4] + x[8] * x[5]) + np.cos(t), x[2] * x[9]])


@pytest.mark.parametrize("given", ["expressions", "function", "plain function", "without parameters", "law"])
def test_closed_loop(opened, given):
    feedback = {
        "expressions": terms(),
        "function": law,
        "plain function": lambda t, x, params: list(map(float, law(t, x, params))),
        "without parameters": without_parameters,
        "law": Law(),
    }
    closed = opened.closed_loop(feedback[given])
    assert closed.inputs == ()
    assert isinstance(closed, spheres.SphereSystem)
    x = opened.pack(*STATE)
    expected = opened.rhs(0.3, x, law(0.3, x, {"gain": 0.6}))
    assert closed.rhs(0.3, x) == pytest.approx(expected, abs=1e-13)
    r = final(closed)
    assert r.engine == ("python" if given == "plain function" else "numba")
    assert r.states == pytest.approx(final(opened.closed_loop(terms())).states, abs=1e-12)
    if given != "without parameters":
        other = opened.rhs(0.3, x, law(0.3, x, {"gain": 1.1}))
        assert closed.rhs(0.3, x, params={"gain": 1.1}) == pytest.approx(other, abs=1e-13)


def test_closed_loop_of_forces_by_a_function():
    opened = by_expressions(forces=push)
    q, omega = spheres.symbols(2)
    closed = opened.closed_loop([q[0][1] * omega[1][2]])
    x = opened.pack(*STATE)
    assert closed.rhs(0.2, x) == pytest.approx(opened.rhs(0.2, x, [x[1] * x[11]]), abs=1e-14)


def test_closed_loop_leaves_the_open_one_alone(opened):
    x = opened.pack(*STATE)
    before = opened.rhs(0.3, x, [1.0, 2.0])
    opened.closed_loop(law).rhs(0.3, x)
    assert np.array_equal(opened.rhs(0.3, x, [1.0, 2.0]), before)
    assert [str(u) for u in opened.inputs] == ["u", "v"]


def test_bad_closed_loops(opened):
    with pytest.raises(DescriptionError, match="must give 2 inputs, got 1"):
        opened.closed_loop([sp.S.One])
    with pytest.raises(DescriptionError, match="must give u, v, got u, w"):
        opened.closed_loop({"u": sp.S.One, "w": sp.S.One})
    with pytest.raises(DescriptionError, match="needs a system with inputs"):
        opened.closed_loop(law).closed_loop(law)


# -- parameters and shapes --------------------------------------------------------------------------------


def test_parameters():
    s = varying_inertia()
    x = s.pack(*STATE)
    given = s.rhs(0.1, x, [0.2], params={"a": 2.0})
    assert np.max(np.abs(given - s.rhs(0.1, x, [0.2]))) > 1e-2
    assert s.rhs(0.1, x, [0.2], params={s.parameters[0].symbol: 2.0}) == pytest.approx(given, abs=0)
    assert final(s, inputs=[0.2], params={"a": 2.0}).params == {"a": 2.0}
    for params, words in (
        ({"b": 1.0}, "unknown parameter 'b'"),
        ({"a": -1.0}, "must be positive"),
        ({"a": np.nan}, "finite"),
    ):
        with pytest.raises(ParameterError, match=words):
            final(s, params=params)


def test_a_parameter_without_a_value():
    a = gc.Parameter("a")
    s = spheres.SphereSystem(mass=sp.Matrix([[a.symbol]]), parameters=[a])
    with pytest.raises(ParameterError, match="'a' has no value"):
        s.rhs(0.0, np.zeros(6))
    with pytest.raises(ValueError, match="positive definite"):
        s.rhs(0.0, np.zeros(6), params={"a": -2.0})
    assert s.rhs(0.0, [1, 0, 0, 0, 0, 1], params={"a": 2.0})[1] == 1


def test_columns():
    s = driven_bodies()
    columns = np.array([s.pack(*random_state(3, seed=k)) for k in range(4)]).T
    times, u = np.linspace(0, 1, 4), np.linspace(1, 2, 4)[None]
    rates = s.rhs(times, columns, u)
    assert rates.shape == (18, 4)
    for k in range(4):
        assert rates[:, k] == pytest.approx(s.rhs(times[k], columns[:, k], u[:, k]), abs=0)
        assert s.energy(columns)[k] == s.energy(columns[:, k])
        assert s.momentum(columns)[:, k] == pytest.approx(s.momentum(columns[:, k]), abs=0)
    assert s.energy(columns).shape == (4,)
    q, omega = s.unpack(columns)
    assert q.shape == omega.shape == (4, 3, 3)
    assert np.array_equal(s.pack(q, omega), columns)
    assert np.array_equal(s.pack(q[2], omega[2]), columns[:, 2])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s.rhs(0.0, np.zeros(5)), r"x must have shape \(12,\) or \(12, nt\), got \(5,\)"),
        (lambda s: s.energy(np.zeros((2, 6))), "x must have shape"),
        (lambda s: s.rhs(0.0, np.zeros(12), [1.0, 2.0]), "u must have 1 entries"),
        (lambda s: s.pack(np.zeros((2, 3)), np.zeros((3, 3))), "q and omega must have shape"),
        (lambda s: s.potential(np.zeros((3, 3))), r"q must have shape \(2, 3\)"),
        (lambda s: s.mass_matrix(np.full((2, 3), np.nan)), "q must be finite"),
    ],
)
def test_bad_shapes(call, words):
    with pytest.raises(ValueError, match=words):
        call(varying_inertia())


@pytest.mark.parametrize(
    ("t", "u", "words"),
    [
        (0.0, np.zeros((6, 3)), r"u must have 6 entries .* for each of 4 columns of x, got shape \(6, 3\)"),
        (0.0, np.zeros((4, 6)), "u must have 6 entries"),
        (0.0, np.zeros((6, 4, 1)), "u must have 6 entries"),
        (0.0, "high", "u must be an array of numbers"),
        (0.0, [np.nan] * 6, "u must be finite"),
        (np.zeros(3), None, r"t must be a number or one for each of 4 columns of x, got shape \(3,\)"),
        (np.zeros((4, 1)), None, "t must be a number or one"),
        ("now", None, "t must be an array of numbers"),
        (None, None, "t must be a number, got None"),
    ],
)
def test_bad_columns(t, u, words):
    x = np.tile(CHAIN.pack(*STATE)[:, None], (1, 4))
    with pytest.raises(ValueError, match=words):
        CHAIN.rhs(t, x, u)


def test_power_of_the_inputs():
    """dE/dt = sum f.qdot: a sign of a force or of the inertia's derivative would show."""
    for s, u in ((varying_inertia(), [0.7]), (driven_bodies(), [0.4]), (CHAIN, CONSTANT)):
        q, omega = random_state(s.n, seed=5)
        x = s.pack(q, omega)
        rate = s.rhs(0.3, x, u)
        h = 1e-5
        found = (s.energy(x + h * rate) - s.energy(x - h * rate)) / (2 * h)
        numbers = dict(zip(s.states, x, strict=True)) | dict(zip(s.inputs, u, strict=True))
        numbers |= {gc.time: 0.3} | {p.symbol: p.default for p in s.parameters}
        f = np.array([[float(e.subs(numbers)) for e in row] for row in s.forces_given])
        assert found == pytest.approx(np.sum(f * np.cross(omega, q)), rel=1e-8, abs=1e-8)


def test_inputs_of_a_wrong_size_are_not_taken():
    """Neither read beyond their end nor cut, where their size changes: the rate is not a number."""
    u = sp.symbols("u1:4", real=True)
    q, _ = spheres.symbols(1)
    system = spheres.SphereSystem(mass=[2.0], potential=3.0 * q[0][2], forces=[sp.Matrix(u)], inputs=u)
    for law in (
        lambda t, x, p: np.ones(1 if x[0] == 1.0 else 3),
        lambda t, x, p: np.ones(4 if x[0] == 1.0 else 3),
    ):
        loop = system.closed_loop(law)
        assert np.isnan(loop.rhs(0.0, [1.0, 0, 0, 0, 0, 1])[3:]).any()
        with pytest.raises(ValueError, match="not finite at x0"):
            gc.simulate(loop, [0.0, 1.0], ([[1.0, 0, 0]], [[0, 0, 1.0]]))


def test_samples_with_their_times_run_in_simulate():
    u = sp.symbols("u1:4", real=True)
    q, _ = spheres.symbols(1)
    system = spheres.SphereSystem(mass=[2.0], potential=3.0 * q[0][2], forces=[sp.Matrix(u)], inputs=u)
    times, start = np.linspace(0.0, 1.0, 5), ([[1.0, 0, 0]], [[0, 0, 1.0]])
    values = np.array([np.sin(times), np.cos(times), times])
    a = gc.simulate(system, times, start, inputs=(times, values))
    b = gc.simulate(system, times, start, inputs=values)
    np.testing.assert_allclose(a.states, b.states, rtol=0, atol=1e-12)
    assert np.abs(a.states - gc.simulate(system, times, start).states).max() > 0.1


def test_a_single_input_may_be_a_number_or_a_row():
    q, _ = spheres.symbols(1)
    u = sp.Symbol("u", real=True)
    system = spheres.SphereSystem(mass=[1.0], potential=9.81 * q[0][2], forces=[[u, 0, 0]], inputs=[u])
    start = [[0, 0, -1.0]], [[0, 0.1, 0.0]]
    expected = spheres.integrate(system, *start, 0.01, 50, inputs=[0.7]).states
    for inputs in (0.7, ([0.0, 0.2, 1.0], [0.7, 0.7, 0.7]), lambda t: 0.7):
        found = spheres.integrate(system, *start, 0.01, 50, inputs=inputs).states
        assert np.allclose(found, expected, rtol=0, atol=1e-14)


def test_a_law_that_writes_into_its_parameters_changes_no_other_call():
    q, _ = spheres.symbols(1)
    u = sp.Symbol("u", real=True)
    gain = gc.Parameter("gain", 2.0)
    system = spheres.SphereSystem(
        mass=[1.0], potential=9.81 * q[0][2], forces=[[u, 0, 0]], inputs=[u], parameters=[gain]
    )
    start = [[0, 0, -1.0]], [[0, 0.1, 0.0]]

    def law(t, x, params):
        params["gain"] = 2 * params["gain"]
        return np.array([params["gain"]])

    found = spheres.integrate(system.closed_loop(law), *start, 0.01, 50)
    assert found.engine == "numba"
    assert np.array_equal(found.states, spheres.integrate(system, *start, 0.01, 50, inputs=4.0).states)


def test_kernels_are_compiled_when_first_asked_for(monkeypatch):
    """Forces that vanish with the inputs are not while these are zero; runs with any inputs then agree."""
    made, compile_source = [], compiled.compile_source

    def seen(source, name, *rest, **options):
        made.append(name)
        return compile_source(source, name, *rest, **options)

    monkeypatch.setattr(compiled, "compile_source", seen)
    chain = spheres.chain_pendulum([1.0, 2.0], [0.3, 0.4])
    chain.energy(np.concatenate([part.ravel() for part in STATE]))
    assert made == ["value"]
    still = final(chain)
    assert sorted(made) == ["gradient", "value"]
    driven = final(chain, inputs=CONSTANT)
    assert sorted(made) == ["force", "gradient", "value"]
    np.testing.assert_array_equal(driven.states, final(CHAIN, inputs=CONSTANT).states)
    assert np.abs(driven.states - still.states).max() > 1e-3
    for zero in (None, np.zeros(6), lambda t: np.zeros(6)):
        np.testing.assert_array_equal(final(chain, inputs=zero).states, still.states)


@pytest.mark.parametrize("kind", ["spheres", "rotations"])
def test_an_input_by_name_needs_no_assumptions(kind):
    def made(u):
        if kind == "spheres":
            return gc.spheres.SphereSystem(mass=[2.0], forces=[[u, 0, u**2]], inputs=["u"])
        return gc.rotations.RotationSystem(
            inertias=np.diag([1.0, 2.0, 2.5]), forces=[[u, 0, u**2]], inputs=["u"]
        )

    plain, proper = made(sp.Symbol("u")), made(sp.Symbol("u", real=True))
    x = (
        np.array([0, 0, 1, 0.3, 0.2, 0])
        if kind == "spheres"
        else np.array([*np.eye(3).ravel(), 0.3, 0.2, 0.1])
    )
    rates = [system.rhs(0.0, x, [0.7]) for system in (plain, proper)]
    assert np.array_equal(*rates)
    assert np.max(np.abs(rates[0] - plain.rhs(0.0, x, [0.0]))) > 0.1
