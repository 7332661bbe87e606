"""The study of the quadrotor with a load: the regulator's eigenvalues, both laws at rest and from nearby."""

import numpy as np
import pytest

import geoctrl as gc
from studies import quadrotor_load as study


def test_the_regulator_makes_the_hover_attract():
    system = study.drone()
    rest = study.hover(system)
    assert gc.linearize(system, rest).eigenvalues.real.max() > -1e-6  # without it nothing is damped
    loop = study.regulated(system)
    assert gc.linearize(loop, rest.x).eigenvalues.real.max() < -1.0


def test_the_geometric_law_holds_the_hover():
    rest = study.hover(study.drone())
    np.testing.assert_allclose(study.geometric()(0.0, rest.x, {}), rest.u, atol=1e-14)


COMPILED = pytest.mark.long(reason="numba compiles this law for seconds; the regulator's run is beside it")


@pytest.mark.parametrize(
    "run", [study.by_the_regulator, pytest.param(study.by_the_geometric_law, marks=COMPILED)]
)
def test_both_bring_the_load_to_rest(run):
    found = run(study.STARTS["mild"])
    assert found.came_to_rest
    assert found.swing[-1] < 1.0
