"""What may be proved of a family over axes: charts of the leaf, signs of the spectrum, multipliers.

Nothing here is believed: `geoctrl.checker.maps` proves what is proposed. Which proposals are worth asking is
seen from numbers at some points of the region.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq

from geoctrl.analysis.maps.family_over_axes import FamilyOverAxes, Kernel
from geoctrl.analysis.maps.map_quotients import MapQuotient, hermite, hurwitz
from geoctrl.decisions.reading.problem_reader import Refusal

__all__ = ["ProofChart", "ProofSamples", "Proposals", "independent_chart", "proposals"]

Rows = list[list[MapQuotient]]

SAMPLES = 900
"""Points of the region at which proposals are compared."""
FEW_AXES, DRAWN = 6, 400
"""Axes of which all combinations of places are points, and points that are drawn of more."""
CANDIDATES = 200
"""Combinations of invariants that are tried."""


class ProofChart(NamedTuple):
    """Gradients by name, independent, with states for which they can be solved, and their kernel."""

    rows: list[str]
    omitted: list[str]
    kernel: Kernel


class ProofSamples:
    """Points of a region, its middle alone, or those at some places of each axis, and values of quotients
    there.
    """

    def __init__(
        self, members: FamilyOverAxes, middle: bool = False, places: Sequence[np.ndarray] | None = None
    ) -> None:
        axes = list(members.region["axes"].values())
        many = places is None and not middle and sum(a < b for a, b in axes) > FEW_AXES
        several = max(3, round(SAMPLES ** (1 / max(1, sum(a < b for a, b in axes)))))
        counts = [several if a < b and not middle else 1 for a, b in axes]
        if places is None:
            places = [
                float(a) + (float(b) - float(a)) * (np.arange(count) + 0.5) / count
                for (a, b), count in zip(axes, counts, strict=True)
            ]
        if many:
            columns = _drawn_columns([(float(a), float(b)) for a, b in axes])
        else:
            columns = [g.ravel() for g in np.meshgrid(*places, indexing="ij")]
        self._columns = dict(enumerate(columns))
        self._field, self.count = members.field, columns[0].size

    def __call__(self, q: MapQuotient) -> np.ndarray:
        """Values of a quotient, not finite where it has none."""
        with np.errstate(all="ignore"):
            return self._polynomial(q.top) / self._polynomial(q.below)

    def matrices(self, rows: Rows) -> np.ndarray:
        """Values of a matrix, shape (count, m, m)."""
        return np.array([[self(e) for e in row] for row in rows]).transpose(2, 0, 1)

    def evenness(self, q: MapQuotient) -> float:
        """The least size of a quotient over its largest; 0 where it changes its sign or has no value."""
        values = self(q)
        ends = float(np.min(values)), float(np.max(values))
        if not np.all(np.isfinite(values)) or ends[0] * ends[1] <= 0:
            return 0.0
        return min(abs(e) for e in ends) / max(abs(e) for e in ends)

    def _polynomial(self, p: Any) -> np.ndarray:
        total = np.zeros(self.count)
        for exponents, c in p.to_dict().items():
            term = np.full(self.count, _float(c))
            for k, e in enumerate(exponents):
                if e:
                    term = term * self._column(k) ** int(e)
            total = total + term
        return total

    def _column(self, k: int) -> np.ndarray:
        if k not in self._columns:
            name, x = self._field.generators[k]
            named = {"atan": "arctan"}.get(name, name)
            self._columns[k] = getattr(np, named)(self(x))
        return self._columns[k]


def _drawn_columns(axes: Sequence[tuple[float, float]]) -> list[np.ndarray]:
    """Points of a box of many axes: some at random, the same ones each time, and the middles of all faces."""
    n, rng = len(axes), np.random.default_rng(0)
    faces = np.full((2 * n, n), 0.5)
    for k in range(n):
        faces[2 * k, k], faces[2 * k + 1, k] = 0.0, 1.0
    points = np.vstack([rng.uniform(size=(DRAWN, n)), faces])
    return [a + (b - a) * points[:, k] for k, (a, b) in enumerate(axes)]


def _float(q: fmpq) -> float:
    return int(q.p) / int(q.q)


class Proposals(NamedTuple):
    """Proofs that may hold somewhere, and the number of points at which none decides."""

    proofs: list[dict[str, Any]]
    undecided: int

    @property
    def manifold(self) -> int | None:
        """The dimension of a manifold of equilibria that would decide where one proof tells no more than the
        spectrum; None where it would not.
        """
        return next((p["manifold"] for p in self.proofs if "manifold" in p), None)


def proposals(members: FamilyOverAxes) -> Proposals:
    """Proofs that may hold somewhere in the region, multipliers as quotients."""
    at = ProofSamples(members)
    names = [*members.leaf, *(k for k in members.invariants if k != "energy"), *members.integrals]
    names += [k for k in members.invariants if k == "energy"]
    leaf = len(members.leaf)
    found: list[tuple[np.ndarray, dict[str, Any]]] = []
    charts = [
        c
        for c in (independent_chart(members, names), independent_chart(members, names[:leaf]))
        if c is not None
    ]
    for chart in charts:
        found += _by_energy(members, at, names, chart)
    for chart in charts:
        if set(names[:leaf]) <= set(chart.rows):
            found += _by_spectrum(members, at, chart)
    return _covering(found, at.count)


def _covering(found: list[tuple[np.ndarray, dict[str, Any]]], count: int) -> Proposals:
    """As few as hold wherever one of them does, those that decide more first."""
    chosen: list[dict[str, Any]] = []
    deciding = [mask for mask, p in found if p["verdict"] != "spectrum"]
    decided = np.any(deciding, axis=0) if deciding else np.full(count, False)
    for classes in (("stable", "unstable"), ("spectrum",)):
        kind = [(mask, p) for mask, p in found if p["verdict"] in classes]
        open_ = np.full(count, True)
        while kind:
            mask, best = max(kind, key=lambda pair: np.count_nonzero(pair[0] & open_))
            if not np.any(mask & open_):
                break
            chosen.append(best)
            open_ = open_ & ~mask
    return Proposals(chosen, count - int(np.count_nonzero(decided)))


def independent_chart(
    members: FamilyOverAxes, names: Sequence[str], at: ProofSamples | None = None
) -> ProofChart:
    """Independent gradients and columns, chosen with the simplest pivots; with samples, with those that vary
    least there, so that none vanishes.
    """
    rows, omitted = [], []
    left = list(zip(names, members.gradients(names), strict=True))
    leaf, there = members.leaf, ProofSamples(members) if members.is_about_numbers else None

    def differs(e: MapQuotient) -> bool:
        """Whether an entry differs from zero at the members."""
        return bool(e) and (there is None or bool(np.any(there(e) != 0)))

    while left := [(k, row) for k, row in left if any(map(differs, row))]:
        name, row, j = min(
            ((k, row, j) for k, row in left for j, e in enumerate(row) if differs(e)),
            key=lambda e: (
                e[0] not in leaf,
                *([-at.evenness(e[1][e[2]])] if at else []),
                not e[1][e[2]].is_constant,
                e[1][e[2]].size,
                e[0] == "energy",
            ),
        )
        rows.append(name)
        omitted.append(members.labels[j])
        left = [
            (
                k,
                [a - other[j] / row[j] * b if b else a for a, b in zip(other, row, strict=True)]
                if other[j]
                else other,
            )
            for k, other in left
            if k != name
        ]
    places = [members.labels.index(k) for k in omitted]
    return ProofChart(rows, omitted, members.kernel(members.gradients(rows), places))


# -- the spectrum -------------------------------------------------------------------------------------------


def _by_spectrum(
    members: FamilyOverAxes, at: ProofSamples, chart: ProofChart
) -> Iterator[tuple[np.ndarray, dict[str, Any]]]:
    field = members.field
    here = {"rows": chart.rows, "omitted": chart.omitted}
    polynomials = members.polynomials(chart.kernel)
    right = np.full(at.count, True)
    zeros, turning = 0, False
    for block, p in enumerate(polynomials):
        for kind, tests in growth_tests(field, p).items():
            for k, q in enumerate(tests):
                mask = at(q) < 0
                if np.any(mask):
                    yield mask, here | {"verdict": "unstable", "by": "growth", "test": [block, kind, k]}
        short = without_zeros(p)
        zeros += len(p) - len(short)
        if len(short) == 1:
            continue
        even = len(short) % 2 and not any(short[1::2])
        turning = turning or bool(even)
        tests = [*short[2::2], *hermite(field, short[::2])] if even else hurwitz(field, short)
        for q in tests:
            right &= at(q) > 0
    if not np.any(right):
        return
    roots = here | {"by": "roots"}
    if turning:
        yield right, roots | {"verdict": "spectrum"}
        return
    if not zeros:
        yield right, roots | {"verdict": "stable"}
        return
    try:
        tangents = members.family_tangents()
        _, columns = _pivots(members, tangents)
    except Refusal:
        columns = []
    extra = len(chart.rows) - len(members.leaf)
    if columns and len(columns) == zeros + extra:
        yield right, roots | {"verdict": "stable", "tangents": columns}
    else:
        yield right, roots | {"verdict": "spectrum", "manifold": zeros + extra}


def _pivots(members: FamilyOverAxes, rows: Rows) -> tuple[int, list[str]]:
    """States for which all rows can be solved; fewer where they depend on each other."""
    left, columns = [row for row in rows if any(row)], []
    while left:
        row, j = min(
            ((row, j) for row in left for j, e in enumerate(row) if e),
            key=lambda e: (not e[0][e[1]].is_constant, e[0][e[1]].size),
        )
        columns.append(members.labels[j])
        rest = [other for other in left if other is not row]
        left = [[a - o[j] / row[j] * b for a, b in zip(o, row, strict=True)] for o in rest]
        left = [o for o in left if any(o)]
    return len(rows), columns if len(columns) == len(rows) else []


def without_zeros(p: Sequence[MapQuotient]) -> list[MapQuotient]:
    """A polynomial divided by the power of its variable that divides it."""
    last = max(i for i, c in enumerate(p) if c)
    return list(p[: last + 1])


def growth_tests(field: Any, polynomial: Sequence[MapQuotient]) -> dict[str, list[MapQuotient]]:
    """Functions of which none is negative where no root lies to the right of the axis, by kind."""
    p = without_zeros(polynomial)
    if len(p) == 1:
        return {}
    if len(p) % 2 and not any(p[1::2]):
        return {"coefficient": p[2::2], "hermite": hermite(field, p[::2])}
    return {"coefficient": p[1:], "hurwitz": hurwitz(field, p)}


# -- the energy ---------------------------------------------------------------------------------------------


def _by_energy(
    members: FamilyOverAxes, at: ProofSamples, names: Sequence[str], chart: ProofChart
) -> Iterator[tuple[np.ndarray, dict[str, Any]]]:
    """Critical combinations, the one with the energy and constant or rational parts of the others."""
    critical = _critical(members, names)
    forms = [members.restricted(members.critical(y), chart.kernel) for y in critical]
    size = len(chart.kernel.basis)
    told = [(y, R) for y, R in zip(critical, forms, strict=True) if any(map(any, R)) or not size]
    if not told:
        return
    base, *others = reversed(told)
    for i, (total, R) in enumerate(_combinations(members, base, others)):
        if i >= CANDIDATES:
            return
        H = at.matrices(R) if size else np.zeros((at.count, 0, 0))
        finite: Any = np.isfinite(H).all(axis=(1, 2)) if size else np.full(at.count, True)
        roots = np.linalg.eigvalsh(np.where(finite[:, None, None], H, 0.0))
        for sense in (1, -1):
            mask = finite & np.all(sense * roots > 0, axis=1)
            if np.any(mask):
                yield (
                    mask,
                    {
                        "verdict": "stable",
                        "by": "energy",
                        "rows": chart.rows,
                        "omitted": chart.omitted,
                        "multipliers": {k: v for k, v in total.items() if v},
                        "sense": sense,
                    },
                )


def _combinations(
    members: FamilyOverAxes,
    base: tuple[dict[str, MapQuotient], Rows],
    others: list[tuple[dict[str, MapQuotient], Rows]],
) -> Iterator[tuple[dict[str, MapQuotient], Rows]]:
    """Multipliers and form of the base with parts of the others, one after another."""
    if not others:
        yield base
        return
    (total, R), (y, S) = base, others[0]
    for c in _parts(members, R, S):
        sums = [[a + c * b for a, b in zip(r, s, strict=True)] for r, s in zip(R, S, strict=True)]
        yield from _combinations(members, ({k: total[k] + c * y[k] for k in total}, sums), others[1:])


def _critical(members: FamilyOverAxes, names: Sequence[str]) -> list[dict[str, MapQuotient]]:
    """Combinations of functions whose gradients cancel, a basis; that of the last function is last."""
    field, rows = members.field, [list(c) for c in zip(*members.gradients(names), strict=True)]
    done: list[tuple[int, list[MapQuotient]]] = []
    for j in range(len(names)):
        found = [row for row in rows if row[j]]
        if not found:
            continue
        row = min(found, key=lambda r: (not r[j].is_constant, r[j].size))
        rows = [r for r in rows if r is not row]
        row = [e / row[j] if e else e for e in row]
        rows = [[a - r[j] * b if b else a for a, b in zip(r, row, strict=True)] if r[j] else r for r in rows]
        done = [
            (p, [a - r[j] * b if b else a for a, b in zip(r, row, strict=True)] if r[j] else r)
            for p, r in done
        ]
        done.append((j, row))
    pivots = dict(done)
    return [
        {
            name: field.one if i == j else -pivots[i][j] if i in pivots else field.zero
            for i, name in enumerate(names)
        }
        for j in range(len(names))
        if j not in pivots
    ]


def _parts(members: FamilyOverAxes, R: Rows, S: Rows) -> Iterator[MapQuotient]:
    """Numbers and functions c for which R + c S may be definite: extrema of minors of two rows, and what
    lies beside roots of entries of the diagonal.
    """
    field, n = members.field, range(len(R))
    roots = [-R[i][i] / S[i][i] for i in n if S[i][i]]
    yield field.zero
    for i in n:
        for j in range(i):
            a = S[i][i] * S[j][j] - S[i][j] * S[i][j]
            if a:
                b = R[i][i] * S[j][j] + R[j][j] * S[i][i] - R[i][j] * S[i][j] * 2
                yield -b / (a * 2)
    for k, root in enumerate(roots):
        for other in roots[:k]:
            yield (root + other) * fmpq(1, 2)
    for root in roots:
        for step in (1, -1, 100, -100):
            yield root + step
