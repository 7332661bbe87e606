"""Files are as short as their proofs: cofactors are written in factors, and by powers of roots; minors of
maps are formulas, and polynomials stand in units of the axes.
"""

import json

import numpy as np
import pytest
from flint import fmpq

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.witnesses.content import _rows_by_roots, content_with_witnesses
from geoctrl.checker.maps.axes import FunctionsWithSquares
from geoctrl.checker.maps.bernstein import AxesBox, Region

OLD = {("rattleback", "spinning"): 7555, ("top-on-sphere", "sleeping"): 8311}
"""Letters of files before they held witnesses, without blanks."""


@pytest.mark.parametrize(("name", "family"), OLD)
def test_a_file_is_hardly_longer_than_one_without_witnesses(name, family):
    system = gc.models.get(name)().reduce()
    symbols = dict.fromkeys(system.families[family].names, 5)
    certificate = gc.certify(system, system.equilibrium(family, **symbols))
    data = certificate.to_dict()
    assert checker.check(data).claim == certificate.claim
    assert len(json.dumps(data, separators=(",", ":"))) < 1.1 * OLD[name, family]
    if name == "rattleback":
        assert len(json.dumps(content_with_witnesses(certificate.proof))) > 2 * len(json.dumps(data))


def test_what_is_divided_by_is_divided_by_the_root_behind_its_row():
    nodes = [
        ["sym", "x", "state"],
        ["prod", "2", [[0, -1]]],
        ["fun", "sqrt", [0]],
        ["prod", "3", [[0, -1], [2, 1]]],
        ["prod", "5", [[0, 2], [2, -1]]],
        ["sum", [[1, 3]]],
    ]
    assert _rows_by_roots(nodes) == [*nodes[:3], ["prod", "3", [[2, -1]]], *nodes[4:]]


MAPS = [
    ("tippe-top", "bottom", {"n": (-50, 50)}, 6017),
    ("tippe-top", "bottom", {"n": (1, 100), "epsilon": (0.05, 0.5)}, 6118),
    pytest.param(
        "pendulum-3d",
        "permanent",
        {"s": (0.66, 0.89)},
        9149,
        marks=pytest.mark.long(reason="4 s: a family with four roots; shorter ones above"),
    ),
]
"""Letters of files before they held witnesses."""


@pytest.mark.parametrize(("name", "family", "axes", "old"), MAPS)
def test_a_map_is_at_most_half_as_long_again_as_without_witnesses(name, family, axes, old):
    found = gc.certify_region(gc.models.get(name)().reduce(), family, axes, depth=3)
    assert found.stable > 0.15
    text = found.to_json()
    assert len(text) < 1.5 * old
    assert checker.check(json.loads(text)).claim == found.claim


def test_a_product_has_a_sign_on_each_cell_on_which_its_factors_have_one():
    """Why factors of minors need not be written one by one."""
    rng = np.random.default_rng(5)
    field = FunctionsWithSquares(2, [], lambda *_: 0)
    x, y = (v.top for v in field.variables)
    region, alone, together = Region(field, [(fmpq(0), fmpq(1))] * 2), 0, 0
    for _ in range(60):
        f, g = (
            sum((int(c) * x**i * y**j for (i, j), c in np.ndenumerate(rng.integers(-4, 9, (3, 2)))), 0 * x)
            for _ in range(2)
        )
        for k in range(4):
            low = [fmpq(k % 2, 2), fmpq(k // 2, 2)]
            box = AxesBox(region, [(a, a + fmpq(1, 2)) for a in low])
            signs = [box.sign(region.form(p)) for p in (f, g, f * g)]
            alone += bool(signs[0] * signs[1])
            together += bool(signs[2])
            assert signs[2] == signs[0] * signs[1] or not signs[0] * signs[1]
    assert together >= alone > 40
