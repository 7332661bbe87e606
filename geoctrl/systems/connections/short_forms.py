"""Expressions of a connection, written shortly."""

from __future__ import annotations

import sympy as sp

from geoctrl._scalars.algebra.circles import on_circles

__all__ = ["inverse_by_cofactors", "shortest_form"]

_SHORT = 120
"""Operations up to which an expression is brought to its shortest form: those of a person's mechanism."""


def shortest_form(expr: sp.Expr) -> sp.Expr:
    """In its shortest form, where that is a matter of moments."""
    return on_circles(expr) if expr.count_ops() < _SHORT else expr


def inverse_by_cofactors(matrix: sp.Matrix) -> sp.Matrix:
    """By cofactors of entries as they are: nothing is expanded."""
    entries = {sp.Dummy(): e for e in matrix if e.free_symbols}
    names = {e: s for s, e in entries.items()}
    plain = matrix.applyfunc(lambda e: names.get(e, e))
    return (plain.adjugate() / plain.det()).xreplace(entries)
