"""Equilibria, linearisation and certificates on spheres, against formulas of their own."""

import json

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import eigh

import geoctrl as gc
from geoctrl.checker import digest_of

spheres = gc.spheres
DOWN = np.array([0.0, 0.0, -1.0])


def hanging(n):
    return np.tile(DOWN, (n, 1)), np.zeros((n, 3))


def varying():
    """Inertia that depends on the configuration, forces with time, velocities and an input."""
    q, w = spheres.symbols(2)
    a = gc.Parameter("a", 1.3, positive=True)
    u = sp.Symbol("u", real=True)
    coupling = q[0].dot(q[1]) / 3
    mass = sp.Matrix([[2 + q[0][0] ** 2 + a.symbol, coupling], [coupling, 3 + q[0][1] * q[1][2]]])
    return {
        "mass": mass,
        "potential": q[0][2] * a.symbol + q[1][0] * q[0][1],
        "parameters": [a],
        "forces": [sp.Matrix([w[0][1] * gc.time, 0, -w[1][0] * u]), -w[1].cross(q[1])],
        "inputs": [u],
    }


def by_functions():
    def V(q, p):
        return q[0, 2] * p[0] + q[0, 0] * q[1, 1]

    def dV(q, p):
        g = np.zeros_like(q)
        g[0, 2], g[0, 0], g[1, 1] = p[0], q[1, 1], q[0, 0]
        return g

    return spheres.SphereSystem(
        mass=[[2, 0.3], [0.3, 1]], potential=V, gradient=dV, parameters=[gc.Parameter("a", 2.1)]
    )


SYSTEMS = {
    "chain": lambda: spheres.chain_pendulum([1, 2, 3], [0.3, 0.2, 0.4]),
    "springs": lambda: spheres.coupled_pendula([0.1, 0.2], [0.1, 0.3], [[0, 1]], [10.0], [[0.1, 0, 0.05]]),
    "particles": lambda: spheres.particles_on_sphere([1, 2, 3]),
    "rod": lambda: spheres.elastic_rod(4, 1.0, 1.0, 10.0),
    "dipoles": lambda: spheres.dipoles([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]], 0.05, 0.02, 0.1, mu=1.0),
    "varying inertia": lambda: spheres.SphereSystem(**varying()),
    "constant inertia": lambda: spheres.SphereSystem(**(varying() | {"mass": [[2, 0.3], [0.3, 1]]})),
    "functions": by_functions,
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_jacobian_is_the_derivative_of_the_field_in_all_directions(name):
    system = SYSTEMS[name]()
    rng = np.random.default_rng(3)
    q, omega = spheres.project(rng.normal(size=(system.n, 3)), rng.normal(size=(system.n, 3)))
    x, along = system.pack(q, omega), np.eye(6 * system.n)
    if system.inertia_varies:  # equations that agree on the spheres alone
        along = system.seen_from().leaf_basis(x, {})
    else:
        x += 0.01 * rng.normal(size=6 * system.n)  # off the spheres too
    u = rng.normal(size=len(system.inputs))
    h = 1e-6
    expected = [(system.rhs(0.3, x + e, u) - system.rhs(0.3, x - e, u)) / (2 * h) for e in h * np.eye(x.size)]
    found = system.jacobian(0.3, x, u)
    # Central differences of step h have an error of h^2 and of rounding over h: about 1e-9 here.
    assert np.max(np.abs((found - np.array(expected).T) @ along)) < 1e-8 * np.max(np.abs(found))
    if system.inputs:
        more = [(system.rhs(0.3, x, u + e) - system.rhs(0.3, x, u - e)) / (2 * h) for e in h * np.eye(u.size)]
        B = system.input_jacobian(0.3, x, u)
        assert np.max(np.abs(B - np.array(more).T)) < 1e-7 * (1 + np.max(np.abs(B)))


@pytest.mark.parametrize("name", ["chain", "particles", "functions"])
def test_gradients_of_energy_and_momentum(name):
    system = SYSTEMS[name]()
    rng = np.random.default_rng(4)
    q, omega = spheres.project(rng.normal(size=(system.n, 3)), rng.normal(size=(system.n, 3)))
    x = system.pack(q, omega)
    gradients = system.seen_from().conserved_gradients(
        x, np.zeros(system.ninputs), system.parameters_at(None)
    )
    assert "energy" in gradients
    for key, found in gradients.items():
        value = system.energy if key == "energy" else lambda y, k=int(key[-1]) - 1: system.momentum(y)[k]
        expected = [(value(x + e) - value(x - e)) / 2e-6 for e in 1e-6 * np.eye(x.size)]
        assert np.max(np.abs(found - expected)) < 1e-7 * (1 + np.max(np.abs(found)))


def test_hanging_chain_has_the_modes_of_its_stiffness():
    lengths, masses = np.array([0.5, 0.25, 0.75]), np.array([1.0, 2.0, 1.5])
    chain = spheres.chain_pendulum(masses, lengths)
    eq = gc.find_equilibrium(chain, guess=hanging(3))
    lin = gc.linearize(chain, eq)
    K = np.diag(9.81 * np.cumsum(masses[::-1])[::-1] * lengths)
    rates = np.sqrt(eigh(K, chain.mass_matrix(eq.q))[0])
    expected = np.sort(np.concatenate([rates, rates, -rates, -rates]))
    assert (lin.A.shape, lin.basis.shape, lin.B_leaf.shape) == ((18, 18), (18, 12), (12, 6))
    assert np.max(np.abs(lin.eigenvalues.real)) < 1e-12
    assert np.allclose(np.sort(lin.eigenvalues.imag), expected, rtol=1e-12)
    assert np.allclose(lin.basis.T @ lin.basis, np.eye(12), atol=1e-14)
    assert lin.zero_modes == ()


@pytest.mark.parametrize(("sign", "verdict"), [(1, "PROVED_STABLE"), (-1, "PROVED_UNSTABLE")])
def test_chain_is_proved_and_the_file_can_be_checked(sign, verdict, tmp_path):
    chain = spheres.chain_pendulum([1.0, 2.0, 1.5], [0.5, 0.25, 0.75])
    q, omega = hanging(3)
    certificate = gc.certify(chain, gc.find_equilibrium(chain, guess=(sign * q, omega)))
    assert certificate.verdict.name == verdict
    path = tmp_path / "certificate.json"
    certificate.to_json(path)
    assert gc.verify(path).verdict.name == verdict
    data = json.loads(path.read_text())
    for change in (
        ["theorem", "inverse"],
        ["problem", "states"],
        ["problem", "parameters"],
        ["theorem", "name"],
    ):
        spoilt = json.loads(path.read_text())
        inner = spoilt
        for key in change[:-1]:
            inner = inner[key]
        old = inner[change[-1]]
        inner[change[-1]] = "drift"
        if isinstance(old, list):
            inner[change[-1]] = [*old[:-1], "1/3" if isinstance(old[-1], str) else 7]
        if isinstance(old, dict):
            inner[change[-1]] = {**old, "more": "1"}
        spoilt["digest"] = digest_of(spoilt)
        path.write_text(json.dumps(spoilt))
        with pytest.raises(gc.CertificateError):
            gc.verify(path)
    assert list(data["problem"]["leaf"])[3] == "rate of relation 1"


def test_conical_pendulum():
    m, g, W = 2.0, 9.81, 5.0
    q = spheres.symbols(1)[0][0]
    pendulum = spheres.SphereSystem(mass=[m], potential=m * g * q[2])
    guess = np.array([[0.9, 0.1, -0.5]])
    eq = gc.find_equilibrium(pendulum, guess=spheres.project(guess, np.zeros((1, 3))), spin=(0, 0, W))
    cosine = g / W**2
    assert np.isclose(eq.q[0, 2], -cosine, rtol=0, atol=1e-11)
    assert np.allclose(np.cross(eq.omega, eq.q), np.cross([0, 0, W], eq.q))
    lin = gc.linearize(pendulum, eq)
    # Nutation about steady precession; the other two belong to the choice of azimuth and of the momentum.
    rate = W * np.sqrt(1 + 3 * cosine**2)
    assert np.allclose(np.sort(lin.eigenvalues.imag), [-rate, 0, 0, rate], atol=1e-9)
    assert lin.zero_modes == ("momentum", "family")
    assert gc.certify(pendulum, eq).verdict is gc.Verdict.UNDECIDED  # it drifts along its orbit
    with pytest.raises(gc.DescriptionError, match="symmetry"):
        gc.find_equilibrium(pendulum, guess=(eq.q, eq.omega), spin=(0, W, 0))


def test_hanging_seen_from_turning_axes():
    """The amended potential m l (g - W^2 l) x^2 / 2 has a minimum below W^2 = g / l, and not above."""
    m, g, length = 2.0, 9.81, 0.5
    q = spheres.symbols(1)[0][0]
    pendulum = spheres.SphereSystem(mass=[m * length**2], potential=m * g * length * q[2])
    critical = np.sqrt(g / length)
    for factor, expected in ((1 - 1e-6, "PROVED_STABLE"), (1 + 1e-6, "SPECTRALLY_STABLE_ONLY")):
        eq = gc.find_equilibrium(pendulum, guess=hanging(1), spin=(0, 0, factor * critical))
        assert gc.certify(pendulum, eq).verdict.name == expected
    lin = gc.linearize(pendulum, gc.find_equilibrium(pendulum, guess=hanging(1), spin=(0, 0, 3.0)))
    expected = [s * critical + r * 3.0 for s in (1, -1) for r in (1, -1)]
    assert np.allclose(np.sort(lin.eigenvalues.imag), np.sort(expected), rtol=1e-12)


def test_two_molecules_on_the_sphere():
    """They rest at chord 2^(1/6) sigma; one vibration, the rest are rotations of the whole."""
    epsilon, sigma, m = 0.7, 0.4, 1.3
    pair = spheres.lennard_jones(2, epsilon, sigma, mass=m)
    start = spheres.project([[1, 0, 0], [0.9, 0.4, 0.1]], np.zeros((2, 3)))
    eq = gc.find_equilibrium(pair, guess=start)
    chord = np.linalg.norm(eq.q[0] - eq.q[1])
    assert np.isclose(chord, 2 ** (1 / 6) * sigma, rtol=1e-10)
    angle = sp.Symbol("theta", positive=True)
    r = 2 * sp.sin(angle / 2)
    V = 4 * epsilon * ((sigma / r) ** 12 - (sigma / r) ** 6)
    curvature = float(sp.diff(V, angle, 2).subs(angle, 2 * np.arcsin(chord / 2)))
    lin = gc.linearize(pair, eq)
    assert np.isclose(np.max(lin.eigenvalues.imag), np.sqrt(2 * curvature / m), rtol=1e-8)
    assert np.sum(np.abs(lin.eigenvalues) < 1e-6) == 6 == len(lin.zero_modes)
    assert lin.zero_modes[:3] == ("momentum1", "momentum2", "momentum3")


@pytest.mark.long(reason="closed loops of every kind agree in rotations/test_equations.py")
def test_closed_loops_by_function_and_by_expression_agree(tmp_path):
    q = spheres.symbols(1)[0][0]
    u = sp.symbols("u1:4", real=True)
    pendulum = spheres.SphereSystem(
        mass=[2.0], potential=2 * 9.81 * q[2], forces=[sp.Matrix(u).cross(q)], inputs=u
    )
    upright = (np.array([[0, 0, 1.0]]), np.zeros((1, 3)))
    lin = gc.linearize(pendulum, upright)
    assert gc.certify(pendulum, upright).verdict is gc.Verdict.PROVED_UNSTABLE
    gain = np.array([[0, -60.0, 0, 8, 0, 0], [60.0, 0, 0, 0, 8, 0], [0, 0, 0, 0, 0, 8]])
    x0 = np.array([0, 0, 1.0, 0, 0, 0])
    by_function = pendulum.closed_loop(lambda t, x, params: -gain @ (x - x0))
    by_expression = pendulum.closed_loop(
        list(-sp.Matrix(gain) * (sp.Matrix(pendulum.states) - sp.Matrix(x0)))
    )
    found = []
    verdicts = "NUMERICALLY_STABLE", "PROVED_ASYMPTOTICALLY_STABLE"
    for loop, verdict in zip((by_function, by_expression), verdicts, strict=True):
        inner = gc.linearize(loop, upright)
        found.append(np.sort_complex(inner.eigenvalues))
        assert np.allclose(inner.A_leaf, lin.A_leaf - lin.B_leaf @ gain @ lin.basis, atol=1e-7)
        assert gc.certify(loop, upright).verdict.value == verdict
    assert np.allclose(*found, atol=1e-7)  # one of them by differences
    # What a function does with the time was seen at some times only, and the claim says so.
    sampled = "with a law given by functions, taken to be free of the time as sampled"
    certificate = gc.certify(by_function, upright)
    assert sampled in certificate.claim
    assert sampled not in gc.certify(by_expression, upright).claim
    with pytest.raises(gc.CertificateError, match="expressions instead of functions"):
        certificate.to_json(tmp_path / "loop.json")
    assert np.max(found[0].real) < -1


def test_what_is_no_equilibrium_is_refused():
    chain = spheres.chain_pendulum([1.0, 2.0], [0.5, 0.25])
    tilted = spheres.project([[1.0, 0, -1], [0, 0, -1]], np.zeros((2, 3)))
    with pytest.raises(gc.EquilibriumError, match="find_equilibrium"):
        gc.linearize(chain, tilted)
    with pytest.raises(ValueError, match="guess"):
        gc.find_equilibrium(chain)
    with pytest.raises(ValueError, match="spin"):
        gc.find_equilibrium(gc.models.get("heavy-top")().reduce(), spin=(0, 0, 1))


def test_a_constant_force_moves_the_equilibrium():
    chain = spheres.chain_pendulum([1.0, 2.0], [0.5, 0.25])
    u = np.array([0, 0, 0, 3.0, 0, 0])  # a horizontal force at the tip
    eq = gc.find_equilibrium(chain, guess=(hanging(2), u))
    slopes = -eq.q[:, 0] / eq.q[:, 2]
    assert np.allclose(slopes, [3.0 / (9.81 * 3.0), 3.0 / (9.81 * 2.0)], rtol=1e-10)
    assert gc.linearize(chain, eq).eigenvalues.shape == (8,)


def test_no_verdict_at_a_kink():
    """A cusp may hold the upright pendulum: its derivative, taken as zero, would prove the contrary."""
    q = spheres.symbols(1)[0][0]
    held = spheres.SphereSystem(mass=[2.0], potential=q[2] + 5 * sp.Abs(q[0]) + 5 * sp.Abs(q[1]))
    with pytest.raises(gc.EquilibriumError, match="not differentiable"):
        gc.certify(held, (np.array([[0, 0, 1.0]]), np.zeros((1, 3))))


def two(mass=(2.0, 3.0), potential=None, **rest):
    """Two pendulums, and what is to have a kink where they hang."""
    q, _ = spheres.symbols(2)
    more = [] if potential is None else [potential]
    return spheres.SphereSystem(mass=mass, potential=[9 * (q[0][2] + q[1][2]), *more], **rest)


def friction(q, w):
    return [sp.Matrix([sp.sign(w[0][1]), -sp.sign(w[0][0]), 0]), sp.zeros(3, 1)]


U = sp.Symbol("u", real=True)
KINKED = {
    "friction": lambda q, w: two(forces=friction(q, w)),
    "input": lambda q, w: two(forces=[[sp.sign(U), 0, 0], [0, 0, 0]], inputs=[U]),
    "friction, varying inertia": lambda q, w: two(sp.diag(2 + q[0][0] ** 2, 3), forces=friction(q, w)),
    "inertia": lambda q, w: two(sp.diag(2 + sp.Abs(q[0][0]), 3)),
    "potential": lambda q, w: two(
        potential=sp.Piecewise((3 * q[1][0] ** 2, q[1][0] > 0), (q[1][0] ** 2, True))
    ),
    "sites": lambda q, w: two(potential=spheres.Sites(lambda v, c: sp.Abs(v[1] - c), c=[0.3, 0.0])),
    "pairs": lambda q, w: two(potential=spheres.Pairs(lambda a, b: sp.Abs(a[0] - b[0]))),
}


@pytest.mark.parametrize("analysis", [gc.find_equilibrium, gc.linearize, gc.certify])
@pytest.mark.parametrize("name", KINKED)
def test_kinks_of_every_kind_are_refused(name, analysis):
    """As for reduced systems, and in the same words."""
    with pytest.raises(gc.EquilibriumError, match="the equations are not differentiable at this point: Abs"):
        analysis(KINKED[name](*spheres.symbols(2)), hanging(2))


def test_a_parameter_may_move_a_kink_to_the_point():
    c = gc.Parameter("c", 0.5)
    q, _ = spheres.symbols(1)
    edge = 9 * q[0][2] + sp.Abs(q[0][0] - c.symbol) + q[0][0]  # flat for q1 < c
    system = spheres.SphereSystem(mass=[2.0], potential=edge, parameters=[c])
    eq = gc.find_equilibrium(system, guess=hanging(1))
    np.testing.assert_allclose(np.sort(gc.linearize(system, eq).eigenvalues.imag)[2:], np.sqrt([4.5, 4.5]))
    with pytest.raises(gc.EquilibriumError, match="not differentiable"):
        gc.linearize(system, eq, params={"c": 0.0})


def test_kinks_elsewhere_do_not_matter():
    """A stop above the equator, friction under way, a pair beyond the cutoff: none is felt here."""
    _, w = spheres.symbols(2)
    smooth = two()
    kinked = two(
        potential=spheres.Sites(lambda v: sp.Piecewise((v[2], v[2] > 0), (0, True))),
        forces=[(1 + sp.sign(w[0][2] - 9)) * w[0], sp.zeros(3, 1)],
    )
    at_rest = gc.find_equilibrium(kinked, guess=hanging(2))
    np.testing.assert_allclose(
        gc.linearize(kinked, at_rest).A, gc.linearize(smooth, hanging(2)).A, rtol=0, atol=1e-12
    )
    assert gc.certify(kinked, at_rest).verdict is gc.Verdict.PROVED_STABLE
    pairs = {c: spheres.Pairs(lambda a, b: sp.Abs(a[0] - b[0]), cutoff=c) for c in (0.5, 3.0)}
    apart = np.array([[0, 0, -1.0], [0, 0, 1.0]]), np.zeros((2, 3))
    np.testing.assert_allclose(
        gc.linearize(two(potential=pairs[0.5]), apart).A, gc.linearize(smooth, apart).A, rtol=0, atol=1e-12
    )
    with pytest.raises(gc.EquilibriumError, match="not differentiable"):
        gc.linearize(two(potential=pairs[3.0]), apart)


def test_a_law_given_by_a_function_is_not_looked_into():
    """At u = 0 the damping has a kink, under the law u = 1 there is none."""
    _, w = spheres.symbols(2)
    driven = two(forces=[w[0].cross(sp.Matrix([0, 0, 1])) * sp.Abs(U), sp.zeros(3, 1)], inputs=[U])
    loop = driven.closed_loop(lambda t, x, p: np.array([1.0]))
    assert gc.linearize(loop, hanging(2)).A_leaf.shape == (8, 8)
    with pytest.raises(gc.EquilibriumError, match="not differentiable"):
        gc.linearize(driven, hanging(2))


def test_forces_that_hold_the_time_have_no_equilibria():
    q, omega = spheres.symbols(1)
    for force in (gc.time * omega[0], q[0].cross(sp.Matrix([sp.sin(gc.time), 0, 0]))):
        system = spheres.SphereSystem(mass=[2.0], potential=3.0 * q[0][2], forces=[force])
        with pytest.raises(gc.EquilibriumError, match="depend on the time explicitly"):
            gc.find_equilibrium(system, ([[0, 0, -1.0]], [[0, 0, 0.0]]))
        with pytest.raises(gc.EquilibriumError, match="depend on the time explicitly"):
            gc.certify(system, system.pack([[0, 0, -1.0]], [[0, 0, 0.0]]))


def test_the_symmetry_of_a_spin_is_that_at_the_parameters_given():
    """A moment about the vertical that is zero at the default only, or away from it."""
    q, _ = spheres.symbols(1)
    guess = ([[1.0, 0, 0]], [[0, 0, 0.0]])
    for default, broken, kept in ((0.0, 30.0, 0.0), (30.0, 30.0, 0.0), (None, 30.0, 0.0)):
        A = gc.Parameter("A", default)
        system = spheres.SphereSystem(mass=[2.0], potential=-A.symbol * q[0][0], parameters=[A])
        with pytest.raises(gc.DescriptionError, match="no steady rotation"):
            gc.find_equilibrium(system, guess, spin=(0, 0, 2.0), params={"A": broken})
        point = gc.find_equilibrium(system, guess, spin=(0, 0, 2.0), params={"A": kept})
        with pytest.raises(gc.DescriptionError, match="no steady rotation"):
            gc.certify(system, point, params={"A": broken})


def test_a_symmetry_holds_beyond_every_switch_or_not_at_all():
    q, _ = spheres.symbols(1)
    x, z, a = q[0][0], q[0][2], sp.Rational(7, 8)
    there = ([[1.0, 0, 0]], [[0, 0, 0.0]])
    ridge = spheres.SphereSystem(mass=[2.0], potential=sp.Piecewise((-240 * (x - a) ** 3, x > a), (0, True)))
    with pytest.raises(gc.DescriptionError, match="no steady rotation"):
        gc.find_equilibrium(ridge, there, spin=(0, 0, 2.0))
    kept = spheres.SphereSystem(mass=[2.0], potential=20 * z + sp.Abs(z - sp.Rational(1, 7)))
    point = gc.find_equilibrium(kept, ([[0, 0, -1.0]], [[0, 0, 0.0]]), spin=(0, 0, 2.0))
    assert gc.certify(kept, point).verdict is gc.Verdict.PROVED_STABLE


def test_a_symmetry_given_by_functions_is_looked_at_along_the_orbit():
    """A ridge that a function raises in a part of the sphere that few random states lie in."""

    def potential(q, p):
        return 20 * q[0, 2] + 5 * max(q[0, 0] - 0.97, 0.0) ** 2

    def gradient(q, p):
        return np.array([[10 * max(q[0, 0] - 0.97, 0.0), 0.0, 20.0]])

    system = spheres.SphereSystem(mass=[2.0], potential=potential, gradient=gradient)
    with pytest.raises(gc.DescriptionError, match="no steady rotation"):
        gc.find_equilibrium(system, ([[0, np.cos(0.1), -np.sin(0.1)]], [[0, 0, 0.0]]), spin=(0, 0, 10.0))


def test_a_certificate_names_the_spin(tmp_path):
    chain = spheres.chain_pendulum([1.0], [1.0])
    point = gc.find_equilibrium(chain, ([[0, 0, -1.0]], [[0, 0, 0.0]]), spin=(0, 0, 2.0))
    certificate = gc.certify(chain, point)
    assert "turning with (0, 0, 2) rad/s" in certificate.claim
    path = tmp_path / "spin.json"
    certificate.to_json(path)
    assert gc.verify(path).claim == certificate.claim
    at_rest = gc.certify(chain, gc.find_equilibrium(chain, ([[0, 0, -1.0]], [[0, 0, 0.0]])))
    assert "turning" not in at_rest.claim
