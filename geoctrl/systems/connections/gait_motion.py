r"""The motion of the group along a gait r(t; a), and its derivative by a.

.. math::

    \dot g = g\,\hat\xi, \qquad \dot\eta = \frac{\partial\xi}{\partial a} + \frac{\partial\xi}{\partial p} P
    - [\xi, \eta], \qquad \dot P = \frac{\partial\dot p}{\partial a} + \frac{\partial\dot p}{\partial p} P

where velocity and momentum equation are taken at r, its rate and p; :math:`P = \partial p/\partial a`, and
:math:`\eta = g^{-1}\,\partial g/\partial a` follows from :math:`(g\eta)^{\cdot} = \partial(g\xi)/\partial a`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import named_parameters
from geoctrl._scalars import PARAMETER, STATE, FromSympy, Graph, Node, Program, real, shown
from geoctrl.algebra import LieAlgebra
from geoctrl.errors import InputError
from geoctrl.systems.parts.names import time
from geoctrl.systems.parts.parameters import Parameter

__all__ = ["GaitEnd", "GaitMotion", "numbers_of_gait", "rate_of_logarithm"]


@dataclass(frozen=True)
class GaitEnd:
    """The end of a gait.

    Attributes
    ----------
    g : ndarray
        Matrix of the group element.
    turned : ndarray (k,)
        Integrals of the velocities that were asked for.
    momentum : ndarray (m,)
    eta : ndarray (n_g, q)
    P : ndarray (m, q)
    """

    g: np.ndarray
    turned: np.ndarray
    momentum: np.ndarray
    eta: np.ndarray
    P: np.ndarray


class GaitMotion:
    """Recorded equations of g, p and their derivatives; states are numbered in this order.

    Parameters
    ----------
    group : LieAlgebra
    rates : sequence of sympy expressions
        Group velocity and rates of the momenta, in what `arguments` names.
    arguments : (coordinates, their rates, momenta)
    path : sequence of (expression, its rate)
        Of each coordinate, in ``geoctrl.time`` and the symbols `by`.
    by : sequence of sympy.Symbol
        Besides these, the derivative is taken by the momenta at the start where `starts` says so.
    integrals : sequence of int
        Places of velocities of the group of which integrals are wanted.

    Attributes
    ----------
    program : Program
        Rates of (states, time), with `by` as parameters.
    columns : int
        Of the derivatives: q.
    """

    def __init__(
        self,
        group: LieAlgebra,
        rates: Sequence[sp.Expr],
        arguments: tuple[Sequence[sp.Symbol], Sequence[sp.Symbol], Sequence[sp.Symbol]],
        path: Sequence[tuple[sp.Expr, sp.Expr]],
        by: Sequence[sp.Symbol] = (),
        starts: bool = False,
        integrals: Sequence[int] = (),
    ) -> None:
        coordinates, speeds, momenta = arguments
        self.group, self.by, self.starts = group, tuple(by), starts
        self._m = len(momenta)
        self.columns = len(self.by) + self._m * starts
        graph = Graph()
        clock = graph.symbol("t", STATE)
        known = {s: graph.symbol(f"a{i}", PARAMETER) for i, s in enumerate(self.by)}
        gait = FromSympy(graph, {time: clock, **known})
        p = [graph.symbol(f"p{i}", STATE) for i in range(self._m)]
        along = dict(zip(momenta, p, strict=True))
        for r, v, (place, speed) in zip(coordinates, speeds, path, strict=True):
            along |= {r: gait(place), v: gait(speed)}
        read = FromSympy(graph, along)
        values = [read(rate) for rate in rates]
        xi = values[: group.n]
        element, moved = self._element(graph, xi)
        element += [graph.symbol(f"turned{i}", STATE) for i in integrals]
        moved += [xi[i] for i in integrals]
        self._turned = len(integrals)
        eta, P = (self._columns(graph, name, rows) for name, rows in (("e", group.n), ("P", self._m)))
        moved += [*values[group.n :], *self._variations(graph, values, [*known.values()], p, eta, P)]
        states = [*element, *p, *(node for block in (eta, P) for row in block for node in row)]
        self.program = Program(
            graph, [*states, clock], {f"a{i}": node for i, node in enumerate(known.values())}, moved
        )

    def _element(self, graph: Graph, xi: list[Node]) -> tuple[list[Node], list[Node]]:
        """Entries of g that change, and their rates."""
        n = self.group.n
        basis = [np.asarray(self.group.hat(row)) for row in np.eye(n)]
        hat: np.ndarray = np.any(np.array(basis) != 0, axis=0)
        self._identity = np.eye(len(hat))
        self._moving = np.zeros(hat.shape, dtype=bool)
        while True:
            more = (((self._moving | (self._identity != 0)).astype(int) @ hat.astype(int)) > 0) | self._moving
            if (more == self._moving).all():
                break
            self._moving = more
        places = [*zip(*np.nonzero(self._moving), strict=True)]
        entries = {place: graph.symbol(f"g{place[0]}_{place[1]}", STATE) for place in places}
        whole = [
            [entries.get((i, j), graph.number(int(self._identity[i, j]))) for j in range(len(hat))]
            for i in range(len(hat))
        ]

        def velocity(row: int, column: int) -> Node:
            return graph.add(
                [graph.number(Fraction(E[row, column])) * x for E, x in zip(basis, xi, strict=True)]
            )

        rates = [
            graph.add([whole[i][k] * velocity(k, j) for k in range(len(hat)) if hat[k, j]]) for i, j in places
        ]
        return list(entries.values()), rates

    def _columns(self, graph: Graph, name: str, rows: int) -> list[list[Node]]:
        return [[graph.symbol(f"{name}{i}_{j}", STATE) for j in range(self.columns)] for i in range(rows)]

    def _variations(
        self,
        graph: Graph,
        values: list[Node],
        by: list[Node],
        p: list[Node],
        eta: list[list[Node]],
        P: list[list[Node]],
    ) -> list[Node]:
        """Rates of eta and P, row by row."""
        n = self.group.n
        xi = values[:n]
        explicit = [graph.derivatives(values, a) for a in by]
        explicit += [[graph.zero] * len(values)] * (self.columns - len(by))
        slopes = [graph.derivatives(values, q) for q in p]
        rates = [
            [graph.add([explicit[j][i], *(slopes[a][i] * P[a][j] for a in range(self._m))])
             for j in range(self.columns)]
            for i in range(len(values))
        ]  # fmt: skip
        for i, j, k, value in self.group.brackets:
            for column in range(self.columns):
                turn = graph.number(value) * xi[i] * eta[j][column]
                rates[k][column] = rates[k][column] - turn
        return [node for row in rates for node in row]

    def start(self, momentum: np.ndarray) -> np.ndarray:
        """All states at the beginning, from the identity."""
        P = np.zeros((self._m, self.columns))
        if self.starts:
            P[:, len(self.by) :] = np.eye(self._m)
        eta = np.zeros((self.group.n, self.columns))
        turned = np.zeros(self._turned)
        return np.concatenate([self._identity[self._moving], turned, momentum, eta.ravel(), P.ravel()])

    def end(self, states: np.ndarray) -> GaitEnd:
        """What the states are."""
        g = self._identity.copy()
        sizes = [int(self._moving.sum()), self._turned, self._m, self.group.n * self.columns]
        g[self._moving], turned, p, eta, P = np.split(states, np.cumsum(sizes))
        return GaitEnd(
            g, turned, p, eta.reshape(self.group.n, self.columns), P.reshape(self._m, self.columns)
        )


def rate_of_logarithm(group: LieAlgebra, log: np.ndarray, eta: np.ndarray) -> np.ndarray:
    r"""Derivative of X = log g, from :math:`\eta = g^{-1}\,dg = \sum_k (-\mathrm{ad}_X)^k dX/(k + 1)!`."""
    from scipy.linalg import expm

    n = group.n
    whole: Any = np.zeros((2 * n, 2 * n))
    whole[:n, :n], whole[:n, n:] = -np.asarray(group.ad(log), dtype=float), np.eye(n)
    return np.linalg.solve(expm(whole)[:n, n:], eta)


def numbers_of_gait(
    by: Sequence[Any], params: Mapping[str, float] | None, defaults: Mapping[str, Any]
) -> tuple[dict[sp.Symbol, float], dict[str, float]]:
    """Numbers of the symbols of a gait, and what is left of the parameters."""
    others, numbers = dict(named_parameters(params) or {}), {}
    for given in by:
        symbol, own = (given.symbol, given.default) if isinstance(given, Parameter) else (given, None)
        if (
            not isinstance(symbol, sp.Symbol)
            or symbol is time
            or str(symbol) in defaults
            or symbol in numbers
        ):
            raise InputError(
                "by must be symbols of the gait, each once, none of the mechanism's names and not the time; "
                f"got {shown(given)}"
            )
        value = others.pop(str(symbol), own)
        if value is None:
            raise InputError(f"{symbol} has no number: params={{{str(symbol)!r}: ..}} gives it")
        numbers[symbol] = real(value, str(symbol))
    return numbers, others
