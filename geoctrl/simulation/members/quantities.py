"""What an ensemble keeps of its members: states, or what `record` names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, nearest
from geoctrl._scalars import Node, shown
from geoctrl.errors import ExpressionError, InputError, LabelError
from geoctrl.simulation.members.reductions import COUNT, FIELDS, HISTOGRAM, Reduced, no_members
from geoctrl.systems import System

__all__ = ["KeptQuantity", "bytes_kept", "node_of", "read_record", "reduced_values"]

_ENDS = ("min", "max", "last")
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
    over : str
        How it is reduced over members, "" where each member's is kept.
    detail : tuple of float or bool or None
        Edges of a histogram; whether a count is of what is zero too.
    """

    name: str
    how: str
    expr: Any
    over: str = ""
    detail: Any = None

    def samples(self, times: int) -> int:
        """Numbers that it is, of one member, over so many times."""
        return times if self.how == "all" else 1

    def reduction(self, times: int) -> Reduced:
        """Its reduction, of no members yet."""
        return no_members(self.over, self.samples(times), self.detail)

    def numbers(self, reduction: Reduced) -> dict[str, np.ndarray]:
        """What a reduction gives, by name: (nt,), or a number where each member has one."""
        found = reduction.result()
        if self.how == "all":
            return found
        return {name: array if name == "edges" else np.asarray(array[0]) for name, array in found.items()}


def read_record(system: System, record: Any) -> tuple[KeptQuantity, ...] | None:
    """What ``record`` names, each with an expression of the system."""
    if record is None:
        return None
    if isinstance(record, str) or not isinstance(record, Iterable):
        raise InputError(
            "record must be a list of labels or expressions, or a dict of name -> expression, "
            '("min" | "max" | "last", expression) or ("count" | "moments" | "extremes" | "histogram", ...); '
            f"got {shown(record)}"
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
    over, detail, what = _over_members(entry)
    how, what = _over_samples(what)
    if over == COUNT:
        detail, what = _positive(what)
    expr = _expression_of(system, what) if isinstance(what, str) else what
    told = what if isinstance(what, str) else str(expr)
    words = " ".join([word for word in (over, how) if word not in ("", "all")] + [told])
    quantity = KeptQuantity(name or words, how, expr, over, detail)
    node_of(system, quantity)
    return quantity


def _is_word(value: Any, words: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value in words


def _over_members(entry: Any) -> tuple[str, Any, Any]:
    """How an entry is reduced over members, edges of a histogram, and what is reduced."""
    if not isinstance(entry, tuple) or not entry or not _is_word(entry[0], tuple(FIELDS)):
        return "", None, entry
    over, *rest = entry
    if len(rest) != 1 + (over == HISTOGRAM):
        form = '("histogram", quantity, edges)' if over == HISTOGRAM else f'("{over}", quantity)'
        raise InputError(f"a reduction of record is {form}, got {shown(entry)}")
    if over != HISTOGRAM:
        return over, None, rest[0]
    edges = finite_array("edges of a histogram", rest[1])
    if edges.ndim != 1 or edges.size < 2 or not (np.diff(edges) > 0).all():
        raise InputError(f"edges of a histogram must be two rising numbers or more, got {shown(rest[1])}")
    return over, tuple(edges.tolist()), rest[0]


def _over_samples(what: Any) -> tuple[str, Any]:
    """How the samples of a member are put together, and of what."""
    if not isinstance(what, tuple):
        return "all", what
    if len(what) != 2 or not _is_word(what[0], _ENDS):
        raise InputError(
            'a pair of record is ("min" | "max" | "last", expression), or '
            '("count" | "moments" | "extremes", quantity): '
            f"got {shown(what)}"
        )
    return what


def _positive(relation: Any) -> tuple[bool, Any]:
    """What is positive where a relation holds, and whether it holds where that is zero."""
    for kinds, sides in (((sp.Gt, sp.Ge), (1, -1)), ((sp.Lt, sp.Le), (-1, 1))):
        if isinstance(relation, kinds):
            difference = sides[0] * relation.lhs + sides[1] * relation.rhs
            return isinstance(relation, sp.Ge | sp.Le), difference
    raise InputError(f"a count is of a relation >, >=, < or <=, got {shown(relation)}")


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
    each = sum(quantity.samples(samples) for quantity in quantities if not quantity.over)
    over = [quantity.reduction(samples).arrays() for quantity in quantities if quantity.over]
    return count * _NUMBER * (ends + each) + sum(array.nbytes for arrays in over for array in arrays.values())


def reduced_values(quantity: KeptQuantity, values: np.ndarray) -> np.ndarray:
    """What is kept of values (k, nt + 1) at the samples and the end: (k, nt) or (k,)."""
    if quantity.how == "all":
        return np.ascontiguousarray(values[:, :-1])
    if quantity.how == "last":
        return values[:, -1].copy()
    reduce = np.fmin.reduce if quantity.how == "min" else np.fmax.reduce
    return reduce(values, axis=1)
