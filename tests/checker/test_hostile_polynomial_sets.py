"""Files by hand about sets of functions of any degree, and about open ones: of each one that is refused one
hypothesis fails, and what would be claimed is false, or may be.
"""

import random
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq

from geoctrl.checker.enclosures.definite_over_cells import positive_semidefinite
from tests.attack.parts.forged_regions import Nodes
from tests.checker.test_hostile_sets import by_squares, confirmed, content, refused, rest


def squares(times, monomials, *numbers):
    return rest(monomials, *numbers) | {"times": times}


def power(k, e):
    """A power of a variable, as a monomial."""
    return [[k, e]]


def line(rate, squares, **parts):
    """x', of each (factor, power) a term."""
    nodes = Nodes("x")
    terms = [nodes.product((0, e), factor=c) for c, e in rate]
    field = [nodes.total(*((1, term) for term in terms))]
    return content(nodes, {"x": "0"}, field, by_squares([0], squares, **parts))


def plane(rates, squares, **parts):
    """x' and y', each a (factor, exponent of x, exponent of y)."""
    nodes = Nodes("x", "y")
    field = [nodes.product(*((k, e) for k, e in ((0, a), (1, b)) if e), factor=c) for c, a, b in rates]
    leaf = {"rows": [], "free": ["x", "y"], "inverse": []}
    return content(nodes, {"x": "0", "y": "0"}, field, by_squares([0, 1], squares, leaf=leaf, **parts))


QUARTIC = {"monomials": [power(0, 2)], "function": [["1"]]}
"""V = x^4."""


# -- functions of monomials -------------------------------------------------------------------------------


def test_a_function_of_degree_four_has_the_set_that_its_level_says():
    """x' = -x: V' = -4 x^4, and V <= 16 is |x| <= 2."""
    claim = confirmed(line([("-1", 1)], [rest([power(0, 2)], "4")], level="16", **QUARTIC))
    assert "V <= 16, V a positive definite polynomial of degree 4 in the deviations of x" in claim
    assert "x in [-2.00001, 2.00001]" in claim


def test_a_field_without_a_linear_part_falls_by_a_higher_power():
    """x' = -x^3: V' = -2 x^4 for V = x^2, which a square of x alone does not show."""
    confirmed(line([("-1", 3)], [rest([power(0, 2)], "2")]))


def test_the_identity_of_a_quartic_has_to_hold():
    refused(line([("1", 1)], [rest([power(0, 2)], "4")], **QUARTIC), "the identity does not hold")


def test_a_function_holds_a_power_of_all_that_is_measured():
    """x' = -x, y' = y^3 leaves every set {x^2 + x^2 y^2 <= c}, and no power of y is in V."""
    own = {"monomials": [power(0, 1), [[0, 1], [1, 1]]], "function": [["1"], ["0", "1"]]}
    refused(plane([("-1", 1, 0), ("1", 0, 3)], [rest([power(0, 1)], "2")], **own), "bounded")
    # x' = -x, y' = 0: V = x^2 does fall, and y stays what it is.
    alone = {"monomials": [power(0, 1)], "function": [["1"]]}
    refused(plane([("-1", 1, 0), ("0", 1, 0)], [rest([power(0, 1)], "2")], **alone), "bounded")


@pytest.mark.parametrize("one", [[], [[0, 0]]])
def test_a_function_holds_no_constant(one):
    """V = x^2 + 1 has no point in {V <= 1} but the equilibrium, and would hold whatever one says of it."""
    own = {"monomials": [power(0, 1), one], "function": [["1"], ["0", "1"]]}
    refused(line([("-1", 1)], [rest([power(0, 1)], "2")], **own), "bounded")


def test_a_power_is_told_with_its_sign():
    """x^-2 and more than the matrix has are none."""
    own = {"monomials": [[[0, -2]]], "function": [["1"]]}
    refused(line([("-1", 1)], [rest([power(0, 2)], "4")], **own), "not what belongs here")
    twice = {"monomials": [power(0, 2), power(0, 1)], "function": [["1"]]}
    refused(line([("-1", 1)], [rest([power(0, 2)], "4")], **twice), "does not fit")


def test_the_function_falls_along_every_direction():
    """x' = -x, y' = 0: -V' = 4 x^4 for V = x^4 + y^4, and motions rest wherever y is not zero."""
    own = {"monomials": [power(0, 2), power(1, 2)], "function": [["1"], ["0", "1"]]}
    still = [("-1", 1, 0), ("0", 0, 1)]
    refused(plane(still, [rest([power(0, 2)], "4")], **own), "but at the point")
    # With a matrix that is singular it would be the identity of all.
    refused(plane(still, [rest([power(0, 2), power(1, 2)], "4", "0")], **own), "positive definite")
    confirmed(plane([("-1", 1, 0), ("-1", 0, 1)], [rest([power(0, 2), power(1, 2)], "4", "4")], **own))


def test_a_mixed_square_is_no_power():
    """x' = -x y^2, y' = 0: -V' = 2 x^2 y^2."""
    rates = [("-1", 1, 2), ("0", 0, 1)]
    refused(plane(rates, [rest([[[0, 1], [1, 1]]], "2")]), "but at the point")


def limited(bound, **own):
    """x' = -x with u = 3 x."""
    nodes = Nodes("x")
    field, u = [nodes.product((0, 1), factor="-1")], nodes.product((0, 1), factor="3")
    theorem = by_squares([0], own.pop("squares"), limits={"u": {"input": u, "bound": bound}}, **own)
    return content(nodes, {"x": "0"}, field, theorem)


def test_limits_are_kept_by_a_function_of_any_degree():
    """V = x^4 <= 16 has |3 x| <= 6; V = x^2 + x^4 <= 20 the same, of which x^2 alone says |x|^2 <= 20."""
    quartic = QUARTIC | {"level": "16", "squares": [rest([power(0, 2)], "4")]}
    confirmed(limited("6001/1000", **quartic))
    refused(limited("5999/1000", **quartic), "within its limit")
    both = {"monomials": [power(0, 1), power(0, 2)], "function": [["1"], ["0", "1"]], "level": "20"}
    both |= {"squares": [rest([power(0, 1), power(0, 2)], "2", "4")]}
    confirmed(limited("14", **both))
    refused(limited("5", **both), "within its limit")


# -- open sets ----------------------------------------------------------------------------------------------

CUBIC = [("-1", 1), ("1", 3)]
"""x' = -x + x^3 rests at 1: V' = -2 (1 - x^2) x^2."""


def test_the_open_set_of_the_highest_level():
    found = confirmed(line(CUBIC, [squares("level", [power(0, 1)], "2")], open=True))
    assert "with V < 1, V a positive definite quadratic function of the deviations of x" in found
    confirmed(line(CUBIC, [squares("level", [power(0, 1)], "2"), rest([power(0, 1)], "0")], open=True))


def test_the_closed_set_of_that_level_holds_other_equilibria():
    refused(line(CUBIC, [squares("level", [power(0, 1)], "2")]), "but at the point")
    with_rest = [squares("level", [power(0, 1)], "2"), rest([power(0, 1)], "0")]
    refused(line(CUBIC, with_rest), "positive definite")


def test_a_higher_level_of_an_open_set_is_refused():
    own = {"open": True, "level": "11/10"}
    refused(line(CUBIC, [squares("level", [power(0, 1)], "2")], **own), "the identity does not hold")
    # -V' = 2 x^2 - 2 x^4 = (11/10 - V) 2 x^2 - x^2/5.
    both = [squares("level", [power(0, 1)], "2"), rest([power(0, 1)], "-1/5")]
    refused(line(CUBIC, both, **own), "positive semidefinite")


def test_an_open_set_is_told_by_the_word_alone():
    for value in (False, 1, "true", None):
        refused(line(CUBIC, [squares("level", [power(0, 1)], "2")], open=value), "not what belongs here")


def test_the_factor_of_an_open_set_vanishes_at_the_point_alone():
    """y' = 0 beside it: everything on x = 0 rests; and x' = 0 keeps V with a factor zero."""
    rates = [("-1", 1, 0), ("0", 0, 1)]
    # -V' = 2 x^2 = (1 - V) 0 + 2 x^2.
    refused(plane(rates, [rest([power(0, 1)], "2")], open=True), "but at the point")
    mixed = [squares("level", [[[0, 1], [1, 1]]], "1"), rest([power(0, 1)], "2")]
    refused(plane(rates, mixed, open=True), "identity does not hold|but at the point")
    refused(line([("0", 1)], [squares("level", [power(0, 1)], "0")], open=True), "positive definite")


def test_pivots_of_semidefinite_matrices():
    """Squares of random rows, of less than full rank, against eigenvalues; the same less a little."""
    dice = random.Random(5)
    for n in range(1, 6):
        for rank in range(n + 1):
            rows = [[fmpq(dice.randint(-5, 5), 3) for _ in range(n)] for _ in range(rank)]
            Q = [[sum((r[i] * r[j] for r in rows), fmpq(0)) for j in range(n)] for i in range(n)]
            assert positive_semidefinite(Q)
            Q[n - 1][n - 1] -= fmpq(1, 1000)
            least = np.linalg.eigvalsh([[float(Fraction(str(c))) for c in row] for row in Q])[0]
            assert positive_semidefinite(Q) == (least > -1e-9)
    assert not positive_semidefinite([[fmpq(0), fmpq(1)], [fmpq(1), fmpq(5)]])
