"""J. S. Garcia and T. Ohsawa 2024: every number of the paper, and its errata, one test each.

Hand-typed formulas are in `skate_by_hand`; each erratum fails with the printed formula and passes with the
right one.
"""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import Verdict
from tests.literature import skate_by_hand as hand

m, l, g, I1, I2, I3, J1, J2, J3 = sp.symbols("m l g I1 I2 I3 J1 J2 J3", positive=True)  # noqa: E741
W, sigma, v1, v2, v3, G2, G3 = sp.symbols("Omega0 sigma v1 v2 v3 Gamma2 Gamma3", real=True)
SYMBOLS = {"m": m, "l": l, "g": g, "I1": I1, "I2": I2, "I3": I3}
X = sp.Matrix([v1, v2, v3, G2, G3])


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")(set="7.2").reduce()


@pytest.fixture(scope="module")
def rotor():
    return gc.models.get("pendulum-skate-rotor")(set="7.3")


@pytest.fixture(scope="module")
def law(rotor):
    return gc.match(rotor).law(sigma=hand.SIGMA_73)


def falls_at(system, x0, limit=3.0):
    """Time of Gamma3 = 0, or None; located as an event."""
    fall = gc.Event(sp.Symbol("Gamma3", real=True), terminal=True, direction=-1)
    traj = gc.simulate(system, np.linspace(0, limit, 4), x0, events={"fall": fall})
    times = traj.events["fall"].time
    return float(times[0]) if len(times) else None


# -- equations, equilibria, propositions --------------------------------------------------------------


def test_equation_38(skate):
    """Reduced equations as printed, symbolically on |Gamma| = 1."""
    computed = skate.equations().rhs
    printed = sp.Matrix(hand.rhs(list(X), SYMBOLS))
    for ours, theirs in zip(computed, printed, strict=True):
        numerator = sp.numer(sp.together(ours - theirs))
        assert sp.rem(sp.expand(numerator), G2**2 + G3**2 - 1, G3) == 0
    wrong = printed.subs(g, -g)
    assert sp.rem(sp.expand(sp.numer(sp.together(computed[0] - wrong[0]))), G2**2 + G3**2 - 1, G3) != 0


def test_initial_condition_59(skate):
    tilt = 0.1
    x0 = skate.project([0.1, 0.1 * np.tan(tilt), 0.1, 1, 0, 0], {"Gamma": [0, np.sin(tilt), np.cos(tilt)]})
    assert x0 == pytest.approx(hand.start_59(), abs=1e-15)


def test_proposition_14(skate):
    cond = gc.stability_conditions(skate, "spinning")
    (relation,) = cond.stable
    assert sp.expand(relation.gts - relation.lts - (W**2 * (I3 + m * l**2 - I2) - m * g * l)) == 0
    threshold = hand.spinning_threshold(hand.DATA_72)
    assert threshold == pytest.approx(4.0973172, abs=5e-8)
    assert gc.certify(skate, skate.equilibrium("spinning", Omega0=4.0974)).verdict is Verdict.PROVED_STABLE
    # (i) I3 + m l^2 < I2
    flat = {"m": 0.5, "l": 0.5}
    eq = skate.equilibrium("spinning", Omega0=30.0, params=flat)
    assert gc.certify(skate, eq).verdict is Verdict.PROVED_UNSTABLE


def test_proposition_15(skate):
    for Y0 in (1.0, -2.5):
        lin = gc.linearize(skate, skate.equilibrium("sliding", Y0=Y0))
        rate = np.sqrt(2.0 * 9.8 * 0.8 / (0.35 + 2.0 * 0.8**2))
        assert lin.eigenvalues == pytest.approx([0, 0, -rate, rate], rel=1e-13)
    assert gc.stability_conditions(skate, "sliding").unstable == [sp.S.true]


def test_fall_of_figure_4(skate):
    """Published: 1.025."""
    when = falls_at(skate, hand.start_59())
    assert when == pytest.approx(1.025, abs=5e-4)
    assert when == pytest.approx(1.02504780866, abs=1e-9)
    assert when == pytest.approx(hand.fall_time(lambda x: hand.rhs(x, hand.DATA_72)), abs=1e-9)


def test_proposition_16_and_equation_57(rotor):
    """(52), and the moments that the control makes of I1, I2, I3."""
    matching = gc.match(rotor)
    s = matching.sigma[0, 0]
    assert matching.tau[0, 0] == -J1 / s
    assert sp.simplify(matching.rho[0, 0] - J1 / (1 - J1 / s)) == 0
    diagonal = [matching.inertia()[k, k] for k in range(3)]
    expected = [I1 + J1**2 / s + m * l**2, I2 + J2 + m * l**2, I3 + J3]
    assert all(sp.simplify(a - b) == 0 for a, b in zip(diagonal, expected, strict=True))


def test_proposition_19(rotor):
    design = gc.match(rotor).design_sigma("sliding")
    lower, upper = design.bounds
    assert sp.simplify(lower + J1**2 / (I1 + m * l**2)) == 0
    assert upper == 0
    number = float(lower.subs({p.symbol: p.default for p in rotor.parameters}))
    assert number == pytest.approx(-1.10e-5, abs=5e-8)  # as printed
    assert number == pytest.approx(-1.1013215859e-5, rel=1e-10)
    assert design.contains(hand.SIGMA_73)
    # Remark 20: nu = -J1/sigma > (I1 + m l^2)/J1.
    assert -0.005 / hand.SIGMA_73 > (0.35 + 3.0 * 0.64) / 0.005


def test_controlled_run_of_figure_5(law):
    """100 s, and the rotor's rate (J1/sigma - 1) v1 of Example 18."""
    loop = law.closed_loop()
    traj = gc.simulate(loop, np.linspace(0, 100, 2001), hand.start_59())
    lowest = np.min(traj["Gamma3"])
    assert 0.991 < lowest < 0.992
    # 1e-11 of the energy's terms (23 J): the rounding of a Taylor engine at 1e-15 over 100 s.
    assert max(traj.drift.values()) < 1e-11 * 24
    rate = traj.outputs[traj.output_labels.index("theta_dot")]
    assert rate == pytest.approx((0.005 / hand.SIGMA_73 - 1) * traj["v1"], rel=1e-12, abs=1e-9)
    # The roll rate is a signal of amplitude one: the motion does not come to rest.
    assert np.max(np.abs(traj["v1"][-200:])) > 0.05
    cert = gc.certify(loop, loop.equilibrium("sliding", Y0=1.0))
    assert cert.verdict is Verdict.PROVED_STABLE


# -- errata -------------------------------------------------------------------------------------------


def test_erratum_56_denominator(rotor, law):
    """The law as printed destabilises: it falls sooner than the skate does by itself."""
    p = hand.DATA_73
    inertia, gain = p["I1"] + p["m"] * p["l"] ** 2, p["J1"] ** 2 / hand.SIGMA_73
    plant = rotor.reduce()
    x0 = np.insert(hand.start_59(), 3, 0.0)
    roll = {q.name: q.symbol for q in rotor.parameters}
    N = (
        (roll["m"] * roll["l"] ** 2 + roll["I2"] - roll["I3"]) * G3 * v2**2
        + roll["m"] * roll["g"] * roll["l"]
    ) * G2
    N += roll["m"] * roll["l"] * G3 * v2 * v3
    printed = roll["J1"] ** 2 / sp.Float(hand.SIGMA_73) * N / (roll["I1"] + roll["m"] * roll["l"] ** 2)
    loop = rotor.replace(feedback={"u_theta": printed}, parameter_sets={}).reduce()
    assert falls_at(loop, x0) == pytest.approx(0.698, abs=5e-4)
    assert falls_at(plant, x0) == pytest.approx(0.989, abs=5e-4)  # u = 0
    assert falls_at(law.closed_loop(rotors=True), x0) is None

    # By hand: the torque reacts on the roll, (I1 + m l^2) v1' = N - u.
    def field(u):
        def f(x):
            rates = hand.rhs(x, hand.locked(p))
            rates[0] = (hand.numerator(x, hand.locked(p)) - u(x)) / inertia
            return rates

        return f

    body = {k: p[k] for k in hand.NAMES}
    assert hand.fall_time(field(lambda x: gain * hand.numerator(x, body) / inertia)) == pytest.approx(
        0.698, abs=5e-4
    )
    assert (
        hand.fall_time(field(lambda x: gain * hand.numerator(x, hand.locked(p)) / (inertia + gain))) is None
    )
    assert hand.fall_time(lambda x: field(lambda _: 0.0)(x)) == pytest.approx(0.989, abs=5e-4)
    x = np.array([0.2, 0.3, 0.9, 0.1, np.sqrt(0.99)])
    right = gain * hand.numerator(x, hand.locked(p)) / (inertia + gain)
    assert float(law(0.0, x)[0]) == pytest.approx(right, rel=1e-12)


def test_erratum_37_prefactor(skate):
    """l / sqrt(I3 (I2 - I3)); with l / (I3 (I2 - I3)) the rate does not vanish."""
    p = hand.GENERIC
    d = p["I2"] - p["I3"]
    angle = sp.Symbol("angle", real=True)
    circle = {G2: sp.sin(angle), G3: sp.cos(angle)}
    C1 = (I2 * G2**2 + I3 * G3**2) * v2
    rates = []
    for prefactor in (l / sp.sqrt(I3 * (I2 - I3)), l / (I3 * (I2 - I3))):
        C2 = l * G2 * v2 + v3 + prefactor * C1 * sp.atan(sp.sqrt((I2 - I3) / I3) * G2)
        rate = sum(sp.diff(C2, z) * f for z, f in zip(X, hand.rhs(list(X), SYMBOLS), strict=True)).subs(
            circle
        )
        numbers = {SYMBOLS[k]: v for k, v in p.items()} | {v1: 0.7, v2: -1.3, v3: 0.4, angle: 0.6}
        rates.append(float(rate.subs(numbers)))
    assert abs(rates[0]) < 1e-14
    assert abs(rates[1]) > 0.1
    x = np.array([0.7, -1.3, 0.4, np.sin(0.6), np.cos(0.6)])
    right = hand.C1(x, p) * p["l"] / np.sqrt(p["I3"] * d) * np.arctan(np.sqrt(d / p["I3"]) * x[3])
    assert skate.invariants(x, p)["C2"] == pytest.approx(p["l"] * x[3] * x[1] + x[2] + right, rel=1e-12)


def test_erratum_55_factor(rotor):
    """Kinetic energy with a rotor: (m/2) |Y|^2, 2 m l (...) inside the bracket; G_ij as printed is right."""
    Omega, Y = sp.symbols("Omega1:4", real=True), sp.symbols("Y1:4", real=True)
    xi = sp.Matrix([*Omega, *Y])
    rate = sp.Symbol("theta_dot", real=True)
    printed_matrix = sp.diag(I1 + J1 + m * l**2, I2 + J2 + m * l**2, I3 + J3, m, m, m)
    printed_matrix[0, 4] = printed_matrix[4, 0] = -m * l
    printed_matrix[1, 3] = printed_matrix[3, 1] = m * l
    assert sp.expand(sp.Matrix(rotor.inertia) - printed_matrix).is_zero_matrix
    ours = (xi.T * rotor.inertia * xi)[0] / 2 + J1 * Omega[0] * rate + J1 * rate**2 / 2
    square, coupling = sum(y**2 for y in Y), Omega[1] * Y[0] - Omega[0] * Y[1]
    spins = (I1 + m * l**2) * Omega[0] ** 2 + J1 * (Omega[0] + rate) ** 2
    spins += (I2 + J2 + m * l**2) * Omega[1] ** 2 + (I3 + J3) * Omega[2] ** 2
    first = {f: spins / 2 + m * l * coupling + f * m * square for f in (sp.Rational(1, 2), 1)}
    assert sp.expand(ours - first[sp.Rational(1, 2)]) == 0
    assert sp.expand(ours - first[1]) != 0  # as printed
    locked = (
        (I1 + J1 + m * l**2) * Omega[0] ** 2
        + (I2 + J2 + m * l**2) * Omega[1] ** 2
        + (I3 + J3) * Omega[2] ** 2
    )
    second = {
        f: (locked + f * m * l * coupling + m * square) / 2 + J1 * Omega[0] * rate + J1 * rate**2 / 2
        for f in (2, 1)
    }
    assert sp.expand(ours - second[2]) == 0
    assert sp.expand(ours - second[1]) != 0  # as printed


def test_erratum_a1_entry(skate):
    """Df(zeta_sp)[1, 4]; the eigenvalues printed are those of the right entry."""
    for spin in (2.0, 6.5):
        lin = gc.linearize(skate, skate.equilibrium("spinning", Omega0=spin, params=hand.GENERIC))
        right = hand.spinning_jacobian(spin, hand.GENERIC)
        assert lin.A == pytest.approx(right, rel=1e-13, abs=1e-13)
        printed = right.copy()
        printed[0, 3] = hand.printed_entry(spin, hand.GENERIC)
        assert abs(printed[0, 3] - lin.A[0, 3]) > 1
        # det(x - Df) = x^3 (x^2 - s) with the printed s, which is the printed entry itself.
        assert np.poly(right)[2] == pytest.approx(-hand.printed_entry(spin, hand.GENERIC), rel=1e-12)
        assert np.poly(printed)[2] != pytest.approx(-hand.printed_entry(spin, hand.GENERIC), rel=1e-3)


def test_erratum_a1_kernel(skate):
    """(0, 0, -2 l W, 1, 0), by DC . w = 0: the quadratic form cannot tell, as two terms cancel."""
    C1 = (I2 * G2**2 + I3 * G3**2) * v2
    s = sp.Symbol("s")
    C2 = l * G2 * v2 + v3 + l * C1 * sp.Integral(1 / ((I2 - I3) * s**2 + I3), (s, 0, G2))
    E = ((I1 + m * l**2) * v1**2 + ((I2 + m * l**2) * G2**2 + I3 * G3**2) * v2**2) / 2
    E += m * l * G2 * v2 * v3 + m * v3**2 / 2 + m * g * l * G3
    C3 = (G2**2 + G3**2) / 2
    point = {v1: 0, v2: W, v3: 0, G2: 0, G3: 1}
    D = sp.Matrix([[sp.diff(C, z).subs(point).doit() for z in X] for C in (C1, C2, C3)])
    assert D.row(1) == sp.Matrix([[0, 0, 1, 2 * l * W, 0]])
    right, printed = sp.Matrix([0, 0, -2 * l * W, 1, 0]), sp.Matrix([0, 0, 0, 1, 0])
    assert (D * right).applyfunc(sp.simplify).is_zero_matrix
    assert not (D * printed).is_zero_matrix
    total = E - W * C1 + (I3 * W**2 - m * g * l) * C3
    H = sp.hessian(total, X).subs(point)
    assert sp.expand((right.T * H * right)[0] - (printed.T * H * printed)[0]) == 0
    spin = sp.Rational(11, 2)
    cert = gc.certify(skate, skate.equilibrium("spinning", Omega0=5.5))
    numbers = {l: sp.Rational(*(0.8).as_integer_ratio()), W: spin}
    assert [str(c) for c in right.subs(numbers)] in [list(w) for w in cert.evidence["kernel"]]
    assert ["0", "0", "0", "1", "0"] not in cert.evidence["kernel"]


def test_erratum_invariance_off_leaf(skate):
    """Along (38) the rates of E and C2 are nonzero multiples of |Gamma|^2 - 1; C1 and C3 are kept on R^5."""
    f = hand.rhs(list(X), SYMBOLS)
    E = ((I1 + m * l**2) * v1**2 + ((I2 + m * l**2) * G2**2 + I3 * G3**2) * v2**2) / 2
    E += m * l * G2 * v2 * v3 + m * v3**2 / 2 + m * g * l * G3
    C1 = (I2 * G2**2 + I3 * G3**2) * v2
    # C2 but for its integral, of which the rate is put in:
    # d/dt int_0^{Gamma2} = Gamma2' / ((I2 - I3) Gamma2^2 + I3).
    head = l * G2 * v2 + v3
    tail = l * C1 * f[3] / ((I2 - I3) * G2**2 + I3)

    def rate(expr):
        return sum(sp.diff(expr, z) * fz for z, fz in zip(X, f, strict=True))

    assert sp.simplify(rate(C1)) == 0
    assert sp.simplify(rate(G2**2 + G3**2)) == 0
    for broken in (rate(E), rate(head) + tail):
        numerator = sp.expand(sp.numer(sp.together(broken)))
        assert numerator != 0
        assert sp.rem(numerator, G2**2 + G3**2 - 1, G3) == 0
    for name in ("energy", "C1", "C2"):
        assert gc.check_invariant(skate, name).proved  # modulo the leaf


def test_erratum_prop14_slow_spin(skate):
    cond = gc.stability_conditions(skate, "spinning")
    slow = {p.symbol: sp.Rational(str(p.default)) for p in skate.mechanism.parameters} | {W: 3}
    assert (I3 + m * l**2 - I2).subs(slow) > 0
    assert any(r.subs(slow) == sp.S.true for r in cond.unstable)
    assert gc.certify(skate, skate.equilibrium("spinning", Omega0=3.0)).verdict is Verdict.PROVED_UNSTABLE
    by_hand = np.linalg.eigvals(hand.spinning_jacobian(3.0, hand.DATA_72)).real
    assert np.max(by_hand) == pytest.approx(np.sqrt((15.68 - 0.934 * 9) / 1.63), rel=1e-6)
    # Equality alone is undecided: W^2 (I3 + m l^2 - I2) = 16 * 5/8 = 10 = m g l.
    equal = {"m": 2.0, "l": 0.5, "g": 10.0, "I1": 0.75, "I2": 0.375, "I3": 0.5}
    assert (
        gc.certify(skate, skate.equilibrium("spinning", Omega0=4.0, params=equal)).verdict
        is Verdict.UNDECIDED
    )


def test_erratum_51_signs(skate):
    """C by (23) and F by (27) have the opposite sign of the displays; (35a) is right."""
    tensors = skate.tensors()
    p = sp.symbols("p1:7")
    v = sp.Matrix([v1, v2, v3])

    def contracted(tensor):
        return sp.Matrix(3, 3, lambda a, b: sum(tensor[i, a, b] * p[i] for i in range(6)))

    def on_leaf(expr):
        return sp.simplify(sp.rem(sp.expand(sp.numer(sp.together(expr))), G2**2 + G3**2 - 1, G3))

    displayed = sp.Matrix([[0, -p[3], 0], [p[3], 0, p[5]], [0, -p[5], 0]])
    C = contracted(tensors.C)
    assert (C + displayed).applyfunc(on_leaf).is_zero_matrix
    assert not (C - displayed).applyfunc(on_leaf).is_zero_matrix
    # By hand from (23): [E_1, E_2] = (E1 x Gamma, 0) = E_4 and [E_2, E_3] = (0, Gamma x E1) = -E_6.
    Gamma = np.array([0, 0.6, 0.8])
    assert np.cross([1, 0, 0], Gamma) == pytest.approx(-np.cross(Gamma, [1, 0, 0]))
    assert tensors.C[3, 0, 1].subs({G2: 0.6, G3: 0.8}) == pytest.approx(1)
    assert tensors.C[5, 1, 2].subs({G2: 0.6, G3: 0.8}) == pytest.approx(-1)
    # xi Gamma = Omega x Gamma = v1 E1 x Gamma = v1 (0, -Gamma3, Gamma2): the display has the other sign.
    assert np.cross([0.7, 0, 0], Gamma) == pytest.approx(0.7 * np.array([0, -0.8, 0.6]))
    # F_2 = <mu, (xi Gamma, 0)> = p4 v1.
    F = contracted(tensors.F) * v
    assert (F - sp.Matrix([0, p[3] * v1, 0])).applyfunc(on_leaf).is_zero_matrix
    assert not (F - sp.Matrix([0, (G3 * p[1] - G2 * p[2]) * v1, 0])).applyfunc(on_leaf).is_zero_matrix
    # With the momenta of the skate: -B p v + gravity is (35a).
    I1b, I2b = I1 + m * l**2, I2 + m * l**2
    momenta = {
        p[0]: I1b * v1,
        p[1]: (I2b * G2**2 + I3 * G3**2) * v2 + m * l * G2 * v3,
        p[2]: m * (l * G2 * v2 + v3),
        p[3]: (I3 - I2b) * G2 * G3 * v2 - m * l * G3 * v3,
        p[4]: -m * l * G2 * v1,
        p[5]: m * l * G3 * v1,
    }
    B = (contracted(tensors.B) * v).subs(momenta)
    forces = sp.Matrix(
        [(I2b - I3) * G2 * G3 * v2**2 + m * l * G3 * v2 * v3, m * l * G3 * v3 * v1, -m * l * G3 * v1 * v2]
    )
    assert (B + forces).applyfunc(on_leaf).is_zero_matrix
    assert not (B - forces).applyfunc(on_leaf).is_zero_matrix  # the display of B p v has the sign of (35a)


def test_erratum_prop15_size(skate):
    """Printed 4 x 4; the eigenvalues stated, three zeros and a pair, are those of the 5 x 5 matrix."""
    lin = gc.linearize(skate, skate.equilibrium("sliding", Y0=1.0))
    assert lin.A.shape == (5, 5)
    assert lin.A == pytest.approx(hand.sliding_jacobian(1.0, hand.DATA_72), rel=1e-14)
    assert not lin.A[4].any()
    assert not lin.A[:, 4].any()
    full, printed = np.poly(lin.A), np.poly(lin.A[:4, :4])
    assert full[3:] == pytest.approx([0, 0, 0], abs=1e-14)  # three zeros
    assert len(printed) - 1 - 2 == 2  # two zeros only
