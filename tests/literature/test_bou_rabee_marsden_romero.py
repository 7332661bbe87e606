"""N. M. Bou-Rabee, J. E. Marsden and L. A. Romero (2004): tippe top inversion by sliding friction.

Under friction alone Jellett's integral is kept. The least energy on its level j, leaning by arccos z, is
``U(z) + j^2/(2 D(z))``, ``D = R^2 (I1 (1 - z^2) + I3 (z - epsilon)^2)``, which gives the spins n_1 and n_2.
"""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature.thresholds import assert_flips, verdict
from tests.oracles.positions import Positions, body_rate, rotation, t
from tests.systems.comparisons import points


@pytest.fixture(scope="module")
def mechanism():
    return gc.models.get("tippe-top")()


def slope(p, n, z):
    """Derivative of U + j^2/(2 D) by z at a vertical top that spins at n."""
    side = p["I3"] * (z - p["epsilon"]) ** 2
    first = -2 * p["I1"] * z + 2 * p["I3"] * (z - p["epsilon"])
    j2 = (p["I3"] * n * (z - p["epsilon"])) ** 2
    return -p["m"] * p["g"] * p["epsilon"] * p["R"] - j2 * first / (2 * side**2)


def thresholds(p):
    weight = p["m"] * p["g"] * p["R"] * p["epsilon"]
    low, high = 1 - p["epsilon"], 1 + p["epsilon"]
    return (
        np.sqrt(weight * low**2 / (p["I1"] - p["I3"] * low)),
        np.sqrt(weight * high**2 / (p["I3"] * high - p["I1"])),
    )


def test_thresholds_are_where_the_least_energy_is_level(mechanism):
    p = mechanism.defaults
    for n, z in zip(thresholds(p), (1, -1), strict=True):
        assert abs(slope(p, n, z)) < 1e-12 * p["m"] * p["g"] * p["R"]
        assert slope(p, 0.99 * n, z) * slope(p, 1.01 * n, z) < 0


def test_it_moves_as_a_ball_on_a_plane(mechanism):
    m, R, epsilon, I1, I3, c, g = (p.symbol for p in mechanism.parameters)
    X, Y, al, be, ga = q = [sp.Function(n)(t) for n in ("X", "Y", "al", "be", "ga")]
    A = rotation(2, al) * rotation(0, be) * rotation(2, ga)
    up, axis = sp.Matrix([0, 0, 1]), A[:, 2]
    centre = sp.Matrix([X, Y, R - epsilon * R * axis[2]])
    w = body_rate(A)
    contact = epsilon * R * axis - R * up
    sliding = centre.diff(t) + (A * w).cross(contact)
    push = [-c * sum(e * e.diff(f.diff(t)) for e in sliding) for f in q]
    kinetic = (m * centre.diff(t).dot(centre.diff(t)) + I1 * (w[0] ** 2 + w[1] ** 2) + I3 * w[2] ** 2) / 2
    system = mechanism.reduce()
    # Of one size in place of those of a toy.
    chosen = {"m": 1.3, "R": 0.8, "epsilon": 0.3, "I1": 0.31, "I3": 0.37, "c": 0.9, "g": 9.81}
    values = {p.symbol: chosen[p.name] for p in mechanism.parameters}
    oracle = Positions(q, kinetic, m * g * centre[2], values, push)
    body = [*w, *(A.T * centre.diff(t)), *(A.T * up)]
    rng = np.random.default_rng(10)
    for _ in range(2):
        place, v = rng.uniform(0.4, 1.4, size=5), rng.normal(size=5)
        x, expected = oracle.seen(body, place, v, oracle.accelerations(place, v))
        found = system.rhs(0, x, None, chosen)
        assert found == pytest.approx(expected, rel=0, abs=1e-12 * np.max(np.abs(expected)))


def test_jellett_is_kept_and_the_energy_is_not(mechanism):
    assert set(mechanism.reduce().conserved()) == {"jellett"}


def test_both_spins_change_at_their_thresholds(mechanism):
    system = mechanism.reduce()
    bottom, top = thresholds(system.params)
    assert_flips(system, "bottom", "n", bottom, "PROVED_STABLE", "PROVED_UNSTABLE")
    assert_flips(system, "top", "n", top, "PROVED_UNSTABLE", "PROVED_STABLE")


@pytest.mark.parametrize(
    ("ratio", "bottom", "top"),
    [(0.7, "PROVED_STABLE", "PROVED_STABLE"), (1.3, "PROVED_UNSTABLE", "PROVED_UNSTABLE")],
)
def test_tops_of_other_moments_never_change_one_of_them(mechanism, ratio, bottom, top):
    """I1/I3 outside the bounds: below, the bottom is stable at all spins; above, no spin holds the top."""
    system = mechanism.reduce()
    params = {"I1": ratio * system.params["I3"]}
    assert verdict(system, "bottom", params=params, n=900.0) == bottom
    assert verdict(system, "top", params=params, n=900.0) == top


def test_a_top_spun_fast_enough_turns_over(mechanism):
    system = mechanism.reduce()
    _, top = thresholds(system.params)
    lean = 0.1
    start = system.state(
        Gamma=(np.sin(lean), 0, np.cos(lean)), Omega3=3 * top, Omega1=0, Omega2=0, Y1=0, Y3=0
    )
    run = gc.simulate(system, np.linspace(0, 8, 161), start)
    assert run["Gamma3"][0] > 0.99
    assert run["Gamma3"][-1] < -0.95
    assert run.drift["jellett"] < 1e-9


def test_it_stands_on_its_weight_and_on_what_lifts_its_centre(mechanism):
    """The height of the centre of mass is R (1 - epsilon Gamma3)."""
    system = mechanism.reduce()
    p = system.params
    at_rest = system.reactions(system.state(Gamma=(0, 0, 1)))
    assert at_rest == {"normal": pytest.approx(p["m"] * p["g"], rel=1e-14)}

    for _, x, _ in points(system, 6, 4):
        W, G, dW = system.velocity(x)[:3], system.advected(x)[:3], system.rhs(0.0, x)[:3]
        second = np.cross(np.cross(G, W), W) + np.cross(G, dW)
        lift = p["m"] * (p["g"] - p["R"] * p["epsilon"] * second[2])
        assert system.reactions(x)["normal"] == pytest.approx(lift, rel=1e-10)
