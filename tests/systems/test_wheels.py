"""Wheels as the rotors that they are: masses, bearings, motors, angles, turning axes, torque-speed lines."""

import copy
import pickle
import warnings
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

R = sp.Rational
BODY = sp.Matrix([[13, 1, 0], [1, 17, -1], [0, -1, 9]]) / 10
AXES = (sp.Matrix([R(2, 3), R(1, 3), R(2, 3)]), sp.Matrix([0, R(3, 5), R(4, 5)]))
INERTIAS, ORBIT = (R(1, 20), R(1, 30)), R(3, 5)
a, b = gc.AdvectedVector("a", reference=(0, 0, 1)), gc.AdvectedVector("b", reference=(0, 1, 0))
A, B = (sp.Matrix(v.symbols) for v in (a, b))
POTENTIAL = R(3, 2) * ORBIT**2 * A.dot(BODY * A) - ORBIT**2 * B.dot(BODY * B) / 2
WHEELS = [gc.Wheel(f"w{k + 1}", axis=AXES[k], inertia=INERTIAS[k]) for k in range(2)]


def satellite(gyroscopic, **further):
    """In orbit, with two wheels, in axes of which the orbit's turning is taken off."""
    return gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[a, b],
        inertia=BODY,
        gyroscopic=gyroscopic,
        potential=POTENTIAL,
        name="orbit",
        **further,
    )


@cache
def orbit():
    rows = [*(ORBIT * BODY * B), *(wheel.gyroscopic(ORBIT * B) for wheel in WHEELS)]
    return satellite(rows, wheels=WHEELS).reduce()


def test_a_satellite_with_wheels_is_its_product_with_their_velocities():
    system, labels = orbit(), ("Omega1", "Omega2", "Omega3", "w1_dot", "w2_dot")
    G = sp.diag(BODY, *INERTIAS)
    for k, (axis, J) in enumerate(zip(AXES, INERTIAS, strict=True)):
        G[:3, 3 + k], G[3 + k, :3] = J * axis, (J * axis).T
    rows = [*(ORBIT * BODY * B), *(ORBIT * J * x.dot(B) for x, J in zip(AXES, INERTIAS, strict=True))]
    u = sp.symbols("u_w1 u_w2", real=True)
    whole = gc.EulerPoincare(
        algebra=gc.product(gc.so3(), gc.rn(2)).relabelled(labels),
        advected=[a, b],
        inertia=G,
        gyroscopic=rows,
        potential=POTENTIAL,
        forces=[0, 0, 0, *u],
        inputs=["u_w1", "u_w2"],
    ).reduce()
    assert whole.state_labels == system.state_labels
    for seed in range(3):
        x = system.random_state(np.random.default_rng(seed))
        assert whole.rhs(0, x, [0.2, -0.3]) == pytest.approx(system.rhs(0, x, [0.2, -0.3]), abs=1e-14)


def test_it_obeys_newton_and_euler_in_orbit():
    """The body turns at Omega + n b against the stars; wheels at that along their axes, and besides."""
    system, n, u = orbit(), float(ORBIT), np.array([0.2, -0.3])
    J, axes, body = np.array(INERTIAS, float), np.array(AXES, float).reshape(2, 3), np.array(BODY, float)
    x = system.random_state(np.random.default_rng(5))
    rates = system.rhs(0, x, u)
    Omega, spins, pointing, normal = x[:3], x[3:5], x[5:8], x[8:]
    turning, turned = Omega + n * normal, rates[:3] + n * np.cross(normal, Omega)
    momentum = body @ turning + (J * spins) @ axes
    left = body @ turned + (J * rates[3:5]) @ axes + np.cross(turning, momentum)
    assert left == pytest.approx(3 * n**2 * np.cross(pointing, body @ pointing), abs=5e-15)
    assert J * (rates[3:5] + axes @ turned) == pytest.approx(u, abs=5e-16)


def test_what_a_gyroscopic_term_lacks_for_wheels_is_told_once():
    rows = list(ORBIT * BODY * B)
    with pytest.warns(gc.GyroscopicWarning, match="no entries for w1, w2"):
        lacking = satellite(rows, wheels=WHEELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lacking.replace(name="the same")
        satellite([*rows, 0, 0], wheels=WHEELS)
        satellite(rows)
    assert lacking.rotors.gyroscopic.is_zero_matrix


def test_wheels_and_rotors_end_in_the_same_data():
    wheels = [
        gc.Wheel("w", axis=(0, 0, 1), inertia=R(1, 20), friction=[gc.Friction.bearing(viscous=2)], angle=True)
    ]
    rotors = gc.Rotors(
        [0, 0, R(1, 20)], R(1, 20), ["w"], friction=[gc.Friction.bearing(viscous=2)], angles=["w"]
    )
    one, other = (
        gc.EulerPoincare(algebra=gc.so3(), inertia=BODY, **given)
        for given in ({"wheels": wheels}, {"rotors": rotors})
    )
    assert one.wheels == other.wheels == ()
    for mech in (one, other, one.replace(name="again"), pickle.loads(pickle.dumps(one)), copy.copy(one)):
        assert mech.rotors.coupling == other.rotors.coupling
        assert [f.along.tolist() for f in mech.friction] == [[[0, 0, 0, 1]]]
        assert [z.name for z in mech.quasicoordinates] == ["w"]
    x = one.reduce().random_state(np.random.default_rng(0))
    assert np.array_equal(one.reduce().rhs(0, x, [0.1]), other.reduce().rhs(0, x, [0.1]))


@pytest.mark.parametrize("algebra", [gc.so3, gc.se3, gc.se2, gc.so2])
def test_the_mass_of_a_wheel_moves_with_its_place(algebra):
    """Its kinetic energy beside that of the body: m |v + omega x p|^2/2, for velocities at random."""
    group, p, m = algebra(), sp.Matrix([R(1, 5), R(-1, 4), R(1, 3)]), R(7, 3)
    wheel = gc.Wheel("w", inertia=1, mass=m, place=list(p))
    mech = gc.EulerPoincare(algebra=group, inertia=sp.eye(group.n), wheels=[wheel])
    xi = np.random.default_rng(1).normal(size=group.n)
    parts = dict(zip(group.labels, xi, strict=True))
    if "Omega" in parts:
        omega, v = np.array([0, 0, parts["Omega"]]), np.array([parts.get("Y1", 0), parts.get("Y2", 0), 0])
    else:
        omega = np.array([parts[f"Omega{k}"] for k in (1, 2, 3)])
        v = np.array([parts.get(f"Y{k}", 0) for k in (1, 2, 3)])
    moved = v + np.cross(omega, np.array(p, float).ravel())
    added = np.array(mech.inertia - sp.eye(group.n), float)
    assert xi @ added @ xi == pytest.approx(float(m) * moved @ moved, rel=1e-13)


@cache
def spong(**further):
    """I = 2, J = 1, m g l = 9.8: a pendulum with a wheel, upright at q = 0."""
    q = gc.Coordinate("q", angle=True)
    wheel = gc.Wheel("theta", on="q", inertia=1, angle=True, **further)
    potential = R(49, 5) * sp.cos(q.symbol)
    return gc.EulerPoincare(shape=[q], inertia=[[3]], potential=potential, wheels=[wheel]).reduce()


def test_a_law_brings_a_wheel_home_as_in_spongs_example():
    system = spong()
    law = gc.lqr(system, system.state(), Q=np.eye(4), R=1)
    gains = dict(zip(system.state_labels, law.K[0], strict=True))
    found = [gains[k] for k in ("q", "theta", "q_dot", "theta_dot")]
    assert found == pytest.approx([-41.19368, -1, -20.92299, -2.72156], abs=1e-5)
    assert gc.certify(law.closed_loop(), law.equilibrium).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def test_a_motor_sets_volts_and_brakes_by_its_own_voltage():
    motor = gc.Motor(constant=R(1, 20), resistance=2, gear=4, inertia=R(1, 1000), supply=12)
    driven, free = spong(motor=motor), spong()
    assert driven.input_labels == ("V_theta",)
    assert driven.limits == {"V_theta": (-12.0, 12.0)}
    held = gc.lqr(driven, driven.state())
    assert held.sampled(rate=100).limits == {"V_theta": (-12.0, 12.0)}
    assert held.sampled(rate=100, limits={}).limits == {}
    x = np.array([0.3, -2.0, 0.1, 0.5])
    u, rate = motor.torque(6.0, x[1]), x[1]
    assert motor.volts(u, rate) == pytest.approx(6.0, rel=1e-14)
    # By hand: M = ((3, 1), (1, 1 + N^2 Jm)) with the armature beside the wheel alone.
    M = np.array([[3, 1], [1, 1 + 16 / 1000]])
    expected = np.linalg.solve(M, [9.8 * np.sin(0.1), 0.1 * 6 - 0.02 * rate])
    assert driven.rhs(0, x, [6.0])[:2] == pytest.approx(expected, rel=1e-13)
    assert u == pytest.approx(0.1 * 6 - 0.02 * rate)
    plain = gc.Motor(constant=1, resistance=1, back_emf=False)
    again = spong(motor=plain)
    assert again.rhs(0, x, [u]) == pytest.approx(free.rhs(0, x, [u]), rel=1e-14)


def test_matching_cancels_viscous_bearings_and_refuses_what_it_cannot():
    skate = gc.models.get("pendulum-skate-rotor")()
    r = skate.rotors

    def with_(**given):
        return skate.replace(rotors=gc.Rotors(r.coupling, r.inertia, r.names, **given))

    bearing = [gc.Friction.bearing(viscous=R(3, 10))]
    laws = [
        gc.match(m).law(sigma=-5e-6).with_damping(k=8, kappa=0.5) for m in (skate, with_(friction=bearing))
    ]
    plain, braked = (law.closed_loop(rotors=True) for law in laws)
    x = plain.random_state(np.random.default_rng(1))
    assert np.array_equal(braked.rhs(0, x), plain.rhs(0, x))
    rate = x[plain.state_labels.index("theta_dot")]
    assert braked.outputs(0, x)[0] - plain.outputs(0, x)[0] == pytest.approx(0.3 * rate, rel=1e-9)
    gc.match(with_(angles=["theta"]))  # an angle on which nothing depends
    theta = sp.Symbol("theta", real=True)
    refused = {
        "viscous bearings of rotors alone": with_(friction=[gc.Friction.bearing(coulomb=1, scale=1)]),
        "theta stands in potential": with_(angles=["theta"]).replace(potential=skate.potential + theta**2),
        "theta has a motor": with_(motors=[gc.Motor(1, 1)]),
    }
    for words, mech in refused.items():
        with pytest.raises(gc.MatchingError, match=words):
            gc.match(mech)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"axis": (0, 0, 2)}, "length one"),
        ({"axis": (1, 0)}, "three entries"),
        ({"mass": 1}, "go together"),
        ({"inertia": None}, "inertia= of the wheel 'w' is needed"),
        ({"on": 2}, "counted from 1"),
        ({"on": "phi"}, "no coordinate"),
        ({"friction": [gc.Friction([1, 0], viscous=1)]}, "that of its bearing"),
        ({"motor": 3}, "must be a gc.Motor"),
    ],
)
def test_wheels_that_cannot_be_are_refused(given, words):
    with pytest.raises(gc.DescriptionError, match=words):
        gc.EulerPoincare(
            algebra=gc.so3(), inertia=BODY, wheels=[gc.Wheel(**({"name": "w", "inertia": 1} | given))]
        )


def test_further_refusals():
    wheel = gc.Wheel("w", axis=(1, 0, 0), inertia=1)
    with pytest.raises(gc.DescriptionError, match="sits on what turns in a plane"):
        gc.EulerPoincare(algebra=gc.se2(), inertia=sp.eye(3), wheels=[wheel])
    with pytest.raises(gc.DescriptionError, match="either wheels= or rotors="):
        gc.EulerPoincare(
            algebra=gc.so3(), inertia=BODY, wheels=[wheel], rotors=gc.Rotors([0, 0, 1], 1, ["v"])
        )
    for given in ({"constant": 0, "resistance": 1}, {"constant": 1, "resistance": -1}):
        with pytest.raises(gc.DescriptionError, match="must be positive"):
            gc.Motor(**given)
    with pytest.raises(gc.InputError, match="must be positive"):
        gc.TorqueSpeed(stall=0, no_load=1)


# -- torque-speed lines --------------------------------------------------------------------------------------


@cache
def servo():
    """A motorised pendulum, held upright."""
    q, u = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True)
    system = gc.EulerPoincare(
        shape=[q],
        inertia=[[R(1, 50)]],
        potential=R(3, 5) * sp.cos(q.symbol),
        forces=[u],
        inputs=["u"],
        friction=[gc.Friction([1], viscous=R(1, 100))],
        name="servo",
    ).reduce()
    return system, gc.lqr(system, system.state(), Q={"q": 25, "q_dot": 1}, R=1)


LINE = gc.TorqueSpeed(stall=3, no_load=20)


def test_a_run_is_clipped_to_the_line(tmp_path):
    system, law = servo()
    controller = law.sampled(rate=200, limits={"u": LINE})
    run = gc.simulate(system, np.linspace(0, 1, 201), [6.0, -0.3], controller=controller)
    samples = run.samples
    on_line = samples.applied[0] + LINE.slope * samples.measured[samples.signals.index("q_dot")]
    assert np.max(np.abs(on_line)) <= 3 + 1e-12
    assert samples.limited.any()
    assert np.max(np.abs(run.states[:, -1])) < 0.1
    assert "u + 0.15 q_dot in [-3, 3]" in repr(controller)
    source = controller.to_c(tmp_path)[1].read_text()
    assert f"(y[{controller.feedback.signals.index('q_dot')}] / " in source
    assert gc.certify(system, law.equilibrium, controller=controller).verdict.proved


def test_a_region_within_the_line_and_no_larger_with_more_limits():
    """With a second limit the set is the smaller one: shares of a box of starts, and of all that it holds."""
    _, law = servo()
    loop = law.closed_loop()
    q_dot = sp.Symbol("q_dot", real=True)
    known = {**loop.mechanism.outputs, "line": loop.mechanism.outputs["u"] + R(3, 20) * q_dot}
    both = loop.mechanism.replace(outputs=known).reduce()
    one = gc.region_of_attraction(loop, law.equilibrium, limits={"u": 3}, by="squares")
    line = gc.region_of_attraction(loop, law.equilibrium, limits={"u": LINE}, by="squares")
    two = gc.region_of_attraction(both, law.equilibrium, limits={"u": 3, "line": 3}, by="squares")
    assert line.limits == {"u + 0.15 q_dot": 3.0}
    assert "|'u + 0.15 q_dot'| <= 3" in line.claim
    starts = np.random.default_rng(0).uniform(-1, 1, (2, 400)) * [[20], [3.2]]
    shares = [np.mean(found.contains(starts)) for found in (one, line, two)]
    assert shares[2] <= min(shares[:2])
    inside = starts[:, line.contains(starts)]
    torque = -law.K @ inside
    assert np.max(np.abs(torque + LINE.slope * inside[0])) <= 3
    with pytest.raises(gc.InputError, match="no output 'v'"):
        gc.region_of_attraction(loop, law.equilibrium, limits={"v": LINE})


@pytest.mark.long(reason="gains are searched over a grid")
def test_gains_are_recommended_within_a_line():
    mech = gc.models.get("pendulum-skate-rotor")()
    design = gc.match(mech).design(mech.equilibrium("sliding", Y0=1.0))
    line = gc.TorqueSpeed(stall=8, no_load=360)
    found = design.recommend(limits={"u_theta": line}, rate=100, tilt=0.1)
    assert found.peaks["u_theta"] <= 8
