r"""Certified reasons for which no law can do what is asked at an equilibrium.

Rows :math:`\ell` with :math:`\ell A = C \ell, \ell B = 0` of the linearised plant are what no input reaches:
whatever the feedback, :math:`\ell x` moves by C. At rest and without gyroscopic terms such a row with the
eigenvalue s is a direction :math:`\zeta` with

.. math:: \zeta^T B = 0, \qquad \zeta^T (s^2 G + H) = 0, \qquad H = d(e_A[V]) .

A controlled Lagrangian has :math:`W^T H_c W = \eta^T H W` and :math:`W^T G_c W = \eta^T G W`, so that along
:math:`\zeta = \eta c`

.. math:: (Wc)^T H_c\, Wc = -s^2\, (Wc)^T G_c\, Wc ,

and both are of one sign only where all such s^2 are negative. All numbers are rational, ranks are exact, and
irrational s are roots of factors of the characteristic polynomial of C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import RATIONAL, Node, NotRationalError, evaluate, exact
from geoctrl._scalars.algebra.rational_matrix import nullspace
from geoctrl.analysis.question.problem import Problem
from geoctrl.decisions.arithmetic.eliminations import locate
from geoctrl.errors import EquilibriumError, MatchingError
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.solutions.ansatz import RationalPoints, held_symbols
from geoctrl.synthesis.solutions.reachability import (
    dot,
    factors,
    free_columns,
    invariant_rows,
    restriction,
    unreachable,
    weighted_sum,
)
from geoctrl.systems import EulerPoincare
from geoctrl.systems.contract.points import resolve_equilibrium

__all__ = ["Obstruction", "obstruction"]

Rows = list[list[Fraction]]

EVERY_LAW = "every feedback that is differentiable at the point, with states of its own or without"
EVERY_ENERGY = "every controlled Lagrangian with an energy that is definite to second order at the point"
_POINTS = 5

ITS_CLASSES = "energies of controlled Lagrangians with w = eta + actuated: abelian directions, added inertia"


@dataclass(frozen=True, repr=False)
class Obstruction:
    """Why an equilibrium cannot be stabilised, or not by an energy.

    Attributes
    ----------
    reason : str
    certificate : dict
        Rational rows and matrices from which the reason follows by multiplication; see `obstruction`.
    holds_for : str
        The laws that it excludes.
    """

    reason: str
    certificate: dict[str, Any]
    holds_for: str

    def _lines(self) -> list[str]:
        lines = [f"<Obstruction: {self.reason}>", f"  holds for {self.holds_for}"]
        for name, value in self.certificate.items():
            shown = "; ".join(_row_in_words(row) for row in value) if isinstance(value, list) else value
            lines.append(f"  {name}: {shown}")
        return lines

    full = full_text
    __repr__ = short_form


def _row_in_words(row: Any) -> str:
    return "(" + ", ".join(f"{float(q):.6g}" for q in row) + ")" if isinstance(row, list) else str(row)


def obstruction(plant: Plant, eq: Any, params: Mapping[str, float] | None = None) -> Obstruction | None:
    r"""The strongest certified obstruction at an equilibrium, or None where none is found.

    What is said of energies is said of the plant without friction and forces other than those of inputs, as
    matching takes it. Certificates hold rational vectors in the states or the velocities that they name:

    - a mode that no input reaches grows, friction and all: "rows" l with ``l A = C l``, ``l B = 0``, and a
      "factor" of the characteristic polynomial of C, irreducible, with a root of positive real part;
    - no energy is definite, at rest and without constraints: the same for A without gyroscopic terms; or
      "zeta" with ``zeta^T B = 0``, ``zeta^T H = 0`` and ``zeta^T G X = 0`` for all "ignorable" velocities X,
      which move nothing that the Lagrangian depends on, or along which it does not change;
    - the potential is a saddle, "up" and "down", in the directions that no input drives;
    - it falls along one, "uncoupled", of which the inertia stays what it is.

    The last two hold for two classes of controlled Lagrangians, as is said.

    Parameters
    ----------
    eq : Equilibrium, state ``x`` or pair ``(x, u)`` of the plant

    Returns
    -------
    Obstruction or None
        None is no promise that a law exists.

    Examples
    --------
    >>> import geoctrl as gc
    >>> from geoctrl.synthesis.shaping.plant import Plant
    >>> plant = Plant.of(gc.models.get("cart-pendulum")())
    >>> obstruction(plant, [0, 0, 0]) is None
    True
    """
    m = plant.mechanism
    found = _Jet(plant, m, eq, params).growing()
    if found is not None:
        return found
    bare = m.replace(forces=list(plant.drive * sp.Matrix(m.inputs)), friction=())
    jet = _Jet(plant, bare, eq, params)
    return jet.indefinite() or jet.saddle() or jet.uncoupled_fall()


class _Jet:
    """First derivatives of a plant at an exact equilibrium, on the tangent space of the leaf.

    Attributes
    ----------
    free : list of str
        States that are coordinates of that space.
    A, B : of these coordinates
    mass : k x k
    at_rest : bool
    """

    def __init__(
        self, plant: Plant, mechanism: EulerPoincare, eq: Any, params: Mapping[str, float] | None
    ) -> None:
        self.plant = plant
        system = mechanism.replace(domain={}, reactions={}).reduce()
        point = resolve_equilibrium(system, eq, params)
        problem = Problem.of(system.seen_from(point.spin), point)
        if problem is None:
            raise MatchingError("the plant's equations at this point cannot be written down exactly")
        self._params = dict(point.params)
        motion, g = problem.motion, problem.motion.graph
        states = list(motion.states.values())
        self._values = dict(zip(states, problem.point, strict=True))
        self._values |= {motion.parameters[k]: q for k, q in problem.numbers.items()}
        self._values |= dict(zip(motion.inputs.values(), problem.input_point, strict=True))
        (rates,) = self._numbers([motion.all_rates])
        if any(rates):
            raise EquilibriumError(
                "the point is an equilibrium to rounding only, and ranks are exact; take a member of a "
                "family, sys.equilibrium(name)",
                max(abs(float(q)) for q in rates),
            )
        k = len(motion.velocities)
        A = self._numbers(g.jacobian(motion.all_rates, states))
        B = self._numbers(g.jacobian(motion.all_rates, list(motion.inputs.values())))
        leaf = self._numbers(g.jacobian(list(motion.leaf.values()), states))
        self.mass = self._numbers(motion.mass)
        self.H = [[-dot(row, c) for c in zip(*self._turning(A), strict=True)] for row in self.mass]
        self._drive = [[dot(row, c) for c in zip(*B[:k], strict=True)] for row in self.mass]
        labels = list(system.state_labels)
        held = {str(symbol) for symbol in held_symbols(plant)}
        self._velocities = labels[:k]
        self._seen = [row[:k] for label, row in zip(labels[k:], A[k:], strict=True) if label in held]
        basis = nullspace(leaf, len(states))
        places = free_columns(basis)
        self.free, self._moving = [labels[i] for i in places], [i < k for i in places]
        self.A = [[dot(A[i], w) for w in basis] for i in places]
        self.B = [B[i] for i in places]
        self.at_rest = not any(problem.point[:k]) and not any(point.spin)

    def _turning(self, A: Rows) -> Rows:
        """d vdot/d Gamma times d Gammadot/d v: the rates of the accelerations along the velocities."""
        k = len(self.mass)
        configuration = [row[k:] for row in A[:k]]
        moved = [row[:k] for row in A[k:]]
        return [weighted_sum(row, moved) if row else [Fraction(0)] * k for row in configuration]

    def _numbers(self, rows: Sequence[Sequence[Node]]) -> Rows:
        try:
            return [evaluate(list(row), self._values, RATIONAL) for row in rows]
        except NotRationalError as error:
            raise MatchingError(
                f"ranks at this point are not exact: {error}. Members of a family, sys.equilibrium(name), "
                "and what find_equilibrium gives know the state's angles exactly"
            ) from None

    # -- what no input reaches ------------------------------------------------------------------

    def growing(self) -> Obstruction | None:
        """An unreachable mode with an eigenvalue of positive real part."""
        return self._unstable(self.A, "a mode that no input reaches grows", EVERY_LAW)

    def indefinite(self) -> Obstruction | None:
        """At rest: a mode with s^2 >= 0 of the plant without gyroscopic terms."""
        if not self._natural:
            return None
        words = "no energy is definite: without gyroscopic terms a mode that no input reaches grows"
        return self._unstable(self._still, words, EVERY_ENERGY) or self._degenerate()

    @property
    def _natural(self) -> bool:
        """At rest, with velocities that no constraint holds."""
        return self.at_rest and self.plant.mechanism.constraints is None

    @property
    def _still(self) -> Rows:
        """A without the accelerations that velocities make."""
        pairs = zip(self.A, self._moving, strict=True)
        return [
            [Fraction(0) if a and b else e for e, b in zip(row, self._moving, strict=True)]
            for row, a in pairs
        ]

    def _unstable(self, A: Rows, reason: str, holds_for: str) -> Obstruction | None:
        rows = unreachable(A, self.B)
        C = restriction(rows, A)
        for factor in factors(C):
            if locate([fmpq(c.numerator, c.denominator) for c in factor])[0]:
                found = invariant_rows(factor, rows, C)
                return Obstruction(
                    f"{reason}, s = {_largest(factor)}",
                    {
                        "factor": _polynomial(factor),
                        "states": self.free,
                        "rows": found,
                        "C": restriction(found, A),
                    },
                    holds_for,
                )
        return None

    def _degenerate(self) -> Obstruction | None:
        """zeta with zeta^T B = 0 and zeta^T H = 0, of which the momentum holds no ignorable velocity."""
        ignorable = nullspace(self._seen, len(self.mass))
        found = self._unrestored_motions(ignorable)
        if found:
            ignorable += nullspace(self._symmetries(), len(self.mass))
            found = self._unrestored_motions(ignorable)
        if not found:
            return None
        return Obstruction(
            "no energy is definite to second order: nothing restores a direction that no input reaches",
            {"velocities": self._velocities, "zeta": found, "ignorable": ignorable},
            EVERY_ENERGY,
        )

    def _unrestored_motions(self, ignorable: Rows) -> Rows:
        conditions = [list(c) for matrix in (self._drive, self.H) for c in zip(*matrix, strict=True)]
        conditions += [weighted_sum(X, self.mass) for X in ignorable]
        return nullspace(conditions, len(self.mass))

    def _symmetries(self) -> Rows:
        """Rows that vanish on velocities along which G and V do not change, at a few points of the leaf."""
        m, E = self.plant.mechanism, self.plant.frame.matrix
        functions = [m.potential, *sp.Matrix(m.inertia), *(m.gyroscopic or ())]
        rates = sp.Matrix([self.plant.along(f) for f in set(functions)]) * E
        points = RationalPoints(self.plant, {name: exact(q) for name, q in self._params.items()})
        try:
            nodes = points.read(list(rates))
        except MatchingError:  # not found out: every velocity may be one, and nothing is claimed
            return []
        values = (evaluate(nodes, point.values, RATIONAL) for point in islice(points, _POINTS))
        return [row[i : i + E.cols] for row in values for i in range(0, len(row), E.cols)]

    # -- signs, where w = eta + actuated ---------------------------------------------------------

    def _base(self) -> tuple[Rows, Rows] | None:
        """V_xx in the velocities that no input drives, and how G couples the others to them.

        None where V depends on actuated positions as well.
        """
        if not self._natural:
            return None
        try:
            base, fibre = self.plant.base, self.plant.fibre
        except MatchingError:  # no velocities of which each input drives its own: neither class
            return None
        if any(self.H[i][j] for i in base for j in fibre):
            return None
        V = [[self.H[i][j] for j in base] for i in base]
        if any(V[i][j] != V[j][i] for i in range(len(V)) for j in range(i)):
            return None
        return V, [[self.mass[a][j] for j in base] for a in fibre]

    def saddle(self) -> Obstruction | None:
        """Two vectors in which V_xx has both signs."""
        found = self._base()
        if found is None or not found[0]:
            return None
        V, _ = found
        up, down = (_direction(V, sign) for sign in (1, -1))
        if up is None or down is None:
            return None
        return Obstruction(
            "the potential has a saddle in the directions that no input drives, and w = eta + actuated "
            "leaves it",
            {"velocities": [self._velocities[i] for i in self.plant.base], "up": [up], "down": [down]},
            ITS_CLASSES,
        )

    def uncoupled_fall(self) -> Obstruction | None:
        """A vector along which V falls and the actuated directions are not coupled."""
        found = self._base()
        if found is None or not found[0]:
            return None
        V, coupling = found
        N = nullspace(coupling, len(V))
        inner = [[dot(weighted_sum(a, V), b) for b in N] for a in N]
        weights = _direction(inner, -1) if N else None
        if weights is None:
            return None
        return Obstruction(
            "the potential falls along a direction that is not coupled to the actuated ones: its inertia "
            "stays positive",
            {
                "velocities": [self._velocities[i] for i in self.plant.base],
                "uncoupled": [weighted_sum(weights, N)],
            },
            ITS_CLASSES,
        )


def _direction(form: Rows, sign: int) -> list[Fraction] | None:
    """A vector on which a symmetric form has a sign, by Lagrange's reduction; None where there is none."""
    left = [[Fraction(int(i == j)) for j in range(len(form))] for i in range(len(form))]
    while left:
        values = [[dot(weighted_sum(a, form), b) for b in left] for a in left]
        diagonal = [values[i][i] for i in range(len(left))]
        if any(sign * q > 0 for q in diagonal):
            return left[next(i for i, q in enumerate(diagonal) if sign * q > 0)]
        if not any(diagonal):
            pairs = ((i, j) for i in range(len(left)) for j in range(i) if values[i][j])
            i, j = next(pairs, (0, 0))
            turn = 1 if sign * values[i][j] > 0 else -1
            return [x + turn * y for x, y in zip(left[i], left[j], strict=True)] if i else None
        p = next(i for i, q in enumerate(diagonal) if q)
        pivot = left[p]
        left = [
            [x - values[i][p] / values[p][p] * y for x, y in zip(vector, pivot, strict=True)]
            for i, vector in enumerate(left)
            if i != p
        ]
    return None


def _polynomial(coefficients: Sequence[Fraction]) -> sp.Expr:
    return sp.Poly([sp.Rational(q.numerator, q.denominator) for q in coefficients], sp.Symbol("s")).as_expr()


def _largest(factor: Sequence[Fraction]) -> str:
    """The root farthest to the right, in digits for reading."""
    roots = np.roots([float(q) for q in factor])
    root = complex(roots[np.argmax(roots.real)])
    return f"{root.real:.6g}" if abs(root.imag) < 1e-9 * abs(root) else f"{root:.6g}"
