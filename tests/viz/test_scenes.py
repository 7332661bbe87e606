"""Scenes: what moves has the poses of the run, the data hold what the viewer needs, the file stands alone."""

import base64
import hashlib
import json
import pickle
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import geoctrl as gc
from geoctrl.manifolds.factors import Attitude, Direction
from geoctrl.viz.scenes.bodies_of_runs import factor_names
from tests.jumps.jumping_mechanisms import STARTS

VIEWER = Path(gc.__file__).parent / "viz" / "scenes" / "viewer.min.js"


def drawn(rng, factor):
    """A random configuration of a factor, as rows."""
    if isinstance(factor, Attitude):
        return Rotation.random(rng=rng).as_matrix()
    z = rng.normal(size=(1, 3))
    return z / np.linalg.norm(z) if isinstance(factor, Direction) else 2 * z


@cache
def short_run(name):
    """A fiftieth of a second from a random state, or one at rest on a manifold; of what jumps a few jumps."""
    made = gc.models.get(name)()
    rng = np.random.default_rng(7)
    if name in STARTS:
        return gc.simulate(made.hybrid(), np.linspace(0, 1.5, 7), STARTS[name])
    if hasattr(made, "reduce"):
        system = made.reduce()
        start = system.random_state(rng)
    else:
        system, product = made, made.product
        z = np.vstack([drawn(rng, factor) for factor in product.factors])
        start = product.state(z[None], np.zeros((1, len(product.factors), 3)))[0]
        start = system.project(start) if hasattr(system, "project") else start
    end = 0.02 if hasattr(system, "assembly") else 1e-5  # springs of rods and repulsion of particles are fast
    return gc.simulate(system, np.linspace(0, end, 3), start, engine="scipy")


SLOW = pytest.mark.long(reason="the Getz bicycle has its factors and takes a tenth of the time")
MODELS = [pytest.param(name, marks=[SLOW] * (name == "whipple-bicycle")) for name in gc.models.names()]


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_scene_with_the_poses_of_its_run(name):
    run = short_run(name)
    made = gc.viz.scene(run)
    data = made.data()
    again = run.resample(np.clip(data["start"] + data["step"] * np.arange(data["count"]), 0, run.time[-1]))
    if hasattr(run.system, "product"):
        assert made.data()["bodies"][0]["name"] != run.system.product.factors[0].name  # it has a picture
        made = gc.viz.scene(run, parts=[])
        for b, factor in enumerate(run.system.product.factors):
            places, turns = made.poses(factor.name)
            z, turned = again.configuration(b), Rotation.from_quat(turns).as_matrix()
            if isinstance(factor, Attitude):
                assert np.abs(turned - z).max() < 1e-6
            elif isinstance(factor, Direction):
                assert np.abs(turned[:, :, 2] - z).max() < 1e-6
            else:
                assert np.abs(places - z).max() < 1e-6 * max(1, np.abs(z).max())
        return
    mechanism = run.system.mechanism
    factors = mechanism.group.factors if mechanism.group else ()
    parts = [gc.Solid(n, [gc.Block((1, 1, 1))], of=of) for of, n in enumerate(factor_names(factors), 1)]
    seen = gc.viz.scene(run, parts=parts) if parts else made
    for of, (factor, body) in enumerate(zip(factors, parts, strict=True), 1):
        places, turns = seen.poses(body.name)
        if factor.spin is not None:
            assert np.abs(Rotation.from_quat(turns).as_matrix() - again.attitude(of=of)).max() < 1e-6
        if factor.velocity is not None or factor.group == "rn":
            way = again.position(of=of)[:, :3]
            assert np.abs(places[:, : way.shape[1]] - way).max() < 1e-6 * max(1, np.abs(way).max())
    assert made.data()["bodies"]


# -- pictures of descriptions ----------------------------------------------------------------------------


def pendulum(length=2):
    """A pendulum of a length in the plane of axes 1 and 3, counted from below towards axis 1."""
    phi = gc.Coordinate("phi", angle=True)
    arm = gc.Parameter("l", length, positive=True, unit="m")
    mass = gc.Parameter("m", 1, positive=True, unit="kg")
    weight = gc.Parameter("w", 9, positive=True, unit="N")
    bob = gc.Solid(
        "bob",
        [gc.Rod((0, 0, arm.symbol), (0, 0, 0)), gc.Ellipsoid(arm.symbol / 5)],
        of=None,
        place=(arm.symbol * sp.sin(phi.symbol), 0, -arm.symbol * sp.cos(phi.symbol)),
        turns=[((0, -1, 0), phi.symbol)],
    )
    return gc.EulerPoincare(
        shape=[phi],
        inertia=[[mass.symbol * arm.symbol**2]],
        potential=-weight.symbol * arm.symbol * sp.cos(phi.symbol),
        parameters=[arm, mass, weight],
        picture=[bob],
        name="pendulum",
    ).reduce()


def test_bodies_are_where_the_description_puts_them():
    run = gc.simulate(pendulum(), np.linspace(0, 1, 11), [0.4, 0.9], engine="scipy")
    made = gc.viz.scene(run)
    places, turns = made.poses("bob")
    phi = run.resample(np.linspace(0, 1, len(places)))["phi"]
    assert np.abs(places - 2 * np.stack([np.sin(phi), 0 * phi, -np.cos(phi)], 1)).max() < 1e-6
    up = Rotation.from_quat(turns).apply([0, 0, 1.0])
    assert np.abs(up + places / 2).max() < 1e-6  # the rod ends where the pendulum hangs
    rod, ball = made.data()["bodies"][0]["shapes"]
    assert (rod["length"], rod["place"], ball["size"][0]) == (2.0, [0, 0, 1.0], pytest.approx(0.4))


@SLOW
def test_wheels_of_a_bicycle_stand_on_the_ground():
    """The picture is written by hand, the contact is the leaf's: each wheel's lowest point has z = 0."""
    run = short_run("whipple-bicycle")
    made, params = gc.viz.scene(run), run.params
    for name, radius in (("rear wheel", params["rR"]), ("front wheel", params["rF"])):
        places, turns = made.poses(name)
        axle = Rotation.from_quat(turns).apply([0, 1.0, 0])
        assert np.abs(places[:, 2] + radius * np.hypot(axle[:, 0], axle[:, 1])).max() < 1e-6
    assert made.data()["view"]["turn"][3] == pytest.approx(0)  # axis 3 points down


def test_links_of_a_tree_are_where_its_kinematics_puts_them():
    mechanism = gc.models.get("seven-joint-arm")()
    run, tree = short_run("seven-joint-arm"), mechanism.tree
    made = gc.viz.scene(run)
    symbols = [c.symbol for c in mechanism.shape]
    first = dict(zip(symbols, [run[c.name][0] for c in mechanism.shape], strict=True))
    for name in ("lbr_iiwa_link_3", "lbr_iiwa_link_7"):
        places, turns = made.poses(name)
        assert np.allclose(places[0], np.array(tree.place(name).subs(first), float).ravel(), atol=1e-6)
        turn = np.array(tree.turn(name).subs(first), float)
        assert np.abs(Rotation.from_quat(turns[0]).as_matrix() - turn).max() < 1e-6


def test_wheels_turn_with_their_rates():
    run = short_run("balancer")
    turns = Rotation.from_quat(gc.viz.scene(run).poses("left")[1])
    hull = Rotation.from_quat(gc.viz.scene(run).poses("hull")[1])
    angle = (hull.inv() * turns).as_rotvec()[:, 1]
    fine = run.resample(np.linspace(0, run.time[-1], 201))
    expected = np.trapezoid(fine["roll_left_dot"], fine.time)
    assert abs(expected) > 1e-3
    assert angle[-1] - angle[0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("name", ["chain-pendulum", "chain-on-cart"])
def test_links_have_the_potential_of_their_ends(name):
    """Weights at the ends that are drawn: the energy knows nothing of the picture."""
    run = short_run(name)
    made, masses = gc.viz.scene(run), {"chain-pendulum": (0.7, 0.5, 0.4), "chain-on-cart": (0.5, 0.5)}[name]
    heights = []
    for i, body in enumerate((b for b in made.data()["bodies"] if b["name"] != "cart"), 1):
        places, turns = made.poses(f"link {i}")
        length = body["shapes"][0]["length"]
        heights.append((places[0] + Rotation.from_quat(turns[0]).apply([0, 0, length]))[2])
    weight = 9.81 * np.dot(masses, heights)
    z, _ = run.system.product.parts(run.states[:, 0])
    assert weight == pytest.approx(float(run.system.potential(z)), rel=1e-6)


def test_a_picture_of_a_product_stays_with_it():
    system = gc.models.get("bodies-with-joint")()
    again = pickle.loads(pickle.dumps(system.replace(name="two")))
    assert [body.name for body in again.arguments["picture"]] == ["first body", "second body"]
    joint = []  # the end of the first arm is that of the second
    made = gc.viz.scene(short_run("bodies-with-joint"))
    for name, end in (("first body", (0, 0, 0.4)), ("second body", (0, 0.1, -0.3))):
        places, turns = made.poses(name)
        joint.append(places + Rotation.from_quat(turns).apply(end))
    assert np.abs(joint[0] - joint[1]).max() < 1e-6
    wrong = gc.Solid("b", [gc.Disk(1)], of=None, place=(sp.Symbol("a", real=True), 0, 0))
    with pytest.raises(gc.DescriptionError, match="the pose of b in picture holds the undeclared symbol a"):
        system.replace(picture=[wrong])
    with pytest.raises(TypeError, match=r"picture must hold gc\.Solid"):
        system.replace(picture=[3])


def test_another_parameter_moves_the_picture():
    system = pendulum()
    runs = [
        gc.simulate(system, [0, 0.1], [0.4, 0.0], params={"l": length}, engine="scipy") for length in (2, 3)
    ]
    ends = [gc.viz.scene(run).poses("bob")[0][0] for run in runs]
    assert np.allclose(ends[1], 1.5 * ends[0], atol=1e-6)


def test_a_rotor_turns_by_the_integral_of_its_rate():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    system = mechanism.reduce()
    start = system.state(v2=2.0, theta_dot=5.0, Gamma=(0, 0.28, 0.96))
    run = gc.simulate(system, np.linspace(0, 0.4, 41), start, engine="scipy")
    frame = gc.Solid("frame", [gc.Block((1, 1, 1))])
    wheel = gc.Solid("wheel", [gc.Disk(0.3)], turns=[((1, 0, 0), "theta")])
    made = gc.viz.scene(run, parts=[frame, wheel])
    relative = Rotation.from_quat(made.poses("frame")[1]).inv() * Rotation.from_quat(made.poses("wheel")[1])
    times = np.linspace(0, 0.4, made.data()["count"])
    rate = run.resample(times)["theta_dot"]
    angle = np.unwrap(relative.as_rotvec()[:, 0])
    trapezoid = np.concatenate([[0], np.cumsum((rate[1:] + rate[:-1]) / 2 * np.diff(times))])
    assert np.abs(angle - trapezoid).max() < 1e-5
    assert abs(angle[-1]) > 1.5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"of": 2}, r"placed in the frame of factor 2, but the group has 1"),
        ({"turns": [((1, 0, 0), "chi")]}, r"turns with 'chi', which has no rate chi_dot"),
    ],
)
def test_parts_that_do_not_fit(change, words):
    run = short_run("pendulum-skate-rotor")
    with pytest.raises(gc.InputError, match=words):
        gc.viz.scene(run, parts=[gc.Solid("b", [gc.Disk(1)], **change)])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: gc.Solid("b", []), "shapes must be a list"),
        (lambda: gc.Solid("b", np.inf), "shapes must be a list"),
        (lambda: gc.Solid("b", [gc.Block((1, 1, 1))], of=0), "number of a factor"),
        (lambda: gc.Block((1, 1)), "must have 3 entries"),
        (lambda: gc.Disk(1, axis=(0, 0, 0)), "must not be zero"),
        (lambda: gc.Rod((0, 0, 0), (1, 0, 0), colour="red"), "#rrggbb"),
        (lambda: gc.Ellipsoid(1, opacity=2), "between 0 and 1"),
        (lambda: gc.Solid("b", [gc.Disk(1)], up=(0, 0, 0)), "up must not be zero"),
        (lambda: gc.Solid("b", [gc.Disk(1)], along=(0, 0, 0)), "along must not be zero"),
        (lambda: gc.Solid("b", [gc.Disk(1)], up=(0, 0, sp.Symbol("s"))), "up must be three numbers"),
    ],
)
def test_pictures_that_are_none(make, words):
    with pytest.raises(gc.DescriptionError, match=words):
        make()


def test_symbols_of_a_picture_are_declared():
    phi, other = gc.Coordinate("phi", angle=True), sp.Symbol("other", real=True)
    body = gc.Solid("b", [gc.Block((1, 1, 1))], of=None, place=(other, 0, 0))
    with pytest.raises(gc.DescriptionError, match="picture holds the undeclared symbol other"):
        gc.EulerPoincare(shape=[phi], inertia=[[1]], picture=[body])
    sized = gc.Solid("b", [gc.Block((phi.symbol, 1, 1))], of=None)
    with pytest.raises(gc.DescriptionError, match="the shapes of b in picture"):
        gc.EulerPoincare(shape=[phi], inertia=[[1]], picture=[sized])


# -- scenes ----------------------------------------------------------------------------------------------


@cache
def compared():
    system = pendulum()
    runs = [gc.simulate(system, np.linspace(0, end, 21), [0.4, 0.9], engine="scipy") for end in (2.0, 1.0)]
    return gc.viz.scene(runs[0], compare=runs[1], names=("long", "short"), signals={"angle": "phi"})


def test_a_body_goes_with_the_parameter_that_it_is_drawn_by():
    """Who replaces the parameters of a catalogue's mechanism does not know of its picture."""
    mech = gc.models.get("underwater-vehicle")()
    assert [body.name for body in mech.picture] == ["hull"]
    kept = [p for p in mech.parameters if p.name != "M2"]
    numbers = {p.symbol: p.default for p in mech.parameters if p.name == "M2"}
    other = mech.replace(parameters=kept, parameter_sets={}, inertia=mech.inertia.xreplace(numbers))
    assert other.picture == ()
    assert mech.replace(parameters=mech.parameters).picture == mech.picture
    with pytest.raises(gc.DescriptionError, match="M2"):
        mech.replace(parameters=kept, inertia=mech.inertia.xreplace(numbers), picture=mech.picture)


def test_two_runs_stand_beside_each_other():
    data = compared().data()
    assert [entry["name"] for entry in data["legend"]] == ["long", "short"]
    first, second = (
        np.frombuffer(base64.b64decode(b["poses"]), "<f4").reshape(-1, 7)[:, :3] for b in data["bodies"]
    )
    apart = second[0] - first[0]
    assert np.linalg.norm(apart) > 2
    half = data["count"] // 2
    assert np.allclose(second[:half] - first[:half], apart, atol=1e-5)
    assert np.allclose(second[half + 1 :], second[-1], atol=1e-6)  # it stays where its run ended
    assert len(data["signals"][0]["lines"]) == 2


def test_other_units_are_another_scale():
    """Metres and millimetres: the same picture, a thousand times as large."""
    views = []
    for length in (1, 1000):
        made = pendulum(2).mechanism.in_units(length=length)[0].reduce()
        run = gc.simulate(made, [0, 1.0], [0.4, 0.9], engine="scipy")
        views.append(gc.viz.scene(run).data()["view"])
    assert views[1]["radius"] == pytest.approx(1000 * views[0]["radius"], rel=1e-6)
    assert np.allclose(views[1]["centre"], 1000 * np.array(views[0]["centre"]), rtol=1e-5, atol=1e-3)


def test_what_scene_refuses():
    run = short_run("pendulum-skate")
    with pytest.raises(TypeError, match="must be a trajectory"):
        gc.viz.scene(3)
    with pytest.raises(gc.InputError, match="trail must be"):
        gc.viz.scene(run, trail="path")
    with pytest.raises(gc.InputError, match="speed must be positive"):
        gc.viz.scene(run, speed=0)
    with pytest.raises(gc.LabelError, match="Gamma9"):
        gc.viz.scene(run, signals=["Gamma9"])
    with pytest.raises(gc.InputError, match="signal"):
        gc.viz.scene(run, signals={"mine": [1.0, 2.0]})
    with pytest.raises(gc.InputError, match=r"t must lie between 0 and 0\.02 s"):
        gc.viz.scene(run).thumbnail(t=3)
    with pytest.raises(gc.InputError, match="no body 'arm'"):
        gc.viz.scene(run).poses("arm")


def test_the_file_stands_alone(tmp_path):
    path = compared().save(tmp_path / "scene.html")
    text = path.read_text(encoding="utf-8")
    assert len(text) < 700_000 + len(json.dumps(compared().data())) + 60_000
    assert not re.search(r"(?:src|href)=\"(?!data:)", text)
    assert "<noscript><img" in text
    shared = compared().html(script="../_static/viewer.min.js")
    assert '<script src="../_static/viewer.min.js">' in shared
    assert len(shared) < 150_000
    assert compared()._repr_html_().startswith("<iframe srcdoc=")


def test_the_bundle_is_the_one_that_was_built():
    """Its hash is written where it is built, with the licence of three.js within."""
    sums = (Path(__file__).parents[2] / "docs" / "viewer" / "viewer.sha256").read_text(encoding="utf-8")
    assert hashlib.sha256(VIEWER.read_bytes()).hexdigest() == sums.split()[0]
    assert "Three.js Authors" in VIEWER.read_text(encoding="utf-8")


def test_a_still_shows_the_moment(tmp_path):
    pictures = []
    for t in (0.0, 0.5):
        path = tmp_path / f"{t}.png"
        compared().thumbnail(t).savefig(path, dpi=60)
        pictures.append(matplotlib.image.imread(path))
    assert (np.abs(pictures[0] - pictures[1]).max(axis=2) > 0.1).sum() > 100


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def shot_in_a_browser(address, shot):
    """Pixels of a page, which says nothing on the console."""
    said = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--use-angle=swiftshader"),
            *("--enable-unsafe-swiftshader", "--window-size=500,400", "--virtual-time-budget=2000"),
            *("--enable-logging=stderr", f"--user-data-dir={shot.parent / 'profile'}"),
            *(f"--screenshot={shot}", address),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "CONSOLE" not in said.stderr
    return matplotlib.image.imread(shot)


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
def test_pixels_move_in_a_browser(tmp_path):
    path = compared().save(tmp_path / "scene.html")
    pictures = [shot_in_a_browser(f"file://{path}#t={t}", tmp_path / f"{t}.png") for t in (0.1, 0.5)]
    changed = np.abs(pictures[0] - pictures[1]).max(axis=2) > 0.1
    assert changed[:250].sum() > 500  # the bodies, not the plots below alone


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
def test_an_eye_that_goes_along_loses_nobody_as_play_begins(tmp_path):
    """The time of a frame may be before the call that asked for it: here it always is."""
    place = gc.Coordinate("x", unit="m")
    block = gc.Solid("block", [gc.Block((1, 1, 1))], place=(place.symbol, 0, 0))
    mech = gc.EulerPoincare(shape=[place], inertia=[[1]], picture=[block], name="slider")
    scene = gc.viz.scene(gc.simulate(mech.reduce(), np.linspace(0, 2, 21), [9.0, 0.0], engine="scipy"))
    assert scene.data()["follow"] is not None
    late = "<script>performance.now = () => document.timeline.currentTime + 1e6</script>"
    path = tmp_path / "late.html"
    path.write_text(scene.html().replace("<head>", f"<head>{late}", 1), encoding="utf-8")
    picture = shot_in_a_browser(f"file://{path}", tmp_path / "late.png")[:220]
    assert (np.abs(picture - picture[0, 0]).max(axis=2) > 0.1).sum() > 500  # the block, above the bar
