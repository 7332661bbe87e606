"""Parameters set to numbers, to other parameters or to expressions in them, for what is asked in symbols."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from geoctrl._checks import named_parameters, nearest, parameter_value
from geoctrl._scalars import FromSympy, Node, exact, shown
from geoctrl.errors import ParameterError
from geoctrl.systems import ReducedSystem

__all__ = ["Settings"]


class Settings:
    """What is given for some parameters of a system.

    Parameters
    ----------
    params : mapping name -> number, name of another parameter, or expression in other parameters

    Attributes
    ----------
    numbers : dict of name -> Fraction
        Of the parameters that are set to numbers.
    formulas, related : dict of name -> expression, and name -> Node
        Of the others that are set.
    expressions : dict of name -> sympy expression
        Of all that are set, in parameters that are not.
    symbols, nodes : the same by symbol and by node of the system
    """

    def __init__(self, system: ReducedSystem, params: Mapping[str, Any] | None) -> None:
        given, mechanism = named_parameters(params), system.mechanism
        symbols = {p.name: p.symbol for p in mechanism.parameters}
        for name in given:
            if name not in symbols:
                raise ParameterError(f"no parameter {name!r}{nearest(name, symbols)}")
        self.numbers: dict[str, Fraction] = {}
        formulas: dict[str, sp.Expr] = {}
        for name, value in given.items():
            if isinstance(value, str) or (isinstance(value, sp.Expr) and value.free_symbols):
                formulas[name] = _formula(name, value, symbols)
            else:
                number = parameter_value(f"parameter {name!r}", value, name in mechanism.positive)
                self.numbers[name] = exact(number)
        known = {symbols[k]: sp.Rational(q.numerator, q.denominator) for k, q in self.numbers.items()}
        self.expressions: dict[str, sp.Expr] = {name: known[symbols[name]] for name in self.numbers}
        for name, formula in formulas.items():
            left = formula.xreplace(known)
            for other in left.free_symbols:
                if other.name in formulas:
                    raise ParameterError(
                        f"parameter {name!r} is set by {other.name!r}, which is set itself: set it by "
                        "parameters that stay free"
                    )
            self.expressions[name] = left
        places = system.assembly.parameters
        convert = FromSympy(system.graph, {s: places[name] for name, s in symbols.items()})
        self.formulas: dict[str, sp.Expr] = {name: self.expressions[name] for name in formulas}
        self.related: dict[str, Node] = {name: convert(e) for name, e in self.formulas.items()}
        self.nodes: dict[Node, Node] = {places[k]: convert(e) for k, e in self.expressions.items()}
        self.symbols: dict[sp.Symbol, sp.Expr] = {symbols[k]: e for k, e in self.expressions.items()}


def _formula(name: str, value: Any, symbols: Mapping[str, sp.Symbol]) -> sp.Expr:
    """What stands for a parameter: another one by its name, or an expression in others."""
    if isinstance(value, str):
        if value not in symbols:
            raise ParameterError(
                f"parameter {name!r} is set to {shown(value)}, which is no parameter{nearest(value, symbols)}"
            )
        return symbols[value]
    for symbol in value.free_symbols:
        if symbol not in symbols.values():
            raise ParameterError(
                f"parameter {name!r} is set by {symbol}, which is no parameter of this system"
                f"{nearest(str(symbol), symbols)}"
            )
    return value
