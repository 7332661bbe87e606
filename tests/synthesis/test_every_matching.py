"""What every matching has, whatever its gains are called: sigma is one more gain."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import MatchingError
from geoctrl.synthesis.contract.gain_set import GainSet
from geoctrl.synthesis.contract.law import Law
from geoctrl.synthesis.contract.matched import Matched

GAINS = {
    "one rotor": {"sigma": -5e-6},
    "rotors": {
        "sigma11": -0.01,
        "sigma12": 0.002,
        "sigma13": 0.0,
        "sigma22": 0.03,
        "sigma23": 0,
        "sigma33": 1,
    },
    "shaped": {"kappa": 20, "rho": -0.02, "K": -0.6},
}
KINDS = {
    "one rotor": lambda: gc.match(gc.models.get("pendulum-skate-rotor")()),
    "rotors": lambda: gc.match(gc.models.get("body-with-rotors")()),
    "shaped": lambda: gc.match(gc.models.get("cart-pendulum")(), shaping="both"),
}
WHERE = {"one rotor": "sliding", "rotors": np.zeros(3), "shaped": "upright"}


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return request.param, KINDS[request.param]()


def test_a_matching_is_asked_by_its_gains(kind):
    name, matching = kind
    assert isinstance(matching, Matched)
    assert matching.notes == ()
    assert set(matching.gains) == set(GAINS[name])
    law = matching.law(**GAINS[name])
    assert isinstance(law, Law)
    assert {p.name for p in law.gain_parameters} <= set(matching.gains)
    symbols = matching.law(**matching.gains)
    assert [p.default for p in symbols.gain_parameters] == [None] * len(matching.gains)
    assert [p.symbol for p in symbols.gain_parameters] == list(matching.gains.values())


def test_its_design_has_them_too(kind):
    name, matching = kind
    design = matching.design(WHERE[name])
    assert isinstance(design, GainSet)
    assert design.gains == matching.gains
    assert design.family == (WHERE[name] if isinstance(WHERE[name], str) else "")
    assert design.note == ""
    assert set(design.loop.params) >= set(matching.gains)
    symbols = design.conditions.family_symbols if design.family else ()
    given = {s.name: 1.0 for s in symbols}
    assert design.contains(params=given, **GAINS[name]) in (True, False)


@pytest.mark.parametrize("design", [gc.synthesis.SigmaDesign, gc.synthesis.ShapedDesign])
def test_what_a_set_of_gains_says_is_written_once(design):
    """A kind reads gains, solves its conditions for them and searches; sigma has one at points too."""
    once = {"_admits", "_numbers", "conditions", "condition", "family", "feasible", "note", "reason"}
    assert once <= set(vars(GainSet))
    assert once & set(vars(design)) <= ({"condition"} if design is gc.synthesis.SigmaDesign else set())


def test_gains_that_are_missing_or_unknown_are_named(kind):
    name, matching = kind
    first = next(iter(matching.gains))
    some = {k: v for k, v in GAINS[name].items() if k != first}
    with pytest.raises(MatchingError, match=f"for {first}"):
        matching.law(**some)
    with pytest.raises(MatchingError, match=f"no gain 'gamma'.*{first}"):
        matching.law(**GAINS[name], gamma=1.0)


def test_entries_of_sigma_are_the_matrix():
    matching = KINDS["rotors"]()
    entries = GAINS["rotors"]
    matrix = np.array([[entries[str(s)] for s in row] for row in matching.sigma.tolist()])
    laws = matching.law(sigma=matrix), matching.law(**entries)
    x = np.array([0.3, 1.1, -0.4])
    assert np.array_equal(*(law(0.0, x, momentum=[0.1, 0.2, 0.3]) for law in laws))
    design = matching.design(WHERE["rotors"])
    assert design.contains(matrix) == design.contains(**entries)
    with pytest.raises(MatchingError, match="the matrix or its entries"):
        matching.law(sigma=matrix, sigma11=1.0)


@pytest.mark.parametrize("by_name", [True, False])
def test_an_equilibrium_of_a_loop_does_not_bring_its_gains(by_name):
    """Gains that are asked about are judged, not those of the law whose equilibrium was given."""
    matching = KINDS["shaped"]()
    loop = matching.law(**GAINS["shaped"]).loop
    eq = loop.equilibrium("upright")
    assert eq.params["kappa"] == 20
    design = matching.design(eq if by_name else gc.find_equilibrium(loop, eq.x))
    assert design.family == ("upright" if by_name else "")
    assert design.contains(**GAINS["shaped"])
    low = {"kappa": 0.1, "rho": -0.02, "K": -0.6}
    assert not matching.design("upright").contains(**low)
    assert not design.contains(**low)


def test_the_best_damping_does_not_hang_on_whose_equilibrium_is_given():
    matching = KINDS["shaped"]()
    other = matching.law(kappa=400, rho=-0.5, K=-0.1).loop.equilibrium("upright")
    expected = matching.design("upright").best_damping(**GAINS["shaped"])
    assert expected > 1
    assert matching.design(other).best_damping(**GAINS["shaped"]) == expected


def test_a_matching_is_made_of_rotors_that_were_looked_at():
    with pytest.raises(TypeError, match="a matching is made by"):
        gc.Matching(gc.models.get("body-with-rotors")(), [])


def test_a_symbol_stays_one_under_its_own_name(kind):
    name, matching = kind
    first, *others = GAINS[name]
    law = matching.law(**{first: sp.Symbol("own", real=True)}, **{k: GAINS[name][k] for k in others})
    assert law.gain_parameters[0].name == "own"
    assert law.gain_parameters[0].default is None
