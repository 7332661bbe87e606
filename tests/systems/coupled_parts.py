"""Bodies on joints, drawn at random: trees of links in a plane, and of bodies on ball joints in space."""

from itertools import pairwise

import sympy as sp

import geoctrl as gc

GRAVITY = sp.Rational(981, 100)


def decimal(rng, low, high):
    return sp.Rational(int(rng.integers(round(100 * low), round(100 * high))), 100)


def random_parents(rng, count, reach=2):
    """The part that each part hangs on: some of those just before it, so that there are branches."""
    return [None, *(int(rng.integers(max(0, i - reach), i)) for i in range(1, count))]


def carriers(parents, i):
    """A part, the one that it hangs on, and so on up to the root."""
    found = [i]
    while parents[found[-1]] is not None:
        found.append(parents[found[-1]])
    return found


def turned(angle, v):
    c, s = sp.cos(angle), sp.sin(angle)
    return c * v[0] - s * v[1], s * v[0] + c * v[1]


def links(rng, parents, offset=False, named=False, order=None, units=(1, 1), points=False):
    """Links on pins, by absolute angles; joints and centres off the axes, numbers by name, in another order.

    ``units`` multiply masses and lengths; ``points`` at their ends, where others hang, have all of it.
    """
    n, parameters = len(parents), []
    kilogram, metre = units

    def number(name, low, high, unit):
        value = decimal(rng, low, high) * unit
        if not named:
            return value
        parameters.append(gc.Parameter(name, float(value), positive=True))
        return parameters[-1].symbol

    def place(name, low, high):
        across = decimal(rng, -0.4, 0.4) * metre if offset else sp.Integer(0)
        return number(name, low, high, metre), across

    mass = [number(f"m{i}", 0.5, 2, kilogram) for i in range(n)]
    moment = [number(f"J{i}", 0.1, 0.3, kilogram * metre**2) for i in range(n)]
    joint, centre = ([place(f"{letter}{i}", 0.3, 1.2) for i in range(n)] for letter in "lc")
    if points:
        moment, joint = [sp.Integer(0)] * n, [centre[p] if p is not None else None for p in parents]
    angles = [gc.Coordinate(f"q{i}", angle=True) for i in range(n)]
    q = [c.symbol for c in angles]
    alike, across, potential = sp.diag(*moment), sp.zeros(n, n), sp.Integer(0)
    for i in range(n):
        path = carriers(parents, i)
        arms = {i: centre[i]} | {b: joint[a] for a, b in pairwise(path)}
        for k, a in arms.items():
            potential += mass[i] * GRAVITY * metre * turned(q[k], a)[1]
            for l, b in arms.items():  # noqa: E741
                alike[k, l] += mass[i] * (a[0] * b[0] + a[1] * b[1])
                across[k, l] += mass[i] * (a[0] * b[1] - a[1] * b[0])
    order = order or range(n)
    between = sp.Matrix(n, n, lambda i, j: q[j] - q[i])
    inertia = alike.multiply_elementwise(between.applyfunc(sp.cos))
    inertia -= across.multiply_elementwise(between.applyfunc(sp.sin))
    return gc.EulerPoincare(
        shape=[angles[i] for i in order],
        inertia=inertia.extract(list(order), list(order)),
        potential=potential,
        parameters=parameters,
    )


def hat(v):
    return sp.Matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def bodies(rng, parents):
    """Bodies on ball joints; of each the attitude as three vectors that are fixed in space."""
    n = len(parents)
    algebra = gc.product(*[gc.so3()] * n)
    axes = [[tuple(int(k == a) for a in range(3)) for k in range(3)]] * n
    seen = [
        [gc.AdvectedVector(f"b{i}e{k}_", reference=axis, of=i + 1) for k, axis in enumerate(three)]
        for i, three in enumerate(axes)
    ]
    fixed = [[sp.Matrix(v.symbols) for v in three] for three in seen]

    def arm():
        return sp.Matrix([decimal(rng, -0.3, 0.3), decimal(rng, -0.3, 0.3), -decimal(rng, 0.3, 0.9)])

    mass = [decimal(rng, 0.5, 1.5) for _ in range(n)]
    joint, centre = [arm() for _ in range(n)], [arm() for _ in range(n)]
    blocks = [[sp.zeros(3, 3) for _ in range(n)] for _ in range(n)]
    potential = sp.Integer(0)
    for i in range(n):
        path = carriers(parents, i)
        arms = {i: centre[i]} | {b: joint[a] for a, b in pairwise(path)}
        for k, a in arms.items():
            potential += mass[i] * GRAVITY * (fixed[k][2].T * a)[0]
            for l, b in arms.items():  # noqa: E741
                turn = sp.zeros(3, 3)
                for e in range(3):
                    turn += fixed[k][e] * fixed[l][e].T
                blocks[k][l] += mass[i] * hat(a).T * (turn if k != l else sp.eye(3)) * hat(b)
        blocks[i][i] += sp.diag(*(decimal(rng, 0.1, 0.3) for _ in range(3)))
    return gc.EulerPoincare(
        algebra=algebra,
        advected=[v for three in seen for v in three],
        inertia=sp.Matrix(sp.BlockMatrix(blocks)).applyfunc(sp.expand),
        potential=sp.expand(potential),
    )


def planar_chain(n):
    """Links of length and mass one on SO(2)^n, the downward vertical seen from each of them."""
    seen = [gc.AdvectedVector(f"q{i}_", reference=(1, 0, 0), of=i + 1) for i in range(n)]
    d = [sp.Matrix(v.symbols) for v in seen]
    return gc.EulerPoincare(
        algebra=gc.product(*[gc.so2()] * n),
        advected=seen,
        inertia=sp.Matrix(n, n, lambda i, j: (n - max(i, j)) * d[i].dot(d[j]) if i != j else n - i),
        potential=-sum((n - i) * GRAVITY * d[i][0] for i in range(n)),
    )


def relative_links(rng, parents, order=None, points=False):
    """Links on pins, by the angle of each from the one that it hangs on, in this order or another."""
    n = len(parents)
    angles = [gc.Coordinate(f"q{i}", angle=True) for i in range(n)]
    q, rate = [c.symbol for c in angles], [c.rate for c in angles]
    turn = [sum(q[k] for k in carriers(parents, i)) for i in range(n)]
    spin = [sum(rate[k] for k in carriers(parents, i)) for i in range(n)]
    arm = [decimal(rng, 0.3, 1.2) for _ in range(n)]
    lagrangian = sp.Integer(0)
    for i in range(n):
        path = carriers(parents, i)
        across = sum(arm[k] * sp.cos(turn[k]) * spin[k] for k in path)
        along = sum(arm[k] * sp.sin(turn[k]) * spin[k] for k in path)
        height = -sum(arm[k] * sp.cos(turn[k]) for k in path)
        lagrangian += (across**2 + along**2) / 2 - GRAVITY * height
        if not points:
            lagrangian += decimal(rng, 0.1, 0.3) * spin[i] ** 2
    order = list(order or range(n))
    torque = [sp.Symbol(f"u{i}", real=True) for i in range(n)]
    return gc.EulerPoincare(
        shape=[angles[i] for i in order],
        lagrangian=lagrangian,
        inputs=torque,
        forces=[torque[i] - rate[i] / 20 for i in order],
    )


def chain_on_cart(n, points=False):
    """A cart with a force on it, and links on pins with friction in them, by a Lagrangian."""
    x, *angles = cart = [gc.Coordinate("x"), *(gc.Coordinate(f"q{i}", angle=True) for i in range(n))]
    q, rates = [c.symbol for c in angles], [c.rate for c in angles]
    push, east, up, height = sp.Symbol("u", real=True), x.rate, sp.Integer(0), sp.Integer(0)
    lagrangian = x.rate**2
    for angle, rate in zip(q, rates, strict=True):
        east, up, height = east + sp.cos(angle) * rate, up - sp.sin(angle) * rate, height + sp.cos(angle)
        lagrangian += (east**2 + up**2) / 2 + (0 if points else rate**2 / 20) - GRAVITY * height
    return gc.EulerPoincare(
        shape=cart, lagrangian=lagrangian, inputs=[push], forces=[push, *(-rate / 10 for rate in rates)]
    )


def charged_chain(n):
    """Links on SO(2)^n with rotors on two of them, magnetic forces, a torque at the root and friction."""
    chain = planar_chain(n)
    d, xi = [sp.Matrix(v.symbols) for v in chain.advected], chain.algebra.xi
    coupling = sp.zeros(n, 2)
    coupling[1, 0], coupling[n - 2, 1] = sp.Rational(1, 5), sp.Rational(1, 7)
    push = sp.Symbol("u", real=True)
    return chain.replace(
        inertia=chain.inertia + 2 * sp.eye(n),
        rotors=gc.Rotors(coupling=coupling, inertia=[[sp.Rational(1, 5), 0], [0, sp.Rational(1, 7)]]),
        gyroscopic=[sp.Rational(i + 1, 3) * d[i][1] for i in range(n)],
        inputs=[push],
        forces=[push, *(-w / 10 for w in xi[1:])],
    )
