"""Printing without rounding: eigenvalues in one order, equilibria with inputs, zero modes by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.systems.typesetting.printed_spectra import ordered_eigenvalues, spectrum_text, without_rounding

PHI = gc.Coordinate("phi", angle=True)
U = sp.Symbol("u", real=True)


def driven():
    base = {"algebra": None, "shape": [PHI], "inertia": [[1]], "potential": -sp.cos(PHI)}
    return gc.EulerPoincare(**base, forces=[U], inputs=[U], name="pendulum").reduce()


def test_one_order():
    values = np.array([-3.0, 1 - 2j, 1 + 1e-13 + 2j, 2.0, 0.0])
    assert ordered_eigenvalues(values).tolist() == [-3, 0, 1 - 2j, 1 + 1e-13 + 2j, 2]
    assert ordered_eigenvalues(values[::-1]).tolist() == ordered_eigenvalues(values).tolist()
    assert ordered_eigenvalues([]).size == 0
    assert (1e-30 * ordered_eigenvalues(values)).tolist() == ordered_eigenvalues(1e-30 * values).tolist()


def test_the_same_order_everywhere():
    cart = gc.models.get("cart-pendulum")().reduce()
    lin = gc.linearize(cart, cart.equilibrium("upright"))
    forced = sum(name != "family" for name in lin.zero_modes)
    others = lin.eigenvalues[forced:]
    assert others.tolist() == ordered_eigenvalues(others).tolist()
    law = gc.lqr(cart, cart.equilibrium("upright"))
    assert law.eigenvalues.tolist() == ordered_eigenvalues(law.eigenvalues).tolist()


def test_rounding_is_told_as_zero():
    assert spectrum_text([0j, -8.9e-16 + 2j, 3 - 1e-15j, -0.0]) == "0, 0+2j, 3, 0"
    assert spectrum_text([1e-20j]) == "0+1e-20j"  # alone it is no rounding
    assert spectrum_text([]) == ""
    assert without_rounding([1e-16, 1e-16, 2.0], [1.0, 0.0, 1.0]).tolist() == [0.0, 1e-16, 2.0]
    assert "j" not in repr(gc.linearize(driven(), driven().state(phi=np.pi)))


def test_equilibria_tell_inputs_and_no_rounding():
    plant = driven()
    law = gc.linearize(plant, ([0.0, 0.3], [np.sin(0.3)]))
    assert "phi_dot=0, phi=0.3 rad; inputs u = 0.295520207 N m; residual" in repr(law.equilibrium)
    rounded = gc.linearize(plant, [-4.7e-32, 0.0]).equilibrium
    assert "phi_dot=0, phi=0;" in repr(rounded)
    assert rounded.x[0] == -4.7e-32
    assert "inputs" not in repr(rounded)
    free = gc.EulerPoincare(algebra=None, shape=[gc.Coordinate("x")], inertia=[[1]]).reduce()
    assert "x=1e-20;" in repr(gc.linearize(free, free.state(x=1e-20)).equilibrium)


def test_a_search_says_that_inputs_were_zero():
    words = r"inputs were held at zero \(u\), free=\[...\] has them found; try another guess"
    with pytest.raises(gc.EquilibriumError, match=words):
        gc.find_equilibrium(driven(), [0, 0.3], fixed={"phi": 0.3})


def test_zero_modes_are_named():
    """A body on a plane that nothing holds: two places, two of their combinations with rates."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    drag = gc.EulerPoincare(
        algebra=None, shape=[x, y], inertia=[[2, 0], [0, 3]], forces=[-x.rate, -y.rate], name="sled"
    ).reduce()
    lin = gc.linearize(drag, drag.state())
    assert lin.zero_modes.count("family") == len(lin.families)
    for states in lin.families:
        assert set(states.split(", ")) <= {"x", "y", "x_dot", "y_dot"}
        assert f"family along {states}" in repr(lin)
    racer = gc.models.get("roller-racer")().reduce()
    name, family = next(iter(racer.families.items()))
    lin = gc.linearize(racer, racer.equilibrium(name, **{str(s): 1.0 for s in family.symbols}))
    assert len(lin.families) == lin.zero_modes.count("family") == 1


def test_conditions_print_a_page():
    top = gc.models.get("heavy-top")().reduce()
    short = gc.stability_conditions(top, "sleeping", params={"I2": "I1"})
    assert str(short) == short.full()
    letters = sp.symbols("k1:90", real=True)
    tests = [sp.Add(*letters) > n for n in range(1, 21)]
    long = replace(short, unstable=tests, undecided=tests)
    lines = str(long).split("\n")
    assert len(lines) == 12
    assert max(map(len, lines)) <= 79
    assert lines[-1] == "  ... .full() prints the rest"
    assert "undecided elsewhere" in long.full()
    assert long.full().count("k89") == 20
