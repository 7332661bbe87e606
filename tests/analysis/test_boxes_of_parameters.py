"""One verdict for a box of constants: known numbers, points that contradict, files, and what is refused."""

from __future__ import annotations

import copy
import json
import pickle
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.maps import stability_over_box
from geoctrl.rocq import rocq_text

x, y = sp.symbols("x y", real=True)
p, q = gc.Parameter("p", 0.5), gc.Parameter("q", 1.0, positive=True)


@cache
def cart():
    plant = gc.models.get("cart-pendulum")().reduce()
    return gc.lqr(plant, plant.equilibrium("upright")).closed_loop()


@cache
def skate():
    plant = gc.models.get("pendulum-skate-rotor")().reduce()
    return gc.lqr(plant, plant.equilibrium("sliding", Y0=1.0)).closed_loop()


@cache
def over_cart(part):
    return gc.certify(cart(), cart().equilibrium("upright"), over=dict.fromkeys(cart().params, part))


@cache
def over_skate(part):
    axes = dict.fromkeys([*skate().params, "Y0"], part)
    return gc.certify(skate(), skate().equilibrium("sliding", Y0=1.0), over=axes)


def scalar(rate):
    """x' = rate x."""
    field = gc.VectorField(
        [x], [rate * x], parameters=[p, q], equilibria={"rest": gc.Family({})}, name="line"
    )
    return field.reduce()


def asked(system, **over):
    return gc.certify(system, system.equilibrium("rest"), over=over)


def test_the_loop_of_the_cart_over_four_axes():
    found = over_cart(0.2)
    assert found.verdict.name == "PROVED_ASYMPTOTICALLY_STABLE"
    assert found.over["l"] == (Fraction(0.215) * 4 / 5, Fraction(0.215) * 6 / 5)
    assert "Of constants that vary in time nothing is said" in found.claim
    assert checker.check(json.loads(found.to_json())).verdict == "PROVED_ASYMPTOTICALLY_STABLE"


def test_the_loop_of_the_cart_has_a_counterexample_in_a_larger_box():
    found = over_cart(0.5)
    assert found.verdict.name == "UNDECIDED"
    assert found.counterexample.verdict.name == "PROVED_UNSTABLE"
    assert all(found.against[k] == high for k, (_, high) in found.over.items())
    assert 0.9 < found.inside < 1
    inner = dict.fromkeys(cart().params, 0.5 * found.inside)
    assert gc.certify(cart(), cart().equilibrium("upright"), over=inner).verdict.proved
    with pytest.raises(gc.CertificateError, match="a report and no proof of the box"):
        found.to_json()


def test_the_loop_of_the_skate_over_ten_axes():
    """One of them a symbol of the family."""
    assert over_skate(0.15).verdict.name == "PROVED_STABLE"
    wide = over_skate(0.2)
    assert wide.verdict.name == "UNDECIDED"
    assert wide.counterexample.verdict.name == "PROVED_UNSTABLE"
    assert wide.against["J1"] == wide.over["J1"][0]
    assert 0.15 < 0.2 * wide.inside < 0.2


@pytest.mark.parametrize("ask", [over_cart, over_skate])
def test_eigenvalues_at_corners_and_within_agree(ask):
    """By doubles, which know nothing of signs over boxes: at points of proved boxes none is to the right."""
    found = ask(0.15)
    assert found.verdict.proved
    system = cart() if ask is over_cart else skate()
    (family,) = (name for name in ("upright", "sliding") if name in system.families)
    rng = np.random.default_rng(5)
    for k in range(120):
        draws = rng.integers(0, 2, len(found.over)) if k % 2 else rng.uniform(size=len(found.over))
        sides = zip(found.over.items(), map(float, draws), strict=True)
        at = {name: float(a + (b - a) * Fraction(s)) for (name, (a, b)), s in sides}
        symbols = {n: at.pop(n) for n in system.families[family].names}
        member = system.members(family, params=at, **symbols)[:, 0]
        A = system.jacobian(0.0, member, params=at)
        values = np.linalg.eigvals(A)
        assert values.real.max() < 1e-7 * np.abs(values).max()


def test_boxes_that_are_unstable_and_boxes_that_need_halves():
    assert asked(scalar(p), p=(Fraction(1, 10), 2)).verdict.name == "PROVED_UNSTABLE"
    # 3/10 - p + p^2 > 0, but the middle coefficient of Bernstein on [0, 1] is -1/5.
    halved = asked(scalar(-(p.symbol**2) + p - sp.Rational(3, 10)), p=(0, 1))
    assert halved.verdict.name == "PROVED_ASYMPTOTICALLY_STABLE"
    assert any(k >= 0 for k in halved.to_dict()["theorem"]["parts"])
    # The same with a root at 1/2, where x' = 0: nothing is proved of the whole, most of it is.
    touched = asked(scalar(-((p.symbol - sp.Rational(1, 3)) ** 2)), p=(0, 1))
    assert touched.verdict.name == "UNDECIDED"
    assert touched.against is None
    assert touched.parts > 0.9
    # Vertices and centre are stable, p = 2/5 is not.
    between = asked(scalar(sp.Rational(1, 400) - (p.symbol - sp.Rational(2, 5)) ** 2), p=(0, 1))
    assert between.verdict.name == "UNDECIDED"
    assert between.counterexample.verdict.name == "PROVED_UNSTABLE"
    assert abs(between.against["p"] - Fraction(2, 5)) < Fraction(1, 20)


def test_a_search_ends_after_so_many_coefficients(monkeypatch):
    monkeypatch.setattr(stability_over_box, "COEFFICIENTS", 0)
    found = asked(scalar(-(p.symbol**2) + p - sp.Rational(3, 10)), p=(0, 1))
    assert found.verdict.name == "UNDECIDED"
    assert "in the boxes looked at" in found.reason


def test_a_box_of_which_no_polynomial_has_doubles():
    found = gc.certify(cart(), cart().equilibrium("upright"), over={"m": (1e-300, 1e300)})
    assert found.verdict is gc.Verdict.UNDECIDED
    assert found.counterexample.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert set(found.against) == {"m"}


def test_a_point_that_rests_for_all_of_the_box_needs_no_family():
    system = gc.VectorField([x, y], [y, -q * x - y], parameters=[q]).reduce()
    assert gc.certify(system, [0, 0], over={"q": 0.5}).verdict.name == "PROVED_ASYMPTOTICALLY_STABLE"
    moved = gc.VectorField([x], [q.symbol - x], parameters=[q]).reduce()
    with pytest.raises(gc.EquilibriumError, match="for all values of the axes"):
        gc.certify(moved, [1], over={"q": 0.5})


def test_a_map_asks_the_whole_box_first():
    """Where the verdict over ten axes is proved, their map is one cell, and the checker confirms it."""
    loop, over = skate(), over_skate(0.15).over
    found = gc.certify_region(loop, "sliding", over, depth=3)
    assert [cell.verdict for cell in found.cells] == ["stable"]
    assert found.at(**{name: low for name, (low, _) in over.items()}) == "stable"
    assert checker.check(json.loads(found.to_json())).verdict == "PROVED_BY_CELLS"
    with pytest.raises(gc.InputError, match="at most 12 axes, got 13"):
        gc.certify_region(loop, "sliding", {f"p{k}": (1, 2) for k in range(13)}, depth=1)


def test_only_what_the_whole_leaves_open_is_halved():
    """The right half is one cell, and so is the first quarter; about p = 1/3 boxes are halved."""
    system = scalar(p.symbol - sp.Rational(1, 3))
    found = gc.certify_region(system, "rest", {"p": (0, 1)}, depth=5)
    sides = [(cell.sides["p"], cell.verdict) for cell in found.cells]
    assert sides[0] == ((0.0, 0.25), "stable")
    assert sides[-1] == ((0.5, 1.0), "unstable")
    assert [k for k, (_, verdict) in enumerate(sides) if verdict == "undecided"] == [2]
    assert sides[2][0] == (10 / 32, 11 / 32)
    assert checker.check(json.loads(found.to_json())).verdict == "PROVED_BY_CELLS"


def test_a_relation_that_the_constants_keep_is_no_hindrance():
    """Lorenz' zonal wind x = F rests where G = 0, and attracts where F < 1."""
    system = gc.models.get("lorenz-84")().reduce()
    member = system.equilibrium("zonal")
    found = gc.certify(system, member, over={"a": 0.5, "F": (-1, Fraction(99, 100))})
    assert found.verdict.name == "PROVED_ASYMPTOTICALLY_STABLE"
    beyond = gc.certify(system, member, over={"a": 0.5, "F": (-1, Fraction(101, 100))})
    assert (beyond.verdict.name, beyond.counterexample.verdict.name) == ("UNDECIDED", "PROVED_UNSTABLE")
    for ask in (
        lambda: gc.certify(system, member, over={"G": (-1, 1)}),
        lambda: gc.certify_region(system, "zonal", {"G": (-1, 1)}, depth=2),
    ):
        with pytest.raises(gc.EquilibriumError, match="members of 'zonal' satisfy G = 0"):
            ask()


def genuine():
    return copy.deepcopy(asked(scalar(-(p.symbol**2) + p - sp.Rational(3, 10)), p=(0, 1)).to_dict())


def resigned(data):
    return data | {"digest": checker.digest_of({k: v for k, v in data.items() if k != "digest"})}


def widened(data):
    data["theorem"]["axes"]["p"] = ["-1000", "1000"]


def unhalved(data):
    data["theorem"]["parts"] = data["theorem"]["parts"][-1:]


def lengthened(data):
    data["theorem"]["parts"].append(-1)


def beyond(data):
    data["theorem"]["parts"] = [-9]


def on_another_axis(data):
    data["theorem"]["parts"][0] = 3


def reversed_axis(data):
    data["theorem"]["axes"]["p"] = ["1", "0"]


def other_rate(data):
    for node in data["problem"]["nodes"]:
        if node[0] == "num" and node[1] == "-3/10":
            node[1] = "3/10"
    data["problem"]["field"] = [data["problem"]["nodes"].index(["sym", "x", "state"])]


def other_proof(data):
    data["theorem"]["proofs"][0]["by"] = "growth"


@pytest.mark.parametrize(
    "change",
    [widened, unhalved, lengthened, beyond, on_another_axis, reversed_axis, other_rate, other_proof],
)
def test_changed_files_are_refused(change):
    data = genuine()
    assert checker.check(data).verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    change(data)
    with pytest.raises(checker.Refusal):
        checker.check(resigned(data))


def test_a_stable_map_proof_on_part_of_the_leaf_says_no_more_than_stable():
    """The skate's roots hold zeros of its family, so no member attracts: the verdict is stability alone."""
    data = over_skate(0.15).to_dict()
    assert checker.check(data).verdict == "PROVED_STABLE"


@pytest.mark.parametrize(
    ("over", "error", "words"),
    [
        ({"qq": 0.1}, gc.ParameterError, "no parameter or symbol of the family 'qq'"),
        ({"q": 1.5}, gc.InputError, "between 0 and 1"),
        ({"q": 0}, gc.InputError, "between 0 and 1"),
        ({"q": True}, gc.InputError, "over"),
        ({"q": "wide"}, gc.GeoctrlError, "q"),
        ({"q": (2, 1)}, gc.InputError, "low < high"),
        ({"q": (2, 3)}, gc.InputError, "leaves out its value"),
        ({"q": (-1, 3)}, gc.ParameterError, "positive"),
        ({"q": 0.1}, gc.InputError, "does not occur"),
        ({}, gc.InputError, "over is a dict"),
        ([("p", 0.1)], gc.InputError, "over is a dict"),
    ],
)
def test_what_is_no_box_is_refused(over, error, words):
    system = scalar(-p)
    with pytest.raises(error, match=words):
        gc.certify(system, system.equilibrium("rest"), over=over)


def test_a_box_goes_with_neither_a_controller_nor_an_orbit():
    system = scalar(-p)
    with pytest.raises(gc.InputError, match="without modulo= and controller="):
        gc.certify(system, [0], modulo="orbit", over={"p": 0.1})
    chain = gc.spheres.chain_pendulum([1.0], [1.0])
    with pytest.raises(TypeError, match="certify"):
        gc.certify(chain, np.zeros(6), over={"p": 0.1})


def test_there_is_no_theorem_of_rocq_and_that_is_said():
    with pytest.raises(
        gc.CertificateError, match="about a set or a map, of which the library has no theorem"
    ):
        rocq_text(over_cart(0.2).to_dict())


def test_a_box_is_drawn_with_what_is_proved_and_the_point_against_it():
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    wide = over_cart(0.5)
    ax = wide.plot()
    asked, proved = ax.containers
    assert [bar.get_width() for bar in asked] == [2.0] * 4
    assert [bar.get_width() for bar in proved] == [2 * wide.inside] * 4
    (cross,) = ax.lines
    assert list(cross.get_xdata()) == [1.0] * 4
    assert ax.get_yticklabels()[0].get_text().startswith("$M$ in [0.22, 0.66]")
    assert not over_cart(0.2).plot().lines
    plt.close("all")
    with pytest.raises(TypeError, match="a verdict of certify"):
        gc.viz.box(3)


def test_what_is_printed_and_pickled():
    for found in (over_cart(0.2), over_skate(0.2)):
        assert max(map(len, repr(found).splitlines())) <= 79
        again = pickle.loads(pickle.dumps(found))
        assert (again.verdict, again.inside, again.evidence) == (found.verdict, found.inside, found.evidence)
    with pytest.raises(TypeError, match="not a bool"):
        bool(over_cart(0.2))
