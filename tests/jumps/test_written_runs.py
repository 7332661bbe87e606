"""Runs with jumps that are written to files, and read with the system that ran."""

import pickle

import numpy as np
import pytest

import geoctrl as gc
from tests.jumps.jumping_mechanisms import STARTS, machine, run_of, sliding_ball


def read_with(run, system, path, **more):
    run.save(path)
    return gc.load_trajectory(path, system=system, **more)


@pytest.mark.parametrize("name", STARTS)
def test_a_run_read_with_its_system_is_the_run(name, tmp_path):
    run, times = run_of(name), np.linspace(0.1, 1.4, 23)
    again = read_with(run, machine(name), tmp_path / "run.npz")
    assert np.array_equal(again.states, run.states)
    assert len(again.pieces) == len(run.pieces)
    assert list(again.mode) == list(run.mode)
    other, own = again.resample(times), run.resample(times)
    assert np.allclose(other.states, own.states, rtol=0, atol=1e-11)
    if machine(name).mechanism.group is not None:
        assert np.allclose(other.position(), own.position(), rtol=0, atol=1e-11)
    assert np.array_equal(other.mode, own.mode)


def test_a_run_that_comes_to_rest_is_read_with_its_mode_of_rest(tmp_path):
    h = sliding_ball().hybrid()
    run = gc.simulate(h, [0, 1, 2, 5], h.modes["flight"].state(x_dot=2, z=1))
    again = read_with(run, h, tmp_path / "ball.npz")
    assert len(again.pieces) == len(run.pieces)
    assert np.allclose(again.resample([0.5, 4.0])["x"], [1, 8], rtol=0, atol=1e-12)


def test_runs_of_other_systems_are_refused(tmp_path):
    run, h = run_of("rimless-wheel"), machine("rimless-wheel")
    path = tmp_path / "wheel.npz"
    with pytest.raises(gc.InputError, match="has the states theta_dot, theta, the system q_dot, q"):
        read_with(run, machine("pendulum-at-wall"), path)
    with pytest.raises(gc.InputError, match="give the system with jumps"):
        read_with(run, h.modes["motion"], path)
    piece = run.pieces[0]
    with pytest.raises(gc.InputError, match=r"give the system of its mode, h\.modes"):
        read_with(piece, h, path)
    run.save(path)
    arrays = dict(np.load(path))
    arrays["jump_vectors"][2] *= 1 + 1e-6
    np.savez(tmp_path / "changed.npz", **arrays)
    with pytest.raises(gc.InputError, match=r"its jump 'spoke' at t = .* makes another state"):
        gc.load_trajectory(tmp_path / "changed.npz", system=h)
    arrays = dict(np.load(path))
    arrays["states"][0, 5] *= 1 + 1e-6
    np.savez(tmp_path / "changed.npz", **arrays)
    with pytest.raises(gc.InputError, match="the energy of the file and those computed"):
        gc.load_trajectory(tmp_path / "changed.npz", system=h)
    block = machine("rocking-block")
    run_of("rocking-block").save(path)
    arrays = dict(np.load(path))
    arrays["mode"] = 1 - arrays["mode"]
    np.savez(tmp_path / "changed.npz", **arrays)
    with pytest.raises(gc.InputError, match=r"its samples are in other modes|no run of"):
        gc.load_trajectory(tmp_path / "changed.npz", system=block)


def test_a_table_and_a_pickle_of_a_run():
    run = run_of("hopper")
    table = run.to_pandas()
    assert list(table) == ["z_dot", "z", "y", "k"]
    assert np.array_equal(table["y"], run["y"])
    again = pickle.loads(pickle.dumps(run))
    assert [jump.name for jump in again.jumps] == [jump.name for jump in run.jumps]
    with pytest.raises(gc.GeoctrlError, match="read it with its system"):
        again.position()
    for name in STARTS:
        h = pickle.loads(pickle.dumps(machine(name)))
        assert h.graph_of_modes == machine(name).graph_of_modes
