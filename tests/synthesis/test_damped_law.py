"""Damped laws as objects: gains as they are given, and all that a feedback law does."""

import pickle

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.synthesis.damped import GAINS, KAPPA, SIGMA, K, reduced_state
from tests.synthesis.rotors import skate_with_rotor, start, two_rotors

# Gains are taken to make terms visible; most of them stabilise nothing, and the loops say so.
pytestmark = pytest.mark.filterwarnings("ignore::geoctrl.errors.LawWarning")

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
        ({"k": "0.1"}, "text"),
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


def test_weakly_damped_rotors_count_for_the_sign():
    """Each rotor alone has a sign of its own; a small gain is no permission."""
    law = gc.match(two_rotors()).law([[-1e-3, 0], [0, 0.02]])
    assert law.with_damping(k=[0.1, 0]).sign != law.with_damping(k=[0, 0.1]).sign
    for k in ([0.1, 0.1], [0.1, 1e-6]):
        with pytest.raises(gc.MatchingError, match="both signs"):
            law.with_damping(k=k)


def test_the_gain_of_a_family_of_laws_holds_its_symbol():
    law = gc.match(two_rotors()).law([[sp.Symbol("s"), 0], [0, 0.02]])
    assert law.gain[0, 0] == sp.Symbol("s", real=True)
    assert law.gain[1, 1] == pytest.approx(0.02)


def test_a_symbol_with_the_name_of_another_entry_is_refused():
    matching = gc.match(two_rotors())
    with pytest.raises(gc.MatchingError, match="k22"):
        matching.law([[-1e-3, 0], [0, 0.02]]).with_damping(k=[[sp.Symbol("k22"), 0], [0, 3.0]])
    with pytest.raises(gc.MatchingError, match="sigma22"):
        matching.law([[sp.Symbol("sigma22"), 0], [0, 0.02]])


def test_a_gain_that_makes_the_momentum_infinite():
    """rho^{-1} = 1/J - 1/sigma vanishes at sigma = J: the reduced loop alone needs no momentum."""
    mechanism = gc.models.get("body-with-rotor")()
    law = gc.match(mechanism).law(sigma=mechanism.defaults["J"])
    eq = law.closed_loop().equilibrium("about2", Omega0=1.0)
    assert gc.certify(law.closed_loop(), eq).verdict.proved
    for loop in (law.with_damping(k=0.2).closed_loop, lambda: law.closed_loop(rotors=True)):
        with pytest.raises(gc.MatchingError, match="sigma equals the rotors' inertia"):
            loop()


def test_the_momentum_cannot_be_held(laws):
    law = laws(3, "k")
    assert law.closed_loop(momentum=0.0) is law.closed_loop()
    for bad in (0.1, [0.1], np.nan, [[1, 2], [3]]):
        with pytest.raises(gc.InputError, match="momentum"):
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
