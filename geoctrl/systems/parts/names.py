"""Names of what a description holds: the time, inputs, and the check that no name stands for two things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp

from geoctrl._checks import nearest
from geoctrl.errors import DescriptionError, ParameterError
from geoctrl.systems.parts.families import Family
from geoctrl.systems.parts.parameters import Parameter

__all__ = ["check_families", "check_names", "check_sets", "input_symbol", "plain_inputs", "time"]

time = sp.Symbol("t", real=True)
"""The symbol of time in forces and inputs."""


def input_symbol(u: Any) -> sp.Symbol:
    """The symbol of an input, which may be given by its name."""
    if isinstance(u, str):
        return sp.Symbol(u, real=True)
    if isinstance(u, sp.Symbol):
        return u
    raise DescriptionError(f"inputs must be names or sympy symbols, got {u!r}")


def plain_inputs(inputs: Sequence[sp.Symbol]) -> dict[sp.Symbol, sp.Symbol]:
    """Symbols without assumptions that go by the name of an input, and the real symbols that the names made.

    Whoever names an input "u1" may write ``sympy.Symbol("u1")`` for it: there is nothing else that it could
    be. A symbol that was given for an input with assumptions of its own is that symbol alone.
    """
    return {sp.Symbol(u.name): u for u in inputs if u == sp.Symbol(u.name, real=True)}


def swapped(expr: sp.Expr, table: Mapping[sp.Symbol, sp.Symbol]) -> sp.Expr:
    """The expression with symbols exchanged; a part that occurs many times, as in recorded laws, once."""
    done: dict[sp.Basic, sp.Basic] = dict(table)

    def exchanged(e: sp.Basic) -> sp.Basic:
        if not e.args:
            return done.get(e, e)
        if e not in done:
            args = [exchanged(part) for part in e.args]
            same = all(new is old for new, old in zip(args, e.args, strict=True))
            done[e] = e if same else e.func(*args)
        return done[e]

    return exchanged(expr)


def check_families(families: Mapping[str, Family], taken: Mapping[str, str]) -> None:
    """Refuse symbols of families that go by names which are ``taken``, by what each name says.

    The numbers of a member and those of the parameters are put into one expression: with one name for two
    things, one of them would get the other's value.
    """
    for key, family in families.items():
        if not isinstance(family, Family):
            raise DescriptionError(f"equilibria must be gc.Family objects, got {family!r} for {key!r}")
        for name in family.names:
            if name in taken:
                raise DescriptionError(
                    f"the symbol {name!r} of the family {key!r} has the name of {taken[name]}: rename it"
                )
            if family.names.count(name) > 1:
                raise DescriptionError(f"the symbol {name!r} of the family {key!r} is given twice")


def check_names(parameters: Sequence[Parameter], labels: Sequence[str], renamed: str) -> None:
    """Refuse names that stand for two things; ``renamed`` says what to rename where labels repeat."""
    for parameter in parameters:
        if not isinstance(parameter, Parameter):
            raise DescriptionError(f"parameters must be gc.Parameter objects, got {parameter!r}")
    names = [p.name for p in parameters]
    repeated = _repeated(names)
    if repeated:
        raise ParameterError(f"parameter names repeat: {', '.join(repeated)}")
    if time.name in labels:
        raise DescriptionError(f"the label {time.name!r} is that of the time; rename {renamed}")
    twice = _repeated(labels)
    if twice:
        raise DescriptionError(f"labels repeat: {', '.join(twice)}; rename {renamed}")
    clash = sorted(set(names) & {*labels, time.name})
    if clash:
        raise ParameterError(f"parameter names meet state, input or time labels: {', '.join(clash)}")


def _repeated(names: Iterable[str]) -> list[str]:
    """Names that occur more than once, sorted."""
    return sorted(name for name, count in Counter(names).items() if count > 1)


def check_sets(sets: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> None:
    """Refuse sets of parameters that hold others than those of these names; ParameterError."""
    for key, values in sets.items():
        for name in values:
            if name not in names:
                raise ParameterError(
                    f"parameter set {key!r}: unknown parameter {name!r}{nearest(name, names)}"
                )
