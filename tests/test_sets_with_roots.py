"""Sets by squares of loops with dry friction, whose smooth law holds a root: against starts that are run by
equations of their own, and changed files.
"""

import copy
import json
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.quadratics.setting import Setting
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.set_witnesses.quotient_unknowns import with_quotient_unknowns
from geoctrl.checker.squares.polynomial_motion import is_least_at_zero
from geoctrl.systems.contract.points import resolve_equilibrium
from tests.test_attracted_sets import signed

q = gc.Coordinate("q")


@cache
def oscillator(unit=1):
    """q'' = -q + q^3 - q'/4 - q'/(2 sqrt(q'^2 + 1)), lengths in some unit."""
    x, u = q.symbol, sp.Integer(unit)
    return gc.EulerPoincare(
        algebra=None,
        shape=[q],
        inertia=[[1]],
        potential=x**2 / 2 - x**4 / (4 * u**2),
        friction=[gc.Friction([1], viscous=sp.Rational(1, 4), coulomb=u / 2, scale=u)],
        name="oscillator",
    ).reduce()


@cache
def found(unit=1):
    """By monomials of degree two."""
    system = oscillator(unit)
    return gc.region_of_attraction(system, system.state(), by="squares", monomials=2)


def slope(_, state):
    """The same equations, written once more."""
    v, x = state
    return [-x + x**3 - v / 4 - v / (2 * np.sqrt(v**2 + 1)), v]


def edge(roa, count):
    """States where V has its level."""
    at = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.linalg.solve(np.linalg.cholesky(roa.matrix).T, np.array([np.cos(at), np.sin(at)])).T


def test_squares_see_dry_friction():
    roa = found()
    assert roa.verdict is gc.Verdict.PROVED_ATTRACTED
    # By slopes 0.473, with the seconds that it takes; the saddles are at one.
    assert 1.0 < roa.extent["q"][1] < 1.3
    assert not roa.contains([0, 1])
    assert roa.measured == ("q_dot", "q")
    for start in edge(roa, 6):
        end = solve_ivp(slope, (0, 60), start, rtol=1e-9, atol=1e-12).y
        assert np.abs(end[:, -1]).max() < 1e-6
        V = np.einsum("in,ij,jn->n", end, roa.matrix, end)
        assert np.all(np.diff(V) < 1e-11)


def test_the_set_is_the_same_in_other_units():
    assert found(1000).extent["q"][1] == pytest.approx(1000 * found().extent["q"][1], rel=1e-9)


def test_a_root_is_a_variable_with_its_square_and_its_least_value():
    """By numbers: r^2 = p, r z = v, and r at least what it is at rest."""
    setting = oscillator_setting()
    places = dict(zip(setting.names, setting.variables, strict=True))
    r, z, v = (places[k] for k in ("sqrt(q_dot^2 + 1)", "'quotient 1'", "q_dot"))
    known = [p for p in setting.relations if within(p, {r, z, v})]
    (bound,) = setting.bounds
    assert len(known) == 2
    for speed in (-3.0, -0.2, 0.5, 7.0):
        root = np.sqrt(speed**2 + 1)
        values = {r: root - 1, z: speed / root, v: speed}
        assert all(abs(at(p, values)) < 1e-12 * (1 + speed**2) for p in known)
        assert at(bound, values) == pytest.approx(root - 1)


@cache
def oscillator_setting():
    system = oscillator()
    point = resolve_equilibrium(system, system.state(), None)
    stored = with_quotient_unknowns(Problem.of(system.seen_from(point.spin), point).question())
    return Setting(stored.read | {"domain": [], "limits": {}, "levels": []})


def within(p, generators):
    return all(not d or i in generators for i, d in enumerate(p.degrees()))


def at(p, values):
    return sum(
        float(c.p) / float(c.q) * np.prod([values[i] ** int(e) for i, e in enumerate(m) if e])
        for m, c in p.terms()
    )


def test_forms_that_are_least_at_zero():
    x, y = oscillator_setting().question.functions.gens[:2]
    assert all(map(is_least_at_zero, [x * 0, x * 0 + 4, x * x + 1, (x - y) ** 2 + 1, 2 * x * x + 3 * y * y]))
    others = [x + 1, x * x + x + 1, -x * x + 1, x * y + 1, x * x + 3 * x * y + y * y, x**4 + 1]
    assert not any(map(is_least_at_zero, others))


def test_rates_of_fields_that_are_quotients():
    x, v = sp.symbols("x v", real=True)
    field = gc.VectorField(states=["x", "v"], rates={"x": v, "v": -sp.sin(x) - v / sp.sqrt(1 + v**2)})
    roa = gc.region_of_attraction(field.reduce(), [0, 0], by="squares", monomials=2)
    # By slopes 0.77; the saddle is at pi.
    assert 2.0 < roa.extent["v"][1] < 3.2
    start = [0.0, 0.999 * roa.extent["v"][1]]
    if roa.contains(start):
        run = solve_ivp(lambda _, s: [s[1], -np.sin(s[0]) - s[1] / np.sqrt(1 + s[1] ** 2)], (0, 80), start)
        assert np.abs(np.sin(run.y[0, -1] / 2)) < 1e-3


# -- changed files ------------------------------------------------------------------------------------------


def root_of_another_sign(data):
    """z = -v/r: friction that drives."""
    column = len(data["problem"]["unknowns"]) - 1
    entry = next(e for e in data["problem"]["matrix"] if e[:2] == [column, column])
    data["problem"]["nodes"].append(["prod", "-1", [[entry[2], 1]]])
    entry[2] = len(data["problem"]["nodes"]) - 1


def square_of_the_velocity(data):
    return next(row for row in data["problem"]["nodes"] if row == ["prod", "1", [[0, 2]]])


def another_radicand(data):
    """v^2 + 1 is 2 v^2 + 1."""
    square_of_the_velocity(data)[1] = "2"


def a_radicand_that_falls(data):
    """v^2 + 1 is 1 - v^2."""
    square_of_the_velocity(data)[1] = "-1"


def another_value_of_the_root(data):
    data["witness"]["roots"][0][1] = "2"


def a_negative_value_of_the_root(data):
    data["witness"]["roots"][0][1] = "-1"


def a_stronger_spring(data):
    row = next(r for r in data["problem"]["nodes"] if r[0] == "num" and r[1] == "-1")
    row[1] = "-2"


def another_coefficient(data):
    """Of the force that the quotient is."""
    column = len(data["problem"]["unknowns"]) - 1
    entry = next(e for e in data["problem"]["matrix"] if e[1] == column and e[0] != column)
    data["problem"]["nodes"].append(["prod", "3", [[entry[2], 1]]])
    entry[2] = len(data["problem"]["nodes"]) - 1


def a_larger_level(data):
    data["theorem"]["level"] = "3/2"


def a_bound_less(data):
    data["theorem"]["squares"] = [s for s in data["theorem"]["squares"] if s["times"] != "0"]


def a_bound_alone(data):
    for square in data["theorem"]["squares"]:
        square["times"] = "0" if square["times"] == "level" else square["times"]


def the_root_no_variable(data):
    data["theorem"]["variables"].pop()


@pytest.mark.parametrize(
    "change",
    [
        root_of_another_sign,
        another_radicand,
        a_radicand_that_falls,
        another_value_of_the_root,
        a_negative_value_of_the_root,
        a_stronger_spring,
        another_coefficient,
        a_larger_level,
        a_bound_less,
        a_bound_alone,
        the_root_no_variable,
    ],
)
def test_a_changed_file_is_refused(change):
    data = json.loads(found().to_json())
    assert checker.check(signed(data)).verdict == "PROVED_ATTRACTED"
    other = copy.deepcopy(data)
    change(other)
    assert other != data
    with pytest.raises(checker.Refusal):
        checker.check(signed(other))


# -- a law ---------------------------------------------------------------------------------------------------


@pytest.mark.long(reason="a search of 16 s")
def test_the_cart_with_dry_friction_and_its_regulator():
    plant = gc.models.get("cart-pendulum")()
    friction = gc.Friction([1, 0], coulomb=sp.Rational(1, 5), scale=sp.Rational(1, 10))
    system = plant.replace(friction=[friction]).reduce()
    loop = gc.lqr(system, system.equilibrium("upright")).closed_loop()
    roa = gc.region_of_attraction(loop, loop.equilibrium("upright"), by="squares")
    assert roa.extent["phi"][1] > 1.0  # by slopes 0.036
    assert checker.check(json.loads(roa.to_json())).verdict == "PROVED_ATTRACTED"
    rng = np.random.default_rng(3)
    frame = np.linalg.inv(np.linalg.cholesky(roa.matrix).T)
    for _ in range(20):
        y = rng.normal(size=len(frame))
        y = frame @ (0.999 * y / np.linalg.norm(y))
        named = dict(zip(roa.measured, y, strict=True))
        start = [named["x_dot"], named["phi_dot"], np.arctan2(named["sin(phi)"], 1 + named["cos(phi)"])]
        if not roa.contains(start):
            continue
        run = gc.simulate(loop, np.linspace(0, 40, 201), start)
        assert np.abs(run.states[:, -1]).max() < 1e-5
