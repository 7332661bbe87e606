"""The rate of the energy without its pivots: the same number, and short enough for a proof."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.analysis.power import power


def rates(sys, node):
    """The rate as it is recorded, and as `power` records it."""
    plain = sys.graph.add(sys.rate_terms([node])[0])
    return plain, power(tuple(sys.state_nodes), tuple(sys.field_nodes), tuple(sys.leaf.nodes), node)


@pytest.mark.parametrize(
    "model", ["heavy-top", "pendulum-skate", "chaplygin-sphere", "rattleback", "veselova"]
)
def test_the_energys_rate_is_zero_and_short(model):
    sys = gc.models.get(model)().reduce()
    plain, short = rates(sys, sys.assembly.energy)
    assert len(sys.graph.reachable([short])) <= len(sys.graph.reachable([plain]))
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
