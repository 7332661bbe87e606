r"""Equations that hold the time with a period: that of sines and cosines of it.

Where the time enters through functions :math:`\sin(a_i t + b_i)` and :math:`\cos(a_i t + b_i)` alone, with
rates :math:`a_i` of the parameters and :math:`b_i` without the time, and
:math:`k_1 a_i = k_i a_1` for whole :math:`k_i`, nothing changes after :math:`P = 2\pi k_1/a_1`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars import STATE, Node, exact, real
from geoctrl.errors import InputError

__all__ = ["Forcing", "forcing_of", "holds_time", "rate_of_clock", "whole_periods"]

_NEAR = 1e-9
"""Relative distance of a number from a period up to which it stands for it."""
_TURNS = 1_000_000


@dataclass(frozen=True, eq=False)
class Forcing:
    """The period P of equations, as a function of their parameters.

    Attributes
    ----------
    system : System
    waves : tuple of Node
        Sines and cosines of the time, not within each other.
    turns : tuple of int
        By how many whole turns their arguments move on in P.
    """

    system: Any
    waves: tuple[Node, ...]
    turns: tuple[int, ...]

    def __reduce__(self):
        return _read_again, (self.system, self.turns)

    @cached_property
    def rates(self) -> list[Node]:
        """Rates a of the arguments."""
        return _rates(self.system, self.waves)

    def period(self, params: Mapping[str, float]) -> float:
        """P (s) at some parameters."""
        return 2 * np.pi * self.turns[0] / _values(self.system, self.rates[:1], params)[0]

    def slope(self, params: Mapping[str, float], along: str) -> float:
        """Derivative of P by a parameter."""
        graph, rate = self.system.graph, self.rates[0]
        (by,) = graph.derivatives([rate], self.system.parameter_nodes[along])
        a, change = _values(self.system, [rate, by], params)
        return -2 * np.pi * self.turns[0] * change / a**2

    def require_along(self, along: str, params: Mapping[str, float]) -> None:
        """Refuse a parameter with which P is no period."""
        fixed = {k: v for k, v in params.items() if k != along}
        if not _in_proportion(self.system, self.rates, self.turns, fixed):
            raise InputError(f"the equations have no common period while {along} changes")


def _read_again(system: Any, turns: tuple[int, ...]) -> Forcing:
    return Forcing(system, tuple(_waves(system)), turns)


def forcing_of(
    system: Any, forcing: Any, params: Mapping[str, float], further: Sequence[Node] = ()
) -> Forcing | None:
    """Read ``forcing=`` of `find_periodic`; None where neither equations nor further nodes hold the time."""
    if not holds_time(system, further):
        if forcing is not None:
            raise InputError("the equations do not hold the time: leave forcing= out")
        return None
    if forcing is None:
        raise InputError("the equations hold the time: tell its period by forcing=, in seconds")
    P = real(forcing, "forcing")
    if not P > 0:
        raise InputError(f"forcing must be positive, in seconds, got {forcing!r}")
    waves = _waves(system, further)
    rates = _rates(system, waves)
    values = _values(system, rates, params)
    turns = [round(a * P / (2 * np.pi)) for a in values]
    whole = all(
        k and abs(a * P - 2 * np.pi * k) <= _NEAR * abs(a) * P for a, k in zip(values, turns, strict=True)
    )
    if not (whole and max(map(abs, turns)) <= _TURNS and _in_proportion(system, rates, turns, params)):
        periods = ", ".join(f"{2 * np.pi / abs(a):.12g}" if a else "infinite" for a in dict.fromkeys(values))
        raise InputError(
            f"forcing = {P:.12g} s is not proved to be a period of the equations: their sines and cosines of "
            f"the time have the periods {periods} (s)"
        )
    return Forcing(system, tuple(waves), tuple(turns))


def rate_of_clock(forcing: Forcing, params: Mapping[str, float]) -> sp.Expr:
    """The exact angular frequency of the period at numbers of the parameters."""
    (first,) = _expressions(forcing.system, forcing.rates[:1], params)
    return sp.simplify(first / forcing.turns[0])


def whole_periods(period: Any, P: float) -> int:
    """How many periods of the equations one of an orbit has, by ``period=`` of `find_periodic`."""
    if period is None:
        return 1
    T = real(period, "period")
    k = round(T / P) if 0 < T < _TURNS * P else 0
    if not k or abs(T - k * P) > 0.1 * P:
        raise InputError(f"period must be a whole multiple of forcing, {P:.12g} s, got {period!r}")
    return k


def holds_time(system: Any, further: Sequence[Node] = ()) -> bool:
    """Whether the time stands in the equations, or in further nodes."""
    return system.time_node in system.graph.symbols([*system.field_nodes, *further])


def _waves(system: Any, further: Sequence[Node] = ()) -> list[Node]:
    """Sines and cosines through which alone the time enters."""
    graph, t, known = system.graph, system.time_node, {*system.parameter_nodes.values()}
    nodes = [*system.field_nodes, *system.leaf.nodes, *further]
    found: list[Node] = []
    for node in graph.reachable(nodes):
        if node.kind == "fun" and node.payload[0] in ("sin", "cos"):
            (rate,) = graph.derivatives([node.payload[1][0]], t)
            if not rate.is_zero and graph.symbols([rate]) <= known:
                found.append(node)
    symbols = {node: graph.symbol(f"wave {i}", STATE) for i, node in enumerate(found)}
    if t in graph.symbols(graph.substitute(nodes, symbols)):
        raise InputError(
            "the equations are not proved to have a period: the time stands in them beside sines and cosines "
            "of a*t + b with constants a"
        )
    return found


def _rates(system: Any, waves: Any) -> list[Node]:
    return system.graph.derivatives([node.payload[1][0] for node in waves], system.time_node)


def _values(system: Any, nodes: Any, params: Mapping[str, float]) -> list[float]:
    """Numbers of nodes of the parameters."""
    arguments = system.arguments_at(0.0, np.zeros(system.nstates), np.zeros(system.ninputs))
    return np.ravel(system.program(nodes)(arguments, params)).tolist()


def _in_proportion(system: Any, rates: Any, turns: Any, params: Mapping[str, float]) -> bool:
    """Whether rates are as turns are, exactly; at numbers of parameters, identically in those left out."""
    first, *others = _expressions(system, rates, params)
    return all(sp.simplify(turns[0] * e - k * first) == 0 for e, k in zip(others, turns[1:], strict=True))


def _expressions(system: Any, nodes: Any, params: Mapping[str, float]) -> list[sp.Expr]:
    """Nodes as expressions, with exact numbers of parameters."""
    named = system.parameter_nodes
    numbers = {system.symbols[named[k]]: sp.Rational(*exact(v).as_integer_ratio()) for k, v in params.items()}
    return [e.xreplace(numbers) for e in system.to_sympy(list(nodes))]
