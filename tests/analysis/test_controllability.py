"""What inputs reach and outputs see on the leaf: ranks, names of what is neutral, Gramians."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg
import sympy as sp

import geoctrl as gc
from geoctrl.analysis.linear.subspaces import EXACT, FLOAT, kernel, pivot_columns


def linear(name, family, options=None, **values):
    system = gc.models.get(name)(**(options or {})).reduce()
    return gc.linearize(system, system.equilibrium(family, **values))


@pytest.fixture(scope="module")
def skate():
    return linear("pendulum-skate-rotor", "sliding", Y0=1.0)


# Ranks of mechanisms: (rank, dimension of the level, neutral, exact).
RANKS = {
    "skate": (("pendulum-skate-rotor", "sliding"), {"Y0": 1.0}, (3, 3, ("C1", "C2"), True)),
    "cart": (("cart-pendulum", "upright"), {}, (3, 3, (), True)),
    "cart at a rational angle": (("cart-pendulum", "hanging"), {}, (3, 3, (), True)),
    "Furuta": (("furuta-pendulum", "upright"), {"Omega0": 0}, (3, 3, (), True)),
    "satellite": (
        ("body-with-rotors", "parked"),
        {"rate1": 1, "rate2": -2, "rate3": 3},
        (5, 5, ("Pi1**2 + Pi2**2 + Pi3**2",), True),
    ),
    "bicycle": (("getz-bicycle", "upright"), {"v": 3}, (5, 5, (), True)),
    # The head angle is no rational multiple of pi with a rational sine: floats.
    "bicycle of the benchmark": (
        ("whipple-bicycle", "upright"),
        {"v": 4.6},
        (4, 5, ("rest along speed",), False),
    ),
}


@pytest.mark.parametrize("case", RANKS)
def test_what_is_reached(case):
    (name, family), values, expected = RANKS[case]
    found = linear(name, family, **values).controllable()
    assert (found.rank, found.dimension, found.neutral, found.exact) == expected
    assert found.decays
    assert not found.unreached
    # The basis is that of an invariant subspace that holds B, and the complement is outside of it.
    V = found.basis
    assert V.T @ V == pytest.approx(np.eye(found.rank), abs=1e-12)
    scale = np.max(np.abs(found.A))
    assert found.A @ V == pytest.approx(V @ (V.T @ found.A @ V), abs=1e-11 * scale)
    assert found.B == pytest.approx(V @ (V.T @ found.B), abs=1e-11 * np.max(np.abs(found.B)))
    P = found.projection
    assert P @ V == pytest.approx(np.eye(found.rank), abs=1e-12)


def test_the_projection_leaves_out_neighbouring_equilibria(skate):
    """Sliding faster, and the leaning turn Gamma2 = -v2 v3/g, need no torque; exactly."""
    P = skate.controllable().projection
    g, slower, turn = skate.equilibrium.params["g"], np.zeros(6), np.zeros(6)
    slower[2] = 1
    turn[[1, 4]] = -g, 1
    assert np.all(P @ slower == 0)
    assert P @ turn == pytest.approx(0, abs=1e-14)
    assert np.all(P[:, 5] == 0)  # across the leaf


def test_vehicle_with_thrusters_reaches_its_leaf():
    found = linear("underwater-vehicle", "level1", {"thrusters": True}, Y0=1.0).controllable()
    assert (found.rank, found.dimension, found.exact) == (8, 8, True)


def test_the_energy_of_the_skate_is_not_named_though_its_differential_vanishes_on_the_inputs(skate):
    """At sliding dE = Y0 m dC2: dE A = dE B = 0, and yet torque changes the energy."""
    system = skate.equilibrium.system
    x = skate.equilibrium.x
    h = 1e-6
    dE = np.array([(system.energy(x + h * e) - system.energy(x - h * e)) / (2 * h) for e in np.eye(6)])
    W = skate.basis
    assert dE @ W @ skate.A_leaf == pytest.approx(0, abs=1e-6)
    assert dE @ W @ skate.B_leaf == pytest.approx(0, abs=1e-6)
    assert "energy" not in skate.controllable().neutral


def test_what_moves_by_itself_and_does_not_decay_is_told():
    """Dual spin with one rotor: the wobble is out of the torque's reach."""
    found = linear("body-with-rotor", "dual-spin", Omega0=1, rate0=2).controllable()
    assert (found.rank, found.dimension) == (1, 3)
    assert not found.decays
    (wobble,) = found.unreached
    assert set(wobble.name.split(", ")) == {"Omega1", "Omega2"}
    lin = linear("body-with-rotor", "dual-spin", Omega0=1, rate0=2)
    assert wobble.eigenvalue.imag == pytest.approx(np.max(lin.eigenvalues.imag), rel=1e-12)
    assert "not reached: " in repr(found)


def test_a_point_of_doubles_that_is_not_quite_the_equilibrium_is_judged_in_floats():
    """Exact ranks of a point next to an equilibrium would be those of rounding."""
    system = gc.models.get("pendulum-skate-rotor")(set="7.3").reduce()
    eq = gc.find_equilibrium(system, fixed={"v3": 1.3, "Gamma2": 0.1234567, "v1": 0.0, "theta_dot": 0.0})
    found = gc.linearize(system, eq).controllable()
    assert not found.exact
    assert (found.rank, found.dimension, found.neutral) == (3, 3, ("C1", "C2"))
    assert found.leaf == 5
    assert "rank 3 of 3, the leaf's 5 but for 2 conserved" in repr(found)


# -- outputs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outputs", "rank"), [("v1", 2), ("Gamma2", 2), ("theta_dot", 3), (["v1", "theta_dot"], 3)]
)
def test_what_sensors_of_the_skate_see(skate, outputs, rank):
    found = skate.observable(outputs)
    assert (found.rank, found.dimension, found.exact) == (rank, 3, True)
    assert [m.name for m in found.unseen] == (["theta_dot"] if rank == 2 else [])
    assert found.decays == (rank == 3)


def test_an_expression_is_an_output(skate):
    v1, theta_dot = sp.symbols("v1 theta_dot", real=True)
    assert skate.observable({"encoder": theta_dot - v1}).rank == 3
    # The momentum of the rotor is conserved while no torque acts: nothing else is seen by it.
    assert skate.observable({"momentum": theta_dot + v1}).rank == 1
    assert skate.observable({"square": v1**2}).rank == 0


def test_outputs_that_cannot_be_asked_for(skate):
    with pytest.raises(gc.LabelError, match="did you mean 'Gamma2'"):
        skate.observable("Gama2")
    with pytest.raises(gc.InputError, match="no outputs"):
        skate.observable([])
    with pytest.raises(gc.InputError, match="u_theta"):
        skate.observable({"torque": sp.Symbol("u_theta", real=True)})
    with pytest.raises(gc.ExpressionError, match="speed"):
        skate.observable({"y": sp.Symbol("speed")})


def test_systems_of_functions_points_that_spin_and_copies(skate):
    still = gc.rotations.free_body([1.0, 2.0, 3.0])
    body = still.replace(forces=lambda t, z, w, u, p: np.zeros((1, 3)))
    with pytest.raises(gc.DescriptionError, match="Give expressions"):
        gc.linearize(body, gc.find_equilibrium(body, (np.eye(3), np.zeros(3)))).controllable()
    turning = gc.find_equilibrium(still, (np.eye(3), [0, 0, 1]), spin=[0, 0, 1])
    with pytest.raises(gc.EquilibriumError, match="frame_rate="):
        gc.linearize(still, turning).controllable()
    with pytest.raises(gc.EquilibriumError, match="again"):
        pickle.loads(pickle.dumps(skate)).controllable()


# -- Gramians -----------------------------------------------------------------------------------------


def test_gramians_solve_their_equations(skate):
    """d/dT W = B B^T + A W + W A^T, and its dual, whose integral from zero to T is W."""
    T = 0.3
    reached, seen = skate.controllable(), skate.observable(["v1", "theta_dot"])
    A, B = skate.A, skate.B
    E = scipy.linalg.expm(A * T)
    W = reached.gramian(T)
    # 1e-10: the residual of terms of size |A||W|.
    size = np.linalg.norm(A) * np.linalg.norm(W)
    assert A @ W + W @ A.T == pytest.approx(E @ B @ B.T @ E.T - B @ B.T, abs=1e-10 * size)
    assert np.linalg.matrix_rank(W, tol=1e-9) == 3
    V = seen.basis
    A, C, W = V.T @ A @ V, seen.C @ V, V.T @ seen.gramian(T) @ V
    E = scipy.linalg.expm(A * T)
    assert A.T @ W + W @ A == pytest.approx(E.T @ C.T @ C @ E - C.T @ C, abs=1e-10 * np.linalg.norm(W))
    with pytest.raises(gc.InputError, match="horizon"):
        reached.gramian(0)


# -- the two arithmetics ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "roots", [[-1, -2, -3, -4], [-1, -2, 0, -4], [-1, 1e-3, -2, -5], [-1], [-1, -1, -1], []]
)
def test_stability_by_the_array_of_routh(roots):
    n = len(roots)
    rng = np.random.default_rng(3)
    S = [[Fraction(int(k)) for k in row] for row in rng.integers(-3, 4, (n, n)) + 7 * np.eye(n, dtype=int)]
    S = np.array(S, dtype=object).reshape(n, n)
    D = np.full((n, n), Fraction(0), dtype=object)
    for i, root in enumerate(roots):
        D[i, i] = Fraction(root)
    M = S @ D @ EXACT.left_inverse(S)
    stable = all(root < 0 for root in roots)
    assert EXACT.hurwitz(M) == stable
    assert FLOAT.hurwitz(M.astype(float)) == stable


def test_a_pair_on_the_imaginary_axis_is_not_stable_exactly():
    M = np.full((3, 3), Fraction(0), dtype=object)
    M[0, 1], M[1, 0], M[2, 2] = Fraction(-1), Fraction(1), Fraction(-1)
    assert not EXACT.hurwitz(M)
    M[1, 1] = Fraction(-1, 10**30)
    assert EXACT.hurwitz(M)


@pytest.mark.parametrize("seed", range(5))
def test_pivots_and_kernels_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3, 7)) * 10.0 ** rng.integers(-8, 8, 7)
    assert pivot_columns(rows) == scipy.linalg.qr(rows, pivoting=True, mode="r")[1][:3].tolist()
    low = rng.normal(size=(6, 4)) @ rng.normal(size=(4, 7))
    for tolerance in (None, 1e-9):
        found, expected = kernel(low, tolerance), scipy.linalg.null_space(low, rcond=tolerance)
        np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-12)
    assert pivot_columns(np.zeros((0, 4))) == []
    assert pivot_columns(np.array([[0.0, 0.0, 2.0], [1.0, 0.0, 5.0]])) == [2, 0]
