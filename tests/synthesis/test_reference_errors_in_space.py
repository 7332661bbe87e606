"""Errors from motions of bodies in space as states: against own integration and products; proved, refused."""

import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import geoctrl as gc

q = sp.Rational
M = sp.symbols("M1:4", real=True)
f = sp.Symbol("f", real=True)
LEANING = np.array([[0.8, 0, -0.6], [0, 1, 0], [0.6, 0, 0.8]])
m, g = q("4.34"), q("9.81")
J = sp.diag(q("0.082"), q("0.0845"), q("0.1377"))
WEIGHT, WEIGHT_BY_HEIGHT = gc.AdvectedVector("Gamma"), gc.Height("h", gc.AdvectedVector("Gamma"))


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


@cache
def satellite():
    inertia = sp.diag(q(3, 10), q(1, 2), q(2, 5))
    return gc.EulerPoincare(algebra=gc.so3(), inertia=inertia, forces=M, inputs=M, name="satellite")


@cache
def turning():
    return satellite().configuration(frame_rate=[0, 0, q(1, 2)]).reduce()


@cache
def tilted():
    """Turning at 1/2 rad/s about an axis of space that is tilted by the angle of 3:4:5."""
    rows = {f"turn_error{i + 1}": row for i, row in enumerate(LEANING)}
    state = turning().state(Omega1=0.3, Omega3=0.4, **rows)
    return gc.find_equilibrium(turning(), state, free=["M1", "M2", "M3"])


@cache
def drone():
    """Its weight acts by the vertical that it carries along; the height is none of its states."""
    acting = [*M, *(sp.Matrix([0, 0, f]) - m * g * WEIGHT.symbols)]
    inertia = sp.diag(J, m * sp.eye(3))
    return gc.EulerPoincare(
        algebra=gc.se3(), advected=[WEIGHT], inertia=inertia, forces=acting, inputs=[f, *M], name="drone"
    )


@cache
def circling():
    return drone().configuration(frame_rate=[0, 0, 1]).reduce()


def on_circle(system, climb=0):
    r = 0.75 * float(g)
    Y = dict(zip(("Y1", "Y2", "Y3"), LEANING.T @ [0, r, climb], strict=True))
    rows = {"turn_error1": LEANING[0], "turn_error2": LEANING[1], "Gamma": LEANING[2]}
    state = system.state(Omega1=0.6, Omega3=0.8, place_error1=r, **Y, **rows)
    return gc.find_equilibrium(system, state, free=["f", "M1", "M2", "M3"])


def seen(run, k):
    """Error e (4, 4) of a drone at a sample."""
    e = np.eye(4)
    for i, row in enumerate(("turn_error1", "turn_error2", "Gamma")):
        e[i, :3] = [run[f"{row}{j}"][k] for j in (1, 2, 3)]
    third = "h" if "h" in run.state_labels else "place_error3"
    e[:3, 3] = [run[label][k] for label in ("place_error1", "place_error2", third)]
    return e


@pytest.mark.parametrize("by_height", [False, True])
def test_the_error_is_that_of_a_body_integrated_in_space(by_height):
    """e = exp(-t xi_d) g(t) for a screw that is none of the body's own; a height is that above the frame."""
    screw = {"frame_rate": [0, 0, 1], "frame_velocity": [q(1, 2), q(3, 10), q(1, 5)]}
    plant = drone()
    if by_height:
        acting, weight = [*M, 0, 0, f], m * g * WEIGHT_BY_HEIGHT
        plant = plant.replace(advected=[WEIGHT, WEIGHT_BY_HEIGHT], forces=acting, potential=weight)
    moving = plant.configuration(**screw).reduce()
    E, p, time = expm(hat([0.4, 0, 0])), np.array([0.5, -0.7, 0.3]), np.linspace(0, 2, 5)
    height = {"h" if by_height else "place_error3": p[2]}
    w, Y = np.array([0.3, -0.2, 0.5]), np.array([0.4, 1.0, -0.3])
    rows = {"turn_error1": E[0], "turn_error2": E[1], "Gamma": E[2]}
    velocities = dict(zip(plant.algebra.labels, [*w, *Y], strict=True))
    x0 = moving.state(place_error1=p[0], place_error2=p[1], **height, **rows, **velocities)
    pushed = {"f": 40 + 3 * sp.sin(gc.time), "M1": sp.cos(gc.time) / 10, "M2": 0.05, "M3": -gc.time / 50}
    run = gc.simulate(moving, time, x0, inputs=pushed)
    inertia, mass = np.array(J, dtype=float), float(m)

    def rates(t, y):
        w, v, R = y[:3], y[3:6], y[9:].reshape(3, 3)
        moment = [np.cos(t) / 10, 0.05, -t / 50]
        force = [0, 0, 40 + 3 * np.sin(t)]
        turn = np.linalg.solve(inertia, np.cross(inertia @ w, w) + moment)
        return np.concatenate([turn, R @ force / mass - [0, 0, float(g)], v, (R @ hat(w)).ravel()])

    start = np.concatenate([w, E @ Y, p, E.ravel()])
    found = solve_ivp(rates, (0, 2), start, t_eval=time, rtol=1e-11, atol=1e-11).y
    generator = np.zeros((4, 4))
    generator[:3, :3], generator[:3, 3] = hat([0, 0, 1]), [0.5, 0.3, 0.2]
    for k, t in enumerate(time):
        at = np.eye(4)
        at[:3, :3], at[:3, 3] = found[9:, k].reshape(3, 3), found[6:9, k]
        assert seen(run, k) == pytest.approx(np.linalg.solve(expm(t * generator), at), abs=1e-8)
        assert run.attitude()[k] == pytest.approx(at[:3, :3], abs=1e-8)
    assert max(run.drift.values()) < 1e-13
    xi, Gamma = x0[:6], moving.configuration(x0)
    rates_of = np.concatenate(moving.unreduced().rhs(0.0, (xi, Gamma), [40, 0.1, 0.2, 0.3]))
    assert rates_of == pytest.approx(moving.rhs(0.0, x0, [40, 0.1, 0.2, 0.3]), abs=1e-12)


def test_at_rest_the_error_is_the_attitude():
    still = satellite().configuration().reduce()
    start = [0.3, -0.7, 0.4]
    run = gc.simulate(
        still, np.linspace(0, 3, 4), still.state(**dict(zip(still.state_labels, start, strict=False)))
    )
    rows = np.moveaxis(run.states[3:].reshape(3, 3, -1), 2, 0)
    bare = gc.simulate(satellite().reduce(), run.time, start)
    assert rows == pytest.approx(bare.attitude(np.eye(3)), abs=1e-11)
    assert sum("turn_error" in name for name in still.conserved()) == 3  # the momentum in space
    assert "Pi1**2 + Pi2**2 + Pi3**2" in turning().conserved()


def test_the_leaf_is_that_of_rotations():
    """Six relations, independent; states that are put next to it are projected, and e is one by default."""
    system = turning()
    assert system.leaf.names == tuple(
        f"|turn_error{i}|^2" if i == j else f"turn_error{j}.turn_error{i}"
        for i in (1, 2, 3)
        for j in range(1, i + 1)
    )
    off = {f"turn_error{i + 1}": row for i, row in enumerate(LEANING + 0.01)}
    with pytest.warns(gc.ProjectionWarning):
        x = system.project([0, 0, 0], off, nearest=True)
    E = x[3:].reshape(3, 3)
    assert E @ E.T == pytest.approx(np.eye(3), abs=1e-14)
    assert np.linalg.det(E) > 0
    with pytest.raises(gc.ConstraintError, match=r"turn_error1"):
        gc.simulate(system, 1.0, np.concatenate([[0, 0, 0], 1.1 * np.eye(3).ravel()]))
    assert system.state()[3:] == pytest.approx(np.eye(3).ravel())


def test_a_satellite_about_a_tilted_axis_is_proved_to_be_held(tmp_path):
    eq = tilted()
    assert eq.u == pytest.approx([0, -0.012, 0], abs=1e-15)
    law = gc.lqr(turning(), eq)
    found = gc.certify(law.closed_loop(), eq)
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert "seen from a frame that turns at (0, 0, 1/2)" in found.claim
    assert "a leaf of dimension 6" in found.claim
    found.to_json(tmp_path / "satellite.json")
    assert gc.verify(tmp_path / "satellite.json").claim == found.claim
    wrong = gc.linear_law(turning(), eq, law.K * [[1], [-1], [1]])
    assert gc.certify(wrong.closed_loop(), eq).verdict is gc.Verdict.PROVED_UNSTABLE


@pytest.mark.long(reason="the loop above is proved; products have tests of their own")
def test_a_satellite_is_held_as_the_product_is():
    R = gc.manifolds.Attitude("R")
    product = gc.manifolds.ProductSystem(
        [R],
        kinetic=R.velocity.dot(satellite().inertia * R.velocity) / 2,
        forces={"R": M},
        inputs=M,
        frame_rate=[0, 0, q(1, 2)],
    )
    law = gc.lqr(turning(), tilted())
    theirs = gc.lqr(
        product, gc.find_equilibrium(product, {"R": (LEANING, [0.3, 0, 0.4])}, free=["M1", "M2", "M3"])
    )
    assert law.K == pytest.approx(np.roll(theirs.K, 3, axis=1), abs=1e-9)
    assert np.sort_complex(law.eigenvalues) == pytest.approx(np.sort_complex(theirs.eigenvalues), abs=1e-9)


@pytest.mark.long(reason="the page has it fly and climb; here against the product's spectrum")
def test_a_drone_on_a_circle_is_held_as_the_product_is():
    """Weights of the product's velocities, which are those in the frame's axes, make the same loop."""
    x, R = gc.manifolds.Place("x"), gc.manifolds.Attitude("R")
    product = gc.manifolds.ProductSystem(
        [x, R],
        kinetic=m * x.rate.dot(x.rate) / 2 + R.velocity.dot(J * R.velocity) / 2,
        potential=m * g * x.z[2],
        forces={"x": f * R.z[:, 2], "R": M},
        inputs=[f, *M],
        frame_rate=[0, 0, 1],
    )
    start = {"x": ([7.3575, 0, 0], [0, 7.3575, 0]), "R": (LEANING, [0.6, 0, 0.8])}
    theirs = gc.lqr(product, gc.find_equilibrium(product, start, free=["f", "M1", "M2", "M3"]))
    eq = on_circle(circling())
    assert eq.u == pytest.approx(theirs.equilibrium.u, abs=1e-12)
    labels = list(circling().state_labels)
    rows = [[labels.index(f"{r}{j}") for j in (1, 2, 3)] for r in ("turn_error1", "turn_error2", "Gamma")]
    # d(E Y) = E dY + dE Y
    T, Y = np.eye(18), eq.x[3:6]
    T[3:6, 3:6] = LEANING
    for i, places in enumerate(rows):
        T[3 + i, places] += Y
    law = gc.lqr(circling(), eq, Q=T.T @ T)
    assert np.sort_complex(law.eigenvalues) == pytest.approx(np.sort_complex(theirs.eigenvalues), abs=1e-8)
    assert gc.certify(law.closed_loop(), eq).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    wrong = gc.linear_law(circling(), eq, -law.K)
    assert gc.certify(wrong.closed_loop(), eq).verdict is gc.Verdict.PROVED_UNSTABLE


@pytest.mark.long(reason="the page proves the climbing turn")
def test_a_climbing_turn_and_the_sampled_law(tmp_path):
    climbing = drone().configuration(frame_rate=[0, 0, 1], frame_velocity=[0, 0, 2]).reduce()
    eq = on_circle(climbing, climb=2)
    law = gc.lqr(climbing, eq)
    assert gc.certify(law.closed_loop(), eq).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    start = eq.x + 0.5 * np.eye(eq.x.size)[climbing.state_labels.index("place_error3")]
    sampled = law.sampled(rate=100)
    run = gc.simulate(pickle.loads(pickle.dumps(climbing)), np.linspace(0, 20, 21), start, controller=sampled)
    assert run.states[:, -1] == pytest.approx(eq.x, abs=1e-4)
    loop = law.closed_loop()
    gc.simulate(loop, np.linspace(0, 20, 3), start).save(tmp_path / "climb.npz")
    again = gc.load_trajectory(tmp_path / "climb.npz", system=loop)
    # R = exp(t w_d) E: from above the nose goes round with the drone.
    assert again.attitude()[-1] == pytest.approx(expm(20 * hat([0, 0, 1])) @ LEANING, abs=1e-4)
    assert all(path.exists() for path in law.to_c(tmp_path))


def test_a_rolling_ball_that_spins_in_place_and_a_disk_on_its_edge():
    ball = gc.models.get("chaplygin-sphere")().configuration(frame_rate=[0, 0, 0.5]).reduce()
    eq = gc.find_equilibrium(ball)
    assert dict(zip(ball.state_labels, eq.x, strict=True))["Omega3"] == pytest.approx(0.5)
    disk = gc.models.get("rolling-disk")().configuration(frame_rate=[0, 0, 0.5]).reduce()
    rows = (f"turn_error{i}{j}" for i in (1, 2) for j in (1, 2, 3))
    assert disk.state_labels[6:] == (*rows, "place_error1", "place_error2")
    upright = disk.state(Omega1=0.5, Gamma=(1, 0, 0), turn_error1=(0, 1, 0), turn_error2=(0, 0, 1))
    assert disk.rhs(0.0, upright) == pytest.approx(0, abs=1e-15)
    rolling = disk.state(Omega3=1.0, Gamma=(1, 0, 0), turn_error1=(0, 1, 0), turn_error2=(0, 0, 1))
    assert np.abs(disk.rhs(0.0, rolling)).max() > 0.1


def test_a_vector_along_the_turn_but_no_axis_is_proved_beside_the_rows():
    Gamma = gc.AdvectedVector("Gamma", (q(3, 5), 0, q(4, 5)))
    leaning = satellite().replace(advected=[Gamma], potential=Gamma[0] + 2 * Gamma[1])
    system = leaning.configuration(frame_rate=[q(3, 10), 0, q(2, 5)]).reduce()
    assert system.leaf.names[-3:] == tuple(f"turn_error{i}.Gamma" for i in (1, 2, 3))
    eq = gc.find_equilibrium(system, system.state(Omega1=0.3, Omega3=0.4), free=["M1", "M2", "M3"])
    law = gc.lqr(system, eq)
    found = gc.certify(law.closed_loop(), eq)
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert "a leaf of dimension 6" in found.claim


def test_factors_of_a_product_are_seen_each_from_its_own():
    two = gc.EulerPoincare(
        algebra=gc.product(gc.so3(), gc.se3(), gc.se2()),
        inertia=sp.diag(1, 2, q(5, 2), 1, 2, q(5, 2), *[4] * 6),
    )
    mech = two.configuration(frame_rate=[1, 2, 2], of=2).configuration(frame_velocity=[1, 0], of=3)
    system = mech.configuration(frame_rate=[0, 3, 4]).reduce()
    assert "factor 2 seen from a frame that turns at (1, 2, 2)" in mech.name
    at = dict(zip(system.state_labels, range(99), strict=False))
    E, x = LEANING, system.state(**{f"turn_error_2_{i + 1}": row for i, row in enumerate(LEANING)})
    rates = system.rhs(0.0, x)
    first = [[rates[at[f"turn_error{i}{j}"]] for j in (1, 2, 3)] for i in (1, 2, 3)]
    second = [[rates[at[f"turn_error_2_{i}{j}"]] for j in (1, 2, 3)] for i in (1, 2, 3)]
    assert np.array(first) == pytest.approx(-hat([0, 3, 4]), abs=1e-14)
    assert np.array(second) == pytest.approx(-hat([1, 2, 2]) @ E, abs=1e-14)
    assert [rates[at[f"place_error1{of}"]] for of in ("_2", "_3")] == [0, -1]


@pytest.mark.long(reason="two further proofs of the satellite, in other units")
def test_other_units_have_the_same_proof():
    W = gc.Parameter("W", 0.5, "rad/s")
    moments = [gc.Parameter(f"I{i + 1}", v, "kg m^2") for i, v in enumerate((0.3, 0.5, 0.4))]
    given = satellite().replace(inertia=sp.diag(*moments), parameters=[*moments, W])
    assert given.configuration(frame_rate=[0, 0, W]).reduce().units()["turn_error11"] == "1"
    small = {"length": 1000, "mass": 1000, "time": 1000}
    mech, change = given.configuration(frame_rate=[0, 0, q(1, 2)]).in_units(**small)
    assert mech.name == "satellite, seen from a frame that turns at (0, 0, 1/2000)"
    system = mech.reduce()
    x = [v * float(change.states[label]) for v, label in zip(tilted().x, system.state_labels, strict=True)]
    eq = gc.find_equilibrium(system, x, free=["M1", "M2", "M3"])
    law = gc.lqr(system, eq)
    assert gc.certify(law.closed_loop(), eq).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    wrong = gc.linear_law(system, eq, -law.K)
    assert gc.certify(wrong.closed_loop(), eq).verdict is gc.Verdict.PROVED_UNSTABLE
    length = gc.Parameter("L", 1.0, "m")
    with pytest.raises(gc.UnitsError, match="the frame's Omega3"):
        given.replace(parameters=[*moments, length]).configuration(frame_rate=[0, 0, length]).reduce().units()


def test_rates_in_other_units_are_the_same_rates():
    """Numbers of a frame that turns and moves are changed with all others, h falling behind it at 2 m/s."""
    mass, V = gc.Parameter("m", 4.34, "kg"), gc.Parameter("V", 2.0, "m/s")
    weight = gc.Parameter("g", 9.81, "m/s^2")
    moments = [gc.Parameter(f"I{i + 1}", v, "kg m^2") for i, v in enumerate((0.3, 0.5, 0.4))]
    body = gc.EulerPoincare(
        algebra=gc.se3(),
        advected=[WEIGHT, WEIGHT_BY_HEIGHT],
        inertia=sp.diag(*moments, *[mass] * 3),
        potential=mass * weight * WEIGHT_BY_HEIGHT,
        parameters=[mass, weight, V, *moments],
    ).configuration(frame_rate=[0, 0, q(1, 2)], frame_velocity=[1, 0, V])
    system, (other, change) = body.reduce(), body.in_units(length=1000, mass=1000, time=1000)
    factors = np.array([float(change.states[label]) for label in system.state_labels])
    x = system.random_state(np.random.default_rng(1))
    changed = other.reduce().rhs(0.0, x * factors)
    assert 1000 * changed / factors == pytest.approx(system.rhs(0.0, x), abs=1e-12)
    assert system.units()["place_error2"] == "m"


def test_what_a_reference_turns_is_named():
    with pytest.raises(gc.DescriptionError, match=r"turns Gamma.*= \(0, -1, 0\)"):
        drone().configuration(frame_rate=[1, 0, 0])
    d = gc.AdvectedVector("d", (0, 1))
    plane = gc.EulerPoincare(algebra=gc.se2(), inertia=sp.eye(3), advected=[d], potential=d[0])
    with pytest.raises(gc.DescriptionError, match="turns d"):
        plane.configuration(frame_rate=1)
    assert plane.configuration(frame_velocity=[1, 0]).reduce().state_labels[-1] == "place_error2"
    place = gc.AdvectedParameter("x", _affine(), reference=(1, 2, 3, 1))
    with pytest.raises(gc.DescriptionError, match=r"changes x.*at \(-2, 1, 0, 0\)"):
        drone().replace(advected=[WEIGHT, place]).configuration(frame_rate=[0, 0, 1])
    spring = drone().replace(advected=[WEIGHT, WEIGHT_BY_HEIGHT], potential=WEIGHT_BY_HEIGHT**2)
    with pytest.raises(gc.DescriptionError, match="perpendicular to Gamma"):
        spring.configuration(frame_velocity=[0, 0, 1])
    level = spring.configuration(frame_velocity=[1, 0, 0]).reduce()
    assert level.state_labels[-2:] == ("place_error1", "place_error2")


def _affine():
    """(x, 1) of a place in space as a body sees it."""
    kappa = np.zeros((4, 6, 4), dtype=int)
    for j in range(3):
        kappa[:3, j, :3] = hat(np.eye(3)[j]).astype(int)
        kappa[j, 3 + j, 3] = 1
    return kappa


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"frame_rate": 1}, "frame_rate must have 3 entries for so3"),
        ({"frame_rate": False}, "3 entries for so3"),
        ({"frame_rate": [0, 1]}, "3 entries for so3"),
        ({"frame_rate": "012"}, "3 entries for so3"),
        ({"frame_velocity": [0, 0, 1]}, "0 entries for so3"),
    ],
)
def test_what_is_no_reference_in_space_is_refused(given, words):
    with pytest.raises(gc.InputError, match=words):
        satellite().configuration(**given)


def test_what_does_not_know_axes_that_move_refuses_them():
    mech = satellite().configuration(frame_rate=[0, 0, 1])
    with pytest.raises(gc.DescriptionError, match="seen from a frame already"):
        mech.configuration()
    with pytest.raises(gc.MatchingError, match="before configuration"):
        gc.match(mech)
    with pytest.raises(gc.DescriptionError, match="before configuration"):
        gc.models.get("rolling-disk")().configuration().reduce().despun()
    with pytest.raises(TypeError, match=r"mech\.configuration"):
        satellite().replace(seen_from=[1])
    with pytest.raises(gc.DescriptionError, match="advects no vectors"):
        mech.replace(advected=mech.advected[1:]).reduce()
    with pytest.raises(gc.InputError, match=r"the vectors turn_error3$"):
        gc.ComplementaryFilter(
            mech.replace(parameters=[gc.Parameter("g", 9.81)]), gain=1.0, vector="turn_error1"
        )
