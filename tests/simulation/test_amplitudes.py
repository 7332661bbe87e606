"""Runs keep their relative error at any amplitude and in any unit of time, by both engines."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.simulation import heyoka_compiled
from geoctrl.stepping.drive import flow as flows

ENGINES = ("heyoka", "scipy")
X, PHI = gc.Coordinate("x"), gc.Coordinate("phi", angle=True)
U = sp.Symbol("u", real=True)
TIMES = np.linspace(0, 30, 31)


def described(coordinate, potential, **more):
    return gc.EulerPoincare(
        algebra=None, shape=[coordinate], inertia=[[1]], potential=potential, **more
    ).reduce()


@pytest.fixture(scope="module")
def oscillator():
    return described(X, X**2 / 2)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", [1.0, 1e-5, 1e-10, 1e-20, 1e-30, 1e-100, 1e30])
def test_an_oscillator_of_any_size(oscillator, engine, size):
    """x'' = -x; the errors were 2e-7 to 5e10 with heyoka, 2e-2 to 1e11 with scipy."""
    run = gc.simulate(oscillator, TIMES, [0.0, size], engine=engine)
    assert np.abs(run["x"] / size - np.cos(TIMES)).max() < 1e-9
    assert ("states in sizes of" in run.engine) == (
        size < 1e-6 or size > 1e20 or (engine != "heyoka" and size == 1e-5)
    )


def test_without_sizes_small_motions_are_lost(oscillator, monkeypatch):
    """Negative control."""
    monkeypatch.setattr(flows, "sizes_at", lambda *_: None)
    for engine in ENGINES:
        run = gc.simulate(oscillator, TIMES, [0.0, 1e-20], engine=engine)
        assert np.abs(run["x"] / 1e-20 - np.cos(TIMES)).max() > 100


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rate", [1e-15, 1e-6, 1e6, 1e15])
def test_a_pendulum_in_any_unit_of_time(engine, rate):
    fast = described(PHI, -(sp.Rational(rate) ** 2) * sp.cos(PHI))
    plain = described(PHI, -sp.cos(PHI))
    one = gc.simulate(plain, TIMES, [0.0, 2.0], engine=engine)
    other = gc.simulate(fast, TIMES / rate, [0.0, 2.0], engine=engine)
    assert np.abs(other["phi"] - one["phi"]).max() < 3e-9
    assert np.abs(other["phi_dot"] / rate - one["phi_dot"]).max() < 3e-9


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("angle", [1e-8, 1e-20])
def test_an_angle_much_smaller_than_one(engine, angle):
    """An angle has the size one; a motion that is small beside it has its own."""
    run = gc.simulate(described(PHI, -sp.cos(PHI)), TIMES, [0.0, angle], engine=engine)
    assert np.abs(run["phi"] / angle - np.cos(TIMES)).max() < 1e-9


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("times", [np.linspace(0, 100, 51), np.array([0.0, 100.0])])
def test_motions_that_die_away(engine, times):
    """x'' = -x - x' falls to 2e-22 within 100 s; each sample is right relative to exp(-t/2)."""
    damped = described(X, X**2 / 2, forces=[-X.rate])
    run = gc.simulate(damped, times, [0.0, 1.0], engine=engine)
    w = np.sqrt(3) / 2
    exact = np.cos(w * times) + np.sin(w * times) / (2 * w)
    assert np.abs(run["x"] * np.exp(times / 2) - exact).max() < 1e-8


@pytest.mark.parametrize("engine", ENGINES)
def test_motions_that_grow(engine):
    inverted = described(X, -(X**2) / 2)
    run = gc.simulate(inverted, np.linspace(0, 60, 7), [0.0, 1e-25], engine=engine)
    assert np.abs(run["x"] / 1e-25 / np.cosh(run.time) - 1).max() < 1e-9


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", [1e-20, 1.0, 1e20])
def test_events_in_any_unit_of_time(size, engine):
    """x'' = -x/size^2 from x = 0: passages at pi size, 2 pi size, ..."""
    system = described(X, X**2 / 2 / sp.Rational(size) ** 2)
    events = {"s": gc.Event(X.symbol), "stop": gc.Event(X.symbol, terminal=True, direction=1)}
    run = gc.simulate(system, [0, 10 * size], [1 / size, 0.0], engine=engine, events=events)
    np.testing.assert_allclose(run.events["s"].time / size, [np.pi, 2 * np.pi], rtol=1e-10)
    assert run.time[-1] / size == pytest.approx(2 * np.pi, rel=1e-10)


@pytest.mark.parametrize("engine", ENGINES)
def test_held_runs_of_any_size(engine):
    plant = described(X, X**2 / 2, forces=[U], inputs=[U])
    law = gc.lqr(plant, plant.state())
    times = np.linspace(0, 60, 61)

    def run(size):
        return gc.simulate(plant, times, [0.0, size], controller=law.sampled(20.0), engine=engine)["x"] / size

    one, small = run(1.0), run(1e-20)
    envelope = np.maximum.accumulate(np.abs(one)[::-1])[::-1]
    assert one[-1] != 0
    assert envelope[-1] < 1e-10
    assert (np.abs(small - one) / envelope).max() < 1e-8


@pytest.mark.parametrize("engine", ENGINES)
def test_places_beside_directions(engine):
    """A place of 1e-9 m on a spring is right relative to itself, beside a vector of length one."""
    G = gc.AdvectedVector("Gamma")
    body = gc.EulerPoincare(
        algebra=gc.so3(), advected=[G], shape=[X], inertia=sp.diag(1, 2, 3, 1), potential=2 * X**2 + 0 * G[0]
    ).reduce()
    start = body.project([0.3, 0.2, 1.0, 0.0], {"Gamma": (0, 0, 1), "x": 1e-9})
    run = gc.simulate(body, TIMES, start, engine=engine)
    assert np.abs(run["x"] / 1e-9 - np.cos(2 * TIMES)).max() < 1e-9
    fresh = gc.simulate(body, TIMES, body.project([0.3, 0.2, 1.0, 0.0], {"Gamma": (0, 0, 1)}), engine=engine)
    assert np.abs(run["Omega2"] - fresh["Omega2"]).max() < 1e-9


@pytest.mark.parametrize("rate", [1e-14, 1e12])
def test_spheres_in_any_unit_of_time(rate):
    """Of a spherical pendulum directions have the size one, and what is small beside it stays so."""
    times, q, omega = np.linspace(0, 10, 11), np.array([[0.6, 0.0, -0.8]]), np.array([[0.0, 0.5, 0.0]])
    runs = []
    for s in (1.0, rate):
        pendulum = gc.spheres.chain_pendulum([1.0], [1.0], gravity=(0, 0, -s * s))
        runs.append(gc.simulate(pendulum, times / s, (q, omega * s), engine="scipy"))
    assert np.abs(runs[1].q - runs[0].q).max() < 1e-9
    assert np.abs(runs[1].omega / rate - runs[0].omega).max() < 1e-9
    assert "sizes of" in runs[1].engine


def test_one_compilation_serves_all_sizes(oscillator, monkeypatch):
    gc.simulate(oscillator, TIMES, [0.0, 1e-12])

    def refuse(*_):
        raise AssertionError("compiled again")

    monkeypatch.setattr(heyoka_compiled, "Compiled", refuse)
    for size in (1e-12, 1e-25, 1e-50):
        run = gc.simulate(oscillator, TIMES, [0.0, size])
        assert np.abs(run["x"] / size - np.cos(TIMES)).max() < 1e-12


def test_tolerances_stay_what_they_are(oscillator):
    """A loose ``rtol`` is as loose for a small motion as for one of size one."""
    for engine in ENGINES:
        errors = []
        for size in (1.0, 1e-15):
            run = gc.simulate(oscillator, TIMES, [0.0, size], engine=engine, rtol=1e-5)
            errors.append(np.abs(run["x"] / size - np.cos(TIMES)).max())
        assert errors[0] > 1e-9
        assert 0.05 < errors[1] / errors[0] < 20


def test_sizes_that_are_cut_are_said(oscillator):
    assert "(cut there)" in gc.simulate(oscillator, TIMES, [0.0, 1e-200]).engine
    resting = gc.simulate(oscillator, TIMES, [0.0, 0.0])
    assert not resting.states.any()
    assert "sizes" not in resting.engine
