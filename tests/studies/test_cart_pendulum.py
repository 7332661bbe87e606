"""The study of the cart: the law it chooses, its singular lean, and where it comes home."""

import numpy as np
import pytest

import geoctrl as gc
from studies import cart_pendulum as study


@pytest.fixture(scope="module")
def law():
    return study.matched()[0]


def test_the_law_is_proved_and_sees_the_place_of_the_cart(law):
    loop = law.closed_loop()
    assert gc.certify(loop, loop.equilibrium("upright")).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    run = gc.simulate(loop, np.linspace(0, 3, 301), study.start(loop, law, 0.3, 0.4))
    place = study.cart_at(loop, law, run)
    assert place[0] == pytest.approx(0.4)
    np.testing.assert_allclose(np.gradient(place, run.time)[1:-1], run["x_dot"][1:-1], atol=2e-3)


def test_the_law_is_singular_where_the_controlled_inertia_is(law):
    system = law.controlled.system
    lean = study.edge(system.params)
    inertia = [e for row in system.assembly.mass for e in row]
    at = system.program(inertia)(
        system.arguments_at(0, system.state(phi=lean), None), system.parameters(None)
    )
    assert abs(np.linalg.det(np.reshape(at, (2, 2)))) < 1e-12


def test_both_laws_come_home_from_a_small_lean(law):
    for system, own in ((law.closed_loop(), law), (study.lqr(), None)):
        assert study.comes_home(system, own, 0.2, 0.3, 90.0)
        assert not study.comes_home(system, own, 1.5, 0.0, 90.0)


@pytest.mark.long(reason="its law is proved and its runs come home beside it")
def test_the_study_draws_its_figures(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(study, "comes_home", lambda *_: True)
    study.main(["--quick", "--out", str(tmp_path)])
    assert "PROVED_ASYMPTOTICALLY_STABLE" in capsys.readouterr().out
    assert {p.name for p in tmp_path.iterdir()} == {"run.png", "region.png"}
