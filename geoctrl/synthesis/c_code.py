"""The text of a law in C99."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol

from geoctrl._scalars import shown
from geoctrl._scalars.straight_line import C, Language
from geoctrl.errors import InputError

__all__ = ["c_files", "identifier"]

_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long
    main register restrict return short signed sizeof static struct switch typedef union unsigned void
    volatile while _Bool _Complex _Imaginary
"""


class _Instructions(Protocol):
    """What is computed from a state."""

    @property
    def read(self) -> tuple[int, ...]: ...
    def lines(self, language: Language) -> list[str]: ...
    def results(self, language: Language) -> list[str]: ...


def identifier(name: Any, mechanism: str) -> str:
    """A name for C: the given one, or one made of that of the mechanism.

    Raises
    ------
    InputError
        If it is no identifier of C, or one of its keywords.
    """
    if name is None:
        return re.sub(r"\W+", "_", f"law_{mechanism}" if mechanism else "law", flags=re.ASCII).strip("_")
    if (
        not isinstance(name, str)
        or not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)
        or name in _KEYWORDS.split()
    ):
        raise InputError(f"name must be an identifier of C, got {shown(name)}")
    return name


def c_files(
    name: str,
    title: str,
    states: Sequence[tuple[str, str]],
    inputs: Sequence[tuple[str, str]],
    own: Sequence[str],
    parameters: Sequence[tuple[str, float, str]],
    law: _Instructions,
    rates: _Instructions,
) -> tuple[str, str]:
    """Texts of header and source.

    Parameters
    ----------
    states, inputs : (label, unit) in order
    own : labels
        Of the states that are the law's, the last.
    parameters : (name, value, unit)
    """
    about = _comment([f"Law of {title}, made by geoctrl."])
    guard = f"{name.upper()}_H"
    declared = [
        f"/* The law: {len(inputs)} input(s) u at the state x. */",
        f"void {name}(const double x[], double u[]);",
        "",
        "/* The same; where an entry of x that is read, or of u, is nan or infinite, all inputs are zero and",
        "   the value is 1, a fault; else it is 0. */",
        f"int {name}_checked(const double x[], double u[]);",
    ]
    if own:
        declared += [
            "",
            f"/* Rates of the law's own states {', '.join(own)}, the last of x: a step adds h * rate. */",
            f"void {name}_rates(const double x[], double rate[]);",
        ]
    sizes = [
        f"#define {name.upper()}_STATES {len(states)}",
        f"#define {name.upper()}_INPUTS {len(inputs)}",
        f"#define {name.upper()}_OWN {len(own)}",
    ]
    listed = _comment([*_places("x", states), *_places("u", inputs)])
    header = [about, f"#ifndef {guard}", f"#define {guard}", "", listed, *sizes, ""]
    header += ["#ifdef __cplusplus", 'extern "C" {', "#endif", "", *declared, ""]
    header += ["#ifdef __cplusplus", "}", "#endif", "", "#endif"]

    computed = [law, rates] if own else [law]
    text = "\n".join(line for part in computed for line in part.lines(C))
    source = [about, f'#include "{name}.h"', ""]
    if re.search(r"\w\(", text):
        source += ["#include <math.h>", ""]
    source += [
        "#ifdef __FAST_MATH__",
        "#error compile this file without -ffast-math: it reorders sums and removes the tests for nan",
        "#endif",
        "",
        _comment([f"{p} = {value:.17g}{f' {unit}' if unit else ''}" for p, value, unit in parameters]),
        *_function(f"void {name}(const double x[], double u[])", "u", law),
        "",
        *_checked(name, law, len(inputs)),
    ]
    if own:
        source += ["", *_function(f"void {name}_rates(const double x[], double rate[])", "rate", rates)]
    return "\n".join(header) + "\n", "\n".join(source) + "\n"


def _places(array: str, labelled: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{array}[{i}]  {label}{f', {unit}' if unit else ''}" for i, (label, unit) in enumerate(labelled)]


def _comment(lines: Sequence[str]) -> str:
    """A block comment, in which nothing ends it or needs more than ASCII."""
    plain = [
        line.encode("ascii", "replace").decode().replace("*/", "* /").replace("/*", "/ *") for line in lines
    ]
    return "/* " + "\n   ".join(" ".join(line.split("\n")) for line in plain) + " */" if plain else ""


def _function(head: str, target: str, computed: _Instructions) -> list[str]:
    body = [f"    const double x{i} = x[{i}];" for i in computed.read]
    body += [f"    const double t{i} = {text};" for i, text in enumerate(computed.lines(C))]
    body += [f"    {target}[{i}] = {value};" for i, value in enumerate(computed.results(C))]
    if not computed.read:
        body.append("    (void)x;")
    return [head, "{", *body, "}"]


def _checked(name: str, law: _Instructions, count: int) -> list[str]:
    """x - x is zero for every finite double, and for no other."""
    tests = [f"x[{i}] - x[{i}] == 0.0" for i in law.read] + [f"u[{i}] - u[{i}] == 0.0" for i in range(count)]
    return [
        f"int {name}_checked(const double x[], double u[])",
        "{",
        f"    {name}(x, u);",
        "    if (" + "\n        && ".join(tests) + ")",
        "        return 0;",
        *(f"    u[{i}] = 0.0;" for i in range(count)),
        "    return 1;",
        "}",
    ]
