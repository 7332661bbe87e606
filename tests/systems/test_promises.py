"""What a description promises holds at the numbers in use, or these are refused in words."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.systems.states import precise_states


def number(name, value, positive=True):
    return gc.Parameter(name, value, positive=positive)


def top(I1=1.0, I2=1.0, **more):
    """A top whose moments of inertia about two axes are equal as numbers only."""
    parameters = [number(*p) for p in (("I1", I1), ("I2", I2), ("I3", 1.5), ("k", 1.0))]
    a, b, c, k = (p.symbol for p in parameters)
    gamma = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    xi, g = gc.so3().xi, gamma.symbols
    return gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[gamma],
        inertia=sp.diag(a, b, c),
        potential=k * g[2],
        symmetry=gc.Axis((0, 0, 1)),
        parameters=parameters,
        invariants={"Pi3": c * xi[2]},
        **more,
    )


def suspended(frame, value=0.5):
    """A body held by Omega2 = a Omega1."""
    a = number("a", value)
    gamma = gc.AdvectedVector("Gamma", reference=(0, 0, -1))
    g = gamma.symbols
    return gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[gamma],
        inertia=sp.diag(1, 2, 3),
        potential=g[2] + 2 * g[0] ** 2 - 2 * g[1] ** 2,
        constraints=[[a.symbol, -1, 0]],
        frame=frame(a.symbol),
        parameters=[a],
    )


def guided(value=1.0):
    """Gamma1 stays zero where p = 1: its rate is -Omega1 (p - 1) there."""
    p = number("p", value)
    gamma = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    g = gamma.symbols
    return gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[gamma],
        inertia=sp.diag(1, 2, 3),
        potential=-g[2],
        constraints=[[p.symbol - 1, -g[2], g[1]]],
        leaf=[g[0]],
        parameters=[p],
    )


# -- the axis ------------------------------------------------------------------------------------


@pytest.mark.parametrize("params", [np.uint8(2), sp.zoo, "I1", [1.0], np.ones(2)], ids=str)
def test_what_is_no_dict_of_numbers_is_refused_in_words(params):
    with pytest.raises(gc.ParameterError, match="params must be a dict"):
        top().reduce().parameters_at(params)


def test_an_axis_that_is_one_at_the_defaults_is_judged_at_the_numbers_of_a_run():
    system = top().reduce()
    broken = {"I2": 4.0, "k": 1.5}
    state = [0, 1, 1, 1, 0]
    assert gc.certify(system.despun(), state, params={"k": 1.5}).verdict is gc.Verdict.PROVED_STABLE
    for use in (
        lambda: gc.certify(system.despun(), state, params=broken),
        lambda: gc.linearize(system.despun(), state, params=broken),
        lambda: gc.simulate(system, np.linspace(0, 1, 3), [0, 1, 1, 0, 1, 0], params=broken),
        lambda: system.parameters(broken),
    ):
        with pytest.raises(
            gc.DescriptionError, match=r"the inertia changes when the body turns.*I1 = 1.0, I2 = 4"
        ):
            use()
    # Equal again, at other numbers.
    assert gc.certify(system.despun(), state, params={"I1": 2, "I2": 2, "k": 1.5}).verdict.name


def test_the_promise_goes_with_copies_and_with_the_view():
    system = pickle.loads(pickle.dumps(top().reduce().despun()))
    with pytest.raises(gc.DescriptionError, match="I2 = 4"):
        system.parameters({"I2": 4.0})
    assert system.parameters({"I1": 3.0, "I2": 3.0})["I1"] == 3.0


def test_moments_that_differ_by_rounding_are_not_equal():
    with pytest.raises(gc.DescriptionError, match="the inertia changes"):
        top().reduce().parameters({"I1": 0.3, "I2": 3 * 0.1})


def test_an_axis_that_is_none_at_the_defaults_is_refused_at_once():
    with pytest.raises(gc.DescriptionError, match="the inertia changes when the body turns"):
        top(I2=2.0).reduce()


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("forces", lambda xi, g: {"forces": [xi[0], 0, 0]}),
        ("gyroscopic", lambda xi, g: {"gyroscopic": [g[0], 0, 0]}),
        ("constraints", lambda xi, g: {"constraints": [[1, 0, 0]], "invariants": {}}),
        ("potential", lambda xi, g: {"potential": g[2] + g[0] ** 2}),
        ("leaf", lambda xi, g: {"leaf": [g[0]], "constraints": [[0, -g[2], g[1]]], "invariants": {}}),
        ("forces", lambda xi, g: {"forces": ["u", 0, 0], "inputs": ["u"]}),
    ],
)
def test_every_part_that_an_axis_has_no_say_over_is_named(part, change):
    symmetric = top()
    xi, g = gc.so3().xi, symmetric.advected[0].symbols
    changes = change(xi, g)
    if "inputs" in changes:
        changes["forces"] = [sp.Symbol("u", real=True), 0, 0]
    with pytest.raises(gc.DescriptionError, match=f"the {part} changes when the body turns"):
        symmetric.replace(**changes).reduce()


@pytest.mark.parametrize(
    "change",
    [
        lambda xi, g: {"forces": list(-xi)},
        lambda xi, g: {"forces": [g[0] * xi[2], g[1] * xi[2], sp.sin(g[2])]},
        lambda xi, g: {"gyroscopic": [g[0], g[1], g[2] ** 2]},
        lambda xi, g: {"potential": g[2] + g[0] ** 2 + g[1] ** 2},
        lambda xi, g: {"constraints": [[g[0], g[1], 1 + g[2] ** 2]], "invariants": {}},
    ],
)
def test_parts_that_turn_along_are_proved_to(change):
    symmetric = top()
    xi, g = gc.so3().xi, symmetric.advected[0].symbols
    assert symmetric.replace(**change(xi, g)).reduce().parameters({"I1": 2.0, "I2": 2.0})


def test_what_was_proved_once_is_not_judged_again():
    symmetric = top(inertia_proved := 1.0, inertia_proved)
    I1 = symmetric.parameters[0].symbol
    proved = symmetric.replace(
        inertia=sp.diag(I1, I1, symmetric.parameters[2].symbol), parameters=symmetric.parameters
    ).reduce()
    start = time.process_time()
    for value in np.linspace(1, 2, 2000):
        proved.parameters({"I1": float(value)})
    # 10 us each were measured; judging takes milliseconds.
    assert time.process_time() - start < 1.0


# -- frame and leaf ------------------------------------------------------------------------------


def test_a_frame_with_the_default_written_as_a_number_is_refused_elsewhere():
    system = suspended(lambda a: [[1, 0], [sp.Rational(1, 2), 0], [0, 1]]).reduce()
    point = [0, 0, 0, 0, -1]
    assert gc.certify(system, point).verdict.name
    with pytest.raises(gc.FrameError, match=r"column 1 violates constraint row 1 .* at a = 3"):
        gc.certify(system, point, params={"a": 3})
    right = suspended(lambda a: [[1, 0], [a, 0], [0, 1]]).reduce()
    # Around the bottom the right frame has the spectrum 0, 0, +-1.487 i.
    eigenvalues = gc.linearize(right, point, params={"a": 3}).eigenvalues
    assert np.max(np.abs(eigenvalues.imag)) == pytest.approx(1.487, abs=5e-4)
    assert np.max(np.abs(eigenvalues.real)) < 1e-9


def test_a_leaf_that_is_kept_at_the_defaults_is_refused_elsewhere():
    system = guided().reduce()
    point = [0, 0, 0, 0, 1]
    assert gc.certify(system, point).verdict is gc.Verdict.PROVED_STABLE
    with pytest.raises(gc.ConstraintError, match=r"Gamma1 = 0 is not kept by the motion .* at p = 2"):
        gc.certify(system, point, params={"p": 2})


def test_a_frame_that_needs_the_leaf_is_proved_on_it():
    # psi.E = |Gamma|^2 - 1, written out.
    gamma = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    g, a = gamma.symbols, number("a", 0.7)
    mechanism = gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[gamma],
        inertia=sp.diag(1, 2, 3),
        constraints=[[a.symbol * g[0], a.symbol * g[1], a.symbol * g[2]]],
        frame=[[1 - g[0] ** 2, -g[0] * g[1]], [-g[0] * g[1], 1 - g[1] ** 2], [-g[0] * g[2], -g[1] * g[2]]],
        parameters=[a],
    )
    assert mechanism.reduce().judgement.require_identities({}) is None
    # Negative control.
    frame = sp.Matrix(mechanism.frame)
    frame[0, 0] += sp.Rational(1, 10**9)
    with pytest.raises(gc.FrameError, match="column 1 violates constraint row 1"):
        mechanism.replace(frame=frame).reduce()


def test_conditions_in_symbols_need_numbers_for_what_is_promised_at_some():
    W = sp.Symbol("W", real=True)
    family = {"up": gc.Family({"Omega3": W, "Gamma3": 1}, symbols=[W])}
    system = top(equilibria=family).reduce()
    with pytest.raises(gc.DescriptionError, match=r"I1, I2.*give numbers"):
        gc.stability_conditions(system, "up")
    assert gc.stability_conditions(system, "up", params={"I1": 2.0, "I2": 2.0}).unstable


def test_a_leaf_relation_that_follows_at_the_defaults_is_judged_elsewhere():
    """Gamma1 + Gamma2 = 0 and Gamma1 + p Gamma2 = 0 are one relation at p = 1, and two elsewhere."""
    p, gamma = number("p", 1.0), gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    g = gamma.symbols
    system = gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[gamma],
        inertia=sp.diag(2, 1, 3),
        constraints=[[q * g[2], -g[2], g[1] - q * g[0]] for q in (1, 2)],  # they keep Gamma1 + q Gamma2
        leaf=[g[0] + g[1], g[0] + p.symbol * g[1]],
        parameters=[p],
    ).reduce()
    point = [0, 0, 0, sp.Rational(2, 3), sp.Rational(-2, 3), sp.Rational(1, 3)]
    assert gc.certify(system, point).verdict.name
    for value in (2.0, 1 + 1e-12):
        with pytest.raises(gc.ConstraintError, match=r"Gamma1 \+ Gamma2\*p = 0 does not follow .* at p = "):
            gc.certify(system, point, params={"p": value})


@pytest.mark.parametrize(
    ("made", "error", "numbers"),
    [
        (lambda: top().reduce().despun(), gc.DescriptionError, {"I1": 2.0, "I2": 2.0}),
        (
            lambda: suspended(lambda a: [[1, 0], [sp.Rational(1, 2), 0], [0, 1]]).reduce(),
            gc.FrameError,
            {"a": 0.5},
        ),
        (lambda: guided().reduce(), gc.ConstraintError, {"p": 1.0}),
    ],
    ids=["axis", "frame", "leaf"],
)
def test_nothing_is_proved_for_all_parameters_of_what_is_promised_at_some(made, error, numbers):
    system = made()
    with pytest.raises(error, match="for all of them; give numbers"):
        gc.check_invariant(system, "energy")
    proof = gc.check_invariant(system, "energy", params=numbers)
    assert proof.proved
    assert proof.parameters == "given"


# -- the inertia ---------------------------------------------------------------------------------


def body(inertia, **more):
    return gc.EulerPoincare(algebra=gc.so3(), inertia=inertia, **more)


@pytest.mark.parametrize(
    "inertia", [-sp.eye(3), sp.diag(1, 2, -3), sp.Matrix([[1, 2, 0], [2, 1, 0], [0, 0, 1]])]
)
def test_an_inertia_with_a_negative_eigenvalue_is_refused_unless_asked_for(inertia):
    with pytest.raises(gc.DescriptionError, match=r"not positive semidefinite.*indefinite=True"):
        body(inertia).reduce()
    assert body(inertia, indefinite=True).reduce().nstates == 3


def test_the_inertia_is_judged_at_the_numbers_of_a_run():
    J = number("J", 0.5)
    system = body(sp.diag(1, 2, 3 - J.symbol), parameters=[J]).reduce()
    assert system.rhs(0.0, [1.0, 2.0, 3.0], params={"J": 2.9}).size == 3
    with pytest.raises(gc.DescriptionError, match=r"J = 4.*least eigenvalue is -1, mostly along Omega3"):
        system.rhs(0.0, [1.0, 2.0, 3.0], params={"J": 4})


def test_the_inertia_is_judged_at_several_attitudes_and_with_its_rotors():
    gamma = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    tilting = sp.diag(1, 2, sp.Rational(1, 2) - gamma.symbols[0] ** 2)
    with pytest.raises(gc.DescriptionError, match=r"not positive semidefinite at Gamma1 = "):
        body(tilting, advected=[gamma]).reduce()
    # The locked inertia holds the rotor's: less than that is none.
    rotors = gc.Rotors(coupling=[[0], [0], [1]], inertia=[[1]], names=["wheel"])
    with pytest.raises(gc.DescriptionError, match="not positive semidefinite"):
        body(sp.diag(1, 2, sp.Rational(1, 2)), rotors=rotors).reduce()
    assert body(sp.diag(1, 2, 3), rotors=rotors).reduce().nstates == 4


def test_closed_loops_have_an_indefinite_inertia_on_purpose():
    matching = gc.match(gc.models.get("pendulum-skate-rotor")())
    loop = matching.law(sigma=-1e-5).closed_loop()
    assert loop.mechanism.indefinite
    values = [loop.params[p.name] for p in loop.mechanism.parameters]
    symbols = [p.symbol for p in loop.mechanism.parameters]
    inertia = np.array(loop.mechanism.inertia.subs(dict(zip(symbols, values, strict=True))), dtype=float)
    assert np.linalg.eigvalsh(inertia)[0] < 0


def on_the_sphere_alone(beside, length=1):
    """A frame that solves its constraint but for a term that vanishes on the leaf with all its size."""
    gamma = gc.AdvectedVector("Gamma", reference=(0, 0, length))
    g1, g2, g3 = gamma.symbols
    off = length * sp.sinh(
        (g1**2 + g2**2 + g3**2) / length**2 - 1 + beside
    )  # no polynomial: nothing proves it
    return gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[gamma],
        inertia=sp.diag(1, 2, 3) / 2,
        constraints={"row": [0, -g3, g2]},
        frame=[[1, g1], [0, g2], [0, g3 + off]],
    )


def test_what_vanishes_with_all_its_terms_is_judged_by_its_own_smallness(monkeypatch):
    system = on_the_sphere_alone(0).reduce()
    np.testing.assert_allclose(system.velocity([1.0, 2.0, 0.0, 0.6, 0.8]), [1.0, 1.2, 1.6], atol=1e-15)
    with pytest.raises(gc.FrameError, match="violates constraint row 1"):
        on_the_sphere_alone(sp.Rational(1, 10**30)).reduce()
    monkeypatch.setattr(precise_states, "_LEAST", 0)
    with pytest.raises(gc.FrameError, match="violates constraint row 1"):
        on_the_sphere_alone(0).reduce()


@pytest.mark.parametrize("length", [sp.Rational(1, 10**30), sp.Integer(10) ** 30])
def test_promises_are_judged_beside_the_length_of_what_is_advected(length):
    assert on_the_sphere_alone(0, length).reduce().nstates == 5
    with pytest.raises(gc.FrameError, match="violates constraint row 1"):
        on_the_sphere_alone(sp.Rational(1, 10**30), length).reduce()


def locked(slope, value):
    """A mass on a line, held where l sin x = 0 by a row of the slope given."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    length = number("l", value)
    return gc.EulerPoincare(
        shape=[x, y],
        inertia=sp.diag(1, 2),
        potential=y.symbol**2,
        constraints=[[1, slope]],
        leaf={"lock": length.symbol * sp.sin(x.symbol)},
        parameters=[length],
    )


@pytest.mark.parametrize("value", [3.0, 1e60, 1e-3])
def test_a_rate_that_the_leaf_makes_zero_is_kept(value):
    """x' is zero but for the last digits of the states, whatever its factor is."""
    assert locked(0, value).reduce().nstates >= 3
    with pytest.raises(gc.ConstraintError, match="is not kept by the motion"):
        locked(1, value).reduce()
