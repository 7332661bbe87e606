"""Sets of gains as they are told: thresholds of wheels and rotors, and what is told where there is no set."""

import re

import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import ParameterError

STABLE, UNSTABLE = gc.Verdict.PROVED_STABLE, gc.Verdict.PROVED_UNSTABLE
NEAR = 1e-6


def matched(name, shaping):
    return gc.match(gc.models.get(name)(), shaping=shaping)


def verdict(matching, family, numbers, **gains):
    loop = matching.law(**gains).closed_loop()
    return gc.certify(loop, loop.equilibrium(family, **numbers)).verdict


def test_wheel_of_a_pendulum():
    """The pendulum's inertia I - kappa J is negative for kappa > I/J."""
    matching = matched("inertia-wheel-pendulum", "both")
    design = matching.design("upright")
    assert {k: str(b) for k, b in design.bounds.items()} == {
        "kappa": "kappa > I/J",
        "rho": "rho < 0",
        "K": "K < 0",
    }
    v = matching.mechanism.defaults
    for side, expected in ((1 - NEAR, UNSTABLE), (1 + NEAR, STABLE)):
        found = verdict(matching, "upright", {}, kappa=v["I"] / v["J"] * side, rho=-0.3, K=-0.01)
        assert found is expected


def test_ball_and_beam_is_told_though_it_holds_absolute_values():
    bounds = matched("ball-and-beam", "both").design("level").bounds
    K, m22, p = (sp.Symbol(n, real=True) for n in ("K", "m22", "p"))
    assert bounds["K"] == (K > 0)
    assert (m22 > 0) in sp.And.make_args(bounds["m22"])
    assert sp.Ne(p, 0) in sp.And.make_args(bounds["p"])


def test_short_bounds_are_printed_as_they_are():
    design = matched("inertia-wheel-pendulum", "both").design("upright")
    assert repr(design) == "<ShapedDesign for 'upright'>\n  kappa: kappa > I/J\n  rho: rho < 0\n  K: K < 0"


@pytest.mark.long(reason="the bounds of the acrobot take ten seconds")
def test_long_bounds_are_printed_by_their_size():
    design = matched("acrobot", "both").design("upright")
    told, bounds = re.sub(r"\n {3,}", " ", design.full()), design.bounds
    assert len(str(bounds["b"])) > 1000  # the value is the whole
    rows = dict(line.strip().split(": ", 1) for line in told.splitlines()[1:-1])
    assert rows.keys() == bounds.keys()
    for gain, bound in bounds.items():
        parts = sp.And.make_args(bound)
        assert len(rows[gain]) <= 110 * len(parts)
        for part in parts:
            text = str(part)
            assert (text if len(text) <= 100 else f"of {part.count_ops()} operations") in rows[gain]
    assert told.splitlines()[-1] == '  the whole: .bounds["..."]; at numbers: .contains(...)'


def rotors_edges(v):
    """lambda^2 = (L2 - a3)(a1 - L2)/(a1 a3) at 1 rad/s, a_i = I_i - kappa J_i, L2 = I2 + J2."""
    L2 = v["I2"] + v["J2"]
    return (
        ((v["I3"] - L2) / v["J3"], -1),
        ((v["I1"] - L2) / v["J1"], 1),
        (v["I3"] / v["J3"], -1),
        (v["I1"] / v["J1"], 1),
    )


@pytest.mark.parametrize("edge", range(4))
def test_three_rotors_about_the_middle_axis(edge):
    matching = matched("body-with-rotors", "kinetic")
    kappa, stable_side = rotors_edges(matching.mechanism.defaults)[edge]
    for side in (1, -1):
        found = verdict(
            matching, "about2", {"Omega0": 1.0, "rate0": 0.0}, kappa=kappa + 1e-4 * side * abs(kappa)
        )
        assert found is (STABLE if side == stable_side else UNSTABLE)


@pytest.mark.parametrize("edge", ["outer", "inner"])
def test_one_rotor_about_the_middle_axis(edge):
    """kappa > I3/J, or below -(I2 + Jt - I3)/J, the gain of Bloch, Krishnaprasad, Marsden and Sanchez."""
    matching = matched("body-with-rotor", "kinetic")
    v = matching.mechanism.defaults
    kappa = v["I3"] / v["J"] if edge == "outer" else -(v["I2"] + v["Jt"] - v["I3"]) / v["J"]
    for away, expected in ((NEAR, STABLE), (-NEAR, UNSTABLE)):
        assert verdict(matching, "about2", {"Omega0": 1.0}, kappa=kappa * (1 + away)) is expected


def test_the_unicycle_is_held_above_the_ratio_of_its_inertias():
    """kappa > I1/J below the critical speed, with I1 the inertia about the line of contact."""
    matching = matched("unicycle-with-rotor", "kinetic")
    design, v = matching.design("upright"), matching.mechanism.defaults
    assert design.condition != sp.S.false
    kappa = (v["A"] + v["K1"] + v["m"] * v["R"] ** 2 + v["mu"] * v["h"] ** 2) / v["J"]
    for away, expected in ((NEAR, STABLE), (-NEAR, UNSTABLE)):
        assert verdict(matching, "upright", {"V0": 1.0}, kappa=kappa * (1 + away)) is expected


def test_a_search_says_which_numbers_it_needs():
    design = matched("body-with-rotors", "kinetic").design("about2")
    with pytest.raises(ParameterError, match="Omega0, rate0"):
        design.recommend()
    assert design.contains({"Omega0": 1.0, "rate0": 0.0}, kappa=3.0)
