"""Every law of the catalogue, from the description alone, asked three things of a plant under its numbers.

Whether the plant moves as the controlled Lagrangian says, whether the controlled energy changes at the rate
that the passive output says, whether the law can be computed from states and parameters.
"""

import numpy as np
import pytest

import geoctrl as gc

pytestmark = pytest.mark.filterwarnings("ignore:.*these gains hold no family")

POSITION = {"kappa": 20, "rho": -0.02, "K": -0.6}
PUCK = "spherical-pendulum-on-puck"

LAWS = [
    ("cart-pendulum", {}, {"shaping": "kinetic"}, {"kappa": 20}),
    ("cart-pendulum", {}, {"shaping": "potential"}, {"K": 3.7}),
    ("cart-pendulum", {}, {"shaping": "both"}, POSITION),
    ("cart-pendulum", {"incline": True}, {"shaping": "both"}, POSITION),
    (PUCK, {}, {"shaping": "both"}, POSITION),
    ("inertia-wheel-pendulum", {}, {"shaping": "both"}, {"kappa": 31, "rho": -0.3, "K": -0.2}),
    ("inertia-wheel-pendulum", {}, {"shaping": "both", "direction": [-3]}, {"m22": -0.2, "K": -0.1}),
    ("pendulum-skate-rotor", {}, {"shaping": "both"}, {"kappa": 900, "rho": -0.3, "K": -0.2}),
    ("unicycle-with-rotor", {}, {"shaping": "kinetic"}, {"kappa": 3.5}),
    ("top-on-movable-base", {"pushed": True}, {"shaping": "both"}, POSITION),
    ("body-with-rotor", {}, {"shaping": "kinetic"}, {"kappa": 2.5}),
    ("body-with-rotors", {}, {"shaping": "kinetic"}, {"kappa": -7.2}),
    (
        "underwater-vehicle",
        {"centres": "coincident", "rotors": True},
        {"shaping": "kinetic"},
        {"kappa": 12.5},
    ),
    ("underwater-vehicle", {"rotors": True}, {"shaping": "kinetic"}, {"kappa": 7.5}),
    ("underwater-vehicle", {"thrusters": True}, {"shaping": "kinetic"}, {"mu": -9.0, "nu": 0.7}),
    ("underwater-vehicle", {"thrusters": True, "position": True}, {"shaping": "kinetic"}, {"mu": 4, "nu": 1}),
    ("magnetic-satellite", {"field": "none"}, {"shaping": "kinetic"}, {"kappa": 49.5}),
    ("magnetic-satellite", {"field": "none"}, {"shaping": "both"}, {"kappa": -3.4, "K": 1e-4}),
    ("furuta-pendulum", {}, {"shaping": "kinetic"}, {"Delta": -0.002}),
    ("furuta-pendulum", {}, {"shaping": "both"}, {"delta": 0.001, "m22": -0.01, "K": -0.1}),
    ("furuta-pendulum", {}, {"shaping": "both", "direction": [-3]}, {"m22": 5e-5, "K": 0.02}),
    ("ball-and-beam", {}, {"shaping": "both"}, {"p": 1.3, "m22": 9.0, "K": 0.4}),
    ("acrobot", {}, {"shaping": "both"}, {"b": -2.4, "m22": 3.0, "K": 40.0}),
    ("roller-racer", {}, {"shaping": "both"}, {"Delta": 0.6, "K": 1.7}),
    ("snakeboard", {}, {"shaping": "both"}, {"kappa": 0.8, "rho": 0.4, "K": 1.3}),
    ("getz-bicycle", {}, {"shaping": "both"}, {"Delta1": 0.4, "Delta2": 0.7, "Delta3": 1.1, "K": 0.9}),
]


@pytest.mark.parametrize(
    ("name", "options", "asked", "gains"), LAWS, ids=lambda e: e if isinstance(e, str) else None
)
def test_laws_of_the_catalogue(name, options, asked, gains):
    matching = gc.match(gc.models.get(name)(**options), **asked)
    assert set(matching.gains) == set(gains)
    law = matching.law(**gains)
    made = law.controlled
    lagrangian, g = made.system, made.system.graph
    known = {*lagrangian.states, *(p.symbol for p in made.parameters)}
    assert all(e.free_symbols <= known for e in law.by_input().values())

    plant = made.plant.mechanism.replace(
        quasicoordinates=made.mechanism.quasicoordinates, parameters=made.parameters, equilibria={}
    ).reduce()
    params = lagrangian.mechanism.generic
    energy = lagrangian.expression(law.energy)
    slopes = lagrangian.program(g.jacobian([energy], lagrangian.state_nodes)[0])
    outputs = lagrangian.program(made.passive_output)
    values, rng = lagrangian.parameters(params), np.random.default_rng(7)
    units = np.eye(len(law.input_labels))
    for _ in range(12):
        x = lagrangian.random_state(rng, params)
        u, at = law(0.0, x, params), lagrangian.arguments_at(0, x, None)
        expected, found = lagrangian.rhs(0, x, params=params), plant.rhs(0, x, u, params=params)
        assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()
        gradient, y = np.array(slopes(at, values)), np.array(outputs(at, values))
        along = np.array([gradient @ (plant.rhs(0, x, u + e, params=params) - found) for e in units])
        scale = np.abs(gradient) @ np.abs(found)
        assert abs(gradient @ found) <= 1e-12 * scale
        if made.damps_all:
            np.testing.assert_allclose(along, y, rtol=1e-8, atol=1e-11 * scale)


def test_the_list_holds_every_actuated_mechanism_of_the_catalogue():
    """A new mechanism that is matched has its law here."""
    matched = set()
    for name in gc.models.names("reduced"):
        mechanism = gc.models.get(name)()
        if isinstance(mechanism, gc.EulerPoincare):
            try:
                gc.match(mechanism, shaping="kinetic")
            except gc.errors.MatchingError:
                continue
            matched.add(name)
    assert matched <= {name for name, *_ in LAWS}
    assert len(matched) > 8
