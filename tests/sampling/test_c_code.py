"""Sampled controllers in C: compiled with warnings as errors, they do what their runs did."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
WARNINGS = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC"]


def skate():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    lean = {"Gamma": (0, np.sin(0.1), np.cos(0.1))}
    start = plant.project([0.1, 0.1 * np.tan(0.1), 0.1, 1, 0, 0], lean)
    return mechanism, plant, gc.match(mechanism).law(sigma=-5e-6), start


def plain():
    _, plant, law, start = skate()
    return plant, law.with_damping(k=8).sampled(rate=100), start


def regulated():
    _, plant, law, start = skate()
    controller = law.with_damping(k=8, kappa=0.5).sampled(
        rate=50, delay=0.004, limits={"u_theta": (-7, 3)}, rate_limits={"u_theta": 90}
    )
    return plant, controller, start


def estimated():
    mechanism, plant, law, start = skate()
    fed = gc.ComplementaryFilter(mechanism, gain=1.0, bias_gain=0.3).feed(law.with_damping(k=8))
    return plant, fed.sampled(rate=100, limits={"u_theta": 4}), start


def two_inputs():
    plant = gc.models.get("spherical-pendulum-on-puck")().reduce()
    upright = plant.equilibrium("upright")
    start = upright.x.copy()
    start[:2] += 0.4, -0.9
    law = gc.lqr(plant, upright, rate=50)
    return plant, law.sampled(rate=50, limits=dict.fromkeys(plant.input_labels, 0.5)), start


def switched():
    """A rod from the other side of a whole turn, brought near by one law and caught by another."""
    q, u = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True)
    plant = gc.EulerPoincare(
        shape=[q], inertia=[[1]], potential=sp.cos(q.symbol), forces=[u], inputs=["u"]
    ).reduce()
    up = plant.state()
    soft = gc.linear_law(plant, np.array([0.0, 2 * np.pi]), {"u": {"q": 1.5, "q_dot": 1.0}})
    firm = gc.linear_law(plant, up, {"u": {"q": 4.0, "q_dot": 3.0}})
    region = gc.region_of_attraction(firm.closed_loop(), firm.equilibrium, by="slopes", limits={"u": 1.0})
    start = np.array([0.0, 2 * np.pi - 1.0])
    return plant, gc.switching(soft, firm, region, margin=0.1).sampled(rate=100), start


CASES = {f.__name__: f for f in (plain, regulated, estimated, two_inputs, switched)}


@pytest.fixture(scope="module", params=CASES, ids=list(CASES))
def case(request, tmp_path_factory):
    """A run, and the same controller compiled."""
    plant, controller, start = CASES[request.param]()
    run = gc.simulate(plant, np.linspace(0, 3, 31), start, controller=controller)
    folder = tmp_path_factory.mktemp("c")
    header, source = controller.to_c(folder, name=request.param)
    library = folder / "controller.so"
    subprocess.run(["gcc", *WARNINGS, "-o", library, source, "-lm"], check=True)
    return run, controller, ctypes.CDLL(str(library)), header.read_text()


def stepped(controller, library, name, measured):
    """Inputs, faults and states of the C code at rows of signals."""
    step, own, m = library[f"{name}_step"], len(controller.feedback.own), len(controller.feedback.inputs)
    state = (ctypes.c_double * (max(own, 1) + m))()
    library[f"{name}_init"](state)
    rows = []
    for y in measured:
        u = (ctypes.c_double * m)()
        before = list(state)[:own]
        fault = step(state, (ctypes.c_double * max(len(y), 1))(*y), u)
        rows.append((list(u), fault, before))
    return rows


def order_of(header):
    """Labels of the signals by the comment of the header."""
    lines = [line.lstrip(" /*").split("  ") for line in header.splitlines() if "y[" in line and "  " in line]
    return [label.removesuffix(" */") for place, label in lines if place.startswith("y[")]


@needs_gcc
def test_it_sets_what_the_run_applied(case, request):
    run, controller, library, header = case
    samples, name = run.samples, request.node.callspec.params["case"]
    order = [samples.signals.index(label) for label in order_of(header)]
    assert sorted(order) == list(range(len(samples.signals)))
    rows = stepped(controller, library, name, samples.measured[order].T)
    assert not any(fault for _, fault, _ in rows)
    np.testing.assert_allclose([u for u, *_ in rows], samples.applied.T, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose([z for *_, z in rows], samples.states.T, rtol=1e-14, atol=1e-15)
    assert np.ptp(samples.applied) > 0.5
    if controller.limits:
        assert samples.limited.any()
    if controller.rate_limits:
        assert samples.rate_limited.any()
    if name == "switched":  # at first the one law, then the other, which is kept
        caught = samples.states[0]
        assert (caught[0], caught[-1]) == (0.0, 1.0)
        assert np.all(np.diff(caught) >= 0)


@needs_gcc
def test_a_signal_that_is_none_is_a_fault_and_leaves_the_state(case, request):
    run, controller, library, header = case
    name = request.node.callspec.params["case"]
    order = [run.samples.signals.index(label) for label in order_of(header)]
    good = run.samples.measured[order].T[:3]
    bad = good[1].copy()
    bad[-1] = np.nan
    rows = stepped(controller, library, name, [good[0], bad, good[1], good[2]])
    assert [fault for _, fault, _ in rows] == [0, 1, 0, 0]
    assert rows[1][0] == [0.0] * len(rows[1][0])
    assert rows[2][2] == rows[1][2]
    np.testing.assert_allclose(rows[3][0], run.samples.applied.T[2], rtol=1e-14)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"folder": __file__}, gc.InputError, "cannot be made a folder"),
        ({"folder": 3}, TypeError, "path"),
        ({"folder": ".", "name": "double"}, gc.InputError, "identifier of C"),
    ],
)
def test_what_cannot_be_written(options, error, words):
    _, controller, _ = plain()
    with pytest.raises(error, match=words):
        controller.to_c(**options)
