"""Equilibria known up to a box: closed forms, points that no box may prove, changed files."""

import copy
import math

import pytest
from flint import arb, ctx, fmpq
from mpmath import mp, quad

from geoctrl import checker, decisions
from geoctrl.decisions.functions.ball_jets import Balls
from geoctrl.decisions.functions.derivatives import Jet
from geoctrl.decisions.questions.krawczyk_boxes import Box, require_zero
from tests.attack.forge.by_hand import Equations

NEAR_ROOT = str(fmpq(round(math.sqrt(2) * 2**52), 2**52))


def boxed(problem, held=(), omitted=(), bits=40):
    return problem | {"box": {"held": list(held), "omitted": list(omitted), "bits": bits}}


def decided(problem, **proposal):
    return decisions.decide(decisions.read_problem(problem), {"conserved": [], **proposal})


def cubic(sign=-1, at=NEAR_ROOT):
    """x' = -+ x (x^2 - 2), at sqrt 2: the slope there is -+4."""
    e = Equations(x=at)
    return e.problem([e.total(e.monomial(sign, x=3), e.monomial(-2 * sign, x=1))])


def test_a_root_next_to_a_double_is_found_and_attracts():
    verdict, method, findings = decided(boxed(cubic()))
    assert (verdict, method) == ("PROVED_ASYMPTOTICALLY_STABLE", "spectrum in balls")
    assert findings["rounded_polynomial"] == pytest.approx([1, 4])
    verdict, *_ = decided(boxed(cubic(1)), root=[4.0, 0.0])
    assert verdict == "PROVED_UNSTABLE"


@pytest.mark.parametrize("bits", [53, 60, 120])
def test_a_box_that_holds_no_equilibrium_is_refused(bits):
    """The double is off by 1e-16: within 2^-53 of it there may be none."""
    with pytest.raises(checker.Refusal, match="not proved that there is an equilibrium"):
        decided(boxed(cubic(at=str(fmpq(NEAR_ROOT) + fmpq(1, 2**50))), bits=bits))


def test_a_box_that_holds_three_is_refused():
    """x' = -x (x^2 - 1/100)."""
    e = Equations(x="1/20")
    problem = e.problem([e.total(e.monomial(-1, x=3), e.monomial("1/100", x=1))])
    with pytest.raises(checker.Refusal, match=r"equilibrium in the box|singular"):
        decided(boxed(problem, bits=1))
    problem["states"]["x"] = "1/10"
    assert decided(boxed(problem, bits=6))[0] == "PROVED_ASYMPTOTICALLY_STABLE"


def test_wrong_sides_are_refused():
    with pytest.raises(checker.Refusal, match="left of the axis"):
        decided(boxed(cubic(1)))
    with pytest.raises(checker.Refusal, match="right of the axis"):
        decided(boxed(cubic()), root=[4.0, 0.0])
    with pytest.raises(checker.Refusal, match="right of the axis"):
        decided(boxed(cubic(1)), root=[0.5, 3.0])


@pytest.mark.parametrize("power", [2, 3])
def test_a_double_root_is_never_decided(power):
    """x' = (x - 1/3)^2 and its cube: an equilibrium, and no box tells."""
    e = Equations(x="1/3")
    shifted = e.total(e.monomial(1, x=1), e.number("-1/3"))
    problem = e.problem([e._add("prod", "-1", [[shifted, power]])])
    for bits in (2, 40, 64, 120):
        with pytest.raises(checker.Refusal):
            decided(boxed(problem, bits=bits))


def turning(sign=1):
    """x' = y, y' = -+(x^2 - 2), energy y^2/2 +- (x^3/3 - 2x): sqrt 2 is a centre or a saddle."""
    e = Equations(x=NEAR_ROOT, y=0)
    pull = e.total(e.monomial(-sign, x=2), e.number(2 * sign))
    half = e.total(e.monomial("1/2", y=2), e.monomial(fmpq(sign, 3), x=3), e.monomial(-2 * sign, x=1))
    return e.problem([e.places["y"], pull], {}, {"energy": half})


def test_a_centre_is_proved_by_its_energy_and_a_saddle_by_its_root():
    verdict, method, findings = decided(boxed(turning()), conserved=["energy"], multipliers={})
    assert (verdict, method) == ("PROVED_STABLE", "energy-Casimir in balls")
    assert findings["hessian"] == "definite"
    with pytest.raises(checker.Refusal, match="definite"):
        decided(boxed(turning(-1)), conserved=["energy"], multipliers={})
    root = math.sqrt(2 * math.sqrt(2))
    assert decided(boxed(turning(-1)), root=[root, 0.0])[0] == "PROVED_UNSTABLE"
    with pytest.raises(checker.Refusal, match="left of the axis"):  # the centre's spectrum says nothing
        decided(boxed(turning()))


def test_what_is_not_conserved_is_no_energy():
    problem = turning()
    damping = Equations(x=NEAR_ROOT, y=0)
    damping.nodes, damping.places = problem["nodes"], {"x": 0, "y": 1}
    push = damping.total(problem["field"][1], damping.monomial("1/1000000000", y=3))
    problem = problem | {"field": [problem["field"][0], push], "nodes": damping.nodes}
    with pytest.raises(checker.Refusal, match="keeps 'energy'"):
        decided(boxed(problem), conserved=["energy"], multipliers={})


def levels():
    """x' = z - x^2, z' = 0 near z = 2: on each level of z the upper root attracts."""
    e = Equations(x=NEAR_ROOT, z=2)
    rate = e.total(e.places["z"], e.monomial(-1, x=2))
    return e.problem([rate, e.number(0)], {}, {"z0": e.monomial(1, z=1)})


def test_a_family_on_the_levels_of_an_invariant():
    problem = boxed(levels(), held=["z"], omitted=["z"])
    verdict, method, findings = decided(problem, conserved=["z0"])
    assert (verdict, method) == ("PROVED_STABLE", "spectrum in balls on the level sets of the invariants")
    assert findings["zero_modes"] == ["z0"]
    # Without the invariant there is a zero root, and nothing to hold.
    for held, omitted, conserved in ((["x"], ["z"], ["z0"]), (["z"], ["x"], ["z0"]), ([], [], [])):
        problem = boxed(levels(), held=held, omitted=omitted)
        if held == ["x"]:  # the same family with another coordinate
            problem["states"] = problem["states"] | {"z": str(fmpq(NEAR_ROOT) ** 2)}
            assert decided(problem, conserved=conserved)[0] == "PROVED_STABLE"
            continue
        with pytest.raises(checker.Refusal):
            decided(problem, conserved=conserved)


def test_an_invariant_with_a_critical_point_omits_no_state():
    """D f = 0 tells nothing of the omitted rate where the column of D may vanish."""
    e = Equations(x=NEAR_ROOT, z=0)
    rate = e.total(e.number(2), e.monomial(-1, x=2))
    problem = e.problem([rate, e.number(1)], {}, {"nothing": e.number(3)})  # z' = 1: no equilibrium at all
    with pytest.raises(checker.Refusal):
        decided(boxed(problem, held=["z"], omitted=["z"]), conserved=["nothing"])


def test_invariants_that_leave_no_direction_decide_nothing():
    e = Equations(x=NEAR_ROOT)
    problem = e.problem([e.number(0)], {}, {"x0": e.monomial(1, x=1)})
    with pytest.raises(checker.Refusal, match="no direction"):
        decided(boxed(problem, held=["x"], omitted=["x"]), conserved=["x0"])


@pytest.mark.parametrize(
    "box",
    [
        {"held": ["x"], "omitted": [], "bits": 40},
        {"held": [], "omitted": ["x"], "bits": 40},
        {"held": ["w"], "omitted": ["w"], "bits": 40},
        {"held": [], "omitted": [], "bits": 0},
        {"held": [], "omitted": [], "bits": 10**9},
        {"held": [], "omitted": [], "bits": 40, "radius": "1"},
        {"held": [], "omitted": []},
    ],
)
def test_boxes_that_do_not_fit_are_refused(box):
    with pytest.raises(checker.Refusal):
        decided(cubic() | {"box": box})


def test_a_switch_in_the_box_is_refused():
    """|x - 3/2| has its corner within 1/2 of sqrt 2, and not within 2^-40."""
    e = Equations(x=NEAR_ROOT)
    off = e.total(e.monomial(1, x=1), e.number("-3/2"))
    size = e.function("select", off, off, e._add("prod", "-1", [[off, 1]]))
    rate = e.total(e.monomial(-1, x=1), e._add("prod", "0", [[size, 1]]), e.number(NEAR_ROOT))
    problem = e.problem([rate])
    assert decided(boxed(problem))[0] == "PROVED_ASYMPTOTICALLY_STABLE"
    with pytest.raises(checker.Refusal, match="switches"):
        decided(boxed(problem, bits=1))


def test_a_divisor_that_may_vanish_is_refused():
    e = Equations(x=NEAR_ROOT)
    problem = e.problem([e.total(e.monomial(-1, x=1), e.monomial(2, x=-1))])
    assert decided(boxed(problem))[0] == "PROVED_ASYMPTOTICALLY_STABLE"
    wide = copy.deepcopy(problem)
    wide["states"]["x"] = "1/4"
    with pytest.raises(checker.Refusal, match="bounded"):
        decided(boxed(wide, bits=1))


# -- the arithmetic ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "s"), [(2, 3, 0.7), (-2, 3, 0.7), (0, 3, 0.7), (1e-40, 3, -0.7), (-1e-3, 2, 5.0), (1, -3, 0.7)]
)
def test_quadratures_are_enclosed(a, b, s):
    with mp.workdps(50), ctx.workprec(200):
        found = Balls([]).quadrature(*(arb(fmpq(*float(v).as_integer_ratio())) for v in (a, b, s)))
        expected = quad(lambda t: 1 / (a * t * t + b), [0, s])
        assert abs(mp.mpf(found.mid().str(40, radius=False)) - expected) < mp.mpf(10) ** -30
        assert found.rad() < 1e-30
        wide = Balls([]).quadrature(arb(a, 1e-3), arb(b, 1e-3), arb(s))
        assert wide.contains(found)
    with pytest.raises(checker.Refusal, match="pole"):
        Balls([]).quadrature(arb(-1), arb(1), arb(2))


def test_what_is_not_finite_is_refused():
    numbers = Balls([])
    for value in (1 / arb(0, 1), arb(-1, 2).sqrt(), arb(-1).log()):
        with pytest.raises(checker.Refusal, match="bounded"):
            numbers.settled(Jet(value))
    assert numbers.settled(Jet(arb(0, 1) * arb(0, 1))).value.contains(0)


def test_krawczyk_needs_a_square_system_and_a_small_value():
    require_zero([arb(0, 1e-6)], [[arb(1, 0.1)]], [fmpq(1, 1000)])
    with pytest.raises(checker.Refusal):
        require_zero([arb(0, 1e-2)], [[arb(1, 0.1)]], [fmpq(1, 1000)])
    with pytest.raises(checker.Refusal):
        require_zero([arb(0)], [[arb(1, 2)]], [fmpq(1, 1000)])
    with pytest.raises(checker.Refusal, match="as many"):
        require_zero([arb(0)], [[arb(1)], [arb(1)]], [fmpq(1, 1000)])


def test_the_kernel_is_enclosed():
    problem = decisions.read_problem(boxed(levels(), held=["z"], omitted=["z"]))
    with ctx.workprec(100):
        assert Box(problem, ["z0"], whole=True).kernel().tolist() == [[1], [0]]
