"""Matching of actuated directions: laws against the plant, thresholds, damping, what cannot be matched."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import InputError, MatchingError, ParameterError
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.solutions.commuting_solution import Abelian

pytestmark = pytest.mark.filterwarnings("ignore:.*these gains hold no family")

POSITION = {"kappa": 20, "rho": -0.02, "K": -0.6}
"""Gains of the specification's checks, in the notation of Bloch, Leonard and Marsden."""


def cart(**changes):
    return gc.models.get("cart-pendulum")(**changes)


def spun_body(coupling, rotor_inertia, **more):
    """A body with unequal moments and rotors; locked inertia is positive definite with what is used here."""
    return gc.EulerPoincare(
        algebra=gc.so3(),
        inertia=sp.diag(sp.Rational(29, 10), sp.Rational(21, 10), sp.Rational(12, 10)),
        rotors=gc.Rotors(coupling=coupling, inertia=rotor_inertia),
        name="body with rotors",
        **more,
    )


def apart(law, seed=0, count=20):
    """Largest relative difference of the controlled Lagrangian's motion and the plant's under the law."""
    lagrangian, plant = law.controlled.system, law.full
    rng, worst = np.random.default_rng(seed), 0.0
    params = lagrangian.mechanism.generic
    for _ in range(count):
        x = lagrangian.random_state(rng, params)
        expected = lagrangian.rhs(0.0, x, params=params)
        found = plant.rhs(0.0, x, params=params)
        worst = max(worst, np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
    return worst


def growth(loop, family):
    eq = loop.equilibrium(family)
    return gc.linearize(loop, eq).eigenvalues.real.max(), gc.certify(loop, eq).verdict


@pytest.mark.parametrize(
    ("coupling", "inertia"),
    [
        (sp.Matrix([0, 0, sp.Rational(1, 5)]), sp.Matrix([[sp.Rational(1, 5)]])),
        (
            sp.Matrix([[sp.Rational(1, 5), 0], [0, sp.Rational(1, 7)], [0, sp.Rational(1, 9)]]),
            sp.diag(1, 2) / 5,
        ),
    ],
)
def test_a_coupling_that_is_not_closed_needs_a_gyroscopic_force(coupling, inertia):
    """With F the loop is the plant's; without it nothing is matched."""
    plant = Plant.of(spun_body(coupling, inertia))
    shaping = Abelian(plant, "kinetic")
    assert not shaping.closed
    s = inertia.rows
    Lambda, rho = inertia * sp.Rational(7, 3), inertia * sp.Rational(-1, 4)
    found = shaping.lagrangian(Lambda, rho)
    found.require_matched()
    assert found.force is not None
    assert sp.expand(sp.Matrix(found.force).dot(sp.Matrix(plant.mechanism.algebra.xi))) == 0
    with pytest.raises(MatchingError, match="remainder"):
        replace(found, force=None).require_matched()
    with pytest.raises(MatchingError, match="not closed"):
        shaping.lagrangian(Lambda, rho, added=sum(sp.Symbol(n, real=True) ** 2 for n in shaping.names))
    assert len(shaping.names) == s


@pytest.mark.long(reason="a coupling that is not closed needs a gyroscopic force in the test before")
def test_two_rotors_of_which_the_coupling_varies_with_the_attitude():
    """Whole matrices of gains; with C != 0 a gyroscopic force, which alone makes it the plant's motion."""
    R, up = sp.Rational, gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    g1, g2, g3 = up.symbols
    coupling = sp.Matrix([[R(1, 5) + g3 / 7, g2 / 9], [g1 * g3 / 6, R(1, 7)], [0, R(1, 9) - g1 / 8]])
    inertia = sp.diag(1, 2) / 5
    body = spun_body(coupling, inertia, advected=[up], potential=R(3, 2) * g3 + g1**2 / 3)
    matching = gc.match(body, shaping="kinetic", gains="matrices")
    assert apart(matching.law(Lambda=[[0.9, 0.1], [0.1, 0.7]])) < 1e-12
    mixed = matching.shaping.lagrangian(inertia * R(7, 3), inertia * R(-1, 4))
    mixed.require_matched()
    with pytest.raises(MatchingError, match="remainder"):
        replace(mixed, force=None).require_matched()


def test_wrong_signs_are_no_matching(monkeypatch):
    shaping = Abelian(Plant.of(cart()), "both")
    mixing = Abelian.mixing
    monkeypatch.setattr(Abelian, "mixing", lambda self, Lambda, rho: -mixing(self, Lambda, rho))
    with pytest.raises(MatchingError, match="remainder"):
        shaping.proved(
            {g.name: g.symbol for g in shaping.gains}, tuple(gc.Parameter(g.name) for g in shaping.gains)
        )


@pytest.mark.parametrize(
    ("name", "threshold"), [("cart-pendulum", "M/m"), ("spherical-pendulum-on-puck", "M/m")]
)
@pytest.mark.parametrize("shaping", ["kinetic", "both"])
def test_kappa_above_the_ratio_of_masses(name, threshold, shaping):
    """[Bloch, Leonard, Marsden 2000]: kappa > M/m, as text, as interval, and proved on both sides."""
    matching = gc.match(gc.models.get(name)(), shaping=shaping)
    design = matching.design("upright")
    M, m = (p.symbol for p in matching.mechanism.parameters[:2])
    kappa = matching.gains["kappa"]
    assert design.bounds["kappa"] == (kappa > M / m)
    assert str(design.bounds["kappa"]) == f"kappa > {threshold}"
    values = matching.mechanism.defaults
    edge = values["M"] / values["m"]
    others = {} if shaping == "kinetic" else {"rho": -0.02, "K": -0.6}
    for factor, verdict in ((1 - 1e-6, gc.Verdict.PROVED_UNSTABLE), (1 + 1e-6, gc.Verdict.PROVED_STABLE)):
        loop = matching.law(kappa=edge * factor, **others).closed_loop()
        assert gc.certify(loop, loop.equilibrium("upright")).verdict is verdict
    assert design.contains(kappa=1.01 * edge, **others)
    assert design.contains(kappa=0.99 * edge, **others) is False


@pytest.mark.parametrize(
    ("gains", "rate"),
    [
        ({"kappa": 0.999 * 0.44 / 0.14}, 940),
        ({"rho": 0.02}, 2.2),
        ({"K": 0.6}, 14),
        ({"rho": 0.02, "K": 0.6}, 9.1),
    ],
)
def test_wrong_gains_of_the_cart_fall_as_fast_as_they_should(gains, rate):
    loop = gc.match(cart(), shaping="both").law(**{**POSITION, **gains}).closed_loop()
    found, verdict = growth(loop, "upright")
    assert found == pytest.approx(rate, rel=0.02)
    assert verdict is gc.Verdict.PROVED_UNSTABLE


def test_skate_with_a_rotor_holds_its_position():
    """z = theta + C phi: stable for kappa > (I1 + m l^2)/J1 with rho < 0 and K < 0."""
    mechanism = gc.models.get("pendulum-skate-rotor")()
    v = mechanism.defaults
    edge = (v["I1"] + v["m"] * v["l"] ** 2) / v["J1"]
    matching = gc.match(mechanism, shaping="both")
    rates = []
    for factor in (0.999, 1.001):
        loop = matching.law(kappa=edge * factor, rho=-0.02, K=-0.6).closed_loop()
        eq = loop.equilibrium("spinning", Omega0=0.0)
        rates.append(gc.linearize(loop, eq).eigenvalues.real.max())
    assert rates[0] > 100
    assert rates[1] < 1e-6


@pytest.mark.long(reason="kappa is above the ratio of masses of a cart beside it")
def test_base_of_a_top_thresholds_of_both_axes():
    """kappa > max(I1, I2)/mu - 1 with mu = (m l)^2/(m + M); between the two it is worse than without."""
    mechanism = gc.models.get("top-on-movable-base")(pushed=True)
    v = mechanism.defaults
    mu = (v["m"] * v["l"]) ** 2 / (v["m"] + v["M"])
    matching = gc.match(mechanism, shaping="both")
    assert v["I1"] > v["I2"]
    for moment, side, stable in (("I1", 1e-6, True), ("I1", -1e-6, False), ("I2", -1e-6, False)):
        loop = matching.law(kappa=v[moment] / mu * (1 + side) - 1, rho=-0.02, K=-0.6).closed_loop()
        eq = loop.equilibrium("upright")
        rate = gc.linearize(loop, eq).eigenvalues.real.max()
        assert (rate < 1e-5) if stable else (rate > 50)
    (side,) = loop.domain.values()  # of thousands of characters, told by its beginning
    assert len(str(side.relation)) > 1000 > 400 > len(side.words)


@pytest.fixture(scope="module")
def vehicle():
    return gc.models.get("underwater-vehicle")(centres="coincident", rotors=True)


def vehicle_growth(inertias, masses, speed):
    """Of motion along the third axis, by Kirchhoff: Pi' = Pi x Omega + P x Y, P' = P x Omega."""
    (a, b), (m1, m2, m3) = inertias, masses
    matrix = np.zeros((4, 4))  # Omega1, Omega2, Y1, Y2 about Y3 = speed
    matrix[0, 3], matrix[1, 2] = (m2 - m3) * speed / a, (m3 - m1) * speed / b
    matrix[2, 1], matrix[3, 0] = -m3 * speed / m1, m3 * speed / m2
    return np.linalg.eigvals(matrix).real.max()


@pytest.mark.parametrize(("axis", "other"), [(1, 2), (2, 1)])
def test_rotors_hold_a_vehicle_along_its_axis_of_least_mass(vehicle, axis, other):
    """Each axis by its own threshold, Lambda_ii = J_i + R_i, where the inertia left turns negative."""
    p = vehicle.defaults
    matching = gc.match(vehicle, shaping="kinetic", gains="diagonal")
    enough = {f"Lambda{other}{other}": 1.3 * (p[f"J{other}"] + p[f"R{other}"])}
    for factor, stable in ((1 - 1e-6, False), (1 + 1e-6, True)):
        edge = p[f"J{axis}"] + p[f"R{axis}"]
        gains = {**enough, f"Lambda{axis}{axis}": factor * edge}
        loop = matching.law(**gains).loop
        eq = loop.equilibrium("along3", Y0=1.3, Omega0=0.0)
        left = [p[f"J{i}"] + p[f"R{i}"] - gains[f"Lambda{i}{i}"] for i in (1, 2)]
        expected = vehicle_growth(left, [p[f"M{i}"] for i in (1, 2, 3)], 1.3)
        assert bool(expected < 1e-6) is stable
        assert gc.linearize(loop, eq).eigenvalues.real.max() == pytest.approx(expected, rel=1e-5, abs=1e-5)
        verdict = gc.certify(loop, eq).verdict
        assert verdict is (gc.Verdict.PROVED_STABLE if stable else gc.Verdict.PROVED_UNSTABLE)


def test_one_gain_holds_the_vehicle_beyond_the_larger_ratio(vehicle):
    p = vehicle.defaults
    eq = vehicle.reduce().equilibrium("along3", Y0=1.0, Omega0=0.0)
    assert gc.certify(vehicle.reduce(), eq).verdict is gc.Verdict.PROVED_UNSTABLE
    design = gc.match(vehicle, shaping="kinetic").design(eq)
    edge = max(p["J1"] / p["R1"], p["J2"] / p["R2"])
    assert design.contains(kappa=edge * (1 + 1e-6))
    assert not design.contains(kappa=edge * (1 - 1e-6))
    assert float(sp.Rational(str(edge))) == pytest.approx(10.4)


@pytest.mark.parametrize(("rate0", "edge"), [(0.0, 49.0), (-0.011, 59.0)])
def test_wheels_hold_a_satellite_that_gravity_would_turn_away(rate0, edge):
    """n (J2 - J1) + h2 + kappa J_w n > 0, h2 = J_w (rate0 + n), up to the moment that changes its sign."""
    satellite = gc.models.get("magnetic-satellite")(field="none")
    loop = gc.match(satellite, shaping="kinetic").law(kappa=1.0).loop
    v, params = satellite.defaults, {"J1": 170.0}
    assert edge == pytest.approx((params["J1"] - v["J2"]) / v["J_w"] - 1 - rate0 / v["n"], abs=1e-9)
    for kappa, stable in ((edge, True), (v["J2"] / v["J_w"], False)):
        for side in (-1e-6, 1e-6):
            numbers = {**params, "kappa": kappa * (1 + side)}
            eq = loop.equilibrium("pointing", numbers, rate0=rate0)
            assert (gc.certify(loop, eq, numbers).verdict is gc.Verdict.PROVED_STABLE) == (
                (side > 0) == stable
            )
            assert gc.certify(loop, eq, numbers).verdict in (
                gc.Verdict.PROVED_STABLE,
                gc.Verdict.PROVED_UNSTABLE,
            )


def test_frequencies_choose_gains():
    design = gc.match(cart(), shaping="both").design("upright")
    gains = design.recommend(frequencies=(3, 8))
    found = np.sort(np.abs(design.eigenvalues(**gains).imag))
    np.testing.assert_allclose(found, [3, 3, 8, 8], rtol=1e-9)
    assert design.contains(**gains)
    assert design.feasible
    assert design.reason == ""


@pytest.mark.long(reason="test_pitfalls.py lets the cart fall by friction")
def test_the_published_gains_are_near_the_edge_of_what_friction_allows():
    """kappa 20, rho -.02, K -.6 with injection .5: a margin of 5e-4; gains by frequencies are far better."""
    matching = gc.match(cart(), shaping="both")
    margins = []
    for gains in (POSITION, matching.design("upright").recommend(frequencies=(3, 8))):
        best = max(
            -gc.linearize(loop, loop.equilibrium("upright")).eigenvalues.real.max()
            for k in (0.05, 0.2, 0.5, 1.0, 2.0)
            for loop in [matching.law(**gains).with_damping(k=k).closed_loop()]
        )
        margins.append(best)
    assert 0 < margins[0] < 5e-3
    assert margins[1] > 0.1


def test_damped_loops_bring_the_position_home():
    matching = gc.match(cart(), shaping="both")
    law = matching.law(**matching.design("upright").recommend()).with_damping(k=0.5)
    loop = law.closed_loop()
    eq = loop.equilibrium("upright")
    assert gc.certify(loop, eq).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    traj = gc.simulate(loop, np.linspace(0, 150, 301), loop.state(phi=0.2, z=0.1, x_dot=0.1))
    assert np.max(np.abs(traj.states[:, -1])) < 1e-2
    assert np.max(np.abs(traj.states[:, 0])) > 0.09


@pytest.mark.parametrize(("k", "sense"), [(0.5, 1), (1.3, 1)])
def test_the_controlled_energy_falls_as_the_damping_says(k, sense):
    """dE_c/dt = -K |y|^2 along the plant with the law, E_c with a minimum."""
    matching = gc.match(cart(), shaping="both")
    law = matching.law(**POSITION).with_damping(k=k)
    system, made = law.full, law.controlled
    rate = system.graph.add(system.rate_terms([system.expression(law.energy)])[0])
    y = made.system.program(made.passive_output)
    rng = np.random.default_rng(4)
    for _ in range(10):
        x = system.random_state(rng)
        (found,) = system.program([rate])(system.arguments_at(0, x, None), system.parameters(None))
        (output,) = y(made.system.arguments_at(0, x, None), made.system.parameters(None))
        assert found == pytest.approx(-sense * k * output**2, rel=1e-9, abs=1e-10)


def test_the_wrong_sign_of_damping_destabilises():
    matching = gc.match(cart(), shaping="both")
    for energy, stable in (("minimum", True), ("maximum", False)):
        loop = matching.law(**POSITION).with_damping(k=0.5, energy=energy).closed_loop()
        rate = gc.linearize(loop, loop.equilibrium("upright")).eigenvalues.real.max()
        assert (rate < 0) == stable


def test_kinetic_shaping_is_damped_modulo_the_position():
    loop = gc.match(cart()).law(kappa=20).with_damping(k=0.1).closed_loop()
    values = gc.linearize(loop, loop.equilibrium("upright")).eigenvalues
    assert np.sum(np.abs(values) < 1e-9) == 1
    assert np.sort(values.real)[1] < -0.05


def test_friction_makes_the_loop_that_of_the_plant():
    """Feedforward compensates no friction: the loop is the plant with the law, and may fall."""
    rubbing = cart().replace(friction=[gc.Friction([[0, 1]], viscous=sp.Rational(1, 10**4))])
    matching = gc.match(rubbing, shaping="both")
    loop = matching.law(**POSITION).closed_loop()
    rate = gc.linearize(loop, loop.equilibrium("upright")).eigenvalues.real.max()
    assert rate == pytest.approx(6e-4, rel=0.2)
    assert gc.certify(loop, loop.equilibrium("upright")).verdict is gc.Verdict.PROVED_UNSTABLE


def test_the_law_in_all_its_forms():
    matching = gc.match(cart(), shaping="both")
    law = matching.law(**POSITION)
    loop = law.closed_loop()
    assert loop.state_labels == ("x_dot", "phi_dot", "phi", "z")
    assert loop.output_labels == ("u",)
    x = np.array([0.3, -0.4, 0.2, 0.7])
    u = law(0.0, x)
    numbers = dict(zip(loop.states, x, strict=True))
    assert float(law.numeric()["u"].subs(numbers)) == pytest.approx(u[0], rel=1e-12)
    known = numbers | {p.symbol: p.default for p in law.controlled.parameters}
    assert float(law.expr[0].subs(known)) == pytest.approx(u[0], rel=1e-12)
    assert loop.outputs(0.0, x)[0] == pytest.approx(u[0], rel=1e-12)
    many = law(0.0, np.column_stack([x, 2 * x]))
    assert many.shape == (1, 2)
    controller = law.to_control()
    assert controller.input_labels == list(loop.state_labels)
    symbolic = matching.law(kappa=sp.Symbol("kappa", real=True), rho=-0.02, K=-0.6)
    np.testing.assert_allclose(symbolic(0.0, x, {"kappa": 20}), u)
    assert "ShapedLaw for cart-pendulum" in repr(law)
    assert "kappa" in repr(matching)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: gc.match(cart(), shaping="all"), InputError, "shaping"),
        (lambda: gc.match(cart().replace(inputs=[], forces=None)), MatchingError, "actuated directions"),
        (
            lambda: gc.match(cart().replace(forces=[sp.Symbol("u", real=True) ** 2, 0])),
            MatchingError,
            "nonlinear",
        ),
        (
            lambda: gc.match(
                cart().replace(forces=[sp.Symbol("u", real=True) * sp.cos(sp.Symbol("phi", real=True)), 0])
            ),
            MatchingError,
            "depend on phi",
        ),
        (lambda: gc.match(cart(), shaping="both").law(kappa=2), MatchingError, "rho, K"),
        (lambda: gc.match(cart()).law(kapa=2), MatchingError, "kappa"),
        (lambda: gc.match(cart()).law(kappa="2"), MatchingError, "text"),
        (lambda: gc.match(cart()).law(kappa=float("nan")), MatchingError, "kappa"),
        (lambda: gc.match(cart()).law(kappa=1j), MatchingError, "kappa"),
        (lambda: gc.match(cart()).law(kappa=sp.Symbol("M", real=True)), MatchingError, "taken"),
        (lambda: gc.match(cart()).design("sideways"), ParameterError, "upright"),
        (lambda: gc.match(cart()).law(kappa=20).with_damping(k=-1), MatchingError, "k must"),
        (lambda: gc.match(cart()).law(kappa=20).with_damping(k=1, energy="low"), InputError, "minimum"),
        (
            lambda: gc.match(cart()).law(kappa=sp.Symbol("kappa", real=True)).with_damping(k=1),
            MatchingError,
            "energy=",
        ),
        (
            lambda: gc.match(cart(), shaping="both").design("upright").recommend(frequencies=(8, 3)),
            MatchingError,
            "increasing",
        ),
        (
            lambda: Abelian(
                Plant.of(cart().replace(parameters=[*cart().parameters, gc.Parameter("kappa", 1.0)])),
                "kinetic",
            ),
            MatchingError,
            "kappa",
        ),
        (lambda: gc.ShapedMatching(cart(), "abelian"), TypeError, "take match"),
        (
            lambda: gc.ShapedLaw(Abelian(Plant.of(cart()), "kinetic"), cart(), {}, [1]),
            TypeError,
            "parameters",
        ),
    ],
)
def test_bad_input(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_two_inputs_on_one_velocity_and_none():
    u, w = sp.symbols("u w", real=True)
    with pytest.raises(MatchingError, match="independent"):
        gc.match(cart().replace(forces=[u + w, 0], inputs=["u", "w"]))


def test_an_input_that_moves_nothing():
    """A force along the normal of a constraint does no work."""
    algebra = gc.rn(2)
    mechanism = gc.EulerPoincare(
        algebra=algebra,
        inertia=sp.diag(2, 3),
        constraints={"wall": [0, 1]},
        forces=[0, sp.Symbol("u", real=True)],
        inputs=["u"],
    )
    with pytest.raises(MatchingError, match="moves nothing"):
        gc.match(mechanism)


def test_a_driven_velocity_in_a_row_kept_by_a_multiplier_is_refused():
    """Its force would enter the balance along w, which the proof does not see."""
    x, y, phi = (gc.Coordinate(n) for n in ("x", "y", "phi"))
    v = sp.Matrix([x.rate, y.rate, phi.rate])
    G = sp.Matrix([[5, 0, 2], [0, 3, 0], [2, 0, 7]])
    held = gc.EulerPoincare(
        shape=[x, y, phi],
        lagrangian=(v.T * G * v)[0] / 2 + sp.cos(phi.symbol),
        constraints={"slot": [sp.cos(phi.symbol), sp.sin(phi.symbol), 0]},
        forces=[sp.Symbol("u", real=True), 0, 0],
        inputs=["u"],
    )
    assert held.reduce().frame.rows is not None
    with pytest.raises(MatchingError, match="kept by a multiplier"):
        Abelian(Plant.of(held), "kinetic")


def test_other_types_of_numbers_are_the_same_gains():
    matching = gc.match(cart())
    for value in (np.int64(20), np.float32(20), sp.Integer(20), sp.Rational(20)):
        assert matching.law(kappa=value).gain_parameters[0].default == 20


@pytest.mark.parametrize(
    ("name", "options", "shaping", "gains", "title"),
    [
        ("furuta-pendulum", {}, "kinetic", {"Delta"}, "inertia added"),
        ("furuta-pendulum", {}, "both", {"delta", "m22", "K"}, "one unactuated"),
        ("ball-and-beam", {}, "both", {"p", "m22", "K"}, "one unactuated"),
        ("acrobot", {}, "both", {"b", "m22", "K"}, "one unactuated"),
        ("underwater-vehicle", {"thrusters": True}, "kinetic", {"mu", "nu"}, "inertia added"),
    ],
)
def test_each_mechanism_finds_its_class(name, options, shaping, gains, title):
    matching = gc.match(gc.models.get(name)(**options), shaping=shaping)
    assert set(matching.gains) == gains
    assert title in matching.shaping.title
    assert all(matching.refused.values())


def test_a_direction_may_be_given():
    """For the wheel any constant one: it is that of the class by itself."""
    wheel = gc.models.get("inertia-wheel-pendulum")()
    v = wheel.defaults
    total = v["I"] + v["J"]
    matching = gc.match(wheel, shaping="both", direction=[-1.5 * total / v["J"]])
    assert set(matching.gains) == {"m22", "K"}
    law = matching.law(m22=-10 * v["J"], K=-0.1)
    assert apart(law) < 1e-12


@pytest.mark.long(reason="damped loops of the cart come home beside it, and each class is damped")
@pytest.mark.parametrize(
    ("name", "family", "k"), [("ball-and-beam", "level", 0.1), ("furuta-pendulum", "upright", 1e-3)]
)
def test_damped_loops_of_other_classes_attract(name, family, k):
    matching = gc.match(gc.models.get(name)(), shaping="both")
    law = matching.law(**matching.design(family).recommend())
    loop = law.closed_loop()
    assert gc.certify(loop, loop.equilibrium(family)).verdict is gc.Verdict.PROVED_STABLE
    damped = law.with_damping(k=k).closed_loop()
    verdict = gc.certify(damped, damped.equilibrium(family)).verdict
    assert verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def test_what_no_input_reaches_is_said():
    """Two equal pendula on one cart: their difference is out of its reach."""
    x, a, b = (gc.Coordinate(n, angle=n != "x") for n in ("x", "a", "b"))
    kinetic = 2 * x.rate**2 + (a.rate**2 + b.rate**2) / 2
    kinetic += x.rate * (sp.cos(a.symbol) * a.rate + sp.cos(b.symbol) * b.rate)
    twins = gc.EulerPoincare(
        shape=[x, a, b],
        lagrangian=kinetic - 10 * (sp.cos(a.symbol) + sp.cos(b.symbol)),
        forces=[sp.Symbol("u", real=True), 0, 0],
        inputs=["u"],
        equilibria={"upright": gc.Family({})},
    )
    design = gc.match(twins).design("upright")
    assert design.feasible is not True
    assert design.obstruction is not None
    assert "no input reaches" in design.reason or "reach" in design.reason


def test_gains_that_hold_nothing_are_told():
    matching = gc.match(cart(), shaping="both")
    with pytest.warns(gc.LawWarning, match="upright"):
        matching.law(kappa=20, rho=0.02, K=0.6).closed_loop()
    assert matching.law(**POSITION).warnings == ()


def test_the_law_ends_where_it_is_singular():
    """cos^2 phi = (M + m)/((1 + kappa) m)."""
    loop = gc.match(cart(), shaping="both").law(**POSITION).closed_loop()
    v = loop.params
    edge = np.arccos(np.sqrt((v["M"] + v["m"]) / (21 * v["m"])))
    start = loop.state(phi=0.9 * edge, phi_dot=5.0)
    traj = gc.simulate(loop, np.linspace(0, 2, 201), start)
    assert "regular" in traj.status
    assert abs(traj["phi"][-1]) == pytest.approx(edge, abs=0.02)


def test_integral_action_withstands_a_constant_force():
    """A slope pulls at the cart: with damping alone it stays away from home, with the integral not."""
    matching = gc.match(cart(), shaping="both")
    gains = matching.design("upright").recommend(frequencies=(1.5, 4.0))
    law = matching.law(**gains)
    force = sp.Rational(1, 5)
    away = []
    for integral in (0, 0.02):
        held = law.with_damping(k=0.7, integral=integral)
        loop = held.closed_loop()
        verdict = gc.certify(loop, loop.equilibrium("upright")).verdict
        assert verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
        pushed = loop.mechanism.replace(forces=[loop.mechanism.forces[0] + force, 0]).reduce()
        traj = gc.simulate(pushed, np.linspace(0, 400, 401), pushed.state(phi=0.05))
        away.append(abs(traj["z"][-1]))
        x = loop.random_state(np.random.default_rng(2))
        np.testing.assert_allclose(held(0.0, x), loop.outputs(0.0, x), rtol=1e-12)
    assert away[0] > 0.1
    assert away[1] < 1e-3
    with pytest.raises(MatchingError, match="positions"):
        gc.match(cart()).law(kappa=20).with_damping(k=0.1, integral=1.0)


@pytest.mark.parametrize("kappa", [1.0, 3.5, 6.0])
def test_a_pushed_base_is_a_lighter_one_and_the_sleeping_top_flips_so(kappa):
    """At zero momentum the top moves as on a base with m + M by 1 + kappa: I1c = I1 - (1 + kappa) mu.

    Asleep it is then stable for I3^2 Omega0^2 > 4 I1c m g l, and always where I1c < 0.
    """
    numbers = {"m": 0.5, "M": 4.0, "l": 0.6, "g": 9.81, "I1": 0.1, "I2": 0.1, "I3": 0.05}
    mu = (numbers["m"] * numbers["l"]) ** 2 / (numbers["m"] + numbers["M"])
    lighter = (numbers["m"] + numbers["M"]) / (1 + kappa) - numbers["m"]
    pushed = gc.match(gc.models.get("top-on-movable-base")(pushed=True)).law(kappa=kappa).loop
    plain = gc.models.get("top-on-movable-base")().replace(indefinite=True).reduce()
    light = numbers | {"M": lighter}
    rng = np.random.default_rng(8)
    turn = rng.normal(size=3)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    carried = numbers["m"] * numbers["l"] / (numbers["m"] + numbers["M"]) * (R @ np.cross(turn, [0, 0, 1]))
    x = pushed.state(
        params=numbers,
        Omega=turn,
        Y1=-(1 + kappa) * carried[0],
        Y2=-(1 + kappa) * carried[1],
        a=R[0],
        b=R[1],
        Gamma=R[2],
    )
    y = plain.state(params=light, Omega=turn, Gamma=R[2])
    np.testing.assert_allclose(
        pushed.rhs(0.0, x, params=numbers)[:3], plain.rhs(0.0, y, params=light)[:3], rtol=1e-9, atol=1e-12
    )
    I1c = numbers["I1"] - (1 + kappa) * mu
    weight = numbers["m"] * numbers["g"] * numbers["l"]
    if I1c < 0:
        speeds = {0.0: gc.Verdict.PROVED_STABLE, 5.0: gc.Verdict.PROVED_STABLE}
    else:
        edge = (4 * I1c * weight) ** 0.5 / numbers["I3"]
        speeds = {edge * (1 - 1e-6): gc.Verdict.PROVED_UNSTABLE, edge * (1 + 1e-6): gc.Verdict.PROVED_STABLE}
    for speed, verdict in speeds.items():
        eq = plain.equilibrium("sleeping", params=light, Omega0=speed)
        assert gc.certify(plain, eq, light).verdict is verdict
