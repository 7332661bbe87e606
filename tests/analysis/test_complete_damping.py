"""Conditions under complete damping: those on the potential's Hessian (Kelvin, Tait, Chetaev)."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

NAMES = ("m1", "m2", "l1", "l2", "k1", "k2", "c1", "c2", "g")


def double_pendulum(base=1, friction=None, gyroscopic=0):
    """Two links upright, with springs in the joints; ``base`` times the spring of the lower one."""
    a, b = gc.Coordinate("q1", angle=True), gc.Coordinate("q2", angle=True)
    parameters = [gc.Parameter(name, 1.0, positive=True) for name in NAMES]
    m1, m2, l1, l2, k1, k2, c1, c2, g = (p.symbol for p in parameters)
    v1, v2, apart = a.rate, b.rate, a.symbol - b.symbol
    T = m1 * l1**2 * v1**2 / 2
    T += m2 * (l1**2 * v1**2 + l2**2 * v2**2 + 2 * l1 * l2 * v1 * v2 * sp.cos(apart)) / 2
    V = (m1 + m2) * g * l1 * sp.cos(a.symbol) + m2 * g * l2 * sp.cos(b.symbol)
    V += k2 * (1 - sp.cos(apart)) + base * k1 * (1 - sp.cos(a.symbol))
    if friction is None:
        friction = [gc.Friction([1, 0], viscous=c1), gc.Friction([-1, 1], viscous=c2)]
    return gc.EulerPoincare(
        shape=[a, b],
        lagrangian=T - V,
        forces=[-gyroscopic * v2, gyroscopic * v1] if gyroscopic else None,
        friction=friction,
        parameters=parameters,
        equilibria={"up": gc.Family({})},
        name="links",
    ).reduce()


def hessian(m1, m2, l1, l2, k1, k2, g, **_):
    """Of the potential upright, by hand."""
    return np.array([[k1 + k2 - (m1 + m2) * g * l1, -k2], [-k2, k2 - m2 * g * l2]])


@pytest.fixture(scope="module")
def links():
    return double_pendulum()


@pytest.fixture(scope="module")
def found(links):
    return gc.stability_conditions(links, "up")


def draws(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        numbers = {name: float(np.round(10 ** rng.uniform(-0.7, 0.7), 3)) for name in NAMES}
        numbers["k1"], numbers["k2"] = 10 * numbers["k1"], 10 * numbers["k2"]
        yield numbers


def test_two_conditions_without_the_damping(found):
    symbols = {s.name: s for s in found.symbols}
    assert len(found.stable) == 2
    assert not {"c1", "c2"} & {s.name for r in [*found.stable, *found.unstable] for s in r.free_symbols}
    text = str(found)
    assert len(text.split("\n")) <= 12
    assert max(map(len, text.split("\n"))) <= 79
    assert text == found.full()
    for numbers in draws(20, 1):
        at = {symbols[k]: sp.Rational(*v.as_integer_ratio()) for k, v in numbers.items()}
        K = hessian(**numbers)
        assert all(bool(r.subs(at)) for r in found.stable) == (np.linalg.eigvalsh(K)[0] > 0)
        assert any(bool(r.subs(at)) for r in found.unstable) == (np.linalg.eigvalsh(K)[0] < 0)


def test_they_agree_with_proofs(links, found):
    seen = set()
    for numbers in draws(8, 2):
        (said,) = found.evaluate(numbers).ravel()
        verdict = gc.certify(links, links.equilibrium("up", params=numbers)).verdict
        expected = {1: gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE, -1: gc.Verdict.PROVED_UNSTABLE}
        assert verdict == expected[said]
        seen.add(said)
    assert seen == {1, -1}


def test_no_joint_spring_holds_links_that_turn_freely_below():
    """Of V'' = [[k - a, -k], [-k, k - b]] the sum of all entries is -a - b: never definite."""
    said = gc.stability_conditions(double_pendulum(base=0), "up")
    assert said.stable == [sp.S.false]
    assert len(said.full()) < 500
    assert np.all(said.evaluate(k2=[0.1, 10.0, 1e4]) == -1)


def test_gyroscopic_forces_change_nothing(found):
    turning = gc.stability_conditions(double_pendulum(gyroscopic=30), "up")
    assert turning.stable == found.stable
    assert set(turning.unstable) == set(found.unstable)


def test_damping_that_is_not_complete_or_feeds_needs_the_spectrum(found):
    """One joint damped of two, with gyroscopic forces; and a joint that drives."""
    c1 = gc.Parameter("c1", 1.0, positive=True).symbol
    part = double_pendulum(friction=[gc.Friction([1, 0], viscous=c1)], gyroscopic=1)
    said = gc.stability_conditions(part, "up")
    assert said.stable != found.stable
    a, b = gc.Coordinate("q1"), gc.Coordinate("q2")
    k, c = gc.Parameter("k", 1.0, positive=True), gc.Parameter("c", 1.0)
    either = gc.EulerPoincare(
        shape=[a, b],
        inertia=sp.eye(2),
        potential=k.symbol * (a.symbol**2 + b.symbol**2) / 2,
        forces=[-c.symbol * a.rate, -b.rate],
        parameters=[k, c],
        equilibria={"rest": gc.Family({})},
    ).reduce()
    signed = gc.stability_conditions(either, "rest")
    assert list(signed.evaluate(c=[1.0, -1.0])) == [1, -1]


def test_momenta_that_are_kept_are_held():
    """A wheel of which the rate is kept, beside a damped angle: on its levels the damping is complete."""
    a = gc.Coordinate("q", angle=True)
    J, k, c = (gc.Parameter(n, 1.0, positive=n != "k") for n in ("J", "k", "c"))
    W = sp.Symbol("W", real=True)
    wheel = gc.rn(1).relabelled(["w"], ["p"])
    system = gc.EulerPoincare(
        algebra=wheel,
        shape=[a],
        inertia=sp.diag(J.symbol, 1),
        potential=-k.symbol * sp.cos(a.symbol),
        friction=[gc.Friction([0, 1], viscous=c.symbol)],
        parameters=[J, k, c],
        equilibria={"on": gc.Family({"w": W}, symbols=[W])},
    ).reduce()
    said = gc.stability_conditions(system, "on")
    (k_positive,) = said.stable
    assert k_positive.free_symbols == {k.symbol}
    assert list(said.evaluate(W=2.0, k=[1.0, -1.0, 0.0])) == [1, -1, 0]
