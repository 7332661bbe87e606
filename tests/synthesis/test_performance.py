"""Frequencies, inputs and domain of laws against closed forms and runs; gains that damping calms."""

import numpy as np
import pytest

import geoctrl as gc
from geoctrl.errors import EquilibriumError, InputError, MatchingError
from geoctrl.synthesis.gains import gain_search
from geoctrl.synthesis.gains.gain_search import DampedModes
from geoctrl.synthesis.shaping.performance import largest_inputs, rates

pytestmark = pytest.mark.filterwarnings("ignore:.*these gains hold no family")

POSITION = {"kappa": 20, "rho": -0.02, "K": -0.6}


@pytest.fixture(scope="module")
def cart():
    return gc.match(gc.models.get("cart-pendulum")(), shaping="both")


@pytest.fixture(scope="module")
def furuta():
    return gc.match(gc.models.get("furuta-pendulum")(), shaping="both")


@pytest.fixture(scope="module")
def furuta_design(furuta):
    """One for all tests: it keeps the linear loops of the gains that a search has drawn."""
    return furuta.design("upright")


def test_largest_input_of_an_oscillator():
    """u = a x + b x' with x = cos(w t): its crest is (a^2 + b^2 w^2)^(1/2)."""
    w, a, b = 3.0, 0.7, -0.4
    A, C = np.array([[0, 1], [-(w**2), 0]]), np.array([[a, b]])
    found, span = largest_inputs(A, C, np.array([[1.0], [0.0]]))
    assert found[0, 0] == pytest.approx(np.hypot(a, b * w), rel=5e-3)
    assert span == pytest.approx(20 * 2 * np.pi / w, rel=0.01)
    assert rates(A) == (pytest.approx(w), 0.0)


def test_largest_input_of_a_decay_is_at_its_start_and_of_growth_infinite():
    A, C, one = np.diag([-2.0, -0.1]), np.array([[1.0, 3.0]]), np.eye(2)
    assert largest_inputs(A, C, one)[0].tolist() == [[1.0, 3.0]]
    assert rates(A) == (2.0, pytest.approx(0.1))
    assert np.isinf(largest_inputs(-A, C, one)[0]).all()
    assert rates(-A)[1] == -2.0


def test_an_input_between_modes_is_seen():
    """1.5 (exp(-t) - exp(-2 t)) from rest has its crest ln 2 after the start, not at it."""
    A, C = np.array([[-1.0, 0.0], [0.0, -2.0]]), np.array([[1.5, -1.5]])
    found, _ = largest_inputs(A, C, np.array([[1.0], [1.0]]))
    assert found[0, 0] == pytest.approx(1.5 / 4, rel=1e-2)


def test_the_cart_tells_its_edge_and_its_frequencies(cart):
    law = cart.law(**POSITION)
    told = law.performance(law.loop.equilibrium("upright"))
    v = law.loop.params
    edge = np.arccos(np.sqrt((v["M"] + v["m"]) / (21 * v["m"])))
    assert told.domain == {"phi": (pytest.approx(-edge, abs=2e-3), pytest.approx(edge, abs=2e-3))}
    values = gc.linearize(law.loop, law.loop.equilibrium("upright")).eigenvalues
    assert told.frequency == pytest.approx(np.abs(values).max())
    assert told.decay == 0.0
    assert "regular for" in repr(told)
    assert "largest u from" in repr(told)


def test_the_largest_input_is_that_of_a_run(cart):
    """A thousandth is far inside the linear range: the run's largest force is that times the effort."""
    law = cart.law(**cart.design("upright").recommend(frequencies=(1.5, 4.0))).with_damping(k=0.7)
    loop = law.closed_loop()
    told = law.performance(loop.equilibrium("upright"))
    for state in ("phi", "z", "phi_dot", "x_dot"):
        run = gc.simulate(loop, np.linspace(0, 30, 6001), loop.state(**{state: 1e-3}))
        assert np.abs(run.outputs).max() == pytest.approx(1e-3 * told.effort["u"][state], rel=1e-2)


def test_gradient_of_the_law(cart):
    law = cart.law(**POSITION).with_damping(k=0.5, integral=0.01)
    x = law.loop.random_state(np.random.default_rng(3))
    step = 1e-6
    by_steps = [(law(0, x + step * e) - law(0, x - step * e)) / (2 * step) for e in np.eye(len(x))]
    np.testing.assert_allclose(law.gradient(x), np.transpose(by_steps), rtol=1e-6, atol=1e-7)
    with pytest.raises(InputError, match="shape"):
        law.gradient(x[:-1])


def test_what_falls_needs_inputs_without_bound(cart):
    law = cart.law(kappa=20, rho=0.02, K=-0.6)
    told = law.performance(law.loop.equilibrium("upright"))
    assert told.decay < -1
    assert np.isinf(list(told.effort["u"].values())).all()
    with pytest.raises(EquilibriumError):
        law.performance(law.loop.state(phi=0.1))


def test_directions_without_an_end_are_left_out():
    wheel = gc.match(gc.models.get("inertia-wheel-pendulum")(), shaping="both")
    law = wheel.law(kappa=60, rho=-0.03, K=-0.001)
    assert law.performance(law.loop.equilibrium("upright")).domain == {}


@pytest.mark.long(reason="the cart tells its edge and its frequencies beside it")
def test_a_puck_reaches_as_far_in_either_direction():
    law = gc.match(gc.models.get("spherical-pendulum-on-puck")(), shaping="both").law(**POSITION)
    told = law.performance(law.loop.equilibrium("upright"))
    assert set(told.domain) == {"s1", "s2"}
    assert told.domain["s1"] == pytest.approx(told.domain["s2"])
    assert told.effort["u1"]["s2"] == pytest.approx(0, abs=1e-9)


# -- gains by what damping makes of them ---------------------------------------------------------


@pytest.mark.long(reason="a second search; gains under limits are searched below")
def test_recommended_gains_of_furuta_are_calmed_by_damping(furuta, furuta_design):
    """Drawn gains decay at 0.007 1/s with their best damping, where the plant falls at 9.8 1/s."""
    design = furuta_design
    gains = design.recommend()
    assert design.contains(**gains)
    falls = 9.7758735
    damped = furuta.law(**gains).with_damping(k=design.best_damping(**gains))
    told = damped.performance(damped.loop.equilibrium("upright"))
    assert told.decay > falls / 3
    assert told.frequency < 3 * falls
    poor = {"delta": 0.0025242666272500516, "m22": -8.413661705049712, "K": -438.8703995051718}
    assert design.contains(**poor)
    calmed = furuta.law(**poor).with_damping(k=design.best_damping(**poor))
    assert 0 < calmed.performance(calmed.loop.equilibrium("upright")).decay < 0.01


@pytest.mark.long(reason="gains within limits from a start are searched for the cart and for a motor")
def test_limits_are_kept_from_their_start(furuta, furuta_design, monkeypatch):
    """The whole search under the limit; searches that do not keep it need not be whole."""
    design = furuta_design
    start, limit = {"phi": 0.02}, 0.02
    gains = design.recommend(limits={"u": limit}, start=start)
    for name, count in (("_STARTS", 1), ("_STEPS", 30)):
        monkeypatch.setattr(gain_search, name, count)
    free = design.recommend()
    largest = []
    for chosen in (gains, free):
        loop = furuta.law(**chosen).with_damping(k=design.best_damping(**chosen)).closed_loop()
        run = gc.simulate(loop, np.linspace(0, 20, 8001), loop.state(**start))
        largest.append(np.abs(run.outputs).max())
    assert largest[0] < 1.02 * limit < largest[1]
    with pytest.raises(MatchingError, match="times its limit"):
        design.recommend(limits={"u": 1e-5}, start=start)


def test_limits_on_frequencies(cart):
    design = cart.design("upright")
    asked = {"limits": {"u": 1e-3}, "start": {"phi": 0.1}}
    with pytest.raises(MatchingError, match="with these frequencies an input is"):
        design.recommend(frequencies=(1.5, 4.0), **asked)
    wide = {"limits": {"u": 1e3}, "start": {"phi": 0.1}}
    assert design.recommend(frequencies=(1.5, 4.0), **wide) == design.recommend(frequencies=(1.5, 4.0))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"limits": {"u": 1.0}}, "give both"),
        ({"start": {"phi": 0.1}}, "give both"),
        ({"limits": {}, "start": {"phi": 0.1}}, "give both"),
        ({"limits": 8.0, "start": {"phi": 0.1}}, "give both"),
        ({"limits": {"v": 1.0}, "start": {"phi": 0.1}}, "no input 'v'"),
        ({"limits": {"u": 1.0}, "start": {"psi": 0.1}}, "no state 'psi'.*phi"),
        ({"limits": {"u": -1.0}, "start": {"phi": 0.1}}, "positive"),
        ({"limits": {"u": "much"}, "start": {"phi": 0.1}}, "limit of u"),
    ],
)
def test_bad_limits(cart, asked, words):
    with pytest.raises(InputError, match=words):
        cart.design("upright").recommend(**asked)


def test_best_damping_is_the_best_of_a_scan(cart):
    gains = cart.design("upright").recommend(frequencies=(1.5, 4.0))
    best = cart.design("upright").best_damping(**gains)

    loop = cart.law(**gains).with_damping(k=1.0).loop
    eq = loop.equilibrium("upright")

    def decay(k):
        return -gc.linearize(loop, eq, {"k": k}).eigenvalues.real.max()

    assert decay(best) > 0.05
    assert all(decay(best) > 0.95 * decay(k) for k in np.geomspace(0.05, 20, 30))
    assert decay(best) > 2 * decay(10 * best)


def test_a_loop_without_damping_costs_more_than_one_with():
    A = np.array([[0, 1, 0, 0], [-4, 0, 0, 0], [0, 0, 0, 1], [0, 0, -9, 0.0]])
    change = -np.diag([0, 1, 0, 1.0])
    parts = {"A": A, "C": np.zeros((1, 4)), "C_change": np.zeros((1, 4))}
    parts |= {"basis": np.eye(4), "coordinates": np.eye(4)}
    damped = DampedModes(change=change, neutral=0, undamped=0, **parts)
    c, decay = damped.best_damping()
    assert c > 0
    assert 2 / 10**0.05 < decay <= 2.01  # strengths are a tenth of a decade apart
    one_alone = DampedModes(change=np.diag([0, 1.0, 0, 0]), neutral=0, undamped=0, **parts)
    assert one_alone.best_damping() == (0.0, 0.0)
    assert damped.cost(3.0, None)[0] < 10 < one_alone.cost(3.0, None)[0]
