"""Lorenz' smallest model of the westerlies that has weather."""

from __future__ import annotations

from geoctrl.algebra import Coordinate
from geoctrl.systems import Family, Parameter, VectorField

__all__ = ["lorenz_84"]


def lorenz_84() -> VectorField:
    """Westerly wind x and the cosine and sine of a wave that it carries, heated by F and, over land, G.

    ``x' = -y^2 - z^2 - a x + a F``, ``y' = x y - b x z - y + G``, ``z' = b x y + x z - z``, time in units of
    five days. Family "zonal", wind without waves, where G = 0: it attracts for F < 1.
    """
    parameters = (
        Parameter("a", 0.25, "", "damping of the wind, over that of the wave", positive=True),
        Parameter("b", 4.0, "", "how far the wind carries the wave", positive=True),
        Parameter("F", 0.5, "", "heating between equator and pole"),
        Parameter("G", 0.0, "", "heating between land and sea"),
    )
    a, b, F, G = (p.symbol for p in parameters)
    state = (
        Coordinate("x", description="westerly wind"),
        Coordinate("y", description="cosine of the wave"),
        Coordinate("z", description="sine of the wave"),
    )
    x, y, z = (c.symbol for c in state)
    return VectorField(
        states=state,
        rates=[-(y**2) - z**2 - a * x + a * F, x * y - b * x * z - y + G, b * x * y + x * z - z],
        parameters=parameters,
        parameter_sets={"1984": {"F": 8.0, "G": 1.0}},
        equilibria={"zonal": Family({"x": F}, relations=[G])},
        name="lorenz-84",
        source="Lorenz, Tellus 36A (1984) 98, equations (1)-(3)",
    )
