"""What proves nothing: relations that are left, corners, bound expressions, false invariants.

The search is asked, and the checker about files with theorems that would prove it.
"""

import copy
import re

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

import geoctrl as gc
from geoctrl import checker
from geoctrl.checker.words.leaf import relations
from tests.attack.forge.by_hand import Equations, decided, verdict, with_theorem


def refused(problem, words, *, theorem=None, cofactors=None, of_file="", **proposal):
    """The search refuses in these words, and the checker a file by a theorem in its own."""
    with pytest.raises(checker.Refusal, match=words):
        decided(problem, **proposal)
    if of_file:
        with pytest.raises(checker.Refusal, match=of_file):
            checker.prove(with_theorem(problem, theorem or attraction(problem), cofactors))


def basis(problem, rows=(), inverse=()):
    free = [k for k in problem["states"] if k not in rows]
    return {"rows": list(rows), "free": free, "inverse": [list(row) for row in inverse]}


def attraction(problem, **parts):
    """The squares of all states fall."""
    found = basis(problem, **parts)
    triangle = [[str(int(i == j)) for j in range(i + 1)] for i in range(len(found["free"]))]
    return {"name": "attraction", "P": triangle} | found


def energy(problem, **multipliers):
    """A combination of functions is least at the point."""
    return {"name": "energy-Casimir", "multipliers": multipliers, "sense": 1} | basis(problem)


# -- C0, C1, C2 -------------------------------------------------------------------------------------------


def test_relations_that_freeze_an_unstable_mode_are_not_kept():
    """Two lines added to the leaf of the skate's unstable sliding."""
    skate = gc.models.get("pendulum-skate")().reduce()
    certificate = gc.certify(skate, skate.equilibrium("sliding", Y0=1.0))
    problem, content = copy.deepcopy(certificate.proof["problem"]), certificate.to_dict()
    for part in (problem, content["problem"]):
        for name in ("Gamma2", "v1"):
            part["leaf"][name] = part["nodes"].index(["sym", name, "state"])
    refused(problem, "not proved that the motion keeps", **certificate.evidence)
    rows = [*content["theorem"]["rows"], "Gamma2", "v1"]
    for theorem in (content["theorem"], attraction(content["problem"]), content["theorem"] | {"rows": rows}):
        with pytest.raises(checker.Refusal, match="motion keeps"):
            checker.prove(content | {"theorem": theorem})


def test_a_leaf_whose_gradient_vanishes_has_no_tangent_space():
    """f = (-x, y) on y^2 = 0: there the point is asymptotically stable, in the plane it is unstable."""
    e = Equations(x=0, y=0)
    field = [e.monomial(-1, x=1), e.monomial(1, y=1)]
    square = e.monomial(1, y=2)
    assert verdict(e.problem(field, {"corner": square})) == "UNDECIDED"
    # With y = 0 itself the leaf is a line, and the verdict follows.
    assert verdict(e.problem(field, {"line": e.places["y"]})) == "PROVED_ASYMPTOTICALLY_STABLE"
    # Negative control: without a relation the saddle is unstable.
    assert verdict(e.problem(field)) == "PROVED_UNSTABLE"


def test_a_relation_that_holds_nowhere_is_refused():
    e = Equations(x=0)
    problem = e.problem([e.monomial(-1, x=1)], {"one": e.number(1)})
    refused(problem, "holds nowhere", of_file="one does not vanish at the point")


def test_what_is_no_equilibrium_is_refused():
    e = Equations(x=0)
    problem = e.problem([e.total(e.monomial(-1, x=1), e.number("1/1000000000000"))])
    refused(problem, "x does not vanish", of_file="x does not vanish")


def test_switches_and_jumps_at_the_point_are_refused():
    e = Equations(x=0)
    minus = e.monomial(-1, x=1)
    away = e.function("select", e.places["x"], e.places["x"], minus)
    refused(e.problem([away]), "switches", of_file="switches")
    root = e.function("sqrt", e.monomial(1, x=2))
    refused(e.problem([root]), "sqrt", of_file="positive root")


# -- symbols ----------------------------------------------------------------------------------------------


def test_only_symbols_have_values():
    """x' = x + x^2: a parameter bound to 1 + 2x, or two states to one symbol, has no way to be written."""
    e = Equations(x=0)
    problem = e.problem([e.total(e.monomial(1, x=1), e.monomial(1, x=2))])
    for change in (
        {"parameters": {"p": "-1"}},
        {"states": {"x": "0", "y": "0"}, "field": problem["field"] * 2},
        {"inputs": {"x": "0"}},
        {"unknowns": ["x"]},
        {"nodes": [*problem["nodes"], ["sym", "x", "parameter"]], "parameters": {"x": "0"}},
        {"nodes": [*problem["nodes"], ["sym", "time", "state"]]},
        {"nodes": [["sym", "x", "parameter"], *problem["nodes"][1:]], "parameters": {"x": "0"}, "states": {}},
    ):
        words = "name stands twice|stands twice|do not fit"
        refused(problem | change, r"symbol|rate is needed", of_file=words)


def test_a_name_cannot_be_a_relation_and_an_invariant():
    e = Equations(x=0, y=0)
    field = [e.monomial(1, y=1), e.monomial(-1, x=1)]
    total = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
    problem = e.problem(field, {"E": e.number(0)}, {"E": total})
    by = energy(problem, E="1")
    refused(problem, "one name", theorem=by, of_file="name stands twice", conserved=["E"])


# -- C3 ---------------------------------------------------------------------------------------------------


def oscillator():
    e = Equations(x=0, y=0)
    energy = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
    return e, [e.monomial(1, y=1), e.monomial(-1, x=1)], energy


def test_an_invariant_has_to_be_conserved_identically():
    e, field, function = oscillator()
    problem = e.problem(field, {}, {"E": function})
    assert verdict(problem, conserved=["E"], multipliers={"E": "1"}) == "PROVED_STABLE"
    # y' = x^3 keeps x^4/4 - y^2/2 and nothing definite; its 2-jet looks like that of y' = 0.
    e = Equations(x=0, y=0)
    field = [e.monomial(1, y=1), e.monomial(1, x=3)]
    function = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
    problem = e.problem(field, {}, {"E": function})
    words = "motion keeps 'E'"
    refused(problem, words, theorem=energy(problem, E="1"), of_file=words, conserved=["E"])


def test_a_zero_that_an_energy_is_said_to_explain_is_open():
    """x' = -x, y' = y^2, with the energy called the reason of the zero."""
    e = Equations(x=0, y=0)
    field = [e.monomial(-1, x=1), e.monomial(1, y=2)]
    function = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
    problem = e.problem(field, {}, {"energy": function})
    assert verdict(problem) == "UNDECIDED"
    words = "motion keeps 'energy'"
    refused(problem, words, theorem=energy(problem, energy="1"), of_file=words, conserved=["energy"])


def test_weights_with_a_pole_at_the_point_prove_nothing():
    """z = x^2 solves z = b; a weight 1/x could cancel anything where x = 0."""
    e = Equations(x=0)
    z = e.symbol("z", "unknown")
    one, square = e.number(1), e.monomial(1, x=2)
    pole = e.monomial(-2, x=-1)
    unknown = {"unknowns": ["z"], "matrix": [[0, 0, one]], "right": [square], "weights": {"C": [pole]}}
    problem = e.problem([z], {}, {"C": e.monomial(1, x=2)}, **unknown)
    with pytest.raises(checker.Refusal, match="division by zero"):
        decided(problem, conserved=["C"])
    content = with_theorem(problem, energy(problem, C="1"))
    content["witness"]["inverse"] = [["1"]]
    with pytest.raises(checker.Refusal, match="a divisor is zero"):
        checker.prove(content)


def test_a_singular_system_for_the_unknowns_is_refused():
    e = Equations(x=0)
    z = e.symbol("z", "unknown")
    zero = e.places["x"]
    problem = e.problem([z], unknowns=["z"], matrix=[[0, 0, zero]], right=[zero])
    refused(problem, "singular")
    for inverse in ([["1"]], [["0"]], [], [["1", "1"]]):
        content = with_theorem(problem, attraction(problem))
        content["witness"]["inverse"] = inverse
        with pytest.raises(checker.Refusal, match=r"not the inverse|do not fit"):
            checker.prove(content)


def test_consequences_are_combinations_of_relations():
    """A cofactor is free, the relation is not: nothing that does not vanish on the leaf becomes one."""
    e, field, _ = oscillator()
    unit = e.total(e.monomial(1, x=2), e.monomial(1, y=2), e.number(0))
    wrong = e.problem(field, {"circle": unit}, {"x": e.places["x"]}, consequences=[{"x": e.number(1)}])
    by = energy(wrong, x="1")
    claimed = {"x": [["x", e.number(1)]]}
    refused(wrong, "does not exist", theorem=by, cofactors=claimed, of_file="do not fit", conserved=["x"])
    right = e.problem(field, {"circle": unit}, {"x": e.places["x"]}, consequences=[{"circle": e.places["x"]}])
    claimed, words = {"x": [["circle", e.number(1)]]}, "motion keeps 'x'"
    refused(right, words, theorem=by, cofactors=claimed, of_file=words, conserved=["x"])


def test_multipliers_have_to_make_the_combination_critical():
    e, field, function = oscillator()
    shifted = Equations(x=1, y=0)
    still = [shifted.number(0), shifted.number(0)]
    other = shifted.total(shifted.monomial(1, x=2), shifted.monomial(1, y=2))
    problem, given = shifted.problem(still, {}, {"E": other}), {"conserved": ["E"], "multipliers": {"E": "1"}}
    refused(problem, "not critical", theorem=energy(problem, E="1"), of_file="not critical", **given)
    problem, given = e.problem(field, {}, {"E": function}), {"conserved": ["E"], "multipliers": {"F": "1"}}
    refused(problem, "one multiplier", theorem=energy(problem, F="1"), of_file="do not fit", **given)


def test_dependent_gradients_cost_nothing_and_prove_nothing():
    """x' = y, y' = -x^3 keeps x^4 + 2 y^2: semidefinite, undecided; never proved by a square of itself."""
    e = Equations(x=0, y=0)
    field = [e.monomial(1, y=1), e.monomial(-1, x=3)]
    function = e.total(e.monomial(1, x=4), e.monomial(2, y=2))
    square = e._add("prod", "1", [[function, 2]])
    problem = e.problem(field, {}, {"E": function, "E2": square})
    assert verdict(problem, conserved=["E", "E2"], multipliers={"E": "1", "E2": "0"}) == "UNDECIDED"
    with pytest.raises(checker.Refusal, match="definite"):
        checker.prove(with_theorem(problem, energy(problem, E="1", E2="1")))


# -- integrals over a shape -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def disk():
    """The rolling disk on a circle, proved by integrals over its lean."""
    system = gc.models.get("rolling-disk")().reduce()
    family = system.families["circling"].names
    point = system.despun().equilibrium("circling", **dict(zip(family, (0.5, 4.0, 2.0), strict=False)))
    return gc.certify(system.despun(), point)


def test_the_structure_behind_shape_integrals_is_proved(disk):
    assert (disk.verdict, len(disk.evidence["shape_integrals"])) == (gc.Verdict.PROVED_STABLE, 2)
    problem = disk.proof["problem"]
    assert checker.check(disk.to_dict()).verdict == "PROVED_STABLE"
    shape = problem["shape"]
    rates = shape["rates"]
    first, second = rates
    swapped = {first: rates[second], second: rates[first]}
    zero = len(problem["nodes"])
    changes = [
        {"rates": swapped},
        {"rates": {first: [zero, zero], second: rates[second]}},
        {"velocity": first},
        {"slopes": dict.fromkeys(shape["slopes"], zero)},
        {"rates": {first: rates[first]}},
        {"rates": {first: rates[first], second: rates[second][:1]}},
        {"slopes": dict.fromkeys(shape["slopes"], zero + 5)},
    ]
    for change in changes:
        lie = problem | {"nodes": [*problem["nodes"], ["num", "0"]], "shape": shape | change}
        with pytest.raises(checker.Refusal):
            decided(lie, **disk.evidence)
    refused({k: v for k, v in problem.items() if k != "shape"}, "no shape", **disk.evidence)


# -- theorems, on systems whose truth is known ------------------------------------------------------------

X, Y, Z, W = sp.symbols("x y z w")
KNOWN = [
    ([-X, -2 * Y], "PROVED_ASYMPTOTICALLY_STABLE"),
    ([X, -Y], "PROVED_UNSTABLE"),
    ([Y, -X], "SPECTRALLY_STABLE_ONLY"),
    ([Y, 0 * X], "UNDECIDED"),
    ([-X, Y**2], "UNDECIDED"),
    ([Y, -(X**3)], "UNDECIDED"),
    ([Y - X**3, -X - Y**3], "SPECTRALLY_STABLE_ONLY"),
    ([-X + 5 * Y, -Y, Z - W, X], "PROVED_UNSTABLE"),
    ([Y, -X, W, -Z], "UNDECIDED"),  # a double pair on the axis
    ([Y, -X, W, -4 * Z], "SPECTRALLY_STABLE_ONLY"),
    ([Y, -X + Z, W, -Z], "UNDECIDED"),  # the same pair, in resonance: grows like t
    ([Y, X - 3 * Y, Z * X - Z], "PROVED_UNSTABLE"),
    ([Y, -X - Y, -Z + X**2], "PROVED_ASYMPTOTICALLY_STABLE"),
]


@pytest.mark.parametrize(("field", "expected"), KNOWN, ids=lambda v: str(v)[:40])
def test_verdicts_of_small_systems(field, expected):
    symbols = [X, Y, Z, W][: len(field)]
    e = Equations(**{str(s): 0 for s in symbols})
    nodes = []
    for f in field:
        terms = sp.Poly(f, *symbols).terms()
        nodes.append(
            e.total(
                *(
                    e.monomial(c, **{str(s): k for s, k in zip(symbols, m, strict=True) if k})
                    for m, c in terms
                )
            )
        )
    assert verdict(e.problem(nodes)) == expected


def test_random_spectra_agree_with_floating_point():
    """300 random linear systems, half of them with eigenvalues on the axis; of a third the file as well."""
    rng = np.random.default_rng(11)
    for k in range(300):
        n = int(rng.integers(1, 6))
        A = rng.integers(-3, 4, size=(n, n))
        if k % 2:
            A = A - A.T
        e = Equations(**{f"x{i}": 0 for i in range(n)})
        field = [e.total(*(e.monomial(int(c), **{f"x{j}": 1}) for j, c in enumerate(row))) for row in A]
        problem = e.problem(field)
        found = verdict(problem) if k % 3 == 0 else decided(problem)["verdict"]
        largest = float(np.max(np.linalg.eigvals(A).real))
        if largest > 1e-6:
            assert found == "PROVED_UNSTABLE", A
        elif largest < -1e-6:
            assert found == "PROVED_ASYMPTOTICALLY_STABLE", A
        else:
            assert found in ("SPECTRALLY_STABLE_ONLY", "UNDECIDED"), A


def test_a_long_relation_is_told_by_its_beginning_and_a_digest():
    """A file may call a relation x that is another: the claim says nothing of that name."""
    powers = [["prod", fmpq(1), [[0, k], [1, k]]] for k in range(2, 80)]
    terms = [[2, place] for place in range(3, 3 + len(powers))]
    nodes = [["sym", "x", "state"], ["sym", "y", "state"], ["num", fmpq(1)], *powers, ["sum", terms]]
    words = relations({"nodes": nodes, "leaf": {"x": len(nodes) - 1, "a name": 1}})
    beginning = " + ".join(f"x^{k}*y^{k}" for k in range(2, 80))[:240]
    assert re.fullmatch(re.escape(beginning) + r"\.\.\. \[sha256 of its nodes: [0-9a-f]{32}\] = 0", words[0])
    assert words[1:] == ["y = 0"]
    # Another end is another digest.
    other = {"nodes": [*nodes[:-1], ["sum", [*terms[:-1], [2, 0]]]], "leaf": {"x": len(nodes) - 1}}
    assert relations(other)[0][:240] == beginning
    assert relations(other)[0] != words[0]
