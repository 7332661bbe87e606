"""A. M. Bloch, N. E. Leonard and J. E. Marsden, Controlled Lagrangians I (2000); with D. E. Chang II (2001).

The law ``u = -kappa d/dt (m l cos(phi) phidot)`` of the cart keeps
``(M + m) xdot + (1 + kappa) m l cos(phi) phidot`` and makes the pendulum's inertia
``m l^2 (1 - (1 + kappa) m cos(phi)^2/(M + m))``: negative upright, where the potential has its maximum, from
kappa = M/m on. With the puck it is the same.
"""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature.thresholds import assert_flips, verdict
from tests.oracles.positions import Positions, t

TOLERANCE = 1e-12  # relative to accelerations up to a few hundred; solved in doubles on both sides


def numbers(mechanism):
    return {p.symbol: p.default for p in mechanism.parameters}


def cart_by_hand(slope, values):
    M, m, l, g = (sp.Symbol(n, positive=True) for n in ["M", "m", "l", "g"])  # noqa: E741
    alpha = sp.Symbol("alpha", real=True)
    x, phi = sp.Function("x")(t), sp.Function("phi")(t)
    place = sp.Matrix([sp.cos(alpha), sp.sin(alpha)]) * x if slope else sp.Matrix([x, 0])
    bob = place + l * sp.Matrix([sp.sin(phi), sp.cos(phi)])
    kinetic = sum(mass * p.diff(t).dot(p.diff(t)) / 2 for mass, p in ((M, place), (m, bob)))
    return Positions(
        [x, phi], kinetic, g * (M * place[1] + m * bob[1]), values, [sp.Symbol("u", real=True), 0]
    )


@pytest.mark.parametrize("incline", [False, True])
def test_the_cart_moves_as_two_masses(incline):
    mechanism = gc.models.get("cart-pendulum")(incline=incline)
    system, u = mechanism.reduce(), sp.Symbol("u", real=True)
    rng = np.random.default_rng(1)
    for _ in range(5):
        x, force = system.random_state(rng), rng.normal()
        place = x[2] if incline else 0.7
        oracle = cart_by_hand(incline, {**numbers(mechanism), u: force})
        expected = oracle.accelerations([place, x[-1]], x[:2])
        found = system.rhs(0, x, [force])
        assert found[:2] == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE)
        assert found[2:].tolist() == (x[:2] if incline else x[1:2]).tolist()


@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_the_upright_falls_at_the_rate_of_the_incline(alpha):
    # lambda^2 = g (M + m)/(l (M + m sin(alpha)^2)); along the incline the cart drifts: two zeros
    system = gc.models.get("cart-pendulum")(incline=True).reduce()
    p = system.params
    lin = gc.linearize(
        system, system.equilibrium("upright", x0=0.4, params={"alpha": alpha}), {"alpha": alpha}
    )
    squared = p["g"] * (p["M"] + p["m"]) / (p["l"] * (p["M"] + p["m"] * np.sin(alpha) ** 2))
    # Two zeros in one block are moved by the root of rounding.
    assert sorted(lin.eigenvalues.real) == pytest.approx(
        [-np.sqrt(squared), 0, 0, np.sqrt(squared)], abs=1e-7
    )


def controlled_cart():
    mechanism = gc.models.get("cart-pendulum")()
    M, m, l, g = (p.symbol for p in mechanism.parameters)  # noqa: E741
    kappa = gc.Parameter("kappa", 4.0, positive=True)
    k, (phi,) = kappa.symbol, mechanism.shape
    c, s, w = sp.cos(phi.symbol), sp.sin(phi.symbol), phi.rate
    inertia = m * l**2 * (1 - (1 + k) * m * c**2 / (M + m))
    law = k * m * l * s * (m * l**2 * w**2 - m * g * l * c) / inertia  # [BLM I, (33)], with D = -m g l
    return mechanism.replace(
        parameters=[*mechanism.parameters, kappa],
        feedback={"u": law},
        invariants={
            "controlled energy": inertia * w**2 / 2 + m * g * l * c,
            "controlled momentum": (M + m) * mechanism.algebra.xi[0] + (1 + k) * m * l * c * w,
        },
    ).reduce()


def test_the_law_of_the_cart_stabilises_from_kappa_on():
    system = controlled_cart()
    assert {"controlled energy", "controlled momentum"} <= set(system.conserved())
    critical = system.params["M"] / system.params["m"]
    assert_flips(system, "upright", "kappa", critical, "PROVED_UNSTABLE", "PROVED_STABLE")


def test_without_a_law_the_cart_falls():
    flat, slope = (gc.models.get("cart-pendulum")(incline=i).reduce() for i in (False, True))
    assert verdict(flat, "upright") == "PROVED_UNSTABLE"
    assert verdict(slope, "upright", params={"alpha": 0.0}, x0=0.2) == "PROVED_UNSTABLE"
    assert verdict(slope, "upright", x0=0.2) == "NUMERICALLY_UNSTABLE"  # sin(0.3) is no rational number
    conditions = gc.stability_conditions(gc.models.get("cart-pendulum")().reduce(), "hanging")
    assert conditions.stable == [sp.true]


# -- the puck ---------------------------------------------------------------------------------------


def test_the_puck_moves_as_two_masses():
    mechanism = gc.models.get("spherical-pendulum-on-puck")()
    system = mechanism.reduce()
    M, m, l, g = (p.symbol for p in mechanism.parameters)  # noqa: E741
    u1, u2 = sp.symbols("u1 u2", real=True)
    X, Y, theta, alpha = (sp.Function(n)(t) for n in ("X", "Y", "theta", "alpha"))
    puck = sp.Matrix([X, Y, 0])
    lean = sp.Matrix([sp.sin(theta) * sp.cos(alpha), sp.sin(theta) * sp.sin(alpha), sp.cos(theta)])
    bob = puck + l * lean
    kinetic = sum(mass * p.diff(t).dot(p.diff(t)) / 2 for mass, p in ((M, puck), (m, bob)))
    s = sp.tan(theta / 2) * sp.Matrix([sp.cos(alpha), sp.sin(alpha)])
    rng = np.random.default_rng(2)
    for _ in range(4):
        q, v, u = rng.uniform(0.4, 1.5, size=4), rng.normal(size=4), rng.normal(size=2)
        values = numbers(mechanism) | {u1: u[0], u2: u[1]}
        oracle = Positions([X, Y, theta, alpha], kinetic, m * g * bob[2], values, [u1, u2, 0, 0])
        a = oracle.accelerations(q, v)
        seen = [X.diff(t), Y.diff(t), *s.diff(t), *s]
        x, expected = oracle.seen(seen, q, v, a)
        assert system.rhs(0, x, u) == pytest.approx(expected, rel=TOLERANCE, abs=10 * TOLERANCE)


def test_the_puck_keeps_the_angular_momentum_about_the_centre_of_mass():
    system = gc.models.get("spherical-pendulum-on-puck")().reduce()
    assert {"energy", "spin", "P1", "P2"} <= set(system.conserved())


def controlled_puck():
    """The loop of ``u = -kappa m rddot``, with rddot of the shape's equations under it; and the Lagrangian
    ``1/2 (M + m) |Y + (1 + kappa) m/(M + m) rdot|^2 - (1 + kappa) m^2/(2 (M + m)) |rdot|^2 + ...`` whose
    equations are its own.
    """
    mechanism = gc.models.get("spherical-pendulum-on-puck")()
    M, m, l, g = (p.symbol for p in mechanism.parameters)  # noqa: E741
    kappa = gc.Parameter("kappa", 3.0, positive=True)
    k, Y = kappa.symbol, mechanism.algebra.xi[:2, :]
    s = sp.Matrix([c.symbol for c in mechanism.shape])
    w = sp.Matrix([c.rate for c in mechanism.shape])
    wide = 1 + s.dot(s)
    J = (2 * l * s / wide).jacobian(s)
    taken = (1 + k) * m**2 / (M + m)
    metric = 4 * m * l**2 / wide**2 * sp.eye(2) - taken * J.T * J
    potential = m * g * l * (1 - s.dot(s)) / wide
    kinetic = (w.T * metric * w)[0] / 2
    force = sp.Matrix([kinetic.diff(e) - potential.diff(e) for e in s])
    force -= sp.Matrix([kinetic.diff(e) for e in w]).jacobian(s) * w
    (a, b), (_, d) = metric.tolist()
    acceleration = sp.Matrix([[d, -b], [-b, a]]) * force / (a * d - b**2)
    r2 = J * acceleration + sp.Matrix([(w.T * sp.hessian(2 * l * e / wide, s) * w)[0] for e in s])
    parameters = [*mechanism.parameters, kappa]
    loop = mechanism.replace(parameters=parameters, feedback={f"u{i + 1}": -k * m * r2[i] for i in (0, 1)})
    shifted = Y + (1 + k) * m / (M + m) * J * w
    own = gc.EulerPoincare(
        algebra=gc.rn(2),
        shape=mechanism.shape,
        lagrangian=(M + m) * shifted.dot(shifted) / 2 + kinetic - potential,
        indefinite=True,
        parameters=parameters,
        equilibria=mechanism.equilibria,
        name="controlled puck",
    )
    return loop.reduce(), own.reduce()


@pytest.mark.long(
    reason="synthesis/test_positions_in_closed_form.py asks for this gain, and the cart's is asked beside it"
)
def test_the_law_of_the_puck_stabilises_from_the_same_gain_on():
    loop, own = controlled_puck()
    rng = np.random.default_rng(11)
    for _ in range(4):
        x = own.random_state(rng)
        expected = own.rhs(0, x)
        assert loop.rhs(0, x) == pytest.approx(expected, rel=0, abs=1e-11 * max(1, np.max(np.abs(expected))))
    critical = own.params["M"] / own.params["m"]
    assert_flips(own, "upright", "kappa", critical, "PROVED_UNSTABLE", "PROVED_STABLE")
    assert verdict(loop, "upright", params={"kappa": critical * (1 - 1e-6)}) == "PROVED_UNSTABLE"


def test_the_puck_falls_at_the_rate_of_the_cart():
    system = gc.models.get("spherical-pendulum-on-puck")().reduce()
    p = system.params
    lin = gc.linearize(system, system.equilibrium("upright"))
    rate = np.sqrt((p["M"] + p["m"]) * p["g"] / (p["M"] * p["l"]))
    assert sorted(lin.eigenvalues.real) == pytest.approx([-rate, -rate, 0, 0, rate, rate], abs=1e-7)
    assert verdict(system, "upright") == "PROVED_UNSTABLE"
