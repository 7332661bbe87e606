"""Files by theorems that would prove what is false: the same cases as the search is asked of.

Of each the truth is said where it is made; a file has all that it would have of the true case beside it.
"""

import resource
import time
from itertools import pairwise, product

import pytest

from geoctrl import checker
from geoctrl.checker import limits
from geoctrl.checker.limits import Refusal
from tests.attack.forge.by_hand import Equations, with_theorem
from tests.decisions import test_hostile_theorems as cases

SECONDS = 2.0


def verdict(problem, theorem):
    """What the checker says of a file; "refused" where it refuses."""
    try:
        return checker.prove(with_theorem(problem, theorem)).verdict
    except Refusal:
        return "refused"


def basis(problem, rows=(), free=None):
    """The gradients of some functions, which would be those of the states that are not free."""
    free = list(problem["states"]) if free is None else list(free)
    fixed = len(problem["states"]) - len(free)
    return {"rows": list(rows), "free": free, "inverse": unit(fixed)}


def unit(n):
    return [[str(int(i == j)) for j in range(n)] for i in range(n)]


def triangle(n):
    return [["0"] * i + ["1"] for i in range(n)]


# -- families and drift -----------------------------------------------------------------------------------


def family(problem, along):
    given = problem["family"]
    vanishing = len(problem["leaf"]) + len(problem["field"])
    parts = {"symbols": given["symbols"], "states": given["states"], "unknowns": [], "along": along}
    return parts | {
        "rates": given.get("rates", []),
        "inverse": unit(len(along)),
        "cofactors": [[]] * vanishing,
    }


@pytest.mark.parametrize("name", cases.FAMILIES)
def test_families_are_manifolds_of_equilibria_on_the_leaf(name):
    make, expected = cases.FAMILIES[name]
    problem, found = cases.on_a_line(make), set()
    for rows, free in product(([], [*problem["leaf"]], [*problem["leaf"]][:1]), ("xy", "x", "y", "")):
        for size in (0, 1, 2):
            theorem = {"name": "family", "family": family(problem, ["x"]), "P": triangle(size)}
            found.add(verdict(problem, theorem | basis(problem, rows, free)))
    assert found - {"refused"} == {expected} - {"refused"}


def test_a_cross_of_equilibria_is_no_family_of_all_zeros():
    """y' = s y beside s' = 0 and z' = -z: unstable, with equilibria along y and along s."""
    e = Equations(y=0, s=0, z=0)
    a, b = e.symbol("a", "family"), e.symbol("b", "family")
    zero = e.number(0)
    for rate, expected in ((e.monomial(1, s=1, y=1), "refused"), (e.monomial(1, z=1, y=1), "PROVED_STABLE")):
        problem = e.problem([rate, zero, e.monomial(-1, z=1)])
        problem["family"] = {"symbols": {"a": "0", "b": "0"}, "states": [a, b, zero]}
        theorem = {"name": "family", "family": family(problem, ["y", "s"]), "P": [["1"]]}
        assert verdict(problem, theorem | basis(problem)) == expected


def test_families_off_the_leaf_are_none_of_its():
    """x' = x^3 on z = x^2 is unstable; x = 0 rests for any z."""
    e = Equations(x=0, y=0, z=0)
    s, zero = e.symbol("s", "family"), e.number(0)
    leaf = {"z - x^2": e.total(e.monomial(1, z=1), e.monomial(-1, x=2))}
    problem = e.problem([e.monomial(1, x=3), e.monomial(-1, y=1), e.monomial(2, x=4)], leaf)
    problem["family"] = {"symbols": {"s": "0"}, "states": [zero, zero, s]}
    for rows, free in (([*leaf], "xy"), ([], "xyz")):
        theorem = {"name": "family", "family": family(problem, ["z"]), "P": triangle(len(free) - 1)}
        assert verdict(problem, theorem | basis(problem, rows, free)) == "refused"


@pytest.mark.parametrize("name", cases.DRIFTS)
def test_drifts_have_a_constant_and_a_rate(name):
    problem, expected = cases.DRIFTS[name]
    leaf = basis(problem)
    theorem = {"name": "drift", "leaf": leaf, "family": family(problem, ["x", "s"]), "cofactors": [[], []]}
    assert verdict(problem, theorem | problem["drift"]) == expected


# -- falling functions ------------------------------------------------------------------------------------


def fall(problem, seen=None, rows=()):
    """The fall of a problem by hand; its roots, parts and chain as steps."""
    given, nodes = problem["falling"], problem["nodes"]
    one = len(nodes)
    nodes.append(["num", "1"])
    more = {"rates": [], "cofactors": []}
    steps = []
    for k, square in enumerate(given["squares"]):
        if "root" in square:
            parts = {"function": square["root"], "weights": [], "unit": one, "power": square["power"]}
            steps.append(parts | {"terms": [[k, square["cofactor"]]]} | more)
        if "parts" in square:
            steps.append({"parts": square["parts"], "terms": [[k, one]]} | more)
    steps += [row | {"cofactors": []} for row in given.get("chain", [])]
    squares = [{k: s[k] for k in ("factor", "square")} for s in given["squares"]]
    theorem = {"name": "falling", "multipliers": {}, **basis(problem, rows)}
    theorem["fall"] = {k: given[k] for k in ("function", "weights", "sense")}
    theorem["fall"] |= {"squares": squares, "cofactors": []}
    if seen:
        theorem |= {"steps": steps, "seen": seen, "seen_inverse": unit(len(problem["states"]))}
    return theorem


def slowing(sign, factor=None, square=None):
    """x' = -+ x^3 with x^2/2, of which x^2 is the square."""
    e = Equations(x=0)
    parts = {"root": e.places["x"], "power": 2, "cofactor": e.number(1)}
    one = cases.fall(e, factor or e.number(1), square or e.monomial(1, x=2), **parts)
    return cases.falling(e, [e.monomial(sign, x=3)], e.monomial("1/2", x=2), [one])


def test_what_falls_to_the_point_attracts():
    for sign, expected in ((-1, "PROVED_ASYMPTOTICALLY_STABLE"), (1, "refused")):
        problem = slowing(sign)
        assert verdict(problem, fall(problem, [[1, 0]])) == expected


@pytest.mark.parametrize("name", cases.FALSE_FALLS)
def test_what_rises_is_not_said_to_fall(name):
    e = Equations(x=0)
    sign, factor, square, _ = cases.FALSE_FALLS[name](e)
    one = cases.fall(e, factor, square)
    problem = cases.falling(e, [e.monomial(sign, x=3)], e.monomial("1/2", x=2), [one])
    for seen in (None, [[0, 0]]):
        assert verdict(problem, fall(problem, seen)) == "refused"


@pytest.mark.parametrize("name", cases.BLIND)
def test_nothing_attracts_what_no_square_sees(name):
    """x' = -x beside a turn of p and r, which is seen, would it be, by p and its rate."""
    problem = cases.undamped_beside(cases.BLIND[name])
    for k in range(4):
        theorem = fall(problem, [[0, 0], [k, 0], [k, 1]])
        assert verdict(problem, theorem) == "refused"
    alone = {k: v for k, v in theorem.items() if k not in ("steps", "seen", "seen_inverse")}
    assert verdict(problem, alone) in ("PROVED_STABLE", "refused")


def test_what_sees_the_turn_attracts():
    """Negative control: with r' = -p - r the square of r sees p as well."""
    e = Equations(x=0, p=0, r=0)
    field = [e.monomial(-1, x=1), e.places["r"], e.total(e.monomial(-1, p=1), e.monomial(-1, r=1))]
    energy = e.total(*(e.monomial("1/2", **{k: 2}) for k in "xpr"))
    squares = [cases.fall(e, e.number(1), e.places[k]) for k in "xr"]
    problem = cases.falling(e, field, energy, squares)
    theorem = fall(problem, [[0, 0], [1, 0], [1, 1]])
    theorem["seen_inverse"] = [["1", "0", "0"], ["0", "-1", "-1"], ["0", "1", "0"]]
    assert verdict(problem, theorem) == "PROVED_ASYMPTOTICALLY_STABLE"


def test_what_only_falls_is_not_held():
    """x' = -y^2, y' = 0 is unstable; y^2 is conserved, and the falling x may not be called so."""
    e = Equations(x=0, y=0)
    kept = {"x": e.monomial(1, x=1), "V": e.monomial(1, y=2)}
    problem = e.problem([e.monomial(-1, y=2), e.number(0)], {}, kept)
    for rows in (["x"], []):
        theorem = {"name": "energy-Casimir", "multipliers": {"x": "0", "V": "1"}, "sense": 1}
        theorem |= basis(problem, rows, "y" if rows else "xy")
        assert verdict(problem, theorem) == "refused"


@pytest.mark.parametrize("count", [1, 3])
def test_weights_fit_the_unknowns(count):
    problem = slowing(-1)
    problem["falling"]["weights"] = [0] * count
    assert verdict(problem, fall(problem)) == "refused"


# -- lowest forms and series ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", cases.FORMS)
def test_lowest_forms_are_definite(name):
    make, expected = cases.FORMS[name]
    problem, found = cases.valley(make), set()
    for along, half, gram in product(("x", "y", "xy"), (1, 2, 3), ("-1", "0", "1/4")):
        theorem = {"name": "lowest form", "multipliers": {"V": "1"}, "sense": 1, "half": half}
        theorem |= {"along": list(along), "series": {}, "levels": {}} | basis(problem)
        found.add(verdict(problem, theorem | {"gram": [gram] * (len(along) == 2)}))
    assert found - {"refused"} == {expected} - {"refused"}


@pytest.mark.parametrize("name", cases.RATES)
def test_one_zero_root_is_followed_by_a_series(name):
    make, expected = cases.RATES[name]
    problem, found = cases.along_zero(make), set()
    for power in range(2, 7):
        theorem = {"name": "zero root", "power": power, "along": "x", "series": {}, "P": [["1"]]}
        found.add(verdict(problem, theorem | basis(problem)))
    assert found - {"refused"} == {expected} - {"refused"}


ALONE = {
    "a cubic": ({"x": 0}, [(-1, {"x": 3})], "PROVED_ASYMPTOTICALLY_STABLE"),
    "a square": ({"x": 0}, [(-1, {"x": 2})], "PROVED_UNSTABLE"),
    # x' = y, y' = -x^3 has closed orbits and two zero roots; x' = y, y' = x^2 is unstable
    "two zeros": ({"x": 0, "y": 0}, [(1, {"y": 1}), (-1, {"x": 3})], "refused"),
    "two zeros in a chain": ({"x": 0, "y": 0}, [(1, {"y": 1}), (1, {"x": 2})], "refused"),
    # x' = -x^3 beside y' = y
    "one that grows": ({"x": 0, "y": 0}, [(-1, {"x": 3}), (1, {"y": 1})], "refused"),
    "one that rests": ({"x": 0, "y": 0}, [(-1, {"x": 3}), (0, {})], "refused"),
}


@pytest.mark.parametrize("name", ALONE)
def test_a_zero_root_is_one_and_alone_where_it_is_said_to_be(name):
    states, rates, expected = ALONE[name]
    e, found = Equations(**states), set()
    problem = e.problem([e.monomial(q, **powers) for q, powers in rates])
    for power, P in product((2, 3), ([], triangle(1), triangle(2))):
        theorem = {"name": "zero root", "power": power, "along": "x", "series": {}, "P": P}
        found.add(verdict(problem, theorem | basis(problem)))
    assert found - {"refused"} == {expected} - {"refused"}


# -- sizes ------------------------------------------------------------------------------------------------


def many_squares():
    problem = cases.many_squares()
    return problem, fall(problem, [[k, 0] for k in range(len(problem["states"]))])


def many_fields():
    problem = cases.many_fields()
    theorem = {"name": "orbit", "fields": problem["symmetries"], "held": [], "multipliers": {}, "sense": 1}
    return problem, theorem | basis(problem) | {"along": [], "across": [], "cofactors": [[]] * 20_000}


def many_brackets():
    """Growth of one state, and brackets of turns of all of them."""
    e = Equations(**{f"x{i}": 0 for i in range(128)})
    names = list(e.states)
    problem = e.problem([e.places["x0"], *[e.number(0)] * (len(names) - 1)])
    fields = [{"turns": [[a, b, "1"]], "shifts": {}} for a, b in pairwise(names)]
    theorem = {"name": "growth across an orbit", "fields": fields, "powers": [["-1"]] * len(fields)}
    theorem |= {"further": [[0, 1]] * 9_000, "brackets": [], "m": "1/2", "v": ["1", *"0" * (len(names) - 1)]}
    theorem["P"] = [["1"], *(["0"] * i + ["-1"] for i in range(1, len(names)))]
    return problem, theorem | basis(problem)


def long_numbers():
    problem = cases.long_numbers()
    theorem = {"name": "zero root", "power": 12, "along": "x", "series": {}, "P": [["1"]]}
    return problem, theorem | basis(problem)


def test_squares_and_numbers_of_theorems_are_bounded():
    for make, expected in ((many_squares, "PROVED_ASYMPTOTICALLY_STABLE"), (long_numbers, "refused")):
        problem, theorem = make()
        start = time.process_time()
        assert verdict(problem, theorem) == expected
        # An availability limit of the format, as for other hostile files.
        assert time.process_time() - start < 10 * SECONDS


@pytest.mark.parametrize("make", [many_fields, many_brackets])
def test_the_clock_is_looked_at_and_what_is_held_is_counted(make, monkeypatch):
    """20,000 matrices of 128 states would be three gigabytes."""
    monkeypatch.setattr(limits, "SECONDS", SECONDS)
    problem, theorem = make()
    with pytest.raises(Refusal, match="words of numbers"):
        checker.prove(with_theorem(problem, theorem))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2_000_000
