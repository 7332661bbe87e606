"""Conditions of stability asked at numbers, many at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import named_parameters, nearest
from geoctrl._scalars import exact
from geoctrl.analysis.certificates.certificates import certify
from geoctrl.analysis.symbolic.formulas import Formula
from geoctrl.analysis.symbolic.sign_arrays import Generator, Points
from geoctrl.errors import CertificateError, EquilibriumError, InputError, ParameterError
from geoctrl.systems import ReducedSystem
from geoctrl.systems.contract.tolerances import RESIDUAL
from geoctrl.verification import Verdict

__all__ = ["AtNumbers"]

_STABLE = (Verdict.PROVED_STABLE, Verdict.PROVED_ASYMPTOTICALLY_STABLE)


@dataclass(frozen=True)
class AtNumbers:
    """The formulas of a family's conditions, and what is needed to ask them.

    Attributes
    ----------
    expressions : dict of name -> expression or number
        Parameters that are set.
    bound : dict of name -> expression
        Of the family's symbols that its relations give by others.
    generators : what the polynomials are in
    domain : Formula
        Outside of which nothing is said.
    complete : bool
        Whether there are formulas for all tests; else `certify` is asked where they leave it open.
    """

    system: ReducedSystem
    family: str
    expressions: Mapping[str, Any]
    bound: Mapping[str, Any]
    generators: tuple[Generator, ...]
    stable: Formula
    unstable: Formula
    domain: Formula
    complete: bool

    def __call__(self, params: Mapping[str, Any] | None, values: Mapping[str, Any]) -> np.ndarray:
        """See `StabilityConditions.evaluate`."""
        columns = self._columns(named_parameters(params), values)
        try:
            shape = np.broadcast_shapes(*(np.shape(v) for v in columns.values()))
        except ValueError as error:
            raise InputError(f"the values given do not broadcast: {error}") from None
        flat = {k: np.broadcast_to(v, shape).ravel() for k, v in columns.items()}
        count = int(np.prod(shape, dtype=int))
        points = Points(self.generators, flat, count)
        stable, unstable = points.holds(self.stable), points.holds(self.unstable)
        if np.any(stable & unstable):
            raise CertificateError(
                f"{self.family!r} came out as stable and as unstable at once: an error of this program, "
                "please report it"
            )
        found = stable.astype(np.int8) - unstable.astype(np.int8)
        found[~(points.holds(self.domain) & self._members(points, flat))] = 0
        if not self.complete:
            for i in np.flatnonzero(found == 0):
                found[i] = self._certified_sign({k: v[i] for k, v in flat.items()})
        return found.reshape(shape)

    def _columns(self, params: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Arrays of floats or of exact numbers for all symbols that are free, by name."""
        mechanism, own = self.system.mechanism, self.system.families[self.family].names
        parameters = {p.name: p.default for p in mechanism.parameters if p.name not in self.expressions}
        free = [name for name in own if name not in self.bound]
        for name in (*params, *values):
            if name in self.expressions or name in self.bound:
                raise ParameterError(f"{name!r} is no free symbol here: it is given by others")
            if name not in parameters and name not in free:
                raise ParameterError(f"no symbol {name!r}{nearest(name, [*free, *parameters])}")
        twice = [name for name in params if name in values]
        if twice:
            raise ParameterError(f"{twice[0]!r} is given twice, in params and by name")
        given: dict[str, Any] = {**parameters, **params, **values}
        missing = [name for name in (*free, *parameters) if given.get(name) is None]
        if missing:
            raise ParameterError(f"a value is needed for {', '.join(missing)}")
        columns = {name: _numbers(name, given[name]) for name in (*free, *parameters)}
        for name in mechanism.positive & columns.keys():
            if not np.all(columns[name] > 0):
                raise ParameterError(f"parameter {name!r} must be positive, everywhere")
        return columns

    def _members(self, points: Points, flat: Mapping[str, np.ndarray]) -> np.ndarray:
        """Where symbols satisfy the relations that give their squares, up to rounding."""
        held = np.full(points.count, True)
        for g in self.generators:
            if g.square and g.name:
                square = points.in_floats(g.square)
                with np.errstate(invalid="ignore"):
                    given = flat[g.name].astype(float) ** 2
                    held &= np.abs(given - square) <= RESIDUAL * np.maximum(given, square)
        return held

    def _certified_sign(self, numbers: Mapping[str, Any]) -> int:
        """What `certify` says of one member."""
        own, mechanism = self.system.families[self.family], self.system.mechanism
        symbols = {s.name: s for s in (*own.symbols, *(p.symbol for p in mechanism.parameters))}
        at = {symbols[k]: _rational(exact(v)) for k, v in numbers.items()}
        given = dict(numbers)
        for name, expr in {**self.expressions, **self.bound}.items():
            value = expr.xreplace(at)
            given[name] = Fraction(int(value.p), int(value.q)) if value.is_Rational else float(value)
        params = {p.name: given[p.name] for p in mechanism.parameters}
        try:
            member = self.system.equilibrium(self.family, params, **{k: given[k] for k in own.names})
        except EquilibriumError:
            return 0
        verdict = certify(self.system, member, params).verdict
        return int(verdict in _STABLE) - int(verdict is Verdict.PROVED_UNSTABLE)


def _rational(q: Fraction) -> sp.Rational:
    return sp.Rational(q.numerator, q.denominator)


def _numbers(name: str, given: Any) -> np.ndarray:
    """Finite real numbers: floats where they are, else exact ones."""
    array = np.asarray(given)
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        array = array.astype(float)
        if not np.all(np.isfinite(array)):
            raise InputError(f"{name!r} must be finite")
        return array
    found = np.empty(array.shape, dtype=object)
    found.ravel()[:] = [exact(value, f"{name!r}", InputError) for value in array.ravel()]
    return found
