"""Equilibria of systems on manifolds: found, linearised and certified on their reduced equations.

A system with ``view(spin)`` is seen as a `ReducedSystem` in axes that turn with the spin, where its relative
equilibria are equilibria. Results are carried back by the derivative T of the map between the states,
A = T A_reduced T^-1.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._scalars import exact
from geoctrl.analysis.linearization import Linearization, linearize, resolve_equilibrium
from geoctrl.analysis.natural import NaturalProblem
from geoctrl.systems import Equilibrium

__all__ = [
    "ManifoldEquilibrium",
    "find_on_manifold",
    "linearize_on_manifold",
    "natural_question",
    "reduced_question",
]


@dataclass(frozen=True, eq=False, repr=False)
class ManifoldEquilibrium(Equilibrium):
    """An equilibrium, or a relative one, of a system on a manifold.

    Attributes
    ----------
    system : SphereSystem or RotationSystem
    spin : ndarray (3,)
        Rate at which everything turns, zero for an equilibrium.
    reduced : Equilibrium
        The same point of the reduced equations.
    """

    system: Any = None
    spin: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(3))
    reduced: Equilibrium | None = None

    def _pair(self, names: tuple[str, str], name: str) -> np.ndarray:
        if names != self.system.pair:
            raise AttributeError(f"{type(self.system).__name__} has {' and '.join(self.system.pair)}, no {name}")
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


def carried_back(system: Any, view: Any, point: Equilibrium) -> ManifoldEquilibrium:
    """An equilibrium of the reduced equations as one of the system."""
    T = view.derivative(point.x)
    family = np.linalg.qr(T @ point.family)[0] if point.family.size else np.zeros((len(T), 0))
    return ManifoldEquilibrium(
        x=view.out_of(point.x),
        u=point.u,
        residual=point.residual,
        leaf_residual=point.leaf_residual,
        family=family,
        exact=None,
        exact_u=point.exact_u,
        params=point.params,
        name=point.name,
        labels=system.state_labels,
        system=system,
        spin=view.spin,
        reduced=point,
    )


def find_on_manifold(
    system: Any, guess: Any, spin: Any, fixed: Mapping[str, float] | None, params: Mapping[str, float] | None
) -> ManifoldEquilibrium:
    """`find_equilibrium` in axes that turn with ``spin``."""
    from geoctrl.analysis.equilibria import find_equilibrium

    view = system.view(spin)
    held = _with_input(guess, len(system.input_labels))
    x, u = held if held is not None else (guess, None)
    if x is None:
        raise ValueError(f"find_equilibrium needs guess=({', '.join(system.pair)}) for a system on a manifold")
    y = view.into(system.start(x))
    return carried_back(system, view, find_equilibrium(view.reduced, (y, u) if u is not None else y, fixed, params))


def _with_input(guess: Any, m: int) -> tuple[Any, np.ndarray] | None:
    """Guess and inputs of ``((q, omega), u)`` or ``(x, u)``."""
    if isinstance(guess, tuple) and len(guess) == 2 and m and np.shape(guess[1]) == (m,):
        return guess[0], np.asarray(guess[1], dtype=float)
    return None


def reduced_question(system: Any, eq: Any, params: Mapping[str, float] | None) -> tuple[Any, Any, Any]:
    """View, its reduced system and the point of it that an equilibrium of the system is."""
    if isinstance(eq, ManifoldEquilibrium):
        view = system.view(eq.spin if np.any(eq.spin) else None)
        return view, view.reduced, eq.reduced
    view = system.view()
    pair = _with_input(eq, len(system.input_labels))
    x, u = pair if pair is not None else (eq, None)
    y = view.into(system.start(x))
    return view, view.reduced, (y if u is None else (y, u))


def natural_question(system: Any, eq: Any, params: Mapping[str, float] | None) -> NaturalProblem | None:
    """Lagrangian and point of a system without forces at the point; None for any other.

    Raises
    ------
    EquilibriumError
        If the point is not an equilibrium.
    """
    view, reduced, given = reduced_question(system, eq, params)
    parts = system.natural(view.spin)
    point = resolve_equilibrium(reduced, given, params)
    if parts is None or np.any(point.u):
        return None
    exact_y = point.exact if point.exact is not None else tuple(exact(float(v)) for v in point.x)
    return NaturalProblem(
        graph=system.graph,
        parameters=system.parameter_nodes,
        numbers={k: exact(v) for k, v in point.params.items()},
        point=list(view.coordinates(exact_y)),
        **parts,
    )


def linearize_on_manifold(system: Any, eq: Any, params: Mapping[str, float] | None) -> Linearization:
    """`linearize` of the reduced equations, carried back to the states of the system."""
    view, reduced, point = reduced_question(system, eq, params)
    inner = linearize(reduced, point, params)
    T = view.derivative(inner.equilibrium.x)
    A = T @ inner.A @ np.linalg.inv(T)
    B = T @ inner.B
    basis = np.linalg.qr(T @ inner.basis)[0]
    return dataclasses.replace(
        inner,
        A=A,
        B=B,
        basis=basis,
        A_leaf=basis.T @ A @ basis,
        B_leaf=basis.T @ B,
        equilibrium=carried_back(system, view, inner.equilibrium),
        name=system.name or "system",
        state_labels=system.state_labels,
        input_labels=system.input_labels,
    )
