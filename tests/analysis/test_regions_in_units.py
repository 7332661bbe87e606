"""A change of units changes no region: extents in other masses, lengths and times, in like units."""

import math

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.analysis.quadratics.falling_quadratic import FallingQuadratic
from geoctrl.analysis.quadratics.setting_units import SettingUnits
from geoctrl.analysis.regions.set_question import SetQuestion
from geoctrl.analysis.regions.slopes_set import SlopesSets
from geoctrl.analysis.regions.squares_set import SquaresSets
from geoctrl.systems.contract.points import resolve_equilibrium


def held_up(mass, length, time):
    """A pendulum on a cart, both driven by u = k.x with numbers of this unit system: a linear law's loop."""
    x, phi = gc.Coordinate("x", unit="m"), gc.Coordinate("phi", angle=True)
    M, m, l, g = (sp.Rational(v) for v in ("3/5", "1/5", "3/10", "10"))  # noqa: E741
    M, m, l, g = M * mass, m * mass, l * length, g * length / time**2  # noqa: E741
    force = mass * length / time**2
    a, b, c, d = (sp.Rational(v) for v in ("6", "80", "5", "12"))
    u = force * (a * x.symbol / length + b * phi.symbol + c * x.rate * time / length + d * phi.rate * time)
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, phi],
        inertia=[[M + m, m * l * sp.cos(phi.symbol)], [m * l * sp.cos(phi.symbol), m * l**2]],
        potential=m * g * l * sp.cos(phi.symbol),
        forces=[u, 0],
        name="cart",
    ).reduce()


UNITS = [(1, 1, 1), (10**-6, 10**3, 10**5)]


def exact(units):
    return [sp.Rational(str(v)) if v >= 1 else sp.Rational(1, round(1 / v)) for v in units]


def extents(roa, length, time):
    sizes = {"x_dot": length / time, "phi_dot": 1 / time, "x": length, "phi": 1}
    return np.array([high / float(sizes[k]) for k, (_, high) in roa.extent.items()])


def agree(found):
    for each in found[1:]:
        assert np.all(np.abs(np.log(each / found[0])) < np.log(1.1)), found


def test_sets_by_squares_are_the_same_in_other_units(tmp_path):
    """A pendulum that a torque holds up: sine and angle, which bounds tell of each other."""
    found = []
    for units in UNITS:
        mass, length, time = exact(units)
        phi = gc.Coordinate("phi", angle=True)
        m, l, torque = 2 * mass, length / 2, mass * length**2 / time**2  # noqa: E741
        system = gc.EulerPoincare(
            algebra=None,
            shape=[phi],
            inertia=[[m * l**2]],
            potential=m * 10 * length / time**2 * l * sp.cos(phi.symbol),
            forces=[-torque * (25 * phi.symbol + 4 * phi.rate * time)],
            name="held up",
        ).reduce()
        roa = gc.region_of_attraction(system, system.state(), by="squares")
        found.append(extents(roa, length, time))
        roa.to_json(tmp_path / "set.json")
        assert gc.verify(tmp_path / "set.json").verdict is gc.Verdict.PROVED_ATTRACTED
    # The search is the same one; only what is made exact differs in rounding.
    assert np.allclose(found, found[0], rtol=1e-6, atol=0.0), found


def question(system):
    return SetQuestion(system, resolve_equilibrium(system, system.state(), None), {}, {})


def searched(units):
    """What the search by squares is given: rates, relations, bounds, and the function that it begins with."""
    mass, length, time = exact(units)
    system = held_up(mass, length, time)
    sets = SquaresSets(question(system), lambda: math.inf)
    setting, _ = sets._setting([])
    search = FallingQuadratic(
        setting, 2, units=SettingUnits.of(setting, question(system).scales).with_few_bits
    )
    polynomials = [terms for terms, _ in search.identity.own_relations + search.identity.own_bounds]
    return search.identity.own_rates, polynomials, search.identity.leaf.first_function().tolist()


def test_a_search_by_squares_has_the_same_numbers_in_other_units():
    """To the last bit: a step that is taken or not at the edge of rounding would make another set."""
    first, *others = [searched(units) for units in UNITS]
    assert all(found == first for found in others)


@pytest.mark.long(reason="a set by slopes on a leaf is asked in other units in test_slopes_on_a_leaf.py")
def test_sets_by_slopes_are_the_same_in_other_units():
    """Of one cell, by the search from its start to its end: what more cells give hangs on the seconds."""
    found = []
    for units in UNITS:
        mass, length, time = exact(units)
        system = held_up(mass, length, time)
        sets = SlopesSets(question(system))
        sets.at_once()
        for _ in sets.larger():
            if len(sets.latest().data["theorem"]["cells"]) > 1:
                break
        found.append(extents(sets.latest(), length, time))
    agree(found)


def test_levels_of_the_energy_are_the_same_in_other_units():
    """U = k x^2/2 - k x^4/(4 a^2), saddles at a with the energy k a^2/4: of 1e-27 J to 1e12 J."""
    for units in [(1, 1, 1), (10**-9, 10**-9, 1), (10**6, 10**3, 1), (1, 1, 10**5)]:
        mass, length, time = exact(units)
        x, k = gc.Coordinate("x", unit="m"), mass / time**2
        system = gc.EulerPoincare(
            algebra=None,
            shape=[x],
            inertia=[[2 * mass]],
            potential=k * x.symbol**2 / 2 - k / length**2 * x.symbol**4 / 4,
            forces=[-x.rate * mass / time],
            name="well",
        ).reduce()
        roa = gc.region_of_attraction(system, system.state(), by="energy", depth=9)
        assert 0.24 < roa.level / float(k * length**2) < 0.25
