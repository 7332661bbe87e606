"""Trees of links against accelerations in doubles by another way, and against their inertia as a matrix."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.oracles.tree_in_space import TreeInSpace, random_pose, state_of
from tests.systems.trees.tree_models import MODELS


@cache
def described(name):
    tree = MODELS[name]()
    inputs = [f"u{k}" for k in range(len(tree.labels))]
    return gc.EulerPoincare(tree=tree, inputs=inputs, forces=list(sp.symbols(inputs)), name=name)


@cache
def system(name):
    return described(name).reduce()


@pytest.mark.parametrize("name", MODELS)
def test_accelerations_are_those_in_space(name):
    tree, sys, rng = described(name).tree, system(name), np.random.default_rng(3)
    for _ in range(3):
        pose, (xi, u) = random_pose(tree, rng), rng.normal(size=(2, len(tree.labels)))
        at, x = TreeInSpace(tree, pose), state_of(sys, tree, pose, xi)
        want = at.rates(xi, u)
        got = sys.rhs(0.0, x, u)[: len(xi)]
        assert np.abs(got - want).max() < 1e-12 * np.abs(want).max()
        assert np.abs(sys.leaf_residual(x)).max(initial=0) < 1e-14


@pytest.mark.parametrize("name", MODELS)
def test_energy_and_inertia_are_those_in_space(name):
    tree, sys, rng = described(name).tree, system(name), np.random.default_rng(4)
    pose, (xi, other) = random_pose(tree, rng), rng.normal(size=(2, len(tree.labels)))
    at, x = TreeInSpace(tree, pose), state_of(sys, tree, pose, xi)
    y = state_of(sys, tree, pose, other)
    kinetic = sys.energy(x) - sys.energy(y)
    assert kinetic == pytest.approx(at.energy(xi) - at.energy(other), rel=1e-12)
    M = np.array(sys.program([e for row in sys.assembly.mass for e in row])(sys.arguments_at(0, x, None), {}))
    want = at.inertia()
    assert np.abs(M.reshape(want.shape) - want).max() < 1e-13 * np.abs(want).max()


SLOW = set(MODELS) - {"hinge", "general hinges", "hinge and slide", "ball", "planar", "free with armature"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(k, marks=[pytest.mark.long(reason="the matrix")] if k in SLOW else []) for k in MODELS],
)
def test_the_same_mechanism_by_its_inertia(name):
    given, sys, rng = described(name), system(name), np.random.default_rng(5)
    plain = given.replace(inertia=given.inertia)
    assert plain.tree is None
    other = plain.reduce()
    assert other.state_labels == sys.state_labels
    pose, (xi, u) = random_pose(given.tree, rng), rng.normal(size=(2, sys.ninputs))
    x = state_of(sys, given.tree, pose, xi)
    want = other.rhs(0.0, x, u)
    assert np.abs(sys.rhs(0.0, x, u) - want).max() < 1e-13 * np.abs(want).max()
    for name, value in other.invariants(x).items():
        assert sys.invariants(x)[name] == pytest.approx(value, rel=1e-12)
