"""Runs that cannot be finished keep the part done; bad arguments are refused before any work."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import models

X0 = np.array([0.05, 6.0, 0.3, np.sin(0.05), np.cos(0.05)])


@pytest.fixture(scope="module")
def skate():
    return models.get("pendulum-skate")(set="7.2").replace(domain={}).reduce()  # on through the ice


def runaway(power=2):
    """One velocity driven by its own square: x' = x**2 leaves every bound at t = 1/x(0)."""
    algebra = gc.rn(1)
    return gc.EulerPoincare(
        algebra=algebra, inertia=[[1]], forces=[algebra.xi[0] ** power], name="runaway"
    ).reduce()


def test_a_run_that_turns_to_no_number_is_told_by_its_status_alone(capfd):
    """heyoka would print a warning, where it looks for the zeros of an event."""
    q = gc.Coordinate("q")
    body = gc.EulerPoincare(shape=[q], inertia=[[1]], potential=-sp.sqrt(1 - q.symbol)).reduce()
    run = gc.simulate(body, 10.0, [2.0, 0.0], events={"back": q.symbol + 3}, throw=False)
    assert run.status.startswith("failed: the state is no longer finite at t = 0.55")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_blow_up_keeps_the_part_done(engine):
    times = np.linspace(0, 2, 21)
    with pytest.raises(gc.SimulationError, match="t = 1") as caught:
        gc.simulate(runaway(), times, [1.0], engine=engine)
    part = caught.value.trajectory
    assert not part.success
    assert part.status.startswith("failed: ")
    assert part.time[-1] == pytest.approx(0.9)
    np.testing.assert_allclose(part.states[0], 1 / (1 - part.time), rtol=1e-8)
    again = gc.simulate(runaway(), times, [1.0], engine=engine, throw=False)
    assert again.status == part.status
    assert np.array_equal(again.states, part.states)


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_singular_frame_is_named(engine):
    """A frame of the tangent space of the sphere that fails where Gamma is the third axis."""
    gamma = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    G = gamma.symbols
    frame = sp.Matrix([[G[1], -G[0] * G[2]], [-G[0], -G[1] * G[2]], [0, G[0] ** 2 + G[1] ** 2]])
    sys = gc.EulerPoincare(
        algebra=gc.so3(), advected=[gamma], inertia=sp.diag(1, 2, 3), constraints=[list(G)], frame=frame
    ).reduce()
    # Turning about the first axis carries Gamma through the third.
    x0 = sys.project([1.0, 0, 0], {"Gamma": [0, np.sin(0.5), np.cos(0.5)]})
    if sys.advected(sys.rhs(0, x0))[1] > 0:
        x0[:2] = -x0[:2]
    traj = gc.simulate(sys, np.linspace(0, 2, 201), x0, engine=engine, throw=False)
    assert not traj.success
    assert "singular" in traj.status
    assert 0.3 < traj.time[-1] < 0.6
    with pytest.raises(gc.FrameError, match="singular at x0"):
        gc.simulate(sys, [0, 1], [0.1, 0.1, 0, 0, 1])


def test_leaf_drift_ends_a_run_in_multiplier_form():
    sys = models.get("veselova")(potential="quadratic").reduce()
    x0 = sys.random_state(np.random.default_rng(0))
    times = np.linspace(0, 50, 501)
    part = gc.simulate(sys, times, x0, engine="scipy", rtol=1e-4, throw=False)
    assert not part.success
    assert "drifted" in part.status
    assert max(np.abs(v).max() for v in part.leaf_defects.values()) <= 1e-6
    assert gc.simulate(sys, times, x0).success


def test_singular_mass_at_the_start():
    """M = I - m l^2 at Gamma3 = 1 vanishes for m l^2 = I."""
    gamma = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    m = gc.Parameter("m", 1.0)
    algebra = gc.so3()
    sys = gc.EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        inertia=sp.diag(2 - m.symbol * gamma.symbols[2], 2, 3),
        parameters=[m],
    ).reduce()
    gc.simulate(sys, [0, 0.1], [0.1, 0.2, 0.3, 0, 0, 1])
    with pytest.raises(gc.SingularMassError, match="condition number"):
        gc.simulate(sys, [0, 0.1], [0.1, 0.2, 0.3, 0, 0, 1], params={"m": 2.0})


def test_interrupt_carries_the_part_done(skate):
    rotor = models.get("pendulum-skate-rotor")().replace(domain={}).reduce()
    x0 = rotor.random_state(np.random.default_rng(1), scale=0.3)

    def inputs(t, x, params):
        if t > 0.5:
            raise KeyboardInterrupt
        return [0.0]

    with pytest.raises(KeyboardInterrupt) as caught:
        gc.simulate(rotor, np.linspace(0, 1, 101), x0, inputs=inputs)
    part = caught.value.trajectory
    assert 0.2 < part.time[-1] < 0.6
    assert part.status.startswith("interrupted after t = ")

    def stop(fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        gc.simulate(skate, np.linspace(0, 1, 101), X0, progress=stop)
    assert caught.value.trajectory.time.size >= 1


def test_progress(skate, capsys):
    seen = []
    gc.simulate(skate, np.linspace(0, 1, 11), X0, progress=seen.append, engine="scipy")
    assert seen[-1] == 1.0
    assert all(0 <= a <= b <= 1 for a, b in pairwise(seen))
    gc.simulate(skate, np.linspace(0, 1, 11), X0, progress=True)
    assert capsys.readouterr().err == ""


def test_progress_line_on_a_terminal(skate, monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    gc.simulate(skate, np.linspace(0, 1, 11), X0, progress=True)
    assert "100%" in capsys.readouterr().err


BAD = [
    ({"timepts": [0.0, 1.0, 1.0]}, ValueError, "timepts must be strictly increasing"),
    ({"timepts": [0.0, np.nan]}, ValueError, "timepts must be finite"),
    ({"timepts": [0.0]}, ValueError, "at least two"),
    ({"x0": X0[:4]}, ValueError, r"x0 must have shape \(5,\).*v1, v2, v3, Gamma2, Gamma3"),
    ({"x0": [np.nan, 0, 0, 0, 1]}, ValueError, "x0 must be finite"),
    ({"x0": [0.1, 0, 0, 0.3, 1]}, gc.ConstraintError, "residual 0.09.*project"),
    ({"params": {"mm": 1}}, gc.ParameterError, "did you mean 'm'"),
    ({"params": {"m": -1}}, gc.ParameterError, "must be positive"),
    ({"params": {"g": np.inf}}, gc.ParameterError, "must be finite"),
    ({"engine": "heyok"}, ValueError, "did you mean 'heyoka'"),
    ({"rtol": 0.0}, ValueError, "rtol must lie between 0 and 1"),
    ({"rtol": "small"}, ValueError, "rtol must be a number, got the text"),
    ({"inputs": {"u": 1.0}}, ValueError, "has none"),
    ({"events": {"fall": "Gamma3"}}, TypeError, "must be an expression, got the text"),
    ({"events": [sp.Symbol("Gamma3", real=True)]}, TypeError, "events must be a dict"),
    ({"events": {"fall": sp.Symbol("Gamma3")}}, gc.ExpressionError, "'fall'.*other assumptions"),
    (
        {"events": {"fall": sp.Symbol("Gama3", real=True)}},
        gc.ExpressionError,
        "'fall'.*did you mean 'Gamma3'",
    ),
    ({"events": {"fall": sp.Integer(1)}}, gc.ExpressionError, "depends on no state"),
    ({"progress": "yes"}, TypeError, "progress"),
    ({"method": "RK45"}, TypeError, "method"),
]


@pytest.mark.parametrize(("change", "error", "words"), BAD)
def test_bad_arguments(skate, change, error, words):
    arguments = {"timepts": [0.0, 1.0], "x0": X0} | change
    with pytest.raises(error, match=words):
        gc.simulate(skate, **arguments)


BAD_INPUTS = [
    ({"u_teta": 1.0}, ValueError, "did you mean 'u_theta'"),
    ({"u_theta": np.nan}, ValueError, "must be finite"),
    ({"u_theta": "v1"}, TypeError, "sympy expression"),
    ({"u_theta": lambda t, x, p: 1.0}, TypeError, "callable as inputs=f"),
    ({"u_theta": sp.Symbol("u_theta", real=True)}, gc.ExpressionError, "holds an input"),
    ({"u_theta": sp.Symbol("v9", real=True)}, gc.ExpressionError, "'u_theta'.*v9"),
    (np.zeros((2, 3)), ValueError, r"\(m, nt\) = \(1, 3\)"),
    (np.array([0.0, np.nan, 0.0]), ValueError, "inputs must be finite"),
    ("zero", TypeError, "inputs must be a dict"),
    (lambda t, x, p: [0.0, 1.0], ValueError, "must return 1 values"),
    (lambda t, x, p: [np.nan], ValueError, "must be finite"),
]


@pytest.mark.parametrize(("inputs", "error", "words"), BAD_INPUTS)
def test_bad_inputs(inputs, error, words):
    rotor = models.get("pendulum-skate-rotor")().replace(domain={}).reduce()
    x0 = rotor.random_state(np.random.default_rng(1), scale=0.3)
    with pytest.raises(error, match=words):
        gc.simulate(rotor, [0.0, 0.5, 1.0], x0, inputs=inputs)


@pytest.mark.parametrize("direction", [2, "up", None])
def test_bad_event_direction(direction):
    with pytest.raises(ValueError, match="direction"):
        gc.Event(gc.time, direction=direction)


def test_description_instead_of_system():
    with pytest.raises(TypeError, match=r"reduce\(\)"):
        gc.simulate(models.get("pendulum-skate")(), [0, 1], X0)
