"""Proofs at points with square roots: closed forms on both sides, files, sabotage."""

import copy
import json
import pickle
import re

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

import geoctrl as gc
from geoctrl import checker, decisions
from geoctrl._scalars.algebra.surds import exact_numbers
from geoctrl.analysis.certificates.same_equations import require_same_equations
from geoctrl.decisions.arithmetic.tower import Surd


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


def leaning(params, s, w):
    """The steady turn of the skate at the lean of sine s and the yaw rate w, exactly."""
    p = {k: sp.Rational(v) for k, v in params.items()}
    m, l, g, I2, I3 = (p[k] for k in ("m", "l", "g", "I2", "I3"))  # noqa: E741
    s, w = sp.Rational(s), sp.Rational(w)
    c = sp.sqrt(1 - s**2)
    forward = -((I2 + m * l**2 - I3) * c * w**2 + m * g * l) * s / (m * l * c * w)
    return [0, w, forward, s, c]


def critical_rate(p, s):
    """w^2 c^3 [I3 (m l^2 - (I2 - I3)) + A (I2 - I3) s^2] = m g l [I3 + (I2 - I3) s^2 (1 + 2 c^2)]."""
    m, l, g, I2, I3 = (p[k] for k in ("m", "l", "g", "I2", "I3"))  # noqa: E741
    D, A, c = I2 - I3, I2 + m * l**2 - I3, np.sqrt(1 - s**2)
    return np.sqrt(
        m * g * l * (I3 + D * s**2 * (1 + 2 * c**2)) / (c**3 * (I3 * (m * l**2 - D) + A * D * s**2))
    )


TURNS = [
    ({}, 0.5),
    ({}, -0.3),
    ({"m": 1.1, "l": 0.9, "I2": 0.6, "I3": 0.45}, 0.25),
    ({"m": 1.7, "l": 0.6, "I2": 0.3, "I3": 0.41}, 0.125),
]


@pytest.mark.parametrize(("given", "s"), TURNS)
def test_leaning_turns_are_proved_on_both_sides(skate, given, s, tmp_path):
    params = {**skate.params, **given}
    critical = critical_rate(params, s)
    for factor, expected in ((1 + 1e-6, gc.Verdict.PROVED_STABLE), (1 - 1e-6, gc.Verdict.PROVED_UNSTABLE)):
        certificate = gc.certify(skate, leaning(params, s, float(critical * factor)), params=given)
        assert certificate.verdict is expected
        path = tmp_path / f"{expected.value}.json"
        certificate.to_json(path)
        assert gc.verify(path).verdict is expected
        require_same_equations(skate, certificate.data)


def test_doubles_next_to_the_root_prove_nothing_of_it(skate):
    """The same point in floats is no exact equilibrium; no verdict says that it is."""
    x = [float(v) for v in leaning(skate.params, 0.5, 20)]
    certificate = gc.certify(skate, x)
    assert not certificate.verdict.proved or "within" in certificate.claim


@pytest.mark.parametrize(
    ("part", "label", "value"),
    [
        ("states", "Gamma3", "-1/2*r1"),  # the conjugate
        ("states", "Gamma3", "1"),
        ("states", "v3", "1*r1"),
        ("states", "Gamma3", "1/2*r2"),
        ("roots", 0, "3000001/1000000"),
        ("roots", 0, "-3"),
        ("roots", 0, "4"),
        ("roots", 0, "3 + 1*r1"),
        ("roots", 0, "sqrt(3)"),
    ],
)
def test_numbers_that_are_changed_are_refused(skate, part, label, value):
    certificate = gc.certify(skate, leaning(skate.params, 0.5, 20))
    content = json.loads(certificate.to_json())
    problem = copy.deepcopy(certificate.proof["problem"])
    assert problem["roots"] == content["roots"] == ["3"]
    assert problem["states"]["Gamma3"] == "1/2*r1"
    assert decisions.decide(decisions.read_problem(problem), certificate.evidence)[0] == "PROVED_STABLE"
    problem[part][label] = value
    with pytest.raises(checker.Refusal):
        decisions.decide(decisions.read_problem(problem), certificate.evidence)
    (content if part == "roots" else content["problem"])[part][label] = value
    with pytest.raises(checker.Refusal):
        checker.prove(content)


def test_the_claim_writes_short_roots_out():
    tower = gc.models.get("pendulum-3d")().reduce()
    eq = tower.equilibrium("hanging", params={"rho1": 1.0, "rho2": 1.0, "rho3": 0.0})
    assert eq.exact[3] ** 2 == fmpq(1, 2)
    assert float(eq.exact[3]) == pytest.approx(-np.sqrt(0.5), rel=1e-15)
    certificate = gc.certify(tower, eq)
    assert certificate.verdict is gc.Verdict.PROVED_STABLE
    assert "Gamma1 = -1/2*sqrt(2), Gamma2 = -1/2*sqrt(2)" in certificate.claim
    assert "restricted_hessian" in repr(certificate)
    copy = pickle.loads(pickle.dumps(eq))
    assert [float(v) for v in copy.exact] == [float(v) for v in eq.exact]
    assert gc.certify(tower, copy).verdict is gc.Verdict.PROVED_STABLE


def drawn(system, seed):
    rng = np.random.default_rng(seed)
    return {k: float(np.round(v * rng.uniform(0.7, 1.4), 3)) for k, v in system.params.items()}


@pytest.mark.parametrize("seed", range(6))
def test_pendulum_3d_hangs_and_stands_at_irrational_directions(seed):
    system = gc.models.get("pendulum-3d")().reduce()
    params = drawn(system, seed)
    for family, verdict in (("hanging", "PROVED_STABLE"), ("inverted", "PROVED_UNSTABLE")):
        eq = system.equilibrium(family, params=params)
        assert any(isinstance(v, Surd) for v in eq.exact)
        assert gc.certify(system, eq).verdict.value == verdict


@pytest.mark.parametrize("seed", range(3))
def test_permanent_axes_agree_with_their_spectrum(seed):
    """Two nested roots; the verdict against eigenvalues and the second variation in floats."""
    system = gc.models.get("pendulum-3d")().reduce()
    params = drawn(system, seed)
    for s in (-4.0, 12.0):
        eq = system.equilibrium("permanent", params=params, s=s)
        verdict = gc.certify(system, eq).verdict
        growth = max(gc.linearize(system, eq).eigenvalues.real)
        assert verdict.proved or verdict is gc.Verdict.SPECTRALLY_STABLE_ONLY
        assert (verdict is gc.Verdict.PROVED_UNSTABLE) == (growth > 1e-6)
        float_verdict = gc.certify(system, np.array(eq.x), params=params).verdict
        assert {verdict, float_verdict} != {gc.Verdict.PROVED_STABLE, gc.Verdict.PROVED_UNSTABLE}


def test_more_roots_than_a_file_may_hold_stay_in_floats():
    x = [sp.sqrt(q) for q in (2, 3, 5, 7, 11)]
    assert exact_numbers(x) is None
    assert exact_numbers(x[:4]) is not None
    assert exact_numbers([sp.pi, 1]) is None
    eight, two = exact_numbers([sp.sqrt(8), sp.sqrt(2)])
    assert eight == 2 * two


def test_evidence_with_roots_is_shown_in_decimals():
    pendulum = gc.models.get("pendulum-3d")().reduce()
    certificate = gc.certify(pendulum, pendulum.equilibrium("hanging", params={"rho1": 1.0}))
    assert any("r1" in value for value in certificate.evidence["multipliers"].values())
    shown = re.search(r"^  multipliers: .*(\n {4}.*)*", certificate.full(), re.MULTILINE)[0]
    assert "r1" not in shown
    assert "." in shown
