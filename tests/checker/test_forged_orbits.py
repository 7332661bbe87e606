"""Files of a periodic orbit on a leaf with a relation, known in closed form: each hypothesis is needed.

It follows the unit vector of `tests.attack.forge.curves_by_hand`.
"""

import copy
from fractions import Fraction
from functools import cache
from types import SimpleNamespace

import pytest
from flint import arb, arb_mat, ctx, fmpq

from geoctrl import checker
from geoctrl.analysis.witnesses.content import parts_as_read
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.flows import flow, series
from geoctrl.checker.limits import Refusal
from geoctrl.checker.orbits.file import ORBIT, Orbit
from geoctrl.checker.reader import conform
from geoctrl.checker.verdicts import kernel
from tests.attack.forge.by_hand import Equations
from tests.attack.forge.curves_by_hand import ORBIT_BITS, following, orbit_file, turning_vector
from tests.checker.test_witnesses import CHANGES, at, changed, numbers


@cache
def kept_content(k):
    return turning_vector(Fraction(k))


def content(k="1/4"):
    return copy.deepcopy(kept_content(k))


def with_parts(**parts):
    data = content()
    return data | {"theorem": data["theorem"] | parts}


@pytest.mark.parametrize(
    ("k", "verdict"), [("1/4", "PROVED_ASYMPTOTICALLY_STABLE"), ("-1/4", "PROVED_UNSTABLE")]
)
def test_an_orbit_on_a_leaf_has_the_period_and_the_multiplier_of_its_closed_form(k, verdict):
    found = checker.prove(content(k))
    assert found.verdict == verdict
    orbit = found.told["region"].orbit
    with ctx.workprec(200):
        period = orbit.box[-1] * orbit.motion.sizes[-1]
        assert period.overlaps(2 * arb.pi())
        assert period.rad() < 1e-6
        ((multiplier,),) = orbit.multipliers
        exact = (-2 * arb.pi() * arb(fmpq(*Fraction(k).as_integer_ratio()))).exp()
        assert multiplier.overlaps(exact)
        assert multiplier.rad() < 1e-6


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_witness_proves_the_same_or_nothing(change):
    refused = 0
    for path in numbers(content()["theorem"]):
        data = changed(content(), "theorem", path, CHANGES[change])
        if at(data["theorem"], path) not in (at(content()["theorem"], path), "-0"):
            refused += verdict_of(data) is None
    assert refused


def verdict_of(data):
    """That of a file of the orbit that attracts, which is one or none."""
    try:
        assert checker.prove(data).verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    except Refusal:
        return None
    return "PROVED_ASYMPTOTICALLY_STABLE"


# -- one hypothesis that fails ---------------------------------------------------------------------------


def theorem(**parts):
    return content()["theorem"] | parts


def moved(place, by):
    start = content()["theorem"]["start"]
    return [str(Fraction(q) + by) if i == place else q for i, q in enumerate(start)]


def half_of_the_steps():
    """A period twice as long, of which the steps cover half: the motion closes after it."""
    start = content()["theorem"]["start"]
    steps = [[h // 2, sides] for h, sides in content()["theorem"]["steps"]]
    return {"start": [*start[:-1], str(2 * Fraction(start[-1]))], "steps": steps}


FORGED = {
    "a relation that is no row": (
        lambda: {"rows": ["twin"], "start": content()["theorem"]["start"]},
        "a relation of the leaf is missing",
    ),
    "a state across that is not free": (lambda: {"across": "c"}, "the state across is not free"),
    "another number across": (
        lambda: {"start": moved(2, Fraction(1, 2**60))},
        "not the one of the point",
    ),
    "steps that end early": (half_of_the_steps, "do not add up"),
    "a motion that leaves its box": (
        lambda: {"steps": [[h, [[a, a] for a, _ in B]] for h, B in content()["theorem"]["steps"]]},
        "stay in the box of a step",
    ),
    "a start beside the orbit": (lambda: {"start": moved(0, Fraction(1, 1000))}, "in the box"),
    "a domain that ends": (lambda: {"domain": [1]}, "where the model holds"),
    "a form that is none": (lambda: {"P": [["-1"]]}, "shown to fall"),
    "growth of what falls": (
        lambda: {"name": "periodic orbit that repels", "m": "1001/1000", "v": ["1"], "P": [["1"]]},
        "shown to grow",
    ),
    "growth from below zero": (
        lambda: {"name": "periodic orbit that repels", "m": "1001/1000", "v": ["1"], "P": [["-1"]]},
        "positive there",
    ),
}


@pytest.mark.parametrize("case", FORGED)
def test_nothing_is_proved_where_a_hypothesis_fails(case):
    parts, words = FORGED[case]
    with pytest.raises(Refusal, match=words):
        checker.prove(with_parts(**parts()))


def test_time_does_not_run_backward():
    """Backward over the period what attracts repels."""
    data = turning_vector(Fraction(1, 4), sense=-1)
    assert data["theorem"]["name"] == "periodic orbit that repels"
    data["problem"]["nodes"] = content()["problem"]["nodes"]
    start = data["theorem"]["start"]
    data["theorem"]["start"] = [*start[:-1], str(-Fraction(start[-1]))]
    with pytest.raises(Refusal, match="period is not positive"):
        checker.prove(data)


def test_a_leaf_is_kept():
    data = content()
    data["problem"]["nodes"] = following(Fraction(1, 4), stretched=2)["nodes"]
    with pytest.raises(Refusal, match="motion keeps 'circle'"):
        checker.prove(data)


def half_a_turn():
    """From (3, -4)/5 to (3, 4)/5: the free state c and the relation have the same values at both ends."""
    e = Equations(c=Fraction(3, 5), s=Fraction(-4, 5))
    circle = e.total(e.monomial(1, c=2), e.monomial(1, s=2), e.number(-1))
    turn = [e.monomial(-1, s=1), e.monomial(1, c=1)]
    problem = e.problem(turn, {"circle": circle}, parameters={})
    with ctx.workprec(ORBIT_BITS):
        time = 2 * (arb(4) / 3).atan()
    return problem, time


def test_what_is_the_same_on_the_level_may_be_another_point():
    """Gradients of the relation by s are independent at the start, and not between both ends."""
    problem, time = half_a_turn()
    level = Orbit._level
    with pytest.MonkeyPatch.context() as patch:  # what a writer who looks at the start alone would write
        patch.setattr(Orbit, "_level", property(lambda o: level_at_the_start(o)))
        data = orbit_file(problem, time, across="c", fixed="s", slope=Fraction(-8, 5))
        assert checker.prove(data).verdict == "PROVED_STABLE"  # of no orbit
    assert Orbit._level is level
    with pytest.raises(Refusal, match="do not fit each other"):
        checker.prove(data)


def level_at_the_start(orbit):
    D = [jet.gradient(orbit._n) for jet in orbit._functions(orbit.box)]
    return D, kernel(orbit.question, D, orbit.given)


def test_the_motion_crosses_at_the_start():
    """x has its greatest value where c = s: its rate vanishes, and Krawczyk's test fails as well."""
    data = with_parts(across="x", free=["x", "s"])
    problem, witness = parts_as_read(data)
    rest = {"x": fmpq(1, 4), "c": fmpq(1, 4), "s": fmpq(1)}
    given = conform(data["theorem"], ORBIT)
    given["start"] = [fmpq(1, 4), fmpq(1, 4), fmpq(1), given["start"][3]]
    with ctx.workprec(ORBIT_BITS):
        orbit = Orbit(problem | {"states": rest}, witness, given)
        orbit.__dict__["_flow"] = SimpleNamespace(
            middle=orbit.start,
            box=orbit.box,
            total=arb_mat(4, 4, [int(i == j) for i in range(4) for j in range(4)]),
        )
        with pytest.raises(Refusal, match="not shown to cross"):
            _ = orbit.multipliers


def test_all_that_is_computed_with_is_bounded():
    """A little of exp(exp(100 (1 - c))), without a bound over a box that holds the whole orbit."""
    data = content()
    nodes = data["problem"]["nodes"]
    place = len(nodes)
    nodes += [["num", str(Fraction(1, 2**60))], ["num", "1"], ["num", "-100"], ["num", "100"]]
    nodes.append(["sum", [[place + 3, place + 1], [place + 2, 1]]])
    nodes += [["fun", "exp", [place + 4]], ["fun", "exp", [place + 5]]]
    nodes.append(["sum", [[place, place + 6], [place + 1, data["problem"]["field"][0]]]])
    data["problem"]["field"][0] = len(nodes) - 1
    data["theorem"]["steps"] = [[flow.PARTS, [[-2 * flow.FINE, 2 * flow.FINE]] * 3]]
    with pytest.raises(Refusal, match="not bounded along the orbit"):
        checker.prove(data)


def test_identities_have_values_all_along():
    """The relation is kept, less one multiple of it and more the same: multiples of 1/c."""
    data = content()
    nodes = data["problem"]["nodes"]
    nodes += [["prod", q, [[1, -1]]] for q in ("1", "-1")]
    data["witness"]["cofactors"] = {"circle": [["circle", len(nodes) - k] for k in (1, 2)]}
    with pytest.raises(Refusal, match="not bounded in the box"):
        checker.prove(data)


@pytest.mark.parametrize("left", ["count", "coefficients"])
def test_what_is_held_at_once_is_bounded(left, monkeypatch):
    held = 0 if left == "count" else 1 << 60
    monkeypatch.setattr(series, "Balls", lambda **given: Balls(**given | {"left": held}))
    monkeypatch.setattr(series, "HELD", 1 << 60 if left == "count" else 0)
    with pytest.raises(Refusal, match="too many numbers occur"):
        checker.prove(content())
