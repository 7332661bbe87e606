r"""The flow and its derivative in balls, by Taylor polynomials with a bound of what they leave out.

In the time s = t/T the equations are :math:`x' = T f(x),\ T' = 0`, and the derivative by (x, T) is that of
their flow:

.. math::

    \Phi' = A\,\Phi, \qquad A = \begin{pmatrix} T\,Df & f \\ 0 & 0 \end{pmatrix}, \qquad z = (x, \Phi).

Let P be the Taylor polynomial of degree N of the solution z of :math:`z' = F(z)`. F(P) is analytic on the
disc of radius R, and at most M there, if F is over a box that holds all values of P there; P' is its series
to the order N - 1. The residual :math:`r = P' - F(P)` is then at most :math:`M (h/R)^N/(1 - h/R)` on [0, h]
(Cauchy). States are over their sizes and times over a unit, powers of two, so that numbers are next to one in
all units. Over squares of half width d about P([0, h]) let F be at most K. By Cauchy's estimate F has the
Lipschitz constant L = 2K/d as long as z is within d/2 of P, and by Gronwall's lemma the distance is at most
:math:`|r|\,(e^{Lh} - 1)/L`. Where this is below d/2 the solution exists up to h and does not leave.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import acb, acb_mat, arb, arb_mat, arb_series, fmpq

from geoctrl._scalars.arithmetic.ball_matrices import ball_identity
from geoctrl.checker.flows.series import terms_of_series
from geoctrl.orbits.enclosures.expressions_in_balls import BallProgram, Given, UnprovedError

__all__ = ["BallFlow", "Error"]

_DISCS = (0.9, 0.7, 0.5, 0.3, 0.1)
"""Radii R that are tried, relative to the radius of convergence that the coefficients show."""
_TUBES = (fmpq(1, 2), fmpq(1, 16), fmpq(1, 256), fmpq(1, 4096))
"""Half widths d that are tried."""
_FLAT = 4
"""Lh below which no other tube is tried."""
_HALVED = 12
"""How often a step is halved."""
_LONGER = 3
"""How much longer than the last a step is tried."""
_GROWTH = 16
"""Lh from which on Gronwall's lemma asks for a shorter step."""
_LAST = 6
"""Coefficients from which the radius of convergence is taken."""
_GRID = 1 << 40
"""Denominator of the lengths of steps."""
_STEPS = 20_000
_LONG = f"more than {_STEPS} steps of the series would be needed"


@dataclass(frozen=True, eq=False)
class BallFlow:
    """The flow of an autonomous system over s, with its derivative.

    Parameters
    ----------
    system : System
    given : as of `BallProgram`
    time : arb
        The unit of time, a power of two (s).
    degree : int
        N.
    bits : int
        To which the residual is small.
    watch : callable
        Told of all states that motions may pass, in boxes.
    """

    system: Any
    given: Given
    time: arb
    degree: int
    bits: int
    watch: Callable[[Sequence[arb]], None]

    def rate(self, x: Sequence[Any]) -> list[Any]:
        """f."""
        return [v * factor for v, factor in zip(self._rate(x), self._units[0], strict=True)]

    def jacobian(self, x: Sequence[Any]) -> list[Any]:
        """Df, row by row."""
        return [v * factor for v, factor in zip(self._jacobian(x), self._units[1], strict=True)]

    @cached_property
    def _units(self) -> tuple[list[arb], list[arb]]:
        """By which rates and their derivatives are multiplied, powers of two."""
        sizes = self.given.sizes
        return [self.time / d for d in sizes], [self.time * e / d for d in sizes for e in sizes]

    @cached_property
    def _rate(self) -> BallProgram:
        return BallProgram(self.system, self.system.field_nodes, self.given)

    @cached_property
    def _jacobian(self) -> BallProgram:
        system = self.system
        rows = system.graph.jacobian(system.field_nodes, system.state_nodes)
        return BallProgram(system, [e for row in rows for e in row], self.given)

    @cached_property
    def _margins(self) -> BallProgram:
        """What is positive within the domain of the model."""
        nodes = [self.system.expression(side.margin) for side in self.system.domain.values()]
        return BallProgram(self.system, nodes, self.given)

    def __call__(self, x: Sequence[arb], T: arb, radius: arb) -> tuple[list[arb], list[arb], arb_mat]:
        """End of the motion from x, ends of those from (x, T) +- radius (1, T), and the derivative there."""
        n = len(x)
        total = ball_identity(n + 1)
        spread = arb_mat(n + 1, 1, [arb(0, radius)] * n + [arb(0, (radius * T).abs_upper())])
        around = T + spread[n, 0]
        s, h, here, error = fmpq(0), fmpq(1), list(x), Error(n)
        for _ in range(_STEPS):
            # The mean value theorem over the box: widths grow as the derivative does, and no faster.
            end = [c + e for c, e in zip(here, error.box(), strict=True)]
            apart = total * spread
            box = [end[i] + apart[i, 0] for i in range(n)]
            if s == 1:
                return end, box, total
            step = _Step(self, box, around, derivative=True)
            h, off = step.length_and_error(1 - s, h)
            middle = _Step(self, here, T, derivative=False)
            ends, change = middle.end(h, middle.error_bound(h)), step.change(h, off)
            here = [c.mid() for c in ends]
            error.carry(change, [c - m for c, m in zip(ends, here, strict=True)])
            total, s = change * total, s + h
        raise UnprovedError(_LONG)

    def approximate_end(self, x: Sequence[arb], T: arb) -> list[arb]:
        """Where the motion from x ends, about: numbers without a bound of what they are off."""
        s, h, here = fmpq(0), fmpq(1), list(x)
        for _ in range(_STEPS):
            if s == 1:
                return here
            step = _Step(self, here, T, derivative=False)
            h, _ = step.length_and_error(1 - s, h)
            here, s = [c.mid() for c in step.end(h, arb(0))], s + h
        raise UnprovedError(_LONG)

    def require_inside(self, tube: Sequence[arb]) -> None:
        """Refuse states that may lie outside the domain of the model."""
        self.watch(tube)
        if self.system.domain and not all(margin > 0 for margin in self._margins(tube)):
            raise UnprovedError("the orbit is not shown to stay within the domain of the model")


class Error:
    r"""How far a motion may be from the numbers that stand for it, in axes that turn with the flow.

    :math:`e = Q c` with c in a box becomes :math:`A e + d = Q_1 (Q_1^{-1} A Q\, c + Q_1^{-1} d)` over a step,
    where :math:`Q_1` is about orthogonal, with the span of columns of A Q (Lohner 1987): boxes along fixed
    axes would grow from step to step by being put around turned ones.
    """

    def __init__(self, n: int) -> None:
        self._axes, self._widths = ball_identity(n), arb_mat(n, 1)

    def box(self) -> list[arb]:
        """Bounds of e."""
        return (self._axes * self._widths).entries()

    def carry(self, change: arb_mat, left: Sequence[arb]) -> None:
        """Over a step with the derivative A and what it leaves out, d."""
        n = self._axes.nrows()
        moved = arb_mat(n, n, [change[i, j] for i in range(n) for j in range(n)]) * self._axes
        widths = np.array([float(w.rad()) for w in self._widths.entries()])
        middle = np.array([float(v.mid()) for v in moved.entries()]).reshape(n, n)
        # The longest edges first: these are to stay along an axis.
        order = np.argsort(-np.linalg.norm(middle, axis=0) * (widths / (widths.max() or 1.0)))
        self._axes = arb_mat(n, n, [arb(float(v)) for v in np.linalg.qr(middle[:, order])[0].ravel()])
        inverse = self._axes.inv()
        self._widths = (inverse * moved) * self._widths + inverse * arb_mat(n, 1, list(left))


class _Step:
    """Taylor polynomials from a box of states, and what they leave out.

    Coefficients of the states are rows, those of the derivative matrices; of the latter there are none where
    it is not asked for.
    """

    def __init__(self, flow: BallFlow, x: Sequence[arb], T: arb, derivative: bool) -> None:
        self.flow, self.T, self._n = flow, T, len(x)
        self._x = self._states(x)
        self._Phi = self._derivative() if derivative else []
        sizes = [[c.abs_upper() for c in column[1:]] for column in self._x]
        if derivative:
            entries = ([e.abs_upper() for e in P.entries()] for P in self._Phi[1:])
            sizes += map(list, zip(*entries, strict=True))
        self._sizes = arb_mat(sizes)
        self.length, self._radius, self._bound = self._length_and_bounds()

    # -- coefficients ---------------------------------------------------------------------------

    def _states(self, x: Sequence[arb]) -> list[list[arb]]:
        """Coefficients 0 to N. Newton's step from m of them to 2 m: with rates T f(x) + ..., of which all but
        the last agree with x', the correction d = O(t^m) solves d' = T Df d + T f(x) - x' to that order.
        """
        found, m, n = [[c] for c in x], 1, self._n
        while m <= self.flow.degree:
            count = min(2 * m, self.flow.degree + 1)
            rate = self._series(self.flow.rate, found, count - 1)
            blocks = self._blocks(found, count - 1 - m)
            later: list[list[arb]] = []
            for k in range(m - 1, count - 1):
                d = arb_mat(n, 1, [self.T * f[k] for f in rate])
                if later:
                    row = arb_mat([block[: n * len(later)] for block in blocks])
                    d += row * arb_mat(n * len(later), 1, [e for column in reversed(later) for e in column])
                later.append((d / (k + 1)).entries())
            for i, column in enumerate(found):
                column.extend(d[i] for d in later)
            m = count
        return found

    @staticmethod
    def _series(
        program: Callable[[Sequence[Any]], list[Any]], x: Sequence[Sequence[arb]], length: int
    ) -> list[Any]:
        try:
            with terms_of_series(length):
                values = program([arb_series(list(c[:length])) for c in x])
        except ValueError:  # a divisor that may vanish, as flint says it of series
            raise UnprovedError("the equations are singular near the orbit") from None
        return [v if isinstance(v, arb_series) else arb_series([v]) for v in values]

    def _blocks(self, x: Sequence[Sequence[arb]], length: int) -> list[list[arb]]:
        """Coefficients of T Df side by side, by rows."""
        n = self._n
        if not length:
            return []
        entries = self._series(self.flow.jacobian, x, length)
        return [[self.T * e[k] for k in range(length) for e in entries[n * i : n * i + n]] for i in range(n)]

    def _derivative(self) -> list[arb_mat]:
        n, N = self._n, self.flow.degree
        rate, entries = self._series(self.flow.rate, self._x, N), self._blocks(self._x, N)
        # A_0 .. A_{N-1} side by side: the last column of each is f, the last row zero.
        rows = [[c for k in range(N) for c in (*entries[i][n * k : n * k + n], rate[i][k])] for i in range(n)]
        rows.append([arb(0)] * (N * (n + 1)))
        found = [ball_identity(n + 1)]
        lists = found[0].tolist()
        for k in range(N):
            # A row of blocks A_0 .. A_k times the column Phi_k .. Phi_0.
            row = arb_mat([whole[: (n + 1) * (k + 1)] for whole in rows])
            found.append(row * arb_mat(lists) / (k + 1))
            lists = found[-1].tolist() + lists
        return found

    # -- what is left out -----------------------------------------------------------------------

    def _length_and_bounds(self) -> tuple[fmpq, fmpq, arb]:
        """Length h of the step, R, and M, with the longest step of those that are tried."""
        N, best = self.flow.degree, None
        reach = self._reach()
        for part in _DISCS:
            R = fmpq(max(1, int(part * reach * _GRID)), _GRID)
            try:
                M = self._greatest(self._widths(R), fmpq(0))
            except UnprovedError:
                continue
            small = (arb(2) ** (-self.flow.bits) / (M + 1)).log() / N
            h = min(fmpq(int(float(small.exp()) * float(arb(R)) * _GRID), _GRID), R / 2)
            if best is None or h > best[0]:
                best = h, R, M
        if best is None or not best[0] > 0:
            raise UnprovedError("the equations are singular near the orbit")
        return best

    def _reach(self) -> float:
        """About the radius of convergence, at most one."""
        reach, N = 1.0, self.flow.degree
        for i in range(self._n):
            for k in range(max(1, N - _LAST), N + 1):
                if (size := self._sizes[i, k - 1]) > 0:
                    reach = min(reach, float((-size.log() / k).exp()))
        return reach

    def _widths(self, h: fmpq) -> list[arb]:
        """Bounds of how far the polynomials move on the disc of radius h."""
        powers = [arb(h) ** k for k in range(1, self.flow.degree + 1)]
        moved = self._sizes * arb_mat(self.flow.degree, 1, powers)
        return [w.abs_upper() for w in moved.entries()]

    def _greatest(self, widths: Sequence[arb], d: fmpq) -> arb:
        """A bound of the equations over real intervals of half the widths about the start, with squares of
        half width d about them; over squares of the widths where d is zero.
        """
        n = self._n
        values = [column[0] for column in self._x]
        values += self._Phi[0].entries() if self._Phi else []
        squares = [
            acb(v + arb(0, (w + d).abs_upper()), arb(0, arb(d) if d else w))
            for v, w in zip(values, widths, strict=True)
        ]
        rate = self.flow.rate(squares[:n])
        rates = [self.T * f for f in rate]
        if self._Phi:
            entries = self.flow.jacobian(squares[:n])
            A = [[*(self.T * e for e in entries[n * i : n * i + n]), rate[i]] for i in range(n)]
            rates += (acb_mat(A) * acb_mat(n + 1, n + 1, squares[n:])).entries()
        return _larger(rates)

    def length_and_error(self, rest: fmpq, last: fmpq) -> tuple[fmpq, arb]:
        """A step no longer than the rest, and what its polynomials leave out: shorter than the series ask for
        where the equations change too fast for Gronwall's lemma. Far longer ones than the last are not tried.
        """
        h = min(self.length, rest)
        while h > _LONGER * last:
            h = h / 2
        for _ in range(_HALVED):
            try:
                return h, self.error_bound(h)
            except UnprovedError:
                h = h / 2
        return h, self.error_bound(h)

    def error_bound(self, h: fmpq) -> arb:
        """How far the solution may be from the polynomials on [0, h]."""
        if not h < self._radius:
            raise UnprovedError("the step is longer than the series allow")
        part = arb(h / self._radius)
        residual = self._bound * part**self.flow.degree / (1 - part)
        widths, best = self._widths(h), None
        least = max(self._sizes[i, 0] for i in range(self._sizes.nrows()))
        for d in _TUBES:
            if not 2 * (least + 1) / d * h < _GROWTH:
                continue  # F is no smaller than at the start
            try:
                K = self._greatest(widths, d)
            except UnprovedError:
                continue
            L = 2 * (K + 1) / d
            if not L * h < _GROWTH:
                continue
            apart = (residual * ((L * h).exp() - 1) / L).abs_upper()
            if apart < d / 2 and (best is None or apart < best):
                best = apart
            if L * h < _FLAT:
                break
        if best is None:
            raise UnprovedError("the equations change too fast near the orbit")
        tube = [c[0] + arb(0, (w + best).abs_upper()) for c, w in zip(self._x, widths, strict=False)]
        self.flow.require_inside(tube)
        return best

    def end(self, h: fmpq, left: arb) -> list[arb]:
        """States after h of all motions from the box."""
        ends = []
        for column in self._x:
            value = arb(0)
            for c in reversed(column):
                value = value * h + c
            ends.append(value + arb(0, left))
        return ends

    def change(self, h: fmpq, left: arb) -> arb_mat:
        """Derivatives after h of all motions from the box; the last row, that of T, is exact."""
        n, total = self._n, self._Phi[-1]
        for P in self._Phi[-2::-1]:
            total = total * arb(h) + P
        return total + arb_mat(n + 1, n + 1, [arb(0, left)] * (n * (n + 1)) + [arb(0)] * (n + 1))


def _larger(values: Sequence[Any]) -> arb:
    """An upper bound of absolute values; UnprovedError where one may be infinite."""
    top = arb(0)
    for value in values:
        bound = value.abs_upper()
        if not bound.is_finite():
            raise UnprovedError("the equations are singular near the orbit")
        top = bound if bound > top else top
    return top
