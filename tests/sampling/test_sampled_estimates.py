"""Sampled loops with an estimate of the vertical: one hold to first order, proofs of the loop that runs."""

import numpy as np
import pytest

import geoctrl as gc
from tests.sampling.test_filter_loop import Spring, damped_skate, held_top

RATE = 100.0
AWAY = np.array([0.3, -0.2, 0.5, 0.4, -0.6, 0.0])
"""Where runs begin: rates of a top, and its vertical."""


def one_hold(mechanism, plant, law, point, filtered, sampled, holds=25, eps=1e-5):
    """How far holds move a state and the estimate to first order: by M, and by runs from two sides."""

    def run(s):
        x = point.x + s * AWAY
        vertical = [i for i, k in enumerate(plant.state_labels) if k.startswith("Gamma")]
        x[vertical] /= np.linalg.norm(x[vertical])
        start = np.array([0.0, -0.2 * s, 1.0]) + np.array([0.3 * s, 0, 0]) * (len(vertical) == 3)
        fed = gc.ComplementaryFilter(mechanism, start=start, **filtered).feed(law)
        controller = fed.sampled(rate=RATE, **sampled)
        run = gc.simulate(plant, np.arange(holds + 1) / RATE, x, controller=controller)
        begun = np.concatenate([x, start / np.linalg.norm(start)])
        return controller, begun, np.concatenate([run.states[:, -1], run.samples.states[:3, -1]])

    (controller, a, b), (_, c, d) = run(eps), run(-eps)
    found, basis = gc.linearize_held(plant, controller, point), gc.linearize(plant, point).basis
    n, p = basis.shape
    places = [found.labels.index(f"Gamma{i} estimated") for i in (1, 2, 3)]
    begun = np.zeros(len(found.labels))
    begun[:p], begun[places] = basis.T @ (a - c)[:n] / (2 * eps), (a - c)[n:] / (2 * eps)
    moved = np.linalg.matrix_power(found.M, holds) @ begun
    before = np.linalg.matrix_power(found.M, holds - 1) @ begun
    return np.concatenate([basis @ moved[:p], before[places]]), (b - d) / (2 * eps)


FILTERS = [{"gain": 2.0}, {"gain": 2.0, "bias_gain": 0.5}, {"gain": 2.0, "position": (0.1, 0.05, -0.2)}]
"""Beside the pivot the force holds accelerations, and with them the torques that act up to the sample."""


LATE = {"delay": 0.015}, {"lag": 0.02, "delay": 0.007}
MORE = pytest.mark.long(reason="filters and delays crossed")


@pytest.mark.parametrize(
    ("filtered", "sampled"),
    [
        (FILTERS[2], LATE[0]),
        *(pytest.param(FILTERS[i], LATE[j], marks=MORE) for i, j in ((0, 0), (0, 1), (1, 0), (1, 1), (2, 1))),
    ],
)
def test_a_hold_to_first_order_is_what_runs_do(filtered, sampled):
    top, plant, law = held_top()
    told, seen = one_hold(top, plant, law, plant.equilibrium("upright"), filtered, sampled)
    assert told == pytest.approx(seen, abs=1e-9)


@pytest.mark.long(reason="a skate; a top stands above")
def test_of_a_skate_as_well():
    mechanism, law = damped_skate()
    plant = mechanism.reduce()
    told, seen = one_hold(mechanism, plant, law, plant.equilibrium("sliding", Y0=1.0), {"gain": 1.0}, {})
    assert told == pytest.approx(seen, rel=1e-8, abs=1e-6)


@pytest.mark.long(reason="four linearisations; runs tell the same above")
def test_short_holds_are_the_loop_in_continuous_time():
    """Rates by logarithms of the multipliers come to its eigenvalues as 1/rate, that of the length beside."""
    top, plant, law = held_top()
    fed = gc.ComplementaryFilter(top, gain=2.0, position=(0.1, 0.05, -0.2)).feed(law)
    loop = fed.closed_loop()
    wanted = np.sort_complex(gc.linearize(loop, loop.equilibrium("upright")).eigenvalues)[:-1]
    away = []
    for rate in (1e3, 1e4):
        found = gc.linearize_held(plant, fed.sampled(rate=rate), plant.equilibrium("upright")).multipliers
        told = np.sort_complex(np.log(found[np.abs(found) > 0.5].astype(complex)) * rate)
        away.append(np.abs(told - wanted).max())
    assert away[1] < 3e-3
    assert away[0] / away[1] == pytest.approx(10, rel=0.02)


ATTRACTS, FAMILY = "PROVED_ASYMPTOTICALLY_STABLE", "PROVED_STABLE"
ONE, OTHER = (1.0, 1.0), (1000.0, 0.25)
UNITS = pytest.mark.long(reason="units and filters crossed")


@pytest.mark.parametrize(
    ("filtered", "sampled", "verdict", "units"),
    [
        (FILTERS[2], LATE[0], ATTRACTS, OTHER),
        (FILTERS[0], {"lag": 0.02}, ATTRACTS, ONE),
        (FILTERS[1], {}, FAMILY, ONE),
        pytest.param(FILTERS[2], LATE[0], ATTRACTS, ONE, marks=UNITS),
        pytest.param(FILTERS[0], {"lag": 0.02}, ATTRACTS, OTHER, marks=UNITS),
        pytest.param(FILTERS[1], {}, FAMILY, OTHER, marks=UNITS),
    ],
)
def test_the_loop_that_runs_is_proved(filtered, sampled, verdict, units, tmp_path):
    mass, time = units
    top, plant, law = held_top(mass, time)
    point, rate = plant.equilibrium("upright"), RATE / time
    own = {k: v if k == "position" else v / time ** (1 + (k == "bias_gain")) for k, v in filtered.items()}
    late = {k: v * time for k, v in sampled.items()}
    fed = gc.ComplementaryFilter(top, **own).feed(law)
    found = gc.certify(plant, point, controller=fed.sampled(rate=rate, **late))
    assert found.verdict.value == verdict
    assert ("family of fixed points" in found.method) == ("bias_gain" in filtered)
    found.to_json(tmp_path / "loop.json")
    assert gc.verify(tmp_path / "loop.json").verdict is found.verdict


def test_a_law_that_pushes_over_is_proved_unstable():
    top, plant, _ = held_top()
    fed = gc.ComplementaryFilter(top, gain=2.0).feed(Spring(-4, 3))
    found = gc.certify(plant, plant.equilibrium("upright"), controller=fed.sampled(rate=RATE))
    assert found.verdict is gc.Verdict.PROVED_UNSTABLE


def test_what_depends_on_the_hold_is_not_asked_of_one():
    top, plant, law = held_top()
    fed = gc.ComplementaryFilter(top, gain=2.0).feed(law)
    found = gc.linearize_held(plant, fed.sampled(rate=RATE), plant.equilibrium("upright"))
    with pytest.raises(gc.InputError, match="depend on the hold: ask"):
        found.largest_hold()
    with pytest.raises(gc.InputError, match=r"closed_loop\(\)"):
        _ = found.roots
    with pytest.raises(gc.InputError, match="states of their own"):
        found.first_order_hold()
    leaning = plant.state(Gamma=(0, 0.6, 0.8))
    with pytest.raises(gc.EquilibriumError):
        gc.certify(plant, leaning, controller=fed.sampled(rate=RATE))
