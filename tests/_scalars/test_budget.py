"""Budgets end searches that do not end, wherever they run, and change nothing for those that do."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
import threading
import time
import weakref

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import ctx

import geoctrl as gc
from geoctrl._calls.budget import _RUNNING, Budget
from geoctrl.errors import BudgetError

LATE = 2.0
"""Seconds of the processor after the budget at which a search has ended: an alarm takes milliseconds."""


def endless():
    for _ in itertools.count():
        pass


def swallowing():
    """A search that takes every exception for a failure of a step and goes on."""
    while True:
        try:
            endless()
        except Exception:
            continue


def test_a_search_that_ends_is_left_alone():
    budget = Budget(30.0)
    assert budget.attempt("sum", lambda: 1 + 1, default=None) == 2
    assert (budget.cut, budget.note) == ([], "")


@pytest.mark.parametrize("search", [endless, swallowing])
def test_a_search_that_does_not_is_ended(search):
    start, spent = time.monotonic(), time.process_time()
    budget = Budget(0.2)
    assert budget.attempt("the end", search, default="none") == "none"
    assert time.monotonic() - start >= 0.2
    assert time.process_time() - spent < 0.2 + LATE
    assert budget.note == "not finished within the budget of 0.2 s: the end"
    # Nothing is left for a second search.
    assert budget.attempt("more", lambda: 1, default=None) is None
    with pytest.raises(BudgetError, match="the end, more, all; ask for less, or give a larger budget="):
        budget.demand("all", lambda: 1, "ask for less")


def test_settings_of_libraries_are_put_back_after_a_search_that_is_ended():
    def settings():
        return np.geterr(), np.geterrcall(), mpmath.mp.prec, (ctx.prec, ctx.cap)

    def changing():
        # As within `np.linalg.inv` and others of their kind, which would change them back.
        np.seterr(invalid="call")
        np.seterrcall(print)
        mpmath.mp.prec, ctx.prec, ctx.cap = 200, 300, 7
        endless()

    before = settings()
    assert Budget(0.05).attempt("changes", changing, default="none") == "none"
    assert settings() == before


def test_one_call_of_sympy_is_ended_and_sympy_goes_on():
    x = sp.symbols("x:9", positive=True)
    hard = sp.Matrix(9, 9, lambda i, j: sum(sp.sqrt(x[k]) ** (i + k) for k in range(9)) + x[(i * j) % 9])
    budget = Budget(0.5)
    spent = time.process_time()
    assert budget.attempt("determinant", lambda: sp.factor(hard.det()), default=None) is None
    assert time.process_time() - spent < 0.5 + LATE
    assert sp.factor(x[0] ** 2 - x[1] ** 2) == (x[0] - x[1]) * (x[0] + x[1])
    assert sp.sqrt(x[3] ** 2) == x[3]


def test_budgets_work_in_threads_and_do_not_meet():
    found = {}

    def run(name, seconds):
        start, spent = time.monotonic(), time.process_time()
        budget = Budget(seconds)
        budget.attempt(name, endless, default=None)
        found[name] = (budget.cut, time.monotonic() - start, time.process_time() - spent)

    threads = [threading.Thread(target=run, args=(f"search {k}", 0.2 + 0.2 * k)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(3):
        cut, elapsed, spent = found[f"search {k}"]
        assert cut == [f"search {k}"]
        assert elapsed >= 0.2 + 0.2 * k
        assert spent < 0.2 + 0.2 * k + LATE


def test_the_alarm_of_an_outer_search_passes_through_an_inner_one():
    outer, inner = Budget(0.2), Budget(30.0)
    found = outer.attempt("outer", lambda: inner.attempt("inner", endless, default="inner"), default="outer")
    assert found == "outer"
    assert (outer.cut, inner.cut) == (["outer"], [])
    found = Budget(30.0).attempt("outer", lambda: Budget(0.2).attempt("inner", endless, "inner"), "outer")
    assert found == "inner"


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_an_alarm_that_is_dropped_rings_again_within_the_reserve():
    # What a callback of a weak reference raises is dropped by Python.
    class Thing:
        pass

    def waiting():
        while True:
            time.sleep(0.01)

    def line():
        thing = Thing()
        callback = weakref.ref(thing, lambda _: waiting())
        del thing
        waiting()
        return callback

    budget = Budget(3.0)  # a reserve that a busy machine does not use up
    found = budget.attempt(
        "whole", lambda: budget.attempt("line", line, default="line", reserve=0.4), default="whole"
    )
    assert (found, budget.cut) == ("line", ["line"])


def test_other_exceptions_that_are_dropped_are_told():
    class Thing:
        def __del__(self):
            raise ZeroDivisionError("somebody forgot")

    told, before = [], sys.unraisablehook
    sys.unraisablehook = told.append
    try:
        Budget(30.0).attempt("a search", lambda: Thing() and None, None)
        assert [dropped.exc_type for dropped in told] == [ZeroDivisionError]
    finally:
        sys.unraisablehook = before


def test_an_outer_alarm_that_rings_in_the_stop_of_an_inner_one_ends_both():
    # The inner alarm would ring where nothing waits for it.
    for k in range(100):
        outer, inner = Budget(0.01), Budget(0.01 + 1e-6 * (k - 50))
        outer.attempt("outer", lambda inner=inner: inner.attempt("inner", endless, None), None)
        assert not _RUNNING.alarms
    # Longer than an alarm waits before it rings again.
    time.sleep(0.2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_budgets_work_in_a_process_that_was_forked_off():
    Budget(30.0).attempt("the watch is there", lambda: None, None)
    child = os.fork()
    if not child:
        budget = Budget(0.2)
        budget.attempt("endless", endless, None)
        os._exit(len(budget.cut))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_an_alarm_that_comes_too_late_never_arrives():
    # Searches that take about as long as they may: each ends in one way or the other, and nothing after it.
    for k in range(300):
        budget = Budget(0.002)
        end = time.monotonic() + 0.001 + 0.00001 * (k % 200)
        budget.attempt(
            "race", lambda end=end: [None for _ in iter(lambda: time.monotonic() < end, False)], None
        )
    # Longer than an alarm waits before it rings again.
    time.sleep(0.2)


@pytest.mark.parametrize("bad", [0, -1.0, float("nan"), "60", None, True])
def test_a_budget_is_a_positive_number(bad):
    with pytest.raises(gc.ParameterError, match="budget must be a positive number of seconds"):
        Budget(bad)


def test_no_limit():
    assert Budget(math.inf).attempt("all", lambda: 7, default=None) == 7


def test_errors_of_a_search_are_its_own():
    with pytest.raises(ZeroDivisionError):
        Budget(30.0).attempt("quotient", lambda: 1 / 0, default=None)


PROFILED = """
import cProfile, itertools
from geoctrl._calls.budget import Budget

def search():
    Budget(30.0).attempt("a sum", lambda: sum(i for i in range(9)), None)
    Budget(0.2).attempt("the end", lambda: [None for _ in itertools.count() if False], None)
    return sum(i for i in range(9))

print(cProfile.Profile().runcall(search))
"""


def test_a_profiler_sees_the_end_of_a_search():
    """What no alarm has rung for is not taken back: CPython 3.11 never stops looking for it in a profiler."""
    run = subprocess.run(
        [sys.executable, "-c", PROFILED], capture_output=True, text=True, timeout=120, check=True
    )
    assert run.stdout.split() == ["36"]
