"""Drifts beside all members of a family: by hand, with one hypothesis that fails, and in maps."""

from functools import cache

import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.checker.limits import Refusal
from geoctrl.cli import main
from tests.checker.test_forged_maps import ByHand


class Drifting(ByHand):
    """y' = z, v' = 0 and z = a v over an axis a: y = t, v = w with t' = w a."""

    def __init__(self, low="1/2", high="2", role="family"):
        super().__init__({"a": [low, high]}, states=["y", "v"], unknowns=["z"])
        self.places |= {k: self.row("sym", k, role) for k in ("w", "t")}
        self.zero, one = self.number(0), self.number(1)
        self.rates = [self.places["z"], self.zero]
        self.members = {"y": self.zero, "v": self.zero}
        self.equations = {"matrix": [[0, 0, one]], "right": [self.power(1, a=1, v=1)]}
        self.witness["inverse"] = [[one]]
        self.theorem |= {"coordinates": ["w", "t"]}
        self.drift = {
            "by": "drift",
            "states": [self.places["t"], self.places["w"]],
            "unknowns": [self.power(1, a=1, w=1)],
            "slope": self.power(1, a=1),
            "moved": "y",
        }

    def verdict(self):
        self.theorem["proofs"] = [self.drift]
        return self.answer(self.rates, self.members, **self.equations)


def test_a_drift_beside_all_members():
    assert Drifting().verdict() == {"unstable": "1"}
    assert Drifting(low="-2", high="-1/2").verdict() == {"unstable": "1"}


@pytest.mark.parametrize("ends", [("-1", "1"), ("0", "1")])
def test_where_the_slope_vanishes_nothing_drifts(ends):
    """At a = 0 every point rests."""
    with pytest.raises(Refusal, match="does not hold on all of the cell"):
        Drifting(*ends).verdict()


def with_right(q):
    q.equations["right"] = [q.total(q.power(1, a=1, v=1), q.power(-1, y=1))]


def with_friction(q):
    q.rates[1] = q.power(-1, v=1)


def with_a_leaf(q):
    """On v = 0 nothing moves."""
    q.problem["leaf"] = {"v": q.places["v"]}
    q.theorem["leaf"] = {"rows": ["v"], "free": ["y"], "inverse": [["1"]]}


def with_shifted_states(q):
    q.drift["states"] = [q.total(q.places["t"], q.number(1)), q.places["w"]]


def with_moved_members(q):
    q.members["y"] = q.places["t"]


CHANGES = {
    "a spring": (with_right, "not proved to be a motion"),
    "friction": (with_friction, "not proved to be a motion"),
    "a leaf": (with_a_leaf, "not proved to be a motion"),
    "states beside": (with_shifted_states, "does not go through the members"),
    "members": (with_moved_members, "must not occur here"),
    "a state": (lambda q: q.drift["states"].reverse(), "not proved to be a motion"),
    "an unknown": (lambda q: q.drift.update(unknowns=[q.power(2, a=1, w=1)]), "not proved to be a motion"),
    "none": (lambda q: q.drift.update(unknowns=[]), "parts do not fit"),
    "a slope": (lambda q: q.drift.update(slope=q.power(1, a=2)), "not proved to be a motion"),
    "its pole": (lambda q: q.drift.update(slope=q.power(1, a=1, w=1, t=-1)), "a divisor is zero"),
    "what moves": (lambda q: q.drift.update(moved="v"), "asked of what vanishes"),
    "its name": (lambda q: q.drift.update(moved="z"), "parts do not fit"),
    "one coordinate": (lambda q: q.theorem.update(coordinates=["w", "w"]), "one number or axis each"),
    "one coordinate twice": (lambda q: q.drift.update(states=[q.places["w"]] * 2), "not proved to be a"),
    "no coordinates": (lambda q: q.theorem.pop("coordinates"), "one number or axis each"),
    "an axis": (lambda q: q.theorem.update(coordinates=["a", "t"]), "one number or axis each"),
    "coordinates changed": (lambda q: q.theorem["coordinates"].reverse(), "not proved to be a motion"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_hypothesis_is_asked(name):
    change, words = CHANGES[name]
    q = Drifting()
    change(q)
    with pytest.raises(Refusal, match=words):
        q.verdict()


def test_coordinates_are_no_parameters():
    q = Drifting(role="parameter")
    q.problem["parameters"] = {"w": "0", "t": "0"}
    with pytest.raises(Refusal, match="two coordinates"):
        q.verdict()


FAMILIES = {
    "snakeboard": ("coasting", "V", {"V": 2}),
    "veselova": ("resting", "I1", {}),
    "body-with-point-force": ("still", "J1", {}),
    "concentric-shells": ("equal", "J11", {}),
}
LONG = pytest.mark.long(reason="the same of two more families")


@cache
def mapped(model):
    family, axis, at = FAMILIES[model]
    system = gc.models.get(model)().reduce()
    member = system.equilibrium(family, **at)
    return system, member, gc.certify_region(system, family, {axis: (1.0, 2.0)}, depth=2)


@pytest.mark.parametrize(
    "model", ["snakeboard", "veselova", *(pytest.param(k, marks=LONG) for k in list(FAMILIES)[2:])]
)
def test_a_map_says_unstable_where_a_certificate_drifts(model, tmp_path):
    system, member, found = mapped(model)
    certificate = gc.certify(system, member)
    assert (certificate.verdict.name, certificate.method) == ("PROVED_UNSTABLE", "drift")
    assert found.unstable == 1
    assert [proof["by"] for proof in found.data["theorem"]["proofs"]].count("drift") == 1
    path = tmp_path / "map.json"
    found.to_json(path)
    assert "on 100 percent of the area they are unstable" in gc.verify(path).claim
    assert main(["verify", str(path), "--rebuild"]) == 0


def test_a_box_says_so_too():
    system, member, _ = mapped("veselova")
    assert gc.certify(system, member, over={"I1": 0.1, "I2": 0.1}).verdict.name == "PROVED_UNSTABLE"


def map_of_field(rate, low):
    """Of y' = rate, v' = 0, x' = -a x at rest, over a from low to 2."""
    a, (x, y, v) = gc.Parameter("a", 1.0), sp.symbols("x y v", real=True)
    rates = [rate(a.symbol, v), 0, -a.symbol * x]
    field = gc.VectorField([y, v, x], rates, parameters=[a], equilibria={"rest": gc.Family({})})
    return gc.certify_region(field.reduce(), "rest", {"a": (low, 2.0)}, depth=3)


def test_a_field_drifts_beside_its_point():
    assert map_of_field(lambda a, v: v, 0.5).unstable == 1


def test_a_drift_that_not_all_members_have_stays_open():
    """y' = a v: at a = 0 every point rests, and is stable; of other a it is another drift at each."""
    found = map_of_field(lambda a, v: a * v, 0.0)
    assert (found.unstable, found.stable) == (0, 0)
