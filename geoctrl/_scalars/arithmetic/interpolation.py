"""Rational functions of several variables from their values modulo a prime.

Along one variable the degrees of numerator and denominator follow from the extended Euclidean algorithm
(Cauchy interpolation); within these degrees the coefficients are the kernel of one linear system.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from flint import nmod_poly

from geoctrl._scalars.arithmetic.modular import PRIME, kernel, rational
from geoctrl._scalars.arithmetic.residues import Residues

__all__ = ["RationalFunction", "interpolants", "numerator"]

_ALONG, _TOGETHER = 14, 30
"""Values along one variable, and along a line through all: two degrees may add up to two less."""
_MOST = 700
"""Most coefficients of numerator and denominator together."""
_EXTRA = 6

Terms = dict[tuple[int, ...], Fraction]
RationalFunction = tuple[Terms, Terms]
"""Numerator and denominator: exponents of the variables, and the coefficient."""


def interpolants(
    values: Callable[[list[Residues]], list[list[int]]], variables: int, rng: np.random.Generator
) -> list[RationalFunction] | None:
    """Some rational functions; None where their degrees or coefficients are too large.

    Parameters
    ----------
    values : function
        Takes the variables as residues (T,) each and gives for each function its T values.
    """
    base = Residues.draw(rng, (variables,)).values
    slant = Residues.draw(rng, (variables,)).values.tolist()
    unit = [[int(i == j) for j in range(variables)] for i in range(variables)]
    lines = [*((direction, _ALONG) for direction in unit), (slant, _TOGETHER)]
    times = np.concatenate([np.arange(1, count + 1) for _, count in lines])
    along = [np.concatenate([np.full(n, d[j], dtype=np.uint64) for d, n in lines]) for j in range(variables)]
    # All lines at once: an evaluation costs little more for many points than for one.
    rows = values([Residues(b) + Residues(times) * Residues(d) for b, d in zip(base, along, strict=True)])
    ends = np.cumsum([0, *(count for _, count in lines)])
    degrees = [[_degrees(times[i:j].tolist(), row[i:j]) for row in rows] for i, j in pairwise(ends.tolist())]
    each, total = degrees[:-1], degrees[-1]
    boxes = []
    for k, whole in enumerate(total):
        single = [row[k] for row in each]
        if whole is None or any(d is None for d in single):
            return None
        boxes.append(
            tuple(_monomials([d[part] for d in single if d is not None], whole[part]) for part in (0, 1))
        )
    count = max((len(n) + len(d) for n, d in boxes), default=0) + _EXTRA
    if count > _MOST:
        return None
    places = [Residues.draw(rng, (count,)) for _ in range(variables)]
    found = [_fit(places, row, *box) for row, box in zip(values(places), boxes, strict=True)]
    return None if any(f is None for f in found) else [f for f in found if f is not None]


def numerator(places: Sequence[int], values: Sequence[int]) -> nmod_poly | None:
    """That of the simplest rational function of one variable with these values; None where they tell none."""
    found = _simplest(places, values)
    return None if found is None else found[0]


def _degrees(places: Sequence[int], values: Sequence[int]) -> tuple[int, int] | None:
    """Degrees of the simplest rational function with these values; None where they tell none."""
    found = _simplest(places, values)
    return None if found is None else (max(found[0].degree(), 0), found[1].degree())


def _simplest(places: Sequence[int], values: Sequence[int]) -> tuple[nmod_poly, nmod_poly] | None:
    """Numerator and denominator of least degrees, of which a value or two more are at hand."""
    x = nmod_poly([0, 1], PRIME)
    whole, fit = nmod_poly([1], PRIME), nmod_poly([], PRIME)
    for place, value in zip(places, values, strict=True):
        step = (value - int(fit(place))) * pow(int(whole(place)), -1, PRIME) % PRIME
        fit, whole = fit + whole * step, whole * (x - place)
    best = (fit, nmod_poly([1], PRIME))
    if not fit:
        return best
    a, b = (whole, fit), (nmod_poly([], PRIME), nmod_poly([1], PRIME))
    while a[1]:
        if a[1].degree() + b[1].degree() < best[0].degree() + best[1].degree():
            best = (a[1], b[1])
        q = a[0] // a[1]
        a, b = (a[1], a[0] - q * a[1]), (b[1], b[0] - q * b[1])
    return best if best[0].degree() + best[1].degree() <= len(places) - 3 else None


def _monomials(degrees: Sequence[int], total: int) -> list[tuple[int, ...]]:
    found = (e for e in product(*(range(d + 1) for d in degrees)) if sum(e) <= total)
    return sorted(found, key=lambda e: (sum(e), e))


def _fit(
    places: list[Residues],
    values: Sequence[int],
    above: list[tuple[int, ...]],
    below: list[tuple[int, ...]],
) -> RationalFunction | None:
    """The function with numerator and denominator of these monomials, of the fewest ones."""
    y, one = Residues(values), Residues(np.ones(len(values)))

    def power(exponents: tuple[int, ...]) -> Residues:
        result = one
        for x, e in zip(places, exponents, strict=True):
            result = result * x**e if e else result
        return result

    columns = [*(-power(e) for e in above), *(y * power(e) for e in below)]
    basis, _ = kernel(np.stack([c.values for c in columns], axis=1).tolist(), len(columns))
    if not basis:
        return None
    coefficients = [rational(c) for c in basis[0]]
    if any(c is None for c in coefficients):
        return None
    numerator = {e: c for e, c in zip(above, coefficients, strict=False) if c}
    denominator = {e: c for e, c in zip(below, coefficients[len(above) :], strict=True) if c}
    return (numerator, denominator) if denominator else None
