"""Schedules through points in numbers: their equilibria are enclosed, and attract, for each constant s."""

import pickle

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

import geoctrl as gc
from tests.synthesis.schedules_through_points import (
    needle_law,
    needle_proof,
    pendulum_law,
    pendulum_proof,
)
from tests.synthesis.test_gain_schedules import held
from tests.synthesis.test_handover import STRICT, called, compiled, needs_gcc

PLACES = np.linspace(-0.9, 0.9, 37)


@pytest.mark.parametrize(
    "fit",
    [
        "linear",
        pytest.param("polynomial", marks=pytest.mark.long(reason="another fit")),
        pytest.param("rational", marks=pytest.mark.long(reason="another fit")),
    ],
)
def test_each_box_holds_the_equilibrium_that_attracts(fit):
    """By q'' = sin(q) + u: the root of sin(q) + u(q, s) by bisection, and the slope of this there."""
    law, proof = pendulum_law(fit=fit), pendulum_proof(fit=fit)
    assert proof.verdict is gc.Verdict.PROVED_BY_CELLS
    for s in PLACES:

        def torque(q, s=s):
            return np.sin(q) + law(0.0, np.array([0.0, q]), params={"q_ref": s})[0]

        low, high = proof.box(s)["q"]
        root = brentq(torque, low, high, xtol=1e-14)
        assert low < root < high
        assert torque(high) < 0 < torque(low)  # a torque that turns back
        assert high - low < 4 * 1.8 / 6
    assert law(0.0, [0.7, 0.2], params={"q_ref": 0.2})[0] - law(0.0, [0, 0.2], params={"q_ref": 0.2})[0] < 0


def test_what_goes_through_points_is_theirs_at_each():
    law = pendulum_law()
    for q in (-0.9, -0.3, 0.3, 0.9):
        assert law(0.0, [0.0, q], params={"q_ref": q})[0] == pytest.approx(-np.sin(q), abs=1e-12)
    assert law.fit_error[0] < 1e-12
    assert [len(piece.points) for piece in law.pieces] == [2, 2, 2]
    assert str(law.variable) == "q_ref"
    assert "4 designs" in repr(law)


def test_on_a_leaf_members_are_enclosed_as_well():
    law, proof = needle_law(), needle_proof()
    loop = law.closed_loop()
    for s in np.linspace(*law.range, 9):
        low, high = np.array(list(proof.box(s).values())).T
        point = gc.find_equilibrium(loop, (low + high) / 2, params={"Gamma1_ref": s})
        assert np.all((low < point.x) & (point.x < high))
        assert np.hypot(*point.x[1:]) == pytest.approx(1, abs=1e-12)


def test_a_parameter_of_the_plant_may_be_what_points_go_along(tmp_path):
    """x'' = -k x^3 + u + 1 with k from 1 to 2: points of `follow`, k is measured and moves the plant too."""
    x, k, u = gc.Coordinate("x"), gc.Parameter("k", 1.0), sp.Symbol("u", real=True)
    sys = gc.EulerPoincare(
        name="spring", shape=[x], inertia=[[1]], inputs=[u], forces=[u + 1], parameters=[k],
        potential=k.symbol * x.symbol**4 / 4,
    ).reduce()  # fmt: skip
    branch = gc.follow(sys, gc.find_equilibrium(sys, [0, 0.9]), along="k", span=(1, 2), points=5)
    points = sorted(branch.points, key=lambda point: point.params["k"])
    law = gc.schedule(sys, points, "k", design=lambda e: gc.lqr(sys, e), degree=2)
    proof = law.certify(cells=4)
    loop = law.closed_loop()
    assert set(loop.params) == {"k"}
    for value in (1, 1.3, 1.9, 2):
        low, high = proof.box(value)["x"]
        point = gc.find_equilibrium(loop, [0, (low + high) / 2], params={"k": value})
        assert low < point.x[1] < high
        assert point.x[1] == pytest.approx(value ** (-1 / 3), abs=0.01)
    proof.to_json(tmp_path / "spring.json")
    assert gc.verify(tmp_path / "spring.json").claim == proof.claim


def test_other_units_are_the_same_verdict():
    one, other = pendulum_proof(), pendulum_proof(1000)
    assert (other.verdict, other.cells) == (one.verdict, one.cells)
    assert other.box(0.5)["q"] == pytest.approx(one.box(0.5)["q"], rel=1e-6)


def test_a_loop_that_is_not_stable_between_points_is_refused():
    """It is stable where k(s) > cos(s), which a line from 6 at 0 to 1/10 at 1 is not next to 1."""
    sys = held()
    points = [sys.equilibrium("held", s=s) for s in (0, 1)]
    gains = {0: 6.0, 1: 0.1}

    def design(point):
        return gc.linear_law(sys, point, {"u": {"q": gains[round(point.x[1])], "q_dot": 5}})

    law = gc.schedule(sys, points, "q", design=design)
    with pytest.raises(gc.CertificateError, match=r"(?s)not stable at q_ref = 0\.9.*real part"):
        law.certify(cells=2)


def test_the_proof_is_printed_pickled_and_asked_within_its_range():
    proof = pendulum_proof()
    assert "q_ref from -0.9 to 0.9, 8 cells" in repr(proof)
    assert pickle.loads(pickle.dumps(proof)).claim == proof.claim
    with pytest.raises(gc.ParameterError, match=r"is outside of \[-0.9, 0.9\]"):
        proof.box(1)


@needs_gcc
def test_the_law_is_the_same_in_c(tmp_path):
    law = pendulum_law()
    library = compiled(tmp_path, STRICT, law.to_c(tmp_path, name="points"))
    for s in (-0.9, -0.3, 0.1, 0.9):
        x = np.array([0.3, s - 0.2])
        found = called(library.points, np.array([*x, s]), 1)[0]
        assert found == pytest.approx(law(0.0, x, params={"q_ref": s})[0], rel=1e-12)


def test_with_a_measured_variable_the_loop_rests_at_single_points():
    """q'' = e(q) - k q' with the error e of the cubic through -sin: its slopes at the nodes take turns."""
    law = pendulum_law(fit="polynomial", by=held().states[1])
    loop, nodes = law.closed_loop(), np.array([-0.9, -0.3, 0.3, 0.9])
    cubic = np.polyfit(nodes, -np.sin(nodes), 3)
    assert law(0.0, [0.0, 0.5])[0] == pytest.approx(np.polyval(cubic, 0.5), rel=1e-12)
    for q in nodes:
        falls = np.cos(q) + np.polyval(np.polyder(cubic), q) < 0
        there = gc.certify(loop, gc.find_equilibrium(loop, guess=[0, q]))
        verdict = "PROVED_ASYMPTOTICALLY_STABLE" if falls else "PROVED_UNSTABLE"
        assert there.verdict.value == verdict
    with pytest.raises(gc.InputError, match="rests at single points"):
        law.certify()
    assert pendulum_law(by=held().states[1])(0.0, [0.0, 0.9])[0] == pytest.approx(-np.sin(0.9), rel=1e-12)


def points_of(*places):
    return [held().equilibrium("held", s=s) for s in places]


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"family": []}, TypeError, "equilibria, as gc.find_equilibrium"),
        ({"family": [1, 2]}, TypeError, "equilibria, as gc.find_equilibrium"),
        ({"family": points_of(0.5)}, gc.InputError, "must grow from point to point"),
        ({"family": points_of(0.5, 0.1)}, gc.InputError, "must grow from point to point"),
        ({"along": "qq"}, gc.ParameterError, "no state, input or parameter 'qq'"),
        ({"along": "q_dot"}, gc.InputError, "must grow from point to point"),
        ({"nodes": [0, 1]}, gc.InputError, "nodes= goes with a declared family"),
        ({"at": {"s": 0}}, gc.InputError, "at= goes with a declared family"),
        ({"params": {}}, gc.InputError, "params= goes with a declared family"),
        ({"by": 2 * held().states[1]}, gc.InputError, "must be q_ref at the members, and is 2\\*q_ref"),
        ({"by": sp.Symbol("x")}, gc.GeoctrlError, "x"),
        ({"design": None}, gc.InputError, "design is needed"),
        ({"design": lambda _: 3}, gc.InputError, "design must give a LinearLaw"),
        ({"fit": "splines"}, gc.InputError, "fit"),
        ({"degree": 5}, gc.InputError, "degree must be a whole number"),
    ],
)
def test_slips_are_refused(changes, error, words):
    sys = held()
    given = {"family": points_of(0, 1), "along": "q", "design": lambda e: gc.lqr(sys, e)} | changes
    with pytest.raises(error, match=words):
        gc.schedule(sys, **given)


def test_points_of_another_plant_and_what_a_proof_through_points_has_not_are_refused():
    other = gc.models.get("furuta-pendulum")().reduce()
    points = [other.equilibrium("upright", Omega0=w) for w in (0, 1)]
    with pytest.raises(gc.InputError, match="equilibria of this plant"):
        gc.schedule(held(), points, "q", design=lambda e: gc.lqr(held(), e))
    for given, words in (({"rate": 1}, "declare them as a gc.Family"), ({"axes": {}}, "no axes=")):
        with pytest.raises(gc.InputError, match=words):
            pendulum_law().certify(**given)
    with pytest.raises(gc.InputError, match="cells must be a whole number"):
        pendulum_law().certify(cells=0)
