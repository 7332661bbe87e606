"""Angles of rotors as states: what follows a rotor's rate, against the wheel as a velocity of its own."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

ARM, WHEEL, WEIGHT = sp.Rational("0.0046"), sp.Rational("0.000025"), sp.Rational("0.35")


@pytest.fixture(scope="module")
def pendulum():
    """A pendulum with a reaction wheel; the wheel is brought home by a weak spring."""
    q, angle = gc.Coordinate("q", angle=True), gc.Quasicoordinate("theta", sp.Symbol("theta_dot", real=True))
    return gc.EulerPoincare(
        shape=[q],
        inertia=[[ARM + WHEEL]],
        potential=WEIGHT * sp.cos(q.symbol) + angle.symbol**2 / 200,
        rotors=gc.Rotors(coupling=[WHEEL], inertia=WHEEL),
        quasicoordinates=[angle],
        name="wheel",
    )


def test_motions_are_those_of_two_coordinates(pendulum):
    q, theta = gc.Coordinate("q", angle=True), gc.Coordinate("theta")
    u = sp.Symbol("u_theta", real=True)
    both = gc.EulerPoincare(
        shape=[q, theta],
        inertia=[[ARM + WHEEL, WHEEL], [WHEEL, WHEEL]],
        potential=WEIGHT * sp.cos(q.symbol) + theta.symbol**2 / 200,
        forces=[0, u],
        inputs=[u],
    ).reduce()
    system = pendulum.reduce()
    assert system.state_labels == both.state_labels
    x = system.random_state(np.random.default_rng(2))
    assert system.rhs(0, x, [0.2]) == pytest.approx(both.rhs(0, x, [0.2]), rel=1e-11)
    form = system.unreduced()
    rates, moved = form.rhs(0.0, (x[:2], x[2:]), [0.2])
    assert [*rates, *moved] == pytest.approx(system.rhs(0, x, [0.2]), rel=1e-11)
    assert "energy" in system.conserved()


def test_a_law_brings_the_wheel_home(pendulum):
    system = pendulum.replace(potential=WEIGHT * sp.cos(sp.Symbol("q", real=True))).reduce()
    law = gc.lqr(system, gc.find_equilibrium(system, system.state()))
    loop = law.closed_loop()
    assert gc.certify(loop, law.equilibrium).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    run = gc.simulate(loop, [0, 60], loop.state(q=0.05, theta=1.0))
    assert np.max(np.abs(run.states[:, -1])) < 1e-12


def test_matching_refuses_what_follows_a_rotor(pendulum):
    with pytest.raises(gc.MatchingError, match="no wheel whose angle acts: theta stands in potential"):
        gc.match(pendulum)
    with pytest.raises(gc.DescriptionError, match="must be linear in the velocities q_dot, theta_dot"):
        pendulum.replace(quasicoordinates=[gc.Quasicoordinate("z", sp.Symbol("theta_dot", real=True) ** 2)])


def test_a_wheel_in_turning_axes_has_a_row_of_its_own():
    """Newton and Euler by numpy: H = I W + J a w of a body in orbit, W = Omega + n b; and its own axle."""
    inertia = sp.Matrix([[13, 1, 0], [1, 17, -1], [0, -1, 9]]) / 10
    J, n = sp.Rational(1, 20), sp.Rational(3, 5)
    axle = sp.Matrix([sp.Rational(2, 3), sp.Rational(1, 3), sp.Rational(2, 3)])
    down, across = gc.AdvectedVector("a"), gc.AdvectedVector("b", reference=(0, 1, 0))
    a, b = (sp.Matrix(v.symbols) for v in (down, across))
    system = gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[down, across],
        inertia=inertia,
        gyroscopic=list(n * inertia * b),
        potential=3 * n**2 * a.dot(inertia * a) / 2 - n**2 * b.dot(inertia * b) / 2,
        rotors=gc.Rotors(coupling=J * axle, inertia=J, gyroscopic=[n * J * axle.dot(b)]),
    ).reduce()
    x = system.random_state(np.random.default_rng(3))
    rate = system.rhs(0, x, [0.2])
    Omega, w, down_here, across_here = x[:3], x[3], x[4:7], x[7:10]
    I, direction, J, n = np.array(inertia, dtype=float), np.array(axle, dtype=float).ravel(), 0.05, 0.6  # noqa: E741
    spin = Omega + n * across_here
    turning = rate[:3] + n * np.cross(across_here, Omega)
    momentum = I @ spin + J * direction * w
    moment = 3 * n**2 * np.cross(down_here, I @ down_here)
    left = I @ turning + J * direction * rate[3] + np.cross(spin, momentum) - moment
    assert np.max(np.abs(left)) < 1e-13
    assert J * (rate[3] + direction @ turning) == pytest.approx(0.2, rel=1e-13)
    form = system.unreduced()
    rates, _ = form.rhs(0.0, (x[:4], x[4:]), [0.2])
    assert rates == pytest.approx(rate[:4], rel=1e-11)
    with pytest.raises(gc.MatchingError, match="no gyroscopic term of rotors"):
        gc.match(system.mechanism)
    with pytest.raises(gc.DescriptionError, match="needs 1 entries"):
        gc.Rotors(coupling=[1, 0, 0], inertia=1, gyroscopic=[1, 2])
