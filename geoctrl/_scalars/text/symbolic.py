"""Named quantities that take part in sympy expressions as the symbols that they stand for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from numbers import Number
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars.text.numbers import shown
from geoctrl.errors import DescriptionError

__all__ = ["Quantity", "Scalar", "Vector"]


class Quantity(ABC):
    """What has a name and stands for symbols: in arithmetic with it, it is these."""

    __slots__ = ()

    @abstractmethod
    def _sympy_(self) -> Any:
        """The symbols; sympy asks for them wherever it is given the quantity."""

    def __add__(self, other: Any) -> Any:
        return self._sympy_() + _plain(other)

    def __radd__(self, other: Any) -> Any:
        return _plain(other) + self._sympy_()

    def __sub__(self, other: Any) -> Any:
        return self._sympy_() - _plain(other)

    def __rsub__(self, other: Any) -> Any:
        return _plain(other) - self._sympy_()

    def __mul__(self, other: Any) -> Any:
        return self._sympy_() * _plain(other)

    def __rmul__(self, other: Any) -> Any:
        return _plain(other) * self._sympy_()

    def __truediv__(self, other: Any) -> Any:
        return self._sympy_() / _plain(other)

    def __neg__(self) -> Any:
        return -self._sympy_()

    def __pos__(self) -> Any:
        return self._sympy_()


class Scalar(Quantity):
    """A quantity with one symbol."""

    __slots__ = ()

    @property
    @abstractmethod
    def symbol(self) -> sp.Symbol:
        """What it is in expressions."""

    def _sympy_(self) -> sp.Symbol:
        return self.symbol

    def __rtruediv__(self, other: Any) -> Any:
        return _plain(other) / self.symbol

    def __pow__(self, other: Any) -> Any:
        return self.symbol ** _plain(other)

    def __rpow__(self, other: Any) -> Any:
        return _plain(other) ** self.symbol

    def __abs__(self) -> sp.Expr:
        return sp.Abs(self.symbol)

    def __lt__(self, other: Any) -> Any:
        return self.symbol < _plain(other)

    def __le__(self, other: Any) -> Any:
        return self.symbol <= _plain(other)

    def __gt__(self, other: Any) -> Any:
        return self.symbol > _plain(other)

    def __ge__(self, other: Any) -> Any:
        return self.symbol >= _plain(other)


class Vector(Quantity):
    """A quantity with a column of symbols, which it is in products with vectors and matrices."""

    __slots__ = ()

    @property
    @abstractmethod
    def symbols(self) -> sp.ImmutableMatrix:
        """Column of the symbols of the components."""

    def _sympy_(self) -> sp.ImmutableMatrix:
        return self.symbols

    def __getitem__(self, index: Any) -> Any:
        return self.symbols[index]

    def __len__(self) -> int:
        return len(self.symbols)

    def __iter__(self) -> Iterator[sp.Symbol]:
        return iter(self.symbols)

    @property
    def T(self) -> sp.ImmutableMatrix:
        """The row of the symbols."""
        return self.symbols.T

    def dot(self, other: Any) -> sp.Expr:
        """Scalar product with a vector; DescriptionError for what is none, text above all."""
        return self.symbols.dot(_matrix(other))

    def cross(self, other: Any) -> sp.ImmutableMatrix:
        """Cross product with a vector of three components; DescriptionError for what is none."""
        return self.symbols.cross(sp.Matrix(list(_matrix(other))))

    def __matmul__(self, other: Any) -> Any:
        return self.symbols @ _matrix(other)

    def __rmatmul__(self, other: Any) -> Any:
        return _matrix(other) @ self.symbols


def _matrix(value: Any) -> sp.MatrixBase:
    """A vector or a matrix; of text, which sympy would evaluate as a program, there is none."""
    found = _plain(value)
    if isinstance(found, sp.MatrixBase):
        return found
    try:
        entries: Any = [] if isinstance(found, (str, bytes, sp.Basic)) else np.array(found, dtype=object)
    except ValueError:  # rows of different lengths
        entries = []
    if (
        not np.ndim(entries)
        or not np.size(entries)
        or np.ndim(entries) > 2
        or not all(isinstance(e, (sp.Expr, Number)) for e in np.ravel(entries))
    ):
        raise DescriptionError(
            f"a vector or matrix of numbers and expressions is needed, got {shown(value)}; text is not read"
        )
    return sp.ImmutableMatrix(entries)


def _plain(value: Any) -> Any:
    return value._sympy_() if isinstance(value, Quantity) else value
