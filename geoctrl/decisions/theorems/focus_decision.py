r"""A weak focus: two roots on the axis, and the first odd order that tells whether it attracts (Lyapunov).

On the leaf, and the levels of some conserved functions with independent gradients, the characteristic
polynomial is :math:`(x^2 + \omega^2)\, q(x)`, :math:`\omega^2 > 0`, with all roots of q, if there are any, to
the left of the axis. Two states z that tell points of the plane apart in which the linearisation turns are
variables: the centre manifold x(z) is found up to the third power, and on it a function :math:`V_2 + V_3 +
V_4` with the rate :math:`g V_2^2`, up to terms of more than four; where g = 0 up to the fifth power, with the
rate :math:`g V_2^3`, and then up to the seventh, unless something else is conserved. All of that are linear
equations, one order after the other.
g < 0: asymptotically stable on the level set; g > 0: unstable; all g = 0: refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from flint import fmpq, fmpq_mat, fmpq_poly

from geoctrl.decisions.arithmetic.eliminations import (
    Rows,
    Span,
    characteristic,
    left_of_axis,
    nullspace,
    product,
    restricted,
)
from geoctrl.decisions.functions.derivatives import Jet, NotExact, evaluate
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.reading.problem_reader import Refusal
from geoctrl.decisions.theorems.series_by_order import PowerSeries, Series

METHOD = "a weak focus"
ORDERS, COEFFICIENTS = (3, 5, 7), 240
"""Of series that may tell; coefficients that are solved for together, at most."""
_WHERE = "problem.focus"
_ZERO = fmpq(0)

Polynomial = dict[tuple[int, ...], fmpq]


class Focus(NamedTuple):
    """Names of the functions that are held and of the two variables, series of all else by name, the forms of
    V by falling powers of the first variable, and g, of the order that as many forms belong to.
    """

    rows: list[str]
    along: list[str]
    series: dict[str, Polynomial]
    forms: list[list[fmpq]]
    g: fmpq


def weak_focus(q: Question, _: dict[str, Any], findings: dict[str, Any]) -> tuple[str, str]:
    """Verdict and method by the first order that tells; Refusal where none does."""
    found = focus_at(q)
    findings |= {"lyapunov_coefficient": str(found.g), "order": len(found.forms)}
    if not found.g:
        raise Refusal(f"the coefficients up to the order {len(found.forms)} are zero", _WHERE)
    if found.g > 0:
        return "PROVED_UNSTABLE", METHOD
    return "PROVED_STABLE" if q.problem["focus"]["levels"] else "PROVED_ASYMPTOTICALLY_STABLE", METHOD


def focus_at(q: Question) -> Focus:
    """The focus of a question, found once."""
    levels = q.problem["focus"]["levels"]
    key = "focus", tuple((name, q.problem["invariants"].get(name)) for name in levels)
    if key not in q.remembered:
        q.remembered[key] = _focus(q, levels)
    return q.remembered[key]


def _focus(q: Question, levels: list[str]) -> Focus:
    q.require_kept(levels)
    n, names = len(q.labels), [*q.problem["leaf"], *levels]
    gradients = [q.function(name)[1] for name in names]
    if len(Span(gradients).rows) != len(names):
        raise Refusal("gradients of the level set are dependent at the point", _WHERE)
    W = nullspace(gradients, n)
    A = restricted(q.linearisation, W)
    if not all(isinstance(c, fmpq) for row in A for c in row):
        raise NotExact("series have rational coefficients")
    along, tangents = _plane(q, W, A, _turning_rate(A))
    found = _tangent_plane(q, along, tangents)
    # Beside a function that is conserved and no level the plane has closed orbits, as a rule: all g are zero.
    several = q.problem["invariants"].keys() <= {*levels}
    for order in ORDERS if several else ORDERS[:1]:
        rates = _surface(q, PowerSeries(2, order, q.numbers), along, found, names)
        forms, g = _function([series.coefficients() for series in rates], order + 1)
        if g:
            break
    return Focus(names, along, found, forms, g)


def _turning_rate(A: Rows) -> fmpq:
    """omega^2 of a matrix with two roots on the axis and all others to the left; Refusal of another."""
    p = fmpq_poly(list(characteristic(A))[::-1])
    symmetric = p.gcd(fmpq_poly([-c if k % 2 else c for k, c in enumerate(p.coeffs())]))
    if symmetric.degree() != 2 or symmetric[1] or not symmetric[0] / symmetric[2] > 0:
        raise Refusal("not two roots are on the axis", _WHERE)
    if not left_of_axis((p // symmetric).coeffs()[::-1]):
        raise Refusal("not all other roots lie to the left of the axis", _WHERE)
    return symmetric[0] / symmetric[2]


def _plane(q: Question, W: Rows, A: Rows, square: fmpq) -> tuple[list[str], Rows]:
    """Two free states, and of each state its slopes by them in the plane in which the linearisation turns."""
    n = len(q.labels)
    twice = product(A, A)
    shifted = [[c + square * (i == j) for j, c in enumerate(row)] for i, row in enumerate(twice)]
    kernel = nullspace(shifted, len(A))
    vectors = [[sum((c * w[i] for c, w in zip(v, W, strict=True)), _ZERO) for i in range(n)] for v in kernel]
    free = [max(i for i in range(n) if w[i]) for w in W]
    for i, j in combinations(sorted(free), 2):
        (a, b), (c, d) = ((v[i], v[j]) for v in vectors)
        if size := a * d - b * c:
            first = [(d * x - b * y) / size for x, y in zip(*vectors, strict=True)]
            second = [(a * y - c * x) / size for x, y in zip(*vectors, strict=True)]
            return [q.labels[i], q.labels[j]], [list(row) for row in zip(first, second, strict=True)]
    raise Refusal("no two states are variables of the plane", _WHERE)


def _tangent_plane(q: Question, along: list[str], tangents: Rows) -> dict[str, Polynomial]:
    """Series of the first order of what is not one of the two variables."""
    found: dict[str, Polynomial] = {}
    for k, jet in zip([*q.labels, *q.problem["unknowns"]], q.jets(q.moving_places), strict=True):
        if k not in along:
            slopes = [sum((c * tangents[i][j] for i, c in jet.first.items()), _ZERO) for j in (0, 1)]
            found[k] = {e: c for e, c in zip(((1, 0), (0, 1)), slopes, strict=True) if c}
    return found


def _surface(
    q: Question, ring: PowerSeries, along: list[str], found: dict[str, Polynomial], rows: list[str]
) -> list[Series]:
    """The rates of the two variables; series of all else are taken on from the order that they have."""
    names, places, moving = [*q.labels, *q.problem["unknowns"]], q.moving_places, [*found]
    start = dict(zip(names, q.values_at_point(), strict=True))
    constants = {p: Jet(ring.number(v)) for p, v in q.numbers_of("input", "parameter").items()}
    functions = q.problem["leaf"] | q.problem["invariants"]
    levels = [q.jets([functions[name]])[0].value for name in rows]
    if any(value is None for value in levels):
        raise Refusal("a level has no exact value at the point", _WHERE)

    others = [k for k in q.labels if k not in along]

    def at_series(given: dict[str, Polynomial]) -> tuple[list[Series], list[Series], list[Series]]:
        """Rates of the two variables, those of the other states, and what has to vanish besides."""
        moved = {k: ring.polynomial(given[k]) for k in moving}
        moved |= dict(zip(along, ring.variables, strict=True))
        at = constants | {p: Jet(moved[k] + start[k]) for k, p in zip(names, places, strict=True)}

        def values(nodes: Sequence[int]) -> list[Series]:
            return [jet.value for jet in evaluate(q.table, list(nodes), at, ring, 1)]

        field = dict(zip(q.labels, values(q.problem["field"]), strict=True))
        defects = values(q.problem["right"])
        for i, j, p in q.problem["matrix"]:
            defects[i] = defects[i] - values([p])[0] * at[places[len(q.labels) + j]].value
        kept = values([functions[name] for name in rows])
        defects += [F - level for F, level in zip(kept, levels, strict=True)]
        return [field[k] for k in along], [field[k] for k in others], defects

    def left_at(given: dict[str, Polynomial]) -> tuple[list[Series], list[Series]]:
        """Rates of the two variables, and all that has to vanish."""
        rates, fields, defects = at_series(given)
        moved = [ring.polynomial(given[k]) for k in others]
        left = [f - _derivative(ring, m, rates) for f, m in zip(fields, moved, strict=True)]
        return rates, [*left, *defects]

    if len(moving) * (ring.order + 1) > COEFFICIENTS:
        raise Refusal("the series have too many coefficients", _WHERE)
    first = _FirstOrder.of(ring, found, others, lambda given: [f for part in at_series(given) for f in part])
    for order in range(2 if ring.order == ORDERS[0] else ring.order - 1, ring.order + 1):
        _extend(ring, found, first, order, lambda given: left_at(given)[1])
    rates, left = left_at(found)
    if any(left):
        raise Refusal("the surface is not found by its series", _WHERE)
    return rates


class _FirstOrder(NamedTuple):
    """The slopes of the two rates, and of other states by name, by the two variables; and what rates and all
    that has to vanish gain with each unknown series. A term of the highest power enters them by these alone.
    """

    rates: Rows
    slopes: dict[str, list[fmpq]]
    gains: dict[str, list[fmpq]]

    @classmethod
    def of(
        cls,
        ring: PowerSeries,
        found: dict[str, Polynomial],
        others: list[str],
        values: Callable[[dict[str, Polynomial]], list[Series]],
    ) -> _FirstOrder:
        """By values about the point, up to the first power, with and without a multiple of a variable."""
        most, ring.order = ring.order, 1
        linear = {k: {e: c for e, c in f.items() if sum(e) == 1} for k, f in found.items()}
        own = [_slopes(series.coefficients()) for series in values(linear)]
        gains = {}
        for k, (slope, other) in {k: _slopes(f) for k, f in linear.items()}.items():
            moved = values(linear | {k: {(1, 0): slope + 1, (0, 1): other}})
            steeper = [_slopes(series.coefficients())[0] for series in moved]
            gains[k] = [a - b for a, (b, _) in zip(steeper, own, strict=True)]
        ring.order = most
        return cls(own[:2], {k: _slopes(linear[k]) for k in others}, gains)

    def column(self, k: str, e: tuple[int, ...], exponents: Sequence[tuple[int, ...]]) -> list[fmpq]:
        """What has to vanish gains by a term z^e of a series, at its powers."""
        (a, b), left = self.gains[k][:2], list[Polynomial]()
        fields, rest = self.gains[k][2 : 2 + len(self.slopes)], self.gains[k][2 + len(self.slopes) :]
        for (name, (s, t)), c in zip(self.slopes.items(), fields, strict=True):
            gain = {e: c - s * a - t * b}
            for i, slopes in enumerate(self.rates if name == k else ()):
                for j, slope in enumerate(slopes):
                    power = tuple(m - (n == i) + (n == j) for n, m in enumerate(e))
                    gain[power] = gain.get(power, _ZERO) - e[i] * slope
            left.append(gain)
        left += [{e: c} for c in rest]
        return [f.get(power, _ZERO) for f in left for power in exponents]


def _slopes(f: Polynomial) -> list[fmpq]:
    """Coefficients of the two variables."""
    return [f.get(e, _ZERO) for e in ((1, 0), (0, 1))]


def _extend(
    ring: PowerSeries,
    found: dict[str, Polynomial],
    first: _FirstOrder,
    order: int,
    residual: Callable[[dict[str, Polynomial]], list[Series]],
) -> None:
    """Terms of one more power into series: they enter what has to vanish in that power linearly."""
    most, ring.order = ring.order, order
    exponents = [(order - k, k) for k in range(order + 1)]
    left = [series.coefficients() for series in residual(found)]
    target = [-c.get(e, _ZERO) for c in left for e in exponents]
    unknown = [(k, e) for k in found for e in exponents]
    columns = [first.column(k, e, exponents) for k, e in unknown]
    for (k, e), c in zip(unknown, _solution(columns, target), strict=True):
        if c:
            found[k] = {**found[k], e: c}
    ring.order = most


def _solution(columns: Rows, target: list[fmpq]) -> list[fmpq]:
    """Numbers with which columns add up to a target; Refusal where there are none."""
    reduced, rank = fmpq_mat([[*row] for row in zip(*columns, target, strict=True)]).rref()
    found = [_ZERO] * len(columns)
    for r in range(rank):
        pivot = next(j for j in range(len(columns) + 1) if reduced[r, j])
        if pivot == len(columns):
            raise Refusal("equations of a series have no solution", _WHERE)
        found[pivot] = reduced[r, len(columns)]
    return found


def _derivative(ring: PowerSeries, function: Series, rates: Sequence[Series]) -> Series:
    """The derivative of a function of the two variables along their rates."""
    total = ring.number(_ZERO)
    for i, rate in enumerate(rates):
        slope: dict[tuple[int, ...], fmpq] = {}
        for e, c in function.coefficients().items():
            if e[i]:
                slope[tuple(k - (j == i) for j, k in enumerate(e))] = c * e[i]
        total = total + ring.polynomial(slope) * rate
    return total


def _function(rates: Sequence[Polynomial], last: int) -> tuple[list[list[fmpq]], fmpq]:
    """Forms of a function up to some power, and g of its rate."""
    J = [[rate.get(e, _ZERO) for e in ((1, 0), (0, 1))] for rate in rates]
    sense = 1 if J[1][0] > 0 else -1
    quadratic = [J[1][0] * sense, -2 * J[0][0] * sense, -J[0][1] * sense]
    powers = [(d - k, k) for d in range(2, last + 1) for k in range(d + 1)]
    second: Polynomial = dict(zip(powers, quadratic, strict=False))
    columns = [_rate({e: fmpq(1)}, rates, last) for e in powers[3:]]
    power: Polynomial = {(0, 0): fmpq(-1)}
    for _ in range(last // 2):
        power = _product(power, second)
    columns.append(power)
    table = [[column.get(e, _ZERO) for e in powers] for column in columns]
    target = _rate(second, rates, last)
    *found, g = _solution(table, [-target.get(e, _ZERO) for e in powers])
    forms = dict(zip(powers, [*quadratic, *found], strict=True))
    return [[forms[d - k, k] for k in range(d + 1)] for d in range(2, last + 1)], g


def _product(one: Polynomial, other: Polynomial) -> Polynomial:
    """That of two polynomials in the two variables."""
    total: Polynomial = {}
    for (a, b), c in one.items():
        for (d, e), f in other.items():
            total[a + d, b + e] = total.get((a + d, b + e), _ZERO) + c * f
    return total


def _rate(function: Polynomial, rates: Sequence[Polynomial], last: int) -> Polynomial:
    """The derivative of a polynomial in the two variables along their rates, up to some power."""
    total: Polynomial = {}
    for e, c in function.items():
        for i, rate in enumerate(rates):
            for f, d in rate.items() if e[i] else ():
                key = (e[0] + f[0] - (i == 0), e[1] + f[1] - (i == 1))
                if sum(key) <= last:
                    total[key] = total.get(key, _ZERO) + c * d * e[i]
    return total
