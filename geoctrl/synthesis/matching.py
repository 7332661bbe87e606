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

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import require_choice
from geoctrl._scalars import shown
from geoctrl._scalars.budget import BUDGET, Budget
from geoctrl.errors import MatchingError, ParameterError
from geoctrl.synthesis.design import SigmaDesign
from geoctrl.synthesis.gains import read_sigma
from geoctrl.synthesis.law import FeedbackLaw
from geoctrl.systems import EulerPoincare, ReducedSystem, Rotors

__all__ = ["Branch", "Matching", "match"]


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
        return sp.ImmutableMatrix(self.rho_inverse.inv().applyfunc(sp.factor))


class Matching:
    """Solutions of the matching conditions of a mechanism with rotors; made by `match`.

    Attributes
    ----------
    mechanism : EulerPoincare
    rotors : Rotors
        Of the mechanism.
    branches : tuple of Branch
        The trivial one first, the full one ([GO] 52) last.
    sigma : sympy matrix, s x s
        Symbols of the gain.
    note : str
        Branches that the time budget left out, if any.
    """

    def __init__(
        self,
        mechanism: EulerPoincare,
        branches: Sequence[Branch],
        sigma: sp.ImmutableMatrix,
        note: str = "",
    ) -> None:
        self.mechanism, self.note = mechanism, note
        self.rotors = _rotors(mechanism)
        self.branches = tuple(branches)
        self.sigma = sigma

    @property
    def tau(self) -> sp.ImmutableMatrix:
        """tau^a_i = -sigma^{ab} G_bi of the full branch ([GO] 52)."""
        return self.branches[-1].tau

    @property
    def rho(self) -> sp.ImmutableMatrix:
        """rho_ab with sigma^{-1} + rho^{-1} = G_ab^{-1} ([GO] 52)."""
        return self.branches[-1].rho

    def residual(self, branch: Branch | None = None) -> list[sp.Expr]:
        """Coefficients of p - ptilde for all velocities and momenta; all zero for a solution."""
        if branch is None:
            branch = self.branches[-1]
        elif not isinstance(branch, Branch):
            raise TypeError(f"branch must be one of .branches, got {shown(branch)}")
        return matching_residual(self.mechanism, branch.tau, branch.sigma, branch.rho_inverse)

    def inertia(self, sigma: Any = None) -> sp.ImmutableMatrix:
        """Inertia of the controlled Lagrangian at zero controlled momentum, n x n.

        ``G_ij + G_ia sigma^{ab} G_bj - G_ia G^{ab} G_bj``; ``sigma`` in symbols where none is given.
        """
        matrix = self.sigma if sigma is None else read_sigma(sigma, self.mechanism)
        return controlled_inertia(self.mechanism, matrix)

    @cached_property
    def _plant(self) -> ReducedSystem:
        return self.mechanism.reduce()

    def law(self, sigma: Any, form: str = "feedforward") -> FeedbackLaw:
        """Feedback law of the full branch for a gain.

        Parameters
        ----------
        sigma : number, s x s matrix, or symbol
            A symbol stays a parameter of the loop.
        form : "feedforward"
            The closed loop's accelerations are eliminated: the law is a function of the state.

        Returns
        -------
        FeedbackLaw
            ``law.warnings`` holds a `LawWarning` for each declared family that the gain does not stabilise
            although others would; they are issued by the first loop unless it stabilises another family.

        Raises
        ------
        MatchingError
            If sigma is zero, singular, not symmetric, not finite or of the wrong shape.
        InputError
            For an unknown form.
        """
        require_choice("form", form, ("feedforward",))
        return FeedbackLaw(self, sigma)

    def design_sigma(self, eq: Any, budget: float = BUDGET) -> SigmaDesign:
        """Gains for which an equilibrium of the closed loop is stable by the energy-Casimir test.

        Parameters
        ----------
        eq : Equilibrium of the mechanism, state of the mechanism or of the closed loop, or name of a family
            A family, or a member of one, gives symbolic bounds.
        budget : float
            Seconds for each search in symbols; ``.note`` says what was not finished.

        Raises
        ------
        EquilibriumError
            If the point is not an equilibrium of the closed loop.
        """
        return SigmaDesign(self, eq, budget)

    @cached_property
    def _designs(self) -> dict[str, SigmaDesign]:
        return {}

    def family_design(self, family: str) -> SigmaDesign:
        """`design_sigma` of a declared family, made once for all laws that are judged by it."""
        if not isinstance(family, str):
            raise ParameterError(f"family must be the name of one, got {shown(family)}")
        if family not in self._designs:
            self._designs[family] = self.design_sigma(family)
        return self._designs[family]

    def __repr__(self) -> str:
        lines = [f"<Matching of {self.mechanism.name or 'a mechanism'}>"]
        for branch in self.branches:
            lines.append(
                f"  {branch.name}: tau = {branch.tau.tolist()}, rho^-1 = {branch.rho_inverse.tolist()}"
            )
        return "\n".join(lines)


def match(mechanism: EulerPoincare, budget: float = BUDGET) -> Matching:
    """Solve the matching conditions of a mechanism with internal rotors.

    The residual is demanded for all i = 1..n, for all admissible velocities and all controlled momenta,
    and every branch returned is checked against it symbolically.

    Parameters
    ----------
    mechanism : EulerPoincare
        With rotors.
    budget : float
        Seconds. Branches besides the full one that are not found and checked by then are left out, and
        ``.note`` of the matching says which.

    Returns
    -------
    Matching

    Raises
    ------
    BudgetError
        If the full branch is not found and checked in time (`geoctrl._scalars.budget`); a TimeoutError.
    MatchingError
        If there are no rotors, their inertia is singular, or a combination of them couples to no admissible
        motion (no torque on it moves the mechanism).

    Examples
    --------
    >>> import geoctrl as gc
    >>> matching = gc.match(gc.models.get("pendulum-skate-rotor")())
    >>> [branch.name for branch in matching.branches]
    ['no control', 'full']
    >>> matching.rho[0, 0]
    -J1*sigma/(J1 - sigma)
    """
    rotors, time = _rotors(mechanism), Budget(budget)
    if rotors.coupling.atoms(sp.Float) or rotors.inertia.atoms(sp.Float):
        # The conditions are solved exactly: floats are the rationals that they are.
        rotors = Rotors(_exactly(rotors.coupling), _exactly(rotors.inertia), rotors.names)
        mechanism = mechanism.replace(rotors=rotors)
    s, sigma = rotors.count, _sigma_symbols(mechanism)
    remedy = "give numbers for the parameters of the rotors"
    time.demand("a check of the rotors", lambda: _require_coupled(mechanism), remedy)
    full = time.demand("the full branch", lambda: _branch(mechanism, sigma, s), remedy)
    others = [
        time.attempt(_name(rank, s), partial(_branch, mechanism, sigma, rank), None) for rank in range(s)
    ]
    return Matching(mechanism, [*(b for b in others if b is not None), full], sigma, time.note)


def _require_coupled(mechanism: EulerPoincare) -> None:
    """Refuse rotors that are singular or move nothing."""
    rotors = _rotors(mechanism)
    _inverse(rotors.inertia)
    coupled = (sp.Matrix(rotors.coupling).T * _admissible_span(mechanism)).rank()
    if coupled < rotors.count:
        raise MatchingError(
            f"of the {rotors.count} rotor(s) only {coupled} independent combination(s) couple to "
            "admissible motions; leave out rotors of which the torque moves nothing"
        )


def _name(rank: int, count: int) -> str:
    return "no control" if rank == 0 else "full" if rank == count else f"mixed, rank {rank}"


def _branch(mechanism: EulerPoincare, sigma: sp.ImmutableMatrix, rank: int) -> Branch:
    """The solutions of one rank, checked against the matching conditions."""
    rotors = _rotors(mechanism)
    P, free = _projection_solution(sigma, rank)
    branch = Branch(
        name=_name(rank, rotors.count),
        rank=rank,
        tau=sp.ImmutableMatrix((P * rotors.coupling.T).applyfunc(sp.factor)),
        sigma=sigma,
        rho_inverse=sp.ImmutableMatrix((P + _inverse(rotors.inertia)).applyfunc(sp.factor)),
        free=(*(e for e in dict.fromkeys(sigma) if rank), *free),
    )
    wrong = [e for e in matching_residual(mechanism, branch.tau, sigma, branch.rho_inverse) if e != 0]
    if wrong:
        raise MatchingError(f"the branch {branch.name!r} leaves the residual {wrong[0]}")
    return branch


def matching_residual(
    mechanism: EulerPoincare, tau: sp.Matrix, sigma: sp.Matrix, rho_inverse: sp.Matrix
) -> list[sp.Expr]:
    """Coefficients of p - ptilde in a basis of admissible velocities and in controlled momenta, i = 1..n."""
    rotors = _rotors(mechanism)
    tau, sigma, rho_inverse = sp.Matrix(tau), sp.Matrix(sigma), sp.Matrix(rho_inverse)
    G, coupling = sp.Matrix(rotors.inertia), sp.Matrix(rotors.coupling)
    X = _inverse(G) * coupling.T
    by_velocity = (coupling + tau.T * sigma) * tau * _admissible_span(mechanism)
    by_momentum = tau.T * G * rho_inverse + (X + tau).T * (sp.eye(rotors.count) - G * rho_inverse)
    return [sp.factor(e) for e in (*by_velocity, *by_momentum)]


def controlled_inertia(mechanism: EulerPoincare, sigma: sp.Matrix) -> sp.ImmutableMatrix:
    """G_ij + G_ia (sigma^{-1})^{ab} G_bj - G_ia G^{ab} G_bj."""
    rotors = _rotors(mechanism)
    coupling = sp.Matrix(rotors.coupling)
    shaped = coupling * (_inverse(sigma) - _inverse(rotors.inertia)) * coupling.T
    return sp.ImmutableMatrix((sp.Matrix(mechanism.inertia) + shaped).applyfunc(sp.expand))


def _rotors(mechanism: EulerPoincare) -> Rotors:
    if not isinstance(mechanism, EulerPoincare):
        raise MatchingError(
            f"match takes a mechanism (geoctrl.EulerPoincare), got {type(mechanism).__name__}; "
            "a reduced system keeps its own as sys.mechanism"
        )
    if mechanism.rotors is None:
        raise MatchingError(
            "matching needs internal rotors: "
            "give rotors=gc.Rotors(coupling=..., inertia=...) to the description"
        )
    return mechanism.rotors


def _exactly(matrix: sp.Matrix) -> sp.Matrix:
    return matrix.xreplace({e: sp.Rational(e) for e in matrix.atoms(sp.Float)})


def _inverse(matrix: sp.Matrix) -> sp.Matrix:
    if sp.simplify(matrix.det()) == 0:
        raise MatchingError(f"the matrix {matrix.tolist()} is singular")
    return sp.Matrix(matrix).inv().applyfunc(sp.factor)


def _sigma_symbols(mechanism: EulerPoincare) -> sp.ImmutableMatrix:
    count = mechanism.rotors.count if mechanism.rotors else 0
    if count == 1:
        return sp.ImmutableMatrix([[sp.Symbol("sigma", real=True)]])
    return sp.ImmutableMatrix(
        count, count, lambda a, b: sp.Symbol(f"sigma{min(a, b) + 1}{max(a, b) + 1}", real=True)
    )


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


def _admissible_span(mechanism: EulerPoincare) -> sp.Matrix:
    """Basis (n x d) of the span of all velocities that are admissible at some configuration.

    The conditions are linear in xi with constant coefficients, so that only this span matters. It is
    found from admissible velocities at random configurations; its dimension and its rational basis do
    not depend on them.
    """
    n = mechanism.algebra.n
    if mechanism.constraints is None:
        return sp.eye(n)
    system = mechanism.reduce()
    rng = np.random.default_rng(0)
    columns = [system.velocity(system.random_state(rng), mechanism.generic) for _ in range(4 * n)]
    stacked = np.array(columns)
    _, singular_values, vt = np.linalg.svd(stacked, full_matrices=False)
    d = int(np.sum(singular_values > 1e-9 * singular_values[0]))
    return _rational_basis(vt[:d])


def _rational_basis(rows: np.ndarray) -> sp.Matrix:
    """Reduced row echelon form with its entries recognised as short rationals; columns of the result."""
    work = rows.copy()
    pivots: list[int] = []
    for column in range(work.shape[1]):
        r = len(pivots)
        if r == work.shape[0]:
            break
        best = r + int(np.argmax(np.abs(work[r:, column])))
        if abs(work[best, column]) < 1e-9:
            continue
        work[[r, best]] = work[[best, r]]
        work[r] /= work[r, column]
        for other in range(work.shape[0]):
            if other != r:
                work[other] -= work[other, column] * work[r]
        pivots.append(column)
    return sp.Matrix([[_short_rational(v) for v in row] for row in work]).T


def _short_rational(value: float) -> sp.Rational:
    """The fraction with a denominator up to 10^4 that is within rounding, if there is one."""
    rounded = Fraction(str(round(float(value), 9)))
    short = rounded.limit_denominator(10**4)
    found = short if abs(short - rounded) < Fraction(1, 10**9) else rounded
    return sp.Rational(found.numerator, found.denominator)
