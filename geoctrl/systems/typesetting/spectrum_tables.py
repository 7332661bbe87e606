"""Eigenvalues as a table for notebooks: how fast, how much damped, and what moves so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat

import numpy as np

from geoctrl._printing.markup import Markup, card, grid, number, text_markup
from geoctrl.systems.typesetting.printed_spectra import without_rounding

__all__ = ["mode_rows", "spectrum_card"]

_TITLES = ("eigenvalue (1/s)", "frequency (rad/s)", "(Hz)", "damping ratio", "what it is")
_CERTAIN = 1e-9
"""Part of the largest eigenvalue below which a real part that was computed has no certain sign."""
_MOST = 24
"""Rows of a table."""


def spectrum_card(title: str, values: Iterable[complex], zeros: Sequence[str] = (), *notes: Markup) -> str:
    """A card with the table of eigenvalues, of which the first are zero and have names."""
    rows = mode_rows(values, zeros)
    more = f"and {len(rows) - _MOST} rows more: .eigenvalues" if len(rows) > _MOST else ""
    return card(title, grid(_TITLES, rows[:_MOST]), text_markup(more), *notes)


def mode_rows(values: Iterable[complex], zeros: Sequence[str] = ()) -> list[tuple[str, str, str, str, str]]:
    r"""Rows of eigenvalue, frequency in rad/s and in Hz, damping ratio and words; of a pair one row.

    Damping ratios are :math:`-\operatorname{Re}\lambda / |\lambda|`.

    Examples
    --------
    >>> [row[0] + ": " + row[4] for row in mode_rows([0, 0.5 - 2j, 0.5 + 2j, 3], ["momentum"])]
    ['0: zero: momentum', '0.5 ± 2i: oscillates and grows', '3: grows, e-fold in 0.33333\u202fs']
    """
    found = np.array(list(values), dtype=complex)
    size = float(np.max(np.abs(found), initial=0.0))
    names = [*zeros, *repeat("not accounted for", max(0, len(found) - len(zeros)))]
    rows: list[tuple[str, str, str, str, str]] = []
    for value, name in zip(found, names, strict=False):
        real, imag = without_rounding((value.real, value.imag), size).tolist()
        if imag < 0:  # the other one of the pair tells
            continue
        if not real and not imag:
            rows.append((number(0.0), "", "", "", f"zero: {name}"))
        else:
            rows.append(_row(real, imag, _CERTAIN * size))
    return rows


def _row(real: float, imag: float, uncertain: float) -> tuple[str, str, str, str, str]:
    if not imag:
        slow = f"e-fold in {number(1 / abs(real), 's')}"
        sign = "grows" if real > 0 else "decays"
        certain = abs(real) > uncertain
        return (number(real), "", "", "", Markup(f"{sign}, {slow}") if certain else "zero but for rounding")
    pair = Markup(f"{number(real)} ± {number(imag)}i" if real else f"± {number(imag)}i")
    rates = (pair, number(imag), number(imag / (2 * np.pi)))
    if abs(real) <= uncertain:
        return (*rates, number(0.0), "oscillates, undamped but for rounding")
    words = "oscillates and grows" if real > 0 else "oscillates and decays"
    return (*rates, number(-real / np.hypot(real, imag)), words)
