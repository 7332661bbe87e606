r"""Curves of equilibria by pseudo-arclength.

Unknowns z are the states, and the parameter where the course goes along one. With some states held,

.. math::

    F(z) = (f(x, u, p),\; g(x, p),\; x_h - c_h) = 0

is overdetermined on the leaf, of rank one less than the unknowns along a curve. A step goes along the
tangent, :math:`DF\,t = 0`, and back by Gauss-Newton on F with :math:`n \cdot (z - z_0) = 0`. Lengths are
taken in unknowns relative to their sizes at the start (`geoctrl.systems.contract.scales`), and to the span
for the one that is gone along; equations relative to the sizes of rates and relations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from geoctrl.analysis.equilibria import find_equilibrium
from geoctrl.continuation.curve import Course, CurvePlace
from geoctrl.continuation.eigenvalue_changes import Spectrum
from geoctrl.errors import EquilibriumError, GeoctrlError
from geoctrl.systems import Equilibrium, System
from geoctrl.systems.contract.points import equilibrium_at, numbers_at
from geoctrl.systems.contract.tolerances import LEAST_NORM, RESIDUAL

__all__ = ["SolvedCourse"]

_RANK = 1e-7
"""Singular value of DF, relative to the largest, that counts as zero at the start: derivatives by a parameter
are differences, good to ten digits."""
_CROSSING = 1e-5
"""The same at a place that was located, where another curve may cross."""
_NEWTON, _ROUNDING = 15, 1e-13
"""Steps of a corrector at most, and the length of a step, and the defect, from which on it ends."""
_ZERO = 2.0**-50
"""Unknown, relative to its scale, that is what rounding leaves of zero."""
_SHORTEST, _TURN = 1e-7, 0.97
"""Length of a step below which a course is lost, and the cosine of the angle between two tangents above which
a step is short enough."""
_LONGEST = 20
"""Places at most, as a multiple of those asked for over the span."""
_CLOSED = "where it began"
_DIFFERENCE, _PART = 1e-6, 1e-2
"""Step of a difference by a parameter, relative to it or to a part of the span."""


class SolvedCourse(Course):
    """Equilibria along a state or a parameter, with other states held.

    Parameters
    ----------
    along : label of a state, or name of a parameter
    fixed : labels of states that are held at the start's
        More are held where equilibria come in families of more dimensions: those that change most there.
    span : (low, high)
    points : int
        Places over the span, about.
    first : ndarray, optional
        Tangent at the start, where it is not told by the equations: another curve crosses there.
    """

    joined = False

    def __init__(
        self,
        system: System,
        start: Equilibrium,
        along: str,
        fixed: Sequence[str],
        span: tuple[float, float],
        points: int,
        first: np.ndarray | None = None,
    ) -> None:
        self.seen, self.along, self.span = system.seen_from(start.spin), along, span
        self._system, self._start, self._params = system, start, dict(start.params)
        labels = list(system.state_labels)
        n = len(labels)
        self._parameter = None if along in labels else along
        self.index = labels.index(along) if along in labels else n
        z = self.unknowns()
        self._found = self.seen.scales(start.x, start.u, self._params)
        self.scale = self.sizes(z)
        self.scale[self.index] = span[1] - span[0]
        self._step = 1.0 / max(points - 1, 1)
        self._most = _LONGEST * points
        self._hold([labels.index(label) for label in fixed])
        if first is None:
            first = self._hold_more(z)
            self._hold_less(z, first, len(fixed))
        self.held = {labels[i]: float(start.x[i]) for i in self._held}
        self._first, self.places = first, []
        self.ends = "", ""

    def unknowns(self, point: Equilibrium | None = None) -> np.ndarray:
        """z of an equilibrium, of the start by default."""
        of = self._start if point is None else point
        z = of.x if self._parameter is None else np.append(of.x, float(of.params[self._parameter]))
        return np.array(z, dtype=float)

    def sizes(self, z: np.ndarray) -> np.ndarray:
        """Sizes of the unknowns: of states those at the start or their own values, of a parameter its own
        value or the span. At a fold states may have none.
        """
        found = np.abs(z)
        n = len(self._found.column)
        found[:n] = np.maximum(found[:n], self._found.column)
        found[n:] = np.where(found[n:] > 0, found[n:], self.span[1] - self.span[0])
        return found

    # -- equations ----------------------------------------------------------------------------------

    def _state_and_params(self, z: np.ndarray) -> tuple[np.ndarray, dict]:
        """State and parameters."""
        if self._parameter is None:
            return z, self._params
        return z[:-1], self._params | {self._parameter: float(z[-1])}

    def _values_at(self, z: np.ndarray) -> np.ndarray:
        x, params = self._state_and_params(z)
        rest = [self.seen.rate(x, self._start.u, params), self._system.leaf_residual(x, params)]
        return np.concatenate(rest)

    def equations(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """F and DF."""
        x, params = self._state_and_params(z)
        held = np.eye(len(z))[self._held]
        slopes = np.vstack(
            [self.seen.derivatives(x, self._start.u, params)[0], self.seen.leaf_gradient(x, params)]
        )
        if self._parameter is not None:
            step = np.zeros(len(z))
            step[-1] = _DIFFERENCE * max(abs(z[-1]), _PART * (self.span[1] - self.span[0]))
            slope = (self._values_at(z + step) - self._values_at(z - step)) / (2 * step[-1])
            slopes = np.column_stack([slopes, slope])
        values = np.concatenate([self._values_at(z), x[self._held] - self._values])
        return values, np.vstack([slopes, held])

    def _rows(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """F and DF without units: unknowns over their scale, rows over their sizes, of length one at most."""
        values, slopes = self.equations(z)
        slopes = slopes * self.scale
        sizes = np.concatenate([self._found.field, self._found.leaf, self.scale[self._held]])
        sizes = np.maximum(sizes, np.linalg.norm(slopes, axis=1))
        sizes[sizes == 0] = 1.0
        return values / sizes, slopes / sizes[:, None]

    def kernel(self, z: np.ndarray, tolerance: float) -> np.ndarray:
        """Directions (columns, in relative unknowns) in which F does not change."""
        _, sizes, vt = np.linalg.svd(self._rows(z)[1])
        return vt[int(np.sum(sizes > tolerance * max(sizes[0], 1e-300))) :].T

    def _hold_more(self, z: np.ndarray) -> np.ndarray:
        """The tangent at the start, with as many states held as leave one."""
        from scipy.linalg import qr

        K = self.kernel(z, _RANK)
        if not K.shape[1]:
            raise EquilibriumError(
                f"no equilibria continue from the point with {self._held_labels()} held; hold fewer states"
            )
        row = K[self.index]
        size = float(np.linalg.norm(row))
        if K.shape[1] > 1:
            if size < _RANK:
                raise EquilibriumError(
                    f"equilibria near the point have one value of {self.along}, in {K.shape[1]} dimensions; "
                    "follow them along another state or parameter, or hold states with fixed="
                )
            rest = K - np.outer(K @ row, row) / size**2
            order = qr(rest.T, pivoting=True, mode="r")[1]
            more = [int(i) for i in order if i not in (self.index, *self._held)][: K.shape[1] - 1]
            if self.index in order[: K.shape[1] - 1] or max(more, default=0) >= len(self._start.x):
                raise EquilibriumError(
                    f"equilibria near the point come in {K.shape[1]} dimensions; hold {K.shape[1] - 1} "
                    "states more with fixed="
                )
            self._hold([*self._held, *more])
            K = self.kernel(z, _RANK)
            if K.shape[1] != 1:
                raise EquilibriumError(
                    f"the states {self._held_labels()} do not choose a curve of equilibria; hold others "
                    "with fixed="
                )
        tangent = K[:, 0]
        return tangent * (-1.0 if tangent[self.index] < 0 else 1.0)

    def _hold(self, states: list[int]) -> None:
        self._held, self._values = states, self._start.x[states]

    def _hold_less(self, z: np.ndarray, tangent: np.ndarray, asked: int) -> None:
        """Hold no state that chooses a curve at the start alone: others cross it there, none beside it."""
        every, value = self._held, z[self.index]
        if len(every) == asked:
            return
        step = self._step * (1 if self.span[1] - value > value - self.span[0] else -1)
        near = z + step * tangent * self.scale
        try:
            near = self.zero_on_plane(near, tangent, float(tangent @ (near / self.scale)))
        except GeoctrlError:  # no equilibrium there: the states stay held
            return
        self._hold(every[:asked])
        if self.kernel(near, _RANK).shape[1] > 1:
            self._hold(every)

    def _held_labels(self) -> str:
        labels = self._system.state_labels
        return ", ".join(labels[i] for i in self._held) or "nothing"

    # -- places -----------------------------------------------------------------------------------------

    def zero_on_plane(self, z: np.ndarray, normal: np.ndarray, target: float) -> np.ndarray:
        """The zero of F near z with normal . z / scale = target."""
        begun = z
        for _ in range(_NEWTON):
            values, slopes = self._rows(z)
            rows = np.vstack([slopes, normal])
            defect = np.append(values, normal @ (z / self.scale) - target)
            if not np.all(np.isfinite(rows)) or not np.all(np.isfinite(defect)):
                break
            step = np.linalg.lstsq(rows, -defect, rcond=LEAST_NORM)[0]
            z = z + step * self.scale
            if np.linalg.norm((z - begun) / self.scale) > 1.0:
                break
            if np.max(np.abs(step)) < _ROUNDING or (
                np.max(np.abs(defect)) < _ROUNDING and np.max(np.abs(step)) < RESIDUAL
            ):
                break
        # Steps of least squares end where nothing improves as well: what counts is the zero.
        values, _ = self._rows(z)
        if np.all(np.abs(values) <= RESIDUAL * 1e-2) and (
            abs(normal @ (z / self.scale) - target) < RESIDUAL * 1e-2
        ):
            return z
        raise EquilibriumError("the steps of the corrector do not converge")

    def place(self, z: np.ndarray, before: np.ndarray) -> CurvePlace:
        """The place at a zero of F, its tangent in the sense of the one before.

        What rounding leaves of zeros is zero: it has no size beside which a point could be judged.
        """
        z = np.where(np.abs(z) < _ZERO * self.scale, 0.0, z)
        rows = np.vstack([self._rows(z)[1], before])
        target = np.zeros(len(rows))
        target[-1] = 1.0
        tangent = np.linalg.lstsq(rows, target, rcond=LEAST_NORM)[0]
        tangent /= np.linalg.norm(tangent)
        x, params = self._state_and_params(z)
        if self._parameter is not None:
            params = numbers_at(self._system, None, params)
        exact = self._start.exact_u
        point = equilibrium_at(self.seen, (x.copy(), self._start.u, None, exact), params)
        spectrum = Spectrum.of(self.seen, point, self._found.column)
        return CurvePlace(float(z[self.index]), z, tangent, float(tangent[self.index]), point, spectrum)

    def place_between(self, first: CurvePlace, second: CurvePlace, part: float) -> CurvePlace:
        """The place over a part of the chord from one to another."""
        chord = (second.z - first.z) / self.scale
        normal = chord / np.linalg.norm(chord)
        z = first.z + part * (second.z - first.z)
        found = self.zero_on_plane(z, normal, float(normal @ (z / self.scale)))
        return self.place(found, first.tangent if part < 0.5 else second.tangent)

    def exactly(self, value: float, near: CurvePlace) -> Equilibrium:
        """The equilibrium with held states and the value as the doubles they are."""
        fixed: dict[str, float] = {k: float(v) for k, v in self.held.items()}  # type: ignore[arg-type]
        params = dict(self._params)
        z = near.z.copy()
        z[self.index] = value
        normal = np.zeros(len(z))
        normal[self.index] = 1.0
        z = self.zero_on_plane(z, normal, value / self.scale[self.index])
        x, _ = self._state_and_params(z)
        if self._parameter is None:
            fixed[self.along] = value
        else:
            params[self._parameter] = value
        spin = self.seen.spin if np.any(self.seen.spin) else None
        guess = (x, self._start.u) if len(self._start.u) else x
        return find_equilibrium(self._system, guess=guess, fixed=fixed, params=params, spin=spin)

    def other_directions(self, place: CurvePlace) -> np.ndarray:
        """What the kernel of DF has besides the tangent (in relative unknowns)."""
        return self.directions_beside(place.z, place.tangent)

    def directions_beside(self, z: np.ndarray, own: np.ndarray) -> np.ndarray:
        """The same at unknowns with a direction that is known."""
        K = self.kernel(z, _CROSSING)
        rest = K - np.outer(own, own @ K)
        return np.linalg.svd(rest, full_matrices=False)[0][:, : K.shape[1] - 1]

    # -- the way ----------------------------------------------------------------------------------------

    def walk(self, told: Callable[[float], None]) -> None:
        """Places on both sides of the start, as far as the span, the equations or the course itself allow."""
        start = self.place(self.unknowns(), self._first)
        forward: list[CurvePlace] = []
        backward: list[CurvePlace] = []
        begin = end = "where it was interrupted"
        try:
            end = self._one_way(start, 1.0, forward, told)
            if end == _CLOSED:
                begin = _CLOSED
            else:
                begin = self._one_way(start, -1.0, backward, told)
        finally:  # what is found is kept where the user stops it
            self.places, self.ends = [*backward[::-1], start, *forward], (begin, end)

    def _one_way(
        self, start: CurvePlace, sense: float, found: list[CurvePlace], told: Callable[[float], None]
    ) -> str:
        """Find places one way, with tangents in the sense of the start's; why they end."""
        here, step = start, self._step
        low, high = self.span
        if self._leaves(start, sense):
            return f"{self.along} = {start.value:.9g}"
        while len(found) < self._most:
            try:
                there = self._next(here, sense * step)
            except GeoctrlError as error:
                step /= 2
                if step < _SHORTEST:
                    return f"lost after {self.along} = {here.value:.9g}: {error}"
                continue
            if not low <= there.value <= high:
                last = self._last(here, there)
                found += [last] if last is not None else []
                return f"{self.along} = {low if there.value < low else high:.9g}"
            if len(found) > 3 and sense > 0 and self._passes(here, there, start):
                found.append(start)
                return _CLOSED
            found.append(there)
            told(min(1.0, len(found) * self._step))
            here, step = there, min(self._step, 1.5 * step)
        return f"{self._most} places were taken, the last at {self.along} = {here.value:.9g}"

    def _leaves(self, start: CurvePlace, sense: float) -> bool:
        """Whether a way begins at an edge of the span and goes out of it."""
        low, high = self.span
        out = sense * start.slope
        return (start.value >= high and out > 0) or (start.value <= low and out < 0)

    def _next(self, here: CurvePlace, step: float) -> CurvePlace:
        """The place a step on; EquilibriumError where it is not near, or the course turns too much."""
        z = here.z + step * here.tangent * self.scale
        z = self.zero_on_plane(z, here.tangent, float(here.tangent @ (z / self.scale)))
        there = self.place(z, here.tangent)
        if there.tangent @ here.tangent < _TURN and abs(step) > 2 * _SHORTEST:
            raise EquilibriumError("the course turns more than a step allows")
        return there

    def _last(self, here: CurvePlace, there: CurvePlace) -> CurvePlace | None:
        """The place at the edge of the span between two; None where the first is at it."""
        low, high = self.span
        edge = low if there.value < low else high
        part = (edge - here.value) / (there.value - here.value)
        if part < _SHORTEST:
            return None
        normal = np.zeros(len(here.z))
        normal[self.index] = 1.0
        z = here.z + part * (there.z - here.z)
        try:
            z = self.zero_on_plane(z, normal, edge / self.scale[self.index])
            z[self.index] = edge
            return self.place(z, here.tangent)
        except GeoctrlError:  # at the edge of the domain, or next to a fold: the curve ends a step before
            return None

    def _passes(self, here: CurvePlace, there: CurvePlace, start: CurvePlace) -> bool:
        """Whether a step comes by the start again, in its own direction."""
        chord, back = (there.z - here.z) / self.scale, (start.z - here.z) / self.scale
        size = float(np.linalg.norm(chord))
        part = float(chord @ back) / size**2
        apart = float(np.linalg.norm(back - part * chord))
        return 0 < part <= 1 and apart < 0.1 * size and float(start.tangent @ here.tangent) > _TURN
