"""Orbits in balls against elliptic integrals, exponentials, a nutation, and what is no orbit."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import acb, arb, arb_mat, ctx

import geoctrl as gc
from geoctrl.analysis.question.shape_integrals import shape_of
from geoctrl.orbits import Enclosed
from geoctrl.orbits.enclosures.enclosure import _Closing
from geoctrl.orbits.enclosures.expressions_in_balls import Given
from geoctrl.orbits.enclosures.orbit_levels import Levels
from geoctrl.orbits.enclosures.validated import Error
from geoctrl.orbits.enclosures.volume import canonical

pytestmark = pytest.mark.filterwarnings("ignore::geoctrl.errors.InertiaWarning")


def oscillator(potential=0, force=0, coordinates=("q",), **build):
    shape = [gc.Coordinate(name) for name in coordinates]
    symbols, rates = [c.symbol for c in shape], [c.rate for c in shape]
    build |= {"potential": potential(*symbols)} if potential else {}
    if force:
        build["forces"] = [force(symbols[0], rates[0])]
    return gc.EulerPoincare(algebra=None, shape=shape, inertia=sp.eye(len(shape)), **build).reduce()


def start(system, **values):
    return np.array([values.get(label, 0.0) for label in system.state_labels])


@pytest.fixture(scope="module")
def pendulum():
    system = oscillator(lambda q: -sp.Rational(981, 100) * sp.cos(q))
    return gc.find_periodic(system, start(system, q=1.1), 2.2)


@pytest.fixture(scope="module")
def swing(pendulum):
    return pendulum.enclose(bits=160)


def test_the_period_of_a_pendulum_is_the_elliptic_integral(pendulum, swing):
    """4 K(k)/w with k^2 = (E/w^2 + 1)/2 of the level on which the orbit is."""
    with mpmath.workdps(60):
        values = dict(zip(pendulum.system.state_labels, map(mpmath.mpf, pendulum.x), strict=True))
        w2 = mpmath.mpf(981) / 100
        m = (values["q_dot"] ** 2 / 2 / w2 - mpmath.cos(values["q"]) + 1) / 2
        exact = str(4 * mpmath.ellipk(m) / mpmath.sqrt(w2))
    with ctx.workprec(256):
        assert swing.period.contains(arb(exact)) or swing.period.overlaps(arb(exact))
        assert abs(swing.period - arb(exact)) < 1e-25
    assert float(swing.period.rad()) < 1e-25
    assert swing.multipliers == ()
    assert swing.verdict is gc.Verdict.PROVED_STABLE
    assert pendulum.verdict is gc.Verdict.NUMERICALLY_STABLE


def test_the_state_is_in_its_box_and_the_derivative_about_that_in_floats(pendulum, swing):
    for ball, value in zip(swing.x, pendulum.x, strict=True):
        assert abs(ball - value) < 1e-12
    found = np.array([float(v.mid()) for v in swing.monodromy.entries()]).reshape(2, 2)
    np.testing.assert_allclose(found, pendulum.monodromy, atol=1e-9)
    with ctx.workprec(256):
        assert swing.monodromy.det().overlaps(arb(1))


@pytest.mark.long(reason="orbits of several numbers of segments are enclosed beside it")
@pytest.mark.parametrize("segments", [1, 3])
def test_segments_do_not_matter(pendulum, swing, segments):
    other = gc.find_periodic(pendulum.system, pendulum.x, 2.2, segments=segments).enclose(bits=80)
    assert abs(other.period - swing.period) < 1e-12
    assert other.verdict is swing.verdict


@pytest.mark.long(reason="cycles in files have their verdicts and multipliers, these by series of their own")
@pytest.mark.parametrize("sense", [1, -1])
def test_a_limit_cycle_is_proved_to_attract_or_repel(sense):
    system = oscillator(force=lambda q, v: sense * sp.Rational(4, 5) * (1 - q**2) * v - q)
    orbit = gc.find_periodic(system, start(system, q=2.0), 6.5, segments=3)
    found = orbit.enclose(bits=128)
    expected = gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE, gc.Verdict.PROVED_UNSTABLE
    assert found.verdict is expected[sense < 0]
    (multiplier,) = found.multipliers
    assert abs(multiplier - acb(orbit.others[0])) < 1e-8 * max(1, abs(orbit.others[0]))
    assert multiplier.real.rad() < 1e-7
    with ctx.workprec(128):  # Liouville: the other one is one
        assert found.monodromy.det().overlaps(multiplier.real)


@pytest.mark.parametrize("sign", [-1, 1])
def test_multipliers_across_a_mode_are_exponentials_of_the_period(sign):
    """q1 swings in a quartic, r'' = -sign r: exp(+-T), exp(+-i T)."""
    system = oscillator(lambda q, r: q**2 / 2 + q**4 / 4 + sp.Rational(sign, 2) * r**2, coordinates="qr")
    orbit = gc.find_periodic(system, start(system, q=1.1), 4.5)
    found = orbit.enclose(bits=112)
    with ctx.workprec(112):
        T = acb(found.period)
        expected = [(root * T).exp() for root in ((1, -1) if sign < 0 else (acb(0, 1), acb(0, -1)))]
        for value in expected:
            assert sum(z.overlaps(value) for z in found.multipliers) == 1
    assert max(z.real.rad() for z in found.multipliers) < 1e-7
    assert found.neutral == ("energy", "time")
    unstable, circle = gc.Verdict.PROVED_UNSTABLE, gc.Verdict.SPECTRALLY_STABLE_ONLY
    assert found.verdict is (unstable if sign < 0 else circle)


@pytest.mark.long(
    reason="multipliers across a mode and of two pendula are on the circle; a top is enclosed below"
)
def test_multipliers_of_a_precession_are_proved_on_the_circle():
    top = gc.models.get("heavy-top")().reduce()
    I1, I3, mgl, rate, tilt = 0.8, 0.5, 1.3 * 9.81 * 0.6, 2.5, 0.7
    n = (I1 * rate**2 * np.cos(tilt) + mgl) / (I3 * rate)
    gamma = np.array([np.sin(tilt), 0, np.cos(tilt)])
    x = np.concatenate([rate * gamma + [0, 0, n - rate * np.cos(tilt)], gamma])
    params = {"I1": I1, "I2": I1, "I3": I3, "m": 1.3, "l": 0.6, "g": 9.81}
    period = 2 * np.pi / (n - rate * np.cos(tilt))
    found = gc.find_periodic(top, x, 1.01 * period, params=params).enclose(bits=136)
    assert abs(found.period - period) < 1e-12
    th = sp.Symbol("th")
    p_psi, p_phi = I3 * n, I1 * rate * np.sin(tilt) ** 2 + I3 * n * np.cos(tilt)
    V = (p_phi - p_psi * sp.cos(th)) ** 2 / (2 * I1 * sp.sin(th) ** 2) + mgl * sp.cos(th)
    nutation = np.sqrt(float(sp.diff(V, th, 2).subs(th, tilt)) / I1)
    expected = np.exp(1j * nutation * period)
    for value in (expected, expected.conjugate()):
        assert min(float(abs(z - acb(value)).upper()) for z in found.multipliers) < 1e-10
    assert found.verdict is gc.Verdict.SPECTRALLY_STABLE_ONLY
    assert "unit circle" in found.claim


def test_two_pendula_in_a_row_have_a_pair_on_the_circle():
    """Their divergence does not vanish in the velocities: det M is the density."""
    a, b = gc.Coordinate("a", angle=True), gc.Coordinate("b", angle=True)
    c = sp.cos(a.symbol - b.symbol)
    system = gc.EulerPoincare(
        algebra=None,
        shape=[a, b],
        inertia=[[2, c], [c, 1]],
        potential=-2 * sp.cos(a.symbol) - sp.cos(b.symbol),
    ).reduce()
    # The second mode, of frequency sqrt(2 + sqrt 2) where it is small.
    guess = start(system, a=0.15, b=-0.15 * np.sqrt(2))
    found = gc.find_periodic(system, guess, 2 * np.pi / np.sqrt(2 + np.sqrt(2))).enclose(bits=72)
    assert found.verdict is gc.Verdict.SPECTRALLY_STABLE_ONLY
    with ctx.workprec(72):
        assert found.monodromy.det().overlaps(arb(1))
        assert all(abs(z).overlaps(arb(1)) for z in found.multipliers)
    nodes = system.field_nodes
    divergence = [system.graph.jacobian(nodes, system.state_nodes)[i][i] for i in range(4)]
    assert not system.graph.add(divergence).is_zero


def test_what_keeps_a_volume_is_read_off_the_description():
    assert canonical(gc.models.get("heavy-top")())
    puck = gc.models.get("spherical-pendulum-on-puck")()
    assert canonical(puck, idle=True)
    assert not canonical(puck)
    assert not canonical(gc.models.get("pendulum-skate")())
    # tr ad of [e1, e2] = e2 is not zero.
    affine = gc.LieAlgebra([[[0, 0], [0, 1]], [[0, -1], [0, 0]]])
    assert not canonical(gc.EulerPoincare(algebra=affine, inertia=sp.eye(2)))
    q = gc.Coordinate("q")
    assert not canonical(
        gc.EulerPoincare(algebra=None, shape=[q], inertia=[[1]], forces=[-q.rate], potential=q.symbol**2)
    )


WRONG = {
    "another period": (lambda o: replace(o, period=1.1 * o.period), "not proved"),
    "no period": (lambda o: replace(o, period=1e-9), "not proved"),
    "half a period": (lambda o: replace(o, period=o.period / 2), "not proved"),
    "an equilibrium": (lambda o: replace(o, x=np.zeros(2)), "equilibrium"),
    "not of the orbit": (lambda o: replace(o, period=o.period * (1 + 1e-6)), "away"),
    "another level": (lambda o: replace(o, x=o.x + 0.01), "not"),
}


@pytest.mark.parametrize(("changed", "words"), WRONG.values(), ids=WRONG)
def test_what_is_no_orbit_is_refused(pendulum, changed, words):
    with pytest.raises(gc.EquilibriumError, match=words):
        changed(pendulum).enclose(bits=128)


def test_half_a_swing_is_enclosed_up_to_the_reflection(pendulum, swing):
    half = gc.find_periodic(pendulum.system, pendulum.x, 1.1, symmetry=-np.eye(2)).enclose(bits=104)
    assert abs(2 * half.period - swing.period) < 1e-12
    assert half.verdict is gc.Verdict.PROVED_STABLE
    assert "up to the symmetry" in half.claim
    whole = half.monodromy * half.monodromy
    for one, two in zip(whole.entries(), swing.monodromy.entries(), strict=True):
        assert abs(one - two) < 1e-9


@pytest.fixture(scope="module")
def lagrange():
    gamma = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    return gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[gamma],
        inertia=sp.diag(sp.Rational(4, 5), sp.Rational(4, 5), sp.Rational(1, 2)),
        potential=sp.Rational(38, 5) * gamma.symbols[2],
        symmetry=gc.Axis((0, 0, 1)),
    ).reduce()


def test_nutation_is_enclosed_with_its_turn(lagrange):
    """The period between two returns of Gamma3 is an integral over the roots of a cubic.

    I1 Gamma3'^2 = 2 (E' - V Gamma3)(1 - Gamma3^2) - (l - p Gamma3)^2/I1; E', l, p by the start.
    """
    x = np.array([0.4, 2.0, 9.0, np.sin(0.7), 0.0, np.cos(0.7)])
    orbit = gc.find_periodic(lagrange, x, 1.2, symmetry="axis")
    found = orbit.enclose(bits=96)
    assert found.verdict is Enclosed.ENCLOSED_STABLE_MODULO
    assert abs(found.angle - orbit.angle) < 1e-9
    assert found.neutral == orbit.neutral
    with mpmath.workdps(40):
        W, G = [mpmath.mpf(v) for v in orbit.x[:3]], [mpmath.mpf(v) for v in orbit.x[3:]]
        I1, I3, V = mpmath.mpf(4) / 5, mpmath.mpf(1) / 2, mpmath.mpf(38) / 5
        E = I1 * (W[0] ** 2 + W[1] ** 2) / 2 + V * G[2]
        p, l = I3 * W[2], I1 * (W[0] * G[0] + W[1] * G[1]) + I3 * W[2] * G[2]  # noqa: E741
        square = lambda u: (2 * (E - V * u) * (1 - u**2) - (l - p * u) ** 2 / I1) / I1  # noqa: E731
        cubic = [2 * V, -2 * E - p**2 / I1, 2 * l * p / I1 - 2 * V, 2 * E - l**2 / I1]
        low, high, _ = sorted(mpmath.re(r) for r in mpmath.polyroots(cubic, maxsteps=200, extraprec=200))
        middle, half = (low + high) / 2, (high - low) / 2
        third = -cubic[1] / cubic[0] - low - high
        assert abs(square(low)) < 1e-25
        # u = middle + half sin(a); the other factor of the square is 2 V (third - u)/I1.
        period = 2 * mpmath.quad(
            lambda a: 1 / mpmath.sqrt(2 * V * (third - middle - half * mpmath.sin(a)) / I1),
            [-mpmath.pi / 2, mpmath.pi / 2],
        )
        exact = str(period)
    with ctx.workprec(128):
        assert abs(found.period - arb(exact)) < 1e-15


def test_what_cannot_be_enclosed_is_refused_in_words(pendulum, lagrange):
    with pytest.raises(gc.InputError, match="bits"):
        pendulum.enclose(bits=8)
    with pytest.raises(gc.InputError, match="24 times"):
        replace(pendulum, S=np.array([[1.0, 1.0], [0.0, 1.0]])).enclose()
    with pytest.raises(gc.EquilibriumError, match="same after the symmetry"):
        replace(pendulum, S=np.diag([-1.0, 1.0])).enclose()
    with pytest.raises(gc.InputError, match="gradient and no values"):
        replace(pendulum, neutral=("momentum", "time")).enclose()


@pytest.mark.parametrize("seed", range(3))
def test_errors_carried_along_hold_all_that_steps_may_leave_out(seed):
    """e1 = A e + d with d at corners of its box, in exact numbers; and they do not grow as boxes would."""
    rng, carried, true = np.random.default_rng(seed), Error(3), arb_mat(3, 1)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    for _ in range(40):
        A = arb_mat(4, 4, [arb(float(v)) for v in np.pad(turn * rng.uniform(0.9, 1.1, 3), (0, 1)).ravel()])
        sizes = rng.uniform(1e-9, 1e-6, 3)
        carried.carry(A, [arb(0, float(v)) for v in sizes])
        inner = arb_mat([row[:3] for row in A.tolist()[:3]])
        true = inner * true + arb_mat(3, 1, [arb(float(v)) for v in sizes * rng.choice([-1, 1], 3)])
        assert all(e.contains(t.mid()) for e, t in zip(carried.box(), true.entries(), strict=True))
    assert max(float(e.rad()) for e in carried.box()) < 1e-2


@pytest.fixture(scope="module")
def skidding():
    """A point with zdot = q rdot: u = rdot obeys (b + c q^2) udot + c q qdot u = 0, q swings by itself."""
    q = gc.Coordinate("q")
    a, b, c, k = (sp.Rational(*v) for v in ((13, 10), (7, 10), (23, 10), (31, 10)))
    return gc.EulerPoincare(
        algebra=gc.rn(2),
        shape=[q],
        inertia=sp.diag(b, c, a),
        potential=k * q.symbol**2 / 2,
        constraints=[[-q.symbol, 1, 0]],
        name="skidding",
    ).reduce()


def test_integrals_over_a_shape_are_those_known_in_closed_form(skidding):
    """u sqrt(b + c q^2), scaled to u at the start, with its gradient, over a box that holds the start."""
    shape = shape_of(skidding)
    (name,) = shape.names
    labels = list(skidding.state_labels)
    q, u = labels.index("q"), shape.velocities[0]
    x = np.zeros(len(labels))
    x[q], x[u], x[shape.velocity] = 0.5, 0.8, 0.3
    levels = Levels(skidding, {}, [name], Given((), dict(skidding.params), (arb(1),) * len(x)))
    with ctx.workprec(120):
        here = [arb(float(v)) for v in x]
        levels.start_at(here)
        assert levels.values(here)[-1] == 0
        there = list(here)
        there[q], there[u] = here[q] + arb("1e-6"), here[u] - arb("3e-7")
        b, c = arb("0.7"), arb("2.3")
        scale = ((b + c * there[q] ** 2) / (b + c * here[q] ** 2)).sqrt()
        value, row = levels.values(there)[-1], levels.rows(there).tolist()[-1]
        assert value.overlaps(there[u] * scale - here[u])
        assert row[u].overlaps(scale)
        assert row[q].overlaps(there[u] * scale * c * there[q] / (b + c * there[q] ** 2))
        assert all(float(e.rad()) < 1e-5 for e in (value, row[u], row[q]))
        assert abs(float(row[q].mid())) > 0.5


def test_an_orbit_with_an_integral_over_a_coordinate_is_enclosed(skidding):
    """q swings with its own period, and the integral leaves nothing else."""
    labels = list(skidding.state_labels)
    x = np.zeros(len(labels))
    shape = shape_of(skidding)
    x[labels.index("q")], x[shape.velocities[0]] = 0.5, 0.8
    orbit = gc.find_periodic(skidding, x, 4.0)
    found = orbit.enclose(bits=72)
    period = 2 * np.pi * np.sqrt(1.3 / 3.1)
    assert found.verdict is Enclosed.ENCLOSED_STABLE
    assert shape.names[0] in found.neutral
    with pytest.raises(gc.CertificateError, match=r"no file of this orbit: .*integrals over a shape"):
        found.to_json()
    assert float(found.period.mid()) == pytest.approx(period, rel=1e-13)


@pytest.mark.long(reason="fifteen seconds; other orbits on levels are enclosed here")
def test_the_wobble_of_a_disk_is_stable_on_the_levels_of_its_integrals():
    """Energy and two integrals over the shape leave nothing but the orbit."""
    disk = gc.models.get("rolling-disk")().reduce().despun()
    start = disk.equilibrium("circling", omega=12.0, t=0.1).x + 0.01 * np.eye(5)[0]
    orbit = gc.find_periodic(disk, start, 0.33)
    found = orbit.enclose(bits=80)
    assert found.verdict is Enclosed.ENCLOSED_STABLE
    assert found.neutral == ("integral of Omega2", "integral of Omega3", "energy", "time")
    assert abs(float(found.period.mid()) - orbit.period) < 1e-11
    assert all(float(found.x[i].mid()) == pytest.approx(orbit.x[i], abs=1e-11) for i in range(5))


def test_backwards_is_no_period(pendulum):
    """Multipliers would be inverses, and a cycle that attracts be told to repel."""
    for period in (-pendulum.period, 0.0, np.nan):
        with pytest.raises(gc.InputError, match="period"):
            replace(pendulum, period=period).enclose(bits=64)


@pytest.mark.parametrize("stiffness", [1 / 3, Fraction(1, 3)])
def test_a_symmetry_is_that_of_the_numbers_as_they_are_given(stiffness):
    """Two oscillators, coupled and in opposite phase, exchanged after half a period: not if one has the
    stiffness 1/3 and the other the double next to it.
    """
    k, own = gc.Parameter("k", stiffness), gc.Parameter("own", stiffness)
    system = oscillator(
        lambda a, b: (k.symbol * a**2 + own.symbol * b**2) / 2 + (a**4 + b**4) / 4 + (a - b) ** 2,
        coordinates="ab",
        parameters=[k, own],
    )
    S = np.kron(np.eye(2), [[0, 1], [1, 0]])
    orbit = gc.find_periodic(system, start(system, a=0.9, b=-0.9), 1.4, symmetry=S)
    assert orbit.enclose(bits=96).verdict is not gc.Verdict.UNDECIDED
    other = replace(orbit, params={"k": Fraction(1, 3), "own": 1 / 3})
    with pytest.raises(gc.EquilibriumError, match="after the symmetry"):
        other.enclose(bits=96)


def test_an_orbit_through_the_edge_of_the_domain_is_refused(pendulum):
    q = gc.Coordinate("q")
    for edge, proved in ((-2, True), (-1, False)):
        system = gc.EulerPoincare(
            algebra=None,
            shape=[q],
            inertia=sp.eye(1),
            potential=-sp.Rational(981, 100) * sp.cos(q.symbol),
            domain={"inside": q.symbol > edge},
        ).reduce()
        orbit = replace(pendulum, system=system)
        if proved:
            assert orbit.enclose(bits=64).verdict is gc.Verdict.PROVED_STABLE
            continue
        with pytest.raises(gc.EquilibriumError, match="domain"):
            orbit.enclose(bits=64)


@pytest.mark.long(reason="half a swing, and the same in segments, close over other times")
def test_several_periods_are_one_too(pendulum, swing):
    twice = replace(pendulum, period=2 * pendulum.period).enclose(bits=80)
    assert abs(twice.period - 2 * swing.period) < 1e-12


def test_orbits_that_are_not_alone_on_their_level_are_refused():
    system = oscillator(lambda a, b: (a**2 + b**2) / 2, coordinates="ab")
    orbit = gc.find_periodic(system, start(system, a=1.0, b_dot=0.7), 6.2)
    assert orbit.unexplained == 2
    with pytest.raises(gc.EquilibriumError, match="not proved"):
        orbit.enclose(bits=96)


def test_functions_without_an_analytic_continuation_are_refused():
    system = oscillator(force=lambda q, v: -q * sp.Abs(q))
    orbit = gc.find_periodic(system, start(system, q=1.0), 6.0)
    with pytest.raises(gc.EquilibriumError, match="analytic"):
        orbit.enclose(bits=128)


def test_the_enclosure_is_printed(swing):
    assert "PROVED_STABLE" in repr(swing)
    assert "confirmed by: the checker, from a file" in repr(swing)
    assert "Krawczyk" in swing.claim
    assert "energy" in swing.claim


def test_what_has_no_file_says_so():
    """A state of evidence: no verdict says it, and it is not called proved."""
    state = Enclosed.ENCLOSED_STABLE
    assert not state.proved
    assert not {state.value for state in Enclosed} & {verdict.value for verdict in gc.Verdict}
    assert len(Enclosed) == 4


def test_the_file_of_an_orbit_is_confirmed(swing, tmp_path):
    path = tmp_path / "orbit.json"
    swing.to_json(path)
    report = gc.verify(path)
    assert (report.verdict, report.claim) == (swing.verdict, swing.claim)
    assert path.stat().st_size < 10_000


def test_steps_that_gain_no_digits_are_told_at_once(pendulum, monkeypatch):
    """With half the slopes a step goes as far beyond the orbit as it was before it."""
    slopes, equations, asked, told = _Closing._slopes, _Closing._equations, [], []
    monkeypatch.setattr(_Closing, "_equations", lambda *given: asked.append(1) or equations(*given))
    monkeypatch.setattr(_Closing, "_slopes", lambda *given: slopes(*given) * (arb(1) / 2))
    with pytest.raises(gc.EquilibriumError, match="gain no digits"):
        pendulum.enclose(bits=160, progress=lambda stage, best, _: told.append((stage, best)))
    assert len(asked) == 2
    assert told[-1][0] == "Newton's steps"
