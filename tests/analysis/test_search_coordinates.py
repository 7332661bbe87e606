"""Coordinates of a search in which a function is a sum of squares."""

import numpy as np

from geoctrl.analysis.quadratics.search_coordinates import SearchCoordinates


def drawn(rng):
    """Variables 0 and 2 are measured, 1 is not."""
    A = rng.normal(size=(2, 2))
    P = A @ A.T + 1e-3 * np.eye(2)
    return P, SearchCoordinates.of(P, np.array([1.0, 5.0, 1.0]), [0, 2])


def at(terms, x):
    return sum(c * np.prod(x ** np.array(m)) for m, c in terms.items())


def test_a_function_is_the_sum_of_squares():
    rng = np.random.default_rng(0)
    P, coordinates = drawn(rng)
    x = coordinates.matrix @ (z := rng.normal(size=3))
    assert np.isclose(x[[0, 2]] @ P @ x[[0, 2]], z[0] ** 2 + z[2] ** 2)
    assert np.isclose(x[1], 5 * z[1])
    assert np.allclose(coordinates.function(np.eye(2)), P)


def test_polynomials_have_their_values_in_both():
    rng = np.random.default_rng(1)
    _, coordinates = drawn(rng)
    x = coordinates.matrix @ (z := rng.normal(size=3))
    terms = {(2, 0, 1): 3.0, (0, 1, 1): -2.0, (0, 0, 3): 0.5}
    moved = coordinates.terms(terms)
    assert np.isclose(at(moved, z), at(terms, x))
    assert np.isclose(at(coordinates.of_variables(moved), x), at(terms, x))


def test_monomials_of_a_block_are_linear_in_those_of_the_variables():
    rng = np.random.default_rng(2)
    _, coordinates = drawn(rng)
    x = coordinates.matrix @ (z := rng.normal(size=3))
    block = [(1, 0, 0), (0, 0, 1), (2, 0, 0), (1, 0, 1), (0, 0, 2)]
    values = np.array([[np.prod(y ** np.array(m)) for m in block] for y in (z, x)])
    assert np.allclose(values[0], coordinates.monomials(block) @ values[1])


def test_other_units_give_the_same_coordinates():
    """With P = LL' the rows of L go over as the variables do."""
    rng = np.random.default_rng(3)
    P, coordinates = drawn(rng)
    d = np.array([1e-6, 1.0, 1e5])
    units = 1 / d[[0, 2]]
    other = SearchCoordinates.of(P * np.outer(units, units), np.array([1.0, 5.0, 1.0]) * d, [0, 2])
    assert np.allclose(other.matrix / d[:, None], coordinates.matrix, rtol=1e-12)
