"""Long calls have ``progress`` and ``seconds``; when their time is up a verified best or a worded none."""

from __future__ import annotations

import contextlib
import gc as gc_module
import inspect
import io
import json
import sys
import time
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import _collector as collector
from geoctrl._calls import long_calls
from geoctrl._calls.long_calls import LongCall, Progress, long_call, tell, under_way
from geoctrl._collector import rare_collections
from geoctrl.analysis.proofs import proof
from geoctrl.orbits import OrbitChange
from tests.attack.parts.moving import pulled
from tests.orbits import test_catches as catching
from tests.synthesis.schedules_through_points import pendulum_law

# Public functions that are done at once whatever they are given, by the size of their input.
SHORT = {
    "check_units",
    "energy_law",
    "from_mjcf",
    "from_mujoco",
    "from_urdf",
    "linear_law",
    "linearize",
    "load_ensemble",
    "load_sweep",
    "load_trajectory",
    "product",
    "reaction",
    "rn",
    "se2",
    "se3",
    "so2",
    "so3",
    "switching",
    "turn",
}
METHODS = [
    (gc.EulerPoincare, "reduce"),
    (gc.VectorField, "reduce"),
    (gc.PeriodicOrbit, "enclose"),
    (gc.HybridOrbit, "enclose"),
    (OrbitChange, "enclose"),
    (OrbitChange, "branches"),
    (gc.PeriodicLaw, "enclose"),
    (gc.HeldLinearization, "largest_hold"),
    (gc.HeldLinearization, "bracket"),
    (gc.ReducedSystem, "latex"),
    (gc.StabilityConditions, "solve_for"),
    (gc.Matching, "design"),
    (gc.ShapedMatching, "design"),
    (gc.spheres.SphereSystem, "latex"),
]


@cache
def skate():
    return gc.models.get("pendulum-skate")().reduce()


@cache
def furuta():
    return gc.models.get("furuta-pendulum")().reduce()


def unaided(eq):
    return gc.lqr(furuta(), eq)


@cache
def bodies():
    return gc.models.get("coupled-bodies")(n=5).reduce()


@cache
def rotor():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    return mechanism, mechanism.reduce(), gc.match(mechanism)


@cache
def body():
    return gc.models.get("free-rigid-body")().reduce()


@cache
def orbit():
    return gc.find_periodic(body(), [0.2, 0.0, 1.0], 8.0)


@cache
def doubling():
    """A change of orbits, which its numbers do not show: nothing of it is computed in time."""
    verdict = orbit().verdict
    other = (lambda span: [gc.follow(body(), orbit(), "energy", span)],)
    return OrbitChange(
        "period doubling", 1.0, (1.0, 1.0), -1, orbit(), verdict, verdict, (orbit(), orbit()), *other
    )


def damped():
    return rotor()[2].law(sigma=-5e-6).with_damping(k=8)


def upright():
    return cart().equilibrium("upright")


def leaning():
    plant = rotor()[1]
    return plant.project([0, 0, 0, 1, 0, 0], {"Gamma": (0, np.sin(0.1), np.cos(0.1))})


@cache
def held():
    _, plant, matching = rotor()
    law = matching.law(sigma=-1e-5).with_damping(k=0.27)
    return gc.linearize_held(plant, law.sampled(rate=100), plant.equilibrium("sliding", Y0=1.0))


@cache
def loop():
    return gc.lqr(cart(), upright()).closed_loop()


@cache
def cart():
    return gc.models.get("cart-pendulum")().reduce()


def stopped(run):
    assert run.status.startswith("stopped after ")
    assert not run.success
    assert 0 < run.time.size
    assert np.isfinite(run.states).all()


def confirmed(found, folder):
    found.to_json(folder / "found.json")
    gc.verify(folder / "found.json")


def partial_map(found, folder):
    assert found.stable + found.unstable < 1
    confirmed(found, folder)


def some_conditions(found, _folder):
    assert "not finished within the budget" in found.note


def partial_branch(found, _folder):
    assert 0 < len(found.points) < 20_000
    for point in found.points[:: max(1, len(found.points) // 3)]:
        assert np.abs(skate().rhs(0.0, point.x)).max() < 1e-9


@cache
def conditions():
    return gc.stability_conditions(skate(), "spinning")


def fresh_matching():
    return gc.match(gc.models.get("pendulum-skate-rotor")())


def words(text, _folder):
    assert "not typeset within the budget" in text


def relations(found, _folder):
    assert found.free_symbols >= {s for s in conditions().symbols if s.name == "Omega0"}


# Name, seconds, the call that would take longer, and what must hold of what it returns.
AT_ONCE = 1e-6
"""Seconds for what takes milliseconds: no machine is quick enough."""

CASES = {
    "certify": (0.05, lambda s: gc.certify(bodies(), bodies().equilibrium("equal"), seconds=s), confirmed),
    "stability_conditions": (
        0.1,
        lambda s: gc.stability_conditions(bodies(), "equal", seconds=s),
        some_conditions,
    ),
    "check_invariant": (0.002, lambda s: gc.check_invariant(bodies(), "energy", seconds=s), None),
    "certify_region": (
        0.05,
        lambda s: gc.certify_region(skate(), "spinning", {"Omega0": (0, 10), "l": (0.1, 1.5)}, 12, seconds=s),
        partial_map,
    ),
    "region_of_attraction": (
        1.0,
        lambda s: gc.region_of_attraction(loop(), loop().state(), seconds=s),
        confirmed,
    ),
    "find_equilibrium": (
        0.002,
        lambda s: gc.find_equilibrium(bodies(), bodies().equilibrium("equal").x + 0.01, seconds=s),
        None,
    ),
    "discover_invariants": (
        0.1,
        lambda s: gc.discover_invariants(skate(), max_degree=12, seconds=s),
        lambda found, _folder: "not finished" in found.note,
    ),
    "match": (
        0.05,
        lambda s: gc.match(gc.models.get("spherical-pendulum-on-puck")(), shaping="both", seconds=s),
        None,
    ),
    "follow": (
        0.1,
        lambda s: gc.follow(
            skate(), skate().equilibrium("spinning", Omega0=3.0), "Omega0", (1, 9), points=20_000, seconds=s
        ),
        partial_branch,
    ),
    "find_periodic": (
        AT_ONCE,
        lambda s: gc.find_periodic(body(), [0.2, 0.0, 1.0], 8.0, seconds=s),
        None,
    ),
    "prove_catch": (
        AT_ONCE,
        lambda s: gc.prove_catch(catching.parts()[0], catching.switching(), catching.START, seconds=s),
        None,
    ),
    "optimal_gait": (
        AT_ONCE,
        lambda s: gc.optimal_gait(gc.models.get("roller-racer")().reduce().connection(), seconds=s),
        None,
    ),
    "enclose": (0.1, lambda s: orbit().enclose(bits=4000, seconds=s), None),
    "enclose of a change": (AT_ONCE, lambda s: doubling().enclose(seconds=s), None),
    "branches": (AT_ONCE, lambda s: doubling().branches((0, 1), seconds=s), None),
    "poincare_section": (
        0.1,
        lambda s: gc.poincare_section(body(), {"Omega2": 0}, [[0.2, 0.3, 1.0]] * 3, 1e7, seconds=s),
        lambda found, _folder: all(word.startswith("stopped after") for word in found.status),
    ),
    "robustness": (
        0.2,
        lambda s: gc.robustness(
            rotor()[1],
            damped(),
            leaning(),
            np.linspace(0, 10, 101),
            seconds=s,
        ),
        lambda found, _folder: bool(found.missing),
    ),
    "sweep": (
        0.05,
        lambda s: gc.sweep(lambda a: time.sleep(0.001) or a, {"a": range(10_000)}, seconds=s),
        lambda found, _folder: 0 < found.done.sum() < 10_000,
    ),
    "linearize_many": (
        AT_ONCE,
        lambda s: gc.linearize_many(
            skate(), skate().members("sliding", Y0=np.linspace(1, 2, 5000)), seconds=s
        ),
        lambda found, _folder: not found.done.any() and np.isnan(found.A).all(),
    ),
    "linearize_held": (
        AT_ONCE,
        lambda s: gc.linearize_held(rotor()[1], held().controller, held().equilibrium, seconds=s),
        None,
    ),
    "largest_hold": (AT_ONCE, lambda s: held().largest_hold(seconds=s), None),
    "bracket": (AT_ONCE, lambda s: held().bracket(seconds=s), None),
    "lqr": (
        AT_ONCE,
        lambda s: gc.lqr(cart(), upright(), seconds=s),
        None,
    ),
    "schedule": (
        AT_ONCE,
        lambda s: gc.schedule(furuta(), "upright", "Omega0", [0, 4], unaided, seconds=s),
        None,
    ),
    "bound_while_moving": (
        AT_ONCE,
        lambda s: gc.bound_while_moving(pulled(), "pulled", "s", (-1, 1), 0.5, seconds=s),
        None,
    ),
    "schedule through points": (
        AT_ONCE,
        lambda s: pendulum_law().certify(cells=6, seconds=s),
        None,
    ),
    "place": (
        AT_ONCE,
        lambda s: gc.place(cart(), upright(), [-1, -2, -3], seconds=s),
        None,
    ),
    "lqe": (
        AT_ONCE,
        lambda s: gc.lqe(cart(), upright(), ["x", "phi"], seconds=s),
        None,
    ),
    "recommend": (
        0.1,
        lambda s: (
            rotor()[2]
            .design(rotor()[0].equilibrium("sliding", Y0=1.0))
            .recommend(limits={"u_theta": 8}, speeds={"theta_dot": 360}, tilt=0.1, seconds=s)
        ),
        None,
    ),
    "simulate": (
        0.1,
        lambda s: gc.simulate(body(), np.linspace(0, 1e7, 3), [0.2, 0.3, 1.0], seconds=s),
        lambda found, _folder: stopped(found),
    ),
    "simulate_ensemble": (
        0.1,
        lambda s: gc.simulate_ensemble(body(), np.linspace(0, 1e5, 3), [[0.2, 0.3, 1.0]] * 99, seconds=s),
        lambda found, _folder: found.failed.size > 0,
    ),
    "integrate": (
        0.05,
        lambda s: gc.spheres.integrate(
            gc.spheres.double_pendulum(1.0, 2.0, 0.7, 0.4),
            np.eye(3)[:2],
            np.eye(3)[2:] + np.zeros((2, 3)),
            h=1e-3,
            steps=10**7,
            record=1000,
            seconds=s,
        ),
        lambda found, _folder: stopped(found),
    ),
    "latex": (0.02, lambda s: gc.models.get("coupled-bodies")(n=4).reduce().latex(seconds=s), words),
    "solve_for": (0.02, lambda s: conditions().solve_for("Omega0", seconds=s), relations),
    "design": (AT_ONCE, lambda s: fresh_matching().design("sliding", seconds=s), None),
    "reduce": (0.02, lambda s: gc.models.get("coupled-bodies")(n=6).reduce(seconds=s), None),
}


@pytest.mark.parametrize("name", CASES)
def test_time_is_up(name, tmp_path):
    """A verified best, or an error that says that there is none, soon after the seconds given."""
    seconds, call, check = CASES[name]
    try:
        found = call(seconds)
    except gc.BudgetError as none:
        assert "not finished within" in str(none)  # noqa: PT017
    except gc.CertificateError as none:
        assert "not finished within" in str(none)  # noqa: PT017
    else:
        assert check is not None
        assert check(found, tmp_path) is not False


def asleep(*_args, **_kwargs):
    while True:
        time.sleep(0.01)


def test_certify_returns_what_is_known_when_its_time_is_up(monkeypatch, tmp_path):
    """A report in floats where the spectrum decides; a proof of the point while its orbit is looked for."""
    q = gc.Coordinate("q", angle=True)
    pendulum = gc.EulerPoincare(shape=[q], inertia=[[1]], potential=-sp.cos(q), forces=[-q.rate]).reduce()
    top = gc.models.get("heavy-top")().reduce()
    point = gc.find_equilibrium(top, top.state(Gamma=(0, 0, 1)))
    gc.certify(pendulum, pendulum.state()), gc.certify(top, point)
    with monkeypatch.context() as patch:
        patch.setattr(proof._Search, "of_orbit", asleep)
        found = gc.certify(top, point, modulo="orbit", seconds=1.0)
        assert found.verdict is gc.Verdict.PROVED_UNSTABLE
        assert "not finished within 1 s" in found.reason
        confirmed(found, tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(proof._Search, "run", asleep)
        found = gc.certify(pendulum, pendulum.state(), seconds=0.5)
        assert found.verdict is gc.Verdict.NUMERICALLY_STABLE
        assert "not finished within 0.5 s" in found.reason
        with pytest.raises(gc.CertificateError, match="not finished within"):
            found.to_json(tmp_path / "none.json")
        with pytest.raises(gc.BudgetError, match="there is nothing yet"):
            gc.certify(top, top.state(Omega=(0, 0, 80.0), Gamma=(0, 0, 1)), seconds=0.5)


def test_verify_is_stopped(tmp_path):
    path = tmp_path / "spinning.json"
    gc.certify(skate(), skate().equilibrium("spinning", Omega0=6.0)).to_json(path)
    with pytest.raises(gc.BudgetError, match=r"verify: not finished within 1e-06 s"):
        gc.verify(path, seconds=AT_ONCE)
    assert gc.verify(path, seconds=60).verdict.proved


def test_three_seconds_are_three_seconds():
    """A call that would take ten seconds and more."""
    system, begun = gc.models.get("coupled-bodies")(n=5).reduce(seconds=60), time.monotonic()
    with pytest.raises(gc.BudgetError):
        gc.stability_conditions(system, "equal", seconds=0.05)
    # Soon there is a part to return: how soon depends on the machine.
    for seconds in (0.5, 1, 2, 4):
        with contextlib.suppress(gc.BudgetError):
            found = gc.stability_conditions(system, "equal", seconds=seconds)
            break
    assert "not finished within the budget" in found.note
    assert time.monotonic() - begun < 25  # the machine may be busy


def public():
    for name in gc.__all__:
        value = getattr(gc, name)
        if inspect.isfunction(value):
            yield name, value
    for module in (gc.spheres, gc.rotations, gc.manifolds):
        yield f"{module.__name__}.integrate", module.integrate
    for owner, name in METHODS:
        yield f"{owner.__name__}.{name}", getattr(owner, name)


@pytest.mark.parametrize("name", [name for name, _ in public() if name not in SHORT])
def test_long_calls_have_both_arguments(name):
    function = dict(public())[name]
    parameters = inspect.signature(function).parameters
    assert parameters["progress"].default is False
    assert parameters["seconds"].kind in (
        inspect.Parameter.KEYWORD_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    assert {"progress", "seconds"} <= set(function.__doc__.replace(",", " ").split())
    assert name.rpartition(".")[2] in {*CASES, "verify"}


# -- what is told --------------------------------------------------------------------------------------


def test_a_callable_is_told_stages_or_the_fraction():
    told, fractions = [], []
    axes = {"Omega0": (0, 10), "l": (0.1, 1.5)}
    gc.certify_region(skate(), "spinning", axes, depth=3, progress=lambda *given: told.append(given))
    assert {len(given) for given in told} == {3}
    assert told[-1][0] == "tile 64 of 64"
    assert told[-1][1].endswith("of 64 cells decided")
    assert told[-1][2] > 0
    gc.certify_region(skate(), "spinning", axes, depth=3, progress=fractions.append)
    assert fractions[-1] == 1.0
    stages = []
    gc.certify(
        skate(), skate().equilibrium("spinning", Omega0=6.0), progress=lambda *given: stages.append(given[0])
    )
    assert "spectrum and energy" in stages


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_line_is_shown_on_a_terminal_after_two_seconds(monkeypatch):
    for quiet, asked in ((0.02, False), (30.0, True)):
        monkeypatch.setattr(long_calls, "QUIET", quiet)
        monkeypatch.setattr(long_calls, "INTERVAL", 0.02)
        monkeypatch.setattr(sys, "stderr", Terminal())
        report = Progress(asked, "certify")
        report(0.5, "spectrum", "NUMERICALLY_STABLE")
        time.sleep(0.2)
        report.close()
        assert "spectrum  best: NUMERICALLY_STABLE" in sys.stderr.getvalue()
        assert sys.stderr.getvalue().endswith("\n")
    monkeypatch.setattr(sys, "stderr", Terminal())
    report = Progress(False, "certify")  # negative control: too soon
    report.close()
    assert sys.stderr.getvalue() == ""


def test_nothing_is_shown_where_there_is_no_terminal(capfd):
    gc.certify(skate(), skate().equilibrium("spinning", Omega0=6.0), progress=True)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("seconds", "budget", "told"), [(1.0, 60.0, 1), (None, 7.0, 7), (9.0, 0.5, 0.5)])
def test_the_seconds_that_were_given_are_told(seconds, budget, told):
    """A search within a call may take most of what is left; that is no number that anybody gave."""
    search = LongCall("a call", False, seconds).search_budget(budget)
    search.cut.append("a part")
    assert search.note == f"not finished within the budget of {told} s: a part"
    assert search.seconds <= told


def test_calls_within_calls():
    """Stages go to the innermost call; one that is done is no more under way, whatever ends it."""

    @long_call
    def inner(*, progress=False, seconds=None):
        tell("inner stage")
        return under_way().report.stage

    @long_call
    def outer(*, progress=False, seconds=None):
        assert inner() == "inner stage"
        with pytest.raises(gc.BudgetError, match="inner: not finished"):
            late(seconds=0.01)
        return under_way()

    @long_call
    def late(*, progress=False, seconds=None):
        while True:
            time.sleep(0.001)

    late.__wrapped__.__name__ = "inner"
    assert isinstance(outer(), LongCall)
    assert not long_calls._UNDER_WAY.calls


@pytest.mark.parametrize("seconds", [0, -1.0, "3", float("nan"), True, 1j])
def test_seconds_are_positive(seconds):
    with pytest.raises(gc.errors.InputError, match="seconds must be a positive number"):
        gc.certify(skate(), skate().equilibrium("spinning", Omega0=6.0), seconds=seconds)


@pytest.mark.parametrize("progress", [None, 1, "yes"])
def test_progress_is_a_flag_or_a_callable(progress):
    with pytest.raises(TypeError, match="progress must be True, False or a callable"):
        gc.certify(skate(), skate().equilibrium("spinning", Omega0=6.0), progress=progress)


def test_a_map_cut_short_holds_what_is_decided(tmp_path):
    found = CASES["certify_region"][1](0.05)
    found.to_json(tmp_path / "map.json")
    cells = json.loads((tmp_path / "map.json").read_text())["theorem"]["cells"]
    assert set(cells) - {"+", "."}
    assert "." in cells


@pytest.fixture
def thresholds():
    """Those of the collector, put back after the test."""
    before = gc_module.get_threshold()
    yield before
    gc_module.set_threshold(*before)


def test_the_collector_looks_seldom_while_equations_are_recorded_and_as_before_after(thresholds):
    seen = []

    @rare_collections
    def outer(inner):
        seen.append(gc_module.get_threshold())
        inner()

    def failure():
        outer(lambda: seen.append(gc_module.get_threshold()))
        seen.append(gc_module.get_threshold())
        raise ArithmeticError

    gc_module.set_threshold(700, 9, 8)
    with pytest.raises(ArithmeticError):
        outer(failure)
    assert seen == [(collector.SELDOM, 9, 8)] * 4
    assert gc_module.get_threshold() == (700, 9, 8)
    for own in ((0, 9, 8), (10**6, 9, 8)):  # off, and more seldom still
        gc_module.set_threshold(*own)
        outer(lambda: None)
        assert seen[-1] == gc_module.get_threshold() == own
    outer(lambda: gc_module.set_threshold(500))  # what is set on the way stays
    assert gc_module.get_threshold()[0] == 500
