r"""Where some combination of symmetric matrices is definite, as a formula in signs.

Matrices of rational functions, in blocks that all of them share. With :math:`R(y) = \sum_a y_a R_a`:

- one matrix: its leading minors;
- one 2 x 2 block: :math:`\det R(y)` is a quadratic form in y, which takes a positive value unless it is
  negative semidefinite;
- :math:`R_0 + c R_1` with :math:`R_1` of rank one: definite for some c if and only if :math:`R_0` is on the
  kernel of :math:`R_1` (Finsler);
- :math:`R_0 + c R_1` in blocks of size one and two: each is definite with one sense on an interval of c, and
  intervals meet if they do in pairs (Helly). A block with :math:`\det = \alpha c^2 + \beta c + \gamma`,
  :math:`\alpha < 0`, is definite within :math:`m \mp \sqrt\rho`, :math:`m = -\beta/(2\alpha)`,
  :math:`\rho = (\beta^2 - 4 \alpha\gamma)/(4\alpha^2)`; two such intervals meet if and only if
  :math:`S = (m_1 - m_2)^2 - \rho_1 - \rho_2` is negative or :math:`S^2 < 4 \rho_1 \rho_2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from geoctrl.analysis.symbolic.formulas import Formula
from geoctrl.analysis.symbolic.rational_functions import RationalFunction
from geoctrl.analysis.symbolic.sign_conditions import KnownSigns

__all__ = ["blocks_of", "definite_somewhere", "leading_minors", "positive_definite"]

Form = list[list[RationalFunction]]


def blocks_of(forms: Sequence[Form]) -> list[list[int]]:
    """Indices of the finest blocks into which all the matrices fall, the symmetry of the pattern given."""
    size = len(forms[0])
    left, blocks = list(range(size)), []
    while left:
        block = [left.pop(0)]
        for i in block:
            joined = [j for j in left if any(R[i][j] or R[j][i] for R in forms)]
            block += joined
            left = [j for j in left if j not in joined]
        blocks.append(sorted(block))
    return blocks


def leading_minors(form: Form) -> list[RationalFunction]:
    """Leading principal minors, up to the first that vanishes."""
    if form and not form[0][0].field.squares:
        return _minors_of_polynomials(form)
    rows = [list(row) for row in form]
    minors: list[RationalFunction] = []
    for k, pivot_row in enumerate(rows):
        minors.append(pivot_row[k] * minors[-1] if minors else pivot_row[k])
        if not minors[-1]:
            break
        for row in rows[k + 1 :]:
            if row[k]:
                factor = row[k] / pivot_row[k]
                for j in range(k, len(rows)):
                    row[j] = row[j] - factor * pivot_row[j]
    return minors


def _minors_of_polynomials(form: Form) -> list[RationalFunction]:
    """The same by elimination without fractions (Bareiss): the denominators of the rows are kept apart."""
    field = form[0][0].field
    rows, belows = map(list, zip(*map(field.without_denominators, form), strict=True))
    minors: list[RationalFunction] = []
    before, below = field.ring.constant(1), field.ring.constant(1)
    for k, pivot_row in enumerate(rows):
        pivot, below = pivot_row[k], field.times(below, belows[k])
        minors.append(field.quotient(pivot, below))
        if not pivot:
            break
        for i in range(k + 1, len(rows)):
            row = rows[i]
            for j in range(k + 1, len(rows)):
                crossed = field.times(pivot, row[j]) - field.times(row[k], pivot_row[j])
                row[j] = crossed / before
        before = pivot
    return minors


def definite_somewhere(signs: KnownSigns, forms: Sequence[Form]) -> tuple[Formula | None, str]:
    """Where some combination of the forms is definite; where that is not known, None and why.

    The formula suffices always; it is necessary as well wherever the leading coefficient of a 2 x 2 block is
    not positive.
    """
    if not forms[0]:
        return True, ""
    blocks = [[[[R[i][j] for j in b] for i in b] for R in forms] for b in blocks_of(forms)]
    if len(forms) == 1:
        each = [block[0] for block in blocks]
        return signs.either(_of_one_sense(signs, each, sense) for sense in (1, -1)), ""
    distinct = _distinct(blocks)
    if len(distinct) == 1 and len(distinct[0][0]) == 2:
        return _determinant_positive(signs, distinct[0]), ""
    if len(forms) > 2:
        return None, f"{len(forms)} independent multipliers, in blocks of more than one kind"
    kernel = _kernel_of_rank_one(forms[1])
    if kernel is not None:
        rest = [[_product(v, forms[0], w) for w in kernel] for v in kernel]
        return definite_somewhere(signs, [rest])
    if any(len(block[0]) > 2 for block in distinct):
        return None, "2 independent multipliers, in blocks larger than two"
    return signs.either(_meeting(signs, distinct, sense) for sense in (1, -1)), ""


def positive_definite(signs: KnownSigns, form: Form) -> Formula:
    """Where a form is."""
    return _of_one_sense(signs, [[[form[i][j] for j in b] for i in b] for b in blocks_of([form])], 1)


def _of_one_sense(signs: KnownSigns, blocks: Sequence[Form], sense: int) -> Formula:
    return signs.every(
        signs.positive(sense**order * minor)
        for block in blocks
        for order, minor in enumerate(leading_minors(block), start=1)
    )


def _product(v: list[RationalFunction], R: Form, w: list[RationalFunction]) -> RationalFunction:
    total = v[0].field.zero
    for a, row in zip(v, R, strict=True):
        for e, b in zip(row, w, strict=True):
            if a and e and b:
                total = total + a * e * b
    return total


def _kernel_of_rank_one(R: Form) -> Form | None:
    """The kernel of a symmetric matrix of rank one; None for one of another rank."""
    place = next((i for i in range(len(R)) if R[i][i]), None)
    if place is None:
        return None
    row = [e / R[place][place] for e in R[place]]
    n = range(len(R))
    if any(R[i][j] - row[i] * row[j] * R[place][place] for i in n for j in n):
        return None
    field = R[place][place].field
    basis = []
    for j in n:
        if j != place:
            vector = [field.zero for _ in n]
            vector[j], vector[place] = field.one, -row[j]
            basis.append(vector)
    return basis


# -- blocks of size one and two --------------------------------------------------------------------------


def _determinant_positive(signs: KnownSigns, block: Sequence[Form]) -> Formula:
    """Where det of a combination of 2 x 2 matrices takes a positive value: some Gram minor says so."""
    halves = [[_bilinear_form(a, b) for b in block] for a in block]
    # A plane on which the form is not negative semidefinite, though both of its axes may be negative.
    candidates = [
        signs.positive(halves[i][j] * halves[i][j] - halves[i][i] * halves[j][j])
        for i, j in combinations(range(len(block)), 2)
    ]
    # Where one axis is negative, the other one adds nothing to the plane.
    if not any(signs.is_negative(halves[i][i]) for i in range(len(block))) or len(block) > 2:
        candidates += [signs.positive(halves[i][i]) for i in range(len(block))]
    # Three independent ones span all symmetric 2 x 2 matrices.
    candidates += [signs.nonzero(_volume(three)) for three in combinations(block, 3)]
    return signs.either(candidates)


def _bilinear_form(a: Form, b: Form) -> RationalFunction:
    """The bilinear form of the determinant."""
    return (a[0][0] * b[1][1] + b[0][0] * a[1][1] - 2 * a[0][1] * b[0][1]) / 2


def _volume(forms: Sequence[Form]) -> RationalFunction:
    (a, b, c), (d, e, f), (g, h, i) = ((R[0][0], R[0][1], R[1][1]) for R in forms)
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def _distinct(blocks: Sequence[Sequence[Form]]) -> list[Sequence[Form]]:
    """Blocks, of those that are definite together and with one sense only the first."""
    found: list[Sequence[Form]] = []
    for block in blocks:
        if not any(_equally_definite(block, other) for other in found):
            found.append(block)
    return found


def _equally_definite(a: Sequence[Form], b: Sequence[Form]) -> bool:
    size = len(a[0])
    if len(b[0]) != size or size > 2:
        return False
    if size == 1:
        return all(R[0][0] == S[0][0] for R, S in zip(a, b, strict=True))
    n = range(len(a))
    same = all(_bilinear_form(a[i], a[j]) == _bilinear_form(b[i], b[j]) for i in n for j in n)
    return same and any(all(R[0][0] == S[k][k] for R, S in zip(a, b, strict=True)) for k in (0, 1))


@dataclass(frozen=True)
class _Interval:
    """Where a block of R0 + c R1 is definite: entry = u + v c, and det = alpha c^2 + beta c + gamma."""

    u: RationalFunction
    v: RationalFunction
    alpha: RationalFunction
    beta: RationalFunction
    gamma: RationalFunction

    @classmethod
    def of(cls, block: Sequence[Form]) -> _Interval:
        R, S = block
        return cls(R[0][0], S[0][0], _bilinear_form(S, S), 2 * _bilinear_form(R, S), _bilinear_form(R, R))

    @property
    def m(self) -> RationalFunction:
        return -self.beta / (2 * self.alpha)

    @property
    def rho(self) -> RationalFunction:
        return (self.beta * self.beta - 4 * self.alpha * self.gamma) / (4 * self.alpha * self.alpha)


def _meeting(signs: KnownSigns, blocks: Sequence[Sequence[Form]], sense: int) -> Formula:
    """Where all blocks are definite with one sense for some c."""
    parts: list[Formula] = []
    lines: list[tuple[RationalFunction, RationalFunction]] = []
    intervals: list[_Interval] = []
    for R, S in blocks:
        if not any(any(row) for row in S):
            parts.append(_of_one_sense(signs, [R], sense))
        elif len(R) == 1:
            lines.append((R[0][0] * sense, S[0][0] * sense))
        else:
            interval = _Interval.of((R, S))
            entry = sense * interval.u, sense * interval.v
            if not interval.alpha:
                # The determinant is linear, and where it is positive the entry has one sign.
                for a, b in ((interval.gamma, interval.beta), entry):
                    if b:
                        lines.append((a, b))
                    else:
                        parts.append(signs.positive(a))
                continue
            intervals.append(interval)
            parts += [signs.negative(interval.alpha), signs.positive(interval.rho)]
            parts.append(signs.positive(entry[0] + entry[1] * interval.m))
    parts += [_lines_meet(signs, p, q) for p, q in combinations(lines, 2)]
    for interval in intervals:
        parts += [_line_meets(signs, line, interval) for line in lines]
    parts += [_intervals_meet(signs, p, q) for p, q in combinations(intervals, 2)]
    return signs.every(parts)


def _lines_meet(
    signs: KnownSigns,
    p: tuple[RationalFunction, RationalFunction],
    q: tuple[RationalFunction, RationalFunction],
) -> Formula:
    """Where a1 + b1 c > 0 and a2 + b2 c > 0 for some c, with b1 and b2 not zero."""
    (a, b), (d, e) = p, q
    same = signs.positive(b * e)
    apart = [
        signs.every([signs.positive(s * b), signs.negative(s * e), signs.positive(s * (b * d - e * a))])
        for s in (1, -1)
    ]
    return signs.either([same, *apart])


def _line_meets(
    signs: KnownSigns, line: tuple[RationalFunction, RationalFunction], interval: _Interval
) -> Formula:
    """Where a + b c > 0 for some c of the interval m -+ sqrt(rho)."""
    a, b = line
    middle = a + b * interval.m
    return signs.either([signs.positive(middle), signs.positive(interval.rho * b * b - middle * middle)])


def _intervals_meet(signs: KnownSigns, p: _Interval, q: _Interval) -> Formula:
    S = (p.m - q.m) * (p.m - q.m) - p.rho - q.rho
    return signs.either([signs.negative(S), signs.positive(4 * p.rho * q.rho - S * S)])
