"""Families in closed form: members one after the other by a symbol or a parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from geoctrl.continuation.curve import Course, CurvePlace
from geoctrl.continuation.eigenvalue_changes import Spectrum
from geoctrl.errors import GeoctrlError
from geoctrl.systems import Equilibrium, System

__all__ = ["ClosedCourse"]

_KERNEL = 1e-5
"""Singular value, relative to the largest, that counts as zero: a crossing is located to 1e-9 of
the span at least, and places beside it are hundredths of it away."""


class ClosedCourse(Course):
    """Members of a declared family along one of its symbols, or along a parameter.

    Parameters
    ----------
    symbols, params : dict of name -> number
        Of which one is what the course goes along.
    span : (low, high)
    points : int
        Members that are looked at.
    """

    joined = True

    def __init__(
        self,
        system: System,
        family: str,
        symbols: Mapping[str, Any],
        params: Mapping[str, Any],
        along: str,
        span: tuple[float, float],
        points: int,
    ) -> None:
        self.seen, self.along, self.span = system.seen_from(None), along, span
        self._system, self._family, self._points = system, family, points
        self._symbols, self._params = dict(symbols), dict(params)
        self.held = {k: v for k, v in self._symbols.items() if k != along}
        self.places = []
        self._first: np.ndarray | None = None
        self.ends = f"{along} = {span[0]:g}", f"{along} = {span[1]:g}"

    def exactly(self, value: float, near: CurvePlace) -> Equilibrium:
        """The member, exact where its expressions are."""
        del near
        return self._member(value)

    def _member(self, value: float) -> Equilibrium:
        symbols, params = dict(self._symbols), dict(self._params)
        (symbols if self.along in symbols else params)[self.along] = value
        return self._system.equilibrium(self._family, params=params, **symbols)  # type: ignore[attr-defined]

    def _place(self, value: float) -> CurvePlace:
        point = self._member(value)
        one = np.ones(1)
        return CurvePlace(
            value, value * one, one, 1.0, point, Spectrum.of(self.seen, point, self._sizes(point))
        )

    def _sizes(self, point: Equilibrium) -> np.ndarray:
        """Sizes of the states, those of the first member that is met: at a change states may have none."""
        if self._first is None:
            self._first = self.seen.scales(point.x, point.u, point.params).column
        return np.maximum(self._first, np.abs(point.x))

    def walk(self, told: Callable[[float], None]) -> None:
        """Members at equal distances; where there are none the course ends, on either side of the middle."""
        found = self.places
        ends = list(self.ends)
        refusal: GeoctrlError | None = None
        for k, value in enumerate(np.linspace(*self.span, self._points)):
            try:
                found.append(self._place(float(value)))
            except GeoctrlError as error:
                refusal = error
                if found:
                    ends[1] = f"no member at {self.along} = {value:.9g}: {error}"
                    break
                ends[0] = f"no member at {self.along} = {value:.9g}: {error}"
            told((k + 1) / self._points)
        if len(found) < 2 and refusal is not None:
            raise refusal
        self.ends = ends[0], ends[1]

    def place_between(self, first: CurvePlace, second: CurvePlace, part: float) -> CurvePlace:
        """The member at a part of the way."""
        return self._place(first.value + part * (second.value - first.value))

    def other_directions(self, place: CurvePlace) -> np.ndarray:
        """Kernel of the linearisation on the leaf, as far as it is larger than at the neighbours (n, k)."""
        usual = min(self._kernel(p.point).shape[1] for p in (self.places[0], self.places[-1]))
        kernel = self._kernel(place.point)
        if kernel.shape[1] <= usual:
            return np.zeros((len(place.point.x), 0))
        nearest = min(self.places, key=lambda p: abs(p.value - place.value))
        family = kernel @ (kernel.T @ self._kernel(nearest.point))
        own = np.linalg.svd(family)[0][:, :usual]
        rest = kernel - own @ (own.T @ kernel)
        return np.linalg.svd(rest, full_matrices=False)[0][:, : kernel.shape[1] - usual]

    def _kernel(self, point: Equilibrium) -> np.ndarray:
        """Directions on the leaf, in sizes of states, that the linearisation takes to nothing."""
        A = self.seen.derivatives(point.x, point.u, point.params)[0]
        sizes = self._sizes(point)
        W = np.linalg.qr(self.seen.leaf_basis(point.x, point.params) / sizes[:, None])[0]
        _, values, vt = np.linalg.svd(W.T @ (A * sizes / sizes[:, None]) @ W)
        return W @ vt[int(np.sum(values > _KERNEL * max(values, default=0.0))) :].T
