"""A held run takes the integrator's own steps: bit by bit those of a run that asks it for each time."""

import numpy as np
import pytest

import geoctrl as gc
from geoctrl.simulation.heyoka_stepper import HeyokaStepper

GRIDS = {
    "on the samples": np.linspace(0, 2, 201),
    "before zero": np.linspace(-3, -1, 137),
    "across zero": np.array([-0.013, 0.0, 1e-9, 0.01, 0.3, 1.77]),
    "far from zero": np.linspace(1e3, 1002, 97),
    "two times": np.array([0.1, 2.0]),
}
CONTROLLERS = {
    "plain": {"rate": 100},
    "no double": {"rate": 73.7, "lag": 0.01, "delay": 0.031, "limits": {"u_theta": 8}},
    "many steps a hold": {"rate": 0.7},
    "short": {"rate": 1013.3, "delay": 0.0023},
}


@pytest.fixture(scope="module")
def skate():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    start = plant.project([0.1, 0.1 * np.tan(0.1), 0.1, 1, 0, 0], {"Gamma": (0, np.sin(0.1), np.cos(0.1))})
    return plant, gc.match(mechanism).law(sigma=-5e-6).with_damping(k=8, kappa=1), start


def asked(self, t):
    """`HeyokaStepper.advance` by a request for a time, without steps of one's own."""
    outcome, _, _, steps, *_ = self._propagate(t, max_steps=1000)
    x = self._read()
    if outcome != self._reached or steps > 100 or not np.isfinite(x).all():
        x = self._looked_at(outcome, steps)
    self._at = t, x
    return x


@pytest.mark.parametrize("options", CONTROLLERS.values(), ids=CONTROLLERS)
@pytest.mark.parametrize("times", GRIDS.values(), ids=GRIDS)
def test_bit_by_bit(skate, times, options, monkeypatch):
    plant, law, start = skate
    lean = plant.states[plant.state_labels.index("Gamma2")]
    events = {"passed": gc.Event(lean - 0.05), "fallen": gc.Event(lean + 0.3, terminal=True)}

    def run():
        controller = law.sampled(**options)
        return gc.simulate(plant, times, start, controller=controller, events=events, throw=False)

    stepped = run()
    monkeypatch.setattr(HeyokaStepper, "advance", asked)
    reference = run()
    assert stepped.status == reference.status
    assert stepped.time.tobytes() == reference.time.tobytes()
    assert stepped.states.tobytes() == reference.states.tobytes()
    assert stepped.samples.applied.tobytes() == reference.samples.applied.tobytes()
    assert stepped.events["passed"].time.tobytes() == reference.events["passed"].time.tobytes()
    assert len(stepped.events["passed"].time) > 0


def test_steps_are_those_of_the_integrator(skate, monkeypatch):
    """Negative control: another time that is left, by an ulp, is seen by the comparison above."""
    plant, law, start = skate
    times = np.linspace(0, 0.5, 51)
    exact = gc.simulate(plant, times, start, controller=law.sampled(100))
    original = HeyokaStepper.__init__

    def shifted(self, flow):
        original(self, flow)
        step = self._step
        self._step = lambda left: step(left * (1 - 1e-15))

    monkeypatch.setattr(HeyokaStepper, "__init__", shifted)
    other = gc.simulate(plant, times, start, controller=law.sampled(100))
    assert exact.states.tobytes() != other.states.tobytes()
    assert np.abs(exact.states - other.states).max() < 1e-9


def test_an_event_within_a_long_hold(skate):
    """A hold of 1.4 s is many steps; where the event is does not depend on the samples asked for."""
    plant, law, start = skate
    lean = plant.states[plant.state_labels.index("Gamma2")]
    found = []
    for times in ([0.0, 1.2], np.linspace(0, 1.2, 121)):
        event = gc.Event(lean - 0.05)
        run = gc.simulate(
            plant, times, start, controller=law.sampled(0.7), events={"passed": event}, throw=False
        )
        found.append(run.events["passed"])
    assert len(found[0].time) == len(found[1].time) > 0
    assert np.abs(found[0].time - found[1].time).max() < 1e-12
    assert np.abs(found[0].states[4] - 0.05).max() < 1e-13
