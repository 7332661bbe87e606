"""Conditions by manifolds of equilibria that are solved for and by drifts: with their counterexamples."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import Verdict

x, y = gc.Coordinate("x"), gc.Coordinate("y")
X, Y = x.symbol, y.symbol
U, V = x.rate, y.rate
a, b, c, d = (
    gc.Parameter(name, value, positive=True) for name, value in zip("abcd", (2.0, 3.0, 0.7, 1.3), strict=True)
)


def conditions(shape, masses, forces, potential=0, parameters=(a, b, c, d)):
    """Of two carts or one at rest."""
    system = gc.EulerPoincare(
        algebra=None,
        shape=shape,
        inertia=sp.diag(*masses),
        potential=potential,
        forces=forces,
        parameters=list(parameters),
        equilibria={"rest": gc.Family({})},
    ).reduce()
    return system, gc.stability_conditions(system, "rest")


def test_the_roller_racer_is_stable_the_way_that_its_steered_axle_trails():
    """Steady turns are solved for: two dimensions, of which the family has one; as proved at numbers."""
    racer = gc.models.get("roller-racer")().reduce()
    found = gc.stability_conditions(racer, "straight")
    speed = next(s for s in found.symbols if s.name == "V")
    assert (found.stable, found.unstable) == ([speed > 0], [speed < 0])
    rng = np.random.default_rng(2)
    for _ in range(6):
        numbers = {p.name: p.default * rng.uniform(0.5, 1.5) for p in racer.mechanism.parameters}
        value = float(rng.uniform(-2, 2))
        verdict = gc.certify(racer, racer.equilibrium("straight", V=value, params=numbers)).verdict
        assert (
            found.evaluate(params=numbers, V=value)
            == {
                Verdict.PROVED_STABLE: 1,
                Verdict.PROVED_UNSTABLE: -1,
            }[verdict]
        )


def test_carts_that_friction_alone_stops_come_to_rest_beside():
    """A spring between two carts with friction: they may rest anywhere, as long as it is relaxed."""
    gap = X - c.symbol * Y
    forces = [-b.symbol * U, -d.symbol * V]
    _, found = conditions([x, y], (a.symbol, 2), forces, potential=gap**2 / 2)
    assert found.stable == [sp.S.true]


@pytest.mark.parametrize("power", [2, 3])
def test_a_zero_root_without_a_manifold_says_nothing(power):
    """x'' = -b x' - x^m: of the spectrum one root is zero, and equilibria are isolated."""
    system, found = conditions([x], (a.symbol,), [-b.symbol * U - X**power])
    assert found.stable == []
    assert found.evaluate(a=2.0, b=3.0, c=1.0, d=1.0) == 0
    expected = Verdict.PROVED_UNSTABLE if power == 2 else Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert gc.certify(system, gc.find_equilibrium(system, system.state())).verdict is expected


def test_equilibria_on_two_curves_that_cross_are_no_manifold():
    """x'' = -b x' - x y, y'' = -d y': at rest with x = 0 or y = 0, two of each spectrum's roots zero."""
    _, found = conditions([x, y], (a.symbol, 2), [-b.symbol * U - X * Y, -d.symbol * V])
    assert found.stable == []


def test_a_factor_that_does_not_vanish_is_left_out():
    """(1 + y^2)(x - y) = 0 is one line of equilibria."""
    pull = -(1 + Y**2) * (X - Y)
    _, found = conditions([x, y], (a.symbol, 2), [pull - b.symbol * U, -d.symbol * V])
    assert found.stable == [sp.S.true]


def test_what_nothing_holds_drifts():
    """A cart beside one on a spring: drifts straight on; a body without weight round a circle."""
    _, found = conditions([x, y], (a.symbol, 2), [0, 0], potential=b.symbol * Y**2 / 2)
    assert (found.stable, found.unstable) == ([sp.S.false], [sp.S.true])
    free = gc.models.get("body-with-point-force")().reduce()
    assert gc.stability_conditions(free, "still").unstable == [sp.S.true]
    board = gc.models.get("snakeboard")().reduce()
    assert gc.stability_conditions(board, "coasting").unstable == [sp.S.true]


@pytest.mark.parametrize("force", [-(X**3), -(U**3), -(X**2) * U])
def test_forces_of_higher_order_end_a_drift(force):
    """The linearisation is that of a free cart, and no motion goes on for ever but in the last case."""
    _, found = conditions([x], (a.symbol,), [force])
    assert found.unstable == []
    assert found.stable == []


def test_a_spring_that_may_be_slack_is_presumed():
    """The gap's spring holds x where b is not zero: neither drifts nor rests elsewhere."""
    k = gc.Parameter("k", 1.0, positive=False)
    _, found = conditions([x], (a.symbol,), [-k.symbol * X], parameters=(a, k))
    assert found.evaluate(a=2.0, k=1.0) == 0  # stable, which no conserved function of these forces says
    assert found.evaluate(a=2.0, k=-1.0) == -1
    assert found.evaluate(a=2.0, k=0.0) == 0  # it drifts: on a set without inner points


def test_carts_that_a_spring_ties_drift_together():
    """Neither alone: the spring answers to a displacement of one."""
    gap = X - Y
    _, found = conditions([x, y], (a.symbol, 2), [0, 0], potential=b.symbol * gap**2 / 2)
    assert found.unstable == [sp.S.true]


def test_a_manifold_on_one_level_of_an_invariant_is_too_small():
    """P' = 0, x'' = -b x' + P^2: at rest with P = 0 anywhere, and with any other P it runs away."""
    line = gc.rn(1)
    (rate,) = line.xi
    for power, stable in ((2, []), (0, [sp.S.true])):
        push = rate**power if power else 0
        system = gc.EulerPoincare(
            algebra=line,
            shape=[x],
            inertia=sp.diag(a.symbol, 2),
            forces=[0, push - b.symbol * U],
            parameters=[a, b],
            invariants={"P": a.symbol * rate},
            equilibria={"rest": gc.Family({})},
        ).reduce()
        found = gc.stability_conditions(system, "rest")
        assert found.stable == stable
        verdict = gc.certify(system, system.equilibrium("rest")).verdict
        assert (verdict is Verdict.PROVED_STABLE) is bool(stable)
