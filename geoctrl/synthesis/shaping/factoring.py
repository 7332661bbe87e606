"""Factored forms of expressions, in which roots, exponentials and integrals stay as they are written.

What is proved later compares roots by what stands under them: a root must not come in two forms.
"""

from __future__ import annotations

import sympy as sp

from geoctrl._scalars.algebra import factoring

__all__ = ["factored"]


def factored(e: sp.Expr) -> sp.Expr:
    """The expression as one factored fraction."""
    masks: dict[sp.Expr, sp.Symbol] = {}

    def masked(base: sp.Expr) -> sp.Symbol:
        return masks.setdefault(base, sp.Dummy(positive=True))

    hidden = {f: masked(f) for f in e.atoms(sp.exp, sp.log, sp.Integral)}
    plain = e.xreplace(hidden)
    roots = {
        power: masked(sp.sqrt(power.base)) ** (2 * power.exp)
        for power in plain.atoms(sp.Pow)
        if power.exp.is_Rational and power.exp.q == 2
    }
    back = {symbol: written for written, symbol in masks.items()}
    return factoring.factored(plain.xreplace(roots)).xreplace(back).xreplace(back)  # roots of what was masked
