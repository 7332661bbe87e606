"""The study of the chain pendulum: its equations, its modes against closed forms, its balance."""

import numpy as np
import pytest
from scipy.special import eval_laguerre, roots_laguerre

import geoctrl as gc
from studies import chain_pendulum as study


def test_equations_of_two_links():
    m, lengths = np.array([1.2, 0.7]), np.array([0.5, 0.4])
    system = gc.spheres.chain_pendulum(m, lengths)
    assert study.defect(system, m, lengths) < 1e-14
    # Negative control: another mass.
    assert study.defect(system, 1.1 * m, lengths) > 1e-3


@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_modes_are_laguerres(n):
    """Displacement of the mass j links above the tip: L_j at the zero of L_n that is the frequency."""
    found = study.modes(n)
    assert found.frequencies == pytest.approx(study.laguerre(n, 3), rel=1e-12)
    for root, shape in zip(roots_laguerre(n)[0], found.shapes, strict=False):
        expected = eval_laguerre(np.arange(n, -1, -1), root)
        assert shape == pytest.approx(expected, abs=1e-9)


def test_chains_come_close_to_the_string_at_rate_one():
    away = [study.modes(n).frequencies[:2] / study.string(2) - 1 for n in (8, 16)]
    assert away[1] * 16 == pytest.approx(-0.25, abs=0.03)
    # The difference is 1/(4 n) to order 1/n^2.
    assert np.abs(2 * away[1] - away[0]).max() < 3e-3


@pytest.mark.parametrize("signs", [(-1, -1), (-1, 1), (1, -1), (1, 1)])
def test_torque_at_the_base_controls_every_equilibrium(signs):
    lin = study.vertical(study.uniform(2), signs)
    A, B = study.horizontal(lin)
    assert study.uncontrollable(A, B) > 0.1
    assert np.linalg.eigvals(A - B @ study.gain(A, B)).real.max() < -0.5
    assert np.linalg.norm(lin.B_leaf[:, 2]) < 1e-15  # a couple about the links does nothing
    # Negative control: torque about one axis cannot hold the other direction.
    assert study.uncontrollable(A, B[:, :1]) < 1e-10


@pytest.fixture(scope="module")
def found():
    return study.balance(span=4.0)


def test_balance(found):
    assert found.run.q[-1] == pytest.approx(np.tile([0, 0, 1.0], (2, 1)), abs=1e-3)
    assert found.difference < 1e-4  # of a method of second order, h = 1 ms
    assert found.run.length_error.max() < 1e-13


def test_closed_loop_is_a_system(found):
    lin = study.vertical(found.loop, (1, 1))
    A, B = study.horizontal(study.vertical(gc.spheres.chain_pendulum([1.0, 1.0], [0.5, 0.5]), (1, 1)))
    expected = np.linalg.eigvals(A - B @ study.gain(A, B))
    assert np.sort_complex(lin.eigenvalues.round(8)) == pytest.approx(
        np.sort_complex(expected.round(8)), abs=1e-7
    )
    assert gc.certify(found.loop, lin.equilibrium).verdict.name == "PROVED_ASYMPTOTICALLY_STABLE"


def test_figures(found, tmp_path):
    study.draw_modes([study.modes(n) for n in (4, 8)]).savefig(tmp_path / "modes.png")
    study.draw_balance(found).savefig(tmp_path / "balance.png")
    assert min(p.stat().st_size for p in tmp_path.iterdir()) > 10_000
