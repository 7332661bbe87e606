r"""One run of a system on a product: kernels with their numbers, and the equations of motion in numbers.

With the rates :math:`u = P(z) w`, the bodies' own inertias I, linear terms :math:`a(z) \cdot w` and the rest
K(z, u) of the kinetic energy (`geoctrl.manifolds.numerics.tangent`) the accelerations solve

.. math::

    (I + P^T K_{uu} P)\, \dot w = Q f - \Omega \times (I w + a) - \dot a + P^T \partial (a \cdot w)
        - P^T \bigl( K_{uu} \dot P w + K_{uz} \dot z + F K_u - K_z + \partial V \bigr)

within the tangent spaces: velocities of directions stay orthogonal to them, those of places on their axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from geoctrl.errors import SingularMassError
from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.description.kept_along_runs import QUANTITIES
from geoctrl.manifolds.energies.kinetic import in_rates
from geoctrl.manifolds.factors.place import Place
from geoctrl.manifolds.numerics.tangent import covector_slope, covector_values, rest_slopes
from geoctrl.stepping.compiled.compiled import Kernel, Maker, is_compiled, loop_code
from geoctrl.stepping.methods.runge_kutta import move, turn_back
from geoctrl.stepping.methods.variational import Solver, StepNumbers
from geoctrl.stepping.solvers import apart, coupled, explicit, tensions
from geoctrl.stepping.solvers.sparse import sparse_inverse
from geoctrl.systems.contract.run_field import RunField

__all__ = ["Made", "Run"]


class Made(NamedTuple):
    """What makes the kernels of a run when they are first asked for."""

    value: Maker
    gradient: Maker
    force: Maker
    kinetics: tuple[Maker, Maker]


@dataclass(frozen=True, eq=False)
class Run(RunField):
    """Numbers and kernels of one run.

    Attributes
    ----------
    made : Made
        What makes its kernels.
    data, index : ndarray
        Numbers that the kernels read.
    table : ndarray
        Samples of the inputs (`geoctrl.stepping.compiled.forces`).
    """

    system: Description
    made: Made
    forced: bool
    damped: bool
    data: np.ndarray
    index: np.ndarray
    table: np.ndarray
    params: Mapping[str, float]

    @property
    def engine(self) -> str:
        """Either "numba", or "python" where a function of the user's could not be compiled."""
        given = (self.value, self.gradient) if self.system.computed else ()  # what is written compiles
        return "numba" if all(map(is_compiled, (*given, self.force))) else "python"

    @cached_property
    def value(self) -> Kernel:
        """Potential energy."""
        return self.made.value()

    @cached_property
    def gradient(self) -> Kernel:
        """Slope of the potential."""
        return self.made.gradient()

    @cached_property
    def force(self) -> Kernel:
        """Generalised forces."""
        return self.made.force()

    @cached_property
    def kinetics(self) -> tuple[Kernel, Kernel]:
        """What solvers ask of a kinetic energy: that of the rest where it varies, else linear terms."""
        first, second = self.made.kinetics
        return first(), second()

    def loop(self, function: Callable, signature: Any) -> Callable:
        """A loop in the form that can call these kernels: machine code, or as Python runs it."""
        return loop_code(function, signature) if self.engine == "numba" else function

    @cached_property
    def bodies(self) -> np.ndarray:
        """Kind and first row of each body."""
        product = self.system.product
        return np.array([product.kinds, product.first], dtype=np.int64).T.copy()

    @cached_property
    def spin(self) -> np.ndarray:
        """Rate of the frame (rad/s), in its own axes."""
        return self.system.frame_rate_at(self.params)

    @cached_property
    def own(self) -> np.ndarray:
        """The bodies' own inertias (n, 3, 3)."""
        return self._inertia[0]

    @cached_property
    def _inertia(self) -> tuple[np.ndarray, np.ndarray | None]:
        return self.system.inertia_at(self.params)

    @property
    def solver(self) -> Solver:
        """The one for bodies without coupling, for scalar coupled masses, or for any inertia."""
        return self._solver_and_inertia[0]

    def solver_system(self, stages: int = 1) -> Any:
        """The system that the solver takes."""
        solver, inertia = self._solver_and_inertia
        if solver is explicit.SOLVER:
            return explicit.Explicit(self.bodies, inertia)
        if solver in (tensions.FULL, tensions.SPARSE):
            return tensions.tensions(self.bodies, *inertia, stages=stages)
        if solver is apart.SOLVER:
            place = np.zeros((self.system.product.rows, 3))
            return apart.apart_system(
                self.bodies, inertia, None if self.system.covectors_vary else self.covectors(place)
            )
        held = {b: f.axes for b, f in enumerate(self.system.product.factors) if isinstance(f, Place)}
        return coupled.coupled_system(self.bodies, inertia, self.spin, held, self.system.inertia_varies)

    @cached_property
    def _solver_and_inertia(self) -> tuple[Solver, Any]:
        """Who solves, and for which inertia.

        Newton's iteration in tangent coordinates serves any kinetic energy and held places. Bodies that are
        not coupled are solved for one by one; directions and free places that have masses, coupled by
        numbers, by their tensions: as cheap as the coupling is sparse.
        """
        product, own = self.system.product, self.own
        bare, masses, still = product.kinds < 2, own[:, 0, 0], not self.spin.any()
        held = any(isinstance(f, Place) and f.freedom < 3 for f in product.factors)
        scalar = np.array_equal(own[bare], masses[bare, None, None] * np.eye(3))
        if self.system.inertia_varies or held or not scalar:
            return coupled.SOLVER, self._in_rates()
        G = self._inertia[1]
        if G is None:
            if still and bare.all():
                return explicit.SOLVER, masses.copy()
            return apart.SOLVER, [m if plain else J for m, J, plain in zip(masses, own, bare, strict=True)]
        C = G[::3, ::3]
        if still and bare.all() and np.array_equal(G, np.kron(C, np.eye(3))):
            inverse = sparse_inverse(C + np.diag(masses))
            return tensions.solver(inverse[1]), inverse
        return coupled.SOLVER, self._in_rates()

    def _in_rates(self) -> np.ndarray:
        """The constant inertia (3 N, 3 N) of all rates, the bodies' own included."""
        product, rest = self.system.product, self._inertia[1]
        G = np.zeros((product.split, product.split)) if rest is None else rest.copy()
        for f, row, J in zip(product.factors, product.first, self.own, strict=True):
            at = slice(3 * int(row), 3 * (int(row) + f.rows))
            G[at, at] += in_rates(f, J)
        return G

    @cached_property
    def _solver_system(self) -> Any:
        return self.solver_system()

    @property
    def numbers(self) -> StepNumbers:
        """What the kernels of a loop read."""
        return StepNumbers(self.data, self.index, self.table, self.forced, self.damped)

    def potential(self, first: np.ndarray) -> float:
        """Potential energy of a configuration (N, 3)."""
        return float(self.value(first.reshape(-1, 3), self.data, self.index))

    def _potentials(self, first: np.ndarray) -> np.ndarray:
        return np.array([self.potential(z) for z in first])

    def slope(self, first: np.ndarray) -> np.ndarray:
        """Ambient gradient of the potential, with the shape of the configuration."""
        out = np.zeros((first.size // 3, 3))
        self.gradient(np.ascontiguousarray(first.reshape(-1, 3)), self.data, self.index, out)
        return out.reshape(first.shape)

    def forces(self, t: float, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Generalised forces (n, 3)."""
        out = np.zeros_like(second)
        if self.forced:
            self.force(t, first.reshape(-1, 3), second, self.table, self.data, self.index, out)
        return out

    def field(self, t: float, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rates of configurations and velocities; SingularMassError where there are no accelerations."""
        z, w = np.ascontiguousarray(first).reshape(-1, 3), np.ascontiguousarray(second)
        dz, dw = np.empty_like(z), np.empty_like(w)
        move(self.bodies, self.spin, z, w, dz)
        acting = (self.slope(first).reshape(-1, 3), self.forces(t, first, w), self._solver_system)
        if not self.solver.accelerator()(z, w, dz, *acting, *self.kinetics, self.data, self.index, dw):
            raise SingularMassError("the inertia is not positive definite at this configuration")
        turn_back(self.bodies, self.spin, w, dw)
        return dz.reshape(first.shape), dw

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Rate of a state."""
        return np.concatenate([part.ravel() for part in self.field(t, *self.parts(x))])

    def hold(self, u: np.ndarray) -> None:
        """Set the inputs (m,), which must not vary in this run."""
        self.table[3 : 3 + u.size] = u

    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configuration (N, 3) and velocities (n, 3) of a state."""
        return self.system.product.parts(x)

    # -- energy and momenta ---------------------------------------------------------------------

    def _momenta(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Momenta (nt, n, 3) in the components of the velocities, kinetic energies (nt,), of nt states."""
        momenta, kinetic, p = self._kinetic(z, w)
        if p is not None:
            momenta = momenta + self.system.product.moments(z, p)
        if self.system.covector_nodes:
            momenta = momenta + np.array([self.covectors(place) for place in z])
        return momenta, kinetic

    def _kinetic(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """The bodies' own momenta (nt, n, 3), kinetic energies (nt,), slopes of the rest (nt, N, 3)."""
        momenta = np.einsum("bij,kbj->kbi", self.own, w)
        kinetic = np.sum(momenta * w, axis=(1, 2)) / 2
        u = self.system.product.rates(z, w)
        rest = rest_slopes(self.system, z, u, self.params)
        if rest is None:
            return momenta, kinetic, None
        value, _, p = rest
        return momenta, kinetic + (np.sum(u * p, axis=(1, 2)) - value), p

    def covectors(self, z: np.ndarray) -> np.ndarray:
        """Linear terms (n, 3) in the components of the velocities."""
        return covector_values(self.system, z, self.params)[0].reshape(-1, 3)

    def mechanics(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kinetic and potential energies (nt,), moments about the origin (nt, n, 3), of nt states."""
        momenta, kinetic = self._momenta(first, second)
        return kinetic, self._potentials(first), self.system.product.spatial(first, momenta)

    def momenta(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Momenta of a state that steps carry on, (n, 3): of places, of directions and attitudes in space."""
        product = self.system.product
        found = self._momenta(first[None], second[None])[0]
        turning = product.kinds != 0
        found[:, turning] = product.spatial(first[None], found)[:, turning]
        return found[0]

    def linear_momenta(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Momenta of moving all places, (nt, 3)."""
        return self._momenta(first, second)[0][:, self.system.product.kinds == 0].sum(axis=1)

    def energies(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Energies (nt,), in a frame that turns the Jacobi integrals."""
        if self.spin.any():
            kinetic, potential, momenta = self.mechanics(first, second)
            return kinetic + potential - momenta.sum(axis=1) @ self.spin
        return self._kinetic(first, second)[1] + self._potentials(first)

    def quantities(self, first: np.ndarray, second: np.ndarray) -> dict[str, np.ndarray]:
        """Energy, components of the momenta and declared invariants, (nt,) each, of nt states."""
        system = self.system
        momentum = self.mechanics(first, second)[2].sum(axis=1)
        linear = self.linear_momenta(first, second).T if len(system.quantity_names) > len(QUANTITIES) else ()
        values = self.energies(first, second), *momentum.T, *linear
        found = dict(zip(system.quantity_names, values, strict=True))
        x = system.product.state(first, second).T
        declared = system.declared_programs[0](list(x), self.params) if system.invariants_given else ()
        return found | {
            name: np.broadcast_to(value, x.shape[1:])
            for name, value in zip(system.invariants_given, declared, strict=True)
        }

    # -- rates of what may be conserved ---------------------------------------------------------

    def moment(
        self, axis: np.ndarray, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Moments about an axis by kind: of forces, potential, inertia and what holds places; and the sizes
        of their terms, (4,) each.
        """
        return self._rates_along(self.system.product.still(first, axis), axis, t, first, second)

    def _rates_along(
        self, velocity: np.ndarray, axis: np.ndarray, t: float, z: np.ndarray, w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rates, by kind of force, of the momentum that belongs to a motion of all bodies with velocities,
        which turns rates about an axis; a term is the moment of a body, whatever its entries are.
        """
        product = self.system.product
        moved, u = product.rates(z, velocity), product.rates(z, w)
        turned = product.turned_rates(axis, u)
        forces = _powers(product.generalised_forces(z, self.forces(t, z, w)), velocity)
        potential = _powers(product.moments(z, -self.slope(z)), velocity)
        # Own inertias of directions and attitudes do not change when all is turned; those of places may.
        places = np.flatnonzero(product.kinds == 0)
        inertia = _powers(np.einsum("bij,bj->bi", self.own, w)[places], turned[product.first[places]])
        rest = rest_slopes(self.system, z[None], u[None], self.params)
        if rest is not None:
            terms = np.array([rest[1][0] * moved, rest[2][0] * turned])
            inertia += np.array([terms.sum(), np.abs(terms).sum()])
        if self.system.covector_nodes:
            slope = covector_slope(self.system, z, w, self.params)
            inertia += _powers(product.moments(z, slope), velocity)
        held = product.off_axes(moved)
        found = np.array([forces, potential, inertia, (held.sum(), np.abs(held).sum())]).T
        return found[0], found[1]

    def quantity_rates(
        self, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rates of what `quantities` names and the sizes of their terms, a row for each kind of force."""
        rates, sizes = self.power_and_moments(t, first, second)
        if not self.system.invariants_given:
            return rates, sizes
        x = self.system.product.state(first, second)
        terms = self.system.invariant_gradients(x, self.params) * self.rate(t, x)
        declared = np.zeros((2, len(rates), len(terms)))
        declared[:, 0] = terms.sum(axis=1), np.abs(terms).sum(axis=1)
        return np.hstack([rates, declared[0]]), np.hstack([sizes, declared[1]])

    def power_and_moments(
        self, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rates of energy, momenta and linear momenta by kind, the turning of the frame one of them, and the
        sizes of their terms, (5, k) each.
        """
        product, names = self.system.product, self.system.quantity_names
        found = np.zeros((2, 5, len(names)))
        acting = product.generalised_forces(first, self.forces(t, first, second))
        found[:, 0, 0] = _powers(acting, second - product.still(first, self.spin))
        momenta = self._momenta(first[None], second[None])[0]
        totals = [product.spatial(first[None], momenta)[0].sum(axis=0)]
        if len(names) > 4:
            totals.append(momenta[0, product.kinds == 0].sum(axis=0))
        for part, total in enumerate(totals):
            columns = slice(1 + 3 * part, 4 + 3 * part)
            found[0, 4, columns] = -np.cross(self.spin, total)
            found[1, 4, columns] = np.linalg.norm(self.spin) * np.abs(total).sum()
            for k, axis in enumerate(np.eye(3)):
                rates = self.moment if part == 0 else self._push
                found[:, :4, columns.start + k] = rates(axis, t, first, second)
        return found[0], found[1]

    def _push(
        self, axis: np.ndarray, t: float, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What `moment` is, of moving all places along an axis."""
        velocity = np.outer(self.system.product.kinds == 0, axis)
        return self._rates_along(velocity, np.zeros(3), t, first, second)


def _powers(forces: np.ndarray, velocities: np.ndarray) -> np.ndarray:
    """Powers (2,) of forces (n, 3) and velocities: their sum, and that of the sizes of each."""
    sizes = np.linalg.norm(forces, axis=1) * np.linalg.norm(velocities, axis=1)
    return np.array([np.sum(forces * velocities), sizes.sum()])
