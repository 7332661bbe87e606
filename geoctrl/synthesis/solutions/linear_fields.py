r"""Controlled Lagrangians without gyroscopic force from the linear equations for the fields w.

With w = :math:`\eta + \sum_i c_i w_i` of `LinearSearch`, :math:`w_i[V] = 0`, the potential stays what it is,
and in the basis (w, U), U the actuated directions,

.. math:: G_c(w_a, w_b) = G(\eta_a, w_b), \quad G_c(w_a, U_b) = G(\eta_a, U_b), \quad G_c(U_a, U_b) = R_{ab}

leaves R, which has to obey :math:`L_w G_c = L_\eta G`: linear again, once w is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations_with_replacement

import sympy as sp

from geoctrl._scalars.arithmetic.modular import PRIME, rational, sampled_kernel
from geoctrl.algebra import Quasicoordinate
from geoctrl.errors import MatchingError
from geoctrl.synthesis.shaping.controlled_lagrangian import Controlled
from geoctrl.synthesis.shaping.matching_class import KINETIC, POTENTIAL, Gain, Shaping
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.solutions.ansatz import Ansatz, RationalPoints
from geoctrl.synthesis.solutions.linear_search import LinearSearch
from geoctrl.systems import Parameter

__all__ = ["LinearFields"]

_STIFF = Gain("K", "", "stiffness of the potential K |z|^2/2")


class LinearFields(Shaping):
    """The class of a plant with fields w, polynomial of a degree, along which its potential does not change.

    Parameters
    ----------
    kind : {"kinetic", "both"}
    degree : int
        Of w and of the inertia R of the actuated directions.
    """

    title = "fields w from the linear equations"

    def __init__(self, plant: Plant, kind: str, degree: int = 1) -> None:
        self.plant, self.kind, self.degree = plant, kind, degree
        if kind == POTENTIAL:
            raise MatchingError("the linear equations for w shape the inertia, with a potential or without")
        if plant.mechanism.frame is not None:
            raise MatchingError("the linear equations for w are those of a plant without a frame of its own")
        self.search = LinearSearch(plant, degree)
        no = self.search.obstruction
        if no is not None:
            raise MatchingError(f"{no.reason} (for {no.holds_for})")
        if not self._other_fields:
            raise MatchingError("the potential changes along all fields w but eta")
        self.require_free(self.gains)
        if kind != KINETIC and not self.positions:
            raise MatchingError(
                "no position is free of the motion along w; the inertia alone can be shaped: "
                'shaping="kinetic"'
            )

    # -- gains ----------------------------------------------------------------------------------

    @cached_property
    def _amounts(self) -> list[Gain]:
        return [
            Gain(name, "", f"amount of the field {field.T.tolist()}")
            for name, field in zip(
                _numbered_names("c", len(self._other_fields)), self._other_fields, strict=True
            )
        ]

    @cached_property
    def _inertias(self) -> list[Gain]:
        _, free = self._block
        return [
            Gain(name, "", f"inertia of the actuated directions, by the form {form.tolist()}")
            for name, form in zip(_numbered_names("rho", len(free)), free, strict=True)
        ]

    @property
    def gains(self) -> Sequence[Gain]:
        """c for each field, rho for each free inertia; K with a potential."""
        return (*self._amounts, *self._inertias, *([] if self.kind == KINETIC else [_STIFF]))

    def controlled(self, values: Mapping[str, sp.Expr], parameters: tuple[Parameter, ...]) -> Controlled:
        """L_c for the gains."""
        chosen = {g.symbol: values[g.name] for g in self._amounts}
        fixed, free = self._block
        R = sum((values[g.name] * f for g, f in zip(self._inertias, free, strict=True)), fixed)
        u = self._fields.cols
        inner = self._known_inertia.as_mutable()
        inner[u:, u:] = R
        inverse, determinant = self._inverse.subs(chosen), self._determinant.subs(chosen)
        if sp.expand(determinant) == 0:
            raise MatchingError("w and the actuated directions do not span the velocities at these gains")
        G = (inverse.T * inner.subs(chosen) * inverse).applyfunc(sp.expand)
        rates = [z.rate.subs(chosen) for z in self.positions] if self.kind != KINETIC else []
        z = tuple(
            Quasicoordinate(q.name, rate, "", q.description)
            for q, rate in zip(self.positions if rates else (), rates, strict=True)
        )
        added = values["K"] * sum(sp.Symbol(q.name, real=True) ** 2 for q in z) / 2 if z else 0
        return Controlled(
            plant=self.plant,
            inertia=sp.ImmutableMatrix(G),
            potential=self.plant.mechanism.potential + added,
            fields=sp.ImmutableMatrix(self._fields.subs(chosen)),
            gains=parameters,
            quasicoordinates=z,
        )

    # -- w, and the basis (w, U) ----------------------------------------------------------------

    @cached_property
    def _other_fields(self) -> list[sp.Matrix]:
        """Fields besides eta along which the potential does not change."""
        slope = sp.Matrix([self.plant.along(self.plant.mechanism.potential)])
        others = [f for f in self.search.fields if f != self.search.eta]
        return [f for f in others if all(map(self._vanishes, slope * f))]

    def _vanishes(self, expr: sp.Expr) -> bool:
        """Whether a rational function of the configuration and of sines is zero, by its numerator."""
        points = RationalPoints(self.plant)
        numerator = sp.expand(sp.fraction(sp.together(points.plain(expr)))[0])
        circles = [s**2 + c**2 - 1 for s, c in points.circles]
        return numerator == 0 or (bool(circles) and sp.reduced(numerator, circles)[1] == 0)

    @cached_property
    def _fields(self) -> sp.Matrix:
        """w (n x n_u) in the gains."""
        amounts = (Gain(name).symbol for name in _numbered_names("c", len(self._other_fields)))
        return sum((c * f for c, f in zip(amounts, self._other_fields, strict=True)), self.search.eta)

    @cached_property
    def _basis(self) -> sp.Matrix:
        """(w, U), with unit columns U on which the inputs act."""
        n = self.search.eta.rows
        pivots = self.plant.drive.T.rref()[1]
        return sp.Matrix.hstack(self._fields, *(sp.eye(n).col(i) for i in pivots))

    @cached_property
    def _determinant(self) -> sp.Expr:
        return sp.expand(self._basis.det(method="berkowitz"))

    @cached_property
    def _inverse(self) -> sp.Matrix:
        if self._determinant == 0:
            raise MatchingError("w and the actuated directions do not span the velocities")
        return self._basis.adjugate().applyfunc(sp.expand) / self._determinant

    @cached_property
    def _brackets(self) -> list[list[sp.Matrix]]:
        """[w_c, T_i] in the basis T = (w, U)."""
        m, T = self.plant.mechanism, self._basis
        n, u = self._fields.shape
        slopes = [[sp.Matrix([self.plant.along(e)]) for e in T.col(i)] for i in range(n)]
        found = []
        for c in range(u):
            row = []
            for i in range(n):
                pairs = zip(slopes[c], slopes[i], strict=True)
                X = sp.Matrix([of.dot(T.col(c)) - own.dot(T.col(i)) for own, of in pairs])
                for p, q, r, value in m.algebra.brackets:
                    X[r] += sp.Rational(value.numerator, value.denominator) * T[p, c] * T[q, i]
                row.append((self._inverse * X).applyfunc(sp.expand))
            found.append(row)
        return found

    # -- the inertia of the actuated directions --------------------------------------------------

    @cached_property
    def _block(self) -> tuple[sp.Matrix, list[sp.Matrix]]:
        """R as one solution and a basis of the others, the same for all parameters and gains."""
        unknowns = 1 + len(self._pairs) * len(self._ansatz.monomials)
        found = sampled_kernel(self._equations(), unknowns)
        if not found or not found[0][0]:
            raise MatchingError(
                f"no inertia of the actuated directions goes with w (coefficients of degree {self.degree})"
            )
        return self._form(found[0][1:]), [self._form(vector[1:]) for vector in reversed(found[1:])]

    @cached_property
    def _ansatz(self) -> Ansatz:
        return Ansatz(self.plant, self.degree)

    @property
    def _pairs(self) -> list[tuple[int, int]]:
        n, u = self._fields.shape
        return list(combinations_with_replacement(range(n - u), 2))

    @cached_property
    def _known_inertia(self) -> sp.Matrix:
        """Gc on the basis (w, U) with nothing for R."""
        n, u = self._fields.shape
        upper = (sp.Matrix(self.plant.mechanism.inertia) * self.search.eta).T * self._basis
        return sp.Matrix.vstack(upper, sp.Matrix.hstack(upper[:, u:].T, sp.zeros(n - u, n - u)))

    def _remainders(self) -> list[sp.Expr]:
        """L_w Gc - L_eta G on all pairs of the basis, without R."""
        m, eta, T, K = self.plant.mechanism, self.search.eta, self._basis, self._known_inertia
        n, u = self._fields.shape
        G = sp.Matrix(m.inertia)
        found = []
        for c in range(u):
            turning = sp.zeros(n, n)  # column j: [eta_c, e_j]
            for p, q, r, value in m.algebra.brackets:
                turning[r, q] += sp.Rational(value.numerator, value.denominator) * eta[p, c]
            rate = G.applyfunc(lambda e, c=c: sp.Matrix([self.plant.along(e)]).dot(eta.col(c)))
            plant = T.T * (rate - turning.T * G - G * turning) * T
            for i, j in self._all_pairs:
                slope = sp.Matrix([self.plant.along(K[i, j])]).dot(T.col(c))
                turned = self._brackets[c][i].dot(K.col(j)) + self._brackets[c][j].dot(K.col(i))
                found.append(slope - turned - plant[i, j])
        return found

    @property
    def _all_pairs(self) -> list[tuple[int, int]]:
        return list(combinations_with_replacement(range(self._fields.rows), 2))

    def _equations(self) -> Iterator[list[list[int]]]:
        """At each point rows over one and (monomial, entry of R), monomials of high degree first."""
        n, u = self._fields.shape
        remainders = self._remainders()
        turned = [e for row in self._brackets for b in row for e in b[u:, :]]
        points = RationalPoints(self.plant, further=[g.symbol for g in self._amounts])
        for values, jets in self._ansatz.samples(points, [*self._fields, *remainders, *turned]):
            entries = iter(values)
            w = [[next(entries) for _ in range(u)] for _ in range(n)]
            left = [[next(entries) for _ in self._all_pairs] for _ in range(u)]
            b = [[[next(entries) for _ in range(n - u)] for _ in range(n)] for _ in range(u)]
            rows = []
            for c in range(u):
                rates = [sum(w[j][c] * jet[1 + j] for j in range(n)) for jet in jets]
                for (i, j), known in zip(self._all_pairs, left[c], strict=True):
                    row = [known]
                    for jet, rate in zip(reversed(jets), reversed(rates), strict=True):
                        row += [
                            rate * ((u + p, u + q) == (i, j))
                            - jet[0] * (_turn(b[c], i, j - u, p, q) + _turn(b[c], j, i - u, p, q))
                            for p, q in self._pairs
                        ]
                    rows.append([e % PRIME for e in row])
            yield rows

    def _form(self, vector: list[int]) -> sp.Matrix:
        n, u = self._fields.shape
        R = sp.zeros(n - u, n - u)
        places = [(m, pair) for m in reversed(self._ansatz.monomials) for pair in self._pairs]
        for value, (monomial, (a, b)) in zip(vector, places, strict=True):
            q = rational(value)
            if q is None:
                raise MatchingError("the inertia's coefficients are no small rationals")
            R[a, b] += sp.Rational(q.numerator, q.denominator) * monomial
            R[b, a] = R[a, b]
        return R

    # -- positions ------------------------------------------------------------------------------

    @cached_property
    def positions(self) -> tuple[Quasicoordinate, ...]:
        """z with closed rates that vanish along w."""
        m, u = self.plant.mechanism, self._fields.cols
        forms = [self._inverse.row(i) for i in range(u, self._inverse.rows)]
        closed = [form for form in forms if all(map(self._vanishes, self.plant.differential(list(form))))]
        stem = next(s for s in ("z", "zeta", "position") if not any(t.startswith(s) for t in m.taken))
        xi = sp.Matrix(m.algebra.xi)
        return tuple(
            Quasicoordinate(name, (form * xi)[0], "", "position that the motion along w leaves alone")
            for name, form in zip(_numbered_names(stem, len(closed)), closed, strict=True)
        )


def _turn(brackets: list[list[int]], i: int, j: int, p: int, q: int) -> int:
    """What the entry (p, q) of R is multiplied by in R([w, T_i], U_j)."""
    found = brackets[i][p] if q == j else 0
    return found + (brackets[i][q] if p == j and p != q else 0)


def _numbered_names(stem: str, count: int) -> list[str]:
    return [stem] if count == 1 else [f"{stem}{i + 1}" for i in range(count)]
