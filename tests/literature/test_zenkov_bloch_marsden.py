"""D. V. Zenkov, A. M. Bloch and J. E. Marsden (1999), with N. E. Leonard (2000): the unicycle with a rotor.

With ``S = m R + mu h`` and ``I1 = m R^2 + mu h^2 + A + K1`` small motions about upright rolling have
``I1 theta'' = g S theta + (S V + B V/R) omega - u`` and ``(A + K3) omega = -(B V/R) theta``.
"""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature.thresholds import assert_flips, verdict
from tests.oracles.positions import Positions, body_rate, rotation, t


@pytest.fixture(scope="module")
def mechanism():
    return gc.models.get("unicycle-with-rotor")()


@pytest.fixture(scope="module")
def matching(mechanism):
    return gc.match(mechanism)


def by_hand(mechanism, torque):
    """Attitudes and places in space, and the material point of the disk at the contact at rest."""
    m, mu, R, h, A, B, K1, K2, K3, J, g = (p.symbol for p in mechanism.parameters)
    u = sp.Symbol("u", real=True)
    X, Y, heading, psi, theta, chi = q = [sp.Function(n)(t) for n in ("X", "Y", "al", "ps", "th", "ch")]
    frame = rotation(2, heading) * rotation(0, theta)
    rolled, spun = frame * rotation(1, psi), frame * rotation(0, chi)
    contact, up = sp.Matrix([X, Y, 0]), frame[:, 2]
    disk, rider = contact + R * up, contact + h * up

    def half(mass, place):
        return mass * place.diff(t).dot(place.diff(t)) / 2

    w, v, s = body_rate(frame), body_rate(rolled), body_rate(spun)
    kinetic = half(m, disk) + half(mu, rider)
    kinetic += (A * (v[0] ** 2 + v[2] ** 2) + B * v[1] ** 2) / 2
    kinetic += (K1 * w[0] ** 2 + K2 * w[1] ** 2 + K3 * w[2] ** 2 + J * s[0] ** 2) / 2
    touching = disk.diff(t) + (rolled * v).cross(-R * up)
    values = {p.symbol: p.default for p in mechanism.parameters} | {u: torque}
    potential = g * (m * disk[2] + mu * rider[2])
    return Positions(q, kinetic, potential, values, [0, 0, 0, 0, 0, u], touching[:2])


def test_it_moves_as_a_disk_that_does_not_slip(mechanism):
    system = mechanism.reduce()
    R = mechanism.defaults["R"]
    rng = np.random.default_rng(9)
    for _ in range(3):
        x, torque = system.random_state(rng), rng.normal()
        omega, speed, lean, spin, theta = x
        al = rng.uniform(-3, 3)
        v = [speed * np.cos(al), speed * np.sin(al), omega, speed / R, lean, spin]
        a = by_hand(mechanism, torque).accelerations([0.2, -0.4, al, 0.6, theta, 1.1], v)
        expected = [a[2], R * a[3], a[4], a[5], lean]
        size = np.max(np.abs(expected))
        assert system.rhs(0, x, [torque]) == pytest.approx(expected, rel=0, abs=1e-12 * size)


def derived(p):
    """I1, and the speed from which the upright disk is stable without control."""
    S = p["m"] * p["R"] + p["mu"] * p["h"]
    critical = np.sqrt((p["A"] + p["K3"]) * S * p["g"] * p["R"] ** 2 / (p["B"] * (p["B"] + p["R"] * S)))
    return p["m"] * p["R"] ** 2 + p["mu"] * p["h"] ** 2 + p["A"] + p["K1"], critical


def test_without_control_it_falls_below_a_speed(mechanism):
    system = mechanism.reduce()
    _, critical = derived(system.params)
    assert verdict(system, "upright", V0=critical * (1 - 1e-6)) == "PROVED_UNSTABLE"
    lin = gc.linearize(system, system.equilibrium("upright", V0=critical * (1 + 1e-6)))
    assert np.max(lin.eigenvalues.real) < 1e-6


@pytest.mark.parametrize("fast", [False, True])
def test_the_rotor_stabilises_inside_an_interval_of_sigma(matching, mechanism, fast):
    """Slow: -J^2/I1 < sigma < 0; above the critical speed that interval is where stability is lost."""
    inertia, critical = derived(mechanism.defaults)
    bound, speed = -(mechanism.defaults["J"] ** 2) / inertia, critical * (1.5 if fast else 0.5)
    for sigma, inside in ((bound * (1 + 1e-6), False), (bound * (1 - 1e-6), True), (-bound * 1e-3, False)):
        loop = matching.law(sigma=float(sigma)).closed_loop()
        expected = "PROVED_STABLE" if inside != fast else "PROVED_UNSTABLE"
        assert verdict(loop, "upright", V0=speed) == expected, sigma


def test_the_controlled_unicycle_changes_at_the_critical_speed(matching, mechanism):
    inertia, critical = derived(mechanism.defaults)
    loop = matching.law(sigma=-(mechanism.defaults["J"] ** 2) / inertia / 2).closed_loop()
    assert_flips(loop, "upright", "V0", critical, "PROVED_STABLE", "PROVED_UNSTABLE")


@pytest.mark.parametrize("fast", [False, True])
def test_by_kappa_the_rotor_keeps_its_rate_and_its_momentum_proves_it(mechanism, fast):
    """kappa > I1/J below the critical speed; chi_dot + (1 + kappa) theta_dot is kept."""
    inertia, critical = derived(mechanism.defaults)
    matching = gc.match(mechanism, shaping="kinetic")
    loop = matching.law(kappa=matching.gains["kappa"]).loop
    bound, speed = inertia / mechanism.defaults["J"], critical * (1.5 if fast else 0.5)
    for factor, held in ((1 - 1e-6, fast), (1 + 1e-6, not fast)):
        params = {"kappa": bound * factor}
        certificate = gc.certify(loop, loop.equilibrium("upright", params, V0=speed), params)
        assert certificate.verdict.name == ("PROVED_STABLE" if held else "PROVED_UNSTABLE"), factor


def test_integrals_over_the_lean_are_checked_alone(matching, mechanism, tmp_path):
    inertia, critical = derived(mechanism.defaults)
    loop = matching.law(sigma=-(mechanism.defaults["J"] ** 2) / inertia / 2).closed_loop()
    certificate = gc.certify(loop, loop.equilibrium("upright", V0=critical / 2))
    assert "integral of Omega" in str(certificate)
    certificate.to_json(tmp_path / "unicycle.json")
    assert gc.verify(tmp_path / "unicycle.json").verdict.name == "PROVED_STABLE"
