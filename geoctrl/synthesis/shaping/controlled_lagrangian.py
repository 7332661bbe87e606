r"""A controlled Lagrangian, the loop that it makes, and the proof that inputs can make it.

With the plant :math:`E(L) = B u`, the controlled Lagrangian :math:`L_c` and a gyroscopic force F,
:math:`v \cdot F = 0`, the loop is :math:`E(L_c) + F = 0`. Inputs realise it if and only if for all
:math:`\eta` with :math:`B^T\eta = 0` and :math:`w` with :math:`G_c w = G\eta`

.. math:: w \cdot \bigl(E(L_c) + F\bigr) = \eta \cdot E(L)

at all accelerations, which cancel: what is left is a polynomial of degree two in the velocities, with the
functions of the configuration as coefficients. It must vanish on the leaf.

What may be added to a controlled Lagrangian without a new matching: functions of what w leaves alone.

With the positions z, :math:`w[z] = 0`, any Lagrangian of them,

.. math:: \tfrac12\, \dot z^T N(z)\, \dot z - F(z),

keeps the conditions: :math:`i_w (N \dot z \dot z) = 0`, :math:`L_w (N \dot z \dot z) = 0` and
:math:`w[F] = 0`. The same fields w and the same gyroscopic force go with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import Node, expression, read_matrix
from geoctrl._scalars.algebra.ideal import LeafIdeal
from geoctrl._scalars.graph.symmetric_elimination import Factorisation, dot
from geoctrl.algebra import Quasicoordinate
from geoctrl.errors import MatchingError
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.systems import EulerPoincare, Parameter, ReducedSystem
from geoctrl.systems.equations.assembly import Assembly

__all__ = ["NOTHING", "Controlled", "Further"]


@dataclass(frozen=True)
class Further:
    """A potential and an inertia of the positions, both in `Controlled.position_symbols` and parameters.

    Attributes
    ----------
    potential : expression
        F(z), without a slope at home; also of the plant's configuration, as far as w leaves it alone.
    inertia : sympy matrix, s x s, or None
        N(z), symmetric.
    """

    potential: sp.Expr = sp.S.Zero
    inertia: sp.ImmutableMatrix | None = None

    @classmethod
    def of(cls, potential: Any, inertia: Any) -> Further:
        """What a user gave: an expression; None, an expression for one position, or a matrix."""
        F = expression(potential, "the potential", MatchingError)
        return cls(F, None if inertia is None else _symmetric(inertia))

    def added_to(self, made: Controlled) -> Controlled:
        """The controlled Lagrangian with both."""
        if self == NOTHING:
            return made
        symbols = made.position_symbols
        self._require_known(made.plant, symbols)
        home = dict.fromkeys(symbols, 0)
        if any(sp.simplify(sp.diff(self.potential, z).subs(home)) != 0 for z in symbols):
            raise MatchingError(
                f"the potential {self.potential} has a slope at home, where it is to hold the positions"
            )
        places = dict(zip(symbols, made.positions, strict=True))
        potential = made.potential + self.potential.subs(places, simultaneous=True)
        return replace(made, potential=potential, inertia=self._inertia(made, places))

    def _require_known(self, plant: Plant, symbols: tuple[sp.Symbol, ...]) -> None:
        """Symbols of the positions and parameters; in a potential those of the configuration too."""
        m, names = plant.mechanism, ", ".join(map(str, symbols))
        constants = {p.symbol for p in m.parameters}
        positions = (
            f"of {names}, real symbols," if symbols else "of positions, of which the law holds none, or"
        )
        carried = ", ".join(map(str, m.configuration_symbols))
        other = self.potential.free_symbols - constants - {*symbols, *m.configuration_symbols}
        if other:
            raise MatchingError(
                f"the potential holds {_names(other)}; it is a function {positions} of parameters of the "
                f"plant or of what the fields w leave alone of {carried}{'' if symbols else _BOTH}"
            )
        if self.inertia is None:
            return
        if not symbols:
            raise MatchingError(f"the law holds no positions, of which an inertia could be{_BOTH}")
        if self.inertia.rows != len(symbols):
            raise MatchingError(
                f"the inertia of the positions {names} is {len(symbols)} x {len(symbols)}, got "
                f"{self.inertia.rows} x {self.inertia.cols}"
            )
        other = self.inertia.free_symbols - constants - set(symbols)
        if other:
            raise MatchingError(
                f"the inertia of the positions holds {_names(other)}; it is a function {positions} and of "
                "parameters of the plant"
            )

    def _inertia(self, made: Controlled, places: dict[sp.Symbol, sp.Expr]) -> sp.ImmutableMatrix:
        """Gc + Z^T N Z, with zdot = Z xi."""
        if self.inertia is None:
            return made.inertia
        around = Plant(made.mechanism, made.plant.drive)
        Z = sp.Matrix([around.along(z) for z in made.positions])
        N = self.inertia.subs(places, simultaneous=True)
        return sp.ImmutableMatrix(sp.Matrix(made.inertia) + Z.T * N * Z)


NOTHING = Further()
_BOTH = '; take shaping="both"'


def _names(symbols: set[sp.Symbol]) -> str:
    return ", ".join(sorted(map(str, symbols)))


def _symmetric(given: Any) -> sp.ImmutableMatrix:
    """A matrix of expressions; one expression stands for its only entry."""
    what = "the inertia of the positions"
    single = not hasattr(given, "__len__") or isinstance(given, str)
    matrix = read_matrix(what, [[given]] if single else given, MatchingError)
    if matrix.has(sp.nan, sp.oo, -sp.oo, sp.zoo, sp.I):
        raise MatchingError(f"{what} must be finite and real, got {matrix.tolist()}")
    if matrix.rows != matrix.cols or not (matrix - matrix.T).applyfunc(sp.expand).is_zero_matrix:
        raise MatchingError(f"{what} must be a symmetric matrix, got {matrix.tolist()}")
    return matrix


@dataclass(frozen=True, eq=False)
class Controlled:
    """A controlled Lagrangian of a plant.

    Attributes
    ----------
    plant : Plant
    inertia : sympy matrix, n x n
        Gc, of any signature.
    potential : expression
        V_c, in the configuration and the quasi-coordinates.
    fields : sympy matrix, k x n_u
        w in the velocities of the frame.
    gains : tuple of Parameter
        Symbols of L_c that the plant does not have.
    quasicoordinates : tuple of Quasicoordinate
        Further variables of V_c and Gc.
    force : sympy column of length n, or None
        F, gyroscopic.
    positions : tuple of expressions
        z, what V_c holds at zero, one for each actuated velocity; empty where it holds none.
    gyroscopic : sympy column of length n, or None
        The linear term a_c; that of the plant unless something else is said.
    """

    plant: Plant
    inertia: sp.ImmutableMatrix
    potential: sp.Expr
    fields: sp.ImmutableMatrix
    gains: tuple[Parameter, ...] = ()
    quasicoordinates: tuple[Quasicoordinate, ...] = ()
    force: sp.ImmutableMatrix | None = None
    gyroscopic: sp.ImmutableMatrix | None = None
    positions: tuple[sp.Expr, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """Without nodes: `system` is made anew where it is unpickled, in a graph of its own."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the plant, and the gains."""
        return (*self.plant.mechanism.parameters, *self.gains)

    @cached_property
    def mechanism(self) -> EulerPoincare:
        """The mechanism of L_c and F, without inputs."""
        plant = self.plant.mechanism
        return plant.replace(
            inertia=self.inertia,
            indefinite=True,
            potential=self.potential,
            gyroscopic=plant.gyroscopic if self.gyroscopic is None else list(self.gyroscopic),
            forces=None if self.force is None else list(-self.force),
            friction=(),
            inputs=(),
            quasicoordinates=(*plant.quasicoordinates, *self.quasicoordinates),
            parameters=self.parameters,
            parameter_sets={},
            symmetry=None,
            outputs={},
            invariants={},
            equilibria={},
            domain={},
            reactions={},
            name=f"{plant.name or 'system'}, controlled Lagrangian",
        )

    @property
    def negated(self) -> Controlled:
        """-L_c, of the same motion."""
        a = self.plant.mechanism.gyroscopic if self.gyroscopic is None else self.gyroscopic
        return replace(
            self,
            inertia=-self.inertia,
            potential=-self.potential,
            fields=-self.fields,
            force=None if self.force is None else -self.force,
            gyroscopic=None if a is None else sp.ImmutableMatrix(-sp.Matrix(a)),
        )

    @property
    def position_symbols(self) -> tuple[sp.Symbol, ...]:
        """What stands for positions in a potential: z, or z1, z2, ...; states stand for themselves."""
        one = len(self.positions) == 1
        return tuple(
            z if z.is_Symbol else sp.Symbol("z" if one else f"z{a + 1}", real=True)
            for a, z in enumerate(self.positions)
        )

    @cached_property
    def holds_positions(self) -> bool:
        """Whether V_c depends on actuated positions, so that these are brought to a place."""
        driven = [self.plant.mechanism.algebra.xi[i] for i in self.plant.driven]
        held = [z for z in self.quasicoordinates if z.symbol in self.potential.free_symbols]
        slopes = self.plant.along(self.potential)
        return any(sp.diff(z.rate, v) != 0 for z in held for v in driven) or any(
            slopes[i] != 0 for i in self.plant.driven
        )

    @cached_property
    def keeps_momenta(self) -> bool:
        """Whether the momenta of the driven velocities are conserved: nothing depends on their positions."""
        if not self.plant.separated:  # constraints tie them to other velocities, and change their momenta
            return False
        m, driven = self.plant.mechanism, self.plant.driven
        twisted = any(x in driven for i, j, *_ in m.algebra.brackets for x in (i, j))
        around = Plant(self.mechanism, self.plant.drive)  # Gc may hold positions that the plant has not
        slopes = (around.along(e) for e in (*self.inertia, *(m.gyroscopic or ())))
        return not (twisted or self.holds_positions or any(s[i] != 0 for s in slopes for i in driven))

    @property
    def damps_all(self) -> bool:
        """Whether the whole of E_c decays along the `passive_output`, not that at zero momentum alone."""
        return self.holds_positions or not self.keeps_momenta

    @cached_property
    def system(self) -> ReducedSystem:
        """The controlled Lagrangian's equations of motion: the loop, where the plant has no other forces."""
        return self.mechanism.reduce()

    @cached_property
    def _plant(self) -> Assembly:
        return self.plant.assembly(self.mechanism, self.system.graph)

    def _nodes(self, matrix: sp.Matrix) -> list[list[Node]]:
        a = self.system.assembly
        return [a.restrict([a.configuration(e) for e in row]) for row in sp.Matrix(matrix).tolist()]

    # -- the proof ------------------------------------------------------------------------------

    @cached_property
    def residual(self) -> list[Node]:
        """What has to vanish on the leaf: Gc w - G eta, and the two sides of the condition at rest of v."""
        g, loop, plant = self.system.graph, self.system.assembly, self._plant
        W, eta = self._nodes(self.fields), self._nodes(self.plant.unactuated)
        k, count = len(W), len(W[0]) if W else 0
        found = []
        for a in range(count):
            w, e = [W[i][a] for i in range(k)], [eta[i][a] for i in range(k)]
            found += [dot(g, loop.mass[i], w) - dot(g, plant.mass[i], e) for i in range(k)]
            found += self._coefficients(dot(g, w, loop.force) - dot(g, e, plant.force))
        if self.force is not None:
            F = [loop.motion(e) for e in self.force]
            found += self._coefficients(dot(g, loop.restrict(F), loop.xi))
        return list(dict.fromkeys(node for node in found if not node.is_zero))

    def _coefficients(self, polynomial: Node) -> list[Node]:
        """Those of the powers of velocities, up to the third: each is shorter than the whole."""
        g, v = self.system.graph, self.system.assembly.velocity
        at_rest = dict.fromkeys(v, g.zero)
        found: list[Node] = []
        layer = [polynomial]
        while layer and len(found) < len(v) ** 4 + 100:
            found += layer
            layer = [e for row in g.jacobian(layer, v) for e in row if not e.is_zero]
            layer = list(dict.fromkeys(layer))
        return g.substitute(found, at_rest)

    def require_matched(self) -> None:
        """Prove the conditions modulo the leaf.

        Raises
        ------
        MatchingError
            With the remainder of the first that does not vanish.
        """
        residual = self.residual
        if not residual:
            return
        ideal = LeafIdeal(self.system.leaf.nodes, residual)
        for node in residual:
            remainder = ideal.remainder(node)
            if remainder:
                left = ideal.to_sympy(remainder, self.system.symbols)
                raise MatchingError(
                    f"the matching conditions leave the remainder {left}", key="matching-remainder"
                )

    # -- the law --------------------------------------------------------------------------------

    @cached_property
    def inputs(self) -> list[Node]:
        """u of ``B u = G vdot + ...`` at the accelerations of the loop, in the graph of `system`."""
        g, plant = self.system.graph, self._plant
        acceleration = self.system.assembly.acceleration
        needed = [dot(g, row, acceleration) - f for row, f in zip(plant.mass, plant.force, strict=True)]
        columns = [*self._drive, *([-e for e in row] for row in self.system.assembly.rows)]
        gram = [[dot(g, a, b) for b in columns] for a in columns]
        solved = Factorisation(g, gram).solve([dot(g, a, needed) for a in columns])
        return solved[: self.plant.drive.cols]

    @cached_property
    def _drive(self) -> list[list[Node]]:
        """Columns of E^T B."""
        return self._nodes((self.plant.frame.matrix.T * self.plant.drive).T)

    @cached_property
    def passive_output(self) -> list[Node]:
        r"""y, along which further inputs u' change what has to decay at the rate ``y . u'``.

        Where V_c holds the actuated positions, and where nothing keeps their momenta, that is E_c:
        :math:`y = N v` with :math:`N = B^T G^{-1} G_c` on the frame's velocities. Else the momenta
        :math:`p = (G_c v)_f` of the fibre are conserved, and it is what E_c is at p = 0:
        :math:`y = N v - N_f (G_c)_{ff}^{-1}\, p`.
        """
        g, loop = self.system.graph, self.system.assembly
        seen = list(loop.velocity)
        if not self.damps_all:
            f = self.plant.fibre
            momenta = [dot(g, loop.mass[i], loop.velocity) for i in f]
            inner = [[loop.mass[i][j] for j in f] for i in f]
            for i, rate in zip(f, Factorisation(g, inner).solve(momenta), strict=True):
                seen[i] = seen[i] - rate
        return [dot(g, row, seen) for row in self._output_rows]

    @property
    def position_rows(self) -> list[list[Node]]:
        """N_f (m x m): by what a slow motion of the positions z is seen in the passive output."""
        return [[row[j] for j in self.plant.fibre] for row in self._output_rows]

    @cached_property
    def _output_rows(self) -> list[list[Node]]:
        """N (m x k)."""
        g, loop = self.system.graph, self.system.assembly
        k = range(len(loop.velocity))
        columns = [self._solve_plant(column) for column in self._drive]
        return [[dot(g, column, [loop.mass[i][j] for i in k]) for j in k] for column in columns]

    def _solve_plant(self, right: Sequence[Node]) -> list[Node]:
        """Rates of the plant's velocities that these forces give, constraint rows kept."""
        g, rows = self.system.graph, self.system.assembly.rows
        mass = self._plant.mass
        k, r = len(mass), len(rows)
        bordered = [[*mass[i], *(rows[a][i] for a in range(r))] for i in range(k)]
        bordered += [[*row, *[g.zero] * r] for row in rows]
        return Factorisation(g, bordered).solve([*right, *[g.zero] * r])[:k]

    _lines = record_lines
    full = full_text
    __repr__ = short_form
