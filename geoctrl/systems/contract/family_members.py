"""Members of a declared family at many parameters and symbols at once, in doubles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._scalars import PARAMETER, FromSympy, Graph, Node, evaluate
from geoctrl._scalars.arithmetic.arithmetics import ARRAY
from geoctrl.systems.contract.member_magnitudes import member_magnitudes
from geoctrl.systems.contract.points import declared_family
from geoctrl.systems.contract.tolerances import RESIDUAL
from geoctrl.systems.parts.member_parameters import member_arrays, member_count, numbers_of_members

__all__ = ["blocks", "family_states", "members_at_rest", "part", "symbols_at"]

_BLOCK = 4096
"""Members at a time: what is computed in between stays in the processor's cache."""


def blocks(count: int) -> Iterator[slice]:
    """Members part by part."""
    for first in range(0, count, _BLOCK):
        yield slice(first, min(first + _BLOCK, count))


def part(value: Any, members: slice | np.ndarray) -> Any:
    """Of arrays (N,) or (k, N) those members; numbers, and what all members share, as they are."""
    shape = np.shape(value)
    return value[..., members] if shape and shape[-1] > 1 else value


def family_states(
    system: Any, name: str, params: Mapping[str, Any] | None, symbols: Mapping[str, Any]
) -> np.ndarray:
    """States (n, N) of members of a family; nan for those that are none, see `ReducedSystem.members`."""
    family = declared_family(system, name)
    numbers = numbers_of_members(member_arrays(symbols), "symbol {} of the family")
    given = {s.name: v for s, v in family.values({**symbols, **dict.fromkeys(numbers, 1.0)}, name).items()}
    values = system.member_parameters(params)
    arrays = {k: v for k, v in values.items() if isinstance(v, np.ndarray)}
    count = member_count(arrays | {f"{k} of the family": v for k, v in numbers.items()})
    nodes, leaves = _nodes(system, name)
    at = {leaves[k]: np.asarray(v, dtype=float) for k, v in (values | given | numbers).items() if k in leaves}
    with np.errstate(all="ignore"):
        found = [np.broadcast_to(np.real(v), count) for v in evaluate(nodes, at, ARRAY)]
    n, end = system.nstates, system.nstates + system.ninputs
    x, u, relations = (np.array(rows).reshape(-1, count) for rows in (found[:n], found[n:end], found[end:]))
    good = members_at_rest(system, x, u, values) & (np.abs(relations) <= RESIDUAL).all(axis=0)
    x[:, ~good] = np.nan
    return x


def _nodes(system: Any, name: str) -> tuple[list[Node], dict[str, Node]]:
    """States, inputs and relations of a family, and the nodes of symbols and parameters by name."""
    kept = system.cache.setdefault("nodes of families", {})
    if name not in kept:
        family, parameters, graph = system.families[name], system.mechanism.parameters, Graph()
        leaves = {s: graph.symbol(s.name, PARAMETER) for s in family.symbols}
        leaves |= {p.symbol: graph.symbol(p.name, PARAMETER) for p in parameters}
        convert = FromSympy(graph, leaves)
        nodes = [convert(family.states.get(label, 0)) for label in system.state_labels]
        nodes += [convert(family.inputs.get(label, 0)) for label in system.input_labels]
        nodes += map(convert, family.relations)
        kept[name] = nodes, {node.payload: node for node in leaves.values()}
    return kept[name]


def members_at_rest(system: Any, x: np.ndarray, u: np.ndarray, values: Mapping[str, Any]) -> np.ndarray:
    """Which states (n, N) are equilibria on the leaf, under inputs (m, N): rates and defects beside the
    magnitudes of their terms.
    """
    nodes, count = [*system.field_nodes, *system.leaf.nodes], x.shape[1]
    good = np.empty(count, dtype=bool)
    for members in blocks(count):
        at = symbols_at(
            system, x[:, members], part(u, members), {k: part(v, members) for k, v in values.items()}
        )
        found, sizes = member_magnitudes(nodes, at, len(range(count)[members]))
        good[members] = (np.abs(found) <= RESIDUAL * sizes).all(axis=0)
    return good


def symbols_at(
    system: Any, x: np.ndarray, u: Sequence[Any] | np.ndarray, values: Mapping[str, Any]
) -> dict[Node, Any]:
    """Numbers and arrays by the nodes of states, time, inputs and parameters."""
    at: dict[Node, Any] = dict(zip(system.arguments, [*x, 0.0, *u], strict=True))
    return at | {node: values[name] for name, node in system.parameter_nodes.items() if name in values}
