"""Mechanisms described from scratch as a user would; nothing in the library knows them."""

import sympy as sp

import geoctrl as gc

QUARTER, HALF = sp.Rational(1, 4), sp.Rational(1, 2)


def parameters(**values):
    """Positive parameters and their symbols, in the order given."""
    made = [gc.Parameter(name, value, positive=True) for name, value in values.items()]
    return made, [p.symbol for p in made]


def suslov():
    """Body-fixed constraint a.Omega = 0 with a full inertia matrix, in a field along Gamma."""
    algebra, gamma = gc.so3(), gc.AdvectedVector("Gamma", (0, 0, 1))
    made, (I1, I2, I3, D, k) = parameters(I1=1.4, I2=2.1, I3=1.7, D=0.3, k=0.8)
    inertia = sp.Matrix([[I1, D, -D / 2], [D, I2, D / 3], [-D / 2, D / 3, I3]])
    G = gamma.symbols
    return gc.EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        inertia=inertia,
        potential=k * (G[0] + 2 * G[1] ** 2),
        constraints=[[1, -2, 3]],
        frame=sp.Matrix([[2, -3], [1, 0], [0, 1]]),
        parameters=made,
        name="suslov",
    )


def ball():
    """Chaplygin's sphere with its centre of mass displaced; the frame's origin is the geometric centre."""
    algebra, gamma = gc.se3(), gc.AdvectedVector("Gamma", (0, 0, 1))
    made, (m, a, g, I1, I2, I3, h) = parameters(m=1.3, a=0.4, g=9.81, I1=0.21, I2=0.17, I3=0.13, h=0.11)
    Omega, Y, G = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:]), sp.Matrix(gamma.symbols)
    centre = h * sp.Matrix([1, -2, 2]) / 3
    velocity = Y + Omega.cross(centre)
    rolling = Y - Omega.cross(a * G)
    return gc.EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        lagrangian=(Omega.dot(sp.diag(I1, I2, I3) * Omega) + m * velocity.dot(velocity)) / 2
        - m * g * centre.dot(G),
        constraints=rolling.jacobian(algebra.xi),
        frame=sp.Matrix.vstack(sp.eye(3), -rolling.subs(dict.fromkeys(Y, 0)).jacobian(Omega)),
        parameters=made,
        name="displaced ball",
    )


def disk(A=QUARTER, C=HALF):
    """Thin disk (or hoop) of moments A m a^2 and C m a^2, in body axes; E3 is its axis."""
    algebra, gamma = gc.se3(), gc.AdvectedVector("Gamma", (0, 0, 1))
    made, (m, a, g) = parameters(m=1.7, a=0.3, g=9.81)
    Omega, Y, G = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:]), sp.Matrix(gamma.symbols)
    r = -a * sp.Matrix([G[0], G[1], 0]) / sp.sqrt(G[0] ** 2 + G[1] ** 2)
    rolling = Y + Omega.cross(r)
    inertia = m * a**2 * sp.diag(*map(sp.Rational, (A, A, C)))
    return gc.EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        inertia=sp.diag(inertia, m * sp.eye(3)),
        potential=-m * g * r.dot(G),
        constraints=rolling.jacobian(algebra.xi),
        frame=sp.Matrix.vstack(sp.eye(3), -rolling.subs(dict.fromkeys(Y, 0)).jacobian(Omega)),
        contact=r,
        symmetry=gc.Axis((0, 0, 1)),
        parameters=made,
        name="disk",
    )


def disk_with_spin(A=QUARTER, C=HALF):
    """The same disk with its spin as a factor of its own: axes in which E1 stays horizontal."""
    algebra, gamma = gc.product(gc.se3(), gc.rn(1)), gc.AdvectedVector("Gamma", (0, 0, 1))
    made, (m, a, g) = parameters(m=1.7, a=0.3, g=9.81)
    Omega, Y, spin = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:6]), algebra.xi[6]
    G, E1, E3 = sp.Matrix(gamma.symbols), sp.Matrix([1, 0, 0]), sp.Matrix([0, 0, 1])
    r = -a * sp.Matrix([0, G[1], 0]) / sp.sqrt(G[1] ** 2)
    body = Omega + spin * E3
    rolling = Y + body.cross(r)
    zero = sp.zeros(3, 1)
    columns = [
        sp.Matrix([*u, *-(u + s * E3).cross(r), s])
        for u, s in ((E1, sp.Integer(0)), (G, sp.Integer(0)), (zero, 1))
    ]
    T = (body.dot(m * a**2 * sp.diag(*map(sp.Rational, (A, A, C))) * body) + m * Y.dot(Y)) / 2
    return gc.EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        lagrangian=T + m * g * r.dot(G),
        constraints=sp.Matrix([*rolling, E1.cross(G).dot(Omega)]).jacobian(algebra.xi),
        frame=sp.Matrix.hstack(*columns),
        leaf=[G[0]],
        parameters=made,
        name="disk with its spin apart",
    )


def ellipsoid():
    """Rolling triaxial ellipsoid, inertia axes skewed against its own (rattleback)."""
    algebra, gamma = gc.se3(), gc.AdvectedVector("Gamma", (0, 0, 1))
    made, (m, g, a, b, c, h) = parameters(m=1.2, g=9.81, a=0.2, b=0.3, c=0.15, h=0.04)
    made2, (I1, I2, I3, D) = parameters(I1=0.012, I2=0.004, I3=0.014, D=0.0011)
    Omega, Y, G = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:]), sp.Matrix(gamma.symbols)
    axes = sp.diag(a**2, b**2, c**2)
    r = -axes * G / sp.sqrt(G.dot(axes * G)) + h * sp.Matrix([0, 0, 1])
    rolling = Y + Omega.cross(r)
    inertia = sp.Matrix([[I1, D, 0], [D, I2, 0], [0, 0, I3]])
    return gc.EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        inertia=sp.diag(inertia, m * sp.eye(3)),
        potential=-m * g * r.dot(G),
        constraints=rolling.jacobian(algebra.xi),
        frame=sp.Matrix.vstack(sp.eye(3), -rolling.subs(dict.fromkeys(Y, 0)).jacobian(Omega)),
        contact=r,
        parameters=made + made2,
        name="ellipsoid",
    )


def body_in_orbit():
    """Rigid body in a circular orbit: attitude to the orbital frame, nadir a and orbit normal b advected."""
    algebra = gc.so3()
    a, b = gc.AdvectedVector("a", (0, 0, 1)), gc.AdvectedVector("b", (0, 1, 0))
    made, (n, J1, J2, J3) = parameters(n=0.7, J1=1.3, J2=1.9, J3=0.8)
    J, va, vb = sp.diag(J1, J2, J3), sp.Matrix(a.symbols), sp.Matrix(b.symbols)
    return gc.EulerPoincare(
        algebra=algebra,
        advected=[a, b],
        inertia=J,
        gyroscopic=list(n * J * vb),
        potential=sp.Rational(3, 2) * n**2 * va.dot(J * va) - n**2 * vb.dot(J * vb) / 2,
        equilibria={"aligned": gc.Family({"a3": 1, "b2": 1})},
        parameters=made,
        name="body in orbit",
    )


def double_planar_pendulum():
    """Two links in a plane on SO(2)^2; Gamma and Delta are the downward vertical seen from the links."""
    algebra = gc.product(gc.so2(), gc.so2())
    gamma = gc.AdvectedVector("Gamma", (1, 0, 0), of=1)
    delta = gc.AdvectedVector("Delta", (1, 0, 0), of=2)
    made, (m1, m2, l1, l2, g) = parameters(m1=1.1, m2=0.7, l1=0.9, l2=0.6, g=9.81)
    G, D = sp.Matrix(gamma.symbols), sp.Matrix(delta.symbols)
    coupling = m2 * l1 * l2 * G.dot(D)
    return gc.EulerPoincare(
        algebra=algebra,
        advected=[gamma, delta],
        inertia=sp.Matrix([[(m1 + m2) * l1**2, coupling], [coupling, m2 * l2**2]]),
        potential=-(m1 + m2) * g * l1 * G[0] - m2 * g * l2 * D[0],
        equilibria={"hanging": gc.Family({"Gamma1": 1, "Delta1": 1})},
        parameters=made,
        name="double planar pendulum",
    )


ALL = {
    f.__name__: f
    for f in (suslov, ball, disk, disk_with_spin, ellipsoid, body_in_orbit, double_planar_pendulum)
}
