"""Proof that a quantity is conserved, modulo the leaf."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from time import monotonic
from typing import Any

import numpy as np
import sympy as sp

from geoctrl import checker, decisions
from geoctrl._calls.long_calls import long_call, under_way
from geoctrl._checks import flag, named_parameters
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import FLOAT, RATIONAL, Node, NotRationalError, evaluate, exact
from geoctrl._scalars.algebra.rational_matrix import nullspace
from geoctrl._scalars.arithmetic.choices import Branch, Choices, TooManyChoices
from geoctrl._scalars.graph.domains import domain_of
from geoctrl.analysis.invariants.crossings import TIME, Crossings
from geoctrl.analysis.invariants.orbit_points import exact_configurations, random_fraction
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.errors import DivisionError
from geoctrl.systems import ReducedSystem, as_system
from geoctrl.systems.typesetting.decimal_printing import expression_text

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


_NOTHING = _Polynomial((), ())


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
        values of the others; and where something switches by parameters alone of which no sign is declared,
        for those on the side of these numbers, or of the defaults.
    note : str
        Why it is not proved, where that is not the rate: the budget or the size of the expressions ended the
        search, or the function jumps, or motions may slide, where branches meet.
    where : str
        Where it is proved: "everywhere", or "where x != 0 (each connected part by itself)" for a function
        with poles, roots, logarithms or cuts; empty where nothing is proved.
    """

    proved: bool
    _left: _Polynomial | None
    counterexample: dict[str, sp.Rational] | None
    rate: sp.Rational | None
    parameters: str
    note: str = ""
    where: str = ""

    @cached_property
    def remainder(self) -> sp.Expr | None:
        """What is left of the rate's numerator; 0 where proved, None where that was not found out.

        The expression is made when it is asked for: it may have a hundred thousand terms.
        """
        return None if self._left is None else self._left.expression()

    def _lines(self) -> list[str]:
        """All attributes, long rationals as decimals."""
        names = ("proved", "remainder", "counterexample", "rate", "parameters", "note", "where")
        shown = (f"{name}={_value_text(getattr(self, name))}" for name in names)
        return [f"InvariantProof({', '.join(shown)})"]

    full = full_text
    __repr__ = short_form

    def __bool__(self) -> bool:
        raise TypeError("an InvariantProof is not a bool: ask .proved, .counterexample")


@long_call
def check_invariant(
    sys: ReducedSystem,
    expr: Any,
    params: Mapping[str, float] | None = None,
    for_all_inputs: bool = False,
    budget: float = 60.0,
    *,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
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
    progress : bool or callable
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    seconds : float, optional
        Time for the whole; what is not proved by then is returned as not proved.

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
    most = under_way().search_budget(budget).seconds
    for_all_inputs = flag("for_all_inputs", for_all_inputs)
    if isinstance(expr, str) and expr in sys.candidate_invariants:
        expr = sys.candidate_invariants[expr]
    node = expr if isinstance(expr, Node) else sys.expression(expr)
    given = named_parameters(params)
    values = sys.parameters(given) if given else {}
    numbers = {name: exact(values[name]) for name in given}
    sys.judgement.require_identities(numbers)
    asked = _Asked(sys, numbers, for_all_inputs, monotonic() + most)
    scope, left, note = "given" if numbers else "all", None, ""
    try:
        pieces = _pieces(asked, node)
        scope = "given" if pieces.choices.by_parameters else scope
        domain = _domain(asked, pieces)
        left = next(
            filter(None, (_rate_remainder(asked, pieces, b) for b in pieces.choices.branches())), _NOTHING
        )
        if left is _NOTHING:
            note = pieces.obstacle([condition for condition, _ in domain])
            where = "" if note else _where(sys, domain)
            return InvariantProof(not note, left, None, None, scope, note, where)
    except TooManyChoices as refusal:
        note = str(refusal)
    except (checker.Refusal, DivisionError) as refusal:
        note = f"not found out: {refusal}"
    point, value = _counterexample(sys, node, numbers, for_all_inputs)
    return InvariantProof(False, left, point, value, scope, note)


def has_cofactor(
    sys: ReducedSystem, P: Node, K: Node, numbers: Mapping[str, Fraction], budget: float
) -> bool:
    r"""Whether :math:`\dot P = K P` is proved on the leaf, with all inputs zero.

    A clock that runs at the rate :math:`\dot T = -K T` makes T P conserved. The equations may not hold the
    time.
    """
    g, time = sys.graph, sys.assembly.time
    clock, motion = g.mul([g.number(-1), K, time]), EquationsOfMotion.of(sys)
    if g.switches([*motion.nodes, P, K]):
        return False
    asked = _Asked(sys, dict(numbers), False, monotonic() + budget)
    for further in (False, True):
        try:
            values = _values_in(asked, {})
            question = _identity(asked, motion, g.mul([P, time]), values, further, clock)
            if not question.remainder(_FUNCTION):
                return True
        except checker.Refusal:
            return False
        if not motion.consequences():
            return False
    return False


def _value_text(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {_value_text(part)}" for name, part in value.items()) + "}"
    return expression_text(value) if isinstance(value, sp.Basic) else repr(value)


_FUNCTION = "the function"
_TERMS = 5_000_000
"""Largest product of terms in a search that a person waits for."""
_DRAWS = 60
"""Random states among which one of a branch, or one that refutes, is looked for."""
_LETTERS = 240
"""Of a condition in words."""


@dataclass(frozen=True)
class _Asked:
    """What a function is asked for: the system, parameters with numbers, and the time to give up."""

    system: ReducedSystem
    numbers: Mapping[str, Fraction]
    for_all_inputs: bool
    end: float

    @property
    def values(self) -> dict[str, float]:
        """Numbers for all parameters."""
        return self.system.mechanism.generic | {k: float(v) for k, v in self.numbers.items()}

    def image(self) -> dict[Node, Node]:
        """Numbers for the symbols that are none."""
        a, g = self.system.assembly, self.system.graph
        held = {a.parameters[name]: g.number(q) for name, q in self.numbers.items()}
        return held if self.for_all_inputs else held | dict.fromkeys(a.inputs, g.zero)


def _pieces(asked: _Asked, node: Node) -> Crossings:
    """The motion and the function with what they switch by; where nothing does, as they are."""
    system, g = asked.system, asked.system.graph
    motion, choices = EquationsOfMotion.of(system), Choices(g, [])
    if g.switches([*motion.nodes, node]):
        image, a = asked.image(), system.assembly
        motion, (node,) = motion.where(image), g.substitute([node], image)
        positive = frozenset(a.parameters[name] for name in system.mechanism.positive)
        defaults = {a.parameters[k]: float(v) for k, v in system.params.items() if v is not None}
        choices = Choices(g, [*motion.nodes, node], positive, defaults)
        if g.symbols(choices.switches) & set(motion.inputs.values()):
            raise checker.Refusal("something switches by the inputs")
    time = system.assembly.time
    return Crossings(motion, node, choices, time, g.one, lambda a: _words(system, a), asked.end)


def _words(system: ReducedSystem, node: Node) -> str:
    text = expression_text(system.to_sympy([node])[0])
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]}..."


def _domain(asked: _Asked, pieces: Crossings) -> list[tuple[Node, str]]:
    """Conditions under which the function, and what it and the motion switch by, are smooth."""
    system, g = asked.system, asked.system.graph
    positive = {system.assembly.parameters[name] for name in system.mechanism.positive}
    conditions = domain_of(g, [pieces.node, *g.switches([pieces.node, *pieces.motion.nodes])], positive)
    for condition, _ in conditions:
        if pieces.vanishes(condition):
            raise checker.Refusal(f"{_words(system, condition)} is zero on the leaf")
    return conditions


def _where(system: ReducedSystem, domain: Sequence[tuple[Node, str]]) -> str:
    texts = [f"{_words(system, condition)} {relation} 0" for condition, relation in domain]
    return f"where {' and '.join(texts)} (each connected part by itself)" if texts else "everywhere"


def _rate_remainder(asked: _Asked, pieces: Crossings, branch: Branch) -> _Polynomial | None:
    """What is left of the rate in one branch; None where nothing is."""
    motion, node = pieces.in_branch(branch)
    values = _values_in(asked, branch)
    left = None
    # Consequences of the leaf relations cost a search of their own: only where the relations do not suffice.
    for further in (False, True):
        question = _identity(asked, motion, node, values, further)
        try:
            remainder = question.remainder(_FUNCTION)
        except checker.Refusal:
            if left is None:
                raise
            break
        if not remainder:
            return None
        left = left or _polynomial(question, remainder)
        if not motion.consequences():
            break
    return left


def _values_in(asked: _Asked, branch: Branch) -> dict[str, float]:
    """Numbers by label at a random state, in the branch if one of them is seen to lie there."""
    system, rng, params = asked.system, np.random.default_rng(13), asked.values
    a = system.assembly
    values = params | {label: 1 + i / 7 for i, label in enumerate([*system.input_labels, TIME])}
    symbols = {**a.parameters, **dict(zip([*system.input_labels, TIME], [*a.inputs, a.time], strict=True))}
    symbols |= dict(zip(system.state_labels, system.state_nodes, strict=True))
    for _ in range(_DRAWS):
        values |= dict(zip(system.state_labels, system.random_state(rng, params), strict=True))
        try:
            found = evaluate(list(branch), {symbols[k]: v for k, v in values.items()}, FLOAT)
        except (ValueError, ZeroDivisionError, OverflowError):
            continue
        if all(f * sign > 0 for f, sign in zip(found, branch.values(), strict=True)):
            break
    return values


def _identity(
    asked: _Asked,
    motion: EquationsOfMotion,
    node: Node,
    values: Mapping[str, float],
    further: bool,
    clock: Node | None = None,
) -> decisions.Question:
    """The question about the rate of a function, at a random point; what has no number stays a variable.

    The time runs at the rate one, or that of another ``clock``.
    """
    a, numbers = asked.system.assembly, asked.numbers
    point = {k: exact(float(v)) for k, v in values.items()} | dict(numbers)
    if not asked.for_all_inputs:
        point |= dict.fromkeys(asked.system.input_labels, Fraction(0))
    rates = {a.time: clock or asked.system.graph.one}
    problem = motion.question(point, {_FUNCTION: node}, {TIME: a.time}, rates, further=further)
    free = {*(motion.parameters.keys() - numbers), *(motion.inputs if asked.for_all_inputs else ())}
    question = decisions.Question(problem.read, exact=False)
    question.numbers.deadline = asked.end
    # Parameters and inputs without numbers are variables of identities too.
    question.variables += [i for i, node in enumerate(question.table) if node[0] == "sym" and node[1] in free]
    question.functions.largest = _TERMS
    return question


def _polynomial(question: decisions.Question, left: Any) -> _Polynomial:
    """A remainder in sympy symbols; functions appear under names of their own."""
    symbols = [sp.Symbol(question.table[place][1], real=True) for place in question.variables]
    terms = tuple((tuple(map(int, e)), Fraction(int(c.p), int(c.q))) for e, c in left.terms())
    spare = len(terms[0][0]) - len(symbols)
    return _Polynomial((*(sp.Symbol(f"function{i}") for i in range(spare)), *symbols), terms)


def _counterexample(
    sys: ReducedSystem, node: Node, numbers: Mapping[str, Fraction], for_all_inputs: bool
) -> tuple[dict[str, sp.Rational] | None, sp.Rational | None]:
    rng = np.random.default_rng(1)
    rate = sys.graph.add(sys.rate_terms([node])[0])
    for _, point in zip(range(_DRAWS), exact_states(sys, rng), strict=False):
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
        except (KeyError, NotRationalError, ZeroDivisionError):  # of parameters, or no rational number here
            return
        k = len(a.velocity)
        basis = nullspace([rows[i * k : (i + 1) * k] for i in range(len(a.rows))], k)
        weights = [random_fraction(rng) for _ in basis]
        w = [sum((c * b[i] for c, b in zip(weights, basis, strict=True)), Fraction(0)) for i in range(k)]
        yield (*w, *(gamma[i] for i in sys.kept_index), *(random_fraction(rng) for _ in a.controller))
