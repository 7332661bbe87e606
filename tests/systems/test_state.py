"""`system.state(...)`: what is given is set, the constraints give the rest, contradictions are refused."""

import warnings

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.systems.mechanisms import CONSTRAINTS, draw
from tests.systems.test_conformance import KINDS

# A state is found from its velocities by least squares: rounding times the condition of the frame, which the
# random mechanisms keep below a thousand.
TOLERANCE = 1e-11

CASES = [(i, kind, CONSTRAINTS[i % len(CONSTRAINTS)]) for i, kind in enumerate(KINDS * 2)]


def drawn(seed, kind, constraints):
    return draw(np.random.default_rng([7, seed]), kind, constraints, rotors=seed % 3, quick=True).reduce()


def parts(system, x):
    """Full velocity, rotor rates and advected vectors of a state, by name."""
    mechanism = system.mechanism
    given = dict(zip(mechanism.algebra.labels, system.velocity(x), strict=True))
    given |= {
        k: x[system.state_labels.index(k)] for k in (mechanism.rotors.rate_labels if mechanism.rotors else ())
    }
    gamma, start = system.advected(x), 0
    for vector in mechanism.advected:
        given[vector.name] = gamma[start : start + vector.dimension]
        start += vector.dimension
    return given


@pytest.mark.parametrize("case", CASES, ids=lambda c: "-".join(map(str, c)))
def test_a_state_is_made_again_of_its_velocity_and_vectors(case):
    system = drawn(*case)
    rng = np.random.default_rng(case[0])
    for _ in range(3):
        x = system.random_state(rng)
        given = parts(system, x)
        again = system.state(**given)
        np.testing.assert_allclose(again, x, rtol=0, atol=TOLERANCE * max(1.0, np.max(np.abs(x))))
        xi = [given[k] for k in system.mechanism.algebra.labels]
        vectors = {v.name: given[v.name] for v in system.mechanism.advected}
        rates = [given[k] for k in (system.mechanism.rotors.rate_labels if system.mechanism.rotors else ())]
        projected = system.project(xi, vectors, rates)
        np.testing.assert_allclose(again, projected, rtol=0, atol=TOLERANCE * max(1.0, np.max(np.abs(x))))
        from_states = system.state(**dict(zip(system.state_labels, x, strict=True)), **_removed(system))
        np.testing.assert_allclose(from_states, x, rtol=0, atol=TOLERANCE * max(1.0, np.max(np.abs(x))))


def _removed(system):
    gone = set(map(str, system.mechanism.configuration_symbols)) - set(system.state_labels)
    return dict.fromkeys(gone, 0.0)


@pytest.mark.parametrize("case", [c for c in CASES if c[2] != "none"], ids=lambda c: "-".join(map(str, c)))
def test_a_velocity_off_the_constraints_is_refused(case):
    system = drawn(*case)
    x = system.random_state(np.random.default_rng(case[0]))
    given = parts(system, x)
    gamma = system.advected(x)
    mechanism = system.mechanism
    table = dict(zip(mechanism.configuration_symbols, gamma, strict=True))
    table |= {p.symbol: system.params[p.name] for p in mechanism.parameters}
    row = np.array(mechanism.constraints.row(0).xreplace(table).tolist()[0], dtype=float)
    label = mechanism.algebra.labels[int(np.argmax(np.abs(row)))]
    given[label] += 0.5
    with pytest.raises(
        gc.ConstraintError, match=r"= .* contradicts the constraints, which make it .* row \d"
    ):
        system.state(**given)


def disk():
    return gc.models.get("rolling-disk")().reduce()


def test_the_constraints_are_solved_for_what_is_not_given():
    """A disk that spins about its axis at 6 rad/s rolls, and turns about nothing else."""
    system = disk()
    x = system.state(Omega3=6, Gamma=(0, 0.6, 0.8))
    assert x == pytest.approx([0, 0, 6, 0, 0.6, 0.8], abs=1e-14)
    assert system.velocity(x) == pytest.approx([0, 0, 6, -6 * system.params["a"], 0, 0], abs=1e-14)
    whole = system.state(Omega=(0, 0.4, 6), Gamma=(0, 0.6, 0.8))
    assert system.velocity(whole)[:3] == pytest.approx([0, 0.4, 6], abs=1e-14)


def test_parameters_count():
    system = disk()
    x = system.state(params={"a": 2.0}, Y1=-12.0, Omega1=0, Omega2=0, Gamma=(0, 0.6, 0.8))
    assert x[2] == pytest.approx(6.0, abs=1e-13)


def test_least_norm_where_the_constraint_forbids_zero():
    """Veselova: Omega.Gamma = 0 by a multiplier; Omega1 and Omega2 share what Omega3 needs."""
    system = gc.models.get("veselova")().reduce()
    gamma = np.array([0.36, 0.48, 0.8])
    x = system.state(Omega3=1, Gamma=gamma)
    expected = -0.8 * gamma[:2] / (gamma[:2] @ gamma[:2])
    assert x[:3] == pytest.approx([*expected, 1.0], abs=1e-14)


def test_references_and_zeros_are_taken_for_what_is_not_given():
    system = gc.models.get("pendulum-skate-rotor")().reduce()
    assert system.state() == pytest.approx([0, 0, 0, 0, 0, 1], abs=0)
    assert system.state(v2=3, theta_dot=7) == pytest.approx([0, 3, 0, 7, 0, 1], abs=0)
    x = system.state(Omega3=3, Gamma=(0, 0.6, 0.8))
    assert x == pytest.approx([0, 3.75, 0, 0, 0.6, 0.8], abs=1e-14)


def test_components_are_solved_for_from_the_reference():
    top = gc.models.get("heavy-top")().reduce()
    assert top.state(Gamma1=0.6)[3:] == pytest.approx([0.6, 0, 0.8], abs=1e-12)
    with pytest.raises(gc.ConstraintError, match=r"Gamma3 = 0.8 is off the leaf .* give whole vectors"):
        top.state(Gamma3=0.8)  # Gamma1 and Gamma2 may be anywhere on a circle


def test_states_of_a_controller_are_set():
    law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-1e-5).with_damping(k=2.7, kappa=1.0)
    loop = law.closed_loop()
    label = loop.mechanism.controller_symbols[-1].name
    x = loop.state(**{label: 0.25})
    assert x[loop.state_labels.index(label)] == 0.25


def test_small_contradictions_are_mended_with_a_warning_and_rounding_silently():
    system = disk()
    exact = -6 * system.params["a"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system.state(Omega=(0, 0, 6), Y1=exact + 1e-14, Gamma=(0, 0.6, 0.8))
    with pytest.warns(gc.ProjectionWarning, match="Y1 = .* contradicts the constraints"):
        system.state(Omega=(0, 0, 6), Y1=exact + 1e-6, Gamma=(0, 0.6, 0.8))


TILT = (0, 0.6, 0.8)
REFUSED = {
    "velocity": (
        dict(Omega3=6, Y1=1, Gamma=TILT),
        gc.ConstraintError,
        "Y1 = 1 .* make it -1.8 with Omega3 = 6.* row 1",
    ),
    "leaf": (
        dict(Gamma=(0, 0.6, 0.7)),
        gc.ConstraintError,
        r"Gamma2 = 0.6, Gamma3 = 0.7 is off the leaf .* -0.15",
    ),
    "unknown": (dict(Omga3=6), gc.LabelError, "did you mean 'Omega3'"),
    "length": (dict(Gamma=(0, 1)), gc.InputError, r"Gamma must have shape \(3,\)"),
    "text": (dict(Omega3="6"), gc.InputError, "Omega3 must be a number"),
    "not finite": (dict(Omega3=np.nan), gc.InputError, "Omega3"),
    "twice": (dict(Omega3=6, Omega=(0, 0, 1)), gc.InputError, "Omega3 is given twice"),
    "no frame there": (dict(Omega3=6, Gamma=(0, 0, 1)), gc.FrameError, "no finite value at"),
    "parameter": (dict(params={"b": 1}), gc.ParameterError, "unknown|no parameter"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_in_words(name):
    given, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        disk().state(**given)


def test_a_velocity_of_two_factors():
    system = gc.EulerPoincare(
        algebra=gc.product(gc.so3(), gc.so3()), inertia=sp.diag(1, 2, 3, 4, 5, 6)
    ).reduce()
    assert system.state(Omega=(1, 2, 3), Omega_2=(4, 5, 6)).tolist() == [1, 2, 3, 4, 5, 6]
