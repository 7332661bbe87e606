"""Branches of equilibria against closed forms."""

import json
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import sqrt

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from geoctrl.continuation.changes import BRANCH, FOLD, HOPF, MEETING, ZERO

STABLE = (gc.Verdict.PROVED_STABLE, gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE)


@cache
def skate():
    return gc.models.get("pendulum-skate")().reduce()


def leaning(s):
    """Yaw rate at which the skate's leaning turns become stable, at the sine s of the lean."""
    p = skate().params
    m, h, g, I2, I3 = (p[k] for k in ("m", "l", "g", "I2", "I3"))
    c, A, D = sqrt(1 - s * s), I2 + m * h * h - I3, I2 - I3
    above, below = I3 + D * s * s * (1 + 2 * c * c), I3 * (m * h * h - D) + A * D * s * s
    return sqrt(m * g * h * above / (c**3 * below))


def proved(change, value, width, order=("unstable", "stable")):
    """The bracket holds a value, is as narrow as said, and its certificates hold at its two ends."""
    low, high = change.bracket
    assert low < value < high
    assert change.width < width
    assert change.rigorous
    said = {"stable": STABLE, "unstable": (gc.Verdict.PROVED_UNSTABLE,)}
    for certificate, word in zip(change.certificates, order, strict=True):
        assert checker.check(certificate.to_dict()).verdict == certificate.verdict.value
        assert certificate.verdict in said[word]


# -- families in closed form ---------------------------------------------------------------------------


def test_the_spinning_skate_becomes_stable_where_the_paper_says():
    p = skate().params
    threshold = sqrt(p["m"] * p["g"] * p["l"] / (p["I3"] + p["m"] * p["l"] ** 2 - p["I2"]))
    branch = gc.follow(skate(), skate().equilibrium("spinning", Omega0=3.0), along="Omega0", span=(1, 9))
    (change,) = branch.changes
    assert change.kind == ZERO
    assert change.eigenvalue == 0
    assert abs(change.value - threshold) < 1e-12
    proved(change, threshold, 1e-9)
    # Of a family in closed form the ends belong to the values as they are.
    ends = [c.proof["problem"]["states"]["v2"] for c in change.certificates]
    assert [Fraction(q) for q in ends] == [Fraction(v) for v in change.bracket]
    assert (change.before, change.after) == (gc.Verdict.PROVED_UNSTABLE, gc.Verdict.PROVED_STABLE)
    assert branch.ends == ("Omega0 = 1", "Omega0 = 9")


def test_a_sleeping_top_wakes_where_two_pairs_meet():
    top = gc.models.get("heavy-top")().reduce()
    start = top.equilibrium("sleeping", Omega0=3, params={"I2": 0.9})
    branch = gc.follow(top, start, along="Omega0", span=(0.5, 20))
    p = branch.points[0].params
    threshold = sqrt(4 * p["I1"] * p["m"] * p["g"] * p["l"]) / p["I3"]
    (change,) = branch.changes
    assert change.kind == MEETING
    # Seen from the body they turn at the difference of the spin and the slow precession.
    assert change.eigenvalue.imag == pytest.approx(threshold * (1 - p["I3"] / (2 * p["I1"])), rel=1e-5)
    proved(change, threshold, 1e-8)


def test_a_circling_disk_falls_where_the_conditions_say():
    disk = gc.models.get("rolling-disk")().reduce().despun()
    branch = gc.follow(disk, disk.equilibrium("circling", omega=1, t=0.3), along="t", span=(0.05, 0.95))
    (change,) = branch.changes
    proved(change, change.value, 1e-9, ("stable", "unstable"))
    conditions = gc.stability_conditions(disk, "circling", params=dict(disk.params))
    assert list(conditions.evaluate(omega=1.0, t=np.array(change.bracket))) == [1, -1]
    assert branch.held == {"omega": 1}


def test_members_follow_a_parameter_with_their_symbols_held():
    start = skate().equilibrium("spinning", Omega0=5)
    branch = gc.follow(skate(), start, along="l", span=(0.1, 1.5), fixed=["Omega0"])
    # m l^2 W^2 - m g l + (I3 - I2) W^2 = 0
    p = skate().params
    roots = np.roots([p["m"] * 25, -p["m"] * p["g"], (p["I3"] - p["I2"]) * 25])
    (change,) = branch.changes
    proved(change, max(roots), 1e-9)
    assert all(point.params["l"] == value for point, value in zip(branch.points, branch.values, strict=True))


def test_fractions_that_are_held_are_held_exactly():
    """m l^2 W^2 - m g l + (I3 - I2) W^2 has the root l = 1/3: doubles next to 17/18 and 1/2 would move it."""
    params = {"m": 2, "g": 9, "I2": Fraction(1, 2), "I3": Fraction(17, 18), "l": Fraction(1, 4)}
    start = skate().equilibrium("spinning", Omega0=3, params=params)
    branch = gc.follow(skate(), start, along="l", span=(Fraction(1, 4), Fraction(1, 2)), fixed=["Omega0"])
    (change,) = branch.changes
    proved(change, 1 / 3, 1e-9, ("stable", "unstable"))
    for distance in (Fraction(-1, 10**20), 0, Fraction(1, 10**20)):
        point = skate().equilibrium("spinning", Omega0=3, params=params | {"l": Fraction(1, 3) + distance})
        expected = gc.Verdict.PROVED_UNSTABLE if distance > 0 else gc.Verdict.PROVED_STABLE
        assert gc.certify(skate(), point).verdict is (expected if distance else gc.Verdict.UNDECIDED)


@pytest.mark.long(reason="the verdicts beside both speeds are asked with the benchmark")
@pytest.mark.slow
def test_the_bicycle_weaves_and_capsizes_at_the_speeds_of_the_benchmark():
    """Meijaard, Papadopoulos, Ruina and Schwab 2007, section 6: 4.292382536341 and 6.024262015388 m/s."""
    bicycle = gc.models.get("whipple-bicycle")().reduce()
    branch = gc.follow(bicycle, bicycle.equilibrium("upright", v=4), along="v", span=(3, 9), points=13)
    weave, capsize = branch.changes
    assert (weave.kind, capsize.kind) == (HOPF, BRANCH)
    assert abs(weave.value - 4.292382536341) < 2e-12
    assert abs(capsize.value - 6.024262015388) < 2e-12
    assert weave.eigenvalue.imag == pytest.approx(3.4350338, rel=1e-6)
    proved(weave, 4.292382536341, 1e-6)
    proved(capsize, 6.024262015388, 1e-6, ("stable", "unstable"))
    assert weave.eigenvalue.real == 0


# -- curves that are solved for ----------------------------------------------------------------------------


@pytest.mark.parametrize("s", [0.1, 0.3, 0.6])
def test_leaning_turns_become_stable_at_the_closed_form(s):
    start = gc.find_equilibrium(skate(), fixed={"v2": 5.0, "Gamma2": s})
    branch = gc.follow(skate(), start, along="v2", span=(2, 9), fixed=["Gamma2"], points=31)
    (change,) = branch.changes
    assert change.kind == ZERO
    assert abs(change.value - leaning(s)) < 1e-12
    proved(change, leaning(s), 1e-9)
    np.testing.assert_array_equal(branch.states[3], s)
    # v3 = -((I2 + m l^2 - I3) c w^2 + m g l) s/(m l c w) all along.
    p, w, c = skate().params, branch.values, sqrt(1 - s * s)
    m, h = p["m"], p["l"]
    A = p["I2"] + m * h * h - p["I3"]
    v3 = -(A * c * w**2 + m * p["g"] * h) * s / (m * h * c * w)
    np.testing.assert_allclose(branch.states[2], v3, rtol=1e-11)


def test_along_the_lean_stability_is_gained_and_lost_alike():
    start = gc.find_equilibrium(skate(), fixed={"v2": 5.0, "Gamma2": 0.02})
    branch = gc.follow(skate(), start, along="Gamma2", span=(-0.3, 0.3), fixed=["v2"], points=21)
    first, second = branch.changes
    assert leaning(second.value) == pytest.approx(5.0, rel=1e-12)
    assert first.value == pytest.approx(-second.value, rel=1e-12)
    proved(first, first.value, 1e-9)
    proved(second, second.value, 1e-9, ("stable", "unstable"))


def test_a_family_of_more_dimensions_is_cut_and_says_where():
    start = gc.find_equilibrium(skate(), fixed={"v2": 5.0, "Gamma2": 0.3})
    branch = gc.follow(skate(), start, along="v2", span=(4, 6), points=11)
    assert len(branch.held) == 1
    (label,) = branch.held
    np.testing.assert_allclose(branch.states[skate().state_labels.index(label)], branch.held[label])


# -- curves that turn --------------------------------------------------------------------------------------


@pytest.mark.parametrize("s", [0.3, 0.5])
def test_the_speed_of_leaning_turns_has_a_least_one(s):
    """-v3 = (A c w + m g l/w) s/(m l c) is least at A c w^2 = m g l."""
    p = {name: sp.Rational(value) for name, value in skate().params.items()}  # the doubles as they are
    c, A = sp.sqrt(1 - sp.Rational(s) ** 2), p["I2"] + p["m"] * p["l"] ** 2 - p["I3"]
    weight = p["m"] * p["g"] * p["l"]
    exactly = -2 * sp.Rational(s) * sp.sqrt(A * c * weight) / (p["m"] * p["l"] * c)
    least = float(exactly)
    start = gc.find_equilibrium(skate(), fixed={"v2": 5.0, "Gamma2": s})
    branch = gc.follow(skate(), start, along="v3", span=(2 * least, -0.1), fixed=["Gamma2"], points=21)
    (fold,) = [change for change in branch.changes if change.kind == FOLD]
    low, high = fold.bracket
    assert sp.Rational(low) < exactly < sp.Rational(high)
    assert fold.width < 1e-14
    assert fold.rigorous
    assert fold.proof == "proved to hold a turn of the curve"
    assert fold.point["v2"] == pytest.approx(float(sp.sqrt(weight / (A * c))), rel=1e-7)
    assert branch.ends[0] == branch.ends[1]
    assert branch.values.max() < least + 1e-12


@cache
def pushed_pendulum():
    """phi'' + d phi' + sin(phi) = T: no equilibrium with |T| > 1."""
    phi, T, d = gc.Coordinate("phi"), gc.Parameter("T", 0.5), gc.Parameter("d", 0.25)
    forces = [T.symbol - d.symbol * phi.rate]
    L = phi.rate**2 / 2 + sp.cos(phi.symbol)
    return gc.EulerPoincare(
        name="pushed", algebra=None, shape=[phi], lagrangian=L, forces=forces, parameters=[T, d]
    ).reduce()


@pytest.mark.long(
    reason="the closed curve below has its two folds, proved and with the same verdicts beside them"
)
def test_a_pushed_pendulum_turns_over_at_the_torque_of_its_weight():
    system = pushed_pendulum()
    start = gc.find_equilibrium(system, guess=[0.0, 0.5])
    branch = gc.follow(system, start, along="T", span=(-2, 2), points=9)
    # From rest both ways through pi/2 and -pi/2: the curve T = sin(phi).
    np.testing.assert_allclose(np.sin(branch.states[1]), branch.values, atol=1e-12)
    folds = [change for change in branch.changes if change.kind == FOLD]
    assert len(folds) == len(branch.changes) >= 2
    for fold in folds:
        low, high = fold.bracket
        assert fold.rigorous
        assert low < round(fold.value) < high
        assert fold.width < 1e-15 * 4
        assert fold.eigenvalue == 0
        assert {fold.before, fold.after} == {
            gc.Verdict.NUMERICALLY_STABLE,
            gc.Verdict.NUMERICALLY_UNSTABLE,
        }


def test_a_closed_curve_ends_where_it_began():
    """x'' + d x' = x^2 + p^2 - 1 rests on a circle, which turns at p = 1 and p = -1."""
    x, p, d = gc.Coordinate("x"), gc.Parameter("p", 0.0), gc.Parameter("d", 0.5)
    force = x.symbol**2 + p.symbol**2 - 1 - d.symbol * x.rate
    system = gc.EulerPoincare(
        name="ring", algebra=None, shape=[x], lagrangian=x.rate**2 / 2, forces=[force], parameters=[p, d]
    ).reduce()
    branch = gc.follow(system, gc.find_equilibrium(system, guess=[0, 1]), along="p", span=(-2, 2), points=31)
    assert branch.ends == ("where it began", "where it began")
    np.testing.assert_allclose(branch.states[1] ** 2 + branch.values**2, 1, atol=1e-12)
    assert [change.kind for change in branch.changes] == [FOLD, FOLD]
    assert sorted(round(change.value) for change in branch.changes) == [-1, 1]
    for change in branch.changes:
        low, high = change.bracket
        assert change.rigorous
        assert low < round(change.value) < high
        assert change.width < 1e-15 * 4
        assert change.eigenvalue == 0
        verdicts = gc.Verdict.NUMERICALLY_STABLE, gc.Verdict.NUMERICALLY_UNSTABLE
        assert {change.before, change.after} == {*verdicts}


def test_a_turn_that_is_none_is_not_proved():
    """Negative control: at a place of the curve that is no fold the steps lead away from it."""
    from geoctrl.continuation.arclength import SolvedCourse
    from geoctrl.continuation.folds import turning_point

    start = gc.find_equilibrium(pushed_pendulum(), guess=[0.0, 0.5])
    course = SolvedCourse(pushed_pendulum(), start, "T", (), (-0.9, 0.9), 11)
    course.walk(lambda _: None)
    assert all(turning_point(course, place) is None for place in course.places)


# -- curves that cross ------------------------------------------------------------------------------------


@cache
def slow_axes_top():
    """Lagrange's top from axes that turn about its own at I3/(2 I1) of its spin: at that rate the slowest
    precessions rest, and leave the sleeping top in a pitchfork.
    """
    given = {"I1": 0.5, "I3": 0.3, "m": 1.5, "g": 9.8, "h": 0.4}
    I1, I3, m, g, h = (parameters := [gc.Parameter(k, v, positive=True) for k, v in given.items()])
    algebra = gc.product(gc.so3(), gc.so2())
    Gamma, xi, n = gc.AdvectedVector("Gamma", reference=(0, 0, 1)), algebra.xi, sp.Symbol("n", real=True)
    k, spin = I3.symbol / (2 * I1.symbol), xi[2] + xi[3]
    kinetic = (I1.symbol * (xi[0] ** 2 + xi[1] ** 2) + I3.symbol * spin**2) / 2
    across = xi[0] * Gamma.symbols[0] + xi[1] * Gamma.symbols[1]
    return gc.EulerPoincare(
        name="top in slow axes",
        algebra=algebra,
        advected=[Gamma],
        lagrangian=kinetic - m.symbol * g.symbol * h.symbol * Gamma.symbols[2],
        constraints=[[0, 0, 1 - k, -k]],
        frame=sp.Matrix([[1, 0, 0], [0, 1, 0], [0, 0, k], [0, 0, 1 - k]]),
        invariants={"spin": spin, "vertical": I1.symbol * across + I3.symbol * spin * Gamma.symbols[2]},
        parameters=parameters,
        equilibria={"sleeping": gc.Family({"v3": n, "Gamma3": 1}, symbols=[n])},
    ).reduce()


THRESHOLD = 2 * sqrt(0.5 * 1.5 * 9.8 * 0.4) / 0.3


@pytest.mark.parametrize(("along", "fixed"), [("n", ()), ("v3", ["Gamma2"])])
def test_precession_leaves_the_sleeping_top_in_a_pitchfork(along, fixed):
    top = slow_axes_top()
    start = top.equilibrium("sleeping", n=12.0)
    branch = gc.follow(top, start, along=along, span=(9, 13), fixed=fixed, points=21)
    (pitchfork,) = branch.changes
    assert pitchfork.kind == BRANCH
    proved(pitchfork, THRESHOLD, 1e-8)
    (other,) = pitchfork.branches()
    # At the slowest precession of a lean, I3^2 n^2 = 4 I1 m g l cos.
    spin, cosine = other.states[2], other.states[5]
    np.testing.assert_allclose(cosine, (spin / THRESHOLD) ** 2, rtol=1e-9)
    assert cosine.min() < 0.63  # as far as the span reaches, on both sides
    sides = [point.x[3:5] for point in (other.points[0], other.points[-1])]
    np.testing.assert_allclose(sides[0], -sides[1], atol=1e-9)
    assert min(np.linalg.norm(side) for side in sides) > 0.5


def test_a_crossing_without_another_curve_says_so():
    """A sleigh at rest has a kernel of two dimensions, and its turns on the spot are no equilibria."""
    sleigh = gc.models.get("chaplygin-sleigh")().reduce()
    branch = gc.follow(sleigh, sleigh.equilibrium("straight", V=0.3), along="V", span=(-1, 1), points=11)
    (change,) = branch.changes
    assert change.kind == BRANCH
    proved(change, 0, 1e-9)
    with pytest.raises(gc.EquilibriumError, match="no other curve of equilibria was found near"):
        change.branches()


def test_a_curve_on_which_the_value_stays_the_same_has_no_turns():
    """A vehicle without a gap between its centres stands at any angle: the curve across is one of those."""
    vehicle = gc.models.get("underwater-vehicle")().reduce()
    start = vehicle.equilibrium("level1", Y0=5.5)
    branch = gc.follow(vehicle, start, along="l", span=(-0.3, 0.3), fixed=["Y0"], points=7)
    (change,) = branch.changes
    proved(change, 0, 1e-9)
    for other in change.branches():
        assert max(abs(other.values)) < 1e-12
        assert not [found for found in other.changes if found.kind == FOLD]


def test_what_is_no_branch_point_has_no_other_branches():
    branch = gc.follow(
        skate(), skate().equilibrium("spinning", Omega0=4.5), along="Omega0", span=(4, 5), points=5
    )
    with pytest.raises(
        gc.EquilibriumError, match="no other curve of equilibria crosses at a zero eigenvalue"
    ):
        branch.changes[0].branches()


# -- a pair that crosses: a circulatory force ---------------------------------------------------------------


@cache
def fluttering():
    """Two oscillators that drive each other by a force P without a potential, both with damping d."""
    q1, q2 = gc.Coordinate("q1"), gc.Coordinate("q2")
    k1, k2, d, P = (gc.Parameter(k, v) for k, v in {"k1": 1.0, "k2": 2.5, "d": 0.125, "P": 0.25}.items())
    L = (q1.rate**2 + q2.rate**2 - k1.symbol * q1.symbol**2 - k2.symbol * q2.symbol**2) / 2
    forces = [
        P.symbol * q2.symbol - d.symbol * q1.rate,
        -P.symbol * q1.symbol - d.symbol * q2.rate,
    ]
    return gc.EulerPoincare(
        name="flutter", algebra=None, shape=[q1, q2], lagrangian=L, forces=forces, parameters=[k1, k2, d, P]
    ).reduce()


@pytest.mark.parametrize(
    "number", [float, np.float32, np.float64, lambda v: Fraction(v), lambda v: Decimal(v), sp.Rational]
)
def test_flutter_comes_at_its_closed_form_whatever_numbers_are_given(number):
    """P^2 = ((k1 - k2)/2)^2 + d^2 (k1 + k2)/2 at the frequency sqrt((k1 + k2)/2)."""
    system = fluttering()
    start = gc.find_equilibrium(system)
    branch = gc.follow(
        system, start, along="P", span=(number(0.25), number(1.5)), params={"d": number(0.125)}, points=11
    )
    (change,) = branch.changes
    assert change.kind == HOPF
    assert change.eigenvalue.imag == pytest.approx(sqrt(1.75), rel=1e-9)
    critical = sqrt(0.75**2 + 0.125**2 * 1.75)
    assert abs(change.value - critical) < 1e-13
    proved(change, critical, 1e-9, ("stable", "unstable"))
    assert branch.verdicts[0] is gc.Verdict.NUMERICALLY_STABLE
    assert branch.verdicts[-1] is gc.Verdict.NUMERICALLY_UNSTABLE


def test_what_is_kept_can_be_read_again(tmp_path):
    start = gc.find_equilibrium(fluttering())
    branch = gc.follow(fluttering(), start, along="P", span=(0.25, 1.5), points=5)
    branch.to_json(tmp_path / "branch.json")
    data = json.loads((tmp_path / "branch.json").read_text())
    assert data["along"] == "P"
    assert data["values"] == list(branch.values)
    (change,) = data["changes"]
    assert change["bracket"] == list(branch.changes[0].bracket)
    assert [checker.check(c).verdict for c in change["certificates"]] == [
        "PROVED_ASYMPTOTICALLY_STABLE",
        "PROVED_UNSTABLE",
    ]


def test_where_nothing_can_be_proved_the_bracket_says_that_it_is_of_floats():
    """On the curve of precessing tops the pitchfork is a turn, with nothing to prove on its other side."""
    top = slow_axes_top()
    branch = gc.follow(top, top.equilibrium("sleeping", n=12.0), along="n", span=(11, 12), points=7)
    (other,) = branch.changes[0].branches()
    (turn,) = other.changes
    assert not turn.rigorous
    assert turn.certificates == ()
    assert turn.proof == ""
    assert "of floats" in repr(turn)
    assert turn.bracket[0] < THRESHOLD < turn.bracket[1]


# -- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (
            {"along": "v9"},
            gc.LabelError,
            "no state, symbol of the family of the equilibrium or parameter 'v9'",
        ),
        ({"along": 3}, gc.LabelError, "along must name"),
        ({"span": (9, 2)}, gc.InputError, "low < high"),
        ({"span": (6, 9)}, gc.InputError, "outside the span"),
        ({"span": 3}, gc.InputError, "span must be a sequence"),
        ({"span": (1, 2, 3)}, gc.InputError, r"span must be \(low, high\)"),
        ({"fixed": ["speed"]}, gc.LabelError, "fixed names no state or symbol"),
        ({"fixed": ["v2"]}, gc.InputError, "cannot be held"),
        ({"fixed": ["Omega0"]}, gc.InputError, "hold states"),
        ({"along": "Omega0", "fixed": ["v3"]}, gc.InputError, "told by its symbols"),
        ({"points": 2}, gc.InputError, "points must be a whole number"),
        ({"params": {"mass": 3}}, gc.ParameterError, "mass"),
        ({"fixed": ["v3", "Gamma2"]}, None, ""),
        ({"fixed": ["v1", "v3", "Gamma2", "Gamma3"]}, None, ""),
    ],
)
def test_bad_input_is_refused_before_any_work(given, error, words):
    start = skate().equilibrium("spinning", Omega0=3.0)
    asked = {"along": "v2", "span": (2, 4), "points": 3, **given}
    if error is None:
        assert len(gc.follow(skate(), start, **asked).points) >= 3
        return
    with pytest.raises(error, match=words):
        gc.follow(skate(), start, **asked)


def test_states_that_are_held_at_a_crossing_leave_no_curve():
    start = skate().equilibrium("spinning", Omega0=3.0)
    with pytest.raises(gc.EquilibriumError, match="no equilibria continue"):
        gc.follow(skate(), start, along="v3", span=(-1, 1), fixed=["v2", "Gamma2"])


def test_a_branch_that_runs_away_ends_with_words():
    """Towards the ice the speed of a leaning turn grows without bound."""
    start = gc.find_equilibrium(skate(), fixed={"v2": 5.0, "Gamma2": 0.3})
    branch = gc.follow(skate(), start, along="Gamma3", span=(-0.5, 0.96), fixed=["v2"], points=4)
    assert branch.ends[1] == "Gamma3 = 0.96"
    assert "places were taken" in branch.ends[0]
    assert 0 < branch.values.min() < 0.2


def test_rotations_are_followed_too():
    """What a pendulum of any shape does hanging does not depend on its mass."""
    body = gc.models.get("pendulum-3d")(attitudes=True)
    start = gc.find_equilibrium(body, guess=(np.eye(3), [0, 0, 0]))
    branch = gc.follow(body, start, along="m", span=(0.5, 3.9), points=5)
    assert not branch.changes
    np.testing.assert_allclose(branch.states - start.x[:, None], 0, atol=1e-10)
    assert {point.params["m"] for point in branch.points} == set(branch.values)


class Stop:
    """The user stops it when so much is done."""

    def __init__(self, after):
        self.after = after

    def __call__(self, fraction):
        if fraction >= self.after:
            raise KeyboardInterrupt


@pytest.mark.parametrize("along", ["Omega0", "v2"])
def test_an_interruption_carries_what_is_done(along, monkeypatch):
    monkeypatch.setattr("geoctrl._calls.long_calls._OFTEN", 0.0)
    start = skate().equilibrium("spinning", Omega0=3.0)
    with pytest.raises(KeyboardInterrupt) as stopped:
        gc.follow(skate(), start, along=along, span=(1, 9), points=21, progress=Stop(0.1))
    done = stopped.value.branch
    assert 2 <= len(done.points) < 21
    assert not done.changes
    with pytest.raises(KeyboardInterrupt) as stopped:
        gc.follow(skate(), start, along=along, span=(1, 9), points=21, progress=Stop(0.5))
    assert len(stopped.value.branch.points) >= 21
    assert stopped.value.branch.ends == (f"{along} = 1", f"{along} = 9")


def test_progress_is_told():
    heard = []
    start = skate().equilibrium("spinning", Omega0=3.0)
    gc.follow(skate(), start, along="Omega0", span=(1, 9), points=5, progress=heard.append)
    assert heard[-1] == 1.0
    assert all(a <= b for a, b in pairwise(heard))


# -- certificates of the points -------------------------------------------------------------------------


def test_points_of_a_family_are_proved_on_both_sides_of_the_closed_form():
    p = skate().params
    threshold = sqrt(p["m"] * p["g"] * p["l"] / (p["I3"] + p["m"] * p["l"] ** 2 - p["I2"]))
    start = skate().equilibrium("spinning", Omega0=3.0)
    branch = gc.follow(skate(), start, along="Omega0", span=(1, 9), points=9, certify=True)
    for value, verdict, certificate in zip(branch.values, branch.verdicts, branch.certificates, strict=True):
        assert verdict is (gc.Verdict.PROVED_UNSTABLE if value < threshold else gc.Verdict.PROVED_STABLE)
        assert Fraction(certificate.proof["problem"]["states"]["v2"]) == Fraction(value)
        assert checker.check(certificate.to_dict()).verdict == verdict.value
    assert f"{np.sum(branch.values > threshold)} PROVED_STABLE" in repr(branch)
    assert next(c["theorem"]["name"] for c in branch.to_dict()["certificates"]) == "growth"
    floats = gc.follow(skate(), start, along="Omega0", span=(1, 9), points=9)
    assert floats.certificates == ()
    assert not any(verdict.proved for verdict in floats.verdicts)


def test_points_on_both_sides_of_a_turn_are_proved_as_their_own():
    """Slow and fast turns with one speed of the blade: slow ones fall."""
    turn = gc.find_equilibrium(skate(), fixed={"v2": 5.0, "Gamma2": 0.3})
    branch = gc.follow(skate(), turn, along="v3", span=(-3, -1.5), fixed=["Gamma2"], points=5, certify=True)
    yaw = skate().state_labels.index("v2")
    told = 0
    for point, verdict, certificate in zip(branch.points, branch.verdicts, branch.certificates, strict=True):
        if certificate is None:  # as near to the turn as no equilibrium at the value is found
            continue
        own = float(Fraction(certificate.proof["problem"]["states"]["v2"]))
        assert own == pytest.approx(point.x[yaw], rel=1e-6)
        if verdict.proved:
            told += 1
            assert (verdict is gc.Verdict.PROVED_UNSTABLE) == (abs(own) < 5.522937168304376)
    assert told >= len(branch.points) - 2
    assert {v for v in branch.verdicts if v.proved} > {gc.Verdict.PROVED_UNSTABLE}


def test_certificates_stop_with_the_time_and_are_drawn(monkeypatch):
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    monkeypatch.setattr("geoctrl._calls.long_calls._OFTEN", 0.0)
    start = skate().equilibrium("spinning", Omega0=3.0)
    with pytest.raises(KeyboardInterrupt) as stopped:
        gc.follow(skate(), start, "Omega0", (1, 9), points=9, certify=True, progress=Stop(0.8))
    branch = stopped.value.branch
    known = [certificate is not None for certificate in branch.certificates]
    assert known == sorted(known, reverse=True)
    assert 0 < sum(known) < len(branch.points)
    dots = branch.plot().lines
    (proved,) = (line for line in dots if line.get_marker() == ".")
    assert len(proved.get_xdata()) == sum(known)
    plt.close("all")


# -- a crossing at the start ------------------------------------------------------------------------------


@pytest.mark.parametrize("power", [3, 2])
def test_a_curve_that_begins_where_another_crosses_has_a_branch_point_there(power):
    """x' = c x - x^m: where it is beside the start nothing need be held."""
    x, c = sp.Symbol("x", real=True), gc.Parameter("c", 0.0)
    field = gc.VectorField([x], [c.symbol * x - x**power], parameters=[c], name="crossing").reduce()
    branch = gc.follow(field, [0.0], along="c", span=(-1, 1), points=9)
    (crossing,) = branch.changes
    assert (crossing.kind, crossing.value, branch.held) == (BRANCH, 0, {})
    (curve,) = crossing.branches()
    assert len(curve.points) > 5
    for value, point in zip(curve.values, curve.points, strict=True):
        assert point["x"] ** (power - 1) == pytest.approx(value, abs=1e-9)


@pytest.mark.long(reason="two loops are designed and followed: 4 s")
def test_loops_about_a_reference_are_followed():
    """A car in a bend along its mass, and a satellite that turns along a moment of its inertia."""
    q = sp.Rational
    m, J = gc.Parameter("m", 2.0, positive=True), gc.Parameter("J", 0.5, positive=True)
    u, M = sp.symbols("drive steer", real=True), sp.symbols("M1:4", real=True)
    car = gc.EulerPoincare(
        algebra=gc.se2(), inertia=sp.diag(q(3, 10), m.symbol, m.symbol), constraints=[[0, 0, 1]],
        forces=[u[1], u[0], 0], inputs=u, parameters=[m],
    )  # fmt: skip
    bend = car.configuration(frame_rate=0.5, frame_velocity=[1, 0]).reduce()
    R = gc.manifolds.Attitude("R")
    kinetic = R.velocity.dot(sp.diag(q(3, 10), J.symbol, q(2, 5)) * R.velocity) / 2
    satellite = gc.manifolds.ProductSystem(
        [R], kinetic=kinetic, forces={"R": M}, inputs=M, parameters=[J], frame_rate=[0, 0, q(1, 2)]
    )
    leaning = {"R": ([[0.8, 0, -0.6], [0, 1, 0], [0.6, 0, 0.8]], [0.3, 0, 0.4])}
    there = gc.find_equilibrium(satellite, leaning, free=["M1", "M2", "M3"])
    for system, point, along in ((bend, bend.state(Omega=0.5, Y1=1), "m"), (satellite, there, "J")):
        law = gc.lqr(system, point)
        loop = law.closed_loop()
        branch = gc.follow(loop, law.equilibrium, along, (0.3, 2.0), points=5)
        for p, x, verdict in zip(branch.values, branch.states.T, branch.verdicts, strict=True):
            assert np.abs(loop.rhs(0.0, x, None, {along: p})).max() < 1e-9
            steps = 1e-6 * np.eye(len(x))
            slopes = [
                loop.rhs(0.0, x + e, None, {along: p}) - loop.rhs(0.0, x - e, None, {along: p}) for e in steps
            ]
            assert np.linalg.eigvals(np.array(slopes).T / 2e-6).real.max() < 1e-6
            assert verdict.value == "NUMERICALLY_STABLE"
        assert branch.plot().get_xlabel().strip("$") == along
