"""Machines of the catalogue that jump: their modes, their numbers, their places in space, their scenes."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import geoctrl as gc
from tests.jumps.jumping_mechanisms import BLOCK, STARTS, block, machine, run_of
from tests.systems import comparisons

NAMES = gc.models.names("jumping")


@pytest.mark.parametrize("name", NAMES)
def test_modes_move_as_the_multiplier_form_does(name):
    for system in machine(name).modes.values():
        assert comparisons.jacobians(system) < 1e-11
        if not system.mechanism.controller:  # a state of the drive is no part of the multiplier form
            assert comparisons.multiplier_form(system) < 1e-11
            assert comparisons.power_balance(system) < 1e-11


def test_their_own_impacts_make_their_jumps():
    """No reset is given but those of a drive, and no restitution but the wall's."""
    given = [jump.name for name in NAMES for jump in machine(name).jumps if isinstance(jump, gc.Jump)]
    assert given == ["lowest", "top"]
    for name in NAMES:
        for jump in machine(name).jumps:
            assert isinstance(jump, gc.Jump) or set(map(str, jump.restitution)) <= {"0", "e"}


@pytest.mark.long(reason="the study of walking asks for these numbers, and for those of the others")
def test_a_hop_goes_as_deep_as_energy_says():
    h = machine("hopper")
    p = h.params
    r = p["m"] / (p["m"] + p["mf"])
    orbit = gc.find_periodic(h, h.modes["stance"].state(z_dot=-1.4, z=p["l"], k=p["k1"]), 0.42)
    assert orbit.jumps == ("lowest", "lift off", "top", "landing")
    depth = 2 * p["m"] * p["g"] * (1 - r**2) / (p["k1"] - r**2 * p["k2"])
    assert np.isclose(p["l"] - orbit.states[1][1], depth, rtol=1e-12)
    assert np.isclose(orbit.states[2][0] / r, 1.71639245547878, rtol=1e-12)
    assert np.isclose(orbit.others[0], 0.890434782608696, rtol=0, atol=1e-11)
    fast = orbit.states[2][0] / r
    assert np.allclose(orbit.lost[[1, 3]], [p["m"] * (1 - r) * fast**2 / 2, p["mf"] * (r * fast) ** 2 / 2])


def test_a_block_of_two_corners_rocks_as_its_mirror_image_with_one():
    run = run_of("rocking-block")
    values = {"parameters": [], "name": "mirrored"}
    mirrored = gc.simulate(block().replace(**values).hybrid(), run.time, STARTS["rocking-block"])
    assert [float(BLOCK[k]) for k in "bhm"] == [machine("rocking-block").params[k] for k in "bhm"]
    assert np.allclose(np.abs(run["theta"]), mirrored["th"], rtol=0, atol=1e-11)
    assert np.allclose([j.lost for j in run.jumps], [j.lost for j in mirrored.jumps], rtol=1e-10)
    # The middle of the base goes about the corner that is held.
    b, theta = run.params["b"], run["theta"]
    start = b * np.array([[np.cos(theta[0])], [-np.sin(theta[0])]])
    side = np.where(run.mode == "right", 1, -1)
    way = start - b * side * np.array([np.cos(theta), -np.sin(theta)])
    way[0] -= np.where(run.mode == "right", 0, 2 * b)
    assert np.allclose(run.position().T, way, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", ["compass-walker", "rimless-wheel"])
def test_feet_go_down_the_slope(name):
    """Each stance foot stands where the foot struck: down the slope, by the legs' lengths."""
    run, step = run_of(name), machine(name).jumps[0].step
    slope, gone = run.params["slope"], np.zeros(2)
    places = run.position()
    for jump, piece in zip(run.jumps, run.pieces, strict=False):
        inside = (run.time > piece.time[0]) & (run.time <= piece.time[-1])
        assert np.allclose(places[inside], gone, rtol=0, atol=1e-13)
        values = run.params | dict(zip(piece.state_labels, jump.before, strict=True))
        long = {s: values[str(s)] for s in step.free_symbols}
        moved = np.array(step.subs(long).tolist(), dtype=float).ravel()
        assert np.isclose(np.arctan2(-moved[1], moved[0]), slope, rtol=0, atol=1e-12)
        gone = gone + moved
    assert len(run.jumps) > 1
    assert np.allclose(run.resample(run.time[::7]).position(), places[::7], rtol=0, atol=1e-12)


def test_legs_that_swap_stand_where_the_feet_are():
    run = run_of("compass-walker")
    made = gc.viz.scene(run)
    data = made.data()
    again = run.resample(np.clip(data["step"] * np.arange(data["count"]), 0, run.time[-1]))
    foot, length = np.pad(again.position(), ((0, 0), (0, 1))), 1.0
    for name, angle in (("stance leg", "st"), ("swing leg", "sw")):
        places, turns = made.poses(name)
        out = Rotation.from_quat(turns).apply([0, length, 0])
        assert np.allclose(out[:, 0], np.sin(again[angle]), rtol=0, atol=1e-6)
        hip = foot + np.stack([np.sin(again["st"]), np.cos(again["st"]), 0 * again["st"]], axis=1)
        assert np.allclose(places, foot if name == "stance leg" else hip, rtol=0, atol=1e-6)
    # Legs swap: hip and feet go on without a leap.
    hips = made.poses("hip")[0]
    assert np.abs(np.diff(hips, axis=0)).max() < 0.02
    assert made.data()["follow"] is not None or hips[-1, 0] > 0.8


def spinning_ball(**more):
    """A ball that turns and slides along while it bounces."""
    z = gc.Coordinate("z")
    bounce = gc.Impact("bounce", when=z.symbol, rows=[[0, 0, 1]], restitution=0.7, **more)
    return gc.EulerPoincare(
        algebra=gc.product(gc.so2(), gc.rn(1)),
        shape=[z],
        inertia=[[2, 0, 0], [0, 1, 0], [0, 0, 1]],
        potential=9.81 * z.symbol,
        jumps=[bounce],
    ).hybrid()


def test_turns_and_ways_go_on_through_impacts():
    h = spinning_ball()
    run = gc.simulate(h, np.linspace(0, 2, 9), [3.0, 0.5, 0, 1])
    assert len(run.jumps) > 2
    angle = Rotation.from_matrix(run.attitude()).as_rotvec()[:, 2]
    assert np.allclose(np.exp(1j * angle), np.exp(3j * run.time), rtol=0, atol=1e-12)
    assert np.allclose(run.position(of=2)[:, 0], 0.5 * run.time, rtol=0, atol=1e-12)
    assert np.allclose(run.position(of=2, x0=[2.0])[:, 0], 2 + 0.5 * run.time, rtol=0, atol=1e-12)
    with pytest.raises(gc.InputError, match="no translations"):
        run.position()


def test_a_step_that_is_none_is_refused():
    mechanism = gc.models.get("rimless-wheel")()
    (strike,) = mechanism.jumps

    def with_step(step):
        return mechanism.replace(jumps=[replace(strike, step=step)]).hybrid()

    with pytest.raises(gc.ConstraintError, match="does not lead to the point of the group's velocity"):
        with_step([2 * strike.step[0], strike.step[1]])
    with pytest.raises(gc.InputError, match="has 1 entries: it is for groups"):
        with_step([strike.step[0]])
    with pytest.raises(gc.InputError, match="holds theta_dot"):
        with_step([mechanism.shape[0].rate, 0])
    with pytest.raises(gc.InputError, match="step of 'spoke'"):
        with_step("ahead")
    run = gc.simulate(with_step(None), 1.0, STARTS["rimless-wheel"])
    with pytest.raises(gc.InputError, match="give it step="):
        run.position()
