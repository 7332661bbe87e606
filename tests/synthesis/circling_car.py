"""A car on a circle whose centre it sees as an advected place."""

import numpy as np
import sympy as sp

import geoctrl as gc


def car_on_circle():
    """The reduced system of a car with two inputs, and its state on the circle of radius 2 at 1 m/s."""
    action = np.zeros((3, 3, 3), dtype=int)
    action[0, 0, 1], action[1, 0, 0], action[0, 1, 2], action[1, 2, 2] = -1, 1, 1, 1
    centre = gc.AdvectedParameter("c", action=action, reference=(0, 0, 1))
    drive, steer = sp.symbols("drive steer", real=True)
    car = gc.EulerPoincare(
        algebra=gc.se2(),
        advected=[centre],
        inertia=sp.diag(sp.Rational(3, 10), 2, 2),
        constraints=[[0, 0, 1]],
        forces=[steer, drive, 0],
        inputs=[drive, steer],
        leaf=[centre.symbols[2] - 1],
        name="car",
    )
    return car.reduce(), np.array([0.5, 1.0, 0, 2.0, 1.0])
