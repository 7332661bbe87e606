"""Sets from which motions tend to an equilibrium, by a quadratic Lyapunov function that is searched for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, fmpq

from geoctrl._checks import whole_number
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.analysis.regions.proved_set import ProvedSet
from geoctrl.decisions.functions.derivatives import to_float

__all__ = ["SLOPES", "SQUARES", "AttractedSet", "FamilyRegion"]

SLOPES, SQUARES = "slopes", "squares"


@dataclass(frozen=True, eq=False)
class AttractedSet(ProvedSet):
    r"""A set of states from which motions tend to an equilibrium.

    Made by `region_of_attraction`. With what is measured y, deviations of states from the point, by squares
    of sines and cosines of angles too, and monomials u of y, which are y itself where V is quadratic, the set
    is :math:`V = u^T P u \le c` on the leaf and on the levels of `levels`; :math:`V < c` where it `is_open`.

    Attributes
    ----------
    system : str
    method : str
        "slopes" or "squares".
    point : dict of label -> float
        The equilibrium.
    level : float
        c, which is one of a function that was searched for.
    is_open : bool
        Whether V is below the level in the set, and not at it.
    lyapunov : str
        The function, with six digits of its coefficients.
    matrix : ndarray
        P.
    measured : tuple of str
        Names of the components of y.
    monomials : tuple of str
        Those of u.
    tends : str
        What motions tend to: the equilibrium.
    levels : tuple of str
        Invariants that have their values at the equilibrium in the set.
    extent : dict of label -> (low, high)
        Intervals of the states in which the set lies.
    limits : dict of label -> float
        Outputs that are proved to stay within these bounds there.
    verdict : Verdict
        PROVED_ATTRACTED.
    claim : str
    reason : str
        Why no larger one was taken, where the search was cut, or another method showed nothing.
    data : dict
        Everything that the file holds.
    """

    @property
    def level(self) -> float:
        """The level below which the set lies."""
        return float(Fraction(self.data["theorem"]["level"]))

    @property
    def measured(self) -> tuple[str, ...]:
        """Names of what the function is made of."""
        return tuple(self._finding.names)

    @property
    def monomials(self) -> tuple[str, ...]:
        """Names of the monomials that the matrix is one of."""
        return tuple(
            "*".join(k if e == 1 else f"{k}^{e}" for k, e in self._with_powers(m).items())
            for m in self._finding.powers
        )

    def _with_powers(self, powers: dict[int, int]) -> dict[str, int]:
        return {self.measured[k]: e for k, e in powers.items()}

    @property
    def is_open(self) -> bool:
        """Whether the edge is not of the set."""
        return bool(self.data["theorem"].get("open", False))

    @cached_property
    def matrix(self) -> np.ndarray:
        """P."""
        return np.array([[to_float(c) for c in row] for row in self._finding.matrix])

    @cached_property
    def expressions(self) -> tuple[sp.Expr, ...]:
        """What the function is made of in the states, by monomials: deviations are from their values at the
        point.
        """
        states, kinds = [sp.Symbol(k, real=True) for k in self._labels], {"sin": sp.sin, "cos": sp.cos}
        found = []
        for name, terms in self._finding.ingredients():
            argument = sp.Add(
                *(
                    sp.Rational(int(c.p), int(c.q))
                    * sp.prod(s**e for s, e in zip(states, powers, strict=True))
                    for c, powers in terms
                )
            )
            found.append(kinds[name](argument) if name else argument)
        if all(sum(m.values()) == 1 for m in self._finding.powers):
            return tuple(found[k] for m in self._finding.powers for k in m)
        at = dict(zip(states, map(sp.Rational, self.data["problem"]["states"].values()), strict=True))
        away = [e - e.subs(at) for e in found]
        return tuple(sp.Mul(*(away[k] ** e for k, e in m.items())) for m in self._finding.powers)

    @property
    def lyapunov(self) -> str:
        """The function in the deviations of what is measured."""
        return _function_text(self._finding)

    @property
    def tends(self) -> str:
        """What motions of the set tend to, in words."""
        return "the equilibrium"

    @property
    def levels(self) -> tuple[str, ...]:
        """Invariants at their values at the equilibrium."""
        return tuple(self.data["theorem"].get("levels", ()))

    @cached_property
    def extent(self) -> dict[str, tuple[float, float]]:
        """Intervals of the states."""
        return {k: _outwards(a, b) for k, (a, b) in self._finding.extent().items()}

    def value(self, x: Any) -> float | np.ndarray:
        r"""V at states, :math:`u^T P u`, in doubles: for pictures and shares. What is proved is asked of
        `contains`.

        Parameters
        ----------
        x : array_like, (n,) or (n, N)
            States of the system, angles as they are, whole turns included; relations of the leaf and held
            levels are not looked at.

        Returns
        -------
        float, or ndarray (N,)

        Raises
        ------
        InputError
            If x has another shape, or is not finite.

        Examples
        --------
        >>> import sympy as sp
        >>> import geoctrl as gc
        >>> x, y = sp.symbols("x y", real=True)
        >>> field = gc.VectorField([x, y], [-x + y, -y + x**2 * y], name="two states").reduce()
        >>> roa = gc.region_of_attraction(field, [0, 0], lyapunov=x**2 + y**2)
        >>> round(roa.value([0.3, 0.4]), 12)
        0.25
        """
        states = self._states(x)
        away = states.reshape(len(states), -1).copy()
        for i, angle in self.angles.items():
            away[i] -= float(angle)
        point = np.array(list(self.point.values()))[:, None]
        y = [_ingredient(row, away) - _ingredient(row, point) for row in self._finding.ingredients()]
        u = np.array([math.prod(y[k] ** e for k, e in m.items()) for m in self._finding.powers])
        found = np.sum(u * (self.matrix @ u), axis=0)
        return float(found[0]) if states.ndim == 1 else found

    def boxes(self, pieces: int | None = None) -> list[dict[str, tuple[float, float]]]:
        """Intervals of states, box by box: the set lies in the union of the boxes.

        Parameters
        ----------
        pieces : int, optional
            From 1 to 1024: of each side along states that the leaf or sines and cosines depend on; by slopes
            along a state and its rate.

        Returns
        -------
        list of dict of label -> (low, high)

        Raises
        ------
        InputError
            If ``pieces`` is no such number.
        """
        if pieces is not None:
            whole_number("pieces", pieces, 1, 1024)
        return _boxes(self.point, self._finding.cells(pieces))

    def _lines(self) -> list[str]:
        edge = "<" if self.is_open else "<="
        return [f"<AttractedSet of {self.system}: V {edge} {self.level:g}, {self._extent_text}>"]

    full = full_text
    __repr__ = short_form


@dataclass(frozen=True, eq=False)
class FamilyRegion(ProvedSet):
    r"""A set of states from which each motion tends to some member of a family of points of rest.

    Made by `region_of_attraction` where other points rest beside the one that is asked about. States s are
    symbols of the family, y are the deviations of the others from the member with the same s, and the set is

    .. math:: V = y^T P y \le c, \qquad \sqrt V + |\sigma| \le 1, \qquad \sigma_j = (s_j - s_{e,j})/w_j,

    on the leaf. Neither V nor :math:`\sqrt V + |\sigma|` grows along motions: each one tends to a member with
    :math:`|\sigma| \le 1`, to which one depends on the motion.

    Attributes
    ----------
    system : str
    method : str
        "slopes beside a family".
    point : dict of label -> float
        The member in the middle.
    widths : dict of label -> float
        The symbols, with w.
    rate : float
        a: V falls at least like :math:`e^{-2 a t}`. In 1/s.
    level : float
        c.
    lyapunov : str
        V, with six digits of its coefficients; d[x] is the deviation of x from the member.
    matrix : ndarray
        P.
    states_across : tuple of str
        Those that y are the deviations of.
    members : str
        The points of rest, by their symbols.
    tends : str
        What motions tend to: a member.
    levels : tuple of str
        No function is held.
    extent : dict of label -> (low, high)
        Intervals of the states in which the set lies.
    limits : dict of label -> float
        Outputs that are proved to stay within these bounds there.
    verdict : Verdict
        PROVED_ATTRACTED_TO_FAMILY.
    claim : str
    reason : str
        Why it is no set about the point alone, and where the search was cut.
    data : dict
        Everything that the file holds.

    Examples
    --------
    >>> import sympy as sp
    >>> import geoctrl as gc
    >>> v, x = sp.symbols("v x", real=True)
    >>> mass = gc.VectorField([v, x], [-(1 + x**2) * v, v], name="mass").reduce()
    >>> region = gc.region_of_attraction(mass, [0, 0])
    >>> region.verdict, region.tends
    (<Verdict.PROVED_ATTRACTED_TO_FAMILY: 'PROVED_ATTRACTED_TO_FAMILY'>, 'one of the points of rest x = s1')
    >>> region.contains([0.1, 0.2])
    True
    """

    @property
    def level(self) -> float:
        """The level at which V ends."""
        return float(Fraction(self.data["theorem"]["level"]))

    @property
    def states_across(self) -> tuple[str, ...]:
        """States by whose deviations V is."""
        return tuple(self._finding.names)

    @cached_property
    def matrix(self) -> np.ndarray:
        """P."""
        return np.array([[to_float(c) for c in row] for row in self._finding.matrix])

    @property
    def lyapunov(self) -> str:
        """V in the deviations from the member."""
        return _function_text(self._finding)

    @property
    def levels(self) -> tuple[str, ...]:
        """No function is held."""
        return ()

    @cached_property
    def extent(self) -> dict[str, tuple[float, float]]:
        """Intervals of the states."""
        return {k: _outwards(a, b) for k, (a, b) in self._finding.extent().items()}

    @property
    def widths(self) -> dict[str, float]:
        """Widths of the family along its symbols."""
        return dict(zip(self._finding.symbols, map(to_float, self._finding.piece.widths), strict=True))

    @property
    def rate(self) -> float:
        """Half of the rate at which V falls."""
        return float(Fraction(self.data["theorem"]["rate"]))

    @property
    def members(self) -> str:
        """The points of rest."""
        return self._finding.members_in_words()

    @property
    def tends(self) -> str:
        """What motions of the set tend to, in words."""
        return f"one of the points of rest {self.members}"

    def boxes(self, pieces: int | None = None) -> list[dict[str, tuple[float, float]]]:
        """Intervals of states, box by box: the set lies in the union of the boxes.

        Parameters
        ----------
        pieces : int, optional
            From 1 to 1024: of each side along the first symbol, and along what is first beside the family.

        Returns
        -------
        list of dict of label -> (low, high)

        Raises
        ------
        InputError
            If ``pieces`` is no such number.
        """
        if pieces is not None:
            whole_number("pieces", pieces, 1, 1024)
        return _boxes(self.point, self._finding.cells(pieces))

    def _lines(self) -> list[str]:
        return [f"<FamilyRegion of {self.system}: to {self.tends}; {self._extent_text}>"]

    full = full_text
    __repr__ = short_form


def _function_text(finding: Any) -> str:
    """A function in the deviations of what is measured, by what the checker finds."""
    P, powers, measured = finding.matrix, finding.powers, finding.names
    found: dict[tuple[int, ...], fmpq] = {}
    for i, a in enumerate(powers):
        for j, b in enumerate(powers[: i + 1]):
            factors = (*sorted(_factors_of(a) + _factors_of(b)),)
            found[factors] = found.get(factors, fmpq(0)) + P[i][j] * (1 if i == j else 2)
    terms = [
        "*".join([f"{to_float(c):.6g}", *(f"d[{measured[k]}]" for k in factors)])
        for factors, c in sorted(found.items(), key=lambda item: (len(item[0]), item[0]))
        if c
    ]
    return " + ".join(terms).replace("+ -", "- ")


def _boxes(
    point: Mapping[str, float], cells: Iterable[Mapping[str, tuple[arb, arb]]]
) -> list[dict[str, tuple[float, float]]]:
    """Cells in doubles, with what they do not tell of as at the point."""
    return [
        {k: (v, v) for k, v in point.items()}
        | {k: _outwards(a.fmpq(), b.fmpq()) for k, (a, b) in cell.items()}
        for cell in cells
    ]


def _factors_of(powers: dict[int, int]) -> list[int]:
    """Numbers of factors, each as often as it occurs."""
    return [k for k, e in powers.items() for _ in range(e)]


def _ingredient(row: tuple[str, list[tuple[fmpq, list[int]]]], states: np.ndarray) -> np.ndarray:
    """A sine, a cosine, or nothing of the kind, of a polynomial in states (n, N)."""
    name, terms = row
    argument = sum(to_float(c) * np.prod(states ** np.array(powers)[:, None], axis=0) for c, powers in terms)
    return {"sin": np.sin, "cos": np.cos}.get(name, np.asarray)(argument)


def _outwards(low: fmpq, high: fmpq) -> tuple[float, float]:
    """Doubles around an interval."""
    a, b = to_float(low), to_float(high)
    return (a if a == b else float(np.nextafter(a, -np.inf))), (
        b if a == b else float(np.nextafter(b, np.inf))
    )
