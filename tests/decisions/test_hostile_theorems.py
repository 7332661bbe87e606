"""Hostile files about the theorems: what they would prove is false, or has no value, or takes for ever.

Of every system here the truth is known by hand, and is said beside it.
"""

from __future__ import annotations

import time

import pytest
from flint import fmpq

from geoctrl import decisions
from geoctrl.decisions.arithmetic.tower import RATIONALS
from geoctrl.decisions.functions.derivatives import Numbers
from geoctrl.decisions.reading.problem_reader import Refusal
from geoctrl.decisions.theorems.series_by_order import PowerSeries
from tests.attack.forge.by_hand import Equations, verdict

SECONDS = 2.0


# -- families and drift -----------------------------------------------------------------------------------


def family_of(e, problem, states, symbols, **more):
    return problem | {"family": {"symbols": symbols, "states": states, "unknowns": []} | more}


def on_a_line(make):
    """y' = -y, x' = rate(x, y) at the origin with the family (s, 0), s a symbol of its own."""
    e = Equations(x=0, y=0)
    s = e.symbol("s", "family")
    rate, line, leaf = make(e, s)
    return family_of(e, e.problem([rate, e.monomial(-1, y=1)], leaf), line, {"s": "0"})


FAMILIES = {
    "equilibria": (lambda e, s: (e.monomial(1, x=1, y=1), [s, e.number(0)], {}), "PROVED_STABLE"),
    # x' = x^3 has one equilibrium
    "none but the point": (lambda e, s: (e.monomial(1, x=3), [s, e.number(0)], {}), "refused"),
    # the same, along a curve whose tangent vanishes at the point
    "a cusp": (lambda e, s: (e.monomial(1, x=3), [e.monomial(1, s=2), e.number(0)], {}), "refused"),
    # x' = |x|: equilibria are x = 0 alone, and it has no derivative there
    "a kink": (
        lambda e, s: (
            e.function("select", e.places["x"], e.places["x"], e.monomial(-1, x=1)),
            [s, e.number(0)],
            {},
        ),
        "refused",
    ),
    # x' = x^2/x is x, off the point
    "a pole": (lambda e, s: (e.monomial(1, x=-1), [s, e.number(0)], {}), "refused"),
    # x' = s: the symbol of the family is no number
    "its own symbol": (lambda e, s: (s, [s, e.number(0)], {}), "refused"),
    # x' = x^3 on y^2 = 0
    "a squared relation": (
        lambda e, s: (e.number(0), [s, e.number(0)], {"y^2": e.monomial(1, y=2)}),
        "refused",
    ),
    "a relation twice": (
        lambda e, s: (
            e.number(0),
            [s, e.number(0)],
            {"y": e.monomial(1, y=1), "again": e.monomial(2, y=1)},
        ),
        "refused",
    ),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_families_are_manifolds_of_equilibria_on_the_leaf(name):
    make, expected = FAMILIES[name]
    assert verdict(on_a_line(make)) == expected


def test_a_cross_of_equilibria_is_no_family_of_all_zeros():
    """y' = s y beside s' = 0 and z' = -z: unstable, with equilibria along y and along s."""
    e = Equations(y=0, s=0, z=0)
    a, b = e.symbol("a", "family"), e.symbol("b", "family")
    field, zero = [e.monomial(1, s=1, y=1), e.number(0), e.monomial(-1, z=1)], e.number(0)
    problem = e.problem(field)
    assert verdict(family_of(e, problem, [a, b, zero], {"a": "0", "b": "0"})) == "refused"


def test_families_off_the_leaf_are_none_of_its():
    """x' = x^3 on z = x^2 is unstable; x = 0 rests for any z."""
    e = Equations(x=0, y=0, z=0)
    s, zero = e.symbol("s", "family"), e.number(0)
    leaf = {"z - x^2": e.total(e.monomial(1, z=1), e.monomial(-1, x=2))}
    problem = e.problem([e.monomial(1, x=3), e.monomial(-1, y=1), e.monomial(2, x=4)], leaf)
    assert verdict(family_of(e, problem, [zero, zero, s], {"s": "0"})) == "refused"


def drifting(rate, slope=None, power=1, **names):
    """x' = rate(s), s' = 0 with both as symbols."""
    e = Equations(x=0, s=0)
    a, b = e.symbol("a", "family"), e.symbol("b", "family")
    problem = e.problem([rate(e, "s"), e.number(0)])
    found = family_of(e, problem, [a, b], {"a": "0", "b": "0"}, rates=[rate(e, "b"), e.number(0)])
    drift = {"constant": "b", "drifting": "a", "power": power, "slope": slope(e) if slope else e.number(1)}
    return found | {"drift": drift | names}


DRIFTS = {
    "linear": (drifting(lambda e, k: e.monomial(1, **{k: 1})), "PROVED_UNSTABLE"),
    "another power": (drifting(lambda e, k: e.monomial(1, **{k: 1}), power=2), "refused"),
    # x' = -x: what drifts is its own constant
    "a drift in itself": (drifting(lambda e, k: e.number(0), constant="a"), "refused"),
    "of nothing": (drifting(lambda e, k: e.number(0)), "refused"),
    "by a slope that vanishes": (
        drifting(lambda e, k: e.monomial(1, **{k: 2}), slope=lambda e: e.monomial(1, b=1)),
        "refused",
    ),
    "of no symbol": (drifting(lambda e, k: e.monomial(1, **{k: 1}), drifting="c"), "refused"),
}


@pytest.mark.parametrize("name", DRIFTS)
def test_drifts_have_a_constant_and_a_rate(name):
    problem, expected = DRIFTS[name]
    assert verdict(problem) == expected


# -- falling functions ------------------------------------------------------------------------------------


def falling(e, field, function, squares, sense=1, leaf=None, invariants=None, **more):
    given = {"function": function, "weights": [], "sense": sense, "squares": squares} | more
    return e.problem(field, leaf, invariants) | {"falling": given}


def fall(e, factor, square, **more):
    return {"factor": factor, "square": square} | more


MULTIPLIER = {"falling_multipliers": {"the falling function": "1"}}


def test_what_falls_to_the_point_attracts():
    """x' = -x^3 with x^2/2: -x' x = x^4 = 1 (x^2)^2, of which x is the root."""
    e = Equations(x=0)
    square = fall(e, e.number(1), e.monomial(1, x=2), root=e.places["x"], power=2, cofactor=e.number(1))
    problem = falling(e, [e.monomial(-1, x=3)], e.monomial("1/2", x=2), [square])
    assert verdict(problem, **MULTIPLIER) == "PROVED_ASYMPTOTICALLY_STABLE"


FALSE_FALLS = {
    # x' = x^3 rises
    "a factor below zero": lambda e: (1, e.number(-1), e.monomial(1, x=2), {}),
    # x' = x^3 = -(x)(-x^2): a factor that is zero at the point
    "a factor that vanishes": lambda e: (1, e.monomial(-1, x=2), e.monomial(1, x=1), {}),
    "a factor with a pole": lambda e: (1, e.monomial(-1, x=-1), e.monomial(1, x=2), {}),
    "a factor with a kink": lambda e: (
        1,
        e.function("select", e.places["x"], e.number(1), e.number(-1)),
        e.monomial(1, x=2),
        {},
    ),
}


@pytest.mark.parametrize("name", FALSE_FALLS)
def test_what_rises_is_not_said_to_fall(name):
    e = Equations(x=0)
    sign, factor, square, more = FALSE_FALLS[name](e)
    problem = falling(e, [e.monomial(sign, x=3)], e.monomial("1/2", x=2), [fall(e, factor, square, **more)])
    assert verdict(problem, **MULTIPLIER) == "refused"


def undamped_beside(extra):
    """x' = -x, (p, r) turning: stable, and nothing attracts p and r. The file says what sees them."""
    e = Equations(x=0, p=0, r=0)
    field = [e.monomial(-1, x=1), e.monomial(1, r=1), e.monomial(-1, p=1)]
    energy = e.total(*(e.monomial("1/2", **{k: 2}) for k in "xpr"))
    squares, more = extra(e)
    return falling(e, field, energy, [fall(e, e.number(1), e.places["x"]), *squares], **more)


BLIND = {
    "nothing": lambda e: ([], {}),
    "a square of zero": lambda e: ([fall(e, e.number(1), e.monomial(0, p=1))], {}),
    # p^2 is no multiple of x
    "a root of another": lambda e: (
        [fall(e, e.number(1), e.number(0), root=e.places["p"], power=2, cofactor=e.number(0))],
        {},
    ),
    "a root with a pole": lambda e: (
        [fall(e, e.number(1), e.number(0), root=e.places["p"], power=2, cofactor=e.monomial(1, p=-1))],
        {},
    ),
    # 0 = p^2 - p^2 is a sum of parts of both signs
    "parts of both signs": lambda e: (
        [
            fall(
                e,
                e.number(1),
                e.number(0),
                parts=[fall(e, e.number(1), e.places["p"]), fall(e, e.number(-1), e.places["p"])],
            )
        ],
        {},
    ),
    # p p = 0 + 0 with the unit p, which vanishes
    "a chain with a unit that vanishes": lambda e: (
        [],
        {
            "chain": [
                {
                    "function": e.number(0),
                    "weights": [],
                    "power": 1,
                    "unit": e.places["p"],
                    "terms": [],
                    "rates": [],
                }
            ]
        },
    ),
    # p = 1 p, of itself
    "a chain that refers to itself": lambda e: (
        [],
        {
            "chain": [
                {
                    "function": e.places["p"],
                    "weights": [],
                    "power": 1,
                    "unit": e.number(1),
                    "terms": [[1, e.number(1)]],
                    "rates": [],
                }
            ]
        },
    ),
    "a chain by division": lambda e: (
        [],
        {
            "chain": [
                {
                    "function": e.places["p"],
                    "weights": [],
                    "power": 1,
                    "unit": e.number(1),
                    "terms": [[0, e._add("prod", "1", [[e.places["p"], 1], [e.places["x"], -1]])]],
                    "rates": [],
                }
            ]
        },
    ),
}


@pytest.mark.parametrize("name", BLIND)
def test_nothing_attracts_what_no_square_sees(name):
    assert verdict(undamped_beside(BLIND[name]), **MULTIPLIER) in ("PROVED_STABLE", "refused")


def test_what_only_falls_is_not_held():
    """x' = -y^2, y' = 0 is unstable; y^2 is conserved, and the falling x may not be called so."""
    e = Equations(x=0, y=0)
    problem = e.problem(
        [e.monomial(-1, y=2), e.number(0)], {}, {"x": e.monomial(1, x=1), "V": e.monomial(1, y=2)}
    )
    assert verdict(problem, conserved=["x", "V"], multipliers={"x": "0", "V": "1"}) == "refused"


@pytest.mark.parametrize("count", [1, 3])
def test_weights_fit_the_unknowns(count):
    e = Equations(x=0)
    square = fall(e, e.number(2), e.monomial(1, x=2))
    problem = falling(e, [e.monomial(-1, x=3)], e.monomial(1, x=2), [square], weights=[e.places["x"]] * count)
    assert verdict(problem, **MULTIPLIER) == "refused"


# -- lowest forms and series ------------------------------------------------------------------------------


def valley(V):
    """V in a plane where nothing moves: all is kept, and whatever the form, nothing of it is a minimum but
    what is said to be one.
    """
    e = Equations(x=0, y=0)
    return e.problem([e.number(0), e.number(0)], {}, {"V": V(e)}) | {"degenerate": 6}


FORMS = {
    "a definite quartic": (
        lambda e: e.total(e.monomial(1, x=4), e.monomial(1, x=2, y=2), e.monomial(1, y=4)),
        "PROVED_STABLE",
    ),
    "one that vanishes on a line": (
        lambda e: e.total(e.monomial(1, x=4), e.monomial(-2, x=2, y=2), e.monomial(1, y=4)),
        "refused",
    ),
    "a cubic": (lambda e: e.total(e.monomial(1, y=2), e.monomial(1, x=3)), "refused"),
    "nothing below the last power": (
        lambda e: e.total(e.monomial(1, y=2), e.monomial(1, x=8)),
        "refused",
    ),
    "two parabolas": (
        lambda e: e.total(e.monomial(1, y=2), e.monomial(-4, y=1, x=2), e.monomial(3, x=4)),
        "refused",
    ),
    "a kink": (
        lambda e: e.total(
            e.monomial(1, y=2), e.function("select", e.places["x"], e.monomial(1, x=4), e.number(0))
        ),
        "refused",
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_lowest_forms_are_definite(name):
    make, expected = FORMS[name]
    assert verdict(valley(make), conserved=["V"], multipliers={"V": "1"}, held=[]) == expected


@pytest.mark.parametrize("held", [["V"], ["V", "V"], ["nothing"]], ids=str)
def test_levels_held_are_regular(held):
    """V has no gradient at its minimum."""
    problem = valley(FORMS["a definite quartic"][0])
    assert verdict(problem, conserved=["V"], multipliers={"V": "1"}, held=held) == "refused"


def along_zero(rate):
    e = Equations(x=0, y=0)
    return e.problem([rate(e), e.monomial(-1, y=1)]) | {"critical": 5}


RATES = {
    "attracts": (lambda e: e.monomial(-1, x=3), "PROVED_ASYMPTOTICALLY_STABLE"),
    "passes": (lambda e: e.monomial(-1, x=2), "PROVED_UNSTABLE"),
    "is not seen": (lambda e: e.monomial(-1, x=7), "refused"),
    # x' = -x |x| attracts, and its second derivative jumps
    "switches": (
        lambda e: e.function("select", e.places["x"], e.monomial(-1, x=2), e.monomial(1, x=2)),
        "refused",
    ),
    "has a root": (
        lambda e: e.function("sqrt", e.monomial(1, x=4)),
        "refused",
    ),
}


@pytest.mark.parametrize("name", RATES)
def test_one_zero_root_is_followed_by_a_series(name):
    make, expected = RATES[name]
    assert verdict(along_zero(make)) == expected


# -- sizes ------------------------------------------------------------------------------------------------


def many_squares():
    """Thousands of squares of zero, of as many states as there may be."""
    e = Equations(**{f"x{i}": 0 for i in range(decisions.STATES)})
    half = e.total(*(e.monomial("1/2", **{k: 2}) for k in e.states))
    squares = [fall(e, e.number(1), e.places[k]) for k in e.states]
    one, zero = e.number(1), e.number(0)
    squares += [fall(e, one, zero)] * 15_000
    return falling(e, [e.monomial(-1, **{k: 1}) for k in e.states], half, squares)


def many_fields():
    e = Equations(**{f"x{i}": 0 for i in range(decisions.STATES)})
    problem = e.problem([e.number(0)] * decisions.STATES)
    return problem | {"symmetries": [{"turns": [], "shifts": {}}] * 20_000}


def long_numbers():
    """A series whose coefficients have a million digits."""
    e = Equations(x=0, y=0)
    x = e.total(e.monomial("1" * 2000 + "/" + "3" * 1999 + "2", x=1), e.number(1))
    for _ in range(3):
        x = e._add("prod", "1", [[x, 7]])
    rate = e.total(x, e.number(-1))
    return e.problem([e._add("prod", "1", [[rate, 1], [e.places["x"], 2]]), e.monomial(-1, y=1)]) | {
        "critical": 12
    }


@pytest.mark.parametrize("make", [many_squares, many_fields, long_numbers])
def test_sizes_of_theorems_are_bounded(make):
    problem = make()
    start = time.process_time()
    verdict(problem, **MULTIPLIER)
    # An availability limit of the format, as for other hostile files.
    assert time.process_time() - start < 10 * SECONDS


def test_constants_of_a_series_may_not_grow_without_end():
    """Each square doubles the bits: a file of some dozen nodes would fill the memory."""
    ring = PowerSeries(1, 4, Numbers(True, RATIONALS))
    x = ring.number(fmpq(3, 7))
    with pytest.raises(Refusal, match="bits"):
        for _ in range(30):
            x = x * x
