r"""Fields w of controlled Lagrangians without gyroscopic force: linear algebra before an inertia is sought.

From :math:`G_c w_a = G\eta_a =: \alpha_a` and :math:`L_{w_a} G_c = L_{\eta_a} G` the inertia drops out,

.. math::

    L_{w_a}\alpha_b + L_{w_b}\alpha_a = i_{w_b} L_{\eta_a} G + i_{w_a} L_{\eta_b} G, \qquad
    \alpha_b(w_a) = \alpha_a(w_b) ,

which is linear in w. Among fields with polynomial coefficients in the configuration, sines and cosines, it is
sampled at rational points of the leaf. Each sample is a necessary condition, and a minor that is not zero
modulo a prime is not zero: the dimension found bounds that of the solutions, and where nothing but constant
multiples of w = :math:`\eta` is left, there is nothing else in the class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import sympy as sp
from sympy.polys.matrices import DomainMatrix

from geoctrl._checks import named_parameters
from geoctrl._scalars import exact
from geoctrl._scalars.algebra.factoring import factorisation
from geoctrl._scalars.arithmetic.modular import PRIME, sampled_kernel
from geoctrl.errors import MatchingError, ParameterError
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.solutions.ansatz import Ansatz, RationalPoints
from geoctrl.synthesis.solutions.obstruction import Obstruction

__all__ = ["LinearSearch"]

Matrix = list[list[Any]]


class LinearSearch:
    """The fields w with coefficients of a degree that a plant without constraints has.

    Parameters
    ----------
    degree : int
        In advected components, coordinates, and sines and cosines of angles.
    params : dict, optional
        Numbers for parameters; others are drawn at random, once.

    Examples
    --------
    >>> import geoctrl as gc
    >>> from geoctrl.synthesis.shaping.plant import Plant
    >>> LinearSearch(Plant.of(gc.models.get("cart-pendulum")()), degree=2).dimension
    3
    """

    def __init__(self, plant: Plant, degree: int, params: Mapping[str, float] | None = None) -> None:
        self.plant, self.degree = plant, degree
        m = plant.mechanism
        if m.constraints is not None:
            raise MatchingError("the linear equations for w are those of a plant without constraints")
        if not plant.unactuated.cols:
            raise MatchingError("inputs drive every direction: there is nothing to be matched")
        rng = np.random.default_rng(11)
        self.given = {name: exact(value) for name, value in named_parameters(params).items()}
        names = [p.name for p in m.parameters]
        unknown = sorted(self.given.keys() - set(names))
        if unknown:
            raise ParameterError(f"unknown parameters: {', '.join(unknown)}; there are {', '.join(names)}")
        self.parameters = {name: Fraction(int(rng.integers(1, 1000)), 331) for name in names} | self.given

    @cached_property
    def eta(self) -> sp.Matrix:
        """Unactuated directions (n x n_u), constant."""
        return sp.Matrix.hstack(*self.plant.drive.T.nullspace())

    @cached_property
    def ansatz(self) -> Ansatz:
        """The functions that coefficients are made of."""
        return Ansatz(self.plant, self.degree)

    @property
    def unknowns(self) -> int:
        """Coefficients of w."""
        return self.eta.rows * self.eta.cols * len(self.ansatz.monomials)

    @property
    def dimension(self) -> int:
        """Of the space of w, multiples of eta included: an upper bound that random points attain."""
        return len(self._kernel)

    @cached_property
    def fields(self) -> list[sp.Matrix]:
        """Basis of the space: w (n x n_u each), coefficients rational functions of the parameters not given.

        The coefficients that are not zero are known from the space at random parameters; they are solved for
        at enough points, and proved with the Lagrangian that is made of them.
        """
        return [self._field([i for i, c in enumerate(vector) if c]) for vector in self._kernel]

    @property
    def obstruction(self) -> Obstruction | None:
        """That there is no w but multiples of eta; None where there are others."""
        if self.dimension > 1:
            return None
        variables = ", ".join(map(str, self.ansatz.variables)) or "nothing"
        where = "at these parameters"
        if self.given.keys() != self.parameters.keys():
            where += " and at all others but an exceptional set of lower dimension"
        return Obstruction(
            "no field w but multiples of eta: no more than adding inertia to the actuated directions",
            {
                "unknowns": self.unknowns,
                "rank": self.unknowns - self.dimension,
                "modulo": PRIME,
                "parameters": ", ".join(f"{k} = {q}" for k, q in self.parameters.items()),
            },
            f"controlled Lagrangians without gyroscopic force, w polynomial of degree {self.degree} in "
            f"{variables}, {where}",
        )

    # -- the equations --------------------------------------------------------------------------

    @cached_property
    def _kernel(self) -> list[list[int]]:
        return sampled_kernel(self._equations(), self.unknowns)

    @cached_property
    def _forms(self) -> list[sp.Matrix]:
        """alpha_b (n x 1 each)."""
        G = sp.Matrix(self.plant.mechanism.inertia)
        return [G * self.eta.col(b) for b in range(self.eta.cols)]

    @cached_property
    def _terms(self) -> list[sp.Matrix]:
        """P_b (n x n each): row C, column A, what w^C adds to the equation of e_A with alpha_b."""
        m, along = self.plant.mechanism, self.plant.along
        n, G = m.algebra.n, sp.Matrix(m.inertia)
        inertia_rates = {(i, j): sp.Matrix([along(G[i, j])]) for i in range(n) for j in range(i + 1)}
        found = []
        for b, alpha in enumerate(self._forms):
            eta = self.eta.col(b)
            turn = self._bracket(eta)  # column C: [eta, e_C]
            slopes = [along(e) for e in alpha]
            P = sp.zeros(n, n)
            for C in range(n):
                for A in range(n):
                    rate = inertia_rates[max(C, A), min(C, A)].dot(eta)
                    P[C, A] = slopes[A][C] - rate + turn.col(C).dot(G.col(A)) + turn.col(A).dot(G.col(C))
            for i, j, p, value in m.algebra.brackets:
                P[i, j] -= sp.Rational(value.numerator, value.denominator) * alpha[p]
            found.append(P)
        return found

    def _bracket(self, eta: sp.Matrix) -> sp.Matrix:
        """[eta, e_C] in column C."""
        n = self.plant.mechanism.algebra.n
        found = sp.zeros(n, n)
        for i, j, p, value in self.plant.mechanism.algebra.brackets:
            found[p, j] += sp.Rational(value.numerator, value.denominator) * eta[i]
        return found

    @cached_property
    def _entries(self) -> list[sp.Expr]:
        """All that equations are made of but monomials: alpha_b and P_b, b after b."""
        return [e for alpha, P in zip(self._forms, self._terms, strict=True) for e in (*alpha, *P)]

    def _equations(self) -> Iterator[list[list[int]]]:
        """At each point rows over (a, C, monomial)."""
        for values, jets in self.ansatz.samples(RationalPoints(self.plant, self.parameters), self._entries):
            yield [[e % PRIME for e in row] for row in self.rows(values, jets)]

    def rows(self, entries: list[Any], jets: Matrix) -> Matrix:
        """Equations at a point, of the numbers alpha_b[C], P_b[C n + A] and of monomials with their rates."""
        n, count = self.eta.shape
        width = n + n * n
        alpha = [entries[b * width : b * width + n] for b in range(count)]
        P = [entries[b * width + n : (b + 1) * width] for b in range(count)]
        pairs = list(combinations_with_replacement(range(count), 2))
        found = [self._equation(a, b, A, alpha, P, jets) for a, b in pairs for A in range(n)]
        return found + [self._symmetric(a, b, alpha, jets) for a, b in pairs if a != b]

    def _equation(self, a: int, b: int, A: int, alpha: Matrix, P: Matrix, jets: Matrix) -> list[Any]:
        """U_b(w_a, e_A) + U_a(w_b, e_A), U_b(w, e_A) = w^C P_b[C, A] + e_A[w^C] alpha_b[C]."""
        n, count = self.eta.shape
        row = []
        for own in range(count):
            others = [other for first, other in ((a, b), (b, a)) if first == own]
            for C in range(n):
                p, q = sum(P[o][C * n + A] for o in others), sum(alpha[o][C] for o in others)
                row += [jet[0] * p + jet[1 + A] * q for jet in jets]
        return row

    def _symmetric(self, a: int, b: int, alpha: Matrix, jets: Matrix) -> list[Any]:
        """alpha_b(w_a) - alpha_a(w_b)."""
        n, count = self.eta.shape
        row = []
        for own in range(count):
            sign, other = {a: (1, b), b: (-1, a)}.get(own, (0, 0))
            for C in range(n):
                row += [sign * jet[0] * alpha[other][C] for jet in jets]
        return row

    # -- coefficients as functions of the parameters ---------------------------------------------

    def _field(self, support: list[int]) -> sp.Matrix:
        coefficients = self._combination(support)
        n, count = self.eta.shape
        places = [(a, C, m) for a in range(count) for C in range(n) for m in self.ansatz.monomials]
        w = sp.zeros(n, count)
        for i, c in zip(support, coefficients, strict=True):
            a, C, monomial = places[i]
            w[C, a] += c * monomial
        return w

    def _combination(self, support: list[int]) -> list[sp.Expr]:
        """The one combination of the unknowns of a support, its first coefficient one."""
        free = [p.symbol for p in self.plant.mechanism.parameters if p.name not in self.given]
        domain = sp.QQ.frac_field(*free) if free else sp.QQ
        points = RationalPoints(self.plant)
        monomials = [[m, *self.plant.along(m)] for m in self.ansatz.monomials]
        points.read([e for jet in monomials for e in jet])
        entries = [points.plain(e) for e in self._entries]
        jets = [[points.plain(e) for e in jet] for jet in monomials]
        numbers = {
            p.symbol: sp.Rational(q.numerator, q.denominator)
            for p in self.plant.mechanism.parameters
            if (q := self.given.get(p.name)) is not None
        }
        taken: Matrix = []
        ready = iter(points)
        while len(taken) < len(support) - 1:
            at = points.configuration(next(ready)) | numbers
            rows = self.rows([e.xreplace(at) for e in entries], [[e.xreplace(at) for e in j] for j in jets])
            taken += [[domain.from_sympy(sp.together(row[i])) for i in support] for row in rows]
            reduced = DomainMatrix(taken, (len(taken), len(support)), domain).rref()[0]
            taken = [row for row in reduced.to_dense().to_list() if any(row)]
        if len(taken) == len(support):
            raise MatchingError("w exists at some parameters only; give numbers for them, params=")
        reduced = DomainMatrix(taken, (len(taken), len(support)), domain)
        (vector,) = reduced.nullspace().to_dense().to_list() if taken else [[domain.one]]
        return [factorisation(domain.to_sympy(c / vector[0])) for c in vector]
