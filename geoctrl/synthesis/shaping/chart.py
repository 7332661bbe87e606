"""Coordinates of a plant whose velocities commute, and functions with a given derivative along a field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from geoctrl._scalars.algebra.circles import single_angles
from geoctrl.algebra import Quasicoordinate
from geoctrl.errors import MatchingError
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.shaping.primitives import as_fraction, primitive

__all__ = ["Chart", "Found"]


@dataclass(frozen=True)
class Found:
    """A function with a given derivative along a field.

    Attributes
    ----------
    quasicoordinate : Quasicoordinate or None
        What the value is where it has no closed form: a state with the right rate.
    carrier : int
        Place of the velocity that moves it.
    """

    value: sp.Expr
    quasicoordinate: Quasicoordinate | None = None
    carrier: int = -1


@dataclass(frozen=True, eq=False)
class Chart:
    """Coordinates of a plant whose velocities commute, all of them states or cyclic.

    Attributes
    ----------
    added : tuple of Found
        Functions without closed form, each moved by one velocity.
    """

    plant: Plant
    added: tuple[Found, ...] = ()

    def __post_init__(self) -> None:
        m = self.plant.mechanism
        labels = m.algebra.labels
        bound = sorted({labels[x] for i, j, *_ in m.algebra.brackets for x in (i, j)})
        if bound:
            raise MatchingError(
                f"{', '.join(bound)} do not commute; this class takes rates of coordinates and "
                "abelian velocities"
            )
        carried = ", ".join(a.name for a in m.advected)
        if carried:
            raise MatchingError(
                f"{carried} is carried along by velocities; this class takes coordinates in its place"
            )
        if m.quasicoordinates:
            raise MatchingError(
                f"this class takes plants without quasi-coordinates; {m.quasicoordinates[0].name} is one"
            )
        if self.plant.frame.matrix != sp.eye(m.algebra.n):
            raise MatchingError("this class takes plants without constraints, in their own velocities")

    @cached_property
    def coordinates(self) -> tuple[sp.Symbol | None, ...]:
        """The coordinate of each velocity, None where nothing depends on it."""
        m = self.plant.mechanism
        places = {c.rate: c.symbol for c in m.shape}
        return tuple(places.get(v) for v in m.algebra.xi)

    @property
    def symbols(self) -> set[sp.Symbol]:
        """All that moves: coordinates and added functions."""
        return {q for q in self.coordinates if q is not None} | {f.value for f in self.added}

    def gradient(self, f: sp.Expr) -> list[sp.Expr]:
        """e_A[f] for all velocities."""
        found = [sp.Integer(0) if q is None else sp.diff(f, q) for q in self.coordinates]
        for one in self.added:
            rate = one.quasicoordinate.rate  # type: ignore[union-attr]  # what is added has no closed form
            found[one.carrier] += sp.diff(f, one.value) * sp.diff(
                rate, self.plant.mechanism.algebra.xi[one.carrier]
            )
        return found

    def derivative(self, field: Sequence[sp.Expr], f: sp.Expr) -> sp.Expr:
        """w[f]."""
        return sp.Add(*(a * b for a, b in zip(field, self.gradient(f), strict=True)))

    def at_rest(self, f: sp.Expr) -> sp.Expr:
        """f where all coordinates are zero."""
        return f.subs(dict.fromkeys(self.symbols, 0))

    # -- functions with a given derivative ------------------------------------------------------

    def function_with_rate(
        self, field: Sequence[sp.Expr], rate: sp.Expr, name: str, what: str, unit: str = ""
    ) -> Found:
        """A function y with w[y] = rate: in closed form, else as a quasi-coordinate of that name."""
        if rate == 0:
            return Found(sp.Integer(0))
        for ratio, place in self._of_one_coordinate(field, rate):
            x = self.coordinates[place]
            if x is None or not self.symbols & ratio.free_symbols <= {x}:
                continue
            closed = primitive(ratio, x)
            if closed is not None:
                return Found(single_angles(closed))
        closed = self._along_the_flow(field, rate)
        return self.as_state(field, rate, name, what, unit) if closed is None else Found(closed)

    def as_state(
        self, field: Sequence[sp.Expr], rate: sp.Expr, name: str, what: str, unit: str = ""
    ) -> Found:
        """A function y with w[y] = rate as a quasi-coordinate."""
        for ratio, place in self._of_one_coordinate(field, rate):
            z = Quasicoordinate(name, ratio * self.plant.mechanism.algebra.xi[place], unit, what)
            return Found(z.symbol, z, place)
        raise MatchingError(
            f"{what} is not found in closed form along this direction; give another direction="
        )

    def left_alone(self, field: Sequence[sp.Expr], place: int, name: str) -> Found:
        """A position z = q - y of a fibre's velocity with w[z] = 0."""
        (base,) = self.plant.base
        xi, labels = self.plant.mechanism.algebra.xi, self.plant.mechanism.algebra.labels
        s, q = self.coordinates[base], self.coordinates[place]
        slope = as_fraction(field[place] / field[base])
        riding = {f.value for f in self.added if f.carrier == base}
        if not self.symbols & slope.free_symbols <= {s} | riding:
            raise MatchingError(
                f"no position of {labels[place]} is known that this direction leaves alone: its slope "
                "depends on more than the unactuated coordinate; kinetic shaping needs none"
            )
        if q is not None:
            closed = sp.Integer(0) if slope == 0 else None
            if s is not None and not riding & slope.free_symbols:
                closed = primitive(slope, s)
            if closed is not None:
                return Found(q - single_angles(closed))
        z = Quasicoordinate(
            name, xi[place] - slope * xi[base], "", "position that the unactuated motion leaves alone"
        )
        return Found(z.symbol, z)

    def _of_one_coordinate(self, field: Sequence[sp.Expr], rate: sp.Expr) -> list[tuple[sp.Expr, int]]:
        """Derivatives by one coordinate alone, where a function of it will do, and the coordinate's place."""
        found = []
        for place in (*self.plant.base, *self.plant.fibre):
            if field[place] == 0:
                continue
            ratio = as_fraction(rate / field[place])
            riding = {f.value for f in self.added if f.carrier == place}
            if self.symbols & ratio.free_symbols <= {self.coordinates[place]} | riding:
                found.append((ratio, place))
        return found

    def _along_the_flow(self, field: Sequence[sp.Expr], rate: sp.Expr) -> sp.Expr | None:
        """The integral over the unactuated coordinate S, the others q = z + B(S) with z fixed."""
        (base,) = self.plant.base
        s = self.coordinates[base]
        if s is None or self.added:
            return None
        flow, fixed, back = {}, {}, {}
        for place in self.plant.fibre:
            q = self.coordinates[place]
            if q is None or not rate.has(q):
                continue
            slope = as_fraction(field[place] / field[base])
            moved = primitive(slope, s) if self.symbols & slope.free_symbols <= {s} else None
            if moved is None:
                return None
            z = sp.Dummy(q.name, real=True)
            flow[q], fixed[z], back[z] = z + moved, q, q - moved
        integrand = as_fraction(rate / field[base])
        if not (self.symbols & integrand.free_symbols) - {s} <= set(flow):
            return None
        upper = primitive(integrand.xreplace(flow), s)
        return None if upper is None else single_angles(upper.xreplace(back))
