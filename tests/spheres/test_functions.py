"""Functions for forces, laws, inputs and potentials: what they take and return is checked before a run."""

import numpy as np
import pytest
import sympy as sp
from numba import njit

import geoctrl as gc
from geoctrl import spheres
from geoctrl.errors import DescriptionError, GradientError, ParameterError

START = ([[1.0, 0, 0], [0, 1.0, 0]], [[0, 0, 1.0], [0, 0, 0]])
U = sp.symbols("u v", real=True)
GAIN = gc.Parameter("gain", 0.5)


def pushed(forces):
    return spheres.SphereSystem(mass=[1.0, 2.0], forces=forces)


def steered():
    q, _ = spheres.symbols(2)
    return spheres.SphereSystem(
        mass=[1.0, 2.0],
        potential=q[0][2],
        forces=[sp.Matrix([U[0], 0, 0]), sp.Matrix([0, U[1], 0])],
        inputs=U,
        parameters=[gc.Parameter("length", 3.0), GAIN],
    )


def integrate(system, **options):
    return spheres.integrate(system, *START, 0.01, 3, **options)


def simulate(system, **options):
    return gc.simulate(system, [0.0, 0.03], START, **options)


def rate(system):
    return system.rhs(0.0, system.pack(*START))


RUNS = [rate, integrate, simulate]


# -- what they return -------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (1.0, r"shape \(\)"),
        (np.ones(3), r"shape \(3,\)"),
        (np.ones((1, 3)), r"shape \(1, 3\)"),
        (np.ones(6), r"shape \(6,\)"),
        (None, "None"),
        ([None, None], "None"),
        ("no numbers", "'no numbers'"),
        (1j * np.ones((2, 3)), "j"),
        ([[1, 2, 3], [1, 2]], "unequal length"),
    ],
)
def test_forces_of_a_wrong_shape(run, given, words):
    with pytest.raises(
        DescriptionError, match=rf"forces must return numbers of shape \(2, 3\), got .*{words}"
    ):
        run(pushed(lambda t, q, omega, u, p: given))


def test_forces_may_be_lists():
    by_lists = pushed(lambda t, q, omega, u, p: [[1, 2, 3], [4, 5, 6]])
    by_numbers = pushed([[1, 2, 3], [4, 5, 6]])
    assert rate(by_lists) == pytest.approx(rate(by_numbers), abs=1e-15)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("given", [1.0, np.ones(1), np.ones(3), None, np.ones((2, 2)), "ab"])
def test_laws_of_a_wrong_size(run, given):
    with pytest.raises(DescriptionError, match=r"the law must return numbers of shape \(2,\)"):
        run(steered().closed_loop(lambda t, x, params: given))


@pytest.mark.parametrize("run", [integrate, simulate])
@pytest.mark.parametrize("given", [1.0, np.ones(1), np.ones(3), None, "ab"])
def test_inputs_of_a_wrong_size(run, given):
    with pytest.raises(ValueError, match=r"inputs\(t\) must (return 2 values \(u, v\)|be a.* number)"):
        run(steered(), inputs=lambda t: given)


@pytest.mark.parametrize("shape", [(2,), (2, 1), (1, 2)])
def test_inputs_as_row_or_column(shape):
    expected = integrate(steered(), inputs=[0.4, 0.7]).states

    def u(t):
        return np.array([0.4, 0.7]).reshape(shape)

    assert integrate(steered(), inputs=u).states == pytest.approx(expected, abs=1e-15)
    loop = steered().closed_loop(lambda t, x, params: u(t))
    assert integrate(loop).states == pytest.approx(expected, abs=1e-15)


def test_a_function_is_called_once_more_and_no_oftener():
    calls = []

    def law(t, x, params):
        calls.append(f"{t:.3f}")
        return np.zeros(2)

    loop = steered().closed_loop(law)
    counts = []
    for _ in range(3):
        rate(loop)
        counts.append(len(calls))
    assert counts[0] - (counts[1] - counts[0]) == 1
    assert counts[2] - counts[1] == counts[1] - counts[0]


def test_what_a_law_raises_elsewhere_does_not_matter():
    """The generic state at which it is called first is not the one asked for."""

    def law(t, x, params):
        if abs(x[2]) > 0.2:  # as at the generic state
            raise ArithmeticError("too high")
        return np.zeros(2)

    loop = steered().closed_loop(law)
    assert np.all(np.isfinite(rate(loop)))
    with pytest.raises(ArithmeticError, match="too high"):
        loop.rhs(0.0, np.ones(12))


# -- what they take ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: pushed(lambda t, q, omega: q),
            r"forces .* must take \(t, configurations, velocities, u, p\)",
        ),
        (lambda: steered().closed_loop(lambda x: x), r"the law .* must take \(t, x, params\)"),
        (lambda: steered().in_form("pi").closed_loop(lambda x: x), r"must take \(t, x, params\)"),
        (
            lambda: spheres.SphereSystem(mass=[1.0], potential=lambda q: 0.0, gradient=lambda q, p: q),
            r"potential .* must take \(configurations, p\)",
        ),
        (
            lambda: spheres.SphereSystem(mass=[1.0], potential=lambda q, p: 0.0, gradient=njit(lambda q: q)),
            r"gradient .* must take",
        ),
    ],
)
def test_functions_of_other_arguments(make, words):
    with pytest.raises(DescriptionError, match=words):
        make()


@pytest.mark.parametrize("compiled", [False, True])
def test_a_law_gets_its_parameters_by_name_however_it_is_run(compiled):
    """Compiled or not, ``params`` is the same; the second of two parameters shows the order."""

    def law(t, x, params):
        return np.array([-params["gain"] * x[0], params["gain"] + t])

    def uncompiled(t, x, params):
        return law(t, x, dict(params.items()))

    expected = integrate(steered().closed_loop([-GAIN.symbol * steered().states[0], GAIN.symbol + gc.time]))
    r = integrate(steered().closed_loop(law if compiled else uncompiled))
    assert r.engine == ("numba" if compiled else "python")
    assert r.states == pytest.approx(expected.states, abs=1e-13)
    other = integrate(steered().closed_loop(njit(law) if compiled else uncompiled), params={"gain": 2.0})
    assert np.max(np.abs(other.states - r.states)) > 1e-4


@pytest.mark.parametrize("key", [0, "gian"])
def test_a_law_that_asks_for_an_unknown_parameter(key):
    with pytest.raises(ParameterError, match=r"params has no .*: it is a dict by name.*gain"):
        rate(steered().closed_loop(lambda t, x, params: np.array([params[key], 0.0])))


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ([lambda t: t, 1.0], "input 'u' of the law must be an expression"),
        ([sp.nan, 1.0], "input 'u' of the law must be finite"),
        (1.0, "the law must give 2 inputs, got 1"),
        (None, "the law must give 2 inputs, got 1"),
    ],
)
def test_laws_that_are_no_expressions(law, words):
    with pytest.raises(DescriptionError, match=words):
        steered().closed_loop(law)


def test_steps_take_feedback_for_inputs():
    """As the loop that it closes; expressions too."""
    system = steered()
    w = system.states[7]

    def law(t, x, params):
        return np.array([0.3 - 0.2 * x[7], np.sin(t)])

    expected = integrate(system.closed_loop(law)).states
    run = integrate(system, inputs=law)
    assert np.array_equal(run.states, expected)
    assert run["u"] == pytest.approx(0.3 - 0.2 * run.states[7], abs=1e-15)
    written = integrate(system, inputs={"u": 0.3 - 0.2 * w, "v": sp.sin(gc.time)})
    assert written.states == pytest.approx(expected, abs=1e-13)
    assert np.abs(integrate(system).states - expected).max() > 1e-4


def test_no_inputs_at_all():
    expected = integrate(steered())
    r = integrate(steered(), inputs={})
    assert np.array_equal(r.states, expected.states)
    assert set(r.drift) == set(expected.drift)
    assert integrate(spheres.double_pendulum(1, 2, 0.3, 0.4), inputs={}).success


# -- potentials -------------------------------------------------------------------------------------------

STIFFNESS = gc.Parameter("k")


def height(q, p):
    return p[0] * q[0, 2]


def slope(q, p):
    out = np.zeros_like(q)
    out[0, 2] = p[0]
    return out


def given(default, gradient, potential=height):
    return spheres.SphereSystem(
        mass=[1.0, 1.0], potential=potential, gradient=gradient, parameters=[gc.Parameter("k", default)]
    )


@pytest.mark.parametrize("default", [None, 0.0])
def test_a_gradient_is_compared_where_there_are_numbers(default):
    """Neither without a default nor at zero the gradient could be judged at construction."""
    wrong = given(default, lambda q, p: -slope(q, p))
    x = wrong.pack(*START)
    if default == 0.0:
        assert np.all(np.isfinite(wrong.rhs(0.0, x)))  # it is the gradient there
    for run in (lambda s: s.rhs(0.0, x, params={"k": 2.0}), lambda s: integrate(s, params={"k": 2.0})):
        with pytest.raises(GradientError, match="along a direction"):
            run(wrong)
        assert run(given(default, slope)) is not None


def test_returns_of_a_potential_without_a_default():
    for potential, gradient, words in (
        (lambda q, p: None, slope, "potential must return a number, got None"),
        (lambda q, p: q[0], slope, r"potential must return a number, got shape \(3,\)"),
        (height, lambda q, p: q[0], r"gradient must return numbers of shape \(2, 3\), got shape \(3,\)"),
    ):
        with pytest.raises(DescriptionError, match=words):
            given(None, gradient, potential).energy(np.zeros(12), {"k": 1.0})


def test_a_potential_that_is_nowhere_near_zero_is_compared_within_rounding():
    far = given(1.0, slope, lambda q, p: 1e7 + p[0] * q[0, 2])
    assert far.rhs(0.0, far.pack(*START))[7] == pytest.approx(1.0, abs=1e-15)  # q1 x (0, 0, -1)
    with pytest.raises(GradientError):
        given(1.0, lambda q, p: 1.05 * slope(q, p), lambda q, p: 1e7 + p[0] * q[0, 2])


@pytest.mark.parametrize("name", ["c_1", "q_1", "q_3"])
def test_parameters_do_not_meet_the_symbols_of_sums(name):
    k = gc.Parameter(name, 3.0)
    weights = spheres.Sites(lambda q, c: k.symbol * c * q[2], c=[1.0, 10.0])
    s = spheres.SphereSystem(mass=[1.0, 1.0], potential=weights, parameters=[k])
    q = np.array([[0.6, 0, 0.8], [0, 0.8, 0.6]])
    assert s.potential(q) == pytest.approx(3 * (0.8 + 10 * 0.6), rel=1e-15)
    assert s.gradient(q) == pytest.approx(np.array([[0, 0, 3.0], [0, 0, 30.0]]), rel=1e-15)
    at = dict(zip(s.states, q.ravel(), strict=False)) | {k.symbol: 3}
    assert float(s.potential_expression.subs(at)) == pytest.approx(3 * (0.8 + 10 * 0.6), rel=1e-15)


def test_parameters_do_not_meet_the_symbols_of_pairs():
    k = gc.Parameter("qb_3", 3.0)
    pull = spheres.Pairs(lambda a, b: k.symbol * a[2] * b[2])
    s = spheres.SphereSystem(mass=[1.0, 1.0], potential=pull, parameters=[k])
    assert s.potential([[0.6, 0, 0.8], [0, 0.8, 0.6]]) == pytest.approx(3 * 0.8 * 0.6, rel=1e-15)
