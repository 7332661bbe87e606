"""Fields of textbooks with what is true of a point: many contradict a theorem that is said too shortly.

Each name tells where it is from, or what is sloppy; where no source is named, the truth follows from the
words beside it. Sources: [C] Carr, Applications of Centre Manifold Theory; [GH] Guckenheimer, Holmes,
Nonlinear Oscillations; [H] Hahn, Stability of Motion; [K] Khalil, Nonlinear Systems, 3rd ed.; [P] Perko,
Differential Equations and Dynamical Systems; [S] Strogatz, Nonlinear Dynamics and Chaos.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sympy as sp

x, y, z, w = sp.symbols("x y z w", real=True)
R = sp.Rational
ATTRACTS, STABLE, UNSTABLE = "attracts", "stable", "unstable"
"""Asymptotically stable; stable without attracting; unstable: on the leaf."""


class FieldCase(NamedTuple):
    """A field, a point, what is true of it, and what of that is proved ("" where nothing is)."""

    states: Sequence[sp.Symbol]
    rates: Sequence[Any]
    point: Sequence[Any]
    truth: str
    proved: str
    entries: dict[str, Any] = {}  # noqa: RUF012 (never written)


def line(rate: Any, truth: str, proved: str = "", at: Any = 0) -> FieldCase:
    """On a line."""
    return FieldCase([x], [rate], [at], truth, proved)


def plane(rates: Sequence[Any], truth: str, proved: str = "", at: Sequence[Any] = (0, 0), **entries: Any):
    """In the plane."""
    return FieldCase([x, y], rates, at, truth, proved, entries)


def space(rates: Sequence[Any], truth: str, proved: str = "", at: Sequence[Any] = (0, 0, 0), **entries: Any):
    """In space."""
    return FieldCase([x, y, z], rates, at, truth, proved, entries)


def double(rates: Sequence[Any], truth: str, proved: str = "", **entries: Any) -> FieldCase:
    """With four states, at zero."""
    return FieldCase([x, y, z, w], rates, (0, 0, 0, 0), truth, proved, entries)


def lorenz(r: Any, b: Any) -> list[Any]:
    """Lorenz' convection with sigma = 10."""
    return [10 * (y - x), r * x - y - x * z, x * y - b * z]


def competition(a: Any, b: Any) -> list[Any]:
    """May, Leonard, SIAM J. Appl. Math. 29 (1975): three competitors in a circle."""
    return [x * (1 - x - a * y - b * z), y * (1 - b * x - y - a * z), z * (1 - a * x - b * y - z)]


def brusselator(b: Any) -> list[Any]:
    """With a = 1; at (1, b) the trace is b - 2."""
    return [1 + x**2 * y - (b + 1) * x, b * x - x**2 * y]


def carr(a: Any, b: Any) -> list[Any]:
    """[C 1.3] with c = 1, d = 0: on the centre manifold x' = (1 + a) x^3 + b x^5 + ..."""
    return [x * y + a * x**3 + b * x * y**2, -y + x**2]


def on_circle(damping: Any) -> list[Any]:
    """A pendulum by cosine, sine and rate."""
    return [-y * z, x * z, -y - damping * z]


SPHERE = {"leaf": [x**2 + y**2 + z**2 - 1]}
CIRCLE = {"leaf": [x**2 + y**2 - 1]}
ENERGY = {"invariants": {"E": x**2 + 2 * y**2 + 3 * z**2}}
EULER = [-y * z / 2, x * z, -x * y / 2]
"""A free body with moments 1/2, 1, 3/2 by its momentum, up to a factor of time."""
hills = 100 * x**4 - 384 * x**2 * y**2 + 400 * y**4
r2 = x**2 + y**2

ON_A_LINE = {
    "cubic, inner point": line(-x + x**3, ATTRACTS, ATTRACTS),
    "cubic, outer point": line(-x + x**3, UNSTABLE, UNSTABLE, at=1),
    "logistic growth, empty [S 2.3]": line(x * (1 - x), UNSTABLE, UNSTABLE),
    "logistic growth, full [S 2.3]": line(x * (1 - x), ATTRACTS, ATTRACTS, at=1),
    "growth after Gompertz [S 2.3.3]": line(-x * sp.log(x), ATTRACTS, ATTRACTS, at=1),
    "threshold of Allee, below [S 2.3.4]": line(x * (x - R(1, 4)) * (1 - x), ATTRACTS, ATTRACTS),
    "threshold of Allee, at it [S 2.3.4]": line(x * (x - R(1, 4)) * (1 - x), UNSTABLE, UNSTABLE, at=R(1, 4)),
    "cubic sink": line(-(x**3), ATTRACTS, ATTRACTS),
    "cubic source": line(x**3, UNSTABLE, UNSTABLE),
    "sink of degree five": line(-(x**5), ATTRACTS, ATTRACTS),
    "half stable": line(x**2, UNSTABLE, UNSTABLE),
    "half stable, with a sink beyond": line(x**2 - x**3, UNSTABLE, UNSTABLE),
    "nothing moves": line(0 * x, STABLE, STABLE),
    "sine of the state [S 2.1]": line(sp.sin(x), UNSTABLE, UNSTABLE),
    "less than its sine": line(-x + sp.sin(x), ATTRACTS, ATTRACTS),
    "more than its sine": line(x - sp.sin(x), UNSTABLE, UNSTABLE),
    "a rate with a pole elsewhere": line(-x / (1 - x**2), ATTRACTS, ATTRACTS),
    "a rate with a tangent": line(-sp.tan(x), ATTRACTS, ATTRACTS),
}
IN_THE_PLANE = {
    "van der Pol, reversed [K 8.2]": plane([-y, x - (1 - x**2) * y], ATTRACTS, ATTRACTS),
    "van der Pol [K 2.8]": plane([y, -x + (1 - x**2) * y], UNSTABLE, UNSTABLE),
    "pendulum without damping [K 4.2]": plane(
        [y, -sp.sin(x)], STABLE, STABLE, invariants={"E": y**2 / 2 - sp.cos(x)}
    ),
    "pendulum with damping [K 4.3]": plane([y, -sp.sin(x) - y], ATTRACTS, ATTRACTS),
    "pendulum, upright": plane([y, sp.sin(x) - y], UNSTABLE, UNSTABLE),
    "Lotka, Volterra [S 6.4]": plane(
        [x * (1 - y), y * (x - 1)], STABLE, STABLE, (1, 1), invariants={"V": x + y - sp.log(x) - sp.log(y)}
    ),
    "Lotka, Volterra, empty": plane([x * (1 - y), y * (x - 1)], UNSTABLE, UNSTABLE),
    "rabbits and sheep, coexistence [S 6.4]": plane(
        [x * (3 - x - 2 * y), y * (2 - x - y)], UNSTABLE, UNSTABLE, (1, 1)
    ),
    "rabbits alone [S 6.4]": plane([x * (3 - x - 2 * y), y * (2 - x - y)], ATTRACTS, ATTRACTS, (3, 0)),
    "Duffing, well [GH 2.2]": plane([y, x - x**3 - y / 4], ATTRACTS, ATTRACTS, (1, 0)),
    "Duffing, saddle [GH 2.2]": plane([y, x - x**3 - y / 4], UNSTABLE, UNSTABLE),
    "Duffing, well without damping [GH 2.2]": plane(
        [y, x - x**3], STABLE, STABLE, (1, 0), invariants={"E": y**2 / 2 - x**2 / 2 + x**4 / 4}
    ),
    "Brusselator, at rest [S 8.3]": plane(brusselator(R(3, 2)), ATTRACTS, ATTRACTS, (1, R(3, 2))),
    "Brusselator, beyond its Hopf point [S 8.3]": plane(brusselator(3), UNSTABLE, UNSTABLE, (1, 3)),
    "glycolysis after Selkov [S 7.3]": plane(
        [-x + y / 10 + x**2 * y, 2 - y / 10 - x**2 * y], ATTRACTS, ATTRACTS, (2, R(20, 41))
    ),
    "far from normal: grows a hundredfold first": plane([-x + 100 * y, -y], ATTRACTS, ATTRACTS),
    "a bounded basin": plane([-x + 2 * x**2 * y, -y], ATTRACTS, ATTRACTS),
    "centre or focus, attracting [K 4.11]": plane([-y - x**3, x - y**3], ATTRACTS, ATTRACTS),
    "centre or focus, repelling [S 6.3]": plane([-y + x * r2, x + y * r2], UNSTABLE, UNSTABLE),
    "focus of second order, attracting": plane([-y - x * r2**2, x - y * r2**2], ATTRACTS, ATTRACTS),
    "focus of second order, repelling": plane([-y + x * r2**2, x + y * r2**2], UNSTABLE, UNSTABLE),
    "a centre that turns faster outside": plane([-y - y * r2, x + x * r2], STABLE),
    "a centre by its radius": plane([-y + x * y, x - x**2], STABLE, STABLE, invariants={"radius": r2}),
    "a centre by its energy": plane(
        [-y, x + x**2], STABLE, STABLE, invariants={"E": y**2 / 2 + x**2 / 2 + x**3 / 3}
    ),
    "cubic damping": plane([y, -x - y**3], ATTRACTS, ATTRACTS),
    "cubic pushing": plane([y, -x + y**3], UNSTABLE, UNSTABLE),
    "damped only away from the middle": plane([y, -x - x**2 * y], ATTRACTS, ATTRACTS),
    "pushed only away from the middle": plane([y, -x + x**2 * y], UNSTABLE, UNSTABLE),
    "a focus by quadratic terms": plane([y, -x + x**2 + x * y], UNSTABLE, UNSTABLE),
    "two zeros that nothing couples": plane([0 * x, 0 * y], STABLE, STABLE),
    "two zeros in a block": plane([y, 0 * y], UNSTABLE, UNSTABLE),
    "a frozen rate times the state": plane([x * y, 0 * y], UNSTABLE, UNSTABLE),
    "a frozen rate that brakes": plane([-x * y**2, 0 * y], STABLE),
    "pitchfork with a frozen parameter": plane([x * y - x**3, 0 * x], STABLE),
    "frozen rate": plane([x * (y - x**2), 0 * y], STABLE),
    "a frozen state drives": plane([0 * x, x**2], UNSTABLE, UNSTABLE),
    "a line of rest that attracts": plane([-x, x**2], STABLE, STABLE),
    "hard spring": plane([y, -(x**3)], STABLE, STABLE, invariants={"E": y**2 / 2 + x**4 / 4}),
    "hard spring, reversed": plane([y, x**3], UNSTABLE),
    "a cusp": plane([y, -(x**2)], UNSTABLE),
    "hard spring, damped": plane([y, -(x**3) - y], ATTRACTS, ATTRACTS),
    "hard spring, cubic damping": plane([y, -(x**3) - y**3], ATTRACTS),
    "reversed hard spring, damped": plane([y, x**3 - y], UNSTABLE, UNSTABLE),
    "saddle and node, one line": plane([-x, y**2], UNSTABLE, UNSTABLE),
    "a dipole: all motions but one line return": plane([x**2 - y**2, 2 * x * y], UNSTABLE),
    "attracts all, and is unstable (Vinograd) [H 40]": plane(
        [x**2 * (y - x) + y**5, y**2 * (y - 2 * x)], UNSTABLE
    ),
    "gradient of a valley's cross": plane([-x * y**2, -(x**2) * y], STABLE),
    "quartic centre": plane([-(y**3), x**3], STABLE, STABLE, invariants={"E": x**4 + y**4}),
    "two cubic sinks": plane([-(x**3), -(y**3)], ATTRACTS),
    "a cubic sink beside a source": plane([-(x**3), y**3], UNSTABLE, UNSTABLE),
    "centre manifold, attracting [K 8.1]": plane([x * y, -y - x**2], ATTRACTS, ATTRACTS),
    "centre manifold, repelling [K 8.1]": plane([x * y, -y + x**2], UNSTABLE, UNSTABLE),
    "centre manifold of fourth order [P 2.12]": plane([x**2 * y - x**5, -y + x**2], UNSTABLE, UNSTABLE),
    "centre manifold, its third order cancels, attracting [C 1.3]": plane(carr(-1, -1), ATTRACTS, ATTRACTS),
    "centre manifold, its third order cancels, repelling [C 1.3]": plane(carr(-1, 1), UNSTABLE, UNSTABLE),
    "level one twentieth of a basin without a linear part": plane(
        [(hills - 1) * sp.diff(hills, x), (hills - 1) * sp.diff(hills, y)], ATTRACTS
    ),
}
IN_SPACE = {
    "Lorenz, below the pitchfork [S 9.2]": space(lorenz(R(1, 2), R(8, 3)), ATTRACTS, ATTRACTS),
    "Lorenz, at the pitchfork [S 9.2]": space(lorenz(1, R(8, 3)), ATTRACTS, ATTRACTS),
    "Lorenz at r = 28 [S 9.2]": space(lorenz(28, R(8, 3)), UNSTABLE, UNSTABLE),
    "Lorenz, a roll [S 9.2]": space(lorenz(10, 1), ATTRACTS, ATTRACTS, (3, 3, 9)),
    "Lorenz, a roll beyond its Hopf point [S 9.2]": space(lorenz(26, 1), UNSTABLE, UNSTABLE, (5, 5, 25)),
    "Roessler-like spiral": space([-y - z, x + y / 5, z * (x - 5)], UNSTABLE, UNSTABLE),
    "three competitors together": space(competition(R(1, 2), 1), ATTRACTS, ATTRACTS, (R(2, 5),) * 3),
    "three competitors in turn": space(competition(R(1, 2), 2), UNSTABLE, UNSTABLE, (R(2, 7),) * 3),
    "Euler's body, long axis": space(EULER, STABLE, STABLE, (1, 0, 0), **SPHERE, **ENERGY),
    "Euler's body, middle axis": space(EULER, UNSTABLE, UNSTABLE, (0, 1, 0), **SPHERE),
    "Euler's body, short axis": space(EULER, STABLE, STABLE, (0, 0, 1), **SPHERE, **ENERGY),
    "Euler's body, at rest": space(EULER, STABLE, STABLE, **ENERGY),
    "pendulum by cosine and sine, hanging": space(
        on_circle(0), STABLE, STABLE, (1, 0, 0), **CIRCLE, invariants={"E": z**2 / 2 - x}
    ),
    "pendulum by cosine and sine, damped": space(on_circle(1), ATTRACTS, ATTRACTS, (1, 0, 0), **CIRCLE),
    "pendulum by cosine and sine, upright": space(on_circle(1), UNSTABLE, UNSTABLE, (-1, 0, 0), **CIRCLE),
    "eigenvalues left of the axis everywhere, and motions that escape": space(  # Cima et al., 1997
        [-x + z * (x + y * z) ** 2, -y - (x + y * z) ** 2, -z], ATTRACTS, ATTRACTS
    ),
    "a chain of three [H]": space([y, z, -x - 3 * y - 3 * z], ATTRACTS, ATTRACTS),
    "a chain of three, past its bound": space([y, z, -10 * x - 3 * y - 3 * z], UNSTABLE, UNSTABLE),
    "a chain of three, on its bound": space([y, z, -x - y - z], STABLE),
    "three zeros in a block": space([y, z, 0 * z], UNSTABLE, UNSTABLE),
    "a square of a frozen state, nilpotent": space([y**2, 0 * y, -z], UNSTABLE, UNSTABLE),
    "a turn, summed up": space([y, -x, x], STABLE),
    "a turn, its radius summed up": space([y, -x, r2], UNSTABLE),
    "a turn that drives a sink": space([y, -x, -z + x**2], STABLE),
    "a turn beside a cubic sink": space([y, -x, -(z**3)], STABLE),
}
WITH_FOUR_STATES = {
    "two turns, one of them damped": double([y, -x, w, -z - w], STABLE),
    "two equal turns, apart": double([-y, x, -w, z], STABLE),
    "two equal turns, one drives the other": double([-y + z, x + w, -w, z], UNSTABLE),
    "two turns of opposite energy, one to three": double(
        [-y, x, 3 * w, -3 * z], STABLE, STABLE, invariants={"I": r2, "J": z**2 + w**2}
    ),
    # Canonical equations of H = (x^2 + y^2)/2 - z^2 - w^2 + (z (x^2 - y^2) - 2 x y w)/2;
    # (x, y, z, w) = (sqrt(2) sin t, sqrt(2) cos t, sin 2t, -cos 2t)/t grows up to t = 0 (T. M. Cherry, 1925).
    "all roots on the axis and simple, unstable (Cherry)": double(
        [
            y - z * y - x * w, -(x + z * x - y * w),
            -2 * w - x * y, -(-2 * z + (x**2 - y**2) / 2),
        ],
        UNSTABLE,
    ),
    "two frozen states drive": double([w * y, 0 * y, -z, 0 * w], UNSTABLE, UNSTABLE),
}  # fmt: skip
TEXTBOOK_FIELDS = ON_A_LINE | IN_THE_PLANE | IN_SPACE | WITH_FOUR_STATES
