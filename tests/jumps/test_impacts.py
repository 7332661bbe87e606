"""Impacts against the algebra that they come from, at random inertias and rows."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl._scalars import STATE, Graph, Program
from geoctrl.systems.jumps.impact_equations import collision, gains_energy, inverse_loads
from tests.jumps.jumping_mechanisms import BLOCK, block, bouncing_ball, compass_walker

SHAPES = [(3, 1, 0), (3, 1, 1), (4, 2, 1), (5, 2, 2), (5, 3, 1), (6, 3, 2)]


@cache
def recorded(n, k, a):
    """An impact in symbols, as a function of inertia, velocity, rows and restitutions."""
    g = Graph()

    def table(name, rows, columns):
        return [[g.symbol(f"{name}{i}_{j}", STATE) for j in range(columns)] for i in range(rows)]

    half = table("M", n, n)
    M = [[half[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    (xi,), J, A, (e,) = table("xi", 1, n), table("J", k, n), table("A", a, n), table("e", 1, k)
    hit = collision(g, M, xi, J, A, e)
    arguments = [*(x for row in M for x in row), *xi, *(x for row in [*J, *A] for x in row), *e]
    unique = list(dict.fromkeys(arguments))
    places = [arguments.index(node) for node in unique]
    program = Program(g, unique, {}, [*hit.velocity, *hit.impulses, hit.change])
    return lambda *parts: np.array(program(list(np.concatenate([np.ravel(p) for p in parts])[places]), {}))


def drawn(rng, n, k, a):
    root = rng.standard_normal((n, n))
    M, J, A = root @ root.T + np.eye(n), rng.standard_normal((k, n)), rng.standard_normal((a, n))
    xi = rng.standard_normal(n)
    return M, xi - np.linalg.pinv(A) @ A @ xi, J, A, rng.uniform(0, 1, k)


@pytest.mark.parametrize("shape", SHAPES)
def test_energy_lost_is_that_of_the_formula_and_rows_do_as_they_are_told(shape):
    """Thirty-four each, two hundred in all."""
    n, k, a = shape
    rng, solve = np.random.default_rng(n * k + a), recorded(*shape)
    for _ in range(34):
        M, xi, J, A, e = drawn(rng, *shape)
        told = solve(M, xi, J, A, e)
        after, impulse, change = told[:n], told[n : n + k], told[-1]
        states = (after @ M @ after - xi @ M @ xi) / 2
        assert abs(states - change) <= 1e-12 * (after @ M @ after + xi @ M @ xi)
        assert np.allclose(J @ after, -e * (J @ xi), atol=1e-11)
        assert np.allclose(A @ after, 0, atol=1e-11)
        # What is not struck keeps its momentum.
        free = np.linalg.svd(np.vstack([J, A]))[2][k + a :]
        assert np.allclose(free @ (M @ (after - xi)), 0, atol=1e-11)
        assert np.isclose(impulse @ (J @ after + J @ xi) / 2, change, atol=1e-12 * (xi @ M @ xi))


@pytest.mark.parametrize("shape", SHAPES)
def test_full_and_reduced_velocities_give_one_answer(shape):
    n, k, a = shape
    rng, solve = np.random.default_rng(5), recorded(*shape)
    reduced = recorded(n - a, k, 0)
    for _ in range(5):
        M, xi, J, A, e = drawn(rng, *shape)
        E = np.linalg.svd(A)[2][a:].T if a else np.eye(n)
        v = E.T @ xi
        w = reduced(E.T @ M @ E, v, J @ E, np.zeros((0, n - a)), e)[: n - a]
        assert np.allclose(E @ w, solve(M, xi, J, A, e)[:n], atol=1e-11)


def test_restitutions_that_may_gain_energy_are_told_from_those_that_may_not():
    """By velocities: the most that an impact can gain, over all of them."""
    rng, found = np.random.default_rng(3), set()
    for _ in range(200):
        M, _, J, A, e = drawn(rng, 4, 2, 1)
        loads = inverse_loads(M, J, A)
        W = np.linalg.inv(loads)
        y = rng.standard_normal((2, 4000))
        change = np.einsum("ia,ij,ja->a", e[:, None] * y, W, e[:, None] * y) - np.einsum(
            "ia,ij,ja->a", y, W, y
        )
        gains = bool(np.any(change > 0))
        assert gains <= gains_energy(loads, e)
        found.add(gains_energy(loads, e))
        assert not gains_energy(loads, np.full(2, e[0]))
    assert found == {True, False}


def test_one_number_of_restitution_loses_its_share():
    """-(1 - e^2)/2 y.W y, of a block as the rocking corner sees it."""
    (t,) = compass_walker().transitions
    x = np.array([-1.2, -0.9, -0.25, 0.25 + 2 * 3 * np.pi / 180])
    values = compass_walker().parameters_at(None)["motion"]
    mass, struck, kept = t.matrices_at(0.0, x, np.zeros(0), values)
    xi = t.source.system.velocity(x)
    y = struck @ xi
    landing = t.landing(0.0, x, np.zeros(0), values)
    assert np.isclose(landing.lost, y @ np.linalg.solve(inverse_loads(mass, struck, kept), y) / 2, rtol=1e-12)
    assert np.allclose(landing.impulse, -np.linalg.solve(inverse_loads(mass, struck, kept), y), rtol=1e-12)


def test_a_block_keeps_the_part_of_its_rate_that_housner_gave():
    (t,) = block().hybrid().transitions
    b, h = BLOCK["b"], BLOCK["h"]
    landing = t.landing(0.0, np.array([-1.0, 0.0]), np.zeros(0), {})
    assert np.isclose(landing.state[0], float(1 - R32 * b**2 / (b**2 + h**2)), rtol=0, atol=3e-16)
    assert landing.broken == ""
    assert landing.impulse[1] > 0


R32 = sp.Rational(3, 2)


def test_rows_that_follow_from_others_are_refused():
    q, p = gc.Coordinate("q"), gc.Coordinate("p")

    def mechanism(rows, **more):
        return gc.EulerPoincare(
            algebra=None,
            shape=[q, p],
            inertia=[[2, 1], [1, 3]],
            jumps=[gc.Impact("hit", when=q.symbol, rows=rows, normal=0)],
            **more,
        )

    with pytest.raises(gc.ConstraintError, match="rows 0, 1 are not independent at the impact 'hit'"):
        mechanism([[1, 2], [2, 4]]).hybrid()
    with pytest.raises(gc.ConstraintError, match="not independent"):
        mechanism([[1, 0]], constraints={"held": [1, 0]}).hybrid()


def test_an_impact_that_would_gain_energy_is_refused_where_it_happens():
    q, p = gc.Coordinate("q"), gc.Coordinate("p")
    hit = gc.Impact("hit", when=q.symbol, rows=[[1, 0], [0, 1]], restitution=[1, 0], normal=0)
    mech = gc.EulerPoincare(algebra=None, shape=[q, p], inertia=[[2, 1], [1, 2]], jumps=[hit])
    with pytest.raises(gc.ConstraintError, match="would gain energy"):
        gc.simulate(mech.hybrid(), 2.0, [-1, 0.3, 1, 0])


def test_units_do_not_decide():
    """The same in millimetres and grams, with a number that is an array without dimensions."""
    small = gc.Coordinate("z", unit="mm")
    bounce = gc.Impact("bounce", when=small.symbol, rows=[[1]], restitution=np.array(0.5))
    mech = gc.EulerPoincare(
        algebra=None, shape=[small], inertia=[[1e-9]], potential=9810e-9 * small.symbol, jumps=[bounce]
    )
    run = gc.simulate(mech.hybrid(), 2.0, [0, 1000])
    other = gc.simulate(bouncing_ball(0.5), 2.0, [0, 1])
    assert np.isclose(run.accumulation, other.accumulation, rtol=1e-12)
    assert len(run.jumps) == len(other.jumps)
