"""Sums of small expressions over bodies of any kind: against the same written out; lists of near pairs."""

import pickle
import re
from itertools import combinations

import numba
import numpy as np
import pytest
import sympy as sp
from sympy import sqrt

import geoctrl as gc
from geoctrl import rotations, spheres
from geoctrl.errors import DescriptionError, InputError
from geoctrl.manifolds import Attitude, Direction, Pairs, Place, Sites
from geoctrl.manifolds.energies.potentials import read_terms
from geoctrl.manifolds.product.body_matrices import Bodies
from geoctrl.manifolds.product.product import Product
from geoctrl.stepping.compiled.neighbours import neighbours

K = gc.Parameter("k", 1.3, positive=True)
N = 3
INERTIAS = np.array([np.diag([1.0, 1.4, 1.9]), np.diag([2.0, 1.7, 1.2]), np.diag([0.8, 1.1, 1.5])])
JOINED, STIFFNESS = np.array([[0, 1], [2, 1]]), np.array([[0.7, 1.1], [1.6, -0.4]])
PULL = np.array([[0.4, -0.2, 1.0], [1.5, 0.3, 0.1], [-0.6, 0.9, 0.2]])


def attraction(A, B):
    return K.symbol * sqrt(4 + (A.T * B).trace()) * A[0, 1]


def bend(A, B, c):
    return c[0] * (sp.eye(3) - A.T * B).trace() ** 2 + c[1] * A[2, 0] * B[1, 2]


def hang(R, c):
    return c[0] * R[2, 0] + c[1] * R[2, 1] ** 2 + c[2] * R[2, 2] * R[0, 0]


SUMS = [Pairs(attraction), Pairs(bend, pairs=JOINED, c=STIFFNESS), Sites(hang, c=PULL)]


def written_out():
    R, _ = rotations.symbols(N)
    terms = [attraction(R[a], R[b]) for a, b in combinations(range(N), 2)]
    terms += [bend(R[a], R[b], c) for (a, b), c in zip(JOINED, STIFFNESS, strict=True)]
    return sp.Add(*terms, *(hang(A, c) for A, c in zip(R, PULL, strict=True)))


@pytest.fixture(scope="module")
def both():
    """The same system by sums, and with its potential written out."""
    common = {"inertias": INERTIAS, "parameters": [K], "linear": [[0.1, 0, 0]] * N}
    return [rotations.RotationSystem(potential=V, **common) for V in (SUMS, written_out())]


@pytest.fixture
def state():
    rng = np.random.default_rng(3)
    return rotations.attitudes.exp(rng.normal(size=(N, 3))), rng.normal(size=(N, 3))


def test_sums_over_attitudes_are_what_they_say(both, state):
    """The derivatives of the sums are those of the expression, to the rounding of some fifty operations."""
    sums, whole = both
    x = sums.pack(*state)
    for ask in (
        lambda s: s.potential(state[0]),
        lambda s: s.gradient(state[0]),
        lambda s: s.rhs(0.0, x),
        lambda s: s.jacobian(0.0, x),
    ):
        assert ask(sums) == pytest.approx(ask(whole), rel=1e-13, abs=1e-13)
    assert sums.conserved() == whole.conserved() == ("energy",)
    numbers = dict(zip(sums.states, x, strict=True)) | {K.symbol: 1.3}
    assert float(sums.potential_expression.subs(numbers)) == pytest.approx(
        sums.potential(state[0]), rel=1e-13
    )


def test_the_jacobian_of_attitudes_is_that_of_the_field(both, state):
    sums, _ = both
    x, h = sums.pack(*state), 1e-6
    A = sums.jacobian(0.0, x)
    for k in range(0, sums.size, 5):
        e = h * np.eye(sums.size)[k]
        column = (sums.rhs(0.0, x + e) - sums.rhs(0.0, x - e)) / (2 * h)
        assert A[:, k] == pytest.approx(column, abs=1e-8)  # of differences


def test_runs_with_sums_are_those_written_out(both, state):
    runs = [rotations.integrate(s, *state, 0.01, 100, record=10) for s in both]
    assert runs[0].states == pytest.approx(runs[1].states, abs=1e-12)  # a hundred steps of rounding
    assert runs[0].energy == pytest.approx(runs[1].energy, abs=1e-12)


def test_sums_are_kept_whole(both):
    """Pickled and in formulas: no expression of all bodies stands anywhere."""
    sums = pickle.loads(pickle.dumps(both[0]))
    R = rotations.attitudes.exp(np.ones((N, 3)))
    assert sums.potential(R) == both[0].potential(R)
    text = sums.latex("lagrangian")
    assert r"\sum_{i < j}" in text
    assert r"\sum_{(i,j) = (1,2), (3,2)}" in text
    assert "R_{i,32}^{2} d'_{i,2}" in text


def test_switches_in_sums_over_attitudes_are_seen():
    bump = Sites(lambda R: sp.Abs(R[2, 2]) + R[0, 0])
    s = rotations.RotationSystem(inertias=INERTIAS[0], potential=bump)
    turned = rotations.attitudes.exp(np.array([[np.pi / 2, 0, 0]]))  # R_33 = 0
    x = s.pack(turned, np.zeros((1, 3)))
    assert s.seen_from().potential_switches(x, {}) == pytest.approx(0, abs=1e-15)
    assert s.any_branch.potential_terms[0].small.expr.has(sp.Abs) is False


def test_the_kernels_do_not_grow_with_the_bodies():
    """The number of lines to be compiled is the same for a ring of five and of a hundred."""
    lengths = []
    for n in (5, 100):
        ring = np.column_stack([np.arange(n), (np.arange(n) + 1) % n])
        s = rotations.RotationSystem(
            inertias=np.array([np.diag([1.0, 1.5, 2.0])] * n),
            potential=Pairs(lambda A, B: (sp.eye(3) - A.T * B).trace(), pairs=ring),
        )
        lengths.append(
            [len(lines.splitlines()) for lines in s.potential_terms[0].source(s, s.numerics.writer)[:2]]
        )
    assert lengths[0] == lengths[1]


# -- over which bodies ------------------------------------------------------------------------------------

FACTORS = [Place("x"), Attitude("R"), Direction("q1"), Direction("q2")]
MIXED = Bodies(FACTORS, Product(FACTORS).first)


def over(term):
    return read_terms(term, MIXED, lambda: sp.symbols("z:18", real=True))[0]


def test_a_sum_is_over_the_bodies_that_are_named():
    """Rows of the configuration: x, the three of R, q1, q2."""
    assert over(Pairs(lambda a, b: a.dot(b), of=["q1", "q2"])).domain.instances().tolist() == [[4], [5]]
    assert over(Pairs(lambda a, b: a.dot(b), [[0, 1]], of=["q2", "q1"])).domain.instances().tolist() == [
        [5],
        [4],
    ]
    term = over(Sites(lambda R: R[2, 0] * R[0, 1], of="R"))
    z = np.random.default_rng(1).normal(size=(6, 3))
    assert term.domain.rows == 3
    assert term.expression(sp.symbols("z:18")) == sp.Symbol("z9") * sp.Symbol("z4")
    assert z[1:4][2, 0] * z[1:4][0, 1] == pytest.approx(
        float(term.expression(sp.symbols("z:18")).subs(dict(zip(sp.symbols("z:18"), z.ravel(), strict=True))))
    )


@pytest.mark.parametrize(
    ("term", "error", "words"),
    [
        (
            Sites(lambda q: q[2]),
            DescriptionError,
            "bodies of one kind, and these are places and attitudes and",
        ),
        (Sites(lambda q: q[2], of=["x", "q1"]), DescriptionError, "these are places and directions"),
        (Sites(lambda q: q[2], of=["q3"]), DescriptionError, "of 'q3', no body; known are x, R, q1, q2"),
        (Sites(lambda q: q[2], of=["q1", "q1"]), DescriptionError, "each named once"),
        (Sites(lambda q, c: c * q[2], c=[1.0], of=["q1", "q2"]), InputError, "one row for each of 2 bodies"),
        (
            Pairs(lambda a, b: a[0], pairs=[[0, 2]], of=["q1", "q2"]),
            InputError,
            "the index 2, but there are 2",
        ),
        (
            Sites(lambda R: R.trace(), of=["q1"]),
            DescriptionError,
            "fails for directions, each a vector",
        ),
    ],
)
def test_bodies_that_do_not_fit_are_refused(term, error, words):
    with pytest.raises(error, match=words):
        over(term)


def test_sums_in_a_product_of_kinds_are_what_is_written_out():
    """Two places, two attitudes and a direction, each sum over its own."""
    x, y, q = Place("x"), Place("y"), Direction("q")
    A, B = Attitude("A"), Attitude("B")

    def spring(a, b):
        return (sqrt(1 + (a - b).dot(a - b)) - K.symbol) ** 2

    def lean(q, c):
        return c * q[2] + q[0] * q[1]

    def bent(R, S):
        return (R.T * S).trace() * R[0, 1]

    rates = [f.rate.dot(f.rate) for f in (x, y, q)]
    turns = [f.velocity.dot(sp.diag(1, 1.4, 1.8) * f.velocity) for f in (A, B)]
    factors = [x, A, q, y, B]
    sums = [Pairs(spring, of=[x, y]), Sites(lean, c=[0.7], of=["q"]), Pairs(bent, [[0, 1]], of=["B", "A"])]
    whole = spring(x.z, y.z) + lean(q.z, sp.Float(0.7)) + bent(B.z, A.z)
    systems = [
        gc.manifolds.ProductSystem(
            factors, kinetic=sp.Add(*rates, *turns) / 2 + rates[0], potential=V, parameters=[K]
        )
        for V in (sums, whole)
    ]
    z, w = systems[0].product.generic(5)
    state = systems[0].product.state(z, w)
    for ask in (lambda s: s.energy(state), lambda s: s.rhs(0.0, state), lambda s: s.jacobian(0.0, state)):
        assert ask(systems[0]) == pytest.approx(ask(systems[1]), rel=1e-13, abs=1e-13)  # rounding


# -- neighbours -------------------------------------------------------------------------------------------


def spread(n, seed):
    return spheres.project(np.random.default_rng(seed).normal(size=(n, 3)), np.zeros((n, 3)))[0]


def listed(q, reach, room):
    """All pairs, from one list after the other where one has no room for them, and the number of lists."""
    n, d = q.shape
    data, index = np.zeros(n * d), np.zeros(n + 2 + room, dtype=np.int64)
    pairs, begin, pieces = [], 0, 0
    while begin < n:
        first, begin = begin, neighbours(q, data, 0, index, 0, room, reach, 0.1, begin)
        for a in range(first, begin):
            pairs += [(a, int(b)) for b in index[index[1 + a] : index[2 + a]]]
        pieces += 1
    return pairs, pieces


@pytest.mark.parametrize("n", [300, 2500])
@pytest.mark.parametrize("reach", [0.03, 0.2, 3.0])
def test_neighbours_are_the_pairs_that_are_near(n, reach):
    """With cells, for many bodies, and without: each pair once."""
    q = spread(n, seed=4)
    if n * reach**2 > 1e4:
        q = q[: n // 5]
    apart = np.linalg.norm(q[:, None] - q, axis=2)
    expected = set(zip(*map(np.ndarray.tolist, np.nonzero(np.triu(apart <= reach, 1))), strict=True))
    pairs, pieces = listed(q, reach, len(q) ** 2 // 2)
    assert (set(pairs), len(pairs), pieces) == (expected, len(expected), 1)


def test_a_list_without_room_comes_in_pieces():
    """Places in space as well, far apart: the grid does not follow their extent."""
    q = np.random.default_rng(5).normal(size=(2200, 3))
    q[0] = 1e4
    pairs, pieces = listed(q, 0.3, len(q))
    whole, one = listed(q, 0.3, len(q) ** 2 // 2)
    assert pairs == whole
    assert (pieces > 1, one) == (True, 1)


def test_bodies_that_are_nowhere_are_near_to_all():
    """What is not a number comes out as it went in."""
    q = spread(2100, seed=6)
    q[7, 1] = np.nan
    pairs, _ = listed(q, 0.05, 200_000)
    assert {pair for pair in pairs if 7 in pair} == {tuple(sorted((7, k))) for k in range(2100) if k != 7}


def test_a_cutoff_on_attitudes_leaves_out_distant_pairs():
    near = 2.0

    def soft(A, B):
        return (4 - (A - B).applyfunc(lambda e: e**2).trace()) ** 2

    def square(A, B):
        return sp.Add(*((a - b) ** 2 for a, b in zip(A, B, strict=True)))

    def explicit(A, B):
        return sp.Piecewise((soft(A, B), square(A, B) <= near**2), (0, True))

    n = 12
    R = rotations.attitudes.exp(np.random.default_rng(7).normal(size=(n, 3)))
    J = [np.diag([1.0, 1.5, 2.0])] * n
    s, e = (
        rotations.RotationSystem(inertias=np.array(J), potential=V)
        for V in (Pairs(soft, cutoff=near), Pairs(explicit))
    )
    assert s.potential(R) == pytest.approx(e.potential(R), rel=1e-13)
    assert s.gradient(R) == pytest.approx(e.gradient(R), rel=1e-12, abs=1e-12)
    x = s.pack(R, np.zeros((n, 3)))
    assert s.jacobian(0.0, x) == pytest.approx(e.jacobian(0.0, x), rel=1e-12, abs=1e-11)


# -- many bodies ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cutoff", [None, 0.08])
def test_many_molecules_are_set_up_in_linear_memory(cutoff):
    """No array of all pairs, and no symbol of a body: 10,242 of them would need 800 MB for one."""
    n = 10_242
    s = spheres.lennard_jones(n, 0.01, 0.03, cutoff=cutoff)
    run = s.run()
    assert run.solver_system().mass.shape == (n,)
    assert run.data.size < 10 * n
    assert run.index.size < 200 * n
    assert "states" not in vars(s.letters)
    assert "q" not in vars(s)
    assert len(s.state_labels) == 6 * n
    q = spread(n, seed=8)
    value = s.potential(q)
    apart = np.linalg.norm(q[:2000, None] - q[:2000], axis=2)[np.triu_indices(2000, 1)]
    few = spheres.lennard_jones(2000, 0.01, 0.03, cutoff=cutoff)
    ratio = (0.03 / apart[apart <= (cutoff or 3)]) ** 6
    assert few.potential(q[:2000]) == pytest.approx(np.sum(0.04 * (ratio**2 - ratio)), rel=1e-10)
    assert np.isfinite(value)
    # A force that is cut off where it is not zero takes energy away at the cutoff.
    energy = ("energy",) if cutoff is None else ()
    assert s.conserved() == (*energy, "momentum1", "momentum2", "momentum3")


# -- threads ----------------------------------------------------------------------------------------------


def threaded(*counts):
    """States at the end of runs of molecules that fill several blocks, on numbers of threads."""
    s = spheres.SphereSystem(mass=np.ones(700), potential=Pairs(lambda a, b: sqrt(2 - a.dot(b))))
    start = spheres.project(spread(700, seed=9), 0.1 * np.random.default_rng(2).normal(size=(700, 3)))
    return [spheres.integrate(s, *start, 0.001, 5, record=5, threads=k).states[:, -1] for k in counts]


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="numba has one processor")
def test_threads_do_not_change_a_digit():
    one, two = threaded(1, 2)
    assert np.array_equal(one, two)


def test_the_blocks_of_a_sum_depend_on_the_bodies_alone():
    """Several blocks, which hold every body once."""
    s = spheres.lennard_jones(1300, 0.01, 0.13)
    lines = s.potential_terms[0].source(s, s.numerics.writer)
    edges = re.search(r"first, last = \((.*)\)\[k\], \((.*)\)\[k\]", lines.gradient)
    first, last = ([int(e) for e in part.split(",")] for part in edges.groups())
    assert (first[0], last[-1], first[1:], len(first)) == (0, 1300, last[:-1], 4)
    pairs = [sum(1299 - a for a in range(f, t)) for f, t in zip(first, last, strict=True)]
    assert max(pairs) < 1.01 * min(pairs)


def test_threads_are_refused_where_there_is_nothing_to_share():
    q = spread(3, seed=1)
    s = spheres.SphereSystem(mass=[1.0, 1, 1], potential=Sites(lambda q: q[2]))
    with pytest.raises(InputError, match="threads must be at most"):
        spheres.integrate(s, q, 0 * q, 0.1, 1, threads=10**6)
    if numba.config.NUMBA_NUM_THREADS > 1:
        with pytest.raises(InputError, match="this potential has none"):
            spheres.integrate(s, q, 0 * q, 0.1, 1, threads=2)
        by_function = spheres.SphereSystem(
            mass=[1.0, 1, 1],
            potential=lambda q, p: q[0, 2],
            gradient=lambda q, p: 0 * q + np.array([[0, 0, 1.0], [0, 0, 0], [0, 0, 0]]),
        )
        with pytest.raises(InputError, match="this potential is a function"):
            spheres.integrate(by_function, q, 0 * q, 0.1, 1, threads=2)
