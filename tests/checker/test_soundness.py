"""What a file may not prove: relations that are left, corners, bound expressions, false invariants."""

import json
import re

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

import geoctrl as gc
from geoctrl import checker
from geoctrl.checker.words import relations
from tests.attack.forge.by_hand import Equations, consistent, written


def refused(path, match):
    with pytest.raises(gc.CertificateError, match=match):
        gc.verify(path)
    return True


def judged(path):
    """The verdict of a file: confirmed if it is one of a proof, told and refused if it is a report."""
    told = json.loads(path.read_text())["verdict"]
    if told.startswith("PROVED"):
        assert gc.verify(path).verdict.value == told
    else:
        assert refused(path, "is a report and no proof")
    return told


@pytest.fixture
def path(tmp_path):
    return tmp_path / "certificate.json"


# -- C0, C1, C2 -------------------------------------------------------------------------------------------


def test_relations_that_freeze_an_unstable_mode_are_not_kept(path):
    """Two lines added to a genuine certificate of the skate's unstable sliding."""
    skate = gc.models.get("pendulum-skate")().reduce()
    data = gc.certify(skate, skate.equilibrium("sliding", Y0=1.0)).to_dict()
    problem = data["problem"]
    for name in ("Gamma2", "v1"):
        problem["leaf"][name] = problem["nodes"].index(["sym", name, "state"])
    with pytest.raises(checker.Refusal, match="not proved that the motion keeps"):
        consistent(path, problem, data["evidence"])
    for verdict in ("PROVED_STABLE", "PROVED_UNSTABLE"):
        assert refused(written(path, problem, verdict, "spectrum", data["evidence"]), "motion keeps")


def test_a_leaf_whose_gradient_vanishes_has_no_tangent_space(path):
    """f = (-x, y) on y^2 = 0: there the point is asymptotically stable, in the plane it is unstable."""
    e = Equations(x=0, y=0)
    field = [e.monomial(-1, x=1), e.monomial(1, y=1)]
    square = e.monomial(1, y=2)
    consistent(path, e.problem(field, {"corner": square}))
    assert judged(path) == "UNDECIDED"
    data = json.loads(path.read_text())
    for verdict in (
        "PROVED_UNSTABLE",
        "PROVED_ASYMPTOTICALLY_STABLE",
        "PROVED_STABLE",
    ):
        assert refused(written(path, data["problem"], verdict, "spectrum", data["evidence"]), "verdict")
    # With y = 0 itself the leaf is a line, and the verdict follows.
    consistent(path, e.problem(field, {"line": e.places["y"]}))
    assert gc.verify(path).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    # Negative control: without a relation the saddle is unstable.
    consistent(path, e.problem(field))
    assert gc.verify(path).verdict is gc.Verdict.PROVED_UNSTABLE


def test_a_relation_that_holds_nowhere_is_refused(path):
    e = Equations(x=0)
    with pytest.raises(checker.Refusal, match="holds nowhere"):
        consistent(path, e.problem([e.monomial(1, x=1)], {"one": e.number(1)}))


def test_what_is_no_equilibrium_is_refused(path):
    e = Equations(x=0)
    with pytest.raises(checker.NotEquilibrium, match="x does not vanish"):
        consistent(path, e.problem([e.number("1/1000000000000")]))


def test_switches_and_jumps_at_the_point_are_refused(path):
    e = Equations(x=0)
    minus = e.monomial(-1, x=1)
    away = e.function("select", e.places["x"], e.places["x"], minus)
    with pytest.raises(checker.Refusal, match="switches"):
        consistent(path, e.problem([away]))
    root = e.function("sqrt", e.monomial(1, x=2))
    with pytest.raises(checker.Refusal, match="sqrt"):
        consistent(path, e.problem([root]))


# -- symbols ----------------------------------------------------------------------------------------------


def test_only_symbols_have_values(path):
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
        with pytest.raises(checker.Refusal, match=r"symbol|rate is needed"):
            consistent(path, problem | change)


def test_a_name_cannot_be_a_relation_and_an_invariant(path):
    e = Equations(x=0, y=0)
    field = [e.monomial(1, y=1), e.monomial(-1, x=1)]
    energy = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
    with pytest.raises(checker.Refusal, match="one name"):
        consistent(path, e.problem(field, {"E": e.number(0)}, {"E": energy}), {"conserved": ["E"]})


# -- C3 ---------------------------------------------------------------------------------------------------


def oscillator():
    e = Equations(x=0, y=0)
    energy = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
    return e, [e.monomial(1, y=1), e.monomial(-1, x=1)], energy


def test_an_invariant_has_to_be_conserved_identically(path):
    e, field, energy = oscillator()
    proposal = {"conserved": ["E"], "multipliers": {"E": "1"}}
    consistent(path, e.problem(field, {}, {"E": energy}), proposal)
    assert gc.verify(path).verdict is gc.Verdict.PROVED_STABLE
    # y' = x^3 keeps x^4/4 - y^2/2 and nothing definite; its 2-jet looks like that of y' = 0.
    e = Equations(x=0, y=0)
    field = [e.monomial(1, y=1), e.monomial(1, x=3)]
    energy = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
    with pytest.raises(checker.Refusal, match="motion keeps 'energy'"):
        consistent(path, e.problem(field, {}, {"energy": energy}), {"conserved": ["energy"]})


@pytest.mark.parametrize(
    "verdict", ["NUMERICALLY_STABLE", "NUMERICALLY_UNSTABLE", "SPECTRALLY_STABLE_ONLY", "UNDECIDED"]
)
def test_reports_are_not_confirmed(path, verdict):
    """x' = -x, y' = y^2, with the energy called the reason of the zero: no word but a proof is confirmed."""
    e = Equations(x=0, y=0)
    field = [e.monomial(-1, x=1), e.monomial(1, y=2)]
    energy = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
    problem = e.problem(field, {}, {"energy": energy})
    found = checker.decide(checker.read_problem(problem), {})
    assert found[0] == "UNDECIDED"
    data = json.loads(consistent(path, problem).read_text()) | {"verdict": verdict}
    path.write_text(json.dumps(data | {"digest": checker.digest_of(data)}))
    assert refused(path, "is a report and no proof")


def test_weights_with_a_pole_at_the_point_prove_nothing(path):
    """z = x^2 solves z = b; a weight 1/x could cancel anything where x = 0."""
    e = Equations(x=0)
    z = e.symbol("z", "unknown")
    one, square = e.number(1), e.monomial(1, x=2)
    pole = e.monomial(-2, x=-1)
    unknown = {"unknowns": ["z"], "matrix": [[0, 0, one]], "right": [square], "weights": {"C": [pole]}}
    problem = e.problem([z], {}, {"C": e.monomial(1, x=2)}, **unknown)
    with pytest.raises(checker.Refusal, match="division by zero"):
        consistent(path, problem, {"conserved": ["C"]})


def test_a_singular_system_for_the_unknowns_is_refused(path):
    e = Equations(x=0)
    z = e.symbol("z", "unknown")
    zero = e.places["x"]
    with pytest.raises(checker.Refusal, match="singular"):
        consistent(path, e.problem([z], unknowns=["z"], matrix=[[0, 0, zero]], right=[zero]))


def test_consequences_are_combinations_of_relations(path):
    """A cofactor is free, the relation is not: nothing that does not vanish on the leaf becomes one."""
    e, field, _ = oscillator()
    unit = e.total(e.monomial(1, x=2), e.monomial(1, y=2), e.number(0))
    wrong = e.problem(field, {"circle": unit}, {"x": e.places["x"]}, consequences=[{"x": e.number(1)}])
    with pytest.raises(checker.Refusal, match="does not exist"):
        consistent(path, wrong, {"conserved": ["x"]})
    right = e.problem(field, {"circle": unit}, {"x": e.places["x"]}, consequences=[{"circle": e.places["x"]}])
    with pytest.raises(checker.Refusal, match="motion keeps 'x'"):
        consistent(path, right, {"conserved": ["x"]})


def test_multipliers_have_to_make_the_combination_critical(path):
    e, field, energy = oscillator()
    shifted = Equations(x=1, y=0)
    names = {"E": "1"}
    still = [shifted.number(0), shifted.number(0)]
    function = shifted.total(shifted.monomial(1, x=2), shifted.monomial(1, y=2))
    with pytest.raises(checker.Refusal, match="not critical"):
        consistent(
            path, shifted.problem(still, {}, {"E": function}), {"conserved": ["E"], "multipliers": names}
        )
    with pytest.raises(checker.Refusal, match="one multiplier"):
        consistent(path, e.problem(field, {}, {"E": energy}), {"conserved": ["E"], "multipliers": {"F": "1"}})


def test_dependent_gradients_cost_nothing_and_prove_nothing(path):
    """x' = y, y' = -x^3 keeps x^4 + 2 y^2: semidefinite, undecided; never proved by a square of itself."""
    e = Equations(x=0, y=0)
    field = [e.monomial(1, y=1), e.monomial(-1, x=3)]
    energy = e.total(e.monomial(1, x=4), e.monomial(2, y=2))
    square = e._add("prod", "1", [[energy, 2]])
    proposal = {"conserved": ["E", "E2"], "multipliers": {"E": "1", "E2": "0"}}
    assert (
        judged(consistent(path, e.problem(field, {}, {"E": energy, "E2": square}), proposal)) == "UNDECIDED"
    )


# -- integrals over a shape -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def disk():
    """The rolling disk on a circle, proved by integrals over its lean."""
    system = gc.models.get("rolling-disk")().reduce()
    family = system.families["circling"].names
    point = system.despun().equilibrium("circling", **dict(zip(family, (0.5, 4.0, 2.0), strict=False)))
    return gc.certify(system.despun(), point).to_dict()


def test_the_structure_behind_shape_integrals_is_proved(disk, path):
    assert (disk["verdict"], len(disk["evidence"]["shape_integrals"])) == ("PROVED_STABLE", 2)
    problem = disk["problem"]
    path.write_text(json.dumps(disk))
    assert gc.verify(path).verdict is gc.Verdict.PROVED_STABLE
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
            consistent(path, lie, disk["evidence"])
    with pytest.raises(checker.Refusal, match="no shape"):
        consistent(path, {k: v for k, v in problem.items() if k != "shape"}, disk["evidence"])


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


@pytest.mark.parametrize(("field", "verdict"), KNOWN, ids=lambda v: str(v)[:40])
def test_verdicts_of_small_systems(field, verdict, path):
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
    assert judged(consistent(path, e.problem(nodes))) == verdict


def test_random_spectra_agree_with_floating_point():
    """300 random linear systems, half of them with eigenvalues on the axis."""
    rng = np.random.default_rng(11)
    for k in range(300):
        n = int(rng.integers(1, 6))
        A = rng.integers(-3, 4, size=(n, n))
        if k % 2:
            A = A - A.T
        e = Equations(**{f"x{i}": 0 for i in range(n)})
        field = [e.total(*(e.monomial(int(c), **{f"x{j}": 1}) for j, c in enumerate(row))) for row in A]
        verdict = checker.decide(checker.read_problem(e.problem(field)), {})[0]
        largest = float(np.max(np.linalg.eigvals(A).real))
        if largest > 1e-6:
            assert verdict == "PROVED_UNSTABLE", A
        elif largest < -1e-6:
            assert verdict == "PROVED_ASYMPTOTICALLY_STABLE", A
        else:
            assert verdict in ("SPECTRALLY_STABLE_ONLY", "UNDECIDED"), A


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
