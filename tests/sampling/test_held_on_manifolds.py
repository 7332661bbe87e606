"""Sampled loops of systems on manifolds: multipliers by another integrator, proofs, files, other units.

The map of a hold is integrated apart, in equations written here by hand, and differentiated on the manifold.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import geoctrl as gc
from geoctrl.analysis.certificates.same_equations import require_same_equations
from tests.synthesis.test_manifold_laws import circle, circling, drone, leaning, satellite, turning

ASYMPTOTIC = gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
TAU = sp.symbols("tau1:4", real=True)
RATE = 50


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


@cache
def upright(mass=1, length=1):
    """A pendulum on a sphere that a couple holds upright, in units of mass and length; its law at 50 Hz."""
    (q,), _ = gc.spheres.symbols(1)
    unit = sp.Rational(mass) * sp.Rational(length) ** 2
    plant = gc.spheres.SphereSystem(
        mass=[unit / 2],
        potential=unit * sp.Rational("9.81") * q[2],
        forces=[sp.Matrix(TAU).cross(q)],
        inputs=TAU,
        name="couple",
    )
    up = gc.find_equilibrium(plant, guess=([[0, 0, 1]], [[0, 0, 0]]))
    return plant, up, gc.lqr(plant, up, R=1 / float(unit) ** 2)


@cache
def proved():
    plant, up, law = upright()
    return gc.certify(plant, up, controller=law.sampled(rate=RATE))


def multipliers_by_differences(step, start, moves, size=1e-4):
    """Eigenvalues of the derivative of a map: from points that a chart moves, to coordinates."""
    columns = [(step(moves(start, size * e)) - step(moves(start, -size * e))) / (2 * size) for e in np.eye(6)]
    return np.sort_complex(np.linalg.eigvals(np.array(columns).T))


def test_multipliers_in_turning_axes_are_those_of_another_integrator():
    J, W, law, rate = np.diag([0.3, 0.5, 0.4]), np.array([0, 0, 0.5]), turning(), 4.0
    at = leaning().x

    def field(_t, y, u):
        R, w = y[:9].reshape(3, 3), y[9:]
        return np.concatenate([(R @ hat(w) - hat(W) @ R).ravel(), np.linalg.solve(J, u - np.cross(w, J @ w))])

    def step(x):
        end = solve_ivp(field, (0, 1 / rate), x, "DOP853", args=(law(0.0, x),), rtol=1e-13, atol=1e-13).y[
            :, -1
        ]
        turned = at[:9].reshape(3, 3).T @ end[:9].reshape(3, 3)
        return np.concatenate([Rotation.from_matrix(turned).as_rotvec(), end[9:]])

    def moves(x, by):
        R = x[:9].reshape(3, 3) @ Rotation.from_rotvec(by[:3]).as_matrix()
        return np.concatenate([R.ravel(), x[9:] + by[3:]])

    found = gc.linearize_held(satellite(), law.sampled(rate=rate), leaning())
    apart = multipliers_by_differences(step, at, moves)
    assert np.allclose(np.sort_complex(found.multipliers), apart, atol=1e-7)  # third derivatives times 1e-8
    assert found.neutral == ()


def test_a_loop_is_proved_and_its_file_confirmed(tmp_path):
    assert proved().verdict is ASYMPTOTIC
    assert "'couple'" in proved().claim
    proved().to_json(tmp_path / "couple.json")
    assert gc.verify(tmp_path / "couple.json").claim == proved().claim
    require_same_equations(upright()[0], proved().to_dict())
    other = upright()[0].replace(mass=[sp.Rational(3, 5)])
    with pytest.raises(gc.CertificateError, match="not that of the system"):
        require_same_equations(other, proved().to_dict())


def test_a_flipped_sign_is_proved_unstable():
    plant, up, law = upright()
    wrong = law.with_gain(law.K * [[1], [-1], [1]]).sampled(rate=RATE)
    assert gc.certify(plant, up, controller=wrong).verdict is gc.Verdict.PROVED_UNSTABLE
    slow = law.sampled(rate=2)
    assert gc.linearize_held(plant, slow, up).radius > 1
    assert gc.certify(plant, up, controller=slow).verdict is gc.Verdict.PROVED_UNSTABLE


def test_the_compiled_law_and_one_that_is_late_are_proved():
    plant, up, law = upright()
    exactly = law.sampled(rate=RATE, delay=0.013, lag=0.01, limits={"tau1": 5}, noise=None)
    doubles = replace(exactly, feedback=exactly.feedback.in_doubles)
    assert [gc.certify(plant, up, controller=c).verdict for c in (exactly, doubles)] == [ASYMPTOTIC] * 2
    labels = gc.linearize_held(plant, exactly, up).labels
    assert labels[-3:] == tuple(f"tau{k}, 1 before" for k in (1, 2, 3))


@pytest.mark.parametrize("units", [(1e6, 1e-3), (sp.Rational(1, 1000), 1000)])
def test_units_change_nothing(units):
    plant, up, law = upright(*units)
    found = gc.linearize_held(plant, law.sampled(rate=RATE), up)
    same = gc.linearize_held(*[upright()[0], upright()[2].sampled(rate=RATE), upright()[1]])
    assert np.allclose(np.sort_complex(found.multipliers), np.sort_complex(same.multipliers), atol=1e-9)
    assert gc.certify(plant, up, controller=law.sampled(rate=RATE)).verdict is ASYMPTOTIC


def test_functions_are_refused():
    plant, up, law = upright()
    computed, held = plant.replace(forces=lambda t, z, w, u, p: 0 * z), law.sampled(rate=RATE)
    for asked in (
        lambda: gc.certify(computed, up.x, controller=held),
        lambda: gc.linearize_held(computed, held, up.x),
    ):
        with pytest.raises(gc.DescriptionError, match="Give expressions"):
            asked()


@pytest.mark.long(reason="of a sphere it is asked in the plain run: three proofs with 23 states, 12 s")
def test_a_drone_on_its_circle_is_held_by_its_motor(tmp_path):
    controller = circling().sampled(rate=100)
    found = gc.certify(drone(), circle(), controller=controller)
    assert found.verdict is ASYMPTOTIC
    assert "seen from a frame that turns at (0, 0, 1)" in found.claim
    found.to_json(tmp_path / "circle.json")
    assert gc.verify(tmp_path / "circle.json").verdict is ASYMPTOTIC
    doubles = replace(controller, feedback=controller.feedback.in_doubles)
    assert gc.certify(drone(), circle(), controller=doubles).verdict is ASYMPTOTIC
    for row in (1, 3):
        wrong = circling().with_gain(circling().K * np.where(np.arange(4) == row, -1, 1)[:, None])
        found = gc.certify(drone(), circle(), controller=wrong.sampled(rate=100))
        assert found.verdict is gc.Verdict.PROVED_UNSTABLE
    start = circle().x + np.eye(18)[0] / 2
    run = gc.simulate(drone(), np.linspace(0, 20, 3), start, controller=controller)
    assert run.states[:, -1] == pytest.approx(circle().x, abs=1e-5)
