"""Coupled parts along their tree: the same accelerations as by the whole matrix, in fewer instructions."""

from functools import cache
from math import log

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl._scalars import STATE, Graph, Program
from studies.bench.links import planar_links
from tests.systems.coupled_parts import (
    bodies,
    chain_on_cart,
    charged_chain,
    links,
    planar_chain,
    random_parents,
    relative_links,
)

DRAWN = {
    "chain": lambda rng: links(rng, [None, *range(7)]),
    "branches": lambda rng: links(rng, random_parents(rng, 10)),
    "offset joints": lambda rng: links(rng, random_parents(rng, 10), offset=True),
    "named numbers": lambda rng: links(rng, random_parents(rng, 10), named=True),
    "any order": lambda rng: links(rng, random_parents(rng, 10), order=list(rng.permutation(10))),
    "grams and millimetres": lambda rng: links(rng, random_parents(rng, 10), units=(1000, 1000), offset=True),
    "ball joints": lambda rng: bodies(rng, [None, 0, 1, 1]),
    "on a cart": lambda rng: chain_on_cart(7),
    "point masses": lambda rng: links(
        rng, random_parents(rng, 8), offset=True, order=list(rng.permutation(8)), points=True
    ),
    "point masses by name": lambda rng: links(rng, random_parents(rng, 8), named=True, points=True),
    "point masses on a cart": lambda rng: chain_on_cart(4, points=True),
    "point masses, vectors of the plane": lambda rng: planar_links(6).description,
    "angles at joints": lambda rng: relative_links(rng, random_parents(rng, 7)),
    "angles at joints, from the tip": lambda rng: relative_links(
        rng, [None, *range(5)], order=range(5, -1, -1)
    ),
}


def states(system, count=12):
    rng = np.random.default_rng(3)
    return np.array([system.random_state(rng) for _ in range(count)]).T


def whole(system):
    """The rates by the whole matrix."""
    return system.program(system.field_nodes)


@cache
def drawn(name):
    """Made when it is asked for: the plain run asks of some alone."""
    return DRAWN[name](np.random.default_rng(11)).reduce()


@pytest.mark.parametrize("name", DRAWN)
def test_accelerations_are_those_of_the_whole_matrix(name):
    system = drawn(name)
    assert system.assembly.pivot_places is not None
    x = states(system)
    found, expected = system.rhs(0.0, x), whole(system)(system.arguments_at(0.0, x, None), system.params)
    assert np.all(np.abs(found - expected).max(axis=0) <= 1e-12 * np.abs(expected).max(axis=0))
    assert len(system._field.tape.instructions) < len(whole(system).tape.instructions)


@pytest.mark.parametrize("name", [name for name in DRAWN if name.startswith("point")])
def test_point_masses_are_held_by_tensions(name):
    """One number for each link: three quarters of the instructions that links with moments take."""
    system = drawn(name)
    assert len(system._field.tape.instructions) < 28 * len(system.assembly.velocity)


def test_tangents_of_vectors_turn_as_by_the_whole_matrix():
    """Off the leaf the equations may differ: the length of a vector is one in them."""
    system = drawn("point masses, vectors of the plane")
    x = states(system, 1)[:, 0]
    n = len(x) // 3
    turns = np.zeros((3 * n, n))
    for k in range(n):
        turns[n + 2 * k : n + 2 * k + 2, k] = -x[n + 2 * k + 1], x[n + 2 * k]
    tangents = np.hstack([np.eye(3 * n)[:, :n], turns])
    found = system.jacobian(0.0, x) @ tangents
    expected = system.differential.numeric(system.arguments_at(0.0, x, None), system.params)[0] @ tangents
    assert np.allclose(found, expected.reshape(found.shape), rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["offset joints", "on a cart", "angles at joints", "point masses on a cart"])
def test_jacobians_are_those_of_the_whole_matrix(name):
    system = drawn(name)
    x = states(system, 3)
    expected = system.differential.numeric(system.arguments_at(0.0, x, None), system.params)
    for found, jacobian in zip(
        (system.jacobian(0.0, x), system.input_jacobian(0.0, x)), expected, strict=True
    ):
        assert found.shape == jacobian.shape
        assert np.allclose(found, jacobian, rtol=0, atol=1e-12 * np.max(np.abs(jacobian), initial=1.0))
    assert np.array_equal(system.jacobian(0.0, x[:, 0]), system.jacobian(0.0, x[:, :1])[0])


def test_rotors_and_magnetic_forces_act_as_in_the_multiplier_form():
    system = charged_chain(8).reduce()
    assert system.assembly.pivot_places is not None
    plain, rng, k = system.unreduced(), np.random.default_rng(2), len(system.assembly.velocity)
    for x in states(system, 4).T:
        u = rng.normal(size=system.ninputs)
        expected, _ = plain.rhs(0.0, (x[:k], x[k:]), u)
        assert np.allclose(system.rhs(0.0, x, u)[:k], expected, rtol=0, atol=1e-13 * np.abs(expected).max())


def test_energy_is_kept_in_a_run():
    run = gc.simulate(drawn("branches"), [0.0, 0.5, 1.0], states(drawn("branches"), 1)[:, 0])
    assert run.success
    assert run.drift["energy"] < 1e-11


def test_members_have_parameters_of_their_own():
    system = drawn("named numbers")
    x = states(system, 3)
    masses = np.array([0.6, 1.1, 1.7])
    many = system.rhs(0.0, x, params={"m3": masses})
    slopes = system.jacobian(0.0, x, params={"m3": masses})
    for k, mass in enumerate(masses):
        assert np.allclose(many[:, k], system.rhs(0.0, x[:, k], params={"m3": mass}), rtol=1e-13, atol=0)
        alone = system.jacobian(0.0, x[:, k], params={"m3": mass})
        assert np.allclose(slopes[k], alone, rtol=0, atol=1e-12 * np.abs(alone).max())


def test_instructions_grow_as_the_number_of_links():
    counts = {n: len(planar_chain(n).reduce()._field.tape.instructions) for n in (8, 16, 32)}
    assert counts[16] <= 1009
    assert counts[8] <= 465
    assert log(counts[32] / counts[16], 2) < 1.1


def test_inertia_without_the_ranks_of_a_tree_is_eliminated_entry_by_entry():
    q = [gc.Coordinate(f"q{i}", angle=True) for i in range(6)]
    s = [c.symbol for c in q]
    mixed = sp.Matrix(6, 6, lambda i, j: 8 if i == j else sp.cos((1 + i * j) * (s[i] + s[j])))
    system = gc.EulerPoincare(shape=q, inertia=mixed).reduce()
    assert system.assembly.pivot_places is None
    assert system.evaluated_rates == system.field_nodes


def test_a_singular_inertia_is_refused_along_a_tree():
    q = [gc.Coordinate(f"q{i}", angle=True) for i in range(7)]
    s = [c.symbol for c in q]
    # The last link has neither mass nor moment.
    inertia = sp.Matrix(7, 7, lambda i, j: (6 - max(i, j)) * (sp.cos(s[i] - s[j]) if i != j else 1))
    inertia[6, 6] = 0
    with pytest.raises(gc.SingularMassError, match="no inertia along q6_dot"):
        gc.EulerPoincare(shape=q, inertia=inertia).reduce()


def test_names_compute_nothing():
    g = Graph()
    x, y = (g.symbol(name, STATE) for name in "xy")
    total = x + 2 * y
    named = g.let(3 * total)
    assert named == 3 * g.let(total)
    assert g.let(x) is x
    program = Program(g, [x, y], {}, [named * y + x, total])
    assert program([2.0, 5.0], {}).tolist() == [182.0, 12.0]
    assert len(program.tape.instructions) == len(
        Program(g, [x, y], {}, [3 * total * y + x, total]).tape.instructions
    )
    assert g.gradient(named, [x, y]) == [g.node(3), g.node(6)]
    assert g.substitute([named], {x: g.zero}) == [6 * y]
