"""The chain pendulum, with a couple at the base and a force at the tip, against Cartesian equations."""

import numpy as np
import pytest

from geoctrl import spheres
from tests.oracles import cartesian_chain
from tests.spheres.systems import hanging

MASSES, LENGTHS = [1.0, 2.0, 0.5, 1.5, 0.8], [0.6, 0.4, 0.5, 0.3, 0.7]
GRAVITY, COUPLE, PULL = (0.7, -0.4, -9.2), np.array([0.8, -0.5, 0.6]), np.array([0.4, 0.9, -0.7])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_against_cartesian_equations_with_multipliers(n):
    """1e-9: both solutions are good to about 1e-11."""
    m, l = MASSES[:n], LENGTHS[:n]  # noqa: E741
    q, omega = hanging(n, seed=n, spread=0.5)
    chain = spheres.chain_pendulum(m, l, GRAVITY)
    T = 0.5
    r = spheres.integrate(chain, q, omega, T / 200, 200, order=8, inputs=[*COUPLE, *PULL])
    expected = cartesian_chain.simulate(q, omega, T, m, l, GRAVITY, COUPLE, PULL)
    assert r.q[-1] == pytest.approx(expected[0], abs=1e-9)
    assert r.omega[-1] == pytest.approx(expected[1], abs=1e-9)
    wrong = cartesian_chain.simulate(q, omega, T, m, l, GRAVITY, -COUPLE, PULL)
    assert np.max(np.abs(r.q[-1] - wrong[0])) > 1e-2


def test_accelerations_of_a_long_chain():
    """Twenty strongly coupled links: one evaluation of the equations of motion."""
    n = 20
    rng = np.random.default_rng(12)
    m, l = rng.uniform(0.5, 2, n), rng.uniform(0.1, 0.4, n)  # noqa: E741
    q, omega = hanging(n, seed=12, spread=0.8)
    chain = spheres.chain_pendulum(m, l, GRAVITY)
    found = chain.rhs(0.0, chain.pack(q, omega), [*COUPLE, *PULL])
    positions = np.cumsum(l[:, None] * q, axis=0)
    velocities = np.cumsum(l[:, None] * np.cross(omega, q), axis=0)
    a = cartesian_chain.accelerations(positions, velocities, m, l, GRAVITY, COUPLE, PULL)
    second = np.diff(a, axis=0, prepend=np.zeros((1, 3))) / l[:, None]
    expected = chain.pack(np.cross(omega, q), np.cross(q, second))
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-10 * np.abs(expected).max())
