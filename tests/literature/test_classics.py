"""Classical thresholds and spectra of the catalogue, against formulas of their own."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc


def verdict(name, family, params=None, despun=False, **values):
    system = gc.models.get(name)().reduce()
    system = system.despun() if despun else system
    return gc.certify(system, system.equilibrium(family, params=params, **values)).verdict


@pytest.mark.parametrize(("chosen", "fraction"), [("disk", 1 / 3), ("hoop", 1 / 4)])
def test_rolling_straight(chosen, fraction):
    mechanism = gc.models.get("rolling-disk")(set=chosen)
    system = mechanism.reduce()
    p = system.params
    critical = np.sqrt(fraction * p["g"] * p["a"]) / p["a"]
    for factor, expected in ((1 - 1e-6, "PROVED_UNSTABLE"), (1 + 1e-6, "PROVED_STABLE")):
        point = system.despun().equilibrium("rolling", Omega0=float(critical * factor))
        assert gc.certify(system.despun(), point).verdict.name == expected
    with pytest.raises(gc.EquilibriumError, match="despun"):
        system.equilibrium("rolling", Omega0=1.0)


@pytest.mark.parametrize(("chosen", "ratio"), [("disk", 4 / 5), ("hoop", 2 / 3)])
def test_spinning_on_a_diameter(chosen, ratio):
    system = gc.models.get("rolling-disk")(set=chosen).reduce().despun()
    critical = np.sqrt(ratio * system.params["g"] / system.params["a"])
    for factor, expected in ((1 - 1e-6, "PROVED_UNSTABLE"), (1 + 1e-6, "PROVED_STABLE")):
        point = system.equilibrium("spinning", Omega0=float(critical * factor))
        assert gc.certify(system, point).verdict.name == expected


def test_disk_thresholds_come_out_in_symbols():
    system = gc.models.get("rolling-disk")().reduce().despun()
    _, a, g, A, C = (p.symbol for p in system.mechanism.parameters)
    for family, square in (("rolling", A * g / (C * (C + 1) * a)), ("spinning", g / ((1 + A) * a))):
        conditions = gc.stability_conditions(system, family)
        (stable,), (unstable,) = conditions.stable, conditions.unstable
        Omega0 = conditions.family_symbols[0]
        for relation, sign in ((stable, 1), (unstable, -1)):
            difference = (relation.lhs - relation.rhs) * (1 if relation.func is sp.StrictGreaterThan else -1)
            ratio = sp.simplify(difference / (sign * (Omega0**2 - square)))
            assert ratio.is_positive


def test_sleigh_runs_with_its_centre_of_mass_ahead():
    system = gc.models.get("chaplygin-sleigh")().reduce()
    p = system.params
    for V in (1.3, -1.3):
        lin = gc.linearize(system, system.equilibrium("straight", V=V))
        decay = -p["m"] * p["a"] * V / (p["I"] + p["m"] * p["a"] ** 2)
        assert np.min(np.abs(lin.eigenvalues - decay)) < 1e-13
    assert verdict("chaplygin-sleigh", "straight", V=-1.3) is gc.Verdict.PROVED_UNSTABLE
    # Forwards one eigenvalue is negative and the other belongs to the family: not decided by a Hessian.
    assert verdict("chaplygin-sleigh", "straight", V=1.3) is gc.Verdict.SPECTRALLY_STABLE_ONLY


@pytest.mark.parametrize(("family", "stable"), [("hanging", True), ("inverted", False), ("up-down", False)])
def test_double_pendulum(family, stable):
    expected = gc.Verdict.PROVED_STABLE if stable else gc.Verdict.PROVED_UNSTABLE
    assert verdict("double-planar-pendulum", family) is expected
