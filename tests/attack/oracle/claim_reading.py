"""A reader of claims: from the words alone to point, numbers, law and leaf, as rational numbers.

It shares nothing with the package. Expressions are evaluated while they are read, at rational numbers; a
function of rational numbers has there a number that its name and its arguments determine, and nothing else.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
OF_PI, FRACTION = r" [-+] (\d+\*)?pi(/2)?", r"-?\d+(/\d+)?"
MADE = re.compile(
    rf"[A-Za-z_][A-Za-z0-9_]*( - atan2\({FRACTION}, {FRACTION}\)({OF_PI})?|{OF_PI}| of the [a-z]+( \d+)?)"
    r"(?= |,)",
    re.ASCII,
)
QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
DECIMAL = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?", re.ASCII)
DIGITS = re.compile(r"\d+", re.ASCII)
CUT = re.compile(r"\.\.\. \[sha256 of its nodes: ([0-9a-f]{32})\]")
CUT_NAME = re.compile(r"\.\.\. \[sha256 of the name: ([0-9a-f]{32})\]")
FUNCTIONS = {"sqrt", "sin", "cos", "exp", "log", "atan", "select", "quadrature"}
LEVELS = "their own level set of "
LONG = 240
Long = tuple[str, str]
"""Beginning and digest of what is too long to be told."""


def hash_of(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


class UnreadError(ValueError):
    """A claim that is not of the grammar."""


def value(function: str, arguments: Sequence[Fraction]) -> Fraction:
    """The number of a function at rational numbers: any, but always the same."""
    digest = hashlib.sha256(repr((function, *arguments)).encode()).digest()
    return Fraction(int.from_bytes(digest[:2], "big") + 1, 257)


class Reader:
    """A text with the place up to which it is read."""

    def __init__(self, text: str, numbers: Mapping[str, Fraction] | None = None) -> None:
        self.text, self.at, self.numbers = text, 0, numbers or {}

    def match(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else None

    def take(self, literal: str) -> bool:
        found = self.text.startswith(literal, self.at)
        self.at += len(literal) if found else 0
        return found

    def need(self, literal: str) -> None:
        if not self.take(literal):
            raise UnreadError(f"{literal!r} expected at {self.text[self.at : self.at + 60]!r}")

    def name(self) -> str:
        if (text := self.match(QUOTED)) is not None:
            name = str(ast.literal_eval(text))
            if (cut := CUT_NAME.match(self.text, self.at)) is None:
                return name
            self.at = cut.end()
            return next(k for k in self.numbers if k[:LONG] == name and hash_of(k).startswith(cut[1]))
        found = self.match(MADE) or self.match(PLAIN)
        if found is None:
            raise UnreadError(f"a name expected at {self.text[self.at : self.at + 60]!r}")
        return found

    def names(self) -> list[str]:
        found = [self.name()]
        while True:
            here = self.at
            try:
                self.need(", ")
                name = self.name()
            except UnreadError:
                name = ""
            if not name or not self.text.startswith((",", " within"), self.at):
                self.at = here
                return found
            found.append(name)

    def begins_function(self) -> bool:
        """Whether the name of a function comes here; nothing is read."""
        here = self.at
        try:
            self.name()
            return self.text.startswith((" = ", ", an integral over the shape"), self.at)
        except UnreadError:
            return False
        finally:
            self.at = here

    # -- expressions ------------------------------------------------------------------------------------

    def told(self) -> Fraction | Long:
        """An expression, or the beginning of one with a digest."""
        here = self.at
        end = self.text[here + LONG :]
        if (cut := CUT.match(end)) is not None:
            self.at = here + LONG + cut.end()
            return self.text[here : here + LONG], cut[1]
        return self.sum()

    def sum(self) -> Fraction:
        total = -self.term() if self.take("-") else self.term()
        while self.text.startswith((" + ", " - "), self.at):
            sign = self.text[self.at + 1]
            self.at += 3
            total += self.term() if sign == "+" else -self.term()
        return total

    def term(self) -> Fraction:
        product = self.factor()
        while self.text.startswith(("*", "/"), self.at):
            sign = self.text[self.at]
            self.at += 1
            product = product * self.factor() if sign == "*" else product / self.factor()
        return product

    def factor(self) -> Fraction:
        base = self.atom()
        if not self.take("^"):
            return base
        exponent = self.match(DIGITS)
        if exponent is None:
            raise UnreadError("an exponent is no whole number")
        return base ** int(exponent)

    def atom(self) -> Fraction:
        if self.take("("):
            found = self.sum()
            self.need(")")
            return found
        if (digits := self.match(DIGITS)) is not None:
            return Fraction(digits)
        if (text := self.match(QUOTED)) is not None:
            return self.numbers[ast.literal_eval(text)]
        text = self.match(PLAIN)
        if text == "double":
            self.need("(")
            number = self.match(DECIMAL)
            self.need(")")
            return Fraction(float(number or "nan"))
        if text in FUNCTIONS:
            self.need("(")
            arguments = [self.sum()]
            while self.take(", "):
                arguments.append(self.sum())
            self.need(")")
            return value(text, arguments)
        if text is None or text not in self.numbers:
            raise UnreadError(f"no factor: {self.text[self.at - 20 : self.at + 40]!r}")
        return self.numbers[text]

    def number(self) -> Fraction | float:
        """A number in a list: exact as a fraction, a float with roots or three points."""
        begin = self.at
        sign = -1 if self.take("-") else 1
        text = self.match(DECIMAL)
        if text is not None and self.take(" (double)"):
            return sign * Fraction(float(text))
        if text is not None and self.take("..."):
            return sign * float(text)
        if text is not None and not self.text.startswith(("/", "*", " + ", " - "), self.at):
            return sign * Fraction(text)
        self.at = begin
        end = re.compile(r"[^,]*?(?=, | of | and at | holds later|\.$| s,| percent)").match(self.text, begin)
        text = end[0] if end else ""
        self.at += len(text)
        if re.fullmatch(r"-?\d+/\d+", text):
            return Fraction(text)
        if not re.fullmatch(r"[-+*/() \d]*(sqrt\([-+*/() \dsqrt]*\)[-+*/() \d]*)+", text):
            raise UnreadError(f"no number: {text!r}")
        root = ast.parse(text, mode="eval").body
        return _float(root)

    def assignments(self) -> dict[str, Fraction | float]:
        """``a = 1, b = 1/2``, as far as it goes."""
        found: dict[str, Fraction | float] = {}
        while True:
            here = self.at
            try:
                if found:
                    self.need(", ")
                key = self.name()
                self.need(" = ")
                found[key] = self.number()
            except UnreadError:
                self.at = here
                return found


def _float(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int(v)):
            return float(v)
        case ast.UnaryOp(operand=x):
            return -_float(x)
        case ast.Call(args=[x]):
            return _float(x) ** 0.5
        case ast.BinOp(left=a, op=op, right=b):
            x, y = _float(a), _float(b)
            by = {ast.Add: x + y, ast.Sub: x - y, ast.Mult: x * y, ast.Div: x / y if y else 0.0}
            return by[type(op)]
    raise UnreadError(ast.dump(node))


def leaf(r: Reader) -> dict[str, Any]:
    """``the leaf a = 0, b = 0, a leaf of dimension 3``: values of relations, and the dimension."""
    if r.take("the leaf of all states, of dimension "):
        relations = []
    else:
        r.need("the leaf ")
        relations = [r.told()]
        r.need(" = 0")
        while not r.take(", a leaf of dimension "):
            r.need(", ")
            relations.append(r.told())
            r.need(" = 0")
    most = r.take("at most ")
    size = int(r.match(DIGITS) or -1)
    places = " at the equilibrium", " at the middle of the axes", " about members in cells that are decided"
    where = any(map(r.take, places))
    alone = r.take(": the point alone")
    return {"relations": relations, "dimension": size, "exact": not most, "alone": alone, "where": where}


def _size(r: Reader) -> Fraction | float:
    """A radius, ``2^-60`` where it is a power of two."""
    if not r.take("2^"):
        return r.number()
    sign = -1 if r.take("-") else 1
    return Fraction(2) ** (sign * int(r.match(DIGITS) or -1))


def point_claim(text: str, numbers: Mapping[str, Fraction]) -> dict[str, Any]:
    """What a claim about an equilibrium says, its expressions evaluated at numbers of the symbols."""
    r, said = Reader(text, numbers), dict[str, Any]()
    r.need("The equilibrium ")
    if r.take("that lies, in each state, within "):
        said["radius"] = _size(r)
        r.need(" of ")
    if r.take("that lies within "):
        said["radii"], said["point"] = {}, {}
        while True:
            size = _size(r)
            r.need(" of ")
            name = r.name()
            r.need(" = ")
            said["radii"][name], said["point"][name] = size, r.number()
            if not r.take(", "):
                break
        said["point"] |= r.assignments() if r.take(" and at ") else {}
    else:
        said["point"] = r.assignments()
    if said["point"] == {"x": 0}:  # zeros are not told, but where there is nothing else
        said["point"] = {}
    if r.take(", and in "):
        said["nearly"] = r.names()
        r.need(" within ")
        said["nearly_radius"] = _size(r)
        r.need(" of 0,")
    r.need(" of ")
    said["system"] = "" if r.take("the system") else r.name()
    if r.take(", with the same "):
        said["held"] = r.names()
    if r.take(", with "):
        said["parameters"] = r.assignments()
        if not said["parameters"]:
            raise UnreadError("no parameters")
    if r.take(", held by the inputs "):
        said["inputs"] = r.assignments()
    if r.take(", turning with ("):
        r.at = r.text.index(") rad/s", r.at) + len(") rad/s")
    if r.take(", in a loop that computes "):
        said["law"] = {}
        while not r.take(" every "):
            said["law"] and r.need(", ")
            key = r.name()
            rate = r.take(" growing in a second by ")
            if not rate:
                r.need(" = ")
            said["law"][key] = (rate, r.told())
        said["hold"] = r.number()
        r.need(" s, sets it ")
        said["late"] = Fraction(0) if r.take("at once") else r.number()
        r.take(" holds later")
        r.need(" and holds it, without limits, rounding or noise")
    if r.take(", on "):
        said["leaf"] = leaf(r)
        r.need(", ")
    said["predicate"] = r.text[r.at :]
    if (place := said["predicate"].find(LEVELS)) >= 0:
        r.at += place + len(LEVELS)
        said["functions"] = functions(r)
        r.need(".")
    return said


def functions(r: Reader) -> dict[str, Fraction | Long | None]:
    """``energy = ..., p = ..., q, an integral over the shape``: what names of functions stand for."""
    found: dict[str, Fraction | Long | None] = {}
    while True:
        name = r.name()
        integral = r.take(", an integral over the shape")
        if not integral:
            r.need(" = ")
        found[name] = None if integral else r.told()
        here = r.at
        if not r.take(", ") or not r.begins_function():
            r.at = here
            return found


# -- nodes ------------------------------------------------------------------------------------------------


def evaluate(table: Sequence[Sequence[Any]], numbers: Mapping[str, Fraction]) -> list[Fraction]:
    """The nodes of a file, with the numbers that the reader has for functions."""
    found: list[Fraction] = []
    for kind, *parts in table:
        if kind == "num":
            found.append(Fraction(parts[0]))
        elif kind == "sym":
            found.append(numbers[parts[0]])
        elif kind == "fun":
            found.append(value(parts[0], [found[j] for j in parts[1]]))
        elif kind == "prod":
            product = Fraction(parts[0])
            for j, e in parts[1]:
                product *= found[j] ** e
            found.append(product)
        else:
            found.append(sum((found[i] * found[j] for i, j in parts[0]), Fraction(0)))
    return found


def digest(table: Sequence[Sequence[Any]], place: int) -> str:
    """SHA-256 of the nodes that a node is made of, renumbered in their order."""
    needed, pending = set(), [place]
    while pending:
        i = pending.pop()
        if i not in needed:
            needed.add(i)
            pending += _places(table[i])
    order = {old: new for new, old in enumerate(sorted(needed))}
    rows = []
    for i in order:
        kind, *parts = table[i]
        if kind == "fun":
            parts = [parts[0], [order[j] for j in parts[1]]]
        elif kind == "prod":
            parts = [str(Fraction(parts[0])), [[order[j], e] for j, e in parts[1]]]
        elif kind == "sum":
            parts = [[[order[a], order[b]] for a, b in parts[0]]]
        elif kind == "num":
            parts = [str(Fraction(parts[0]))]
        rows.append([kind, *parts])
    return hashlib.sha256(json.dumps(rows, separators=(",", ":")).encode()).hexdigest()


def _places(node: Sequence[Any]) -> list[int]:
    kind, *parts = node
    if kind == "fun":
        return list(parts[1])
    if kind == "prod":
        return [j for j, _ in parts[1]]
    return [j for pair in parts[0] for j in pair] if kind == "sum" else []
