"""Integrals over a one-dimensional shape: their jets are those of conserved functions."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.analysis.question.shape_integrals import find_shape_integrals, shape_jets
from tests.systems import user_mechanisms


def recognised(system):
    states = dict(zip(system.state_labels, system.state_nodes, strict=True))
    return find_shape_integrals(system.graph, states, system.field_nodes, system.leaf.nodes)


@pytest.fixture(scope="module")
def circling():
    """A disk rolling on a circle, leaning: a point with nothing special about it."""
    system = user_mechanisms.disk().replace(frame=None).reduce().despun()
    guess = [0, 1, 9, 0.9, 0.4]
    return system, gc.find_equilibrium(system, guess, fixed={"Gamma3": 0.3, "Omega2": 1.5})


def test_structure_is_recognised_where_it_is():
    skate = gc.models.get("pendulum-skate")().reduce()
    assert recognised(skate).names == ("integral of v2", "integral of v3")
    assert recognised(user_mechanisms.disk().replace(frame=None).reduce().despun()) is not None
    assert recognised(gc.models.get("heavy-top")().reduce()) is None
    assert recognised(user_mechanisms.double_planar_pendulum().reduce()) is None


def test_rates_that_divide_by_a_velocity_are_not_of_the_structure():
    """A filter whose pace is one over the speed: its rate has no value where the skate stands."""
    skate = gc.models.get("pendulum-skate")()
    s, v3 = sp.symbols("s v3", real=True)
    paced = skate.replace(controller={"s": -s / v3}, equilibria={}, symmetry=None).reduce()
    sliding = np.append(skate.reduce().equilibrium("sliding", Y0=1.0).x, 0.0)
    assert -1 in gc.linearize(paced, sliding).eigenvalues.round(9)


def test_structure_is_recognised_over_a_coordinate():
    unicycle = gc.models.get("unicycle-with-rotor")().replace(rotors=None, invariants={}).reduce()
    assert recognised(unicycle).names == ("integral of Omega", "integral of Y1")
    for name in ("furuta-pendulum", "acrobot", "spherical-pendulum-on-puck"):
        assert recognised(gc.models.get(name)().reduce()) is None


def test_the_unicycle_with_its_rotor_locked_stands_above_a_speed():
    unicycle = gc.models.get("unicycle-with-rotor")().replace(rotors=None, invariants={}).reduce()
    p = unicycle.params
    S = p["m"] * p["R"] + p["mu"] * p["h"]
    critical = np.sqrt((p["A"] + p["K3"]) * S * p["g"] * p["R"] ** 2 / (p["B"] * (p["B"] + p["R"] * S)))
    for factor, expected in ((1 - 1e-6, "PROVED_UNSTABLE"), (1 + 1e-6, "PROVED_STABLE")):
        point = unicycle.equilibrium("upright", V0=critical * factor)
        assert gc.certify(unicycle, point).verdict.name == expected


def test_gradients_are_left_null_vectors_of_the_linearisation(circling):
    system, point = circling
    lin = gc.linearize(system, point)
    jets = shape_jets(system, point.x, point.u, point.params)
    assert len(jets) == 2
    for jet in jets:
        row = np.array(jet.gradient) @ lin.basis
        assert np.max(np.abs(row @ lin.A_leaf)) < 1e-11 * np.linalg.norm(lin.A_leaf)


def test_skate_integrals_span_those_known_in_closed_form():
    skate = gc.models.get("pendulum-skate")().reduce()
    turn = gc.find_equilibrium(skate, [0, 5, -0.7, 0.1, 0.99], fixed={"v2": 5.0, "Gamma2": 0.1})
    rows = {jet.name: np.array(jet.gradient) for jet in shape_jets(skate, turn.x, turn.u, turn.params)}
    seen = skate.seen_from()
    rows |= seen.conserved_gradients(turn.x, turn.u, turn.params)
    (leaf,) = seen.leaf_gradient(turn.x, turn.params)
    mine = np.array([rows["integral of v2"], rows["integral of v3"], leaf])
    for name in ("C1", "C2"):
        together = np.vstack([mine, rows[name]])
        assert np.linalg.svd(together / np.linalg.norm(together, axis=1)[:, None])[1][-1] < 1e-12


def taylor_change(system, point, name, size, flip=1.0):
    """Change of a jet's quadratic polynomial along a motion that starts at distance ``size``."""
    jet = next(j for j in shape_jets(system, point.x, point.u, point.params) if j.name == name)
    gradient, hessian = np.array(jet.gradient), flip * np.array(jet.hessian())
    lin = gc.linearize(system, point)
    x0 = point.x + size * lin.basis @ np.array([0.6, -0.5, 0.8, 0.3])
    gamma = system.advected(x0)
    x0[-2:] /= np.linalg.norm(gamma)
    run = gc.simulate(system, np.linspace(0, 2, 41), x0)
    d = run.states - point.x[:, None]
    values = gradient @ d + 0.5 * np.einsum("it,ij,jt->t", d, hessian, d)
    return float(np.max(np.abs(values - values[0])))


@pytest.mark.parametrize("name", ["integral of Omega2", "integral of Omega3"])
def test_second_derivatives_make_the_polynomial_conserved_to_third_order(circling, name):
    # The polynomial differs from the integral at third order; a wrong Hessian would show at second order.
    system, point = circling
    coarse, fine = (taylor_change(system, point, name, size) for size in (2e-2, 5e-3))
    assert np.log(coarse / fine) / np.log(4) > 2.7
    wrong = [taylor_change(system, point, name, size, flip=-1.0) for size in (2e-2, 5e-3)]
    assert np.log(wrong[0] / wrong[1]) / np.log(4) < 2.3


def test_certificate_lists_them_and_verify_repeats_the_recognition(tmp_path):
    system = user_mechanisms.disk().replace(frame=None).reduce().despun()
    point = gc.find_equilibrium(system, [0, 0, 9, 1, 0], fixed={"Omega3": 9.0, "Gamma3": 0.0})
    certificate = gc.certify(system, point)
    assert certificate.verdict is gc.Verdict.PROVED_STABLE
    assert certificate.evidence["shape_integrals"] == ["integral of Omega2", "integral of Omega3"]
    certificate.to_json(tmp_path / "rolling.json")
    assert gc.verify(tmp_path / "rolling.json").verdict is gc.Verdict.PROVED_STABLE
