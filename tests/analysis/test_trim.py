"""Trim: inputs, parameters and states at which a system rests, against balances of forces by hand."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.analysis.rest import exact_inputs

G = sp.Rational("9.81")


def links(masses, lengths, centres, inertias, names, units=(1, 1, 1)):
    """Links in a plane, each angle against the one before, upright at zero, a torque in each joint.

    Numbers are multiplied by units of mass, length and time.
    """
    mass, size, time = (sp.Rational(q) for q in units)
    masses, lengths = [mass * m for m in masses], [size * e for e in lengths]
    centres, inertias = [size * c for c in centres], [mass * size**2 * e for e in inertias]
    joints = [gc.Coordinate(name, angle=True) for name in names]
    angles = [sum(q.symbol for q in joints[: i + 1]) for i in range(len(joints))]
    rates = [sum(q.rate for q in joints[: i + 1]) for i in range(len(joints))]
    forward = up = height = energy = weight = 0
    for m, length, c, inertia, angle, rate in zip(
        masses, lengths, centres, inertias, angles, rates, strict=True
    ):
        at = (forward + c * rate * sp.cos(angle), up - c * rate * sp.sin(angle))
        energy += m * (at[0] ** 2 + at[1] ** 2) / 2 + inertia * rate**2 / 2
        weight += m * G * size / time**2 * (height + c * sp.cos(angle))
        forward += length * rate * sp.cos(angle)
        up -= length * rate * sp.sin(angle)
        height += length * sp.cos(angle)
    torques = sp.symbols([f"u_{name}" for name in names], real=True)
    lagrangian = sp.expand(energy) - weight
    return gc.EulerPoincare(shape=joints, lagrangian=lagrangian, forces=torques, inputs=torques).reduce()


@pytest.fixture(scope="module")
def arm():
    return links(
        [sp.Rational("1.3"), sp.Rational("0.7")],
        [sp.Rational("0.5"), sp.Rational("0.4")],
        [sp.Rational("0.24"), sp.Rational("0.21")],
        [sp.Rational("0.02"), sp.Rational("0.01")],
        ["a", "b"],
    )


@pytest.fixture(scope="module")
def human():
    return standing()


def standing(units=(1, 1, 1)):
    return links(
        [6, 14, 46],
        [sp.Rational("0.42"), sp.Rational("0.42"), sp.Rational("0.8")],
        [sp.Rational("0.24"), sp.Rational("0.24"), sp.Rational("0.38")],
        [sp.Rational("0.12"), sp.Rational("0.25"), sp.Rational("2.4")],
        ["ankle", "knee", "hip"],
        units,
    )


def test_an_arm_is_held_at_a_posture_exactly_and_its_loop_is_proved(arm):
    eq = gc.find_equilibrium(arm, fixed={"a": 0.4, "b": 0.7}, free=["u_a", "u_b"])
    second = -9.81 * 0.7 * 0.21 * np.sin(1.1)
    first = -9.81 * (1.3 * 0.24 + 0.7 * 0.5) * np.sin(0.4) + second
    assert eq.u == pytest.approx([first, second], rel=4e-16)
    assert eq.x.tolist() == [0, 0, 0.4, 0.7]
    assert eq.exact is not None
    assert eq.redundant == ()
    assert eq.free == {"u_a": eq.u[0], "u_b": eq.u[1]}
    assert "inputs u_a = -3.81415178 N m, u_b = -1.2851834 N m" in " ".join(repr(eq).split())
    law = gc.lqr(arm, eq)
    assert gc.certify(law.closed_loop(), law.equilibrium).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    held = gc.certify(arm, eq, controller=law.sampled(rate=100))
    assert held.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def test_exact_inputs_take_one_question_however_many_there_are(monkeypatch):
    """Slopes by the inputs come with the rates: more inputs than states are asked for in several turns."""
    asked = []
    of = exact_inputs.Problem.of
    monkeypatch.setattr(
        exact_inputs.Problem, "of", lambda seen, given: (asked.append(given), of(seen, given))[1]
    )
    names = sp.symbols("u1:8", real=True)
    signs = [1, 1, -1, 1, -1, -1, -1]
    push = sum(s * u for s, u in zip(signs, names, strict=True))
    q = gc.Coordinate("q", angle=True)
    rod = gc.EulerPoincare(
        shape=[q], inertia=[[2]], potential=3 * sp.cos(q.symbol), forces=[push], inputs=names
    ).reduce()
    eq = gc.find_equilibrium(rod, fixed={"q": 0.5}, free=list(names))
    # 3 sin q + sum s_k u_k = 0, least squares: u_k = -3 s_k sin q / 7.
    assert eq.u == pytest.approx([-3 * s * np.sin(0.5) / 7 for s in signs], rel=1e-14)
    assert eq.exact_u is not None
    assert len(asked) < len(names)  # one for each way to write the state exactly


def test_a_leaning_human_moves_no_joint_to_save_torque(human):
    """States come first: with ankle and knee free the trunk still leans over straight legs."""
    lean = np.deg2rad(5)
    expected = -46 * 9.81 * 0.38 * np.sin(lean)
    for fixed in ({"ankle": 0, "knee": 0, "hip": lean}, {"hip": lean}):
        eq = gc.find_equilibrium(human, human.state(hip=lean), fixed, free=list(human.input_labels))
        assert eq.u == pytest.approx([expected] * 3, rel=1e-15)
        assert eq.x.tolist() == [0, 0, 0, 0, 0, lean]
        assert eq.exact is not None


def test_joints_move_where_a_torque_is_bounded(human):
    lean, free = np.deg2rad(5), list(human.input_labels)
    eq = gc.find_equilibrium(
        human, human.state(hip=lean), {"hip": lean}, free=free, bounds={"u_ankle": (-5, None)}
    )
    assert eq.u[0] == -5
    # Statics by hand about each joint, from the angles that were found.
    sines = np.sin(np.cumsum(eq.x[3:]))
    moments = [6 * 0.24 + 60 * 0.42, 14 * 0.24 + 46 * 0.42, 46 * 0.38] * sines
    assert eq.u == pytest.approx(-9.81 * np.cumsum(moments[::-1])[::-1], rel=1e-12)
    # No other way to the bound is shorter: ankle and knee share it as their moments say.
    shorter = gc.find_equilibrium(
        human, human.state(hip=lean), {"hip": lean, "knee": eq["knee"] + 1e-4, "u_ankle": -5}, free=free[1:]
    )
    assert np.hypot(eq["ankle"], eq["knee"]) < np.hypot(shorter["ankle"], shorter["knee"])
    shorter = gc.find_equilibrium(
        human, human.state(hip=lean), {"hip": lean, "knee": eq["knee"] - 1e-4, "u_ankle": -5}, free=free[1:]
    )
    assert np.hypot(eq["ankle"], eq["knee"]) < np.hypot(shorter["ankle"], shorter["knee"])


@pytest.mark.parametrize("units", [("1e6", "1e3", "1e-5"), ("1e-6", "1e-3", "1e5")])
def test_bounds_mean_the_same_in_other_units(human, units):
    torque = float(units[0]) * float(units[1]) ** 2 / float(units[2]) ** 2
    free, bounds = list(human.input_labels), {"u_ankle": (-5, 5), "u_knee": (-6, 6)}
    here = gc.find_equilibrium(human, human.state(hip=0.1), {"hip": 0.1}, free=free, bounds=bounds)
    there = standing(units)
    bounds = {label: (low * torque, high * torque) for label, (low, high) in bounds.items()}
    found = gc.find_equilibrium(there, there.state(hip=0.1), {"hip": 0.1}, free=free, bounds=bounds)
    assert found.u / torque == pytest.approx(here.u, rel=1e-10)
    assert found.x == pytest.approx(here.x, abs=1e-10)
    assert here.u[1] == -6


def test_a_turning_balancer_is_held_exactly():
    """Motors with c (rate of the wheel against the body): at v, w they give c (v -+ d w)/r each, upright."""
    m, mw, height, r, d, c = (sp.Rational(s) for s in ("3", "0.25", "0.18", "0.05", "0.17", "0.3"))
    group = gc.se2().relabelled(["w", "v", "side"])
    tilt = gc.Coordinate("theta", angle=True)
    (w, v, side), q, theta = group.xi, tilt.rate, tilt.symbol
    left, right = sp.symbols("tl tr", real=True)
    sine, cosine = sp.sin(theta), sp.cos(theta)
    place = (v + height * cosine * q, side + height * sine * w, -height * sine * q)
    wheels = [(v - d * w) / r, (v + d * w) / r]
    energy = m * sum(e**2 for e in place) / 2
    energy += (sp.Rational("0.05") * (w * sine) ** 2 + sp.Rational("0.045") * q**2) / 2
    energy += sp.Rational("0.02") * (w * cosine) ** 2 / 2
    energy += sum(mw * (rate * r) ** 2 / 2 + mw * r**2 * rate**2 / 4 for rate in wheels)
    turns = [t - c * (rate - q) for t, rate in zip((left, right), wheels, strict=True)]
    forces = [d * (turns[1] - turns[0]) / r, sum(turns) / r, 0, -sum(turns)]
    balancer = gc.EulerPoincare(
        algebra=group,
        shape=[tilt],
        lagrangian=sp.expand(energy) - m * G * height * cosine,
        constraints=[[0, 0, 1, 0]],
        forces=forces,
        inputs=[left, right],
    ).reduce()
    speeds = [label for label in balancer.state_labels if label not in ("theta", "theta_dot")]
    eq = gc.find_equilibrium(balancer, fixed=dict(zip(speeds, (2.0, 0.5), strict=True)), free=["tl", "tr"])
    assert eq["theta"] == 0
    assert [str(q) for q in eq.exact_u] == ["24/25", "126/25"]
    law = gc.lqr(balancer, eq)
    verdict = gc.certify(law.closed_loop(), law.equilibrium).verdict
    assert verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


ARMS = [
    (0.2, 0.17),
    (-0.21, 0.17),
    (-0.2, -0.16),
    (0.2, -0.18),
    (0.3, 0.0),
    (0.0, 0.3),
    (-0.28, 0.0),
    (0.0, -0.3),
]


def drone(rotors, scale=1, drag=0, wind=(0, 0, 0)):
    """A drone whose rotors push along its third axis, with lengths in units of 1/scale m."""
    group, m = gc.se3(), sp.Rational("1.3")
    axes = [gc.AdvectedVector(f"E{k + 1}", reference=[int(i == k) for i in range(3)]) for k in range(3)]
    speed = sp.Matrix(group.xi[3:])
    push = sp.symbols(f"f1:{rotors + 1}", real=True)
    arms = [tuple(sp.Rational(str(e)) * scale for e in arm) for arm in ARMS[:rotors]]
    yaw = [(-1) ** j * sp.Rational("0.02") * scale for j in range(rotors)]
    moments = [
        sum(y * f for (_, y), f in zip(arms, push, strict=True)),
        -sum(x * f for (x, _), f in zip(arms, push, strict=True)),
        sum(k * f for k, f in zip(yaw, push, strict=True)),
    ]
    air = (
        sum(
            (sp.Rational(str(e)) * scale * sp.Matrix(a.symbols) for e, a in zip(wind, axes, strict=True)),
            sp.zeros(3, 1),
        )
        - speed
    )
    air = sp.Rational(drag) * air
    weight = m * G * scale * sp.Matrix(axes[2].symbols)
    moments = sp.Matrix(moments) + sp.Matrix([0, 0, sp.Rational("0.05") * scale]).cross(air)
    inertia = sp.diag(*(sp.Rational(s) * scale**2 for s in ("0.012", "0.014", "0.024")), m, m, m)
    return gc.EulerPoincare(
        algebra=group,
        inertia=inertia,
        advected=axes,
        forces=[*moments, *(sp.Matrix([0, 0, sum(push)]) + air - weight)],
        inputs=list(push),
    ).reduce()


def level(system, push):
    return system.state(E1=(1, 0, 0), E2=(0, 1, 0), E3=(0, 0, 1)), push


def test_a_drone_holds_its_place_in_the_wind():
    """The rotors bear weight and drag: their sum is the length of both, along the drone's axis."""
    quad = drone(4, drag="0.25", wind=(4, -2.5, 0.3))
    still = dict.fromkeys(("Y1", "Y2", "Y3"), 0.0)
    bounds = dict.fromkeys(quad.input_labels, (0, 8))
    eq = gc.find_equilibrium(
        quad, level(quad, [3.2] * 4), still | {"E12": 0.0}, free=quad.input_labels, bounds=bounds
    )
    borne = np.array([-1, 0.625, 1.3 * 9.81 - 0.075])
    assert sum(eq.u) == pytest.approx(np.linalg.norm(borne), rel=1e-12)
    assert [eq[f"E{k}3"] for k in (1, 2, 3)] == pytest.approx(borne / np.linalg.norm(borne), abs=1e-12)
    law = gc.lqr(quad, eq)
    verdict = gc.certify(law.closed_loop(), law.equilibrium).verdict
    assert verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


@pytest.mark.parametrize("scale", [1, 1000])
def test_idle_directions_of_eight_rotors_are_named_and_inputs_are_least(scale):
    system = drone(8, scale)
    eq = gc.find_equilibrium(system, level(system, [0.0] * 8), free=system.input_labels)
    arms = np.array(ARMS) * scale
    yaw = [(-1) ** j * 0.02 * scale for j in range(8)]
    wrench = np.array([arms[:, 1], -arms[:, 0], yaw, np.ones(8)])
    # Rows as long as each other: those of moments would cost digits of the pseudo-inverse.
    rows = wrench / np.linalg.norm(wrench, axis=1, keepdims=True)
    weight = np.array([0, 0, 0, 1.3 * 9.81 * scale / np.linalg.norm(wrench[3])])
    assert eq.u == pytest.approx(np.linalg.pinv(rows) @ weight, rel=1e-14)
    assert eq.exact is not None
    assert len(eq.redundant) == 4
    for direction in eq.redundant:
        step = np.array([direction.get(label, 0.0) for label in system.input_labels])
        assert np.max(np.abs(step)) == 1
        assert np.max(np.abs(rows @ step)) < 1e-10


def test_a_parameter_is_found():
    q, torque, m = gc.Coordinate("phi", angle=True), gc.Parameter("T", 1.0), gc.Parameter("m", 2.0)
    pendulum = gc.EulerPoincare(
        shape=[q],
        inertia=[[m.symbol]],
        potential=-3 * m.symbol * sp.cos(q.symbol),
        forces=[torque.symbol],
        parameters=[torque, m],
    ).reduce()
    eq = gc.find_equilibrium(pendulum, fixed={"phi": sp.pi / 6}, free=["T"])
    assert eq.free["T"] == pytest.approx(3.0, rel=1e-12)  # m g l sin 30 deg
    assert eq.params["T"] == eq.free["T"]
    assert "T = 3" in repr(eq)
    with pytest.raises(gc.InputError, match="starts from zero"):
        gc.find_equilibrium(pendulum, fixed={"phi": 0.5}, params={"T": 0}, free=["T"])


def test_a_parameter_meets_its_bound_and_the_place_moves():
    """T = 6 sin phi, T from 1 on and at most 1/2: phi is asin(1/12)."""
    q, torque = gc.Coordinate("phi", angle=True), gc.Parameter("T", 1.0)
    pendulum = gc.EulerPoincare(
        shape=[q], inertia=[[2]], potential=-6 * sp.cos(q.symbol), forces=[torque.symbol], parameters=[torque]
    ).reduce()
    eq = gc.find_equilibrium(pendulum, [0, 0.5], free=["T"], bounds={"T": (0, 0.5)})
    assert eq.free == {"T": 0.5}
    assert eq["phi"] == pytest.approx(np.arcsin(1 / 12), rel=1e-12)
    with pytest.raises(gc.EquilibriumError, match=r"T = .* lies outside \[0, 2\]"):
        gc.find_equilibrium(pendulum, fixed={"phi": 0.5}, free=["T"], bounds={"T": (0, 2)})


def test_an_input_whose_effect_varies_holds_nothing():
    satellite = gc.models.get("magnetic-satellite")().reduce()
    varying = satellite.seen_from().varying_inputs(np.zeros(satellite.ninputs))
    with pytest.raises(gc.InputError, match=f"what '{varying[0]}' does holds the time"):
        gc.find_equilibrium(satellite, satellite.state(), free=varying)


def test_what_cannot_be_held_is_said_by_name(arm):
    with pytest.raises(gc.EquilibriumError, match=r"d/dt b_dot .* u_a cannot change .*; free one of u_b"):
        gc.find_equilibrium(arm, fixed={"a": 0.4, "b": 0.7}, free=["u_a"])
    with pytest.raises(gc.EquilibriumError, match=r"held at zero \(u_a, u_b\), free=\[...\] has them found"):
        gc.find_equilibrium(arm, fixed={"a": 0.4, "b": 0.7})
    with pytest.raises(gc.EquilibriumError, match=r"u_a = -3.81415 lies outside \[-1, 1\]"):
        gc.find_equilibrium(arm, fixed={"a": 0.4, "b": 0.7}, free=["u_a", "u_b"], bounds={"u_a": (-1, 1)})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"fixed": {"u_a": 1}, "free": ["u_a"]}, "'u_a' is both fixed and free"),
        ({"free": ["u_c"]}, "free names no input or parameter: 'u_c'.*did you mean 'u_[ab]'"),
        ({"free": ["a"]}, "free names the state 'a'"),
        ({"free": ["u_a"], "bounds": {"u_b": (0, 1)}}, "bounds names 'u_b', which is not free"),
        ({"free": ["u_a"], "bounds": {"u_a": (1, 0)}}, "the low one, 1, must be below the high one, 0"),
        ({"free": ["u_a"], "bounds": {"u_a": 1}}, "bounds.'u_a'. must be"),
        ({"free": ["u_a"], "near": {"a": 0}}, "positive deviation"),
        ({"free": ["u_a"], "near": {"x": 1}}, "near names 'x'"),
    ],
)
def test_slips_are_refused(arm, given, words):
    with pytest.raises(gc.InputError, match=words):
        gc.find_equilibrium(arm, **given)
