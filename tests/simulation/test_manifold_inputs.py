"""`simulate` of systems on manifolds: inputs of every kind, refused or applied, and events that see them."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations, spheres

TIMES = np.linspace(0.0, 1.0, 11)
U, V = sp.symbols("u v", real=True)
Q, OMEGA = spheres.symbols(1)
START = ([[1.0, 0, 0]], [[0, 0, 1.0]])


@pytest.fixture(scope="module")
def ball():
    """Two inputs on one sphere, and a parameter."""
    k = gc.Parameter("k", 0.7)
    return spheres.SphereSystem(
        mass=[2.0], potential=k.symbol * Q[0][2], forces=[[U, V, 0]], inputs=[U, V], parameters=[k]
    )


@pytest.fixture(scope="module")
def single():
    return spheres.SphereSystem(mass=[2.0], forces=[[0, 0, U]], inputs=[U])


def run(system, inputs=None, **options):
    return gc.simulate(system, TIMES, START, inputs=inputs, **options)


# -- what is applied --------------------------------------------------------------------------------------


def feedback(t, x, params):
    return np.array([-params["k"] * x[5], np.sin(t)])


def test_a_function_of_the_state_closes_the_loop(ball):
    expected = run(ball, {"u": -ball.parameters[0].symbol * OMEGA[0][2], "v": sp.sin(gc.time)}).states
    assert run(ball, feedback).states == pytest.approx(expected, abs=1e-10)
    other = run(ball, feedback, params={"k": 1.4}).states
    assert np.abs(other - expected).max() > 1e-2
    form = ball.in_form("pi")
    start = form.convert(ball.pack(*START), "omega", "pi")
    of_form = gc.simulate(form, TIMES, start, inputs=lambda t, y, params: np.array([-0.35 * y[5], np.sin(t)]))
    assert of_form.q.reshape(-1) == pytest.approx(run(ball, feedback).q.reshape(-1), abs=1e-10)


def test_a_function_of_the_state_on_rotations():
    body = rotations.RotationSystem(inertias=np.diag([1.0, 2.0, 2.5]), forces=[[U, 0, 0]], inputs=[U])
    start = (np.eye(3), [0.3, 0.2, 1.0])
    expected = gc.simulate(body, TIMES, start, inputs={"u": -0.8 * body.states[9]})
    found = gc.simulate(body, TIMES, start, inputs=lambda t, x, params: [-0.8 * x[9]])
    assert found.states == pytest.approx(expected.states, abs=1e-10)


def test_an_empty_dict_is_no_input(ball):
    assert np.array_equal(run(ball, {}).states, run(ball).states)
    assert run(spheres.SphereSystem(mass=[2.0]), {}).success
    assert gc.simulate(rotations.free_body([1, 2, 2.5]), TIMES, (np.eye(3), [0, 0, 1]), inputs={}).success


def test_samples_of_one_input_may_be_a_row(single):
    values = np.sin(TIMES)
    assert np.array_equal(run(single, values).states, run(single, values[None]).states)


# -- what is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "error", "words"),
    [
        ({"u": lambda t: t}, TypeError, "input 'u' must be a number or a sympy expression .* got function"),
        ({"u": np.ones(11)}, TypeError, "input 'u' must be a number or a sympy expression .* got ndarray"),
        ({"u": "3"}, TypeError, "input 'u' must be a number"),
        ({"u": None}, TypeError, "input 'u' must be a number or a sympy expression .* got NoneType"),
        ({"u": np.nan}, ValueError, "input 'u' must be finite"),
        ({"u": V}, gc.errors.ExpressionError, "holds an input itself"),
        ({"w": 1.0}, ValueError, "unknown input 'w'"),
        (lambda t, x: np.zeros(2), TypeError, "a function of time alone"),
        (
            np.ones((2, 7)),
            ValueError,
            r"must have shape \(m, nt\) = \(2, 11\) for u, v at timepts, got \(2, 7\)",
        ),
        ([[1.0, 2.0], [3.0]], ValueError, "inputs must be an array of numbers"),
        ("high", TypeError, "inputs must be a dict of label -> expression, .* got str"),
    ],
)
def test_inputs_that_are_none(ball, inputs, error, words):
    with pytest.raises(error, match=words):
        run(ball, inputs)


@pytest.mark.parametrize("inputs", [[1.0], lambda t: [t], feedback])
def test_inputs_of_a_system_without_any(inputs):
    with pytest.raises(ValueError, match="inputs were given, but this system has none"):
        run(spheres.SphereSystem(mass=[2.0]), inputs)


# -- events that hold inputs ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "inputs",
    [
        lambda t: [t * t],
        {"u": gc.time**2},
        (np.linspace(0, 1, 4001), np.linspace(0, 1, 4001)[None] ** 2),
    ],
    ids=["function", "expression", "samples"],
)
def test_events_see_the_inputs_applied(single, inputs):
    found = run(single, inputs, events={"half": U - sp.Rational(1, 2)}).events["half"]
    assert found.time == pytest.approx([np.sqrt(0.5)], abs=1e-7)


def test_events_see_inputs_that_stay(single):
    x = single.states[4]  # omega2, which starts at zero
    events = {"at": 10 * x + U + sp.Rational(1, 100)}
    turned = run(single, [0.5], events=events)
    at = turned.events["at"]
    assert at.states[4] == pytest.approx([-0.051], abs=1e-9)
    assert len(run(single, events=events).events["at"]) == 0


def test_events_are_refused_in_words(single):
    law = single.closed_loop(lambda t, x, params: [x[0]])
    for system, events, error, words in (
        (law, {"a": U - 1}, gc.errors.ExpressionError, "event 'a': u - 1 holds u, which a law sets"),
        (single, {"a": sp.Symbol("z")}, gc.errors.ExpressionError, "event 'a': unknown symbol 'z'"),
        (single, {"a": sp.Integer(1)}, gc.errors.ExpressionError, "depends on no state, input or time"),
        (single, {1: U}, TypeError, "events must have text as names, got 1"),
        (single, [U], TypeError, "events must be a dict"),
    ):
        with pytest.raises(error, match=words):
            run(system, events=events)
