"""Connection, momentum equation, curvature: published forms, random mechanisms, gaits against simulation."""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import logm

import geoctrl as gc
from tests.sweeps import sampled
from tests.systems.comparisons import along
from tests.systems.mechanisms import polynomial, rational

PHI, PSI = sp.symbols("phi psi", real=True)
T = gc.time


@cache
def snakeboard():
    board = gc.models.get("snakeboard")()
    m, l, J, Jr, Jw = (p.symbol for p in board.parameters)  # noqa: E741
    basis = [[sp.sin(2 * PHI), -2 * l * sp.cos(PHI) ** 2, 0]]
    return board.reduce(), board.reduce().connection(basis=basis), (m, l, J, Jr, Jw)


def vanishes(expr):
    """Whether an expression in sines and cosines of phi is zero: a polynomial modulo s^2 + c^2 = 1."""
    s, c = sp.symbols("s c")
    plain = sp.expand_trig(sp.sympify(expr)).subs(sp.tan(PHI), sp.sin(PHI) / sp.cos(PHI))
    numerator = sp.numer(sp.together(plain.subs({sp.sin(PHI): s, sp.cos(PHI): c})))
    return sp.rem(sp.expand(numerator), s**2 + c**2 - 1, s) == 0


def test_the_momentum_equation_of_the_snakeboard_is_the_printed_one():
    """[Bloch, Krishnaprasad, Marsden and Murray 1996, section 8.4], of a board with J + Jr + 2 Jw = m l^2."""
    _, connection, (m, l, J, Jr, Jw) = snakeboard()  # noqa: E741
    (p,), phi_dot, psi_dot = (
        connection.momenta,
        sp.Symbol("phi_dot", real=True),
        sp.Symbol("psi_dot", real=True),
    )
    special = {J: m * l**2 - Jr - 2 * Jw}
    printed = 2 * Jr * sp.cos(PHI) ** 2 * phi_dot * psi_dot - sp.tan(PHI) * phi_dot * p
    assert vanishes(connection.momentum_equation[0].subs(special) - printed)
    assert not vanishes(connection.momentum_equation[0].subs(special) + printed)
    forward = (Jr * sp.sin(2 * PHI) * psi_dot - p) / (2 * m * l)
    expected = [-sp.tan(PHI) / l * forward, forward, 0]
    for found, e in zip(connection.velocity, expected, strict=True):
        assert vanishes(sp.sympify(found).subs(special) - e)


def imposed(system, path, start, times, **params):
    """A run in which the shape follows a path: its accelerations are affine in the inputs."""
    names = [c.name for c in system.mechanism.shape]
    second = sp.lambdify([T], [sp.diff(path.get(name, 0), T, 2) for name in names])
    places = [list(system.state_labels).index(label) for label in ("psi_rate", "phi_rate")]

    def inputs(t, x, p):
        base = system.rhs(t, x, [0.0, 0.0], p)[places]
        slopes = np.array([system.rhs(t, x, u, p)[places] - base for u in np.eye(2)]).T
        return np.linalg.solve(slopes, np.array(second(t)) - base)

    return gc.simulate(system, times, start, inputs=inputs, engine="scipy", params=params)


@pytest.mark.parametrize("params", [{}, {"J": 0.05, "m": 4.0}])
@pytest.mark.parametrize(("ratio", "phase"), [((1, 1), 0), ((3, 2), sp.Rational(1, 3))])
def test_a_gait_moves_the_snakeboard_as_simulation_does(ratio, phase, params):
    """Parallel parking and the like: one cycle from rest, the momentum that is left over included."""
    system, connection, _ = snakeboard()
    path = {
        "psi": sp.Rational(7, 10) * sp.sin(ratio[0] * T + phase) - sp.Rational(7, 10) * sp.sin(phase),
        "phi": sp.Rational(3, 10) * (1 - sp.cos(ratio[1] * T)),
    }
    period = 2 * np.pi
    rates = {name: float(sp.diff(e, T).subs(T, 0)) for name, e in path.items()}
    start = np.array([0.0, rates["psi"], rates["phi"], 0.0, 0.0])
    # At straight wheels p = -2 m l Y1 + ..: at rest along the board there is none.
    assert not system.velocity(start)[:3].any()
    traj = imposed(system, path, start, np.linspace(0, period, 41), **params)
    found = connection.displacement(path, period, params=params)
    R, x = traj.attitude()[-1], traj.position()[-1]
    np.testing.assert_allclose(found.g[:2, 2], x[:2], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.g[:2, :2], R[:2, :2], rtol=0, atol=1e-9)
    assert np.linalg.norm(x) > 0.01
    g, p = connection.path(path, traj.time, params=params)
    np.testing.assert_allclose(g[:, :2, 2], traj.position()[:, :2], rtol=0, atol=1e-9)
    assert p[0, -1] == pytest.approx(found.momentum[0], abs=1e-11)
    values = system.params | params
    left = -2 * values["m"] * values["l"] * traj["along"][-1] * values["l"]  # Y1 = l cos(phi) along
    assert found.momentum[0] == pytest.approx(left, abs=1e-8)


GROUPS = {"se2": gc.se2, "so3": gc.so3}


def drawn(seed, kind, rows):
    """Any inertia, gyroscopic term and rows in two coordinates; nothing depends on the group."""
    rng = np.random.default_rng(seed)
    group, shape = GROUPS[kind](), [gc.Coordinate("phi", angle=True), gc.Coordinate("psi")]
    n = group.n + 2
    r = [sp.sin(PHI), PSI / (1 + PSI**2)]
    root = sp.Matrix(n, n, lambda i, j: rational(rng, -0.6, 0.6))
    inertia = 3 * sp.eye(n) + root * root.T + sp.diag(*(polynomial(rng, r, 0.4, 2) ** 2 for _ in range(n)))
    psi = sp.Matrix(rows, n, lambda i, j: rational(rng, -0.4, 0.4) + polynomial(rng, r, 0.3, 1))
    for i in range(rows):
        psi[i, i] = 2
    u = sp.Symbol("u", real=True)
    return gc.EulerPoincare(
        algebra=group,
        shape=shape,
        inertia=inertia,
        gyroscopic=[polynomial(rng, r, 0.5) for _ in range(n)],
        potential=polynomial(rng, r, 1.0),
        constraints=psi if rows else None,
        forces=[rational(rng, -1, 1) * u * (1 + r[0] / 3) for _ in range(n)],
        inputs=["u"],
        name=f"{kind}, {rows} rows",
    )


@pytest.mark.parametrize(
    ("seed", "kind", "rows"),
    sampled(
        [(0, "se2", 2), (1, "se2", 1), (2, "so3", 1), (3, "so3", 2), (4, "se2", 0)],
        [(3, "so3", 2), (4, "se2", 0)],
        reason="each group is among those that run, and the snakeboard has a momentum beside its rows",
    ),
)
def test_velocity_and_momentum_are_those_of_the_motion(seed, kind, rows):
    """Momenta from the inertia at random states; their rates by complex steps along the reduced motion."""
    mechanism = drawn(seed, kind, rows)
    system = mechanism.reduce()
    connection = system.connection()
    n, rng = mechanism.group.n, np.random.default_rng(seed)
    r = list(connection.shape)
    parts = sp.lambdify(
        r, [sp.Matrix(mechanism.inertia)[:n, :], sp.Matrix(mechanism.gyroscopic)[:n, :], connection.basis]
    )
    symbols = [*r, *connection.rates, *connection.momenta, sp.Symbol("u", real=True)]
    told = sp.lambdify(symbols, [*connection.velocity, *connection.momentum_equation], cse=True)

    def momenta(x):
        G, A, e = parts(*system.configuration(x))
        return e.T @ (G @ system.velocity(x) + np.ravel(A))

    for _ in range(3):
        x, u = system.random_state(rng), float(rng.normal())
        xi, place = system.velocity(x), system.configuration(x)
        found = np.array(told(*place, *xi[n:], *momenta(x), u))
        np.testing.assert_allclose(found[:n], xi[:n], rtol=0, atol=1e-11)
        rate = along(momenta, x, system.rhs(0.0, x, [u]))
        np.testing.assert_allclose(found[n:], rate, rtol=1e-13, atol=1e-10)  # momenta may be large


@cache
def without_momenta(kind):
    mechanism = drawn(7, kind, GROUPS[kind]().n).replace(gyroscopic=None, forces=None, inputs=())
    return mechanism.reduce().connection()


@pytest.mark.parametrize("kind", ["se2", "so3"])
def test_small_loops_move_the_group_by_the_curvature(kind):
    """As many rows as the group has velocities: what is left beyond the second order falls by eight."""
    connection = without_momenta(kind)
    assert connection.momenta == ()
    errors = []
    for size in (sp.Rational(1, 20), sp.Rational(1, 40)):
        gait = {"phi": sp.Rational(1, 3) + size * sp.cos(T), "psi": -sp.Rational(1, 4) + size * sp.sin(T) / 2}
        exact = connection.displacement(gait, 2 * np.pi)
        rule = connection.area_rule(gait, 2 * np.pi)
        errors.append(np.linalg.norm(exact.log - rule))
        assert np.linalg.norm(rule) > 3 * errors[-1]
        np.testing.assert_allclose(GROUPS[kind]().hat(exact.log), np.real(logm(exact.g)), atol=1e-12)
    assert 6 < errors[0] / errors[1] < 10
    with pytest.raises(gc.InputError, match="from 0 to 1"):
        connection.curvature(0, 2)


def test_two_cycles_are_the_square_of_one():
    """Without momentum every cycle moves the group by the same element."""
    connection = without_momenta("so3")
    gait = {"phi": sp.cos(T) / 2, "psi": sp.sin(T) / 3}
    once = connection.displacement(gait, 2 * np.pi).g
    twice = connection.displacement(gait, 2 * np.pi, cycles=2).g
    np.testing.assert_allclose(twice, once @ once, atol=1e-12)


def test_the_roller_racer_goes_forward_by_steering_alone():
    racer = gc.models.get("roller-racer")().reduce()
    connection = racer.connection()
    gait = {"phi": sp.Rational(1, 2) * sp.sin(4 * T)}
    found = connection.displacement(gait, np.pi / 2, cycles=6)
    assert abs(found.g[0, 2]) > 0.01
    # Straight ahead turning dies out, backwards it grows.
    assert gc.certify(racer, racer.equilibrium("straight", V=-1.0)).verdict is gc.Verdict.PROVED_UNSTABLE
    roots = gc.linearize(racer, racer.equilibrium("straight", V=1.0)).eigenvalues
    assert sorted(np.round(roots.real, 9)) == pytest.approx([min(roots.real), 0.0, 0.0])
    assert min(roots.real) < -1


def test_what_has_no_connection_is_refused_in_words():
    board = gc.models.get("snakeboard")()
    top = gc.models.get("heavy-top")().reduce()
    with pytest.raises(gc.DescriptionError, match="needs a group and coordinates"):
        top.connection()
    with pytest.raises(gc.DescriptionError, match="needs a group and coordinates"):
        gc.models.get("acrobot")().reduce().connection()
    with pytest.raises(gc.DescriptionError, match="Gamma break the symmetry"):
        gamma = gc.AdvectedVector("Gamma")
        gc.EulerPoincare(
            algebra=gc.so3(), advected=[gamma], shape=[gc.Coordinate("s")], inertia=2 * sp.eye(4)
        ).reduce().connection()
    connection = board.reduce().connection()
    with pytest.raises(gc.InputError, match="1 velocities of 3 entries"):
        board.reduce().connection(basis=[[1, 0, 0], [0, 1, 0]])
    with pytest.raises(gc.ConstraintError, match="violate the constraints"):
        board.reduce().connection(basis=[[1, 0, 0]])
    with pytest.raises(gc.InputError, match="1 distinct names"):
        board.reduce().connection(momenta=["Omega"])
    with pytest.raises(gc.DescriptionError, match="dict of coordinate"):
        connection.displacement({"chi": T}, 1.0)
    with pytest.raises(gc.DescriptionError, match="only time may occur"):
        connection.displacement({"phi": PSI}, 1.0)
    with pytest.raises(gc.InputError, match="must be positive"):
        connection.displacement({"phi": sp.sin(T)}, -1.0)
    with pytest.raises(gc.InputError, match="area rule holds where no momentum"):
        connection.area_rule({"phi": sp.sin(T), "psi": sp.cos(T)}, 6.28)
    with pytest.raises(gc.ParameterError, match="Jx"):
        connection.displacement({"phi": sp.sin(T)}, 1.0, params={"Jx": 1})
    with pytest.raises(gc.DescriptionError, match="rotors have no place"):
        board.replace(
            rotors=gc.Rotors([sp.Rational(1, 1000), 0, 0, 0, 0], 2),
            frame=None,
            velocities=None,
            equilibria={},
        ).reduce().connection()


def test_the_curvature_is_drawn_as_it_is():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    _, board, _ = snakeboard()
    # At straight wheels that of the velocity ahead is Jr/(m l), that of turning zero.
    straight = board.curvature_at(np.zeros((2, 3)))
    assert straight[:, 0] == pytest.approx([0.0, 0.072 / (6.0 * 0.2), 0.0], abs=1e-15)
    assert board.curvature_at(np.zeros((2, 4, 5)), 1, 0)[1] == pytest.approx(np.full((4, 5), -0.06))
    heavier = board.curvature_at(np.zeros(2), params={"m": 12.0})
    assert heavier[1] == pytest.approx(0.03)
    r = np.random.default_rng(5).uniform(-1, 1, (2, 6))
    curvature = board.curvature(0, 1)
    for k, place in enumerate(r.T):
        numbers = dict(zip(board.shape, place, strict=True))
        numbers |= {q.symbol: q.default for q in board.mechanism.parameters}
        expected = np.array(curvature.subs(numbers), dtype=float).ravel()
        np.testing.assert_allclose(board.curvature_at(r)[:, k], expected, rtol=1e-12)

    gait = {"psi": sp.Rational(1, 2) * sp.cos(T), "phi": sp.Rational(1, 4) * sp.sin(T)}
    limits = {"phi": (-0.5, 0.5), "psi": (-1, 1)}
    ax = gc.viz.curvature(board, "Y1", limits, {"ellipse": gait}, 2 * np.pi)
    (line,) = ax.lines
    np.testing.assert_allclose((line.get_xdata() / 0.25) ** 2 + (line.get_ydata() / 0.5) ** 2, 1.0)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"$\phi$ (rad)", r"$\psi$ (rad)")
    filled = ax.collections[0]
    # phi comes first here: the sign is the other one, and straight wheels have the lowest colour.
    assert filled.levels[0] <= -0.06 <= filled.levels[1]
    assert filled.levels[0] == -filled.levels[-1]
    ax.figure.canvas.draw()
    plt.close("all")


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (
            ("Y3", {"phi": (-1, 1), "psi": (-1, 1)}),
            gc.InputError,
            r"no velocity of the group 'Y3'; known are Omega, Y1",
        ),
        (("Y1", {"phi": (-1, 1), "chi": (-1, 1)}), gc.InputError, "no coordinate 'chi'"),
        (("Y1", {"phi": (-1, 1)}), gc.InputError, "dict of two coordinates"),
        (("Y1", {"phi": (1, -1), "psi": (-1, 1)}), gc.InputError, r"must be \(least, greatest\)"),
        (("Y1", {"phi": (-1, 1), "psi": (-1, 1)}, {"a": {}}), gc.InputError, "over one period"),
        (("Y1", {"phi": (-1, 1), "psi": (-1, 1)}, {"a": {"q": 1}}, 1.0), gc.DescriptionError, "gait must be"),
    ],
)
def test_bad_input_of_the_picture_is_refused(arguments, error, words):
    _, board, _ = snakeboard()
    with pytest.raises(error, match=words):
        gc.viz.curvature(board, *arguments)
    with pytest.raises(TypeError, match=r"what sys.connection\(\) gives"):
        gc.viz.curvature(3, *arguments)
    with pytest.raises(gc.InputError, match=r"places must have shape \(2, \.\.\)"):
        board.curvature_at(np.zeros(3))
