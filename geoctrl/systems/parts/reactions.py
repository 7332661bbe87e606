"""Forces of constraints in expressions: ``geoctrl.reaction("normal")`` in events and outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import sympy as sp

from geoctrl._checks import nearest
from geoctrl._scalars import FromSympy, Node, shown
from geoctrl.errors import DescriptionError, ExpressionError, InputError

__all__ = ["is_reaction", "loads_of", "reaction", "with_reactions"]

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


def loads_of(forces: Iterable[sp.Expr], known: Iterable[str]) -> tuple[str, ...]:
    """Names of the reactions that generalised forces hold, of which they must be affine functions."""
    forces, known = list(forces), list(known)
    held = sorted({s for f in forces for s in f.free_symbols if is_reaction(s)}, key=str)
    for symbol in held:
        name = symbol.name.removeprefix(_PREFIX)
        if name not in known:
            has = f"; it has {', '.join(known)}" if known else "; it has no constraints"
            raise DescriptionError(f"forces hold an unknown reaction, {name!r}{nearest(name, known)}{has}")
        for force in forces:
            if sp.diff(force, symbol).free_symbols & set(held):
                raise DescriptionError(
                    f"forces must be affine in reactions, and hold that of {name!r} otherwise: friction and "
                    "load are solved for as one linear equation. Take the force of one row as the load, or a "
                    "limit without reactions"
                )
    return tuple(s.name.removeprefix(_PREFIX) for s in held)


def with_reactions(expr: Any, convert: FromSympy, reactions: Callable[[], Mapping[str, Node]]) -> FromSympy:
    """The converter of an expression, which knows the reactions that the expression holds."""
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
