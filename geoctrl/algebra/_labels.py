"""Names and the symbols made of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from keyword import iskeyword
from typing import Any

import sympy as sp

from geoctrl._checks import require_printable
from geoctrl.errors import DescriptionError


def numbered_labels(stem: str, n: int) -> tuple[str, ...]:
    """``stem1 .. stemn``."""
    return tuple(f"{stem}{i}" for i in range(1, n + 1))


def check_identifier(name: Any, what: str) -> None:
    """Raise `DescriptionError` unless `name` can name a symbol in generated code."""
    if not (isinstance(name, str) and name.isidentifier() and not iskeyword(name)):
        raise DescriptionError(f"{what} {name!r} is not an identifier")
    require_printable(what, [name])


def real_symbols(labels: Iterable[str]) -> sp.ImmutableMatrix:
    """Column of real symbols."""
    return _column(tuple(labels))


@lru_cache(maxsize=256)
def _column(labels: tuple[str, ...]) -> sp.ImmutableMatrix:
    return sp.ImmutableMatrix([sp.Symbol(label, real=True) for label in labels])
