"""Signals, reconstruction, files and tables."""

from __future__ import annotations

import io
import os
import pickle
import zipfile

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import geoctrl as gc
from geoctrl import models
from geoctrl.simulation.reconstruction import smallest_rotation

E3 = np.array([0.0, 0.0, 1.0])


def orthogonality(R):
    return np.abs(np.einsum("tji,tjk->tik", R, R) - np.eye(3)).max()


def differences(t, y):
    """Fourth-order central differences at the inner points."""
    h = t[1] - t[0]
    return (y[:-4] - 8 * y[1:-3] + 8 * y[3:-1] - y[4:]) / (12 * h)


@pytest.fixture(scope="module")
def skate():
    return models.get("pendulum-skate")(set="7.2").replace(domain={}).reduce()  # on through the ice


@pytest.fixture(scope="module")
def run(skate):
    x0 = np.array([0.05, 6.0, 0.8, np.sin(0.3), np.cos(0.3)])
    return gc.simulate(skate, np.linspace(0, 4, 4001), x0, events={"level": skate.states[3]})


# -- signals ------------------------------------------------------------------------------------


def test_labels_and_shapes(run):
    assert run.time.shape == (4001,)
    assert run.states.shape == (5, 4001)
    assert run.inputs.shape == (0, 4001)
    assert run.outputs.shape == (0, 4001)
    assert run.energy.shape == (4001,)
    assert np.array_equal(run["Gamma3"], run.states[4])
    with pytest.raises(KeyError, match="Gamma3"):
        run["Gama3"]
    with pytest.raises(KeyError, match="level"):
        run.events["levl"]
    assert "pendulum-skate" in repr(run)
    assert "completed" in repr(run)


def test_outputs():
    mech = models.get("pendulum-skate-rotor")().replace(domain={})
    w, J1 = mech.rotors.rates[0], mech.parameters[6].symbol
    sys = mech.replace(outputs={"spin momentum": J1 * w, "torque": mech.rotors.torques[0]}).reduce()
    x0 = sys.random_state(np.random.default_rng(3), scale=0.3)
    traj = gc.simulate(sys, np.linspace(0, 1, 11), x0, inputs={"u_theta": 0.01 * gc.time})
    assert traj.output_labels == ("spin momentum", "torque")
    np.testing.assert_allclose(traj["torque"], 0.01 * traj.time, atol=1e-16)
    np.testing.assert_allclose(traj["spin momentum"], traj.params["J1"] * traj["theta_dot"], rtol=1e-14)


# -- reconstruction -----------------------------------------------------------------------------


def test_skate_attitude(skate, run):
    R = run.attitude()
    gamma = skate.advected(run.states).T
    assert orthogonality(R) < 1e-11
    np.testing.assert_allclose(np.einsum("tji,j->ti", R, E3), gamma, atol=1e-11)
    omega = skate.velocity(run.states)[:3].T
    rate = np.einsum("tji,tjk->tik", R[2:-2], differences(run.time, R))
    measured = np.stack([rate[:, 2, 1], rate[:, 0, 2], rate[:, 1, 0]], axis=1)
    # Fourth-order differences of a motion with sharp turns.
    np.testing.assert_allclose(measured, omega[2:-2], atol=1e-5 * np.abs(omega).max())


def test_skate_on_the_ice(skate, run):
    """The blade's point moves in the plane, along the blade and nowhere else."""
    way, R = run.contact(x0=(1.0, 2.0, 0.0)), run.attitude()
    assert np.array_equal(way, run.position(x0=(1.0, 2.0, 0.0)))
    np.testing.assert_allclose(way[0], [1, 2, 0])
    np.testing.assert_allclose(way[:, 2], 0, atol=1e-12)
    velocity = differences(run.time, way)
    expected = np.einsum("tij,jt->ti", R, skate.velocity(run.states)[3:])[2:-2]
    np.testing.assert_allclose(velocity, expected, atol=3e-5)
    lateral = np.cross(R[2:-2, :, 0], E3)
    assert np.abs(np.einsum("ti,ti->t", velocity, lateral)).max() < 3e-5


def test_initial_attitude(run, skate):
    R0 = run.attitude()[0]
    turned = Rotation.from_rotvec(1.1 * E3).as_matrix() @ R0
    np.testing.assert_allclose(run.attitude(R0=turned)[-1], turned @ R0.T @ run.attitude()[-1], atol=1e-11)
    np.testing.assert_allclose(run.position(R0=turned)[-1], turned @ R0.T @ run.position()[-1], atol=1e-11)
    with pytest.raises(ValueError, match="not a rotation"):
        run.attitude(R0=2 * R0)
    with pytest.raises(ValueError, match="not a rotation"):
        run.attitude(R0=-R0)
    with pytest.raises(ValueError, match="disagrees"):
        run.attitude(R0=np.eye(3))
    with pytest.raises(ValueError, match="factor"):
        run.attitude(of=2)
    with pytest.raises(ValueError, match="x0"):
        run.position(x0=[1, 2])


@pytest.mark.parametrize("seed", range(4))
def test_smallest_rotation(seed):
    rng = np.random.default_rng(seed)
    body = rng.normal(size=3)
    for space in (rng.normal(size=3), -body, body, -body + 1e-9 * rng.normal(size=3), E3):
        R = smallest_rotation(body, space)
        assert np.abs(R.T @ R - np.eye(3)).max() < 1e-14
        assert np.linalg.det(R) > 0
        g, r = body / np.linalg.norm(body), space / np.linalg.norm(space)
        np.testing.assert_allclose(R @ g, r, atol=1e-14)
        angle = np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1))
        assert angle == pytest.approx(np.arccos(np.clip(g @ r, -1, 1)), abs=1e-6)


def test_heavy_top_attitude_and_momentum():
    """Free of its weight the momentum R Pi stays where it is in space."""
    sys = models.get("heavy-top")().reduce()
    x0 = [1.0, 0.4, 3.0, 0, 0.6, 0.8]
    traj = gc.simulate(sys, np.linspace(0, 50, 501), x0, params={"g": 1e-300})
    R = traj.attitude()
    Pi = traj.states[:3] * np.array([traj.params[f"I{i}"] for i in (1, 2, 3)])[:, None]
    spatial = np.einsum("tij,jt->ti", R, Pi)
    np.testing.assert_allclose(spatial, np.broadcast_to(spatial[0], spatial.shape), atol=1e-11)
    assert orthogonality(R) < 1e-11
    with pytest.raises(ValueError, match="no translations"):
        traj.position()
    with pytest.raises(ValueError, match="contact"):
        traj.contact()


def three_vectors(count):
    references = [(0, 0, 1), (1, 0, 0), (0, 1, 1)][:count]
    vectors = [gc.AdvectedVector(f"g{'abc'[i]}", reference=r) for i, r in enumerate(references)]
    U = sum((i + 1) * v.symbols[2] + v.symbols[0] ** 2 for i, v in enumerate(vectors))
    return gc.EulerPoincare(
        algebra=gc.so3(), advected=vectors, inertia=sp.diag(1.1, 1.7, 2.3), potential=U
    ).reduce()


@pytest.mark.parametrize("count", [2, 3])
def test_attitude_from_vectors(count):
    sys = three_vectors(count)
    R0 = Rotation.from_rotvec([0.3, -0.4, 0.5]).as_matrix()
    vectors = {v.name: R0.T @ np.array(v.reference, dtype=float) for v in sys.mechanism.advected}
    traj = gc.simulate(sys, np.linspace(0, 3, 3001), sys.project([0.2, 0.5, -0.3], vectors))
    R = traj.attitude()
    np.testing.assert_allclose(R[0], R0, atol=1e-14)
    np.testing.assert_allclose(traj.attitude(R0=R0), R, atol=1e-14)
    assert orthogonality(R) < 1e-12
    rate = np.einsum("tji,tjk->tik", R[2:-2], differences(traj.time, R))
    np.testing.assert_allclose(rate[:, 2, 1], traj.states[0, 2:-2], atol=1e-9)
    with pytest.raises(ValueError, match="disagrees"):
        traj.attitude(R0=np.eye(3))


def test_two_bodies_and_a_planar_one():
    algebra = gc.product(gc.se3(), gc.se2(), gc.rn(1))
    sys = gc.EulerPoincare(
        algebra=algebra, inertia=sp.diag(*[sp.Rational(k + 3, 4) for k in range(10)])
    ).reduce()
    xi = np.array([0.1, 0.2, 0.3, 1.0, 0.5, -0.2, 0.7, 0.4, -0.1, 2.0])
    traj = gc.simulate(sys, np.linspace(0, 2, 2001), xi)
    for of, start in ((1, 0), (2, 6)):
        R, x = traj.attitude(of=of), traj.position(of=of)
        assert orthogonality(R) < 1e-12
        velocity = np.einsum("tji,tj->ti", R[2:-2], differences(traj.time, x))
        columns = traj.states[start + 3 : start + 6] if of == 1 else traj.states[start + 1 : start + 3]
        np.testing.assert_allclose(velocity[:, : len(columns)], columns[:, 2:-2].T, atol=1e-9)
    np.testing.assert_allclose(traj.attitude(of=2)[:, 2], np.broadcast_to(E3, (2001, 3)), atol=1e-15)
    with pytest.raises(ValueError, match="no rotations"):
        traj.attitude(of=3)
    np.testing.assert_allclose(traj.position(x0=[0.5], of=3), 0.5 + 2.0 * traj.time[:, None], rtol=1e-14)
    with pytest.raises(ValueError, match="no rotations"):  # the way is known, there still is no attitude
        traj.attitude(of=3)
    with pytest.raises(ValueError, match=r"no rotations; leave R0 out"):
        traj.position(of=3, R0=np.eye(3))
    with pytest.raises(ValueError, match=r"x0 must have shape \(1,\)"):
        traj.position(x0=[0.5, 1.0], of=3)
    with pytest.raises(ValueError, match="1 to 3"):
        traj.attitude(of=4)


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_the_cart_under_a_pendulum_has_a_place(engine):
    """No force acts along the rail: the common centre of mass keeps its velocity."""
    cart = models.get("cart-pendulum")().reduce()
    traj = gc.simulate(cart, np.linspace(0, 3, 31), cart.state(phi=0.4, phi_dot=1.0), engine=engine)
    p, phi = cart.params, traj["phi"]
    total = p["m"] + p["M"]
    place = traj.position(x0=[0.7])
    assert place.shape == (31, 1)
    centre = total * place[:, 0] + p["m"] * p["l"] * np.sin(phi)
    momentum = p["m"] * p["l"] * np.cos(0.4) * 1.0
    np.testing.assert_allclose(centre - centre[0], momentum * traj.time, rtol=0, atol=1e-9)


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_reconstruction_with_inputs_and_an_early_end(engine):
    rotor = models.get("pendulum-skate-rotor")().replace(domain={}).reduce()
    x0 = np.array([0.1, 0.5, 0.3, 0.2, np.sin(0.1), np.cos(0.1)])
    times = np.linspace(0, 5, 101)
    fall = {"fall": gc.Event(rotor.states[-1] - 0.2, terminal=True)}
    traj = gc.simulate(rotor, times, x0, inputs=0.01 * np.sin(times), events=fall, engine=engine)
    assert traj.time[-1] < 4
    R = traj.attitude()
    assert len(R) == traj.time.size
    np.testing.assert_allclose(R[:, 2], rotor.advected(traj.states).T, atol=1e-10)


def test_chaotic_run_is_followed():
    sys = models.get("veselova")(potential="quadratic").reduce()
    traj = gc.simulate(sys, np.linspace(0, 100, 1001), sys.random_state(np.random.default_rng(0)))
    np.testing.assert_allclose(traj.attitude()[:, 2], traj.states[3:].T, atol=1e-11)


# -- files --------------------------------------------------------------------------------------


def test_save_and_load(run, tmp_path):
    path = tmp_path / "run.trajectory"
    run.save(path)
    with np.load(path, allow_pickle=False) as archive:
        assert all(archive[name].dtype.kind in "fU" for name in archive.files)
    loaded = gc.load_trajectory(path)
    for name in ("time", "states", "inputs", "outputs", "energy"):
        assert np.array_equal(getattr(loaded, name), getattr(run, name)), name
    for name in (
        "state_labels",
        "input_labels",
        "output_labels",
        "params",
        "engine",
        "status",
        "success",
        "drift",
    ):
        assert getattr(loaded, name) == getattr(run, name), name
    assert np.array_equal(loaded.events["level"].time, run.events["level"].time)
    assert np.array_equal(loaded.events["level"].states, run.events["level"].states)
    assert np.array_equal(loaded["Gamma2"], run["Gamma2"])
    assert repr(loaded) == repr(run)
    for call in (loaded.attitude, loaded.position, loaded.contact):
        with pytest.raises(gc.GeoctrlError, match="equations of motion"):
            call()
    loaded.save(tmp_path / "again.npz")
    assert gc.load_trajectory(tmp_path / "again.npz").drift == run.drift


def test_pickle(run):
    copy = pickle.loads(pickle.dumps(run))
    assert np.array_equal(copy.states, run.states)
    assert copy.drift == run.drift


def test_arrays_that_are_shorter_than_they_say_are_not_made_room_for(tmp_path):
    """Memory is asked for by an array's header: one of 10^15 entries, in a file of some bytes."""
    path = tmp_path / "lying.npz"
    head = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (10**15,)}
    np.lib.format.write_array_header_1_0(head, shape)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", head.getvalue())
    with pytest.raises(gc.InputError, match="not a trajectory"):
        gc.load_trajectory(path)


@pytest.mark.parametrize("what", [None, 3, b"run.npz"])
def test_what_is_no_path_is_refused(what):
    with pytest.raises(TypeError, match="the path of a file"):
        gc.load_trajectory(what)


def test_a_pipe_is_not_waited_for(tmp_path):
    path = tmp_path / "pipe.npz"
    os.mkfifo(path)
    with pytest.raises(gc.InputError, match="no file"):
        gc.load_trajectory(path)


def test_files_that_are_no_trajectory(tmp_path):
    with pytest.raises(FileNotFoundError):
        gc.load_trajectory(tmp_path / "none.npz")
    text = tmp_path / "text.npz"
    text.write_text("no archive")
    other = tmp_path / "other.npz"
    np.savez(other, time=np.arange(3))
    cut = tmp_path / "cut.npz"
    cut.write_bytes(other.read_bytes()[:-30])
    for path in (text, other, cut):
        with pytest.raises(ValueError, match="not a trajectory"):
            gc.load_trajectory(path)
    objects = tmp_path / "objects.npz"
    np.savez(objects, header=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="not a trajectory"):
        gc.load_trajectory(objects)


def test_to_pandas(run):
    import pandas

    table = run.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == list(run.state_labels)
    assert table.index.name == "time"
    np.testing.assert_array_equal(table["Gamma3"], run["Gamma3"])


# -- figures ------------------------------------------------------------------------------------


def test_headings_are_spread_along_the_way_in_any_unit_of_length(skate):
    import matplotlib.pyplot as plt

    centres = []
    for length in (1.0, 1e-12):
        moved, change = skate.mechanism.in_units(length=length)
        start = change.state([0.5, 6.0, 1.0, 0.3, np.sqrt(1 - 0.3**2)])
        ax = gc.viz.path(gc.simulate(moved.reduce(), np.linspace(0, 2, 101), start))
        centres.append([line.get_xydata().mean(axis=0) / length for line in ax.lines[1:]])
        plt.close(ax.figure)
    assert np.array(centres[1]) == pytest.approx(np.array(centres[0]), abs=1e-12)


def test_figures(run, skate):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    axes = gc.viz.states(run, title="run")
    assert len(axes) == 5
    together = plt.figure().subplots()
    assert list(gc.viz.states(run, ["v1", "Gamma3"], ax=together)) == [together]
    assert len(together.lines) >= 2
    with pytest.raises(KeyError):
        gc.viz.states(run, "v9")
    with pytest.raises(ValueError, match="one for each"):
        gc.viz.states(run, ax=plt.figure().subplots(1, 2))
    drift = gc.viz.drift(run)
    assert drift.get_yscale() == "log"
    assert len(drift.get_legend().get_texts()) == len(run.drift)
    assert gc.viz.path(run).get_aspect() == 1.0
    eq = skate.equilibrium("spinning", Omega0=2.0)
    assert gc.viz.eigenvalues(skate.jacobian(0, eq.x)).get_legend() is not None
    for axis in (axes[0], drift):
        axis.figure.canvas.draw()
    plt.close("all")
