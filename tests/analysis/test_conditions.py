"""Conditions in the mechanism's own symbols, against published ones and against certificates at numbers."""

import re
import time

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import Verdict, decisions
from geoctrl._scalars import STATE, Graph
from geoctrl.analysis.question.shape_integrals import find_shape_integrals
from geoctrl.analysis.symbolic.inequalities import known_sign, solve_inequality
from geoctrl.decisions.questions import exact_question
from geoctrl.systems.typesetting.decimal_printing import readable

m, l, g, I1, I2, I3, J1 = sp.symbols("m l g I1 I2 I3 J1", positive=True)  # noqa: E741
Omega0, sigma = sp.symbols("Omega0 sigma", real=True)


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


@pytest.fixture(scope="module")
def spinning(skate):
    return gc.stability_conditions(skate, "spinning")


@pytest.fixture(scope="module")
def loop():
    matching = gc.match(gc.models.get("pendulum-skate-rotor")())
    return matching.law(sigma=sigma).closed_loop()


@pytest.fixture(scope="module")
def controlled(loop):
    return gc.stability_conditions(loop, "sliding")


@pytest.fixture(scope="module")
def sleeping():
    return gc.stability_conditions(gc.models.get("heavy-top")().reduce(), "sleeping")


def rationals(rng, names, low=1, high=60):
    return {n: sp.Rational(int(rng.integers(low, high)), int(rng.integers(3, 17))) for n in names}


def at(condition, numbers):
    """Truth of a relation or Boolean at exact rationals by name, all of them inserted at once.

    A root that is not real stands beside the relation that excludes it, which is shorter.
    """
    if isinstance(condition, sp.And | sp.Or):
        truths = (at(part, numbers) for part in sorted(condition.args, key=sp.count_ops))
        return all(truths) if isinstance(condition, sp.And) else any(truths)
    value = sp.sympify(condition).xreplace({s: sp.sympify(numbers[s.name]) for s in condition.free_symbols})
    assert value in (sp.S.true, sp.S.false)
    return bool(value)


def positive(relation):
    """The expression that a strict relation says to be positive."""
    return sp.expand(relation.gts - relation.lts)


# -- the published conditions -------------------------------------------------------------------------


def test_spinning_is_proposition_14(spinning):
    margin = sp.expand(Omega0**2 * (I3 + l**2 * m - I2) - g * l * m)
    assert [positive(r) for r in spinning.stable] == [margin]
    assert [positive(r) for r in spinning.unstable] == [-margin]  # slow spin with I3 + m l^2 > I2 included
    assert [sp.expand(e.lhs - e.rhs) for e in spinning.undecided] == [margin]
    assert spinning.assuming == []
    assert str(spinning.stable[0]) == "Omega0**2*(-I2 + I3 + l**2*m) - g*l*m > 0"
    solved = spinning.solve_for("Omega0")
    assert solved.has(sp.Abs(Omega0))
    assert {str(a) for a in solved.args} == {
        "I3 + l**2*m > I2",
        "Abs(Omega0) > sqrt(g*l*m/(-I2 + I3 + l**2*m))",
    }
    assert spinning.kernel_labels == ("v1", "Gamma2")
    assert spinning.multipliers["C1"] == -Omega0
    assert spinning.multipliers["C2"] == 0
    assert sp.expand(spinning.multipliers["|Gamma|^2"] - (I3 * Omega0**2 - m * g * l) / 2) == 0


def test_sliding_is_never_stable_and_always_unstable(skate):
    found = gc.stability_conditions(skate, "sliding")
    assert found.stable == [sp.S.false]
    assert found.unstable == [sp.S.true]
    assert found.solve_for("Y0") is sp.S.false
    assert found.solve_for("m", unstable=True) is sp.S.true
    assert "never definite" in found.reason
    constant = found.characteristic_polynomial[-1]
    assert sp.simplify(constant + m * g * l / (I1 + m * l**2)) == 0


def test_the_controlled_skate_is_proposition_19(controlled):
    (relation,) = controlled.stable
    assert positive(relation) == sp.expand(-sigma * (J1**2 + sigma * (I1 + l**2 * m)))
    solved = controlled.solve_for("sigma")
    rng = np.random.default_rng(5)
    for _ in range(60):
        numbers = rationals(rng, ["m", "l", "I1", "J1"])
        bound = -(numbers["J1"] ** 2) / (numbers["I1"] + numbers["m"] * numbers["l"] ** 2)
        for factor in (
            sp.Rational(-1, 3),
            sp.Rational(1, 7),
            sp.Rational(99, 100),
            1,
            sp.Rational(101, 100),
            5,
        ):
            value = factor * bound
            expected = bool(bound < value < 0)
            assert at(solved, {**numbers, "sigma": value}) == expected
            assert at(relation, {**numbers, "sigma": value}) == expected
    assert at(solved, {"m": 3, "l": 1, "I1": 2, "J1": 1, "sigma": 0}) is False


def test_printing_has_the_symbols_of_the_paper(spinning, controlled):
    text = " ".join(spinning.full().split())
    assert "'spinning' of pendulum-skate" in text
    assert "stable (within the leaf) if" in text
    for symbol in ("Omega0", "I2", "I3", "m", "g", "l"):
        assert symbol in text
    assert "I3 + l**2*m > I2" in text
    assert "sqrt(g*l*m/(-I2 + I3 + l**2*m))" in text
    assert "-J1**2/(I1 + l**2*m) < sigma" in str(controlled.solve_for("sigma"))
    latex = spinning.latex()
    for symbol in (r"\Omega_{0}", "I_{2}", "I_{3}", "m", "l"):
        assert symbol in latex


# -- against certificates -----------------------------------------------------------------------------


def test_sixty_random_closed_loops_agree_with_their_certificates(loop, controlled):
    rng = np.random.default_rng(11)
    seen = {Verdict.PROVED_STABLE: 0, Verdict.PROVED_UNSTABLE: 0}
    for _ in range(60):
        numbers = rationals(rng, [p.name for p in loop.mechanism.parameters if p.name != "sigma"])
        bound = -(numbers["J1"] ** 2) / (numbers["I1"] + numbers["m"] * numbers["l"] ** 2)
        numbers["sigma"] = bound * sp.Rational(int(rng.integers(1, 40)), 20)
        if numbers["sigma"] == bound:
            continue
        floats = {k: float(v) for k, v in numbers.items()}
        verdict = gc.certify(loop, loop.equilibrium("sliding", Y0=float(rng.normal()), params=floats)).verdict
        assert all(at(r, numbers) for r in controlled.stable) == (verdict is Verdict.PROVED_STABLE)
        assert any(at(r, numbers) for r in controlled.unstable) == (verdict is Verdict.PROVED_UNSTABLE)
        seen[verdict] += 1
    assert min(seen.values()) > 10


def test_random_spins_agree_with_their_certificates(skate, spinning):
    rng = np.random.default_rng(12)
    verdicts = set()
    for _ in range(25):
        numbers = rationals(rng, ["m", "l", "g", "I1", "I2", "I3", "Omega0"], high=40)
        floats = {k: float(v) for k, v in numbers.items() if k != "Omega0"}
        verdict = gc.certify(
            skate, skate.equilibrium("spinning", Omega0=float(numbers["Omega0"]), params=floats)
        ).verdict
        assert all(at(r, numbers) for r in spinning.stable) == (verdict is Verdict.PROVED_STABLE)
        assert any(at(r, numbers) for r in spinning.unstable) == (verdict is Verdict.PROVED_UNSTABLE)
        verdicts.add(verdict)
    assert len(verdicts) == 2


def test_a_heavy_top_without_symmetry_agrees_with_its_certificates(sleeping):
    """Conditions are sufficient: what they say certify says; between them certify must not contradict."""
    top = gc.models.get("heavy-top")().reduce()
    for relation, moment in zip(sleeping.stable, (I1, I2), strict=True):
        assert positive(relation) == sp.expand(Omega0**2 * (I3 - moment) - m * g * l)
    rng = np.random.default_rng(13)
    counts = {"stable": 0, "unstable": 0, "open": 0}
    for _ in range(24):
        numbers = rationals(rng, ["m", "l", "g", "I1", "I2", "I3"], high=20)
        numbers["Omega0"] = sp.Rational(int(rng.integers(1, 200)), 7)
        if rng.uniform() < 0.5:
            numbers["I3"] += max(numbers["I1"], numbers["I2"])
        floats = {k: float(v) for k, v in numbers.items() if k != "Omega0"}
        eq = top.equilibrium("sleeping", Omega0=float(numbers["Omega0"]), params=floats)
        verdict = gc.certify(top, eq).verdict
        stable = all(at(r, numbers) for r in sleeping.stable)
        unstable = any(at(r, numbers) for r in sleeping.unstable)
        assert not (stable and unstable)
        if stable:
            assert verdict is Verdict.PROVED_STABLE
        elif unstable:
            assert verdict is Verdict.PROVED_UNSTABLE
        elif numbers["I1"] == numbers["I2"]:
            assert (
                verdict is Verdict.PROVED_STABLE
            )  # the third momentum is conserved, the family has a definite member
        else:
            assert verdict is Verdict.SPECTRALLY_STABLE_ONLY  # gyroscopic stabilisation, E is a saddle
        # Brute force: Euler's equations linearised by hand about the vertical spin.
        v = {k: float(x) for k, x in numbers.items()}
        A, B, C, W, k = v["I1"], v["I2"], v["I3"], v["Omega0"], v["m"] * v["g"] * v["l"]
        matrix = np.array(
            [
                [0, (B - C) * W / A, 0, k / A],
                [(C - A) * W / B, 0, -k / B, 0],
                [0, -1, 0, W],
                [1, 0, -W, 0],
            ]
        )
        growth = np.max(np.linalg.eigvals(matrix).real)
        assert unstable == (growth > 1e-6 * W)
        counts["stable" if stable else "unstable" if unstable else "open"] += 1
    assert min(counts.values()) > 1


def test_a_lagrange_top_is_stable_above_the_classical_speed():
    mechanism = gc.models.get("heavy-top")()
    names = {p.name: p for p in mechanism.parameters}
    A = names["I1"].symbol
    top = mechanism.replace(
        inertia=sp.diag(A, A, names["I3"].symbol),
        parameters=[p for p in mechanism.parameters if p.name != "I2"],
        parameter_sets={},
    ).reduce()
    found = gc.stability_conditions(top, "sleeping")
    assert [positive(r) for r in found.stable] == [I3**2 * Omega0**2 - 4 * I1 * m * g * l]
    # Unstable below the classical speed I3^2 W^2 = 4 I1 m g l, whatever else.
    rng = np.random.default_rng(14)
    for _ in range(40):
        numbers = rationals(rng, ["m", "l", "g", "I1", "I3", "Omega0"], high=30)
        slow = (
            numbers["I3"] ** 2 * numbers["Omega0"] ** 2
            < 4 * numbers["I1"] * numbers["m"] * numbers["g"] * numbers["l"]
        )
        assert any(at(r, numbers) for r in found.unstable) == bool(slow)


# -- solving ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["spinning", "controlled", "sleeping"])
def test_solved_conditions_are_the_relations_for_every_symbol(request, which):
    conditions = request.getfixturevalue(which)
    rng = np.random.default_rng(21)
    truths = set()
    for symbol in conditions.symbols:
        solved = conditions.solve_for(symbol.name)
        for _ in range(12):
            numbers = rationals(rng, [s.name for s in conditions.symbols], high=40)
            for name in ("Omega0", "sigma", "Y0"):
                if name in numbers:
                    numbers[name] *= int(rng.choice([-1, 1, 1, 2]))
            if "sigma" in numbers and rng.uniform() < 0.7:
                numbers["sigma"] *= -sp.Rational(1, 20)
            expected = all(at(r, numbers) for r in conditions.stable)
            assert at(solved, numbers) == expected, (symbol, numbers)
            truths.add(expected)
    assert len(truths) == 2


def test_a_vanishing_leading_coefficient_is_a_case_of_its_own(skate, spinning):
    """W^2 l = g: the mass drops out, and I3 > I2 decides."""
    solved = spinning.solve_for("m")
    numbers = {"Omega0": 3, "l": 2, "g": 18, "m": 5, "I2": sp.Rational(1, 3), "I3": sp.Rational(1, 2)}
    assert at(solved, numbers)
    assert at(spinning.stable[0], numbers)
    numbers |= {"I2": sp.Rational(1, 2), "I3": sp.Rational(1, 3)}
    assert not at(solved, numbers)


def test_instability_may_be_solved_too(spinning):
    solved = spinning.solve_for("Omega0", unstable=True)
    rng = np.random.default_rng(22)
    for _ in range(40):
        numbers = rationals(rng, ["m", "l", "g", "I1", "I2", "I3", "Omega0"], high=40)
        assert at(solved, numbers) == at(spinning.unstable[0], numbers)


def test_numbers_may_be_put_in_first(skate):
    found = gc.stability_conditions(skate, "spinning", params={"I2": 0.5, "I3": 0.25, "g": 9.5})
    margin = Omega0**2 * (sp.Rational(1, 4) + l**2 * m - sp.Rational(1, 2)) - sp.Rational(19, 2) * l * m
    ratio = sp.cancel(positive(found.stable[0]) / margin)
    assert ratio.is_Rational
    assert ratio > 0


def test_unknown_names_raise(skate, spinning):
    with pytest.raises(gc.ParameterError, match="spinning"):
        gc.stability_conditions(skate, "spining")
    with pytest.raises(gc.ParameterError, match="Omega0"):
        spinning.solve_for("Omega")


# -- signs --------------------------------------------------------------------------------------------


def test_known_signs():
    a, b = sp.symbols("a b", positive=True)
    x, y = sp.symbols("x y", real=True)
    assert known_sign(a * b + a**2) == 1
    assert known_sign(-a - b * x**2) == -1
    assert known_sign(a + x**2) == 1
    assert known_sign(sp.Integer(0)) == 0
    # A square may outweigh a negative term, and vanish.
    assert known_sign(x**2 * a - b) is None
    assert known_sign(b - x**2) is None
    assert known_sign(x**2 * a) is None
    assert known_sign(x**2 + y**2) is None
    assert known_sign(x * a) is None


@pytest.mark.parametrize("seed", range(12))
def test_solved_inequalities_by_brute_force(seed):
    """Random linear and quadratic expressions with coefficients of open sign, zero among them."""
    rng = np.random.default_rng(seed)
    x, p, q, r = sp.symbols("x p q r", real=True)
    expr = [p * x + q, p * x**2 + q, p * x**2 + q * x + r, x**2 + q * x + r, -2 * x**2 + p * x + q][seed % 5]
    solved = solve_inequality(expr, x)
    for _ in range(60):
        numbers = {s: sp.Rational(int(rng.integers(-4, 5)), int(rng.integers(1, 4))) for s in (x, p, q, r)}
        assert bool(solved.subs(numbers)) == bool(expr.subs(numbers) > 0), (expr, numbers)


def test_a_family_that_moves_is_refused():
    """Straight rolling turns Gamma in the body: an equilibrium of the despun system alone."""
    disk = gc.models.get("rolling-disk")().reduce()
    with pytest.raises(gc.EquilibriumError, match="despun"):
        gc.stability_conditions(disk, "rolling")


# -- what is left undecided, and what the budget cuts -------------------------------------------------


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("pendulum-skate", "spinning"),
        ("heavy-top", "sleeping"),
        ("chaplygin-sleigh", "straight"),
        ("pendulum-skate", "sliding"),
        ("planar-pendulum", "hanging"),
        ("free-rigid-body", "about2"),
    ],
)
def test_undecided_is_what_is_neither_stable_nor_unstable(model, family):
    found = gc.stability_conditions(gc.models.get(model)().reduce(), family)
    rng = np.random.default_rng(8)
    decided = 0
    for _ in range(25):
        numbers = rationals(rng, [s.name for s in found.symbols])
        numbers |= {s.name: numbers[s.name] * int(rng.choice((-1, 1))) for s in found.family_symbols}
        stable = bool(found.stable) and all(at(r, numbers) for r in found.stable)
        unstable = any(at(r, numbers) for r in found.unstable)
        undecided = bool(found.undecided) and all(at(r, numbers) for r in found.undecided)
        assert undecided == (not stable and not unstable)
        decided += stable or unstable
    assert decided


def test_what_is_stable_throughout_is_unstable_nowhere():
    """The discriminant of the hanging acrobot's polynomial is never negative, as 1e3 random draws say too."""
    acrobot = gc.models.get("acrobot")().reduce()
    hanging = gc.stability_conditions(acrobot, "hanging")
    assert (hanging.stable, hanging.unstable, hanging.undecided) == ([sp.S.true], [], [])
    assert "unstable if one of\n    -" in str(hanging)
    assert hanging.solve_for("m1", unstable=True) is sp.S.false
    q = hanging.characteristic_polynomial[::2]
    discriminant = sp.lambdify(hanging.symbols, [q[1] ** 2 - 4 * q[0] * q[2]], "numpy")
    draws = np.random.default_rng(4).uniform(0.1, 3.0, (len(hanging.symbols), 1000))
    assert np.min(discriminant(*draws)[0]) > 0


def test_a_family_without_a_condition_for_stability_is_undecided_wherever_it_is_not_unstable():
    found = gc.stability_conditions(gc.models.get("rolling-disk")().reduce(), "spinning")
    assert found.stable == []
    (relation,) = found.undecided
    assert isinstance(relation, sp.LessThan)
    assert "undecided where\n    -Omega0**2*(A*a + a) + g <= 0" in str(found)


@pytest.mark.parametrize(
    ("model", "family"),
    [("charged-body", "aligned"), ("coupled-bodies", "equal"), ("pendulum-3d", "permanent")],
)
def test_the_budget_ends_the_search_and_is_said(model, family):
    system = gc.models.get(model)().reduce()
    start = time.process_time()
    found = gc.stability_conditions(system, family, budget=0.3)
    # What is not interrupted (the system's own recording of derivatives) takes a second or two.
    assert time.process_time() - start < 0.3 + 7.0
    assert "not finished within the budget of 0.3 s" in found.note
    assert found.note in " ".join(found.full().split())
    assert found.stable == []
    assert found.unstable or found.undecided == [sp.S.true]


def test_what_is_found_in_time_is_the_same_with_any_budget(skate, spinning):
    again = gc.stability_conditions(skate, "spinning", budget=30.0)
    assert (again.stable, again.unstable, again.note) == (spinning.stable, spinning.unstable, "")


def test_a_relation_that_is_not_solved_in_time_is_returned_as_it_is(spinning):
    assert spinning.solve_for("Omega0", budget=1e-9) == spinning.stable[0]


# -- numbers in print ------------------------------------------------------------------------------


def test_doubles_are_exact_inside_and_decimals_in_print(skate):
    found = gc.stability_conditions(skate, "spinning", params={"l": 0.3, "g": 9.81, "m": 1.7, "I2": 0.11})
    (relation,) = found.stable
    digits = max(len(str(q.p)) for q in relation.atoms(sp.Rational))
    assert digits > 30
    exact = sp.Rational(0.3) * sp.Rational(1.7) * sp.Rational(9.81)
    threshold = sp.Rational(0.11) - sp.Rational(1.7) * sp.Rational(0.3) ** 2 + exact
    assert sp.simplify(relation.lhs.subs({Omega0: 1, I3: threshold})) == 0
    assert not re.search(r"\d{20}", str(found))
    assert not re.search(r"\d{20}", found.latex())
    assert "0.199876076832364" in str(found)  # 1/(1.7 * 0.3 * 9.81)


def test_a_root_of_doubles_is_printed_with_their_decimals(skate):
    """Omega0^2 > m g l/(I3 + m l^2 - I2), divided by m."""
    found = gc.stability_conditions(skate, "spinning", params={"m": 2.1, "g": 9.81, "I2": 0.35})
    printed = " ".join(found.full().split())
    assert "Abs(Omega0) > sqrt(9.81*l/(0.476190476190476*I3 + l**2 - 0.166666666666667))" in printed
    assert "0.476190476190476*I3 + l**2 > 0.166666666666667" in printed
    assert max(len(str(q.p)) for q in found.solve_for("Omega0").atoms(sp.Rational)) > 30
    assert readable(sp.Integer(-(10**15)) * Omega0 < 3 * 10**15).rhs == 3


@pytest.mark.parametrize(
    "expr",
    [
        (sp.Rational(0.1) * I3 + sp.Rational(-0.7)) ** -2 * Omega0,
        sp.sqrt(sp.Rational(0.1) * I3 + Omega0**2 / sp.Rational(0.3)) - sp.Rational(0.9),
        sp.Max(0, sp.Rational(0.1) * I3 - sp.Rational(0.05)) * sp.Rational(-0.4),
        sp.sqrt(sp.Rational(0.1)) * I3,
        sp.Rational(0.1),
    ],
)
def test_decimals_are_the_same_number(expr):
    at = {I3: 1.37, Omega0: -0.61}
    assert float(readable(expr).subs(at)) == pytest.approx(float(expr.subs(at)), rel=1e-13)
    relation = readable(sp.StrictGreaterThan(expr, 0, evaluate=False))
    assert float(relation.lhs.subs(at)) * float(expr.subs(at)) > 0


def test_more_states_than_a_proof_takes_are_told(monkeypatch):
    """128 in truth: the limit is lowered here to that of a skate, which has five."""
    for module in (decisions, exact_question):
        monkeypatch.setattr(module, "STATES", 4)
    small = gc.models.get("pendulum-skate")().reduce()
    with pytest.raises(gc.CertificateError, match=r"more than 4 states.* members one by one"):
        gc.stability_conditions(small, "spinning")
    found = gc.certify(small, small.equilibrium("spinning", Omega0=1.0))
    assert found.verdict is Verdict.NUMERICALLY_UNSTABLE
    assert "a proof is of 4 states at most, and these are 5" in found.reason


def test_many_states_without_integrals_are_judged_at_once():
    """Second derivatives by all of 130 states took minutes, to find that there is no such integral."""
    graph = Graph()
    q, v = ([graph.symbol(f"{name}{i}", STATE) for i in range(65)] for name in "qv")
    states = {node.payload: node for node in (*v, *q)}
    begun = time.process_time()
    assert find_shape_integrals(graph, states, [*(graph.number(-1) * x for x in q), *v], []) is None
    assert time.process_time() - begun < 5
