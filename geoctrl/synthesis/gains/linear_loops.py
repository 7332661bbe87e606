"""Loops of a law with free gains near one equilibrium, with damping of any strength; the plant's pace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import named_parameters
from geoctrl.analysis import Linearization, linearize
from geoctrl.errors import EquilibriumError, GeoctrlError, MatchingError
from geoctrl.synthesis.gains.gain_search import DampedModes
from geoctrl.synthesis.shaped_laws.shaped_law import ShapedLaw
from geoctrl.synthesis.shaping.loop_sizes import LoopSizes
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.shaping.stiffness import at_rest
from geoctrl.systems import ReducedSystem

__all__ = ["LinearLoops"]

_ALIKE = 1e-9
"""Difference of entries, relative to the largest, that counts as none."""

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
        self._sizes: tuple[tuple, LoopSizes] | None = None
        self._counts: dict[tuple, tuple[int, int] | None] = {}

    @cached_property
    def _law_with_damping(self) -> tuple[ShapedLaw, str] | None:
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
        linear = self._linear(gains, params)
        if linear is None:
            return None
        (bare, C), (damped, C_damped) = linear[0], linear[-1]
        sizes = self.sizes(params)
        d = sizes.states(self.law.loop.state_labels)
        W = np.linalg.qr(bare.basis / d[:, None])[0]
        inner, outer = W.T / d, d[:, None] * W
        neutral, undamped = self._neutral(gains, params) or (len(damped.zero_modes), len(bare.zero_modes))
        return DampedModes(
            A=inner @ bare.A @ outer,
            change=inner @ (damped.A - bare.A) @ outer / sizes.damping,
            C=C @ outer,
            C_change=(C_damped - C) @ outer / sizes.damping,
            basis=outer,
            coordinates=inner,
            neutral=neutral,
            undamped=undamped,
        )

    def _linear(
        self, gains: Mapping[str, float], params: Numbers
    ) -> list[tuple[Linearization, np.ndarray]] | None:
        """The loop, and that with damping of its size where there is any, with the slopes of the inputs."""
        given = {**gains, **named_parameters(params)}
        law, name = self._law_with_damping or (self.law, None)
        bare = given if name is None else {**given, name: 0.0}
        known = {k: v for k, v in bare.items() if k in law.loop.params}
        try:
            point = _state(self.point(law.loop, bare))
            linear = [linearize(law.loop, point, known)]
            if name is not None:
                with suppress(EquilibriumError):
                    linear.append(linearize(law.loop, point, {**known, name: self.sizes(params).damping}))
            return [(lin, law.gradient(lin.equilibrium.x, lin.equilibrium.params)) for lin in linear]
        except GeoctrlError:
            return None

    def _neutral(self, gains: Mapping[str, float], params: Numbers) -> tuple[int, int] | None:
        """Zero modes with damping and without, of gains of these signs: some are near zero at others."""
        symbols = self.law.gain_parameters
        sizes = self.sizes(params).gains([p.symbol for p in symbols])
        signs = tuple(np.sign(gains.get(p.name, 1.0)) for p in symbols)
        asked = signs, tuple(named_parameters(params).items())
        if asked not in self._counts:
            alike = {p.name: s * size for p, s, size in zip(symbols, signs, sizes, strict=True)}
            linear = self._linear(alike, params)
            told = None if linear is None else (len(linear[-1][0].zero_modes), len(linear[0][0].zero_modes))
            self._counts[asked] = told
        return self._counts[asked]

    def pace(self, params: Numbers = None) -> float:
        """Largest rate of the plant at the equilibrium; that of its sizes where it does not rest there."""
        plant, point, known = self._rest(params)
        try:
            values = np.abs(linearize(plant, point, known or None).eigenvalues)
        except EquilibriumError:
            return self.sizes(params).rate
        return float(values.max()) if values.size and values.max() > 0 else self.sizes(params).rate

    def sizes(self, params: Numbers = None) -> LoopSizes:
        """Sizes of states and gains at the equilibrium."""
        asked = tuple(named_parameters(params).items())
        if self._sizes is None or self._sizes[0] != asked:
            self._sizes = (
                asked,
                LoopSizes(self._rest(params)[0], self.law.controlled, *self._rest(params)[1:]),
            )
        return self._sizes[1]

    def _rest(self, params: Numbers) -> tuple[ReducedSystem, np.ndarray, dict[str, float]]:
        """The plant, its state at the equilibrium, and its parameters."""
        plant = self.plant.mechanism.reduce()
        known = {k: v for k, v in named_parameters(params).items() if k in plant.params}
        return plant, _state(self.point(plant, params))[: plant.nstates], known

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
    return c if matrix.size and _alike(matrix, c) else None


def _alike(matrix: np.ndarray, c: float) -> bool:
    return bool(np.max(np.abs(matrix - c * np.eye(len(matrix)))) <= _ALIKE * np.max(np.abs(matrix)))
