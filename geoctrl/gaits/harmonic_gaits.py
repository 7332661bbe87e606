r"""Gaits that are sums of sines and cosines, their coefficients, and their effort.

.. math::

    r^i(t) = \sum_k s^i_k \sin k\omega t + c^i_k \cos k\omega t, \qquad
    E = \frac1\pi \int_0^T \dot r^T W(r)\,\dot r\,dt, \qquad \omega = 2\pi/T
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import entries
from geoctrl._scalars import STATE, FromSympy, Graph, Program, expression, read_matrix, real, shown
from geoctrl.errors import DescriptionError, InputError
from geoctrl.systems.parts.names import time

__all__ = ["Effort", "HarmonicGaits"]

_SAMPLES = 64
"""Samples of the period for each harmonic: integrals of smooth periodic functions to rounding."""


class HarmonicGaits:
    """Gaits by coefficients a (q,), those of each coordinate one after the other.

    Parameters
    ----------
    names : sequence of str
        Of the coordinates.
    period : float
    harmonics : int
    fixed : mapping name -> names of terms
        Coefficients that stay zero.

    Attributes
    ----------
    terms : tuple of (coordinate, term)
        Of each coefficient: ("phi", "sin 1").
    symbols : tuple of sympy.Symbol
    expressions : dict of coordinate -> sympy expression
        In ``geoctrl.time`` and the symbols.
    """

    def __init__(
        self, names: Sequence[str], period: float, harmonics: int, fixed: Mapping[str, Any] | None
    ) -> None:
        self.names, self.period, self.harmonics = tuple(names), period, harmonics
        possible = [f"{kind} {k}" for k in range(1, harmonics + 1) for kind in ("sin", "cos")]
        zero = {(name, term) for name, terms in _zero_terms(fixed, names, possible).items() for term in terms}
        self.terms = tuple((n, t) for n in names for t in possible if (n, t) not in zero)
        if not self.terms:
            raise InputError("fixed leaves no coefficient of the gait")
        self.symbols = tuple(sp.Symbol(f"{n}_{t.replace(' ', '')}", real=True) for n, t in self.terms)
        self._omega = _frequency(period)
        self.expressions = self.gait(self.symbols)

    def gait(self, values: Sequence[Any]) -> dict[str, sp.Expr]:
        """Coordinate -> expression in the time, of coefficients."""
        found: dict[str, sp.Expr] = dict.fromkeys(self.names, sp.Integer(0))
        for (name, term), value in zip(self.terms, values, strict=True):
            kind, k = term.split()
            found[name] += value * getattr(sp, kind)(int(k) * self._omega * time)
        return found

    def coefficient_table(self, values: np.ndarray) -> dict[str, dict[str, float]]:
        """Coordinate -> term -> coefficient."""
        found: dict[str, dict[str, float]] = {name: {} for name in self.names}
        for (name, term), value in zip(self.terms, values, strict=True):
            found[name][term] = float(value)
        return found

    def coefficients(self, given: Any) -> np.ndarray:
        """Of what `coefficient_table` writes; what is left out is zero."""
        if not isinstance(given, Mapping):
            raise InputError(
                f"a start must be a dict of coordinate -> {{'sin 1': number, ..}}, got {shown(given)}"
            )
        found = dict.fromkeys(self.terms, 0.0)
        for name, terms in given.items():
            for term, value in terms.items() if isinstance(terms, Mapping) else [(terms, None)]:
                if (name, term) not in found:
                    free = ", ".join(f"{n} {t}" for n, t in self.terms)
                    raise InputError(f"a start names {shown((name, term))}; coefficients are {free}")
                found[name, term] = float(real(value, f"{name} {term}"))
        return np.array(list(found.values()))

    def samples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times (N,) of a period, and values and rates (q, k, N) of the coordinates by the coefficients."""
        count = _SAMPLES * self.harmonics
        omega = 2 * np.pi / self.period
        times = np.arange(count) * self.period / count
        values = np.zeros((len(self.terms), len(self.names), count))
        rates = np.zeros_like(values)
        for j, (name, term) in enumerate(self.terms):
            kind, k = term.split()
            phase, i = int(k) * omega * times, self.names.index(name)
            values[j, i] = np.sin(phase) if kind == "sin" else np.cos(phase)
            rates[j, i] = int(k) * omega * (np.cos(phase) if kind == "sin" else -np.sin(phase))
        return times, values, rates


def _frequency(period: float) -> sp.Expr:
    """2 pi/T: a rational where the period is one times pi, so that gaits are read as they were meant."""
    times = Fraction(period / np.pi).limit_denominator(1000)
    if times and abs(float(times) * np.pi - period) <= 2 * np.finfo(float).eps * period:
        return sp.Rational(2 * times.denominator, times.numerator)
    return sp.Float(2 * np.pi / period)


def _zero_terms(given: Any, names: Sequence[str], possible: Sequence[str]) -> dict[str, tuple[str, ...]]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not set(given) <= set(names):
        raise InputError(
            f"fixed must be a dict of coordinate -> terms such as 'cos 1', of {', '.join(names)}; "
            f"got {shown(given)}"
        )
    found = {}
    for name, terms in given.items():
        found[name] = (terms,) if isinstance(terms, str) else entries(f"fixed[{name!r}]", terms)
        unknown = [t for t in found[name] if t not in possible]
        if unknown:
            raise InputError(f"fixed[{name!r}] names {shown(unknown[0])}; terms are {', '.join(possible)}")
    return found


class Effort:
    """The effort of gaits, with its derivative by the coefficients.

    Parameters
    ----------
    gaits : HarmonicGaits
    metric : (k, k) matrix or an expression, of numbers or of expressions in the coordinates, or None
        W; the identity by default, an expression stands for its multiple.
    coordinates : sequence of sympy.Symbol
    numbers : mapping of sympy.Symbol -> float
        Of parameters.
    """

    def __init__(
        self,
        gaits: HarmonicGaits,
        metric: Any,
        coordinates: Sequence[sp.Symbol],
        numbers: Mapping[sp.Symbol, float],
    ) -> None:
        _, self._values, self._rates = gaits.samples()
        self._factor = gaits.period / np.pi
        W = sp.Matrix(_metric(metric, len(coordinates))).subs(dict(numbers))
        left = W.free_symbols - set(coordinates)
        if left:
            raise DescriptionError(f"metric holds {', '.join(sorted(map(str, left)))}: no coordinates")
        if W != W.T:
            raise InputError("metric must be symmetric")
        graph = Graph()
        places = [graph.symbol(r.name, STATE) for r in coordinates]
        read = FromSympy(graph, dict(zip(coordinates, places, strict=True)))
        entries_of = [read(e) for e in W]
        slopes = [node for r in places for node in graph.derivatives(entries_of, r)]
        self._metric = Program(graph, places, {}, [*entries_of, *slopes])
        self._k = len(coordinates)

    def __call__(self, coefficients: np.ndarray) -> tuple[float, np.ndarray]:
        """Number and derivative (q,)."""
        r = np.einsum("j,jit->it", coefficients, self._values)
        v = np.einsum("j,jit->it", coefficients, self._rates)
        W, *slopes = self._matrices_at(r)
        pushed = np.einsum("abt,bt->at", W, v)
        slope = 2 * np.einsum("jat,at->jt", self._rates, pushed)
        for i, derivative in enumerate(slopes):
            slope += self._values[:, i] * np.einsum("at,abt,bt->t", v, derivative, v)
        return (
            self._factor * float(np.mean(np.einsum("at,at->t", v, pushed))),
            self._factor * slope.mean(axis=1),
        )

    def of_each(self) -> np.ndarray:
        """Effort (q,) of each coefficient alone, for a small one, by its square."""
        W = self._matrices_at(np.zeros((self._k, 1)))[0, :, :, 0]
        if not (np.isfinite(W).all() and np.linalg.eigvalsh(W)[0] > 0):
            raise InputError("metric must be positive definite where all coordinates are zero")
        return self._factor * np.einsum("jat,ab,jbt->jt", self._rates, W, self._rates).mean(axis=1)

    def _matrices_at(self, r: np.ndarray) -> np.ndarray:
        """W and its derivatives by coordinates (1 + k, k, k, N) along coordinates (k, N)."""
        return self._metric(list(r), {}).reshape(1 + self._k, self._k, self._k, -1)


def _metric(given: Any, k: int) -> sp.Matrix:
    if given is None:
        return sp.eye(k)
    if isinstance(given, (list, tuple, np.ndarray, sp.MatrixBase)):
        W = sp.Matrix(read_matrix("metric", given))
        if W.shape != (k, k):
            raise InputError(f"metric must be {k} x {k}, got {W.rows} x {W.cols}")
        return W
    return expression(given, "metric") * sp.eye(k)
