"""The study of regions: runs that leave are counted, outputs are watched, the share is of the level set."""

import json

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from studies import regions as study


def pendulum():
    """Its energy is phi_dot^2 - 3 cos phi; the region with |2 phi| <= 2 is that below the angle of one."""
    phi = gc.Coordinate("phi", angle=True)
    system = gc.EulerPoincare(
        algebra=None,
        shape=[phi],
        inertia=[[2]],
        potential=-3 * sp.cos(phi.symbol),
        name="pendulum",
        outputs={"pull": 2 * phi.symbol},
    ).reduce()
    eq = gc.find_equilibrium(system, system.state())
    return system, eq, lambda rng: rng.uniform(-2, 2, 2), None


@pytest.fixture(scope="module")
def limited():
    system, eq, draw, _ = pendulum()
    return system, eq, draw, gc.region_of_attraction(system, eq, limits={"pull": 2.0})


def test_a_study_writes_the_region_and_its_runs(tmp_path, monkeypatch):
    monkeypatch.setitem(study.MADE, "skate-limited", (pendulum, {"pull": 2.0}))
    monkeypatch.setattr(
        "sys.argv", ["regions", "--out", str(tmp_path), "--starts", "12", "--only", "skate-limited"]
    )
    study.main()
    found = json.loads((tmp_path / "skate-limited-runs.json").read_text())
    assert found["left"] == 0
    assert found["starts"] == 12
    assert -3 * np.cos(1) - 0.05 < found["level"] <= -3 * np.cos(1)
    assert 1.0 < found["largest"]["pull"] <= 2.0
    assert gc.verify(tmp_path / "skate-limited.json").verdict is gc.Verdict.PROVED_INVARIANT


def test_runs_that_begin_outside_are_counted(limited):
    system, eq, _, roa = limited
    outside = np.array([[0.0, 1.5], [3.0, 0.0], [0.1, 0.1]]).T
    found = study.runs(system, roa, outside, eq.params)
    assert found["left"] == 2
    assert found["largest"]["pull"] > 2.9


@pytest.mark.long(reason="the region of the study is written, and runs outside are counted, beside it")
def test_the_share_is_that_of_the_level_set():
    """Of what is below the edge the part below a lower level is that of the areas, on a grid."""
    loop, eq, _, _ = study.skate()
    state = study.on_levels(loop, eq)
    edge, rest = (-float(loop.energy(state(lean, 0.0))) for lean in (np.pi / 2 - 1e-9, 0.0))
    level = rest + (edge - rest) / 4

    class Below:
        def contains(self, x):
            return -loop.energy(x) <= level

    rolls, leans = np.meshgrid(np.linspace(-4, 4, 31), np.linspace(-1.57, 1.57, 31))
    grid = np.array([state(a, b) for a, b in zip(leans.ravel(), rolls.ravel(), strict=True)]).T
    energy = -loop.energy(grid)
    expected = np.sum(energy <= level) / np.sum(energy < edge)
    assert study.share(loop, eq, Below(), 400) == pytest.approx(expected, abs=0.04)
