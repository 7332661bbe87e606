"""Regions with dry friction by the energy: which level is proved, and whether motions tend to the point."""

import math
import subprocess
import sys
import time
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.regions import energy_set
from geoctrl.analysis.regions.sublevel import Sublevel

HALF = sp.Rational(1, 2)


def pendulum(friction, unit=1, **further):
    """A hanging pendulum, U = -3 cos q, with numbers of energy in a unit of their own."""
    q = gc.Coordinate("q", angle=True)
    return gc.EulerPoincare(
        shape=[q],
        inertia=[[2 * sp.Rational(unit)]],
        potential=-3 * sp.Rational(unit) * sp.cos(q.symbol),
        friction=friction,
        name="hanging",
        **further,
    ).reduce()


@cache
def dry(unit=1):
    law = gc.Friction([1], coulomb=sp.Rational(unit) / 5, scale=sp.Rational(1, 100))
    system = pendulum([law], unit)
    return system, gc.region_of_attraction(system, system.state(), by="energy")


def test_a_hanging_pendulum_with_dry_friction_is_attracted_up_to_the_saddle():
    system, roa = dry()
    assert roa.verdict is gc.Verdict.PROVED_ATTRACTED
    assert 3 * (1 - 1e-3) < roa.level < 3
    assert roa.tends == "the equilibrium"
    assert "and tend to the equilibrium." in roa.claim
    rng = np.random.default_rng(0)
    angles = rng.uniform(-2.8, 2.8, 8)
    starts = np.stack([np.sqrt(2.99 + 3 * np.cos(angles)), angles])
    assert np.all(roa.contains(starts))
    for start in starts.T[:2]:
        run = gc.simulate(system, [0, 30, 60], start)
        assert np.all(np.abs(run.states[:, -1]) < 0.1)
    assert not roa.contains([0.0, math.pi])
    assert not roa.contains([3.2, 0.0])


def test_its_file_is_verified_where_only_the_checker_is_there(tmp_path):
    path = tmp_path / "dry.json"
    dry()[1].to_json(path)
    program = (
        "import sys; sys.modules.update(dict.fromkeys(('sympy', 'numpy', 'scipy'))); "
        f"from geoctrl.verification import verify; print(verify({str(path)!r}).verdict)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "PROVED_ATTRACTED" in found.stdout


@pytest.mark.parametrize("unit", ["1e-12", "1e9"])
def test_the_set_is_the_same_in_other_units_of_energy(unit):
    assert dry(unit)[1].level == pytest.approx(float(unit) * dry()[1].level, rel=1e-3)
    assert dry(unit)[1].extent["q"] == pytest.approx(dry()[1].extent["q"], rel=1e-2)
    assert dry(unit)[1].verdict is gc.Verdict.PROVED_ATTRACTED


@pytest.mark.parametrize("exponent", [1, 2])
def test_a_servo_with_stribecks_friction_is_attracted(exponent):
    """A limit of 0.3 at rest that falls to 0.2, with a viscous part; no exact numbers are at the point."""
    law = gc.Friction([1], viscous=0.01, coulomb=0.2, scale=0.01, static=0.3, stribeck=0.1, exponent=exponent)
    system = pendulum([law])
    roa = gc.region_of_attraction(system, system.state(), by="energy")
    assert roa.verdict is gc.Verdict.PROVED_ATTRACTED
    assert 3 * (1 - 1e-3) < roa.level < 3


RUBS = gc.Friction([1], coulomb=sp.Rational(1, 5), scale=sp.Rational(1, 100))


def with_wheel(bearing, hinge=(RUBS,)):
    """A hanging pendulum that rubs in its hinge, with a wheel that runs in some bearing."""
    q = gc.Coordinate("q", angle=True)
    return gc.EulerPoincare(
        shape=[q],
        inertia=[[2]],
        potential=-3 * sp.cos(q.symbol),
        friction=list(hinge),
        wheels=[gc.Wheel("w", on="q", inertia=HALF, friction=bearing)],
        name="with a wheel",
    ).reduce()


def test_motions_are_kept_where_friction_does_not_see_all_velocities():
    """A wheel without friction spins on while the pendulum rests: rest is not what motions tend to."""
    system = with_wheel([])
    roa = gc.region_of_attraction(system, system.state(), by="energy")
    assert roa.verdict is gc.Verdict.PROVED_INVARIANT
    assert "tend to the equilibrium" not in roa.claim
    forged = roa.data | {"theorem": roa.data["theorem"] | {"alone": True}}
    with pytest.raises(checker.Refusal, match="motions may stay elsewhere"):
        checker.check(forged | {"digest": checker.digest_of(forged)})


@pytest.mark.parametrize("law", [{"viscous": HALF}, {"coulomb": HALF, "scale": HALF}])
def test_derivatives_along_motions_see_what_friction_misses(law):
    """A hinge without friction: where a wheel stays still in its bearing sin(q) = 0, and so q_dot = 0."""
    system = with_wheel([gc.Friction.bearing(**law)], hinge=[])
    roa = gc.region_of_attraction(system, system.state(), by="energy")
    assert roa.verdict is gc.Verdict.PROVED_ATTRACTED
    assert 3 * (1 - 1e-3) < roa.level < 3


@pytest.mark.parametrize("law", [{"viscous": HALF}, {"coulomb": HALF, "scale": HALF}])
def test_friction_in_all_bearings_brings_all_to_rest(law):
    system = with_wheel([gc.Friction.bearing(**law)])
    roa = gc.region_of_attraction(system, system.state(), by="energy")
    assert roa.verdict is gc.Verdict.PROVED_ATTRACTED
    assert 3 * (1 - 1e-3) < roa.level < 3


def test_a_negative_coefficient_has_no_region():
    """A parameter whose number is negative drives: signs of numbers are tested, in the file as well."""
    F = gc.Parameter("F", -0.1)
    law = gc.Friction([1], coulomb=F.symbol, scale=0.01)
    system = pendulum([law], parameters=[F])
    with pytest.raises(gc.CertificateError):
        gc.region_of_attraction(system, system.state(), by="energy")
    assert gc.region_of_attraction(system, system.state(), params={"F": 0.1}, by="energy").tends


def test_a_set_is_kept_where_attraction_takes_all_the_time_that_is_left(monkeypatch):
    """The search and the question what stays do not end; the set of the levels that were closed is told."""
    system, whole = dry()
    highest, confirmed, closed = Sublevel.highest, energy_set.confirmed_set, []

    def without_end(*_):
        while True:
            time.sleep(0.01)

    def levels(self, depth):
        closed.append(highest(self, depth)[-1])
        return closed

    def cut_levels(self, _):
        self.best = closed[0]
        without_end()

    def only_sets(cls, angles, content, reason=""):
        return without_end() if content["theorem"].get("alone") else confirmed(cls, angles, content, reason)

    monkeypatch.setattr(Sublevel, "highest", levels)
    gc.region_of_attraction(system, system.state(), by="energy")
    monkeypatch.setattr(Sublevel, "highest", cut_levels)
    monkeypatch.setattr(energy_set, "confirmed_set", only_sets)
    roa = gc.region_of_attraction(system, system.state(), by="energy", seconds=3)
    assert roa.verdict is gc.Verdict.PROVED_INVARIANT
    assert roa.level == pytest.approx(whole.level, rel=1e-3)
    assert "not finished within 3 s: energy" in roa.reason
