"""Regions in which friction takes the energy: files by hand, and ones in which a hypothesis fails."""

from fractions import Fraction

import pytest

from geoctrl.checker import Refusal, prove
from tests.attack.parts.forged_regions import tree
from tests.checker.test_witnesses_of_regions import Oscillator


class Rubbed(Oscillator):
    """q' = v, v' = -q - d v with a factor d, about rest; the energy falls by d v^2."""

    def __init__(self, alone=True):
        super().__init__()
        self.theorem |= {"alone": True} if alone else {}
        self.rub(self.dry())

    def dry(self, limit="1/4"):
        """F/sqrt(v^2 + 1/100)."""
        square = self.nodes.total((1, self.nodes.product((self.v, 2))), ("1/100", self.one))
        return self.nodes.product((self.nodes.function("sqrt", square), -1), factor=limit)

    def rub(self, factor, across=None, pull=None):
        """The same with another factor, by the square of a(q) v, and with another force beside it."""
        square = self.v if across is None else self.nodes.product((across, 1), (self.v, 1))
        powers = [(factor, 1), (self.v, 1), *([] if across is None else [(across, 2)])]
        force = self.nodes.product(*powers, factor=-1)
        pull = self.fall if pull is None else pull
        self.problem["field"] = [self.v, self.nodes.total((1, pull), (1, force))]
        self.theorem["fall"] = {
            "function": self.problem["invariants"]["energy"],
            "weights": [],
            "sense": 1,
            "squares": [{"factor": factor, "square": square}],
            "cofactors": [],
        }
        return self


def verdict(made):
    data = made.data
    places = [i for i, row in enumerate(data["problem"]["nodes"]) if row[:2] == ["fun", "sqrt"]]
    data["witness"]["roots"] = [[i, "1/10"] for i in places]
    return prove(data).verdict


def test_dry_friction_brings_all_of_the_set_to_rest():
    assert verdict(Rubbed()) == "PROVED_ATTRACTED"
    assert verdict(Rubbed(alone=False)) == "PROVED_INVARIANT"


def refused(made, words):
    with pytest.raises(Refusal, match=words):
        verdict(made)


def test_factors_that_change_sign_with_the_velocity_are_refused():
    """1 - v^2 is positive at the point, and friction drives where |v| > 1."""
    o = Rubbed()
    refused(o.rub(o.minus((1, o.nodes.product((o.v, 2))))), "V may grow")
    refused(o.rub(o.minus(("1/2", o.v))), "V may grow")
    assert verdict(o.rub(o.nodes.total((1, o.one), (1, o.nodes.product((o.v, 2)))))) == "PROVED_ATTRACTED"
    drives = o.nodes.total((1, o.one), (-1, o.dry("1/20")))
    refused(o.rub(drives), "V may grow")  # 1 - 0.05/sqrt(v^2 + 0.01) is positive; its form does not say so


def test_divisors_and_roots_that_may_vanish_at_some_velocity_are_refused():
    o = Rubbed()
    divided = o.nodes.product((o.minus((1, o.v)), -1))
    refused(o.rub(o.nodes.product((divided, 2))), "a rate may have no value|V may grow")
    o = Rubbed()
    refused(
        o.rub(o.nodes.function("exp", o.nodes.function("log", o.minus((1, o.v))))), "a rate may have no value"
    )


def test_what_does_not_see_all_velocities_leaves_others():
    """The square q v vanishes where q does: that all velocities vanish with it is not shown by its rank."""
    o = Rubbed()
    refused(o.rub(o.one, o.q), "motions may stay elsewhere")
    o.theorem.pop("alone")
    assert verdict(o) == "PROVED_INVARIANT"


def two_wells(level):
    """(q^2 - 1)^2/4 + v^2/2 about q = 1, with dry friction."""
    o = Rubbed()
    square = o.nodes.product((o.q, 2))
    well = o.nodes.product((o.nodes.total((1, square), (-1, o.one)), 2), factor="1/4")
    o.B = o.nodes.total((1, well), ("1/2", o.nodes.product((o.v, 2))))
    o.problem["invariants"]["energy"] = o.theorem["function"] = o.B
    o.problem["states"]["q"] = "1"
    o.theorem |= {"level": level, "sides": {"q": ["-4", "4"]}, "cells": tree(7)}
    return o.rub(o.dry(), pull=o.nodes.total((1, o.q), (-1, o.nodes.product((o.q, 3)))))


def test_a_set_with_another_point_of_rest_is_no_set_that_motions_leave_for_one():
    """Above the saddle, 1/4, the set holds both wells: it is kept, and motions end in either."""
    assert verdict(two_wells("1/5")) == "PROVED_ATTRACTED"
    above = two_wells("3/10")
    refused(above, "motions may stay elsewhere")
    above.theorem.pop("alone")
    assert verdict(above) == "PROVED_INVARIANT"


def test_nothing_is_attracted_where_nothing_falls():
    o = Oscillator()
    o.theorem["alone"] = True
    with pytest.raises(Refusal, match="motions may stay elsewhere"):
        prove(o.data)


def test_forces_beside_the_rates_are_no_rates():
    """An unknown that is no rate of a velocity need not vanish at rest: K z = b does not leave b = 0."""
    o = Rubbed()
    o.problem |= {"unknowns": ["z"], "matrix": [[0, 0, o.one]], "right": [o.q]}
    o.nodes.rows.append(["sym", "z", "unknown"])
    o.witness["inverse"] = [["1"]]
    refused(o, "forces are unknown beside the rates")


def test_a_changed_level_or_factor_is_refused():
    o = Rubbed()
    o.theorem["level"] = str(Fraction(9))
    refused(o, "reaches the side")
    o = Rubbed()
    o.theorem["fall"]["squares"][0]["factor"] = o.dry("1/5")
    refused(o, "not proved that the function falls")
