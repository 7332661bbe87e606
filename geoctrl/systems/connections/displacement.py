"""Where a gait has moved the group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines

__all__ = ["Displacement"]


@dataclass(frozen=True)
class Displacement:
    """Where a gait has moved the group.

    Attributes
    ----------
    g : ndarray
        Matrix of the group element after the gait, from the identity.
    log : ndarray (n_g,)
        Its logarithm, ``exp(log) = g`` with angles of at most pi.
    momentum : ndarray (m,)
        p at the end.
    derivative : ndarray (n_g, q) or None
        Of `log` by the symbols that were asked for.
    """

    g: np.ndarray
    log: np.ndarray
    momentum: np.ndarray
    derivative: np.ndarray | None = None

    _lines = record_lines
    full = full_text
    __repr__ = short_form
