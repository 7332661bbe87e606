"""States on levels of conserved functions: against closed forms, within constraints, and refusals."""

import numpy as np
import pytest

import geoctrl as gc
from geoctrl.errors import ConstraintError, InputError, LabelError


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


def test_the_skate_leans_on_the_levels_of_sliding(skate):
    """C1, C2 of [GO], linear in v2 and v3: the roll rate stays as given."""
    eq = skate.equilibrium("sliding", Y0=1.0)
    at_rest = skate.invariants(eq.x)
    x = skate.state(Gamma=(0, 0.6, 0.8), v1=0.3)
    found = skate.on_levels(x, {k: at_rest[k] for k in ("C1", "C2")})
    assert found[[0, 3, 4]] == pytest.approx([0.3, 0.6, 0.8], abs=1e-14)
    now = skate.invariants(found)
    assert [now["C1"], now["C2"]] == pytest.approx([at_rest["C1"], at_rest["C2"]], abs=1e-13)


def test_the_skate_lies_almost_on_the_ice(skate):
    """The level of C1 hardly depends on velocities there."""
    eq = skate.equilibrium("sliding", Y0=1.0)
    at_rest = {k: skate.invariants(eq.x)[k] for k in ("C1", "C2")}
    lean = np.pi / 2 - 1e-9
    found = skate.on_levels([0.0, 0.0, 0.0, np.sin(lean), np.cos(lean)], at_rest)
    assert skate.invariants(found)["C2"] == pytest.approx(at_rest["C2"], rel=1e-12)


def test_the_step_is_the_nearest_one():
    """A free body on a sphere of momenta: along the gradient, which is what is left over of the motion."""
    body = gc.models.get("free-rigid-body")().reduce()
    moments = np.array([body.params[k] for k in ("I1", "I2", "I3")])
    (name,) = [k for k in body.invariants(np.ones(3)) if k != "energy"]
    x = np.array([1.0, -2.0, 0.5])
    value = body.invariants(x)[name] * (1 + 1e-6)
    moved = body.on_levels(x, {name: value}) - x
    gradient = moments**2 * x
    assert np.cross(moved, gradient) == pytest.approx(np.zeros(3), abs=1e-11)
    assert body.invariants(x + moved)[name] == pytest.approx(value, rel=1e-14)


def test_two_levels_at_once_far_away():
    body = gc.models.get("free-rigid-body")().reduce()
    at = body.invariants(np.array([0.1, 3.0, -1.0]))
    found = body.on_levels(np.array([1.0, 1.0, 1.0]), at)
    assert body.invariants(found) == pytest.approx(at, rel=1e-12)


def test_rows_that_multipliers_hold_are_kept():
    """Rolling without a frame that solves the rows: velocities leave neither the rows nor the level."""
    disk = gc.models.get("rolling-disk")().reduce()
    rng = np.random.default_rng(2)
    x = disk.random_state(rng)
    energy = 1.2 * disk.invariants(x)["energy"]
    found = disk.on_levels(x, {"energy": energy})
    assert disk.invariants(found)["energy"] == pytest.approx(energy, rel=1e-12)
    assert np.abs(disk.leaf_residual(found)).max() < 1e-12


def test_parameters_are_those_given(skate):
    params = {"m": 3.0}
    eq = skate.equilibrium("sliding", params, Y0=1.0)
    level = {"C2": skate.invariants(eq.x, params)["C2"]}
    x = skate.on_levels(skate.state(params, Gamma=(0, 0.6, 0.8)), level, params)
    assert skate.invariants(x, params)["C2"] == pytest.approx(level["C2"], abs=1e-12)


@pytest.mark.parametrize(
    ("levels", "error", "words"),
    [
        ({"C3": 1.0}, LabelError, "nothing conserved goes by the name 'C3'; known are energy, C1, C2"),
        ({"C1": "2"}, InputError, "C1"),
        ({"C1": np.nan}, InputError, "C1"),
        ([1.0], InputError, "dict of names and values"),
        ({"energy": -1e9}, ConstraintError, "no velocities near those given have energy"),
    ],
)
def test_what_is_refused(skate, levels, error, words):
    with pytest.raises(error, match=words):
        skate.on_levels(skate.state(Gamma=(0, 0.6, 0.8)), levels)


def test_states_of_another_shape_are_refused(skate):
    with pytest.raises(InputError, match="x"):
        skate.on_levels(np.zeros(3), {"C1": 1.0})


def test_no_levels_change_nothing(skate):
    x = skate.state(Gamma=(0, 0.6, 0.8), v1=0.3)
    assert skate.on_levels(x, {}) == pytest.approx(x, abs=0)
