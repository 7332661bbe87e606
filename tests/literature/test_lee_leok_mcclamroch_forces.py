"""Lee, Leok and McClamroch (Springer 2018), chapter 6: problems 6.2, 6.10, 6.13, 6.14, moments and forces."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature.attitude_by_hand import acceleration, linear_equations, same_spectrum, turn
from tests.literature.thresholds import assert_flips, verdict

E3 = np.array([0.0, 0.0, 1.0])


def system_of(name, **options):
    return gc.models.get(name)(**options).reduce()


def moments(system):
    return np.diag([system.params[f"J{i}"] for i in (1, 2, 3)])


def vector(system, name):
    return np.array([system.params[f"{name}{i}"] for i in (1, 2, 3)])


# -- 6.2 and 6.14, a moment in body axes ------------------------------------------------------------


@pytest.fixture(scope="module")
def driven():
    return system_of("body-with-body-moment")


def test_external_moment(driven):
    """6.2: the moment's power is M . omega."""
    J, rng = moments(driven), np.random.default_rng(2)
    for _ in range(4):
        omega, M = rng.normal(size=3), rng.normal(size=3)
        rate = driven.rhs(0.0, omega, M)
        assert rate == pytest.approx(acceleration(J, omega, M), abs=1e-13)
        assert omega @ J @ rate == pytest.approx(M @ omega, abs=1e-13)


def coefficients(driven):
    J1, J2, J3 = np.diag(moments(driven))
    return (J2 - J3) / J1, (J3 - J1) / J2, (J1 - J2) / J3


@pytest.mark.parametrize("signs", [(1, 1, 1), (1, -1, -1)])
def test_steady_rotations_of_a_given_moment(driven, signs):
    """6.14: omega2 omega3 = M1/(J3 - J2) =: p1 and so on, whence omega1^2 = p2 p3/p1; two or none."""
    J, M = moments(driven), np.array([0.35, 0.2, 0.45]) * signs
    J1, J2, J3 = np.diag(J)
    products = M / [J3 - J2, J1 - J3, J2 - J1]
    assert np.prod(products) > 0  # else no constant rotation exists
    sizes = np.sqrt(np.prod(products)) / products
    for sign in (1, -1):
        W = sign * sizes
        eq = driven.equilibrium("steady", **{f"W{i + 1}": W[i] for i in range(3)})
        assert eq.u == pytest.approx(M, rel=1e-13)
        lin = gc.linearize(driven, eq)
        k1, k2, k3 = coefficients(driven)
        cubic = [
            1,
            0,
            -(k2 * k3 * W[0] ** 2 + k1 * k3 * W[1] ** 2 + k1 * k2 * W[2] ** 2),
            -2 * k1 * k2 * k3 * np.prod(W),
        ]
        assert np.poly(lin.A_leaf) == pytest.approx(cubic, abs=1e-13)
        assert np.poly(lin.eigenvalues) == pytest.approx(cubic, abs=1e-12)
        # The energy and |Pi|^2 are no integrals here, so that they force no zero eigenvalue.
        assert lin.zero_modes == ()
        # The sum of the eigenvalues is zero and their product is not: one has a positive real part.
        assert verdict(driven, "steady", **{f"W{i + 1}": W[i] for i in range(3)}) == "PROVED_UNSTABLE"
    impossible = M * [1, 1, -1]
    assert np.prod(impossible / [J3 - J2, J1 - J3, J2 - J1]) < 0


def test_moment_about_the_largest_axis(driven):
    """W3 = 0 with M along axis 3: eigenvalues 0 and +-sqrt(k3 (k2 W1^2 + k1 W2^2)).

    Axis 3 the largest: the sign changes at W1^2 : W2^2 = -k1 : k2. On the oscillating side there is no proof:
    the moment feeds energy, and equilibria W1 W2 = const make a curve through the point.
    """
    params = {"J1": 1.3, "J2": 1.7, "J3": 2.2}
    k1, k2, k3 = (1.7 - 2.2) / 1.3, (2.2 - 1.3) / 1.7, (1.3 - 1.7) / 2.2
    critical = 0.8 * np.sqrt(-k1 / k2)
    values = {"W2": 0.8, "W3": 0.0}
    assert_flips(driven, "steady", "W1", critical, "PROVED_UNSTABLE", "UNDECIDED", params=params, **values)
    for W1 in (0.7 * critical, 1.4 * critical):
        lin = gc.linearize(driven, driven.equilibrium("steady", params=params, W1=W1, **values))
        square = k3 * (k2 * W1**2 + k1 * 0.8**2)
        assert np.sort((lin.eigenvalues**2).real) == pytest.approx(np.sort([0, square, square]), abs=1e-14)
        assert lin.zero_modes == ("family",)


# -- 6.10, a force at a point -----------------------------------------------------------------------


@pytest.mark.parametrize("axes", ["space", "body"])
def test_force_at_a_point(axes):
    system = system_of("body-with-point-force", axes=axes)
    J, r = moments(system), vector(system, "r")
    rng = np.random.default_rng(12)
    for _ in range(4):
        omega, F, R = rng.normal(size=3), rng.normal(size=3), turn(*rng.normal(size=3))
        rows = {name: R[i] for i, name in enumerate("abc")} if axes == "space" else {}
        x = system.project(omega, rows)
        in_body = R.T @ F if axes == "space" else F
        rate = system.rhs(0.0, x, F)[:3]
        assert rate == pytest.approx(acceleration(J, omega, np.cross(r, in_body)), abs=1e-13)
        along = R @ r if axes == "space" else r
        assert system.rhs(0.0, x, F + 3.7 * along)[:3] == pytest.approx(rate, abs=1e-13)
        across = np.cross(along, [0.3, -1, 0.2])
        assert np.linalg.norm(system.rhs(0.0, x, F + across)[:3] - rate) > 1e-2


@pytest.mark.parametrize("axes", ["space", "body"])
def test_a_force_on_the_axis_of_symmetry_does_not_spin_up(axes):
    system = system_of("body-with-point-force", axes=axes)
    symmetric = {"J1": 1.3, "J2": 1.3, "r1": 0.0, "r2": 0.0}
    assert gc.check_invariant(system, "Pi3", params=symmetric, for_all_inputs=True).proved
    oblique = {**symmetric, "r1": 0.1}
    assert not gc.check_invariant(system, "Pi3", params=oblique, for_all_inputs=True).proved
    assert "Pi3" in system.dropped_invariants


def test_without_force_the_point_matters_not():
    system = system_of("body-with-point-force")
    lin = gc.linearize(system, system.equilibrium("still"))
    assert not np.any(lin.eigenvalues)
    # Double zeros: a little momentum turns the body away.
    assert lin.zero_modes == ("momentum1", "momentum2", "momentum3", "family", "family", "family")
    assert verdict(system, "still") == "PROVED_UNSTABLE"


# -- 6.13, a force and a moment constant in space ---------------------------------------------------


@pytest.fixture(scope="module")
def pulled():
    return system_of("body-with-spatial-force")


@pytest.mark.parametrize(("family", "sign"), [("pulled", 1), ("pushed", -1)])
def test_equilibria_under_a_constant_force(pulled, family, sign):
    """(b), (c): r x R^T F = 0, r along the force (stable) or against it."""
    J, r, f = moments(pulled), vector(pulled, "r"), pulled.params["f"]
    eq = pulled.equilibrium(family, Omega0=0.0)
    gamma = eq.x[3:]
    assert gamma == pytest.approx(sign * r / np.linalg.norm(r), abs=1e-15)
    R = np.array([np.cross(turn(0.3, 0.2, 0.1)[1], gamma)] * 3)  # rows: any two perpendicular to Gamma
    R[0] /= np.linalg.norm(R[0])
    R[1:] = np.cross(gamma, R[0]), gamma
    A = linear_equations(J, lambda Q, omega: np.cross(r, f * Q.T @ E3), R)
    lin = gc.linearize(pulled, eq)
    assert same_spectrum(lin, A)
    assert lin.zero_modes == ("Gamma1*Pi1 + Gamma2*Pi2 + Gamma3*Pi3",)
    assert verdict(pulled, family, Omega0=0.0) == ("PROVED_STABLE" if sign > 0 else "PROVED_UNSTABLE")


def test_a_pushed_body_stands_if_it_spins(pulled):
    """J1 = J2, r on axis 3: stable above J3^2 Omega0^2 = 4 J1 f r, as a sleeping top."""
    params = {"J1": 1.5, "J2": 1.5, "J3": 0.75, "f": 2.0, "r1": 0.0, "r2": 0.0, "r3": 0.5}
    critical = np.sqrt(4 * 1.5 * 2.0 * 0.5) / 0.75
    assert_flips(pulled, "pushed", "Omega0", critical, "PROVED_UNSTABLE", "PROVED_STABLE", params=params)
    for J1, proved in ((1.5, True), (1.6, False)):
        assert gc.check_invariant(pulled, "Pi3", params={**params, "J1": J1}).proved == proved
    lin = gc.linearize(pulled, pulled.equilibrium("pushed", params=params, Omega0=critical))
    # Both pairs meet at half the precession rate J3 Omega0/J1, less the spin of the axes.
    rate = abs(0.75 * critical / (2 * 1.5) - critical)
    # The square root of rounding: they are double.
    assert np.sort(np.abs(lin.eigenvalues)) == pytest.approx([0, *[rate] * 4], abs=1e-6)


def test_the_threshold_of_a_pushed_body_comes_out_in_symbols(pulled):
    """Numbers for all but the force: unstable below Omega0^2 = 4 J1 f r3/J3^2 = 16 f/3, and nothing above."""
    params = {"J1": 1.5, "J2": 1.5, "J3": 0.75, "r1": 0.0, "r2": 0.0, "r3": 0.5}
    conditions = gc.stability_conditions(pulled, "pushed", params=params)
    (Omega0,) = conditions.family_symbols
    f = next(p.symbol for p in pulled.mechanism.parameters if p.name == "f")
    assert set().union(*(r.free_symbols for r in conditions.unstable)) == {Omega0, f}
    for force in (sp.Rational(13, 5), sp.Rational(2, 5)):
        for k, unstable in ((-1, True), (1, False)):
            rate = sp.sqrt(sp.Rational(16, 3) * force * (1 + sp.Rational(k, 10**6)))
            met = [bool(r.subs({f: force, Omega0: rate})) for r in conditions.unstable]
            assert any(met) == unstable


def test_the_moment_of_a_constant_force_is_not_constant_in_space(pulled):
    """Erratum to (a): only the force is. In space the moment is R (r x R^T F) = (R r) x F."""
    r, f = vector(pulled, "r"), pulled.params["f"]
    x0 = pulled.project([0.4, -0.7, 0.9], {"Gamma": (0.48, 0.6, 0.64)})
    run = gc.simulate(pulled, np.linspace(0, 6, 61), x0)
    assert run.drift["energy"] < 1e-12
    R = run.attitude()
    force = np.einsum("tij,jt->ti", R, f * run.states[3:])
    assert force == pytest.approx(np.broadcast_to(f * E3, (61, 3)), abs=1e-10)
    moment = np.einsum("tij,jt->ti", R, np.cross(r, f * run.states[3:].T).T)
    assert np.all(np.ptp(moment, axis=0)[:2] > 0.5)
    assert moment[:, 2] == pytest.approx(np.zeros(61), abs=1e-10)  # none about the force's direction


@pytest.fixture(scope="module")
def wound():
    return system_of("body-with-spatial-moment")


def test_a_moment_constant_in_space(wound):
    """The equation that (a) describes: the spatial momentum grows as M t along the moment alone."""
    J, M = moments(wound), wound.params["M"]
    times = np.linspace(0, 5, 51)
    x0 = wound.project([0.3, -0.5, 0.2], {"Gamma": (0.48, 0.6, 0.64), "b": (0.8, 0, -0.6)})
    run = gc.simulate(wound, times, x0)
    momentum = np.einsum("tij,jk,kt->ti", run.attitude(), J, run.states[:3])
    expected = momentum[0] + np.outer(times, M * E3)
    assert momentum == pytest.approx(expected, abs=1e-10)
    assert {"momentum1", "momentum2"} <= set(run.drift)
    assert "energy" not in run.drift
    assert np.ptp(run.energy) > 0.5


def test_integrals_under_a_moment_constant_in_space(wound):
    Pi = sp.Matrix(wound.mechanism.algebra.mu)
    G, e1 = (sp.Matrix(v.symbols) for v in wound.mechanism.advected)
    assert gc.check_invariant(wound, "momentum1").proved
    assert gc.check_invariant(wound, "momentum2").proved
    assert not gc.check_invariant(wound, Pi.dot(G)).proved
    assert not gc.check_invariant(wound, Pi.dot(G.cross(e1)) + Pi.dot(e1) * G[0]).proved


def test_no_rotation_is_steady_under_a_moment_constant_in_space(wound):
    """Gamma at rest in the body needs omega along it, where omega x J omega has no component along it."""
    rng = np.random.default_rng(4)
    for _ in range(5):
        x = wound.random_state(rng)
        x[:3] = (x[:3] @ x[3:6]) * x[3:6]
        rate = wound.rhs(0.0, x)
        assert np.abs(rate[3:6]) == pytest.approx(np.zeros(3), abs=1e-14)
        # Along Gamma the moment is always M.
        assert x[3:6] @ moments(wound) @ rate[:3] == pytest.approx(wound.params["M"], rel=1e-12)
    with pytest.raises(gc.EquilibriumError, match="no equilibrium found"):
        gc.find_equilibrium(wound, wound.random_state(rng))
