"""Every answer is the same in other units: a sample of what the attack's part `units` asks of all.

Members of families of the catalogue and drawn mechanisms in other units of mass, length and time: verdict and
method, zero modes by name, eigenvalues, the equilibrium found from two percent away, gains, runs by both
engines, holds, maps and proved sets.
"""

from fractions import Fraction

import numpy as np
import pytest

import geoctrl as gc
from tests.attack.draw.rescaling import Units
from tests.attack.parts import units, units_more

MEMBERS = [
    ("cart-pendulum", "upright", 4),
    ("heavy-top", "sleeping", 6),
    ("chaplygin-sleigh", "straight", 5),
    ("orbiting-body", "aligned", 7),
    ("pendulum-skate-rotor", "sliding", 3),
    ("furuta-pendulum", "upright", 1),
]
DRAWN = [
    (1, 2, 5),
    (1, 5, 3),
    (35, 53, 7),
    (35, 81, 7),
    (35, 143, 5),
    (35, 206, 7),
    (35, 268, 2),
    (36, 13, 6),
    (36, 398, 7),
    (36, 718, 3),
]
"""Seeds and indices of the attack, and units: places at rest, attitudes by the energy, friction beside a
heavy body, directions on which nothing acts, multipliers beside accelerations."""


def frame_of(name, family):
    return units.Frame.of(units.catalogued(name, family, units.SYSTEMS[0]))


@pytest.mark.parametrize(("name", "family", "k"), MEMBERS)
def test_answers_about_the_catalogue(name, family, k):
    outcome = units.compared(lambda u: units.catalogued(name, family, u), [units.SYSTEMS[k]], seed=17 + k)
    assert outcome.result in ("proved", "held"), outcome.note


@pytest.mark.parametrize(("seed", "index", "k"), DRAWN)
def test_answers_about_drawn_mechanisms(seed, index, k):
    drawn = units.draw(seed, index)
    outcome = units.compared(lambda u: units.redrawn(drawn, u), [units.BINARY[k]], seed=index)
    assert outcome.result in ("proved", "held"), outcome.note


def test_runs_and_holds():
    member = ("cart-pendulum", "upright")
    sizes = frame_of(*member).sizes
    others, asked = [units.SYSTEMS[6]], units_more.asked_of_runs(sizes)
    assert list(units_more.differences(asked, lambda u: units.catalogued(*member, u), others)) == []
    held = [units_more.hold(units.catalogued(*member, u), sizes) for u in (units.SYSTEMS[0], others[0])]
    assert held == ["PROVED_ASYMPTOTICALLY_STABLE"] * 2 or held == ["PROVED_STABLE"] * 2


@pytest.mark.parametrize(
    ("name", "family", "k"),
    [("pendulum-skate", "spinning", 4), ("heavy-top", "sleeping", 7), ("top-on-movable-base", "sleeping", 1)],
)
def test_maps(name, family, k):
    """Shares of cells, down to the last digit told."""
    one, two = (units_more.map_of(name, family, units.SYSTEMS[j]) for j in (0, k))
    assert "%" in one
    assert one == two


def test_files_are_confirmed_in_other_units(tmp_path):
    setting = units.catalogued("pendulum-skate", "spinning", Units(length=Fraction(1, 1000)))
    certificate = gc.certify(setting.system, setting.point)
    certificate.to_json(tmp_path / "proof.json")
    assert gc.verify(tmp_path / "proof.json").verdict is certificate.verdict


def test_a_point_beside_is_another_answer():
    """Negative control: at a mass that was forgotten on the way the spectrum is another."""
    member = ("cart-pendulum", "upright")

    def forgotten(u):
        setting = units.catalogued(*member, u)
        if u == Units():
            return setting
        defaults = setting.system.params
        wrong = setting.system.mechanism.replace(
            parameters=[
                gc.Parameter(p.name, p.default if p.name != "m" else 0.5 * p.default, positive=True)
                for p in setting.system.mechanism.parameters
            ]
        ).reduce()
        assert defaults["m"] != wrong.params["m"]
        setting.system, setting.point = wrong, wrong.equilibrium(member[1])
        return setting

    outcome = units.compared(forgotten, [units.SYSTEMS[4]], seed=1)
    assert outcome.result == "contradiction"
    assert "eigenvalues differ" in outcome.note
    assert np.isfinite(units.Frame.of(forgotten(Units())).pace)
