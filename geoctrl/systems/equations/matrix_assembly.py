"""The reduced equations of an inertia that is given as a matrix; of many coupled parts along their tree.

Of a vector field, which has none, they are the rates that are given.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from geoctrl._scalars import Node
from geoctrl._scalars.graph.symmetric_elimination import dot
from geoctrl.systems.equations.assembly import Assembly, Matrix
from geoctrl.systems.equations.inertia_tree import Branch
from geoctrl.systems.equations.link_tensions import link_tensions
from geoctrl.systems.equations.tree_recursion import (
    TreeMomenta,
    Turns,
    coupled_tree,
    solve_along_tree,
    spread,
)

__all__ = ["FieldAssembly", "MatrixAssembly"]


class MatrixAssembly(Assembly):
    """Nodes of everything that the reduced system of a description computes."""

    def _inertia(self) -> None:
        g, mechanism = self.graph, self.mechanism
        n, rotors = mechanism.algebra.n, mechanism.rotors
        self._G = self._convert(mechanism.inertia)
        self._A = (
            [self.configuration(a) for a in mechanism.gyroscopic]
            if mechanism.gyroscopic is not None
            else [g.zero] * n
        )
        if rotors:
            coupling, inertia = self._convert(rotors.coupling), self._convert(rotors.inertia)
            self._G = [row + coupled for row, coupled in zip(self._G, coupling, strict=True)]
            self._G += [[coupling[i][a] for i in range(n)] + inertia[a] for a in range(rotors.count)]
            self._A += [self.configuration(a) for a in rotors.gyroscopic]
        self._U = self.configuration(mechanism.potential)

    def _momenta(self) -> list[Node]:
        g = self.graph
        return [g.add([dot(g, row, self.xi), a]) for row, a in zip(self._G, self._A, strict=True)]

    def _energy(self) -> Node:
        g = self.graph
        return dot(g, self.xi, [dot(g, row, self.xi) for row in self._G]) / 2 + self._U

    def _advected_gradient(self) -> list[Node]:
        """dl/dGamma_k at fixed xi."""
        g = self.graph
        gradient = []
        flat = [e for row in self._G for e in row] + self._A + [self._U]
        for node in self.gamma:
            derivative = g.push_forward(flat, {node: g.one})
            dU, dA = derivative[-1], derivative[self.n**2 : -1]
            terms = [-dU, *(a * x for a, x in zip(dA, self.xi, strict=True))]
            for i, x in enumerate(self.xi):
                row = derivative[i * self.n : (i + 1) * self.n]
                if any(not e.is_zero for e in row):
                    terms.append(x * dot(g, row, self.xi) / 2)
            gradient.append(g.add(terms))
        return gradient

    def _diamond(self, gradient: Sequence[Node]) -> list[Node]:
        """K_j = (dl/dGamma)_i dGammadot_i/dxi_j."""
        parts: list[list[Node]] = [[] for _ in range(self.n)]
        for i, j, m, value in self.mechanism.kinematics:
            parts[j].append(-(self.graph.number(value) * self._carriers[m] * gradient[i]))
        for i, j, w in self._transport:
            parts[j].append(w * gradient[i])
        return [self.graph.add(p) for p in parts]

    def _total_force(self) -> tuple[list[Node], list[Node]]:
        """ad* mu + K(dl/dGamma) + F - G Edot w - Gdot xi - Adot, entry by entry; F alone."""
        g, size, width = self.graph, range(self.n), len(self.velocity)
        dE = self._along_motion([e for row in self._E for e in row])
        convective = [dot(g, dE[i * width : (i + 1) * width], self.velocity) for i in size]  # Edot w
        dG = self._along_motion([e for row in self._G for e in row])
        dA = self._along_motion(self._A)
        coadjoint = self._coadjoint(self.momentum)
        diamond = self._diamond(self._advected_gradient())
        applied = self._generalised_forces()
        parts = [[c, d, f, -a] for c, d, f, a in zip(coadjoint, diamond, applied, dA, strict=True)]
        for i, terms in enumerate(parts):
            rows = (self._G[i], convective), (dG[i * self.n : (i + 1) * self.n], self.xi)
            terms += [-dot(g, row, rates) for row, rates in rows]
        return [g.add(terms) for terms in parts], applied

    def _equations(self) -> None:
        if (found := self._inertia_tree()) is not None:
            self._equations_along(*found)
        else:
            super()._equations()

    def _inertia_tree(self) -> tuple[list[Branch], Turns] | None:
        """The inertia as a tree, where all velocities are free and it takes less than the whole matrix."""
        m = self.mechanism
        free = m.frame is None and m.constraints is None and not m.quasicoordinates and not self._entries
        plain = free and not m.indefinite and not self._loads  # indefinite: pivots might vanish
        return coupled_tree(m, self.graph, self._G, self.gamma) if plain else None

    def _equations_along(self, tree: list[Branch], turns: Turns) -> None:
        """All but what is written out entry by entry, which waits until it is asked for."""
        self.applied = self._generalised_forces()
        solved = self._by_tensions(tree, turns)
        force = [self.graph.zero] * self.n if solved else self._force_along(tree, turns)
        along, pivots = solve_along_tree(self.graph, tree, force)
        solved = solved or along
        self._GE, self.multipliers = self._G, []
        self._restrict_all(self._G, [], [])
        found = self.restrict(turns.by_angles([*turns.differences(solved), *pivots.values()]))
        self.evaluated_acceleration, self.pivots = found[: len(solved)], found[len(solved) :]
        self.pivot_places = list(pivots)

    def _by_tensions(self, tree: list[Branch], turns: Turns) -> list[Node] | None:
        """Rates of velocities, or of turns, where their inertia is one of points on links; else None."""
        g, n = self.graph, self.n
        if self.mechanism.algebra.brackets:
            return None
        turned = {turns.place[q]: symbol for q, symbol in turns.symbols.items()}
        moved = []
        for k in range(n):
            rates = self.gamma_rates([g.one if i == k else g.zero for i in range(n)])
            moved.append({s: r for s, r in zip(self.gamma, rates, strict=True) if not r.is_zero})
            if k in turned:
                moved[k] = {turned[k]: g.one}
        start = dict(zip(self.gamma, map(g.number, self.mechanism.reference), strict=True))
        start |= dict.fromkeys(turned.values(), g.zero)
        tensions = link_tensions(g, turns.inertia(self._G), moved, start)
        if tensions is None:
            return None
        order = [p for branch in reversed(tree) for p in branch.velocities]
        force = turns.covector(self._other_forces())
        return tensions.accelerations(turns.sums(self.xi), force, order)

    def _other_forces(self) -> list[list[Node]]:
        """Terms of what acts beside the forces of inertia."""
        powers = [a * x for a, x in zip(self._A, self.xi, strict=True)]
        dA = self._along_motion(self._A)
        applied = zip(self._diamond_terms([*powers, -self._U], {}), dA, self.applied, strict=True)
        return [[*terms, -a, f] for terms, a, f in applied]

    def _force_along(self, tree: list[Branch], turns: Turns) -> list[Node]:
        """The same as `_total_force`, by sums along the tree, and for the rates of turns."""
        g, rates = self.graph, turns.sums(self.xi)
        along = TreeMomenta(g, tree, rates)
        moving = self._moving() | {turn: rates[turns.place[q]] for q, turn in turns.symbols.items()}
        moved = g.push_forward(along.momentum, moving)
        coadjoint = self._coadjoint([g.add([mu, a]) for mu, a in zip(along.momentum, self._A, strict=True)])
        inertial = self._diamond_terms(along.energies, along.held)
        for j, slopes in along.slopes(turns).items():
            inertial[j] += slopes
        return [
            g.add([*spread(g, [coadjoint[j], *inertial[j], -moved[j]]), *terms])
            for j, terms in enumerate(turns.covector(self._other_forces()))
        ]


class FieldAssembly(Assembly):
    """Nodes of a vector field: its states are entries of Gamma with given rates, and no velocity moves."""

    def _inertia(self) -> None:
        self._G: Matrix = []

    def _momenta(self) -> list[Node]:
        return []

    def _energy(self) -> Node:
        return self.graph.zero

    def _total_force(self) -> tuple[list[Node], list[Node]]:
        return [], []

    def _effect_of(self, actuator: sp.Symbol) -> list[Node]:
        rates = self.mechanism.rates
        return [self.motion(sp.diff(rates[c.name], actuator)) for c in self.mechanism.shape]

    def _equations(self) -> None:
        rates = self.mechanism.rates
        self.advection = [self.motion(rates[c.name]) for c in self.mechanism.shape]
        super()._equations()
