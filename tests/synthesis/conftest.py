"""Damped laws, each made once for all tests of this folder."""

import pytest

import geoctrl as gc
from tests.synthesis.damped import GAINS, SIGMA
from tests.synthesis.rotors import skate_with_rotor


@pytest.fixture(scope="session")
def laws():
    """Laws by axis and gains, each made once."""
    kept = {}

    def law(axis, gains):
        if axis not in kept:
            kept[axis] = gc.match(skate_with_rotor(axis)).law(SIGMA[axis])
        if (axis, gains) not in kept:
            kept[axis, gains] = kept[axis].with_damping(**GAINS[gains])
        return kept[axis, gains]

    return law
