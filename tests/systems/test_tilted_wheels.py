"""A wheel with a tilted axis in its body: a `Height` by a relation with a root, in axes of any direction."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

m, a, g = sp.Rational(13, 10), sp.Rational(2, 5), 9.81


def disk(axis, height):
    group, Gamma = gc.se3(), gc.AdvectedVector("Gamma")
    z = gc.Height("z", along=Gamma)
    turn, move, up = (sp.Matrix(v) for v in (group.xi[:3], group.xi[3:], Gamma.symbols))
    e = sp.Matrix(axis)
    root = sp.sqrt(1 - up.dot(e) ** 2)
    contact = -a * (up - up.dot(e) * e) / root
    return gc.EulerPoincare(
        algebra=group,
        advected=[Gamma, z] if height else [Gamma],
        inertia=sp.diag(m * a**2 / 4 * (sp.eye(3) + e * e.T), m * sp.eye(3)),
        potential=m * g * (z.symbol if height else a * root),
        leaf={"plane": z.symbol - a * root} if height else {},
        constraints=(move + turn.cross(contact)).jacobian(group.xi),
    ).reduce()


@pytest.mark.parametrize("axis", [(0, 0, 1), (sp.Rational(3, 5), 0, sp.Rational(4, 5))])
@pytest.mark.parametrize("height", [True, False])
def test_a_wheel_is_the_same_in_tilted_axes(axis, height):
    system = disk(axis, height)
    assert system.state_labels == ("Omega1", "Omega2", "Omega3", "Gamma1", "Gamma2", "Gamma3")
    eq = gc.find_equilibrium(system, guess=system.state(Gamma=(0, 1, 0)))
    # It falls about the contact: m g a = (m a^2/4 + m a^2) rate^2.
    rate = np.sqrt(float(g / (a * sp.Rational(5, 4))))
    found = np.sort(gc.linearize(system, eq).eigenvalues.real)
    assert found[[0, -1]] == pytest.approx([-rate, rate], rel=1e-9)
    assert gc.certify(system, eq).verdict is gc.Verdict.PROVED_UNSTABLE
