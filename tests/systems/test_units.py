"""Units of a description: found, checked, changed."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.systems.units.si_units import Unit, read_unit, scaled_text

g9 = 9.81
PHI = gc.Coordinate("phi", angle=True)
m, l, g = gc.Parameter("m", 2.0, "kg"), gc.Parameter("l", 0.25, "m"), gc.Parameter("g", 10.0, "m/s^2")  # noqa: E741


def pendulum(potential, *parameters, **rest):
    return gc.EulerPoincare(
        shape=[PHI],
        inertia=[[m.symbol * l.symbol**2]],
        potential=potential,
        parameters=[m, l, *parameters],
        **rest,
    )


# -- texts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "powers"),
    [
        ("kg m^2", {"kg": 1, "m": 2}),
        ("N s/m", {"kg": 1, "s": -1}),
        ("V/m", {"kg": 1, "m": 1, "s": -3, "A": -1}),
        ("C m²", {"A": 1, "s": 1, "m": 2}),
        ("J/(kg K)", {"m": 2, "s": -2, "K": -1}),
        ("1/s^2", {"s": -2}),
        ("rad/s", {"s": -1}),
        ("kg*m**2/s/s", {"kg": 1, "m": 2, "s": -2}),
        ("m^(1/2)", {"m": Fraction(1, 2)}),
        ("m s⁻¹", {"m": 1, "s": -1}),
        ("T", {"kg": 1, "s": -2, "A": -1}),
        ("", {}),
        ("1/1000 kg", {2: -3, 5: -3, "kg": 1}),
        ("0.5 m", {2: -1, "m": 1}),
        ("g mm^2", {2: -9, 5: -9, "kg": 1, "m": 2}),
        ("kN/cm", {2: 5, 5: 5, "kg": 1, "s": -2}),
        ("µs", {2: -6, 5: -6, "s": 1}),
        ("cd mol", {"cd": 1, "mol": 1}),
    ],
)
def test_texts_are_read(text, powers):
    assert read_unit(text, "q") == Unit(powers)
    assert read_unit(str(read_unit(text, "q")), "q") == Unit(powers)


@pytest.mark.parametrize(
    "text", ["kgm2", "m/s kg", "kkg", "m^", "m/", "(m", "m)", "deg", "kg m^2.5", "0 kg", "5"]
)
def test_texts_that_are_not_read_are_refused_with_the_name(text):
    with pytest.raises(gc.UnitsError, match="'width'"):
        read_unit(text, "the parameter 'width'")


def test_a_parameter_of_unread_unit_is_named():
    bad = pendulum(
        m.symbol * gc.Parameter("a", 9.81, "ms-2").symbol * l.symbol, gc.Parameter("a", 9.81, "ms-2")
    )
    with pytest.raises(gc.UnitsError, match="the parameter 'a' is not read: 'ms-2'"):
        gc.check_units(bad)


def test_numbers_in_front_are_multiplied():
    assert scaled_text("kg m^2", Fraction(1, 1000)) == "g m^2"
    assert scaled_text("1/1000 kg", Fraction(1000)) == "kg"
    assert scaled_text("g mm^2", Fraction(1, 1000)) == "mg mm^2"
    assert scaled_text("g mm^2", Fraction(10**9)) == "kg m^2"
    assert scaled_text("m^2", Fraction(1, 1000)) == "1/1000 m^2"
    assert scaled_text("N s/m", Fraction(1, 20)) == "1/20 N s/m"


# -- sums -------------------------------------------------------------------------------------------


def test_a_literal_acceleration_is_found_out():
    good = pendulum(m.symbol * g.symbol * l.symbol * sp.cos(PHI.symbol), g)
    gc.check_units(good)
    assert good.reduce().units() == {"phi_dot": "rad/s", "phi": "rad"}
    bad = pendulum(g9 * m.symbol * l.symbol * sp.cos(PHI.symbol))
    with pytest.raises(gc.DescriptionError, match=r"Lagrangian.* is in kg m\^2/s\^2|N m.*is in kg m"):
        gc.check_units(bad)


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"invariants": {"strange": m.symbol + l.symbol}}, "the invariant 'strange'"),
        ({"outputs": {"y": PHI.symbol + l.symbol}}, "the output 'y'"),
        ({"forces": ["u * l"], "inputs": ["u"]}, ""),
        ({"equilibria": {"up": gc.Family({"phi": l.symbol})}}, "phi of the family 'up'"),
        ({"friction": [gc.Friction([1], m.symbol)]}, "the force along phi_dot"),
        ({"domain": {"near": PHI.symbol < m.symbol}}, "the side 'near' of the domain"),
    ],
)
def test_every_part_of_a_description_is_looked_at(wrong, place):
    if not place:
        u = sp.Symbol("u", real=True)
        thrust = pendulum(m.symbol * g.symbol * l.symbol, g, forces=[u * l.symbol], inputs=["u"])
        assert thrust.reduce().units()["u"] == "kg m/s^2" or thrust.reduce().units()["u"] == "N"
        return
    with pytest.raises(gc.UnitsError, match=place):
        gc.check_units(pendulum(m.symbol * g.symbol * l.symbol * sp.cos(PHI.symbol), g, **wrong))


def test_arguments_of_functions_are_numbers():
    with pytest.raises(
        gc.UnitsError, match=r"where cos takes a number: .*phi.* is in m, and a number is in 1"
    ):
        gc.check_units(pendulum(m.symbol * g.symbol * l.symbol * sp.cos(l.symbol * PHI.symbol), g))


def test_parameters_without_unit_are_found():
    w = gc.Parameter("w", 3.0)
    s = pendulum(-m.symbol * l.symbol**2 * w.symbol**2 * sp.cos(PHI.symbol), w)
    gc.check_units(s)
    _, change = s.in_units(time=10)
    assert change.parameters["w"] == Fraction(1, 10)
    free = pendulum(m.symbol * g.symbol * l.symbol * sp.cos(PHI.symbol), g, w)
    with pytest.raises(gc.UnitsError, match="the unit of 'w' is not determined"):
        free.in_units(time=10)


def test_units_of_two_systems_do_not_go_together():
    gram = gc.Parameter("m", 2000.0, "0.001 kg")
    millimetre = gc.Parameter("l", 250.0, "0.001 m")
    second = gc.Parameter("g", 10.0, "m/s^2")
    potential = m.symbol * g.symbol * l.symbol * sp.cos(PHI.symbol)
    inertia = [[m.symbol * l.symbol**2]]
    mixed = gc.EulerPoincare(
        shape=[PHI], inertia=inertia, potential=potential, parameters=[gram, millimetre, second], leaf=[]
    )
    gc.check_units(mixed)  # of time 0.0316 s: one system, if a strange one
    kilogram = gc.Parameter("M", 1.0, "kg")
    two = mixed.replace(
        parameters=[gram, millimetre, second, kilogram],
        potential=potential + kilogram.symbol * g.symbol * l.symbol,
    )
    with pytest.raises(gc.UnitsError, match="the parameter 'M' in kg belongs to another system"):
        gc.check_units(two)


def test_of_numbers_alone_nothing_is_compared():
    numbers = gc.EulerPoincare(shape=[PHI], inertia=[[2.0]], potential=g9 * sp.cos(PHI.symbol))
    gc.check_units(numbers)
    assert numbers.reduce().units() == {"phi_dot": "rad/s", "phi": "rad"}
    with pytest.raises(gc.UnitsError, match="no parameter has a unit"):
        numbers.in_units(mass=2)


def test_references_that_have_a_unit():
    """Gravity as the vector itself: its components are accelerations."""
    G, I = gc.AdvectedVector("G", reference=(0, 0, Fraction(981, 100))), gc.Parameter("I", 3.0, "kg m^2")  # noqa: E741
    top = gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[G],
        inertia=sp.diag(I.symbol, I.symbol, I.symbol),
        potential=m.symbol * l.symbol * G.symbols[2],
        parameters=[m, l, I],
    )
    assert top.reduce().units()["G3"] == "m/s^2"
    moved, change = top.in_units(length=1000, time=10)
    assert moved.advected[0].reference == (0, 0, Fraction(981, 10))
    assert change.state([0, 0, 1, 0, 0, Fraction(981, 100)])[2:] == [Fraction(1, 10), 0, 0, Fraction(981, 10)]
    gc.check_units(moved)


# -- other units ------------------------------------------------------------------------------------


def test_numbers_are_changed_exactly_and_back():
    skate = gc.models.get("pendulum-skate-rotor")()
    moved, change = skate.in_units(mass=1000, length=Fraction(1, 3), time=60)
    assert moved.defaults["m"] == 1000 * Fraction(skate.defaults["m"])
    assert moved.defaults["g"] == Fraction(skate.defaults["g"]) / 3 / 3600
    back, _ = moved.in_units(mass=Fraction(1, 1000), length=3, time=Fraction(1, 60))
    assert back.defaults == skate.defaults
    assert [p.unit for p in back.parameters] == [p.unit for p in skate.parameters]
    assert change.inverse.state(change.state([0.1, 5.0, 0.3, 1.0, 0.0, 1.0])) == pytest.approx(
        [0.1, 5.0, 0.3, 1.0, 0.0, 1.0], rel=1e-15
    )
    assert pickle.loads(pickle.dumps(change)) == change


@pytest.mark.parametrize(
    "name", ["pendulum-skate-rotor", "cart-pendulum", "getz-bicycle", "magnetic-satellite"]
)
def test_motions_are_the_same_in_other_units(name):
    """x' = S x, t' = s t: rates go over by S / s, energies by that of J; a wrong exponent fails."""
    mechanism = gc.models.get(name)()
    moved, change = mechanism.in_units(mass=8, length=4, time=2, current=16)
    old, new = mechanism.reduce(), moved.reduce()
    x = old.random_state(np.random.default_rng(1))
    u = np.linspace(0.5, 1.0, old.ninputs)
    rate = new.rhs(0.0, change.state(x), change.input(u))
    assert rate == pytest.approx(change.state(old.rhs(0.0, x, u)) / 2, rel=1e-9, abs=1e-12)
    assert new.energy(change.state(x)) == pytest.approx(change.value(old.energy(x), "J"), rel=1e-12)
    wrong = dict(change.states) | {old.state_labels[0]: 3.0}
    bad = gc.UnitChange(change.bases, wrong, change.inputs, change.parameters)
    assert new.energy(bad.state(x)) != pytest.approx(change.value(old.energy(x), "J"), rel=1e-6)


def test_attitudes_are_changed_like_the_mechanism():
    top = gc.models.get("heavy-top")(attitudes=True)
    moved, change = top.in_units(length=1000, time=10)
    symbols = {p.symbol: sp.Rational(p.default) for p in top.parameters}
    changed = {p.symbol: sp.Rational(p.default) for p in moved.parameters}
    factor = sp.Rational(change.value(Fraction(1), "J"))
    assert moved.potential_expression.xreplace(changed) == factor * top.potential_expression.xreplace(symbols)
    assert change.states["Omega1_1"] == Fraction(1, 10)
    assert moved.units()["Omega1_1"] == "10 rad/s"
    assert top.in_form("Pi").units()["Pi1_1"] == "kg m^2/s"


@pytest.mark.parametrize("name", [*gc.models.names("spheres"), *gc.models.names("products")])
def test_states_and_inputs_on_manifolds_have_units(name):
    system = gc.models.get(name)()
    gc.check_units(system)
    assert set(system.units()) == {*system.state_labels, *system.input_labels}


@pytest.mark.parametrize("name", gc.models.names("rotations"))
def test_attitudes_of_the_catalogue_have_units_that_go_together(name):
    system = gc.models.get(name)(attitudes=True)
    gc.check_units(system)
    assert set(system.units()) == {*system.state_labels, *system.input_labels}


def test_sums_on_manifolds_are_checked():
    x = gc.manifolds.Place("x")
    k = gc.Parameter("k", 3.0, "N/m")
    spring = gc.manifolds.ProductSystem(
        [x],
        kinetic=m.symbol * x.rate.dot(x.rate) / 2,
        potential=[k.symbol * x.z.dot(x.z) / 2],
        parameters=[m, k],
        name="spring",
    )
    gc.check_units(spring)
    with pytest.raises(gc.UnitsError, match=r"the potential: an energy is in N m, and .* is in "):
        gc.check_units(spring.replace(parameters=[m, gc.Parameter("k", 3.0, "N")]))
    with pytest.raises(gc.UnitsError, match=r"the inertia|the kinetic energy"):
        gc.check_units(spring.replace(parameters=[gc.Parameter("m", 2.0, "kg m^2"), k]))


def test_only_positive_numbers_change_units():
    with pytest.raises(gc.InputError, match="length must be positive"):
        gc.models.get("heavy-top")().in_units(length=-1)
    with pytest.raises(TypeError, match="check_units"):
        gc.check_units(3)


@pytest.mark.parametrize("numbers", [{"mass": 10**400}, {"length": 1e160}, {"time": Fraction(1, 10**200)}])
def test_units_beyond_the_doubles_are_refused(numbers):
    """1e320 kg m^2 is no double, as 1e400 kg is none."""
    with pytest.raises(gc.GeoctrlError, match=r"must be at most 1\.8e308"):
        gc.models.get("heavy-top")().in_units(**numbers)


def test_weak_friction_is_not_hidden_by_fast_motions():
    """At 1 rad/s the friction is 1e-12 of the gyroscopic terms: |Pi|^2 falls all the same."""
    Omega = gc.so3().xi
    J = sp.diag(1_000_000, 2_000_000, 2_500_000)
    friction = -sp.Rational(1, 10**6) * Omega
    free, rubbed = (gc.EulerPoincare(algebra=gc.so3(), inertia=J, forces=f) for f in (None, friction))
    assert len(free.reduce().conserved()) == 2
    assert not rubbed.reduce().conserved()


def test_gains_of_a_law_are_numbers():
    cart, change = gc.models.get("cart-pendulum")().in_units(length=1000)
    system = cart.reduce()
    loop = gc.lqr(system, change.state([0.0, 0.0, 0.0]), R=1e-6).closed_loop()
    gc.check_units(loop)
    assert loop.units() == {"x_dot": "mm/s", "phi_dot": "rad/s", "phi": "rad"}
    assert loop.state_units["x_dot"] == "mm/s"


def test_symbols_of_families_have_units():
    _, change = gc.models.get("concentric-shells")().in_units(time=10, length=5)
    assert change.member("half-turn", n1=1.0, n2=2.0, n3=0.5) == {"n1": 1.0, "n2": 2.0, "n3": 0.5}
    _, change = gc.models.get("pendulum-skate")().in_units(time=10, length=5)
    assert change.member("spinning", Omega0=3.0) == {"Omega0": Fraction(3, 10)}
    with pytest.raises(gc.UnitsError, match="the symbol 'Omega' of the family 'spinning'"):
        change.member("spinning", Omega=3.0)


def test_a_plain_number_of_a_family_is_in_the_unit_of_its_state():
    """0.3 at the velocity x_dot is 0.3 m/s: the units stay known, and it is 300 mm/s in millimetres."""
    given = gc.models.get("cart-pendulum")()
    rolling = gc.Family({"x_dot": sp.Rational(3, 10)}, inputs={"u": sp.Rational(1, 2)})
    cart = given.replace(equilibria={"rolling": rolling, "still": gc.Family({"x_dot": 0})})
    assert cart.reduce().units() == given.reduce().units()
    changed, change = cart.in_units(length=1000)
    assert changed.equilibria["rolling"].states == {"x_dot": 300}
    assert changed.equilibria["rolling"].inputs == {"u": sp.Rational(change.inputs["u"]) / 2}
    point = changed.equilibrium("still", params=None)
    assert point["x_dot"] == 0
    assert changed.in_units(length=Fraction(1, 1000))[0].equilibria["rolling"].states == rolling.states


def test_a_description_in_millimetres_and_grams_answers_in_them():
    """A seesaw with a mass that a motor moves; the same in kg and m is the change by 0.001, as written."""
    J, m, g = (
        gc.Parameter(name, value, unit, positive=True)
        for name, value, unit in [("J", 5200, "g mm^2"), ("m", 4.5, "g"), ("g", 9810, "mm/s^2")]
    )
    theta, s, force = gc.Coordinate("theta", angle=True), gc.Coordinate("s", unit="mm"), sp.Symbol("F")
    kinetic = (J * theta.rate**2 + m * (s.rate**2 + s**2 * theta.rate**2)) / 2
    small = gc.EulerPoincare(
        shape=[theta, s],
        parameters=[J, m, g],
        lagrangian=kinetic - m * g * s * sp.sin(theta),
        forces=[0, force],
        inputs=["F"],
    )
    gc.check_units(small)
    units = {"theta_dot": "rad/s", "s_dot": "mm/s", "theta": "rad", "s": "mm", "F": "uN"}
    assert small.reduce().units() == units
    large, change = small.in_units(mass=0.001, length=0.001)
    assert [p.unit for p in large.parameters] == ["kg m^2", "kg", "m/s^2"]
    assert change.parameters == {"J": Fraction(1, 10**9), "m": Fraction(1, 1000), "g": Fraction(1, 1000)}
    assert large.reduce().units() | {"s_dot": "m/s", "s": "m", "F": "N"} == large.reduce().units()
    told = str(large.reduce().scales(large.reduce().state()))
    assert [line.split()[-1] for line in told.split("\n")[2:]] == ["rad/s", "m/s", "rad", "m", "N"]
    assert max(map(len, f"{change}\n{told}".split("\n"))) <= 79
    assert "kg=1/1000, m=1/1000" in str(change)
    with pytest.raises(gc.UnitsError, match="in mm belongs to another system of units than"):
        gc.check_units(small.replace(parameters=[J, gc.Parameter("m", 0.0045, "kg", positive=True), g]))


def test_units_of_coordinates_alone_are_as_they_are_given():
    q = gc.Coordinate("q", unit="mm")
    alone = gc.EulerPoincare(shape=[q], inertia=[[1]], potential=q**2).reduce()
    assert alone.units() == {"q_dot": "mm/s", "q": "mm"}


def test_a_closed_loop_is_not_changed_silently():
    """Gains are numbers whose units nothing tells: left as they were, they made a stable loop unstable."""
    plant = gc.models.get("cart-pendulum")().reduce()
    loop = gc.lqr(plant, plant.equilibrium("upright")).closed_loop()
    with pytest.raises(gc.UnitsError, match="change the units of the plant"):
        loop.mechanism.in_units(mass=7, length=3, time=Fraction(1, 9))
