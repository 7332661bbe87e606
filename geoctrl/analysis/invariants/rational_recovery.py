"""Polynomials whose coefficients are functions of the parameters, from their residues."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars.algebra.factoring import factorisation
from geoctrl._scalars.arithmetic.interpolation import interpolants
from geoctrl._scalars.arithmetic.modular import rational
from geoctrl._scalars.arithmetic.residues import Residues
from geoctrl.analysis.invariants.modular_motion import Constants, ModularMotion, is_short
from geoctrl.analysis.invariants.polynomial_search import Monomial

__all__ = ["Recovery"]

_FACTORS = 8
"""Most constants of which products of powers are tried."""


class Recovery:
    """Sympy expressions of what was found at random constants.

    Parameters
    ----------
    drawn : sequence of Residues
        The constants where residues are found.
    """

    def __init__(
        self, flow: ModularMotion, constants: Constants, drawn: Sequence[Residues], rng: np.random.Generator
    ) -> None:
        self._flow, self._constants, self.drawn, self._rng = flow, constants, drawn, rng
        self._symbols = [sp.Dummy(positive=True) for _ in range(len(constants))]

    @property
    def variables(self) -> int:
        """Number of the constants."""
        return len(self._symbols)

    def coefficients(
        self, found: Sequence[int], values: Callable[[list[Residues]], list[list[int]]]
    ) -> list[sp.Expr] | None:
        """Functions with residues ``found`` at one choice of the constants; None where they are too large.

        They are written in symbols of this object, which `polynomial` and `sum` take back.

        Parameters
        ----------
        values : function
            Takes the constants as residues (T,) each and gives for each function its T values.
        """
        if not len(self._constants):
            numbers = [rational(c) for c in found]
            return None if any(q is None for q in numbers) else [_rational(q) for q in numbers]
        functions = interpolants(values, len(self._constants), self._rng)
        if functions is None:
            return None
        return [_sum(n, self._symbols) / _sum(d, self._symbols) for n, d in functions]

    def monomials(self, found: Sequence[int]) -> Callable[[Sequence[Residues]], list[int]] | None:
        """Functions with residues ``found``: short multiples of products of powers -1, 0, 1 of the constants.

        None where one of them is none, or there are none.
        """
        count = len(self._constants)
        if not found or not 0 < count <= _FACTORS:
            return None
        powers = np.array(list(product((0, 1, -1), repeat=count)), dtype=int).reshape(-1, count)
        values = _product(powers, self.drawn)
        places, shares = [], []
        for c in found:
            ratios = (Residues(np.uint64(c)) / values).values.tolist()
            place = next((i for i, r in enumerate(ratios) if is_short(rational(r))), None)
            if place is None:
                return None
            places.append(place)
            shares.append(ratios[place])

        def monomial_values(constants: Sequence[Residues]) -> list[int]:
            return (
                _product(powers[places], constants) * Residues(np.array(shares, dtype=np.uint64))
            ).values.tolist()

        return monomial_values

    def polynomial(self, support: Sequence[Monomial], coefficients: Sequence[sp.Expr]) -> sp.Expr:
        """Up to a common factor: coefficients are polynomials without a common divisor."""
        return self.sum(support, _without_denominators(coefficients))

    def sum(self, support: Sequence[Monomial], coefficients: Sequence[sp.Expr]) -> sp.Expr:
        """The combination of monomials."""
        meaning = dict(zip(self._symbols, self._constants.symbols, strict=True))
        generators = self._flow.system.to_sympy(self._flow.generators)
        return sp.Add(
            *(
                c.xreplace(meaning) * sp.Mul(*(generators[i] for i in m))
                for c, m in zip(coefficients, support, strict=True)
            )
        )


def _product(powers: np.ndarray, constants: Sequence[Residues]) -> Residues:
    """Products of powers of constants."""
    total = Residues(np.ones(len(powers)))
    for column, value in zip(powers.T, constants, strict=True):
        steps = np.array([1, int(value.values), int(value.inverse().values)], dtype=np.uint64)
        total = total * Residues(steps[column])
    return total


def _rational(q: Any) -> sp.Rational:
    return sp.Rational(q.numerator, q.denominator)


def _sum(terms: Mapping[tuple[int, ...], Any], symbols: Sequence[sp.Symbol]) -> sp.Expr:
    return sp.Add(
        *(
            _rational(q) * sp.Mul(*(s**e for s, e in zip(symbols, exponents, strict=True)))
            for exponents, q in terms.items()
        )
    )


def _without_denominators(coefficients: Sequence[sp.Expr]) -> list[sp.Expr]:
    """The same up to a common factor: polynomials without a common divisor."""
    parts = [sp.fraction(sp.cancel(c)) for c in coefficients]
    common = sp.lcm_list([d for _, d in parts])
    whole = [sp.cancel(n * common / d) for n, d in parts]
    divisor = sp.gcd_list(whole)
    return [factorisation(sp.cancel(c / divisor)) for c in whole]
