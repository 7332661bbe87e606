"""Lists in files that are empty, too short or too long: what is shown of nothing is shown of no point.

A matrix without rows is the inverse of one without rows, a form without variables is positive, and of no
functions all are seen: each list of each theorem is emptied here, shortened at both ends, and lengthened.
"""

import json
from fractions import Fraction

import pytest
from flint import fmpq

from geoctrl import checker
from geoctrl.analysis.witnesses.content import content_with_witnesses
from geoctrl.checker.definite import product, require_inverse
from geoctrl.checker.limits import Refusal
from tests.attack.forge.by_hand import Equations, with_theorem
from tests.attack.forge.curves_by_hand import beside_a_circle, turning_vector
from tests.checker import test_witnesses as of_points
from tests.checker import test_witnesses_in_boxes as boxes
from tests.checker import test_witnesses_of_loops as loops
from tests.checker import test_witnesses_of_orbits as orbits
from tests.checker import test_witnesses_of_series as series
from tests.checker import test_witnesses_of_theorems as theorems
from tests.checker import test_witnesses_over_shapes as shapes
from tests.decisions.test_hostile_loops import integrator

OF_BOXES = (
    "root",
    "root from above",
    "saddle",
    "levels",
    "table",
    "table with an arm",
    "line",
    "line that repels",
)
OF_LOOPS = "integrator", "integrator held too long", "state of its own", "cart at rest", "ball"
TWICE = {"P", "series", "box", "held", "roots", "steps"}
"""Where an entry more says nothing: below a triangle, and a term, a root, a state or a step twice."""


def contents():
    yield from ((name, content_with_witnesses(proof.proof)) for name, proof in of_points.proofs().items())
    yield from ((name, boxes.content(name)) for name in OF_BOXES)
    yield from ((name, loops.content(name)) for name in OF_LOOPS)
    yield from (("circle", orbits.circle()), ("across", orbits.grows([])), ("brake", theorems.fallen()))
    yield from ((name, series.content_of(series.CASES[name])[1]) for name in series.CHANGED)
    yield "disk", shapes.content_of("a disk upright")[1]
    yield from (("fold", beside_a_circle()), ("turning vector", turning_vector(Fraction(1, 4))))


def lists(value, path=()):
    """Paths of all lists and tables that hold something."""
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(part, list | dict) and part:
            yield (*path, key)
            yield from lists(part, (*path, key))


def is_later_step(path):
    """Whether it lies in a step of an orbit that is not the first: steps are read alike."""
    return path[0] == "steps" and len(path) > 1 and path[1] > 0


def verdict(content):
    try:
        return checker.prove(content).verdict
    except Refusal:
        return "refused"


def test_lists_are_as_long_as_they_have_to_be():
    told = set()
    for name, content in contents():
        content = json.loads(json.dumps(content))
        true = checker.prove(content).verdict
        told.add(content["theorem"]["name"])
        for part in ("witness", "theorem"):
            for path in lists(content[part]):
                if is_later_step(path):
                    continue
                old = of_points.at(content[part], path)
                shorter = [old[:-1], old[1:]] if isinstance(old, list) else []
                for new in (type(old)(), *shorter):
                    changed = of_points.changed(content, part, path, lambda _, new=new: new)
                    # A field without turns moves no point, and leaves the point that grows.
                    allowed = {"refused", *([true] if path[-1] == "turns" else [])}
                    assert verdict(changed) in allowed, (name, path, new)
                if isinstance(old, list):
                    changed = of_points.changed(content, part, path, lambda _, new=old: [*new, new[-1]])
                    allowed = {"refused", *([true] if path[0] in TWICE else [])}
                    assert verdict(changed) in allowed, (name, path)
    assert len(told) > 17


# -- what the point of a sink, a turn and a loop would be told to do -----------------------------------------


def sink():
    e = Equations(x=0)
    return e, e.problem([e.monomial(-1, x=1)])


def refused(problem, words, **theorem):
    states = list(problem["states"])
    with pytest.raises(Refusal, match=words):
        checker.prove(with_theorem(problem, {"rows": [], "free": states, "inverse": []} | theorem))


def test_a_form_that_grows_is_positive_somewhere():
    """Of x' = -x the form -x^2 grows, where it is negative."""
    _, problem = sink()
    for v in ([], ["0"], ["1"], ["1", "1"]):
        refused(problem, "do not fit|positive there", name="growth", m="1", P=[["-1"]], v=v)


def test_a_form_that_multiplies_is_positive_somewhere():
    data = loops.attracting(integrator(-1))
    for v in ([], ["0"], ["1"], ["1", "1"]):
        data["theorem"] |= {"name": "loop that repels", "m": "2", "P": [["-1"]], "v": v}
        with pytest.raises(Refusal, match=r"do not fit|positive there"):
            checker.prove(data)


def test_a_drift_moves_the_states():
    """Symbols that drift away, and of which no state is a function."""
    e, problem = sink()
    a, b, zero = e.symbol("a", "family"), e.symbol("b", "family"), e.number(0)
    family = {"symbols": {"a": "0", "b": "0"}, "states": [zero], "unknowns": [], "rates": [b, zero]}
    leaf = {"rows": [], "free": ["x"], "inverse": []}
    given = {"name": "drift", "leaf": leaf, "constant": "b", "drifting": "a", "power": 1}
    given |= {"slope": e.number(1), "cofactors": [[], []]}
    assert a
    for along, inverse in (([], []), ([], [[]]), (["x"], []), (["x"], [["1"]]), (["x", "x"], [["1"], ["0"]])):
        theorem = given | {"family": family | {"along": along, "inverse": inverse, "cofactors": [[]]}}
        with pytest.raises(Refusal, match=r"not the inverse|do not fit"):
            checker.prove(with_theorem(problem, theorem))


def test_what_stays_is_seen_by_something():
    """x' = y, y' = -x turns, and (x^2 + y^2)/2 falls by no squares."""
    e = Equations(x=0, y=0)
    function = e.total(*(e.monomial("1/2", **{k: 2}) for k in "xy"))
    problem = e.problem([e.places["y"], e.monomial(-1, x=1)])
    fall = {"function": function, "weights": [], "sense": 1, "squares": [], "cofactors": []}
    by = {"name": "falling", "fall": fall, "multipliers": {}}
    words = "not the inverse|do not fit"
    refused(problem, words, seen=[], seen_inverse=[], **by)
    refused(problem, words, seen=[], seen_inverse=[], below=["1", "0"], **by)


@pytest.mark.parametrize(
    ("a", "b"), [([[fmpq(1)]], []), ([[]], [[fmpq(1)]]), ([[fmpq(1), fmpq(1)]], [[fmpq(1)]])]
)
def test_matrices_that_are_multiplied_fit(a, b):
    with pytest.raises(Refusal, match="do not fit"):
        product(a, b)


@pytest.mark.parametrize("rows", [[], [[fmpq(1)]], [[fmpq(1), fmpq(0)]]])
@pytest.mark.parametrize("given", [[], [[]], [[fmpq(1)]], [[fmpq(1)], [fmpq(0)]]])
def test_an_inverse_has_a_size(rows, given):
    with pytest.raises(Refusal, match=r"not the inverse|do not fit"):
        require_inverse(rows, given, 2, "")
