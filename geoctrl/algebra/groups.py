"""The standard Lie algebras, so(2), so(3), se(2), se(3) and R^k, and direct products.

Velocities are left-invariant, ``xi = s^{-1} sdot``: body axes.
"""

from __future__ import annotations

from fractions import Fraction

from geoctrl._checks import whole_number
from geoctrl.algebra._labels import numbered_labels
from geoctrl.algebra.lie import LieAlgebra
from geoctrl.algebra.representation.factor import AlgebraFactor, Rows
from geoctrl.algebra.structure import Entries
from geoctrl.errors import DescriptionError

LEVI_CIVITA = ((0, 1, 2, 1), (1, 2, 0, 1), (2, 0, 1, 1), (1, 0, 2, -1), (2, 1, 0, -1), (0, 2, 1, -1))
"""Entries (a, b, c, sign) with ``e_a x e_b = sign e_c``."""

_LARGEST = 1000


def so2() -> LieAlgebra:
    """Planar rotations: ``xi = (Omega)``, bracket zero.

    Examples
    --------
    >>> so2().labels
    ('Omega',)
    """
    return _standard("so2", ("Omega",), ("Pi",), (), spin=((0,), (0,), (1,)))


def so3() -> LieAlgebra:
    """Rotations of R^3: ``xi = Omega``, ``[Omega, Sigma] = Omega x Sigma``, ``ad*_Omega Pi = Pi x Omega``.

    Examples
    --------
    >>> so3().bracket([1, 0, 0], [0, 1, 0])
    array([0., 0., 1.])
    """
    return _standard(
        "so3", numbered_labels("Omega", 3), numbered_labels("Pi", 3), LEVI_CIVITA, spin=_unit_rows(3, 0, 3)
    )


def se2() -> LieAlgebra:
    """Planar rigid motions: ``xi = (Omega, Y)``, ``[(w1, y1), (w2, y2)] = (0, w1 J y2 - w2 J y1)``.

    J is the rotation by +90 degrees.

    Examples
    --------
    >>> se2().bracket([2, 0, 0], [0, 1, 0])
    array([0., 0., 2.])
    """
    brackets = ((0, 1, 2, 1), (1, 0, 2, -1), (0, 2, 1, -1), (2, 0, 1, 1))
    return _standard(
        "se2",
        ("Omega", "Y1", "Y2"),
        ("Pi", "P1", "P2"),
        brackets,
        spin=((0, 0, 0), (0, 0, 0), (1, 0, 0)),
        velocity=((0, 1, 0), (0, 0, 1), (0, 0, 0)),
    )


def se3() -> LieAlgebra:
    """Rigid motions of R^3: ``xi = (Omega, Y)``, ``[(O1, Y1), (O2, Y2)] = (O1 x O2, O1 x Y2 - O2 x Y1)``.

    Hence ``ad*_(Omega, Y)(Pi, P) = (Pi x Omega + P x Y, P x Omega)``.

    Examples
    --------
    >>> se3().labels
    ('Omega1', 'Omega2', 'Omega3', 'Y1', 'Y2', 'Y3')
    """
    turns_translation = tuple((a, b + 3, c + 3, sign) for a, b, c, sign in LEVI_CIVITA)
    translation_turned = tuple((b, a, c, -sign) for a, b, c, sign in turns_translation)
    return _standard(
        "se3",
        numbered_labels("Omega", 3) + numbered_labels("Y", 3),
        numbered_labels("Pi", 3) + numbered_labels("P", 3),
        LEVI_CIVITA + turns_translation + translation_turned,
        spin=_unit_rows(6, 0, 3),
        velocity=_unit_rows(6, 3, 3),
    )


def rn(k: int) -> LieAlgebra:
    """Translations of R^k: ``xi = (Y1, .., Yk)``, bracket zero.

    Raises
    ------
    DescriptionError
        If `k` is not an integer from 1 to 1000.

    Examples
    --------
    >>> rn(2).hat([3.0, 5.0])
    array([[0., 0., 3.],
           [0., 0., 5.],
           [0., 0., 0.]])
    """
    size = whole_number("k", k, 1, _LARGEST, DescriptionError)
    return _standard("rn", numbered_labels("Y", size), numbered_labels("P", size), ())


def product(*algebras: LieAlgebra) -> LieAlgebra:
    """Direct product: velocities one after the other, brackets between different factors zero.

    A label that occurs already gets a suffix with the number of its factor, counted from 1. Those of one's
    own, as given by `LieAlgebra.relabelled`, are kept. Factors of products are factors of the whole, so that
    nesting makes no difference to `xi`.

    Raises
    ------
    DescriptionError
        If nothing or something other than a `LieAlgebra` is given, two factors were given one label, or
        labels clash even with suffixes.

    Examples
    --------
    >>> product(so3(), rn(1), so3()).labels
    ('Omega1', 'Omega2', 'Omega3', 'Y1', 'Omega1_3', 'Omega2_3', 'Omega3_3')
    >>> product(so3(), rn(2).relabelled(["w1", "w2"], ["p1", "p2"])).labels
    ('Omega1', 'Omega2', 'Omega3', 'w1', 'w2')
    """
    if not algebras:
        raise DescriptionError("product needs at least one Lie algebra")
    for number, algebra in enumerate(algebras, start=1):
        if not isinstance(algebra, LieAlgebra):
            raise DescriptionError(f"argument {number} of product is {algebra!r}; a LieAlgebra is needed")
    total = sum(algebra.n for algebra in algebras)
    factors: list[AlgebraFactor] = []
    brackets: list[tuple[int, int, int, Fraction]] = []
    start = 0
    for algebra in algebras:
        factors += [factor.at_place(start + factor.start, total) for factor in algebra.factors]
        brackets += [(start + i, start + j, start + k, c) for i, j, k, c in algebra.brackets]
        start += algebra.n
    return LieAlgebra._from_parts(
        tuple(brackets),
        _distinct_labels(factors, [factor.labels for factor in factors]),
        _distinct_labels(factors, [factor.momentum_labels for factor in factors]),
        " x ".join(algebra.name or "?" for algebra in algebras) if len(algebras) > 1 else algebras[0].name,
        tuple(factors),
    )


def _distinct_labels(factors: list[AlgebraFactor], groups: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Labels one after the other, those that were chosen as they are, others with suffixes."""
    owners: dict[str, int] = {}
    for number, (factor, group) in enumerate(zip(factors, groups, strict=True), start=1):
        for label in factor.chosen.intersection(group):
            if (other := owners.setdefault(label, number)) != number:
                named = (f"{k} ({factors[k - 1].name or 'without a name'})" for k in (other, number))
                raise DescriptionError(
                    f"the label {label!r} was given to two factors, {' and '.join(named)}: give one of them "
                    "another by relabelled"
                )
    labels: list[str] = []
    for number, group in enumerate(groups, start=1):
        taken = {*labels, *(label for label, owner in owners.items() if owner != number)}
        labels += [f"{label}_{number}" if label in taken else label for label in group]
    return tuple(labels)


def _unit_rows(n: int, start: int, size: int) -> Rows:
    return tuple(tuple(int(column == start + row) for column in range(n)) for row in range(size))


def _standard(
    name: str,
    labels: tuple[str, ...],
    momentum_labels: tuple[str, ...],
    brackets: tuple[tuple[int, int, int, int], ...],
    spin: Rows | None = None,
    velocity: Rows | None = None,
) -> LieAlgebra:
    entries: Entries = tuple((i, j, k, Fraction(c)) for i, j, k, c in sorted(brackets))
    factor = AlgebraFactor(name, 0, len(labels), spin, velocity, name, labels, momentum_labels)
    return LieAlgebra._from_parts(entries, labels, momentum_labels, name, (factor,))
