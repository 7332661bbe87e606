"""Eliminations by rows and by blocks against those of whole matrices; what a question leaves to the next."""

from itertools import pairwise
from random import Random

import pytest
from flint import fmpq, fmpq_mat

import geoctrl as gc
from geoctrl.decisions.arithmetic import eliminations
from geoctrl.decisions.theorems import lowest_order

SEED = 5


def drawn(rng, rows, columns, part):
    """A matrix of small fractions, a part of them not zero."""
    return [
        [
            fmpq(rng.randint(-3, 3), rng.randint(1, 3)) if rng.random() < part else fmpq(0)
            for _ in range(columns)
        ]
        for _ in range(rows)
    ]


def by_descartes(A):
    """Inertia by the signs of the characteristic polynomial, whose roots are real."""
    coefficients = eliminations.characteristic(A)
    zero = next(k for k, c in enumerate(reversed(coefficients)) if c)
    signs = [c > 0 for c in coefficients if c]
    positive = sum(a != b for a, b in pairwise(signs))
    return positive, len(A) - zero - positive, zero


@pytest.mark.parametrize("part", [0.2, 0.5, 0.9])
def test_inertia_is_that_of_the_roots(part):
    rng = Random(SEED)
    for size in [*range(1, 7)] * 20:
        A = drawn(rng, size, size, part)
        for i in range(size):
            A[i][i] = A[i][i] if rng.random() < 0.4 else fmpq(0)  # forms without squares
            A[i][:i] = [A[j][i] for j in range(i)]
        assert eliminations.inertia(A) == by_descartes(A)


def test_a_characteristic_polynomial_is_the_product_of_those_of_blocks():
    rng = Random(SEED)
    for size in [*range(1, 8)] * 15:
        A = drawn(rng, size, size, 0.25)
        whole = fmpq_mat(size, size, [q for row in A for q in row]).charpoly()
        assert eliminations.characteristic(A) == whole.coeffs()[::-1]
        assert sorted(i for block in eliminations.diagonal_blocks(A) for i in block) == [*range(size)]


def test_rows_are_taken_where_the_rank_grows():
    rng = Random(SEED)
    for _ in range(60):
        span, held = eliminations.Span(), []
        for row in drawn(rng, 7, 5, 0.4):
            grows = eliminations.independent(held, row)
            held += [row] if grows else []
            assert span.take(row) == grows
        assert span.rows == held


def test_one_question_leaves_to_the_next_what_it_found(monkeypatch):
    """Of coupled bodies roots are counted and series solved once, though theorems ask one by one."""
    counted = {"locate": 0, "series": 0}

    def counting(name, function):
        def wrapper(*args):
            counted[name] += 1
            return function(*args)

        return wrapper

    eliminations._located.cache_clear()
    monkeypatch.setattr(
        eliminations, "negative_roots", counting("locate", eliminations.negative_roots), raising=True
    )
    monkeypatch.setattr(lowest_order, "_eliminated", counting("series", lowest_order._eliminated))
    system = gc.models.get("coupled-bodies")(n=2).reduce()
    found = gc.certify(system, system.equilibrium("equal"))
    assert found.verdict is gc.Verdict.UNDECIDED
    assert counted == {"locate": 1, "series": 1}
