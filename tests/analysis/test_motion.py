"""Rates in which the accelerations cancel unsolved: the same number, and short enough for a proof."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl._scalars import STATE
from geoctrl.analysis.motion import Motion


def rates(sys, node):
    """The rate with accelerations solved for, and with unknowns that cancel (put to any value)."""
    motion = Motion.of(sys)
    any_value = {z: sys.graph.number(3 + i) for i, z in enumerate(motion.unknowns.values())}
    plain = sys.graph.add(sys.rate_terms([node])[0])
    return plain, sys.graph.substitute([motion.rate(node)], any_value)[0]


def pivots(sys, node):
    """Sums of states that a node divides by."""
    products = (n.payload[1] for n in sys.graph.reachable([node]) if n.kind == "prod")
    return {a for items in products for a, e in items if e < 0 and a.kind == "sum" and a.level == STATE}


@pytest.mark.parametrize(
    "model", ["heavy-top", "pendulum-skate", "chaplygin-sphere", "rattleback", "veselova"]
)
def test_the_energys_rate_is_zero_without_pivots(model):
    sys = gc.models.get(model)().reduce()
    plain, short = rates(sys, sys.assembly.energy)
    if model in ("chaplygin-sphere", "rattleback"):  # the inertia varies, so that the field divides by pivots
        assert pivots(sys, plain) - pivots(sys, short)
    assert pivots(sys, short) <= pivots(sys, sys.assembly.energy)
    assert gc.check_invariant(sys, "energy").proved


def test_it_is_the_rate_of_any_function():
    sys = gc.models.get("rattleback")().reduce()
    w1, w2, _, G1, _, G3 = sys.states
    node = sys.expression(w1**2 * G3 + sp.sin(G1) * w2 + w1 * w2)
    program = sys.program(list(rates(sys, node)))
    rng = np.random.default_rng(2)
    for _ in range(3):
        plain, short = program(sys.arguments_at(0.0, sys.random_state(rng), np.zeros(0)), sys.params)
        assert abs(plain) > 1e-3
        assert np.isclose(plain, short, rtol=1e-12)


def test_an_energy_with_a_wrong_potential_is_not_conserved():
    sys = gc.models.get("rattleback")().reduce()
    wrong = sys.assembly.energy + sys.expression(sys.states[5] / 7)
    _, short = rates(sys, wrong)
    (value,) = sys.program([short])(
        sys.arguments_at(0.0, sys.random_state(np.random.default_rng(3)), np.zeros(0)), sys.params
    )
    assert abs(value) > 1e-3
    assert not gc.check_invariant(
        gc.models.get("chaplygin-sphere")().reduce(), sp.Symbol("Omega1", real=True)
    ).proved
