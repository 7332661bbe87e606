"""A frame on SE(3) with a wheel behind and one on a steered fork.

The second contact is a leaf relation with a root. Motions keep it: its rate is a combination of the rows
modulo |Gamma|^2 = 1 and the root's square.
"""

import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import decisions
from geoctrl.analysis.question.motion import EquationsOfMotion

R = sp.Rational


def hat(v):
    return sp.Matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def vehicle():
    group = gc.product(gc.se3(), gc.so2(), gc.so2())  # and the spins of both wheels
    Gamma, steer = gc.AdvectedVector("Gamma"), gc.Coordinate("delta", angle=True)
    height = gc.Height("h", along=Gamma)
    up, d = sp.Matrix(Gamma.symbols), steer.symbol
    turn, move = sp.Matrix(group.xi[:3]), sp.Matrix(group.xi[3:6])
    axis = sp.Matrix([-R(3, 5), 0, R(4, 5)])
    A = sp.eye(3) + sp.sin(d) * hat(axis) + (1 - sp.cos(d)) * hat(axis) ** 2
    head = sp.Matrix([R(9, 10), 0, R(1, 2)])
    wheel = head + A * sp.Matrix([R(1, 5), 0, -R(9, 20)])
    axle, radius = sp.Matrix([0, 1, 0]), (R(3, 10), R(7, 20))

    def contact(e, r):
        root = sp.sqrt(1 - up.dot(e) ** 2)
        return -r * (up - up.dot(e) * e) / root, r * root

    (back, low), (front, lower) = contact(axle, radius[0]), contact(A * axle, radius[1])
    forked = turn + axis * steer.rate
    rear = move + (turn + axle * group.xi[6]).cross(back)
    fore = move + turn.cross(wheel) + steer.rate * axis.cross(wheel - head)
    fore += (forked + A * axle * group.xi[7]).cross(front)
    velocities = [*group.xi, steer.rate]
    return gc.EulerPoincare(
        name="vehicle",
        algebra=group,
        advected=[Gamma, height],
        shape=[steer],
        inertia=sp.diag(2, 3, 4, 20, 20, 20, R(1, 5), R(1, 5), R(1, 10)),
        potential=200 * height.symbol,
        leaf={"plane": height.symbol - low, "front": height.symbol + up.dot(wheel) - lower},
        constraints=[*rear.jacobian(velocities).tolist(), *fore.jacobian(velocities).tolist()],
        equilibria={"straight": gc.Family({"Omega": 5, "Omega_3": R(30, 7), "Gamma3": 1})},
    ).reduce()


@pytest.fixture(scope="module")
def system():
    return vehicle()


def test_motions_keep_the_contact_of_the_steered_wheel(system):
    motion = EquationsOfMotion.of(system)
    point = dict(zip(motion.states, system.equilibrium("straight").exact, strict=True))
    question = decisions.Question(motion.question(point, {}).read, exact=True)
    assert question.conserved("front")


def test_the_vehicle_gets_a_verdict(system):
    eq = system.equilibrium("straight")
    assert max(gc.linearize(system, eq).eigenvalues.real) > 1  # it falls
    assert gc.certify(system, eq).verdict is gc.Verdict.PROVED_UNSTABLE
