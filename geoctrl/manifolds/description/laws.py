"""Inputs and feedback laws of systems on manifolds, as they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars import Program, shown
from geoctrl.errors import DescriptionError
from geoctrl.manifolds.description.state_symbols import Letters
from geoctrl.manifolds.vectors.entries import read_scalar, require_arguments

__all__ = ["callable_law", "law_terms", "read_function", "read_law"]


def read_law(law: Any) -> Any:
    """A law as it is given to `closed_loop`: the function, or its expressions."""
    law = getattr(law, "expr", law)
    if callable(law):
        require_arguments("the law", law, "t, x, params")
    return law


def read_function(law: Any) -> Callable:
    """A law that is a function of (t, x, params); DescriptionError for anything else."""
    if not callable(law):
        raise DescriptionError(f"law must be a function law(t, x, params) -> u, got {shown(law)}")
    require_arguments("the law", law, "t, x, params")
    return law


def law_terms(law: Any, labels: tuple[str, ...]) -> list[sp.Expr]:
    """Expressions of a law in the order of the inputs: given in it, or by name."""
    if isinstance(law, Mapping):
        named = {str(u): e for u, e in law.items()}
        if set(named) != set(labels):
            raise DescriptionError(f"the law must give {', '.join(labels)}, got {', '.join(named)}")
        law = [named[label] for label in labels]
    if isinstance(law, np.ndarray):
        law = law.ravel().tolist()
    given = list(law) if isinstance(law, (list, tuple, sp.MatrixBase)) else [law]
    if len(given) != len(labels):
        raise DescriptionError(f"the law must give {len(labels)} inputs, got {len(given)}")
    return [read_scalar(f"input {label!r} of the law", e) for label, e in zip(labels, given, strict=True)]


def callable_law(letters: Letters, terms: Sequence[Any]) -> Callable:
    """A law given by expressions as a function (t, x, params) -> u."""
    arguments, nodes = [*letters.state_nodes, letters.time_node], [letters.to_node(e) for e in terms]
    program = Program(letters.graph, arguments, letters.parameter_nodes, nodes)

    def law(t: float, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        return program([*x, t], params)

    return law
