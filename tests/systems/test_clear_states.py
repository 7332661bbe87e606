"""States of many members that are clearly good: none of them would be refused alone."""

import numpy as np
import pytest

import geoctrl as gc
from geoctrl.systems.states.clear_states import are_clearly_good
from geoctrl.systems.states.singularity import is_regular_at

COUNT = 60


@pytest.mark.parametrize("name", ["pendulum-skate", "heavy-top", "rolling-disk", "cart-pendulum"])
def test_no_clear_state_is_refused(name):
    """Random states, some off the leaf, some next to where coordinates or frames are singular."""
    system = gc.models.get(name)().reduce()
    rng = np.random.default_rng(4)
    x = np.array([system.random_state(rng, system.params) for _ in range(COUNT)]).T
    k = len(system.assembly.velocity)
    for i in range(COUNT // 3):
        x[k:, i] *= 1 + 10.0 ** rng.uniform(-14, 0)
        x[:, COUNT // 3 + i] *= 10.0 ** rng.integers(-16, 16, len(x))
    params = {p: v * rng.uniform(0.5, 2, COUNT) for p, v in system.params.items()}
    params[next(iter(params))][:5] = 1e-18
    clear = are_clearly_good(system, 0.0, x, params)
    assert clear[2 * COUNT // 3 :].mean() > 0.8
    for i in np.flatnonzero(clear):
        alone = {p: float(v[i]) for p, v in params.items()}
        try:
            admitted = system.parameters_at(alone)
        except gc.GeoctrlError:
            continue  # judged by `member_parameters`
        assert np.array_equal(system.start(x[:, i], admitted), x[:, i])
        assert is_regular_at(system, x[:, i], admitted)
