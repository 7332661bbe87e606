"""Two-step map, discrete Legendre maps and the compiled one-step method: one discrete mechanics."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from geoctrl import spheres
from geoctrl.stepping.methods.methods import Method
from tests.oracles import sphere_discrete as discrete
from tests.spheres.systems import free_chain, hanging, random_state, rotating_bodies, varying_inertia

SYSTEMS = {
    "diagonal": (rotating_bodies, random_state(3, seed=1)),
    "coupled": (free_chain, hanging(3, seed=2)),
    "varying": (lambda: varying_inertia(forced=False), random_state(2, seed=3)),
}
H = 0.02


@pytest.fixture(scope="module", params=SYSTEMS)
def run(request):
    build, state = SYSTEMS[request.param]
    return spheres.integrate(build(), *state, H, 25)


def test_both_legendre_maps_agree_along_a_trajectory(run):
    """1e-12: differences of directions divided by h lose two figures."""
    s = run.system
    for k in range(1, 25):
        left = discrete.legendre_left(s, run.q[k], run.q[k + 1], H)
        right = discrete.legendre_right(s, run.q[k - 1], run.q[k], H)
        assert left == pytest.approx(right, abs=1e-12)
        assert left == pytest.approx(run.omega[k], abs=1e-12)
    assert discrete.legendre_left(s, run.q[0], run.q[1], H) == pytest.approx(run.omega[0], abs=1e-12)
    assert discrete.legendre_right(s, run.q[24], run.q[25], H) == pytest.approx(run.omega[25], abs=1e-12)
    apart = discrete.legendre_left(s, run.q[3], run.q[5], H) - run.omega[3]
    assert np.max(np.abs(apart)) > 1e-2  # directions that do not follow one another


def test_a_step_has_no_residual(run):
    for k in (0, 7, 24):
        found = discrete.residual(run.system, run.q[k], run.omega[k], run.q[k + 1], H)
        assert found == pytest.approx(np.zeros_like(found), abs=1e-12)
    other = discrete.residual(run.system, run.q[0], run.omega[0], run.q[2], H)
    assert np.max(np.abs(other)) > 1e-2


def test_the_two_step_map_makes_the_same_trajectory(run):
    """[LLM09, Eqs. 3.6, 3.7] from the first two directions alone."""
    q = [run.q[0], run.q[1]]
    while len(q) < 26:
        q.append(discrete.two_step(run.system, q[-2], q[-1], H))
        assert np.linalg.norm(q[-1], axis=1) == pytest.approx(1, abs=1e-13)
    assert np.array(q) == pytest.approx(run.q, abs=1e-11)


def test_momenta_are_derivatives_of_the_discrete_lagrangian(run):
    """omega at the left end from - d L_d / dq0 along rotations of q0, by extrapolated differences."""
    s, q0, q1 = run.system, run.q[4], run.q[5]
    pi = np.zeros_like(q0)
    for i in range(s.n):
        for axis in np.eye(3):

            def moved(angle, i=i, axis=axis):
                q = q0.copy()
                q[i] = (
                    q[i] * np.cos(angle)
                    + np.cross(axis, q[i]) * np.sin(angle)
                    + axis * (axis @ q[i]) * (1 - np.cos(angle))
                )
                return discrete.discrete_lagrangian(s, q, q1, H)

            D = [(moved(e) - moved(-e)) / (2 * e) for e in (4e-3, 2e-3, 1e-3)]
            fourth = [(4 * D[1] - D[0]) / 3, (4 * D[2] - D[1]) / 3]
            pi[i] -= axis * (16 * fourth[1] - fourth[0]) / 15
    x = s.convert(s.pack(q0, pi), "pi", "omega")
    assert s.unpack(x)[1] == pytest.approx(discrete.legendre_left(s, q0, q1, H), abs=1e-9)


def test_parameters():
    s = varying_inertia(forced=False)
    q, omega = random_state(2, seed=3)
    r = spheres.integrate(s, q, omega, H, 2, params={"a": 2.2})
    q2 = discrete.two_step(s, r.q[0], r.q[1], H, params={"a": 2.2})
    assert q2 == pytest.approx(r.q[2], abs=1e-13)
    assert np.max(np.abs(discrete.two_step(s, r.q[0], r.q[1], H) - q2)) > 1e-5


def test_a_free_body_goes_along_its_circle():
    """By hand: sin(angle)/h at the left end, and the next direction by the same turn."""
    free = spheres.SphereSystem(mass=[1.0])
    q = [[1, 0, 0]], [[0.8, 0.6, 0]]
    assert discrete.legendre_left(free, *q, 0.1) == pytest.approx(np.array([[0, 0, 6]]), abs=1e-12)
    assert discrete.two_step(free, *q, 0.1) == pytest.approx(np.array([[0.28, 0.96, 0]]), abs=1e-12)


def test_methods_say_what_they_preserve():
    assert set(spheres.METHODS) == {"variational", "rk2", "heun", "rk4"}
    variational = spheres.METHODS["variational"]
    assert variational.preserves == (
        "symplectic form", "momentum maps", "time reversal", "configuration manifold",
    )  # fmt: skip
    assert (variational.order, variational.implicit) == (2, True)
    assert [spheres.METHODS[name].order for name in ("rk2", "heun", "rk4")] == [2, 2, 4]
    assert not any(m.preserves or m.implicit for name, m in spheres.METHODS.items() if name != "variational")
    assert all(isinstance(m, Method) and m.name == name for name, m in spheres.METHODS.items())
    with pytest.raises(FrozenInstanceError):
        variational.order = 4
