"""Definite combinations of two forms, in cones as narrow as they are next to a threshold."""

import numpy as np
import pytest

from geoctrl.analysis.energy_casimir import definite_combination


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
