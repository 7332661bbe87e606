"""Functions of the configuration: rational points of the leaf, and monomials that are independent there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np
import sympy as sp

from geoctrl._scalars import RATIONAL, STATE, FromSympy, Graph, Node, evaluate
from geoctrl._scalars.arithmetic.modular import residue
from geoctrl.analysis.invariants.orbit_points import exact_configurations
from geoctrl.errors import MatchingError
from geoctrl.synthesis.shaping.plant import Plant

__all__ = ["Ansatz", "Point", "RationalPoints", "held_symbols"]


@dataclass(frozen=True)
class Point:
    """A rational configuration with rational parameters; sines and cosines count as entries."""

    values: Mapping[Node, Fraction]

    def residues(self, nodes: Sequence[Node]) -> list[int]:
        """Expressions there modulo the prime; DivisionError at a pole."""
        return [residue(q) for q in evaluate(nodes, self.values, RATIONAL)]


class RationalPoints:
    """Random rational points of a plant's leaf, angles by the tangent of half of each.

    Parameters
    ----------
    numbers : mapping from names of parameters to Fraction
        Others are drawn anew at each point.
    further : symbols
        Likewise drawn, like parameters.
    """

    def __init__(
        self,
        plant: Plant,
        numbers: Mapping[str, Fraction] | None = None,
        further: Sequence[sp.Symbol] = (),
    ) -> None:
        self.plant, self.numbers = plant, dict(numbers or {})
        self.graph = Graph()
        self._symbols: dict[sp.Symbol, Node] = {}
        self._pairs: dict[sp.Symbol, tuple[sp.Symbol, sp.Symbol]] = {}
        self._rng = np.random.default_rng(5)
        m = plant.mechanism
        self._constants = (*(p.symbol for p in m.parameters), *further)
        for s in (*m.configuration_symbols, *self._constants):
            self._symbols[s] = self.graph.symbol(str(s), STATE)

    def read(self, expressions: Sequence[sp.Expr]) -> list[Node]:
        """Nodes of rational functions of the configuration and of sines and cosines of single angles."""
        plain = [self.plain(e) for e in expressions]
        convert = FromSympy(self.graph, self._symbols)
        return [convert(e) for e in plain]

    def plain(self, expr: sp.Expr) -> sp.Expr:
        """An expression in sines and cosines as symbols of their own; MatchingError as `read`."""
        return self._without_angles(sp.expand_trig(expr))

    @property
    def circles(self) -> list[tuple[sp.Symbol, sp.Symbol]]:
        """Sine and cosine of each angle met so far."""
        return list(self._pairs.values())

    def configuration(self, point: Point) -> dict[sp.Symbol, sp.Rational]:
        """Numbers of what is no parameter, for what `plain` gives."""
        values = {s: point.values[node] for s, node in self._symbols.items() if s not in self._constants}
        return {s: sp.Rational(q.numerator, q.denominator) for s, q in values.items()}

    def _without_angles(self, expr: sp.Expr) -> sp.Expr:
        """The expression in the sine and cosine as symbols of their own."""
        table = {}
        for f in expr.atoms(sp.Function):
            angle = f.args[0]
            if not isinstance(f, sp.sin | sp.cos | sp.tan) or angle not in self._symbols:
                raise MatchingError(
                    f"{f} is no rational function of the configuration and of sines and cosines of angles; "
                    "the search is among these"
                )
            sine, cosine = self._pair(angle)
            table[f] = {sp.sin: sine, sp.cos: cosine, sp.tan: sine / cosine}[f.func]
        return expr.xreplace(table)

    def _pair(self, angle: sp.Symbol) -> tuple[sp.Symbol, sp.Symbol]:
        if angle not in self._pairs:
            pair = sp.Symbol(f"sin({angle})"), sp.Symbol(f"cos({angle})")
            self._pairs[angle] = pair
            for s in pair:
                self._symbols[s] = self.graph.symbol(str(s), STATE)
        return self._pairs[angle]

    def __iter__(self) -> Iterator[Point]:
        """Points for what was read before."""
        system = self.plant.mechanism.reduce()
        for gamma in exact_configurations(system, self._rng):
            yield self._point(dict(zip(self.plant.mechanism.configuration_symbols, gamma, strict=True)))
        raise MatchingError(
            "the search needs rational points of the leaf, and none are known for this mechanism "
            "(they are for vectors that rotations carry, and for coordinates)"
        )

    def _point(self, numbers: dict[sp.Symbol, Fraction]) -> Point:
        for s in self._constants:
            numbers[s] = self.numbers.get(str(s), Fraction(int(self._rng.integers(1, 300)), 97))
        for sine, cosine in self._pairs.values():
            t = Fraction(int(self._rng.integers(-200, 200)), 101)
            numbers[sine], numbers[cosine] = 2 * t / (1 + t * t), (1 - t * t) / (1 + t * t)
        return Point({self._symbols[s]: q for s, q in numbers.items()})


def held_symbols(plant: Plant) -> set[sp.Symbol]:
    """Of the configuration: what Lagrangian, frame and constraints depend on, of vectors all components."""
    m = plant.mechanism
    matrices = [sp.Matrix(m.inertia), plant.frame.matrix, sp.Matrix([m.potential])]
    matrices += [] if m.gyroscopic is None else [sp.Matrix(m.gyroscopic)]
    matrices += [] if m.constraints is None else [sp.Matrix(m.constraints)]
    held = set().union(*(matrix.free_symbols for matrix in matrices))
    for advected in m.advected:
        if held & set(advected.symbols):
            held |= set(advected.symbols)
    return held & set(m.configuration_symbols)


class Ansatz:
    """Monomials up to a degree in what a plant's Lagrangian depends on, independent on the leaf.

    Positions that the Lagrangian, frame and constraints do not hold stay out: what is sought keeps the
    symmetries of the plant.

    Attributes
    ----------
    degree : int
        In advected components, coordinates, and sines and cosines of angles.
    without : set of symbols
        Coordinates that are left out as well.
    """

    def __init__(self, plant: Plant, degree: int, without: frozenset[sp.Symbol] = frozenset()) -> None:
        self.plant, self.degree, self.without = plant, degree, without

    @cached_property
    def variables(self) -> list[sp.Expr]:
        """What monomials are made of: advected components, coordinates, sine and cosine for an angle."""
        m, held = self.plant.mechanism, held_symbols(self.plant) - self.without
        found: list[sp.Expr] = [s for s in m.advected_symbols if s in held and s not in m.removed]
        for c in m.variables:
            if c.symbol in held:
                angle = getattr(c, "angle", False)
                found += [sp.cos(c.symbol), sp.sin(c.symbol)] if angle else [c.symbol]
        return found

    @cached_property
    def monomials(self) -> list[sp.Expr]:
        """Standard monomials modulo the leaf, of low degree first."""
        leading = self._leading
        found = []
        for d in range(self.degree + 1):
            for places in combinations_with_replacement(range(len(self.variables)), d):
                powers = [places.count(i) for i in range(len(self.variables))]
                if not any(all(a >= b for a, b in zip(powers, p, strict=True)) for p in leading):
                    found.append(sp.Mul(*(self.variables[i] for i in places)))
        return found

    @property
    def _leading(self) -> list[tuple[int, ...]]:
        """Leading powers of a Groebner basis, by degree, of the relations among the variables."""
        names = [sp.Symbol(f"x{i}") for i in range(len(self.variables))]
        table = dict(zip(self.variables, names, strict=True))
        leaf = self.plant.mechanism.reduce().leaf
        relations = [r.expr.xreplace(table) for r in leaf.relations[: leaf.geometric]]
        relations = [r for r in relations if r.free_symbols <= set(names)]
        sines = [v for v in self.variables if isinstance(v, sp.sin)]
        relations += [table[v] ** 2 + table[sp.cos(v.args[0])] ** 2 - 1 for v in sines]
        if not relations:
            return []
        basis = sp.groebner(relations, *reversed(names), order="grevlex")
        return [p.monoms(order="grevlex")[0][::-1] for p in basis.polys]

    def samples(
        self, points: RationalPoints, rows: Sequence[sp.Expr]
    ) -> Iterator[tuple[list[int], list[list[int]]]]:
        """At points modulo the prime: the rows, and for each monomial its value and its rates e_j."""
        jets = [[m, *self.plant.along(m)] for m in self.monomials]
        nodes = points.read([*rows, *(e for jet in jets for e in jet)])
        width = self.plant.mechanism.algebra.n + 1
        for point in points:
            try:
                values = point.residues(nodes)
            except ZeroDivisionError:  # a pole of the rows: the next point
                continue
            yield values[: len(rows)], [values[i : i + width] for i in range(len(rows), len(values), width)]
