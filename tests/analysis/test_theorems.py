"""Theorems beyond spectrum and energy-Casimir: systems whose truth is known by hand, and those that look
alike.
"""

from __future__ import annotations

import copy
import json
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import checker, decisions
from geoctrl.analysis.proofs.proof import Outcome, decide
from geoctrl.analysis.question.problem import Problem, motion_of
from geoctrl.manifolds import Attitude, Direction, Place, ProductSystem
from tests.analysis.plain import plain

STABLE, ATTRACTS, UNSTABLE = "PROVED_STABLE", "PROVED_ASYMPTOTICALLY_STABLE", "PROVED_UNSTABLE"


def oscillators(first: int, second: int, damper: str) -> Problem:
    """Two unit masses on springs, with a force between them."""
    return plain(
        f"v1, v2, -{first}*q1 + ({damper}), -{second}*q2 - ({damper})",
        {"q1": 0, "q2": 0, "v1": 0, "v2": 0},
        others={"energy": f"(v1**2 + v2**2 + {first}*q1**2 + {second}*q2**2)/2"},
    )


def springs(stiffness: tuple[int, ...], *forces: str) -> Problem:
    """Unit masses, each on its spring, with a force on each."""
    n = range(1, len(stiffness) + 1)
    q, v = ([f"{letter}{i}" for i in n] for letter in "qv")
    rates = [*v, *(f"-{k}*{x} + ({force})" for k, x, force in zip(stiffness, q, forces, strict=True))]
    energy = " + ".join(f"{y}**2/2 + {k}*{x}**2/2" for k, x, y in zip(stiffness, q, v, strict=True))
    return plain(rates, dict.fromkeys([*q, *v], 0), others={"energy": energy})


COUPLED = "-(v1 - v2)**3", "(v1 - v2)**3 - (v2 - v3)", "v2 - v3"
"""A cubic damper between the first and second, a linear one between the second and third."""


def body(force: tuple[str, str, str]) -> Problem:
    """Inertia diag(1, 2, 3) in the field of U = g3 + g1^2, at the bottom."""
    w, g = (sp.Matrix(sp.symbols(f"{letter}1:4", real=True)) for letter in "Og")
    named = {s.name: s for s in (*w, *g)}
    potential, inertia = g[2] + g[0] ** 2, sp.diag(1, 2, 3)
    slope = sp.Matrix([sp.diff(potential, s) for s in g])
    moment = sp.Matrix([sp.sympify(f, locals=named) for f in force]) + g.cross(slope)
    rates = [*(inertia.inv() * ((inertia * w).cross(w) + moment)), *g.cross(w)]
    at = {**dict.fromkeys(named, 0), "g3": -1}
    energy = (w.T * inertia * w)[0] / 2 + potential
    return plain(rates, at, leaf=["g1**2 + g2**2 + g3**2 - 1"], others={"energy": energy})


def point_mass(potential: str) -> Problem:
    """In the plane, at its origin."""
    x, y = sp.symbols("x y", real=True)
    U = sp.sympify(potential, locals={"x": x, "y": y})
    rates = ["p1", "p2", -sp.diff(U, x), -sp.diff(U, y)]
    at = dict.fromkeys(("x", "y", "p1", "p2"), 0)
    return plain(rates, at, conserved={"energy": f"p1**2/2 + p2**2/2 + {U}"})


def on_sphere(potential: str) -> Problem:
    """A unit mass on the unit sphere, at the bottom."""
    q, w = (sp.Matrix(sp.symbols(f"{letter}1:4", real=True)) for letter in "qw")
    U = sp.sympify(potential, locals={s.name: s for s in q})
    slope = sp.Matrix([sp.diff(U, s) for s in q])
    at = {**dict.fromkeys([s.name for s in (*q, *w)], 0), "q3": -1}
    leaf = ["q1**2 + q2**2 + q3**2 - 1", "q1*w1 + q2*w2 + q3*w3"]
    return plain([*w.cross(q), *-q.cross(slope)], at, leaf, conserved={"energy": (w.T * w)[0] / 2 + U})


def negative_springs(damped: str = "v1**3") -> Problem:
    """q'' = q + 3 J q' - (damped, 0): gyroscopically stabilised, and destabilised by the friction."""
    return plain(
        f"v1, v2, q1 + 3*v2 - {damped}, q2 - 3*v1",
        {"q1": 0, "q2": 0, "v1": 0, "v2": 0},
        others={"energy": "(v1**2 + v2**2 - q1**2 - q2**2)/2"},
    )


PROVED = {
    "a line of equilibria": (plain("-x + x*y, -x*y", {"x": 0, "y": "1/2"}), STABLE),
    "a plane of them and an invariant": (
        plain("z*y*(1 + s), 0, -z*(1 + s**2)", {"y": 1, "s": "1/3", "z": 0}, conserved={"s": "s"}),
        STABLE,
    ),
    "one zero root, attracting": (plain("x*y, -y - x**2", {"x": 0, "y": 0}), ATTRACTS),
    "one zero root, repelling": (plain("x*y, -y + x**2", {"x": 0, "y": 0}), UNSTABLE),
    "one zero root, an even power": (plain("x**2 + x*y, -y", {"x": 0, "y": 0}), UNSTABLE),
    "one state, a cubic": (plain("-x**3", {"x": 0}), ATTRACTS),
    "one state, repelled": (plain("x**3", {"x": 0}), UNSTABLE),
    "one state, an even power of it": (plain("x**2", {"x": 0}), UNSTABLE),
    "one direction of a leaf": (plain("-x**3, -2*x**4", {"x": 0, "z": 0}, leaf=["z - x**2"]), ATTRACTS),
    "nothing moves": (plain("0, 0", {"x": "1/2", "y": 0}), STABLE),
    "nothing of a leaf moves": (plain("y - x, 0", {"x": 0, "y": 0}, leaf=["x - y"]), STABLE),
    "friction about one axis": (body(("-O1", "0", "0")), STABLE),
    "friction with a varying coefficient": (body(("-(2 + g3)*O1", "0", "0")), STABLE),
    "cubic friction": (body(("-O1**3", "-O2**3", "-O3**3")), ATTRACTS),
    "a cubic damper between different oscillators": (oscillators(1, 4, "-(v1 - v2)**3"), ATTRACTS),
    "the same between equal ones": (oscillators(1, 1, "-(v1 - v2)**3"), STABLE),
    "a linear damper and a cubic one": (springs((1, 1), "-v1 - (v1 - v2)**3", "(v1 - v2)**3"), ATTRACTS),
    "two cubic dampers, one between": (springs((1, 1), "-v1**3 - (v1 - v2)**3", "(v1 - v2)**3"), ATTRACTS),
    "a cubic damper and one of the fifth degree": (
        springs((1, 1), "-v1**5 - (v1 - v2)**3", "(v1 - v2)**3"),
        ATTRACTS,
    ),
    "dampers of two degrees between three": (springs((1, 4, 9), *COUPLED), ATTRACTS),
    "the same between three equal ones, which move as one": (springs((1, 1, 1), *COUPLED), STABLE),
    "drag by the speed": (springs((1, 4), "-(v1**2 + v2**2)*v1", "-(v1**2 + v2**2)*v2"), ATTRACTS),
    "a damper beside another along an oblique axis": (
        body(("-O1 - (O1 - O2)**3", "(O1 - O2)**3", "-O3**5")),
        ATTRACTS,
    ),
    "a coupling of higher order": (
        plain(
            "v1, v2, -q1 - q2**2 - v1, -q2 - 2*q1*q2",
            {"q1": 0, "q2": 0, "v1": 0, "v2": 0},
            others={"energy": "(v1**2 + v2**2 + q1**2 + q2**2)/2 + q1*q2**2"},
        ),
        ATTRACTS,
    ),
    "friction that destabilises": (negative_springs(), UNSTABLE),
    "friction on one of two oscillators": (
        plain(
            "v1, v2, -q1 - v1, -4*q2",
            {"q1": 0, "q2": 0, "v1": 0, "v2": 0},
            conserved={"second": "v2**2/2 + 2*q2**2"},
            others={"energy": "(v1**2 + v2**2 + q1**2)/2 + 2*q2**2"},
        ),
        STABLE,
    ),
    "quartic on a sphere": (on_sphere("q1**4 + q2**4"), STABLE),
    "quartic by the curvature": (on_sphere("q3 - q1**2/2"), STABLE),
    "sixth power by the curvature": (on_sphere("q3 - q1**2/2 - q1**4/8"), STABLE),
    "a curved valley": (point_mass("(y - x**2)**2 + x**6"), STABLE),
    "one that is flatter": (point_mass("(y - x**3)**2 + x**12"), STABLE),
    "the fourteenth power": (
        plain("p, -14*x**13", {"x": 0, "p": 0}, conserved={"energy": "p**2/2 + x**14"}),
        STABLE,
    ),
    "x^4 + s x with s conserved": (
        plain(
            "p, -4*x**3 - s, 0",
            {"x": 0, "p": 0, "s": 0},
            conserved={"energy": "p**2/2 + x**4 + s*x", "s": "s"},
        ),
        STABLE,
    ),
    "y' = -x^3 beside a nilpotent block": (
        plain("y, -x**3", {"x": 0, "y": 0}, conserved={"energy": "y**2/2 + x**4/4"}),
        STABLE,
    ),
    "no minimum above a minimum on every line": (point_mass("(y - x**2)*(y - 3*x**2)"), UNSTABLE),
    "an indefinite quartic": (point_mass("x**4 - 3*x**2*y**2 + y**4"), UNSTABLE),
    "an odd lowest power": (point_mass("x**3 + y**2"), UNSTABLE),
    "a family cut by a cross": (plain("s*y, 0, -z", {"y": 0, "s": 0, "z": 0}), UNSTABLE),
    # q1 comes to rest, and q2'' = -q2 + q2'^3 in the third order
    "a linear brake that a cubic drive overcomes elsewhere": (
        springs((1, 1), "-v1 + (v1 - v2)**3", "-(v1 - v2)**3"),
        UNSTABLE,
    ),
    "drift without a nilpotent block": (
        plain("s**2, 0, -z", {"x": 0, "s": 0, "z": 0}, conserved={"s": "s"}),
        UNSTABLE,
    ),
    "drift of a falling coordinate": (
        plain("-y**2, 0", {"x": 0, "y": 0}, conserved={"V": "y**2"}, others={"x": "x"}),
        UNSTABLE,
    ),
}

OPEN = {
    "equilibria that attract and are passed": plain("-x**3, x**2, -z", {"x": 0, "s": 0, "z": 0}),
    "a rest of +-i": plain(
        "-y - x*(x**2 + y**2), x - y*(x**2 + y**2), x**2 + y**2", {"x": 0, "y": 0, "s": 0}
    ),
    "a 2-jet that falls, a rate that does not": body(("-O1", "O2**3", "0")),
    "a cubic damper that drives, beside one that brakes": springs(
        (1, 1), "-v1**3 + (v1 - v2)**3", "-(v1 - v2)**3"
    ),
    "cubic forces of which the power has both signs": springs((1, 1), "-v1**3 + 5*v1*v2**2", "-v2**3"),
    "a factor that is zero at the point": body(("-(1 + g3)*O1", "0", "0")),
    "a singular leaf": plain("-x, y", {"x": 0, "y": 0}, leaf=["y**2"]),
}
"""By hand: some stable, some not; that no theorem here shows either, or that a hypothesis fails."""


def assured(outcome: Outcome) -> None:
    """The file's evidence gives the same again, after a way through JSON, and none of it can be changed."""
    problem = json.loads(json.dumps(outcome.problem.data))
    evidence = json.loads(json.dumps(outcome.evidence))
    again = decisions.decide(decisions.read_problem(problem), evidence)
    assert again == (outcome.verdict.value, outcome.method, outcome.evidence)


@pytest.mark.parametrize("name", PROVED)
def test_what_is_known_by_hand_is_proved(name):
    problem, verdict = PROVED[name]
    outcome = decide(problem)
    assert outcome.verdict.value == verdict
    assured(outcome)


@pytest.mark.parametrize("name", OPEN)
def test_what_looks_alike_is_not(name):
    verdict = decide(OPEN[name]).verdict
    assert not verdict.proved, verdict


@pytest.mark.parametrize("sense", [1, -1])
def test_the_roller_racer_runs_one_way(sense):
    """x^2 (x + v0 (I2 d1 - I1 d2)/(I1 d2^2 + I2 d1^2)), straight and circling."""
    racer = gc.models.get("roller-racer")().reduce()
    numbers = {"m": 1.0, "I1": 0.5, "I2": 0.1, "d1": 1.0, "d2": 0.375}
    stable = sense * (0.1 * 1 - 0.5 * 0.375) < 0  # Y1 is the other sense of the formula's speed
    certificate = gc.certify(racer, racer.equilibrium("straight", V=float(sense), params=numbers))
    assert certificate.verdict is (gc.Verdict.PROVED_STABLE if stable else gc.Verdict.PROVED_UNSTABLE)
    if stable:
        assert certificate.evidence["family_dimension"] == 2
        assert "converge to members of its family" in certificate.claim


DRIFTING = [
    "snakeboard",
    "veselova",
    "pendulum-on-puck",
    "chain-on-cart",
    "body-with-point-force",
    "quadrotor-with-cable",
    "tethered-satellites",
]


def rest_of(name: str) -> tuple:
    mechanism = gc.models.get(name)()
    system = mechanism.reduce() if hasattr(mechanism, "reduce") else mechanism
    known = "coasting", "resting", "hanging", "still", "equal", "aligned", "hover", "radial"
    family = next(k for k in system.families if k in known)
    return system, system.equilibrium(family, **dict.fromkeys(system.families[family].names, 1.5))


@pytest.mark.parametrize("name", DRIFTING)
def test_points_that_drift_are_unstable(name, tmp_path):
    system, point = rest_of(name)
    certificate = gc.certify(system, point)
    assert (certificate.verdict, certificate.method) == (gc.Verdict.PROVED_UNSTABLE, "drift")
    certificate.to_json(tmp_path / "c.json")
    assert gc.verify(tmp_path / "c.json").verdict is gc.Verdict.PROVED_UNSTABLE


@pytest.mark.parametrize("masses", [(500.0, 50.0), (0.9, 0.6)])
def test_a_pair_on_another_orbit_drifts_along_it(masses):
    """At a height c the centre of mass moves at -3 n c / 2 along the track, and the run says so too."""
    n, c = 0.7, 0.1
    pair = gc.manifolds.tethered_satellites(masses=masses, rate=n)
    rest = pair.equilibrium("radial")
    up = gc.certify(pair, rest)
    assert (up.verdict, up.method) == (gc.Verdict.PROVED_UNSTABLE, "drift")
    assert up.claim.endswith("drift away in x_1.")
    start = rest.x.copy()
    start[2] += c
    start[6] += n * c - 3 * n * c / 2  # v = x' + W x x
    run = gc.simulate(pair, [0.0, 5.0, 10.0], start)
    np.testing.assert_allclose(run.states[0], -3 * n * c / 2 * run.time, atol=1e-10)
    along = gc.certify(pair, pair.equilibrium("along-track"))
    assert (along.verdict, along.method) == (gc.Verdict.PROVED_UNSTABLE, "spectrum")


ORBITS = {
    "concentric-shells": (3, [9, 0, 3]),
    "coupled-bodies": (3, [15, 0, 3]),
    "pendulum-on-puck": (2, [6, 0, 2]),
    "chain-on-cart": (1, [9, 0, 1]),
    "charged-body": (1, [5, 0, 1]),
}


@pytest.mark.parametrize("name", ORBITS)
def test_orbits_of_points_that_drift_are_stable(name, tmp_path):
    system, point = rest_of(name)
    certificate = gc.certify(system, point, modulo="orbit")
    dimension, inertia = ORBITS[name]
    assert certificate.verdict is gc.Verdict.PROVED_STABLE_MODULO
    assert certificate.evidence["orbit_dimension"] == dimension
    assert certificate.evidence["inertia"] == inertia
    certificate.to_json(tmp_path / "c.json")
    assert gc.verify(tmp_path / "c.json").verdict is gc.Verdict.PROVED_STABLE_MODULO


def test_an_orbit_with_growth_across_it_is_unstable():
    shells = gc.models.get("concentric-shells")().reduce()
    certificate = gc.certify(shells, shells.equilibrium("half-turn", n1=1, n2=2, n3=2), modulo="orbit")
    assert (certificate.verdict, certificate.method) == (
        gc.Verdict.PROVED_UNSTABLE,
        "spectrum modulo a group",
    )


def test_modulo_is_one_of_two():
    top = gc.models.get("heavy-top")().reduce()
    with pytest.raises(gc.InputError, match="modulo must be None or"):
        gc.certify(top, top.equilibrium("sleeping", Omega0=1.0), modulo="group")


def altered(outcome: Outcome, change) -> dict:
    data = copy.deepcopy(outcome.problem.data)
    change(data)
    return data


def refused(outcome: Outcome, change) -> None:
    try:
        problem = decisions.read_problem(altered(outcome, change))
        verdict = decisions.decide(problem, outcome.evidence)[0]
    except checker.Refusal:
        return
    assert not verdict.startswith("PROVED"), verdict


def test_families_are_proved_and_not_believed():
    outcome = decide(PROVED["a line of equilibria"][0])
    family = outcome.problem.data["family"]

    def moved(data):  # the states are those of another line
        data["family"]["states"] = data["family"]["states"][::-1]

    def elsewhere(data):
        name = next(iter(family["symbols"]))
        data["family"]["symbols"][name] = "1/3"

    def with_another(data):  # a second symbol that moves nothing
        data["family"]["symbols"]["extra"] = "0"
        data["nodes"].append(["sym", "extra", "family"])

    for change in (moved, elsewhere, with_another):
        refused(outcome, change)


def test_fields_may_not_hold_the_symbols_of_a_family():
    """x' = -x + x s rests at x = 0 for any s, and s is no state."""
    outcome = decide(PROVED["a line of equilibria"][0])

    def swapped(data):
        symbol = next(i for i, n in enumerate(data["nodes"]) if n[0] == "sym" and n[2] == "family")
        data["field"][0] = symbol

    refused(outcome, swapped)


@pytest.mark.parametrize("name", ["friction about one axis", "two cubic dampers, one between"])
def test_falls_are_proved_and_not_believed(name):
    outcome = decide(PROVED[name][0])

    def risen(data):
        data["falling"]["sense"] *= -1

    def unfounded(data):
        data["falling"]["squares"] = data["falling"]["squares"][:-1]

    def negative(data):
        square = data["falling"]["squares"][0]
        data["nodes"].append(["prod", "-1", [[square["factor"], 1]]])
        square["factor"] = len(data["nodes"]) - 1

    for change in (risen, unfounded, negative):
        refused(outcome, change)


def test_roots_of_squares_are_proved_and_not_believed():
    """Of three masses that move as one nothing may be made that sees the motion."""
    outcome = decide(PROVED["the same between three equal ones, which move as one"][0])
    squares = outcome.problem.data["falling"]["squares"]
    cubic = next(i for i, row in enumerate(squares) if row.get("power") == 2)

    def elsewhere(data):
        data["falling"]["squares"][cubic]["root"] = data["field"][2]  # v3, the rate of q3

    def unfounded(data):
        root = data["falling"]["squares"][cubic]["root"]
        data["falling"]["squares"][cubic]["parts"] = [{"factor": root, "square": root}]

    for change in (elsewhere, unfounded):
        refused(outcome, change)


def test_symmetries_are_proved_and_not_believed():
    system, point = rest_of("concentric-shells")
    certificate = gc.certify(system, point, modulo="orbit")
    problem = certificate.proof["problem"]

    def check(change):
        data = copy.deepcopy(problem)
        change(data)
        try:
            verdict, *_ = decisions.decide(decisions.read_problem(data), certificate.evidence)
        except checker.Refusal:
            return
        assert verdict != "PROVED_STABLE_MODULO"

    check(lambda data: data["symmetries"].pop())
    check(lambda data: data["symmetries"][0]["turns"].pop())
    check(lambda data: data["symmetries"][0]["shifts"].update({"Omega1": "1"}))


# -- forced systems on spheres and rotations --------------------------------------------------------------


def pendulum(force) -> ProductSystem:
    q = Direction("q")
    m, length, g = sp.Rational(3, 2), sp.Rational(7, 5), 10
    return ProductSystem(
        [q],
        kinetic=m * length**2 * (q.rate.T * q.rate)[0] / 2,
        potential=m * g * length * q.z[2],
        forces={"q": force(q.z, q.velocity)},
    )


PENDULA = {
    "damped": (lambda q, w: -w.cross(q), ATTRACTS, UNSTABLE),
    "driven": (lambda q, w: w.cross(q), UNSTABLE, UNSTABLE),
    "cubic": (lambda q, w: -w.dot(w) * w.cross(q), ATTRACTS, UNSTABLE),
    "about one axis": (lambda q, w: sp.Matrix([-w.cross(q)[0], 0, 0]), STABLE, UNSTABLE),
}


@pytest.mark.parametrize("name", PENDULA)
def test_forced_pendula_are_proved(name, tmp_path):
    force, below, above = PENDULA[name]
    system = pendulum(force)
    for height, verdict in ((-1, below), (1, above)):
        point = gc.find_equilibrium(system, system.pack({"q": ((0, 0, height), (0, 0, 0))}))
        certificate = gc.certify(system, point)
        assert certificate.verdict.value == verdict
        certificate.to_json(tmp_path / "c.json")
        assert gc.verify(tmp_path / "c.json").verdict.value == verdict


def test_what_is_proved_of_forced_systems_are_their_equations():
    """Accelerations of the question against the right side of the system, at random states with inputs."""
    x, q, R = Place("x"), Direction("q"), Attitude("R")
    u = sp.Symbol("u", real=True)
    D = sp.diag(sp.Rational(7, 10), sp.Rational(4, 5), sp.Rational(3, 10))
    system = ProductSystem(
        [x, q, R],
        kinetic=(x.rate.T * x.rate)[0]
        + (q.rate.T * q.rate)[0] / 2
        + (R.rate * D * R.rate.T).trace() / 2
        + x.rate.dot(q.rate) / 3,
        potential=3 * x.z[2] + 2 * q.z[2] + R.z[2, 2] + R.z[0, 1] * q.z[0],
        forces={
            "x": -x.velocity + u * q.z,
            "q": -2 * q.velocity.cross(q.z) + R.z[:, 0],
            "R": sp.Matrix([u, 0, q.z[1]]) - R.velocity.multiply_elementwise(R.velocity),
        },
        inputs=[u],
    )
    seen = system.seen_from(None)
    motion, _ = motion_of(seen, [Fraction(1, 3)], {})
    rng = np.random.default_rng(5)
    start = system.pack(
        {
            "x": (rng.normal(size=3), rng.normal(size=3)),
            "q": ((0.6, 0, 0.8), (0.0, 1.3, 0.0)),
            "R": (np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]), rng.normal(size=3)),
        }
    )
    rate = system.rhs(0.0, start, [1 / 3])
    z, _ = system.product.parts(start)
    dz, _ = system.product.parts(rate)
    h = 1e-6
    ahead, behind = (system.product.parts(start + s * h * rate) for s in (1, -1))
    velocity = dz.ravel()
    # d/dt of the rates of the configuration, by differences of z' = rates(z, w)
    speeds = [
        system.product.parts(system.rhs(0.0, system.product.state(*p), [1 / 3]))[0] for p in (ahead, behind)
    ]
    acceleration = (speeds[0] - speeds[1]).ravel() / (2 * h)
    numbers = dict(zip(motion.states, [Fraction(float(v)) for v in (*z.ravel(), *velocity)], strict=True))
    numbers |= {"u": Fraction(1, 3)}
    question = decisions.Question(motion.question(numbers, {}).read, exact=False)
    found = [float(int(j.value.p) / int(j.value.q)) for j in question.jets(question.problem["field"])]
    assert found[: velocity.size] == pytest.approx(velocity, abs=1e-12)
    assert found[velocity.size :] == pytest.approx(acceleration, abs=1e-7)
    assert np.abs(acceleration).max() > 0.5


# -- what friction would do -------------------------------------------------------------------------------


def gyroscope(friction: sp.Matrix | None = None) -> gc.ReducedSystem:
    """Two negative springs that a gyroscopic term holds up."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    rates = sp.Matrix([x.rate, y.rate])
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, y],
        inertia=sp.diag(1, 2),
        potential=-(x.symbol**2 + y.symbol**2) / 2,
        gyroscopic=[-2 * y.symbol, 2 * x.symbol],
        forces=None if friction is None else list(-friction * rates),
    ).reduce()


def test_friction_is_said_to_destabilise_what_gyroscopic_terms_hold_up():
    certificate = gc.certify(gyroscope(), [0, 0, 0, 0])
    assert certificate.verdict is gc.Verdict.SPECTRALLY_STABLE_ONLY
    assert certificate.dissipation_induced == 2
    assert "friction" in certificate.reason


@pytest.mark.parametrize("seed", range(4))
def test_and_it_does(seed):
    root = sp.Matrix(np.random.default_rng(seed).integers(-3, 4, size=(2, 2))) + 4 * sp.eye(2)
    system = gyroscope(root * root.T / 100)
    assert gc.certify(system, [0, 0, 0, 0]).verdict is gc.Verdict.PROVED_UNSTABLE


def test_nothing_is_said_of_friction_where_momenta_are_held():
    """The Goryachev-Chaplygin top turns about a Staude axis: it is not at rest."""
    top = gc.models.get("goryachev-chaplygin-top")().reduce()
    certificate = gc.certify(top, top.equilibrium("staude", Omega0=2.5))
    assert certificate.dissipation_induced == 0


def test_nothing_is_said_of_friction_in_equations_that_are_turned():
    """With the first row times -1, -D v in the right sides would drive the first velocity."""
    certificate = gc.certify(gyroscope(), [0, 0, 0, 0])
    problem = copy.deepcopy(certificate.proof["problem"])

    def negative(place):
        problem["nodes"].append(["prod", "-1", [[place, 1]]])
        return len(problem["nodes"]) - 1

    problem["matrix"] = [[i, j, negative(p) if i == 0 else p] for i, j, p in problem["matrix"]]
    for column in (problem["right"], problem["weights"]["energy"]):
        column[0] = negative(column[0])
    verdict, _, findings = decisions.decide(decisions.read_problem(problem), certificate.evidence)
    assert verdict == "SPECTRALLY_STABLE_ONLY"
    assert "energy" in findings["conserved"]
    assert "dissipation_induced" not in findings
