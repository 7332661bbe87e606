"""Criteria of stability in symbols: definiteness of a restricted Hessian, signs in a polynomial."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp
from sympy.logic.boolalg import Boolean
from sympy.polys.matrices import DomainMatrix

from geoctrl.analysis.factors import cancelled, characteristic_coefficients, factored
from geoctrl.analysis.polynomials import hurwitz_determinant
from geoctrl.analysis.shape import Jet
from geoctrl.analysis.signs import leading_minors, positive_condition

__all__ = [
    "HessianConditions",
    "free_places",
    "hessian_conditions",
    "instability",
    "multipliers",
    "not_contradicted",
    "nullspace",
    "reduced_polynomial",
    "undecided_where",
]

Rows = list[list[sp.Expr]]
Collect = Callable[[sp.Expr], sp.Expr]


def nullspace(rows: Rows, columns: int, assuming: list[sp.Expr]) -> Rows:
    """Kernel over the rational functions, a one in each free column; pivots that may vanish are noted."""
    if not rows:
        return [[sp.Integer(int(i == j)) for j in range(columns)] for i in range(columns)]
    matrix = DomainMatrix.from_Matrix(sp.Matrix(rows)).to_field()
    reduced, pivots = matrix.rref()
    entries = reduced.to_Matrix()
    basis: Rows = []
    for j in (j for j in range(columns) if j not in pivots):
        vector = [sp.Integer(0)] * columns
        vector[j] = sp.Integer(1)
        for i, p in enumerate(pivots):
            vector[p] = sp.cancel(-entries[i, j])
            condition = positive_condition(sp.fraction(vector[p])[1] ** 2)
            if not isinstance(condition, bool):
                assuming.extend(condition[1])
        basis.append(vector)
    return basis


def multipliers(gradients: Mapping[str, list[sp.Expr]], assuming: list[sp.Expr]) -> list[dict[str, sp.Expr]]:
    """Combinations of the functions critical at the point, the energy's coefficient one where it can be."""
    order = sorted(gradients, key=lambda name: name == "energy")
    transposed = [list(column) for column in zip(*(gradients[k] for k in order), strict=True)]
    found = nullspace(transposed, len(order), assuming)
    return [dict(zip(order, y, strict=True)) for y in reversed(found)]


@dataclass(frozen=True)
class HessianConditions:
    """Where a restricted Hessian is definite.

    Attributes
    ----------
    stable : list of relations that hold together
    reason : str
        Why there is none.
    form : sympy matrix or None
        The restricted Hessian.
    multipliers : dict of name -> expression
    """

    stable: list
    reason: str
    form: sp.Matrix | None = None
    multipliers: dict[str, sp.Expr] = field(default_factory=dict)


def hessian_conditions(
    jets: Sequence[Jet], kernel: Rows, combinations: Sequence[dict], collect: Collect
) -> HessianConditions:
    """Conditions for the only critical combination to be definite on the kernel."""
    if not combinations:
        return HessianConditions(
            [], "no combination of the invariants is critical at the point (no multipliers)"
        )
    if len(combinations) > 1:
        reason = f"{len(combinations)} independent multipliers: certify searches their family at numbers"
        return HessianConditions([], reason)
    (y,) = combinations
    n = len(jets[0].gradient)
    total = sp.zeros(n, n)
    for jet in jets:
        if y[jet.name] != 0:
            total += y[jet.name] * sp.Matrix(jet.hessian())
    W = sp.Matrix(kernel).T if kernel else sp.zeros(n, 0)
    R = (W.T * total * W).applyfunc(cancelled)
    stable: list = []
    for condition in _definite(R):
        if condition is False:
            return HessianConditions([sp.S.false], "the restricted Hessian is never definite", R, y)
        if condition is True:
            continue
        found = [condition] if isinstance(condition, Boolean) else _relations(condition, collect)
        stable += [r for r in found if r not in stable]
    return HessianConditions(stable or [sp.S.true], "", R, y)


def _relations(condition: tuple[sp.Expr, list[sp.Expr]], collect: Collect) -> list[Boolean]:
    """Relations that hold together: the essential factor positive, those of even powers not zero."""
    essential, nonzero = condition
    strict = [] if essential == 1 else [_positive(collect(essential))]
    return strict + [sp.Ne(collect(f), 0) for f in nonzero]


def _positive(essential: sp.Expr) -> Boolean:
    """``essential > 0``, turned round where the expression starts with a minus sign."""
    return -essential < 0 if essential.could_extract_minus_sign() and essential.is_Mul else essential > 0


def _definite(R: sp.Matrix) -> list:
    """Conditions, each an expression to be positive or a Boolean, for R to be definite of either sign."""
    blocks = [[[R[i, j] for j in block] for i in block] for block in R.connected_components()]
    minors = [(k, m) for block in blocks for k, m in enumerate(leading_minors(block), start=1)]
    options = []
    for sign in (1, -1):
        conditions = [positive_condition(sign**k * minor) for k, minor in minors]
        if False not in conditions:
            options.append([c for c in conditions if not isinstance(c, bool)])
    if not options:
        return [False]
    if len(options) == 1 or not all(options):
        return options[0] if len(options) == 1 else [True]
    return [sp.Or(*(sp.And(*(r for c in option for r in _relations(c, sp.expand))) for option in options))]


def reduced_polynomial(A: Rows, kernel: Rows) -> list[sp.Expr]:
    """Characteristic polynomial of A on the kernel, which A maps into itself."""
    if not kernel:
        return [sp.Integer(1)]
    matrix = [
        [cancelled(sp.Add(*(a * c for a, c in zip(A[i], w, strict=True)))) for w in kernel]
        for i in free_places(kernel)
    ]
    return characteristic_coefficients(matrix)


def free_places(kernel: Rows) -> list[int]:
    """For each kernel vector the coordinate in which it has a one and the others a zero."""
    return [
        next(i for i, c in enumerate(w) if c == 1 and all(v[i] == 0 for v in kernel if v is not w))
        for w in kernel
    ]


def instability(polynomial: Sequence[sp.Expr], collect: Collect) -> list:
    """Conditions each of which suffices for a root with a positive real part."""
    candidates = list(polynomial[1:])
    if all(c == 0 for c in polynomial[1::2]):
        q = polynomial[::2]
        if len(q) > 2:
            # In letters first: what the coefficients are makes them long.
            x, letters = sp.Symbol("x"), sp.symbols(f"c0:{len(q)}")
            general = sp.discriminant(sp.Poly(letters, x), x)
            candidates.append(factored(general.xreplace(dict(zip(letters, q, strict=True)))))
    else:
        # The first is a coefficient; the last is one times its predecessor.
        orders = range(2, len(polynomial) - 1)
        candidates += [factored(hurwitz_determinant(polynomial, order)) for order in orders]
    unstable: list = []
    for candidate in candidates:
        condition = positive_condition(-candidate) if candidate != 0 else False
        if condition is True:
            return [sp.S.true]
        if condition is False:
            continue
        essential, nonzero = condition
        relation = sp.And(*_relations((-collect(-essential), nonzero), lambda e: e))
        if relation not in unstable:
            unstable.append(relation)
    return unstable


def not_contradicted(unstable: Sequence[Boolean], stable: Sequence[Boolean]) -> list[Boolean]:
    """Conditions for instability without those that can never hold, since the family is stable throughout.

    Each is a strict inequality of continuous functions of the symbols, and would hold on an open set. There
    the family would be stable as well, but for a set without inner points on which a factor vanishes that
    was divided by.
    """
    return [] if list(stable) == [sp.S.true] else list(unstable)


def undecided_where(stable: Sequence[Boolean], unstable: Sequence[Boolean]) -> list[Boolean]:
    """What is neither stable nor unstable: relations that hold together, none where there is no such place.

    One of the conditions for stability fails, and so do all of those for instability.
    """
    if sp.S.true in unstable or list(stable) == [sp.S.true]:
        return []
    failing = sp.Or(*map(_negated, stable)) if stable else sp.S.true
    clauses = dict.fromkeys(c for c in (failing, *map(_negated, unstable)) if c != sp.S.true)
    found: list[Boolean] = []
    for clause in clauses:
        bound = _not_negative(clause)
        other = next((c for c in found if bound is not None and _not_negative(c) == sp.expand(-bound)), None)
        if other is None:
            found.append(clause)
        else:
            # e >= 0 and e <= 0
            found[found.index(other)] = sp.Eq(other.lhs - other.rhs, 0)
    return found or [sp.S.true]


def _negated(condition: Boolean) -> Boolean:
    """The contrary, in relations joined by "and" and "or"."""
    if isinstance(condition, (sp.And, sp.Or)):
        other = sp.Or if isinstance(condition, sp.And) else sp.And
        return other(*map(_negated, condition.args))
    return sp.Not(condition)


def _not_negative(clause: Boolean) -> sp.Expr | None:
    """The expression that a relation says not to be negative, expanded."""
    if not isinstance(clause, (sp.GreaterThan, sp.LessThan)):
        return None
    return sp.expand(clause.gts - clause.lts)
