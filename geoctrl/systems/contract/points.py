"""Points of a system: read in the forms in which they are given, and checked to be equilibria.

Members of declared families as equilibria of a system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, named_parameters, nearest
from geoctrl._collector import rare_collections
from geoctrl._scalars import PARAMETER, FromSympy, Graph, NotRationalError, evaluate, exact, plain, shown
from geoctrl._scalars.algebra.surds import exact_numbers, exact_with_roots, rational, surds
from geoctrl._scalars.arithmetic.arithmetics import FLOAT
from geoctrl.decisions.arithmetic.tower import Surd
from geoctrl.errors import EquilibriumError, InputError, ParameterError
from geoctrl.systems.contract.regularity import require_derivative, require_range, require_values
from geoctrl.systems.contract.scales import shares
from geoctrl.systems.contract.system_contract import Seen, System
from geoctrl.systems.contract.tolerances import RESIDUAL
from geoctrl.systems.parts.angles import ExactAngle, angle_of
from geoctrl.systems.parts.families import Equilibrium, Family, states_text
from geoctrl.systems.parts.parameters import Parameter

__all__ = [
    "Point",
    "declared_family",
    "equilibrium_at",
    "family_member",
    "numbers_at",
    "rationals",
    "read_point",
    "resolve_equilibrium",
]


def declared_family(system: System, name: Any) -> Family:
    """The family that goes by a name, which has to be of states and inputs of the system."""
    if not isinstance(name, str) or name not in system.families:
        raise ParameterError(f"no equilibrium family {name!r}{nearest(name, system.families)}")
    family: Family = system.families[name]
    for labels, given in ((system.state_labels, family.states), (system.input_labels, family.inputs)):
        for key in given:
            if key not in labels:
                raise ParameterError(f"family {name!r} names no state or input of this system: {key!r}")
    return family


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
    family = declared_family(system, name)
    numbers = family.values(values, name)
    full = numbers_at(system, None, params)
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


Exact = tuple[Fraction | Surd, ...] | None
Point = tuple[np.ndarray, np.ndarray, Exact, Exact]
"""State and inputs as floats, and as numbers where they are known exactly."""


def read_point(seen: Seen, given: Any, name: str) -> Point:
    """State and constant inputs of an equilibrium, ``x`` or ``(x, u)``, which go by ``name`` in messages.

    Of an equilibrium of an open loop a closed one takes the state.
    """
    if isinstance(given, str):
        raise TypeError(
            f"{name} must be an equilibrium or a state, got {given!r}; take sys.equilibrium({given!r}, ...)"
        )
    if isinstance(given, Mapping) and not seen.is_state(given):
        raise TypeError(
            f"{name} must be an equilibrium, a state or (x, u), got a dict; a state is an array in the order "
            f"of sys.state_labels, {shown(seen.system.state_labels)}; "
            "find_equilibrium(sys, fixed={label: value}) looks for one"
        )
    labels = seen.system.input_labels
    if isinstance(given, Equilibrium):
        x, _ = seen.read_state(given.x, name)
        if not labels:
            return x, np.zeros(0), given.exact, ()
        return x, _inputs(given.u, labels, "inputs of the equilibrium"), given.exact, given.exact_u
    pair = isinstance(given, tuple) and len(given) == 2 and seen.is_state(given[0])
    x, u = given if pair else (given, np.zeros(len(labels)))
    state, exact_x = seen.read_state(x, name)
    return state, _inputs(u, labels, f"{name} (inputs)"), exact_x, rationals(u)


def _inputs(values: Any, labels: tuple[str, ...], name: str) -> np.ndarray:
    u = np.atleast_1d(finite_array(name, values))
    if u.shape != (len(labels),):
        raise InputError(
            f"{name} must have shape ({len(labels)},), {', '.join(labels) or 'no input'}; got {u.shape}"
        )
    return u.copy()


def rationals(values: Any) -> Exact:
    """All entries exactly; None where one is no number with square roots, and the doubles stand for them."""
    return exact_numbers(list(np.ravel(np.array(values, dtype=object))))


def numbers_at(system: System, given: Any, params: Mapping[str, float] | None) -> dict[str, float]:
    """Parameters of a question about a point: those of an equilibrium, overridden by ``params``."""
    held = given.params if isinstance(given, Equilibrium) else {}
    own = {k: v for k, v in held.items() if k in system.params}
    given = own | named_parameters(params)
    values: dict[str, Any] = {**system.parameters_at(given)}
    # Systems that compute in doubles round: proofs are of what is given, where no double equals it.
    asked = {k: plain(v) for k, v in (dict(system.params) | given).items() if v is not None}
    return values | {k: v for k, v in asked.items() if isinstance(v, Fraction)}


def resolve_equilibrium(system: System, eq: Any, params: Mapping[str, float] | None) -> Equilibrium:
    """An equilibrium of this system with these parameters, from an `Equilibrium`, ``x`` or ``(x, u)``."""
    known = isinstance(eq, Equilibrium)
    seen = system.seen_from(eq.spin if known else None)
    return equilibrium_at(
        seen, read_point(seen, eq, "eq"), numbers_at(system, eq, params), eq.name if known else ""
    )


@rare_collections
def equilibrium_at(seen: Seen, point: Point, params: Mapping[str, float], name: str = "") -> Equilibrium:
    """The point with its residuals and the tangent of its family.

    Parameters
    ----------
    name : str
        The declared family that it is a member of.
    """
    system, (x, u, exact_x, exact_u) = seen.system, point
    x, u = finite_array("x", x, (system.nstates,)), finite_array("u", u, (system.ninputs,))
    asked = x.tobytes(), u.tobytes(), tuple(params.items())
    last, judged = seen.cache.get("judged", (None, None))
    if last != asked or not seen.written:  # linearize and certify ask of the last point again
        judged = _residuals(seen, x, u, params, name)
        seen.cache["judged"] = asked, judged
    residual, leaf_residual, family = judged
    return Equilibrium(
        x=x,
        u=u,
        residual=residual,
        leaf_residual=leaf_residual,
        family=family.copy(),
        exact=exact_x,
        exact_u=exact_u,
        params=dict(params),
        name=name,
        labels=system.state_labels,
        spin=seen.spin,
        parts=seen.parts(x),
        system=system,
    )


def _residuals(
    seen: Seen, x: np.ndarray, u: np.ndarray, params: Mapping[str, float], name: str
) -> tuple[float, float, np.ndarray]:
    """Residuals of field and leaf, and the tangent of the family; raises as `equilibrium_at`."""
    system = seen.system
    seen.require_steady(x, u, params)
    seen.require_regular(x, u, params)
    rate = require_values(seen.rate(x, u, params), system.state_labels)
    require_derivative(seen.derivatives(x, u, params)[0])
    scales = seen.scales(x, u, params)
    require_range(scales.state, system.state_labels)
    parts = shares(rate, scales.field)
    worst, residual = int(np.argmax(parts)), float(np.max(np.abs(rate)))
    if not parts[worst] <= RESIDUAL:
        raise EquilibriumError(
            f"not an equilibrium{f' (family {name!r})' if name else ''}: d/dt {system.state_labels[worst]} = "
            f"{rate[worst]:.3g} at {states_text(system.state_labels, x)}, beside terms of size "
            f"{scales.field[worst]:.3g}; find_equilibrium(sys, guess=x) looks for one nearby{seen.hint}",
            residual,
            key="not-equilibrium",
        )
    leaf = system.leaf_residual(x, params)
    parts, leaf_residual = shares(leaf, scales.leaf), float(np.max(np.abs(leaf), initial=0.0))
    if not np.max(parts, initial=0.0) <= RESIDUAL:
        worst = int(np.argmax(parts))
        raise EquilibriumError(
            f"off the leaf: {system.leaf.relations[worst]} = {leaf[worst]:.3g} instead of 0, beside terms of "
            f"size {scales.leaf[worst]:.3g}",
            leaf_residual,
            key="off-leaf",
        )
    return residual, leaf_residual, scales.family
