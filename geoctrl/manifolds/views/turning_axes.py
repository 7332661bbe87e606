"""Systems on manifolds as questions of rest see them: in axes that may turn, where steady rotations rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl._checks import shape_of
from geoctrl._scalars import Node, Program
from geoctrl.errors import InputError
from geoctrl.manifolds.description.description import BODIES
from geoctrl.manifolds.description.functions import functions_of_time, holds_time
from geoctrl.manifolds.description.kept_along_runs import (
    conserved_names,
    has_no_moment,
    refuse_spin,
    require_symmetry,
)
from geoctrl.manifolds.description.moving_frame import name_with_frame
from geoctrl.manifolds.numerics.rest import find_rest
from geoctrl.manifolds.numerics.sizes_on_manifolds import sizes_at
from geoctrl.manifolds.numerics.tangent import (
    integral_gradients,
    sized_jacobians,
    still_moments,
    whole_inertia,
)
from geoctrl.manifolds.product.turns_of_all import is_symmetric
from geoctrl.manifolds.views.reduction import natural
from geoctrl.systems import Equilibrium, Lagrangian, Seen
from geoctrl.systems.contract.regularity import require_autonomous, require_derivative, require_smooth
from geoctrl.systems.contract.scales import Scales, scaled_row
from geoctrl.systems.contract.tolerances import UNIT

__all__ = ["SeenManifold"]


class SeenManifold(Seen):
    """A system on a manifold at its relative equilibria.

    Parameters
    ----------
    system : ManifoldSystem
    spin : three floats
        Rate of the axes in the reference.
    """

    def __init__(self, system: Any, spin: tuple[float, ...]) -> None:
        self.system, self.given = system, system.description
        self.name = name_with_frame(self.given)
        self.spin, self.cache = np.array(spin), {}
        self.spin.flags.writeable = False  # equilibria hold it as well
        self.functions, self.written = functions_of_time(self.given), self.given.is_symbolic
        if self.given.inertia_varies and system.n > BODIES:
            self.given.require_symbolic()

    @cached_property
    def natural(self) -> Lagrangian:
        """The Lagrangian in the configurations, seen from these axes, of a symbolic system."""
        return natural(self.given, self.spin)

    # -- points ---------------------------------------------------------------------------------

    def is_state(self, given: Any) -> bool:
        """Whether something is a whole state: an equilibrium, a pair, or an array of its length."""
        whole = isinstance(given, Equilibrium) or self.given.face.is_start(given)
        return whole or shape_of(given) == (self.system.size,)

    def read_state(self, given: Any, _name: str) -> tuple[np.ndarray, None]:
        """State (n,) of a pair or a state, on the manifold to rounding; no rationals are kept of it."""
        return self.system.start(given), None

    def first_guess(self) -> np.ndarray:
        """InputError: no configuration is like any other."""
        raise InputError(f"find_equilibrium needs guess={self.given.face.form} for a system on a manifold")

    def parts(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Configurations and velocities."""
        return self.given.face.by_name(self.system.unpack(x))

    def at_rest(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """The configuration of a state, carried with frame and axes."""
        product = self.system.product
        z, _ = product.parts(x)
        return product.state(z, product.still(z, self.given.frame_rate_at(params) + self.spin))

    def leaf_gradient(self, x: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Gradients (r, n) of the relations of all bodies."""
        return self.system.product.leaf_gradient(*self.system.product.parts(x))

    def leaf_basis(self, x: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Orthonormal basis (n, d) of the tangent space of all states."""
        return self.system.product.leaf_basis(*self.system.product.parts(x))

    def vectors(self) -> list[tuple[list[int], float]]:
        """Places of directions, and of rows and columns of attitudes."""
        return self.system.product.constant_vectors()

    # -- field and conserved quantities ---------------------------------------------------------

    def rate(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """The field (n,)."""
        return self.system.rhs(0.0, x, u, params) + self.system.product.turning(self.spin) @ x

    def derivatives(
        self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the field by the state (n, n) and by the inputs (n, m)."""
        A, B = self.system.derivatives(0.0, x, u, params)
        return A + self.system.product.turning(self.spin), B

    def computed_scales(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> Scales:
        """Sizes by the derivatives of the field."""
        A, B, terms = sized_jacobians(self.system.kernels(params), 0.0, x, u)
        A = require_derivative(A) + self.system.product.turning(self.spin)
        return sizes_at(self.system, A, B, terms, x, params)

    def conserved_gradients(
        self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> dict[str, np.ndarray]:
        """Gradients (n,) by name: in turning axes of the momentum along the spin, and of the energy less its
        product with the spin; else of what the system keeps.
        """
        system, names = self.system, conserved_names(self.system, params, u=u)
        energy, momenta = integral_gradients(system.run(params), x)
        found = {"energy": energy - self.spin @ momenta[:3]} if "energy" in names else {}
        if np.any(self.spin):
            return {"momentum": self.spin @ momenta[:3]} | found
        if self.given.invariants_given:
            rows = zip(self.given.invariants_given, self.given.invariant_gradients(x, params), strict=True)
            found |= {k: row for k, row in rows if k in names}
        w = self.given.frame_rate_at(params)
        if np.any(w) and has_no_moment(system, params, w, x, u):
            return {"momentum": w @ momenta[:3]} | found
        given = zip(self.given.quantity_names[1:], momenta, strict=False)
        return {name: row for name, row in given if name in names} | found

    def scaled_gradients(
        self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> dict[str, np.ndarray]:
        """Rows by name; that of the energy over what velocities of their sizes have, at least: functions do
        not say of which terms the slope of a potential is made.
        """
        rows, unit = self.conserved_gradients(x, u, params), self.scales(x, u, params).unit
        M = whole_inertia(self.system.run(params), x)
        moving = np.zeros(len(x))
        moving[self.system.split :] = np.diag(M) * unit[self.system.split :] ** 2
        sizes = {name: row * unit for name, row in rows.items()}
        if "energy" in sizes:
            sizes["energy"] = np.append(sizes["energy"], moving)
        return {name: scaled_row(row * unit, sizes[name]) for name, row in rows.items()}

    # -- what has to hold -----------------------------------------------------------------------

    def require_steady(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> None:
        """Refuse equations that hold the time, and a spin about no axis of symmetry."""
        system = self.system
        require_autonomous(self.given.autonomous and not holds_time(self.given, x, u, params), system.name)
        if np.any(self.spin):
            self.require_axis(params)
            require_symmetry(system, params, self.spin, x, u)

    def require_axis(self, params: Mapping[str, float]) -> None:
        """DescriptionError where the reference frame turns about another axis."""
        frame, spin = self.given.frame_rate_at(params), self.spin
        if np.linalg.norm(np.cross(frame, spin)) > UNIT * np.linalg.norm(frame) * np.linalg.norm(spin):
            refuse_spin(spin, "the frame turns about another axis")

    def require_regular(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> None:
        """Refuse a point at which a formula has a kink."""
        given = self.switch_values(self.given.formulas, x, u, params)
        values = np.append(given, self.potential_switches(x, params))
        # Functions do not say of which terms a switch is made: beside directions, and the state itself.
        require_smooth(values, np.full(values.shape, max(1.0, float(np.max(np.abs(x), initial=0.0)))))

    def switch_values(
        self, nodes: Sequence[Node], x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> np.ndarray:
        """Values of the switches of nodes at the time zero.

        Switches of inputs that a law given by a function sets are left out: what it does is not known.
        """
        system = self.given
        graph, inputs = system.graph, system.driven_nodes
        switches = graph.switches(nodes)
        if system.law is not None:
            switches = [s for s in switches if not set(graph.symbols([s])) & set(inputs)]
            u = np.zeros(len(inputs))
        if not switches:
            return np.zeros(0)
        arguments = [*system.state_nodes, system.time_node, *inputs]
        return np.asarray(Program(graph, arguments, system.parameter_nodes, switches)([*x, 0.0, *u], params))

    def potential_switches(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Values of the switches of the potential."""
        z = x[: self.system.split].reshape(-1, 3)
        found = [term.switches(self.given, z, params) for term in self.given.potential_terms]
        return np.concatenate([np.zeros(0), *found])

    # -- what a kind of system may have ---------------------------------------------------------

    def lagrangian(self, u: np.ndarray, params: Mapping[str, float]) -> Lagrangian | None:
        """The Lagrangian with its forces; none for an axis that is one of symmetry to rounding alone, nor
        where forces act in axes that turn.
        """
        system, turns = self.system, bool(np.any(self.spin))
        if not self.given.symbolic or (turns and (np.any(u) or not self.given.force_free)):
            return None
        return self.natural if not turns or is_symmetric(system, params, self.spin) else None

    def generic(self, seed: int) -> np.ndarray:
        """A state of no particular kind."""
        return self.system.product.state(*self.system.product.generic(seed))

    def rest_near(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """State near ``x`` that rests, where the moments of amended potential and forces vanish."""
        product, run = self.system.product, self.system.run(params)
        z = find_rest(
            product.parts(x)[0],
            moments=lambda z: still_moments(run, z, self.spin, u),
            move=product.retract,
            on_manifold=product.is_exact,
            sizes=product.sizes,
        )
        return self.at_rest(product.state(z, np.zeros((product.bodies, 3))), params)

    def stiffness(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray | None:
        """Second variation of the amended potential in tangent coordinates; None with forces."""
        system = self.system
        if np.any(u) or not self.given.force_free:
            return None
        K = still_moments(system.run(params), system.product.parts(x)[0], self.spin, u)[1]
        return (K + K.T) / 2
