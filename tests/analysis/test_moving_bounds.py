"""Loops whose equilibrium moves with a parameter: bounds of the linear part against runs of it."""

import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import geoctrl as gc
from tests.attack.parts.moving import compass, pulled


@cache
def turning(time=1):
    """x' = R(s)' A R(s) x: stable for every s that stands still, and unstable while s turns at 1 /s.

    A is that of Vinograd's example, with eigenvalues (-1 +- i sqrt(7))/4; ``time`` is the unit in seconds.
    """
    plane, s = gc.rn(2), gc.Parameter("s", 0.0)
    c, d = sp.cos(s.symbol), sp.sin(s.symbol)
    half = sp.Rational(3, 2)
    A = sp.Matrix([[-1 + half * c**2, 1 - half * c * d], [-1 - half * c * d, -1 + half * d**2]])
    return gc.EulerPoincare(
        name="turning", algebra=plane, inertia=sp.eye(2), parameters=[s],
        forces=list(time * A * sp.Matrix(plane.xi)), equilibria={"rest": gc.Family({})},
    ).reduce()  # fmt: skip


def run(bound, B, v, path, start, end):
    """Norms of deviations along the linear part, at some times."""

    def rates(t, e):
        s, rate = path(t)
        return B(s) @ e - v * rate

    times = np.linspace(0, end, 200)
    found = solve_ivp(rates, (0, end), start, t_eval=times, rtol=1e-9, atol=1e-12)
    forms = [bound.form(path(t)[0]) for t in times]
    return times, found.y.T, np.array([np.sqrt(e @ P @ e) for e, P in zip(found.y.T, forms, strict=True)])


def linearisation(system, family, name):
    return lambda s: gc.linearize(system, system.equilibrium(family, params={name: s})).A


def test_runs_of_the_linear_part_stay_below_the_bound():
    system, rate = pulled(), 0.5
    bound = gc.bound_while_moving(system, "pulled", "s", (-1, 1), rate)
    assert bound.verdict is gc.Verdict.PROVED_BOUNDED
    A, v = linearisation(system, "pulled", "s")(0.3), np.array([0.0, 1.0])
    assert bound.decay > 0.1
    worst = np.zeros(2)
    for path in (
        lambda t: (np.sin(rate * t), rate * np.cos(rate * t)),
        lambda t: (-1 + rate * t, rate) if t < 4 else (1.0, 0.0),
    ):
        for start in ([0.0, 0.0], [1.0, -0.5]):
            t, e, norms = run(bound, lambda _: A, v, path, start, 12.0)
            most = np.exp(-bound.decay * t) * norms[0] + bound.reach * rate / bound.decay
            assert np.all(norms <= most * (1 + 1e-9))
            if not any(start):
                worst = np.maximum(worst, np.max(np.abs(e), axis=0))
    ends = np.array([bound.deviations[k] for k in system.state_labels])
    assert np.all(worst <= ends)
    assert worst[1] > 0.2 * ends[1]  # of the coordinate that moves; what is told is of the right size


@pytest.mark.long(reason="the attack draws members that no bound holds")
def test_a_loop_that_only_stands_stable_has_no_bound_at_the_rate_that_breaks_it():
    """Vinograd: at s = t a solution grows as exp(t/2), e = (-cos t, sin t) exp(t/2)."""
    system = turning()
    with pytest.raises(gc.CertificateError, match="no quadratic form is found that falls while s moves at 1"):
        gc.bound_while_moving(system, "rest", "s", (0, 3), 1.0)
    slow = gc.bound_while_moving(system, "rest", "s", (0, 3), 0.02)
    assert slow.reach == 0.0
    B = linearisation(system, "rest", "s")
    t, _, norms = run(slow, B, np.zeros(2), lambda t: (0.02 * t, 0.02), [-1.0, 0.2], 50.0)
    assert np.all(norms <= np.exp(-slow.decay * t) * norms[0] * (1 + 1e-9))
    grown = solve_ivp(lambda t, e: B(t) @ e, (0, 3), [-1.0, 0.0], rtol=1e-9).y[:, -1]
    assert grown == pytest.approx(np.exp(1.5) * np.array([-np.cos(3), np.sin(3)]), rel=1e-6)


def test_on_a_leaf_deviations_are_those_of_the_states_that_are_free():
    """By the angle it is the spring that is pulled: e'' + 2 e' + 2 e = -s''."""
    bound = gc.bound_while_moving(compass(), "drawn", "s", (-0.5, 0.5), 0.5)
    by_angle = gc.bound_while_moving(pulled(), "pulled", "s", (-0.5, 0.5), 0.5)
    (label,) = {*bound.deviations} - {"Omega"}
    assert "on the leaf" in bound.claim
    assert bound.deviations[label] == pytest.approx(by_angle.deviations["x"], rel=0.5)


def test_other_units_of_time_give_the_same_bound():
    one = gc.bound_while_moving(pulled(), "pulled", "s", (-1, 1), 0.5, decay=0.5)
    other = gc.bound_while_moving(pulled(time=1000), "pulled", "s", (-1, 1), 500, decay=500)
    assert other.deviations["x"] == pytest.approx(one.deviations["x"], rel=0.02)
    assert other.deviations["x_dot"] == pytest.approx(1000 * one.deviations["x_dot"], rel=0.02)


def test_it_is_confirmed_printed_and_kept(tmp_path):
    bound = gc.bound_while_moving(pulled(), "pulled", "s", (-1, 1), 0.5)
    bound.to_json(tmp_path / "bound.json")
    report = gc.verify(tmp_path / "bound.json")
    assert report.verdict is gc.Verdict.PROVED_BOUNDED
    assert report.claim == bound.claim
    assert "Of the motion itself nothing is said" in bound.claim
    assert pickle.loads(pickle.dumps(bound)).claim == bound.claim
    assert max(map(len, repr(bound).splitlines())) <= 79


def test_what_stands_still_beside_is_an_axis_of_its_own():
    """The damping may be anything between 1 and 3."""
    x, s, c = gc.Coordinate("x"), gc.Parameter("s", 0.0), gc.Parameter("c", 2.0)
    system = gc.EulerPoincare(
        name="pulled", shape=[x], inertia=[[1]], parameters=[s, c], potential=(x.symbol - s.symbol) ** 2,
        forces=[-c.symbol * x.rate], equilibria={"pulled": gc.Family({"x": s.symbol})},
    ).reduce()  # fmt: skip
    bound = gc.bound_while_moving(system, "pulled", "s", (-1, 1), 0.5, axes={"c": (1, 3)})
    assert "c in [1, 3] standing still" in bound.claim
    with pytest.raises(gc.CertificateError, match="is not stable where s stands still"):
        gc.bound_while_moving(system, "pulled", "s", (-1, 1), 0.5, axes={"c": (-1, 3)})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rate": 0}, "rate must be a positive number"),
        ({"rate": None}, "rate must be a positive number"),
        ({"decay": -1}, "decay must be a positive number"),
        ({"decay": 5}, "no decay of 5 /s"),
        ({"moves": "t"}, "what moves is a parameter"),
        ({"family": "x"}, "no equilibrium family"),
        ({"interval": (1, 0)}, "low < high"),
    ],
)
def test_slips_are_refused(changes, words):
    given = {"family": "pulled", "moves": "s", "interval": (-1, 1), "rate": 0.5} | changes
    with pytest.raises(gc.GeoctrlError, match=words):
        gc.bound_while_moving(pulled(), **given)


def test_a_plant_without_a_law_is_refused():
    cart = gc.models.get("cart-pendulum")().reduce()
    family = next(iter(cart.families))
    with pytest.raises(gc.InputError, match="a loop has no inputs"):
        gc.bound_while_moving(cart, family, "x", (0, 1), 1)
