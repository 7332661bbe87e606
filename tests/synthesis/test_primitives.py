"""Primitives against numerical integration."""

import pytest
import sympy as sp
from mpmath import mp, quad

from geoctrl._scalars.algebra.circles import single_angles
from geoctrl.synthesis.shaping.primitives import as_fraction, primitive

x, a, b, z = sp.symbols("x a b z", real=True)
s, c = sp.sin(x), sp.cos(x)
AT = {a: sp.Rational(7, 5), b: sp.Rational(3, 7), z: sp.Rational(2, 9)}


@pytest.mark.parametrize(
    "integrand",
    [
        a * x**2 + b,
        s * c**2 - a * c,
        c / (a + b * s**2),
        c / (b * s**2 - a),
        s / (a + b * c),
        (s * c + b * s) / (a + c),
        1 / sp.sqrt(a * x**2 + b**2),
        1 / (a + x**2),
        s * sp.cos(z + b * x) - sp.sin(z + (1 + b) * x) * (1 + a * sp.cos(z + b * x)),
        x * s,
    ],
    ids=str,
)
def test_the_primitive_is_the_integral_from_zero(integrand):
    found = primitive(integrand, x)
    upper = 0.6
    with mp.workdps(25):
        wanted = quad(sp.lambdify(x, integrand.subs(AT), "mpmath"), [0, upper])
    value = sp.N(found.subs(AT).subs(x, sp.Float(upper, 25)), 20)
    assert abs(value - sp.Float(wanted, 25)) < 1e-15


def test_names_that_are_used_inside_are_free():
    """Parameters called s and c are not those by which sine, cosine and the variable of integrals go."""
    other = dict(zip((a, b), sp.symbols("c s", real=True), strict=True))
    integrand = c / (a + b * s**2)
    found = primitive(integrand.subs(other), x)
    back = {new: AT[old] for old, new in other.items()}
    assert (
        abs(sp.N((found.subs(back) - primitive(integrand, x).subs(AT)).subs(x, sp.Rational(1, 2)), 20))
        < 1e-18
    )


def test_what_has_no_primitive_is_not_given_one():
    assert primitive(sp.exp(s), x) is None


def test_roots_keep_their_form():
    root = sp.sqrt(a**2 + x**2 / (1 + b))
    assert as_fraction(1 / root + b / root) == (b + 1) / root
    assert as_fraction(x * root + a * x * root) == x * (a + 1) * root
    assert as_fraction(x * sp.log(root) + x * sp.sqrt(sp.log(root))) == x * (
        sp.log(root) + sp.sqrt(sp.log(root))
    )


def test_sums_of_whole_angles_become_products():
    assert single_angles(sp.cos(x + 2 * z)) == sp.expand_trig(sp.cos(x + 2 * z))
    assert single_angles(sp.cos(b * x + z)) == sp.cos(b * x + z)
