"""Which of the candidate invariants a system keeps, judged by their rates at random states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl._scalars import Node, Program
from geoctrl.systems.build_checks import generic_parameters
from geoctrl.systems.casimirs import casimirs

if TYPE_CHECKING:
    from geoctrl.systems.reduced import ReducedSystem

__all__ = ["Conservation"]

_CONSERVED = 1e-9
"""Largest rate, relative to its terms, at which an invariant counts as conserved at random states."""
_REMEMBERED = 64


class Conservation:
    """Candidates of a system, their rates, and those that motions keep.

    Attributes
    ----------
    candidates : dict of name -> expression or node
        Energy, declared invariants and, without constraints, Casimirs of degree one and two.
    """

    def __init__(self, system: ReducedSystem) -> None:
        self._system = system
        mechanism = system.mechanism
        self.candidates: dict[str, sp.Expr | Node] = {"energy": system.assembly.energy}
        self.candidates |= mechanism.invariants
        if mechanism.constraints is None:
            found = casimirs(mechanism)
            self.candidates |= {k: v for k, v in found.items() if k not in self.candidates}
        self._rates: dict[str, tuple[Node, Program]] = {}
        self._kept: dict[tuple, dict[str, Node]] = {}
        self._programs: dict[tuple[str, ...], Program] = {}

    def rates(self) -> dict[str, tuple[Node, Program]]:
        """For each candidate its node and a program of the terms that its rate is the sum of."""
        if not self._rates:
            system = self._system
            nodes = {
                name: value if isinstance(value, Node) else system.expression(value)
                for name, value in self.candidates.items()
            }
            rates = system.rate_terms(list(nodes.values()))
            for (name, node), terms in zip(nodes.items(), rates, strict=True):
                self._rates[name] = (node, system.program(terms))
        return self._rates

    def kept(self, params: Mapping[str, float] | None, all_inputs: bool) -> dict[str, Node]:
        """Nodes of the conserved candidates; see `ReducedSystem.conserved`."""
        numbers = generic_parameters(self._system.mechanism) | {str(k): v for k, v in (params or {}).items()}
        key = (*numbers.values(), all_inputs)
        if key not in self._kept:
            if len(self._kept) > _REMEMBERED:
                self._kept.clear()
            self._kept[key] = self._find(numbers, all_inputs)
        return self._kept[key]

    def _find(self, params: dict[str, float], all_inputs: bool) -> dict[str, Node]:
        system = self._system
        rng = np.random.default_rng(7)
        points = []
        for _ in range(4):
            x = system.random_state(rng, params)
            u = rng.normal(size=system.ninputs) if all_inputs else np.zeros(system.ninputs)
            points.append(system.arguments_at(0.3, x, u))
        kept = {}
        for name, (node, program) in self.rates().items():
            values = [program(point, params) for point in points]
            if all(abs(v.sum()) <= _CONSERVED * max(np.abs(v).max(initial=0.0), 1e-12) for v in values):
                kept[name] = node
        return kept

    def values(self, names: tuple[str, ...], x: Any, params: Mapping[str, float]) -> dict[str, Any]:
        """Values of some candidates at states."""
        if names not in self._programs:
            self._programs[names] = self._system.program([self.rates()[k][0] for k in names])
        results = self._programs[names](self._system.arguments_at(0.0, x, None), params)
        return dict(zip(names, results, strict=True))
