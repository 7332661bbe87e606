r"""Darboux polynomials proved, :math:`\dot P = K P`, and the rational integrals that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy as sp

from geoctrl._calls.budget import Budget
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars.algebra.factoring import factor_list
from geoctrl._scalars.arithmetic.modular import PRIME, rational
from geoctrl._scalars.arithmetic.residues import Residues
from geoctrl.analysis.invariants.darboux_search import LARGEST, DarbouxSearch
from geoctrl.analysis.invariants.invariants import has_cofactor
from geoctrl.analysis.invariants.modular_motion import is_short
from geoctrl.analysis.invariants.polynomial_search import Monomial, PolynomialSearch, Vector
from geoctrl.analysis.invariants.rational_recovery import Recovery
from geoctrl.systems import ReducedSystem
from geoctrl.systems.typesetting.decimal_printing import expression_text

__all__ = ["DarbouxPolynomial", "RationalIntegrals"]

Simple = Callable[[Sequence[Residues]], list[int]]
"""Coefficients of a cofactor at given constants."""

_COFACTOR = 2
"""Largest degree of a cofactor that is written down."""
_OTHERS = 4
"""Roots of quadratic equations with random coefficients exist at so many other constants once in sixteen."""


@dataclass(frozen=True, repr=False)
class DarbouxPolynomial:
    r"""A polynomial with :math:`\dot P = K P`, proved: where it is zero it stays zero, and its sign is kept.

    Attributes
    ----------
    expr : sympy expression
        P, in the states and parameters.
    cofactor : sympy expression
        K.
    degree : int
        Of P.
    parameters : str
        "all" if proved for all parameter values, else "given".
    """

    expr: sp.Expr
    cofactor: sp.Expr
    degree: int
    parameters: str

    def _lines(self) -> list[str]:
        P, K = map(expression_text, (self.expr, self.cofactor))
        return [f"DarbouxPolynomial({P}; cofactor {K}; {self.parameters} parameters)"]

    full = full_text
    __repr__ = short_form


class RationalIntegrals:
    """The search of one system, degree by degree.

    Parameters
    ----------
    numbers : dict of name -> Fraction
        Parameters that have numbers.

    Attributes
    ----------
    found : list of DarbouxPolynomial
    notes : list of str
    """

    def __init__(
        self,
        system: ReducedSystem,
        numbers: Mapping[str, Fraction],
        search: PolynomialSearch,
        recovery: Recovery,
        rng: np.random.Generator,
    ) -> None:
        self._system, self._numbers, self._search, self._recovery = system, numbers, search, recovery
        self._darboux, self._rng = DarbouxSearch(search, rng), rng
        self._members: list[Vector] = []
        self._recovered: list[sp.Expr] = []
        self.found: list[DarbouxPolynomial] = []
        self.notes: list[str] = []
        if not self._darboux.possible:
            self.notes.append("no Darboux polynomials searched: the equations hold too many functions")

    def run(self, monomials: Sequence[Monomial], conserved: Sequence[Vector], time: Budget) -> list[sp.Expr]:
        """Polynomials of some monomials; quotients and products that are conserved if all is right."""
        if not self._darboux.possible:
            return []
        leads = {next(reversed(v)) for v in conserved} - {()}
        left = [m for m in self._search.independent_on_leaf(monomials) if m not in leads]
        slow = self._search.independent_on_leaf(self._search.monomials(_COFACTOR, lambda m: True))
        if len(left) > LARGEST:
            self.notes.append(
                f"Darboux polynomials among {len(left)} monomials are not searched ({LARGEST} at most)"
            )
            return []
        quotients: list[sp.Expr] = []
        for space in self._darboux.spaces(left):
            first: sp.Expr | None = None
            for vector in space.polynomials:
                expr = self._take(vector, slow, time)
                if expr is None:
                    continue
                if first is None:
                    first = expr
                    self._members.append(vector)
                    self._recovered.append(expr)
                else:
                    quotients.append(expr / first)
        if not self._members:
            return quotients
        powers = self._darboux.exponents(self._members)
        products = (sp.Mul(*(p**n for p, n in zip(self._recovered, row, strict=True))) for row in powers)
        return [*quotients, *products]

    def _take(self, vector: Vector, slow: Sequence[Monomial], time: Budget) -> sp.Expr | None:
        """The polynomial in symbols, kept if its cofactor is written down and proved; None if reducible."""
        cofactor = self._darboux.cofactor(vector, slow)
        factor = list(cofactor or ())
        values = [*list(vector.values())[:-1], *(cofactor or {}).values()]
        simple = self._recovery.monomials(list((cofactor or {}).values()))
        if not _constant(vector) and simple is None and not self._everywhere(vector):
            return None
        found = self._recovery.coefficients(
            values, lambda at: self._coefficients_at(vector, factor, simple, at)
        )
        if found is None:
            self.notes.append(
                "a Darboux polynomial has coefficients that are no short functions of the parameters"
            )
            return None
        own = len(vector) - 1
        expr = self._recovery.polynomial(list(vector), [*found[:own], sp.Integer(1)])
        states = set(self._system.states)
        if sum(n for p, n in factor_list(expr)[1] if p.free_symbols & states) != 1:
            return None
        if cofactor is not None:
            K = self._recovery.sum(factor, found[own:])
            P, factor_node = (self._system.expression(e) for e in (expr, K))
            if has_cofactor(self._system, P, factor_node, self._numbers, max(time.seconds_left, 1e-3)):
                scope = "given" if self._numbers else "all"
                self.found.append(DarbouxPolynomial(expr, K, len(list(vector)[-1]), scope))
        return expr

    def _everywhere(self, vector: Vector) -> bool:
        """Whether such a polynomial exists at other constants; those of algebraic coefficients do at some."""
        for _ in range(_OTHERS if self._recovery.variables else 0):
            drawn = [Residues.draw(self._rng, ()) for _ in range(self._recovery.variables)]
            spaces = self._darboux.spaces(list(vector), drawn)
            if not any(list(v) == list(vector) for space in spaces for v in space.polynomials):
                return False
        return True

    def _coefficients_at(
        self,
        vector: Vector,
        factor: Sequence[Monomial],
        simple: Simple | None,
        places: Sequence[Residues],
    ) -> list[list[int]]:
        """Coefficients of P but the last, and of K, at sets of the constants; zeros where P is not found.

        Where K is ``simple``, P follows from it by linear algebra: it is zero nowhere if it is definite.
        """
        rows = []
        for t in range(places[0].values.shape[0]):
            drawn = [Residues(p.values[t]) for p in places]
            found = self._single(vector, factor, simple, drawn)
            none = [0] * (len(vector) - 1 + len(factor))
            rows.append(none if found is None else [*list(found[0].values())[:-1], *found[1]])
        return [list(column) for column in zip(*rows, strict=True)]

    def _single(
        self,
        vector: Vector,
        factor: Sequence[Monomial],
        simple: Simple | None,
        drawn: Sequence[Residues],
    ) -> tuple[Vector, list[int]] | None:
        """The one polynomial of these monomials at some constants and its cofactor; None for none or more."""
        if _constant(vector):
            alike = [vector]
        elif simple is not None:
            K = dict(zip(factor, simple(drawn), strict=True))
            alike = [
                v for v in self._darboux.with_cofactor(list(vector), K, drawn) if list(v) == list(vector)
            ]
        else:
            spaces = self._darboux.spaces(list(vector), drawn)
            alike = [v for space in spaces for v in space.polynomials if list(v) == list(vector)]
        factors = [self._darboux.cofactor(v, factor, drawn) if factor else {} for v in alike]
        pairs = zip(alike, factors, strict=True)
        single = [(v, K) for v, K in pairs if K is not None and not _has_conjugate(K, factors)]
        if len(single) != 1:
            return None
        (v, K), *_ = single
        return v, [K.get(m, 0) for m in factor]


def _has_conjugate(K: Vector, factors: Sequence[Vector | None]) -> bool:
    """Whether -K is there too: factors of something conserved, as of an energy, that are no rational ones."""
    return bool(K) and any(
        other is not None and K.keys() == other.keys() and all((K[m] + other[m]) % PRIME == 0 for m in K)
        for other in factors
    )


def _constant(vector: Vector) -> bool:
    """Whether coefficients are the same at all constants: short numbers at some drawn at random."""
    return all(is_short(rational(c)) for c in vector.values())
