"""Periodic orbits against elliptic integrals, nutation in closed form, Liouville's formula, and runs."""

import numpy as np
import pytest
import sympy as sp
from scipy.special import ellipk

import geoctrl as gc

pytestmark = pytest.mark.filterwarnings("ignore::geoctrl.errors.InertiaWarning")


def test_a_free_body_turns_with_the_period_of_an_elliptic_function():
    """4 K(k^2)/p of Euler's equations about the largest moment; Landau and Lifshitz, Mechanics, 37."""
    body = gc.models.get("free-rigid-body")().reduce()
    A, B, C = moments = np.array([1.2, 2.1, 2.9])
    start = np.array([0.2, 0.0, 1.0])
    E2, L2 = np.sum(moments * start**2), np.sum((moments * start) ** 2)
    p = np.sqrt((C - B) * (L2 - E2 * A) / (A * B * C))
    k2 = (B - A) * (E2 * C - L2) / ((C - B) * (L2 - E2 * A))
    period = 4 * ellipk(k2) / p
    for segments in (1, 3):
        orbit = gc.find_periodic(body, start, 0.9 * period, segments=segments)
        assert orbit.period == pytest.approx(period, rel=1e-12)
        assert len(orbit.others) == 0
        assert orbit.neutral[-1] == "time"


TOP = {"I1": 0.8, "I2": 0.8, "I3": 0.5, "m": 1.3, "l": 0.6, "g": 9.81}


def precession(tilt, rate):
    """State and period, in the body, of a steady precession, and its frequency of nutation.

    I1 w^2 cos(th) - I3 n w + m g l = 0; the frequency is that of the effective potential in the tilt.
    """
    I1, I3, mgl = TOP["I1"], TOP["I3"], TOP["m"] * TOP["g"] * TOP["l"]
    n = (I1 * rate**2 * np.cos(tilt) + mgl) / (I3 * rate)
    gamma = np.array([np.sin(tilt), 0, np.cos(tilt)])
    omega = rate * gamma + np.array([0, 0, n - rate * np.cos(tilt)])
    th = sp.Symbol("th")
    p_psi, p_phi = I3 * n, I1 * rate * np.sin(tilt) ** 2 + I3 * n * np.cos(tilt)
    V = (p_phi - p_psi * sp.cos(th)) ** 2 / (2 * I1 * sp.sin(th) ** 2) + mgl * sp.cos(th)
    nutation = np.sqrt(float(sp.diff(V, th, 2).subs(th, tilt)) / I1)
    return np.concatenate([omega, gamma]), 2 * np.pi / abs(n - rate * np.cos(tilt)), nutation


@pytest.mark.parametrize("segments", [1, 2, 5])
@pytest.mark.parametrize(("tilt", "rate"), [(0.7, 2.5), (1.9, -1.3)])
def test_multipliers_of_a_precession_are_those_of_its_nutation(tilt, rate, segments):
    top = gc.models.get("heavy-top")().reduce()
    x, period, nutation = precession(tilt, rate)
    orbit = gc.find_periodic(top, x, 1.05 * period, params=TOP, segments=segments)
    assert orbit.period == pytest.approx(period, rel=1e-11)
    expected = np.exp(1j * nutation * period)
    np.testing.assert_allclose(
        sorted(orbit.others, key=np.imag), sorted([expected, expected.conj()], key=np.imag), atol=1e-10
    )
    # The energy is a function of the momenta to first order, as at every relative equilibrium.
    assert orbit.neutral == ("Pi3", "Gamma1*Pi1 + Gamma2*Pi2 + Gamma3*Pi3", "time")
    assert orbit.unexplained == 0
    assert orbit.verdict is gc.Verdict.SPECTRALLY_STABLE_ONLY


@pytest.fixture(scope="module")
def disk():
    return gc.models.get("rolling-disk")().reduce().despun()


@pytest.mark.parametrize("push", [0.05, 0.3])
def test_the_wobble_of_a_disk_has_four_named_neutral_multipliers(disk, push):
    start = disk.equilibrium("circling", omega=3.0, t=0.7).x
    start[0] += push
    found = [gc.find_periodic(disk, start, 3.5, segments=m) for m in (1, 2, 7)]
    for orbit in found:
        assert orbit.neutral == ("integral of Omega2", "integral of Omega3", "energy", "time")
        np.testing.assert_array_equal(orbit.multipliers, np.ones(4))
        np.testing.assert_allclose(orbit.x, found[0].x, atol=1e-10)
        assert orbit.period == pytest.approx(found[0].period, rel=1e-11)
        np.testing.assert_allclose(orbit.monodromy, found[0].monodromy, atol=1e-9)
    # The run says when the tilt is back with the same sense.
    back = gc.Event(disk.states[4] - float(start[4]), direction=-1)
    run = gc.simulate(disk, np.linspace(0, 5, 6), start, events={"back": back})
    assert np.min(np.abs(run.events["back"].time - found[0].period)) < 1e-9


@pytest.fixture(scope="module")
def lagrange():
    gamma = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    return gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[gamma],
        inertia=sp.diag(sp.Rational(4, 5), sp.Rational(4, 5), sp.Rational(1, 2)),
        potential=sp.Rational(38, 5) * gamma.symbols[2],
        symmetry=gc.Axis((0, 0, 1)),
        name="lagrange",
    ).reduce()


def test_nutation_closes_up_to_a_turn_about_the_axis(lagrange):
    start = np.array([0.4, 2.0, 9.0, np.sin(0.7), 0.0, np.cos(0.7)])
    orbits = [gc.find_periodic(lagrange, start, 1.2, symmetry="axis", segments=m) for m in (1, 4)]
    seen = gc.find_periodic(lagrange.despun(), lagrange.despun_state(start), 1.2)
    for orbit in orbits:
        assert orbit.neutral[-2:] == ("time", "turn")
        assert len(orbit.others) == 0
        assert orbit.period == pytest.approx(seen.period, rel=1e-11)
        assert orbit.angle == pytest.approx(orbits[0].angle, abs=1e-10)
        end = gc.simulate(lagrange, [0.0, orbit.period], orbit.x).states[:, -1]
        np.testing.assert_allclose(end, orbit.S @ orbit.x, atol=1e-10)
        # The axis is the third: components along it are as before.
        np.testing.assert_allclose(end[[2, 5]], orbit.x[[2, 5]], atol=1e-10)


def oscillator(force, potential=0):
    q = gc.Coordinate("q")
    return gc.EulerPoincare(
        algebra=None, shape=[q], inertia=sp.eye(1), potential=potential, forces=[force(q.symbol, q.rate)]
    ).reduce()


@pytest.mark.parametrize("sense", [1, -1])
def test_the_multiplier_of_a_limit_cycle_is_that_of_the_divergence(sense):
    """exp of the integral of sense mu (1 - q^2) along van der Pol's cycle (Liouville)."""
    mu = sp.Rational(4, 5)
    system = oscillator(lambda q, v: sense * mu * (1 - q**2) * v - q)
    q = system.state_labels.index("q")
    start = np.zeros(2)
    start[q] = 2.0
    orbit = gc.find_periodic(system, start, 6.5, segments=3)
    times = np.linspace(0, orbit.period, 4001)
    run = gc.simulate(system, times, orbit.x)
    weights = np.full(4001, 2.0)
    weights[1::2], weights[[0, -1]] = 4.0, 1.0
    integral = np.sum(weights * sense * 0.8 * (1 - run.states[q] ** 2)) * orbit.period / 4000 / 3
    np.testing.assert_allclose(orbit.others, [np.exp(integral)], rtol=1e-9)
    stable = gc.Verdict.NUMERICALLY_STABLE, gc.Verdict.NUMERICALLY_UNSTABLE
    assert orbit.verdict is stable[sense < 0]
    assert orbit.neutral == ("time",)


def test_half_a_swing_closes_up_to_the_reflection():
    q = sp.Symbol("q", real=True)
    system = oscillator(lambda q, v: 0, potential=q**2 / 2 + q**4 / 4)
    start = np.zeros(2)
    start[system.state_labels.index("q")] = 1.1
    whole = gc.find_periodic(system, start, 4.5)
    half = gc.find_periodic(system, start, 2.2, symmetry=-np.eye(2))
    assert 2 * half.period == pytest.approx(whole.period, rel=1e-11)
    np.testing.assert_allclose(half.monodromy @ half.monodromy, whole.monodromy, atol=1e-9)


def test_an_orbit_is_run_again_and_printed(disk):
    start = disk.equilibrium("circling", omega=3.0, t=0.7).x
    start[0] += 0.07
    orbit = gc.find_periodic(disk, start, 3.5)
    run = orbit.trajectory(11)
    np.testing.assert_allclose(run.states[:, -1], orbit.x, atol=1e-10)
    assert "neutral: integral of Omega2" in repr(orbit)


BAD = {
    "rests": (lambda s, x: gc.find_periodic(s, s.equilibrium("spinning", Omega0=1.0), 1.0), "rests"),
    "period": (lambda s, x: gc.find_periodic(s, x, -1.0), "period must be positive"),
    "symmetry": (lambda s, x: gc.find_periodic(s, x, 3.5, symmetry=2 * np.eye(5)), "not the same"),
    "shape": (lambda s, x: gc.find_periodic(s, x, 3.5, symmetry=np.eye(4)), "symmetry"),
    "word": (lambda s, x: gc.find_periodic(s, x, 3.5, symmetry="body"), "axis"),
    "segments": (lambda s, x: gc.find_periodic(s, x, 3.5, segments=0), "segments"),
    "none near": (lambda s, x: gc.find_periodic(s, x, 0.3), "no periodic orbit"),
}


@pytest.mark.parametrize(("ask", "words"), BAD.values(), ids=BAD)
def test_what_cannot_be_asked_is_refused_in_words(disk, ask, words):
    start = disk.equilibrium("circling", omega=3.0, t=0.7).x
    start[0] += 0.1
    with pytest.raises(gc.GeoctrlError, match=words):
        ask(disk, start)


def test_beyond_the_separatrix_the_disk_swings_further(disk):
    """The period grows without end at a push of about 0.1, and is shorter again beyond."""
    start = disk.equilibrium("circling", omega=3.0, t=0.7).x
    periods = []
    for push, guess in ((0.05, 3.3), (0.12, 6.0), (0.3, 4.0)):
        start[0] = push
        periods.append(gc.find_periodic(disk, start, guess).period)
    np.testing.assert_allclose(periods, [3.39980531616, 6.42751188, 3.97125402942], rtol=1e-8)


def test_only_recorded_systems_that_do_not_hold_the_time_are_asked():
    with pytest.raises(TypeError, match="reduced system"):
        chain = gc.models.get("chain-pendulum")()
        gc.find_periodic(chain, chain.equilibrium("hanging"), 1.0)
    forced = oscillator(lambda q, v: -q + sp.cos(gc.time))
    with pytest.raises(gc.InputError, match="time"):
        gc.find_periodic(forced, [0.0, 1.0], 6.0)
