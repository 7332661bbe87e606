"""The study of the bicycle: published speeds, the exchange of energy, and the range by head angle."""

import numpy as np
import pytest

from studies import bicycle as study
from tests.literature.test_meijaard_papadopoulos_ruina_schwab import companion, formulas


@pytest.fixture(scope="module")
def system():
    return study.bicycle()


def test_the_speeds_are_those_published(system):
    assert study.weave_speed(system) == pytest.approx(study.PUBLISHED["weave"], abs=2e-12)
    assert study.capsize_speed(system) == pytest.approx(study.PUBLISHED["capsize"], abs=2e-12)


def test_what_the_potential_energy_loses_the_kinetic_gains(system):
    found = study.pushed(system)
    np.testing.assert_allclose(found.kinetic, -found.potential, atol=1e-10)
    assert np.ptp(found.potential) > 5
    # It speeds up while it leans and rides on a little faster, upright again.
    assert 4.61 < found.run["speed"][-1] < 4.63 < found.run["speed"].max() < 4.7
    assert np.abs(found.run["lean_rate"][-1]) < 0.1


def test_the_range_is_that_of_the_formulas(system):
    angles, speeds = np.array([60.0, 72.0, 85.0]), np.array([3.0, 5.0, 6.2, 6.6])
    found = study.self_stable(system, angles, speeds)
    for i, angle in enumerate(angles):
        p = {**system.params, "lam": np.radians(90 - angle)}
        expected = [companion(v, p["g"], *formulas(p)).real.max() for v in speeds]
        np.testing.assert_allclose(found.growth[i], expected, atol=1e-10)
    assert (
        (found.growth < 0) == [[False, False, True, True], [False, True, False, False], [False] * 4]
    ).all()


def test_it_draws_what_it_computes(tmp_path, system):
    speeds = dict(study.PUBLISHED)
    for name, figure in (
        ("a", study.draw_spectrum(system, speeds)),
        ("b", study.draw_run(study.pushed(system))),
    ):
        figure.savefig(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 20_000
