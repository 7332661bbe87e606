"""Loops of a law with free gains near one equilibrium, with damping of any strength; the plant's pace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import named_parameters
from geoctrl.analysis import linearize
from geoctrl.errors import EquilibriumError, GeoctrlError, MatchingError
from geoctrl.synthesis.gain_search import DampedModes
from geoctrl.synthesis.plant import Plant
from geoctrl.synthesis.shaped_law import ShapedLaw
from geoctrl.synthesis.stiffness import at_rest
from geoctrl.systems import ReducedSystem

__all__ = ["LinearLoops"]

Numbers = Mapping[str, float] | None


class LinearLoops:
    """Linear loops at an equilibrium.

    Attributes
    ----------
    law : ShapedLaw
        Its gains are symbols.
    plant : Plant
    point : callable
        The equilibrium of a system at parameters, or its state.
    """

    def __init__(self, law: ShapedLaw, plant: Plant, point: Callable[[ReducedSystem, Numbers], Any]) -> None:
        self.law, self.plant, self.point = law, plant, point

    @cached_property
    def _damped(self) -> tuple[ShapedLaw, str] | None:
        """The law with the strength of damping as a symbol, and its name; None where no output is passive."""
        name = "k"
        while name in self.law.loop.params or name in self.plant.mechanism.taken:
            name += "_"
        try:
            return self.law.with_damping(k=sp.Symbol(name, real=True), energy="minimum"), name
        except MatchingError:
            return None

    def modes(self, gains: Mapping[str, float], params: Numbers = None) -> DampedModes | None:
        """The linear loop with some gains; None where it has none: an inertia is singular there.

        Damping that brakes the motion at the equilibrium, which it is to keep, is none.
        """
        given = {**gains, **named_parameters(params)}
        law, name = self._damped or (self.law, None)
        known = {k: v for k, v in given.items() if k in law.loop.params}
        try:
            point = _state(self.point(self.law.loop, given))
            linear = [linearize(law.loop, point, known if name is None else {**known, name: 0.0})]
            if name is not None:
                with suppress(EquilibriumError):
                    linear.append(linearize(law.loop, point, {**known, name: 1.0}))
            inputs = [law.gradient(lin.equilibrium.x, lin.equilibrium.params) for lin in linear]
        except GeoctrlError:
            return None
        bare, damped, W = linear[0], linear[-1], linear[0].basis
        return DampedModes(
            A=bare.A_leaf,
            change=W.T @ (damped.A - bare.A) @ W,
            C=inputs[0] @ W,
            C_change=(inputs[-1] - inputs[0]) @ W,
            basis=W,
            neutral=len(damped.zero_modes),
            undamped=len(bare.zero_modes),
        )

    def pace(self, params: Numbers = None) -> float:
        """Largest rate of the plant at the equilibrium; 1 rad/s where it does not rest there by itself."""
        plant = self.plant.mechanism.reduce()
        known = {k: v for k, v in named_parameters(params).items() if k in plant.params}
        try:
            point = _state(self.point(plant, params))[: plant.nstates]
            values = np.abs(linearize(plant, point, known or None).eigenvalues)
        except EquilibriumError:
            return 1.0
        return float(values.max()) if values.size and values.max() > 0 else 1.0

    def one_direction(
        self, gains: Mapping[str, float], params: Numbers
    ) -> tuple[float, float, float, float] | None:
        """g, gamma, k and D where all are multiples of unit matrices; None where they are not."""
        point = self.point(self.law.loop, {**gains, **named_parameters(params)})
        found = at_rest(self.plant, self.law.loop, point, params)
        if found is None:
            return None
        G, H, fibre, base = found
        gamma, coupling = G[np.ix_(fibre, fibre)], G[np.ix_(fibre, base)]
        inner = np.linalg.solve(gamma, coupling)
        squares = [G[np.ix_(base, base)], gamma, coupling.T @ inner, -H[np.ix_(base, base)]]
        units = [_unit(m) for m in squares]
        if any(u is None for u in units):
            return None
        g, c, kgk, D = (float(u) for u in units if u is not None)
        return g, c, float(np.sqrt(kgk / c)), D


def _state(point: Any) -> np.ndarray:
    return np.asarray(getattr(point, "x", point), dtype=float)


def _unit(matrix: np.ndarray) -> float | None:
    """c of c times the unit matrix."""
    c = float(matrix[0, 0]) if matrix.size else 0.0
    return c if matrix.size and np.allclose(matrix, c * np.eye(len(matrix)), rtol=1e-9, atol=1e-12) else None
