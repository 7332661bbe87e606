"""Invariants that nobody has declared: searched modulo a prime, recovered in rationals, proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import Any, overload

import numpy as np
import sympy as sp

from geoctrl._calls.budget import BUDGET, Budget
from geoctrl._calls.long_calls import paced_call, under_way
from geoctrl._checks import flag, named_parameters, whole_number
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import Node, exact
from geoctrl.analysis.invariants.darboux import DarbouxPolynomial, RationalIntegrals
from geoctrl.analysis.invariants.invariants import check_invariant
from geoctrl.analysis.invariants.modular_motion import Constants, ModularMotion
from geoctrl.analysis.invariants.polynomial_search import Monomial, PolynomialSearch, Vector
from geoctrl.analysis.invariants.rational_recovery import Recovery
from geoctrl.analysis.question.quadrature import quadratures
from geoctrl.analysis.question.shape_integrals import shape_of
from geoctrl.systems import ReducedSystem, as_system
from geoctrl.systems.typesetting.decimal_printing import expression_text

__all__ = ["DiscoveredInvariants", "Invariant", "discover_invariants"]

_DEGREE, _DARBOUX = 12, 2
_MONOMIALS = 2500
"""Most monomials of one search: eliminating so many takes some ten seconds."""


@dataclass(frozen=True, repr=False)
class Invariant:
    """A conserved quantity, proved.

    Attributes
    ----------
    expr : sympy expression
        In the states and parameters.
    kind : str
        "polynomial" in the states and the functions of them that the equations hold; "quadrature": linear
        in velocities with coefficients that are integrals over the shape; or "rational": powers of Darboux
        polynomials, some of them negative.
    degree : int
        Of the polynomial, or of the Darboux polynomial of the highest degree; zero for a quadrature.
    name : str
        That of the system's candidate that it is, else empty.
    parameters : str
        "all" if proved for all parameter values, else "given": for the numbers that were given.
    where : str
        Where it is proved, as `InvariantProof.where` says: "everywhere" unless it has poles or roots.
    """

    expr: sp.Expr
    kind: str
    degree: int
    name: str
    parameters: str
    where: str = "everywhere"

    def _lines(self) -> list[str]:
        words = self.name or expression_text(self.expr)
        where = "" if self.where == "everywhere" else f", {self.where}"
        return [f"Invariant({words}; {self.kind}, {self.parameters} parameters{where})"]

    full = full_text
    __repr__ = short_form


class DiscoveredInvariants:
    """What `discover_invariants` found: `Invariant` by place, functionally independent of each other.

    Attributes
    ----------
    degree : int
        Up to this degree there is no further polynomial one (up to the chance of a random search, below
        1e-12); lower than what was asked for where the budget or the size ended the search.
    note : str
        What was left unfinished, or not recovered, in words.
    darboux : tuple of DarbouxPolynomial
        Polynomials that stay zero where they are zero, irreducible, with their cofactors.
    """

    def __init__(
        self, found: Sequence[Invariant], degree: int, note: str, darboux: Sequence[DarbouxPolynomial] = ()
    ) -> None:
        self._found, self.degree, self.note, self.darboux = tuple(found), degree, note, tuple(darboux)

    @overload
    def __getitem__(self, index: int) -> Invariant: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Invariant, ...]: ...
    def __getitem__(self, index: Any) -> Any:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Invariant]:
        return iter(self._found)

    def named(self) -> dict[str, sp.Expr]:
        """Expressions by name, as ``invariants=`` of a description takes them; new ones are numbered."""
        return {c.name or f"invariant{i}": c.expr for i, c in enumerate(self._found, 1)}

    def _lines(self) -> list[str]:
        found = "\n".join(f"  {each.full()}" for each in (*self, *self.darboux))
        note = [f"  note: {self.note}"] if self.note else []
        return [f"invariants of degree up to {self.degree}: {len(self)}", *([found] if found else ()), *note]

    full = full_text
    __repr__ = short_form


@paced_call
def discover_invariants(
    sys: ReducedSystem,
    max_degree: int = 4,
    params: Mapping[str, float] | None = None,
    velocity_degree: int | None = None,
    quadrature: bool = True,
    budget: float = BUDGET,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    darboux: bool = False,
    *,
    seconds: float | None = None,  # noqa: ARG001
) -> DiscoveredInvariants:
    r"""Conserved polynomials in the states, modulo the leaf, and linear integrals over a shape.

    The rate of :math:`C = \sum_a c_a x^a` is linear in the coefficients. It is required to vanish at random
    points of the leaf modulo the prime :math:`2^{61} - 1`, which leaves every conserved polynomial of the
    degree and, but for chance, nothing else. Coefficients are recovered as rational functions of the
    parameters from their values at many of these, and each result is proved by `check_invariant`. Those that
    are functions of others (their gradients are dependent at a random state) are dropped: powers, products.

    Sines, cosines, roots and other smooth functions of the states that the equations hold are variables of
    the polynomials. Inputs are zero.

    Where one velocity moves all geometric states along a curve, and others follow linearly, the integrals
    :math:`a(s)\cdot u` that are closed are given as well: those of equations that can be solved one after the
    other, as the skate's with its arctangent.

    With ``darboux=True`` Darboux polynomials of degree one and two, :math:`\dot P = K P` with a cofactor K,
    are
    found from the roots of a determinant of Lie derivatives on random lines. Products of powers of them in
    which the cofactors cancel are conserved: rational integrals, as systems with friction have.

    Parameters
    ----------
    sys : ReducedSystem
        Reduced, despun or the closed loop of a law.
    max_degree : int
        From 1 to 12.
    params : dict, optional
        Parameters that are numbers: what is conserved at these alone is found too. Relations among long
        numbers (doubles) are seen if they are short multiples of each other, as I1 = I2 and I1 = 2 I3.
        ``params=sys.params`` takes all defaults.
    velocity_degree : int, optional
        Most velocities in a monomial: fewer monomials, hence a higher degree within reach.
    quadrature : bool
        Whether integrals over a shape are searched too.
    budget : float
        Seconds after which the search ends with what it has.
    progress : bool or callable
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    darboux : bool
        Whether Darboux polynomials and rational integrals are searched too: seconds where there are none, up
        to minutes where coefficients are functions of many parameters.
    seconds : float, optional
        Time for the search, in place of ``budget``.

    Returns
    -------
    DiscoveredInvariants

    Raises
    ------
    InputError
        If a degree is no whole number in range, ``quadrature`` or ``darboux`` neither True nor
        False, or the equations hold
        the time.
    ParameterError
        If a parameter is unknown or no number, or the budget is no positive number of seconds.
    ConstraintError
        If no random points of the leaf are known: its relations cannot be solved one after the other.
    TypeError
        For systems on manifolds, of which the equations are not recorded, and for what is no system.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> gc.discover_invariants(skate, max_degree=3, quadrature=False)
    invariants of degree up to 3: 1
      Invariant(C1; polynomial, all parameters)
    """
    as_system(sys, "discover_invariants", recorded=True)
    max_degree = whole_number("max_degree", max_degree, 1, _DEGREE)
    if velocity_degree is not None:
        velocity_degree = whole_number("velocity_degree", velocity_degree, 0)
    quadrature, darboux = flag("quadrature", quadrature), flag("darboux", darboux)
    given = named_parameters(params)
    values = sys.parameters(given) if given else {}
    numbers = {name: exact(values[name]) for name in given}
    sys.judgement.require_identities(numbers)
    call = under_way()
    search = _Discovery(sys, numbers, velocity_degree, call.search_budget(budget))

    def report(stage: str) -> None:
        call.tell(stage, f"{len(search.found)} found", search.degree / max_degree)

    for degree in range(1, max_degree + 1):
        report(f"degree {degree}")
        if not search.run(degree):
            break
    if quadrature:
        report("integrals over a shape")
        search.run_shape()
    if darboux:
        report("Darboux polynomials")
        search.run_darboux(min(max_degree, _DARBOUX))
    call.report.finish(search.degree / max_degree)
    return DiscoveredInvariants(search.found, search.degree, search.note, search.rational.found)


class _Discovery:
    """One search, degree by degree."""

    def __init__(
        self, system: ReducedSystem, numbers: Mapping[str, Any], velocity_degree: int | None, time: Budget
    ) -> None:
        self._system, self._numbers, self._time = system, numbers, time
        self._rng = np.random.default_rng(20)
        self._flow = ModularMotion(system)
        self._offered = dict(system.conservation.nodes)
        self._constants = Constants(system, numbers, [*self._flow.nodes, *self._offered.values()])
        self._search = PolynomialSearch(self._flow, self._constants, self._rng)
        self._recovery = Recovery(self._flow, self._constants, self._search.drawn, self._rng)
        self.rational = RationalIntegrals(system, numbers, self._search, self._recovery, self._rng)
        velocities = set(system.assembly.velocity)
        self._fast = {i for i, node in enumerate(self._flow.generators) if node in velocities}
        self._velocity_degree = velocity_degree
        self._basis: list[Vector] = []
        self._independent: list[Vector | Node] = []
        self.found: list[Invariant] = []
        self.degree = 0
        self._notes: list[str] = []

    @property
    def note(self) -> str:
        """What was left unfinished, in words."""
        return "; ".join(
            part for part in dict.fromkeys([*self._notes, *self.rational.notes, self._time.note]) if part
        )

    def run(self, degree: int) -> bool:
        """Search polynomials of one degree; false where there is no time for it, or too many monomials."""
        monomials = self._monomials(degree)
        if monomials is None:
            self._notes.append(
                f"degree {degree} has more than {_MONOMIALS} monomials: give velocity_degree, or fewer states"
            )
            return False
        part = f"degree {degree}"
        basis = self._time.attempt(part, lambda: self._search.conserved_basis(monomials), None)
        if basis is None:
            return False
        missing = object()
        if self._time.attempt(part, lambda: self._take(degree, basis), missing) is missing:
            return False
        self._basis, self.degree = basis, degree
        return True

    def run_shape(self) -> None:
        """Search integrals over a shape of dimension one."""
        self._time.attempt("integrals over a shape", self._take_quadratures, None)

    def run_darboux(self, most: int) -> None:
        """Search Darboux polynomials up to a degree."""
        for degree in range(1, min(most, self.degree) + 1):
            self._time.attempt(
                f"Darboux polynomials of degree {degree}", partial(self._take_rational, degree), None
            )

    def _take_rational(self, degree: int) -> None:
        monomials = self._monomials(degree) or []
        conserved = [v for v in self._basis if len(next(reversed(v))) <= degree]
        for expr in self.rational.run(monomials, conserved, self._time):
            node = self._system.expression(expr)
            if self._is_new(node):
                self._accept(node, expr, degree, "", "rational")

    def _take_quadratures(self) -> None:
        shape = shape_of(self._system)
        for expr in quadratures(self._system, shape) if shape is not None else ():
            node = self._system.expression(expr)
            if self._is_new(node):
                self._accept(node, expr, 0, "", "quadrature")

    def _monomials(self, degree: int) -> list[Monomial] | None:
        n, fast, most = len(self._flow.generators), self._fast, self._velocity_degree
        if most is None:
            if comb(n + degree, degree) > _MONOMIALS:
                return None
            return self._search.monomials(degree, lambda m: True)
        slow = n - len(fast)
        size = sum(
            comb(max(len(fast) + v - 1, 0), v) * comb(slow + degree - v, degree - v)
            for v in range(min(most, degree) + 1)
        )
        if size > _MONOMIALS:
            return None
        return self._search.monomials(degree, lambda m: sum(i in fast for i in m) <= most)

    def _take(self, degree: int, basis: Sequence[Vector]) -> None:
        """What is new among conserved polynomials: candidates of the system by their names, then the rest."""
        if len(basis) == len(self._basis):
            return
        for name, node in list(self._offered.items()):
            if self._is_new(node) and self._search.combination(basis, node):
                del self._offered[name]
                self._accept(node, self._system.to_sympy([node])[0], degree, name)
        for vector in basis:
            if len(next(reversed(vector))) == degree and self._is_new(vector):
                expr = self._polynomial_of(vector)
                if expr is None:
                    self._notes.append(
                        f"an invariant of degree {degree} was not recovered as a function of the parameters: "
                        "give them numbers by params="
                    )
                else:
                    self._accept(vector, expr, degree, "")

    def _is_new(self, function: Vector | Node) -> bool:
        """Whether it is no function of those that are there."""
        return self._search.independent([*self._independent, function])

    def _accept(
        self, function: Vector | Node, expr: sp.Expr, degree: int, name: str, kind: str = "polynomial"
    ) -> None:
        proof = check_invariant(self._system, expr, self._numbers, budget=max(self._time.seconds_left, 1e-3))
        if proof.proved:
            self._independent.append(function)
            self.found.append(Invariant(expr, kind, degree, name, proof.parameters, proof.where))
        else:
            of_shape = kind == "quadrature"
            what = "an integral over the shape" if of_shape else f"a {kind} candidate of degree {degree}"
            self._notes.append(f"{what} was not proved {proof.note}".rstrip())

    def _polynomial_of(self, vector: Vector) -> sp.Expr | None:
        """The polynomial with coefficients as functions of the parameters, without denominators."""
        support = list(vector)
        coefficients = self._recovery.coefficients(
            list(vector.values())[:-1], lambda places: self._search.coefficients(support, places)[:-1]
        )
        return (
            None
            if coefficients is None
            else self._recovery.polynomial(support, [*coefficients, sp.Integer(1)])
        )
