"""Cards for notebooks: what they say, and that text of a description stays text."""

import re

import numpy as np
import pytest

import geoctrl as gc
from geoctrl._printing.markup import (
    card,
    facts,
    fold,
    grid,
    number,
    paragraph,
    prose,
    sparkline,
    text_markup,
    verdict_badge,
)
from geoctrl.systems.typesetting.spectrum_tables import mode_rows
from geoctrl.trials.report import RobustnessReport, RobustnessRow
from tests.printing.markup_reader import Card, seen
from tests.systems.test_hostile_names import EVIL

NASTY = [EVIL, "</div><script>x</script>", "a<b & c>d", "&lt;", '" onload="x', "'", "\\(x\\)", "`a`", "<!-- "]


@pytest.fixture(scope="module")
def cart():
    return gc.models.get("cart-pendulum")().replace(name=EVIL).reduce()


@pytest.mark.parametrize("text", NASTY)
def test_text_stays_text(text):
    made = [text_markup(text), prose(text), paragraph(text), facts({text: text}), fold(text, text)]
    made += [grid([text], [[text]]), card(text, text)]
    made += [sparkline([0, 1], [0, 1], text, text)]
    assert seen(verdict_badge(text)).strip() == text.replace("_", " ").lower().strip()
    for markup in made:
        assert " ".join(text.split()) in " ".join(seen(markup).split())


def test_powers_are_raised_and_nothing_else():
    assert seen(prose("x^2 + (a + b)**-3 + |v|^(1/2)")) == "x2 + (a + b)-3 + |v|1/2"
    for plain in ("^2", "2 ^ 3", "a^b", "x^<b>"):
        assert seen(prose(plain)) == plain
        assert "sup" not in Card(prose(plain)).tags


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.0, "0"), (1.5, "1.5"), (-2.0, "−2"), (1e-9, "1×10−9"), (-3.25e20, "−3.25×1020")],
)
def test_numbers_have_no_letters_of_programs(value, text):
    assert seen(number(value)) == text
    assert seen(number(value, "m/s^2")) == text + "\u202fm/s2"


def points(markup):
    (drawn,) = re.findall(r' d="M([^"]*)"', markup)
    return np.array([tuple(map(float, point.split(","))) for point in drawn.split("L")])


def test_a_small_line_shows_every_peak_and_is_small():
    t = np.linspace(0.0, 1.0, 100_001)
    y = np.zeros_like(t)
    y[77_777] = 3.0
    drawn = points(sparkline(t, y, "y"))
    assert len(drawn) < 400
    peak = drawn[np.argmin(drawn[:, 1])]
    assert peak[0] == pytest.approx(2 + 146 * t[77_777], abs=0.06)
    assert np.all(np.diff(drawn[:, 0]) >= 0)


def test_a_small_line_of_anything():
    for y in ([1e308, -1e308], [np.nan, 1.0], [np.nan, np.nan], [5e-324, 0.0], [1.0, 1.0 + 1e-15]):
        text = sparkline([0.0, 1.0], y, "y")
        assert "nan" not in text
        assert "inf" not in text
    assert len(set(points(sparkline([0, 1], [1.0, 1.0 + 1e-15], "y"))[:, 1])) == 1


def test_modes_are_told_by_what_they_do():
    rows = [[seen(prose(cell)) for cell in row] for row in mode_rows([0, 0, -3 - 4j, -3 + 4j, 2], ["p", "q"])]
    assert [row[4] for row in rows] == [
        "zero: p", "zero: q", "oscillates and decays", "grows, e-fold in 0.5\u202fs",
    ]  # fmt: skip
    assert rows[2][:4] == ["−3 ± 4i", "4", "0.63662", "0.6"]
    (growing,) = mode_rows([3 - 4j, 3 + 4j])
    assert seen(growing[3]) == "−0.6"
    (undamped,) = mode_rows([1e-14 - 2j, 1e-14 + 2j])
    assert undamped[4].startswith("oscillates, undamped")
    assert mode_rows([0.0])[0][4] == "zero: not accounted for"
    assert mode_rows([]) == []


def test_results_show_themselves_in_cards(cart):
    law = gc.lqr(cart, cart.equilibrium("upright"))
    loop = law.closed_loop()
    proved = gc.certify(loop, law.equilibrium)
    text = seen(proved._repr_html_())
    assert "proved asymptotically stable" in text
    assert re.sub(r"\^", "", proved.claim) in text
    assert "details" in Card(proved._repr_html_()).tags
    assert "reduced_polynomial" in text

    shown = seen(gc.linearize(cart, cart.equilibrium("upright"))._repr_html_())
    assert "decays, e-fold in" in shown
    assert EVIL in shown

    run = gc.simulate(loop, np.linspace(0, 1, 40), loop.state(phi=0.1))
    card_of_run = Card(run._repr_html_())
    assert card_of_run.tags.count("svg") == 4
    assert "completed" in card_of_run.text
    assert "rad/s" in card_of_run.text


def test_points_laws_maps_and_many_runs_show_themselves(cart):
    point = cart.equilibrium("upright")
    text = seen(point._repr_html_())
    assert EVIL in text
    assert "rad/s" in text
    trim = gc.Equilibrium(**{**vars(point), "u": np.array([1.5])})
    assert "u = 1.5" in seen(trim._repr_html_())
    law = gc.lqr(cart, point, rate=100).sampled(rate=100, limits={"u": 20})
    assert "limits u in [-20, 20]" in seen(law._repr_html_())

    skate = gc.models.get("pendulum-skate")().replace(name=EVIL).reduce()
    for axes, images in (({"Omega0": (0, 10), "l": (0.1, 1.5)}, 1), ({"Omega0": (0, 10)}, 0)):
        shown = gc.certify_region(skate, "spinning", axes, depth=3)._repr_html_()
        assert "% stable" in seen(shown)
        assert Card(shown).tags.count("img") == images

    start = skate.equilibrium("spinning", Omega0=9).x
    many = gc.simulate_ensemble(skate, [0, 0.1], np.array([start, start]))
    assert EVIL in seen(many._repr_html_())
    assert "2 completed" in seen(many._repr_html_())


def test_a_report_shows_its_rows():
    rows = (
        RobustnessRow(EVIL, 0.25, 0.3, "s", "until it falls", 12, 7, (0.0, 1.0)),
        RobustnessRow("noise", None, 0.0, "", "", 3, 7, (0.0, 1.0)),
    )
    text = seen(RobustnessReport(rows, 7, ("delay",))._repr_html_())
    for words in (EVIL, "0.25", "until it falls", "Interrupted before delay", "seed 7"):
        assert words in text
