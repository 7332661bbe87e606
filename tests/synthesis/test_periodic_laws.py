"""LQR along a motion that repeats: numbers computed by another program, runs, and files that are checked.

The pendulum of inertia one is led on 4/5 sin(pi t) about the upright over 20 holds. Its open multipliers and
those of the loop were computed apart, by variations with the input as a state of rate zero.
"""

import copy
import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

N, T, AMPLITUDE, RATE = 20, 2.0, 0.8, np.pi


@cache
def pendulum(scale=1):
    q, u = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True)
    g = sp.Rational(981, 100)
    forces = [scale * (g * sp.sin(q.symbol) - q.rate / 10) + u]
    return gc.EulerPoincare(
        shape=[q], inertia=[[scale]], forces=forces, inputs=[u], name="pendulum, upright at 0"
    ).reduce()


def motion(count=N, scale=1, wanted=True):
    """Times, states, and the inputs that the middles of the holds ask for."""
    t = np.linspace(0, T, count + 1)
    at = (t[1:] + t[:-1]) / 2
    angle, rate = AMPLITUDE * np.sin(RATE * at), AMPLITUDE * RATE * np.cos(RATE * at)
    inputs = scale * (-(RATE**2) * angle - 9.81 * np.sin(angle) + 0.1 * rate)
    states = AMPLITUDE * np.array([RATE * np.cos(RATE * t), np.sin(RATE * t)])
    return t, states, inputs[None] if wanted else None


@cache
def law():
    return gc.lqr(pendulum(), motion(), holds=N)


@cache
def shorter():
    """The same in four holds, which are proved in a fifth of the time."""
    return gc.lqr(pendulum(), motion(4), holds=4)


@cache
def enclosed():
    return shorter().enclose(bits=64)


def test_multipliers_are_those_of_another_program():
    assert np.allclose(np.sort(law().multipliers.real), [0.0011085158, 0.0073517088], rtol=0, atol=1e-9)
    still = law().with_gains(0 * law().gains)
    assert np.allclose(np.sort(still.multipliers.real), [0.00284325, 287.9555], rtol=1e-5)
    assert law().gains.shape == (N, 1, 2)
    assert law().neutral == ()
    assert law().rate == N / T
    assert np.abs(law().cycle - law().states).max() < 1e-12


def test_a_motion_that_rests_but_for_rounding_is_one():
    """Its extent is no size to compare with."""
    held = np.array([[0.0] * 3, [0.5, 0.5 + 1e-15, 0.5]])
    found = gc.lqr(pendulum(), (np.linspace(0, 1, 3), held, [[-9.81 * np.sin(0.5)] * 2]), holds=2)
    assert np.allclose(found.states, [0, 0.5], rtol=0, atol=1e-12)


def test_units_of_the_input_change_nothing():
    other = gc.lqr(pendulum(1000), motion(scale=1000), holds=N, R=1e-6)
    assert np.allclose(other.multipliers, law().multipliers, rtol=1e-8)
    assert np.allclose(other.gains, 1000 * law().gains, rtol=1e-8)


def test_inputs_that_are_not_given_are_those_that_the_states_ask_for():
    found = gc.lqr(pendulum(), motion(wanted=False), holds=N)
    assert np.abs(found.inputs - law().inputs).max() < 0.1
    assert np.allclose(found.multipliers, law().multipliers, atol=5e-5)


def test_runs_are_led_back_into_step():
    """The deviation after a period is what the multipliers make of it, to first order."""
    times, start = np.linspace(0, T, 2), law().states[0]
    off = 1e-5 * np.array([1.0, 0.5])
    run = gc.simulate(pendulum(), times, start + off, controller=law().sampled())
    away = run.states[:, -1] - start
    step = 1e-6 * np.eye(2)
    ends = [
        gc.simulate(pendulum(), times, start + s, controller=law().sampled()).states[:, -1] - start
        for s in step
    ]
    M = np.array(ends).T / 1e-6
    assert np.allclose(away, M @ off, atol=1e-9)
    assert np.allclose(np.sort(np.linalg.eigvals(M).real), np.sort(law().multipliers.real), atol=1e-5)
    lasting = gc.simulate(pendulum(), np.linspace(0, 3 * T, 4), start + off * 1e4, controller=law().sampled())
    assert np.abs(lasting.states[:, -1] - start).max() < 1e-5


@pytest.mark.long(reason="twenty holds: 3 s")
def test_the_multipliers_of_the_loop_are_enclosed():
    found = law().enclose()
    assert found.verdict == gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    middles = sorted(float(z.real.mid()) for z in found.multipliers)
    assert middles == pytest.approx([0.0011085158, 0.0073517088], abs=1e-9)
    wrong = law().with_gains(-law().gains)
    assert np.abs(wrong.multipliers).max() > 1e5
    assert wrong.enclose().verdict == gc.Verdict.PROVED_UNSTABLE


def test_the_motion_of_the_loop_is_proved(tmp_path):
    found = enclosed()
    assert found.verdict == gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert all(abs(float(a.mid()) - b) < 1e-9 for a, b in zip(found.x, shorter().cycle[0], strict=True))
    middles = [complex(z.mid()) for z in found.multipliers]
    assert np.allclose(np.sort_complex(middles), np.sort_complex(shorter().multipliers), atol=1e-9)
    path = tmp_path / "loop.json"
    found.to_json(path)
    report = gc.verify(path)
    assert report.verdict == found.verdict
    assert report.claim == found.claim
    assert "in step with the clock it is asymptotically stable" in report.claim
    # A copy that is yet to run its loop.
    copied = pickle.loads(pickle.dumps(shorter().with_gains(shorter().gains)))
    assert np.array_equal(copied.gains, shorter().gains)
    assert np.allclose(copied.multipliers, shorter().multipliers, rtol=1e-12)


@pytest.mark.parametrize(
    "path", [("hold",), ("start", 0), ("holds", 3, "states", 0), ("holds", 2, "inputs", 0)], ids=str
)
def test_a_changed_file_is_refused(path):
    data = copy.deepcopy(enclosed().to_dict())
    place = data["theorem"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = str(sp.Rational(place[path[-1]]) * sp.Rational(1001, 1000))
    data["digest"] = gc.checker.digest_of(data)
    with pytest.raises(gc.checker.Refusal):
        gc.checker.check(data)


@pytest.mark.long(reason="of files by hand it is asked beside the checker: 1 s")
def test_a_flipped_gain_is_proved_unstable():
    assert shorter().with_gains(-shorter().gains).enclose(bits=96).verdict == gc.Verdict.PROVED_UNSTABLE


@cache
def gyrostat():
    wheel = gc.Rotors(coupling=[0, sp.Rational(1, 5), 0], inertia=sp.Rational(1, 5), names=["w"])
    body = gc.EulerPoincare(
        algebra=gc.so3(), inertia=sp.diag(1, 2, 3), rotors=wheel, name="gyrostat"
    ).reduce()
    return body, gc.find_periodic(body, [0.3, 0.1, 1.0, 0.0], 8.0)


def test_what_no_input_changes_is_left_out_by_its_name():
    """A wheel inside cannot change the size of the momentum: its multiplier is one, and the rest is led."""
    body, orbit = gyrostat()
    found = gc.lqr(body, orbit, holds=6)
    assert found.neutral == ("Pi1**2 + Pi2**2 + Pi3**2",)
    assert found.multipliers[0] == 1
    assert np.abs(found.multipliers[1:]).max() < 0.4


@pytest.mark.long(reason="six holds of four states with a level: 2 s")
def test_with_a_level_nearby_motions_are_led_to_their_own():
    body, orbit = gyrostat()
    proof = gc.lqr(body, orbit, holds=6).enclose(bits=96)
    assert proof.verdict == gc.Verdict.PROVED_STABLE
    assert "those on another level to one beside it" in proof.claim


@pytest.mark.long(reason="a leaf of five dimensions, three inputs: 2 s")
def test_on_a_leaf_the_law_is_one_of_its_tangents():
    M = sp.symbols("M1:4", real=True)
    top = gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[gc.AdvectedVector("Gamma", reference=(0, 0, 1))],
        inertia=sp.diag(1, 2, 3),
        potential=sp.Symbol("Gamma3", real=True),
        forces=list(M),
        inputs=list(M),
    ).reduce()
    t = np.linspace(0, 2, 9)
    angle = 0.3 * np.sin(np.pi * t)
    states = np.zeros((6, 9))
    states[0], states[4], states[5] = 0.3 * np.pi * np.cos(np.pi * t), np.sin(angle), np.cos(angle)
    found = gc.lqr(top, (t, states, None), holds=8)
    assert len(found.multipliers) == 5
    assert np.abs(np.einsum("kmn,kn->km", found.gains[:, :, 3:], found.states[:, 3:])).max() < 1e-9
    assert found.enclose(bits=96).verdict == gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def test_what_is_proved_is_pickled_and_proved_again():
    found = pickle.loads(pickle.dumps(enclosed()))
    assert found.claim == enclosed().claim
    assert found.x[0].overlaps(enclosed().x[0])
    assert found.x[0].rad() == enclosed().x[0].rad()
    assert "proved asymptotically stable" in found._repr_html_()
    assert "PeriodicLaw for pendulum" in shorter()._repr_html_()
    spoilt = enclosed().to_dict()
    spoilt["theorem"]["hold"] = "1/3"
    with pytest.raises(gc.checker.Refusal):
        type(found).__reduce__(found)[0](spoilt)


def test_the_picture_shows_the_numbers_of_the_law():
    figure = shorter().plot()
    motion, circle, inputs, gains = figure.ravel()
    assert np.allclose(inputs.patches[0].get_data().values, shorter().commands[:, 0])
    extent = np.ptp(shorter().cycle, axis=0)
    drawn = [patch.get_data().values for patch in gains.patches]
    assert np.allclose(drawn, (shorter().gains[:, 0] * extent).T)
    dots = next(line for line in motion.lines if line.get_marker() == "o").get_ydata()
    assert np.allclose(dots, np.resize(shorter().cycle[:, 0], 13))
    shown = np.vstack([c.get_offsets() for c in circle.collections])
    assert np.allclose(np.sort(shown[:, 0]), np.sort(shorter().multipliers.real))
    runs = [line for line in motion.lines if line.get_marker() != "o" and len(line.get_xdata()) > 100]
    assert len(runs) == 4
    assert max(abs(run.get_ydata()[0] - dots[0]) for run in runs) > 0.1
    assert max(abs(run.get_ydata()[-1] - dots[0]) for run in runs) < 1e-3
    grown = gc.viz.period(shorter().with_gains(-shorter().gains), "q")[0, 1]
    assert any(label.startswith("outside") for label in grown.get_legend_handles_labels()[1])
    with pytest.raises(gc.LabelError):
        gc.viz.period(shorter(), "p")
    with pytest.raises(TypeError, match="holds"):
        gc.viz.period(pendulum())


def test_it_goes_to_python_control_as_a_system_of_samples():
    control = pytest.importorskip("control")
    given = shorter().to_control()
    assert given.dt == shorter().hold
    measured = shorter().states.T[:, [0, 1, 2, 3, 0]] + 0.1
    answer = control.input_output_response(given, shorter().hold * np.arange(5), measured)
    wanted = [shorter().inputs[k % 4] - shorter().gains[k % 4] @ [0.1, 0.1] for k in range(5)]
    assert np.allclose(answer.outputs.ravel(), np.ravel(wanted))


def test_many_runs_are_sent_to_those_who_take_laws():
    start, times = shorter().states[0], np.linspace(0, T, 5)
    with pytest.raises(TypeError, match="a law goes by controller= of simulate"):
        gc.simulate_ensemble(pendulum(), times, np.array([start, start]), inputs=shorter())

    def end(off):
        return gc.simulate(
            pendulum(), times, start + np.array([0, off]), controller=shorter().sampled()
        ).states[1, -1]

    ends = gc.sweep(end, {"off": [-0.01, 0.0, 0.01]})["value"]
    assert np.ptp(ends) < 1e-3
    longer, near = np.linspace(0, 3 * T, 61), {"q": (-1.5, 1.5)}
    report = gc.robustness(pendulum(), shorter(), start, longer, ["limit"], stays=near)
    assert abs(report["limit"].tolerated - abs(shorter().inputs[0, 0])) < 1e-3  # which it begins with


def test_what_a_law_along_a_motion_tolerates_is_asked_beside_the_motion():
    """A delay makes the swing a little larger, which is no fall; the run has to keep in step with it."""
    whole = np.linspace(0, 3 * T, 61)
    report = gc.robustness(pendulum(), law(), law().states[0], whole, ["delay"])
    assert report["delay"].tolerated > 0.01


def changed(**parts):
    given = dict(zip(("times", "states", "inputs"), motion(), strict=True)) | parts
    return lambda: gc.lqr(pendulum(), tuple(given.values()), holds=N)


def unreached():
    """A second pendulum, upright, that no input moves."""
    p, q = gc.Coordinate("p"), gc.Coordinate("q")
    u = sp.Symbol("u", real=True)
    plant = gc.EulerPoincare(
        shape=[p, q], inertia=sp.eye(2), forces=[p.symbol, u - q.symbol], inputs=[u]
    ).reduce()
    t = np.linspace(0, 2 * np.pi, 5)
    states = np.zeros((4, 5))
    states[1], states[3] = np.cos(t), np.sin(t)
    return gc.lqr(plant, (t, states, np.zeros((1, 4))), holds=4)


BAD = {
    "times that the holds do not divide": (
        lambda: gc.lqr(pendulum(), motion(), holds=7),
        gc.InputError,
        "does not divide the times",
    ),
    "no holds": (lambda: gc.lqr(pendulum(), motion(), holds=0), gc.InputError, "holds"),
    "a rate besides": (lambda: gc.lqr(pendulum(), motion(), holds=N, rate=10), gc.InputError, "leave rate="),
    "a point": (
        lambda: gc.lqr(pendulum(), pendulum().state(), holds=N),
        gc.InputError,
        "a motion that repeats",
    ),
    "times backwards": (changed(times=motion()[0][::-1]), gc.InputError, "must increase"),
    "uneven times": (changed(times=motion()[0] ** 2), gc.InputError, "evenly"),
    "a motion that does not close": (
        changed(states=motion()[1] + np.linspace(0, 1, N + 1)),
        gc.InputError,
        "does not close",
    ),
    "inputs of another shape": (changed(inputs=np.zeros(N)), gc.InputError, "one column for each hold"),
    "no motion": (changed(inputs=np.zeros((1, N))), gc.EquilibriumError, r"of hold \d+"),
    "an orbit of another system": (
        lambda: gc.lqr(pendulum(), gyrostat()[1], holds=4),
        gc.InputError,
        "take the orbit of the system",
    ),
    "what no input reaches": (unreached, gc.EquilibriumError, r"no input moves .* 535\.49"),
    "gains of another size": (lambda: law().with_gains(np.zeros((N, 2))), gc.InputError, "gains"),
    "another rate": (lambda: law().sampled(rate=100), gc.InputError, "designed for rate=10"),
    "its loop in continuous time": (lambda: law().closed_loop(), gc.InputError, "one of samples"),
    "no description": (lambda: gc.PeriodicLaw(pendulum(), law().gains), TypeError, "gc.lqr"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told(name):
    call, kind, words = BAD[name]
    with pytest.raises(kind, match=words):
        call()
