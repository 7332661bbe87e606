"""The study of integrators: what its tables say, apart from times."""

import numpy as np
import pytest

from studies import which_integrator as study

CHAIN, SPRINGS, TOP = study.cases()


@pytest.mark.parametrize("case", [SPRINGS, TOP], ids=lambda case: case.name)
def test_energy_is_bounded_or_drifts(case):
    """Ten spans of a bounded error have the same size; a drift grows tenfold over them."""
    found = {m.name: study.kept(m, case, h, 200.0) for m, h in study.long_methods(case) if m.name != "DOP853"}
    assert found["variational 2"].growth < 2
    assert found["variational 4"].growth < 2
    assert found["rk4"].growth > 3
    assert np.abs(found["heyoka"].energy).max() < 1e-12
    for name in ("variational 2", "variational 4"):
        assert found[name].manifold < 1e-13
    assert found["rk4"].manifold > 1e-7


def test_projection_keeps_the_length_and_not_the_energy():
    found = {m.name: study.kept(m, SPRINGS, h, 200.0) for m, h in study.long_methods(SPRINGS)[2:4]}
    assert np.abs(found["rk4, projected"].energy).max() > np.abs(found["rk4"].energy).max()
    assert found["rk4, projected"].growth > 3


@pytest.mark.long(reason="rotations/test_integrators.py keeps momentum maps")
def test_momentum_about_the_vertical():
    found = {m.name: study.kept(m, TOP, h, 50.0) for m, h in study.long_methods(TOP)[:3]}
    assert found["variational 2"].momentum < 1e-13
    assert found["rk4"].momentum > 1e-6
    assert np.isnan(study.kept(*_first(SPRINGS), 20.0).momentum)  # springs along one axis keep none


def _first(case):
    method, h = study.long_methods(case)[0]
    return method, case, h


def test_costs_lie_between_settings():
    curve = study.Curve("a method", np.array([1e-2, 1e-4, 1e-8]), np.array([1.0, 2.0, 4.0]))
    assert curve.cost(1e-3) == pytest.approx(np.sqrt(2))
    assert curve.cost(1e-8) == pytest.approx(4.0)
    assert curve.cost(0.1) == 1.0
    assert np.isnan(curve.cost(1e-9))
