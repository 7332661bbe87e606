"""Points of a system as equilibria: members of declared families, residuals, tangent spaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from geoctrl._checks import finite_array, nearest
from geoctrl._scalars import PARAMETER, RATIONAL, FromSympy, Graph, NotRationalError, evaluate, exact
from geoctrl._scalars.arithmetics import FLOAT
from geoctrl.errors import EquilibriumError, ParameterError
from geoctrl.systems.families import Equilibrium, Family
from geoctrl.systems.recorded import Recorded
from geoctrl.systems.regularity import require_autonomous, require_derivative, require_smooth, require_values
from geoctrl.systems.singularity import require_rank, require_regular

__all__ = ["equilibrium_at", "family_member", "leaf_basis", "leaf_gradient"]

RESIDUAL = 1e-9
"""Largest field component, relative to the size of its linearisation, at which a point is an equilibrium."""


def leaf_gradient(system: Recorded, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """Gradients of the leaf relations by the states, (r, n)."""
    nodes = system.leaf.nodes
    if not nodes:
        return np.zeros((0, system.nstates))
    flat = [e for row in system.graph.jacobian(nodes, system.state_nodes) for e in row]
    values = system.program(flat)(system.arguments_at(0.0, x, None), params)
    return values.reshape(len(nodes), system.nstates)


def leaf_basis(system: Recorded, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """Orthonormal basis (n, d) of the tangent space of the leaf, aligned with the states where it can be."""
    gradient = leaf_gradient(system, x, params)
    n = system.nstates
    if not gradient.size:
        return np.eye(n)
    _, singular_values, vt = np.linalg.svd(gradient)
    rank = int(np.sum(singular_values > 1e-12 * max(1.0, singular_values[0])))
    null = vt[rank:].T
    # Column-pivoted elimination of the projector keeps coordinate directions where the leaf allows it.
    projector = null @ null.T
    basis: list[np.ndarray] = []
    for direction in projector.T[np.argsort(-np.diag(projector), kind="stable")]:
        rest = direction - sum((b * (b @ direction) for b in basis), np.zeros(n))
        rest = rest - sum((b * (b @ rest) for b in basis), np.zeros(n))
        size = np.linalg.norm(rest)
        if size > 1e-8:
            basis.append(rest / size)
        if len(basis) == null.shape[1]:
            break
    order = np.argsort([int(np.argmax(np.abs(b))) for b in basis], kind="stable")
    return np.stack([basis[i] for i in order], axis=1) if basis else np.zeros((n, 0))


def equilibrium_at(
    system: Recorded,
    x: np.ndarray,
    u: np.ndarray,
    params: Mapping[str, float],
    exact_x: tuple[Fraction, ...] | None = None,
    exact_u: tuple[Fraction, ...] | None = None,
    name: str = "",
    tolerance: float = RESIDUAL,
) -> Equilibrium:
    """The point with its residuals and the tangent of its family.

    Raises
    ------
    EquilibriumError
        If the field or a leaf relation does not vanish there (residual in the message), or the equations
        are not differentiable there (a kink of Abs, a jump of sign or Piecewise).
    InputError
        If ``x`` or ``u`` has the wrong shape or is not finite.
    """
    check_autonomous(system)
    x = finite_array("x", x, (system.nstates,))
    u = finite_array("u", u, (system.ninputs,))
    require_regular(system, 0.0, x, params, "this point")
    require_rank(system, x, params)
    switches = system.graph.switches([*system.field_nodes, system.assembly.energy])
    if switches:
        require_smooth(system.program(switches)(system.arguments_at(0.0, x, u), params), x)
    if np.isinf(system.energy(x, params)):
        raise EquilibriumError(
            "the energy exceeds the doubles at this point: nothing can be computed there; take other "
            "units, or smaller numbers"
        )
    field = require_values(system.rhs(0.0, x, u, params), system.state_labels)
    leaf = system.leaf_residual(x, params)
    residual = float(np.max(np.abs(field), initial=0.0))
    leaf_residual = float(np.max(np.abs(leaf), initial=0.0))
    jacobian = require_derivative(system.jacobian(0.0, x, u, params))
    size = max(1.0, float(np.max(np.abs(x))))
    scale = max(1.0, float(np.max(np.abs(jacobian)))) * size
    if not residual <= tolerance * scale:
        worst = int(np.argmax(np.abs(field)))
        raise EquilibriumError(
            f"not an equilibrium{f' (family {name!r})' if name else ''}: d/dt {system.state_labels[worst]} = "
            f"{field[worst]:.3g} at {dict(zip(system.state_labels, x.tolist(), strict=True))}; "
            f"find_equilibrium(sys, guess=x) looks for one nearby{_despun_hint(system)}",
            residual,
        )
    if not leaf_residual <= tolerance * size * size:
        worst = int(np.argmax(np.abs(leaf)))
        raise EquilibriumError(
            f"off the leaf: {system.leaf.relations[worst]} = {leaf[worst]:.3g} instead of 0",
            leaf_residual,
        )
    basis = leaf_basis(system, x, params)
    reduced = basis.T @ jacobian @ basis
    if reduced.size:
        _, s, vt = np.linalg.svd(reduced)
        rank = int(np.sum(s > 1e-9 * max(1.0, s[0])))
        family = basis @ vt[rank:].T
    else:
        family = np.zeros((system.nstates, 0))
    return Equilibrium(
        x=x,
        u=u,
        residual=residual,
        leaf_residual=leaf_residual,
        family=family,
        exact=exact_x,
        exact_u=exact_u,
        params=dict(params),
        name=name,
        labels=system.state_labels,
    )


def check_autonomous(system: Recorded) -> None:
    """Raises EquilibriumError where the equations of motion hold the time explicitly."""
    if "autonomous" not in system.cache:
        system.cache["autonomous"] = system.assembly.time not in system.graph.reachable(system.field_nodes)
    require_autonomous(system.cache["autonomous"], system.name)


def _despun_hint(system: Recorded) -> str:
    if system.mechanism.symmetry is None:
        return ""
    return "; a motion in which the spin turns the advected vectors is an equilibrium of sys.despun()"


def _no_member(name: str, values: Mapping[str, float]) -> EquilibriumError:
    given = ", ".join(f"{k} = {float(v):.9g}" for k, v in values.items())
    return EquilibriumError(
        f"family {name!r} has no member at {given or 'these parameters'}: its states have no real value "
        "there, or none that is a double"
    )


def family_member(
    system: Recorded, name: str, params: Mapping[str, float] | None, values: Mapping[str, float]
) -> Equilibrium:
    """Evaluate a declared family, exactly where its expressions are rational at the numbers given."""
    if not isinstance(name, str) or name not in system.families:
        raise ParameterError(f"no equilibrium family {name!r}{nearest(name, system.families)}")
    family = system.families[name]
    numbers = family.values(values, name)
    full = system.parameters_at(params)
    for labels, given in ((system.state_labels, family.states), (system.input_labels, family.inputs)):
        for key in given:
            if key not in labels:
                raise ParameterError(f"family {name!r} names no state or input of this system: {key!r}")

    graph = Graph()
    leaves = {symbol: graph.symbol(symbol.name, PARAMETER) for symbol in numbers}
    leaves |= {p.symbol: graph.symbol(p.name, PARAMETER) for p in system.mechanism.parameters}
    convert = FromSympy(graph, leaves)
    nodes = [convert(family.states.get(label, 0)) for label in system.state_labels]
    nodes += [convert(family.inputs.get(label, 0)) for label in system.input_labels]
    nodes += map(convert, family.relations)
    at = {leaves[symbol]: value for symbol, value in numbers.items()}
    at |= {leaves[p.symbol]: full[p.name] for p in system.mechanism.parameters}
    n, end = system.nstates, system.nstates + system.ninputs
    exact_x: tuple[Fraction, ...] | None = None
    exact_u: tuple[Fraction, ...] | None = None
    try:
        rational = evaluate(nodes, {k: exact(v) for k, v in at.items()}, RATIONAL)
        point = [float(q) for q in rational]
        exact_x, exact_u = tuple(rational[:n]), tuple(rational[n:end])
    except NotRationalError:
        try:
            point = evaluate(nodes, {k: float(v) for k, v in at.items()}, FLOAT)
        except (ValueError, ArithmeticError):
            raise _no_member(name, values) from None
    except ArithmeticError:
        raise _no_member(name, values) from None
    _require_relations(family, name, values, point[end:], exact_x is not None)
    return equilibrium_at(
        system, np.array(point[:n]), np.array(point[n:end]), full, exact_x=exact_x, exact_u=exact_u, name=name
    )


def _require_relations(
    family: Family, name: str, values: Mapping[str, float], found: Sequence[float], known: bool
) -> None:
    """Refuse values that do not satisfy the family's relations, exactly where these are rational."""
    for relation, value in zip(family.relations, found, strict=True):
        if not abs(value) <= (0.0 if known else RESIDUAL):
            given = ", ".join(f"{k} = {v:.9g}" for k, v in values.items())
            raise EquilibriumError(
                f"family {name!r} has no member at {given}: members satisfy {relation} = 0, and here it is "
                f"{value:.6g}"
            )
