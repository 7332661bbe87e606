"""Proof that a quantity is conserved, modulo the leaf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from time import monotonic
from typing import Any

import numpy as np
import sympy as sp

from geoctrl import checker
from geoctrl._checks import flag, named_parameters
from geoctrl._scalars import RATIONAL, Node, NotRationalError, evaluate, exact
from geoctrl._scalars.budget import seconds_of
from geoctrl._scalars.rational_matrix import nullspace
from geoctrl.analysis.motion import Motion
from geoctrl.analysis.orbit_points import exact_configurations, random_fraction
from geoctrl.systems import ReducedSystem, as_system
from geoctrl.systems.decimals import readable

__all__ = ["InvariantProof", "check_invariant", "exact_states", "has_cofactor"]


@dataclass(frozen=True)
class _Polynomial:
    """What is left of a rate's numerator: a handful of terms, or a hundred thousand."""

    generators: tuple[sp.Symbol, ...]
    terms: tuple[tuple[tuple[int, ...], Fraction], ...]

    def expression(self) -> sp.Expr:
        """The sum of the terms."""
        products = []
        for exponents, c in self.terms:
            powers = (g**e for g, e in zip(self.generators, exponents, strict=True) if e)
            products.append(sp.Mul(sp.Rational(c.numerator, c.denominator), *powers))
        return sp.Add(*products)


@dataclass(frozen=True, repr=False)
class InvariantProof:
    """Outcome of `check_invariant`.

    Attributes
    ----------
    proved : bool
        The rate is zero as a polynomial identity modulo the leaf's ideal. False is no refutation.
    remainder : sympy expression or None
        What is left of the rate's numerator; 0 where proved, None where that was not found out.
    counterexample : dict or None
        An exact point of the leaf (and parameters) where the rate is not zero.
    rate : sympy expression or None
        The rate at the counterexample.
    parameters : str
        "all" if proved for all parameter values, else "given": for those numbers that were given, and all
        values of the others.
    note : str
        Why nothing was found out, where the budget or the size of the expressions ended the search.
    """

    proved: bool
    _left: _Polynomial | None
    counterexample: dict[str, sp.Rational] | None
    rate: sp.Rational | None
    parameters: str
    note: str = ""

    @cached_property
    def remainder(self) -> sp.Expr | None:
        """What is left of the rate's numerator; 0 where proved, None where that was not found out.

        The expression is made when it is asked for: it may have a hundred thousand terms.
        """
        return None if self._left is None else self._left.expression()

    def __repr__(self) -> str:
        """All attributes, long rationals as decimals."""
        names = ("proved", "remainder", "counterexample", "rate", "parameters", "note")
        shown = (f"{name}={_shown(getattr(self, name))}" for name in names)
        return f"InvariantProof({', '.join(shown)})"

    def __bool__(self) -> bool:
        raise TypeError("an InvariantProof is not a bool: ask .proved, .counterexample")


def check_invariant(
    sys: ReducedSystem,
    expr: Any,
    params: Mapping[str, float] | None = None,
    for_all_inputs: bool = False,
    budget: float = 60.0,
) -> InvariantProof:
    r"""Prove :math:`\dot C = DC \cdot f \equiv 0` modulo the ideal of the leaf relations.

    The accelerations z, which solve :math:`K z = b`, are not solved for: weights w with
    :math:`K^T w = \partial_v C` make :math:`\dot C + w \cdot (b - K z)` an identity without them. For the
    energy w is the velocity, for a function of the momenta its gradient.

    Parameters
    ----------
    sys : ReducedSystem
    expr : sympy expression in reduced or full symbols, or the name of an invariant of the system
        Float coefficients are taken as the rationals they are.
    params : dict, optional
        Parameters to be replaced by numbers first; the proof holds for all values of the others.
    for_all_inputs : bool
        Keep the inputs as symbols; else they are zero.
    budget : float
        Seconds after which the search ends without an answer, and ``note`` says so.

    Returns
    -------
    InvariantProof

    Raises
    ------
    ExpressionError
        If the expression holds an unknown symbol or function.
    ParameterError
        If a parameter is unknown, or the budget is no positive number of seconds.
    InputError
        If ``for_all_inputs`` is neither True nor False.
    DescriptionError, FrameError, ConstraintError
        If the description keeps a promise (its symmetry axis, frame or leaf) at some parameters only, and
        these have no numbers in ``params``.

    Examples
    --------
    >>> import geoctrl as gc
    >>> top = gc.models.get("heavy-top")().reduce()
    >>> gc.check_invariant(top, "energy").proved
    True
    """
    as_system(sys, "check_invariant", recorded=True)
    budget, for_all_inputs = seconds_of(budget), flag("for_all_inputs", for_all_inputs)
    if isinstance(expr, str) and expr in sys.candidate_invariants:
        expr = sys.candidate_invariants[expr]
    node = expr if isinstance(expr, Node) else sys.expression(expr)
    given = named_parameters(params)
    values = sys.parameters(given) if given else {}
    numbers = {name: exact(values[name]) for name in given}
    sys.judgement.require_identities(numbers)
    scope = "given" if numbers else "all"
    remainder, note = None, ""
    # Consequences of the leaf relations cost a search of their own: only where the relations do not suffice.
    for further in (False, True):
        try:
            question = _identity(sys, node, numbers, for_all_inputs, budget, further)
            left = question.remainder(_FUNCTION)
        except checker.Refusal as refusal:
            note = f"not found out: {refusal}"
            break
        if not left:
            return InvariantProof(True, _Polynomial((), ()), None, None, scope)
        if not further:
            remainder = _polynomial(question, left)
        if not Motion.of(sys).consequences():
            break
    point, value = _counterexample(sys, node, numbers, for_all_inputs)
    return InvariantProof(False, remainder, point, value, scope, note)


def has_cofactor(
    sys: ReducedSystem, P: Node, K: Node, numbers: Mapping[str, Fraction], budget: float
) -> bool:
    r"""Whether :math:`\dot P = K P` is proved on the leaf, with all inputs zero.

    A clock that runs at the rate :math:`\dot T = -K T` makes T P conserved. The equations may not hold the
    time.
    """
    g, time = sys.graph, sys.assembly.time
    clock = g.mul([g.number(-1), K, time])
    for further in (False, True):
        try:
            question = _identity(sys, g.mul([P, time]), numbers, False, budget, further, clock)
            if not question.remainder(_FUNCTION):
                return True
        except checker.Refusal:
            return False
        if not Motion.of(sys).consequences():
            return False
    return False


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {_shown(part)}" for name, part in value.items()) + "}"
    return sp.sstr(readable(value), full_prec=False) if isinstance(value, sp.Basic) else repr(value)


_FUNCTION = "the function"
_TERMS = 5_000_000
"""Largest product of terms in a search that a person waits for."""


def _identity(
    sys: ReducedSystem,
    node: Node,
    numbers: Mapping[str, Fraction],
    for_all_inputs: bool,
    budget: float,
    further: bool,
    clock: Node | None = None,
) -> checker.Question:
    """The question about the rate of a function, at a random point; what has no number stays a variable.

    The time runs at the rate one, or that of another ``clock``.
    """
    motion, rng = Motion.of(sys), np.random.default_rng(13)
    params = sys.mechanism.generic | {k: float(v) for k, v in numbers.items()}
    values = params | {label: 1 + i / 7 for i, label in enumerate([*motion.inputs, _TIME])}
    values |= dict(zip(motion.states, sys.random_state(rng, params), strict=True))
    point = {k: exact(float(v)) for k, v in values.items()} | dict(numbers)
    if not for_all_inputs:
        point |= dict.fromkeys(motion.inputs, Fraction(0))
    time = {_TIME: sys.assembly.time}
    problem = motion.question(
        point, {_FUNCTION: node}, time, {sys.assembly.time: clock or sys.graph.one}, further=further
    )
    free = {*(motion.parameters.keys() - numbers), *(motion.inputs if for_all_inputs else ())}
    question = checker.Question(problem.read, exact=False)
    question.numbers.deadline = monotonic() + budget
    # Parameters and inputs without numbers are variables of identities too.
    question.variables += [i for i, node in enumerate(question.table) if node[0] == "sym" and node[1] in free]
    question.functions.largest = _TERMS
    return question


def _polynomial(question: checker.Question, left: Any) -> _Polynomial:
    """A remainder in sympy symbols; functions appear under names of their own."""
    symbols = [sp.Symbol(question.table[place][1], real=True) for place in question.variables]
    terms = tuple((tuple(map(int, e)), Fraction(int(c.p), int(c.q))) for e, c in left.terms())
    spare = len(terms[0][0]) - len(symbols)
    return _Polynomial((*(sp.Symbol(f"function{i}") for i in range(spare)), *symbols), terms)


_TIME = "time"


def _counterexample(
    sys: ReducedSystem, node: Node, numbers: Mapping[str, Fraction], for_all_inputs: bool
) -> tuple[dict[str, sp.Rational] | None, sp.Rational | None]:
    rng = np.random.default_rng(1)
    rate = sys.graph.add(sys.rate_terms([node])[0])
    for _, point in zip(range(12), exact_states(sys, rng), strict=False):
        values = dict(zip(sys.state_nodes, point, strict=True))
        values |= {n: random_fraction(rng) for n in (sys.assembly.time, *sys.assembly.inputs)}
        if not for_all_inputs:
            values |= dict.fromkeys(sys.assembly.inputs, Fraction(0))
        for p in sys.mechanism.parameters:
            drawn = Fraction(int(rng.integers(1, 40)), 10)
            values[sys.assembly.parameters[p.name]] = numbers.get(p.name, drawn)
        try:
            (value,) = evaluate([rate], values, RATIONAL)
        except (NotRationalError, ZeroDivisionError):
            continue
        if value != 0:
            table = {str(sys.symbols[n]): sp.Rational(q.numerator, q.denominator) for n, q in values.items()}
            return table, sp.Rational(value.numerator, value.denominator)
    return None, None


def exact_states(sys: ReducedSystem, rng: np.random.Generator) -> Iterator[tuple[Fraction, ...]]:
    """Random states of rational coordinates exactly on the leaf; none where none are known to exist.

    Vectors of a factor are turned by one rational rotation (Cayley); where coordinates are removed, a
    single vector moves on the quadric left by a stereographic projection from its reference.
    """
    a = sys.assembly
    for gamma in exact_configurations(sys, rng):
        values = dict(zip(a.gamma, gamma, strict=True))
        try:
            rows = evaluate([e for row in a.rows for e in row], values, RATIONAL)
        except KeyError:  # rows that depend on parameters: their symbols have no value here
            return
        k = len(a.velocity)
        basis = nullspace([rows[i * k : (i + 1) * k] for i in range(len(a.rows))], k)
        weights = [random_fraction(rng) for _ in basis]
        w = [sum((c * b[i] for c, b in zip(weights, basis, strict=True)), Fraction(0)) for i in range(k)]
        yield (*w, *(gamma[i] for i in sys.kept_index), *(random_fraction(rng) for _ in a.controller))
