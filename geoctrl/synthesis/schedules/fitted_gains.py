"""Gains and members as functions of a variable, fitted to designs and points at some of its values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import sympy as sp

from geoctrl._scalars import exact
from geoctrl.errors import InputError
from geoctrl.synthesis.linear.scaled_pair import CHATTER
from geoctrl.systems import Equilibrium

__all__ = ["FITS", "LINEAR", "POLYNOMIAL", "RATIONAL", "fitted_gains", "fitted_members", "horner_form"]

FITS = POLYNOMIAL, RATIONAL, LINEAR = "polynomial", "rational", "linear"
Designs = Sequence[tuple[float, np.ndarray]]
"""Values of the variable with gains (m, n)."""
Labels = tuple[Sequence[str], Sequence[str]]
"""Of states and inputs."""


def fitted_gains(variable: sp.Symbol, designed: Designs, fit: str, degree: int) -> sp.ImmutableMatrix:
    """Gains (m, n) by one of the fits; InputError where a denominator is not positive over the range.

    Parameters
    ----------
    degree : int
        Of polynomials and quotients.
    """
    if fit == LINEAR:
        return _lines(variable, designed)
    return (_polynomials if fit == POLYNOMIAL else _quotients)(variable, designed, degree)


def fitted_members(
    variable: sp.Symbol, points: Sequence[tuple[float, Equilibrium]], labels: Labels, fit: str
) -> tuple[dict[str, sp.Expr], dict[str, sp.Expr]]:
    """States and inputs by label through points: lines between them, or one polynomial through all.

    What has the values of the variable at all points is the variable itself.
    """
    columns = [(s, np.array([[*point.x, *point.u]])) for s, point in points]
    through = fitted_gains(variable, columns, LINEAR if fit == LINEAR else POLYNOMIAL, len(points) - 1)
    values = np.array([s for s, _ in columns])
    rows = np.array([row for _, (row,) in columns]).T
    found = [variable if np.array_equal(row, values) else e for row, e in zip(rows, through, strict=True)]
    states, inputs = labels
    return dict(zip(states, found, strict=False)), dict(zip(inputs, found[len(states) :], strict=True))


def _lines(variable: sp.Symbol, designed: Designs) -> sp.ImmutableMatrix:
    """Lines from design to design, exactly, so that they meet there."""
    gains = np.array([K.ravel() for _, K in designed])
    constant = np.ptp(gains, axis=0) <= CHATTER * np.max(np.abs(gains), axis=0)
    gains[:, constant] = gains[0, constant]
    found = []
    for (s, first), (end, second) in pairwise(zip((s for s, _ in designed), gains, strict=True)):
        start = sp.Rational(exact(s))
        share = (variable - start) / (sp.Rational(exact(end)) - start)
        ends = [[sp.Rational(exact(a)) for a in pair] for pair in zip(first, second, strict=True)]
        found.append([a + (b - a) * share for a, b in ends])
    if len(found) == 1:
        return sp.ImmutableMatrix(*designed[0][1].shape, found[0])
    below = [variable < sp.Rational(exact(s)) for s, _ in designed[1:-1]]
    rows = [
        sp.Piecewise(*zip(lines, [*below, True], strict=True)) if len({*lines}) > 1 else lines[0]
        for lines in zip(*found, strict=True)
    ]
    return sp.ImmutableMatrix(*designed[0][1].shape, rows)


def _powers(variable: sp.Symbol, designed: Designs, degree: int) -> tuple[np.ndarray, np.ndarray, sp.Expr]:
    """Powers of the distance from the middle over half the range (nodes, degree + 1), gains of the nodes in
    rows, and this distance.
    """
    values = np.array([s for s, _ in designed])
    middle, half = (values[0] + values[-1]) / 2, (values[-1] - values[0]) / 2
    table = np.vander((values - middle) / half, degree + 1, increasing=True)
    distance = (variable - sp.Rational(exact(middle))) / sp.Rational(exact(half))
    return table, np.array([K.ravel() for _, K in designed]), distance


def _polynomials(variable: sp.Symbol, designed: Designs, degree: int) -> sp.ImmutableMatrix:
    """Polynomials of least squares through designs, in the distance from the middle over half the range."""
    table, gains, distance = _powers(variable, designed, degree)
    found = np.linalg.lstsq(table, gains, rcond=None)[0]
    found[np.abs(found) <= CHATTER * np.max(np.abs(gains), axis=0)] = 0.0
    entries_of = [
        sp.Add(*(sp.Rational(exact(c)) * distance**k for k, c in enumerate(column))) for column in found.T
    ]
    return sp.ImmutableMatrix(*designed[0][1].shape, entries_of)


def _quotients(variable: sp.Symbol, designed: Designs, degree: int) -> sp.ImmutableMatrix:
    """Quotients of polynomials of least squares, in the same distance; K q = p with q = 1 + ... for all."""
    table, gains, distance = _powers(variable, designed, degree)
    size = np.max(np.abs(gains), axis=0)
    size = np.where(size > 0, size, 1.0)
    rows = [
        np.hstack([np.kron(np.eye(len(size))[k], table), -(column / size[k])[:, None] * table[:, 1:]])
        for k, column in enumerate(gains.T)
    ]
    found = np.linalg.lstsq(np.vstack(rows), np.concatenate(gains.T / size[:, None]), rcond=None)[0]
    found[np.abs(found) <= CHATTER * np.max(np.abs(found))] = 0.0
    above, below = found[: -degree or None].reshape(len(size), degree + 1), found[len(found) - degree :]
    t = sp.Dummy("t")

    def polynomial(numbers: np.ndarray) -> sp.Expr:
        return sp.Add(*(sp.Rational(exact(c)) * t**k for k, c in enumerate(numbers)))

    q = sp.Poly(polynomial(np.array([1.0, *below])), t)
    if q.count_roots(-1, 1):  # it is one at zero
        raise InputError(
            "the denominator that is fitted to these designs is not positive over the range: lower the "
            "degree, take more nodes, or fit='polynomial'"
        )
    tops = [sp.Rational(exact(s)) * polynomial(p) for s, p in zip(size, above, strict=True)]
    return sp.ImmutableMatrix(
        *designed[0][1].shape, [(p / q.as_expr()).xreplace({t: distance}) for p in tops]
    )


def horner_form(k: sp.Expr, s: sp.Symbol) -> sp.Expr:
    """A quotient with both its polynomials by Horner's rule, on each piece where there are several."""
    if isinstance(k, sp.Piecewise):
        return sp.Piecewise(*((horner_form(e, s), where) for e, where in k.args))
    above, below = sp.fraction(sp.together(k))
    return sp.horner(sp.expand(above), wrt=s) / sp.horner(sp.expand(below), wrt=s)
