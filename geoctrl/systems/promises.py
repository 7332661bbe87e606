"""What a description promises beside the equations of motion, proved or judged at the numbers in use.

A frame lies in the kernel of the constraints, motions keep the leaf, nothing changes when the body turns
about a declared axis: each says that some expressions vanish on the leaf. Where that is an identity in the
parameters, it is proved once, when the system is made, and there is nothing more to do. Else the promise
is *open*: it holds at some parameters (equal moments of inertia, say) and not at others, and every set of
numbers that the system is used with is judged before anything is computed with it.

Judging is exact up to a last doubt: numbers are the rationals that they are, states lie on the leaf to
sixty digits, and what is above 1e-40 of its terms there is not zero. Nothing is rounded, so that a
coefficient ``0.3 - 3*0.1`` counts as the 3e-17 that it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._scalars import STATE, Node, evaluate, exact
from geoctrl._scalars.budget import Budget
from geoctrl._scalars.ideal import LeafIdeal
from geoctrl._scalars.precise import PRECISE, finite_real, number, shortest_solution, text
from geoctrl.errors import DivisionError, GeoctrlError
from geoctrl.systems.recorded import Recorded
from geoctrl.systems.unit_classes import reference_sizes

__all__ = ["Promise", "Promises"]

_ZERO = number(Fraction(1, 10**40))
"""Relative to the terms of an expression; sixty digits leave twenty for what cancels within them."""
_ON_LEAF = number(Fraction(1, 10**55))
"""Relative to the terms of a relation."""
_LEAST = number(Fraction(1, 10**10))
"""Part of its own size that a state or a function of states counts with at least: what the leaf makes zero is
not quite."""
_DEGREES = {"sqrt": number(Fraction(1, 2)), "abs": 1}
"""Of functions that have the unit of a power of their argument; others are numbers."""
_PROOF = 1.0
"""Seconds for a proof with parameters as symbols; without one, numbers are judged instead."""
_STATES = 3
_TRIES = 30
_ASIDE = 0.03
_NEWTON = 12
"""Steps that double the digits, from the 1e-2 of a state beside the leaf on; with some to spare."""

Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Promise:
    """Something a description says that is true where all its residuals vanish on the leaf.

    Attributes
    ----------
    broken : str
        What to say where it does not hold.
    residuals : tuple of Node
    remedy : str
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
    system : Recorded
    promises : sequence of Promise
    generic : mapping name -> number
        Parameters at which an identity has to hold before a proof is looked for.
    """

    def __init__(self, system: Recorded, promises: Sequence[Promise], generic: Numbers) -> None:
        self._system, self._own = system, _own_sizes(system)
        rng = np.random.default_rng(29)
        elsewhere = {name: value * rng.uniform(0.5, 2.0) + 0.1 for name, value in generic.items()}
        self._open = [
            p for p in promises if self._defect(p, elsewhere) is not None or not self._is_identity(p, {})
        ]

    def require(self, values: Numbers) -> None:
        """Judge the open promises at a full set of parameters.

        Raises
        ------
        FrameError, ConstraintError, DescriptionError
            Naming the promise that does not hold, the numbers that it depends on, and the defect.
        """
        for promise in self._open:
            found = self._defect(promise, values)
            if found is not None:
                raise promise.error(
                    f"{promise.broken}{self._where(promise, values)}: {found}; {promise.remedy}"
                )

    def require_identities(self, numbers: Numbers) -> None:
        """Demand that the promises hold for all parameters besides those given: by numbers, or in others.

        What is derived in symbols is true for no others.

        Raises
        ------
        FrameError, ConstraintError, DescriptionError
            Naming the promise and the parameters that need numbers.
        """
        for promise in self._open:
            if not self._is_identity(promise, numbers):
                left = [name for name in self._names(promise) if name not in numbers]
                raise promise.error(
                    f"{promise.broken} for some values of {', '.join(left)}, and what is asked for holds "
                    f"for all of them; give numbers, params={{{left[0]!r}: ...}}, or {promise.remedy}"
                )

    @property
    def settled(self) -> bool:
        """Whether all promises hold whatever the parameters are."""
        return not self._open

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
        budget = Budget(_PROOF)
        return budget.attempt(
            "a proof",
            lambda: (
                bool(promise.enough and vanish(promise.enough, geometric))
                or vanish(promise.residuals, system.leaf.nodes)
            ),
            default=False,
        )

    def _defect(self, promise: Promise, values: Numbers) -> str | None:
        """None where all residuals vanish at random states of the leaf, else what is left at one."""
        left = [r for r in promise.residuals if not r.is_zero]
        if not left:
            return None
        graph, judged = self._system.graph, 0
        parts = graph.reachable(left)
        for at in self._states(values):
            try:
                found = dict(zip(parts, evaluate(parts, at, PRECISE), strict=True))
            except (ZeroDivisionError, ValueError):
                continue
            if not all(finite_real(found[node]) for node in left):
                continue
            sizes = _sizes(found, self._own)
            worst = max(left, key=lambda node: abs(found[node]))
            if any(abs(found[node]) > _ZERO * sizes[node] for node in left):
                return f"{text(found[worst])} instead of 0{self._point(worst, at)}"
            judged += 1
            if judged == _STATES:
                return None
        return f"no finite value at {_TRIES} random states, so that it cannot be judged"

    def _states(self, values: Numbers) -> Iterator[dict[Node, Any]]:
        """Random states on the leaf, inputs and times with sixty digits, by node."""
        system = self._system
        a = system.assembly
        rng = np.random.default_rng(3)
        parameters = {node: number(exact(values[name])) for name, node in a.parameters.items()}
        # Samples satisfy all relations of the description; those that were dropped are not to be presumed.
        aside = _ASIDE if system.leaf.redundant else 0.0
        for _ in range(_TRIES):
            x = system.sample(rng, values)
            x = x + aside * rng.normal(size=x.size) * [float(self._own[q]) for q in system.state_nodes]
            others = {node: number(float(rng.normal())) for node in (a.time, *a.inputs)}
            try:
                yield self._on_leaf(x, {**parameters, **others})
            except ZeroDivisionError:  # a state near which the leaf is not regular
                continue

    def _on_leaf(self, x: np.ndarray, others: dict[Node, Any]) -> dict[Node, Any]:
        """The state moved onto the leaf by least Newton steps; DivisionError if none is near."""
        system = self._system
        nodes, variables = system.leaf.nodes, system.state_nodes
        at = others | {node: number(float(v)) for node, v in zip(variables, x, strict=True)}
        if not nodes:
            return at
        gradients, parts = system.graph.jacobian(nodes, variables), system.graph.reachable(nodes)
        for _ in range(_NEWTON):
            found = dict(zip(parts, evaluate(parts, at, PRECISE), strict=True))
            sizes = _sizes(found, self._own)
            if all(abs(found[node]) <= _ON_LEAF * sizes[node] for node in nodes):
                break
            rows = [evaluate(row, at, PRECISE) for row in gradients]
            step = shortest_solution(rows, [found[node] for node in nodes])
            at |= {node: at[node] - s for node, s in zip(variables, step, strict=True)}
        else:
            raise DivisionError("no state of the leaf near by")
        return at


def _own_sizes(system: Recorded) -> dict[Node, Any]:
    """Sizes of the states: of components of what is advected that of their reference, else one, as drawn."""
    sizes = {
        str(symbol): size
        for advected in system.mechanism.advected
        for symbol, size in zip(advected.symbols, reference_sizes(advected), strict=True)
    }
    named = zip(system.state_labels, system.state_nodes, strict=True)
    return {node: number(sizes.get(label) or 1.0) for label, node in named}


def _sizes(values: Mapping[Node, Any], own: Mapping[Node, Any]) -> dict[Node, Any]:
    """For each node, children first, the sum of the absolute values of what cancels in it.

    Where the leaf holds a coordinate, its rate is zero but for the last digits of the state. Parameters are
    exact, and may be as small as they are.

    Parameters
    ----------
    own : of states; functions have the size one, but for roots and absolute values
    """
    sizes: dict[Node, Any] = {}
    for node, value in values.items():
        if node.kind == "sum":
            sizes[node] = sum(sizes[c] * sizes[mono] for c, mono in node.payload)
        elif node.kind == "prod":
            q, items = node.payload
            sizes[node] = abs(number(q))
            for atom, e in items:
                sizes[node] *= sizes[atom] ** e if e > 0 else abs(values[atom]) ** e
        else:
            sizes[node] = abs(value)
            if node.level == STATE:
                sizes[node] = max(abs(value), _LEAST * _own_size(node, sizes, own))
    return sizes


def _own_size(node: Node, sizes: Mapping[Node, Any], own: Mapping[Node, Any]) -> Any:
    """Size of a state or of a function of states."""
    if node.kind != "fun":
        return own.get(node, 1)
    name, arguments = node.payload
    return sizes[arguments[0]] ** _DEGREES[name] if name in _DEGREES else 1
