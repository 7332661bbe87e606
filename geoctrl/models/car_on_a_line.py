"""A car that follows a line by its steering: an input within a tangent, and no inertia."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate
from geoctrl.systems import Family, Parameter, VectorField

__all__ = ["car_on_a_line"]


def car_on_a_line() -> VectorField:
    """Car that rolls at a constant speed, its distance from a line and its heading, steered by an angle.

    ``y' = v sin(theta)``, ``theta' = (v/L) tan(delta)``: the wheels do not slip. Family "on the line".
    """
    parameters = (
        Parameter("v", 1.5, "m/s", "speed of the rear axle's middle", positive=True),
        Parameter("L", 2.5, "m", "from the rear axle to the front one", positive=True),
    )
    v, length = (p.symbol for p in parameters)
    across = Coordinate("y", unit="m", description="distance of the rear axle's middle from the line")
    heading = Coordinate("theta", angle=True, description="from the line to the car's axis")
    return VectorField(
        states=[across, heading],
        rates=[v * sp.sin(heading.symbol), v / length * sp.tan(sp.Symbol("delta", real=True))],
        inputs=["delta"],
        parameters=parameters,
        equilibria={"on the line": Family({})},
        name="car-on-a-line",
        source="De Luca, Oriolo and Samson, in Laumond (ed.), Robot Motion Planning and Control (1998)",
    )
