"""Gains to start from: the same in all units, asked alike of every design, else with a reason."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import InputError, MatchingError
from geoctrl.synthesis.gains import gain_search
from tests.synthesis.own_mechanisms import ballbot, qube

R = sp.Rational
SYSTEMS = [(R(1, 10**6), 1000, 1000), (10**6, R(1, 1000), R(1, 1000))]


def scaled(gains, mass, length, time):
    """Gains of the rotary pendulum in the units of the first."""
    inertia = float(mass * length**2)
    units = {"delta": inertia, "m22": inertia, "K": inertia / float(time) ** 2}
    return np.array([gains[name] / unit for name, unit in units.items()])


def sizes(units):
    design = gc.match(qube(*units), shaping="both").design("up")
    found = design._loops.sizes({}).gains([design.gains[k] for k in ("delta", "m22", "K")])
    return scaled(dict(zip(("delta", "m22", "K"), found, strict=True)), *units)


def test_sizes_of_gains_go_with_the_units():
    """Delta is admissible up to 1.3e-4 kg m^2, and stiffness is some gravity's."""
    first = sizes((1, 1, 1))
    assert first == pytest.approx([1.488e-4, 1.752e-4, 0.0421], rel=1e-3)
    for units in SYSTEMS:
        assert sizes(units) == pytest.approx(first, rel=1e-9)


def recommended(units):
    matching = gc.match(qube(*units), shaping="both")
    design = matching.design("up")
    gains = design.recommend()
    k = design.best_damping(**gains)
    damped = matching.law(**gains).with_damping(k=k).closed_loop()
    return scaled(gains, *units), damped


@pytest.mark.long(reason="sizes of gains go with the units beside it")
def test_recommended_gains_go_with_the_units(monkeypatch):
    """The search cut short; the whole of it ends at the same gains in seven systems as well."""
    for name, count in (("_JUDGED", 12), ("_STARTS", 1), ("_STEPS", 30)):
        monkeypatch.setattr(gain_search, name, count)
    first, loop = recommended((1, 1, 1))
    assert gc.certify(loop, loop.equilibrium("up")).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    other, loop = recommended((R(1, 10**6), 1000, 1000))
    assert other == pytest.approx(first, rel=0.01)
    assert gc.certify(loop, loop.equilibrium("up")).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


@pytest.fixture(scope="module")
def joint():
    return gc.match(ballbot(True), shaping="both").design("upright")


def test_a_design_is_asked_like_that_of_a_rotor(joint):
    """A tilt and a rate; a torque that is too small, and a hold that is too long, are said to be so."""
    gains = joint.recommend(limits={"u": 30}, rate=100, tilt=0.05)
    assert joint.contains(**gains)
    law = joint.law(**gains).with_damping(k=joint.best_damping(**gains))
    plant = law.mechanism.reduce()
    loop = gc.linearize_held(plant, law.sampled(rate=100), plant.equilibrium("upright"))
    assert loop.stable
    same = joint.recommend(limits={"u": 30}, rate=100, starts=[plant.state(lean=0.05)])
    assert same == gains
    with pytest.raises(MatchingError, match=r"with these frequencies the loop is not stable when it is held"):
        joint.recommend(frequencies=(1.5, 4.0), rate=0.3)
    with pytest.raises(InputError, match="give both"):
        joint.recommend(tilt=0.05)
    with pytest.raises(InputError, match=r"no state 'leam'.*lean"):
        joint.recommend(speeds={"leam": 1.0}, tilt=0.05)
    with pytest.raises(InputError, match="rate must be positive"):
        joint.recommend(rate=0)


def test_without_gains_there_is_a_reason():
    """Which velocities would do is said, in the mechanism's own."""
    design = gc.match(ballbot(False), shaping="both").design("upright")
    with pytest.raises(MatchingError, match=r"never definite.*-lean_dot \+ w in place of w for u"):
        design.recommend(limits={"u": 30}, rate=100, tilt=0.05)
    assert "never definite" in repr(design)
    assert not design.feasible


def test_a_rotors_design_takes_a_deviation_by_state():
    mech = gc.models.get("pendulum-skate-rotor")()
    design = gc.match(mech).design(mech.equilibrium("sliding", Y0=1.0))
    with pytest.raises(InputError, match=r"no state 'Gama2'.*Gamma2"):
        design.recommend(limits={"u_theta": 8}, start={"Gama2": 0.1})
    with pytest.raises(MatchingError, match="no law holds this start"):
        design.recommend(limits={"u_theta": 0.1}, start={"Gamma2": 0.1, "Gamma3": -0.005})
