"""P. C. Hughes, Spacecraft Attitude Dynamics (Wiley 1986), chapter 9: a body in a circular orbit.

With axes 1, 2, 3 in roll, pitch and yaw, k1 = (J2 - J3)/J1 and k3 = (J2 - J1)/J3 describe every body,
|k1|, |k3| < 1. The region k1 > k3 > 0 is Lagrange's; the one with k1, k3 < 0 was found by D. B. DeBra and
R. H. Delp (J. Astronautical Sciences 8, 1961).
"""

from itertools import permutations, product

import numpy as np
import pytest

import geoctrl as gc
from tests.literature.thresholds import verdict

N = 0.7  # orbital rate


@pytest.fixture(scope="module")
def orbiting():
    return gc.models.get("orbiting-body")().reduce()


def moments(k1, k3):
    """Parameters of a body with these ratios, up to a common factor of the moments."""
    return {"n": N, "J1": 1 - k3, "J2": 1 - k1 * k3, "J3": 1 - k1}


def linear_equations(J1, J2, J3, n):
    """d/dt (roll, pitch, yaw, rates) of the linear attitude equations, which hold for small angles."""
    A = np.zeros((6, 6))
    A[:3, 3:] = np.eye(3)
    gyroscopic = n * (J1 - J2 + J3)
    A[3, 5], A[3, 0] = gyroscopic / J1, -4 * n**2 * (J2 - J3) / J1
    A[4, 1] = -3 * n**2 * (J1 - J3) / J2
    A[5, 3], A[5, 2] = -gyroscopic / J3, -(n**2) * (J2 - J1) / J3
    return A


def characteristic_polynomial(k1, k3):
    """(pitch) (roll and yaw) in the ratios, highest power first."""
    pitch = [1, 0, 3 * N**2 * (k1 - k3) / (1 - k1 * k3)]
    roll_yaw = [1, 0, N**2 * (1 + 3 * k1 + k1 * k3), 0, 4 * N**4 * k1 * k3]
    return np.polymul(pitch, roll_yaw)


def region(k1, k3):
    """Name of the region that a body belongs to."""
    if k1 > k3 > 0:
        return "Lagrange"
    if 0 > k1 > k3 and 1 + 3 * k1 + k1 * k3 > 4 * np.sqrt(k1 * k3):
        return "DeBra-Delp"
    return "unstable"


EXPECTED = {
    "Lagrange": "PROVED_STABLE",
    # The Jacobi integral has a saddle there: only the spectrum speaks for stability.
    "DeBra-Delp": "SPECTRALLY_STABLE_ONLY",
    "unstable": "PROVED_UNSTABLE",
}


@pytest.mark.parametrize(("k1", "k3"), [(0.6, 0.2), (-0.05, -0.4), (-0.4, -0.6), (0.5, -0.3), (-0.2, 0.7)])
def test_the_spectrum_is_that_of_the_linear_equations(orbiting, k1, k3):
    """Compared as polynomials: simple or not, their coefficients are known to rounding."""
    params = moments(k1, k3)
    lin = gc.linearize(orbiting, orbiting.equilibrium("aligned", params=params))
    assert lin.zero_modes == ()
    expected = characteristic_polynomial(k1, k3)
    assert np.poly(lin.A_leaf) == pytest.approx(expected, abs=1e-13)
    assert np.poly(linear_equations(*(params[f"J{i}"] for i in (1, 2, 3)), N)) == pytest.approx(
        expected, abs=1e-13
    )


def test_regions_of_the_ratios(orbiting):
    rng = np.random.default_rng(3)
    bodies = [*rng.uniform(-1, 1, size=(40, 2)), *rng.uniform((-0.14, -1), (0, -0.15), size=(20, 2))]
    found = {}
    for k1, k3 in bodies:
        where = region(k1, k3)
        found[where] = found.get(where, 0) + 1
        assert verdict(orbiting, "aligned", params=moments(k1, k3)) == EXPECTED[where], (k1, k3)
    assert min(found[name] for name in EXPECTED) >= 5


def critical_k3(k1):
    """Edge of the DeBra-Delp region where roll and yaw frequencies meet: 1 + 3 k1 + k1 k3 = 4 sqrt(k1 k3)."""
    return (2 - np.sqrt(3 - 3 * k1)) ** 2 / k1


@pytest.mark.parametrize(
    ("edge", "towards", "below", "above"),
    [
        ((0.4, 0.4), (0, 1), "Lagrange", "unstable"),  # pitch stiffness, J1 = J3
        ((0.4, 0.0), (0, 1), "unstable", "Lagrange"),  # yaw stiffness, J1 = J2
        ((-0.05, -0.05), (0, 1), "DeBra-Delp", "unstable"),  # pitch again
        ((0.0, -0.3), (1, 0), "DeBra-Delp", "unstable"),  # roll stiffness, J2 = J3
        ((-0.1, critical_k3(-0.1)), (0, -1), "DeBra-Delp", "unstable"),  # gyroscopic stabilisation ends
    ],
)
def test_verdicts_flip_at_the_edges(orbiting, edge, towards, below, above):
    for side, where in ((-1, below), (1, above)):
        k1, k3 = np.array(edge) + 1e-6 * side * np.array(towards)
        assert region(k1, k3) == where
        assert verdict(orbiting, "aligned", params=moments(k1, k3)) == EXPECTED[where], (k1, k3)


def test_lagranges_region_in_symbols(orbiting):
    found = gc.stability_conditions(orbiting, "aligned")
    J1, J2, J3 = (p.symbol for p in orbiting.mechanism.parameters[1:])
    assert {r.gts - r.lts for r in found.stable} == {J2 - J1, J1 - J3, J2 - J3}
    assert gc.stability_conditions(orbiting, "yaw3-pitch2").stable == found.stable


SENSES = list(product((1, -1), (1, -1)))
AXES = list(permutations((1, 2, 3), 2))


def all_verdicts(orbiting, params):
    """Verdict by (axis along the radius, axis along the normal) and the two senses."""
    return {
        (i, j, s, t): verdict(orbiting, f"yaw{i}-pitch{j}", params=params, radius=s, normal=t)
        for i, j in AXES
        for s, t in SENSES
    }


@pytest.mark.parametrize(
    ("J", "gyroscopic"), [((1.3, 1.9, 0.8), 0), ((1.55, 1.75, 1.0), 0), ((1.4, 0.98, 1.05), 4)]
)
def test_of_24_equilibria_four_are_lagranges(orbiting, J, gyroscopic):
    """Least moment in yaw, greatest in pitch; where gyroscopic, the greatest in roll, the least in pitch."""
    params = {"n": N, "J1": J[0], "J2": J[1], "J3": J[2]}
    found = all_verdicts(orbiting, params)
    assert len(found) == 24
    least, middle, greatest = (int(i) + 1 for i in np.argsort(J))
    assert {k for k, v in found.items() if v == "PROVED_STABLE"} == {(least, greatest, *s) for s in SENSES}
    open_ones = {k for k, v in found.items() if v == "SPECTRALLY_STABLE_ONLY"}
    assert open_ones == ({(middle, least, *s) for s in SENSES} if gyroscopic else set())
    assert sum(v == "PROVED_UNSTABLE" for v in found.values()) == 20 - gyroscopic


def test_there_are_no_other_equilibria(orbiting):
    """The solver, started anywhere, ends at an attitude with body axes along radius and normal."""
    rng = np.random.default_rng(8)
    reached = set()
    for _ in range(60):
        guess = orbiting.random_state(rng, scale=0.1)
        try:
            x = gc.find_equilibrium(orbiting, guess, params=moments(0.6, 0.2)).x
        except gc.GeoctrlError:
            continue  # Newton's method may fail from a poor start
        assert np.abs(x[:3]).max() < 1e-9
        for vector in (x[3:6], x[6:9]):
            assert np.sort(np.abs(vector)) == pytest.approx([0, 0, 1], abs=1e-6)
        reached.add(tuple(np.round(x[3:]).astype(int)))
    assert len(reached) > 12


@pytest.mark.parametrize("senses", [(2, 1), (1, 0.5)])
def test_other_senses_are_refused(orbiting, senses):
    with pytest.raises(gc.EquilibriumError, match="members satisfy"):
        orbiting.equilibrium("yaw3-pitch2", radius=senses[0], normal=senses[1])
