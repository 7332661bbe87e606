"""Rational functions of several variables from values modulo a prime, against those they were made of."""

from fractions import Fraction

import numpy as np
import sympy as sp

from geoctrl._scalars.arithmetic.interpolation import interpolants
from geoctrl._scalars.arithmetic.modular import residue

a, b, c = sp.symbols("a b c")


def recovered(functions, variables=(a, b, c)):
    parts = [sp.fraction(sp.together(f)) for f in functions]

    def values(places):
        def at(polynomial):
            total = 0 * places[0]
            for exponents, q in sp.Poly(polynomial, *variables).terms():
                term = residue(Fraction(int(q.p), int(q.q))) + 0 * places[0]
                for x, e in zip(places, exponents, strict=True):
                    term = term * x**e
                total = total + term
            return total

        return [(at(n) / at(d)).values.tolist() for n, d in parts]

    found = interpolants(values, len(variables), np.random.default_rng(0))

    def expression(terms):
        return sum(
            sp.Rational(q.numerator, q.denominator) * sp.prod(x**e for x, e in zip(variables, m, strict=True))
            for m, q in terms.items()
        )

    return found if found is None else [expression(n) / expression(d) for n, d in found]


def test_what_was_put_in_comes_out():
    functions = [
        sp.Integer(0) * a,
        sp.Rational(3, 7) + 0 * a,
        a * b**2 / (c + 2 * a),
        (a**2 + b * c - 3) / (7 * b**2 * c),
        a**3 - sp.Rational(5, 11) * b * c**2,
        (a - b) ** 2 * (a + b) / ((a + c) * (b - 2 * c)),
    ]
    for mine, given in zip(recovered(functions), functions, strict=True):
        assert sp.cancel(mine - given) == 0


def test_degrees_beyond_the_samples_give_none():
    assert recovered([a**20 + b]) is None
    assert recovered([a**5 / (b**7 + 1)]) is not None
