r"""LaTeX for notebooks, which ask every object for ``_repr_latex_`` when they show it.

What is shown has to come soon and must not end a cell with a traceback: a formula that is not typeset within
a few seconds is replaced by words, and so is one that cannot be derived.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap

import sympy as sp

from geoctrl._calls.budget import Budget
from geoctrl.systems.typesetting.typesetting import Typesetter, aligned_equations, plain_text

__all__ = ["SECONDS", "WIDTH", "assignments", "displayed_formula", "rows", "words"]

SECONDS = 3.0
"""Time for what a notebook shows unasked."""
WIDTH = 38.0
"""Width of a line of formulas in em, about that of a notebook's cell."""
_LETTERS = 90


def displayed_formula(render: Callable[[float], str], seconds: float | None = None) -> str:
    """What ``render`` makes of some seconds, `SECONDS` by default, as a displayed formula; else words.

    Anything that it raises is shown: a notebook has no use for a traceback where it wants a picture.
    """
    seconds = SECONDS if seconds is None else seconds
    late = words(f"not typeset within {seconds:g} s: ask for it with a larger budget=")
    try:
        text = Budget(seconds).attempt("LaTeX", lambda: render(seconds), late)
    except Exception as error:
        text = words(f"{type(error).__name__}: {error}")
    return f"$\\displaystyle {text}$"


def words(text: str) -> str:
    """Text in LaTeX, in as many lines as it needs."""
    return rows([plain_text(line) for line in wrap(text, _LETTERS, break_on_hyphens=False)])


def rows(formulas: Sequence[str]) -> str:
    """Formulas below one another; empty ones are left out."""
    given = [f for f in formulas if f]
    if not given:
        return ""
    if len(given) == 1:
        return given[0]
    return "\\begin{array}{l}\n" + " \\\\\n".join(given) + "\n\\end{array}"


def assignments(
    pairs: Sequence[tuple[sp.Symbol, sp.Expr]], parameters: Sequence[sp.Symbol], states: Sequence[sp.Symbol]
) -> str:
    """Formulas ``symbol = expression`` below one another, parameters gathered before states."""
    t = Typesetter([*parameters, *states], moving=states, fixed=parameters)
    return aligned_equations([([(1, t.text(symbol))], t.pieces(e)) for symbol, e in pairs], WIDTH)
