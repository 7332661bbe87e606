"""Terms as Rocq reads them in the real numbers: convertible with what the library makes of their data."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import wrap

from flint import fmpq

from geoctrl.checker.numbers import Number
from geoctrl.rocq.terms.expression import Expression, Quadrature, constant

SUM, PRODUCT, SIGNED, APPLIED, ATOM = range(5)
"""How strongly a text holds together."""

WIDTH = 96


def real_text(
    root: Expression, name: Callable[[str], str], variable: Callable[[int], str], least: int = SUM
) -> str:
    """The value of a term, with names for its named numbers and texts for its variables."""
    return _in_brackets_below(_text(root, name, variable), least)


def _text(term: Expression, name: Callable[[str], str], variable: Callable[[int], str]) -> tuple[str, int]:
    if term.name:
        return name(term.name), ATOM
    if term.kind == "Num":
        return _number(term.value)
    if term.kind == "Var":
        text = variable(term.value)
        return text, APPLIED if " " in text and text[0] != "(" else ATOM
    parts = [_text(part, name, variable) for part in term.parts]
    if term.kind == "Add":
        return f"{parts[0][0]} + {_in_brackets_below(parts[1], PRODUCT)}", SUM
    if term.kind == "Mul":
        return f"{_in_brackets_below(parts[0], PRODUCT)} * {_in_brackets_below(parts[1], SIGNED)}", PRODUCT
    inner = _in_brackets_below(parts[0], ATOM)
    if term.kind == "Inv":
        return f"/ {inner}", SIGNED
    if isinstance(term.value, Quadrature):
        a, b = (_in_brackets_below(_number(q), SIGNED) for q in term.value)
        return f"atan ({inner} * sqrt ({a} / {b})) / sqrt ({a} * {b})", PRODUCT
    return f"{term.value.lower()} {inner}", APPLIED


def _in_brackets_below(part: tuple[str, int], least: int) -> str:
    text, strength = part
    return text if strength >= least else f"({text})"


def _number(q: fmpq) -> tuple[str, int]:
    text = str(int(q.p)) if q.q == 1 else f"{int(q.p)} / {int(q.q)}"
    if q < 0:
        return f"({text})", ATOM
    return text, ATOM if q.q == 1 else PRODUCT


def value_text(q: Number) -> str:
    """A number of the field as a factor."""
    made = _text(constant(q), str, str)
    return _in_brackets_below(made, ATOM)


def lines_of(line: str, indent: int = 4) -> list[str]:
    """A long line in several, none of its words broken."""
    own = len(line) - len(line.lstrip())
    return wrap(
        line.strip(),
        WIDTH,
        initial_indent=" " * own,
        subsequent_indent=" " * (own + indent),
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]
