"""Sweeps: the same values from any executor, failures told, folders that go on and refuse."""

import json
import os
import pickle
import sys
import threading
import time
import warnings
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest

import geoctrl as gc
from geoctrl._calls.long_calls import LongCall
from geoctrl.runs import fingerprints
from geoctrl.runs.part_runner import Task, run_parts
from geoctrl.runs.workers import Context, UnknownContextError, submit, worker_count
from tests.runs.functions import Told, divisors, fragile, moody, pendulum, pid_and_threads
from tests.runs.killed import AXES, kill_once, run, sha


@pytest.fixture(scope="module")
def alone():
    return gc.sweep(pendulum, AXES)


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(2, get_context("spawn")) as made:
        yield made


# -- values ------------------------------------------------------------------------------------------------


def test_a_grid_with_names(alone):
    assert (alone.shape, alone["period"].shape, alone["path"].shape) == ((15, 14), (15, 14), (15, 14, 3))
    one = alone.value_at(length=0.5, g=10.0)
    assert one["period"] == 2 * np.pi / np.sqrt(10.0 / 0.5)
    assert alone[3, 2]["path"].shape == (3,)
    assert len(alone.failed) == 14
    assert alone.failed[0] == ({"length": 0.7, "g": 1.0}, "ValueError: no pendulum of length 0.7")
    assert alone.done.sum() == 15 * 14 - 14
    assert np.isnan(alone["whole"][6]).all()
    assert (alone["whole"][7] == 3).all()
    assert max(map(len, repr(alone).splitlines())) <= 79


def test_one_number_needs_no_name():
    found = gc.sweep(lambda a, b: a if b == "left" else -a, {"a": [1, 2, 3], "b": ["left", "right"]})
    assert np.array_equal(found[...], [[1, -1], [2, -2], [3, -3]])
    assert found[1, 0] == 2
    assert found[...].dtype == int
    assert gc.sweep(lambda a: "odd" if a % 2 else "even", {"a": [1, 2]})[...].tolist() == ["odd", "even"]


def test_a_table_a_file_and_a_picture(alone, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    path = tmp_path / "sweep.npz"
    alone.to_npz(path)
    again = gc.load_sweep(path)
    assert sha(again) == sha(alone)
    assert (repr(again), again.failed) == (repr(alone), alone.failed)
    assert np.array_equal(again.done, alone.done)
    path.write_bytes(b"none")
    with pytest.raises(gc.InputError, match="no sweep"):
        gc.load_sweep(path)
    table = pytest.importorskip("pandas") and alone.to_pandas()
    assert list(table) == ["length", "g", "period", "whole", "path[0]", "path[1]", "path[2]", "error"]
    assert len(table) == 210
    assert (table["error"] != "").sum() == 14
    assert alone.plot("period", title="Pendula").get_title() == "Pendula"
    assert gc.sweep(lambda a: a, {"a": [3.0, 1.0]}).plot().get_xlabel() == "a"
    with pytest.raises(gc.InputError, match="name one of the values: period, whole, path"):
        alone.plot()
    with pytest.raises(gc.InputError, match="one number a point"):
        alone.plot("path")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda a: None, "a number, an array of numbers"),
        (lambda a: {3: a}, "cannot go by the name 3"),
        (lambda a: {}, "empty dict"),
        (lambda a: [1.0] * a, "shapes"),
        (lambda a: {f"b{a}": a}, "names"),
        (lambda a: "a" if a == 1 else a, "texts"),
    ],
)
def test_what_is_no_value_fails_at_its_point(function, words):
    found = gc.sweep(function, {"a": [1, 2]}, retries=0, part=2)
    assert words in found.failed[-1].error


@pytest.mark.parametrize("function", [lambda a: [1.0] * a, lambda a: "a" if a == 1 else a])
def test_parts_that_do_not_go_together(function):
    with pytest.raises(gc.InputError, match="for some members"):
        gc.sweep(function, {"a": [1, 2]}, part=1)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: gc.sweep(3, {"a": [1]}), TypeError, "callable"),
        (lambda: gc.sweep(abs, {}), gc.InputError, "axes"),
        (lambda: gc.sweep(abs, {"a b": [1]}), gc.InputError, "'a b'"),
        (lambda: gc.sweep(abs, {"a": []}), gc.InputError, "'a'"),
        (lambda: gc.sweep(abs, {"a": [[1], [2, 3]]}), gc.InputError, "sequence of numbers"),
        (lambda: gc.sweep(abs, {"a": [1]}, executor=3), TypeError, "Executor"),
        (lambda: gc.sweep(abs, {"a": [1]}, part=0), gc.InputError, "part"),
        (lambda: gc.sweep(abs, {"a": [1]}, retries=-1), gc.InputError, "retries"),
        (lambda: gc.sweep(lambda a: a, {"a": [1]}).value_at(b=1), gc.LabelError, "no axis 'b'"),
        (lambda: gc.sweep(lambda a: a, {"a": [1]}).value_at(a=2), gc.InputError, "no point"),
        (lambda: gc.sweep(lambda a: a, {"a": [1]})["b"], gc.LabelError, "no value 'b'"),
    ],
)
def test_mistakes_are_worded(call, error, words):
    with pytest.raises(error, match=words):
        call()


# -- executors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [None, 1, 7, 210, 1000])
def test_the_same_bits_for_parts_of_any_size(alone, part):
    assert sha(gc.sweep(pendulum, AXES, part=part)) == sha(alone)


def test_the_same_bits_in_threads_and_processes(alone, pool):
    with ThreadPoolExecutor(2) as threads:
        assert sha(gc.sweep(pendulum, AXES, executor=threads, part=9)) == sha(alone)
    told = []
    found = gc.sweep(pendulum, AXES, executor=pool, part=30, progress=lambda *given: told.append(given[0]))
    assert sha(found) == sha(alone)
    assert found.failed == alone.failed
    assert told[-1] == "point 210 of 210"


def test_processes_have_one_thread_each(pool):
    here = os.environ.get("OPENBLAS_NUM_THREADS")
    found = gc.sweep(pid_and_threads, {"a": range(8)}, executor=pool, part=1)
    assert os.getpid() not in found["pid"]
    assert (found["threads"] == 1).all()
    assert os.environ.get("OPENBLAS_NUM_THREADS") == here


class Counting(ThreadPoolExecutor):
    """How many parts are under way at once."""

    def __init__(self, workers):
        super().__init__(workers)
        self.now = self.most = 0

    def submit(self, *job):
        self.now += 1
        self.most = max(self.most, self.now)
        future = super().submit(*job)
        future.add_done_callback(lambda _: setattr(self, "now", self.now - 1))
        return future


def test_four_parts_a_worker_are_under_way():
    with Counting(2) as threads:
        gc.sweep(pid_and_threads, {"a": range(40)}, executor=threads, part=1)
        assert threads.most == 8
        assert worker_count(threads) == 2


def test_what_is_shared_is_sent_once_and_kept(pool):
    """Without its content a context is known to who was sent it, and asked for by who was not."""
    context = Context(("shared", 3.0))
    context.prepare()
    light = Context.__new__(Context)
    light.__setstate__(context.by_digest().__getstate__())
    with pytest.raises(UnknownContextError):
        light.value()
    whole = Context.__new__(Context)
    whole.__setstate__(context.__getstate__())
    assert whole.value() == ("shared", 3.0)
    assert light.value() is whole.value()
    assert context.value() is not whole.value()


def test_what_is_shared_is_unpickled_once_in_a_process(pool, tmp_path):
    found = gc.sweep(Told(str(tmp_path)), {"a": range(30)}, executor=pool, part=1)
    assert np.array_equal(found[...], range(30))
    assert 1 <= len(list(tmp_path.iterdir())) <= 2


def test_a_part_takes_two_seconds(tmp_path):
    """By the members after the first, for which everything is compiled."""
    waits = iter([1.0])

    def compiling(a):
        time.sleep(next(waits, 0.002))
        return a

    gc.sweep(compiling, {"a": range(80)}, out=tmp_path)
    assert json.loads((tmp_path / "question.json").read_text())["part"] == 80


class Forgetful:
    """Workers of which each part has another one, as with pools that grow."""

    _max_workers = 1

    def submit(self, function, task, context, *rest):
        future = Future()
        other = Context.__new__(Context)
        digest, content = context.__getstate__()
        other.__setstate__((f"{digest}{time.monotonic_ns()}", content))
        try:
            future.set_result(function(task, other, *rest))
        except Exception as error:
            future.set_exception(error)
        return future


def test_a_worker_that_knows_nothing_is_sent_all(alone):
    assert sha(gc.sweep(pendulum, AXES, executor=Forgetful(), part=40)) == sha(alone)


@pytest.mark.parametrize("part", [None, 1, 7, 50])
def test_a_task_of_rows_and_lists(tmp_path, part):
    """Arrays are cut for each part; lists go together by member, however many entries each has."""
    x = np.random.default_rng(2).random((50, 2))
    lists = {"member": "member", "divisor": "member"}
    task = Task(divisors, 30, 50, {}, {"x": x}, lists=lists)
    found = run_parts(task, LongCall("test", False, None), None, tmp_path, part)
    for _ in range(2):
        arrays = found.arrays()
        assert np.array_equal(arrays["square"], x**2)
        assert arrays["divisor"].shape == (2, arrays["count"].sum())
        for member in (1, 12, 48):
            mine = arrays["divisor"][0, arrays["member"] == member]
            assert mine.tolist() == [d for d in range(29, 0, -1) if member % d == 0]
        assert (np.diff(arrays["member"]) >= 0).all()
    with pytest.raises(gc.FolderError, match=r"arrays x <f8 50x2 \w{12} there, <f8 50x2"):
        run_parts(replace(task, arrays={"x": x + 1}), LongCall("test", False, None), None, tmp_path, part)


# -- failures ----------------------------------------------------------------------------------------------


def test_a_point_that_fails_is_tried_again(tmp_path):
    once = partial(moody, folder=str(tmp_path))
    assert gc.sweep(once, {"a": range(6)}, part=2)[...].tolist() == [0, 1, 4, 9, 16, 25]
    (tmp_path / "seen").unlink()
    found = gc.sweep(once, {"a": range(6)}, part=2, retries=0)
    assert found.failed == (({"a": 3}, "OSError: not today"),)


def test_a_worker_that_dies_ends_the_sweep_and_loses_nothing(tmp_path):
    (tmp_path / "told").mkdir()
    function, axes = partial(fragile, folder=str(tmp_path / "told")), {"a": range(8)}
    with ProcessPoolExecutor(1, get_context("spawn")) as dying:
        with pytest.raises(
            gc.WorkerError, match=r"[1-5] of 8 points are done and kept in .*to go on"
        ) as died:
            gc.sweep(function, axes, executor=dying, out=tmp_path / "out", part=1)
        with pytest.raises(gc.WorkerError, match="of 8 points are done and kept"):
            gc.sweep(function, axes, executor=dying, out=tmp_path / "out", part=1)
    assert 0 < died.value.result.done.sum() < 8
    found = gc.sweep(function, axes, out=tmp_path / "out", part=1)
    assert found[...].tolist() == [a**2 for a in range(8)]


def test_an_executor_that_was_shut_down():
    threads = ThreadPoolExecutor(1)
    threads.shutdown()
    with pytest.raises(gc.WorkerError, match="0 of 4 points are done; with out= they are kept"):
        gc.sweep(lambda a: a, {"a": range(4)}, executor=threads, part=1)


class Dead:
    _max_workers = 1

    def submit(self, *_):
        future = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


def test_futures_that_a_cluster_has_lost():
    with pytest.raises(gc.WorkerError, match="the workers died"):
        gc.sweep(lambda a: a, {"a": range(4)}, executor=Dead(), part=1)


def test_what_cannot_be_sent_is_worded(pool, monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(gc.WorkerError, match="cannot be sent to other processes"):
        gc.sweep(lambda a: a, {"a": range(4)}, executor=pool, part=1)


class Guarded:
    """By reference alone: by value it has a lock."""

    def __init__(self):
        self.lock = threading.Lock()

    def __reduce__(self):
        return "GUARDED"

    def __call__(self, a):
        return a


GUARDED = Guarded()


def test_what_stands_in_a_script_is_sent_by_value_if_it_can_be(monkeypatch):
    """By reference to the script where it cannot, which processes of a pool import as well."""
    pytest.importorskip("cloudpickle")
    monkeypatch.setattr(GUARDED.__class__, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "GUARDED", GUARDED, raising=False)
    context = Context(GUARDED)
    context.prepare()
    assert pickle.loads(context.__getstate__()[1]) is GUARDED
    by_value = Context(lambda a: a + 1)
    by_value.prepare()
    assert pickle.loads(by_value.__getstate__()[1])(2) == 3


def test_workers_of_other_versions_are_named():
    future = submit(Dying(), pendulum, Context(None), None, {**fingerprints.versions(), "numpy": "1.0"})
    with pytest.raises(gc.WorkerError, match=f"has numpy {np.__version__}, this process numpy 1.0"):
        future.result()


class Dying:
    def submit(self, function, *job):
        future = Future()
        try:
            future.set_result(function(*job))
        except Exception as error:
            future.set_exception(error)
        return future


def test_an_interruption_leaves_the_folder_whole(tmp_path):
    def pressed(a):
        if a == 5:
            raise KeyboardInterrupt
        return a

    with pytest.raises(KeyboardInterrupt) as interrupt:
        gc.sweep(pressed, {"a": range(8)}, out=tmp_path, part=2)
    assert interrupt.value.result.done.tolist() == [True] * 4 + [False] * 4
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "part-000000000000.npz",
        "part-000000000002.npz",
        "question.json",
    ]


# -- folders -----------------------------------------------------------------------------------------------


def test_nothing_is_computed_twice(alone, tmp_path):
    calls, out = tmp_path / "calls", tmp_path / "out"
    calls.mkdir()
    function = partial(pendulum, folder=str(calls))
    gc.sweep(function, AXES, out=out, part=20, retries=0)
    assert len(list(calls.iterdir())) == 210
    (out / "part-000000000040.npz").unlink()
    for part in (None, 20):
        assert sha(gc.sweep(function, AXES, out=out, part=part, retries=0)) == sha(alone)
    assert len(list(calls.iterdir())) == 230
    assert not list(out.glob("*.tmp"))
    assert not (out / "lock.json").exists()


def test_the_pilot_is_no_work_for_nothing(tmp_path):
    gc.sweep(partial(pendulum, folder=str(tmp_path)), AXES, retries=0)
    assert len(list(tmp_path.iterdir())) == 210


def other(length, g):
    return pendulum(length, g)


def test_another_question_is_refused_with_both_named(tmp_path, monkeypatch):
    gc.sweep(pendulum, AXES, out=tmp_path, part=50)
    cases = [
        (pendulum, {**AXES, "length": AXES["length"][:-1]}, 50, "members 210 there, 196 here"),
        (
            pendulum,
            {**AXES, "length": AXES["length"] + 1e-16},
            50,
            r"axes length <f8 15 \w{12} there, <f8 15",
        ),
        (pendulum, AXES, 30, "members in a part 50 there, 30 here"),
        (other, AXES, 50, r"function pendulum \w{12} there, other \w{12} here"),
    ]
    for function, axes, part, words in cases:
        with pytest.raises(gc.FolderError, match=words):
            gc.sweep(function, axes, out=tmp_path, part=part)
    versions = {**fingerprints.versions(), "numpy": "1.0"}
    monkeypatch.setattr("geoctrl.runs.part_runner.versions", lambda: versions)
    with pytest.raises(gc.FolderError, match=f"versions numpy {np.__version__} there, 1.0 here"):
        gc.sweep(pendulum, AXES, out=tmp_path, part=50)


def test_folders_that_are_none(tmp_path):
    (tmp_path / "question.json").write_text(json.dumps(["{}", 5]))
    (tmp_path / "tile-00000.txt").write_text("+....")
    with pytest.raises(gc.FolderError, match="an earlier version of geoctrl"):
        gc.sweep(pendulum, AXES, out=tmp_path)
    (tmp_path / "question.json").unlink()
    (tmp_path / "part-000000000000.npz").write_bytes(b"")
    with pytest.raises(gc.FolderError, match="holds parts and no question"):
        gc.sweep(pendulum, AXES, out=tmp_path)
    with pytest.raises(gc.FolderError, match="cannot be made: Not a directory"):
        gc.sweep(pendulum, AXES, out=tmp_path / "tile-00000.txt" / "out")


def test_a_folder_without_rights(tmp_path, monkeypatch):
    """Before any work; in the middle, as on a full disk, what is stored stays."""
    calls = tmp_path / "calls"
    calls.mkdir()
    function = partial(pendulum, folder=str(calls))

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        with pytest.raises(gc.FolderError, match="cannot be written: Permission denied"):
            gc.sweep(function, AXES, out=tmp_path / "out")
    assert not list(calls.iterdir())
    left = [3]

    def full(source, target):
        left[0] -= "part" in str(target)
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        os.rename(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(gc.FolderError, match=r"No space left.*stored there is whole") as error:
            gc.sweep(function, AXES, out=tmp_path / "out", part=10)
    assert error.value.result.done.sum() == 30
    assert len(list((tmp_path / "out").glob("part-*"))) == 3
    assert not list((tmp_path / "out").glob(".*.tmp"))


def test_a_part_that_cannot_be_read_is_named(tmp_path):
    gc.sweep(pendulum, AXES, out=tmp_path, part=100)
    (tmp_path / "part-000000000100.npz").write_bytes(b"PK")
    with pytest.raises(gc.FolderError, match=r"part-000000000100.npz cannot be read.*computed again"):
        gc.sweep(pendulum, AXES, out=tmp_path)


def test_a_second_writer_is_told_of(alone, tmp_path):
    """One that ended, on this host, is not."""
    gc.sweep(pendulum, AXES, out=tmp_path, part=100)
    host = os.uname().nodename.replace(".", "-")
    for pid, told in ((os.getppid(), True), (2**22 + 1, False)):
        (tmp_path / "lock.json").write_text(json.dumps({"host": host, "pid": pid}))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert sha(gc.sweep(pendulum, AXES, out=tmp_path)) == sha(alone)
        assert [f"process {pid} on" in str(w.message) for w in caught] == [True] * told


def test_a_changed_function_is_another_question(tmp_path):
    """Its text, numbers and functions of its module that it names, and what a partial holds."""
    spaces = {"np": np, "__name__": "drawn"}
    prints = []
    for factor, body in ((2, "a"), (3, "a"), (2, "-a")):
        path = tmp_path / f"drawn{len(prints)}.py"
        path.write_text(
            f"K = {factor}\ndef inner(a):\n    return {body}\ndef f(a):\n    return K * inner(a)\n"
        )
        space = dict(spaces)
        exec(compile(path.read_text(), str(path), "exec"), space)
        prints.append(fingerprints.function_fingerprint(space["f"]))
    assert len(set(prints)) == 3
    one, two = (fingerprints.function_fingerprint(partial(moody, folder=name)) for name in "ab")
    assert one != two
    assert one == fingerprints.function_fingerprint(partial(moody, folder="a"))


# -- killed ------------------------------------------------------------------------------------------------


def test_killed_and_called_again(tmp_path):
    """By SIGKILL: workers are gone within five seconds, the folder is whole, nothing is computed twice."""
    parts, processes, seconds = kill_once(tmp_path, 5)
    assert 5 <= parts < 53
    assert processes >= 2
    assert seconds < 5
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("part-*.npz")}
    found = run(tmp_path, 0)
    assert len(list(tmp_path.glob("part-*.npz"))) == 53
    assert all((tmp_path / name).stat().st_mtime_ns == when for name, when in before.items())
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".") or path.name == "lock.json"]
    assert found == run(tmp_path, 0)
