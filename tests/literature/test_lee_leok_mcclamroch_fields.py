"""Lee, Leok and McClamroch (Springer 2018), chapter 6: problems 6.11 and 6.12, bodies in fields."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature.attitude_by_hand import acceleration, linear_equations, same_spectrum, turn
from tests.literature.thresholds import assert_flips, verdict

E2, E3 = np.eye(3)[1:]


def system_of(name, **options):
    return gc.models.get(name)(**options).reduce()


# -- 6.11, a body in a field ------------------------------------------------------------------------

POINTS = [
    (0.7, (0.5, 0.25, -0.125)),
    (1.25, (-0.5, 0.5, 0.25)),
    (0.5, (0.75, -0.5, 0.5)),
    (1.0, (-0.1, -0.55, -0.475)),
]
CENTRE = sp.Matrix([sp.Rational(1, 2), -2, 3])


def newtonian(x):
    """Potential of a unit centre."""
    return -1 / sp.sqrt((x - CENTRE).dot(x - CENTRE))


def attraction(x):
    return (CENTRE - x) / sp.sqrt((x - CENTRE).dot(x - CENTRE)) ** 3


def moment_integral(field):
    """int rho x R^T G(R rho) dm over the points."""

    def moment(R, omega):
        return sum(m * np.cross(rho, R.T @ field(R @ np.array(rho))) for m, rho in POINTS)

    return moment


def attraction_by_hand(x):
    away = np.array(CENTRE, dtype=float).ravel() - x
    return away / np.sqrt(away @ away) ** 3


def swirl(x):
    """No gradient."""
    return sp.Matrix([-x[1] * x[2], x[0] + x[2] ** 2, x[0] * x[1]])


def test_potential_and_moment_integral_agree():
    inertia = sum(m * (np.dot(p, p) * np.eye(3) - np.outer(p, p)) for m, p in POINTS)
    systems = {
        "potential": system_of("body-in-field", potential=newtonian, points=POINTS),
        "field": system_of("body-in-field", field=attraction, points=POINTS),
        "swirl": system_of("body-in-field", field=swirl, points=POINTS),
    }
    by_hand = {
        "potential": moment_integral(attraction_by_hand),
        "field": moment_integral(attraction_by_hand),
        "swirl": moment_integral(lambda x: np.array([-x[1] * x[2], x[0] + x[2] ** 2, x[0] * x[1]])),
    }
    rng = np.random.default_rng(9)
    for _ in range(4):
        omega, R = rng.normal(size=3), turn(*rng.normal(size=3))
        x = np.concatenate([omega, *R])
        for name, system in systems.items():
            rate = acceleration(inertia, omega, by_hand[name](R, omega))
            assert system.rhs(0.0, x)[:3] == pytest.approx(rate, abs=1e-12), name
    # Only the potential's energy is conserved, and counted.
    assert "energy" in systems["potential"].conserved()
    assert "energy" not in systems["field"].conserved()


def test_a_uniform_field_has_no_moment_about_the_centre_of_mass():
    """(d): the free body's equations, in equilibrium in any attitude."""
    system = system_of("body-in-field", field=lambda x: [0, 0, sp.Rational(-981, 100)])
    P = np.array([system.params[f"m{i}"] * system.params[f"s{i}"] ** 2 for i in (1, 2, 3)])
    free = np.diag(P.sum() - P)
    rng = np.random.default_rng(0)
    for _ in range(3):
        omega, R = rng.normal(size=3), turn(*rng.normal(size=3))
        x = np.concatenate([omega, *R])
        assert system.rhs(0.0, x)[:3] == pytest.approx(acceleration(free, omega, 0), abs=1e-12)
        gc.linearize(system, np.concatenate([0 * omega, *R]))  # raises where it is no equilibrium


@pytest.fixture(scope="module")
def tidal():
    return system_of("body-in-field")


def seconds(p):
    return np.array([p[f"m{i}"] * p[f"s{i}"] ** 2 for i in (1, 2, 3)]), np.array(
        [p[f"T{i}"] for i in (1, 2, 3)]
    )


def test_aligned_in_a_linear_field(tidal):
    """Eigenvalues squared (T_i - T_j)(P_i - P_j)/(P_i + P_j), one pair for each axis."""
    P, T = seconds(tidal.params)
    squares = [(T[i] - T[j]) * (P[i] - P[j]) / (P[i] + P[j]) for i, j in ((0, 1), (1, 2), (2, 0))]
    lin = gc.linearize(tidal, tidal.equilibrium("aligned"))
    assert np.sort((lin.eigenvalues**2).real) == pytest.approx(np.sort(np.repeat(squares, 2)), rel=1e-12)
    assert lin.zero_modes == ()
    assert max(squares) < 0
    assert verdict(tidal, "aligned") == "PROVED_STABLE"


@pytest.mark.parametrize(
    ("symbol", "below", "above"), [("T1", "STABLE", "UNSTABLE"), ("T3", "STABLE", "UNSTABLE")]
)
def test_threshold_in_a_linear_field(tidal, symbol, below, above):
    """P3 > P1 > P2, so that T2 > T1 > T3 is stable and an exchange of neighbours is not."""
    critical = {"T1": tidal.params["T2"], "T3": tidal.params["T1"]}[symbol]
    assert_flips(tidal, "aligned", symbol, critical, f"PROVED_{below}", f"PROVED_{above}")


def test_the_further_integral_of_a_linear_field(tidal):
    brun = tidal.mechanism.invariants["Brun"]
    assert gc.check_invariant(tidal, "Brun").proved
    a1 = tidal.mechanism.advected[0].symbols[0]
    assert not gc.check_invariant(tidal, brun + a1**2).proved
    kinetic = sum(p**2 for p in tidal.mechanism.algebra.mu)
    assert not gc.check_invariant(tidal, 2 * kinetic - brun).proved


def test_one_kind_of_field_at_a_time():
    with pytest.raises(gc.ParameterError, match="not both"):
        gc.models.get("body-in-field")(potential=newtonian, field=attraction)


# -- 6.12, a charged body ---------------------------------------------------------------------------

CHARGES = [
    (0.4, (0.5, 0.2, -0.3)),
    (-0.7, (-0.1, 0.6, 0.2)),
    (0.9, (0.3, -0.4, 0.5)),
    (-0.3, (-0.6, 0.1, 0.7)),
]


def charge_parameters():
    dipole = sum(q * np.array(rho) for q, rho in CHARGES)
    tensor = sum(q * (np.dot(rho, rho) * np.eye(3) - np.outer(rho, rho)) for q, rho in CHARGES)
    params = {f"d{i + 1}": dipole[i] for i in range(3)}
    return params | {f"Q{i + 1}{j + 1}": tensor[i, j] for i in range(3) for j in range(i, 3)}


def charge_moment(E, B):
    """int rho x R^T (E + Rdot rho x B) dQ with Rdot = R hat(omega)."""

    def moment(R, omega):
        total = 0
        for q, rho in CHARGES:
            velocity = R @ np.cross(omega, rho)
            total = total + q * np.cross(rho, R.T @ (E + np.cross(velocity, B)))
        return total

    return moment


@pytest.mark.parametrize(("fields", "direction"), [("crossed", E2), ("parallel", E3)])
def test_charged_body_is_the_moment_integral(fields, direction):
    system = system_of("charged-body", fields=fields)
    params = charge_parameters()
    J, E, B = np.diag([system.params[f"J{i}"] for i in (1, 2, 3)]), system.params["E"], system.params["B"]
    moment = charge_moment(-E * E3, B * direction)
    rng = np.random.default_rng(5)
    for _ in range(4):
        omega, R = rng.normal(size=3), turn(*rng.normal(size=3))
        x = np.concatenate([omega, R.T @ E3, *([R.T @ E2] if fields == "crossed" else [])])
        rate = acceleration(J, omega, moment(R, omega))
        assert system.rhs(0.0, x, params=params)[:3] == pytest.approx(rate, abs=1e-13)
        # A magnetic field of the other sense is another motion.
        other = acceleration(J, omega, charge_moment(-E * E3, -B * direction)(R, omega))
        assert np.linalg.norm(rate - other) > 1e-2


@pytest.mark.parametrize(("family", "sign"), [("aligned", -1), ("opposed", 1)])
@pytest.mark.parametrize("t", [0.5, -1.3])
def test_equilibria_in_crossed_fields(family, sign, t):
    """(d): d x R^T e3 = 0, whatever the magnetic field; it gives the linear equations a gyroscopic term."""
    system = system_of("charged-body")
    params = charge_parameters()
    J, E, B = np.diag([system.params[f"J{i}"] for i in (1, 2, 3)]), system.params["E"], system.params["B"]
    eq = system.equilibrium(family, params=params, t=t)
    gamma, b = eq.x[3:6], eq.x[6:]
    d = np.array([params[f"d{i}"] for i in (1, 2, 3)])
    assert gamma == pytest.approx(sign * d / np.linalg.norm(d), abs=1e-15)
    R = np.array([np.cross(b, gamma), b, gamma])
    lin = gc.linearize(system, eq)
    assert same_spectrum(lin, linear_equations(J, charge_moment(-E * E3, B * E2), R))
    assert not same_spectrum(lin, linear_equations(J, charge_moment(-E * E3, 0 * E2), R))
    # Turns about the dipole: equilibria again, and with their rate a double zero, of which no function
    # disposes: the restricted Hessian of the energy is semidefinite.
    assert np.sum(np.abs(lin.eigenvalues) < 1e-6) == 2
    assert lin.zero_modes == ("family",)
    expected = "UNDECIDED" if family == "aligned" else "PROVED_UNSTABLE"  # |d| is a root
    assert verdict(system, family, params=params, t=t) == expected


def test_exact_members_prove_the_opposed_dipole_unstable():
    system = system_of("charged-body")
    assert verdict(system, "opposed", t=0.5) == "PROVED_UNSTABLE"
    assert verdict(system, "aligned", t=0.5) == "UNDECIDED"
    with pytest.raises(gc.ParameterError, match="did you mean 'parallel'"):
        gc.models.get("charged-body")(fields="paralel")


SYMMETRIC = {
    "J1": 0.5, "J2": 0.5, "J3": 0.25, "d1": 0.0, "d2": 0.0, "d3": 0.75, "E": 2.0,
    "Q11": 0.75, "Q22": 0.75, "Q33": 0.5, "Q12": 0.0, "Q13": 0.0, "Q23": 0.0,
}  # fmt: skip


def test_the_magnetic_field_holds_the_opposed_dipole_up():
    """Parallel fields, a symmetric body at rest: stable above (B q3)^2 = 4 J1 E d, q3 = tr(Q)/2 - Q33."""
    system = system_of("charged-body", fields="parallel")
    critical = np.sqrt(4 * 0.5 * 2.0 * 0.75) / 0.5
    assert_flips(
        system, "opposed", "B", critical, "PROVED_UNSTABLE", "PROVED_STABLE", params=SYMMETRIC, Omega0=0.0
    )
    for proved, params in ((True, SYMMETRIC), (False, {**SYMMETRIC, "Q13": 0.1})):
        assert gc.check_invariant(system, "Pi3", params=params).proved == proved
    # The vertical momentum includes half of B Q Gamma; that of the masses alone is not conserved.
    G, xi = (sp.Matrix(v) for v in (system.mechanism.configuration_symbols, system.mechanism.algebra.xi))
    vertical = sp.Matrix(system.mechanism.algebra.mu).dot(G)
    assert gc.check_invariant(system, vertical).proved
    assert not gc.check_invariant(system, G.dot(system.mechanism.inertia * xi)).proved


def test_spin_and_magnetic_field_together():
    """Stable above (J3 Omega0 - B q3)^2 = 4 J1 (E d - B Omega0 q1), q1 = tr(Q)/2 - Q11."""
    system = system_of("charged-body", fields="parallel")
    params = {**SYMMETRIC, "B": 1.5}
    q1, q3 = 0.25, 0.5
    # As a quadratic in Omega0, of which both roots are thresholds.
    roots = np.roots(
        [0.25**2, 4 * 0.5 * 1.5 * q1 - 2 * 0.25 * 1.5 * q3, (1.5 * q3) ** 2 - 4 * 0.5 * 2.0 * 0.75]
    )
    for critical in roots:
        assert_flips(system, "opposed", "Omega0", critical, "PROVED_UNSTABLE", "PROVED_STABLE", params=params)
    with pytest.raises(gc.EquilibriumError):  # an oblique dipole does not spin steadily
        system.equilibrium("opposed", Omega0=1.0)
