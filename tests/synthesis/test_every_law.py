"""What every kind of law does alike, and that it is written once."""

import pickle

import numpy as np
import pytest

import geoctrl as gc
from geoctrl.synthesis.contract.law import Law

ONCE = {
    "__repr__",
    "by_input",
    "compensated",
    "feedback",
    "function",
    "gradient",
    "latex",
    "to_c",
    "warn_once",
}
KINDS = (gc.FeedbackLaw, gc.DampedLaw, gc.ShapedLaw, gc.LinearLaw)


def linear():
    plant = gc.models.get("cart-pendulum")().reduce()
    return gc.lqr(plant, plant.equilibrium("upright"))


def matched():
    return gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-5e-6)


def shaped():
    return gc.match(gc.models.get("cart-pendulum")(), shaping="both").law(kappa=20, rho=-0.02, K=-0.6)


LAWS = {
    "linear": linear,
    "matched": matched,
    "damped": lambda: matched().with_damping(k=2.0),
    "regulated": lambda: matched().with_damping(k=2.0, kappa=0.5),
    "shaped": shaped,
    "shaped and damped": lambda: shaped().with_damping(k=1.5),
    "with an integral": lambda: shaped().with_damping(k=1.5, integral=0.2),
}


@pytest.fixture(scope="module", params=LAWS)
def law(request):
    return LAWS[request.param]()


def state_of(law):
    size = law.bare.nstates + len(law._further_states)
    return np.random.default_rng(7).normal(size=size) / 3


@pytest.mark.parametrize("kind", KINDS)
def test_members_are_those_of_the_base(kind):
    """A kind of law says how it is computed and what loop it closes; DampedLaw leaves warnings to its law."""
    assert issubclass(kind, Law)
    own = {name for cls in kind.__mro__[: kind.__mro__.index(Law)] for name in vars(cls)}
    assert own & ONCE == ({"warn_once"} if kind is gc.DampedLaw else set())


def test_a_law_that_was_called_can_be_pickled(law):
    x = state_of(law)
    before = law(0.0, x)
    law.gradient(x)
    again = pickle.loads(pickle.dumps(law))
    assert np.array_equal(again(0.0, x), before)
    assert repr(again) == repr(law)


def test_gradients_are_those_of_the_values(law):
    x, h = state_of(law), 1e-6
    slopes = np.array([law(0.0, x + h * e) - law(0.0, x - h * e) for e in np.eye(len(x))]).T / (2 * h)
    size = np.abs(slopes).max()
    assert law.gradient(x) == pytest.approx(slopes, abs=1e-7 * size)


def test_the_table_of_inputs_is_the_law(law):
    assert tuple(law.by_input()) == law.input_labels == law.feedback().inputs
    assert law.by_input(list(law.expr)) == dict(zip(law.input_labels, law.expr, strict=True))


def test_a_linear_law_has_the_gradient_that_it_is_named_after():
    law = linear()
    assert np.array_equal(law.gradient(law.equilibrium.x), -law.K)
    assert law.warnings == ()
    with pytest.raises(gc.errors.InputError, match="rate= themselves"):
        law.compensated(50.0, law.equilibrium)
