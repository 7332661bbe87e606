r"""Directional derivatives of a field in balls, by its power series along lines.

Arguments are the states over their sizes and, where a curve goes along a parameter, this over its own, all
of them powers of two; times are over one next to the period. With :math:`c_k(v)` the coefficients of
:math:`F(X + t v)`, forms of second and third order come from real directions alone:

.. math::

    B(u, v) = \tfrac12 (c_2(u + v) - c_2(u - v)), \qquad
    C(u, v, v) = c_3(u + v) + c_3(u - v) - 2 c_3(u).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, arb_mat, arb_series

from geoctrl._scalars import Node
from geoctrl.checker.flows.series import terms_of_series
from geoctrl.orbits.enclosures.expressions_in_balls import BallProgram, Given, UnprovedError

__all__ = ["Column", "FieldSeries"]

Column = list[arb]


class FieldSeries:
    """Rates of the states, then functions that vanish or are kept, with their derivatives in directions.

    Parameters
    ----------
    system : System
    kept : nodes of relations of the leaf and of conserved functions
    given : inputs, parameters and sizes of the arguments
    time : unit of time, a power of two
    along : name of the parameter that is the last argument, None where there is none
    """

    def __init__(self, system: Any, kept: Sequence[Node], given: Given, time: arb, along: str | None) -> None:
        n, self._given = system.nstates, given
        symbols = system.graph.symbols([*system.field_nodes, *kept])
        used = any(node.payload == along for node in symbols)
        self._count = n + used
        sizes = Given(given.u, given.params, given.sizes[: self._count])
        self._program = BallProgram(system, [*system.field_nodes, *kept], sizes, along if used else None)
        self._units = [time / d for d in given.sizes[:n]] + [arb(1)] * len(kept)

    def coefficients(self, x: Sequence[arb], direction: Sequence[arb], order: int) -> list[Column]:
        """Coefficients 0 to an order of all functions along the line."""
        with terms_of_series(order + 1):
            line = [arb_series([c, v]) for c, v in zip(x, direction, strict=True)]
            try:
                found = self._program(line[: self._count])
            except ValueError:  # a divisor that may vanish, as flint says it of series
                raise UnprovedError("the equations are singular near the point") from None
        series = [v if isinstance(v, arb_series) else arb_series([v]) for v in found]
        rows = [[s[k] * c for s, c in zip(series, self._units, strict=True)] for k in range(order + 1)]
        if not all(c.is_finite() for row in rows for c in row):
            raise UnprovedError("a function has no derivatives near the point, or no bounded ones")
        return rows

    def values(self, x: Sequence[arb]) -> Column:
        """Of all functions."""
        return self.coefficients(x, [arb(0)] * len(x), 0)[0]

    def jacobian(self, x: Sequence[arb]) -> arb_mat:
        """First derivatives, a column for each argument."""
        n = len(x)
        columns = [self.coefficients(x, [arb(i == j) for i in range(n)], 1)[1] for j in range(n)]
        return arb_mat(columns).transpose()

    def second(self, x: Sequence[arb], u: Sequence[arb], v: Sequence[arb]) -> Column:
        """B(u, v), the second derivative in two directions."""
        plus = self.coefficients(x, [a + b for a, b in zip(u, v, strict=True)], 2)[2]
        minus = self.coefficients(x, [a - b for a, b in zip(u, v, strict=True)], 2)[2]
        return [(p - m) / 2 for p, m in zip(plus, minus, strict=True)]

    def third(self, x: Sequence[arb], u: Sequence[arb], v: Sequence[arb]) -> Column:
        """C(u, v, v), the third derivative in two directions, one of them twice."""
        plus = self.coefficients(x, [a + b for a, b in zip(u, v, strict=True)], 3)[3]
        minus = self.coefficients(x, [a - b for a, b in zip(u, v, strict=True)], 3)[3]
        alone = self.coefficients(x, u, 3)[3]
        return [p + m - 2 * c for p, m, c in zip(plus, minus, alone, strict=True)]
