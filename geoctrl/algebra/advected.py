"""Advected parameters: what the group carries along and the Lagrangian depends on.

The algebra acts by a representation, ``(xi a)_i = sum_jk kappa[i, j, k] xi_j a_k``, and ``adot = -xi a``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import whole_number
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import Vector
from geoctrl.algebra._exact import exact_array
from geoctrl.algebra._labels import check_identifier, numbered_labels, real_symbols
from geoctrl.algebra.groups import LEVI_CIVITA
from geoctrl.algebra.lie import LieAlgebra
from geoctrl.algebra.representation._arrays import is_symbolic, pack, read_array, times
from geoctrl.algebra.representation.factor import AlgebraFactor
from geoctrl.algebra.structure import Entries
from geoctrl.errors import DescriptionError


@dataclass(frozen=True, init=False)
class AdvectedVector(Vector):
    """Vector fixed in space, seen from a body: ``Gamma = R^T reference``, ``Gammadot = Gamma x omega``.

    On so2 and se2 it may be a vector of the plane, ``Gammadot = omega (Gamma2, -Gamma1)``.

    Parameters
    ----------
    name : str
        The components are the symbols name1, name2, name3.
    reference : sequence of 3 numbers, or of 2 in a plane
        The vector in space; kept exactly, floats as the rationals that they are.
    of : int, optional
        Number, from 1, of the factor whose rotation turns it; by default the first with rotations, for two
        numbers the first planar one.

    Raises
    ------
    DescriptionError
        If the name is not an identifier, the reference is not two or three finite numbers, not all zero, or
        `of` is not a positive integer.

    Examples
    --------
    >>> from geoctrl.algebra import se3
    >>> Gamma = AdvectedVector("Gamma")
    >>> Gamma.symbols.T
    Matrix([[Gamma1, Gamma2, Gamma3]])
    >>> 2 * Gamma[2] + Gamma.dot([0, 1, 0])  # in expressions it is that column
    Gamma2 + 2*Gamma3
    >>> Gamma.action(se3())[0]
    (0, 1, 2, Fraction(1, 1))
    """

    name: str
    reference: tuple[Fraction, ...]
    of: int | None

    def __init__(self, name: str, reference: Sequence[Any] = (0, 0, 1), of: int | None = None) -> None:
        check_identifier(name, "name")
        direction = _read_reference(reference, 2, 3)
        if not any(direction):
            raise DescriptionError("reference is zero; an advected vector needs a direction")
        if of is not None:
            of = whole_number("of, the number of a factor,", of, 1, error=DescriptionError)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "reference", direction)
        object.__setattr__(self, "of", of)

    @property
    def dimension(self) -> int:
        """Number of components, 3, or 2 in a plane."""
        return len(self.reference)

    @property
    def symbols(self) -> sp.ImmutableMatrix:
        """Column of the real symbols of the components."""
        return real_symbols(numbered_labels(self.name, self.dimension))

    def factor_index(self, algebra: LieAlgebra) -> int:
        """Position, from 0, of the factor that turns the vector.

        Raises
        ------
        DescriptionError
            If the algebra has no such factor, or the factor has no rotations, or turns a vector out of its
            plane.
        """
        factors = algebra.factors
        number = self.of
        if number is None:
            turning = (at for at, factor in enumerate(factors, start=1) if self._is_turned_by(factor))
            number = next(turning, None)
            if number is None:
                kind = "rotations" if self.dimension == 3 else "rotations of a plane"
                raise DescriptionError(
                    f"{self.name}: no factor of {algebra!r} has {kind} to turn its {self.dimension} "
                    "components"
                )
        if number > len(factors):
            raise DescriptionError(
                f"{self.name}: of = {number}, but {algebra!r} has factors 1 to {len(factors)}"
            )
        factor = factors[number - 1]
        if factor.spin is None:
            raise DescriptionError(f"{self.name}: factor {number} ({factor.name}) has no rotations")
        if not self._is_turned_by(factor):
            raise DescriptionError(
                f"{self.name}: factor {number} ({factor.name}) turns it out of its plane; 3 components are "
                "needed"
            )
        return number - 1

    def _is_turned_by(self, factor: AlgebraFactor) -> bool:
        """Whether a factor has rotations, of the plane alone where the vector has two components."""
        return factor.spin is not None and (self.dimension == 3 or not any(map(any, factor.spin[:2])))

    def action(self, algebra: LieAlgebra) -> Entries:
        """Nonzero (i, j, k, kappa) of ``xi Gamma = omega x Gamma``, omega the spin of the factor.

        Raises
        ------
        DescriptionError
            If the algebra has no such factor, or the factor has no rotations.
        """
        spin, d = algebra.factors[self.factor_index(algebra)].spin or (), self.dimension
        return tuple(
            sorted(
                (i, j, k, Fraction(sign * weight))
                for a, k, i, sign in LEVI_CIVITA
                for j, weight in enumerate(spin[a])
                if weight and i < d and k < d
            )
        )

    _lines = record_lines
    full = full_text
    __repr__ = short_form


@dataclass(frozen=True, init=False)
class AdvectedParameter(Vector):
    """Parameter in any representation: ``(xi a)_i = sum_jk kappa[i, j, k] xi_j a_k``, ``adot = -xi a``.

    Parameters
    ----------
    name : str
        The components are the symbols name1, .., named.
    action : array_like, shape (d, n, d)
        kappa, exact numbers. That ``rho(xi) = sum_j kappa[:, j, :] xi_j`` is a representation is checked
        once the algebra is known, by the method `action`.
    reference : sequence of d numbers
        Value in space, kept exactly.

    Attributes
    ----------
    kappa : nested tuple of Fraction
        The array given as `action`.

    Raises
    ------
    DescriptionError
        If the name is not an identifier, a shape is wrong, or a number is not finite and rational.

    Examples
    --------
    Rows of a rotation matrix in the plane, ``rho(Omega) = Omega J``:

    >>> from geoctrl.algebra import so2
    >>> c = AdvectedParameter("c", [[[0, -1]], [[1, 0]]], reference=(1, 0))
    >>> c.action(so2())
    ((0, 0, 1, Fraction(-1, 1)), (1, 0, 0, Fraction(1, 1)))
    """

    name: str
    kappa: tuple[tuple[tuple[Fraction, ...], ...], ...] = field(repr=False)
    reference: tuple[Fraction, ...]

    def __init__(self, name: str, action: Any, reference: Sequence[Any]) -> None:
        check_identifier(name, "name")
        kappa = exact_array(action, 3, "action")
        if kappa.shape[0] != kappa.shape[2]:
            raise DescriptionError(f"action has shape {kappa.shape}; (d, n, d) is needed")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "kappa", tuple(tuple(map(tuple, plane)) for plane in kappa))
        object.__setattr__(self, "reference", _read_reference(reference, kappa.shape[0]))

    @property
    def dimension(self) -> int:
        """Number of components, d."""
        return len(self.kappa)

    @property
    def symbols(self) -> sp.ImmutableMatrix:
        """Column of the real symbols of the components."""
        return real_symbols(numbered_labels(self.name, self.dimension))

    def action(self, algebra: LieAlgebra) -> Entries:
        """Nonzero (i, j, k, kappa[i, j, k]), checked exactly to be a representation of `algebra`.

        Raises
        ------
        DescriptionError
            If n is not the dimension of the algebra, or ``rho([x, y]) = rho(x) rho(y) - rho(y) rho(x)``
            fails for two basis elements, which are named.
        """
        d, n = self.dimension, len(self.kappa[0])
        if n != algebra.n:
            raise DescriptionError(f"{self.name}: action has shape {d, n, d}; {d, algebra.n, d} is needed")
        entries = tuple(
            (i, j, k, self.kappa[i][j][k]) for i, j, k in np.ndindex(d, n, d) if self.kappa[i][j][k]
        )
        rho = [np.array([row[j] for row in self.kappa], dtype=object) for j in range(n)]
        of_bracket: dict[tuple[int, int], Any] = defaultdict(lambda: 0 * rho[0])
        for i, j, k, c in algebra.brackets:
            of_bracket[i, j] = of_bracket[i, j] + c * rho[k]
        for i in range(n):
            for j in range(i + 1, n):
                if np.any(rho[i] @ rho[j] - rho[j] @ rho[i] != of_bracket[i, j]):
                    raise DescriptionError(
                        f"{self.name}: action is not a representation: rho([x, y]) differs from "
                        f"rho(x) rho(y) - rho(y) rho(x) for the basis elements {algebra.labels[i]} and "
                        f"{algebra.labels[j]}; a sign or the order of the indices may be wrong"
                    )
        return entries

    _lines = record_lines
    full = full_text
    __repr__ = short_form


def momentum_map(action_entries: Iterable[tuple[int, int, int, Fraction]], n: int, x: Any, a: Any) -> Any:
    """Covector ``K(x, a)`` with ``<K(x, a), xi> = -<xi a, x>``: ``K_j = -sum_ik kappa[i, j, k] a_k x_i``.

    Parameters
    ----------
    action_entries : iterable of (int, int, int, Fraction)
        Nonzero (i, j, k, kappa[i, j, k]), as `AdvectedVector.action` gives them.
    n : int
        Dimension of the algebra.
    x, a : array_like or sympy matrix, shape (d,)
        Covector, for instance the gradient of a potential, and parameter.

    Returns
    -------
    numpy.ndarray, shape (n,), or sympy.ImmutableMatrix, shape (n, 1)

    Examples
    --------
    ``K(x, Gamma) = x x Gamma`` on so(3):

    >>> from geoctrl.algebra import so3
    >>> momentum_map(AdvectedVector("Gamma").action(so3()), 3, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    array([0., 0., 1.])
    """
    size, symbolic = len(x), is_symbolic(x, a)
    covector, parameter = read_array(x, (size,), "x", symbolic), read_array(a, (size,), "a", symbolic)
    out = np.zeros(n, dtype=np.result_type(covector, parameter))
    for i, j, k, c in action_entries:
        if not (i < size and j < n and k < size):
            raise DescriptionError(f"action_entries has index {i, j, k}; the shape is {size, n, size}")
        out[j] -= times(c, parameter[k] * covector[i])
    return pack(out, symbolic)


def _read_reference(reference: Any, *lengths: int) -> tuple[Fraction, ...]:
    if isinstance(reference, sp.MatrixBase):
        reference = reference.flat()
    numbers = exact_array(reference, 1, "reference")
    if len(numbers) not in lengths:
        needed = " or ".join(map(str, lengths))
        raise DescriptionError(f"reference has {len(numbers)} entries; {needed} are needed")
    return tuple(numbers)
