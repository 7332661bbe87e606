"""What functions return is put in its place as numpy would: the same broadcasts, the same refusals."""

import numpy as np
import pytest
from numba import njit

from geoctrl.errors import InputError
from geoctrl.stepping.compiled.compiled import put

compiled = njit(lambda found, out: put(found, out))


@pytest.mark.parametrize("shape", [(2, 3), (1, 3), (2, 1), (1, 1), (3,)])
def test_rows(shape):
    found, ours, theirs = (
        np.arange(1.0, 1 + np.prod(shape)).reshape(shape),
        np.zeros((2, 3)),
        np.zeros((2, 3)),
    )
    compiled(found, ours)
    theirs[:] = found
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("shape", [(2, 3, 3), (1, 3, 3), (2, 1, 3), (2, 3, 1)])
def test_matrices(shape):
    found = np.asfortranarray(np.arange(1.0, 1 + np.prod(shape)).reshape(shape))
    ours, theirs = np.zeros((2, 3, 3)), np.zeros((2, 3, 3))
    compiled(found, ours)
    theirs[:] = found
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("shape", [(3, 3), (2, 2), (4, 1), (2, 4), (2, 0)])
def test_what_does_not_fit_is_refused(shape):
    with pytest.raises(InputError, match="fit"):
        compiled(np.zeros(shape), np.zeros((2, 3)))


@pytest.mark.parametrize("shape", [(3, 3, 3), (2, 2, 3), (2, 3, 2)])
def test_matrices_that_do_not_fit_are_refused(shape):
    with pytest.raises(InputError, match="fit"):
        compiled(np.zeros(shape), np.zeros((2, 3, 3)))
