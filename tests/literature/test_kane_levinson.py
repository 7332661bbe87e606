"""T. R. Kane and D. A. Levinson, Realistic mathematical modeling of the rattleback, 1982, frictionless."""

import numpy as np
from scipy.spatial.transform import Rotation

import geoctrl as gc


def mean_spin(spin):
    """Spin about the vertical over the rocking, started with half a degree of pitch and of roll."""
    system = gc.models.get("rattleback")(set="kane-levinson").reduce()
    half = np.radians(0.5)
    gamma = Rotation.from_euler("XY", [half, half]).as_matrix()[2]
    run = gc.simulate(system, np.linspace(0.0, 5.0, 501), [0, 0, spin, *gamma])
    assert run.drift["energy"] < 1e-12  # rounding
    vertical = np.einsum("it,it->t", run.states[:3], run.states[3:])
    return np.convolve(vertical, np.ones(50) / 50, mode="valid")


def test_the_spin_of_minus_five_is_reversed():
    mean = mean_spin(-5.0)
    assert mean[0] < -4.5
    assert mean[-1] > 2
    assert np.count_nonzero(np.diff(np.sign(mean))) == 1


def test_the_spin_of_plus_five_keeps_its_sense():
    assert np.min(mean_spin(5.0)) > 4
