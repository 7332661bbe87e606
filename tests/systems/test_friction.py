"""Friction of a description: stopping distances, creep under a load, slip in a plane, refusals."""

import pickle

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.systems.comparisons import along, points

MU, G, M = 0.3, 9.81, 2.0
FLOOR = gc.Friction([[1, 0], [0, 1]], coulomb=sp.Float(MU * G * M), scale=1e-4)


def block(**more):
    return gc.EulerPoincare(algebra=gc.rn(2), inertia=M * sp.eye(2), friction=[FLOOR], **more)


def test_a_block_stops_where_coulomb_says():
    """After v^2/(2 mu g), in the direction in which it slid."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    sliding = gc.EulerPoincare(shape=[x, y], inertia=M * sp.eye(2), friction=[FLOOR]).reduce()
    start = sliding.state(x_dot=3.0, y_dot=-4.0)
    traj = gc.simulate(sliding, np.linspace(0, 3, 31), start)
    way = np.array([traj["x"][-1], traj["y"][-1]])
    expected = 25 / (2 * MU * G)
    # The last slow part, where the law is smooth, adds v0 times the time; 3e-4 m here.
    np.testing.assert_allclose(way, expected * np.array([0.6, -0.8]), rtol=0, atol=1e-3)
    assert np.all(np.diff(traj.energy) < 1e-20)  # at rest it is rounding
    assert "energy" not in traj.drift


def test_a_contact_creeps_under_a_load_as_its_docstring_says():
    u = sp.Symbol("u", real=True)
    pushed = block(forces=[u, 0], inputs=["u"]).reduce()
    limit, load = MU * G * M, 4.0
    creep = 1e-4 * load / np.sqrt(limit**2 - load**2)
    assert abs(pushed.rhs(0.0, [creep, 0.0], [load])[0]) < 1e-10
    beyond = gc.simulate(pushed, [0, 1], [0.0, 0.0], inputs=[limit + 2.0])
    assert beyond["Y1"][-1] == pytest.approx(1.0, abs=1e-3)  # (2 N)/(2 kg) for a second


def test_viscous_friction_decays_at_its_rate_and_proves_attraction():
    phi = gc.Coordinate("phi", angle=True)
    c, k = gc.Parameter("c", 0.4, positive=True), gc.Parameter("k", 3.0, positive=True)
    joint = gc.EulerPoincare(
        shape=[phi],
        inertia=[[0.7]],
        potential=k.symbol * (1 - sp.cos(phi.symbol)),
        friction=[gc.Friction([1], viscous=c.symbol)],
        parameters=[c, k],
        equilibria={"rest": gc.Family({})},
    ).reduce()
    roots = np.sort_complex(gc.linearize(joint, joint.equilibrium("rest")).eigenvalues)
    np.testing.assert_allclose(roots, np.sort_complex(np.roots([0.7, 0.4, 3.0])), atol=1e-13)
    verdict = gc.certify(joint, joint.equilibrium("rest")).verdict
    assert verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def test_a_wheel_that_resists_rolling_turns_ever_slower():
    """The moment of the resistance: C omega' = -M0 for a disk that rolls straight, its mass on the axle."""
    disk = gc.models.get("rolling-disk")()
    m, a, _, _, C = (p.symbol for p in disk.parameters)
    moment = 0.02
    resisted = disk.replace(friction=[gc.Friction([0, 0, 1, 0, 0, 0], coulomb=moment, scale=1e-3)]).reduce()
    x = resisted.state(Omega3=7.0, Gamma=(0, 1, 0))
    p = resisted.params
    expected = -moment / ((p["C"] + 1) * p["m"] * p["a"] ** 2)
    assert resisted.rhs(0.0, x)[2] == pytest.approx(expected, rel=1e-6)
    found = resisted.reactions(x)
    # What slows the centre down is the contact: m a omega'.
    assert abs(found["forward"]) == pytest.approx(-p["m"] * p["a"] * expected, rel=1e-6)
    assert not resisted.mechanism.replace(friction=()).friction
    told = disk.full()
    assert str(m) in told
    assert str(a) in told
    assert str(C) in told


def test_friction_is_seen_from_despun_axes_and_survives_copies():
    disk = gc.models.get("rolling-disk")().replace(
        friction=[gc.Friction([0, 0, 1, 0, 0, 0], viscous=sp.Rational(1, 50))]
    )
    seen = disk.reduce().despun()
    x = disk.reduce().state(Omega3=7.0, Gamma=(1, 0, 0))
    assert seen.rhs(0.0, disk.reduce().despun_state(x))[2] == pytest.approx(disk.reduce().rhs(0.0, x)[2])
    copy = pickle.loads(pickle.dumps(disk))
    np.testing.assert_array_equal(copy.reduce().rhs(0.0, x), disk.reduce().rhs(0.0, x))
    assert "viscous 1/50" in disk.full()


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: gc.Friction([1, 0]), gc.DescriptionError, "viscous= or coulomb="),
        (lambda: gc.Friction([1, 0], coulomb=3), gc.DescriptionError, "needs scale="),
        (lambda: gc.Friction([1, 0], coulomb=3, scale=0), gc.DescriptionError, "must be positive"),
        (lambda: gc.Friction([1, 0], viscous=-1), gc.DescriptionError, "would drive the motion"),
        (lambda: gc.Friction("x", viscous=1), gc.DescriptionError, "needs a row"),
        (lambda: gc.Friction([1, 0], viscous="c"), gc.DescriptionError, "viscous of a friction"),
        (lambda: gc.Friction([], viscous=1), gc.DescriptionError, "needs a row"),
        (lambda: block(rotors=None).replace(friction=[3]), TypeError, "gc.Friction"),
        (lambda: block().replace(friction=FLOOR), TypeError, "must be a list"),
        (
            lambda: block().replace(friction=[gc.Friction([1, 0, 0], viscous=1)]),
            gc.DescriptionError,
            r"length 2, one entry per velocity \(Y1, Y2\), got 3",
        ),
        (
            lambda: block().replace(friction=[gc.Friction([1, 0], viscous=sp.Symbol("c"))]),
            gc.DescriptionError,
            "friction",
        ),
    ],
)
def test_bad_friction_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


# -- limits that hold the load ------------------------------------------------------------------------

NUMBERS = {"mu": 0.6, "m": 1200.0, "g": G, "J": 1500.0, "f": 1.1, "r": 1.5, "h": 0.55}


def car(*braked):
    """A body on two axles, f ahead of its centre of mass and r behind it, which is h above the ground."""
    parameters = [gc.Parameter(k, v, positive=True) for k, v in NUMBERS.items()]
    mu, m, g, J, f, r, h = (p.symbol for p in parameters)
    z, theta = gc.Coordinate("z"), gc.Coordinate("theta", angle=True)
    return gc.EulerPoincare(
        algebra=gc.rn(1).relabelled(["speed"], ["p"]),
        shape=[z, theta],
        inertia=sp.diag(m, m, J),
        potential=m * g * z.symbol,
        constraints={"front": [0, 1, f], "rear": [0, 1, -r]},
        leaf=[z.symbol, theta.symbol],
        friction=[gc.Friction([1, 0, h], coulomb=mu * gc.reaction(k), scale=1e-9) for k in braked],
        parameters=parameters,
    )


@pytest.mark.parametrize(
    ("braked", "expected"),
    [
        (("rear",), lambda p: p["f"] / (p["f"] + p["r"] + p["mu"] * p["h"])),
        (("front",), lambda p: p["r"] / (p["f"] + p["r"] - p["mu"] * p["h"])),
        (("front", "rear"), lambda p: 1.0),
    ],
)
def test_a_braked_car_shifts_its_load_and_brakes_by_it(braked, expected):
    """Moments about the other axle: the classical decelerations over mu g of one locked axle, and of both."""
    system = car(*braked).reduce()
    for changed in ({}, {"mu": 0.9, "h": 0.8}):
        p = {**NUMBERS, **changed}
        deceleration = p["mu"] * p["g"] * expected(p)
        assert system.rhs(0.0, [20.0], params=changed) == pytest.approx([-deceleration], rel=1e-13)
        shifted = p["m"] * deceleration * p["h"] / (p["f"] + p["r"])
        found = system.reactions([20.0], params=changed)
        front = p["m"] * p["g"] * p["r"] / (p["f"] + p["r"]) + shifted
        assert found == {
            "front": pytest.approx(front, rel=1e-13),
            "rear": pytest.approx(p["m"] * p["g"] - front, rel=1e-12),
        }


def test_a_run_ends_where_the_load_that_friction_needs_is_gone():
    """Where mu h > r braking lifts the rear axle; the limit there is positive no more."""
    with pytest.raises(
        gc.InputError, match=r"outside the domain 'load of friction 2' .*mu.reaction of rear > 0"
    ):
        gc.simulate(car("front", "rear").reduce(), [0, 1], [20.0], {"h": 3.0})
    # Painleve: at mu h = f + r the locked front axle has no acceleration.
    with pytest.raises(gc.GeoctrlError, match=r"singular|not finite|cannot be evaluated"):
        gc.simulate(car("front").reduce(), [0, 1], [20.0], {"h": 4.0, "mu": 0.65})
    assert gc.simulate(car("front", "rear").reduce(), [0, 1], [20.0]).success
    assert not car("rear").replace(friction=()).edges


def sliding_top():
    """The tippe top with Coulomb's friction at its contact in place of a viscous one."""
    top = gc.models.get("tippe-top")()
    r, (Omega, Y) = sp.Matrix(top.contact), (sp.Matrix(top.algebra.xi[:3]), sp.Matrix(top.algebra.xi[3:]))
    slip = (Y + Omega.cross(r)).jacobian(top.algebra.xi)
    floor = gc.Friction(slip, coulomb=sp.Rational(3, 10) * gc.reaction("normal"), scale=sp.Rational(1, 100))
    return top.replace(forces=None, friction=[floor])


def resisted_disk():
    """Rolling resistance by the load, which the disk declares as a direction of its own."""
    moment = gc.Friction([0, 0, 1, 0, 0, 0], coulomb=gc.reaction("normal") / 50, scale=sp.Rational(1, 100))
    return gc.models.get("rolling-disk")().replace(friction=[moment])


@pytest.mark.parametrize("make", [sliding_top, resisted_disk])
def test_loads_agree_with_the_multiplier_form_and_take_energy(make):
    """There friction and multipliers are solved for as one dense system."""
    system = make().reduce()
    form, rows = system.unreduced(), system.mechanism.row_names
    for t, x, _ in points(system, 12, 5):
        xi, gamma = system.velocity(x), system.configuration(x)
        rate, _ = form.rhs(t, (xi, gamma))
        along_motion = along(system.velocity, x, system.rhs(t, x))
        np.testing.assert_allclose(along_motion, rate, rtol=0, atol=1e-10 * np.max(np.abs(rate)))
        found = system.reactions(x)
        multipliers = form.multipliers(t, (xi, gamma))
        assert [found[k] for k in rows] == pytest.approx(multipliers, rel=1e-9, abs=1e-12)
        power = along(system.energy, x, system.rhs(t, x))
        assert np.sign(power) == -np.sign(found["normal"])
    assert "energy" not in system.conserved()


def test_a_load_is_seen_from_despun_axes():
    disk = resisted_disk().reduce()
    seen = disk.despun()
    x = disk.state(Omega=(0.3, 0.2, 7.0), Gamma=(0.8, 0, 0.6))
    spin = seen.state_labels.index("Omega3")
    y = disk.despun_state(x)
    assert seen.reactions(y)["normal"] == pytest.approx(disk.reactions(x)["normal"], rel=1e-12)
    assert seen.rhs(0.0, y)[spin] == pytest.approx(disk.rhs(0.0, x)[2], rel=1e-12)
    assert list(seen.domain) == list(disk.domain) == ["on its rim", "load of friction 1"]
    copy = pickle.loads(pickle.dumps(resisted_disk())).reduce()
    np.testing.assert_array_equal(copy.rhs(0.0, x), disk.rhs(0.0, x))


def test_the_engines_agree_on_a_top_that_turns_over_by_coulomb_friction():
    top = sliding_top().reduce()
    start = top.state(Gamma=(np.sin(0.1), 0, np.cos(0.1)), Omega=(0, 0, 100.0), Y1=0, Y2=0)
    runs = [gc.simulate(top, [0, 0.5, 1.0], start, engine=engine) for engine in ("heyoka", "scipy")]
    np.testing.assert_allclose(runs[0].states, runs[1].states, rtol=0, atol=1e-7)
    assert runs[0].drift["jellett"] < 1e-12
    assert np.all(np.diff(runs[0].energy) < 0)
    far = gc.simulate(top, np.linspace(0, 12, 25), start)
    assert far["Gamma3"][-1] < -0.95


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (gc.reaction("nrmal"), r"'nrmal'; did you mean 'normal'"),
        (sp.sqrt(gc.reaction("normal") ** 2), "affine in reactions"),
        (gc.reaction("normal") * gc.reaction("sideways"), "affine in reactions"),
    ],
)
def test_loads_that_cannot_be_solved_for_are_refused(limit, words):
    disk = gc.models.get("rolling-disk")()
    with pytest.raises(gc.DescriptionError, match=words):
        disk.replace(friction=[gc.Friction([0, 0, 1, 0, 0, 0], coulomb=limit, scale=0.01)])
    with pytest.raises(gc.DescriptionError, match="friction"):
        disk.replace(friction=[gc.Friction([0, 0, 1, 0, 0, 0], viscous=gc.reaction("normal"))])


@pytest.mark.parametrize("exponent", [1, 2, 0.7])
def test_the_limit_falls_from_that_at_rest(exponent):
    """Stribeck's curve by numpy; at rest the slope is that of the limit at rest, over v0, and damping."""
    law = {"viscous": 0.02, "coulomb": 0.05, "scale": 0.01, "static": 0.09, "stribeck": 0.3}
    phi = gc.Coordinate("phi", angle=True)
    joint = gc.EulerPoincare(
        shape=[phi],
        inertia=[[2]],
        potential=-3 * sp.cos(phi.symbol),
        friction=[gc.Friction([1], **law, exponent=exponent)],
    ).reduce()
    v = np.array([1e-3, 0.1, -0.3, 1.0, 5.0])
    square = v**2 + 0.01**2
    limit = 0.05 + 0.04 * np.exp(-((square / 0.09) ** (exponent / 2)))
    found = [joint.rhs(0, [w, 0.0])[0] for w in v]
    assert found == pytest.approx(-(0.02 + limit / np.sqrt(square)) * v / 2, rel=1e-14)
    assert gc.certify(joint, joint.state()).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    copy = pickle.loads(pickle.dumps(joint.mechanism)).reduce()
    assert copy.rhs(0, [0.3, 0.1]).tolist() == joint.rhs(0, [0.3, 0.1]).tolist()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"static": 1, "scale": 0.1}, "static= and stribeck= go together"),
        ({"static": 1, "stribeck": 0.2}, "needs scale="),
        ({"static": -1, "stribeck": 0.2, "scale": 0.1}, "must not be negative"),
        ({"static": 1, "stribeck": 0, "scale": 0.1}, "stribeck of friction must be positive"),
        (
            {"static": 1, "stribeck": 0.2, "scale": 0.1, "exponent": 0},
            "exponent of a friction must be positive",
        ),
    ],
)
def test_slips_in_stribecks_curve_are_refused(given, words):
    with pytest.raises(gc.DescriptionError, match=words):
        gc.Friction([1], **given)


@pytest.fixture(scope="module")
def braked():
    """The skate with a rotor that runs in a bearing."""
    skate = gc.models.get("pendulum-skate-rotor")()
    b = gc.Parameter("b", 0.02, "N m s", positive=True)
    bearing = gc.Friction([0] * skate.algebra.n + [1], viscous=b.symbol)
    return skate, skate.replace(friction=[bearing], parameters=[*skate.parameters, b])


def test_a_bearing_of_a_rotor_takes_torque_from_it_and_none_from_the_body(braked):
    free, system = (m.reduce() for m in braked)
    x = system.random_state(np.random.default_rng(3))
    rate = x[system.state_labels.index("theta_dot")]
    found, expected = system.rhs(0, x, [0.3]), free.rhs(0, x, [0.3 - 0.02 * rate])
    assert found == pytest.approx(expected, rel=1e-13, abs=1e-13)
    power = along(system.energy, x, system.rhs(0, x))
    assert power == pytest.approx(-0.02 * rate**2, rel=1e-7)
    assert "energy" in free.conserved()
    assert "energy" not in system.conserved()
    # By the multiplier form, which solves for all accelerations at once.
    form = system.unreduced()
    whole = np.append(system.velocity(x), rate)
    rates, _ = form.rhs(0.0, (whole, system.configuration(x)), [0.3])
    place = system.state_labels.index("theta_dot")
    assert rates[-1] == pytest.approx(found[place], rel=1e-10)


def test_a_law_of_all_states_is_proved_with_a_bearing(braked):
    system = braked[1].reduce()
    eq = system.equilibrium("sliding", Y0=1.0)
    law = gc.lqr(system, eq)
    assert gc.certify(law.closed_loop(), law.equilibrium).verdict is gc.Verdict.PROVED_STABLE
    with pytest.raises(gc.DescriptionError, match="or 7 with theta_dot behind them, got 2"):
        braked[0].replace(friction=[gc.Friction([1, 2], viscous=1)])


def test_a_bearing_stays_with_its_rotor_where_rotors_are_velocities(braked):
    from geoctrl.systems.rotor_velocities import with_rotor_velocities

    system, spun = braked[1].reduce(), with_rotor_velocities(braked[1]).reduce()
    x = system.random_state(np.random.default_rng(5))
    there = np.array([x[system.state_labels.index(label)] for label in spun.state_labels])
    found = dict(zip(system.state_labels, system.rhs(0, x), strict=True))
    assert spun.rhs(0, there) == pytest.approx([found[label] for label in spun.state_labels], rel=1e-11)
