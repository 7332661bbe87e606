r"""Units of the nodes of a graph: every sum is one of equal units, or refused.

Units form a vector space over the rationals, with the exponents of the bases as coordinates. Symbols of
unknown unit are bases themselves; each equality of two units is a linear equation, which is solved for one
of them as it comes. So what is not determined stays free, and the first contradiction is met at the terms
that make it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from geoctrl._scalars import Graph, Node, to_sympy
from geoctrl.errors import UnitsError
from geoctrl.systems.typesetting.decimal_printing import readable
from geoctrl.systems.units.si_units import ONE, Unit, known_base

__all__ = ["Equalities", "Homogeneity", "Term"]

_LONG = 90
"""Characters up to which a term is shown whole."""

Term = tuple[str | Node, Unit | None]
"""What a term is, and its unit: None for the number zero, which has any."""


class Equalities:
    """Equalities of units, each solved for an unknown base as it comes."""

    def __init__(self) -> None:
        self._solved: dict[Any, Unit] = {}

    def resolved_unit(self, unit: Unit) -> Unit:
        """A unit with what was found of the unknown bases."""
        found = Unit({b: e for b, e in unit.powers.items() if b not in self._solved})
        for base, e in unit.powers.items():
            if base in self._solved:
                found = found * self._solved[base] ** e
        return found

    def equate(self, first: Unit | None, second: Unit | None) -> bool:
        """Whether two units can be equal; they are from now on. None stands for any unit."""
        if first is None or second is None or first == second:
            return True
        ratio = self.resolved_unit(first / second)
        if not ratio.powers:
            return True
        free = next((b for b in reversed(ratio.powers) if not known_base(b)), None)
        if free is None:
            return False
        rest, exponent = _rest_and_exponent(ratio, free)
        value = self._solved[free] = rest ** (-1 / exponent)
        for base, unit in self._solved.items():
            if free in unit.powers:
                rest, exponent = _rest_and_exponent(unit, free)
                self._solved[base] = rest * value**exponent
        return True


def _rest_and_exponent(unit: Unit, base: Any) -> tuple[Unit, Fraction]:
    """A unit without one of its bases, and the exponent of that."""
    return Unit({b: e for b, e in unit.powers.items() if b != base}), unit.powers[base]


class Homogeneity:
    """Units of nodes, with all equalities that were required so far.

    Parameters
    ----------
    known : dict of symbol node -> Unit
        All other symbols are of unknown unit.
    """

    def __init__(self, graph: Graph, known: Mapping[Node, Unit]) -> None:
        self.graph, self._equalities = graph, Equalities()
        self._units: dict[Node, Unit | None] = dict(known)

    def resolved_unit(self, unit: Unit) -> Unit:
        """A unit with what was found of the unknown ones."""
        return self._equalities.resolved_unit(unit)

    def equate(self, first: Unit | None, second: Unit | None) -> bool:
        """Whether two units can be equal; they are from now on."""
        return self._equalities.equate(first, second)

    def require(self, where: str, terms: Iterable[Term]) -> Unit | None:
        """The unit of terms of one sum."""
        first: Term | None = None
        for term in terms:
            if term[1] is None:
                continue
            if first is None:
                first = term
            elif not self.equate(first[1], term[1]):
                raise UnitsError(
                    f"two terms of one sum have different units in {where}: {self._unit_words(first)}, and "
                    f"{self._unit_words(term)}; give each number that has a unit as a parameter with it, as "
                    'in gc.Parameter("g", 9.81, "m/s^2"), or mend the unit of a parameter'
                )
        return None if first is None else first[1]

    def _unit_words(self, term: Term) -> str:
        what, unit = term
        return (
            f"{self.text(what) if isinstance(what, Node) else what} is in {self.resolved_unit(unit or ONE)}"
        )

    def text(self, node: Node) -> str:
        """A node in letters, for messages."""
        symbols = {n: sp.Symbol(n.payload) for n in self.graph.symbols([node])}
        text = str(readable(to_sympy([node], symbols)[0]))
        return text if len(text) <= _LONG else text[:_LONG] + "..."

    def unit_of(self, node: Node, where: str = "an expression") -> Unit | None:
        """Unit of a node; None for the number zero, which has any."""
        for n in self.graph.reachable([node], known=self._units):
            self._units[n] = self._unit(n, where)
        return self._units[node]

    def _unit(self, node: Node, where: str) -> Unit | None:
        if node.kind == "num":
            return None if node.is_zero else ONE
        if node.kind == "sym":
            return Unit({node: 1})
        if node.kind == "prod":
            unit = ONE
            for atom, e in node.payload[1]:
                unit = unit * (self._units[atom] or ONE) ** e
            return unit
        if node.kind == "sum":
            terms = [(c * m, self._product(c, m)) for c, m in node.payload]
            return self.require(where, terms)
        name, args = node.payload
        return self._function(name, args, where)

    def _product(self, a: Node, b: Node) -> Unit:
        return (self._units[a] or ONE) * (self._units[b] or ONE)

    def _function(self, name: str, args: Sequence[Node], where: str) -> Unit | None:
        units = [self._units[a] for a in args]
        if name in ("sqrt", "abs", "sign"):
            power = {"sqrt": Fraction(1, 2), "abs": Fraction(1), "sign": Fraction(0)}[name]
            return None if units[0] is None else units[0] ** power
        if name == "atan2":
            self.require(f"atan2 in {where}", zip(args, units, strict=True))
            return ONE
        if name.startswith("select"):
            return self.require(f"the branches of {where}", list(zip(args, units, strict=True))[1:])
        if name == "quadrature":
            return self._quadrature(args, units, where)
        for arg, unit in zip(args, units, strict=True):
            self.require(f"{where}, where {name} takes a number", [(arg, unit), ("a number", ONE)])
        return ONE

    def _quadrature(self, args: Sequence[Node], units: Sequence[Unit | None], where: str) -> Unit | None:
        """Of the integral of ds / (a s^2 + b)."""
        a, b, s = units
        below = None if a is None or s is None else a * s**2
        unit = self.require(f"{where}, under an integral", [(args[0], below), (args[1], b)])
        return None if s is None or unit is None else s / unit
