"""Generators of the polynomials that equations are in, with their values at a point.

Which conserved functions hold levels of their own at a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from flint import arb, fmpq

from geoctrl import decisions
from geoctrl.decisions.arithmetic.eliminations import Span

__all__ = ["Generators", "NotSolved", "Polynomials", "independent_invariants"]


def independent_invariants(q: decisions.Question, names: Sequence[str]) -> list[str]:
    """Names of functions with gradients independent of those before and of the leaf's, the energy's left
    out.
    """
    span = Span(q.leaf[0])
    return [name for name in names if name != "energy" and span.take(q.function(name)[1])]


class NotSolved(Exception):  # noqa: N818 - an answer rather than a failure
    """What was looked for was not found."""


class Polynomials(Protocol):
    """Polynomials in states and what else moves, with values at a point."""

    @property
    def gens(self) -> Sequence[Any]:
        """All generators of the ring."""

    @property
    def states(self) -> list[int]:
        """Numbers of those that are states."""

    @property
    def velocities(self) -> list[int]:
        """Numbers of those that are velocities."""

    @property
    def point(self) -> dict[int, fmpq]:
        """Values of generators, where they are rational."""

    @property
    def one(self) -> Any:
        """The constant polynomial."""

    def value_of(self, polynomial: Any) -> Any:
        """The value of a polynomial, or what is false where it is zero."""


@dataclass(frozen=True)
class Generators:
    """States, unknowns and functions of a question as generators of its ring, by number.

    Attributes
    ----------
    gens : all generators of the ring
    places : place in the table of each generator that has one
    point : value of each of these, where it is rational
    states, velocities, unknowns : numbers of their generators
    angles : name and state of each generator that is the sine or cosine of a state
    circles : squares of sine and cosine of a state less one, which vanish everywhere
    constants : generators that are functions of parameters alone
    """

    gens: Sequence[Any]
    places: dict[int, int]
    point: dict[int, fmpq]
    states: list[int]
    velocities: list[int]
    unknowns: list[int]
    angles: dict[int, tuple[str, int]]
    circles: list[Any]
    constants: frozenset[int] = frozenset()

    @classmethod
    def of(cls, q: decisions.Question) -> Generators:
        """Those of a question of which the functions that matter have been met."""
        F, n = q.functions, len(q.labels)
        gens = F.gens
        number = {str(g): i for i, g in enumerate(gens)}
        moving = [number[str(x.top)] for x in F.variables]
        places = dict(zip(moving, q.moving_places, strict=True))
        angles: dict[int, tuple[str, int]] = {}
        for place, node in enumerate(q.table):
            if node[0] != "fun" or node[1] in ("select", "quadrature"):
                continue
            result, argument = q.ratios([place, node[2][0]])
            if result.below or str(result.top) not in number:
                continue
            i = number[str(result.top)]
            places.setdefault(i, place)
            if node[1] in ("sin", "cos") and not argument.below and str(argument.top) in number:
                angles[i] = node[1], number[str(argument.top)]
        circles = [
            gens[i] ** 2 + gens[j] ** 2 - 1
            for i in angles
            for j in angles
            if i < j and angles[i][1] == angles[j][1]
        ]
        values = {i: jet.value for i, jet in zip(places, q.jets(list(places.values())), strict=True)}
        unknown = set(q.moving_places[n:])
        return cls(
            gens=gens,
            places=places,
            point={i: v for i, v in values.items() if v is not None},
            states=moving[:n],
            velocities=[i for i, p in zip(moving, q.problem["field"], strict=False) if p in unknown],
            unknowns=moving[n:],
            angles=angles,
            circles=circles,
        )

    @property
    def one(self) -> Any:
        """The constant polynomial."""
        return self.gens[0] ** 0

    def value_of(self, polynomial: Any) -> fmpq:
        """Its value at the point; NotSolved where it holds what has no rational value there."""
        total = fmpq(0)
        for exponents, c in polynomial.terms():
            for i, e in enumerate(exponents):
                if e:
                    if i not in self.point:
                        raise NotSolved
                    for _ in range(int(e)):  # a power of a ball about zero would have no bounds
                        c = c * self.point[i]
            total = total + c
        return total

    def vanishes(self, polynomial: Any) -> bool:
        """Whether its value at the point is zero, or a ball that may be."""
        value = self.value_of(polynomial)
        return value.contains(0) if isinstance(value, arb) else not value
