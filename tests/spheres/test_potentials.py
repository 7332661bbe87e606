"""Potentials: sums over sites and pairs against loops in numpy, cutoffs, functions of the user's."""

from itertools import combinations

import numpy as np
import pytest
import sympy as sp
from numba import njit

import geoctrl as gc
from geoctrl import spheres
from geoctrl.errors import DescriptionError, GradientError
from tests.spheres.systems import random_state

K = gc.Parameter("k", 1.7, positive=True)
N = 5
WEIGHTS = np.array([1.0, 2.0, 0.5, 1.5, 3.0])
JOINED = np.array([[0, 3], [4, 1], [2, 3]])
STRENGTHS = np.array([[0.3, 1.0], [2.0, -0.5], [1.1, 0.4]])
PULL = np.array([0.3, -0.5, 0.8])


def all_pairs(q, function):
    return sum(function(q[a], q[b]) for a, b in combinations(range(len(q)), 2))


def listed(q, function):
    return sum(function(q[a], q[b], c) for (a, b), c in zip(JOINED, STRENGTHS, strict=True))


# Each potential as it is described, and the same by a loop.
CASES = {
    "site": (spheres.Sites(lambda q: q[0] * q[1] ** 2), lambda q: sum(v[0] * v[1] ** 2 for v in q)),
    "weighted site": (
        spheres.Sites(lambda q, c: K.symbol * c * q[2] ** 3, c=WEIGHTS),
        lambda q: sum(1.7 * c * v[2] ** 3 for v, c in zip(q, WEIGHTS, strict=True)),
    ),
    "site with a vector": (
        spheres.Sites(lambda q, c: sp.exp(sp.Matrix(c).dot(q)), c=np.outer(WEIGHTS, PULL)),
        lambda q: sum(np.exp(c * PULL @ v) for v, c in zip(q, WEIGHTS, strict=True)),
    ),
    "all pairs": (
        spheres.Pairs(lambda a, b: 1 / (2 + a.dot(b)) + a[0] * b[1]),
        lambda q: all_pairs(q, lambda a, b: 1 / (2 + a @ b) + a[0] * b[1]),
    ),
    "all pairs with a parameter": (
        spheres.Pairs(lambda a, b: sp.cos(K.symbol * a.dot(b))),
        lambda q: all_pairs(q, lambda a, b: np.cos(1.7 * a @ b)),
    ),
    "listed pairs": (
        spheres.Pairs(lambda a, b: a.cross(b)[2] + K.symbol * a.dot(b) ** 2, pairs=JOINED),
        lambda q: listed(q, lambda a, b, c: np.cross(a, b)[2] + 1.7 * (a @ b) ** 2),
    ),
    "listed pairs with data": (
        spheres.Pairs(lambda a, b, c: c[0] * sp.sqrt(c[1] + 2 + a.dot(b)), pairs=JOINED, c=STRENGTHS),
        lambda q: listed(q, lambda a, b, c: c[0] * np.sqrt(c[1] + 2 + a @ b)),
    ),
}


def system(potential, n=N, **options):
    return spheres.SphereSystem(mass=np.arange(1.0, n + 1), potential=potential, parameters=[K], **options)


def difference(function, q, h=2e-3):
    """Ambient gradient by central differences, extrapolated twice: good to about 1e-12."""
    out = np.zeros_like(q)
    for place in np.ndindex(q.shape):
        e = np.zeros_like(q)
        e[place] = 1
        D = [(function(q + s * h * e) - function(q - s * h * e)) / (2 * s * h) for s in (4, 2, 1)]
        fourth = [(4 * D[1] - D[0]) / 3, (4 * D[2] - D[1]) / 3]
        out[place] = (16 * fourth[1] - fourth[0]) / 15
    return out


@pytest.mark.parametrize("name", CASES)
def test_a_sum_against_a_loop(name):
    term, loop = CASES[name]
    s = system(term)
    q, _ = random_state(N, seed=1)
    assert s.potential(q) == pytest.approx(loop(q), rel=1e-13)
    assert s.gradient(q) == pytest.approx(difference(loop, q), abs=1e-10)


def test_a_list_is_the_sum_of_its_terms():
    q, _ = random_state(N, seed=2)
    vectors, _ = spheres.symbols(N)
    whole = vectors[0].dot(vectors[4]) * K.symbol + vectors[2][1]
    terms = [CASES["weighted site"][0], CASES["all pairs"][0], CASES["listed pairs with data"][0], whole]
    s = system(terms)
    values = [system(term) for term in terms]
    assert s.potential(q) == pytest.approx(sum(v.potential(q) for v in values), rel=1e-13)
    assert s.gradient(q) == pytest.approx(sum(v.gradient(q) for v in values), rel=1e-13, abs=1e-14)


def test_parameters_reach_every_term():
    q, _ = random_state(N, seed=3)
    s = system([CASES["weighted site"][0], CASES["all pairs with a parameter"][0]])
    expected = sum(0.4 * c * v[2] ** 3 for v, c in zip(q, WEIGHTS, strict=True))
    expected += all_pairs(q, lambda a, b: np.cos(0.4 * a @ b))
    assert s.potential(q, params={"k": 0.4}) == pytest.approx(expected, rel=1e-13)
    assert s.potential(q) != pytest.approx(expected, rel=1e-3)


def test_sums_written_out_are_the_same():
    q, _ = random_state(N, seed=4)
    s = system([CASES["listed pairs with data"][0], CASES["weighted site"][0], CASES["all pairs"][0]])
    numbers = dict(zip([x for v in s.q for x in v], q.ravel(), strict=True)) | {K.symbol: 1.7}
    assert float(s.potential_expression.subs(numbers)) == pytest.approx(s.potential(q), rel=1e-13)


# -- cutoff -----------------------------------------------------------------------------------------------

NEAR, MANY = 0.6, 40


def soft(a, b):
    r = a - b
    return (1 - r.dot(r)) ** 2


def spread(n=MANY):
    """Directions along a spiral that covers the sphere evenly."""
    k = np.arange(n) + 0.5
    polar, azimuth = np.arccos(1 - 2 * k / n), np.pi * (1 + 5**0.5) * k
    return np.stack([np.cos(azimuth) * np.sin(polar), np.sin(azimuth) * np.sin(polar), np.cos(polar)], axis=1)


@pytest.fixture(scope="module")
def truncated():
    """The same model twice: with a list of neighbours, and with all pairs and an explicit truncation."""

    def explicit(a, b):
        r = a - b
        return sp.Piecewise((soft(a, b), r.dot(r) <= NEAR**2), (0, True))

    ones = np.full(MANY, 1.3)
    return [
        spheres.SphereSystem(mass=ones, potential=spheres.Pairs(soft, cutoff=NEAR)),
        spheres.SphereSystem(mass=ones, potential=spheres.Pairs(explicit)),
    ]


def test_a_cutoff_leaves_out_distant_pairs(truncated):
    near, explicit = truncated
    q = spread()
    full = spheres.SphereSystem(mass=np.full(MANY, 1.3), potential=spheres.Pairs(soft))
    assert near.potential(q) == pytest.approx(explicit.potential(q), rel=1e-13)
    assert near.gradient(q) == pytest.approx(explicit.gradient(q), rel=1e-12, abs=1e-13)
    assert near.potential(q) != pytest.approx(full.potential(q), rel=1e-2)  # another model


def test_the_list_of_neighbours_is_renewed_as_bodies_move(truncated):
    """Turned by a radian and more, the bodies meet new neighbours; a stale list would be off by per cent."""
    rng = np.random.default_rng(6)
    q = spread()
    q, omega = spheres.project(q, 0.5 * rng.normal(size=q.shape))
    runs = [spheres.integrate(s, q, omega, 0.01, 300, record=300) for s in truncated]
    distances = [np.linalg.norm(v[:, None] - v[None], axis=2) < NEAR for v in (runs[0].q[0], runs[0].q[-1])]
    assert np.sum(distances[0] != distances[1]) > 50
    assert runs[0].q[-1] == pytest.approx(runs[1].q[-1], abs=1e-10)
    assert runs[0].omega[-1] == pytest.approx(runs[1].omega[-1], abs=1e-10)
    assert runs[0].energy[-1] == pytest.approx(runs[1].energy[-1], rel=1e-11)


# -- functions --------------------------------------------------------------------------------------------


def energy_of_functions(q, p):
    total = 0.0
    for i in range(q.shape[0]):
        total += p[0] * q[i, 2] ** 2 + q[i, 0]
    return total


def slope_of_functions(q, p):
    out = np.zeros_like(q)
    for i in range(q.shape[0]):
        out[i, 0] = 1.0
        out[i, 2] = 2 * p[0] * q[i, 2]
    return out


class Table:
    """Something numba does not know."""

    def __call__(self, q, p):
        return energy_of_functions(q, p)

    @staticmethod
    def slope(q, p):
        rows = {i: [1.0, 0.0, 2 * p[0] * v[2]] for i, v in enumerate(q)}
        return np.array([rows[i] for i in sorted(rows)])


FUNCTIONS = {
    "plain": (energy_of_functions, slope_of_functions, "numba"),
    "compiled": (njit(energy_of_functions), njit(slope_of_functions), "numba"),
    "not compilable": (Table(), Table.slope, "python"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_does_what_the_expression_does(name):
    value, slope, engine = FUNCTIONS[name]
    by_function = system(value, n=3, gradient=slope)
    by_expression = system(spheres.Sites(lambda q: K.symbol * q[2] ** 2 + q[0]), n=3)
    q, omega = random_state(3, seed=5)
    assert by_function.potential(q) == pytest.approx(by_expression.potential(q), rel=1e-14)
    assert by_function.gradient(q) == pytest.approx(by_expression.gradient(q), rel=1e-14)
    for method in ("variational", "rk4"):
        runs = [
            spheres.integrate(s, q, omega, 0.01, 40, method=method, params={"k": 0.8})
            for s in (by_function, by_expression)
        ]
        assert runs[0].states == pytest.approx(runs[1].states, abs=1e-13)
        assert runs[0].energy == pytest.approx(runs[1].energy, abs=1e-13)
        assert runs[0].engine == engine
        assert runs[1].engine == "numba"


def test_a_function_without_compiled_inertia():
    """The loops of coupled inertia in plain Python."""
    mass = [[2.0, 0.4], [0.4, 1.0]]
    value, slope, _ = FUNCTIONS["not compilable"]
    q, omega = random_state(2, seed=6)
    runs = [
        spheres.integrate(
            spheres.SphereSystem(mass=mass, parameters=[K], potential=V, gradient=dV), q, omega, 0.02, 20
        )
        for V, dV in ((value, slope), FUNCTIONS["plain"][:2])
    ]
    assert [r.engine for r in runs] == ["python", "numba"]
    assert runs[0].states == pytest.approx(runs[1].states, abs=1e-13)


def test_an_exception_in_a_function_is_not_lost():
    def fails(q, p):
        if q[0, 2] < 2:
            raise ArithmeticError("no value here")
        return 0.0 * p[0]

    with pytest.raises(ArithmeticError, match="no value here"):
        system(fails, n=2, gradient=lambda q, p: 0 * q)


# -- refused ----------------------------------------------------------------------------------------------


def test_a_wrong_gradient_is_refused():
    with pytest.raises(GradientError, match="ambient gradient"):
        system(energy_of_functions, n=3, gradient=lambda q, p: -slope_of_functions(q, p))
    with pytest.raises(GradientError):
        system(energy_of_functions, n=3, gradient=lambda q, p: 1.001 * slope_of_functions(q, p))


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: system(energy_of_functions, n=3), DescriptionError, "needs gradient"),
        (lambda: system(None, gradient=slope_of_functions), DescriptionError, "goes with a callable"),
        (lambda: system(energy_of_functions, n=3, gradient=lambda q, p: q[0]), DescriptionError, r"\(3,\)$"),
        (lambda: system(sp.Symbol("r", real=True)), DescriptionError, "undeclared symbol r"),
        (lambda: system(sp.Matrix([1, 2])), DescriptionError, "potential must be"),
        (lambda: system([[1, 2]]), DescriptionError, "potential must be"),
        (lambda: spheres.Sites(3.0), DescriptionError, "takes a function"),
        (lambda: spheres.Sites(lambda q: q), DescriptionError, "returns must be an expression"),
        (lambda: system(spheres.Sites(lambda q, c: c * q[0], c=[1, 2])), ValueError, "one row for each of"),
        (lambda: spheres.Sites(lambda q, c: c, c=np.ones((2, 2, 2))), ValueError, r"shape \(n,\) or"),
        (lambda: spheres.Sites(lambda q, c: c, c=[1.0, np.nan]), ValueError, "c must be finite"),
        (lambda: spheres.Pairs(soft, pairs="some"), ValueError, "pairs must be 'all'"),
        (lambda: spheres.Pairs(soft, pairs=[[0.0, 1.0]]), ValueError, "integer array"),
        (lambda: spheres.Pairs(soft, pairs=[[1, 1]]), ValueError, "two different bodies"),
        (lambda: spheres.Pairs(soft, c=[1.0]), ValueError, "c goes with given pairs"),
        (lambda: spheres.Pairs(soft, pairs=[[0, 1]], cutoff=1.0), ValueError, "goes with pairs='all'"),
        (lambda: spheres.Pairs(soft, cutoff=-1.0), ValueError, "cutoff must be positive"),
        (lambda: system(spheres.Pairs(soft, pairs=[[0, 7]])), ValueError, "index 7"),
        (lambda: spheres.Pairs(lambda a, b, c: c, pairs=[[0, 1]], c=[1.0, 2.0]), ValueError, "1 rows"),
    ],
)  # fmt: skip
def test_bad_potentials(make, error, words):
    with pytest.raises(error, match=words):
        make()
