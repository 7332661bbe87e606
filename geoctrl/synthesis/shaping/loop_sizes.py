r"""Sizes of the states of a loop near a point of its plant, and of the gains that shape the plant's energy.

A gain has the size at which the controlled energy is like the plant's: the entries of its inertia and of its
potential's second derivatives are, at the point, quotients p/q of polynomials in the gains, and in logarithms

.. math::

    \log|c| + e\cdot\zeta = r + \log\frac{E}{d_i d_j}, \qquad \log|c| + e\cdot\zeta = r

for every monomial :math:`c\,g^e` of p, of q, :math:`g = e^\zeta`, with r free for each entry, d the sizes of
the states and E the energy of the plant's velocities at their sizes. That is solved by least squares; in
other units g goes over as a gain does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import sympy as sp

from geoctrl._scalars import exact
from geoctrl.synthesis.shaping.controlled_lagrangian import Controlled
from geoctrl.systems import ReducedSystem

__all__ = ["LoopSizes"]

_SETTLED = 1e-10
"""Singular value of the equations of the gains, relative to the largest, along which they say nothing."""


class LoopSizes:
    """Sizes near a point.

    Attributes
    ----------
    controlled : Controlled
        Its gains may be symbols.
    rate : float
        Of the plant there (1/s).
    """

    def __init__(
        self, plant: ReducedSystem, controlled: Controlled, x: np.ndarray, params: Mapping[str, float]
    ) -> None:
        self.controlled = controlled
        self._found: dict[tuple[sp.Symbol, ...], np.ndarray] = {}
        numbers = plant.parameters_at({k: v for k, v in params.items() if k in plant.params} or None)
        scales = plant.scales(x, None, numbers)
        self.rate = scales.rate or 1.0
        self._known = dict(zip(plant.state_labels, scales.column.tolist(), strict=True))
        m = controlled.plant.mechanism
        at = {p.symbol: sp.Rational(exact(numbers[p.name])) for p in m.parameters}
        places = zip(plant.state_labels, x.tolist(), strict=True)
        at |= {sp.Symbol(label, real=True): sp.Rational(exact(v)) for label, v in places}
        self._at = at | {s: e.xreplace(at) for s, e in m.removed.items()}

    @cached_property
    def velocities(self) -> list[float]:
        """Of the velocities of the frame."""
        return [self._known[label] for label in self.controlled.plant.frame.labels]

    @cached_property
    def _quasicoordinate_sizes(self) -> dict[str, float]:
        """Of quasi-coordinates: what velocities of their sizes move in the plant's time, without gains."""
        m = self.controlled.plant.mechanism
        full = np.abs(self._frame) @ self.velocities
        none = self._at | {z.symbol: sp.S.Zero for z in self.controlled.quasicoordinates}
        none |= {p.symbol: sp.S.Zero for p in self.controlled.gains}
        found = {}
        for z in self.controlled.quasicoordinates:
            slopes = [sp.diff(z.rate, v).xreplace(none) for v in m.algebra.xi]
            known = ((e, d) for e, d in zip(slopes, full, strict=True) if e.is_finite and e.is_real)
            found[z.name] = sum(abs(float(e)) * d for e, d in known) / self.rate
        return found

    @cached_property
    def _frame(self) -> np.ndarray:
        matrix = self.controlled.plant.frame.matrix.xreplace(self._at)
        return np.array(matrix.evalf().tolist(), dtype=float)

    def states(self, labels: Sequence[str]) -> np.ndarray:
        """Of states of a loop."""
        sizes = {**self._known, **self._quasicoordinate_sizes}
        return np.array([sizes.get(label) or 1.0 for label in labels])

    def gains(self, symbols: Sequence[sp.Symbol]) -> np.ndarray:
        """Of gains; one where the energy says nothing of them."""
        asked = tuple(symbols)
        if asked not in self._found:
            self._found[asked] = self._gain_sizes(asked)
        return self._found[asked]

    def _gain_sizes(self, symbols: Sequence[sp.Symbol]) -> np.ndarray:
        rows: list[tuple[tuple[int, ...], int]] = []
        right: list[float] = []
        levels = 0
        for entry, target in self._entries():
            terms = [
                (powers, float(np.log(abs(c))), goal)
                for part, goal in zip(sp.fraction(sp.together(entry)), (target, 0.0), strict=True)
                for powers, c in _monomials(part, symbols)
            ]
            if not terms:
                continue
            rows += [(powers, levels) for powers, _, _ in terms]
            right += [goal - log for _, log, goal in terms]
            levels += 1
        equations = np.zeros((len(rows), len(symbols) + levels))
        for k, (powers, level) in enumerate(rows):
            equations[k, : len(symbols)] = powers
            equations[k, len(symbols) + level] = -1.0
        if not rows:
            return np.ones(len(symbols))
        found = np.linalg.lstsq(equations, np.array(right), rcond=_SETTLED)[0]
        return np.exp(found[: len(symbols)])

    @cached_property
    def energy(self) -> float:
        """The geometric mean of the energies of the plant's velocities at their sizes."""
        E = self.controlled.plant.frame.matrix.xreplace(self._at)
        inertia = sp.Matrix(self.controlled.plant.mechanism.inertia).xreplace(self._at)
        own = np.array((E.T * inertia * E).evalf().tolist(), dtype=float)
        energies = np.abs(np.diag(own)) * np.square(self.velocities)
        return float(np.exp(np.mean(np.log(energies[energies > 0]))))

    @cached_property
    def damping(self) -> float:
        """Of a force by the velocity that it acts along, which takes that energy within the plant's time."""
        drive = np.array(self.controlled.plant.drive.xreplace(self._at).evalf().tolist(), dtype=float)
        moved = np.abs(self._frame.T @ drive).T @ self.velocities
        return self.rate * self.energy / float(np.exp(np.mean(np.log(np.square(moved)))))

    def _entries(self) -> list[tuple[sp.Expr, float]]:
        """Second variations of the controlled energy at the point, and the logarithms of their sizes."""
        made, plant = self.controlled, self.controlled.plant
        E, d = plant.frame.matrix.xreplace(self._at), self.velocities
        level = float(np.log(self.energy))
        inertia = E.T * sp.Matrix(made.inertia).xreplace(self._at) * E
        found = [
            (inertia[i, j], level - float(np.log(d[i] * d[j]))) for i in range(len(d)) for j in range(i + 1)
        ]
        places = made.mechanism.configuration_symbols
        c = self.states([str(s) for s in places])
        home = self._at | {z.symbol: sp.S.Zero for z in made.quasicoordinates}
        for i, a in enumerate(places):
            for j, b in enumerate(places[: i + 1]):
                slope = sp.diff(made.potential, a, b).xreplace(home)
                found.append((slope, level - float(np.log(c[i] * c[j]))))
        return [(entry, target) for entry, target in found if entry != 0]


def _monomials(part: sp.Expr, symbols: Sequence[sp.Symbol]) -> list[tuple[tuple[int, ...], float]]:
    """Powers of the gains and coefficients; none where it is no polynomial in them with numbers."""
    try:
        terms = sp.Poly(part, *symbols).terms()
        return [(tuple(map(int, powers)), float(c)) for powers, c in terms if c != 0]
    except (sp.PolynomialError, TypeError, ValueError):
        return []
