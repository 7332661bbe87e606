"""Groups given by structure constants alone: LR systems and semidirect products, in any basis."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.systems import comparisons, user_mechanisms

# Changes of basis with entries up to 3 cost a digit or two.
TOLERANCE = 1e-10


def dense(entries, shape):
    array = np.zeros(shape, dtype=object)
    for i, j, k, value in entries:
        array[i, j, k] += value
    return array


def in_basis(mechanism, T):
    """The same mechanism with xi = T eta, on an algebra and parameters given by their constants alone."""
    algebra, n = mechanism.algebra, mechanism.algebra.n
    inverse = sp.Matrix(T).inv()
    c = dense(algebra.brackets, (n, n, n))
    exact = np.array([[Fraction(int(v)) for v in row] for row in T], dtype=object)
    back = np.array([[Fraction(int(v.p), int(v.q)) for v in inverse.row(i)] for i in range(n)], dtype=object)
    constants = np.einsum("li,mj,lmp,kp->ijk", exact, exact, c, back)
    made = gc.LieAlgebra(constants, labels=[f"eta{i + 1}" for i in range(n)], name="by constants")
    advected = []
    for vector in mechanism.advected:
        d = vector.dimension
        kappa = np.einsum("ilk,lj->ijk", dense(vector.action(algebra), (d, n, d)), exact)
        advected.append(gc.AdvectedParameter(vector.name, kappa, vector.reference))
    matrix = sp.Matrix(T)
    relations = []
    for vector in mechanism.advected:
        norm = sum(q * q for q in vector.reference)
        relations.append(
            sp.Matrix(vector.symbols).dot(vector.symbols) - sp.Rational(norm.numerator, norm.denominator)
        )
    return mechanism.replace(
        algebra=made,
        advected=advected,
        inertia=matrix.T * mechanism.inertia * matrix,
        gyroscopic=None if mechanism.gyroscopic is None else list(matrix.T * mechanism.gyroscopic),
        constraints=None if mechanism.constraints is None else mechanism.constraints * matrix,
        frame=None,
        leaf=[*mechanism.leaf, *relations],
        invariants={},
        symmetry=None,
        contact=None,
    )


def basis(n, seed):
    rng = np.random.default_rng(seed)
    while True:
        T = rng.integers(-2, 4, size=(n, n))
        if abs(np.linalg.det(T)) > 0.5:
            return T


def lr_system():
    """Example 10 of Garcia and Ohsawa on SO(3) x SO(3), which covers SO(4) twice: <gamma, omega> = 0."""
    algebra = gc.product(gc.so3(), gc.so3())
    first, second = gc.AdvectedVector("Gamma", (0, 0, 1), of=1), gc.AdvectedVector("Delta", (0, 2, 0), of=2)
    made, moments = user_mechanisms.parameters(I1=1.1, I2=1.7, I3=2.3, K1=0.9, K2=1.3, K3=0.6, w=0.2)
    inertia = sp.diag(*moments[:6])
    inertia[0, 4] = inertia[4, 0] = moments[6]
    G, D, xi = sp.Matrix(first.symbols), sp.Matrix(second.symbols), sp.Matrix(algebra.xi)
    momentum, gamma = inertia * xi, sp.Matrix([*G, *D])
    return gc.EulerPoincare(
        algebra=algebra,
        advected=[first, second],
        inertia=inertia,
        constraints=[list(gamma)],
        invariants={"momentum": momentum.dot(momentum) - momentum.dot(gamma) ** 2 / gamma.dot(gamma)},
        parameters=made,
        name="LR system",
    )


CASES = {
    "LR on so(4)": (lr_system, 6),
    "G with V, Y = psibar(Gamma) Omega": (user_mechanisms.ball, 6),
    "two vectors": (user_mechanisms.body_in_orbit, 3),
}


@pytest.mark.parametrize("name", CASES)
def test_constants_alone_give_the_motion_of_the_named_group(name):
    build, n = CASES[name]
    mechanism = build().replace(frame=None)
    T = basis(n, seed=5)
    named, constants = mechanism.reduce(), in_basis(mechanism, T).reduce()
    rng = np.random.default_rng(1)
    for _ in range(3):
        x = named.random_state(rng)
        gamma, given, start = named.advected(x), {}, 0
        for vector in mechanism.advected:
            given[vector.name] = gamma[start : start + vector.dimension]
            start += vector.dimension
        y = constants.project(np.linalg.solve(T, named.velocity(x)), given)
        acceleration = comparisons.along(named.velocity, x, named.rhs(0, x))
        seen = T @ comparisons.along(constants.velocity, y, constants.rhs(0, y))
        assert comparisons.deviation(seen, acceleration) < TOLERANCE
        assert abs(named.energy(x) - constants.energy(y)) < TOLERANCE * max(1.0, abs(named.energy(x)))


@pytest.mark.parametrize("name", CASES)
def test_they_pass_the_conformance_suite(name):
    build, n = CASES[name]
    system = in_basis(build().replace(frame=None), basis(n, seed=6)).reduce()
    assert comparisons.multiplier_form(system) < TOLERANCE
    assert comparisons.power_balance(system) < TOLERANCE
    assert comparisons.jacobians(system) < TOLERANCE
    assert comparisons.leaf_rates(system) < TOLERANCE


def test_lr_system_keeps_its_momentum_off_the_constraint():
    system = lr_system().reduce()
    assert set(system.conserved()) == {"energy", "momentum"}
    run = gc.simulate(system, np.linspace(0, 20, 101), system.random_state(np.random.default_rng(2)))
    assert max(run.drift.values()) < 1e-11


def test_a_parameter_in_the_dual_of_se3():
    """A coadjoint orbit as advected parameter: its two Casimirs are found, and the rows built from it run."""
    algebra = gc.se3()
    c = dense(algebra.brackets, (6, 6, 6))
    # xi a = -ad*_xi a: (xi a)_i = -c[j, i, k] xi_j a_k.
    moment = gc.AdvectedParameter("a", -np.einsum("jik->ijk", c), (0, 1, 2, 1, 0, Fraction(1, 2)))
    made, (m, k) = user_mechanisms.parameters(m=1.4, k=0.7)
    a = sp.Matrix(moment.symbols)
    mechanism = gc.EulerPoincare(
        algebra=algebra,
        advected=[moment],
        inertia=m * sp.diag(2, 3, 4, 1, 1, 1)
        + sp.Matrix(6, 6, lambda i, j: int((i, j) in ((1, 3), (3, 1))) * m / 3),
        potential=k * (a[0] ** 2 + a[1] + a[3] * a[4]),
        constraints=[[0, 0, 0, a[3], a[4], a[5]]],
        parameters=made,
    )
    system = mechanism.reduce()
    assert comparisons.multiplier_form(system) < TOLERANCE
    assert comparisons.power_balance(system) < TOLERANCE
    free = mechanism.replace(constraints=None).reduce()
    kept = [node for name, node in free.conserved().items() if "a" in name and "P" not in name]
    found = [sp.expand(e) for e in free.to_sympy(kept)]
    assert any(sp.expand(e - (a[3] ** 2 + a[4] ** 2 + a[5] ** 2)) == 0 for e in found)


def test_a_gyrostat_is_a_constant_gyroscopic_term():
    top = gc.models.get("heavy-top")()
    spun = top.replace(gyroscopic=[0, 0, sp.Rational(3, 2)], invariants={})
    system = spun.reduce()
    assert comparisons.multiplier_form(system) < 1e-12
    # Threshold of the symmetric sleeping gyrostat: (I3 W + p)^2 > 4 I1 m g l.
    params = {"I1": 0.9, "I2": 0.9, "I3": 0.5}
    p = system.parameters(params)
    critical = (2 * np.sqrt(p["I1"] * p["m"] * p["g"] * p["l"]) - 1.5) / p["I3"]
    for factor, stable in ((1 - 1e-6, False), (1 + 1e-6, True)):
        lin = gc.linearize(system, [0, 0, critical * factor, 0, 0, 1], params=params)
        assert bool(np.max(lin.eigenvalues.real) < 1e-6) is stable


def test_three_rows_carry_a_potential_of_the_attitude():
    """U(R) = k tr(N R) on SO(3): the rows of R as advected vectors, six leaf relations, exact attitude."""
    algebra = gc.so3()
    rows = [
        gc.AdvectedVector(name, reference)
        for name, reference in zip("abc", np.eye(3, dtype=int), strict=True)
    ]
    made, (k, I1, I2, I3) = user_mechanisms.parameters(k=0.8, I1=1.1, I2=1.9, I3=0.9)
    N = sp.Matrix([[1, 2, 0], [0, -1, 1], [3, 0, sp.Rational(1, 2)]])
    R = sp.Matrix([list(row.symbols) for row in rows])
    system = gc.EulerPoincare(
        algebra=algebra,
        advected=rows,
        inertia=sp.diag(I1, I2, I3),
        potential=k * (N * R).trace(),
        parameters=made,
    ).reduce()
    assert len(system.leaf.relations) == 6
    assert comparisons.multiplier_form(system) < TOLERANCE
    assert comparisons.coordinates(system) < TOLERANCE
    run = gc.simulate(system, np.linspace(0, 3, 31), system.random_state(np.random.default_rng(3)))
    attitude = run.attitude()
    # The rows of R, seen from the body, are the columns of R^T: reference i = R (vector i).
    assert np.max(np.abs(attitude - run.states[3:].reshape(3, 3, -1).transpose(2, 0, 1))) < 1e-12
    assert np.max(np.abs(np.einsum("tij,tik->tjk", attitude, attitude) - np.eye(3))) < 1e-12
