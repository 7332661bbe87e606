"""A wheel with a tilted axis in its body: a `Height` by a relation with a root, in axes of any direction."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.systems.parts.leaf_relations import removals

m, a, g = sp.Rational(13, 10), sp.Rational(2, 5), 9.81


def disk(axis, height, factor=0):
    group, Gamma = gc.se3(), gc.AdvectedVector("Gamma")
    z = gc.Height("z", along=Gamma)
    turn, move, up = (sp.Matrix(v) for v in (group.xi[:3], group.xi[3:], Gamma.symbols))
    e = sp.Matrix(axis)
    root = sp.sqrt(1 - up.dot(e) ** 2)
    contact = -a * (up - up.dot(e) * e) / root
    # By the height of the centre, or a multiple of the height of the contact.
    relation = factor * (z.symbol + up.dot(contact)) if factor else z.symbol - a * root
    return gc.EulerPoincare(
        algebra=group,
        advected=[Gamma, z] if height else [Gamma],
        inertia=sp.diag(m * a**2 / 4 * (sp.eye(3) + e * e.T), m * sp.eye(3)),
        potential=m * g * (z.symbol if height else a * root),
        leaf={"plane": relation} if height else {},
        constraints=(move + turn.cross(contact)).jacobian(group.xi),
    ).reduce()


@pytest.mark.parametrize("axis", [(0, 0, 1), (sp.Rational(3, 5), 0, sp.Rational(4, 5))])
@pytest.mark.parametrize(("height", "factor"), [(True, 0), (True, 7), (False, 0)])
def test_a_wheel_is_the_same_in_tilted_axes(axis, height, factor):
    system = disk(axis, height, factor)
    assert system.state_labels == ("Omega1", "Omega2", "Omega3", "Gamma1", "Gamma2", "Gamma3")
    eq = gc.find_equilibrium(system, guess=system.state(Gamma=(0, 1, 0)))
    # It falls about the contact: m g a = (m a^2/4 + m a^2) rate^2.
    rate = np.sqrt(float(g / (a * sp.Rational(5, 4))))
    found = np.sort(gc.linearize(system, eq).eigenvalues.real)
    assert found[[0, -1]] == pytest.approx([-rate, rate], rel=1e-9)
    assert gc.certify(system, eq).verdict is gc.Verdict.PROVED_UNSTABLE


def test_heights_in_other_words_give_the_same_files():
    """The relation by the contact point, with other factors: the same heights, multiplied out."""
    Gamma = gc.AdvectedVector("Gamma")
    G, z, (b, c) = Gamma.symbols, gc.Height("z", along=Gamma), sp.symbols("b c")
    told = z.symbol + G[2] * (b - c * G[2])
    for relation in (told, 7 * told, sp.expand(told), -told / 3):
        assert removals([relation], G, [z.symbol]) == {relation: (z.symbol, c * G[2] ** 2 - b * G[2])}
    root = sp.sqrt(1 - (3 * G[0] + 4 * G[2]) ** 2 / 25)
    assert removals([z.symbol - (b + c) * root], G, [z.symbol]) == {
        z.symbol - (b + c) * root: (z.symbol, b * root + c * root)
    }
