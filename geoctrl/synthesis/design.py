r"""Which gains stabilise: the set of sigma for which the restricted Hessian is definite.

On the common kernel W of the invariants' gradients the Hessian of the closed loop is
:math:`H_0 + B S B^T` with S = sigma^{-1} and B the rotors' reach, :math:`B = W_v^T E^T G_{ia}`. It can be
made definite of a sign if and only if H_0 has that sign on ker B^T (projection lemma): what the rotors do
not reach decides feasibility, and its signs are the reason where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from sympy.logic.boolalg import Boolean

from geoctrl.analysis import StabilityConditions, Verdict, certify, stability_conditions
from geoctrl.analysis.linearization import resolve_equilibrium
from geoctrl.errors import ParameterError
from geoctrl.systems import Equilibrium, Family, ReducedSystem

if TYPE_CHECKING:
    from geoctrl.synthesis.matching import Matching

__all__ = ["SigmaDesign"]

_STABLE = (Verdict.PROVED_STABLE, Verdict.PROVED_ASYMPTOTICALLY_STABLE, Verdict.NUMERICALLY_STABLE)


class SigmaDesign:
    """Admissible gains at an equilibrium; made by ``Matching.design_sigma``.

    Attributes
    ----------
    matching : Matching
    loop : ReducedSystem
        The reduced loop with the gain as a symbol.
    family : str
        Name of the family judged; "point" for a single equilibrium.
    params : dict or None
        Numbers that replace the parameters; None keeps them symbolic.
    """

    def __init__(self, matching: Matching, eq: Any) -> None:
        self.matching = matching
        law = matching.law(matching.sigma if matching.sigma.rows > 1 else matching.sigma[0, 0])
        loop = law._bare
        self._gain_names = [p.name for p in law.gain_parameters]
        self.params: dict[str, float] | None = None
        self._values: dict[str, float] = {}
        if isinstance(eq, str):
            self.family = eq
            self.loop = loop
        elif isinstance(eq, Equilibrium) and eq.name in loop.families:
            self.family, self.loop = eq.name, loop
            self._values = self._family_values(eq)
            self.params = {k: v for k, v in eq.params.items() if k in loop.params and k not in self._gain_names}
        else:
            self.family = "point"
            self.loop, self.params = self._at_point(loop, eq)

    def _family_values(self, eq: Equilibrium) -> dict[str, float]:
        """Values of the family's symbols at a member, read off the states that are plain symbols."""
        family = self.loop.families[eq.name]
        values = {}
        for symbol in family.symbols:
            for label, expr in family.states.items():
                if expr == symbol:
                    values[symbol.name] = eq[label]
                    break
        return values

    def _at_point(self, loop: ReducedSystem, eq: Any) -> tuple[ReducedSystem, dict[str, float]]:
        """The loop with the point as a family of its own."""
        plant = self.matching._plant
        if not isinstance(eq, Equilibrium):
            x = np.asarray(eq, dtype=float)
            if x.shape == (plant.nstates,):
                eq = resolve_equilibrium(plant, x, None)
            else:
                eq = Equilibrium(
                    x, np.zeros(0), 0.0, 0.0, np.zeros((x.size, 0)), None, None, dict(plant.params), "", loop.state_labels
                )
        if eq.exact is not None:
            numbers = dict(zip(eq.labels, eq.exact, strict=True))
        else:
            numbers = dict(zip(eq.labels, eq.x, strict=True))
        states = {k: sp.Rational(str(numbers[k])) if numbers[k] else 0 for k in loop.state_labels if k in numbers}
        family = Family({k: v for k, v in states.items() if v})
        system = loop.mechanism.replace(equilibria={"point": family}).reduce()
        return system, {k: v for k, v in eq.params.items() if k in loop.params and k not in self._gain_names}

    # -- the set --------------------------------------------------------------------------------

    @cached_property
    def conditions(self) -> StabilityConditions:
        """Stability conditions of the loop, the gain symbolic."""
        params = self.params if self.family == "point" else None
        return stability_conditions(self.loop, self.family, params)

    @cached_property
    def condition(self) -> Boolean:
        """The conditions solved for the gain (one rotor), else as they are."""
        if len(self._gain_names) == 1:
            return self.conditions.solve_for(self._gain_names[0])
        return sp.And(*self.conditions.stable) if self.conditions.stable else sp.S.false

    @property
    def bounds(self) -> tuple[sp.Expr, sp.Expr] | None:
        """Lower and upper bound of an admissible interval, symbolic for a family; None where it is no interval."""
        if len(self._gain_names) != 1:
            return None
        symbol = self._symbol(self._gain_names[0])
        lower, upper = -sp.oo, sp.oo
        for relation in sp.And.make_args(self.condition):
            if not relation.has(symbol):
                continue
            if not isinstance(relation, sp.core.relational.Relational) or symbol not in (relation.lhs, relation.rhs):
                return None
            bound = relation.rhs if relation.lhs == symbol else relation.lhs
            if relation.gts == symbol:
                lower = bound if lower == -sp.oo else sp.Max(lower, bound)
            else:
                upper = bound if upper == sp.oo else sp.Min(upper, bound)
        return None if (lower, upper) == (-sp.oo, sp.oo) else (lower, upper)

    def _symbol(self, name: str) -> sp.Symbol:
        return {s.name: s for s in self.conditions.symbols}[name]

    def _numbers(self, params: Mapping[str, float] | None) -> dict[sp.Symbol, Any]:
        """Numbers of all parameters but the gain, and of the family's symbols where they are known."""
        values = {k: v for k, v in self.loop.params.items() if v is not None and k not in self._gain_names}
        values |= {**(self.params or {}), **self._values}
        known = {s.name: s for s in self.conditions.symbols}
        for name in params or {}:
            if name not in known:
                raise ParameterError(f"unknown parameter {name!r}; known are {', '.join(known)}")
        values |= dict(params or {})
        return {known[k]: sp.Rational(str(v)) if isinstance(v, float) else v for k, v in values.items() if k in known}

    def contains(self, sigma: Any, params: Mapping[str, float] | None = None) -> bool | None:
        """Whether a gain is admissible; None where that depends on symbols without a number.

        Parameters
        ----------
        sigma : number, or s x s matrix
        params : dict, optional
            Numbers for parameters and family symbols (the defaults, and the member's own, otherwise).

        Raises
        ------
        MatchingError
            If sigma is no admissible input (zero, not finite, wrong shape).
        """
        from geoctrl.synthesis.law import read_sigma

        matrix = read_sigma(sigma, self.matching.mechanism)
        gains = self._gain_values(matrix)
        if not self.conditions.stable:
            return self._contains_by_certificate(gains, params)
        numbers = self._numbers(params)
        numbers |= {self._symbol(k): sp.Rational(str(v)) for k, v in gains.items()}
        judged = [sp.sympify(r).subs(numbers) for r in self.conditions.stable]
        if any(r == sp.S.false for r in judged):
            return False
        return True if all(r == sp.S.true for r in judged) else None

    def _gain_values(self, matrix: sp.Matrix) -> dict[str, float]:
        symbols = self.matching.sigma
        return {symbols[i].name: float(matrix[i]) for i in range(len(symbols)) if symbols[i].name in self._gain_names}

    def _contains_by_certificate(self, gains: dict[str, float], params: Mapping[str, float] | None) -> bool | None:
        numbers = {**(self.params or {}), **gains, **{k: v for k, v in (params or {}).items() if k in self.loop.params}}
        values = {k: v for k, v in {**self._values, **dict(params or {})}.items() if k not in self.loop.params}
        try:
            point = self.loop.equilibrium(self.family, params=numbers, **values)
        except ParameterError:
            return None
        return certify(self.loop, point).verdict in _STABLE

    @cached_property
    def feasible(self) -> bool:
        """Whether any gain is admissible at the default (or given) parameters."""
        stable = self.conditions.stable
        if stable == [sp.S.false]:
            return False
        if not stable or len(self._gain_names) != 1:
            return self._reach()[2]
        symbol = self._symbol(self._gain_names[0])
        condition = sp.And(*stable).subs(self._numbers(None))
        if condition in (sp.S.true, sp.S.false):
            return condition == sp.S.true
        if condition.free_symbols - {symbol}:
            return True  # depends on where in the family
        return sp.simplify(condition.as_set().is_empty) is not sp.S.true and condition.as_set() != sp.S.EmptySet

    @property
    def reason(self) -> str:
        """What the rotors cannot shape, where no gain is admissible; empty otherwise."""
        if self.feasible:
            return ""
        directions, eigenvalues, definite = self._reach()
        if definite:
            return f"the conditions have no common solution: {self.condition}"
        signs = "; ".join(f"{value:+.4g} along {where}" for where, value in zip(directions, eigenvalues, strict=True))
        return (
            "the rotors do not reach directions in which the restricted Hessian has both signs, or none: "
            f"{signs}; no gain makes it definite"
        )

    def _reach(self) -> tuple[list[str], np.ndarray, bool]:
        """Directions of ker B^T, the Hessian's eigenvalues there, and whether they are of one sign."""
        hessian = self.conditions.restricted_hessian
        if hessian is None:
            return [], np.zeros(0), True
        symbols = [self._symbol(k) for k in self._gain_names]
        numbers = self._numbers(None)
        numbers |= {s: sp.Rational(13, 10) for s in hessian.subs(numbers).free_symbols - set(symbols)}
        # The Hessian is affine in S = sigma^{-1}: its derivative spans the reach, its limit S -> 0 is H_0.
        rest = np.array(hessian.subs(numbers).applyfunc(lambda e: _limit(e, symbols)), dtype=float)
        rng = np.random.default_rng(0)
        reach = []
        for _ in range(3):
            gains = {s: sp.Rational(int(rng.integers(1, 50)), 7) for s in symbols}
            reach.append(np.array(hessian.subs(numbers).subs(gains), dtype=float) - rest)
        u, s, _ = np.linalg.svd(np.hstack(reach)) if rest.size else (np.zeros((0, 0)), np.zeros(0), None)
        rank = int(np.sum(s > 1e-10 * max(float(s[0]) if s.size else 0.0, 1e-300)))
        N = u[:, rank:]
        eigenvalues, vectors = np.linalg.eigh(N.T @ rest @ N) if N.size else (np.zeros(0), np.zeros((0, 0)))
        directions = [self._direction(N @ v) for v in vectors.T]
        return directions, eigenvalues, bool(np.all(eigenvalues > 0) or np.all(eigenvalues < 0))

    def _direction(self, weights: np.ndarray) -> str:
        """The leading state of a combination of kernel vectors."""
        labels = self.conditions.kernel_labels
        parts = [f"{w:+.2g} {label}" for w, label in zip(weights, labels, strict=True) if abs(w) > 1e-6]
        return parts[0].split(" ", 1)[1] if len(parts) == 1 else " ".join(parts)

    def __repr__(self) -> str:
        where = f"{self.family!r}"
        if not self.feasible:
            return f"<SigmaDesign for {where}: none; {self.reason}>"
        return f"<SigmaDesign for {where}: {self.condition}>"


def _limit(expr: sp.Expr, symbols: list[sp.Symbol]) -> sp.Expr:
    scale = sp.Dummy("scale", positive=True)
    return sp.limit(sp.cancel(expr.subs({s: s * scale for s in symbols}, simultaneous=True)), scale, sp.oo)
