"""Matching conditions: the residual from the definition, all branches, and what is refused."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.synthesis.rotors.rank_branches import RotorCoupling
from tests.synthesis.rotors import DATA, J, skate_with_rotor, two_rotors


@pytest.fixture(scope="module", params=[1, 2, 3], ids=["E1", "E2", "E3"])
def one(request):
    mechanism = skate_with_rotor(request.param)
    return request.param, mechanism, gc.match(mechanism)


@pytest.fixture(scope="module")
def two():
    mechanism = two_rotors()
    return mechanism, gc.match(mechanism)


def brute_force(mechanism, branch, seed, flip=1.0):
    """Largest |p_i - ptilde_i|, relative to the momenta, from the kinetic energies and (48) by differences.

    Both momenta are gradients in xi of quadratic forms, which central differences give exactly; they are
    compared at the rotor rates that belong to one momentum pi~.
    """
    rng = np.random.default_rng(seed)
    s = mechanism.rotors.count
    gains = {e: float(v) for e, v in zip(branch.free, rng.normal(size=len(branch.free)), strict=True)}
    numbers = {p.symbol: DATA[p.name] for p in mechanism.parameters} | gains

    def array(matrix):
        return np.array(sp.Matrix(matrix).subs(numbers).tolist(), dtype=float)

    for e in branch.sigma:  # a sigma that the branch does not use may be anything regular
        numbers.setdefault(e, float(rng.normal()))
    G, Gia, Gab = array(mechanism.inertia), array(mechanism.rotors.coupling), array(mechanism.rotors.inertia)
    tau, sigma, rho_inverse = flip * array(branch.tau), array(branch.sigma), array(branch.rho_inverse)
    rho = np.linalg.inv(rho_inverse)

    def K(xi, rate):
        return 0.5 * xi @ G @ xi + xi @ Gia @ rate + 0.5 * rate @ Gab @ rate

    def Ktilde(xi, rate):  # (48)
        turned = rate + tau @ xi
        shifted = rate + np.linalg.solve(Gab, Gia.T @ xi) + tau @ xi
        return K(xi, turned) + 0.5 * (tau @ xi) @ sigma @ (tau @ xi) + 0.5 * shifted @ (rho - Gab) @ shifted

    def gradient(f, xi, rate):  # central differences of a quadratic form are exact
        return np.array([(f(xi + e, rate) - f(xi - e, rate)) / 2 for e in np.eye(6)])

    worst = 0.0
    for _ in range(5):
        angle = rng.uniform(-1.2, 1.2)
        Gamma = np.array([0, np.sin(angle), np.cos(angle)])
        v = rng.normal(size=3)
        xi = np.concatenate([v[0] * np.eye(3)[0] + v[1] * Gamma, v[2] * np.eye(3)[0]])
        pitilde = rng.normal(size=s)
        rate = rho_inverse @ pitilde - (np.linalg.solve(Gab, Gia.T) + tau) @ xi  # (50)
        p, ptilde = gradient(K, xi, rate), gradient(Ktilde, xi, rate)
        worst = max(worst, np.max(np.abs(p - ptilde)) / (np.max(np.abs(p)) + np.max(np.abs(Gia @ rate))))
    return worst


def test_exactly_two_branches(one):
    axis, mechanism, matching = one
    assert [b.name for b in matching.branches] == ["no control", "full"]
    idle, full = matching.branches
    sigma, Jk = matching.sigma[0, 0], J[axis - 1]
    assert idle.tau.is_zero_matrix
    assert idle.rho[0, 0] == Jk
    assert full.tau == sp.ImmutableMatrix(-sp.Matrix(mechanism.rotors.coupling).T / sigma)  # (52)
    assert sp.simplify(matching.rho[0, 0] - Jk / (1 - Jk / sigma)) == 0
    assert matching.tau == full.tau


@pytest.mark.parametrize("seed", range(3))
def test_the_residual_is_zero(one, seed):
    _, mechanism, matching = one
    for branch in matching.branches:
        assert set(matching.residual(branch)) == {0}
        # 1e-12: differences of quadratic forms of size 1e2 with gains of either size.
        assert brute_force(mechanism, branch, seed) < 1e-12


def test_the_residual_sees_a_wrong_sign(one):
    _, mechanism, matching = one
    full = matching.branches[-1]
    residual = RotorCoupling.of(mechanism).residual
    assert any(e != 0 for e in residual(-full.tau, full.sigma, full.rho_inverse))
    assert any(
        e != 0 for e in RotorCoupling.of(mechanism).residual(full.tau, full.sigma, 2 * full.rho_inverse)
    )
    assert brute_force(mechanism, full, 1, flip=-1.0) > 1e-3


def test_solving_the_polynomial_equations_gives_the_same_branches(one):
    """tau (a row of six), rho unknown, sigma given: sympy's solve on p - ptilde, nothing assumed."""
    axis, mechanism, matching = one
    sigma, rho = sp.Symbol("sigma", real=True), sp.Symbol("rho", nonzero=True)
    tau = sp.Matrix([sp.symbols("tau1:7")])
    Gia, Jk = sp.Matrix(mechanism.rotors.coupling), J[axis - 1]
    Gamma = sp.Matrix([0, *sp.symbols("Gamma2 Gamma3", real=True)])
    v, pitilde = sp.symbols("v1:4", real=True), sp.Symbol("pi", real=True)
    E1 = sp.Matrix([1, 0, 0])
    xi = sp.Matrix([*(v[0] * E1 + v[1] * Gamma), *(v[2] * E1)])
    rate = pitilde / rho - ((Gia.T / Jk + tau) * xi)[0]
    z = sp.Matrix(sp.symbols("z1:7"))
    theta = sp.Symbol("theta")

    def K(velocity, turned):
        return (velocity.T * Gia)[0] * turned + Jk * turned**2 / 2

    shifted = theta + ((Gia.T / Jk + tau) * z)[0]
    tilde = K(z, theta + (tau * z)[0]) + sigma * (tau * z)[0] ** 2 / 2 + (rho - Jk) * shifted**2 / 2
    difference = sp.Matrix([sp.diff(K(z, theta) - tilde, c) for c in z])
    difference = difference.subs({theta: rate}).subs(dict(zip(z, xi, strict=True)))
    equations = set()
    for e in difference:
        numerator = sp.numer(sp.together(sp.expand(e)))
        equations |= set(sp.Poly(numerator, *v, pitilde, *Gamma[1:]).coeffs())
    found = sp.solve([e for e in equations if e != 0], [*tau, rho], dict=True)
    admissible = [f for f in found if f.get(rho, rho) != 0]
    # The components of tau that admissible motions do not see must vanish too: i = 1..n is demanded.
    found = {(tuple(sp.simplify(f.get(t, t)) for t in tau), sp.simplify(f[rho])) for f in admissible}
    expected = {(tuple(sp.simplify(t) for t in b.tau), sp.simplify(b.rho[0, 0])) for b in matching.branches}
    expected = {
        (tuple(t.subs(matching.sigma[0, 0], sigma) for t in a), r.subs(matching.sigma[0, 0], sigma))
        for a, r in expected
    }
    assert len(found) == len(expected) == 2
    for a, r in found:
        assert any(
            all(sp.simplify(x - y) == 0 for x, y in zip((*a, r), (*b, q), strict=True)) for b, q in expected
        )


@pytest.mark.parametrize("seed", range(3))
def test_two_rotors_have_a_mixed_branch(two, seed):
    mechanism, matching = two
    assert [(b.name, b.rank) for b in matching.branches] == [
        ("no control", 0),
        ("mixed, rank 1", 1),
        ("full", 2),
    ]
    for branch in matching.branches:
        assert set(matching.residual(branch)) == {0}
        assert brute_force(mechanism, branch, seed) < 1e-10  # gains drawn near singular cost two digits
    mixed = matching.branches[1]
    assert mixed.free
    values = {e: sp.Rational(k + 2, 7) for k, e in enumerate(mixed.free)}
    values |= {p.symbol: sp.Rational(str(DATA[p.name])) for p in mechanism.parameters}
    assert sp.Matrix(mixed.tau.subs(values)).rank() == 1
    assert brute_force(mechanism, mixed, seed, flip=-1.0) > 1e-3


def test_controlled_inertia_of_57(one):
    axis, mechanism, matching = one
    sigma = matching.sigma[0, 0]
    shift = (matching.inertia() - sp.Matrix(mechanism.inertia)).applyfunc(sp.simplify)
    expected = sp.zeros(6, 6)
    expected[axis - 1, axis - 1] = J[axis - 1] ** 2 / sigma - J[axis - 1]
    assert (shift - expected).applyfunc(sp.simplify).is_zero_matrix
    m, l = (sp.Symbol(n, positive=True) for n in "ml")  # noqa: E741
    if axis == 1:
        I1, J2, I2 = (sp.Symbol(n, positive=True) for n in ("I1", "J2", "I2"))
        assert sp.simplify(matching.inertia()[0, 0] - (I1 + J[0] ** 2 / sigma + m * l**2)) == 0
        assert sp.simplify(matching.inertia()[1, 1] - (I2 + J2 + m * l**2)) == 0
    assert matching.inertia(-2e-5).shape == (6, 6)


def test_rotors_given_in_floats():
    """They are the rationals that they are: rounding must not look like a residual."""
    numbers = [[0.062, 0.013], [0.013, 0.047]]
    mechanism = two_rotors().replace(
        rotors=gc.Rotors(coupling=[*numbers, *[[0, 0]] * 4], inertia=numbers, names=["alpha", "beta"])
    )
    matching = gc.match(mechanism)
    assert len(matching.branches) == 3
    G = np.diag([0.0] * 6)
    G[:2, :2] = np.array(numbers) @ (np.diag([-1 / 0.3, 1 / 0.2]) @ np.array(numbers)) - np.array(numbers)
    shift = matching.inertia([[-0.3, 0], [0, 0.2]]) - sp.Matrix(mechanism.inertia)
    assert np.array(shift.tolist(), dtype=float) == pytest.approx(G, abs=1e-15)


# -- refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sigma", [0, 0.0, float("nan"), float("inf"), 1j, [[1, 2], [2, 1]], [1.0, 2.0], [[0]]]
)
def test_bad_gains_raise(one, sigma):
    _, _, matching = one
    with pytest.raises(gc.MatchingError, match="sigma"):
        matching.law(sigma)
    with pytest.raises(gc.MatchingError, match="sigma"):
        matching.inertia(sigma)


@pytest.mark.parametrize(
    ("sigma", "words"),
    [
        ([[1.0, 2.0], [3.0, 4.0]], "symmetric"),
        ([[1.0, 2.0], [2.0, 4.0]], "singular"),
        (1.0, "2 x 2"),
        ([[1.0, 0.0], [0.0, float("nan")]], "finite"),
    ],
)
def test_bad_gain_matrices_raise(two, sigma, words):
    _, matching = two
    with pytest.raises(gc.MatchingError, match=words):
        matching.law(sigma)


def test_without_rotors_there_is_nothing_to_match():
    with pytest.raises(gc.MatchingError, match="rotors"):
        gc.match(gc.models.get("pendulum-skate")())


def test_a_system_is_refused_and_told_where_its_mechanism_is():
    with pytest.raises(TypeError, match=r"match takes a mechanism .*ReducedSystem; .*sys\.mechanism"):
        gc.match(skate_with_rotor(1).reduce())


def test_a_rotor_that_moves_nothing_raises():
    """Once it couples to Y2 alone, which no admissible velocity has, once to nothing."""
    mechanism = skate_with_rotor(1)
    useless = mechanism.replace(
        rotors=gc.Rotors(coupling=[0, 0, 0, 0, J[0], 0], inertia=J[0], names=["theta"])
    )
    with pytest.raises(gc.MatchingError, match="couple"):
        gc.match(useless)
    uncoupled = mechanism.replace(rotors=gc.Rotors(coupling=[0] * 6, inertia=J[0], names=["theta"]))
    with pytest.raises(gc.MatchingError, match="couple"):
        gc.match(uncoupled)


def test_unknown_forms_raise(one):
    _, _, matching = one
    with pytest.raises(ValueError, match="form"):
        matching.law(-1e-3, form="feedback")


def test_searches_in_symbols_keep_to_their_budget():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    with pytest.raises(
        TimeoutError, match=r"not finished within the budget .* give numbers for the parameters"
    ):
        gc.match(mechanism, budget=1e-6)
    matching = gc.match(mechanism)
    assert matching.note == ""
    hurried = matching.design_sigma("sliding", budget=1e-6)
    assert "not finished within the budget of 1e-06 s" in hurried.note
    assert hurried.feasible is None
    assert hurried.note in hurried.reason
    assert matching.design_sigma("sliding").note == ""
    assert matching.design_sigma("sliding").feasible
    for bad in (0, -1, "60"):
        with pytest.raises(gc.ParameterError, match="budget must be a positive number"):
            matching.design_sigma("sliding", budget=bad)


def test_long_solutions_are_told_by_where_they_are():
    """Matrices of three rotors fill pages."""
    told = repr(gc.match(gc.models.get("body-with-rotors")()))
    assert len(told) < 2000
    assert "full: tau = 3 x 3 of sigma, .branches[3].tau" in told
    assert "tau = [[0, 0, -J/sigma]]" in repr(gc.match(gc.models.get("body-with-rotor")()))


@pytest.mark.parametrize("radius", [sp.Rational(3, 10), sp.Rational(3, 10**11), sp.Integer(3 * 10**9)])
def test_admissible_velocities_are_those_of_any_unit_of_length(radius):
    """A ball that rolls: Y1 = r Omega2, Y2 = -r Omega1, however small r is in its unit."""
    rows = [[0, -radius, 0, 1, 0, 0], [radius, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]
    ball = gc.EulerPoincare(algebra=gc.se3(), inertia=sp.diag(1, 2, 3, 1, 1, 1), constraints=rows)
    span = RotorCoupling(ball, None).span
    assert span.rank() == 3
    assert sp.Matrix(rows) * span == sp.zeros(3, 3)
