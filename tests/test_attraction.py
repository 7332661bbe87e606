"""Regions that motions do not leave: against closed forms and simulated starts; files that are changed."""

import copy
import json
import math
from contextvars import copy_context

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

import geoctrl as gc
from geoctrl import checker
from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import number_text, set_roots
from geoctrl.checker.sublevels.cover import _neighbours
from geoctrl.cli import main
from tests.attack.parts.claims import leaf_of_set_at_odds


def pendulum(damping=0):
    phi = gc.Coordinate("phi", angle=True)
    return gc.EulerPoincare(
        algebra=None,
        shape=[phi],
        inertia=[[2]],
        potential=-3 * sp.cos(phi.symbol),
        forces=[-damping * phi.rate] if damping else None,
        name="pendulum",
    ).reduce()


@pytest.fixture(scope="module")
def swing():
    system = pendulum()
    return system, gc.region_of_attraction(system, system.state())


@pytest.fixture(scope="module")
def skate():
    """The damped loop, with what the starts of its region are made of."""
    law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-5e-6).with_damping(k=8)
    loop = law.closed_loop()
    eq = loop.equilibrium("sliding", Y0=1.0)
    return loop, eq, gc.region_of_attraction(loop, eq)


def on_level(loop, eq, lean, roll):
    """A state of the skate at a lean and a rate of it, on the levels of C1 and C2 of an equilibrium.

    Both are linear in v2 and v3, which numbers of the invariants at three points tell.
    """
    shape = [math.sin(lean), math.cos(lean)]

    def at(v2, v3):
        found = loop.invariants(np.array([roll, v2, v3, *shape]))
        return np.array([found["C1"], found["C2"]])

    zero = at(0, 0)
    slopes = np.column_stack([at(1, 0) - zero, at(0, 1) - zero])
    levels = loop.invariants(eq.x)
    v2, v3 = np.linalg.solve(slopes, [levels["C1"], levels["C2"]] - zero)
    return np.array([roll, v2, v3, *shape])


def starts(loop, eq, lean, roll, count, seed=3):
    rng = np.random.default_rng(seed)
    draws = zip(rng.uniform(-lean, lean, count), rng.uniform(-roll, roll, count), strict=True)
    return np.array([on_level(loop, eq, a, b) for a, b in draws]).T


def verified(data, path):
    """What the checker says of a file's data with the digest made anew."""
    body = {k: v for k, v in data.items() if k != "digest"}
    path.write_text(json.dumps(body | {"digest": checker.digest_of(body)}))
    return gc.verify(path)


# -- what is claimed ---------------------------------------------------------------------------------------


def test_the_pendulum_keeps_all_that_is_below_its_saddle(swing):
    """E = phi_dot^2 - 3 cos phi, of which the saddle is at 3: the separatrix bounds what stays."""
    _, roa = swing
    assert roa.verdict is gc.Verdict.PROVED_INVARIANT
    assert 3 - 1e-3 < roa.level < 3
    assert roa.lyapunov == "energy"
    assert "another critical point" in roa.reason
    rng = np.random.default_rng(1)
    phi, rate = rng.uniform(-math.pi, math.pi, 400), rng.uniform(-2.6, 2.6, 400)
    stays = rate**2 - 3 * np.cos(phi) < 3
    inside = roa.contains(np.array([rate, phi]))
    assert not np.any(inside & ~stays)
    assert inside.sum() >= 0.99 * stays.sum()


def test_what_is_below_the_level_in_another_well_is_not_inside(swing):
    _, roa = swing
    assert roa.contains([0.0, 0.0])
    assert not roa.contains([0.0, 2 * math.pi])
    assert not roa.contains([0.0, 3.2])


def test_motions_of_the_pendulum_stay_and_those_above_the_saddle_leave(swing):
    system, roa = swing
    inside, above = np.array([1.5, 1.2]), np.array([2.5, 0.0])
    assert roa.contains(inside)
    assert not roa.contains(above)
    times = np.linspace(0, 20, 201)
    kept = gc.simulate(system, times, inside)
    assert np.all(roa.contains(kept.states))
    assert np.max(np.abs(gc.simulate(system, times, above)["phi"])) > math.pi


def test_a_damped_pendulum_has_the_region_of_the_free_one():
    system = pendulum(damping=sp.Rational(1, 5))
    roa = gc.region_of_attraction(system, system.state())
    assert 3 - 1e-3 < roa.level < 3
    assert "falls, identically: energy" in " ".join(checker.check(roa.to_dict()).checks)


def test_motions_tend_to_the_point_where_friction_damps_all_velocities(swing, tmp_path):
    """phi_dot = 0 for all time leaves the point alone below the saddle; without damping nothing is said."""
    _, free = swing
    assert free.tends == ""
    assert "tend" not in free.claim
    system = pendulum(damping=sp.Rational(1, 2))
    roa = gc.region_of_attraction(system, system.state())
    assert roa.verdict is gc.Verdict.PROVED_ATTRACTED
    assert roa.tends == "the equilibrium"
    assert f"for ever, and tend to {roa.tends}." in roa.claim
    assert not leaf_of_set_at_odds(roa.data, roa.claim, np.random.default_rng(0))
    start = [0.0, 3.0]
    assert roa.contains(start)
    run = gc.simulate(system, [0, 60, 120], start)
    assert np.max(np.abs(run.states[:, -1])) < 1e-4
    assert verified(roa.data, tmp_path / "roa.json").verdict is gc.Verdict.PROVED_ATTRACTED
    squares = changed(free.data, ["theorem", "fall"], roa.data["theorem"]["fall"])
    with pytest.raises(gc.CertificateError, match="what falls is not the energy"):
        verified(squares, tmp_path / "forged.json")


def test_a_pendulum_that_is_driven_has_none():
    system = pendulum(damping=-sp.Rational(1, 5))
    with pytest.raises(gc.CertificateError, match="no region is proved"):
        gc.region_of_attraction(system, system.state())


def test_the_upright_pendulum_has_none():
    system = pendulum()
    with pytest.raises(gc.CertificateError, match="no region is proved"):
        gc.region_of_attraction(system, [0.0, math.pi])


def test_the_skate_keeps_all_leans_that_do_not_reach_the_ice(skate):
    """On its level of C1, C2 the effective potential grows up to the horizontal, where the model ends."""
    loop, eq, roa = skate
    edge = -float(loop.energy(on_level(loop, eq, math.pi / 2 - 1e-9, 0.0)))
    rest = -float(loop.energy(eq.x))
    assert rest < roa.level < edge
    assert (roa.level - rest) / (edge - rest) > 0.99
    assert set(roa.held) == {"C1", "C2"}
    assert "the domain of the model" in roa.reason


def test_simulated_starts_of_the_skate_stay(skate):
    loop, eq, roa = skate
    drawn = starts(loop, eq, 1.55, 4.0, 150)
    inside = roa.contains(drawn)
    below = np.array([-float(loop.energy(x)) for x in drawn.T]) <= roa.level
    assert inside.sum() > 40
    assert np.array_equal(inside, below)  # none is lost to the cells
    for x in drawn[:, inside][:, :40].T:
        run = gc.simulate(loop, np.linspace(0, 3, 61), x)
        assert run.success
        assert np.min(run["Gamma3"]) > 0
        assert np.max(-loop.energy(run.states)) <= roa.level + 1e-9


def test_another_level_set_is_not_inside(skate):
    _, eq, roa = skate
    assert roa.contains(eq.x)
    assert not roa.contains(eq.x + np.array([0, 0, 1e-3, 0, 0]))
    assert not roa.contains(eq.x + np.array([0, 0, 0, 1e-3, 0]))  # off the leaf


@pytest.mark.long(reason="a box of depth five; the skate is kept by multipliers too")
@pytest.mark.slow
def test_sleeping_top_is_kept_with_multipliers():
    """Pi3 and Gamma.Pi have the same differential at the pole: they enter the function instead."""
    top = gc.models.get("heavy-top")().reduce()
    eq = top.equilibrium("sleeping", Omega0=20.0, params={"I1": 0.8, "I2": 0.8})
    roa = gc.region_of_attraction(top, eq, depth=5)
    assert not roa.held
    assert roa.contains(eq.x)
    rng, count = np.random.default_rng(5), 0
    for _ in range(40):
        axis = np.array([*rng.normal(0, 0.5, 2), 1.0])
        x = np.array([*rng.normal(0, 2, 2), 20.0 + rng.normal(0, 0.5), *(axis / np.linalg.norm(axis))])
        if roa.contains(x):
            count += 1
            run = gc.simulate(top, np.linspace(0, 3, 31), x, params=eq.params)
            assert np.all(roa.contains(run.states))
    assert count > 10


# -- bounds -------------------------------------------------------------------------------------------------


def test_velocities_are_eliminated_exactly(skate):
    """The bound over a point is the energy at the velocities that the levels leave, less what the widths
    of the levels take.
    """
    loop, eq, roa = skate
    energy = roa._finding.energy
    for lean in (0.2, -0.9, 1.3):
        x = on_level(loop, eq, lean, 0.0)
        cell = tuple((fmpq(*float(v).as_integer_ratio()),) * 2 for v in x[3:])
        least = energy.least(energy.quadratic(cell))
        assert -1e-4 < float(least) + float(loop.energy(x)) <= 1e-9


def test_bounds_over_cells_lie_below_all_states_over_them(skate):
    """Cells of all sizes, with the states of the circle in them at any roll rate."""
    loop, eq, roa = skate
    energy = roa._finding.energy
    rng, decided = np.random.default_rng(11), 0
    for _ in range(60):
        lean, half = rng.uniform(-1.5, 1.5), 10 ** rng.uniform(-4, -1)
        middle = np.array([math.sin(lean), math.cos(lean)]) + rng.uniform(-0.5, 0.5, 2) * half
        cell = tuple(
            (fmpq(*float(m - half).as_integer_ratio()), fmpq(*float(m + half).as_integer_ratio()))
            for m in middle
        )
        try:
            least = energy.least(energy.quadratic(cell))
        except Refusal:
            continue
        if least is None:
            continue
        decided += 1
        for other in rng.uniform(lean - 2 * half, lean + 2 * half, 20):
            if np.all(np.abs([math.sin(other), math.cos(other)] - middle) <= half):
                x = on_level(loop, eq, other, rng.normal())
                assert float(least) <= -float(loop.energy(x)) + 1e-9
    assert decided > 30


def test_a_velocity_that_is_not_held_is_bounded_by_the_kinetic_energy():
    """Two carts, of which one has no potential: its place would run away, so that there is no region."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    carts = gc.EulerPoincare(
        algebra=None, shape=[x, y], inertia=[[1, 0], [0, 2]], potential=x.symbol**2, name="carts"
    ).reduce()
    with pytest.raises(gc.CertificateError, match="by energy, cells: at this level"):
        gc.region_of_attraction(carts, carts.state(), depth=5)


@pytest.mark.long(reason="analysis/test_levels_of_regions.py asks for a well below its saddles")
def test_the_well_of_a_quartic_is_kept_up_to_its_saddles():
    """V = x^2/2 - x^4/4 + y^2, saddles at x = -1 and 1 with the value 1/4."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    V = x.symbol**2 / 2 - x.symbol**4 / 4 + y.symbol**2
    ball = gc.EulerPoincare(algebra=None, shape=[x, y], inertia=[[1, 0], [0, 2]], potential=V, name="ball")
    system = ball.reduce()
    roa = gc.region_of_attraction(system, system.state(), depth=7)
    assert 0.1 < roa.level < 0.25
    assert roa.contains(system.state(x=0.4))
    assert not roa.contains(system.state(x=1.05))
    assert not roa.contains(system.state(x=3.0))  # far below the level, beyond the saddle


def test_a_well_at_an_irrational_place(tmp_path):
    """V = (x^2 - 2)^2/4: the region ends at the saddle between the wells, and at x = 2 beyond."""
    x = gc.Coordinate("x")
    system = gc.EulerPoincare(
        algebra=None,
        shape=[x],
        inertia=[[3]],
        potential=(x.symbol**2 - 2) ** 2 / 4,
        equilibria={"well": gc.Family({"x": sp.sqrt(2)})},
    ).reduce()
    eq = system.equilibrium("well")
    roa = gc.region_of_attraction(system, eq)
    assert roa.point["x"] == math.sqrt(2)
    assert 0.99 < roa.level < 1
    states = np.array([[0, 0, 0, 0, 0.8, 0.84], [1.41, 0.1, 1.98, -1.41, 1.41, 1.41]])
    assert list(roa.contains(states)) == [True, True, True, False, True, False]
    roa.to_json(tmp_path / "well.json")
    assert gc.verify(tmp_path / "well.json").verdict is gc.Verdict.PROVED_INVARIANT


@pytest.mark.long(reason="test_sets_by_slopes.py and test_levels_of_regions.py ask for limits that hold")
def test_limits_lower_the_level_and_hold():
    system = pendulum()
    phi, rate = system.states[1], system.states[0]
    watched = system.mechanism.replace(outputs={"pull": 2 * phi + rate}).reduce()
    roa = gc.region_of_attraction(watched, watched.state(), limits={"pull": 2.0})
    assert roa.limits == {"pull": 2.0}
    assert "|pull| <= 2" in roa.claim
    phi, rate = np.meshgrid(np.linspace(-2, 2, 81), np.linspace(-2, 2, 81))
    x = np.array([rate.ravel(), phi.ravel()])
    inside = roa.contains(x)
    largest = np.max(np.abs(2 * x[1, inside] + x[0, inside]))
    assert 1.9 < largest <= 2.0


# -- files --------------------------------------------------------------------------------------------------


def test_the_file_is_confirmed(swing, tmp_path):
    _, roa = swing
    roa.to_json(tmp_path / "roa.json")
    report = gc.verify(tmp_path / "roa.json")
    assert report.verdict is gc.Verdict.PROVED_INVARIANT
    assert report.claim == roa.claim
    assert any("cells of shapes" in line for line in report.checks)


def changed(data, path, value):
    found = json.loads(json.dumps(data))
    at = found
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return found


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["theorem", "level"], "4", "at this level"),
        (["theorem", "level"], "-3", "not above the value"),
        (["theorem", "cells"], ".", "at this level"),
        (["theorem", "cells"], "+.", "no tree"),
        (["theorem", "cells"], "+..+", "no tree"),
        (["theorem", "sense"], -1, "not what it is said to be"),
        (["theorem", "velocities"], [], "a state is a velocity or has a side"),
        (["theorem", "velocities"], ["phi"], "named twice"),
        (["theorem", "function"], 0, "not what it is said to be"),
        (["theorem", "function"], 9999, "do not fit each other"),
        (["theorem", "energy"], "none", "no invariant"),
        (["theorem", "sides"], {"phi": ["1", "4"]}, "not within the box"),
        (["theorem", "sides"], {"phi": ["4", "-4"]}, "empty"),
        (["theorem", "leaf", "free"], ["phi_dot"], "do not fit each other"),
        (["theorem", "name"], "slopes", "unknown, or missing"),
        (["problem", "states", "phi"], "1", "sin is no number of the field"),
        (["problem", "field"], [0, 0], "not proved that the motion keeps"),
        (["theorem", "domain"], [1], "domain of the model"),
        (["claim"], "All is well.", "unknown"),
        (["verdict"], "PROVED_STABLE", "unknown"),
    ],
)
def test_a_changed_file_is_refused(swing, tmp_path, path, value, words):
    _, roa = swing
    with pytest.raises(gc.CertificateError, match=words):
        verified(changed(roa.data, path, value), tmp_path / "forged.json")


def test_a_higher_level_of_the_skate_is_refused(skate, tmp_path):
    _, _, roa = skate
    with pytest.raises(gc.CertificateError, match="at this level"):
        verified(changed(roa.data, ["theorem", "level"], str(fmpq(-3, 2) + 1)), tmp_path / "forged.json")


def test_wider_levels_of_what_is_held_are_refused_at_the_same_level(skate, tmp_path):
    _, _, roa = skate
    path = ["theorem", "held", "C2", "width"]
    with pytest.raises(gc.CertificateError):
        verified(changed(roa.data, path, "1"), tmp_path / "forged.json")


def test_a_change_without_a_new_digest_is_refused(swing, tmp_path):
    _, roa = swing
    data = roa.to_dict() | {"system": "another"}
    (tmp_path / "roa.json").write_text(json.dumps(data))
    with pytest.raises(gc.CertificateError, match="digest"):
        gc.verify(tmp_path / "roa.json")


# -- misuse -------------------------------------------------------------------------------------------------


def test_the_point_touches_the_spans_that_it_is_in():
    """Written with its ends exchanged: the span [p, q] is touched where ceil <= q and p <= floor."""
    for text, expected in (("5/2", (3, 2)), ("4", (4, 4)), ("3*r1", (5, 4))):
        assert copy_context().run(_neighbours_of, text) == expected


def _neighbours_of(text):
    set_roots(["2"])
    return _neighbours(number_text(text))


def test_a_function_of_accelerations_has_no_value_over_a_cell(swing):
    """They are zero in further nodes alone, where nothing but what they solve for holds them."""
    _, roa = swing
    energy = copy.copy(roa._finding.energy)
    (energy.function,) = energy.question.unknowns
    with pytest.raises(Refusal, match="must not occur"):
        energy.quadratic(energy.box)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"limits": {"u": 1.0}}, gc.ParameterError, "no output 'u'"),
        ({"limits": 3}, gc.InputError, "limits must be a dict"),
        ({"widths": {"C": 1.0}}, gc.ParameterError, "no invariant 'C'"),
        ({"widths": {"energy": -1.0}}, gc.InputError, "must be positive"),
        ({"depth": 0}, gc.InputError, "whole number from 1 to 24"),
        ({"params": {"g": 1}}, gc.ParameterError, "g"),
    ],
)
def test_bad_arguments_are_told(given, error, words):
    system = pendulum()
    with pytest.raises(error, match=words):
        gc.region_of_attraction(system, system.state(), **given)


def test_bad_states_are_told(swing):
    _, roa = swing
    with pytest.raises(gc.InputError, match="phi_dot, phi"):
        roa.contains([1.0, 2.0, 3.0])
    with pytest.raises(gc.InputError, match="finite"):
        roa.contains([math.nan, 0.0])


def test_a_file_is_compared_with_the_catalogue(tmp_path, capsys):
    pendulum = gc.models.get("pendulum-skate")().reduce()
    eq = pendulum.equilibrium("spinning", Omega0=9.0)
    roa = gc.region_of_attraction(pendulum, eq, depth=10)
    roa.to_json(tmp_path / "skate.json")
    assert main(["verify", "--rebuild", str(tmp_path / "skate.json")]) == 0
    assert "the domain of the model" in capsys.readouterr().out
    body = changed(roa.data, ["theorem", "domain"], [])
    verified(body, tmp_path / "forged.json")  # of a system without an edge it would hold
    assert main(["verify", "--rebuild", str(tmp_path / "forged.json")]) != 0
    assert "domain" in capsys.readouterr().err


def test_a_file_that_measures_an_angle_from_another_is_compared(tmp_path):
    wheel = gc.models.get("inertia-wheel-pendulum")().reduce()
    roa = gc.region_of_attraction(wheel, wheel.equilibrium("hanging"), by="energy", depth=4)
    assert "phi - pi" in roa.extent
    assert roa.state_units["phi - pi"] == "rad"
    assert roa.plot().get_xlabel() == "phi - pi (rad)"
    roa.to_json(tmp_path / "wheel.json")
    assert main(["verify", "--rebuild", str(tmp_path / "wheel.json")]) == 0


# -- boxes and pictures --------------------------------------------------------------------------------------


def in_boxes(roa, x, **given):
    boxes = [list(box.values()) for box in roa.boxes(**given)]
    low, high = np.moveaxis(np.array(boxes), 2, 0)
    return np.array([np.any(np.all((low <= s) & (s <= high), axis=1)) for s in x.T])


def test_boxes_hold_the_region_and_little_more(swing):
    """The region is that of phi_dot^2 <= level + 3 cos phi: its area next to the separatrix is 8 sqrt 6."""
    _, roa = swing
    rng = np.random.default_rng(2)
    x = rng.uniform([[-2.6], [-3.3]], [[2.6], [3.3]], (2, 500))
    inside, held = roa.contains(x), in_boxes(roa, x)
    assert not np.any(inside & ~held)
    for pieces, more in ((32, 1.12), (256, 1.02)):
        area = sum(math.prod(b - a for a, b in box.values()) for box in roa.boxes(pieces))
        assert 8 * math.sqrt(6) * 0.99 < area < 8 * math.sqrt(6) * more


def test_boxes_of_the_skate_hold_its_states(skate):
    loop, eq, roa = skate
    x = starts(loop, eq, 1.55, 4.0, 300)
    inside = roa.contains(x)
    assert inside.sum() > 100
    assert np.all(in_boxes(roa, x, pieces=4)[inside])
    assert max(box["v1"][1] for box in roa.boxes(4)) < 4.5


def test_a_region_is_drawn_with_runs(swing):
    system, roa = swing
    times = np.linspace(0, 6, 61)
    runs = [gc.simulate(system, times, x) for x in ([1.5, 1.2], [2.5, 1.0])]
    ax = roa.plot(runs=runs)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"$\phi$ (rad)", r"$\dot{\phi}$ (rad/s)")
    dashes = {line.get_label(): line.get_linestyle() for line in ax.lines}
    assert dashes["begins in the region"] == "-"
    assert dashes["begins outside"] == "--"
    shadows = ax.collections[0].get_paths()
    assert len(shadows) == len(roa.boxes())
    corners = np.vstack([path.vertices for path in shadows])
    assert np.max(np.abs(corners[:, 1])) == pytest.approx(math.sqrt(6), rel=0.03)


def test_a_lonely_run_is_drawn_over_states_by_name(swing):
    system, roa = swing
    ax = gc.viz.attraction(roa, "phi_dot", "phi", runs=gc.simulate(system, [0, 1], [1.5, 1.2]), title="swing")
    assert ax.get_ylabel() == r"$\phi$ (rad)"
    assert ax.get_title() == "swing"


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"x": "psi"}, gc.LabelError, "no state 'psi'"),
        ({"x": "phi", "y": "phi"}, gc.InputError, "twice"),
        ({"runs": 3}, TypeError, "trajectory"),
        ({"pieces": 0}, gc.InputError, "pieces"),
        ({"ax": 3}, TypeError, "axes"),
    ],
)
def test_bad_pictures_are_told(swing, given, error, words):
    with pytest.raises(error, match=words):
        swing[1].plot(**given)


def test_pictures_of_something_else_are_told(swing, skate):
    with pytest.raises(TypeError, match="region_of_attraction"):
        gc.viz.attraction(3)
    run = gc.simulate(skate[0], [0, 0.1], skate[1].x)
    with pytest.raises(gc.InputError, match="phi_dot, phi"):
        swing[1].plot(runs=run)


def rubbed(force):
    """The pendulum with an inertia of 2 and the weight 3, under a force of its angle and rate."""
    phi = gc.Coordinate("phi", angle=True)
    return gc.EulerPoincare(
        algebra=None,
        shape=[phi],
        inertia=[[2]],
        potential=-3 * sp.cos(phi.symbol),
        forces=[force(phi.symbol, phi.rate)],
        name="pendulum",
    ).reduce()


@pytest.mark.parametrize(
    "force",
    [
        lambda q, v: -v - 2 * v**3,
        lambda q, v: -(v**3),
        lambda q, v: -v * (1 + q**2 + v**4),
        lambda q, v: -v * (3 + sp.cos(q) * v**2 + v**2),
    ],
    ids=["linear and cubic", "cubic", "of the fifth degree", "by the place"],
)
def test_friction_that_is_not_linear(force, tmp_path):
    """All below the saddle stays, as without friction; runs lose energy and stay."""
    system = rubbed(force)
    roa = gc.region_of_attraction(system, system.state(), by="energy")
    assert 2.99 < roa.level < 3
    assert roa.levels == ()
    assert roa.tends
    path = tmp_path / "region.json"
    roa.to_json(path)
    assert gc.verify(path).verdict is roa.verdict
    start = np.array([1.9, 0.0])
    assert roa.contains(start)
    run = gc.simulate(system, np.linspace(0, 20, 101), start)
    assert np.all(np.diff(system.energy(run.states)) < 0)
    assert np.all(roa.contains(run.states))


@pytest.mark.parametrize("force", [lambda q, v: -v + v**3, lambda q, v: -v * (2 - q * v)])
def test_friction_of_changing_sign_by_the_rate_is_no_fall(force):
    system = rubbed(force)
    with pytest.raises(gc.CertificateError, match="no region is proved"):
        gc.region_of_attraction(system, system.state(), by="energy")
