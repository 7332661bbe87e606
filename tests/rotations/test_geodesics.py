"""Geodesics of two attitudes: closed forms of the round metric and about principal axes, conservation."""

import numpy as np
import pytest

import geoctrl as gc
from geoctrl.rotations import geodesic
from geoctrl.rotations.attitudes import exp, log
from geoctrl.rotations.free_flow import free_flow
from geoctrl.rotations.geodesics import _log_rate

INERTIA = np.array([1.0, 2.3, 3.1])
R0 = exp([0.4, -0.2, 1.1])


def ends(v):
    return R0, R0 @ exp(v)


@pytest.fixture(scope="module")
def found():
    return geodesic(*ends([0.3, -1.2, 0.9]), inertia=INERTIA)


def test_round_metric_is_exp_and_log():
    v = np.array([0.3, -1.2, 0.9])
    curves = geodesic(*ends(v), turns=2)
    angle = np.linalg.norm(v)
    assert [c.turns for c in curves] == [0, -1, 1, -2, 2]
    np.testing.assert_allclose(curves[0].velocity, v, rtol=0, atol=1e-14)
    np.testing.assert_allclose([c.length for c in curves], [abs(angle + 2 * np.pi * c.turns) for c in curves])
    t = np.linspace(0, 1, 7)
    for c in curves:
        assert c.residual < 1e-14
        assert c.energy == pytest.approx(c.length**2 / 2, rel=1e-15)
        assert not c.antipodal
        np.testing.assert_allclose(c(t), [R0 @ exp(s * c.velocity) for s in t], rtol=0, atol=1e-14)
        np.testing.assert_array_equal(c(t)[3], c(0.5))


def test_a_half_turn_has_two_shortest_geodesics():
    curves = geodesic(*ends([0.0, np.pi, 0.0]))
    assert all(c.antipodal for c in curves)
    assert curves[0].length == pytest.approx(curves[1].length)
    np.testing.assert_allclose(curves[0].velocity, -curves[1].velocity, rtol=0, atol=1e-12)


def test_of_two_equally_long_geodesics_the_one_without_turns_comes_first():
    curves = geodesic(np.eye(3), np.diag([-1.0, 1.0, -1.0]))
    assert curves[0].length == curves[1].length == np.pi
    assert [c.turns for c in curves] == [0, -1, 1]


def sixth_order(function, h):
    """Derivative (3, k) of a function of three numbers at zero, by differences of order six."""
    rows = []
    for e in h * np.eye(3):
        D = [function(k * e) - function(-k * e) for k in (1, 2, 3)]
        rows.append((45 * D[0] - 9 * D[1] + D[2]) / (60 * h))
    return np.array(rows)


# Angles on both sides of the series' end, where A / 2 and A^2 / 12 are seen above rounding.
@pytest.mark.parametrize(("angle", "tolerance"), [(9e-5, 1e-11), (2e-4, 1e-11), (0.3, 1e-12), (2.5, 1e-9)])
def test_rate_of_the_logarithm(angle, tolerance):
    v = angle * np.array([2.0, -1.0, 2.0]) / 3
    found = _log_rate(v)
    expected = sixth_order(lambda eta: log(exp(v) @ exp(eta)), 5e-3).T
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


@pytest.mark.long(reason="ends are met by steps along these turns")
def test_turns_of_the_free_body_by_changes_of_its_initial_velocity():
    """eta in R(1; v + e) = R(1; v) exp(eta e + ...), by differences of the motion alone."""
    J, v = np.diag(INERTIA) + 0.2 * (np.ones((3, 3)) - np.eye(3)), np.array([1.9, -2.4, 1.3])

    def flown(v):
        R, Omega, eta = np.empty((1, 9)), np.empty((1, 3)), np.empty(9)
        assert free_flow(v, J, np.linalg.inv(J), np.ones(1), R, Omega, eta)
        return R.reshape(3, 3), eta.reshape(3, 3)

    R, eta = flown(v)
    np.testing.assert_allclose(
        eta, sixth_order(lambda e: log(R.T @ flown(v + e)[0]), 5e-3), rtol=0, atol=1e-10
    )


def test_equal_attitudes():
    rest, closed = geodesic(R0, R0)
    assert rest.length == 0
    assert closed.length == pytest.approx(2 * np.pi)
    assert closed.conjugate
    assert not rest.conjugate


@pytest.mark.long(reason="the identity as inertia is the round metric beside it")
def test_nearly_round_inertia_reduces_to_the_round_metric():
    v = [0.3, -1.2, 0.9]
    near, limit = geodesic(*ends(v), inertia=[1.0, 1.0, 1 + 1e-6]), geodesic(*ends(v))
    assert len(near) == len(limit)
    for a, b in zip(near, limit, strict=True):
        assert a.length == pytest.approx(b.length, abs=1e-4)
        np.testing.assert_allclose(a(0.5), b(0.5), rtol=0, atol=1e-3)


def test_identity_as_inertia_is_the_round_metric():
    v = [0.3, -1.2, 0.9]
    a, b = geodesic(*ends(v), inertia=np.eye(3))[0], geodesic(*ends(v))[0]
    np.testing.assert_allclose(a.velocity, b.velocity, rtol=0, atol=1e-12)


def test_ends_are_met_and_momentum_is_constant_in_space(found):
    assert len(found) >= 4
    t = np.linspace(0, 1, 23)
    for c in found:
        assert c.residual < 1e-9
        R, Omega = c(t), c.Omega(t)
        momenta = np.einsum("tab,tb->ta", R, Omega * INERTIA)
        np.testing.assert_allclose(momenta, np.broadcast_to(momenta[0], momenta.shape), rtol=0, atol=1e-12)
        # Rotations, of the length that is claimed.
        np.testing.assert_allclose(np.swapaxes(R, 1, 2) @ R, np.broadcast_to(np.eye(3), R.shape), atol=1e-13)
        energies = np.sum(INERTIA * Omega**2, axis=1) / 2
        np.testing.assert_allclose(energies, c.energy, rtol=1e-12)
        assert c.length == pytest.approx(np.sqrt(2 * c.energy), rel=1e-15)


def test_length_is_that_of_the_curve(found):
    """By chords of the sampled attitudes alone: log(R_k^T R_k+1), with an error of order two."""
    for c in found[:3]:
        R = c(np.linspace(0, 1, 2001))
        steps = log(np.swapaxes(R[:-1], 1, 2) @ R[1:])
        assert np.sqrt(np.sum(INERTIA * steps**2, axis=1)).sum() == pytest.approx(c.length, rel=1e-5)


def test_geodesics_are_in_order_and_different(found):
    lengths = [c.length for c in found]
    assert lengths == sorted(lengths)
    for i, a in enumerate(found):
        for b in found[:i]:
            assert np.linalg.norm(a.velocity - b.velocity) > 1e-3


def test_shorter_than_every_one_parameter_subgroup(found):
    v = log(found[0].R0.T @ found[0].R1)
    axis = v / np.linalg.norm(v)
    turns = [np.linalg.norm(v) + 2 * np.pi * k for k in (-2, -1, 0, 1, 2)]
    best = min(np.sqrt(np.sum(INERTIA * (s * axis) ** 2)) for s in turns)
    assert found[0].length < best - 1e-2


def test_shortest_is_shorter_than_its_neighbours(found):
    """Curves with the same ends, moved in between, are longer."""
    t = np.linspace(0, 1, 401)
    R, rng = found[0](t), np.random.default_rng(0)

    def length(attitudes):
        steps = log(np.swapaxes(attitudes[:-1], 1, 2) @ attitudes[1:])
        return np.sqrt(np.sum(INERTIA * steps**2, axis=1)).sum()

    for _ in range(5):
        bump = 0.1 * np.sin(np.pi * t)[:, None] * rng.normal(size=3)
        assert length(R @ exp(bump)) > length(R)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_turns_about_a_principal_axis_are_geodesics_of_known_length(axis):
    angle = 1.3
    curves = geodesic(*ends(angle * np.eye(3)[axis]), inertia=INERTIA)
    lengths = np.array([c.length for c in curves])
    for k in (0, -1):
        expected = np.sqrt(INERTIA[axis]) * abs(angle + 2 * np.pi * k)
        assert np.abs(lengths - expected).min() < 1e-9


def test_a_turned_body_frame_changes_nothing_but_the_components():
    """Left invariance, and a change of body axes by Q: J -> Q^T J Q, R -> R Q."""
    Q, v = exp([0.5, 0.7, -0.2]), [0.3, -1.2, 0.9]
    start, end = ends(v)
    a = geodesic(start, end, inertia=INERTIA)[0]
    b = geodesic(start @ Q, end @ Q, inertia=Q.T @ np.diag(INERTIA) @ Q)[0]
    assert a.length == pytest.approx(b.length, rel=1e-12)
    np.testing.assert_allclose(b.velocity, Q.T @ a.velocity, rtol=0, atol=1e-10)


def test_closed_geodesics_of_an_inertia_are_given_once():
    curves = geodesic(R0, R0, inertia=INERTIA)
    assert curves[0].length == 0
    lengths = [c.length for c in curves if c.conjugate]
    assert len(lengths) == len({round(s, 6) for s in lengths})
    assert any(abs(s - 2 * np.pi) < 1e-9 for c in curves for s in [c.length])  # about axis 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: geodesic(np.eye(2), R0), ValueError, "R0 must have shape"),
        (lambda: geodesic(R0, np.diag([1.0, 1.0, -1.0])), gc.ConstraintError, "det R"),
        (lambda: geodesic(R0, 1.1 * R0), gc.ConstraintError, r"geoctrl.rotations.project\(R1\)"),
        (lambda: geodesic(R0, R0, [1.0, -1.0, 1.0]), ValueError, "positive definite"),
        (lambda: geodesic(R0, R0, [1.0, 1.0]), ValueError, "inertia must have shape"),
        (lambda: geodesic(R0, R0, turns=-1), ValueError, "turns must be"),
        (lambda: geodesic(R0, R0, INERTIA, starts=1.5), ValueError, "starts must be"),
        (lambda: geodesic(R0, R0)[0](1.5), ValueError, r"in \[0, 1\]"),
    ],
)
def test_bad_arguments_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
