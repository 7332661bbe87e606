"""Unknowns that only sums hold, taken out of a linear program over matrices."""

import numpy as np
import pytest
from scipy import sparse

from geoctrl.analysis.programs.free_unknowns import WithoutFree
from geoctrl.analysis.programs.semidefinite import MatrixProgram, entries


def test_free_unknowns_are_taken_out_and_put_back():
    """Seven sums of six unknowns, of which the last three are free and hang on each other."""
    rng = np.random.default_rng(3)
    E = rng.normal(size=(7, 6))
    E[:, 5] = 2 * E[:, 3] - E[:, 4]
    x = rng.normal(size=6)
    f = E @ x
    reduced = WithoutFree.of(sparse.csc_matrix(E), f, np.array([3, 4, 5]))
    assert list(reduced.others) == [0, 1, 2]
    assert reduced.sums.shape == (5, 3)
    assert np.allclose(reduced.sums @ x[:3], reduced.right, atol=1e-12)
    back = reduced.all_of(x[:3], 6)
    assert np.allclose(E @ back, f, atol=1e-12)
    assert np.sum(back[3:] == 0) == 1


def test_without_free_unknowns_nothing_changes():
    E, f = sparse.csc_matrix(np.eye(2)), np.array([1.0, 2.0])
    reduced = WithoutFree.of(E, f, np.array([], dtype=int))
    assert np.array_equal(reduced.sums.toarray(), np.eye(2))
    assert np.array_equal(reduced.all_of(f, 2), f)


def test_a_multiplier_of_which_there_is_more_than_one():
    """x^2 + 2 m x - 2 n x + 3 = (1, x) Q (1, x)' + t with the largest t: m - n is free, Q_11 = 1, t = 3."""
    pytest.importorskip("clarabel")
    program = MatrixProgram()
    t, m, n = (program.number() for _ in range(3))
    gram = program.matrix(2)
    for key, (constant, unknowns) in {
        0: (3.0, {gram[0, 0]: -1.0, t: -1.0}),
        1: (0.0, {gram[0, 1]: -2.0, m: 2.0, n: -2.0}),
        2: (1.0, {gram[1, 1]: -1.0}),
    }.items():
        program.add_constant(key, constant)
        for k, c in unknowns.items():
            program.add(key, k, c)
    found = program.minimum({t: -1.0})
    Q = entries(gram, found)
    assert np.allclose([found[t], Q[1, 1]], [3.0, 1.0], atol=1e-6)
    assert abs(found[m] - found[n] - Q[0, 1]) < 1e-9
