"""Sizes of a system at a point go over to other units by their own factors, in every digit or to rounding."""

from fractions import Fraction
from functools import cache
from math import prod

import numpy as np
import pytest
import sympy as sp
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

import geoctrl as gc
from geoctrl._scalars import PARAMETER, STATE, Graph
from geoctrl._scalars.arithmetic.magnitude_layers import Layers
from geoctrl._scalars.arithmetic.magnitude_line import Line
from geoctrl._scalars.arithmetic.magnitudes import Magnitudes, binary, magnitudes
from geoctrl.algebra import product, se2, se3, so3
from geoctrl.systems.contract.matched_columns import matched_columns
from geoctrl.systems.contract.scales import (
    equilibrated_matrix,
    excited_deviations,
    exciting_deviations,
    largest_cycle,
    symmetric_inverse,
    symmetric_scaling,
)
from geoctrl.systems.units.unit_classes import units_of_velocities

# -- magnitudes ---------------------------------------------------------------------------------


def random_expression(graph, symbols, rng, depth):
    """A node with its exponents of units, from symbols with theirs; sums add what has one unit."""
    if depth == 0:
        return symbols[rng.integers(len(symbols))]
    kind = rng.integers(4)
    node, unit = random_expression(graph, symbols, rng, depth - 1)
    if kind == 0:
        other, of_other = random_expression(graph, symbols, rng, depth - 1)
        return node * other, unit + of_other
    if kind == 1:
        return node**-1, -unit
    if kind == 2:  # a difference that nearly cancels
        return node * (1 + 3 * node / node.graph.number(Fraction(3)) / node) - node * Fraction(
            2**40 + 1, 2**40
        ), unit
    return graph.fun("abs", node), unit


def test_magnitudes_of_random_expressions_go_with_the_unit_in_every_digit():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        g = Graph()
        symbols = [
            (g.symbol(f"x{i}", STATE if i < 2 else PARAMETER), rng.integers(-2, 3, size=3)) for i in range(4)
        ]
        node, unit = random_expression(g, symbols, rng, 4)
        ratio = node / symbols[0][0]
        node = node + g.fun("sin", ratio / ratio + 2) * node  # a number without unit as the argument
        values = {s: float(rng.normal()) for s, _ in symbols}
        factors = 2.0 ** rng.integers(-30, 30, size=3)
        v, mu = magnitudes(g, [node], values)
        moved = {s: values[s] * float(np.prod(factors**e)) for s, e in symbols}
        v_moved, mu_moved = magnitudes(g, [node], moved)
        by = float(np.prod(factors**unit))
        assert v_moved[0] == v[0] * by, seed
        assert mu_moved[0] == mu[0] * by, seed
        assert mu[0] >= abs(v[0])


def test_magnitudes_and_bends_are_the_same_one_by_one_as_in_layers():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        g = Graph()
        x, y, p = g.symbol("x", STATE), g.symbol("y", STATE), g.symbol("p", PARAMETER)
        node, _ = random_expression(g, [(s, np.zeros(3)) for s in (x, y, p)], rng, 4)
        whole = 2 + node**2
        bounded = node / whole
        nodes = [
            node + g.fun(name, bounded) * y**3 for name in ("sin", "tan", "asin", "exp", "asinh", "atanh")
        ]
        nodes += [
            g.fun("log", whole) + g.fun("sqrt", whole),
            g.fun("atan2", whole, x) * g.fun("acosh", whole),
        ]
        nodes += [g.fun("select_positive", x - y, x**2 - p, node), g.fun("quadrature", whole, p**2, x)]
        values, sizes = {s: float(rng.normal()) for s in (x, y, p)}, {x: 3.0}
        line, layers = Line(g.reachable(nodes), nodes), Layers(g, nodes)
        for one, many in zip(line(values, sizes), layers(values, sizes), strict=True):
            assert one == pytest.approx(many, rel=1e-12), seed
        along = [x, y, g.symbol("z", STATE)]
        assert line.bends(values, along) == pytest.approx(layers.bends(values, along), rel=1e-9), seed


def test_a_singular_point_has_infinite_magnitudes():
    g = Graph()
    x = g.symbol("x", STATE)
    program = Magnitudes(g, [1 / x, g.fun("sqrt", x), x - 1, g.fun("log", x - 1)])
    v, mu = program({x: 0.0}, {x: 4.0})
    assert v[:3].tolist() == [np.inf, 0, -1]
    assert mu[:3].tolist() == [np.inf, 2, 5]
    assert np.isnan(v[3])
    assert program.bends({x: 0.0}, [x]).shape == (1,)


def test_a_magnitude_is_that_of_the_terms_that_cancel():
    g = Graph()
    x, p = g.symbol("x", STATE), g.symbol("p", PARAMETER)
    nodes = [g.fun("sin", x), x - p, x**2 - p**2, g.fun("sqrt", x - p), x / p]
    v, mu = magnitudes(g, nodes, {x: np.pi, p: np.pi})
    assert abs(v[0]) < 1e-15
    assert mu == pytest.approx([np.pi, 2 * np.pi, 6 * np.pi**2, np.sqrt(2 * np.pi), 3])


def test_multiples_are_exact():
    """A coefficient that is one in some units is none in others: magnitudes go over as values do."""
    g = Graph()
    x, y, p = g.symbol("x", STATE), g.symbol("y", STATE), g.symbol("p", PARAMETER)
    values, q = {x: 0.7, y: -1.3, p: 2.5}, Fraction(1024)
    for node in (x, x + y, x * y, p * x + y, x + 3, 1 / x, p * (x + y) - 5, g.fun("sqrt", x) + p):
        (v, w), (mu, nu) = magnitudes(g, [node, q * node], values)
        assert (w, nu) == (1024 * v, 1024 * mu)
        v, mu = Magnitudes(g, [node, q * node])._layers(values, {})
        assert (v[1], mu[1]) == (1024 * v[0], 1024 * mu[0])


def test_what_zeros_of_a_matrix_force_on_its_inverse_is_zero():
    """A row of the mass matrix that a constraint alone decides: rounding of the others stays out of it."""
    M = [[3e6, -10, 1, 0], [-10, 6e-4, -1e-5, 0], [1, -1e-5, 4.500004, -3], [0, 0, -3, 2]]
    row = np.array([[4.8, 0, 0, 0]])
    K = np.block([[np.array(M), row.T], [-row, np.zeros((1, 1))]])
    X = symmetric_inverse(K)
    assert np.all(X[0, :4] == 0)
    assert X[0, 4] == pytest.approx(-1 / 4.8)
    assert K @ X == pytest.approx(np.eye(5), abs=1e-6)


def test_what_rests_without_a_rate_is_told_in_any_unit_of_time():
    """A body that nothing drives beside a slow push: its family has one direction more than the velocity."""
    q, r = gc.Coordinate("q"), gc.Coordinate("r")
    for time in (1, 2**20, Fraction(1, 2**20)):
        push = sp.Rational(time) ** 2 / 3 * r.symbol
        body = gc.EulerPoincare(shape=[q, r], inertia=sp.eye(2), forces=[push, 0]).reduce()
        assert gc.linearize(body, [0, 0, 0, 0]).zero_modes.count("family") == 1


def test_a_magnitude_bounds_what_changes_of_all_numbers_make():
    """First differences over random relative changes of the symbols, against the definition."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        g = Graph()
        x, y = g.symbol("x", STATE), g.symbol("y", STATE)
        node = g.fun("tanh", x * y) / (1 + y**2) + g.fun("log", 2 + x**2) * g.fun("atan2", y, x) - 3 * y**-2
        values = {x: rng.normal(), y: rng.normal()}
        (v,), (mu,) = magnitudes(g, [node], values)
        for _ in range(20):
            e = 1e-7 * rng.choice([-1, 1], size=2)
            moved = {s: values[s] * (1 + d) for s, d in zip(values, e, strict=True)}
            assert abs(magnitudes(g, [node], moved)[0][0] - v) <= 1.001e-7 * mu


def test_a_product_with_a_zero_factor_has_the_size_of_what_the_zero_may_become():
    g = Graph()
    x, y = g.symbol("x", STATE), g.symbol("y", STATE)
    v, mu = magnitudes(g, [x * y, x**2], {x: 0.0, y: 3.0}, {x: 0.5})
    assert v == pytest.approx([0, 0])
    assert mu == pytest.approx([1.5, 0])


def test_the_nearest_power_of_two():
    assert binary([1.4, 1.5, 0.0, 1e300, 1e-300]) == pytest.approx(
        [1.0, 2.0, 0.0, 2.0**500, 2.0**-500], rel=0
    )


def test_the_nearest_power_of_two_goes_over_where_two_are_equally_near():
    """sqrt(2) is as near to one as to two: with even and odd powers of two alike."""
    powers = 2.0 ** np.arange(-9, 9)
    assert binary(np.sqrt(2) * powers).tolist() == (binary(np.sqrt(2)) * powers).tolist()


# -- rates and sizes of matrices ----------------------------------------------------------------


def cycles(A):
    """Largest geometric mean over all simple cycles, one by one."""
    n, best = len(A), 0.0

    def walk(start, path, weight):
        nonlocal best
        for j in range(start, n):
            w = weight * abs(A[path[-1], j])
            if j == start and w:
                best = max(best, w ** (1 / len(path)))
            elif j not in path and w:
                walk(start, [*path, j], w)

    for start in range(n):
        walk(start, [start], 1.0)
    return best


def random_matrix(rng, n):
    return rng.normal(size=(n, n)) * 10.0 ** rng.integers(-6, 6, size=(n, n)) * (rng.random((n, n)) < 0.5)


def test_the_rate_is_the_largest_mean_of_a_cycle_and_bounds_the_spectrum():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 6))
        A = random_matrix(rng, n)
        rate = largest_cycle(A)
        assert rate == pytest.approx(cycles(A), rel=1e-12), seed
        assert np.max(np.abs(np.linalg.eigvals(A))) <= n * rate * (1 + 1e-9), seed


def test_rate_and_sizes_go_with_the_units():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 8))
        A, anchors = random_matrix(rng, n), np.abs(rng.normal(size=n)) * (rng.random(n) < 0.5)
        S, s = 2.0 ** rng.integers(-20, 20, size=n), 2.0 ** int(rng.integers(-20, 20))
        B = S[:, None] * A / S / s
        rate, moved = largest_cycle(A), largest_cycle(B)
        assert moved == pytest.approx(rate / s, rel=1e-13)
        d, e = (
            exciting_deviations(M, w, excited_deviations(M, w, a))
            for M, w, a in ((A, rate, anchors), (B, moved, S * anchors))
        )
        assert e == pytest.approx(S * d, rel=1e-12), seed
        if rate:  # what the closure promises
            assert np.all(
                np.abs(A) * excited_deviations(A, rate, anchors)
                <= rate * excited_deviations(A, rate, anchors)[:, None] * (1 + 1e-9)
            )


def test_without_cycles_there_is_no_rate():
    assert largest_cycle(np.triu(np.ones((4, 4)), 1)) == 0.0
    assert excited_deviations(np.ones((2, 2)), 0.0, np.array([1.0, 0.0])).tolist() == [1.0, 0.0]


def test_symmetric_scaling_sees_directions_and_not_units():
    M = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 3.0]])
    S = np.diag([1.0, 1e-60, 1e40])
    t, s = symmetric_scaling(M), symmetric_scaling(S @ M @ S)
    assert s * np.diag(S) == pytest.approx(t)
    assert np.diag(t[:, None] * M * t) == pytest.approx(np.ones(3))
    saddle = np.array([[0.0, 1e9], [1e9, 0.0]])  # nothing on the diagonal
    assert symmetric_scaling(saddle) == pytest.approx([0.0, 0.0])
    bordered = np.array([[4.0, 1e-9], [1e-9, 0.0]])
    t = symmetric_scaling(bordered)
    assert abs(t[:, None] * bordered * t) == pytest.approx(np.array([[1, 1], [1, 0]]))


def test_equilibration_sees_rank_and_not_units():
    rng = np.random.default_rng(3)
    C = rng.normal(size=(3, 5))
    moved = 10.0 ** rng.uniform(-8, 8, size=(3, 1)) * C * 10.0 ** rng.uniform(-8, 8, size=5)
    assert np.linalg.cond(equilibrated_matrix(moved)) < 30
    C[2] = C[0] - 2 * C[1]
    moved = 10.0 ** rng.uniform(-8, 8, size=(3, 1)) * C * 10.0 ** rng.uniform(-8, 8, size=5)
    assert np.linalg.cond(equilibrated_matrix(moved)) > 1e12


def test_the_bracket_tells_rates_of_angles():
    assert units_of_velocities(so3()) == ({0, 1, 2}, [])
    assert units_of_velocities(se2()) == ({0}, [[1, 2]])
    assert units_of_velocities(se3()) == ({0, 1, 2}, [[3, 4, 5]])
    turns, alike = units_of_velocities(product(so3(), se2()))
    assert (turns, alike) == ({0, 1, 2, 3}, [[4, 5]])


# -- systems ------------------------------------------------------------------------------------

UNITS = {"kg": (1, 0, 0), "m": (0, 1, 0), "s": (0, 0, 1), "N": (1, 1, -2), "rad": (0, 0, 0)}
RATE, NONE = (0, 0, -1), (0, 0, 0)
CASES = {
    "cart-pendulum": ("upright", [(0, 1, -1), RATE, NONE]),
    "rattleback": ("spinning", [RATE] * 3 + [NONE] * 3),
    "chaplygin-sphere": ("about1", [RATE] * 3 + [NONE] * 3),
    "getz-bicycle": ("upright", [(0, 1, -1), RATE, (0, -1, -1), NONE, (0, -1, 0)]),
    "orbiting-body": ("aligned", [RATE] * 3 + [NONE] * 6),
}
"""By name a family and the exponents of kg, m and s of each state."""


def exponents_of(unit):
    """Exponents of kg, m, s in a unit such as "kg m^2" or "m/s^2"."""
    total = np.zeros(3, dtype=int)
    for sign, part in zip((1, -1), unit.split("/"), strict=False):
        for word in part.split():
            name, _, power = word.partition("^")
            total = total + sign * int(power or 1) * np.array(UNITS[name])
    return total


def in_units(name, factors):
    """The mechanism with its parameters in other units, by factors of numbers of kg, m and s."""
    mech = gc.models.get(name)()
    moved = [
        gc.Parameter(
            p.name, Fraction(p.default) * by(factors, exponents_of(p.unit)), p.unit, positive=p.positive
        )
        for p in mech.parameters
    ]
    return mech.replace(parameters=moved, parameter_sets={})


def by(factors, exponents):
    return prod((Fraction(f) ** int(e) for f, e in zip(factors, exponents, strict=True)), start=Fraction(1))


@pytest.mark.parametrize("name", CASES)
def test_sizes_of_a_system_go_over_by_their_own_factors(name):
    family, exponents = CASES[name]
    plain = gc.models.get(name)().reduce()
    symbols = {str(q): 0.75 for q in plain.families[family].symbols}
    point = plain.equilibrium(family, **symbols).x
    for x in (point, point + 1e-3 * np.cos(np.arange(len(point)))):
        at = plain.scales(x)
        for powers in ((-20, 0, 0), (0, 10, 0), (0, 0, -10), (3, -7, 20)):
            factors = [Fraction(2) ** k for k in powers]
            S, s = np.array([float(by(factors, e)) for e in exponents]), float(factors[2])
            moved = in_units(name, factors).reduce().scales(S * x)
            assert moved.rate == pytest.approx(at.rate / s, rel=1e-12)
            assert moved.state == pytest.approx(S * at.state, rel=1e-12)
            assert moved.column == pytest.approx(S * at.column, rel=1e-12)
            assert moved.field == pytest.approx(S * at.field / s, rel=1e-11)
            assert moved.A == pytest.approx(S[:, None] * at.A / S / s, rel=1e-11, abs=0)


def test_sizes_are_those_of_what_measures_the_states():
    at = gc.models.get("orbiting-body")().reduce().scales([0, -0.0011, 0, 0, 0, 1, 0, 1, 0])
    assert at.state[3:] == pytest.approx(np.ones(6))
    assert at.state[:3] == pytest.approx(np.full(3, at.rate))
    tilted = gc.models.get("orbiting-body")().reduce()
    x = tilted.state(a=(np.sin(0.0873), 0, np.cos(0.0873)), b=(0, 1, 0))
    at = tilted.scales(x)
    # What the gradient of gravity makes at a pitch of five degrees is no rounding beside what it is made of.
    assert np.max(np.abs(tilted.rhs(0, x)) / np.where(at.field > 0, at.field, np.inf)) > 1e-2


def test_a_linear_system_at_rest_has_no_size():
    x = gc.Coordinate("x", unit="m")
    at = (
        gc.EulerPoincare(shape=[x], inertia=[[2.0]], potential=9 * x.symbol**2 / 2)
        .reduce()
        .scales([0.0, 0.0])
    )
    assert at.rate == pytest.approx(np.sqrt(4.5))
    assert at.state.tolist() == at.field.tolist() == [0.0, 0.0]
    assert np.all(at.column > 0)


@pytest.mark.parametrize("stiffness", [1, Fraction(1, 10**22), 10**22])
def test_what_has_no_size_has_one_beside_the_other(stiffness):
    """Two oscillators at rest have no zero mode, in whatever unit of time."""
    q, r = gc.Coordinate("q"), gc.Coordinate("r")
    potential = sp.Rational(stiffness) * (q.symbol**2 + 3 * r.symbol**2) / 2
    system = gc.EulerPoincare(shape=[q, r], inertia=[[1, 0], [0, 1]], potential=potential).reduce()
    linear = gc.linearize(system, gc.find_equilibrium(system, [0.0] * 4))
    assert linear.zero_modes == ()
    assert linear.scales.column[2:] / linear.scales.column[:2] == pytest.approx(
        np.sqrt(1 / (3 * float(stiffness)))
    )


@cache
def drone_loop(as_field, length=1, time=1, arm=1):
    """A drone with two thrusts in its plane, on arms of different lengths, and gains that uncouple it."""
    q = sp.Rational
    m, J, a, g = q(6, 5), q(1, 50) * length**2, q(1, 4) * length, q(981, 100) * length / time**2
    x, z, theta = gc.Coordinate("x"), gc.Coordinate("z"), gc.Coordinate("theta", angle=True)
    left, right = inputs = sp.symbols("left right", real=True)
    rates = [-g * sp.sin(theta.symbol), (left + right) / m + g * sp.cos(theta.symbol) - g]
    rates.append(a * (arm * right - left) / J)
    lift = np.array([0, 2.61 / time, 0, 0, 2.83 / time**2, 0])
    tilt = np.array([0.47, 0, -0.87 * length, 1.41 / time, 0, -2.76 * length / time]) / time
    K = np.array([lift * arm / (1 + arm) + tilt, lift / (1 + arm) - tilt * (1 + 2.0**-51)])
    states = sp.Matrix([x.rate, z.rate, theta.rate, x.symbol, z.symbol, theta.symbol])
    law = {
        s: -(sp.Matrix([[sp.Rational(k) for k in row]]) * states)[0] for s, row in zip(inputs, K, strict=True)
    }
    law = {str(s): e for s, e in law.items()}
    if as_field:
        rates = dict(zip(map(str, states), [*rates, *states[:3]], strict=True))
        moving = [gc.Coordinate(str(s), angle=s == theta.symbol) for s in states]
        return gc.VectorField(moving, rates, inputs=inputs, feedback=law).reduce()
    masses = sp.diag(m, m, J)
    forces = list(masses * sp.Matrix(rates))
    described = {"shape": [x, z, theta], "inertia": masses, "forces": forces, "inputs": inputs}
    return gc.EulerPoincare(**described, feedback=law).reduce()


@pytest.mark.parametrize("as_field", [False, True])
@pytest.mark.parametrize(("length", "time", "arm"), [(1, 1, 1), (1000, 1, 1), (1, 1000, 3)])
def test_what_gains_leave_where_they_cancel_excites_nothing(as_field, length, time, arm):
    loop = drone_loop(as_field, length, time, arm)
    labels, here = list(loop.state_labels), np.zeros(6)
    height = [labels.index(k) for k in ("z", "z_dot")]
    others = [i for i in range(6) if i not in height]
    apart = np.ix_(height, others)
    assert np.any(loop.jacobian(0.0, here)[apart])
    sizes = loop.scales(here)
    assert not np.any(sizes.A[apart])
    assert not np.any(sizes.state[height])
    assert np.all(sizes.state[others] > 0)
    assert np.count_nonzero(sizes.A[others]) == 7  # of 24, where no rounding is left


def test_on_manifolds_directions_have_size_one_and_turns_that_of_time():
    chain = gc.spheres.chain_pendulum([2.0, 1.0], [0.5, 0.3], gravity=(0, 0, -10))
    at = chain.scales(chain.pack([[0, 0, -1]] * 2, [[0, 0, 0]] * 2))
    assert at.state[:6] == pytest.approx(np.ones(6))
    assert at.state[6:] == pytest.approx(np.full(6, at.rate))
    # Of two links over all cycles: the largest is omega2 -> q2 -> omega2 with (m1 + m2)/m1 g/l2.
    assert at.rate == pytest.approx(np.sqrt(1.5 * 10 / 0.3))


def test_sizes_are_printed_as_a_table_of_79_columns():
    cart = gc.models.get("cart-pendulum")().reduce()
    lines = repr(cart.scales(cart.state())).splitlines()
    assert lines[0].startswith("rate 7.76 1/s, time 0.129 s")
    assert [line.split()[0] for line in lines[2:]] == ["x_dot", "phi_dot", "phi", "u"]
    assert max(map(len, lines)) <= 79


def test_a_wrong_point_is_refused_in_words():
    cart = gc.models.get("cart-pendulum")().reduce()
    with pytest.raises(gc.errors.InputError, match="needs x of shape"):
        cart.scales([0, 0])
    with pytest.raises(gc.errors.InputError, match="u"):
        cart.scales(cart.state(), u=[1, 2])
    with pytest.raises(gc.errors.ParameterError, match="ell"):
        cart.scales(cart.state(), params={"ell": 1})


@pytest.mark.parametrize("name", ["chaplygin-sphere", "rattleback", "tippe-top", "top-on-sphere"])
@pytest.mark.parametrize("length", [Fraction(1, 10**3), 10**3])
def test_rolling_bodies_are_described_in_any_unit_of_length(name, length):
    """Draws for the checks of a description go with the lengths of its relations."""
    moved = in_units(name, (1, length, 1)).reduce()
    assert moved.state_labels == gc.models.get(name)().reduce().state_labels


@pytest.mark.parametrize("time", [1, 10**6])
def test_multipliers_are_found_in_any_unit_of_time(time):
    """Second derivatives by velocities and by directions differ by the square of the unit of time."""
    system = in_units("chaplygin-sphere", (1, 1, time)).reduce()
    certificate = gc.certify(system, [Fraction(3, 4) / time, 0, 0, 1, 0, 0])
    assert certificate.verdict is gc.Verdict.PROVED_STABLE


@pytest.mark.parametrize("seed", range(40))
def test_matched_columns_are_there_where_scipy_finds_them(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    filled = rng.random((n, n)) < rng.uniform(0.05, 0.5)
    if seed % 2:
        filled |= np.eye(n, dtype=bool)[rng.permutation(n)]
    columns = matched_columns(filled)
    there = (maximum_bipartite_matching(csr_array(filled), perm_type="column") >= 0).all()
    assert (columns is not None) == there
    if columns is not None:
        assert sorted(columns) == list(range(n))
        assert filled[range(n), columns].all()
