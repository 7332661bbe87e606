"""Mechanisms made by a user pass the conformance suite, and their steady motions are the classical ones."""

import inspect

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.systems import comparisons, user_mechanisms
from tests.systems.user_mechanisms import ALL

# The saddle matrix of the multiplier form has condition numbers up to 1e4 here.
TOLERANCE = 1e-10


@pytest.fixture(scope="module")
def systems():
    kept = {}

    def build(name, frame):
        if (name, frame) not in kept:
            mechanism = ALL[name]()
            kept[name, frame] = (
                mechanism if frame == "own" else mechanism.replace(frame=None, symmetry=None)
            ).reduce()
        return kept[name, frame]

    return build


FRAMES = [(n, "own") for n in ALL] + [(n, "made") for n in ALL if "frame=" in inspect.getsource(ALL[n])]
every = pytest.mark.parametrize(("name", "frame"), FRAMES)


@pytest.mark.parametrize("name", ALL)
def test_descriptions_are_short(name):
    body = inspect.getsource(ALL[name]).split('"""')[-1].strip().splitlines()
    # Formatting puts one argument on each line; the statements are what a user writes.
    assert len(body) <= 30


@every
def test_reduced_motion_is_the_multiplier_form(systems, name, frame):
    assert comparisons.multiplier_form(systems(name, frame)) < TOLERANCE


@pytest.mark.parametrize("name", ["suslov", "ball", "body_in_orbit", "double_planar_pendulum", "ellipsoid"])
def test_multiplier_form_is_lagrange_in_coordinates(systems, name):
    assert comparisons.coordinates(systems(name, "own")) < TOLERANCE


@every
def test_energy_rate_is_input_power(systems, name, frame):
    assert comparisons.power_balance(systems(name, frame)) < TOLERANCE


@every
def test_jacobians_and_leaf(systems, name, frame):
    assert comparisons.jacobians(systems(name, frame)) < TOLERANCE
    assert comparisons.leaf_rates(systems(name, frame)) < TOLERANCE


@pytest.mark.parametrize("name", [n for n, f in FRAMES if f == "made"])
def test_own_frame_and_made_frame_give_one_motion(systems, name):
    own, made = systems(name, "own"), systems(name, "made")
    rng = np.random.default_rng(4)
    for _ in range(3):
        x = own.random_state(rng)
        gamma, start = own.advected(x), {}
        place = 0
        for vector in own.mechanism.advected:
            start[vector.name] = gamma[place : place + 3]
            place += 3
        y = made.project(own.velocity(x), start)
        rates = [
            np.concatenate(
                [comparisons.along(s.velocity, z, s.rhs(0, z)), comparisons.along(s.advected, z, s.rhs(0, z))]
            )
            for s, z in ((own, x), (made, y))
        ]
        assert comparisons.deviation(*rates) < TOLERANCE


# -- steady motions ---------------------------------------------------------------------------------

BODIES = {"disk": ("1/4", "1/2"), "hoop": ("1/2", "1")}


@pytest.fixture(scope="module", params=BODIES)
def rolling(request):
    A, C = BODIES[request.param]
    mechanism = user_mechanisms.disk(A, C).replace(frame=None)
    return (
        float(sp.Rational(A)),
        float(sp.Rational(C)),
        mechanism.reduce(),
        user_mechanisms.disk_with_spin(A, C).reduce(),
    )


def test_despun_motion_is_the_motion_seen_from_other_axes(rolling):
    *_, system, _ = rolling
    despun = system.despun()
    x = system.random_state(np.random.default_rng(8), scale=2.0)
    t = np.linspace(0.0, 0.4, 5)
    run = gc.simulate(system, t, x)
    seen = gc.simulate(despun, t, system.despun_state(x))
    turned = np.stack([system.despun_state(s) for s in run.states.T], axis=1)
    assert np.allclose(system.energy(run.states), despun.energy(seen.states), rtol=1e-11)
    # The gauge leaves a half turn free: compare up to the sign that the run keeps.
    assert (
        min(np.max(np.abs(turned - seen.states)), np.max(np.abs(np.abs(turned) - np.abs(seen.states)))) < 1e-9
    )


@pytest.mark.parametrize("factor", [1 - 1e-6, 1 + 1e-6])
def test_straight_rolling_changes_stability_at_the_classical_speed(rolling, factor):
    # v^2 > g a/3 for the disk and g a/4 for the hoop.
    A, _, system, _ = rolling
    p = system.params
    speed = np.sqrt(p["g"] * p["a"] * {0.25: 1 / 3, 0.5: 1 / 4}[A])
    rate = float(factor * speed / p["a"])
    point = gc.find_equilibrium(system.despun(), [0, 0, rate, 1, 0], fixed={"Omega3": rate, "Gamma3": 0.0})
    verdict = gc.certify(system.despun(), point).verdict
    assert verdict is (gc.Verdict.PROVED_STABLE if factor > 1 else gc.Verdict.PROVED_UNSTABLE)


@pytest.mark.parametrize("factor", [1 - 1e-6, 1 + 1e-6])
def test_spinning_about_the_vertical_changes_stability_at_the_classical_rate(rolling, factor):
    # W^2 a/g > 4/5 for the disk and 2/3 for the hoop: g/(a (1 + A)) in general.
    A, _, system, _ = rolling
    p = system.params
    rate = float(factor * np.sqrt(p["g"] / (p["a"] * (1 + A))))
    assert np.isclose(rate**2 * p["a"] / p["g"], {0.25: 4 / 5, 0.5: 2 / 3}[A], rtol=1e-5)
    point = gc.find_equilibrium(system.despun(), [0, rate, 0, 1, 0], fixed={"Omega2": rate, "Gamma2": 1.0})
    verdict = gc.certify(system.despun(), point).verdict
    assert verdict is (gc.Verdict.PROVED_STABLE if factor > 1 else gc.Verdict.PROVED_UNSTABLE)


@pytest.mark.parametrize(("lean", "precession"), [(0.2, 1.5), (-0.35, 2.2), (0.5, -0.9)])
def test_circular_motions_have_one_spectrum_in_both_descriptions(rolling, lean, precession):
    *_, system, apart = rolling
    despun = system.despun()
    # In the other description v2 turns the axes about Gamma: Omega = v1 E1 + v2 Gamma + v3 E3.
    cos = float(np.sqrt(1 - lean**2))
    other = gc.find_equilibrium(
        apart, [0, precession, 5, cos, lean], fixed={"v2": precession, "Gamma3": lean}
    )
    body = [0, precession * cos, precession * lean + other["v3"], cos, lean]
    here = gc.find_equilibrium(despun, body, fixed={"Omega2": body[1], "Gamma3": lean})
    assert abs(here["Omega3"] - body[2]) < 1e-9
    pairs = (despun, here), (apart, other)
    spectra = [np.sort(np.asarray(gc.linearize(s, e).eigenvalues, complex) ** 2) for s, e in pairs]
    assert np.max(np.abs(spectra[0] - spectra[1])) < 1e-8 * max(1.0, np.max(np.abs(spectra[0])))
    assert gc.certify(despun, here).verdict is gc.certify(apart, other).verdict


def test_energy_is_kept_beside_a_switch_at_which_the_description_is_singular(rolling):
    # A disk that lies flat touches in every point of its rim: |Gamma2| = 0 divides the energy there.
    assert "energy" in rolling[-1].conserved()


def test_a_broken_symmetry_is_named():
    mechanism = user_mechanisms.disk()
    m, a = (p.symbol for p in mechanism.parameters[:2])
    skewed = sp.Matrix(mechanism.inertia)
    skewed[0, 0] += m * a**2 / 50
    with pytest.raises(gc.DescriptionError, match="inertia changes"):
        mechanism.replace(inertia=skewed).reduce()
    tilted = mechanism.potential + m * mechanism.configuration_symbols[0]
    with pytest.raises(gc.DescriptionError, match="potential changes"):
        mechanism.replace(potential=tilted).reduce()
    with pytest.raises(gc.DescriptionError, match="symmetry"):
        user_mechanisms.suslov().reduce().despun()


@pytest.mark.parametrize(
    ("moments", "stable"), [((1.3, 1.9, 0.8), True), ((1.9, 1.3, 0.8), False), ((0.8, 1.3, 1.9), False)]
)
def test_orbiting_body_is_stable_with_the_long_axis_to_the_centre(moments, stable):
    system = user_mechanisms.body_in_orbit().reduce()
    params = dict(zip(("J1", "J2", "J3"), moments, strict=True))
    verdict = gc.certify(system, system.equilibrium("aligned", params=params)).verdict
    assert (verdict is gc.Verdict.PROVED_STABLE) is stable


def test_double_pendulum_has_the_textbook_frequencies():
    system = user_mechanisms.double_planar_pendulum().reduce()
    p = system.params
    M = np.array(
        [[(p["m1"] + p["m2"]) * p["l1"] ** 2, p["m2"] * p["l1"] * p["l2"]], [0, p["m2"] * p["l2"] ** 2]]
    )
    M[1, 0] = M[0, 1]
    K = p["g"] * np.diag([(p["m1"] + p["m2"]) * p["l1"], p["m2"] * p["l2"]])
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K))))
    lin = gc.linearize(system, system.equilibrium("hanging"))
    assert lin.A_leaf.shape == (4, 4)
    assert np.allclose(np.sort(lin.eigenvalues.imag)[2:], expected, rtol=1e-12)
    assert gc.certify(system, system.equilibrium("hanging")).verdict is gc.Verdict.PROVED_STABLE
