"""Conservation across Abs, sign, Min, Max and Piecewise, and next to poles, roots and cuts."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl._scalars import STATE, Graph
from geoctrl._scalars.arithmetic.choices import Choices, TooManyChoices
from geoctrl._scalars.graph.form_signs import form_signs

q, p = gc.Coordinate("q"), gc.Coordinate("p")
x, v, y = q.symbol, q.rate, p.symbol
half = sp.Rational(1, 2)


def oscillator(potential=x**2 / 2, force=0, **parts):
    return gc.EulerPoincare(
        algebra=None, shape=[q], inertia=[[1]], potential=potential, forces=[force], **parts
    ).reduce()


def particle(*rates, **parts):
    """Velocities Y1, Y2, ... with given rates."""
    n = len(rates)
    return gc.EulerPoincare(algebra=gc.rn(n), inertia=sp.eye(n), forces=list(rates), **parts).reduce()


a, b = gc.rn(2).xi
play = sp.Piecewise(((x + 1) ** 2 / 2, x < -1), (0, x < 1), ((x - 1) ** 2 / 2, True))
steep = sp.Piecewise((x**2, x > 0), (-3 * x, True))
brake = sp.Piecewise((0, x < 2), (-v, True))


@pytest.mark.parametrize(
    ("system", "function"),
    [
        (oscillator(), sp.Abs(x**2 + v**2)),
        (oscillator(), sp.Max(x**2 + v**2, 1)),
        (oscillator(play), "energy"),  # a spring with play: potential and force continuous
        (oscillator(steep), "energy"),  # a kink, passed wherever the speed is not zero
        (oscillator(sp.Abs(x)), "energy"),
        (oscillator(sp.Max(x, -2 * x, half)), "energy"),
        (particle(sp.Abs(a) + 1, -sp.sign(a) * (sp.Abs(a) + 1)), sp.Abs(a) + b),  # a grows: no sliding
        (particle((1 - sp.sign(a) ** 2) * b, 0), b),
    ],
)
def test_what_is_kept_in_every_branch_and_across_is_proved(system, function):
    proof = gc.check_invariant(system, function)
    assert proof.proved
    assert (proof.where, proof.note, proof.parameters) == ("everywhere", "", "all")


@pytest.mark.parametrize(
    ("system", "function", "note"),
    [
        (oscillator(), sp.sign(x), "constant between switches of q, jumps there"),
        (oscillator(), (x**2 + v**2) * sp.sign(x), "constant between switches of q, jumps there"),
        (oscillator(), sp.Piecewise((x**2 + v**2, x > 0), (x, True)), ""),
        (oscillator(force=brake), "energy", ""),
        (oscillator(sp.Piecewise((x**2, x > 0), (1, True))), "energy", "jumps there"),
        (particle(-sp.sign(a), 1), sp.Abs(a) + b, "motions may slide on Y1 = 0"),
        (oscillator(), sp.sign(x) ** 2, "it has values of its own on q = 0"),
        # What the equations say on a = 0 itself is neither branch; a motion may stay there.
        (particle(0, 1 - sp.sign(a) ** 2), b, "motions may stay on Y1 = 0"),
        (oscillator(), sp.sqrt(x**2) - x, ""),
        (oscillator(), sp.asin(sp.sin(x)) - x, ""),
        (oscillator(), sum(sp.Abs(x - k) for k in range(9)), "more than 8 choices"),
    ],
)
def test_what_is_kept_on_one_branch_alone_is_refused(system, function, note):
    proof = gc.check_invariant(system, function)
    assert not proof.proved
    assert note in proof.note
    assert proof.where == ""


def test_a_failing_branch_shows_a_point():
    proof = gc.check_invariant(oscillator(force=brake), "energy")
    assert proof.counterexample["q"] > 2
    assert proof.rate == -(proof.counterexample["q_dot"] ** 2)


@pytest.mark.parametrize(
    ("function", "where"),
    [
        (sp.atan(x) + sp.atan(1 / x), "where q != 0 (each connected part by itself)"),
        (sp.log(v**2 + x**2), "where q**2 + q_dot**2 > 0 (each connected part by itself)"),
        (1 / (1 + x**2 + v**2), "everywhere"),
        (sp.sqrt(2 + sp.sin(x**2 + v**2)), "everywhere"),
        (sp.sqrt(x**2 + v**2 - 1), "where q**2 + q_dot**2 - 1 > 0 (each connected part by itself)"),
        (
            sp.atan2(v, x) + sp.atan2(-v, x),  # zero
            "where q + sqrt(q**2 + q_dot**2) != 0 (each connected part by itself)",
        ),
        # The sign of 1/q is constant on each side of the pole.
        (sp.sign(1 / x), "where q != 0 (each connected part by itself)"),
    ],
)
def test_poles_roots_and_cuts_are_told(function, where):
    proof = gc.check_invariant(oscillator(), function)
    assert proof.proved
    assert proof.where == where


def test_what_has_no_value_on_the_leaf_is_not_proved():
    Gamma = gc.AdvectedVector("Gamma")
    body = gc.EulerPoincare(algebra=gc.so3(), advected=[Gamma], inertia=sp.diag(1, 2, 3)).reduce()
    square = sum(e**2 for e in Gamma.symbols)
    for function in (1 / (square - 1), sp.log(1 - square), sp.sqrt(square - 1)):
        proof = gc.check_invariant(body, function)
        assert not proof.proved
        assert "zero on the leaf" in proof.note
    # Negative control; and on the leaf the choice is made.
    assert gc.check_invariant(body, 1 / (square + 1)).where == "everywhere"
    assert gc.check_invariant(body, sp.sign(square - half)).proved


def test_choices_by_parameters():
    k, d = gc.Parameter("k", 1.5), gc.Parameter("d", 0.3, positive=True)
    stiff = oscillator(sp.Max(k.symbol, 1) * x**2 / 2, parameters=[k])
    proof = gc.check_invariant(stiff, "energy")
    assert (proof.proved, proof.parameters) == (True, "given")
    assert gc.check_invariant(stiff, "energy", params={"k": -2}).proved
    # A friction that acts for k < 1 alone.
    braked = oscillator(force=sp.Min(0, k.symbol - 1) * v, parameters=[k])
    assert gc.check_invariant(braked, "energy").parameters == "given"
    assert gc.check_invariant(braked, "energy").proved
    assert not gc.check_invariant(braked, "energy", params={"k": 0.5}).proved
    # Of a declared sign nothing is chosen.
    declared = oscillator(sp.Abs(d.symbol) * x**2, parameters=[d])
    assert gc.check_invariant(declared, "energy").parameters == "all"
    # Limits that are parameters: branches with x < -d and x > d are none.
    left, right = x + d.symbol, x - d.symbol
    spring = sp.Piecewise((left**2 / 2, left < 0), (0, right < 0), (right**2 / 2, True))
    proof = gc.check_invariant(oscillator(spring, parameters=[d]), "energy")
    assert (proof.proved, proof.parameters) == (True, "all")


def test_branches_that_meet_at_corners():
    """Several switches vanish at once: Max of three, inertias and potentials with kinks of their own."""

    def plane(potential, inertia=((1, 0), (0, 1)), forces=(0, 0)):
        return gc.EulerPoincare(
            algebra=None, shape=[q, p], inertia=inertia, potential=potential, forces=list(forces)
        ).reduce()

    for potential in (sp.Max(x, y, 0), sp.Abs(x) + sp.Abs(y) + sp.Abs(x - y), sp.Abs(sp.Abs(x) - 1) + y**2):
        assert gc.check_invariant(plane(potential), "energy").where == "everywhere"
        assert "energy" in plane(potential).conserved()
    assert gc.check_invariant(plane(sp.Abs(y), ((1, 0), (0, 1 + sp.Abs(x)))), "energy").proved
    # Negative control: the force pulls the other way in one of the four quadrants.
    wrong = sp.Piecewise((sp.Piecewise((1, y > 0), (0, True)), x > 0), (0, True))
    assert not gc.check_invariant(plane(sp.Abs(x), forces=(wrong, 0)), "energy").proved


@pytest.mark.parametrize("name", ["s", "E", "p"])
def test_what_jumps_is_not_listed_and_not_counted(name):
    declared = {
        "s": sp.sign(x),
        "E": (x**2 + v**2) * sp.sign(x),
        "p": sp.Piecewise((x**2 + v**2, x > 0), (x, True)),
        "kept": sp.Abs(x**2 + v**2),
    }
    system = oscillator(invariants=declared)
    assert name in system.dropped_invariants
    assert "kept" in system.conserved()
    run = gc.simulate(system, np.linspace(0, 10, 101), [1.0, 0.0])
    assert name not in run.drift
    assert run.drift["kept"] < 1e-12


def test_what_changes_while_sliding_is_not_listed():
    sliding = particle(-sp.sign(a), 1, invariants={"sum": sp.Abs(a) + b})
    passing = particle(1, -sp.sign(a), invariants={"sum": sp.Abs(a) + b})
    assert "sum" not in sliding.conserved()
    assert "sum" in passing.conserved()


def test_conditions_know_what_is_conserved_at_the_members():
    """Energy grows where q < 0, and is kept elsewhere: what a random state keeps says nothing of a member."""
    pushed = oscillator(
        (x**2 - 1) ** 2 / 4,
        sp.Piecewise((0, x > 0), (v**3, True)),
        equilibria={"left": gc.Family({"q": -1}), "right": gc.Family({"q": 1})},
    )
    assert gc.certify(pushed, pushed.equilibrium("left")).verdict is gc.Verdict.PROVED_UNSTABLE
    assert gc.stability_conditions(pushed, "left").stable != [sp.true]
    assert gc.stability_conditions(pushed, "right").stable == [sp.true]


def test_smooth_invariants_are_proved_everywhere():
    for name, count in (("heavy-top", 2), ("underwater-vehicle", 3), ("kovalevskaya-top", 3)):
        system = gc.models.get(name)().reduce()
        proofs = [gc.check_invariant(system, k) for k in system.conserved()]
        assert len(proofs) >= count
        assert {(f.proved, f.where) for f in proofs} == {(True, "everywhere")}


# -- the parts ---------------------------------------------------------------------------------------------


def test_signs_by_form():
    g = Graph()
    s, t = (g.symbol(k, STATE) for k in "st")
    m = g.symbol("m", 1)
    cases = {
        s * s: {0, 1},
        s * s + 1: {1},
        -(s * s) - m: {-1},
        m / s: {-1, 1},
        g.fun("exp", s) + t * t: {1},
        2 + g.fun("cos", s): {1},
        1 + g.fun("cos", s): {0, 1},
        1 + 2 * g.fun("cos", s): {-1, 0, 1},
        g.fun("abs", s) + m: {1},
        g.sqrt(s * s + m) * -3: {-1},
        g.fun("select_positive", s, m, m + 1): {1},
    }
    assert [set(f) for f in form_signs(g, list(cases), {m})] == list(cases.values())


def test_multiples_and_products_ask_the_same():
    g = Graph()
    s, t = (g.symbol(k, STATE) for k in "st")
    functions = [g.fun("abs", e) for e in (s, -2 * s, s * t, t / s, s * (1 + t * t), 3 * t)]
    assert Choices(g, functions).switches == [s, t]
    with pytest.raises(TooManyChoices):
        Choices(g, [g.fun("abs", s + k) for k in range(9)])
    # s < -1 and s > 1 are no branch together.
    assert len(list(Choices(g, [g.fun("abs", s + 1), g.fun("abs", s - 1)]).branches())) == 3


def test_a_condition_of_even_degree_is_met_on_the_switch_alone():
    """1 where q^2 > 0 and 0 at q = 0: of no branch, and seen for an instant at each passage."""
    energy = (x**2 + v**2) / 2
    for function in (sp.Piecewise((1, x**2 > 0), (0, True)), sp.Piecewise((1, x**2 * v**4 > 0), (0, True))):
        proof = gc.check_invariant(oscillator(), energy + function)
        assert not proof.proved
        assert "values of its own" in proof.note
    assert gc.check_invariant(oscillator(), energy + sp.Piecewise((1, x**2 + 1 > 0), (0, True))).proved


def test_the_sides_of_a_switch_are_those_of_its_own_branches():
    """Two coordinates and the speed switch: the energy over kinks, turned behind a switch of the speed."""
    w, r = p.rate, sp.sign(v - 1)
    both = gc.EulerPoincare(
        algebra=None,
        shape=[q, p],
        inertia=[[2, 0], [0, 2]],
        potential=x**2 / 2 + y**2 / 2 + sp.Abs(x - half) + sp.Max(half, -2 * y, x),
        forces=[r * w, -r * v],
    ).reduce()
    assert gc.check_invariant(both, "energy").proved
