"""Vector fields: what every system answers, and what is refused."""

from __future__ import annotations

import json
import pickle
from functools import cache

import numpy as np
import pytest
import scipy.linalg
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from geoctrl._scalars import Program

x, y, z, w, u = sp.symbols("x y z w u", real=True)
R = sp.Rational


@cache
def lorenz_84():
    """E. N. Lorenz, Irregularity: a fundamental property of the atmosphere, Tellus 36A (1984), (1)-(3)."""
    a, b, F, G = (
        gc.Parameter(k, v, positive=True) for k, v in (("a", 0.25), ("b", 4.0), ("F", 1.2), ("G", 1.0))
    )
    rates = [-(y**2) - z**2 - a * x + a * F, x * y - b * x * z - y + G.symbol, b * x * y + x * z - z]
    return gc.VectorField([x, y, z], rates, parameters=[a, b, F, G], name="Lorenz-84").reduce()


@cache
def car():
    v, length = gc.Parameter("v", 1.5, "m/s", positive=True), gc.Parameter("L", 2.5, "m", positive=True)
    across, theta = gc.Coordinate("y", unit="m"), gc.Coordinate("theta", angle=True)
    return gc.VectorField(
        states=[across, theta],
        rates=[v * sp.sin(theta), v / length * sp.tan(sp.Symbol("delta"))],
        inputs=["delta"],
        parameters=[v, length],
        equilibria={"on the line": gc.Family({})},
        name="car on a line",
    )


@cache
def law():
    system = car().reduce()
    return gc.lqr(system, system.equilibrium("on the line"))


def test_lorenz_84_is_proved_in_balls_and_followed_to_its_hopf_point():
    system = lorenz_84()
    eq = gc.find_equilibrium(system, [0.87, 0.01, 0.29])
    assert gc.certify(system, eq).verdict.name == "PROVED_ASYMPTOTICALLY_STABLE"
    branch = gc.follow(system, eq, along="F", span=(1.1, 1.35))
    (hopf,) = [c for c in branch.changes if c.kind == "Hopf point"]
    assert hopf.bracket[0] < 1.27893959024 + 5e-11
    assert hopf.bracket[1] > 1.27893959024 - 5e-11


def test_conditions_and_map_of_the_zonal_flow():
    a, b = gc.Parameter("a", 0.25, positive=True), gc.Parameter("b", 4.0, positive=True)
    F = gc.Parameter("F", 0.5)
    rates = [-(y**2) - z**2 - a * x + a * F, x * y - b * x * z - y, b * x * y + x * z - z]
    zonal = {"zonal": gc.Family({"x": F.symbol})}
    system = gc.VectorField([x, y, z], rates, parameters=[a, b, F], equilibria=zonal).reduce()
    (row,) = [
        c for c in gc.stability_conditions(system, "zonal").stable if "F - 1" in str(c) or "1 - F" in str(c)
    ]
    assert bool(row.subs(F.symbol, 0.5))
    found = gc.certify_region(system, "zonal", {"F": (0, 2), "a": (0.1, 1)}, depth=4)
    assert found.stable == pytest.approx(0.5, abs=0.07)


def test_the_car_is_held_by_a_law_of_its_angle():
    """u = K x closes y' = v sin theta, theta' = v tan(delta)/L: the loop, sampled at 20 Hz, and a set."""
    system, point = car().reduce(), car().equilibrium("on the line")
    assert system.state_labels == ("y", "theta")
    loop = law().closed_loop()
    assert gc.certify(loop, loop.equilibrium("on the line")).verdict.name == "PROVED_ASYMPTOTICALLY_STABLE"
    held = gc.certify(system, point, controller=law().sampled(rate=20))
    assert held.verdict.name == "PROVED_ASYMPTOTICALLY_STABLE"
    end = gc.simulate(system, np.linspace(0, 20, 3), [0.5, 0.3], controller=law().sampled(rate=20)).states[
        :, -1
    ]
    assert np.max(np.abs(end)) < 1e-6
    estimator = gc.lqe(system, point, ["y"])
    both = law().closed_loop(estimator)
    assert gc.certify(both, np.zeros(4)).verdict.name == "PROVED_ASYMPTOTICALLY_STABLE"


def test_inputs_enter_the_jacobian_wherever_they_stand():
    """By complex steps of the recorded rates, which know nothing of the derivatives."""
    rng = np.random.default_rng(3)
    a = gc.Parameter("a", 0.7)
    fields = [
        gc.VectorField([x], [sp.exp(u) * x + u**2], inputs=["u"]),
        gc.VectorField([x, y], [u * y, a * sp.sin(x * u) + w], inputs=[u, w], parameters=[a]),
        gc.VectorField([x, y, z], [y / (1 + u**2), -x, u * z**2 + x], inputs=["u"]),
        car(),
        gc.VectorField([x, y], [-y + u, x], inputs=["u"], controller={"c": x - sp.Symbol("c", real=True)}),
    ]
    for field in fields:
        system = field.reduce()
        point, inputs = rng.normal(size=system.nstates) / 3, rng.normal(size=system.ninputs) / 3
        program = Program(system.graph, system.arguments, system.parameter_nodes, system.field_nodes)
        values, step = system.parameters_at(None), 1e-30
        both = np.concatenate([point, [0.0], inputs]).astype(complex)
        columns = []
        for k in [*range(system.nstates), *range(system.nstates + 1, both.size)]:
            moved = both.copy()
            moved[k] += 1j * step
            columns.append(np.array([complex(e).imag / step for e in program(list(moved), values)]))
        expected = np.array(columns).T
        found = np.hstack([system.jacobian(0.0, point, inputs), system.input_jacobian(0.0, point, inputs)])
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-13)


def with_further(first, count, reason):
    """Seeds, the first of which are asked in the plain run."""
    later = [pytest.param(seed, marks=pytest.mark.long(reason=reason)) for seed in range(first, count)]
    return pytest.mark.parametrize("seed", [*range(first), *later])


@with_further(4, 50, "fifty pairs of random matrices")
def test_lqr_of_a_linear_field_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    n, m = 3, 2
    A, B = rng.integers(-3, 4, (n, n)), rng.integers(-2, 3, (n, m))
    B[0, 0] = B[1, 1] = 3
    states, inputs = sp.symbols("x1:4", real=True), sp.symbols("u1:3", real=True)
    rates = sp.Matrix(A.tolist()) * sp.Matrix(states) + sp.Matrix(B.tolist()) * sp.Matrix(inputs)
    system = gc.VectorField(states, rates, inputs=inputs).reduce()
    P = scipy.linalg.solve_continuous_are(A.astype(float), B.astype(float), np.eye(n), np.eye(m))
    design = gc.lqr(system, np.zeros(n), Q=np.eye(n), R=np.eye(m))
    assert design.K == pytest.approx(B.T @ P, rel=1e-9, abs=1e-9)


@with_further(2, 20, "twenty held loops of random matrices")
def test_multipliers_of_a_held_linear_field_are_those_of_the_exponential(seed):
    """x over one hold of h is (e^(A h) - B(h) K) x, both blocks of one exponential; a proof says the same."""
    rng, h = np.random.default_rng(seed), 0.1
    A, B, n = rng.integers(-3, 4, (3, 3)), rng.integers(-2, 3, (3, 2)), 3
    B[0, 0] = B[1, 1] = 3
    K = rng.integers(-2, 3, (2, 3)).astype(float)
    states, inputs = sp.symbols("x1:4", real=True), sp.symbols("u1:3", real=True)
    rates = sp.Matrix(A.tolist()) * sp.Matrix(states) + sp.Matrix(B.tolist()) * sp.Matrix(inputs)
    system = gc.VectorField(states, rates, inputs=inputs).reduce()
    held = gc.linear_law(system, np.zeros(n), K).sampled(rate=10)
    whole = scipy.linalg.expm(h * np.block([[A, B], [np.zeros((2, n + 2))]]))
    expected = np.linalg.eigvals(whole[:n, :n] - whole[:n, n:] @ K)
    found = gc.linearize_held(system, held, np.zeros(n)).multipliers
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(expected), abs=1e-10)
    said = gc.certify(system, np.zeros(n), controller=held).verdict.name
    largest = np.abs(expected).max()
    if said.startswith("PROVED_") and abs(largest - 1) > 1e-9:
        assert said == ("PROVED_ASYMPTOTICALLY_STABLE" if largest < 1 else "PROVED_UNSTABLE")


def test_a_set_is_about_what_moves_by_itself_or_moves_others():
    """A position that is carried along is free; x' = -x + x^3 keeps its own state."""
    cubic = gc.region_of_attraction(gc.VectorField([x], [-x + x**3]).reduce(), [0], by="squares")
    assert 0.9 < cubic.extent["x"][1] < 1
    assert checker.check(json.loads(cubic.to_json())).verdict == "PROVED_ATTRACTED"
    v = sp.Symbol("s", real=True)
    with_place = gc.VectorField([v, x], [x, -x - x**3]).reduce()
    assert set(gc.region_of_attraction(with_place, [0, 0], by="squares").extent) == {"x"}


@pytest.mark.long(reason="2 s of a set by slopes")
def test_rates_with_poles_have_sets_within_them():
    system = gc.VectorField([x], [-x / (1 - x**2)]).reduce()
    found = gc.region_of_attraction(system, [0], by="slopes")
    low, high = found.extent["x"]
    assert -1 < low < -0.4
    assert 0.4 < high < 1


def test_the_orbit_of_van_der_pol():
    """Period and multiplier to the digits of M. Andersen, J. Geer, SIAM J. Appl. Math. 42 (1982)."""
    system = gc.VectorField([x, y], [y, -x + (1 - x**2) * y]).reduce()
    orbit = gc.find_periodic(system, [2.0, 0.0], 6.6)
    assert orbit.period == pytest.approx(6.66328685932, abs=1e-9)
    assert min(abs(orbit.multipliers)) == pytest.approx(8.59695e-4, rel=1e-4)


def test_other_units_say_the_same():
    """x' = -x + x^3 in units a thousandth as large, and in microseconds."""
    k, s = R(1, 1000), 10**6
    plain, other = ([x], [-x + x**3]), ([x], [s * (-x + (x / k) ** 2 * x)])
    sets = [gc.region_of_attraction(gc.VectorField(*f).reduce(), [0], by="slopes") for f in (plain, other)]
    assert sets[1].extent["x"][1] == pytest.approx(sets[0].extent["x"][1] * float(k), rel=1e-6)
    changed, change = car().in_units(length=1000)
    assert changed.defaults == {"v": 1500.0, "L": 2500.0}
    assert change.states["y"] == 1000
    assert car().reduce().units() == {"y": "m", "theta": "rad", "delta": "1"}


def test_rates_of_other_units_are_told():
    length = gc.Parameter("l", 2.0, "m")
    field = gc.VectorField([gc.Coordinate("d", unit="m")], [length.symbol], parameters=[length])
    with pytest.raises(gc.UnitsError, match="the rate of d"):
        gc.check_units(field)


def test_members_that_need_a_mechanism_are_refused_in_words():
    system = car().reduce()
    calls = {
        "energy": lambda: system.energy([0, 0]),
        "velocities": lambda: system.velocity([0, 0]),
        "frame": system.tensors,
        "equations with multipliers": system.unreduced,
        "constraints": lambda: system.reactions([0, 0]),
        "symmetry axis": system.despun,
        "group": system.connection,
    }
    for what, call in calls.items():
        with pytest.raises(gc.DescriptionError, match=f"car on a line: a vector field has no {what}; "):
            call()
    for ask in (gc.match, gc.rotations.RotationSystem.of):
        with pytest.raises(TypeError, match="a vector field, which has no inertia, no group and no rotors"):
            ask(car())
    with pytest.raises(TypeError, match=r"take field\.reduce\(\)"):
        gc.simulate(car(), [0, 1], [0, 0])
    run = gc.simulate(system, [0, 1], [0.1, 0.0])
    with pytest.raises(gc.DescriptionError, match="no energy"):
        _ = run.energy
    assert run.drift == {}


def test_states_and_symbols_may_be_given_in_any_way():
    """Names, real symbols, symbols without assumptions; lists, dicts, matrices: one field."""
    a, b = sp.symbols("a b")
    real = {a: sp.Symbol("a", real=True), b: sp.Symbol("b", real=True)}
    rates = [b, -a + a**2]
    given = [
        gc.VectorField([a, b], rates, domain={"left": a < 3}, invariants={"a2": a**2}),
        gc.VectorField(["a", "b"], sp.Matrix(rates), domain={"left": a < 3}, invariants={"a2": a**2}),
        gc.VectorField(
            ["a", real[b]],
            {"b": rates[1], a: rates[0]},
            domain={"left": real[a] < 3},
            invariants={"a2": a**2},
        ),
    ]
    for field in given:
        assert field.rates == {"a": real[b], "b": -real[a] + real[a] ** 2}
        assert field.domain["left"].margin == 3 - real[a]
        assert field.invariants == {"a2": real[a] ** 2}


def test_what_is_printed_and_pickled():
    system, field = car().reduce(), car()
    again = pickle.loads(pickle.dumps(system))
    assert (again.state_labels, again.name) == (system.state_labels, system.name)
    assert again.rhs(0, [0.1, 0.2], [0.3]) == pytest.approx(system.rhs(0, [0.1, 0.2], [0.3]))
    assert pickle.loads(pickle.dumps(field)).rates == field.rates
    page = str(field)
    assert "velocities" not in page
    assert "y_dot = v*sin(theta)" in page
    for text in (repr(field), repr(system), page):
        assert max(map(len, text.splitlines())) <= 79
    assert repr(field).startswith("<VectorField car on a line")
    assert str(system.equations()).splitlines()[0] == "d/dt y      = v*sin(theta)"
    assert r"\dot{y} &= v \sin{\left(\theta \right)}" in system.latex()
    assert system.latex("lagrangian") == ""
    assert "unnamed vector field" in str(gc.VectorField([x], [-x]))


@pytest.mark.long(reason="two compilations")
def test_many_runs_and_trials_take_a_field():
    """A loop that is pickled runs for several speeds at once as it does for each."""
    loop, times = pickle.loads(pickle.dumps(law().closed_loop())), np.linspace(0, 2, 5)
    starts, speeds = [[0.3, 0.0], [0.0, 0.2]], np.array([1.0, 2.0])
    together = gc.simulate_ensemble(loop, times, starts, params={"v": speeds})
    for k, (start, v) in enumerate(zip(starts, speeds, strict=True)):
        alone = gc.simulate(loop, times, start, params={"v": v})
        assert together.states[k] == pytest.approx(alone.states, rel=1e-9, abs=1e-12)
    assert together.drift == {}


def test_a_run_is_written_and_read_without_an_energy(tmp_path):
    system = car().reduce()
    run = gc.simulate(system, [0, 1, 2], [0.1, 0.2])
    run.save(tmp_path / "run.npz")
    for loaded in (
        gc.load_trajectory(tmp_path / "run.npz"),
        gc.load_trajectory(tmp_path / "run.npz", system),
    ):
        assert np.array_equal(loaded.states, run.states)
        assert loaded.drift == {}


def test_copies_and_removed_states():
    field = car().replace(name="another", parameter_sets={"fast": {"v": 20.0}})
    assert field.parameter_set("fast")["v"] == 20.0
    assert field.with_parameter_set("fast").defaults["v"] == 20.0
    with pytest.raises(gc.DescriptionError, match="a vector field has no 'inertia'"):
        field.replace(inertia=[[1]])
    flat = gc.VectorField([x, y], [-x, 0], leaf=[y]).reduce()
    assert flat.state_labels == ("x",)
    assert flat.state(x=2.0).tolist() == [2.0]
    on_circle = gc.VectorField([x, y], [-y, x], leaf=[x**2 + y**2 - 1]).reduce()
    with pytest.warns(gc.ProjectionWarning, match="changed y from 4 to 0"):
        placed = on_circle.project({"x": 3.0, "y": 4.0}, nearest=True)
    assert placed @ placed == pytest.approx(1.0, abs=1e-14)
    with pytest.raises(gc.ConstraintError, match="x = 3 is off the leaf"):
        on_circle.state(x=3.0)


def test_time_and_domain():
    driven = gc.VectorField([x], [-x + sp.sin(gc.time)]).reduce()
    assert gc.simulate(driven, [0, 1], [0.0]).success
    with pytest.raises(gc.EquilibriumError, match="depend on the time"):
        gc.certify(driven, [0])
    bounded = gc.VectorField([x], [x], domain={"right": x < 1}).reduce()
    assert "left the domain 'right'" in gc.simulate(bounded, [0, 5], [0.5]).status
