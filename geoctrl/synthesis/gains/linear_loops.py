"""Loops of a law with free gains near one equilibrium, with damping of any strength; the plant's pace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from geoctrl._checks import named_parameters
from geoctrl._scalars import exact
from geoctrl.analysis.linear.linearization import linearize, slopes
from geoctrl.errors import EquilibriumError, GeoctrlError, MatchingError
from geoctrl.synthesis.gains.gain_search import DampedModes
from geoctrl.synthesis.shaped_laws.shaped_law import ShapedLaw
from geoctrl.synthesis.shaping.loop_sizes import LoopSizes
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.systems import Equilibrium, ReducedSystem
from geoctrl.systems.contract.points import resolve_equilibrium

__all__ = ["LinearLoops"]

_ALIKE = 1e-9
"""Difference of entries, relative to the largest, that counts as none."""
_KEPT = 2000
"""Sets of gains of which the linear loop is kept: of some searches."""

Numbers = Mapping[str, float] | None


class _LinearLoop(NamedTuple):
    """Derivatives of rates and inputs by the state at an equilibrium, and a basis of the leaf there."""

    point: Equilibrium
    A: np.ndarray
    C: np.ndarray
    basis: np.ndarray


def _loop_at(law: ShapedLaw, x: np.ndarray, params: Mapping[str, float]) -> _LinearLoop:
    point = resolve_equilibrium(law.loop, x, params)
    A, _, basis = slopes(law.loop.seen_from(), point)
    return _LinearLoop(point, A, law.gradient(point.x, point.params), basis)


class LinearLoops:
    """Linear loops at an equilibrium.

    Attributes
    ----------
    law : ShapedLaw
        Its gains are symbols.
    point : callable
        The equilibrium of a system at parameters, or its state.
    moving : set of str
        Names of parameters on which the state there depends.
    """

    def __init__(
        self,
        law: ShapedLaw,
        plant: Plant,
        point: Callable[[ReducedSystem, Numbers], Any],
        moving: Set[str],
    ) -> None:
        self.law, self.plant, self.point, self.moving = law, plant, point, moving
        self._modes: dict[tuple, DampedModes | None] = {}
        self._rests: tuple[tuple, np.ndarray] | None = None
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

        Damping that brakes the motion at the equilibrium, which it is to keep, is none. Kept: searches under
        other limits draw the same gains.
        """
        asked = tuple(gains.items()), tuple(named_parameters(params).items())
        if asked not in self._modes:
            if len(self._modes) >= _KEPT:
                self._modes.clear()
            self._modes[asked] = self._damped_modes(gains, params)
        return self._modes[asked]

    def _damped_modes(self, gains: Mapping[str, float], params: Numbers) -> DampedModes | None:
        loops = self._loops(gains, params)
        counts = None if loops is None else self._neutral(gains, params) or self._zero_modes(loops)
        if loops is None or counts is None:
            return None
        (_, A, C, basis), (_, damped, C_damped, _) = loops[0], loops[-1]
        sizes = self.sizes(params)
        d = sizes.states(self.law.loop.state_labels)
        W = np.linalg.qr(basis / d[:, None])[0]
        inner, outer = W.T / d, d[:, None] * W
        neutral, undamped = counts
        return DampedModes(
            A=inner @ A @ outer,
            change=inner @ (damped - A) @ outer / sizes.damping,
            C=C @ outer,
            C_change=(C_damped - C) @ outer / sizes.damping,
            basis=outer,
            coordinates=inner,
            neutral=neutral,
            undamped=undamped,
        )

    def _loops(self, gains: Mapping[str, float], params: Numbers) -> list[_LinearLoop] | None:
        """The loop, and that with damping of its size where there is any; None where it does not rest."""
        given = {**gains, **named_parameters(params)}
        law, name = self._law_with_damping or (self.law, None)
        bare = given if name is None else {**given, name: 0.0}
        known = {k: v for k, v in bare.items() if k in law.loop.params}
        try:
            x = self._rest_of(law.loop, bare)
            loops = [_loop_at(law, x, known)]
            if name is not None:
                with suppress(EquilibriumError):
                    loops.append(_loop_at(law, x, {**known, name: self.sizes(params).damping}))
        except GeoctrlError:
            return None
        return loops

    def _rest_of(self, loop: ReducedSystem, numbers: Mapping[str, float]) -> np.ndarray:
        """State of the loop's equilibrium, the last one where no number that moves it has changed."""
        asked = tuple((k, v) for k, v in numbers.items() if k in self.moving)
        if self._rests is None or self._rests[0] != asked:
            self._rests = asked, _state(self.point(loop, numbers))
        return self._rests[1]

    def _neutral(self, gains: Mapping[str, float], params: Numbers) -> tuple[int, int] | None:
        """Zero modes with damping and without, of gains of these signs: some are near zero at others."""
        symbols = self.law.gain_parameters
        sizes = self.sizes(params).gains([p.symbol for p in symbols])
        signs = tuple(np.sign(gains.get(p.name, 1.0)) for p in symbols)
        asked = signs, tuple(named_parameters(params).items())
        if asked not in self._counts:
            alike = {p.name: s * size for p, s, size in zip(symbols, signs, sizes, strict=True)}
            loops = self._loops(alike, params)
            self._counts[asked] = None if loops is None else self._zero_modes(loops)
        return self._counts[asked]

    def _zero_modes(self, loops: Sequence[_LinearLoop]) -> tuple[int, int] | None:
        """How many zero modes there are with damping and without; None where an inertia is singular."""
        law, _ = self._law_with_damping or (self.law, None)
        try:
            bare, damped = (linearize(law.loop, loops[k].point) for k in (0, -1))
        except GeoctrlError:
            return None
        return len(damped.zero_modes), len(bare.zero_modes)

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
        found = _at_rest(self.plant, self.law.loop, point, params)
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


def _at_rest(
    plant: Plant, loop: ReducedSystem, point: Any, params: Mapping[str, float] | None
) -> tuple[np.ndarray, np.ndarray, list[int], list[int]] | None:
    """G, the second derivatives of V along the frame of the plant, and the columns of fibre and base.

    None where the point is not one of rest: something turns or flows there.
    """
    m = plant.mechanism
    x = _state(point)
    labels = list(loop.state_labels)
    velocities = len(loop.assembly.velocity)
    if np.max(np.abs(x[:velocities]), initial=0.0) > 0:
        return None
    given = dict(getattr(point, "params", {}) or {}) | dict(params or {})
    values = {p.symbol: exact(given.get(p.name, p.default)) for p in m.parameters}
    place = {s: x[labels.index(str(s))] for s in m.configuration_symbols if str(s) in labels}
    numbers: dict[sp.Symbol, Any] = {s: sp.Rational(q) for s, q in values.items()}
    numbers |= {s: sp.Float(v) for s, v in place.items()}
    numbers |= {s: e.xreplace(numbers) for s, e in m.removed.items()}
    E = plant.frame.matrix
    first = [sum(E[i, j] * d for i, d in enumerate(plant.along(m.potential))) for j in range(E.cols)]
    second = [[sum(E[i, a] * d for i, d in enumerate(plant.along(f))) for a in range(E.cols)] for f in first]
    G = E.T * sp.Matrix(m.inertia) * E

    def numbers_of(matrix: Any) -> np.ndarray:
        return np.array(sp.Matrix(matrix).xreplace(numbers).evalf().tolist(), dtype=float)

    return numbers_of(G), numbers_of(second), list(plant.fibre), list(plant.base)


def _state(point: Any) -> np.ndarray:
    return np.asarray(getattr(point, "x", point), dtype=float)


def _unit(matrix: np.ndarray) -> float | None:
    """c of c times the unit matrix."""
    c = float(matrix[0, 0]) if matrix.size else 0.0
    return c if matrix.size and _alike(matrix, c) else None


def _alike(matrix: np.ndarray, c: float) -> bool:
    return bool(np.max(np.abs(matrix - c * np.eye(len(matrix)))) <= _ALIKE * np.max(np.abs(matrix)))
