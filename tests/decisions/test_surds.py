"""Numbers with square roots: zeros and signs against many digits, linear algebra and roots against floats."""

import pickle
import random
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from flint import fmpq, fmpq_mat, fmpq_poly
from mpmath import mp, mpf, sqrt

from geoctrl import checker
from geoctrl.checker.words.texts import decimal
from geoctrl.decisions.arithmetic import eliminations as matrices_of
from geoctrl.decisions.arithmetic.eliminations import (
    characteristic,
    form,
    independent,
    inertia,
    locate,
    nullspace,
    restricted,
    solve,
)
from geoctrl.decisions.arithmetic.over_roots import SurdMatrix
from geoctrl.decisions.arithmetic.tower import Surd, Surds, block, sign, unblock
from geoctrl.decisions.functions.derivatives import to_float
from geoctrl.decisions.questions.problem_in_words import number_of_checker


def tower(*radicands):
    """A field, and its roots by name as numbers."""
    made = Surds()
    for text in radicands:
        made = made.extended(made.read(text))
    return made, [made.read(f"1*r{k + 1}") for k in range(len(radicands))]


FIELDS = {
    "one": ("2",),
    "two": ("2", "3"),
    "nested": ("2", "3 + 1*r1"),
    "three": ("2/3", "5 - 1*r1", "7 + 1*r1*r2"),
}


def digits(x):
    """The number to 400 digits, by mpmath."""
    if not isinstance(x, Surd):
        return mpf(int(x.p)) / mpf(int(x.q))
    return digits(x.a) + digits(x.b) * sqrt(digits(x.root.radicand))


def drawn(rng, roots, size=9):
    """A random number of the field, often small next to its terms."""
    x = fmpq(rng.randint(-size, size), rng.randint(1, size))
    for r in roots:
        x = x + fmpq(rng.randint(-size, size), rng.randint(1, size)) * r * (x if rng.random() < 0.5 else 1)
    return x


@pytest.mark.parametrize("field", FIELDS)
def test_arithmetic_agrees_with_four_hundred_digits(field):
    _, roots = tower(*FIELDS[field])
    rng = random.Random(field)
    with mp.workdps(400):
        for _ in range(200):
            x, y = drawn(rng, roots), drawn(rng, roots)
            for exact, rounded in (
                (x + y, digits(x) + digits(y)),
                (x - 3 * y, digits(x) - 3 * digits(y)),
                (x * y, digits(x) * digits(y)),
                (fmpq(2, 3) - x, mpf(2) / 3 - digits(x)),
                *([(x / y, digits(x) / digits(y)), (1 / y, 1 / digits(y))] if y else []),
            ):
                assert abs(digits(exact) - rounded) < mpf(10) ** -380
                assert sign(exact) == (0 if abs(rounded) < mpf(10) ** -300 else 1 if rounded > 0 else -1)
                assert bool(exact) == bool(sign(exact))


def test_signs_of_convergents():
    """p/q next to sqrt(2): the sign of p - q sqrt(2) is that of p^2 - 2 q^2, which is +1 or -1."""
    _, (r,) = tower("2")
    p, q = 1, 1
    for _ in range(200):
        p, q = p + 2 * q, p + q
        assert sign(p - q * r) == p * p - 2 * q * q
        assert sign(fmpq(p, q) - r) == p * p - 2 * q * q
        assert (q * r > p) == (p * p < 2 * q * q)
    assert float(p - q * r) == pytest.approx(float(Fraction(p * p - 2 * q * q, 2 * p)), rel=1e-12)


def test_what_is_zero_is_zero():
    """sqrt(5 + 2 sqrt 6) = sqrt 2 + sqrt 3, and relatives."""
    field, (a, b) = tower("2", "3")
    root = field.sqrt(5 + 2 * a * b)
    assert root == a + b
    assert root - a - b == 0
    assert type(root - a - b) is fmpq
    assert not root - a - b
    assert (root - b) * (root - b) == 2
    assert field.sqrt(fmpq(6)) == a * b
    assert field.sqrt(fmpq(3, 4)) == b / 2
    assert field.sqrt(3 - 2 * a) == a - 1  # the positive one
    assert field.sqrt(fmpq(5)) is None
    assert field.sqrt(1 + a) is None
    assert field.sqrt(fmpq(0)) == 0
    assert field.sqrt(fmpq(-1)) is None
    assert (a + b) / (a + b) == 1
    assert type(a * a) is fmpq


@pytest.mark.parametrize("field", FIELDS)
def test_squares_have_their_roots_in_the_field(field):
    made, roots = tower(*FIELDS[field])
    rng = random.Random(3)
    for _ in range(40):
        x = drawn(rng, roots)
        assert made.sqrt(x * x) == abs(x)
        if x:
            found = made.sqrt(abs(x))
            assert found is None or (found * found == abs(x) and found > 0)


def test_a_root_that_is_in_the_field_is_none_of_its_own():
    """Were 4, or 6 beside 2 and 3, taken for radicands, numbers would divide zero."""
    for radicands in (["4"], ["2", "2"], ["2", "3", "6"], ["2", "3 + 2*r1"], ["-1"], ["0"], ["1*r1"]):
        with pytest.raises(checker.Refusal):
            tower(*radicands)
    with pytest.raises(checker.Refusal, match="more than 4"):
        tower("2", "3", "5", "7", "11")


@pytest.mark.parametrize("field", FIELDS)
def test_numbers_are_read_as_they_are_written(field):
    made, roots = tower(*FIELDS[field])
    rng = random.Random(4)
    for _ in range(50):
        x = drawn(rng, roots)
        assert made.read(str(x)) == x
        if isinstance(x, Surd):
            copy = pickle.loads(pickle.dumps(x))
            assert str(copy) == str(x)
            assert float(copy) == float(x)
        assert unblock([block(x, made.last)[i, 0] for i in range(made.last.size)], made.last) == x


def test_numbers_of_different_fields_do_not_mix():
    _, (a,) = tower("2")
    _, (b,) = tower("3")
    with pytest.raises(checker.Refusal, match="different fields"):
        a + b


def test_floats_are_next_to_the_number():
    _, (r,) = tower("2")
    n = 10**60
    near = fmpq(isqrt(2 * n * n), n)
    with mp.workdps(200):
        assert to_float(r - near) == pytest.approx(float(digits(r - near)), rel=1e-15)
    assert abs(to_float(r - near)) < 1e-60


def test_numbers_in_words():
    """As the checker writes them, to which the search hands them over."""
    _, (a, b) = tower("2", "3 + 1*r1")

    def told(q):
        return decimal(number_of_checker(q))

    assert told(a) == "sqrt(2)"
    assert told(fmpq(1, 2) - 3 * a) == "1/2 - 3*sqrt(2)"
    assert told((1 + a) * b) == "(1 + sqrt(2))*sqrt(3 + sqrt(2))"
    assert told(a * fmpq(3, 3**60) + 10) == "10..."


# -- linear algebra ---------------------------------------------------------------------------------------


def matrices(rng, roots, rows, columns):
    return [[drawn(rng, roots, 4) for _ in range(columns)] for _ in range(rows)]


def product(A, B):
    columns = list(zip(*B, strict=True))
    return [[sum((a * b for a, b in zip(row, c, strict=True)), fmpq(0)) for c in columns] for row in A]


@pytest.mark.parametrize("field", FIELDS)
def test_linear_algebra_with_roots(field):
    _, roots = tower(*FIELDS[field])
    rng = random.Random(5)
    A, B = matrices(rng, roots, 4, 4), matrices(rng, roots, 4, 2)
    assert product(A, solve(A, B)) == B
    rational = [[fmpq(i + 2 * j * j) for j in range(2)] for i in range(4)]
    assert product(A, solve(A, rational)) == rational
    wide = [*(wide := matrices(rng, roots, 2, 5)), [a + roots[0] * b for a, b in zip(*wide, strict=True)]]
    kernel = nullspace(wide, 5)
    assert len(kernel) == 3  # one row depends on the others, with a weight that is a root
    assert product(wide, [list(c) for c in zip(*kernel, strict=True)]) == [[0] * 3] * 3
    assert independent(wide[:1], wide[1])
    assert not independent(wide[:2], wide[2])
    H = product(A, [list(c) for c in zip(*A, strict=True)])
    flat = form(H, [row[:4] for row in kernel])
    assert all(flat[i][j] == flat[j][i] for i in range(3) for j in range(3))


@pytest.mark.parametrize("field", FIELDS)
def test_characteristic_polynomials_with_roots(field):
    """Cayley and Hamilton, and eigenvalues in floats."""
    _, roots = tower(*FIELDS[field])
    A = matrices(random.Random(6), roots, 4, 4)
    coefficients = characteristic(A)
    power = [[fmpq(int(i == j)) for j in range(4)] for i in range(4)]
    total = [[fmpq(0)] * 4 for _ in range(4)]
    for c in reversed(coefficients):
        total = [[t + c * p for t, p in zip(*rows, strict=True)] for rows in zip(total, power, strict=True)]
        power = product(A, power)
    assert total == [[0] * 4] * 4
    floats = np.poly(np.array([[to_float(x) for x in row] for row in A]))
    assert [to_float(c) for c in coefficients] == pytest.approx(floats, rel=1e-9)


def test_restrictions_are_refused_where_the_span_is_left():
    _, (r,) = tower("2")
    A = [[fmpq(0), r], [r, fmpq(0)]]
    assert restricted(A, [[fmpq(1), fmpq(1)]]) == [[r]]
    with pytest.raises(checker.Refusal, match="tangent space"):
        restricted(A, [[fmpq(1), r]])


def test_signatures_with_roots():
    """[[1, r], [r, 2 + e]]: the determinant is e."""
    _, (r,) = tower("2")
    for e, expected in ((fmpq(0), (1, 0, 1)), (fmpq(1, 10**40), (2, 0, 0)), (-fmpq(1, 10**40), (1, 1, 0))):
        assert inertia([[fmpq(1), r], [r, 2 + e]]) == expected
    assert inertia([[-r, fmpq(0)], [fmpq(0), -r - 1]]) == (0, 2, 0)


def polynomial(*factors):
    """The product, the leading coefficient first."""
    found = [fmpq(1)]
    for factor in factors:
        table = [fmpq(0)] * (len(found) + len(factor) - 1)
        for i, a in enumerate(found):
            for j, b in enumerate(factor):
                table[i + j] = table[i + j] + a * b
        found = table
    return found


def factor_cases(r):
    one, zero = fmpq(1), fmpq(0)
    e = fmpq(1, 10**30)
    oscillator, growing, damped = [one, zero, r], [one, zero, -r], [one, r, one]
    # numbers of roots to the left and to the right; whether none is zero and those on the axis are simple
    return [
        ([damped], 2, 0, True),
        ([damped, [one, r - 1]], 3, 0, True),
        ([damped, [one, 1 - r]], 2, 1, True),
        ([oscillator], 0, 0, True),
        ([oscillator, oscillator], 0, 0, False),
        ([oscillator, [one, zero, r + e]], 0, 0, True),
        ([oscillator, damped], 2, 0, True),
        ([growing], 1, 1, True),
        ([[one, zero]], 0, 0, False),
        ([[one, zero], damped], 2, 0, False),
        ([[one, -e, r]], 0, 2, True),
        ([[one, e, r]], 2, 0, True),
        ([oscillator, [one, e * r]], 1, 0, True),
        ([[one, zero, one, zero, r]], 2, 2, True),  # x^4 + x^2 + sqrt 2: 1 < 4 sqrt 2
        ([[one, zero, 3 * one, zero, r]], 0, 0, True),
    ]


@pytest.mark.parametrize("case", range(15))
def test_places_of_roots(case):
    _, (r,) = tower("2")
    factors, left, right, simple = factor_cases(r)[case]
    degree = sum(len(f) - 1 for f in factors)
    assert locate(polynomial(*factors)) == (right > 0, left == degree, simple)
    mirrored = [[-c if k % 2 else c for k, c in enumerate(f[::-1])][::-1] for f in factors]
    assert locate(polynomial(*mirrored)) == (left > 0, right == degree, simple)


def test_places_of_rational_roots_agree_with_floats():
    """Routh's table against eigenvalues, in the rationals."""
    rng = random.Random(8)
    seen = set()
    for _ in range(300):
        parts = [rng.choice([[1, a], [1, a, b]]) for a, b in [(rng.randint(-4, 9), rng.randint(1, 9))] * 2]
        parts += [[1, rng.randint(0, 5), rng.randint(1, 6)]]
        p = polynomial(*[[fmpq(c) for c in part] for part in parts])
        roots = np.concatenate([np.roots(part) for part in parts])
        right, left, _ = locate(p)
        assert right == bool(np.any(roots.real > 1e-9))
        assert left == bool(np.all(roots.real < -1e-9))
        seen.add((right, left))
    assert len(seen) == 3


def test_matrices_of_blocks_multiply_as_numbers_do():
    made, (r,) = tower("2")
    of = SurdMatrix.over(made.last)
    A, B = [[r, 1 + r]], [[r], [fmpq(3)]]
    flat = of(1, 2, A[0]) * of(2, 1, [row[0] for row in B])
    assert flat.tolist() == product(A, B)
    assert fmpq_mat(2, 2, [0, 2, 1, 0]) == block(r, made.last)
    assert fmpq_poly([-2, 0, 1]) == block(r, made.last).charpoly()


def test_products_of_matrices_of_different_fields_are_those_of_their_numbers():
    """Of rationals, of one root and of two; and of nothing."""
    _, (r, t) = tower("2", "3")
    kinds = [
        [[fmpq(1), fmpq(2)], [fmpq(-1, 3), fmpq(5)]],
        [[r, 1 + r], [fmpq(2), r / 3]],
        [[r + t, t], [1 - t, r]],
    ]
    for a in kinds:
        for b in kinds:
            assert matrices_of.product(a, b) == product(a, b)
    assert matrices_of.product(kinds[1], [[], []]) == [[], []]
    assert matrices_of.form(kinds[1], []) == []
