"""Points of systems on manifolds: what an equilibrium holds, held coordinates, names of zero modes."""

import pickle

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations, spheres

DOWN, STILL = [[0, 0, -1.0]], [[0, 0, 0.0]]
SPIN = (0, 0, 2.0)


def test_an_equilibrium_holds_the_parts_of_its_state():
    chain = spheres.chain_pendulum([1.0], [0.5])
    point = gc.find_equilibrium(chain, (DOWN, STILL), spin=SPIN)
    assert type(point) is gc.Equilibrium
    assert point.system is chain
    assert np.array_equal(point.q, DOWN)
    assert np.array_equal(point.omega, STILL)
    assert "turning with [0.0, 0.0, 2.0]" in repr(point)
    with pytest.raises(gc.ImmutableError, match="has q and omega, no R"):
        _ = point.R
    again = gc.certify(pickle.loads(pickle.dumps(chain)), point)
    assert again.claim == gc.certify(chain, point).claim
    copy = pickle.loads(pickle.dumps(point))
    assert copy.system is None
    assert np.array_equal(copy.q, point.q)
    assert gc.certify(chain, copy).claim == gc.certify(chain, point).claim
    assert "turning" in gc.certify(chain, copy).claim
    top = gc.models.get("heavy-top")().reduce()
    with pytest.raises(AttributeError, match="labels alone, no q"):
        _ = top.equilibrium("hanging", Omega0=1.0).q


def test_the_parts_of_a_body_are_attitude_and_velocity():
    top = rotations.pendulum3d(np.diag([2.0, 1.5, 1.0]), 1.3, [0, 0, -0.4])
    point = gc.find_equilibrium(top, (np.eye(3)[None], STILL), spin=SPIN)
    assert point.R.shape == (1, 3, 3)
    assert np.allclose(point.Omega, [SPIN])
    with pytest.raises(gc.ImmutableError, match="has R and Omega, no omega"):
        _ = point.omega


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_direction_held_at_its_end_holds_its_other_components(sign):
    """At q3 = 1 the sphere is tangent to the plane, and no step within it would converge fast."""
    q = spheres.symbols(1)[0][0]
    pendulum = spheres.SphereSystem(mass=[2.0], potential=9.0 * q[2])
    point = gc.find_equilibrium(pendulum, ([[0.6, 0, 0.8 * sign]], STILL), fixed={"q1_3": sign})
    assert np.array_equal(point.q, [[0, 0, sign]])
    with pytest.raises(gc.EquilibriumError, match="outside its range"):
        gc.find_equilibrium(pendulum, (DOWN, STILL), fixed={"q1_3": 1.5})


def test_a_held_height_of_a_conical_pendulum_is_refused_away_from_its_spin():
    """Steady at q3 = -g/(l W^2) alone; a neighbouring height is no equilibrium in these axes."""
    rate, length = 5.0, 0.8
    pendulum = spheres.chain_pendulum([1.3], [length])
    height = -9.81 / (length * rate**2)
    guess = spheres.project([[0.8, 0.1, -0.59]], STILL)
    point = gc.find_equilibrium(pendulum, guess, fixed={"q1_3": height}, spin=(0, 0, rate))
    assert np.allclose(np.cross(point.omega, point.q), np.cross([0, 0, rate], point.q), atol=1e-9)
    assert point.residual < 1e-9
    with pytest.raises(gc.EquilibriumError):
        gc.find_equilibrium(pendulum, guess, fixed={"q1_3": height + 0.1}, spin=(0, 0, rate))


def test_declared_invariants_name_zero_modes():
    """Two pendulums apart from each other: each keeps its own momentum about the vertical."""
    q, omega = spheres.symbols(2)
    system = spheres.SphereSystem(
        mass=[2.0, 3.0],
        potential=5.0 * q[0][2] ** 2 + 7.0 * q[1][2] ** 2,
        invariants={"first": 2.0 * omega[0][2], "no": omega[0][0]},
    )
    equator = ([[1.0, 0, 0], [0, 1.0, 0]], np.zeros((2, 3)))
    found = gc.linearize(system, equator)
    assert found.zero_modes == ("momentum3", "first", "family", "family")
    assert np.sum(np.abs(found.eigenvalues) < 1e-9) == 4


def test_inertia_that_varies_is_linearised_with_its_momenta():
    """Along the leaf the gradients are differences of energy less spin times momentum."""
    q, _ = spheres.symbols(2)
    c = q[0].dot(q[1])
    mass = sp.Matrix([[2 + q[0][2] ** 2, c], [c, 2 + q[1][2] * q[0][2] / 4]])
    system = spheres.SphereSystem(mass=mass, potential=9 * q[0][2] + 4 * q[1][2] - 3 * c)
    x, W = system.generic_state(4), np.array(SPIN)
    seen = system.seen_from(W)
    found = seen.conserved_gradients(x, np.zeros(0), {})
    functions = {
        "energy": lambda y: system.energy(y) - W @ system.momentum(y),
        "momentum": lambda y: W @ system.momentum(y),
    }
    assert set(found) == set(functions)
    h = 1e-5  # errors of h^2 times third derivatives of size ten
    for column in seen.leaf_basis(x, {}).T:
        for key, f in functions.items():
            change = (f(x + h * column) - f(x - h * column)) / (2 * h)
            assert found[key] @ column == pytest.approx(change, abs=1e-7), key


BUILDERS = {
    "spheres": lambda: spheres.chain_pendulum([1.0, 2.0], [0.5, 0.7]),
    "rotations": lambda: rotations.pendulum3d(np.diag([2.0, 1.5, 1.0]), 1.3, [0, 0, -0.4]),
}


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
def test_gradients_of_the_leaf_are_those_of_its_relations(build):
    system = build()
    x, seen = system.generic_state(2), system.seen_from()
    h = 1e-4  # relations are quadratic: differences have rounding alone
    rows = [(system.leaf_residual(x + e) - system.leaf_residual(x - e)) / (2 * h) for e in h * np.eye(x.size)]
    assert np.allclose(seen.leaf_gradient(x, {}), np.array(rows).T, rtol=0, atol=1e-11)
    W = seen.leaf_basis(x, {})
    assert np.allclose(seen.leaf_gradient(x, {}) @ W, 0, atol=1e-13)
    assert W.shape[1] == x.size - len(rows[0])


def pushed():
    """A pendulum under a horizontal force."""
    q, _ = spheres.symbols(1)
    u = sp.Symbol("u", real=True)
    return spheres.SphereSystem(mass=[2.0], potential=9.0 * q[0][2], forces=[[u, 0, 0]], inputs=[u])


def test_a_constant_input_ends_what_is_conserved_without_it():
    """It hangs in the field (3, 0, -9), of strength s, and swings at sqrt(s / 2) in both directions."""
    system = pushed()
    point = gc.find_equilibrium(system, ((DOWN, STILL), [3.0]))
    found = gc.linearize(system, point)
    rate = np.sqrt(np.hypot(3.0, 9.0) / 2)
    assert np.allclose(np.sort(found.eigenvalues.imag), [-rate, -rate, rate, rate], atol=1e-9)
    assert found.zero_modes == ()
    assert "momentum3" in system.conserved()
    assert system.conserved(u=[3.0]) == ()


def test_no_steady_rotation_across_a_constant_force():
    system = pushed()
    assert gc.find_equilibrium(system, (DOWN, STILL), spin=SPIN).residual < 1e-12
    with pytest.raises(gc.DescriptionError, match="no steady rotation"):
        gc.find_equilibrium(system, ((DOWN, STILL), [3.0]), spin=SPIN)
    along = gc.find_equilibrium(system, ((DOWN, STILL), [3.0]))
    with pytest.raises(gc.DescriptionError, match="no steady rotation"):
        gc.find_equilibrium(system, along, spin=SPIN)


def test_words_about_many_bodies_are_few():
    chain = spheres.chain_pendulum(np.ones(20), np.ones(20))
    with pytest.raises(gc.EquilibriumError, match="and 96 more") as refusal:
        gc.certify(chain, chain.generic_state(1))
    point = gc.find_equilibrium(chain, (DOWN * 20, STILL * 20))
    assert max(len(str(refusal.value)), len(repr(point))) < 1000
    with pytest.raises(TypeError, match="got a dict") as refusal:
        gc.certify(chain, {"q1_1": 0.0})
    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize("ask", [gc.linearize, gc.certify])
def test_a_point_is_judged_anew_where_the_caller_may_have_changed_a_function(ask):
    push = {"strength": 0.0}

    def force(_t, _q, _w, _u, _p):  # no dict is compiled: it runs as it is
        return np.array([[push["strength"], 0.0, 0.0]])

    (q,), _ = spheres.symbols(1)
    pendulum = spheres.SphereSystem(mass=[1.7], potential=2.0 * q[2], forces=force)
    point = gc.find_equilibrium(pendulum, (DOWN, STILL))
    ask(pendulum, point)
    push["strength"] = 0.5
    with pytest.raises(gc.EquilibriumError, match="not an equilibrium"):
        ask(pendulum, point)
