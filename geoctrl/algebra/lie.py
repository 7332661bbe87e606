"""Lie algebras by exact structure constants, with the matrix groups behind the standard ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import entries
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.algebra._labels import check_identifier, numbered_labels, real_symbols
from geoctrl.algebra.representation._arrays import is_symbolic, pack, read_array, read_real, times
from geoctrl.algebra.representation.block_matrices import BlockMatrices
from geoctrl.algebra.representation.factor import AlgebraFactor
from geoctrl.algebra.structure import Entries, read_structure_constants
from geoctrl.errors import DescriptionError, ImmutableError

__all__ = ["AlgebraFactor", "LieAlgebra"]


class LieAlgebra:
    """Finite-dimensional real Lie algebra with ``[E_i, E_j] = sum_k c[i, j, k] E_k``.

    Immutable, hashable, picklable, equal by value.

    Parameters
    ----------
    structure_constants : array_like, shape (n, n, n)
        ``c[i, j, k]`` as above: ints, Fractions, sympy Rationals, or floats, taken as the rationals they are.
        The layout ``c[k, i, j]`` is recognised because its last two indices are the antisymmetric ones.
        If both pairs are, the tensor is totally antisymmetric and the layouts coincide.
    labels : sequence of n str, optional
        Names of the velocities; ``xi1 .. xin`` by default.
    name : str, optional
        Name of the algebra.
    momentum_labels : sequence of n str, optional
        Names of the momenta; ``mu1 .. mun`` by default.

    Attributes
    ----------
    n : int
        Dimension.
    labels, momentum_labels : tuple of str
    name : str
    xi, mu : sympy.ImmutableMatrix, shape (n, 1)
        Real symbols of the velocity and of the momentum.
    brackets : tuple of (int, int, int, Fraction)
        Nonzero ``(i, j, k, c[i, j, k])`` in the order of the indices, (i, j) and (j, i) both.
    structure_constants : numpy.ndarray, shape (n, n, n)
        ``c[i, j, k]`` in floats, read-only.
    factors : tuple of AlgebraFactor
        Factors of a product; a single one otherwise.

    Raises
    ------
    DescriptionError
        If the shape is not (n, n, n), an entry is not a finite rational, antisymmetry or the Jacobi identity
        fails (the indices are named), or labels are not n distinct identifiers.

    Examples
    --------
    The Heisenberg algebra, ``[E_1, E_2] = E_3``:

    >>> import numpy as np
    >>> c = np.zeros((3, 3, 3))
    >>> c[0, 1, 2], c[1, 0, 2] = 1, -1
    >>> algebra = LieAlgebra(c, labels=("p", "q", "z"), name="heisenberg")
    >>> algebra.bracket([2.0, 0.0, 5.0], [0.0, 3.0, 7.0])
    array([0., 0., 6.])
    >>> algebra.bracket(algebra.xi, [0, 1, 0]).T
    Matrix([[0, 0, p]])
    """

    n: int
    labels: tuple[str, ...]
    momentum_labels: tuple[str, ...]
    name: str
    xi: sp.ImmutableMatrix
    mu: sp.ImmutableMatrix
    brackets: Entries
    structure_constants: np.ndarray
    factors: tuple[AlgebraFactor, ...]

    def __init__(
        self,
        structure_constants: Any,
        labels: Sequence[str] | None = None,
        name: str = "",
        momentum_labels: Sequence[str] | None = None,
    ) -> None:
        n, brackets = read_structure_constants(structure_constants)
        own = _read_labels(labels, numbered_labels("xi", n), "labels")
        momenta = _read_labels(momentum_labels, numbered_labels("mu", n), "momentum_labels")
        chosen = frozenset([*(own if labels else ()), *(momenta if momentum_labels else ())])
        factor = AlgebraFactor(name, 0, n, labels=own, momentum_labels=momenta, chosen=chosen)
        self._fill(brackets, own, momenta, name, (factor,))

    @classmethod
    def _from_parts(
        cls,
        brackets: Entries,
        labels: tuple[str, ...],
        momentum_labels: tuple[str, ...],
        name: str,
        factors: tuple[AlgebraFactor, ...],
    ) -> LieAlgebra:
        """Algebra from parts known to be consistent: the standard groups, products, pickles."""
        algebra = cls.__new__(cls)
        algebra._fill(brackets, labels, momentum_labels, name, factors)
        return algebra

    def _fill(
        self,
        brackets: Entries,
        labels: tuple[str, ...],
        momentum_labels: tuple[str, ...],
        name: str,
        factors: tuple[AlgebraFactor, ...],
    ) -> None:
        n = sum(factor.size for factor in factors)
        for given, what in ((labels, "labels"), (momentum_labels, "momentum_labels")):
            for label in given:
                check_identifier(label, f"{what} entry")
        names = labels + momentum_labels
        repeated = sorted({label for label in names if names.count(label) > 1})
        if repeated:
            raise DescriptionError(f"labels and momentum_labels repeat {', '.join(repeated)}")
        constants = np.zeros((n, n, n))
        for i, j, k, value in brackets:
            constants[i, j, k] = value
        constants.setflags(write=False)
        vars(self).update(
            n=n,
            labels=labels,
            momentum_labels=momentum_labels,
            name=name,
            xi=real_symbols(labels),
            mu=real_symbols(momentum_labels),
            brackets=brackets,
            structure_constants=constants,
            factors=factors,
        )

    def relabelled(self, labels: Sequence[str], momentum_labels: Sequence[str] | None = None) -> LieAlgebra:
        """The same algebra with other names for its velocities (and momenta), which products of it keep.

        Raises
        ------
        DescriptionError
            If labels are not n distinct identifiers.
        """
        own = _read_labels(labels, self.labels, "labels")
        momenta = _read_labels(momentum_labels, self.momentum_labels, "momentum_labels")
        factors = []
        for factor in self.factors:
            new = _own_labels(own, self.labels, factor.labels, factor.start)
            new_momenta = _own_labels(momenta, self.momentum_labels, factor.momentum_labels, factor.start)
            chosen = {*new, *new_momenta} - {*factor.labels, *factor.momentum_labels} | factor.chosen
            factors.append(replace(factor, labels=new, momentum_labels=new_momenta, chosen=frozenset(chosen)))
        return self._from_parts(self.brackets, own, momenta, self.name, tuple(factors))

    def __setattr__(self, name: str, value: Any) -> None:
        raise ImmutableError(f"a LieAlgebra is immutable: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise ImmutableError(f"a LieAlgebra is immutable: {name!r} cannot be deleted")

    def _parts(self) -> tuple[Any, ...]:
        return self.brackets, self.labels, self.momentum_labels, self.name, self.factors

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, LieAlgebra) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._parts())

    def __reduce__(self) -> tuple[Any, ...]:
        return LieAlgebra._from_parts, self._parts()

    def _lines(self) -> list[str]:
        return [f"<LieAlgebra {self.name or 'without name'}: {', '.join(self.labels)}>"]

    full = full_text
    __repr__ = short_form

    def bracket(self, x: Any, y: Any) -> Any:
        """``[x, y]_k = sum_ij c[i, j, k] x_i y_j``.

        Parameters
        ----------
        x, y : array_like or sympy matrix, shape (n,)

        Returns
        -------
        numpy.ndarray, shape (n,), or sympy.ImmutableMatrix, shape (n, 1)
            Sympy if an argument is a sympy matrix or a sequence with a sympy entry.

        Raises
        ------
        DescriptionError
            If a shape is not (n,).
        """
        symbolic = is_symbolic(x, y)
        left, right = (read_array(v, (self.n,), what, symbolic) for v, what in ((x, "x"), (y, "y")))
        out = np.zeros(self.n, dtype=np.result_type(left, right))
        for i, j, k, c in self.brackets:
            out[k] += times(c, left[i] * right[j])
        return pack(out, symbolic)

    def ad(self, x: Any) -> Any:
        """Matrix (n, n) of ``y -> [x, y]``, of the kind of `x`; `DescriptionError` unless `x` is (n,)."""
        symbolic = is_symbolic(x)
        entries = read_array(x, (self.n,), "x", symbolic)
        out = np.zeros((self.n, self.n), dtype=entries.dtype)
        for i, j, k, c in self.brackets:
            out[k, j] += times(c, entries[i])
        return pack(out, symbolic)

    def ad_star(self, x: Any, mu: Any) -> Any:
        """Covector ``ad*_x mu`` with ``<ad*_x mu, y> = <mu, [x, y]>``, the transpose of `ad` applied to `mu`.

        Parameters
        ----------
        x, mu : array_like or sympy matrix, shape (n,)

        Returns
        -------
        numpy.ndarray, shape (n,), or sympy.ImmutableMatrix, shape (n, 1)

        Raises
        ------
        DescriptionError
            If a shape is not (n,).

        Examples
        --------
        On so(3), ``ad*_Omega Pi = Pi x Omega``:

        >>> from geoctrl.algebra import so3
        >>> so3().ad_star([1.0, 0.0, 0.0], [0.0, 2.0, 0.0])
        array([ 0.,  0., -2.])
        """
        symbolic = is_symbolic(x, mu)
        velocity, momentum = (read_array(v, (self.n,), what, symbolic) for v, what in ((x, "x"), (mu, "mu")))
        out = np.zeros(self.n, dtype=np.result_type(velocity, momentum))
        for i, j, k, c in self.brackets:
            out[j] += times(c, velocity[i] * momentum[k])
        return pack(out, symbolic)

    def killing_form(self) -> sp.ImmutableMatrix:
        """Exact matrix ``K_ij = trace(ad(E_i) ad(E_j))``; nondegenerate if and only if semisimple."""
        ads: list[dict[tuple[int, int], Fraction]] = [defaultdict(Fraction) for _ in range(self.n)]
        for i, j, k, c in self.brackets:
            ads[i][k, j] = c

        def trace(i: int, j: int) -> sp.Rational:
            total = sum((c * ads[j].get((b, a), 0) for (a, b), c in ads[i].items()), Fraction(0))
            return sp.Rational(total.numerator, total.denominator)

        return sp.ImmutableMatrix(self.n, self.n, trace)

    @property
    def matrix_slices(self) -> tuple[slice, ...]:
        """Diagonal block of each factor in the matrices of `hat` and `exp`."""
        return self._matrices().places

    def _matrices(self) -> BlockMatrices:
        return BlockMatrices(self.factors)

    def hat(self, x: Any) -> Any:
        """Matrix of `x`, block diagonal over the factors; ``hat([x, y]) = [hat x, hat y]``.

        so3: 3 x 3 with ``hat(Omega) y = Omega x y``; so2: ``Omega J``; se3 (4 x 4) and se2 (3 x 3):
        ``[[hat(Omega), Y], [0, 0]]``; rn: ``[[0, Y], [0, 0]]``.

        Raises
        ------
        DescriptionError
            If `x` is not of shape (n,), or no matrix group is attached.

        Examples
        --------
        >>> from geoctrl.algebra import se2
        >>> se2().hat(se2().xi)
        Matrix([
        [    0, -Omega, Y1],
        [Omega,      0, Y2],
        [    0,      0,  0]])
        """
        symbolic = is_symbolic(x)
        return pack(self._matrices().hat(read_array(x, (self.n,), "x", symbolic)), symbolic)

    def vee(self, X: Any) -> Any:
        """Inverse of `hat`.

        Raises
        ------
        DescriptionError
            If the shape is wrong, no matrix group is attached, or `X` is off the algebra: by more than 1e-9
            of its size, or symbolically, where an entry of the difference is known not to vanish.
        """
        matrices, symbolic = self._matrices(), is_symbolic(X)
        return pack(matrices.vee(read_array(X, matrices.shape, "X", symbolic)), symbolic)

    def exp(self, x: Any) -> np.ndarray:
        """Matrix exponential of ``hat(x)`` in floats, block diagonal over the factors.

        Raises
        ------
        DescriptionError
            If `x` is not n finite real numbers, or no matrix group is attached.

        Examples
        --------
        >>> import numpy as np
        >>> from geoctrl.algebra import so2
        >>> so2().exp([np.pi / 2]).round(12) + 0.0
        array([[ 0., -1.],
               [ 1.,  0.]])
        """
        return self._matrices().exp(read_real(x, (self.n,), "x"))

    def log(self, g: Any) -> np.ndarray:
        """Algebra element (n,) with ``exp(x) = g`` whose rotation angles are at most pi.

        Raises
        ------
        DescriptionError
            If `g` is not a matrix of the group (rotations to 1e-6), or no matrix group is attached.
        """
        matrices = self._matrices()
        return matrices.log(read_real(g, matrices.shape, "g"))

    def Ad(self, g: Any) -> Any:
        """Matrix (n, n) of ``x -> vee(g hat(x) g^{-1})``, of the kind of `g`; ``Ad(exp(x)) = expm(ad(x))``.

        Raises
        ------
        DescriptionError
            If `g` is not a matrix of the group (numbers only: symbols are not checked), or none is attached.
        """
        matrices, symbolic = self._matrices(), is_symbolic(g)
        return pack(matrices.adjoint(read_array(g, matrices.shape, "g", symbolic)), symbolic)


def _read_labels(labels: Sequence[str] | None, default: tuple[str, ...], what: str) -> tuple[str, ...]:
    if labels is None:
        return default
    given = entries(what, labels, DescriptionError)
    if len(given) != len(default):
        raise DescriptionError(f"{what} has {len(given)} entries; the algebra has dimension {len(default)}")
    return given


def _own_labels(
    now: tuple[str, ...], before: tuple[str, ...], own: tuple[str, ...], start: int
) -> tuple[str, ...]:
    """Labels of a factor on its own with the new ones put in; suffixes are left to products."""
    places = slice(start, start + len(own))
    return tuple(
        mine if new == old else new for new, old, mine in zip(now[places], before[places], own, strict=True)
    )
