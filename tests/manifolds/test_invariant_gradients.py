"""Gradients of what is conserved, seen from turning axes: by differences, and critical where all turns."""

import numpy as np
import pytest

import geoctrl as gc
from geoctrl import rotations, spheres

J = np.array([[2.0, 0.1, 0.2], [0.1, 1.5, -0.1], [0.2, -0.1, 1.0]])
SPIN = np.array([0, 0, 1.7])


def chain():
    return spheres.chain_pendulum([1.0, 2.0], [0.5, 0.7])


def gyrostat():
    return rotations.pendulum3d(J, 1.3, [0.2, 0.1, -0.3]).replace(linear=[[0.7, -0.5, 0.9]])


def turning(rate=0.8):
    """A potential that is symmetric about the axis of the frame."""
    R, _ = rotations.symbols(1)
    w = gc.Parameter("w", rate)
    return rotations.RotationSystem(
        inertias=J, potential=2.0 * R[0][2, 0], linear=[[0.3, 0.2, -0.1]], frame_rate=[0, 0, w.symbol],
        parameters=[w],
    )  # fmt: skip


SYSTEMS = {"chain": chain, "gyrostat": gyrostat, "turning": turning}


def gradients(system, x, spin):
    return system.seen_from(spin).conserved_gradients(x, np.zeros(system.ninputs), system.parameters_at(None))


@pytest.mark.parametrize("name", SYSTEMS)
def test_gradients_are_differences_of_energy_less_spin_times_momentum(name):
    """Along the manifold, where all extensions agree."""
    system = SYSTEMS[name]()
    x = system.generic_state(4)
    found = gradients(system, x, SPIN)
    assert set(found) == {"energy", "momentum"}
    functions = {
        "energy": lambda y: system.energy(y) - SPIN @ system.momentum(y),
        "momentum": lambda y: SPIN @ system.momentum(y),
    }
    h = 1e-5  # errors of h^2 times third derivatives of size ten
    for column in system.seen_from().leaf_basis(x, {}).T:
        for key, f in functions.items():
            change = (f(x + h * column) - f(x - h * column)) / (2 * h)
            assert found[key] @ column == pytest.approx(change, abs=1e-7), key


@pytest.mark.parametrize("name", ["chain", "gyrostat"])
def test_relative_equilibria_are_critical(name):
    """For the energy less spin times momentum, and for no other sign."""
    system = SYSTEMS[name]()
    first, second = system.unpack(system.generic_state(4))
    guess = ([[0.5, 0, -0.8], [0.8, 0, -0.5]], 0 * second) if name == "chain" else (first, second)
    if name == "chain":
        guess = spheres.project(*map(np.array, guess))
    point = gc.find_equilibrium(system, guess, spin=5 * SPIN)
    W = system.seen_from().leaf_basis(point.x, {})
    found = gradients(system, point.x, 5 * SPIN)
    assert np.abs(found["energy"] @ W).max() < 1e-7
    assert np.abs(found["momentum"] @ W).max() > 0.1
    assert np.abs(gradients(system, point.x, -5 * SPIN)["energy"] @ W).max() > 0.1


def test_in_a_frame_that_turns_the_momentum_about_its_axis_counts():
    system = turning()
    x = system.generic_state(4)
    found = gradients(system, x, np.zeros(3))
    assert set(found) == {"energy", "momentum"}
    h = 1e-5
    for column in system.seen_from().leaf_basis(x, {}).T:
        up, down = x + h * column, x - h * column
        change = (system.momentum(up) - system.momentum(down)) @ [0, 0, 0.8] / (2 * h)
        assert found["momentum"] @ column == pytest.approx(change, abs=1e-7)
        assert found["energy"] @ column == pytest.approx(
            (system.energy(up) - system.energy(down)) / (2 * h), abs=1e-7
        )
