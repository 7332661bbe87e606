"""Coordinates on which nothing depends, at points in floats: the family that they make is exact."""

import copy

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import Verdict, checker
from tests.attack.forge.by_hand import decided
from tests.attack.forge.genuine import turntable


@pytest.fixture(scope="module")
def hanging():
    system = turntable()
    return gc.certify(system, gc.find_equilibrium(system, [0, 0, 0.3, 3.5]))


def test_a_cyclic_coordinate_at_a_point_in_floats_is_stable(hanging, tmp_path):
    """Against eigenvalues: one zero, of the turntable, and three to the left; motions tend to the family."""
    assert hanging.verdict is Verdict.PROVED_STABLE
    assert hanging.evidence["family_dimension"] == 1
    assert "with the same q0" in hanging.claim
    hanging.to_json(tmp_path / "c.json")
    assert gc.verify(tmp_path / "c.json").claim == hanging.claim
    system = turntable()
    eq = gc.find_equilibrium(system, [0, 0, 0.3, 3.5])
    roots = sorted(gc.linearize(system, eq).eigenvalues, key=abs)
    assert abs(roots[0]) < 1e-12 > max(z.real for z in roots[1:])
    start = np.add(eq.x, [0.1, 0.1, 0.0, 0.1])
    run = gc.simulate(system, np.linspace(0, 300, 31), start)
    assert abs(run["q1"][-1] - eq["q1"]) < 1e-5 < abs(run["q0"][-1] - 0.3)


def test_an_arm_that_stands_is_unstable():
    system = turntable()
    certificate = gc.certify(system, gc.find_equilibrium(system, [0, 0, 0.3, 0.2]))
    assert certificate.verdict is Verdict.PROVED_UNSTABLE
    assert "family_dimension" not in certificate.evidence


def test_another_choice_of_what_is_idle_is_refused(hanging):
    def refused(change):
        problem = copy.deepcopy(hanging.proof["problem"])
        change(problem)
        with pytest.raises(checker.Refusal) as refusal:
            decided(problem, **hanging.evidence)
        return str(refusal.value)

    def idle(held, dropped):
        def change(problem):
            problem["box"]["held"], problem["idle"]["dropped"] = held, dropped

        return change

    assert "depends on a state" in refused(idle(["q1"], ["q1_dot"]))
    assert "one rate is left out" in refused(idle(["q0"], ["q0_dot", "q1_dot"]))
    assert "rests with the others" in refused(idle(["q0"], ["q1_dot"]))
    assert "different states" in refused(idle(["q0", "q0"], ["q0_dot", "q0_dot"]))
    assert "different states" in refused(idle([], []))
    assert refused(lambda problem: problem.pop("box"))


def test_what_is_pushed_or_held_is_not_idle():
    """A torque turns the table for ever, and a spring holds it at one angle: two other verdicts."""
    system = turntable(torque=sp.Rational(1, 10))
    eq = gc.find_equilibrium(turntable(), [0, 0, 0.3, 3.5])
    with pytest.raises(gc.EquilibriumError):
        gc.certify(system, eq.x)
    held = turntable(stiffness=1)
    rest = gc.find_equilibrium(held, [0, 0, 0.0, 3.5])
    assert gc.certify(held, rest).verdict is Verdict.PROVED_ASYMPTOTICALLY_STABLE
