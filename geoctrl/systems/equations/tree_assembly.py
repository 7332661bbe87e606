r"""The reduced equations of a tree of links, by recursions along it.

With what acts in the joints, K of the potentials beside gravity, forces and gyroscopic terms, h the forces
that Newton's and Euler's equations need at constant rates and M by composite bodies,

.. math:: M \dot\xi + h(\xi, \Gamma) = \tau,

without constraints and frames the accelerations are those of articulated bodies, and M is made when it is
asked for. With them :math:`\xi = E w` and :math:`M E \dot w = \tau - h(\xi, \Gamma; \dot E w)`, where h is
taken at the accelerations :math:`\dot E w`, goes the way of every description.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from geoctrl._scalars import Node
from geoctrl._scalars.graph.symmetric_elimination import dot, solve_saddle
from geoctrl.systems.equations.assembly import Assembly, Matrix
from geoctrl.systems.equations.frames import Frame
from geoctrl.systems.equations.matrix_assembly import FieldAssembly, MatrixAssembly
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.trees.articulated_bodies import ArticulatedBodies
from geoctrl.systems.trees.link_frames import LinkFrames
from geoctrl.systems.trees.newton_euler import Motion, composite_inertia
from geoctrl.systems.trees.tree_fields import springs_of_joints

__all__ = ["TreeAssembly", "assembly_of"]


class TreeAssembly(Assembly):
    """Nodes of everything that the reduced system of a tree computes."""

    def _inertia(self) -> None:
        mechanism, g = self.mechanism, self.graph
        tree = mechanism.tree
        assert tree is not None
        self._frames = LinkFrames(tree, g, self.configuration, not tree.is_small)
        self._motion = Motion(self._frames, self.xi)
        given = mechanism.gyroscopic
        self._A = [g.zero] * self.n if given is None else [self.configuration(a) for a in given]
        self._U = self.configuration(springs_of_joints(tree) + mechanism.beside_tree["potential"])

    @cached_property
    def _G(self) -> Matrix:  # type: ignore[override]
        return composite_inertia(self._frames)

    @cached_property
    def _GE(self) -> Matrix:  # type: ignore[override]
        columns = range(len(self.velocity))
        return [[dot(self.graph, row, [e[a] for e in self._E]) for a in columns] for row in self._G]

    def _momenta(self) -> list[Node]:
        return [self.graph.add([p, a]) for p, a in zip(self._motion.momenta(), self._A, strict=True)]

    def _energy(self) -> Node:
        return self._motion.energy() + self._U

    def _acting_forces(self) -> list[Node]:
        """What acts beside weight and inertia: generalised forces, and those of potentials and A."""
        g = self.graph
        powers = [a * x for a, x in zip(self._A, self.xi, strict=True)]
        inner = self._diamond_terms([*powers, -self._U], {})
        turned, moved = self._coadjoint(self._A), self._along_motion(self._A)
        parts = zip(inner, turned, moved, self.applied, strict=True)
        return [g.add([*terms, c, -d, f]) for terms, c, d, f in parts]

    def _total_force(self) -> tuple[list[Node], list[Node]]:
        g, size, width = self.graph, range(self.n), len(self.velocity)
        self.applied = self._generalised_forces()
        dE = self._along_motion([e for row in self._E for e in row])
        convective = [dot(g, dE[i * width : (i + 1) * width], self.velocity) for i in size]
        still = all(e.is_zero for e in convective)
        needed = self._motion.needed_forces(None if still else convective)
        return [g.add([f, -h]) for f, h in zip(self._acting_forces(), needed, strict=True)], self.applied

    @property
    def _has_constraints(self) -> bool:
        """Whether velocities are not those of the joints, or forces hold reactions."""
        m = self.mechanism
        return m.frame is not None or m.constraints is not None or bool(self._loads or self._entries)

    def _equations(self) -> None:
        if self._has_constraints:
            super()._equations()
            return
        self.applied = self._generalised_forces()
        self.multipliers, self.rows, self.drift = [], [], []
        found = ArticulatedBodies(self._motion, self._acting_forces())
        self.energy = self._energy()
        names = ("xi", "momentum", "advection", "controller_rates", "applied")
        everything = [*found.acceleration, *found.pivots.values(), self.energy]
        out = iter(self.restrict([*everything, *(e for name in names for e in getattr(self, name))]))
        self.evaluated_acceleration = [next(out) for _ in found.acceleration]
        self.pivots = [next(out) for _ in found.pivots]
        self.energy = next(out)
        for name in names:
            setattr(self, name, [next(out) for _ in getattr(self, name)])
        if not self._frames.tree.is_small:
            self.pivot_places = list(found.pivots)
            self.acceleration = self.evaluated_acceleration

    def left_over(self, unknowns: Sequence[Node]) -> list[Node]:
        """As `Assembly.left_over`; of links without constraints by Newton's and Euler's equations."""
        if self._frames.tree.is_small or self._has_constraints:
            return super().left_over(unknowns)
        needed = self._motion.needed_forces(list(unknowns))
        return self.restrict(
            [self.graph.add([f, -h]) for f, h in zip(self._acting_forces(), needed, strict=True)]
        )

    @cached_property
    def mass(self) -> Matrix:  # type: ignore[override]
        """Nodes of M."""
        flat, n = self.restrict([e for row in self._G for e in row]), self.n
        return [flat[i * n : (i + 1) * n] for i in range(n)]

    @cached_property
    def acceleration(self) -> list[Node]:
        """Nodes of w', of few links without names: for all that is asked about their form."""
        return solve_saddle(self.graph, self.mass, self.force, [], [])[0]


def assembly_of(mechanism: Mechanism, frame: Frame) -> Assembly:
    """The nodes of a mechanism's equations, along its tree where it is given as one; of a field its rates."""
    plain = FieldAssembly if mechanism.rates else MatrixAssembly
    kind = plain if mechanism.tree is None else TreeAssembly
    return kind(mechanism, frame, mechanism.removed)
