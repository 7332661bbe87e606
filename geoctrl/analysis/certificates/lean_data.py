"""What a file of Lean says of an energy-Casimir certificate, in polynomials and rational numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import fmpq

from geoctrl import checker
from geoctrl.checker.matrices import Rows, form, nullspace
from geoctrl.errors import CertificateError

__all__ = ["Criticality", "Terms", "criticality"]

Terms = dict[tuple[int, ...], fmpq]
"""A polynomial: coefficients by exponents of the states."""

_ZERO = fmpq(0)


@dataclass(frozen=True)
class Criticality:
    """A combination of functions that is critical at a point, and definite on the kernel of their gradients.

    Attributes
    ----------
    labels, point : of the states
    multipliers : dict of name -> fmpq
    functions : list of polynomials of the states, None for those of which only the gradients are used
    around : Terms
        The combination at ``point + t``, by its terms in t.
    slopes : list
        The functions there, or None.
    gradients : rows of numbers
    kernel : list of vectors
        Basis of the common kernel: one vector for each free entry of t, one there and zero in the others.
    """

    labels: list[str]
    point: list[fmpq]
    multipliers: dict[str, fmpq]
    functions: list[Terms | None]
    around: Terms
    slopes: list[Terms | None]
    gradients: Rows
    kernel: Rows

    @cached_property
    def free(self) -> list[int]:
        """The free entry of each vector of the kernel."""
        kernel = self.kernel
        return [
            next(i for i, c in enumerate(w) if c == 1 and sum(bool(v[i]) for v in kernel) == 1)
            for w in kernel
        ]

    @cached_property
    def _form_on_kernel(self) -> Rows:
        n = len(self.labels)
        return form([[_entry(self.around, i, j, n) for j in range(n)] for i in range(n)], self.kernel)

    @property
    def sign(self) -> int:
        """Of the second variation."""
        return -1 if self._form_on_kernel and self._form_on_kernel[0][0] < 0 else 1

    @cached_property
    def squares(self) -> list[tuple[fmpq, list[fmpq]]]:
        """Weights d and rows a: half the second variation of ``sum z_j w_j``, with the sign, is the sum of
        all ``d_k (a_k.z)^2``.
        """
        return _squares([[self.sign * c for c in row] for row in self._form_on_kernel])


def criticality(data: Mapping[str, Any]) -> Criticality:
    """What the data of a certificate say, for Lean."""
    if data["verdict"] != "PROVED_STABLE" or data["method"] != "energy-Casimir":
        raise CertificateError(
            f"a Lean file is written of stability proved by the energy-Casimir test; this certificate says "
            f"{data['verdict']} by {data['method']}"
        )
    problem = checker.read_problem(data["problem"])
    if problem["roots"].roots or "box" in problem:
        raise CertificateError(
            "a Lean file is written of points with rational numbers; these hold roots or balls"
        )
    question = checker.Question(problem, exact=True)
    multipliers = {name: fmpq(*_parts(text)) for name, text in data["evidence"]["multipliers"].items()}
    names, n = list(multipliers), len(question.labels)
    point = list(problem["states"].values())
    places = problem["leaf"] | problem["invariants"]
    functions: list[Terms | None] = []
    for name in names:
        fraction = _fraction(question, places[name])
        if fraction is None and multipliers[name]:
            raise CertificateError(
                f"{name!r} is no rational function of the states: a Lean file is written of these alone"
            )
        if fraction is None:
            functions.append(None)
            continue
        top, below = fraction
        value = _terms_about(below, point).get((0,) * n, _ZERO)
        if value != 1 or len(below) > 1:  # on the level set p/q = c what vanishes is p - c q
            level = _terms_about(top, point).get((0,) * n, _ZERO) / value
            top = _sum([(fmpq(1), top), (-level, below)])
            multipliers[name] /= value
        functions.append(top)
    total = _sum((c, f) for c, f in zip(multipliers.values(), functions, strict=True) if f is not None)
    around = _terms_about(total, point)
    slopes = [None if f is None else _terms_about(f, point) for f in functions]
    gradients = [
        question.function(name)[1] if f is None else [f.get(_unit(i, n), _ZERO) for i in range(n)]
        for name, f in zip(names, slopes, strict=True)
    ]
    kernel = nullspace([row for row in gradients if any(row)] or [[_ZERO] * n], n)
    return Criticality(question.labels, point, multipliers, functions, around, slopes, gradients, kernel)


def _parts(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("/")))


def _unit(i: int, n: int) -> tuple[int, ...]:
    return tuple(int(j == i) for j in range(n))


def _fraction(question: Any, place: int) -> tuple[Terms, Terms] | None:
    """Numerator and denominator of a function of the states; None of one that is not rational."""
    (ratio,) = question.ratios([place])
    below = question.functions.number(fmpq(1)).top
    for i, power in ratio.below.items():
        below *= question.functions.factors[i].top ** power
    found = _terms(question, ratio.top), _terms(question, below)
    return None if None in found else found  # type: ignore[return-value]


def _terms(question: Any, polynomial: Any) -> Terms | None:
    n, spare = len(question.labels), len(question.functions.gens) - len(question.functions.variables)
    found: Terms = {}
    for exponents, c in polynomial.terms():
        e = tuple(map(int, exponents))
        if any(e[:spare]) or any(e[spare + n :]):
            return None
        found[e[spare : spare + n]] = c
    return found


def _sum(parts: Iterable[tuple[fmpq, Terms]]) -> Terms:
    found: Terms = {}
    for c, f in parts:
        for e, value in f.items():
            found[e] = found.get(e, _ZERO) + c * value
    return {e: c for e, c in found.items() if c}


def _terms_about(f: Terms, point: Sequence[fmpq]) -> Terms:
    """f(point + t) by its terms in t."""
    found: Terms = {}
    for exponents, c in f.items():
        partial: Terms = {(): c}
        for power, at in zip(exponents, point, strict=True):
            row = _binomial(power, at)
            partial = {(*e, k): v * w for e, v in partial.items() for k, w in row.items()}
        for e, v in partial.items():
            found[e] = found.get(e, _ZERO) + v
    return {e: c for e, c in found.items() if c}


def _binomial(power: int, at: fmpq) -> dict[int, fmpq]:
    """(at + t)^power by powers of t, those that do not vanish."""
    row = {0: fmpq(1)}
    for _ in range(power):
        grown: dict[int, fmpq] = {}
        for k, v in row.items():
            grown[k + 1] = grown.get(k + 1, _ZERO) + v
            if at:
                grown[k] = grown.get(k, _ZERO) + v * at
        row = grown
    return row


def _entry(f: Terms, i: int, j: int, n: int) -> fmpq:
    """Of the symmetric matrix A for which the terms of second order are t.A t."""
    e = tuple(int(k == i) + int(k == j) for k in range(n))
    return f.get(e, _ZERO) / (1 if i == j else 2)


def _squares(R: Rows) -> list[tuple[fmpq, list[fmpq]]]:
    """Weights d > 0 and rows a of z.R z = sum d_k (a_k.z)^2, with a_k one at k and zero before."""
    left, found = [list(row) for row in R], []
    for k in range(len(R)):
        pivot = left[k][k]
        if not pivot > 0:
            raise CertificateError("the restricted second variation is not definite")
        row = [_ZERO] * k + [c / pivot for c in left[k][k:]]
        found.append((pivot, row))
        for i in range(k + 1, len(R)):
            for j in range(k + 1, len(R)):
                left[i][j] -= pivot * row[i] * row[j]
    return found
