"""What the conformance suite compares, as functions returning the worst relative deviation.

They are functions so that the negative controls can ask them about a system with a wrong sign in it. Nothing
in them uses the recorded graph: forces and constraints are lambdified by sympy, derivatives along the motion
are complex steps.
"""

from functools import cache, partial
from inspect import signature

import numpy as np
import sympy as sp
from scipy.spatial.transform import Rotation

import geoctrl as gc
from tests.oracles.coordinates import CoordinateOracle
from tests.systems.mechanisms import matrix_at

STEP = 1e-30
POINTS = 3


class AtParameters:
    """A system, or its multiplier form, of which every member is asked at one set of parameters.

    ``mechanism`` is the same description with these numbers as its defaults.
    """

    def __init__(self, asked, mechanism):
        self.asked, self.mechanism = asked, mechanism
        self.params = {p.name: p.default for p in mechanism.parameters}

    def __getattr__(self, name):
        member = getattr(self.asked, name)
        if callable(member) and "params" in signature(member).parameters:
            return partial(member, params=self.params)
        return member

    def unreduced(self):
        return AtParameters(self.asked.unreduced(), self.mechanism)


def deviation(computed, expected, scale=1.0):
    """Largest difference, relative to the largest entry expected or the given scale."""
    computed, expected = np.asarray(computed), np.asarray(expected)
    assert computed.shape == expected.shape
    if not expected.size:
        return 0.0
    return float(np.max(np.abs(computed - expected)) / max(np.max(np.abs(expected)), scale))


def along(function, x, xdot):
    """Derivative of a function of the state along xdot: a complex step, exact to rounding."""
    return np.imag(function(x + 1j * STEP * xdot)) / STEP


def points(sys, seed, count=POINTS):
    """Times, states on the leaf and inputs; parameters without a default would be a mistake in the test."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield float(rng.uniform(-2, 2)), sys.random_state(rng), rng.normal(size=sys.ninputs)


def rates_of(sys, x):
    rotors = sys.mechanism.rotors
    first = len(sys.state_labels) - len(sys.kept) - (rotors.count if rotors else 0)
    return x[first : first + (rotors.count if rotors else 0)]


def full_velocity(sys, x):
    return np.concatenate([sys.velocity(x), rates_of(sys, x)])


def kept_rows(sys):
    """Which constraint rows the system keeps by multipliers, in the description's numbering."""
    psi, left = sys.mechanism.constraints, sys.frame.rows
    return [] if left is None else _rows_kept(psi, sys.frame.matrix, left)


@cache
def _rows_kept(psi, frame, left):
    # A pivot row vanishes on the frame, at random numbers as elsewhere; rows are kept in their order.
    on_frame = psi * frame
    symbols = sorted(on_frame.free_symbols, key=str)
    numbers = np.random.default_rng(1).uniform(0.3, 0.9, len(symbols))
    values = np.abs(np.array(sp.lambdify(symbols, on_frame)(*numbers), dtype=float))
    kept = [a for a in range(psi.rows) if np.max(values[a]) > 1e-9]
    assert len(kept) == left.rows
    return kept


def multiplier_form(sys, seed=0, form=None):
    """Reduced accelerations and advection, rotor rates included, against the equations with multipliers."""
    form = sys.unreduced() if form is None else form
    kept = kept_rows(sys)
    multipliers = sys.program(sys.assembly.multipliers)
    worst = 0.0
    for t, x, u in points(sys, seed):
        xdot = sys.rhs(t, x, u)
        state = (full_velocity(sys, x), sys.configuration(x))
        xidot, gammadot = form.rhs(t, state, u)
        computed = along(lambda z: full_velocity(sys, z), x, xdot)
        moved = along(sys.configuration, x, xdot)
        worst = max(worst, deviation(computed, xidot), deviation(moved, gammadot))
        if kept:
            reactions = multipliers(sys.arguments_at(t, x, u), sys.params)
            worst = max(worst, deviation(reactions, form.multipliers(t, state, u)[kept]))
    return worst


def oracle_of(mechanism, chart="zyx"):
    """Lagrange's equations in coordinates for a mechanism; rotors are further translations."""
    rotors = mechanism.rotors
    s = rotors.count if rotors else 0
    algebra, n = mechanism.algebra, mechanism.algebra.n
    factors = [f"r{f.size}" if f.group == "rn" else f.name for f in algebra.factors] + ["r1"] * s
    inertia = sp.Matrix(mechanism.inertia)
    psi, A = mechanism.constraints, mechanism.gyroscopic
    force = [sp.Integer(0)] * n if mechanism.acting is None else list(mechanism.acting)
    xi = list(algebra.xi)
    if rotors:
        inertia = sp.Matrix(sp.BlockMatrix([[inertia, rotors.coupling], [rotors.coupling.T, rotors.inertia]]))
        force += list(rotors.torques)
        xi += list(rotors.rates)
    return CoordinateOracle(
        factors,
        [
            (tuple(v.symbols), [float(q) for q in v.reference], v.factor_index(algebra))
            for v in mechanism.advected
            if not isinstance(v, gc.Height)
        ],
        inertia,
        mechanism.potential,
        gyroscopic=None if A is None else [*A, *[0] * s],
        constraints=None if psi is None else psi.row_join(sp.zeros(psi.rows, s)),
        force=force,
        inputs=[*mechanism.input_symbols, gc.time],
        parameters={p.symbol: sp.Rational(str(p.default)) for p in mechanism.parameters},
        chart=chart,
        xi=xi,
        heights=[
            (v.symbol, [float(q) for q in v.along.reference], v.along.factor_index(algebra))
            for v in mechanism.advected
            if isinstance(v, gc.Height)
        ],
        shape=[(c.symbol, len(algebra.factors) - 1, i) for i, c in enumerate(mechanism.shape)],
    )


def _placements(rng, mechanism, gamma):
    """Rotations R with R^T reference = Gamma, and positions, which nothing depends on."""
    algebra, seen, turned = mechanism.algebra, {}, {}
    start, heights = 0, []
    for vector in mechanism.advected:
        if isinstance(vector, gc.Height):  # the position along the vector
            along = np.array([float(q) for q in vector.along.reference])
            heights.append((vector.along.factor_index(algebra), along, gamma[start]))
            start += 1
            continue
        pair = np.array([float(q) for q in vector.reference]), gamma[start : start + 3]
        turned.setdefault(vector.factor_index(algebra), []).append(pair)
        start += 3
    for i, factor in enumerate(algebra.factors):
        rotation = np.eye(3)
        if factor.name in ("so2", "se2"):
            angle = rng.uniform(-3, 3)
            for reference, value in turned.get(i, []):
                angle = np.arctan2(*reference[1::-1]) - np.arctan2(*value[1::-1])
            rotation = Rotation.from_euler("z", angle).as_matrix()
        elif factor.spin is not None:
            vectors = turned.get(i, [])
            axis = vectors[0][0] if len(vectors) == 1 else np.zeros(3)
            spin = Rotation.from_rotvec(axis * rng.uniform(-2, 2))  # what one vector leaves free
            rotation = Rotation.random(rng=rng)
            if vectors:
                rotation, _ = Rotation.align_vectors(*(np.array(v) for v in zip(*vectors, strict=True)))
            rotation = (spin * rotation).as_matrix()
        for reference, value in turned.get(i, []):
            # 1e-13: the sampler's exponentials of matrices of norm up to about 5.
            assert np.allclose(rotation.T @ reference, value, rtol=0, atol=1e-13)
        size = {"se2": 2, "se3": 3, "rn": factor.size}.get(factor.group)
        seen[i] = (rotation, rng.normal(size=size) if size else None)
    for i, along, height in heights:
        rotation, place = seen[i]
        d = along[: place.size]
        seen[i] = rotation, place + d * (height - d @ place) / (d @ d)
    if mechanism.shape:
        seen[len(algebra.factors) - 1] = (np.eye(3), gamma[start:])
    rotors = mechanism.rotors.count if mechanism.rotors else 0
    return [seen[i] for i in range(len(algebra.factors))] + [(None, rng.normal(size=1))] * rotors


def _near_chart_singularity(oracle, q):
    """Whether zyx angles lose accuracy there: condition above about 3."""
    rotations = [
        p.rotation for f, p in zip(oracle.factors, oracle.configuration(q), strict=True) if f[-1] == "3"
    ]
    return any(r is not None and abs(r[2, 0]) > 0.95 for r in rotations)


def coordinates(sys, seed=0, form=None):
    """The form with multipliers against Lagrange's equations in coordinates: xidot and all multipliers."""
    mechanism = sys.mechanism
    form = sys.unreduced() if form is None else form
    oracle = oracle_of(mechanism)
    rng = np.random.default_rng(seed)
    worst, done = 0.0, 0
    while done < POINTS:
        t, x, u = next(points(sys, int(rng.integers(2**31)), 1))
        q = oracle.q_for(_placements(rng, mechanism, sys.configuration(x)))
        if _near_chart_singularity(oracle, q):
            continue
        done += 1
        gamma = oracle.gamma(q)
        xi = full_velocity(sys, x)
        state = (xi, gamma)
        xidot, multipliers = oracle.acceleration(q, xi, [*u, t])
        worst = max(worst, deviation(form.rhs(t, state, u)[0], xidot))
        worst = max(worst, deviation(form.multipliers(t, state, u), multipliers))
    return worst


def power_balance(sys, seed=0):
    """d/dt energy against F.xi + torques.rates, relative to the size of xi.G xidot."""
    mechanism = sys.mechanism
    rotors = mechanism.rotors
    worst = 0.0
    motion = [*mechanism.algebra.xi, *(rotors.rates if rotors else ()), *mechanism.input_symbols, gc.time]
    motion += [*mechanism.configuration_symbols, *(p.symbol for p in mechanism.parameters)]
    forces = sp.lambdify(motion, list(mechanism.forces or sp.zeros(mechanism.algebra.n, 1)), "numpy")
    values = [float(p.default) for p in mechanism.parameters]
    G = mechanism.inertia
    for t, x, u in points(sys, seed):
        xdot = sys.rhs(t, x, u)
        xi = full_velocity(sys, x)
        gamma = sys.configuration(x)
        torques = u[len(mechanism.inputs) :]
        power = sum(rubbed(friction, sys, t, x, u, gamma) for friction in mechanism.friction)
        power += np.dot(forces(*xi, *u, t, *gamma, *values), sys.velocity(x)) + torques @ rates_of(sys, x)
        rate = along(sys.energy, x, xdot)
        # The rate is a difference of terms of the size of xi.G xidot, which is what rounding goes with.
        xidot = along(sys.velocity, x, xdot)
        size = np.abs(sys.velocity(x)) @ np.abs(matrix_at(mechanism, G, gamma)) @ np.abs(xidot)
        worst = max(worst, abs(rate - power) / max(1.0, size))
    return worst


def rubbed(friction, sys, t, x, u, gamma):
    """Power of a friction: against the slip, by its coefficient and its limit."""
    slip = matrix_at(sys.mechanism, friction.along, gamma) @ sys.velocity(x)
    loads = {gc.reaction(name): load for name, load in sys.reactions(x, u, t=t).items()}
    limit = friction.coulomb.subs(loads)
    terms = [friction.viscous, *([] if friction.scale is None else [limit, friction.scale])]
    coefficients = matrix_at(sys.mechanism, terms, gamma).ravel()
    lost = coefficients[0] * slip @ slip
    if friction.scale is not None:
        lost += coefficients[1] * slip @ slip / np.hypot(np.linalg.norm(slip), coefficients[2])
    return -lost


def jacobians(sys, seed=0):
    """Analytic derivatives by state and input against complex steps of the field."""
    t, x, u = next(points(sys, seed, 1))
    by_x = np.stack([along(lambda z: sys.rhs(t, z, u), x, e) for e in np.eye(x.size)], axis=1)
    worst = deviation(sys.jacobian(t, x, u), by_x)
    if u.size:
        by_u = np.stack([along(lambda z: sys.rhs(t, x, z), u, e) for e in np.eye(u.size)], axis=1)
        worst = max(worst, deviation(sys.input_jacobian(t, x, u), by_u))
    return worst


def leaf_rates(sys, seed=0):
    """Rates of all leaf relations, relative to the size of their terms."""
    worst = 0.0
    gradients = sys.rate_terms(sys.leaf.nodes)
    for t, x, u in points(sys, seed):
        assert np.max(np.abs(sys.leaf_residual(x)), initial=0.0) < 1e-12
        xdot = sys.rhs(t, x, u)
        rates = along(sys.leaf_residual, x, xdot)
        for terms, rate in zip(gradients, rates, strict=True):
            size = np.abs(sys.program(terms)(sys.arguments_at(t, x, u), sys.params)).sum()
            worst = max(worst, abs(rate) / max(1.0, size))
    return worst


def tensor_functions(mechanism, tensors):
    """mu and the frame; force without inputs and tensor B: two functions of (xi, Gamma, parameters, t)."""
    algebra = mechanism.algebra
    n = algebra.n
    gamma = list(mechanism.configuration_symbols)
    xi = list(algebra.xi)
    G = sp.Matrix(mechanism.inertia)
    A = sp.zeros(n, 1) if mechanism.gyroscopic is None else sp.Matrix(mechanism.gyroscopic)
    velocity = sp.Matrix(xi)
    slope = sp.symbols(f"slope:{len(gamma)}", real=True)  # dl/dGamma, a complex step
    # The covector K, and the forces without input.
    diamond = sp.zeros(n, 1) if mechanism.acting is None else sp.Matrix(mechanism.acting)
    diamond = diamond.subs(dict.fromkeys(mechanism.input_symbols, 0))
    start = 0
    for vector in mechanism.advected:  # <K(x, Gamma), xi> = -x . (omega(xi) x Gamma)
        if isinstance(vector, gc.Height):  # moved by Gamma . Y
            rows = algebra.factors[vector.along.factor_index(algebra)].velocity
            moved = sp.Matrix(vector.along.symbols).dot(sp.Matrix(rows) * velocity)
            for i, x in enumerate(xi):
                diamond[i] += slope[start] * moved.diff(x)
            start += 1
            continue
        spin = sp.Matrix(algebra.factors[vector.factor_index(algebra)].spin) * velocity
        moved = spin.cross(sp.Matrix(vector.symbols))
        for i, x in enumerate(xi):
            diamond[i] -= sp.Matrix(slope[start : start + 3]).dot(moved.diff(x))
        start += 3
    for c in range(len(mechanism.shape)):  # a coordinate moves with its rate
        diamond[n - len(mechanism.shape) + c] += slope[start + c]
    arguments = [xi, gamma, [p.symbol for p in mechanism.parameters], gc.time]
    kinetic = sum(G[i, j] * xi[i] * xi[j] / (1 if i != j else 2) for i in range(n) for j in range(i, n))
    lagrangian = sp.lambdify(
        arguments, [kinetic + A.dot(velocity) - mechanism.potential], "numpy", use_imps=False, cse=True
    )
    momentum_and_frame = sp.lambdify(
        arguments, [G * velocity + A, tensors.frame], "numpy", use_imps=False, cse=True
    )
    entries = [diamond, sp.Matrix(sp.flatten(tensors.B.tolist()))]
    with_slope = sp.lambdify([slope, *arguments], entries, "numpy", use_imps=False, cse=True)

    def force_and_tensor(v, x, params, t):
        slopes = [along(lambda z: lagrangian(v, z, params, t)[0], x, e) for e in np.eye(x.size)]
        return with_slope(slopes, v, x, params, t)

    return momentum_and_frame, force_and_tensor


def tensor_form(sys, seed=0, functions=None):
    """pdot_alpha = -B^i_ab p_i v^b + <K + F, E_alpha> ([GO] Theorem 12) against the rate of p_alpha."""
    mechanism = sys.mechanism
    n, k = sys.frame.matrix.shape
    momentum_and_frame, force_and_tensor = functions or tensor_functions(mechanism, sys.tensors())
    values = [float(p.default) for p in mechanism.parameters]
    worst = 0.0
    for t, x, _ in points(sys, seed):
        xdot = sys.rhs(t, x)

        def momenta(z, t=t):
            mu, E = momentum_and_frame(sys.velocity(z), sys.configuration(z), values, t)
            return np.array(E).T @ np.array(mu).ravel()

        here = (sys.velocity(x), sys.configuration(x), values, t)
        (_, E), (force, B) = momentum_and_frame(*here), force_and_tensor(*here)
        B = np.array(B, dtype=float).reshape(n, k, k)
        expected = -np.einsum("iab,i,b->a", B, momenta(x), x[:k]) + (E.T @ force.ravel())[:k]
        worst = max(worst, deviation(along(momenta, x, xdot)[:k], expected))
    return worst


def same_motion(sys, other, seed=0):
    """xidot, rotor accelerations and Gammadot of two systems that differ by their frame."""
    mechanism = sys.mechanism
    worst = 0.0
    for t, x, u in points(sys, seed):
        y = converted(sys, x, other)
        there = other.rhs(t, y, u)
        computed = along(lambda z: full_velocity(other, z), y, there)
        here = sys.rhs(t, x, u)
        worst = max(worst, deviation(computed, along(lambda z: full_velocity(sys, z), x, here)))
        worst = max(worst, deviation(along(other.configuration, y, there), along(sys.configuration, x, here)))
    assert other.mechanism.algebra == mechanism.algebra
    return worst


def converted(sys, x, other):
    """The state of another system with the same full velocity, Gamma and rotor rates."""
    gamma, start, parts = sys.configuration(x), 0, {}
    for vector in sys.mechanism.advected:
        parts[vector.name] = gamma[start : start + vector.dimension]
        start += vector.dimension
    parts |= {c.name: gamma[start + i] for i, c in enumerate(sys.mechanism.shape)}
    return other.project(sys.velocity(x), parts, rotor_rates=rates_of(sys, x))
