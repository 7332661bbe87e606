"""Pieces of text in C99, for whatever is computed by instructions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from geoctrl._scalars.graph.straight_line import C, Language
from geoctrl._scalars.text.numbers import shown
from geoctrl.errors import InputError

__all__ = [
    "Instructions",
    "array_legend",
    "comment",
    "declaration",
    "definition",
    "identifier",
    "preamble",
    "write_pair",
]

_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long
    main register restrict return short signed sizeof static struct switch typedef union unsigned void
    volatile while _Bool _Complex _Imaginary
"""


class Instructions(Protocol):
    """What is computed from a state."""

    @property
    def read(self) -> tuple[int, ...]: ...
    def lines(self, language: Language) -> list[str]: ...
    def results(self, language: Language) -> list[str]: ...


def identifier(name: Any, made: str) -> str:
    """A name for C: the given one, or one made of words."""
    if name is None:
        return re.sub(r"\W+", "_", made, flags=re.ASCII).strip("_")
    if (
        not isinstance(name, str)
        or not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)
        or name in _KEYWORDS.split()
    ):
        raise InputError(f"name must be an identifier of C, got {shown(name)}")
    return name


def declaration(name: str, listed: str, sizes: Sequence[str], declared: Sequence[str]) -> list[str]:
    """A header, between its guards."""
    guard = f"{name.upper()}_H"
    lines = [f"#ifndef {guard}", f"#define {guard}", "", listed, *sizes, ""]
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif", "", *declared, ""]
    return [*lines, "#ifdef __cplusplus", "}", "#endif", "", "#endif"]


def preamble(name: str, computed: Sequence[Instructions]) -> list[str]:
    """What a source begins with: its header, and the mathematical library if it is called."""
    text = "\n".join(line for part in computed for line in part.lines(C))
    found = [f'#include "{name}.h"', ""]
    if re.search(r"\w\(", text):
        found += ["#include <math.h>", ""]
    return [
        *found,
        "#ifdef __FAST_MATH__",
        "#error compile this file without -ffast-math: it reorders sums and removes the tests for nan",
        "#endif",
        "",
    ]


def array_legend(array: str, labelled: Sequence[tuple[str, str]]) -> list[str]:
    """Entries of an array, with labels and units."""
    return [f"{array}[{i}]  {label}{f', {unit}' if unit else ''}" for i, (label, unit) in enumerate(labelled)]


def comment(lines: Sequence[str]) -> str:
    """A block comment, in which nothing ends it or needs more than what ASCII prints."""
    printed = [re.sub(r"[^ -~]", "?", line.replace("\n", " ")) for line in lines]
    plain = [line.replace("*/", "* /").replace("/*", "/ *") for line in printed]
    return "/* " + "\n   ".join(plain) + " */" if plain else ""


def definition(head: str, target: str, computed: Instructions) -> list[str]:
    """A function of x that fills the array ``target``."""
    body = [f"    const double x{i} = x[{i}];" for i in computed.read]
    body += [f"    const double t{i} = {text};" for i, text in enumerate(computed.lines(C))]
    body += [f"    {target}[{i}] = {value};" for i, value in enumerate(computed.results(C))]
    if not computed.read:
        body.append("    (void)x;")
    return [head, "{", *body, "}"]


def write_pair(folder: Path, name: str, texts: tuple[str, str]) -> tuple[Path, Path]:
    """Header and source as files of a folder; those of these names are replaced."""
    paths = folder / f"{name}.h", folder / f"{name}.c"
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="ascii", newline="\n")
    return paths
