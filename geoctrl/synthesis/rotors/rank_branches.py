r"""Matching: which controlled Lagrangians give equations that rotor torques can realise.

The controlled kinetic energy ([GO] 48, after Bloch, Leonard and Marsden 2001) has constant matrices
:math:`\tau^a_i, \sigma_{ab}, \rho_{ab}`. The equations coincide if the momenta do, p - ptilde = 0 for all
admissible velocities and all controlled momenta. With X = G_ab^{-1} G_bi and for all i = 1..n

.. math::

    \bigl(G_{ib} + \sigma_{ab}\tau^a_i\bigr)\tau^b_k\,\xi^k = 0, \qquad \rho\,\tau + (\rho - G) X = 0 .

The second gives tau = G-multiples of X; with the symmetric matrix P = rho^{-1} - G^{-1} it reads
tau = P G_ai, and the first becomes P + P sigma P = 0 where the rotors couple to all admissible motions
(X of full row rank there). Then -P sigma is a projector, and the solutions are enumerated by its rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars.algebra.factoring import factorisation
from geoctrl._scalars.text.numbers import short_rational
from geoctrl.errors import MatchingError
from geoctrl.systems import EulerPoincare, Rotors
from geoctrl.systems.contract.scales import equilibration
from geoctrl.systems.contract.tolerances import rank

__all__ = ["Branch", "RotorCoupling", "branch_name"]

_RANK = 1e-9
"""Relative to the largest, below which random velocities span nothing more: rounding leaves some 1e-15."""


@dataclass(frozen=True)
class Branch:
    """One solution of the matching conditions.

    Attributes
    ----------
    name : str
    rank : int
        Number of independent rotor combinations that are used.
    tau : sympy matrix, s x n
    sigma, rho_inverse : sympy matrices, s x s
    free : tuple of sympy.Symbol
        Constants that remain free.
    """

    name: str
    rank: int
    tau: sp.ImmutableMatrix
    sigma: sp.ImmutableMatrix
    rho_inverse: sp.ImmutableMatrix
    free: tuple[sp.Symbol, ...]

    @property
    def rho(self) -> sp.ImmutableMatrix:
        """rho_ab."""
        return sp.ImmutableMatrix(self.rho_inverse.inv().applyfunc(factorisation))

    _lines = record_lines
    full = full_text
    __repr__ = short_form


def branch_name(rank: int, count: int) -> str:
    """What the branch of a rank is called where there are so many rotors."""
    return "no control" if rank == 0 else "full" if rank == count else f"mixed, rank {rank}"


@dataclass(frozen=True, eq=False)
class RotorCoupling:
    """The rotors of a mechanism and the motions to which they couple: what matching conditions are made of.

    Attributes
    ----------
    rotors : Rotors
        Coupling and inertia are constant.
    """

    mechanism: EulerPoincare
    rotors: Rotors

    @classmethod
    def of(cls, mechanism: EulerPoincare) -> RotorCoupling:
        """That of a mechanism; MatchingError where it has no rotors, or their coupling or inertia moves."""
        if mechanism.rotors is None:
            raise MatchingError(
                "matching needs internal rotors: "
                "give rotors=gc.Rotors(coupling=..., inertia=...) to the description"
            )
        rotors = mechanism.rotors
        held = rotors.coupling.free_symbols | rotors.inertia.free_symbols
        moving = sorted(map(str, held & set(mechanism.configuration_symbols)))
        if moving:
            raise MatchingError(
                f"matching takes rotors of which coupling and inertia are constant; these depend on "
                f"{', '.join(moving)}"
            )
        if not (rotors.coupling.atoms(sp.Float) or rotors.inertia.atoms(sp.Float)):
            return cls(mechanism, rotors)
        # The conditions are solved exactly: floats are the rationals that they are.
        rotors = rotors.with_entries(coupling=_exactly(rotors.coupling), inertia=_exactly(rotors.inertia))
        return cls(mechanism.replace(rotors=rotors), rotors)

    @cached_property
    def sigma(self) -> sp.ImmutableMatrix:
        """Symbols of the gain."""
        count = self.rotors.count
        if count == 1:
            return sp.ImmutableMatrix([[sp.Symbol("sigma", real=True)]])
        return sp.ImmutableMatrix(
            count, count, lambda a, b: sp.Symbol(f"sigma{min(a, b) + 1}{max(a, b) + 1}", real=True)
        )

    @cached_property
    def span(self) -> sp.Matrix:
        """Basis (n x d) of the span of all velocities that are admissible at some configuration.

        The conditions are linear in xi with constant coefficients, so that only this span matters. It is
        found from admissible velocities at random configurations; its dimension and its rational basis do
        not depend on them.
        """
        n = self.mechanism.algebra.n
        if self.mechanism.constraints is None:
            return sp.eye(n)
        system = self.mechanism.reduce()
        rng = np.random.default_rng(0)
        columns = [system.velocity(system.random_state(rng), self.mechanism.generic) for _ in range(4 * n)]
        stacked = np.array(columns)
        of_states, of_velocities = equilibration(stacked)  # metres and radians do not compare
        _, values, vt = np.linalg.svd(of_states[:, None] * stacked * of_velocities, full_matrices=False)
        return _rational_basis(vt[: rank(values, _RANK)], of_velocities)

    @cached_property
    def _inertia_inverse(self) -> sp.Matrix:
        return _inverse(self.rotors.inertia)

    def require_coupling(self) -> None:
        """Refuse rotors that are singular or move nothing."""
        _ = self._inertia_inverse
        coupled = (sp.Matrix(self.rotors.coupling).T * self.span).rank()
        if coupled < self.rotors.count:
            raise MatchingError(
                f"of the {self.rotors.count} rotor(s) only {coupled} independent combination(s) couple to "
                "admissible motions; leave out rotors of which the torque moves nothing"
            )

    def branch(self, rank: int) -> Branch:
        """The solutions of one rank, checked against the matching conditions."""
        sigma = self.sigma
        P, free = _projection_solution(sigma, rank)
        branch = Branch(
            name=branch_name(rank, self.rotors.count),
            rank=rank,
            tau=sp.ImmutableMatrix((P * self.rotors.coupling.T).applyfunc(factorisation)),
            sigma=sigma,
            rho_inverse=sp.ImmutableMatrix((P + self._inertia_inverse).applyfunc(factorisation)),
            free=(*(e for e in dict.fromkeys(sigma) if rank), *free),
        )
        wrong = [e for e in self.residual(branch.tau, sigma, branch.rho_inverse) if e != 0]
        if wrong:
            raise MatchingError(f"the branch {branch.name!r} leaves the residual {wrong[0]}")
        return branch

    def residual(self, tau: sp.Matrix, sigma: sp.Matrix, rho_inverse: sp.Matrix) -> list[sp.Expr]:
        """Coefficients of p - ptilde in a basis of admissible velocities and in controlled momenta."""
        tau, sigma, rho_inverse = sp.Matrix(tau), sp.Matrix(sigma), sp.Matrix(rho_inverse)
        G, coupling = sp.Matrix(self.rotors.inertia), sp.Matrix(self.rotors.coupling)
        X = self._inertia_inverse * coupling.T
        by_velocity = (coupling + tau.T * sigma) * tau * self.span
        by_momentum = tau.T * G * rho_inverse + (X + tau).T * (sp.eye(self.rotors.count) - G * rho_inverse)
        return [factorisation(e) for e in (*by_velocity, *by_momentum)]

    def controlled_inertia(self, sigma: sp.Matrix) -> sp.ImmutableMatrix:
        """G_ij + G_ia (sigma^{-1})^{ab} G_bj - G_ia G^{ab} G_bj."""
        coupling = sp.Matrix(self.rotors.coupling)
        shaped = coupling * (_inverse(sigma) - self._inertia_inverse) * coupling.T
        return sp.ImmutableMatrix((sp.Matrix(self.mechanism.inertia) + shaped).applyfunc(sp.expand))


def _exactly(matrix: sp.Matrix) -> sp.Matrix:
    return matrix.xreplace({e: sp.Rational(e) for e in matrix.atoms(sp.Float)})


def _inverse(matrix: sp.Matrix) -> sp.Matrix:
    if sp.simplify(matrix.det()) == 0:
        raise MatchingError(f"the matrix {matrix.tolist()} is singular")
    return sp.Matrix(matrix).inv().applyfunc(factorisation)


def _projection_solution(sigma: sp.Matrix, rank: int) -> tuple[sp.Matrix, tuple[sp.Symbol, ...]]:
    """Symmetric P of the given rank with P + P sigma P = 0: P = -U (U^T sigma U)^{-1} U^T, U in a chart."""
    s = sigma.rows
    if rank == 0:
        return sp.zeros(s, s), ()
    if rank == s:
        return -sp.Matrix(sigma).inv(), ()
    free = [[sp.Symbol(f"nu{a + 1}{b + 1}", real=True) for b in range(rank)] for a in range(s - rank)]
    U = sp.Matrix.vstack(sp.eye(rank), sp.Matrix(free))
    P = -U * (U.T * sigma * U).inv() * U.T
    return P, tuple(e for row in free for e in row)


def _rational_basis(rows: np.ndarray, units: np.ndarray) -> sp.Matrix:
    """Reduced row echelon form with its entries recognised as short rationals; columns of the result.

    Rows are orthonormal after velocities were multiplied by ``units``.
    """
    work = rows.copy()
    pivots: list[int] = []
    for column in range(work.shape[1]):
        r = len(pivots)
        if r == work.shape[0]:
            break
        best = r + int(np.argmax(np.abs(work[r:, column])))
        if abs(work[best, column]) < _RANK:
            continue
        work[[r, best]] = work[[best, r]]
        work[r] /= work[r, column]
        for other in range(work.shape[0]):
            if other != r:
                work[other] -= work[other, column] * work[r]
        pivots.append(column)
    found = []
    for row, column in zip(work, pivots, strict=True):
        sizes = units[column] / units
        found.append([_number(v, size) for v, size in zip(row * sizes, sizes, strict=True)])
    return sp.Matrix(found).T


def _number(value: float, size: float) -> sp.Rational:
    """A short rational within rounding, if there is one, else nine digits."""
    found = short_rational(value, size, 10**4, _RANK)
    found = Fraction(f"{value:.9g}") if found is None else found
    return sp.Rational(found.numerator, found.denominator)
