"""Points of rest, families and singular masses are judged beside their own sizes: the same in any units."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import Verdict
from geoctrl.analysis.rest.rest_search import _step
from tests.analysis.slow_pendulum import slow

RATES = (1.0, 1.1e-3, 7.292115e-5, 1.99e-7)
"""Of orbits (rad/s): a unit, a low orbit, a geostationary one, the Earth's around the sun."""


@pytest.fixture(scope="module")
def satellite():
    return gc.models.get("orbiting-body")().reduce()


def turned(axis, degrees):
    t = np.radians(degrees)
    return np.roll(np.array([[1, 0, 0], [0, np.cos(t), -np.sin(t)], [0, np.sin(t), np.cos(t)]]), axis, (0, 1))


@pytest.mark.parametrize("n", RATES)
def test_a_pitched_satellite_does_not_rest(satellite, n):
    """The gradient of gravity turns it back: by 3 n^2 (J1 - J3)/J2 sin cos of the angle."""
    c, s = np.cos(np.radians(5)), np.sin(np.radians(5))
    x = satellite.state(a=(s, 0, c), b=(0, 1, 0))
    J = satellite.params
    expected = 3 * n**2 * (J["J1"] - J["J3"]) / J["J2"] * s * c
    assert satellite.rhs(0, x, params={"n": n})[1] == pytest.approx(expected, rel=1e-12)
    with pytest.raises(gc.EquilibriumError, match="not an equilibrium: d/dt Omega2"):
        gc.certify(satellite, x, {"n": n})
    assert gc.certify(satellite, satellite.state(a=(0, 0, 1), b=(0, 1, 0)), {"n": n}).verdict


@pytest.mark.parametrize("n", RATES)
def test_a_tilted_satellite_is_led_to_rest(satellite, n):
    for axis in range(3):
        R = turned(axis, 20)
        found = gc.find_equilibrium(
            satellite, satellite.state(a=R @ [0, 0, 1], b=R @ [0, 1, 0]), params={"n": n}
        )
        assert abs(found["a3"]) == pytest.approx(1.0, abs=1e-9)
        assert abs(found["b2"]) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("eps", [1e-30, 1e-12, 1e-9, 1.0, 1e20])
def test_a_pendulum_of_any_slowness_rests_where_it_does(eps):
    system = slow(eps)
    # 1e-12: a double root is not near, so that rounding is not amplified.
    assert gc.find_equilibrium(system, [0.0, 0.6])["phi"] == pytest.approx(np.arcsin(0.3), abs=1e-12)
    with pytest.raises(gc.EquilibriumError, match="not an equilibrium"):
        gc.linearize(system, [0.0, 0.6])


def test_a_slow_spin_is_a_spin():
    """About the middle axis it is unstable, at 3e-12 rad/s as at one."""
    body = gc.models.get("free-rigid-body")().reduce()
    for w in (1.0, 3e-12):
        found = gc.find_equilibrium(body, [1e-3 * w, w, 0.0])
        assert found["Omega2"] == pytest.approx(w, rel=1e-3)
        assert found["Omega1"] == found["Omega3"] == 0
        assert gc.certify(body, found).verdict is Verdict.PROVED_UNSTABLE
    with pytest.raises(gc.EquilibriumError, match="take other units"):
        gc.linearize(body, [3e-203, 3e-200, 0.0])


def test_the_member_of_a_family_is_the_one_nearby():
    ball = gc.models.get("chaplygin-sphere")().reduce()
    x = ball.equilibrium("about1", Omega0=0.75).x
    rng = np.random.default_rng(0)
    for _ in range(4):
        found = gc.find_equilibrium(ball, x + 0.02 * rng.normal(size=x.size))
        assert found["Omega1"] == pytest.approx(0.75, rel=0.2)
        assert abs(found["Gamma1"]) == 1.0


@pytest.mark.parametrize("ratio", [1e-6, 1e-14, 1e-200])
def test_a_light_coordinate_is_no_singular_one(ratio):
    x, a = gc.Coordinate("x"), gc.Coordinate("a", angle=True)
    system = gc.EulerPoincare(
        shape=[x, a], inertia=[[1.0, 0], [0, ratio]], potential=x.symbol**2 / 2 - ratio * sp.cos(a.symbol)
    ).reduce()
    assert system.rhs(0, system.state(x=0.1, a=0.1))[:2] == pytest.approx([-0.1, -np.sin(0.1)])
    assert gc.certify(system, system.state()).verdict is Verdict.PROVED_STABLE


@pytest.mark.parametrize(
    ("inertia", "along"), [([[1.0, 0], [0, 0]], "a_dot"), ([[1, 1e-7], [1e-7, 1e-14]], "x_dot, a")]
)
def test_an_inertia_without_rank_is_singular_in_any_unit(inertia, along):
    x, a = gc.Coordinate("x"), gc.Coordinate("a", angle=True)
    with pytest.raises(gc.SingularMassError, match=f"no inertia along {along}"):
        gc.EulerPoincare(shape=[x, a], inertia=inertia).reduce()


@pytest.mark.parametrize("n", RATES)
def test_zero_modes_have_the_same_names_at_any_rate(satellite, n):
    x = satellite.state(a=(0, 0, 1), b=(0, 1, 0))
    one, other = (gc.linearize(satellite, x, {"n": v}) for v in (1.0, n))
    assert one.zero_modes == other.zero_modes
    # 1e-9: of eigenvalues in time 1/n, roots of a polynomial without double ones.
    assert sorted(np.abs(other.eigenvalues / n)) == pytest.approx(sorted(np.abs(one.eigenvalues)), abs=1e-9)


TIMES = [1, 1024, sp.Rational(1, 1024), sp.Rational(1, 1000)]


def test_rest_by_a_cube_is_found_in_any_unit():
    """w' = -w^3: next to it a rate is the same share of its terms everywhere, but it falls."""
    for time in TIMES:
        turn = gc.so2()
        system = gc.EulerPoincare(algebra=turn, inertia=[[1]], forces=[-time * turn.xi[0] ** 3]).reduce()
        assert gc.find_equilibrium(system, [0.7 / float(time)]).x[0] == 0


def test_a_search_next_to_degenerate_rest_stays_near():
    """Drag by a cube, and a vector that may rest anywhere in the plane: the nearest is meant."""
    guess = np.array([0.01, 0.03, -0.02, 0.005, 0.965, -0.007])
    found = []
    for time in TIMES:
        plane, e = gc.se2(), gc.AdvectedVector("e", reference=(0, 1, 0))
        w, a, b = (time * v for v in plane.xi)
        system = gc.EulerPoincare(
            algebra=plane,
            inertia=sp.diag(5, 6, 7),
            forces=[f * (w - 6 * a + 6 * b) ** 3 / time**2 for f in (-1, 6, -6)],
            advected=[e],
            potential=(e.symbols[2] ** 2 / 4 - e.symbols[1] * e.symbols[2]) / time**2,
        ).reduce()
        units = np.array([1 / float(time)] * 3 + [1.0] * 3)
        found.append(gc.find_equilibrium(system, guess * units).x / units)
    np.testing.assert_allclose(found[0], [0, 0, 0, 0.005, 1, 0], atol=1e-3)
    # 1e-5: rates of 1e-11 of their sizes tell where they vanish by a square to 3e-6.
    np.testing.assert_allclose(found[1:], [found[0]] * 3, atol=1e-5)


@pytest.mark.parametrize("guess", [[200.0, 1.2], [0.0, 1.2], [300.0, 1.7], [-200.0, 0.1]])
def test_a_joint_in_pitch_is_led_to_rest(guess):
    """phi'' = -1e4 phi' - atan(5 (phi - 0.7))/100: what is left of the force is 1e-10 of what moves it.

    Full steps run away from an arctangent and damped ones creep, so that both end between what is near to
    rest and what is rest.
    """
    for time, mass in [(1, 1), (1000, 1), (sp.Rational(1, 1000), 10**6)]:
        phi = gc.Coordinate("phi", angle=True)
        force = -sp.atan(5 * (phi.symbol - sp.Rational(7, 10))) / 100 / time**2 - 10**4 * phi.rate / time
        system = gc.EulerPoincare(shape=[phi], inertia=[[mass]], forces=[mass * force]).reduce()
        found = gc.find_equilibrium(system, guess * np.array([1 / float(time), 1.0]))
        # 3e-9: beside a slope of 0.05, forces of 1.5e-10 in sums of 1e8: far below what has to be reached.
        assert found["phi"] == pytest.approx(0.7, abs=3e-9)


UNITS = [(1, 1, 1), (1024, 1, 1), (1, 1024**2, 1), (sp.Rational(1, 1024), 1024, 4096)]
"""Numbers of m, kg, s; powers of two, with which doubles keep their digits."""


@pytest.mark.parametrize(("length", "mass", "time"), UNITS)
def test_derivatives_are_the_same_to_the_last_bit(length, mass, time):
    """A length beside angles: elimination takes the same pivots whatever numbers their inertias are."""

    def slopes(length, mass, time):
        x, a, b = gc.Coordinate("x"), gc.Coordinate("a", angle=True), gc.Coordinate("b", angle=True)
        R, c = sp.Rational, sp.cos(a.symbol)
        unit = sp.diag(1, length, length)
        own = sp.Matrix(
            [[4, R(31, 10) * c, R(7, 10)], [R(31, 10) * c, R(53, 10), R(11, 10)], [R(7, 10), R(11, 10), 3]]
        )
        potential = -c + sp.sin(b.symbol) * c / 3 + (x.symbol / length) ** 2 / 2 * sp.cos(b.symbol)
        energy = mass * sp.Rational(length) ** 2 / sp.Rational(time) ** 2
        system = gc.EulerPoincare(
            shape=[x, a, b], inertia=mass * unit * own * unit, potential=energy * potential
        ).reduce()
        states = np.array([length / time, 1 / time, 1 / time, length, 1, 1], dtype=float)
        point = np.array([0.3, 0.4, -0.2, 0.5, 0.7, 0.2])
        return system.jacobian(0, point * states) * states / states[:, None] * float(time)

    assert slopes(length, mass, time).tolist() == slopes(1, 1, 1).tolist()


def test_a_step_has_the_digits_of_what_is_small_beside_another_one():
    """Relations off by 0.01, and rates that follow them by 1e-10: solved one after the other, and at once."""
    rng = np.random.default_rng(7)
    A, B, C = rng.normal(size=(3, 3, 3))
    relations = rng.normal(size=3) / 100
    J = np.block([[A, np.zeros((3, 3))], [1e-10 * C, B]])
    expected = -np.linalg.solve(B, 1e-10 * C @ np.linalg.solve(A, relations))
    # 1e-13: of two systems of condition ten.
    assert _step(J, np.concatenate([relations, np.zeros(3)]), 0.0)[3:] == pytest.approx(
        expected, rel=1e-13, abs=0
    )
