"""Points of a system: read in the forms in which they are given, and checked to be equilibria."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, named_parameters
from geoctrl._scalars import plain, shown
from geoctrl._scalars.algebra.surds import exact_numbers
from geoctrl.checker.surds import Surd
from geoctrl.errors import EquilibriumError, InputError
from geoctrl.systems.contract.contract import Seen, System
from geoctrl.systems.contract.regularity import require_derivative, require_range, require_values
from geoctrl.systems.contract.scales import shares
from geoctrl.systems.contract.tolerances import RESIDUAL
from geoctrl.systems.parts.families import Equilibrium, listed

__all__ = ["Point", "equilibrium_at", "numbers_at", "rationals", "read_point", "resolve_equilibrium"]

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
        judged = _judged(seen, x, u, params, name)
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


def _judged(
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
            f"{rate[worst]:.3g} at {listed(system.state_labels, x)}, beside terms of size "
            f"{scales.field[worst]:.3g}; find_equilibrium(sys, guess=x) looks for one nearby{seen.hint}",
            residual,
        )
    leaf = system.leaf_residual(x, params)
    parts, leaf_residual = shares(leaf, scales.leaf), float(np.max(np.abs(leaf), initial=0.0))
    if not np.max(parts, initial=0.0) <= RESIDUAL:
        worst = int(np.argmax(parts))
        raise EquilibriumError(
            f"off the leaf: {system.leaf.relations[worst]} = {leaf[worst]:.3g} instead of 0, beside terms of "
            f"size {scales.leaf[worst]:.3g}",
            leaf_residual,
        )
    return residual, leaf_residual, scales.family
