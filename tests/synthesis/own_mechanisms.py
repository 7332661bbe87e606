"""Mechanisms described by people who had not seen the library before: what they met is tested on them."""

import numpy as np
import sympy as sp

import geoctrl as gc


def satellite():
    """Eight states at 1e-3 rad/s: a body in orbit, seen from axes that turn, with two wheels."""
    w0, J, wheel = 0.0011, sp.diag(10, 12, 7), 0.02
    algebra = gc.product(gc.so3(), gc.rn(2))
    N = gc.AdvectedVector("N", reference=(0, 1, 0))
    R = gc.AdvectedVector("R", reference=(0, 0, 1))
    n, r, xi = sp.Matrix(N.symbols), sp.Matrix(R.symbols), sp.Matrix(algebra.xi)
    a, u = xi[:3, 0] + w0 * n, sp.symbols("u1 u2", real=True)
    L = (
        a.dot(J * a) / 2
        + wheel * (a[0] * xi[3] + a[1] * xi[4])
        + wheel * (xi[3] ** 2 + xi[4] ** 2) / 2
        - sp.Rational(3, 2) * w0**2 * r.dot(J * r)
    )
    return gc.EulerPoincare(
        name="satellite",
        algebra=algebra,
        advected=[N, R],
        lagrangian=L,
        forces=[0, 0, 0, *u],
        inputs=["u1", "u2"],
        equilibria={"nadir": gc.Family({"N2": 1, "R3": 1})},
    ).reduce()


def cube():
    """A cube on its corner with three wheels: a point with the root of three."""
    G = gc.AdvectedVector("Gamma")
    system = gc.EulerPoincare(
        name="cube",
        algebra=gc.so3(),
        advected=[G],
        inertia=sp.Matrix(3, 3, lambda i, j: 0.018 if i == j else -0.00675),
        potential=1.2 * 9.81 * 0.075 * sum(G.symbols),
        rotors=gc.Rotors(coupling=5.7e-4 * sp.eye(3), inertia=5.7e-4 * sp.eye(3)),
        equilibria={"corner": gc.Family({f"Gamma{i}": 1 / sp.sqrt(3) for i in (1, 2, 3)})},
    ).reduce()
    Q = {f"Gamma{i}": 100 for i in (1, 2, 3)} | {f"theta{i}_dot": 1e-5 for i in (1, 2, 3)}
    eq = system.equilibrium("corner")
    return system, eq, gc.lqr(system, eq, Q=Q, R={f"u_theta{i}": 25 for i in (1, 2, 3)})


def pendulum(up=sp.pi):
    """A pendulum whose angle is measured from below, held at an angle: up is at pi."""
    q = gc.Coordinate("q", angle=True)
    return gc.EulerPoincare(
        name="pendulum",
        shape=[q],
        inertia=[[1]],
        potential=-sp.Rational(981, 100) * sp.cos(q.symbol),
        forces=[sp.Symbol("u", real=True)],
        inputs=["u"],
        equilibria={"up": gc.Family({"q": up}, inputs={"u": sp.Rational(981, 100) * sp.sin(up)})},
    ).reduce()


def ball():
    """A spherical robot with two rotors: it may spin about the vertical at any rate."""
    se3, G = gc.se3(), gc.AdvectedVector("Gamma")
    g, W, Y, e3 = sp.Matrix(G.symbols), sp.Matrix(se3.xi[:3]), sp.Matrix(se3.xi[3:]), sp.Matrix([0, 0, 1])
    m, r, b = 3, 0.15, 0.02
    L = (
        W.dot(sp.diag(0.03, 0.03, 0.025) * W) / 2
        + m * b * Y.dot(W.cross(e3))
        + m * Y.dot(Y) / 2
        - m * 9.81 * b * g[2]
    )
    system = gc.EulerPoincare(
        name="ball",
        algebra=se3,
        advected=[G],
        lagrangian=L,
        constraints=(Y - r * W.cross(g)).jacobian(se3.xi),
        contact=-r * g,
        rotors=gc.Rotors(sp.Matrix(6, 2, lambda i, j: 0.004 if i == j else 0), 0.004 * sp.eye(2)),
        equilibria={"top": gc.Family({"Gamma3": 1})},
    ).reduce()
    eq = system.equilibrium("top")
    Q = {"Gamma1": 100, "Gamma2": 100, "theta1_dot": 1e-4, "theta2_dot": 1e-4}
    return system, eq, gc.lqr(system, eq, Q=Q, R={"u_theta1": 11, "u_theta2": 11})


def linear_system(rng, n=2, m=1):
    """x'' = F x + G x' + H u with random numbers, and its pair in (x', x)."""
    F, G, H = rng.normal(size=(n, n)), rng.normal(size=(n, n)), rng.normal(size=(n, m))
    q = [gc.Coordinate(f"q{i}") for i in range(n)]
    u = sp.symbols(f"u1:{m + 1}", real=True)
    x, v = sp.Matrix([c.symbol for c in q]), sp.Matrix([c.rate for c in q])
    forces = sp.Matrix(F) * x + sp.Matrix(G) * v + sp.Matrix(H) * sp.Matrix(u)
    system = gc.EulerPoincare(shape=q, inertia=sp.eye(n), forces=list(forces), inputs=[str(s) for s in u])
    A = np.block([[G, F], [np.eye(n), np.zeros((n, n))]])
    return system.reduce(), A, np.vstack([H, np.zeros((n, m))])


def qube(mass=1, length=1, time=1):
    """A rotary pendulum with measured numbers, in other units; of alpha = 0 up."""
    R = sp.Rational
    mr, mp = R(95, 1000) * mass, R(24, 1000) * mass
    Lr, Lp, g = R(85, 1000) * length, R(129, 1000) * length, R(981, 100) * length / time**2
    arm, alpha = gc.Coordinate("arm", angle=True), gc.Coordinate("alpha", angle=True)
    a, u = alpha.symbol, sp.Symbol("u", real=True)
    T = (
        (mr * Lr**2 / 12 + mp * Lr**2 + mp * Lp**2 / 4 * sp.sin(a) ** 2) * arm.rate**2 / 2
        + mp * Lp**2 / 3 * alpha.rate**2 / 2
        - mp * Lr * Lp / 2 * sp.cos(a) * arm.rate * alpha.rate
    )
    return gc.EulerPoincare(
        name="qube",
        shape=[arm, alpha],
        lagrangian=T - mp * g * Lp / 2 * sp.cos(a),
        forces=[u, 0],
        inputs=["u"],
        equilibria={"up": gc.Family({})},
    )


def ballbot(along_the_joint):
    """A ball under a leaning body; the velocity is that of the ball, or of the joint between them."""
    group, q, R = gc.rn(1).relabelled(["w"], ["p"]), gc.Coordinate("lean", angle=True), sp.Rational
    s, v, u = group.xi[0], q.rate, sp.Symbol("u", real=True)
    w = s + v if along_the_joint else s
    c = sp.cos(q.symbol)
    L = R(7, 10) * w**2 / 2 + 37 * v**2 / 2 + R(38, 10) * c * w * v - 350 * c
    return gc.EulerPoincare(
        name="ballbot",
        algebra=group,
        shape=[q],
        lagrangian=sp.expand(L),
        forces=[u, 0] if along_the_joint else [u, -u],
        inputs=["u"],
        equilibria={"upright": gc.Family({})},
    )
