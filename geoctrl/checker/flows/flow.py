r"""The flow of a problem over a period with its derivative, in balls (Lohner 1987; Moore 1977).

A file gives steps h and boxes B. With X the box of starts of a step, :math:`X + [0, h]\,F(B) \subset B`
shows that motions from X exist on [0, h] and stay in B (Picard); what Taylor's polynomial of degree N - 1
leaves out is the coefficient N over B times :math:`h^N` (Lagrange). The derivative by the start is
:math:`1 \pm g` on the step, :math:`g = e^{Lh} - 1` with :math:`|DF| \le L` over B (Gronwall); that gives what
its polynomial leaves out in the same way.

How far the motion from the middle may be off is carried along in axes Q, any matrix that has an inverse:
:math:`Q c` goes over to :math:`M Q c + e = Q_1 (Q_1^{-1} M Q\, c + Q_1^{-1} e)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from flint import arb, arb_mat, fmpq

from geoctrl.checker.flows.series import Motion, require_finite, value_at
from geoctrl.checker.limits import require
from geoctrl.checker.reader import integer

PARTS, FINE, WHOLE, UNIT, BITS, DEGREE = 1 << 40, 1 << 32, 1 << 60, 900, 4096, 200
"""Of the time, in which steps are whole; of a size, in which sides of boxes are; the largest of these
numbers, of powers of two as units, of bits and of degrees."""
_side = integer(-WHOLE, WHOLE)
FLOW = {
    "bits": integer(32, BITS),
    "degree": integer(2, DEGREE),
    "units": [integer(-UNIT, UNIT)],
}
STEPS: Any = [(integer(1, PARTS), [(_side, _side)])]
"""Exponents of two of the sizes of the states and of the time; lengths of steps, with boxes over sizes."""
Box = list[arb]


class Tube(NamedTuple):
    """Where motions are during a step.

    Attributes
    ----------
    length : fmpq
        h.
    box : list of arb
        B.
    near, over : list of arb_mat
        Coefficients from the box of starts up to the degree N - 1, and from all of B up to N.
    """

    length: fmpq
    box: Box
    near: list[arb_mat]
    over: list[arb_mat]


def step(motion: Motion, here: Box, X: Box, h: fmpq, sides: Box) -> tuple[arb_mat, arb_mat, Tube]:
    """Where the motion from the middle is after h, and the derivative over X; the period stays as it is."""
    N, H, n = motion.degree, arb(h), len(here)
    over = motion.coefficients([*sides, X[-1]], N)
    change = motion.derivatives(over, N)
    require_finite(over, change)
    reached = H * arb(fmpq(1, 2), fmpq(1, 2))
    moved = [x + reached * f for x, f in zip(X, over[1].entries(), strict=True)]
    require(
        all(b.contains(x) for b, x in zip(sides, moved[:-1], strict=True)),
        "motions are not shown to stay in the box of a step",
        "theorem.steps",
    )
    rows = (sum((abs(c) for c in row), arb(0)) for row in change[1].tolist())
    g = ((reduce(arb.max, rows) * H).exp() - 1).abs_upper()
    left = change[N] * (arb_mat(n, n, 1) + arb_mat(n, n, [arb(0, g)] * (n * n)))
    end = value_at([*motion.coefficients(here, N - 1), over[N]], H)
    near = motion.coefficients(X, N - 1)
    M = value_at([*motion.derivatives(near, N - 1), left], H)
    require_finite([end, M])
    return end, M, Tube(h, sides, near, over)


def axes(moved: arb_mat) -> arb_mat:
    """About orthogonal columns with the same spans, the longest first; their middles."""
    found: list[arb_mat] = []
    columns = [arb_mat([[c.mid()] for c in column]) for column in moved.transpose().tolist()]
    for beside in sorted(columns, key=lambda c: -float(_product(c, c))):
        for q in found:
            beside = beside - q * _product(q, beside)
        found.append((beside / _product(beside, beside).sqrt()).mid())
    return arb_mat([q.entries() for q in found]).transpose()


def _product(a: arb_mat, b: arb_mat) -> arb:
    return (a.transpose() * b)[0, 0].mid()


class Bundle:
    """Motions from all starts within radii about one, carried on step by step.

    Parameters
    ----------
    motion : Motion
    start : list of arb
    radii : sequence of fmpq

    Attributes
    ----------
    total : arb_mat
        Derivatives by the starts, over all of them.
    """

    def __init__(self, motion: Motion, start: Box, radii: Sequence[fmpq]) -> None:
        n = len(start)
        self._motion, self._here = motion, [x.mid() for x in start]
        self._spread = arb_mat([[arb(0, r)] for r in radii])
        self._axes, self.total = arb_mat(n, n, 1), arb_mat(n, n, 1)
        self._off = arb_mat([[x - m] for x, m in zip(start, self._here, strict=True)])

    @property
    def middle(self) -> Box:
        """Where the motion from the start is."""
        return (arb_mat([[x] for x in self._here]) + self._axes * self._off).entries()

    @property
    def box(self) -> Box:
        """Where those from all starts are."""
        away = self._axes * self._off + self.total * self._spread
        return [x + a for x, a in zip(self._here, away.entries(), strict=True)]

    def carry(self, h: fmpq, B: Box) -> Tube:
        """Over a step with its box, in which all of them stay."""
        end, M, tube = step(self._motion, self._here, self.box, h, B)
        moved = M * self._axes
        self._here, self._axes = [x.mid() for x in end.entries()], axes(moved)
        inverse = self._axes.inv()
        left = arb_mat([[x - m] for x, m in zip(end.entries(), self._here, strict=True)])
        self._off, self.total = (inverse * moved) * self._off + inverse * left, M * self.total
        return tube


def flow(
    motion: Motion, start: Box, radii: Sequence[fmpq], steps: Sequence[Any], watch: Callable[[Tube], None]
) -> Bundle:
    """Motions from all starts within radii about one, after steps of a file; ``watch`` is told of each."""
    require(sum(h for h, _ in steps) == PARTS, "steps do not add up to the time", "theorem.steps")
    bundle = Bundle(motion, start, radii)
    for h, sides in steps:
        watch(bundle.carry(fmpq(h, PARTS), [*map(interval_of, sides)]))
    return bundle


def interval_of(sides: Sequence[int]) -> arb:
    """A side of a box, in parts of a size."""
    a, b = sides
    return arb(fmpq(a + b, 2 * FINE), fmpq(abs(b - a), 2 * FINE))
