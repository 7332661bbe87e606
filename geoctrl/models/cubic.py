"""The smallest field with a basin: what any search for sets must find."""

from __future__ import annotations

from geoctrl.algebra import Coordinate
from geoctrl.systems import Family, Parameter, VectorField

__all__ = ["cubic"]


def cubic() -> VectorField:
    """One state that returns from between two edges, and escapes beyond: x' = -k x (1 - x^2/w^2).

    Families "inner", which attracts all |x| < w, and "edge", x = w, which is unstable.
    """
    parameters = (
        Parameter("k", 1.0, "1/s", "rate of return near zero", positive=True),
        Parameter("w", 1.0, "", "where the basin ends", positive=True),
    )
    k, w = (p.symbol for p in parameters)
    state = Coordinate("x", description="distance from rest")
    x = state.symbol
    return VectorField(
        states=[state],
        rates=[-k * x * (1 - x**2 / w**2)],
        parameters=parameters,
        equilibria={"inner": Family({}), "edge": Family({"x": w})},
        name="cubic",
        source="Tedrake, Underactuated Robotics: example of a region of attraction, with k = w = 1",
    )
