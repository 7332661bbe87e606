"""The recording scalar: values, derivatives and substitutions equal sympy's; equal values are one node."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

import geoctrl as gc
from geoctrl._scalars import (
    PARAMETER,
    RATIONAL,
    STATE,
    FromSympy,
    Graph,
    NotRationalError,
    Program,
    evaluate,
    exact,
    to_sympy,
)
from geoctrl._scalars.arithmetic.arithmetics import _INTERPRETED, FLOAT, Arithmetic
from geoctrl._scalars.graph import tape
from geoctrl._scalars.graph.freed_switches import with_free_switches
from geoctrl.errors import ExpressionError

X, Y, Z = STATES = sp.symbols("x y z", real=True)
P, Q = PARAMETERS = sp.symbols("p q", positive=True)
SEEDS = range(30)


def graph_of():
    """A graph with three states and two parameters, and the converter of sympy expressions into it."""
    g = Graph()
    leaves = {s: g.symbol(s.name, STATE) for s in STATES}
    leaves |= {s: g.symbol(s.name, PARAMETER) for s in PARAMETERS}
    return g, leaves, FromSympy(g, leaves)


FUNCTIONS = [
    sp.sin, sp.cos, sp.tanh, sp.atan, sp.asinh, sp.sinh,
    lambda e: sp.exp(sp.sin(e)), lambda e: sp.sqrt(2 + sp.cos(e)), lambda e: sp.log(3 + sp.sin(e)),
    lambda e: sp.asin(sp.sin(e) / 2), lambda e: sp.acos(sp.cos(e) / 2), lambda e: sp.atanh(sp.cos(e) / 2),
    lambda e: sp.acosh(2 + sp.sin(e)), lambda e: sp.tan(sp.sin(e)), lambda e: 1 / (2 + e**2),
    lambda e: sp.Piecewise((e**2, e > 0), (sp.sin(e), True)), lambda e: sp.cosh(sp.sin(e)) ** -3,
    lambda e: sp.Abs(e) * sp.sign(e - 1), lambda e: (2 + sp.sin(e)) ** sp.Rational(-3, 2),
    lambda e: sp.atan2(e, 1 + e**2) + sp.atan2(sp.cos(e), sp.Rational(-1, 3)),
    lambda e: sp.Integral(3 / (P * sp.Symbol("s") ** 2 + Q), (sp.Symbol("s"), 0, sp.sin(e))),
    lambda e: sp.Piecewise((e, e <= -1), (e**3, e < sp.Rational(1, 2)), (-e, True)),
]  # fmt: skip


def random_expression(rng, depth=3, rational_only=False):
    """Sums, products, quotients and functions of tame size."""
    if depth == 0:
        leaf = rng.choice([*STATES, *PARAMETERS])
        return (
            sp.Rational(int(rng.integers(-9, 10)), int(rng.integers(1, 7))) if rng.uniform() < 0.2 else leaf
        )
    a = random_expression(rng, depth - 1, rational_only)
    b = random_expression(rng, depth - 1, rational_only)
    kinds = [lambda: a + b, lambda: a - 2 * b, lambda: a * b, lambda: a / (1 + b**2), lambda: a**2 - b]
    if not rational_only:
        function = FUNCTIONS[int(rng.integers(len(FUNCTIONS)))]
        kinds += [lambda: function(a) + b, lambda: function(b) * a, lambda: function(a - b)]
    return kinds[int(rng.integers(len(kinds)))]()


def random_values(rng):
    states = {s: Fraction(int(rng.integers(-40, 41)), 17) for s in STATES}
    return states | {s: Fraction(int(rng.integers(5, 41)), 19) for s in PARAMETERS}


def by_mpmath(expr, values):
    """Forty digits, closed forms of the integral included."""
    with mpmath.workdps(40):
        expr = sp.sympify(expr).replace(sp.Integral, lambda f, limits: _closed(f, limits))
        numbers = {s: sp.Rational(v.numerator, v.denominator) for s, v in values.items()}
        return float(sp.re(expr.subs(numbers).evalf(40)))  # roundings may leave 1e-200 i


def _closed(function, limits):
    s, _, upper = limits
    numerator, denominator = sp.fraction(sp.together(function))
    poly = sp.Poly(denominator, s)
    a, b = poly.coeff_monomial(s**2), poly.coeff_monomial(1)
    return numerator / sp.sqrt(a * b) * sp.atan(upper * sp.sqrt(a / b))


def program_of(g, leaves, nodes):
    return Program(g, [leaves[s] for s in STATES], {s.name: leaves[s] for s in PARAMETERS}, nodes)


def numbers(values):
    return [float(values[s]) for s in STATES], {s.name: float(values[s]) for s in PARAMETERS}


def close(computed, expected):
    # Rounding of the doubles at which the exact reference is not taken, amplified by a few nested functions.
    return computed == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_values_in_floats_arrays_and_complex_numbers_equal_sympys(seed):
    rng = np.random.default_rng(seed)
    g, leaves, convert = graph_of()
    expressions = [random_expression(rng) for _ in range(3)]
    program = program_of(g, leaves, [convert(e) for e in expressions])
    samples = [random_values(rng) for _ in range(3)]
    for value in samples:  # one set of parameters for the batch
        value.update({s: samples[0][s] for s in PARAMETERS})
    expected = np.array([[by_mpmath(e, v) for v in samples] for e in expressions])
    for i, value in enumerate(samples):
        x, params = numbers(value)
        assert close(program(x, params), expected[:, i])
        assert close(program([complex(c) for c in x], params).real, expected[:, i])
    batch = np.array([numbers(v)[0] for v in samples]).T
    assert close(program(batch, numbers(samples[0])[1]), expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_constants_have_the_same_bits_interpreted_compiled_and_of_many_members(seed):
    rng = np.random.default_rng(500 + seed)
    g, leaves, convert = graph_of()
    nodes = [convert(random_expression(rng)) for _ in range(3)]
    program = program_of(g, leaves, nodes)
    sets = [numbers(random_values(rng))[1] for _ in range(3 * _INTERPRETED)]
    found = [program.constants(params) for params in sets]
    fresh = [program_of(g, leaves, nodes).constants(params) for params in sets]
    assert found == fresh
    together = program.constants({name: np.array([params[name] for params in sets]) for name in sets[0]})
    for k, constants in enumerate(found):
        assert close(np.array([np.broadcast_to(c, len(sets))[k] for c in together]), np.array(constants))


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_equal_sympys_and_complex_steps(seed):
    rng = np.random.default_rng(1000 + seed)
    g, leaves, convert = graph_of()
    expr = random_expression(rng)
    node = convert(expr)
    gradient = program_of(g, leaves, g.gradient(node, [leaves[s] for s in STATES]))
    value = program_of(g, leaves, [node])
    point = random_values(rng)
    x, params = numbers(point)
    computed = gradient(x, params)
    steps = [value(np.array(x) + 1e-30j * e, params)[0].imag / 1e-30 for e in np.eye(3)]
    assert close(computed, steps)
    smooth = expr.replace(sp.Integral, lambda f, limits: _closed(f, limits))
    assert close(computed, [by_mpmath(sp.diff(smooth, s).doit(), point) for s in STATES])


@pytest.mark.parametrize("seed", SEEDS)
def test_substitution(seed):
    rng = np.random.default_rng(2000 + seed)
    g, leaves, convert = graph_of()
    expr, new_x = random_expression(rng), random_expression(rng, 2)
    replaced = g.substitute([convert(expr)], {leaves[X]: convert(new_x), leaves[Y]: g.number(Fraction(2, 3))})
    point = random_values(rng)
    inner = point | {X: exact(sp.Float(by_mpmath(new_x, point), 17)), Y: Fraction(2, 3)}
    x, params = numbers(point)
    assert close(program_of(g, leaves, replaced)(x, params)[0], by_mpmath(expr, inner))


@pytest.mark.parametrize("seed", SEEDS)
def test_rational_evaluation_is_exact(seed):
    rng = np.random.default_rng(3000 + seed)
    _, leaves, convert = graph_of()
    expr = random_expression(rng, rational_only=True)
    point = random_values(rng)
    (value,) = evaluate([convert(expr)], {leaves[s]: v for s, v in point.items()}, RATIONAL)
    exactly = expr.subs({s: sp.Rational(v.numerator, v.denominator) for s, v in point.items()})
    assert isinstance(value, Fraction)
    assert value == Fraction(int(exactly.p), int(exactly.q))


@pytest.mark.parametrize("seed", SEEDS)
def test_sympy_and_back_is_the_same_node(seed):
    rng = np.random.default_rng(4000 + seed)
    _, leaves, convert = graph_of()
    expr = random_expression(rng)
    node = convert(expr)
    (back,) = to_sympy([node], {n: s for s, n in leaves.items()})
    point = random_values(rng)
    assert close(by_mpmath(back, point), by_mpmath(expr, point))
    again = convert(back)
    assert again is node or close(*(by_mpmath(to_sympy([n], {v: k for k, v in leaves.items()})[0], point)
                                    for n in (again, node)))  # fmt: skip


def test_rational_evaluation_of_roots_choices_and_special_values():
    _, leaves, convert = graph_of()
    at = {leaves[s]: Fraction(v) for s, v in zip((X, Y, Z, P, Q), (Fraction(9, 4), -2, 0, 3, 5), strict=True)}
    s = sp.Symbol("s")
    for expr, expected in [
        (sp.sqrt(X), Fraction(3, 2)),
        (sp.cos(Z) + sp.exp(Z) + sp.sin(Z), 2),
        (sp.Abs(Y) * sp.sign(Y), -2),
        (sp.Piecewise((Y, X > 0), (1, True)), -2),
        (sp.Integral(1 / (Z * s**2 + Q), (s, 0, Y)), Fraction(-2, 5)),
        (sp.Integral(1 / (P * s**2 + Q), (s, 0, Z)), 0),
    ]:
        assert evaluate([convert(expr)], at, RATIONAL) == [expected]
    for expr in (
        sp.sqrt(Y**2 + 1),
        sp.sin(X),
        sp.pi * X,
        sp.Integral(1 / (P * s**2 + Q), (s, 0, Y)),
        sp.sqrt(Y),
    ):
        with pytest.raises(NotRationalError, match="not rational"):
            evaluate([convert(expr)], at, RATIONAL)


# -- normal form --------------------------------------------------------------------------------------


def test_equal_values_are_one_node():
    g, leaves, _ = graph_of()
    x, y, z, p, q = (leaves[s] for s in (*STATES, *PARAMETERS))
    root = g.sqrt(x + y)
    for a, b in [
        ((x * y) * z, x * (y * z)),
        (x * y * z, z * y * x),
        ((x + y) + z, x + (z + y)),
        (x + y - y, x),
        (x * y / y, x),
        (2 * x + 3 * x, 5 * x),
        (p * x + q * x, (p + q) * x),
        (x * y + x * z, x * (y + z)),
        (2 * x - 2 * y, -2 * (y - x)),
        (p * x + p * y, p * (y + x)),
        (x * (p / q) + y / q, (p * x + y) / q),
        ((x - y) ** 3, -((y - x) ** 3)),
        (root**2, x + y),
        (root * root * root, (x + y) * root),
        (root**-2, 1 / (x + y)),
        (root / root, g.one),
        (x - x, g.zero),
        (0 * x + 0, g.zero),
        (x**0, g.one),
        (g.fun("sin", -x), -g.fun("sin", x)),
        (g.fun("cos", y - x), g.fun("cos", x - y)),
        (g.fun("exp", x - x), g.one),
        (g.sqrt(g.number(Fraction(9, 16))), g.number(Fraction(3, 4))),
        (x * 0.5, x / 2),
    ]:
        assert a is b
    assert g.fun("sqrt", x**2) is not x  # the sign of x is not known


def test_levels_separate_parameters_from_states():
    g, leaves, _ = graph_of()
    x, p, q = leaves[X], leaves[P], leaves[Q]
    coefficient, monomial = g.split(3 * p * x**2 / q, STATE)
    assert coefficient is 3 * p / q
    assert monomial is x**2
    assert (p + q).level == PARAMETER
    assert (p + x).level == STATE
    assert g.symbol("p", STATE) is not p


def test_division_by_a_structural_zero():
    _, leaves, _ = graph_of()
    x = leaves[X]
    with pytest.raises(ZeroDivisionError, match="structural zero"):
        1 / (x - x)


# -- quadrature ---------------------------------------------------------------------------------------

QUADRATURES = [
    (a, b, s)
    for a, b in [(1.3, 0.7), (0.9, 2.1), (-0.4, 1.7), (0.8, -3.0), (-1.2, -0.6)]
    for s in (-1.1, 0.02, 0.9)
] + [(a, 0.8, 1.2) for a in (0.0, 1e-12, -1e-12, 5e-4, -5e-4, 5.6e-4, -5.6e-4)]


@pytest.mark.parametrize(("a", "b", "s"), QUADRATURES)
def test_quadrature_branches(a, b, s):
    """arctan, linear and artanh, and the series between them (which meets them at a s^2/b = 1e-3)."""
    t = sp.Symbol("t")
    g, leaves, convert = graph_of()
    node = convert(sp.Integral(Q / (P * t**2 + Z), (t, 0, X)))
    program = program_of(g, leaves, [node, *g.gradient(node, [leaves[X]])])
    expected = 1.9 * quad(lambda tau: 1 / (a * tau**2 + b), 0, s, epsabs=0, epsrel=1e-13)[0]
    slope = 1.9 / (a * s**2 + b)
    params = {"p": a, "q": 1.9}
    for arguments in ([s, 0.0, b], [np.array([s]), np.zeros(1), np.array([b])]):
        value, derivative = program(arguments, params).reshape(2)
        assert value == pytest.approx(expected, rel=1e-13)  # what quad is asked for
        assert derivative == pytest.approx(slope, rel=1e-14)
    step = program([s + 1e-30j, 0.0, b], params)[0].imag / 1e-30
    assert step == pytest.approx(slope, rel=1e-14)


def test_quadrature_beyond_its_pole_is_not_a_number():
    t = sp.Symbol("t")
    g, leaves, convert = graph_of()
    program = program_of(g, leaves, [convert(sp.Integral(1 / (1 - P * t**2), (t, 0, X)))])
    assert np.isnan(program([np.array([2.0]), 0.0, 0.0], {"p": 1.0, "q": 1.0})).all()
    assert np.isnan(program([2.0, 0.0, 0.0], {"p": 1.0, "q": 1.0})).all()


# -- tape ---------------------------------------------------------------------------------------------


def test_first_calls_are_interpreted_with_the_bits_of_compiled_code():
    """A program that is asked at one point is compiled for nothing."""
    g, leaves, convert = graph_of()
    expressions = (3 * X - 2 * P * Y, -X * Y + Q, -2 * X**2 + sp.sin(Y) / Z - sp.Rational(1, 3), X / Y**3, Q)
    program = program_of(g, leaves, [convert(e) for e in (*expressions, sp.Integer(-7))])
    params = {"p": 0.1, "q": -1.3}
    for kind, arguments in {
        "scalar": [0.7, -0.9, 1.1],
        "array": list(np.random.default_rng(3).uniform(-0.5, 0.5, (3, 5))),
    }.items():
        found = [program(arguments, params).tobytes() for _ in range(3)]
        assert kind not in program.__dict__
        found.append(program(arguments, params).tobytes())
        assert kind in program.__dict__
        assert len({*found}) == 1


def test_equal_products_are_computed_once():
    g, leaves, convert = graph_of()
    nodes = [convert(e) for e in (X * Y * Z, X * Y * sp.sin(X * Y), (X * Y) ** 2 + X * Y, 1 / (X * Y))]
    products = [i for i in program_of(g, leaves, nodes).tape.instructions if i[0] in ("mul", "square")]
    assert len(products) == 4  # xy, xy z, xy sin, (xy)^2; 1/(xy) is a division


def test_the_commonest_pair_is_always_the_next(monkeypatch):
    """What the queue gives is what a look at all pairs would."""
    given, seen = tape._PairProducts._replace, []

    def watched(self, pair):
        where = {}
        for mono, counts in self._counts.items():
            for other in self._pairs(counts):
                where.setdefault(other, set()).add(mono)
        assert where == self._where
        assert self._rank(pair) == min(map(self._rank, where))
        seen.append(pair)
        given(self, pair)

    monkeypatch.setattr(tape._PairProducts, "_replace", watched)
    g, rng = Graph(), np.random.default_rng(4)
    x = [g.symbol(f"x{i}", STATE) for i in range(6)]
    picks = [rng.integers(6, size=rng.integers(2, 6)) for _ in range(40)]
    products = [g.add([g.one, x[k[0]] / (1 + x[k[-1]]) * x[k[len(k) // 2]] * x[k[1]] ** 2]) for k in picks]
    instructions = tape.Tape(g, x, products).instructions
    assert len(seen) > 20
    assert len(set(instructions)) == len(instructions)  # what is left after the queue is shared by no two


def test_quarter_powers_are_nested_square_roots():
    """sympy writes sqrt(sqrt(x)) as x**(1/4)."""
    g, leaves, convert = graph_of()
    node = convert(Y * sp.sqrt(sp.sqrt(P)) ** -3)
    assert node is convert(Y) * g.power(g.sqrt(g.sqrt(leaves[P])), -3)
    assert evaluate([node], {leaves[Y]: Fraction(2), leaves[P]: Fraction(81, 16)}, RATIONAL)[0] == Fraction(
        16, 27
    )


def test_what_depends_on_parameters_alone_is_hoisted():
    g, leaves, convert = graph_of()
    program = program_of(g, leaves, [convert(sp.sqrt(P) * X / (P + Q) + sp.sin(Q) * Y)])
    assert [i[0] for i in program.tape.instructions] == ["sum"]
    assert program([2.0, 3.0, 0.0], {"p": 4.0, "q": 1.0})[0] == pytest.approx(0.8 + 3 * np.sin(1))


def test_instructions_run_on_other_objects():
    """The tape interpreted with Fractions, as engines do with their expressions."""
    rng = np.random.default_rng(6)
    g, leaves, convert = graph_of()
    functions = {"square": lambda x: x * x}
    fractions = Arithmetic("fractions", Fraction, functions)
    for _ in range(5):
        expr = random_expression(rng, rational_only=True)
        node = convert(expr)
        program = program_of(g, leaves, [node])
        point = random_values(rng)
        at = {leaves[s]: v for s, v in point.items()}
        constants = evaluate(program.tape.constants, at, RATIONAL)
        assert program.run([point[s] for s in STATES], constants, fractions, sum) == evaluate(
            [node], at, RATIONAL
        )
    with pytest.raises(ExpressionError, match="fractions has no function 'sin'"):
        program_of(g, leaves, [convert(sp.sin(X))]).run([1, 2, 3], [], fractions, sum)


INSTRUCTIONS, OPERATIONS = 20, 28  # of the assembly as it is now: fewer are welcome, more need a reason


def test_operation_count_of_the_reduced_skate():
    """An upper bound on the size of a program that is known to be close to one written by hand."""
    sys = gc.models.get("pendulum-skate")().reduce()
    program = sys.program(sys.field_nodes)
    operations = sum(2 * len(i[1]) - 1 if i[0] == "sum" else 1 for i in program.tape.instructions)
    print(f"instructions {len(program.tape.instructions)}, operations {operations}")
    assert len(program.tape.instructions) <= INSTRUCTIONS
    assert operations <= OPERATIONS


# -- errors -------------------------------------------------------------------------------------------


def test_powers_of_what_is_positive_by_its_form_have_any_rational_exponent():
    graph = Graph()
    x, e = graph.symbol("x", STATE), graph.symbol("e", PARAMETER)
    E = sp.Symbol("e", positive=True)
    node = FromSympy(graph, {X: x, E: e})((X**2 + E) ** sp.Rational(57, 100) + sp.exp(X) ** 0.3)
    (slope,) = graph.derivatives([node], x)
    values = evaluate([node, slope], {x: -1.3, e: 0.2}, FLOAT)
    base = 1.3**2 + 0.2
    assert values == pytest.approx(
        [base**0.57 + np.exp(-0.39), 0.57 * base**-0.43 * -2.6 + 0.3 * np.exp(-0.39)], rel=1e-14
    )
    for expr in (X ** sp.Rational(1, 3), (X**2 - E) ** 0.3, sp.Abs(X) ** 1.14):
        with pytest.raises(gc.ExpressionError, match="positive by its form"):
            FromSympy(graph, {X: x, E: e})(expr)


@pytest.mark.parametrize(
    ("expr", "words"),
    [
        (sp.gamma(X), ["'gamma'", "gamma(x)", "known are"]),
        (sp.Function("f")(X, Y), ["'f'", "f(x, y)"]),
        (sp.Heaviside(X), ["'Heaviside'", "Piecewise"]),
        (sp.I * X, ["'ImaginaryUnit'"]),
        (X ** sp.Float(0.3), ["x**0.3", "half-integers"]),
        (X ** sp.Rational(2, 3), ["x**(2/3)", "half-integers"]),
        (X**Y, ["x**y", "half-integers"]),
        (sp.Symbol("yy", real=True) * X, ["unknown symbol 'yy'", "did you mean 'y'?"]),
        (sp.Symbol("x") * Y, ["symbol x", "other assumptions"]),
        (sp.Piecewise((X, X > 0)), ["last branch"]),
        (sp.Piecewise((X, sp.Eq(Y, 0)), (1, True)), ["condition Eq(y, 0)", "<, <=, > or >="]),
        (sp.Integral(sp.sin(Z), (Z, 0, X)), ["cannot translate Integral", "c/(a*s**2 + b)"]),
        (sp.Integral(1 / sp.sin(Z), (Z, 0, X)), ["cannot translate Integral", "c/(a*s**2 + b)"]),
        (sp.Integral(1 / (Z**2 + 1), (Z, 1, X)), ["cannot translate Integral"]),
        (sp.Integral(1 / (Z**2 + Z + 1), (Z, 0, X)), ["cannot translate Integral"]),
    ],
)
def test_what_cannot_be_translated_is_named(expr, words):
    _, _, convert = graph_of()
    with pytest.raises(ExpressionError) as caught:
        convert(expr)
    for word in words:
        assert word in str(caught.value)


def test_float_exponents_that_are_half_integers():
    _, _, convert = graph_of()
    assert convert(X ** sp.Float(1.5)) is convert(X * sp.sqrt(X))
    assert convert(X ** sp.Float(2.0)) is convert(X**2)


def test_missing_values_and_arguments_are_named():
    g, leaves, convert = graph_of()
    with pytest.raises(KeyError, match="no value for the symbol y"):
        evaluate([convert(X * Y)], {leaves[X]: 1.0}, FLOAT)
    with pytest.raises(KeyError, match=r"depend on .'y'"):
        Program(g, [leaves[X]], {}, [convert(X * Y)])


def test_derivatives_of_the_quadrature_by_its_coefficients_are_refused():
    g, leaves, convert = graph_of()
    t = sp.Symbol("t")
    with pytest.raises(ExpressionError, match="by its limit only"):
        g.gradient(convert(sp.Integral(1 / (Y * t**2 + 1), (t, 0, X))), [leaves[Y]])


def test_a_choice_is_differentiated_branch_by_branch():
    """Zero times a branch that is not taken would be no number where that branch is none."""
    g = Graph()
    x, y = g.symbol("x", STATE), g.symbol("y", STATE)
    root = g.fun("select_positive", x, g.sqrt(x), -g.sqrt(-x))
    slope, nothing = g.gradient(root, [x, y])
    assert nothing.is_zero
    with np.errstate(invalid="ignore"):
        values = Program(g, [x], {}, [slope])([np.array([0.25, -0.25])], {})
    assert np.allclose(values, 1.0)
    assert g.fun("select_positive", x, y, y) is y


def test_what_a_substitution_does_not_reach_stays_the_same_node():
    g = Graph()
    x, y, p = g.symbol("x", STATE), g.symbol("y", STATE), g.symbol("p", PARAMETER)
    kept = g.fun("sin", x * p) + 3 * x**2
    moved = g.let(x + y) * kept + g.sqrt(y)
    same, other = g.substitute([kept, moved], {y: 2 * x, p: p})
    assert same is kept
    assert other is g.let(3 * x) * kept + g.sqrt(2 * x)


def test_switches_within_names_are_freed():
    g = Graph()
    x, y = g.symbol("x", STATE), g.symbol("y", STATE)
    named, plain = g.let(g.fun("abs", x) + y), x * y + 1
    (freed, kept), numbers = with_free_switches(g, [named, plain])
    (s,) = numbers.values()
    assert freed is g.let(s * x + y)
    assert kept is plain
