"""Friction as part of a description: forces against velocities of points, joints and wheels.

Forces of constraints in expressions: ``geoctrl.reaction("normal")`` in events and outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import sympy as sp

from geoctrl._checks import nearest, shape_of
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import FromSympy, Node, exact, expression, read_matrix, shown
from geoctrl.errors import DescriptionError, ExpressionError, InputError
from geoctrl.systems.parts.domain import Side
from geoctrl.systems.parts.rotors import Rotors
from geoctrl.systems.typesetting.decimal_printing import expression_text

__all__ = [
    "Friction",
    "forces_of",
    "is_reaction",
    "loaded_sides",
    "loads_of",
    "lost_power",
    "reaction",
    "require_friction_rows",
    "with_reactions",
]

_PREFIX = "reaction of "


def reaction(name: str) -> sp.Symbol:
    """The force of a constraint by its name, as a symbol for events.

    Parameters
    ----------
    name : str
        A key of `ReducedSystem.reactions`.

    Raises
    ------
    InputError
        If the name is no text.

    Examples
    --------
    A disk that lifts off:

    >>> import geoctrl as gc
    >>> lift = gc.Event(gc.reaction("normal"), terminal=True, direction=-1)
    """
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"a reaction goes by the name of a constraint, which is text, got {shown(name)}")
    return sp.Symbol(f"{_PREFIX}{name}", real=True)


def is_reaction(symbol: sp.Symbol) -> bool:
    """Whether a symbol stands for a reaction."""
    return str(symbol.name).startswith(_PREFIX)


def loads_of(forces: Iterable[sp.Expr], known: Iterable[str]) -> tuple[str, ...]:
    """Names of the reactions that generalised forces hold, of which they must be affine functions."""
    forces, known = list(forces), list(known)
    held = sorted({s for f in forces for s in f.free_symbols if is_reaction(s)}, key=str)
    for symbol in held:
        name = symbol.name.removeprefix(_PREFIX)
        if name not in known:
            has = f"; it has {', '.join(known)}" if known else "; it has no constraints"
            raise DescriptionError(f"forces hold an unknown reaction, {name!r}{nearest(name, known)}{has}")
        for force in forces:
            if sp.diff(force, symbol).free_symbols & set(held):
                raise DescriptionError(
                    f"forces must be affine in reactions, and hold that of {name!r} otherwise: friction and "
                    "load are solved for as one linear equation. Take the force of one row as the load, or a "
                    "limit without reactions"
                )
    return tuple(s.name.removeprefix(_PREFIX) for s in held)


def with_reactions(expr: Any, convert: FromSympy, reactions: Callable[[], Mapping[str, Node]]) -> FromSympy:
    """The converter of an expression, which knows the reactions that the expression holds."""
    held = {s for s in getattr(expr, "free_symbols", ()) if is_reaction(s)}
    if not held:
        return convert
    known = reactions()
    for symbol in held:
        name = symbol.name.removeprefix(_PREFIX)
        if name not in known:
            has = f"; it has {', '.join(known)}" if known else "; it has no constraints"
            raise ExpressionError(f"this system has no reaction {name!r}{nearest(name, known)}{has}")
    return convert.knowing({s: known[s.name.removeprefix(_PREFIX)] for s in held})


class Friction:
    r"""A force against velocities :math:`s = \rho\,\xi`, viscous, or of a limit that does not grow with them.

    .. math::

        F = -\rho^T \Bigl(c + \frac{L}{\sqrt{s \cdot s + v_0^2}}\Bigr) s, \qquad
        F \cdot \xi = -c\,|s|^2 - L \frac{|s|^2}{\sqrt{|s|^2 + v_0^2}} \le 0

    The limit L is Coulomb's :math:`F_0`, or falls to it from that of a contact at rest (Stribeck),

    .. math:: L = F_0 + (F_s - F_0)\, e^{-((s \cdot s + v_0^2)/v_s^2)^{\delta/2}}

    One row is a joint, a wheel's axle or a wheel that resists rolling; two rows together are the directions
    of a plane on which a point slides: the force is then against the slip, whatever its direction. Coulomb's
    law is taken smooth: at :math:`|s| = v_0` the force is 0.71 of its limit, at :math:`7 v_0` 0.99, and a
    contact that should stick creeps with :math:`v_0 F/\sqrt{F_0^2 - F^2}` under a load F.

    Parameters
    ----------
    along : row of n entries, or a list of rows
        :math:`\rho`, in advected symbols, coordinates and parameters. With s rotors rows may have n + s
        entries: ``[0, ..., 0, 1]`` is the bearing of the last rotor.
    viscous : expression, optional
        c: N s/m where s is in m/s, N m s where it is in rad/s.
    coulomb : expression, optional
        :math:`F_0`, the limit: N (mu times the load, ``mu*m*g``) or N m (of a bearing, or of a wheel that
        resists rolling). It may hold reactions, ``mu*gc.reaction("normal")``, as an affine function: they
        depend on the friction in their turn, and both are solved for together. Such a limit is a side of
        the domain: it is positive, since a contact that pulls would drive the motion.
    scale : expression, optional
        :math:`v_0` (m/s or rad/s), needed with ``coulomb``: the velocity below which it is smoothed. Steps
        of a run get as small as it.
    static : expression, optional
        :math:`F_s`, the limit at rest, in the unit of ``coulomb``; with ``stribeck``.
    stribeck : expression, optional
        :math:`v_s` (m/s or rad/s), a positive number or parameter: the velocity about which the limit falls.
    exponent : number
        :math:`\delta`, positive; 2 by default, near 1 for some fitted laws.

    Raises
    ------
    DescriptionError
        If rows are missing or of unequal length, there is neither of both forces, ``coulomb`` or ``static``
        has no ``scale``, one of ``static`` and ``stribeck`` is given without the other, a coefficient is a
        negative number, or a scale or the exponent is not positive.

    Examples
    --------
    A block on a floor, 2 kg, mu = 0.3:

    >>> import geoctrl as gc
    >>> floor = gc.Friction([[1, 0], [0, 1]], coulomb=0.3 * 2 * 9.81, scale=1e-3)
    >>> block = gc.EulerPoincare(algebra=gc.rn(2), inertia=[[2, 0], [0, 2]], friction=[floor]).reduce()
    >>> block.rhs(0.0, [3.0, 4.0]).round(4)
    array([-1.7658, -2.3544])
    """

    def __init__(
        self,
        along: Any,
        viscous: Any = 0,
        coulomb: Any = 0,
        scale: Any = None,
        *,
        static: Any = None,
        stribeck: Any = None,
        exponent: Any = 2,
    ) -> None:
        shape = along.shape if hasattr(along, "shape") else shape_of(along)
        if shape is None or len(shape) not in (1, 2) or not all(shape):
            raise DescriptionError(f"friction needs a row of entries, one per velocity, got {shown(along)}")
        rows = read_matrix("along", along)
        self.along: sp.ImmutableMatrix = rows.T if len(shape) == 1 and rows.cols == 1 else rows
        self.viscous, self.coulomb = _coefficient("viscous", viscous), _coefficient("coulomb", coulomb)
        self.static = None if static is None else _coefficient("static", static)
        self.stribeck = None if stribeck is None else _coefficient("stribeck", stribeck)
        self.exponent = _exponent(exponent)
        if (self.static is None) != (self.stribeck is None):
            raise DescriptionError(
                "static= and stribeck= go together: the limit at rest, and the velocity about which it falls"
            )
        if self.stribeck is not None and not self.stribeck.is_positive:
            raise DescriptionError(
                "stribeck of friction must be positive, a number or a positive parameter, got "
                f"{self.stribeck}"
            )
        if self.viscous == 0 and self.coulomb == 0 and not self.static:
            raise DescriptionError("friction needs viscous= or coulomb=, a coefficient that is not zero")
        if (self.coulomb != 0 or self.static) and scale is None:
            raise DescriptionError(
                "coulomb= needs scale=, the velocity below which the friction is smoothed: 1e-3 m/s, say"
            )
        self.scale = None if scale is None else _coefficient("scale", scale)
        if self.scale == 0:
            raise DescriptionError("scale of friction must be positive; it is what makes the force smooth")

    @classmethod
    def bearing(cls, viscous: Any = 0, coulomb: Any = 0, scale: Any = None, **stribeck: Any) -> Friction:
        """The law of one bearing, along the rate of what turns in it: for `Wheel` and `Rotors`.

        Parameters
        ----------
        viscous, coulomb, scale, **stribeck
            As of a friction: N m s/rad, N m, rad/s; ``static=``, ``stribeck=``, ``exponent=``.

        Raises
        ------
        DescriptionError
            As a friction does.

        Examples
        --------
        >>> import geoctrl as gc
        >>> gc.Friction.bearing(viscous=1e-4).along
        Matrix([[1]])
        """
        return cls([1], viscous, coulomb, scale, **stribeck)

    def with_rows(self, along: sp.Matrix) -> Friction:
        """The same law along other rows."""
        make, (_, *rest) = self.__reduce__()
        return make(along, *rest)

    def with_rates(self, s: int, n: int) -> Friction:
        """With entries for s rotor rates, zero where rows have those of n velocities alone."""
        if not s or self.along.cols > n:
            return self
        return self.with_rows(sp.Matrix.hstack(self.along, sp.zeros(self.along.rows, s)))

    def force(self, xi: sp.Matrix) -> sp.Matrix:
        """The force (n x 1) at velocities xi."""
        slip = self.along * xi
        return -self._strength(slip) * self.along.T * slip

    def _strength(self, slip: sp.Matrix) -> sp.Expr:
        """By what velocities s are multiplied in the force against them: c + L/sqrt(s.s + v0^2)."""
        if self.scale is None:
            return self.viscous
        square = slip.dot(slip) + self.scale**2
        return self.viscous + self._limit(square) / sp.sqrt(square)

    def squares(self, xi: sp.Matrix) -> list[tuple[sp.Expr, sp.Expr]]:
        """Pairs (d, l) of the power -sum d l^2 that it takes at velocities xi."""
        slip = self.along * xi
        strength = self._strength(slip)
        return [(strength, s) for s in slip if s != 0]

    def _limit(self, square: sp.Expr) -> sp.Expr:
        """L at a square of velocities, that of the scale included."""
        if self.static is None or self.stribeck is None:
            return self.coulomb
        falls = sp.exp(-((square / self.stribeck**2) ** (self.exponent / 2)))
        return self.coulomb + (self.static - self.coulomb) * falls

    @property
    def smooth(self) -> sp.Expr:
        """What holds no reactions: c and the velocities v0 and vs, side by side."""
        return sp.Tuple(self.viscous, *(q for q in (self.scale, self.stribeck) if q is not None))

    def __reduce__(self):
        further = {"static": self.static, "stribeck": self.stribeck, "exponent": self.exponent}
        return partial(Friction, **further), (self.along, self.viscous, self.coulomb, self.scale)

    def _lines(self) -> list[str]:
        given = {"viscous": self.viscous, "coulomb": self.coulomb, "scale": self.scale}
        if self.static is not None:
            given |= {"static": self.static, "stribeck": self.stribeck, "exponent": self.exponent}
        said = ", ".join(f"{k}={expression_text(v)}" for k, v in given.items() if v not in (0, None))
        return [f"Friction({self.along.tolist()}, {said})"]

    full = full_text
    __repr__ = short_form


def forces_of(
    frictions: Sequence[Friction], xi: Sequence[sp.Symbol], rotors: Rotors | None
) -> tuple[list[sp.Matrix], list[sp.Matrix]]:
    """Forces along the velocities (n x 1 each), and on the rotors (s x 1)."""
    rates, n = rotors.rates if rotors else (), len(xi)
    forces = [f.with_rates(len(rates), n).force(sp.Matrix([*xi, *rates])) for f in frictions]
    return [force[:n, :] for force in forces], [force[n:, :] for force in forces]


def lost_power(
    frictions: Sequence[Friction], xi: Sequence[sp.Symbol], rotors: Rotors | None
) -> list[tuple[sp.Expr, sp.Expr]]:
    """Pairs (d, l) of the power -sum d l^2 that they, and motors, take; none of limits with reactions."""
    rates, n = rotors.rates if rotors else (), len(xi)
    motors = zip(rates, rotors.motors if rotors else (), strict=True)
    found: list[tuple[sp.Expr, sp.Expr]] = [
        (motor.damping, rate) for rate, motor in motors if motor is not None and motor.damping != 0
    ]
    for f in frictions:
        squares = f.with_rates(len(rates), n).squares(sp.Matrix([*xi, *rates]))
        found += [s for s in squares if not any(map(is_reaction, s[0].free_symbols))]
    return found


def require_friction_rows(
    frictions: Sequence[Friction], velocities: Sequence[str], with_rotors: Sequence[str]
) -> None:
    """Refuse rows that are not as long as the velocities, without rotor rates or with them."""
    for friction in frictions:
        if friction.along.cols not in (len(velocities), len(with_rotors)):
            rotors = [label for label in with_rotors if label not in velocities]
            further = f" or {len(with_rotors)} with {', '.join(rotors)} behind them" if rotors else ""
            raise DescriptionError(
                f"rows of a friction must have length {len(velocities)}, one entry per velocity "
                f"({', '.join(velocities)}){further}, got {friction.along.cols}"
            )


def loaded_sides(frictions: Sequence[Friction]) -> dict[str, Side]:
    """Sides of the domain by name: limits that hold reactions are positive."""
    given = [limit for f in frictions for limit in (f.coulomb, f.static) if limit is not None]
    limits = [limit for limit in given if any(map(is_reaction, limit.free_symbols))]
    return {
        f"load of friction {i}": Side(e, sp.StrictGreaterThan(e, 0, evaluate=False))
        for i, e in enumerate(limits, start=1)
    }


def _exponent(value: Any) -> sp.Rational:
    found = exact(value, "exponent of a friction", DescriptionError)
    if not found > 0:
        raise DescriptionError(f"exponent of a friction must be positive, got {found}")
    return sp.Rational(found.numerator, found.denominator)


def _coefficient(name: str, value: Any) -> sp.Expr:
    found = expression(value, f"{name} of a friction")
    if found.is_number and found.is_negative:
        raise DescriptionError(
            f"{name} of a friction must not be negative, got {found}: it would drive the motion"
        )
    return found
