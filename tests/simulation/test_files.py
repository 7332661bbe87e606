"""Trajectories that come back from a file as runs of their system."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import spheres

T = np.linspace(0.0, 1.0, 21)


def skate():
    return gc.models.get("pendulum-skate")().reduce()


def pushed():
    u = sp.Symbol("u", real=True)
    return gc.EulerPoincare(
        algebra=gc.so3(), inertia=sp.diag(1.1, 2.3, 3.1), forces=[u, 0, 0], inputs=["u"], name="pushed"
    ).reduce()


def pendulum():
    q, _ = spheres.symbols(1)
    u = sp.Symbol("u", real=True)
    return spheres.SphereSystem(mass=[1.7], potential=2.1 * q[0][2], forces=[[u, 0, 0]], inputs=["u"])


START = ([[0.6, 0.0, -0.8]], [[0.0, 1.0, 0.0]])


def saved(run, tmp_path):
    run.save(tmp_path / "run.npz")
    return tmp_path / "run.npz"


def test_attitude_and_way_of_a_run_that_was_read(tmp_path):
    system = skate()
    run = gc.simulate(system, T, [0.1, 3.0, 0.5, 0.3, np.sqrt(1 - 0.09)])
    path = saved(run, tmp_path)
    again = gc.load_trajectory(path, system=skate())
    assert type(again) is gc.Trajectory
    assert again.attitude() == pytest.approx(run.attitude(), abs=1e-12)
    assert again.contact() == pytest.approx(run.contact(), abs=1e-12)
    assert again.system.name == system.name
    with pytest.raises(gc.GeoctrlError, match=r"load_trajectory\(path, system="):
        gc.load_trajectory(path).attitude()


GIVEN = {
    "numbers": {"u": 0.7},
    "expressions": {"u": sp.sin(3 * gc.time)},
    "samples": np.cos(T)[None],
    "callable": lambda t, x, params: [0.3 - 0.4 * x[0]],
}


@pytest.mark.parametrize("kind", GIVEN)
def test_inputs_are_given_again(kind, tmp_path):
    run = gc.simulate(pushed(), T, [0.1, 0.2, 3.0], inputs=GIVEN[kind])
    path = saved(run, tmp_path)
    again = gc.load_trajectory(path, system=pushed(), inputs=GIVEN[kind])
    assert np.array_equal(again.states, run.states)
    assert again.inputs == pytest.approx(run.inputs)
    assert set(again.invariants) == set(run.invariants)
    assert again.attitude() == pytest.approx(run.attitude(), abs=1e-11)
    for wrong in (None, {"u": 0.71}):
        with pytest.raises(gc.InputError, match=r"the inputs of the file .* give inputs="):
            gc.load_trajectory(path, system=pushed(), inputs=wrong)


SPHERES = {
    "none": None,
    "number": [0.4],
    "of time": lambda t: [np.sin(t)],
    "samples": np.cos(T)[None],
    "expressions": {"u": -0.5 * spheres.symbols(1)[1][0][1]},
    "law": lambda t, x, params: [-0.5 * x[4]],
}


@pytest.mark.parametrize("kind", SPHERES)
def test_inputs_on_a_manifold_are_told_and_given_again(kind, tmp_path):
    given, system = SPHERES[kind], pendulum()
    run = gc.simulate(system, T, START, inputs=given)
    assert run.input_labels == ("u",)
    wanted = {
        "none": 0 * T,
        "number": 0.4 + 0 * T,
        "of time": np.sin(T),
        "samples": np.cos(T),
        "expressions": -0.5 * run.states[4],
        "law": -0.5 * run.states[4],
    }[kind]
    assert run["u"] == pytest.approx(wanted, abs=1e-14)
    again = gc.load_trajectory(saved(run, tmp_path), system=pendulum(), inputs=given)
    assert isinstance(again, spheres.SphereTrajectory)
    assert np.array_equal(again.q, run.q)
    assert again.drift == pytest.approx(run.drift)
    assert again["u"] == pytest.approx(wanted, abs=1e-14)


def test_inputs_of_an_integrator_are_told():
    run = spheres.integrate(pendulum(), *START, 0.01, 100, inputs=lambda t: [np.sin(t)], record=10)
    assert run["u"] == pytest.approx(np.sin(run.time), abs=1e-14)
    assert list(run.invariants) == []


def test_a_run_of_another_system_is_refused(tmp_path):
    run = gc.simulate(skate(), T, [0.1, 3.0, 0.5, 0.3, np.sqrt(1 - 0.09)])
    path = saved(run, tmp_path)
    with pytest.raises(gc.InputError, match="the file has the states v1"):
        gc.load_trajectory(path, system=gc.models.get("heavy-top")().reduce())
    heavier = gc.models.get("pendulum-skate")().replace(potential=0).reduce()
    with pytest.raises(gc.InputError, match="the energy of the file"):
        gc.load_trajectory(path, system=heavier)
    with pytest.raises(TypeError, match=r"load_trajectory needs a system, .* take mechanism.reduce"):
        gc.load_trajectory(path, system=gc.models.get("pendulum-skate")())
    with pytest.raises(gc.InputError, match="give load_trajectory its system too"):
        gc.load_trajectory(path, inputs=[1.0])


def test_a_run_on_spheres_has_no_way_over_the_ground():
    with pytest.raises(TypeError, match="no way over the ground"):
        gc.viz.path(gc.simulate(pendulum(), T, START))


def test_runs_of_small_energies_are_told_apart(tmp_path):
    """Energies of 1e-12 J differ by half of it: with a potential that is twice as large it is another run."""
    top = gc.models.get("heavy-top")()
    small, change = top.in_units(mass=1e-12)
    x = change.state([0.3, 0.1, 5, 0, 0.6, 0.8])
    run = gc.simulate(small.reduce(), np.linspace(0, 0.2, 5), x)
    run.save(tmp_path / "run.npz")
    assert gc.load_trajectory(tmp_path / "run.npz", small.reduce()).energy == pytest.approx(run.energy)
    other = small.replace(potential=2 * small.potential).reduce()
    with pytest.raises(gc.InputError, match="the energy of the file"):
        gc.load_trajectory(tmp_path / "run.npz", other)


def test_small_signals_are_drawn_by_their_range():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    x = gc.Coordinate("x", unit="m")
    spring = gc.EulerPoincare(shape=[x], inertia=[[1.0]], potential=x.symbol**2 / 2).reduce()
    run = gc.simulate(spring, np.linspace(0, 6, 61), [0.0, 1e-12])
    low, high = gc.viz.states(run, "x")[0].get_ylim()
    assert -1.2e-12 < low < high < 1.2e-12
