"""Mechanisms drawn at random: nothing in them is special to any model of the catalogue.

Every number is a rational or a parameter with a value that is neither 1 nor that of another parameter, no
matrix is diagonal, no reference vector has unit length, and inertia, gyroscopic term, potential, constraint
rows, frames and forces depend on the advected vectors. A sign, an index or a factor that is wrong anywhere
in the reduction changes the motion of such a mechanism at once.
"""

import warnings
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import sympy as sp

import geoctrl as gc
from geoctrl.algebra.coordinate import with_rates

ALGEBRAS = {
    "so3": lambda: gc.so3(),
    "se3": lambda: gc.se3(),
    "se2": lambda: gc.se2(),
    "so2*so3": lambda: gc.product(gc.so2(), gc.so3()),
    "so3*so3": lambda: gc.product(gc.so3(), gc.so3()),
    "se3*so2": lambda: gc.product(gc.se3(), gc.so2()),
    "se2*r2": lambda: gc.product(gc.se2(), gc.rn(2)),
    "r2": lambda: gc.rn(2),
    "alone": lambda: None,
}
SHAPED = ("so3", "se2", "so2*so3", "r2", "alone")
"""Groups that are drawn with coordinates."""

CONSTRAINTS = ("none", "rolling", "suslov", "affine", "mixed")


def rational(rng, low, high, denominator=16):
    """A nonzero rational between the bounds."""
    while True:
        numerator = int(rng.integers(round(low * denominator), round(high * denominator) + 1))
        if numerator:
            return sp.Rational(numerator, denominator)


def polynomial(rng, symbols, bound, terms=3):
    """A few monomials of degree one and two."""
    picked = [rng.choice(len(symbols), size=1 + i % 2) for i in range(terms)]
    return sum(rational(rng, -bound, bound, 64) * sp.Mul(*(symbols[j] for j in pick)) for pick in picked)


def draw(rng, kind, constraints="none", rotors=0, forces=True, quick=False, shape=0):
    """A random mechanism with a frame of its own.

    Parameters
    ----------
    rng : numpy.random.Generator
    kind : key of `ALGEBRAS`
    constraints : "none"; "rolling", some velocities are given by the others, xi_B = psibar(Gamma) xi_rest;
        "suslov", rows fixed in the body; "affine", rows affine in Gamma; "mixed", one row of each of the
        last two
    rotors : number of rotors
    forces : whether damping, inputs, a gyroscopic-like and a time-dependent force act
    quick : only one entry in five of the large matrices depends on Gamma
    shape : number of coordinates, an angle and a line; all parts, couplings of rotors too, depend on them
    """
    group = ALGEBRAS[kind]()
    coordinates = [gc.Coordinate("phi", angle=True), gc.Coordinate("s", unit="m")][:shape]
    algebra = with_rates(group, coordinates)
    n, xi = algebra.n, algebra.xi
    vectors = [] if group is None else _advected(rng, group)
    gamma = [s for v in vectors for s in v.symbols]
    # Bounded, as the vectors are: inertia stays positive definite and frames exist everywhere.
    gamma += [f(c.symbol) for c, f in zip(coordinates, (_swing, _slide), strict=False)]
    m, c = gc.Parameter("m", 1.3, positive=True), gc.Parameter("c", 0.45, positive=True)
    k, b = gc.Parameter("k", -0.7), gc.Parameter("b", 0.6)
    a = gc.Parameter("a", 1.85, positive=True)

    frame, rows = _constraints(rng, n, gamma, constraints, a.symbol)
    spinning = _rotors(rng, n, rotors, m.symbol, gamma if shape else ()) if rotors else None
    potential = k.symbol * polynomial(rng, gamma, 1.5, 4) + polynomial(rng, gamma, 1.0) * gamma[0]
    gyroscopic = [polynomial(rng, gamma, 1.0) + rational(rng, -1, 1) for _ in range(n)]
    gyroscopic[n // 2] *= b.symbol
    inputs, acting = (), None
    if forces:
        inputs = sp.symbols("u1 u2", real=True)
        acting = [-c.symbol * x for x in xi]
        for i in range(n):
            acting[i] += rational(rng, -1, 1) * inputs[i % 2] * (1 + polynomial(rng, gamma, 0.5, 1))
            acting[i] += rational(rng, -0.5, 0.5) * xi[int(rng.integers(n))] * xi[int(rng.integers(n))]
        acting[0] += sp.sin(2 * gc.time) * gamma[-1]
        if rotors:
            acting[-1] -= sp.Rational(3, 8) * spinning.rates[0] * gamma[0]
    rubbing = []
    if forces and shape:
        slips = sp.Matrix(2, n, lambda i, j: rational(rng, -0.8, 0.8))
        slips[0, n - 1] += polynomial(rng, gamma, 0.5, 2)
        rubbing = [
            gc.Friction(slips, coulomb=m.symbol / 3, scale=sp.Rational(1, 7)),
            gc.Friction(list(slips.row(1)), viscous=c.symbol, coulomb=sp.Rational(2, 9), scale=a.symbol / 8),
        ]
    return gc.EulerPoincare(
        friction=rubbing,
        algebra=group,
        shape=coordinates,
        advected=vectors,
        inertia=_inertia(rng, n, gamma, m.symbol, 0.2 if quick else 0.6),
        potential=potential,
        gyroscopic=gyroscopic,
        constraints=rows,
        frame=frame,
        rotors=spinning,
        forces=acting,
        inputs=inputs,
        parameters=[m, c, k, b, a],
        name=f"{kind}, {constraints}, {rotors} rotors, {shape} coordinates",
    )


def _swing(phi):
    return sp.sin(phi) * sp.Rational(3, 4) - sp.cos(phi) / 5


def _slide(s):
    return s / (1 + s**2) + sp.Rational(1, 7)


def frames(mechanism, rng):
    """Frames of a mechanism: its own, one made by the library, and one that a user might give instead.

    The last is the mechanism's own (or, if it has none, the constraint rows solved for the last velocities)
    times a matrix that depends on the advected vectors and is invertible at all of them.
    """
    psi, frame, n = mechanism.constraints, mechanism.frame, mechanism.algebra.n
    r = 0 if psi is None else psi.rows
    if frame is None and r:
        frame = _solved(psi, _determined(psi, [*mechanism.configuration_symbols]))
    base = sp.eye(n) if frame is None else frame[:, : n - r]
    second = base * _change_of_frame(rng, n - r, _bounded(mechanism))
    return {"own": mechanism.frame, "second": second, "made": None}


def _determined(psi, gamma):
    """The last velocities that the rows determine at a generic Gamma."""
    generic = psi.subs(
        dict(zip(gamma, [sp.Rational(k, 17) for k in (3, 5, 7, 11, 13, 19, 23)], strict=False))
    )
    blocks = combinations(reversed(range(psi.cols)), psi.rows)
    return next(sorted(block) for block in blocks if generic[:, sorted(block)].rank() == psi.rows)


def _bounded(mechanism):
    """Functions of Gamma for a frame that exists everywhere."""
    lines = [sp.atan(c.symbol) / 2 if not c.angle else sp.sin(c.symbol) for c in mechanism.shape]
    return [*mechanism.advected_symbols, *lines]


def with_random_parameters(mechanism, rng):
    """The defaults, each times a factor of its own."""
    parameters = [replace(p, default=float(p.default * rng.uniform(0.6, 1.6))) for p in mechanism.parameters]
    with warnings.catch_warnings():  # moments drawn one by one are mostly those of no body
        warnings.simplefilter("ignore", gc.InertiaWarning)
        return mechanism.replace(parameters=parameters)


def _advected(rng, algebra):
    """A vector for each factor that rotates (two if there is only one), none of unit length."""
    turning = [i for i, factor in enumerate(algebra.factors, start=1) if factor.spin is not None]
    places = turning if len(turning) > 1 else turning * int(rng.integers(1, 3))
    vectors = []
    for name, place in zip(("Gamma", "Delta"), places, strict=False):
        while True:
            reference = [rational(rng, -1, 1, 8) for _ in range(3)]
            size = sum(x * x for x in reference)
            others = [sp.Matrix(reference).cross(sp.Matrix(v.reference)).norm() for v in vectors]
            if sp.Rational(1, 4) < size < 2 and size != 1 and all(o > 0.3 for o in others):
                break
        vectors.append(gc.AdvectedVector(name, reference=reference, of=place))
    return vectors


def _inertia(rng, n, gamma, m, share):
    """Positive definite: 3 plus a Gram matrix, plus m times a square, plus small Gamma-dependent entries."""
    root = sp.Matrix(n, n, lambda i, j: rational(rng, -0.6, 0.6))
    lever = sp.Matrix(n, 1, lambda i, j: rational(rng, -1, 1))
    inertia = 3 * sp.eye(n) + root * root.T + m * lever * lever.T
    for i in range(n):
        for j in range(i + 1):
            if rng.uniform() < share:
                entry = polynomial(rng, gamma, 0.3, 2)
                inertia[i, j] += entry
                if i != j:
                    inertia[j, i] += entry
    return inertia


def _rotors(rng, n, count, m, gamma=()):
    coupling = sp.Matrix(n, count, lambda i, j: rational(rng, -0.5, 0.5))
    coupling[0, 0] *= m
    if gamma:
        coupling[n - 1, 0] += polynomial(rng, gamma, 0.3, 1)
    inertia = sp.Matrix([[sp.Rational(11, 8)]])
    if count == 2:
        inertia = sp.Matrix([[sp.Rational(11, 8), sp.Rational(1, 5)], [sp.Rational(1, 5), sp.Rational(9, 8)]])
    return gc.Rotors(coupling=coupling, inertia=inertia, names=["wheel", "disk"][:count])


def _constraints(rng, n, gamma, kind, a):
    """(frame, rows): the rows are solved for a block of velocities, rationally in Gamma."""
    if kind == "none":
        return _change_of_frame(rng, n, gamma), None
    r = 1 if n <= 3 and kind != "mixed" else 2
    if n >= 7 or (n == 6 and kind == "rolling"):
        r = 3
    if kind == "mixed":
        r = 2
    block = sorted(rng.choice(n, size=r, replace=False).tolist())
    rest = [i for i in range(n) if i not in block]
    psi = sp.zeros(r, n)
    for row in range(r):
        for i in range(n):
            solved = i == block[row]
            if kind == "rolling":
                entry = -polynomial(rng, gamma, 0.8, 2) if i in rest else sp.Integer(solved)
            else:
                entry = rational(rng, -0.5, 0.5) if i not in block else sp.Integer(2 * solved)
                if kind == "affine" or (kind == "mixed" and row):
                    # Where |Gamma| < sqrt 2 the block stays diagonally dominant: the frame exists everywhere.
                    entry += rational(rng, -0.3, 0.3) * gamma[int(rng.integers(len(gamma)))]
            psi[row, i] = entry
    if kind in ("suslov", "mixed"):
        psi[0, :] *= a
    return _solved(psi, block), psi


def _solved(psi, block):
    """Basis of the kernel of psi: the velocities of the block given by the others."""
    n = psi.cols
    rest = [i for i in range(n) if i not in block]
    solution = -_inverse(psi[:, block]) * psi[:, rest]
    frame = sp.zeros(n, len(rest))
    for column, i in enumerate(rest):
        frame[i, column] = 1
        for row, j in enumerate(block):
            frame[j, column] = solution[row, column]
    return frame


def _inverse(matrix):
    return matrix.adjugate() / matrix.det()


def _change_of_frame(rng, k, gamma):
    """An invertible k x k matrix: triangular with a positive diagonal, its columns permuted."""
    gamma = gamma or [sp.Integer(1)]  # nothing advected: constant entries
    matrix = sp.diag(*(1 + rational(rng, 0.2, 1) * gamma[i % len(gamma)] ** 2 for i in range(k)))
    for i in range(k):
        for j in range(i):
            if rng.uniform() < max(0.3, 2 / k):
                matrix[i, j] = polynomial(rng, gamma, 0.8, 1) + rational(rng, -0.5, 0.5)
    return matrix[:, rng.permutation(k).tolist()]


def matrix_at(mechanism, matrix, gamma):
    """Numbers of a sympy matrix in advected symbols and parameters, lambdified by sympy alone."""
    arguments = tuple(mechanism.configuration_symbols), tuple(p.symbol for p in mechanism.parameters)
    values = [float(p.default) for p in mechanism.parameters]
    return np.array(_compiled(arguments, sp.ImmutableMatrix(matrix))(gamma, values))


@cache
def _compiled(arguments, matrix):
    return sp.lambdify(arguments, matrix, "numpy", cse=True)


# -- what the generator does not draw -------------------------------------------------------------------


def sleigh():
    """Nothing advected; forces with kinks and an angle, which switch but have derivatives."""
    a, m = gc.Parameter("a", 0.35, positive=True), gc.Parameter("m", 1.9, positive=True)
    algebra = gc.se2()
    w, y1, y2 = algebra.xi
    centre = sp.Matrix([y1, y2 + a.symbol * w])
    return gc.EulerPoincare(
        algebra=algebra,
        lagrangian=(m.symbol * centre.dot(centre) + sp.Rational(9, 20) * w**2) / 2,
        constraints=[[0, 0, 1]],
        rotors=gc.Rotors([sp.Rational(3, 4), 0, 0], 2),
        forces=[-abs(w) * w, sp.sign(y1) * y1**2, sp.atan2(y1, w - 2)],
        parameters=[a, m],
        name="sleigh",
    )


def heisenberg():
    """An algebra by structure constants, with a parameter in a representation that is not by rotations."""
    constants, action = np.zeros((3, 3, 3)), np.zeros((3, 3, 3))
    constants[0, 1, 2], constants[1, 0, 2] = 1, -1
    action[0, 0, 1], action[1, 1, 2], action[0, 2, 2] = 1, 1, 1
    algebra = gc.LieAlgebra(constants, labels=("p", "q", "z"), name="heisenberg")
    parameter = gc.AdvectedParameter("a", action, reference=(1, 2, 3))
    x1, x2, x3 = parameter.symbols
    return gc.EulerPoincare(
        algebra=algebra,
        advected=[parameter],
        inertia=sp.diag(2 + x1**2, 3, 4) + sp.ones(3, 3) / 3,
        gyroscopic=[x1, x2 * x3, x1 * x2],
        potential=x1 * x2 + x3,
        constraints=[[0, x3 / 9, 1 + x2**2]],
        frame=[[1, 0], [0, 1 + x2**2], [0, -x3 / 9]],
        name="heisenberg",
    )


AXES = sp.Matrix([[1, 2, 2], [2, 1, -2], [-2, 2, -1]]) / 3
"""A rotation with rational entries."""


def turned(mechanism):
    """A mechanism on se(3) with one vector, in body axes turned by `AXES`: Gamma1 = 0 gets three terms."""
    gamma = mechanism.advected_symbols[:3]
    both = sp.diag(AXES, AXES)
    change = dict(zip(gamma, AXES * sp.Matrix(gamma), strict=True))

    def of(expression):
        return sp.Matrix(expression).xreplace(change)

    return mechanism.replace(
        inertia=both.T * of(mechanism.inertia) * both,
        potential=mechanism.potential.xreplace(change),
        gyroscopic=None if mechanism.gyroscopic is None else both.T * of(mechanism.gyroscopic),
        constraints=of(mechanism.constraints) * both,
        frame=both.T * of(mechanism.frame),
        leaf=[e.xreplace(change) for e in mechanism.leaf],
        equilibria={},
        name=f"{mechanism.name}, turned",
    )


SPECIAL = {
    "sleigh": sleigh,
    "heisenberg": heisenberg,
    "turned skate": lambda: turned(gc.models.get("pendulum-skate")()),
}
