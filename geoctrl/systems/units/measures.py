"""What the units of a system are: of states, inputs and parameters, found from those that are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp

from geoctrl._scalars import PARAMETER, FromSympy, Graph, Node
from geoctrl.errors import ExpressionError, UnitsError
from geoctrl.systems.parts.families import Family
from geoctrl.systems.parts.parameters import Parameter
from geoctrl.systems.units.homogeneity import Equalities, Homogeneity
from geoctrl.systems.units.si_units import BASES, ONE, Unit, read_unit

__all__ = [
    "Measures",
    "factor_of",
    "given_units",
    "known_units",
    "member",
    "require_families",
    "written_units",
]


class Measures:
    """Units of what has a name.

    Parameters
    ----------
    homogeneity : Homogeneity
        With everything that is required.
    nodes : dict of label -> symbol node
        States and inputs, and parameters.
    given : dict of what -> Unit
        Units as they are given, numbers in front included, by what has them, for messages.
    declared : dict of label -> Unit
        Of states and inputs, with their numbers, told where nothing is found.
    turning : labels of what is told in rad or rad/s

    Attributes
    ----------
    given : dict
        Empty where no parameter has a unit: then nothing was required.
    """

    def __init__(
        self,
        homogeneity: Homogeneity,
        nodes: Mapping[str, Node],
        given: Mapping[str, Unit],
        declared: Mapping[str, Unit],
        turning: Iterable[str],
    ) -> None:
        self._homogeneity, self._nodes, self.given = homogeneity, nodes, dict(given)
        self._declared, self._turning = declared, frozenset(turning)

    def dimension(self, label: str) -> Unit | None:
        """The unit of something, without a number in front; None where it is not determined."""
        node = self._nodes.get(label)
        unit = None if node is None else self._homogeneity.unit_of(node)
        unit = None if unit is None else self._homogeneity.resolved_unit(unit)
        if unit is not None and unit.is_known:
            return unit
        return self._declared[label].dimension if label in self._declared else None

    @cached_property
    def numbers(self) -> dict[str, Unit]:
        """The numbers in front of the bases of the SI that make the units that are used, where known."""
        if not any(unit.number.powers for unit in self.given.values()):
            return dict.fromkeys(BASES, ONE)
        found, used = Equalities(), list(self.given.items())
        for k, (what, unit) in enumerate(used):
            if not found.equate(_in_bases(unit.dimension), unit.number):
                others = ", ".join(f"{name} in {u}" for name, u in used[:k])
                raise UnitsError(
                    f"{what} in {unit} belongs to another system of units than {others}; give all parameters "
                    "in units of one system, those of the SI for instance"
                )
        numbers = {base: found.resolved_unit(_in_bases(Unit({base: 1}))) for base in BASES}
        return {base: unit for base, unit in numbers.items() if unit.is_known}

    def text(self, label: str) -> str | None:
        """The unit of something in letters; None where it is not determined."""
        unit = self.dimension(label)
        if unit is None or not unit.powers.keys() <= self.numbers.keys():
            return None
        number = ONE
        for base, e in unit.powers.items():
            number = number * self.numbers[base] ** e
        whole = str(number * unit if self.given else self._declared.get(label, unit))
        if label in self._turning and whole.endswith(("1", "1/s")):
            return f"{whole[:-1]}rad" if whole.endswith("1") else f"{whole[:-3]}rad/s"
        return whole


def _in_bases(dimension: Unit) -> Unit:
    """A unit with unknown numbers in front of the bases in their place."""
    return Unit({("number", base): e for base, e in dimension.powers.items()})


def given_units(parameters: Iterable[Parameter]) -> dict[str, Unit]:
    """Units by name of the parameters that have one; UnitsError for a text that is not read."""
    return {p.name: read_unit(p.unit, f"the parameter {p.name!r}") for p in parameters if p.unit.strip()}


def require_families(
    homogeneity: Homogeneity,
    families: Mapping[str, Family],
    parameters: Mapping[sp.Symbol, Node],
    units: Mapping[str, Unit | None],
) -> dict[str, Node]:
    """Values of the members of families have the units of what they are values of; UnitsError if not.

    A plain number is one in the unit of what it is a value of, and says nothing of that.

    Returns
    -------
    dict of "family: symbol" -> node
    """
    graph: Graph = homogeneity.graph
    found: dict[str, Node] = {}
    for name, family in families.items():
        own = {s: graph.symbol(member(name, s.name), PARAMETER) for s in family.symbols}
        found |= {node.payload: node for node in own.values()}
        to_node = FromSympy(graph, {**parameters, **own})
        for label, e in {**family.states, **family.inputs}.items():
            where = f"{label} of the family {name!r}"
            if not e.free_symbols:
                continue
            try:
                node = to_node(e)
            except ExpressionError:  # such as pi, which is a number that the graph does not know
                continue
            homogeneity.require(where, [(label, units.get(label)), (node, homogeneity.unit_of(node, where))])
    return found


def member(family: str, symbol: str) -> str:
    """What a symbol of a family goes by."""
    return f"{family}: {symbol}"


def written_units(measures: Measures, labels: Iterable[str]) -> dict[str, str]:
    """Units by label, without those that are not determined."""
    found = {label: measures.text(label) for label in labels}
    return {label: text for label, text in found.items() if text is not None}


def known_units(system: Any) -> dict[str, str]:
    """Units of states and inputs by label; none where those that are given contradict each other."""
    try:
        return system.units()
    except UnitsError:  # which `units` tells
        return {}


def factor_of(unit: Unit, factors: Mapping[str, Fraction]) -> Fraction | float:
    """By how much numbers of a unit are multiplied when those of the bases are: exact where it can be."""
    powers = {base: e for base, e in unit.powers.items() if factors.get(base, 1) != 1}
    if all(e.denominator == 1 for e in powers.values()):
        exact = Fraction(1)
        for base, e in powers.items():
            exact *= factors[base] ** int(e)
        return exact
    found = sp.Mul(*(sp.Rational(factors[b]) ** sp.Rational(e) for b, e in powers.items()))
    return Fraction(int(found.p), int(found.q)) if found.is_Rational else float(found)
