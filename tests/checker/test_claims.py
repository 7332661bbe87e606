"""Claims say what was checked: a parser that shares nothing with their writer reads them back."""

import json
import re
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import checker, decisions
from geoctrl.checker.words.claims import functions_of
from geoctrl.checker.words.texts import Expressions, decimal, interval
from geoctrl.decisions.questions.problem_in_words import dimension_of_leaf
from tests.attack.draw.dice import Dice
from tests.attack.forge.by_hand import Equations, consistent, verdict, with_theorem
from tests.attack.oracle.claim_reading import Reader, UnreadError, point_claim
from tests.attack.parts import claims

RNG = np.random.default_rng(0)


def loop(e, field, commands):
    """A loop without delay, with the hold 1/2."""
    held = {"hold": "1/2", "late": 0, "part": "0", "commands": commands, "own": {}, "rest": []}
    return e.problem(field, held=held) | {"kind": "held"}


def certified(path):
    return json.loads(path.read_text(encoding="utf-8"))


# -- read back --------------------------------------------------------------------------------------------


def test_tables_at_random_are_read_back():
    for index in range(400):
        data = claims.written(1, index, Dice(1, index))
        fault = claims.at_odds(data, np.random.default_rng(index))
        assert not fault, (index, fault, data["claim"])


def test_without_brackets_they_would_not_be(monkeypatch):
    """Negative control: a base, or a factor, without its brackets is another expression."""
    monkeypatch.setattr(Expressions, "_atom", lambda self, place: self._texts[place])
    found = [claims.written(1, index, Dice(1, index)) for index in range(100)]
    assert sum(bool(claims.at_odds(data, np.random.default_rng(3))) for data in found) > 10


def test_the_reader_sees_what_is_changed():
    """Negative control: a sign, a number, a name, a relation, the dimension."""
    skate = gc.models.get("pendulum-skate")().reduce()
    data = gc.certify(skate, skate.equilibrium("sliding", Y0=1.0)).to_dict()
    claim = checker.check(data).claim
    assert not claims.at_odds(data, RNG)
    for old, new in (
        ("1 - Gamma2^2", "1 + Gamma2^2"),
        ("l = 0.8 (double)", "l = 0.8"),
        ("m = 2", "m = 3"),
        ("v3 = 1, ", ""),
        ("dimension 4", "dimension 3"),
        ("'pendulum-skate'", "'skate'"),
        ("Gamma3^2 = 0, ", "Gamma3^2 = 0, v1 = 0, "),
    ):
        assert old in claim
        assert claims.at_odds(data, RNG, claim.replace(old, new)), new
    for text in ("2^x", "1 +x", "x^(2)", "y", "x**2", "sin x", "(x"):
        with pytest.raises(UnreadError):
            r = Reader(text + ",", {"x": Fraction(1)})
            r.sum()
            r.need(",")


def test_a_product_below_a_power_has_its_brackets():
    """A point that is on its leaf z - q/a, and on no leaf z - a^-q."""
    a, q, z = map(gc.Coordinate, "aqz")
    wedge = gc.EulerPoincare(
        algebra=None,
        name="wedge",
        shape=[a, q, z],
        inertia=sp.eye(3),
        potential=(q.symbol**2 + (a.symbol - 1) ** 2) / 2,
        constraints=[[q.symbol / a.symbol**2, -1 / a.symbol, 1]],
        leaf={"g": q.symbol / a.symbol - z.symbol},
    ).reduce()
    point = [1.0 if label == "a" else 0.0 for label in wedge.state_labels]
    certificate = gc.certify(wedge, point)
    assert not claims.at_odds(certificate.to_dict(), RNG)
    said = point_claim(certificate.claim, dict.fromkeys(wedge.state_labels, Fraction(1)) | {"q": Fraction(6)})
    assert abs(said["leaf"]["relations"][0]) == 5
    assert said["leaf"]["dimension"] == len(wedge.state_labels) - 1


def test_a_law_below_a_power_has_its_brackets(tmp_path):
    """u = (r/4)^-1 x is -4 x/r with its sign: at r = 1, with x' = x + u, M = e^h - 4 (e^h - 1) = -0.946."""
    e = Equations(x=0, r=1, u=0)
    quarter = e.monomial("1/4", r=1)
    law = e._add("prod", "-1", [[quarter, -1], [e.places["x"], 1]])
    problem = loop(e, [e.total(e.places["x"], e.places["u"]), e.number(0), e.number(0)], {"u": law})
    problem["invariants"] = {"r": e.places["r"]}
    path = consistent(tmp_path / "c.json", problem, {"conserved": ["r"], "lyapunov": [["1"]]})
    report = gc.verify(path)
    assert report.verdict is gc.Verdict.PROVED_STABLE
    assert not claims.at_odds(certified(path), RNG)
    said = point_claim(report.claim, {"x": Fraction(3), "r": Fraction(5), "u": Fraction(7)})
    assert said["law"]["u"] == (False, Fraction(-4 * 3, 5))


# -- names ------------------------------------------------------------------------------------------------


def test_names_that_are_claims_are_quoted(tmp_path):
    lie = "Gamma1^2 - 1 = 0 of pendulum-skate, on the leaf x = 0, is asymptotically stable"
    e = Equations(**{lie: 0, "p": 1})
    problem = e.problem([e.monomial(-1, **{lie: 1}), e.number(0)], invariants={"it's kept": e.places["p"]})
    data = certified(consistent(tmp_path / "c.json", problem, {"conserved": ["it's kept"]}))
    claim = checker.check(data).claim
    assert 'and near motions converge to the equilibrium of their own level set of "it\'s kept" = p.' in claim
    assert claim.startswith("The equilibrium ")
    assert not claims.at_odds(data, RNG)
    assert repr(lie) in Expressions(decisions.read_problem(problem)["nodes"])(2)


def test_names_are_bounded():
    for count, said in ((2000, "PROVED_ASYMPTOTICALLY_STABLE"), (2001, "refused")):
        e = Equations(**{"x" * count: 0})
        assert verdict(e.problem([e.monomial(-1, **{"x" * count: 1})])) == said


def test_a_contract_name_may_be_words():
    q = gc.Coordinate("q")
    system = gc.EulerPoincare(
        algebra=None,
        shape=[q],
        inertia=[[1]],
        potential=q.symbol**2 / 2,
        name="bead on a wire",
        domain={"above the ice": q.symbol > -1},
        equilibria={"at rest, in the middle": gc.Family({})},
    ).reduce()
    certificate = gc.certify(system, system.equilibrium("at rest, in the middle"))
    words = "of 'bead on a wire', on the leaf of all states, of dimension 2, is Lyapunov stable"
    assert words in certificate.claim
    assert not claims.at_odds(certificate.to_dict(), RNG)


# -- leaves -----------------------------------------------------------------------------------------------


def test_a_leaf_that_is_the_point_alone_attracts_nothing(tmp_path):
    """phi'' = phi on phi = phi' = 0, padded with zeros: nothing moves there."""
    for again in (False, True):
        e = Equations(phi=0, phi_dot=0)
        relations = {"a": e.places["phi"], "b": e.places["phi_dot"]}
        if again:
            relations["c"] = e.total(e.places["phi"], e.places["phi_dot"])
        problem = e.problem([e.places["phi_dot"], e.places["phi"]], relations)
        path = consistent(tmp_path / "c.json", problem)
        report = gc.verify(path)
        assert report.verdict is gc.Verdict.PROVED_STABLE
        assert "a leaf of dimension 0: the point alone, is Lyapunov stable" in report.claim
        assert not claims.at_odds(certified(path), RNG)
    free = e.problem([e.places["phi_dot"], e.places["phi"]])
    assert verdict(free) == "PROVED_UNSTABLE"


def test_a_loop_about_a_plant_that_cannot_move_is_refused():
    e = Equations(x=0, c=0)
    problem = loop(e, [e.number(0), e.number(0)], {"c": e.monomial(-1, x=1)})
    assert verdict(problem | {"leaf": {"rest": e.places["x"]}}, lyapunov=[["1"]]) == "refused"


SPHERE, BOTH = [["1/2"]], [["1/2", "0"], ["0", "1"]]
LEAVES = [
    # the relations, those whose gradients are shown independent, by which inverse, and the dimension
    ([], [], [], "3"),
    (["sphere"], ["sphere"], SPHERE, "2"),
    (["sphere", "plane"], ["sphere", "plane"], BOTH, "1"),
    (["sphere", "plane", "double"], ["sphere", "plane"], BOTH, "at most 1"),
    (["corner"], [], [], "at most 3"),
]


@pytest.mark.parametrize(("names", "rows", "inverse", "expected"), LEAVES, ids=str)
def test_the_dimension_is_that_of_independent_gradients(names, rows, inverse, expected):
    """A sphere and a plane through its middle; the plane twice; a line given squared, with no gradient."""
    e = Equations(x=1, y=0, z=0)
    made = {
        "sphere": e.total(*(e.monomial(1, **{k: 2}) for k in "xyz"), e.number(-1)),
        "plane": e.places["z"],
        "double": e.monomial(2, z=1),
        "corner": e.monomial(1, y=2),
    }
    parts = [e.monomial(1, **{k: 2}) for k in "xyz"]
    kept = {"V": e.total(*parts, e.monomial(-2, x=1), e.number(1))}
    problem = e.problem([e.number(0)] * 3, {k: made[k] for k in names}, kept)
    assert str(dimension_of_leaf(decisions.read_problem(problem))) == expected

    def told(rows, fixed, inverse):
        basis = {"rows": rows, "free": [k for k in "xyz" if k not in fixed], "inverse": inverse}
        theorem = {"name": "energy-Casimir", "multipliers": {"V": "1"}, "sense": 1}
        data = with_theorem(problem, theorem | basis)
        data["digest"] = checker.digest_of(data)
        return checker.check(data).claim

    assert f"of dimension {expected}, is Lyapunov stable" in told(rows, "xz"[: len(rows)], inverse)
    fewer = {2: (rows[1:], "z", [["1"]]), 1: ([], "", [])}.get(len(rows))
    if fewer:  # less is shown, and less is said
        assert f"of dimension at most {4 - len(rows)}, " in told(*fewer)
    wrong = [(["double", "plane"], "xz", BOTH), (["corner"], "y", [["1"]]), (["sphere"], "x", [["1"]])]
    for given in wrong:
        if {*given[0]} <= {*names}:
            with pytest.raises(checker.Refusal, match="not the inverse"):
                told(*given)


# -- numbers ----------------------------------------------------------------------------------------------


def test_a_double_is_told_as_one():
    x, k = gc.Coordinate("x"), gc.Parameter("k", 0.3)
    spring = gc.EulerPoincare(
        algebra=None,
        shape=[x],
        inertia=[[1]],
        potential=(sp.Rational(1, 10) - k.symbol) * x.symbol**2 / 2,
        forces=[-x.rate],
        parameters=[k],
    ).reduce()
    said = {}
    for number in (0.1, Fraction(1, 10)):
        certificate = gc.certify(spring, [0, 0], params={"k": number})
        assert not claims.at_odds(certificate.to_dict(), RNG)
        said[number] = re.search(r"with k = ([^,]*),.*?, is ([a-zA-Z]+)", certificate.claim).groups()
    assert said == {0.1: ("0.1 (double)", "unstable"), Fraction(1, 10): ("1/10", "Lyapunov")}


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("1/2", "0.5"),
        ("2", "2"),
        ("-3602879701896397/36028797018963968", "-0.1 (double)"),
        ("1/3", "1/3"),
        (f"{10**60 + 1}/{3 * 10**60}", "0.3333333333333333..."),
        (f"1/{10**400}", "1e-400..."),
    ],
)
def test_numbers_in_lists(number, text):
    from flint import fmpq

    assert decimal(fmpq(number)) == text


def test_ends_of_intervals_are_rounded_outwards():
    from flint import fmpq

    assert interval(fmpq("-2/3"), fmpq("2/3")) == "[-0.666667, 0.666667]"
    assert interval(fmpq("1/3"), fmpq("1/3")) == "[0.333333, 0.333334]"
    assert interval(fmpq(-4), fmpq("1/1000000000")) == "[-4, 1e-9]"


def test_rounding_in_place_of_a_zero_is_told_as_nearly_zero(tmp_path):
    """x'' = -x - 3 x^2 - x' about 10^-36, near which 0 is an equilibrium; r' = 1 - r rests at 1."""
    e = Equations(x=f"1/{10**36}", v=0, r=1)
    forces = [e.monomial(-1, x=1), e.monomial(-3, x=2), e.monomial(-1, v=1)]
    field = [e.places["v"], e.total(*forces), e.total(e.number(1), e.monomial(-1, r=1))]
    box = {"held": [], "omitted": [], "bits": 64}
    data = certified(consistent(tmp_path / "c.json", e.problem(field, box=box), {"conserved": []}))
    report = checker.check(data)
    assert report.verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    words = "that lies, in each state, within 2^-64 of r = 1, and in x within 2^-63 of 0, of 'body'"
    assert words in report.claim
    assert not claims.at_odds(data, RNG)


# -- what attracts ----------------------------------------------------------------------------------------


def test_levels_that_attract_are_told(tmp_path):
    """x' = -x, p' = 0: each level of p has an equilibrium, to which it comes."""
    e = Equations(x=0, p=2)
    problem = e.problem([e.monomial(-1, x=1), e.number(0)], invariants={"P": e.monomial(3, p=1)})
    data = certified(consistent(tmp_path / "c.json", problem, {"conserved": ["P"]}))
    claim = checker.check(data).claim
    assert claim.endswith(
        "is Lyapunov stable within the leaf, and near motions converge to the equilibrium of their own level "
        "set of P = 3*p."
    )
    assert not claims.at_odds(data, RNG)
    assert claims.at_odds(data, RNG, claim.replace("P = 3*p", "P = 2*p"))  # negative control
    assert (
        functions_of(decisions.read_problem(problem), ["P", "s"]) == "P = 3*p, s, an integral over the shape"
    )
