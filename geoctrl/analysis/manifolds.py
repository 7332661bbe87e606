"""Equilibria of systems on manifolds: found, linearised and certified.

Where a system offers its own derivatives (``direct``), they are used. Else it is seen as a `ReducedSystem`
in axes that turn with the spin (``view(spin)``), where relative equilibria are equilibria, and results are
carried back by the derivative T of the map between the states, A = T A_reduced T^-1.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, named_parameters, shape_of
from geoctrl._scalars import exact
from geoctrl.analysis.linearization import Linearization, linearize, linearized
from geoctrl.analysis.natural import judge_matrices, natural_problem
from geoctrl.analysis.problem import Problem
from geoctrl.analysis.proof import Outcome
from geoctrl.errors import EquilibriumError, ImmutableError, InputError
from geoctrl.manifolds.analysis import require_symbolic
from geoctrl.manifolds.functions import functions_of_time, holds_time
from geoctrl.manifolds.symmetry import is_symmetric
from geoctrl.systems import Equilibrium
from geoctrl.systems.regularity import require_autonomous, require_derivative, require_smooth

__all__ = [
    "ManifoldEquilibrium",
    "find_on_manifold",
    "judge_numbers",
    "linearize_on_manifold",
    "natural_question",
    "resolve_on_manifold",
]

_RESIDUAL = 1e-9
"""Largest rate, relative to the size of the linearisation, at which a point is an equilibrium."""


@dataclass(frozen=True, eq=False, repr=False)
class ManifoldEquilibrium(Equilibrium):
    """An equilibrium, or a relative one, of a system on a manifold.

    Attributes
    ----------
    system : SphereSystem or RotationSystem
    spin : ndarray (3,)
        Rate at which everything turns, zero for an equilibrium.
    """

    system: Any = None
    spin: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(3))

    def _pair(self, names: tuple[str, str], name: str) -> np.ndarray:
        if names != self.system.pair:
            raise ImmutableError(
                f"{type(self.system).__name__} has {' and '.join(self.system.pair)}, no {name}"
            )
        return self.system.unpack(self.x)[names.index(name)]

    @property
    def q(self) -> np.ndarray:
        """Directions (n, 3)."""
        return self._pair(("q", "omega"), "q")

    @property
    def omega(self) -> np.ndarray:
        """Angular velocities (n, 3) of the directions."""
        return self._pair(("q", "omega"), "omega")

    @property
    def R(self) -> np.ndarray:
        """Attitudes (n, 3, 3)."""
        return self._pair(("R", "Omega"), "R")

    @property
    def Omega(self) -> np.ndarray:
        """Angular velocities (n, 3) in the bodies."""
        return self._pair(("R", "Omega"), "Omega")

    def __repr__(self) -> str:
        kind = f"turning with {self.spin.tolist()}" if np.any(self.spin) else "at rest"
        return f"ManifoldEquilibrium({self.system.name or 'unnamed'}, {kind}; residual {self.residual:.1e})"


def find_on_manifold(
    system: Any, guess: Any, spin: Any, fixed: Mapping[str, float] | None, params: Mapping[str, float] | None
) -> ManifoldEquilibrium:
    """`find_equilibrium` in axes that turn with ``spin``."""
    from geoctrl.analysis.equilibria import find_equilibrium

    _require_derivatives(system)
    x, u = _state_and_inputs(system, guess)
    rate = np.zeros(3) if spin is None else finite_array("spin", spin, (3,))
    if system.local.direct and not fixed:
        return _point(
            system, system.local.rest_near(x, rate, u, system.parameters_at(params)), u, rate, params
        )
    view, values = system.view(rate), system.parameters_at(params)
    found = find_equilibrium(view.reduced, (view.into(x, values), u), fixed, params)
    return _point(system, view.out_of(found.x, values), u, rate, params)


def _require_derivatives(system: Any) -> None:
    """DescriptionError, before any work, where there are neither own derivatives nor reduced equations."""
    if not system.local.direct:
        require_symbolic(system)


def _state_and_inputs(system: Any, given: Any) -> tuple[np.ndarray, np.ndarray]:
    """State and inputs of a pair, a state, or ``(either, u)``."""
    m = len(system.input_labels)
    if given is None:
        raise InputError(
            f"find_equilibrium needs guess=({', '.join(system.pair)}) for a system on a manifold"
        )
    if isinstance(given, Equilibrium):
        return system.start(given), _inputs_here(system, given)
    if isinstance(given, tuple) and len(given) == 2 and _is_state(system, given[0]):
        return system.start(given[0]), finite_array("u", given[1], (m,))
    return system.start(given), np.zeros(m)


def _is_state(system: Any, given: Any) -> bool:
    """Whether this is a whole state: an equilibrium, a pair, or an array of its length."""
    whole = isinstance(given, Equilibrium) or (isinstance(given, tuple) and len(given) == 2)
    return whole or shape_of(given) == (system.size,)


def _inputs_here(system: Any, eq: Equilibrium) -> np.ndarray:
    """Inputs of an equilibrium in this system: none where a law has closed them."""
    m = len(system.input_labels)
    return finite_array("inputs of the equilibrium", eq.u, (m,)) if m else np.zeros(0)


def _point(
    system: Any, x: np.ndarray, u: np.ndarray, spin: np.ndarray, params: Mapping[str, float] | None
) -> ManifoldEquilibrium:
    """The point with its residuals and the tangent of its family.

    Raises
    ------
    EquilibriumError
        If it is not an equilibrium in axes that turn with ``spin``, or the equations hold the time or are not
        differentiable there (a kink of Abs, a jump of sign or Piecewise).
    """
    local, values = system.local, system.parameters_at(params)
    require_autonomous(system.autonomous and not holds_time(system, x, u, values), system.name)
    require_smooth(local.switches(x, u, values), x)
    if np.any(spin):
        local.check_symmetry(spin, values, x)
    A = require_derivative(system.jacobian(0.0, x, u, values)) + local.turning(spin)
    rate = system.rhs(0.0, x, u, values) + local.turning(spin) @ x
    residual = float(np.max(np.abs(rate)))
    if not residual <= _RESIDUAL * max(1.0, float(np.max(np.abs(A)))) * max(1.0, float(np.max(np.abs(x)))):
        raise EquilibriumError(
            f"not an equilibrium: the field is {residual:.3g} there; find_equilibrium finds one near",
            residual,
        )
    W = system.local.tangent_basis(x)
    _, s, vt = np.linalg.svd(W.T @ A @ W)
    kernel = vt[int(np.sum(s > 1e-9 * max(1.0, float(s[0])))) :].T
    return ManifoldEquilibrium(
        x=x,
        u=u,
        residual=residual,
        leaf_residual=float(system.local.defect(x)),
        family=W @ kernel,
        exact=None,
        exact_u=None,
        params=values,
        labels=system.state_labels,
        system=system,
        spin=spin,
    )


def resolve_on_manifold(system: Any, eq: Any, params: Mapping[str, float] | None) -> ManifoldEquilibrium:
    """An equilibrium of this system with these parameters."""
    _require_derivatives(system)
    if isinstance(eq, ManifoldEquilibrium):
        if params is None and eq.system is system:
            return eq
        numbers = {**eq.params, **named_parameters(params)}
        return _point(system, eq.x, _inputs_here(system, eq), eq.spin, numbers)
    x, u = _state_and_inputs(system, eq)
    return _point(system, x, u, np.zeros(3), params)


def natural_question(system: Any, point: ManifoldEquilibrium) -> Problem | None:
    """Lagrangian and point of a system without forces at the point; None for any other.

    Nor for a steady rotation about an axis that is one of symmetry to rounding alone.
    """
    parts = None if np.any(point.u) else system.local.natural(point.spin)
    if parts is None:
        return None
    if np.any(point.spin) and not is_symmetric(system, point.params, point.spin):
        return None
    return natural_problem(
        graph=system.graph,
        parameters=system.parameter_nodes,
        numbers={k: exact(v) for k, v in point.params.items()},
        point=[exact(v) for v in point.x[: len(parts["states"])]],
        spin=tuple(map(float, point.spin)),
        **parts,
    )


def judge_numbers(system: Any, point: ManifoldEquilibrium) -> Outcome:
    """The outcome from the linearisation in numbers, with the stiffness where there are no forces."""
    lin = linearize_on_manifold(system, point, None)
    unforced = not np.any(point.u)
    stiffness = system.local.stiffness(point.x, point.spin, point.params) if unforced else None
    states = dict(zip(system.state_labels, map(float, point.x), strict=True))
    spin = tuple(map(float, point.spin))
    return judge_matrices(states, lin.A_leaf, stiffness, spin, functions_of_time(system))


def linearize_on_manifold(system: Any, eq: Any, params: Mapping[str, float] | None) -> Linearization:
    """`linearize` in the states of the system, seen from axes that turn with the equilibrium."""
    point = resolve_on_manifold(system, eq, params)
    if system.local.direct:
        turn = system.local.turning(point.spin)
        A, B = system.local.jacobians(0.0, point.x, point.u, point.params)
        gradients = system.local.invariant_gradients(point.x, point.params, point.spin)
        return linearized(
            A + turn, B, system.local.tangent_basis(point.x), gradients, point,
            system.name, system.state_labels, system.input_labels,
        )  # fmt: skip
    view = system.view(point.spin)
    inner = linearize(view.reduced, (view.into(point.x, point.params), point.u), point.params)
    T = view.derivative(inner.equilibrium.x, point.params)
    A, B = T @ inner.A @ np.linalg.inv(T), T @ inner.B
    basis = np.linalg.qr(T @ inner.basis)[0]
    return dataclasses.replace(
        inner,
        A=A,
        B=B,
        basis=basis,
        A_leaf=basis.T @ A @ basis,
        B_leaf=basis.T @ B,
        equilibrium=point,
        name=system.name or "system",
        state_labels=system.state_labels,
        input_labels=system.input_labels,
    )
