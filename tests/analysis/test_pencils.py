"""Definite combinations of matrices and places of roots in symbols, against numbers."""

from fractions import Fraction

import numpy as np
import pytest

from geoctrl._scalars import PARAMETER, Graph
from geoctrl.analysis.symbolic.definite_pencils import definite_somewhere, leading_minors
from geoctrl.analysis.symbolic.formulas import Either, Nonzero, Positive, either, every
from geoctrl.analysis.symbolic.rational_functions import RationalField
from geoctrl.analysis.symbolic.sign_arrays import Generator, Points
from geoctrl.analysis.symbolic.sign_conditions import KnownSigns
from geoctrl.analysis.symbolic.spectra_in_symbols import (
    attracting,
    characteristic,
    growing,
    irreducible_blocks,
)


class Symbols:
    """A field of rational functions in real and in positive symbols."""

    def __init__(self, real="", positive=""):
        graph = Graph()
        self.nodes = {k: graph.symbol(k, PARAMETER) for k in (*real.split(), *positive.split())}
        self.field = RationalField([*self.nodes.values()], positive={self.nodes[k] for k in positive.split()})
        self.signs = KnownSigns(self.field)

    def __getattr__(self, name):
        return self.field(self.nodes[name])

    def holds(self, formula, **values):
        """Truth at numbers."""
        generators = [Generator(name=n.payload) for n in self.field.generators]
        columns = {k: np.array([v], dtype=object) for k, v in values.items()}
        return bool(Points(generators, columns, 1).holds(formula)[0])


def draw(rng, names):
    return {k: Fraction(int(rng.integers(-6, 7)), int(rng.integers(1, 4))) for k in names}


def is_definite_somewhere(forms):
    """Over angles of the pencil: its combinations next to, and between, all of its singular ones."""
    R, S = np.array(forms, dtype=float)
    angles = np.linspace(0, np.pi, 4001)
    values = np.linalg.eigvalsh(np.cos(angles)[:, None, None] * R + np.sin(angles)[:, None, None] * S)
    return np.max(np.maximum(values[:, 0], -values[:, -1]))


def filled(patterns, entry):
    size = sum(map(len, patterns))
    matrix, at = [[0] * size for _ in range(size)], 0
    for pattern in patterns:
        for i, row in enumerate(pattern):
            for j, k in enumerate(row):
                matrix[at + i][at + j] = entry[k]
        at += len(pattern)
    return matrix


@pytest.mark.parametrize(
    ("patterns", "count"),
    [([[[0, 1], [1, 2]]], 3), ([[[0]], [[1]], [[2]]], 3), ([[[0]], [[1, 2], [2, 3]]], 4)],
)
def test_two_matrices_in_small_blocks(patterns, count):
    """What the formula says is true, and it says it wherever the pencil is well away from singular."""
    first, second = [f"p{i}" for i in range(count)], [f"q{i}" for i in range(count)]
    s = Symbols(" ".join(first + second))
    zero = s.field.zero

    def of(names):
        return [
            [e if e != 0 else zero for e in row] for row in filled(patterns, [getattr(s, k) for k in names])
        ]

    formula, why = definite_somewhere(s.signs, [of(first), of(second)])
    assert why == ""
    rng = np.random.default_rng(2)
    said = missed = 0
    for _ in range(400):
        values = draw(rng, first + second)
        margin = is_definite_somewhere(
            [filled(patterns, [values[k] for k in part]) for part in (first, second)]
        )
        found = s.holds(formula, **values)
        assert margin > -1e-3 if found else True
        said += found
        # Left open on purpose: where a block's det grows with c, and where a coefficient vanishes.
        missed += margin > 1e-2 and not found
    assert said > 30
    if patterns == [[[0, 1], [1, 2]]]:
        assert missed == 0


def test_two_bounded_intervals_meet_as_the_roots_say():
    """Blocks diag(1 + c, 1 - c)-like with middles m and radii r: they meet where |m1 - m2| < r1 + r2."""
    s = Symbols("m1 m2", "r1 r2")
    zero, one = s.field.zero, s.field.one

    def block(m, r):
        return [[r + m, zero], [zero, r - m]], [[-one, zero], [zero, one]]

    # Rotated, so that the blocks do not fall apart: P^T diag P with P = [[1, 1], [0, 1]].
    def turned(M):
        a, d = M[0][0], M[1][1]
        return [[a, a], [a, a + d]]

    forms = []
    for R, S in zip(block(s.m1, s.r1), block(s.m2, s.r2), strict=True):
        A, B = turned(R), turned(S)
        forms.append([[*A[0], zero, zero], [*A[1], zero, zero], [zero, zero, *B[0]], [zero, zero, *B[1]]])
    formula, _ = definite_somewhere(s.signs, forms)
    rng = np.random.default_rng(5)
    counts = [0, 0]
    for _ in range(500):
        v = draw(rng, ["m1", "m2", "r1", "r2"])
        v["r1"], v["r2"] = abs(v["r1"]) + Fraction(1, 9), abs(v["r2"]) + Fraction(1, 9)
        expected = abs(v["m1"] - v["m2"]) < v["r1"] + v["r2"]
        assert s.holds(formula, **v) == expected
        counts[expected] += 1
    assert min(counts) > 50


def test_of_rank_one_finsler_decides():
    """R0 + c v v^T: definite for some c exactly where R0 is on what is orthogonal to v."""
    s = Symbols("a b d e f h u w")
    R = [[s.a, s.b, s.d], [s.b, s.e, s.f], [s.d, s.f, s.h]]
    v = [s.field.one, s.u, s.w]
    formula, _ = definite_somewhere(s.signs, [R, [[p * q for q in v] for p in v]])
    rng = np.random.default_rng(6)
    said = 0
    for _ in range(400):
        x = draw(rng, "abdefhuw")
        R0 = np.array(
            [[x["a"], x["b"], x["d"]], [x["b"], x["e"], x["f"]], [x["d"], x["f"], x["h"]]], dtype=float
        )
        kernel = np.array([[-x["u"], 1, 0], [-x["w"], 0, 1]], dtype=float)
        eigenvalues = np.linalg.eigvalsh(kernel @ R0 @ kernel.T)
        found = s.holds(formula, **x)
        if np.min(np.abs(eigenvalues)) > 1e-9:
            assert found == (eigenvalues[0] * eigenvalues[1] > 0)
        said += found
    assert said > 20


@pytest.mark.parametrize("degree", [2, 3, 4, 5])
def test_places_of_roots(degree):
    """Companion matrices with random coefficients against their eigenvalues."""
    names = [f"a{i}" for i in range(degree)]
    s = Symbols(" ".join(names))
    zero, one = s.field.zero, s.field.one
    matrix = [[one if j == i + 1 else zero for j in range(degree)] for i in range(degree - 1)]
    matrix.append([-getattr(s, k) for k in names])
    (block,) = irreducible_blocks(matrix)
    assert block == list(range(degree))
    polynomial = characteristic(matrix)
    assert all(c == getattr(s, k) for c, k in zip(polynomial[1:], reversed(names), strict=True))
    right, left = growing(s.signs, polynomial), attracting(s.signs, polynomial)
    rng = np.random.default_rng(7)
    seen = set()
    for k in range(300):
        values = draw(rng, names)
        if k % 2:
            roots = -rng.uniform(0.2, 2, degree)
            values = {n: Fraction(float(c)) for n, c in zip(reversed(names), np.poly(roots)[1:], strict=True)}
        roots = np.roots([1.0, *(float(values[n]) for n in reversed(names))])
        abscissa = max(roots.real, default=0)
        if abs(abscissa) > 1e-6:
            assert s.holds(right, **values) == (abscissa > 0)
            assert s.holds(left, **values) == (abscissa < 0)
            seen.add(abscissa > 0)
    assert seen == {True, False}


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_roots_of_reversible_polynomials(degree):
    """q(x^2): unstable unless all roots of q are real and negative; two complex pairs leave the
    discriminant positive.
    """
    names = [f"a{i}" for i in range(degree)]
    s = Symbols(" ".join(names))
    polynomial = [s.field.one]
    for k in names:
        polynomial += [s.field.zero, getattr(s, k)]
    formula = growing(s.signs, polynomial)
    rng = np.random.default_rng(8)
    seen = []
    for k in range(400):
        if k % 3 == 0:
            roots = -rng.uniform(0.1, 3, degree) + 0j
        else:
            pairs = [complex(*rng.normal(size=2)) for _ in range(degree // 2)]
            roots = [z for p in pairs for z in (p, p.conjugate())] + [-1.0] * (degree % 2)
        q = np.real(np.poly(roots))[1:]
        values = {n: Fraction(float(c)) for n, c in zip(names, q, strict=True)}
        expected = bool(np.max(np.abs(np.imag(roots))) > 1e-3 or np.max(np.real(roots)) > 1e-3)
        assert s.holds(formula, **values) == expected
        seen.append(expected)
    assert 50 < sum(seen) < 350


def test_formulas_drop_what_follows():
    s = Symbols("x y", "p q")
    positive = s.signs.positive
    assert positive(s.x * s.x + s.p) is True
    assert positive(-s.p * s.q) is False
    assert positive(s.x * s.x * s.p) == Nonzero(s.signs.polynomial(s.x.top))
    # x^2 + 2 b x y + y^2 p is a sum of squares
    assert positive(s.x * s.x + 2 * s.x * s.y + s.y * s.y * (1 + s.p)) != positive(s.x)
    assert s.signs.every([positive(s.x - s.p), positive(s.x)]) == positive(s.x - s.p)
    assert s.signs.either([positive(s.x - s.p), positive(s.x)]) == positive(s.x)
    assert s.signs.every([positive(s.x), positive(-s.x)]) is False
    assert s.signs.every([positive(s.x * s.y), positive(s.x)]) == every([positive(s.y), positive(s.x)])
    assert s.signs.every([positive(s.x), either([positive(-s.x), positive(s.y)])]) == every(
        [positive(s.x), positive(s.y)]
    )
    assert isinstance(either([positive(s.x), positive(s.y)]), Either)
    assert isinstance(positive(s.x * s.y), Positive)
    assert s.signs.negative(s.y) == positive(-s.y)


def test_signs_of_roots_are_told_in_balls():
    """sqrt(2) sqrt(3) = sqrt(6), and what is 1e-40 beside it."""
    graph = Graph()
    a, b, c, d = (graph.symbol(k, PARAMETER) for k in "abcd")
    node = graph.sqrt(a) * graph.sqrt(b) - graph.sqrt(c) + d
    field = RationalField([node], positive={a, b, c})
    signs = KnownSigns(field)
    formula = signs.positive(field(node))
    generators = []
    for i, n in enumerate(field.generators):
        square = field.squares.get(i)
        pair = None if square is None else tuple(map(signs.polynomial, (square.top, square.below)))
        generators.append(Generator(name=n.payload if n.kind == "sym" else "", square=pair))
    tiny = Fraction(1, 10**40)
    columns = {k: np.array([v] * 3, dtype=object) for k, v in (("a", 2), ("b", 3), ("c", 6))}
    columns["d"] = np.array([tiny, -tiny, Fraction(0)], dtype=object)
    found = Points(generators, columns, 3).holds(formula)
    assert found.tolist() == [True, False, False]  # zero cannot be told in balls: nothing is said


def test_angles_of_exact_sines_are_turned():
    """Multiples of pi, half-angles, inverse functions of rational sides; others stay functions."""
    graph = Graph()
    t = graph.symbol("t", PARAMETER)
    pi = 4 * graph.fun("atan", graph.one)
    lean = graph.fun("atan2", graph.number(3), graph.number(4))

    def value(name, angle):
        node = graph.fun(name, angle)
        return RationalField([node, t])(node), RationalField([node, t])

    for name, angle, expected in (
        ("cos", pi, -1),
        ("sin", pi, 0),
        ("sin", -pi / 2, -1),
        ("cos", lean, Fraction(4, 5)),
        ("sin", lean - pi, Fraction(-3, 5)),
        ("cos", 2 * lean, Fraction(7, 25)),
        ("sin", graph.fun("asin", graph.number(Fraction(5, 13))) + lean, Fraction(56, 65)),
        ("cos", graph.fun("acos", graph.number(Fraction(-5, 13))), Fraction(-5, 13)),
    ):
        assert value(name, angle)[0] == expected
    node = graph.fun("sin", 2 * graph.fun("atan", t))
    field = RationalField([node, t])
    assert field(node) == 2 * field(t) / (1 + field(t) * field(t))
    open_one = graph.fun("sin", graph.fun("atan", t))
    assert RationalField([open_one]).functions


def test_minors_without_fractions_are_determinants():
    """Of rows with denominators of their own, up to the first minor that vanishes."""
    s = Symbols("a b c")
    one = s.field.one
    form = [[s.a / s.b, one, s.c], [one, s.b / (s.a + s.c), s.a], [s.c, s.a, one / s.c]]
    minors = leading_minors(form)
    assert [m == s.field.zero for m in minors] == [False] * 3
    assert minors[1] == form[0][0] * form[1][1] - one
    whole = sum(
        (-1) ** j * form[0][j] * (form[1][a] * form[2][b] - form[1][b] * form[2][a])
        for j, (a, b) in enumerate(((1, 2), (0, 2), (0, 1)))
    )
    assert minors[2] == whole
    assert len(leading_minors([[one, one], [one, one]])) == 2
    assert not leading_minors([[one, one], [one, one]])[1]
