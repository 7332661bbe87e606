"""The gate for numbers: which pass, as what, and which are refused with words."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl._scalars import exact, expression, plain, real
from geoctrl.errors import DescriptionError, GeoctrlError, InputError, ParameterError

SINGLE = Fraction(13421773, 134217728)  # 0.1 in single precision
ENTERING = [
    (3, Fraction(3)),
    (True, Fraction(1)),
    (np.bool_(True), Fraction(1)),
    (np.int8(-3), Fraction(-3)),
    (np.int32(3), Fraction(3)),
    (np.int64(2**62), Fraction(2**62)),
    (np.uint8(255), Fraction(255)),
    (np.float16(0.1), Fraction(819, 8192)),
    (np.float32(0.1), SINGLE),
    (np.float64(0.1), Fraction(0.1)),
    (np.longdouble("1.5"), Fraction(3, 2)),
    (Decimal("0.1"), Fraction(1, 10)),
    (Decimal("1e5"), Fraction(100000)),
    (Fraction(1, 3), Fraction(1, 3)),
    (sp.Integer(3), Fraction(3)),
    (sp.Rational(-2, 7), Fraction(-2, 7)),
    (-sp.Float(0.375), Fraction(-3, 8)),
    (sp.Float(0), Fraction(0)),
    (mpmath.mpf("0.1"), Fraction(0.1)),
    (np.array(3), Fraction(3)),
    (np.array(0.5, dtype=np.float32), Fraction(1, 2)),
    (np.array(Fraction(1, 3), dtype=object), Fraction(1, 3)),
]
HUGE = 10**9  # binary digits: 125 MB each
REFUSED = [
    ("1.0", "the text '1.0'"),
    (b"1", "the text b'1'"),
    (np.str_("1"), "the text"),
    (None, "got None"),
    (1 + 0j, r"complex \(1\+0j\)"),
    (np.complex128(1), "complex"),
    (sp.I, "complex"),
    (mpmath.mpc(1, 0), "complex"),
    (float("nan"), "finite"),
    (float("-inf"), "finite"),
    (np.float16("inf"), "finite"),
    (Decimal("NaN"), "finite"),
    (Decimal("sNaN"), "finite"),
    (sp.nan, "finite"),
    (sp.oo, "finite"),
    (sp.zoo, "finite"),
    (mpmath.inf, "finite"),
    (mpmath.nan, "finite"),
    ([1.0], "single number"),
    (np.array([1.0]), "single number"),
    (np.array([1]), "single number"),
    (sp.Matrix([1]), "single number"),
    (sp.Symbol("x"), "must be a number"),
    (sp.true, "must be a number"),
    (object(), "must be a number"),
    (abs, "must be a number"),
    (np.datetime64("2020-01-01"), "must be a number"),
    (np.timedelta64(1, "s"), "must be a number"),
    (10 ** (10**5), "binary digits"),
    (Decimal("1e999999999"), "binary digits"),
    (Decimal("1e-999999999"), "binary digits"),
    (mpmath.ldexp(1, HUGE), "binary digits"),
    (sp.Float(mpmath.ldexp(1, -HUGE)), "binary digits"),
]


@pytest.mark.parametrize(("given", "value"), ENTERING, ids=lambda v: f"{type(v).__name__}")
def test_a_number_of_any_type_is_the_rational_it_is(given, value):
    found = exact(given)
    assert found == value
    # Only integers of Python keep all digits of products.
    assert type(found.numerator) is type(found.denominator) is int


@pytest.mark.parametrize(("given", "value"), ENTERING, ids=lambda v: f"{type(v).__name__}")
def test_inside_there_are_numbers_of_python_alone(given, value):
    found = plain(given)
    assert found == value
    assert type(found) in (int, float, Fraction)
    assert type(found) is not Fraction or float(value) != value
    assert type(real(given)) is float
    assert real(given) == float(value)


def test_a_number_of_higher_precision_keeps_its_own_bits():
    assert exact(sp.Float("0.1", 40)) != Fraction(0.1)
    assert abs(exact(sp.Float("0.1", 40)) - Fraction(1, 10)) < Fraction(1, 10**40)
    assert exact(np.longdouble("0.1")) == Fraction(*np.longdouble("0.1").as_integer_ratio())


@pytest.mark.parametrize("gate", [exact, plain, real])
@pytest.mark.parametrize(("given", "words"), REFUSED, ids=lambda v: f"{type(v).__name__}")
def test_what_is_no_number_is_refused_with_words(gate, given, words):
    with pytest.raises(InputError, match=words):
        gate(given)
    with pytest.raises(ParameterError, match=r"^the mass "):
        gate(given, "the mass", ParameterError)


@pytest.mark.parametrize("given", [sp.sqrt(2), sp.pi])
def test_an_irrational_number_is_a_double_and_never_exact(given):
    assert real(given) == float(given)
    with pytest.raises(InputError, match=r"rational.*float\("):
        exact(given)


@pytest.mark.parametrize("given", [10**400, Fraction(1, 10**400), np.longdouble("1e4000"), sp.exp(10**9)])
def test_numbers_beyond_doubles_are_refused_where_doubles_are_wanted(given):
    with pytest.raises(InputError):
        real(given)
    assert isinstance(given, sp.Basic) or exact(given)


def test_arrays_of_numbers():
    mixed = [1, sp.Rational(1, 2), Decimal("0.25"), np.float32(0.5), Fraction(1, 8), sp.pi]
    np.testing.assert_array_equal(finite_array("x", mixed), [1, 0.5, 0.25, 0.5, 0.125, np.pi])
    assert finite_array("x", np.array([1, 2], dtype=np.int8)).dtype == float
    for wrong in (
        ["1.0", 2],
        [1 + 0j],
        np.array([1j]),
        "12",
        {1: 2},
        [[1], [1, 2]],
        [None],
        [sp.Symbol("x")],
    ):
        with pytest.raises(GeoctrlError, match=r"^x"):
            finite_array("x", wrong)


def test_expressions_keep_numbers_as_they_are():
    assert exact(expression(np.float32(0.1), "U")) == SINGLE
    # A sympy Float of single precision would round whatever it meets.
    assert expression(np.float32(0.5), "U") * sp.Float(0.1) == sp.Float(0.05)
    assert expression(Decimal("0.1"), "U") == sp.Rational(1, 10)
    assert expression(True, "U") == sp.Integer(1)
    for text in ("x", "1.0", b"1", "__import__('os')"):
        with pytest.raises(DescriptionError, match="without quotes"):
            expression(text, "U")
