"""Friction of a description: stopping distances, creep under a load, slip in a plane, refusals."""

import pickle

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

MU, G, M = 0.3, 9.81, 2.0
FLOOR = gc.Friction([[1, 0], [0, 1]], coulomb=sp.Float(MU * G * M), scale=1e-4)


def block(**more):
    return gc.EulerPoincare(algebra=gc.rn(2), inertia=M * sp.eye(2), friction=[FLOOR], **more)


def test_a_block_stops_where_coulomb_says():
    """After v^2/(2 mu g), in the direction in which it slid."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    sliding = gc.EulerPoincare(shape=[x, y], inertia=M * sp.eye(2), friction=[FLOOR]).reduce()
    start = sliding.state(x_dot=3.0, y_dot=-4.0)
    traj = gc.simulate(sliding, np.linspace(0, 3, 31), start)
    way = np.array([traj["x"][-1], traj["y"][-1]])
    expected = 25 / (2 * MU * G)
    # The last slow part, where the law is smooth, adds v0 times the time; 3e-4 m here.
    np.testing.assert_allclose(way, expected * np.array([0.6, -0.8]), rtol=0, atol=1e-3)
    assert np.all(np.diff(traj.energy) < 1e-20)  # at rest it is rounding
    assert "energy" not in traj.drift


def test_a_contact_creeps_under_a_load_as_its_docstring_says():
    u = sp.Symbol("u", real=True)
    pushed = block(forces=[u, 0], inputs=["u"]).reduce()
    limit, load = MU * G * M, 4.0
    creep = 1e-4 * load / np.sqrt(limit**2 - load**2)
    assert abs(pushed.rhs(0.0, [creep, 0.0], [load])[0]) < 1e-10
    beyond = gc.simulate(pushed, [0, 1], [0.0, 0.0], inputs=[limit + 2.0])
    assert beyond["Y1"][-1] == pytest.approx(1.0, abs=1e-3)  # (2 N)/(2 kg) for a second


def test_viscous_friction_decays_at_its_rate_and_proves_attraction():
    phi = gc.Coordinate("phi", angle=True)
    c, k = gc.Parameter("c", 0.4, positive=True), gc.Parameter("k", 3.0, positive=True)
    joint = gc.EulerPoincare(
        shape=[phi],
        inertia=[[0.7]],
        potential=k.symbol * (1 - sp.cos(phi.symbol)),
        friction=[gc.Friction([1], viscous=c.symbol)],
        parameters=[c, k],
        equilibria={"rest": gc.Family({})},
    ).reduce()
    roots = np.sort_complex(gc.linearize(joint, joint.equilibrium("rest")).eigenvalues)
    np.testing.assert_allclose(roots, np.sort_complex(np.roots([0.7, 0.4, 3.0])), atol=1e-13)
    verdict = gc.certify(joint, joint.equilibrium("rest")).verdict
    assert verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def test_a_wheel_that_resists_rolling_turns_ever_slower():
    """The moment of the resistance: C omega' = -M0 for a disk that rolls straight, its mass on the axle."""
    disk = gc.models.get("rolling-disk")()
    m, a, _, _, C = (p.symbol for p in disk.parameters)
    moment = 0.02
    resisted = disk.replace(friction=[gc.Friction([0, 0, 1, 0, 0, 0], coulomb=moment, scale=1e-3)]).reduce()
    x = resisted.state(Omega3=7.0, Gamma=(0, 1, 0))
    p = resisted.params
    expected = -moment / ((p["C"] + 1) * p["m"] * p["a"] ** 2)
    assert resisted.rhs(0.0, x)[2] == pytest.approx(expected, rel=1e-6)
    found = resisted.reactions(x)
    # What slows the centre down is the contact: m a omega'.
    assert abs(found["forward"]) == pytest.approx(-p["m"] * p["a"] * expected, rel=1e-6)
    assert not resisted.mechanism.replace(friction=()).friction
    assert str(m) in str(disk)
    assert str(a) in str(disk)
    assert str(C) in str(disk)


def test_friction_is_seen_from_despun_axes_and_survives_copies():
    disk = gc.models.get("rolling-disk")().replace(
        friction=[gc.Friction([0, 0, 1, 0, 0, 0], viscous=sp.Rational(1, 50))]
    )
    seen = disk.reduce().despun()
    x = disk.reduce().state(Omega3=7.0, Gamma=(1, 0, 0))
    assert seen.rhs(0.0, disk.reduce().despun_state(x))[2] == pytest.approx(disk.reduce().rhs(0.0, x)[2])
    copy = pickle.loads(pickle.dumps(disk))
    np.testing.assert_array_equal(copy.reduce().rhs(0.0, x), disk.reduce().rhs(0.0, x))
    assert "viscous 1/50" in str(disk)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: gc.Friction([1, 0]), gc.DescriptionError, "viscous= or coulomb="),
        (lambda: gc.Friction([1, 0], coulomb=3), gc.DescriptionError, "needs scale="),
        (lambda: gc.Friction([1, 0], coulomb=3, scale=0), gc.DescriptionError, "must be positive"),
        (lambda: gc.Friction([1, 0], viscous=-1), gc.DescriptionError, "would drive the motion"),
        (lambda: gc.Friction("x", viscous=1), gc.DescriptionError, "needs a row"),
        (lambda: gc.Friction([1, 0], viscous="c"), gc.DescriptionError, "viscous of a friction"),
        (lambda: gc.Friction([], viscous=1), gc.DescriptionError, "needs a row"),
        (lambda: block(rotors=None).replace(friction=[3]), TypeError, "gc.Friction"),
        (lambda: block().replace(friction=FLOOR), TypeError, "must be a list"),
        (
            lambda: block().replace(friction=[gc.Friction([1, 0, 0], viscous=1)]),
            gc.DescriptionError,
            r"length 2, one entry per velocity \(Y1, Y2\), got 3",
        ),
        (
            lambda: block().replace(friction=[gc.Friction([1, 0], viscous=sp.Symbol("c"))]),
            gc.DescriptionError,
            "friction",
        ),
    ],
)
def test_bad_friction_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()
