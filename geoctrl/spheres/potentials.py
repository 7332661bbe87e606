"""Potentials as data: an expression in all q, or one small expression summed over sites or over pairs."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, Self

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, shape_of
from geoctrl.errors import DescriptionError, InputError
from geoctrl.manifolds.reading import number_of_bodies, read_scalar, vector

__all__ = ["Pairs", "Sites", "index_pairs", "symbols"]


def symbols(n: int) -> tuple[tuple[sp.Matrix, ...], tuple[sp.Matrix, ...]]:
    """Directions and angular velocities of n bodies, each a sympy 3-vector.

    Raises
    ------
    InputError
        If n is not a positive integer.

    Examples
    --------
    >>> q, omega = symbols(2)
    >>> q[1].T, omega[0][2]
    (Matrix([[q2_1, q2_2, q2_3]]), omega1_3)
    """
    bodies = number_of_bodies(n)
    return tuple(vector(f"q{i}") for i in bodies), tuple(vector(f"omega{i}") for i in bodies)


class _Term(ABC):
    """A small expression with data: what `Sites` and `Pairs` share."""

    _bodies: tuple[str, ...]

    expr: sp.Expr
    vectors: tuple[sp.Matrix, ...]
    data: tuple[sp.Symbol, ...]
    c: np.ndarray | None

    def _read(self, expr: Callable[..., Any], c: Any) -> None:
        """Take in the expression that a function returns, in symbols of its own, and the data."""
        kind = type(self).__name__
        if not callable(expr):
            raise DescriptionError(
                f"{kind} takes a function of sympy vectors, got {type(expr).__name__}; "
                f"write {kind}(lambda {', '.join(self._bodies)}: ...)"
            )
        self.c = None if c is None else _columns(c)
        width = 0 if self.c is None else self.c.shape[1]
        # Dummies, which no parameter meets that happens to have the same name.
        self.vectors = tuple(vector(name).applyfunc(_own) for name in self._bodies)
        self.data = tuple(sp.Dummy(f"c_{k + 1}", real=True) for k in range(width))
        arguments: list[Any] = list(self.vectors)
        if width:
            arguments.append(self.data[0] if width == 1 else sp.Matrix(self.data))
        self.expr = read_scalar(f"what the function of {kind} returns", expr(*arguments))

    @abstractmethod
    def check(self, n: int) -> None:
        """InputError unless the data are for n bodies."""

    @abstractmethod
    def expanded(self, q: Sequence[sp.Matrix]) -> sp.Expr:
        """The sum written out."""

    @abstractmethod
    def terms(self, n: int) -> int:
        """Number of terms of the sum."""

    def at(self, vectors: Sequence[sp.Matrix], row: int) -> sp.Expr:
        """The expression at given vectors, with row ``row`` of the data."""
        mapping = {
            a: b for v, w in zip(self.vectors, vectors, strict=True) for a, b in zip(v, w, strict=True)
        }
        if self.c is not None:
            mapping |= dict(zip(self.data, map(sp.Float, self.c[row]), strict=True))
        return self.expr.xreplace(mapping)

    def rewritten(self, rule: Callable[[sp.Expr], sp.Expr]) -> Self:
        """The same sum of another expression in the same symbols."""
        other = copy.copy(self)
        other.expr = rule(self.expr)
        return other


class Sites(_Term):
    """The sum over i of ``expr(q_i, c_i)``.

    Parameters
    ----------
    expr : callable
        Called once, with a sympy 3-vector and c: a symbol if c has one column, else a vector of symbols; with
        the vector alone if c is None. May hold parameter symbols of the system.
    c : array (n,) or (n, k), optional

    Examples
    --------
    >>> weights = Sites(lambda q, c: 9.81 * c * q[2], c=[1.0, 2.0])
    """

    _bodies = ("q",)

    def __init__(self, expr: Callable[..., Any], c: Any = None) -> None:
        self._read(expr, c)

    def check(self, n: int) -> None:
        """InputError unless the data are for n bodies."""
        if self.c is not None and len(self.c) != n:
            raise InputError(f"c of Sites must have one row for each of {n} bodies, got {len(self.c)}")

    def expanded(self, q: Sequence[sp.Matrix]) -> sp.Expr:
        """The sum written out."""
        return sp.Add(*(self.at((v,), i) for i, v in enumerate(q)))

    def terms(self, n: int) -> int:
        """Number of terms of the sum."""
        return n


class Pairs(_Term):
    """The sum over pairs a < b, or over given pairs, of ``expr(q_a, q_b, c)``.

    Parameters
    ----------
    expr : callable
        Called once, with two sympy 3-vectors and c as in `Sites`.
    pairs : "all" or array (m, 2)
        Rows (a, b) of body indices from 0.
    c : array (m,) or (m, k), optional
        Only with given pairs.
    cutoff : float, optional
        Only with all pairs: leave out those farther apart (chordal distance on the unit sphere). A list of
        neighbours is then kept and renewed as they move. This changes the model: the potential jumps
        where a pair crosses the cutoff.

    Examples
    --------
    >>> repulsion = Pairs(lambda a, b: 1 / (a - b).dot(a - b))
    """

    _bodies = ("qa", "qb")

    def __init__(
        self, expr: Callable[..., Any], pairs: Any = "all", c: Any = None, cutoff: float | None = None
    ) -> None:
        self.all = isinstance(pairs, str)
        if self.all and pairs != "all":
            raise InputError(f"pairs must be 'all' or an array (m, 2) of indices, got {pairs!r}")
        if self.all and c is not None:
            raise InputError("c goes with given pairs, one row for each; give pairs as an array (m, 2)")
        self.pairs = None if self.all else index_pairs(pairs)
        self.cutoff = None if cutoff is None else float(finite_array("cutoff", cutoff, ()))
        if self.cutoff is not None and not (self.all and self.cutoff > 0):
            raise InputError("cutoff must be positive, and goes with pairs='all'")
        self._read(expr, c)
        if self.c is not None and self.pairs is not None and len(self.c) != len(self.pairs):
            raise InputError(f"c of Pairs must have {len(self.pairs)} rows, one per pair, got {len(self.c)}")

    def check(self, n: int) -> None:
        """InputError unless all indices are below n."""
        if self.pairs is not None:
            index_pairs(self.pairs, n)

    def rows(self, n: int) -> list[tuple[int, int]]:
        """The pairs of the sum."""
        return list(combinations(range(n), 2)) if self.pairs is None else [(a, b) for a, b in self.pairs]

    def expanded(self, q: Sequence[sp.Matrix]) -> sp.Expr:
        """The sum written out."""
        return sp.Add(*(self.at((q[a], q[b]), k) for k, (a, b) in enumerate(self.rows(len(q)))))

    def terms(self, n: int) -> int:
        """Number of terms of the sum."""
        return n * (n - 1) // 2 if self.pairs is None else len(self.pairs)


def _columns(c: Any) -> np.ndarray:
    array = finite_array("c", c)
    if array.ndim not in (1, 2) or not array.size:
        raise InputError(f"c must have shape (n,) or (n, k), got {array.shape}")
    return np.ascontiguousarray(array.reshape(len(array), -1))


def index_pairs(pairs: Any, n: int | None = None) -> np.ndarray:
    """Pairs of body indices (m, 2), all below n if that is given.

    Raises
    ------
    InputError
        If they are none.
    """
    shape = shape_of(pairs)
    array = np.asarray(pairs if shape else ())
    if not shape or len(shape) != 2 or shape[1] != 2 or array.dtype.kind not in "iu":
        raise InputError(f"pairs must be an integer array (m, 2), got {pairs!r}")
    if np.any(array < 0) or np.any(array[:, 0] == array[:, 1]):
        raise InputError("pairs must join two different bodies, counted from 0")
    if n is not None and np.any(array >= n):
        raise InputError(f"pairs holds the index {array.max()}, but there are {n} bodies (from 0)")
    return array.astype(np.int64)


def _own(symbol: sp.Symbol) -> sp.Dummy:
    return sp.Dummy(symbol.name, real=True)
