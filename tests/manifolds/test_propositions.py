"""The equations for any Lagrangian on products: systems in numbers, local coordinates, each other."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import geoctrl as gc
from geoctrl.manifolds import Attitude, Direction, Place, ProductSystem, propositions
from geoctrl.manifolds.product.variations_in_symbols import variations_of
from tests.manifolds.products import drawn, entries, forces_on_rates, generic, symmetric
from tests.oracles.local_coordinates import LocalLagrange

U = np.array([0.7, -0.4])
CASES = [
    (1, "xq", "varying"),
    (2, "R", "not quadratic"),
    (5, "qq", "not quadratic"),
]
cases = pytest.mark.parametrize(("seed", "kinds", "style"), CASES)
AXES = [[1, 0, 0], [0, 0.6, 0.8]]


def evaluated(found, table):
    """Numbers of vectors or matrices of expressions, one after the other."""
    return np.array([float(sp.S(e).xreplace(table)) for v in found for e in v])


def numbers(one, x, rate=None):
    """The symbols of a state, of its rates and of its forces' inputs."""
    system = one.system
    u = system.rhs(0.0, x, U[: len(one.inputs)])[: system.split] if rate is None else rate
    states = dict(zip([*system.states, *entries(one.factors, "rate")], [*x, *u], strict=True))
    return states | dict(zip(one.inputs, U, strict=False))


def along(function, x, f, h=1e-4):
    """Derivative along f, good to h^4: differences of order four."""
    return (
        8 * (function(x + h * f) - function(x - h * f)) - function(x + 2 * h * f) + function(x - 2 * h * f)
    ) / (12 * h)


def chosen(seed, kinds, style):
    one = drawn(seed, kinds, style)
    return one, generic(one)


@pytest.mark.parametrize(
    ("seed", "kinds", "style"),
    [*CASES, (3, "qR", "linear"), (4, "xRq", "constant"), (4, "xRq", "not quadratic")],
)
def test_the_motion_in_numbers_is_that_of_the_system(seed, kinds, style):
    one, x = chosen(seed, kinds, style)
    found = propositions.field(one.lagrangian, one.factors, one.forces, dict(zip(one.inputs, U, strict=True)))
    expected = one.system.rhs(0.0, x, U)
    np.testing.assert_allclose(found(0.0, x), expected, rtol=0, atol=1e-11 * np.abs(expected).max())


@cases
def test_lagrange_in_velocities_is_solved_by_the_system(seed, kinds, style):
    one, x = chosen(seed, kinds, style)
    expected = one.system.rhs(0.0, x, U)
    residual = propositions.lagrange(one.lagrangian, one.factors, one.forces)
    second = propositions.rates([f.velocity for f in one.factors])
    table = numbers(one, x) | dict(
        zip([s for v in second for s in v], expected[one.system.split :], strict=True)
    )
    assert np.abs(evaluated(residual, table)).max() < 1e-11
    table[second[0][0]] += 1e-3  # negative control
    assert np.abs(evaluated(residual, table)).max() > 1e-5


@cases
def test_lagrange_in_rates_is_solved_by_the_motion_in_local_coordinates(seed, kinds, style):
    one, x = chosen(seed, kinds, style)
    z = x[: one.system.split].reshape(-1, 3)
    u = one.system.rhs(0.0, x, U)[: one.system.split]
    second = one.oracle().rates(z, u.reshape(-1, 3), forces_on_rates(one, x, U)).second
    residual = propositions.lagrange(one.lagrangian, one.factors, one.forces, by="rate")
    symbols = [s for v in propositions.rates([f.rate for f in one.factors]) for s in v]
    table = numbers(one, x) | dict(zip(symbols, second.ravel(), strict=True))
    assert np.abs(evaluated(residual, table)).max() < 1e-11
    other = propositions.lagrange(-one.lagrangian, one.factors, one.forces, by="rate")
    assert np.abs(evaluated(other, table)).max() > 1e-2  # negative control: forces of the other sign


@cases
def test_momenta_and_energies_are_those_of_the_system(seed, kinds, style):
    one, x = chosen(seed, kinds, style)
    system, table = one.system, numbers(one, x)
    p = propositions.legendre(one.lagrangian, one.factors)
    expected = system.convert(x, "velocity", "momentum")[system.split :]
    np.testing.assert_allclose(evaluated(p, table), expected, rtol=0, atol=1e-12)
    mu = propositions.legendre(one.lagrangian, one.factors, by="rate")
    for f, a, b in zip(one.factors, mu, p, strict=True):
        pulled = f.rate_matrix().T * sp.Matrix(list(a))
        np.testing.assert_allclose(evaluated([pulled], table), evaluated([b], table), rtol=0, atol=1e-12)
    for by in ("rate", "velocity"):
        energy = propositions.energy(one.lagrangian, one.factors, by)
        assert evaluated([[energy]], table)[0] == pytest.approx(system.energy(x), abs=1e-12)
        momentum = propositions.momentum(one.lagrangian, one.factors, by)
        np.testing.assert_allclose(evaluated([momentum], table), system.momentum(x), rtol=0, atol=1e-12)
        power = evaluated([[propositions.power(one.forces, one.factors, by)]], table)[0]
        assert power == pytest.approx(along(system.energy, x, system.rhs(0.0, x, U)), abs=1e-9)


def tangent_slope(H, symbols, table):
    """H to first order about a point, with gradients from its own values: all that a motion there sees."""
    slopes = evaluated([[sp.diff(H, s) for s in symbols]], table)
    return dict(zip(symbols, slopes, strict=True))


@cases
@pytest.mark.parametrize("by", ["rate", "velocity"])
def test_hamiltons_equations_move_like_the_system(seed, kinds, style, by):
    """At a point H has the slopes y by p and -dL/dz by z, with which its equations are asked.

    This holds where dL/dy has no part that the tangent space does not see: where L is a function of the
    projection of the rates, as it is in velocities.
    """
    one, x = chosen(seed, kinds, style)
    system, L = one.system, one.lagrangian
    moving = [f.rate if by == "rate" else f.velocity for f in one.factors]
    rates = [f.rates_of(f.velocity) for f in one.factors]
    if by == "rate":
        rates = [variations_of(f, by_rates=True).rate(f.z, f.rate) for f in one.factors]
    L = L.xreplace(
        {s: e for f, r in zip(one.factors, rates, strict=True) for s, e in zip(f.rate, r, strict=True)}
    )

    def conjugate(at):
        return evaluated(propositions.legendre(one.lagrangian, one.factors, by), numbers(one, at))

    table, z = numbers(one, x), entries(one.factors, "z")
    p = [s for v in propositions.momenta(one.factors, by) for s in v]
    slope = tangent_slope(L, z, table)
    H = sum(table[y] * s for y, s in zip([s for v in moving for s in v], p, strict=True))
    H -= sum(a * s for s, a in slope.items())
    table |= dict(zip(p, conjugate(x), strict=True))
    places, pushes = propositions.hamilton(H, one.factors, one.forces, by)
    f = system.rhs(0.0, x, U)
    np.testing.assert_allclose(evaluated(places, table), f[: system.split], rtol=0, atol=1e-12)
    found, expected = evaluated(pushes, table), along(conjugate, x, f)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)
    other = propositions.hamilton(-H, one.factors, one.forces, by)[1]  # negative control
    assert np.abs(evaluated(other, table) - expected).max() > 1e-2


def coupled(momenta, factors):
    """A Hamiltonian that is no sum of kinetic and potential energy."""
    x, q, R = (f.z for f in factors)
    p, a, b = momenta
    H = p.dot(a) ** 2 + sp.sin(b.dot(x)) + a.dot(R * b) * q[0] + p.dot(p) ** 2 / 3 + b.dot(b) * R[0, 1]
    return H + x.dot(q) ** 2 + (R.T * q)[1] * x[2]


def test_both_forms_of_hamiltons_equations_are_one_motion():
    """H of momenta p by velocity, and the same of mu by rate with p = P^T mu; it is kept in both."""
    factors = [Place("x"), Direction("q"), Attitude("R")]
    one = drawn(4, "xRq", "constant")
    x = one.system.pack({f.name.rstrip("123456") + "": v for f, v in ()} or one.system.unpack(generic(one)))
    parts = {f.name[0]: one.system.unpack(x)[f.name] for f in one.factors}
    z = [e for f in factors for e in np.ravel(parts[f.name][0])]
    p, mu = (propositions.momenta(factors, by) for by in ("velocity", "rate"))
    pulled = [f.rate_matrix().T * sp.Matrix(list(m)) for f, m in zip(factors, mu, strict=True)]
    first, second = coupled(p, factors), coupled(pulled, factors)
    q, w = parts["q"][0], parts["R"][1]
    hat = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    at = parts["x"][1], np.cross(parts["q"][1], q), (parts["R"][0] @ hat / 2).ravel()
    symbols = [s for f in factors for s in f.z]
    table = dict(zip([*symbols, *(s for m in mu for s in m)], [*z, *np.concatenate(at)], strict=True))
    pairs = zip([s for v in p for s in v], evaluated(pulled, table), strict=True)
    by_velocity = table | dict(pairs)
    ours, theirs = propositions.hamilton(first, factors), propositions.hamilton(second, factors, by="rate")
    np.testing.assert_allclose(evaluated(ours[0], by_velocity), evaluated(theirs[0], table), atol=1e-12)
    flow = dict(zip(table, [*evaluated(theirs[0], table), *evaluated(theirs[1], table)], strict=True))
    moved = [[sum(sp.diff(e, s) * r for s, r in flow.items()) for e in v] for v in pulled]
    np.testing.assert_allclose(evaluated(ours[1], by_velocity), evaluated(moved, table), atol=1e-11)
    kept = [[sum(sp.diff(second, s) * r for s, r in flow.items())]]
    assert abs(evaluated(kept, table)[0]) < 1e-12
    flow[mu[2][0, 1]] += 1e-3  # negative control
    assert abs(evaluated([[sum(sp.diff(second, s) * r for s, r in flow.items())]], table)[0]) > 1e-6


def test_momenta_and_energy_of_a_symmetric_product_are_kept_by_runs():
    one = symmetric(1, "xq", "not quadratic")
    x = generic(one, size=0.4)
    field = propositions.field(one.lagrangian, one.factors)
    run = solve_ivp(field, (0, 1), x, method="DOP853", rtol=1e-11, atol=1e-12)
    ours = gc.simulate(one.system, [0.0, 1.0], x, engine="scipy").states[:, -1]
    np.testing.assert_allclose(run.y[:, -1], ours, rtol=0, atol=1e-9)
    kept = [
        propositions.energy(one.lagrangian, one.factors),
        propositions.momentum(one.lagrangian, one.factors)[2],
    ]
    first, last = (
        evaluated([kept], dict(zip(one.system.states, y, strict=True))) for y in run.y[:, [0, -1]].T
    )
    np.testing.assert_allclose(first, last, rtol=0, atol=1e-9)


def held(indefinite):
    """A place in a tilted plane, a direction and an attitude; masses of either sign, or positive ones."""
    x, q, R = Place("x", axes=AXES), Direction("q"), Attitude("R")
    bob, tip = x.rate + q.rate / 2, x.rate + R.rate * sp.Matrix([0.2, -0.1, 0.3])
    sign = -1 if indefinite else 1
    L = 2 * x.rate.dot(x.rate) + sign * 0.8 * bob.dot(bob) + 0.3 * tip.dot(tip) + x.z[0] * q.rate[1] / 3
    L += sign * sum(c * w**2 for c, w in zip((0.4, 0.5, 0.7), R.velocity, strict=True))
    L -= q.z[2] * x.z[1] + (R.z * q.z)[0] + x.z[0] ** 2 - R.z[2, 2] * x.z[2]
    forces = {"x": [0.3, -0.1 * x.velocity[1], 1], "R": [0.2, R.z[0, 0], -0.3 * R.velocity[2]]}
    return [x, q, R], L, forces


@pytest.mark.parametrize("indefinite", [False, True])
def test_places_that_are_held_and_masses_of_either_sign(indefinite):
    factors, L, forces = held(indefinite)
    labels = [s for f in factors for s in f.z] + [s for f in factors for s in f.velocity]
    system = ProductSystem(factors, kinetic=held(False)[1], forces=forces)
    x = system.product.state(*system.product.generic(3))
    found = propositions.field(L, factors, forces)(0.0, x)
    if not indefinite:
        np.testing.assert_allclose(found, system.rhs(0.0, x), rtol=0, atol=1e-12)
    rates = dict(zip(labels, x, strict=True))
    u = evaluated([f.rates_of(f.velocity) for f in factors], rates)
    in_rates = L.xreplace(dict(zip(factors[2].velocity, _body_rate(factors[2]), strict=True)))
    oracle = LocalLagrange(
        [np.array(AXES), "direction", "attitude"], in_rates, entries(factors, "z"), entries(factors, "rate")
    )
    one = type("One", (), {"system": system, "factors": factors, "forces": forces, "inputs": ()})
    z, n = x[: system.split].reshape(-1, 3), system.split
    second = oracle.rates(z, u.reshape(-1, 3), forces_on_rates(one, x, ())).second
    # z' is linear in z and in the velocities, so that a central difference along the motion is exact.
    h = 1e-2
    ends = [
        evaluated([f.rates_of(f.velocity) for f in factors], dict(zip(labels, x + s * found, strict=True)))
        for s in (h, -h)
    ]
    np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h), second.ravel(), rtol=0, atol=1e-11)
    assert np.abs(found[:n].reshape(-1, 3)[0] @ np.cross(*AXES)) < 1e-14


def _body_rate(f):
    W = f.z.T * f.rate
    return (W[2, 1] - W[1, 2]) / 2, (W[0, 2] - W[2, 0]) / 2, (W[1, 0] - W[0, 1]) / 2


def test_what_is_no_lagrangian_is_refused():
    x, q = Place("x"), Direction("q")
    T, a = x.rate.dot(x.rate), sp.Symbol("a")
    for function in (
        propositions.lagrange,
        propositions.legendre,
        propositions.energy,
        propositions.momentum,
    ):
        with pytest.raises(gc.DescriptionError, match="the Lagrangian"):
            function("x", [x])
        with pytest.raises(gc.InputError, match="unknown by"):
            function(T, [x], by="angle")
        with pytest.raises(gc.DescriptionError, match="factors must be"):
            function(T, [3])
    with pytest.raises(gc.DescriptionError, match="the Hamiltonian"):
        propositions.hamilton("x", [x])
    with pytest.raises(gc.DescriptionError, match="names of their own"):
        propositions.lagrange(T, [q, Direction("q")])
    with pytest.raises(gc.DescriptionError, match="no factor"):
        propositions.lagrange(T, [x], {"y": [0, 0, 0]})
    with pytest.raises(gc.DescriptionError, match="name of a factor"):
        propositions.power([[0, 0, 0]], [x])
    with pytest.raises(gc.DescriptionError, match="no number for a"):
        propositions.field(a * T, [x])
    with pytest.raises(gc.SingularMassError, match="not regular"):
        propositions.field(x.rate[0] ** 2, [x])(0.0, np.zeros(6))
