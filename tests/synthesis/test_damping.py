"""Damping of matched laws: rates of energy and momentum, both loops, equations typed by hand, convergence."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature import skate_by_hand as hand
from tests.synthesis.damped import (
    GAINS,
    KAPPA,
    SIGMA,
    SIGN,
    THRESHOLD,
    K,
    about,
    added,
    body,
    by_hand,
    controlled_momentum,
    eta,
    random_skate,
    reduced_state,
    run,
)
from tests.synthesis.rotors import DATA, skate_with_rotor, start, two_rotors

# Gains are taken to make terms visible; most of them stabilise nothing, and the loops say so.
pytestmark = pytest.mark.filterwarnings("ignore::geoctrl.errors.LawWarning")


@pytest.fixture(scope="module", params=[1, 2, 3], ids=["E1", "E2", "E3"])
def axis(request):
    return request.param


# -- the law against equations by hand -----------------------------------------------------------------------


@pytest.mark.parametrize("gains", GAINS)
def test_both_loops_against_equations_with_multipliers(axis, gains, laws):
    law = laws(axis, gains)
    full, reduced = law.closed_loop(rotors=True), law.closed_loop()
    rng = np.random.default_rng(axis)
    for _ in range(4):
        x = random_skate(rng, *([rng.normal()] if gains == "both" else []))
        u, expected = by_hand(axis, gains, x)
        assert full.rhs(0.0, x)[:6] == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert law(0.0, x, rotors=True) == pytest.approx([u], rel=1e-9, abs=1e-10)
        z = reduced_state(law, axis, gains, x)
        rate = reduced.rhs(0.0, z)
        assert rate[:5] == pytest.approx(np.delete(expected, 3), rel=1e-9, abs=1e-9)
        assert law(0.0, z, rotors=False) == pytest.approx([u], rel=1e-9, abs=1e-10)
        # The further states move as the quantities that they stand for: J rho^{-1} pitilde' = u'.
        J, sigma = DATA[f"J{axis}"], SIGMA[axis]
        moved = {
            "momentum_theta": added(axis, gains, x) / (1 - J / sigma),
            "eta_theta": -KAPPA * eta(axis, gains, x),
        }
        for label, value in zip(reduced.state_labels[5:], rate[5:], strict=True):
            assert value == pytest.approx(moved[label], rel=1e-11, abs=1e-12), label
        if gains == "both":
            assert full.state_labels[6] == "integral_theta"
            assert full.rhs(0.0, x)[6] == pytest.approx(about(axis, x[:3], x[4:6]), rel=1e-14)


def test_the_states_are_those_that_are_needed(laws):
    """The skate's motion depends on the momentum of rotors about E2 and E3, not of one about the blade."""
    labels = {key: laws(*key).closed_loop().state_labels[5:] for key in ((1, "k"), (1, "kappa"), (1, "both"))}
    assert labels == {(1, "k"): (), (1, "kappa"): ("momentum_theta",), (1, "both"): ("eta_theta",)}
    assert laws(3, "k").closed_loop().state_labels[5:] == ("momentum_theta",)
    assert laws(3, "both").closed_loop().state_labels[5:] == ("momentum_theta", "eta_theta")
    assert "theta_dot" in laws(3, "k").closed_loop().output_labels
    assert "theta_dot" not in laws(1, "k").closed_loop().output_labels


def test_the_torque_on_the_rotor_opposes_the_falling_skate():
    """u = gamma N + (gamma - 1) K v1 with gamma = 1/(1 + sigma I1bar/J1^2): both gains positive."""
    law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=sp.Symbol("sigma", real=True))
    damped = law.with_damping(k=sp.Symbol("k", real=True), energy="maximum")
    p = {q.name: q.symbol for q in (*law.mechanism.parameters, *damped.gain_parameters)}
    inertia = p["I1"] + p["m"] * p["l"] ** 2
    gamma = 1 / (1 + p["sigma"] * inertia / p["J1"] ** 2)
    v1 = sp.Symbol("v1", real=True)
    assert sp.simplify(damped.expr[0] - law.expr[0] - (gamma - 1) * p["k"] * v1) == 0


# -- energy and momentum -------------------------------------------------------------------------------------


def energy_rate(loop, x, params=None):
    terms = loop.rate_terms([loop.assembly.energy])[0]
    return loop.program([loop.graph.add(terms)])(loop.arguments_at(0.0, x, None), loop.parameters(params))[0]


def body_with_rotors():
    return gc.models.get("body-with-rotors")()


PLANTS = {
    "E1": (lambda: skate_with_rotor(1), SIGMA[1], 0.37, 1.3),
    "E2": (lambda: skate_with_rotor(2), SIGMA[2], 0.37, 1.3),
    "E3": (lambda: skate_with_rotor(3), SIGMA[3], 0.37, 1.3),
    "two": (two_rotors, [[0.05, 0.01], [0.01, 0.09]], [[0.4, 0.1], [0.1, 0.7]], [0.8, 1.7]),
    "three": (
        body_with_rotors,
        np.diag([-0.01, -0.013, -0.02]),
        [[0.4, 0.1, 0.0], [0.1, 0.7, -0.2], [0.0, -0.2, 0.9]],
        0.6,
    ),
}


@pytest.mark.parametrize("regulated", [False, True], ids=["k", "both"])
@pytest.mark.parametrize("plant", [*list(PLANTS)[:-1], pytest.param("three", marks=pytest.mark.slow)])
def test_the_energy_changes_at_the_rate_of_the_damping(plant, regulated):
    make, sigma, k, kappa = PLANTS[plant]
    mechanism = make()
    law = gc.match(mechanism).law(sigma).with_damping(k=k, kappa=kappa if regulated else 0.0)
    loop = law.closed_loop()
    values = {p.symbol: p.default for p in mechanism.parameters}
    H, C = (
        np.array(m.subs(values), dtype=float) for m in (mechanism.rotors.inertia, mechanism.rotors.coupling)
    )
    s = mechanism.rotors.count
    full_k, full_kappa = (
        np.diag(np.broadcast_to(g, (s,))) if np.ndim(g) < 2 else np.array(g) for g in (k, kappa)
    )
    rng = np.random.default_rng(5)
    worst = 0.0
    for _ in range(8):
        x = loop.random_state(rng)
        y = np.linalg.solve(H, C.T @ loop.velocity(x))
        expected = -law.sign * y @ full_k @ y
        if regulated:
            expected += y @ full_kappa @ x[-s:]
        rate, size = energy_rate(loop, x), max(1.0, float(np.max(np.abs(loop.rhs(0.0, x)))))
        worst = max(worst, abs(rate - expected) / size)
        assert abs(energy_rate(loop, x) + expected) > 1e-6 * abs(expected)  # the other sign is not it
    assert worst < 1e-12


def test_the_controlled_energy_by_hand_along_the_plant(axis, laws):
    """Neither loop's own energy nor its field: energy typed by hand, accelerations with multipliers."""
    J, sigma = DATA[f"J{axis}"], SIGMA[axis]

    def energy(x):
        omega = about(axis, x[:3], x[4:6])
        return hand.energy(body(x), hand.locked(DATA)) + (J**2 / sigma - J) * omega**2 / 2

    rng = np.random.default_rng(20 + axis)
    for _ in range(5):
        x = random_skate(rng)
        _, rate = by_hand(axis, "k", x)
        found = np.imag(energy(x + 1e-30j * rate)) / 1e-30
        y = about(axis, x[:3], x[4:6])
        assert found == pytest.approx(-SIGN[axis] * K * y**2, rel=1e-9, abs=1e-10)
    assert laws(axis, "k").sign == SIGN[axis]


@pytest.mark.parametrize("gains", ["kappa", "both"])
def test_the_regulated_momentum_decays_exactly(axis, gains, laws):
    """Along the loop with rotor rates, where nothing says so: eta(t) = eta(0) exp(-kappa t)."""
    full = laws(axis, gains).closed_loop(rotors=True)
    x0 = np.insert(start(), 3, 4.0)
    x0 = np.append(x0, 0.3) if gains == "both" else x0
    times = np.linspace(0.0, 2.0, 21)
    path = run(full, x0, times)
    found = eta(axis, gains, path)
    assert abs(found[0]) > 0.02
    assert found == pytest.approx(found[0] * np.exp(-KAPPA * times), abs=1e-10)
    if gains == "kappa":
        momentum = controlled_momentum(axis, path)
        assert momentum == pytest.approx(momentum[0] * np.exp(-KAPPA * times), abs=1e-10)


@pytest.mark.parametrize("gains", GAINS)
def test_the_reduced_loop_is_the_one_with_rotor_rates(axis, gains, laws):
    law = laws(axis, gains)
    full, reduced = law.closed_loop(rotors=True), law.closed_loop()
    x0 = np.insert(start(), 3, 0.4)
    x0 = np.append(x0, 0.02) if gains == "both" else x0
    # Loops about E2 and E3 are unstable: rounding grows by e^(3 t) until they have turned over.
    times = np.linspace(0.0, 5.0 if axis == 1 else 2.0, 26)
    a, b = run(full, x0, times), run(reduced, reduced_state(law, axis, gains, x0), times)
    assert np.max(np.abs(b[:5] - body(a))) < 1e-9
    signals = dict(zip(reduced.output_labels, reduced.outputs(times, b), strict=True))
    torque = full.outputs(times, a)[full.output_labels.index("u_theta")]
    assert signals["u_theta"] == pytest.approx(torque, rel=1e-8, abs=1e-8)
    if "theta_dot" in signals:
        assert signals["theta_dot"] == pytest.approx(a[3], rel=1e-8, abs=1e-8)
    assert np.max(np.abs(torque)) > 1e-2  # there is something to compare


# -- stability ---------------------------------------------------------------------------------------------


def roll_polynomial(family, value, sigma, k):
    """s^2 + a s + b of roll in closed form: damped, with the controlled inertia about the blade."""
    p = hand.controlled(DATA, sigma)
    inertia = p["I1"] + p["m"] * p["l"] ** 2
    stiffness = -p["m"] * p["g"] * p["l"]
    if family == "spinning":
        stiffness += (p["I3"] + p["m"] * p["l"] ** 2 - p["I2"]) * value**2
    sign = np.sign(inertia)
    return [1.0, sign * k / inertia, stiffness / inertia]


FAST, SLOW = 5.4, 0.9
PLACES = {
    "sliding": ("sliding", 1.1, SIGMA[1]),
    "slow spin": ("spinning", SLOW, SIGMA[1]),
    "fast spin": ("spinning", FAST, 0.004),
    "fast spin, large gain": ("spinning", FAST, 2.5 * THRESHOLD),
}


@pytest.mark.parametrize("kappa", [0.0, KAPPA])
@pytest.mark.parametrize("place", PLACES)
def test_the_damped_loop_is_attracted_to_its_level_set(place, kappa):
    family, value, sigma = PLACES[place]
    law = gc.match(skate_with_rotor(1)).law(sigma).with_damping(k=K, kappa=kappa)
    assert law.sign == (1 if sigma > 0 or sigma < THRESHOLD else -1)
    loop = law.closed_loop()
    eq = loop.equilibrium(family, **{loop.families[family].names[0]: value})
    lin = gc.linearize(loop, eq)
    assert lin.zero_modes == ("C1", "C2")
    rest = lin.eigenvalues[2:]
    expected = [*np.roots(roll_polynomial(family, value, sigma, K)), *([-kappa] if kappa else [])]
    assert np.sort_complex(rest) == pytest.approx(np.sort_complex(np.array(expected)), rel=1e-9)
    assert np.max(rest.real) < -0.01
    # The energy is no invariant any more: the level sets of C1 and C2 attract.
    assert gc.certify(loop, eq).verdict is gc.Verdict.PROVED_STABLE
    assert not gc.check_invariant(loop, "energy").proved
    # The flipped gain, and the other sign, drive it away.
    for unstable, params in (
        (law, {"k": -K}),
        (law.with_damping(k=K, kappa=kappa, energy=other(law.sign)), None),
    ):
        away = unstable.closed_loop()
        assert np.max(gc.linearize(away, eq, params).eigenvalues.real) > 0.01
        assert gc.certify(away, eq, params).verdict is gc.Verdict.PROVED_UNSTABLE


def other(sign):
    return "maximum" if sign == 1 else "minimum"


def test_the_certificate_of_a_damped_loop_is_verified(tmp_path, laws):
    for params, verdict in (
        (None, gc.Verdict.PROVED_STABLE),
        ({"k": -K}, gc.Verdict.PROVED_UNSTABLE),
    ):
        for gains in ("k", "both"):
            loop = laws(1, gains).closed_loop()
            path = tmp_path / f"{gains}.json"
            gc.certify(loop, loop.equilibrium("sliding", Y0=1.1), params).to_json(path)
            assert gc.verify(path).verdict is verdict


def test_convergence_to_the_leaning_turn_of_the_level_set():
    """From (59), gamma = 10.87 and damping ratio 0.7: the one zero of N on the leaf, without a torque."""
    p = hand.DATA_73
    inertia = p["I1"] + p["m"] * p["l"] ** 2
    gamma = 1 / (1 + hand.SIGMA_73 * inertia / p["J1"] ** 2)
    stiffness = p["m"] * p["g"] * p["l"]
    gain = 1.4 * np.sqrt((gamma - 1) * stiffness * inertia)  # on the rate in u = gamma N + gain v1
    law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(hand.SIGMA_73)
    loop = law.with_damping(k=gain / (gamma - 1), kappa=1.0).closed_loop()
    lin = gc.linearize(loop, loop.equilibrium("sliding", Y0=1.0))
    rate = np.sqrt((gamma - 1) * stiffness / inertia)
    expected = [-1.0, *(rate * complex(-0.7, s * np.sqrt(1 - 0.49)) for s in (1, -1))]
    assert np.sort_complex(lin.eigenvalues[2:]) == pytest.approx(np.sort_complex(expected), rel=1e-9)
    assert expected[1].real == pytest.approx(-7.0787, abs=1e-4)
    traj = gc.simulate(loop, np.linspace(0, 40, 401), np.append(hand.start_59(), 0.2))
    end = traj.states[:, -1]
    assert np.arctan2(end[3], end[4]) == pytest.approx(-0.0158024, abs=1e-7)
    assert hand.numerator(end[:5], hand.locked(p)) == pytest.approx(0, abs=1e-9)
    assert abs(end[0]) < 1e-10
    assert abs(end[5]) < 1e-10
    assert abs(traj.outputs[traj.output_labels.index("u_theta"), -1]) < 1e-8
    assert traj.drift["C1"] < 1e-10
    assert traj.drift["C2"] < 1e-10
    assert "energy" not in traj.drift
    # It does not get there by itself: without damping the skate rolls on.
    free = gc.simulate(law.closed_loop(), np.linspace(0, 40, 401), hand.start_59())
    assert np.max(np.abs(free["v1"][-100:])) > 0.05


# -- a body in space: the momentum moves it -----------------------------------------------------------------


def gyrostat_polynomial(moments, spin, k):
    """Of the damped spin about axis 2, rotor about axis 3 with the controlled moment moments[2], by hand.

    Pi' = Pi x Omega with Pi = (m1 W1, m2 W2, m3 W3 + q), m3 W3' = (m1 - m2) W1 W2 - k W3, q' = k W3.
    """
    m1, m2, m3 = moments
    c = spin**2 * (m1 - m2) / m1
    return [1.0, k / m3, c * (m3 - m2) / m3, c * k / m3]


@pytest.mark.parametrize(("sigma", "sign", "stable"), [(-0.05, -1, True), (0.05, 1, False)])
def test_the_spin_about_the_middle_axis(sigma, sign, stable):
    """A controlled moment below zero makes the spin attracting; above zero, damping breaks what is stable."""
    mechanism = gc.models.get("body-with-rotor")(axis=3)
    law = gc.match(mechanism).law(sigma)
    p = mechanism.defaults
    moments = [p["I1"] + p["Jt"], p["I2"] + p["Jt"], p["I3"] + p["J"] ** 2 / sigma]
    held = law.closed_loop()
    assert gc.certify(held, held.equilibrium("about2", Omega0=1.3)).verdict is gc.Verdict.PROVED_STABLE
    damped = law.with_damping(k=0.4)
    assert damped.sign == sign
    expected = np.roots(gyrostat_polynomial(moments, 1.3, sign * 0.4))
    for rotors in (False, True):
        loop = damped.closed_loop(rotors=rotors)
        eq = loop.equilibrium("about2", Omega0=1.3)
        lin = gc.linearize(loop, eq)
        assert lin.zero_modes == ("Pi1**2 + Pi2**2 + Pi3**2",)
        assert np.sort_complex(lin.eigenvalues[1:]) == pytest.approx(np.sort_complex(expected), rel=1e-8)
        verdict = gc.Verdict.PROVED_STABLE if stable else gc.Verdict.PROVED_UNSTABLE
        assert gc.certify(loop, eq).verdict is verdict
    if stable:
        loop = damped.closed_loop()
        end = gc.simulate(loop, np.linspace(0, 150, 301), [0.15, 1.3, -0.1, 0.02]).states[:, -1]
        assert np.abs(end[[0, 2, 3]]) == pytest.approx(0, abs=1e-8)
        assert loop.invariants(end).keys() == {"Pi1**2 + Pi2**2 + Pi3**2"}


def test_rates_about_the_damped_axis_are_no_equilibria():
    law = gc.match(gc.models.get("body-with-rotor")(axis=3)).law(-0.05).with_damping(k=0.4)
    with pytest.raises(gc.EquilibriumError, match="not an equilibrium"):
        law.closed_loop().equilibrium("about3", Omega0=1.0)
