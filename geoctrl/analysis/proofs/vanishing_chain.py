"""The search for what follows from functions that vanish all along a motion: their rates vanish too.

Rates and S-polynomials are reduced by what is known to vanish; factors that do not vanish at the point, and
powers, are left out. It ends when the gradients found see every direction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from geoctrl import decisions
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import Generators, NotSolved
from geoctrl.decisions.arithmetic.eliminations import Rows, matrix, product

__all__ = ["chain_from"]

STEPS, TERMS = 24, 200
"""Functions and their terms at which the search ends."""
BITS = 300_000
"""Digits of the coefficients of a function beyond which nobody checks it, and a further one takes seconds."""


@dataclass
class _Known:
    """What vanishes: a polynomial, and how it follows from earlier ones (none for those given)."""

    polynomial: Any
    power: int = 1
    unit: Any = None
    terms: dict[int, Any] = field(default_factory=dict)
    rates: dict[int, Any] = field(default_factory=dict)


def chain_from(
    q: decisions.Question, g: Generators, roots: Sequence[Any], kernel: Rows, table: Appended
) -> list[dict[str, Any]] | None:
    """Steps for the checker that show nothing but the point to stay where the roots vanish; None if not
    found.

    For fields that are explicit; where accelerations are unknowns their rates would not be polynomials.
    """
    if q.problem["unknowns"]:
        return None
    search = _ChainSearch(q, g, roots)
    if not search.run(kernel):
        return None
    return [
        {
            "function": table.polynomial(known.polynomial, g.places),
            "weights": [],
            "power": known.power,
            "unit": table.polynomial(known.unit, g.places),
            "terms": [[i, table.polynomial(a, g.places)] for i, a in known.terms.items()],
            "rates": [[i, table.polynomial(b, g.places)] for i, b in known.rates.items()],
        }
        for known in search.known[len(roots) :]
    ]


class _ChainSearch:
    def __init__(self, q: decisions.Question, g: Generators, roots: Sequence[Any]) -> None:
        self._g = g
        self._rates = dict(zip(g.states, q.ratios(q.problem["field"]), strict=True))
        if any(rate.below for rate in self._rates.values()) or g.angles:
            raise NotSolved
        self.known = [_Known(p) for p in roots]

    def run(self, kernel: Rows) -> bool:
        """Whether the gradients came to see every direction of the kernel."""
        done: set[tuple] = set()
        while len(self.known) < STEPS:
            if self._sees(kernel):
                return True
            n = len(self.known)
            tasks: list[tuple] = [("rate", j) for j in range(n)]
            tasks += [("pair", i, j) for j in range(n) for i in range(j)]
            task = next((t for t in tasks if t not in done), None)
            if task is None:
                return False
            done.add(task)
            self._try(task)
        return False

    def _sees(self, kernel: Rows) -> bool:
        g, n = self._g, len(self._g.states)
        rows = [[g.value_of(known.polynomial.derivative(i)) for i in g.states] for known in self.known]
        seen = product(rows, [[v[i] for v in kernel] for i in range(n)])
        return matrix(seen, len(kernel)).rank() == len(kernel)

    def _try(self, task: tuple) -> None:
        g, known = self._g, [k.polynomial for k in self.known]
        terms: dict[int, Any] = {}
        rates: dict[int, Any] = {}
        if task[0] == "rate":
            p, rates[task[1]] = known[task[1]], g.one
            raw = sum((p.derivative(i) * r.top for i, r in self._rates.items()), g.one * 0)
        else:
            i, j = task[1:]
            leads = [tuple(map(int, known[k].monomial(0))) for k in (i, j)]
            common = [max(pair) for pair in zip(*leads, strict=True)]
            ring = g.one.context()
            a, b = (
                ring.from_dict(
                    {
                        tuple(c - e for c, e in zip(common, lead, strict=True)): 1
                        / known[k].leading_coefficient()
                    }
                )
                for lead, k in zip(leads, (i, j), strict=True)
            )
            terms |= {i: a, j: -b}
            raw = a * known[i] - b * known[j]
        for k, p in enumerate(known):
            if _bits([raw]) > BITS or _bits(terms.values()) > 10 * BITS:
                return
            quotient, raw = divmod(raw, p)
            if quotient:
                terms[k] = terms.get(k, g.one * 0) - quotient
        if not raw or len(raw) > TERMS or _bits([raw]) > BITS or _bits(terms.values()) > 10 * BITS:
            return
        scale, factors = raw.factor()
        unit, root, power = g.one * scale, g.one, 1
        for p, m in factors:
            if g.value_of(p):
                unit = unit * p ** int(m)
            else:
                root, power = root * p, max(power, int(m))
        if root.is_constant():
            raise NotSolved  # it vanishes nowhere near the point: nothing stays, not even the point
        rest, left = divmod(root**power * unit, raw)
        if left or root in known:
            return
        found = _Known(root, power, unit)
        found.terms = {k: a * rest for k, a in terms.items() if a}
        found.rates = {k: b * rest for k, b in rates.items()}
        self.known.append(found)


def _bits(polynomials: Iterable[Any]) -> int:
    """Digits of all coefficients, in base two."""
    sizes = (int(q.p).bit_length() + int(q.q).bit_length() for p in polynomials for q in p.coeffs())
    return sum(sizes)
