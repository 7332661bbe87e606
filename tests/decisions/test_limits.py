"""What decides exactly has an end: lengths of numbers, the clock, counts of functions, chains of integers."""

from math import lcm

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_poly

import geoctrl as gc
from geoctrl import checker
from geoctrl.decisions.arithmetic.eliminations import locate, real_roots
from geoctrl.decisions.arithmetic.tower import Surds, middle
from geoctrl.decisions.functions import identities_by_division as polynomials
from geoctrl.decisions.functions.identities_by_division import Functions, generators_of, length
from geoctrl.decisions.reading.clock import limited, require_time


def test_middles_of_balls_are_not_made_exact_where_they_are_long():
    assert middle(arb(3) / 4) == fmpq(3, 4)
    for value in (arb(10**11).exp(), arb(-(10**11)).exp(), arb("inf"), arb("nan")):
        with pytest.raises(checker.Refusal):
            middle(value)


def test_one_clock_ends_what_is_within_it():
    require_time()
    with limited(60.0), limited(-1.0):
        with pytest.raises(checker.Refusal, match="takes more than"):
            require_time()
        with pytest.raises(checker.Refusal, match="takes more than"), limited(10.0):
            require_time()
    require_time()


def test_a_chain_over_square_roots_looks_at_the_clock():
    root = Surds.of([fmpq(2)]).read("0 + 1*r1")
    p = [fmpq(1), *(root * k + 1 for k in range(30))]
    with limited(-1.0), pytest.raises(checker.Refusal, match="takes more than"):
        locate(p)


def test_functions_are_counted_by_what_occurs():
    table = [("sym", "x", "state"), *[("fun", "sin", [0])] * 50, ("fun", "cos", [1]), ("fun", "cos", [2])]
    assert generators_of(table) == 4  # sine and cosine of x, and of sin x
    table += [("fun", "sqrt", [0]), ("fun", "exp", [0]), ("fun", "select", [0, 0, 0])]
    assert generators_of(table) == 6


# -- chains in integers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_roots_are_placed_as_isolated_roots_are(seed):
    """Against the isolating balls of flint: on the axis, to either side of it, and real."""
    rng = np.random.default_rng(seed)
    p = fmpq_poly([1])
    for _ in range(int(rng.integers(1, 8))):
        a, b, c = (int(v) for v in rng.integers(-4, 5, 3))
        p *= (
            fmpq_poly([fmpq(a, 3), 1]) if rng.random() < 0.5 else fmpq_poly([fmpq(abs(b), 2), c * (c > 1), 1])
        )
    roots = p.complex_roots()
    right, left, _ = locate(p.coeffs()[::-1])
    assert right == any(z.real > 0 for z, _ in roots)
    assert left == all(z.real < 0 for z, _ in roots)
    assert real_roots(p) == sum(z.imag == 0 for z, _ in roots)


def test_roots_over_a_field_with_square_roots():
    field = Surds.of([fmpq(2)])
    root = field.read("0 + 1*r1")
    square = [fmpq(1), fmpq(0), root, fmpq(0), fmpq(1, 2)]  # (s^2 + 1/sqrt 2)^2
    assert locate(square) == (False, False, False)
    assert locate([fmpq(1), root, fmpq(1)]) == (False, True, True)
    assert locate([fmpq(1), -root, fmpq(1)]) == (True, False, True)


# -- nothing private leaves the library -------------------------------------------------------------------


def test_conditions_at_a_switch_are_refused_in_words():
    """Max(k, 1) has no derivative by k at 1."""
    import sympy as sp

    q, k = gc.Coordinate("q"), gc.Parameter("k", 1)
    system = gc.EulerPoincare(
        shape=[q], inertia=[[1]], parameters=[k], potential=sp.Max(k.symbol, 1) * q.symbol**2 / 2
    ).reduce()
    with pytest.raises(gc.GeoctrlError):
        gc.stability_conditions(system, gc.find_equilibrium(system, [0, 0]))


# -- lengths of polynomials -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_lengths_are_bounded_by_those_of_what_they_are_made_of(seed):
    """Random sums, products and quotients; the bound is never below what is counted."""
    rng = np.random.default_rng(seed)
    field = Functions(3, 2, lambda place, value: 1, np.inf)
    known = [*field.variables, field.number(fmpq(3, 7)), field.number(fmpq(-(2**70), 5))]
    known.append(field.function("sin", known[0]))
    for _ in range(300):
        a, b = (known[int(k)] for k in rng.integers(len(known), size=2))
        if not b:
            continue
        kind = int(rng.integers(4))
        made = a + b if kind == 0 else a - b if kind == 1 else a * b if kind == 2 else a * (1 / b)
        if len(made.top) < 60 and made.top.total_degree() < 25 and len(made.below) < 5:
            numbers = made.top.coeffs()
            below = lcm(1, *(int(c.q) for c in numbers))
            assert max([below, *(abs(int((c * below).p)) for c in numbers)]).bit_length() <= made.bits
            assert length(made.top) <= made.bits + 1
            known = [*known[:6], *known[6:][-40:], made]


def test_long_numbers_are_refused_by_the_bound_and_by_counting(monkeypatch):
    """A bound that is too large is counted anew; what is too long by count is refused."""
    monkeypatch.setattr(polynomials, "LONG", 1000)
    field = Functions(1, 0, lambda place, value: 1, np.inf)
    one, long = field.number(fmpq(1)), field.number(fmpq(2**600))
    one.bits = 1000
    assert (one * field.variables[0]).bits < 10
    with pytest.raises(checker.Refusal, match="too long"):
        long * long
