"""Levels of regions by the energy, against saddles and limits in closed form."""

import json
import math

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.regions import proved_set
from geoctrl.checker.limits import Refusal


def two_wells():
    """U = 2 y^2 - y^4/3 + x^2/2 with friction: saddles at y^2 = 3, where U = 3; no lower bound beyond."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, y],
        inertia=[[2, 0], [0, 3]],
        forces=[-x.rate, -y.rate / 2],
        potential=2 * y.symbol**2 - y.symbol**4 / 3 + x.symbol**2 / 2,
        name="two wells",
    ).reduce()


def one_well():
    """U = 2 y^2 - y^4/3 alone."""
    y = gc.Coordinate("y")
    potential = 2 * y.symbol**2 - y.symbol**4 / 3
    return gc.EulerPoincare(
        algebra=None, shape=[y], inertia=[[3]], forces=[-y.rate / 2], potential=potential, name="one well"
    ).reduce()


def count_judgements(monkeypatch, judged, refused=0):
    """Let the checker's judge note what it is given, and refuse the first ones."""

    def noted(content):
        judged.append({k: v for k, v in content.items() if k != "digest"})
        if len(judged) <= refused:
            raise Refusal("refused by the test")
        return checker.prove(content)

    monkeypatch.setattr(proved_set, "prove", noted)


REACHED = 2.96
"""By levels of two wells, and of one; in the box before the best one the level is lower."""


@pytest.fixture(
    scope="module",
    params=[one_well, pytest.param(two_wells, marks=pytest.mark.long(reason="one well is asked the same"))],
)
def whole(request):
    """The system, its region, and what was judged on the way."""
    judged, system = [], request.param()
    with pytest.MonkeyPatch.context() as monkeypatch:
        count_judgements(monkeypatch, judged)
        return system, gc.region_of_attraction(system, system.state(), by="energy"), judged


def test_the_best_box_is_kept_and_looked_at_once_more(whole, tmp_path):
    """In boxes that are twice as large cells are coarser: levels were 2.909, 1.792, 1.738 in turn."""
    system, roa, _ = whole
    assert REACHED <= roa.level < 3
    assert roa.contains(system.state(y=1.6))
    assert not roa.contains(system.state(y=1.75))
    roa.to_json(tmp_path / "well.json")
    assert gc.verify(tmp_path / "well.json").verdict is gc.Verdict.PROVED_ATTRACTED


def test_a_set_is_judged_once_and_from_what_its_file_holds(whole):
    """Levels of several boxes are searched; of all of them the one that is written is judged."""
    _, roa, (content,) = whole
    written = json.loads(roa.to_json())
    assert content == {k: v for k, v in written.items() if k != "digest"}


def test_where_the_last_box_is_refused_the_one_before_is_judged(monkeypatch):
    judged, system = [], two_wells()
    count_judgements(monkeypatch, judged, refused=2)  # that nothing else rests there, and the set itself
    before = gc.region_of_attraction(system, system.state(), by="energy")
    assert len(judged) == 3
    assert 1 < before.level < REACHED


def test_where_every_box_is_refused_nothing_is_proved(monkeypatch):
    system, judged = one_well(), []
    count_judgements(monkeypatch, judged, refused=9)
    with pytest.raises(gc.CertificateError, match="refused by the test"):
        gc.region_of_attraction(system, system.state(), by="energy")
    assert judged


@pytest.mark.parametrize("bound", [8.0])
def test_cells_off_the_leaf_do_not_count_for_limits(bound):
    """On the upright leaf the skate is a pendulum, u = gamma m g l sin(phi), with the energy
    E = 3/2 + I w^2/2 + m g l cos(phi): |u| <= bound up to -E = -3/2 - m g l cos(phi_max).
    """
    loop = gc.match(gc.models.get("pendulum-skate-rotor")(set="7.3")).law(sigma=-1e-5).closed_loop()
    eq = loop.equilibrium("sliding", Y0=1.0)
    roa = gc.region_of_attraction(loop, eq, limits={"u_theta": bound})
    weight, gamma = 23.52, 10.8696  # m g l in N m, and the torque over that of gravity
    bottom, edge = -1.5 - weight, -1.5 - weight * math.sqrt(1 - (bound / (gamma * weight)) ** 2)
    assert 0.95 < (roa.level - bottom) / (edge - bottom) < 1 + 1e-6
    assert roa.limits == {"u_theta": bound}


X, Y = sp.symbols("x y", real=True)
FIELDS = {
    "cycle": [-Y, X - (1 - X**2) * Y],
    "saddles": [Y, -X + X**3 - Y],
    "hyperbolas": [-X + 2 * X**2 * Y, -Y],
    "spiral": [-X + 3 * Y - X * Y, -2 * X - Y + Y**2],
}
"""The cycle of van der Pol's equation, saddles at (+-1, 0), xy = 1, and a field without symmetry."""


def area(roa):
    """Of a set of two states, by an ellipse for V of degree two."""
    return math.pi / math.sqrt(np.linalg.det(roa.matrix / roa.level))


@pytest.mark.parametrize(
    "name",
    [
        "hyperbolas",
        *(
            pytest.param(k, marks=pytest.mark.long(reason="six sets each"))
            for k in ("cycle", "saddles", "spiral")
        ),
    ],
)
def test_more_limits_never_give_a_larger_set(name):
    """One limit after the other, then a lower one. Between the strips |x + y| <= a and |x - 2 y| <= b fits an
    ellipse of the area pi a b / 3, which the set fills.
    """
    outputs = {"u": X + Y, "v": X - 2 * Y, "w": X}
    system = gc.VectorField([X, Y], FIELDS[name], outputs=outputs, name=name).reduce()
    given = [{}, {"u": 2}, {"u": 1}, {"u": 1, "v": 1.5}, {"u": 1, "v": 1.5, "w": 0.6}, {"u": 0.3, "v": 1.5}]
    sets = [
        gc.region_of_attraction(system, [0, 0], limits=limits, by="squares", monomials=2) for limits in given
    ]
    areas = [area(roa) for roa in sets]
    for more, k in ((1, 0), (2, 1), (3, 2), (4, 3), (5, 3)):
        assert areas[more] <= areas[k] * (1 + 1e-3), given[more]
    strips = math.pi * 1.5 / 3
    assert 0.9 * strips < areas[3] <= strips
    slopes = {"u": [1, 1], "v": [1, -2], "w": [1, 0]}
    for roa, limits in zip(sets, given, strict=True):
        for name, bound in limits.items():
            k = np.array(slopes[name])
            assert roa.level * (k @ np.linalg.inv(roa.matrix) @ k) <= bound**2
