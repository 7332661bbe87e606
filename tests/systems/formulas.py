r"""Formulas in LaTeX read back and evaluated.

The reader knows the little LaTeX that is printed: sums, juxtaposed products, ``\frac``, ``\sqrt``, powers,
indices and dots belonging to names. It shares nothing with the printer.
"""

import re

import numpy as np

LETTER = r"(?:\\[A-Za-z]+|[A-Za-z])"
NAME = rf"(?:\\d*dot\{{{LETTER}\}}|(?!\\t?frac|\\sqrt){LETTER})(?:_\{{[^{{}}]*\}})?"


def tokens(text):
    text = re.sub(r"\\(bigl|bigr|left|right|,|;)(?![A-Za-z])|\{\}", " ", text)
    return re.findall(rf"\\t?frac|\\sqrt|{NAME}|\d+(?:\.\d+)?|[-+(){{}}^]", text)


class Reader:
    """Value of a formula where names have values."""

    def __init__(self, text, values):
        self.tokens, self.values = tokens(text)[::-1], values

    def whole(self):
        value = self.sum()
        assert not self.tokens, f"left over: {self.tokens[::-1]}"
        return value

    def next(self):
        return self.tokens[-1] if self.tokens else None

    def sum(self):
        value, sign = 0.0, 1.0
        if self.next() == "-":
            self.tokens.pop()
            sign = -1.0
        while True:
            value += sign * self.product()
            if self.next() not in ("+", "-"):
                return value
            sign = 1.0 if self.tokens.pop() == "+" else -1.0

    def product(self):
        value = 1.0
        while self.next() is not None and self.next() not in "+-)}":
            value *= self.power()
        return value

    def power(self):
        value = self.atom()
        if self.next() == "^":
            self.tokens.pop()
            value **= self.group()
        return value

    def group(self, opening="{", closing="}"):
        assert self.tokens.pop() == opening
        value = self.sum()
        assert self.tokens.pop() == closing
        return value

    def atom(self):
        token = self.next()
        if token == "(":
            return self.group("(", ")")
        self.tokens.pop()
        if token.endswith("frac"):
            return self.group() / self.group()
        if token == r"\sqrt":
            return np.sqrt(self.group())
        return float(token) if token[0].isdigit() else self.values[token]


def equations_in(text):
    """Left and right sides of the lines of an ``aligned`` environment."""
    body = text.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
    lines = [line.replace("&", " ") for line in re.sub(r"\\q?quad", " ", body).split("\\\\\n")]
    joined = []
    for line in lines:
        whole = joined and line.strip().startswith(("{}", "="))
        joined[-1:] = [joined[-1] + line] if whole else [*joined[-1:], line]
    return [tuple(side.strip() for side in line.split("=")) for line in joined]
