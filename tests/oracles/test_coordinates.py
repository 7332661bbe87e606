"""The oracle in coordinates against equations of motion known independently of it."""

import numpy as np
import pytest
import sympy as sm

from tests.oracles.coordinates import CHARTS, CoordinateOracle

GAMMA = sm.symbols("g1:4")
BODY = np.diag([1.3, 2.1, 0.7])
FULL = np.array([[1.3, 0.15, -0.2], [0.15, 2.1, 0.35], [-0.2, 0.35, 0.9]])
E1, E2, E3 = np.eye(3)

chart_parameter = pytest.mark.parametrize("chart", CHARTS)


def cross(a, b):
    return np.cross(a, b)


def hat(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def relative_error(computed, expected):
    return np.max(np.abs(np.subtract(computed, expected))) / np.max(np.abs(expected))


def size(factor):
    return {"so2": 1, "so3": 3, "se2": 3, "se3": 6}.get(factor) or int(factor[1:])


def random_polynomial(rng, symbols):
    """Small random coefficients on 1, the symbols and one product of two of them."""
    i, j = rng.integers(len(symbols), size=2)
    return (
        sum(c * s for c, s in zip(rng.uniform(-0.2, 0.2, len(symbols)), symbols, strict=True))
        + float(rng.uniform(-0.2, 0.2)) * symbols[i] * symbols[j]
        + float(rng.uniform(-0.2, 0.2))
    )


def random_mechanism(rng, factors, bodies, r):
    """Keyword arguments of a random mechanism; one advected vector for each index in ``bodies``."""
    n = sum(map(size, factors))
    triples = [sm.symbols(f"g{a}_1:4") for a in range(len(bodies))]
    symbols = [s for triple in triples for s in triple]
    xi, inputs = sm.symbols(f"w1:{n + 1}"), sm.symbols("u1:3")
    inertia = sm.diag(*map(float, rng.uniform(3.0, 6.0, n)))
    for i in range(n):
        for j in range(i + 1):
            inertia[i, j] += random_polynomial(rng, symbols)
            inertia[j, i] = inertia[i, j]
    psi = sm.Matrix(r, n, lambda i, j: random_polynomial(rng, symbols) + (2 if i == j else 0)) if r else None
    return dict(
        factors=factors,
        advected=[(triple, rng.normal(size=3) / 2, f) for triple, f in zip(triples, bodies, strict=True)],
        inertia=inertia,
        potential=random_polynomial(rng, symbols) + symbols[0] ** 3 * symbols[-1],
        gyroscopic=[random_polynomial(rng, symbols) for _ in range(n)],
        constraints=psi,
        force=[random_polynomial(rng, symbols) * inputs[i % 2] - 0.3 * xi[i] * xi[0] for i in range(n)],
        inputs=inputs,
        xi=xi,
    )


def admissible_velocity(rng, mechanism, symbols, gamma):
    """A random velocity in the kernel of psi."""
    xi = rng.normal(size=len(mechanism["xi"]))
    if mechanism["constraints"] is not None:
        psi = sm.lambdify(symbols, mechanism["constraints"])(*gamma)
        xi -= np.linalg.pinv(psi) @ (psi @ xi)
    return xi


def heavy_top(chart, inertia, gyroscopic=None, constraints=None):
    """so3 with U = 0.8 g1 - 1.7 g3 + 0.6 g1 g2, and its (q, Omega, Gamma, dl/dGamma) at a random state."""
    g1, g2, g3 = GAMMA
    oracle = CoordinateOracle(
        ["so3"],
        [(GAMMA, E3, 0)],
        inertia,
        0.8 * g1 - 1.7 * g3 + 0.6 * g1 * g2,
        gyroscopic=gyroscopic,
        constraints=constraints,
        chart=chart,
    )
    rng = np.random.default_rng(5)
    q = oracle.random_configuration(rng)
    gamma = oracle.advected(q)[0]
    slope = -np.array([0.8 + 0.6 * gamma[1], 0.6 * gamma[0], -1.7])
    return oracle, q, rng.normal(size=3), gamma, slope


@chart_parameter
def test_free_rigid_body(chart):
    oracle = CoordinateOracle(["so3"], [], BODY, 0, chart=chart)
    rng = np.random.default_rng(1)
    for _ in range(5):
        omega = rng.normal(size=3)
        xidot, multipliers = oracle.acceleration(oracle.random_configuration(rng), omega)
        assert relative_error(BODY @ xidot, cross(BODY @ omega, omega)) < 1e-12
        assert multipliers.shape == (0,)


@chart_parameter
def test_heavy_top(chart):
    oracle, q, omega, gamma, slope = heavy_top(chart, FULL)
    xidot, _ = oracle.acceleration(q, omega)
    assert relative_error(FULL @ xidot, cross(FULL @ omega, omega) + cross(slope, gamma)) < 1e-12


def test_only_the_symmetric_part_of_the_inertia_counts():
    skew = sm.Matrix(hat([0.4, -0.3, 0.2])) * GAMMA[0]
    expected, q, omega, _, _ = heavy_top("zyx", FULL)
    oracle, *_ = heavy_top("zyx", sm.Matrix(FULL) + skew)
    assert relative_error(oracle.acceleration(q, omega)[0], expected.acceleration(q, omega)[0]) < 1e-13


@chart_parameter
def test_gyroscopic_term_and_its_sign(chart):
    covector = np.array([0.4, -1.1, 0.75])
    oracle, q, omega, gamma, slope = heavy_top(chart, FULL, gyroscopic=covector)
    xidot, _ = oracle.acceleration(q, omega)
    without = cross(FULL @ omega, omega) + cross(slope, gamma)
    assert relative_error(FULL @ xidot, without + cross(covector, omega)) < 1e-12
    assert relative_error(FULL @ xidot, without - cross(covector, omega)) > 1e-1


@chart_parameter
def test_suslov_with_the_explicit_multiplier(chart):
    """Pidot = Pi x Omega + dl/dGamma x Gamma + lambda a, with a.Omega = 0 kept, for a full inertia."""
    a = np.array([0.3, -0.5, 1.2])
    oracle, q, omega, gamma, slope = heavy_top(chart, FULL, constraints=[a])
    omega -= a * (a @ omega) / (a @ a)
    xidot, multipliers = oracle.acceleration(q, omega)
    moment = cross(FULL @ omega, omega) + cross(slope, gamma)
    inverse = np.linalg.inv(FULL)
    expected = -(a @ inverse @ moment) / (a @ inverse @ a)
    assert multipliers == pytest.approx([expected], rel=1e-12)
    assert relative_error(xidot, inverse @ (moment + expected * a)) < 1e-12
    with pytest.raises(ValueError, match="does not satisfy"):
        oracle.acceleration(q, omega + a)


@chart_parameter
def test_newton_euler_with_an_offset_mass_centre(chart):
    """Mass centre at rho from the frame; weight at the mass centre, a thrust at the point p and a couple."""
    m, gravity, thrust, couple = 1.7, 9.3, 2.6, np.array([0.4, -0.9, 1.4])
    rho, p, b = np.array([0.3, -0.2, 0.5]), np.array([-0.6, 0.1, 0.25]), np.array([0.48, 0.6, 0.64])
    shift = np.hstack([-hat(rho), np.eye(3)])  # velocity of the mass centre: Y + Omega x rho
    inertia = m * shift.T @ shift
    inertia[:3, :3] += FULL
    u = sm.Symbol("u")
    force = [*(cross(p, b) * u + couple), *(u * b[i] - m * gravity * GAMMA[i] for i in range(3))]
    oracle = CoordinateOracle(
        ["se3"],
        [(GAMMA, E3, 0)],
        inertia,
        m * gravity * sum(r * g for r, g in zip(rho, GAMMA, strict=True)),
        force=force,
        inputs=[u],
        chart=chart,
    )
    rng = np.random.default_rng(3)
    q, xi = oracle.random_configuration(rng), rng.normal(size=6)
    omega, gamma = xi[:3], oracle.advected(q)[0]
    centre_velocity = xi[3:] + cross(omega, rho)
    omegadot = np.linalg.solve(FULL, cross(FULL @ omega, omega) + couple + thrust * cross(p - rho, b))
    centre_rate = thrust * b / m - gravity * gamma - cross(omega, centre_velocity)
    xidot, _ = oracle.acceleration(q, xi, [thrust])
    assert relative_error(xidot, [*omegadot, *(centre_rate - cross(omegadot, rho))]) < 1e-12


def test_chaplygin_sleigh():
    moment, m, a = 0.45, 1.9, 0.35
    shift = np.array([[0, 1, 0], [a, 0, 1.0]])  # velocity of the mass centre at (a, 0) for xi = (w, Y1, Y2)
    inertia = m * shift.T @ shift + np.diag([moment, 0, 0])
    oracle = CoordinateOracle(["se2"], [], inertia, 0, constraints=[[0, 0, 1]])
    w, v = 1.3, -0.8
    (wdot, vdot, sidewise), multipliers = oracle.acceleration([0.7, 0.2, -0.4], [w, v, 0])
    assert vdot == pytest.approx(a * w**2, rel=1e-12)
    assert wdot == pytest.approx(-m * a / (moment + m * a**2) * v * w, rel=1e-12)
    assert sidewise == pytest.approx(0, abs=1e-13)
    # The knife edge gives the transverse acceleration of the mass centre: it acts there on no other body.
    assert multipliers == pytest.approx([m * (a * wdot + v * w)], rel=1e-12)


@chart_parameter
def test_pendulum_skate(chart):
    """The published reduced equations, on the leaf Gamma_1 = 0; parameters through ``parameters``."""
    i1, i2, i3, m, gravity, length = 0.9, 1.6, 0.55, 2.3, 9.7, 0.65
    ms, gs, ls = parameters = sm.symbols("m g l")
    xi = sm.Matrix(sm.symbols("w1:7"))
    centre = xi[3:, :] + xi[:3, :].cross(sm.Matrix([0, 0, ls]))
    kinetic = (i1 * xi[0] ** 2 + i2 * xi[1] ** 2 + i3 * xi[2] ** 2 + ms * centre.dot(centre)) / 2
    normal = [0, -GAMMA[2], GAMMA[1]]  # E1 x Gamma
    psi = [[*normal, 0, 0, 0], [0, 0, 0, *GAMMA], [0, 0, 0, *normal]]
    values = dict(zip(parameters, (m, gravity, length), strict=True))
    oracle = CoordinateOracle(
        ["se3"],
        [(GAMMA, E3, 0)],
        sm.hessian(kinetic, list(xi)),
        ms * gs * ls * GAMMA[2],
        constraints=psi,
        parameters=values,
        chart=chart,
    )
    roll, heading = 0.6, 1.1
    along = np.array([np.cos(heading), np.sin(heading), 0])  # the blade; the roll tilts axis 2 of the body
    axis2 = np.cos(roll) * cross(E3, along) + np.sin(roll) * E3
    q = oracle.q_for([(np.column_stack([along, axis2, cross(along, axis2)]), np.array([0.3, -0.2, 0]))])
    gamma = oracle.advected(q)[0]
    _, g2, g3 = gamma
    assert gamma == pytest.approx([0, np.sin(roll), np.cos(roll)], abs=1e-15)
    v1, v2, v3 = 0.8, -1.4, 2.2
    xidot, _ = oracle.acceleration(q, [*(v1 * E1 + v2 * gamma), *(v3 * E1)])
    ml, d = m * length, i2 * g2**2 + i3 * g3**2
    roll_moment = ((i2 + ml * length - i3) * g3 * v2**2 + ml * gravity) * g2 + ml * g3 * v2 * v3
    expected = [
        roll_moment / (i1 + ml * length),
        2 * (i3 - i2) * g2 * g3 * v1 * v2 / d,
        -2 * length * i3 * g3 * v1 * v2 / d,
    ]
    assert relative_error([xidot[0], xidot[:3] @ gamma, xidot[3]], expected) < 1e-12


@pytest.mark.long(reason="sympy takes ten seconds; other charts are compared here")
def test_literal_lagrange_equations():
    """sympy differentiates L(q, qdot) itself, in a third chart of SO(3), G and A depending on Gamma."""
    mechanism = random_mechanism(np.random.default_rng(8), ["so2", "so3", "r1"], [1, 0], 0)
    q, qdot = sm.Matrix(sm.symbols("q1:6")), sm.Matrix(sm.symbols("v1:6"))
    planar = sm.rot_ccw_axis3(q[0])
    spatial = sm.rot_ccw_axis1(q[1]) * sm.rot_ccw_axis3(q[2]) * sm.rot_ccw_axis2(q[3])
    rate = sum((spatial.diff(c) * v for c, v in zip(q, qdot, strict=True)), sm.zeros(3))
    xi = sm.Matrix([qdot[0], *((spatial.T * rate)[i] for i in (7, 2, 3)), qdot[4]])
    given = dict(zip(mechanism["xi"], xi, strict=True))
    for (triple, reference, _), rotation in zip(mechanism["advected"], (spatial, planar), strict=True):
        given.update(zip(triple, rotation.T * sm.Matrix(reference), strict=True))
    omega = sm.Matrix(mechanism["xi"])
    lagrangian = sm.Matrix(
        [
            omega.dot(mechanism["inertia"] * omega) / 2
            - mechanism["potential"]
            + sm.Matrix(mechanism["gyroscopic"]).dot(omega)
        ]
    ).xreplace(given)
    momentum = lagrangian.jacobian(qdot).T
    w = xi.jacobian(qdot)
    rhs = lagrangian.jacobian(q).T - momentum.jacobian(q) * qdot
    rhs += w.T * sm.Matrix(mechanism["force"]).xreplace(given)
    results = [momentum.jacobian(qdot), rhs, xi, w, xi.jacobian(q) * qdot, planar, spatial]
    evaluate = sm.lambdify([list(q), list(qdot), mechanism["inputs"]], results, cse=True)
    at, u = [0.4, -0.7, 0.5, 1.1, 0.2], [0.7, -1.2]
    mass, rhs, xi, w, drift, planar, spatial = evaluate(at, [0.9, -0.6, 1.2, 0.3, -1.5], u)
    expected = w @ np.linalg.solve(mass, rhs) + drift
    for chart in CHARTS:
        oracle = CoordinateOracle(**mechanism, chart=chart)
        there = oracle.q_for([(planar, None), (spatial, None), (None, [at[4]])])
        xidot, _ = oracle.acceleration(there, xi[:, 0], u)
        assert relative_error(xidot, expected[:, 0]) < 1e-11


MECHANISMS = [
    (["se3", "r1"], [0], 2),
    (["so3", "so3"], [0, 1, 1], 0),
    (["se3", "so2"], [0, 1], 3),
    (["se2", "r2", "so3"], [2, 0, 2, 2], 1),
]


@pytest.mark.parametrize(("factors", "bodies", "r"), MECHANISMS)
def test_charts_agree_and_energy_balances(factors, bodies, r):
    """Two charts give one motion, and d/dt (1/2 xi.G xi + U) = F.xi along it (A and psi drop out)."""
    rng = np.random.default_rng(100)
    mechanism = random_mechanism(rng, factors, bodies, r)
    symbols = [symbol for triple, _, _ in mechanism["advected"] for symbol in triple]
    oracles = [CoordinateOracle(**mechanism, chart=chart) for chart in CHARTS]
    energy_parts = sm.lambdify(symbols, [mechanism["inertia"], mechanism["potential"]], cse=True)
    force = sm.lambdify([*mechanism["xi"], *symbols, *mechanism["inputs"]], mechanism["force"], cse=True)
    u = [0.8, -0.5]
    for _ in range(5):
        q = oracles[0].random_configuration(rng)
        other = oracles[1].q_for(oracles[0].configuration(q))
        gamma = np.concatenate(oracles[0].advected(q))
        assert relative_error(np.concatenate(oracles[1].advected(other)), gamma) < 1e-13
        xi = admissible_velocity(rng, mechanism, symbols, gamma)
        xidot, multipliers = oracles[0].acceleration(q, xi, u)
        again = oracles[1].acceleration(other, xi, u)
        assert multipliers.shape == (r,)
        assert relative_error(np.concatenate(again), [*xidot, *multipliers]) < 1e-11

        gammadot = []
        for body, vector in zip(bodies, gamma.reshape(-1, 3), strict=True):
            first = sum(map(size, factors[:body]))
            omega = xi[first] * E3 if factors[body].endswith("2") else xi[first : first + 3]
            gammadot.extend(cross(vector, omega))
        step = 1e-30j  # complex step, exact to rounding: the energy is a polynomial in Gamma and xi
        g, potential = energy_parts(*(gamma + step * np.array(gammadot)))
        velocity = xi + step * xidot
        powers = xi * force(*xi, *gamma, *u)
        rate = (velocity @ g @ velocity / 2 + potential).imag / 1e-30
        assert abs(rate - powers.sum()) < 1e-11 * np.abs(powers).sum()


@chart_parameter
def test_velocity_matrix_reconstructs_the_motion(chart):
    """Along qdot: Rdot = R hat(Omega), xdot = R Y, in the plane and in space, by a central difference."""
    oracle = CoordinateOracle(["se3", "se2", "r2"], [], np.eye(11), 0, chart=chart)
    rng = np.random.default_rng(4)
    q, xi, h = oracle.random_configuration(rng), rng.normal(size=11), 1e-5
    qdot = oracle.coordinate_velocity(q, xi)
    space, plane, line = oracle.configuration(q)
    ahead, behind = oracle.configuration(q + h * qdot), oracle.configuration(q - h * qdot)
    expected = [
        (space.rotation @ hat(xi[:3]), space.rotation @ xi[3:6]),
        (plane.rotation @ hat(xi[6] * E3), plane.rotation[:2, :2] @ xi[7:9]),
    ]
    for a, b, (rotation_rate, position_rate) in zip(ahead[:2], behind[:2], expected, strict=True):
        assert (a.rotation - b.rotation) / (2 * h) == pytest.approx(rotation_rate, abs=1e-8)
        assert (a.position - b.position) / (2 * h) == pytest.approx(position_rate, abs=1e-8)
    assert (ahead[2].position - line.position) / h == pytest.approx(xi[9:], abs=1e-8)
    assert oracle.q_for([space, plane, line]) == pytest.approx(q, abs=1e-14)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(chart="xyz"), "unknown chart"),
        (dict(factors=["so4"]), "unknown factor"),
        (dict(factors=["r3"]), "does not rotate"),
        (dict(inertia=np.eye(4)), "expected 3 x 3 entries"),
        (dict(potential=sm.Symbol("c") * GAMMA[2]), "symbols without a value: .'c'"),
    ],
)
def test_bad_descriptions_are_refused(changes, message):
    description = dict(factors=["so3"], advected=[(GAMMA, E3, 0)], inertia=BODY, potential=GAMMA[2])
    with pytest.raises(ValueError, match=message):
        CoordinateOracle(**{**description, **changes})
