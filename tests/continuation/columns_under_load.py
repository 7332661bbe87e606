"""Ziegler's column, and fields made up about a Hopf point that is known."""

import sympy as sp

import geoctrl as gc


def ziegler(state=1, time=1, force=1.45):
    """Two rods under a force that follows the upper one (Ziegler 1952), with dampers in both joints.

    ``state`` and ``time`` are the units in which angles and times are told: q = state q', t = time t'.
    """
    q1, q2, w1, w2 = sp.symbols("q1 q2 w1 w2", real=True)
    p, damping = gc.Parameter("p", force), sp.Rational(1, 10)
    a, b, u, v = (q1 / state, q2 / state, w1 * time / state, w2 * time / state)
    first = -2 * a + b - damping * (2 * u - v) + p.symbol * sp.sin(a - b) - sp.sin(a - b) * v**2
    second = a - b - damping * (v - u) + sp.sin(a - b) * u**2
    c = sp.cos(a - b)
    scale = sp.sympify(state) / sp.sympify(time) ** 2 / (3 - c**2)
    rates = [scale * (first - c * second), scale * (3 * second - c * first), w1, w2]
    # In other units w is still the rate of q: u = dq/dt in the first ones is w time / state.
    return gc.VectorField([w1, w2, q1, q2], rates, parameters=[p], name="Ziegler's column")


def hopf_field(b, c=0, feed=0, bend=0, shift=0, omega=1):
    r"""x' = a x - w y - b x r^2 + feed x z, y' = a y + w x - b y r^2 + feed y z, z' = -2 z + 2 r^2, with
    :math:`w = \omega + c r^2`, seen as x, y + bend x^2, z + bend x y, all of it moved along x by shift * a.

    On the centre manifold z = r^2: orbits are the circles a = (b - feed) r^2.
    """
    x, y, z = sp.symbols("x y z", real=True)
    a = gc.Parameter("a", 0.0)
    X = x - shift * a.symbol
    Y = y - bend * X**2
    Z = z - bend * X * Y
    r2 = X**2 + Y**2
    w = omega + c * r2
    dX = a.symbol * X - w * Y - b * X * r2 + feed * X * Z
    dY = a.symbol * Y + w * X - b * Y * r2 + feed * Y * Z
    dZ = -2 * Z + 2 * r2
    rates = [dX, dY + 2 * bend * X * dX, dZ + bend * (dX * Y + X * dY)]
    return gc.VectorField([x, y, z], list(map(sp.expand, rates)), parameters=[a], name="made up")
