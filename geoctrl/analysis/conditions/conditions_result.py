"""Conditions of stability and of instability as they are told: printed, solved, typeset, asked at numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import sympy as sp
from sympy.logic.boolalg import Boolean

from geoctrl._calls.budget import BUDGET
from geoctrl._calls.long_calls import long_call, under_way
from geoctrl._checks import nearest
from geoctrl._printing.printed_lines import LINES, full_text, short_form
from geoctrl.analysis.conditions.conditions_at_points import AtNumbers
from geoctrl.analysis.symbolic.inequalities import solve_inequality
from geoctrl.errors import ParameterError
from geoctrl.systems.typesetting.decimal_printing import expression_text, readable
from geoctrl.systems.typesetting.notebook import displayed_formula, rows, words
from geoctrl.systems.typesetting.typesetting import Typesetter

__all__ = ["StabilityConditions"]

_PRINTING = 5.0
"""Seconds for solving one condition for one symbol where it is printed."""

_SHORT = 60
"""Operations in a condition up to which it is solved where it is printed."""


@dataclass(frozen=True)
class StabilityConditions:
    """Conditions under which a family is proved stable, or proved unstable.

    Attributes
    ----------
    stable : list of relations
        Where all hold, the restricted Hessian of the energy-Casimir function is definite: stable within
        the leaf. ``[False]`` where it never is.
    unstable : list of relations
        Each one suffices for an eigenvalue with a positive real part. Empty where the family is stable
        throughout.
    undecided : list of relations
        Where all hold, neither test decides: what is in neither of the two others. Empty where there is no
        such place, ``[True]`` where it is everywhere. What ``assuming`` excludes is undecided besides.
    assuming : list of expressions
        Factors that were divided by and must not vanish.
    family, system : str
    reason : str
        Why there is no condition for stability, where there is none.
    restricted_hessian : sympy matrix or None
    multipliers : dict of name -> expression
        Of the combination that it is the Hessian of; free ones are called c1, c2, ...
    characteristic_polynomial : list of expressions, leading one first
        Of the linearisation on the joint level set of the invariants.
    symbols, family_symbols : tuple of sympy.Symbol
        Symbols that `solve_for` knows; those of the family.
    kernel_labels : tuple of str
        States that the rows of the restricted Hessian belong to (the free coordinate of each kernel vector).
    note : str
        What the time budget left unfinished, if anything: what is given is true, more may be.
    """

    stable: list
    unstable: list
    undecided: list
    assuming: list
    family: str
    system: str
    reason: str
    restricted_hessian: sp.Matrix | None
    multipliers: dict[str, sp.Expr]
    characteristic_polynomial: list
    symbols: tuple[sp.Symbol, ...]
    family_symbols: tuple[sp.Symbol, ...]
    kernel_labels: tuple[str, ...]
    note: str = ""
    _at: AtNumbers | None = field(default=None, repr=False, compare=False)

    def evaluate(self, params: Mapping[str, Any] | None = None, **values: Any) -> np.ndarray:
        """What is proved at numbers: 1 stable, -1 unstable, 0 neither.

        Floats are taken as the rationals they are, and the answer is that of exact arithmetic: signs are
        computed in floats with a bound of their rounding, and again in rational numbers where the bound
        leaves them open. Under irrational roots balls of up to 2048 bits take their place; a sign that these
        leave open decides nothing. What the conditions presume is asked as well: ``assuming``, an inertia
        that can be inverted, the domain of the model, roots that exist, members that satisfy the family's
        relations.
        Where there are no conditions in symbols (``note`` and ``reason`` say so), `certify` is asked at each
        point that is open, which takes milliseconds to seconds for each.

        Parameters
        ----------
        params : dict of name -> number or array, optional
            Defaults stand for parameters that are not given.
        **values : number or array
            Of the family's symbols, and of parameters; all broadcast. A symbol of which a relation
            gives the square has to satisfy it up to rounding, and counts by its sign.

        Returns
        -------
        ndarray of int8

        Raises
        ------
        ParameterError
            For an unknown, missing or repeated symbol, one that is set, a parameter that must be positive.
        InputError
            For values that are no finite real numbers or do not broadcast.

        Examples
        --------
        >>> import geoctrl as gc
        >>> skate = gc.models.get("pendulum-skate")().reduce()
        >>> found = gc.stability_conditions(skate, "spinning")
        >>> found.evaluate(Omega0=[1.0, 12.0], l=0.8, I2=0.1, I3=0.3, m=2.0, g=9.8)
        array([-1,  1], dtype=int8)
        """
        if self._at is None:
            raise ParameterError("these conditions were not derived from a system")
        return self._at(params, values)

    @long_call
    def solve_for(
        self,
        name: str | sp.Symbol,
        unstable: bool = False,
        budget: float = BUDGET,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> Boolean:
        """The conditions for stability (or instability) solved for one symbol.

        Parameters
        ----------
        name : str or sympy.Symbol
        unstable : bool
            Solve the alternatives for instability instead.
        budget : float
            Seconds; relations that are not solved by then are returned as they are.
        progress, seconds
            As of `certify`; the budget is part of these seconds.

        Raises
        ------
        ParameterError
            If no such symbol occurs in the system, or the budget is not positive.
        """
        known = {s.name: s for s in self.symbols}
        if str(name) not in known:
            raise ParameterError(f"no symbol {str(name)!r}{nearest(str(name), known)}")
        symbol, time = known[str(name)], under_way().search_budget(budget)
        solved = [
            time.attempt(str(r), partial(_solve_relation, r, symbol), r)
            for r in (self.unstable if unstable else self.stable)
        ]
        if unstable:
            return sp.Or(*solved)
        return sp.And(*solved) if solved else sp.S.false

    def latex(self, unstable: bool = False) -> str:
        """The conditions for stability, or the alternatives for instability, in LaTeX."""
        parameters = [s for s in self.symbols if s not in self.family_symbols]
        order = [*parameters, *self.family_symbols]
        relation = Typesetter(order, self.family_symbols, fixed=parameters).relation
        shown = [relation(readable(r)) for r in (self.unstable if unstable else self.stable)]
        return rf" \quad\text{{{'or' if unstable else 'and'}}}\quad ".join(shown)

    def _repr_latex_(self) -> str:
        def sides(_: float) -> str:
            title = words(f"{self.family!r} of {self.system}:")
            stable = self.latex() or words(f"- ({self.reason})")
            unstable = self.latex(unstable=True) or words("-")
            said = (rf"\text{{stable if }}\quad {stable}", rf"\text{{unstable if }}\quad {unstable}")
            return rows([title, *said, words(self.note)])

        return displayed_formula(sides)

    full = full_text
    __repr__ = short_form

    def _lines(self) -> list[str]:
        lines = [f"{self.family!r} of {self.system}", "  stable (within the leaf) if"]
        lines += [f"    {_plain(r)}" for r in self.stable] or [f"    - ({self.reason})"]
        short = all(sp.count_ops(r) <= _SHORT for r in self.stable)
        for symbol in self.family_symbols if short else ():
            if any(hasattr(r, "has") and r.has(symbol) for r in self.stable):
                lines.append(f"    solved for {symbol}: {_plain(self.solve_for(symbol, budget=_PRINTING))}")
        lines += ["  unstable if one of"]
        lines += [f"    {_plain(r)}" for r in self.unstable] or ["    -"]
        few = len(lines) + len(self.undecided) < LINES
        if self.undecided and few and all(sp.count_ops(r) <= _SHORT for r in self.undecided):
            lines += ["  undecided where", *(f"    {_plain(r)}" for r in self.undecided)]
        elif self.undecided:
            lines += ["  undecided elsewhere"]
        if self.assuming:
            lines += ["  assuming nonzero", *(f"    {_plain(e)}" for e in self.assuming)]
        if self.note:
            lines += [f"  {self.note}"]
        return lines


def _plain(condition: sp.Basic) -> str:
    """A condition or expression in one line of words and signs, long rationals as decimals."""
    if isinstance(condition, (sp.And, sp.Or)):
        word = " and " if isinstance(condition, sp.And) else " or "
        parts = sorted(condition.args, key=sp.default_sort_key)
        return word.join(f"({_plain(p)})" if isinstance(p, (sp.And, sp.Or)) else _plain(p) for p in parts)
    if isinstance(condition, (sp.Eq, sp.Ne)):
        sign = "=" if isinstance(condition, sp.Eq) else "!="
        shown = readable(condition)
        return f"{sp.sstr(shown.lhs, full_prec=False)} {sign} {sp.sstr(shown.rhs, full_prec=False)}"
    return expression_text(condition)


def _solve_relation(relation: Boolean, symbol: sp.Symbol) -> Boolean:
    if relation in (sp.S.true, sp.S.false) or isinstance(relation, (sp.Ne, sp.Eq)):
        return relation
    if isinstance(relation, (sp.And, sp.Or)):
        return relation.func(*(_solve_relation(r, symbol) for r in relation.args))
    sign = 1 if relation.func in (sp.StrictGreaterThan, sp.GreaterThan) else -1
    return solve_inequality(sign * (relation.lhs - relation.rhs), symbol)
