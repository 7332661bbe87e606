"""Bodies in a row, as compiled kernels have them."""

import numpy as np

from geoctrl.stepping.compiled.bodies import ATTITUDE


def layout(kinds):
    """Kind and first row of each body, (B, 2)."""
    rows = [3 if kind == ATTITUDE else 1 for kind in kinds]
    return np.array([kinds, np.cumsum([0, *rows[:-1]])], dtype=np.int64).T.copy()
