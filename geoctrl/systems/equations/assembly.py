r"""The one derivation of the reduced equations, on recorded scalars.

With :math:`\xi = E(\Gamma) w`, :math:`\mu = G \xi + A` and

.. math::

    \frac{\partial\ell}{\partial\Gamma_k}
    = \tfrac12 \xi\cdot\partial_k G\,\xi + \partial_k A\cdot\xi - \partial_k U

the equations are

.. math::

    E^T G E\,\dot w = E^T\bigl(\mathrm{ad}^*_\xi\mu + \mathbf K(\partial\ell/\partial\Gamma, \Gamma) + F
    - G \dot E w - \dot G \xi - \dot A\bigr) + B^T\lambda, \qquad B\dot w = -\dot B w,

where B = psi E holds the constraint rows that the frame does not solve. Rotors are an abelian factor
of the algebra: their rates extend xi, their inertia extends G, and the torques extend F. Rates of the
coordinates of the shape are an abelian factor of the algebra itself; the coordinates are entries of Gamma, of
which ``-xi Gamma`` is the rate, and K gives :math:`\partial\ell/\partial r` in the row of each. So are
quasi-coordinates, :math:`\dot z = w(\Gamma)\cdot\xi`, which add :math:`w\, \partial\ell/\partial z` to K.
What is carried along and seen from a frame that moves drifts besides, whatever :math:`\xi` is.
States of a controller move at the rates given; where A depends on them, Adot includes their motion.
Derivatives along Gamma are exact push-forwards; entries that the leaf removes are replaced by what it makes
them only after all of them are taken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property

import sympy as sp

from geoctrl._scalars import PARAMETER, STATE, FromSympy, Graph, Node
from geoctrl._scalars.graph.symmetric_elimination import Factorisation, dot, solve_general, solve_saddle
from geoctrl.systems.equations.frames import Frame
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.equations.tree_recursion import (
    spread,
)
from geoctrl.systems.parts.friction import reaction
from geoctrl.systems.parts.names import time

__all__ = ["Assembly", "Matrix"]

Matrix = list[list[Node]]


class Assembly(ABC):
    """Nodes of everything that the reduced system computes.

    Attributes
    ----------
    velocity : list of Node
        w and the rotor rates (states).
    gamma : list of Node
        All advected components (removed ones included), and the coordinates.
    xi : list of Node
        Full velocity, rotor rates appended.
    mass, force, rows, drift : nodes of M, h, B and Bdot w
    controller, controller_rates : list of Node
        States of a dynamic feedback, and their rates.
    acceleration, multipliers, advection : nodes of w', lambda, Gammadot
    evaluated_acceleration : nodes of w' for runs, of coupled parts by a recursion along their tree
    pivots, pivot_places : nodes of the pivots of M; the velocity of each along a tree, else None
    energy, momentum : nodes of 1/2 xi.G xi + U, and of mu (rotor momenta appended)
    feedbacks : list of (Node, list of Node)
        Laws of the inputs that are closed, each with the derivatives of h and Gammadot by its input.
    dependent : dict of label -> Node
        Velocities that have a symbol of their own, and their expressions in the states: those that depend on
        what stands for entries of the frame.

    Parameters
    ----------
    removed : dict of sympy.Symbol -> expression
        Entries of Gamma that the leaf gives as functions of the others, mostly zero.
    entries : sequence of sympy.Symbol, optional
        Symbols in the frame that stand for functions of Gamma. Their rates are symbols too, with ``_dot``
        appended.
    graph : Graph, optional
        Where to record; in that of another assembly what has one name is one node.
    """

    _G: Matrix

    def __init__(
        self,
        mechanism: Mechanism,
        frame: Frame,
        removed: Mapping[sp.Symbol, sp.Expr],
        entries: Sequence[sp.Symbol] = (),
        graph: Graph | None = None,
    ) -> None:
        self.mechanism = mechanism
        self.frame = frame
        g = self.graph = Graph() if graph is None else graph
        algebra, rotors = mechanism.algebra, mechanism.rotors
        self.parameters = {p.name: g.symbol(p.name, PARAMETER) for p in mechanism.parameters}
        labels = frame.labels + (rotors.rate_labels if rotors else ())
        self.velocity = [g.symbol(label, STATE) for label in labels]
        self.gamma = [g.symbol(str(s), STATE) for s in mechanism.configuration_symbols]
        actuators = {s: g.symbol(str(s), STATE) for s in mechanism.actuator_symbols}
        self.inputs = [actuators[s] for s in mechanism.input_symbols]
        self.controller = [g.symbol(label, STATE) for label in mechanism.controller]
        self.time = g.symbol(time.name, STATE)
        self.n = algebra.n + (rotors.count if rotors else 0)

        symbols = {p.symbol: self.parameters[p.name] for p in mechanism.parameters}
        symbols |= dict(zip(mechanism.configuration_symbols, self.gamma, strict=True))
        symbols |= dict(zip(mechanism.controller_symbols, self.controller, strict=True))
        named = {s: g.symbol(s.name, STATE) for s in entries}
        self._entries = set(named)
        self._entry_rates = {node: g.symbol(f"{s.name}_dot", STATE) for s, node in named.items()}
        self.configuration = FromSympy(g, symbols | named)
        places = dict(zip(mechanism.configuration_symbols, self.gamma, strict=True))
        zero = {places[s]: g.zero for s, e in removed.items() if e == 0}
        made = g.substitute([self.configuration(e) for e in removed.values()], zero)
        self._removed = dict(zip((places[s] for s in removed), made, strict=True))
        self.pivot_places: list[int] | None = None
        self._kinematics()
        self._inertia()
        self.momentum = self._momenta()
        symbols |= dict(zip(algebra.xi, self.xi, strict=False))
        symbols |= dict(zip(algebra.mu, self.momentum, strict=False))
        if rotors:
            symbols |= dict(zip(rotors.rates, self.velocity[-rotors.count :], strict=True))
        symbols |= {sp.Symbol(v, real=True): node for v, node in zip(labels, self.velocity, strict=True)}
        symbols[time] = self.time
        law = FromSympy(g, symbols)
        # An input that is closed stands for its feedback wherever it occurs.
        closed = {
            actuators[s]: law(mechanism.feedback[s.name]) for s in actuators if s.name in mechanism.feedback
        }
        self._actuators = [closed.get(node, node) for node in actuators.values()]
        self.motion = FromSympy(g, symbols | dict(zip(actuators, self._actuators, strict=True)))
        self.controller_rates = [self.motion(e) for e in mechanism.controller.values()]
        self._loads = {name: g.symbol(f"load {name}", STATE) for name in mechanism.loads}
        self._equations()
        if self._loads:
            self._carry_loads()

    # -- parts ----------------------------------------------------------------------------------

    def _convert(self, matrix: sp.Matrix) -> Matrix:
        return [[self.configuration(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)]

    def _kinematics(self) -> None:
        """xi = E w and Gammadot = -xi Gamma."""
        g, mechanism = self.graph, self.mechanism
        k, s = len(self.frame.labels), self.n - mechanism.algebra.n
        self._E = [[*row, *[g.zero] * s] for row in self._convert(self.frame.matrix)]
        self._E += [[g.one if j == k + a else g.zero for j in range(k + s)] for a in range(s)]
        self.xi = [dot(g, row, self.velocity) for row in self._E]
        quasi = len(mechanism.quasicoordinates)
        self._carriers = [*self.gamma[: len(self.gamma) - quasi], g.one]
        self._transport = [(i, j, self.configuration(w)) for i, j, w in mechanism.transport]
        self.advection = self.gamma_rates(self.xi)
        places = {s: i for i, s in enumerate(mechanism.configuration_symbols)}
        for moving in mechanism.seen_from:
            for symbol, rate in moving.drift(mechanism.advected, mechanism.algebra).items():
                self.advection[places[symbol]] += self.configuration(rate)
        self.dependent: dict[str, Node] = {}
        for i, label in enumerate(mechanism.algebra.labels):
            if self.frame.matrix[i, :].free_symbols & self._entries:
                self.dependent[label] = self.xi[i]
                self.xi[i] = g.symbol(label, STATE)

    def gamma_rates(self, xi: Sequence[Node]) -> list[Node]:
        """Rates of Gamma under velocities xi."""
        parts: list[list[Node]] = [[] for _ in self.gamma]
        for i, j, m, value in self.mechanism.kinematics:
            parts[i].append(-(self.graph.number(value) * xi[j] * self._carriers[m]))
        for i, j, w in self._transport:
            parts[i].append(w * xi[j])
        return [self.graph.add(p) for p in parts]

    @abstractmethod
    def _inertia(self) -> None:
        """Record what inertia, gyroscopic term and potential are made of."""

    @abstractmethod
    def _momenta(self) -> list[Node]:
        """mu."""

    @abstractmethod
    def _energy(self) -> Node:
        """1/2 xi.G xi + U."""

    @abstractmethod
    def _total_force(self) -> tuple[list[Node], list[Node]]:
        """ad* mu + K(dl/dGamma) + F - G Edot w - Gdot xi - Adot, entry by entry; F alone."""

    def _moving(self) -> dict[Node, Node]:
        """Rates of the symbols that frame, inertia and A depend on."""
        moving = dict(zip(self.gamma, self.advection, strict=True))
        return moving | dict(zip(self.controller, self.controller_rates, strict=True)) | self._entry_rates

    def _along_motion(self, nodes: Sequence[Node]) -> list[Node]:
        """Time derivatives of functions of Gamma and the controller's states."""
        return self.graph.push_forward(nodes, self._moving())

    def _coadjoint(self, momentum: Sequence[Node]) -> list[Node]:
        """(ad*_xi mu)_j = c^k_ij xi^i mu_k; rotors are abelian."""
        parts: list[list[Node]] = [[] for _ in range(self.n)]
        for i, j, k, value in self.mechanism.algebra.brackets:
            parts[j].append(self.graph.number(value) * self.xi[i] * momentum[k])
        return [self.graph.add(p) for p in parts]

    def _generalised_forces(self) -> list[Node]:
        """Generalised forces and rotor torques."""
        mechanism = self.mechanism
        n = mechanism.algebra.n
        given = self.motion.knowing({reaction(name): node for name, node in self._loads.items()})
        forces = (
            [given(f) for f in mechanism.acting] if mechanism.acting is not None else [self.graph.zero] * n
        )
        return forces + [given(torque) for torque in mechanism.rotor_torques]

    @cached_property
    def feedbacks(self) -> list[tuple[Node, list[Node]]]:
        """Laws of closed inputs with what their inputs drive; none where forces hold reactions."""
        mechanism = self.mechanism
        closed = [s for s in mechanism.actuator_symbols if s.name in mechanism.feedback and not self._loads]
        return [(self.restrict([self.motion(s)])[0], self.restrict(self._effect_of(s))) for s in closed]

    def _effect_of(self, actuator: sp.Symbol) -> list[Node]:
        """Derivatives of h and Gammadot by an input, where the others are closed."""
        mechanism = self.mechanism
        acting = [sp.S.Zero] * mechanism.algebra.n if mechanism.acting is None else mechanism.acting
        slopes = [self.motion(sp.diff(f, actuator)) for f in (*acting, *mechanism.rotor_torques)]
        along = [dot(self.graph, [row[a] for row in self._E], slopes) for a in range(len(self.velocity))]
        return [*along, *[self.graph.zero] * len(self.gamma)]

    def _equations(self) -> None:
        g = self.graph
        size, columns = range(self.n), range(len(self.velocity))
        self._acting, self.applied = self._total_force()
        self._GE = GE = [[dot(g, self._G[i], [self._E[j][a] for j in size]) for a in columns] for i in size]
        column = [[self._E[i][a] for i in size] for a in columns]
        lower = {(a, b): dot(g, column[a], [GE[i][b] for i in size]) for a in columns for b in range(a + 1)}
        mass = [[lower[max(a, b), min(a, b)] for b in columns] for a in columns]
        force = [dot(g, column[a], self._acting) for a in columns]
        rows, drift = self._multiplier_rows()
        self._restrict_all(mass, rows, drift, force)
        self.acceleration, self.multipliers, self.pivots = solve_saddle(
            g, self.mass, self.force, self.rows, self.drift
        )
        self.evaluated_acceleration = self.acceleration

    def _diamond_terms(self, parts: Sequence[Node], held: Mapping[Node, Node]) -> list[list[Node]]:
        """Terms of K for the gradient of the sum of some parts."""
        g = self.graph
        gradient: list[list[Node]] = [[] for _ in self.gamma]
        place = {node: i for i, node in enumerate(self.gamma)}
        for part in parts:
            for symbol in {n for n in g.reachable([part], known=held) if n in place}:
                gradient[place[symbol]] += g.push_forward([part], {**held, symbol: g.one})
        diamond: list[list[Node]] = [[] for _ in range(self.n)]
        for i, j, carrier, value in self.mechanism.kinematics:
            outer = -(g.number(value) * self._carriers[carrier])
            diamond[j] += spread(g, [outer * term for term in spread(g, gradient[i])])
        return diamond

    @cached_property
    def _acting(self) -> list[Node]:
        return self._total_force()[0]  # on a tree, entry by entry

    @cached_property
    def force(self) -> list[Node]:
        """Nodes of h."""
        return self.restrict(self._acting)

    @cached_property
    def acceleration(self) -> list[Node]:
        """Nodes of w', without names: for all that is asked about their form."""
        return solve_saddle(self.graph, self.mass, self.force, [], [])[0]

    def _restrict_all(
        self, mass: Matrix, rows: Matrix, drift: list[Node], force: list[Node] | None = None
    ) -> None:
        """Everything with what the leaf makes of the entries that it removes."""
        width = len(self.velocity)
        everything = (
            [e for row in mass for e in row] + (force or []) + [e for row in rows for e in row] + drift
        )
        others = ("xi", "momentum", "advection", "controller_rates", "applied")
        everything += [*(e for name in others for e in getattr(self, name)), self._energy()]
        out = iter(self.restrict(everything))
        self.mass = [[next(out) for _ in range(width)] for _ in range(width)]
        if force is not None:
            self.force = [next(out) for _ in force]
        self.rows = [[next(out) for _ in range(width)] for _ in rows]
        self.drift = [next(out) for _ in drift]
        for name in others:
            setattr(self, name, [next(out) for _ in getattr(self, name)])
        self.energy = next(out)

    def _carry_loads(self) -> None:
        """Solve for the reactions that forces hold: (1 - R) N = N0, of which the forces make N0 + R N.

        Friction at a contact changes the load that it depends on. At a singular 1 - R (Painleve's paradox)
        there are no accelerations, which its pivots tell.
        """
        g, symbols = self.graph, list(self._loads.values())
        found = self._constraint_forces()
        made = [found[name] for name in self._loads]
        R = g.jacobian(made, symbols)
        matrix = [[(g.one if i == j else g.zero) - e for j, e in enumerate(row)] for i, row in enumerate(R)]
        free = g.substitute(made, dict.fromkeys(symbols, g.zero))
        loads, pivots = solve_general(g, matrix, free)
        carried = dict(zip(symbols, loads, strict=True))
        held = "_acting", "applied", "force", "acceleration", "evaluated_acceleration", "multipliers"
        for name in held:
            setattr(self, name, g.substitute(getattr(self, name), carried))
        self.pivots = [*self.pivots, *pivots]

    @cached_property
    def reactions(self) -> dict[str, Node]:
        """Forces of the constraints by name, at the accelerations of the motion."""
        return self._constraint_forces()

    def _constraint_forces(self) -> dict[str, Node]:
        r"""Forces of the constraints by name.

        What is left of the equations, :math:`f = G\dot\xi + \dot G\xi + \dots - F`, is
        :math:`\lambda_a \psi^a`: multipliers of all rows, those that the frame solves included, and
        :math:`f \cdot \eta` for the velocities declared.
        """
        mechanism, g, n = self.mechanism, self.graph, self.mechanism.algebra.n
        if mechanism.constraints is None:
            return {}
        declared = [self.configuration(e) for eta in mechanism.reactions.values() for e in eta]
        rows = [self.configuration(e) for e in mechanism.constraints]
        flat = [e for row in self._GE for e in row]
        parts = iter(self.restrict([*rows, *declared, *flat, *self._acting]))

        def matrix(height: int, width: int) -> Matrix:
            return [[next(parts) for _ in range(width)] for _ in range(height)]

        psi, along = matrix(mechanism.constraints.rows, n), matrix(len(mechanism.reactions), n)
        inertial = [dot(g, row, self.acceleration) for row in matrix(self.n, len(self.velocity))]
        left = [a - next(parts) for a in inertial][:n]
        gram = [[dot(g, p, q) for q in psi] for p in psi]
        found = Factorisation(g, gram).solve([dot(g, p, left) for p in psi])
        found += [dot(g, eta, left) for eta in along]
        return dict(zip((*mechanism.row_names, *mechanism.reactions), found, strict=True))

    def _multiplier_rows(self) -> tuple[Matrix, list[Node]]:
        g = self.graph
        if self.frame.rows is None:
            return [], []
        psi = [[*row, *[g.zero] * (self.n - len(row))] for row in self._convert(self.frame.rows)]
        columns = range(len(self.velocity))
        rows = [[dot(g, row, [self._E[i][a] for i in range(self.n)]) for a in columns] for row in psi]
        drift = [dot(g, self._along_motion(row), self.velocity) for row in rows]
        return rows, drift

    def left_over(self, unknowns: Sequence[Node]) -> list[Node]:
        """h - M w' + B^T lambda and -d - B w', with symbols in the place of w' and lambda."""
        g, k = self.graph, len(self.velocity)
        across = [[self.rows[a][i] for a in range(len(self.rows))] for i in range(k)]
        found = [
            g.add([h, -dot(g, row, unknowns[:k]), dot(g, column, unknowns[k:])])
            for h, row, column in zip(self.force, self.mass, across, strict=True)
        ]
        pairs = zip(self.drift, self.rows, strict=True)
        return found + [g.add([-d, -dot(g, row, unknowns[:k])]) for d, row in pairs]

    @property
    def bordered_matrix(self) -> Matrix:
        """[[M, B^T], [B, 0]]: invertible where the accelerations exist."""
        r = len(self.rows)
        top = [[*row, *(self.rows[a][i] for a in range(r))] for i, row in enumerate(self.mass)]
        return [*top, *([*row, *[self.graph.zero] * r] for row in self.rows)]

    @property
    def inertia(self) -> Matrix:
        """G in all velocities, those that the frame solves for included, rotor rates appended."""
        flat = self.restrict([e for row in self._G for e in row])
        return [flat[i : i + self.n] for i in range(0, len(flat), self.n)]

    def sympy_symbols(self) -> dict[Node, sp.Symbol]:
        """Sympy symbols of the leaves of the graph."""
        m = self.mechanism
        table: dict[Node, sp.Symbol] = {self.parameters[p.name]: p.symbol for p in m.parameters}
        table |= dict(zip(self.gamma, m.configuration_symbols, strict=True))
        table |= dict(zip(self.inputs, m.input_symbols, strict=True))
        table |= dict(zip(self.controller, m.controller_symbols, strict=True))
        table |= {node: sp.Symbol(node.payload, real=True) for node in self.velocity}
        table[self.time] = time
        return table

    def restrict(self, nodes: Sequence[Node]) -> list[Node]:
        """Put in what the leaf makes of the entries that it removes (after differentiation)."""
        return self.graph.substitute(nodes, self._removed) if self._removed else list(nodes)
