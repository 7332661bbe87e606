"""The leaf about a point in second order, in doubles: its tangent space, the linearisation in it, and what
lies near it where a quadratic function has a value.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from geoctrl.analysis.quadratics.setting import Setting
from geoctrl.analysis.quadratics.setting_units import SettingUnits
from geoctrl.errors import CertificateError

__all__ = ["NearLeaf"]

MODES = 1e6
"""Condition of the eigenvectors from which they are next to dependent."""
INDEPENDENT = 1e-6
"""Sine of the angle from which a direction is another one."""
POINTS, HALVINGS = 400, 40
"""At which the size of a set is looked at, and steps to each."""
FIRST, FARTHER, FURTHER = 0.05, 1.05, 300
"""Where a function that is not quadratic is first looked at on a ray, and steps outwards."""


class NearLeaf:
    """The leaf about the point of a setting.

    Parameters
    ----------
    units : SettingUnits
        In which all of the below is.

    Attributes
    ----------
    places : list of int
        Of what is measured among the variables.
    along : ndarray (measured, d)
        Orthonormal basis of the tangent space.
    A : ndarray (d, d)
        The linearisation in it.
    """

    def __init__(self, units: SettingUnits) -> None:
        setting = units.setting
        size = len(setting.variables)
        self.places = [setting.variables.index(i) for i in setting.measured]
        relations = [units.over_largest(p)[0] for p in setting.relations + setting.first_order]
        single = [tuple(int(j == k) for j in range(size)) for k in range(size)]
        L = np.array([[r.get(m, 0.0) for m in single] for r in relations]).reshape(-1, size)
        sizes = np.linalg.norm(L, axis=1)
        kept = sizes > 0
        self._limits = units.limits()
        self._linear = L[kept] / sizes[kept, None]
        self._bend = [
            {m: c / s for m, c in r.items() if sum(m) == 2}
            for r, s, k in zip(relations, sizes, kept, strict=True)
            if k
        ]
        self._turned, self._units = _sines_and_cosines(setting), units.with_bits(units.sizes)
        tangent = scipy.linalg.null_space(self._linear) if len(self._linear) else np.eye(size)
        U, sizes, V = np.linalg.svd(tangent[self.places], full_matrices=False)
        rank = int(np.sum(sizes > 1e-9 * sizes.max(initial=1e-300)))
        if not rank:
            raise CertificateError("there is no direction on the leaf")
        # Columns: all variables at unit steps of what is measured, along a basis that rounding does not turn.
        along = _in_order(U[:, :rank] @ U[:, :rank].T)
        self._tangent = tangent @ V[:rank].T / sizes[:rank] @ (U[:, :rank].T @ along)
        R = np.array([[r.get(m, 0.0) for m in single] for r in units.rates()])
        self.along = along
        self.A = self.along.T @ R @ self._tangent
        self._pace = units.pace

    def require_decay(self) -> None:
        """Refuse where the linearisation on the leaf does not decay."""
        slowest = float(np.linalg.eigvals(self.A).real.max())
        if not slowest < -1e-9 * np.abs(self.A).max():
            raise CertificateError(
                f"the linearisation on the leaf does not decay: real part {slowest * self._pace:.3g}"
            )

    @property
    def spread_of_rates(self) -> float:
        """The fastest rate over the slowest one."""
        rates = np.abs(np.linalg.eigvals(self.A))
        return float(rates.max() / rates.min())

    def first_function(self, power: float = 0.0) -> np.ndarray:
        """A sum of squares of coordinates along the modes, each falling at its own rate, and one where its
        mode alone has unit size, over a power of its rate beside the slowest, or reaches a limit; where
        modes are next to dependent the function of Lyapunov's equation. Across the leaf as large as along it
        in the mean.
        """
        rates, modes = np.linalg.eig(self.A)
        if np.linalg.cond(modes) < MODES:
            reached = np.abs(self._limits @ self.along @ modes)
            faster = (np.abs(rates) / np.abs(rates).min()) ** power
            inverse = np.maximum(reached.max(axis=0, initial=0.0), faster)[:, None] * np.linalg.inv(modes)
            P = (inverse.conj().T @ inverse).real
        else:
            outputs = self._limits @ self.along
            P = scipy.linalg.solve_continuous_lyapunov(self.A.T, -np.eye(len(self.A)) - outputs.T @ outputs)
        across = np.eye(len(self.places)) - self.along @ self.along.T
        return self.along @ P @ self.along.T + across * len(P) / np.trace(np.linalg.inv(P))

    def boundary(self, P: np.ndarray) -> np.ndarray:
        """Variables where a function is one: points of the leaf in all directions, to second order, but for
        sines and cosines, which are those of their arguments.
        """
        return self._rays(P)[0]

    def volume(self, P: np.ndarray) -> float:
        """Of the set on the leaf, up to a factor."""
        inner = np.linalg.inv(self.along.T @ P @ self.along)
        _, reach = self._rays(P)
        return float(np.sqrt(np.linalg.det(inner)) * np.mean(reach ** len(inner)))

    def _rays(self, P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Variables where the function is one on the leaf, and the parts of radii of the ellipsoid in the
        tangent space at which they are.
        """

        def is_above(points: np.ndarray) -> np.ndarray:
            y = points[:, self.places]
            return np.asarray(np.einsum("ki,ij,kj->k", y, P, y) > 1.0)

        return self._bisected_points(
            is_above, self._points_along(P), np.zeros(POINTS), np.full(POINTS, 1.0 + 1e-9)
        )

    def edge(
        self, function: Callable[[np.ndarray], np.ndarray], P: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Points of the leaf where a function of the variables is one for the first time, in directions that
        an ellipsoid of a matrix of what is measured tells; and the parts of its radii at which they are.
        """
        points_at = self._points_along(P)

        def is_above(points: np.ndarray) -> np.ndarray:
            return np.asarray(function(points) > 1.0)

        low, high = np.zeros(POINTS), np.full(POINTS, FIRST)
        for _ in range(FURTHER):
            above = is_above(points_at(high))
            if above.all():
                break
            low, high = np.where(above, low, high), np.where(above, high, high * FARTHER)
        return self._bisected_points(is_above, points_at, low, high)

    def quadratic_of(self, points: np.ndarray) -> np.ndarray:
        """The matrix of what is measured by which points on the leaf have unit size in the mean along all
        directions; across the leaf as large as along it.
        """
        y = points[:, self.places] @ self.along
        P = np.linalg.inv(y.T @ y / len(y))
        across = np.eye(len(self.places)) - self.along @ self.along.T
        return np.asarray(self.along @ P @ self.along.T + across * len(P) / np.trace(np.linalg.inv(P)))

    def _points_along(self, P: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """Points of the leaf at parts of the radii of an ellipsoid in the tangent space."""
        inner = np.linalg.inv(self.along.T @ P @ self.along)
        rng = np.random.default_rng(0)
        w = rng.normal(size=(POINTS, len(inner)))
        w = w / np.linalg.norm(w, axis=1)[:, None] @ np.linalg.cholesky(inner).T
        first = w @ self._tangent.T
        bends = np.zeros((POINTS, len(self._linear)))
        for k, terms in enumerate(self._bend):
            for m, c in terms.items():
                bends[:, k] += c * np.prod(first ** np.array(m), axis=1)
        second = -bends @ np.linalg.pinv(self._linear).T if len(self._linear) else first * 0.0

        def points_at(r: np.ndarray) -> np.ndarray:
            found = first * r[:, None] + second * (r * r)[:, None]
            angles = found * self._units
            for sine, cosine in self._turned:
                if cosine is not None:
                    found[:, cosine] = (np.cos(angles[:, sine]) - 1) / self._units[cosine]
                found[:, sine] = np.sin(angles[:, sine]) / self._units[sine]
            return found

        return points_at

    @staticmethod
    def _bisected_points(
        is_above: Callable[[np.ndarray], np.ndarray],
        points_at: Callable[[np.ndarray], np.ndarray],
        low: np.ndarray,
        high: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        for _ in range(HALVINGS):
            r = (low + high) / 2
            above = is_above(points_at(r))
            low, high = np.where(above, low, r), np.where(above, r, high)
        return points_at(low), low


def _sines_and_cosines(setting: Setting) -> list[tuple[int, int | None]]:
    """Places of sines, which are their arguments to first order, each with that of the cosine of the same."""
    made = [setting.question.functions.made.get(i, ("", ())) for i in setting.variables]
    cosines = [(k, ratios[0].top) for k, (name, ratios) in enumerate(made) if name == "cos"]
    return [
        (k, next((other for other, argument in cosines if argument == ratios[0].top), None))
        for k, (name, ratios) in enumerate(made)
        if name == "sin"
    ]


def _in_order(projection: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the range of a projection, of its columns in their order (Gram, Schmidt)."""
    found = np.zeros((len(projection), 0))
    for column in projection.T:
        rest = column - found @ (found.T @ column)
        rest -= found @ (found.T @ rest)
        if (size := float(np.linalg.norm(rest))) > INDEPENDENT:
            found = np.column_stack([found, rest / size])
    return found
