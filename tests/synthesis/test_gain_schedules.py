"""One law along a family: gains by designs at some members, the loop certified over the whole range."""

import itertools
import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.synthesis.test_handover import STRICT, called, compiled, needs_gcc

STABLE = gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def swing(unit=1):
    """A pendulum on an arm: arm 95 g and 85 mm, rod 24 g and 129 mm, with friction in both bearings."""
    arm, length, rod, far = (sp.Rational(q) for q in ("0.095", "0.085", "0.024", "0.129"))
    alpha, group, u = gc.Coordinate("alpha", angle=True), gc.so2(), sp.Symbol("u", real=True)
    turn, a, rate, half = group.xi[0], alpha.symbol, alpha.rate, far / 2
    v = (-half * sp.sin(a) * turn, length * turn + half * sp.cos(a) * rate, -half * sp.sin(a) * rate)
    energy = arm * length**2 / 6 * turn**2 + rod * sum(e**2 for e in v) / 2
    energy += rod * far**2 / 24 * (rate**2 + sp.sin(a) ** 2 * turn**2)
    friction, s = sp.Rational("0.0008"), sp.Symbol("W", real=True)
    return gc.EulerPoincare(
        name="furuta",
        algebra=group,
        shape=[alpha],
        lagrangian=sp.expand(energy) - rod * sp.Rational("9.81") * half * sp.cos(a),
        forces=[u, 0],
        inputs=[u],
        friction=[gc.Friction([1, 0], viscous=friction), gc.Friction([0, 1], viscous=sp.Rational("0.00005"))],
        equilibria={"turning": gc.Family({"Omega": s}, symbols=[s], inputs={"u": friction * s})},
    ).reduce()


@pytest.fixture(scope="module")
def plant():
    return swing()


@pytest.fixture(scope="module")
def design(plant):
    weights = {"Omega": 0.2, "alpha_dot": 1e-2, "alpha": 10}
    return lambda eq: gc.lqr(plant, eq, Q=weights, R={"u": 2e4})


@pytest.fixture(scope="module")
def law(plant, design):
    return gc.schedule(plant, "turning", "W", [0, 6, 12, 18, 24], design, degree=2)


def test_the_loop_is_proved_over_the_range_where_one_gain_is_not(plant, design, law):
    proof = law.certify()
    assert (proof.stable, proof.undecided) == (1.0, 0.0)
    first = design(plant.equilibrium("turning", W=0)).K
    one = gc.schedule(plant, "turning", "W", [0, 60], lambda eq: gc.linear_law(plant, eq, first))
    assert 0 < one.certify().stable < 0.5


def test_the_law_is_the_design_at_its_nodes(plant, design, law):
    through = gc.schedule(plant, "turning", "W", [0, 12, 24], design)
    assert through.fit_error[0] < 1e-12
    assert law.fit_error[0] < 0.02
    own = design(plant.equilibrium("turning", W=12))
    x = np.array([11.0, 0.4, 0.1])
    assert through(0.0, x, params={"W": 12})[0] == pytest.approx(own(0.0, x)[0], rel=1e-9)


def test_the_arm_goes_where_the_reference_is(law):
    loop = law.closed_loop()
    point = loop.equilibrium("turning", params={"W": 17})
    assert gc.certify(loop, point).verdict is STABLE
    run = gc.simulate(loop, np.linspace(0, 8, 5), loop.state(Omega=5, alpha=0.1), params={"W": 20})
    assert run["Omega"][-1] == pytest.approx(20, abs=1e-6)
    assert run.outputs[0][-1] == pytest.approx(0.0008 * 20, abs=1e-8)
    assert "designs; the fit is off by" in repr(law)


def test_the_loop_has_a_bound_while_the_reference_moves(law):
    """By the frozen linear parts a steady rate of 1 rad/s^2 leaves the arm 0.30 rad/s behind, at most."""
    bound = law.certify(rate=1)
    assert bound.verdict is gc.Verdict.PROVED_BOUNDED
    assert bound.decay > 3
    loop, lags = law.closed_loop(), []
    for W in (0, 12, 24):
        A = gc.linearize(loop, loop.equilibrium("turning", params={"W": W})).A
        lags.append(-np.linalg.solve(A, [1.0, 0, 0])[0])
    assert max(lags) < bound.deviations["Omega"] < 2 * max(lags)
    measured = gc.schedule(
        law.plant, "turning", "W", [0, 24], lambda eq: gc.lqr(law.plant, eq), by=law.plant.states[0]
    )
    with pytest.raises(gc.InputError, match="no reference that moves"):
        measured.certify(rate=1)


@needs_gcc
def test_c_takes_the_reference_after_the_states(law, tmp_path):
    paths = law.to_c(tmp_path, name="scheduled")
    assert "x[3]  W" in paths[0].read_text()
    assert "W =" not in paths[1].read_text()
    library = compiled(tmp_path, STRICT, paths)
    for W, x in ((0.0, [1.0, -0.5, 0.2]), (7.5, [8.0, 0.4, -0.1]), (24.0, [20.0, 3.0, 0.3])):
        found = called(library.scheduled, np.array([*x, W]), 1)[0]
        assert found == pytest.approx(law(0.0, np.array(x), params={"W": W}), rel=1e-12)
    measured = gc.schedule(
        law.plant, "turning", "W", [0, 24], lambda eq: gc.lqr(law.plant, eq), by=law.plant.states[0]
    )
    assert "x[3]" not in measured.to_c(tmp_path, name="measured")[0].read_text()


def test_quotients_fit_better_and_are_proved_as_well(plant, design, law, tmp_path):
    quotients = gc.schedule(plant, "turning", "W", [0, 6, 12, 18, 24], design, fit="rational", degree=2)
    assert quotients.fit_error[0] < law.fit_error[0]
    assert quotients.certify().stable == 1.0
    bound = quotients.certify(rate=1)
    assert bound.verdict is gc.Verdict.PROVED_BOUNDED
    between = design(plant.equilibrium("turning", W=9)).K
    there = np.array(quotients.K.subs(quotients.variable, 9).tolist(), dtype=float)
    assert there == pytest.approx(between, rel=0.01)
    _, source = quotients.to_c(tmp_path, name="quotients")
    assert "x[3]" in source.read_text()
    with pytest.raises(gc.InputError, match="is not positive over the range"):
        gc.schedule(
            plant, "turning", "W", [0, 1, 2, 3], fit="rational", degree=1,
            design=lambda eq: gc.linear_law(plant, eq, {"u": {"alpha": 1 / (eq.x[0] - 1.6)}}),
        )  # fmt: skip


@cache
def held(time=1):
    """A pendulum that a torque holds at s from upright, q'' = sin(q) + u; ``time`` is the unit in seconds."""
    q, s, u = gc.Coordinate("q", angle=True), sp.Symbol("s", real=True), sp.Symbol("u", real=True)
    return gc.EulerPoincare(
        name="held", shape=[q], inertia=[[1]], inputs=[u], forces=[time**2 * u],
        potential=time**2 * sp.cos(q.symbol),
        equilibria={"held": gc.Family({"q": s}, symbols=[s], inputs={"u": -sp.sin(s)})},
    ).reduce()  # fmt: skip


@cache
def between_nodes(time=1):
    """Poles -2 and -3 at four nodes: gains cos(s) + 6 and 5, with lines between them."""
    sys, poles = held(time), [-2 * time, -3 * time]
    return gc.schedule(sys, "held", "s", [-1, -0.25, 0.5, 1], lambda e: gc.place(sys, e, poles), fit="linear")


def test_lines_go_from_design_to_design():
    law, s = between_nodes(), sp.Symbol("s", real=True)
    assert law.fit_error[0] < 1e-12
    for value, want in ((-0.25, np.cos(0.25)), (0.125, (np.cos(0.25) + np.cos(0.5)) / 2)):
        gains = np.array(law.K.subs(s, sp.Rational(value)).tolist(), dtype=float)[0]
        assert gains == pytest.approx([5, want + 6], rel=1e-12)
        x = np.array([0.3, value - 0.2])
        found = law(0.0, x, params={"s": value})[0]
        assert found == pytest.approx(-np.sin(value) - 5 * 0.3 + 0.2 * (want + 6), rel=1e-12)
    for left, right in itertools.pairwise(law.pieces):
        at = {s: sp.Rational(right.range[0])}
        assert left.range[1] == right.range[0]
        assert left.K.xreplace(at) == right.K.xreplace(at)  # exactly


def test_each_piece_has_a_proof_of_its_own(tmp_path):
    proof = between_nodes().certify()
    assert (proof.stable, proof.unstable, proof.undecided) == (1.0, 0.0, 0.0)
    assert proof.axes == {"s": (-1.0, 1.0)}
    assert proof.at(s=0.5) == proof.at(s=0.7) == "stable"
    paths = proof.to_json(tmp_path / "pieces")
    reports = [gc.verify(path) for path in paths]
    assert [report.verdict for report in reports] == [gc.Verdict.PROVED_BY_CELLS] * 3
    assert " ".join(report.claim for report in reports) == proof.claim
    assert "3 pieces, s from -1 to 1" in repr(proof)
    assert pickle.loads(pickle.dumps(proof)).stable == 1.0
    for given, words in (({"s": 1.5}, "outside of its axis"), ({"q": 1.5}, "no axis 'q'")):
        with pytest.raises(gc.ParameterError, match=words):
            proof.at(**given)


def test_a_piece_whose_loop_is_not_stable_is_told_apart():
    """It is stable where k(s) > cos(s), which lines through 6, 0.2 and 1 at 0, 1 and 2 are not about 1."""
    sys, gains = held(), {0: 6.0, 1: 0.2, 2: 1.0}
    proof = gc.schedule(
        sys, "held", "s", [0, 1, 2], fit="linear",
        design=lambda e: gc.linear_law(sys, e, {"u": {"q": gains[round(e.x[1])], "q_dot": 5}}),
    ).certify(depth=6)  # fmt: skip
    told = {s: proof.at(s=s) for s in (0, 0.9, 0.95, 1, 1.25, 1.5, 2)}
    assert [s for s, verdict in told.items() if verdict == "unstable"] == [0.95, 1]
    assert "undecided" not in told.values()
    assert proof.unstable == pytest.approx((proof.pieces[0].unstable + proof.pieces[1].unstable) / 2)


def test_lines_have_one_bound_while_the_reference_moves(tmp_path):
    """The linear part is e'' + 5 e' + (k(s) - cos(s)) e = -s'' - 5 s', 5 s'/6 behind at a steady rate."""
    bounds = [between_nodes(time).certify(rate=0.5 * time, decay=time) for time in (1, 1000)]
    bounds[0].to_json(tmp_path / "lines.json")
    report = gc.verify(tmp_path / "lines.json")
    assert report.verdict is gc.Verdict.PROVED_BOUNDED
    assert report.claim == bounds[0].claim
    assert len(bounds[0].data["theorem"]["further"]) == 2
    assert 0.5 * 5 / 6 < bounds[0].deviations["q"] < 2 * 0.5 * 5 / 6
    assert bounds[1].deviations["q"] == pytest.approx(bounds[0].deviations["q"], rel=0.02)
    step = 1e-9
    assert bounds[0].form(0.5 - step) == pytest.approx(bounds[0].form(0.5 + step), rel=1e-6)


def test_of_a_loop_of_pieces_nothing_is_proved_over_a_node():
    loop = between_nodes().closed_loop()
    with pytest.raises(gc.EquilibriumError, match="not proved"):
        gc.certify_region(loop, "held", {"s": (0, 1)})
    assert gc.certify(loop, loop.equilibrium("held", params={"s": 0.7})).verdict is STABLE
    measured = gc.schedule(
        held(), "held", "s", [-1, 0, 1], lambda e: gc.lqr(held(), e), fit="linear", by=held().states[1]
    )
    with pytest.raises(gc.InputError, match="at each node the law has a kink"):
        measured.certify()


@needs_gcc
def test_lines_are_the_same_in_c(tmp_path):
    law = between_nodes()
    library = compiled(tmp_path, STRICT, law.to_c(tmp_path, name="lines"))
    for s in (-1.0, -0.7, -0.25, 0.1, 0.5, 0.9, 1.0, 1.4):
        x = np.array([0.3, s - 0.2])
        assert called(library.lines, np.array([*x, s]), 1)[0] == pytest.approx(
            law(0.0, x, params={"s": s})[0], rel=1e-12
        )


def test_what_is_measured_in_place_of_the_reference_is_another_loop(plant, design, law):
    """x' = x + u with u = -s - 2 (x - s) has the pole -1 at a frozen s, and 0 where s is x."""
    measured = gc.schedule(plant, "turning", "W", [0, 6, 12, 18, 24], design, degree=2, by=plant.states[0])
    loop = measured.closed_loop()
    eq = loop.equilibrium("turning", W=12)
    there = gc.linearize(loop, eq).A
    frozen = gc.linearize(law.closed_loop(), law.closed_loop().equilibrium("turning", params={"W": 12})).A
    # The rate of the arm has lost the gain on it: only friction's torque is left in its place.
    K = float(law.K.xreplace({law.variable: 12})[0, 0])
    push = plant.input_jacobian(0.0, eq.x, [0.0])
    assert there - frozen == pytest.approx(np.outer(push[:, 0], [K + 0.0008, 0, 0]), abs=1e-9)


def test_the_other_symbols_of_a_family_are_given(plant):
    skate = gc.models.get("pendulum-skate-rotor")().reduce()
    with pytest.raises(gc.ParameterError, match="at must give the other symbols of 'sliding', none; got Y"):
        gc.schedule(skate, "sliding", "Y0", [1, 2], lambda eq: gc.lqr(skate, eq), at={"Y": 1})
    law = gc.schedule(skate, "sliding", "Y0", [1, 2, 3], lambda eq: gc.lqr(skate, eq), degree=1)
    assert law.closed_loop().params["Y0"] == 2.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"nodes": [1]}, "nodes must be two or more numbers in order"),
        ({"nodes": [2, 1]}, "nodes must be two or more numbers in order"),
        ({"along": "V"}, "has no symbol 'V'"),
        ({"family": "x"}, "no equilibrium family 'x'"),
        ({"fit": "splines"}, "fit"),
        ({"degree": 9}, "degree must be a whole number from 0 to 1"),
        ({"fit": "linear", "degree": 1}, "leave degree= out"),
        ({"by": sp.Symbol("Omega", real=True) ** 2}, "must be W at the members"),
        ({"by": sp.Symbol("z")}, "z"),
        ({"design": lambda _: 3}, "design must give a LinearLaw"),
    ],
)
def test_slips_are_refused(plant, design, changes, words):
    given = {"family": "turning", "along": "W", "nodes": [0, 6], "design": design} | changes
    with pytest.raises(gc.GeoctrlError, match=words):
        gc.schedule(plant, **given)


def test_one_point_is_no_family(plant, design):
    with pytest.raises(TypeError, match=r"the name of a declared family, or equilibria"):
        gc.schedule(plant, plant.equilibrium("turning", W=1.0), "W", design=design)
