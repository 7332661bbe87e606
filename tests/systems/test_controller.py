"""States of a controller: where they may enter, what they do to the equations, who refuses them."""

import pickle

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

z, w = (sp.Symbol(name, real=True) for name in ("z", "w"))


def gyrostat(**changes):
    """A heavy body with a momentum z E3 carried along, which two controller states move."""
    top = gc.models.get("heavy-top")()
    xi = top.algebra.xi
    fields = {
        "gyroscopic": [0, sp.Rational(1, 5) * w, z],
        "forces": [-sp.Rational(3, 10) * xi[0] + z * w, 0, 0],
        "controller": {"z": sp.Rational(7, 10) * xi[2] - w, "w": xi[0] * z - 2 * w},
        "outputs": {"both": z + w},
        "symmetry": None,
    }
    return top.replace(**{**fields, **changes})


SYSTEM = gyrostat().reduce()
RNG = np.random.default_rng(8)


def test_they_are_the_last_states():
    assert SYSTEM.state_labels[-2:] == ("z", "w")
    x = SYSTEM.random_state(RNG)
    assert x.shape == (SYSTEM.nstates,)
    assert x[-2:] != pytest.approx(0)
    assert SYSTEM.advected(x) == pytest.approx(x[3:6])
    assert SYSTEM.outputs(0.0, x) == pytest.approx([x[-2] + x[-1]])
    assert SYSTEM.leaf_residual(x) == pytest.approx(0, abs=1e-14)
    projected = SYSTEM.project([0.1, 0.2, 0.3], {"Gamma": (0.6, 0, 0.8)})
    assert np.array_equal(projected[-2:], [0.0, 0.0])
    assert gc.find_equilibrium(SYSTEM).x[-2:] == pytest.approx([0, 0])


def test_the_equations_by_hand():
    """G xi' + A' = (G xi + A) x xi + m g l e3 x Gamma + F with A = (0, w/5, z)."""
    p = SYSTEM.params
    for _ in range(5):
        x = SYSTEM.random_state(RNG)
        xi, gamma, (zv, wv) = x[:3], x[3:6], x[6:]
        plant = gc.models.get("heavy-top")().reduce()
        alone = plant.rhs(0.0, x[:6])[:3]
        G = np.array(plant.mechanism.inertia.subs({q.symbol: p[q.name] for q in plant.mechanism.parameters}))
        A = np.array([0, wv / 5, zv])
        rates = np.array([0.7 * xi[2] - wv, xi[0] * zv - 2 * wv])
        force = np.array([-0.3 * xi[0] + zv * wv, 0, 0]) - np.array([0, rates[1] / 5, rates[0]])
        expected = alone + np.linalg.solve(G.astype(float), np.cross(A, xi) + force)
        found = SYSTEM.rhs(0.0, x)
        assert found[:3] == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert found[3:6] == pytest.approx(np.cross(gamma, xi), rel=1e-13)
        assert found[6:] == pytest.approx(rates, rel=1e-13)
        without = alone + np.linalg.solve(G.astype(float), np.cross(A, xi))
        assert np.max(np.abs(found[:3] - without)) > 1e-2  # A' is not forgotten


def test_the_jacobian_is_the_complex_step():
    x = SYSTEM.random_state(RNG)
    columns = [np.imag(SYSTEM.rhs(0.0, x + 1e-30j * e)) / 1e-30 for e in np.eye(x.size)]
    assert SYSTEM.jacobian(0.0, x) == pytest.approx(np.array(columns).T, rel=1e-11, abs=1e-12)


def test_they_are_kept_by_everything_that_copies():
    x = SYSTEM.random_state(RNG)
    again = pickle.loads(pickle.dumps(SYSTEM))
    assert np.array_equal(again.rhs(0.0, x), SYSTEM.rhs(0.0, x))
    assert "z" in SYSTEM.latex()
    assert len(SYSTEM.equations().rhs) == SYSTEM.nstates
    traj = gc.simulate(SYSTEM, np.linspace(0, 1, 5), x)
    scipy = gc.simulate(SYSTEM, np.linspace(0, 1, 5), x, engine="scipy")
    assert traj.states == pytest.approx(scipy.states, abs=1e-9)
    assert traj.outputs[0] == pytest.approx(traj["z"] + traj["w"])
    assert traj.attitude().shape == (5, 3, 3)


def test_the_total_momentum_is_conserved_whatever_moves_its_parts():
    """mu = G xi + A: torques between body and controller are internal."""
    body = gc.models.get("free-rigid-body")()
    loop = body.replace(
        gyroscopic=[0, 0, z], controller={"z": -3 * body.algebra.xi[2] * z + 1}, equilibria={}
    ).reduce()
    assert gc.check_invariant(loop, "Pi1**2 + Pi2**2 + Pi3**2").proved
    broken = gc.check_invariant(loop, "energy")
    assert not broken.proved
    assert broken.counterexample["z"] is not None


def test_a_despun_system_keeps_them():
    top = gc.models.get("heavy-top")()
    A, C = top.inertia[0, 0], top.inertia[2, 2]
    loop = top.replace(
        inertia=sp.diag(A, A, C),
        gyroscopic=[0, 0, z],
        controller={"z": top.algebra.xi[2] - z},
        symmetry=gc.Axis((0, 0, 1)),
        invariants={},
        equilibria={},
    ).reduce()
    x = loop.random_state(RNG)
    seen = loop.despun()
    y = loop.despun_state(x)
    assert seen.state_labels[-1] == "z"
    assert y[-1] == x[-1]
    # The total spin momentum and Gamma3 move alike in both.
    for label in ("Omega3", "Gamma3", "z"):
        a, b = loop.state_labels.index(label), seen.state_labels.index(label)
        assert seen.rhs(0.0, y)[b] == pytest.approx(loop.rhs(0.0, x)[a], rel=1e-11, abs=1e-12), label


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"controller": {"1z": 0}, "gyroscopic": None, "forces": None, "outputs": {}}, "identifiers"),
        ({"controller": {"Gamma1": z, "z": 0, "w": 0}}, "repeat"),
        ({"controller": {"z": sp.Symbol("q"), "w": 0}}, "undeclared symbol q"),
        ({"controller": {"z": sp.Symbol("u", real=True), "w": 0}, "inputs": ["u"]}, "undeclared symbol u"),
        ({"potential": z}, "potential holds the undeclared symbol z"),
        ({"controller": {}}, "undeclared symbol"),
    ],
)
def test_what_is_refused(changes, message):
    with pytest.raises(gc.DescriptionError, match=message):
        gyrostat(**changes)


def test_names_do_not_meet_parameters():
    with pytest.raises(gc.ParameterError, match="I1"):
        gyrostat(controller={"z": 0, "w": 0, "I1": 0})


def test_the_multiplier_form_is_that_of_a_plant():
    with pytest.raises(gc.DescriptionError, match="z, w"):
        SYSTEM.unreduced()
