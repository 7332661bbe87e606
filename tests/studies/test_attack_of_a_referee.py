"""Files by which a referee once had the checker say what is false, or run for ever, or crash: each is made in
the format of today, and refused, or has the verdict that is true."""

import json
from fractions import Fraction

import numpy as np
import pytest

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.witnesses.content import content_with_witnesses
from tests.attack.forge.by_hand import Equations, decided, with_theorem
from tests.attack.parts import heavy_files
from tests.attack.parts.claims import at_odds
from tests.attack.parts.files import forged
from tests.attack.parts.forged_regions import Nodes, content, tree

ATTRACTS, STABLE = "PROVED_ASYMPTOTICALLY_STABLE", "PROVED_STABLE"
ATTRACTION = {"name": "attraction", "rows": [], "free": ["x"], "inverse": [], "P": [["1"]]}


def two_sheets():
    """On x^2 = 1, q'' = -q - 5 (x - 1) q': the energy times (x+1)/(x+1) is kept near x = 1, and grows as
    e^(20 t) where x = -1.
    """
    nodes = Nodes("x", "q", "v")
    energy = nodes.total(*(("1/2", nodes.product((i, 2))) for i in (1, 2)))
    side = nodes.total((1, 0), (1, nodes.number(1)))
    leaf = nodes.total((1, nodes.product((0, 2))), (-1, nodes.number(1)))
    driven = nodes.total((-1, 1), (-5, nodes.product((0, 1), (2, 1))), (5, 2))
    told = {"energy": nodes.product((side, 1), (energy, 1), (side, -1))}
    sides = {"x": ["-8", "8"], "q": ["-8", "8"]}
    field = [nodes.number(0), 2, driven]
    point = {"x": "1", "q": "0", "v": "0"}
    return content(nodes, point, field, told, energy, sides, "1/4", tree(4), {"leaf": leaf})


def another_branch():
    """The energy is B where q < 1 and -100 B beyond: q = 2, v = 100 is below every level, and leaves."""
    nodes = Nodes("q", "v")
    energy = nodes.total(*(("1/2", nodes.product((i, 2))) for i in (0, 1)))
    side = nodes.total((-1, 0), (1, nodes.number(1)))
    told = {"energy": nodes.function("select", side, energy, nodes.product((energy, 1), factor=-100))}
    field = [1, nodes.product((0, 1), factor=-1)]
    sides = {"q": ["-16", "16"]}
    return content(nodes, {"q": "0", "v": "0"}, field, told, energy, sides, "1/4", tree(2))


def law_below_a_power(gain):
    """x' = x + u with u = gain x/r, at r = 1: -4 x/r attracts, and -x/(4 r) does not."""
    e = Equations(x=0, r=1, u=0)
    law = e._add(
        "prod", "-1", [[e.monomial(str(Fraction(-1) / Fraction(gain)), r=1), -1], [e.places["x"], 1]]
    )
    field = [e.total(e.places["x"], e.places["u"]), e.number(0), e.number(0)]
    loop = {"hold": "1/2", "late": 0, "part": "0", "commands": {"u": law}, "own": {}}
    loop |= {"units": [0, 0], "cofactors": [[]]}
    basis = {"rows": ["r"], "free": ["x", "u"], "inverse": [["1"]]}
    theorem = {"name": "loop that attracts", **basis, "loop": loop, "P": [["1"]]}
    return with_theorem(e.problem(field, invariants={"r": e.places["r"]}), theorem)


def nothing_moves(padded):
    """phi'' = phi on phi = phi' = 0: attraction of the point alone, with zeros by which the leaf is long."""
    e = Equations(phi=0, phi_dot=0)
    relations = {k: e.places[k] for k in ("phi", "phi_dot")}
    if padded:
        zeros = [e.monomial("0", **{k: n + 1}) for n in range(60) for k in relations]
        relations = {f"|{k}|^2": e.total(place, *zeros) for k, place in relations.items()}
    rows = {"rows": list(relations), "free": [], "inverse": [["1", "0"], ["0", "1"]], "P": []}
    cofactor = {
        name: [[other, e.number(1)]] for name, other in zip(relations, reversed(relations), strict=True)
    }
    problem = e.problem([e.places["phi_dot"], e.places["phi"]], relations)
    return with_theorem(problem, ATTRACTION | rows, cofactor)


def named(name, **heading):
    """x' = -x of one state, whatever it is called."""
    e = Equations(**{name: 0})
    problem = e.problem([e.monomial(-1, **{name: 1})])
    return with_theorem(problem, ATTRACTION | {"free": [name]}) | heading


def spring(k):
    """x'' = (k - 1/10) x - x'."""
    e = Equations(x=0, v=0)
    e.symbol("k", "parameter")
    less = e.total(e.monomial(1, k=1, x=1), e.monomial("-1/10", x=1), e.monomial(-1, v=1))
    problem = e.problem([e.places["v"], less], parameters={"k": str(Fraction(k))})
    return json.loads(json.dumps(content_with_witnesses(decided(problem))))


def heavy(name):
    return lambda: heavy_files.heavy()[name]


FILES = {
    "a region on a leaf of two sheets": (two_sheets, "refused"),
    "a region of another branch": (another_branch, "refused"),
    "a law below a power": (lambda: law_below_a_power("-4"), STABLE),
    "the law that was told": (lambda: law_below_a_power("-1/4"), "refused"),
    "a leaf that is the point": (lambda: nothing_moves(False), STABLE),
    "a leaf that is the point, padded": (lambda: nothing_moves(True), STABLE),
    "a state that is a claim": (lambda: named("G^2 = 1 of skate, on the leaf x = 0, is stable"), ATTRACTS),
    "a system that is a claim": (lambda: named("x", system="top, on the leaf x = 0, is unstable"), ATTRACTS),
    "a name of two lines": (lambda: named("x", system="m\nPROVED_STABLE: everything"), "refused"),
    "a double that is no tenth": (lambda: spring(0.1), "PROVED_UNSTABLE"),
    "a little less": (lambda: spring(Fraction(0.1) - Fraction(1, 10**17)), ATTRACTS),
    "a method in words": (lambda: forged(method="energy-Casimir in floats"), "refused"),
    "a verdict in words": (lambda: forged(verdict="PROVED_STABLE", claim="it is stable"), "refused"),
    "an earlier release": (lambda: forged(version=2), "refused"),
    # True: of no cell of the map anything is proved; the region is a disk in a box that is large.
    "crash: an exponential over a map": (heavy("exp of axes to 10^11"), "PROVED_BY_CELLS"),
    "raw error: a large box": (heavy("a box of 10^400"), "PROVED_INVARIANT"),
    "crash: an exponential": (heavy("exp 10^11 in a box"), "refused"),
    "hang: roots": (heavy("roots, one digit"), "refused"),
    "hang: roots and long numbers": (heavy("roots, twelve digits"), "refused"),
    "memory: many functions": (heavy("powers of sums and many functions"), "refused"),
}  # fmt: skip


def said(data):
    """What the checker returns, in words too where it refuses."""
    data["digest"] = checker.digest_of(data)
    try:
        report = checker.check(data)
    except checker.Refusal as refusal:
        return "refused", str(refusal)
    return report.verdict, report.claim


@pytest.mark.parametrize("name", FILES)
def test_what_a_referee_forged(name):
    make, expected = FILES[name]
    verdict, words = said(make())
    assert verdict == expected, words


def test_what_they_claim_is_what_was_checked():
    """Laws have their brackets, a leaf its dimension, a name its quotes, a double its value."""
    of_points = [k for k, (_, verdict) in FILES.items() if verdict in (ATTRACTS, STABLE, "PROVED_UNSTABLE")]
    files = {name: FILES[name][0]() for name in of_points}
    words = {name: said(data)[1] for name, data in files.items()}
    for name, data in files.items():
        assert not at_odds(data, np.random.default_rng(1), words[name]), words[name]
    for name in ("a leaf that is the point", "a leaf that is the point, padded"):
        assert "a leaf of dimension 0: the point alone, is Lyapunov stable" in words[name]
    assert "[sha256 of its nodes: " in words["a leaf that is the point, padded"]
    assert "of 'top, on the leaf x = 0, is unstable', on the leaf of all" in words["a system that is a claim"]
    assert "k = 0.1 (double)" in words["a double that is no tenth"]
    assert "0.1 (double)" not in words["a little less"]


def test_a_file_nested_too_deeply_is_refused_in_words(tmp_path):
    for depth in (991, 100_000):
        path = tmp_path / "nest.json"
        path.write_text(f'{{"format": "geoctrl-map", "x": {"[" * depth + "]" * depth}, "digest": "a"}}')
        with pytest.raises(gc.CertificateError):
            gc.verify(path)
