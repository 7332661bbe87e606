"""E. J. Routh, Dynamics of a System of Rigid Bodies (1905): a top on a smooth plane, or on a sliding base.

The base gives way, which acts like a smaller moment of inertia: I1' = I1 - (m l)^2/(m + M), the moment about
the centre of mass for a light base and that at the pivot for a heavy one.
"""

import numpy as np
import pytest

import geoctrl as gc
from tests.literature.thresholds import assert_flips, verdict

E3 = np.array([0.0, 0.0, 1.0])


@pytest.fixture(scope="module")
def top():
    return gc.models.get("top-on-movable-base")(set="lagrange").reduce()


@pytest.fixture(scope="module")
def unsymmetric():
    return gc.models.get("top-on-movable-base")(set="generic").reduce()


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def newton_euler(x, p):
    """Rates of (Omega, Gamma) and the pivot's acceleration, with the force F at the pivot as an unknown.

    m (a + Omegadot x r + Omega x (Omega x r)) = F - m g Gamma, moments about the centre of mass, M a = -F
    along the plane, a . Gamma = 0.
    """
    Omega, Gamma, r = x[:3], x[3:], p["l"] * E3
    central = np.diag([p["I1"], p["I2"], p["I3"]]) + p["m"] * cross(r) @ cross(r)
    A = np.zeros((9, 9), dtype=x.dtype)
    A[:3, :3], A[:3, 3:6], A[:3, 6:] = -p["m"] * cross(r), p["m"] * np.eye(3), -np.eye(3)
    A[3:6, :3], A[3:6, 6:] = central, cross(r)
    plane = np.eye(3) - np.outer(Gamma, Gamma)
    A[6:, 3:6], A[6:, 6:] = p["M"] * np.eye(3), plane
    b = np.concatenate(
        [
            -p["m"] * (np.cross(Omega, np.cross(Omega, r)) + p["g"] * Gamma),
            np.cross(central @ Omega, Omega),
            np.zeros(3),
        ]
    )
    solved = np.linalg.solve(A, b)
    return np.concatenate([solved[:3], np.cross(Gamma, Omega)]), solved[3:6]


def growth_by_hand(p, W):
    """Largest real part at the sleeping top, by complex steps; two zeros belong to |Gamma|^2 and Pi.Gamma."""
    x = np.array([0, 0, W, 0, 0, 1], dtype=complex)
    steps = 1e-30j * np.eye(6)
    A = np.stack([np.imag(newton_euler(x + h, p)[0]) / 1e-30 for h in steps], axis=1)
    coefficients = np.poly(A)
    squares = np.roots([1, coefficients[2], coefficients[4]]).astype(complex)
    return np.max(np.abs(np.sqrt(squares).real))


def lessened(p, name):
    return p[name] - (p["m"] * p["l"]) ** 2 / (p["m"] + p["M"])


def critical_rate(p):
    return 2 * np.sqrt(lessened(p, "I1") * p["m"] * p["g"] * p["l"]) / p["I3"]


def test_equations_and_the_base(unsymmetric):
    p = unsymmetric.params
    rng = np.random.default_rng(3)
    for _ in range(4):
        x = unsymmetric.random_state(rng)
        rates, acceleration = newton_euler(x, p)
        xdot = unsymmetric.rhs(0.0, x)
        assert xdot == pytest.approx(rates, abs=1e-11)
        base = unsymmetric.outputs(0.0, x)
        step = 1e-30
        turning = np.imag(unsymmetric.outputs(0.0, x + 1j * step * xdot)) / step
        assert turning + np.cross(x[:3], base) == pytest.approx(acceleration, abs=1e-11)


def test_invariants(top, unsymmetric):
    vertical = "Gamma1*Pi1 + Gamma2*Pi2 + Gamma3*Pi3"
    assert set(top.conserved()) == {"energy", "Pi3", vertical}
    assert set(unsymmetric.conserved()) == {"energy", vertical}
    assert gc.check_invariant(unsymmetric, vertical).proved
    assert gc.check_invariant(top, "Pi3", params={"I1": 0.9, "I2": 0.9}).proved
    assert not gc.check_invariant(top, "Pi3").proved
    # The momentum of a top on a fixed pivot is not kept.
    Omega, Gamma = top.states[:3], top.states[3:]
    moments = [p.symbol for p in top.mechanism.parameters[4:]]
    fixed = sum(moment * W * G for moment, W, G in zip(moments, Omega, Gamma, strict=True))
    assert not gc.check_invariant(top, fixed).proved


def test_the_sleeping_top_flips_at_the_lessened_moment(top):
    """I3^2 W^2 = 4 I1' m g l."""
    p = top.params
    critical = critical_rate(p)
    for sense in (1, -1):
        assert_flips(top, "sleeping", "Omega0", sense * critical, "PROVED_UNSTABLE", "PROVED_STABLE")
    assert growth_by_hand(p, 1.001 * critical) < 1e-7
    assert growth_by_hand(p, 0.999 * critical) > 1e-2
    for factor in (0.5, 0.9):
        lin = gc.linearize(top, top.equilibrium("sleeping", Omega0=factor * critical))
        assert max(lin.eigenvalues.real) == pytest.approx(growth_by_hand(p, factor * critical), rel=1e-9)
    # On a fixed pivot it would have to be faster by half.
    assert 2 * np.sqrt(p["I1"] * p["m"] * p["g"] * p["l"]) / p["I3"] > 1.1 * critical


@pytest.mark.parametrize("M", [1e-9, 0.3, 5.0, 1e9])
def test_from_a_smooth_plane_to_a_fixed_pivot(top, M):
    p = top.params | {"M": M}
    moment = lessened(p, "I1")
    if M < 1e-3:
        assert moment == pytest.approx(p["I1"] - p["m"] * p["l"] ** 2)
    if M > 1e6:
        assert moment == pytest.approx(p["I1"])
        fixed = gc.models.get("heavy-top")(set="lagrange").reduce()
        lins = [
            gc.linearize(s, s.equilibrium("sleeping", Omega0=12.0, params=q))
            for s, q in (
                (top, {"M": M}),
                (fixed, {k: v for k, v in p.items() if k != "M"}),
            )
        ]
        squares = [np.sort_complex(np.roots(np.poly(lin.A_leaf)[:5:2])) for lin in lins]
        assert squares[0] == pytest.approx(squares[1], rel=1e-7)
    assert_flips(
        top, "sleeping", "Omega0", critical_rate(p), "PROVED_UNSTABLE", "PROVED_STABLE", params={"M": M}
    )


def test_the_unsymmetric_top(unsymmetric):
    """Sleeping stably where (I3 - I_i') W^2 > m g l, hanging where (I_i' - I3) W^2 < m g l, for both i."""
    p = unsymmetric.params
    weight = p["m"] * p["g"] * p["l"]
    greatest = max(lessened(p, "I1"), lessened(p, "I2"))
    flat = {"I3": 1.3 * greatest}
    critical = np.sqrt(weight / (flat["I3"] - greatest))
    assert_flips(unsymmetric, "sleeping", "Omega0", critical, "PROVED_UNSTABLE", "PROVED_STABLE", params=flat)
    assert greatest > p["I3"]
    critical = np.sqrt(weight / (greatest - p["I3"]))
    assert_flips(unsymmetric, "hanging", "Omega0", critical, "PROVED_STABLE", "PROVED_UNSTABLE")


def test_a_symmetric_top_hangs_stably_at_any_rate(top):
    for rate in (0, 2, 15):
        assert verdict(top, "hanging", Omega0=rate) == "PROVED_STABLE"
