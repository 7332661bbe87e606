r"""The plant of a matching problem: which velocities inputs drive, and which they do not.

Rotors are velocities of an abelian factor like any other, so that

.. math:: G\dot\xi + \dots = B u, \qquad B \text{ constant}

stands for all actuated mechanisms; an input drives the velocity in the row that it alone holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import Graph
from geoctrl.errors import MatchingError
from geoctrl.systems import EulerPoincare
from geoctrl.systems.equations.assembly import Assembly
from geoctrl.systems.equations.frames import Frame, choose_frame
from geoctrl.systems.equations.matrix_assembly import MatrixAssembly
from geoctrl.systems.parts.names import time
from geoctrl.systems.rotor_velocities import with_rotor_velocities

__all__ = ["Plant"]


@dataclass(frozen=True, eq=False)
class Plant:
    """A mechanism without rotors, and the constant directions in which inputs act.

    Attributes
    ----------
    mechanism : EulerPoincare
        With the rates of rotors among its velocities, its inputs open.
    drive : sympy matrix, n x m
        B: column a holds the force of input a.
    """

    mechanism: EulerPoincare
    drive: sp.ImmutableMatrix

    @classmethod
    def of(cls, mechanism: EulerPoincare) -> Plant:
        """The plant of a mechanism.

        Raises
        ------
        MatchingError
            If nothing is actuated, an input enters nonlinearly or with coefficients that vary, inputs
            depend on one another, one moves nothing, or a loop is closed already.
        """
        if mechanism.feedback or mechanism.controller:
            closed = ", ".join([*mechanism.feedback, *mechanism.controller])
            raise MatchingError(
                f"matching is asked of a plant; this mechanism has feedback already: {closed}"
            )
        if mechanism.seen_from:
            raise MatchingError(
                "matching is asked of a plant as it is seen from space; take the mechanism before "
                "configuration()"
            )
        open_ = with_rotor_velocities(mechanism)
        drive = _directions(open_.forces, open_.inputs, {p.symbol for p in open_.parameters})
        plant = cls(open_, drive)
        admissible = plant.frame.matrix.T * drive
        idle = [str(u) for a, u in enumerate(open_.inputs) if admissible[:, a].is_zero_matrix]
        if idle:
            raise MatchingError(
                f"{', '.join(idle)} moves nothing: its force vanishes on admissible velocities; leave it out"
            )
        return plant

    # -- velocities -----------------------------------------------------------------------------

    @cached_property
    def frame(self) -> Frame:
        """Velocities that are states, xi = E w."""
        return choose_frame(self.mechanism)

    @cached_property
    def fibre(self) -> tuple[int, ...]:
        """Columns of the frame that inputs drive, one for each input.

        Raises
        ------
        MatchingError
            If the inputs do not drive as many velocities as they are many, each a state by itself.
        """
        rows, labels = self.driven, self.mechanism.algebra.labels
        if len(rows) != self.drive.cols:
            raise MatchingError(
                f"{self.drive.cols} input(s) drive {len(rows)} velocities "
                f"({', '.join(labels[i] for i in rows)}); take velocities of which each input drives "
                f"its own: {self._own_velocities}"
            )
        columns = []
        E = self.frame.matrix
        kept = self.frame.rows
        for i in rows:
            # A multiplier would push along w, too: the loop of L_c were not that of the plant.
            if kept is not None and any(kept[:, i]):
                raise MatchingError(
                    f"a constraint that is kept by a multiplier holds {labels[i]}, which an input drives; "
                    "take a frame that solves it"
                )
            found = [j for j in range(E.cols) if E[i, j] != 0]
            alone = len(found) == 1 and [k for k in range(E.rows) if E[k, found[0]] != 0] == [i]
            if not alone or E[i, found[0]] != 1:
                raise MatchingError(
                    f"the constraints or the frame mix {labels[i]}, which an input drives, with other "
                    "velocities; take a frame with a column for it alone"
                )
            columns.append(found[0])
        return tuple(columns)

    @property
    def _own_velocities(self) -> str:
        """The velocities along which inputs act, each in place of one of those that it drives."""
        xi, left, told = self.mechanism.algebra.xi, list(self.driven), []
        for a, u in enumerate(self.mechanism.inputs):
            along = (self.drive[:, a].T * sp.Matrix(xi))[0]
            # A coordinate's rate stays one: what is replaced is a velocity of the group, the first if any.
            i = next((i for i in left if self.drive[i, a] != 0), None)
            if i is not None:
                left.remove(i)
                told.append(f"{along} in place of {xi[i]} for {u}")
        return ", ".join(told)

    @property
    def base(self) -> tuple[int, ...]:
        """Columns of the frame that no input drives."""
        return tuple(j for j in range(self.frame.matrix.cols) if j not in self.fibre)

    def require_separated(self) -> None:
        """MatchingError where there is no `fibre`."""
        _ = self.fibre

    @property
    def separated(self) -> bool:
        """Whether there is a `fibre`."""
        try:
            return bool(self.fibre)
        except MatchingError:
            return False

    @cached_property
    def driven(self) -> tuple[int, ...]:
        """Places in xi of the velocities that inputs drive, those of the fibre where there is one."""
        return tuple(i for i in range(self.drive.rows) if any(self.drive[i, :]))

    @cached_property
    def undriven(self) -> tuple[int, ...]:
        """Places in xi of all other velocities, those that constraints solve included."""
        return tuple(i for i in range(self.drive.rows) if i not in self.driven)

    @property
    def unactuated(self) -> sp.Matrix:
        """A basis (k x n_u) of the frame's velocities with ``B^T E w = 0``."""
        k = self.frame.matrix.cols
        basis = (self.drive.T * self.frame.matrix).nullspace()
        return sp.Matrix.hstack(*basis) if basis else sp.zeros(k, 0)

    # -- derivatives ----------------------------------------------------------------------------

    @cached_property
    def motions(self) -> sp.Matrix:
        """R(Gamma), (d x n): Gammadot = R xi."""
        m = self.mechanism
        gamma = m.configuration_symbols
        carriers = [*gamma[: len(gamma) - len(m.quasicoordinates)], sp.Integer(1)]
        R = sp.zeros(len(gamma), m.algebra.n)
        for i, j, p, value in m.kinematics:
            R[i, j] -= sp.Rational(value.numerator, value.denominator) * carriers[p]
        for i, j, w in m.transport:
            R[i, j] += w
        return R

    def along(self, f: sp.Expr) -> list[sp.Expr]:
        """e_j[f], j = 1..n: derivatives of a function of Gamma along the velocities."""
        gradient = sp.Matrix([[sp.diff(f, s) for s in self.mechanism.configuration_symbols]])
        return list(gradient * self.motions) if gradient else [sp.Integer(0)] * self.mechanism.algebra.n

    def differential(self, form: list[sp.Expr]) -> sp.Matrix:
        r"""dk (n x n) of a one-form, :math:`dk(e_i, e_j) = e_i[k_j] - e_j[k_i] - k([e_i, e_j])`."""
        n = self.mechanism.algebra.n
        rates = [self.along(e) for e in form]  # rates[j][i] = e_i[k_j]
        d = sp.Matrix(n, n, lambda i, j: rates[j][i] - rates[i][j])
        for i, j, p, value in self.mechanism.algebra.brackets:
            d[i, j] -= sp.Rational(value.numerator, value.denominator) * form[p]
        return d

    def assembly(self, mechanism: EulerPoincare, graph: Graph) -> Assembly:
        """The plant's equations, nothing acting, in the graph of a loop with more states and parameters."""
        open_ = self.mechanism.replace(
            forces=None,
            friction=(),
            inputs=(),
            quasicoordinates=mechanism.quasicoordinates,
            parameters=mechanism.parameters,
            equilibria={},
            outputs={},
            invariants={},
            parameter_sets={},
            domain={},
        )
        return MatrixAssembly(open_, self.frame, open_.removed, graph=graph)

    _lines = record_lines
    full = full_text
    __repr__ = short_form


def _directions(forces: Any, inputs: Sequence[sp.Symbol], parameters: set[sp.Symbol]) -> sp.ImmutableMatrix:
    """B of forces ``B u + ...``; MatchingError unless it is constant and of full rank."""
    if not inputs or forces is None:
        raise MatchingError(
            "matching needs actuated directions: give inputs that enter forces=, or "
            "rotors=gc.Rotors(coupling=..., inertia=...), to the description"
        )
    forces = sp.Matrix(forces)
    B = forces.jacobian(sp.Matrix(inputs))
    nonlinear = sorted(str(u) for u in B.free_symbols & set(inputs))
    if nonlinear:
        raise MatchingError(
            f"{', '.join(nonlinear)} enters the forces nonlinearly; matching needs B u, B constant"
        )
    varying = sorted(map(str, B.free_symbols - parameters))
    if varying or time in B.free_symbols:
        raise MatchingError(
            f"the inputs act in directions that depend on {', '.join(varying)}; matching needs constant "
            "coefficients: take velocities along which the inputs act"
        )
    if B.rank() < len(inputs):
        raise MatchingError(
            f"the {len(inputs)} inputs act in {B.rank()} independent direction(s) only; leave out the others"
        )
    rest = (forces - B * sp.Matrix(inputs)).applyfunc(sp.expand)
    if rest.free_symbols & {time}:
        raise MatchingError("a force depends on time; what is matched must be a function of the state")
    return sp.ImmutableMatrix(B)
