"""Potentials as data: an expression in all rows, or one small expression summed over bodies or over pairs.

`Sites` and `Pairs` are what is written down; over the bodies of a system each becomes a `Sum`, and so does an
expression, of which the whole configuration is the one instance. A `Sum` answers for itself: written out, as
source of loops, its second derivatives at numbers, its switches.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, shape_of
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.errors import DescriptionError, InputError
from geoctrl.manifolds.energies.summed_terms import AllPairs, Listed, NearPairs, Small, Sum, Whole
from geoctrl.manifolds.product.body_matrices import Bodies
from geoctrl.manifolds.vectors.entries import read_scalar, vector

__all__ = ["Pairs", "Sites", "index_pairs", "read_terms"]


class Term(ABC):
    """A small expression with data: what `Sites` and `Pairs` share.

    The function is called at once, with vectors and with matrices: which of the two its bodies are is not
    known before it meets them, and a description is to hold no function.
    """

    _arguments: ClassVar[tuple[str, ...]]

    c: np.ndarray | None
    of: tuple[Any, ...] | None

    def _read(self, expr: Callable[..., Any], c: Any, of: Any) -> None:
        """Take in the expressions that a function returns, in symbols of their own, and the data."""
        kind = type(self).__name__
        if not callable(expr):
            raise DescriptionError(
                f"{kind} takes a function of sympy vectors, got {type(expr).__name__}; "
                f"write {kind}(lambda {', '.join(self._arguments)}: ...)"
            )
        self.c = None if c is None else _columns(c)
        self.of = None if of is None else tuple(of if isinstance(of, (list, tuple)) else [of])
        self._forms = {rows: self._form(expr, rows) for rows in (1, 3)}
        failures = [form for form in self._forms.values() if isinstance(form, Exception)]
        if len(failures) == len(self._forms):
            raise failures[0]

    def _lines(self) -> list[str]:
        form = next(form for form in self._forms.values() if not isinstance(form, Exception))
        count = "" if self.c is None else f", with {len(self.c)} rows of data"
        return [f"<{type(self).__name__} of {form.expr}{count}>"]

    full = full_text
    __repr__ = short_form

    def _form(self, expr: Callable[..., Any], rows: int) -> Small | Exception:
        """The expression of bodies of some rows, or what the function raised."""
        width = 0 if self.c is None else self.c.shape[1]
        # Dummies, which no parameter meets that happens to have the same name.
        bodies = [_own(name, rows) for name in self._arguments]
        data = tuple(sp.Dummy(f"c_{k + 1}", real=True) for k in range(width))
        arguments: list[Any] = list(bodies)
        if width:
            arguments.append(data[0] if width == 1 else sp.Matrix(data))
        kind = type(self).__name__
        try:
            found = read_scalar(f"what the function of {kind} returns", expr(*arguments))
        except Exception as error:  # whatever the function raises for arguments that are not its own
            return error.with_traceback(None)
        return Small(found, tuple(s for body in bodies for s in body), data)

    def _bodies_and_form(self, bodies: Bodies) -> tuple[Bodies, Small]:
        """The bodies that it is summed over, and the expression for such ones."""
        chosen = bodies.selection(self.of, type(self).__name__)
        form = self._forms[chosen.kind.rows]
        if isinstance(form, Exception):
            kind = chosen.kind
            given = f"{kind.__name__.lower()}s, each {'a vector' if kind.rows == 1 else 'a 3 x 3 matrix'}"
            raise DescriptionError(
                f"the function of {type(self).__name__} fails for {given}: {form!r}"
            ) from form
        return chosen, form

    @abstractmethod
    def over(self, bodies: Bodies) -> Sum:
        """The sum over the bodies of a system; InputError for data of another number of them."""

    def rewritten(self, rule: Callable[[sp.Expr], sp.Expr]) -> Self:
        """The same sum of another expression in the same symbols."""
        other = copy.copy(self)
        other._forms = {
            rows: form if isinstance(form, Exception) else form.rewritten(rule)
            for rows, form in self._forms.items()
        }
        return other


class Sites(Term):
    """The sum over i of ``expr(q_i, c_i)``.

    Parameters
    ----------
    expr : callable
        Called with a sympy 3-vector (of a direction or a place) or 3 x 3 matrix (of an attitude) and c: a
        symbol if c has one column, else a vector of symbols; with the body alone if c is None. May hold
        parameter symbols of the system.
    c : array (n,) or (n, k), optional
    of : sequence of names or factors, optional
        The bodies, all of one kind; all bodies of the system by default.

    Raises
    ------
    DescriptionError
        If ``expr`` is no function, or returns no scalar expression.
    InputError
        For data of a wrong shape.

    Examples
    --------
    >>> weights = Sites(lambda q, c: 9.81 * c * q[2], c=[1.0, 2.0])
    >>> upright = Sites(lambda R: 9.81 * R[2, 2])
    """

    _arguments = ("q",)

    def __init__(self, expr: Callable[..., Any], c: Any = None, of: Any = None) -> None:
        self._read(expr, c, of)

    def over(self, bodies: Bodies) -> Sum:
        """The sum over the bodies of a system; InputError for data of another number of them."""
        chosen, form = self._bodies_and_form(bodies)
        if self.c is not None and len(self.c) != chosen.n:
            raise InputError(f"c of Sites must have one row for each of {chosen.n} bodies, got {len(self.c)}")
        return Sum("Sites", form, Listed(chosen, chosen.first[None], self.c, ("i",), r"\sum_i"))


class Pairs(Term):
    """The sum over pairs a < b, or over given pairs, of ``expr(q_a, q_b, c)``.

    Parameters
    ----------
    expr : callable
        Called with two sympy 3-vectors or two 3 x 3 matrices, and c, as in `Sites`.
    pairs : "all" or array (m, 2)
        Rows (a, b) of indices from 0 of the bodies that it is over.
    c : array (m,) or (m, k), optional
        Only with given pairs.
    cutoff : float, optional
        Only with all pairs: leave out those farther apart: the distance of two directions or places, of two
        attitudes the norm of the difference of their matrices. A list of neighbours is then kept and renewed
        as they move. This changes the model: where a pair crosses the cutoff the potential jumps, and the
        energy is not conserved, unless ``expr`` vanishes there.
    of : sequence of names or factors, optional
        The bodies, all of one kind; all bodies of the system by default.

    Raises
    ------
    DescriptionError
        If ``expr`` is no function, or returns no scalar expression.
    InputError
        For pairs, data or a cutoff of a wrong shape or sign, or data or a cutoff that do not go with pairs.

    Examples
    --------
    >>> repulsion = Pairs(lambda a, b: 1 / (a - b).dot(a - b))
    >>> joint = Pairs(lambda A, B: (sp.eye(3) - A.T * B).trace(), pairs=[[0, 1]])
    """

    _arguments = ("qa", "qb")

    def __init__(
        self,
        expr: Callable[..., Any],
        pairs: Any = "all",
        c: Any = None,
        cutoff: float | None = None,
        of: Any = None,
    ) -> None:
        every = isinstance(pairs, str)
        if every and pairs != "all":
            raise InputError(f"pairs must be 'all' or an array (m, 2) of indices, got {pairs!r}")
        if every and c is not None:
            raise InputError("c goes with given pairs, one row for each; give pairs as an array (m, 2)")
        self.pairs = None if every else index_pairs(pairs)
        self.cutoff = None if cutoff is None else float(finite_array("cutoff", cutoff, ()))
        if self.cutoff is not None and not (every and self.cutoff > 0):
            raise InputError("cutoff must be positive, and goes with pairs='all'")
        self._read(expr, c, of)
        if self.c is not None and self.pairs is not None and len(self.c) != len(self.pairs):
            raise InputError(f"c of Pairs must have {len(self.pairs)} rows, one per pair, got {len(self.c)}")

    def over(self, bodies: Bodies) -> Sum:
        """The sum over the bodies of a system; InputError for indices beyond their number."""
        chosen, form = self._bodies_and_form(bodies)
        if self.pairs is not None:
            first = chosen.first[index_pairs(self.pairs, chosen.n).T]
            shown = ", ".join(f"({a + 1},{b + 1})" for a, b in self.pairs[: _FEW + 1])
            many = rf"{len(self.pairs)} \text{{ pairs }} (i, j)"
            over = rf"\sum_{{{many if len(self.pairs) > _FEW else f'(i,j) = {shown}'}}}"
            return Sum("Pairs", form, Listed(chosen, first, self.c, ("i", "j"), over))
        if self.cutoff is None:
            return Sum("Pairs", form, AllPairs(chosen))
        return Sum("Pairs", form, NearPairs(chosen, self.cutoff))


_FEW = 4
"""Pairs that are named one by one in formulas."""


def read_terms(potential: Any, bodies: Bodies, symbols: Callable[[], Sequence[sp.Symbol]]) -> list[Sum]:
    """The terms of a potential over the bodies of a system; none where there is no potential.

    Parameters
    ----------
    potential : expression, Sites, Pairs, list of these, or None
    symbols : callable
        Gives the symbols of the configuration, row by row; called where there is an expression.
    """
    given = [] if potential is None else potential
    terms = list(given) if isinstance(given, (list, tuple)) else [given]
    return [_term(term, bodies, symbols) for term in terms]


def _term(term: Any, bodies: Bodies, symbols: Callable[[], Sequence[sp.Symbol]]) -> Sum:
    if isinstance(term, Term):
        return term.over(bodies)
    expr = read_scalar("potential", term, "an expression, Sites, Pairs or callable")
    whole = () if expr.is_Number else tuple(symbols())  # a number needs no symbols of many bodies
    return Sum("potential", Small(expr, whole, ()), Whole(len(whole) // 3))


def _columns(c: Any) -> np.ndarray:
    array = finite_array("c", c)
    if array.ndim not in (1, 2) or not array.size:
        raise InputError(f"c must have shape (n,) or (n, k), got {array.shape}")
    return np.ascontiguousarray(array.reshape(len(array), -1))


def index_pairs(pairs: Any, n: int | None = None) -> np.ndarray:
    """Pairs of body indices (m, 2), all below n if that is given."""
    shape = shape_of(pairs)
    array = np.asarray(pairs if shape else ())
    if not shape or len(shape) != 2 or shape[1] != 2 or array.dtype.kind not in "iu":
        raise InputError(f"pairs must be an integer array (m, 2), got {pairs!r}")
    if np.any(array < 0) or np.any(array[:, 0] == array[:, 1]):
        raise InputError("pairs must join two different bodies, counted from 0")
    if n is not None and np.any(array >= n):
        raise InputError(f"pairs holds the index {array.max()}, but there are {n} bodies (from 0)")
    return array.astype(np.int64)


def _own(name: str, rows: int) -> sp.Matrix:
    """Symbols of one body that are nobody else's: a vector, or a matrix of three rows."""
    if rows == 1:
        return vector(name).applyfunc(lambda s: sp.Dummy(s.name, real=True))
    return sp.Matrix(3, 3, lambda i, k: sp.Dummy(f"{name}_{i + 1}{k + 1}", real=True))
