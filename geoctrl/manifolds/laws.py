"""Inputs and feedback laws of systems on manifolds, as they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl._scalars import Program
from geoctrl.errors import DescriptionError

if TYPE_CHECKING:
    from geoctrl.manifolds.model import ManifoldModel

__all__ = ["callable_law", "law_terms", "signals"]


def signals(labels: tuple[str, ...], t: Any, u: Any, count: int) -> list[tuple[float, np.ndarray]]:
    """Time and inputs (m,) of each of ``count`` columns; ``t`` is a number or (count,), ``u`` (m,) or
    (m, count).

    Raises
    ------
    ValueError
        For a wrong number of inputs.
    """
    m = len(labels)
    inputs = np.zeros(m) if u is None else np.atleast_1d(np.asarray(u, dtype=float))
    if inputs.shape[:1] != (m,):
        raise ValueError(f"u must have {m} entries ({', '.join(labels) or 'no input'})")
    times = np.broadcast_to(np.asarray(t, dtype=float), (count,))
    columns = np.broadcast_to(inputs.reshape(m, -1), (m, count)) if m else np.zeros((0, count))
    return list(zip(times.tolist(), columns.T, strict=True))


def law_terms(law: Any, labels: tuple[str, ...]) -> list[sp.Expr]:
    """Expressions of a law in the order of the inputs: given in it, or by name.

    Raises
    ------
    DescriptionError
        Unless there is one for each input.
    """
    if isinstance(law, Mapping):
        named = {str(u): e for u, e in law.items()}
        if set(named) != set(labels):
            raise DescriptionError(f"the law must give {', '.join(labels)}, got {', '.join(named)}")
        law = [named[label] for label in labels]
    terms = [sp.sympify(e) for e in sp.Matrix([law])]
    if len(terms) != len(labels):
        raise DescriptionError(f"the law must give {len(labels)} inputs, got {len(terms)}")
    return terms


def callable_law(model: ManifoldModel, terms: Sequence[Any]) -> Callable:
    """A law given by expressions as a function (t, x, params) -> u."""
    arguments = [*model.state_nodes, model.time_node]
    program = Program(model.graph, arguments, model.parameter_nodes, [model.to_node(e) for e in terms])

    def law(t: float, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        return program([*x, t], params)

    return law
