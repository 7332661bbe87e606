"""What a description promises beside the equations of motion, proved or judged at the numbers in use.

A frame lies in the kernel of the constraints, motions keep the leaf, nothing changes when the body turns
about a declared axis: each says that some expressions vanish on the leaf. Where that is an identity in the
parameters, it is proved once, when the system is made, and there is nothing more to do. Else the promise
is *open*: it holds at some parameters (equal moments of inertia, say) and not at others, and every set of
numbers that the system is used with is judged before anything is computed with it.

Judging is exact up to a last doubt, at states with sixty digits. Nothing is rounded, so that a coefficient
``0.3 - 3*0.1`` counts as the 3e-17 that it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._calls.budget import Budget
from geoctrl._scalars import Node, exact
from geoctrl._scalars.algebra.ideal import LeafIdeal
from geoctrl._scalars.arithmetic.precise import text
from geoctrl.errors import GeoctrlError
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.states.precise_states import TRIES, PreciseStates

__all__ = ["Promise", "Promises"]

_PROOF = 1.0
"""Seconds for a proof with parameters as symbols; without one, numbers are judged instead."""
_STATES = 3
_ASIDE = 0.03

Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Promise:
    """Something a description says that is true where all its residuals vanish on the leaf.

    Attributes
    ----------
    broken : str
        What to say where it does not hold.
    error : type
        Exception to raise.
    enough : tuple of Node
        Simpler expressions that need not vanish, but prove the promise where they do.
    """

    broken: str
    residuals: tuple[Node, ...]
    remedy: str
    error: type[GeoctrlError]
    enough: tuple[Node, ...] = ()


class Promises:
    """The promises of a system that depend on its parameters.

    Parameters
    ----------
    generic : mapping name -> number
        Parameters at which an identity has to hold before a proof is looked for.
    """

    def __init__(self, system: Recorded, promises: Sequence[Promise], generic: Numbers) -> None:
        self._system, self._precise = system, PreciseStates(system)
        rng = np.random.default_rng(29)
        elsewhere = {name: value * rng.uniform(0.5, 2.0) + 0.1 for name, value in generic.items()}
        self._open = [
            p for p in promises if self._defect(p, elsewhere) is not None or not self._is_identity(p, {})
        ]

    def require(self, values: Numbers) -> None:
        """Judge the open promises at a full set of parameters."""
        for promise in self._open:
            found = self._defect(promise, values)
            if found is not None:
                raise promise.error(
                    f"{promise.broken}{self._where(promise, values)}: {found}; {promise.remedy}"
                )

    def require_identities(self, numbers: Numbers) -> None:
        """Demand that the promises hold for all parameters besides those given: by numbers, or in others.

        What is derived in symbols is true for no others.
        """
        for promise in self._open:
            if not self._is_identity(promise, numbers):
                left = [name for name in self._names(promise) if name not in numbers]
                raise promise.error(
                    f"{promise.broken} for some values of {', '.join(left)}, and what is asked for holds "
                    f"for all of them; give numbers, params={{{left[0]!r}: ...}}, or {promise.remedy}"
                )

    @property
    def admits_all(self) -> bool:
        """Whether all promises hold whatever the parameters are."""
        return not self._open

    def clearly_admits(self, _values: Numbers, count: int) -> np.ndarray:
        """Which of several members (count,) pass at a glance: none, promises are judged one by one."""
        return np.full(count, self.admits_all)

    # -- one promise ----------------------------------------------------------------------------

    def _names(self, promise: Promise) -> list[str]:
        """Parameters that it can depend on: its own and those of the leaf."""
        found = self._system.graph.symbols([*promise.residuals, *self._system.leaf.nodes])
        return [name for name, node in self._system.assembly.parameters.items() if node in found]

    def _where(self, promise: Promise, values: Numbers) -> str:
        given = ", ".join(f"{name} = {values[name]}" for name in self._names(promise))
        return f" at {given}" if given else ""

    def _point(self, residual: Node, at: Mapping[Node, Any]) -> str:
        occurring = self._system.graph.symbols([residual])
        places = [node for node in self._system.arguments if node in occurring]
        given = ", ".join(f"{node.payload} = {float(at[node]):.4g}" for node in places)
        return f" where {given}" if given else ""

    def _is_identity(self, promise: Promise, numbers: Numbers) -> bool:
        """Whether the residuals vanish on the leaf for all values of the other parameters, by proof."""
        system = self._system
        places = system.assembly.parameters
        held = {name: value for name, value in numbers.items() if getattr(value, "free_symbols", None)}
        related = {places[name]: system.expression(value) for name, value in held.items()}
        known = {places[name]: exact(value) for name, value in numbers.items() if name not in held}

        def vanish(residuals: Sequence[Node], relations: Sequence[Node]) -> bool:
            left = [r for r in system.graph.substitute(residuals, related) if not r.is_zero]
            if not left:
                return True
            relations = system.graph.substitute(relations, related)
            ideal = LeafIdeal(relations, left, known)
            return not any(ideal.remainder(r) for r in left)

        if all(r.is_zero for r in promise.residuals):
            return True
        geometric = system.leaf.nodes[: system.leaf.geometric]
        # Most need no relation; of a bicycle's contact a basis takes longer than there is.
        tried = (
            (promise.enough, ()),
            (promise.residuals, ()),
            (promise.enough, geometric),
            (promise.residuals, system.leaf.nodes),
        )
        budget = Budget(_PROOF)
        return budget.attempt(
            "a proof",
            lambda: any(bool(nodes) and vanish(nodes, relations) for nodes, relations in tried),
            default=False,
        )

    def _defect(self, promise: Promise, values: Numbers) -> str | None:
        """None where all residuals vanish at random states of the leaf, else what is left at one."""
        left = [r for r in promise.residuals if not r.is_zero]
        if not left:
            return None
        judged = 0
        # Samples satisfy all relations of the description; those that were dropped are not to be presumed.
        aside = _ASIDE if self._system.leaf.redundant else 0.0
        for at in self._precise.states(values, aside):
            found = self._precise.values(left, at)
            if found is None:
                continue
            worst = max(left, key=lambda node: abs(found[node]))
            if not all(self._precise.zeros(left, found)):
                return f"{text(found[worst])} instead of 0{self._point(worst, at)}"
            judged += 1
            if judged == _STATES:
                return None
        return f"no finite value at {TRIES} random states, so that it cannot be judged"
