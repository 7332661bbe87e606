"""The one standard of printing: 79 columns, 12 lines, and `full` for what is left out.

A class says what it tells in ``_lines``, one text a fact, however long; rows of a table are one text of
several lines. `full_text` and `short_form` become its ``full`` and its ``__repr__``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from textwrap import wrap
from typing import Protocol

__all__ = ["LINES", "WIDTH", "full_text", "on_one_page", "short_form", "told_behind", "with_units"]

WIDTH, LINES = 79, 12
"""Columns and lines of what an object prints unasked."""

_REST = "  ... .full() prints the rest"
_BEGINNING = re.compile(r"\s*(?:[\w^|-]+(?: [\w^|-]+){0,2}: |[\w^|.-]+(?: \([^()=]*\))? = )?")
"""Of a line: its indent, and the name of what it tells."""
_SETTING = re.compile(r" = (-?[\d.]+)")
"""A value behind its name, which stay on one line."""
_DEEPEST = 24
_LEAST = (2, 1)
"""Lines that are left of a fact where all of them do not fit, first of the last ones."""


class _Printed(Protocol):
    def _lines(self) -> Iterable[str]: ...


def full_text(self: _Printed) -> str:
    """All of it as text; what is printed unasked fits a page, and says where it leaves something out.

    Returns
    -------
    str
    """
    return "\n".join(line for fact in self._lines() for line in _fact_lines(fact, whole=True))


def short_form(self: _Printed) -> str:
    """The text on one page."""
    return on_one_page(self._lines())


def on_one_page(facts: Iterable[str], rest: str = _REST) -> str:
    """Facts on 12 lines of 79 columns at most, with a last line that says where the rest is.

    Long facts give way to short ones, the last ones first, before any is left out.

    Examples
    --------
    >>> print(on_one_page(["<Sum>", "  terms: " + "x + " * 900, "  value: 3"] + ["  a fact"] * 7))
    <Sum>
      terms: x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x
             + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + ...
      value: 3
      a fact
      a fact
      a fact
      a fact
      a fact
      a fact
      a fact
      ... .full() prints the rest
    """
    given = [str(fact) for fact in facts]
    blocks = [_first_lines(fact) for fact in given]
    if sum(map(len, blocks)) <= LINES and all(map(_is_short, given)):
        return "\n".join(line for block in blocks for line in block)
    sizes = [len(block) for block in blocks]
    for least in _LEAST:
        for i in reversed(range(len(sizes))):
            excess = sum(sizes) - (LINES - 1)
            sizes[i] = max(min(sizes[i], least), sizes[i] - max(excess, 0))
    cut = [line for block, size in zip(blocks, sizes, strict=True) for line in _beginning(block, size)]
    return "\n".join([*cut[: LINES - 1], rest])


def told_behind(beginning: str, text: str) -> str:
    """A text behind the beginning of its line, on as many lines of 79 columns as it takes, indented by it.

    Examples
    --------
    >>> print(told_behind("  zero modes: ", "family along v1; " * 4 + "Pi3"))
      zero modes: family along v1; family along v1; family along v1; family along
                  v1; Pi3
    """
    return "\n".join(_lines_of(beginning + text, min(len(beginning), _DEEPEST), whole=True))


def with_units(labels: Iterable[str], units: Mapping[str, str]) -> str:
    """Labels, those beside each other that share a unit before it, in groups apart from each other.

    Examples
    --------
    >>> with_units(["v", "w", "lean", "s"], {"v": "m/s", "w": "m/s", "lean": "rad"})
    'v, w (m/s); lean (rad); s'
    """
    groups = groupby(labels, key=lambda label: units.get(label, ""))
    told = ((", ".join(group), unit) for unit, group in groups)
    return "; ".join(f"{names} ({unit})" if unit else names for names, unit in told)


def _fact_lines(fact: str, whole: bool = False) -> list[str]:
    """A fact on lines of 79 columns; words that are longer stay ``whole``, or go on in the next line."""
    return [part for line in str(fact).split("\n") for part in _lines_of(line, _indent(line), whole)]


def _first_lines(fact: str) -> list[str]:
    """As many lines of a fact as a page may show, so that no more of a long one are wrapped."""
    if _is_short(fact):
        return _fact_lines(fact)
    return _fact_lines(fact[: WIDTH * LINES])[: LINES + 1]


def _is_short(fact: str) -> bool:
    return len(fact) <= WIDTH * LINES


def _lines_of(line: str, indent: int, whole: bool) -> list[str]:
    if len(line) <= WIDTH:
        return [line.rstrip()]
    together = _SETTING.sub("\0=\0\\1", line)
    parts = wrap(
        together,
        WIDTH,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
        break_long_words=not whole,
    )
    return [part.replace("\0", " ") for part in parts]


def _indent(line: str) -> int:
    """Columns by which the lines that follow begin later."""
    found = _BEGINNING.match(line)
    named = len(found[0]) if found else 0
    bare = len(line) - len(line.lstrip())
    return min(named, _DEEPEST) if named > bare else min(bare, _DEEPEST) + 2


def _beginning(block: list[str], share: int) -> list[str]:
    """The first lines of a fact, with dots where there are more."""
    if len(block) <= share:
        return block
    *before, last = block[:share]
    if len(last) > WIDTH - 4:
        last = last[: WIDTH - 4].rsplit(" ", 1)[0] if " " in last.strip() else last[: WIDTH - 4]
    return [*before, f"{last} ..."]
