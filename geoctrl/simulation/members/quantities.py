"""What an ensemble keeps of its members: states, or what `record` names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from geoctrl._checks import nearest
from geoctrl._scalars import Node, shown
from geoctrl.errors import ExpressionError, InputError, LabelError
from geoctrl.systems import System

__all__ = ["KeptQuantity", "bytes_kept", "node_of", "read_record", "reduced_values"]

_REDUCTIONS = ("min", "max", "last")
_NUMBER = 8
"""Bytes of a double."""


class KeptQuantity(NamedTuple):
    """A function along the runs.

    Attributes
    ----------
    name : str
    how : str
        "all" samples, their "min" or "max" with the member's end, or the "last", at that end.
    expr : sympy expression
        In states, inputs, time and parameters.
    """

    name: str
    how: str
    expr: Any


def read_record(system: System, record: Any) -> tuple[KeptQuantity, ...] | None:
    """What ``record`` names, each with an expression of the system."""
    if record is None:
        return None
    if isinstance(record, str) or not isinstance(record, Iterable):
        raise InputError(
            "record must be a list of labels or expressions, or a dict of name -> expression or "
            f'("min" | "max" | "last", expression); got {shown(record)}'
        )
    named = record.items() if isinstance(record, Mapping) else [(None, entry) for entry in record]
    found = tuple(_quantity(system, name, entry) for name, entry in named)
    names = [quantity.name for quantity in found]
    if not found:
        raise InputError("record names nothing: leave it out to keep states")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"record has {twice!r} twice; a dict gives them names")
    return found


def _quantity(system: System, name: Any, entry: Any) -> KeptQuantity:
    if name is not None and not isinstance(name, str):
        raise InputError(f"record must have text as names, got {shown(name)}")
    how, what = "all", entry
    if isinstance(entry, tuple):
        if len(entry) != 2 or entry[0] not in _REDUCTIONS:
            raise InputError(f'a pair of record is ("min" | "max" | "last", expression), got {shown(entry)}')
        how, what = entry
    expr = _expression_of(system, what) if isinstance(what, str) else what
    told = what if isinstance(what, str) else str(expr)
    quantity = KeptQuantity(name or (told if how == "all" else f"{how} {told}"), how, expr)
    node_of(system, quantity)
    return quantity


def _expression_of(system: System, label: str) -> Any:
    """Expression of a state, an input or an output."""
    for labels, symbols in ((system.state_labels, system.states), (system.input_labels, system.inputs)):
        if label in labels:
            return symbols[tuple(labels).index(label)]
    outputs = getattr(getattr(system, "mechanism", None), "outputs", {})
    if label in outputs:
        return outputs[label]
    known = [*system.state_labels, *system.input_labels, *outputs]
    raise LabelError(f"record: no state, input or output {label!r}{nearest(label, known)}")


def node_of(system: System, quantity: KeptQuantity) -> Node:
    """The expression as the system's graph has it."""
    try:
        return system.expression(quantity.expr)
    except ExpressionError as error:
        raise ExpressionError(f"record: {quantity.name!r}: {error}") from None


def bytes_kept(system: System, quantities: tuple[KeptQuantity, ...] | None, count: int, samples: int) -> int:
    """Bytes of what is kept of so many members."""
    ends = system.nstates + 2
    if quantities is None:
        return count * _NUMBER * (ends + system.nstates * samples)
    each = sum(samples if quantity.how == "all" else 1 for quantity in quantities)
    return count * _NUMBER * (ends + each)


def reduced_values(quantity: KeptQuantity, values: np.ndarray) -> np.ndarray:
    """What is kept of values (k, nt + 1) at the samples and the end: (k, nt) or (k,)."""
    if quantity.how == "all":
        return np.ascontiguousarray(values[:, :-1])
    if quantity.how == "last":
        return values[:, -1].copy()
    reduce = np.fmin.reduce if quantity.how == "min" else np.fmax.reduce
    return reduce(values, axis=1)
