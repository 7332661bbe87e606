"""A filter in the loop as one system: its spectrum, what is proved of it, and the sampled loop beside it."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.sampling import Controls, Feedback


@cache
def damped_skate():
    """Mechanism and law."""
    mechanism = gc.models.get("pendulum-skate-rotor")()
    return mechanism, gc.match(mechanism).law(sigma=-5e-6).with_damping(k=8)


@cache
def held_top(mass=1.0, time=1.0):
    """A heavy top with three torques and a linear law that holds it upright, in units of mass and time."""
    g, Gamma = gc.Parameter("g", 9.81 / time**2), gc.AdvectedVector("Gamma")
    u = sp.symbols("u1:4", real=True)
    m = sp.Rational(mass)
    top = gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[Gamma],
        inertia=m * sp.diag(sp.Rational(7, 10), sp.Rational(11, 10), sp.Rational(1, 2)),
        potential=m * sp.Rational(13, 100) * g.symbol * Gamma.symbols[2],
        inputs=u,
        forces=u,
        parameters=[g],
        equilibria={"upright": gc.Family({"Gamma3": 1})},
        name="top",
    )
    plant = top.reduce()
    return top, plant, Spring(m * 4 / time**2, m * 3 / time)


class Spring(Controls):
    """Torques that turn a top up, and oppose its spin."""

    def __init__(self, angle, rate):
        self.angle, self.rate = angle, rate

    def feedback(self, params=None):
        del params
        G, w = sp.symbols("Gamma1:4", real=True), sp.symbols("Omega1:4", real=True)
        turn = -self.angle * G[1], self.angle * G[0], 0
        return Feedback({f"u{i + 1}": turn[i] - self.rate * w[i] for i in range(3)})


def fed_top(gain=2.0, bias_gain=0.0, mass=1.0, time=1.0, **options):
    top, _, law = held_top(mass, time)
    flt = gc.ComplementaryFilter(top, gain=gain / time, bias_gain=bias_gain / time**2, **options)
    return flt.feed(law)


def spectrum(system, point):
    return np.sort_complex(gc.linearize(system, point).eigenvalues)


@pytest.mark.long(
    reason="two skates in three loops; the example of closed_loop has one, and a top stands below"
)
@pytest.mark.parametrize("gain", [1.0, 5.0])
def test_the_spectrum_is_that_of_the_loop_with_the_gain_twice(gain):
    """By the cascade: -k_P twice and a zero of the length; with the force as it is felt to five digits."""
    mechanism, law = damped_skate()
    alone = law.closed_loop(rotors=True)
    union = [*spectrum(alone, alone.equilibrium("sliding", Y0=1.0)), -gain, -gain, 0]
    for ideal, digits in ((True, 1e-9), (False, 1e-5)):
        loop = gc.ComplementaryFilter(mechanism, gain=gain).feed(law).closed_loop(ideal=ideal)
        point = loop.equilibrium("sliding", Y0=1.0)
        assert spectrum(loop, point) == pytest.approx(np.sort_complex(union), abs=digits)
    assert "|Gamma_estimate|^2" in gc.linearize(loop, point).zero_modes
    assert np.sort_complex(union)[:4].real == pytest.approx(
        sorted([-gain, -gain, -1.465201, -1.465201]), abs=1e-6
    )


@pytest.mark.parametrize(
    ("gain", "ideal"),
    [
        (1.0, False),
        pytest.param(1.0, True, marks=pytest.mark.long(reason="a skate; the felt force is the harder case")),
        pytest.param(5.0, False, marks=pytest.mark.long(reason="a skate at another gain of the filter")),
    ],
)
def test_the_loop_of_a_skate_is_proved_by_the_turns_that_it_declares(gain, ideal, tmp_path):
    """Sliding lies among steady turns, three parameters of them; the estimate has the length one."""
    mechanism, law = damped_skate()
    loop = gc.ComplementaryFilter(mechanism, gain=gain).feed(law).closed_loop(ideal=ideal)
    found = gc.certify(loop, loop.equilibrium("sliding", Y0=1.0))
    assert found.verdict is gc.Verdict.PROVED_STABLE
    assert found.method == "spectrum and a family of equilibria"
    assert "Gamma3_estimate^2" in found.claim.partition(", is ")[0]  # the leaf that it is said of
    found.to_json(tmp_path / "loop.json")
    assert gc.verify(tmp_path / "loop.json").claim == found.claim


def test_a_relation_that_the_rates_of_a_controller_leave_is_refused():
    mechanism, law = damped_skate()
    loop = gc.ComplementaryFilter(mechanism, gain=1.0).feed(law).closed_loop(ideal=True).mechanism
    first = sp.Symbol("Gamma1_estimate", real=True)
    with pytest.raises(gc.ConstraintError, match="of the controller is not kept"):
        loop.replace(leaf={"first": first, "Gamma1": mechanism.advected[0].symbols[0]}).reduce()
    mixed = first + mechanism.advected[0].symbols[1]
    with pytest.raises(gc.DescriptionError, match="undeclared symbol Gamma1_estimate"):
        loop.replace(leaf=[mixed])


def test_with_the_error_of_the_gyro_its_part_along_the_vertical_is_neutral():
    """s^2 + k_P s + k_I twice, by hand; of a body at rest the third component moves nothing but the spin."""
    loop = fed_top(1.0, 0.3).closed_loop(ideal=True)
    assert loop.state_labels[-3:] == ("gyro_error1", "gyro_error2", "gyro_error3")
    found = gc.linearize(loop, loop.equilibrium("upright"))
    for root in np.roots([1.0, 1.0, 0.3]):
        assert np.sum(np.abs(found.eigenvalues - root) < 1e-6) == 2
    moved = np.flatnonzero(found.A[:, -1])
    assert [loop.state_labels[i] for i in moved] == ["Omega3"]
    assert found.zero_modes == ("|Gamma_estimate|^2", "family")


ATTRACTED = (0.0, "spectrum", gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE)
"""Without an error of the gyro nothing else rests: the estimate has the length one."""
FAMILY = (0.3, "spectrum and a family of equilibria", gc.Verdict.PROVED_STABLE)


@pytest.mark.parametrize(
    ("units", "case"),
    [
        ((1.0, 1.0), ATTRACTED),
        ((1e3, 1e-3), FAMILY),
        pytest.param((1e3, 1e-3), ATTRACTED, marks=pytest.mark.long(reason="units and gains crossed")),
        pytest.param((1.0, 1.0), FAMILY, marks=pytest.mark.long(reason="units and gains crossed")),
    ],
)
def test_the_loop_of_a_top_is_proved_as_it_is(units, case, tmp_path):
    """With the force that an accelerometer beside the pivot feels, and with the error of the gyro."""
    loop = fed_top(2.0, case[0], *units, position=(0, 0, 0.3)).closed_loop()
    found = gc.certify(loop, loop.equilibrium("upright"))
    assert (found.method, found.verdict) == case[1:]
    found.to_json(tmp_path / "loop.json")
    assert gc.verify(tmp_path / "loop.json").verdict is case[2]


@pytest.mark.parametrize(("ideal", "arm"), [(True, 0.0), (False, 0.3)])
def test_the_spectrum_of_a_top_by_hand(ideal, arm):
    """The union by the vertical itself; beside the pivot the force couples the loop back.

    About the first axis, with lean q, rate w and estimate e: w' = (0.13 g q - 4 e - 3 w)/I,
    f2 = -arm w' + g q, and e' = w + k_P (f2/g - e); about the second alike.
    """
    loop = fed_top(2.0, position=(0, 0, 0.3)).closed_loop(ideal=ideal)
    found = spectrum(loop, loop.equilibrium("upright"))
    for inertia in (0.7, 1.1):
        row = np.array([0.13 * 9.81, -3.0, -4.0]) / inertia
        force = np.array([9.81, 0.0, 0.0]) - arm * row
        plane = np.array([[0, 1, 0], row, [0, 1, 0] + 2.0 * (force / 9.81 - [0, 0, 1])])
        roots = np.linalg.eigvals(plane)
        assert (np.abs(roots + 2).min() < 1e-9) == ideal
        for root in roots:
            assert np.abs(found - root).min() < 1e-9


@pytest.mark.long(reason="hundreds of holds; the coupling is compared by hand above")
def test_it_is_what_a_fast_sampled_loop_comes_to():
    """Rate 1e4, the estimate 0.4 rad beside the vertical at first; what is left is of order h."""
    first = np.array([0.0, np.sin(0.4), np.cos(0.4)])
    fed = fed_top(2.0, 0.5, position=(0, 0, 0.3), start=first)
    start = np.array([0.5, -0.3, 0.2, np.sin(0.2), 0.0, np.cos(0.2)])
    grid = np.linspace(0.0, 0.2, 5)
    sampled = gc.simulate(held_top()[1], grid, start, controller=fed.sampled(rate=1e4))
    loop = fed.closed_loop()
    own = np.concatenate([first, np.zeros(loop.nstates - 9)])
    run = gc.simulate(loop, grid, np.concatenate([start, own]))
    assert np.abs(run.states[:6] - sampled.states[:6]).max() < 3e-4
    assert np.abs(run.states[:6, -1] - run.states[:6, 0]).max() > 0.05
    assert np.abs(run.states[6:, -1] - sampled.samples.states[:, -1]).max() < 3e-4
    ideal = gc.simulate(fed.closed_loop(ideal=True), grid, np.concatenate([start, own]))
    assert np.abs(ideal.states[6:9, -1] - run.states[6:9, -1]).max() > 2e-3


def test_the_ideal_error_decays_by_its_formula():
    """tan(e/2) = tan(e0/2) exp(-k_P t) in continuous time, whatever the top does."""
    fed = fed_top(2.0)
    start = [0.9, -0.4, 1.3, 0.0, 0.0, 1.0, 0.0, np.sin(2.0), np.cos(2.0)]
    run = gc.simulate(fed.closed_loop(ideal=True), np.linspace(0, 1, 5), start)
    e = np.arccos(np.clip((run.states[3:6] * run.states[6:9]).sum(0), -1, 1))
    assert e == pytest.approx([fed.filter.error(t, 2.0) for t in run.time], abs=1e-6)


class Reading(Controls):
    """An input that is what the accelerometer shows."""

    def feedback(self, params=None):
        del params
        return Feedback({"u1": sp.Symbol("f1", real=True), "u2": sp.S.Zero, "u3": sp.S.Zero})


class Stepped(Controls):
    """An input that changes from sample to sample."""

    def feedback(self, params=None):
        del params
        z = sp.Symbol("z", real=True)
        return Feedback({"u1": z, "u2": sp.S.Zero, "u3": sp.S.Zero}, steps={"z": z / 2})


@pytest.mark.parametrize(
    ("law", "words"), [(Reading(), "reads f1, the force that its own"), (Stepped(), "from sample to sample")]
)
def test_laws_of_which_there_is_no_such_loop_are_refused(law, words):
    fed = gc.ComplementaryFilter(held_top()[0], gain=1.0).feed(law)
    with pytest.raises(gc.InputError, match=words):
        fed.closed_loop()
    with pytest.raises(gc.InputError, match="ideal must be True or False"):
        fed.closed_loop(ideal="yes")
