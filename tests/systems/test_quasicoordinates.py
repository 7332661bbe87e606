"""Quasi-coordinates: the same motion as with the function that they are, and what is refused."""

import pickle

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import DescriptionError

PHI = gc.Coordinate("phi", angle=True)
X = gc.Coordinate("x", "m")
V, TURN = X.rate, PHI.rate
STIFF, SWING = sp.Rational(31, 10), sp.Rational(7, 10)


def cart(position):
    """A pendulum on a cart with a spring at x + 0.7 sin(phi), by its closed form or by its rate."""
    z = sp.Symbol("z", real=True)
    kinetic = (sp.Rational(9, 5) * V**2 + sp.Rational(4, 5) * TURN**2) / 2 + sp.cos(PHI.symbol) * V * TURN / 3
    spring = STIFF * z**2 / 2
    if position:
        return gc.EulerPoincare(
            shape=[X, PHI],
            lagrangian=kinetic - sp.cos(PHI.symbol) - spring.subs(z, X.symbol + SWING * sp.sin(PHI.symbol)),
        )
    return gc.EulerPoincare(
        algebra=gc.rn(1).relabelled(["x_dot"], ["p_x"]),
        shape=[PHI],
        quasicoordinates=[gc.Quasicoordinate("z", V + SWING * sp.cos(PHI.symbol) * TURN, "m")],
        lagrangian=kinetic - sp.cos(PHI.symbol) - spring,
        name="cart with a spring",
    )


def both(rng):
    held, moved = cart(True).reduce(), cart(False).reduce()
    x, phi, v, turn = rng.normal(size=4)
    return (
        (held, held.state(x=x, phi=phi, x_dot=v, phi_dot=turn)),
        (moved, moved.state(phi=phi, x_dot=v, phi_dot=turn, z=x + 0.7 * np.sin(phi))),
    )


def test_the_motion_is_that_of_the_closed_form():
    (held, x), (moved, y) = both(np.random.default_rng(1))
    t = np.linspace(0, 4, 41)
    first, second = gc.simulate(held, t, x), gc.simulate(moved, t, y)
    for label in ("x_dot", "phi_dot", "phi"):
        np.testing.assert_allclose(first[label], second[label], atol=1e-11)
    np.testing.assert_allclose(second["z"], first["x"] + 0.7 * np.sin(first["phi"]), atol=1e-11)
    assert second.drift["energy"] < 1e-12


def test_the_multiplier_form_agrees():
    rng = np.random.default_rng(2)
    system = cart(False).reduce()
    for _ in range(5):
        x = system.random_state(rng)
        found, moved = system.unreduced().rhs(0.0, (system.velocity(x), system.configuration(x)))
        np.testing.assert_allclose(system.rhs(0.0, x), [*found, *moved], rtol=1e-12, atol=1e-13)


def test_derivatives_and_spectra():
    rng = np.random.default_rng(3)
    (held, _), (moved, y) = both(rng)
    step, n = 1e-30, moved.nstates
    columns = [moved.rhs(0.0, y + 1j * step * np.eye(n)[i]).imag / step for i in range(n)]
    np.testing.assert_allclose(moved.jacobian(0.0, y), np.array(columns).T, atol=1e-13)
    spectra = [np.sort_complex(gc.linearize(s, s.state()).eigenvalues) for s in (held, moved)]
    np.testing.assert_allclose(spectra[0], spectra[1], atol=1e-10)
    assert {gc.certify(s, s.state()).verdict for s in (held, moved)} == {gc.Verdict.PROVED_UNSTABLE}


def test_on_a_group_with_constraints():
    """A rolling disk with a spring on the distance that it has rolled keeps its energy."""
    disk = gc.models.get("vertical-rolling-disk")()
    label = disk.algebra.labels[-1]
    rate = disk.algebra.xi[disk.algebra.labels.index(label)]
    z = gc.Quasicoordinate("z", rate)
    sprung = disk.replace(
        quasicoordinates=[z],
        potential=disk.potential + z.symbol**2,
        inputs=[],
        forces=None,
        equilibria={},
        invariants={},
    ).reduce()
    traj = gc.simulate(sprung, np.linspace(0, 3, 31), sprung.random_state(np.random.default_rng(4)))
    assert traj.drift["energy"] < 1e-11
    assert np.ptp(traj["z"]) > 0.1


def test_pickled_and_printed():
    mechanism = cart(False)
    again = pickle.loads(pickle.dumps(mechanism))
    assert again.reduce().state_labels == ("x_dot", "phi_dot", "phi", "z")
    assert "z_dot" in str(mechanism)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"quasicoordinates": [sp.Symbol("z")]}, TypeError, "Quasicoordinate"),
        ({"quasicoordinates": [gc.Quasicoordinate("z", V**2)]}, DescriptionError, "linear"),
        ({"quasicoordinates": [gc.Quasicoordinate("z", V + 1)]}, DescriptionError, "linear"),
        ({"quasicoordinates": [gc.Quasicoordinate("phi", V)]}, DescriptionError, "repeat"),
        ({"quasicoordinates": [gc.Quasicoordinate("z", sp.Symbol("w"))]}, DescriptionError, "w"),
        ({"leaf": [sp.Symbol("z", real=True) - PHI.symbol]}, DescriptionError, "leaf"),
    ],
)
def test_bad_descriptions(change, error, words):
    with pytest.raises(error, match=words):
        cart(False).replace(**change)


def test_bad_quasicoordinates():
    with pytest.raises(DescriptionError, match="identifier"):
        gc.Quasicoordinate("1z", V)
    with pytest.raises(DescriptionError, match="text"):
        gc.Quasicoordinate("z", "x_dot")
