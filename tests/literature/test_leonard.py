"""N. E. Leonard, Stability of a bottom-heavy underwater vehicle, Automatica 33 (1997).

Kirchhoff's equations for a neutrally buoyant ellipsoid, coincident and noncoincident centres. With the
momentum P fixed in space the vehicle turns in the potential P.M^-1 P/2 - m g l Gamma3: the thresholds compare
it along two axes. Body of revolution: the top that this potential makes (Lamb, Hydrodynamics, art. 128).
"""

import numpy as np
import pytest
from scipy.integrate import quad

import geoctrl as gc
from tests.literature.thresholds import assert_flips, verdict

ROUND = {"J1": 3.1, "J2": 3.1, "J3": 1.4, "M1": 25.0, "M2": 25.0, "M3": 17.0}


@pytest.fixture(scope="module")
def coincident():
    return gc.models.get("underwater-vehicle")(centres="coincident").reduce()


@pytest.fixture(scope="module")
def vehicle():
    return gc.models.get("underwater-vehicle")().reduce()


def by_hand(p):
    """Momentum equations (Pi, P, Gamma); velocities from the 6 x 6 inertia; and that inertia."""
    coupling = p.get("m", 0.0) * p.get("l", 0.0) * np.array([[0, -1, 0], [1, 0, 0], [0, 0, 0]])
    J, M = (np.diag([p[f"{name}{i}"] for i in (1, 2, 3)]) for name in "JM")
    inertia = np.block([[J, coupling], [coupling.T, M]])
    weight = p.get("m", 0.0) * p.get("g", 0.0) * p.get("l", 0.0)

    def field(z):
        Pi, P, Gamma = z[:3], z[3:6], z[6:]
        W, v = np.split(np.linalg.solve(inertia, z[:6]), 2)
        moment = np.cross(Pi, W) + np.cross(P, v) - weight * np.cross(Gamma, [0, 0, 1])
        return np.concatenate([moment, np.cross(P, W), np.cross(Gamma, W)])

    return field, inertia


def spectrum_by_hand(p, velocity, Gamma=(0, 0, 1)):
    """Eigenvalues of the momentum equations at a steady motion, by complex steps; |Gamma|^2 adds one zero."""
    field, inertia = by_hand(p)
    z = np.concatenate([inertia @ velocity, Gamma]).astype(complex)
    assert np.max(np.abs(field(z))) < 1e-12
    steps = 1e-30j * np.eye(9)
    return np.linalg.eigvals(np.stack([np.imag(field(z + h)) / 1e-30 for h in steps], axis=1))


def growth(eigenvalues):
    return np.max(np.real(eigenvalues))


def test_equations(vehicle, coincident):
    rng = np.random.default_rng(2)
    for system in (vehicle, coincident):
        field, inertia = by_hand(system.params)
        for _ in range(3):
            x = system.random_state(rng)
            Gamma = x[6:] if len(x) == 9 else np.zeros(3)
            zdot = field(np.concatenate([inertia @ x[:6], Gamma]))
            xdot = system.rhs(0.0, x)
            assert inertia @ xdot[:6] == pytest.approx(zdot[:6], abs=1e-11)
            assert xdot[6:] == pytest.approx(zdot[6 : len(x)], abs=1e-13)


def test_casimirs(vehicle, coincident):
    assert set(coincident.conserved()) == {"energy", "P1*Pi1 + P2*Pi2 + P3*Pi3", "P1**2 + P2**2 + P3**2"}
    assert set(vehicle.conserved()) == {
        "energy",
        "P1**2 + P2**2 + P3**2",
        "Gamma1*P1 + Gamma2*P2 + Gamma3*P3",
    }
    for system in (vehicle, coincident):
        for name in system.conserved():
            assert gc.check_invariant(system, name).proved, name
        # A body of revolution alone keeps Pi3, gravity does not keep Pi.P.
        assert system.dropped_invariants == ("Pi3",)
        assert gc.check_invariant(system, "Pi3", params=ROUND).proved
        assert not gc.check_invariant(system, "Pi3").proved
    Pi, P = vehicle.mechanism.algebra.mu[:3], vehicle.mechanism.algebra.mu[3:]
    assert not gc.check_invariant(vehicle, sum(a * b for a, b in zip(Pi, P, strict=True))).proved


# -- coincident centres -------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [1, 2, 3])
def test_translation_along_the_shortest_axis_only(coincident, axis):
    """Largest mass along the shortest axis: the only stable translation without spin."""
    expected = "PROVED_STABLE" if axis == 1 else "PROVED_UNSTABLE"
    assert verdict(coincident, f"along{axis}", Y0=0.7, Omega0=0) == expected
    lin = gc.linearize(coincident, coincident.equilibrium(f"along{axis}", Y0=0.7, Omega0=0))
    M = np.array([coincident.params[f"M{i}"] for i in (1, 2, 3)])
    J = np.array([coincident.params[f"J{i}"] for i in (1, 2, 3)])
    b, c = axis % 3, (axis + 1) % 3
    own = M[axis - 1]
    # Turning about b tilts the axis towards c, and the other way round.
    squares = [-((own * 0.7) ** 2) * (1 / M[i] - 1 / own) / J[j] for i, j in ((b, c), (c, b))]
    found = np.sort((np.asarray(lin.eigenvalues, complex)[2:] ** 2).real)
    assert found == pytest.approx(np.sort(np.repeat(squares, 2)), rel=1e-10)


def test_ellipsoids_and_their_shortest_axis(coincident):
    """Masses and moments from Green's integrals for semi-axes given, neutrally buoyant in water."""
    semi = np.array([0.35, 0.5, 0.8])
    alpha = [
        np.prod(semi) * quad(lambda s, a=a: 1 / ((a**2 + s) * np.sqrt(np.prod(semi**2 + s))), 0, np.inf)[0]
        for a in semi
    ]
    assert sum(alpha) == pytest.approx(2)
    m = 4 / 3 * np.pi * 1000 * np.prod(semi)
    params = {f"M{i + 1}": m * (1 + alpha[i] / (2 - alpha[i])) for i in range(3)}
    for i in range(3):
        b, c = semi[(i + 1) % 3] ** 2, semi[(i + 2) % 3] ** 2
        difference = alpha[(i + 2) % 3] - alpha[(i + 1) % 3]
        added = (b - c) ** 2 * difference / (2 * (b - c) + (b + c) * -difference) if b != c else 0.0
        params[f"J{i + 1}"] = m / 5 * (b + c + added)
    assert params["M1"] > params["M2"] > params["M3"]
    verdicts = [verdict(coincident, f"along{i}", params=params, Y0=1.2, Omega0=0) for i in (1, 2, 3)]
    assert verdicts == ["PROVED_STABLE", "PROVED_UNSTABLE", "PROVED_UNSTABLE"]


def test_spin_about_the_axis_of_greatest_moment(coincident):
    """Along the long axis: M_i (J3 - J_i) W^2 > M3 (M_i - M3) Y^2 for both other axes."""
    params = {"J1": 2.0, "J2": 1.5, "J3": 3.5}
    M = [coincident.params[f"M{i}"] for i in (1, 2, 3)]
    Y0 = 0.7
    critical = max(
        np.sqrt(M[2] * (M[i] - M[2]) / (M[i] * (3.5 - moment))) for i, moment in enumerate((2.0, 1.5))
    )
    assert_flips(
        coincident,
        "along3",
        "Omega0",
        critical * Y0,
        "PROVED_UNSTABLE",
        "PROVED_STABLE",
        params=params,
        Y0=Y0,
    )


def test_the_condition_in_symbols(coincident):
    found = gc.stability_conditions(coincident, "along3")
    J, M = ([p.symbol for p in coincident.mechanism.parameters[k : k + 3]] for k in (0, 3))
    Y0, Omega0 = found.family_symbols
    expected = {(M[2] * (M[2] - M[i]) * Y0**2 - M[i] * (J[i] - J[2]) * Omega0**2).expand() for i in (0, 1)}
    assert {(r.gts - r.lts).expand() for r in found.stable if hasattr(r, "gts")} == expected


def test_a_spinning_bullet(coincident):
    """Body of revolution along its axis: J3^2 W^2 > 4 J1 P^2 (1/M3 - 1/M1), however long it is."""
    Y0 = 0.7
    P = ROUND["M3"] * Y0
    critical = 2 * np.sqrt(ROUND["J1"] * P**2 * (1 / ROUND["M3"] - 1 / ROUND["M1"])) / ROUND["J3"]
    for sense in (1, -1):
        assert_flips(
            coincident,
            "along3",
            "Omega0",
            sense * critical,
            "PROVED_UNSTABLE",
            "PROVED_STABLE",
            params=ROUND,
            Y0=Y0,
        )
    lin = gc.linearize(coincident, coincident.equilibrium("along3", params=ROUND, Y0=Y0, Omega0=3 * critical))
    hand = spectrum_by_hand(ROUND, [0, 0, 3 * critical, 0, 0, Y0])
    # Besides zeros by hand a constant Gamma adds -+ i W, which no coincident centre sees.
    nonzero = np.sort(np.abs(lin.eigenvalues[np.abs(lin.eigenvalues) > 1e-6]))
    for value in nonzero:
        assert np.min(np.abs(np.abs(hand) - value)) < 1e-9
    assert len(nonzero) == 4


# -- noncoincident centres ----------------------------------------------------------------------------


def weight(p):
    return p["m"] * p["g"] * p["l"]


def test_level_translation_is_held_up_by_the_low_centre(vehicle):
    """Along axis 1, M3 > M1 > M2: pitch is stable while m g l > P^2 (1/M1 - 1/M3)."""
    params = {"M3": 31.0}
    p = vehicle.params | params
    critical = np.sqrt(weight(p) / (1 / p["M1"] - 1 / p["M3"])) / p["M1"]
    assert_flips(vehicle, "level1", "Y0", critical, "PROVED_STABLE", "PROVED_UNSTABLE", params=params)
    assert verdict(vehicle, "level2", params=params, Y0=0.01) == "PROVED_UNSTABLE"  # yaw, M2 < M1
    for factor in (0.9, 1.1):
        eq = vehicle.equilibrium("level1", params=params, Y0=float(factor * critical))
        lin = gc.linearize(vehicle, eq)
        hand = spectrum_by_hand(p, [0, 0, 0, factor * critical, 0, 0])
        assert growth(lin.eigenvalues) == pytest.approx(growth(hand), abs=1e-7)  # zeros are double
        assert lin.zero_modes[:2] == ("P1**2 + P2**2 + P3**2", "Gamma1*P1 + Gamma2*P2 + Gamma3*P3")


def test_a_top_heavy_vehicle_is_held_by_its_speed(vehicle):
    """Vertically along the axis of largest mass: m g |l| < P^2 (1/M_i - 1/M3). Level, it rolls over."""
    params = {"M3": 31.0}
    p = vehicle.params | params
    Y0 = 0.7
    critical = -((p["M3"] * Y0) ** 2) * (1 / max(p["M1"], p["M2"]) - 1 / p["M3"]) / (p["m"] * p["g"])
    assert_flips(
        vehicle, "vertical", "l", critical, "PROVED_STABLE", "PROVED_UNSTABLE", params=params, Y0=Y0, Omega0=0
    )
    assert verdict(vehicle, "level1", params={"l": critical / 2}, Y0=5 * Y0) == "PROVED_UNSTABLE"


def test_sinking_along_the_long_axis(vehicle):
    """Momentum along gravity, without spin: m g l > P^2 (1/M3 - 1/M_i); gradients are dependent."""
    p = vehicle.params
    greatest = max(p["M1"], p["M2"])
    critical = np.sqrt(weight(p) / (1 / p["M3"] - 1 / greatest)) / p["M3"]
    for sense in (1, -1):
        assert_flips(
            vehicle, "vertical", "Y0", sense * critical, "PROVED_STABLE", "PROVED_UNSTABLE", Omega0=0
        )
    eq = vehicle.equilibrium("vertical", Y0=0.5, Omega0=0)
    assert "dependent gradients" in gc.certify(vehicle, eq).reason
    # P and Gamma are parallel: the directions of both, and the spin, are a family.
    assert gc.linearize(vehicle, eq).zero_modes == ("P1**2 + P2**2 + P3**2", *["family"] * 3)


def test_spinning_down_along_the_long_axis(vehicle):
    """J3^2 W^2 > 4 (J1 - (m l)^2/M1) (P^2 (1/M3 - 1/M1) - m g l): the moment where masses do not couple.

    Momentum and gravity are parallel, no generic value of the Casimirs. Pi.P and Pi.Gamma are kept there
    only, so that no combination of what is kept everywhere is definite: the spectrum alone speaks.
    """
    p = vehicle.params | ROUND
    Y0 = 2.5
    load = (p["M3"] * Y0) ** 2 * (1 / p["M3"] - 1 / p["M1"]) - weight(p)
    assert load > 0
    moment = p["J1"] - (p["m"] * p["l"]) ** 2 / p["M1"]
    critical = 2 * np.sqrt(moment * load) / p["J3"]
    assert_flips(
        vehicle,
        "vertical",
        "Omega0",
        critical,
        "PROVED_UNSTABLE",
        "SPECTRALLY_STABLE_ONLY",
        params=ROUND,
        Y0=Y0,
    )
    for factor, stable in ((0.99, False), (1.01, True)):
        hand = spectrum_by_hand(p, [0, 0, factor * critical, 0, 0, Y0])
        assert bool(growth(hand) < 1e-6) is stable  # double zeros cost half the digits
    naive = 2 * np.sqrt(p["J1"] * load) / p["J3"]
    assert naive > critical * (1 + 1e-4)
    assert verdict(vehicle, "vertical", params=ROUND, Y0=Y0, Omega0=naive) == "SPECTRALLY_STABLE_ONLY"


@pytest.mark.parametrize("centres", ["coincidnet", "", None])
def test_other_centres_are_refused(centres):
    with pytest.raises(gc.ParameterError, match="centres"):
        gc.models.get("underwater-vehicle")(centres=centres)
