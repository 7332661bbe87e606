"""The text of a law in C99."""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl._scalars.text.c_text import (
    Instructions,
    array_legend,
    comment,
    declaration,
    definition,
    preamble,
)

__all__ = ["c_files"]


def c_files(
    name: str,
    title: str,
    states: Sequence[tuple[str, str]],
    inputs: Sequence[tuple[str, str]],
    own: Sequence[str],
    parameters: Sequence[tuple[str, float, str]],
    law: Instructions,
    rates: Instructions,
) -> tuple[str, str]:
    """Texts of header and source.

    Parameters
    ----------
    states, inputs : (label, unit) in order
    own : labels
        Of the states that are the law's, the last.
    parameters : (name, value, unit)
    """
    title = comment([f"Law of {title}, made by geoctrl."])
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
            comment(
                [f"Rates of the law's own states {', '.join(own)}, the last of x: a step adds h * rate."]
            ),
            f"void {name}_rates(const double x[], double rate[]);",
        ]
    sizes = [
        f"#define {name.upper()}_STATES {len(states)}",
        f"#define {name.upper()}_INPUTS {len(inputs)}",
        f"#define {name.upper()}_OWN {len(own)}",
    ]
    listed = comment([*array_legend("x", states), *array_legend("u", inputs)])
    header = [title, *declaration(name, listed, sizes, declared)]
    source = [
        title,
        *preamble(name, [law, rates] if own else [law]),
        comment([f"{p} = {value:.17g}{f' {unit}' if unit else ''}" for p, value, unit in parameters]),
        *definition(f"void {name}(const double x[], double u[])", "u", law),
        "",
        *_checking_function(name, law, len(inputs)),
    ]
    if own:
        source += ["", *definition(f"void {name}_rates(const double x[], double rate[])", "rate", rates)]
    return "\n".join(header) + "\n", "\n".join(source) + "\n"


def _checking_function(name: str, law: Instructions, count: int) -> list[str]:
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
