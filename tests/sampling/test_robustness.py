"""What a damped skate tolerates: against numbers of another program, and the edge of its linear loop."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl._calls import long_calls
from geoctrl.sampling import Feedback, SampledController
from geoctrl.trials import tolerance_search


@pytest.fixture(scope="module")
def cart():
    """m v' = u with u = -3 v, m = 2: held it is 1 - 1.5 h, which is good up to h = 4/3."""
    u, v = sp.symbols("u v", real=True)
    plant = gc.EulerPoincare(
        algebra=gc.rn(1).relabelled(["v"], ["p"]), inertia=[[2.0]], inputs=[u], forces=[u]
    ).reduce()
    return plant, SampledController(Feedback({"u": -3 * v}), rate=50.0)


def report(cart, checks, **more):
    plant, law = cart
    options = {"stays": {"v": 1.0 + 1e-9}, "returns": {"v": 0.99}} | more
    return gc.robustness(plant, law, [1.0], np.linspace(0, 20, 201), checks=checks, **options)


def test_the_hold_of_a_cart(cart):
    """|1 - 1.5 h| < 1: from 4/3 s on it grows, and leaves where it began."""
    row = report(cart, ["hold"])["hold"]
    assert row.tolerated < 4 / 3 < row.broke * 1.01
    assert row.tolerated == pytest.approx(4 / 3, rel=5e-3)
    assert "leaves" in row.criterion or "return" in row.criterion


@pytest.mark.long(reason="any executor makes the same report beside it")
def test_seeds_make_a_report_again(cart):
    first, again, other = (report(cart, ["noise"], rng=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.rows[0].tolerated != other.rows[0].tolerated
    assert first.seed == 1


def test_a_good_value_is_good_and_the_next_is_not(cart):
    plant, law = cart
    row = report(cart, ["delay"])["delay"]
    assert row.broke / row.tolerated < 1.001
    for delay, good in ((row.tolerated, True), (row.broke, False)):
        late = SampledController(law.feedback, rate=50.0, delay=delay)
        v = gc.simulate(plant, np.linspace(0, 20, 201), [1.0], controller=late)["v"]
        assert bool(np.abs(v).max() <= 1 + 1e-9 and np.abs(v[-20:]).max() <= 0.99) is good


def test_bad_questions(cart):
    with pytest.raises(gc.InputError, match="unknown check"):
        report(cart, ["holds"])
    with pytest.raises(gc.LabelError, match="no state 'w'"):
        report(cart, ["hold"], stays={"w": 1})
    with pytest.raises(gc.InputError, match="positive number or"):
        report(cart, ["hold"], stays={"v": -1})
    with pytest.raises(gc.LabelError, match="no parameter"):
        report(cart, ["corners"], uncertain=["mass"])
    with pytest.raises(gc.InputError, match="even without any imperfection"):
        report(cart, ["hold"], stays={"v": 0.5})
    with pytest.raises(gc.InputError, match="seed"):
        report(cart, ["noise"], rng=-1)
    with pytest.raises(TypeError, match="law must be a law"):
        gc.robustness(cart[0], 3, [1.0], [0, 1])


@pytest.mark.long(reason="six hundred runs; other reports have closed forms")
def test_the_damped_skate():
    """hold .348 s, delay .150 s, limit 3.33 N m; 32 corners of 10 % and more."""
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    gamma = 1 / (1 - 5e-6 * 2.27 / 0.005**2)
    law = gc.match(mechanism).law(sigma=-5e-6).with_damping(k=8 / (gamma - 1), kappa=1)
    start = plant.project([0.1, 0.1 * np.tan(0.1), 0.1, 1, 0, 0], {"Gamma": (0, np.sin(0.1), np.cos(0.1))})
    found = gc.robustness(
        plant,
        law.sampled(rate=50),  # some 600 runs: half the holds, far from the one that is found
        start,
        np.linspace(0, 20, 401),
        checks=["hold", "delay", "limit", "corners"],
        stays={"Gamma2": np.sin(1.2)},
        returns={"Gamma2": 0.1},
        uncertain=["m", "l", "I1", "I2", "J1"],
    )
    assert found["hold"].tolerated == pytest.approx(0.348, rel=0.1)
    assert found["delay"].tolerated == pytest.approx(0.150, rel=0.1)
    assert found["limit"].tolerated == pytest.approx(3.33, rel=0.1)
    assert found["corners"].tolerated > 0.1
    assert len(found.to_pandas()) == 4


def test_friction_helps_a_cart(cart):
    """2 v' = u - c v with u = -3 v held: e^(-ch/2) - (3/c)(1 - e^(-ch/2)) is above -1 for all c."""
    plant, _ = cart
    slow = SampledController(Feedback({"u": -3 * sp.Symbol("v", real=True)}), rate=1 / 1.25)
    row = report((plant, slow), ["friction"], returns=None, stays={"v": 1.0 + 1e-9})["friction"]
    assert row.tolerated == pytest.approx(100.0)  # the last that is tried
    assert row.broke is None
    with pytest.raises(gc.LabelError, match="no velocity 'w'"):
        report(cart, ["friction"], rubbing=["w"])


def test_friction_is_that_of_the_equations(cart):
    """A cart without a law of its own comes to v e^(-c t/m): what it leaves is found by hand."""
    plant, _ = cart
    idle = SampledController(Feedback({"u": sp.Float(0) * sp.Symbol("v", real=True)}), rate=50.0)
    times = np.linspace(0, 20, 201)
    row = gc.robustness(plant, idle, [1.0], times, checks=["friction"], stays={"v": (0.5, 1.1)})["friction"]
    assert row.tolerated == pytest.approx(2 * np.log(2) / 20, rel=1e-3)  # m ln 2 / T
    assert "leaves" in row.criterion


@pytest.mark.long(reason="the friction of a cart is that of its motor beside it")
def test_the_tilt_of_a_skate_is_that_of_its_motor():
    """No law lifts it from sin(phi) = u_max/(m g l); this one comes to within two percent of it."""
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    law = gc.match(mechanism).law(sigma=-6.3e-6).with_damping(k=8.8).sampled(limits={"u_theta": 8})
    upright = plant.equilibrium("sliding", Y0=1.0)
    row = gc.robustness(plant, law, upright, np.linspace(0, 20, 101), checks=["tilt"])["tilt"]
    assert np.sin(row.tolerated) == pytest.approx(8 / (3 * 9.8 * 0.8), rel=0.02)


def test_without_a_criterion_the_configuration_has_to_come_back():
    """A skate that keeps its upper half but leans is no good: 5 s are too short to fall to the ice."""
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    law = gc.match(mechanism).law(sigma=-5e-6).with_damping(k=8)
    start = plant.state(v3=1.0, Gamma2=0.1)
    row = gc.robustness(plant, law, start, np.linspace(0, 5, 101), checks=["hold"])["hold"]
    assert row.tolerated < 1.0
    assert "return" in row.criterion or "domain" in row.criterion


def test_friction_of_a_motor_slows_its_rotor():
    """J (omega + theta_dot)' = -c theta_dot, I omega' = c theta_dot: it decays at c (1/I + 1/J)."""
    body, J = 3.0, 0.5
    mechanism = gc.EulerPoincare(
        algebra=gc.so2(), inertia=[[body + J]], rotors=gc.Rotors(coupling=[[J]], inertia=[[J]])
    )
    plant = mechanism.reduce()
    rate = plant.state_labels[1]
    idle = SampledController(Feedback({plant.input_labels[0]: 0.0 * sp.Symbol(rate, real=True)}), rate=50.0)
    row = gc.robustness(
        plant,
        idle,
        plant.state(**{rate: 1.0}),
        np.linspace(0, 20, 201),
        ["motor friction"],
        stays={rate: (0.5, 1.1)},
    )["motor friction"]
    assert row.tolerated == pytest.approx(np.log(2) / (20 * (1 / body + 1 / J)), rel=1e-3)


def test_friction_of_a_cart_is_that_of_its_motor(cart):
    one, other = report(cart, ["friction", "motor friction"]).rows
    assert (one.tolerated, one.broke) == (other.tolerated, other.broke)


def test_a_plant_that_nothing_drives_has_no_motor(cart):
    plant = gc.EulerPoincare(algebra=gc.rn(1).relabelled(["v"], ["p"]), inertia=[[2.0]]).reduce()
    idle = SampledController(Feedback({}), rate=50.0)
    with pytest.raises(gc.GeoctrlError, match="input"):
        gc.robustness(plant, idle, [1.0], np.linspace(0, 1, 11), checks=["motor friction"])


def test_what_was_done_before_an_interruption_is_kept(cart, monkeypatch):
    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setitem(tolerance_search.CHECKS, "limit", pressed)
    told = []
    with pytest.warns(RuntimeWarning, match="2 of 4 checks"):
        found = report(cart, ["hold", "delay", "limit", "noise"], progress=told.append)
    assert found.missing == ("limit", "noise")
    assert found.rows == report(cart, ["hold", "delay"]).rows
    assert "interrupted before limit, noise" in repr(found)
    assert told[-1] < 1


def test_progress_moves_with_each_trial(cart, monkeypatch):
    told = []
    monkeypatch.setattr(long_calls, "_OFTEN", 0.0)
    row = report(cart, ["hold", "delay"], progress=told.append).rows[0]
    assert len([part for part in told if part < 0.5]) >= row.runs - 2
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_tilt_and_friction_need_a_plant_that_has_them(cart):
    with pytest.raises(gc.InputError, match="0 directions"):
        report(cart, ["tilt"])


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_makes_the_same_report(cart, pool):
    told = []
    with pool(2) as executor:
        found = report(cart, ["hold", "delay"], executor=executor, progress=told.append)
    assert found == report(cart, ["hold", "delay"])
    assert told[-1] == 1.0


def test_a_report_is_drawn(cart):
    pytest.importorskip("matplotlib").use("Agg")
    found = report(cart, ["hold", "friction"])
    ax = found.plot(title="A cart")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["hold", "friction"]
    easy, hard = np.log(found["hold"].tried)
    full = np.log(found["hold"].tolerated / np.exp(easy)) / (hard - easy)
    assert ax.patches[1].get_width() == pytest.approx(full)
    assert ax.get_title() == "A cart"
    with pytest.raises(TypeError, match="report of robustness"):
        gc.viz.robustness(3)
    with pytest.raises(gc.InputError, match="this one has none"):
        gc.viz.robustness(report(cart, []))


def test_reports_are_the_same_in_other_units():
    """m x'' = u, u = -k x - c x': limits and friction go over as numbers, noise of two units counts sizes."""
    m, x = gc.Parameter("m", 2.0, "kg"), gc.Coordinate("x", unit="m")
    cart = gc.EulerPoincare(
        shape=[x], inertia=[[m.symbol]], inputs=["u"], forces=[sp.Symbol("u", real=True)], parameters=[m]
    )
    moved, change = cart.in_units(mass=1000, length=1000, time=60)

    def told(mechanism, number):
        k, c, time = number(3.0, "N/m"), number(2.0, "N s/m"), number(1.0, "s")
        law = Feedback({"u": -k * x.symbol - c * x.rate})
        return gc.robustness(
            mechanism.reduce(),
            SampledController(law, rate=20 / time),
            [0.0, number(0.5, "m")],
            np.linspace(0, 8 * time, 81),
            checks=["limit", "noise", "friction"],
            returns={"x": number(0.05, "m")},
        )

    first, second = told(cart, lambda v, _: v), told(moved, change.value)
    units = {"limit": "N", "noise": "1", "friction": "N s/m"}
    for one, other in zip(first.rows, second.rows, strict=True):
        assert other.tolerated == pytest.approx(change.value(one.tolerated, units[one.check]), rel=1e-6)
        assert other.runs == one.runs
    assert first["noise"].unit == "standard deviation of every signal, in the size of each"
    assert first["friction"].unit == "viscous, of each velocity of the body"


def test_criteria_and_limits_are_told_in_the_units_of_the_description():
    small, change = gc.models.get("cart-pendulum")().in_units(length=1000, mass=1000)  # mm, g
    plant = small.reduce()
    law = gc.lqr(plant, plant.equilibrium("upright"), Q={"x_dot": 1e-6, "phi": 1.0}, R={"u": 1e-12})
    start, times = change.state([0.0, 0.0, 0.1]), np.linspace(0, 2, 21)
    stays = {"phi": 0.2, "x_dot": 5000.0}
    row = gc.robustness(plant, law.sampled(rate=50), start, times, checks=["limit"], stays=stays)["limit"]
    assert row.unit == "uN"
    assert row.criterion.endswith(("] rad", "] mm/s"))
