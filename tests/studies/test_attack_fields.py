"""Fields of the standing attack: their truths against numbers, and weaker checkers that are noticed."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from geoctrl.checker import THEOREMS, verdicts
from geoctrl.checker.identities import Ratio
from geoctrl.decisions.theorems import THEOREMS as DECISIONS
from geoctrl.decisions.theorems import falling_decision as falling
from geoctrl.decisions.theorems import family_decision as family
from geoctrl.decisions.theorems import lowest_order as degenerate
from tests.attack.build.building_fields import judged
from tests.attack.draw import drawing_fields
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing_fields import ATTRACTS, STABLE, UNSTABLE, Field
from tests.attack.forge import genuine
from tests.attack.forge.genuine import Genuine
from tests.attack.forge.other_witnesses import WITNESSES
from tests.attack.oracle import reading
from tests.attack.parts import certificates, fields


def drawn(make, count, seed=3):
    return [make(Dice(seed, index)) for index in range(count)]


def roots(f):
    at = dict(zip(f.states, f.point, strict=True))
    A = sp.Matrix(f.rates).jacobian(f.states).subs(at)
    return np.sort_complex(np.linalg.eigvals(np.array(A.tolist(), dtype=float)))


@pytest.mark.parametrize("make", drawing_fields.KINDS, ids=lambda make: make.__name__)
def test_truths_agree_with_spectra(make):
    """A root to the right is growth, on all levels and leaves; all to the left attract."""
    kinds = [f for f in drawn(make, 60) if "kink" not in f.kind and "squared" not in f.kind]
    for f in kinds:
        abscissa = roots(f).real.max()
        if abscissa > 1e-6:
            assert f.truth in ("", UNSTABLE), (f.kind, f.rates)
        elif abscissa < -1e-6:
            assert f.truth == ATTRACTS, (f.kind, f.rates)


@pytest.mark.parametrize(
    "make",
    [drawing_fields.families, drawing_fields.equilibria_that_are_passed, drawing_fields.drifts],
    ids=lambda make: make.__name__,
)
def test_truths_agree_with_runs(make):
    """What is stable stays within a few times its first distance, also where no root decides."""
    stable = [f for f in drawn(make, 60) if f.truth in (STABLE, ATTRACTS) and "kink" not in f.kind][:12]
    assert len(stable) >= 5
    for f in stable:
        assert fields.run(f, Dice(1, 0), fields.at_point(f)) == "", (f.kind, f.rates)


def test_runs_see_what_grows():
    """A spiral of rate 1/10 outward, and inward."""
    x, y = sp.symbols("x y", real=True)
    for sign in (1, -1):
        f = Field("", [x, y], [sign * x / 10 + y, sign * y / 10 - x], "")
        assert bool(fields.run(f, Dice(1, 0), fields.at_point(f))) is (sign == 1)


def polynomial(f):
    """The characteristic one, exactly."""
    return sp.Matrix(f.rates).jacobian(f.states).subs(dict.fromkeys(f.states, 0)).charpoly().all_coeffs()


def test_shears_hide_and_change_nothing():
    hidden = 0
    for index in range(20):
        dice = Dice(5, index)
        f = drawing_fields.oscillators(dice)
        before, plain = polynomial(f), list(f.rates)
        drawing_fields._shear(dice, f)
        assert polynomial(f) == before
        for energy in f.conserved.values():
            rate = sum(sp.diff(energy, x) * g for x, g in zip(f.states, f.rates, strict=True))
            assert sp.expand(rate) == 0
        hidden += f.rates != plain
    assert hidden > 15


def cases(count, first=0):
    return [fields.case(2, index, {}) for index in range(first, first + count)]


DRAWN_IN_QUICK_MODE = pytest.mark.long(
    reason="the attack in quick mode, a part of .ci/run, draws them; weaker checkers are noticed below"
)


@DRAWN_IN_QUICK_MODE
def test_fields():
    found = cases(50)
    assert not [(o.index, o.note) for o in found if o.fault]
    proved = Counter(o.detail["method"] for o in found if o.result == "proved")
    assert len(proved) >= 5, proved


def everything_definite(monkeypatch):
    monkeypatch.setattr(degenerate, "_definite", lambda coefficients: True)


def any_power_attracts(monkeypatch):
    def believing(q, proposal, findings):
        degenerate.one_zero_root(q, proposal, findings)
        return "PROVED_ASYMPTOTICALLY_STABLE", degenerate.CRITICAL_CASE

    monkeypatch.setitem(DECISIONS, "critical", believing)


def nothing_ever_stays(monkeypatch):
    monkeypatch.setattr(falling, "nothing_stays", lambda q, given, kernel: True)


@pytest.mark.parametrize(
    ("weaken", "make"),
    [
        (everything_definite, drawing_fields.valleys),
        (any_power_attracts, drawing_fields.families),
        (nothing_ever_stays, drawing_fields.oscillators),
    ],
    ids=lambda value: value.__name__,
)
def test_a_weaker_checker_is_noticed(monkeypatch, weaken, make):
    weaken(monkeypatch)

    def notes():
        for index in range(40):
            dice = Dice(7, index)
            try:
                yield fields.judge(make(dice), dice).note
            except (gc.GeoctrlError, ValueError):  # of what is false the search finds no witnesses
                continue

    assert any("but it is" in note or "confirms" in note for note in notes())


# -- mutants ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bases():
    return list(genuine._fields(1))


@pytest.fixture
def attacked(bases, monkeypatch):
    """Notes and results of cases in which one thing is changed."""
    monkeypatch.setattr(certificates, "BASES", bases)

    def cases_of(kind, count):
        monkeypatch.setattr(certificates, "WAYS", {kind: (certificates.WAYS[kind][0], 1.0)})
        return (certificates.case(4, index, {}) for index in range(count))

    return cases_of


def test_every_theorem_has_certificates(bases):
    names = {base.content["theorem"]["name"] for base in bases}
    assert {"family", "drift", "lowest form", "zero root", "falling", "orbit"} <= names
    hand = {Genuine.of(proof).content["theorem"]["name"] for proof in genuine._loops_by_hand()}
    loops = {name for name in THEOREMS if name.startswith("loop ")}
    assert hand == {name for name in loops if not name.endswith(" in a box")}


def falsehood(base, verdict="", method=""):
    proof = base.proof
    return reading.falsehood(base.content, verdict or proof["verdict"], method or proof["method"])


@pytest.mark.long(reason="the attack in quick mode, a part of .ci/run, draws such fields and judges them")
def test_genuine_certificates_are_true(bases):
    by_theorem = {}
    for base in [*bases, *map(Genuine.of, genuine._loops_by_hand())]:
        assert falsehood(base) == "", (base.proof["verdict"], base.proof["method"])
        by_theorem.setdefault(base.content["theorem"]["name"], base)
    for base in by_theorem.values():
        assert certificates.judge(base, base.content, "").result == "held"


@DRAWN_IN_QUICK_MODE
def test_mutants_of_theorems(attacked):
    found = list(attacked("witnesses anew", 60))
    assert not [o.note for o in found if o.fault]
    assert sum(o.result == "refused" for o in found) > 10
    told = {o.note.partition(":")[0] for o in found}
    assert len([name for name in told if name.startswith(("change_", "drop_"))]) >= 6


@DRAWN_IN_QUICK_MODE
def test_mutants_of_witnesses(attacked):
    found = list(attacked("witnesses", 150))
    assert not [o.note for o in found if o.fault]
    assert sum(o.result == "refused" for o in found) > 100
    told = {o.note.partition(":")[0] for o in found}
    assert len(told & {mutator.__name__ for mutator in WITNESSES}) > 10


def believed_identities(monkeypatch):
    monkeypatch.setattr(Ratio, "__eq__", lambda self, value: True)


def believed_forms(monkeypatch):
    monkeypatch.setattr(verdicts, "positive_definite", lambda rows: True)


@pytest.mark.parametrize(
    ("believe", "kind"),
    [(believed_identities, "equations"), (believed_forms, "witnesses"), (believed_forms, "equations")],
)
def test_mutants_of_which_something_is_believed_are_noticed(attacked, monkeypatch, believe, kind):
    believe(monkeypatch)
    assert any(o.result == "contradiction" for o in attacked(kind, 120))


def test_verdicts_by_theorems_are_not_held_against_roots_alone(bases):
    drift = next(base for base in bases if base.proof["method"] == family.DRIFT)
    assert "greatest real part" in falsehood(drift, method="spectrum")
    line = next(base for base in bases if base.proof["method"] == family.ATTRACTION)
    assert falsehood(line, "PROVED_UNSTABLE", "drift") == ""
    report = dataclasses.replace(checker.check(line.content), verdict="PROVED_UNSTABLE", method="drift")
    assert certificates.untrue(line, line.content, report)


def test_files_of_fields_are_confirmed():
    f = next(f for f in drawn(drawing_fields.drifts, 20) if f.kind == "drift: free")
    assert fields.again(judged(f)) == ""
