"""Damping of matched laws: rates of energy and momentum, both loops, equations typed by hand, convergence."""

import pickle

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import geoctrl as gc
from tests.literature import skate_by_hand as hand
from tests.synthesis.rotors import DATA, full_rhs, skate_with_rotor, start, two_rotors

ROLL = DATA["I1"] + DATA["m"] * DATA["l"] ** 2
THRESHOLD = -(DATA["J1"] ** 2) / ROLL
SIGMA = {1: 0.6 * THRESHOLD, 2: -0.031, 3: 0.052}
SIGN = {1: -1, 2: 1, 3: 1}
K, KAPPA = 0.37, 1.3
GAINS = {"k": {"k": K}, "kappa": {"kappa": KAPPA}, "both": {"k": K, "kappa": KAPPA}}


@pytest.fixture(scope="module", params=[1, 2, 3], ids=["E1", "E2", "E3"])
def axis(request):
    return request.param


@pytest.fixture(scope="module")
def laws():
    """Laws by axis and gains, each made once."""
    kept = {}

    def law(axis, gains):
        if axis not in kept:
            kept[axis] = gc.match(skate_with_rotor(axis)).law(SIGMA[axis])
        if (axis, gains) not in kept:
            kept[axis, gains] = kept[axis].with_damping(**GAINS[gains])
        return kept[axis, gains]

    return law


def run(system, x0, times, params=None):
    found = solve_ivp(
        lambda t, x: system.rhs(t, x, None, params),
        times[[0, -1]],
        x0,
        t_eval=times,
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
    )
    assert found.success
    return found.y


def random_skate(rng, *further):
    """A state of the skate on its leaf with a rotor rate and further states."""
    tilt = rng.uniform(-1, 1)
    return np.array([*rng.normal(size=4), np.sin(tilt), np.cos(tilt), *further])


def body(x):
    """The five states of the skate."""
    return np.concatenate([x[:3], x[4:6]])


def about(axis, v, gamma):
    """Rate of the body about the rotor's axis: v1 E1 + v2 Gamma."""
    return {1: v[0], 2: v[1] * gamma[0], 3: v[1] * gamma[1]}[axis]


def shifted(axis, x):
    """J rho^{-1} pitilde = J (thetadot + (1 - J/sigma) Omega_axis), by hand."""
    J, sigma = DATA[f"J{axis}"], SIGMA[axis]
    return J * (x[3] + (1 - J / sigma) * about(axis, x[:3], x[4:6]))


def controlled_momentum(axis, x):
    J, sigma = DATA[f"J{axis}"], SIGMA[axis]
    return shifted(axis, x) / J * (J / (1 - J / sigma))


def eta(axis, gains, x):
    """The regulated quantity by hand, from a state of the loop with rotor rates."""
    integral = SIGN[axis] * K * x[6] if gains == "both" else 0.0
    return shifted(axis, x) - integral


def added(axis, gains, x):
    """u' by hand."""
    y = about(axis, x[:3], x[4:6])
    damping = SIGN[axis] * K * y if "k" in GAINS[gains] else 0.0
    return damping - (KAPPA * eta(axis, gains, x) if "kappa" in GAINS[gains] else 0.0)


def reduced_state(law, axis, gains, x):
    """The state of the reduced loop that belongs to one with rotor rates."""
    further = {"momentum_theta": controlled_momentum(axis, x), "eta_theta": eta(axis, gains, x)}
    labels = law.closed_loop().state_labels[5:]
    return np.array([*body(x), *(further[label] for label in labels)])


def by_hand(axis, gains, x):
    """(torque, rates of skate and rotor): the torque makes the accelerations that it is made of."""
    J, sigma = DATA[f"J{axis}"], SIGMA[axis]
    gamma = np.array([0.0, x[4], x[5]])

    def rates(u):
        vdot, rotor, gammadot = full_rhs(x[:3], x[3], gamma, u, axis)
        omega = {1: vdot[0], 2: vdot[1] * x[4] + x[1] * gammadot[1], 3: vdot[1] * x[5] + x[1] * gammadot[2]}
        return np.array([*vdot, rotor, *gammadot[1:]]), J**2 / sigma * omega[axis]

    # Affine in u: the fixed point u = J^2/sigma d(omega)/dt + u' from two evaluations.
    (_, free), (_, pushed) = rates(0.0), rates(1.0)
    u = (free + added(axis, gains, x)) / (1 - (pushed - free))
    return u, rates(u)[0]


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
    # The energy is no invariant any more and the zeros of C1 and C2 remain: no proof by either method.
    assert gc.certify(loop, eq).verdict is gc.Verdict.SPECTRALLY_STABLE_ONLY
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
        (None, gc.Verdict.SPECTRALLY_STABLE_ONLY),
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
        verdict = gc.Verdict.SPECTRALLY_STABLE_ONLY if stable else gc.Verdict.PROVED_UNSTABLE
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


# -- gains ---------------------------------------------------------------------------------------------------


def test_zero_gains_are_the_law_itself():
    law = gc.match(skate_with_rotor(1)).law(SIGMA[1])
    assert law.with_damping() is law
    assert law.with_damping(k=0, kappa=[0.0]) is law
    damped = law.with_damping(k=K)
    assert damped.with_damping() is law
    assert damped.with_damping(kappa=KAPPA).gain_parameters[-1].name == "kappa"
    x = start()
    rest = damped.closed_loop().rhs(0.0, x, params={"k": 0.0})
    assert rest == pytest.approx(law.closed_loop().rhs(0.0, x), rel=1e-13)
    assert damped(0.0, x, {"k": 0.0}) == pytest.approx(law(0.0, x), rel=1e-13)


def test_symbols_stay_parameters():
    law = gc.match(skate_with_rotor(1)).law(SIGMA[1])
    symbolic = law.with_damping(k=sp.Symbol("d", positive=True), kappa=sp.Symbol("rate"))
    loop, x = symbolic.closed_loop(), np.append(start(), 0.1)
    assert loop.params["d"] is None
    with pytest.raises(gc.ParameterError, match="rate"):
        loop.rhs(0.0, x, params={"d": K})
    fixed = law.with_damping(k=K, kappa=KAPPA)
    numbers = {"d": K, "rate": KAPPA}
    assert loop.rhs(0.0, x, params=numbers) == pytest.approx(fixed.closed_loop().rhs(0.0, x), rel=1e-14)
    assert symbolic(0.0, x, numbers) == pytest.approx(fixed(0.0, x), rel=1e-14)
    # Without a number for sigma nothing says what the energy has.
    open_law = law.matching.law(sp.Symbol("sigma", real=True))
    with pytest.raises(gc.MatchingError, match="energy="):
        open_law.with_damping(k=K)
    family = open_law.with_damping(k=K, energy="maximum").closed_loop()
    assert family.rhs(0.0, start(), params={"sigma": SIGMA[1]}) == pytest.approx(
        law.with_damping(k=K).closed_loop().rhs(0.0, start()), rel=1e-13
    )
    # Without damping there is no sign to be found.
    assert open_law.with_damping(kappa=KAPPA).closed_loop().nstates == 6


def test_gains_of_two_rotors():
    law = gc.match(two_rotors()).law([[0.05, 0.01], [0.01, 0.09]])
    names = {
        "one": [p.name for p in law.with_damping(k=0.3).gain_parameters[3:]],
        "diagonal": [p.name for p in law.with_damping(k=[0.3, 0.0], kappa=0.5).gain_parameters[3:]],
        "matrix": [p.name for p in law.with_damping(k=[[0.3, 0.1], [0.1, 0.2]]).gain_parameters[3:]],
    }
    assert names == {"one": ["k"], "diagonal": ["k1", "kappa"], "matrix": ["k11", "k12", "k22"]}
    assert law.with_damping(k=0.3).k == sp.eye(2) * sp.Symbol("k", real=True)


@pytest.mark.parametrize(
    ("gains", "message"),
    [
        ({"k": -0.1}, "negative"),
        ({"kappa": -1e-3}, "kappa must not be negative"),
        ({"k": float("nan")}, "finite"),
        ({"kappa": float("inf")}, "finite"),
        ({"k": 1 + 2j}, "real"),
        ({"k": [0.1, 0.2]}, "1 entries"),
        ({"k": [[0.1, 0.0], [0.0, 0.2]]}, "1 x 1"),
        ({"k": "0.1"}, "number"),
        ({"k": True}, "number"),
        ({"k": None}, "number"),
        ({"k": sp.Symbol("J1")}, "J1"),
        ({"k": sp.Symbol("sigma")}, "sigma"),
        ({"k": sp.Symbol("a"), "kappa": sp.Symbol("a")}, "'a'"),
        ({"k": 2 * sp.Symbol("a")}, "plain symbols"),
        ({"k": 0.1, "energy": "max"}, "minimum"),
    ],
)
def test_bad_gains_are_refused(gains, message):
    law = gc.match(skate_with_rotor(1)).law(SIGMA[1])
    with pytest.raises(gc.MatchingError, match=message):
        law.with_damping(**gains)


@pytest.mark.parametrize(
    ("k", "message"),
    [
        ([[0.1, 0.3], [0.3, 0.2]], "semidefinite"),
        ([[0.1, 0.02], [0.01, 0.2]], "symmetric"),
        ([0.1, -0.2], "semidefinite"),
        ([0.1, 0.2, 0.3], "2 entries"),
        ([[0.1, 0.2]], "2 x 2"),
        ([[sp.Symbol("a"), 0.1], [0.1, -0.2]], "semidefinite"),
    ],
)
def test_bad_matrices_are_refused(k, message):
    law = gc.match(two_rotors()).law([[0.05, 0.01], [0.01, 0.09]])
    with pytest.raises(gc.MatchingError, match=message):
        law.with_damping(k=k)


def test_an_inertia_of_both_signs_has_no_sign_for_the_damping():
    """About E2 the controlled inertia changes its sign with the tilt; of two rotors each may have its own."""
    law = gc.match(skate_with_rotor(2)).law(-0.002)
    with pytest.raises(gc.MatchingError, match="both signs"):
        law.with_damping(k=K)
    assert law.with_damping(k=K, energy="minimum").sign == 1
    mechanism = gc.models.get("body-with-rotors")()
    law = gc.match(mechanism).law(np.diag([-0.01, 0.5, 0.5]))
    with pytest.raises(gc.MatchingError, match="both signs"):
        law.with_damping(k=0.2)
    assert law.with_damping(k=[0.2, 0.0, 0.0]).sign == -1
    assert law.with_damping(k=[0.0, 0.2, 0.3]).sign == 1


def test_the_momentum_cannot_be_held(laws):
    law = laws(3, "k")
    assert law.closed_loop(momentum=0.0) is law.closed_loop()
    for bad in (0.1, [0.1], np.nan):
        with pytest.raises(ValueError, match="momentum"):
            law.closed_loop(momentum=bad)


# -- like any law --------------------------------------------------------------------------------------------


def test_the_law_takes_states_of_both_loops(laws):
    law = laws(1, "k")
    x = np.insert(start(), 3, 0.7)
    assert law(0.0, x) == pytest.approx(law(0.0, start()), rel=1e-13)
    assert law(0.0, np.stack([x, x], axis=1)).shape == (1, 2)
    # Where both loops have as many states, the reduced one is meant.
    law = laws(1, "kappa")
    z = reduced_state(law, 1, "kappa", x)
    assert law(0.0, z) == pytest.approx(law(0.0, x, rotors=True), rel=1e-11)
    assert abs(law(0.0, x) - law(0.0, x, rotors=True)) > 1e-3
    with pytest.raises(ValueError, match="shape"):
        law(0.0, x[:4])
    with pytest.raises(gc.ParameterError, match="kapp"):
        law(0.0, x, {"kapp": 1.0})


def test_it_can_be_pickled_and_shown(laws):
    law = laws(1, "both")
    x = np.append(start(), 0.1)
    assert np.array_equal(pickle.loads(pickle.dumps(law))(0.0, x), law(0.0, x))
    assert "maximum" in repr(law)
    assert "u_theta" in repr(law)
    assert "energy" not in repr(laws(1, "kappa"))
    assert isinstance(law, gc.DampedLaw)
    assert law.warnings == ()


@pytest.mark.parametrize("gains", GAINS)
def test_the_controller_for_python_control(gains, laws):
    control = pytest.importorskip("control")
    law = laws(1, gains)
    block = law.to_control()
    full = law.closed_loop(rotors=True)
    x = np.insert(start(), 3, 0.7)
    own = np.array([0.2]) if gains == "both" else np.zeros(0)
    seen = start() if gains == "k" else x
    assert isinstance(block, control.NonlinearIOSystem)
    assert tuple(block.input_labels) == full.state_labels[:6] if gains != "k" else block.ninputs == 5
    assert block.nstates == own.size
    torque = full.outputs(0.0, np.append(x, own))[full.output_labels.index("u_theta")]
    assert block.output(0.0, own, seen) == pytest.approx([torque], rel=1e-12)
    if gains == "both":
        assert block.dynamics(0.0, own, seen) == pytest.approx([x[0]], rel=1e-14)


def test_equations_can_be_printed(laws):
    text = laws(1, "both").closed_loop().latex()
    assert "eta" in text
    assert "integral" in laws(1, "both").closed_loop(rotors=True).latex()
    assert "eta_theta" in str(laws(1, "both").closed_loop().equations())
