"""Files of maps: by hand, with one hypothesis that fails, and honest ones with something changed."""

import copy
import json
import random

import pytest
import sympy as sp
from flint import fmpq

import geoctrl as gc
from geoctrl import checker
from geoctrl.checker.limits import Refusal
from geoctrl.checker.maps.axes import Axes
from geoctrl.checker.maps.bernstein import Region
from geoctrl.checker.maps.charts import MINORS
from geoctrl.checker.maps.region import analytic


class ByHand:
    """A map of x' = f(x, z) over axes a, from rows of nodes."""

    def __init__(self, axes, symbols=(), states=("x",), unknowns=()):
        self.rows, self.states, self.unknowns = [], list(states), list(unknowns)
        roles = {"parameter": [k for k in axes if k not in symbols], "family": symbols}
        roles |= {"state": states, "unknown": unknowns}
        self.places = {k: self.row("sym", k, role) for role, names in roles.items() for k in names}
        self.theorem = {
            "name": "map",
            "family": "by hand",
            "axes": axes,
            "symbols": {},
            "domain": [],
            "leaf": {"rows": [], "free": list(states), "inverse": []},
            "divisors": [],
            "charts": [],
            "proofs": [],
            "cells": "a",
        }
        self.problem = {"leaf": {}, "invariants": {}, "weights": {}, "matrix": [], "right": []}
        self.problem |= {"parameters": {}, "inputs": {}}
        self.witness = {"roots": [], "inverse": [], "cofactors": {}}

    def row(self, *row):
        self.rows.append(json.loads(json.dumps(row)))
        return len(self.rows) - 1

    def number(self, c):
        return self.row("num", str(c))

    def power(self, c=1, **powers):
        """c x^p y^q ..., by names or places."""
        return self.row("prod", str(c), [[self.places[k], e] for k, e in powers.items()])

    def product(self, c, *factors):
        return self.row("prod", str(c), [list(f) for f in factors])

    def total(self, *places):
        one = self.number(1)
        return self.row("sum", [[one, p] for p in places])

    def chart(self, blocks, rows=(), fixed=(), inverse=()):
        free = [k for k in self.states if k not in fixed]
        keys = ("states", "coefficients", "minors")
        made = [dict(zip(keys, block, strict=True)) for block in blocks]
        self.theorem["charts"].append(
            {"rows": list(rows), "free": free, "inverse": list(inverse), "blocks": made}
        )
        return len(self.theorem["charts"]) - 1

    def answer(self, field, members, **problem):
        """Verdicts by their share, or the refusal."""
        self.problem |= {"nodes": self.rows, "field": field, "states": members, "unknowns": self.unknowns}
        head = {"format": "geoctrl-certificate", "version": 3, "software": "", "system": "", "digest": ""}
        parts = {"problem": self.problem | problem, "witness": self.witness, "theorem": self.theorem}
        found = checker.prove(head | parts).told["region"].area
        return {k: str(v) for k, v in found.items() if v}


def decay(sign=-1, low="1", high="2", minors=True, coefficient=None, proof=None):
    """x' = sign a x over a in [low, high], whose root is sign a."""
    q = ByHand({"a": [low, high]})
    a, zero = q.power(-sign, a=1), q.number(0)
    c = a if coefficient is None else coefficient(q)
    q.theorem["proofs"] = [proof or {"by": "roots", "chart": q.chart([([0], [c], [c] if minors else [])])}]
    if proof:
        q.chart([([0], [c], [])])
    return q.answer([q.power(sign, a=1, x=1)], {"x": zero})


GROWS = {"by": "growth", "chart": 0, "block": 0, "negative": ["coefficients", 0]}


def test_a_root_and_its_sign():
    assert decay() == {"stable": "1"}
    assert decay(sign=1, proof=GROWS) == {"unstable": "1"}
    for forged in (
        lambda: decay(sign=1),
        lambda: decay(proof=GROWS),
        lambda: decay(low="-1"),
        lambda: decay(low="0"),
        lambda: decay(sign=1, low="-1", proof=GROWS),
    ):
        with pytest.raises(Refusal, match="does not hold on all of the cell"):
            forged()


def test_what_is_signed_is_what_the_equations_give():
    with pytest.raises(Refusal, match="not the characteristic polynomial"):
        decay(sign=1, coefficient=lambda q: q.power(1, a=1))
    with pytest.raises(Refusal, match="a minor is not given"):
        decay(minors=False)
    with pytest.raises(Refusal, match="asked of what vanishes"):
        decay(sign=0, coefficient=lambda q: q.power(0, a=1))


def test_a_sign_of_nothing_is_none():
    """x' = 0: the coefficient is zero, written as -a + a, as 0 a, and left out."""
    q = ByHand({"a": ["1", "2"]})
    zero = q.number(0)
    q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [], [])])}]
    assert q.answer([zero], {"x": zero}) == {"spectrum": "1"}
    for text in (lambda q: q.power(0, a=1), lambda q: q.total(q.power(1, a=1), q.power(-1, a=1))):
        q = ByHand({"a": ["1", "2"]})
        zero, c = q.number(0), text(q)
        q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [c], [c])])}]
        with pytest.raises(Refusal, match="asked of what vanishes"):
            q.answer([zero], {"x": zero})


def spiral(a, b, blocks=None, minors=None):
    """x' = a x + b y, y' = -x over an axis k: x^2 - a x + b, of which numbers are factors of k."""
    q = ByHand({"k": ["1", "2"]}, states=["x", "y"])
    zero = q.number(0)
    first, last = q.power(-a, k=1), q.power(b, k=1)
    second = q.power(-a * b, k=2)
    if blocks is None:
        turning = not a
        given = [last] if turning else [first, second]
        n = [q.number(1), zero]
        blocks = [([0, 1], [zero, last] if turning else [first, last], n[:1] if turning else given)]
        blocks = [([0, 1], [zero if turning else first, last], minors(q) if minors else blocks[0][2])]
    q.theorem["proofs"] = [{"by": "roots", "chart": q.chart(blocks)}]
    field = [q.total(q.power(a, k=1, x=1), q.power(b, k=1, y=1)), q.power(-1, x=1)]
    return q.answer(field, {"x": zero, "y": zero})


def test_minors_of_hurwitz_and_hermite():
    assert spiral(-3, 2) == {"stable": "1"}
    assert spiral(0, 2) == {"spectrum": "1"}
    for a, b in ((3, 2), (-3, -2)):
        with pytest.raises(Refusal, match="does not hold on all of the cell"):
            spiral(a, b)
    with pytest.raises(Refusal, match="not the minors"):
        spiral(3, 2, minors=lambda q: [q.power(3, k=1), q.power(6, k=2)])
    with pytest.raises(Refusal, match="does not hold on all of the cell"):
        spiral(0, -2)


def test_blocks_are_all_of_the_linearisation_and_nothing_stands_beside_them():
    """x' = k y, y' = k x has the roots k and -k; its diagonal says nothing of that."""
    q = ByHand({"k": ["1", "2"]}, states=["x", "y"])
    zero = q.number(0)
    field = [q.power(1, k=1, y=1), q.power(1, k=1, x=1)]
    for blocks in ([([0], [], []), ([1], [], [])], [([0], [], [])], [([0], [], []), ([0], [], [])]):
        q.theorem["charts"], q.theorem["proofs"] = [], [{"by": "roots", "chart": 0}]
        q.chart(blocks)
        with pytest.raises(Refusal, match="blocks"):
            q.answer(field, {"x": zero, "y": zero})


def test_members_are_equilibria_on_the_leaf_for_all_values_of_the_axes():
    """x' = -(x - a) rests at a, and nowhere else."""
    for member in ("a", "zero"):
        q = ByHand({"a": ["1", "2"]})
        at = {"a": q.places["a"], "zero": q.number(0)}[member]
        one = q.number(1)
        q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [one], [one])])}]
        field = [q.total(q.places["a"], q.power(-1, x=1))]
        if member == "a":
            assert q.answer(field, {"x": at}) == {"stable": "1"}
        else:
            with pytest.raises(Refusal, match="no equilibrium on the leaf"):
                q.answer(field, {"x": at})


def test_divisors_differ_from_zero_on_the_cell():
    """x' = -x/(a - 1): where a = 1 there is no such motion."""
    for low, fine in (("2", True), ("1", False), ("0", False)):
        q = ByHand({"a": [low, "3"]})
        zero = q.number(0)
        away = q.total(q.places["a"], q.number(-1))
        slope = q.product(1, (away, -1))
        q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [slope], [slope])])}]
        field = [q.product(-1, (q.places["x"], 1), (away, -1))]
        if fine:
            assert q.answer(field, {"x": zero}) == {"stable": "1"}
        else:
            with pytest.raises(Refusal, match="does not hold on all of the cell"):
                q.answer(field, {"x": zero})


def test_the_domain_of_the_model_holds_the_cell():
    for low, fine in (("2", True), ("1", False)):
        q = ByHand({"a": [low, "3"]})
        zero, one = q.number(0), q.number(1)
        q.theorem["domain"] = [q.total(q.places["a"], q.number("-3/2"))]
        q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [one], [one])])}]
        if fine:
            assert q.answer([q.power(-1, x=1)], {"x": zero}) == {"stable": "1"}
        else:
            with pytest.raises(Refusal, match="does not hold on all of the cell"):
                q.answer([q.power(-1, x=1)], {"x": zero})


def constrained(low, inverse="inverse"):
    """a z = -x and x' = z over an axis a: the rate is -x/a, where a is not zero."""
    q = ByHand({"a": [low, "2"]}, unknowns=["z"])
    zero, slope = q.number(0), q.power(1, a=-1)
    q.problem |= {"matrix": [[0, 0, q.places["a"]]], "right": [q.power(-1, x=1)]}
    q.witness["inverse"] = [[{"inverse": slope, "one": q.number(1)}[inverse]]]
    q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [slope], [slope])])}]
    return q.answer([q.places["z"]], {"x": zero})


def test_accelerations_are_determined_on_the_cell():
    assert constrained("1") == {"stable": "1"}
    with pytest.raises(Refusal, match="does not hold on all of the cell"):
        constrained("0")
    with pytest.raises(Refusal, match="not the inverse"):
        constrained("1", "one")


def on_a_line(low, row="a y", kept=True, inverse=None):
    """x' = -x, y' = 0 with a conserved function; on its levels the origin attracts."""
    q = ByHand({"a": [low, "2"]}, states=["x", "y"])
    zero, one = q.number(0), q.number(1)
    q.problem["invariants"] = {"C": q.power(1, a=1, y=1) if row == "a y" else q.power(1, a=1, x=1)}
    N = [[q.power(1, a=-1) if inverse is None else q.number(inverse)]]
    chart = q.chart([([0], [one], [one])], rows=["C"], fixed=["y"], inverse=N)
    q.theorem["proofs"] = [{"by": "roots", "chart": chart}]
    return q.answer([q.power(-1, x=1), zero if kept else q.power(1, y=3)], {"x": zero, "y": zero})


def test_gradients_are_independent_on_the_cell_and_functions_are_kept():
    assert on_a_line("1") == {"stable": "1"}
    with pytest.raises(Refusal, match="does not hold on all of the cell"):
        on_a_line("0")
    with pytest.raises(Refusal, match="not proved that the motion keeps"):
        on_a_line("1", kept=False)
    with pytest.raises(Refusal, match="not proved that the motion keeps"):
        on_a_line("1", row="a x")
    with pytest.raises(Refusal, match="not the inverse"):
        on_a_line("1", inverse=1)


def test_the_leaf_is_among_the_rows_of_a_chart():
    """x' = -x, y' = y on the leaf y = 0, where the origin attracts; without the leaf in the chart, not."""
    for rows in (["leaf"], []):
        q = ByHand({"a": ["1", "2"]}, states=["x", "y"])
        zero, one = q.number(0), q.number(1)
        q.problem["leaf"] = {"leaf": q.places["y"]}
        q.witness["cofactors"] = {"leaf": [["leaf", one]]}
        q.theorem["leaf"] = {"rows": ["leaf"], "free": ["x"], "inverse": [["1"]]}
        chart = q.chart([([0], [one], [one])], rows=rows, fixed=["y"], inverse=[[one]] if rows else [])
        q.theorem["proofs"] = [{"by": "roots", "chart": chart}]
        field = [q.power(-1, x=1), q.power(1, y=1)]
        if rows:
            assert q.answer(field, {"x": zero, "y": zero}) == {"stable": "1"}
            q.theorem["leaf"]["inverse"] = [["0"]]
            with pytest.raises(Refusal):
                q.answer(field, {"x": zero, "y": zero})
        else:
            with pytest.raises(Refusal):
                q.answer(field, {"x": zero, "y": zero})


def oscillator(stiffness=1, sense=1, multiplier="1", pivots=(1, 1), kept=True):
    """x' = y, y' = -k x: the energy k x^2/2 + y^2/2 is conserved."""
    q = ByHand({"k": ["1", "2"]}, states=["x", "y"])
    zero = q.number(0)
    energy = q.total(q.power(f"{stiffness}/2", k=1, x=2), q.power("1/2", y=2))
    q.problem["invariants"] = {"E": energy if kept else q.total(energy, q.power(1, x=1, y=1))}
    q.theorem["proofs"] = [
        {
            "by": "energy",
            "chart": q.chart([]),
            "multipliers": {"E": q.number(multiplier)},
            "sense": sense,
            "pivots": [q.power(pivots[0] * stiffness, k=1), q.number(pivots[1])],
        }
    ]
    return q.answer([q.places["y"], q.power(-stiffness, k=1, x=1)], {"x": zero, "y": zero})


def test_an_energy_is_definite():
    assert oscillator() == {"stable": "1"}
    for changed in ({"sense": -1}, {"stiffness": -1}):
        with pytest.raises(Refusal, match="does not hold on all of the cell"):
            oscillator(**changed)
    for changed in ({"stiffness": -1, "pivots": (-1, 1)}, {"pivots": (2, 1)}, {"multiplier": "2"}):
        with pytest.raises(Refusal, match="not the pivots"):
            oscillator(**changed)
    with pytest.raises(Refusal, match="not proved that the motion keeps"):
        oscillator(kept=False)


def test_a_combination_is_critical():
    """C = x is conserved where nothing moves, and has no minimum."""
    q = ByHand({"a": ["1", "2"]})
    zero = q.number(0)
    q.problem["invariants"] = {"C": q.total(q.places["x"], q.power(1, x=2))}
    proof = {"by": "energy", "chart": q.chart([]), "multipliers": {"C": q.number(1)}, "sense": 1}
    q.theorem["proofs"] = [proof | {"pivots": [q.number(2)]}]
    with pytest.raises(Refusal, match="not critical"):
        q.answer([zero], {"x": zero})


def family(field="line", inverse="1", along="y", symbol="s"):
    """x' = -x, y' = 0 or y^3, at the members (0, s)."""
    q = ByHand({"a": ["1", "2"], "s": ["-1", "1"]}, symbols=["s"], states=["x", "y"])
    zero, one = q.number(0), q.number(1)
    chart = q.chart([([0], [one], [one]), ([1], [], [])])
    q.theorem["proofs"] = [
        {"by": "roots", "chart": chart, "family": {"along": [along], "inverse": [[q.number(inverse)]]}}
    ]
    rate = zero if field == "line" else q.power(1, y=3)
    return q.answer([q.power(-1, x=1), rate], {"x": zero, "y": q.places["s"] if symbol else zero})


def test_zeros_are_those_of_a_family_of_equilibria():
    assert family() == {"stable": "1"}
    with pytest.raises(Refusal, match="no equilibrium on the leaf"):
        family(field="cube")
    for changed in ({"inverse": "2"}, {"along": "x"}, {"symbol": ""}):
        with pytest.raises(Refusal, match="not the inverse"):
            family(**changed)


def test_a_zero_without_a_family_is_no_stability():
    """y' = y^3 at zero alone."""
    q = ByHand({"a": ["1", "2"]}, states=["x", "y"])
    zero, one = q.number(0), q.number(1)
    chart = q.chart([([0], [one], [one]), ([1], [], [])])
    q.theorem["proofs"] = [{"by": "roots", "chart": chart}]
    field = [q.power(-1, x=1), q.power(1, y=3)]
    assert q.answer(field, {"x": zero, "y": zero}) == {"spectrum": "1"}
    q.theorem["proofs"] = [{"by": "roots", "chart": chart, "family": {"along": [], "inverse": []}}]
    assert q.answer(field, {"x": zero, "y": zero}) == {"spectrum": "1"}


def test_members_are_held_by_the_same_inputs():
    """y' = u - y, w' = w^3 rests at (s, 0) under the input s: its zero root is w's, which is unstable."""
    q = ByHand({"s": ["-1", "1"]}, symbols=["s"], states=["y", "w"])
    zero, one = q.number(0), q.number(1)
    u = q.row("sym", "u", "input")
    q.problem["inputs"] = {"u": q.places["s"]}
    chart = q.chart([([0], [one], [one]), ([1], [], [])])
    q.theorem["proofs"] = [{"by": "roots", "chart": chart, "family": {"along": ["y"], "inverse": [[one]]}}]
    with pytest.raises(Refusal, match="not held by the same inputs"):
        q.answer([q.total(u, q.power(-1, y=1)), q.power(1, w=3)], {"y": q.places["s"], "w": zero})


def root(low, given=None, sign=1):
    """x' = -sign sqrt(a) x, or with a value of the root."""
    q = ByHand({"a": [low, "2"]})
    zero = q.number(0)
    square = q.power(1, a=2) if given else q.places["a"]
    y = q.row("fun", "sqrt", [square])
    if given:
        q.witness["roots"] = [[y, q.power(given, a=1)]]
    slope = q.product(sign, (y, 1))
    q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [slope], [slope])])}]
    return q.answer([q.product(-sign, (y, 1), (q.places["x"], 1))], {"x": zero})


def test_roots_are_positive_and_have_values():
    assert root("1") == {"stable": "1"}
    assert root("1", given="1") == {"stable": "1"}
    for changed in ({"low": "0"}, {"low": "-1"}, {"low": "1", "given": "-1"}, {"low": "-1", "given": "1"}):
        with pytest.raises(Refusal, match="does not hold on all of the cell"):
            root(**changed)
    with pytest.raises(Refusal, match="not the root"):
        root("1", given="2")
    with pytest.raises(Refusal, match="does not hold on all of the cell"):
        root("1", sign=-1)


def test_the_root_of_a_quotient_is_no_quotient_of_roots():
    """q sqrt(p/q) is -sqrt(p q) at the member, where q = x - 2 and p = q^3 are negative.

    With D = sqrt(p q) - q sqrt(p/q), which is 8 there, y' = D y grows, and x^2 + y^2 is not conserved.
    """
    q = ByHand({"a": ["1", "2"]}, states=["x", "y"])
    zero, one = q.number(0), q.number(1)
    below = q.total(q.places["x"], q.number(-2))
    above = q.product(1, (below, 3))
    quotient = q.row("fun", "sqrt", [q.product(1, (above, 1), (below, -1))])
    whole = q.row("fun", "sqrt", [q.product(1, (above, 1), (below, 1))])
    D = q.total(whole, q.product(-1, (below, 1), (quotient, 1)))
    q.problem["invariants"] = {"E": q.total(q.power("1/2", x=2), q.power("1/2", y=2))}
    proof = {"by": "energy", "chart": q.chart([]), "multipliers": {"E": one}, "sense": 1}
    q.theorem["proofs"] = [proof | {"pivots": [one, one]}]
    with pytest.raises(Refusal, match="not proved that the motion keeps"):
        q.answer([zero, q.product(1, (D, 1), (q.places["y"], 1))], {"x": zero, "y": zero})


def test_a_root_is_not_the_negative_one():
    """x' = -sqrt(a^2) x decays; with -a for the root it would grow."""
    q = ByHand({"a": ["1", "2"]})
    zero, minus = q.number(0), q.power(-1, a=1)
    y = q.row("fun", "sqrt", [q.power(1, a=2)])
    q.witness["roots"] = [[y, minus]]
    q.chart([([0], [minus], [])])
    q.theorem["proofs"] = [GROWS]
    with pytest.raises(Refusal, match="does not hold on all of the cell"):
        q.answer([q.product(-1, (y, 1), (q.places["x"], 1))], {"x": zero})


def test_where_a_root_has_no_value_there_are_no_motions():
    """x' = -(1 + sqrt(a)^2 - a) x over negative a."""
    q = ByHand({"a": ["-2", "-1"]})
    zero, one = q.number(0), q.number(1)
    y = q.row("fun", "sqrt", [q.places["a"]])
    slope = q.total(one, q.product(1, (y, 2)), q.power(-1, a=1))
    q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [one], [one])])}]
    with pytest.raises(Refusal, match="does not hold on all of the cell"):
        q.answer([q.product(-1, (slope, 1), (q.places["x"], 1))], {"x": zero})


def test_a_root_of_a_quotient_has_a_positive_divisor():
    """sqrt(q^3/q) is -q where q = a - 3 is negative, and x' = -q x grows; sqrt(q^4)/q is q."""
    for low, high, fine in (("4", "5", True), ("1", "2", False)):
        q = ByHand({"a": [low, high]})
        zero = q.number(0)
        below = q.total(q.places["a"], q.number(-3))
        root = q.row("fun", "sqrt", [q.product(1, (q.product(1, (below, 3)), 1), (below, -1))])
        slope = q.product(1 if fine else -1, (root, 1))
        q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [slope], [slope])])}]
        field = [q.product(-1, (slope, 1), (q.places["x"], 1))]
        if fine:
            assert q.answer(field, {"x": zero}) == {"stable": "1"}
        else:
            with pytest.raises(Refusal, match="does not hold on all of the cell"):
                q.answer(field, {"x": zero})


def test_nothing_is_divided_by_what_vanishes_everywhere():
    """sqrt(a^2) - a is zero, and no polynomial says so; what is divided by it may be said to be anything."""
    q = ByHand({"a": ["1", "2"]})
    zero = q.number(0)
    y = q.row("fun", "sqrt", [q.power(1, a=2)])
    nothing, all_ = q.total(y, q.power(-1, a=1)), q.total(y, q.places["a"])
    # x' = (y + a) (y - a) x/(y - a) = 0 x/(y - a) is told as x' = 0.
    slope = q.product(-1, (all_, 1), (nothing, 1), (nothing, -1))
    q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [], [])])}]
    with pytest.raises(Refusal, match=r"does not hold on all of the cell|vanish in the cell"):
        q.answer([q.product(1, (slope, 1), (q.places["x"], 1))], {"x": zero})


def test_a_witness_is_not_divided_by_what_vanishes_everywhere():
    """Multipliers with such a divisor are refused as well."""
    q = ByHand({"a": ["1", "2"]}, states=["x", "y"])
    zero = q.number(0)
    y = q.row("fun", "sqrt", [q.power(1, a=2)])
    nothing = q.total(y, q.power(-1, a=1))
    q.problem["invariants"] = {"E": q.total(q.power("1/2", x=2), q.power("1/2", y=2))}
    one = q.product(1, (nothing, 1), (nothing, -1))
    proof = {"by": "energy", "chart": q.chart([]), "multipliers": {"E": one}, "sense": 1}
    q.theorem["proofs"] = [proof | {"pivots": [one, one]}]
    with pytest.raises(Refusal, match=r"does not hold on all of the cell|vanish in the cell"):
        q.answer([q.places["y"], q.power(-1, x=1)], {"x": zero, "y": zero})


def test_divisors_in_factors_are_those_that_they_say():
    """a^2 - 1 is the product of a - 1 and a + 1, and not that of a and a."""
    for forged in (False, True):
        q = ByHand({"a": ["2", "3"]})
        zero, one = q.number(0), q.number(1)
        below = q.total(q.power(1, a=2), q.number(-1))
        parts = [q.total(q.places["a"], q.number(c)) for c in (1, -1)]
        q.theorem["divisors"] = [q.product(1, *((p, 1) for p in (parts if not forged else parts[:1])))]
        q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [one], [one])])}]
        field = [q.product(-1, (q.places["x"], 1), (below, 1), (below, -1))]
        assert q.answer(field, {"x": zero}) == {"stable": "1"}
    q = ByHand({"a": ["-2", "3"]})
    zero, one = q.number(0), q.number(1)
    below = q.total(q.power(1, a=2), q.number(-1))
    q.theorem["divisors"] = [q.product(1, (q.total(q.power(1, a=2), q.number(1)), 1))]
    q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [one], [one])])}]
    with pytest.raises(Refusal, match="does not hold on all of the cell"):
        q.answer([q.product(-1, (q.places["x"], 1), (below, 1), (below, -1))], {"x": zero})


def test_parts_of_a_divisor_have_its_sign():
    """x' = sin(a)^2 x grows; c^2 - 1 is told as made of sin(a)^2, of which it is the negative."""
    q = ByHand({"a": ["1", "2"]})
    zero, one = q.number(0), q.number(1)
    s, c = (q.row("fun", name, [q.places["a"]]) for name in ("sin", "cos"))
    square = q.product(1, (s, 2))
    slope = q.total(q.product(1, (c, 2)), q.product(-1, (one, 1)))
    q.theorem["divisors"] = [square]
    q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [slope], [slope])])}]
    with pytest.raises(Refusal, match="of the sign of its parts"):
        q.answer([q.product(1, (square, 1), (q.places["x"], 1))], {"x": zero})
    q.theorem["divisors"] = []
    with pytest.raises(Refusal, match="does not hold on all of the cell"):
        q.answer([q.product(1, (square, 1), (q.places["x"], 1))], {"x": zero})


def test_a_choice_is_the_same_for_all_members():
    """x' = -x where a > 3/2, and x' = x below."""
    q = ByHand({"a": ["1", "2"]})
    zero, one = q.number(0), q.number(1)
    switch = q.total(q.places["a"], q.number("-3/2"))
    slope = q.row("fun", "select", [switch, q.number(-1), one])
    q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [one], [one])])}]
    with pytest.raises(Refusal, match="depends on the axes"):
        q.answer([q.product(1, (slope, 1), (q.places["x"], 1))], {"x": zero})


def test_functions_are_analytic_where_they_are_compared():
    """On all of the region, or on the cell."""
    for low, divided, fine in (("1", False, True), ("-1", False, False), ("1", True, False)):
        field = Axes(1, [], {})
        (a,) = field.functions.variables
        root = field.function("sqrt", None, a * a if divided else a)
        if divided:
            1 / (root + a * -1)
        region = Region(field.functions, [(fmpq(low), fmpq(2))])
        require = analytic(region, field.positive)
        if not divided:
            require([(fmpq(9, 10), fmpq(1))])
        if not fine:
            with pytest.raises(Refusal, match=r"vanish in the cell|no value in the cell"):
                require([(fmpq(0), fmpq(1, 2))])


@pytest.mark.parametrize(
    "change",
    [
        {"axes": {}},
        {"axes": {"a": ["2", "1"]}},
        {"axes": {"a": ["1", "1"]}},
        {"axes": {"a": ["1", "2"], "b": ["1", "2"]}},
        {"symbols": {"a": "1"}},
        {"moving": {"a": "1"}},
        {"moving": {"b": "1"}},
        {"proofs": [{"by": "roots", "chart": 1}]},
        {"proofs": [{"by": "guess", "chart": 0}]},
        {"proofs": []},
        {"cells": "b"},
        {"cells": "aa"},
        {"cells": "+" * 60 + "a" * 61},
        {"leaf": {"rows": ["x"], "free": [], "inverse": [["1"]]}},
    ],
    ids=str,
)
def test_parts_that_do_not_fit_are_refused(change):
    q = ByHand({"a": ["1", "2"]})
    zero, c = q.number(0), q.power(1, a=1)
    q.theorem["proofs"] = [{"by": "roots", "chart": q.chart([([0], [c], [c])])}]
    q.theorem |= change
    with pytest.raises(Refusal):
        q.answer([q.power(-1, a=1, x=1)], {"x": zero})


def test_minors_of_large_matrices_are_refused_at_once():
    states = [f"x{i}" for i in range(MINORS + 1)]
    q = ByHand({"a": ["1", "2"]}, states=states)
    zero, one = q.number(0), q.number(1)
    energy = q.total(*(q.power("1/2", **{k: 2}) for k in states))
    q.problem["invariants"] = {"E": energy}
    proof = {"by": "energy", "chart": q.chart([]), "multipliers": {"E": one}, "sense": 1}
    q.theorem["proofs"] = [proof | {"pivots": [one] * len(states)}]
    with pytest.raises(Refusal, match="so large a matrix"):
        q.answer([zero] * len(states), dict.fromkeys(states, zero))


# -- honest maps, changed ---------------------------------------------------------------------------------


def sliding(curve):
    """Two masses in oil, a spring that holds y at a function of x: they rest at any x."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    m, k, d = (gc.Parameter(name, value, positive=True) for name, value in zip("mkd", (2.0, 3.0, 0.5)))  # noqa: B905
    s = sp.Symbol("s", real=True)
    stretch = y.symbol - curve(x.symbol)
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, y],
        lagrangian=m.symbol * (x.rate**2 + 2 * y.rate**2) / 2 - k.symbol * stretch**2 / 2,
        forces=[-d.symbol * x.rate, -d.symbol * y.rate],
        parameters=[m, k, d],
        equilibria={"resting": gc.Family({"x": s, "y": curve(s)}, symbols=[s])},
    ).reduce()


def maps():
    """Maps by each kind of proof, over one axis and two."""
    skate = gc.models.get("pendulum-skate")().reduce()
    top = gc.models.get("kovalevskaya-top")().reduce()
    disk = gc.models.get("rolling-disk")().reduce().despun()
    hyperbola = sliding(lambda x: sp.sqrt(1 + x**2))
    return {
        "skate": gc.certify_region(skate, "spinning", {"Omega0": (0, 10), "l": (0.1, 1.5)}, depth=3),
        "top": gc.certify_region(top, "staude", {"Omega0": (4, 20), "l": (0.2, 0.4)}, depth=2),
        "about a number": gc.certify_region(hyperbola, "resting", {"k": (1, 5)}, depth=1, params={"s": 0.5}),
        "along the family": gc.certify_region(hyperbola, "resting", {"s": (-2, 2), "d": (0.1, 2)}, depth=2),
        "an arctangent": gc.certify_region(sliding(sp.atan), "resting", {"s": (-2, 2)}, depth=2),
        "over a shape": gc.certify_region(disk, "rolling", {"Omega0": (5, 12), "a": (0.1, 1)}, depth=3),
    }


@pytest.fixture(scope="module")
def files():
    return {name: found.to_dict() for name, found in maps().items()}


def test_honest_maps_are_confirmed(files):
    told = {name: checker.check(data) for name, data in files.items()}
    assert {report.verdict for report in told.values()} == {"PROVED_BY_CELLS"}
    for name in ("about a number", "along the family", "an arctangent"):
        assert "on 100 percent of the area they are Lyapunov stable" in told[name].claim
    assert files["about a number"]["theorem"]["moving"] == {"s": "1/2"}


def leaves(value, path=()):
    """Paths of all numbers, places and names in a part of a file."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from leaves(part, (*path, key))
    if not parts and not isinstance(value, dict | list):
        yield path


def changed(data, path, value):
    found = copy.deepcopy(data)
    part = found
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value(part[path[-1]])
    return found


@pytest.mark.parametrize(
    "name", ["skate", "top", "about a number", "along the family", "an arctangent", "over a shape"]
)
def test_changed_witnesses_are_refused_or_show_the_same(files, name):
    """Every place and number of witness and theorem, and every node behind the problem's: what is confirmed
    says no more than the honest file, whose axes and numbers it has.
    """
    data, rng = files[name], random.Random(7)
    honest = checker.prove(data).told["region"].area
    paths = [("witness", *p) for p in leaves(data["witness"])]
    paths += [
        ("theorem", *p)
        for p in leaves(data["theorem"])
        if p[0] not in ("axes", "symbols", "moving", "family", "name", "cells", "domain")
    ]
    used = max(data["problem"]["field"])
    paths += [("problem", "nodes", *p) for p in leaves(data["problem"]["nodes"]) if p[0] > used]
    refused = confirmed = 0
    for path in rng.sample(paths, min(len(paths), 40 if name == "over a shape" else 80)):
        forged = changed(data, path, lambda old: other(old, rng, len(data["problem"]["nodes"])))
        try:
            found = checker.prove(forged).told["region"].area
        except Refusal:
            refused += 1
            continue
        confirmed += 1
        assert found["stable"] <= honest["stable"], path
        assert found["unstable"] <= honest["unstable"], path
    assert refused > 3 * confirmed


def other(old, rng, places):
    """Something else of the same kind."""
    if isinstance(old, bool) or not isinstance(old, int | str):
        return old
    if isinstance(old, int):
        return rng.choice([old + 1, -old, rng.randrange(places)])
    if old.lstrip("-")[:1].isdigit():
        return rng.choice(["0", f"{old}1", "-1", "2"])
    return rng.choice([f"{old}'", "energy", "x", "roots", "growth", "sum", "prod"])


# -- integrals over a shape --------------------------------------------------------------------------------


def without_shape(theorem):
    del theorem["shape"]


def with_leaf_left_out(theorem):
    """A chart that is not shown to hold the gradient of the leaf."""
    chart = theorem["charts"][0]
    chart["rows"] = [chart["rows"][-1] if k == "|Gamma|^2" else k for k in chart["rows"]]


SHAPES = {
    "no shape": (without_shape, "do not fit each other"),
    "a shape along what rests": (lambda t: t["shape"].update(along="Gamma2"), "division by zero"),
    "a shape along a velocity": (lambda t: t["shape"].update(along="Omega2"), "do not fit each other"),
    "another velocity": (lambda t: t["shape"].update(velocity="Omega2"), "different states"),
    "a slope of its own": (
        lambda t: t["shape"]["slopes"].update(Gamma2=t["shape"]["slopes"]["Gamma3"]),
        "structure of integrals",
    ),
    "a rate of its own": (
        lambda t: t["shape"]["rates"]["Omega2"].reverse(),
        "structure of integrals",
    ),
    "fewer geometric states": (lambda t: t["shape"]["slopes"].pop("Gamma3"), "the shape is no curve"),
    "a velocity less": (lambda t: t["shape"]["rates"].pop("Omega3"), "shorter|longer"),
    "the leaf left out": (with_leaf_left_out, "not shown to be independent"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_no_integral_over_a_shape_without_its_structure(files, name):
    change, why = SHAPES[name]
    forged = copy.deepcopy(files["over a shape"])
    change(forged["theorem"])
    with pytest.raises(Refusal, match=why):
        checker.prove(forged)
