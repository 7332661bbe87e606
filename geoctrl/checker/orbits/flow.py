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

from flint import arb, arb_mat, fmpq

from geoctrl.checker.limits import Refusal
from geoctrl.checker.orbits.series import Motion, require_finite, value_at

Box = list[arb]


def step(motion: Motion, here: Box, X: Box, h: fmpq, sides: Box) -> tuple[arb_mat, arb_mat]:
    """Where the motion from the middle is after h, and the derivative over X; the period stays as it is."""
    N, H, n = motion.degree, arb(h), len(here)
    over = motion.coefficients([*sides, X[-1]], N)
    change = motion.derivatives(over, N)
    require_finite(over, change)
    reached = H * arb(fmpq(1, 2), fmpq(1, 2))
    moved = [x + reached * f for x, f in zip(X, over[1].entries(), strict=True)]
    if not all(b.contains(x) for b, x in zip(sides, moved[:-1], strict=True)):
        raise Refusal("motions are not shown to stay in the box of a step", "theorem.steps")
    rows = (sum((abs(c) for c in row), arb(0)) for row in change[1].tolist())
    g = ((reduce(arb.max, rows) * H).exp() - 1).abs_upper()
    left = change[N] * (arb_mat(n, n, 1) + arb_mat(n, n, [arb(0, g)] * (n * n)))
    end = value_at([*motion.coefficients(here, N - 1), over[N]], H)
    M = value_at([*motion.derivatives(motion.coefficients(X, N - 1), N - 1), left], H)
    require_finite([end, M])
    return end, M


def axes(moved: arb_mat) -> arb_mat:
    """About orthogonal columns with the same spans, the longest first; their middles."""
    found: list[arb_mat] = []
    columns = [arb_mat([[c.mid()] for c in column]) for column in moved.transpose().tolist()]
    for column in sorted(columns, key=lambda c: -float(_product(c, c))):
        beside = column
        for q in found:
            beside = beside - q * _product(q, beside)
        found.append((beside / _product(beside, beside).sqrt()).mid())
    return arb_mat([q.entries() for q in found]).transpose()


def _product(a: arb_mat, b: arb_mat) -> arb:
    return (a.transpose() * b)[0, 0].mid()


def flow(
    motion: Motion,
    start: Box,
    radii: Sequence[fmpq],
    steps: Sequence[tuple[fmpq, Box]],
    watch: Callable[[Box], None],
) -> tuple[Box, Box, arb_mat]:
    """End of the motion from a start, ends of those within radii about it, and the derivative over these;
    ``watch`` is told of all boxes in which they are.
    """
    n = len(start)
    here, spread = [x.mid() for x in start], arb_mat([[arb(0, r)] for r in radii])
    total, Q, off = (
        arb_mat(n, n, 1),
        arb_mat(n, n, 1),
        arb_mat([[x - m] for x, m in zip(start, here, strict=True)]),
    )
    for h, B in steps:
        away = Q * off + total * spread
        end, M = step(motion, here, [x + a for x, a in zip(here, away.entries(), strict=True)], h, B)
        watch(B)
        here, moved = [x.mid() for x in end.entries()], M * Q
        Q = axes(moved)
        inverse = Q.inv()
        left = arb_mat([[x - m] for x, m in zip(end.entries(), here, strict=True)])
        off, total = (inverse * moved) * off + inverse * left, M * total
    end = arb_mat([[x] for x in here]) + Q * off
    return end.entries(), (end + total * spread).entries(), total
