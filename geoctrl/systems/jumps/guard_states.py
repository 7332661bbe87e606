"""Random states on the leaf of a mode at which its guard is zero."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl._scalars import Node
from geoctrl.systems.equations.recorded_system import Recorded

__all__ = ["states_on_guard"]

_COUNT, _DRAWS, _STEPS = 3, 24, 40
_ZERO = 1e-10
_FAR = 0.3
"""Sizes of states by which they are drawn about one."""


def states_on_guard(
    system: Recorded,
    guard: Node,
    values: Mapping[str, float],
    about: tuple[np.ndarray, np.ndarray] | None = None,
) -> list[np.ndarray]:
    """Three of them, or as many as Newton's steps of least length find from random states.

    Parameters
    ----------
    about : pair of (n,) arrays, optional
        A state and sizes: the states are drawn about it, as far as these, and lengths of steps are over them.
    """
    rng, found = np.random.default_rng(7), []
    for _ in range(_DRAWS):
        drawn = system.random_state(rng, values) if about is None else _state_about(*about, rng)
        x = _solution(system, guard, drawn, values, 1.0 if about is None else about[1])
        if x is not None:
            found.append(system.onto_rows(x, values))
        if len(found) == _COUNT:
            break
    return found


def _state_about(x: np.ndarray, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return x + sizes * rng.normal(scale=_FAR, size=x.size)


def _solution(
    system: Recorded, guard: Node, x: np.ndarray, values: Mapping[str, float], sizes: Any
) -> np.ndarray | None:
    """A state near ``x`` where guard and relations vanish; None where the steps do not end there."""
    nodes = [guard, *system.leaf.nodes]
    slopes = system.graph.jacobian(nodes, system.state_nodes)
    program = system.program([*nodes, *(e for row in slopes for e in row)])
    constants, more = program.constants(values), [0.0] * (1 + system.ninputs)
    for _ in range(_STEPS):
        try:
            told = np.array(program.scalar([*x.tolist(), *more], constants))
        except (ArithmeticError, ValueError):
            return None
        defect, rows = told[: len(nodes)], told[len(nodes) :].reshape(len(nodes), -1)
        if not np.all(np.isfinite(told)):
            return None
        if np.all(np.abs(defect) <= _ZERO * (np.abs(rows) @ np.abs(x) + np.abs(defect) * 0)):
            return x
        x = x - sizes * np.linalg.lstsq(rows * sizes, defect, rcond=None)[0]
    return None
