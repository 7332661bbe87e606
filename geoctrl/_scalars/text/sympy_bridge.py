"""Translation between sympy expressions and graph nodes.

Only the small expressions that a user writes come in, and only what a person reads goes out:
the assembly itself never passes through sympy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp

from geoctrl._scalars.graph.form_signs import POSITIVE, form_signs
from geoctrl._scalars.graph.graph import Graph, Node
from geoctrl._scalars.text.numbers import exact, plain, shown
from geoctrl._scalars.text.spelling import nearest
from geoctrl._scalars.text.symbolic import Scalar
from geoctrl.errors import DescriptionError, ExpressionError, GeoctrlError

_TO_GRAPH = {
    sp.sin: "sin",
    sp.cos: "cos",
    sp.tan: "tan",
    sp.asin: "asin",
    sp.acos: "acos",
    sp.atan: "atan",
    sp.sinh: "sinh",
    sp.cosh: "cosh",
    sp.tanh: "tanh",
    sp.asinh: "asinh",
    sp.acosh: "acosh",
    sp.atanh: "atanh",
    sp.log: "log",
    sp.Abs: "abs",
    sp.sign: "sign",
    sp.atan2: "atan2",
}


def expression(value: Any, what: str, error: type[GeoctrlError] = DescriptionError) -> sp.Expr:
    """A scalar expression of sympy; its floats, and a number of any type, as the rationals that they are.

    This is where expressions come in: from here on no arithmetic rounds.
    """
    if isinstance(value, sp.Expr):
        return without_floats(value, what, error)
    if isinstance(value, Scalar):
        return value.symbol
    if isinstance(value, sp.MatrixBase) and value.shape == (1, 1):  # a product of vectors
        return without_floats(value[0], what, error)
    if isinstance(value, (str, bytes)):
        raise error(
            f"{what} must be an expression, got the text {shown(value)}: text is not read as one; write it "
            "with parameters, coordinates, vectors and algebra.xi themselves, without quotes"
        )
    if isinstance(value, (sp.Basic, sp.MatrixBase)):
        raise error(f"{what} must be a scalar expression, got {shown(value)}")
    return _rational(plain(value, what, error), what, error)


def without_floats(value: Any, what: str, error: type[GeoctrlError] = DescriptionError) -> Any:
    """An expression, a condition or a matrix of sympy with its floats as the rationals that they are."""
    if isinstance(value, sp.MatrixBase):
        entries = [without_floats(entry, what, error) for entry in value]
        kept = all(a is b for a, b in zip(entries, value, strict=True))
        return value if kept else type(value)(*value.shape, entries)
    # Each part once, however often it stands in the expression; parts are kept, as ids tell them.
    found: dict[int, Any] = {}
    below: dict[int, tuple[Any, tuple[Any, ...]]] = {}
    pending = [value]
    while pending:
        part = pending[-1]
        _, args = below.setdefault(id(part), (part, part.args))
        rest = [a for a in args if id(a) not in found]
        if rest:
            pending += rest
            continue
        pending.pop()
        if id(part) not in found:
            exact_args = [found[id(a)] for a in args]
            if isinstance(part, sp.Float):
                found[id(part)] = _rational(part, f"a number in {what}", error)
            elif all(a is b for a, b in zip(exact_args, args, strict=True)):
                found[id(part)] = part
            else:
                found[id(part)] = part.func(*exact_args)
    return found[id(value)]


def _rational(value: Any, what: str, error: type[GeoctrlError]) -> sp.Rational:
    number = exact(value, what, error)
    return sp.Rational(number.numerator, number.denominator)


def _quadrature(expr: sp.Integral, convert: Callable) -> Node:
    """Integral(1/(a s**2 + b), (s, 0, upper)) with a, b free of s, as one function of (a, b, upper)."""
    needed = "an Integral(c/(a*s**2 + b), (s, 0, upper)) with a, b, c free of s"
    if len(expr.limits) != 1 or len(expr.limits[0]) != 3 or expr.limits[0][1] != 0:
        raise ExpressionError(f"cannot translate {expr}: write {needed}, or its closed form")
    variable, _, upper = expr.limits[0]
    numerator, denominator = sp.fraction(sp.together(expr.function))
    if not denominator.is_polynomial(variable):
        raise ExpressionError(f"cannot translate {expr}: write {needed}, or its closed form")
    poly = sp.Poly(denominator, variable)
    if poly.degree() > 2 or poly.coeff_monomial(variable) != 0 or numerator.has(variable):
        raise ExpressionError(f"cannot translate {expr}: write {needed}, or its closed form")
    a, b = poly.coeff_monomial(variable**2), poly.coeff_monomial(1)
    scale = convert(numerator)
    arguments = convert(a), convert(b), convert(upper)
    return scale * scale.graph.fun("quadrature", *arguments)


class FromSympy:
    """Converter with a memo shared by all expressions of one system.

    Parameters
    ----------
    symbols : mapping from sympy symbols to nodes
    where : callable giving the words used in error messages for an unknown symbol
    """

    def __init__(self, graph: Graph, symbols: Mapping[sp.Symbol, Node]) -> None:
        self.graph = graph
        self._memo: dict[sp.Basic, Node] = dict(symbols)
        self._names = {str(s): s for s in symbols}

    def __call__(self, expr) -> Node:
        if not isinstance(expr, sp.Expr):
            expr = expression(expr, "an expression", ExpressionError)
        node = self._memo.get(expr)
        if node is None:
            node = self._convert(expr)
            self._memo[expr] = node
        return node

    def knowing(self, symbols: Mapping[sp.Symbol, Node]) -> FromSympy:
        """A converter that knows further symbols."""
        own = {s: node for s, node in self._memo.items() if s.is_Symbol}
        return FromSympy(self.graph, own | dict(symbols))

    def _convert(self, expr: sp.Basic) -> Node:
        g = self.graph
        if expr.is_Rational or expr.is_Float:
            return g.number(exact(expr, "a number in an expression", ExpressionError))
        if expr.is_Symbol:
            raise ExpressionError(self._unknown_symbol(expr))
        if expr.is_Add:
            return g.add([self(a) for a in expr.args])
        if expr.is_Mul:
            return g.mul([self(a) for a in expr.args])
        if expr is sp.pi:
            return 4 * g.fun("atan", g.one)
        if expr is sp.E:
            return g.fun("exp", g.one)
        if expr.is_Pow:
            return self._power(*expr.as_base_exp())
        if isinstance(expr, sp.exp):
            return g.fun("exp", self(expr.args[0]))
        if isinstance(expr, sp.Integral):
            return _quadrature(expr, self)
        if isinstance(expr, sp.Piecewise):
            return self._piecewise(expr)
        if isinstance(expr, (sp.Max, sp.Min)):
            return self._extreme(expr)
        name = _TO_GRAPH.get(expr.func)
        if isinstance(expr, sp.Heaviside):
            raise ExpressionError(
                f"cannot translate the function 'Heaviside' in {expr}; write it with Piecewise: Heaviside(a) "
                "is Piecewise((1, a > 0), (0, True))"
            )
        if name is None:
            raise ExpressionError(
                f"cannot translate the function {expr.func.__name__!r} in {expr}; known are "
                "+ - * / integer and half-integer powers, sqrt, exp, log, sin, cos, tan, their inverses, "
                "sinh, cosh, tanh, asinh, acosh, atanh, atan2, Abs, sign, Min, Max, Piecewise and "
                "Integral(1/(a*s**2 + b), (s, 0, upper))"
            )
        return g.fun(name, *(self(a) for a in expr.args))

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> Node:
        g = self.graph
        if base is sp.E:
            return g.fun("exp", self(exponent))
        if exponent.is_Float and exponent == int(2 * exponent) / 2:
            exponent = sp.Rational(int(2 * exponent), 2)
        if exponent.is_Integer:
            return g.power(self(base), int(exponent))
        if exponent.is_Rational and exponent.q in (2, 4):
            root = g.sqrt(self(base))
            if exponent.q == 4:  # sympy writes sqrt(sqrt(x)) so
                root = g.sqrt(root)
            return g.power(root, int(exponent.p))
        power = sp.Pow(base, exponent, evaluate=False)
        if not (exponent.is_Rational or exponent.is_Float):
            raise ExpressionError(f"cannot translate {power}: exponents must be integers or half-integers")
        node = self(base)
        (signs,) = form_signs(g, [node], self._positive)
        if signs != POSITIVE:
            raise ExpressionError(
                f"cannot translate {power}: exponents must be integers or half-integers, unless the base is "
                "positive by its form, as a sum of squares and a positive number is: Abs(x)**0.3 may be "
                "(x**2 + e**2)**0.15"
            )
        return g.fun("exp", g.number(exact(exponent, "an exponent", ExpressionError)) * g.fun("log", node))

    @property
    def _positive(self) -> set[Node]:
        """Nodes of symbols that are said to be positive."""
        return {node for s, node in self._memo.items() if s.is_Symbol and s.is_positive}

    def _piecewise(self, expr: sp.Piecewise) -> Node:
        *branches, (last, condition) = expr.args
        if condition != sp.true:
            raise ExpressionError(f"{expr} needs a last branch (value, True)")
        node = self(last)
        for value, relation in reversed(branches):
            kind = {
                sp.StrictGreaterThan: ("select_positive", 1),
                sp.StrictLessThan: ("select_positive", -1),
                sp.GreaterThan: ("select_nonnegative", 1),
                sp.LessThan: ("select_nonnegative", -1),
            }.get(relation.func)
            if kind is None:
                raise ExpressionError(f"cannot translate the condition {relation}: use <, <=, > or >=")
            name, sense = kind
            node = self.graph.fun(name, self(sense * (relation.lhs - relation.rhs)), self(value), node)
        return node

    def _extreme(self, expr: sp.Max | sp.Min) -> Node:
        """The greatest or least of some values, by choices between two, which round none."""
        first, *others = map(self, expr.args)
        sense = 1 if isinstance(expr, sp.Max) else -1
        for other in others:
            first = self.graph.fun("select_nonnegative", sense * (first - other), first, other)
        return first

    def _unknown_symbol(self, symbol: sp.Symbol) -> str:
        twin = self._names.get(str(symbol))
        if twin is not None:
            return (
                f"the symbol {symbol} in an expression has other assumptions than the declared {twin}; "
                "take the declared object (parameter.symbol, vector.symbols, algebra.xi, sys.states; an "
                "input given by its name is Symbol(name, real=True))"
            )
        return f"unknown symbol {str(symbol)!r} in an expression{nearest(str(symbol), self._names)}"


_FROM_GRAPH: dict[str, Callable] = {name: function for function, name in _TO_GRAPH.items()}


def _sympy_quadrature(a, b, s):
    if s == 0:
        return sp.Integer(0)
    t = sp.Dummy("s", real=True)
    return sp.Integral(1 / (a * t**2 + b), (t, 0, s))


_FROM_GRAPH |= {
    "sqrt": sp.sqrt,
    "exp": sp.exp,
    "select_positive": lambda c, a, b: sp.Piecewise((a, c > 0), (b, True)),
    "select_nonnegative": lambda c, a, b: sp.Piecewise((a, c >= 0), (b, True)),
    "quadrature": _sympy_quadrature,
}


def to_sympy(nodes: Sequence[Node], symbols: Mapping[Node, sp.Expr]) -> list[sp.Expr]:
    """Sympy expressions of nodes; `symbols` gives the expression that stands for each symbol node."""
    if not nodes:
        return []
    graph = nodes[0].graph
    image: dict[Node, sp.Expr] = {}
    for node in graph.reachable(nodes):
        if node.kind == "num":
            image[node] = sp.Rational(node.payload.numerator, node.payload.denominator)
        elif node.kind == "sym":
            image[node] = expression(symbols[node], "what stands for a symbol")
        elif node.kind == "fun":
            name, args = node.payload
            image[node] = _FROM_GRAPH[name](*(image[a] for a in args))
        elif node.kind == "prod":
            q, items = node.payload
            coefficient = sp.Rational(q.numerator, q.denominator)
            image[node] = sp.Mul(coefficient, *(image[atom] ** e for atom, e in items))
        elif node.kind == "let":
            image[node] = image[node.payload]
        else:
            image[node] = sp.Add(*(image[c] * image[mono] for c, mono in node.payload))
    return [image[n] for n in nodes]
