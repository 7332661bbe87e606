"""The energy that falls along every run of a damped loop, against runs and an independent rate."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.synthesis.damped import KAPPA, SIGMA, SIGN, K
from tests.synthesis.rotors import skate_with_rotor

pytestmark = pytest.mark.filterwarnings("ignore::geoctrl.errors.LawWarning")


def function(loop, expr):
    """Of the states at the default numbers; one for all states, as making it takes longest."""
    numbers = {p.symbol: p.default for p in loop.mechanism.parameters}
    f = sp.lambdify(loop.states, expr.subs(numbers), "numpy")
    return lambda states: f(*states)


@pytest.mark.parametrize("axis", [1, 2, 3])
@pytest.mark.parametrize("gains", [{"k": K}, {"k": K, "kappa": KAPPA}])
def test_its_rate_is_minus_the_dissipation_at_random_states(axis, gains):
    """By a complex step along the field: another derivation than the proof."""
    law = gc.match(skate_with_rotor(axis)).law(SIGMA[axis]).with_damping(**gains)
    loop, found = law.closed_loop(), law.modified_energy
    energy, dissipation = function(loop, found.expr), function(loop, found.dissipation)
    rng, rises = np.random.default_rng(4), []
    for _ in range(10):
        tilt = rng.uniform(-1, 1)
        x = np.array([*rng.normal(size=3), np.sin(tilt), np.cos(tilt), *rng.normal(size=loop.nstates - 5)])
        rate = np.imag(energy(x + 1e-30j * loop.rhs(0.0, x))) / 1e-30
        lost = dissipation(x)
        assert lost >= 0
        assert rate == pytest.approx(-lost, rel=1e-9, abs=1e-10)
        rises.append(SIGN[axis] * np.imag(loop.energy(x + 1e-30j * loop.rhs(0.0, x))) > 1e-36)
    # Negative control: the controlled energy alone is not monotone where it is regulated.
    assert any(rises) == ("kappa" in gains)


def test_the_damped_skate_settles_at_the_leaning_turn_of_its_leaf():
    """N = 0 on the level set of C1 and C2 by hand; there after 100 s, the modified energy falling."""
    mechanism = gc.models.get("pendulum-skate-rotor")()
    gamma = 1 / (1 - 1e-5 * 2.27 / 0.005**2)
    law = gc.match(mechanism).law(sigma=-1e-5)
    damped = law.with_damping(k=2 * 0.7 * np.sqrt((gamma - 1) * 23.52 * 2.27) / (gamma - 1))
    loop, plant = damped.closed_loop(), mechanism.reduce()
    start = plant.project([0.1, 0.1 * np.tan(0.1), 0.1, 1, 0, 0], {"Gamma": (0, np.sin(0.1), np.cos(0.1))})
    run = gc.simulate(loop, np.linspace(0, 100, 2001), np.delete(start, 3))
    V = function(loop, damped.modified_energy.expr)(run.states)
    assert np.diff(V).max() < 1e-13 * np.abs(V).max()  # rounding of the sum
    lean = np.arcsin(run["Gamma2"][-1])
    m, l, g = 3.0, 0.8, 9.8  # noqa: E741
    I2, I3, J2, J3 = (mechanism.defaults[k] for k in ("I2", "I3", "J2", "J3"))
    v2, v3 = run["v2"][-1], run["v3"][-1]
    s, c = np.sin(lean), np.cos(lean)
    N = ((I2 + J2 + m * l**2 - I3 - J3) * c * v2**2 + m * g * l) * s + m * l * c * v2 * v3
    assert abs(N) < 1e-8 * m * g * l
    assert abs(run["v1"][-1]) < 1e-8
    assert lean == pytest.approx(-0.0158024, abs=1e-6)  # the root of N on this leaf, found by another program


def test_what_has_no_such_energy_is_refused():
    law = gc.match(skate_with_rotor(1)).law(SIGMA[1])
    with pytest.raises(gc.MatchingError, match="without damping"):
        law.with_damping(kappa=KAPPA).modified_energy  # noqa: B018
    rubbed = skate_with_rotor(1)
    forces = [-0.1 * s for s in rubbed.algebra.xi]
    with pytest.raises(gc.MatchingError, match="do work"):
        gc.match(rubbed.replace(forces=forces)).law(SIGMA[1]).with_damping(k=K).modified_energy  # noqa: B018
