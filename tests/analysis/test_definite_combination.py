"""Definite combinations of two forms, in cones as narrow as they are next to a threshold."""

import numpy as np
import pytest

from geoctrl.analysis.proofs.energy_casimir import definite_combination


def pair(width):
    """Two forms, a F + b S definite for a/b in (1, 1 + width) only, mixed by a fixed congruence."""
    mixing = np.array([[1.0, 0.3, -0.2], [0.4, 2.0, 0.1], [-0.7, 0.2, 1.5]])
    first, second = np.diag([1.0, -1.0, 0.1]), np.diag([-1.0, 1.0 + width, 0.1])
    return np.array([mixing.T @ form @ mixing for form in (first, second)])


@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-6])
def test_a_narrow_cone_is_found(width):
    weights, least = definite_combination(pair(width))
    assert least > 0
    assert 1 < weights[0] / weights[1] < 1 + width
    assert np.min(np.linalg.eigvalsh(np.tensordot(weights, pair(width), 1))) > 0


@pytest.mark.parametrize("width", [-1e-6, -1e-3, -1.0])
def test_where_there_is_none_none_is_claimed(width):
    assert definite_combination(pair(width))[1] <= 0


@pytest.mark.parametrize("near", [1.0, 1e-3, 1e-5])
def test_the_basis_that_forms_come_in_does_not_matter(near):
    """Of a form and nearly the same, what counts is their difference."""
    first, second = pair(1.0)
    best = definite_combination(np.array([first, second]))[1]
    mixed = np.array([first, first + near * second])
    weights, least = definite_combination(mixed)
    assert least == pytest.approx(best, rel=1e-3)
    found = np.tensordot(weights, mixed, 1)
    assert np.linalg.eigvalsh(found)[0] / np.linalg.norm(found) == pytest.approx(best, rel=1e-3)


def test_a_form_that_is_given_twice_counts_once():
    assert definite_combination(np.array([np.eye(2), 2 * np.eye(2)]))[1] == pytest.approx(2**-0.5)
    assert definite_combination(np.array([np.diag([1.0, -1.0])] * 2))[1] < 0
