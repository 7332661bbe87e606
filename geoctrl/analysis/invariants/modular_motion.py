"""A motion modulo a prime: random states on the leaf, what stands for functions, and the rates of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy as sp

from geoctrl._scalars import PARAMETER, STATE, Node
from geoctrl._scalars.arithmetic.residues import RandomFunctions, RandomResidues, Residues, residues_of
from geoctrl.analysis.invariants.leaf_points import states_on_leaf
from geoctrl.errors import InputError
from geoctrl.systems import ReducedSystem

__all__ = ["Constants", "ModularMotion", "is_short"]

_SHORT = 32
"""Numerator and denominator of a number that is put in as it is; others are symbols until the end."""
_FUNCTIONS = 12
"""Most functions of the states that polynomials may hold."""
_SWITCHES = ("abs", "sign", "select_positive", "select_nonnegative")


@dataclass
class _Constant:
    """A symbol that stands for parameters: its meaning, and its number where it has one."""

    symbol: sp.Expr
    number: Fraction | None


class Constants:
    """Parameters as multiples of independent symbols, or as short numbers.

    Long numbers, as doubles are, make coefficients that no residue tells. They are taken for symbols, one for
    all that are short multiples of each other, so that I1 = I2 and I1 = 2 I3 are seen. What holds for all
    values holds for these.

    Parameters
    ----------
    given : mapping name -> Fraction
        Parameters that have numbers; the others are symbols.
    nodes : sequence of Node
        Where parameters and functions of them may occur.
    """

    def __init__(self, system: ReducedSystem, given: Mapping[str, Fraction], nodes: Sequence[Node]) -> None:
        self._places: dict[Node, tuple[Fraction, int | None]] = {}
        self._constants: list[_Constant] = []
        reachable = system.graph.reachable(nodes)
        for parameter in system.mechanism.parameters:
            node = system.assembly.parameters[parameter.name]
            if node not in reachable:
                continue
            self._places[node] = self._place(parameter.symbol, given.get(parameter.name))
        for node in (n for n in reachable if n.kind == "fun" and n.level == PARAMETER):
            self._places[node] = self._place(system.to_sympy([node])[0], None)

    def _place(self, symbol: sp.Expr, number: Fraction | None) -> tuple[Fraction, int | None]:
        if number is not None:
            if is_short(number):
                return number, None
            for i, constant in enumerate(self._constants):
                if constant.number and is_short(number / constant.number):
                    return number / constant.number, i
        self._constants.append(_Constant(symbol, number))
        return Fraction(1), len(self._constants) - 1

    def __len__(self) -> int:
        return len(self._constants)

    @property
    def symbols(self) -> list[sp.Expr]:
        """What the independent symbols stand for: parameters, functions of them, or numbers."""
        return [
            c.symbol if c.number is None else sp.Rational(c.number.numerator, c.number.denominator)
            for c in self._constants
        ]

    def values(self, of: Sequence[Residues]) -> dict[Node, Residues]:
        """Values of parameters and their functions, given those of the independent symbols."""
        return {node: Residues.number(q) if i is None else of[i] * q for node, (q, i) in self._places.items()}


def is_short(q: Fraction | None) -> bool:
    """Whether a residue is this number, and no other, for all that one believes."""
    return q is not None and max(abs(q.numerator), q.denominator) <= _SHORT


class ModularMotion:
    """States and functions of them, with their rates under inputs that are zero.

    Attributes
    ----------
    generators : list of Node
        States, reciprocals of what the energy divides by, and functions that equations and leaf hold.
    rates : list of Node
    """

    def __init__(self, system: ReducedSystem) -> None:
        self.system, g = system, system.graph
        field = g.substitute(system.field_nodes, dict.fromkeys(system.input_nodes, g.zero))
        if system.time_node in g.symbols(field):
            raise InputError(
                f"the equations of {system.name or 'the system'} hold the time with all inputs zero: "
                "what is searched for is conserved by equations without it"
            )
        motion = dict(zip(system.state_nodes, field, strict=True))
        inverse = _denominators(system)
        rates = {**motion, **dict(zip(inverse, g.push_forward(inverse, motion), strict=True))}
        while True:
            reachable = g.reachable([*rates.values(), *system.leaf.nodes, system.assembly.energy])
            functions = [n for n in reachable if n.kind == "fun" and n.level == STATE and n not in rates]
            functions = [n for n in functions if n.payload[0] not in _SWITCHES]
            if not functions or len(rates) + len(functions) > len(motion) + len(inverse) + _FUNCTIONS:
                break
            rates |= dict(zip(functions, g.push_forward(functions, motion), strict=True))
        self.generators, self.rates = list(rates), list(rates.values())

    @property
    def nodes(self) -> list[Node]:
        """All that is evaluated."""
        return [*self.rates, *self.system.leaf.nodes, *self.generators]

    def values_on_leaf(
        self,
        nodes: Sequence[Node],
        parameters: Mapping[Node, Residues],
        count: int,
        rng: RandomResidues,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values (len(nodes), count) at random states on the leaf, and which of these are states."""
        functions = RandomFunctions(rng, count)
        states = states_on_leaf(self.system, parameters, functions, rng)
        found = residues_of(nodes, {**parameters, **states}, functions)
        return np.array([r.values for r in found], dtype=np.uint64).reshape(-1, count), functions.valid


def _denominators(system: ReducedSystem) -> list[Node]:
    """Reciprocals of the functions of the state that the energy divides by."""
    g, found = system.graph, dict[Node, None]()
    for node in g.reachable([system.assembly.energy]):
        if node.kind == "prod":
            atoms = (atom for atom, e in node.payload[1] if e < 0 and atom.level == STATE)
            found |= {g.power(atom, -1): None for atom in atoms}
    return list(found)
