"""Arrays of parameters, one number a member, beside states (n, N): as single calls, for every function."""

from __future__ import annotations

import numpy as np
import pytest

import geoctrl as gc

N = 7


def functions(system):
    """What takes arrays of parameters, by name."""
    return {
        "rhs": lambda x, p: system.rhs(0.3, x, None, p),
        "jacobian": lambda x, p: np.moveaxis(system.jacobian(0.3, x, None, p), 0, -1),
        "input_jacobian": lambda x, p: np.moveaxis(system.input_jacobian(0.3, x, None, p), 0, -1),
        "energy": lambda x, p: np.array([system.energy(x, p)]),
        "invariants": lambda x, p: np.array(list(system.invariants(x, p).values())),
        "leaf_residual": lambda x, p: system.leaf_residual(x, p),
        "outputs": lambda x, p: system.outputs(0.3, x, None, p),
        "velocity": lambda x, p: system.velocity(x, p),
    }


def single(name, function, x, params):
    found = function(x, params)
    return np.moveaxis(found, -1, 0) if name.endswith("jacobian") else found


def one_pendulum():
    """On a sphere, with a parameter."""
    weight = gc.Parameter("weight", 2.0, positive=True)
    q, _ = gc.spheres.symbols(1)
    return gc.spheres.SphereSystem(mass=[2.0], potential=weight.symbol * q[0][2], parameters=[weight])


def members(system, rng, count=N):
    params = {k: v * rng.uniform(0.8, 1.25, count) for k, v in system.params.items()}
    return rng.normal(size=(system.nstates, count)), params


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


@pytest.fixture(scope="module", params=["skate", "vehicle", "loop", "pendulum"])
def system(request, skate):
    if request.param == "skate":
        return skate
    if request.param == "vehicle":
        return gc.models.get("underwater-vehicle")().reduce()
    if request.param == "pendulum":
        return gc.models.get("double-planar-pendulum")().reduce()
    return gc.match(gc.models.get("pendulum-skate-rotor")(set="7.3")).law(sigma=-1e-5).closed_loop()


def test_every_function_equals_its_single_calls(system):
    x, params = members(system, np.random.default_rng(3))
    for name, function in functions(system).items():
        together = function(x, params)
        for k in range(N):
            alone = single(name, function, x[:, k], {p: float(v[k]) for p, v in params.items()})
            np.testing.assert_allclose(together[..., k], alone, rtol=1e-14, atol=1e-14, err_msg=name)


def test_numbers_beside_arrays_and_one_state_for_all(skate):
    x, params = members(skate, np.random.default_rng(4))
    mixed = {"m": params["m"].tolist(), "l": 0.7}
    found = skate.rhs(0.0, x[:, :1], None, mixed)
    assert found.shape == (skate.nstates, N)
    for k in range(N):
        assert np.array_equal(found[:, k], skate.rhs(0.0, x[:, 0], None, {"m": params["m"][k], "l": 0.7}))
    with pytest.raises(gc.ParameterError, match="beside one state"):
        skate.rhs(0.0, x[:, 0], None, mixed)


def test_many_members_are_computed_in_parts(skate):
    x, params = members(skate, np.random.default_rng(5), 20_001)
    found = skate.rhs(0.0, x, None, params)
    for k in (0, 8191, 8192, 20_000):
        assert np.array_equal(
            found[:, k], skate.rhs(0.0, x[:, k], None, {p: v[k] for p, v in params.items()})
        )


def test_members_that_are_refused_alone_are_nan_and_leave_the_others():
    vehicle = gc.models.get("underwater-vehicle")().reduce()
    x, params = members(vehicle, np.random.default_rng(6))
    good = vehicle.rhs(0.0, x, None, params)
    name = next(k for k in params if k in vehicle.mechanism.positive)
    inertia = next(k for k in params if k not in vehicle.mechanism.positive or k.startswith("I"))
    params[name][1], params[name][2], params[inertia][3] = -1.0, np.nan, np.inf
    bad = vehicle.rhs(0.0, x, None, params)
    assert np.isnan(bad[:, 1:4]).any(axis=0).all()
    others = [0, 4, 5, 6]
    assert np.array_equal(bad[:, others], good[:, others])


def test_an_indefinite_inertia_is_nan_where_a_single_call_refuses():
    suslov = gc.models.get("suslov")().reduce()
    x = np.random.default_rng(7).normal(size=(suslov.nstates, 3))
    name = next(
        k
        for k in suslov.params
        if k not in suslov.mechanism.positive and _refuses(suslov, x[:, 0], {k: 100.0})
    )
    found = suslov.energy(x, {name: [0.0, 100.0, 0.1]})
    assert np.isnan(found[1])
    assert np.isfinite(found[[0, 2]]).all()


def _refuses(system, x, params):
    try:
        system.energy(x, params)
    except gc.DescriptionError:
        return True
    return False


def test_invariants_are_those_that_all_members_keep():
    top = gc.models.get("heavy-top")().reduce()
    x = np.random.default_rng(8).normal(size=(top.nstates, 3))
    alike, apart = (
        {"I1": [1.0, 2.0, 3.0], "I2": [1.0, 2.0, 3.0]},
        {"I1": [1.0, 2.0, 3.0], "I2": [1.0, 2.0, 3.5]},
    )
    assert set(top.invariants(x, apart)) == set(top.conserved({"I1": 1.0, "I2": 1.7}))
    assert set(top.invariants(x, alike)) == set(top.conserved({"I1": 1.3, "I2": 1.3}))


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"m": [1.0, 2.0], "l": [1.0] * 3}, gc.InputError, "2 of parameter 'm', 3 of parameter 'l'"),
        ({"m": [1.0, 2.0]}, gc.InputError, "2 of parameter 'm', 7 of x"),
        ({"mass": [1.0] * N}, gc.ParameterError, "unknown parameter 'mass'"),
        ({"m": np.ones((N, 2))}, gc.ParameterError, "one number a member"),
        ({"m": ["heavy"] * N}, gc.ParameterError, "parameter 'm'"),
        ({"m": [1.0] * N, "l": -1.0}, gc.ParameterError, "must be positive"),
    ],
)
def test_bad_arrays_are_refused_in_words(skate, params, error, words):
    x = np.zeros((skate.nstates, N))
    for function in functions(skate).values():
        with pytest.raises(error, match=words):
            function(x, params)


def test_states_times_and_inputs_of_other_numbers_are_refused():
    cart = gc.models.get("cart-pendulum")().reduce()
    with pytest.raises(gc.InputError, match="as many"):
        cart.rhs(0.0, np.zeros((cart.nstates, 5)), np.zeros((1, 4)))
    with pytest.raises(gc.InputError, match="as many"):
        cart.rhs(np.zeros(3), np.zeros((cart.nstates, 5)))


def test_kinds_that_take_one_set_of_parameters_say_so():
    pendula = one_pendulum()
    name = next(iter(pendula.params))
    for function in (pendula.rhs, pendula.outputs):
        with pytest.raises(gc.ParameterError, match="one set of parameters"):
            function(0.0, np.zeros((pendula.size, 3)), None, {name: [1.0, 2.0, 3.0]})
    for function in (pendula.energy, pendula.leaf_residual):
        with pytest.raises(gc.ParameterError, match="one set of parameters"):
            function(np.zeros((pendula.size, 3)), {name: [1.0, 2.0, 3.0]})
