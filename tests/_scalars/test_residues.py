"""Arrays of residues against Python's integers, and functions as generators with their relations."""

from fractions import Fraction

import numpy as np
import pytest

from geoctrl._scalars import STATE, Graph
from geoctrl._scalars.arithmetic.modular import PRIME
from geoctrl._scalars.arithmetic.residues import RandomFunctions, Residues, residues_of

EDGES = [0, 1, 2, PRIME - 1, PRIME - 2, 1 << 32, (1 << 32) - 1, 1 << 60, (1 << 61) - (1 << 32), (1 << 29) + 1]


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    return [*EDGES, *(int(v) for v in rng.integers(0, PRIME, 200))]


def test_arithmetic_is_that_of_integers(numbers):
    a, b = np.array([(x, y) for x in numbers for y in numbers], dtype=np.uint64).T
    x, y = Residues(a), Residues(b)
    for mine, exact in (
        (x + y, lambda p, q: p + q),
        (x - y, lambda p, q: p - q),
        (x * y, lambda p, q: p * q),
    ):
        expected = [exact(int(p), int(q)) % PRIME for p, q in zip(a, b, strict=True)]
        assert [int(v) for v in mine.values] == expected
    assert [int(v) for v in (-x).values[:50]] == [-int(p) % PRIME for p in a[:50]]


def test_powers_quotients_and_numbers(numbers):
    x = Residues(np.array([v for v in numbers if v], dtype=np.uint64))
    for e in (-3, -1, 0, 1, 5):
        assert [int(v) for v in (x**e).values] == [pow(int(v), e, PRIME) for v in x.values]
    assert np.all((x / x).values == 1)
    assert np.all((x * Fraction(2, 7) * 7 - x - x).values == 0)
    assert np.all(((1 / x) * x - 1).values == 0)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2,), (3,), (5,), (7, 3)])
def test_reciprocals_are_those_of_integers_and_zero_has_none(shape):
    x = Residues.draw(np.random.default_rng(2), shape)
    if x.values.size > 1:
        x.values.flat[-1] = 0
    found = x.inverse()
    assert found.values.shape == shape
    expected = [pow(int(v), PRIME - 2, PRIME) for v in x.values.flat]
    assert [int(v) for v in found.values.flat] == expected


def test_roots_are_told_where_they_are(numbers):
    x = Residues(np.array(numbers, dtype=np.uint64))
    root, found = (x * x).root()
    assert np.all(found)
    assert np.all((root * root).values == (x * x).values)
    # -1 is no square: the prime is 3 modulo 4.
    assert not np.any((-(x * x)).root()[1][1:])


def test_functions_keep_their_relations():
    graph, rng = Graph(), np.random.default_rng(1)
    angle, other = graph.symbol("angle", STATE), graph.symbol("other", STATE)
    s, c = graph.fun("sin", angle), graph.fun("cos", angle)
    root = graph.fun("sqrt", other)
    nodes = [s**2 + c**2 - 1, root, s * c - graph.fun("sin", other) * graph.fun("cos", other)]
    values = {n: Residues.draw(rng, (50,)) for n in (angle, other)}
    functions = RandomFunctions(rng, 50)
    circle, square, different = residues_of(nodes, values, functions)
    valid = functions.valid
    assert not np.any(circle.values)
    assert np.array_equal((square * square).values == values[other].values, valid)
    assert 5 < np.count_nonzero(valid) < 45
    assert np.all(different.values)
