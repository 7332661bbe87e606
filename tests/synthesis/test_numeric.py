"""`law.numeric()`: the law in states alone, which a plant that does not know the gain takes as its input."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.synthesis.damped import GAINS, SIGMA
from tests.synthesis.rotors import skate_with_rotor

# The same formula twice in doubles; terms of a torque cancel to about a hundredth of their size.
TOLERANCE = 1e-11


def require_same(law, expressions, rotors=None):
    loop = law.closed_loop(rotors=bool(rotors))
    assert set().union(*(e.free_symbols for e in expressions.values())) <= set(loop.states)
    rng = np.random.default_rng(3)
    for _ in range(5):
        x = loop.random_state(rng)
        numbers = dict(zip(loop.states, x, strict=True))
        found = [float(expressions[label].subs(numbers)) for label in law.rotors.input_labels]
        rows = [loop.output_labels.index(label) for label in law.rotors.input_labels]
        expected = loop.outputs(0.0, x)[rows]
        np.testing.assert_allclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE * np.max(np.abs(expected)))
        if rotors is None:
            np.testing.assert_allclose(found, law(0.0, x), rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("axis", list(SIGMA))
@pytest.mark.parametrize("rotors", [None, True], ids=["reduced", "rotors"])
def test_numbers_of_a_law_are_the_law(axis, rotors):
    law = gc.match(skate_with_rotor(axis)).law(SIGMA[axis])
    require_same(law, law.numeric(rotors=bool(rotors)), rotors)


@pytest.mark.parametrize("gains", list(GAINS))
@pytest.mark.parametrize("rotors", [None, True], ids=["reduced", "rotors"])
def test_numbers_of_a_damped_law_are_the_law(laws, gains, rotors):
    law = laws(1, gains)
    require_same(law, law.numeric(rotors=bool(rotors)), rotors)


def test_the_plant_takes_its_own_law():
    """With sigma as a symbol it refuses it: the plant has no such parameter."""
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    law = gc.match(mechanism).law(sigma=-1e-5)
    x0 = plant.state(v3=1.0, Gamma=(0, np.sin(0.1), np.cos(0.1)))
    time = np.linspace(0, 1, 11)
    with pytest.raises(gc.ExpressionError, match="sigma"):
        gc.simulate(plant, time, x0, inputs={"u_theta": law.expr[0]}, engine="scipy")
    run = gc.simulate(plant, time, x0, inputs=law.numeric(), engine="scipy")
    loop = gc.simulate(law.closed_loop(rotors=True), time, x0, engine="scipy")
    assert plant.state_labels == loop.state_labels
    # Two runs at rtol 1e-12 of one motion that grows at most tenfold in a second.
    np.testing.assert_allclose(run.states, loop.states, rtol=0, atol=1e-8)
    again = mechanism.replace(feedback=law.numeric()).reduce()
    assert again.rhs(0.0, x0) == pytest.approx(plant.rhs(0.0, x0, law(0.0, np.delete(x0, 3))), abs=1e-9)


def test_parameters_and_gains_can_be_given():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    law = gc.match(mechanism).law(sigma=sp.Symbol("sigma", real=True))
    with pytest.raises(gc.ParameterError, match="sigma"):
        law.numeric()
    with pytest.raises(gc.ParameterError, match="mass"):
        law.numeric({"sigma": -1e-5, "mass": 1.0})
    x = np.array([0.1, 0.2, 0.9, np.sin(0.1), np.cos(0.1)])
    numbers = dict(zip(law.closed_loop().states, x, strict=True))
    values = {"sigma": -2e-5, "m": 2.5}
    found = float(law.numeric(values)["u_theta"].subs(numbers))
    assert found == pytest.approx(law(0.0, x, values)[0], rel=TOLERANCE)
    assert found != pytest.approx(law(0.0, x, {"sigma": -2e-5})[0], rel=1e-3)
