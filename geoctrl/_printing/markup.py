"""Markup for notebooks: cards, badges, tables, folds and small lines, self-contained and without scripts.

Text comes from descriptions that others wrote. All of it goes through `text_markup`, which leaves neither
markup nor anything that a notebook would take for a formula. Colours are those of the page, or of a middle
lightness, so that light and dark pages are both readable.
"""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np

__all__ = [
    "Markup",
    "beginning",
    "card",
    "fact_card",
    "facts",
    "figure_image",
    "fold",
    "grid",
    "number",
    "paragraph",
    "prose",
    "sparkline",
    "text_markup",
    "verdict_badge",
]

_EDGE = "rgba(128,128,128,.35)"
_QUIET = "opacity:.7"
_CELL = "text-align:left;vertical-align:top;padding:.15em 1.2em .15em 0;white-space:normal;border:0"
_PLAIN = "background:transparent;border:0"

_COLOURS = (
    ("PROVED_UNSTABLE", "#b3261e"),
    ("PROVED", "#1b7a3d"),
    ("NUMERICALLY_UNSTABLE", "#9a5b00"),
    ("NUMERICALLY", "#6a6f00"),
    ("SPECTRALLY", "#6a6f00"),
)
"""Colours behind white letters by the beginning of a verdict: proofs are green or red, reports are not."""
_GREY = "#5f6b73"

_FORMULA = re.compile(r"[$\\`]")
"""Letters by which a notebook finds formulas in what it is shown."""

_POWER = re.compile(r"(?<=[\w)\]|])(?:\^|\*\*)(-?\d+|\((-?\d+(?:/\d+)?)\))")
"""A power of a name or a bracket, in text that is not markup yet."""

_LONG = 600
"""Letters of a text that is shown whole."""

_PLOT = (150, 34)
_COLUMNS = 75
_ROUNDING = 1e-12
"""Of a small line: its size in pixels, the columns of which each shows all that happens in it, and the part
of the largest number below which a change is rounding."""


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def text_markup(text: object) -> Markup:
    """Text as markup that shows it letter for letter.

    Examples
    --------
    >>> text_markup("a < b & $c$")
    'a &lt; b &amp; <span>$</span>c<span>$</span>'
    """
    if isinstance(text, Markup):
        return text
    plain = html.escape(str(text), quote=True)
    return Markup(_FORMULA.sub(lambda found: f"<span>{found[0]}</span>", plain))


def prose(text: object) -> Markup:
    """Text as markup, with its powers raised.

    Examples
    --------
    >>> prose("1 - Gamma2^2 <= 0")
    '1 - Gamma2<sup style="line-height:0">2</sup> &lt;= 0'
    """
    if isinstance(text, Markup):
        return text
    parts, end, text = [], 0, str(text)
    for found in _POWER.finditer(text):
        parts += [text_markup(text[end : found.start()]), _superscript(found[2] or found[1])]
        end = found.end()
    return Markup("".join([*parts, text_markup(text[end:])]))


def _superscript(text: str) -> str:
    return f'<sup style="line-height:0">{text}</sup>'


def beginning(text: str) -> str:
    """A text, or as much of it as a fold has room for."""
    return text if len(text) <= _LONG else f"{text[:_LONG].rsplit(' ', 1)[0]} ..."


def number(value: float, unit: str = "") -> Markup:
    """Five digits of a number with a true minus, and its unit."""
    text = f"{value + 0.0:.5g}".replace("-", "\N{MINUS SIGN}")
    power = "\N{MULTIPLICATION SIGN}10" + _superscript(r"\1\2")
    text = re.sub(r"e(\N{MINUS SIGN}?)\+?0*(\d+)$", power, text)
    return Markup(f"{text}\N{NARROW NO-BREAK SPACE}{prose(unit)}" if unit else text)


def card(title: str, *parts: str, badge: str = "") -> str:
    """A box with a title and what is below it."""
    heading = f'<div style="margin-bottom:.3em">{badge}<b>{text_markup(title)}</b></div>'
    inner = "".join(map(prose, parts))
    return Markup(
        f'<div style="border:1px solid {_EDGE};border-radius:6px;padding:.6em .9em;margin:.2em 0;'
        f'max-width:60em;overflow-x:auto;font-size:14px;line-height:1.45">{heading}{inner}</div>'
    )


def verdict_badge(verdict: object) -> Markup:
    """A verdict in words, on the colour of what it says."""
    words = str(verdict)
    colour = next((c for beginning, c in _COLOURS if words.startswith(beginning)), _GREY)
    return Markup(
        f'<span style="background:{colour};color:#fff;border-radius:4px;padding:.15em .55em;'
        f'margin-right:.7em;font-size:12px;font-weight:600;white-space:nowrap">'
        f"{text_markup(words.replace('_', ' ').lower())}</span>"
    )


def paragraph(text: str, quiet: bool = False) -> Markup:
    """Prose on lines of its own; nothing where there is none."""
    if not text:
        return Markup()
    return Markup(f'<p style="margin:.3em 0{";" + _QUIET if quiet else ""}">{prose(text)}</p>')


def facts(rows: Mapping[str, object]) -> Markup:
    """A table of names and what there is to say of each; empty ones are left out."""
    lines = [
        f'<tr style="{_PLAIN}"><td style="{_CELL};{_QUIET};white-space:nowrap">{prose(name)}</td>'
        f'<td style="{_CELL};overflow-wrap:anywhere">{prose(said)}</td></tr>'
        for name, said in rows.items()
        if said
    ]
    return _table(lines)


def fact_card(lines: Iterable[str]) -> str:
    """What is printed as a card: the title, a row of each fact that has a name, other facts as prose."""
    title, *told = (line.strip() for line in lines)
    named = [line.partition(": ") for line in told]
    rows = facts({name: said for name, _, said in named if said})
    return card(title.strip("<>"), rows, *(paragraph(name) for name, _, said in named if not said))


def figure_image(axes: Any, words: str) -> Markup:
    """The figure of axes as an image of its own, with words for who does not see it."""
    buffer = BytesIO()
    axes.figure.savefig(buffer, format="png", dpi=90, bbox_inches="tight")
    code = b64encode(buffer.getvalue()).decode("ascii")
    alt = html.escape(words, quote=True)
    return Markup(f'<img alt="{alt}" style="max-width:100%" src="data:image/png;base64,{code}">')


def grid(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> Markup:
    """A table with a title above each column."""
    lines = ["".join(f'<th style="{_CELL};font-weight:600;{_QUIET}">{text_markup(t)}</th>' for t in titles)]
    lines += ["".join(f'<td style="{_CELL}">{prose(cell)}</td>' for cell in row) for row in rows]
    return _table(f'<tr style="{_PLAIN}">{line}</tr>' for line in lines)


def _table(lines: Iterable[str]) -> Markup:
    style = f"border-collapse:collapse;margin:.2em 0;{_PLAIN};font-size:inherit;color:inherit"
    return Markup(f'<table style="{style}"><tbody>{"".join(lines)}</tbody></table>')


def fold(title: str, inner: str) -> Markup:
    """What is shown when its title is clicked."""
    summary = f'<summary style="cursor:pointer;{_QUIET}">{text_markup(title)}</summary>'
    return Markup(f'<details style="margin:.3em 0">{summary}{text_markup(inner)}</details>')


def sparkline(times: Any, values: Any, name: str, unit: str = "") -> Markup:
    """A signal as a line of the size of a word, with its name and the range that it runs through."""
    finite = np.isfinite(values)
    t, y = np.asarray(times, float)[finite], np.asarray(values, float)[finite]
    low, high = (float(y.min()), float(y.max())) if y.size else (0.0, 0.0)
    if high - low <= _ROUNDING * max(abs(low), abs(high)):
        y[:], high = low, low
    ends = f"{number(low)} to {number(high, unit)}" if high > low else number(low, unit)
    label = f'<b>{text_markup(name)}</b> <span style="{_QUIET}">{ends if y.size else "nothing"}</span>'
    width, height = _PLOT
    return Markup(
        f'<div style="display:inline-block;margin:.2em 1.4em .2em 0;vertical-align:top">'
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
        f'style="display:block;overflow:visible" aria-label="{html.escape(name, quote=True)} over time">'
        f'<path d="{_path(t, y)}" fill="none" stroke="#3987c9" stroke-width="1.5" stroke-linejoin="round"/>'
        f'</svg><span style="font-size:12px">{label}</span></div>'
    )


def _path(t: np.ndarray, y: np.ndarray) -> str:
    """The line through a first, a lowest, a highest and a last sample of each column of pixels."""
    if not t.size:
        return ""
    width, height = (size - 4 for size in _PLOT)
    y = y / (np.max(np.abs(y)) or 1.0)  # so that no difference overflows
    span, low, rise = float(np.ptp(t)), float(y.min()), float(np.ptp(y))
    x = 2 + width * (t - t[0]) / (span or 1.0)
    down = 2 + height * (1 - (y - low) / rise) if rise else np.full(t.size, 2 + height / 2)
    column = np.minimum(((x - 2) / width * _COLUMNS).astype(int), _COLUMNS - 1)
    kept = []
    for k in np.unique(column):
        (here,) = np.nonzero(column == k)
        kept += sorted({here[0], here[np.argmin(y[here])], here[np.argmax(y[here])], here[-1]})
    return "M" + "L".join(f"{x[i]:.1f},{down[i]:.1f}" for i in kept)
