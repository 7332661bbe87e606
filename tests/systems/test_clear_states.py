"""States of many members that are clearly good: none of them would be refused alone."""

import numpy as np
import pytest

import geoctrl as gc
from geoctrl.systems.contract.scales import symmetric_scaling
from geoctrl.systems.states.clear_states import _least_conditions, _symmetric_scalings, are_clearly_good
from geoctrl.systems.states.singularity import _least_condition, is_regular_at

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


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 5), (7, 4)])
def test_bounds_of_many_are_those_of_one(shape):
    """By pivots as by the determinant; of singular matrices, infinite ones and no numbers there is none."""
    rng = np.random.default_rng(6)
    matrices = rng.normal(size=(*shape, COUNT)) * 10.0 ** rng.uniform(-3, 0, (shape[0], 1, COUNT))
    matrices[..., 0], matrices[0, 0, 1], matrices[0, 0, 2] = 0.0, np.nan, np.inf
    with np.errstate(all="ignore"):
        found = _least_conditions(matrices)
        assert _least_conditions(np.ones((4, 3, 1))) < 1e-7
    assert not (found[:3] > 0).any()
    for i in range(3, COUNT):
        assert found[i] == pytest.approx(_least_condition(matrices[..., i]), rel=1e-8)


def test_scalings_of_many_are_those_of_one():
    """Of matrices with zeros on the diagonal too, where an earlier row gives the size."""
    rng = np.random.default_rng(7)
    sizes = 10.0 ** rng.uniform(-9, 9, (4, 4, COUNT))
    sizes[3, 3] = 0.0
    sizes += sizes.swapaxes(0, 1)
    found = _symmetric_scalings(sizes)
    for i in range(COUNT):
        assert found[:, i] == pytest.approx(symmetric_scaling(sizes[..., i]), rel=1e-14)
    sizes[0, 0, 0] = 0.0
    with np.errstate(all="ignore"):
        assert np.isnan(_symmetric_scalings(sizes)[0, 0])
