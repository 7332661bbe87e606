"""Normal forms modulo a leaf, against sympy's Groebner bases and against numbers on the leaf."""

import random
from fractions import Fraction
from math import cos, sin

import pytest
import sympy as sp
from flint import Ordering, fmpq, fmpq_mpoly_ctx

from geoctrl._scalars import STATE, Graph, evaluate
from geoctrl._scalars.algebra.groebner import groebner_basis, normal_form
from geoctrl._scalars.algebra.ideal import LeafIdeal
from geoctrl._scalars.arithmetic.arithmetics import FLOAT
from geoctrl.errors import DivisionError


def drawn_polynomials(rng, symbols, count):
    """As dicts from exponents to coefficients."""
    return [
        {
            tuple(rng.randint(0, 2) for _ in symbols): rng.choice([-3, -2, -1, 1, 2, 3])
            for _ in range(rng.randint(2, 3))
        }
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(12))
def test_normal_forms_are_those_of_sympy(seed):
    """A normal form depends on the ideal and the order alone, whatever basis it is taken by."""
    rng = random.Random(seed)
    names = ("x", "y", "z")
    symbols = sp.symbols(names)
    ring = fmpq_mpoly_ctx.get(names, Ordering.degrevlex)
    relations, asked = drawn_polynomials(rng, names, 2), drawn_polynomials(rng, names, 3)
    basis = groebner_basis([ring.from_dict(d) for d in relations])
    theirs = sp.groebner([sp.Poly(d, *symbols).as_expr() for d in relations], *symbols, order="grevlex")
    assert len(basis) == len(theirs.exprs)
    for d in asked:
        square = ring.from_dict(d) ** 2
        rest = theirs.reduce(sp.expand(sp.Poly(d, *symbols).as_expr() ** 2))[1]
        expected = {e: fmpq(int(c.p), int(c.q)) for e, c in sp.Poly(rest, *symbols).terms() if c}
        assert normal_form(square, basis).to_dict() == expected, seed
        # A multiple of a relation is in the ideal; plus one it is not, unless everything is.
        multiple = square * ring.from_dict(relations[0])
        assert not normal_form(multiple, basis)
        assert normal_form(multiple + ring.constant(1), basis) or theirs.exprs == [1]


def test_columns_of_a_rotation_are_orthonormal():
    """It follows from its rows being so, by combinations that no single division finds."""
    g = Graph()
    R = [[g.symbol(f"R{i}{j}", STATE) for j in range(3)] for i in range(3)]
    rows = [
        g.add([R[i][k] * R[j][k] for k in range(3)]) - int(i == j) for i in range(3) for j in range(i + 1)
    ]
    columns = [
        g.add([R[k][i] * R[k][j] for k in range(3)]) - int(i == j) for i in range(3) for j in range(i + 1)
    ]
    ideal = LeafIdeal(rows, columns)
    assert not any(ideal.remainder(c) for c in columns)
    assert all(LeafIdeal(rows[1:], columns).remainder(c) for c in columns)  # one relation short
    # The determinant is +1 or -1: its square is known, it is not.
    a, b, c = R
    det = g.add([a[i] * (b[j] * c[k] - b[k] * c[j]) for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))])
    assert not ideal.remainder(det**2 - 1)
    assert ideal.remainder(det - 1)


def drawn_expression(g, rng, symbols, depth):
    """Rational in symbols, roots, sines and cosines, defined wherever the symbols are."""
    if depth == 0:
        return rng.choice([*symbols, g.number(Fraction(rng.randint(-4, 4), 3))])
    a, b = (drawn_expression(g, rng, symbols, depth - 1) for _ in range(2))
    return rng.choice(
        [
            a + b,
            a * b,
            a / (b * b + 1),
            a - g.fun("sqrt", b * b + 2),
            g.fun("sin", a) + g.fun("cos", a),
        ]
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_remainder_is_zero_where_the_numbers_are(seed):
    """e - e' for two forms of one expression on a leaf; and with a slip, which has to be seen."""
    rng = random.Random(seed)
    g = Graph()
    x, y, p = (g.symbol(name, STATE) for name in "xyp")
    f = drawn_expression(g, rng, [x, y, p], 2)
    s, c = g.fun("sin", p), g.fun("cos", p)
    root = g.fun("sqrt", 1 + p * p)
    same = (f * (x**2 + y**2) - f * (s**2 + c**2)) / (1 + f**2) + root**2 - p**2 - (x**2 + y**2)
    slip = same + rng.choice([x * y, s * c, root - 1, f * f + 1])
    ideal = LeafIdeal([x**2 + y**2 - 1], [same, slip])
    at = rng.uniform(0.2, 1.2)
    point = {x: cos(at), y: sin(at), p: rng.uniform(0.3, 2.0)}
    values = evaluate([same, slip], point, FLOAT)
    assert abs(values[0]) < 1e-12  # rounding of a few terms of size one
    assert not ideal.remainder(same), seed
    assert abs(values[1]) > 1e-6
    assert ideal.remainder(slip), seed


def test_numbers_take_the_place_of_parameters():
    g = Graph()
    x, m = g.symbol("x", STATE), g.symbol("m", STATE)
    node = (m * x - x / 2) / (m + x)
    assert not LeafIdeal([], [node], {m: Fraction(1, 2)}).remainder(node)
    assert LeafIdeal([], [node], {m: Fraction(1, 3)}).remainder(node)


def test_a_remainder_is_shown_in_symbols():
    g = Graph()
    x, y, p = (g.symbol(name, STATE) for name in "xyp")
    node = x**2 + y**2 + 2 * y * g.fun("sin", p) - 1
    ideal = LeafIdeal([x**2 + y**2 - 1], [node])
    X, Y, P = sp.symbols("x y p", real=True)
    shown = ideal.to_sympy(ideal.remainder(node), {x: X, y: Y, p: P})
    assert sp.simplify(shown - 2 * Y * sp.sin(P)) == 0


def test_division_by_zero_is_refused():
    g = Graph()
    x, m = g.symbol("x", STATE), g.symbol("m", STATE)
    node = x / (m - 1)
    with pytest.raises(DivisionError, match="division by zero"):
        LeafIdeal([], [node], {m: Fraction(1)}).remainder(node)


def test_roots_are_known_by_their_squares():
    g = Graph()
    x, y = g.symbol("x", STATE), g.symbol("y", STATE)
    a, b = g.fun("sqrt", x / (1 + x)), g.fun("sqrt", 1 + y)
    node = (a + b) * (a - b) + 1 + y - x / (1 + x)
    assert not LeafIdeal([], [node]).remainder(node)
    assert LeafIdeal([], [node]).remainder(node + a)


def test_sines_of_sums_are_those_of_the_angles():
    """Addition theorems in several angles and multiples, beside functions that are no such sines."""
    g = Graph()
    q, r, a = (g.symbol(name, STATE) for name in "qra")

    def s(e):
        return g.fun("sin", e)

    def c(e):
        return g.fun("cos", e)

    identities = [
        s(q + r) - s(q) * c(r) - c(q) * s(r),
        s(q + r) + s(q - r) - 2 * s(q) * c(r),
        c(2 * q - 3 * r) - (1 - 2 * s(q - r) ** 2) * c(r) - s(2 * q - 2 * r) * s(r),
        s(2 * q + 2 * r) / c(q + r) - 2 * s(q + r),
        s(r + q + a) ** 2 + c(q + r + a) ** 2 - 1,
        g.fun("sqrt", 2 + s(q + r)) ** 2 - 2 - s(q) * c(r) - c(q) * s(r),
        s(40 * q + r) ** 2 + c(40 * q + r) ** 2 - 1,
        s(q / 2 + r) ** 2 + c(q / 2 + r) ** 2 - 1,
        s(q + 1) ** 2 + c(q + 1) ** 2 - 1,
        s(q * r + a) ** 2 + c(q * r + a) ** 2 - 1,
    ]
    point = {q: 0.7, r: -0.4, a: 1.9}
    assert evaluate(identities, point, FLOAT) == pytest.approx([0] * len(identities), abs=1e-14)
    for e in identities:
        assert not LeafIdeal([], [e]).remainder(e)
        assert LeafIdeal([], [e, e + s(q - r)]).remainder(e + s(q - r))
    ideal = LeafIdeal([q - 2], [*identities, a])
    assert not any(ideal.remainder(e) for e in identities)
    slip = s(q + r) - s(q) * c(r) + c(q) * s(r)
    assert LeafIdeal([], [slip]).remainder(slip)


def test_angles_that_are_numbers_stay_in_their_sums():
    g = Graph()
    q, a = g.symbol("q", STATE), g.symbol("a", STATE)
    s, c = g.fun("sin", q + a), g.fun("cos", q + a)
    node = a * (s**2 + c**2) - a
    assert not LeafIdeal([], [node], {a: Fraction(1, 2)}).remainder(node)
    assert LeafIdeal([], [node + s], {a: Fraction(1, 2)}).remainder(node + s)
