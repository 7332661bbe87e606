"""Links, joints and turns: what is read exactly, and what is refused in words."""

import math
import pickle
import re
import warnings
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import DescriptionError, InertiaWarning, InputError

ROD = {"mass": 1, "centre": (0, 0, 0.5), "inertia": (1, 1, 1)}


def rotation(axis, angle):
    """By the series of the exponential, in doubles."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    hat = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * hat + (1 - math.cos(angle)) * hat @ hat


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, -3, 0), (1, 2, 2), (1, 0, 1), (3, -2, 9), (1e-9, 1, 1e9)])
@pytest.mark.parametrize("angle", [0.3, -2.1, math.pi / 2, math.pi, -math.pi / 2, 3.1415, 7.0])
def test_turns_are_orthogonal_exactly_and_near_the_angle(axis, angle):
    R = gc.turn(axis=axis, angle=angle).matrix
    product = sp.Matrix(R).T * sp.Matrix(R)
    assert product == sp.eye(3)
    assert np.allclose(np.array(R, float), rotation(axis, angle), rtol=0, atol=1e-15)


def test_products_of_turns_are_products_of_matrices():
    a, b = gc.turn(axis=(1, 0, 1), angle=0.7), gc.turn(quaternion=(0.9, 0.1, -0.2, 0.3))
    assert sp.Matrix((a * b).matrix) == sp.Matrix(a.matrix) * sp.Matrix(b.matrix)
    assert (a * a.inverse).is_identity
    assert gc.turn(quaternion=(-2, 0, 0, 4)) == gc.turn(quaternion=(1, 0, 0, -2))


def test_a_matrix_is_read_as_the_turn_that_it_is_or_is_next_to():
    exact = gc.turn(axis=(2, -1, 2), angle=2.5)
    assert gc.Link("a", turn=exact.matrix).turn == exact
    for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)):
        R = rotation(axis, math.pi - 1e-3)
        made = gc.Link("a", turn=R).turn.matrix
        assert np.allclose(np.array(made, float), R, rtol=0, atol=1e-15)
        assert sp.Matrix(made).T * sp.Matrix(made) == sp.eye(3)
    assert gc.Link("a", turn=(1, 1, 0, 0)).turn == gc.turn(axis=(1, 0, 0), angle=math.pi / 2)


def test_tensors_move_to_the_joint_by_parallel_axes():
    link = gc.Link("a", mass=2, centre=(1, 2, 3), inertia=(5, 6, 7, 0.5, -0.25, 1))
    c, rho = sp.Matrix([1, 2, 3]), sp.Matrix([[5, 0.5, -0.25], [0.5, 6, 1], [-0.25, 1, 7]])
    assert (link.tensor - rho - 2 * (c.dot(c) * sp.eye(3) - c * c.T)).applyfunc(sp.nsimplify) == sp.zeros(3)
    same = gc.Link("a", mass=2, centre=(1, 2, 3), inertia=link.tensor, about="joint")
    assert same.tensor == link.tensor


def test_labels_follow_the_joints():
    free = gc.Tree([gc.Link("b", "a", gc.Hinge("q"), **ROD), gc.Link("a", joint=gc.Free("base"), **ROD)])
    assert free.labels == ("Omega1", "Omega2", "Omega3", "Y1", "Y2", "Y3", "q_dot")
    assert [str(s) for v in free.vectors for s in v.symbols] == ["E31", "E32", "E33", "z"]
    chain = gc.Tree([gc.Link("a", joint=gc.Ball("hip"), **ROD), gc.Link("b", "a", gc.Planar("foot"), **ROD)])
    assert chain.labels[:4] == ("Omega1_hip", "Omega2_hip", "Omega3_hip", "Omega_foot")
    names = [v.name for v in chain.vectors]
    assert names == ["E1_hip", "E2_hip", "E3_hip", "E1_foot", "E2_foot", "x_foot", "y_foot"]


@pytest.mark.parametrize(
    ("gravity", "place", "names"),
    [
        ((0, 0, -9.81), False, ["E3", "z"]),
        ((-1, 0, 0), False, ["E1", "x"]),
        ((0, 0, 0), False, []),
        ((0.3, -0.2, -9.7), False, ["E1", "E2", "E3", "x", "y", "z"]),
        ((0, 0, -9.81), True, ["E1", "E2", "E3", "x", "y", "z"]),
    ],
)
def test_a_free_link_has_what_gravity_depends_on(gravity, place, names):
    tree = gc.Tree([gc.Link("a", joint=gc.Free("base"), **ROD)], gravity=gravity, place=place)
    assert sorted(v.name for v in tree.vectors) == sorted(names)


def test_a_plane_that_is_tilted_feels_gravity():
    def tree(turn):
        return gc.Tree([gc.Link("a", joint=gc.Planar("base"), turn=turn, **ROD)])

    assert tree(gc.turn(axis=(0, 0, 1), angle=0.4)).vectors == ()
    assert [v.name for v in tree(gc.turn(axis=(1, 0, 0), angle=0.4)).vectors] == ["E2", "y"]


def link(name, parent=None, joint=None, **more):
    return gc.Link(name, parent, joint or gc.Hinge(f"q_{name}"), **{**ROD, **more})


REFUSED = {
    "hangs on 'b', which is no link": lambda: gc.Tree([link("a", "b")]),
    "go round in a circle: 'a', 'b'": lambda: gc.Tree([link("a", "b"), link("b", "a"), link("c")]),
    "links repeat the name 'a'": lambda: gc.Tree([link("a"), link("a", joint=gc.Hinge("r"))]),
    "joints repeat the name 'q'": lambda: gc.Tree([link(n, joint=gc.Hinge("q")) for n in "ab"]),
    "nothing in the tree moves": lambda: gc.Tree([link("a", joint=gc.Fixed())]),
    "the joint 'q_b' of the link 'b' moves nothing": lambda: gc.Tree(
        [link("a"), link("b", "a", mass=0, centre=(0, 0, 0), inertia=(0, 0, 0))]
    ),
    "dry friction of the joint 'q'": lambda: gc.Tree([link("a", joint=gc.Hinge("q", dry=1))]),
    "links must be gc.Link objects": lambda: gc.Tree(["a"]),
    "the parent of the link 'b' must be the name of a link": lambda: gc.Link("b", link("a")),
    "is free: its place and attitude are states": lambda: link("a", joint=gc.Free("f"), place=(0, 0, 1)),
    "must be gc.turn": lambda: gc.Link("a", turn=(1, 2)),
    "is no turn": lambda: gc.Link("a", turn=[[1, 0, 0], [0, 1.001, 0], [0, 0, 1]]),
    "left-handed": lambda: gc.Link("a", turn=[[1, 0, 0], [0, 1, 0], [0, 0, -1]]),
    "mass of the link 'a' must not be negative": lambda: gc.Link("a", mass=-1),
    "must be symmetric": lambda: gc.Link("a", inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
    "must have three entries": lambda: gc.Link("a", centre=(1, 2)),
    "the axis of the joint 'q' must be three numbers": lambda: gc.Hinge("q", axis=(0, 0, 0)),
    "damping of the joint 'q' must not be negative": lambda: gc.Hinge("q", damping=-1),
    "low below high": lambda: gc.Slide("q", range=(1, -1)),
    "the name of a joint": lambda: gc.Hinge("left arm"),
    "not all zero": lambda: gc.turn(quaternion=(0, 0, 0, 0)),
    "a turn is given by": lambda: gc.turn(axis=(1, 0, 0)),
    "has no angle (angle=False), but the equations depend on it": lambda: gc.Tree(
        [link("a", joint=gc.Hinge("q", axis=(0, 1, 0), angle=False))]
    ),
    "angle=False does not go with them": lambda: gc.Hinge("q", range=(0, 1), angle=False),
    "gravity must have three entries": lambda: gc.Tree([link("a")], gravity=-9.81),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_no_tree_is_refused_in_words(words):
    with pytest.raises(DescriptionError, match=re.escape(words)):
        REFUSED[words]()


def test_a_word_for_the_point_of_the_tensor():
    with pytest.raises(InputError, match="about of the link 'a'"):
        gc.Link("a", about="center")


def test_tensors_that_no_body_has():
    def judged(**given):
        gc.EulerPoincare(tree=gc.Tree([gc.Link("a", joint=gc.Hinge("q"), **given)]))

    with pytest.warns(InertiaWarning, match="of the link 'a', 1, 1, 2.5"):
        judged(mass=1, inertia=(1, 1, 2.5))
    with pytest.raises(DescriptionError, match="negative principal moment"):
        judged(mass=1, centre=(0, 0, 2), inertia=(1, 1, 1), about="joint")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judged(mass=1, inertia=(1, 1, 0))  # a rod
        judged(mass=1, inertia=(1, 1, 2))  # a disk
        judged(mass=1, centre=(0, 0, 1), inertia=(1, 1, 0), about="joint")  # a point


def test_numbers_stay_what_they_are():
    tree = gc.Tree([link("a", mass=Fraction(1, 3), place=(sp.Symbol("l", real=True), 0, 0))])
    assert tree.links[0].mass == sp.Rational(1, 3)
    assert tree.free_symbols == {sp.Symbol("l", real=True)}
    assert pickle.loads(pickle.dumps(tree)).labels == tree.labels


@pytest.mark.parametrize("axis", [(1, 1, 0), (0, 1, 3), (3, 0, -1), (0, -2, 1), (-1, 2, -3), (1e-9, 0, -1.0)])
def test_an_axis_has_length_one_exactly_and_what_is_zero_of_it_stays_so(axis):
    """A plane mechanism with tilted axes stays a plane one."""
    found = gc.Hinge("q", axis).axis
    assert sum(x * x for x in found) == 1
    assert [x == 0 for x in found] == [a == 0 for a in axis]
    assert np.array(found, dtype=float) == pytest.approx(np.array(axis) / np.linalg.norm(axis), abs=3e-16)
