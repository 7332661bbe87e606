"""Random choices over rational numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

Row = list[Fraction]


class Dice:
    """Random choices over rational numbers."""

    def __init__(self, seed: int, index: int) -> None:
        self.rng = np.random.default_rng([seed, index])

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def pick(self, items: Sequence):
        return items[int(self.rng.integers(len(items)))]

    def weighted(self, items: Sequence[tuple[int, object]]):
        weights = np.array([w for w, _ in items], dtype=float)
        return items[int(self.rng.choice(len(items), p=weights / weights.sum()))][1]

    def small(self, zero: float = 0.3) -> Fraction:
        """A number of little height, zero with the given probability."""
        if self.chance(zero):
            return Fraction(0)
        return Fraction(int(self.pick([-3, -2, -1, 1, 2, 3])), int(self.pick([1, 1, 2, 4, 3])))

    def positive(self) -> Fraction:
        return Fraction(int(self.rng.integers(1, 8)), int(self.pick([1, 1, 2, 4, 5])))

    def vector(self, n: int, zero: float = 0.3) -> Row:
        return [self.small(zero) for _ in range(n)]

    def rotation(self, planar: bool) -> list[Row]:
        """A rotation in rationals, often one that permutes the axes."""
        if planar:
            c, s = self.pick(
                [
                    (1, 0),
                    (-1, 0),
                    (0, 1),
                    (Fraction(3, 5), Fraction(4, 5)),
                    (Fraction(-5, 13), Fraction(12, 13)),
                ]
            )
            return [
                [Fraction(c), Fraction(-s), Fraction(0)],
                [Fraction(s), Fraction(c), Fraction(0)],
                [Fraction(0)] * 2 + [Fraction(1)],
            ]
        simple = [
            (1, 0, 0, 0),
            (0, 1, 0, 0),
            (0, 0, 1, 0),
            (0, 0, 0, 1),
            (1, 1, 0, 0),
            (1, 0, 1, 0),
            (1, 1, 1, 1),
        ]
        q = self.pick(simple) if self.chance(0.75) else tuple(int(v) for v in self.rng.integers(-3, 4, 4))
        a, b, c, d = q if any(q) else (1, 0, 0, 0)
        total = a * a + b * b + c * c + d * d
        rows = [
            [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
        ]
        return [[Fraction(v, total) for v in row] for row in rows]

    def definite(self, n: int) -> list[Row]:
        """Symmetric positive definite: diagonal, with equal moments, full, or ill-scaled."""
        # Full matrices of many rows make the search for invariants long, hence are rarer there.
        full = 35 if n <= 3 else 12
        style = self.weighted([(35, "diagonal"), (20, "equal"), (full, "full"), (10, "scaled")])
        diagonal = [self.positive() for _ in range(n)]
        if style == "equal":
            for i in range(1, n):
                if self.chance(0.6):
                    diagonal[i] = diagonal[i - 1]
        A = [[diagonal[i] if i == j else Fraction(0) for j in range(n)] for i in range(n)]
        if style in ("full", "scaled"):
            for _ in range(int(self.rng.integers(1, 3))):
                v = [Fraction(int(w)) for w in self.rng.integers(-1, 2, n)]
                A = [[A[i][j] + v[i] * v[j] for j in range(n)] for i in range(n)]
        if style == "scaled":
            d = [Fraction(10) ** int(self.rng.integers(-3, 4)) for _ in range(n)]
            A = [[A[i][j] * d[i] * d[j] for j in range(n)] for i in range(n)]
        return A
