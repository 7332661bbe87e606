"""Abs, sign, Min, Max and Piecewise freed from their conditions: what holds then, holds in every branch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp

from geoctrl.systems import Parameter

__all__ = ["Branches", "with_free_switches"]


_SWITCHES = (sp.Abs, sp.sign, sp.Piecewise, sp.Min, sp.Max)


class Branches:
    """Writes expressions with a free number for every choice of a branch.

    ``Abs(a)`` becomes ``s a``, ``sign(a)`` becomes s, and Piecewise, Min and Max the mean of their values
    with weights s, (1 - s) s', ..., for numbers 0 < s < 1. An identity that holds for all these numbers holds
    whichever branch is taken; what is found at states drawn at random is then true everywhere, as it is for
    analytic functions. What switches by parameters alone takes the branch that they choose.

    Parameters
    ----------
    fixed : set of symbols
        Those that do not change along a motion.
    taken : set of str
        Names that are in use.

    Attributes
    ----------
    names : list of str
        Of the free numbers.
    """

    def __init__(self, fixed: set[sp.Symbol], taken: set[str]) -> None:
        self._fixed, self._taken = fixed, taken
        self._chosen: dict[Any, sp.Symbol] = {}

    @property
    def names(self) -> list[str]:
        """Names of the free numbers so far."""
        return [s.name for s in self._chosen.values()]

    def __call__(self, value: Any) -> Any:
        """Expressions in anything that a system is made of, freed; all else as it is."""
        if isinstance(value, sp.MatrixBase):
            return value.applyfunc(self._free)
        if isinstance(value, sp.Basic):
            return self._free(value)
        if isinstance(value, (list, tuple)):
            return [self(v) for v in value]
        if isinstance(value, Mapping):
            return {k: self(v) for k, v in value.items()}
        rewritten: Callable | None = getattr(value, "rewritten", None)
        return value if rewritten is None else rewritten(self._free)

    def _free(self, expr: sp.Basic) -> sp.Basic:
        if not expr.has(*_SWITCHES) or not self._moves(expr):
            return expr
        if isinstance(expr, sp.Piecewise) and any(self._moves(c) for _, c in expr.args):
            return self._mean(expr, [e for e, _ in expr.args])
        if isinstance(expr, (sp.Min, sp.Max)):
            return self._mean(expr, expr.args)
        if isinstance(expr, sp.Piecewise):
            return sp.Piecewise(*((self._free(e), c) for e, c in expr.args))
        inner = [self._free(a) for a in expr.args]
        if isinstance(expr, (sp.Abs, sp.sign)):
            choice = self._choice(expr.args[0], 0)
            return choice * inner[0] if isinstance(expr, sp.Abs) else choice
        return expr.func(*inner)

    def _moves(self, expr: sp.Basic) -> bool:
        return bool(expr.free_symbols - self._fixed)

    def _mean(self, expr: sp.Basic, values: Sequence[sp.Basic]) -> sp.Expr:
        *others, last = map(self._free, values)
        mean = last
        for i in reversed(range(len(others))):
            s = self._choice(expr, i)
            mean = s * others[i] + (1 - s) * mean
        return mean

    def _choice(self, of: sp.Basic, branch: int) -> sp.Symbol:
        if (of, branch) not in self._chosen:
            name = f"branch{len(self._chosen) + 1}"
            while name in self._taken:
                name += "_"
            self._chosen[of, branch] = sp.Symbol(name, real=True)
        return self._chosen[of, branch]


def with_free_switches(system: Any) -> Any:
    """A system on a manifold with its switches freed from their conditions.

    Itself where there are none, or where a law given by a function closes it. Its further parameters are the
    numbers that choose.
    """
    given = system.description
    if given.law is not None:
        return system
    taken = {p.name for p in given.parameters} | {*given.state_labels, *given.input_labels}
    data = {s for term in given.potential_terms for s in term.small.data}
    free = Branches(given.parameter_symbols | data, taken)
    kept_as_is = {"inputs", "parameters", "name", "source", "picture"}
    changed = {k: v if k in kept_as_is else free(v) for k, v in given.arguments.items()}
    if not free.names:
        return system
    changed["parameters"] = (*given.parameters, *map(Parameter, free.names))
    return type(system)(**changed)
