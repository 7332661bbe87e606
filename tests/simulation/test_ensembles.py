"""Many runs at once: numbers of a member are its own, and those that fail are told in words."""

import hashlib
import pickle
from concurrent.futures import Future, ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.runs import part_runner
from geoctrl.simulation import heyoka_engine
from geoctrl.simulation.batches import batch, ensemble_parts, together
from geoctrl.simulation.ensembles import ensemble_run, ensemble_runner
from geoctrl.simulation.members.reductions import no_members

HEYOKA = heyoka_engine.available()
needs_heyoka = pytest.mark.skipif(not HEYOKA, reason="batches are heyoka's")
TIGHT = 1e-12 if HEYOKA else 1e-11


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


@pytest.fixture(scope="module")
def top():
    return gc.models.get("heavy-top")(set="lagrange").reduce()


TIMES = np.linspace(0, 2, 9)


def tops(count, seed=3):
    """Starts and parameters of tops that turn at several rates."""
    rng = np.random.default_rng(seed)
    tilt = rng.uniform(-0.5, 0.5, count)
    rates = rng.uniform([-0.5, -0.5, 1], [0.5, 0.5, 9], (count, 3))
    states = np.column_stack([rates, np.zeros(count), np.sin(tilt), np.cos(tilt)])
    return states, {"m": rng.uniform(1.0, 2.0, count), "l": rng.uniform(0.4, 0.8, count)}


def falling(count):
    """Starts of skates without a controller, which fall sooner or later."""
    tilt = np.linspace(0.05, 0.3, count)
    return np.column_stack([np.full(count, 0.1), np.zeros(count), np.ones(count), np.sin(tilt), np.cos(tilt)])


def sha(ens):
    """Of all that was computed."""
    arrays = [ens.states, ens.end, ens.last, ens.success]
    for found in ens.events.values():
        arrays += [found.member, found.time, found.states]
    digest = hashlib.sha256("".join(ens.status).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def rows_of(ens, i):
    return ens.states[i].tobytes() + ens.last[i].tobytes() + ens.end[i].tobytes() + ens.status[i].encode()


# -- numbers -------------------------------------------------------------------------------------------


def test_members_are_runs(top):
    X, P = tops(11)
    ens = gc.simulate_ensemble(top, TIMES, X, params=P)
    assert ens.states.shape == (11, 6, 9)
    assert len(ens) == 11
    assert ens.success.all()
    assert ens.failed.size == 0
    for i in (0, 7, 10):
        run = gc.simulate(top, TIMES, X[i], params={k: v[i] for k, v in P.items()})
        assert np.abs(ens.states[i] - run.states).max() < TIGHT
        assert ens[i].params == run.params
        assert ens[i].drift.keys() == ens.drift.keys()
        assert {k: v[i] for k, v in ens.drift.items()} == pytest.approx(ens[i].drift, rel=1e-6, abs=1e-15)
    assert np.array_equal(ens["Gamma3"], ens.states[:, 5])
    assert np.array_equal(ens[-1].states, ens.states[10])


def test_bits_are_a_members_own(top):
    """Order, neighbours, parts and members that fail change no bit of the others."""
    X, P = tops(21)
    ens = gc.simulate_ensemble(top, TIMES, X, params=P)
    order = np.random.default_rng(1).permutation(21)
    mixed = gc.simulate_ensemble(top, TIMES, X[order], params={k: v[order] for k, v in P.items()})
    assert np.array_equal(mixed.states, ens.states[order])
    alone = gc.simulate_ensemble(top, TIMES, X[4], params={k: v[4] for k, v in P.items()})
    assert np.array_equal(alone.states[0], ens.states[4])
    for a, b in ((0, 5), (5, 6), (6, 21)):
        cut = gc.simulate_ensemble(top, TIMES, X[a:b], params={k: v[a:b] for k, v in P.items()})
        assert np.array_equal(cut.states, ens.states[a:b])
    bad = X.copy()
    bad[3, 0], bad[9] = np.nan, [0, 1, 0, 0, 1, 1]
    beside = gc.simulate_ensemble(top, TIMES, bad, params=P)
    good = np.delete(np.arange(21), [3, 9])
    assert np.array_equal(beside.states[good], ens.states[good])
    assert np.array_equal(beside.failed, [3, 9])


@needs_heyoka
def test_a_lane_that_pauses_runs_on(top, monkeypatch):
    """After a count of steps of its own a lane goes on; those that are done go along."""
    X, P = tops(5)
    ens = gc.simulate_ensemble(top, TIMES, X, params=P)
    monkeypatch.setattr(batch, "_CHUNK", 7)
    paused = gc.simulate_ensemble(top, TIMES, X, params=P)
    assert np.abs(paused.states - ens.states).max() < 1e-12
    alone = gc.simulate_ensemble(top, TIMES, X[2], params={k: v[2] for k, v in P.items()})
    assert np.array_equal(alone.states[0], paused.states[2])


@needs_heyoka
def test_lanes_that_go_along_are_set_back(cart, monkeypatch):
    """Where inputs have kinks, all lanes wait for each other, and go on from where they were."""
    starts, times = np.zeros((3, cart.nstates)), np.linspace(0, 2, 4)
    starts[:, 1:3] = [[0.1, 0], [9.0, 1], [0.3, 2]]
    given = {"inputs": (times, times[None] ** 2), "events": {"up": cart.states[2] - 1.5}}
    ens = gc.simulate_ensemble(cart, TIMES, starts, **given)
    monkeypatch.setattr(batch, "_CHUNK", 3)
    paused = gc.simulate_ensemble(cart, TIMES, starts, **given)
    assert np.abs(paused.states - ens.states).max() < 1e-11
    assert np.array_equal(paused.events["up"].member, ens.events["up"].member)
    assert paused.events["up"].time == pytest.approx(ens.events["up"].time, abs=1e-12)


def test_falling_members_end_at_the_edge(skate):
    X = falling(19)
    ens = gc.simulate_ensemble(skate, TIMES, X)
    assert not ens.success.any()
    assert set(ens.status) == {
        "left the domain 'above the ice', Gamma3 > 0: the model does not hold beyond; domain=False goes on"
    }
    assert (np.diff(ens.end) < 0).all()
    for i in (0, 18):
        run = gc.simulate(skate, TIMES, X[i], throw=False)
        assert ens.end[i] == pytest.approx(run.time[-1], abs=1e-9)
        assert np.abs(ens[i].states - run.states).max() < 1e-9
        assert np.isnan(ens.states[i][:, ens.end[i] < TIMES]).all()
        assert np.isfinite(ens.states[i][:, ens.end[i] >= TIMES]).all()
    if HEYOKA:
        turned = gc.simulate_ensemble(skate, TIMES, X[::-1])
        assert np.array_equal(turned.end[::-1], ens.end)
        assert np.array_equal(turned.last[::-1], ens.last)
    on = gc.simulate_ensemble(skate, [0, 0.3], X, domain=False)
    assert on.success.all()


def test_events_are_those_of_runs(skate):
    X = falling(10)
    events = {
        "half": gc.Event(skate.states[4] - 0.5, direction=-1),
        "fast": skate.states[0] - 1,
        "low": gc.Event(skate.states[4] - 0.2, terminal=True),
    }
    ens = gc.simulate_ensemble(skate, TIMES, X, events=events)
    assert ens.success.all()
    assert set(ens.status) <= {"stopped by the event 'low'", "completed"}
    for i in range(10):
        run = gc.simulate(skate, TIMES, X[i], events=events)
        for name in events:
            mine, theirs = ens[i].events[name], run.events[name]
            assert mine.time == pytest.approx(theirs.time, abs=1e-9)
            assert mine.states == pytest.approx(theirs.states, abs=1e-8)
    assert (np.diff(ens.events["half"].member) >= 0).all()
    with pytest.raises(gc.LabelError, match="half"):
        ens.events["halt"]


def test_bad_members_are_told_in_words(skate, monkeypatch):
    """One bad member is one run alone."""
    calls = []
    true = ensemble_parts.simulate
    monkeypatch.setattr(ensemble_parts, "simulate", lambda *a, **k: calls.append(a) or true(*a, **k))
    X = falling(12)
    masses = np.full(12, 2.0)
    X[2, 0] = np.inf
    X[5] = [0, 0, 1, 0, 0.5]
    X[7] = [0, 0, 1, 0, -1]
    masses[9] = -1.0
    ens = gc.simulate_ensemble(skate, TIMES, X, params={"m": masses})
    told = {2: "finite", 5: "violates", 7: "outside the domain", 9: "'m' must be positive"}
    for i, word in told.items():
        assert ens.status[i].startswith("refused: ")
        assert word in ens.status[i]
        assert np.isnan(ens.end[i])
        with pytest.raises(gc.GeoctrlError, match=f"member {i} has no run"):
            ens[i]
    assert len(calls) == 4
    others = np.delete(np.arange(12), list(told))
    assert np.isfinite(ens.end[others]).all()


def test_small_members_run_in_sizes_of_their_own(top):
    """Errors are relative to the motion, as in a run alone."""
    X, P = tops(3)
    X[1] = [1e-9, 1e-8, 2e-9, 0, 0, -1]
    ens = gc.simulate_ensemble(top, TIMES, X, params=P)
    run = gc.simulate(top, TIMES, X[1], params={k: v[1] for k, v in P.items()})
    assert np.array_equal(ens.states[1], run.states)


# -- inputs --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cart():
    return gc.models.get("cart-pendulum")().reduce()


def test_inputs_of_members_and_of_all(cart):
    starts = np.zeros((3, cart.nstates))
    starts[:, 1] = [0.1, 0.2, 0.3]
    (label,) = cart.input_labels
    pushes = np.array([0.0, 0.5, -1.0])
    ens = gc.simulate_ensemble(cart, TIMES, starts, inputs={label: pushes})
    times = np.linspace(0, 2, 4)
    ramp = gc.simulate_ensemble(cart, TIMES, starts, inputs=(times, times[None] ** 2))
    wave = gc.simulate_ensemble(cart, TIMES, starts, inputs={label: gc.time**2})
    for i in range(3):
        for made, given in (
            (ens, {label: pushes[i]}),
            (ramp, (times, times[None] ** 2)),
            (wave, {label: gc.time**2}),
        ):
            run = gc.simulate(cart, TIMES, starts[i], inputs=given)
            assert np.abs(made.states[i] - run.states).max() < 10 * TIGHT
            assert np.allclose(made[i].inputs, run.inputs)
    kept = gc.simulate_ensemble(cart, TIMES, starts, inputs={label: pushes}, record=[label])
    assert np.array_equal(kept[label], np.repeat(pushes[:, None], TIMES.size, axis=1))


def test_functions_run_member_by_member(cart):
    starts = np.zeros((2, cart.nstates))
    ens = gc.simulate_ensemble(cart, [0, 0.2], starts, inputs=lambda t: [t], record=[cart.input_labels[0]])
    assert ens.engine.startswith("simulate, member by member")
    assert np.allclose(ens[cart.input_labels[0]], [[0, 0.2], [0, 0.2]])
    with pytest.raises(gc.ExpressionError if HEYOKA else gc.DependencyError, match="heyoka"):
        gc.simulate_ensemble(cart, [0, 0.2], starts, inputs=lambda t: [t], engine="heyoka")


# -- kinds ---------------------------------------------------------------------------------------------


def test_bodies_on_spheres_are_members_too():
    pendulum = gc.spheres.chain_pendulum([1.0], [1.0])
    one = pendulum.pack([[1, 0, 0]], np.zeros((1, 3)))
    ens = gc.simulate_ensemble(pendulum, [0, 0.1, 0.2], [one, one], engine="scipy")
    run = gc.simulate(pendulum, [0, 0.1, 0.2], one, engine="scipy")
    assert np.array_equal(ens.states[1], run.states)
    assert ens[0].q.shape == (3, 1, 3)
    assert ens.drift.keys() == run.drift.keys()


def test_turning_bodies_are_members_too():
    """Each member as `simulate` runs it, with what is kept of it, and over all."""
    body = gc.rotations.free_body(np.diag([1.0, 2.0, 2.5]))
    start = body.pack([np.eye(3)], [[0.1, 0.2, 1.0]])
    asked = {"last one": "Omega1_3", "mean": ("moments", "Omega1_3")}
    ens = gc.simulate_ensemble(body, [0, 0.1, 0.2], [start, start], engine="scipy", record=asked)
    run = gc.simulate(body, [0, 0.1, 0.2], start, engine="scipy")
    assert ens.engine.startswith("simulate, member by member")
    assert np.array_equal(ens["last one"], [run.states[-1]] * 2)
    assert np.array_equal(ens["mean"]["mean"], run.states[-1])


# -- what is kept --------------------------------------------------------------------------------------


def test_record(skate):
    X = falling(6)
    G3 = skate.states[4]
    whole = gc.simulate_ensemble(skate, TIMES, X)
    ens = gc.simulate_ensemble(
        skate,
        TIMES,
        X,
        record={
            "Gamma3": "Gamma3",
            "least": ("min", G3),
            "most": ("max", "Gamma2"),
            "at end": ("last", 2 * G3),
        },
    )
    assert np.array_equal(ens["Gamma3"], whole["Gamma3"], equal_nan=True)
    assert ens["least"] == pytest.approx(0, abs=1e-12)  # at the edge, where each member ends
    with np.errstate(invalid="ignore"):
        assert np.array_equal(ens["most"], np.fmax(np.nanmax(whole["Gamma2"], axis=1), whole.last[:, 3]))
    assert np.array_equal(ens["at end"], 2 * whole.last[:, 4])
    with pytest.raises(gc.GeoctrlError, match="states were not kept"):
        _ = ens.states
    with pytest.raises(gc.LabelError, match="Gamma3"):
        ens["Gamma4"]


REDUCED = {
    "low": ("count", sp.Symbol("Gamma3", real=True) < 0.9),
    "tilt": ("moments", "Gamma3"),
    "speed": ("moments", ("last", "v1")),
    "span": ("extremes", "v1"),
    "spread": ("histogram", "Gamma3", [0.2, 0.5, 0.9]),
    "ends": ("histogram", ("last", "v1"), [0, 1, 2]),
    "each": ("max", "v1"),
}
"""Of members one by one, and of all."""


def reductions(ens):
    """All that is recorded, as bytes."""
    return {
        name: {k: v.tobytes() for k, v in found.items()} if isinstance(found, dict) else found.tobytes()
        for name, found in ens.recorded.items()
    }


def test_reductions_over_members_are_those_of_the_members(tmp_path):
    skate, asked = everything(70)
    ens, whole = (gc.simulate_ensemble(skate, **asked, record=kept) for kept in (REDUCED, ["Gamma3", "v1"]))
    G3, v1 = whole["Gamma3"], whole["v1"]
    there = np.isfinite(G3)
    alive = np.flatnonzero(there.any(axis=0))
    assert 0 < alive.size < 9  # all have fallen at the end
    for j in range(9):
        column = list(map(Fraction, G3[there[:, j], j]))
        mean = sum(column) / len(column) if column else np.nan
        spread = sum((x - mean) ** 2 for x in column) / len(column) if column else np.nan
        assert np.array_equal(ens["tilt"]["mean"][j], float(mean), equal_nan=True)
        assert np.array_equal(ens["tilt"]["variance"][j], float(spread), equal_nan=True)
    assert np.array_equal(ens["tilt"]["count"], there.sum(axis=0))
    assert np.array_equal(ens["low"]["holds"], (there & (G3 < 0.9)).sum(axis=0))
    least, greatest = (extreme.reduce(v1, axis=0) for extreme in (np.fmin, np.fmax))
    assert np.array_equal(ens["span"]["least"], least, equal_nan=True)
    assert np.array_equal(ens["span"]["greatest"], greatest, equal_nan=True)
    assert np.array_equal(v1[ens["span"]["greatest member"][alive], alive], greatest[alive])
    counts = [
        np.histogram(column[good], [0.2, 0.5, 0.9])[0] for column, good in zip(G3.T, there.T, strict=True)
    ]
    assert np.array_equal(ens["spread"]["counts"], counts)
    assert np.array_equal(
        sum(ens["spread"][part] for part in ("below", "above")) + ens["spread"]["counts"].sum(axis=1),
        there.sum(axis=0),
    )
    ends = whole.last[np.isfinite(whole.end), 0]
    assert float(ens["speed"]["mean"]) == float(sum(map(Fraction, ends)) / len(ends))
    assert ens["ends"]["counts"].shape == (2,)
    assert np.array_equal(ens["each"], np.fmax(np.fmax.reduce(v1, axis=1), whole.last[:, 0]), equal_nan=True)
    ens.to_npz(tmp_path / "reduced.npz")
    assert reductions(gc.load_ensemble(tmp_path / "reduced.npz")) == reductions(ens)
    with pytest.raises(gc.InputError, match="tilt"):
        ens.plot("tilt")


@pytest.mark.parametrize("members", [7, 20, 64])
def test_reductions_are_the_same_in_any_parts(members, tmp_path, monkeypatch):
    """By SHA: in parts of any size, from threads, processes and folders, in any order of members."""
    skate, asked = everything(70)
    asked |= {"record": REDUCED, "timepts": [0, 0.5, 2]}
    found = reductions(gc.simulate_ensemble(skate, **asked))
    monkeypatch.setattr(part_runner, "_part_and_pilot", lambda *_: (members, []))
    assert reductions(gc.simulate_ensemble(skate, **asked, executor=Elsewhere())) == found
    with ThreadPoolExecutor(2) as pool:
        assert reductions(gc.simulate_ensemble(skate, **asked, executor=pool)) == found
    for _ in range(2):  # computed, and read
        assert reductions(gc.simulate_ensemble(skate, **asked, out=tmp_path / "parts")) == found
    with pytest.raises(gc.FolderError, match="record"):
        other = REDUCED | {"ends": ("histogram", ("last", "v1"), [0, 1, 3])}
        gc.simulate_ensemble(skate, **asked | {"record": other}, out=tmp_path / "parts")


def test_sums_of_reductions_are_exact():
    rng = np.random.default_rng(4)
    values = np.concatenate(
        [rng.normal(size=(90, 2)) * 10.0 ** rng.integers(-300, 300, (90, 2)), np.ones((9, 2))]
    )
    values[5], values[6], values[7] = 5e-324, -1.7e308, np.inf
    whole, halves = (no_members("moments", 2) for _ in range(2))
    done = np.ones(len(values), bool)
    whole.add(values, 0, done)
    for part in (slice(40, 99), slice(0, 40)):
        own = no_members("moments", 2)
        own.add(values[part], part.start, done[part])
        halves.take(own.arrays())
    assert {k: v.tobytes() for k, v in halves.result().items()} == {
        k: v.tobytes() for k, v in whole.result().items()
    }
    for j in range(2):
        exact = [Fraction(x) for x in values[:, j] if np.isfinite(x)]
        assert whole.result()["mean"][j] == float(sum(exact) / len(exact))
    few = no_members("moments", 1)
    few.add(np.array([[1 + 1e-9], [1 - 1e-9]]), 0, np.ones(2, bool))
    pair = [Fraction(1 + 1e-9), Fraction(1 - 1e-9)]
    assert few.result()["variance"][0] == float(((pair[0] - pair[1]) / 2) ** 2)


def test_memory_is_asked_for_before_any_work(skate, monkeypatch):
    monkeypatch.setattr(ensemble_run, "run_rows", None)
    with pytest.raises(gc.InputError, match=r"4.03e\+05 bytes.*record=.*memory"):
        gc.simulate_ensemble(skate, np.linspace(0, 1, 200), falling(50), memory=1e5)


def starts_drawn(rng, k):
    tilt = rng.uniform(0.1, 0.3, k)
    return np.column_stack([np.full(k, 0.1), np.zeros(k), np.ones(k), np.sin(tilt), np.cos(tilt)])


def masses_drawn(rng, k):
    return {"m": rng.uniform(1, 2, k)}


def test_draws_depend_on_seed_and_place(skate):
    draws = gc.Draws(starts_drawn, 1030, 5)
    task = gc.simulate_ensemble(skate, [0, 0.01], draws, params=gc.Draws(masses_drawn, 1030, 5))._task
    whole, part = task.members.part(0, 1030), task.members.part(1020, 1030)
    assert np.array_equal(whole.starts[1020:], part.starts)
    assert np.array_equal(whole.params["m"][1020:], part.params["m"])
    assert not np.array_equal(whole.starts[:6], whole.starts[1024:])
    again = pickle.loads(pickle.dumps(task)).members.part(1020, 1030)
    assert np.array_equal(again.starts, part.starts)


def test_files_and_pickles(skate, tmp_path):
    events = {"half": skate.states[4] - 0.5}
    ens = gc.simulate_ensemble(skate, TIMES, falling(7), params={"m": np.linspace(1, 2, 7)}, events=events)
    ens.to_npz(tmp_path / "skates.npz")
    for again in (gc.load_ensemble(tmp_path / "skates.npz"), pickle.loads(pickle.dumps(ens))):
        assert sha(again) == sha(ens)
        assert np.array_equal(again[3].states, ens[3].states)
        assert repr(again) == repr(ens)
        with pytest.raises(gc.GeoctrlError, match="with its system"):
            _ = again.drift
    live = gc.load_ensemble(tmp_path / "skates.npz", system=skate)
    assert live.drift.keys() == ens.drift.keys()
    assert np.array_equal(live.drift["energy"], ens.drift["energy"])
    (tmp_path / "other.npz").write_bytes(b"PK")
    with pytest.raises(gc.InputError, match="not an ensemble"):
        gc.load_ensemble(tmp_path / "other.npz")


def test_printed_lines_are_short(skate):
    X = falling(9)
    X[2, 0] = np.nan
    ens = gc.simulate_ensemble(skate, TIMES, X, params={"m": np.linspace(1, 2, 9)})
    lines = repr(ens).splitlines()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 79
    assert lines[0] == "<Ensemble pendulum-skate: 9 members, t = 0 .. 2, 9 samples>"
    assert lines[1].startswith("  8 left the domain")
    ens.name = "pendulum-skate-rotor, closed loop of a law"
    assert repr(ens).splitlines()[:2] == [f"<Ensemble {ens.name}: 9 members>", "  t = 0 .. 2, 9 samples"]


# -- other workers, folders ----------------------------------------------------------------------------


class Elsewhere:
    """An executor that reads all that it is sent anew, as another process does."""

    def submit(self, function, *args):
        future = Future()
        function, args = pickle.loads(pickle.dumps((function, args)))
        future.set_result(pickle.loads(pickle.dumps(function(*args))))
        return future


def everything(count):
    """An ensemble with members that fall, are refused, and pass events."""
    X = falling(count)
    X[3, 0] = np.nan
    skate = gc.models.get("pendulum-skate")().reduce()
    events = {"half": skate.states[4] - 0.5}
    return skate, {"timepts": TIMES, "x0s": X, "params": {"m": np.linspace(1, 2, count)}, "events": events}


def test_other_threads_and_folders_give_the_same(tmp_path):
    skate, asked = everything(70)
    ens = gc.simulate_ensemble(skate, **asked)
    with ThreadPoolExecutor(2) as pool:
        assert sha(gc.simulate_ensemble(skate, **asked, executor=pool)) == sha(ens)
    assert sha(gc.simulate_ensemble(skate, **asked, executor=Elsewhere())) == sha(ens)
    assert sha(gc.simulate_ensemble(skate, **asked, out=tmp_path / "skates")) == sha(ens)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ensemble_runner, "run_rows", None)  # nothing is computed again
        assert sha(gc.simulate_ensemble(skate, **asked, out=tmp_path / "skates")) == sha(ens)
    for change, word in (
        ({"x0s": falling(70)}, "x0s"),
        ({"timepts": [0, 1]}, "times"),
        ({"events": None}, "equations"),
        ({"params": None}, "params"),
        ({"rtol": 1e-9}, "engine"),
    ):
        with pytest.raises(gc.FolderError, match=word):
            gc.simulate_ensemble(skate, **asked | change, out=tmp_path / "skates")


def test_draws_go_to_parts(skate):
    asked = {"x0s": gc.Draws(starts_drawn, 70, 5), "params": gc.Draws(masses_drawn, 70, 6)}
    ens = gc.simulate_ensemble(skate, [0, 0.5], **asked)
    with ThreadPoolExecutor(2) as pool:
        assert sha(gc.simulate_ensemble(skate, [0, 0.5], **asked, executor=pool)) == sha(ens)


def test_functions_have_no_text_for_a_folder(cart, tmp_path):
    with pytest.raises(gc.InputError, match="out="):
        gc.simulate_ensemble(cart, [0, 1], np.zeros((2, 3)), inputs=lambda t: [t], out=tmp_path / "f")


# -- arguments, time -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"x0s": np.ones((3, 4))}, gc.InputError, r"shape \(N, 5\)"),
        ({"params": {"m": np.ones(4)}}, gc.InputError, "x0s 3, parameter 'm' 4"),
        ({"params": {"mass": 1.0}}, gc.ParameterError, "unknown parameter"),
        ({"params": {"m": np.ones((3, 2))}}, gc.InputError, r"shape \(N,\)"),
        ({"params": {"m": -1.0}}, gc.ParameterError, "positive"),
        ({"record": ["Gamma9"]}, gc.LabelError, "Gamma"),
        ({"record": [("mean", "Gamma3")]}, gc.InputError, "min"),
        ({"record": []}, gc.InputError, "nothing"),
        ({"record": [("histogram", "Gamma3")]}, gc.InputError, "edges"),
        ({"record": [("histogram", "Gamma3", [1, 0])]}, gc.InputError, "rising"),
        ({"record": [("count", "Gamma3")]}, gc.InputError, "relation"),
        ({"record": [("moments", ("mean", "Gamma3"))]}, gc.InputError, "min"),
        ({"engine": "rk4"}, gc.InputError, "engine"),
        ({"memory": "much"}, gc.InputError, "memory"),
        ({"inputs": {"u": [1.0]}}, gc.InputError, "input"),
    ],
)
def test_arguments_that_are_none(skate, change, error, words):
    with pytest.raises(error, match=words):
        gc.simulate_ensemble(skate, **{"timepts": TIMES, "x0s": falling(3)} | change)


def test_members_alone_end_with_the_time_of_the_call(cart):
    """A run that was begun keeps what it has, and the others are not begun."""
    starts = np.tile([0.0, 0.1, 0.2], (3, 1))
    ens = gc.simulate_ensemble(cart, np.linspace(0, 1e6, 11), starts, inputs=lambda t: [0.0], seconds=0.2)
    assert ens.status[0].startswith("stopped after")
    assert set(ens.status[1:]) == {"not run: 0.2 s of computing were over"}


def test_an_interrupt_keeps_what_is_done(top, monkeypatch):
    X, P = tops(40)

    def told(stage, best, elapsed):
        if best and int(best.split()[0]) > 0:
            raise KeyboardInterrupt

    monkeypatch.setattr("geoctrl._calls.long_calls._OFTEN", 0.0)
    monkeypatch.setattr(together, "_ROUNDS", 20)
    with pytest.raises(KeyboardInterrupt) as found:
        gc.simulate_ensemble(top, TIMES, X, params=P, progress=told)
    ens = found.value.ensemble
    assert 0 < ens.success.sum() < 40
    assert set(ens.status) == {"completed", "not run: interrupted"}
    whole = gc.simulate_ensemble(top, TIMES, X, params=P)
    done = np.flatnonzero(ens.success)
    assert np.array_equal(ens.states[done], whole.states[done])


def test_bands_show_members_that_are_there(skate):
    ens = gc.simulate_ensemble(skate, TIMES, falling(8))
    axes = ens.plot("Gamma3", title="skates")
    assert [line.get_label() for line in axes.lines] == ["median"]
    assert axes.lines[0].get_xdata().max() <= ens.end.max()
    with pytest.raises(gc.InputError, match="'m'"):
        gc.viz.bands(gc.simulate_ensemble(skate, TIMES, falling(2), record={"m": ("last", "v1")}), "m")
    with pytest.raises(TypeError, match="ensemble"):
        gc.viz.bands(3, "Gamma3")
