"""Which invariants count as kept: judged at states where their rates have values, at no others."""

from __future__ import annotations

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
    with pytest.warns(RuntimeWarning, match="'nowhere' is finite at 0 of 60 random states"):
        assert "nowhere" not in system.conserved()


def test_a_rate_is_judged_at_the_samples_where_it_is_finite():
    system = top(lambda a, b, c: sp.sqrt(c))
    _, program = system.conservation.rates()["energy"]
    states = np.array([[0.3, -0.2, 0.5, 0.6, 0.0, 0.8], [0.3, -0.2, 0.5, 0.6, 0.0, -0.8]]).T
    judge = system.conservation.constant
    assert judge(program, 0.0, states, None, system.params)
    assert not judge(program, 0.0, states[:, 1], None, system.params)
