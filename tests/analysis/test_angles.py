"""Proofs at angles with rational sine and cosine: turned equations, claims, files, what cannot be turned."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.analysis.certificates.same_equations import require_same_equations
from geoctrl.systems.parts.angles import ExactAngle, angle_in_label, angle_of, distance_label, nearby_angle

T = sp.Symbol("t", real=True)


def pendulum(slope=0, spring=0, **families):
    """A pendulum hung on a cart that is pushed up a slope: its rest is along the apparent vertical."""
    phi = gc.Coordinate("phi", angle=True)
    m, l, g = (  # noqa: E741
        gc.Parameter(n, v, positive=True) for n, v in (("m", 1.3), ("l", 0.7), ("g", 9.81))
    )
    lever = m.symbol * g.symbol * l.symbol
    potential = lever * (sp.cos(phi.symbol) + slope * sp.sin(phi.symbol)) + spring * phi.symbol**2
    return gc.EulerPoincare(
        shape=[phi],
        inertia=[[m.symbol * l.symbol**2]],
        potential=potential,
        parameters=[m, l, g],
        equilibria=families,
        name="pendulum",
    ).reduce()


@pytest.mark.parametrize(
    ("expr", "cosine", "sine"),
    [
        (sp.pi, -1, 0),
        (-sp.pi / 2, 0, -1),
        (sp.pi - sp.atan(sp.Rational(3, 4)), Fraction(-4, 5), Fraction(3, 5)),
        (sp.acos(-sp.Rational(5, 13)), Fraction(-5, 13), Fraction(12, 13)),
        (2 * sp.atan(T), Fraction(7, 25), Fraction(24, 25)),
        (sp.atan2(3 * T, -3), Fraction(-4, 5), Fraction(3, 5)),
    ],
)
def test_angles_of_expressions_are_exact(expr, cosine, sine):
    found = angle_of(expr, [(T, Fraction(3, 4))])
    assert (found.cosine, found.sine) == (cosine, sine)
    assert float(found) == pytest.approx(float(expr.subs(T, 0.75)), rel=1e-15)
    copy = pickle.loads(pickle.dumps(found))
    assert (copy, copy.cosine, copy.sine) == (found, cosine, sine)


@pytest.mark.parametrize("expr", [sp.Integer(1), sp.pi / 3, T, sp.asin(T), sp.sqrt(2)])
def test_other_angles_are_none(expr):
    assert angle_of(expr, [(T, Fraction(3, 4))]) is None


def test_floats_next_to_simple_angles():
    assert nearby_angle(3.0 * math.pi).cosine == -1
    assert nearby_angle(math.atan2(-3, 4)).sine == Fraction(-3, 5)
    assert nearby_angle(1.0) is None
    assert nearby_angle(math.pi + 1e-6) is None
    with pytest.raises(ValueError, match="not those of"):
        ExactAngle(1.0, Fraction(3, 5), Fraction(4, 5))
    with pytest.raises(ValueError, match="not those of"):
        ExactAngle(math.atan2(4, 3), Fraction(3, 5), Fraction(-4, 5))


@pytest.mark.parametrize(
    ("angle", "label"),
    [
        (sp.pi, "q - pi"),
        (-sp.pi, "q + pi"),
        (sp.pi / 2, "q - pi/2"),
        (-7 * sp.pi / 2, "q + 7*pi/2"),
        (6 * sp.pi, "q - 6*pi"),
        (sp.atan2(-3, -4), "q - atan2(-3/5, -4/5)"),
        (sp.atan2(-3, 4) - 4 * sp.pi, "q - atan2(-3/5, 4/5) + 4*pi"),
    ],
)
def test_distances_from_angles_are_read_back(angle, label):
    exact = angle_of(angle, [])
    assert distance_label("q", exact) == label
    name, read = angle_in_label(label)
    assert (name, read.cosine, read.sine) == ("q", exact.cosine, exact.sine)
    assert float(read) == pytest.approx(float(exact), rel=1e-15)
    # The label says where the distance is zero.
    names = {"q": float(angle), "pi": math.pi, "atan2": math.atan2}
    assert abs(eval(label, names)) < 4 * math.ulp(float(angle))
    assert angle_in_label("q") is angle_in_label("q - x") is angle_in_label("q - pi/3") is None


def test_hanging_at_pi_is_proved_and_standing_refuted():
    system = pendulum(up=gc.Family({}), down=gc.Family({"phi": sp.pi}))
    assert gc.certify(system, system.equilibrium("up")).verdict is gc.Verdict.PROVED_UNSTABLE
    certificate = gc.certify(system, system.equilibrium("down"))
    assert certificate.verdict is gc.Verdict.PROVED_STABLE
    assert "phi - pi = 0" in certificate.claim
    require_same_equations(system, certificate.data)
    conditions = gc.stability_conditions(system, "down")
    assert conditions.stable == (sp.true,) or list(conditions.stable) == [sp.true]


@pytest.mark.parametrize("slope", [sp.Rational(3, 4), -sp.Rational(12, 5)])
def test_leaning_rest_is_proved_on_both_sides(slope):
    """tan phi = slope: the angle is no multiple of pi, its sine and cosine are rational."""
    lean = sp.atan(slope)
    system = pendulum(slope, top=gc.Family({"phi": lean}), bottom=gc.Family({"phi": lean + sp.pi}))
    for name, verdict in (("top", "PROVED_UNSTABLE"), ("bottom", "PROVED_STABLE")):
        eq = system.equilibrium(name)
        certificate = gc.certify(system, eq)
        assert certificate.verdict.value == verdict
        assert eq["phi"] == pytest.approx(float(lean) + (np.pi if name == "bottom" else 0))
        # The frequency is that of the slope's apparent gravity.
        square = 9.81 / 0.7 * np.sqrt(1 + float(slope) ** 2) * (1 if name == "top" else -1)
        roots = gc.linearize(system, eq).eigenvalues
        assert max(abs(roots**2 - square)) < 1e-9


def test_what_a_search_finds_at_an_exact_angle_is_exact():
    system = pendulum(sp.Rational(3, 4))
    eq = gc.find_equilibrium(system, guess=system.state(phi=3.5))
    assert eq.exact[1].cosine == Fraction(-4, 5)
    assert gc.certify(system, eq).verdict is gc.Verdict.PROVED_STABLE
    # Turned by whole turns it is the same.
    far = gc.find_equilibrium(system, guess=system.state(phi=3.5 + 4 * np.pi))
    assert far["phi"] == pytest.approx(eq["phi"] + 4 * np.pi)
    assert gc.certify(system, far).verdict is gc.Verdict.PROVED_STABLE


def test_irrational_angles_and_springs_are_proved_in_balls():
    system = pendulum(sp.Rational(1, 2))
    eq = gc.find_equilibrium(system, guess=system.state(phi=3.5))
    assert gc.certify(system, eq).verdict is gc.Verdict.PROVED_STABLE
    # A torsional spring holds the angle itself, which is irrational at pi.
    held = pendulum(spring=sp.Rational(1, 3))
    near = gc.find_equilibrium(held, guess=held.state(phi=3.0))
    certificate = gc.certify(held, near)
    assert certificate.verdict is gc.Verdict.PROVED_STABLE
    assert certificate.method == "energy-Casimir in balls"


def test_a_file_with_a_false_angle_is_not_that_of_the_system():
    system = pendulum(down=gc.Family({"phi": sp.pi}))
    content = gc.certify(system, system.equilibrium("down")).data
    problem = content["problem"]
    for label, words in (
        ("phi - atan2(0, -2)", "measured from no angle"),
        ("phi - 2*pi", "not that of the system"),
        ("phi - pi/2", "not that of the system"),
        ("phi - atan2(0, -1)", "has the states"),
        ("phi", "not that of the system"),
    ):
        states = {label if k.startswith("phi -") else k: v for k, v in problem["states"].items()}
        nodes = [
            [n[0], label, n[2]] if n[0] == "sym" and n[1].startswith("phi -") else n for n in problem["nodes"]
        ]
        with pytest.raises(gc.CertificateError, match=words):
            changed = problem | {"states": states, "nodes": nodes}
            require_same_equations(system, content | {"problem": changed})


def test_sums_of_angles_and_multiples_are_turned():
    """Two angles, either of them doubled, in inertia and potential; against the equations as they are."""
    phi, psi = gc.Coordinate("phi", angle=True), gc.Coordinate("psi", angle=True)
    a, b = phi.symbol, psi.symbol
    system = gc.EulerPoincare(
        shape=[phi, psi],
        inertia=[[3 + sp.cos(2 * a - b), sp.sin(b)], [sp.sin(b), 2]],
        potential=-sp.cos(a - 2 * b) - (8 * sp.cos(b) - 6 * sp.sin(b)) / 5,
        equilibria={
            "rest": gc.Family({"psi": -sp.atan(sp.Rational(3, 4)), "phi": -2 * sp.atan(sp.Rational(3, 4))})
        },
    ).reduce()
    certificate = gc.certify(system, system.equilibrium("rest"))
    assert certificate.verdict is gc.Verdict.PROVED_STABLE
    require_same_equations(system, certificate.data)
