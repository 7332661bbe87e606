"""One factor of a product of Lie algebras: its place in xi, its rotations and the velocity of its frame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class AlgebraFactor:
    """Factor of a Lie algebra; its maps apply to the full ``xi`` of the product.

    Attributes
    ----------
    name : str
        ``so3``, ``se3``, ``so2``, ``se2``, ``rn``, or the name of an algebra given by structure constants.
    start, size : int
        The factor is ``xi[start:start + size]``.
    spin : tuple of 3 rows of n ints, or None
        ``omega = spin @ xi``, the angular velocity in R^3, in body axes; planar factors turn about axis 3.
        None for a factor without rotations.
    velocity : tuple of 3 rows of n ints, or None
        ``velocity @ xi``, the velocity of the frame's origin in body axes; ``(Y1, Y2, 0)`` for se2.
        None where there is no frame that moves.
    group : str or None
        Matrix group behind `hat`, `exp` and the like; None for structure constants alone.
    labels, momentum_labels : tuple of str
        Labels of the factor on its own, before a product adds suffixes.
    chosen : frozenset of str
        Those of both that a user has given, which products keep.

    Examples
    --------
    >>> from geoctrl.algebra import product, rn, se2
    >>> factor = product(rn(1), se2()).factors[1]
    >>> factor.xi_slice, factor.velocity
    (slice(1, 4, None), ((0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 0, 0)))
    """

    name: str
    start: int
    size: int
    spin: Rows | None = None
    velocity: Rows | None = None
    group: str | None = None
    labels: tuple[str, ...] = ()
    momentum_labels: tuple[str, ...] = ()
    chosen: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def xi_slice(self) -> slice:
        """Place of the factor in ``xi``."""
        return slice(self.start, self.start + self.size)

    def at_place(self, start: int, total: int) -> AlgebraFactor:
        """The same factor at another place of an algebra of dimension `total`."""

        def shift(rows: Rows | None) -> Rows | None:
            if rows is None:
                return None
            after = (0,) * (total - start - self.size)
            return tuple((0,) * start + row[self.start : self.start + self.size] + after for row in rows)

        return replace(self, start=start, spin=shift(self.spin), velocity=shift(self.velocity))
