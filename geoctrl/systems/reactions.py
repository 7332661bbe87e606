"""Forces of constraints in expressions: ``geoctrl.reaction("normal")`` in events and outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from geoctrl._checks import nearest
from geoctrl._scalars import FromSympy, Node, shown
from geoctrl.errors import ExpressionError, InputError

__all__ = ["is_reaction", "reaction", "with_reactions"]

_PREFIX = "reaction of "


def reaction(name: str) -> sp.Symbol:
    """The force of a constraint by its name, as a symbol for events.

    Parameters
    ----------
    name : str
        A key of `ReducedSystem.reactions`.

    Raises
    ------
    InputError
        If the name is no text.

    Examples
    --------
    A disk that lifts off:

    >>> import geoctrl as gc
    >>> lift = gc.Event(gc.reaction("normal"), terminal=True, direction=-1)
    """
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"a reaction goes by the name of a constraint, which is text, got {shown(name)}")
    return sp.Symbol(f"{_PREFIX}{name}", real=True)


def is_reaction(symbol: sp.Symbol) -> bool:
    """Whether a symbol stands for a reaction."""
    return str(symbol.name).startswith(_PREFIX)


def with_reactions(expr: Any, convert: FromSympy, reactions: Callable[[], Mapping[str, Node]]) -> FromSympy:
    """The converter of an expression, which knows the reactions that the expression holds.

    Raises
    ------
    ExpressionError
        For a reaction that the system does not have.
    """
    held = {s for s in getattr(expr, "free_symbols", ()) if is_reaction(s)}
    if not held:
        return convert
    known = reactions()
    for symbol in held:
        name = symbol.name.removeprefix(_PREFIX)
        if name not in known:
            has = f"; it has {', '.join(known)}" if known else "; it has no constraints"
            raise ExpressionError(f"this system has no reaction {name!r}{nearest(name, known)}{has}")
    return convert.knowing({s: known[s.name.removeprefix(_PREFIX)] for s in held})
