"""One reader of inputs: what it takes and refuses is the same for every kind of system and of run."""

import numpy as np
import pytest
import sympy as sp
from numba import njit

import geoctrl as gc
from geoctrl import rotations, spheres

U, V = sp.symbols("u v", real=True)
TIMES = np.linspace(0.0, 1.0, 6)
CLOSE = 1e-10
"""DOP853 at 1e-12 over one second."""


def body():
    return gc.EulerPoincare(
        algebra=gc.so3(), inertia=sp.diag(1.1, 2.3, 3.1), forces=[U, V, 0], inputs=[U, V], name="pushed"
    ).reduce()


def pair():
    q, _ = spheres.symbols(2)
    return spheres.SphereSystem(
        mass=[1.3, 2.1], potential=q[0][2] + 2 * q[1][2], forces=[[U, 0, 0], [0, V, 0]], inputs=[U, V]
    )


def top():
    R, _ = rotations.symbols(1)
    return rotations.RotationSystem(
        inertias=np.diag([1.0, 2.0, 2.5]), potential=1.4 * R[0][2, 2], forces=[[U, V, 0]], inputs=[U, V]
    )


START = {
    body: [0.1, 0.2, 3.0],
    pair: ([[0.6, 0.0, -0.8], [0.0, 1.0, 0.0]], [[0.0, 1.0, 0.0], [0.3, 0.0, 0.2]]),
    top: (np.eye(3), [0.3, 0.2, 1.0]),
}
INTEGRATE = {pair: spheres.integrate, top: rotations.integrate}


def simulated(made, inputs, **more):
    return gc.simulate(made(), TIMES, START[made], inputs=inputs, **more)


def stepped(made, inputs):
    first, second = START[made]
    if made is top:
        first, second = [first], [second]
    return INTEGRATE[made](made(), first, second, 0.05, 20, inputs=inputs)


CONSTANT = np.array([0.4, -0.7])
KINDS = {
    "list": [0.4, -0.7],
    "array": CONSTANT,
    "tuple": (0.4, -0.7),
    "samples": np.tile(CONSTANT[:, None], TIMES.size),
    "rows": tuple(np.tile(CONSTANT[:, None], TIMES.size)),
    "with times": ([0.2, 0.5, 0.7], np.tile(CONSTANT[:, None], 3)),
    "of time": lambda t: CONSTANT,
    "column": lambda t: CONSTANT[:, None],
    "feedback": lambda t, x, params: [0.4, -0.7],
    "expressions": {"u": sp.Rational(2, 5) + 0 * gc.time, V: -0.7},
    "expressions that vary": {"u": sp.Rational(2, 5) * sp.exp(gc.time - gc.time), "v": -sp.Rational(7, 10)},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("made", START)
def test_every_kind_is_accepted_by_every_system(made, kind):
    expected = simulated(made, {"u": 0.4, "v": -0.7}).states
    run = simulated(made, KINDS[kind])
    assert run.states == pytest.approx(expected, abs=CLOSE)
    assert run.inputs == pytest.approx(np.tile(CONSTANT[:, None], TIMES.size), abs=1e-15)
    assert np.abs(simulated(made, None).states - expected).max() > 1e-2


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("samples", "rows")])
@pytest.mark.parametrize("made", INTEGRATE)
def test_every_kind_is_accepted_by_steps(made, kind):
    expected = stepped(made, [0.4, -0.7]).states
    run = stepped(made, KINDS[kind])
    # The implicit methods stop at a residual of rounding.
    assert run.states == pytest.approx(expected, abs=1e-12)
    assert run.inputs == pytest.approx(np.tile(CONSTANT[:, None], run.time.size), abs=1e-15)


@pytest.mark.parametrize("engine", ["scipy", "heyoka"])
@pytest.mark.parametrize("made", START)
def test_samples_have_times_of_their_own_and_are_constant_beyond(made, engine):
    times, values = np.array([0.13, 0.44, 0.61]), np.array([[0.3, -0.5, 0.9], [0.0, 0.4, -1.1]])
    run = simulated(made, (times, values), engine=engine, rtol=1e-13)
    call = simulated(made, lambda t: [np.interp(t, times, row) for row in values], rtol=1e-13)
    # Steps cross the kinks of the function.
    assert run.states == pytest.approx(call.states, abs=1e-8)
    assert run.inputs == pytest.approx(call.inputs, abs=1e-15)
    assert np.array_equal(run.time, TIMES)


@pytest.mark.parametrize("made", START)
def test_engines_agree_under_inputs_and_events(made):
    """On manifolds heyoka runs the equations written out: inputs and events are carried there and back."""
    system = made()
    speed = system.states[-1]
    given = {"u": sp.sin(3 * gc.time) - speed / 5, "v": -0.7}
    level = float(simulated(made, given).states[-1].mean())
    events = {"turn": speed - level, "push": U - sp.Rational(1, 10), "noon": gc.time - sp.Rational(1, 3)}
    runs = [simulated(made, given, events=events, engine=e, rtol=1e-13) for e in ("heyoka", "scipy")]
    assert runs[0].engine.startswith("heyoka")
    assert runs[0].states == pytest.approx(runs[1].states, abs=CLOSE)
    for name, found in runs[0].events.items():
        assert found.time == pytest.approx(runs[1].events[name].time, abs=1e-9)
        assert found.states == pytest.approx(runs[1].events[name].states, abs=1e-8)
    assert len(runs[0].events["turn"])
    assert runs[0].events["noon"].time == pytest.approx([1 / 3], abs=1e-12)


def in_a_turning_frame():
    R, _ = rotations.symbols(1)
    return rotations.RotationSystem(
        inertias=np.diag([1.0, 2.0, 2.5]),
        potential=1.4 * R[0][2, 2],
        forces=[[U, 0, 0]],
        inputs=[U],
        frame_rate=[0, 0, 0.8],
    )


def test_expressions_are_carried_into_the_frame_that_turns():
    system = in_a_turning_frame()
    start, given = (np.eye(3), [0.3, 0.2, 1.0]), {"u": -sp.Rational(1, 2) * system.states[9]}
    runs = [
        gc.simulate(system, TIMES, start, inputs=given, engine=e, rtol=1e-13) for e in ("heyoka", "scipy")
    ]
    assert runs[0].states == pytest.approx(runs[1].states, abs=CLOSE)


REFUSED = {
    "an unknown label": ({"w": 1.0}, gc.InputError, "unknown input 'w'"),
    "a function by label": ({"u": np.sin}, TypeError, "input 'u' must be a number or a sympy expression"),
    "an array by label": ({"u": TIMES}, TypeError, "input 'u' must be a number .* got ndarray"),
    "text by label": ({"u": "t"}, TypeError, "input 'u' must be a number .* got str"),
    "not a number": ({"u": np.nan}, gc.InputError, "input 'u' must be finite"),
    "infinite": ({"u": sp.oo}, gc.InputError, "input 'u' must be a real and finite number"),
    "an input in an input": ({"u": V}, gc.ExpressionError, "input 'u' is given by v, which holds an input"),
    "a stranger": ({"u": sp.Symbol("z")}, gc.ExpressionError, "input 'u': unknown symbol 'z'"),
    "an unknown function": ({"u": sp.gamma(gc.time)}, gc.ExpressionError, "input 'u': cannot translate"),
    "no arguments": (lambda: [0, 0], TypeError, "must take .t, x, params., or be a function of time alone"),
    "two arguments": (njit(lambda t, x: t), TypeError, "must take .t, x, params."),
    "any number of arguments": (lambda *a: [0, 0], TypeError, "name the arguments"),
    "one as well as three": (lambda t, x=0, p=0: [0, 0], TypeError, "name the arguments, without defaults"),
    "text": ("high", TypeError, "inputs must be a dict of label -> expression, a callable"),
    "too few": ([1.0], gc.InputError, r"inputs \(u, v\) must have shape \(2,\), got \(1,\)"),
    "one number for two": (1.0, gc.InputError, r"inputs \(u, v\) must have shape \(2,\), got \(1,\)"),
    "rows of two lengths": ([[1.0, 2.0], [3.0]], gc.InputError, "inputs must be an array of numbers"),
    "infinite numbers": ([1.0, np.inf], gc.InputError, "must be finite"),
    "times that stand still": (([0.0, 0.0], np.ones((2, 2))), gc.InputError, "strictly increasing"),
    "too few rows": ((TIMES, np.ones((1, 6))), gc.InputError, r"\(m, nt\) = \(2, 6\) for u, v at their"),
    "what is returned": (lambda t: [1.0], gc.InputError, r"inputs\(t\) must return 2 values \(u, v\)"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("made", START)
def test_refusals_are_the_same(made, case):
    inputs, error, words = REFUSED[case]
    with pytest.raises(error, match=words):
        simulated(made, inputs)
    if made in INTEGRATE:
        with pytest.raises(error, match=words):
            stepped(made, inputs)


def test_samples_without_times_are_those_of_a_run_that_has_them():
    with pytest.raises(gc.InputError, match=r"\(2, 7\) for u, v at timepts, got \(2, 6\)|of which the times"):
        stepped(pair, np.ones((2, 6)))
    with pytest.raises(gc.InputError, match=r"\(m, nt\) = \(2, 6\) for u, v at timepts, got \(2, 7\)"):
        simulated(pair, np.ones((2, 7)))


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_functions_go_to_scipy_alone(engine):
    run = gc.simulate(pair(), TIMES, START[pair], inputs=lambda t: CONSTANT, engine="scipy")
    assert run.engine == "scipy DOP853 on a field in numba"
    if engine == "heyoka":
        with pytest.raises(gc.ExpressionError, match="inputs 'u', 'v' are a Python callable"):
            gc.simulate(pair(), TIMES, START[pair], inputs=lambda t: CONSTANT, engine=engine)


@pytest.mark.parametrize("made", START)
def test_a_function_may_write_into_what_it_is_given(made):
    def careless(t, x, params):
        u = [0.3 - 0.2 * x[-1], 0.1]
        x[:] = 7.0
        params["k"] = 7.0
        return u

    expected = simulated(made, lambda t, x, params: [0.3 - 0.2 * x[-1], 0.1])
    run = simulated(made, careless)
    assert np.array_equal(run.states, expected.states)
    assert np.array_equal(run.inputs, expected.inputs)


def with_a_gain(made):
    gain = gc.Parameter("gain", 0.2)
    if made is body:
        return gc.EulerPoincare(
            algebra=gc.so3(),
            inertia=sp.diag(1.1, 2.3, 3.1),
            forces=[U, V, 0],
            inputs=[U, V],
            parameters=[gain],
        ).reduce()
    return made().replace(parameters=[gain])


@pytest.mark.parametrize("made", START)
def test_a_law_that_numba_compiled_gets_its_parameters_by_name(made):
    def law(t, x, params):
        return np.array([0.3 - params["gain"] * x[-1], np.sin(t)])

    system = with_a_gain(made)
    options = {"params": {"gain": 0.4}}
    plain = gc.simulate(system, TIMES, START[made], inputs=law, **options)
    compiled = gc.simulate(system, TIMES, START[made], inputs=njit(law), **options)
    assert compiled.states == pytest.approx(plain.states, abs=1e-13)
    other = gc.simulate(system, TIMES, START[made], inputs=njit(law))
    assert np.abs(other.states - plain.states).max() > 1e-3


def test_a_name_that_is_no_parameter_is_told():
    with pytest.raises(gc.ParameterError, match=r"no 'gian'.* did you mean 'gain'"):
        gc.simulate(with_a_gain(pair), TIMES, START[pair], inputs=lambda t, x, p: [p["gian"], 0.0])
