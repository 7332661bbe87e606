"""Verdicts: where they flip, what they rest on, and what is called inconclusive."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import Verdict
from geoctrl.analysis.certificates.certificates import readable
from tests.literature import skate_by_hand as hand

P = hand.GENERIC
STEP = 1e-6


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


@pytest.fixture(scope="module")
def top():
    return gc.models.get("heavy-top")().reduce()


@pytest.fixture(scope="module")
def loop():
    """Closed loop with the gain as a parameter."""
    matching = gc.match(gc.models.get("pendulum-skate-rotor")(set="7.3"))
    return matching.law(sigma=sp.Symbol("sigma", real=True)).closed_loop()


def flips(verdict_at, threshold, stable_above):
    above, below = verdict_at(threshold * (1 + STEP)), verdict_at(threshold * (1 - STEP))
    expected = (Verdict.PROVED_STABLE, Verdict.PROVED_UNSTABLE)
    assert (above, below) == (expected if stable_above else expected[::-1])


@pytest.mark.parametrize("data", [hand.DATA_72, hand.GENERIC])
@pytest.mark.parametrize("sign", [1, -1])
def test_spinning_flips_at_42(skate, data, sign):
    threshold = hand.spinning_threshold(data)
    if data is hand.DATA_72:
        assert threshold == pytest.approx(4.0973172, abs=5e-8)
    flips(
        lambda W: gc.certify(skate, skate.equilibrium("spinning", Omega0=W, params=data)).verdict,
        sign * threshold,
        stable_above=True,
    )


def test_slow_spin_is_unstable_and_so_is_every_spin_of_a_flat_skate(skate):
    for W in (0.0, 0.1, 2.0, 4.0):
        eq = skate.equilibrium("spinning", Omega0=W, params=hand.DATA_72)
        assert gc.certify(skate, eq).verdict is Verdict.PROVED_UNSTABLE
    flat = {**P, "I2": 0.9, "l": 0.5}  # I3 + m l^2 = 0.48 < I2
    for W in (0.5, 5.0, 50.0):
        eq = skate.equilibrium("spinning", Omega0=W, params=flat)
        assert gc.certify(skate, eq).verdict is Verdict.PROVED_UNSTABLE


def test_controlled_sliding_flips_at_58(loop):
    p = hand.DATA_73
    threshold = -(p["J1"] ** 2) / (p["I1"] + p["m"] * p["l"] ** 2)
    assert threshold == pytest.approx(-1.1013215859e-5, rel=1e-10)

    def verdict_at(sigma):
        return gc.certify(loop, loop.equilibrium("sliding", Y0=1.0, params={"sigma": sigma})).verdict

    flips(verdict_at, threshold, stable_above=False)  # below in value is above in magnitude: unstable
    assert verdict_at(-1e-9) is Verdict.PROVED_STABLE
    assert verdict_at(1e-9) is Verdict.PROVED_UNSTABLE
    assert verdict_at(-1.0) is Verdict.PROVED_UNSTABLE


@pytest.mark.parametrize("sign", [1, -1])
def test_the_sleeping_top_flips_at_the_classical_speed(top, sign):
    """I3^2 W^2 = 4 I1 m g l; four invariants of rank two: the family of multipliers is searched."""
    p = {**top.params, "I1": 0.83, "I2": 0.83, "I3": 0.47}
    threshold = 2 * np.sqrt(p["I1"] * p["m"] * p["g"] * p["l"]) / p["I3"]

    def certificate(W):
        return gc.certify(top, top.equilibrium("sleeping", Omega0=sign * W, params=p))

    assert certificate(threshold * (1 - STEP)).verdict is Verdict.PROVED_UNSTABLE
    # Above it the definite multipliers fill an interval that shrinks with the distance: at 1e-6 its relative
    # width is about 1e-3, which the search still hits.
    stable = certificate(threshold * (1 + STEP))
    assert stable.verdict is Verdict.PROVED_STABLE
    assert stable.evidence["dependent_gradients"]
    assert "dependent gradients" in stable.reason
    assert certificate(1.5 * threshold).verdict is Verdict.PROVED_STABLE


def test_multipliers_kernel_and_hessian_of_the_spinning_skate(skate):
    """(c1, c2, c3) = (-W, 0, I3 W^2 - m g l) with C3 = |Gamma|^2/2; here the relation is |Gamma|^2 - 1."""
    p = {"m": 1.75, "l": 0.625, "g": 9.75, "I1": 0.4375, "I2": 0.3125, "I3": 0.0625}  # exact in binary
    W = Fraction(11, 2)
    m, l, g, I1, I2, I3 = (Fraction(p[k]) for k in hand.NAMES)  # noqa: E741
    cert = gc.certify(skate, skate.equilibrium("spinning", Omega0=W, params=p))
    e = cert.evidence
    assert cert.verdict is Verdict.PROVED_STABLE
    assert cert.method == "energy-Casimir"
    found = {k: Fraction(v) for k, v in e["multipliers"].items()}
    assert found == {"energy": 1, "C1": -W, "C2": 0, "|Gamma|^2": (I3 * W**2 - m * g * l) / 2}
    kernel = [[Fraction(c) for c in w] for w in e["kernel"]]
    gradients = [[0, I3, 0, 0, 2 * I3 * W], [0, 0, 1, 2 * l * W, 0], [0, 0, 0, 0, 2]]
    gradients.append([0, I3 * W, 0, 0, I3 * W**2 + m * g * l])
    for row in gradients:
        for w in kernel:
            assert sum(a * b for a, b in zip(row, w, strict=True)) == 0
    assert sorted(kernel) == [[0, 0, -2 * l * W, 1, 0], [1, 0, 0, 0, 0]]
    # Negative control: the second vector as it is printed is not in the kernel.
    assert sum(a * b for a, b in zip(gradients[1], [0, 0, 0, 1, 0], strict=True)) != 0
    form = [[Fraction(c) for c in row] for row in e["restricted_hessian"]]
    diagonal = {I1 + m * l**2, (I3 + m * l**2 - I2) * W**2 - m * g * l}
    assert {form[0][0], form[1][1]} == diagonal
    assert form[0][1] == form[1][0] == 0
    assert e["inertia"] == [2, 0, 0]
    assert e["conserved"] == ["energy", "C1", "C2"]
    assert e["zero_modes"] == ["C1", "C2"]
    polynomial = [Fraction(c) for c in e["reduced_polynomial"]]
    assert polynomial == [1, 0, ((I3 + m * l**2 - I2) * W**2 - m * g * l) / (I1 + m * l**2)]
    on_leaf = [Fraction(c) for c in e["characteristic_polynomial_on_leaf"]]
    assert on_leaf == [*polynomial, 0, 0]


def test_kernel_is_annihilated_at_a_leaning_point_in_a_closed_loop_too(loop):
    cert = gc.certify(loop, loop.equilibrium("sliding", Y0=1.25, params={"sigma": -7.5e-6}))
    form = [[Fraction(c) for c in row] for row in cert.evidence["restricted_hessian"]]
    p = {k: Fraction(v) for k, v in hand.DATA_73.items()}
    expected = {
        p["I1"] + p["m"] * p["l"] ** 2 + p["J1"] ** 2 / Fraction(-7.5e-6),
        -p["m"] * p["g"] * p["l"],
    }
    assert {form[0][0], form[1][1]} == expected
    assert cert.evidence["inertia"] == [0, 2, 0]  # definite of the other sign: a maximum
    multipliers = {k: Fraction(v) for k, v in cert.evidence["multipliers"].items()}
    assert multipliers["C2"] == -p["m"] * Fraction(5, 4)
    assert multipliers["C1"] == 0
    assert multipliers["|Gamma|^2"] == -p["m"] * p["g"] * p["l"] / 2


# -- inconclusive cases ----------------------------------------------------------------------------------


def test_exactly_on_the_threshold_the_hessian_is_semidefinite(skate):
    """W^2 (I3 + m l^2 - I2) = 16 * 5/8 = 10 = m g l."""
    p = {"m": 2.0, "l": 0.5, "g": 10.0, "I1": 0.75, "I2": 0.375, "I3": 0.5}
    cert = gc.certify(skate, skate.equilibrium("spinning", Omega0=4, params=p))
    assert cert.verdict is Verdict.UNDECIDED
    assert cert.evidence["hessian"] == "semidefinite"
    assert cert.evidence["inertia"] == [1, 0, 1]
    assert "semidefinite" in cert.reason
    assert "undecided" in cert.claim


def test_a_definite_spectrum_with_an_indefinite_hessian_is_not_called_stable():
    """Hanging about the middle of a gyroscopically stabilised saddle: the equations of a rotating saddle.

    q'' = -a q + 2 w J q' with a = diag(-a1, -a2): stable to first order for large w, energy a maximum of U.
    """
    algebra = gc.rn(2)
    position = gc.AdvectedParameter(
        "r",
        # (xi r)_i = kappa[i, j, k] xi_j r_k with r = (q1, q2, 1): translations move r by -xi.
        action=np.array(
            [
                [[0, 0, -1], [0, 0, 0]],
                [[0, 0, 0], [0, 0, -1]],
                [[0, 0, 0], [0, 0, 0]],
            ]
        ),
        reference=(0, 0, 1),
    )
    q1, q2, one = position.symbols
    w = gc.Parameter("w", 3.0, positive=True)
    a1, a2 = gc.Parameter("a1", 1.25, positive=True), gc.Parameter("a2", 1.75, positive=True)
    bead = gc.EulerPoincare(
        name="bead",
        algebra=algebra,
        advected=[position],
        inertia=sp.eye(2) * 2,
        potential=-(a1.symbol * q1**2 + a2.symbol * q2**2) / 2,
        gyroscopic=[-w.symbol * q2, w.symbol * q1],
        leaf=[one - 1],
        parameters=[w, a1, a2],
        equilibria={"centre": gc.Family({"r3": 1})},
    ).reduce()
    cert = gc.certify(bead, bead.equilibrium("centre"))
    # 2 q'' = a q + 2 w J q' up to the sense of J: characteristic polynomial by numpy.
    A = np.block(
        [[np.zeros((2, 2)), np.eye(2)], [np.diag([1.25, 1.75]) / 2, 3.0 * np.array([[0, 1], [-1, 0]])]]
    )
    assert np.max(np.abs(np.linalg.eigvals(A).real)) < 1e-12
    assert cert.verdict is Verdict.SPECTRALLY_STABLE_ONLY
    assert cert.evidence["hessian"] == "indefinite"
    assert "indefinite" in cert.reason
    polynomial = [float(Fraction(c)) for c in cert.evidence["reduced_polynomial"]]
    assert polynomial == pytest.approx(np.poly(A), abs=1e-12)
    # Slower, the saddle wins.
    assert gc.certify(bead, bead.equilibrium("centre", params={"w": 1.0})).verdict is Verdict.PROVED_UNSTABLE


@pytest.mark.parametrize("W", [1.5, -1.5])
def test_attraction_on_the_level_sets_of_the_energy(W):
    """Suslov's problem: the energy is the only invariant and is not critical at a steady rotation.

    By hand, with Omega3 = -Omega2/2: 2 Omega1' = Omega2^2/4, 31/8 Omega2' = -Omega1 Omega2/4, so that the
    rotation attracts or repels by the sense of Omega1, on its energy level and on those nearby.
    """
    body = gc.EulerPoincare(
        name="suslov",
        algebra=gc.so3(),
        inertia=sp.diag(2, 3, sp.Rational(7, 2)),
        constraints=[[0, sp.Rational(1, 2), 1]],
    ).reduce()
    assert body.state_labels == ("Omega1", "Omega2")
    assert body.rhs(0.0, [0.7, 0.4]) == pytest.approx([0.4**2 / 8, -2 * 0.7 * 0.4 / 31], rel=1e-13)
    cert = gc.certify(body, [W, 0.0])
    if W < 0:
        assert cert.verdict is Verdict.PROVED_UNSTABLE
        return
    assert cert.verdict is Verdict.PROVED_STABLE
    assert "level sets" in cert.method
    assert [Fraction(c) for c in cert.evidence["reduced_polynomial"]] == [1, Fraction(2, 31) * Fraction(3, 2)]
    assert "Lyapunov stable" in cert.claim


def test_momenta_of_a_free_particle_fix_it():
    """Every state is an equilibrium and an isolated point of its level set: the kernel is empty."""
    body = gc.EulerPoincare(
        name="particle",
        algebra=gc.rn(2),
        inertia=[[2, sp.Rational(1, 3)], [sp.Rational(1, 3), 3]],
    ).reduce()
    cert = gc.certify(body, [1.5, -0.5])
    assert cert.verdict is Verdict.PROVED_STABLE
    assert cert.evidence["kernel"] == []


# -- numbers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(32))
def test_leaning_turns_agree_with_their_closed_form(skate, seed):
    """w^2 c^3 [I3 (m l^2 - dI) + A dI s^2] against m g l [I3 + dI s^2 (1 + 2 c^2)]."""
    rng = np.random.default_rng(seed)
    while True:
        p = {k: float(rng.uniform(0.5, 1.5) * v) for k, v in P.items()}
        if seed % 3 == 0:
            p["I2"], p["I3"] = 0.8 * p["I3"], p["I2"]  # I2 < I3
        tilt, w = rng.uniform(-0.9, 0.9), rng.choice([-1, 1]) * rng.uniform(2.0, 12.0)
        margin = hand.leaning_margin(tilt, w, p)
        if abs(margin) > 1e-3 and abs(tilt) > 0.05:
            break
    x = hand.leaning_turn(tilt, w, p)
    cert = gc.certify(skate, x, p)
    assert cert.verdict is (Verdict.PROVED_STABLE if margin > 0 else Verdict.PROVED_UNSTABLE)
    assert "in balls" in cert.method
    assert "that lies within 2^-6" in cert.claim  # of each state, next to 2^-64 of its size
    # The spectrum of (38) on the leaf, by central differences.
    h = 1e-6
    A = np.stack([(hand.rhs(x + h * e, p) - hand.rhs(x - h * e, p)) / (2 * h) for e in np.eye(5)], axis=1)
    growth = np.max(np.linalg.eigvals(A).real)
    assert (growth > 1e-2) == (margin < 0)


def test_both_verdicts_occur_among_the_leaning_turns():
    margins = [hand.leaning_margin(0.3, w, P) for w in (2.0, 12.0)]
    assert margins[0] < 0 < margins[1]


def test_a_leaning_turn_at_a_rational_point(skate):
    """Gamma = (0, 3/5, 4/5): with exact data (39) gives a rational v3.

    With I2 = I3 everything is rational and proved, the condition being w^2 c^3 l > g. Else C2 holds an
    arctangent of an algebraic number, which is transcendental: instability needs no invariant, and
    stability is proved by integrals over the shape, chosen so that their derivatives at the point are
    rational."""
    s, c = Fraction(3, 5), Fraction(4, 5)
    for w, stable in ((Fraction(3), False), (Fraction(12), True)):
        for I3 in (0.3125, 0.0625):
            p = {"m": 1.75, "l": 0.625, "g": 9.75, "I1": 0.4375, "I2": 0.3125, "I3": I3}
            m, l, g, _, I2, _ = (Fraction(p[k]) for k in hand.NAMES)  # noqa: E741
            v3 = -((I2 + m * l**2 - Fraction(I3)) * c * w**2 + m * g * l) * s / (m * l * c * w)
            turn = {"v2": w, "v3": sp.Rational(v3.numerator, v3.denominator), "Gamma2": s, "Gamma3": c}
            system = skate.mechanism.replace(equilibria={"turn": gc.Family(turn)}).reduce()
            assert (hand.leaning_margin(np.arcsin(0.6), float(w), p) > 0) == stable
            verdict = gc.certify(system, system.equilibrium("turn", params=p)).verdict
            assert verdict is (Verdict.PROVED_STABLE if stable else Verdict.PROVED_UNSTABLE)
            if p["I2"] == I3:
                assert (w**2 * c**3 * l > g) == stable


# -- manners -------------------------------------------------------------------------------------------


def test_a_certificate_is_not_a_bool(skate):
    cert = gc.certify(skate, skate.equilibrium("sliding", Y0=1.0))
    with pytest.raises(TypeError, match="verdict"):
        bool(cert)
    assert str(cert.verdict) == "PROVED_UNSTABLE"
    assert "unstable" in repr(cert)


def test_what_is_not_an_equilibrium_is_refused_with_its_residual(skate):
    x = hand.leaning_turn(0.5, 2.4, P)
    x[2] -= 0.2
    with pytest.raises(gc.EquilibriumError, match="not an equilibrium") as raised:
        gc.certify(skate, x, P)
    assert raised.value.residual == pytest.approx(np.max(np.abs(hand.rhs(x, P))), rel=1e-9)
    with pytest.raises(gc.EquilibriumError, match="off the leaf"):
        gc.certify(skate, [0, 3.0, 0, 0, 0.9])


def test_bad_parameters_raise(skate):
    with pytest.raises(gc.ParameterError, match="mass"):
        gc.certify(skate, [0, 3.0, 0, 0, 1.0], params={"mass": 1.0})
    with pytest.raises(gc.ParameterError, match="m"):
        gc.certify(skate, [0, 3.0, 0, 0, 1.0], params={"m": -1.0})


def test_floats_of_a_family_are_the_rationals_that_they_are(skate):
    """x, (x, u) and the Equilibrium give the same proof."""
    eq = skate.equilibrium("spinning", Omega0=5.1, params=P)
    certs = [gc.certify(skate, e, P) for e in (eq, eq.x, (eq.x, eq.u))]
    assert {c.verdict for c in certs} == {Verdict.PROVED_STABLE}
    assert {str(c.evidence) for c in certs} == {str(certs[0].evidence)}


def test_asymptotic_stability_of_a_damped_pendulum():
    """Damped planar pendulum: Hurwitz, no invariants."""
    Gamma = gc.AdvectedVector("Gamma", reference=(0, 1, 0))
    algebra = gc.so2()
    J, k, c = (gc.Parameter(n, v, positive=True) for n, v in (("J", 0.7), ("k", 2.3), ("c", 0.4)))
    pendulum = gc.EulerPoincare(
        name="damped",
        algebra=algebra,
        advected=[Gamma],
        inertia=[[J.symbol]],
        potential=k.symbol * Gamma.symbols[1],
        forces=[-c.symbol * algebra.xi[0]],
        parameters=[J, k, c],
        equilibria={"down": gc.Family({"Gamma2": -1}), "up": gc.Family({"Gamma2": 1})},
    ).reduce()
    down = gc.certify(pendulum, pendulum.equilibrium("down"))
    assert down.verdict is Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert down.method == "spectrum"
    polynomial = [float(Fraction(v)) for v in down.evidence["reduced_polynomial"]]
    assert polynomial == pytest.approx([1, 0.4 / 0.7, 2.3 / 0.7])
    assert gc.certify(pendulum, pendulum.equilibrium("up")).verdict is Verdict.PROVED_UNSTABLE


def test_nothing_is_proved_at_a_kink():
    """A cusp holds this top upright although the smooth part alone would tip it over."""
    top = gc.models.get("heavy-top")()
    G1, G2, _ = top.configuration_symbols
    cusp = top.replace(potential=top.potential + 50 * (sp.Abs(G1) + sp.Abs(G2)), invariants={}).reduce()
    upright = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    for question in (gc.certify, gc.linearize, gc.find_equilibrium):
        with pytest.raises(gc.EquilibriumError, match="differentiable"):
            question(cusp, upright)
    # It does stay up, so that an answer from the smooth part would have been wrong.
    start = [0.0, 0.0, 0.0, 0.01, 0.0, np.sqrt(1 - 1e-4)]
    run = gc.simulate(cusp, np.linspace(0, 2, 41), start, rtol=1e-9)
    assert run["Gamma3"].min() > 0.999
    # Away from the switch nothing changes: a potential whose kink lies elsewhere.
    smooth = top.replace(potential=top.potential + 50 * sp.Abs(G1 + 2), invariants={}).reduce()
    point = gc.find_equilibrium(smooth, [0, 0, 0, -0.99, 0, -0.1])
    assert gc.certify(smooth, point).verdict is not None


def test_an_invariant_without_a_derivative_at_the_point_is_left_out():
    """sqrt(Pi.Pi) at rest: the square proves what its root cannot."""
    algebra = gc.so3()
    length = {"L": sp.sqrt(sum(m**2 for m in algebra.mu))}
    body = gc.EulerPoincare(name="body", algebra=algebra, inertia=sp.diag(1, 2, 3), invariants=length)
    certificate = gc.certify(body.reduce(), [0, 0, 0])
    assert certificate.verdict is Verdict.PROVED_STABLE
    assert "L" not in certificate.evidence["conserved"]
    damped = body.replace(forces=[-w for w in algebra.xi]).reduce()
    assert gc.certify(damped, [0, 0, 0]).verdict is Verdict.PROVED_ASYMPTOTICALLY_STABLE


def test_exact_numbers_read_as_decimals_of_any_size():
    third, huge = f"{10**39 + 1}/{3 * 10**39}", "-7" + "0" * 5000
    evidence = {"a": [third, "9/10", "100000"], "b": huge, "c": "1/1" + "0" * 400, "d": ["energy", 0.25]}
    assert readable(evidence) == "a: [0.333333, 0.9, 100000], b: -7e+5000, c: 1e-400, d: [energy, 0.25]"


def test_a_polynomial_beyond_the_doubles_is_shown_and_confirmed(tmp_path):
    xi = gc.so3().xi
    steep = sp.Integer(10) ** 200
    pushed = gc.EulerPoincare(
        algebra=gc.so3(),
        inertia=sp.eye(3),
        forces=[-steep * xi[0], -steep * xi[1], -steep * xi[2]],
        name="body",
    ).reduce()
    certificate = gc.certify(pushed, [0, 0, 0])
    assert certificate.verdict is Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert certificate.evidence["reduced_polynomial"][2] == f"3{'0' * 400}"
    certificate.to_json(tmp_path / "body.json")
    assert gc.verify(tmp_path / "body.json").verdict is certificate.verdict
