"""Weights that eliminate the accelerations from the rate of a function: K^T w = (dC/dv, 0)."""

import time

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.analysis.question import motion
from geoctrl.analysis.question.motion import EquationsOfMotion

MODELS = ["heavy-top", "pendulum-skate", "chaplygin-sphere", "rattleback", "veselova", "body-with-rotors"]


def numbers(system, nodes, seed=2):
    x = system.random_state(np.random.default_rng(seed))
    return system.program(nodes)(system.arguments_at(0.0, x, np.zeros(system.ninputs)), system.params)


def defect(system, node):
    """Largest entry of K^T w - (dC/dv, 0), and of w."""
    motion = EquationsOfMotion.of(system)
    w = motion.weights(node)
    k = len(w)
    cells = motion.entries
    K = np.zeros((k, k))
    K[[i for i, _, _ in cells], [j for _, j, _ in cells]] = numbers(system, [e for *_, e in cells])
    slope = np.zeros(k)
    slope[: len(motion.velocities)] = numbers(system, system.graph.gradient(node, motion.velocities))
    values = numbers(system, w)
    return np.max(np.abs(K.T @ values - slope)), np.max(np.abs(values))


@pytest.mark.parametrize("model", MODELS)
def test_the_velocities_eliminate_them_from_the_energys_rate(model):
    """K^T (v, 0) = (M v, B v), and B v = 0 on the leaf."""
    system = gc.models.get(model)().reduce()
    error, size = defect(system, system.assembly.energy)
    assert error < 1e-12 * max(1.0, size)  # rounding of a handful of products
    assert size > 1e-3


@pytest.mark.parametrize("model", MODELS)
def test_any_function_has_weights(model):
    system = gc.models.get(model)().reduce()
    first, second = system.states[:2]
    node = system.expression(first**2 * sp.cos(second) + 3 * first * second)
    error, size = defect(system, node)
    assert error < 1e-10 * max(1.0, size)  # the rattleback's inertia has a condition number of about 100
    assert size > 1e-3


def test_functions_of_momenta_need_no_inverse():
    """dC/dmu itself: nothing is divided, whatever the inertia."""
    vehicle = gc.models.get("underwater-vehicle")().reduce()
    nodes = {k: vehicle.expression(e) for k, e in vehicle.candidate_invariants.items() if k != "energy"}
    assert nodes
    for name in ("P1**2 + P2**2 + P3**2", "Gamma1*P1 + Gamma2*P2 + Gamma3*P3"):
        weights = EquationsOfMotion.of(vehicle).weights(nodes[name])
        products = [n for n in vehicle.graph.reachable(weights) if n.kind == "prod"]
        assert all(e > 0 for n in products for _, e in n.payload[1])
        error, size = defect(vehicle, nodes[name])
        assert error < 1e-12 * max(1.0, size)


def full_body():
    """se(3) with a full inertia of 21 symbols, whose inverse nobody can wait for."""
    algebra, n = gc.se3(), 6
    # Large on the diagonal, so that the default is positive definite.
    entries = {
        (i, j): gc.Parameter(f"g{i}{j}", 5.0 + i if i == j else 0.3 / (1 + i + j))
        for j in range(n)
        for i in range(j + 1)
    }
    inertia = sp.Matrix(n, n, lambda i, j: entries[min(i, j), max(i, j)].symbol)
    return gc.EulerPoincare(
        name="full", algebra=algebra, inertia=inertia, parameters=list(entries.values())
    ).reduce()


def test_invariants_of_a_body_with_a_full_inertia_of_symbols():
    body = full_body()
    P = sp.Matrix(body.mechanism.algebra.mu[3:])
    Pi = sp.Matrix(body.mechanism.algebra.mu[:3])
    for expr in ("energy", P.dot(P), P.dot(Pi)):
        proof = gc.check_invariant(body, expr, budget=30)
        assert (proof.proved, proof.parameters) == (True, "all")
    wrong = gc.check_invariant(body, Pi.dot(Pi), budget=30)
    assert not wrong.proved
    assert wrong.remainder != 0 or wrong.note
    assert wrong.counterexample is not None


def test_a_search_for_a_shape_ends(monkeypatch):
    """A basis of an ideal may take for ever; a certificate must not."""

    def endless(*_):
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(motion, "find_shape_integrals", endless)
    monkeypatch.setattr(motion, "SHAPE_SECONDS", 0.1)
    system = gc.models.get("heavy-top")().reduce()
    assert EquationsOfMotion.of(system).shape() is None
