"""Which invariants count as kept: judged at states where their rates have values, at no others."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc


def top(potential, **more):
    gamma = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    return gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[gamma],
        inertia=sp.diag(1, sp.Rational(7, 3), 3),
        potential=potential(*gamma.symbols),
        **more,
    ).reduce()


def test_states_where_a_rate_has_no_value_are_drawn_again():
    # The force field has no value on half of the sphere.
    system = top(lambda a, b, c: sp.sqrt(c) + a / 3)
    assert "energy" in system.conserved()
    # Negative control: damping is seen on the other half.
    damped = top(lambda a, b, c: sp.sqrt(c) + a / 3, forces=list(-gc.so3().xi))
    assert "energy" not in damped.conserved()


def test_what_has_no_value_anywhere_is_said_and_not_kept():
    system = top(lambda a, b, c: c, invariants={"nowhere": sp.sqrt(sp.Symbol("Gamma3", real=True) - 2)})
    with pytest.warns(RuntimeWarning, match="not count as conserved: nowhere"):
        assert "nowhere" not in system.conserved()


def cap(value, height):
    """Something that acts in a small region alone: where the height is beyond 0.999."""
    return sp.Piecewise((value, height > sp.Rational(999, 1000)), (0, True))


def test_a_brake_in_a_small_region_is_seen():
    """As on manifolds: switches are let take any branch."""
    forces = [cap(-w, sp.Symbol("Gamma1", real=True)) for w in gc.so3().xi]
    assert "energy" not in top(lambda a, b, c: c, forces=forces).conserved()
    ramp = sp.Max(0, sp.Symbol("Gamma1", real=True) - sp.Rational(999, 1000))
    assert "energy" not in top(lambda a, b, c: c, forces=[-ramp * w for w in gc.so3().xi]).conserved()


def test_switches_of_one_condition_take_the_same_branch():
    """|a| - max(a, 0) vanishes on one side alone: both are told by one number, 1 and -1 for the sides."""
    a = sp.Symbol("Gamma1", real=True)
    below = sp.Abs(a) - sp.Max(a, 0)
    assert "energy" not in top(lambda a, b, c: c, forces=[below * w for w in gc.so3().xi]).conserved()
    nothing = sp.Abs(a) - sp.Max(a, 0) + sp.Min(a, 0)
    assert "energy" in top(lambda a, b, c: c, forces=[nothing * w for w in gc.so3().xi]).conserved()


@pytest.mark.parametrize(
    "potential",
    [
        lambda a, b, c: sp.Abs(a) + c,
        lambda a, b, c: cap(a * b * (c - sp.Rational(999, 1000)), c),
        lambda a, b, c: sp.Max(a, b, c) - sp.Min(a, c) * sp.sign(b) * b,
        lambda a, b, c: sp.Abs(c) ** sp.Rational(3, 2),
    ],
)
def test_a_potential_with_switches_keeps_the_energy(potential):
    system = top(potential)
    assert "energy" in system.conserved()
    # Negative control.
    assert "energy" not in top(potential, forces=[-w / 1000 for w in gc.so3().xi]).conserved()


def test_a_potential_that_jumps_does_not_keep_the_energy():
    """No force is where it jumps: a motion passes with its speed, and the energy is another beyond."""
    assert "energy" not in top(lambda a, b, c: cap(a * b, c)).conserved()


def test_a_force_that_vanishes_at_one_time_is_seen():
    for instant in (sp.Rational(3, 10), sp.Rational(37, 100)):
        hidden = sp.sin(gc.time - instant)
        assert "energy" not in top(lambda a, b, c: c, forces=[hidden, 0, 0]).conserved()
    late = sp.Piecewise((1, gc.time > 300), (0, True))
    assert "energy" not in top(lambda a, b, c: c, forces=[late, 0, 0]).conserved()


def test_switches_of_parameters_take_the_branch_that_they_choose():
    k = gc.Parameter("k", 1.0)
    drag = sp.Piecewise((1, k.symbol > 2), (0, True))
    system = top(lambda a, b, c: c, forces=[-drag * w for w in gc.so3().xi], parameters=[k])
    assert "energy" in system.conserved()
    assert "energy" not in system.conserved({"k": 3.0})


def test_inputs_by_expressions_are_put_in():
    u = sp.Symbol("u", real=True)
    system = top(lambda a, b, c: c, forces=[u, 0, 0], inputs=[u])
    start, times = [0.3, -0.2, 0.5, 0.6, 0.0, 0.8], np.linspace(0, 1, 5)
    w1, w2 = system.states[0], system.states[1]
    assert "energy" not in gc.simulate(system, times, start, inputs={u: 0.3}).drift
    assert "energy" not in gc.simulate(system, times, start, inputs={u: cap(-w1, w2)}).drift
    assert "energy" in gc.simulate(system, times, start, inputs={u: w1 * 0}).drift
    assert "energy" not in gc.simulate(system, times, start, inputs=[0.0]).drift


def symmetric_top(axis, **more):
    """A body of moments 7/10 across and 2/5 along the axis, its centre of mass on it."""
    e, gamma = sp.Matrix(axis), gc.AdvectedVector("Gamma")
    tensor = sp.Rational(7, 10) * sp.eye(3) - sp.Rational(3, 10) * e * e.T / e.dot(e)
    potential = 9 * (sp.Matrix(gamma.symbols).T * e)[0]
    return gc.EulerPoincare(algebra=gc.so3(), advected=[gamma], inertia=tensor, potential=potential, **more)


@pytest.mark.parametrize(
    ("axis", "name"), [((0, 0, 1), "Pi3"), ((0, 0, -2), "Pi3"), ((0, 3, 4), "3*Pi2/4 + Pi3")]
)
def test_an_axis_supplies_its_momentum(axis, name):
    mechanism = symmetric_top(axis)
    assert name not in mechanism.reduce().candidate_invariants
    system = mechanism.replace(symmetry=gc.Axis(axis)).reduce()
    assert name in system.conserved()
    assert gc.check_invariant(system, name).proved
    # Noether: the power along the axis is the rate. Damping about it takes the momentum away.
    damped = mechanism.replace(symmetry=gc.Axis(axis), forces=list(-gc.so3().xi)).reduce()
    assert name in damped.candidate_invariants
    assert name not in damped.conserved()


def test_the_momentum_about_an_axis_holds_rotors():
    rotors = gc.Rotors([[0], [0], [sp.Rational(1, 5)]], [[sp.Rational(1, 5)]], ["theta"])
    system = symmetric_top((0, 0, 1), rotors=rotors, symmetry=gc.Axis((0, 0, 1))).reduce()
    # Whatever torque acts between the rotor and the body.
    assert "Pi3" in system.conserved(all_inputs=True)


def test_what_is_declared_is_not_offered_under_another_name():
    declared = {"spin": gc.so3().mu[2]}
    system = symmetric_top((0, 0, 1), symmetry=gc.Axis((0, 0, 1)), invariants=declared).reduce()
    assert list(system.conserved()) == ["energy", "spin", "Gamma1*Pi1 + Gamma2*Pi2 + Gamma3*Pi3"]


def test_a_sleeping_top_with_an_axis_is_stable_from_the_classical_rate_on():
    r"""4 I1 m g l < I3^2 n^2, without any invariant declared."""
    rate = sp.Symbol("n", real=True)
    sleeping = {"sleeping": gc.Family({"Omega3": rate, "Gamma3": 1}, symbols=[rate])}
    top = symmetric_top((0, 0, 1), symmetry=gc.Axis((0, 0, 1)), equilibria=sleeping)
    critical = np.sqrt(4 * 0.7 * 9) / 0.4
    for n, verdict in (
        (50.0, "PROVED_STABLE"),
        (critical * (1 + 1e-6), "PROVED_STABLE"),
        (critical * (1 - 1e-6), "PROVED_UNSTABLE"),
    ):
        system = top.reduce()
        assert gc.certify(system, system.equilibrium("sleeping", n=n)).verdict.name == verdict
    # Negative control: the momentum is what proves it.
    bare = top.replace(symmetry=None).reduce()
    assert gc.certify(bare, bare.equilibrium("sleeping", n=50.0)).verdict.name == "SPECTRALLY_STABLE_ONLY"


@pytest.mark.parametrize("time", [1, Fraction(1, 10**20), 10**40])
def test_weak_friction_is_seen_in_any_unit_of_time(time):
    """1e-5 of critical, on a spring and on what turns beside one."""
    time, (q, r) = sp.Rational(time), map(gc.Coordinate, "qr")
    potential, weak = 2 * time**2 * q**2, time / 10**5
    oscillator = [q], [[1]], [-weak * q.rate]
    beside = [q, r], [[1, 0], [0, 1 + q**2]], [0, -weak * r.rate]
    for shape, inertia, forces in (oscillator, beside):
        free = gc.EulerPoincare(shape=shape, inertia=inertia, potential=potential)
        assert "energy" in free.reduce().conserved()
        assert not free.replace(forces=forces).reduce().conserved()


def test_friction_of_a_light_body_is_seen_beside_a_heavy_one():
    """Slopes of one state and rates of another are no term of a rate: their product says nothing of it."""
    q, r = gc.Coordinate("q"), gc.Coordinate("r")
    system = gc.EulerPoincare(
        shape=[q, r], inertia=[[10**12, 0], [0, 1]], potential=5e7 * r.symbol**2, forces=[0, -r.rate]
    ).reduce()
    assert list(system.conserved()) == ["p_q"]


@pytest.mark.parametrize("weak", ["1e-9", "1e-18", "1e-30"])
def test_friction_of_any_weakness_is_friction(weak):
    """However small it is beside other forces, as in other units; without it the energy is kept."""
    q, r = gc.Coordinate("q"), gc.Coordinate("r")
    weak = sp.Rational(weak)
    body = gc.EulerPoincare(
        shape=[q, r],
        inertia=[[1, 0], [0, 1 + q.symbol**2]],
        potential=q.symbol**2 + sp.cos(r.symbol),
        forces=[0, -weak * r.rate],
    )
    assert not body.reduce().conserved()
    assert list(body.replace(forces=None).reduce().conserved()) == ["energy"]


def test_friction_behind_what_cancels_is_friction():
    """1e-12 of a number of size one, a product of what is left of large ones, as elimination makes them."""
    q, r = gc.Coordinate("q"), gc.Coordinate("r")
    weak = (10**8 * (sp.sqrt(1 + q.symbol**2 / 10**8) - 1)) ** 6 / 10**12
    body = gc.EulerPoincare(
        shape=[q, r], inertia=sp.eye(2), potential=q.symbol**2 + sp.cos(r.symbol), forces=[0, -weak * r.rate]
    )
    assert not body.reduce().conserved()


def test_what_is_kept_at_some_parameters_is_judged_at_each():
    """Numbers after the first are told from what sixty digits find kept whatever the parameters are."""
    q, r, c = gc.Coordinate("q"), gc.Coordinate("r"), gc.Parameter("c", 0)
    body = gc.EulerPoincare(
        shape=[q, r],
        inertia=[[1, 0], [0, 1]],
        potential=r.symbol**2 + q.symbol**2 * c**3,
        forces=[0, -c * (c - 2) * r.rate],
        parameters=[c],
        invariants={"push": q.rate},
    ).reduce()
    kept = {v: list(body.conserved({"c": v})) for v in (0, 1e-9, 1e-18, 0.5, 2, 3)}
    assert kept.pop(0) == ["energy", "push"]
    assert kept.pop(2) == ["energy"]
    assert not any(kept.values())
    free = body.mechanism.replace(forces=None).reduce()
    assert [list(free.conserved({"c": v})) for v in (1, 2, 0)] == [["energy"], ["energy"], ["energy", "push"]]


@pytest.mark.parametrize("weak", [1, sp.Rational(1, 10**20)])
def test_parameters_beyond_the_sheet_of_a_root_are_judged_there(weak):
    """sqrt((c + 1)^2) is c + 1 on one side of c = -1 alone: a friction of any weakness on the other."""
    q, c = gc.Coordinate("q"), gc.Parameter("c", 1)
    brake = weak * (sp.sqrt(sp.expand((c.symbol + 1) ** 2)) - c.symbol - 1)
    body = gc.EulerPoincare(
        shape=[q], inertia=[[1]], potential=q.symbol**2, forces=[-brake * q.rate], parameters=[c]
    ).reduce()
    kept = {v: list(body.conserved({"c": v})) for v in (1, 2, 3, -3)}
    assert kept == {1: ["energy"], 2: ["energy"], 3: ["energy"], -3: []}


def test_what_is_kept_whatever_the_parameters_is_judged_twice(monkeypatch):
    """Roots and integrals that cancel may be any numbers; no states are drawn at other parameters then."""
    shape = gc.models.get("pendulum-skate")().reduce()
    names = list(shape.conserved())
    assert list(shape.conserved({"m": 2.5})) == names
    monkeypatch.setattr(type(shape), "sample", lambda *_: pytest.fail("a state was drawn"))
    for m in (3.0, 3.5, 4.0):
        assert list(shape.conserved({"m": m})) == names
