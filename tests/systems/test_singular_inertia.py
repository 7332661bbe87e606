"""A singular inertia that constraints make definite: no pivot vanishes at a regular point."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.systems.contract.scales import inverse_condition
from geoctrl.systems.states.singularity import _least_condition, breaks_down, conditions

m, a, A, C, G0 = 1.5, 0.4, 0.06, 0.12, 9.81


def disk(unit=1):
    """An upright disk in axes that do not spin with it, the spin a factor of its own; masses in units."""
    Gamma = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    g = sp.Matrix(Gamma.symbols)
    edge = sp.sqrt(g[0] ** 2 + g[1] ** 2)
    contact = -a * sp.Matrix([g[0], g[1], 0]) / edge
    J = unit * sp.diag(A, A, C, m, m, m, C)
    J[2, 6] = J[6, 2] = unit * C  # the spin about the axis is that of the axes and its own
    turns = [contact.cross(sp.eye(3)[:, i]) for i in range(3)]
    rows = [[*turns[i], *sp.eye(3)[i, :], turns[i][2]] for i in range(3)]
    return gc.EulerPoincare(
        name="disk",
        algebra=gc.product(gc.se3(), gc.so2()),
        advected=[Gamma],
        inertia=J,
        potential=unit * m * G0 * a * edge,
        leaf=[g[1]],
        constraints=[*rows, [g[2], 0, -g[0], 0, 0, 0, 0]],
    ).reduce()


@pytest.mark.parametrize("unit", [1, 1e-13, 1e9])
@pytest.mark.parametrize("spin", [2.28736, 4.0])
def test_a_disk_rolling_straight_is_a_regular_point(unit, spin):
    """lambda^2 = (A m g a - C (C + m a^2) w^2)/(A (A + m a^2)) for a thin disk [Routh 1905, art. 244]."""
    system, x = disk(unit), [0, 0, 0, spin, 1, 0]
    eq = gc.find_equilibrium(system, guess=x)
    assert np.array_equal(eq.x, x)
    square = (A * m * G0 * a - C * (C + m * a**2) * spin**2) / (A * (A + m * a**2))
    root = np.emath.sqrt(square)
    found = sorted(gc.linearize(system, eq).eigenvalues, key=lambda e: (e.real, e.imag))
    expected = sorted([root, 0, 0, -root], key=lambda e: (np.real(e), np.imag(e)))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    verdict = gc.certify(system, eq).verdict
    assert (verdict is gc.Verdict.PROVED_UNSTABLE) == (square > 0)


def test_a_run_through_the_upright_state_keeps_its_digits():
    system, x = disk(), np.array([0.0, 0, 0, 4.0, 1, 0])
    # Near to it the same leaf: Gamma1^2 + Gamma3^2 = 1.
    tilt = 1e-6
    near = x + np.array([0, 0, 0, 0, np.cos(tilt) - 1, np.sin(tilt)])
    slope = gc.linearize(system, gc.find_equilibrium(system, guess=x)).A @ (near - x)
    assert system.rhs(0.0, near) == pytest.approx(slope, abs=1e-10)


def test_what_constraints_leave_singular_is_still_refused():
    """Negative control: two velocities without inertia, and one row."""
    massless = gc.EulerPoincare(algebra=gc.rn(3), inertia=sp.diag(0, 0, 1), constraints=[[1, 1, 0]])
    with pytest.raises(gc.SingularMassError):
        massless.reduce()


def test_the_bound_of_a_condition_is_one():
    """Of matrices of all shapes, near to singular too; and it says enough of those that are far from it."""
    rng = np.random.default_rng(3)
    clear = 0
    for _ in range(400):
        rows, columns = rng.integers(1, 9, size=2)
        matrix = rng.normal(size=(rows, columns)) * 10.0 ** rng.uniform(-4, 0, size=columns)
        bound, condition = _least_condition(matrix), inverse_condition(matrix)[0]
        assert bound <= condition * (1 + 1e-6) + 1e-7
        clear += bound > 1e-4
    assert clear > 100
    assert _least_condition(np.ones((4, 3))) < 1e-7
    assert _least_condition(np.zeros((2, 2))) == 0


@pytest.mark.parametrize("name", ["pendulum-skate", "rattleback", "whipple-bicycle", "roller-racer"])
def test_points_are_judged_by_bounds_as_by_conditions(name):
    """At random states, and at some at which nearly all vanishes."""
    system = gc.models.get(name)().reduce()
    params = system.parameters(None)
    rng = np.random.default_rng(5)
    for k in range(12):
        x = system.random_state(rng)
        x = x * 10.0 ** rng.uniform(-16, 0, size=x.size) if k % 2 else x
        assert breaks_down(system, 0.0, x, params) == conditions(system, 0.0, x, params).singular
