"""States of many members of a family, and linearisations at all of them: as single calls."""

from __future__ import annotations

import numpy as np
import pytest

import geoctrl as gc

N = 6


def drawn(system, family, rng, count=N):
    params = {k: v * rng.uniform(0.9, 1.1, count) for k, v in system.params.items()}
    return params, {k: rng.uniform(0.5, 1.5, count) for k in system.families[family].names}


def at(arrays, k):
    return {name: float(v[k]) for name, v in arrays.items()}


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


@pytest.fixture(scope="module")
def sliding(skate):
    return skate.members("sliding", Y0=[0.5, 1.0, 2.0])


@pytest.mark.parametrize(
    ("model", "family"),
    [("pendulum-skate", "spinning"), ("underwater-vehicle", "level1"), ("heavy-top", "sleeping")],
)
def test_members_and_linearizations_are_those_of_single_calls(model, family):
    system = gc.models.get(model)().reduce()
    params, symbols = drawn(system, family, np.random.default_rng(2))
    x = system.members(family, params, **symbols)
    many = gc.linearize_many(system, x, params)
    assert many.at_rest.all()
    assert len(many) == N
    for k in range(N):
        eq = system.equilibrium(family, at(params, k), **at(symbols, k))
        one = gc.linearize(system, eq)
        np.testing.assert_allclose(x[:, k], eq.x, rtol=1e-14, atol=1e-14)
        size = np.abs(one.A).max()
        np.testing.assert_allclose(many.A[k], one.A, rtol=0, atol=1e-14 * size)
        np.testing.assert_allclose(many.eigenvalues[k], one.eigenvalues, rtol=0, atol=1e-12 * size)
        assert many.zeros[k] == sum(name != "family" for name in one.zero_modes)


def test_neighbours_change_no_bit(skate):
    params, symbols = drawn(skate, "spinning", np.random.default_rng(3), 5000)
    x = skate.members("spinning", params, **symbols)
    many = gc.linearize_many(skate, x, params)
    some = slice(4000, 4200)
    few = gc.linearize_many(skate, x[:, some], {k: v[some] for k, v in params.items()})
    assert np.array_equal(x[:, some], skate.members("spinning", {k: v[some] for k, v in params.items()},
                                                    **{k: v[some] for k, v in symbols.items()}))  # fmt: skip
    assert np.array_equal(many.A[some], few.A)


def test_what_is_no_member_is_nan(skate):
    found = skate.members("sliding", {"m": [1.0, -1.0, np.nan]}, Y0=[1.0, 1.0, 1.0])
    assert np.isnan(found).all(axis=0).tolist() == [False, True, True]
    vehicle = gc.models.get("underwater-vehicle")().reduce()
    assert vehicle.members("vertical", **dict.fromkeys(vehicle.families["vertical"].names, 1.0)).shape == (
        9,
        1,
    )


def test_states_that_do_not_rest_have_no_eigenvalues(skate, sliding):
    moved = sliding.copy()
    moved[3, 1] += 1e-3
    many = gc.linearize_many(skate, moved)
    assert many.at_rest.tolist() == [True, False, True]
    assert np.isnan(many.eigenvalues).all(axis=1).tolist() == [False, True, False]
    assert np.array_equal(many.eigenvalues[[0, 2]], gc.linearize_many(skate, sliding).eigenvalues[[0, 2]])
    assert "2 at rest" in repr(many)


def test_singular_members_are_nan_and_leave_the_others(skate, sliding):
    bad = sliding.copy()
    bad[:, 1] = np.nan
    many = gc.linearize_many(skate, bad)
    assert np.isnan(many.A[1]).any()
    assert np.isfinite(many.A[[0, 2]]).all()


def test_constant_inputs_hold_members_up():
    acrobot = gc.models.get("acrobot")().reduce()
    eq = gc.find_equilibrium(acrobot, fixed={"tau": 0.5})
    many = gc.linearize_many(acrobot, np.column_stack([eq.x, eq.x]), u=eq.u)
    one = gc.linearize(acrobot, eq)
    np.testing.assert_allclose(many.A[1], one.A, rtol=0, atol=1e-13 * np.abs(one.A).max())
    np.testing.assert_allclose(many.eigenvalues[1], one.eigenvalues, atol=1e-12)
    assert not gc.linearize_many(acrobot, np.column_stack([eq.x, eq.x])).at_rest.any()


def test_no_members_are_none(skate):
    many = gc.linearize_many(skate, np.zeros((skate.nstates, 0)))
    assert many.A.shape == (0, 5, 5)
    assert len(many.eigenvalues) == 0


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda s, x: gc.linearize_many(s, x[:4]), gc.InputError, r"X must have shape \(5, N\)"),
        (lambda s, x: gc.linearize_many(s, x[:, 0]), gc.InputError, r"X must have shape \(5, N\)"),
        (
            lambda s, x: gc.linearize_many(s, x, {"m": [1.0, 2.0]}),
            gc.InputError,
            "2 of parameter 'm', 3 of x",
        ),
        (lambda s, x: gc.linearize_many(s, x, {"M": [1.0] * 3}), gc.ParameterError, "unknown parameter 'M'"),
        (lambda s, x: gc.linearize_many(s, x, u=[1.0]), gc.InputError, "u must have 0 entries"),
        (lambda s, x: gc.linearize_many(s.mechanism, x), TypeError, "mechanism.reduce"),
        (lambda s, x: s.members("slidding", Y0=[1.0]), gc.ParameterError, "sliding"),
        (lambda s, x: s.members("sliding", Y=[1.0]), gc.ParameterError, "no symbol 'Y'"),
        (lambda s, x: s.members("sliding"), gc.ParameterError, "needs a value for Y0"),
        (lambda s, x: s.members("sliding", Y0=np.ones((2, 2))), gc.ParameterError, "one number a member"),
        (lambda s, x: s.members("sliding", {"m": [1.0] * 3}, Y0=[1.0] * 2), gc.InputError, "as many"),
    ],
)
def test_mistakes_are_refused_before_any_work(skate, sliding, call, error, words):
    with pytest.raises(error, match=words):
        call(skate, sliding)
