r"""Controlled Lagrangians that differ from the plant's by what the unactuated motion does not feel.

With the unactuated directions :math:`\eta` and w = :math:`\eta`

.. math:: G_c = G + \Delta, \qquad i_\eta \Delta = 0, \quad L_\eta \Delta = 0,

is matched for any inertia, also where that of the actuated directions varies or they do not commute. With
the one-forms :math:`\beta^a` of the inputs, :math:`\Delta = D_{ab}\,\beta^a\beta^b`, the second condition is
linear in D,

.. math:: \eta[D_{ab}]\,\beta^a(v)\,\beta^b(v) + 2 D_{ab}\, d\beta^a(\eta, v)\,\beta^b(v) = 0 ,

and D is sought among polynomials in the configuration, without the positions that inputs drive. A potential
F(z) may be added for each :math:`\dot z = \beta^a(v)` with :math:`d\beta^a = 0`.
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
from geoctrl.systems import Parameter

__all__ = ["Vertical"]

_STIFF = Gain("K", "", "stiffness of the potential K |z|^2/2")


class Vertical(Shaping):
    """The class of a plant with forms on its actuated directions that the unactuated motion leaves alone.

    Parameters
    ----------
    kind : {"kinetic", "potential", "both"}
    degree : int
        Of the polynomials among which the forms are sought.
    """

    title = "inertia added to the actuated directions"

    def __init__(self, plant: Plant, kind: str, degree: int = 2) -> None:
        self.plant, self.kind, self.degree = plant, kind, degree
        if not plant.unactuated.cols:
            raise MatchingError("inputs drive every direction: there is nothing to be matched")
        if kind != POTENTIAL and not self.forms:
            raise MatchingError(
                "the unactuated motion leaves no inertia on the actuated directions alone "
                f"(symmetric forms with coefficients of degree {degree} in the configuration)"
            )
        if kind != KINETIC and not self._closed_forms:
            raise MatchingError(
                "no actuated direction has a position that the unactuated motion leaves alone; "
                'the inertia alone can be shaped: shaping="kinetic"'
            )
        self.require_free(self.gains)

    @cached_property
    def _inertias(self) -> tuple[Gain, ...]:
        """A gain for each form."""
        if self.kind == POTENTIAL:
            return ()
        count = len(self.forms)
        names = {1: ("Delta",), 2: ("mu", "nu")}.get(count, tuple(f"Delta{i + 1}" for i in range(count)))
        return tuple(
            Gain(
                name,
                "",
                f"inertia added along the actuated directions, by the form {self._form_in_words(form)}",
            )
            for name, form in zip(names, self.forms, strict=True)
        )

    @property
    def gains(self) -> Sequence[Gain]:
        """Delta; mu and nu where there are two forms, Delta1, ... where more; K with a potential."""
        return (*self._inertias, *([] if self.kind == KINETIC else [_STIFF]))

    def controlled(self, values: Mapping[str, sp.Expr], parameters: tuple[Parameter, ...]) -> Controlled:
        """L_c for the gains."""
        m = self.plant.mechanism
        G = sp.Matrix(m.inertia)
        for gain, form in zip(self._inertias, self.forms if self._inertias else (), strict=True):
            G += values[gain.name] * self.beta.T * form * self.beta
        z = () if self.kind == KINETIC else self.positions
        added = values["K"] * sum(sp.Symbol(c.name, real=True) ** 2 for c in z) / 2 if z else 0
        return Controlled(
            plant=self.plant,
            inertia=sp.ImmutableMatrix(G.applyfunc(sp.expand)),
            potential=m.potential + added,
            fields=sp.ImmutableMatrix(self.plant.unactuated),
            gains=parameters,
            quasicoordinates=z,
            positions=tuple(c.symbol for c in z),
        )

    # -- the forms of the inputs ----------------------------------------------------------------

    @cached_property
    def beta(self) -> sp.Matrix:
        """One-forms (m x n) that vanish on the unactuated directions, constant."""
        return self.plant.drive.T.rref()[0]

    @cached_property
    def _differentials(self) -> list[sp.Matrix]:
        """dbeta^a (n x n each)."""
        return [self.plant.differential(list(self.beta.row(a))) for a in range(self.beta.rows)]

    @cached_property
    def _closed_forms(self) -> list[int]:
        """Forms with dbeta = 0 on admissible velocities."""
        E = self.plant.frame.matrix
        return [a for a, d in enumerate(self._differentials) if all(sp.simplify(e) == 0 for e in E.T * d * E)]

    @cached_property
    def positions(self) -> tuple[Quasicoordinate, ...]:
        """z with the rates beta^a(v), for each closed form."""
        taken = self.plant.mechanism.taken
        stem = next(stem for stem in ("z", "zeta", "position") if not any(t.startswith(stem) for t in taken))
        names = (
            [stem]
            if len(self._closed_forms) == 1
            else [f"{stem}{i + 1}" for i in range(len(self._closed_forms))]
        )
        rates = self.beta * sp.Matrix(self.plant.mechanism.algebra.xi)
        return tuple(
            Quasicoordinate(name, rates[a], "", "position that the unactuated motion leaves alone")
            for name, a in zip(names, self._closed_forms, strict=True)
        )

    # -- the basic forms ------------------------------------------------------------------------

    @cached_property
    def forms(self) -> list[sp.Matrix]:
        """Basis D (m x m each) of the basic forms of the degree, the same for all parameters.

        Sought at random points modulo a prime; that a law's Lagrangian is matched is proved for itself.
        """
        unknowns = len(self._pairs) * len(self._ansatz.monomials)
        found = sampled_kernel(self._equations(), unknowns)
        return [self._form(vector) for vector in reversed(found)]

    @cached_property
    def _ansatz(self) -> Ansatz:
        m = self.plant.mechanism
        labels = {m.algebra.labels[i] for i in range(self.plant.drive.rows) if any(self.plant.drive[i, :])}
        return Ansatz(self.plant, self.degree, frozenset(c.symbol for c in m.shape if c.rate_label in labels))

    @property
    def _pairs(self) -> list[tuple[int, int]]:
        """Entries of D on and above its diagonal."""
        return list(combinations_with_replacement(range(self.beta.rows), 2))

    def _equations(self) -> Iterator[list[list[int]]]:
        """At each point rows over (monomial, entry of D) with ever new parameters.

        Monomials of high degree come first: the basis in echelon form then has what is constant by itself.
        """
        E = self.plant.frame.matrix
        k, n = E.cols, E.rows
        X = E * self.plant.unactuated
        turning = [X.T * d * E for d in self._differentials]  # dbeta^a(eta, e_i)
        forms = self.beta * E
        rows = [*X, *forms, *(e for d in turning for e in d)]
        points = RationalPoints(self.plant)
        for values, monomials in self._ansatz.samples(points, rows):
            found, entries = [], iter(values)
            x = [[next(entries) for _ in range(X.cols)] for _ in range(n)]
            b = [[next(entries) for _ in range(k)] for _ in range(self.beta.rows)]
            d = [[[next(entries) for _ in range(k)] for _ in range(X.cols)] for _ in turning]
            for s in range(X.cols):
                rates = [sum(x[j][s] * m[1 + j] for j in range(n)) for m in monomials]
                for i, j in combinations_with_replacement(range(k), 2):
                    row = []
                    for m, rate in zip(reversed(monomials), reversed(rates), strict=True):
                        for p, q in self._pairs:
                            still = b[p][i] * b[q][j] + b[q][i] * b[p][j]
                            turned = d[p][s][i] * b[q][j] + b[p][i] * d[q][s][j]
                            turned += d[q][s][i] * b[p][j] + b[q][i] * d[p][s][j]
                            weight = 1 if p == q else 2
                            row.append(weight * (rate * still + m[0] * turned) % PRIME)
                    found.append(row)
            yield found

    def _form(self, vector: list[int]) -> sp.Matrix:
        D = sp.zeros(self.beta.rows, self.beta.rows)
        places = [(m, pair) for m in reversed(self._ansatz.monomials) for pair in self._pairs]
        for value, (monomial, (p, q)) in zip(vector, places, strict=True):
            c = rational(value)
            if c is None:
                raise MatchingError("a form's coefficients are no small rationals; lower the degree")
            term = sp.Rational(c.numerator, c.denominator) * monomial
            D[p, q] += term
            if p != q:
                D[q, p] += term
        return D

    def _form_in_words(self, form: sp.Matrix) -> str:
        """The quadratic form in the velocities."""
        speeds = self.beta * sp.Matrix(self.plant.mechanism.algebra.xi)
        return str(sp.expand(speeds.dot(form * speeds)))
