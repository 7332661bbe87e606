r"""The search for functions that fall along the motion, and for the squares that show it.

The rate of a function is a rational function P of the states once its weights have eliminated the unknowns.
Its numerator, modulo the leaf, must be a sum of squares with factors of one sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flint import fmpq

from geoctrl import checker, decisions
from geoctrl.analysis.critical.signed_rates import Square, signed_squares, square_with_root
from geoctrl.analysis.critical.squares import square_free
from geoctrl.analysis.proofs.energy_casimir import critical_combination
from geoctrl.analysis.proofs.vanishing_chain import chain_from
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import Generators, NotSolved, independent_invariants
from geoctrl.analysis.question.table import Stored
from geoctrl.decisions.arithmetic.eliminations import matrix, nullspace, product

__all__ = ["falling_functions"]


def falling_functions(
    stored: Stored, conserved: Sequence[str], names: Sequence[str], apart: bool = False
) -> Iterator[tuple[Stored, dict[str, Any]]]:
    """Problems with functions that fall, or rise, and the multipliers of a critical combination.

    Parameters
    ----------
    conserved : names of invariants that are
    names : of the functions that may fall, listed among the invariants
    apart : whether factors hold no velocities where that can be had: ``(c + k v^2) v^2`` is two squares then
    """
    for name in names:
        nodes = [stored.read["invariants"][name], *stored.read["weights"].get(name, [])]
        question = stored.exactly()
        try:
            question.require_kept([])
            rate = question.rate(list(nodes))
            generators = Generators.of(question)
            sense, squares = signed_squares(question, rate, generators)
            if apart:
                squares = [part for square in squares for part in _separate_squares(square, generators)]
        except (checker.Refusal, NotSolved):
            continue
        table = Appended(stored)
        written = [_square_data(square, table, generators) for square in squares]
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
    q: decisions.Question, g: Generators, roots: list[Any], kept: Sequence[str], table: Appended
) -> list[dict[str, Any]] | None:
    """Steps that show nothing to stay, where the linear motion does not show it; None where none are
    found.
    """
    n = len(q.labels)
    kernel = nullspace([*q.leaf[0], *(q.function(name)[1] for name in kept)], n)
    W = [[v[i] for v in kernel] for i in range(n)]
    block = [[g.value_of(root.derivative(i)) for i in g.states] for root in roots]
    rows = []
    for _ in range(n):
        rows += product(block, W)
        block = product(block, q.linearisation)
    if matrix(rows, len(kernel)).rank() == len(kernel):
        return None
    try:
        return chain_from(q, g, roots, kernel, table)
    except NotSolved:
        return None


def _multipliers(
    q: decisions.Question, place: int, sense: int, names: Sequence[str]
) -> dict[str, str] | None:
    """Those of a combination that holds the function with its sense, definite where one is found."""
    try:
        functions = [q.function_at("the falling function", place), *map(q.function, names)]
    except checker.Refusal:
        return None
    functions += map(q.function, q.problem["leaf"])
    y = critical_combination(functions, fmpq(sense))
    return None if y is None else {f[0]: str(c) for f, c in zip(functions, y, strict=True)}


# -- squares with factors without velocities ----------------------------------------------------------------


def _separate_squares(square: Square, g: Generators) -> list[Square]:
    """The same by the even powers of velocities in its factor; as it is, where one is odd or has a sign."""
    top, below = square.factor
    moving = set(g.velocities)
    parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
    for exponents, c in top.terms():
        e = tuple(map(int, exponents))
        powers = tuple(k if i in moving else 0 for i, k in enumerate(e))
        parts.setdefault(powers, {})[tuple(k - p for k, p in zip(e, powers, strict=True))] = c
    ring = top.context()
    factors = [(powers, ring.from_dict(terms)) for powers, terms in parts.items()]
    even = not any(k % 2 for powers, _ in factors for k in powers)
    if len(factors) == 1 or not even or not all(g.value_of(f) / g.value_of(below) > 0 for _, f in factors):
        return [square]
    halves = [(ring.from_dict({tuple(k // 2 for k in powers): 1}), f) for powers, f in factors]
    return [square_with_root((f, below), square.square * half, g) for half, f in halves]


def _square_data(square: Square, table: Appended, g: Generators) -> dict[str, Any]:
    """A square as the checker reads it."""

    def polynomial(p: Any) -> int:
        return table.polynomial(p, g.places)

    def ratio(top: Any, below: Any) -> int:
        return (
            polynomial(top)
            if below.is_one()
            else table.product((polynomial(top), 1), (polynomial(below), -1))
        )

    written: dict[str, Any] = {"factor": ratio(*square.factor), "square": polynomial(square.square)}
    root = square.root
    if square.power > 1 or root != square.square:
        written |= {
            "root": polynomial(root),
            "cofactor": polynomial(square.cofactor),
            "power": square.power,
        }
    if not any(g.value_of(root.derivative(i)) for i in g.states):
        # With the sum of squares that it may be its parts vanish, of which the gradients tell.
        try:
            parts = square_free(root, g)
        except NotSolved:
            return written
        if all(g.value_of(a) * g.value_of(b) > 0 and not g.value_of(part) for a, b, part in parts):
            written["parts"] = [{"factor": ratio(a, b), "square": polynomial(part)} for a, b, part in parts]
    return written
