"""Best gaits: published numbers, derivatives by differences, other units, momenta that come back."""

import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.gaits.gait_flow import GaitFlow
from geoctrl.gaits.gait_goals import goal_of
from geoctrl.gaits.harmonic_gaits import Effort, HarmonicGaits
from tests.systems.test_connection import snakeboard

T = gc.time
PERIOD = 2 * np.pi


@cache
def racer(drag=0):
    """The roller racer; with drag on its seat what it does is forgotten."""
    mechanism = gc.models.get("roller-racer")()
    forward, steer = mechanism.algebra.xi[1], sp.Symbol("u", real=True)
    return mechanism.replace(forces=[0, -drag * forward, 0, steer]).reduce().connection()


@cache
def racing(**given):
    return gc.optimal_gait(racer(), starts=2, **given)


def test_the_snakeboard_goes_as_far_as_published():
    """[Ostrowski, Desai and Kumar 2000]'s kind of gait: 0.24633 plain, 0.38234 with two harmonics."""
    connection = snakeboard()[1]
    plain = gc.optimal_gait(connection, harmonics=1, fixed=dict.fromkeys(("psi", "phi"), "cos 1"), starts=1)
    assert plain.value == pytest.approx(0.246327281387, rel=1e-9)
    begin = {"psi": {"sin 1": -0.7, "cos 2": 0.1}, "phi": {"sin 1": 0.6, "sin 2": 0.1}}
    best = gc.optimal_gait(connection, fixed={"phi": ("cos 1",)}, starts=[begin])
    assert best.value == pytest.approx(0.382339335182, rel=1e-9)
    assert best.effort == pytest.approx(1, abs=1e-9)
    assert best.starts[0][1] == "converged"
    assert np.linalg.norm(best.gradient) < 1e-6
    # With the wheels turned at the start, no momentum along the board is no rest.
    assert "starts from a motion: Omega = " in best.full()
    assert max(map(len, best.full().splitlines())) <= 79


def test_the_roller_racer_goes_as_far_as_another_program_found():
    best = racing()
    assert best.value == pytest.approx(0.906949709874, rel=1e-9)
    assert best.value == pytest.approx(np.linalg.norm(best.displacement.g[:2, 2]), rel=1e-11)
    assert {status for _, status, _ in best.starts} == {"converged"}
    assert "cos 2" in best.coefficients["phi"]
    again = racer().displacement(best.gait, best.period)
    np.testing.assert_allclose(again.g, best.displacement.g, atol=1e-12)
    assert pickle.loads(pickle.dumps(best)).value == best.value


def test_other_units_of_length_and_time_find_the_same_gait():
    """In millimetres, and in a period of 3 s at the effort that the same curve has there."""
    params = {"d1": 420.0, "d2": 110.0, "I1": 2.1e6, "I2": 0.09e6}
    effort = PERIOD / 3
    best, other = racing(), gc.optimal_gait(racer(), 3.0, effort=effort, starts=2, params=params)
    assert other.value == pytest.approx(1000 * best.value, rel=1e-9)
    for term, value in best.coefficients["phi"].items():
        assert other.coefficients["phi"][term] == pytest.approx(value, abs=1e-6)


@cache
def turning_body():
    """A body in space with an arm: three momenta, no constraint."""
    phi = gc.Coordinate("phi", angle=True)
    c, s = sp.cos(phi.symbol), sp.sin(phi.symbol)
    inertia = sp.Matrix([[4 + c, s / 3, 0, c], [s / 3, 5, s / 2, 1], [0, s / 2, 6 - s, s], [c, 1, s, 2]])
    return gc.EulerPoincare(algebra=gc.so3(), shape=[phi], inertia=inertia).reduce().connection()


@pytest.mark.parametrize("made", [racer, turning_body])
def test_derivatives_of_displacements_are_differences(made):
    connection = made()
    a, b = gc.Parameter("a", 0.6), sp.Symbol("b")
    gait = {"phi": a.symbol * sp.cos(T) + b * sp.sin(2 * T) + b**2}
    momentum = np.array([0.3, -0.2, 0.5])[: len(connection.momenta)]

    def moved(**params):
        return connection.displacement(gait, 2.0, momentum, {"b": 0.4} | params, by=[a, b])

    found, step = moved(), 1e-4
    for column, (name, value) in enumerate([("a", 0.6), ("b", 0.4)]):
        up, down = (moved(**{name: value + s}).log for s in (step, -step))
        np.testing.assert_allclose(
            found.derivative[:, column], (up - down) / (2 * step), rtol=1e-6, atol=1e-7
        )
        assert np.max(np.abs(found.derivative[:, column])) > 0.01
    plain = {"phi": gait["phi"].subs({a.symbol: 0.6, b: 0.4})}
    np.testing.assert_allclose(connection.displacement(plain, 2.0, momentum).log, found.log, atol=1e-12)


def test_symbols_of_a_gait_are_read_with_care():
    connection, a = racer(), sp.Symbol("a")
    for by, params, words in [
        ([a], None, "a has no number"),
        (["a"], {"a": 1.0}, "by must be symbols"),
        ([T], None, "by must be symbols"),
        ([sp.Symbol("m")], {"m": 1.0}, "by must be symbols"),
        ([a, a], {"a": 1.0}, "by must be symbols"),
    ]:
        with pytest.raises(gc.InputError, match=words):
            connection.displacement({"phi": a * sp.sin(T)}, 1.0, params=params, by=by)
    with pytest.raises(gc.DescriptionError, match="symbols that by= names"):
        connection.displacement({"phi": a * sp.sin(T)}, 1.0)


def test_engines_and_goals_have_one_derivative():
    """Taylor series and Runge-Kutta; each goal by central differences."""
    connection = racer()
    gaits = HarmonicGaits(["phi"], PERIOD, 1, None)
    group = connection.mechanism.group
    goals = [goal_of(goal, group) for goal in ("distance", "heading", lambda g: g[0, 2] - g[1, 0] ** 2)]
    motion = connection.motion(gaits.expressions, gaits.symbols, integrals=goals[1].integrals)
    taylor, dormand = (GaitFlow(motion, PERIOD, engine) for engine in ("heyoka", "scipy"))
    a, p, step = np.array([0.5, -0.4]), np.array([0.2]), 1e-4
    end, other = taylor(a, p), dormand(a, p)
    np.testing.assert_allclose(end.g, other.g, atol=1e-11)
    np.testing.assert_allclose(end.eta, other.eta, atol=1e-10)
    for goal in goals:
        ends = [(taylor(a + step * e, p), taylor(a - step * e, p)) for e in np.eye(2)]
        differences = [(goal.value(up) - goal.value(down)) / (2 * step) for up, down in ends]
        np.testing.assert_allclose(goal.slopes(end, end.eta), differences, rtol=1e-6, atol=1e-7)


def test_a_heading_is_counted_on_beyond_half_a_turn():
    best = racing(goal="heading", effort=4.0)
    assert best.value > np.pi
    turns = (best.value - best.displacement.log[0]) / PERIOD
    assert turns == pytest.approx(round(turns), abs=1e-9)
    assert turns > 0.5


def test_the_effort_of_a_metric_has_its_derivative():
    gaits = HarmonicGaits(["phi", "psi"], 3.0, 2, {"psi": ["cos 2"]})
    r, m = sp.symbols("phi psi", real=True), sp.Symbol("m")
    work = Effort(gaits, [[2 + sp.sin(r[0]), m * r[1]], [m * r[1], 3]], r, {m: 0.3})
    rng = np.random.default_rng(1)
    a = 0.3 * rng.standard_normal(len(gaits.terms))
    value, slope = work(a)
    differences = [(work(a + 1e-5 * e)[0] - work(a - 1e-5 * e)[0]) / 2e-5 for e in np.eye(len(a))]
    np.testing.assert_allclose(slope, differences, rtol=1e-8, atol=1e-8)
    plain = Effort(gaits, None, r, {})
    omega, k = PERIOD / 3, np.array([int(term.split()[1]) for _, term in gaits.terms])
    assert plain(a)[0] == pytest.approx(omega * np.sum(k**2 * a**2), rel=1e-13)
    assert value > 0


def test_a_momentum_that_comes_back_is_part_of_the_gait():
    """With drag on the seat; without it any momentum comes back, and there is nothing to be found."""
    connection = racer(12)
    best = gc.optimal_gait(connection, harmonics=1, momentum="periodic", starts=1)
    assert best.displacement.momentum == pytest.approx(best.momentum, rel=1e-9)
    assert abs(best.momentum[0]) > 0.1
    # No neighbour of the same effort is better, with the momentum that it comes to.
    for turn in (-0.1, 0.1):
        s, c = best.coefficients["phi"].values()
        phi = (s - turn * c) * sp.sin(T) + (c + turn * s) * sp.cos(T)
        phi /= np.sqrt(1 + turn**2)
        cycles = connection.displacement({"phi": phi}, PERIOD, cycles=10)
        one = connection.displacement({"phi": phi}, PERIOD, cycles.momentum)
        assert np.linalg.norm(one.g[:2, 2]) < best.value
    with pytest.raises(gc.SimulationError, match="not determined"):
        gc.optimal_gait(racer(), harmonics=1, momentum="periodic", starts=1)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"effort": 0}, gc.InputError, "effort must be positive"),
        ({"period": -1.0}, gc.InputError, "period must be positive"),
        ({"harmonics": 0}, gc.InputError, "harmonics"),
        ({"fixed": {"psi": "cos 1"}}, gc.InputError, "of phi; got"),
        ({"fixed": {"phi": "cos 3"}}, gc.InputError, "terms are sin 1, cos 1"),
        ({"fixed": {"phi": ["sin 1", "cos 1", "sin 2", "cos 2"]}}, gc.InputError, "no coefficient"),
        ({"goal": "far"}, gc.InputError, "'distance', 'heading'"),
        ({"goal": lambda g: g}, gc.InputError, "finite number"),
        ({"momentum": "some"}, gc.InputError, "'periodic'"),
        ({"momentum": [1.0, 2.0]}, gc.InputError, "momentum"),
        ({"metric": [[-1]]}, gc.InputError, "positive definite"),
        ({"metric": [[1, 2]]}, gc.InputError, "1 x 1"),
        ({"metric": sp.Symbol("q")}, gc.DescriptionError, "no coordinates"),
        ({"starts": []}, gc.InputError, "starts"),
        ({"starts": [{"phi": {"sin 7": 1.0}}]}, gc.InputError, "coefficients are"),
        ({"params": {"mass": 1.0}}, gc.ParameterError, "mass"),
        ({"engine": "euler"}, gc.InputError, "engine"),
    ],
)
def test_bad_input_is_refused_in_words(given, error, words):
    with pytest.raises(error, match=words):
        gc.optimal_gait(racer(), **given)


def test_what_has_no_best_gait_is_told():
    with pytest.raises(gc.InputError, match="takes a connection"):
        gc.optimal_gait(gc.models.get("roller-racer")().reduce())
    cart = gc.models.get("cart-pendulum")().reduce().connection()
    with pytest.raises(gc.InputError, match="forces on the group"):
        gc.optimal_gait(cart)
    with pytest.raises(gc.SimulationError, match="singular"):
        gc.optimal_gait(snakeboard()[1], harmonics=1, effort=60.0, starts=1)
