"""LQR along motions on manifolds: loops integrated apart, runs, files, units, and what is refused.

A rod on a pivot is led round the upright by a force on its tip; its loop is integrated here by hand, with
d'' = -|d'|^2 d + P (f - g e_3), P the projection across d.
"""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import geoctrl as gc

FORCE = sp.symbols("f1:4", real=True)
T, N = 2.0, 4


@cache
def rod(mass=1, length=1):
    """In units of mass and length."""
    d, unit = gc.manifolds.Direction("d"), sp.Rational(mass) * sp.Rational(length) ** 2
    return gc.manifolds.ProductSystem(
        [d],
        kinetic=unit * d.rate.dot(d.rate) / 2,
        potential=unit * sp.Rational("9.81") * d.z[2],
        forces={"d": sp.Matrix(FORCE)},
        inputs=FORCE,
        name="rod",
    )


def motion(count=N):
    """Times, and directions with their velocities on a cone about the upright."""
    t = np.linspace(0, T, count + 1)
    w = 2 * np.pi / T
    d = np.array([0.6 * np.cos(w * t), 0.6 * np.sin(w * t), 0 * t + 0.8])
    rate = 0.6 * w * np.array([-np.sin(w * t), np.cos(w * t), 0 * t])
    return t, np.vstack([d, np.cross(d, rate, axis=0)]), None


@cache
def law(mass=1, length=1):
    unit = float(sp.Rational(mass) * sp.Rational(length) ** 2)
    return gc.lqr(rod(mass, length), motion(), R=1 / unit**2, holds=N)


def period_apart(law, x):
    """The loop over a period, by another integrator."""

    def field(_t, y, f):
        d, rate = y[:3], y[3:]
        force = f - [0, 0, 9.81]
        return np.concatenate([rate, -(rate @ rate) * d + force - d * (d @ force)])

    y = np.concatenate([x[:3], np.cross(x[3:], x[:3])])
    for u, K, at in zip(law.inputs, law.gains, law.states, strict=True):
        now = np.concatenate([y[:3], np.cross(y[:3], y[3:])])
        f = u - K @ (now - at)
        y = solve_ivp(field, (0, law.hold), y, "DOP853", args=(f,), rtol=1e-13, atol=1e-13).y[:, -1]
    return np.concatenate([y[:3], np.cross(y[:3], y[3:])])


def test_motion_and_multipliers_are_those_of_another_integrator():
    x = law().cycle[0]
    assert np.abs(period_apart(law(), x) - x).max() < 1e-11
    d, omega = x[:3], x[3:]
    across = np.linalg.svd(d[None])[2][1:]

    def moves(by):
        turned = d + by[:2] @ across
        turned /= np.linalg.norm(turned)
        along = omega + by[2:] @ across
        return np.concatenate([turned, along - turned * (turned @ along)])

    def coordinates(y):
        away = y[:3] / (y[:3] @ d) - d
        return np.concatenate([across @ away, across @ (y[3:] - omega)])

    size = 1e-4
    columns = [
        (
            coordinates(period_apart(law(), moves(size * e)))
            - coordinates(period_apart(law(), moves(-size * e)))
        )
        / (2 * size)
        for e in np.eye(4)
    ]
    apart = np.sort_complex(np.linalg.eigvals(np.array(columns).T))
    assert np.allclose(np.sort_complex(law().multipliers), apart, atol=1e-6)  # third derivatives times 1e-8
    assert np.abs(law().multipliers).max() < 1
    assert law().neutral == ()


def test_states_are_those_of_the_manifold():
    assert law().states.shape == (N, 6)
    assert np.abs(rod().leaf_residual(law().states.T)).max() < 1e-12
    assert np.abs(law().states - motion()[1].T[:-1]).max() < 0.1
    given = {"d": (motion()[1][:3].T, motion()[1][3:].T)}
    assert np.allclose(gc.lqr(rod(), (motion()[0], given, None), holds=N).gains, law().gains)


def test_a_flipped_gain_leads_away():
    assert np.abs(law().with_gains(-law().gains).multipliers).max() == pytest.approx(3.995, abs=1e-2)


def test_a_run_is_led_back_into_step():
    start = law().cycle[0]
    run = gc.simulate(rod(), np.linspace(0, T, 2), start, controller=law().sampled())
    assert np.abs(run.states[:, -1] - start).max() < 1e-9


@pytest.mark.parametrize(
    "units",
    [
        (10**6, sp.Rational(1, 1000)),
        pytest.param(
            (sp.Rational(1, 1000), 1000),
            marks=pytest.mark.long(reason="the other way round: 1 s of compiling"),
        ),
    ],
)
def test_units_change_nothing(units):
    assert np.allclose(
        np.sort_complex(law(*units).multipliers), np.sort_complex(law().multipliers), atol=1e-9
    )


@pytest.mark.long(reason="laws of recorded plants are proved in the plain run: 45 s")
def test_the_loop_is_proved_and_its_file_confirmed(tmp_path):
    found = law().enclose(bits=96)
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert "a leaf of dimension 4" in found.claim
    middles = [complex(z.mid()) for z in found.multipliers]
    assert np.allclose(np.sort_complex(middles), np.sort_complex(law().multipliers), atol=1e-7)
    found.to_json(tmp_path / "rod.json")
    assert gc.verify(tmp_path / "rod.json").claim == found.claim


def test_what_cannot_be_held_is_refused():
    t, states, _ = motion()
    with pytest.raises(gc.DescriptionError, match="Give expressions"):
        gc.lqr(rod().replace(forces=lambda t, z, w, u, p: 0 * z), (t, states, None), holds=N)
    with pytest.raises(gc.InputError, match="quadratic in it"):
        gc.lqr(rod().replace(frame_rate=[0, 0, 1]), (t, states, None), holds=N)
    with pytest.raises(gc.InputError, match="does not close: d_1"):
        gc.lqr(rod(), (t[:4], states[:, :4], None), holds=3)
    with pytest.raises(gc.ConstraintError, match="should be zero"):
        gc.lqr(rod(), (t, 2 * states, None), holds=N)
