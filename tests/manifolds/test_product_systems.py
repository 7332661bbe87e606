"""Systems on products: one Lagrangian read in rates and velocities, its equations from several sides."""

import pickle

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl._scalars import STATE, Program
from geoctrl.manifolds import Attitude, Direction, Place, ProductSystem
from geoctrl.manifolds.numerics.tangent import integral_gradients, speeds
from geoctrl.manifolds.product.turns_of_all import is_symmetric
from geoctrl.manifolds.views.reduction import natural

J = sp.Matrix([[2.0, 0.1, 0.05], [0.1, 1.5, -0.2], [0.05, -0.2, 1.1]])
ARM = sp.Matrix([0.2, -0.1, 0.3])


def crane(frame=None, varying=False, held=True):
    """A body with an off-centre load, two links below it, and a cart; forces of the rates and an input."""
    x, R, q1, q2 = Place("x"), Attitude("R"), Direction("q1"), Direction("q2")
    y = Place("y", axes=[[1, 0, 0], [0, 1, 0]] if held else None)
    m, u = gc.Parameter("m", 1.3, positive=True), sp.Symbol("u")
    load, first = x.rate + R.rate * ARM, x.rate + 0.7 * q1.rate
    second = first + 0.4 * q2.rate + 0.2 * y.rate
    T = m.symbol * x.rate.dot(x.rate) / 2 + R.velocity.dot(J * R.velocity) / 2 + y.rate.dot(y.rate)
    T += 0.4 * load.dot(load) + 0.3 * first.dot(first) + 0.25 * second.dot(second)
    if varying:
        T += 0.3 * q1.z[2] * x.rate.dot(q1.rate) + 0.1 * (1 + x.z[0] ** 2) * q2.rate.dot(q2.rate)
        T += 0.2 * R.velocity.dot(R.z.T * q1.velocity) + 0.3 * x.z[1] * R.velocity[0] + 0.2 * q1.z.dot(x.rate)
    V = 9.81 * (x.z[2] + 0.35 * q1.z[2]) + x.z.dot(x.z) / 2 + 0.8 * R.z[2, 2]
    V += q1.z.dot(q2.z) + (R.z * ARM).dot(q2.z) + 0.4 * y.z.dot(q1.z)
    forces = {
        "y": [0.2, 0.1 * y.velocity[0], 0.3],
        "x": [u, 0, -0.1 * x.velocity[2]],
        "R": [0.1 * R.velocity[1], u, R.z[0, 1]],
        "q1": [q2.z[0], 2 * u, 0.3 * q1.velocity[1]],
    }
    return ProductSystem(
        [x, R, q1, q2, y], kinetic=T, potential=V, forces=forces, inputs=[u], parameters=[m], frame_rate=frame
    )


def relativistic():
    """A kinetic energy that is not quadratic: of a fast particle and a stiffening direction."""
    x, q = Place("x"), Direction("q")
    fast = 9 - 9 * sp.sqrt(1 - x.rate.dot(x.rate) / 9)
    spin = q.rate.dot(q.rate)
    return ProductSystem(
        [x, q], kinetic=fast + spin / 4 + spin**2 / 10, potential=x.z.dot(x.z) / 2 + 0.2 * q.z.dot(x.z)
    )


SYSTEMS = {
    "constant": crane,
    "turning frame": lambda: crane(frame=[0, 0.3, 0.2], held=False),
    "varying": lambda: crane(varying=True),
    "varying, turning frame": lambda: crane(frame=[0.1, 0.3, 0.2], varying=True, held=False),
    "not quadratic": relativistic,
}
QUADRATIC = [name for name in SYSTEMS if name != "not quadratic"]
U = 0.4


@pytest.fixture(scope="module")
def systems():
    return {name: build() for name, build in SYSTEMS.items()}


def slow_state(s, seed=5):
    """A state of no particular kind, slower than the light of the fast particle."""
    z, w = s.product.generic(seed)
    return s.product.state(z, 0.5 * w)


def inputs(s):
    return np.full(len(s.inputs), U)


def along(function, x, f, h=1e-5):
    """Derivative of a function along f, good to h^2 and to rounding over h: some 1e-9."""
    return (function(x + h * f) - function(x - h * f)) / (2 * h)


@pytest.mark.parametrize("name", QUADRATIC)
def test_the_field_is_that_of_the_euler_poincare_equations(systems, name):
    s = systems[name]
    x, u = slow_state(s), inputs(s)
    view = s.view()
    y = view.reduced_state(x, s.params)
    carried = view.derivative(y, s.params) @ view.reduced.rhs(0.0, y, u)
    f = s.rhs(0.0, x, u)
    # Two derivations of the same sums: rounding of some hundred terms of size ten.
    np.testing.assert_allclose(carried, f, rtol=0, atol=1e-13 * np.abs(f).max())
    np.testing.assert_allclose(view.out_of(y, s.params), x, rtol=0, atol=1e-15)
    assert view.reduced.energy(y) == pytest.approx(s.energy(x), abs=1e-13)
    flipped = s.replace(potential=-s.potential_expression)  # negative control
    assert np.abs(flipped.rhs(0.0, x, u) - f).max() > 0.1


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_derivative_of_the_field_on_the_manifold(systems, name):
    s = systems[name]
    x, u = slow_state(s), inputs(s)
    W = s.product.leaf_basis(*s.product.parts(x))
    expected = np.array([along(lambda y: s.rhs(0.0, y, u), x, e) for e in W.T]).T
    np.testing.assert_allclose(s.jacobian(0.0, x, u) @ W, expected, rtol=0, atol=1e-7)
    if u.size:
        expected = along(lambda v: s.rhs(0.0, x, v), u, np.ones(1))
        np.testing.assert_allclose(s.input_jacobian(0.0, x, u)[:, 0], expected, rtol=0, atol=1e-7)
    normals = s.product.leaf_gradient(*s.product.parts(x))
    assert np.abs(normals @ s.rhs(0.0, x, u)).max() < 1e-13


@pytest.mark.parametrize("name", SYSTEMS)
def test_hamiltons_equations_move_alike(systems, name):
    s = systems[name]
    x, u = slow_state(s), inputs(s)
    pi = s.convert(x, "velocity", "momentum")
    np.testing.assert_allclose(s.convert(pi, "momentum", "velocity"), x, rtol=0, atol=1e-13)
    f = s.rhs(0.0, x, u)
    expected = along(lambda y: s.convert(y, "velocity", "momentum"), x, f)
    np.testing.assert_allclose(s.in_form("momentum").rhs(0.0, pi, u), expected, rtol=0, atol=1e-8)
    assert s.in_form("momentum").state_labels[s.split] == f"momentum_{s.state_labels[s.split]}"


FORCES = [0, 1, 2, 4]
"""Kinds of forces but the fourth, which tells of places that are held only whether a motion leaves them."""


def reactions(s, x, u):
    """Moments about the origin and forces of what holds places, together (6,): Newton's law across each.

    The force n on a place y that may not move along n is that part of d/dt dK/dy' - dL/dy - f.
    """
    moving = {r: e for p in s.factors for r, e in zip(p.rate, p.rates_of(p.velocity), strict=True)}
    numbers = {**dict(zip(s.inputs, u, strict=True)), **{p.symbol: s.params[p.name] for p in s.parameters}}

    def value(vector, at):
        table = numbers | dict(zip(s.states, at, strict=True))
        return np.array([float(sp.sympify(e).xreplace(table)) for e in vector])

    total = np.zeros(6)
    for b, p in enumerate(s.factors):
        if p.kind == 0 and len(p.normals):
            momenta = [sp.diff(s.arguments["kinetic"], r).xreplace(moving) for r in p.rate]
            L = s.arguments["kinetic"].xreplace(moving) - s.potential_expression
            acting = [sp.diff(L, a) + force for a, force in zip(p.z, s.forces_given[b], strict=True)]
            missing = along(lambda at, of=momenta: value(of, at), x, s.rhs(0.0, x, u)) - value(acting, x)
            push = p.normals.T @ p.normals @ missing
            np.testing.assert_allclose(missing, push, rtol=0, atol=1e-8)  # nothing holds it along its axes
            total += [*np.cross(value(p.z, x), push), *push]
    return total


@pytest.mark.parametrize("name", SYSTEMS)
def test_energy_and_momenta_change_by_the_forces(systems, name):
    s = systems[name]
    x, u = slow_state(s), inputs(s)
    f, run = s.rhs(0.0, x, u), s.run()
    run.hold(u)
    rates = run.power_and_moments(0.0, *s.product.parts(x))[0].sum(axis=0)
    assert along(s.energy, x, f) == pytest.approx(rates[0], abs=1e-8)

    def linear(y):
        return s.run().linear_momenta(*(a[None] for a in s.product.parts(y)))[0]

    energy, momenta = integral_gradients(run, x)
    W = s.product.leaf_basis(*s.product.parts(x))
    np.testing.assert_allclose(energy @ W, [along(s.energy, x, e) for e in W.T], rtol=0, atol=1e-8)
    np.testing.assert_allclose(momenta[:3] @ f, along(s.momentum, x, f), rtol=0, atol=1e-8)
    np.testing.assert_allclose(momenta[3:] @ f, along(linear, x, f), rtol=0, atol=1e-8)
    kinds = run.power_and_moments(0.0, *s.product.parts(x))[0][FORCES, 1:]
    expected = kinds.sum(axis=0) + reactions(s, x, u)
    found = along(lambda y: np.concatenate([s.momentum(y), linear(y)]), x, f)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)
    held = [len(p.normals) > 0 for p in s.factors if p.kind == 0]
    assert (np.abs(reactions(s, x, u)).max() > 0.1) == any(held)


def test_momenta_of_a_fast_particle():
    """gamma v, with gamma = 1 / sqrt(1 - v^2 / 9)."""
    s, v = relativistic(), np.array([0.0, 1.5, 0.2])
    x = s.pack({"x": ([1, 0, 0], v), "q": ([0, 0, 1], [0.5, 0.3, 0])})
    pi = s.unpack(s.convert(x, "velocity", "momentum"))
    np.testing.assert_allclose(pi["x"][1], v / np.sqrt(1 - v @ v / 9), rtol=1e-14)
    assert s.conserved() == ("energy", "momentum1", "momentum2", "momentum3")
    run = gc.simulate(s, np.linspace(0, 2, 5), x)
    assert max(run.drift.values()) < 1e-10  # DOP853 at 1e-12
    assert "cannot be written out" in run.engine


def cart():
    x, q, u = Place("x", axes=[[1, 0, 0]]), Direction("q"), sp.Symbol("u")
    bob = x.rate + q.rate / 2
    return ProductSystem(
        [x, q],
        kinetic=x.rate.dot(x.rate) + bob.dot(bob) / 2,
        potential=9 * q.z[2] / 2,
        forces={"x": [u, 0, 0]},
        inputs=[u],
        name="cart",
    )


REST = {"x": ([0, 0, 0], [0, 0, 0]), "q": ([0, 0, -1], [0, 0, 0])}


def test_a_cart_with_a_pendulum_from_description_to_proof():
    s = cart()
    assert s.conserved() == ("energy", "linear_momentum1")
    start = {"x": ([0, 0, 0], [0.3, 0, 0]), "q": ([1, 0, 0], [0, 0.2, 0.5])}
    run = gc.simulate(s, np.linspace(0, 2, 21), start, engine="heyoka")
    other = gc.simulate(s, run.time, start, engine="scipy")
    np.testing.assert_allclose(run.states, other.states, rtol=0, atol=1e-9)  # DOP853 at 1e-12
    assert run["x"].shape == run["v"].shape == (21, 3)
    np.testing.assert_array_equal(run["q"][:, 1], run["q_2"])
    assert max(run.drift.values()) < 1e-12
    # Small motions: across the line the bare pendulum, along it the cart of mass 2 swings too.
    w = np.sqrt(9 / 0.5 * np.array([1.0, 1 + 0.5]))
    lin = gc.linearize(s, s.start(REST))
    assert "linear_momentum1" in lin.zero_modes
    found = lin.eigenvalues
    np.testing.assert_allclose(np.sort(found.imag), np.sort([*w, *-w, 0, 0]), atol=1e-7)
    assert gc.certify(s, s.start(REST)).verdict is not gc.Verdict.PROVED_STABLE  # it may drift along its line
    loop = s.closed_loop({"u": -3 * s.factors[0].z[0]})
    assert gc.certify(loop, loop.start(REST)).verdict is not gc.Verdict.PROVED_UNSTABLE
    held = s.replace(potential=9 * s.factors[1].z[2] / 2 + s.factors[0].z[0] ** 2)
    assert gc.certify(held, held.start(REST)).verdict is gc.Verdict.PROVED_STABLE
    up = {**REST, "q": ([0, 0, 1], [0, 0, 0])}
    assert gc.certify(s, s.start(up)).verdict is gc.Verdict.PROVED_UNSTABLE
    point = gc.find_equilibrium(held, guess=held.project({**REST, "q": ([0.2, 0.1, -1], [0, 0, 0])}))
    assert np.array_equal(point.q, [0, 0, -1])
    again = pickle.loads(pickle.dumps(held))
    assert again.params == held.params
    assert again.rhs(0.0, point.x) == pytest.approx(held.rhs(0.0, point.x), abs=0)
    assert s.to_control().nstates == 12


def test_what_is_no_system_or_no_state_is_refused_in_words():
    x, q = Place("x"), Direction("q")
    T = x.rate.dot(x.rate) / 2 + q.rate.dot(q.rate)
    cases = [
        ({"kinetic": 3}, gc.DescriptionError, "rates or velocities"),
        ({"kinetic": x.rate.dot(x.rate)}, gc.InputError, "positive definite"),
        ({"kinetic": T + sp.Symbol("a") * x.rate[0] ** 2}, gc.DescriptionError, "undeclared symbol a"),
        ({"kinetic": T, "forces": {"y": [0, 0, 0]}}, gc.DescriptionError, "no factor"),
        ({"kinetic": T, "potential": q.velocity[0]}, gc.DescriptionError, "undeclared symbol omega_1"),
    ]
    for given, error, words in cases:
        with pytest.raises(error, match=words):
            ProductSystem([x, q], **given)
    with pytest.raises(gc.DescriptionError, match="names of their own"):
        ProductSystem([q, Direction("q")], kinetic=T)
    with pytest.raises(gc.DescriptionError, match="some Place, Direction or Attitude"):
        ProductSystem(["x"], kinetic=T)
    with pytest.raises(gc.InputError, match="orthogonal"):
        Place("x", axes=[[1, 0, 0], [1, 1, 0]])
    s = ProductSystem([x, q], kinetic=T)
    with pytest.raises(gc.DescriptionError, match="lacks q"):
        s.pack({"x": ([0, 0, 0], [0, 0, 0])})
    with pytest.raises(gc.ConstraintError, match=r"q: \|q\| - 1 is 1"):
        s.start({"x": ([0, 0, 0], [0, 0, 0]), "q": ([0, 0, 2], [0, 0, 0])})
    with pytest.warns(gc.ProjectionWarning, match="q was projected"):
        s.start({"x": ([0, 0, 0], [0, 0, 0]), "q": ([0, 1e-5, 1], [0, 0, 0])})


@pytest.mark.parametrize("name", QUADRATIC)
def test_the_natural_lagrangian_moves_alike(systems, name):
    """Momenta less forces of the Lagrangian that proofs use are normal to the manifold along the motion."""
    s = systems[name].replace(forces=None, inputs=())
    given = natural(s.description, [0, 0, 0])
    g, z = given.graph, list(given.coordinates.values())
    v = [g.symbol(f"test rate {i}", STATE) for i in range(len(z))]
    terms = [m * v[i] * v[j] / 2 for i, j, m in given.mass]
    kinetic = g.add([*terms, *(a * b for a, b in zip(given.gyroscopic, v, strict=True))])
    slopes = [*g.gradient(kinetic, v), *g.gradient(g.add([kinetic, -given.potential]), z)]
    program = Program(g, [*z, *v], given.parameters, slopes)

    def sides(x):
        place, w = s.product.parts(x)
        return program([*place.ravel(), *speeds(s, place, w, s.params)[0]], s.params).reshape(2, -1)

    x = slow_state(s)
    missing = along(sides, x, s.rhs(0.0, x))[0] - sides(x)[1]
    tangent = s.product.tangent(s.product.parts(x)[0])
    np.testing.assert_allclose(tangent.T @ missing, 0, atol=1e-8)
    assert np.abs(missing).max() > 0.1  # the constraint forces: what is projected out is not small


def puck(axes=((1, 0, 0), (0, 1, 0)), uneven=0.0, pull=0.0):
    """A pendulum on a puck that a spring holds; a mass and a coupling that break the symmetry."""
    x, q = Place("x", axes=axes), Direction("q")
    bob = x.rate + q.rate / 2
    return ProductSystem(
        [x, q],
        kinetic=x.rate.dot(x.rate) + bob.dot(bob) / 2 + uneven * x.rate[0] ** 2,
        potential=9 * q.z[2] / 2 + x.z[0] ** 2 + x.z[1] ** 2 + pull * x.z[0] * q.z[0],
    )


@pytest.mark.parametrize(
    ("system", "axis", "symmetric"),
    [
        (puck(), (0, 0, 1), True),
        (puck(axes=None), (0, 0, 1), True),
        (puck(), (1, 0, 0), False),
        (puck(axes=[[1, 0, 0], [0, 0.6, 0.8]]), (0, 0, 1), False),
        (puck(axes=[[1, 0, 0]]), (0, 0, 1), False),
        (puck(uneven=1e-13), (0, 0, 1), False),
        (puck(pull=1e-13), (0, 0, 1), False),
    ],
    ids=["plane", "space", "another axis", "tilted plane", "line", "uneven mass", "pull"],
)
def test_a_symmetry_is_one_of_inertia_potential_and_what_holds_places(system, axis, symmetric):
    assert is_symmetric(system, {}, np.array(axis, dtype=float)) is symmetric


@pytest.mark.parametrize(
    ("axes", "rate", "stays"),
    [
        ([[0, 0, 1]], [0, 0, 0.3], True),
        ([[1, 0, 0], [0, 1, 0]], [0, 0, sp.Symbol("w")], True),
        ([[0.6, 0.8, 0], [0.8, -0.6, 0]], [0, 0, 2], True),
        ([[0, 0, 1]], [0.3, 0, 0], False),
        ([[1, 0, 0], [0, 1, 0]], [0, 1e-9, sp.Symbol("w")], False),
    ],
)
def test_what_holds_a_place_does_not_turn(axes, rate, stays):
    """On a line that turns inertial velocities are not along it, as those of a place that is held are."""
    x, w = Place("x", axes=axes), gc.Parameter("w", 0.5)
    given = {"kinetic": x.rate.dot(x.rate), "parameters": [w]}
    rate = [sp.sympify(e).xreplace({sp.Symbol("w"): w.symbol}) for e in rate]
    if stays:
        s = ProductSystem([x], frame_rate=rate, **given)
        f = s.rhs(0.0, s.product.state(*s.product.generic(2)))
        assert np.abs(f.reshape(2, 3) @ x.normals.T).max() < 1e-15
    else:
        with pytest.raises(gc.DescriptionError, match="the turning frame would carry along"):
            ProductSystem([x], frame_rate=rate, **given)


def test_steady_rotation_of_a_puck():
    spin = (0, 0, 0.5)
    s = puck()
    hanging = gc.find_equilibrium(s, guess=s.start(REST), spin=spin)
    assert gc.certify(s, hanging).verdict is gc.Verdict.PROVED_STABLE
    for nearly in (puck(uneven=1e-13), puck(pull=1e-13)):
        point = gc.find_equilibrium(nearly, guess=nearly.start(REST), spin=spin)
        assert gc.certify(nearly, point).verdict is gc.Verdict.NUMERICALLY_STABLE
    held = puck(axes=[[1, 0, 0]])
    with pytest.raises(gc.DescriptionError, match="no steady rotation"):
        gc.find_equilibrium(held, guess=held.start(REST), spin=spin)
    # Faster than the spring holds: sqrt(2 k / (M + m)), k = 1 N/m for each of two terms, M + m = 3 kg.
    fast = gc.find_equilibrium(s, guess=s.start(REST), spin=(0, 0, 1.2))
    assert gc.certify(s, fast).verdict is not gc.Verdict.PROVED_STABLE


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_how_far_a_place_is_off_its_plane_is_judged_beside_it(size):
    x = Place("x", axes=[[1, 0, 0], [0, 1, 0]])
    system = ProductSystem([x], kinetic=x.rate.dot(x.rate) / 2)
    start = {"x": (size * np.array([1, 0, 0.03]), np.zeros(3))}
    with pytest.raises(gc.ConstraintError, match="x: the share of x across the axes"):
        system.start(start)
    near = {"x": (size * np.array([1, 0, 1e-14]), size * np.array([0, 2, 0]))}
    assert system.start(near)[0] == size
