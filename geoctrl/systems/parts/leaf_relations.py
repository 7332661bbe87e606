"""Relations of the leaf as a description holds them: expressions that motions keep zero, each with a name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import expression, shown
from geoctrl.errors import DescriptionError
from geoctrl.systems.typesetting.decimal_printing import expression_text

__all__ = ["Relation", "Relations", "read_relations", "removals"]

SHORT = 40
"""Characters up to which a relation without a name goes by its text."""
LONG = 80
"""Characters up to which a message shows a relation's text."""


@dataclass(frozen=True)
class Relation:
    """One relation ``expr = 0``, with the name under which its drift is reported."""

    name: str
    expr: sp.Expr

    def __str__(self) -> str:
        """The expression for a message, or its name in quotes where it would fill the page."""
        text = expression_text(self.expr)
        return text if len(text) <= LONG else repr(self.name)

    _lines = record_lines
    full = full_text
    __repr__ = short_form


class Relations(tuple):
    """Expressions that motions keep zero, with their names; copies of a description keep both."""

    names: tuple[str, ...]

    def __new__(cls, expressions: Sequence[sp.Expr], names: Sequence[str]) -> Relations:
        """Expressions and as many names."""
        made = super().__new__(cls, expressions)
        made.names = tuple(names)
        return made

    @property
    def by_name(self) -> tuple[Relation, ...]:
        """The relations by name."""
        return tuple(Relation(name, e) for name, e in zip(self.names, self, strict=True))

    def __reduce__(self):
        return Relations, (tuple(self), self.names)


def read_relations(given: Any, reserved: Iterable[str], labels: Iterable[str]) -> Relations:
    """The relations of a description, from a list of expressions or a dict of name -> expression.

    A relation without a name goes by its text where that is short and free, and else by ``leaf1``, ``leaf2``
    and so on.

    Parameters
    ----------
    given : mapping, Relations or sequence of expressions
    reserved : names under which a run reports something else
    labels : further names of the description, which ``leaf1`` and so on avoid
    """
    if isinstance(given, Relations):
        given = {r.name: r.expr for r in given.by_name}
    if not isinstance(given, Mapping):
        return _without_names([expression(e, "a leaf relation") for e in given], reserved, labels)
    expressions = [expression(e, f"leaf[{k!r}]") for k, e in given.items()]
    for name, e in zip(given, expressions, strict=True):
        if not isinstance(name, str) or not name.strip():
            raise DescriptionError(f"the name of a leaf relation must be text, got {shown(name)}")
        if name in reserved and name != expression_text(e):
            raise DescriptionError(
                f"the leaf relation {name!r} has the name of something else that a run reports; rename it"
            )
    return Relations(expressions, list(given))


def _without_names(
    expressions: Sequence[sp.Expr], reserved: Iterable[str], labels: Iterable[str]
) -> Relations:
    texts = [expression_text(e) for e in expressions]
    taken = {*reserved, *labels, *texts}
    numbers = count(1)
    names: list[str] = []
    for text in texts:
        if len(text) <= SHORT and text not in names:
            names.append(text)
        else:
            names.append(next(n for n in (f"leaf{i}" for i in numbers) if n not in taken))
    return Relations(expressions, names)


def removals(
    relations: Sequence[sp.Expr], entries: Collection[sp.Symbol], heights: Collection[sp.Symbol]
) -> dict[sp.Expr, tuple[sp.Symbol, sp.Expr]]:
    """Relations that determine an entry of Gamma, with the entry and what they make it.

    A relation that is an entry by itself sets it to zero; one in which a height stands alone, with a constant
    factor, gives that height. Neither says more of the states that are left.
    """
    found = {e: (e, sp.Integer(0)) for e in relations if e in entries}
    for relation in relations:
        known = {entry for entry, _ in found.values()}
        for h in sorted(relation.free_symbols.intersection(heights) - known, key=str):
            factor = sp.diff(relation, h)
            if factor.is_number and (relation - factor * h).free_symbols.isdisjoint(heights):
                terms = sp.Add.make_args(-relation.subs(h, 0) / factor)
                # What stands below a root stays as it is written: constraints may have the same root.
                found[relation] = h, sp.Add(*(term.expand(deep=False) for term in terms))
                break
    return found
