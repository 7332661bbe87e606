"""The instructions of a tape as text: assignments ``t0 = ...`` of one operation or one sum each.

Terms of a sum are added from the left and powers are products, so that every language computes the same
doubles from the same text, as long as it does not contract or reorder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from geoctrl._scalars.graph.tape import Operand, Tape
from geoctrl.errors import ExpressionError

__all__ = ["PYTHON", "C", "Language", "coefficient_in_doubles", "results", "statements"]


@dataclass(frozen=True)
class Language:
    """How numbers and functions are written.

    Attributes
    ----------
    number : callable
        Text of a double that is not negative.
    call : callable
        Text of a function by name of its arguments; ExpressionError if it has none.
    """

    number: Callable[[float], str]
    call: Callable[[str, Sequence[str]], str]


def statements(tape: Tape, language: Language, constants: Sequence[float] | None = None) -> list[str]:
    """The right-hand sides of t0, t1, ...; constants as c0, c1, ..., or as numbers where they are given."""
    return [_render(step, language, constants) for step in tape.instructions]


def results(tape: Tape, language: Language, constants: Sequence[float] | None = None) -> list[str]:
    """The outputs: names, or numbers."""
    return [_word(operand, language, constants) for operand in tape.outputs]


def coefficient_in_doubles(number: Any) -> float:
    """The double next to a coefficient; ExpressionError where it is beyond them."""
    try:
        return float(number)
    except OverflowError:
        raise ExpressionError(
            "a coefficient of the expressions exceeds the doubles, 1.8e308: it has no value in floats; "
            "choose other units"
        ) from None


def _word(operand: Operand, language: Language, constants: Sequence[float] | None) -> str:
    space, i = operand
    if space == "c" and constants is not None:
        value = float(constants[int(i)])
    elif space != "n":
        return f"{space}{i}"
    else:
        value = coefficient_in_doubles(i)
    return language.number(value) if value >= 0 else f"(-{language.number(-value)})"


def _render(instruction: tuple, language: Language, constants: Sequence[float] | None) -> str:
    op, *parts = instruction

    def word(operand: Operand) -> str:
        return _word(operand, language, constants)

    if op == "sum":
        text = ""
        for c, a in parts[0]:
            sign, factor = "+", c
            if c[0] == "n" and c[1] < 0:
                sign, factor = "-", ("n", -c[1])
            if factor == ("n", 1):
                term = word(a)
            elif a == ("n", 1):
                term = word(factor)
            else:
                term = f"{word(factor)} * {word(a)}"
            text += f" {sign} {term}" if text else (f"-({term})" if sign == "-" else term)
        return text
    if op == "fun":
        name, args = parts
        return language.call(name, [word(a) for a in args])
    if op == "square":
        return f"{word(parts[0])} * {word(parts[0])}"
    a, b = parts
    return f"{word(a)} {'*' if op == 'mul' else '/'} {word(b)}"


_MATH = (
    *("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
)


def _call(choice: str, forms: Mapping[str, str]) -> Callable[[str, Sequence[str]], str]:
    """Functions of the mathematical library, and others by their forms."""
    known = {name: f"{name}({{0}})" for name in _MATH} | {
        "atan2": "atan2({0}, {1})",
        "select_positive": choice.format(condition="{0} > 0"),
        "select_nonnegative": choice.format(condition="{0} >= 0"),
        **forms,
    }

    def call(name: str, args: Sequence[str]) -> str:
        if name not in known:
            raise ExpressionError(f"the function {name!r} cannot be written outside of geoctrl")
        return known[name].format(*args)

    return call


PYTHON = Language(
    repr,
    _call(
        "({{1}} if {condition} else {{2}})", {"abs": "abs({0})", "sign": "(({0} > 0.0) - ({0} < 0.0)) * 1.0"}
    ),
)
"""Of floats, with the names of the module ``math``."""

C = Language(
    float.hex,
    _call(
        "({condition} ? {{1}} : {{2}})", {"abs": "fabs({0})", "sign": "(double)(({0} > 0.0) - ({0} < 0.0))"}
    ),
)
"""C99, with the names of ``math.h``; literals are hexadecimal, and so exact."""
