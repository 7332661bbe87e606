"""One unactuated velocity: Furuta, inertia wheel, ball and beam, acrobot from their descriptions alone.

Thresholds are those of the literature's closed forms, written out here and no part of the program.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import geoctrl as gc
from geoctrl.errors import MatchingError
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.solutions.one_direction import OneDirection

STABLE, UNSTABLE = gc.Verdict.PROVED_STABLE, gc.Verdict.PROVED_UNSTABLE
NEAR = 1e-6
CLOSE = 1e-4
"""Where m22 has to grow like 1/distance and the condition of Gc like its square."""


def defaults(name):
    return gc.models.get(name)().defaults


def furuta(delta=0.25, r=2.0, K=-0.01):
    """delta by beta^2/J, r by beta^2 delta/(beta^2 - J delta)."""
    p = defaults("furuta-pendulum")
    beta, J = p["m"] * p["R"] * p["l"], p["I"] + p["m"] * p["l"] ** 2
    d = delta * beta**2 / J
    return {"delta": d, "m22": -r * beta**2 * d / abs(beta**2 - J * d), "K": K}


def wheel(b=1.5, r=2.0, K=-0.01):
    """b by -(I1 + I2)/I2, r by -I2^2/(I1 + I2 + b I2)."""
    p = defaults("inertia-wheel-pendulum")
    G11, I2 = p["I"] + p["J"], p["J"]
    slope = -b * G11 / I2
    return {"b": slope, "m22": -r * I2**2 / abs(G11 + slope * I2), "K": K}


def ball(c=0.4, m=2.0, K=0.5):
    """c = p^2/2 by the square of the radius of gyration, m f/M22^2: Gc = G M_d^-1 G, M_d22 = m."""
    p = defaults("ball-and-beam")
    G11, G22 = p["M"] + p["J_b"] / p["R"] ** 2, p["J"] + p["J_b"]
    slope = (2 * c * G22 / G11) ** 0.5
    return {"p": slope, "m22": G11 * slope / (m - 1), "K": K}


def elbow(b=-2.4, m=2.0, K=2.0):
    """m22 by M12^2, K by phi_z^2/phi_S, at the upright posture of the catalogue's acrobot."""
    p = defaults("acrobot")
    M12 = p["I2"] + p["m2"] * p["c2"] ** 2 + p["m2"] * p["l1"] * p["c2"]
    M11 = p["I1"] + p["m1"] * p["c1"] ** 2 + p["m2"] * p["l1"] ** 2 + p["m2"] * p["l1"] * p["c2"] + M12
    g1, g2 = (p["m1"] * p["c1"] + p["m2"] * p["l1"]) * p["g"], p["m2"] * p["c2"] * p["g"]
    h = M11 + b * M12
    threshold = (h * g2) ** 2 / (-h * (g1 + (1 + b) * g2))
    return {"b": b, "m22": m * M12**2, "K": K * threshold}


GAINS = {
    "furuta-pendulum": furuta,
    "inertia-wheel-pendulum": wheel,
    "ball-and-beam": ball,
    "acrobot": elbow,
}


@cache
def shaping(name, direction=None):
    """Each made once: the quadratures are taken with the gains as symbols."""
    return OneDirection(Plant.of(gc.models.get(name)()), "both", direction)


def controlled(one, **values):
    gains = tuple(gc.Parameter(g.name, values[g.name]) for g in one.gains)
    return one.controlled({g.name: g.symbol for g in one.gains}, gains)


@cache
def symbolic(name):
    """A loop whose gains are set by ``params``."""
    return controlled(shaping(name), **GAINS[name]())


def open_plant(c):
    """The plant with the positions of the loop among its states."""
    return c.plant.mechanism.replace(quasicoordinates=c.quasicoordinates, parameters=c.parameters).reduce()


def law(c, params):
    program = c.system.program(c.inputs)
    values = c.system.parameters(params)
    return lambda x: program(c.system.arguments_at(0, x, None), values)


def near(sys, rng, size=0.3):
    return size * sys.random_state(rng)


# -- the loop is the controlled Lagrangian's ----------------------------------------------------------


@pytest.mark.parametrize("name", GAINS)
def test_matched_exactly(name):
    symbolic(name).require_matched()


@pytest.mark.parametrize("name", GAINS)
@pytest.mark.parametrize("scale", [0.7, 1.6])
def test_the_plant_with_the_law_moves_as_the_controlled_lagrangian_says(name, scale):
    c, rng = symbolic(name), np.random.default_rng(7)
    gains = GAINS[name]()
    gains = {k: v if k == "b" else scale * v for k, v in gains.items()}
    plant, u = open_plant(c), law(c, gains)
    for _ in range(20):
        x = near(c.system, rng)
        wanted = c.system.rhs(0, x, params=gains)
        found = plant.rhs(0, x, u(x), params=gains)
        assert np.abs(found - wanted).max() <= 1e-12 * max(1.0, np.abs(wanted).max())


@pytest.mark.parametrize("name", GAINS)
def test_the_controlled_energy_is_kept_along_the_plant(name):
    c, rng = symbolic(name), np.random.default_rng(3)
    plant, u, gains = open_plant(c), law(c, None), GAINS[name]()
    x0 = near(c.system, rng, 0.05)
    run = solve_ivp(
        lambda t, x: plant.rhs(t, x, u(x), params=gains), (0, 2), x0, method="DOP853", rtol=1e-12, atol=1e-14
    )
    energy = np.array([c.system.energy(x) for x in run.y.T])
    scale = max(
        abs(energy[0]), *(abs(c.system.energy(np.where(np.arange(x0.size) == i, x0, 0))) for i in range(4))
    )
    assert run.success
    assert np.abs(energy - energy[0]).max() <= 1e-10 * scale
    plain = np.array([plant.energy(x, params=gains) for x in run.y.T])
    assert np.ptp(plain) > 1e-3 * np.abs(plain).max()  # the law works on the plant


def test_a_direction_without_closed_forms_is_matched_by_states_with_known_rates():
    c = controlled(shaping("furuta-pendulum", (sp.Integer(-3),)), m22=5e-5, K=0.02)
    c.require_matched()
    assert c.system.state_labels == ("theta_dot", "phi_dot", "phi", "excess", "V_c", "z")
    assert len(shaping("furuta-pendulum", (sp.Integer(-3),)).notes) == 2
    plant, u, rng = open_plant(c), law(c, None), np.random.default_rng(11)
    for _ in range(20):
        x = near(c.system, rng)
        wanted = c.system.rhs(0, x)
        assert np.abs(plant.rhs(0, x, u(x)) - wanted).max() <= 1e-12 * max(1.0, np.abs(wanted).max())


# -- closed forms -------------------------------------------------------------------------------------


def test_furuta_has_the_inertia_of_the_closed_form():
    c, gains = symbolic("furuta-pendulum"), furuta()
    p = defaults("furuta-pendulum")
    phi = 0.37
    J, mu = p["I"] + p["m"] * p["l"] ** 2, p["m"] * p["R"] * p["l"] * np.cos(phi)
    b, r = -mu / (gains["delta"] + J * np.sin(phi) ** 2), -gains["m22"]
    wanted = [[-r, mu + b * r], [mu + b * r, J - b * mu - b**2 * r]]  # arm first
    at = {s.symbol: s.default for s in c.parameters} | {sp.Symbol("phi", real=True): phi}
    np.testing.assert_allclose(np.array(c.inertia.subs(at), dtype=float), wanted, rtol=1e-13)


@pytest.mark.parametrize("c", [1.69, 0.4, 5.0])
def test_the_position_of_the_ball_and_beam_is_the_published_one(c):
    loop, gains, p = symbolic("ball-and-beam"), ball(c=c), defaults("ball-and-beam")
    k = (2 * p["M"] / (p["M"] + p["J_b"] / p["R"] ** 2)) ** 0.5
    r, theta = 0.21, 0.13
    z = theta - np.arcsinh(k * r / gains["p"]) / k
    wanted = gains["K"] * z**2 / 2 + p["M"] * p["g"] * (1 - np.cos(theta))
    x = np.array([0.0, 0.0, r, theta])
    assert loop.system.energy(x, params=gains) == pytest.approx(wanted, rel=1e-13)
    assert gc.certify(loop.system, np.zeros(4), params=gains).verdict is STABLE


def test_the_acrobot_is_scaled_to_one_and_its_potential_is_the_integral():
    p, b = defaults("acrobot"), -2.4
    g1, g2 = (p["m1"] * p["c1"] + p["m2"] * p["l1"]) * p["g"], p["m2"] * p["c2"] * p["g"]
    M12 = p["I2"] + p["m2"] * p["c2"] ** 2
    M11 = p["I1"] + p["m1"] * p["c1"] ** 2 + p["m2"] * p["l1"] ** 2 + M12
    a = p["m2"] * p["l1"] * p["c2"]
    q1, q2 = 0.4, -0.3
    z = q2 - b * q1
    s, weight = np.polynomial.legendre.leggauss(30)
    s, weight = q1 * (s + 1) / 2, weight * q1 / 2
    h = M11 + b * M12 + (2 + b) * a * np.cos(z + b * s)
    integral = weight @ (-h * (g1 * np.sin(s) + g2 * np.sin(s + z + b * s)))
    gains = elbow(b=b)
    found = symbolic("acrobot").system.energy(np.array([0, 0, q1, q2]), params=gains)
    assert found == pytest.approx(integral + gains["K"] * z**2 / 2, rel=1e-12)


# -- thresholds ---------------------------------------------------------------------------------------

FLIPS = [
    *[("furuta-pendulum", {"r": 1 + e}, e > 0) for e in (-NEAR, NEAR)],
    *[("furuta-pendulum", {"delta": 1 + e}, e < 0) for e in (-CLOSE, CLOSE)],
    ("furuta-pendulum", {"K": 1e-3}, False),
    *[("inertia-wheel-pendulum", {"r": 1 + e}, e > 0) for e in (-NEAR, NEAR)],
    *[("inertia-wheel-pendulum", {"b": 1 + e}, e > 0) for e in (-CLOSE, CLOSE)],
    ("inertia-wheel-pendulum", {"K": 1e-3}, False),
    *[("ball-and-beam", {"m": 1 + e}, e > 0) for e in (-NEAR, NEAR)],
    ("ball-and-beam", {"K": -0.5}, False),
    ("ball-and-beam", {"K": 1e-6}, True),
    *[("acrobot", {"m": 1 + e}, e > 0) for e in (-NEAR, NEAR)],
    *[("acrobot", {"K": 1 + e}, e > 0) for e in (-NEAR, NEAR)],
    ("acrobot", {"b": -2.0}, False),  # above -M11/M12 = -2.105
    ("acrobot", {"b": -2.11}, True),
    ("acrobot", {"b": -2.73}, True),
    ("acrobot", {"b": -2.75}, False),  # below -(g1 + g2)/g2 = -2.737
]


@pytest.mark.parametrize(("name", "gains", "stable"), FLIPS)
def test_stability_flips_where_the_closed_form_says(name, gains, stable):
    values = GAINS[name](**gains)
    sys = symbolic(name).system
    rest = np.zeros(sys.nstates)
    assert gc.certify(sys, rest, params=values).verdict is (STABLE if stable else UNSTABLE)
    J = sys.jacobian(0, rest, params=values)
    spectrum = np.linalg.eigvals(J)
    fastest = np.abs(spectrum).max()
    assert (spectrum.real.max() < 1e-6 * fastest) == stable


def test_the_bounds_on_the_direction_are_sharp():
    """G(w, eta) vanishes at delta = beta^2/J and b = -(I1 + I2)/I2."""
    m, l, R, I, J, delta = sp.symbols("m l R I J delta", real=True)  # noqa: E741 - the length's name
    for name, wanted in [
        ("furuta-pendulum", I + m * l**2 - (m * R * l) ** 2 / delta),
        ("inertia-wheel-pendulum", I + J + sp.Symbol("b", real=True) * J),
    ]:
        one = shaping(name)
        (base,) = one.plant.base
        plain = {p.symbol: sp.Symbol(p.name, real=True) for p in one.plant.mechanism.parameters}
        found = one.chart.at_rest((one.plant.mechanism.inertia[base, :] * one.w)[0]).subs(plain)
        assert sp.expand(found - wanted) == 0


# -- what is wrong is noticed -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "factor"),
    [("furuta-pendulum", -1), ("furuta-pendulum", sp.Rational(101, 100)), ("ball-and-beam", 2)],
)
def test_another_field_is_not_matched(name, factor):
    one = OneDirection(Plant.of(gc.models.get(name)()), "both")
    changed = [factor * e if i == 0 else e for i, e in enumerate(one.field.w)]  # theta_dot; the ball's f
    one.field = replace(one.field, w=tuple(changed))
    with pytest.raises(MatchingError, match="remainder"):
        controlled(one, **GAINS[name]()).require_matched()


@pytest.mark.parametrize("what", ["force", "inertia", "potential", "fields"])
def test_a_sign_in_the_controlled_lagrangian_is_noticed(what):
    c = symbolic("furuta-pendulum")
    with pytest.raises(MatchingError, match="remainder"):
        replace(c, **{what: -getattr(c, what)}).require_matched()


# -- more than one actuated velocity, linear terms, positions that are states -------------------------


def crane(field=0, at=0):
    """A pendulum on a carriage that two motors move; its inertia and coupling turn with it."""
    phi, x, y = gc.Coordinate("phi", angle=True), gc.Coordinate("x"), gc.Coordinate("y")
    c, s = sp.cos(phi.symbol), sp.sin(phi.symbol)
    linear = [0, 0, 0]
    linear[at] = field * x.symbol
    return gc.EulerPoincare(
        shape=[phi, x, y],
        inertia=[
            [sp.Rational(7, 5), c, 1],
            [c, 3, s / 2],
            [1, s / 2, 4],
        ],
        potential=2 * c,
        gyroscopic=linear if field else None,
        forces=[0, *sp.symbols("u1 u2", real=True)],
        inputs=["u1", "u2"],
    )


@pytest.mark.parametrize("field", [0, sp.Rational(3, 7)])
def test_two_actuated_velocities_and_a_magnetic_term_between_them(field):
    one = OneDirection(Plant.of(crane(field, at=2)), "kinetic")
    names = ["delta22", "delta23", "delta33", "m22", "m23", "m33"]
    assert [g.name for g in one.gains] == names
    c = controlled(one, **dict(zip(names, (2.0, 0.3, 1.5, -7.0, 0.4, -5.0), strict=True)))
    c.require_matched()
    plant, u, rng = open_plant(c), law(c, None), np.random.default_rng(2)
    for _ in range(20):
        x = near(c.system, rng)
        wanted = c.system.rhs(0, x)
        assert np.abs(plant.rhs(0, x, u(x)) - wanted).max() <= 1e-11 * max(1.0, np.abs(wanted).max())


def test_a_magnetic_term_against_the_unactuated_velocity_is_refused():
    one = OneDirection(Plant.of(crane(sp.Integer(1), at=0)), "kinetic")
    values = {g.name: 1.0 + i for i, g in enumerate(one.gains)}
    with pytest.raises(MatchingError, match="linear term"):
        controlled(one, **values)


def test_a_position_that_is_a_state_needs_no_further_one():
    """Furuta's arm by its angle: z = theta + beta/sqrt(delta J) atan(sqrt(J/delta) sin phi)."""
    theta, phi = gc.Coordinate("theta", angle=True), gc.Coordinate("phi", angle=True)
    beta, J, I = sp.Rational(3, 2), sp.Rational(2), sp.Rational(5)  # noqa: E741 - the table's name
    m = gc.EulerPoincare(
        shape=[theta, phi],
        inertia=[
            [I + J * sp.sin(phi.symbol) ** 2, beta * sp.cos(phi.symbol)],
            [beta * sp.cos(phi.symbol), J],
        ],
        potential=4 * sp.cos(phi.symbol),
        forces=[sp.Symbol("u", real=True), 0],
        inputs=["u"],
    )
    c = controlled(OneDirection(Plant.of(m), "both"), delta=0.5, m22=-6.0, K=-2.0)
    c.require_matched()
    assert c.system.state_labels == ("theta_dot", "phi_dot", "theta", "phi")
    z = 0.2 + 1.5 * np.arctan(2 * np.sin(0.3))  # beta/sqrt(delta J) = 3/2, sqrt(J/delta) = 2
    energy = c.system.energy(np.array([0, 0, 0.2, 0.3]))
    assert energy - c.system.energy(np.array([0, 0, 0, 0.0])) == pytest.approx(
        4 * (np.cos(0.3) - 1) - z**2, rel=1e-13
    )
    assert gc.certify(c.system, np.zeros(4)).verdict is STABLE


def test_the_cart_on_an_incline_keeps_its_states():
    one = OneDirection(Plant.of(gc.models.get("cart-pendulum")(incline=True)), "both")
    c = controlled(one, delta=0.02, m22=-0.5, K=-1.0)
    c.require_matched()
    assert c.system.state_labels == ("x_dot", "phi_dot", "x", "phi")
    assert one.notes == ()
    J = c.system.jacobian(0, np.zeros(4))
    assert np.linalg.eigvals(J).real.max() < 1e-10


def test_the_potential_alone():
    one = OneDirection(Plant.of(gc.models.get("furuta-pendulum")()), "potential")
    assert [g.name for g in one.gains] == ["K"]
    c = controlled(one, K=0.3)
    c.require_matched()
    assert c.force is None
    assert c.inertia == sp.ImmutableMatrix(one.plant.mechanism.inertia)


# -- refusals -----------------------------------------------------------------------------------------


def test_refusals_say_why():
    furuta_plant = Plant.of(gc.models.get("furuta-pendulum")())
    m = furuta_plant.mechanism
    phi = sp.Symbol("phi", real=True)
    at = {p.name: p.symbol for p in m.parameters}
    G = m.inertia
    for direction, words in [
        ([-G[1, 1] / G[0, 1]], r"G\(d, eta\) = 0"),
        ([1, 2], "1 expression.*theta_dot.*got 2"),
        ([sp.Symbol("Phi", real=True)], "undeclared symbol Phi"),
        ([sp.Symbol("phi")], "other assumptions"),
        (["phi"], "text"),
        ([at["R"] / at["l"] * sp.Symbol("theta", real=True)], "undeclared symbol theta"),
    ]:
        with pytest.raises(MatchingError, match=words):
            OneDirection(furuta_plant, "both", direction)
    with pytest.raises(MatchingError, match="takes no direction"):
        OneDirection(furuta_plant, "potential", [sp.cos(phi)])
    for name, words in [
        ("spherical-pendulum-on-puck", "2 directions"),
        ("top-on-movable-base", "directions"),
    ]:
        with pytest.raises(MatchingError, match=words):
            OneDirection(Plant.of(gc.models.get(name)()), "both")


def test_gains_without_a_lagrangian_are_refused():
    with pytest.raises(MatchingError, match=r"p = 0.*shapes nothing"):
        controlled(shaping("ball-and-beam"), **ball() | {"p": 0.0})
    with pytest.raises(MatchingError, match="delta = 0"):
        controlled(shaping("furuta-pendulum"), **furuta() | {"delta": 0.0})
    with pytest.raises(MatchingError, match=r"b = -1.*pole"):
        controlled(shaping("acrobot"), **elbow() | {"b": -1.0})


def test_inertia_of_both_coordinates_needs_a_direction():
    q, s = gc.Coordinate("q", angle=True), gc.Coordinate("s", angle=True)
    m = gc.EulerPoincare(
        shape=[q, s],
        inertia=[[3 + sp.cos(q.symbol - s.symbol), 1], [1, 2]],
        forces=[0, sp.Symbol("u", real=True)],
        inputs=["u"],
    )
    with pytest.raises(MatchingError, match=r"on s.*direction="):
        OneDirection(Plant.of(m), "both")
