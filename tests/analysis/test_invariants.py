"""Proofs of conservation modulo the leaf, and exact counterexamples."""

import re
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl._scalars.algebra.ideal import LeafIdeal
from tests.literature import skate_by_hand as hand


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


@pytest.fixture(scope="module")
def symbols(skate):
    return {str(s): s for s in (*skate.states, *(p.symbol for p in skate.mechanism.parameters))}


@pytest.mark.parametrize(
    ("model", "options", "names"),
    [
        ("pendulum-skate", {}, ["energy", "C1", "C2"]),
        ("pendulum-skate-rotor", {}, ["energy", "C1", "C2"]),
        ("heavy-top", {}, ["energy"]),
        ("veselova", {"potential": "zero"}, ["energy", "momentum"]),
        ("veselova", {"potential": "linear"}, ["energy"]),
        ("veselova", {"potential": "quadratic"}, ["energy"]),
    ],
)
def test_the_catalogue_is_proved_for_all_parameters(model, options, names):
    system = gc.models.get(model)(**options).reduce()
    for name in names:
        proof = gc.check_invariant(system, name)
        assert proof.proved, name
        assert proof.remainder == 0
        assert proof.counterexample is None
        assert proof.parameters == "all"


def test_the_heavy_top_keeps_its_casimirs_always_and_the_third_momentum_only_if_symmetric():
    top = gc.models.get("heavy-top")().reduce()
    for name in top.candidate_invariants:
        assert gc.check_invariant(top, name).proved == (name != "Pi3")
    assert gc.check_invariant(top, "Pi3", params={"I1": 0.77, "I2": 0.77}).proved
    assert not gc.check_invariant(top, "Pi3", params={"I1": 0.77, "I2": 0.78}).proved
    assert gc.check_invariant(top, "Pi3", params={"I1": 0.77, "I2": 0.77}).parameters == "given"


@pytest.mark.parametrize(
    ("I2", "I3", "branch"), [(0.35, 0.004, "arctan"), (0.31, 0.31, "linear"), (0.11, 0.35, "artanh")]
)
def test_C2_in_its_three_branches(skate, I2, I3, branch):
    params = {**hand.GENERIC, "I2": I2, "I3": I3}
    assert gc.check_invariant(skate, "C2", params=params).proved
    # The values are those of the quadrature (37), and of the elementary function of the branch.
    x = np.array([0.4, -1.1, 0.7, np.sin(0.6), np.cos(0.6)])
    value = skate.invariants(x, params)["C2"]
    assert value == pytest.approx(hand.C2(x, params), rel=1e-12)
    d, s = I2 - I3, x[3]
    elementary = {
        "arctan": lambda: np.arctan(np.sqrt(d / I3) * s) / np.sqrt(I3 * d),
        "linear": lambda: s / I3,
        "artanh": lambda: np.arctanh(np.sqrt(-d / I3) * s) / np.sqrt(-I3 * d),
    }[branch]()
    C1 = hand.C1(x, params)
    assert value == pytest.approx(params["l"] * s * x[1] + x[2] + params["l"] * C1 * elementary, rel=1e-12)
    # Negative control: another branch's function is a different number (its coefficient with |I2 - I3|).
    if branch == "arctan":
        other = np.arctanh(np.sqrt(d / I3) * 0.05) / np.sqrt(I3 * d)
        assert not np.isclose(other, np.arctan(np.sqrt(d / I3) * 0.05) / np.sqrt(I3 * d))


def test_off_the_leaf_C2_is_not_conserved(skate):
    """Its rate is a nonzero multiple of |Gamma|^2 - 1 in the ring of all states."""
    rate = skate.graph.add(skate.rate_terms([_node(skate, "C2")])[0])
    ambient = LeafIdeal([], [rate])
    remainder = sp.expand(ambient.to_sympy(ambient.remainder(rate), skate.symbols))
    assert remainder != 0
    Gamma2, Gamma3 = skate.states[3:]
    _, rest = sp.reduced(remainder, [Gamma2**2 + Gamma3**2 - 1], Gamma3, Gamma2)
    assert rest == 0
    # On the leaf alone it is a theorem.
    assert not LeafIdeal(skate.leaf.nodes, [rate]).remainder(rate)


@pytest.mark.parametrize("name", ["energy", "C1"])
def test_energy_and_C1_do_not_need_the_leaf(skate, name):
    """Constraint forces do no work whatever |Gamma| is; (38) as printed has used |Gamma| = 1, and differs."""
    rate = skate.graph.add(skate.rate_terms([_node(skate, name)])[0])
    assert not LeafIdeal([], [rate]).remainder(rate)


def _node(system, name):
    found = system.candidate_invariants[name]
    return found if hasattr(found, "graph") else system.expression(found)


def wrong_invariants(z):
    v1, v2, v3, s, c = (z[k] for k in ("v1", "v2", "v3", "Gamma2", "Gamma3"))
    m, l, g, I1, I2, I3 = (z[k] for k in hand.NAMES)  # noqa: E741
    kinetic = (I1 + m * l**2) * v1**2 + ((I2 + m * l**2) * s**2 + I3 * c**2) * v2**2
    kinetic += 2 * m * l * s * v2 * v3 + m * v3**2
    return {
        "energy with the potential's sign flipped": kinetic / 2 - m * g * l * c,
        "C1 with a sign flipped": (I2 * s**2 - I3 * c**2) * v2,
        "C1 with the moments exchanged": (I3 * s**2 + I2 * c**2) * v2,
        "p3 alone": l * s * v2 + v3,
    }


@pytest.mark.parametrize("which", range(4))
def test_wrong_invariants_have_an_exact_counterexample_on_the_leaf(skate, symbols, which):
    expr = list(wrong_invariants(symbols).values())[which]
    proof = gc.check_invariant(skate, expr)
    assert not proof.proved
    assert proof.remainder != 0
    point = proof.counterexample
    assert point["Gamma2"] ** 2 + point["Gamma3"] ** 2 == 1
    assert all(isinstance(v, sp.Rational) for v in point.values())
    # The rate, differentiated by sympy along (38) as printed, exactly at that point.
    x = [symbols[k] for k in ("v1", "v2", "v3", "Gamma2", "Gamma3")]
    p = {k: symbols[k] for k in hand.NAMES}
    rate = sum(sp.diff(expr, z) * f for z, f in zip(x, hand.rhs(x, p), strict=True))
    exact = rate.subs({s: point[str(s)] for s in rate.free_symbols})
    assert exact == proof.rate
    assert exact != 0


def test_full_symbols_and_momenta_may_be_used(skate):
    xi, mu = skate.mechanism.algebra.xi, skate.mechanism.algebra.mu
    Gamma = skate.mechanism.advected_symbols[:3]
    l = next(p.symbol for p in skate.mechanism.parameters if p.name == "l")  # noqa: E741
    area = sum(G * P for G, P in zip(Gamma, mu[:3], strict=True))
    assert gc.check_invariant(skate, area - l * Gamma[1] * mu[3]).proved
    assert not gc.check_invariant(skate, area + l * Gamma[1] * mu[3]).proved
    # The lateral velocity of the blade is zero by the constraints, hence constant.
    assert gc.check_invariant(skate, Gamma[1] * xi[5] - Gamma[2] * xi[4]).proved


def test_a_proof_is_not_a_bool(skate):
    with pytest.raises(TypeError, match="proved"):
        bool(gc.check_invariant(skate, "C1"))
    with pytest.raises(TypeError):
        assert gc.check_invariant(skate, "C1")


def test_float_coefficients_are_the_rationals_that_they_are():
    top = gc.models.get("heavy-top")().reduce()
    G, mu = top.mechanism.configuration_symbols, top.mechanism.algebra.mu
    area = sum(a * b for a, b in zip(G, mu, strict=True))
    assert gc.check_invariant(top, 0.1 * area).proved
    assert not gc.check_invariant(top, 0.1 * area + 1e-30 * mu[0]).proved


def test_inputs_are_zero_unless_all_are_asked_for():
    """A torque of the rotor changes the energy but neither C1 nor C2, for a rotor about the blade."""
    plant = gc.models.get("pendulum-skate-rotor")().reduce()
    for name in ("energy", "C1", "C2"):
        assert gc.check_invariant(plant, name).proved
        assert gc.check_invariant(plant, name, for_all_inputs=True).proved == (name != "energy")
    worked = gc.check_invariant(plant, "energy", for_all_inputs=True)
    # Energy rate = input power.
    assert worked.rate == worked.counterexample["u_theta"] * worked.counterexample["theta_dot"]


def test_what_parameters_decide_may_be_asked_at_numbers(skate, symbols):
    """With I2 = I3 the yaw rate itself is constant."""
    v2 = symbols["v2"]
    assert not gc.check_invariant(skate, v2).proved
    assert gc.check_invariant(skate, v2, params={"I2": 0.27, "I3": 0.27}).proved
    found = gc.check_invariant(skate, v2, params={"I2": 0.27, "I3": 0.28})
    assert not found.proved
    assert found.counterexample["I2"] == sp.Rational(*(0.27).as_integer_ratio())


def test_unknown_symbols_raise(skate):
    with pytest.raises(gc.ExpressionError):
        gc.check_invariant(skate, sp.Symbol("v9", real=True))
    with pytest.raises(gc.ParameterError, match="I2"):
        gc.check_invariant(skate, "C1", params={"I22": 0.3})


def test_declared_invariants_that_fail_are_dropped_and_named(skate):
    mechanism = skate.mechanism
    v2 = sp.Symbol("v2", real=True)
    system = mechanism.replace(invariants={**mechanism.invariants, "yaw rate": v2}).reduce()
    assert system.dropped_invariants == ("yaw rate",)
    assert "yaw rate" not in system.conserved()
    equal = tuple(replace(p, default=0.2) if p.name in ("I2", "I3") else p for p in mechanism.parameters)
    assert system.mechanism.replace(parameters=equal).reduce().dropped_invariants == ()


def test_parameters_without_numbers_are_free_and_not_at_their_defaults():
    """The moment about the axis is conserved where I1 = I2, as it is at the defaults."""
    parameters = [gc.Parameter(f"I{i}", value, positive=True) for i, value in ((1, 1.0), (2, 1.0), (3, 1.5))]
    moments = sp.diag(*(p.symbol for p in parameters))
    gamma, spin = gc.AdvectedVector("Gamma"), sp.Symbol("W", real=True)
    top = gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[gamma],
        inertia=moments,
        potential=gamma.symbols[2],
        parameters=parameters,
        equilibria={"up": gc.Family({"Omega3": spin, "Gamma3": 1}, symbols=[spin])},
        invariants={"Pi3": moments[2, 2] * gc.so3().xi[2]},
    ).reduce()
    assert not gc.check_invariant(top, "Pi3", params={"I3": 1.5}).proved
    assert gc.check_invariant(top, "Pi3", params={"I1": 1, "I2": 1}).proved
    # Conditions for all I1 and I2 rest on what is conserved for all of them.
    conditions = gc.stability_conditions(top, "up", params={"I3": 1.5})
    for I2 in (0.2, 1.0, 4.0):
        numbers = {p.symbol: v for p, v in zip(parameters, (1, I2, 1.5), strict=True)} | {spin: 3.0}
        holds = all(bool(c.subs(numbers)) for c in conditions.stable)
        verdict = gc.certify(top, top.equilibrium("up", W=3.0, params={"I2": I2})).verdict
        assert bool(conditions.stable and holds) == (verdict is gc.Verdict.PROVED_STABLE)


def test_a_remainder_is_exact_inside_and_decimals_in_print():
    top = gc.models.get("heavy-top")().reduce()
    numbers = {"m": 0.77, "l": 0.9, "g": 9.81, "I1": 0.35, "I2": 0.36, "I3": 0.11}
    proof = gc.check_invariant(top, 1.1 * top.states[0] ** 2, params=numbers)
    assert not proof.proved
    assert max(len(str(q.p)) for q in proof.remainder.atoms(sp.Rational)) > 30
    assert not re.search(r"\d{20}", repr(proof))


def test_leaves_without_rational_points_that_are_known():
    """q = r + sin r: nothing is evaluated there exactly, and what is not kept has no counterexample."""
    q, r = gc.Coordinate("q"), gc.Coordinate("r", angle=True)
    bead = gc.EulerPoincare(
        shape=[q, r],
        inertia=sp.eye(2),
        leaf=[q.symbol - r.symbol - sp.sin(r.symbol)],
        constraints=[[1, -1 - sp.cos(r.symbol)]],
        potential=sp.cos(r.symbol),
    ).reduce()
    assert gc.check_invariant(bead, "energy").proved
    wrong = gc.check_invariant(bead, q.symbol)
    assert not wrong.proved
    assert wrong.counterexample is None
    assert "q_dot" in str(wrong.remainder) or "r_dot" in str(wrong.remainder)
