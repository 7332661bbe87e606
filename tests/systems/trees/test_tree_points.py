"""Places, turns and velocities of links, what acts at a point, and wheels that roll."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import DescriptionError, LabelError
from tests.oracles.tree_in_space import TreeInSpace, random_pose
from tests.systems.trees.tree_models import HINGE, MODELS, body, tree


def numbers_of(given, pose):
    """Values of the configuration's symbols."""
    found = {sp.Symbol(j.name, real=True): pose[j.name] for _, j in given.axis_joints}
    for i, joint in given.group_joints:
        at = pose[joint.name]
        turn, place = at if isinstance(at, tuple) else (at, None)
        for k, vector in given.rows[i].items():
            found |= {s: turn[k, e] for e, s in enumerate(vector.symbols)}
        for k, height in given.heights[i].items():
            found[height.symbol] = place[k]
    return found


LONG = pytest.mark.long(reason="other joints are asked before")


@pytest.mark.parametrize(
    "name",
    [
        "hinge and slide",
        "planar in place",
        "free, all vectors",
        pytest.param("balls", marks=LONG),
        pytest.param("branched", marks=LONG),
    ],
)
def test_places_turns_and_velocities_are_those_in_space(name):
    given, rng = MODELS[name](), np.random.default_rng(8)
    pose, xi = random_pose(given, rng), rng.normal(size=len(given.labels))
    at, values = TreeInSpace(given, pose), numbers_of(given, pose)
    moved = at.motion(xi)
    for i, link in enumerate(given.links):
        A, P = at.at[i]
        assert np.allclose(np.array(given.turn(link.name).subs(values), float), A, atol=1e-14)
        assert np.allclose(np.array(given.place(link.name).subs(values), float).ravel(), P, atol=1e-14)
        got = np.array(given.velocity(link.name).subs(values), float) @ xi
        assert np.allclose(got, [*(A.T @ moved[i][0]), *(A.T @ moved[i][1])], atol=1e-13)


def test_what_acts_at_a_point_has_its_power():
    given, rng = MODELS["ball, slide, hinge"](), np.random.default_rng(9)
    pose, xi = random_pose(given, rng), rng.normal(size=len(given.labels))
    at, f, n, r = TreeInSpace(given, pose), *rng.integers(-5, 5, size=(3, 3))
    A = at.at[2][0]
    w, v = at.motion(xi)[2][:2]
    power = (A @ f) @ (v + np.cross(w, A @ r)) + (A @ n) @ w
    forces = [float(e.subs(numbers_of(given, pose))) for e in given.acting("l2", list(f), list(n), list(r))]
    assert np.dot(forces, xi) == pytest.approx(power, rel=1e-12)


def test_sites_are_places_with_axes_of_their_own():
    """A couple and a force at a site have their power, and its velocity is that of its point, by hand."""
    r, axes = (sp.Rational(1, 5), sp.Rational(-3, 10), sp.Rational(2, 5)), gc.turn(quaternion=(3, 1, -2, 1))
    bare = MODELS["ball, slide, hinge"]()
    given = gc.Tree(bare.links, sites={"tool": ("l2", r, axes)})
    rng = np.random.default_rng(9)
    pose, xi = random_pose(given, rng), rng.normal(size=len(given.labels))
    at, values = TreeInSpace(given, pose), numbers_of(given, pose)
    (A, P), (w, v) = at.at[2], at.motion(xi)[2][:2]
    arm, S = A @ np.array(r, dtype=float), A @ np.array(axes.matrix, dtype=float)
    assert np.allclose(np.array(given.place("tool").subs(values), float).ravel(), P + arm, atol=1e-14)
    assert np.allclose(np.array(given.turn("tool").subs(values), float), S, atol=1e-14)
    got = np.array(given.velocity("tool").subs(values), float) @ xi
    assert np.allclose(got, [*(S.T @ w), *(S.T @ (v + np.cross(w, arm)))], atol=1e-13)
    f, n = rng.integers(-5, 5, size=(2, 3))
    forces = [float(e.subs(values)) for e in given.acting("tool", list(f), list(n))]
    power = (S @ f) @ (v + np.cross(w, arm)) + (S @ n) @ w
    assert np.dot(forces, xi) == pytest.approx(power, rel=1e-12)
    assert "sites={'tool'" in given.full()
    assert given.place("l2") == bare.place("l2")


@pytest.mark.parametrize(
    ("sites", "words"),
    [
        ({"tool": ("l7", (0, 0, 0), (1, 0, 0, 0))}, "the site 'tool' is on no link"),
        ({"tool": ("l0", (0, 0))}, "sites are a dict of name"),
        ({"tool": 3}, "sites are a dict of name"),
        ([("tool", "l0")], "sites are a dict of name"),
        ({"tool": ("l0", (0, 0), (1, 0, 0, 0))}, "place of the site 'tool'"),
        ({"tool": ("l0", (0, 0, 0), (0, 0, 0, 0))}, "quaternion"),
    ],
)
def test_sites_that_are_none(sites, words):
    with pytest.raises(DescriptionError, match=words):
        gc.Tree(tree(HINGE).links, sites=sites)


def test_what_is_no_state_is_not_asked_for():
    given = tree(gc.Free("f"), HINGE)
    for ask in (given.place, given.turn):
        with pytest.raises(DescriptionError, match="place=True"):
            ask("l1")
    with pytest.raises(LabelError, match="no link or site 'l3'"):
        given.velocity("l3")
    assert given.velocity("l1").shape == (6, 7)


WHEEL = {"mass": sp.Rational(1, 4), "inertia": [sp.Rational(k, 6400000) for k in (1000, 2000, 1000)]}


@cache
def balancer():
    """Two wheels at the ends of an axle, and a body on it; Y1 ahead."""
    d, r = sp.Rational(17, 100), sp.Rational(1, 20)
    links = [
        gc.Link("base", joint=gc.Planar("base")),
        gc.Link(
            "body",
            "base",
            gc.Hinge("theta", (0, 1, 0)),
            mass=3,
            centre=(0, 0, sp.Rational(18, 100)),
            inertia=(0.05, 0.045, 0.02),
        ),
        gc.Link("left", "body", gc.Hinge("phiL", (0, 1, 0), damping=0.3), (0, d, 0), **WHEEL),
        gc.Link("right", "body", gc.Hinge("phiR", (0, 1, 0), damping=0.3), (0, -d, 0), **WHEEL),
    ]
    rolling = [gc.Rolling("left", r, "base"), gc.Rolling("right", r, "base")]
    tl, tr = sp.symbols("tl tr")
    return gc.EulerPoincare(
        tree=gc.Tree(links, rolling=rolling),
        inputs=["tl", "tr"],
        forces=[0, 0, 0, 0, tl, tr],
        name="balancer",
    )


def test_wheels_of_a_balancer_roll_and_one_row_of_four_says_nothing_new():
    rows = balancer().named_rows
    assert list(rows) == ["left along", "left across", "right along"]
    labels = balancer().tree.labels
    assert labels == ("Omega", "Y1", "Y2", "theta_dot", "phiL_dot", "phiR_dot")
    r, d = sp.Rational(1, 20), sp.Rational(17, 100)
    assert rows["left along"] == [-d, 1, 0, -r, -r, 0]
    assert rows["right along"] == [d, 1, 0, -r, 0, -r]
    assert rows["left across"] == [0, 0, 1, 0, 0, 0]


def test_a_balancer_moves_as_newton_and_euler_say():
    given, sys, rng = balancer(), balancer().reduce(), np.random.default_rng(10)
    pose = random_pose(given.tree, rng)
    B = np.array(given.constraints, float)
    null = np.linalg.svd(B)[2][3:].T
    xi, u = null @ rng.normal(size=3), rng.normal(size=2)
    at = TreeInSpace(given.tree, pose)
    M, h = at.inertia(), at.needed(xi)
    forces = np.array([0, 0, 0, 0, u[0] - 0.3 * xi[4], u[1] - 0.3 * xi[5]])
    saddle = np.block([[M, B.T], [B, np.zeros((3, 3))]])
    want = dict(zip(given.tree.labels, np.linalg.solve(saddle, [*(forces - h), 0, 0, 0]), strict=False))
    values = dict(zip(given.tree.labels, xi, strict=True)) | {n: pose[n] for n in ("theta", "phiL", "phiR")}
    x = np.array([values[label] for label in sys.state_labels])
    got = sys.rhs(0.0, x, u)
    for k, label in enumerate(sys.state_labels[:3]):
        assert got[k] == pytest.approx(want[label], rel=1e-12)


def test_the_angle_of_a_wheel_is_in_no_equation():
    sys = balancer().reduce()
    held = {node.payload for node in sys.graph.symbols(sys.evaluated_rates[:3])}
    assert "theta" in held
    assert not held & {"phiL", "phiR"}


WHEELS = [gc.Link("a", joint=gc.Free("f"), **body(1)), gc.Link("b", "a", gc.Hinge("q"), **body(2))]

REFUSED = {
    "names no link of the tree: 'c'": lambda: gc.Tree(WHEELS, rolling=[gc.Rolling("c", 1, "a")]),
    "radius of the wheel 'b' must be positive": lambda: gc.Rolling("b", -1, "a"),
    "does not hang on the link 'b'": lambda: gc.EulerPoincare(
        tree=gc.Tree(WHEELS, rolling=[gc.Rolling("a", 1, "b")])
    ),
    "rolling must hold gc.Rolling objects": lambda: gc.Tree(WHEELS, rolling=["b"]),
    "with tree= has no inertia=": lambda: gc.EulerPoincare(tree=gc.Tree(WHEELS), inertia=[[1]]),
    "with tree= has no algebra=": lambda: gc.EulerPoincare(tree=gc.Tree(WHEELS), algebra=gc.so3()),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_does_not_go_with_a_tree(words):
    with pytest.raises(DescriptionError, match=words):
        REFUSED[words]()


def test_parameters_stay_symbols_and_are_judged():
    m = gc.Parameter("m", 2.0, positive=True)
    J = gc.Parameter("J", 0.1)
    link = gc.Link("a", joint=gc.Hinge("q", (0, 1, 0)), mass=m, centre=(0, 0, -1), inertia=(J, J, J))
    other = gc.Link("b", "a", gc.Hinge("k", (0, 1, 0)), (0, 0, -2), mass=1, inertia=(1, 1, 1))
    sys = gc.EulerPoincare(tree=gc.Tree([link, other]), parameters=[m, J]).reduce()
    x = np.array([0.3, -0.2, 0.5, 1.0])
    at = TreeInSpace(sys.mechanism.tree, {"q": 0.5, "k": 1.0}, {m.symbol: 3, J.symbol: 0.2})
    assert sys.rhs(0.0, x, params={"m": 3.0, "J": 0.2})[:2] == pytest.approx(at.rates(x[:2], 0), rel=1e-13)
    with pytest.raises(DescriptionError, match="link 'a' about its centre has a negative"):
        sys.parameters({"J": -0.2})
    with pytest.raises(DescriptionError, match="'J'"):
        gc.EulerPoincare(tree=gc.Tree([link, other]), parameters=[m])
