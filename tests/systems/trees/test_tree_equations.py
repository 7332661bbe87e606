"""Trees of links against accelerations in doubles by another way, and against their inertia as a matrix."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.oracles.tree_in_space import TreeInSpace, random_pose, state_of
from tests.systems.trees.tree_models import MODELS, arm, body, tree


@cache
def described(name):
    tree = MODELS[name]()
    inputs = [f"u{k}" for k in range(len(tree.labels))]
    return gc.EulerPoincare(tree=tree, inputs=inputs, forces=list(sp.symbols(inputs)), name=name)


@cache
def system(name):
    return described(name).reduce()


@pytest.mark.parametrize("name", MODELS)
def test_accelerations_are_those_in_space(name):
    tree, sys, rng = described(name).tree, system(name), np.random.default_rng(3)
    for _ in range(3):
        pose, (xi, u) = random_pose(tree, rng), rng.normal(size=(2, len(tree.labels)))
        at, x = TreeInSpace(tree, pose), state_of(sys, tree, pose, xi)
        want = at.rates(xi, u)
        got = sys.rhs(0.0, x, u)[: len(xi)]
        assert np.abs(got - want).max() < 1e-12 * np.abs(want).max()
        assert np.abs(sys.leaf_residual(x)).max(initial=0) < 1e-14


@pytest.mark.parametrize("name", MODELS)
def test_energy_and_inertia_are_those_in_space(name):
    tree, sys, rng = described(name).tree, system(name), np.random.default_rng(4)
    pose, (xi, other) = random_pose(tree, rng), rng.normal(size=(2, len(tree.labels)))
    at, x = TreeInSpace(tree, pose), state_of(sys, tree, pose, xi)
    y = state_of(sys, tree, pose, other)
    kinetic = sys.energy(x) - sys.energy(y)
    assert kinetic == pytest.approx(at.energy(xi) - at.energy(other), rel=1e-12)
    M = np.array(sys.program([e for row in sys.assembly.mass for e in row])(sys.arguments_at(0, x, None), {}))
    want = at.inertia()
    assert np.abs(M.reshape(want.shape) - want).max() < 1e-13 * np.abs(want).max()


SLOW = set(MODELS) - {"hinge", "general hinges", "hinge and slide", "ball", "planar", "free with armature"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(k, marks=[pytest.mark.long(reason="the matrix")] if k in SLOW else []) for k in MODELS],
)
def test_the_same_mechanism_by_its_inertia(name):
    given, sys, rng = described(name), system(name), np.random.default_rng(5)
    plain = given.replace(inertia=given.inertia)
    assert plain.tree is None
    other = plain.reduce()
    assert other.state_labels == sys.state_labels
    pose, (xi, u) = random_pose(given.tree, rng), rng.normal(size=(2, sys.ninputs))
    x = state_of(sys, given.tree, pose, xi)
    want = other.rhs(0.0, x, u)
    assert np.abs(sys.rhs(0.0, x, u) - want).max() < 1e-13 * np.abs(want).max()
    for name, value in other.invariants(x).items():
        assert sys.invariants(x)[name] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("name", ["general hinges", "free with armature"])
def test_derivatives_are_those_of_the_rates(name):
    tree, sys, rng = described(name).tree, system(name), np.random.default_rng(6)
    pose, (xi, u) = random_pose(tree, rng), rng.normal(size=(2, sys.ninputs))
    x, step = state_of(sys, tree, pose, xi), 1e-30
    want = [sys.rhs(0.0, x + 1j * step * e, u).imag / step for e in np.eye(sys.nstates)]
    for found in (sys.jacobian(0.0, x, u), sys.differential.numeric(sys.arguments_at(0.0, x, u), {})[0]):
        assert np.abs(found - np.array(want).T).max() < 1e-12 * np.abs(want).max()


def chain(n):
    """Hinges about the vertical and across in turn, that hang down from each other."""
    axes = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    down = (0, 0, sp.Rational(-3, 10))
    return gc.Tree(
        [
            gc.Link(f"l{k}", f"l{k - 1}" if k else None, gc.Hinge(f"q{k}", axes[k % 3]), down, **body(k))
            for k in range(n)
        ]
    )


def test_a_chain_of_seven_keeps_its_energy_and_its_momentum_about_the_vertical():
    sys = gc.EulerPoincare(tree=chain(7), name="seven").reduce()
    start = np.concatenate([np.linspace(0.2, 0.8, 7), np.linspace(0.1, 0.7, 7)])
    x = gc.simulate(sys, np.linspace(0, 10, 51), start).states
    energy, momentum = sys.energy(x), sys.invariants(x)["p_q0"]
    assert np.ptp(energy) < 1e-12 * np.abs(energy).max()
    assert np.ptp(momentum) < 1e-12 * np.abs(momentum).max()
    at = TreeInSpace(chain(7), dict(zip((f"q{k}" for k in range(7)), x[7:, 20], strict=True)))
    assert momentum[20] == pytest.approx(at.angular_momentum(x[:7, 20])[2], rel=1e-12)


@pytest.mark.long(reason="test_coupled_parts.py counts those of a chain")
def test_instructions_grow_little_more_than_with_links():
    systems = {n: gc.EulerPoincare(tree=arm(n)).reduce() for n in (12, 20)}
    count = {n: len(s.program(s.evaluated_rates).tape.instructions) for n, s in systems.items()}
    assert count[20] <= 2.2 * count[12]


@pytest.mark.long(reason="a proof of a loop")
def test_an_arm_is_held_and_its_proof_is_verified(tmp_path):
    joints = [
        gc.Hinge(f"q{k}", axis, damping=0.5) for k, axis in enumerate([(0, 1, 0), (1, 0, 1), (0, 1, 3)])
    ]
    sys = gc.EulerPoincare(
        tree=tree(*joints), inputs=["u0", "u1", "u2"], forces=list(sp.symbols("u:3"))
    ).reduce()
    eq = gc.find_equilibrium(sys, fixed={"q0": 0.3, "q1": 0, "q2": 0.2}, free=list(sys.input_labels))
    law = gc.lqr(sys, eq)
    proof = gc.certify(law.closed_loop(), law.equilibrium)
    assert proof.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    proof.to_json(tmp_path / "arm.json")
    assert gc.verify(tmp_path / "arm.json").verdict is proof.verdict


def test_springs_damping_and_dry_friction_act_in_their_joints():
    given = tree(
        gc.Planar("p", damping=0.5),
        gc.Hinge("h", (0, 1, 0), damping=0.25, dry=2, stiffness=3, rest=0.5, range=(-2, 1)),
        gc.Slide("s", (1, 2, 2), stiffness=7),
        friction_scale=0.125,
    )
    sys, rng = gc.EulerPoincare(tree=given, name="springs").reduce(), np.random.default_rng(12)
    pose, xi = random_pose(given, rng), rng.normal(size=5)
    forces = np.array([-0.5 * xi[0], -0.5 * xi[1], -0.5 * xi[2], -0.25 * xi[3], -7 * pose["s"]])
    forces[3] -= 2 * xi[3] / np.sqrt(xi[3] ** 2 + 0.125**2) + 3 * (pose["h"] - 0.5)
    at, x = TreeInSpace(given, pose), state_of(sys, given, pose, xi)
    want = at.rates(xi, forces)
    assert np.abs(sys.rhs(0.0, x)[:5] - want).max() < 1e-12 * np.abs(want).max()
    springs = 3 * (pose["h"] - 0.5) ** 2 / 2 + 7 * pose["s"] ** 2 / 2
    still = state_of(sys, given, pose | {"h": 0.5, "s": 0.0}, 0 * xi)
    at_rest = TreeInSpace(given, pose | {"h": 0.5, "s": 0.0}).energy(0 * xi)
    assert sys.energy(x) - sys.energy(still) == pytest.approx(at.energy(xi) + springs - at_rest, rel=1e-12)
    assert [*sys.mechanism.domain] == ["h range"]


def wheeled(angle):
    """A cart on a slope with a wheel that is driven, the motor's torque acting back."""
    slide = gc.Link("cart", joint=gc.Slide("x", axis=(1, 0, 0.2)), mass=2, inertia=(1, 1, 1))
    arm = gc.Link(
        "arm", "cart", gc.Hinge("a", axis=(0, 1, 0.1)), mass=0.7, centre=(0, 0, 0.4), inertia=(1, 2, 2)
    )
    hinge = gc.Hinge("w", axis=(0, 1, 0), damping=0.3, armature=0.2, angle=angle)
    wheel = gc.Link("wheel", "arm", hinge, place=(0, 0, 0.8), mass=0.5, inertia=(0.3, 0.5, 0.3))
    tree = gc.Tree([slide, arm, wheel])
    u = sp.Symbol("u", real=True)
    forces = [u if label == "w_dot" else 0 for label in tree.labels]
    return gc.EulerPoincare(tree=tree, forces=forces, inputs=[u], name="wheeled").reduce()


def test_a_wheel_without_an_angle_moves_as_one_with_it():
    with_angle, without = wheeled(True), wheeled(False)
    assert set(with_angle.state_labels) == {*without.state_labels, "w"}
    values = dict(
        zip(("x_dot", "a_dot", "w_dot", "x", "a", "w"), (0.3, -0.7, 5.0, 0.2, 0.6, 2.0), strict=True)
    )
    rates = []
    for system in (with_angle, without):
        x = [values[label] for label in system.state_labels]
        found = dict(zip(system.state_labels, system.rhs(0.0, x, [1.5]), strict=True))
        rates.append([found[label] for label in ("x_dot", "a_dot", "w_dot")])
    assert np.allclose(*rates, rtol=1e-14, atol=0)
    assert with_angle.rhs(0.0, [values[k] for k in with_angle.state_labels], [1.5])[5] == 5.0
    assert "angle=False" in repr(without.mechanism.tree.links[2].joint)
    assert "angle" not in repr(with_angle.mechanism.tree.links[2].joint)
    with pytest.raises(gc.DescriptionError, match="is no state: give its hinge angle=True"):
        without.mechanism.tree.turn("wheel")
