r"""The search for functions that fall along the motion, and for the squares that show it.

The rate of a function is a rational function P of the states once its weights have eliminated the unknowns.
Of its numerator, modulo the leaf, factors of even powers are squares; what is left of it must be a number, a
quadratic form in velocities (reduced to squares over the rational functions), or a sum of even monomials of
one sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from flint import fmpq

from geoctrl import checker
from geoctrl.analysis.appended import Appended
from geoctrl.analysis.chain import chain_from
from geoctrl.analysis.energy_casimir import critical_combination
from geoctrl.analysis.generators import Generators, NotSolved
from geoctrl.analysis.independence import independent_invariants
from geoctrl.analysis.motion import Stored
from geoctrl.checker.matrices import matrix, nullspace

__all__ = ["falling_functions"]

TERMS = 400
"""Terms of a rate from which on its sign is not looked for."""
PRODUCTS = 200_000
"""Products of terms in a step of the elimination of a quadratic form, from which on it is given up."""


class Square(NamedTuple):
    """factor * square^2, where square = unit * root^power: numerators and denominators in generators."""

    factor: tuple[Any, Any]
    square: tuple[Any, Any]
    root: Any
    power: int
    cofactor: tuple[Any, Any]


def falling_functions(
    stored: Stored, conserved: Sequence[str], names: Sequence[str]
) -> Iterator[tuple[Stored, dict[str, Any]]]:
    """Problems with functions that fall, or rise, and the multipliers of a critical combination.

    Parameters
    ----------
    conserved : names of invariants that are
    names : of the functions that may fall, listed among the invariants
    """
    for name in names:
        nodes = [stored.read["invariants"][name], *stored.read["weights"].get(name, [])]
        question = checker.Question(stored.read, exact=True)
        try:
            question.require_kept([])
            rate = question.rate(list(nodes))
            generators = Generators.of(question)
            sense, squares = _signed(question, rate, generators)
        except (checker.Refusal, NotSolved):
            continue
        table = Appended(stored)
        written = [_written(square, table, generators) for square in squares]
        falling = {"function": nodes[0], "weights": list(nodes[1:]), "sense": sense, "squares": written}
        kept = independent_invariants(question, conserved)
        multipliers = _multipliers(question, nodes[0], sense, kept)
        if multipliers is None:
            continue
        proposal = {"conserved": kept, "falling_multipliers": multipliers}
        chain = _chain(question, generators, [s.root for s in squares], kept, table)
        if chain:
            yield table.with_parts(falling=falling | {"chain": chain}), proposal
        yield table.with_parts(falling=falling), proposal


def _chain(
    q: checker.Question, g: Generators, roots: list[Any], kept: Sequence[str], table: Appended
) -> list[dict[str, Any]] | None:
    """Steps that show nothing to stay, where the linear motion does not show it; None where none are
    found.
    """
    n = len(q.labels)
    kernel = nullspace([*q.leaf[0], *(q.function(name)[1] for name in kept)], n)
    A = matrix(q.linearisation, n)
    block = matrix([[g.at(root.derivative(i)) for i in g.states] for root in roots], n)
    rows = []
    for _ in range(n):
        rows += (block * matrix(kernel, n).transpose()).tolist()
        block = block * A
    if matrix(rows, len(kernel)).rank() == len(kernel):
        return None
    try:
        return chain_from(q, g, roots, kernel, table)
    except NotSolved:
        return None


def _multipliers(q: checker.Question, place: int, sense: int, names: Sequence[str]) -> dict[str, str] | None:
    """Those of a combination that holds the function with its sense, definite where one is found."""
    try:
        functions = [q.function_at("the falling function", place), *map(q.function, names)]
    except checker.Refusal:
        return None
    functions += map(q.function, q.problem["leaf"])
    y = critical_combination(functions, fmpq(sense))
    return None if y is None else {f[0]: str(c) for f, c in zip(functions, y, strict=True)}


# -- the sign of a rate -----------------------------------------------------------------------------------


def _signed(q: checker.Question, rate: Any, g: Generators) -> tuple[int, list[Square]]:
    """The sense and squares with sense * rate = -sum factor * square^2; NotSolved where none are found."""
    # Before division by the leaf a rate may show its squares, after it it is shorter. Unknowns that are left,
    # forces of constraints, do no work on the leaf.
    for top in (_without(rate.top, g.unknowns), _without(q.functions.remainder(rate), g.unknowns)):
        if top and len(top) <= TERMS:
            try:
                return _signed_polynomial(q, rate, top, g)
            except NotSolved:
                continue
    raise NotSolved


def _without(p: Any, gone: Sequence[int]) -> Any:
    """A polynomial where some generators are zero."""
    kept = {tuple(map(int, e)): c for e, c in p.terms() if not any(e[i] for i in gone)}
    return p.context().from_dict(kept)


def _signed_polynomial(q: checker.Question, rate: Any, top: Any, g: Generators) -> tuple[int, list[Square]]:
    """The same for a numerator."""
    F = q.functions
    one = g.one
    below = one
    for k, e in rate.below.items():
        below = below * F.factors[k] ** e
    scale, factors = top.factor()
    unit, inner = one * scale, one
    roots, square = [], one
    for p, m in factors:
        m = int(m)
        if g.at(p):
            unit = unit * p**m
            continue
        roots.append((p, m // 2))
        square = square * p ** (m // 2)
        if m % 2:
            inner = inner * p
    terms = [(one, one)] if inner.is_constant() else _squares(inner, g)
    found, sense = [], 0
    for factor, extra in terms:
        d = (unit * factor[0], below * factor[1]) if isinstance(factor, tuple) else (unit * factor, below)
        value = g.at(d[0]) / g.at(d[1])
        if not value or sense * value > 0:
            raise NotSolved
        sense = -1 if value > 0 else 1
        found.append((d, extra))
    return sense, [_square(d, sense, square, roots, extra, one) for d, extra in found]


def _square(
    d: tuple[Any, Any], sense: int, square: Any, roots: list[tuple[Any, int]], extra: Any, one: Any
) -> Square:
    """d (square extra)^2 with the square-free root of what vanishes."""
    extra = extra if isinstance(extra, tuple) else (extra, one)
    root, whole, power = one, square * extra[0], 1
    parts = [(p, m) for p, m in roots if m]
    if not extra[0].is_constant():
        parts += [(p, int(m)) for p, m in extra[0].factor()[1]]
    for p, m in parts:
        if divmod(root, p)[1]:
            root = root * p
        power = max(power, m)
    cofactor, rest = divmod(root**power, whole)
    if rest:
        raise NotSolved
    return Square((d[0] * -sense, d[1]), (whole, extra[1]), root, power, (cofactor * extra[1], one))


def _squares(inner: Any, g: Generators) -> list[tuple[Any, Any]]:
    """Factors and squares of a polynomial without square factors that vanishes at the point."""
    even = all(not int(e) % 2 for exponents, _ in inner.terms() for e in exponents)
    if even:
        ring = inner.context()
        half = [
            (c, ring.from_dict({tuple(int(e) // 2 for e in exponents): 1})) for exponents, c in inner.terms()
        ]
        return [(ring.constant(c), m) for c, m in half]
    return _reduced_form(inner, g)


def _reduced_form(inner: Any, g: Generators) -> list[tuple[Any, Any]]:
    """A quadratic form in the velocities as a sum of squares (Lagrange).

    Its coefficients are polynomials in the other generators; pivots must not vanish at the point.
    """
    if any(sum(int(exponents[i]) for i in g.velocities) != 2 for exponents, _ in inner.terms()):
        raise NotSolved
    found: list[tuple[Any, Any]] = []
    rest, scale = inner, g.one  # the form is rest/scale
    while rest:
        pivot = next((i for i in g.velocities if g.at(_coefficient(rest, i, 2))), None)
        if pivot is None:
            raise NotSolved
        a, b, c = (_coefficient(rest, pivot, power) for power in (2, 1, 0))
        # a x^2 + b x + c = (2 a x + b)^2/(4 a) + (4 a c - b^2)/(4 a)
        found.append(((g.one, 4 * a * scale), 2 * a * g.gens[pivot] + b))
        if len(a) * len(c) + len(b) ** 2 > PRODUCTS:
            raise NotSolved
        rest, scale = 4 * a * c - b * b, 4 * a * scale
        # As in Bareiss' elimination the pivots before divide what is left, which else doubles its degree.
        common = rest.gcd(scale) if rest else g.one
        rest, scale = rest // common, scale // common
    return found


def _coefficient(p: Any, i: int, power: int) -> Any:
    """The coefficient of a power of a generator."""
    terms = {}
    for exponents, c in p.terms():
        if int(exponents[i]) == power:
            rest = list(map(int, exponents))
            rest[i] = 0
            terms[tuple(rest)] = c
    return p.context().from_dict(terms)


def _written(square: Square, table: Appended, g: Generators) -> dict[str, Any]:
    """A square as the checker reads it."""
    places = g.places

    def ratio(pair: tuple[Any, Any]) -> int:
        top, below = (table.polynomial(p, places) for p in pair)
        return top if pair[1].is_one() else table.product((top, 1), (below, -1))

    written: dict[str, Any] = {"factor": ratio(square.factor), "square": ratio(square.square)}
    if square.power > 1 or square.root != square.square[0]:
        written |= {
            "root": table.polynomial(square.root, places),
            "cofactor": ratio(square.cofactor),
            "power": square.power,
        }
    root = square.root
    if not any(g.at(root.derivative(i)) for i in g.states):
        # With the sum of squares that it may be its parts vanish, of which the gradients tell.
        try:
            parts = _squares(root, g)
        except NotSolved:
            return written
        ratios = [(d if isinstance(d, tuple) else (d, g.one), part) for d, part in parts]
        if all(g.at(d[0]) * g.at(d[1]) > 0 and not g.at(part) for d, part in ratios):
            written["parts"] = [{"factor": ratio(d), "square": ratio((part, g.one))} for d, part in ratios]
    return written
