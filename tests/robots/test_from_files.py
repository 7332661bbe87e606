"""Model files against other programs, and what is read, told and refused."""

import builtins
import json
import warnings
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.robots.compiled_model import compiled_outline
from geoctrl.robots.mjcf.reader import mjcf_outline
from tests.robots import reference_numbers
from tests.robots.models import (
    ACROBOT,
    ARM,
    BALANCER,
    CART_POLE,
    CATALOGUE,
    DRAWN_MJCF,
    DRAWN_URDF,
    MJCF,
    QUADROTOR,
    REACTION_WHEEL,
    URDF,
)

REFERENCE = json.loads(reference_numbers.FILE.read_text(encoding="utf-8"))
COMPILED = json.loads(Path(__file__).with_name("compiled.json").read_text(encoding="utf-8"))


def read(text, **wishes):
    """A mechanism, whatever is left out."""
    reader = gc.from_urdf if "<robot" in str(text) else gc.from_mjcf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gc.ModelFileWarning)
        return reader(text, **wishes)


@cache
def mechanism(name):
    """A model with all of its place in the state."""
    for files in (MJCF, CATALOGUE, DRAWN_MJCF):
        if name in files:
            return read(files[name], place=True)
    text, base = (URDF | DRAWN_URDF)[name]
    return read(text, base=base, place=True)


def rotation(quaternion):
    w, *v = np.array(quaternion) / np.linalg.norm(quaternion)
    hat = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * hat + 2 * hat @ hat


def labelled(run, rates="v"):
    """Numbers of a run by label: configuration and velocities, or what rates of velocities should be."""
    groups = [name for name, v in run["v"].items() if len(v) > 1]
    found = {}
    for name, q in run["q"].items():
        v, end = np.array(run[rates][name]), f"_{name}" if len(groups) > 1 else ""
        if len(v) == 1:
            found |= {name: q[0], f"{name}_dot": v[0]}
            continue
        if len(v) == 3 and len(q) == 3:  # a planar base, whose velocities are those of its own axes
            c, s = np.cos(q[2]), np.sin(q[2])
            found |= {"Omega": v[2], "Y1": v[0], "Y2": v[1], "x": q[0], "y": q[1]}
            found |= {"E11": c, "E12": -s, "E21": s, "E22": c}
            continue
        R = rotation(q[-4:])
        found |= {f"E{k + 1}{end}{j + 1}": R[k, j] for k in range(3) for j in range(3)}
        found |= {f"Omega{k + 1}{end}": v[k - 3] for k in range(3)}
        if len(v) == 6:
            Omega = np.array(run["v"][name][3:])
            linear = R.T @ v[:3]
            if rates == "a":
                linear -= np.cross(Omega, R.T @ np.array(run["v"][name][:3]))
            found |= {f"Y{k + 1}{end}": linear[k] for k in range(3)} | {
                f"{c}{end}": value for c, value in zip("xyz", q[:3], strict=True)
            }
    return found


def deviation(system, runs):
    """Largest deviation of accelerations, relative to the largest one of its state."""
    worst = 0.0
    for run in runs:
        values, wanted = labelled(run), labelled(run, "a")
        x = np.array([values[label] for label in system.state_labels])
        u = [
            run["u"][label.removeprefix("u_")] if label not in run["u"] else run["u"][label]
            for label in system.input_labels
        ]
        rates = dict(zip(system.state_labels, system.rhs(0.0, x, u or None), strict=True))
        speeds = [label for label in system.state_labels if label in wanted and label not in run["q"]]
        speeds = [label for label in speeds if label.endswith("_dot") or label.startswith(("Omega", "Y"))]
        size = max(abs(wanted[label]) for label in speeds)
        worst = max(worst, *(abs(rates[label] - wanted[label]) / size for label in speeds))
    return worst


@pytest.mark.parametrize("name", [*MJCF, *URDF, *CATALOGUE, *DRAWN_MJCF, *DRAWN_URDF])
def test_accelerations_are_those_of_other_programs(name):
    assert len(REFERENCE[name]) == (5 if name.startswith("drawn") else 20)
    assert deviation(mechanism(name).reduce(), REFERENCE[name]) < 1e-12


def test_stored_numbers_are_those_that_the_other_program_gives():
    mujoco = pytest.importorskip("mujoco")
    for name, text in (MJCF | DRAWN_MJCF).items():
        model = mujoco.MjModel.from_xml_string(text)
        assert reference_numbers.mujoco_runs(model, 2)[1]["a"] == pytest.approx(
            REFERENCE[name][1]["a"], rel=1e-9
        )
        assert deviation(gc.from_mujoco(model, place=True).reduce(), REFERENCE[name]) < 1e-12


def compiled(name, **options):
    """Arrays of a compiled model, with other options."""
    arrays = {k: np.array(v) if isinstance(v, list) else v for k, v in COMPILED[name].items()}
    given = {k.removeprefix("opt."): v for k, v in arrays.items() if k.startswith("opt.")}
    arrays["names"] = COMPILED[name]["names"].encode()
    return SimpleNamespace(opt=SimpleNamespace(**given | options), **arrays)


@pytest.mark.parametrize("name", list(COMPILED))
def test_a_compiled_model_says_what_its_file_says(name):
    found = compiled_outline(compiled(name))
    given = mjcf_outline(MJCF[name])
    for a, b in zip(found.links, given.links, strict=True):
        assert (a.name, a.parent, a.joint.kind, a.joint.name) == (
            b.name,
            b.parent,
            b.joint.kind,
            b.joint.name,
        )
        for part in ("place", "turn", "solid"):
            one, other = (np.array(numbers(getattr(link, part)), dtype=float) for link in (a, b))
            assert one == pytest.approx(other, rel=1e-14, abs=1e-15)
        for entry in ("damping", "dry", "armature", "stiffness", "rest"):
            assert float(getattr(a.joint, entry)) == pytest.approx(float(getattr(b.joint, entry)), rel=1e-14)
    for a, b in zip(found.drives, given.drives, strict=True):
        assert (a.name, a.joint, a.site, a.gear, a.gain, a.bias, a.limits) == (
            *(b.name, b.joint, b.site, b.gear, b.gain, b.bias, b.limits),
        )


def test_parts_of_the_dynamics_that_are_turned_off():
    """As the other program: dampers of actuators go with those of joints, constraints take dry friction."""

    def joints(text, off):
        option = f'<option><flag {off}="disable"/></option><worldbody>'
        return mjcf_outline(text.replace("<worldbody>", option, 1)).joints.values()

    assert not any(joint.damping for joint in joints(REACTION_WHEEL, "damper"))
    assert not any(joint.stiffness for joint in joints(MJCF["double"], "spring"))
    dry = CART_POLE.replace('damping="0.4"', 'frictionloss="2"')
    assert [joint.dry for joint in joints(dry, "constraint")] == [0, 0]
    off = {"damper": 1 << 6, "spring": 1 << 5, "constraint": 1 << 0}
    for name, bit in off.items():
        given = compiled_outline(compiled("servos", disableflags=bit)).joints.values()
        entry = {"damper": "damping", "spring": "stiffness", "constraint": "dry"}[name]
        assert not any(getattr(joint, entry) for joint in given)
    with pytest.raises(gc.ModelFileError, match="actuators that are turned off"):
        compiled_outline(compiled("servos", disableflags=1 << 11))


def numbers(part):
    if hasattr(part, "matrix"):
        return part.matrix
    return (
        [part.mass, *part.centre, *(x for row in part.inertia for x in row)]
        if hasattr(part, "mass")
        else part
    )


@pytest.mark.parametrize("name", [*MJCF, "arm-free", "arm-planar"])
def test_the_program_gives_equal_rates_to_the_last_bit(name):
    mech = mechanism(name)
    scope = {}
    exec(mech.as_code(), scope)
    one, other = mech.reduce(), scope["mech"].reduce()
    assert (one.state_labels, one.input_labels) == (other.state_labels, other.input_labels)
    assert scope["mech"].imported == mech.imported
    assert set(scope["mech"].equilibria) == set(mech.equilibria)
    rng = np.random.default_rng(3)
    for _ in range(3):
        x, u = rng.normal(size=one.nstates), rng.normal(size=len(one.input_labels))
        assert np.array_equal(one.rhs(0.0, x, u), other.rhs(0.0, x, u))


def test_a_program_of_parameters_builds_the_same():
    mech = read(CART_POLE, parameters="symbols")
    assert {"mass_pole", "damping_phi", "gear_force", "inertia_cart_xx"} <= {p.name for p in mech.parameters}
    scope = {}
    exec(mech.as_code(), scope)
    x = np.array([0.3, -0.2, 0.5, 0.7])
    numbers_alone = read(CART_POLE).reduce().rhs(0.0, x, [1.0])
    assert mech.reduce().rhs(0.0, x, [1.0]) == pytest.approx(numbers_alone, rel=1e-13)
    assert np.array_equal(scope["mech"].reduce().rhs(0.0, x, [1.0]), mech.reduce().rhs(0.0, x, [1.0]))
    heavier = mech.reduce().rhs(0.0, x, [1.0], params={"mass_pole": 0.5})
    assert abs(heavier - numbers_alone).max() > 0.1


def test_energy_is_kept_exactly():
    """Turns of any angle are orthogonal: the energy's rate is zero as an identity, not to rounding."""
    text = ACROBOT.replace('damping="0.04"', "").replace('damping="0.07"', "")
    system = read(text).reduce()
    assert gc.check_invariant(system, "energy").proved
    R = sp.Matrix(mechanism("servos").tree.links[0].turn.matrix)
    assert R.T * R == sp.eye(3)


def test_what_a_file_says_beside_the_mechanism():
    with pytest.warns(gc.ModelFileWarning) as told:
        mech = gc.from_mjcf(CART_POLE)
    assert len(told) == 1
    assert "keyframes that are no equilibria exactly, which stay in keys: leaning" in str(told[0].message)
    assert mech.imported.limits == {"force": (-5.0, 5.0)}
    assert mech.imported.ranges == {"x": (-1.5, 1.5)}
    assert mech.imported.keys["leaning"]["phi"] == 0.1
    assert list(mech.equilibria) == ["upright"]
    assert "x range" in mech.domain
    hover = read(QUADROTOR)
    assert hover.reduce().state_labels == (
        *(f"{v}{k}" for v in ("Omega", "Y") for k in (1, 2, 3)),
        "E31",
        "E32",
        "E33",
        "z",
    )
    link, place, turn = hover.imported.sites["back_left"]
    assert (link, place, turn.is_identity) == (
        "hull",
        (Fraction(-3, 20), Fraction(3, 20), Fraction(1, 25)),
        True,
    )
    placed = read(QUADROTOR, place=True).tree
    at = dict.fromkeys(placed.place("back_left").free_symbols, 0)
    at |= {sp.Symbol(f"E{k}{k}", real=True): 1 for k in (1, 2, 3)}
    assert placed.place("back_left").subs(at).T.tolist() == [list(map(sp.Rational, place))]
    point = hover.reduce().equilibrium("hover")
    assert not hover.reduce().rhs(0.0, point.x, point.u).any()
    assert gc.EulerPoincare(algebra=gc.rn(1), inertia=[[1]]).imported is None


def test_two_slides_and_a_hinge_at_the_root_are_a_planar_base():
    labels = read(BALANCER).reduce().state_labels
    assert labels[:3] == ("Omega", "Y1", "Y2")
    assert not {"x", "y", "yaw"} & set(labels)
    assert {"x", "y", "yaw"} <= set(read(BALANCER, keep="x").reduce().state_labels)
    driven = BALANCER.replace("<motor", '<motor name="tow" joint="x"/><motor', 1)
    assert "yaw" in read(driven).reduce().state_labels


@cache
def balancer(**wishes):
    wheels = [gc.Rolling(side, sp.Rational(1, 20), "hull yaw") for side in ("left", "right")]
    return read(BALANCER, rolling=wheels, **wishes)


def test_a_balancer_turns_upright_under_the_torques_of_its_damping():
    """t = c (v -+ d w)/r at 0.5 m/s and 2 rad/s, by hand 0.3 (0.5 -+ 0.17 2)/0.05."""
    mech = balancer(keep=("roll_left", "roll_right"))
    system = mech.reduce()
    assert len(mech.constraints.tolist()) == 3
    turning = {"Omega": 2.0, "Y1": 0.5}
    x = np.array([turning.get(label, 0.0) for label in system.state_labels])
    rates = dict(zip(system.state_labels, system.rhs(0.0, x, [0.96, 5.04]), strict=True))
    assert max(abs(rates[label]) for label in ("Omega", "Y1", "pitch_dot", "pitch")) < 1e-13
    assert (rates["roll_left"], rates["roll_right"]) == pytest.approx((3.2, 16.8), rel=1e-14)
    for found in (mech, balancer()):
        scope, system = {}, found.reduce()
        exec(found.as_code(), scope)
        x = np.linspace(0.1, 0.5, system.nstates)
        assert np.array_equal(scope["mech"].reduce().rhs(0.0, x, [1.0, 2.0]), system.rhs(0.0, x, [1.0, 2.0]))


def test_a_balancer_is_trimmed_exactly():
    """Its wheels have no angles, so that rolling is an equilibrium."""
    system = balancer().reduce()
    assert not {"roll_left", "roll_right"} & set(system.state_labels)
    eq = gc.find_equilibrium(system, fixed={"Omega": 2.0, "Y1": 0.5}, free=system.input_labels)
    assert eq.exact_u == (Fraction(24, 25), Fraction(126, 25))
    assert eq.exact is not None
    law = gc.lqr(system, eq)
    loop = gc.certify(law.closed_loop(), eq)
    assert loop.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def test_what_stands_needs_no_mass_and_moves_nothing():
    """Meshes of what stands, bodies moved from outside and frames that Drake names change no motion."""
    standing = '<body name="base"><geom type="mesh" mesh="m"/><body name="hung" pos="1 0 0">'
    hand = '<body name="hand" mocap="true"><geom type="mesh" mesh="m"/></body>'
    text = mjcf(f"{standing}{BODY}</body></body>{hand}")
    mech = read(text)
    assert [link.name for link in mech.tree.links] == ["base", "hung", "b", "hand"]
    assert any(
        line.startswith("motion of mocap bodies, ") and "hand" in line for line in mech.imported.left_out
    )
    alone = read(mjcf(BODY)).reduce()
    assert np.array_equal(mech.reduce().rhs(0.0, [0.3]), alone.rhs(0.0, [0.3]))
    framed = read(ARM.replace("</robot>", '<frame link="hand" name="tip"/></robot>'))
    assert "parts without motion: <frame>" in framed.imported.left_out


def test_names_of_a_file_are_names_of_symbols():
    text = CART_POLE.replace('"phi"', '"lean-angle 1"').replace('name="force"', 'name="x"')
    assert read(text).reduce().input_labels == ("u_x",)
    assert "lean_angle_1" in read(text).reduce().state_labels


BODY = '<body name="b"><joint name="q"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'


def mjcf(body=BODY, rest="", before=""):
    return f"<mujoco>\n{before}<worldbody>{body}</worldbody>\n{rest}</mujoco>"


def with_joint(attributes):
    return mjcf(BODY.replace('<joint name="q"/>', f'<joint name="q" {attributes}/>'))


DECLARED = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>'
REFUSED = {
    f"{DECLARED}<mujoco>&c;</mujoco>": "line 1: a document type or an entity is declared",
    '<!DOCTYPE a SYSTEM "file:///etc/passwd"><mujoco/>': "line 1: a document type",
    "<mujoco><worldbody>": "not well-formed XML",
    '<mujoco><include file="/etc/passwd"/></mujoco>': "<include>: no other file is opened: merge the files",
    "<robot/>": "the root of an MJCF file is <mujoco>; this is a URDF file: gc.from_urdf",
    "<mujoco/>": "there is no <body>",
    "<body/>": "the root of an MJCF file is <mujoco>",
    mjcf("<body>" * 70 + "</body>" * 70): "more than 64 levels",
    mjcf("<body/>" * 20_001): "more than 20000 elements",
    mjcf(rest='<tendon><fixed name="t"/></tendon>'): "line 3, <fixed>: tendons are not read",
    mjcf(rest='<equality><weld body1="b"/></equality>'): "line 3, <weld>: .* cut one joint of a closed loop",
    mjcf(rest='<actuator><muscle joint="q"/></actuator>'): "line 3, <muscle>: actuators of the kind muscle",
    mjcf(rest='<actuator><motor joint="p"/></actuator>'): "there is no joint 'p'; known are q",
    mjcf(rest="<actuator><motor/></actuator>"): "acts on a joint or a site, got nothing",
    mjcf(rest="<sensors/>"): "no such section; did you mean 'sensor'",
    mjcf(before='<option density="1.2"/>'): "line 2, <option>: density: forces of a medium",
    with_joint('dampng="1"'): "there is no attribute 'dampng' here; did you mean 'damping'",
    with_joint('axis="0 0 0"'): "the axis of q is zero",
    with_joint('axis="0 0 x"'): "axis must be finite decimal numbers, got 'x'",
    with_joint('axis="0 1"'): "axis must have 3 numbers, got 2",
    with_joint('damping="nan"'): "damping must be finite decimal numbers",
    with_joint('damping="1e999999999"'): "'1e999999999' is no number of a robot",
    with_joint('damping="-1"'): "damping of q must not be negative",
    with_joint('class="arm"'): "there is no default class 'arm'",
    with_joint('type="screw"'): "type must be one of free, ball, slide, hinge, got 'screw'",
    with_joint('stiffness="1 2 3"'): "stiffness of q must be one number",
    with_joint('frictionloss="1"'): "dry friction, .* give friction_scale=",
    mjcf('<body name="b"><joint/></body>'): "moves nothing that has inertia",
    mjcf('<body><joint/><geom type="mesh" mesh="m"/></body>'): "the mass of a mesh .* gc.from_mujoco",
    mjcf(BODY + BODY): "there are two bodies 'b'; rename one",
    mjcf(BODY.replace("<body", '<body mocap="true"')): "a mocap body is one of the world's, and has no joint",
    mjcf('<body><geom size="1"/></body>'): "nothing moves: no body has a <joint>; <freejoint/>",
    mjcf(
        '<body><geom type="mesh" mesh="m"/></body>' + BODY, before='<compiler settotalmass="2"/>'
    ): "of a mesh",
    ARM.replace('value="1.3"', 'value="${m}"'): "is a macro of xacro, which is not expanded here",
    ARM.replace("</robot>", '<xacro:wheel side="left"/></robot>'): "'xacro:wheel' is a macro of xacro",
    ARM.replace(
        "</robot>", '<force_element name="p"/></robot>'
    ): "<force_element>: forces of a medium and of",
    mjcf(f"<body><frame>{BODY}</frame></body>"): "<frame>: write the turn and place",
    ARM.replace('<child link="tool"/>', '<child link="upper"/>'): "upper hangs on two joints, a closed loop",
    ARM.replace("</robot>", '<link name="a"/><link name="b"/></robot>'): "hangs on no joint, got stand, a, b",
    ARM.replace('<axis xyz="0 -1 0"/>', '<mimic joint="j2"/>'): "mimic is not read",
    ARM.replace("continuous", "screw"): "joints of the kind 'screw' are not read",
    ARM.replace('<link name="tool">', '<link name="hand">'): "there are two of the name 'hand'",
    "<robot><link name='a'/></robot>": 'nothing moves: .* base="free"',
}


@pytest.mark.parametrize("text", list(REFUSED), ids=list(map(str, range(len(REFUSED)))))
def test_refusals_say_where_and_what_to_do(text):
    with pytest.raises(gc.ModelFileError, match=REFUSED[text]):
        (
            gc.from_mjcf
            if text not in {t for t in REFUSED if "<robot" in t[:60] and t != "<robot/>"}
            else gc.from_urdf
        )(text)


def test_nothing_else_is_opened(monkeypatch, tmp_path):
    file = tmp_path / "robot.xml"
    file.write_text(CART_POLE, encoding="utf-8")
    assert read(file).name == "cart-pole"

    def refuse(*args, **kwargs):
        raise AssertionError(f"opened {args}")

    monkeypatch.setattr(builtins, "open", refuse)
    hostile = [
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><mujoco>&x;</mujoco>',
        next(iter(REFUSED)),
    ]
    for text in hostile:
        with pytest.raises(gc.ModelFileError, match="document type"):
            gc.from_mjcf(text)
    assert read(ACROBOT).name == "acrobot"


def test_sources_that_are_none(tmp_path):
    with pytest.raises(gc.ModelFileError, match="there is no file"):
        gc.from_mjcf(tmp_path / "none.xml")
    with pytest.raises(gc.ModelFileError, match="a model file is needed: a path, or its text, got 3"):
        gc.from_urdf(3)
    file = tmp_path / "binary.xml"
    file.write_bytes(b"\xff\xfe<mujoco/>")
    with pytest.raises(gc.ModelFileError, match="no text in UTF-8"):
        gc.from_mjcf(file)
    with pytest.raises(gc.ModelFileError, match="a compiled model is needed"):
        gc.from_mujoco(object())
    with pytest.raises(gc.InputError, match="contact"):
        gc.from_mjcf(CART_POLE, contact="ignore")
    with pytest.raises(gc.ModelFileError, match="contact is not read"):
        gc.from_mjcf(ACROBOT, contact="refuse")


def test_dry_friction_is_smoothed_where_a_scale_is_given():
    text = with_joint('frictionloss="0.5"')
    system = read(text, friction_scale=1e-3, keep="q").reduce()
    assert system.rhs(0.0, [1.0, 0.0]) == pytest.approx([-0.5, 1.0], rel=1e-5)
