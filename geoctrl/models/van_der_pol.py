"""An oscillator with a resistance that is negative inside: a limit cycle, and in reversed time a basin."""

from __future__ import annotations

from geoctrl.algebra import Coordinate
from geoctrl.systems import Family, Parameter, VectorField

__all__ = ["van_der_pol", "van_der_pol_reversed"]

_SOURCE = "van der Pol, Philosophical Magazine 2 (1926) 978"


def van_der_pol() -> VectorField:
    """Oscillator whose resistance is negative near zero: x'' + omega^2 x = mu (1 - x^2/a^2) x'.

    ``x' = y``, ``y' = -omega^2 x + mu (1 - x^2/a^2) y``. Family "rest"; a limit cycle goes round it.
    """
    return _oscillator(1, "van-der-pol")


def van_der_pol_reversed() -> VectorField:
    """Van der Pol's oscillator in reversed time: rest attracts, and the cycle is the edge of its basin.

    ``x' = -y``, ``y' = omega^2 x - mu (1 - x^2/a^2) y``. Family "rest".
    """
    return _oscillator(-1, "van-der-pol-reversed")


def _oscillator(sense: int, name: str) -> VectorField:
    """The rates times a sense of time."""
    parameters = (
        Parameter("mu", 1.0, "1/s", "negative resistance at rest, over the mass", positive=True),
        Parameter("omega", 1.0, "1/s", "frequency without resistance", positive=True),
        Parameter("a", 1.0, "", "where the resistance changes its sign", positive=True),
    )
    mu, omega, a = (p.symbol for p in parameters)
    state = (Coordinate("x", description="deflection, or current"), Coordinate("y", description="its rate"))
    x, y = (c.symbol for c in state)
    return VectorField(
        states=state,
        rates=[sense * y, sense * (-(omega**2) * x + mu * (1 - x**2 / a**2) * y)],
        parameters=parameters,
        equilibria={"rest": Family({})},
        name=name,
        source=_SOURCE,
    )
