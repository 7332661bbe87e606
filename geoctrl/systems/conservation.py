"""Which of the candidate invariants a system keeps, judged by their rates at random states."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, flag, resolve_parameters, user_level
from geoctrl._scalars import Node, Program
from geoctrl._scalars.budget import BUDGET, Budget
from geoctrl.systems.casimirs import casimirs
from geoctrl.systems.recorded import Recorded

__all__ = ["Conservation"]

_CONSERVED = 1e-9
"""Largest rate, relative to its terms, at which an invariant counts as conserved at random states."""
_ROUNDING = 1e-14
"""The same relative to gradient times motion: rounding that is left where the terms cancel one by one."""
_STATES = 4
"""Random states at which a rate has to vanish."""
_TRIES = 60
"""States drawn at most until a rate has a finite value at so many: formulas have poles."""
_REMEMBERED = 64


class Conservation:
    """Candidates of a system, their rates, and those that motions keep.

    Attributes
    ----------
    candidates : dict of name -> expression or node
        Energy, declared invariants and, without constraints, Casimirs of degree one and two.
    """

    def __init__(self, system: Recorded) -> None:
        self._system = system
        mechanism = system.mechanism
        self.candidates: dict[str, sp.Expr | Node] = {"energy": system.assembly.energy}
        self.candidates |= mechanism.invariants
        if mechanism.constraints is None:
            time = Budget(BUDGET)
            found = time.attempt("Casimirs", lambda: casimirs(mechanism), {})
            if time.note:
                warnings.warn(
                    f"{system.name or 'the system'}: {time.note}", RuntimeWarning, stacklevel=user_level()
                )
            self.candidates |= {k: v for k, v in found.items() if k not in self.candidates}
        self._rates: dict[str, tuple[Node, Program]] = {}
        self._kept: dict[tuple, dict[str, Node]] = {}
        self._programs: dict[tuple[str, ...], Program] = {}

    def rates(self) -> dict[str, tuple[Node, Program]]:
        """For each candidate its node and a program: the terms that its rate is the sum of, its gradient."""
        if not self._rates:
            system = self._system
            nodes = {
                name: value if isinstance(value, Node) else system.expression(value)
                for name, value in self.candidates.items()
            }
            rates = system.rate_terms(list(nodes.values()))
            gradients = system.graph.jacobian(list(nodes.values()), system.state_nodes)
            for (name, node), terms, gradient in zip(nodes.items(), rates, gradients, strict=True):
                self._rates[name] = (node, system.program([*terms, *gradient]))
        return self._rates

    def kept(self, params: Mapping[str, float] | None, all_inputs: bool, u: Any = None) -> dict[str, Node]:
        """Nodes of the conserved candidates; see `ReducedSystem.conserved`."""
        all_inputs = flag("all_inputs", all_inputs)
        system, generic = self._system, self._system.mechanism.generic
        numbers = resolve_parameters(generic, params, system.mechanism.positive)
        held = np.zeros(system.ninputs) if u is None else finite_array("u", u, (system.ninputs,))
        key = (*numbers.values(), all_inputs, *held)
        if key not in self._kept:
            if len(self._kept) > _REMEMBERED:
                self._kept.clear()
            self._kept[key] = self._find(numbers, None if all_inputs else held)
        return self._kept[key]

    def _find(self, params: dict[str, float], held: np.ndarray | None) -> dict[str, Node]:
        rng = np.random.default_rng(7)
        points: list[tuple[np.ndarray, np.ndarray]] = []

        def point(number: int) -> tuple[np.ndarray, np.ndarray]:
            while number >= len(points):
                x = self._system.random_state(rng, params)
                points.append((x, rng.normal(size=self._system.ninputs) if held is None else held))
            return points[number]

        def vanishes(name: str, program: Program) -> bool:
            seen = 0
            for number in range(_TRIES):
                found = self._vanishing(program, 0.3, *point(number), params)
                if found is False:
                    return False
                seen += found is not None
                if seen == _STATES:
                    return True
            warnings.warn(
                f"{self._system.name or 'the system'}: the rate of {name!r} is finite at {seen} of {_TRIES} "
                f"random states, {_STATES} are needed to judge it; it does not count as conserved",
                RuntimeWarning,
                stacklevel=user_level(),
            )
            return False

        return {name: node for name, (node, program) in self.rates().items() if vanishes(name, program)}

    def constant(self, program: Program, t: Any, x: Any, u: Any, params: Mapping[str, float]) -> bool:
        """Whether a rate vanishes up to rounding at those states, (n,) or (n, nt), where it is finite."""
        return self._vanishing(program, t, x, u, params) is True

    def _vanishing(
        self, program: Program, t: Any, x: Any, u: Any, params: Mapping[str, float]
    ) -> bool | None:
        """`constant`; None where the rate is finite at none of the states."""
        system = self._system
        with np.errstate(all="ignore"):
            terms, gradient = np.split(program(system.arguments_at(t, x, u), params), 2)
            motion = system.rhs(t, x, u, params)
            largest, steepest, fastest = (
                np.abs(v).max(axis=0, initial=0.0) for v in (terms, gradient, motion)
            )
            allowed = np.maximum(_CONSERVED * largest, _ROUNDING * steepest * fastest) + 1e-21
            rate = np.abs(terms.sum(axis=0))
        finite = np.isfinite(rate) & np.isfinite(allowed)
        return bool(np.all(rate[finite] <= allowed[finite])) if np.any(finite) else None

    def values(self, names: tuple[str, ...], x: Any, params: Mapping[str, float]) -> dict[str, Any]:
        """Values of some candidates at states."""
        if names not in self._programs:
            self._programs[names] = self._system.program([self.rates()[k][0] for k in names])
        results = self._programs[names](self._system.arguments_at(0.0, x, None), params)
        return dict(zip(names, results, strict=True))
