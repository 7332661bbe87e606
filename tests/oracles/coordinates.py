"""Lagrange's equations with multipliers, in coordinates: an oracle independent of the reduced theory.

A mechanism on a Lie group S (a product of SO(2), SO(3), SE(2), SE(3) and R^k) is given by what its reduced
description consists of: the Lagrangian ``l = 1/2 xi.G(Gamma) xi + A(Gamma).xi - U(Gamma)``, constraints
``psi(Gamma) xi = 0`` and a generalised force ``F(xi, Gamma, u)``, with ``xi = s^{-1} sdot`` and the advected
vectors ``Gamma_a = R_f^T ref_a``.  The oracle forgets the group.  It takes coordinates q (Euler angles and
positions), writes ``xi = W(q) qdot`` out of ``hat(Omega) = R^T Rdot``, ``Y = R^T xdot``, and has

    L(q, qdot) = 1/2 qdot.M(q) qdot + b(q).qdot - V(q),     M = W^T G W,  b = W^T A,  V = U(Gamma(q)),

for which the equations of Lagrange and d'Alembert,

    d/dt dL/dqdot - dL/dq = W^T F + (psi W)^T lambda,        psi W qdot = 0,

need nothing but the first derivatives of M, b, V and psi W in q.  No bracket, structure constant, coadjoint
operator or momentum map occurs anywhere, which is what makes agreement with the reduced equations a test of
these.  Because ``W^T`` only changes the basis of covectors, the multipliers are those of

    d/dt dl/dxi = ad*_xi dl/dxi + K(dl/dGamma, Gamma) + F + lambda_a psi^a(Gamma).

Order of the velocity components, factor after factor::

    factor   coordinates                 velocity xi                     kinematics
    so2      angle about axis 3          Omega                           Rdot = R hat(Omega E3)
    so3      three angles                Omega(3)                        Rdot = R hat(Omega)
    se2      angle about axis 3, x(2)    Omega, Y1, Y2                   and xdot = R Y
    se3      three angles, x(3)          Omega(3), Y(3)                  and xdot = R Y
    r<k>     x(k)                        Y(k)                            xdot = Y

Internal rotors are ``r1`` factors.  The charts of SO(3) are ``zyx``, R = Rz(q1) Ry(q2) Rx(q3), singular at
cos(q2) = 0, and ``zxz``, R = Rz(q1) Rx(q2) Rz(q3), singular at sin(q2) = 0.

Accuracy: complex steps differentiate the given functions in Gamma, sympy R and W in q; the two are joined by
the chain and product rules in double precision, so there is no truncation error, only rounding.  On what
``random_configuration`` returns, with a well conditioned G, the relative error is about 1e-14 (two charts
agree better than 1e-12); otherwise it grows with the condition numbers of G, W and the constraints.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import sympy as sm

CHARTS = ("zyx", "zxz")
STEP = 1e-30
NOT_ANALYTIC = (sm.Abs, sm.sign, sm.atan2, sm.Piecewise, sm.Max, sm.Min, sm.Heaviside)


class Placement(NamedTuple):
    """Where one factor is: a 3x3 rotation and a position, ``None`` for the one the factor does not have."""

    rotation: np.ndarray | None
    position: np.ndarray | None


class FactorGeometry(NamedTuple):
    """Kinematics of one factor: its size and functions of its coordinates.

    ``rotation(q)`` and ``velocity(q)`` return R (3 x 3), respectively W (n x n), and after it its derivatives
    by the n coordinates, stacked on the first axis: shapes (1 + n, 3, 3), respectively (1 + n, n, n).
    """

    size: int
    angles: int
    rotation: object
    velocity: object


def _elementary_rotation(axis, angle):
    c, s = sm.cos(angle), sm.sin(angle)
    return {
        "x": sm.Matrix([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": sm.Matrix([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": sm.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def _with_derivatives(matrix, coordinates):
    """A function of the coordinates returning the matrix and, after it, its partial derivatives."""
    stack = [matrix] + [matrix.diff(c) for c in coordinates]
    entries = sm.lambdify(
        coordinates, [sm.Matrix(item) for item in stack], modules="numpy", use_imps=False, cse=True
    )
    return lambda q: np.array(entries(*q), dtype=float).reshape(len(stack), *matrix.shape)


@cache
def _geometry(factor, chart):
    """Rotation and velocity matrix of a factor, from Rdot = R hat(Omega) and xdot = R Y."""
    if factor[0] == "r" and factor[1:].isdigit() and int(factor[1:]) > 0:
        size = int(factor[1:])
        coordinates = sm.symbols(f"x1:{size + 1}")
        return FactorGeometry(size, 0, None, _with_derivatives(sm.eye(size), coordinates))
    if factor not in ("so2", "so3", "se2", "se3"):
        raise ValueError(f"unknown factor {factor!r}: expected so2, so3, se2, se3 or r<k>")
    dimension = int(factor[2])
    axes = "z" if dimension == 2 else chart
    angles = sm.symbols(f"a1:{len(axes) + 1}")
    rotation = sm.eye(3)
    for axis, angle in zip(axes, angles, strict=True):
        rotation = rotation * _elementary_rotation(axis, angle)
    columns = []
    for angle in angles:  # qdot = unit vector: Omega from hat(Omega) = R^T dR/dangle
        hat = rotation.T * rotation.diff(angle)
        columns.append([hat[2, 1], hat[0, 2], hat[1, 0]])
    velocity = sm.Matrix(columns).T
    if dimension == 2:
        velocity = velocity[2:, :]
    coordinates = angles
    if factor.startswith("se"):
        coordinates = angles + sm.symbols(f"x1:{dimension + 1}")
        velocity = sm.diag(velocity, rotation.T[:dimension, :dimension])
    return FactorGeometry(
        len(coordinates),
        len(angles),
        _with_derivatives(rotation, coordinates),
        _with_derivatives(velocity, coordinates),
    )


@cache
def _compiled(functions, arguments, variables):
    """A function returning an array: the values in column 0, the derivatives in the further columns.

    Mechanisms that differ in numbers only have it in common.
    """
    unknown = set().union(*(f.free_symbols for f in functions)) - set(arguments)
    if unknown:
        raise ValueError(f"symbols without a value: {sorted(map(str, unknown))}")
    if variables and any(f.has(*NOT_ANALYTIC) for f in functions):
        raise ValueError("a complex step does not differentiate functions that are not analytic")
    # A matrix, because of what is common to rows of lists nothing is found.
    evaluate = sm.lambdify(arguments, sm.Matrix(functions), modules="numpy", use_imps=False, cse=True)
    places = [arguments.index(v) for v in variables]

    def table(*numbers):
        moved = (np.array(numbers, dtype=complex) + STEP * 1j * np.eye(len(numbers))[k] for k in places)
        slopes = [np.imag(evaluate(*each)) / STEP for each in moved]
        return np.hstack([np.array(evaluate(*numbers), dtype=float), *slopes])

    return table


class CoordinateOracle:
    """Acceleration and multipliers of a mechanism from Lagrange's equations in coordinates.

    Parameters
    ----------
    factors : sequence of "so2", "so3", "se2", "se3", "r1", "r2", ...
    advected : list of (three sympy symbols, reference vector of three floats, index of the factor from 0)
    inertia : n x n matrix G; only its symmetric part enters the Lagrangian
    potential : U
    gyroscopic : n entries A, by default zero
    constraints : r x n matrix psi, by default none
    force : n entries F, by default zero; may depend on the symbols ``xi``, the advected ones and ``inputs``
    inputs, xi : the symbols that stand in ``force`` for the inputs and the velocity
    parameters : dict symbol -> number
    chart : "zyx" or "zxz", the Euler angles used for every SO(3)
    shape : list of (sympy symbol, index of an r<k> factor, component of it); functions may depend on these
        positions, which stand last
    heights : list of (sympy symbol, vector in space, index of a factor with positions): the position along
        the vector, which stands behind the advected vectors
    """

    def __init__(
        self,
        factors,
        advected,
        inertia,
        potential,
        gyroscopic=None,
        constraints=None,
        force=None,
        inputs=(),
        parameters=None,
        chart="zyx",
        xi=(),
        shape=(),
        heights=(),
    ):
        if chart not in CHARTS:
            raise ValueError(f"unknown chart {chart!r}: expected one of {CHARTS}")
        self.factors, self.chart, self.xi, self.inputs = tuple(factors), chart, tuple(xi), tuple(inputs)
        self._geometries = [_geometry(factor, chart) for factor in self.factors]
        ends = np.cumsum([geometry.size for geometry in self._geometries])
        self._slices = [slice(e - g.size, e) for e, g in zip(ends, self._geometries, strict=True)]
        self.n = n = int(ends[-1])
        self._references = [(np.array(ref, dtype=float), index) for _, ref, index in advected]
        for _, index in self._references:
            if self._geometries[index].rotation is None:
                raise ValueError(f"factor {index} ({self.factors[index]}) does not rotate")
        symbols = [symbol for triple, _, _ in advected for symbol in triple]
        symbols += [symbol for symbol, _, _ in (*heights, *shape)]
        self._heights = np.zeros((len(heights), n))
        for row, (_, vector, index) in zip(self._heights, heights, strict=True):
            first = self._slices[index].start + self._geometries[index].angles
            places = slice(first, self._slices[index].stop)
            row[places] = np.array(vector, dtype=float)[: places.stop - places.start]
        self._shape = [self._slices[index].start + component for _, index, component in shape]
        self._values = [float(number) for number in (parameters or {}).values()]
        known = list(parameters or {})

        def entries(given, rows, columns):
            matrix = sm.Matrix(given) if given is not None else sm.zeros(rows, columns)
            if (rows, columns) not in (matrix.shape, matrix.shape[::-1]):  # a vector may be a row or a column
                raise ValueError(f"expected {rows} x {columns} entries, got shape {matrix.shape}")
            return [sm.sympify(entry) for entry in matrix]

        self.r = 0 if constraints is None else sm.Matrix(constraints).rows
        functions = entries(inertia, n, n) + entries(gyroscopic, n, 1) + entries([potential], 1, 1)
        functions += entries(constraints, self.r, n) if self.r else []
        self._functions = _compiled(tuple(functions), (*symbols, *known), tuple(symbols))
        self._force = _compiled(tuple(entries(force, n, 1)), (*self.xi, *symbols, *self.inputs, *known), ())

    def configuration(self, q):
        """The placement (rotation, position) of every factor; positions of se2 have two components."""
        placements = []
        for geometry, block in zip(self._geometries, self._slices, strict=True):
            part = np.asarray(q, dtype=float)[block]
            rotation = geometry.rotation(part)[0] if geometry.rotation else None
            position = part[geometry.angles :]
            placements.append(Placement(rotation, position if position.size else None))
        return placements

    def q_for(self, placements):
        """Coordinates, in this oracle's chart, of a list of (rotation, position) per factor."""
        q = []
        for factor, (rotation, position) in zip(self.factors, placements, strict=True):
            if factor in ("so2", "se2"):
                q.append(np.arctan2(rotation[1, 0], rotation[0, 0]))
            elif factor in ("so3", "se3") and self.chart == "zyx":
                q.append(np.arctan2(rotation[1, 0], rotation[0, 0]))
                q.append(np.arctan2(-rotation[2, 0], np.hypot(rotation[0, 0], rotation[1, 0])))
                q.append(np.arctan2(rotation[2, 1], rotation[2, 2]))
            elif factor in ("so3", "se3"):
                q.append(np.arctan2(rotation[0, 2], -rotation[1, 2]))
                q.append(np.arctan2(np.hypot(rotation[2, 0], rotation[2, 1]), rotation[2, 2]))
                q.append(np.arctan2(rotation[2, 0], rotation[2, 1]))
            q.extend([] if position is None else position)
        return np.array(q, dtype=float)

    def random_configuration(self, rng):
        """Random coordinates whose rotations are away from the singularities of BOTH charts."""
        placements = []
        for factor, geometry in zip(self.factors, self._geometries, strict=True):
            rotation = None
            while geometry.rotation and rotation is None:
                trial = geometry.rotation(rng.uniform(-np.pi, np.pi, geometry.size))[0]
                if factor.endswith("2") or max(abs(trial[2, 0]), abs(trial[2, 2])) < 0.85:
                    rotation = trial
            translations = geometry.size - geometry.angles
            placements.append(Placement(rotation, rng.uniform(-1, 1, translations) if translations else None))
        return self.q_for(placements)

    def advected(self, q):
        """The advected vectors Gamma_a = R_f^T ref_a."""
        placements = self.configuration(q)
        return [placements[index].rotation.T @ reference for reference, index in self._references]

    def gamma(self, q):
        """What the given functions depend on: components of the advected vectors, then coordinates."""
        vectors = [component for vector in self.advected(q) for component in vector]
        q = np.asarray(q, dtype=float)
        return np.array([*vectors, *(self._heights @ q), *q[self._shape]])

    def coordinate_velocity(self, q, xi):
        """The qdot with W(q) qdot = xi."""
        w, _ = self._velocity_matrix(np.asarray(q, dtype=float))
        return np.linalg.solve(w, np.asarray(xi, dtype=float))

    def _velocity_matrix(self, q):
        """W (n, n) and its derivatives: an array whose last index is the coordinate differentiated by."""
        w, dw = np.zeros((self.n, self.n)), np.zeros((self.n, self.n, self.n))
        for geometry, block in zip(self._geometries, self._slices, strict=True):
            stack = geometry.velocity(q[block])
            w[block, block] = stack[0]
            dw[block, block, block] = np.moveaxis(stack[1:], 0, -1)
        return w, dw

    def _advected_derivative(self, q):
        """d(Gamma_1, Gamma_2, ...)/dq: three rows for each advected vector, one for each coordinate."""
        vectors, behind = 3 * len(self._references), 3 * len(self._references) + len(self._heights)
        derivative = np.zeros((behind + len(self._shape), self.n))
        derivative[vectors:behind] = self._heights
        for row, place in enumerate(self._shape, start=behind):
            derivative[row, place] = 1
        for a, (reference, index) in enumerate(self._references):
            block = self._slices[index]
            stack = self._geometries[index].rotation(q[block])
            derivative[3 * a : 3 * a + 3, block] = np.einsum("kji,j->ik", stack[1:], reference)
        return derivative

    def acceleration(self, q, xi, u=()):
        """(xidot, lambda) at coordinates q and a velocity xi that satisfies the constraints.

        With the notation of the module's docstring, ``d/dt dL/dqdot = M qddot + Mdot qdot + bdot``, so that

            M qddot - (psi W)^T lambda = W^T F - Mdot qdot - bdot + d/dq (1/2 qdot.M qdot + b.qdot - V)
            psi W qddot                = -d(psi W)/dt qdot

        is solved for both, and ``xidot = W qddot + Wdot qdot``.
        """
        n, r = self.n, self.r
        q, xi, u = (np.asarray(item, dtype=float) for item in (q, xi, u))
        if q.shape != (n,) or xi.shape != (n,) or u.shape != (len(self.inputs),):
            raise ValueError(f"expected shapes {(n,)}, {(n,)}, {(len(self.inputs),)} of q, xi, u")
        w, dw = self._velocity_matrix(q)
        gamma = self.gamma(q)
        table = self._functions(*gamma, *self._values)
        values, slopes = table[:, 0], table[:, 1:] @ self._advected_derivative(q)
        cuts = np.cumsum([n * n, n, 1])
        g, a, _, psi = np.split(values, cuts)
        dg, da, dv, dpsi = np.split(slopes, cuts)
        g, dg, psi, dpsi = g.reshape(n, n), dg.reshape(n, n, n), psi.reshape(r, n), dpsi.reshape(r, n, n)
        g, dg = (g + g.T) / 2, (dg + dg.transpose(1, 0, 2)) / 2
        if r and np.max(np.abs(psi @ xi)) > 1e-9 * (1 + np.linalg.norm(psi) * np.linalg.norm(xi)):
            raise ValueError("the velocity does not satisfy the constraints")

        # M, b, psi W and, with one more index at the end, their derivatives with respect to q.
        gw = g @ w
        half = np.einsum("iak,ib->abk", dw, gw)
        mass = w.T @ gw
        dmass = half + half.transpose(1, 0, 2) + np.einsum("ia,ijk,jb->abk", w, dg, w)
        db = np.einsum("iak,i->ak", dw, a) + w.T @ da
        phi = psi @ w
        dphi = np.einsum("aik,ib->abk", dpsi, w) + np.einsum("ai,ibk->abk", psi, dw)

        qdot = np.linalg.solve(w, xi)
        force = self._force(*(xi if self.xi else ()), *gamma, *u, *self._values)[:, 0]
        rhs = w.T @ force - (dmass @ qdot) @ qdot - db @ qdot
        rhs += 0.5 * np.einsum("a,abk,b->k", qdot, dmass, qdot) + qdot @ db - dv[0]
        system = np.block([[mass, -phi.T], [phi, np.zeros((r, r))]])
        solution = np.linalg.solve(system, np.concatenate([rhs, -(dphi @ qdot) @ qdot]))
        qddot, multipliers = solution[:n], solution[n:]
        return w @ qddot + (dw @ qdot) @ qdot, multipliers
