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

import numpy as np
import sympy as sp

from geoctrl._scalars import exact
from geoctrl._scalars.modular import PRIME, rational, sampled_kernel
from geoctrl.errors import MatchingError
from geoctrl.synthesis.ansatz import Ansatz, RationalPoints
from geoctrl.synthesis.obstruction import Obstruction
from geoctrl.synthesis.plant import Plant

__all__ = ["LinearSearch"]


class LinearSearch:
    """The fields w with coefficients of a degree that a plant without constraints has.

    Parameters
    ----------
    plant : Plant
    degree : int
        In advected components, coordinates, and sines and cosines of angles.
    params : dict, optional
        Numbers for parameters; others are drawn at random, once.

    Raises
    ------
    MatchingError
        Where the plant has constraints, inputs drive all of it, its entries are no rational functions of the
        configuration and of sines and cosines, or no rational points of its leaf are known.

    Examples
    --------
    >>> import geoctrl as gc
    >>> from geoctrl.synthesis.plant import Plant
    >>> LinearSearch(Plant.of(gc.models.get("cart-pendulum")()), degree=2).dimension
    2
    """

    def __init__(self, plant: Plant, degree: int, params: Mapping[str, float] | None = None) -> None:
        self.plant, self.degree = plant, degree
        m = plant.mechanism
        if m.constraints is not None:
            raise MatchingError("the linear equations for w are those of a plant without constraints")
        if not plant.unactuated.cols:
            raise MatchingError("inputs drive every direction: there is nothing to be matched")
        rng = np.random.default_rng(11)
        given = {name: exact(value) for name, value in (params or {}).items()}
        drawn = {p.name: Fraction(int(rng.integers(1, 1000)), 331) for p in m.parameters}
        self.parameters = drawn | given
        self._given = bool(params) and set(given) == set(drawn)

    @cached_property
    def eta(self) -> sp.Matrix:
        """Unactuated directions (n x n_u) at the parameters."""
        basis = self.plant.drive.T.nullspace()
        given = self.parameters
        numbers = {
            p.symbol: sp.Rational(given[p.name].numerator, given[p.name].denominator)
            for p in self.plant.mechanism.parameters
        }
        return sp.Matrix.hstack(*basis).subs(numbers)

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
        """Basis of the space: w (n x n_u each) at the parameters.

        Raises
        ------
        MatchingError
            If a coefficient is no small rational number.
        """
        return [self._field(vector) for vector in self._kernel]

    @property
    def obstruction(self) -> Obstruction | None:
        """That there is no w but multiples of eta; None where there are others."""
        if self.dimension > 1:
            return None
        variables = ", ".join(map(str, self.ansatz.variables)) or "nothing"
        where = "at these parameters"
        if not self._given:
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

    def _equations(self) -> Iterator[list[list[int]]]:
        """At each point rows over (a, C, monomial)."""
        n, count = self.eta.shape
        rows = [e for b in range(count) for e in (*self._forms[b], *self._terms[b])]
        points = RationalPoints(self.plant, self.parameters)
        width = n + n * n
        for values, jets in self.ansatz.sampled(points, rows):
            alpha = [values[b * width : b * width + n] for b in range(count)]
            P = [values[b * width + n : (b + 1) * width] for b in range(count)]
            pairs = list(combinations_with_replacement(range(count), 2))
            found = [self._equation(a, b, A, alpha, P, jets) for a, b in pairs for A in range(n)]
            yield found + [self._symmetric(a, b, alpha, jets) for a, b in pairs if a != b]

    def _equation(
        self, a: int, b: int, A: int, alpha: list[list[int]], P: list[list[int]], jets: list[list[int]]
    ) -> list[int]:
        """U_b(w_a, e_A) + U_a(w_b, e_A), U_b(w, e_A) = w^C P_b[C, A] + e_A[w^C] alpha_b[C]."""
        n, count = self.eta.shape
        row = []
        for own in range(count):
            others = [other for first, other in ((a, b), (b, a)) if first == own]
            for C in range(n):
                p, q = sum(P[o][C * n + A] for o in others), sum(alpha[o][C] for o in others)
                row += [(jet[0] * p + jet[1 + A] * q) % PRIME for jet in jets]
        return row

    def _symmetric(self, a: int, b: int, alpha: list[list[int]], jets: list[list[int]]) -> list[int]:
        """alpha_b(w_a) - alpha_a(w_b)."""
        n, count = self.eta.shape
        row = []
        for own in range(count):
            sign, other = {a: (1, b), b: (-1, a)}.get(own, (0, 0))
            for C in range(n):
                row += [sign * jet[0] * alpha[other][C] % PRIME for jet in jets]
        return row

    def _field(self, vector: list[int]) -> sp.Matrix:
        n, count = self.eta.shape
        w = sp.zeros(n, count)
        places = ((a, C, m) for a in range(count) for C in range(n) for m in self.ansatz.monomials)
        for value, (a, C, monomial) in zip(vector, places, strict=True):
            c = rational(value)
            if c is None:
                raise MatchingError("a coefficient of w is no small rational number at these parameters")
            w[C, a] += sp.Rational(c.numerator, c.denominator) * monomial
        return w
