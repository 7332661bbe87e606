"""Members of declared families as equilibria of a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import nearest
from geoctrl._scalars import PARAMETER, FromSympy, Graph, NotRationalError, evaluate, exact
from geoctrl._scalars.algebra.surds import exact_with_roots, rational, surds
from geoctrl._scalars.arithmetic.arithmetics import FLOAT
from geoctrl.errors import EquilibriumError, ParameterError
from geoctrl.systems.contract.contract import System
from geoctrl.systems.contract.points import Exact, equilibrium_at, numbers_at
from geoctrl.systems.contract.tolerances import RESIDUAL
from geoctrl.systems.parts.angles import ExactAngle, angle_of
from geoctrl.systems.parts.families import Equilibrium, Family
from geoctrl.systems.parts.parameters import Parameter

__all__ = ["family_member"]


def _no_member(name: str, values: Mapping[str, float]) -> EquilibriumError:
    given = ", ".join(f"{k} = {float(v):.9g}" for k, v in values.items())
    return EquilibriumError(
        f"family {name!r} has no member at {given or 'these parameters'}: its states have no real value "
        "there, or none that is a double"
    )


def family_member(
    system: System,
    parameters: Sequence[Parameter],
    name: str,
    params: Mapping[str, float] | None,
    values: Mapping[str, float],
) -> Equilibrium:
    """Evaluate a declared family, exactly where its expressions are rational at the numbers given, or have
    square roots.

    Parameters
    ----------
    parameters : of the system
    name : of the family
    params : overrides of the defaults
    values : of the family's symbols by name
    """
    if not isinstance(name, str) or name not in system.families:
        raise ParameterError(f"no equilibrium family {name!r}{nearest(name, system.families)}")
    family = system.families[name]
    numbers = family.values(values, name)
    full = numbers_at(system, None, params)
    for labels, given in ((system.state_labels, family.states), (system.input_labels, family.inputs)):
        for key in given:
            if key not in labels:
                raise ParameterError(f"family {name!r} names no state or input of this system: {key!r}")

    graph = Graph()
    leaves = {symbol: graph.symbol(symbol.name, PARAMETER) for symbol in numbers}
    leaves |= {p.symbol: graph.symbol(p.name, PARAMETER) for p in parameters}
    convert = FromSympy(graph, leaves)
    nodes = [convert(family.states.get(label, 0)) for label in system.state_labels]
    nodes += [convert(family.inputs.get(label, 0)) for label in system.input_labels]
    nodes += map(convert, family.relations)
    at = {leaves[symbol]: value for symbol, value in numbers.items()}
    at |= {leaves[p.symbol]: full[p.name] for p in parameters}
    seen = system.seen_from()
    exactly = [(symbol, exact(value)) for symbol, value in numbers.items()]
    exactly += [(p.symbol, exact(full[p.name])) for p in parameters]
    turned: dict[int, ExactAngle] = {}
    for i in seen.angles:
        angle = angle_of(family.states.get(system.state_labels[i], sp.S.Zero), exactly)
        if angle:  # zero is rational
            turned[i], nodes[i] = angle, graph.zero
    n, end = len(system.state_labels), len(system.state_labels) + len(system.input_labels)
    exact_x: Exact = None
    exact_u: Exact = None
    point: list[Any]
    try:
        values_at = {k: rational(exact(v)) for k, v in at.items()}
        point = [exact_with_roots(q) for q in evaluate(nodes, values_at, surds())]
        exact_x = tuple(turned.get(i, q) for i, q in enumerate(point[:n]))
        exact_u = tuple(point[n:end])
    except NotRationalError:
        try:
            point = evaluate(nodes, {k: float(v) for k, v in at.items()}, FLOAT)
        except (ValueError, ArithmeticError):
            raise _no_member(name, values) from None
    except ArithmeticError:
        raise _no_member(name, values) from None
    _require_relations(family, name, values, point[end:], exact_x is not None and not turned)
    x, u = (np.array([float(q) for q in part]) for part in (point[:n], point[n:end]))
    for i, angle in turned.items():
        x[i] = float(angle)
    found = equilibrium_at(seen, (x, u, exact_x, exact_u), full, name)
    return replace(found, symbols={symbol.name: value for symbol, value in numbers.items()})


def _require_relations(
    family: Family, name: str, values: Mapping[str, float], found: Sequence[Any], known: bool
) -> None:
    """Refuse values that do not satisfy the family's relations, exactly where these have exact values."""
    for relation, value in zip(family.relations, found, strict=True):
        if value if known else not abs(float(value)) <= RESIDUAL:
            given = ", ".join(f"{k} = {float(v):.9g}" for k, v in values.items())
            raise EquilibriumError(
                f"family {name!r} has no member at {given}: members satisfy {relation} = 0, and here it is "
                f"{float(value):.6g}"
            )
