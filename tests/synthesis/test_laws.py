"""Feedback laws: the reduced loop, the full rotor model, and equations with multipliers typed by hand."""

import pickle
import warnings

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import geoctrl as gc
from tests.literature import skate_by_hand as hand
from tests.synthesis.rotors import DATA, full_rhs, skate_with_rotor, start

# Gains are taken to make terms visible; most of them stabilise nothing, and the loops say so.
pytestmark = pytest.mark.filterwarnings("ignore::geoctrl.errors.LawWarning")

SIGMA = {1: 0.6 * -(DATA["J1"] ** 2) / (DATA["I1"] + DATA["m"] * DATA["l"] ** 2), 2: -0.031, 3: 0.052}
T = 20.0


@pytest.fixture(scope="module", params=[1, 2, 3], ids=["E1", "E2", "E3"])
def setting(request):
    mechanism = skate_with_rotor(request.param)
    matching = gc.match(mechanism)
    return request.param, mechanism.reduce(), matching.law(SIGMA[request.param])


def run(system, x0, times):
    found = solve_ivp(
        lambda t, x: system.rhs(t, x),
        times[[0, -1]],
        x0,
        t_eval=times,
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
    )
    assert found.success
    return found.y


def body(x):
    """State without the rotor rate."""
    return np.delete(x, 3, axis=0)


def controlled_momentum(axis, x, sigma):
    """(50) with (52): rho (thetadot + (1 - J/sigma) Omega_axis), by hand."""
    J = DATA[f"J{axis}"]
    omega = {1: x[0], 2: x[1] * x[4], 3: x[1] * x[5]}[axis]
    rho = J / (1 - J / sigma)
    return rho * (x[3] + (1 - J / sigma) * omega)


# -- the law -----------------------------------------------------------------------------------------------


def test_the_law_is_the_corrected_56():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    sigma = sp.Symbol("sigma", real=True)
    law = gc.match(mechanism).law(sigma=sigma)
    p = {q.name: q.symbol for q in mechanism.parameters}
    x = law.closed_loop().states
    locked = {k: p[k] for k in ("m", "l", "g")} | {f"I{i}": p[f"I{i}"] + p[f"J{i}"] for i in (1, 2, 3)}
    N = hand.numerator(x, locked)
    inertia = p["I1"] + p["m"] * p["l"] ** 2
    gain = p["J1"] ** 2 / sigma
    assert sp.simplify(law.expr[0] - gain * N / (inertia + gain)) == 0
    assert sp.simplify(law.expr[0] - gain * N / inertia) != 0  # as printed
    unlocked = hand.numerator(x, {k: p[k] for k in hand.NAMES})
    assert sp.simplify(law.expr[0] - gain * unlocked / (inertia + gain)) != 0  # moments without the rotor's
    assert sp.simplify(law.matching.rho[0, 0] - p["J1"] / (1 - p["J1"] / sigma)) == 0
    assert law.momentum_matters is False


def test_the_law_against_equations_with_multipliers(setting):
    """u = G d/dt(tau xi), the accelerations made by the torque itself: a fixed point of the plant by hand."""
    axis, _, law = setting
    rng = np.random.default_rng(axis)
    J, sigma = DATA[f"J{axis}"], SIGMA[axis]
    for _ in range(5):
        tilt = rng.uniform(-1, 1)
        x = np.array([*rng.normal(size=3), rng.normal(), np.sin(tilt), np.cos(tilt)])
        pitilde = controlled_momentum(axis, x, sigma)
        u = float(law(0.0, x, momentum=pitilde)[0])
        Gamma = np.array([0, x[4], x[5]])
        vdot, _, Gammadot = full_rhs(x[:3], x[3], Gamma, u, axis)
        rate = {1: vdot[0], 2: vdot[1] * x[4] + x[1] * Gammadot[1], 3: vdot[1] * x[5] + x[1] * Gammadot[2]}[
            axis
        ]
        assert u == pytest.approx(J**2 / sigma * rate, rel=1e-9, abs=1e-11)
        # Negative control: half the torque is no fixed point.
        vdot, _, Gammadot = full_rhs(x[:3], x[3], Gamma, u / 2, axis)
        rate = {1: vdot[0], 2: vdot[1] * x[4] + x[1] * Gammadot[1], 3: vdot[1] * x[5] + x[1] * Gammadot[2]}[
            axis
        ]
        assert abs(u / 2 - J**2 / sigma * rate) > 1e-3 * abs(u)


def test_the_law_takes_reduced_and_full_states(setting):
    _, _, law = setting
    x = np.array([0.3, -0.4, 0.9, np.sin(0.3), np.cos(0.3)])
    full = np.insert(x, 3, 0.7)
    assert law(0.0, x) == pytest.approx(law(0.0, full), rel=1e-14)
    assert law(0.0, x).shape == (1,)
    assert law(0.0, np.stack([x, x], axis=1)).shape == (1, 2)
    values = dict(zip(law.closed_loop().states, x, strict=True))
    values |= {p.symbol: DATA[p.name] for p in law.mechanism.parameters}
    values |= {p.symbol: p.default for p in law.gain_parameters}
    assert float(law.expr[0].subs(values)) == pytest.approx(float(law(0.0, x)[0]), rel=1e-10)
    with pytest.raises(ValueError, match="shape"):
        law(0.0, x[:4])
    with pytest.raises(gc.ParameterError, match="mass"):
        law(0.0, x, {"mass": 1.0})


def test_sigma_as_a_symbol_is_a_parameter_of_the_loop():
    matching = gc.match(skate_with_rotor(1))
    law = matching.law(sigma=sp.Symbol("gain", real=True))
    loop = law.closed_loop()
    assert loop.params["gain"] is None
    x = start()
    with pytest.raises(gc.ParameterError, match="gain"):
        loop.rhs(0.0, x)
    with pytest.raises(gc.ParameterError, match="gain"):
        law(0.0, x)
    assert law.warnings == ()
    fixed = matching.law(sigma=SIGMA[1])
    assert loop.rhs(0.0, x, params={"gain": SIGMA[1]}) == pytest.approx(
        fixed.closed_loop().rhs(0.0, x), rel=1e-14
    )
    assert law(0.0, x, {"gain": SIGMA[1]}) == pytest.approx(fixed(0.0, x), rel=1e-14)
    # A number may be overridden too.
    other = fixed.closed_loop().rhs(0.0, x, params={"sigma": 2 * SIGMA[1]})
    assert other == pytest.approx(matching.law(2 * SIGMA[1]).closed_loop().rhs(0.0, x), rel=1e-13)
    assert other[0] != pytest.approx(fixed.closed_loop().rhs(0.0, x)[0], rel=1e-3)
    with pytest.raises(gc.MatchingError, match="J1"):
        matching.law(sigma=sp.Symbol("J1", real=True))


# -- the loops ---------------------------------------------------------------------------------------------


def test_loops_agree_pointwise(setting):
    """Reduced loop, full loop, plant with u = law, equations by hand: at random states, with any momentum."""
    axis, plant, law = setting
    full = law.closed_loop(rotors=True)
    rng = np.random.default_rng(10 + axis)
    sigma = SIGMA[axis]
    assert full.state_labels == plant.state_labels == ("v1", "v2", "v3", "theta_dot", "Gamma2", "Gamma3")
    for _ in range(4):
        tilt = rng.uniform(-1, 1)
        x = np.array([*rng.normal(size=4), np.sin(tilt), np.cos(tilt)])
        pitilde = controlled_momentum(axis, x, sigma)
        u = law(0.0, x, momentum=pitilde)
        by_hand = full_rhs(x[:3], x[3], np.array([0, x[4], x[5]]), float(u[0]), axis)
        expected = np.array([*by_hand[0], by_hand[1], *by_hand[2][1:]])
        assert plant.rhs(0.0, x, u) == pytest.approx(expected, rel=1e-10, abs=1e-11)
        assert full.rhs(0.0, x) == pytest.approx(expected, rel=1e-10, abs=1e-11)
        reduced = law.closed_loop(momentum=pitilde)
        assert reduced.rhs(0.0, body(x)) == pytest.approx(body(expected), rel=1e-9, abs=1e-10)
        signals = dict(zip(reduced.output_labels, reduced.outputs(0.0, body(x)), strict=True))
        assert signals["u_theta"] == pytest.approx(float(u[0]), rel=1e-9, abs=1e-11)
        assert signals["theta_dot"] == pytest.approx(x[3], rel=1e-9)
        assert full.outputs(0.0, x)[full.output_labels.index("u_theta")] == pytest.approx(
            float(u[0]), rel=1e-10
        )


@pytest.mark.parametrize("momentum", [0.0, 0.04])
def test_loops_agree_over_twenty_seconds(setting, momentum):
    axis, _, law = setting
    reduced, full = law.closed_loop(momentum=momentum), law.closed_loop(rotors=True)
    x0 = start()
    rate = dict(zip(reduced.output_labels, reduced.outputs(0.0, x0), strict=True))["theta_dot"]
    start_full = np.insert(x0, 3, rate)
    assert controlled_momentum(axis, start_full, SIGMA[axis]) == pytest.approx(momentum, abs=1e-14)
    # Unstable loops (rotors about E2, E3 cannot stabilise sliding) turn over and stay bounded: rounding grows
    # by e^(3 t) until then.
    times = np.linspace(0, T if axis == 1 else 4.0, 41)
    a, b = run(reduced, x0, times), run(full, start_full, times)
    assert a == pytest.approx(body(b), abs=1e-7)
    signals = dict(zip(reduced.output_labels, reduced.outputs(times, a), strict=True))
    assert signals["theta_dot"] == pytest.approx(b[3], abs=1e-6 * max(1, np.max(np.abs(b[3]))))
    torque = full.outputs(times, b)[full.output_labels.index("u_theta")]
    assert signals["u_theta"] == pytest.approx(torque, abs=1e-6 * max(1, np.max(np.abs(torque))))
    assert np.max(np.abs(torque)) > 1e-3  # there is something to compare


def test_a_wrong_initial_rotor_rate(setting):
    """It changes nothing in the skate's motion for a rotor about the blade, and does for the others."""
    axis, _, law = setting
    full = law.closed_loop(rotors=True)
    times = np.linspace(0, 2.0, 9)
    paths = [body(run(full, np.insert(start(), 3, rate), times)) for rate in (0.0, 3.0)]
    apart = np.max(np.abs(paths[0] - paths[1]))
    assert law.momentum_matters == (axis != 1)
    if axis == 1:
        assert apart < 1e-9
    else:
        assert apart > 1e-3


def test_the_loops_keep_their_invariants(setting):
    axis, _, law = setting
    full, reduced = law.closed_loop(rotors=True), law.closed_loop(momentum=0.04)
    for name in ("controlled_energy", "momentum_theta", "C1"):
        assert gc.check_invariant(full, name).proved, name
    assert not gc.check_invariant(full, "energy").proved  # the torque works
    assert gc.check_invariant(reduced, "energy").proved
    assert gc.check_invariant(reduced, "C1").proved
    x = np.insert(start(), 3, 0.9)
    assert full.invariants(x)["momentum_theta"] == pytest.approx(
        controlled_momentum(axis, x, SIGMA[axis]), rel=1e-12
    )
    J, sigma = DATA[f"J{axis}"], SIGMA[axis]
    omega = {1: x[0], 2: x[1] * x[4], 3: x[1] * x[5]}[axis]
    energy = hand.energy(body(x), hand.locked(DATA)) + (J**2 / sigma - J) * omega**2 / 2
    assert full.invariants(x)["controlled_energy"] == pytest.approx(energy, rel=1e-12)
    assert reduced.energy(body(x)) == pytest.approx(energy, rel=1e-12)


def test_the_loop_about_the_blade_is_the_skate_with_other_moments():
    """(57), over the printed vector field (38)."""
    law = gc.match(skate_with_rotor(1)).law(SIGMA[1])
    loop = law.closed_loop()
    p = hand.controlled(DATA, SIGMA[1])
    rng = np.random.default_rng(4)
    for _ in range(5):
        tilt = rng.uniform(-1.3, 1.3)
        x = np.array([*rng.normal(size=3), np.sin(tilt), np.cos(tilt)])
        assert loop.rhs(0.0, x) == pytest.approx(hand.rhs(x, p), rel=1e-12, abs=1e-13)
    assert set(loop.families) == {"sliding", "spinning"}
    assert loop.equilibrium("sliding", Y0=1.1).residual == 0


def test_momentum_is_checked(setting):
    _, _, law = setting
    for bad in (np.nan, np.inf, [0.1, 0.2]):
        with pytest.raises(ValueError, match="momentum"):
            law.closed_loop(momentum=bad)


# -- gains ---------------------------------------------------------------------------------------------------


def test_bounds_for_sliding_are_symbolic():
    mechanism = skate_with_rotor(1)
    matching = gc.match(mechanism)
    J1, I1, m, l = (sp.Symbol(n, positive=True) for n in ("J1", "I1", "m", "l"))  # noqa: E741
    for eq in ("sliding", mechanism.equilibrium("sliding", Y0=1.4)):
        design = matching.design_sigma(eq)
        lower, upper = design.bounds
        assert sp.simplify(lower + J1**2 / (I1 + m * l**2)) == 0
        assert upper == 0
        assert design.feasible
        assert design.reason == ""
        threshold = -(DATA["J1"] ** 2) / (DATA["I1"] + DATA["m"] * DATA["l"] ** 2)
        assert design.contains(threshold * (1 - 1e-6))
        assert not design.contains(threshold * (1 + 1e-6))
        assert design.contains(-1e-12)
        assert not design.contains(1e-6)
        with pytest.raises(gc.MatchingError):
            design.contains(0.0)


@pytest.mark.slow
def test_a_numerical_point_has_numerical_bounds():
    """A leaning turn that I1 alone decides: the interval's end against the sign of the roll inertia."""
    mechanism = skate_with_rotor(1)
    loop = gc.match(mechanism).law(SIGMA[1]).closed_loop()
    x = hand.leaning_turn(0.2, 1.3, hand.locked(DATA))
    assert loop.rhs(0.0, x) == pytest.approx(0, abs=1e-13)
    design = gc.match(mechanism).design_sigma(x)
    lower, upper = design.bounds
    threshold = -(DATA["J1"] ** 2) / (DATA["I1"] + DATA["m"] * DATA["l"] ** 2)
    assert design.feasible
    # 1e-6: near the threshold the roll inertia nearly vanishes, and floats stop at their stated tolerances.
    assert lower == pytest.approx(threshold, rel=1e-4)
    assert upper == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("axis", [2, 3])
def test_other_axes_are_unable_and_say_why(axis):
    design = gc.match(skate_with_rotor(axis)).design_sigma("sliding")
    assert design.feasible is False
    assert design.bounds is None
    assert "unstable mode" in design.reason
    assert "g*l*m" in design.reason
    assert "no gain" in design.reason
    for sigma in (-1.0, -1e-3, 1e-3, 1.0):
        assert design.contains(sigma) is False
    assert "none" in repr(design)


def test_a_law_is_made_without_a_warning_and_its_loop_says_once_that_it_will_fall():
    matching = gc.match(skate_with_rotor(1))
    threshold = -(DATA["J1"] ** 2) / (DATA["I1"] + DATA["m"] * DATA["l"] ** 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        inside, outside = matching.law(0.5 * threshold), matching.law(1.5 * threshold)
        assert inside.warnings == ()
        (warning,) = outside.warnings
    assert isinstance(warning, gc.LawWarning)
    assert "sliding" in str(warning)
    assert "sigma" in str(warning)
    # The loop can be built nevertheless: one may want to see it fall.
    with pytest.warns(gc.LawWarning, match="sliding") as told:
        assert outside.closed_loop().rhs(0.0, start()).shape == (5,)
    assert [w.filename for w in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outside.closed_loop()
        outside.closed_loop(rotors=True)
        outside.with_damping(k=0.1, energy="minimum").closed_loop()
        inside.closed_loop()
    with pytest.warns(gc.LawWarning, match="sliding"):
        matching.law(1.5 * threshold).with_damping(k=0.1, energy="minimum").closed_loop(rotors=True)


def test_bad_places_raise():
    matching = gc.match(skate_with_rotor(1))
    with pytest.raises(gc.ParameterError, match="sliding"):
        matching.design_sigma("slidding")
    with pytest.raises(gc.ParameterError, match="mass"):
        matching.design_sigma("sliding").contains(-1e-3, {"mass": 2.0})


def test_a_law_that_was_called_can_be_pickled():
    law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-1e-5)
    x = [0.1, 0.2, 0.9, np.sin(0.1), np.cos(0.1)]
    before = law(0.0, x)
    assert np.array_equal(pickle.loads(pickle.dumps(law))(0.0, x), before)


@pytest.mark.parametrize("sigma", ["a", None, 1 + 0j, float("nan")])
def test_a_gain_that_is_no_number_is_refused(sigma):
    matching = gc.match(gc.models.get("pendulum-skate-rotor")())
    with pytest.raises(gc.MatchingError, match="sigma"):
        matching.law(sigma=sigma)


def test_two_rotors_that_break_the_known_invariants_are_open_not_infeasible():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    J1, J3 = (p.symbol for p in mechanism.parameters if p.name in ("J1", "J3"))
    coupling = sp.zeros(6, 2)
    coupling[0, 0], coupling[2, 1] = J1, J3
    rotors = gc.Rotors(coupling=coupling, inertia=sp.diag(J1, J3), names=["a", "b"])
    loop = gc.match(mechanism.replace(rotors=rotors)).law(sigma=np.diag([-1e-5, 1e-3])).closed_loop()
    # C2 is lost, since the second rotor changes I3; the integral over the shape takes its place.
    assert "C2" in loop.dropped_invariants
    certificate = gc.certify(loop, loop.equilibrium("sliding", Y0=1.0))
    assert certificate.verdict is gc.Verdict.PROVED_STABLE
    assert certificate.evidence["shape_integrals"]


@pytest.mark.long(
    reason="test_gain_matrices.py gives three rotors gains of their own, and loops agree pointwise beside it"
)
def test_a_body_with_three_rotors():
    """Both loops are made and are one motion; the body's angular momentum with the rotors' is conserved."""
    mechanism = gc.models.get("body-with-rotors")()
    law = gc.match(mechanism).law(sigma=np.diag([-0.01, 0.03, -0.02]))
    assert [p.name for p in law.gain_parameters] == ["sigma11", "sigma22", "sigma33"]
    full = law.closed_loop(rotors=True)
    x = np.array([0.3, 1.1, -0.4, 7.0, -3.0, 5.0])
    rates = full.rhs(0.0, x)
    # By hand: the torques move the rotors, and body and rotors together have no moment.
    numbers = {p.name: p.default for p in mechanism.parameters}
    inertia, J = (np.array([numbers[f"{letter}{k}"] for k in (1, 2, 3)]) for letter in "IJ")
    total, change = (inertia + J) * x[:3] + J * x[3:], (inertia + J) * rates[:3] + J * rates[3:]
    assert change == pytest.approx(np.cross(total, x[:3]), rel=1e-11)
    # pitilde = rho (thetadot + (1 - J/sigma) Omega), rho = 1/(1/J - 1/sigma), for diagonal sigma.
    sigma = np.array([p.default for p in law.gain_parameters])
    momentum = (x[3:] + (1 - J / sigma) * x[:3]) / (1 / J - 1 / sigma)
    assert J * (rates[:3] + rates[3:]) == pytest.approx(law(0.0, x, momentum=momentum), rel=1e-10)
    assert law(0.0, x, momentum=momentum) == pytest.approx(J**2 / sigma * rates[:3], rel=1e-10)
    assert {"controlled_energy", *(f"momentum_{k}" for k in law.rotors.names)} <= set(full.conserved())
    assert law.closed_loop(momentum=momentum).rhs(0.0, x[:3]) == pytest.approx(rates[:3], rel=1e-10)
