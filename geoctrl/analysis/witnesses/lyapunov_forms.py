r"""Quadratic forms that fall or grow along linear motions, in short numbers that exact arithmetic confirms.

Of :math:`\dot x = B x`, :math:`x^T P x` with :math:`P B + B^T P = -1` falls where all roots lie to the left
of the axis. Where one lies to the right, :math:`P (B - m) + (B - m)^T P = 1` has a solution for every m but
the half sums of two roots (Lyapunov); with m below the largest real part it is positive somewhere, and grows
there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from operator import attrgetter
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import scipy
from flint import acb, acb_mat, arb, arb_mat, ctx, fmpq

from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.checker.definite import positive_definite, product, transpose
from geoctrl.checker.numbers import ball, number_text
from geoctrl.checker.theorems.held_loop import gain
from geoctrl.checker.verdicts import rate
from geoctrl.decisions.functions.derivatives import to_float

__all__ = [
    "contracting_form",
    "falling_form",
    "form_triangle",
    "growing_form",
    "multiplying_form",
    "negative_direction",
]

APART = 1e-9
"""Of the largest real part, by which another one differs."""

Rows = list[list[Any]]
DIGITS = (16, 32, 53)
"""Bits of the numbers of a form, beside its largest one in balanced units, tried in turn."""
PRECISION = 512
"""Bits of the equation where doubles do not do."""
WAYS = (0.4, 0.6, 0.25, 0.8)
"""Of the way from the next root, or from zero, to the largest real part: rates tried in turn."""


def form_triangle(P: Rows) -> list[list[str]]:
    """A form as a file has it, by its lower triangle."""
    return [[str(c) for c in row[: i + 1]] for i, row in enumerate(P)]


def falling_form(B: Rows) -> Rows:
    """P > 0 with -(P B + B'P) > 0; NotSolved where none is found."""
    for P in _solutions(B, fmpq(0), -1):
        if positive_definite(P) and positive_definite([[-c for c in row] for row in rate(P, B, fmpq(0))]):
            return P
    raise NotSolved


def growing_form(B: Rows) -> tuple[fmpq, Rows, list[fmpq]]:
    """m > 0, P and v with P (B - m) + (B - m)'P > 0 and v.P v > 0; NotSolved where none is found."""
    for parts in _sizes_of_roots(B, attrgetter("real")):
        largest, size = parts[0], np.max(np.abs(parts))
        below = max(next((part for part in parts if part < largest - APART * size), 0.0), 0.0)
        for way in WAYS:
            m = _number_between(below, largest, way)
            for P in _solutions(B, m, 1) if m > 0 else ():
                v = _positive_direction(P)
                if product(transpose(v), product(P, v))[0][0] > 0 and positive_definite(rate(P, B, m)):
                    return m, P, [c for (c,) in v]
    raise NotSolved


def _sizes_of_roots(B: Rows, size_of: Callable[[Any], Any]) -> Iterator[np.ndarray]:
    """Sizes of the roots, the largest first: in doubles, then, where these do not do, from balls."""
    yield np.unique(size_of(np.linalg.eigvals(_doubles(B))))[::-1]
    with ctx.workprec(PRECISION):
        found = acb_mat([[acb(ball(c)) for c in row] for row in B]).eig(algorithm="approx")
        yield np.unique([to_float(arb(size_of(root)).mid().fmpq()) for root in found])[::-1]


def multiplying_form(M: Rows) -> tuple[fmpq, Rows, list[fmpq]]:
    """m > 1, P and v with M'P M - m^2 P > 0 and v.P v > 0; NotSolved where none is found."""
    for sizes in _sizes_of_roots(M, abs):
        below = max(next((s for s in sizes if s < sizes[0] * (1 - APART)), 1.0), 1.0)
        for way in WAYS:
            m = 1 + _number_between(below - 1, sizes[0] - 1, way)
            for P in _map_solutions(M, m) if m > 1 else ():
                v = _positive_direction(P)
                if product(transpose(v), product(P, v))[0][0] > 0 and positive_definite(gain(M, P, m * m)):
                    return m, P, [c for (c,) in v]
    raise NotSolved


def contracting_form(M: Rows) -> Rows:
    """P > 0 with P - M'P M > 0; NotSolved where none is found."""
    for P in _map_solutions(M, fmpq(1), -1) if M else [[]]:
        falls = [[-c for c in row] for row in gain(M, P, fmpq(1))]
        if positive_definite(P) and positive_definite(falls):
            return P
    raise NotSolved


def _map_solutions(M: Rows, m: fmpq, sense: int = 1) -> Iterator[Rows]:
    """Solutions of M'P M - m^2 P = sense, rounded as those of flows."""
    slower = _doubles(M) / to_float(m)
    scale = binary(scipy.linalg.matrix_balance(slower, permute=False, separate=True)[1][0])
    with suppress(np.linalg.LinAlgError, ValueError), catch_warnings():
        simplefilter("ignore", scipy.linalg.LinAlgWarning)  # what is found is tried
        found = scipy.linalg.solve_discrete_lyapunov(
            (slower * scale / scale[:, None]).T, -sense * np.eye(len(M))
        )
        if np.all(np.isfinite(found)):
            yield from (_short_form((found + found.T) / 2, scale, bits) for bits in DIGITS)
    with suppress(ZeroDivisionError):
        yield _in_balls(M, lambda P, A: gain(A, P, m * m), sense, scale)


def _solutions(B: Rows, m: fmpq, sense: int) -> Iterator[Rows]:
    """Solutions of P (B - m) + (B - m)'P = sense, rounded: in units in which the matrix is balanced, by
    doubles and then by balls.
    """
    n = len(B)
    if not n:
        yield []
        return
    slower = _doubles(B) - to_float(m) * np.eye(n)
    scale = scipy.linalg.matrix_balance(slower, permute=False, separate=True)[1][0]
    scale = binary(scale)
    with suppress(np.linalg.LinAlgError, ValueError):
        found = scipy.linalg.solve_continuous_lyapunov((slower * scale / scale[:, None]).T, sense * np.eye(n))
        if np.all(np.isfinite(found)):
            yield from (_short_form((found + found.T) / 2, scale, bits) for bits in DIGITS)
    with suppress(ZeroDivisionError):
        yield _in_balls(B, lambda P, A: rate(P, A, m), sense, scale)


def _short_form(P: np.ndarray, scale: np.ndarray, bits: int) -> Rows:
    """A form in the units of the states, each number with so many bits beside the largest one."""
    unit = float(binary(np.max(np.abs(P)))) * 2.0**-bits
    whole = np.round(P / unit)
    exact = [fmpq(*float(1 / s).as_integer_ratio()) for s in scale]
    step = fmpq(*unit.as_integer_ratio())
    return [
        [int(c) * step * a * b for c, b in zip(row, exact, strict=True)]
        for row, a in zip(whole, exact, strict=True)
    ]


def _in_balls(B: Rows, image_of: Callable[[Rows, Rows], Rows], sense: int, scale: np.ndarray) -> Rows:
    """The solution from n(n + 1)/2 equations in balls, by the images of forms; ZeroDivisionError where they
    have none.
    """
    n, exact = len(B), [fmpq(*float(s).as_integer_ratio()) for s in scale]
    pairs = [(i, j) for i in range(n) for j in range(i + 1)]
    with ctx.workprec(PRECISION):
        A = [[ball(B[i][j]) * exact[j] / exact[i] for j in range(n)] for i in range(n)]
        columns = []
        for i, j in pairs:
            unit = [[arb((r, c) in ((i, j), (j, i))) for c in range(n)] for r in range(n)]
            image = image_of(unit, A)
            columns.append([image[r][c] for r, c in pairs])
        right = arb_mat([[sense * (i == j)] for i, j in pairs])
        found = arb_mat([list(row) for row in zip(*columns, strict=True)]).solve(right)
        P = {pair: found[k, 0].mid().fmpq() for k, pair in enumerate(pairs)}
    return [[P[max(i, j), min(i, j)] / exact[i] / exact[j] for j in range(n)] for i in range(n)]


def negative_direction(R: Rows) -> list[fmpq]:
    """A direction along which a form is negative; NotSolved where none is found."""
    v = _positive_direction([[-c for c in row] for row in R])
    if not product(transpose(v), product([[number_text(str(c)) for c in row] for row in R], v))[0][0] < 0:
        raise NotSolved
    return [c for (c,) in v]


def _positive_direction(P: Rows) -> Rows:
    """A column along which a form is large, as is seen in units in which its diagonal is one."""
    form = _doubles(P)
    unit = 1 / np.sqrt(np.abs(np.diag(form)), where=np.diag(form) != 0, out=np.ones(len(P)))
    unit = binary(unit)
    column = np.linalg.eigh(form * unit * unit[:, None])[1][:, -1] * unit
    return [[_short(c)] for c in column]


def _number_between(low: float, high: float, way: float) -> fmpq:
    """A number on the way from one to another, of three digits where that many tell it from both."""
    value = low + way * (high - low)
    short = _short(value)
    return short if low < to_float(short) < high else fmpq(*value.as_integer_ratio())


def _short(value: float) -> fmpq:
    """A rational of three digits."""
    return fmpq(*float(f"{value:.3g}").as_integer_ratio())


def _doubles(rows: Rows) -> np.ndarray:
    return np.array([[to_float(ball(c).mid().fmpq()) for c in row] for row in rows])
