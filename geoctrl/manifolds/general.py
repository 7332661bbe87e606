r"""The equations of motion of any Lagrangian on a product, in numbers.

With the rates :math:`u = P(z) w`, the bodies' own inertias I and the rest K(z, u) of the kinetic energy
(`geoctrl.manifolds.tangent`) the accelerations solve

.. math::

    (I + P^T K_{uu} P)\, \dot w = Q f - \Omega \times I w - P^T \bigl( K_{uu} \dot P w + K_{uz} \dot z
        + F K_u - K_z + \partial V \bigr)

within the tangent spaces: velocities of directions stay orthogonal to them, those of places on their axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl.manifolds import numerics
from geoctrl.manifolds.description import ManifoldDescription
from geoctrl.manifolds.factors.place import Place
from geoctrl.manifolds.tangent import own_terms, rest_energy, rest_momenta
from geoctrl.stepping import apart, coupled, explicit, tensions
from geoctrl.stepping.compiled import Kernel
from geoctrl.stepping.drive import Drive
from geoctrl.stepping.kinetics import kinetic_kernels
from geoctrl.stepping.variational import Solver

__all__ = ["Numerics", "Run"]


@dataclass(frozen=True, eq=False)
class Run(numerics.Run):
    """Numbers and kernels of one run.

    Attributes
    ----------
    system : ManifoldDescription
    energy : tuple of kernels or None
        The slopes of the rest of the kinetic energy and how they change, where it varies.
    """

    system: ManifoldDescription
    energy: tuple[Kernel, Kernel] | None

    @property
    def bodies(self) -> np.ndarray:
        """Kind and first row of each body."""
        product = self.system.product
        return np.array([product.kinds, product.first], dtype=np.int64).T.copy()

    @property
    def spin(self) -> np.ndarray:
        """Rate of the frame (rad/s), in its own axes."""
        return self.system.frame_rate_at(self.params)

    @property
    def kinetics(self) -> tuple[Kernel, Kernel]:
        """The slopes of the rest of the kinetic energy and how they change."""
        return super().kinetics if self.energy is None else self.energy

    @property
    def solver(self) -> Solver:
        """The one for bodies without coupling, for scalar coupled masses, or for any inertia."""
        return self._chosen[0]

    def solved(self, stages: int = 1) -> Any:
        """The system that the solver takes."""
        solver, inertia = self._chosen
        if solver is explicit.SOLVER:
            return explicit.Explicit(self.bodies, inertia)
        if solver is tensions.SOLVER:
            return tensions.tensions(self.bodies, inertia, stages)
        if solver is apart.SOLVER:
            return apart.apart(self.bodies, inertia, np.zeros((len(self.bodies), 3)))
        held = {b: f.axes for b, f in enumerate(self.system.product.factors) if isinstance(f, Place)}
        return coupled.coupled(self.bodies, inertia, self.spin, held, self.energy is not None)

    @cached_property
    def _chosen(self) -> tuple[Solver, Any]:
        """Who solves, and for which inertia.

        Newton's iteration in tangent coordinates serves any kinetic energy and held places. Bodies that are
        not coupled are solved for one by one; directions and free places that have masses, coupled by
        numbers, by their tensions: as cheap as the coupling is sparse.
        """
        system, product = self.system, self.system.product
        own, bare = system.own_inertia_at(self.params), product.kinds < 2
        masses = own[:, 0, 0]
        whole = any(isinstance(f, Place) and f.freedom < 3 for f in product.factors)
        if self.energy is not None or whole or np.any(own[bare] != masses[bare, None, None] * np.eye(3)):
            return coupled.SOLVER, self._in_rates(own)
        G, still = system.coupling_at(self.params), not self.spin.any()
        if not G.any():
            if still and bare.all():
                return explicit.SOLVER, masses.copy()
            return apart.SOLVER, [m if plain else J for m, J, plain in zip(masses, own, bare, strict=True)]
        scalar = G[::3, ::3]
        if still and bare.all() and np.array_equal(G, np.kron(scalar, np.eye(3))):
            return tensions.SOLVER, scalar + np.diag(masses)
        return coupled.SOLVER, self._in_rates(own)

    def _in_rates(self, own: np.ndarray) -> np.ndarray:
        """The constant inertia (3 N, 3 N) of all rates, the bodies' own included."""
        product = self.system.product
        G = self.system.coupling_at(self.params) if self.energy is None else np.zeros((product.split,) * 2)
        for f, row, inertia in zip(product.factors, product.first, own, strict=True):
            block = inertia
            if f.rows == 3:  # tr(J) I / 2 - J for each row of an attitude
                block = np.kron(np.eye(3), np.trace(inertia) / 2 * np.eye(3) - inertia)
            at = slice(3 * int(row), 3 * int(row) + len(block))
            G[at, at] += block
        return G

    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configuration (N, 3) and velocities (n, 3) of a state."""
        return self.system.product.parts(x)

    def mechanics(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kinetic and potential energies (nt,), momenta about the origin (nt, n, 3), of nt states."""
        system, product = self.system, self.system.product
        kinetic, potential, momenta = np.empty(len(first)), np.empty(len(first)), np.empty(second.shape)
        for k, (z, w) in enumerate(zip(first, second, strict=True)):
            own = own_terms(system, w, self.params)[0] @ w.ravel()
            u, p, rest = self._rest(z, w)
            kinetic[k] = own @ w.ravel() / 2 + u @ p - rest
            potential[k] = self.potential(z)
            momenta[k] = product.spatial(z, own.reshape(w.shape) + product.moments(z, p.reshape(z.shape)))
        return kinetic, potential, momenta

    def momenta(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Momenta of places, of directions and attitudes in space, (n, 3)."""
        product = self.system.product
        _, p, _ = self._rest(first, second)
        found = product.moments(first, p.reshape(first.shape))
        found += (own_terms(self.system, second, self.params)[0] @ second.ravel()).reshape(second.shape)
        for b, factor in enumerate(product.factors):
            if factor.rows == 3:
                found[b] = first[product.first[b] :][:3] @ found[b]
        return found

    def linear_momenta(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Momenta of moving all places, (nt, 3)."""
        product, out = self.system.product, np.zeros((len(first), 3))
        moved = product.kinds == 0
        for k, (z, w) in enumerate(zip(first, second, strict=True)):
            own = own_terms(self.system, w, self.params)[0] @ w.ravel()
            _, p, _ = self._rest(z, w)
            out[k] = (own.reshape(w.shape) + product.moments(z, p.reshape(z.shape)))[moved].sum(axis=0)
        return out

    def _rest(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Rates, their momenta and the energy of the rest of the kinetic energy."""
        u = self.system.product.rates(z, w).ravel()
        _, p, _, _ = rest_momenta(self.system, z, u, self.params)
        return u, p, rest_energy(self.system, z, u, self.params)

    def energies(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Energies (nt,), in a frame that turns the Jacobi integrals."""
        kinetic, potential, momenta = self.mechanics(first, second)
        return kinetic + potential - momenta.sum(axis=1) @ self.system.frame_rate_at(self.params)

    def moment(
        self, axis: np.ndarray, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Moments about an axis of forces, potential, inertia and held places, and their terms' sizes."""
        product = self.system.product
        T = product.turn(axis)
        return self._rates_along((T @ first.ravel()).reshape(first.shape), T, t, first, second)

    def _rates_along(
        self, moved: np.ndarray, T: np.ndarray, t: float, z: np.ndarray, w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rates, by kind of force, of the momentum that belongs to a motion of all bodies; T its part that
        turns rates.
        """
        system, product = self.system, self.system.product
        u = product.rates(z, w).ravel()
        slope, p, _, _ = rest_momenta(system, z, u, self.params)
        own = own_terms(system, w, self.params)[0] @ w.ravel()
        velocity = product.velocities_of(z, moved)
        forces = (product.work(z) @ self.forces(t, z, w).ravel()) * velocity.ravel()
        potential = -self.slope(z) * moved
        # Own inertias of directions and attitudes do not change when all is turned; those of places may.
        places = np.repeat(product.kinds == 0, 3)
        turned = np.where(places, product.velocities_of(z, (T @ u).reshape(z.shape)).ravel(), 0.0)
        inertia = np.concatenate([slope * moved.ravel(), p * (T @ u), own * turned])
        held = product.off_axes(moved)
        parts = [forces, potential.ravel(), inertia, held]
        sums = np.array([part.sum() for part in parts])
        return sums, np.array([np.abs(part).sum() for part in parts])

    def power_and_moments(
        self, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rates of energy, momenta and linear momenta by kind of force, and their terms' sizes."""
        system, product = self.system, self.system.product
        turn, names = system.frame_rate_at(self.params), system.quantity_names
        relative = second - product.still(first, turn)
        powers = (product.work(first) @ self.forces(t, first, second).ravel()) * relative.ravel()
        found = np.zeros((2, 5, len(names)))
        found[:, 0, 0] = powers.sum(), np.abs(powers).sum()
        momentum = self.mechanics(first[None], second[None])[2][0].sum(axis=0)
        linear = self.linear_momenta(first[None], second[None])[0]
        for k, axis in enumerate(np.eye(3)):
            found[:, :4, 1 + k] = self.moment(axis, t, first, second)
            if len(names) > 4:
                along = np.zeros_like(first)
                along[product.first[product.kinds == 0]] = axis
                zero = np.zeros((first.size, first.size))
                found[:, :4, 4 + k] = self._rates_along(along, zero, t, first, second)
        found[0, 4, 1:4] = -np.cross(turn, momentum)
        found[1, 4, 1:4] = np.linalg.norm(turn) * np.abs(momentum).sum()
        if len(names) > 4:
            found[0, 4, 4:] = -np.cross(turn, linear)
            found[1, 4, 4:] = np.linalg.norm(turn) * np.abs(linear).sum()
        return found[0], found[1]


class Numerics(numerics.Numerics):
    """Kernels of one system, made when first used."""

    def run(self, params: Mapping[str, float], drive: Drive | None = None) -> Run:
        """Numbers and kernels for parameters, and for inputs that are no feedback."""
        return Run(system=self.system, energy=self.energy, **self.common(params, drive))

    @cached_property
    def energy(self) -> tuple[Kernel, Kernel] | None:
        """Kernels of the rest of the kinetic energy; None where its inertia is constant."""
        system = self.system
        if not system.written_rest:
            return None
        return kinetic_kernels(self.writer, system.rest_node, system.configuration_nodes, system.rate_nodes)
