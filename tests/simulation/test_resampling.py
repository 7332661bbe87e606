"""Runs at other times: what `resample` gives is what a run with these times gives."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations, spheres

COARSE = np.linspace(0.0, 2.0, 5)
FINE = np.array([0.1, 0.5, 0.77, 1.23, 1.9, 2.0])
U = sp.Symbol("u", real=True)
CLOSE = 1e-9
"""Errors of DOP853 at 1e-12 grow with the motion's own instability; 2 s leave them below this."""


def body():
    return gc.EulerPoincare(
        algebra=gc.so3(), inertia=sp.diag(1.1, 2.3, 3.1), forces=[U, 0, 0], inputs=["u"], name="pushed"
    ).reduce()


def pendulum():
    q, _ = spheres.symbols(1)
    return spheres.SphereSystem(mass=[1.7], potential=2.1 * q[0][2], forces=[[U, 0, 0]], inputs=["u"])


def top():
    R, _ = rotations.symbols(1)
    return rotations.RotationSystem(
        inertias=np.diag([1.0, 2.0, 2.5]), potential=1.4 * R[0][2, 2], forces=[[U, 0, 0]], inputs=["u"]
    )


STARTS = {
    body: [0.1, 0.2, 3.0],
    pendulum: ([[0.6, 0.0, -0.8]], [[0.0, 1.0, 0.0]]),
    top: (np.eye(3), [0.3, 0.2, 1.0]),
}
INPUTS = {
    "none": None,
    "held": [0.4],
    "samples": (np.array([0.0, 0.6, 1.1]), np.array([0.3, -0.5, 0.9])),
    "of time": lambda t: [np.sin(3 * t)],
    "feedback": lambda t, x, params: [np.cos(t) - 0.4 * x[-1]],
    "expressions": {"u": sp.cos(2 * gc.time)},
}


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("made", STARTS)
def test_it_is_the_run_at_these_times(made, kind):
    system, start, inputs = made(), STARTS[made], INPUTS[kind]
    run = gc.simulate(system, COARSE, start, inputs=inputs)
    found = run.resample(FINE)
    expected = gc.simulate(system, np.concatenate([[0.0], FINE]), start, inputs=inputs)
    assert type(found) is type(run)
    assert np.array_equal(found.time, FINE)
    assert found.states == pytest.approx(expected.states[:, 1:], abs=CLOSE)
    assert np.array_equal(found.states[:, 1], run.states[:, 1])
    assert np.array_equal(found.states[:, -1], run.states[:, -1])
    assert found.inputs == pytest.approx(expected.inputs[:, 1:], abs=CLOSE)
    assert set(found.drift) == set(run.drift)
    assert found.outputs.shape == (0, FINE.size)


def test_what_follows_from_it():
    skate = gc.models.get("pendulum-skate")().replace(domain={}).reduce()
    run = gc.simulate(skate, COARSE, [0.1, 3.0, 0.5, 0.3, np.sqrt(1 - 0.09)])
    fine = np.linspace(0.0, 2.0, 41)
    found = run.resample(fine)
    assert found.attitude()[::10] == pytest.approx(run.attitude(), abs=1e-12)
    assert found.contact()[::10] == pytest.approx(run.contact(), abs=1e-12)
    assert max(found.drift.values()) < 1e-11
    # Not between the samples: a line between them misses by more than a thousandth.
    between = np.interp(fine, run.time, run.states[0])
    assert np.abs(between - found.states[0]).max() > 1e-3


def test_a_run_of_steps_and_one_of_a_form():
    system, start = pendulum(), STARTS[pendulum]
    expected = gc.simulate(system, np.concatenate([[0.0], FINE]), start, inputs=[0.3]).states[:, 1:]
    steps = spheres.integrate(system, *start, 0.01, 200, order=8, record=50, inputs=[0.3])
    assert steps.resample(FINE).states == pytest.approx(expected, abs=CLOSE)
    form = system.in_form("mu")
    x = form.convert(system.pack(*start), "omega", "mu")
    found = gc.simulate(form, COARSE, x, inputs=[0.3]).resample(FINE)
    assert found.state_labels == form.state_labels
    assert form.convert(found.states, "mu", "omega") == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("made", STARTS)
def test_a_run_that_was_read(made, tmp_path):
    system, inputs = made(), INPUTS["samples"]
    run = gc.simulate(system, COARSE, STARTS[made], inputs=inputs)
    run.save(tmp_path / "run.npz")
    again = gc.load_trajectory(tmp_path / "run.npz", system=made(), inputs=inputs)
    assert again.resample(FINE).states == pytest.approx(run.resample(FINE).states, abs=CLOSE)
    with pytest.raises(gc.GeoctrlError, match=r"load_trajectory\(path, system="):
        gc.load_trajectory(tmp_path / "run.npz").resample(FINE)


def test_an_event_ends_what_can_be_asked_for():
    skate = gc.models.get("pendulum-skate")().replace(domain={}).reduce()
    fall = gc.Event(skate.states[4], terminal=True)
    start = skate.project([0.1, 0, 0, 1, 0, 0], {"Gamma": [0, np.sin(0.1), np.cos(0.1)]})
    run = gc.simulate(skate, COARSE, start, events={"fall": fall})
    found = run.resample([0.3, run.time[-1]])
    assert np.array_equal(found.states[:, -1], run.states[:, -1])
    assert found.events["fall"] is run.events["fall"]
    with pytest.raises(gc.InputError, match=r"within the run, 0 \.\. 1\.038\d+, got 1\.5; to go on"):
        run.resample([0.3, 1.5])


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ([0.5, 0.5], "row of increasing times"),
        ([[0.5]], "row of increasing times"),
        ([], "row of increasing times"),
        ([-0.1, 0.5], "within the run"),
        ([np.nan], "must be finite"),
        ("now", "must be an array of numbers"),
    ],
)
@pytest.mark.parametrize("made", STARTS)
def test_times_that_are_none(made, times, words):
    run = gc.simulate(made(), COARSE, STARTS[made])
    with pytest.raises(gc.InputError, match=words):
        run.resample(times)
